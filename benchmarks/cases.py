"""What is timed: the shapes, and who runs on each."""

from __future__ import annotations

import importlib.util
import os
import random
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.generate import Shape, write, write_sweep
from benchmarks.timing import Contender

#: trec_eval's names → ir_measures' names; the fourteen measures that are usual
MEASURES = {
    "map": "AP", "Rprec": "Rprec", "recip_rank": "RR", "recall_5": "R@5", "recall_10": "R@10", "recall_30": "R@30",
    "recall_100": "R@100", "recall_1000": "R@1000", "P_5": "P@5", "P_10": "P@10", "ndcg_cut_10": "nDCG@10",
    "set_P": "SetP", "set_recall": "SetR", "set_F": "SetF",
}  # fmt: skip
#: ranx has no set measures
RANX = {
    "map": "map", "Rprec": "r-precision", "recip_rank": "mrr", "recall_5": "recall@5", "recall_10": "recall@10",
    "recall_30": "recall@30", "recall_100": "recall@100", "recall_1000": "recall@1000", "P_5": "precision@5",
    "P_10": "precision@10", "ndcg_cut_10": "ndcg@10",
}  # fmt: skip

PYTHON = sys.executable
PEERS = Path(__file__).parent / "peers"


@dataclass(frozen=True)
class Case:
    """One comparison.

    Attributes:
        name: short, for the table and the command line.
        what: the shape in words.
        contenders: makes the files in a folder, and gives who runs on them; ours first.
        targets: contender → how many times as fast ours should be.
        rounds: how often each runs.
        large: only on request.
    """

    name: str
    what: str
    contenders: Callable[[Path], list[Contender]]
    targets: dict[str, float]
    rounds: int = 5
    large: bool = False


def trec_eval_binary() -> str | None:
    """NIST's program, from ``TREC_EVAL`` or the PATH."""
    return os.environ.get("TREC_EVAL") or shutil.which("trec_eval")


def ours(*arguments: str | Path) -> list[str]:
    """Our command."""
    return [PYTHON, "-m", "coliee_ir", *map(str, arguments)]


def _usual(qrels: Path, run: Path) -> list[Contender]:
    """All contenders that score TREC files on the fourteen measures."""
    asked = [part for name in MEASURES for part in ("-m", name)]
    contenders = [Contender("coliee-ir", ours("evaluate", "--task", "trec", "-o", "trec", *asked, qrels, run))]
    if binary := trec_eval_binary():
        dotted = [part for name in MEASURES for part in ("-m", _dotted(name))]
        contenders.append(Contender("trec_eval", [binary, "-c", *dotted, str(qrels), str(run)]))
    back = {theirs: name for name, theirs in MEASURES.items()}
    contenders.append(
        Contender("ir_measures", [PYTHON, "-m", "ir_measures", str(qrels), str(run), *MEASURES.values()], back.get)
    )
    peer = str(PEERS / "pytrec_eval_peer.py")
    contenders.append(Contender("pytrec_eval", [PYTHON, peer, str(qrels), str(run), *MEASURES]))
    if importlib.util.find_spec("ranx"):
        back_ranx = {theirs: name for name, theirs in RANX.items()}
        peer = str(PEERS / "ranx_peer.py")
        contenders.append(Contender("ranx", [PYTHON, peer, str(qrels), str(run), *RANX.values()], back_ranx.get))
    return contenders


def _dotted(name: str) -> str:
    base, _, last = name.rpartition("_")
    return f"{base}.{last}" if last.isdigit() else name


def _of_shape(shape: Shape) -> Callable[[Path], list[Contender]]:
    return lambda folder: _usual(*write(shape, folder))


def _ungrouped(folder: Path) -> list[Contender]:
    asked = [part for name in MEASURES for part in ("-m", name)]
    contenders = []
    for name, grouped in (("coliee-ir, ungrouped", False), ("coliee-ir, grouped", True)):
        qrels, run = write(Shape(6980, 1000, grouped=grouped), folder)
        command = ours("evaluate", "--task", "trec", "-o", "trec", *asked, qrels, run)
        contenders.append(Contender(name, command))
    return contenders


def _sweep(folder: Path) -> list[Contender]:
    qrels, runs = write_sweep(Shape(400, 62, relevant=8), folder, 100)
    command = ours("evaluate", "--task", "trec", "-o", "trec", "-m", "map", qrels, *runs)
    contenders = [Contender("coliee-ir, one call", command)]
    if binary := trec_eval_binary():
        loop = 'q=$1; shift; for run; do "$0" -c -m map "$q" "$run"; done'
        contenders.append(Contender("trec_eval, 100 calls", ["sh", "-c", loop, binary, str(qrels), *map(str, runs)]))
    return contenders


def _sets(folder: Path) -> list[Contender]:
    qrels, run = write(Shape(50_000, 100, relevant=4, columns=3), folder)
    peer = [PYTHON, str(PEERS / "sets_peer.py"), str(qrels), str(run)]
    command = ours("evaluate", "--task", "1", "-o", "trec", qrels, run)
    return [Contender("coliee-ir", command), Contender("a script with sets", peer)]


def _startup(folder: Path) -> list[Contender]:
    chance = random.Random(2026)
    documents = [f"{number:06d}" for number in range(1, 8000)]
    gold, run = folder / "task1.json", folder / "task1.txt"
    queries = chance.sample(documents, 400)
    lists = {query: chance.sample(documents, chance.randint(1, 8)) for query in queries}
    gold.write_text(str({f"{q}.txt": [f"{d}.txt" for d in ds] for q, ds in lists.items()}).replace("'", '"'))
    retrieved = {q: [*ds[:2], *chance.sample(documents, 5)][:5] for q, ds in lists.items()}
    run.write_text("".join(f"{query} {document} TAG\n" for query, ds in retrieved.items() for document in ds))
    loaded = [PYTHON, "-c", "import pytrec_eval"]
    return [
        Contender("coliee-ir evaluate", ours("evaluate", gold, run), compared=False),
        Contender("import pytrec_eval", loaded, compared=False),
    ]


CASES = (
    Case("B", "6,980 queries × 1,000 documents", _of_shape(Shape(6980, 1000)), {"trec_eval": 4, "ir_measures": 8}),
    Case("A", "300 queries × 1,000 documents", _of_shape(Shape(300, 1000)), {}),
    Case("D", "400 queries × 62 documents", _of_shape(Shape(400, 62, relevant=8)), {"ir_measures": 2}, rounds=11),
    Case("sweep", "100 runs of D against one gold", _sweep, {"trec_eval, 100 calls": 10}, rounds=3),
    Case("sets", "three columns, 5 M lines, micro P, R, F1", _sets, {"a script with sets": 5}, rounds=3),
    Case("startup", "Task 1, 400 queries × 5 documents", _startup, {}, rounds=15),
    Case("ungrouped", "B with its lines shuffled", _ungrouped, {"coliee-ir, grouped": 0.5}, rounds=3),
    Case("huge", "50,000 queries × 1,000 documents", _of_shape(Shape(50_000, 1000)), {"trec_eval": 4}, 1, large=True),
)
