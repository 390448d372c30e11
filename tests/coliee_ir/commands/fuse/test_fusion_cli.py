import gzip
import io
import json
import sys
from collections import Counter
from pathlib import Path

import pytest
from asserting import done, failing, heard, mentions
from example_runs import EXAMPLES

import coliee_ir
from coliee_ir.cli import main
from coliee_ir.commands.convert import to_run
from coliee_ir.rules.protocol import NEWEST

pytestmark = pytest.mark.usefixtures("one_deal")

TASK1 = [str(EXAMPLES / "task1" / name) for name in ("bm25.txt", "dense.txt", "rerank.json")]
GOLD1 = str(EXAMPLES / "task1" / "gold.json")
TREC = [str(EXAMPLES / "trec" / name) for name in ("bm25.run", "dense.run")]


@pytest.fixture(name="call")
def in_place(call, tmp_path, monkeypatch):
    """Runs `coliee-ir fuse` in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return lambda *arguments: call("fuse", *arguments)


def first_line(name):
    return Path(name).read_text().splitlines()[0].split(" ")


# forms


@pytest.mark.parametrize(
    ("runs", "options", "columns"),
    [
        (TASK1, [], 6),  # a ranking keeps its scores for tune
        (TASK1, ["--task", "1"], 6),
        (TASK1, ["--task", "1", "--top", "5"], 3),  # what is cut is a submission
        (TASK1, ["--top", "5"], 6),
        (TASK1, ["--method", "vote"], 3),
        (TASK1, ["--method", "union", "--task", "3"], 6),
        (TASK1, ["--method", "union", "--task", "3", "--edition", "2017"], 3),
        (TASK1, ["--to", "columns"], 3),
        (TREC, ["--method", "intersection"], 6),
        (TREC, ["--method", "intersection", "--task", "trec"], 6),
        (TREC, ["--method", "intersection", "--task", "2"], 3),
    ],
)
def test_the_form_fits_what_is_written(call, runs, options, columns):
    code, out, _ = call(*runs, *options, "-o", "fused")
    assert (code, out) == (0, "")
    assert len(first_line("fused")) == columns


def test_answers_are_put_to_the_vote(call, capsys):
    answers = [str(EXAMPLES / "task4" / name) for name in ("ALPHA.txt", "BETA.txt")]
    _, err = done(call, *answers, "-o", "a.txt", "--tag", "V")
    assert mentions(err, "[answer-tie] 12 …, decided N (--ties N): R07-02-I, R07-02-U, R07-04-E, ")
    assert first_line("a.txt")[1:] == ["N", "V"] or first_line("a.txt")[1:] == ["Y", "V"]
    assert main(["evaluate", str(EXAMPLES / "task4" / "gold.xml"), "a.txt"]) == 0
    capsys.readouterr()
    assert call(*answers, "-o", "first.txt", "--ties", "first", "--tag", "V")[0] == 0
    alpha = (line.split()[:2] for line in Path(answers[0]).read_text().splitlines() if line)
    assert dict(alpha) == dict(line.split()[:2] for line in Path("first.txt").read_text().splitlines())


def test_submissions_of_the_pilot_repeat_the_test_file(call, capsys):
    cases = [str(EXAMPLES / "tort" / f"{name}.jsonl") for name in ("ALPHA", "BETA")]
    gold = str(EXAMPLES / "tort" / "gold.jsonl")
    _, err = done(call, *cases, "-o", "labels.txt")
    assert "--template FILE" in err
    assert call(*cases, "-o", "t.jsonl", "--template", gold)[0] == 0
    assert main(["validate", "t.jsonl"]) == 0
    assert call(*cases, "-o", "r.jsonl", "--task", "rationale", "--method", "union", "--template", gold)[0] == 0
    capsys.readouterr()
    assert main(["evaluate", gold, "r.jsonl", "--task", "rationale"]) == 0


def test_a_gold_before_ranked_runs_is_not_fused(call):
    err = failing(call, GOLD1, *TREC, "-o", "x")
    assert mentions(err, f"{GOLD1}: [ambiguous] …") and "--fit" in err
    assert not Path("x").exists()
    queries = json.loads(Path(TASK1[2]).read_text())
    Path("scored.trec").write_text("".join(f"{query[:-4]} Q0 031986 1 2.5 T\n" for query in queries))
    assert mentions(failing(call, TASK1[2], "scored.trec", "-o", "x"), f"{TASK1[2]}: [ambiguous] …")
    done(call, "scored.trec", TASK1[2], "-o", "x")  # which is behind the runs with scores
    done(call, TASK1[2], TASK1[2], TASK1[0], "-o", "x")  # all alike
    Path("scored.trec").write_text(
        "".join(f"{query[:-4]} Q0 031986 1 2.5 T\n" for query in json.loads(Path(GOLD1).read_text()))
    )
    for fitting in (["--fit", GOLD1, "--save", "w.json"], ["--weights", "w.json"]):  # which know the gold
        done(call, TASK1[2], "scored.trec", *fitting, "-o", "x", "--to", "trec")


@pytest.mark.parametrize(("tied", "is_told"), [(0, False), (4, False), (5, True), (10, True)])
def test_ties_are_told_of_runs_where_half_of_the_queries_have_them(call, tied, is_told):
    rows = [(n, document, 1 if n < tied else rank) for n in range(10) for rank, document in enumerate("ab", 1)]
    Path("a.run").write_text("".join(f"q{n} Q0 {document} 1 {score} A\n" for n, document, score in rows))
    Path("b.run").write_text("".join(f"q{n} Q0 {document} 1 {ord(document)} B\n" for n, document, _ in rows))
    _, err = done(call, "a.run", "b.run", "-o", "x")
    assert mentions(err, f"A: [tie] {tied} …") == is_told


# where from, where to


def test_standard_input_and_output_and_gzip(call, monkeypatch):
    out, err = done(call, *TASK1[:2], "-o", "-")
    assert out.splitlines()[0].endswith(" rrf")
    assert "documents of" in err
    assert call(*TASK1[:2], "-o", "f.gz")[0] == 0
    assert gzip.decompress(Path("f.gz").read_bytes()).decode() == out
    piped = io.TextIOWrapper(io.BytesIO(Path(TASK1[0]).read_bytes()))
    monkeypatch.setattr(sys, "stdin", piped)
    assert call("-", TASK1[1], "-o", "-")[1] == out
    assert "[named-twice]" in heard(call("-", "-", "-o", "x")[2])


def test_nothing_is_half_written_and_no_run_written_over(call):
    Path("out").write_text("old\n")
    Path("broken.run").write_text("1 Q0 a 1 2.0 T\n1 Q0 b 2 x T\n")
    Path("a.txt").write_text("1 3 A\n")
    errors = []
    for arguments in (
        ["broken.run", TASK1[0], "-o", "out"],
        [*TASK1, "--tag", "two words", "-o", "out"],
        [TASK1[0], EXAMPLES / "task4" / "ALPHA.txt", "-o", "out"],
        ["a.txt", "a.txt", "--method", "union", "-o", "a.txt"],
    ):
        errors.append(failing(call, *arguments).splitlines()[-1])
        assert errors[-1].startswith("coliee-ir: ")
    assert mentions(errors[2], f"ALPHA.txt: [wrong-part] labels … {TASK1[0]} … documents …")
    assert mentions(errors[3], "[would-overwrite] a.txt …")
    assert (Path("out").read_text(), Path("a.txt").read_text()) == ("old\n", "1 3 A\n")
    assert sorted(path.name for path in Path().iterdir()) == ["a.txt", "broken.run", "out"]


# weights


def test_fitted_weights_are_written_and_applied(call, capsys):
    out, err = done(call,
        *TASK1, "--fit", GOLD1, "--save", "w.json", "-o", "fused.txt", "--tag", "FIT", "--task", "1"
    )  # fmt: skip
    assert out.splitlines()[0].split() == [
        *["run", "weight", "MicroF1", "top", "held", "out", "SD", "splits"],
        *["fitted", "−", "this", "SE", "low", "95%", "high", "95%"],
    ]
    assert [line.split()[0] for line in out.splitlines()[1:-1]] == ["bm25", "dense", "rerank", "equal", "fitted"]
    assert mentions(err, f"… task 1 … {NEWEST} … 40 … 5 … 1 repeat … 2026 …")
    held = json.loads(Path("w.json").read_text())
    scores = {one["name"]: one for one in held["contenders"]}
    runs = ("bm25", "dense", "rerank")
    assert [line.split()[3] for line in out.splitlines()[1:4]] == [str(scores[name]["top"]) for name in runs]
    capsys.readouterr()
    assert main(["evaluate", GOLD1, "fused.txt", "-f", "json"]) == 0
    value = json.loads(capsys.readouterr().out)["runs"][0]["measures"]["MicroF1"]
    assert value == pytest.approx(scores["fitted"]["resubstitution"], abs=1e-12)
    assert call(*TASK1, "--weights", "w.json", "-o", "again.txt", "--tag", "FIT")[0] == 0
    assert Path("again.txt").read_text() == Path("fused.txt").read_text()
    # the weights know which run they belong to
    _, _, err = call(*reversed(TASK1), "--weights", "w.json", "--task", "1", "-o", "turned.txt", "--tag", "FIT")
    assert "[fitted-to-others]" in err
    by_query = [to_run(coliee_ir.read_run(name)) for name in ("again.txt", "turned.txt")]
    assert by_query[0] == by_query[1]


def test_what_is_fitted_can_be_tuned(call):
    """What is asked for in a form with scores is the whole ranking; else what the table promises is written."""
    given = (*TREC, "--fit", EXAMPLES / "trec" / "qrels.txt", "-m", "MicroF1", "--save", "w.json", "--folds", "2")
    code, _, err = call(*given, "-o", "whole.run", "--to", "trec")
    assert (code, "whole.run: the whole ranking" in err) == (0, True)
    done(call, *TREC, "--weights", "w.json", "-o", "again.run", "--to", "trec")
    assert Path("again.run").read_text() == Path("whole.run").read_text()
    assert call(*given, "-o", "cut.run")[0] == 0
    promised = json.loads(Path("w.json").read_text())["contenders"][0]["resubstitution"]
    scores = coliee_ir.evaluate(given[3], "cut.run", measures="MicroF1")
    assert scores.measures["MicroF1"] == pytest.approx(promised)
    named = ",".join(map(str, json.loads(Path("w.json").read_text())["fusion"]["weights"]))
    assert call(*TREC, "--method", "combsum", "--weights", named, "-o", "expected.run")[0] == 0
    assert Path("whole.run").read_text() == Path("expected.run").read_text()
    assert main(["tune", str(given[3]), "whole.run", "-m", "MicroF1", "--by", "score", "--folds", "2"]) == 0
    for options, columns, most in ((("--top", "2"), 6, 2), (("--task", "2"), 3, None), (("--to", "columns"), 3, None)):
        assert call(*given, "-o", "some.run", *options)[0] == 0
        lines = Path("some.run").read_text().splitlines()
        assert len(lines[0].split()) == columns
        assert most is None or max(Counter(line.split()[0] for line in lines).values()) == most


def test_fitting_on_standard_output(call):
    given = [*TREC, "--fit", EXAMPLES / "trec" / "qrels.txt", "--method", "rrf", "-m", "AP", "--folds", "2"]
    out, err = done(call, *given, "-o", "x", "--save", "-")
    assert json.loads(out)["fusion"]["method"] == "rrf"
    _, table, _ = call(*given, "-o", "x")
    assert table.splitlines()[0].split()[:2] == ["run", "weight"]
    assert table in err
    code, out, err = call(*given)
    assert (code, out) == (0, Path("x").read_text())
    assert table in err


def test_a_seed_repeats_the_fit(call):
    written = []
    given = (*TREC, "--fit", EXAMPLES / "trec" / "qrels.txt", "-m", "MicroF1", "--save", "w.json", "-o", "x")
    for seed in (1, 1, 2):
        assert call(*given, "--seed", seed, "--folds", 2)[0] == 0
        written.append(Path("w.json").read_bytes())
    assert written[0] == written[1] != written[2]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([*TASK1, "--fit", GOLD1, "--save", "-"], "[named-twice]"),
        ([*TASK1, "-o", "x", "--weights", "1,2,1e"], "[bad-value]"),
        ([*TASK1, "-o", "x", "--weights", "1,2,1e999"], "[bad-value] inf …"),
        ([*TASK1, "-o", "x", "--weights", "none.json"], "none.json: [no-file]"),
        ([*TASK1, "-o", "x", "--weights", GOLD1], "… a fusion is …"),
        ([*TASK1, "-o", "x", "--weights", "w.json", "--rrf-k", "3"], "[option-conflict] w.json … --rrf-k…"),
        ([*TASK1, "-o", "x", "--folds", "3"], "[option-needed] --folds …"),
        ([*TASK1, "--fit", GOLD1, "--weights", "1,1,1"], "[option-conflict] --weights …"),
        ([*TASK1, "--fit", GOLD1, "-m", "F"], "unknown measure 'F'"),
        ([*TREC, "--fit", GOLD1], "[mismatch]"),
        ([TASK1[0], "scores.csv", "-o", "x"], "scores.csv, line 1: [missing-column]"),
        ([*TASK1, "-o", "no/such/place"], "no/such/place: [cannot-write] No such file or directory …"),
        ([*TASK1, "-o", "x", "--to", "labels"], "[wrong-part]"),
    ],
)
def test_what_is_refused_is_refused_in_a_sentence(call, arguments, sentence):
    Path("scores.csv").write_text("run,query,MicroF1\nbm25,002473,0.5\n")
    err = failing(call, *arguments)
    assert mentions(err.splitlines()[-1], sentence)
    assert not Path("x").exists()


def test_a_run_tag_against_the_rules_is_said_where_a_submission_is_written(call):
    for options in (["--task", "1", "--top", "3"], ["--method", "vote"], ["--to", "columns"]):
        assert "[bad-tag]" in heard(call(*TASK1, *options, "--tag", "my_run", "-o", "f")[2])
        assert "--tag" not in call(*TASK1, *options, "--tag", "RUN", "-o", "f")[2]
    assert "--tag" not in call(*TASK1, "--tag", "my_run", "-o", "f")[2]  # a ranking that has yet to be cut


@pytest.mark.parametrize("name", ["gold.json", "truth.txt", "truth.csv"])
def test_weights_are_not_fitted_to_a_gold_among_the_runs(call, name):
    """In whatever form: it would have all weight, and a held-out score of 1."""
    gold = json.loads(Path(GOLD1).read_text())
    rows = [(query, document) for query, documents in gold.items() for document in documents]
    written = {"json": json.dumps(gold), "txt": "".join(f"{query} {document} best\n" for query, document in rows),
               "csv": "query,document\n" + "".join(f"{query},{document}\n" for query, document in rows)}  # fmt: skip
    Path(name).write_text(written[name.partition(".")[2]])
    err = failing(call, *TASK1, name, "--fit", GOLD1, "-o", "fused")
    assert mentions(err, f"{name}: [wrong-part]") and not Path("fused").exists()


def test_a_gold_among_the_runs_is_named(call):
    _, err = done(call, GOLD1, *TASK1, "-o", "fused")
    assert "[gold-itself]" in err
    _, err = done(call, *TASK1, "-o", "fused")
    assert "[gold-itself]" not in err
    for gold, run in ((EXAMPLES / "trec" / "qrels.txt", TREC[0]), (EXAMPLES / "task4" / "gold.xml", TASK1[0])):
        assert "--fit" in failing(call, gold, run, "-o", "other")


def test_answers_that_equal_the_gold_are_no_run(call):
    gold, run = EXAMPLES / "task5" / "gold.txt", EXAMPLES / "task5" / "ALPHA.txt"
    assert "[wrong-part]" in failing(call, gold, run, "--fit", gold, "-o", "fused")


def test_a_ranking_with_the_worst_first_is_told_when_weights_are_fitted(call):
    gold = {f"q{n}": [f"d{n}"] for n in range(20)}
    Path("gold.json").write_text(json.dumps(gold))
    for name, sign in (("up.json", -1), ("down.json", 1)):
        run = {query: {f"d{(n + at) % 20}": sign * at for at in range(12)} for n, query in enumerate(gold)}
        Path(name).write_text(json.dumps(run))
    _, err = done(call, "up.json", "down.json", "--fit", "gold.json", "--task", "1", "-o", "fused")
    assert mentions(err, "down: [upside-down]") and "\nup: " not in err
