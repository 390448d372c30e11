"""The benchmarks, on small files: everybody prints the same digits."""

import sys

import pytest

from benchmarks import cases, generate, growth, timing
from benchmarks.peers import calls

CASES = {case.name: case for case in cases.CASES}


@pytest.mark.explore
@pytest.mark.parametrize(
    ("relevant", "grouped", "shortest", "runs"), [(8, True, True, 1), (1, True, False, 1), (3, False, False, 3)]
)
def test_all_contenders_print_the_same_digits(tmp_path, relevant, grouped, shortest, runs):
    shape = generate.Shape(queries=20, depth=30, relevant=relevant, grouped=grouped, shortest=shortest)
    qrels, written = generate.write_sweep(shape, tmp_path, runs)
    assert len(timing.side_by_side(cases.usual(qrels, *written, measures=("map", "P_5", "P_10")), rounds=1)) > 2


@pytest.mark.explore
def test_everyday_shapes_and_the_growth_of_each_command_are_timed(tmp_path):
    for name in ("ties", "anywhere", "pooled", "forms", "per-query", "fuse", "validate"):
        (tmp_path / name).mkdir()
        assert len(timing.side_by_side(CASES[name].contenders(tmp_path / name, 0.02), rounds=1)) >= 2
    grown = list(growth.rows(tmp_path, 1, 0.001))
    assert {row["contender"] for row in grown} == {*growth.COMMANDS}


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # ast.Num, which ir_measures uses
@pytest.mark.parametrize(
    "name", ["dictionaries", *(pytest.param(name, marks=pytest.mark.explore) for name in ("arrays", "frames"))]
)
def test_calls_give_the_same_digits_whoever_is_called(name, tmp_path, capsys):
    printed = {}
    for contender in CASES[name].contenders(tmp_path, 0.02):
        script, *arguments = contender.command[1:]
        assert script == calls.__file__
        if not contender.name.startswith("ranx"):  # which would have to be compiled first
            calls.main(*arguments)
            printed[contender.name] = dict(line.split("\t") for line in capsys.readouterr().out.splitlines())
    ours = printed.pop("coliee-ir")
    for theirs in printed.values():
        assert ours.keys() == theirs.keys() >= {*cases.MEASURES, "seconds_per_call", "cpu_per_call"}
        assert all(timing._agree(ours[measure], theirs[measure]) for measure in cases.MEASURES)
    assert len(printed) >= 2


def test_other_digits_are_a_disagreement_and_no_time(tmp_path):
    a, b = (
        timing.Contender(name, [sys.executable, "-c", f"print('map {value}')"], expected=("map",))
        for name, value in (("a", 0.5), ("b", 0.6))
    )
    with pytest.raises(timing.DisagreementError, match=r"map: a prints 0\.5, b 0\.6"):
        timing.side_by_side([a, b], rounds=1)
    found = timing.side_by_side(CASES["sets"].contenders(tmp_path, 0.0006), rounds=1)
    assert set(found) == {"coliee-ir", "a script"}
