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

from coliee_adapters.errors import ColieeError, InputError, UsageError
from coliee_ir import Scored, compare, evaluate_all, leaderboard, plan
from coliee_ir.cli import main
from coliee_ir.stats.intervals import wilson

QUERIES = [f"q{at}" for at in range(4)]
OK = {"a": dict(zip(QUERIES, (1, 1, 1, 0), strict=True)), "b": dict(zip(QUERIES, (0, 1, 0, 0), strict=True))}


def lines(*records):
    return "".join(json.dumps(one) + "\n" for one in records)


def swe(run):
    done = [query for query in QUERIES if OK[run][query]]
    ids = {"completed_ids": QUERIES[:3], "error_ids": QUERIES[3:], "resolved_ids": done}
    return {"results": {"no_generation": QUERIES[3:], "resolved": done}, "run": {"total_instances": 4, **ids},
            "instances": {q: {"patch_exists": True, "resolved": bool(ok)} for q, ok in OK[run].items()}}  # fmt: skip


WIDE = "query_id,year,a,b\nq1,2020,1,0\nq2,2021,1,1\n"
TIMES = "model,item_id,score_match,total_time\na,1,1,3.5\nb,1,0,4.5\n"


@pytest.mark.parametrize("case", score_tables.READ, ids=lambda case: case.name)
def test_a_layout_gives_its_runs_and_means(case, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    board = leaderboard(case.read(), n_resamples=9)
    assert isinstance(case.outcome, dict)
    best = sorted(case.outcome, key=lambda run: case.outcome[run], reverse=case.measure != "wer")
    assert (board.ranking.name, [entry.tag for entry in board.entries]) == (case.measure, best)
    means = [entry.scores.measures[case.measure] for entry in board.entries]
    assert means == pytest.approx([case.outcome[run] for run in best], abs=1e-12)


@pytest.mark.parametrize("case", score_tables.REFUSED, ids=lambda case: case.name)
def test_what_would_be_guessed_is_refused(case, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with refusing(ColieeError, f"[{case.outcome}]"):
        leaderboard(case.read())
    for command in ("leaderboard", "compare", "plan"):  # which is no guess about a gold and its runs
        assert main([command, *case.files]) == 2


def test_the_same_data_in_many_shapes_gives_the_same_numbers(tmp_path, monkeypatch):
    found = set()
    for at, case in enumerate(score_tables.SHAPES):
        (folder := tmp_path / str(at)).mkdir()
        monkeypatch.chdir(folder)
        scored = case.read()
        held = compare(scored, n_resamples=99).to_dict()
        runs = [{key: run[key] for key in ("tag", "score", "interval", "ranks")} for run in held["runs"]]
        board = leaderboard(scored, n_resamples=99).to_dict()
        places = [
            (run["tag"], run["place"], run["ranks"], run["may_be_best"], run["interval"]) for run in board["runs"]
        ]
        planned = plan(scored, n_resamples=99).to_dict()
        found.add(json.dumps([runs, held["pairs"], places, planned["sizes"]]))
    assert (len(found), len(score_tables.SHAPES)) == (1, 14)


def test_neither_rows_nor_columns_in_another_order_change_what_ranks(tmp_path):
    rows = [(r, q, str(0.5 + (r == q)), "0.1", "3") for r in "ab" for q in "abc"]
    names = ("run", "query", "AP", "own_score", "steps")
    for order in itertools.permutations(range(5)):
        (file := tmp_path / "s.csv").write_text(
            "".join(",".join(row[at] for at in order) + "\n" for row in (names, *rows[:: 1 if order[0] else -1]))
        )
        assert leaderboard(Scored.read(file), n_resamples=9).ranking.name == "AP"
    csv = "run,query,AP,nDCG,ranked_by\n" + "".join(f"{r},{q},{v},1,nDCG\n" for r, q, v, *_ in rows)
    file.write_text(csv)
    assert leaderboard(Scored.read(file), n_resamples=9).ranking.name == "nDCG"


@pytest.mark.parametrize(
    ("columns", "is_total"),
    [
        ([[1, 2, 6, 3], [4, 1, 1, 2]], True),
        ([[1, 2, 6, 3], [4, 1, 1, 2.1]], False),  # of one run, chance makes it
        ([[1, 3, 2], [4, 1, 2.5]], False),  # as it does of few queries
        ([[1, 2, 3, 2], [4, 1, 1, 2]], False),  # or of values that are often the same
    ],
)
def test_a_last_row_is_a_total_where_chance_does_not_make_it_one(columns, is_total, tmp_path):
    rows = [["query", *"ab"[: len(columns)]], *([f"q{n}", *row] for n, row in enumerate(zip(*columns, strict=True)))]
    (file := tmp_path / "s.csv").write_text("".join(",".join(map(str, row)) + "\n" for row in rows))
    declared = {"query": "query", "tag": "|".join(rows[0][1:])}
    if is_total:
        with refusing(InputError, f"[ambiguous] … (found 'q{len(columns[0]) - 1}')"):
            Scored.read(file, columns=declared)
    else:
        assert len(Scored.read(file, columns=declared)[0].query_ids) == len(columns[0])


def test_what_is_declared_is_read(tmp_path):
    (file := tmp_path / "s.csv").write_text(WIDE)
    assert [one.tag for one in Scored.read(file, columns={"tag": "a|b"})] == ["a", "b"]
    file.write_text("model,Rank,T1,T2\na,1,1,0\nb,2,0,0\n")
    assert Scored.read(file, columns={"query": "T*"})["a"].measures == {"score": 0.5}
    file.write_text(TIMES)
    assert leaderboard(Scored.read(file), measure="score_match", n_resamples=9).ranking.name == "score_match"
    file.write_text(
        "run,seed,query,AP\n" + "".join(f"{r},{s},q{q},{int(q) / 9}\n" for r in "ab" for s in "123" for q in "012")
    )
    assert [entry.tag for entry in leaderboard(Scored.read(file), replicates="seed").entries] == ["a", "b"]
    assert main(["leaderboard", str(file), "--replicates", "seed"]) == 0


def test_less_is_better(tmp_path):
    (file := tmp_path / "s.csv").write_text(
        "model,item_id,wer\n"
        + "".join(f"{r},{q},{(q % 3 + 3 * at) / 10}\n" for at, r in enumerate("ab") for q in range(30))
    )
    scored = Scored.read(file, lower_is_better=["wer"])
    [pair] = compare(scored, n_resamples=99, margin=0.1).pairs
    assert (pair.verdict, pair.wins, pair.losses) == ("better by more than 0.1", 30, 0)
    assert pair.difference == pytest.approx(-0.3)
    gold = {f"q{at}": {"d1": 1, "x1": 0} for at in range(20)}
    runs = {"exact": {query: ["d1"] for query in gold}, "long": {query: ["d1", "x1"] for query in gold}}
    judged = evaluate_all(gold, runs, task="trec", measures=["num_nonrel_judged_ret"])
    [pair] = compare(judged, n_resamples=99).pairs
    assert pair.verdict == "better"
    assert [entry.tag for entry in leaderboard(judged, n_resamples=99).entries] == ["exact", "long"]


ALONE = {
    "results": json.dumps(swe("a")["results"]),
    "run": json.dumps(swe("a")["run"]),
    "instances": json.dumps(swe("a")["instances"]),
    "numbers first": json.dumps({q: {"tests": 1, **of} for q, of in swe("a")["instances"].items()}),
    "a pair": json.dumps({"001": [["d1", True], ["d2", False]]}),
    "a list": json.dumps({"001": [True, False]}),
    "a late one": json.dumps({"001": {"d1": 0.5}, "002": {"d1": 0.5, "d2": True}}),
    "records": lines({"query_id": "001", "doc_id": "d1", "score": True}, {"query_id": "2", "doc_id": "d", "score": 1}),
}


@pytest.mark.parametrize("name", ALONE)
def test_results_of_instances_and_booleans_are_no_scores_of_documents(name, tmp_path):
    (file := tmp_path / "scores.json").write_text(ALONE[name])
    out = ["-o", str(tmp_path / "out")]
    for typed in (
        ["evaluate", str(EXAMPLES / "task1" / "gold.json"), str(file)], ["evaluate", str(file), str(file)],
        ["cut", str(file), "--by", "k=2", *out], ["fuse", str(file), str(file), *out],
        ["convert", str(file), str(tmp_path / "out"), "--to", "trec"],
    ):  # fmt: skip
        is_read = typed[0] == "evaluate" and typed[1] == typed[2] and name in ("numbers first", "a late one")
        assert main(typed) == 2 or is_read, typed


#: a column beside those of two systems, by name, and what it holds
NO_RUN = {
    "year": (2019, 2020), "index": (1, 0), "n_tokens": (0, 1), "count": (1, 0), "seed": (1, 1), "label": (0, 1),
    "gold": (0, 1), "gpt4_correct": (1, 0), "is_correct": (1, 0), "length": (0.5, 0.25), "weight": (0.5, 0.25),
    "predicted": (2, 0), "length_in_words": (312, 12), "category": ("x", "y"), "pair_id": (1, 0), "rank": (1, 0),
}  # fmt: skip


@pytest.mark.parametrize("name", NO_RUN)
def test_a_column_is_no_system_because_it_holds_numbers(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    one, two = NO_RUN[name]
    file = Path("s.csv")
    for place in range(3):  # wherever it stands
        rows = [["query_id", "bm25", "dense"], ["q1", 0.5, 0.25], ["q2", 1, 0]]
        for row, cell in zip(rows, (name, one, two), strict=True):
            row.insert(place + 1, cell)
        file.write_text("".join(",".join(map(str, row)) + "\n" for row in rows))
        if name in ("index", "seed"):  # a row number, and a replicate
            assert [run.tag for run in Scored.read(file)] == ["bm25", "dense"]
        else:
            kind = "unknown-format" if name in ("label", "gold", "rank", "predicted") else "ambiguous"
            with refusing(ColieeError, f"s.csv, line 1: [{kind}]"):
                Scored.read(file)
            assert main(["leaderboard", str(file)]) == main(["compare", str(file)]) == 2
        read = Scored.read(file, columns={"query": "query_id", "tag": "bm25|dense"})
        assert ([run.tag for run in read], read["bm25"].measures) == (["bm25", "dense"], {"score": 0.75})


def test_less_is_better_in_every_command(tmp_path, capsys):
    rows = [(r, f"q{q}", (q % 5 + 2 * at) / 10) for at, r in enumerate(("best", "mid", "worst")) for q in range(20)]
    text = "".join(f"{run},{query},{value}\n" for run, query, value in rows)
    (file := tmp_path / "s.csv").write_text("run,query,wer\n" + text)
    (twin := tmp_path / "t.csv").write_text(
        "run,query,right\n" + "".join(f"{run},{query},{round(1 - value, 4)}\n" for run, query, value in rows)
    )
    for typed in (["leaderboard"], ["compare"], ["plan"], ["report", "-o", str(tmp_path / "p.html")]):
        assert main([*typed, str(file), "--resamples", "99"]) == 2  # until somebody says which way
        assert main([*typed, str(file), "--lower-is-better", "wer", "--resamples", "99"]) == 0
    page = (tmp_path / "p.html").read_text()
    assert "No run scores anything" not in page
    capsys.readouterr()
    boards = []
    for path, way in ((file, ["--lower-is-better", "wer"]), (twin, ["--higher-is-better", "right"])):
        assert main(["leaderboard", str(path), *way, "-f", "json", "--resamples", "99"]) == 0
        held = json.loads(capsys.readouterr().out)
        boards.append([(run["tag"], run["place"], run["ranks"], run["may_be_best"]) for run in held["runs"]])
        assert held.get("lower_is_better", False) == (path == file)
    assert boards[0] == boards[1]
    assert [tag for tag, *_ in boards[0]] == ["best", "mid", "worst"]
    _, marks = compare(Scored.read(file, lower_is_better=["wer"]), n_resamples=99).tables()
    assert [(row[1], row[2].bold, row[2].mark) for row in marks.rows] == [
        ("best", True, "b,c"), ("mid", False, "c"), ("worst", False, "")
    ]  # fmt: skip
    for directions in ({"lower_is_better": ["cer"]}, {"lower_is_better": ["wer"], "higher_is_better": ["wer"]}):
        with refusing(UsageError, "["):
            Scored.read(file, **directions)


def test_the_direction_of_what_is_computed_is_known(tmp_path):
    folder = EXAMPLES / "trec"
    runs = [str(folder / name) for name in ("bm25.run", "dense.run")]
    gold, count = str(folder / "qrels.txt"), "num_nonrel_judged_ret"
    assert main(["compare", gold, *runs, "--lower-is-better", "map"]) == 2
    assert main(["leaderboard", gold, *runs, "--lower-is-better", "map"]) == 2
    assert main(["fuse", *runs, "--fit", gold, "-m", count, "-o", str(tmp_path / "o")]) == 2
    assert main(["tune", gold, runs[0], "-m", count]) == 2


@pytest.mark.parametrize("name", ["resolved", "Accuracy", "AP", "strange"])
def test_pass_and_fail_are_known_by_their_values(name, tmp_path):
    (file := tmp_path / "s.csv").write_text(
        f"run,query,{name}\n"
        + "".join(f"{r},q{at},{int(at >= n)}\n" for r, n in (("a", 1), ("b", 9)) for at in range(90))
    )
    scored = Scored.read(file)
    comparison, board = compare(scored, n_resamples=99), leaderboard(scored, n_resamples=99)
    low, high = wilson(89, 90, 0.95)
    assert (comparison.interval, comparison.runs[0].interval, board.entries[0].interval) == (
        "wilson", (low, high), (low, high)
    )  # fmt: skip
    exact = binomtest(89, 90).proportion_ci(0.95, "exact")
    assert high - low <= 1.4 * (exact.high - exact.low)


def test_a_column_names_groups_and_replicates(tmp_path):
    draw = random.Random(7)
    rows = [
        (r, s, f"t{q}", f"repo{q % 8}", q % 7, int(draw.random() < p))
        for r, p in (("a", 0.8), ("b", 0.4)) for s in (1, 2, 3) for q in range(40)
    ]  # fmt: skip
    text = "".join(",".join(map(str, row)) + "\n" for row in rows)
    (file := tmp_path / "s.csv").write_text("model,draw,task_id,repo,age,passed\n" + text)
    (lines := tmp_path / "groups.txt").write_text("".join(f"t{q} repo{q % 8}\n" for q in range(40)))
    with refusing(InputError, "[duplicate]"):
        Scored.read(file)
    scored = Scored.read(file, columns={"replicate": "draw"})
    single = {f"{r} {s}": r for r, s, *_ in rows}
    long = "".join(f"{r} {s},{q},{v}\n" for r, s, q, *_, v in rows)
    (apart := tmp_path / "apart.csv").write_text("model,task_id,passed\n" + long)
    of = {r: [name for name, run in single.items() if run == r] for r in "ab"}
    systems = compare(Scored.read(apart), replicates=of)
    assert (systems.replicates, systems.pairs[0].p) == ((3, 3), compare(scored, replicates="draw").pairs[0].p)
    board = leaderboard(scored, replicates="draw")
    assert [(e.tag, e.interval) for e in board.entries] == [
        (e.tag, e.interval) for e in leaderboard(Scored.read(apart), replicates=of).entries
    ]
    by_column, by_file = (compare(scored, groups=groups, n_resamples=99) for groups in ("repo", str(lines)))
    assert (by_column.groups, by_column.pairs[0].p) == (8, by_file.pairs[0].p)
    assert compare(scored, groups="age", n_resamples=99).groups == 7  # also of numbers
    assert leaderboard(scored, groups="repo", n_resamples=99).groups == plan(scored, groups="repo").groups == 8
    for typed in (["compare", "--replicates", "draw"], ["leaderboard", "--replicates", "draw"], ["plan"], ["compare"]):
        more = ["--groups", "repo"] if "--replicates" not in typed else []
        columns = ["--columns", "replicate=draw"] if "--replicates" not in typed else []
        assert main([typed[0], str(file), *typed[1:], *more, *columns, "--resamples", "99"]) == 0
    file.write_text("run,query,repo,AP\na,q1,x,1\nb,q1,y,1\na,q2,x,1\nb,q2,x,1\n")
    with refusing(UsageError, "[ambiguous]"):
        compare(Scored.read(file), groups="repo")


def test_what_a_table_is_about_is_said_in_its_words(tmp_path, capsys):
    (file := tmp_path / "s.csv").write_text(
        "model,instance_id,repo,steps,resolved\n"
        + "".join(f"{r},i{q},x,{q},{int(q % 3 < n)}\n" for r, n in (("a", 2), ("b", 3)) for q in range(30))
    )
    for command in ("leaderboard", "compare", "plan"):
        assert main([command, str(file), "--resamples", "99"]) == 0
        out, err = capsys.readouterr()
        assert "2 runs (model) × 30 instances (instance_id), measure resolved; not read as scores: repo, steps" in err
        assert "instances" in out
        assert "queries" not in out
    scored = Scored.read(file)
    assert scored.task_evidence.endswith("; not read as scores: repo, steps")
    assert "unit" not in compare(scored, n_resamples=99).to_dict()


def test_holes_name_the_run_that_costs_most(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = "".join(
        f"{r},q{q},0.5\n" for r in "abc" for q in range(9) if not ((r == "b" and q > 3) or (r == "c" and q > 7))
    )
    Path("s.csv").write_text("run,query,AP\n" + text)
    with refusing(InputError, "s.csv: [missing-key] (found 'run b, query q4')") as caught:
        Scored.read("s.csv")
    assert "4 of 9 queries" in str(caught.value.remedy)
    assert "8 without b" in str(caught.value.remedy)
    assert len(Scored.read("s.csv", unanswered="common")[0].query_ids) == 4
    text = "".join(f"{r},q{q},0.5,{'' if r == 'a' and q else 1}\n" for r in "ab" for q in range(3))
    Path("s.csv").write_text("run,query,AP,RR\n" + text)
    with refusing(InputError, "[missing-key]"):
        Scored.read("s.csv")
    assert Scored.read("s.csv", measures="AP")["a"].measures == {"AP": 0.5}  # what is not asked for may have holes
    assert main(["compare", "s.csv", "-m", "AP", "--resamples", "9"]) == 0


def test_dictionaries_in_each_other_are_read_in_memory_too():
    map_of = {"q1": {"map": 0.5, "runid": "x"}, "q2": {"map": 1.0, "runid": "x"}}
    for held in ({"a": map_of}, {"a": {"map": {"q1": 0.5, "q2": 1.0}}}):
        assert {run.tag: run.measures for run in Scored.from_frame(held)} == {"a": {"map": 0.75}}
    with refusing(InputError, "[unknown-format] (found 'a')"):
        Scored.from_frame({"a": {"q1": 0.5}})


def test_a_remedy_in_memory_names_keywords():
    with refusing(InputError, "[missing-key] …") as caught:
        Scored.from_frame({"run": ["a", "a", "b"], "query": ["q1", "q2", "q1"], "AP": [1.0, 0.5, 0.5]})
    assert 'unanswered="zero"' in str(caught.value.remedy)
    assert "--" not in str(caught.value.remedy)
    with refusing(InputError, "[missing-column] …") as caught:
        Scored.from_frame({"model": ["a"], "own": ["q1"], "AP": [1.0]})
    assert "--columns" not in str(caught.value.remedy)


def test_a_measure_that_nobody_scored_is_refused():
    frame = {"run": ["a", "b"], "query": ["q", "q"], "AP": [1.0, 0.5], "own": [0.5, 1.0]}
    for ask in (leaderboard, plan):
        with refusing(UsageError, "[not-comparable]"):  # what is known ranks, and the rest is not read
            ask(Scored.from_frame(frame), measure="own")
    named = Scored.from_frame(frame, measures=["own"], higher_is_better=["own"])
    assert leaderboard(named).ranking.name == "own"
    with refusing(UsageError, "[not-comparable]"):
        leaderboard(Scored.from_frame({"run": ["a"], "query": ["q"], "AP": [1.0]}), measure="RR")


def test_a_frame_is_read_with_its_named_index_and_lazily():
    frame = pandas.DataFrame({"qid": ["q1", "q2"], "a": [1.0, 0.5], "b": [0.0, 0.5]})
    for held in (frame, frame.set_index("qid"), polars.from_pandas(frame).lazy()):
        assert {run.tag: run.measures["score"] for run in Scored.from_frame(held)} == {"a": 0.75, "b": 0.25}
    with refusing(InputError, "[missing-column] … write a name above the column that has none, …"):
        Scored.from_frame(frame.rename(columns={"qid": ""}))
