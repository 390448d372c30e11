"""What there is to remark on a scored submission: found by its counts, and put into words.

gold, parts ──counts──▶ kind and examples ──``REMARKS``, decisions──▶ Remark, those that move a score first
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

import numpy as np

from coliee_adapters import forms
from coliee_adapters.ids import BoolArray, IntArray
from coliee_adapters.records import Run
from coliee_adapters.remarks import Remark, Remarks
from coliee_ir.judging.judged import FloatArray, Judged, judge
from coliee_ir.judging.qrels import Qrels
from coliee_ir.measures import Delegated, Measure
from coliee_ir.measures.base import by_part
from coliee_ir.measures.sets import counts
from coliee_ir.reading.basis import Basis
from coliee_ir.rules.decisions import Decisions
from coliee_ir.rules.protocol import without_answers
from coliee_ir.scoring.parts import NEEDED, JudgedSubmission

#: what plays no part where no measure looks at ranks
OF_ORDER: Final = ("tie", "rank-order")

#: by how much average precision must be higher where a ranking is reversed, for a remark
_CLEARLY: Final = 0.02
#: how many standard deviations more queries must gain than lose; nine queries or fewer never do
_DEVIATIONS: Final = 3.0
#: documents per query from which a list is taken for a ranking by any measure; a smaller set may be in any order
_LIST: Final = 10


def remarks_of(done: JudgedSubmission) -> Iterator[Remark]:
    """The remarks on a submission: of its main parts, those that move a score first, then of each other part."""
    basis, parts, measures = done.basis, done.parts, done.measures
    rules, of_parts = basis.protocol, by_part(measures)
    on_long_list = [measure for measure in basis.asked_measures or basis.on_long_list if measure.ranked]
    measured = {**of_parts, "": of_parts["documents"], "long": on_long_list}
    remarks_by_part = {"": _remarks_of_main_parts(done)}
    if "long" in parts:
        remarks_by_part["long"] = parts["long"].remarks + Remarks()
        remarks_by_part["long"].each("extra-query", sorted(parts["long"].extra))
        remarks_by_part["long"].each("unanswered-query", basis.queries_where(~parts["long"].answered))
    for part in (*(forms.tort.SIDES if rules.claims else ()), *rules.others):
        if part in parts:
            remarks_by_part[part] = _remarks_of_other_part(part, parts[part], of_parts.get(part, ()), basis)
    ranked = any(measure.ranked for measure in measures)
    for part, matters in {"documents": ranked and "long" not in parts, "long": True}.items():
        if part in parts and rules.ranked and not parts[part].remarks.count("unordered"):
            turned = better_reversed(parts[part], matters, basis.decisions.unanswered == "skip")
            remarks_by_part["long" if part == "long" else ""].each("upside-down", turned)
    for part, remarks in remarks_by_part.items():
        if remarks.count("tie"):
            remarks.each(
                "tie-elsewhere", [measure.name for measure in measured.get(part, ()) if measure.ties_elsewhere]
            )
        for sentence in remarks.sentences(_clauses(basis.decisions, measured.get(part, ()))) if remarks else ():
            yield sentence.of_part(part, "long list" if part == "long" else part) if part else sentence
    if done.left_out:
        yield _left_out(" and ".join(done.left_out), basis)


def _clauses(decisions: Decisions, measures: Sequence[Measure]) -> Mapping[str, str]:
    """What was done about a kind of remark in the measures that are computed, and in no others."""
    clauses = decisions.clauses({measure.name: measure.decision_fields for measure in measures})
    done = {measure.without_relevant(decisions) for measure in measures} - {""}
    # what has a verb of its own goes behind what takes the query for its subject
    return {**clauses, "empty-gold": "; ".join(sorted(done, key=lambda clause: (clause.startswith("in "), clause)))}


def _remarks_of_main_parts(done: JudgedSubmission) -> Remarks:
    """What was accepted in the gold and in the main parts, and what the counts show."""
    basis, parts, measures, totals = done.basis, done.parts, done.measures, done.totals
    rules, remarks = basis.protocol, basis.gold.remarks + Remarks()
    for part in rules.parts:
        if part in parts:
            ranked = "long" not in parts and any(measure.looks_at_ranks for measure in measures)
            remarks += parts[part].remarks if ranked or part != "documents" else parts[part].remarks.without(*OF_ORDER)
    if "documents" in parts:
        judged = parts["documents"]
        empty = totals.relevant == 0
        if rules.claims:
            remarks.each("undefined-f1", basis.queries_where(empty & (totals.retrieved == 0)))
            if basis.gold.format == "tort":  # whose file names all claims that there are
                unknown = judged.retrieved - judged.qrels.sums(judged.rank > 0)
                for query, n in zip(basis.queries, unknown.tolist(), strict=True):
                    remarks.add("unknown-claim", f"instance {query}", n=n)
            named = done.read["run"].other_parts.get(forms.tort.NAMED)
            if isinstance(named, Run):
                rank, owners = judge(judged.qrels, named, basis.excluded).rank, judged.qrels.query
                absent = np.flatnonzero((rank == 0) & judged.answered[owners])
                claims = ((basis.queries[owners[i]], judged.qrels.texts[i]) for i in absent.tolist())
                remarks.each("missing-claim", (f"instance {query}: {claim}" for query, claim in claims))
        elif _matters_without_relevant(by_part(measures)["documents"], basis):
            remarks.each("empty-gold", basis.queries_where(empty))
        if any(isinstance(measure, Delegated) for measure in measures):
            are_scored = done.answered | (basis.decisions.unanswered == "zero")
            remarks.each("judged-only", basis.queries_where(empty & are_scored & (judged.qrels.sizes > 0)))
        if rules.ranked:
            silent = done.answered & (judged.retrieved == 0) & (judged.qrels.relevant() > 0)
            remarks.each("nothing-retrieved", basis.queries_where(silent))
    remarks.each("extra-query", done.extra)
    in_part = done.in_part
    silent = ~done.answered & ~in_part
    if rules.parts == ("documents",) and any("empty_gold" in measure.decision_fields for measure in measures):
        silent &= totals.relevant > 0  # ``empty_gold`` decides about the others
    silent_queries = basis.queries_where(silent)
    are_most = 2 * len(silent_queries) > len(basis.queries)
    remarks.each("unanswered-query.most" if are_most else "unanswered-query", silent_queries)
    if any(measure.name == "Accuracy" for measure in measures):
        remarks.each("partial-answers", basis.queries_where(in_part))
    else:  # what is there is scored without the rest
        needed = {part for measure in measures for part in measure.needs if part in rules.parts}
        lacking = [~parts[part].answered for part in needed]
        remarks.each("unanswered-query", basis.queries_where(in_part & np.logical_or.reduce(lacking, initial=False)))
    remarks.each("other-tag", [f"{part}: {tag}" for part, tag in done.other_tags.items()])
    remarks.each("absent-exclusion", [query for query in rules.exclude if query not in basis.excluded])
    remarks.each("relevance-not-reached", _unreached(measures, basis))
    if any(is_gold(part, parts[part]) for part in (*rules.parts, "long") if part in parts):
        remarks.add("gold-itself")
    if any(isinstance(measure, Delegated) for measure in measures):
        main = next(parts[part] for part in rules.parts if part in parts)
        remarks.each("unjudged-query", basis.queries_where(main.qrels.sizes == 0))
    return remarks


def _remarks_of_other_part(part: str, judged: Judged, measures: Iterable[Measure], basis: Basis) -> Remarks:
    """Of a side of the pilot, and of a part that a protocol names, only where they are undefined."""
    totals, remarks = counts(judged, basis.decisions), Remarks()
    if part not in basis.protocol.others:
        remarks.each("undefined-f1", basis.queries_where((totals.relevant == 0) & (totals.retrieved == 0)))
    elif _matters_without_relevant(measures, basis):
        remarks.each("empty-gold", basis.queries_where(totals.relevant == 0))
    return remarks


def _matters_without_relevant(measures: Iterable[Measure], basis: Basis) -> bool:
    """Whether queries without a relevant document matter to measures."""
    return any(measure.without_relevant(basis.decisions) for measure in measures)


def _left_out(measures: str, basis: Basis) -> Remark:
    """That some official measures cannot be computed; of COLIEE's tasks, one has rules by which others rank."""
    earlier = without_answers(basis.protocol.task) if basis.protocol.is_coliee else None
    if earlier is None:
        return Remark.of("left-out.part", measures=measures)
    needed = NEEDED["answers"] if "answers" in basis.qrels else "labels, and the gold holds none"
    return Remark.of("left-out", measures=measures, needed=needed, last=earlier.last, ranking=earlier.ranking)


def _unreached(measures: Iterable[Measure], basis: Basis) -> list[str]:
    """Measures that count no document of the gold, because none is that relevant."""
    greatest = {part: int(qrels.relevance.max(initial=0)) for part, qrels in basis.qrels.items()}
    return [
        f"{measure.name}, where {greatest[part]} is the greatest"
        for part, of_part in by_part(measures).items()
        for measure in of_part
        if part in greatest and measure.least_relevance > max(greatest[part], 1)
    ]


def better_reversed(judged: Judged, ranks_matter: bool, answered_only: bool) -> Iterator[str]:
    """The mean average precision of a ranking, and reversed, where that is clearly higher.

    Clearly is by more than 0.02 in the mean, and in so many more queries than the other way round as chance does not
    give: a sign test at three standard deviations, for which ten queries are the least.
    """
    answered = judged.retrieved > 0
    if not answered.any() or judged.retrieved[answered].mean() <= (1 if ranks_matter else _LIST - 1):
        return
    is_counted = (judged.qrels.sizes > 0) & (answered | (not answered_only))
    if not is_counted.any():
        return
    [as_it_is], [reversed_], [in_more] = _average_precisions(judged.qrels, judged.rank[None], judged.retrieved[None])
    if in_more and float((reversed_ - as_it_is)[is_counted].mean()) > _CLEARLY:
        yield f"{as_it_is[is_counted].mean():.4f}, and would be {reversed_[is_counted].mean():.4f}"


def are_usual(qrels: Qrels, ranks: IntArray, retrieved: IntArray) -> BoolArray:
    """Of n rankings that answer all queries, those with only the remarks that any of them has; shape (n,).

    The others may be the gold itself, or better if reversed.
    """
    in_more = _average_precisions(qrels, ranks, retrieved)[2]
    n_lines = retrieved.sum(axis=1)
    return np.asarray(~in_more & (n_lines != qrels.relevant().sum()) & (n_lines != len(qrels.relevance)))


def _average_precisions(qrels: Qrels, ranks: IntArray, retrieved: IntArray) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Average precision of each query, as n rankings are and reversed; both of shape (n, Q), as in ``of_rankings``.

    And whether it is greater reversed in so many more queries as chance does not give.
    """
    rows = ((ranks > 0) & (qrels.relevance >= 1)).ravel().nonzero()[0]
    run, row = np.divmod(rows, max(ranks.shape[1], 1))
    # one number for query and rank sorts by both
    packed = (run * retrieved.shape[1] + qrels.query[row] << 32) + ranks.ravel()[rows]
    packed.sort()
    query, rank = packed >> 32, packed & 0xFFFFFFFF
    number = np.bincount(query, minlength=retrieved.size)
    nth = np.arange(1, len(rows) + 1) - (number.cumsum() - number)[query]
    # of what is reversed, the last comes first
    nth_reversed, rank_reversed = number[query] + 1 - nth, retrieved.ravel()[query] + 1 - rank
    sums = (
        np.bincount(query, weights=nth / rank, minlength=retrieved.size),
        np.bincount(query[::-1], weights=(nth_reversed / rank_reversed)[::-1], minlength=retrieved.size),
    )
    as_it_is, reversed_ = (each.reshape(retrieved.shape) / np.maximum(qrels.relevant(), 1) for each in sums)
    signs = np.sign(reversed_ - as_it_is)
    return as_it_is, reversed_, signs.sum(axis=1) > _DEVIATIONS * abs(signs).sum(axis=1) ** 0.5


def is_gold(part: str, judged: Judged) -> bool:
    """Whether a part retrieves what is relevant of every query; or all that is judged, by its relevance."""
    qrels, retrieved = judged.qrels, judged.rank > 0
    if np.array_equal(retrieved, qrels.relevance > 0):
        # an answer that is right is the only one, and those without a gold do not count
        return bool(retrieved.any()) and (part == "answers" or np.array_equal(judged.retrieved, qrels.relevant()))
    if not retrieved.all() or not np.array_equal(judged.retrieved, qrels.sizes):
        return False
    rows, query, _ = judged.in_order(retrieved, judged.rank)
    return not ((np.diff(qrels.graded[rows]) > 0) & (np.diff(query) == 0)).any()
