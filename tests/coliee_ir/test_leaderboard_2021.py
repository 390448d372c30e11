"""The tables of the 2021 overview paper, in form, from invented runs that have the published counts.

The counts are those of coliee.md, 5, and of ``test_reference_figures``. Where the organisers' tables lie beside the
repository as CSV (``COLIEE_OFFICIAL`` names their folder), every row of Tables 11 and 13 is checked too.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import one_step
import pytest
from asserting import heard
from test_reference_figures import ACCURACIES, TABLE_8, Kinds

from coliee_ir.cli import main
from coliee_ir.commands.leaderboard import Categories, Leaderboard, read_categories
from coliee_ir.output.grid import Number

OFFICIAL = Path(os.environ.get("COLIEE_OFFICIAL", Path(__file__).parents[3] / "shared" / "data" / "official"))

# Task 3: 81 questions, 101 articles, one gold for all runs

#: how many questions have so many relevant articles; invented, as the paper's own numbers are not at hand, so that all
#: published rows are possible
SIZES = {1: 64, 2: 16, 5: 1}

#: run → kinds of questions, (correct, returned, relevant), that have the published counts and scores, under one gold
RUNS: Mapping[str, Kinds] = {
    "OvGU_run1": {
        (0, 1, 1): 7, (1, 1, 1): 48, (1, 2, 1): 5, (1, 6, 1): 1, (1, 9, 1): 3,
        (0, 1, 2): 9, (2, 3, 2): 7, (0, 6, 5): 1,
    },
    "JNLP.CrossLMultiLThreshold": {
        (1, 1, 1): 34, (0, 2, 1): 8, (1, 2, 1): 20, (1, 9, 1): 2,
        (0, 0, 2): 6, (2, 3, 2): 7, (2, 9, 2): 3, (0, 0, 5): 1,
    },
    "BM25.UA": {(0, 1, 1): 10, (1, 1, 1): 54, (0, 1, 2): 8, (1, 1, 2): 8, (0, 1, 5): 1},
    "R3.LLNTU": {
        (0, 0, 1): 7, (0, 1, 1): 5, (1, 1, 1): 45, (1, 3, 1): 5, (1, 9, 1): 2,
        (0, 1, 2): 8, (1, 2, 2): 2, (2, 3, 2): 6, (1, 1, 5): 1,
    },
    "TR_HB": {
        (0, 1, 1): 17, (1, 2, 1): 47, (0, 1, 2): 6, (1, 2, 2): 8, (0, 9, 2): 1, (0, 10, 2): 1, (0, 10, 5): 1,
    },
    "HUKB-3": {
        (0, 1, 1): 8, (1, 2, 1): 38, (1, 3, 1): 9, (1, 8, 1): 4, (1, 9, 1): 4, (0, 10, 1): 1,
        (0, 1, 2): 12, (0, 4, 2): 1, (1, 9, 2): 3, (5, 9, 5): 1,
    },
}  # fmt: skip


def questions() -> list[tuple[str, list[str]]]:
    sizes = [size for size, n in SIZES.items() for _ in range(n)]
    return [(f"R02-{n}-A", [str(a) for a in range(1, size + 1)]) for n, size in enumerate(sizes, start=1)]


def answer_set(kinds: Kinds, tag: str) -> Iterator[str]:
    left = [kind for kind, n in kinds.items() for _ in range(n)]
    for query, articles in questions():
        correct, returned, _ = left.pop(next(at for at, kind in enumerate(left) if kind[2] == len(articles)))
        documents = [*articles[:correct], *map(str, range(500, 500 + returned - correct))]
        yield from (f"{query} Q0 {article} {at} {1 / at} {tag}" for at, article in enumerate(documents, start=1))
    assert not left


def long_list(hits_at: Sequence[int], tag: str) -> Iterator[str]:
    """A hundred articles a question, with so many relevant ones in the first 5, 10 and 30 of all."""
    quota = {5: hits_at[0], 10: hits_at[1] - hits_at[0], 30: hits_at[2] - hits_at[1]}
    for query, articles in questions():
        ranked = [str(n) for n in range(601, 701)]
        for article in articles:
            if limit := next((limit for limit, left in quota.items() if left), None):
                quota[limit] -= 1
                ranked[limit - int(article)] = article
        yield from (f"{query} Q0 {article} {at} {101 - at} {tag}" for at, article in enumerate(ranked, start=1))
    assert not any(quota.values())


@pytest.fixture(scope="module")
def statutes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A gold, and a folder of teams with their runs."""
    folder = tmp_path_factory.mktemp("2021")
    pairs = [
        f'<pair id="{query}" label="Y">{"".join(f"<article>{a}</article>" for a in articles)}</pair>'
        for query, articles in questions()
    ]
    (folder / "gold.xml").write_text("\n".join(["<dataset>", *pairs, "</dataset>"]))
    for row in TABLE_8:
        team = folder / "submissions" / row.run.split(".")[-1].split("_")[0]
        team.mkdir(parents=True)
        hits = [round(float(share) * 101) for share in (row.r5, row.r10, row.r30)]
        (team / f"task3.{row.run}").write_text("\n".join(answer_set(RUNS[row.run], row.run)) + "\n")
        (team / f"task3-L.{row.run}").write_text("\n".join(long_list(hits, row.run)) + "\n")
    return folder


@pytest.fixture(scope="module")
def board(statutes: Path) -> Leaderboard:
    return one_step.leaderboard(
        statutes / "gold.xml", statutes / "submissions", task="3", edition=2021, n_resamples=999
    )


def texts(board: Leaderboard, name: str, **extras: object) -> list[list[str]]:
    table = board.table(name, **extras)  # type: ignore[arg-type]
    return [[cell.text if isinstance(cell, Number) else cell for cell in row] for row in table.rows]


def test_table_7(board: Leaderboard) -> None:
    assert texts(board, "relevant") == [[str(size), str(n)] for size, n in SIZES.items()]
    assert board.table("relevant").caption.endswith("81 questions, 101 relevant documents.")


def test_table_8(board: Leaderboard) -> None:
    table = board.table("results")
    assert list(table.header) == [
        "team", "run", "returned", "correct",
        "MacroF2", "MacroP", "MacroR", "AP", "Rprec", "MicroR@5", "MicroR@10", "MicroR@30",
    ]  # fmt: skip
    shown = []
    for _, run, returned, correct, *values in table.rows:
        f2, p, r, _, _, *at = (f"{value.value:.3f}" for value in values if isinstance(value, Number))
        assert isinstance(returned, Number)
        assert isinstance(correct, Number)
        shown.append((run, returned.value, correct.value, f2, p, r, *at))
    assert shown == [(r.run, r.returned, r.correct, r.f2, r.p, r.r, r.r5, r.r10, r.r30) for r in TABLE_8]


def test_figures_1_to_3(board: Leaderboard) -> None:
    table = board.table("questions")
    header = ["query", "kind", "relevant", "F2", "P", "R", "AP", "Rprec", "R@5", "R@10", "R@30"]
    assert list(table.header) == header
    kinds = [row[1] for row in table.rows]
    order = ["one, easy", "one, other", "several"]
    assert kinds == sorted(kinds, key=lambda kind: order.index(str(kind)))
    assert kinds.count("several") == 17
    for row in table.rows:
        recall = row[5]
        assert isinstance(recall, Number)
        if row[1] != "several":
            assert (recall.value >= 0.8 - 1e-9) == (row[1] == "one, easy")
    by_query = {row[0]: row for row in table.rows}
    means = [entry.scores.per_query["R02-1-A"]["MacroF2"] for entry in board.entries]
    shown = by_query["R02-1-A"][3]
    assert isinstance(shown, Number)
    assert shown.value == pytest.approx(sum(means) / 6)
    all_easy = [row[1] for row in board.table("questions", easy=0.0).rows]
    assert all_easy.count("one, other") == 0


def test_tables_9_and_10(board: Leaderboard) -> None:
    table = board.table("crossed", categories=Categories("c.csv", {"long": tuple(q for q, _ in questions()[:70])}))
    assert list(table.header) == ["mean", "one, long", "one, other", "several, long", "several, other"]
    assert len(table.rows) == 10
    sums = [sum(cell.value for cell in column if isinstance(cell, Number)) for column in zip(*table.rows, strict=True)]
    assert sums[1:] == [64, 0, 6, 11]
    assert [row[0] for row in table.rows][::9] == ["0.0–0.1", "0.9–1.0"]


# Tasks 4 and 5: 81 questions


def label_files(folder: Path, runs: Mapping[str, int]) -> list[str]:
    """A gold with 43 times N, of 81, and runs that are right so often."""
    queries = [f"R02-{n}-A" for n in range(81)]
    gold = ["N" if n < 43 else "Y" for n in range(81)]
    (folder / "gold.txt").write_text("".join(f"{q} {label}\n" for q, label in zip(queries, gold, strict=True)))
    (folder / "runs").mkdir()
    for at, right in enumerate(runs.values()):
        turned = {"Y": "N", "N": "Y"}
        # each run is right on other questions, so that categories tell them apart
        first = [(n + 7 * at) % 81 < right for n in range(81)]
        labels = [label if is_right else turned[label] for label, is_right in zip(gold, first, strict=True)]
        lines = [f"{query} {label} r{at}\n" for query, label in zip(queries, labels, strict=True)]
        (folder / "runs" / f"{at}.txt").write_text("".join(lines))
    return [str(folder / "gold.txt"), str(folder / "runs")]


class Row(NamedTuple):
    run: str
    right: int
    accuracy: str


def published(task: str) -> list[Row]:
    rows = [line.split() for line in ACCURACIES.strip().splitlines()]
    return [Row(run, int(right), said) for year, of, run, right, _, said in rows if (year, of) == ("2021", task)]


def from_csv(name: str) -> list[Row]:
    if not (OFFICIAL / name).is_file():
        pytest.skip(f"the organisers' table {name} is not in {OFFICIAL}")
    with (OFFICIAL / name).open(encoding="utf-8") as stream:
        return [Row(row["sid"], int(row["correct"]), row["accuracy"]) for row in csv.DictReader(stream)]


@pytest.mark.parametrize("of", [published, lambda task: from_csv(f"2021_task{task}.csv")], ids=["published", "csv"])
@pytest.mark.parametrize("task", ["4", "5"])
def test_tables_11_and_13(
    task: str, of: Callable[[str], list[Row]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = of(task)
    files = label_files(tmp_path, {f"{at} {row.run}": row.right for at, row in enumerate(rows)})
    given = ["leaderboard", *files, "--task", task, "--edition", "2021", "--resamples", "99", "--table", "results"]
    assert main(given) == 0
    header, *shown = [line.split() for line in capsys.readouterr().out.splitlines()[:-1]]
    assert header == ["run", "correct", "Accuracy"]
    assert shown.pop()[:2] == ["baseline", "(all"]
    assert {tag: (int(right), accuracy) for tag, right, accuracy in shown} == {
        f"r{at}": (row.right, row.accuracy) for at, row in enumerate(rows)
    }
    rights = [int(right) for _, right, _ in shown]
    assert rights == sorted(rights, reverse=True)


def test_table_12(tmp_path: Path) -> None:
    gold, runs = label_files(tmp_path, {"HUKB-2": 57, "UA parser": 54})
    # overlapping: the first 20 questions, of which N is right, and every third one; one question is not of this year
    lines = ["query,category"]
    lines += [f"R02-{n}-A,Anaphora{'; Negation' if n % 3 == 0 else ''}" for n in range(20)]
    lines += [f"R02-{n}-A,Negation" for n in range(21, 81, 3)]
    (tmp_path / "categories.csv").write_text("\n".join([*lines, "R01-1-A,Negation"]) + "\n")
    board = one_step.leaderboard(gold, runs, task="4", edition=2021, n_resamples=99)
    categories = read_categories(tmp_path / "categories.csv", board.queries)
    assert heard(categories.remarks) == (f"[sheet-rows]{tmp_path / 'categories.csv'} … 1 question … R01-1-A …",)
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
    assert texts(board, "categories", categories=categories)[-1] == ["all", "81", "53.1", "70.4", "66.7"]


def test_table_12_as_latex_and_from_a_sheet_of_marks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = label_files(tmp_path, {"HUKB-2": 57})
    sheet = tmp_path / "marks.csv"
    sheet.write_text("id\tAnaphora\tR&D\tnone\n" + "".join(f"R02-{n}-A\tx\t{n % 2}\t\n" for n in range(10)))
    given = ["--task", "4", "--edition", "2021", "--categories", str(sheet), "--resamples", "99"]
    assert main(["leaderboard", *files, *given, "--table", "categories", "-f", "latex"]) == 0
    out, err = capsys.readouterr()
    assert r"Anaphora & 10 & \textbf{100.0} & \textbf{100.0} \\" in out
    assert r"R\&D & 5 &" in out
    assert f"{['[sheet-rows] …'][-1]}none" in err
