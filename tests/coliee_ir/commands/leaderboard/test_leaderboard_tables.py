"""Tables of questions and categories: small cases that can be counted by hand, and properties."""

import math
from pathlib import Path

import one_step
import pytest
from asserting import heard, matches, refusing
from published import ACCURACIES

from coliee_adapters.errors import InputError, UsageError
from coliee_ir import Answers, Gold, Run
from coliee_ir.cli import main
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


# questions


def test_questions_by_kind():
    gold = Gold({**{q: dict.fromkeys(of, 1) for q, of in GOLD.items()}, "q5": {}})
    board = one_step.leaderboard(gold, ONE, TWO, task="3", edition=2025, n_resamples=99)
    assert list(board.table("questions").header) == ["query", "kind", "relevant", "F2", "P", "R"]
    assert values(board, "relevant") == [[0, 1], [1, 3], [2, 1]]
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


def test_means_of_questions_are_over_ranked_runs(tmp_path):
    for name, text in {
        "teams.csv": "tag,team,status\nONE,A,\nTWO,B,withdrawn\n", "one": "q1 a ONE\nq2 x ONE\n", "two": "q2 c TWO\n",
    }.items():  # fmt: skip
        (tmp_path / name).write_text(text)
    one, two = str(tmp_path / "one"), str(tmp_path / "two")
    marked, alone = board_of(one, two, teams=str(tmp_path / "teams.csv")), board_of(one)
    assert len(marked.entries) == 2 and values(marked, "questions") == values(alone, "questions")
    assert marked.table("questions").caption == alone.table("questions").caption


def test_of_answers_questions_are_easy_or_other_and_without_documents():
    gold = {"R07-01-A": "Y", "R07-02-A": "N", "R07-03-A": "Y"}
    runs = [Answers({query: label == "Y" for query, label in zip(gold, labels, strict=True)}, tag=labels)
            for labels in ("YNN", "YYN")]  # fmt: skip
    board = one_step.leaderboard(gold, *runs, task="4", n_resamples=99)
    assert values(board, "questions") == [
        ["R07-01-A", "easy", 1.0], ["R07-02-A", "other", 0.5], ["R07-03-A", "other", 0.0]
    ]  # fmt: skip
    with refusing(UsageError, "[no-result]"):
        board.table("relevant")


def test_as_many_yes_as_no_make_no_the_baseline():
    label, is_right = majority(one_step.leaderboard({"a": "Y", "b": "N"}, {"a": "Y"}, task="4", n_resamples=9)) or (
        "",
        [],
    )
    assert (label, [*is_right]) == ("N", [0, 1])


def test_a_mean_of_three_tenths_stands_in_the_fourth_bin():
    queries = [f"q{n}" for n in range(10)]
    runs = [Run.of({"q0": ["d"]} if n < 3 else {"q1": ["x"]}, tag=f"r{n}") for n in range(10)]
    board = one_step.leaderboard({query: ["d"] for query in queries}, *runs, task="1", n_resamples=9)
    categories = Categories("c.csv", {"all": tuple(queries)})
    assert [row[1] for row in values(board, "crossed", categories=categories)] == [9, 0, 0, 1, 0, 0, 0, 0, 0, 0]


# cutoffs


@pytest.mark.parametrize(("name", "said"), [
    ("nothing", "[unknown-name] 'nothing'… ranking, results …"),
    ("categories", "[option-needed]"),
])  # fmt: skip
def test_tables_that_there_are_not(name, said):
    with refusing(UsageError, said):
        board_of(ONE).table(name)


# categories


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("query,a\nq1,x\n", "t.csv: [missing-column]"),
        ("query,category\nq9,a\n", "t.csv: [no-result] (found 'q9')"),
    ],
)  # fmt: skip
def test_categories_that_cannot_be_read(text, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text(text)
    with refusing(InputError, said):
        read_categories("t.csv", list(GOLD))


def test_a_micro_average_by_category_is_one_of_its_questions_alone(tmp_path):
    (tmp_path / "c.csv").write_text("query,category\nq1.txt,long\nq2,long|short\n\nq3,\n")
    board = board_of(ONE, TWO)
    categories = read_categories(tmp_path / "c.csv", board.queries)
    assert values(board, "categories", categories=categories) == [
        ["long", 2, pytest.approx(4 / 6), pytest.approx(4 / 7)],
        ["short", 1, 1.0, 0.5],
        ["all", 4, pytest.approx(0.6), pytest.approx(4 / 9)],
    ]


# the tables of the 2021 overview paper for Tasks 4 and 5, of 81 questions


def label_files(folder, rights):
    """A gold with 43 times N, of 81, and runs that are right so often."""
    queries = [f"R02-{n}-A" for n in range(81)]
    gold = ["N" if n < 43 else "Y" for n in range(81)]
    (folder / "gold.txt").write_text("".join(f"{q} {label}\n" for q, label in zip(queries, gold, strict=True)))
    (folder / "runs").mkdir()
    for at, right in enumerate(rights):
        turned = {"Y": "N", "N": "Y"}
        # each run is right on other questions, so that categories tell them apart
        first = [(n + 7 * at) % 81 < right for n in range(81)]
        labels = [label if is_right else turned[label] for label, is_right in zip(gold, first, strict=True)]
        lines = [f"{query} {label} r{at}\n" for query, label in zip(queries, labels, strict=True)]
        (folder / "runs" / f"{at}.txt").write_text("".join(lines))
    return [str(folder / "gold.txt"), str(folder / "runs")]


@pytest.mark.parametrize("task", ["4", "5"])
def test_tables_11_and_13(task, tmp_path, capsys):
    rows = [line.split() for line in ACCURACIES.strip().splitlines()]
    published = [(int(right), said) for year, of, _, right, _, said in rows if (year, of) == ("2021", task)]
    files = label_files(tmp_path, [right for right, _ in published])
    given = ["leaderboard", *files, "--task", task, "--edition", "2021", "--resamples", "99", "--table", "results"]
    assert main(given) == 0
    header, *shown = [line.split() for line in capsys.readouterr().out.splitlines()[:-3]]
    assert header[:4] == ["Place", "Run", "Correct", "Accuracy"]
    assert shown.pop()[1:3] == ["baseline", "(all"]
    assert {tag: (int(right), accuracy) for _, tag, right, accuracy, *_ in shown} == {
        f"r{at}": row for at, row in enumerate(published)
    }
    rights = [int(right) for _, _, right, *_ in shown]
    assert rights == sorted(rights, reverse=True)


def test_table_12(tmp_path):
    gold, runs = label_files(tmp_path, [57, 54])
    # overlapping: the first 20 questions, of which N is right, and every third one; one question is not of this year
    lines = ["query,category"]
    lines += [f"R02-{n}-A,Anaphora{'; Negation' if n % 3 == 0 else ''}" for n in range(20)]
    lines += [f"R02-{n}-A,Negation" for n in range(21, 81, 3)]
    (tmp_path / "categories.csv").write_text("\n".join([*lines, "R01-1-A,Negation"]) + "\n")
    board = one_step.leaderboard(gold, runs, task="4", edition=2021, n_resamples=99)
    categories = read_categories(tmp_path / "categories.csv", board.queries)
    assert matches(heard(categories.remarks), (f"[sheet-rows]{tmp_path / 'categories.csv'} … 1 question … R01-1-A …",))
    table = board.table("categories", categories=categories)
    assert list(table.header) == ["category", "questions", "all N", "r0", "r1"]
    anaphora = [100 * sum((n + shift) % 81 < right for n in range(20)) / 20 for shift, right in ((0, 57), (7, 54))]
    negation = [
        100 * sum((n + shift) % 81 < right for n in range(0, 81, 3)) / 27 for shift, right in ((0, 57), (7, 54))
    ]
    expected = [
        ["Anaphora", 20, 100, *anaphora],
        ["Negation", 27, 100 * 15 / 27, *negation],
        ["all", 81, 100 * 43 / 81, 100 * 57 / 81, 100 * 54 / 81],
    ]
    for row, (name, *values) in zip(table.rows, expected, strict=True):
        assert row[0] == name
        assert [cell.value for cell in row if isinstance(cell, Number)] == pytest.approx(values)
    assert [getattr(cell, "text", cell) for cell in table.rows[-1]] == ["all", "81", "53.1", "70.4", "66.7"]


# the data of a task


def test_queries_candidates_and_relevant_documents_of_training_and_test(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("gold.json").write_text('{"001": ["001", "002"], "002": ["003"]}')
    Path("train.json").write_text('{"011": ["001"], "012": ["001", "002", "003"], "013": ["002"], "014": ["001"]}')
    Path("run.txt").write_text("001 001 A\n002 003 A\n")
    for query, n in {"001": 3, "002": 6}.items():
        Path("test", query, "paragraphs").mkdir(parents=True)
        Path("test", query, "entailed_fragment.txt").write_text("x")
        Path("test", query, "base_case.txt").write_text("x")
        for number in range(1, n + 1):
            Path("test", query, "paragraphs", f"{number:03}.txt").write_text("x")
    board = one_step.leaderboard("gold.json", "run.txt", task="2", n_resamples=9)
    candidates, train = candidates_of("test", "2", read_gold("gold.json")), data_of(read_gold("train.json"))
    grid = build(board, "data", Extras(candidates=candidates, train=train))
    assert separated(grid).splitlines() == [
        "data,queries,candidates per query,relevant,relevant per query",
        "training,4,,6,1.5", "test,2,4.5,3,1.5",
    ]  # fmt: skip
    given = ["leaderboard", "gold.json", "run.txt", "--task", "2", "--resamples", "9", "--table", "data", "-f", "csv"]
    assert main(given) == 0
    assert capsys.readouterr().out.splitlines()[1:] == ["test,2,3,1.5"]


def test_the_data_of_answers_are_counts_of_labels():
    gold = {"R07-01-A": "Y", "R07-02-A": "N", "R07-03-A": "Y"}
    board = one_step.leaderboard(gold, Answers({"R07-01-A": True}, tag="A"), task="4", n_resamples=9)
    assert list(board.table("data").header) == ["data", "queries", "Y", "N"]
    assert values(board, "data") == [["test", 3, 2, 1]]
