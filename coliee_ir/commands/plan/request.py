"""Planning: from the standard errors of this year's differences, those of other numbers of queries."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from numbers import Real
from typing import Final

import numpy as np

from coliee_adapters.checked import is_whole, numbers, one_of, refused
from coliee_adapters.errors import UsageError
from coliee_adapters.inputs import GoldLike, RunLike
from coliee_ir.commands.compare import check_measures
from coliee_ir.commands.plan.result import Plan, PlannedSize
from coliee_ir.measures import Measure
from coliee_ir.rules.decisions import Decisions
from coliee_ir.scoring.scores import Scores
from coliee_ir.scoring.several import score
from coliee_ir.scoring.submission import Submission
from coliee_ir.stats.paired import Board
from coliee_ir.stats.power import Power
from coliee_ir.stats.settings import CONFIDENCE_LEVEL, N_RESAMPLES, SEED, Resampling
from coliee_ir.stats.units import Units

#: by default, so many times this year's queries
_TIMES: Final = (0.5, 1.0, 2.0, 4.0)
#: a curve has so many steps, up to the difference that the smallest size finds with this power
_STEPS: Final = 50
_SURE: Final = 0.95


def plan(
    gold: GoldLike,
    *runs: RunLike | Submission,
    measure: str = "",
    queries: Sequence[int] = (),
    differences: Sequence[float] = (),
    power: float = 0.8,
    task: str | int | None = None,
    edition: str | int | None = None,
    groups: Mapping[str, str] | None = None,
    n_resamples: int = N_RESAMPLES,
    seed: int = SEED,
    confidence_level: float = CONFIDENCE_LEVEL,
    exclude: str | Iterable[str] = (),
    only: str | Iterable[str] | None = None,
    decisions: Decisions | None = None,
    columns: Mapping[str, str] | None = None,
) -> Plan:
    """How many queries, or how large a difference, next year's comparison of such runs needs.

    In closed form, from the standard error with which ``compare`` and ``rank_runs`` test; of several pairs, corrected
    jointly. Good to about two digits; from 100 queries of which few hold most of what is counted, to a third.

    Args:
        gold: what ``read_gold`` takes.
        runs: at least two; what ``read_run`` takes, a ``Submission`` of several parts, or the path of a store of
            scores, which stands for the runs in it, or of a log (``evaluate --log``).
        measure: its name; by default the one that ranks the task's runs.
        queries: numbers of queries; by default half, once, twice and four times this year's.
        differences: of which to say how often they are found.
        power: of the least difference that is found.
        task: the task; by default it is found from gold and runs.
        edition: the year whose rules count; by default the newest.
        groups: query → group, where queries depend on each other; groups are swapped and drawn as a whole.
        n_resamples: how many resamples, for the joint test of several pairs.
        seed: of the random numbers; the same seed gives the same plan on any machine.
        confidence_level: a difference is significant where p < 1 - confidence_level.
        exclude: queries to leave out.
        only: the queries to score, for example those of a validation split; by default all.
        decisions: the choices where the organisers leave it open.
        columns: what the columns of tables and frames are called, by role, in gold and runs: see ``read_gold``.

    Raises:
        InputError: a file cannot be read, or gold and a run do not belong together.
        UsageError: fewer than two runs, runs that do not differ, a single query, or a number that makes no sense.

    >>> gold = {f"q{at}": ["d1"] for at in range(30)}
    >>> good, fair = ({query: ["d1"][: at % k] for at, query in enumerate(gold)} for k in (4, 2))
    >>> planned = plan(gold, good, fair, task="1", queries=[30, 120])
    >>> [(size.queries, size.found[0] < 0.1) for size in planned.sizes]
    [(30, False), (120, True)]
    """
    check_measures([measure] if measure else [], task, edition)
    scored = score(
        gold,
        runs,
        [measure] if measure else [],
        task=task,
        edition=edition,
        exclude=exclude,
        only=only,
        decisions=decisions,
        columns=columns,
    )
    return plan_scores(
        scored.scores,
        queries=queries,
        differences=differences,
        power=power,
        groups=groups,
        settings=Resampling(n_resamples, seed, confidence_level),
    )


def plan_scores(
    scored: Sequence[Scores],
    *,
    queries: Sequence[int] = (),
    differences: Sequence[float] = (),
    power: float = 0.8,
    groups: Mapping[str, str] | None = None,
    settings: Resampling | None = None,
) -> Plan:
    """Plan by the first measure of runs that were scored against one gold.

    With n' for n queries all squares of standard errors are n/n' times as great. Of groups, as many are meant as have
    about so many queries.

    Args and errors are those of ``plan``, but that ``settings`` says how queries are resampled in each year.
    """
    settings = settings or Resampling()
    differences = numbers("differences", differences)
    measure = _checked(scored, queries, differences, power, settings)
    first = scored[0]
    units = Units.of(first.query_ids, groups)
    if units.n < 2:
        raise UsageError(
            "no-result",
            f"nothing can be planned from a single {'query' if groups is None else 'group'}; "
            "plan from a gold and runs with more",
        )
    terms = [units.terms(scores.results[measure].terms) for scores in scored]
    pairs = [
        (a, b)
        for a, b in combinations(range(len(terms)), 2)
        if not math.isnan(terms[a].total - terms[b].total) and (terms[a].each != terms[b].each).any()
    ]
    board = Board(terms)
    if not pairs:
        raise UsageError("no-result", "no two of the runs differ, so nothing can be planned from them")
    n = len(first.query_ids)
    wanted = sorted(set(queries)) or sorted({max(round(times * n), 2) for times in _TIMES})
    if wanted[0] < 2:
        raise UsageError("too-few", "a plan needs at least 2 queries")
    planned = [Power.of(board, pairs, max(round(number * units.n / n), 2), settings) for number in wanted]
    most = planned[0].found(_SURE)
    top = float(most[np.isfinite(most)].max(initial=0.0))
    steps = [top * at / _STEPS for at in range(_STEPS + 1)] if top else []
    sizes = [
        PlannedSize(
            number,
            tuple(least if math.isfinite(least) else math.nan for least in of_size.found(power).tolist()),
            tuple(map(of_size.power, differences)),
            tuple((difference, of_size.power(difference)) for difference in steps),
        )
        for number, of_size in zip(wanted, planned, strict=True)
    ]
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
        settings=settings,
        groups=units.n if groups is not None else 0,
        excluded=first.excluded,
        decisions=first.decisions,
    )


def _checked(
    scored: Sequence[Scores],
    queries: Sequence[int],
    differences: Sequence[float],
    power: float,
    settings: Resampling,
) -> Measure:
    """The measure to plan by.

    Raises:
        UsageError: as ``plan``.
    """
    if len(scored) < 2:
        raise UsageError("too-few", "a plan needs at least two runs, as a comparison does")
    one_of("power", power, Real, "a number")
    if not all(is_whole(number, 0) for number in numbers("queries", queries)):
        raise refused("queries", "numbers of queries", queries)
    if not settings.alpha < power < 1:
        raise UsageError("bad-value", f"the power must be between {settings.alpha:.3g} and 1, for example 0.8")
    if any(not 0 < difference < math.inf for difference in differences):
        raise UsageError("bad-value", "the differences must be greater than 0, for example 0.02")
    first = scored[0]
    measure = next(iter(first.results))
    for other in scored[1:]:
        if measure not in other.results or tuple(other.query_ids) != tuple(first.query_ids):
            raise UsageError("not-comparable", "the runs were scored on different queries or parts")
    return measure
