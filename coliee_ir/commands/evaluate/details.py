"""The tables of ``evaluate --show``: years, candidates of a reranker, where points are lost, what several runs find."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np

from coliee_adapters.errors import UsageError
from coliee_ir.judging.judged import Judged
from coliee_ir.measures import Measure
from coliee_ir.measures.base import Parts
from coliee_ir.measures.labels import Accuracy
from coliee_ir.measures.sets import Macro, MacroF, MacroR, Micro, MicroR
from coliee_ir.output.grid import Cell, Grid, Number, number_or_dash, whole
from coliee_ir.output.rendering import TabularResult, jsonable
from coliee_ir.reading.gold_ids import years
from coliee_ir.rules.decisions import Decisions
from coliee_ir.rules.protocol import protocol
from coliee_ir.scoring.comparable import checked, comparable
from coliee_ir.scoring.scores import Scored, Scores, every_measure, is_count, preamble
from coliee_ir.stats.cutting import (
    NEAR,
    at_cutoffs,
    best_counts,
    cut,
    perfect,
    ranking_of,
    with_documents,
)

#: no more depths than these are shown
_MOST = 1000

#: those that are shown where none is named
DEPTHS = (5, 10, 20, 50, 100)

#: heading → the cell of a run's name and a value of it
Columns = dict[str, Callable[[Any], Cell]]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Details(TabularResult):
    """The scores of runs, and several rows of each."""

    runs: tuple[Scores, ...]
    name: str  # what JSON calls the rows of a run
    rows: tuple[Any, ...]  # for each run
    table: Grid
    more: Mapping[str, str | int] = field(default_factory=dict)  # what else JSON says

    def __repr__(self) -> str:
        return f"Details({self.name!r}, {[scores.name for scores in self.runs]})"

    def tables(self) -> Sequence[Grid]:
        """A row for each run and year or depth."""
        return [self.table]

    def to_dict(self) -> dict[str, Any]:
        """The JSON of ``evaluate``, and the rows of each run."""
        runs = [{**scores.to_dict(), self.name: jsonable(of)} for scores, of in zip(self.runs, self.rows, strict=True)]
        return {**preamble(self.runs[0]), **self.more, "runs": runs}


class Year(NamedTuple):
    """The scores of a run on the queries of a year."""

    year: str  # the year, as the ids or the gold's file name it
    queries: int  # how many were judged
    measures: Mapping[str, float]  # name → value; NaN if no query is left to form it from


def by_year(scored: Scored) -> Details:
    """The scores of runs on the queries of each year; extra queries are in none."""
    year_of = years(scored.basis.gold)
    of_runs = [(scores.name, tuple(_years_of(scores, year_of))) for scores in scored]
    rows = [
        (name, year)
        for scores, (name, of_run) in zip(scored, of_runs, strict=True)
        for year in (*of_run, Year("all", len(scores.query_ids), scores.measures))
    ]
    columns: Columns = {
        "run": lambda row: row[0],
        "year": lambda row: row[1].year,
        "queries": lambda row: whole(row[1].queries),
    }
    columns |= {
        name: lambda row, name=name: Number(row[1].measures.get(name, math.nan))  # type: ignore[misc]
        for name in (measure.name for measure in every_measure(scored))
    }
    return Details(tuple(scored), "years", tuple(of_run for _, of_run in of_runs), Grid.of(rows, columns, n_text=2))


def _years_of(scores: Scores, year_of: Mapping[str, str]) -> Iterator[Year]:
    """The scores of a run on the queries of each year."""
    named = np.array([year_of[query] for query in scores.query_ids])
    terms = {measure.name: result.terms for measure, result in scores.results.items()}
    for year in dict.fromkeys(named.tolist()):
        chosen = named == year
        yield Year(
            year,
            int(chosen.sum()),
            {name: float(summed.score(summed.each[chosen].sum(axis=0))) for name, summed in terms.items()},
        )


class Stage(NamedTuple):
    """The first documents of a run as the candidates of what comes after it."""

    k: int  # how many documents of each query
    documents: float  # how many there are, on average over queries
    micro_recall: float  # their micro recall
    macro_recall: float  # their macro recall
    ceiling: float  # the score of a perfect reranker of them


def depths(text: str) -> list[int]:
    """The depths that ``10,50,100`` or ``1..20,50`` names, in rising order."""
    numbers: set[int] = set()
    for part in text.split(","):
        match = re.fullmatch(r"([0-9]{1,9})(?:\.\.([0-9]{1,9}))?", part.strip())
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
        if not 1 <= first <= last or last - first >= _MOST:
            raise UsageError("bad-value", f"depths are given as 10,50,100 or 1..20, not as {text!r}")
        numbers.update(range(first, last + 1))
    return sorted(numbers)


def stages(runs: Sequence[Scores], at: Sequence[int] = DEPTHS) -> Details:
    """The recall of each run's candidates at each depth, and the ceiling of the first measure."""
    measure = next(iter(runs[0].results))
    if not protocol(runs[0].task, runs[0].edition).ranked:
        raise UsageError("unfit-option", f"stages need rankings; submissions to task {runs[0].task} contain none")
    of_runs = [tuple(_stage_of(scores, measure, depth) for depth in at) for scores in runs]
    rows = [(scores.name, stage) for scores, of_run in zip(runs, of_runs, strict=True) for stage in of_run]
    columns: Columns = {
        "run": lambda row: row[0],
        "k": lambda row: whole(row[1].k),
        "documents": lambda row: Number(row[1].documents, f"{row[1].documents:.1f}"),
        "MicroR": lambda row: Number(row[1].micro_recall),
        "MacroR": lambda row: Number(row[1].macro_recall),
        f"ceiling {measure.name}": lambda row: Number(row[1].ceiling),
    }
    return Details(tuple(runs), "stages", tuple(of_runs), Grid.of(rows, columns), {"measure": measure.name})


def _stage_of(scores: Scores, measure: Measure, depth: int) -> Stage:
    """A run's first documents, and the score of a perfect reranker: the relevant ones first, and nothing else."""
    pool, rel = cut(ranking_of(scores.judged), depth), measure.least_relevance
    micro, macro = (kind(rel=rel).compute({"documents": pool}, scores.decisions).value for kind in (MicroR, MacroR))
    return Stage(
        depth,
        float(pool.retrieved.mean()),
        micro,
        macro,
        measure.compute(with_documents(scores.judged, perfect(pool, rel)), scores.decisions).value,
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
    """Of what the points consist that runs miss in the first measure.

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
    rows = [(scores.name, of_run) for scores, of_run in zip(runs, gaps, strict=True)]
    shares = {name.replace("_", " "): partial(_share, name) for name in gaps[0]._fields[1:]}
    columns: Columns = {"run": lambda row: row[0], measure.name: partial(_share, "score"), **shares}
    return Details(
        tuple(runs),
        "gap",
        tuple(gaps),
        Grid.of(rows, columns, f"Where 1 − {measure.name} is lost; the shares add up to it."),
        {"measure": measure.name},
    )


def _share(name: str, row: tuple[str, Gap | Labelled | Shared]) -> Number:
    value = getattr(row[1], name)
    return whole(value) if isinstance(value, int) else number_or_dash(value)


def gap_of(measure: Measure, parts: Parts, decisions: Decisions) -> Gap | Labelled:
    """The gap of one run: see ``gap``."""
    result = measure.compute(parts, decisions)
    if isinstance(measure, Accuracy):
        label = parts["answers"].correct() > 0
        relevant = parts["documents"].qrels.relevant()
        articles = parts["documents"].correct(measure.cutoff) == relevant
        if decisions.without_articles == "wrong":
            articles &= relevant > 0
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
    steps += [score(perfect(candidates, measure.least_relevance)), 1.0]
    constant, count, order, never = np.diff(np.maximum.accumulate(steps)).tolist()
    return Gap(steps[0], constant, k, count, order, never)


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
    cutoff, rel = getattr(measure, "cutoff", None), measure.least_relevance
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
        **{
            f"in {scores.name}": lambda row, i=i: Number(row[1].shares[i])  # type: ignore[misc]
            for i, scores in enumerate(runs)
        },
    }
    counted_things = "Relevant documents" if part == "documents" else "Right answers"
    return Details(
        tuple(runs),
        "overlap",
        tuple(of_runs),
        Grid.of(
            rows, columns, f"{counted_things} found by each run, and the share of them that the other runs also find."
        ),
        {"relevant": relevant_in_all, "missed": missed},
    )


#: name → what makes it of runs with their judged documents
DETAILS: Final[Mapping[str, Callable[[Scored], Details]]] = {
    "years": by_year,
    "stages": stages,
    "gap": gap,
    "overlap": overlap,
}
