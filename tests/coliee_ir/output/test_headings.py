"""Headings that come from data: a measure may be called as a column of ours, and overwrites none."""

import one_step
import pandas
import pytest

import coliee_ir
from coliee_ir import Run, Scored
from coliee_ir.commands.leaderboard.catalogue import results

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
    shown = _first(results(board))
    assert (shown["Place"], shown["Run"], MEAN in shown.values()) == ("1", "a", True)
    assert board.to_dict()["tables"]["ranking"][0]["run"] == "a"
    scores = _first(coliee_ir.compare(_read(measure), n_resamples=99).tables()[1])
    assert (scores["run"], MEAN in scores.values()) == ("a", True)
    assert scores["low 95%"] < MEAN.expected < scores["high 95%"]


@pytest.mark.parametrize("column", ["F1", "MicroF1", "MicroF2", "F2", "Place", "low 95%"])
def test_a_column_of_the_teams_file_called_as_another_hides_none(column, tmp_path):
    teams, run = tmp_path / "teams.csv", Run.of({"q": ["a", "b"]}, tag="A")
    teams.write_text(f"tag,team,{column}\nA,KIS,theirs\n")
    measures = ["MicroF1", "MicroF2", "MicroP", "MicroR"]
    board = one_step.leaderboard({"q": ["a"]}, run, teams=teams, task="1", measures=measures, n_resamples=9)
    for table in (board.table(), results(board), results(board, "coliee2021")):
        row = [*_first(table).values()]
        assert ("KIS" in row, row.count("theirs")) == (True, 1)
        assert {2 / 3, 0.5, 1.0} <= {*row} and (5 / 6 in row or table.header[0] == "Team")
