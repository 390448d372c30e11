"""A fused run as a file: which form fits it."""

from __future__ import annotations

from collections.abc import Sequence

from coliee_adapters.files import PathLike
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
    """The form in which a fused run is written: that of a submission, or of a ranking that has yet to be cut.

    Args:
        run: the fused run.
        inputs: the runs that it is made of, whose form sets take where no task is named.
        task: the task.
        edition: the year whose rules count; by default the newest.
        is_cut: whether a ranking has a cutoff already; if not, its scores are kept for ``tune``.

    Raises:
        UsageError: there is no such task, or it had no such edition.
    """
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
    """Write a fused run.

    Args:
        run: what to write.
        inputs: the runs that it is made of.
        target: the file; ``-`` is standard output, ``.gz`` compresses.
        to: the form; by default see ``form_for``, and ``tort`` with a template.
        task: see ``form_for``.
        edition: see ``form_for``.
        is_cut: see ``form_for``.
        template: the pilot's test file, which a submission repeats.

    Returns:
        What was written, and what the form cannot hold, in sentences.

    Raises:
        InputError: the place cannot be written.
        UsageError: the form cannot hold the run; an id or the tag is not one word.
    """
    form = to or ("tort" if template else form_for(run, inputs, task=task, edition=edition, is_cut=is_cut))
    submitted = has_coliee_submissions(task_name(task)) and (is_cut or not (isinstance(run, Run) and run.scored))
    said = write(run, target, to=form, tag=run.tag, template=template, submitted=submitted)
    if form != "tort" and all(one.format == "tort" for one in inputs):
        said.append("a submission of the pilot repeats the test file: --template FILE makes one")
    return said
