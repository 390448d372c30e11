"""Differential fuzzing: files are broken at random and read in every way there is, which must all give the same.

``make fuzz MINUTES=2`` takes the example files and the corpus of foreign_forms.py, changes
lines, fields, bytes, words, encodings, separators, line ends and brackets, and compares for each pair of gold and run

- the plain reading with: the careful reader, small blocks, the parts of several processes, compressed, in archives, in
  Parquet, standard input, data frames, the command line, the run converted to TREC's format: scores, remarks and errors
  (kind, problem, line);
- every command with what it promises: no exception, no exit code but 0, 1 and 2, nothing printed before an error.

A case depends on the seed and its number only. Each new finding is reduced to a few lines and printed with the command
that repeats it. ``test_fuzz.py`` runs a short session of a fixed seed.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
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
import tarfile
import tempfile
import traceback
import warnings
import zipfile
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from time import process_time
from types import FrameType, SimpleNamespace
from typing import Any, Final, NamedTuple
from unittest import mock

from mutations import EXAMPLES, Case, damaged, lines_of, made

from coliee_adapters.errors import ColieeError, InputError
from coliee_adapters.files.file_kinds import kind_of
from coliee_adapters.forms import columns, trec
from coliee_adapters.records import Run, normal_id
from coliee_ir import Evaluator, Scores, convert, evaluate
from coliee_ir.cli import main as coliee_ir_main
from coliee_ir.judging import workers
from coliee_ir.reading.anything import read_gold, read_run, readable
from coliee_ir.reading.tasks import find_task

#: ending → what compresses
COMPRESSED: Final[dict[str, Callable[[bytes], bytes]]] = {
    ".gz": lambda data: gzip.compress(data, 1, mtime=0),
    ".xz": lambda data: lzma.compress(data, preset=0),
}
with contextlib.suppress(ImportError):
    from backports import zstd

    COMPRESSED[".zst"] = zstd.compress

#: CPU seconds after which a call is a finding; the slowest takes about one
PATIENCE: Final = 20.0


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

    @property
    def other(self) -> Path:
        return self.folder / "plain" / "other.txt"

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
    files.other.write_bytes(case.other)
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
            if isinstance(error.__cause__, Exception):  # what the guard around a submission met
                raise CrashError(f"{error}, from {type(error.__cause__).__name__}") from error.__cause__
            return Outcome(error=fault(files, error))
    values = scores.measures, scores.per_query, scores.counts, scores.queries
    return Outcome(scores.tag, scores.task, repr(values), tuple(neutral(files, text) for text in scores.remarks))


def fault(files: Put, error: ColieeError) -> tuple[str, str, int | None]:
    text = error.problem if isinstance(error, InputError) else str(error)
    return type(error).__name__, neutral(files, text), getattr(error, "line", None)


def neutral(files: Put, text: str) -> str:
    """A message without the paths of this way of reading."""
    for path, name in ((files.gold, "GOLD"), (files.run, "RUN")):
        packed = re.escape(f"{files.folder}/packed/") + f"(?:{name.lower()}\\.(?:zip|tgz)/)?" + re.escape(path.name)
        packed += r"(?:\.(?:gz|xz|zst))?"
        text = re.sub(packed, name, text).replace(str(path), name)
    return text


@contextlib.contextmanager
def guarded() -> Iterator[None]:
    """Whatever is not a ColieeError becomes a CrashError, and so does a warning, or a call that takes too long."""

    def too_long(number: int, frame: FrameType | None) -> None:
        raise CrashError(
            f"more than {PATIENCE:.0f} CPU seconds, at {''.join(traceback.format_stack(frame)[-1:]).strip()}"
        )

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
        within = [row for row in traceback.extract_tb(error.__traceback__) if "/coliee_" in row.filename] or [place]
        where = f"{Path(within[-1].filename).name}:{within[-1].lineno} {within[-1].name}"
        raise CrashError(f"{type(error).__name__}: {error}"[:200] + f" at {where}") from error
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def plainly(files: Put, gold: Any = None, run: Any = None, task: str | None = None) -> Scores:
    """The scores of the case's files, or of others that say the same."""
    return evaluate(gold or files.gold, run or files.run, task=task or files.case.task, measures=files.case.measures)


def with_jobs(files: Put, jobs: int) -> Scores:
    """As several processes read it, one part after the other in this one."""
    run = readable(files.run)
    gold = read_gold(files.gold, task=files.case.task)
    evaluator = Evaluator(gold, files.case.measures, task=files.case.task or find_task(gold, run).task)
    here = workers.results
    with mock.patch.object(workers, "results", lambda tasks, _: here(tasks, 1)):
        return evaluator.evaluate(run, jobs=jobs)


@contextlib.contextmanager
def carefully() -> Iterator[None]:
    """Without the readers of regular files."""
    with (
        mock.patch.object(columns.Reader, "all_at_once", lambda self, raw, **_: None),
        mock.patch.object(trec, "regular_table", lambda raw, width: None),
    ):
        yield


def from_stdin(files: Put, side: str) -> Scores:
    content = files.run.read_bytes() if side == "run" else files.gold.read_bytes()
    gold: object = "-" if side == "gold" else files.gold
    run: object = "-" if side == "run" else files.run
    with mock.patch.object(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(content))):
        return plainly(files, gold, run)


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
    judgements: Any = gold
    if gold.labels is None and all(gold.qrels.values()):
        judgements = frame(
            library, "relevance", [(q, d, n) for q, judged in gold.qrels.items() for d, n in judged.items()]
        )
    return evaluate(judgements, frame(library, "score", rows), task=task, measures=files.case.measures)


def frame(library: str, value: str, rows: list[tuple[Any, ...]]) -> Any:
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
    texts = [stream.buffer.getvalue().decode("utf-8", errors="replace") for stream in (out, err)]
    return Printed(code, *texts)


def command(*arguments: object, result: bool = True) -> Printed:
    """What a command printed that did what every command promises.

    Raises:
        CrashError: another exit code, a traceback, or a result before an error, unless there may be one.
    """
    done = typed(*arguments)
    if done.code not in (0, 1, 2) or "Traceback (most" in done.err + done.out:
        raise CrashError(f"exit code {done.code}: {done.err[-300:]}")
    if done.code == 2 and not done.err.strip():
        raise CrashError("exit code 2 and no sentence")
    if result and done.code == 2 and done.out:
        raise CrashError(f"exit code 2 after a result: {done.out[:100]!r} and {done.err[-200:]!r}")
    return done


#: remarks about a file, which a frame cannot give rise to
_OF_FILES: Final = re.compile(r"tag|rank|comment|gold|byte order|written Y or N|stand together|grouped|columns?\b")


# ── Checks ────────────────────────────────────────────────────────────────────────────────────────────────────────

#: gives what is wrong, what came of another way of reading, or None
Check = Callable[[Put, random.Random, Outcome], str | Outcome | None]
CHECKS: dict[str, Callable[[Put, random.Random, Outcome], str | None]] = {}


def check(name: str, *but: str) -> Callable[[Check], Check]:
    """A check; the outcome of another way of reading is the same, apart from these fields."""

    def registered(function: Check) -> Check:
        def compared(files: Put, chance: random.Random, plain: Outcome) -> str | None:
            what = function(files, chance, plain)
            return differing(plain, what, *but) if isinstance(what, Outcome) else what

        CHECKS[name] = compared
        return function

    return registered


def differing(first: Outcome, second: Outcome, *but: str) -> str | None:
    """How two outcomes differ, apart from some of their fields."""
    if (first.error is None) != (second.error is None):
        return f"only one fails: {first.error} and {second.error}"
    if first.error is not None and second.error is not None:
        return None if same_fault(first.error, second.error) else f"errors: {first.error} and {second.error}"
    for name in ("task", "numbers", "remarks", "tag"):
        mine, theirs = getattr(first, name), getattr(second, name)
        if name not in but and mine != theirs:
            if name == "remarks":
                mine, theirs = sorted({*mine} - {*theirs}), sorted({*theirs} - {*mine})
            return f"{name}: {mine!s:.300} and {theirs!s:.300}"
    return None


def same_fault(first: tuple[str, str, int | None], second: tuple[str, str, int | None]) -> bool:
    """Whether two errors are one; of a block's faults, those of its bytes are found before those of its lines."""
    if first == second:
        return True
    of_bytes = ("these bytes are not UTF-8", "a NUL character")
    return first[0] == second[0] and any(text.startswith(of_bytes) for text in (first[1], second[1]))


@check("careful reader")
def _careful(files: Put, chance: random.Random, plain: Outcome) -> Outcome | None:
    with carefully():
        return outcome(files, lambda: plainly(files))


#: remarks on ids, which are looked for beyond the first block only where that has some
_OF_FIRST_BLOCK: Final = re.compile(
    r"not written as the gold|fewer digits than|only in Unicode form|leading zeros were"
)


def of_any_block(whole: Outcome) -> Outcome:
    return whole._replace(remarks=tuple(text for text in whole.remarks if not _OF_FIRST_BLOCK.search(text)))


@check("small blocks")
def _blocks(files: Put, chance: random.Random, plain: Outcome) -> str | None:
    plain = of_any_block(plain)
    for size in (chance.randrange(3, 40), chance.randrange(40, 1000)):  # a byte order mark is seen in one piece
        for reader in (contextlib.nullcontext(), carefully()):
            with mock.patch.object(columns, "BLOCK_SIZES", (size, 0)), reader:
                if difference := differing(plain, of_any_block(outcome(files, lambda: plainly(files)))):
                    return f"blocks of {size} bytes: {difference}"
    return None


@check("parts")
def _parts(files: Put, chance: random.Random, plain: Outcome) -> str | None:
    plain = of_any_block(plain)
    for jobs in (2, 3, 7):
        if difference := differing(plain, of_any_block(outcome(files, lambda jobs=jobs: with_jobs(files, jobs)))):  # type: ignore[misc]
            return f"{jobs} parts: {difference}"
    with mock.patch.object(columns, "BLOCK_SIZES", (97, 0)):
        return differing(plain, of_any_block(outcome(files, lambda: with_jobs(files, 3))))


def is_packed(files: Put) -> bool:
    """Whether one of them is an archive or the like, which is read from a folder alone."""
    return any(kind_of(content) is not None for content in (files.case.gold, files.case.run))


@check("compressed")
def _packed(files: Put, chance: random.Random, plain: Outcome) -> Outcome | None:
    if is_packed(files):
        return None
    ending = chance.choice([*COMPRESSED])
    gold, run = files.packed(files.gold, ending), files.packed(files.run, ending)
    return outcome(files, lambda: plainly(files, gold, run))


@check("archives")
def _archives(files: Put, chance: random.Random, plain: Outcome) -> Outcome | None:
    """A file in an archive is read as it is outside."""
    packed = [files.folder / "packed" / name for name in ("gold.zip", "run.tgz")]
    with zipfile.ZipFile(packed[0], "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(files.gold, files.gold.name)
    with tarfile.open(packed[1], "w:gz", compresslevel=1) as tarred:
        tarred.add(files.run, files.run.name)
    if is_packed(files):
        return None
    gold, run = (f"{archive}/{path.name}" for archive, path in zip(packed, (files.gold, files.run), strict=True))
    return outcome(files, lambda: plainly(files, gold, run))


@check("Parquet", "remarks", "tag")
def _parquet(files: Put, chance: random.Random, plain: Outcome) -> Outcome | None:
    """Gold and run converted to Parquet have the scores that they had."""
    if plain.error is not None or plain.task not in ("1", "2", "trec", "4", "5"):
        return None
    targets = [files.folder / "out" / name for name in ("gold.parquet", "run.parquet")]
    for path, target in zip((files.gold, files.run), targets, strict=True):
        if command("convert", path, target, "--to", "parquet", "--task", plain.task).code:
            return None
    return outcome(files, lambda: plainly(files, targets[0], targets[1], plain.task))


@check("damaged data")
def _damaged(files: Put, chance: random.Random, plain: Outcome) -> str | None:
    """Damaged archives, compressed and Parquet files stop none of the sound submissions beside them."""
    folder = files.folder / "all"
    for name in ("A.run", "B.run"):
        (folder / name).write_bytes((EXAMPLES / "trec/bm25.run").read_bytes().replace(b"bm25", name[:1].encode()))
    kinds = _packed_run()
    for i in range(4):
        ending = chance.choice([*kinds])
        (folder / f"x{i}{ending}").write_bytes(damaged(kinds[ending], chance))
    verb, *more = chance.choice([("leaderboard", "--resamples", 20), ("evaluate", "-m", "map", "--keep-going")])
    done = command(verb, EXAMPLES / "trec/qrels.txt", folder, "--task", "trec", "-f", "csv", *more, result=False)
    rows = {row["run"]: row["map"] for row in csv.DictReader(io.StringIO(done.out)) if row.get("map")}
    sound = rows.get("A") is not None and rows.get("A") == rows.get("B")
    return None if sound else f"{verb}: {rows}, {done.err[-300:]}"


@cache
def _packed_run() -> dict[str, bytes]:
    """A run in everything that holds one, by ending."""
    run, packed = EXAMPLES / "trec/bm25.run", io.BytesIO()
    with tempfile.TemporaryDirectory() as folder:
        convert(run, Path(folder, "run.parquet"))
        kinds = {".parquet": Path(folder, "run.parquet").read_bytes()}
    kinds |= {ending: compress(run.read_bytes()) for ending, compress in COMPRESSED.items()}
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(run, "c/c.run")
    tarred = io.BytesIO()
    with tarfile.open(fileobj=tarred, mode="w") as archived:
        archived.add(run, "c/c.run")
    return kinds | {".zip": packed.getvalue(), ".tar": tarred.getvalue(), ".tgz": gzip.compress(tarred.getvalue())}


@check("standard input")
def _stdin(files: Put, chance: random.Random, plain: Outcome) -> str | None:
    for side in () if is_packed(files) else ("gold", "run"):
        found = outcome(files, lambda side=side: from_stdin(files, side))  # type: ignore[misc]
        name = {"gold": "GOLD", "run": "RUN"}[side]
        found = found._replace(
            remarks=tuple(text.replace("<stdin>", name) for text in found.remarks),
            error=found.error and (found.error[0], found.error[1].replace("<stdin>", name), found.error[2]),
        )
        if difference := differing(plain, found, "tag"):
            return f"{side}: {difference}"
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
        if difference := differing(_without_files(plain), _without_files(found), "tag"):
            return f"{library}: {difference}"
    return None


def _without_files(whole: Outcome) -> Outcome:
    """Without remarks on files and examples, of which the first depend on how the rows of a frame are grouped."""
    return whole._replace(
        remarks=tuple(text.partition(" (first: ")[0] for text in whole.remarks if not _OF_FILES.search(text))
    )


@check("command line")
def _typed(files: Put, chance: random.Random, plain: Outcome) -> str | None:
    measures = (word for name in files.case.measures for word in ("-m", name))
    done = command("evaluate", files.gold, files.run, "-f", "json", *_task(files), *measures)
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


@check("converted", "remarks", "tag")
def _converted(files: Put, chance: random.Random, plain: Outcome) -> Outcome | None:
    """A run that was converted to TREC's format has the scores that it had."""
    target = files.folder / "out" / "run.trec"
    done = command("convert", files.run, target, "--to", "trec")
    if plain.error is not None or done.code or plain.task not in ("1", "2", "3", "trec"):
        return None
    return outcome(files, lambda: plainly(files, None, target, plain.task))


def _task(files: Put) -> tuple[str, ...]:
    return ("--task", files.case.task) if files.case.task else ()


@check("validate")
def _validate(files: Put, chance: random.Random, plain: Outcome) -> str | None:
    task = () if files.case.task == "trec" else _task(files)
    known = chance.choice([(), ("--gold", files.gold), ("--queries", files.gold)])
    command("validate", files.run, *task, *known, "-f", chance.choice(["table", "json", "github"]), result=False)
    with carefully(), mock.patch.object(columns, "BLOCK_SIZES", (chance.randrange(3, 1000), 0)):
        first, second = (typed("validate", files.run, *task, *known, "-f", "json") for _ in range(2))
    if not first == second == typed("validate", files.run, *task, *known, "-f", "json"):
        return "the findings depend on how the file is read"
    mended = files.folder / "out" / "mended.txt"
    command("validate", files.run, *task, *known, "--fix", mended, result=False)
    if mended.exists():
        command("validate", mended, *task, *known, result=False)
    return None


@check("convert")
def _convert(files: Put, chance: random.Random, plain: Outcome) -> None:
    for path in (files.gold, files.run):
        form = chance.choice(["qrels", "json", "labels", "trec", "columns", "tort"])
        target = chance.choice(["-", files.folder / "out" / "converted.txt"])
        more = chance.choice([(), ("--to", form), ("--tag", "X"), ("--to", form, "--template", files.gold)])
        command("convert", path, target, *more)


FORMS: Final = ("table", "json", "csv", "markdown", "latex")


@check("compare")
def _compare(files: Put, chance: random.Random, plain: Outcome) -> None:
    test, keep = chance.choice(["randomisation", "t"]), chance.choice([(), ("--keep-going",)])
    more = (*_task(files), "--resamples", 50, "--test", test, "-f", chance.choice(FORMS), *keep)
    command("compare", files.gold, files.run, files.other, *more, result=not keep)


@check("leaderboard")
def _leaderboard(files: Put, chance: random.Random, plain: Outcome) -> None:
    folder = files.folder / "all"
    for name, source in (("A", files.run), ("B", files.other)):
        (folder / name).mkdir()
        shutil.copy(source, folder / name / f"sent{files.case.endings[1]}")
    tables = ("--table", "invalid"), ("--table", "questions")
    more = (*_task(files), "--resamples", 50, "-f", chance.choice(FORMS), *chance.choice([(), ("--best",), *tables]))
    command("leaderboard", files.gold, folder, *more, result=False)  # it ends with 2 for the broken one


@check("tune and cut")
def _tune(files: Put, chance: random.Random, plain: Outcome) -> None:
    rule, by = files.folder / "out" / "rule.json", chance.choice(["k", "score", "ratio", "margin"])
    target = chance.choice(["-", files.folder / "out" / "cut.txt"])
    outputs = ("--save", rule, "--apply", files.run, "-o", target, "--tag", "X")
    command("tune", files.gold, files.run, *_task(files), "--by", by, "--folds", 2, *outputs)
    if not rule.exists():
        rule.write_text('{"family": "score", "threshold": 0.5}')
    command("cut", files.run, "--rule", rule, *chance.choice([(), _task(files)]))


@check("fuse")
def _fuse(files: Put, chance: random.Random, plain: Outcome) -> None:
    method = ("--method", chance.choice(["rrf", "combsum", "combmnz", "union", "intersection", "vote"]))
    norm = chance.choice(["min-max", "max", "zscore", "borda", "none"])
    target, weights = chance.choice(["-", files.folder / "out" / "fused.txt"]), files.folder / "out" / "weights.json"
    fitted = ("--fit", files.gold, "--save", weights, "--folds", 2, *_task(files))
    more: tuple[object, ...] = chance.choice(
        [(), method, (*method, "--norm", norm), (*method, "--top", 2, *_task(files)), fitted]
    )
    command("fuse", files.run, files.other, "-o", target, *more)


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


#: of these, which are slow, two a case
_TOOLS: Final = ("damaged data", "validate", "convert", "compare", "leaderboard", "tune and cut", "fuse")


def session(seed: int, numbers: Iterable[int], folder: Path, known: set[str] | None = None) -> Iterator[Finding]:
    """Try the cases of these numbers, and give each kind of finding once."""
    known = set() if known is None else known
    for number in numbers:
        case = made(seed, number)
        chance = random.Random(f"{seed}:{number}:checks")
        checks = [name for name in CHECKS if name not in _TOOLS] + chance.sample(_TOOLS, 2)
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
        findings = tried(smaller, folder, f"{seed}:{finding.number}", [finding.check])
        return any(Finding(name, what, finding.number, smaller).key == finding.key for name, what in findings)

    for side in ("run", "gold"):
        size = len(lines_of(getattr(case, side))) // 2
        while size and left > 0:
            first = 0
            while first < len(lines := lines_of(getattr(case, side))) and left > 0:
                smaller = Case(**{**vars(case), side: b"\n".join(lines[:first] + lines[first + size :])})
                if fails(smaller):
                    case = smaller
                else:
                    first += size
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
    # a MemoryError here, not elsewhere; of what is written to, as the engine that draws figures reserves far more
    resource.setrlimit(resource.RLIMIT_DATA, (4 << 30, 4 << 30))
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
            print(f"   make fuzz SEED={seed} ONLY={finding.number}   task {case.task}")
            for side in ("gold", "run"):
                print(f"   {side}{case.endings[side == 'run']}: {getattr(case, side)!r:.600}", flush=True)
            if options.keep:
                files = put(case, folder)
                shutil.copytree(files.folder / "plain", options.keep / f"{seed}-{finding.number}-{found}")
    print(f"\nseed {seed}: {done} cases, {found} findings, {process_time() - start:.0f} CPU seconds")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
