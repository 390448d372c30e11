"""Where the rows of any form become a Gold, a Run or Answers: what a relevance, a score, a label and an id may be."""

from __future__ import annotations

import itertools
import math
import re
import struct
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from numbers import Integral
from operator import methodcaller
from typing import Any, Final, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from coliee_adapters import forms
from coliee_adapters.errors import InputError, Place
from coliee_adapters.files.source import Source
from coliee_adapters.forms.form import NOTHING, Column, Entries, Form, FoundRows, Row, Values
from coliee_adapters.forms.lines import Note
from coliee_adapters.forms.vocabulary import DIGITS, LABELS, answer_word, word_of, words_of
from coliee_adapters.ids import Ids, Picked, changes, mixed, pieces
from coliee_adapters.records import (
    GREATEST_RELEVANCE,
    ONE_WORD,
    SEPARATORS,
    Answers,
    Columns,
    Gold,
    IdRule,
    Judgements,
    Run,
    are_normal,
    exact_id,
    wrong_id,
)
from coliee_adapters.remarks import Remarks

#: what to do about answers in other words
WRITE_LABELS: Final = "write Y or N, or name the words, as in --labels Y=Oui,N=Non"
LABEL_FIRST: Final = (
    "write the question first and then its label, as `awk -F'[ ,\\t]+' '{print $2, $1, $3}' RUN > OUT` does"
)
#: judgements that are looked at together
_AT_ONCE: Final = 1 << 17
_TRUTH: Final = {"true": 1.0, "false": 0.0}


class ReadingRules(NamedTuple):
    """How ids are read: what each is compared as, and whether it may have commas in it."""

    ids: IdRule
    commas: bool

    @classmethod
    def of(cls, ids: IdRule) -> ReadingRules:
        """The rules for files: commas separate documents unless ids are compared as they stand."""
        return cls(ids, ids is exact_id)


def gold_in(form: Form, source: Source, rule: IdRule) -> Gold:
    """The gold that a file of a form holds."""
    assert form.rows is not None  # as every form of golds has
    remarks = Remarks()
    gold = gold_of(
        with_answer_words(form.rows(source, remarks.add), source.columns),
        ReadingRules.of(rule),
        source.name,
        form.name,
        remarks,
    )
    return gold if form.task is None else replace(gold, task=form.task(source.head()))


def run_in(form: Form, source: Source, rule: IdRule) -> Run | Answers:
    """The run, or the answers, that a file of a form holds."""
    run = None if form.run is None else form.run(source, rule)
    if run is not None:
        return run
    assert form.rows is not None
    remarks = Remarks()
    found = with_answer_words(form.rows(source, remarks.add), source.columns)
    return run_of(found, ReadingRules.of(rule), source.name, form.name, source.stem, remarks)


def with_answer_words(found: FoundRows, columns: Mapping[str, str] | None) -> FoundRows:
    """What is found in a file, with Y and N for the words that the user named for them."""
    if not (words := words_of(columns)):
        return found
    return (_rows_with_answer_words(piece, words) for piece in found)


def _rows_with_answer_words(piece: Row | Values | Entries, words: Mapping[str, str]) -> Row | Values | Entries:
    def meant(answer: object) -> object:
        return words.get(answer_word(word_of(answer)), answer)

    if isinstance(piece, Row):
        return piece if piece.answer is NOTHING else piece._replace(answer=meant(piece.answer))
    if isinstance(piece, Values) and "answer" in piece.columns:
        return piece._replace(columns={**piece.columns, "answer": list(map(meant, piece.columns["answer"]))})
    return piece


def id_of(value: Any, what: str, place: Place, rules: ReadingRules) -> str:
    """An id: text or an integer, one word."""
    if not isinstance(value, str | Integral) or isinstance(value, bool):
        raise place.fault("bad-id", f"this is not the id of a {what}", repr(value), "give text or an integer")
    text = rules.ids(str(value))
    if wrong := wrong_id((text,), commas=rules.commas):
        article = forms.statute.article_named(text)  # Article 537
        raise place.fault("bad-id", wrong[1], wrong[0], ONE_WORD + (f": {article}" if article else ""))
    return text


def relevance_of(value: Any, place: Place) -> int:
    """A relevance: an integer, however it is written; 1 where none is given."""
    number = 1.0 if value is NOTHING else _float(value)
    if not number.is_integer():  # NaN is none
        raise place.fault("bad-relevance", "this relevance is not an integer", str(value), "write 0, 1, 2, …")
    if abs(number) > GREATEST_RELEVANCE:
        problem = "this relevance is too large for trec_eval"
        raise place.fault("bad-relevance", problem, str(value), f"write relevances up to {GREATEST_RELEVANCE}")
    return int(number)


def score_of(value: Any, place: Place, what: str = "score") -> float:
    """A score or a rank: a finite number, however it is written; true and false are none."""
    if str(value).strip().lower() in _TRUTH:
        raise place.fault("bad-score", f"true and false are no {what}s of documents", str(value), "write it like 12.5")
    if isinstance(value, list | dict):
        problem, remedy = f"a {what} is expected, and this is more than a number", "give what is under this key alone"
        raise place.fault("bad-score", problem, str(value), f"are the queries one level further down? {remedy}")
    number = _float(value)
    if not math.isfinite(number):
        raise place.fault("bad-score", f"this {what} is not a finite number", str(value), "write it like 12.5")
    return number


def _is_retrieved(row: Row) -> bool:
    """Whether a system decided for a document: 1 or True, 0 or False."""
    number = 1.0 if row.retrieved is NOTHING else _float(row.retrieved)
    if number not in (0, 1):
        problem = "cannot tell from this value whether the document is retrieved"
        raise row.place.fault("missing-key", problem, str(row.retrieved), "write 1 or 0")
    return bool(number)


def _float(value: Any) -> float:
    if isinstance(value, str):
        value = _TRUTH.get(value.strip().lower(), value)
    try:
        return math.nan if isinstance(value, str) and ("_" in value or not value.isascii()) else float(value)
    except (TypeError, ValueError, OverflowError):
        return math.nan


def tag_of(value: Any) -> str:
    """A run tag with ``_`` for its blanks, and ``?`` for what no text can hold."""
    return "_".join(str(value).split()).encode("utf-8", "replace").decode("utf-8")


class AnswerWord(NamedTuple):
    """A query, the word that answers it, and where it stands."""

    query: str
    word: str
    place: Place


def labels_of(
    words: Iterable[AnswerWord], remarks: Remarks, *, gold: bool = False
) -> tuple[dict[str, bool], tuple[str, ...]]:
    """What the words of a label list mean; and the queries whose word means nothing."""
    meant: dict[str, bool | None] = {}
    first: dict[str, AnswerWord] = {}
    of_kind: dict[str, AnswerWord] = {}
    unknown: list[AnswerWord] = []
    for entry in words:
        kind = "1 or 0" if entry.word in DIGITS else "Y or N" if entry.word.lower() in LABELS else ""
        label = DIGITS.get(entry.word, LABELS.get(entry.word.lower()))
        if not kind:
            unknown.append(entry)
        elif of_kind.setdefault(kind, entry) is entry and len(of_kind) > 1:
            raise entry.place.fault(
                "mixed-forms", f"this label is {kind}, and others are not", entry.word, "write Y or N everywhere"
            )
        elif entry.word not in ("Y", "N"):
            remarks.add("label-form", f"{entry.place}: {entry.word}")
        if first.setdefault(entry.query, entry) is entry:
            meant[entry.query] = label
        elif meant[entry.query] is label:
            remarks.add("gold-duplicate" if gold else "duplicate", entry.place.names(entry.query, entry.word))
        else:
            problem = f"{first[entry.query].place} gives another answer to this question"
            remedy = "keep one; samples of a model are put to the vote by coliee-ir convert IN OUT --aggregate vote"
            raise entry.place.fault(
                "conflicting", problem, f"{entry.query} {entry.word}", "keep one" if gold else remedy
            )
    if unknown and (gold or (not of_kind and any(answer_word.word for answer_word in unknown))):
        remedy = LABEL_FIRST if unknown[0].query.lower() in LABELS else WRITE_LABELS
        raise unknown[0].place.fault("bad-label", "this is not a label", unknown[0].word, remedy)
    for entry in unknown:
        remarks.add("unreadable-answer", f"{entry.place}: {entry.word or f'{entry.query} has no answer'}")
    labels = {query: label for query, label in meant.items() if label is not None}
    return labels, tuple(query for query, label in meant.items() if label is None)


#: lines of a file whose judgements are plain, the relevance of each, and where it stands
_Judgements = tuple[Columns, npt.NDArray[np.int16], Callable[[int], Place]]


def gold_of(
    found: FoundRows,
    rules: ReadingRules,
    path: str,
    form: str,
    remarks: Remarks | None = None,
    *,
    part: bool = False,
) -> Gold:
    """The gold that is found in a file; as a part it may be some queries of one, of which nothing need be relevant."""
    remarks = Remarks() if remarks is None else remarks
    qrels: dict[str, dict[str, int]] = {}
    words: list[AnswerWord] = []
    names: dict[str, object] = {}
    blocks: list[_Judgements] = []
    for piece in found:
        if isinstance(piece, Values) and (block := plain_block(piece, rules)) is not None:
            block.queries, block.documents = block.queries.compact(), block.documents.compact()
            levels = np.ones(len(block.documents)) if block.scores is None else block.scores
            block.scores = None
            blocks.append((block, levels.astype(np.int16), piece.place))
            continue
        if isinstance(piece, Entries) and not qrels and (plain := _plain_judgements(piece.queries, rules)):
            qrels |= plain
            continue
        _add_judgements(blocks, qrels, remarks)
        for row in (piece,) if isinstance(piece, Row) else piece.rows():
            query = _query_of(row, rules, names)
            if row.answer is not NOTHING:
                words.append(AnswerWord(query, word_of(row.answer), row.place))
                continue
            judged = qrels.setdefault(query, {})
            if row.document is not NOTHING:
                document = id_of(row.document, "document", row.place, rules)
                relevance = relevance_of(row.number, row.place)
                if document in judged:
                    _repeat(judged, query, document, relevance, row.place, remarks)
                judged[document] = relevance
    labels = labels_of(words, remarks, gold=True)[0] if words else None
    columns = None if qrels else _as_columns(blocks)
    if columns is None:
        _add_judgements(blocks, qrels, remarks)
        grades = {*chain.from_iterable(judged.values() for judged in qrels.values())}
    else:
        grades = {int(columns.relevance.max(initial=0))}
    if grades and max(grades) <= 0 and not words and not part:
        remedy = "give a gold in which a relevance is 1 or more"
        raise InputError("no-relevant", path, "no document is relevant in this gold", remedy=remedy)
    judgements = qrels if columns is None else columns
    return Gold(judgements if judgements or not words else None, labels, path, form, remarks=remarks)


def _plain_judgements(content: Mapping[Any, Any], rules: ReadingRules) -> dict[str, dict[str, int]]:
    """The judgements of a dictionary whose ids and relevances stand as they are held; none where any does not.

    Those of 7,000 queries take an eighth of the time that they take one by one.
    """
    entries = list(content.values())
    if not {*map(type, content)} <= {str} or not {*map(type, entries)} <= {dict}:
        return {}
    ids = [*content, *chain.from_iterable(entries)]
    levels = [*chain.from_iterable(map(dict.values, entries))]
    if ({*map(type, ids)}, {*map(type, levels)}) != ({str}, {int}) or max(map(abs, {*levels})) > GREATEST_RELEVANCE:
        return {}
    is_plain = wrong_id(ids, commas=rules.commas) is None and (rules.ids is exact_id or are_normal(ids))
    return {query: dict(entry) for query, entry in content.items()} if is_plain else {}


def _repeat(judged: Mapping[str, int], query: str, document: str, relevance: int, place: Place, note: Remarks) -> None:
    """Remark on a judgement that repeats another; refuse one that differs from it."""
    if judged[document] != relevance:
        problem = f"this document is judged {judged[document]} above and {relevance} here"
        raise place.fault("conflicting", problem, f"{query} {document}", "keep one of the two")
    note.add("gold-duplicate", place.names(query, document))


def _query_of(row: Row, rules: ReadingRules, names: dict[str, object]) -> str:
    """The query of a row; refused where another key of the same object or dictionary stands for it."""
    query = id_of(row.query, "query", row.place, rules)
    if row.place.part == "query" and names.setdefault(query, row.query) != row.query:
        raise row.place.fault("duplicate", "this query appears twice", str(row.query), "keep one")
    return query


def _as_columns(blocks: Sequence[_Judgements]) -> Judgements | None:
    """All judgements; None where there are none, where a query comes back, or where a document may be judged twice."""
    if not blocks:
        return None
    every = Columns.joined([block for block, _, _ in blocks]).merged()
    queries = list(every.queries)
    if len(set(queries)) < len(queries):
        return None
    for a, b in pieces(every.starts, _AT_ONCE):
        documents = every.documents[every.starts[a] : every.starts[b]]
        number = np.repeat(np.arange(b - a), every.lengths[a:b])
        keys = np.sort(mixed(documents.words(documents.words_needed()), number))
        if (keys[1:] == keys[:-1]).any():
            return None
    return Judgements(queries, every.starts, every.documents, np.concatenate([levels for _, levels, _ in blocks]))


def _add_judgements(held: list[_Judgements], qrels: dict[str, dict[str, int]], remarks: Remarks) -> None:
    """Add judgements to dictionaries, with a remark on those that repeat others."""
    for block, relevance, place in held:
        levels = relevance.tolist()
        for query, first, last in block.segments():
            judged = qrels.setdefault(query, {})
            for i, document in enumerate(block.documents[first:last], first):
                if document in judged:
                    _repeat(judged, query, document, levels[i], place(i), remarks)
                judged[document] = levels[i]
    held.clear()


def run_of(
    found: FoundRows, rules: ReadingRules, path: str, form: str, tag: str, remarks: Remarks | None = None
) -> Run | Answers:
    """The run that is found in a file, or the answers."""
    remarks = Remarks() if remarks is None else remarks
    first, found = _with_first_row(found)
    if first is not None and first.answer is not NOTHING:
        rows = [row for piece in found for row in ((piece,) if isinstance(piece, Row) else piece.rows())]
        answers = _answers_of(_answering(rows), rules, path, form, tag, remarks)
        documents = [row for row in rows if row.answer is NOTHING or row.document is not NOTHING]
        if not documents:
            return answers
        run = run_of(_each_listed(documents), rules, path, form, answers.tag)
        return replace(run, other_parts={"answers": answers})
    if first is not None and first.tag not in (None, ""):
        tag = tag_of(first.tag)
    blocks = list(with_remarks(blocks_of(found, rules, tag), remarks)) or [Columns([], [0], [], remarks=remarks)]
    scored = any(block.scores is not None for block in blocks) and first is not None and first.number is not NOTHING
    queries = [query for block in blocks for query in block.queries]
    return Run(partial(iter, blocks), tag, scored, path, form, grouped=len(set(queries)) == len(queries))


def _answering(rows: Iterable[Row]) -> Iterator[Row]:
    """The rows with an answer; of those that repeat one beside further documents, the first."""
    answered = set[tuple[str, str]]()
    for row in rows:
        known = (str(row.query), word_of(row.answer))
        if row.answer is not NOTHING and not (row.document is not NOTHING and known in answered):
            answered.add(known)
            yield row


def _each_listed(rows: Iterable[Row]) -> Iterator[Row]:
    """The documents of rows, of which one beside an answer lists those of its query: in a list, or in a text."""
    for row in rows:
        listed = row.document
        if row.answer is NOTHING:
            yield row
            continue
        yield Row(row.place, row.query)
        for document in filter(None, re.split(SEPARATORS, listed) if isinstance(listed, str) else listed):
            yield Row(row.place, row.query, document)


def run_in_blocks(find: Callable[[Note], FoundRows], source: Source, rule: IdRule, form: str) -> Run | None:
    """A run of documents that is found anew whenever its blocks are asked for; None where a file holds answers."""
    first, _ = _with_first_row(with_answer_words(find(Remarks().add), source.columns))
    if first is not None and first.answer is not NOTHING:
        return None
    tag = source.stem if first is None or first.tag in (None, "") else tag_of(first.tag)
    scored = first is not None and first.number is not NOTHING
    return Run(partial(_found_blocks, find, source, rule, tag, scored=scored), tag, scored, source.name, form)


def _found_blocks(
    find: Callable[[Note], FoundRows], source: Source, rule: IdRule, tag: str, *, scored: bool
) -> Iterator[Columns]:
    remarks = Remarks()
    blocks = blocks_of(with_answer_words(find(remarks.add), source.columns), ReadingRules.of(rule), tag)
    for block in with_remarks(blocks, remarks):
        if len(block.documents) and scored and block.scores is None:
            problem, remedy = "some documents have a score and some have none", "give all of them one, or none"
            raise InputError("mixed-forms", source.name, problem, found=block.queries[0], remedy=remedy)
        yield block


def with_remarks(blocks: Iterable[Columns], remarks: Remarks) -> Iterator[Columns]:
    """The blocks of a run, of which the first has the remarks on its file, and the last those on all scores."""
    for block in remarking_scores(blocks):
        block.remarks, remarks = remarks + block.remarks, Remarks()
        yield block


def _answers_of(rows: Iterable[Row], rules: ReadingRules, path: str, form: str, tag: str, remarks: Remarks) -> Answers:
    words, names, of_first = [], dict[str, object](), ""
    for row in rows:
        words.append(AnswerWord(_query_of(row, rules, names), word_of(row.answer), row.place))
        own = "" if row.tag is None else tag_of(row.tag)
        of_first = of_first or own
        if own != of_first and own:
            remarks.add("tag", f"{row.place}: {row.tag}")
    labels, unreadable = labels_of(words, remarks)
    return Answers(labels, of_first or tag, path, form, remarks, unreadable)


def _with_first_row(found: FoundRows) -> tuple[Row | None, FoundRows]:
    """The first row that holds more than a query, or else the last; and all that is found."""
    found, seen, first = iter(found), list[Row | Values | Entries](), None
    for piece in found:
        seen.append(piece)
        for first in (piece,) if isinstance(piece, Row) else piece.rows():
            if first.document is not NOTHING or first.answer is not NOTHING:
                return first, chain(seen, found)
    return first, seen


def blocks_of(found: FoundRows, rules: ReadingRules, tag: str) -> Iterator[Columns]:
    """What is found in a file as blocks of columns: at once where it is plain, else row by row."""
    names: dict[str, object] = {}
    for are_rows, some_pieces in itertools.groupby(found, lambda piece: isinstance(piece, Row)):
        if are_rows:
            yield block_of(cast(Iterable[Row], some_pieces), rules, Remarks(), tag, names)
            continue
        for piece in cast(Iterable[Values | Entries], some_pieces):
            block = block_of_dictionary(piece, rules) if isinstance(piece, Entries) else plain_block(piece, rules, tag)
            yield block_of(piece.rows(), rules, Remarks(), tag, names) if block is None else block


def block_of(
    rows: Iterable[Row], rules: ReadingRules, remarks: Remarks, tag: str, names: dict[str, object] | None = None
) -> Columns:
    """Rows as columns, those of one query that follow each other in one segment."""
    names = {} if names is None else names
    segments: list[str] = []
    starts: list[int] = []
    documents: list[str] = []
    scores: list[float] = []
    ranks: list[str] = []
    for row in rows:
        query = _query_of(row, rules, names)
        if not segments or query != segments[-1]:
            segments.append(query)
            starts.append(len(documents))
        if row.document is NOTHING or not _is_retrieved(row):
            continue
        documents.append(id_of(row.document, "document", row.place, rules))
        if row.number is not NOTHING:
            scores.append(score_of(row.number, row.place))
            if row.rank is not NOTHING:
                ranks.append(str(row.rank))
        elif row.rank is not NOTHING:
            scores.append(-(rank := score_of(row.rank, row.place, "rank")))
            if 0 < rank < 1:
                remedy = "name a column of scores with --columns score=NAME"
                raise row.place.fault("bad-score", "a rank is 1 or more", str(row.rank), remedy)
        if len(scores) not in (0, len(documents)):
            problem = "some documents have a score and some have none"
            raise row.place.fault("mixed-forms", problem, str(row.document), "give every document a score, or none")
        if row.tag is not None and tag_of(row.tag) != tag:
            remarks.add("tag", f"{row.place}: {row.tag}")
    return Columns(segments, [*starts, len(documents)], documents, scores or None, ranks or None, remarks or None)


#: whose items are what their methods say
DICTIONARIES: Final = frozenset({dict, defaultdict, OrderedDict})
#: what ids that are no texts and scores that are no numbers raise
NOT_PLAIN: Final = (TypeError, ValueError, OverflowError, struct.error)


def block_of_dictionary(entries: Entries, rules: ReadingRules) -> Columns | None:
    """The block that a dictionary is whose ids are plain texts and whose scores are finite; None for any other."""
    content, lists = entries.queries, list(entries.queries.values())
    kinds = set(map(type, lists))
    scored = kinds <= DICTIONARIES
    if not lists or type(content) not in DICTIONARIES or not (scored or kinds <= {list, tuple}):
        return None
    try:
        queries, lines = _plain_ids(content, len(lists), rules), lines_of(lists, rules, scored=scored)
    except NOT_PLAIN:
        return None
    if queries is None or lines is None:
        return None
    return Columns(queries, *lines)


def lines_of(
    lists: Sequence[Any], rules: ReadingRules, *, scored: bool = True
) -> tuple[npt.NDArray[np.int64], Ids, npt.NDArray[np.float64] | None] | None:
    """Where each dictionary from documents to scores, or list of documents, starts; the documents and scores of all.

    None where an id is not plain, or a score not a finite number.

    Raises:
        TypeError, ValueError, OverflowError, struct.error: likewise; see ``NOT_PLAIN``.
    """
    starts = np.zeros(len(lists) + 1, np.int64)
    np.fromiter(map(len, lists), np.int64, len(lists)).cumsum(out=starts[1:])
    n = int(starts[-1])
    documents = _plain_ids(map("\n".join, filter(None, lists)), n, rules)
    values = chain.from_iterable(map(methodcaller("values"), lists)) if scored else ()
    scores = np.frombuffer(struct.pack(f"{n}d", *values)) if scored else None
    if documents is None or not (scores is None or np.isfinite(scores).all()):
        return None
    may_be_truth = scores is not None and ((scores == 0) | (scores == 1)).any()
    if may_be_truth and not {bool, np.bool_}.isdisjoint(map(type, chain.from_iterable(map(dict.values, lists)))):
        return None
    return starts, documents, scores


def remarking_scores(blocks: Iterable[Columns]) -> Iterator[Columns]:
    """The blocks of a run, the last of which has what is remarked on all their scores.

    They may be decisions; or whole numbers whose thousands are marked with a point, 4.909 beside 735.
    """
    zeros = ones = n = dotted = hundreds = 0
    may_be_whole = True
    last: Columns | None = None
    for block in blocks:
        if last is not None:
            yield last
        last = block
        if block.scores is None:
            continue
        if zeros + ones == n:  # mostly the first say no
            ones += int((block.scores == 1).sum())
            zeros += int(((block.scores == 0) | (block.scores == -1)).sum())
            n += len(block.scores)
        if may_be_whole:
            sizes = np.abs(block.scores)
            is_whole = sizes == np.rint(sizes)
            others, thousands = sizes[~is_whole], 1000 * sizes[~is_whole]
            may_be_whole = bool(
                ((others > 1) & (others < 100) & (np.abs(thousands - np.rint(thousands)) < 1e-9)).all()
                and (sizes[is_whole] < 1000).all()
            )
            dotted, hundreds = dotted + len(others), hundreds + int((sizes[is_whole] >= 100).sum())
    if last is not None:
        if zeros and ones and zeros + ones == n:
            last.remarks += Remarks.of("binary-score")
        if may_be_whole and dotted and hundreds > 1:
            last.remarks += Remarks.of("thousands")
        yield last


def plain_block(found: Values, rules: ReadingRules, tag: str = "") -> Columns | None:
    """The block that rows are whose ids are plain texts and which hold numbers as such; None for any other.

    A relevance stands in the place of a score.
    """
    values = found.columns
    if not {"query", "document"} <= values.keys() or {"answer", "retrieved"} & values.keys():
        return None
    if not (n := len(values["query"])):
        return None
    try:
        queries, documents = (_plain_ids(values[role], n, rules) for role in ("query", "document"))
        decides = next((role for role in ("relevance", "score", "rank") if role in values), "")
        of_texts = partial(_relevances, place=found.place(0)) if decides == "relevance" else _floats
        scores = _numbers(values[decides], of_texts) if decides else None
        ranks = _ranks(values["rank"]) if "rank" in values and decides == "score" else None
    except (TypeError, ValueError, OverflowError, InputError):  # of which the rows will tell
        return None
    if queries is None or documents is None or not (scores is None or np.isfinite(scores).all()):
        return None
    if decides == "rank" and scores is not None and ((scores > 0) & (scores < 1)).any():
        return None
    if decides == "relevance" and not (
        scores is None or ((scores % 1 == 0) & (abs(scores) <= GREATEST_RELEVANCE)).all()
    ):
        return None
    if isinstance(documents, Picked):
        documents = documents.with_known_places()
    remarks, tags = Remarks(), values.get("tag", ())
    if {str(row_tag) for row_tag in tags if row_tag is not None} - {tag}:
        for i, row_tag in enumerate(tags):
            if row_tag is not None and tag_of(row_tag) != tag:
                remarks.add("tag", f"{found.place(i)}: {row_tag}")
    starts = changes(queries)
    scores = -scores.astype(np.float64) if scores is not None and decides == "rank" else scores
    return Columns(queries.select(starts[:-1]), starts, documents, scores, ranks, remarks)


def _plain_ids(texts: Iterable[Any], n: int, rules: ReadingRules) -> Ids | None:
    """Ids that are compared as they are written but for ``.txt``; None where one may not be, is wrong, or is none."""
    if isinstance(texts, Ids):
        ids = texts if rules.ids is exact_id or texts.raw.isascii() else None
    elif isinstance(texts, Column):
        ids = texts.ids()
        if ids is not None and not ids.are_plain():
            return None
    else:
        ids = Ids.plain(texts, n) if n else None
    if ids is None or not (rules.commas or not (b"," in ids.raw or b";" in ids.raw)):
        return None
    if rules.ids is not exact_id and b"x" in ids.raw and b".txt" in ids.raw:  # one letter is found faster than four
        ids = ids.without_ending()
        return ids if ids.length.min(initial=1) else None
    return ids


def _numbers(values: Sequence[Any], of_objects: Callable[[Sequence[Any]], npt.NDArray[Any]]) -> npt.NDArray[Any]:
    """A column as an array; one of objects by a function."""
    numbers = values.numbers() if isinstance(values, Column) else values
    return numbers if isinstance(numbers, np.ndarray) and numbers.dtype.kind != "b" else of_objects(values)


def _ranks(values: Sequence[Any]) -> Sequence[str] | npt.NDArray[Any]:
    """Ranks that are only compared: whole numbers as such, others, and those that are not there, as text."""
    ranks = _numbers(values, lambda objects: np.asarray([*objects]))
    return ranks if ranks.dtype.kind == "i" and ranks.ndim == 1 else [*map(str, values)]


def _floats(values: Sequence[Any]) -> npt.NDArray[np.float64]:
    kinds = set(map(type, values))
    texts = "".join(map(str, values)) if str in kinds else ""
    if kinds & {bool, np.bool_} or "_" in texts or not texts.isascii():
        raise ValueError  # float reads 1_0 as 10, digits of other scripts, and True as 1
    return np.fromiter(values, np.float64, len(values))


def _relevances(values: Sequence[Any], place: Place) -> npt.NDArray[np.float64]:
    level = {value: relevance_of(value, place) for value in set(values)}
    return np.fromiter(map(level.__getitem__, values), np.float64, len(values))
