"""Tables of questions and categories: small cases that can be counted by hand, and properties."""

import math

import one_step
import pytest
from asserting import done, heard, matches, refusing
from sent import write

from coliee_adapters.errors import InputError, UsageError
from coliee_ir import Answers, Gold, Run
from coliee_ir.commands.leaderboard import Categories, read_categories
from coliee_ir.commands.leaderboard.catalogue import Extras, build, candidates_of, data_of, majority
from coliee_ir.output.grid import Number, separated
from coliee_ir.reading.anything import read_gold

GOLD = {"q1": ["a", "b"], "q2": ["c"], "q3": ["d"], "q4": ["e"]}
ONE = Run.of({"q1": ["a", "x"], "q2": ["c"], "q3": ["x", "d"]}, tag="ONE")
TWO = Run.of({"q1": ["a"], "q2": ["x", "y", "c"]}, tag="TWO")


def board_of(*runs, **options):
    return one_step.leaderboard(GOLD, *runs, **{"task": "1", "n_resamples": 99, **options})


def values(board, name, **extras):
    table = board.table(name, **extras)
    return [[cell.value if isinstance(cell, Number) else cell for cell in row] for row in table.rows]


def test_questions_by_kind():
    gold = Gold({**{q: dict.fromkeys(of, 1) for q, of in GOLD.items()}, "q5": {}})
    board = one_step.leaderboard(gold, ONE, TWO, task="3", edition=2025, n_resamples=99)
    assert list(board.table("questions").header) == ["query", "kind", "relevant", "F2", "P", "R"]
    assert values(board, "relevant") == [[0, 1], [1, 3], [2, 1]] and "relevant" in board.table("questions").caption
    assert board.table("relevant").caption.endswith("5 questions, 5 relevant documents.")
    rows = values(board, "questions")
    assert [row[:3] for row in rows] == [
        ["q2", "one, easy", 1], ["q3", "one, other", 1], ["q4", "one, other", 1], ["q1", "several", 2],
        ["q5", "none", 0],
    ]  # fmt: skip
    assert all(isinstance(value, float) and math.isnan(value) for value in rows[-1][3:])
    assert rows[0][3] == pytest.approx((1 + 5 / 7) / 2)
    crossed = board.table("crossed", categories=Categories("c.csv", {"long": ("q1", "q2", "q3", "q5")}))
    assert list(crossed.header) == ["mean", "one, long", "one, other", "several, long", "several, other"]
    assert [row[0] for row in crossed.rows][::9] == ["0.0–0.1", "0.9–1.0"]
    _, *columns = zip(*crossed.rows, strict=True)
    counts = [sum(int(cell.value) for cell in column) for column in columns]
    assert counts == [2, 1, 1, 0]  # one, several; the one without documents has no mean


def test_means_of_questions_are_over_ranked_runs(here):
    write({"one": "q1 a ONE\nq2 x ONE\n", "two": "q2 c TWO\n", "teams.csv": "tag,team,status\nTWO,B,withdrawn\n"})
    marked, alone = board_of("one", "two", teams="teams.csv"), board_of("one")
    assert len(marked.entries) == 2 and values(marked, "questions") == values(alone, "questions")
    assert marked.table("questions").caption == alone.table("questions").caption


def test_tables_of_answers_are_of_labels():
    gold = {"R07-01-A": "Y", "R07-02-A": "N", "R07-03-A": "Y"}
    runs = [Answers({query: label == "Y" for query, label in zip(gold, labels, strict=True)}, tag=labels)
            for labels in ("YNN", "YYN")]  # fmt: skip
    board = one_step.leaderboard(gold, *runs, task="4", n_resamples=99)
    assert values(board, "questions") == [
        ["R07-01-A", "easy", 1.0], ["R07-02-A", "other", 0.5], ["R07-03-A", "other", 0.0]
    ]  # fmt: skip
    assert "relevant" not in board.table("questions").caption
    assert (list(board.table("data").header), *values(board, "data")) == (
        ["data", "queries", "Y", "N"],
        ["test", 3, 2, 1],
    )
    for name, said in (("relevant", "[no-result]"), ("categories", "[option-needed]"),
                       ("nothing", "[unknown-name] 'nothing'… ranking, results …")):  # fmt: skip
        with refusing(UsageError, said):
            board.table(name)
    label, is_right = majority(one_step.leaderboard({"a": "Y", "b": "N"}, {"a": "Y"}, task="4", n_resamples=9))
    assert (label, [*is_right]) == ("N", [0, 1])  # where there are as many Y as N


def test_a_mean_of_three_tenths_stands_in_the_fourth_bin():
    queries = [f"q{n}" for n in range(10)]
    runs = [Run.of({"q0": ["d"]} if n < 3 else {"q1": ["x"]}, tag=f"r{n}") for n in range(10)]
    board = one_step.leaderboard({query: ["d"] for query in queries}, *runs, task="1", n_resamples=9)
    categories = Categories("c.csv", {"all": tuple(queries)})
    assert [row[1] for row in values(board, "crossed", categories=categories)] == [9, 0, 0, 1, 0, 0, 0, 0, 0, 0]


def test_categories_that_cannot_be_read(here):
    for text, said in (("a\nq1,x", "t.csv: [missing-column]"), ("category\nq9,a", "t.csv: [no-result] (found 'q9')")):
        write({"t.csv": f"query,{text}\n"})
        with refusing(InputError, said):
            read_categories("t.csv", list(GOLD))


def test_a_micro_average_is_one_of_its_questions_alone(here):
    write({"c.csv": "query,category\nq1.txt,long\nq2,long|short\n\nq3,\nR01-1,long\n"})
    board = board_of(ONE, TWO)
    categories = read_categories("c.csv", board.queries)
    assert matches(heard(categories.remarks), ("[sheet-rows]c.csv … 1 question … R01-1 …",))
    assert read_categories("c.csv", ["q1.txt"]).questions == {"long": ("q1.txt",)}  # an id as it is goes first
    assert values(board, "categories", categories=categories) == [
        ["long", 2, pytest.approx(4 / 6), pytest.approx(4 / 7)], ["short", 1, 1.0, 0.5],
        ["all", 4, pytest.approx(0.6), pytest.approx(4 / 9)],
    ]  # fmt: skip


def test_the_data_of_training_and_test(here, call):
    write({
        "gold.json": '{"001": ["001", "002"], "002": ["003"]}', "run.txt": "001 001 A\n002 003 A\n",
        "train.json": '{"011": ["001"], "012": ["001", "002", "003"], "013": ["002"], "014": ["001"]}',
        **{f"test/{query}/{name}.txt": "x" for query in ("001", "002") for name in ("entailed_fragment", "base_case")},
        **{f"test/001/paragraphs/{n:03}.txt": "x" for n in range(1, 4)},
        **{f"test/002/paragraphs/{n:03}.txt": "x" for n in range(1, 7)},
    })  # fmt: skip
    board = one_step.leaderboard("gold.json", "run.txt", task="2", n_resamples=9)
    candidates, train = candidates_of("test", "2", read_gold("gold.json")), data_of(read_gold("train.json"))
    grid = build(board, "data", Extras(candidates=candidates, train=train))
    head = "data,queries,candidates per query,relevant,relevant per query"
    assert separated(grid).splitlines() == [head, "training,4,,6,1.5", "test,2,4.5,3,1.5"]
    assert [getattr(cell, "text", cell) for cell in grid.rows[1]] == ["test", "2", "4.50", "3", "1.50"]
    given = ["leaderboard", "gold.json", "run.txt", "--task", "2", "--resamples", "99", "--table", "data", "-f", "csv"]
    assert done(call, *given)[0].splitlines()[1:] == ["test,2,3,1.5"]
    assert data_of(Gold(labels={"q1": True, "q2": False, "q3": True})).yes == 2
