"""What only the files of a submission together show."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from coliee_adapters.descriptions import system_description as descriptions
from coliee_adapters.descriptions.system_description import Description
from coliee_adapters.forms.lines import counted
from coliee_ir.commands.validate.columns import Sheet, clean_tag
from coliee_ir.commands.validate.findings import Findings
from coliee_ir.commands.validate.known import Known
from coliee_ir.rules.protocol import DESCRIBED_TASKS, Protocol, SubmissionRules, described_task, model_limit


def check_together(
    sheets: Mapping[str, Sheet], rules: SubmissionRules, protocol: Protocol, known: Known, found: Findings
) -> None:
    """Hold the files to what concerns several of them."""
    kinds: dict[str, dict[str, str]] = {"documents": {}, "answers": {}, "long": {}}  # kind → tag → file
    for name, sheet in sheets.items():
        tag, of_kind = sheet.tag, kinds[sheet.kind]
        if tag in of_kind and tag:
            found.add(name, "tag-shared", found=tag, remedy=f"{of_kind[tag]} has it too: give each run its own")
        of_kind.setdefault(tag, name)
    _check_number(sheets, rules, found)
    documents, answers, long = kinds["documents"], kinds["answers"], kinds["long"]
    if len(protocol.parts) == 2:
        for tag, file in _alone(documents, answers):
            found.add(file, "part-missing", found=tag, missing="answers")
        for tag, file in _alone(answers, documents):
            found.add(file, "part-missing", found=tag, missing="articles")
        for tag in (tag for tag in documents if tag in answers):
            _check_partial(documents[tag], answers[tag], sheets, known, found)
    if rules.long_list:
        for tag, file in _alone(documents, long):
            found.add(file, "long-list-missing", found=tag or None)
        for tag, file in _alone(long, documents):
            found.add(file, "answer-set-missing", found=tag or None)
        for tag in (tag for tag in documents if tag in long):
            _check_contained(documents[tag], long[tag], sheets, known, found)


def _check_number(sheets: Mapping[str, Sheet], rules: SubmissionRules, found: Findings) -> None:
    """A team sends no more runs than it may. A run has one file of a kind, and one tag."""
    files: dict[str, dict[str, str]] = {}  # kind → what the run is called → file
    for name, sheet in sheets.items():
        of_kind = files.setdefault(sheet.kind, {})
        of_kind[name if not sheet.tag or sheet.tag in of_kind else sheet.tag] = name
    tags = {sheet.tag: name for name, sheet in sheets.items() if sheet.tag}
    runs = max((tags, *files.values()), key=len)
    if rules.most_runs is not None and len(runs) > rules.most_runs:
        rule = "runs" if rules.runs_stated else "runs-unstated"
        for run in runs:
            found.add(list(runs.values())[rules.most_runs], rule, found=run, source=rules.runs_source)


def _alone(files: Mapping[str, str], others: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Tag and file of what lacks its other part. A file without a tag may be the other part of any."""
    for tag, file in files.items():
        if tag not in others and "" not in others and not (tag == "" and others):
            yield tag, file


def _check_partial(documents: str, answers: str, sheets: Mapping[str, Sheet], known: Known, found: Findings) -> None:
    """A question is right only by its articles and its answer; of one that is asked, its lack is told already."""
    if known.asked is None:
        for one, other in ((documents, answers), (answers, documents)):
            given = sheets[one].queries
            for query in sheets[other].queries:
                if query not in given:
                    found.add(one, "partial", found=query)


def _check_contained(short: str, long: str, sheets: Mapping[str, Sheet], known: Known, found: Findings) -> None:
    """The answer set is a part of the long list; of a query that is asked, its lack there is told already."""
    longer = sheets[long].documents()
    for query, documents in sheets[short].documents().items():
        if query in longer or known.asked is None or query not in known.asked:
            for document, row in documents.items():
                if document not in longer.get(query, {}) and not row.doubted:
                    place = row.place(sheets[short].document)
                    found.add(short, "not-in-long-list", *place, f"{query} {document}")


def clean_tags(sheets: Mapping[str, Sheet], longest: int) -> None:
    """Run tags lose what is not allowed in them, and are cut, where no two runs come to share one by that."""
    tags = dict.fromkeys(
        tag for sheet in sheets.values() for row in sheet.understood if (tag := (row.cells or [""])[-1])
    )
    for cut in (None, longest):
        cleaned = {tag: clean_tag(tag, cut) for tag in tags}
        taken = list(cleaned.values())
        new = {tag: text for tag, text in cleaned.items() if text and taken.count(text) == 1}
        for sheet in sheets.values():
            sheet.retag(new)
        tags = dict.fromkeys(new.get(tag, tag) for tag in tags)


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
