"""Who scores TREC files: ours, and the peers as their users call them, those that are not installed by name."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

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

_PACKAGES = ("coliee-ir", "numpy", "pytrec-eval-terrier", "ir-measures", "ranx", "numba", "pandas")


def ours(*arguments: str | Path) -> list[str]:
    """Our command."""
    return [PYTHON, "-m", "coliee_ir", *map(str, arguments)]


def on_ours(
    qrels: Path,
    *runs: Path,
    measures: Sequence[str] = tuple(MEASURES),
    name: str = "coliee-ir",
    options: Sequence[str] = (),
) -> Contender:
    """Ours, in one call."""
    words = [part for measure in measures for part in ("-m", measure)]
    command = ours("evaluate", "--task", "trec", "-f", "trec", *options, *words, qrels, *runs)
    return Contender(name, command, expected=measures)


def on_trec_eval(qrels: Path, *runs: Path, measures: Sequence[str] = tuple(MEASURES)) -> Contender:
    """NIST's program, a call for each run."""
    name = "trec_eval" if len(runs) == 1 else f"trec_eval, {len(runs)} calls"
    binary = trec_eval_binary()
    if binary is None:
        return Contender(name, [], absent="name the program in TREC_EVAL")
    words = [part for measure in _with_their_parameters(measures) for part in ("-m", measure)]
    commands = [[binary, "-c", *words, str(qrels), str(run)] for run in runs]
    return Contender(name, _in_turn(commands), expected=measures)


def on_ir_measures(qrels: Path, *runs: Path, measures: Sequence[str] = tuple(MEASURES)) -> Contender:
    """ir_measures' program, a call for each run."""
    name = "ir_measures" if len(runs) == 1 else f"ir_measures, {len(runs)} calls"
    theirs = {their_name(measure): measure for measure in measures}
    commands = [[PYTHON, "-m", "ir_measures", str(qrels), str(run), *theirs] for run in runs]
    return Contender(name, _in_turn(commands), theirs.get, expected=measures)


def on_pytrec_eval(qrels: Path, *runs: Path, measures: Sequence[str] = tuple(MEASURES)) -> Contender:
    """pytrec_eval in a script, which reads all runs."""
    name = "pytrec_eval" if len(runs) == 1 else "pytrec_eval, one process"
    peer = str(PEERS / "pytrec_eval_peer.py")
    return Contender(name, [PYTHON, peer, ",".join(measures), str(qrels), *map(str, runs)], expected=measures)


def on_ranx(qrels: Path, run: Path) -> Contender:
    """ranx in a script; whole process, with the code that numba has kept from the first, untimed round."""
    theirs = {their: measure for measure, their in RANX.items()}
    command = [PYTHON, str(PEERS / "ranx_peer.py"), str(qrels), str(run), *theirs]
    return Contender("ranx", command, theirs.get, expected=tuple(RANX), absent=without("ranx"))


def without(package: str) -> str:
    """What to say if a package of the ``bench`` extra is not installed; empty if it is."""
    return "" if importlib.util.find_spec(package) else "pip install 'coliee-ir[bench]'"


def trec_eval_binary() -> str | None:
    """NIST's program, from ``TREC_EVAL`` or the PATH."""
    return os.environ.get("TREC_EVAL") or shutil.which("trec_eval")


def versions() -> dict[str, str]:
    """Who took part, in which version."""
    known_versions = {}
    for package in _PACKAGES:
        try:
            known_versions[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    if (binary := trec_eval_binary()) is not None:
        done = subprocess.run([binary, "--version"], capture_output=True, text=True)
        known_versions["trec_eval"] = (done.stdout + done.stderr).strip().rpartition(" ")[2]
    return known_versions


def their_name(measure: str) -> str:
    """ir_measures' name of a measure of trec_eval's.

    >>> their_name("map"), their_name("ndcg_cut_7")
    ('AP', 'nDCG@7')
    """
    base, _, cut = measure.rpartition("_")
    families = {"recall": "R", "P": "P", "ndcg_cut": "nDCG", "map_cut": "AP"}
    return f"{families[base]}@{cut}" if base in families else MEASURES[measure]


def _with_their_parameters(measures: Sequence[str]) -> list[str]:
    """The measures as trec_eval wants them: it takes each family once, with all its cutoffs."""
    cuts: dict[str, list[str]] = {}
    for measure in measures:
        base, _, cut = measure.rpartition("_")
        cutoffs = cuts.setdefault(base if cut.isdigit() else measure, [])
        cutoffs += [cut] if cut.isdigit() else []
    return [f"{family}.{','.join(cutoffs)}" if cutoffs else family for family, cutoffs in cuts.items()]


def _in_turn(commands: Sequence[Sequence[str]]) -> list[str]:
    return list(commands[0]) if len(commands) == 1 else ["sh", "-c", " && ".join(map(shlex.join, commands))]
