"""Scores that are read from rows: what they give is what the files give, and what is wrong is said by name."""

import json
from pathlib import Path

import pandas
import polars
import pytest
from asserting import failing, heard, mentions, refusing
from example_runs import EXAMPLES

from coliee_adapters.errors import InputError, UsageError
from coliee_ir import Scored, compare, errors, evaluate_all, leaderboard, plan
from coliee_ir.commands.evaluate.details import gap
from coliee_ir.output.rendering import render
from coliee_ir.reading.submission import Submission
from coliee_ir.scoring.output import ScoreTable

TASK1 = ("task1", "gold.json", ["bm25.txt", "dense.txt", "rerank.json"], {"task": "1"})
CASES = [
    TASK1,
    ("task2", "gold.json", ["mono.txt", "rules.csv"], {}),
    ("task3-2025", "gold.xml", [("task3.ALPHA", None, "task3-L.ALPHA"), ("task3.BETA", None, "task3-L.BETA")],
     {"edition": 2025}),
    ("task3", "gold.xml", [("task3.ALPHA", "answers.ALPHA"), ("task3.BETA", "answers.BETA")], {}),
    ("task5", "gold.txt", ["ALPHA.txt", "MAJORITY.txt"], {"task": "5"}),
    ("trec", "qrels.txt", ["bm25.run", "dense.run"], {"task": "trec"}),
]  # fmt: skip


def of_files(folder, gold, runs, rules):
    """The runs of an example, scored."""
    parts = [[str(EXAMPLES / folder / part) if part else None for part in ([run] if isinstance(run, str) else run)]
             for run in runs]  # fmt: skip
    return evaluate_all(EXAMPLES / folder / gold, [Submission(*part) for part in parts], **rules)


def numbers(result):
    """The pairs and the standings of a comparison, without the files' names."""
    whole = result.to_dict()
    runs = [[run[name] for name in ("tag", "score", "interval", "ranks")] for run in whole["runs"]]
    return repr((whole["measure"], whole["resamples"], whole["pairs"], runs))


@pytest.mark.parametrize("form", ["json", "jsonl", "csv"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0]}-{case[3]}")
def test_scores_read_back_give_what_the_files_give(case, form, tmp_path):
    scored = of_files(*case)
    (file := tmp_path / f"scores.{form}").write_text(render(ScoreTable(scored, per_query=True), form))
    back = Scored.read(file)
    assert [scores.measures for scores in back] == [scores.measures for scores in scored]
    assert [scores.answered for scores in back] == [scores.answered for scores in scored] or form == "csv"
    for measure in scored.measures:
        compared = [numbers(compare(runs, measures=measure.name, n_resamples=99)) for runs in (scored, back)]
        assert compared[0] == compared[1]
    boards = [
        [(e.place, e.tag, e.ranks, e.interval, e.may_be_best) for e in leaderboard(runs, n_resamples=99).entries]
        for runs in (scored, back)
    ]
    assert boards[0] == boards[1]
    assert plan(scored, n_resamples=99).sizes == plan(back, n_resamples=99).sizes


VALUES = {"a": [1.0, 0.0, 1.0, 0.5], "b": [0.0, 0.0, 1.0, 0.25]}
CELLS = [(run, f"q{at}", value) for run, values in VALUES.items() for at, value in enumerate(values)]


def test_frames_parquet_and_counts_are_read(here):
    frame = pandas.DataFrame(CELLS, columns=["agent", "issue", "resolved"])
    frame.to_parquet("s.parquet")
    for read, of in (Scored.read, "s.parquet"), (Scored.from_frame, frame):
        assert read(of, columns={"query": "issue"})["a"].measures == {"resolved": 0.625}
    assert repr(Scored.from_frame(polars.DataFrame({"id": ["x"], "m": [1]}))).startswith("Scored(['m']")
    counts = "run,query,correct,retrieved,relevant\na,q0,1,2,3\na,q1,0,4,1\nb,q0,1,1,3\nb,q1,1,1,1\n"
    Path("counts.csv").write_text(counts)
    assert Scored.read("counts.csv")["a"].measures == {"MicroF1": 0.2, "MicroP": 1 / 6, "MicroR": 0.25}
    reports = [Path(f"{run}/q{at}.report.json") for run in "ab" for at in range(2)]
    for file in reports:
        file.parent.mkdir(exist_ok=True)
        file.write_text(json.dumps({file.name[:2]: {"resolved": file.parent.name == "a"}}))
    assert {run.tag: run.measures["resolved"] for run in Scored.read(*reports)} == {"a": 1, "b": 0}
    scored = of_files(*TASK1)
    for library in ("pandas", "polars", "pyarrow"):
        back = Scored.from_frame(scored.to_frame(library, per_query=True))
        assert numbers(compare(back, n_resamples=99)) == numbers(compare(scored, n_resamples=99))


def test_missing_cells_count_by_the_decision(here, call):
    rows = "".join(f"{run},{query},AP,{value}\n" for run, query, value in CELLS[:-1])
    Path("s.csv").write_text("run,query,measure,value\n" + rows)
    assert Scored.read("s.csv", unanswered="zero")["b"].measures == {"AP": 0.25}
    with refusing(UsageError, "[unknown-name]"):  # means over different queries are not compared
        Scored.read("s.csv", unanswered="skip")
    assert call("compare", "s.csv", "--decision", "unanswered=zero", "--resamples", "9")[0] == 0


LONG = "run,query,measure,value\na,q1,AP,1\nb,q1,AP,0\na,q2,AP,1\nb,q2,AP,1\n"
COUNTS = "run,query,correct,retrieved,relevant\n"
WRONG = {
    "no run and no query": ("measure,value\nAP,0.5\n", ", line 1: [missing-column] (found 'measure,…')"),
    "text": (LONG + "a,q3,AP,good\nb,q3,AP,1\n", ", line 6: [bad-score] (found 'good')"),
    "twice": (LONG + "b,q2,AP,0\n", ", line 6: [duplicate] (found 'q2')"),
    "mixed measures": (LONG + "c,q1,xyz,1\nc,q2,xyz,1\n", ": [mixed-forms]"),
    "words and a number": (LONG + "a,q3,AP,true\nb,q3,AP,0.5\n", ": [mixed-forms] (found '0.5: run b, query q3')"),
    "no name": (LONG + ",q3,AP,1\n", ", line 6: [missing-id]"),
    "negative": (COUNTS + "a,q1,-1,2,3\n", ", line 2: [bad-cell] (found '-1, 2, 3')"),
    "micro without counts": ("run,query,MicroF1\na,q1,0.5\n", ": [unfit-measure]"),
    "a log": ("time,tag,file,sha256,options,AP\nt,a,a.txt,0a,1b,0.5\n", ": [no-query]"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_refused_with_its_place(name, here):
    text, said = WRONG[name]
    Path("s.csv").write_text(text)
    with refusing(InputError, f"s.csv{said}"):
        Scored.read("s.csv")


def test_what_scores_cannot_do_is_refused(here, call):
    Path("s.csv").write_text(LONG)
    Path("one.csv").write_text("run,query,measure,value\na,q1,AP,1\na,q2,AP,1\na,q3,AP,1\n")
    for typed, expected in ("compare one.csv", "[too-few]"), ("leaderboard s.csv --exclude q1", "[unfit-option]"):
        assert mentions(heard(failing(call, *typed.split()).splitlines()), f"coliee-ir: {expected}"), typed
    for look in (errors, gap):
        with refusing(UsageError, "[not-comparable]"):
            look(Scored.read("s.csv"))
    assert call("report", "s.csv", "-o", "page.html", "--resamples", "9")[0] == 0
    assert "scores of queries" in Path("page.html").read_text()
