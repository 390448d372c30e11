"""Which task a gold and its runs belong to, where nobody names it."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Mapping
from typing import Any

from coliee_adapters import forms
from coliee_adapters.errors import ColieeError
from coliee_adapters.files.source import Source
from coliee_adapters.forms import detect
from coliee_adapters.forms.lines import first_lines, split_columns
from coliee_adapters.forms.vocabulary import LABELS
from coliee_adapters.records import Answers, Gold
from coliee_ir.reading.anything import readable
from coliee_ir.reading.gold_ids import sign_of_ids
from coliee_ir.rules.choices import TASKS
from coliee_ir.rules.protocol import TASK_SIGNS, FoundTask


def find_task(gold: Gold, run: object = None, columns: Mapping[str, str] | None = None) -> FoundTask:
    """The task that a gold belongs to, together with a run where the gold leaves it open."""
    if gold.task in TASKS and gold.format != "tort":
        return FoundTask(gold.task, "the XML says so")
    return TASK_SIGNS[_sign_of(gold, readable(run), columns)]


def _sign_of(gold: Gold, run: Any, columns: Mapping[str, str] | None) -> str:
    """What shows the task of a gold that does not state it: a key of ``TASK_SIGNS``."""
    if gold.format == "tort":
        if gold.labels is None or gold.qrels is None:
            return "no-decisions" if gold.labels is None else "no-claims"
        is_pilot = isinstance(run, Source) and detect.form_of(run, "run").name == "tort"
        cases = forms.tort.read_cases(run) if is_pilot else []
        return "nothing-decided" if cases and all(case.court_decision is None for case in cases) else "decisions"
    if gold.qrels is None:
        return "labels-only"
    if gold.labels is not None:
        return "statute-labels" if are_labels(run, columns) else "statute-articles"
    return "statute-no-labels" if gold.format == "statute-xml" else sign_of_ids(gold)


def clearest_run(runs: Iterable[object], columns: Mapping[str, str] | None = None) -> object:
    """The submission that shows the task best: one that can only hold documents, beside which answers may stand.

    Three words in a line show least: any text may have them. What cannot be opened or recognised shows nothing.
    """
    by_form: dict[str, Source] = {}
    for candidate in runs:
        run = readable(candidate, columns)
        if not isinstance(run, Source):
            return run
        with contextlib.suppress(ColieeError):
            name = detect.form_of(run, "run").name
            if name not in by_form:
                by_form.setdefault("labels" if name in ("json", "table", "parquet") and are_labels(run) else name, run)
    clear = [by_form[name] for name in by_form if name not in ("labels", "columns")]
    if not clear and "columns" in by_form and _lists_articles(by_form["columns"]):
        return by_form["columns"]
    return next(iter(clear), None) or by_form.get("labels") or by_form.get("columns")


def are_labels(run: object, columns: Mapping[str, str] | None = None) -> bool:
    """Whether a submission holds labels, or is meant to."""
    if isinstance(run, Source):
        name = detect.form_of(run, "run").name
        if name == "json":
            return isinstance(detect.read_run(run), Answers)
        if name in ("table", "parquet"):
            return detect.holds_answers(run)
        return name == "labels" or (name == "columns" and _meant_as_labels(run))
    return isinstance(run, Answers) or forms.frames.holds_answers(run, columns)


def _meant_as_labels(run: Source) -> bool:
    """Whether most of the first lines give Y or N, or 1 or 0, for documents; their reader will say what is wrong."""
    words = [split_columns(line)[1:2] for line in first_lines(run.head())]
    labels = sum(word[0].lower() in LABELS or word[0] in ("0", "1") for word in words if word)
    return 2 * labels >= len(words)


def _lists_articles(run: Source) -> bool:
    """Whether the first lines give numbers of articles, and no 1 and 0 for labels."""
    words = [split_columns(line)[1:2] for line in first_lines(run.head())]
    return all(word and re.fullmatch("[0-9]+(-[0-9]+)*", word[0]) for word in words) and not _meant_as_labels(run)
