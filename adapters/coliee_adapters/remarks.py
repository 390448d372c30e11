"""What was tolerated while reading: counted by kind, the first of each kind kept, and added up over parts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain

from coliee_adapters.errors import shortened

#: Every kind of remark and its sentence. ``{n}`` is the count, ``(a|b)`` singular or plural, ``{decision}`` what was
#: done about it where that is the caller's choice; a kind's examples follow in brackets, or stand for ``{examples}``.
#: The order is the order in which remarks are told: first what moves a score.
KINDS = {
    "lost-zeros": "{n} (id looks|ids look) as if leading zeros were lost, and so (matches|match) nothing",
    "short-id": "{n} retrieved (document has|documents have) fewer digits than the gold's; were leading zeros lost?",
    "odd-id": "{n} retrieved (document is|documents are) not written as the gold's are, and so (matches|match) nothing",
    "other-form": "{n} (id differs|ids differ) from the gold's only in Unicode form, and so (matches|match) nothing; "
    "write gold and run in one form, such as NFKC",
    "other-spelling": "{n} query (id is|ids are) spelled differently in the gold, and so (matches|match) nothing",
    "no-match": "no retrieved document is judged in the gold, so the score is zero",
    "upside-down": "the ranking may be upside down: AP is {examples} with every list reversed; are the worst documents "
    "first?",
    "other-tag": "the answers have another run tag: {examples}",
    "no-score-reaches": "no score of the run reaches the threshold; was the rule tuned on scores on another scale?",
    "extra-query": "{n} (query that is|queries that are) not in the gold (is|are) {decision}",
    "unanswered-query": "{n} (query has|queries have) no results in this run and {decision}",
    "nothing-retrieved": "{n} (query has|queries have) an empty result list and {decision}",
    "duplicate": "{n} duplicate (document|documents) of the same query {decision}",
    "empty-gold": "{n} (query has|queries have) no relevant document in the gold and {decision}",
    "judged-only": "{n} (query has|queries have) judged documents but no relevant one in the gold, and (scores|score) "
    "0 in trec_eval's measures",
    "unjudged-query": "{n} (query has|queries have) no judged document in the gold, and trec_eval's measures leave "
    "(it|them) out",
    "relevance-not-reached": "{n} (measure counts|measures count) no document, as none in the gold is that relevant",
    "absent-exclusion": "the protocol excludes {n} (query|queries) that the gold does not have",
    "unknown-claim": "{n} accepted (claim is|claims are) not in the gold and (counts|count) as wrong",
    "undefined-f1": "{n} (instance has|instances have) no True claim in gold and prediction; the F1 {decision}",
    "tie": "{n} (query has|queries have) documents of equal score; the greater id ranks first, as in trec_eval",
    "ungrouped": "the lines of a query are not all together; they were grouped by query",
    "read-as-score": "the lines have no run tag: their last column, numbers that differ, was read as the score",
    "read-as-rank": "the lines have no run tag: their last column, which numbers documents, was read as the rank",
    "ignored-column": "{n} (column|columns) of numbers (is|are) ignored",
    "binary-score": "the scores are all 0 or 1, and documents with 0 count as retrieved; if 1 means retrieved, use "
    "`--columns retrieved=NAME`",
    "rank-order": "{n} (query has|queries have) ranks that disagree with scores; the scores decide, as in trec_eval",
    "tag": "{n} (line has|lines have) another run tag than the first line",
    "tag-words": "{n} (line has|lines have) a run tag of several words; the first word counts, as in trec_eval",
    "columns-beyond": "{n} (line has|lines have) more than 6 columns and a number in the sixth; the fifth is the score",
    "no-tag": "{n} (line has|lines have) no run tag; the run is named after its file",
    "unreadable-answer": "{n} (answer is|answers are) neither Y nor N and {decision}",
    "label-form": "{n} (label is|labels are) written otherwise than Y or N and (was|were) understood",
    "comment": "ignored {n} comment (line|lines)",
    "gold-comment": "ignored {n} comment (line|lines) in the gold",
    "gold-duplicate": "{n} duplicate (document|documents) of the same query in the gold (is|are) ignored",
    "missing-article": "{n} gold (article is|articles are) marked [MISSING ARTICLE n]; n is taken as the number",
    "no-head": "{n} gold (pair has|pairs have) article text without an article number; it names no article",
    "gold-link": "{n} (link that leads|links that lead) out of the gold's folder (was|were) not followed",
    "not-gold": "{n} (file|files) in the gold's folder (is|are) not a gold and (was|were) skipped",
    "partial-answers": "{n} (query has|queries have) only articles or only an answer, and (counts|count) as wrong in "
    "Accuracy",
    "gold-itself": "the run equals the gold in every judgement; is it the gold?",
}

#: The kinds whose examples are lines by number.
NUMBERED = frozenset({"tag", "tag-words", "columns-beyond", "comment"})

_CHOICE = r"\(([^()|]*)\|([^()|]*)\)"

#: So many examples of each kind are kept.
EXAMPLES = 3


def worded(pattern: str, n: int, examples: str = "") -> str:
    """A sentence for a count: ``{n}`` becomes the count, and of ``(a|b)`` the singular or the plural is kept.

    >>> worded("{n} (line repeats|lines repeat) a document", 2)
    '2 lines repeat a document'
    """
    return re.sub(_CHOICE, r"\1" if n == 1 else r"\2", pattern).format(n=n, examples=examples)


class Remark(str):
    """A sentence, and the kind of remark that it is.

    >>> Remark("duplicate", "2 duplicate documents of the same query are ignored").kind
    'duplicate'

    Attributes:
        kind: one of ``KINDS``, or of what is remarked on scores; behind the name of a part and a colon where it is
            about that part of a submission alone.
    """

    __slots__ = ("kind",)
    kind: str

    def __new__(cls, kind: str, sentence: str) -> Remark:
        """A sentence of a kind."""
        self = super().__new__(cls, sentence)
        self.kind = kind
        return self

    def __getnewargs__(self) -> tuple[str, str]:  # type: ignore[override]
        return self.kind, str(self)

    def of_part(self, part: str, name: str) -> Remark:
        """The same of a part of a submission, by its name in kinds and that in sentences."""
        return Remark(f"{part}:{self.kind}", f"{name}: {self}")


def told_of(remarks: Iterable[str]) -> dict[str, list[str]]:
    """Remarks as JSON holds them: sentences, and their kinds; the kind of one that has none is empty."""
    remarks = list(remarks)
    return {"remarks": remarks, "remark_kinds": [getattr(remark, "kind", "") for remark in remarks]}


class Remarks:
    """Counts of what was tolerated, by kind, with the first few places of each. Two Remarks add.

    >>> remarks = Remarks()
    >>> remarks.add("duplicate", "line 2: 001 013")
    >>> remarks.add("duplicate", "line 9: 001 014")
    >>> list(remarks.sentences({"duplicate": "are ignored"}))
    ['2 duplicate documents of the same query are ignored (first: line 2: 001 013; line 9: 001 014)']
    """

    __slots__ = ("_found",)

    def __init__(self) -> None:
        self._found: dict[str, tuple[int, tuple[str, ...]]] = {}

    @classmethod
    def of(cls, kind: str, *examples: str) -> Remarks:
        """Remarks of one kind."""
        self = cls()
        self.add(kind, *examples)
        return self

    def add(self, kind: str, *examples: str, n: int = 1) -> None:
        """Count ``n`` more of a kind; examples are kept while there are fewer than three."""
        KINDS[kind]  # a KeyError for what is none
        if n > 0:
            before, kept = self._found.get(kind, (0, ()))
            if len(kept) < EXAMPLES:
                kept = (*kept, *filter(None, examples))[:EXAMPLES]
            self._found[kind] = before + n, kept

    def each(self, kind: str, examples: Iterable[str]) -> None:
        """Count each of these."""
        self.add(kind, *(examples := list(examples)), n=len(examples))

    def count(self, kind: str) -> int:
        """How many of this kind were counted; 0 if none."""
        return self._found.get(kind, (0, ()))[0]

    def examples(self, kind: str) -> tuple[str, ...]:
        """The first places of this kind, at most three."""
        return self._found.get(kind, (0, ()))[1]

    def __iter__(self) -> Iterator[tuple[str, int, tuple[str, ...]]]:
        """Each kind, how many were counted, and the first places."""
        return ((kind, n, examples) for kind, (n, examples) in self._found.items())

    def __add__(self, other: Remarks) -> Remarks:
        total = Remarks()
        for kind, n, examples in chain(self, other):
            total.add(kind, *examples, n=n)
        return total

    def without(self, *kinds: str) -> Remarks:
        """The same without what was counted of these kinds."""
        kept = Remarks()
        kept._found = {kind: found for kind, found in self._found.items() if kind not in kinds}
        return kept

    def __bool__(self) -> bool:
        return bool(self._found)

    def __eq__(self, other: object) -> bool:
        return self._found == other._found if isinstance(other, Remarks) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # mutable

    def __repr__(self) -> str:
        return f"Remarks({self._found!r})"

    def sentences(self, decisions: Mapping[str, str] | None = None) -> Iterator[Remark]:
        """One sentence a kind, in the order of ``KINDS``; ``decisions`` are the clauses of what was done."""
        for kind, pattern in KINDS.items() if self else ():
            n, examples = self._found.get(kind, (0, ()))
            if n:
                first = "; ".join(map(shortened, examples))
                pattern = pattern.replace("{decision}", (decisions or {}).get(kind, "reported"))
                rest = f" (first: {first})" if first and "{examples}" not in pattern else ""
                yield Remark(kind, worded(pattern, n, first) + rest)
