from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from messages import wording

import coliee_ir.examples
from coliee_adapters import statute, tort, trec
from coliee_adapters.columns import THREE_COLUMNS, read_blocks
from coliee_adapters.files import Source
from coliee_adapters.records import Columns, Gold, normal_id
from coliee_adapters.remarks import KINDS

SHIPPED = Path(coliee_ir.examples.__file__).parent
GENERATOR = Path(__file__).parents[1] / "data" / "make_examples.py"


def shipped(name: str) -> Source:
    return Source(SHIPPED / name)


def contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file() and path.suffix not in (".py", ".pyc"))
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def run_lines(name: str) -> list[tuple[str, str]]:
    """The (query, document) lines of a run of six columns, or three."""
    source = shipped(name)
    blocks: Iterator[Columns] = (
        read_blocks(source, THREE_COLUMNS, normal_id)
        if name.endswith(".txt")
        else trec.read_run(source, normal_id).blocks()
    )
    found = []
    for block in blocks:
        assert block.remarks is None or not any(map(block.remarks.count, KINDS.keys() - {"comment"}))
        for query, first, last in block.segments():
            found += [(query, document) for document in block.documents[first:last]]
    return found


def scores(name: str) -> Iterator[list[float]]:
    """The scores of a run, query by query; each query stands in one block or is cut in two."""
    for block in trec.read_run(shipped(name), normal_id).blocks():
        assert block.scores is not None
        for first, last in zip(block.starts, block.starts[1:], strict=False):
            yield block.scores[first:last]


def test_the_generator_gives_the_shipped_files_to_the_byte(tmp_path: Path) -> None:
    subprocess.run([sys.executable, GENERATOR, tmp_path], check=True)
    made, ours = contents(tmp_path), contents(SHIPPED)
    assert sorted(made) == sorted(ours)
    assert [name for name in made if made[name] != ours[name]] == []


def test_all_together_stay_small() -> None:
    assert sum(map(len, contents(SHIPPED).values())) < 350_000


# gold


@pytest.mark.parametrize(
    ("name", "remarks"),
    [
        ("task3-2025/gold.xml", []),
        ("task3/gold.xml", []),
        (
            "task4/gold.xml",
            [
                f"{wording('missing-article', 1)} (first: line 49: R07-05-U 97)",
            ],
        ),
    ],
)
def test_statute_gold(name: str, remarks: list[str]) -> None:
    gold = statute.read_gold(shipped(name))
    assert gold.qrels is not None
    assert gold.labels is not None
    assert len(gold.qrels) == len(gold.labels) == 30
    assert list(gold.remarks.sentences()) == remarks


def test_statute_gold_of_2025_has_one_to_three_articles() -> None:
    gold = statute.read_gold(shipped("task3-2025/gold.xml"))
    assert gold.qrels is not None
    assert {len(articles) for articles in gold.qrels.values()} == {1, 2, 3}
    text = shipped("task3-2025/gold.xml").text()
    for spelling in ("\n(Borrowed Tools)\nArticle 32 (1) The", "\nArticle 537(1)If", "\nArticle 398-20\nA pledge"):
        assert spelling in text


def test_tasks_3_and_4_of_2026_ask_the_same() -> None:
    gold, with_text = (statute.read_gold(shipped(f"{task}/gold.xml")) for task in ("task3", "task4"))
    assert gold.qrels == with_text.qrels
    assert gold.labels == with_text.labels
    assert gold.qrels is not None
    assert sum(not articles for articles in gold.qrels.values()) == 2
    assert "<pair id='R07-" in shipped("task3/gold.xml").text()


def test_tort_gold() -> None:
    cases = tort.read_cases(shipped("tort/gold.jsonl"))
    gold = tort.gold(cases, "gold.jsonl")
    assert len(cases) == 25
    assert any(not case.plaintiff_claims for case in cases)
    assert any(not case.defendant_claims for case in cases)
    assert gold.labels is not None
    assert gold.qrels is not None
    assert any(not any(claims.values()) for claims in gold.qrels.values())


def test_trec_gold() -> None:
    gold = trec.read_gold(shipped("trec/qrels.txt"))
    assert gold.queries == tuple(f"q{number}" for number in range(1, 21))
    assert gold.qrels is not None
    assert {grade for judged in gold.qrels.values() for grade in judged.values()} == {-1, 0, 1, 2, 3}
    assert not gold.remarks


# runs, and the mistakes in them


@pytest.mark.parametrize(
    ("name", "answered", "remarks"),
    [
        ("task3/answers.ALPHA", 30, {}),
        ("task3/answers.BETA", 28, {}),
        ("task4/ALPHA.txt", 30, {}),
        ("task4/BETA.txt", 30, {"label-form": 30, "no-tag": 30}),
        ("task5/ALPHA.txt", 30, {}),
        ("task5/MAJORITY.txt", 30, {}),
    ],
)
def test_answers(name: str, answered: int, remarks: dict[str, int]) -> None:
    answers = statute.read_answers(shipped(name))
    assert len(answers.labels) == answered
    assert {kind: answers.remarks.count(kind) for kind in remarks} == remarks
    assert bool(answers.remarks) == bool(remarks)


def test_answers_to_task_5_differ_in_quality() -> None:
    gold = statute.read_label_gold(shipped("task5/gold.txt")).labels
    assert gold is not None
    right = {
        name: sum(statute.read_answers(shipped(f"task5/{name}.txt")).labels[query] == gold[query] for query in gold)
        for name in ("ALPHA", "MAJORITY")
    }
    assert right == {"ALPHA": 22, "MAJORITY": 17}


@pytest.mark.parametrize("name", ["ALPHA", "BETA"])
def test_tort_submissions_are_complete(name: str) -> None:
    cases = tort.read_cases(shipped(f"tort/{name}.jsonl"))
    assert len(tort.decisions(cases, name, name).labels) == 25
    assert sum(len(block.queries) for block in tort.claims(cases, name, name).blocks()) == 25


def test_the_clean_run_of_task_1() -> None:
    found = run_lines("task1/bm25.txt")
    assert len(found) == len(set(found)) == 40 * 5
    assert all(len(case) == 6 for line in found for case in line)


def test_the_untidy_run_of_task_1() -> None:
    raw = (SHIPPED / "task1" / "dense.txt").read_bytes()
    assert not raw.endswith(b"\n")
    assert raw.count(b"\r\n") == raw.count(b"\n") > 0
    assert all(line.count(b".txt\t") == 2 for line in raw.split(b"\r\n"))
    found = run_lines("task1/dense.txt")
    judged = {query for query, _ in run_lines("task1/bm25.txt")}
    answered = {query for query, _ in found}
    assert len(judged - answered) == 3
    assert len(answered - judged) == 2
    assert len(found) - len(set(found)) == 2


@pytest.mark.parametrize(
    ("name", "queries", "lengths"),
    [
        ("task3-2025/task3.ALPHA", 30, {1, 2, 3}),
        ("task3-2025/task3.BETA", 30, {1, 2, 3}),
        ("task3-2025/task3-L.ALPHA", 30, {100}),
        ("task3-2025/task3-L.BETA", 30, {100}),
        ("task3/task3.ALPHA", 30, {1, 2, 3, 4, 5}),
        ("task3/task3.BETA", 30, {10}),
        ("trec/bm25.run", 20, {50}),
        ("trec/dense.run", 19, {50}),
    ],
)
def test_runs_of_six_columns(name: str, queries: int, lengths: set[int]) -> None:
    found = run_lines(name)
    gold = name.split("/")[0]
    judged: Gold = (
        trec.read_gold(shipped("trec/qrels.txt")) if gold == "trec" else statute.read_gold(shipped(f"{gold}/gold.xml"))
    )
    per_query = Counter(query for query, _ in found)
    assert per_query.keys() <= set(judged.queries)
    assert len(per_query) == queries
    assert set(per_query.values()) == lengths
    assert len(set(found)) == len(found)


def test_ties_stand_where_they_are_meant() -> None:
    assert {score for part in scores("task3-2025/task3.BETA") for score in part} == {1.0}
    assert any(len(set(part)) < len(part) for part in scores("trec/dense.run"))
    for name in ("task3-2025/task3.ALPHA", "task3-2025/task3-L.ALPHA", "task3-2025/task3-L.BETA", "trec/bm25.run"):
        assert all(len(set(part)) == len(part) for part in scores(name)), name


def test_a_long_list_opens_with_a_comment() -> None:
    assert (SHIPPED / "task3-2025" / "task3-L.ALPHA").read_bytes().startswith(b"/* ")
