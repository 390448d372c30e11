"""``coliee-ir protocol``: what there are, what one says, and one begun from a pair of files."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path

import pytest

import coliee_ir
from coliee_ir.cli import main
from coliee_ir.commands.protocol import begin
from coliee_ir.rules import protocol as rules
from coliee_ir.rules.protocol import TASKS, neighbours


@pytest.fixture(autouse=True)
def _forgotten(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(rules, "_named", {})
    monkeypatch.chdir(tmp_path)


def put(name: str, content: object) -> str:
    """Write a file, JSON unless it is text."""
    Path(name).write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return name


def test_all_protocols_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["protocol"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == [*TASKS, *neighbours()]


@pytest.mark.parametrize("name", [*TASKS, *neighbours()])
def test_a_protocol_is_shown_with_its_measures_source_and_file(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["protocol", name]) == 0
    out = capsys.readouterr().out
    for found in rules.all_rules(name):
        assert all(said in out for said in (found.title, found.source, *found.measures, *found.scores.values()))
    assert f"{name}.toml" in out


LAWS = {"q1": [("a", "1"), ("a", "2")], "q2": [("b", "7")]}
LISTED = [{"question": q, "articles": [{"law_id": a, "article_id": b} for a, b in held]} for q, held in LAWS.items()]
NESTED = {"meta": {}, "items": [{"case_id": q, "cites": [f"{a}{b}" for a, b in held]} for q, held in LAWS.items()]}
LABELLED = [{"id": f"x{n}", "verdict": "WIN" if n % 2 else "LOSE", "why": ["e1"]} for n in range(4)]

#: what a pair of files is → the two, the containers, and the measure that a perfect run has with 1
PAIRS: Mapping[str, tuple[object, object, str, str]] = {
    "objects in lists": (LISTED, LISTED, "json", "json"),
    "records inside": (NESTED, NESTED, "json", "json"),
    "objects of queries": ({"q1": {"d1": 2, "d2": 1}}, {"q1": ["d1", "d2"]}, "json", "json"),
    "labels and lists": (LABELLED, LABELLED, "json", "json"),
    "lines": (
        '{"qid": "q1", "docid": "d1"}\n{"qid": "q2", "docid": "d2"}\n',
        '{"qid": "q1", "docid": "d1"}\n{"qid": "q2", "docid": "d2"}\n',
        "jsonl",
        "jsonl",
    ),
    "tables": (
        "query-id\tcorpus-id\tscore\nq1\td1\t1\nq2\td2\t1\n",
        "q1,d1,2.5\nq2,d2,0.5\n",
        "tsv",
        "csv",
    ),
    "laws and articles": (
        [{"no": q, "cites": [{"law": a, "art": int(b)} for a, b in held]} for q, held in LAWS.items()],
        [{"no": q, "cites": [{"law": a, "art": int(b), "conf": 0.5} for a, b in held]} for q, held in LAWS.items()],
        "json",
        "json",
    ),
    "labels under other keys": (
        "".join(f'{{"case": "x{n}", "label": "{("refuted", "entailed")[n % 2]}"}}\n' for n in range(4)),
        "".join(f'{{"case": "x{n}", "prediction": "{("refuted", "entailed")[n % 2]}"}}\n' for n in range(4)),
        "jsonl",
        "jsonl",
    ),
    "objects of objects": (
        {"q1": {"relevant": ["d1", "d2"], "irrelevant": ["d3"]}, "q2": {"relevant": ["d3"], "irrelevant": []}},
        {"q1": ["d2", "d1"], "q2": ["d3"]},
        "json",
        "json",
    ),
    "a matrix": ({"q1": ["d1"], "q2": ["d3"]}, "query,d1,d2,d3\nq1,0.5,0.25,0\nq2,0.0,0.0,0.75\n", "json", "csv"),
    "ids in a cell": ('id,articles\nq1,"d1,d2"\nq2,d3\n', "q1\td1\t1\nq1\td2\t2\nq2\td3\t1\n", "csv", "tsv"),
    "other scripts": (
        [{"问题编号": "q1", "相关法条": ["民法典第一条"]}],
        [{"问题编号": "q1", "相关法条": ["民法典第一条"]}],
        "json",
        "json",
    ),
    "ranks": ("0\t0\t1542\t1\n1\t0\t5\t1\n", "0\t1542\t1\n1\t5\t1\n1\t7\t2\n", "tsv", "tsv"),
}


@pytest.mark.parametrize("pair", PAIRS)
def test_a_protocol_that_was_begun_reads_its_files(pair: str, capsys: pytest.CaptureFixture[str]) -> None:
    gold, run, *containers = PAIRS[pair]
    put("gold", gold)
    put("run", run)
    assert main(["protocol", "new", "gold", "run", "-o", "new.toml"]) == 0
    said = capsys.readouterr().err
    stated = tomllib.loads(Path("new.toml").read_text(encoding="utf-8"))
    assert [stated[what].get("container", containers[0]) for what in ("gold", "run")] == containers
    assert all(said.count(f"{what}: ") >= 1 for what in ("gold", "run"))
    scores = coliee_ir.evaluate("gold", "run", task="new.toml")
    assert scores.queries["unanswered"] == 0
    recall = "MicroR" if "documents" in stated["parts"] else "Accuracy"
    assert coliee_ir.evaluate("gold", "run", task="new.toml", measures=recall).measures[recall] == 1.0


@pytest.mark.parametrize(
    ("file", "task"), [("verdicts.toml", "verdicts"), ("tâche 1.toml", "t-che-1"), ("beir.toml", "my-task")]
)
def test_a_new_protocol_is_called_like_its_file(file: str, task: str) -> None:
    put("gold", {"q1": ["d1"]})
    assert main(["protocol", "new", "gold", "gold", "-o", file]) == 0
    assert rules.use(file) == task


def test_what_is_not_read_is_said() -> None:
    put("gold", [{"qid": "q1", "laws": ["a"], "text": "…"}, {"qid": "q2", "laws": ["b"], "text": "…"}])
    put("run", [{"qid": "q1", "laws": ["a"], "conf": 0.7}, {"qid": "q2", "laws": ["c"], "conf": 0.1}])
    said = begin("gold", "run").guessed
    told = [one for one in said if "'text'" in one or "'conf'" in one]
    assert [(one.split(":")[0], one.split()[-1]) for one in told] == [("gold", "'text'"), ("run", "'conf'")]
    assert any("2 documents of the run, 1 of them" in one for one in said)


def test_known_formats_are_left_to_be_found(tmp_path: Path) -> None:
    put("gold", "q1 0 d1 1\nq2 0 d2 1\n")
    put("run", "q1 Q0 d1 1 0.5 T\nq2 Q0 d2 1 0.5 T\n")
    begun = begin("gold", "run")
    assert not {"gold", "run"} & tomllib.loads(begun.text).keys()
    put("new.toml", begun.text)
    assert coliee_ir.evaluate("gold", "run", task="new.toml").measures["AP"] == 1.0


@pytest.mark.parametrize(
    "arguments",
    [["new"], ["new", "gold"], ["new", "gold", "run", "more"], ["nonsense"], ["missing.toml"], ["new", "gold", "text"]],
)
def test_what_cannot_be_explained_or_begun_is_refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    put("gold", LISTED)
    put("run", LISTED)
    put("text", [{"a": 1.5}])
    assert main(["protocol", *arguments]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1
