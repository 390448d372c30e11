"""The Civil Code, from which Tasks 3 to 5 take their articles, in the forms in which it is handed out.

- Plain text, one paragraph a line or with wrapped lines: ``civil_code_en-1to724-2.txt``. An article begins with a
  line ``Article 96 (1) …`` or ``第九十六条　…``; the line before it may be its caption, in brackets.
- The organisers' XML of 2026, ``civil.xml``: ``<Articles><Article num="398-20"><caption>…</caption><text>…``.

An article's text begins with its number in both, as it does in ``<t1>``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from coliee_adapters.corpora.records import Document
from coliee_adapters.errors import InputError
from coliee_adapters.files.source import Source
from coliee_adapters.forms import markup
from coliee_adapters.forms.statute import article_head, article_id

_XML: Final = re.compile(rb"<Articles?[\s/>]")

#: ``Part I General Provisions``, ``第一章　通則``. A sentence that goes on in a wrapped line has a lower-case word
#: there, a bracket, or a full stop at its end.
_HEADING: Final = re.compile(
    r"(?:Part|Chapter|Section|Subsection|Division)\s+(?:[IVXLC]+|[0-9]+)(?:-[0-9]+)*\s+[A-Z].{0,300}[^.;:,]"
    r"|第[〇一二三四五六七八九十百0-9０-９]+(?:編|章|節|款|目)(?:の[〇一二三四五六七八九十百0-9０-９]+)*\s.{0,300}[^。]"
)

#: ``Articles 38 to 84  Deleted``, ``第三十八条から第八十四条まで　削除``
_DELETED: Final = re.compile(r"Articles\s.{0,99}\bDeleted\.?|第.{0,99}条(?:から|及び|、).{0,99}削除")

_SUPPLEMENT: Final = re.compile(r"Supplementary Provisions\b.*|附\s*則.*", re.IGNORECASE)

#: A caption that is longer than so many lines is none.
_CAPTION_LINES: Final = 4
#: one bracket, with others in it: ``(Fraud or Duress)``, ``（数（上限を含む。））``
_BRACKET: Final = re.compile(r"[(（](?:[^()（）]|[(（][^()（）]*[)）])+[)）]")

#: Several articles that were deleted together: ``38:84``.
_RANGE: Final = ":"


def sniff(head: bytes) -> bool:
    """Whether a file that starts with these bytes is a civil code in one of its forms."""
    start = head.lstrip()
    if start.startswith(b"<"):
        return _XML.search(head) is not None
    if start.startswith((b"{", b"[")):
        return False
    return any(map(article_head, re.split(r"[\r\n]+", head.decode("utf-8", errors="replace"))))


def read(source: Source) -> dict[str, Document]:
    """The articles by id, in the order of the file; the title is the caption without its brackets.

    Articles that were deleted together, and supplementary provisions, are left out.
    """
    is_xml = source.head().lstrip().startswith(b"<")
    articles: dict[str, Document] = {}
    lines: dict[str, int] = {}
    for line, article in _of_xml(source) if is_xml else _of_text(source):
        if article.doc_id in articles:
            problem = f"this article is already in line {lines[article.doc_id]}"
            raise InputError("duplicate", source.name, problem, line=line, found=article.doc_id, remedy="keep one")
        articles[article.doc_id], lines[article.doc_id] = article, line
    if not articles:
        remedy = "give the Civil Code, as text with lines such as Article 96 (1) … or 第九十六条 …, or as XML"
        raise InputError("empty", source.name, "this file contains no articles", remedy=remedy)
    return articles


def _of_text(source: Source) -> Iterator[tuple[int, Document]]:
    """The articles of plain text, each with its line."""
    article, title, first = "", "", 0
    body: list[str] = []  # of the article; before the first one and after a heading, of none
    for number, content in enumerate(source.text().split("\n"), 1):
        line = content.strip()
        if not line:
            continue
        head = article_head(line)
        if head is None and not any(end.fullmatch(line) for end in (_HEADING, _DELETED, _SUPPLEMENT)):
            body.append(line)
            continue
        caption = _caption_at_end(body) if head is not None else []
        if article:
            yield first, Document(article, "\n".join(body[: len(body) - len(caption)]), title)
        article, first, title = head or "", number, " ".join(caption)[1:-1].strip()
        body = [line] if article else []
        if _SUPPLEMENT.fullmatch(line):
            break
    if article:
        yield first, Document(article, "\n".join(body), title)


def _caption_at_end(lines: list[str]) -> list[str]:
    """The last lines, if they are one bracket from the first character to the last."""
    for start in range(len(lines) - 1, max(-1, len(lines) - 1 - _CAPTION_LINES), -1):
        if _BRACKET.fullmatch("".join(lines[start:])):
            return lines[start:]
    return []


def _of_xml(source: Source) -> Iterator[tuple[int, Document]]:
    """The articles of XML, each with its line."""
    for element in markup.parse(source).iter("Article"):
        if _RANGE not in (number := element.attributes.get("num", "").strip()):
            title, text = ("".join(part.text for part in element.iter(tag)).strip() for tag in ("caption", "text"))
            title = title[1:-1].strip() if _BRACKET.fullmatch(title) else title
            yield element.line, Document(article_id(number, element.line, source), text, title)
