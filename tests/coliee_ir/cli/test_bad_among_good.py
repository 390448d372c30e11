"""What a stranger ran into: one bad file among good ones, outputs in the place of inputs, labels in another guise."""

import os
import threading
from pathlib import Path

import pytest
from asserting import failing, heard, matches, refusing
from example_runs import EXAMPLES

from coliee_adapters.errors import InputError
from coliee_ir import evaluate, validate

GOLD1, RUN1 = EXAMPLES / "task1" / "gold.json", EXAMPLES / "task1" / "bm25.txt"
DENSE = EXAMPLES / "task1" / "dense.txt"
GOLD4, RUN4 = EXAMPLES / "task4" / "gold.xml", EXAMPLES / "task4" / "ALPHA.txt"


def test_a_file_of_words_does_not_decide_the_task(call, tmp_path):
    words = tmp_path / "notes.txt"
    words.write_text("see you in Tokyo\n")
    code, out, err = call("evaluate", GOLD4, words, RUN4, "--keep-going")
    assert (code, "0.8333" in out) == (2, True)
    folder = tmp_path / "sent"
    (folder / "A").mkdir(parents=True)
    (folder / "Z").mkdir()
    words.rename(folder / "A" / "notes.txt")
    (folder / "Z" / "ALPHA.txt").write_bytes(RUN4.read_bytes())
    code, out, err = call("leaderboard", GOLD4, folder)
    assert (code, "0.8333" in out, "notes.txt" in err) == (0, True, True)


@pytest.mark.parametrize("command", ["evaluate", "compare", "report"])
def test_without_any_good_run_nothing_is_printed_and_the_exit_code_is_2(call, here, command):
    Path("a.txt").write_text("002473 000007 A 1 2 3 4 5\n")
    Path("b.txt").write_text("002473\n")
    more = ("-o", "page.html") if command == "report" else ()
    assert failing(call, command, GOLD1, "a.txt", "b.txt", "--keep-going", *more).count("\n") >= 2
    assert sorted(path.name for path in here.iterdir()) == ["a.txt", "b.txt"]


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("gold.json", ("tune", "DIR/gold.json", RUN1, "--by", "k", "--save", "DIR/gold.json")),
        ("gold.json", ("tune", "DIR/gold.json", RUN1, "--by", "k", "--apply", RUN1, "-o", "DIR/gold.json")),
        ("gold.json", ("fuse", RUN1, DENSE, "--fit", "DIR/gold.json", "-o", "DIR/gold.json")),
        ("gold.json", ("report", "DIR/gold.json", RUN1, "-o", "DIR/gold.json")),
        ("gold.json", ("cut", "DIR/gold.json", "--rule", EXAMPLES / "no.json", "-o", "DIR/gold.json")),
        # two outputs in one
        ("gold.json", ("tune", GOLD1, RUN1, "--by", "k", "--apply", RUN1, "-o", "DIR/x", "--save", "DIR/x")),
        ("ranking.csv", ("leaderboard", GOLD1, "DIR", "-o", "DIR/ranking.csv")),
        ("scores.csv", ("report", GOLD1, "DIR/scores.csv", "--figures", "DIR")),
        ("page", ("report", GOLD1, "DIR", "-o", "DIR/page")),
        ("run.txt", ("convert", "DIR/run.txt", "DIR/run.txt")),
        ("run.txt", ("convert", "DIR/run.txt", "DIR/link", "--to", "trec")),
        ("run.txt", ("validate", "DIR", "--fix", "DIR")),
        ("run.txt", ("validate", "DIR/", "-o", "DIR/run.txt")),
        ("run.txt", ("fuse", "DIR/run.txt", RUN1, "-o", "DIR/hard")),
        ("run.txt", ("tune", GOLD1, RUN1, "--exclude", "DIR/run.txt", "--save", "DIR/run.txt")),
    ],
)
def test_nothing_is_written_over_what_is_read(call, tmp_path, name, arguments):
    run = tmp_path / name
    content = (GOLD1 if name == "gold.json" else RUN1).read_bytes()
    run.write_bytes(content)
    if name == "run.txt" and "DIR" not in arguments:
        (tmp_path / "link").symlink_to(run)
        (tmp_path / "hard").hardlink_to(run)
    before = sorted(tmp_path.iterdir())
    err = failing(call, *(str(argument).replace("DIR", str(tmp_path)) for argument in arguments))
    assert "[would-overwrite]" in err
    assert run.read_bytes() == content
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize("command", ["evaluate", "compare", "leaderboard", "fuse"])
def test_a_run_that_is_sent_twice_is_named(call, tmp_path, command):
    (tmp_path / "twin.txt").write_bytes(RUN1.read_bytes())
    runs = [RUN1, DENSE, tmp_path / "twin.txt"]
    given = [*runs, "-o", tmp_path / "out"] if command == "fuse" else [GOLD1, *runs]
    code, _, err = call(command, *given)
    said = f"[identical] bm25 … {RUN1} …" if command == "fuse" else f"…bm25…: [identical]{RUN1} …"
    assert matches((code, heard([line for line in err.splitlines() if "identical" in line])), (0, [said]))


def test_two_answer_sets_of_one_ranking_are_two_submissions(call, tmp_path):
    task3 = EXAMPLES / "task3"
    (tmp_path / "answers").write_text((task3 / "answers.ALPHA").read_text().replace(" Y ", " N "))
    run, answers = task3 / "task3.ALPHA", ["--answers", task3 / "answers.ALPHA", "--answers", tmp_path / "answers"]
    _, _, err = call("evaluate", task3 / "gold.xml", run, run, *answers)
    assert "identical" not in err
    assert "identical" in call("evaluate", task3 / "gold.xml", run, run, *answers[:2], *answers[:2])[2]


def test_long_ids_and_tags_are_shortened_in_remarks(call, tmp_path):
    tag, query = "T" * 5000, "9" * 5000
    run = tmp_path / "run.txt"
    run.write_text(RUN1.read_text().replace(" bm25\n", f" {tag}\n") + f"{query} 000001 {tag}\n")
    for command in (("evaluate", GOLD1, run), ("leaderboard", GOLD1, run), ("tune", GOLD1, run, "--by", "k")):
        code, out, err = call(*command)
        assert (code, query[:60] in err, max(map(len, err.splitlines())) < 600) == (0, False, True)
        assert command[0] != "evaluate" or len(out) < 1000  # nor does a tag fill the screen
        assert "99999…" in err
    assert tag in call("evaluate", GOLD1, run, "-f", "csv")[1]


def test_an_empty_file_name_is_no_folder(call, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("gold.json").write_text('{"001": ["013"]}')
    Path("run.txt").write_text("001 013 T\n")
    for command in (["evaluate", "gold.json", ""], ["evaluate", "", "run.txt"], ["validate", ""], ["convert", "", "x"]):
        code, out, err = call(*command)
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert "[no-file]" in err
    with refusing(InputError, "[no-file]"):
        evaluate("", "")


@pytest.mark.parametrize(
    ("task", "gold", "lines"),
    [
        ("1", "task1/gold.json", '"002473" "026639" "RUN1"\n'),
        ("1", "task1/gold.json", "002473 0 026639 1\n"),
        ("1", "task1/gold.json", "// y\n002473 026639 RUN1\n"),
        ("2", "task2/gold.json", "827.0 13.0 RUN1\n"),
        ("tort", "tort/gold.jsonl", "Loading the model ... done\n"),
    ],
)
def test_the_gold_shows_the_task_of_a_file_that_does_not(tmp_path, task, gold, lines):
    run = tmp_path / "run.txt"
    run.write_text(lines)
    validation = validate(run, gold=EXAMPLES / gold)
    assert (validation.task, validation.errors > 0) == (task, True)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="a system without named pipes")
@pytest.mark.parametrize("command", ["evaluate", "leaderboard"])
def test_a_run_in_a_named_pipe_is_read_once(call, tmp_path, command):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writing = threading.Thread(target=pipe.write_bytes, args=(RUN1.read_bytes(),), daemon=True)
    writing.start()
    code, out, err = call(command, GOLD1, pipe)
    assert (code, "0.2453" in out) == (0, True), err


@pytest.mark.parametrize("numbers", [("0.25", "0.75", "0.50"), ("3", "1", "2")])
def test_scores_in_place_of_run_tags_give_the_copy_its_order(tmp_path, numbers):
    run, copy = tmp_path / "run.txt", tmp_path / "copy.txt"
    run.write_text(
        "".join(f"002473 {doc} {x}\n" for doc, x in zip(("000007", "000001", "000004"), numbers, strict=True))
    )
    validation = validate(run, task=1, fix=copy, tag="RUN1")
    assert [finding.rule for finding in validation.findings] == ["tag-missing"]
    assert copy.read_text() == "002473 000001 RUN1\n002473 000004 RUN1\n002473 000007 RUN1\n"
    assert validation.left == ()
