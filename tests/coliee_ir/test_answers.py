"""Answers from people's files: JSON, 1 and 0, and words that are no label."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from coliee_adapters.errors import InputError
from coliee_ir import Answers, Decisions, compare, evaluate, read_run
from coliee_ir.commands.leaderboard import rank_runs
from coliee_ir.commands.tune import tune
from coliee_ir.scoring.reading import find_task, opened, read_gold, telling

Call = Callable[..., tuple[int, str, str]]

GOLD = {"R07-01-O": "Y", "R07-02-O": "N", "R07-03-O": "N", "R07-04-O": "Y"}
XML = "<dataset>" + "".join(f'<pair id="{q}" label="{y}"><article>96</article></pair>' for q, y in GOLD.items())
WRONG = Decisions(unreadable_answers="wrong")


@pytest.fixture
def sorry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A run that answers two questions rightly, and two with words; beside golds of Task 4."""
    monkeypatch.chdir(tmp_path)
    Path("gold.json").write_text(json.dumps(GOLD))
    Path("gold.xml").write_text(XML + "</dataset>")
    Path("plain.txt").write_text("".join(f"{query} N PLAIN\n" for query in GOLD))
    path = Path("sorry.txt")
    path.write_text("R07-01-O Y SORRY\nR07-02-O Sorry SORRY\nR07-03-O N SORRY\nR07-04-O I SORRY\n")
    return path


@pytest.mark.parametrize(
    "command",
    [
        ["evaluate", "gold.json", "sorry.txt"],
        ["evaluate", "gold.xml", "sorry.txt"],
        ["compare", "gold.json", "plain.txt", "sorry.txt", "--resamples", "99"],
        ["leaderboard", "gold.json", "plain.txt", "sorry.txt", "--resamples", "99"],
    ],
)
def test_words_that_are_no_labels_are_refused_or_wrong(sorry: Path, call: Call, command: list[str]) -> None:
    code, _, err = call(*command)
    assert code == 2
    assert "sorry.txt: 2 of 4 answers are neither Y nor N (found 'line 2: Sorry; line 4: I')" in err
    assert "--unreadable-answers wrong" in err
    code, out, err = call(*command, "--unreadable-answers", "wrong")
    assert (code, "0.5000" in out) == (0, True)
    assert "2 answers are neither Y nor N and count as wrong (first: line 2: Sorry; line 4: I)" in err
    assert "unanswered and" not in err
    assert "nothing retrieved" not in err


def test_python_refuses_them_and_scores_them_as_wrong(sorry: Path) -> None:
    with pytest.raises(InputError) as caught:
        evaluate("gold.json", sorry)
    assert caught.value.path == "sorry.txt"
    scores = evaluate("gold.json", sorry, decisions=WRONG)
    assert scores.measures == {"Accuracy": 0.5}
    assert (scores.queries["answered"], scores.decisions.unreadable_answers) == (4, "wrong")
    answers = read_run(sorry, unreadable_answers="wrong")
    assert isinstance(answers, Answers)
    assert evaluate("gold.json", answers, decisions=WRONG).measures == {"Accuracy": 0.5}
    with pytest.raises(InputError):
        evaluate("gold.json", answers)
    assert compare("gold.json", "plain.txt", sorry, decisions=WRONG, n_resamples=99).standings[1].score == 0.5
    assert len(rank_runs("gold.json", "plain.txt", sorry, decisions=WRONG, n_resamples=99).entries) == 2


def test_answers_beside_articles_are_held_to_the_same_choice(sorry: Path) -> None:
    articles = {query: ["96"] for query in GOLD}
    with pytest.raises(InputError):
        evaluate("gold.xml", articles, answers=sorry, task=3, edition=2026)
    assert evaluate("gold.xml", articles, answers=sorry, task=3, decisions=WRONG).measures["Accuracy"] == 0.5
    scored = {query: {"96": 1.0, "97": 0.5} for query in GOLD}
    with pytest.raises(InputError):
        tune("gold.xml", scored, answers=sorry, maximise="Accuracy", folds=2)
    tuned = tune("gold.xml", scored, answers=sorry, maximise="Accuracy", folds=2, decisions=WRONG)
    assert tuned.resubstitution == 0.5


@pytest.mark.parametrize(
    "command", [["convert", "sorry.txt", "-", "--to", "trec"], ["fuse", "plain.txt", "sorry.txt", "-o", "-"]]
)
def test_nothing_else_takes_them(sorry: Path, call: Call, command: list[str]) -> None:
    code, out, err = call(*command)
    assert (code, out) == (2, "")
    assert "2 of 4 answers are neither Y nor N" in err


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(GOLD),
        json.dumps({query: label == "Y" for query, label in GOLD.items()}),
        "".join(json.dumps({"id": query, "label": label, "expert": 3}) + "\n" for query, label in GOLD.items()),
        json.dumps([{"pair_id": query, "prediction": label, "label": "N"} for query, label in GOLD.items()]),
        "".join(f"{query} {int(label == 'Y')}\n" for query, label in GOLD.items()),
    ],
)
@pytest.mark.parametrize("gold", ["gold.json", "gold.xml"])
def test_answers_in_any_form_are_scored_as_task_4(sorry: Path, call: Call, text: str, gold: str) -> None:
    Path("us.json").write_text(text)
    code, out, err = call("evaluate", gold, "us.json")
    assert code == 0, err
    assert "task 4" in err
    assert "1.0000" in out
    Path("us.txt").write_text("".join(f"{query} 96 T\n" for query in GOLD))
    assert find_task(read_gold("gold.xml"), telling([opened("us.txt"), opened("us.json")])).task == "4"
    Path("articles.json").write_text(json.dumps({query: ["96"] for query in GOLD}))
    assert find_task(read_gold("gold.xml"), telling([opened("us.json"), opened("articles.json")])).task == "3"


def test_a_label_list_does_not_become_a_ranking(sorry: Path, call: Call) -> None:
    Path("labels.jsonl").write_text('{"id": "R01-1-A", "label": "Y"}\n{"id": "R01-2-A", "label": "N"}\n')
    code, out, _ = call("convert", "labels.jsonl", "-", "--to", "labels")
    assert (code, out) == (0, "R01-1-A Y labels\nR01-2-A N labels\n")
