"""The system descriptions that come with runs: complete, of the runs' task, and of models that are old enough."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from coliee_adapters.descriptions import system_description as descriptions
from coliee_adapters.descriptions.system_description import Description
from coliee_adapters.forms.lines import counted
from coliee_ir.commands.validate.findings import Findings
from coliee_ir.rules.protocol import DESCRIBED_TASKS, described_task, model_limit

#: field → what it is called in a finding
_FIELDS: Final = {"models": "machine learning models", "resources": "external resources", "explanation": "explanation"}

_NONE: Final = ("none", "no", "-", "n/a", "not used", "nothing")


def check_descriptions(
    described: Mapping[str, Sequence[Description]],
    tags: Mapping[str, str],
    task: str,
    year: int | None,
    found: Findings,
) -> None:
    """Hold descriptions to the form, to the runs beside them, and to the edition's date for models."""
    mine = described_task(task)
    said = {one.tag for file in described.values() for one in file if one.task == mine or one.tag in tags}
    silent = [tag for tag in tags if tag and tag not in said] if described else []
    for tag in silent:
        found.add(tags[tag], "undescribed", found=tag)
    for file, blocks in described.items():
        here = {one.tag for one in blocks if one.task == mine}
        for one in blocks:
            if one.task == mine or one.tag not in here:  # a tag may be that of a run of another task, too
                _check_one(file, one, tags, mine, year, found)
        if not found.has(file) and not silent:
            found.add(file, "description", runs=counted(len(blocks), "run"))


def _check_one(
    file: str, one: Description, tags: Mapping[str, str], mine: str, year: int | None, found: Findings
) -> None:
    if one.task not in DESCRIBED_TASKS:
        found.add(file, "description-task", one.line, 1, f"Task: {one.task}")
    elif one.tag in tags and one.task != mine:
        remedy = f"{tags[one.tag]} is a run of task {mine}"
        found.add(file, "description-task", one.line, 1, f"Task: {one.task}, run tag {one.tag}", remedy=remedy)
    elif one.task == mine and tags and one.tag not in tags:
        found.add(file, "description-tag", one.line, 1, f"Run tag: {one.tag}")
    elif not one.tag:
        found.add(file, "description-empty", one.line, 1, "run tag")
    for name, called in _FIELDS.items():
        if not getattr(one, name):
            found.add(file, "description-empty", one.line, 1, f"{called}, run tag {one.tag}" if one.tag else called)
    limit = model_limit(one.task, year or 0)
    if limit is not None and one.models and one.models.casefold().rstrip(".") not in _NONE:
        dates = descriptions.dates(one.models)
        if not dates:
            found.add(file, "model-undated", one.line, 1, f"run tag {one.tag}", limit=limit.isoformat())
        for date in dates:
            if date >= limit:
                found.add(file, "model-date", one.line, 1, f"{date}, run tag {one.tag}", limit=limit.isoformat())
