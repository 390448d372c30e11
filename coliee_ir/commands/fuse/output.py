"""A fused run as a file: which form fits it."""

from __future__ import annotations

from collections.abc import Sequence

from coliee_adapters.files.source import PathLike
from coliee_adapters.records import Answers, Run
from coliee_ir.commands.convert import write
from coliee_ir.rules.protocol import has_coliee_submissions, has_submissions, submission_rules, task_name


def form_for(
    run: Run | Answers,
    inputs: Sequence[Run | Answers],
    *,
    task: str | int | None = None,
    edition: str | int | None = None,
    is_cut: bool = False,
) -> str:
    """The form in which a fused run is written: that of a submission, or of a ranking that has yet to be cut."""
    task = task_name(task)
    if isinstance(run, Answers):
        return "labels"
    if run.scored and not (is_cut and task):
        return "trec"
    if has_submissions(task):
        return submission_rules(task, edition).form or "columns"
    return "trec" if all(one.format == "trec" for one in inputs) else "columns"


def keeps_scores(form: str | None) -> bool:
    """Whether a form, or with None the one that is found, can hold the scores of a ranking that has yet to be cut."""
    return form in (None, "trec", "parquet")


def write_fused(
    run: Run | Answers,
    inputs: Sequence[Run | Answers],
    target: PathLike,
    *,
    to: str | None = None,
    task: str | int | None = None,
    edition: str | int | None = None,
    is_cut: bool = False,
    template: PathLike | None = None,
) -> list[str]:
    """Write a fused run."""
    form = to or ("tort" if template else form_for(run, inputs, task=task, edition=edition, is_cut=is_cut))
    submitted = has_coliee_submissions(task_name(task)) and (is_cut or not (isinstance(run, Run) and run.scored))
    said = write(run, target, to=form, tag=run.tag, template=template, submitted=submitted)
    if form != "tort" and all(one.format == "tort" for one in inputs):
        said.append("a submission of the pilot repeats the test file: --template FILE makes one")
    return said
