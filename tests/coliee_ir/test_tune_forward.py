"""``tune --forward``: what is earlier and later, and what rules chosen on the earlier score on the later."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import wording

from coliee_adapters.errors import UsageError
from coliee_ir import cut, evaluate, to_run, tune
from coliee_ir.cli import main
from coliee_ir.commands.tune.forward import periods


def world(seed: int, names: list[str]) -> tuple[dict[str, Any], dict[str, Any]]:
    chance = random.Random(seed)
    gold = {name: [f"d{at}" for at in range(8) if chance.random() < 0.3] for name in names}
    run = {
        name: {f"d{at}": round(chance.gauss(1.5 if f"d{at}" in gold[name] else 1, 0.4), 3) for at in range(8)}
        for name in names
    }
    return gold, run


YEARS = [f"{era}-{at}" for era in ("H29", "H30", "R01", "R02") for at in range(7)]


@pytest.mark.parametrize("measure", ["MicroF1", "MacroF2"])
def test_each_later_year_is_cut_by_the_rule_that_all_earlier_years_choose(measure: str) -> None:
    gold, run = world(1, YEARS)
    options: dict[str, Any] = {"task": "trec", "maximise": measure, "by": "score", "floor": 0, "cap": 9, "repeats": 2}
    tuning = tune(gold, run, forward="year", **options)
    assert tuning.forward is not None
    assert [(step.first, step.last, step.earlier, step.later) for step in tuning.forward.steps] == [
        ("2019", "2019", 14, 7), ("2020", "2020", 21, 7),
    ]  # fmt: skip
    kept: dict[str, Any] = {}
    for step, era in zip(tuning.forward.steps, ("R01", "R02"), strict=True):
        earlier = {query: wanted for query, wanted in gold.items() if query < era}
        later = {query: wanted for query, wanted in gold.items() if query.startswith(era)}
        assert step.rule == tune(earlier, {query: run[query] for query in earlier}, **options).rule
        part = cut({query: run[query] for query in later}, step.rule)
        assert evaluate(later, part, task="trec", measures=measure).measures[measure] == pytest.approx(step.score)
        kept |= to_run(part)
    last = {query: wanted for query, wanted in gold.items() if query >= "R"}
    score = evaluate(last, kept, task="trec", measures=measure).measures[measure]
    assert tuning.forward.score == pytest.approx(score)
    assert tuning.forward.interval.low < score < tuning.forward.interval.high
    difference = tuning.forward.difference
    assert difference.value == pytest.approx(score - tuning.forward.cross_validated)
    # the cross-validated score of the same queries, from the tuning's own terms, which stand in the order of names
    held = tuning.terms._replace(each=tuning.terms.each[np.array([query >= "R" for query in sorted(gold)])])
    assert tuning.forward.cross_validated == pytest.approx(held.total)
    assert json.loads(json.dumps(tuning.to_dict()))["forward"]["queries"] == 14


def test_many_periods_share_blocks_and_groups_are_not_torn() -> None:
    names = [f"q{at}" for at in range(40)]
    gold, run = world(2, names)
    options: dict[str, Any] = {"task": "trec", "maximise": "MicroF1", "by": "k", "repeats": 1}
    forward = tune(gold, run, forward="id", **options).forward
    assert forward is not None
    assert [(step.first, step.last, step.earlier, step.later) for step in forward.steps] == [
        (f"q{at}", f"q{at + 3}", at, 4) for at in range(20, 40, 4)
    ]
    # the first query belongs to the last one's group, and is later with it
    groups = {name: "g" if name in ("q0", "q39") else name for name in names}
    grouped = tune(gold, run, forward="id", groups=groups, **options).forward
    assert grouped is not None
    assert grouped.steps[-1].earlier + grouped.steps[-1].later == 40
    assert grouped.steps[0].earlier == 20


@given(st.permutations(["q2", "q10", "q1", "a", "q1b2", "12", "3"]))
def test_ids_are_in_the_order_of_their_numbers(queries: list[str]) -> None:
    names, numbers = periods(queries, "id")
    assert names == ["3", "12", "a", "q1", "q1b2", "q2", "q10"]
    assert [names[number] for number in numbers.tolist()] == queries


def test_years_and_dates() -> None:
    assert periods(["R07-02-I", "H18-1-1", "H30-4-A", "R01-1-E", "2019-x"], "year")[0] == [
        "2006",
        "2018",
        "2019",
        "2025",
    ]
    names, numbers = periods(["a", "b", "c"], {"a": "2020-01-02", "b": "2019-12-31", "c": "2020-01-02", "d": "x"})
    assert (names, numbers.tolist()) == (["2019-12-31", "2020-01-02"], [1, 0, 1])
    for queries, by, sentence in (
        (["002473"], "year", wording("id-does-not", "002473")),
        (["a", "b"], {"a": "2020"}, wording("no-date-query", "b")),
        (["a"], "month", "not by 'month'"),
    ):
        with pytest.raises(UsageError, match=sentence):
            periods(queries, by)
    gold, run = world(3, [f"R01-{at}" for at in range(6)])
    with pytest.raises(UsageError, match=re.escape(wording("all-queries-so", 2019))):
        tune(gold, run, task="trec", maximise="MicroF1", by="k", folds=2, repeats=1, forward="year")


def test_on_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    gold, run = world(4, YEARS)
    Path("gold.qrels").write_text("".join(f"{q} 0 {d} 1\n" for q, wanted in gold.items() for d in wanted))
    Path("a.run").write_text("".join(f"{q} Q0 {d} 1 {s} A\n" for q, ranking in run.items() for d, s in ranking.items()))
    Path("dates").write_text("".join(f"{q} {'2001-01-01' if q < 'R' else '2002-01-01'}\n" for q in gold))
    given = ["tune", "gold.qrels", "a.run", "-m", "MicroF1", "--by", "k", "--repeats", "1", "--forward"]
    assert main([*given, "year"]) == 0
    assert "2019" in capsys.readouterr().out
    assert main([*given, "dates", "-f", "json"]) == 0
    (step,) = json.loads(capsys.readouterr().out)["tunings"][0]["forward"]["steps"]
    assert (step["first"], step["last"]) == ("2002-01-01", "2002-01-01")
    assert main([*given, "nowhere"]) == 2
    assert "nowhere" in capsys.readouterr().err
