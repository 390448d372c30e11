"""Places, and the ranks that runs may have: who stands where, and how sure that is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from coliee_ir.measures.base import Terms
from coliee_ir.scoring.scores import Scores
from coliee_ir.stats import paired, systems
from coliee_ir.stats.paired import Standings
from coliee_ir.stats.ranks import DECIMALS, Ranks, may_be_best, rank_sets
from coliee_ir.stats.settings import Resampling


def order_key(scores: Scores, tie_break: Sequence[str]) -> tuple[float, ...]:
    """By what a run is ordered: its first measure, then those that break ties, as far as it has them."""
    by = {measure.name: measure for measure in scores.results}
    used = [next(iter(by.values())), *(by[name] for name in tie_break if name in by)]
    values = [scores.results[one].value * (-1 if one.lower_is_better else 1) for one in used]
    return tuple(-math.inf if math.isnan(value) else round(value, DECIMALS) for value in values)


def places(keys: Sequence[tuple[float, ...]]) -> list[int]:
    """Competition ranking of keys that stand best first; 0 for what has no score.

    >>> places([(0.9,), (0.5,), (0.5,), (0.1,), (float("-inf"),)])
    [1, 2, 2, 4, 0]
    """
    found: list[int] = []
    for at, key in enumerate(keys):
        if key[0] == -math.inf:
            found.append(0)
        else:
            found.append(found[-1] if at and key == keys[at - 1] else at + 1)
    return found


class Stand(NamedTuple):
    """Where a run may stand."""

    ranks: Ranks  # those that hold for all runs at once
    may_be_best: bool  # see ``ranks.may_be_best``


#: of a run that is not ranked
NOWHERE: Final = Stand(Ranks(0, 0), False)


def stands(terms: Sequence[Terms], settings: Resampling, kept: Sequence[int]) -> tuple[list[Stand], Standings]:
    """Where runs may stand, best first; all are tested together, and ranks are counted among those that are kept.

    Source: see ``rank_sets``.
    """
    in_systems = bool(terms) and isinstance(terms[0].score, systems.MeanOf)
    found = (systems if in_systems else paired).standings(terms, settings)
    scores = [terms[at].total for at in kept]
    ranks = rank_sets(scores, found.better[np.ix_(kept, kept)])
    return [*map(Stand, ranks, may_be_best(ranks))], found


#: so many of them are named
_NAMED: Final = 8


def best_of(names: Sequence[str]) -> str:
    """Which runs may be the best, in words."""
    if len(names) > 1:
        more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        return f"the best may be any of: {', '.join(names[:_NAMED])}{more}"
    return f"the best is {names[0]}" if names else "no run has a score"
