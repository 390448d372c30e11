"""What a stranger ran into: one bad file among good ones, outputs in the place of inputs, labels in another guise."""

import os
import threading
from pathlib import Path

import pytest
from asserting import done, failing, heard, matches
from example_runs import EXAMPLES

from coliee_ir import validate

GOLD1, RUN1, DENSE = (EXAMPLES / "task1" / name for name in ("gold.json", "bm25.txt", "dense.txt"))
GOLD4, RUN4 = EXAMPLES / "task4" / "gold.xml", EXAMPLES / "task4" / "ALPHA.txt"

pytestmark = pytest.mark.usefixtures("here")


def test_a_file_of_words_does_not_decide_the_task(call):
    for folder in ("sent/A", "sent/Z"):
        Path(folder).mkdir(parents=True)
    words = Path("sent/A/notes.txt")
    words.write_text("see you in Tokyo\n")
    Path("sent/Z/ALPHA.txt").write_bytes(RUN4.read_bytes())
    code, out, _ = call("evaluate", GOLD4, words, RUN4, "--keep-going")
    assert (code, "0.8333" in out) == (2, True)
    out, err = done(call, "leaderboard", GOLD4, "sent")
    assert "0.8333" in out
    assert "notes.txt" in err


@pytest.mark.parametrize("command", ["evaluate", "compare", "report"])
def test_without_any_good_run_nothing_is_printed_and_the_exit_code_is_2(call, here, command):
    Path("a.txt").write_text("002473 000007 A 1 2 3 4 5\n")
    Path("b.txt").write_text("002473\n")
    more = ("-o", "page.html") if command == "report" else ()
    assert failing(call, command, GOLD1, "a.txt", "b.txt", "--keep-going", *more).count("\n") >= 2
    assert sorted(path.name for path in here.iterdir()) == ["a.txt", "b.txt"]


@pytest.mark.parametrize(
    ("name", "typed"),
    [
        ("gold.json", "tune gold.json RUN1 --by k --save gold.json"),
        ("gold.json", "fuse RUN1 DENSE --fit gold.json -o gold.json"),
        ("gold.json", "report gold.json RUN1 -o gold.json"),
        ("gold.json", "tune GOLD1 RUN1 --by k --apply RUN1 -o x --save x"),  # two outputs in one
        ("ranking.csv", "leaderboard GOLD1 . -o ranking.csv"),
        ("scores.csv", "report GOLD1 scores.csv --figures ."),
        ("run.txt", "convert run.txt link --to trec"),
        ("run.txt", "fuse run.txt RUN1 -o hard"),
        ("run.txt", "tune GOLD1 RUN1 --exclude run.txt --save run.txt"),
    ],
)
def test_nothing_is_written_over_what_is_read(call, here, name, typed):
    content = (GOLD1 if name == "gold.json" else RUN1).read_bytes()
    Path(name).write_bytes(content)
    for link, make in (("link", os.symlink), ("hard", os.link)):
        if link in typed:
            make(name, link)
    before = sorted(here.iterdir())
    files = {"GOLD1": GOLD1, "RUN1": RUN1, "DENSE": DENSE}
    assert "[would-overwrite]" in failing(call, *(files.get(word, word) for word in typed.split()))
    assert Path(name).read_bytes() == content
    assert sorted(here.iterdir()) == before


@pytest.mark.parametrize("command", ["evaluate", "compare", "leaderboard", "fuse"])
def test_a_run_that_is_sent_twice_is_named(call, command):
    Path("twin.txt").write_bytes(RUN1.read_bytes())
    runs = [RUN1, DENSE, "twin.txt"]
    _, err = done(call, command, *([*runs, "-o", "out"] if command == "fuse" else [GOLD1, *runs]))
    said = f"[identical] bm25 … {RUN1} …" if command == "fuse" else f"…bm25…: [identical]{RUN1} …"
    assert matches(heard([line for line in err.splitlines() if "identical" in line]), [said])


def test_long_ids_and_tags_are_shortened_in_remarks(call):
    tag, query = "T" * 5000, "9" * 5000
    Path("run.txt").write_text(RUN1.read_text().replace(" bm25\n", f" {tag}\n") + f"{query} 000001 {tag}\n")
    for command, *more in (("evaluate",), ("leaderboard",), ("tune", "--by", "k")):
        out, err = done(call, command, GOLD1, "run.txt", *more)
        assert (query[:60] in err, "99999…" in err, max(map(len, err.splitlines())) < 600) == (False, True, True)
        assert command != "evaluate" or len(out) < 1000  # nor does a tag fill the screen
    assert tag in done(call, "evaluate", GOLD1, "run.txt", "-f", "csv")[0]


@pytest.mark.parametrize(
    ("task", "gold", "lines"),
    [
        ("1", "task1/gold.json", '"002473" "026639" "RUN1"\n'),
        ("2", "task2/gold.json", "827.0 13.0 RUN1\n"),
        ("tort", "tort/gold.jsonl", "Loading the model ... done\n"),
    ],
)
def test_the_gold_shows_the_task_of_a_file_that_does_not(task, gold, lines):
    Path("run.txt").write_text(lines)
    validation = validate("run.txt", gold=EXAMPLES / gold)
    assert (validation.task, validation.errors > 0) == (task, True)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="a system without named pipes")
@pytest.mark.parametrize("command", ["evaluate", "leaderboard"])
def test_a_run_in_a_named_pipe_is_read_once(call, command):
    os.mkfifo("pipe")
    threading.Thread(target=Path("pipe").write_bytes, args=(RUN1.read_bytes(),), daemon=True).start()
    assert "0.2453" in done(call, command, GOLD1, "pipe")[0]
