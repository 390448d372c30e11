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
from coliee_ir.reading.submission import Submission

DOCUMENTS = st.lists(st.sampled_from("abcdef"), unique=True, max_size=6)
RUNS = st.lists(st.dictionaries(st.sampled_from("123"), DOCUMENTS), min_size=1, max_size=3)
GOLD = {"1": ["a", "b"], "2": ["c"], "3": ["d"]}


@given(RUNS, st.none() | st.integers(1, 4))
def test_every_document_is_counted_as_the_scores_count_it(runs, k):
    measure = "MicroF1" if k is None else f"MicroF1@{k}"
    evaluator = Evaluator(GOLD, measure, task="2", decisions=Decisions(no_overlap="zero"))
    for run, rows in zip(runs, outcomes(evaluator, [Submission(run) for run in runs], k), strict=True):
        assert len({(row.query, row.document) for row in rows}) == len(rows)
        for row in rows:
            ranking = run.get(row.query, [])
            relevant, retrieved = row.document in GOLD[row.query], row.document in ranking[:k]
            outcome = {(1, 1): "found", (1, 0): "missed", (0, 1): "wrong", (0, 0): "absent"}[relevant, retrieved]
            rank = ranking.index(row.document) + 1 if row.document in ranking else 0
            assert (row.outcome, row.rank, row.relevance) == (outcome, rank, int(relevant))
        n, counts = Counter(row.outcome for row in rows), evaluator.evaluate(run).counts
        of_rows = {"correct": n["found"], "retrieved": n["found"] + n["wrong"], "relevant": n["found"] + n["missed"]}
        assert k is not None or of_rows == {name: counts[name] for name in of_rows}


@given(RUNS)
def test_a_change_is_between_a_run_and_the_one_before(runs):
    of_runs = list(outcomes(Evaluator(GOLD, task="2"), [Submission(run) for run in runs]))
    assert not any(row.change for row in of_runs[0])
    everywhere = {(query, document) for run in [GOLD, *runs] for query in GOLD for document in run.get(query, [])}
    is_wrong = [{(q, d): (d in run.get(q, [])) != (d in GOLD[q]) for q, d in everywhere} for run in runs]
    for rows, now, before in zip(of_runs[1:], is_wrong[1:], is_wrong, strict=False):
        changes = {(row.query, row.document): row.change for row in rows}
        for key, wrong in now.items():
            assert changes.get(key, "") == ("" if wrong == before[key] else "worse" if wrong else "better")
            # what is absent, and was so before, has no row; all else has one
            assert (key in changes) == (wrong or before[key] or key[1] in GOLD[key[0]])


@pytest.fixture
def typed(here):
    Path("gold.json").write_text(json.dumps({"000001": ["000007", "000008"]}))
    Path("run.txt").write_text("000001 000009 T\n000001 000007 T\n")
    Path("next.txt").write_text("000001 000007 U\n000001 000008 U\n")
    return ("evaluate", "gold.json", "run.txt", "next.txt", "--task", "1", "-m", "MicroF1", "-f", "csv")


EXPECTED = [
    ("T", "000007", "found", "", 2, 1), ("T", "000008", "missed", "", 0, 1), ("T", "000009", "wrong", "", 1, 0),
    ("U", "000007", "found", "", 1, 1), ("U", "000008", "found", "better", 2, 1),
    ("U", "000009", "absent", "better", 0, 0),
]  # fmt: skip


def test_the_name_of_the_file_says_its_form_and_titles_come_from_a_corpus(typed, call):
    Path("cases").mkdir()
    for case in ("000001", "000007", "000008"):
        Path(f"cases/{case}.txt").write_text(f"Re {case}\n")
    for name in ("e.csv", "e.tsv", "e.json"):
        done(call, *typed, "--corpus", "cases", "--errors", name)
        text, separator = Path(name).read_text(), "," if name == "e.csv" else "\t"
        rows = json.loads(text) if name == "e.json" else list(csv.DictReader(text.splitlines(), delimiter=separator))
        found = [[row[name] for name in ("run", "document", "outcome", "change", "rank", "relevance")] for row in rows]
        assert [(*row[:4], int(row[4] or 0), int(row[5])) for row in found] == EXPECTED
        assert name != "e.json" or text == json.dumps(rows, indent=1) + "\n"
        titles = {row["document"]: row["title"] for row in rows}
        assert titles == {"000007": "Re 000007", "000008": "Re 000008", "000009": ""}
    # what lies behind the cutoff is missed with its rank
    done(call, *typed[:3], "--task", "1", "-m", "MicroF1@1", "--errors", "e.json")
    assert [(row["document"], row["outcome"], row["rank"]) for row in json.loads(Path("e.json").read_text())] == [
        ("000007", "missed", 2), ("000008", "missed", None), ("000009", "wrong", 1)
    ]  # fmt: skip


def test_a_table_stands_on_standard_output_and_the_scores_beside_it(typed, call):
    _, scores, remarks = call(*typed)
    out, err = done(call, *typed, "--errors", "-")
    assert err == remarks + scores
    assert call(*typed, "--errors", "e.txt") == (0, scores, remarks)
    assert out == Path("e.txt").read_text()
    head, *rows = (line.split() for line in out.splitlines())
    assert head == ["run", "query", "document", "outcome", "change", "rank", "relevance"]
    assert [(row[0], row[2], row[3]) for row in rows] == [row[:3] for row in EXPECTED]
    for wrong in (["--errors", "e.xlsx"], ["--corpus", "cases"], ["--errors", "-", "--log", "-"],
                  ["--errors", "run.txt"]):  # fmt: skip
        assert failing(call, *typed, *wrong).startswith("coliee-ir: ")


def test_an_answer_is_found_missed_or_wrong():
    evaluator = Evaluator({"R07-01-A": "Y", "R07-01-I": "N", "R07-01-U": "Y"}, task="4")
    [rows] = outcomes(evaluator, [Submission({"R07-01-A": "Y", "R07-01-I": "Y"})])
    assert [(row.query, row.document, row.outcome) for row in rows] == [
        ("R07-01-A", "Y", "found"), ("R07-01-I", "N", "missed"), ("R07-01-I", "Y", "wrong"), ("R07-01-U", "Y", "missed")
    ]  # fmt: skip
