"""Tasks 3 to 5, statute law: the XML gold in its four generations, and label lists ``QUERY Y TAG``."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from io import TextIOBase
from typing import Final

from coliee_adapters.errors import InputError, Place, UsageError
from coliee_adapters.files.source import Source
from coliee_adapters.forms.form import Form, FormContent, FoundRows, Row
from coliee_adapters.forms.lines import BLANKS, Comments, Note, content_lines, first_lines, join_columns, split_columns
from coliee_adapters.forms.markup import Element, by_id, parse
from coliee_adapters.forms.vocabulary import (
    DIGITS,
    LABELS,
    GoldOrRun,
    answer_word,
    is_header,
    words_of,
)
from coliee_adapters.records import STATUTE_ID, as_labels

_COMMAS: Final = "[,;]"

_XML: Final = rb"<(?:dataset|pair)[\s/>]"

_ARTICLE: Final = r"[0-9]+(?:-[0-9]+)*"

#: what a branch of an article begins with, 424-2, where it is written in another way than heads are
_BRANCH: Final = r"[(（]?\s*[のノ之条]"

# The three heads of an article's text stand at the start of a line. Quantifiers are possessive or in atomic groups: a
# shorter number, found by stepping back, would be another article.

#: ``Article 566``, ``Article 32 (1) …``, ``Article 96: Fraud``. In a sentence the number goes on in lower case, or
#: with a mark that no article begins with: ``Article 5 applies``, ``Article 5, paragraph (1)``, ``Article 5–7``.
_ENGLISH: Final = (
    r"\s*+Article\s*+([0-9０-９]++(?>(?:[-－の][0-9０-９]++)*))(?:\s*+:(?!\s*[0-9])|(?=[\s(（A-Z“\"…]|$)"
    rf"(?>(?:\s*+[(（][0-9０-９]++[)）])*)\s*+(?![a-z,;.)'’‐-―−－/:・§-]|No\.?\s*[0-9]|{_BRANCH}))"
)

#: ``第三百九十八条の二十　…``. In a sentence something else than a blank follows: ``第五条の規定``, ``第五条第一項``,
#: ``第五条（第二項を除く。）の規定``.
_JAPANESE: Final = (
    r"\s*+第([〇零一二三四五六七八九十百千0-9０-９]{1,9}+)条((?>(?:の[〇零一二三四五六七八九十百千0-9０-９]{1,9}+)*))"
    rf"(?!\s*{_BRANCH})(?>(?:[(（][^()（）]*+[)）])?)(?:\s|$)"
)

#: atomic, as 12項 is no article 1
_NUMERAL: Final = "(?>[〇零一二三四五六七八九十百千0-9]{1,9})"
#: an article as runs name it, perhaps with its code before it, and its paragraph and sentence behind it
_NAMED: Final = (
    rf"(?i)(?:民法|civil ?code)?[\s_]*(?:第|article[\s_-]*|art[\s._-]*|§\s*)?"
    rf"({_NUMERAL})条?((?:の{_NUMERAL}|[._-](?>[0-9]+))*)条?"
    rf"(?:(?:第|(?<=[条項])){_NUMERAL}[項号]|本文|ただし書き?|但書|前段|後段|"
    r"[\s_]*\((?!\s*の)[^()]*\)|,? paragraph [0-9]+)*"
)
#: how の and the hyphen are also written
_JOINTS: Final = str.maketrans(dict.fromkeys("‐‑‒–—−", "-") | {"ノ": "の"})

#: a line that begins like a head, with a number in none of these ways: ``第424-2条``, ``424 bis 2``, ``Article 424_2``
_UNREAD: Final = (
    r"\s*+(?:第[^条、。\s]{1,15}条(?:\s|[(（]の|$)|(?i:art(?:icle|\.)\s*+)?[0-9０-９]++\s*+(?i:bis|ter|quater)\b|"
    r"(?i:art(?:icle|\.)\s*+)[0-9０-９]++(?>(?:[-の][0-9]++)*)"
    r"(?:\s*+(?:[_:ー‐-―−]\s?[0-9]|[(（]?[の条]|No\.|[①-⑳])|\u3000|\t|\ \ ))"
)

#: how much of such a line is shown
_SHOWN: Final = 40

_MISSING: Final = re.compile(r"\s*+\[MISSING ARTICLE\b([^\]]*+)\]")


def is_xml(head: bytes) -> bool:
    """Whether a file is XML of pairs."""
    return head.lstrip().startswith(b"<") and re.search(_XML, head) is not None


@lru_cache(maxsize=4)  # a gold and a run ask it of one head
def lists_labels(head: bytes, words: frozenset[str] = frozenset()) -> bool:
    """Whether the second column of the first content line is a label in any of its forms.

    The first line decides, so that a fault further down is reported with its line and not as an unknown file. Where it
    holds no label, most lines do: an answer may be no label, and labels may be 1 and 0, as long as each query has one.
    ``words`` are further labels.
    """
    lines = first_lines(head)
    rows = [] if " Q0 " in next(iter(lines), "") else [_words(line) for line in lines]
    if rows and is_header(rows[0]):
        return False  # a table, whose columns have names
    if rows and len(rows[0]) > 1 and (rows[0][1].lower() in LABELS or answer_word(rows[0][1]) in words):
        return True
    return are_labels([(words[0], words[1] if len(words) in (2, 3) else "") for words in rows])


def are_labels(rows: Sequence[tuple[str, str]]) -> bool:
    """Whether most words beside queries are labels; 1 and 0 are if each query has one, see ``are_numbered``.

    Of a question, a word without a numeral is meant for one: it names no article.
    """
    letters = sum(
        word.lower() in LABELS or (names_no_article(word) and STATUTE_ID.fullmatch(query) is not None)
        for query, word in rows
    )
    digits = {query: word for query, word in rows if word in DIGITS}
    once = len({query for query, _ in rows}) == len(rows)
    return 2 * max(letters, len(digits) if once and are_numbered(digits) else 0) > len(rows)


def _pair_rows(source: Source, note: Note) -> FoundRows:
    """What ``<dataset><pair id="H18-1-2" label="Y">…`` holds: the labels, the articles, or both.

    The articles of a pair are its ``<article>`` elements, or else the numbers at the heads of the text in ``<t1>``.
    """
    pairs = read_pairs(source)
    labels = {query: word for query, pair in pairs.items() if (word := pair.attributes.get("label", "").strip())}
    for query, pair in pairs.items():
        place = Place(source.name, "line", pair.line)
        if query in labels:
            yield Row(place, query, answer=labels[query])
        elif labels:
            raise place.fault(
                "missing-label", "this pair has no label, although others do", query, "label every pair, or none"
            )
    articles = {query: _articles(query, pair, source, note) for query, pair in pairs.items()}
    if not labels and not any(articles.values()):
        problem = "this is a test file without labels and articles: no pair has a label or names an article"
        raise InputError("missing-label", source.name, problem, remedy="give the file with the labels or the articles")
    if any(next(pair.iter("t1", "article"), None) for pair in pairs.values()):
        for query, named in articles.items():
            place = Place(source.name, "line", pairs[query].line)
            yield Row(place, query)
            yield from (Row(place, query, article) for article in named)


def _label_rows(kind: GoldOrRun, source: Source, note: Note) -> FoundRows:
    """The lines of a label list, ``R07-01-O Y TAG``; of a gold, a third column is passed over."""
    comments = Comments(note, "gold-comment" if kind == "gold" else "comment")
    is_empty = True
    for number, line in content_lines(source.text(columns=True), source.name, comments=comments):
        words, place = _words(line), Place(source.name, "line", number)
        if len(words) == 1:
            raise place.fault("columns", "this line has one column", line, "write QUERY Y TAG")
        is_label = words[1].lower() in LABELS or answer_word(words[1]) in words_of(source.columns)
        if is_empty and not is_label and re.search("[,;\t]", line) and not re.search(r"\d", words[0]):
            problem, role = "this line seems to name columns, and no question", "label" if kind == "gold" else "answer"
            raise place.fault("missing-column", problem, line, f"use --columns query={words[0]},{role}={words[1]}")
        is_empty, tag = False, words[2:] if kind == "run" else []
        if kind == "run" and not tag:
            note("no-tag", "")
        if tag and (tag[0].lower() in LABELS or answer_word(tag[0]) in words_of(source.columns)):
            remedy = "write QUERY Y TAG, a line for each sample, and vote with `coliee-ir convert --aggregate vote`"
            raise place.fault("ambiguous", "several answers in one line, or a run tag that is an answer", line, remedy)
        if len(tag) > 1:
            note("tag-words", f"line {number}: {' '.join(tag)}")
        yield Row(place, words[0], answer=words[1], tag=tag[0] if tag else None)
    comments.check_closed(source.name)
    if is_empty:
        raise InputError(
            "empty", source.name, "the file contains only comments", remedy="write QUERY Y TAG, one line per question"
        )


def _write(tag: str, content: FormContent, stream: TextIOBase) -> None:
    """Write lines ``QUERY Y TAG``."""
    labels = content.labels if content.labels is not None else as_labels(content.documents)
    if labels is None:
        raise UsageError("wrong-part", "there are no labels to write: not every query has one document, Y or N")
    stream.writelines(join_columns(query, "Y" if label else "N", tag or content.tag) for query, label in labels.items())


def _words(line: str) -> list[str]:
    """The columns of a line, which blanks separate, or commas: ``R07-01-O,Y,TAG``."""
    if "," in line or ";" in line:
        return [word.strip(BLANKS) for word in re.split(_COMMAS, line)]
    return split_columns(line)


def are_numbered(words: Mapping[str, str]) -> bool:
    """Whether some words of digits are labels: query → word.

    Articles and paragraphs are numbers too; but none is 0, and not every one of several questions is about Article 1.

    >>> are_numbered({"827": "1", "828": "1"}), are_numbered({"R07-01-O": "1", "R07-01-U": "1"})
    (False, True)
    """
    distinct = set(words.values())
    return "0" in distinct or (distinct == {"1"} and len(words) > 1 and all(map(STATUTE_ID.fullmatch, words)))


def read_pairs(source: Source) -> dict[str, Element]:
    """The ``<pair>`` elements of statute XML by id, in the order of the file."""
    root = parse(source, unnested=("pair", "t1", "article"))
    if not (pairs := by_id(root, "pair", source, 'write <pair id="H18-1-2">')):
        remedy = "give the data of Tasks 3 and 4, <dataset><pair>…"
        raise InputError(
            "empty", source.name, "this XML contains no <pair>", line=root.line, found=f"<{root.tag}>", remedy=remedy
        )
    return pairs


def _articles(query: str, pair: Element, source: Source, note: Note) -> list[str]:
    """The ids of a pair's articles, in the order of the file, repeated where they are."""
    named: list[str] = []
    unread: list[str] = []
    for element in pair.iter("article"):
        # an element that holds nothing names no article: some pairs have none
        if text := element.attributes.get("id", "").strip() or element.text.strip():
            named.append(article_id(text, element.line, source))
    if named:
        return named
    for t1 in pair.iter("t1"):
        for line in t1.text.split("\n"):
            if article := article_head(line):
                named.append(article)
            elif missing := _MISSING.match(line):
                named.append(article_id(missing[1].strip(), t1.line, source))
                note("missing-article", f"line {t1.line}: {query} {named[-1]}")
            elif re.match(_UNREAD, line):
                unread.append(f"{query}: {line.strip()[:_SHOWN]}")
    if not named and any(t1.text.strip() for t1 in pair.iter("t1")):
        unread = unread or [query]
    for example in unread:
        note("no-head", example)
    return named


def article_head(line: str) -> str | None:
    """The id of the article whose text a line begins, in ``<t1>`` as in the Civil Code; None for any other line.

    >>> article_head("Article 398-20 (1) The principal"), article_head("第三百九十八条の二十　元本")
    ('398-20', '398-20')
    >>> article_head("Article 5 applies")
    """
    if head := re.match(_ENGLISH, line):
        return unicodedata.normalize("NFKC", head[1]).replace("の", "-")
    if head := re.match(_JAPANESE, line):
        return "-".join(str(_number(part)) for part in (head[1] + head[2]).split("の"))
    return None


def article_named(text: str) -> str | None:
    """The id of the article that a text names in one of the ways that runs do; None for an id, and for other texts.

    >>> [article_named(text) for text in ("第537条", "第424条の2", "537(1)", "424.2", "Art. 96", "537.0", "96", "x")]
    ['537', '424-2', '537', '424-2', '96', '537', None, None]
    """
    # a spreadsheet writes 537 as 537.0
    named = re.fullmatch(_NAMED, unicodedata.normalize("NFKC", text).removesuffix(".0").translate(_JOINTS))
    if named is None or re.fullmatch(_ARTICLE, text) or any(c.isdigit() and not c.isdecimal() for c in text):
        return None  # ² and ② are no digits of a number
    return "-".join(str(_number(part)) for part in re.split("[の._-]", named[1] + named[2]))


def names_no_article(word: str) -> bool:
    """Whether a word has no numeral, as ○ and Oui."""
    return word != "" and not any(map(str.isnumeric, word))


def article_id(text: str, line: int, source: Source) -> str:
    """An article's id from its number as an element or an attribute holds it."""
    article = unicodedata.normalize("NFKC", text)
    if not re.fullmatch(_ARTICLE, article):
        problem = "this is not an article number"
        raise InputError("bad-article", source.name, problem, line=line, found=text, remedy="write it as 96 or 398-2")
    return article


def _number(numeral: str) -> int:
    """The value of 三百九十八, 三九八, 398 or ３９８."""
    total = digits = 0
    for value in map(int, map(unicodedata.numeric, numeral)):
        if value < 10:
            digits = 10 * digits + value
        else:
            total, digits = total + (digits or 1) * value, 0
    return total + digits


FORMS: Final = (
    Form("gold", "statute-xml", '<dataset><pair id="H18-1-2" label="Y">…', is_xml, _pair_rows),
    Form(
        "gold",
        "labels",
        "R07-01-O Y",
        lists_labels,
        partial(_label_rows, "gold"),
        write=partial(_write, "gold"),
        can_write=("labels",),
    ),
    Form(
        "run",
        "labels",
        "R07-01-O Y TAG",
        lists_labels,
        partial(_label_rows, "run"),
        write=partial(_write, ""),
        can_write=("labels", "order", "tag"),
    ),
)
