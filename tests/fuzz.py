"""Differential fuzzing: files are broken at random and read in every way there is, which must all give the same.

``python tests/fuzz.py --minutes 2`` (``make fuzz``) takes the example files and the corpus of foreign_forms.py, changes
lines, fields, bytes, words, encodings, separators, line ends and brackets, and compares for each pair of gold and run

- the plain reading with: the careful reader, small blocks, the parts of several processes, compressed, standard input,
  data frames, the command line, the run converted to TREC's format: scores, remarks and errors (kind, problem, line);
- every command with what it promises: no exception, no exit code but 0, 1 and 2, nothing printed before an error.

A case depends on the seed and its number only. Each new finding is reduced to a few lines and printed with the command
that repeats it. ``test_fuzz.py`` runs a short session of a fixed seed.
"""

from __future__ import annotations

import argparse
import bz2
import contextlib
import gzip
import io
import json
import lzma
import random
import re
import resource
import shutil
import signal
import sys
import tempfile
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from time import process_time
from types import FrameType, SimpleNamespace
from typing import Any, Final, NamedTuple
from unittest import mock

from foreign_forms import ALL, File

import coliee_ir.examples
from coliee_adapters import columns, trec
from coliee_adapters.errors import ColieeError, InputError
from coliee_adapters.records import Run, normal_id
from coliee_ir import Evaluator, Scores, convert, evaluate
from coliee_ir.cli import main as coliee_ir_main
from coliee_ir.judging import workers
from coliee_ir.scoring.reading import find_task, opened, read_gold, read_run

EXAMPLES: Final = Path(coliee_ir.examples.__file__).parent

#: gold, runs, task
PAIRS: Final = (
    ("task1/gold.json", ("task1/bm25.txt", "task1/dense.txt", "task1/rerank.json"), "1"),
    ("task2/gold.json", ("task2/mono.txt", "task2/rules.csv"), "2"),
    ("task3/gold.xml", ("task3/task3.ALPHA", "task3/task3.BETA"), "3"),
    ("task3-2025/gold.xml", ("task3-2025/task3.ALPHA", "task3-2025/task3-L.ALPHA"), "3"),
    ("task4/gold.xml", ("task4/ALPHA.txt", "task4/BETA.txt"), "4"),
    ("task5/gold.txt", ("task5/ALPHA.txt", "task5/MAJORITY.txt"), "5"),
    ("tort/gold.jsonl", ("tort/ALPHA.jsonl", "tort/BETA.jsonl"), "tort"),
    ("tort/gold.jsonl", ("tort/ALPHA.jsonl", "tort/BETA.jsonl"), "rationale"),
    ("trec/qrels.txt", ("trec/bm25.run", "trec/dense.run"), "trec"),
)

#: ending → what compresses
COMPRESSED: Final[dict[str, Callable[[bytes], bytes]]] = {
    ".gz": lambda data: gzip.compress(data, 1, mtime=0),
    ".bz2": bz2.compress,
    ".xz": lambda data: lzma.compress(data, preset=0),
}
with contextlib.suppress(ImportError):
    from backports import zstd

    COMPRESSED[".zst"] = zstd.compress
with contextlib.suppress(ImportError):
    import lz4.frame

    COMPRESSED[".lz4"] = lz4.frame.compress

#: what is scored beside the official measures, where the task is one of documents
MEASURES: Final = ("map", "RR", "ndcg", "P_5", "MicroF1", "MicroF1@2", "MacroF2")

#: CPU seconds after which a call is a finding; the slowest takes about one
PATIENCE: Final = 20.0


# ── Cases ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass
class Case:
    """A gold and a run, broken or not."""

    gold: bytes
    run: bytes
    endings: tuple[str, str]
    task: str | None
    other: bytes
    name: str
    steps: list[str] = field(default_factory=list)

    @property
    def measures(self) -> tuple[str, ...]:
        return MEASURES if self.task in ("1", "2", "3", "trec") else ()


Mutator = Callable[[bytes, random.Random], bytes]
MUTATORS: list[Mutator] = []


def mutator(function: Mutator) -> Mutator:
    MUTATORS.append(function)
    return function


def made(seed: int, number: int) -> Case:
    """The case of this number."""
    chance = random.Random(f"{seed}:{number}")
    case = _seed(chance)
    for _ in range(chance.choice([1, 1, 1, 2, 2, 3, 5])):
        change = chance.choice(MUTATORS)
        side = "gold" if chance.random() < 0.3 else "run"
        setattr(case, side, change(getattr(case, side), chance))
        case.steps.append(f"{change.__name__} of the {side}")
    return case


def _seed(chance: random.Random) -> Case:
    if chance.random() < 0.3:
        of = chance.choice([case for case in ALL if isinstance(case.gold, File) and isinstance(case.run, File)])
        assert isinstance(of.gold, File)
        assert isinstance(of.run, File)
        task = of.truth.task if chance.random() < 0.5 else None
        endings = of.gold.ending, of.run.ending
        return Case(of.gold.content, of.run.content, endings, task, of.run.content, of.name)
    gold, runs, task = chance.choice(PAIRS)
    run = chance.choice(runs)
    content = (EXAMPLES / run).read_bytes()
    if len(content) > 8000 and not run.endswith(".jsonl"):
        content = b"".join(content.splitlines(keepends=True)[: chance.randrange(20, 200)])
    return Case(
        (EXAMPLES / gold).read_bytes(),
        content,
        (Path(gold).suffix, Path(run).suffix),
        task if task == "rationale" or chance.random() < 0.7 else None,
        (EXAMPLES / chance.choice(runs)).read_bytes(),
        f"{gold} {run}",
    )


#: words that have meant trouble somewhere
_WORDS: Final = (
    "", "0", "-0", "1", "-1", "1e400", "1e-400", "1e39", "nan", "inf", "-inf", "0x1p3", "1_0", "１", "+5", ".5", "5.",
    "1,5", "99999999999", "10000", "16777217", "16777216", "Y", "N", "yes", "False", "Q0", "q0", "0", "T", "#", "#x",
    "/*", "*/", "/* x */", ".txt", "a.txt", "a.txt.txt", "\ufeff", "\u3000", "\u00a0x", "\u200b", "\0", "\x1b[31m",
    "\x0b", "\x0c", "::error::x", "=1+1", '"', "''", "{", "}", "[", "]", "null", "true", "{}", "[]", '{"a": 1}',
    "<pair>", "</pair>", "<!--", "&amp;", "&#0;", "条", "é", "e\u0301", "x" * 40, "y" * 300, "query_id",
    "doc_id", "score", "rank", "label", "qid", "id", "R01-1-A", "000018", "18", "018.0", "../x", "a,b", "a;b", "a\tb",
    "2.5.1", "1e3", "TAG x",
)  # fmt: skip

_BYTES: Final = (
    b"\0", b"\r", b"\n", b"\t", b" ", b"\x0b", b"\x0c", b"\x1c", b"\x85", b"\xa0", b"\xff", b"\xfe", b"\xef\xbb\xbf",
    b"\xe3\x80\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"#", b"/*", b"*/", b",", b";", b'"', b"'", b"\\", b"-",
    b".", b"\x1f\x8b", b"\xc3", b"\xe2\x80\xa8",
)  # fmt: skip


def _lines(raw: bytes) -> list[bytes]:
    return raw.split(b"\n")


def _some(lines: list[bytes], chance: random.Random) -> int:
    return chance.randrange(len(lines))


def _word(raw: bytes, chance: random.Random) -> bytes:
    """A word that has meant trouble, or one of the file's own."""
    own = re.findall(rb"[^\s,;\"\[\]{}<>:]+", raw[:20000])
    return chance.choice(own) if own and chance.random() < 0.4 else chance.choice(_WORDS).encode("utf-8")


@mutator
def a_line_less(raw: bytes, chance: random.Random) -> bytes:
    lines = _lines(raw)
    del lines[_some(lines, chance)]
    return b"\n".join(lines)


@mutator
def a_line_twice(raw: bytes, chance: random.Random) -> bytes:
    lines = _lines(raw)
    lines.insert(_some(lines, chance), chance.choice(lines))
    return b"\n".join(lines)


@mutator
def lines_swapped(raw: bytes, chance: random.Random) -> bytes:
    lines = _lines(raw)
    one, other = _some(lines, chance), _some(lines, chance)
    lines[one], lines[other] = lines[other], lines[one]
    return b"\n".join(lines)


@mutator
def lines_shuffled(raw: bytes, chance: random.Random) -> bytes:
    lines = _lines(raw)
    chance.shuffle(lines)
    return b"\n".join(lines)


@mutator
def lines_reversed(raw: bytes, chance: random.Random) -> bytes:
    return b"\n".join(reversed(_lines(raw)))


@mutator
def cut_short(raw: bytes, chance: random.Random) -> bytes:
    return raw[: chance.randrange(len(raw) + 1)]


@mutator
def begun_late(raw: bytes, chance: random.Random) -> bytes:
    return raw[chance.randrange(min(len(raw), 200) + 1) :]


@mutator
def a_line_of_another_file(raw: bytes, chance: random.Random) -> bytes:
    pair = chance.choice(PAIRS)
    other = _lines((EXAMPLES / chance.choice((pair[0], *pair[1]))).read_bytes())
    lines = _lines(raw)
    lines.insert(_some(lines, chance), chance.choice(other))
    return b"\n".join(lines)


@mutator
def a_field_changed(raw: bytes, chance: random.Random) -> bytes:
    """One field of one line, or the same field of every line: taken away, put twice, swapped, or another word."""
    at = chance.randrange(7)
    ways: Sequence[Callable[[list[bytes]], object]] = (
        lambda fields: fields.pop(at % len(fields)),
        lambda fields: fields.insert(at % len(fields), fields[at % len(fields)]),
        lambda fields: fields.reverse(),
        lambda fields: fields.__setitem__(at % len(fields), word),
        lambda fields: fields.insert(at % (len(fields) + 1), word),
    )
    word, way = _word(raw, chance), chance.choice(ways)
    lines = _lines(raw)
    every, one = chance.random() < 0.3, _some(lines, chance)
    for number, line in enumerate(lines):
        if line.strip() and (every or number == one):
            separator = next((mark for mark in (b"\t", b" ", b",", b";") if mark in line), b" ")
            fields = line.split(separator)
            way(fields)
            lines[number] = separator.join(fields)
    return b"\n".join(lines)


@mutator
def a_word_replaced(raw: bytes, chance: random.Random) -> bytes:
    words = re.findall(rb"[^\s,;\"\[\]{}<>:]+", raw)
    if not words:
        return raw
    old, new = chance.choice(words), _word(raw, chance)
    if chance.random() < 0.5:
        return raw.replace(old, new)
    places = [match.start() for match in re.finditer(re.escape(old), raw)]
    at = chance.choice(places)
    return raw[:at] + new + raw[at + len(old) :]


@mutator
def a_byte_changed(raw: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(raw) + 1)
    end = min(len(raw), at + chance.choice([0, 0, 1, 1, 2, 9]))
    return raw[:at] + (chance.choice(_BYTES) if chance.random() < 0.8 else b"") + raw[end:]


@mutator
def a_bit_flipped(raw: bytes, chance: random.Random) -> bytes:
    changed = bytearray(raw)
    for _ in range(chance.choice([1, 1, 3]) if raw else 0):
        changed[chance.randrange(len(raw))] ^= 1 << chance.randrange(8)
    return bytes(changed)


@mutator
def an_encoding(raw: bytes, chance: random.Random) -> bytes:
    text = raw.decode("utf-8", errors="replace")
    if chance.random() < 0.5:
        text = text.replace(chance.choice(["0", "1", "R", "d"]), chance.choice(["é", "条", "０"]), 1)
    codec = chance.choice(["utf-16", "utf-16-le", "utf-8-sig", "shift_jis", "latin-1", "utf-7"])
    return text.encode(codec, errors="replace")


@mutator
def byte_order_marks(raw: bytes, chance: random.Random) -> bytes:
    mark = b"\xef\xbb\xbf"
    if chance.random() < 0.5:
        return mark * chance.choice([1, 2, 3]) + raw
    lines = _lines(raw)
    at = _some(lines, chance)
    lines[at] = mark + lines[at]
    return b"\n".join(lines)


@mutator
def another_separator(raw: bytes, chance: random.Random) -> bytes:
    old = chance.choice([b" ", b"\t", b","])
    new = chance.choice([b"\t", b",", b";", b"  ", b" \t ", b", ", b" ,", "\u3000".encode(), "\u00a0".encode(), b"|"])
    if chance.random() < 0.5:
        return raw.replace(old, new)
    lines = _lines(raw)
    at = _some(lines, chance)
    lines[at] = lines[at].replace(old, new)
    return b"\n".join(lines)


@mutator
def blanks_around(raw: bytes, chance: random.Random) -> bytes:
    blank = chance.choice([b" ", b"\t", b"  ", b"\x0b", b"\xc2\xa0", b" " * 1000])
    lines = _lines(raw)
    every, one = chance.random() < 0.4, _some(lines, chance)
    for number, line in enumerate(lines):
        if every or number == one:
            lines[number] = blank + line if chance.random() < 0.5 else line + blank
    return b"\n".join(lines)


@mutator
def other_line_ends(raw: bytes, chance: random.Random) -> bytes:
    end = chance.choice([b"\r\n", b"\r", b"\n\n", b"\n \n", b"\r\r\n", b"\x0b\n", b"\n\r"])
    if chance.random() < 0.5:
        return raw.replace(b"\n", end)
    at = [match.start() for match in re.finditer(rb"\n", raw)]
    place = chance.choice(at) if at else len(raw)
    return raw[:place] + end + raw[place + 1 :]


@mutator
def no_last_line_end(raw: bytes, chance: random.Random) -> bytes:
    return raw.rstrip(b"\n") + chance.choice([b"", b" ", b"\r", b"\n\n\n", b"\x1a"])


@mutator
def a_comment(raw: bytes, chance: random.Random) -> bytes:
    lines = _lines(raw)
    new = chance.choice(
        [b"# a", b" # a b c", b"/* a */", b"/* a", b"a */", b"/* a */ x", b"/*", b"*/", b"#", b"//", b"%"]
    )
    lines.insert(_some(lines, chance), new)
    if chance.random() < 0.4:
        lines.insert(_some(lines, chance), chance.choice([b"*/", b"b */ q1 Q0 d 1 1 t", b"/* x */"]))
    return b"\n".join(lines)


@mutator
def a_header(raw: bytes, chance: random.Random) -> bytes:
    names = ["query_id", "doc_id", "score", "rank", "label", "qid", "docno", "prediction", "Q0", "tag", "id", "x"]
    width = chance.choice([2, 3, 4, 5, 6])
    return chance.choice([" ", "\t", ",", ";"]).join(chance.sample(names, width)).encode() + b"\n" + raw


@mutator
def a_tag_of_two_words(raw: bytes, chance: random.Random) -> bytes:
    lines = _lines(raw)
    stop = chance.choice([1, len(lines), _some(lines, chance) + 1])
    return b"\n".join(line + b" CLEAN" if line and at < stop else line for at, line in enumerate(lines))


@mutator
def equal_scores(raw: bytes, chance: random.Random) -> bytes:
    digits = chance.choice([0, 1])
    return re.sub(rb"(?<=[ \t,])(-?[0-9]+)\.([0-9]+)(?=[ \t,\n])", rb"\1" if digits == 0 else rb"\1.5", raw)


@mutator
def brackets(raw: bytes, chance: random.Random) -> bytes:
    """What JSON and XML are made of, moved about."""
    marks = [match.span() for match in re.finditer(rb'[\[\]{}<>",:]|</?\w+', raw)]
    if not marks:
        return raw
    (first, last), other = chance.choice(marks), chance.choice(marks)
    new = chance.choice(
        [b"", raw[other[0] : other[1]], b"[" * 50, b"null", b"[[]]", b'{"x": ', b'"a", ', b"<t1>", b"-991"]
    )
    return raw[:first] + new + raw[last:]


@mutator
def twice_over(raw: bytes, chance: random.Random) -> bytes:
    return raw + raw


@mutator
def nothing_left(raw: bytes, chance: random.Random) -> bytes:
    return chance.choice(
        [b"", b"\n", b" ", b"\xef\xbb\xbf", b"\0", b"{}", b"[]", b"#\n", b"\xef\xbb\xbf\xef\xbb\xbf\n"]
    )


# ── Ways to read ──────────────────────────────────────────────────────────────────────────────────────────────────


class Put(NamedTuple):
    """A case in files."""

    case: Case
    folder: Path

    @property
    def gold(self) -> Path:
        return self.folder / "plain" / f"gold{self.case.endings[0]}"

    @property
    def run(self) -> Path:
        return self.folder / "plain" / f"run{self.case.endings[1]}"

    def packed(self, path: Path, ending: str) -> Path:
        """The same content, compressed."""
        packed = self.folder / "packed" / f"{path.name}{ending}"
        packed.write_bytes(COMPRESSED[ending](path.read_bytes()))
        return packed


def put(case: Case, folder: Path) -> Put:
    for name in ("plain", "packed", "out", "all"):
        shutil.rmtree(folder / name, ignore_errors=True)
        (folder / name).mkdir()
    files = Put(case, folder)
    files.gold.write_bytes(case.gold)
    files.run.write_bytes(case.run)
    (folder / "plain" / "other.txt").write_bytes(case.other)
    return files


class Outcome(NamedTuple):
    """What came of reading and scoring: numbers and remarks, or an error; all comparable."""

    tag: str = ""
    task: str = ""
    numbers: str = ""
    remarks: tuple[str, ...] = ()
    error: tuple[str, str, int | None] | None = None


class CrashError(Exception):
    """Something other than a result or a ColieeError came out of the product."""


def outcome(files: Put, scored: Callable[[], Scores]) -> Outcome:
    with guarded():
        try:
            scores = scored()
        except ColieeError as error:
            return Outcome(error=fault(files, error))
    values = scores.measures, scores.per_query, scores.counts, scores.queries
    return Outcome(scores.tag, scores.task, repr(values), tuple(neutral(files, text) for text in scores.remarks))


def fault(files: Put, error: ColieeError) -> tuple[str, str, int | None]:
    text = error.problem if isinstance(error, InputError) else str(error)
    return type(error).__name__, neutral(files, text), getattr(error, "line", None)


def neutral(files: Put, text: str) -> str:
    """A message without the paths of this way of reading."""
    for path, name in ((files.gold, "GOLD"), (files.run, "RUN")):
        packed = re.escape(f"{files.folder}/packed/{path.name}") + r"\.(?:gz|bz2|xz|zst|lz4)"
        text = re.sub(packed, name, text).replace(str(path), name)
    return text


@contextlib.contextmanager
def guarded() -> Iterator[None]:
    """Whatever is not a ColieeError becomes a CrashError, and so does a warning, or a call that takes too long."""

    def too_long(number: int, at: FrameType | None) -> None:
        raise CrashError(f"more than {PATIENCE:.0f} CPU seconds, at {''.join(traceback.format_stack(at)[-1:]).strip()}")

    before = signal.signal(signal.SIGPROF, too_long)
    signal.setitimer(signal.ITIMER_PROF, PATIENCE)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            yield
    except (ColieeError, CrashError, SystemExit):
        raise
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        place = traceback.extract_tb(error.__traceback__)[-1]
        within = [at for at in traceback.extract_tb(error.__traceback__) if "/coliee_" in at.filename] or [place]
        where = f"{Path(within[-1].filename).name}:{within[-1].lineno} {within[-1].name}"
        raise CrashError(f"{type(error).__name__}: {error}"[:200] + f" at {where}") from error
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def plainly(files: Put) -> Scores:
    return evaluate(files.gold, files.run, task=files.case.task, measures=files.case.measures)


def with_jobs(files: Put, jobs: int) -> Scores:
    """As several processes read it, one part after the other in this one."""
    run = opened(files.run)
    gold = read_gold(files.gold, task=files.case.task)
    evaluator = Evaluator(gold, files.case.measures, task=files.case.task or find_task(gold, run).task)
    here = workers.results
    with mock.patch.object(workers, "results", lambda tasks, _: here(tasks, 1)):
        return evaluator.evaluate(run, jobs=jobs)


@contextlib.contextmanager
def carefully() -> Iterator[None]:
    """Without the readers of regular files."""
    with (
        mock.patch.object(columns._Reader, "_regular", lambda self, raw: None),
        mock.patch.object(trec, "_regular", lambda text, rule: None),
    ):
        yield


def from_stdin(files: Put, side: str) -> Scores:
    content = files.run.read_bytes() if side == "run" else files.gold.read_bytes()
    gold: object = "-" if side == "gold" else files.gold
    run: object = "-" if side == "run" else files.run
    with mock.patch.object(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(content))):
        return evaluate(gold, run, task=files.case.task, measures=files.case.measures)


class NotExpressibleError(Exception):
    """There is no such thing in this form."""


def from_frames(files: Put, library: str, task: str) -> Scores:
    """The run, and if it can be held by one the gold, as data frames."""
    gold = read_gold(files.gold, task=task)
    run = read_run(files.run, task=task)
    if not isinstance(run, Run) or gold.qrels is None or task == "rationale":
        raise NotExpressibleError
    rows: list[tuple[object, ...]] = []
    for block in run.blocks():
        for query, first, last in block.segments():
            documents = list(block.documents[first:last])
            scores = list(block.scores[first:last]) if block.scores is not None else []
            rows += zip([query] * len(documents), documents, *([map(float, scores)] if scores else []), strict=True)
    ids = {str(text) for row in rows for text in row[:2]}
    if not rows or any(normal_id(text) != text or not text for text in ids) or len({len(row) for row in rows}) > 1:
        raise NotExpressibleError
    held: object = gold
    if gold.labels is None and all(gold.qrels.values()):
        held = frame(library, "relevance", [(q, d, n) for q, judged in gold.qrels.items() for d, n in judged.items()])
    return evaluate(held, frame(library, "score", rows), task=task, measures=files.case.measures)


def frame(library: str, value: str, rows: list[tuple[Any, ...]]) -> object:
    names = ["query_id", "doc_id", value][: len(rows[0])]
    if library == "pandas":
        import pandas

        return pandas.DataFrame(rows, columns=names)
    import polars

    return polars.DataFrame(rows, schema=names, orient="row", infer_schema_length=None)


class Printed(NamedTuple):
    """What a command did."""

    code: int
    out: str
    err: str


def typed(*arguments: object, stdin: bytes = b"") -> Printed:
    """Run a command in this process."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    source = SimpleNamespace(buffer=io.BytesIO(stdin))
    with (
        guarded(),
        mock.patch.object(sys, "stdin", source),
        contextlib.redirect_stderr(err),
        contextlib.redirect_stdout(out),
    ):
        try:
            code = coliee_ir_main([str(argument) for argument in arguments])
        except SystemExit as stop:  # argparse
            code = stop.code if isinstance(stop.code, int) else 2
        sys.stdout.flush()
        sys.stderr.flush()
    texts = [stream.buffer.getvalue().decode("utf-8", errors="replace") for stream in (out, err)]  # type: ignore[attr-defined]
    return Printed(code, *texts)


#: remarks about a file, which a frame cannot give rise to
_OF_FILES: Final = re.compile(r"tag|rank|comment|gold|byte order|written Y or N|stand together|grouped|columns?\b")


# ── Checks ────────────────────────────────────────────────────────────────────────────────────────────────────────

#: gives what is wrong, or None
Check = Callable[[Put, random.Random, Outcome], str | None]
CHECKS: dict[str, Check] = {}


def check(name: str) -> Callable[[Check], Check]:
    def kept(function: Check) -> Check:
        CHECKS[name] = function
        return function

    return kept


def differing(one: Outcome, other: Outcome, *but: str) -> str | None:
    """How two outcomes differ, apart from some of their fields."""
    if (one.error is None) != (other.error is None):
        return f"only one fails: {one.error} and {other.error}"
    if one.error is not None and other.error is not None:
        return None if same_fault(one.error, other.error) else f"errors: {one.error} and {other.error}"
    for name in ("task", "numbers", "remarks", "tag"):
        mine, theirs = getattr(one, name), getattr(other, name)
        if name not in but and mine != theirs:
            if name == "remarks":
                mine, theirs = sorted({*mine} - {*theirs}), sorted({*theirs} - {*mine})
            return f"{name}: {mine!s:.300} and {theirs!s:.300}"
    return None


def same_fault(one: tuple[str, str, int | None], other: tuple[str, str, int | None]) -> bool:
    """Whether two errors are one; of a block's faults, those of its bytes are found before those of its lines."""
    if one == other:
        return True
    of_bytes = ("these bytes are not UTF-8", "a NUL character")
    return one[0] == other[0] and any(text.startswith(of_bytes) for text in (one[1], other[1]))


@check("careful reader")
def _careful(files: Put, chance: random.Random, plain: Outcome) -> str | None:
    with carefully():
        return differing(plain, outcome(files, lambda: plainly(files)))


@check("small blocks")
def _blocks(files: Put, chance: random.Random, plain: Outcome) -> str | None:
    for size in (chance.randrange(3, 40), chance.randrange(40, 1000)):  # a byte order mark is seen in one piece
        with mock.patch.object(columns, "_SIZES", (size, 0)):
            if said := differing(plain, outcome(files, lambda: plainly(files))):
                return f"blocks of {size} bytes: {said}"
            with carefully():
                if said := differing(plain, outcome(files, lambda: plainly(files))):
                    return f"blocks of {size} bytes, read with care: {said}"
    return None


@check("parts")
def _parts(files: Put, chance: random.Random, plain: Outcome) -> str | None:
    for jobs in (2, 3, 7):
        if said := differing(plain, outcome(files, lambda jobs=jobs: with_jobs(files, jobs))):  # type: ignore[misc]
            return f"{jobs} parts: {said}"
    with mock.patch.object(columns, "_SIZES", (97, 0)):
        return differing(plain, outcome(files, lambda: with_jobs(files, 3)))


@check("compressed")
def _packed(files: Put, chance: random.Random, plain: Outcome) -> str | None:
    if any(data[:2] in (b"\x1f\x8b", b"PA") for data in (files.case.gold, files.case.run)):
        return None
    ending = chance.choice([*COMPRESSED])
    gold, run = files.packed(files.gold, ending), files.packed(files.run, ending)
    task, measures = files.case.task, files.case.measures
    return differing(plain, outcome(files, lambda: evaluate(gold, run, task=task, measures=measures)))


@check("damaged data")
def _damaged(files: Put, chance: random.Random, plain: Outcome) -> str | None:
    """Compressed and Parquet data that some bytes were changed in, or that end early: scores or a sentence."""
    kinds = {**{ending: packed(files.case.run) for ending, packed in COMPRESSED.items()}, ".parquet": _in_parquet()}
    ending = chance.choice([*kinds])
    data = bytearray(kinds[ending])
    for _ in range(chance.randint(1, 3)):
        data[chance.randrange(len(data))] = chance.randrange(256)
    damaged = files.folder / "packed" / f"{files.run.name}{ending}"
    damaged.write_bytes(data[: chance.choice([len(data), chance.randrange(len(data))])])
    gold, task = (EXAMPLES / "trec/qrels.txt", "trec") if ending == ".parquet" else (files.gold, files.case.task)
    outcome(files, lambda: evaluate(gold, damaged, task=task))
    return None


@cache
def _in_parquet() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        convert(EXAMPLES / "trec/bm25.run", Path(folder, "run.parquet"))
        return Path(folder, "run.parquet").read_bytes()


@check("standard input")
def _stdin(files: Put, chance: random.Random, plain: Outcome) -> str | None:
    for side in ("gold", "run"):
        found = outcome(files, lambda side=side: from_stdin(files, side))  # type: ignore[misc]
        name = {"gold": "GOLD", "run": "RUN"}[side]
        found = found._replace(
            remarks=tuple(text.replace("<stdin>", name) for text in found.remarks),
            error=found.error and (found.error[0], found.error[1].replace("<stdin>", name), found.error[2]),
        )
        if said := differing(plain, found, "tag"):
            return f"{side}: {said}"
    return None


@check("frames")
def _frames(files: Put, chance: random.Random, plain: Outcome) -> str | None:
    if plain.error is not None:
        return None
    for library in ("pandas", "polars"):
        try:
            found = outcome(files, lambda library=library: from_frames(files, library, plain.task))  # type: ignore[misc]
        except CrashError as crash:
            if isinstance(crash.__cause__, NotExpressibleError):
                return None
            raise
        kept = [
            one._replace(remarks=tuple(_without_examples(text) for text in one.remarks if not _OF_FILES.search(text)))
            for one in (plain, found)
        ]
        if said := differing(*kept, "tag"):
            return f"{library}: {said}"
    return None


def _without_examples(remark: str) -> str:
    """The remark itself; which examples come first depends on how the rows of a frame are grouped."""
    return remark.partition(" (first: ")[0]


@check("command line")
def _typed(files: Put, chance: random.Random, plain: Outcome) -> str | None:
    done = typed(
        "evaluate",
        files.gold,
        files.run,
        "-f",
        "json",
        *_task(files),
        *(word for name in files.case.measures for word in ("-m", name)),
    )
    if said := broken(done):
        return said
    if plain.error is not None:
        if done.code == 2 and (
            plain.error[1][:30] in neutral(files, done.err).replace("\\n", "\n") or gold_fails(files)
        ):
            return None
        return f"exit code {done.code} and {done.err[-200:]!r} for {plain.error}"
    if done.code != 0:
        return f"exit code {done.code}: {done.err[-200:]!r}"
    (run,) = json.loads(done.out)["runs"]
    remarks = tuple(neutral(files, text) for text in run["remarks"])
    return None if remarks == plain.remarks else f"remarks {remarks!s:.300} for {plain.remarks!s:.300}"


def gold_fails(files: Put) -> bool:
    """Whether the gold alone cannot be read: of two broken files the command line names the gold, Python the run."""
    try:
        read_gold(files.gold, task=files.case.task)
    except ColieeError:
        return True
    return False


@check("converted")
def _converted(files: Put, chance: random.Random, plain: Outcome) -> str | None:
    """A run that was converted to TREC's format has the scores that it had."""
    target = files.folder / "out" / "run.trec"
    done = typed("convert", files.run, target, "--to", "trec")
    if said := broken(done):
        return said
    if plain.error is not None or done.code or files.case.task in ("4", "5", "tort", "rationale"):
        return None
    if plain.task not in ("1", "2", "3", "trec"):
        return None
    task, measures = plain.task, files.case.measures
    found = outcome(files, lambda: evaluate(files.gold, target, task=task, measures=measures))
    return differing(plain, found, "remarks", "tag")


def broken(done: Printed, *, result: bool = True) -> str | None:
    """What a command did that none does: another exit code, a traceback, a result before an error."""
    if done.code not in (0, 1, 2):
        return f"exit code {done.code}"
    if "Traceback (most" in done.err + done.out:
        return f"a traceback: {done.err[-300:]}"
    if done.code == 2 and not done.err.strip():
        return "exit code 2 and no sentence"
    if result and done.code == 2 and done.out:
        return f"exit code 2 after a result: {done.out[:100]!r} and {done.err[-200:]!r}"
    return None


def _task(files: Put) -> tuple[str, ...]:
    return ("--task", files.case.task) if files.case.task else ()


@check("validate")
def _validate(files: Put, chance: random.Random, plain: Outcome) -> str | None:
    task = () if files.case.task == "trec" else _task(files)
    known = chance.choice([(), ("--gold", files.gold), ("--queries", files.gold)])
    form = chance.choice(["table", "json", "github"])
    if said := broken(typed("validate", files.run, *task, *known, "-f", form), result=False):
        return said
    with carefully(), mock.patch.object(columns, "_SIZES", (chance.randrange(3, 1000), 0)):
        first, second = (typed("validate", files.run, *task, *known, "-f", "json") for _ in range(2))
    whole = typed("validate", files.run, *task, *known, "-f", "json")
    if not first == second == whole:
        return "the findings depend on how the file is read"
    mended = files.folder / "out" / "mended.txt"
    if said := broken(typed("validate", files.run, *task, *known, "--fix", mended), result=False):
        return said
    return broken(typed("validate", mended, *task, *known), result=False) if mended.exists() else None


@check("convert")
def _convert(files: Put, chance: random.Random, plain: Outcome) -> str | None:
    for path in (files.gold, files.run):
        form = chance.choice(["qrels", "json", "labels", "trec", "columns", "tort"])
        target = chance.choice(["-", files.folder / "out" / "converted.txt"])
        more = chance.choice([(), ("--to", form), ("--tag", "X"), ("--to", form, "--template", files.gold)])
        if said := broken(typed("convert", path, target, *more)):
            return said
    return None


@check("compare")
def _compare(files: Put, chance: random.Random, plain: Outcome) -> str | None:
    test = chance.choice(["randomisation", "bootstrap", "mcnemar"])
    form = chance.choice(["table", "json", "csv", "markdown", "latex"])
    other = files.folder / "plain" / "other.txt"
    keep = chance.choice([(), ("--keep-going",)])
    done = typed(
        "compare", files.gold, files.run, other, *_task(files), "--resamples", 50, "--test", test, "-f", form, *keep
    )
    return broken(done, result=not keep)


@check("leaderboard")
def _leaderboard(files: Put, chance: random.Random, plain: Outcome) -> str | None:
    folder = files.folder / "all"
    for name, source in (("A", files.run), ("B", files.folder / "plain" / "other.txt")):
        (folder / name).mkdir()
        shutil.copy(source, folder / name / f"sent{files.case.endings[1]}")
    form = chance.choice(["table", "json", "csv", "markdown", "latex"])
    more = chance.choice(
        [(), ("--best",), ("--table", "invalid"), ("--table", "questions"), ("--tables", folder / "T")]
    )
    done = typed("leaderboard", files.gold, folder, *_task(files), "--resamples", 50, "-f", form, *more)
    return broken(done, result=False)  # it ranks the others, and ends with 2 for the broken one


@check("tune and cut")
def _tune(files: Put, chance: random.Random, plain: Outcome) -> str | None:
    rule = files.folder / "out" / "rule.json"
    by = chance.choice(["k", "score", "ratio", "margin", "minmax", "z", "softmax", "mass", "gap"])
    target = chance.choice(["-", files.folder / "out" / "cut.txt"])
    done = typed(
        "tune", files.gold, files.run, *_task(files), "--by", by, "--folds", 2, "--save-rule", rule,
        "--apply", files.run, "-o", target, "--tag", "X",
    )  # fmt: skip
    if said := broken(done):
        return said
    if not rule.exists():
        rule.write_text('{"family": "score", "threshold": 0.5}')
    return broken(typed("cut", files.run, "--rule", rule, *chance.choice([(), _task(files)])))


@check("fuse")
def _fuse(files: Put, chance: random.Random, plain: Outcome) -> str | None:
    other = files.folder / "plain" / "other.txt"
    method = chance.choice(
        ["rrf", "combsum", "combmnz", "combanz", "combmax", "combmin", "combmed", "union", "intersection", "vote"]
    )
    norm = chance.choice(["min-max", "max", "sum", "zscore", "rank", "borda", "none"])
    target = chance.choice(["-", files.folder / "out" / "fused.txt"])
    more: tuple[object, ...] = chance.choice(
        [
            ("--method", method),
            ("--method", method, "--norm", norm),
            ("--method", method, "--top", 2, *_task(files)),
            ("--fit", files.gold, "--save-weights", files.folder / "out" / "weights.json", "--folds", 2, *_task(files)),
            (),
        ]
    )
    return broken(typed("fuse", files.run, other, "-o", target, *more))


# ── Sessions ──────────────────────────────────────────────────────────────────────────────────────────────────────


class Finding(NamedTuple):
    """What went wrong in a case, as it was found first."""

    check: str
    what: str
    number: int
    case: Case

    @property
    def key(self) -> str:
        """What findings of one cause have in common, mostly."""
        what = re.sub(r"'[^']*'|\"[^\"]*\"|[0-9]+|\b\w*\d\w*\b", "…", self.what)
        return f"{self.check}: {what[:60]}"


def tried(case: Case, folder: Path, seed: str, checks: Iterable[str] = CHECKS) -> Iterator[tuple[str, str]]:
    """The checks that a case fails, and how."""
    files = put(case, folder)
    try:
        plain = outcome(files, lambda: plainly(files))
    except CrashError as crash:
        yield "evaluate", str(crash)
        return
    for name in checks:
        if name == "evaluate":
            continue
        files = put(case, folder)
        try:
            what = CHECKS[name](files, random.Random(f"{seed}:{name}"), plain)
        except CrashError as crash:
            what = str(crash)
        if what is not None:
            yield name, what


@cache
def _tools() -> tuple[str, ...]:
    return tuple(
        name for name in CHECKS if name in ("validate", "convert", "compare", "leaderboard", "tune and cut", "fuse")
    )


def session(seed: int, numbers: Iterable[int], folder: Path, known: set[str] | None = None) -> Iterator[Finding]:
    """Try the cases of these numbers, and give each kind of finding once; of the slow commands, two a case."""
    known = set() if known is None else known
    for number in numbers:
        case = made(seed, number)
        chance = random.Random(f"{seed}:{number}:checks")
        checks = [name for name in CHECKS if name not in _tools()] + chance.sample(_tools(), 2)
        for name, what in tried(case, folder, f"{seed}:{number}", checks):
            finding = Finding(name, what, number, case)
            if finding.key not in known:
                known.add(finding.key)
                yield finding


def reduced(finding: Finding, folder: Path, seed: int, most: int = 120) -> Case:
    """A smaller case that fails in the same way: lines are taken away while it does."""
    case = finding.case
    left = most

    def fails(smaller: Case) -> bool:
        nonlocal left
        left -= 1
        found = tried(smaller, folder, f"{seed}:{finding.number}", [finding.check])
        return any(Finding(*one, finding.number, smaller).key == finding.key for one in found)

    for side in ("run", "gold"):
        size = len(_lines(getattr(case, side))) // 2
        while size and left > 0:
            at = 0
            while at < len(lines := _lines(getattr(case, side))) and left > 0:
                smaller = Case(**{**vars(case), side: b"\n".join(lines[:at] + lines[at + size :])})
                if fails(smaller):
                    case = smaller
                else:
                    at += size
            size //= 2
    return case


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--minutes", type=float, default=2.0, help="of CPU time (default: 2)")
    parser.add_argument("--seed", type=int, help="repeats a session (default: random, and printed)")
    parser.add_argument("--only", type=int, metavar="N", help="only the case of this number")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="write the files of each finding to this folder")
    options = parser.parse_args()
    seed = random.SystemRandom().randrange(10**9) if options.seed is None else options.seed
    print(f"seed {seed}", flush=True)
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))  # a MemoryError here, not elsewhere
    done, found = 0, 0
    start = process_time()

    def numbers() -> Iterator[int]:
        nonlocal done
        while options.only is None and process_time() - start < 60 * options.minutes:
            yield done
            done += 1
        if options.only is not None:
            yield options.only

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for finding in session(seed, numbers(), folder):
            found += 1
            case = reduced(finding, folder, seed) if options.only is None else finding.case
            print(f"\n{found}. {finding.check}: {finding.what}\n   from {case.name}: {', '.join(case.steps)}")
            print(f"   python tests/fuzz.py --seed {seed} --only {finding.number}   task {case.task}")
            for side in ("gold", "run"):
                print(f"   {side}{case.endings[side == 'run']}: {getattr(case, side)!r:.600}", flush=True)
            if options.keep:
                kept = put(case, folder)
                shutil.copytree(kept.folder / "plain", options.keep / f"{seed}-{finding.number}-{found}")
    print(f"\nseed {seed}: {done} cases, {found} findings, {process_time() - start:.0f} CPU seconds")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
