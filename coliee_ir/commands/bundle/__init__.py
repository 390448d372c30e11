"""A pack for Codabench, a platform that shared tasks use, which scores as the command line does.

gold, rules ──pack──▶ files by name ──zipped──▶ a zip that is the same byte for byte each time; in it the wheel of this
package, a Dockerfile that installs it, and a program of a few lines that calls ``score_upload``
"""

from __future__ import annotations

import datetime
import hashlib
import io
import json
import os
import warnings
import zipfile
from base64 import b64decode, urlsafe_b64encode
from collections.abc import Iterable, Mapping
from functools import cache, partial
from importlib import metadata
from pathlib import Path
from typing import Any, Final, NamedTuple

import coliee_adapters
from coliee_adapters.errors import InputError, UsageError
from coliee_adapters.files.source import PathLike, Source
from coliee_ir._version import __version__
from coliee_ir.inbox.grouping import group
from coliee_ir.inbox.inventory import sort_files
from coliee_ir.reading.basis import Basis
from coliee_ir.rules.protocol import has_submissions, submission_rules
from coliee_ir.scoring.evaluator import Evaluator

__all__ = ["Uploaded", "pack", "score_upload"]

#: what a participant is told where the fault is not in the upload
_OURS: Final = "the submission could not be scored; ask the organisers"


class Uploaded(NamedTuple):
    """What came of an upload."""

    scores: dict[str, float]  # measure → value; empty where it could not be scored
    error: str  # why it could not be scored, in a sentence that says nothing of the gold; empty if it was


def score_upload(gold: PathLike, upload: PathLike, rules: Mapping[str, Any]) -> Uploaded:
    """Score what a participant has uploaded: a file, an archive or a folder with the files of one submission."""
    try:
        # a protocol lies beside the gold
        task = os.fspath(Path(gold).parent / _PROTOCOL) if rules["task"] == _PROTOCOL else rules["task"]
        inventory = sort_files([upload], {"task": task, "edition": rules["edition"]})
        if unread := [file.error for file in inventory.scored if file.error is not None]:
            return Uploaded({}, _below(unread[0].for_others, upload))
        evaluator = Evaluator(
            gold,
            runs=[file.source for file in inventory.scored],
            task=task,
            **{name: rules[name] for name in ("edition", "exclude", "decisions")},
        )
        intake = group(inventory, evaluator)
        if intake.invalid:
            return Uploaded({}, _below(intake.invalid[0].reason.for_others, upload))
        if len(intake.submissions) != 1:
            what = "; ".join([str(len(intake.submissions) or "none"), *inventory.remarks()])
            return Uploaded({}, _below(f"one run is expected, and the upload holds {what}", upload))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # platforms show them, and they name documents of the gold
            scored = evaluator.evaluate(intake.submissions[0])
    except (InputError, UsageError) as error:
        return Uploaded({}, _OURS if str(gold) in error.for_others else _below(error.for_others, upload))
    except Exception:  # a traceback, which participants see, could show what the gold holds
        return Uploaded({}, _OURS)
    return Uploaded(dict(scored.measures), "")


def _below(sentence: str, upload: PathLike) -> str:
    """A sentence without the place where the platform has put the upload."""
    place = str(upload).rstrip("/")
    return sentence.replace(f"{place}/", "").replace(place, "the upload")


#: what the protocol file is called in a bundle, beside the gold
_PROTOCOL: Final = "protocol.toml"

#: how many runs a participant may upload where the rules of the task name no number
_MOST_RUNS: Final = 3


_quoted: Final = partial(json.dumps, ensure_ascii=False)


def pack(
    gold: PathLike,
    *,
    task: str | int | None = None,
    edition: str | int | None = None,
    exclude: Iterable[str] = (),
    image: str | None = None,
) -> bytes:
    """A bundle for Codabench, as a zip."""
    if image is None:
        raise UsageError("option-needed", "name the Docker image that you will build from the bundle: --image NAME")
    return pack_for(Evaluator(Source(gold), task=task, edition=edition, exclude=tuple(exclude)), image)


def pack_for(basis: Basis, image: str, name: str = "", deadline: datetime.datetime | None = None) -> bytes:
    """The same for a gold that was read; with what the organisers call the competition, and until when runs come."""
    titled = basis.protocol.titled(None if name else basis.edition)
    title = f"{name}, {titled.removeprefix('COLIEE, ')}" if name else titled
    return _zipped(_codabench(basis, title, image, deadline))


def _reference(basis: Basis) -> dict[str, bytes]:
    """The gold, and by which rules runs are scored against it."""
    gold, own = Source(basis.gold.path), basis.protocol.own_file
    name = f"gold{Path(gold.name).suffix or '.txt'}"
    rules = {
        "task": _PROTOCOL if own else basis.task,
        "edition": basis.edition,
        "exclude": sorted(basis.excluded),
        "decisions": basis.decisions.to_dict(),
        "gold": name,
    }
    return {
        name: gold.raw(),
        **({_PROTOCOL: Path(own).read_bytes()} if own else {}),
        "rules.json": (json.dumps(rules, indent=1) + "\n").encode(),
    }


def _zipped(files: Mapping[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in sorted(files.items()):
            entry = zipfile.ZipInfo(name)  # of 1980: equal contents give equal bytes
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            archive.writestr(entry, content)
    return stream.getvalue()


@cache
def _wheel() -> dict[str, bytes]:
    """The wheel of the package that runs now, made of its own files, by its name."""
    try:
        installed = metadata.distribution("coliee-ir")
    except metadata.PackageNotFoundError:
        raise UsageError("needs-package", "a bundle holds coliee-ir as it is installed; install it with pip") from None
    name = f"coliee_ir-{installed.version}"
    files = {
        path.relative_to(package.parent).as_posix(): path.read_bytes()
        for package in (Path(__file__).parents[2], Path(coliee_adapters.__file__).parent)
        for path in package.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    for about in ("METADATA", "WHEEL", "entry_points.txt", "licenses/LICENSE"):
        files[f"{name}.dist-info/{about}"] = (installed.read_text(about) or "").encode()
    record = "".join(
        f"{path},sha256={urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip('=')},{len(content)}\n"
        for path, content in sorted(files.items())
    )
    files[f"{name}.dist-info/RECORD"] = f"{record}{name}.dist-info/RECORD,,\n".encode()
    return {f"{name}-py3-none-any.whl": _zipped(files)}


_PROGRAM: Final = """import json
import sys
from pathlib import Path

from coliee_ir.commands.bundle import score_upload

source, target = sys.argv[1:3]
reference = Path(source, "ref")
rules = json.loads(Path(reference, "rules.json").read_text(encoding="utf-8"))
scored = score_upload(Path(reference, rules["gold"]), Path(source, "res"), rules)
if scored.error:
    sys.exit(scored.error)
Path(target, "scores.json").write_text(json.dumps(scored.scores), encoding="utf-8")
"""

#: a grey square of 64 pixels, which Codabench wants and the organisers replace
_LOGO: Final = b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAAAAACPAi4CAAAAKUlEQVR42u3MQREAAAwCIKMb3RD77SAA6VEEAoFAIBAIBAKBQCAQfA8G"
    "320AeXC6efoAAAAASUVORK5CYII="
)

#: our package comes from the wheel beside it; only its dependencies come from an index, when the image is built
_DOCKERFILE: Final = """FROM python:3.11-slim
COPY *.whl /tmp/
RUN pip install --no-cache-dir /tmp/*.whl
"""


def _codabench(basis: Basis, title: str, image: str, deadline: datetime.datetime | None) -> dict[str, bytes]:
    """docs.codabench.org: competition.yaml, a scoring program, reference data; scores.json for the leaderboard."""
    columns = "".join(
        f"      - title: {name}\n        key: {_quoted(name)}\n        index: {i}\n        sorting: desc\n"
        f"        precision: 4\n"
        for i, name in enumerate(basis.names)
    )
    stated = submission_rules(basis.task, basis.edition).most_runs if has_submissions(basis.task) else None
    most = stated or _MOST_RUNS
    until = "" if deadline is None else f"{deadline.astimezone(datetime.UTC):%Y-%m-%dT%H:%M:%SZ}"
    year = basis.edition if deadline is None else deadline.year
    about = (
        f"{f'Deadline: {until}. ' * bool(until)}Upload one run, as a file or a zip of its files; each team may send "
        f"{most}. Measures: {', '.join(basis.names)}; the first one ranks. The organisers publish the scores."
    )
    competition = (
        f"version: 2\ntitle: {_quoted(title)}\ndescription: {_quoted(about)}\nimage: logo.png\n"
        f"docker_image: {_quoted(image)}\nterms: terms.md\n"
        "make_programs_available: false\nmake_input_data_available: false\n"
        "pages:\n  - title: Overview\n    file: overview.md\n"
        "tasks:\n  - index: 0\n    name: test\n    description: the test set\n    reference_data: reference_data.zip\n"
        "    scoring_program: scoring_program.zip\n"
        "phases:\n  - index: 0\n    name: Test\n    description: the test set\n"
        f"    start: {f'{year}-01-01' if year else '–'}\n{f'    end: {until}{chr(10)}' if until else ''}"
        f"    max_submissions: {most}\n    max_submissions_per_day: {most}\n"
        "    hide_score_output: true\n    tasks:\n      - 0\n"
        f"leaderboards:\n  - title: Results\n    key: results\n    hidden: true\n    columns:\n{columns}"
    )
    program = {
        "metadata.yaml": b"command: python3 /app/program/score.py /app/input /app/output\n",
        "score.py": _PROGRAM.encode(),
    }
    return {
        "competition.yaml": competition.encode(), "logo.png": _LOGO, "terms.md": b"The organisers' terms.\n",
        "overview.md": f"# {title}\n\n{about}\n".encode(),
        "README.md": _readme(title, image),
        "Dockerfile": _DOCKERFILE.encode(), **_wheel(),
        "scoring_program.zip": _zipped(program), "reference_data.zip": _zipped(_reference(basis)),
    }  # fmt: skip


def _readme(title: str, image: str) -> bytes:
    """What the organisers do with a bundle."""
    return f"""# {title}

Run `docker build -t {image} .` and `docker push {image}`, then upload the whole zip.
Scores are hidden until you show the leaderboard in the editor.
The image holds coliee-ir from the wheel beside this file; building it fetches the dependencies from PyPI.
Nothing is installed when a run is scored.
Made by coliee-ir {__version__}; it holds the gold: keep it private.
""".encode()
