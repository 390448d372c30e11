"""Headings that come from data: a measure may be called as a column of ours, and overwrites none."""

import pandas
import pytest

import coliee_ir
from coliee_ir import Scored

VALUES = (0.25, 0.5, 1.0)
MEAN = pytest.approx(sum(VALUES) / 3)


def _read(measure):
    """Three runs on twelve queries."""
    rows = [(run, f"q{at}", VALUES[at % 3] / n) for n, run in enumerate("abc", 1) for at in range(12)]
    frame, columns = pandas.DataFrame(rows, columns=["run", "query", measure]), {"tag": "run", "query": "query"}
    return Scored.from_frame(frame, measures=[measure], higher_is_better=[measure], columns=columns)


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
