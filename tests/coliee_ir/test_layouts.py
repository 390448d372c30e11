"""Score files as other projects write them: what each gives, and what is refused because it would be guessed.

The cases are those of score_tables.py.
"""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import pytest
import score_tables
from asserting import refusing
from example_runs import EXAMPLES
from score_tables import Case

from coliee_adapters.errors import ColieeError, UsageError
from coliee_ir import Scored, compare, evaluate_all, leaderboard, plan
from coliee_ir.cli import main

QUERIES = [f"q{at}" for at in range(4)]
OK = {"a": dict(zip(QUERIES, (1, 1, 1, 0), strict=True)), "b": dict(zip(QUERIES, (0, 1, 0, 0), strict=True))}


def lines(*records: Any) -> str:
    return "".join(json.dumps(one) + "\n" for one in records)


def swe(run: str) -> dict[str, Any]:
    done = [query for query in QUERIES if OK[run][query]]
    ids = {"completed_ids": QUERIES[:3], "error_ids": QUERIES[3:], "resolved_ids": done}
    return {"results": {"no_generation": QUERIES[3:], "resolved": done}, "run": {"total_instances": 4, **ids},
            "instances": {q: {"patch_exists": True, "resolved": bool(ok)} for q, ok in OK[run].items()}}  # fmt: skip


WIDE = "query_id,year,a,b\nq1,2020,1,0\nq2,2021,1,1\n"
TIMES = "model,item_id,score_match,total_time\na,1,1,3.5\nb,1,0,4.5\n"


@pytest.mark.parametrize("case", score_tables.READ, ids=lambda case: case.name)
def test_a_layout_gives_its_runs_and_means(case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    board = leaderboard(case.read(), n_resamples=9)
    assert isinstance(case.outcome, dict)
    best = sorted(case.outcome, key=lambda run: case.outcome[run], reverse=case.measure != "wer")  # type: ignore[index]
    assert (board.ranking.name, [entry.tag for entry in board.entries]) == (case.measure, best)
    means = [entry.scores.measures[case.measure] for entry in board.entries]
    assert means == pytest.approx([case.outcome[run] for run in best], abs=1e-12)


@pytest.mark.parametrize("case", score_tables.REFUSED, ids=lambda case: case.name)
def test_what_would_be_guessed_is_refused(case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with refusing(ColieeError, f"[{case.outcome}]"):
        leaderboard(case.read())
    for command in ("leaderboard", "compare", "plan"):  # which is no guess about a gold and its runs
        assert main([command, *case.files]) == 2


def test_the_same_data_in_many_shapes_gives_the_same_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_neither_rows_nor_columns_in_another_order_change_what_ranks(tmp_path: Path) -> None:
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


def test_the_docs_list_what_is_read_and_what_is_refused() -> None:
    page = Path(__file__).parents[2] / "docs" / "recipes.md"
    assert score_tables.documented() in page.read_text(encoding="utf-8"), "run python tests/score_tables.py"


def test_what_is_declared_is_read(tmp_path: Path) -> None:
    (file := tmp_path / "s.csv").write_text(WIDE)
    assert [one.tag for one in Scored.read(file, columns={"tag": "a|b"})] == ["a", "b"]
    file.write_text("model,Rank,T1,T2\na,1,1,0\nb,2,0,0\n")
    assert Scored.read(file, columns={"query": "T*"})["a"].measures == {"score": 0.5}
    file.write_text(json.dumps(swe("a")["results"]))
    assert Scored.read(file, only=QUERIES)["s"].measures == {"resolved": 0.75}
    file.write_text(TIMES)
    assert leaderboard(Scored.read(file), measure="score_match", n_resamples=9).ranking.name == "score_match"
    file.write_text(
        "run,seed,query,AP\n" + "".join(f"{r},{s},q{q},{int(q) / 9}\n" for r in "ab" for s in "123" for q in "012")
    )
    assert [entry.tag for entry in leaderboard(Scored.read(file), replicates="seed").entries] == ["a", "b"]
    assert main(["leaderboard", str(file), "--replicates", "seed"]) == 0


def test_less_is_better(tmp_path: Path) -> None:
    (file := tmp_path / "s.csv").write_text(
        "model,item_id,wer\n"
        + "".join(f"{r},{q},{(q % 3 + 3 * at) / 10}\n" for at, r in enumerate("ab") for q in range(30))
    )
    scored = Scored.read(file, lower_is_better=["wer"])
    board, upwards = leaderboard(scored, n_resamples=99), leaderboard(
        Scored.read(file, higher_is_better=["wer"]), n_resamples=99)  # fmt: skip
    assert [(e.tag, str(e.ranks), e.may_be_best) for e in board.entries] == [("a", "1", True), ("b", "2", False)]
    assert [e.tag for e in upwards.entries] == ["b", "a"]
    [pair] = compare(scored, n_resamples=99).pairs
    assert (pair.verdict, pair.wins, pair.losses) == ("better", 30, 0)
    assert pair.difference == pytest.approx(-0.3)
    [pair] = compare(scored, n_resamples=99, margin=0.1).pairs
    assert pair.verdict == "better by more than 0.1"
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
def test_results_of_instances_and_booleans_are_no_scores_of_documents(name: str, tmp_path: Path) -> None:
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
def test_a_column_is_no_system_because_it_holds_numbers(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
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


def test_a_measure_that_nobody_scored_is_refused() -> None:
    with refusing(UsageError, "[not-comparable]"):
        leaderboard(Scored.from_frame({"run": ["a"], "query": ["q"], "AP": [1.0]}), measure="RR")
