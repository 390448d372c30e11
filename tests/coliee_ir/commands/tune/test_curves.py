"""Curves: ranges of cutoffs, and the score at each cutoff or threshold of a rule, checked against ``evaluate``."""

import csv
from dataclasses import replace
from pathlib import Path

import pytest
from asserting import done
from pytest import approx

from coliee_adapters.errors import UsageError
from coliee_ir import cut, evaluate, tune
from coliee_ir.measures import parse

pytestmark = pytest.mark.usefixtures("one_deal")

GOLD = {f"q{n:02}": [f"d{n}", f"d{n + 1}"][n % 5 == 0 :] for n in range(12)}
RUN = {
    f"q{n:02}": {f"d{n + at}": round(0.9 - at / 7 - (n * 5 % 4) / 11, 6) for at in range(-1, 4)} for n in range(12)
}  # fmt: skip


def test_a_range_is_each_of_its_cutoffs():
    assert parse("MicroF(beta=2)@2..4") == [measure for k in (2, 3, 4) for measure in parse(f"MicroF(beta=2)@{k}")]
    assert [str(measure) for measure in parse("nDCG@7..7")] == ["nDCG@7"]
    scores = evaluate(GOLD, RUN, task="1", measures="MicroF1@1..3").measures
    assert scores == {f"MicroF1@{k}": evaluate(GOLD, RUN, task="1", measures=f"MicroF1@{k}").measures[f"MicroF1@{k}"]
                      for k in (1, 2, 3)}  # fmt: skip


@pytest.mark.parametrize("typed", ["MicroF1@5..1", "MicroF1@0..3", "MicroF1@1..9999", "MicroF1@1..", "AP@1..b"])
def test_a_range_that_is_none_is_refused(typed):
    with pytest.raises(UsageError):
        parse(typed)


@pytest.mark.parametrize("by", ["k", "score", "ratio", "margin"])
@pytest.mark.parametrize("measure", ["MicroF1", "MacroF2"])
def test_each_point_is_the_score_of_the_run_that_is_cut_there(by, measure):
    tuning = tune(GOLD, RUN, task="1", by=by, measure=measure, folds=3)
    assert len(tuning.curve) > 3
    for parameter, score in tuning.curve:
        rule = replace(tuning.rule, threshold=parameter)
        assert evaluate(GOLD, cut(RUN, rule), task="1", measures=measure).measures[measure] == approx(score)


def test_the_curve_is_written(tmp_path, monkeypatch, call):
    monkeypatch.chdir(tmp_path)
    for name, run in (("gold.json", GOLD), ("run.json", RUN)):
        Path(name).write_text(str(run).replace("'", '"'))
    given = ("tune", "gold.json", "run.json", "--task", "1", "--by", "k", "--folds", "3")
    done(call, *given, "--curve", "c.csv")
    rows = list(csv.DictReader(Path("c.csv").read_text().splitlines()))
    assert [(row["run"], row["rule"], row["parameter"]) for row in rows] == [("run", "k", str(k)) for k in range(1, 6)]
    for row in rows:
        measure = f"MicroF1@{row['parameter']}"
        assert float(row["MicroF1"]) == approx(evaluate(GOLD, RUN, task="1", measures=measure).measures[measure])
    for wrong in ("c.xlsx", "run.json"):
        assert call(*given, "--curve", wrong)[:2] == (2, "")
