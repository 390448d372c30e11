"""Packs for the platforms that shared tasks use: Codabench and TIRA, each scoring as the command line does.

gold, rules ──pack──▶ files by name ──zipped──▶ a zip that is the same byte for byte each time; in it a program of a few
lines that calls ``score_upload`` of this package
"""

from __future__ import annotations

import io
import json
import os
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from coliee_adapters.errors import InputError, MismatchError, UsageError
from coliee_adapters.files.source import PathLike, Source
from coliee_ir._version import __version__
from coliee_ir.inbox.grouping import group
from coliee_ir.inbox.inventory import sort_files
from coliee_ir.rules.protocol import Protocol, protocol
from coliee_ir.scoring.evaluator import Evaluator
from coliee_ir.scoring.prepared import named

__all__ = ["PLATFORMS", "Uploaded", "pack", "score_upload"]

#: what a participant is told where the fault is not in the upload
_OURS: Final = "the submission could not be scored; ask the organisers"


class Uploaded(NamedTuple):
    """What came of an upload."""

    scores: dict[str, float]  # measure → value; empty where it could not be scored
    counts: dict[str, int]  # correct, retrieved, relevant; empty where it could not be scored
    error: str  # why it could not be scored, in a sentence that says nothing of the gold; empty if it was


def score_upload(gold: PathLike, upload: PathLike, rules: Mapping[str, Any]) -> Uploaded:
    """Score what a participant has uploaded: a file, an archive or a folder with the files of one submission."""
    try:
        task = rules["task"]
        if task == _PROTOCOL:  # beside the gold
            task = os.fspath(Path(gold).parent / task)
        inventory = sort_files([upload], rules=protocol(task, rules["edition"]))
        if unread := [one for one in inventory.scored if one.error is not None]:
            return Uploaded({}, {}, _below(str(unread[0].error), upload))
        sources = [one.source for one in inventory.scored]
        evaluator = Evaluator(gold, runs=sources, task=task, edition=rules["edition"], exclude=rules["exclude"])
        found = group(inventory, evaluator)
        if found.invalid:
            for source in sources:
                evaluator.read(source)  # which says what is wrong with a file
            return Uploaded({}, {}, _below(found.invalid[0].reason, upload))
        if len(found.handed) != 1:
            n = len(found.handed) or "no"
            said = "; ".join(["", *inventory.remarks()])
            return Uploaded({}, {}, _below(f"one run is expected, and the upload holds {n}{said}", upload))
        parts = found.handed[0].parts
        scored = evaluator.evaluate(parts.run, answers=parts.answers, long_list=parts.long_list)
    except MismatchError:  # whose sentence names ids of the gold
        kinds = "no query or no document of the run is judged in the gold"
        return Uploaded({}, {}, f"{kinds}; is it a run of another task or year, or have its ids lost their zeros?")
    except InputError as error:
        inside = error.path != str(gold) and str(gold) not in str(error)
        return Uploaded({}, {}, _below(str(error), upload) if inside else _OURS)
    except UsageError as error:
        return Uploaded({}, {}, _OURS if str(gold) in str(error) else _below(str(error), upload))
    except Exception:  # a traceback, which participants see, could show what the gold holds
        return Uploaded({}, {}, _OURS)
    return Uploaded(dict(scored.measures), dict(scored.counts), "")


def _below(sentence: str, upload: PathLike) -> str:
    """A sentence without the place where the platform has put the upload."""
    place = str(upload).rstrip("/")
    return sentence.replace(f"{place}/", "").replace(place, "the upload")


#: what the protocol file is called in a bundle, beside the gold
_PROTOCOL: Final = "protocol.toml"


class _Task(NamedTuple):
    """What a bundle is made from."""

    gold: Source
    evaluator: Evaluator
    exclude: tuple[str, ...]

    @property
    def protocol(self) -> Protocol:
        return self.evaluator.protocol

    @property
    def title(self) -> str:
        """What the challenge is called."""
        return self.protocol.titled(self.evaluator.edition)

    @property
    def measures(self) -> list[str]:
        """The official measures, the one that ranks first."""
        return [measure.name for measure in named(self.protocol.measures, self.protocol.scores)]

    @property
    def gold_name(self) -> str:
        """What the gold is called in the bundle."""
        return f"gold{Path(self.gold.name).suffix or '.txt'}"

    def reference(self) -> dict[str, bytes]:
        """The gold, and by which rules runs are scored against it."""
        rules: dict[str, Any] = {
            "task": self.evaluator.task, "edition": self.evaluator.edition, "exclude": list(self.exclude),
            "gold": self.gold_name,
        }  # fmt: skip
        files = {self.gold_name: self.gold.raw()}
        if self.protocol.own_file:
            rules["task"] = _PROTOCOL
            files[_PROTOCOL] = Path(self.protocol.own_file).read_bytes()
        return {**files, "rules.json": (json.dumps(rules, indent=1) + "\n").encode()}


def pack(
    platform: str,
    gold: PathLike,
    *,
    task: str | int | None = None,
    edition: str | int | None = None,
    exclude: Iterable[str] = (),
) -> bytes:
    """A bundle for a platform, as a zip."""
    if platform not in PLATFORMS:
        raise UsageError("unknown-name", f"unknown platform {platform!r}; the platforms are {', '.join(PLATFORMS)}")
    source = Source(gold)
    left_out = tuple(sorted(exclude))
    evaluator = Evaluator(source, task=task, edition=edition, exclude=left_out)
    return _zipped(PLATFORMS[platform](_Task(source, evaluator, left_out)))


def _zipped(files: Mapping[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in sorted(files.items()):
            entry = zipfile.ZipInfo(name)  # of 1980: equal contents give equal bytes
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            archive.writestr(entry, content)
    return stream.getvalue()


_PACKAGE: Final = f"coliee-ir=={__version__}"

_READ: Final = f"""import json
import subprocess
import sys
from pathlib import Path

try:
    from coliee_ir.commands.bundle import score_upload
except ImportError:  # the image has no {_PACKAGE}: see the Dockerfile
    subprocess.check_call([sys.executable, "-m", "pip", "install", "--quiet", "{_PACKAGE}"])
    from coliee_ir.commands.bundle import score_upload


def score(reference, upload):
    rules = json.loads(Path(reference, "rules.json").read_text(encoding="utf-8"))
    return score_upload(Path(reference, rules["gold"]), upload, rules)
"""

_CODABENCH: Final = """
import html

source, target = sys.argv[1:3]
scored = score(Path(source, "ref"), Path(source, "res"))
rows = "".join(f"<tr><td>{name}</td><td>{value:.4f}</td></tr>" for name, value in scored.scores.items())
page = f"<p>{html.escape(scored.error)}</p>" if scored.error else f"<table>{rows}</table>"
Path(target, "detailed_results.html").write_text(f"<!doctype html><meta charset=utf-8>{page}", encoding="utf-8")
if scored.error:
    sys.exit(scored.error)
Path(target, "scores.json").write_text(json.dumps(scored.scores), encoding="utf-8")
"""

_TIRA: Final = """
import argparse

parser = argparse.ArgumentParser()
for name in ("input", "truth", "output"):
    parser.add_argument(f"--{name}", required=True)
options = parser.parse_args()
scored = score(options.truth, options.input)
if scored.error:
    sys.exit(scored.error)
lines = [f'measure {{\\n  key: "{name}"\\n  value: "{value}"\\n}}\\n' for name, value in scored.scores.items()]
Path(options.output, "evaluation.prototext").write_text("".join(lines), encoding="utf-8")
"""

#: has a Python that runs us; the packages are installed at the first upload, or with the Dockerfile
_IMAGE: Final = "python:3.11-slim"

_DOCKERFILE: Final = f"""FROM {_IMAGE}
RUN pip install --no-cache-dir {_PACKAGE}
"""


def _codabench(task: _Task) -> dict[str, bytes]:
    """docs.codabench.org: competition.yaml, a scoring program, reference data; scores.json for the leaderboard."""
    columns = "".join(
        f"      - title: {name}\n        key: {_quoted(name)}\n        index: {at}\n        sorting: desc\n"
        f"        precision: 4\n"
        for at, name in enumerate(task.measures)
    )
    competition = (
        f"version: 2\ntitle: {_quoted(task.title)}\ndescription: {_quoted(task.protocol.source)}\nimage: logo.png\n"
        f"docker_image: {_IMAGE}\nterms: terms.md\nenable_detailed_results: true\n"
        "make_programs_available: false\nmake_input_data_available: false\n"
        "pages:\n  - title: Overview\n    file: overview.md\n"
        "tasks:\n  - index: 0\n    name: test\n    description: the test set\n    reference_data: reference_data.zip\n"
        "    scoring_program: scoring_program.zip\n"
        "phases:\n  - index: 0\n    name: Test\n    description: the test set\n    start: 2026-01-01\n"
        "    accepts_only_result_submissions: true\n    tasks:\n      - 0\n"
        f"leaderboards:\n  - index: 0\n    title: Results\n    key: results\n    columns:\n{columns}"
    )
    program = {
        "metadata.yaml": b"command: python3 /app/program/score.py /app/input /app/output\n",
        "score.py": (_READ + _CODABENCH).encode(),
    }
    return {
        "competition.yaml": competition.encode(), "logo.png": _logo(), "terms.md": b"The organisers' terms.\n",
        "overview.md": _readme(task, "codabench"), "Dockerfile": _DOCKERFILE.encode(),
        "scoring_program.zip": _zipped(program), "reference_data.zip": _zipped(task.reference()),
    }  # fmt: skip


def _tira(task: _Task) -> dict[str, bytes]:
    """docs.tira.io: an evaluator in a container, which reads input and truth and writes evaluation.prototext."""
    command = "python3 /evaluator/evaluate.py --input $inputRun --truth $inputDataset --output $outputDir"
    dockerfile = f"{_DOCKERFILE}COPY evaluate.py /evaluator/evaluate.py\n# command: {command}\n"
    return {
        "Dockerfile": dockerfile.encode(), "evaluate.py": (_READ + _TIRA).encode(), "README.md": _readme(task, "tira"),
        **{f"truth/{name}": content for name, content in task.reference().items()},
    }  # fmt: skip


#: platform → the files of its bundle
PLATFORMS: Final[Mapping[str, Callable[[_Task], dict[str, bytes]]]] = {
    "codabench": _codabench,
    "tira": _tira,
}


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _readme(task: _Task, platform: str) -> bytes:
    measures = ", ".join(task.measures)
    return (
        f"{task.title}\n\nMeasures: {measures}; the first one ranks. Upload the files of one run: a file, or a zip.\n"
        f"Made by coliee-ir {__version__} (`coliee-ir bundle {platform}`).\n"
    ).encode()


def _logo() -> bytes:
    """A grey square of 64 pixels, which the platforms want and the organisers replace."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    rows = (b"\0" + b"\x80" * 64) * 64
    header = struct.pack(">IIBBBBB", 64, 64, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b"")
