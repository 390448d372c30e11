import functools
import inspect
import itertools
import json
import math
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import pandas
import pytest
from asserting import refusing
from places import ROOT

import coliee_ir
import coliee_ir.scoring.score_tables

pytestmark = pytest.mark.usefixtures("one_deal")


EXPORTED = {
    *("evaluate", "evaluate_all", "Evaluator", "compare", "leaderboard", "plan", "report", "tune", "cut"),
    *("errors", "fuse", "fit_fusion", "validate", "convert", "write_run", "read_gold", "read_run", "read_corpus"),
    *("read_categories", "to_qrels", "to_run", "to_frame", "protocol"),
    *("Gold", "Run", "Answers", "Scores", "Scored", "Rules", "Submission", "Decisions", "Rule", "Filter"),
    *("Fusion", "ColieeError", "InputError", "MismatchError", "UsageError", "ScoreWarning"),
}
#: what functions take and give, for annotations
TYPES = {name for name in vars(coliee_ir.types) if not name.startswith("__")}


def public(name):
    return getattr(coliee_ir if name in EXPORTED else coliee_ir.types, name)


def test_the_package_exports_what_is_expected_and_nothing_else():
    assert sorted(coliee_ir.__all__) == sorted(EXPORTED)
    assert len(EXPORTED) <= 40
    assert not EXPORTED & TYPES
    assert all(inspect.getdoc(public(name)) for name in (EXPORTED | TYPES) - {"PROTOCOLS"})
    assert coliee_ir.__version__ == metadata.version("coliee-ir")
    with pytest.raises(AttributeError, match="has no attribute 'evalute'"):
        _ = coliee_ir.evalute
    # a release asks for the version where it stands, before anything is installed
    workflow = (ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8")
    [asked] = re.findall(r"version=\$\(python -c '(.*)'\)", workflow)
    done = subprocess.run([sys.executable, "-S", "-c", asked], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == coliee_ir.__version__


HEAVY = {
    *("altair", "jinja2", "vl_convert", "pandas", "polars", "scipy", "rich", "ir_measures"),
    *("sklearn", "matplotlib", "hypothesis"),
}


def test_what_a_small_run_does_not_need_is_not_imported(here):
    Path("gold.json").write_text(json.dumps({"000001": ["000018"], "000002": ["000001"]}))
    Path("run.txt").write_text("000001 000018 T\n000002 000018 T\n")
    for typed in ("", "coliee_ir.evaluate('gold.json', 'run.txt', measures=['MicroF1@5', 'map', 'P_5'])"):
        code = f"import coliee_ir, sys\n{typed}\nprint(*{{name.partition('.')[0] for name in sys.modules}})"
        words = [sys.executable, "-W", "error", "-c", code]
        loaded = set(subprocess.run(words, capture_output=True, text=True, check=True).stdout.split())
        assert ("numpy" in loaded) == bool(typed)
        assert not loaded & HEAVY


# what is not what a parameter takes

GOLD = {f"q{n}": [f"d{n}"] for n in range(6)}
RUN = {f"q{n}": {f"d{n}": 0.9 - n / 20, "x": 0.3} for n in range(6)}
OTHER = {f"q{n}": {"x": 0.9, f"d{n % 4}": 0.2} for n in range(6)}
SCORED = coliee_ir.evaluate_all(GOLD, [RUN, OTHER], task="1")
OF_A_TASK = {"task": "1"}

#: the public functions, each with arguments that are right
RIGHT = {
    "read_gold": ((GOLD,), OF_A_TASK),
    "read_run": ((RUN,), OF_A_TASK),
    "read_corpus": (("cases",), OF_A_TASK),
    "evaluate": ((GOLD, RUN), OF_A_TASK),
    "to_qrels": ((GOLD,), {}),
    "to_run": ((RUN,), {}),
    "to_frame": ((RUN,), {}),
    "evaluate_all": ((GOLD, [RUN, OTHER]), OF_A_TASK),
    "errors": ((SCORED,), {}),
    "gap": ((SCORED,), {}),
    "overlap": ((SCORED,), {}),
    "compare": ((SCORED,), {"n_resamples": 9}),
    "leaderboard": ((SCORED,), {"n_resamples": 9}),
    "convert": (("cases/run.txt", "out.run"), {"to": "trec"}),
    "write_run": ((coliee_ir.Run.of(RUN), "out.run"), {}),
    "read_categories": (("kinds.csv", ["q1"]), {}),
    "plan": ((SCORED,), {}),
    "tune": ((GOLD, RUN), {**OF_A_TASK, "by": "k", "folds": 2, "repeats": 1}),
    "cut": ((RUN, coliee_ir.Rule("k", 1)), OF_A_TASK),
    "fuse": ((RUN, OTHER), OF_A_TASK),
    "fit_fusion": ((GOLD, RUN, OTHER), {**OF_A_TASK, "folds": 2, "repeats": 1}),
    "report": ((coliee_ir.evaluate_all({"q": "Y"}, [{"q": "Y"}, {"q": "N"}], task="4"),), {"n_resamples": 9}),
    "validate": (("cases/run.txt",), OF_A_TASK),
    "judge": ((coliee_ir.types.Qrels({"q0": {"d0": 1}}), coliee_ir.Run.of(RUN)), {}),
    "protocol": (("1",), {}),
    "Evaluator": ((GOLD,), OF_A_TASK),
    "Evaluator.evaluate": ((RUN,), {}),
    "Rule": (("k", 3), {}),
    "Decisions": ((), {}),
    "Fusion": ((), {}),
    "Run.of": ((RUN,), {}),
}
NONSENSE = (42, math.nan, object(), b"x", [None], {"a": object()})
TAKING_TASKS = [name for name in RIGHT if "." not in name
                if {"task", "rules"} & {*inspect.signature(public(name)).parameters}]  # fmt: skip


@pytest.fixture
def files(here):
    """What is read by name."""
    Path("cases").mkdir()
    Path("cases/000018.txt").write_text("A case.")
    Path("cases/run.txt").write_text("000018 000019 T\n")
    Path("kinds.csv").write_text("query,category\nq1,A\n")


def called(name):
    holder, _, method = name.partition(".")
    if holder == "Evaluator" and method:
        return getattr(coliee_ir.Evaluator(GOLD, task="1"), method)
    found = public(holder)
    return getattr(found, method) if method else found


def wrong_calls(name):
    """The right call with one argument after the other replaced by nonsense; of the rules, each by another one."""
    signature = inspect.signature(called(name))
    for parameter in signature.parameters.values():
        ruled = parameter.kind is parameter.VAR_KEYWORD
        given = itertools.product(coliee_ir.Rules.__annotations__ if ruled else [parameter.name], NONSENSE)
        for asked, value in itertools.islice(given, 0, None, 5 if ruled else 1):
            bound = signature.bind(*RIGHT[name][0], **RIGHT[name][1])
            wrong = (value,) if parameter.kind is parameter.VAR_POSITIONAL else value
            rules = bound.arguments.get(parameter.name, {})
            bound.arguments[parameter.name] = {**rules, asked: wrong} if ruled else wrong
            yield asked, value, bound


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("name", RIGHT)
def test_nonsense_is_refused_in_a_sentence(name):
    assert {one for one in EXPORTED | TYPES if inspect.isfunction(public(one))} <= RIGHT.keys()  # none is left out
    arguments, options = RIGHT[name]
    drained(called(name)(*arguments, **options))
    refused = set()
    for parameter, value, bound in wrong_calls(name):
        try:
            drained(called(name)(*bound.args, **bound.kwargs))
        except coliee_ir.ColieeError as error:
            refused.add(parameter)
            assert len(str(error)) > 10, (parameter, value)
        except Exception as error:
            pytest.fail(f"{name}({parameter}={value!r}) raises {error!r}")
    assert refused


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("name", TAKING_TASKS)
def test_tasks_and_editions_are_texts_or_numbers_everywhere_and_others_are_refused(name):
    arguments, options = RIGHT[name]
    takes_edition = bool({"edition", "rules"} & {*inspect.signature(public(name)).parameters})
    given = {key: value for key, value in options.items() if key != "task"}
    call = functools.partial(public(name), *(arguments if name != "protocol" else ()), **given)
    for task, edition in (("1", "2025"), (1, 2025)):
        call(task=task, **({"edition": edition} if takes_edition else {}))
    for wrong in ("nonsense", "TREC", "", "01", 7, 1.0, True, ["1"]):
        with pytest.raises(coliee_ir.UsageError, match=r"task .*; the tasks .*are 1, 2, 3, .*tort, rationale"):
            call(task=wrong)
    for wrong in ("last", "", "20 26", 2026.0, True) if takes_edition else ():
        with refusing(coliee_ir.UsageError, f"[unknown-edition] 2014 … {coliee_ir.protocol('1').last} …"):
            call(task=1, edition=wrong)


def drained(result):
    if isinstance(result, Iterator):
        list(result)


def test_a_frame_in_the_place_of_runs_or_scores_is_told_where_it_goes():
    frame = pandas.DataFrame({"run": ["a"], "query": ["1"], "AP": [0.5]})
    calls = [functools.partial(function, {"1": ["2"]}) for function in (coliee_ir.evaluate, coliee_ir.evaluate_all)]
    calls += [getattr(coliee_ir, name) for name in ("compare", "plan", "leaderboard", "report")]
    for function in calls:
        with refusing(coliee_ir.ColieeError, "…Scored.from_frame…"):
            function(frame)
