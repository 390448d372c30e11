"""Ids of a run that match nothing in the gold: why, asked once a run, after judging.

Nothing else looks at how ids are written. A zero that only says that gold and run do not belong together is an error;
single ids that look wrong are remarks.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import islice
from math import log
from string import ascii_lowercase
from typing import Final, NamedTuple
from unicodedata import normalize

import numpy as np

from coliee_adapters import forms
from coliee_adapters.errors import MismatchError, quoted
from coliee_adapters.forms.vocabulary import LABELS, MEMORY
from coliee_adapters.ids import MASKS, BoolArray, Forms, Ids, IntArray
from coliee_adapters.records import (
    STATUTE_ID,
    Columns,
    Run,
    exam_of,
    is_folded,
    nfkc_folded,
    question_of,
    spelling_variants,
)
from coliee_adapters.remarks import EXAMPLES, Remarks
from coliee_ir.judging.judged import Finder, Judged
from coliee_ir.judging.qrels import Qrels

_SHOWN = 3
#: of so many ids the cause is sought
_TRIED = 1000
#: so many documents of a run are compared with the gold's, and so many queries with their own
SAMPLE = 20

#: what stands before the number of an article where it is written out
ARTICLE: Final = r"(?i)^(?:article|art\.?)[\W_]*(?=[0-9])"

_LOST = "leading zeros are lost: write ids as text of {width} digits"
_HYPHENS = "write hyphens between the numbers of articles, as in 398-20"
_PASSAGES = "if these are passages, `coliee-ir convert --chunks '_[0-9]+$'` makes documents of them"
_NO_PASSAGE = "the gold's ids end earlier: write R07-01-A, not R07-01-A_0"
_NO_ARTICLE = "424 and 424-2 are two articles: is this the gold of another task?"
_LIKE = ", as `coliee-ir convert RUN OUT --like GOLD` does"
#: of a run in memory, which no command reads
_IN_PYTHON: Final = " (in pandas, read ids with dtype=str, or correct them with .astype(str).str.zfill or .str.replace)"
_AS_GOLD: Final = f"write ids as the gold does{_LIKE}"
_ZERO: Final = '--decision no_overlap=zero (in Python decisions={"no_overlap": "zero"})'
_TRUE_SCORE: Final = f"; to score it anyway, use {_ZERO}"
_SWAPPED: Final = "query and document are swapped, here or in the gold: write the query first and then the document"
_IN: Final = {kind: f"{kind} id of this run is in the gold" for kind in ("query", "document")}

#: from how many times as many matches on ids are taken for written otherwise; what chance may give of that; and of how
#: many lines this is asked
_TIMES: Final = 5
_CHANCE: Final = 1e-6
_LINES: Final = 100_000

_TRUE_ZERO: Final = f"; to score it as 0 anyway, use {_ZERO}"


def diagnose(judged: Judged, run: Run, gold: str, *, refuse: bool = True, documents: bool = False) -> Remarks:
    """What looks wrong with the ids of a judged run; a run that belongs to another gold is refused.

    Where something looks wrong in the lines that judging kept, of a run read by other processes in its first block, or
    where nothing at all matches, the whole run is looked at.

    Refused is a zero that cannot be a fair one; with ``documents`` also that of a run without any document.
    """
    matched, findings = bool(judged.rank.any()), _DocumentFindings(judged)
    if judged.retrieved.any():
        if judged.first is not None:
            findings.add(judged.first)
        is_whole = judged.first is not None and len(judged.first.documents) == judged.retrieved.sum()
        if not is_whole and (judged.first is None or findings.remarks or not matched):
            findings = _DocumentFindings(judged)
            for block in run.blocks():
                findings.add(block)
                if judged.first is None and matched and not findings.remarks:
                    break
    if refuse and not matched:
        _refuse_mismatch(judged, run, gold, findings, documents)
    if refuse:
        _refuse_rewritable(judged, run, gold)
    return findings.remarks + _of_queries(judged)


def are_undoubted(qrels: Qrels, documents: Ids, starts: IntArray, ranks: IntArray) -> BoolArray:
    """Of n runs that answer all queries and no others, those of which ``diagnose`` has nothing to say; shape (n,).

    Args:
        qrels: the gold.
        documents: their documents, one run after the other, in ASCII.
        starts: shape (n + 1,); where those of each run start.
        ranks: shape (n, D); the rank of each judged document.
    """
    spelling = _Spelling(qrels)
    if not spelling.are_ascii or (spelling.digits is None and spelling.zeros.any()):
        return np.zeros(len(ranks), dtype=np.bool_)
    n_lines, matched = starts[1:] - starts[:-1], (ranks > 0).sum(axis=1)
    few = _TIMES * matched <= np.minimum(ranks.shape[1], n_lines)
    if few.any() and spelling.known.ids.isdisjoint(qrels.queries):  # which cannot be swapped with documents
        of_few = documents if few.all() else documents.select(np.repeat(few, n_lines))
        few &= (matched == 0) | spelling.known.is_meant_by_any(of_few)
    are_undoubted: BoolArray = ~few
    for lines in spelling.unexpected_forms(documents):
        if len(lines):
            are_undoubted[np.searchsorted(starts, lines, side="right") - 1] = False
    return are_undoubted


def _of_queries(judged: Judged) -> Remarks:
    """Extra queries that would be in the gold if they were written as there."""
    remarks, extra, known = Remarks(), sorted(judged.extra), judged.qrels.queries
    if not extra:
        return remarks
    padded = {query.lstrip("0"): query for query in known if query.startswith("0")}
    zeros = {query: padded[query] for query in extra if query in padded}
    forms = dict(spelling_variants(extra, known))
    for kind, meant in (("lost-zeros", zeros), ("other-form", forms)):
        remarks.each(kind, (f"query {query} for {known_query}" for query, known_query in meant.items()))
    ids, width = set(known), max(map(len, known), default=0)
    for query in islice((query for query in extra if query not in zeros and query not in forms), _TRIED):
        if (other := respelled(query, ids, width, "gold")) is not None and other.sure:
            remarks.add("other-spelling", f"query {query} for {other.text}")
    return remarks


def _refuse_mismatch(judged: Judged, run: Run, gold: str, findings: _DocumentFindings, documents: bool) -> None:
    """Refuse a run of which nothing is in the gold, unless that can be a fair zero."""
    qrels = judged.qrels
    if not judged.answered.any() and judged.extra and qrels.queries:
        extra, known = list(islice(judged.extra, _TRIED)), set(qrels.queries)
        pairs = dict.fromkeys(islice(_pairs(run), _LINES))
        if _n_judged(_swapped(pairs), qrels):
            cause = _SWAPPED
        else:
            remedy = _respelling_remedy(extra, known, {_PASSAGES: _NO_PASSAGE})
            cause = _cause("query", extra, known, remedy if _are_meant(extra, pairs, qrels) else "")
        raise _mismatch(run.path, f"no {_IN['query']}", extra, (gold, qrels.queries), cause)
    is_silent = not (judged.retrieved if documents and qrels.relevant().any() else judged.answered).any()
    if is_silent and not judged.extra and qrels.queries:
        problem, remedy = "no query has results in this run", "check what wrote it"
        error = MismatchError("mismatch", run.path, problem, remedy=remedy + _TRUE_ZERO)
        raise error.with_text_for_others(f"{problem}; {remedy}")
    known, lost, sample = set(qrels.documents), findings.remarks.count("lost-zeros"), list(findings.first.values())
    other_form = findings.remarks.examples("other-form")
    if known and judged.retrieved.any() and (lost or other_form or not findings.alike):
        of_law = all(map(STATUTE_ID.fullmatch, qrels.queries))
        if other_form:
            cause = _other_form_remedy(other_form[0], known)
        elif lost:
            cause = _LOST.format(width=max(map(len, known))) + _LIKE
        else:
            remedy = _respelling_remedy(sample, known, {_PASSAGES: _NO_ARTICLE} if of_law else {})
            cause = _cause("document", sample, known, remedy)
        raise _mismatch(run.path, f"no {_IN['document']}", sample, (gold, sorted(known)), cause, _TRUE_ZERO)


def _mismatch(
    run: str, what: str, of_run: Sequence[str], of_gold: tuple[str, Sequence[str]], cause: str, hint: str = ""
) -> MismatchError:
    """The error, which quotes the gold; without its ids and path, and what it matches, for others."""
    problem = f"{what} (run: {_quoted_examples(of_run)}; gold {of_gold[0]}: {_quoted_examples(of_gold[1])})"
    cause = cause.replace(_LIKE, _IN_PYTHON) if run == MEMORY else cause
    remedy = re.sub(r", as `.*` does$", "", re.sub(r" \(.*\)", "", cause))
    error = MismatchError("mismatch", run, problem, remedy=cause + hint)
    what = what.partition(" (")[0].replace("is in the gold", "is one of the task's")
    sentence = f"{what} (run: {_quoted_examples(of_run)})"
    return error.with_text_for_others(sentence if "gold" in remedy else f"{sentence}; {remedy}")


def _refuse_rewritable(judged: Judged, run: Run, gold: str) -> None:
    """Refuse a run of which hardly anything is in the gold and much would be if ids were written as there.

    That is so where rewriting, as ``convert --like`` does, or swapping query and document, gives ``_TIMES`` as many
    matches, or answered queries. Documents that only chance makes match do not count: if the queries were shuffled,
    so many matches would come with a probability of at most ``_CHANCE``, by Chernoff's bound for a Poisson variable.
    """
    qrels, matched, answered = judged.qrels, int((judged.rank > 0).sum()), int(judged.answered.sum())
    retrieved = int(judged.retrieved.sum()) + sum(judged.extra.values())
    few = _TIMES * matched <= min(len(qrels.documents), retrieved)  # of which no more can match
    if not (few or (judged.extra and _TIMES * answered <= len(qrels.queries))):
        return
    pairs = dict.fromkeys(islice(_pairs(run), _LINES))
    known = dict.fromkeys(qrels.texts)
    queries = respelled_like(dict.fromkeys((*judged.extra, *(query for query, _ in pairs))), qrels.queries)
    meant = {queries[query] for query in judged.extra if query in queries}
    n = answered + len(meant - {query for query, _ in pairs})
    if n >= max(_TIMES * answered, _TIMES) and 2 * len(meant) >= len(judged.extra):
        what = f"nearly no {_IN['query']} ({answered} of {len(qrels.queries)}, and {n} if ids are written as there)"
        cause = _respelling_remedy(queries, qrels.queries, {_PASSAGES: _NO_PASSAGE}) or _AS_GOLD
        raise _mismatch(run.path, what, list(queries), (gold, [*queries.values()]), cause, _TRUE_SCORE)
    rewritten, documents = _rewritten(pairs, queries, qrels)
    what = f"nearly no {_IN['document']} for its query ({matched} of {len(qrels.documents)}, and"
    if n := _clearly_more(rewritten, qrels, matched):
        changed, of_gold = (documents, known) if documents else (queries, dict.fromkeys(qrels.queries))
        what += f" {n + matched} if ids are written as there)"
        cause = _respelling_remedy(changed, of_gold, {}) or _AS_GOLD
        raise _mismatch(run.path, what, list(changed), (gold, [*changed.values()]), cause, _TRUE_SCORE)
    if n := _clearly_more({*_swapped(pairs)}.difference(pairs), qrels, matched):
        what += f" {n + matched} with query and document swapped)"
        raise _mismatch(run.path, what, [document for _, document in pairs], (gold, list(known)), _SWAPPED, _TRUE_SCORE)


def _pairs(run: Run) -> Iterator[tuple[str, str]]:
    for block in run.blocks():
        for query, first, last in block.segments():
            yield from ((query, document) for document in block.documents[first:last])


def _rewritten(
    pairs: Collection[tuple[str, str]], queries: Mapping[str, str], qrels: Qrels
) -> tuple[set[tuple[str, str]], dict[str, str]]:
    """Pairs that are others with these queries, and documents written as in the gold; and how those are written."""
    documents = respelled_like(dict.fromkeys(document for _, document in pairs), dict.fromkeys(qrels.texts))
    rewritten = {(queries.get(query, query), documents.get(document, document)) for query, document in pairs}
    return rewritten.difference(pairs), documents


def _swapped(pairs: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    return ((document, query) for query, document in pairs)


def _n_judged(pairs: Iterable[tuple[str, str]], qrels: Qrels) -> int:
    """How many of these pairs of query and document are judged."""
    texts, start = qrels.texts, qrels.start.tolist()
    judged_of = {query: set(texts[start[i] : start[i + 1]]) for i, query in enumerate(qrels.queries)}
    return sum(document in judged_of.get(query, ()) for query, document in pairs)


def _clearly_more(pairs: Collection[tuple[str, str]], qrels: Qrels, matched: int) -> int:
    """How many of these pairs of query and document are judged; 0 if not many more than matched, or by chance."""
    n, queries, times = _n_judged(pairs, qrels), {*qrels.queries}, Counter(qrels.texts)
    chance = sum(times[document] for query, document in pairs if query in queries) / max(len(queries), 1)
    if not n or matched + n < _TIMES * matched or n <= chance:
        return 0
    return n if n - chance - n * log(n / chance) < log(_CHANCE) else 0


def _respelling_remedy(ids: Iterable[str], known: Collection[str], remedies: Mapping[str, str]) -> str:
    """How to write ids of which a usual change makes any known, or what is in the place of that; empty without one."""
    width = max(map(len, known), default=0)
    respellings = (respelled(text, known, width, "gold") for text in ids)
    remedy = next((text.remedy for text in respellings if text is not None), "")
    return remedy and remedies.get(remedy, remedy + _LIKE)


def _are_meant(extra: Sequence[str], pairs: Collection[tuple[str, str]], qrels: Qrels) -> bool:
    """Whether it is no chance that usual changes make queries known: they do so of most, or documents match then."""
    known, width = set(qrels.queries), max(map(len, qrels.queries))
    respellings = {text: respelled(text, known, width, "gold") for text in extra}
    meant = {text: other.text for text, other in respellings.items() if other is not None}
    return 2 * len(meant) >= len(extra) or _clearly_more(_rewritten(pairs, meant, qrels)[0], qrels, 0) > 0


def _other_form_remedy(first: str, known: Collection[str]) -> str:
    """How to write ids that differ from known ones only in Unicode form."""
    how = _AS_GOLD if all(map(is_folded, known)) else "write gold and run in one form, such as NFKC"
    return f"ids differ only in Unicode form ({first}): {how}"


def _quoted_examples(ids: Iterable[str]) -> str:
    distinct = list(dict.fromkeys(ids))
    return ", ".join(quoted(text, 24) for text in distinct[:_SHOWN]) + (", …" if len(distinct) > _SHOWN else "")


_DIGITS = str.maketrans("OoIl", "0011")

_ERAS: Final = ("\nH", "\nR")
_LOWER: Final = tuple(ascii_lowercase)
_SIGNS: Final = tuple(sign for sign in map(chr, range(128)) if not sign.isalnum() and sign != "\n")
#: among what a change needs: that known ids begin with zeros
_FILLED: Final = "\N{FULLWIDTH DIGIT ZERO}"

#: What usually goes wrong with an id: how to write it, given how many characters known ids have; the remedy, with
#: ``{width}`` for that number and ``{where}`` for what holds the known ids; and one of what an ASCII id must hold to be
#: changed into a known one, where each id stands behind a line end.
_RESPELLINGS: tuple[tuple[Callable[[str, int], str], str, tuple[str, ...]], ...] = (
    (lambda text, width: text.zfill(width), _LOST, (_FILLED,)),
    (
        lambda text, _: forms.statute.article_named(text) or text,
        "write articles as 537 and 398-20",
        ("\na", "\nA", ".", "_", "("),
    ),
    (
        lambda text, _: re.sub(r"^([HR])([0-9])-", r"\g<1>0\2-", text),
        "write years with two digits: R02, not R2",
        _ERAS,
    ),
    (
        lambda text, _: re.sub(r"^([HR])0([0-9])-", r"\1\2-", text),
        "write years with one digit: R2, not R02",
        _ERAS,
    ),
    (
        lambda text, _: re.sub(r"^([HR][0-9]+)-([0-9])-", r"\1-0\2-", text),
        "write questions with two digits: R07-01-A, not R07-1-A",
        _ERAS,
    ),
    (
        lambda text, _: re.sub(r"^([HR][0-9]+)-0([0-9])-", r"\1-\2-", text),
        "write questions with one digit: R07-1-A, not R07-01-A",
        _ERAS,
    ),
    (
        lambda text, _: re.sub(r"^([HR][0-9]{1,2})[-_. ]?([0-9]{1,2})[-_. ]?([0-9A-Z]{1,2})$", r"\1-\2-\3", text),
        "write hyphens between the parts of ids, as in R07-01-A",
        _ERAS,
    ),
    (
        lambda text, width: text.lstrip("0").zfill(width),
        "write no more leading zeros than the {where} has",
        ("\n0", _FILLED),
    ),
    (
        lambda text, _: text.translate(_DIGITS) if re.fullmatch("[0-9OoIl]+", text) else text,
        "write the digits 0 and 1, not the letters O and l",
        tuple("OoIl"),
    ),
    (
        lambda text, _: re.sub(ARTICLE, "", text),
        "write the number of an article alone: 96, not Article_96",
        ("\na", "\nA"),
    ),
    (lambda text, _: re.sub(r"[\u2010-\u2015\u2212]", "-", text), "write hyphens as -, not as other dashes", ()),
    (lambda text, _: re.sub(r"[_の]|\.(?!0$)", "-", text), _HYPHENS, ("_", ".")),
    (lambda text, _: re.sub(r"\.0$", "", text), "write ids as text, not as decimal numbers", (".0",)),
    (
        lambda text, width: re.sub(r"\.0$", "", text).zfill(width),
        "write ids as text, not as decimal numbers",
        (".0", _FILLED),
    ),
    (lambda text, _: text.split(",")[0], "write one document a line", (",",)),
    (
        lambda text, _: text.lstrip("0"),
        "write ids without leading zeros",
        ("\n0",),
    ),
    (lambda text, _: re.sub(r"\.[A-Za-z]+$", "", text), "take the file name's ending off the ids", (".",)),
    (
        lambda text, _: re.split(r"[/\\]", text)[-1].removesuffix(".txt"),
        "take the folder off the ids",
        ("/", "\\", ".txt"),
    ),
    (lambda text, _: re.sub(r"^.*[^0-9A-Za-z]", "", text), "take what stands before the number off the ids", _SIGNS),
    (lambda text, _: re.sub(r"[^0-9A-Za-z][A-Za-z]?[0-9]+$", "", text), _PASSAGES, _SIGNS),
    (lambda text, _: text.upper(), "write the ids in upper case", _LOWER),
    (
        lambda text, _: question_of(text),
        "write the ids of questions as the {where} does: R07-01-A, not R7-1-ア",
        ("\nh", "\nr", *_ERAS),
    ),
    (
        lambda text, _: text.lstrip("=").strip("\"'[]():"),
        "take the quotation marks, brackets or colons off the ids",
        tuple("=\"'[]():"),
    ),
    (lambda text, _: normalize("NFC", text), "write ids in Unicode's form NFC", ()),
    (lambda text, _: normalize("NFD", text), "write ids in Unicode's form NFD", ()),
    (
        lambda text, _: nfkc_folded(text),
        "write ids in Unicode's form NFKC, without invisible characters",
        (),
    ),
)


#: Those of the above that take away a part of the id which may belong to it.
_UNSURE = frozenset(
    {"write one document a line", "take what stands before the number off the ids", _HYPHENS, _PASSAGES}
)


class Respelling(NamedTuple):
    """How an id should have been written, the remedy for all like it, and whether nothing else can be meant."""

    text: str
    remedy: str
    sure: bool


def respelled(text: str, known: Collection[str], width: int, where: str) -> Respelling | None:
    """What an id that is not known was probably meant to be; None if nothing usual makes it a known one."""
    for change, remedy, _ in _RESPELLINGS:
        if (changed := change(text, width)) != text and changed in known:
            return Respelling(changed, remedy.format(width=width, where=where), remedy not in _UNSURE)
    return None


class _Known:
    """Ids that others are compared with, and what is asked about them as a whole."""

    def __init__(self, ids: Collection[str]) -> None:
        self.ids = frozenset(ids)
        self.width = max(map(len, self.ids), default=0)
        filled = [*filter(re.compile("[+-]?0").match, self.ids)]
        self.are_filled, self.one_width = bool(filled), len({*map(len, filled)}) == 1

    def changes(self, texts: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
        """Of the usual changes of unknown ids those that make any known, by their places, and what they make of each.

        Most changes can do nothing to any of them, which is asked about all at once.
        """
        written = "\n".join(("", *texts))
        is_plain = written.isascii() and written.count("\n") == len(texts)
        written += _FILLED if self.are_filled else ""
        for i, (change, _, needs) in enumerate(_RESPELLINGS):
            if is_plain and not any(map(written.__contains__, needs)):
                continue
            changed = [change(text, self.width) for text in texts]
            if not self.ids.isdisjoint(changed):
                yield i, changed

    def is_meant_by_any(self, ids: Iterable[str]) -> bool:
        """Whether a usual change makes any of these known that is not."""
        unknown = [*set(ids).difference(self.ids)]
        return bool(unknown) and any(True for _ in self.changes(unknown))


def respelled_like(ids: Iterable[str], known: Collection[str], *, unsure: bool = True) -> dict[str, str]:
    """Id → how the known ids would write it, for those that change, by the usual changes that make most of them known.

    A change that makes one known is made to the others too, since not all need be judged, if they then look like known
    ones. What makes none known, or would make two ids the same, is not done. What may take away a part of an id is done
    only where hardly any is known without it, and only if ``unsure``: 424 and 424-2 are two articles.
    """
    now, of_gold = {id_: id_ for id_ in ids}, _Known(known)
    while unknown := [id_ for id_, text in now.items() if text not in of_gold.ids]:
        texts, n_best = [now[id_] for id_ in unknown], 0
        for i, changed in of_gold.changes(texts):
            if _RESPELLINGS[i][1] is _LOST and not of_gold.one_width:
                # how many zeros are lost is known of what becomes known alone
                changed = [text if text in of_gold.ids else old for old, text in zip(texts, changed, strict=True)]
            n = sum(map(of_gold.ids.__contains__, changed))
            is_sure = _RESPELLINGS[i][1] not in _UNSURE
            if n > n_best and (is_sure or (unsure and n >= _TIMES * (len(now) - len(unknown)))):
                best, n_best = changed, n
        if not n_best:
            break
        spelled = {id_: text for id_, text, old in zip(unknown, best, texts, strict=True) if text != old}
        times = Counter((now | spelled).values())
        spelled = {id_: text for id_, text in spelled.items() if times[text] == 1}
        alike = Forms.of(Ids.of(known)).include(Ids.of(spelled.values())).tolist()
        kept = {
            id_: text
            for (id_, text), is_alike in zip(spelled.items(), alike, strict=True)
            if is_alike or text in of_gold.ids
        }
        if not kept:
            break
        now |= kept
    return {id_: text for id_, text in now.items() if text != id_}


def _cause(kind: str, of_run: Collection[str], of_gold: Collection[str], remedy: str) -> str:
    """The likely cause, and its remedy; ``remedy`` is that of ids that are usually written so, if they are."""
    if variants := spelling_variants(of_run, of_gold):
        return _other_form_remedy(" for ".join(variants[0]), of_gold)
    if remedy:
        return remedy
    if kind == "document":
        if all(text.lower() in LABELS for text in of_run):
            return "these are answers; `coliee-ir convert RUN OUT --aggregate vote` makes one of several to a question"
        return "write document ids as in the gold, or check that this is the gold of the right task"
    eras = [{exam_of(text) for text in ids if STATUTE_ID.fullmatch(text)} for ids in (of_run, of_gold)]
    if all(eras):
        years = [", ".join(sorted(era)[:_SHOWN]) for era in eras]
        if eras[0] & eras[1]:
            return "the questions are of the same year and have other numbers: is the gold that of another file?"
        return f"the years differ: the run answers questions of {years[0]}, the gold holds {years[1]}"
    if any(eras):
        return "only one of the two has statute question ids (Tasks 3 to 5); is this the gold of another task?"
    widths = [{len(text) for text in ids if text.isdecimal()} for ids in (of_run, of_gold)]
    if all(widths) and widths[0].isdisjoint(widths[1]) and all(map(str.isdecimal, (*of_run, *of_gold))):
        run, gold = (" or ".join(map(str, sorted(width)[:_SHOWN])) for width in widths)
        return f"the run's ids have {run} digits and the gold's {gold}; is this the gold of another task?"
    if Forms.of(Ids.of(of_gold)).include_any(Ids.of(of_run)):
        return "the ids look alike; is this the gold of another year, or of the training set?"
    return "the ids look different; is this the gold of another task?"


#: bytes in a word; a word of digits 0, the upper half of each byte, and what takes all behind 9 out of that of digits
_WORD: Final = 8
_ZEROS, _HALVES, _SIXES = np.uint64(0x3030303030303030), np.uint64(0xF0F0F0F0F0F0F0F0), np.uint64(0x0606060606060606)

_ARTICLES = Ids.of(["96", "398-20", "398-20-2"]).forms()


@lru_cache(maxsize=4)  # a gold is asked about by run after run
class _Spelling:
    """How the ids of judged documents are written."""

    def __init__(self, qrels: Qrels) -> None:
        self.qrels, self.documents = qrels, (documents := qrels.documents)
        self.zeros = _begin_with_zero(documents)
        length = int(documents.length.max(initial=0))
        filled_up = self.zeros.any() and (documents.length == length).all() and documents.are_numbers().all()
        self.digits = length if filled_up else None  # how many each id has
        of_law = bool(qrels.queries) and STATUTE_ID.fullmatch(qrels.queries[0]) is not None
        self.are_articles = of_law and bool(len(documents)) and not _unlike_articles(documents).any()
        self.are_ascii = documents.raw.isascii()

    @cached_property
    def forms(self) -> Forms:
        """What the ids look like."""
        return Forms.of(self.documents)

    @cached_property
    def known(self) -> _Known:
        """The judged documents, each once."""
        return _Known(self.qrels.texts)

    def unexpected_forms(self, documents: Ids) -> tuple[IntArray, IntArray]:
        """Which of these are shorter numbers than the judged ones, and which are not in their form, where it is known.

        It is where all are articles, or numbers filled up with zeros, of which longer ones may exist if they do not
        begin with a zero.
        """
        none = np.zeros(0, np.int64)
        if self.are_articles:
            return none, np.flatnonzero(_unlike_articles(documents))
        if self.digits is None:
            return none, none
        suspects = documents.length != self.digits
        if self.digits <= _WORD:  # looked at in bulk: a digit is from 0x30 to 0x39
            (word,) = documents.words(1)
            suspects |= (((word ^ _ZEROS) | ((word + _SIXES) ^ _ZEROS)) & _HALVES & MASKS[self.digits]) != 0
        else:
            suspects |= ~documents.are_numbers()
        rows = np.flatnonzero(suspects)
        unlike = documents.select(rows)
        numbers = unlike.are_numbers()
        filled_up = (unlike.length > self.digits) & _begin_with_zero(unlike)
        return rows[numbers & (unlike.length < self.digits)], rows[~numbers | filled_up]


def _retrieving_themselves(lines: Columns, numbers: IntArray) -> list[str]:
    """Which of some queries stand first among their own documents."""
    return [
        f"query {query}"
        for i in numbers.tolist()
        if lines.documents[int(lines.starts[i])] == (query := lines.queries[i])
    ]


def _begin_with_zero(ids: Ids) -> BoolArray:
    return np.asarray(np.frombuffer(ids.raw, np.uint8)[ids.first] == ord("0"))


def _unlike_articles(documents: Ids) -> BoolArray:
    """Which ids are not written as articles are: 96, 398-20; a leading zero is none of their form."""
    forms_of_ids = documents.forms()
    alike: BoolArray = (forms_of_ids[:, None] == _ARTICLES).any(axis=1) & ~_begin_with_zero(documents)
    for i in np.flatnonzero(alike & (forms_of_ids != _ARTICLES[0])).tolist():
        alike[i] = "-0" not in documents[i]  # 2024-02-04 is a date
    return ~alike  # np.isin would load numpy.ma


class _DocumentFindings:
    """What is found about the documents of a run, block by block."""

    def __init__(self, judged: Judged) -> None:
        self.judged, self.qrels, self.remarks = judged, judged.qrels, Remarks()
        self.spelling = _Spelling(judged.qrels)
        self.first: dict[str, str] = {}  # query → document, where nothing matches
        self.alike = False  # whether any document has an id of the form of the gold's
        self.matched = bool(judged.rank.any())

    def add(self, block: Columns) -> None:
        """Explain a block. Where all its ids are written as the gold's there is nothing to look for."""
        numbers = self.qrels.numbers(block.queries)
        lines, numbers = block.of_segments(numbers >= 0), numbers[numbers >= 0]
        documents, spelling = lines.documents, self.spelling
        if not len(documents):
            return
        if not self.matched:
            for i in np.flatnonzero(lines.lengths).tolist():
                if len(self.first) < SAMPLE:  # a query may go on in the next block
                    self.first.setdefault(lines.queries[i], documents[int(lines.starts[i])])
            self.alike = self.alike or spelling.forms.include_any(documents)
        filled = np.flatnonzero(lines.lengths)
        if spelling.digits is not None and 2 * len(_retrieving_themselves(lines, filled[:SAMPLE])) > len(
            filled[:SAMPLE]
        ):
            self.remarks.each("self-retrieved", _retrieving_themselves(lines, filled))
        short, odd = spelling.unexpected_forms(documents)
        lost = bool(len(short)) or (spelling.digits is None and bool(spelling.zeros.any()))
        beyond = not (spelling.are_ascii and documents.raw.isascii())
        if lost or beyond:
            finds, rows = Finder(self.qrels, lines, numbers), self.qrels.rows(numbers)
            missed = self.judged.rank[rows] == 0
            segments, rows = np.repeat(np.arange(len(numbers)), self.qrels.sizes[numbers])[missed], rows[missed]
            if lost:
                self._note_lost_zeros(lines, segments, rows, short, finds)
            if beyond and len(rows):
                self._note_other_forms(lines, numbers, segments, rows)
        for i in odd.tolist():
            if is_folded(document := documents[i]):  # others were remarked
                self.remarks.add("odd-id", f"query {lines.queries[int(lines.segment[i])]}: {document}")

    def _note_lost_zeros(
        self, lines: Columns, segments: IntArray, rows: IntArray, short: IntArray, finds: Finder
    ) -> None:
        """Remark missed documents that would have been retrieved without their leading zeros, and others as short."""
        zeros = self.spelling.zeros[rows]
        texts = [self.qrels.texts[row] for row in rows[zeros].tolist()]
        stripped = [text.lstrip("0") for text in texts]
        known: set[tuple[str, str]] = set()
        for i in np.flatnonzero(finds.has(segments[zeros], stripped)).tolist() if texts else ():
            query = lines.queries[int(segments[zeros][i])]
            self.remarks.add("lost-zeros", f"query {query}: {stripped[i]} for {texts[i]}")
            known.add((query, stripped[i]))
        others = ((lines.queries[int(lines.segment[i])], lines.documents[int(i)]) for i in short)
        shown = islice((f"query {pair[0]}: {pair[1]}" for pair in others if pair not in known), EXAMPLES)
        self.remarks.add("short-id", *shown, n=len(short) - len(known))

    def _note_other_forms(self, lines: Columns, numbers: IntArray, segments: IntArray, rows: IntArray) -> None:
        """Remark documents that differ from a missed one of their query only in their Unicode form."""
        texts = self.qrels.texts
        meant = {
            (i, nfkc_folded(texts[row])): texts[row] for i, row in zip(segments.tolist(), rows.tolist(), strict=True)
        }
        for segment, document in zip(lines.segment.tolist(), lines.documents, strict=True):
            written = meant.get((segment, nfkc_folded(document)))
            if written is None or written == document:
                continue
            own = self.qrels.start[numbers[segment] : numbers[segment] + 2]
            if document not in texts[own[0] : own[1]]:
                self.remarks.add("other-form", f"query {lines.queries[segment]}: {document} for {written}")
