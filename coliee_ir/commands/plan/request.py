"""Planning: years of queries are drawn from this year's, and the shipped test is run on each."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations
from numbers import Real
from typing import Final

import numpy as np

from coliee_adapters.checked import is_whole, numbers, one_of, refused
from coliee_adapters.errors import UsageError
from coliee_adapters.files.source import PathLike
from coliee_ir.commands.plan.result import Plan, PlannedSize
from coliee_ir.inbox.sheets import groups_of
from coliee_ir.judging.judged import FloatArray
from coliee_ir.measures import Measure
from coliee_ir.measures.base import Terms
from coliee_ir.scoring.scored import checked, comparable
from coliee_ir.scoring.scores import Scores
from coliee_ir.stats import studentised
from coliee_ir.stats.settings import CONFIDENCE_LEVEL, SEED, Resampling
from coliee_ir.stats.units import Units

#: by default, so many times this year's queries
_TIMES: Final = (0.5, 1.0, 2.0, 4.0)
#: resamples of each year: what is sought is how often p is small, not p
N_RESAMPLES: Final = 199
YEARS: Final = 400
#: a curve has so many steps, up to the difference that the smallest size finds in this share of years
_STEPS: Final = 50
_SURE: Final = 0.95


def plan(
    scored: Sequence[Scores],
    *,
    measure: str = "",
    queries: Sequence[int] = (),
    differences: Sequence[float] = (),
    power: float = 0.8,
    years: int = YEARS,
    groups: PathLike | Mapping[str, str] | None = None,
    n_resamples: int = N_RESAMPLES,
    seed: int = SEED,
    confidence_level: float = CONFIDENCE_LEVEL,
) -> Plan:
    """How many queries, or how large a difference, next year's comparison of such runs needs.

    A year is a sample of this year's queries, drawn with replacement. In each, all pairs of runs are tested as
    ``compare`` and ``leaderboard`` do, corrected jointly, with the difference of the pair shifted to a given one. What
    is found of a true difference δ is whether D* - D + δ exceeds the critical number of standard errors, where D* is
    the year's difference, and D this year's. So the least δ found with a power is a quantile over years. Of groups, as
    many are drawn as have about so many queries.

    Args:
        scored: at least two runs: what ``evaluate_all`` gives, or some of it.
        measure: its name; by default the first of the results, which ranks the task's runs.
        queries: numbers of queries; by default half, once, twice and four times this year's.
        differences: of which to say how often they are found.
        power: of the least difference that is found.
        years: how many are drawn for each number of queries.
        groups: query → group, where queries depend on each other, as a dictionary or a file with lines QUERY GROUP;
            groups are swapped and drawn as a whole.
        n_resamples: how many resamples of each year.
        seed: of the random numbers; the same seed gives the same plan on any machine.
        confidence_level: a difference is significant where p < 1 - confidence_level.

    Raises:
        UsageError: fewer than two runs, runs that do not differ, a single query, or a number that makes no sense.

    >>> from coliee_ir import evaluate_all
    >>> gold = {f"q{at}": ["d1"] for at in range(30)}
    >>> good, fair = ({query: ["d1"][: at % k] for at, query in enumerate(gold)} for k in (4, 2))
    >>> planned = plan(evaluate_all(gold, [good, fair], task="1"), queries=[30, 120], years=50)
    >>> [(size.queries, size.found[0] < 0.1) for size in planned.sizes]
    [(30, False), (120, True)]
    """
    settings = Resampling(n_resamples, seed, confidence_level)
    differences = numbers("differences", differences)
    by = _checked(scored, measure, queries, differences, power, years, settings)
    first = scored[0]
    groups = groups_of(groups, first.task)
    units = Units.of(first.query_ids, groups)
    if units.n < 2:
        raise UsageError(
            "no-result",
            f"a year of other queries cannot be drawn from a single {'query' if groups is None else 'group'}; "
            "plan from a gold and runs with more",
        )
    terms = [units.terms(scores.results[by].terms) for scores in scored]
    pairs = [
        (a, b)
        for a, b in combinations(range(len(terms)), 2)
        if not math.isnan(terms[a].total - terms[b].total) and (terms[a].each != terms[b].each).any()
    ]
    if not pairs:
        raise UsageError("no-result", "no two of the runs differ, so nothing can be planned from them")
    n = len(first.query_ids)
    wanted = sorted(set(queries)) or sorted({max(round(times * n), 2) for times in _TIMES})
    if wanted[0] < 2:
        raise UsageError("too-few", "a plan needs at least 2 queries")
    short = {number: _needed(terms, pairs, max(round(number * units.n / n), 2), years, settings) for number in wanted}
    steps: list[float] = next(filter(None, map(_steps, short.values())), [])
    sizes = [
        PlannedSize(
            number,
            tuple(map(float, _least(of_size, power))),
            tuple(float((of_size < difference).mean()) for difference in differences),
            tuple((difference, float((of_size < difference).mean())) for difference in steps),
        )
        for number, of_size in short.items()
    ]
    return Plan(
        task=first.task,
        edition=first.edition,
        gold=first.gold,
        measure=by.name,
        queries=n,
        tags=tuple(scores.tag for scores in scored),
        pairs=tuple(pairs),
        sizes=tuple(sizes),
        differences=tuple(differences),
        power=power,
        years=years,
        settings=settings,
        groups=units.n if groups is not None else 0,
        excluded=first.excluded,
        decisions=first.decisions,
    )


def plan_terms(
    terms: Sequence[Terms], pairs: Sequence[tuple[int, int]], n: int, years: int, power: float, settings: Resampling
) -> list[float]:
    """The least difference of each pair that is found with a power, in years of n queries drawn from the terms'."""
    return [float(found) for found in _least(_needed(terms, pairs, n, years, settings), power)]


def _checked(
    scored: Sequence[Scores],
    named: str,
    queries: Sequence[int],
    differences: Sequence[float],
    power: float,
    years: int,
    settings: Resampling,
) -> Measure:
    """The measure to plan by."""
    checked(scored, 2, "a plan")
    one_of("power", power, Real, "a number")
    if not all(is_whole(number, 0) for number in numbers("queries", queries)):
        raise refused("queries", "numbers of queries", queries)
    if not is_whole(years, 1):
        raise refused("years", "an integer ≥ 1", years)
    if not settings.alpha < power < 1:
        raise UsageError("bad-value", f"the power must be between {settings.alpha:.3g} and 1, for example 0.8")
    if any(not 0 < difference < math.inf for difference in differences):
        raise UsageError("bad-value", "the differences must be greater than 0, for example 0.02")
    [measure] = comparable(scored, named)
    return measure


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
        reach = np.multiply(joint.critical, errors, out=np.full(len(pairs), math.inf), where=errors > 0)
        least = reach - (apart - observed)
        needed[year] = np.where(np.isnan(least), math.inf, least)
    return needed


def _steps(needed: FloatArray) -> list[float]:
    """Differences from 0 to one that is nearly always found; none where nothing is."""
    finite = np.sort(needed[np.isfinite(needed)])
    if not len(finite) or finite[-1] <= 0:
        return []
    top = finite[min(math.ceil(_SURE * needed.size), len(finite)) - 1]
    return [float(top) * at / _STEPS for at in range(_STEPS + 1)]


def _least(needed: FloatArray, power: float) -> FloatArray:
    """The difference that so great a share of years finds; NaN where too few find any."""
    least: FloatArray = np.quantile(needed, power, axis=0, method="higher")
    return np.where(np.isfinite(least), np.maximum(least, 0.0), math.nan)
