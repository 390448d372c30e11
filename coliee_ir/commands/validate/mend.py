"""What ``--fix`` writes: the lines of a file as they should be. What takes a decision stays as it stands."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

from coliee_adapters.errors import UsageError
from coliee_adapters.files.source import Source
from coliee_adapters.files.writing import open_text_replacing
from coliee_ir.commands.validate.check import check
from coliee_ir.commands.validate.lists import Lists
from coliee_ir.commands.validate.sheet import OTHER_FORMS, Line, Sheet, clean_tag
from coliee_ir.judging.order import order_of


def mend(
    sheets: Mapping[str, Sheet], targets: Mapping[str, str], tag: str | None
) -> tuple[dict[str, str], dict[str, Sheet]]:
    """Write corrected copies of the files that can be read, check them, and note what they do not have any more."""
    with_tags = [sheet for sheet in sheets.values() if sheet.contents and "unreadable" not in sheet.found]
    if tag is None:
        _clean_tags(with_tags)
    else:
        answered: dict[str, set[str]] = {}
        for sheet in with_tags:  # files for different queries, as of one year each, are one run
            if not (before := answered.setdefault(sheet.kind, set())).isdisjoint(sheet.counts):
                problem = "--tag names one run, and several files have results for one query"
                raise UsageError("ambiguous", f"{problem}: correct them one by one")
            if "tag-differs" in sheet.found:
                problem = f"--tag names one run, and {sheet.name} has lines of several tags"
                raise UsageError("ambiguous", f"{problem}: write each run to its own file")
            before.update(sheet.counts)
        for sheet in with_tags:
            sheet.tags = dict.fromkeys(sheet.tags, tag)
    copies = {name: target for name, target in targets.items() if _write(sheets[name], target)}
    for sheet in sheets.values():
        sheet.forget()
    left = check(
        {name: Source(target, lenient=True) for name, target in copies.items()}, next(iter(sheets.values())).context
    )
    for name, sheet in left.items():
        for rule, finding in sheets[name].found.items():
            if finding.fix:
                finding.mended = max(0, finding.count - (sheet.found[rule].count if rule in sheet.found else 0))
    return copies, left


def _clean_tags(sheets: Sequence[Sheet]) -> None:
    """Tags lose what is not allowed in them, and are shortened, where no two runs come to share one by that.

    Lines without a tag get that of the others, if these have one.
    """
    for sheet in sheets:
        if len(tags := {*filter(None, sheet.tags)}) == 1:
            sheet.tags = dict.fromkeys(sheet.tags, *tags)
    for longest in (None, *{sheet.context.rules.tag_length for sheet in sheets}):
        cleaned = {tag: clean_tag(tag, longest) for sheet in sheets for tag in sheet.tags.values()}
        taken = list(cleaned.values())
        for sheet in sheets:
            for tag, now in sheet.tags.items():
                if cleaned[now] and taken.count(cleaned[now]) == 1:
                    sheet.tags[tag] = cleaned[now]


def _write(sheet: Sheet, target: str) -> bool:
    """Write the corrected copy of a file; whether there is one."""
    if "unreadable" in sheet.found:  # a copy would lack the rest
        return False
    lines = (f"{line}\n" for line in sheet.lines) if sheet.kind == "claims" else _lines(sheet)
    first = next(lines, "")
    if not first or (sheet.kind != "claims" and first.lstrip().startswith(OTHER_FORMS)):  # read as something else
        return False
    with open_text_replacing(target) as stream:
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="surrogateescape")  # bytes that are no UTF-8 stay as they stand
        stream.writelines(chain([first], lines))
    return True


def _lines(sheet: Sheet) -> Iterator[str]:
    """The lines as they are written: those of a query together; what is not understood stays in its place."""
    if not sheet.contents:
        return
    lists, query_of = Lists(sheet), sheet.query_of_lines()
    groups: dict[str, list[int]] = {}
    of_documents, query, understood = sheet.kind != "answers", "", {*sheet.left}.isdisjoint
    for index in range(len(sheet.contents) - sheet.is_cut):
        if of_documents and understood((index,)):
            query = query_of[index]
        groups.setdefault(query, []).append(index)
    for query, indexes in groups.items():
        queries = sheet.queries if not of_documents else [query] if query in sheet.queries else []
        kept = {line.index: line for other in queries for line in lists.read(other)}
        lines = [(index, kept.get(index)) for index in indexes if index in kept or not understood((index,))]
        for index, line in _by_score(sheet, lines) if lists.score is None else lines:
            cells = [] if line is None else [*line.cells[:-1], sheet.tags[line.cells[-1]]]
            text = " ".join(filter(None, cells))
            # nor is a line written that would be read as something else
            is_other = not text or text.startswith(("#", "/*", *OTHER_FORMS))
            yield f"{_as_it_stands(sheet, index) if is_other else text}\n"
    if sheet.is_cut:
        yield _as_it_stands(sheet, len(sheet.contents) - 1)


def _as_it_stands(sheet: Sheet, index: int) -> str:
    """A line as it is in the file; but beside a new tag, the old one would be read as a document."""
    line = sheet.contents[index]
    if index in sheet.left and (last := line.split()[-1]) in sheet.tags:
        return line.rstrip().removesuffix(last) + sheet.tags[last]
    return line


def _by_score(sheet: Sheet, rows: list[tuple[int, Line | None]]) -> list[tuple[int, Line | None]]:
    """Lines in the order of their scores, if all had one; ties as in trec_eval."""
    scored = [(line, line.score) for _, line in rows if line is not None and line.score is not None]
    if not scored or len(scored) < len(rows):
        return rows
    documents = [line.cells[sheet.document] for line, _ in scored]
    return [rows[i] for i in order_of(documents, [score for _, score in scored])]
