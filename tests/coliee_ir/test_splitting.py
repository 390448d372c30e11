"""Folds as files of ids: every query once, the folds of tune and fuse, groups and years whole."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coliee_adapters.errors import UsageError
from coliee_ir import evaluate, fit_fusion, read_gold, tune
from coliee_ir.commands.convert import write_folds
from coliee_ir.stats.folds import Split

Call = Callable[..., tuple[int, str, str]]


def read(folder: Path) -> dict[str, list[str]]:
    return {path.stem: path.read_text().split() for path in sorted(folder.iterdir())}


@settings(max_examples=15)
@given(folds=st.integers(2, 12), seed=st.integers(0, 5), n=st.integers(12, 30))
def test_each_query_is_in_one_fold_and_folds_differ_by_one(
    folds: int, seed: int, n: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    gold = read_gold({f"{at:06}": ["000100"] for at in range(n)})
    folder = tmp_path_factory.mktemp("folds")
    assert len(write_folds(gold, folder, folds=folds, seed=seed)) == folds
    assert sorted(read(folder), key=lambda name: int(name[4:])) == sorted(read(folder))  # fold02 before fold10
    parts = list(read(folder).values())
    assert sorted(query for part in parts for query in part) == sorted(gold.queries)
    assert {len(part) for part in parts} <= {n // folds, math.ceil(n / folds)}


def test_they_are_the_folds_that_tune_and_fuse_hold_out(tmp_path: Path, call: Call) -> None:
    gold = {f"{at:06}": ["000101"] for at in range(20)}
    good = {query: {"000101": 0.9 - at / 40, "000102": 0.55 - (at % 3) / 5} for at, query in enumerate(gold)}
    other = {query: {"000102": 0.8 - at / 90, "000101": 0.5} for at, query in enumerate(gold)}
    (tmp_path / "gold.json").write_text(json.dumps(gold))
    code, out, err = call("convert", tmp_path / "gold.json", tmp_path / "new" / "folds", "--to", "folds", "--seed", 3)
    assert (code, out, len(err.splitlines())) == (0, "", 5)
    parts = list(read(tmp_path / "new" / "folds").values())
    everyone = np.ones(20, dtype=np.bool_)
    of_query = dict(zip(gold, Split.of(list(gold), 5, 3).folds(everyone, 0).tolist(), strict=True))
    assert [{of_query[query] for query in part} for part in parts] == [{0}, {1}, {2}, {3}, {4}]
    # the score held out in one repeat, by hand: each file is scored by what the others choose
    fitted = fit_fusion(gold, good, other, task="1", seed=3, repeats=1, method="combsum")
    kept = {}
    for part, weights in zip(parts, fitted.fold_weights, strict=True):
        again = fit_fusion(gold, good, other, task="1", exclude=part, repeats=1, method="combsum").fusion
        assert again.weights == pytest.approx(weights)
        fused = again.fuse(good, other, task="1").run
        kept |= {query: list(ranking) for query, ranking in read_rankings(fused).items() if query in part}
    assert evaluate(gold, kept, task="1").measures["MicroF1"] == pytest.approx(fitted.held_out)
    tuned = tune(gold, good, task="1", seed=3, repeats=1, by="score", floor=0, cap=9)
    cut = {}
    for part in parts:
        rule = tune(gold, good, task="1", exclude=part, repeats=1, by="score", floor=0, cap=9).rule
        cut |= {query: [d for d, score in good[query].items() if score >= rule.threshold] for query in part}
    assert evaluate(gold, cut, task="1").measures["MicroF1"] == pytest.approx(tuned.held_out)


def read_rankings(run: object) -> dict[str, dict[str, float]]:
    from coliee_ir import to_run

    return to_run(run)  # type: ignore[arg-type, return-value]


def test_only_and_exclude_read_what_was_written(tmp_path: Path, call: Call) -> None:
    gold = {f"{at:06}": [f"0001{at:02}"] for at in range(7)}
    (tmp_path / "gold.json").write_text(json.dumps(gold))
    (tmp_path / "run.txt").write_text("".join(f"{q} {d[0]} T\n" for q, d in gold.items() if int(q) % 2))
    write_folds(read_gold(tmp_path / "gold.json"), tmp_path / "folds", folds=2)
    found = 0
    for name in ("fold1.txt", "fold2.txt"):
        for option in ("--only", "--exclude"):
            given_ = ("evaluate", tmp_path / "gold.json", tmp_path / "run.txt", option, tmp_path / "folds" / name)
            (one,) = json.loads(call(*given_, "-f", "json")[1])["runs"]
            found += one["counts"]["correct"]
    assert found == 2 * 3


def test_groups_and_years_stay_whole(tmp_path: Path, call: Call) -> None:
    gold = tmp_path / "gold.txt"
    gold.write_text("".join(f"{year}-{n:02}-A Y\n" for year in ("H30", "R01", "R02") for n in range(1, 4)))
    (tmp_path / "groups").write_text("".join(f"{query} {query[-4:-2]}\n" for query in gold.read_text().split()[::2]))
    assert call("convert", gold, tmp_path / "years", "--to", "folds", "--folds", "year")[0] == 0
    assert {name: {query[:3] for query in part} for name, part in read(tmp_path / "years").items()} == {
        year: {year} for year in ("H30", "R01", "R02")
    }
    given_ = ("convert", gold, tmp_path / "groups.d", "--to", "folds", "--groups", tmp_path / "groups")
    assert call(*given_, "--folds", 3)[0] == 0
    assert sorted({query[-4:-2] for query in part}.pop() for part in read(tmp_path / "groups.d").values()) == [
        *("01", "02", "03")
    ]
    assert call(*given_, "--folds", 4)[0] == 2


@pytest.mark.parametrize("typed", [["--folds", 9], ["--folds", 1], ["--folds", "year"], ["--tag", "T"], ["--seed", -1]])
def test_what_makes_no_folds_is_refused_and_writes_nothing(tmp_path: Path, call: Call, typed: list[object]) -> None:
    (tmp_path / "gold.json").write_text('{"000001": ["000002"], "000003": ["000002"]}')
    code, out, err = call("convert", tmp_path / "gold.json", tmp_path / "folds", "--to", "folds", *typed)
    assert (code, out, len(err.splitlines())) == (2, "", 1)
    assert not (tmp_path / "folds").exists()


def test_options_of_folds_need_them_and_a_folder(tmp_path: Path, call: Call) -> None:
    (tmp_path / "gold.json").write_text('{"000001": ["000002"], "000003": ["000002"]}')
    assert call("convert", tmp_path / "gold.json", "-", "--to", "folds", "--folds", 2)[0] == 2
    for option in (["--folds", 2], ["--folds", "year"], ["--seed", 1]):
        assert call("convert", tmp_path / "gold.json", "-", *option)[:2] == (2, "")
    with pytest.raises(UsageError):
        write_folds(read_gold({"R01-1-A": ["1"]}), tmp_path, by_year=True, groups={"R01-1-A": "a"})
    (tmp_path / "fold1.txt").symlink_to(tmp_path / "gold.json")
    assert call("convert", tmp_path / "gold.json", tmp_path, "--to", "folds", "--folds", 2)[0] == 2
    assert read_gold(tmp_path / "gold.json").queries == ("000001", "000003")
