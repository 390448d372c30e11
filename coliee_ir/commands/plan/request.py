"""Planning: years of queries are drawn from this year's, and the shipped test is run on each."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Final

import numpy as np

from coliee_adapters.errors import UsageError
from coliee_ir.commands.plan import render  # noqa: F401  # registers how results show themselves
from coliee_ir.commands.plan.result import Plan, Size
from coliee_ir.judging.judged import FloatArray
from coliee_ir.measures.base import Terms
from coliee_ir.scoring.scores import Scores
from coliee_ir.stats import studentised
from coliee_ir.stats.settings import Resampling
from coliee_ir.stats.units import Units

#: by default, so many times this year's queries
_TIMES: Final = (0.5, 1.0, 2.0, 4.0)
#: resamples of each year: what is sought is how often p is small, not p
_TRIALS: Final = 199
YEARS: Final = 400


def plan_scores(
    scored: Sequence[Scores],
    *,
    queries: Sequence[int] = (),
    differences: Sequence[float] = (),
    power: float = 0.8,
    years: int = YEARS,
    groups: Mapping[str, str] | None = None,
    settings: Resampling | None = None,
) -> Plan:
    """What a comparison of such runs can find with so many queries, by the first measure of their results.

    A year is a sample of this year's queries, drawn with replacement. In each, all pairs of runs are tested as
    ``compare`` and ``leaderboard`` do, corrected jointly. The difference of a pair is shifted: what is found of a true
    difference δ is whether D* - D + δ exceeds the critical number of standard errors, where D* is the year's
    difference, and D this year's. So the least δ found with a power is a quantile over years.

    Args:
        scored: at least two runs, scored against one gold.
        queries: numbers of queries; by default half, once, twice and four times this year's.
        differences: of which to say how often they are found.
        power: of the least difference that is found.
        years: how many are drawn for each number of queries.
        groups: query → group; whole groups are drawn and swapped, as many as have about so many queries.
        settings: how queries are resampled in each year; by default 199 times.

    Raises:
        UsageError: fewer than two runs, runs that do not differ, or a number that makes no sense.
    """
    settings = settings or Resampling(_TRIALS)
    if len(scored) < 2:
        raise UsageError("a plan needs at least two runs, as a comparison does")
    if not settings.alpha < power < 1:
        raise UsageError(f"the power must be between {settings.alpha:.3g} and 1, for example 0.8")
    if any(not 0 < difference < math.inf for difference in differences):
        raise UsageError("the differences must be greater than 0, for example 0.02")
    first = scored[0]
    measure = next(iter(first.results))
    for other in scored[1:]:
        if measure not in other.results or tuple(other.query_ids) != tuple(first.query_ids):
            raise UsageError("the runs were scored on different queries or parts")
    units = Units.of(first.query_ids, groups)
    terms = [units.terms(scores.results[measure].terms) for scores in scored]
    pairs = [
        (a, b)
        for a, b in combinations(range(len(terms)), 2)
        if not math.isnan(terms[a].total - terms[b].total) and (terms[a].each != terms[b].each).any()
    ]
    if not pairs:
        raise UsageError("no two of the runs differ, so nothing can be planned from them")
    n = len(first.query_ids)
    wanted = sorted(set(queries)) or sorted({max(round(times * n), 2) for times in _TIMES})
    if wanted[0] < 2:
        raise UsageError("a plan needs at least 2 queries")
    sizes = []
    for number in wanted:
        drawn = max(round(number * units.n / n), 2)
        short = _needed(terms, pairs, drawn, years, settings)
        sizes.append(
            Size(
                number,
                tuple(map(float, _least(short, power))),
                tuple(float((short < difference).mean()) for difference in differences),
            )
        )
    return Plan(
        task=first.task,
        edition=first.edition,
        gold=first.gold,
        measure=measure.name,
        queries=n,
        tags=tuple(scores.tag for scores in scored),
        pairs=tuple(pairs),
        sizes=tuple(sizes),
        differences=tuple(differences),
        power=power,
        years=years,
        settings=settings,
        excluded=first.excluded,
        decisions=first.decisions,
    )


def _needed(
    terms: Sequence[Terms], pairs: Sequence[tuple[int, int]], n: int, years: int, settings: Resampling
) -> FloatArray:
    """The least true difference of each pair that is found in each year; shape (years, pairs).

    Infinite where none is, which is where the critical number of standard errors is, or where there is no score.
    """
    bits = np.random.PCG64(settings.seed)
    observed = np.array([terms[a].total - terms[b].total for a, b in pairs])
    needed = np.empty((years, len(pairs)))
    for year in range(years):
        # a 32-bit number times Q, without its lower half, is a number below Q
        raw = (bits.random_raw(n) >> np.uint64(32)) * np.uint64(len(terms[0].each)) >> np.uint64(32)
        places = raw.astype(np.int64)
        drawn = [run._replace(each=run.each[places]) for run in terms]
        of_year = Resampling(settings.n_resamples, settings.seed + year, settings.confidence_level)
        joint = studentised.jointly([studentised.Family(drawn, pairs)], of_year)
        scores = np.array([run.total for run in drawn])
        apart = np.array([scores[a] - scores[b] for a, b in pairs])
        errors = joint.errors[0]
        least = np.where(errors > 0, joint.critical * errors, math.inf) - (apart - observed)
        needed[year] = np.where(np.isnan(least), math.inf, least)
    return needed


def _least(needed: FloatArray, power: float) -> FloatArray:
    """The difference that so great a share of years finds; NaN where too few find any."""
    least: FloatArray = np.quantile(needed, power, axis=0, method="higher")
    return np.where(np.isfinite(least), np.maximum(least, 0.0), math.nan)
