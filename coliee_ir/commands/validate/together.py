"""What only the files of a submission together show: their tags, their number, the parts of each run, descriptions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from coliee_adapters import system_descriptions
from coliee_adapters.forms.lines import counted
from coliee_adapters.system_descriptions import Description
from coliee_ir.commands.validate.lists import Lists
from coliee_ir.commands.validate.sheet import Context, Sheet
from coliee_ir.rules.protocol import DESCRIBED_TASKS, described_task, model_limit


class Run:
    """The files of a kind that are one run: one file, or of one tag several that answer different queries."""

    def __init__(self, sheet: Sheet) -> None:
        self.first, self.sheets = sheet, [sheet]

    def queries(self) -> dict[str, Sheet]:
        """The queries that it answers, and in which file each is."""
        return {query: sheet for sheet in self.sheets for query in sheet.counts}

    def is_continued_by(self, sheet: Sheet) -> bool:
        """Whether a file of its kind and tag goes on with it, as files of one year each do."""
        return bool(sheet.tag and sheet.counts) and self.queries().keys().isdisjoint(sheet.counts)


class Submission:
    """Files given together, and what they are checked by."""

    def __init__(self, files: Mapping[str, Sheet], context: Context) -> None:
        self.context, self.files = context, files
        self.runs: list[Run] = []
        #: kind → tag → the run of this tag, of several the first
        self.kinds: dict[str, dict[str, Run]] = {"documents": {}, "answers": {}, "long": {}, "stated": {}}
        alike: dict[tuple[str, str], list[Run]] = {}
        for sheet in (sheet for sheet in files.values() if sheet.kind in self.kinds):
            same = alike.setdefault((sheet.kind, sheet.tag), [])
            if run := next((one for one in same if one.is_continued_by(sheet)), None):
                run.sheets.append(sheet)
            else:
                same.append(Run(sheet))
                self.runs.append(same[-1])
        for run in self.runs:
            self.kinds[run.first.kind].setdefault(run.first.tag, run)
        self.tags = {run.first.tag: run for run in self.runs}

    def alone(self, kind: str, other: str) -> Iterator[Sheet]:
        """The first file of what lacks its other part. A file without a tag may be the other part of any."""
        others = self.kinds[other]
        for tag, run in self.kinds[kind].items():
            if tag not in others and "" not in others and not (tag == "" and others):
                yield run.first

    def both(self, kind: str, other: str) -> Iterator[tuple[Run, Run]]:
        """The two parts of a run that has both."""
        for tag, run in self.kinds[kind].items():
            if tag in self.kinds[other]:
                yield run, self.kinds[other][tag]


def unanswered(sent: Submission) -> None:
    """A run answers every query that is asked."""
    for run in sent.runs:
        answered = run.queries()
        for query in sent.context.known.asked or ():
            if query not in answered:
                run.first.add("query-missing", found=query)


def tags(sent: Submission) -> None:
    """No two runs of a kind have one tag."""
    for run in sent.runs:
        first = sent.kinds[run.first.kind][run.first.tag].first
        if run.first.tag and first is not run.first:
            remedy = f"{first.name} has it too: give each run its own"
            for sheet in run.sheets:
                sheet.add("tag-shared", found=sheet.tag, remedy=remedy)


def number(sent: Submission) -> None:
    """A team sends no more runs than it may. A run has one tag, and of each kind one file or one of each year."""
    rules, most = sent.context.rules, sent.context.rules.most_runs
    kinds = {kind: [run for run in sent.runs if run.first.kind == kind] for kind in sent.kinds}
    runs = max([run for tag, run in sent.tags.items() if tag], *kinds.values(), key=len)
    for run in runs if most is not None and len(runs) > most else ():
        is_first = run is sent.kinds[run.first.kind][run.first.tag]
        name = run.first.tag if is_first and sent.context.protocol.is_coliee else ""
        rule = "runs" if rules.runs_stated else "runs-unstated"
        found = name or run.first.name
        runs[most or 0].first.add(rule, found=found, source=rules.runs_source, most_runs=most)


def parts(sent: Submission) -> None:
    """A run has its articles and its answers. Of a question that is asked, its lack is reported already."""
    if len(sent.context.protocol.parts) < 2:
        return
    for kind, other, missing in (("documents", "answers", "answers"), ("answers", "documents", "articles")):
        for sheet in sent.alone(kind, other):
            sheet.add("part-missing", found=sheet.tag or None, missing=missing)
    for pair in sent.both("documents", "answers") if sent.context.known.asked is None else ():
        for run, other_part in (pair, pair[::-1]):
            answered = run.queries()
            for query in other_part.queries():
                if query not in answered:
                    run.first.add("partial", found=query)


def long_lists(sent: Submission) -> None:
    """The answer set is a part of the long list. Of a query that is asked, its lack there is reported already."""
    if not sent.context.rules.long_list:
        return
    for sheet in sent.alone("documents", "long"):
        sheet.add("long-list-missing", found=sheet.tag or None)
    for sheet in sent.alone("long", "documents"):
        sheet.add("answer-set-missing", found=sheet.tag or None)
    asked = sent.context.known.asked or ()
    for run, long in sent.both("documents", "long"):
        in_long, lists = long.queries(), {sheet.name: Lists(sheet) for sheet in long.sheets}
        for sheet in run.sheets:
            for query in sheet.queries:
                longer = in_long.get(query)
                among = set[str]()
                if longer is not None and query in longer.queries:
                    among = {line.cells[longer.document] for line in lists[longer.name].read(query)}
                elif query in asked:
                    continue
                for line in Lists(sheet).read(query):
                    document = line.cells[sheet.document]
                    if document not in among and not line.doubted:
                        sheet.add("not-in-long-list", *line.place(sheet.document), f"{query} {document}")


#: field → what it is called in a finding
_FIELDS: Final = {"models": "machine learning models", "resources": "external resources", "explanation": "explanation"}

_NONE: Final = ("none", "no", "-", "n/a", "not used", "nothing")


def descriptions(sent: Submission) -> None:
    """Descriptions have the form, are those of the runs beside them, and name models before the edition's date."""
    described = [sheet for sheet in sent.files.values() if sheet.kind == "description"]
    mine, tags = described_task(sent.context.task), {tag: run.first.name for tag, run in sent.tags.items()}
    known = {
        description.tag
        for sheet in described
        for description in sheet.described
        if description.task == mine or description.tag in tags
    }
    silent = [tag for tag in tags if tag and tag not in known] if described else []
    for tag in silent:
        sent.tags[tag].first.add("undescribed", found=tag)
    for sheet in described:
        is_fine = not silent
        here = {description.tag for description in sheet.described if description.task == mine}
        for description in sheet.described:
            if (
                description.task == mine or description.tag not in here
            ):  # a tag may be that of a run of another task, too
                for rule, found, more in _wrong(description, tags, mine, sent.context.year or 0):
                    sheet.add(rule, description.line, 1, found, **more)
                    is_fine = False
        if is_fine:
            sheet.add("description", runs=counted(len(sheet.described), "run"))


def _wrong(
    description: Description, tags: Mapping[str, str], mine: str, year: int
) -> Iterator[tuple[str, str, dict[str, str]]]:
    """What is wrong with the description of a run: the rule, what was found, and more of it."""
    if description.task not in DESCRIBED_TASKS:
        yield "description-task", f"Task: {description.task}", {}
    elif description.tag in tags and description.task != mine:
        remedy = f"{tags[description.tag]} is a run of task {mine}"
        yield "description-task", f"Task: {description.task}, run tag {description.tag}", {"remedy": remedy}
    elif description.task == mine and tags and description.tag not in tags:
        yield "description-tag", f"Run tag: {description.tag}", {}
    elif not description.tag:
        yield "description-empty", "run tag", {}
    for name, called in _FIELDS.items():
        if not getattr(description, name):
            yield "description-empty", f"{called}, run tag {description.tag}" if description.tag else called, {}
    limit = model_limit(description.task, year)
    if limit is not None and description.models and description.models.casefold().rstrip(".") not in _NONE:
        dates = system_descriptions.dates(description.models)
        if not dates:
            yield "model-undated", f"run tag {description.tag}", {"limit": limit.isoformat()}
        for date in (date for date in dates if date >= limit):
            yield "model-date", f"{date}, run tag {description.tag}", {"limit": limit.isoformat()}
