"""Score files as other projects write them: what each gives, and what is refused because it would be guessed.

The cases are those of score_tables.py.
"""

import itertools
import json
import random
from pathlib import Path

import pandas
import polars
import pytest
import score_tables
from asserting import refusing
from example_runs import EXAMPLES
from scipy.stats import binomtest
from score_tables import records, table

from coliee_adapters.errors import ColieeError, InputError, UsageError
from coliee_ir import Scored, compare, evaluate_all, leaderboard, plan
from coliee_ir.stats.intervals import wilson


@pytest.fixture(autouse=True)
def _here(here):
    """Files are written into a folder of their own."""


def put(header, rows, name="s.csv"):
    """Write a table."""
    Path(name).write_text(table(header, rows))


@pytest.mark.parametrize("case", score_tables.READ, ids=lambda case: case.name)
def test_a_layout_gives_its_runs_and_means(case):
    board = leaderboard(case.read(), n_resamples=9)
    assert isinstance(case.outcome, dict)
    best = sorted(case.outcome, key=lambda run: case.outcome[run], reverse=case.measure != "wer")
    assert (board.ranking.name, [entry.tag for entry in board.entries]) == (case.measure, best)
    means = [entry.scores.measures[case.measure] for entry in board.entries]
    assert means == pytest.approx([case.outcome[run] for run in best], abs=1e-12)


@pytest.mark.parametrize("case", score_tables.REFUSED, ids=lambda case: case.name)
def test_what_would_be_guessed_is_refused(case, call):
    with refusing(ColieeError, f"[{case.outcome}]"):
        leaderboard(case.read())
    for command in ("leaderboard", "compare", "plan"):  # which is no guess about a gold and its runs
        assert call(command, *case.files)[0] == 2


def test_neither_rows_nor_columns_in_another_order_change_what_ranks():
    rows = [("run", "query", "AP", "own", "steps"), *((r, q, 0.5 + (r == q), 0.1, 3) for r in "ab" for q in "abc")]
    for order in itertools.permutations(range(5)):
        header, *others = [[row[at] for at in order] for row in rows]
        put(",".join(header), others[:: 1 if order[0] else -1])
        assert leaderboard(Scored.read("s.csv"), n_resamples=9).ranking.name == "AP"
    put("run,query,AP,nDCG,ranked_by", ((*row[:3], 1, "nDCG") for row in rows[1:]))
    assert leaderboard(Scored.read("s.csv"), n_resamples=9).ranking.name == "nDCG"


def test_a_last_row_is_a_total_where_chance_does_not_make_it_one():
    for columns, is_total in (
        ([[1, 2, 6, 3], [4, 1, 1, 2]], True),
        ([[1, 2, 6, 3], [4, 1, 1, 2.1]], False),  # of one run, chance makes it
        ([[1, 2, 3, 2], [4, 1, 1, 2]], False),  # or of values that are often the same
    ):
        put("query,a,b", ((f"q{n}", *row) for n, row in enumerate(zip(*columns, strict=True))))
        declared = {"query": "query", "tag": "a|b"}
        if is_total:
            with refusing(InputError, f"[ambiguous] … (found 'q{len(columns[0]) - 1}')"):
                Scored.read("s.csv", columns=declared)
        else:
            assert len(Scored.read("s.csv", columns=declared)[0].query_ids) == len(columns[0])


def test_what_is_declared_is_read(call):
    put("model,Rank,T1,T2", [("a", 1, 1, 0), ("b", 2, 0, 0)])
    assert Scored.read("s.csv", columns={"query": "T*"})["a"].measures == {"score": 0.5}
    put("run,seed,query,AP", ((r, s, f"q{q}", q / 9) for r in "ab" for s in "123" for q in range(3)))
    assert [entry.tag for entry in leaderboard(Scored.read("s.csv"), replicates="seed").entries] == ["a", "b"]
    assert call("leaderboard", "s.csv", "--replicates", "seed")[0] == 0


def test_results_of_instances_and_booleans_are_no_scores_of_documents(call):
    gold = EXAMPLES / "task1" / "gold.json"
    commands = (f"evaluate {gold} s.json", "cut s.json --by k=2 -o out", "fuse s.json s.json -o out",
                "convert s.json out --to trec")  # fmt: skip
    for content in (
        '{"no_generation": ["q3"], "resolved": ["q0"]}',
        '{"001": {"d1": 0.5}, "002": {"d1": 0.5, "d2": true}}',
        records({"query_id": q, "doc_id": "d", "score": s} for q, s in (("001", True), ("2", 1))),
    ):
        Path("s.json").write_text(content)
        assert [call(*typed.split())[0] for typed in commands] == [2] * 4


#: a column beside those of two systems, by name, and what it holds
NO_RUN = {
    "year": (2019, 2020), "index": (1, 0), "n_tokens": (0, 1), "seed": (1, 1), "label": (0, 1), "gold": (0, 1),
    "gpt4_correct": (1, 0), "weight": (0.5, 0.25), "predicted": (2, 0), "category": ("x", "y"), "pair_id": (1, 0),
    "rank": (1, 0),
}  # fmt: skip


@pytest.mark.parametrize("name", NO_RUN)
def test_a_column_is_no_system_because_it_holds_numbers(name, call):
    one, two = NO_RUN[name]
    for place in range(1, 4):  # wherever it stands
        rows = [["query_id", "bm25", "dense"], ["q1", 0.5, 0.25], ["q2", 1, 0]]
        for row, cell in zip(rows, (name, one, two), strict=True):
            row.insert(place, cell)
        put(",".join(rows[0]), rows[1:])
        if name in ("index", "seed"):  # a row number, and a replicate
            assert [run.tag for run in Scored.read("s.csv")] == ["bm25", "dense"]
        else:
            kind = "unknown-format" if name in ("label", "gold", "rank", "predicted") else "ambiguous"
            with refusing(ColieeError, f"s.csv, line 1: [{kind}]"):
                Scored.read("s.csv")
            assert call("leaderboard", "s.csv")[0] == call("compare", "s.csv")[0] == 2
        read = Scored.read("s.csv", columns={"query": "query_id", "tag": "bm25|dense"})
        assert ([run.tag for run in read], read["bm25"].measures) == (["bm25", "dense"], {"score": 0.75})


def test_less_is_better_in_every_command(call):
    rows = [(r, f"q{q}", (q % 5 + 2 * at) / 10) for at, r in enumerate(("best", "mid", "worst")) for q in range(20)]
    put("run,query,wer", rows)
    for typed in (["leaderboard"], ["compare"], ["plan"], ["report", "-o", "p.html"]):
        assert call(*typed, "s.csv", "--resamples", "99")[0] == 2  # until somebody says which way
        assert call(*typed, "s.csv", "--lower-is-better", "wer", "--resamples", "99")[0] == 0
    assert "No run scores anything" not in Path("p.html").read_text()
    compared = compare(Scored.read("s.csv", lower_is_better=["wer"]), n_resamples=99, margin=0.1)
    pair = compared.pairs[0]
    assert (pair.verdict, pair.wins, pair.losses) == ("better by more than 0.1", 20, 0)
    assert pair.difference == pytest.approx(-0.2)
    marks = [(row[1], row[2].bold, row[2].mark) for row in compared.tables()[1].rows]
    assert marks == [("best", True, "b,c"), ("mid", False, "c"), ("worst", False, "")]
    for directions in ({"lower_is_better": ["cer"]}, {"lower_is_better": ["wer"], "higher_is_better": ["wer"]}):
        with refusing(UsageError, "["):
            Scored.read("s.csv", **directions)
    held = json.loads(call("leaderboard", "s.csv", "--lower-is-better", "wer", "-f", "json", "--resamples", "99")[1])
    assert held["lower_is_better"] is True
    assert [(run["tag"], run["place"]) for run in held["runs"]] == [("best", 1), ("mid", 2), ("worst", 3)]


def test_the_direction_of_what_is_computed_is_known(call):
    gold = {f"q{at}": {"d1": 1, "x1": 0} for at in range(20)}
    runs = {"exact": {query: ["d1"] for query in gold}, "long": {query: ["d1", "x1"] for query in gold}}
    judged = evaluate_all(gold, runs, task="trec", measures=["num_nonrel_judged_ret"])
    assert compare(judged, n_resamples=99).pairs[0].verdict == "better"
    assert [entry.tag for entry in leaderboard(judged, n_resamples=99).entries] == ["exact", "long"]
    gold, *runs = (EXAMPLES / "trec" / name for name in ("qrels.txt", "bm25.run", "dense.run"))
    assert call("fuse", *runs, "--fit", gold, "-m", "num_nonrel_judged_ret", "-o", "o")[0] == 2
    assert call("tune", gold, runs[0], "-m", "num_nonrel_judged_ret")[0] == 2


@pytest.mark.parametrize("name", ["resolved", "Accuracy", "AP", "strange"])
def test_pass_and_fail_are_known_by_their_values(name):
    put(f"run,query,{name}", ((r, f"q{at}", int(at >= n)) for r, n in (("a", 1), ("b", 9)) for at in range(90)))
    scored = Scored.read("s.csv")
    comparison, board = compare(scored, n_resamples=99), leaderboard(scored, n_resamples=99)
    low, high = wilson(89, 90, 0.95)
    assert comparison.interval == "wilson"
    assert comparison.runs[0].interval == board.entries[0].interval == (low, high)
    exact = binomtest(89, 90).proportion_ci(0.95, "exact")
    assert high - low <= 1.4 * (exact.high - exact.low)


def test_a_column_names_groups_and_replicates():
    draw = random.Random(7)
    rows = [(r, s, f"t{q}", f"repo{q % 8}", q % 7, int(draw.random() < p))
            for r, p in (("a", 0.8), ("b", 0.4)) for s in (1, 2, 3) for q in range(40)]  # fmt: skip
    put("model,draw,task_id,repo,age,passed", rows)
    put("model,task_id,passed", ((f"{r} {s}", q, v) for r, s, q, *_, v in rows), "apart.csv")
    Path("groups.txt").write_text("".join(f"t{q} repo{q % 8}\n" for q in range(40)))
    with refusing(InputError, "[duplicate]"):
        Scored.read("s.csv")
    scored = Scored.read("s.csv", columns={"replicate": "draw"})
    of = {r: [f"{r} {s}" for s in (1, 2, 3)] for r in "ab"}
    systems = compare(Scored.read("apart.csv"), replicates=of)
    assert (systems.replicates, systems.pairs[0].p) == ((3, 3), compare(scored, replicates="draw").pairs[0].p)
    boards = [leaderboard(scored, replicates="draw"), leaderboard(Scored.read("apart.csv"), replicates=of)]
    assert len({str([(e.tag, e.interval) for e in board.entries]) for board in boards}) == 1
    by_column, by_file = (compare(scored, groups=groups, n_resamples=99) for groups in ("repo", "groups.txt"))
    assert (by_column.groups, by_column.pairs[0].p) == (8, by_file.pairs[0].p)
    assert compare(scored, groups="age", n_resamples=99).groups == 7  # also of numbers
    assert leaderboard(scored, groups="repo", n_resamples=99).groups == plan(scored, groups="repo").groups == 8


def test_what_a_table_is_about_is_said_in_its_words(call):
    put("model,instance_id,repo,steps,resolved",
        ((r, f"i{q}", "x", q, int(q % 3 < n)) for r, n in (("a", 2), ("b", 3)) for q in range(30)))  # fmt: skip
    for command in ("leaderboard", "compare", "plan"):
        code, out, err = call(command, "s.csv", "--resamples", "99")
        assert "2 runs (model) × 30 instances (instance_id), measure resolved; not read as scores: repo, steps" in err
        assert (code, "instances" in out, "queries" in out) == (0, True, False)


def test_holes_name_the_run_that_costs_most():
    held = {"a": 9, "b": 4, "c": 8}
    put("run,query,AP", ((r, f"q{q}", 0.5) for r, most in held.items() for q in range(most)))
    with refusing(InputError, "s.csv: [missing-key] (found 'run b, query q4')") as caught:
        Scored.read("s.csv")
    assert "4 of 9 queries" in str(caught.value.remedy) and "8 without b" in str(caught.value.remedy)
    assert len(Scored.read("s.csv", unanswered="common")[0].query_ids) == 4


def test_a_measure_that_nobody_scored_is_refused():
    frame = {"run": ["a", "b"], "query": ["q", "q"], "AP": [1.0, 0.5], "own": [0.5, 1.0]}
    alone = {"run": ["a"], "query": ["q"], "AP": [1.0]}
    for ask, held, measure in (leaderboard, frame, "own"), (plan, frame, "own"), (leaderboard, alone, "RR"):
        with refusing(UsageError, "[not-comparable]"):  # what is known ranks, and the rest is not read
            ask(Scored.from_frame(held), measure=measure)
    named = Scored.from_frame(frame, measures=["own"], higher_is_better=["own"])
    assert leaderboard(named).ranking.name == "own"


def test_frames_with_a_named_index_lazy_ones_and_dictionaries_in_each_other_are_read():
    frame = pandas.DataFrame({"qid": ["q1", "q2"], "a": [1.0, 0.5], "b": [0.0, 0.5]})
    for held in (frame, frame.set_index("qid"), polars.from_pandas(frame).lazy()):
        assert {run.tag: run.measures["score"] for run in Scored.from_frame(held)} == {"a": 0.75, "b": 0.25}
    with refusing(InputError, "[missing-column] … write a name above the column that has none, …"):
        Scored.from_frame(frame.rename(columns={"qid": ""}))
    map_of = {"q1": {"map": 0.5, "runid": "x"}, "q2": {"map": 1.0, "runid": "x"}}
    for held in ({"a": map_of}, {"a": {"map": {"q1": 0.5, "q2": 1.0}}}):
        assert {run.tag: run.measures for run in Scored.from_frame(held)} == {"a": {"map": 0.75}}
    with refusing(InputError, "[unknown-format] (found 'a')"):
        Scored.from_frame({"a": {"q1": 0.5}})
