"""What Python functions are given: keywords that nobody has, results without an order, dictionaries without a task."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from enum import Enum
from typing import Any

import pytest

import coliee_ir
from coliee_ir import Evaluator, evaluate, evaluate_all, fit_fusion, hooks, tune
from coliee_ir.hooks import RankingEvaluator, compute_metrics

pytestmark = pytest.mark.usefixtures("one_deal")

GOLD = {f"{n:03}": [f"{n + 100}"] for n in range(1, 7)}
RUN = {f"{n:03}": {f"{n + 100}": 0.9, "050": 0.3} for n in range(1, 7)}
TEXTS = dict.fromkeys(GOLD, "text")
OTHER = {query: {"050": 0.5, **ranking} for query, ranking in RUN.items()}


def public_functions() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Every function and method that a user may call, by name."""
    for module in (coliee_ir, hooks, coliee_ir.types):
        for name in module.__all__ if hasattr(module, "__all__") else dir(module):
            held = getattr(module, name)
            if inspect.isfunction(held):
                yield name, held
            elif inspect.isclass(held) and not issubclass(held, Enum):
                yield from (
                    (f"{name}.{member}", one)
                    for member, one in inspect.getmembers(held, inspect.isroutine)
                    if (member == "__init__" or not member.startswith("_")) and hasattr(one, "__code__")
                )


#: those that take any keyword by name: the fields of a sentence
FREE = {"Remark.of"}
STRICT = {
    name: function
    for name, function in public_functions()
    if name not in FREE and any(one.kind is one.VAR_KEYWORD for one in inspect.signature(function).parameters.values())
}


def test_the_functions_that_take_rules_are_those_that_are_known() -> None:
    assert {"evaluate", "evaluate_all", "tune", "fit_fusion", "Evaluator.__init__", "compute_metrics"} <= STRICT.keys()
    assert "RankingEvaluator.__init__" in STRICT


@pytest.mark.parametrize("name", sorted(STRICT))
@pytest.mark.parametrize("typed", ["exclud", "olny", "zzz"])
def test_a_keyword_that_no_function_has_is_refused(name: str, typed: str) -> None:
    parameters = inspect.signature(STRICT[name]).parameters.values()
    needed = [None for one in parameters if one.default is one.empty and one.kind is one.POSITIONAL_OR_KEYWORD]
    meant = {"exclud": "exclude", "olny": "only"}.get(typed, "decisions")
    with pytest.raises(TypeError, match=rf"{typed}.*\b{meant}\b"):
        STRICT[name](*needed, **{typed: ["626"]})


@pytest.mark.parametrize(
    ("call", "meant"),
    [
        (lambda: evaluate(GOLD, RUN, editon=2020), "edition"),  # type: ignore[call-arg]
        (lambda: evaluate(GOLD, RUN, metrics=["AP"]), "measures"),  # type: ignore[call-arg]
        (lambda: evaluate(GOLD, RUN, measure="AP"), "measures"),  # type: ignore[call-arg]
        (lambda: evaluate_all(GOLD, [RUN], k=1), "only"),  # type: ignore[call-arg]
        (lambda: tune(GOLD, RUN, maximise="MicroR"), "measure"),  # type: ignore[call-arg]
        (lambda: tune(GOLD, RUN, measures="MicroR"), "measure"),  # type: ignore[call-arg]
        (lambda: fit_fusion(GOLD, RUN, OTHER, measures="MacroF2"), "measure"),  # type: ignore[call-arg]
        (lambda: Evaluator(GOLD, year=2020), "edition"),  # type: ignore[call-arg]
        (lambda: compute_metrics(GOLD, [("001", "101")], tresh=0), "threshold"),  # type: ignore[call-arg]
        (lambda: RankingEvaluator(GOLD, TEXTS, TEXTS, metric="AP"), "measures"),  # type: ignore[call-arg]
    ],
)
def test_the_argument_that_was_probably_meant_is_named(call: Callable[[], object], meant: str) -> None:
    with pytest.raises(TypeError, match=rf"\b{meant}\b"):
        call()


def test_one_measure_is_named_measure_and_several_measures() -> None:
    for name, function in public_functions():
        taken = inspect.signature(function).parameters
        assert not taken.keys() & {"maximise", "metric", "metrics"}, name
        assert not {"measure", "measures"} <= taken.keys(), name
    assert tune(GOLD, RUN, task=1, measure="MicroR", folds=2, by="k").measure == "MicroR"
