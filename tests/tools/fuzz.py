"""Differential fuzzing: files are broken at random and read in every way there is, which must all give the same.

``make fuzz MINUTES=2`` takes the example files and the corpus of foreign_forms.py, breaks them as mutations.py does,
and compares for each pair of gold and run

- the plain reading with: the careful reader, small blocks, the parts of several processes, compressed, in archives, in
  Parquet, standard input, data frames, the command line, the run converted to TREC's format: scores, remarks and errors
  (kind, problem, line);
- every command with what it promises: no exception, no exit code but 0, 1 and 2, nothing printed before an error.

A case depends on the seed and its number only. Each new finding is printed with the command that repeats it.
``test_fuzz.py`` runs a short session of a fixed seed.
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
from collections.abc import Callable, Generator, Iterable, Iterator
from functools import cache, partial
from pathlib import Path
from time import process_time
from types import FrameType, SimpleNamespace
from typing import Any, Final, NamedTuple
from unittest import mock

from mutations import EXAMPLES, Case, damaged, made

from coliee_adapters.errors import ColieeError, InputError, ScoreWarning
from coliee_adapters.files.file_kinds import kind_of
from coliee_adapters.forms import columns, trec
from coliee_adapters.forms.frames import frame
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
    gold: Path
    run: Path
    other: Path

    @property
    def out(self) -> Path:
        return self.folder / "out"

    @property
    def task(self) -> tuple[str, ...]:
        return ("--task", self.case.task) if self.case.task else ()

    def is_packed(self) -> bool:
        """Whether one of them is an archive or the like, which is read from a folder alone."""
        return any(kind_of(content) is not None for content in (self.case.gold, self.case.run))


def put(case: Case, folder: Path) -> Put:
    for name in ("plain", "packed", "out", "all", "damaged"):
        shutil.rmtree(folder / name, ignore_errors=True)
        (folder / name).mkdir()
    names = (f"gold{case.endings[0]}", f"run{case.endings[1]}", "other.txt")
    files = Put(case, folder, *(folder / "plain" / name for name in names))
    for path, content in zip(files[2:], (case.gold, case.run, case.other), strict=True):
        path.write_bytes(content)
    return files


Fault = tuple[str, str, int | None]


class Outcome(NamedTuple):
    """What came of reading and scoring: numbers and remarks, or an error; all comparable."""

    tag: str = ""
    task: str = ""
    numbers: str = ""
    remarks: tuple[str, ...] = ()
    error: Fault | None = None


class CrashError(Exception):
    """Something other than a result or a ColieeError came out of the product."""


def outcome(files: Put, scored: Callable[[], Scores], stdin: str = "") -> Outcome:
    with guarded():
        try:
            scores = scored()
        except ColieeError as error:
            if isinstance(error.__cause__, Exception):  # what the guard around a submission met
                raise CrashError(f"{error}, from {type(error.__cause__).__name__}") from error.__cause__
            text = error.problem if isinstance(error, InputError) else str(error)
            fault = type(error).__name__, neutral(files, text, stdin), getattr(error, "line", None)
            return Outcome(error=fault)
    values = scores.measures, scores.per_query, scores.counts, scores.queries
    remarks = tuple(neutral(files, text, stdin) for text in scores.remarks)
    return Outcome(scores.tag, scores.task, repr(values), remarks)


def neutral(files: Put, text: str, stdin: str = "") -> str:
    """A message without the paths of this way of reading."""
    for path, name in ((files.gold, "GOLD"), (files.run, "RUN")):
        packed = re.escape(f"{files.folder}/packed/") + f"(?:{name.lower()}\\.(?:zip|tgz)/)?" + re.escape(path.name)
        text = re.sub(packed + r"(?:\.(?:gz|xz|zst))?", name, text).replace(str(path), name)
    return text.replace("<stdin>", stdin) if stdin else text


@contextlib.contextmanager
def guarded() -> Iterator[None]:
    """Whatever is not a ColieeError becomes a CrashError, as does a warning, or a call that takes too long."""

    def too_long(number: int, frame: FrameType | None) -> None:
        place = "".join(traceback.format_stack(frame)[-1:]).strip()
        raise CrashError(f"more than {PATIENCE:.0f} CPU seconds, at {place}")

    before = signal.signal(signal.SIGPROF, too_long)
    signal.setitimer(signal.ITIMER_PROF, PATIENCE)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", ScoreWarning)  # which is a result
            yield
    except (ColieeError, CrashError, SystemExit, KeyboardInterrupt):
        raise
    except BaseException as error:
        rows = traceback.extract_tb(error.__traceback__)
        row = [row for row in rows if "/coliee_" in row.filename or row == rows[0]][-1]
        where = f" at {Path(row.filename).name}:{row.lineno} {row.name}"
        raise CrashError(f"{type(error).__name__}: {error}"[:200] + where) from error
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


def blocks(size: int) -> Any:
    return mock.patch.object(columns, "BLOCK_SIZES", (size, 0))


def from_stdin(files: Put, side: str) -> Scores:
    source = SimpleNamespace(buffer=io.BytesIO(getattr(files.case, side)))
    with mock.patch.object(sys, "stdin", source):
        return plainly(files, **{side: "-"})


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
        judged = [(query, document, n) for query, of in gold.qrels.items() for document, n in of.items()]
        judgements = frame(judged, ["query_id", "doc_id", "relevance"], library)
    names = ["query_id", "doc_id", "score"][: len(rows[0])]
    return evaluate(judgements, frame(rows, names, library), task=task, measures=files.case.measures)


def typed(*arguments: object) -> tuple[int, str, str]:
    """Run a command in this process: its exit code, and what it prints."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    nothing = mock.patch.object(sys, "stdin", SimpleNamespace(buffer=io.BytesIO()))
    with guarded(), nothing, contextlib.redirect_stderr(err), contextlib.redirect_stdout(out):
        try:
            code = coliee_ir_main([str(argument) for argument in arguments])
        except SystemExit as stop:  # argparse
            code = stop.code if isinstance(stop.code, int) else 2
        sys.stdout.flush()
        sys.stderr.flush()
    printed, said = (stream.buffer.getvalue().decode("utf-8", errors="replace") for stream in (out, err))
    return code, printed, said


def command(*arguments: object, result: bool = True) -> tuple[int, str, str]:
    """The same, of a command that did what every command promises.

    Raises:
        CrashError: another exit code, a traceback, or a result before an error, unless there may be one.
    """
    code, out, err = typed(*arguments)
    if code not in (0, 1, 2) or "Traceback (most" in err + out:
        raise CrashError(f"exit code {code}: {err[-300:]}")
    if code == 2 and not err.strip():
        raise CrashError("exit code 2 and no sentence")
    if result and code == 2 and out:
        raise CrashError(f"exit code 2 after a result: {out[:100]!r} and {err[-200:]!r}")
    return code, out, err


# ── Checks ────────────────────────────────────────────────────────────────────────────────────────────────────────
#: gives what is wrong, or None
Check = Callable[[Put, random.Random, Outcome], str | None]
CHECKS: dict[str, Check] = {}


def check(name: str) -> Callable[[Check], Check]:
    return partial(CHECKS.setdefault, name)


#: other ways to read the same, each with a name
Found = Generator[tuple[str, Callable[[], Scores]], None, None]
Ways = Callable[[Put, random.Random, Outcome], Found]


def same(name: str, *but: str, seen: Callable[[Outcome], Outcome] = lambda whole: whole) -> Callable[[Ways], Ways]:
    """A check: what comes of every way is the same, apart from these fields, or as far as it is seen."""

    def registered(ways: Ways) -> Ways:
        @check(name)
        def compared(files: Put, chance: random.Random, plain: Outcome) -> str | None:
            with contextlib.closing(ways(files, chance, plain)) as each:
                for way, scored in each:
                    try:
                        found = outcome(files, scored, way)
                    except CrashError as crash:
                        if isinstance(crash.__cause__, NotExpressibleError):
                            return None
                        raise
                    if difference := differing(seen(plain), seen(found), *but):
                        return f"{way}: {difference}"
            return None

        return ways

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


def same_fault(first: Fault, second: Fault) -> bool:
    """Whether two errors are one; of a block's faults, those of its bytes are found before those of its lines."""
    of_bytes = any(text.startswith(("these bytes are not UTF-8", "a NUL character")) for _, text, _ in (first, second))
    return first == second or (first[0] == second[0] and of_bytes)


@same("careful reader")
def _careful(files: Put, chance: random.Random, plain: Outcome) -> Found:
    with carefully():
        yield "carefully", lambda: plainly(files)


#: remarks on ids, which are looked for beyond the first block only where that has some
_OF_FIRST_BLOCK: Final = re.compile("not written as the gold|fewer digits than|only in Unicode form|leading zeros were")


def of_any_block(whole: Outcome) -> Outcome:
    return whole._replace(remarks=tuple(text for text in whole.remarks if not _OF_FIRST_BLOCK.search(text)))


@same("small blocks", seen=of_any_block)
def _blocks(files: Put, chance: random.Random, plain: Outcome) -> Found:
    for size in (chance.randrange(3, 40), chance.randrange(40, 1000)):  # a byte order mark is seen in one piece
        for reader in (contextlib.nullcontext(), carefully()):
            with blocks(size), reader:
                yield f"blocks of {size} bytes", lambda: plainly(files)


@same("parts", seen=of_any_block)
def _parts(files: Put, chance: random.Random, plain: Outcome) -> Found:
    for jobs in (2, 3, 7):
        yield f"{jobs} parts", partial(with_jobs, files, jobs)
    with blocks(97):
        yield "3 parts, blocks of 97 bytes", lambda: with_jobs(files, 3)


@same("compressed")
def _packed(files: Put, chance: random.Random, plain: Outcome) -> Found:
    ending = chance.choice([*COMPRESSED])
    gold, run = (files.folder / "packed" / f"{path.name}{ending}" for path in (files.gold, files.run))
    for packed, content in ((gold, files.case.gold), (run, files.case.run)):
        packed.write_bytes(COMPRESSED[ending](content))
    if not files.is_packed():
        yield ending, lambda: plainly(files, gold, run)


@same("archives")
def _archives(files: Put, chance: random.Random, plain: Outcome) -> Found:
    """A file in an archive is read as it is outside."""
    gold, run = (files.folder / "packed" / name for name in ("gold.zip", "run.tgz"))
    with zipfile.ZipFile(gold, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(files.gold, files.gold.name)
    with tarfile.open(run, "w:gz", compresslevel=1) as tarred:
        tarred.add(files.run, files.run.name)
    if not files.is_packed():
        yield "archives", lambda: plainly(files, f"{gold}/{files.gold.name}", f"{run}/{files.run.name}")


@same("standard input", "tag")
def _stdin(files: Put, chance: random.Random, plain: Outcome) -> Found:
    for side in () if files.is_packed() else ("gold", "run"):
        yield side.upper(), partial(from_stdin, files, side)


#: remarks about a file, which a frame cannot give rise to
_OF_FILES: Final = re.compile(r"tag|rank|comment|gold|byte order|written Y or N|stand together|grouped|columns?\b")


def _without_files(whole: Outcome) -> Outcome:
    """Without remarks on files and examples, of which the first depend on how the rows of a frame are grouped."""
    remarks = (text.partition(" (first: ")[0] for text in whole.remarks if not _OF_FILES.search(text))
    return whole._replace(remarks=tuple(remarks))


@same("frames", "tag", seen=_without_files)
def _frames(files: Put, chance: random.Random, plain: Outcome) -> Found:
    for library in ("pandas", "polars") if plain.error is None else ():
        yield library, partial(from_frames, files, library, plain.task)


@same("Parquet", "remarks", "tag")
def _parquet(files: Put, chance: random.Random, plain: Outcome) -> Found:
    """Gold and run converted to Parquet have the scores that they had."""
    gold, run = (files.out / name for name in ("gold.parquet", "run.parquet"))
    if plain.error is None and plain.task in ("1", "2", "trec", "4", "5"):
        typed = (
            (path, to, "--to", "parquet", "--task", plain.task) for path, to in ((files.gold, gold), (files.run, run))
        )
        if not any(command("convert", *words)[0] for words in typed):
            yield "Parquet", lambda: plainly(files, gold, run, plain.task)


@same("converted", "remarks", "tag")
def _converted(files: Put, chance: random.Random, plain: Outcome) -> Found:
    """A run that was converted to TREC's format has the scores that it had."""
    target = files.out / "run.trec"
    code, *_ = command("convert", files.run, target, "--to", "trec")
    if plain.error is None and not code and plain.task in ("1", "2", "3", "trec"):
        yield "converted", lambda: plainly(files, None, target, plain.task)


@check("damaged data")
def _damaged(files: Put, chance: random.Random, plain: Outcome) -> str | None:
    """Damaged archives, compressed and Parquet files stop none of the sound submissions beside them."""
    folder = files.folder / "damaged"
    for name in ("A.run", "B.run"):
        (folder / name).write_bytes((EXAMPLES / "trec/bm25.run").read_bytes().replace(b"bm25", name[:1].encode()))
    kinds = _packed_run()
    for i in range(4):
        ending = chance.choice([*kinds])
        (folder / f"x{i}{ending}").write_bytes(damaged(kinds[ending], chance))
    verb, *more = chance.choice([("leaderboard", "--resamples", 20), ("evaluate", "-m", "map", "--keep-going")])
    _, out, err = command(verb, EXAMPLES / "trec/qrels.txt", folder, "--task", "trec", "-f", "csv", *more, result=False)
    rows = {row["run"]: row["map"] for row in csv.DictReader(io.StringIO(out)) if row.get("map")}
    return None if rows.get("A") and rows["A"] == rows.get("B") else f"{verb}: {rows}, {err[-300:]}"


@cache
def _packed_run() -> dict[str, bytes]:
    """A run in everything that holds one, by ending."""
    run, packed, tarred = EXAMPLES / "trec/bm25.run", io.BytesIO(), io.BytesIO()
    with tempfile.TemporaryDirectory() as folder:
        convert(run, Path(folder, "run.parquet"))
        kinds = {".parquet": Path(folder, "run.parquet").read_bytes()}
    kinds |= {ending: compress(run.read_bytes()) for ending, compress in COMPRESSED.items()}
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(run, "c/c.run")
    with tarfile.open(fileobj=tarred, mode="w") as archived:
        archived.add(run, "c/c.run")
    return kinds | {".zip": packed.getvalue(), ".tar": tarred.getvalue(), ".tgz": gzip.compress(tarred.getvalue())}


@check("command line")
def _typed(files: Put, chance: random.Random, plain: Outcome) -> str | None:
    measures = (word for name in files.case.measures for word in ("-m", name))
    code, out, err = command("evaluate", files.gold, files.run, "-f", "json", *files.task, *measures)
    if plain.error is not None:
        is_said = plain.error[1][:30] in neutral(files, err).replace("\\n", "\n")
        if code == 2 and (is_said or gold_fails(files)):
            return None
    if plain.error is not None or code != 0:
        return f"exit code {code} and {err[-200:]!r} for {plain.error}"
    (run,) = json.loads(out)["runs"]
    remarks = tuple(neutral(files, text) for text in run["remarks"])
    return None if remarks == plain.remarks else f"remarks {remarks!s:.300} for {plain.remarks!s:.300}"


def gold_fails(files: Put) -> bool:
    """Whether the gold alone cannot be read: of two broken files the command line names the gold, Python the run."""
    try:
        read_gold(files.gold, task=files.case.task)
    except ColieeError:
        return True
    return False


@check("validate")
def _validate(files: Put, chance: random.Random, plain: Outcome) -> str | None:
    task = () if files.case.task == "trec" else files.task
    more = (*task, *chance.choice([(), ("--gold", files.gold), ("--queries", files.gold)]))
    command("validate", files.run, *more, "-f", chance.choice(["table", "json", "github"]), result=False)
    with carefully(), blocks(chance.randrange(3, 1000)):
        first, second = (typed("validate", files.run, *more, "-f", "json") for _ in range(2))
    if not first == second == typed("validate", files.run, *more, "-f", "json"):
        return "the findings depend on how the file is read"
    mended = files.out / "mended.txt"
    command("validate", files.run, *more, "--fix", mended, result=False)
    if mended.exists():
        command("validate", mended, *more, result=False)
    return None


#: what is typed, where one of the words in braces is drawn
COMMANDS: Final = {
    "convert": (
        "convert GOLD {-|OUT} {|--to FORM|--tag X|--to FORM --template GOLD}",
        "convert RUN {-|OUT} {|--to FORM|--tag X|--to FORM --template GOLD}",
    ),
    "compare": ("compare GOLD RUN OTHER TASK --resamples 50 --test {randomisation|t} -f TABLE {|--keep-going}",),
    "leaderboard": ("leaderboard GOLD ALL TASK --resamples 50 -f TABLE {|--best|--table invalid|--table questions}",),
    "tune and cut": (
        "tune GOLD RUN TASK --by {k|score|ratio|margin} --folds 2 --save RULE --apply RUN -o {-|OUT} --tag X",
        "cut RUN --rule RULE {|TASK}",
    ),
    "fuse": (
        "fuse RUN OTHER -o {-|OUT} {|METHOD|METHOD NORM|METHOD --top 2 TASK|--fit GOLD --folds 2 --save RULE TASK}",
    ),
}
DRAWN: Final = {
    "FORM": "{qrels|json|labels|trec|columns|tort}",
    "TABLE": "{table|json|csv|markdown|latex}",
    "METHOD": "--method {rrf|combsum|combmnz|union|intersection|vote}",
    "NORM": "--norm {min-max|max|zscore|borda|none}",
}


def as_promised(files: Put, chance: random.Random, plain: Outcome, name: str) -> None:
    rule = files.out / "rule.json"
    rule.write_text('{"family": "score", "threshold": 0.5}')  # where none is found
    for folder, source in (("A", files.run), ("B", files.other)):
        (files.folder / "all" / folder).mkdir(exist_ok=True)
        shutil.copy(source, files.folder / "all" / folder / f"sent{files.case.endings[1]}")
    paths = {"GOLD": files.gold, "RUN": files.run, "OTHER": files.other, "ALL": files.folder / "all", "RULE": rule}
    for line in COMMANDS[name]:
        words = re.sub("|".join(DRAWN), lambda match: DRAWN[match[0]], line.replace("TASK", " ".join(files.task)))
        while "{" in words:
            words = re.sub(r"\{([^{}]*)\}", lambda match: chance.choice(match[1].split("|")), words)
        may_print = name == "leaderboard" or "--keep-going" in words  # before it ends with 2 for the broken one
        given = [paths.get(word, files.out / "out.txt" if word == "OUT" else word) for word in words.split()]
        command(*given, result=not may_print)


CHECKS |= {name: partial(as_promised, name=name) for name in COMMANDS}


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


def tried(case: Case, number: int, folder: Path, seed: int, checks: Iterable[str]) -> Iterator[Finding]:
    """The checks that a case fails, and how."""
    name = "evaluate"
    try:
        files = put(case, folder)
        plain = outcome(files, lambda: plainly(files))
    except CrashError as crash:
        yield Finding(name, str(crash), number, case)
        return
    for name in checks:
        try:
            what = CHECKS[name](put(case, folder), random.Random(f"{seed}:{number}:{name}"), plain)
        except CrashError as crash:
            what = str(crash)
        if what is not None:
            yield Finding(name, what, number, case)


#: of these, which are slow, two a case
_TOOLS: Final = ("damaged data", "validate", "convert", "compare", "leaderboard", "tune and cut", "fuse")


def session(seed: int, numbers: Iterable[int], folder: Path) -> Iterator[Finding]:
    """Try the cases of these numbers, and give each kind of finding once."""
    known = set[str]()
    for number in numbers:
        chance = random.Random(f"{seed}:{number}:checks")
        checks = [name for name in CHECKS if name not in _TOOLS] + chance.sample(_TOOLS, 2)
        for finding in tried(made(seed, number), number, folder, seed, checks):
            if finding.key not in known:
                known.add(finding.key)
                yield finding


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--minutes", type=float, default=2.0, help="of CPU time (default: 2)")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**9), help="repeats a session")
    parser.add_argument("--only", type=int, metavar="N", help="only the case of this number")
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    # a MemoryError here, not elsewhere; of what is written to, as the engine that draws figures reserves far more
    resource.setrlimit(resource.RLIMIT_DATA, (4 << 30, 4 << 30))
    done, found = 0, 0
    start = process_time()

    def numbers() -> Iterator[int]:
        nonlocal done
        while process_time() - start < 60 * options.minutes:
            yield done
            done += 1

    with tempfile.TemporaryDirectory() as name:
        chosen = numbers() if options.only is None else [options.only]
        for finding in session(options.seed, chosen, Path(name)):
            found, case = found + 1, finding.case
            print(f"\n{found}. {finding.check}: {finding.what}\n   from {case.name}: {', '.join(case.steps)}")
            print(f"   make fuzz SEED={options.seed} ONLY={finding.number}   task {case.task}")
            for side, ending in zip(("gold", "run"), case.endings, strict=True):
                print(f"   {side}{ending}: {getattr(case, side)!r:.600}", flush=True)
    print(f"\nseed {options.seed}: {done} cases, {found} findings, {process_time() - start:.0f} CPU seconds")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
