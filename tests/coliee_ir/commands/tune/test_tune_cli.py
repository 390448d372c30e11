"""``coliee-ir tune`` and ``coliee-ir cut``: what is written where, and what is refused."""

import csv
import io
import json
import re
import shutil
from pathlib import Path

import pytest
from asserting import done, failing, matches, mentions
from example_runs import EXAMPLES

from coliee_ir import evaluate

pytestmark = pytest.mark.usefixtures("one_deal")


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """A copy of the example data, which is the current folder."""
    shutil.copytree(EXAMPLES, tmp_path / "examples")
    monkeypatch.chdir(tmp_path / "examples")


TREC = ("trec/qrels.txt", "trec/bm25.run", "-m", "MicroF1", "--by", "k")
TASK1 = ("task1/gold.json", "task1/rerank.json")
TASK2 = "task2/gold.json"


def test_a_rule_goes_through_a_file_to_another_run(call):
    code, out, err = call("tune", *TREC, "--save", "rule.json", "-f", "json")
    told = json.loads(out)["tunings"][0]
    assert (code, json.loads(Path("rule.json").read_text())) == (0, {**told["rule"], "filters": []})
    said = next(line for line in err.splitlines() if line.startswith("rule.json: "))
    Path("tuning.json").write_text(json.dumps(told))
    code, first, err = call("cut", "trec/bm25.run", "--rule", "rule.json", "--task", "trec")
    assert (code, err.splitlines()[0]) == (0, f"keep {said.removeprefix('rule.json: ')}")
    assert first == call("cut", "trec/bm25.run", "--rule", "tuning.json", "--task", "trec")[1]
    Path("cut.run").write_text(first)
    scored = evaluate("trec/qrels.txt", "cut.run", measures="MicroF1").measures["MicroF1"]
    assert scored == pytest.approx(told["resubstitution"], abs=1e-12)


def test_the_cut_test_run_is_a_valid_submission_of_the_task(call):
    out, err = done(call, "tune", *TASK1, "--apply", "task1/rerank.json", "-o", "RUN1.txt.gz", "--tag", "RUN1")
    assert out.startswith("rerank: cut after 3: ") and "RUN1.txt.gz: 108 documents of 40 queries\n" in err
    assert evaluate("task1/gold.json", "RUN1.txt.gz").measures["MicroF1"] == pytest.approx(0.5371, abs=5e-5)
    # with the columns of task and edition
    for edition, columns in (("2025", 6), ("2017", 3)):
        given = ("task3-2025/gold.xml", "task3-2025/task3-L.ALPHA", "--edition", edition, "--by", "k")
        out, _ = done(call, "tune", *given, "--apply", "task3-2025/task3-L.ALPHA")
        assert {len(line.split()) for line in out.splitlines()} == {columns}


def test_for_a_tag_against_the_rules_that_of_the_file_is_taken_or_nothing_written(call):
    shutil.copy("task1/rerank.json", "mono_t5.json")
    tuned, cut = ("tune", *TASK1, "--apply", "mono_t5.json"), ("cut", "mono_t5.json", "--by", "k=2", "--task", "1")
    for given in (tuned, cut):
        for more in (("-o", "mono_t5.txt"), ("-o", "o.txt", "--tag", "A-TAG-OF-MANY-LETTERS")):
            assert "[bad-value]" in failing(call, *given, *more)
            assert not Path(more[1]).exists()
        for more, tag in (((), "o"), (("--tag", "T5"), "T5")):
            _, err = done(call, *given, "-o", "o.txt", *more)  # the tag is the name of the file
            assert (Path("o.txt").read_text().split()[2], "'mono_t5'" in err) == (tag, not more)
        Path("o.txt").unlink()
    assert "--tag" not in done(call, *cut[:4], "-o", "o.txt")[1]  # no task: no submission


def test_a_rule_of_another_scale_is_asked_about(call):
    for threshold in (0.001, 1000.0):
        Path(f"{threshold:g}.json").write_text(json.dumps({"family": "score", "threshold": threshold}))
    assert "no score reaches" not in done(call, "cut", TREC[1], "--rule", "0.001.json")[1]
    err = failing(call, "cut", TREC[1], "--rule", "1000.json")
    assert "no score reaches" in err and mentions(err, "[no-result]")


def test_what_goes_where(call):
    """Of table, cut run and rule, what has no file and comes last is on standard output, the table beside it."""
    table = call("tune", *TASK1)[1]
    for output in ([], ["-o", "-"]):
        out, err = done(call, "tune", *TASK1, "--apply", "task1/rerank.json", *output)
        assert {len(line.split()) for line in out.splitlines()} == {3} and table in err
    out, _ = done(call, "tune", *TASK1, "-o", "tuning.txt", "--save", "-")
    assert Path("tuning.txt").read_text() == table
    assert json.loads(out) == {"family": "k", "threshold": 3.0, "floor": 0, "cap": None, "filters": []}
    assert table in call("tune", *TASK1, "--save", "-")[2]


def test_standard_input_is_a_run_or_a_rule(call, monkeypatch):
    Path("rule.json").write_text('{"family": "k", "threshold": 1}')
    cut = ("cut", TREC[1], "--rule", "rule.json")
    for name, command in ((TREC[1], ("tune", *TREC)), (TREC[1], cut), ("rule.json", cut)):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(Path(name).read_bytes())))
        assert done(call, *("-" if word == name else word for word in command))[0] == done(call, *command)[0]


def test_a_folder_of_runs_is_ranked_by_the_held_out_score_without_the_gold_in_it(call):
    rows, *alone = (list(csv.DictReader(io.StringIO(done(call, "tune", TASK2, run, "--by", "k", "-f", "csv")[0])))
                    for run in ("task2", "task2/mono.txt", "task2/rules.csv"))  # fmt: skip
    assert rows == [of_run[0] for of_run in alone]
    assert float(rows[0]["MicroF1 held out"]) > float(rows[1]["MicroF1 held out"])
    first, *_, last = done(call, "tune", TASK2, "task2", "--by", "k")[0].splitlines()
    assert re.findall(r" 0\.\d{4}", first) == re.findall(r" 0\.\d{4}", last)[:1]  # not of the luckiest of several


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_broken_run_among_many_in_one_process_and_in_several(call, jobs):
    Path("broken.txt").write_text("002473 026639\n")
    runs = ("tune", TASK1[0], "task1/bm25.txt", "broken.txt", "task1/dense.txt", "-f", "tsv", "--jobs", jobs)
    assert "coliee-ir: broken.txt" in failing(call, *runs)
    code, out, err = call(*runs, "--keep-going")
    assert (code, "coliee-ir: broken.txt" in err) == (2, True)
    assert [line.split("\t")[0] for line in out.splitlines()] == ["run", "dense", "bm25"]
    alone = done(call, "tune", TASK1[0], "task1/dense.txt", "-f", "tsv")[0]
    assert out.splitlines()[1].split("\t")[2:4] == alone.splitlines()[1].split("\t")[2:4]
    assert failing(call, "tune", TASK1[0], "no.txt", "nor.txt", "--keep-going", "--jobs", jobs).count("[no-file]") == 2


def test_filters_are_used_told_and_remembered(call):
    Path("dates.txt").write_text("q1 1999-01-01\nd422 2020-01-01\n# a comment\n")
    options = ("--not-itself", "--dates", "dates.txt")
    done(call, "tune", *TREC, *options, "--save", "rule.json")
    assert json.loads(Path("rule.json").read_text())["filters"] == ["not the query itself", "not newer than the query"]
    for given, said in ((options, False), ((), True), (options[:1], True)):
        assert ("other filters" in done(call, "cut", TREC[1], "--rule", "rule.json", *given)[1]) is said


def test_groups_and_decisions_are_options(call):
    Path("groups.csv").write_text("".join(f"q{at},g{at % 7}\n" for at in range(1, 21)))
    asked = ("--groups", "groups.csv", "--decision", "unanswered=skip", "--folds", "2", "-f", "json")
    [told] = json.loads(done(call, "tune", *TREC, *asked)[0])["tunings"]
    assert (told["groups"], told["decisions"]["unanswered"]) == (7, "skip")


def test_a_tag_with_blanks_is_made_one_word_and_a_hostile_one_said_harmlessly(call):
    shutil.copy("task1/rerank.json", "my best run.json")
    assert done(call, "cut", "my best run.json", "--by", "k=2", "--task", "trec")[0].split()[-1] == "my_best_run"
    Path("hostile.run").write_text(Path(TREC[1]).read_text().replace("\tbm25", "\t=\x1b[31mX"))
    out, err = done(call, "tune", TREC[0], "hostile.run", *TREC[2:], "--not-itself")
    assert "\x1b" not in out + err


@pytest.mark.parametrize(("arguments", "sentence"), [
    ("tune GOLD RUN --tag x", "[option-needed]"),
    ("tune GOLD - --answers -", "[named-twice]"),
    ("tune GOLD RUN --apply task1/bm25.txt --apply task1/dense.txt", "[ambiguous]"),
    ("tune GOLD RUN --apply task1/rerank.json -o - --save -", "[named-twice]"),
    ("tune GOLD RUN --groups three.txt", "three.txt, line 1: [columns] (found 'a b c'); give QUERY GROUP"),
    ("tune GOLD RUN --groups few.txt", "[missing-key] 40 … 002473 …"),
    ("cut RUN out.txt --by k=3", "[usage] … -o …"),
    ("cut RUN --rule list.json", "list.json: [structure]"),
    ("cut RUN --rule k=5", "[bad-value] … --by k=5…"),
    ("cut RUN --by k=5,top=3", "[bad-value] … score=0.5,cap=10, … k=5,top=3"),
    ("cut RUN --by k=5,floor=6", "[bad-value] k=5,floor=6 … k=6"),
    ("cut RUN --candidates words.txt", "words.txt, line 2: [columns] (found '002473 b r2'); give …"),
])  # fmt: skip
def test_what_is_refused(call, arguments, sentence):
    files = {"list.json": "[1]", "three.txt": "a b c\n", "words.txt": "002473 a r1\n002473 b r2\n", "few.txt": "a x\n"}
    for name, text in files.items():
        Path(name).write_text(text)
    err = failing(call, *arguments.replace("GOLD", TASK1[0]).replace("RUN", TASK1[1]).split())
    assert matches(err.splitlines()[-1], f"coliee-ir: {sentence}")


@pytest.mark.parametrize("command", [
    "evaluate task1/gold.json odd.txt -m AP", "tune task1/gold.json odd.txt --folds 2", "cut odd.txt --by k=1",
    "fuse odd.txt RUN -o o.txt", "fuse odd.txt RUN --fit task1/gold.json --folds 2 -o o.txt",
])  # fmt: skip
def test_every_command_says_of_ties_ranks_and_excluded_queries_what_evaluate_says(call, command):
    Path("odd.txt").write_text("002473 Q0 031986 1 1 T\n002473 Q0 026639 2 2 T\n002473 Q0 097991 3 2 T\n")
    _, _, err = call(*command.replace("RUN", TASK1[1]).split(), *(["--exclude", "007630"] * ("gold" in command)))
    assert all(mentions(err, kind) for kind in ("[rank-order] 1 …", "[tie] …"))
    assert (", 1 excluded" in err.splitlines()[0]) is ("gold" in command)
