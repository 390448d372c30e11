"""Every result shows itself: briefly, as the command line's table, in a notebook, as a frame."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import one_step
import pytest

import coliee_ir.examples
from coliee_adapters.errors import UsageError
from coliee_ir import Run, Submission, evaluate, fit_fusion, tune, validate

TASK1 = Path(coliee_ir.examples.__file__).parent / "task1"
GOLD, RUNS = TASK1 / "gold.json", [TASK1 / "bm25.txt", TASK1 / "dense.txt"]

RESULTS = {
    "Scores": lambda: evaluate(GOLD, RUNS[0]),
    "Comparison": lambda: one_step.compare(GOLD, *RUNS, n_resamples=99),
    "Leaderboard": lambda: one_step.leaderboard(GOLD, *RUNS, n_resamples=99),
    "Tuning": lambda: tune(GOLD, RUNS[0], by="k"),
    "FittedFusion": lambda: fit_fusion(GOLD, *RUNS),
    "Report": lambda: one_step.report(GOLD, *RUNS, n_resamples=99),
    "Validation": lambda: validate(*RUNS),
}


@pytest.fixture(scope="module", params=RESULTS)
def result(request: pytest.FixtureRequest) -> Any:
    return RESULTS[request.param]()


def test_it_shows_itself_briefly_as_text_in_a_notebook_and_as_a_frame(result: Any) -> None:
    assert repr(result).startswith(f"{type(result).__name__}(")
    assert len(repr(result)) < 250
    assert any(run.stem in str(result) for run in RUNS)
    assert len(str(result).splitlines()) >= 2
    assert result._repr_html_().startswith("<table>")
    assert any(run.stem in result._repr_html_() for run in RUNS)
    assert result.to_dict()
    for library in ("pandas", "polars"):
        assert len(result.to_frame(library)) >= 1
    with pytest.raises(UsageError):
        result.to_frame("arrow")


def test_scores_have_a_row_for_each_query() -> None:
    scores = evaluate(GOLD, RUNS[0])
    frame = scores.to_frame(per_query=True)
    assert dict(zip(frame["query"], frame["MicroF1"], strict=True)) == {
        query: values["MicroF1"] for query, values in scores.per_query.items()
    }
    with pytest.raises(UsageError):
        one_step.compare(GOLD, *RUNS, n_resamples=99).to_frame(per_query=True)


def test_tags_and_ids_are_escaped_in_html() -> None:
    tagged = Run.of({"q1": ["d1"]}, tag="<script>alert(1)</script>")
    shown = evaluate({"q1": ["d1"]}, tagged, task="1")._repr_html_()
    assert "<script>" not in shown
    assert "&lt;script&gt;" in shown


def test_a_submission_is_evaluated_like_its_parts() -> None:
    folder = TASK1.parent / "task3"
    gold, run, answers = folder / "gold.xml", folder / "task3.ALPHA", folder / "answers.ALPHA"
    assert evaluate(gold, Submission(run, answers)).to_dict() == evaluate(gold, run, answers=answers).to_dict()
