"""What there is to remark: what a finder found, in the words of ``kinds.REMARKS``; counts of it that add up."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import chain, islice

from coliee_adapters.errors import ColieeError, shortened
from coliee_adapters.kinds import OF_GOLD, REMARKS, TREATMENTS, Doubt

#: The kinds whose examples are lines by number.
NUMBERED = frozenset({"tag", "tag-words", "columns-beyond", "comment"})

_CHOICE = r"\(([^()|]*)\|([^()|]*)\)"

#: So many examples of each kind are kept; so many are named where the sentence lists them, each this long at most.
EXAMPLES, _LISTED, _WIDE = 3, 10, 120


def for_count(pattern: str, n: int, **fields: object) -> str:
    """A sentence for a count: ``{n}`` becomes the count, and of ``(a|b)`` the singular or the plural is kept.

    >>> for_count("{n} (line repeats|lines repeat) a document", 2)
    '2 lines repeat a document'
    """
    return re.sub(_CHOICE, r"\1" if n == 1 else r"\2", pattern).format(n=n, **fields)


class Remark(str):
    """A sentence, and the kind of remark that it is.

    Attributes:
        kind: one of ``REMARKS``; behind the name of a part and a colon where it is about that part of a submission
            alone. Where an error is told as a remark, the error's.
        for_others: the sentence for those who may not see the gold: letters, public pages, bundles.
        is_doubt: whether it puts the score in doubt.
    """

    __slots__ = ("for_others", "is_doubt", "kind")
    kind: str
    for_others: str
    is_doubt: bool

    def __new__(cls, kind: str, sentence: str, for_others: str = "", is_doubt: bool = False) -> Remark:
        """A sentence of a kind; ``for_others`` only where it holds what only the gold does."""
        self = super().__new__(cls, sentence)
        self.kind, self.for_others, self.is_doubt = kind, for_others or sentence, is_doubt
        return self

    @classmethod
    def of_error(cls, error: ColieeError) -> Remark:
        """An error told as a remark."""
        return cls(error.kind, str(error), error.for_others)

    @classmethod
    def of(cls, row: str, examples: Collection[str] = (), n: int | None = None, **fields: object) -> Remark:
        """What was found, in the words of a row of ``REMARKS``: ``n`` times, by default as often as there are examples.

        >>> Remark.of("team-list.missing", ["A1", "A2"])
        '2 runs are not in the teams file: A1, A2'
        """
        pattern, n = REMARKS[row], len(examples) if n is None else n
        if "{examples}" in pattern:
            listed = ", ".join(shortened(example, _WIDE) for example in islice(examples, _LISTED))
            fields["examples"] = listed + f" and {len(examples) - _LISTED} more" * (len(examples) > _LISTED)
        elif examples:
            pattern += " (first: {first})"
            fields["first"] = "; ".join(map(shortened, islice(examples, EXAMPLES)))
        kind = row.partition(".")[0]
        without = for_count(REMARKS[row], n, **fields) if kind in OF_GOLD else ""
        return cls(kind, for_count(pattern, n, **fields), without, isinstance(REMARKS[row], Doubt))

    def __getnewargs__(self) -> tuple[str, str, str, bool]:  # type: ignore[override]
        return self.kind, str(self), self.for_others, self.is_doubt

    def of_part(self, part: str, name: str) -> Remark:
        """The same of a part of a submission, by its name in kinds and that in sentences."""
        return Remark(f"{part}:{self.kind}", f"{name}: {self}", f"{name}: {self.for_others}", self.is_doubt)


def as_json(remarks: Iterable[str]) -> dict[str, list[str]]:
    """Remarks as JSON holds them: sentences, and their kinds; the kind of one that has none is empty."""
    remarks = list(remarks)
    return {"remarks": remarks, "remark_kinds": [getattr(remark, "kind", "") for remark in remarks]}


class Remarks:
    """Counts of what was tolerated, by kind, with the first few places of each. Two Remarks add.

    >>> remarks = Remarks()
    >>> remarks.add("duplicate", "line 2: 001 013")
    >>> remarks.add("duplicate", "line 9: 001 014")
    >>> print(*remarks.sentences("fuse"))
    2 duplicate documents within a query are ignored; the highest rank counts (first: line 2: 001 013; line 9: 001 014)
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
        REMARKS[kind]  # a KeyError for what is none
        if n > 0:
            before, kept = self._found.get(kind, (0, ()))
            if len(kept) < EXAMPLES:
                kept = (*kept, *filter(None, examples))[:EXAMPLES]
            self._found[kind] = before + n, kept

    def each(self, kind: str, examples: Iterable[str]) -> None:
        """Count each of these."""
        if examples := list(examples):
            self.add(kind, *examples, n=len(examples))

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
        kept._found = {kind: counts for kind, counts in self._found.items() if kind not in kinds}
        return kept

    def __bool__(self) -> bool:
        return bool(self._found)

    def __eq__(self, other: object) -> bool:
        return self._found == other._found if isinstance(other, Remarks) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # mutable

    def __repr__(self) -> str:
        return f"Remarks({self._found!r})"

    def sentences(self, done: Mapping[str, str] | str = "") -> Iterator[Remark]:
        """One sentence a kind, in the order of ``REMARKS``; ``done`` says what was done, by kind, or is a command."""
        for kind in REMARKS if self else ():
            n, examples = self._found.get(kind, (0, ()))
            if n:
                about = kind.partition(".")[0]
                clause = TREATMENTS.get(about, {}).get(done) if isinstance(done, str) else done.get(about)
                yield Remark.of(kind, examples, n, decision=for_count(clause or "reported", n))
