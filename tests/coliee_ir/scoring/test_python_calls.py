"""What Python functions are given: keywords that nobody has, results without an order, dictionaries without a task."""

import inspect
import json
import warnings
from collections import namedtuple
from pathlib import Path

import numpy as np
import pandas
import polars
import pytest
from asserting import mentions, refusing

import coliee_ir
from coliee_adapters.errors import InputError, UsageError
from coliee_ir import Evaluator, Rule, ScoreWarning, evaluate, evaluate_all, fuse, read_gold, to_frame, to_run, tune
from coliee_ir.hooks import RankingEvaluator, compute_metrics
from coliee_ir.types import gap

pytestmark = pytest.mark.usefixtures("one_deal")

GOLD = {f"{n:03}": [f"{n + 100}"] for n in range(1, 7)}
RUN = {f"{n:03}": {f"{n + 100}": 0.9, "050": 0.3} for n in range(1, 7)}
OTHER = {query: {"050": 0.5, **ranking} for query, ranking in RUN.items()}
RULED = (evaluate, evaluate_all, tune, coliee_ir.fit_fusion, Evaluator, compute_metrics, RankingEvaluator)


def test_a_keyword_that_no_function_has_is_refused_with_the_one_that_was_meant():
    for function in RULED:
        parameters = inspect.signature(function).parameters.values()
        needed = [None for one in parameters if one.default is one.empty and one.kind is one.POSITIONAL_OR_KEYWORD]
        for typed, meant in (("exclud", "exclude"), ("olny", "only"), ("zzz", "decisions")):
            with pytest.raises(TypeError, match=rf"{typed}.*\b{meant}\b"):
                function(*needed, **{typed: ["626"]})
    for function in filter(inspect.isfunction, (getattr(coliee_ir, name) for name in coliee_ir.__all__)):
        for meant, parameter in inspect.signature(function).parameters.items():
            if parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
                with pytest.raises(TypeError, match=rf"did you mean {meant}\?"):
                    function(None, **{meant[:1] + meant: None})


def test_what_is_refused_names_what_to_write_in_python_and_a_result_is_a_frame():
    scored = evaluate_all(GOLD, {"a": RUN}, task="trec", measures="AP")
    for result in (scored, scored[0]):
        assert to_frame(result, "polars").equals(result.to_frame("polars"))
    with refusing(UsageError, "[unknown-name] … 'k=3' … Rule('k', 3)…"):
        Rule("k=3")
    with refusing(UsageError, "[bad-value] …"):
        Rule("k")
    for gold, run, task, remedy in (
        (GOLD, {"001": ["none"]}, "trec", '"no_overlap": "zero"'),
        ({"R07-01-A": "Y", "R07-02-A": "N"}, {"R07-01-A": "Y", "R07-02-A": ""}, "4", '"unreadable_answers": "wrong"'),
    ):
        with pytest.raises(InputError, match=rf"decisions=\{{{remedy}\}}"):
            evaluate(gold, run, task=task)


# results without an order
SETS = {query: set(ranking) for query, ranking in RUN.items()}
Plain = namedtuple("Plain", "query_id doc_id")
WithScore = namedtuple("WithScore", "query_id doc_id score")
UNORDERED = {
    "sets": SETS,
    "a set among lists": {query: (frozenset if query == "003" else list)(found) for query, found in RUN.items()},
    "a Series of object arrays": pandas.Series({query: found | {"200"} for query, found in SETS.items()}, dtype=object),
    "a set of rows": {Plain(query, document) for query, found in SETS.items() for document in found},
    "Run.of": coliee_ir.Run.of(SETS),
}
#: what has an order, made anew
ORDERED = [
    lambda: {query: tuple(found) for query, found in RUN.items()},
    lambda: {query: np.array(list(found), dtype=object) for query, found in RUN.items()},
    lambda: {query: {*found.items()} for query, found in RUN.items()},
    lambda: {WithScore(query, *one) for query, found in RUN.items() for one in found.items()},
    lambda: {query: {f"{int(query) + 100}"} for query in RUN},
]
REFUSED = [
    {query: [found] for query, found in SETS.items()},
    pandas.DataFrame({"query_id": [*SETS], "doc_id": [*SETS.values()]}),
    [{"query_id": query, "doc_id": found} for query, found in SETS.items()],
    {(query, document) for query, found in SETS.items() for document in found},
]


@pytest.mark.parametrize("how", UNORDERED)
def test_a_set_is_scored_as_a_set_and_refused_by_what_ranks_or_writes(how, here):
    run = UNORDERED[how]
    scores = evaluate(GOLD, run, task=1, measures=["MicroF1", "set_P", "num_ret"])
    # the object arrays hold one document more for each query
    assert scores.measures["MicroF1"] == pytest.approx(0.5 if how == "a Series of object arrays" else 2 / 3)
    assert [remark.kind for remark in scores.remarks] == ["unordered"]
    calls = [
        *(lambda name=name: evaluate(GOLD, run, task=1, measures=name) for name in ("AP", "RR", "MicroF1@1")),
        lambda: evaluate(GOLD, run, task="trec"),
        lambda: coliee_ir.fit_fusion(GOLD, run, OTHER, task=1, folds=2),
        lambda: fuse(run, OTHER),
        lambda: coliee_ir.cut(run, Rule("k", 1)),
        lambda: to_run(run),
        lambda: to_frame(coliee_ir.read_run(run)),
        lambda: coliee_ir.write_run(coliee_ir.read_run(run), "run.txt"),
        lambda: gap(evaluate_all(GOLD, [run], task=1)),
    ]
    for call in calls:
        with refusing(UsageError, "[unordered]"):
            call()
    assert not [*here.iterdir()]


def test_what_has_an_order_is_ranked_and_what_holds_sets_elsewhere_refused():
    for run in ORDERED:
        assert evaluate(GOLD, run(), task=1, measures="RR").measures == {"RR": 1.0}
        assert to_run(run())["001"]["101"]
    for run in REFUSED:
        with pytest.raises(InputError):
            evaluate(GOLD, run, task=1)
    # a gold may be a set, and sets are fused as sets are
    gold = {query: set(documents) for query, documents in GOLD.items()}
    assert evaluate(gold, RUN, task=1, measures="AP").measures == {"AP": 1.0}
    assert fuse(SETS, OTHER, method="union").tag == "union"
    ordered = {query: sorted(documents) for query, documents in SETS.items()}
    fused = [to_run(fuse(run, OTHER, method="intersection")) for run in (SETS, ordered)]
    assert fused[0] == fused[1]
    for call in (  # what is asked for in an order
        lambda: evaluate(GOLD, RUN, task=1, measures={"AP", "RR"}),
        lambda: coliee_ir.compare(evaluate_all(GOLD, [RUN, OTHER], task=1), measures={"MicroF1", "MicroP"}),
        lambda: Evaluator(GOLD, task=1, documents={"101", "050"}),
        lambda: compute_metrics(GOLD, {("001", "101"), ("001", "050")}, task=1),
    ):
        with refusing(UsageError, "[bad-value]"):
            call()
    assert evaluate(GOLD, RUN, task=1, only={"001", "002"}).header()


# the same ids are the same task
CASES = {f"{n:06}": [f"{n + 100:06}"] for n in range(1, 7)}
TASKS = {
    "cases": (CASES, "1"),
    "paragraphs": ({"827": "020.txt", "828": "033.txt,034.txt", "829": "017.txt"}, "2"),
    "articles": ({"R01-1-A": ["96", "97"], "R01-2-U": ["398-2"]}, "3"),
    "labels": ({"R01-1-A": "Y", "R01-2-U": "N"}, "4"),
    "graded": ({query: dict.fromkeys(found, 2) for query, found in CASES.items()}, "trec"),
    "judged not relevant": ({"827": {"020": 1, "021": 0}}, "trec"),
    "plain TREC": ({"q1": {"d1": 1, "d2": 0}, "q2": {"d3": 2}}, "trec"),
    "one other document": ({**CASES, "000007": ["FBIS3-1"]}, "trec"),
}


@pytest.mark.parametrize("what", TASKS)
def test_the_same_ids_are_the_same_task_in_a_file_and_in_memory(what, here):
    content, task = TASKS[what]
    Path("gold.json").write_text(json.dumps(content))
    golds, run = ["gold.json", content, read_gold(content), read_gold("gold.json")], content
    if task != "4":
        frame = to_frame(read_gold(content))
        frame.to_csv("gold.csv", index=False)
        golds += ["gold.csv", frame, coliee_ir.to_qrels(content), polars.from_pandas(frame)]
        run = to_run({query: list(documents) for query, documents in coliee_ir.to_qrels(content).items()})
    for gold in golds:
        assert Evaluator(gold).task == evaluate_all(gold, [run]).basis.task == task
        assert evaluate(gold, run).measures == evaluate("gold.json", run).measures
    if task in ("1", "2"):
        assert tune(content, run, folds=2, by="k").measure == "MicroF1"
        rows = [(query, document) for query, documents in coliee_ir.to_qrels(content).items() for document in documents]
        assert "MicroF1" in compute_metrics(content, rows)(([1.0] * len(rows), None))


# doubts about a score
MANY = {f"{n:03}": [f"{n:03}"] for n in range(1, 21)}
LISTS = {query: [f"{n:03}" for n in range(900, 912)] + found for query, found in MANY.items()}
HALF = {query: [*found, "900"] for query, found in list(MANY.items())[:11]}
DOUBTFUL = {
    "lost-zeros": {query if query > "005" else str(int(query)): [*found, "900"] for query, found in MANY.items()},
    "upside-down": LISTS,
    "unanswered-query": dict(list(HALF.items())[:9]),
    "no-match": {query: ["900", "901"] for query in MANY},
    "order-of-ties": {query: {found[0]: 1.0, "900": 1.0} for query, found in MANY.items()},
    "gold-itself": MANY,
}
SCORED = {query: {found[0]: 1.0, "900": 0.5} for query, found in MANY.items()}
AP = {"task": 2, "measures": ["AP", "MicroF1@1"]}


def warned(call):
    """What a call gives, and the warnings that are heard."""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        return call(), heard


@pytest.mark.parametrize("kind", DOUBTFUL)
def test_a_score_in_doubt_is_warned_of_once_at_the_users_line(kind):
    run, evaluator = DOUBTFUL[kind], Evaluator(MANY, AP["measures"], task=2)
    calls = [
        lambda: evaluate(MANY, run, **AP),
        lambda: evaluate_all(MANY, [run, SCORED], **AP)[0],
        lambda: evaluator.evaluate(run),
    ]
    for call in calls:
        scores, heard = warned(call)
        assert kind in {remark.kind for remark in scores.remarks if remark.is_doubt}
        assert [(one.category, one.filename) for one in heard] == [(ScoreWarning, __file__)]
        assert all(str(remark) in str(heard[0].message) for remark in scores.remarks if remark.is_doubt)
    assert "evaluator.evaluate(run)" in Path(__file__).read_text("utf-8").splitlines()[heard[0].lineno - 1]


def test_nothing_is_warned_of_where_nothing_is_in_doubt_or_typed_and_of_many_runs_once(here, call):
    for run in (HALF, SCORED):
        scores, heard = warned(lambda run=run: evaluate(MANY, run, **AP))
        assert not heard and not any(remark.is_doubt for remark in scores.remarks)
    runs = {f"run{n}": DOUBTFUL["no-match"] for n in range(9)}
    rows = [(query, "900") for query in MANY]
    for score in (lambda: evaluate_all(MANY, runs, **AP, decisions={"no_overlap": "zero"}),
                  lambda: tune(MANY, LISTS, task=2, folds=2, by="k"),
                  lambda: compute_metrics(MANY, rows, task=2)(([2.0] * len(MANY), None))):  # fmt: skip
        assert [(one.category, one.filename) for one in warned(score)[1]] == [(ScoreWarning, __file__)]
    Path("gold.json").write_text(json.dumps(MANY))
    Path("run.json").write_text(json.dumps(LISTS))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        code, _, err = call("evaluate", "gold.json", "run.json", "-m", "AP")
    assert code == 0 and mentions(err, "[upside-down]")


def test_what_was_not_kept_and_one_run_in_the_place_of_several_are_refused():
    scored = evaluate_all(GOLD, [RUN, OTHER], task="1", keep="values")
    for ask in (coliee_ir.compare, coliee_ir.leaderboard):
        with refusing(UsageError, "[not-comparable]"):
            ask(scored)
    for runs in ({"001": ["101"]}, RUN):
        with refusing(UsageError, "[shape]"):
            evaluate_all(GOLD, runs, task="1")
