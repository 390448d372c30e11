"""Texts for models, before there is a run: one record a question, case or instance; and the dates that cases show."""

from __future__ import annotations

import contextlib
import datetime
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from coliee_adapters.corpora import read_corpus
from coliee_adapters.corpora.records import Corpus
from coliee_adapters.errors import InputError, shortened
from coliee_adapters.files.source import PathLike, Source, is_folder
from coliee_adapters.files.writing import open_text_replacing
from coliee_adapters.forms import statute
from coliee_adapters.forms.lines import counted
from coliee_adapters.forms.markup import Element
from coliee_ir.rules.protocol import NEWEST, TASK_SIGNS

_DATE_LINE: Final = re.compile(
    r"(?im)^[ \t]*date[ \t]*:[ \t]*(?:((?:1[89]|20)\d\d)[-/. ]?(\d\d)[-/. ]?(\d\d)\b|([a-z]+ \d{1,2}, ?\d{4}))",
    re.ASCII,
)
#: a year in brackets, or behind a month or a day: 2000 documents are none
_YEAR: Final = re.compile(
    r"(?i)(?:[\[(]|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?,? (?:\d{1,2}(?:st|nd|rd|th)?,? )?)"
    r"((?:1[89]|20)\d\d)\b",
    re.ASCII,
)
#: the caption of the article that follows
_CAPTION: Final = re.compile(r"[（(].*[)）]")


def date_of(text: str) -> str:
    """The date that a case shows: its line ``Date:``, or else the latest year of a date that it mentions; or nothing.

    >>> date_of("Date: 20190531"), date_of("since May 3, 2004, see [1999] 1 FC"), date_of("2000 documents")
    ('2019-05-31', '2004', '')
    """
    if match := _DATE_LINE.search(text):
        with contextlib.suppress(ValueError):
            if match[4]:
                return datetime.datetime.strptime(match[4].replace(",", ", "), "%B %d, %Y").date().isoformat()
            return datetime.date(*map(int, match.groups()[:3])).isoformat()
    years = [year for year in _YEAR.findall(text) if int(year) <= NEWEST]
    return max(years, default="")


def dates_of(folder: PathLike) -> dict[str, str]:
    """Id → date, of the cases of a folder that show one.

    Raises:
        InputError: no case shows one.
    """
    dates = {
        case.doc_id: date for case in read_corpus(folder, kind="cases").docs_iter() if (date := date_of(case.text))
    }
    if not dates:
        raise InputError(
            "no-dates",
            str(folder),
            "no case in this folder shows a date",
            remedy="give the folder of Task 1's cases, or lines ID YYYY-MM-DD",
        )
    return dates


def write_statements(sources: Sequence[PathLike], target: PathLike, code: PathLike | None) -> list[str]:
    """Write the texts of statute questions, of a folder of cases, or of another corpus as JSON Lines; what was written.

    Args:
        sources: golds or test files of statute questions, or folders of them; or one corpus.
        target: the file to write.
        code: the Civil Code, which has the texts of articles.
    """
    records: dict[str, dict[str, Any]] = {}
    for path in [file for source in sources for file in _files(source)]:
        for record in _questions(Source(path), code) if _is_xml(path) else _of_corpus(read_corpus(path)):
            if records.setdefault(record["id"], record) is not record:
                raise InputError(
                    "duplicate",
                    str(path),
                    "this id is in another file too",
                    found=record["id"],
                    remedy="give each text once",
                )
    with open_text_replacing(target) as stream:
        stream.writelines(json.dumps(record, ensure_ascii=False) + "\n" for record in records.values())
    articles = [article for record in records.values() for article in record.get("articles", ())]
    bare = [article["id"] for article in articles if code and not article["text"]]
    missing = (
        [f"{counted(len(bare), 'article')} without a text in {code} (first: {shortened(bare[0])})"] if bare else []
    )
    n = Counter(len(record["date"]) for record in records.values() if "date" in record)
    dated = f"{n[10]} with the date of their line Date, {n[4]} with the latest year mentioned, {n[0]} with none"
    return [counted(len(records), "record"), *missing, *([dated] if n else [])]


def _files(path: PathLike) -> Sequence[PathLike]:
    """The golds of statute questions in a folder; else the path itself, as of a corpus."""
    return [file for file in sorted(Path(path).iterdir()) if _is_xml(file)] or [path] if is_folder(path) else [path]


def _is_xml(path: PathLike) -> bool:
    return not is_folder(path) and statute.is_xml(Source(path).head())


def _questions(source: Source, code: PathLike | None) -> Iterator[dict[str, Any]]:
    """The questions of statute XML, with the articles that they name."""
    corpus = None if code is None else read_corpus(code, kind="statutes")
    for query, pair in statute.read_pairs(source).items():
        texts = _articles(pair, source)
        if corpus is not None:
            texts = {name: article.text if (article := corpus.find(name)) else text for name, text in texts.items()}
        label = pair.attributes.get("label", "").strip()
        yield {
            "id": query,
            "text": "\n".join(statement.text.strip() for statement in pair.iter("t2")),
            **({"label": label} if label else {}),
            "articles": [{"id": name, "text": text} for name, text in texts.items()],
        }


def _articles(pair: Element, source: Source) -> Mapping[str, str]:
    """The articles of a question and their texts, where the file has them."""
    named = (
        (element.attributes.get("id", "").strip() or element.text.strip(), element.line)
        for element in pair.iter("article")
    )
    articles = {statute.article_id(text, line, source): list[str]() for text, line in named if text}
    for t1 in pair.iter("t1"):
        article = None
        for line in map(str.strip, t1.text.split("\n")):
            if head := statute.article_head(line):
                article = articles.setdefault(head, [])
            elif _CAPTION.fullmatch(line):
                article = None
            if article is not None and line:
                article.append(line)
    return {name: "\n".join(lines) for name, lines in articles.items()}


def _of_corpus(corpus: Corpus) -> Iterator[dict[str, Any]]:
    """The queries with the documents of each, where each has its own; or else the documents."""
    if not corpus.own_documents:
        for document in corpus.docs_iter():
            dated = {"date": date_of(document.text)} if corpus.task == TASK_SIGNS["cases"].task else {}
            titled = {"title": document.title} if document.title else {}
            yield {"id": document.doc_id, "text": document.text, **titled, **dated}
        return
    for query in corpus.queries_iter():
        base = {"base_case": query.base_case, "date": date_of(query.base_case)} if query.base_case else {}
        candidates = [
            {"id": candidate.doc_id, "text": candidate.text} for candidate in corpus.candidates(query.query_id)
        ]
        yield {"id": query.query_id, "text": query.text, **base, "candidates": candidates}
