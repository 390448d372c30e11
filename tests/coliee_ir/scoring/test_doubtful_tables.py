"""Tables whose values or totals cannot be meant, and remedies that work as they are printed."""

import contextlib
import re
import shlex

import pytest
from asserting import mentions, refusing
from score_tables import QUERIES, TRUTH, long, table

from coliee_ir import InputError, Scored
from coliee_ir.scoring.score_tables import is_total


def _wide(values):
    """A column a run."""
    return table(
        ",".join(["query_id", *values]), ([query, *(of[query] for of in values.values())] for query in QUERIES)
    )


@pytest.mark.parametrize("factor", [100, -1])
def test_values_out_of_range_are_refused_in_some_runs_and_a_doubt_in_all(factor, here, call):
    every = {run: {query: value * factor for query, value in of.items()} for run, of in TRUTH.items()}
    some, file = TRUTH | {"dense": every["dense"]}, here / "s.csv"
    for measure in ("AP", "nDCG@10", "accuracy", "map"):
        file.write_text(long(measure, some))
        with refusing(InputError, "s.csv: [mixed-forms] (found 'dense …')"):
            Scored.read("s.csv")
    for measure in ("score", "num_ret", "utility", "strange"):  # which may have any value
        file.write_text(long(measure, some))
        assert not [remark for remark in Scored.read("s.csv").remarks if "beyond" in remark.kind]
    file.write_text(long("AP", {**TRUTH, "none": dict.fromkeys(QUERIES, 0.0)}))
    assert not Scored.read("s.csv").remarks
    file.write_text(long("AP", every))
    [remark] = Scored.read("s.csv").remarks
    assert (remark.kind, remark.is_doubt) == ("beyond-share", True)
    assert all(run in remark for run in TRUTH)
    assert mentions(call("leaderboard", "s.csv", "--resamples", "99")[2], "[beyond-share]")


def test_what_is_called_as_a_total_is_no_run_and_no_query(here):
    total = {query: sum(of[query] for of in TRUTH.values()) / len(TRUTH) for query in QUERIES}
    for name in ("mean", "Average", "MEDIAN", "avg", "overall"):
        (here / "s.csv").write_text(_wide({**TRUTH, name: total}))
        with refusing(InputError, "s.csv, line 1: [ambiguous]") as caught:
            Scored.read("s.csv")
        assert "'" + "|".join(TRUTH) + "'" in str(caught.value.remedy)
        assert [run.tag for run in Scored.read("s.csv", columns={"tag": f"bm25|{name}"})] == ["bm25", name]
    with refusing(InputError, "s.csv, line 1: [missing-column]"):
        Scored.read("s.csv", columns={"tag": "bm25|densee|rerank"})
    assert len(Scored.read("s.csv", columns={"tag": "bm25|d*"})) == 2
    assert [is_total(name) for name in ("all topics", "all", "query topics")] == [True, False, False]
    rows = [(run, f"t{at % 3}", q, value) for run, of in TRUTH.items() for at, (q, value) in enumerate(of.items())]
    for query in ("-", "*", "Average"):
        totals = [(run, "Average", query, 0.5) for run in TRUTH]
        (here / "s.csv").write_text(table("run,dataset,query,AP", rows + totals))
        with refusing(InputError, f"s.csv: [ambiguous] (found '{query}')"):
            Scored.read("s.csv")


def test_a_stated_score_is_the_mean_to_its_last_decimal(here):
    for values, stated, is_mean in (
        ("0.667 0.334", "0.501", True), ("0.667 0.334", "0.502", False), ("0.6667 0.3343", "0.5006", True),
        ("0.6667 0.3343", "0.5007", False), ("0.66666667 0.33333334", "0.50000001", True), ("1 0.5", "0.99", False),
    ):  # fmt: skip
        lines = [f"AP\tq{at}\t{value}\n" for at, value in enumerate(values.split())]
        (here / "s.txt").write_text("".join([*lines, f"AP\tall\t{stated}\n"]))
        with contextlib.nullcontext() if is_mean else refusing(InputError, "s.txt: [unfit-measure]"):
            Scored.read("s.txt")
    (here / "s.txt").write_text("AP\tq1\t1\nAP\tq2\t0\nAP\tall\t0.5\nRR\tall\t0.5\n")
    [remark] = Scored.read("s.txt").remarks
    assert remark.kind == "left-out" and "RR" in remark


def test_the_columns_of_a_remedy_can_be_typed_as_printed(here, call):
    for text in (  # columns that are runs, columns that are hardly runs, and one without a measure
        _wide({**TRUTH, "year": dict.fromkeys(QUERIES, 2020.0)}),
        _wide({"year": dict.fromkeys(QUERIES, 2020.0), **{f"{run}_correct": of for run, of in TRUTH.items()}}),
        table("query_id,run,grade", ((q, run, 2) for run in TRUTH for q in QUERIES)),
    ):
        (here / "s.csv").write_text(text)
        code, _, err = call("leaderboard", "s.csv", "--resamples", "99")
        assert code == 2
        (option,) = re.findall(r"--columns ('[^']*'|\S+='[^']*'|[\w=,]+)", err)
        typed = shlex.split(f"--columns {option}".replace("query=NAME,tag=NAME", "query=query_id,tag=run,value=grade"))
        measure = "grade" if "grade" in text else "score"
        assert call("leaderboard", "s.csv", *typed, "--resamples", "99", "-m", measure)[0] == 0
