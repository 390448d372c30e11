"""Gold and run that do not belong together: a zero that only says so is an error, not a score."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import islice
from unicodedata import normalize

from coliee_adapters.classes import NamedTuple
from coliee_adapters.errors import MismatchError, quoted
from coliee_adapters.forms.statute import STATUTE_ID, exam_of
from coliee_adapters.ids import Forms, Ids
from coliee_adapters.normal_forms import folded, mistaken, normalised
from coliee_ir.judging.judged import Judged
from coliee_ir.judging.qrels import Qrels

_SHOWN = 3
#: of so many ids the cause is sought
_TRIED = 1000


_LOST = "leading zeros are lost: write ids as text of {width} digits"
_HYPHENS = "write hyphens between the numbers of articles, as in 398-20"
_OTHER_FORM = (
    "ids differ only in Unicode form ({first}): `coliee-ir convert --normalise` writes gold and run in one form"
)
_TRUE_ZERO = "; if the zero is true, --decision no_overlap=zero scores it"


def check(judged: Judged, gold: str, run: str, *, refuse: bool = True, documents: bool = False) -> bool:
    """Whether the run retrieved any judged document; what cannot be a fair zero is refused.

    All documents of judged queries are looked at, whatever else the run holds.

    Answers are documents Y and N here, and have the same form on both sides.
    """
    qrels = judged.qrels
    if judged.rank.any() or not refuse:
        return bool(judged.rank.any())
    if not judged.answered.any() and judged.extra and qrels.queries:
        extra = list(islice(judged.extra, _TRIED))
        raise _mismatch(run, gold, "query", extra, qrels.queries, _cause("query", extra, set(qrels.queries)))
    is_silent = not (judged.retrieved if documents and judged.qrels.relevant().any() else judged.answered).any()
    if is_silent and not judged.extra and qrels.queries:
        remedy = "check what wrote it" + _TRUE_ZERO
        raise MismatchError("mismatch", run, "no query has results in this run", remedy=remedy)
    known = set(qrels.documents)
    lost = judged.remarks.count("lost-zeros") > 0
    other_form = judged.remarks.examples("other-form")
    if known and judged.retrieved.any() and (lost or other_form or not judged.alike):
        retrieved = [document for _, document in judged.sample]
        if other_form:
            cause = _OTHER_FORM.format(first=other_form[0])
        else:
            cause = _LOST.format(width=max(map(len, known))) if lost else _cause("document", retrieved, known)
        raise _mismatch(run, gold, "document", retrieved, sorted(known), cause + _TRUE_ZERO)
    return False


def _mismatch(
    run: str, gold: str, kind: str, of_run: Sequence[str], of_gold: Sequence[str], remedy: str
) -> MismatchError:
    what = {"query": "no query of the run is in the gold", "document": "no document of the run is in the gold"}[kind]
    problem = f"{what}: the run has {_shown(of_run)}; {gold} has {_shown(of_gold)}"
    return MismatchError("mismatch", run, problem, remedy=remedy)


def _shown(ids: Iterable[str]) -> str:
    distinct = list(dict.fromkeys(ids))
    return ", ".join(quoted(text, 24) for text in distinct[:_SHOWN]) + (", …" if len(distinct) > _SHOWN else "")


_DIGITS = str.maketrans("OoIl", "0011")

#: What usually goes wrong with an id: how to write it, given how many characters known ids have, and the remedy, with
#: ``{width}`` for that number and ``{where}`` for what holds the known ids.
_RESPELLINGS: tuple[tuple[Callable[[str, int], str], str], ...] = (
    (lambda text, width: text.zfill(width), _LOST),
    (
        lambda text, _: re.sub(r"^([HR])([0-9])-", r"\g<1>0\2-", text),
        "the year has two digits in the {where}: R02, not R2",
    ),
    (lambda text, _: re.sub(r"^([HR])0([0-9])-", r"\1\2-", text), "years have one digit in the {where}: R2, not R02"),
    (
        lambda text, _: re.sub(r"^([HR][0-9]+)-([0-9])-", r"\1-0\2-", text),
        "questions have two digits in the {where}: R07-01-A, not R07-1-A",
    ),
    (
        lambda text, _: re.sub(r"^([HR][0-9]+)-0([0-9])-", r"\1-\2-", text),
        "questions have one digit in the {where}: R07-1-A, not R07-01-A",
    ),
    (
        lambda text, _: re.sub(r"^([HR][0-9]{1,2})[-_. ]?([0-9]{1,2})[-_. ]?([0-9A-Z]{1,2})$", r"\1-\2-\3", text),
        "write hyphens between the parts of ids, as in R07-01-A",
    ),
    (lambda text, width: text.lstrip("0").zfill(width), "write no more leading zeros than the {where} has"),
    (
        lambda text, _: text.translate(_DIGITS) if re.fullmatch("[0-9OoIl]+", text) else text,
        "write the digits 0 and 1, not the letters O and l",
    ),
    (lambda text, _: re.sub(r"[_.の]", "-", text), _HYPHENS),
    (lambda text, _: re.sub(r"\.0$", "", text), "ids were written as decimal numbers: write text"),
    (lambda text, width: re.sub(r"\.0$", "", text).zfill(width), "ids were written as decimal numbers: write text"),
    (lambda text, _: text.split(",")[0], "write one document a line"),
    (
        lambda text, _: text.lstrip("0"),
        "the {where} has no leading zeros and the run has: write ids as the {where} does",
    ),
    (lambda text, _: re.sub(r"\.[A-Za-z]+$", "", text), "take the file name's ending off the ids"),
    (lambda text, _: re.split(r"[/\\]", text)[-1].removesuffix(".txt"), "take the folder off the ids"),
    (lambda text, _: re.sub(r"^.*[^0-9A-Za-z]", "", text), "take what stands before the number off the ids"),
    (lambda text, _: text.upper(), "write the ids in upper case"),
    (lambda text, _: text.strip("\"'[]()"), "take the quotation marks or brackets off the ids"),
    (lambda text, _: normalised(text, "NFC"), "ids of the {where} are in Unicode's form NFC"),
    (lambda text, _: normalize("NFD", text), "ids of the {where} are in Unicode's form NFD"),
    (lambda text, _: folded(text), "ids of the {where} are in Unicode's form NFKC, without invisible characters"),
)


#: Those of the above that take away a part of the id which may belong to it.
_UNSURE = frozenset({"write one document a line", "take what stands before the number off the ids", _HYPHENS})


class Respelling(NamedTuple):
    """How an id should have been written, the remedy for all like it, and whether nothing else can be meant."""

    text: str
    remedy: str
    sure: bool


def respelled(text: str, known: Collection[str], width: int, where: str) -> Respelling | None:
    """What an id that is not known was probably meant to be; None if nothing usual makes it a known one."""
    for change, remedy in _RESPELLINGS:
        if (changed := change(text, width)) != text and changed in known:
            return Respelling(changed, remedy.format(width=width, where=where), remedy not in _UNSURE)
    return None


def _cause(kind: str, of_run: Collection[str], of_gold: Collection[str]) -> str:
    """The likely cause, found by trying what usually goes wrong, and its remedy."""
    if found := mistaken(of_run, of_gold):
        text, meant, form = found[0]
        return _OTHER_FORM.format(first=f"{text} for {meant}, {form}")
    width = max(map(len, of_gold))
    for change, remedy in _RESPELLINGS:
        if any(change(text, width) != text and change(text, width) in of_gold for text in of_run):
            return remedy.format(width=width, where="gold")
    if kind == "document":
        return "write them as the gold does; is the gold that of another task?"
    eras = [{exam_of(text) for text in ids if STATUTE_ID.fullmatch(text)} for ids in (of_run, of_gold)]
    if all(eras):
        years = [", ".join(sorted(era)[:_SHOWN]) for era in eras]
        if eras[0] & eras[1]:
            return "the questions are of the same year and have other numbers: is the gold that of another file?"
        return f"the years differ: the run answers questions of {years[0]}, the gold holds {years[1]}"
    if any(eras):
        return "one of the two is of statute law (Tasks 3 to 5) and the other is not: is the gold that of another task?"
    if Forms.of(Ids.of(of_gold)).include_any(Ids.of(of_run)):
        return "the ids have the same form: is the gold that of another year, or of the training set?"
    return "the ids have another form: is the gold that of another task?"


def misspelled(extra: Collection[str], qrels: Qrels) -> list[tuple[str, str]]:
    """Queries of a run that would be in the gold if they were written as there: (as written, as in the gold)."""
    if not extra:
        return []
    known = set(qrels.queries)
    width = max(map(len, known), default=0)
    found = ((query, respelled(query, known, width, "gold")) for query in islice(sorted(extra), _TRIED))
    return [(query, meant.text) for query, meant in found if meant is not None and meant.sure]


def lost_zeros(extra: Collection[str], qrels: Qrels) -> list[tuple[str, str]]:
    """Queries of a run that would be in the gold with leading zeros: (as written, as in the gold)."""
    if not extra:
        return []
    padded = {query.lstrip("0"): query for query in qrels.queries if query.startswith("0")}
    return [(query, padded[query]) for query in sorted(extra) if query in padded]
