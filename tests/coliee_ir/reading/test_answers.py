"""Answers from people's files: JSON, 1 and 0, and words that are no label."""

import json
from pathlib import Path

import one_step
import pytest
from asserting import failing, heard, mentions

from coliee_adapters.errors import InputError
from coliee_ir import Answers, Decisions, evaluate, fuse, read_run
from coliee_ir.commands.tune import tune

GOLD = {"R07-01-O": "Y", "R07-02-O": "N", "R07-03-O": "N", "R07-04-O": "Y"}
XML = "<dataset>" + "".join(f'<pair id="{q}" label="{y}"><article>96</article></pair>' for q, y in GOLD.items())
WRONG = Decisions(unreadable_answers="wrong")


@pytest.fixture
def sorry(tmp_path, monkeypatch):
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
def test_words_that_are_no_labels_are_refused_or_wrong(sorry, call, command):
    code, _, err = call(*command)
    assert code == 2
    assert mentions(err, "sorry.txt: [bad-label] 2 … 4 … are … (found 'line 2: Sorry; line 4: I')")
    assert "unreadable_answers=wrong" in err
    code, out, err = call(*command, "--decision", "unreadable-answers=wrong")
    assert (code, "0.5000" in out) == (0, True)
    assert mentions(err, "[unreadable-answer] 2 … (first: line 2: Sorry; line 4: I)")
    assert "unanswered and" not in err
    assert "nothing retrieved" not in err


def test_python_refuses_them_and_scores_them_as_wrong(sorry):
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
    assert one_step.compare("gold.json", "plain.txt", sorry, decisions=WRONG, n_resamples=99).runs[1].score == 0.5
    assert len(one_step.leaderboard("gold.json", "plain.txt", sorry, decisions=WRONG, n_resamples=99).entries) == 2


def test_answers_beside_articles_are_held_to_the_same_choice(sorry):
    articles = {query: ["96"] for query in GOLD}
    with pytest.raises(InputError):
        evaluate("gold.xml", articles, answers=sorry, task=3, edition=2026)
    scores = evaluate("gold.xml", articles, answers=sorry, task=3, edition=2026, decisions=WRONG)
    assert scores.measures["Accuracy"] == 0.5
    scored = {query: {"96": 1.0, "97": 0.5} for query in GOLD}
    with pytest.raises(InputError):
        tune("gold.xml", scored, answers=sorry, measure="Accuracy", folds=2)
    tuned = tune("gold.xml", scored, answers=sorry, measure="Accuracy", folds=2, decisions=WRONG)
    assert tuned.resubstitution == 0.5


@pytest.mark.parametrize(
    "command", [["convert", "sorry.txt", "-", "--to", "trec"], ["fuse", "plain.txt", "sorry.txt", "-o", "-"]]
)
def test_nothing_else_takes_them(sorry, call, command):
    err = failing(call, *command)
    assert mentions(err, "[bad-label] 2 … 4 … are …")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("us.txt", "".join(f"{query} {'Đúng' if label == 'Y' else 'SAI'} T\n" for query, label in GOLD.items())),
        ("us.csv", "id,answer\n" + "".join(f"{q},{'Có' if label == 'Y' else 'sai'}\n" for q, label in GOLD.items())),
        ("us.json", json.dumps({query: "Đúng" if label == "Y" else "Sai" for query, label in GOLD.items()})),
        (
            "us.jsonl",
            "".join(json.dumps({"id": q, "answer": "Có" if y == "Y" else "Sai"}) + "\n" for q, y in GOLD.items()),
        ),
    ],
)
def test_answers_in_words_that_the_user_names_are_labels(sorry, call, name, text):
    Path(name).write_text(text, encoding="utf-8")
    words = ("--labels", "Y=\u0110u\u0301ng|Có,N=Sai")  # in another Unicode form
    assert call("evaluate", "gold.json", name)[0] == 2
    code, out, err = call("evaluate", "gold.json", name, *words)
    assert (code, "1.0000" in out) == (0, True), err
    assert call("convert", name, "-", "--to", "labels", "--tag", "T", *words)[1].split()[1::3] == list("YNNY")
    Path("gold.xml").write_text(XML.replace('"Y"', '"Đúng"').replace('"N"', '"Sai"') + "</dataset>", encoding="utf-8")
    assert "1.0000" in call("evaluate", "gold.xml", name, *words)[1]
    # with the names of columns, in one option or two
    Path("keys.jsonl").write_text("".join(json.dumps({"id": q, "said": f"w{y}"}) + "\n" for q, y in GOLD.items()))
    for given_words in (["--columns", "answer=said,Y=wY,N=wN"], ["--columns", "answer=said", "--labels", "Y=wY,N=wN"]):
        assert "1.0000" in call("evaluate", "gold.json", "keys.jsonl", *given_words)[1]


def test_classes_are_counted_through_a_protocol(sorry, call):
    Path("classes.toml").write_text(
        'task = "classes"\ntitle = "A to D"\nparts = ["documents"]\nmeasures = ["Accuracy"]\nsource = "ours"\n'
        '[scores]\nAccuracy = "MacroP"\n[gold]\ncontainer = "json"\n[gold.documents]\n[run]\nlike = "gold"\n'
    )
    Path("gold.json").write_text('{"q1": "A", "q2": "C", "q3": "D", "q4": "B"}')
    Path("run.json").write_text('{"q1": "A", "q2": "B", "q3": "D"}')
    code, out, err = call("evaluate", "gold.json", "run.json", "--protocol", "classes.toml")
    assert (code, out.split()) == (0, ["run", "Accuracy", "run", "0.5000"]), err


def test_a_label_list_does_not_become_a_ranking(sorry, call):
    Path("labels.jsonl").write_text('{"id": "R01-1-A", "label": "Y"}\n{"id": "R01-2-A", "label": "N"}\n')
    code, out, _ = call("convert", "labels.jsonl", "-", "--to", "labels")
    assert (code, out) == (0, "R01-1-A Y labels\nR01-2-A N labels\n")


@pytest.fixture
def answered(tmp_path, monkeypatch):
    """Statute gold, articles, and two lists of answers of which one has a word that is no label."""
    monkeypatch.chdir(tmp_path)
    pairs = "".join(f'<pair id="R01-{n}-A" label="Y"><article>{n}</article></pair>\n' for n in (1, 2, 3))
    Path("gold.xml").write_text(f"<dataset>\n{pairs}</dataset>\n")
    Path("articles").write_text("R01-1-A Q0 1 1 1 T\nR01-2-A Q0 2 1 1 T\n")
    Path("sorry").write_text("R01-1-A Y T\nR01-2-A Sorry T\nR01-3-A N T\n")
    Path("good").write_text("R01-1-A Y U\nR01-2-A Y U\nR01-3-A Y U\n")
    return tmp_path


def test_remarks_on_answers_are_true_of_the_measures_asked_for(answered):
    def told(*measures):
        scores = evaluate("gold.xml", "articles", answers="sorry", measures=measures, decisions=WRONG)
        return [remark for remark in scores.remarks if "Y nor N" in remark or "only articles" in remark]

    both, accuracy, articles = told("Accuracy", "MacroF2"), told("Accuracy"), told("MacroF2")
    assert [
        "count as wrong" in remark or "counts as wrong" in remark for remark in (both[0], accuracy[0], articles[0])
    ] == [True, True, False]
    assert "[partial-answers]" in heard(both[1])
    assert "[partial-answers]" in heard(accuracy[1])
    assert len(articles) == 1
    assert not any("refused" in remark for remark in (*both, *accuracy, *articles))


def test_unreadable_answers_cast_no_vote_and_are_not_converted(answered, call):
    wrong = ("--decision", "unreadable_answers=wrong")
    for typed in (("fuse", "sorry", "good", "sorry"), ("convert", "sorry", "-", "--to", "labels")):
        code, out, err = call(*typed)
        assert (code, out, "unreadable_answers=wrong" in err) == (2, "", True)
    code, out, err = call("fuse", "sorry", "good", "--ties", "N", *wrong)
    assert (code, out) == (0, "R01-1-A Y vote\nR01-3-A N vote\nR01-2-A Y vote\n")
    assert mentions(err, "… (first: line 2: Sorry)")
    assert fuse("sorry", "good", ties="N", unreadable_answers="wrong").labels["R01-2-A"]
    code, out, err = call("convert", "sorry", "-", "--to", "labels", *wrong)
    assert (code, out) == (0, "R01-1-A Y T\nR01-3-A N T\n")
    assert mentions(err, "… (first: line 2: Sorry)")


def test_a_folder_of_golds_is_converted(answered, call):
    Path("years").mkdir()
    Path("years/a.xml").write_text(Path("gold.xml").read_text())
    Path("years/b.xml").write_text(Path("gold.xml").read_text().replace("R01", "R02"))
    Path("years/link.xml").symlink_to(answered / "gold.xml")
    code, out, err = call("convert", "years", "-")
    assert (code, out.count("\n"), out.count("R02")) == (0, 6, 3)
    assert mentions(err, "[gold-link] 1 … (first: link.xml)")
    assert call("convert", "years", "-", "--to", "trec")[0] == 2
    assert call("convert", "years", "years/a.xml")[0] == 2  # is read
    for name in ("a.xml", "b.xml"):
        Path("years", name).unlink()
    assert mentions(heard(call("convert", "years", "-")[2]), "[empty] link.xml …".removeprefix("; "))
