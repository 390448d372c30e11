"""What only the files of a submission together show: their tags, their number, the parts of each run, descriptions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from coliee_adapters import system_descriptions
from coliee_adapters.forms.lines import counted
from coliee_adapters.records import normal_id
from coliee_adapters.system_descriptions import Description
from coliee_ir.commands.validate.sheet import Given, Sheet
from coliee_ir.rules.protocol import DESCRIBED_TASKS, described_task, model_limit


class Submission:
    """Files given together, and what they are checked by."""

    def __init__(self, files: Mapping[str, Sheet], given: Given) -> None:
        self.given, self.files = given, files
        self.sheets = {name: sheet for name, sheet in files.items() if sheet.kind in ("documents", "answers", "long")}
        #: kind → tag → the file that has it, of several the first
        self.kinds: dict[str, dict[str, str]] = {"documents": {}, "answers": {}, "long": {}}
        for name, sheet in self.sheets.items():
            self.kinds[sheet.kind].setdefault(sheet.tag, name)

    def alone(self, kind: str, other: str) -> Iterator[tuple[str, str]]:
        """Tag and file of what lacks its other part. A file without a tag may be the other part of any."""
        others = self.kinds[other]
        for tag, file in self.kinds[kind].items():
            if tag not in others and "" not in others and not (tag == "" and others):
                yield tag, file

    def both(self, kind: str, other: str) -> Iterator[tuple[str, str]]:
        """The two files of a run of both parts."""
        for tag, file in self.kinds[kind].items():
            if tag in self.kinds[other]:
                yield file, self.kinds[other][tag]


def tags(sent: Submission) -> None:
    """No two files of a kind have one run tag."""
    for name, sheet in sent.sheets.items():
        first = sent.kinds[sheet.kind][sheet.tag]
        if first != name and sheet.tag and not _goes_on(sheet, sent.files[first]):
            sheet.add("tag-shared", found=sheet.tag, remedy=f"{first} has it too: give each run its own")


def _goes_on(sheet: Sheet, first: Sheet) -> bool:
    """Whether a file of one tag with another answers other queries: a file a year, which together are one run."""
    mine, theirs = (
        one.queries or frozenset(normal_id(words[0]) for words in one.words if words) for one in (sheet, first)
    )
    return bool(mine) and bool(theirs) and mine.isdisjoint(theirs)


def number(sent: Submission) -> None:
    """A team sends no more runs than it may. A run has one file of a kind, and one tag."""
    rules, most = sent.given.rules, sent.given.rules.most_runs
    files: dict[str, dict[str, str]] = {}  # kind → what the run is called → file
    for name, sheet in sent.sheets.items():
        of_kind = files.setdefault(sheet.kind, {})
        first = sent.files.get(of_kind.get(sheet.tag, ""))
        if first is None or not _goes_on(sheet, first):
            of_kind[name if not sheet.tag or first is not None else sheet.tag] = name
    tags = {sheet.tag: name for name, sheet in sent.sheets.items() if sheet.tag}
    runs = max((tags, *files.values()), key=len)
    if not sent.given.protocol.is_coliee:
        runs = {name: name for name in sent.files}
    if most is not None and len(runs) > most:
        first_too_many = sent.files[list(runs.values())[most]]
        for run in runs:
            rule = "runs" if rules.runs_stated else "runs-unstated"
            first_too_many.add(rule, found=run, source=rules.runs_source, most_runs=most)


def parts(sent: Submission) -> None:
    """A run has its articles and its answers. Of a question that is asked, its lack is told already."""
    if len(sent.given.protocol.parts) < 2:
        return
    for kind, other, missing in (("documents", "answers", "answers"), ("answers", "documents", "articles")):
        for tag, file in sent.alone(kind, other):
            sent.files[file].add("part-missing", found=tag or None, missing=missing)
    for pair in sent.both("documents", "answers") if sent.given.known.asked is None else ():
        for file, other in (pair, pair[::-1]):
            given = sent.sheets[file].counts()
            for query in sent.sheets[other].counts():
                if query not in given:
                    sent.files[file].add("partial", found=query)


def long_lists(sent: Submission) -> None:
    """The answer set is a part of the long list. Of a query that is asked, its lack there is told already."""
    if not sent.given.rules.long_list:
        return
    for kind, other, rule in (("documents", "long", "long-list-missing"), ("long", "documents", "answer-set-missing")):
        for tag, file in sent.alone(kind, other):
            sent.files[file].add(rule, found=tag or None)
    asked = sent.given.known.asked or ()
    for file, long in sent.both("documents", "long"):
        sheet, longer = sent.sheets[file], sent.sheets[long]
        for query in sheet.lists:
            among = longer.documents(query)
            for document, i in sheet.documents(query).items() if among or query not in asked else ():
                if document not in among and i not in sheet.doubted:
                    sheet.add("not-in-long-list", *sheet.place(i, sheet.document), f"{query} {document}")


#: field → what it is called in a finding
_FIELDS: Final = {"models": "machine learning models", "resources": "external resources", "explanation": "explanation"}

_NONE: Final = ("none", "no", "-", "n/a", "not used", "nothing")


def descriptions(sent: Submission) -> None:
    """Descriptions have the form, are those of the runs beside them, and name models before the edition's date."""
    described = {name: sheet.described for name, sheet in sent.files.items() if sheet.kind == "description"}
    mine, tags = described_task(sent.given.task), {sheet.tag: name for name, sheet in sent.sheets.items()}
    said = {one.tag for file in described.values() for one in file if one.task == mine or one.tag in tags}
    silent = [tag for tag in tags if tag and tag not in said] if described else []
    for tag in silent:
        sent.files[tags[tag]].add("undescribed", found=tag)
    for file, blocks in described.items():
        add, is_fine = sent.files[file].add, not silent
        here = {one.tag for one in blocks if one.task == mine}
        for one in blocks:
            if one.task == mine or one.tag not in here:  # a tag may be that of a run of another task, too
                for rule, found, more in _wrong(one, tags, mine, sent.given.year or 0):
                    add(rule, one.line, 1, found, **more)
                    is_fine = False
        if is_fine:
            add("description", runs=counted(len(blocks), "run"))


def _wrong(
    one: Description, tags: Mapping[str, str], mine: str, year: int
) -> Iterator[tuple[str, str, dict[str, str]]]:
    """What is wrong with the description of a run: the rule, what was found, and more of it."""
    if one.task not in DESCRIBED_TASKS:
        yield "description-task", f"Task: {one.task}", {}
    elif one.tag in tags and one.task != mine:
        remedy = f"{tags[one.tag]} is a run of task {mine}"
        yield "description-task", f"Task: {one.task}, run tag {one.tag}", {"remedy": remedy}
    elif one.task == mine and tags and one.tag not in tags:
        yield "description-tag", f"Run tag: {one.tag}", {}
    elif not one.tag:
        yield "description-empty", "run tag", {}
    for name, called in _FIELDS.items():
        if not getattr(one, name):
            yield "description-empty", f"{called}, run tag {one.tag}" if one.tag else called, {}
    limit = model_limit(one.task, year)
    if limit is not None and one.models and one.models.casefold().rstrip(".") not in _NONE:
        dates = system_descriptions.dates(one.models)
        if not dates:
            yield "model-undated", f"run tag {one.tag}", {"limit": limit.isoformat()}
        for date in (date for date in dates if date >= limit):
            yield "model-date", f"{date}, run tag {one.tag}", {"limit": limit.isoformat()}
