"""What is timed: the shapes, and who runs on each."""

from __future__ import annotations

import gzip
import shlex
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks import contenders
from benchmarks.contenders import MEASURES, PEERS, PYTHON, RANX, ours, without
from benchmarks.generate import Shape, rewritten, write, write_sweep, write_task1
from benchmarks.timing import Contender


@dataclass(frozen=True)
class Case:
    """One comparison.

    Attributes:
        name: short, for the table and the command line.
        what: the shape in words.
        contenders: makes the files in a folder, their queries multiplied by a number, and gives who runs on them;
            ours first.
        targets: contender → how many times as fast ours should be.
        rounds: how often each runs.
        large: only on request.
    """

    name: str
    what: str
    contenders: Callable[[Path, float], list[Contender]]
    targets: dict[str, float]
    rounds: int = 5
    large: bool = False


def usual(qrels: Path, *runs: Path, measures: tuple[str, ...] = tuple(MEASURES)) -> list[Contender]:
    """Who scores TREC files of any size on these measures."""
    peers = (contenders.on_trec_eval, contenders.on_ir_measures, contenders.on_pytrec_eval)
    return [
        contenders.on_ours(qrels, *runs, measures=measures),
        # the peers have one thread
        contenders.on_ours(qrels, *runs, measures=measures, name="coliee-ir --jobs 1", options=("--jobs", "1")),
        *(peer(qrels, *runs, measures=measures) for peer in peers),
    ]


def _of_shape(shape: Shape) -> Callable[[Path, float], list[Contender]]:
    return lambda folder, scale: usual(*write(shape.scaled(scale), folder))


def _ranx(folder: Path, scale: float) -> list[Contender]:
    files = write(Shape(1000, 1000, relevant=8).scaled(scale), folder)
    return [contenders.on_ours(*files, measures=tuple(RANX)), contenders.on_ranx(*files)]


def _ungrouped(folder: Path, scale: float) -> list[Contender]:
    shapes = {"coliee-ir, ungrouped": False, "coliee-ir, grouped": True}
    return [
        contenders.on_ours(*write(Shape(6980, 1000, grouped=grouped).scaled(scale), folder), name=name)
        for name, grouped in shapes.items()
    ]


def _gz(folder: Path, scale: float) -> list[Contender]:
    qrels, run = write(_A.scaled(scale), folder)
    packed = run.with_name(f"{run.name}.gz")
    if not packed.exists():
        with run.open("rb") as text, gzip.open(packed, "wb", compresslevel=6) as out:
            shutil.copyfileobj(text, out)
    unpack = "import gzip,sys\nwith gzip.open(sys.argv[1]) as f:\n while f.read(1 << 16): pass"
    return [
        contenders.on_ours(qrels, packed, name="coliee-ir, gzipped"),
        contenders.on_ours(qrels, run, name="coliee-ir, plain"),
        Contender("Python's gzip alone", [PYTHON, "-c", unpack, str(packed)]),
    ]


def _forms(folder: Path, scale: float) -> list[Contender]:
    qrels, run = write(_A.scaled(scale), folder)
    files = {"a table with a header": rewritten(run, "csv"), "JSON Lines": rewritten(run, "jsonl"), "a run file": run}
    ours_by_form = [contenders.on_ours(qrels, file, name=f"coliee-ir, {name}") for name, file in files.items()]
    return [*ours_by_form, contenders.on_pytrec_eval(qrels, run)]


def _per_query(folder: Path, scale: float) -> list[Contender]:
    qrels, run = write(Shape(10_000, 10).scaled(scale), folder)
    own = Contender("coliee-ir -q", ours("evaluate", "--task", "trec", "-m", "official", "-q", qrels, run))
    binary = contenders.trec_eval_binary()
    absent = "" if binary else "name the program in TREC_EVAL"
    trec_eval = Contender("trec_eval -q", [binary or "", "-c", "-q", str(qrels), str(run)], absent=absent)
    return [own, trec_eval, contenders.on_pytrec_eval(qrels, run)]


def _fuse(folder: Path, scale: float) -> list[Contender]:
    qrels, runs = write_sweep(_A.scaled(scale), folder, 2)
    return [
        Contender("coliee-ir fuse, two runs", ours("fuse", "--task", "trec", *runs, "-o", folder / "fused.run")),
        contenders.on_ours(qrels, runs[0], measures=("map",), name="coliee-ir evaluate, one run"),
        contenders.on_pytrec_eval(qrels, runs[0], measures=("map",)),
    ]


def _validate(folder: Path, scale: float) -> list[Contender]:
    gold, runs = write_task1(max(10, round(400 * scale)), 250, folder)
    return [
        Contender("coliee-ir validate", ["sh", "-c", shlex.join(ours("validate", "--task", "1", *runs)) + " || true"]),
        Contender("coliee-ir evaluate", ours("evaluate", gold, *runs)),
    ]


def _jobs(folder: Path, scale: float) -> list[Contender]:
    gold, runs = write_task1(max(10, round(400 * scale)), 500, folder)
    command = ours("evaluate", gold, *runs)
    return [Contender("coliee-ir", command), Contender("coliee-ir --jobs 1", [*command, "--jobs", "1"])]


def _sweep(folder: Path, scale: float) -> list[Contender]:
    qrels, runs = write_sweep(Shape(400, 62, relevant=8).scaled(scale), folder, 100)
    return [
        contenders.on_ours(qrels, *runs, measures=("map",), name="coliee-ir, one call"),
        contenders.on_trec_eval(qrels, *runs, measures=("map",)),
        contenders.on_pytrec_eval(qrels, *runs, measures=("map",)),
    ]


def _engines(qrels: Path, *runs: Path) -> list[Contender]:
    """Two processes of this machine, and a Dask cluster of two, which brings a scheduler of its own."""
    command = ours("evaluate", "--task", "trec", "-f", "trec", "-m", "map", "-m", "MicroF1", qrels, *runs)
    expected, absent = ("map", "MicroF1"), without("distributed")
    return [
        Contender("coliee-ir --jobs 2", [*command, "--jobs", "2"], expected=expected),
        Contender("coliee-ir --cluster local:2", [*command, "--cluster", "local:2"], expected=expected, absent=absent),
    ]


def _cluster(folder: Path, scale: float) -> list[Contender]:
    return _engines(*write(Shape(6980, 1000).scaled(scale), folder))


def _cluster_sweep(folder: Path, scale: float) -> list[Contender]:
    qrels, runs = write_sweep(Shape(400, 62, relevant=8), folder, max(4, round(1000 * scale)))
    return _engines(qrels, *runs)


def _sets(folder: Path, scale: float) -> list[Contender]:
    qrels, run = write(Shape(50_000, 100, relevant=4, columns=3).scaled(scale), folder)
    official = ("MicroF1", "MicroP", "MicroR")
    peer = [PYTHON, str(PEERS / "sets_peer.py"), str(qrels), str(run)]
    command = ours("evaluate", "--task", "1", "-f", "trec", qrels, run)
    return [Contender("coliee-ir", command, expected=official), Contender("a script", peer, expected=official)]


def _startup(folder: Path, scale: float) -> list[Contender]:
    gold, [run] = write_task1(max(10, round(400 * scale)), 1, folder)
    return [
        Contender("coliee-ir evaluate", ours("evaluate", gold, run)),
        Contender("import pytrec_eval", [PYTHON, "-c", "import pytrec_eval"]),
    ]


def _tune(folder: Path, scale: float) -> list[Contender]:
    files = write(Shape(1000, 1000).scaled(scale), folder)
    return [Contender("coliee-ir tune", ours("tune", "--task", "trec", "-m", "MicroF1", *files))]


def _of_many(n: int, *command: str) -> Callable[[Path, float], list[Contender]]:
    """A command on ``n`` runs of Task 1, which no peer has."""

    def contenders_in(folder: Path, scale: float) -> list[Contender]:
        gold, runs = write_task1(max(10, round(400 * scale)), n, folder)
        result = folder / f"{command[0]}.{n}.out"
        return [Contender(f"coliee-ir {command[0]}", ours(*command, gold, *runs, "-o", result))]

    return contenders_in


def _calls(shape: Shape, *ways: tuple[str, str]) -> Callable[[Path, float], list[Contender]]:
    """Who scores run after run in one process: (name in the table, way in ``peers/calls.py``)."""

    def contenders_in(folder: Path, scale: float) -> list[Contender]:
        qrels, run = write(shape.scaled(scale), folder)
        back = {their: measure for measure, their in RANX.items()}
        made = []
        for name, way in ways:
            ranx = way.startswith("ranx")
            theirs = list(RANX.values()) if ranx else list(MEASURES)
            command = [PYTHON, str(PEERS / "calls.py"), way, str(qrels), str(run), "100", *theirs]
            made.append(
                Contender(name, command, back.get, tuple(RANX), without("ranx"))
                if ranx
                else Contender(
                    name, command, expected=tuple(MEASURES), absent=without("polars") if way == "polars" else ""
                )
            )
        return made

    return contenders_in


_A, _D, _SMALL = Shape(300, 1000), Shape(400, 62, relevant=8), Shape(50, 10, relevant=3)
_FROM_DICTIONARIES = (("pytrec_eval", "pytrec_eval"), ("ir_measures", "ir_measures"))

CASES = (
    Case("B", "6,980 queries × 1,000 documents", _of_shape(Shape(6980, 1000)), {"trec_eval": 4, "ir_measures": 8}),
    Case("A", "300 queries × 1,000 documents", _of_shape(_A), {}),
    Case(
        "repr", "B with scores as repr writes them", _of_shape(Shape(6980, 1000, shortest=True)), {"trec_eval": 5},
        rounds=3,
    ),
    Case(
        "repr-A", "A with scores as repr writes them", _of_shape(Shape(300, 1000, shortest=True)), {"trec_eval": 1}
    ),
    Case("ties", "A with scores of one decimal", _of_shape(replace(_A, tied=True)), {}),
    Case("anywhere", "A with relevant documents at any rank", _of_shape(replace(_A, relevant=8, anywhere=True)), {}),
    Case(
        "pooled", "50 queries × 1,000 documents, all judged in ten levels, with ties",
        _of_shape(Shape(50, 1000, tied=True, pooled=1000)), {"trec_eval": 0.2},
    ),
    Case("gold", "A against a gold of 1.5 M lines", _of_shape(replace(_A, pooled=5000)), {"trec_eval": 0.77}, rounds=3),
    Case("forms", "A as a table with a header, as JSON Lines and as a run file", _forms, {}),
    Case("per-query", "the official values of each of 10,000 queries", _per_query, {"trec_eval -q": 0.5}),
    Case("fuse", "two runs of A", _fuse, {"coliee-ir evaluate, one run": 0.33}),
    Case("validate", "250 runs of Task 1", _validate, {}, rounds=3),
    Case("jobs", "500 runs of Task 1", _jobs, {}, rounds=3),
    Case("D", "400 queries × 62 documents", _of_shape(_D), {"ir_measures": 2}, rounds=11),
    Case("ranx", "1,000 queries × 1,000 documents, ranx's eleven measures", _ranx, {}, rounds=3),
    Case("sweep", "100 runs of D against one gold, map", _sweep, {"trec_eval, 100 calls": 10}, rounds=3),
    Case("sets", "three columns, 5 M lines, micro P, R, F1", _sets, {"a script": 5}, rounds=3),
    Case("startup", "Task 1, 400 queries × 5 documents", _startup, {}, rounds=15),
    Case("tune", "1,000 queries × 1,000 documents, MicroF1", _tune, {}, rounds=3),
    Case("report", "54 runs of Task 1, 400 queries × 5 documents", _of_many(54, "report"), {}, rounds=3),
    Case("leaderboard", "500 such runs", _of_many(500, "leaderboard"), {}, rounds=3),
    Case("gz", "A, gzipped and not", _gz, {}),
    Case("ungrouped", "B with its lines shuffled", _ungrouped, {"coliee-ir, grouped": 0.5}, rounds=3),
    Case(
        "dictionaries", "a run of D's size from dictionaries, again and again in one process: one call",
        _calls(_D, ("coliee-ir", "dictionaries"), *_FROM_DICTIONARIES, ("ranx", "ranx")), {"pytrec_eval": 0.9},
    ),
    Case(
        "dictionaries-deep", "the same, A's size",
        _calls(_A, ("coliee-ir", "dictionaries"), *_FROM_DICTIONARIES), {"pytrec_eval": 4}, rounds=3,
    ),
    Case(
        "dictionaries-tied", "the same, A's size, with scores of one decimal",
        _calls(replace(_A, tied=True), ("coliee-ir", "dictionaries"), *_FROM_DICTIONARIES[:1]), {"pytrec_eval": 1.1},
        rounds=3,
    ),
    Case(
        "dictionaries-small", "the same, 50 queries × 10 documents",
        _calls(_SMALL, ("coliee-ir", "dictionaries"), *_FROM_DICTIONARIES[:1]), {"pytrec_eval": 0.4},
    ),
    Case(
        "together", "200 such runs in one call of evaluate_all",
        _calls(_SMALL, ("coliee-ir", "together"), ("pytrec_eval", "pytrec_eval-together")), {"pytrec_eval": 0.66},
    ),
    Case(
        "arrays", "a run of D's size from arrays of indices; the peers from dictionaries",
        _calls(_D, ("coliee-ir", "arrays"), *_FROM_DICTIONARIES), {"pytrec_eval": 1.05},
    ),
    Case(
        "arrays-deep", "the same, A's size",
        _calls(_A, ("coliee-ir", "arrays"), *_FROM_DICTIONARIES), {"pytrec_eval": 6.5}, rounds=3,
    ),
    Case(
        "frames", "a run of D's size from a pandas frame",
        _calls(
            _D, ("coliee-ir", "frames"), ("coliee-ir, polars", "polars"), ("coliee-ir, named tuples", "tuples"),
            ("ir_measures", "ir_measures-frames"), ("ranx", "ranx-frames"),
        ),
        {"ir_measures": 4},
    ),
    Case("cluster", "6,980 queries × 1,000 documents on two processors", _cluster, {}, rounds=3, large=True),
    Case("cluster-sweep", "1,000 runs of D on two processors", _cluster_sweep, {}, rounds=3, large=True),
    Case("huge", "50,000 queries × 1,000 documents", _of_shape(Shape(50_000, 1000)), {"trec_eval": 4}, 1, large=True),
)  # fmt: skip
