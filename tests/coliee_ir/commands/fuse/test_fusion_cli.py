import io
import json
import sys
from pathlib import Path

import pytest
from asserting import done, failing, heard, mentions
from example_runs import EXAMPLES

import coliee_ir
from coliee_ir.commands.convert import to_run
from coliee_ir.rules.protocol import NEWEST

pytestmark = pytest.mark.usefixtures("one_deal")

TASK1 = [str(EXAMPLES / "task1" / name) for name in ("bm25.txt", "dense.txt", "rerank.json")]
GOLD1 = str(EXAMPLES / "task1" / "gold.json")
TREC = [str(EXAMPLES / "trec" / name) for name in ("bm25.run", "dense.run")]
FIT_TREC = [*TREC, "--fit", str(EXAMPLES / "trec" / "qrels.txt"), "--folds", "2"]
TASK4 = [str(EXAMPLES / "task4" / name) for name in ("ALPHA.txt", "BETA.txt")]


@pytest.fixture(name="call")
def in_place(call, tmp_path, monkeypatch):
    """Runs `coliee-ir fuse` in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return lambda *arguments: call("fuse", *arguments)


@pytest.mark.parametrize(("runs", "options", "columns"), [
    (TASK1, "--task 1", 6),  # a ranking keeps its scores for tune
    (TASK1, "--task 1 --top 5", 3),  # what is cut is a submission
    (TASK1, "--method union --task 3", 6),
    (TASK1, "--method union --task 3 --edition 2017", 3),
    (TREC, "--method intersection --task 2", 3),
])  # fmt: skip
def test_the_form_fits_what_is_written_and_its_tag_the_rules_of_submissions(call, runs, options, columns):
    code, out, err = call(*runs, *options.split(), "--tag", "my_run", "-o", "fused")
    assert (code, out) == (0, "")
    assert len(Path("fused").read_text().splitlines()[0].split()) == columns
    assert ("[bad-tag]" in heard(err)) is (columns == 3 or "union" in options)
    assert "--tag" not in call(*runs, *options.split(), "--tag", "RUN", "-o", "f")[2]


def test_answers_are_put_to_the_vote(call):
    _, err = done(call, *TASK4, "-o", "a.txt", "--tag", "V")
    assert mentions(err, "[answer-tie] 12 …, decided N (--ties N): R07-02-I, R07-02-U, R07-04-E, ")
    done(call, *TASK4, "-o", "first.txt", "--ties", "first", "--tag", "V")
    first, alpha = ([line.split() for line in Path(name).read_text().splitlines() if line]
                    for name in ("first.txt", TASK4[0]))  # fmt: skip
    assert sorted(first) == sorted([*line[:2], "V"] for line in alpha)


def test_submissions_of_the_pilot_repeat_the_test_file(call):
    *cases, gold = (str(EXAMPLES / "tort" / f"{name}.jsonl") for name in ("ALPHA", "BETA", "gold"))
    assert "--template FILE" in done(call, *cases, "-o", "labels.txt")[1]
    for options in (["--task", "tort"], ["--task", "rationale", "--method", "union"]):
        done(call, *cases, "-o", "fused.jsonl", *options, "--template", gold)
        answered = coliee_ir.evaluate(gold, "fused.jsonl", task=options[1]).queries["answered"]
        assert answered == len(Path(gold).read_text().splitlines())


def test_standard_input_is_a_run(call, monkeypatch):
    out, err = done(call, *TASK1[:2])
    assert out.splitlines()[0].endswith(" rrf") and "documents of" in err
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(Path(TASK1[0]).read_bytes())))
    assert done(call, "-", TASK1[1])[0] == out


@pytest.mark.parametrize(("arguments", "sentence"), [
    (["broken.run", TASK1[0], "-o", "out"], "broken.run, line 2: [bad-score]"),
    ([TASK1[0], TASK4[0], "-o", "out"], f"ALPHA.txt: [wrong-part] labels … {TASK1[0]} … documents …"),
    (["a.txt", "a.txt", "--method", "union", "-o", "a.txt"], "[would-overwrite] a.txt …"),
    ([*TASK1, "-o", "out", "--weights", "1,2,1e"], "[bad-value]"),
    ([*TASK1, "-o", "out", "--weights", GOLD1], "… a fusion is …"),
    ([*TASK1, "-o", "out", "--weights", "w.json", "--rrf-k", "3"], "[option-conflict] w.json … --rrf-k…"),
    ([*TASK1, "-o", "out", "--folds", "3"], "[option-needed] --folds …"),
    ([*TASK1, "--fit", GOLD1, "--weights", "1,1,1"], "[option-conflict] --weights …"),
])  # fmt: skip
def test_what_is_refused_leaves_nothing_half_written_and_writes_nothing_over(call, arguments, sentence):
    held = {"out": "old\n", "a.txt": "1 3 A\n", "broken.run": "1 Q0 a 1 2.0 T\n1 Q0 b 2 x T\n"}
    for name, text in held.items():
        Path(name).write_text(text)
    *_, last = failing(call, *arguments).splitlines()
    assert last.startswith("coliee-ir: ") and mentions(last, sentence)
    assert {path.name: path.read_text() for path in Path().iterdir()} == held


def test_a_gold_before_ranked_runs_is_not_fused(call):
    err = failing(call, GOLD1, *TREC, "-o", "x")
    assert mentions(err, f"{GOLD1}: [ambiguous] …") and "--fit" in err and not Path("x").exists()
    queries = json.loads(Path(GOLD1).read_text())
    Path("scored.trec").write_text("".join(f"{query[:-4]} Q0 031986 1 2.5 T\n" for query in queries))
    assert mentions(failing(call, TASK1[2], "scored.trec", "-o", "x"), f"{TASK1[2]}: [ambiguous] …")
    done(call, "scored.trec", TASK1[2], "-o", "x")  # which is behind the runs with scores
    done(call, TASK1[2], TASK1[2], TASK1[0], "-o", "x")  # all alike
    for fitting in (["--fit", GOLD1, "--save", "w.json"], ["--weights", "w.json"]):  # which know the gold
        done(call, TASK1[2], "scored.trec", *fitting, "-o", "x", "--to", "trec")


def test_a_gold_among_the_runs_is_named_and_no_weights_are_fitted_to_it(call):
    """In whatever form: it would have all weight, and a held-out score of 1."""
    for given, is_named in (([GOLD1, *TASK1], True), (TASK1, False)):
        assert ("[gold-itself]" in done(call, *given, "-o", "fused")[1]) is is_named
    for gold, run in ((FIT_TREC[3], TREC[0]), (EXAMPLES / "task4" / "gold.xml", TASK1[0])):
        assert "--fit" in failing(call, gold, run, "-o", "other")
    pairs = [(query, document) for query, of in json.loads(Path(GOLD1).read_text()).items() for document in of]
    Path("truth.txt").write_text("".join(f"{query} {document} best\n" for query, document in pairs))
    answers = EXAMPLES / "task5" / "gold.txt"
    for case in ((GOLD1, *TASK1, "--fit", GOLD1), ("truth.txt", *TASK1, "--fit", GOLD1),
                 (answers, EXAMPLES / "task5" / "ALPHA.txt", "--fit", answers)):  # fmt: skip
        assert mentions(failing(call, *case, "-o", "other"), f"{case[0]}: [wrong-part]")
    assert not Path("other").exists()


def test_fitted_weights_are_written_and_applied(call):
    fit = ("--fit", GOLD1, "--save", "w.json", "-o", "fused.txt", "--tag", "FIT", "--task", "1")
    out, err = done(call, *TASK1, *fit)
    head, *rows = (line.split() for line in out.splitlines()[:-1])
    assert " ".join(head) == "run weight MicroF1 top held out SD splits fitted − this SE low 95% high 95%"
    assert mentions(err, f"… task 1 … {NEWEST} … 40 … 5 … 1 repeat … 2026 …")
    scores = {one["name"]: one for one in json.loads(Path("w.json").read_text())["contenders"]}
    assert [(row[0], row[3]) for row in rows[:3]] == [(n, str(scores[n]["top"])) for n in ("bm25", "dense", "rerank")]
    value = coliee_ir.evaluate(GOLD1, "fused.txt").measures["MicroF1"]
    assert value == pytest.approx(scores["fitted"]["resubstitution"], abs=1e-12)
    for runs, name in ((TASK1, "again.txt"), (TASK1[::-1], "turned.txt")):  # whose weights know their runs
        _, err = done(call, *runs, "--weights", "w.json", "-o", name, "--tag", "FIT")
        assert ("[fitted-to-others]" in err) is (name == "turned.txt")
        assert to_run(coliee_ir.read_run(name)) == to_run(coliee_ir.read_run("fused.txt"))
    assert Path("again.txt").read_text() == Path("fused.txt").read_text()


def test_what_is_fitted_can_be_tuned(call):
    """What is asked for in a form with scores is the whole ranking; else what the table promises is written."""
    given = (*FIT_TREC, "-m", "MicroF1", "--save", "w.json")
    assert "whole.run: the whole ranking" in done(call, *given, "-o", "whole.run", "--to", "trec")[1]
    done(call, *TREC, "--weights", "w.json", "-o", "again.run", "--to", "trec")
    weights = ",".join(map(str, json.loads(Path("w.json").read_text())["fusion"]["weights"]))
    done(call, *TREC, "--method", "combsum", "--weights", weights, "-o", "expected.run")
    for name in ("whole.run", "again.run"):
        assert Path(name).read_text() == Path("expected.run").read_text()


def test_fitting_on_standard_output_is_repeated_by_its_seed(call):
    given = [*FIT_TREC, "--method", "rrf", "-m", "AP"]
    table, _ = done(call, *given, "-o", "x")
    assert table.splitlines()[0].split()[:2] == ["run", "weight"]
    out, err = done(call, *given)
    assert out == Path("x").read_text() and table in err
    saved = [done(call, *given, "--seed", seed, "-o", "x", "--save", "-") for seed in (2026, 1, 1)]
    assert table in saved[0][1] and json.loads(saved[0][0])["fusion"]["method"] == "rrf"
    assert saved[0][0] != saved[1][0] == saved[2][0]
