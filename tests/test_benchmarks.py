"""The benchmarks, on small files: everybody prints the same digits."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks import cases, generate, timing


@pytest.mark.parametrize(("relevant", "grouped"), [(1, True), (8, True), (3, False)])
def test_all_contenders_print_the_same_digits(tmp_path: Path, relevant: int, grouped: bool) -> None:
    shape = generate.Shape(queries=20, depth=30, relevant=relevant, grouped=grouped)
    contenders = cases._usual(*generate.write(shape, tmp_path))
    timings = timing.side_by_side(contenders, rounds=1)
    assert next(iter(timings)) == "coliee-ir"
    assert {"ir_measures", "pytrec_eval"} <= set(timings)


def test_other_digits_are_a_disagreement_and_no_time() -> None:
    def says(name: str, value: float) -> timing.Contender:
        return timing.Contender(name, [sys.executable, "-c", f"print('map', {value})"])

    with pytest.raises(timing.DisagreementError, match=r"map: a prints 0\.5000, b 0\.6000"):
        timing.side_by_side([says("a", 0.5), says("b", 0.6)], rounds=1)


def test_set_measures_equal_the_script_with_sets(tmp_path: Path) -> None:
    qrels, run = generate.write(generate.Shape(queries=30, depth=10, relevant=4, columns=3), tmp_path)
    ours = timing.Contender("ours", cases.ours("evaluate", "--task", "1", "-o", "trec", qrels, run))
    peer = [cases.PYTHON, str(cases.PEERS / "sets_peer.py"), str(qrels), str(run)]
    assert set(timing.side_by_side([ours, timing.Contender("sets", peer)], rounds=1)) == {"ours", "sets"}
