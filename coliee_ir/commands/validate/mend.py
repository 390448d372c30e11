"""What ``--fix`` writes: the lines of a file as they should be. What takes a decision stays as it stands."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence

from coliee_adapters.errors import UsageError
from coliee_adapters.files.source import Source
from coliee_adapters.files.writing import written
from coliee_ir.commands.validate.check import check
from coliee_ir.commands.validate.sheet import OTHER_FORMS, Sheet, clean_tag
from coliee_ir.judging.order import order_of


def mend(
    sheets: Mapping[str, Sheet], targets: Mapping[str, str], tag: str | None
) -> tuple[dict[str, str], dict[str, Sheet]]:
    """Write corrected copies of the files that can be read, check them, and note what they do not have any more."""
    lists = [sheet for sheet in sheets.values() if sheet.cells]
    if tag is None:
        _fill_tags(lists)
        _clean_tags(lists)
    elif len({sheet.kind for sheet in lists}) < len(lists):
        raise UsageError("ambiguous", "--tag names one run, and the files contain several: correct them one by one")
    else:
        for sheet in lists:
            _retag(sheet, dict.fromkeys(sheet.cells[-1], tag))
    texts = {name: "".join(_lines(sheet)) for name, sheet in sheets.items() if sheet.cells}
    # a copy that would be read as something else is none
    texts = {name: text for name, text in texts.items() if not text.lstrip().startswith(OTHER_FORMS)}
    for name, sheet in sheets.items():
        if sheet.kind == "claims":
            texts[name] = "".join(f"{line}\n" for line in sheet.lines)
    # of a file that cannot be read to its end, a copy would lack the rest
    done = {name: to for name, to in targets.items() if name in texts and "unreadable" not in sheets[name].found}
    for name, target in done.items():
        with written(target) as stream:
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="surrogateescape")  # bytes that are no UTF-8 stay as they stand
            stream.write(texts[name])
    given = next(iter(sheets.values())).given
    left = check({name: Source(target, lenient=True) for name, target in done.items()}, given)
    for name, sheet in left.items():
        for rule, finding in sheets[name].found.items():
            if finding.fix:
                still = sheet.found.get(rule)
                finding.mended = max(0, finding.count - (still.count if still else 0))
    return done, left


def _fill_tags(sheets: Sequence[Sheet]) -> None:
    """Lines without a run tag get that of the others, if these have one."""
    for sheet in sheets:
        if len(tags := {*filter(None, sheet.cells[-1])}) == 1:
            sheet.cells[-1] = [*tags] * len(sheet.cells[-1])


def _clean_tags(sheets: Sequence[Sheet]) -> None:
    """Run tags lose what is not allowed in them, and are cut, where no two runs come to share one by that."""
    tags = dict.fromkeys(tag for sheet in sheets for tag in sheet.cells[-1])
    for cut in (None, *{sheet.rules.tag_length for sheet in sheets}):
        cleaned = {tag: clean_tag(tag, cut) for tag in tags}
        taken = list(cleaned.values())
        new = {tag: text for tag, text in cleaned.items() if text and taken.count(text) == 1}
        for sheet in sheets:
            _retag(sheet, new)
        tags = dict.fromkeys(new.get(tag, tag) for tag in tags)


def _retag(sheet: Sheet, tags: Mapping[str, str]) -> None:
    """Write other run tags, for those that there are others for."""
    sheet.cells[-1] = [tags.get(tag, tag) for tag in sheet.cells[-1]]
    for at in set(range(len(sheet.words))) - set(sheet.at):  # beside the new tag, the old would be read as a document
        line = _as_it_stands(sheet, at)
        if (last := line.split()[-1]) in tags:
            sheet.odd[at] = line.rstrip().removesuffix(last) + tags[last], []


def _as_it_stands(sheet: Sheet, at: int) -> str:
    return sheet.odd[at][0] if at in sheet.odd else sheet.line(at)


def _lines(sheet: Sheet) -> Iterator[str]:
    """The lines as they are written: those of a query together."""
    last = len(sheet.words) - 1
    understood = {at: i for i, at in enumerate(sheet.at)}
    groups: dict[str, list[int]] = {}
    query = ""
    for at in range(last + 1 - sheet.is_cut(last)):
        i = understood.get(at)
        if i is not None and sheet.kind != "answers":  # what is not understood stays in its place
            query = sheet.cells[0][i]
        groups.setdefault(query, []).extend([] if i in sheet.dropped else [at])
    for query, lines in groups.items():
        rows = [(at, understood.get(at)) for at in lines]
        if sheet.score is None:
            rows = _by_score(sheet, rows)
        elif query in sheet.renumbered:
            _renumber(sheet, [i for _, i in rows if i is not None])
        for at, i in rows:
            text = "" if i is None else " ".join(filter(None, (column[i] for column in sheet.cells)))
            # nor is a line written that would be read as something else
            is_other = not text or text.startswith(("#", "/*", *OTHER_FORMS))
            yield f"{_as_it_stands(sheet, at) if is_other else text}\n"
    if sheet.is_cut(last):
        yield _as_it_stands(sheet, last)


def _by_score(sheet: Sheet, rows: list[tuple[int, int | None]]) -> list[tuple[int, int | None]]:
    """Lines in the order of their scores, if all had one; ties as in trec_eval."""
    found = [(i, score) for _, i in rows if i is not None and (score := sheet.scores[i]) is not None]
    if not found or len(found) < len(rows):
        return rows
    documents = [sheet.cells[sheet.document][i] for i, _ in found]
    return [rows[at] for at in order_of(documents, [score for _, score in found])]


def _renumber(sheet: Sheet, rows: Sequence[int]) -> None:
    """Write ranks from 1, best score first."""
    scored = [(score, i) for i in rows if (score := sheet.scores[i]) is not None]
    for place, (_, i) in enumerate(sorted(scored, key=lambda one: -one[0]), start=1):
        sheet.cells[sheet.layout.index("RANK")][i] = str(place)
