import json
import math
import runpy
import subprocess
import sys
import warnings

import ir_measures
import numpy as np
import pandas
import polars
import pytest
from asserting import heard, matches, refusing
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from ir_measures import AP, P, Qrel, ScoredDoc
from naive import golds, run_lines

import coliee_ir
from coliee_adapters.errors import MismatchError, UsageError
from coliee_ir import ir_measures as plugin
from coliee_ir.ir_measures import MacroF, MacroP, MacroR, MicroF, MicroP, MicroR, Summand, provider

MEASURES = [
    MicroP, MicroR, MicroF, MicroF(beta=2), MicroP @ 1, MicroR @ 3, MicroF(beta=2) @ 2, MicroF(beta=0.5, rel=2),
    MicroR(rel=2), MicroP(rel=3) @ 2, MacroP, MacroR, MacroF, MacroF(beta=2), MacroP @ 1, MacroR @ 2,
    MacroF(beta=3, rel=2) @ 3,
]  # fmt: skip

#: q2 is not answered, q4 has no relevant document, x is not judged; q1 names d1 twice
GOLD = {"q1": {"d1": 1, "d2": 2, "d3": 0}, "q2": {"d4": 1, "d5": 1}, "q3": {"d6": 2}, "q4": {"d7": 0}}
LINES = [
    ("q3", "d6", 1.0), ("q1", "d9", 3.0), ("q1", "d1", 2.0), ("x", "d1", 1.0), ("q1", "d1", 1.0), ("q3", "d8", 0.5),
    ("q4", "d7", 0.1),
]  # fmt: skip
RUN = {"q3": {"d6": 1.0, "d8": 0.5}, "q1": {"d9": 3.0, "d1": 2.0}, "x": {"d1": 1.0}, "q4": {"d7": 0.1}}


QRELS = [(query, document, level) for query, judged in GOLD.items() for document, level in judged.items()]
unparsable = pytest.mark.skipif(
    sys.version_info >= (3, 14), reason="ir_measures 0.4.3 cannot parse parameters on Python 3.14"
)


def table(rows, value):
    return pandas.DataFrame(rows, columns=["query_id", "doc_id", value])


def scored(lines):
    return [ScoredDoc(line.query, line.document, line.score) for line in lines if line.document is not None]


@given(golds, run_lines(), st.sampled_from(["tuples", "a generator", "pandas"]))
def test_scores_are_those_of_evaluate(gold, lines, held):
    tuples = scored(lines)
    run = {"tuples": lambda: tuples, "a generator": lambda: iter(tuples), "pandas": lambda: table(tuples, "score")}
    # pytrec_eval, which computes AP there, crashes on a query whose every judgement is negative
    beside = [] if any(judged and max(judged.values()) < 0 for judged in gold.values()) else [AP]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # gold and run without anything in common
        found = ir_measures.calc_aggregate([*MEASURES, *beside], gold, run[held]())
    levels = [level for judged in gold.values() for level in judged.values()]
    assume(not levels or max(levels) > 0)  # evaluate refuses others
    try:
        scores = coliee_ir.evaluate(gold, tuples, task="trec", measures=[str(measure) for measure in MEASURES])
    except MismatchError:
        return
    ours = {measure.ours.name: found[measure] for measure in MEASURES}
    np.testing.assert_equal(ours, scores.measures)


@pytest.mark.parametrize(
    ("gold", "run"),
    [
        (GOLD, RUN),
        (GOLD, [ScoredDoc(*line) for line in LINES]),
        ([Qrel(*row) for row in QRELS], RUN),
        (table(QRELS, "relevance"), table(LINES, "score")),
    ],
)
def test_each_judged_query_has_its_value_answered_or_not(gold, run):
    scores = coliee_ir.evaluate(GOLD, RUN, task="trec", measures=[str(measure) for measure in MEASURES])
    found = {(query, str(measure)): value for query, measure, value in ir_measures.iter_calc(MEASURES, gold, run)}
    np.testing.assert_equal(found, {
        (query, str(measure)): scores.per_query[query].get(measure.ours.name, math.nan)
        for query in GOLD for measure in MEASURES
    })  # fmt: skip
    assert list(provider.iter_calc([MicroR], gold, run)) == [
        ("q1", MicroR, 0.5), ("q2", MicroR, 0.0), ("q3", MicroR, 1.0), ("q4", MicroR, 0.0)
    ]  # fmt: skip


@unparsable
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # ast.Num, which it uses
def test_a_measure_is_named_and_typed_in_the_syntax_of_ir_measures():
    for measure in MEASURES:
        assert ir_measures.parse_measure(str(measure)) == measure
    for measure, name in (
        (MicroF, "MicroF"), (MicroF(beta=1.0, rel=1), "MicroF"), (MicroF(beta=2), "MicroF(beta=2)"),
        (MicroF(beta=2.0) @ 5, "MicroF(beta=2)@5"), (MicroF(rel=2, beta=0.5) @ 10, "MicroF(beta=0.5,rel=2)@10"),
        (MacroP @ 3, "MacroP@3"),
    ):  # fmt: skip
        assert str(measure) == name
    assert ir_measures.parse_measure("MicroF(beta=2,rel=2)@10") == MicroF(beta=2, rel=2, cutoff=10)
    assert MicroF(beta=2) == MicroF(beta=2.0) != MicroF
    assert len({MicroF, MicroF(beta=1), MicroF(rel=1), MacroF}) == 2
    assert (MicroF(beta=2)["beta"], MicroF["beta"], (MicroF @ 5)["cutoff"], MicroP["rel"]) == (2, 1.0, 5, 1)


def test_a_parameter_that_is_none_is_refused_in_a_sentence():
    for measure, said in (
        (lambda: MicroP(beta=2), "'MicroP(beta=2)': MicroP has no parameter beta; it has cutoff, rel"),
        (lambda: MicroF(beta=0), "[bad-measure] 'MicroF(beta=0)'… beta … 999999999 …"),
        (lambda: MacroR @ 2.5, "[bad-measure] 'MacroR@2.5'… cutoff … 999999999 …"),
        (lambda: MicroF(judged_only=True), "[bad-measure] 'MicroF(judged_only=True)'… MicroF … judged_only …"),
    ):
        with refusing(UsageError, said):
            measure()


def test_they_stand_beside_measures_of_other_providers():
    tuples = (Qrel(*row) for row in QRELS)
    found = ir_measures.calc([AP, MicroF, P @ 1, MacroR], tuples, (ScoredDoc(*line) for line in LINES))
    assert found.aggregated[MicroF] == MicroF.calc_aggregate(GOLD, RUN)
    assert found.aggregated[AP] == AP.calc_aggregate(GOLD, RUN)
    assert len(found.per_query) == 4 * len(GOLD)
    evaluator = ir_measures.evaluator([MicroR, MicroP @ 1], GOLD)
    runs = [RUN, {}, {"q2": {"d4": 1.0}}]
    assert [evaluator.calc_aggregate(run)[MicroR] for run in runs] == [2 / 5, 0.0, 1 / 5]
    assert evaluator.calc_aggregate(runs[2]) == {MicroR: 1 / 5, MicroP @ 1: 1.0}
    assert MicroF.calc_aggregate({"q": {"1.txt": 1}}, {"q": {"1": 1.0, "1.txt": 0.5}}) == 2 / 3  # ids as they stand


def test_the_provider_takes_what_ir_measures_does_not():
    gold = polars.DataFrame(QRELS, schema=["query_id", "doc_id", "relevance"], orient="row")
    run = polars.DataFrame(LINES, schema=["query_id", "doc_id", "score"], orient="row").lazy()
    assert provider.calc_aggregate([MicroF], gold, run)[MicroF] == MicroF.calc_aggregate(GOLD, RUN)
    assert provider.calc_aggregate([MicroF], {"q": ["d", "e"]}, {"q": ["d"]})[MicroF] == 2 / 3
    assert ir_measures.providers.registry["coliee_ir"] is provider
    with refusing(ImportError, "… MicroP …"):  # another measure of the name is not replaced
        runpy.run_path(plugin.__file__)


def test_a_zero_of_gold_and_run_that_do_not_belong_together_is_said_and_of_nothing_there_is_no_score():
    with pytest.warns(UserWarning, match="'1'"):
        assert MicroF.calc_aggregate({"001": {"d": 1}}, {"1": {"d": 1.0}}) == 0.0
    for measure in MEASURES:
        assert math.isnan(measure.calc_aggregate({}, RUN)) and math.isnan(measure.calc_aggregate({}, {}))


def summands(measure, gold=GOLD, run=RUN):
    found = [metric.value for metric in measure.iter_calc(gold, run)]
    assert all(isinstance(value, Summand) for value in found)
    return found


def arithmetic_mean(values):
    """What PyTerrier does in ``_mean_of_measures``, whatever the measure's aggregator."""
    total, n = 0.0, 0
    for value in values:
        total = total + value
        n += 1
    return total / n


@settings(max_examples=settings.default.max_examples // 3)
@given(golds, run_lines(), st.integers(1, 3))
def test_the_mean_is_the_score_also_over_batches(gold, lines, size):
    batches = [list(gold)[at : at + size] for at in range(0, len(gold), size)]
    for measure in MEASURES:
        values = []
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            score = measure.calc_aggregate(gold, scored(lines))
            for batch in batches:
                of_batch = scored([line for line in lines if line.query in batch])
                values += summands(measure, {query: gold[query] for query in batch}, of_batch)
        assert arithmetic_mean(values) == pytest.approx(score, nan_ok=True, rel=1e-12)
        assert float(sum(values)) == pytest.approx(len(values) * score, nan_ok=True)
        assert (sum(values[:2]) + sum(values[2:])) / len(values) == pytest.approx(score, nan_ok=True, rel=1e-12)


def test_a_summand_is_a_plain_number_to_everything_else():
    values = summands(MicroR)
    assert values == [0.5, 0.0, 1.0, 0.0]
    assert np.array(values).dtype == np.float64
    assert pandas.DataFrame({"value": values})["value"].dtype == np.float64
    assert json.dumps(values) == "[0.5, 0.0, 1.0, 0.0]"
    one, other = values[0], summands(MicroP)[0]
    for plain in (one + 1, 1 + one, one - values[2], one * 2, one / 2, -one, one + math.nan, (one + other) / 2):
        assert type(plain) is float
    assert (one + 1, 1 + one, one + other, one / 2, one / 1) == (1.5, 1.5, 1.0, 0.25, 0.5)
    with pytest.raises(TypeError):
        one + "1"


@unparsable
def test_the_command_line_of_ir_measures_with_these_measures(here):
    (here / "qrels").write_text("".join(f"{query} 0 {document} {level}\n" for query, document, level in QRELS))
    (here / "run").write_text("".join(f"{query} Q0 {document} 0 {score} T\n" for query, document, score in LINES))

    def typed(*arguments):
        command = [sys.executable, "-m", "coliee_ir.ir_measures", "qrels", "run", *arguments]
        return subprocess.run(command, capture_output=True, text=True)

    shown = typed("-q", "MicroR", "MicroF(beta=2)@10", "P@1").stdout.splitlines()[-3:]
    assert shown == ["all\tMicroR\t0.4000", "all\tMicroF(beta=2)@10\t0.4000", "all\tP@1\t0.2500"]
    refused = typed("MicroR@0")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert matches(heard(refused.stderr), "[bad-measure] ir_measures … 'MicroR@0': cutoff … 999999999 …\n")
