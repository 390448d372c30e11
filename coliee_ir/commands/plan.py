"""How large a difference next year's comparison can show with how many queries, from this year's runs.

Scores ──terms──▶ standard errors ──▶ those of n queries ──▶ the differences that the test finds
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Final

import numpy as np

from coliee_adapters.checked import error_for_argument, is_integer_within, numbers, one_of, suggesting_keywords
from coliee_adapters.errors import UsageError
from coliee_adapters.files.source import PathLike
from coliee_adapters.forms.lines import counted, plural
from coliee_ir.measures.base import Terms
from coliee_ir.output.grid import Grid, Number, whole
from coliee_ir.output.rendering import OnGold
from coliee_ir.scoring.comparable import checked, comparable
from coliee_ir.scoring.replicates import groups_in, system, systems_of
from coliee_ir.scoring.scores import Scores
from coliee_ir.stats import systems
from coliee_ir.stats.paired import Board
from coliee_ir.stats.power import largest_share, least_found, told_apart_by
from coliee_ir.stats.resampling import CONFIDENCE_LEVEL, N_RESAMPLES, SEED, Resampling, Units

#: by default, so many times this year's queries
_TIMES: Final = (0.5, 1.0, 2.0, 4.0)

#: of fewer runs of a system, their variance is known too badly for a plan
_MANY_RUNS: Final = 10

#: from this share of the variance in one query on, plans are known to be off (``benchmarks.error_rates``)
_HEAVY: Final = 0.2

#: and where no more questions than these tell two accuracies apart
_FEW_DIFFERING: Final = 10


@dataclass(frozen=True, slots=True)
class PlannedSize:
    """A number of queries, and what a comparison finds with so many.

    Attributes:
        queries: how many.
        found: of each pair, the least difference that is found with the power asked for; None where none is.
    """

    queries: int
    found: tuple[float | None, ...]


@dataclass(frozen=True, slots=True, repr=False)
class Plan(OnGold):
    """What can be found with how many queries.

    Attributes:
        groups: how many groups of queries were swapped as a whole; 0 for single queries.
        power: how often the differences of ``PlannedSize.found`` are found.
        resamples: how many resamples.
        confidence_level: a difference is significant where p < 1 - confidence_level.
        tags: the runs.
        pairs: those that differ, by the runs' places.
        largest_share: which share of the variance of a typical pair's difference one query has.
        differing: of accuracies, in how many queries the runs of a typical pair differ; 0 for others.
        sizes: the numbers of queries.
        replicates: of how many runs each system is, this year and as planned; empty where runs are planned for.
        at_best: of each pair of systems, the least difference that is found with any number of queries.
    """

    groups: int
    power: float
    resamples: int
    confidence_level: float
    tags: tuple[str, ...]
    pairs: tuple[tuple[int, int], ...]
    largest_share: float
    differing: int
    sizes: tuple[PlannedSize, ...]
    replicates: tuple[int, ...] = ()
    at_best: tuple[float | None, ...] = ()

    def __repr__(self) -> str:
        return f"Plan({self.measure!r}, runs={list(self.tags)}, queries={[size.queries for size in self.sizes]})"

    def tables(self) -> Sequence[Grid]:
        """For each number of queries what is found of a typical pair, and of the pair that varies most."""
        n, units = len(self.pairs), plural(self.unit)
        jointly = f", {n} pairs tested jointly. Typical: median pair; hardest: largest" * (n > 1)
        columns = {
            units: lambda size: whole(size.queries),
            "typical pair": lambda size: _size_cell(size, statistics.median),
            "hardest pair": lambda size: _size_cell(size, max),
        }
        caption = (
            f"Smallest true difference of {self.measure} found with about {self.power:.0%} power at "
            f"p < {1 - self.confidence_level:.6g}{jointly}."
        )
        return [Grid.of(self.sizes, columns, caption, n_text=0)]

    def notes(self) -> Sequence[str]:
        """Which sizes find nothing, and how far the plan can be trusted where a few queries decide."""
        hopeless = [str(size.queries) for size in self.sizes if all(least is None for least in size.found)]
        units, in_groups = plural(self.unit), f" in {counted(self.groups, 'group')}" if self.groups else ""
        kind = "system" if self.replicates else "run"
        n = self.groups or self.queries
        # twice the relative error of a standard error of n normal contributions
        others = f"; {n} others may give figures {2 / math.sqrt(2 * (n - 1)):.0%} off" * (not self.replicates)
        notes = [f"estimated from {self.queries} {units}{in_groups} of {counted(len(self.tags), kind)}{others}"]
        if self.replicates:
            each = " or ".join(map(str, sorted({*self.replicates})))
            best = statistics.median(math.inf if least is None else least for least in self.at_best)
            limit = f"finds less than {best:.2g} of a typical pair" if best < math.inf else "finds a typical pair"
            notes.append(
                f"By the t test of systems, with {each} runs of each as here: more {units} do not lessen the variance "
                + (f"between runs, so no number of {units} {limit}." if best else "between runs, which is 0 in these.")
            )
            if min(self.replicates) < _MANY_RUNS:
                notes.append(
                    f"That variance is estimated from {each} runs of each system, so the plan may be far off: with 3, "
                    "by a factor of 2 or more."
                )
        if hopeless:
            notes.append(
                f"-: with {' or '.join(hopeless)} {'groups' if self.groups else units} no difference is found with "
                f"power {self.power:g}, however large it is."
            )
        if 0 < self.differing <= _FEW_DIFFERING:
            notes.append(
                f"The runs of a typical pair differ in {counted(self.differing, self.unit)}: from so few, a power of "
                "0.8 may be anything from 0.6 to 0.95."
            )
        elif self.largest_share >= _HEAVY:
            notes.append(
                f"One {self.unit} has {self.largest_share:.0%} of the variance of a typical difference: with so few "
                f"large {units}, a power of 0.8 may be anything from 0.65 to 1."
            )
        return notes


def _size_cell(size: PlannedSize, summed: Callable[[list[float]], float]) -> Number:
    value = summed([math.inf if least is None else least for least in size.found])
    return Number(value, f"{value:.2g}") if value < math.inf else Number(math.nan)


@suggesting_keywords()
def plan(
    scored: Sequence[Scores],
    *,
    measure: str = "",
    queries: Sequence[int] = (),
    power: float = 0.8,
    groups: PathLike | Mapping[str, str] | None = None,
    replicates: PathLike | Mapping[str, Sequence[str]] | None = None,
    n_resamples: int = N_RESAMPLES,
    seed: int = SEED,
    confidence_level: float = CONFIDENCE_LEVEL,
) -> Plan:
    """The least difference that next year's comparison of such runs finds, for numbers of queries.

    In closed form, from the standard error with which ``compare`` and ``leaderboard`` test; of accuracies, by McNemar's
    exact test; of several pairs, corrected jointly. A note says how far off the power may be where few queries decide.
    Of groups, as many are meant as have about so many queries.

    Args:
        scored: at least two runs: what ``evaluate_all`` gives, or some of it.
        measure: its name; by default the first of the results, which ranks the task's runs.
        queries: numbers of queries; by default half, once, twice and four times this year's.
        power: of the least difference that is found.
        groups: query → group, where queries depend on each other, as a dictionary or a file with lines QUERY GROUP;
            groups are swapped and drawn as a whole.
        replicates: system → its runs, as ``compare`` takes them: then for its t test of systems, with as many runs.
        n_resamples: how many resamples, for the joint test of several pairs.
        seed: of the random numbers; the same seed gives the same plan on any machine.
        confidence_level: a difference is significant where p < 1 - confidence_level.

    Raises:
        UsageError: fewer than two runs, runs that do not differ, a single query, or a number that makes no sense.

    >>> from coliee_ir import evaluate_all
    >>> gold = {f"q{n}": ["d1"] for n in range(30)}
    >>> good, fair = ({query: ["d1"][: n % k] for n, query in enumerate(gold)} for k in (4, 2))
    >>> planned = plan(evaluate_all(gold, [good, fair], task="1"), queries=[30, 120])
    >>> [size.found[0] is not None for size in planned.sizes]
    [True, True]
    """
    settings, scored = Resampling(n_resamples, seed, confidence_level), checked(scored, 2, "a plan")
    first = scored[0]
    one_of("power", power, Real, "a number")
    if not all(is_integer_within(number, 0) for number in numbers("queries", queries)):
        raise error_for_argument("queries", "numbers of queries", queries)
    if not settings.alpha < power < 1:
        raise UsageError("bad-value", f"the power must be between {settings.alpha:.3g} and 1, for example 0.8")
    [by_measure] = comparable(scored, measure)
    groups = groups_in(scored, groups)
    units = Units.of(first.query_ids, groups)
    if units.n < 2:
        raise UsageError(
            "no-result",
            f"nothing can be planned from a single {'query' if groups is None else 'group'}; "
            "plan from a gold and runs with more",
        )
    by_system = {} if replicates is None else systems_of(scored, replicates)
    if replicates is not None:
        scored = checked([system(name, runs) for name, runs in by_system.items()], 2, "a plan")
    terms = [units.terms(scores.results[by_measure].terms) for scores in scored]
    n = len(first.query_ids)
    wanted = sorted(set(queries)) or sorted({max(round(times * n), 2) for times in _TIMES})
    if wanted[0] < 2:
        raise UsageError("too-few", "a plan needs at least 2 queries")
    units_of = [max(round(number * units.n / n), 2) for number in wanted]
    outlook = (systems.outlook if by_system else _of_runs)(terms, units_of, settings, power)
    if not outlook.pairs:
        differ = "systems" if by_system else "runs"
        raise UsageError("no-result", f"no two of the {differ} differ, so nothing can be planned from them")
    return Plan(
        **first.on_gold(by_measure.name, seed),
        groups=units.n if groups is not None else 0,
        power=power,
        resamples=0 if by_system else n_resamples,
        confidence_level=confidence_level,
        tags=tuple(scores.name for scores in scored),
        pairs=tuple(outlook.pairs),
        largest_share=outlook.largest_share,
        differing=outlook.differing,
        sizes=tuple(PlannedSize(number, _finite(least)) for number, least in zip(wanted, outlook.found, strict=True)),
        replicates=tuple(map(len, by_system.values())),
        at_best=_finite(outlook.at_best),
    )


def _finite(least: Sequence[float]) -> tuple[float | None, ...]:
    return tuple(value if math.isfinite(value) else None for value in least)


def _of_runs(terms: Sequence[Terms], sizes: Sequence[int], settings: Resampling, power: float) -> systems.Outlook:
    """What the randomisation test of runs finds."""
    board = Board(terms)
    pairs = np.argwhere(np.triu((board.differing > 0) & ~np.isnan(board.D)))
    if not len(pairs):
        return systems.Outlook([], [], [], 0.0)
    share, differing = largest_share(board, pairs), told_apart_by(board, pairs)
    return systems.Outlook(
        [(a, b) for a, b in pairs.tolist()],
        [least.tolist() for least in least_found(board, pairs, sizes, settings, power)],
        [],
        share,
        differing,
    )
