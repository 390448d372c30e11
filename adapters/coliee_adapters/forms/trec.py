"""TREC's files: qrels (``QUERY 0 DOCUMENT RELEVANCE``) and runs (``QUERY Q0 DOCUMENT RANK SCORE TAG``)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from io import TextIOBase

from coliee_adapters.errors import InputError, Place
from coliee_adapters.files.source import Source
from coliee_adapters.forms.columns import SIX_COLUMNS, read_columns, regular_words
from coliee_adapters.forms.lines import Comments, content_lines, counted, is_number, join_columns, split_columns
from coliee_adapters.forms.rows import judge, refuse_irrelevant, relevance_of
from coliee_adapters.records import GREATEST_RELEVANCE, Gold, IdRule, Run, exact_id
from coliee_adapters.remarks import Remarks

_QRELS = ("QUERY", "0", "DOCUMENT", "RELEVANCE")
_INTEGER = re.compile(r"[+-]?[0-9]{1,9}(?:\.0*)?")
#: so many characters of qrels are taken into words at a time
_PIECE = 1 << 20


def sniff_gold(head: bytes) -> str | None:
    """``qrels`` if the first content line has four columns and ends in an integer."""
    fields = first_fields(head)
    return "qrels" if len(fields) == len(_QRELS) and _INTEGER.fullmatch(fields[3]) else None


def sniff_run(head: bytes) -> str | None:
    """``trec`` if the first content line has ``Q0`` as its second column, or five with a rank or a score among them."""
    fields = first_fields(head)
    if fields[1:2] == ["Q0"]:
        return "trec"
    # otherwise five columns can be three with a run tag of several words; numbers tell them apart
    return "trec" if len(fields) > 4 and any(map(is_number, fields[3:5])) else None


def first_fields(head: bytes) -> list[str]:
    """The columns of the first content line; none if there is no such line, and in JSON and XML."""
    if head.lstrip().startswith((b"{", b"[", b"<")):
        return []
    text = head.decode("utf-8", errors="replace").replace("\r", "\n")
    for _, line in content_lines(text, "", comments=Comments()):
        return split_columns(line)
    return []


def read_gold(source: Source, rule: IdRule = exact_id) -> Gold:
    """Read qrels."""
    text = source.text(columns=True)
    if (regular := _regular(text, rule)) is not None:
        refuse_irrelevant(regular, source.name)
        return Gold(regular, path=source.name, format="qrels")
    qrels: dict[str, dict[str, int]] = {}
    remarks = Remarks()
    expected = f"expected {len(_QRELS)} columns: {' '.join(_QRELS)}"
    comments = Comments(remarks, "gold-comment")
    for number, line in content_lines(text, source.name, comments=comments):
        fields = split_columns(line)
        if len(fields) != len(_QRELS):
            raise InputError(
                "columns", source.name, counted(len(fields), "column"), line=number, found=line, remedy=expected
            )
        place, query, document = Place(source.name, "line", number), rule(fields[0]), rule(fields[2])
        judge(qrels.setdefault(query, {}), query, document, relevance_of(fields[3], place), place, remarks)
    comments.check_closed(source.name)
    if not qrels:
        raise InputError("empty", source.name, "the file contains only comments", remedy=expected)
    refuse_irrelevant(qrels, source.name)
    return Gold(qrels, path=source.name, format="qrels", remarks=remarks)


def _regular(text: str, rule: IdRule) -> dict[str, dict[str, int]] | None:
    """The fast lane: qrels whose every line is four words with single blanks, no document twice; None for others."""
    qrels: dict[str, dict[str, int]] = {}
    start = 0
    while start < len(text):  # piece by piece: all words of 1.5 M lines would take 350 MiB
        end = text.find("\n", start + _PIECE) + 1 or len(text)
        words = regular_words(text[start:end], len(_QRELS))
        if words is None:
            return None
        levels = {text: int(float(text)) for text in set(words[3::4]) if _INTEGER.fullmatch(text)}
        if any(abs(levels.get(text, GREATEST_RELEVANCE + 1)) > GREATEST_RELEVANCE for text in set(words[3::4])):
            return None
        queries, documents = words[0::4], words[2::4]
        if ".txt" in text:
            queries, documents = list(map(rule, queries)), list(map(rule, documents))
        for query, document, level in zip(queries, documents, words[3::4], strict=True):
            judged = qrels.setdefault(query, {})
            if document in judged:
                return None
            judged[document] = levels[level]
        start = end
    return qrels or None


def read_run(source: Source, rule: IdRule = exact_id) -> Run:
    """Read a run of six columns; its lines are read when its blocks are asked for."""
    return read_columns(source, SIX_COLUMNS, rule, "trec")


def write_gold(qrels: Mapping[str, Mapping[str, int]], stream: TextIOBase) -> None:
    """Write qrels; a query without documents cannot be written."""
    for query, judged in qrels.items():
        stream.writelines(join_columns(query, "0", document, str(level)) for document, level in judged.items())


def write_run(rankings: Iterable[tuple[str, Mapping[str, float]]], tag: str, stream: TextIOBase) -> None:
    """Write a run of six columns, documents in the order given, ranks from 1."""
    for query, ranking in rankings:
        words = [query, tag, *ranking]
        # together, which takes a third of the time that each line takes
        are_words = " ".join(words).split() == words and not query.startswith(("#", "/*"))
        stream.writelines(
            f"{query} Q0 {document} {rank} {float(score)!r} {tag}\n"
            if are_words
            else join_columns(query, "Q0", document, str(rank), repr(float(score)), tag)
            for rank, (document, score) in enumerate(ranking.items(), start=1)
        )
