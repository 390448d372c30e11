"""``evaluate --errors``: what became of each document, checked against the counts of the scores and a naive twin."""

import csv
import json
from collections import Counter
from pathlib import Path

import pytest
from asserting import done, failing
from hypothesis import given
from hypothesis import strategies as st

from coliee_ir import Decisions, Evaluator
from coliee_ir.commands.evaluate.errors import outcomes
from coliee_ir.output import grid
from coliee_ir.reading.submission import Submission

DOCUMENTS = st.lists(st.sampled_from("abcdef"), unique=True, max_size=6)
QUERIES = st.sampled_from(["1", "2", "3"])
RUNS = st.lists(st.dictionaries(QUERIES, DOCUMENTS), min_size=1, max_size=3)
GOLD = {"1": ["a", "b"], "2": ["c"], "3": ["d"]}


@given(RUNS, st.none() | st.integers(1, 4))
def test_every_document_is_counted_as_the_scores_count_it(runs, k):
    measure = "MicroF1" if k is None else f"MicroF1@{k}"

    evaluator = Evaluator(GOLD, measure, task="2", decisions=Decisions(no_overlap="zero"))
    told = outcomes(evaluator, [Submission(run) for run in runs], k)
    for run, rows in zip(runs, told, strict=True):
        kept = {query: run.get(query, [])[:k] for query in GOLD}
        assert len({(row.query, row.document) for row in rows}) == len(rows)
        for row in rows:
            relevant, retrieved = row.document in GOLD[row.query], row.document in kept[row.query]
            outcome = {(1, 1): "found", (1, 0): "missed", (0, 1): "wrong", (0, 0): "absent"}[relevant, retrieved]
            ranking = run.get(row.query, [])
            rank = ranking.index(row.document) + 1 if row.document in ranking else 0
            assert (row.outcome, row.rank, row.relevance) == (outcome, rank, int(relevant))
        counted = Counter(row.outcome for row in rows)
        if k is None:
            counts = evaluator.evaluate(run).counts
            assert counts["correct"] == counted["found"]
            assert counts["retrieved"] == counted["found"] + counted["wrong"]
            assert counts["relevant"] == counted["found"] + counted["missed"]


@given(RUNS)
def test_a_change_is_between_a_run_and_the_one_before(runs):
    told = list(outcomes(Evaluator(GOLD, task="2"), [Submission(run) for run in runs]))
    assert not any(row.change for row in told[0])
    everywhere = {(query, document) for run in [GOLD, *runs] for query in GOLD for document in run.get(query, [])}
    is_wrong = [{(q, d): (d in run.get(q, [])) != (d in GOLD[q]) for q, d in everywhere} for run in runs]
    for rows, now, before in zip(told[1:], is_wrong[1:], is_wrong, strict=False):
        found = {(row.query, row.document): row.change for row in rows}
        for key, wrong in now.items():
            assert found.get(key, "") == ("" if wrong == before[key] else "worse" if wrong else "better")
            # what is absent, and was so before, has no row; all else has one
            assert (key in found) == (wrong or before[key] or key[1] in GOLD[key[0]])


@pytest.fixture
def task1(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("gold.json").write_text(json.dumps({"000001": ["000007", "000008"]}))
    Path("run.txt").write_text("000001 000009 T\n000001 000007 T\n")
    Path("next.txt").write_text("000001 000007 U\n000001 000008 U\n")


EXPECTED = [
    ("T", "000007", "found", "", 2, 1), ("T", "000008", "missed", "", None, 1), ("T", "000009", "wrong", "", 1, 0),
    ("U", "000007", "found", "", 1, 1), ("U", "000008", "found", "better", 2, 1),
    ("U", "000009", "absent", "better", None, 0),
]  # fmt: skip


@pytest.mark.usefixtures("task1")
@pytest.mark.parametrize("name", ["e.csv", "e.tsv", "e.json"])
def test_the_name_of_the_file_says_its_form_and_titles_come_from_a_corpus(name, call):
    Path("cases").mkdir()
    for case in ("000001", "000007", "000008"):
        Path(f"cases/{case}.txt").write_text(f"Re {case}\n")
    given = ("evaluate", "gold.json", "run.txt", "next.txt", "--task", "1", "--corpus", "cases", "--errors", name)
    done(call, *given)
    text = Path(name).read_text()
    separator = "," if name == "e.csv" else "\t"
    rows = json.loads(text) if name == "e.json" else list(csv.DictReader(text.splitlines(), delimiter=separator))
    found = [
        (row["run"], row["document"], row["outcome"], row["change"], int(row["rank"]) if row["rank"] else None,
         int(row["relevance"])) for row in rows
    ]  # fmt: skip
    assert found == EXPECTED
    assert name != "e.json" or text == json.dumps(rows, indent=1) + "\n"
    titles = {row["document"]: row["title"] for row in rows}
    assert titles == {"000007": "Re 000007", "000008": "Re 000008", "000009": ""}


@pytest.mark.parametrize(("name", "nothing"), [("e.csv", "run\n"), ("e.tsv", "run\n"), ("e.json", "[]\n")])
def test_rows_are_written_as_they_come(name, nothing):
    made = []
    rows = ([made.append(n) or f"run {n}" * 300] for n in range(2000))
    next(iter(grid.file_pieces(name, ["run"], rows, n_text=1)))
    assert len(made) < 1000
    assert "".join(grid.file_pieces(name, ["run"], [], n_text=1)) == nothing


@pytest.mark.usefixtures("task1")
def test_a_table_stands_on_standard_output_and_the_scores_beside_it(call):
    given = ("evaluate", "gold.json", "run.txt", "next.txt", "--task", "1", "-m", "MicroF1", "-f", "csv")
    _, scores, said = call(*given)
    out, err = done(call, *given, "--errors", "-")
    assert err == said + scores
    assert call(*given, "--errors", "e.txt") == (0, scores, said)
    assert out == Path("e.txt").read_text()
    words = [tuple(line.split()) for line in out.splitlines()]
    assert words[0] == ("run", "query", "document", "outcome", "change", "rank", "relevance")
    assert [(row[0], row[2], row[3]) for row in words[1:]] == [row[:3] for row in EXPECTED]


@pytest.mark.usefixtures("task1")
def test_what_lies_behind_the_cutoff_is_missed_with_its_rank(call):
    given = ("evaluate", "gold.json", "run.txt", "--task", "1", "-m", "MicroF1@1", "--errors", "e.json")
    assert call(*given)[0] == 0
    rows = json.loads(Path("e.json").read_text())
    assert [(row["document"], row["outcome"], row["rank"]) for row in rows] == [
        ("000007", "missed", 2), ("000008", "missed", None), ("000009", "wrong", 1)
    ]  # fmt: skip


@pytest.mark.usefixtures("task1")
@pytest.mark.parametrize(
    "wrong", [["--errors", "e.xlsx"], ["--corpus", "cases"], ["--errors", "-", "--log", "-"], ["--errors", "run.txt"]]
)
def test_what_cannot_be_written_is_refused_before_anything(wrong, call):
    err = failing(call, "evaluate", "gold.json", "run.txt", "--task", "1", *wrong)
    assert err.startswith("coliee-ir: ")


def test_an_answer_is_found_missed_or_wrong(tmp_path):
    gold = {"R07-01-A": "Y", "R07-01-I": "N", "R07-01-U": "Y"}
    (tmp_path / "gold.txt").write_text("".join(f"{query} {label}\n" for query, label in gold.items()))
    evaluator = Evaluator(tmp_path / "gold.txt", task="4")
    [rows] = outcomes(evaluator, [Submission({"R07-01-A": "Y", "R07-01-I": "Y"})])
    assert [(row.query, row.document, row.outcome) for row in rows] == [
        ("R07-01-A", "Y", "found"), ("R07-01-I", "N", "missed"), ("R07-01-I", "Y", "wrong"), ("R07-01-U", "Y", "missed")
    ]  # fmt: skip
