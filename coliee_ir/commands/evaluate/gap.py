"""Two tables of ``evaluate --show``: where points are lost, and which documents several runs find."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final, NamedTuple

import numpy as np

from coliee_adapters.errors import UsageError
from coliee_ir.commands.evaluate.details import Columns, Details, by_year, stages
from coliee_ir.judging.judged import Judged
from coliee_ir.measures import Measure
from coliee_ir.measures.base import Parts
from coliee_ir.measures.labels import Accuracy
from coliee_ir.measures.sets import Macro, MacroF, Micro
from coliee_ir.output.grid import Grid, Number, number_or_dash, whole
from coliee_ir.rules.decisions import Decisions
from coliee_ir.scoring.scores import Scored, Scores, checked, comparable, is_count
from coliee_ir.stats.cutting import (
    NEAR,
    at_cutoffs,
    best_counts,
    cut,
    perfect,
    ranking_of,
    relevance_of,
    with_documents,
)


class Gap(NamedTuple):
    """What would bring a score to 1, step by step: s1 the run, s2 … s5 = 1, each the greatest of it and those before.

    s2 its ranking cut at the best constant k; s3 at the best count of each query; s4 its relevant documents first and
    nothing else; s5 all relevant documents. Of measures that are not P, R or F of sets, s3 = s2 = s1.
    """

    score: float  # s1
    constant_cutoff: float  # s2 - s1
    k: int | None  # that cutoff; None where none is better than the run as it is
    right_count: float  # s3 - s2
    better_order: float  # s4 - s3
    never_retrieved: float  # 1 - s4; also what queries without relevant documents lose where they score 0


class Labelled(NamedTuple):
    """What Accuracy misses where an answer rests on articles: shares of the queries, which add up to 1 - score."""

    score: float  # the label is right, and every relevant article was retrieved
    articles_missing: float  # the label is right
    label_wrong: float  # every relevant article was retrieved
    both_wrong: float


def has_gap(measure: Measure, parts: Parts) -> bool:
    """Whether the points that a measure misses can be divided."""
    if isinstance(measure, Accuracy):
        return "documents" in parts
    of_means = isinstance(measure, MacroF) and measure.of == "means"
    return "documents" in parts and measure.needs == ("documents",) and not (of_means or is_count(measure))


def gap(scored: Sequence[Scores]) -> Details:
    """Of what the points consist that runs miss in the first measure; of lists that lead with the worst, reversed too.

    Args:
        scored: what ``evaluate_all`` gives, with the judged documents.

    Raises:
        UsageError: the measure looks at labels only, or is no share of 1.
    """
    runs = checked(scored, 1, "a gap", documents=True)
    comparable(runs)
    measure = next(iter(runs[0].results))
    if not has_gap(measure, runs[0].judged):
        raise UsageError("unfit-measure", f"a gap divides what rankings miss in P, R, F, AP, nDCG …, not {measure}")
    gaps = [gap_of(measure, scores.judged, scores.decisions) for scores in runs]
    rows = list[tuple[str, Gap | Labelled]]()
    for scores, of_run in zip(runs, gaps, strict=True):
        rows.append((scores.name, of_run))
        if isinstance(of_run, Gap) and any(remark.kind == "upside-down" for remark in scores.remarks):
            turned = with_documents(scores.judged, _reversed(ranking_of(scores.judged)))
            rows.append((f"{scores.name}, reversed", gap_of(measure, turned, scores.decisions)))
    shares = {name.replace("_", " "): partial(_share, name) for name in gaps[0]._fields[1:]}
    columns: Columns = {"run": lambda row: row[0], measure.name: partial(_share, "score"), **shares}
    table = Grid.of(rows, columns, f"Where 1 − {measure.name} is lost; the shares add up to it.")
    return Details(tuple(runs), "gap", tuple(gaps), table, {"measure": measure.name})


def _share(name: str, row: tuple[str, Gap | Labelled | Shared]) -> Number:
    value = getattr(row[1], name)
    return whole(value) if isinstance(value, int) else number_or_dash(value)


def gap_of(measure: Measure, parts: Parts, decisions: Decisions) -> Gap | Labelled:
    """The gap of one run: see ``gap``."""
    result = measure.compute(parts, decisions)
    if isinstance(measure, Accuracy):
        label = parts["answers"].correct() > 0
        articles = parts["documents"].correct() == parts["documents"].qrels.relevant()
        if decisions.without_articles == "wrong":
            articles &= parts["documents"].qrels.relevant() > 0
        is_counted = ~np.isnan(result.per_query)
        cases = (label & articles, label & ~articles, ~label & articles, ~label & ~articles)
        return Labelled(*(float((case & is_counted).sum() / is_counted.sum()) for case in cases))

    def score(documents: Judged) -> float:
        return measure.compute(with_documents(parts, documents), decisions).value

    ranked, steps, k = ranking_of(parts), [result.value], None
    if isinstance(measure, Micro | Macro):
        measure = replace(measure, cutoff=None)
        deepest = max(int(ranked.retrieved.max(initial=0)), 1)
        by_cutoff = np.nan_to_num(at_cutoffs(measure, ranked, deepest, decisions).values, nan=-np.inf)
        best = int(np.argmax(by_cutoff >= by_cutoff.max() - NEAR))
        k = best + 1 if by_cutoff[best] > steps[0] + NEAR else None
        steps += [float(by_cutoff[best]), score(cut(ranked, best_counts(measure, ranked)))]
    else:
        steps += steps * 2
    candidates = replace(ranked, rank=np.maximum(ranked.rank, parts["documents"].rank))
    steps += [score(perfect(candidates, relevance_of(measure))), 1.0]
    constant, count, order, never = np.diff(np.maximum.accumulate(steps)).tolist()
    return Gap(steps[0], constant, k, count, order, never)


def _reversed(ranked: Judged) -> Judged:
    last = np.repeat(ranked.retrieved, ranked.qrels.sizes)
    return replace(ranked, rank=np.where(ranked.rank > 0, last + 1 - ranked.rank, 0))


class Shared(NamedTuple):
    """What a run finds of the relevant documents, or answers rightly."""

    found: int  # how many
    only: int | None  # how many of them no other run finds; None for all runs together
    shares: tuple[float, ...]  # which share of them each run finds, in the order of the runs


def overlap(scored: Sequence[Scores]) -> Details:
    """Which relevant documents runs have in common, up to the cutoff of the first measure; or right answers.

    Args:
        scored: what ``evaluate_all`` gives, with the judged documents.

    Raises:
        UsageError: there is one run.
    """
    runs = checked(scored, 2, "an overlap", documents=True)
    comparable(runs)
    measure = next(iter(runs[0].results))
    part = "documents" if "documents" in runs[0].judged else "answers"
    cutoff, rel = getattr(measure, "cutoff", None), relevance_of(measure)
    relevant = runs[0].judged[part].qrels.relevance >= rel
    ranks = np.array([scores.judged[part].rank for scores in runs])
    retrieved = (ranks > 0) & relevant & (ranks <= (cutoff or ranks.max(initial=0)))
    any_run = retrieved.any(axis=0)
    both = np.array([*retrieved, any_run], dtype=np.float64) @ retrieved.T
    with np.errstate(invalid="ignore"):
        shares = both / np.array([*retrieved.sum(axis=1), any_run.sum()])[:, None]
    only = (retrieved & (retrieved.sum(axis=0) == 1)).sum(axis=1)
    of_runs = [
        Shared(int(n), int(alone), tuple(shares_of_run))
        for n, alone, shares_of_run in zip(retrieved.sum(axis=1), only, shares[:-1].tolist(), strict=True)
    ]
    relevant_in_all, none = int(relevant.sum()), (math.nan,) * len(runs)
    missed = relevant_in_all - int(any_run.sum())
    rows = [
        *((scores.name, of_run) for scores, of_run in zip(runs, of_runs, strict=True)),
        ("any run", Shared(int(any_run.sum()), None, tuple(shares[-1].tolist()))),
        ("no run", Shared(missed, None, none)),
    ]
    columns: Columns = {
        "run": lambda row: row[0],
        "found": partial(_share, "found"),
        "only it": partial(_share, "only"),
        **{f"in {scores.name}": partial(_share_of, i) for i, scores in enumerate(runs)},
    }
    what = "Relevant documents" if part == "documents" else "Right answers"
    caption = f"{what} found by each run, and the share of them that the other runs also find."
    more = {"relevant": relevant_in_all, "missed": missed}
    return Details(tuple(runs), "overlap", tuple(of_runs), Grid.of(rows, columns, caption), more)


def _share_of(run: int, row: tuple[str, Shared]) -> Number:
    return Number(row[1].shares[run])


#: name → what makes it of runs with their judged documents
DETAILS: Final[Mapping[str, Callable[[Scored], Details]]] = {
    "years": by_year,
    "stages": stages,
    "gap": gap,
    "overlap": overlap,
}
