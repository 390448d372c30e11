"""The walk of files through the checks, and what only the files of a submission together show.

bytes ──read──▶ lines ──▶ columns ──▶ queries ──▶ each list ──▶ all files together: tags, number, parts, descriptions
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from coliee_adapters import system_descriptions
from coliee_adapters.errors import InputError, InternalError, errors_as_coliee, reading_errors_as_input
from coliee_adapters.files.source import Source
from coliee_adapters.forms.lines import counted
from coliee_adapters.system_descriptions import Description
from coliee_ir.commands.validate import lists, others, reading
from coliee_ir.commands.validate.rules import Severity
from coliee_ir.commands.validate.sheet import Context, Sheet
from coliee_ir.reading.anything import read_run
from coliee_ir.rules.protocol import DESCRIBED_TASKS, described_task, model_limit

_COLUMNS: Final = ("documents", "answers", "long")

#: kinds of files, see ``Sheet.kind``, and what looks at each file of these kinds once it is read, in this order
CHECKS: Final[tuple[tuple[tuple[str, ...], Callable[[Any], None]], ...]] = (
    (_COLUMNS, lists.columns),
    (_COLUMNS, lists.queries),
    (_COLUMNS, lists.lists),
    (("claims",), others.claims),
    (("stated",), others.check_protocol),
)


def check(sources: Mapping[str, Source], context: Context, *, keep: bool = False) -> dict[str, Sheet]:
    """Check files, each under a name; ``keep`` their lines, which are to be mended."""
    sheets = {name: Sheet(name, source, context) for name, source in sources.items()}
    for name, sheet in sheets.items():
        try:
            with errors_as_coliee(name):
                _check(sheet)
        except InputError as error:
            if error.path not in (name, sheet.source.name):  # the organisers' file
                raise
            reading.unreadable(sheet, error)
        except InternalError as error:
            sheet.add("unchecked", remedy=str(error))
            sheet.kind = ""
        if not keep:
            sheet.forget()
    submission = Submission(sheets, context)
    for find in TOGETHER:
        find(submission)
    return sheets


def _check(sheet: Sheet) -> None:
    with reading_errors_as_input(sheet.name):
        reading.read(sheet)
    for kinds, find in CHECKS:
        if sheet.kind in kinds:
            find(sheet)
    is_sound = all(finding.severity is not Severity.ERROR for finding in sheet.found.values())
    if sheet.kind in ("stated", "description") or not (is_sound or {"tag-differs", "tag-missing"} & sheet.found.keys()):
        return
    try:  # what no rule has seen, our reader may; and that documents are in the place of tags
        run = read_run(sheet.source, task=sheet.context.protocol.task)
    except InputError:
        sheet.found.pop("tag-differs", None)
        if not sheet.found.keys() >= {"header", "tag-missing"}:  # a line without tag is none of those of a table
            raise
        return
    if is_sound:
        for _ in getattr(run, "blocks", tuple)():
            pass


@dataclass(slots=True)
class Run:
    """The files of a kind that are one run: one file, or of one tag several that answer different queries."""

    first: Sheet
    sheets: list[Sheet]

    def queries(self) -> dict[str, Sheet]:
        """The queries that it answers, and in which file each is."""
        return {query: sheet for sheet in self.sheets for query in sheet.counts}

    def is_continued_by(self, sheet: Sheet) -> bool:
        """Whether a file of its kind and tag goes on with it, as files of one year each do."""
        is_alike = (sheet.kind, sheet.tag) == (self.first.kind, self.first.tag)
        return is_alike and bool(sheet.tag and sheet.counts) and self.queries().keys().isdisjoint(sheet.counts)


class Submission:
    """Files given together, and what they are checked by."""

    def __init__(self, files: Mapping[str, Sheet], context: Context) -> None:
        self.context, self.files = context, files
        self.runs: list[Run] = []
        #: kind → tag → the run of this tag, of several the first
        self.kinds: dict[str, dict[str, Run]] = {"documents": {}, "answers": {}, "long": {}, "stated": {}}
        for sheet in (sheet for sheet in files.values() if sheet.kind in self.kinds):
            if run := next((run for run in self.runs if run.is_continued_by(sheet)), None):
                run.sheets.append(sheet)
            else:
                self.runs.append(Run(sheet, [sheet]))
                self.kinds[sheet.kind].setdefault(sheet.tag, self.runs[-1])
        self.tags = {run.first.tag: run for run in self.runs}

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
        for sheet in run.sheets if run.first.tag and first is not run.first else ():
            sheet.add("tag-shared", found=sheet.tag, remedy=f"{first.name} has it too: give each run its own")


def number(sent: Submission) -> None:
    """A team sends no more runs than it may. A run has one tag, and of each kind one file or one of each year."""
    rules, most = sent.context.rules, sent.context.rules.most_runs
    of_kinds = ([run for run in sent.runs if run.first.kind == kind] for kind in sent.kinds)
    runs = max([run for tag, run in sent.tags.items() if tag], *of_kinds, key=len)
    for run in runs if most is not None and len(runs) > most else ():
        is_first = run is sent.kinds[run.first.kind][run.first.tag]
        name = run.first.tag if is_first and sent.context.protocol.is_coliee else ""
        runs[most or 0].first.add(
            "runs" if rules.runs_stated else "runs-unstated",
            found=name or run.first.name,
            source=rules.runs_source,
            most_runs=most,
        )


#: the two parts of a run, and what is found where the second is missing
_PARTS: Final = (
    ("documents", "answers", "part-missing", "answers"),
    ("answers", "documents", "part-missing", "articles"),
    ("documents", "long", "long-list-missing", ""),
    ("long", "documents", "answer-set-missing", ""),
)


def parts(sent: Submission) -> None:
    """A run has its articles and its answers, or its answer set and its long list.

    Of a question that is asked, its lack is reported already. A file without a tag may be the other part of any.
    """
    has_both = len(sent.context.protocol.parts) > 1
    for kind, other, rule, missing in _PARTS:
        others = sent.kinds[other]
        for tag, run in sent.kinds[kind].items() if (has_both if missing else sent.context.rules.long_list) else ():
            has_other = tag in others or "" in others or (tag == "" and others) or other in run.first.other_kinds
            if not has_other:
                run.first.add(rule, found=tag or None, missing=missing)
    for pair in sent.both("documents", "answers") if has_both and sent.context.known.asked is None else ():
        for run, other_part in (pair, pair[::-1]):
            answered = run.queries()
            for query in other_part.queries():
                if query not in answered:
                    run.first.add("partial", found=query)


#: field → what it is called in a finding
_FIELDS: Final = {"models": "machine learning models", "resources": "external resources", "explanation": "explanation"}

_NONE: Final = ("none", "no", "-", "n/a", "not used", "nothing")


def descriptions(sent: Submission) -> None:
    """Descriptions have the form, are those of the runs beside them, and name models before the edition's date."""
    described = [sheet for sheet in sent.files.values() if sheet.kind == "description"]
    mine, tags = described_task(sent.context.protocol.task), {tag: run.first.name for tag, run in sent.tags.items()}
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
        found = f"Task: {description.task}, run tag {description.tag}"
        yield "description-task", found, {"remedy": f"{tags[description.tag]} is a run of task {mine}"}
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


#: what looks at all files of a submission together
TOGETHER: Final = (unanswered, tags, number, parts, descriptions)
