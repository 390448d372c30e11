"""What there is to remark on a scored submission: found here, put into words in ``wording``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import numpy as np

from coliee_adapters.classes import NamedTuple
from coliee_adapters.forms import tort
from coliee_adapters.remarks import Remarks
from coliee_ir.judging.judged import Judged
from coliee_ir.judging.upside_down import UpsideDown, upside_down
from coliee_ir.measures import Delegated, Measure, Parts
from coliee_ir.measures.base import by_part
from coliee_ir.measures.sets import counts
from coliee_ir.scoring.measuring import Choice, Counted
from coliee_ir.scoring.prepared import Prepared
from coliee_ir.scoring.submission import Records


class Noted(NamedTuple):
    """What there is to remark."""

    remarks: Remarks  # what was accepted in the gold and in the main parts, and what the counts show
    # the same of parts that have remarks of their own: ``long``, ``plaintiff``, ``defendant``, and those that a
    # protocol names
    of_part: Mapping[str, Remarks]
    other_tag: str | None  # the run tag of the answers, where the run has another; else None
    left_out: tuple[str, ...]  # the official measures that could not be computed
    upside_down: Mapping[str, UpsideDown]  # part → the average precision of a ranking that is better reversed
    gold_itself: bool  # whether a part equals the gold in every judgement
    unjudged: tuple[str, ...]  # where trec_eval computes, the queries without a judged document, which it leaves out


def note(records: Records, parts: Parts, choice: Choice, counted: Counted, against: Prepared) -> Noted:
    """Find what there is to remark. Args: what the rooms before this one made."""
    delegated = any(isinstance(measure, Delegated) for measure in choice.measures)
    main = next(parts[part] for part in against.rules.parts if part in parts)
    other = records.answers is not None and "documents" in parts and records.answers.tag != records.main.tag
    return Noted(
        remarks=_remarks(parts, choice.measures, counted, against),
        of_part={
            part: _of_part(part, parts[part], choice.measures, against)
            for part in ("long", *tort.SIDES, *against.rules.others)
            if part in parts
        },
        other_tag=records.answers.tag if records.answers is not None and other else None,
        left_out=choice.left_out,
        upside_down=_upside_down(parts, choice.measures, against),
        gold_itself=any(_is_gold(part, parts[part]) for part in (*against.rules.parts, "long") if part in parts),
        unjudged=tuple(against.named(main.qrels.sizes == 0)) if delegated else (),
    )


#: what plays no part where no measure looks at ranks
OF_ORDER: Final = ("tie", "rank-order")


def beside_the_point(measures: Sequence[Measure], against: Prepared) -> set[str]:
    """The kinds of remark that are about other measures than these."""
    kinds = set[str]()
    if not any(measure.looks_at_ranks for measure in measures):
        kinds.update(OF_ORDER)
    if not any(isinstance(measure, Delegated) for measure in measures):
        kinds.update(("judged-only", "unjudged-query"))
    if not _matters_without_relevant(measures, against):
        kinds.add("empty-gold")
    if not any(measure.least_relevance > 1 for measure in measures):
        kinds.add("relevance-not-reached")
    return kinds


def _remarks(parts: Parts, measures: Sequence[Measure], counted: Counted, against: Prepared) -> Remarks:
    remarks = against.gold.remarks + Remarks()
    for part in against.rules.parts:
        if part in parts:
            ranked = "long" not in parts and any(measure.looks_at_ranks for measure in measures)
            remarks += parts[part].remarks if ranked or part != "documents" else parts[part].remarks.without(*OF_ORDER)
    if "documents" in parts:
        judged, totals = parts["documents"], counted.totals
        empty = totals.relevant == 0
        if against.rules.claims:
            _add(remarks, "undefined-f1", against.named(empty & (totals.retrieved == 0)))
            _add_unknown_claims(remarks, judged, against)
        elif _matters_without_relevant(by_part(measures)["documents"], against):
            _add(remarks, "empty-gold", against.named(empty))
        if any(isinstance(measure, Delegated) for measure in measures):
            _add(remarks, "judged-only", against.named(empty & (judged.qrels.sizes > 0)))
        if against.rules.ranked:
            silent = counted.answered & (judged.retrieved == 0) & (judged.qrels.relevant() > 0)
            _add(remarks, "nothing-retrieved", against.named(silent))
    _add(remarks, "extra-query", counted.extra)
    in_part = counted.in_part
    _add(remarks, "unanswered-query", against.named(~counted.answered & ~in_part))
    if any(measure.name == "Accuracy" for measure in measures):
        _add(remarks, "partial-answers", against.named(in_part))
    else:  # what is there is scored without the rest
        needed = {part for measure in measures for part in measure.needs if part in against.rules.parts}
        lacking = [~parts[part].answered for part in needed]
        _add(remarks, "unanswered-query", against.named(in_part & np.logical_or.reduce(lacking, initial=False)))
    return remarks


def _add_unknown_claims(remarks: Remarks, judged: Judged, against: Prepared) -> None:
    """Remark accepted claims that the gold does not have; its file names all that there are."""
    unknown = judged.retrieved - judged.qrels.sums(judged.rank > 0)
    for query, n in zip(against.queries, unknown.tolist(), strict=True):
        if against.gold.format == tort.FORMAT:
            remarks.add("unknown-claim", f"instance {query}", n=n)


def _matters_without_relevant(measures: Iterable[Measure], against: Prepared) -> bool:
    """Whether queries without a relevant document matter to measures."""
    return any(measure.without_relevant(against.decisions) for measure in measures)


def _of_part(part: str, judged: Judged, measures: Iterable[Measure], against: Prepared) -> Remarks:
    """The remarks of a long list; of others only where they are undefined, the rest being those of the whole."""
    if part == "long":
        remarks = judged.remarks + Remarks()
        _add(remarks, "extra-query", sorted(judged.extra))
        _add(remarks, "unanswered-query", against.named(~judged.answered))
        return remarks
    totals = counts(judged, against.decisions)
    remarks = Remarks()
    if part in against.rules.others:
        if _matters_without_relevant(by_part(measures).get(part, ()), against):
            _add(remarks, "empty-gold", against.named(totals.relevant == 0))
        return remarks
    _add(remarks, "undefined-f1", against.named((totals.relevant == 0) & (totals.retrieved == 0)))
    return remarks


def _upside_down(parts: Parts, measures: Iterable[Measure], against: Prepared) -> dict[str, UpsideDown]:
    ranked = any(measure.ranked for measure in measures)
    matters = {"documents": ranked and "long" not in parts, "long": True}
    skip = against.decisions.unanswered == "skip"
    found = {
        part: upside_down(parts[part], ranks_matter=matters[part], answered_only=skip)
        for part in (matters if against.rules.ranked else ())
        if part in parts
    }
    return {part: reversed_ for part, reversed_ in found.items() if reversed_ is not None}


def _is_gold(part: str, judged: Judged) -> bool:
    """Whether a part retrieves what is relevant of every query; or all that is judged, by its relevance."""
    qrels, found = judged.qrels, judged.rank > 0
    kept = qrels.sizes > 0 if part == "answers" else np.ones(len(qrels.sizes), dtype=np.bool_)
    if np.array_equal(found, qrels.relevance > 0):
        return bool(found.any()) and np.array_equal(judged.retrieved[kept], qrels.relevant()[kept])
    if not found.all() or not np.array_equal(judged.retrieved, qrels.sizes):
        return False
    query = np.repeat(np.arange(len(qrels.sizes)), qrels.sizes)
    in_order = qrels.graded[np.lexsort((judged.rank, query))]
    return not ((in_order[1:] > in_order[:-1]) & (query[1:] == query[:-1])).any()


def _add(remarks: Remarks, kind: str, queries: Iterable[str]) -> None:
    for query in queries:
        remarks.add(kind, query)
