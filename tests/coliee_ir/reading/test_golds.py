"""Several golds as one: a folder, ``--gold FILE``, a list; and a gold that is mistaken for a run."""

import json
from pathlib import Path

import one_step
import pytest
from asserting import clause, done, matches, mentions

from coliee_adapters.errors import InputError
from coliee_ir import Gold, evaluate, read_gold
from coliee_ir.reading.anything import gold_files

pytestmark = pytest.mark.usefixtures("one_deal")


def statute(era, label=' label="Y"', articles="<article>572</article>"):
    pairs = "".join(f'<pair id="{era}-{n}-A"{label}>{articles}</pair>\n' for n in (1, 2))
    return f"<dataset>\n{pairs}</dataset>\n"


@pytest.fixture
def years(tmp_path, monkeypatch):
    """A folder ``train`` with two years of statute XML, beside other files; and a run over both."""
    monkeypatch.chdir(tmp_path)
    train = tmp_path / "train"
    train.mkdir()
    for era in ("R02", "R01"):
        (train / f"riteval_{era}.xml").write_text(statute(era))
    (train / "README.txt").write_text("The training data.\n")
    (train / ".DS_Store").write_bytes(b"\0\1")
    Path("run.txt").write_text("".join(f"{era}-{n}-A Q0 572 1 1 T\n" for era in ("R01", "R02") for n in (1, 2)))
    return train


def test_a_folder_of_golds_is_one_gold(years, call):
    gold = read_gold("train")
    assert gold.queries == ("R01-1-A", "R01-2-A", "R02-1-A", "R02-2-A")
    assert gold.labels == dict.fromkeys(gold.queries, True)
    assert (gold.path, gold.format) == ("train", "statute-xml")
    assert gold.remarks.examples("not-gold") == ("README.txt",)
    out, err = done(call, "evaluate", "train", "run.txt", "--edition", "2025", "-f", "json")
    assert json.loads(out)["gold"] == "train"
    assert json.loads(out)["runs"][0]["queries"]["judged"] == 4
    assert "README.txt" in err


def test_golds_given_together_are_one_gold(years, call):
    paths = ["train/riteval_R02.xml", years / "riteval_R01.xml"]
    gold = read_gold(paths)
    assert gold.queries == ("R02-1-A", "R02-2-A", "R01-1-A", "R01-2-A")
    assert gold.path == f"train/riteval_R02.xml, {years / 'riteval_R01.xml'}"
    assert evaluate(paths, "run.txt", edition=2025).queries["judged"] == 4
    assert gold_files(paths) == [str(path) for path in paths]
    assert gold_files("train") == ["train/riteval_R01.xml", "train/riteval_R02.xml"]
    assert read_gold([Gold({"a": {"b": 1}}), Gold({"c": {}})]).qrels == {"a": {"b": 1}, "c": {}}
    assert read_gold(paths[:1]).path == paths[0]


@pytest.mark.parametrize("command", ["evaluate", "compare", "leaderboard", "report", "tune"])
def test_every_command_takes_several_golds(years, call, command):
    runs = ["run.txt"]
    Path("second.txt").write_text(Path("run.txt").read_text().replace("T\n", "U\n").replace("572", "5"))
    if command == "compare":
        runs.append("second.txt")
    options = {"report": ["-o", "page.html"], "tune": ["--folds", "2"], "compare": ["--resamples", "99"]}
    given = [command, "train/riteval_R01.xml", *runs, "--edition", "2025", *options.get(command, [])]
    _, err = done(call, *given)
    assert mentions(err, "[extra-query] 2 …")
    _, err = done(call, *given, "--gold", "train/riteval_R02.xml")
    assert not mentions(err, "[extra-query]")
    _, err = done(call, command, "train", *given[2:])
    assert not mentions(err, "[extra-query]")
    assert call(*given, "--gold", "-", "--gold", "-")[0] == 2


def test_fusion_is_fitted_to_several_golds(tmp_path, call, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, queries in (("a.json", "12"), ("b.json", "34")):
        Path(name).write_text(json.dumps({query: ["x"] for query in queries}))
    for name in ("one.json", "two.json"):
        Path(name).write_text(json.dumps({query: {"x": 1.0, "y": 0.5} for query in "1234"}))
    given = ("fuse", "one.json", "two.json", "--task", "2", "--folds", "2", "-o", "f.run", "--fit", "a.json")
    assert "2 queries in 2 folds" in call(*given)[2]
    assert "4 queries in 2 folds" in call(*given, "--fit", "b.json")[2]


def test_golds_of_a_folder_are_no_submissions(years):
    (years / "run.txt").write_bytes(Path("run.txt").read_bytes())
    board = one_step.leaderboard("train", "train", edition=2025, n_resamples=99)
    assert [entry.tag for entry in board.entries] == ["T"]
    assert not any("riteval" in file for one in board.invalid for file in one.files)


def refused(*golds):
    with pytest.raises(InputError) as caught:
        read_gold(list(golds))
    return caught.value


def test_a_query_in_two_golds_is_refused_with_both(years):
    Path("again.xml").write_text(statute("R02"))
    error = refused("train/riteval_R02.xml", "again.xml")
    assert (error.path, error.found) == ("again.xml", "R02-1-A")
    assert "train/riteval_R02.xml" in clause(error)


@pytest.mark.parametrize(
    ("name", "text", "what"),
    [
        ("b.xml", statute("R03", label=""), "labels"),
        ("b.xml", statute("R03", articles=""), "documents"),
        ("b.txt", "R03-1-A 0 572 1\n", "form"),
        ("b.txt", "R03-1-A Y\n", "form"),
    ],
)
def test_golds_of_different_kinds_are_refused(years, name, text, what):
    Path(name).write_text(text)
    error = refused("train/riteval_R02.xml", name)
    assert error.path == name
    assert what in clause(error)
    (years / f"z{name}").write_text(text)
    with pytest.raises(InputError) as caught:
        read_gold("train")
    assert caught.value.path == f"train/z{name}"


def test_golds_of_two_tasks_are_refused(tmp_path):
    for task, name in (("1", "cases_noticed"), ("2", "entailing_paragraphs")):
        (tmp_path / f"{task}.xml").write_text(
            f"<COLIEE task='{task}'><instance id='{task}'><{name}>3</{name}></instance></COLIEE>"
        )
    assert "the task" in clause(refused(tmp_path / "1.xml", tmp_path / "2.xml"))


def test_a_broken_gold_in_a_folder_is_refused_by_name(years):
    (years / "riteval_R03.xml").write_text(statute("R03")[:-9])
    with pytest.raises(InputError) as caught:
        read_gold("train")
    assert caught.value.path == "train/riteval_R03.xml"
    (years / "riteval_R03.xml").write_text("")
    with pytest.raises(InputError, match="empty"):
        read_gold("train")


def test_links_out_of_the_folder_are_not_followed(years, tmp_path):
    (tmp_path / "secret.xml").write_text(statute("R09"))
    (years / "out.xml").symlink_to(tmp_path / "secret.xml")
    (years / "in.xml").symlink_to(years / "riteval_R01.xml")
    (years / "loop.xml").symlink_to(years / "loop.xml")
    (years / "more").mkdir()
    with pytest.raises(InputError, match=r"in\.xml too"):  # the same file twice
        read_gold("train")
    (years / "in.xml").unlink()
    gold = read_gold("train")
    assert "R09-1-A" not in gold.queries
    assert gold.remarks.examples("gold-link") == ("out.xml",)
    assert gold.remarks.count("not-gold") == 3


def test_a_folder_without_gold_is_refused(tmp_path):
    (tmp_path / "notes.txt").write_text("hello\n")
    with pytest.raises(InputError) as caught:
        read_gold(tmp_path)
    assert caught.value.path == str(tmp_path)


def test_remarks_of_golds_add_up_with_their_files(tmp_path):
    for name, query in (("a.json", "1"), ("b.json", "2")):
        (tmp_path / name).write_text(json.dumps({query: ["x", "x", "x", "x", "x"]}))
    remarks = read_gold(tmp_path).remarks
    assert remarks.count("gold-duplicate") == 8
    assert remarks.examples("gold-duplicate")[0] == "a.json, query 1: x"


# a gold and a run in each other's place

GOLD = '{"000001": ["000018"], "000002": ["000099"]}'


@pytest.mark.parametrize(
    ("gold", "run", "swapped"),
    [
        (GOLD, "000001 Q0 000018 1 0.5 T\n", True),
        (GOLD, "000001 000018 T\n", True),
        (GOLD, '{"000001": {"000018": 0.5}}', True),
        ("q1 0 d1 1\n", "q1 Q0 d1 1 0.5 T\n", True),
        (GOLD, "hello\n", False),
        (GOLD, GOLD[:-1], False),
        ("q1 Q0 d1 1 0.5 T\n", "q1 Q0 d1 1 0.5 T\n", False),
    ],
)
def test_a_gold_and_a_run_that_are_swapped_are_asked_about(tmp_path, call, gold, run, swapped):
    (tmp_path / "gold").write_text(gold)
    (tmp_path / "run").write_text(run)
    code, out, err = call("evaluate", tmp_path / "run", tmp_path / "gold")
    assert (code, out, err.count("\n"), "swap" in err) == (2, "", 1, swapped)
    assert matches(err.rstrip(), f"… {tmp_path / 'gold'} …") or not swapped
