"""Answers from people's files: JSON, 1 and 0, and words that are no label."""

import json
from pathlib import Path

import pytest
from asserting import done, failing, mentions, refusing

from coliee_adapters.errors import InputError
from coliee_ir import Answers, Decisions, evaluate, fuse, read_run

GOLD = {"R07-01-O": "Y", "R07-02-O": "N", "R07-03-O": "N", "R07-04-O": "Y"}
XML = "<dataset>" + "".join(f'<pair id="{q}" label="{y}"><article>96</article></pair>' for q, y in GOLD.items())
TYPED = ("--decision", "unreadable-answers=wrong")


@pytest.fixture(autouse=True)
def files(here):
    """A run that answers two questions rightly, and two with words; beside golds of Task 4 and other runs."""
    Path("gold.json").write_text(json.dumps(GOLD))
    Path("gold.xml").write_text(XML + "</dataset>")
    Path("plain.txt").write_text("".join(f"{query} N PLAIN\n" for query in GOLD))
    Path("articles").write_text("".join(f"{query} Q0 96 1 1 T\n" for query in list(GOLD)[:3]))
    Path("sorry.txt").write_text("R07-01-O Y SORRY\nR07-02-O Sorry SORRY\nR07-03-O N SORRY\nR07-04-O I SORRY\n")


def test_words_that_are_no_labels_are_refused_or_wrong_on_the_command_line(call):
    for command in (["evaluate", "gold.xml", "sorry.txt"], ["leaderboard", "gold.json", "plain.txt", "sorry.txt"]):
        code, _, err = call(*command)
        assert code == 2
        assert mentions(err, "sorry.txt: [bad-label] 2 … 4 … are … (found 'line 2: Sorry; line 4: I')")
        assert "unreadable_answers=wrong" in err
        out, err = done(call, *command, *TYPED)
        assert "0.5000" in out
        assert mentions(err, "[unreadable-answer] 2 … (first: line 2: Sorry; line 4: I)")
        assert not mentions(err, "[unanswered-query]") and not mentions(err, "[nothing-retrieved]")


def test_an_empty_cell_is_no_word_and_marks_beside_questions_are_answers_and_no_articles(call):
    Path("empty.csv").write_text("id,prediction\nR07-01-O,yes\nR07-02-O,\n")
    err = failing(call, "evaluate", "gold.json", "empty.csv")
    assert mentions(err, "[bad-label] … R07-02-O has no answer")
    assert "N=R07" not in err  # no label is named after its question
    Path("marks.txt").write_text("R07-01-O ○ T\nR07-02-O × T\n")
    assert mentions(call("convert", "marks.txt", "out", "--to", "trec")[2], "[bad-label] … (found '○')")
    done(call, "convert", "marks.txt", "out", "--to", "labels", "--labels", "Y=○,N=×")
    assert Path("out").read_text() == "R07-01-O Y T\nR07-02-O N T\n"


def test_python_refuses_them_and_scores_them_as_wrong():
    answers = read_run("sorry.txt", unreadable_answers="wrong")
    assert isinstance(answers, Answers)
    for run in ("sorry.txt", answers):
        with refusing(InputError, "[bad-label]"):
            evaluate("gold.json", run)
        scores = evaluate("gold.json", run, decisions=Decisions(unreadable_answers="wrong"))
        assert (scores.measures, scores.queries["answered"]) == ({"Accuracy": 0.5}, 4)
        assert scores.decisions.unreadable_answers == "wrong"


def test_unreadable_answers_cast_no_vote_and_are_not_converted(call):
    read = "R07-01-O Y {0}\nR07-03-O N {0}\n"
    others = "R07-02-O N vote\nR07-04-O N vote\n"
    for command, expected in (
        (("fuse", "sorry.txt", "plain.txt", "--ties", "Y"), read.format("vote") + others),
        (("convert", "sorry.txt", "-", "--to", "labels"), read.format("SORRY")),
    ):
        assert mentions(failing(call, *command), "[bad-label] 2 … 4 … are …")
        out, err = done(call, *command, *TYPED)
        assert out == expected
        assert mentions(err, "… (first: line 2: Sorry; line 4: I)")
    assert not fuse("sorry.txt", "plain.txt", ties="N", unreadable_answers="wrong").labels["R07-02-O"]


#: as JSON, rows or lines; labels are the words of a language
WORDS = {
    "us.txt": "".join(f"{query} {'Đúng' if label == 'Y' else 'SAI'} T\n" for query, label in GOLD.items()),
    "us.csv": "id,answer\n" + "".join(f"{q},{'Có' if label == 'Y' else 'sai'}\n" for q, label in GOLD.items()),
    "us.json": json.dumps({query: "Đúng" if label == "Y" else "Sai" for query, label in GOLD.items()}),
    "us.jsonl": "".join(json.dumps({"id": q, "answer": "Có" if y == "Y" else "Sai"}) + "\n" for q, y in GOLD.items()),
}


@pytest.mark.parametrize("name", WORDS)
def test_answers_in_words_that_the_user_names_are_labels(call, name):
    Path(name).write_text(WORDS[name], encoding="utf-8")
    words = ("--labels", "Y=\u0110u\u0301ng|Có,N=Sai")  # in another Unicode form
    failing(call, "evaluate", "gold.json", name)
    assert call("convert", name, "-", "--to", "labels", "--tag", "T", *words)[1].split()[1::3] == list("YNNY")
    Path("gold.xml").write_text(XML.replace('"Y"', '"Đúng"').replace('"N"', '"Sai"') + "</dataset>", encoding="utf-8")
    assert "1.0000" in done(call, "evaluate", "gold.xml", name, *words)[0]
