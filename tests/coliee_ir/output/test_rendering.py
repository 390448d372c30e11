"""Every result shows itself: briefly, as the command line's table, in a notebook, as a frame."""

import csv
import json

import one_step
import pytest
from asserting import forms_of
from example_runs import EXAMPLES

from coliee_adapters.errors import UsageError
from coliee_ir import Run, evaluate, evaluate_all, fit_fusion, tune, validate
from coliee_ir.commands.tune.result import Tunings
from coliee_ir.output.rendering import print_to_terminal, render
from coliee_ir.scoring.output import ScoreTable

GOLD, *RUNS = (EXAMPLES / "task1" / name for name in ("gold.json", "bm25.txt", "dense.txt"))

RESULTS = {
    "Scores": lambda: evaluate(GOLD, RUNS[0]),
    "Comparison": lambda: one_step.compare(GOLD, *RUNS, n_resamples=99),
    "Leaderboard": lambda: one_step.leaderboard(GOLD, *RUNS, n_resamples=99),
    "Tuning": lambda: tune(GOLD, RUNS[0], by="k"),
    "FittedFusion": lambda: fit_fusion(GOLD, *RUNS),
    "Report": lambda: one_step.report(GOLD, *RUNS, n_resamples=99),
    "Validation": lambda: validate(*RUNS),
}


@pytest.mark.parametrize("name", RESULTS)
def test_a_result_shows_itself_as_text_in_a_notebook_as_a_frame_and_whole_on_a_terminal(name, capsys, monkeypatch):
    result = RESULTS[name]()
    assert type(result).__name__ == name
    assert repr(result).startswith(f"{name}(")
    assert len(repr(result)) < 250
    for text in (str(result), result._repr_html_()):
        assert any(run.stem in text for run in RUNS)
    assert len(str(result).splitlines()) >= 2
    assert result._repr_html_().startswith("<table>")
    assert result.to_dict()
    for library in ("pandas", "polars"):
        assert len(result.to_frame(library)) >= 1
    with pytest.raises(UsageError):
        result.to_frame("arrow")
    monkeypatch.setenv("COLUMNS", "300")
    print_to_terminal(result)
    shown, captions = capsys.readouterr().out, [table.caption for table in result.tables()]
    places = [shown.index(sentence) for sentence in [*result.lead(), *captions, *result.notes()]]
    assert places == sorted(places)


NASTY = r"=[M] <b>50%_A&B|$x^2 {~}#*`\"'" + "\x1b[31m\n\t=\u202e"
NASTY_GOLD = {f"q{n}\x1b[31m\x07": ["a", "b"] for n in range(10)}
NASTY_RUNS = [
    Run.of({query: {"abx"[n % (at + 1)]: 2.0, "y": 1.0} for n, query in enumerate(NASTY_GOLD)}, tag=f"{NASTY}{at}")
    for at in (1, 2)
]
TEAMS = {run.tag: f"=@{NASTY}" for run in NASTY_RUNS}
TREC = {"task": "trec"}
QUICK = {**TREC, "folds": 2, "repeats": 1}

HOSTILE = {
    "ScoreTable": lambda: ScoreTable(evaluate_all(NASTY_GOLD, NASTY_RUNS, **TREC), per_query=True),
    "Comparison": lambda: one_step.compare(NASTY_GOLD, *NASTY_RUNS, measure="MacroF1", n_resamples=50, **TREC),
    "Leaderboard": lambda: one_step.leaderboard(NASTY_GOLD, *NASTY_RUNS, n_resamples=50, teams=TEAMS, **TREC),
    "Tunings": lambda: Tunings([tune(NASTY_GOLD, run, by="k", measure="MicroF1", **QUICK) for run in NASTY_RUNS]),
    "FittedFusion": lambda: fit_fusion(NASTY_GOLD, *NASTY_RUNS, measure="MicroF1", **QUICK),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_no_tag_or_id_breaks_a_form_or_reaches_the_terminal(name):
    result = HOSTILE[name]()
    for form in forms_of(type(result)):
        text = render(result, form)
        assert text.endswith("\n")
        assert "\x1b" not in text
        assert form in ("json", "jsonl") or "\u202e" not in text
        assert form in ("json", "jsonl", "csv", "tsv", "table", "latex", "trec") or "<b>5" not in text
        if form == "json":
            json.loads(text)
        if form in ("csv", "tsv"):
            rows = list(csv.reader(text.splitlines(), delimiter="," if form == "csv" else "\t"))
            assert len({len(row) for row in rows}) == 1
            assert not [cell for row in rows for cell in row if cell.startswith("=")]
    shown = result._repr_html_()
    assert "&lt;b&gt;5" in shown and "<b>5" not in shown
