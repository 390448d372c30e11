"""Headings that come from data: a measure, a task or a run may be called as a column of ours, and overwrites none."""

import pytest

import coliee_ir
from coliee_ir import Scored

RUNS = ("a", "b", "c")
BY_TASK = {"x": 0.25, "y": 0.5, "z": 1.0}
MEAN = pytest.approx(sum(BY_TASK.values()) / 3)


def _frame(measure, **tasks):
    """Three runs on twelve queries of three tasks, of which a run has the values of ``BY_TASK`` times its own."""
    rows = [(run, f"{task}{at}", value / n) for n, run in enumerate(RUNS, 1) for task, value in BY_TASK.items()
            for at in range(4)]  # fmt: skip
    run, query, values = map(list, zip(*rows, strict=True))
    return {"run": run, "query": query, measure: values, "of": [tasks.get(one[0]) for one in query]}


def _read(measure, **tasks):
    more = {"higher_is_better": [measure], "columns": {"tag": "run", "query": "query"}} if measure != "AP" else {}
    return Scored.from_frame(_frame(measure, **tasks), measures=[measure], **more)


def _first(table):
    assert len({*table.header}) == len(table.header)
    return dict(zip(table.header, (getattr(cell, "value", cell) for cell in table.rows[0]), strict=True))


@pytest.mark.parametrize("measure", ["rank", "rank 95%", "low 95%", "Place", "place", "ranks", "Interval 95%"])
def test_a_measure_called_as_a_column_overwrites_none(measure):
    board = coliee_ir.leaderboard(_read(measure), measure=measure, n_resamples=99)
    first = _first(board.table())
    assert (first["rank"], first["run"], first[f"{measure} (2)"]) == (1, "a", MEAN)
    assert first["low 95%"] < MEAN.expected < first["high 95%"]
    results = _first(board.table("results"))
    assert (results["Place"], results["Run"], MEAN in results.values()) == ("1", "a", True)
    assert board.to_dict()["tables"]["ranking"][0]["run"] == "a"
    scores = _first(coliee_ir.compare(_read(measure), n_resamples=99).tables()[1])
    assert (scores["run"], MEAN in scores.values()) == ("a", True)
    assert scores["low 95%"] < MEAN.expected < scores["high 95%"]


def test_tasks_and_a_second_gold_have_columns_of_their_own():
    scored = _read("AP", x="run", y="rank", z="mean AP")
    board = coliee_ir.leaderboard(scored, tasks="of", n_resamples=99)
    first = _first(board.table())
    assert (first["rank"], first["run"], first["mean AP"]) == (1, "a", MEAN)
    assert [first[f"{name} (2)"] for name in ("run", "rank", "mean AP")] == [0.25, 0.5, 1.0]
    assert len(board.to_frame("polars").columns) == len(first)
    table = coliee_ir.compare(_read("rank"), other=_read("rank"), n_resamples=99).to_frame("polars")
    assert len({*table.columns}) == len(table.columns) > 5
