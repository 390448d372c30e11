"""Tasks 3 to 5, statute law: the XML gold in its four generations, label lists, and answers ``QUERY Y TAG``."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from io import TextIOBase
from itertools import islice
from typing import Final

from coliee_adapters.classes import NamedTuple
from coliee_adapters.errors import InputError, Place
from coliee_adapters.files.source import Source
from coliee_adapters.forms.lines import BLANKS, Comments, content_lines, join_columns, split_columns
from coliee_adapters.forms.markup import Element, parse
from coliee_adapters.forms.vocabulary import is_header
from coliee_adapters.records import Answers, Gold, normal_id, wrong_id
from coliee_adapters.remarks import Remarks

#: a label in lower case → what it means
LABELS: Final = {"y": True, "yes": True, "true": True, "n": False, "no": False, "false": False}

#: an id of a question, ``H18-1-2``, ``R02-10-E``, ``R1-18-U``: era and year, question, part
STATUTE_ID: Final = re.compile(r"[HR][0-9]{1,2}-[0-9]+-[0-9A-Z]+")


def exam_of(query: str) -> str:
    """The exam that a question is of, its year in two digits: the organisers' own file of R01 has both spellings.

    >>> exam_of("R1-18-U"), exam_of("R01-1-A")
    ('R01', 'R01')
    """
    return query[0] + query[1 : query.index("-")].zfill(2)


#: the same where a whole file has numbers for labels
DIGITS: Final = {"1": True, "0": False}

#: So many lines at the beginning show whether a file is a label list.
_SHOWN: Final = 100

_COMMAS: Final = "[,;]"

_XML: Final = rb"<(?:dataset|pair)[\s/>]"

_ARTICLE: Final = r"[0-9]+(?:-[0-9]+)*"

# The three heads of an article's text stand at the start of a line. All quantifiers are possessive: a shorter number,
# found by stepping back, would be another article.

#: ``Article 566``, ``Article 32 (1) …``, ``Article 537(1)If …``. In a sentence the number goes on in lower case, or
#: with a mark that no article begins with: ``Article 5 applies``, ``Article 5, paragraph (1)``, ``Article 5–7``.
_ENGLISH: Final = (
    r"\s*+Article\s*+([0-9０-９]++(?:[-－][0-9０-９]++)*+)(?:\s*+[(（][0-9０-９]++[)）])*+\s*+(?![a-z,;.)'’‐-―−－-])"
)

#: ``第三百九十八条の二十　…``. In a sentence something else than a blank follows: ``第五条の規定``, ``第五条第一項``,
#: ``第五条（第二項を除く。）の規定``.
_JAPANESE: Final = (
    r"\s*+第([〇零一二三四五六七八九十百千0-9０-９]{1,9}+)条((?:の[〇零一二三四五六七八九十百千0-9０-９]{1,9}+)*+)"
    r"(?:[(（][^()（）]*+[)）])?+(?:\s|$)"
)

_MISSING: Final = re.compile(r"\s*+\[MISSING ARTICLE\b([^\]]*+)\]")


def sniff_gold(head: bytes) -> str | None:
    """The name of the form of gold that a file starts as: ``statute-xml``, ``labels`` or None."""
    if head.lstrip().startswith(b"<"):
        return "statute-xml" if re.search(_XML, head) else None
    return None if head.lstrip().startswith((b"{", b"[")) else sniff_run(head)


def sniff_run(head: bytes) -> str | None:
    """``labels`` if the second column of the first content line is a label in any of its forms, else None.

    The first line decides, so that a fault further down is reported with its line and not as an unknown file. Where it
    holds no label, most lines do: an answer may be no label, and labels may be 1 and 0, as long as each query has one.
    """
    text = head.decode("utf-8", errors="replace").replace("\r", "\n")
    rows = [_words(line) for _, line in islice(content_lines(text, "", comments=Comments()), _SHOWN)]
    if rows and is_header(rows[0]):
        return None  # a table, whose columns have names
    if rows and len(rows[0]) > 1 and rows[0][1].lower() in LABELS:
        return "labels"
    listed = [words for words in rows if len(words) in (2, 3)]
    letters = sum(words[1].lower() in LABELS for words in listed)
    digits = [words for words in listed if words[1] in DIGITS]
    # a label list names each query once
    once = len({words[0] for words in rows}) == len(rows)
    as_digits = once and are_numbered(dict(words[:2] for words in listed))
    return "labels" if 2 * max(letters, len(digits) if as_digits else 0) > len(rows) else None


def read_gold(source: Source) -> Gold:
    """Gold from ``<dataset><pair id="H18-1-2" label="Y">…``, with the articles, the labels, or both.

    The articles of a pair are its ``<article>`` elements, or else the numbers at the heads of the text in ``<t1>``.
    """
    remarks = Remarks()
    pairs = read_pairs(source)
    labels: dict[str, bool] = {}
    for query, pair in pairs.items():
        if word := pair.attributes.get("label", "").strip():
            labels[query] = _label(word, pair.line, source, remarks)
    if labels and len(labels) < len(pairs):
        query, pair = next((query, pair) for query, pair in pairs.items() if query not in labels)
        problem = "this pair has no label, although others do"
        remedy = "label every pair, or none"
        raise InputError("missing-label", source.name, problem, line=pair.line, found=query, remedy=remedy)
    qrels: dict[str, dict[str, int]] = {}
    for query, pair in pairs.items():
        qrels[query] = {}
        for article in _articles(query, pair, source, remarks):
            if article in qrels[query]:
                remarks.add("gold-duplicate", f"line {pair.line}: {query} {article}")
            qrels[query][article] = 1
    if not labels and not any(qrels.values()):
        problem = "this is a test file without labels and articles: no pair has a label or names an article"
        raise InputError("missing-label", source.name, problem, remedy="give the file with the labels or the articles")
    has_articles = any(next(pair.iter("t1", "article"), None) for pair in pairs.values())
    return Gold(qrels if has_articles else None, labels or None, source.name, "statute-xml", remarks=remarks)


def read_label_gold(source: Source) -> Gold:
    """Gold from a label list, ``R07-01-O Y``; a third column is passed over."""
    remarks = Remarks()
    words, _ = _read_words(source, Comments(remarks, "gold-comment"))
    labels, _ = labels_of(words, remarks, gold=True)
    return Gold(labels=labels, path=source.name, format="labels", remarks=remarks)


def read_answers(source: Source) -> Answers:
    """Answers from lines ``QUERY Y TAG``; without any tag they are named after the file."""
    remarks = Remarks()
    answers, tags = _read_words(source, Comments(remarks))
    labels, unreadable = labels_of(answers, remarks)
    tag = next((words[0] for _, words in tags if words), source.stem)
    for line, words in tags:
        if not words:
            remarks.add("no-tag")
            continue
        if len(words) > 1:
            remarks.add("tag-words", f"line {line}: {' '.join(words)}")
        if words[0] != tag:
            remarks.add("tag", f"line {line}: {words[0]}")
    return Answers(labels, tag, source.name, "labels", remarks, unreadable)


def write_answers(answers: Answers | Mapping[str, bool], stream: TextIOBase, tag: str) -> None:
    """Write lines ``QUERY Y TAG``."""
    for query, label in (answers.labels if isinstance(answers, Answers) else answers).items():
        stream.write(join_columns(query, "Y" if label else "N", tag))


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
    found = set(words.values())
    return "0" in found or (found == {"1"} and len(words) > 1 and all(map(STATUTE_ID.fullmatch, words)))


def _label(word: str, line: int, source: Source, remarks: Remarks) -> bool:
    label = LABELS.get(word.lower())
    if label is None:
        raise InputError("bad-label", source.name, "this is not a label", line=line, found=word, remedy="write Y or N")
    if word not in ("Y", "N"):
        remarks.add("label-form", f"line {line}: {word}")
    return label


class Labelled(NamedTuple):
    """A query and the word that answers it."""

    query: str  # its id
    word: str  # what should be a label
    place: Place  # where it stands


def labels_of(
    words: Iterable[Labelled], remarks: Remarks, *, gold: bool = False
) -> tuple[dict[str, bool], tuple[str, ...]]:
    """What the words of a label list mean."""
    meant: dict[str, bool | None] = {}
    first: dict[str, Labelled] = {}
    of_kind: dict[str, Labelled] = {}
    strange: list[Labelled] = []
    for one in words:
        kind = "1 or 0" if one.word in DIGITS else "Y or N" if one.word.lower() in LABELS else ""
        label = DIGITS.get(one.word, LABELS.get(one.word.lower()))
        if not kind:
            strange.append(one)
        elif of_kind.setdefault(kind, one) is one and len(of_kind) > 1:
            problem = f"this label is {kind}, and others are not"
            raise one.place.fault("mixed-forms", problem, one.word, "write Y or N everywhere")
        elif one.word not in ("Y", "N"):
            remarks.add("label-form", f"{one.place}: {one.word}")
        if first.setdefault(one.query, one) is one:
            meant[one.query] = label
        elif meant[one.query] is label:
            remarks.add("gold-duplicate" if gold else "duplicate", one.place.names(one.query, one.word))
        else:
            problem = f"{first[one.query].place} gives another answer to this question"
            raise one.place.fault("conflicting", problem, f"{one.query} {one.word}", "keep one")
    if strange and (gold or not of_kind):
        raise strange[0].place.fault("bad-label", "this is not a label", strange[0].word, "write Y or N")
    for one in strange:
        remarks.add("unreadable-answer", f"{one.place}: {one.word}")
    labels = {query: label for query, label in meant.items() if label is not None}
    return labels, tuple(query for query, label in meant.items() if label is None)


def _read_words(source: Source, comments: Comments) -> tuple[list[Labelled], list[tuple[int, list[str]]]]:
    """The words of a label list, and the words of each line's tag with the line's number."""
    words, tags = [], []
    for line, content in content_lines(source.text(columns=True), source.name, comments=comments):
        columns = _words(content)
        if len(columns) == 1:
            problem = "this line has one column"
            raise InputError("columns", source.name, problem, line=line, found=content, remedy="write QUERY Y TAG")
        words.append(Labelled(normal_id(columns[0]), columns[1], Place(source.name, "line", line)))
        tags.append((line, columns[2:]))
    comments.check_closed(source.name)
    if not words:
        problem = "the file contains only comments"
        raise InputError("empty", source.name, problem, remedy="write QUERY Y TAG, one line per question")
    return words, tags


def read_pairs(source: Source) -> dict[str, Element]:
    """The ``<pair>`` elements of statute XML by id, in the order of the file."""
    root = parse(source, unnested=("pair", "t1", "article"))
    pairs: dict[str, Element] = {}
    for pair in root.iter("pair"):
        query = normal_id(pair.attributes.get("id", ""))
        if not query:
            problem = "a pair without an id"
            raise InputError("missing-id", source.name, problem, line=pair.line, remedy='write <pair id="H18-1-2">')
        if wrong := wrong_id([query], commas=False):
            remedy = "write the id as one word"
            raise InputError("bad-id", source.name, wrong[1], line=pair.line, found=query, remedy=remedy)
        if query in pairs:
            problem = f"the pair of line {pairs[query].line} has the same id"
            raise InputError("duplicate", source.name, problem, line=pair.line, found=query, remedy="keep one")
        pairs[query] = pair
    if not pairs:
        problem = "this XML contains no <pair>"
        remedy = "give the data of Tasks 3 and 4, <dataset><pair>…"
        raise InputError("empty", source.name, problem, line=root.line, found=f"<{root.tag}>", remedy=remedy)
    return pairs


def _articles(query: str, pair: Element, source: Source, remarks: Remarks) -> list[str]:
    """The ids of a pair's articles, in the order of the file, repeated where they are."""
    named = []
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
                remarks.add("missing-article", f"line {t1.line}: {query} {named[-1]}")
    if not named and any(t1.text.strip() for t1 in pair.iter("t1")):
        remarks.add("no-head", query)
    return named


def article_head(line: str) -> str | None:
    """The id of the article whose text a line begins, in ``<t1>`` as in the Civil Code; None for any other line.

    >>> article_head("Article 398-20 (1) The principal"), article_head("第三百九十八条の二十　元本")
    ('398-20', '398-20')
    >>> article_head("Article 5 applies")
    """
    if head := re.match(_ENGLISH, line):
        return unicodedata.normalize("NFKC", head[1])
    if head := re.match(_JAPANESE, line):
        return "-".join(str(_number(part)) for part in (head[1] + head[2]).split("の"))
    return None


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
