"""Planning: from the standard errors of this year's differences, those of other numbers of queries."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Final

import numpy as np

from coliee_adapters.checked import is_whole, numbers, one_of, refused
from coliee_adapters.errors import UsageError
from coliee_adapters.files.source import PathLike
from coliee_ir.commands.plan.result import Plan, PlannedSize
from coliee_ir.inbox.sheets import groups_of
from coliee_ir.scoring.scores import Scores, checked, comparable
from coliee_ir.stats.paired import Board
from coliee_ir.stats.power import largest_share, least_found
from coliee_ir.stats.resampling import Units
from coliee_ir.stats.settings import CONFIDENCE_LEVEL, N_RESAMPLES, SEED, Resampling

#: by default, so many times this year's queries
_TIMES: Final = (0.5, 1.0, 2.0, 4.0)


def plan(
    scored: Sequence[Scores],
    *,
    measure: str = "",
    queries: Sequence[int] = (),
    power: float = 0.8,
    groups: PathLike | Mapping[str, str] | None = None,
    n_resamples: int = N_RESAMPLES,
    seed: int = SEED,
    confidence_level: float = CONFIDENCE_LEVEL,
) -> Plan:
    """How many queries, or how large a difference, next year's comparison of such runs needs.

    In closed form, from the standard error with which ``compare`` and ``leaderboard`` test; of several pairs, corrected
    jointly. Good to about two digits; from 100 queries of which few hold most of what is counted, to a third. Of
    groups, as many are meant as have about so many queries.

    Args:
        scored: at least two runs: what ``evaluate_all`` gives, or some of it.
        measure: its name; by default the first of the results, which ranks the task's runs.
        queries: numbers of queries; by default half, once, twice and four times this year's.
        power: of the least difference that is found.
        groups: query → group, where queries depend on each other, as a dictionary or a file with lines QUERY GROUP;
            groups are swapped and drawn as a whole.
        n_resamples: how many resamples, for the joint test of several pairs.
        seed: of the random numbers; the same seed gives the same plan on any machine.
        confidence_level: a difference is significant where p < 1 - confidence_level.

    Raises:
        UsageError: fewer than two runs, runs that do not differ, a single query, or a number that makes no sense.

    >>> from coliee_ir import evaluate_all
    >>> gold = {f"q{at}": ["d1"] for at in range(30)}
    >>> good, fair = ({query: ["d1"][: at % k] for at, query in enumerate(gold)} for k in (4, 2))
    >>> planned = plan(evaluate_all(gold, [good, fair], task="1"), queries=[30, 120])
    >>> [(size.queries, size.found[0] < 0.1) for size in planned.sizes]
    [(30, False), (120, True)]
    """
    settings, first = Resampling(n_resamples, seed, confidence_level), checked(scored, 2, "a plan")[0]
    one_of("power", power, Real, "a number")
    if not all(is_whole(number, 0) for number in numbers("queries", queries)):
        raise refused("queries", "numbers of queries", queries)
    if not settings.alpha < power < 1:
        raise UsageError("bad-value", f"the power must be between {settings.alpha:.3g} and 1, for example 0.8")
    [by] = comparable(scored, measure)
    groups = groups_of(groups, first.task)
    units = Units.of(first.query_ids, groups)
    if units.n < 2:
        raise UsageError(
            "no-result",
            f"nothing can be planned from a single {'query' if groups is None else 'group'}; "
            "plan from a gold and runs with more",
        )
    terms = [units.terms(scores.results[by].terms) for scores in scored]
    board = Board(terms)
    pairs = np.argwhere(np.triu((board.differing > 0) & ~np.isnan(board.D)))
    if not len(pairs):
        raise UsageError("no-result", "no two of the runs differ, so nothing can be planned from them")
    n = len(first.query_ids)
    wanted = sorted(set(queries)) or sorted({max(round(times * n), 2) for times in _TIMES})
    if wanted[0] < 2:
        raise UsageError("too-few", "a plan needs at least 2 queries")
    units_of = [max(round(number * units.n / n), 2) for number in wanted]
    sizes = [
        PlannedSize(number, tuple(np.where(np.isfinite(found), found, math.nan).tolist()))
        for number, found in zip(wanted, least_found(board, pairs, units_of, settings, power), strict=True)
    ]
    return Plan(
        task=first.task,
        edition=first.edition,
        gold=first.gold,
        decisions=first.decisions,
        excluded=first.excluded,
        measure=by.name,
        queries=n,
        groups=units.n if groups is not None else 0,
        power=power,
        resamples=n_resamples,
        seed=seed,
        confidence_level=confidence_level,
        tags=tuple(scores.tag for scores in scored),
        pairs=tuple((a, b) for a, b in pairs.tolist()),
        largest_share=largest_share(board, pairs),
        sizes=tuple(sizes),
    )
