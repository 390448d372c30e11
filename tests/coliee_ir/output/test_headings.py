"""Headings that come from data: a measure, a task or a run may be called as a column of ours, and overwrites none."""

import pytest

import coliee_ir
from coliee_ir import Scored
from coliee_ir.output.grid import Number

RUNS = ("a", "b", "c")
BY_TASK = {"x": 0.25, "y": 0.5, "z": 1.0}


def _frame(measure, tasks=None):
    """Three runs on twelve queries of three tasks, of which a run has the values of ``BY_TASK`` times its own."""
    rows = [(run, f"{task}{at}", value / (n + 1)) for n, run in enumerate(RUNS) for task, value in BY_TASK.items()
            for at in range(4)]  # fmt: skip
    run, query, values = map(list, zip(*rows, strict=True))
    return {"run": run, "query": query, measure: values, "of": [(tasks or {}).get(one[0], one[0]) for one in query]}


def _read(measure, tasks=None):
    more = {"higher_is_better": [measure], "columns": {"tag": "run", "query": "query"}} if measure != "AP" else {}
    return Scored.from_frame(_frame(measure, tasks), measures=[measure], **more)


def _cells(table):
    assert len({*table.header}) == len(table.header)
    cells = [[cell.value if isinstance(cell, Number) else cell for cell in row] for row in table.rows]
    return [dict(zip(table.header, row, strict=True)) for row in cells]


MEAN = pytest.approx(sum(BY_TASK.values()) / 3)


@pytest.mark.parametrize("measure", ["rank", "rank 95%", "low 95%", "Place", "place", "ranks", "Interval 95%"])
def test_a_measure_called_as_a_column_overwrites_none(measure):
    board = coliee_ir.leaderboard(_read(measure), measure=measure, n_resamples=99)
    first = _cells(board.table())[0]
    assert (first["rank"], first["run"], first[f"{measure} (2)"]) == (1, "a", MEAN)
    assert first["low 95%"] < MEAN.expected < first["high 95%"]
    results = _cells(board.table("results"))[0]
    assert (results["Place"], results["Run"]) == ("1", "a")
    assert MEAN in results.values()
    assert board.to_dict()["tables"]["ranking"][0]["run"] == "a"
    compared = coliee_ir.compare(_read(measure), n_resamples=99)
    scores = _cells(compared.tables()[1])
    assert [one["run"] for one in scores] == [*RUNS]
    assert scores[0]["low 95%"] < MEAN.expected < scores[0]["high 95%"]
    assert MEAN in scores[0].values()


def test_tasks_called_as_columns_stand_beside_them():
    scored = _read("AP", {"x": "run", "y": "rank", "z": "mean AP"})
    board = coliee_ir.leaderboard(scored, tasks="of", n_resamples=99)
    first = _cells(board.table())[0]
    assert (first["rank"], first["run"], first["mean AP"]) == (1, "a", MEAN)
    assert [first[f"{name} (2)"] for name in ("run", "rank", "mean AP")] == [0.25, 0.5, 1.0]
    assert len(board.to_frame("polars").columns) == len(first)


def test_a_table_by_two_golds_has_a_column_each():
    table = coliee_ir.compare(_read("rank"), other=_read("rank"), n_resamples=99).to_frame("polars")
    assert len({*table.columns}) == len(table.columns) > 5


def test_a_report_shows_every_column(here, call):
    pandas = pytest.importorskip("pandas")
    pandas.DataFrame(_frame("answered")).replace({"a": "mean", "b": "spread"}).to_csv("s.csv", index=False)
    code, _, _ = call("report", "s.csv", "-m", "answered", "-o", "r.html", "--resamples", "99")
    assert code == 0
    with open("r.html", encoding="utf-8") as page:  # noqa: PTH123
        heads = page.read()
    assert "answered (2)" in heads or "answered</button>" in heads
