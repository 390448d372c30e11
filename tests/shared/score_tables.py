"""Tables of scores as boards, benchmarks and tools write them, with what must come of each. All values are invented.

A case is *read*: then the runs, their means and the measure are those of ``TRUTH`` or what the case says. Or it is
*refused*, by an error of a kind.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from statistics import fmean as mean
from typing import Any, NamedTuple

from coliee_ir import Scored

QUERIES = tuple(f"q{at}" for at in range(12))
#: run → the value of each query; to four decimals, as tools print them
TRUTH = {
    name: {query: round(((at * step) % 13) / 13, 4) for at, query in enumerate(QUERIES)}
    for name, step in (("bm25", 3), ("dense", 5), ("rerank", 11))
}
PASSED = {name: {query: float(value > 0.4) for query, value in of.items()} for name, of in TRUTH.items()}
MEANS = {name: mean(of.values()) for name, of in TRUTH.items()}


class Case(NamedTuple):
    """Files by name, how they are read, and the means of runs or the kind of the refusal."""

    name: str
    files: Mapping[str, str]
    outcome: Mapping[str, float] | str
    measure: str = ""
    how: Mapping[str, Any] = {}

    def read(self):
        """The runs; the files are written into the current folder."""
        for name, text in self.files.items():
            Path(name).parent.mkdir(parents=True, exist_ok=True)
            Path(name).write_text(text, encoding="utf-8")
        return Scored.read(*self.files, **self.how)


def table(header, rows):
    """Lines of values."""
    return "".join(",".join(map(str, row)) + "\n" for row in (header.split(","), *rows))


def long(name, values=TRUTH, header="run,query"):
    """A row a run and query."""
    return table(f"{header},{name}", ((run, q, v) for run, of in values.items() for q, v in of.items()))


def wide(*more, header="query_id"):
    """A row a query, a column a run; and columns more, in front."""
    rows = (
        [query, *(2000 + at for _ in more), *(of[query] for of in TRUTH.values())] for at, query in enumerate(QUERIES)
    )
    return table(",".join([header, *more, *TRUTH]), rows)


def lines(form, values, *ends):
    """Lines of a tool, one a query."""
    return "".join(form.format(q=query, v=value) + "\n" for query, value in values.items()) + "".join(ends)


def records(rows):
    """JSON Lines."""
    return "".join(json.dumps(row) + "\n" for row in rows)


def each(form, of, values=TRUTH):
    """A file a run."""
    return {form.format(run): of(run, held) for run, held in values.items()}


TREC, IRM = "map                   \t{q}\t{v:.4f}", "{q}\tAP\t{v:.4f}"
ENDS = {
    run: f"runid                 \tall\t{run}\nmap                   \tall\t{value:.4f}\n"
    for run, value in MEANS.items()
}


def swe(values):
    """What SWE-bench's harness writes of a run."""
    done = [query for query, value in values.items() if value]
    return {"total_instances": 12, "resolved_instances": len(done), "completed_ids": QUERIES[:9],
            "incomplete_ids": QUERIES[9:], "resolved_ids": done}  # fmt: skip


def every_eval(run, values):
    """Records of every_eval_ever."""
    return records(
        {"schema_version": "0.2.1", "model_id": run, "evaluation_name": "score", "sample_id": query,
         "evaluation": {"score": value, "is_correct": value > 0.5}} for query, value in values.items())  # fmt: skip


RATES = {run: mean(of.values()) for run, of in PASSED.items()}
ZEROS = {"a": 0.5, "b": 0.25}

#: one set of numbers in many shapes
SHAPES = (
    Case("rows of run, query, measure, value", {"s.csv": table(
        "run,query,measure,value", ((r, q, "AP", v) for r, of in TRUTH.items() for q, v in of.items()))}, MEANS, "AP"),
    Case("PyTerrier's rows", {"s.tsv": table(
        "name,qid,measure,value", ((r, q, "map", v) for r, of in TRUTH.items() for q, v in of.items()))
        .replace(",", "\t")}, MEANS, "map"),
    Case("a column a measure", {"s.csv": long("AP")}, MEANS, "AP"),
    Case("a column a run", {"s.csv": wide()}, MEANS, "score"),
    Case("a file a run, in folders", each("{}/eval.csv", lambda _, of: table("query,AP", of.items())), MEANS, "AP"),
    Case("`trec_eval -q`, runs one after another", {"s.txt": "".join(
        lines(TREC, of, ENDS[run]) for run, of in TRUTH.items())}, MEANS, "map"),
    Case("`ir_measures -q`, a file a run", each(
        "{}.txt", lambda run, of: lines(IRM, of, f"all\tAP\t{MEANS[run]:.4f}\n")), MEANS, "AP"),
    Case("pytrec_eval's dictionary", each(
        "{}.json", lambda _, of: json.dumps({q: {"map": v} for q, v in of.items()})), MEANS, "map"),
    Case("`Run.scores` of ranx", each("{}.json", lambda _, of: json.dumps({"map": of})), MEANS, "map"),
    Case("MTEB's `to_dataframe`, wide", {"s.csv": wide(header="task_name")}, MEANS, "score"),
    Case("MTEB's `to_dataframe`, long", {"s.csv": long("score", header="model_name,task_name")}, MEANS, "score"),
    Case("every_eval_ever's samples", each("{}_samples.jsonl", every_eval), MEANS, "score"),
    Case("JSON Lines", {"s.jsonl": records(
        {"model": r, "item_id": q, "AP": v} for r, of in TRUTH.items() for q, v in of.items())}, MEANS, "AP"),
    Case("a row a run, `query=q*`", {"s.csv": table(
        f"model,rank,{','.join(QUERIES)}", ((r, 1, *of.values()) for r, of in TRUTH.items()))}, MEANS, "score",
        {"columns": {"query": "q*"}}),
)  # fmt: skip


def record(run, query, evaluation, error=None):
    """A record of every_eval_ever, with the keys that its converters write."""
    return {"schema_version": "0.2.1", "evaluation_id": "x", "model_id": run, "evaluation_name": "score",
            "sample_id": query, "input": {"raw": "?", "choices": ["A", "B"]}, "output": {"raw": ["A"]},
            "evaluation": evaluation, "error": error}  # fmt: skip


#: as ``trec_eval -a -q -c`` prints what is no number
WORDY = "relstring             \t{q}\t'0000011000'\nmap                   \t{q}\t{v:.4f}"

READ = (
    *SHAPES,
    Case("`trec_eval -a -q`, with words among the values", {"s.txt": "".join(
        lines(WORDY, of, ENDS[run]) for run, of in TRUTH.items())}, MEANS, "map"),
    Case("pytrec_eval's dictionaries of all measures, by run", {"s.json": json.dumps({
        run: {q: {"runid": run, "relstring": "0101", "map": v} for q, v in of.items()} for run, of in TRUTH.items()})},
        MEANS, "map"),
    Case("ranx' scores by run", {"s.json": json.dumps({run: {"map": of} for run, of in TRUTH.items()})}, MEANS, "map"),
    Case("every_eval_ever's samples, an error first, `unanswered=zero`", {"a_samples.jsonl": records(
        [record("a", "q1", None, "timeout"), record("a", "q2", {"score": 1.0, "is_correct": True})]),
        "b_samples.jsonl": records([record("b", "q1", {"score": 0.5}), record("b", "q2", {"score": 0.0})])},
        ZEROS, "score", {"unanswered": "zero"}),
    Case("SWE-bench's details of instances", each("{}.json", lambda _, of: json.dumps(
        {q: {"cost": 0.7, "api_calls": 32, "resolved": bool(v)} for q, v in of.items()}), PASSED), RATES, "resolved"),
    Case("JSON Lines, an error in one", {"s.jsonl": records([
        {"run": "a", "query": "q1", "AP": 0.5, "note": None}, {"run": "b", "query": "q1", "AP": 0.25},
        {"run": "a", "query": "q2", "AP": 0.5, "note": "retried"}, {"run": "b", "query": "q2", "AP": 0.25}])},
        ZEROS, "AP"),
    Case("`trec_eval -c -q`: the total counts 4 queries", {
        "a.txt": "map\tq1\t1.0000\nmap\tq2\t1.0000\nnum_q\tall\t4\nmap\tall\t0.5000\n",
        "b.txt": "map\tq1\t1.0000\nnum_q\tall\t4\nmap\tall\t0.2500\n"}, ZEROS, "map"),
    Case("a run id before its queries", {"s.txt": "".join(
        f"runid\tall\t{run}\nmap\tq1\t{value:.4f}\nmap\tall\t{value:.4f}\n" for run, value in ZEROS.items())},
        ZEROS, "map"),
    Case("run ids that are equal", {
        f"{run}/eval.txt": f"map\tq1\t{value:.4f}\nrunid\tall\tAnserini\nmap\tall\t{value:.4f}\n"
        for run, value in ZEROS.items()}, ZEROS, "map"),
    Case("SWE-bench's report of a run", each("{}.json", lambda _, of: json.dumps(swe(of)), PASSED), RATES, "resolved"),
    Case("SWE-bench's report.json, an instance a file", {
        f"logs/{run}/{query}/report.json": json.dumps({query: {"patch_exists": True, "resolved": bool(value)}})
        for run, of in PASSED.items() for query, value in of.items()}, RATES, "resolved"),
    Case("pass and fail in words, with what is not used", {"s.csv": table("model,instance_id,repo,steps,resolved", (
        (r, q, "x", 9, "yes" if v else "no") for r, of in PASSED.items() for q, v in of.items()))}, RATES, "resolved"),
    Case("seeds", {"s.csv": table("model,seed,task_id,passed", (
        (r, s, q, int(v)) for r, of in PASSED.items() for s in (1, 2) for q, v in of.items()))}, RATES, "passed"),
    Case("MTEB's `to_dataframe`, of subsets of a task", {"s.csv": table("model_name,task_name,split,subset,score", (
        (run, "STS22", "test", query, value) for run, of in TRUTH.items() for query, value in of.items()))},
         MEANS, "score"),
    Case("a direction that is stated", {"s.csv": long("wer")}, MEANS, "wer", {"lower_is_better": ["wer"]}),
    Case("columns of runs, `tag=bm25|dense|rerank`", {"s.csv": wide("year")}, MEANS, "score",
         {"columns": {"tag": "bm25|dense|rerank"}}),
    Case("holes, `unanswered=common`", {"s.csv": "run,query,AP\na,q1,0.5\nb,q1,0.25\na,q2,1\n"}, ZEROS, "AP",
         {"unanswered": "common"}),
    Case("holes, `unanswered=zero`", {"s.csv": "run,query,AP\na,q1,0.5\nb,q1,0.5\na,q2,0.5\n"}, ZEROS, "AP",
         {"unanswered": "zero"}),
    Case("some queries alone", {"s.csv": "run,query,AP\na,q1,1\nb,q1,1\nb,q2,0.25\na,q2,0.5\na,q3,0\nb,q3,1\n"},
         {"a": 0.25, "b": 0.625}, "AP", {"only": ["q2", "q3"]}),
    Case("one name that nobody knows", {"s.csv": long("foo")}, MEANS, "foo"),
)  # fmt: skip

_RUN = {"tag": "a.txt", "file": "a.txt", "counts": {}, "queries": {"extra": 0}, "measures": {"AP": 1.0},
        "per_query": {"q1": {"AP": 1.0}}}  # fmt: skip


def ours(run, edition=2026):
    """What evaluate writes of a run."""
    rules = {"task": "1", "edition": edition, "decisions": {}, "gold": "gold.json"}
    return json.dumps({"coliee_ir": "0", **rules, "runs": [run]})


_HOLES = "run,query,AP\na,q1,1\nb,q1,1\nc,q1,1\na,q2,1\nb,q2,1\na,q3,1\nb,q3,1\n"
_TWO = table("run,query,AP,nDCG", ((r, q, v, 1 - v) for r, of in TRUTH.items() for q, v in of.items()))
REFUSED = (
    Case("holes", {"s.csv": _HOLES}, "missing-key"),
    Case("holes, and no query of all runs", {"s.csv": "run,query,AP\na,q1,1\nb,q2,1\n"}, "no-query", "",
         {"unanswered": "common"}),
    Case("holes in costs that would count 0", {"s.csv": _HOLES.replace("AP", "cost")}, "option-conflict", "",
         {"unanswered": "zero", "lower_is_better": ["cost"]}),
    Case("columns of queries without runs", {"s.csv": "T1,T2\n1,0\n"}, "missing-column", "",
         {"columns": {"query": "T*"}}),
    Case("a seed that lacks a query", {
        "s.csv": "run,seed,query,AP\na,1,q1,1\na,2,q1,1\na,1,q2,1\nb,1,q1,1\nb,1,q2,1\n"}, "missing-key"),
    Case("several measures", {"s.csv": _TWO}, "option-needed"),
    Case("`trec_eval -q` with several measures", {
        "s.txt": "map\tq1\t1\nrecip_rank\tq1\t1\nmap\tq2\t1\nrecip_rank\tq2\t1\n"}, "option-needed"),
    Case("counts alone", {"s.csv": long("steps_taken", {"a": {"q1": 9}, "b": {"q1": 2}})}, "option-needed"),
    *(Case(name, {"s.csv": long(measure)}, "ambiguous") for name, measure in (
        ("word error rates", "wer"), ("costs", "cost_usd"), ("latencies", "p95_latency"),
        ("perplexities", "word_perplexity"), ("losses", "val_loss"))),
    Case("a year beside columns of runs", {"s.csv": wide("year")}, "ambiguous"),
    Case("predictions beside each other", {"s.csv": "pair_id,gpt,claude\np1,1,2\np2,0,1\n"}, "ambiguous"),
    Case("a column of labels", {"s.csv": "pair_id,gpt,label\np1,1,1\np2,0,1\n"}, "unknown-format"),
    Case("systems named `*_correct`", {"s.csv": "pair_id,gpt_correct\np1,1\np2,0\n"}, "ambiguous"),
    Case("a measure beside a run", {"s.csv": "query,AP,bm25\nq1,1,0.5\n"}, "ambiguous"),
    Case("a row a run", {"s.csv": "model,T1,T2\na,1,0\nb,0,0\n"}, "missing-column"),
    Case("tasks and samples", {"s.csv": "model,task_id,sample_id,passed\na,t1,0,1\nb,t1,0,1\n"}, "ambiguous"),
    Case("a row of means", {"s.csv": wide() + "Average,0.5,0.5,0.5\n"}, "ambiguous"),
    *(Case(f"a row called {name}", {"s.csv": wide() + f"{name},0.1,0.2,0.3\n"}, "ambiguous")
      for name in ("amean", "avg.", "Macro avg", "weighted_mean", "MEAN ± SD", "median", "std", "Sum", "平均", "合計",
                   "count", "min", "max")),
    *(Case(f"a last row of {name} in another language", {
        "s.csv": wide() + "".join(["Gesamt", *(f",{of(values.values()):.3f}" for values in TRUTH.values())]) + "\n"},
        "ambiguous") for name, of in (("means", mean), ("sums", sum))),
    *(Case(name, {"s.csv": long(name)}, "ambiguous")
      for name in ("failed", "wrong", "num_incorrect", "timeouts", "false_positives", "refusals", "violations")),
    Case("a total that its queries do not give", {"s.txt": "AP\tq1\t1\nAP\tq2\t0.5\nAP\tall\t0.99\n"}, "unfit-measure"),
    Case("runs one after another without names", {"s.txt": "map\tq1\t1\nmap\tall\t1\nmap\tq1\t0\nmap\tall\t0\n"},
         "missing-id"),
    Case("rows that appear twice", {"s.csv": "run,query,AP\na,q1,1\na,q1,0\n"}, "duplicate"),
    Case("totals alone", {"s.csv": "run,query,AP\na,all,0.5\n"}, "no-query"),
    Case("SWE-bench's report without some instances", {
        "s.json": '{"total_instances": 9, "completed_ids": ["i1"], "resolved_ids": ["i1"]}'}, "conflicting"),
    Case("lm-eval's samples", {"s.jsonl": '{"doc_id": 0, "filtered_resps": ["x"], "metrics": ["acc"], "acc": 1.0}\n'},
         "no-query"),
    Case("a table of Inspect's samples", {"s.csv": "eval_id,model,sample_id,epoch,score_match\ne,m,u,1,C\n"},
         "no-query"),
    *(Case(name, {"s.json": text}, "no-query") for name, text in (
        ("SWE-bench's results.json", '{"no_generation": ["i1"], "no_logs": [], "resolved": ["i2"]}'),
        ("HELM's per_instance_stats", '[{"instance_id": "id1", "train_trial_index": 0, "stats": []}]'),
        ("a log of Inspect", '{"version": 2, "status": "success", "eval": {}, "samples": []}'),
        ("MTEB's result of one task",
         '{"mteb_version": "1", "scores": {"test": [{"main_score": 0.7}]}, "task_name": "T"}'),
        ("rows of pandas under their numbers", '{"0": {"run": "a", "query": "q1", "AP": 1.0}}'),
        ("columns and rows of pandas", '{"columns": ["query", "a"], "index": [0], "data": [["q1", 1]]}'),
        ("a Report of ranx", '{"metrics": ["map"], "model_names": ["a"], "stat_test": "student"}'))),
    *(Case(f"what evaluate writes, {name}", {"s.json": json.dumps({"coliee_ir": "0", "measures": [], "runs": runs})},
           "structure") for name, runs in (
        ("without runs", []), ("its runs a number", 5), ("a run a text", ["per_query"]),
        ("a run without its tag", [{"per_query": {"q1": {"AP": 1}}}]))),
    Case("what evaluate writes without queries", {"s.json": ours({"measures": {}})}, "no-query"),
    Case("a run that evaluate wrote, twice", {"a.json": ours(_RUN), "b.json": ours(_RUN)}, "duplicate"),
    Case("what evaluate writes by two editions' rules", {
        "a.json": ours(_RUN), "b.json": ours(_RUN | {"tag": "b"}, 2025)}, "not-comparable"),
    Case("a gold, or a run", {"s.csv": "query_id,doc_id,bm25\nq1,d1,0.5\n"}, "unknown-format"),
    Case("dictionaries that name no measure", {"s.json": json.dumps(TRUTH)}, "unknown-format"),
    Case("a run within another dictionary", {"s.json": json.dumps({"results": {"q1": {"d1": 0.5}}})}, "unknown-format"),
    Case("queries of several data sets", {"s.csv": "run,query,dataset,AP\na,1,x,1\na,1,y,0\n"}, "duplicate"),
    Case("words", {"s.csv": "run,query,verdict\na,q1,good\n"}, "unknown-format"),
)  # fmt: skip
