"""What only the files of a submission together show."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from coliee_ir.protocol import Protocol, SubmissionRules
from coliee_ir.validation.columns import Sheet, clean_tag
from coliee_ir.validation.findings import Findings
from coliee_ir.validation.known import Known

_PARTS: Final = {"documents": "articles", "answers": "answers"}


def check_together(
    sheets: Mapping[str, Sheet], rules: SubmissionRules, protocol: Protocol, known: Known, found: Findings
) -> None:
    """Hold the files to what concerns several of them.

    Args:
        sheets: those that could be read, by file.
        rules: how a submission must look.
        protocol: what it consists of.
        known: the ids that there are.
        found: where findings go.
    """
    kinds: dict[str, dict[str, str]] = {"documents": {}, "answers": {}, "long": {}}  # kind → tag → file
    runs: dict[str, str] = {}  # tag, or the file that has none → the first file of the run
    for name, sheet in sheets.items():
        tag, of_kind = sheet.tag, kinds[sheet.kind]
        if tag in of_kind and tag:
            found.add(name, "tag-shared", found=tag, remedy=f"{of_kind[tag]} has it too: give each run its own")
        of_kind.setdefault(tag, name)
        runs.setdefault(tag or name, name)
    if rules.most_runs is not None and len(runs) > rules.most_runs:
        too_many = list(runs.values())[rules.most_runs]
        for tag in runs:
            found.add(too_many, "runs", found=tag)
    documents, answers, long = kinds["documents"], kinds["answers"], kinds["long"]
    if len(protocol.parts) == 2:
        for tag in dict.fromkeys((*documents, *answers)):
            if tag in documents and tag in answers:
                _check_partial(documents[tag], answers[tag], sheets, known, found)
            elif tag and not any("" in kinds[kind] for kind in _PARTS):  # a file without a tag may be what is missing
                kind, other = ("documents", "answers") if tag in documents else ("answers", "documents")
                found.add(kinds[kind][tag], "part-missing", found=tag, missing=_PARTS[other])
    for tag in documents:
        if tag in long:
            _check_contained(documents[tag], long[tag], sheets, known, found)


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
