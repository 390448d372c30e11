"""What a comparison says: the runs and their scores, the pairs and their differences."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Final

from coliee_adapters import trec_eval
from coliee_ir.rules.decisions import Decisions
from coliee_ir.stats.resampling import Interval

#: test → what it is, and for which measures
TESTS: Final = {
    "randomisation": "paired randomisation of queries; any measure",
    "bootstrap": "paired bootstrap of the difference, shifted to the null hypothesis; any measure",
    "mcnemar": "McNemar's exact test; accuracies",
    "t": "paired t test; means over queries",
    "wilcoxon": "Wilcoxon's signed-rank test; means over queries",
}


@dataclass(frozen=True, slots=True)
class Standing:
    """A run and its score.

    Attributes:
        tag: the run's name.
        file: its file.
        score: of the measure, over all queries; NaN if it does not exist.
        interval: of the score.
    """

    tag: str
    file: str
    score: float
    interval: Interval


@dataclass(frozen=True, slots=True)
class Pair:
    """Two runs compared.

    Attributes:
        a: the place of the first run among the standings.
        b: that of the second.
        difference: score of ``a`` minus score of ``b``.
        percentile: bootstrap interval of the difference.
        bca: the same, bias-corrected and accelerated.
        p: of the test, two-sided; NaN where it cannot be formed.
        corrected: p, corrected for the number of pairs.
        wins: queries with a greater value in ``a``, by the measure's formula on the query alone.
        ties: queries with equal values; one that is left out of a score counts nowhere.
        losses: queries with a greater value in ``b``.
        effect: the difference in standard deviations of what single queries say of it, their jackknife pseudo-values.
            For a mean these are the queries' differences, so that it is Cohen's d for pairs. It does not grow with the
            number of queries.
        detectable: the least true difference that this test of this pair alone, without correction, would find with the
            power asked for; NaN for runs without any difference.
        deciding: the queries that move the difference most, and by how much it would change without each.
    """

    a: int
    b: int
    difference: float
    percentile: Interval
    bca: Interval
    p: float
    corrected: float
    wins: int
    ties: int
    losses: int
    effect: float
    detectable: float
    deciding: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Runs compared on one measure.

    Attributes:
        task: the task.
        edition: the edition; None for a task without editions.
        gold: the gold's file.
        measure: the measure's name.
        queries: how many were judged.
        test: the test, one of ``TESTS``.
        correction: one of ``CORRECTIONS``.
        trials: how many resamples.
        exact: whether the randomisation test went through all swaps, which are fewer than ``trials``.
        seed: of the random numbers.
        level: of confidence.
        power: for which ``detectable`` is.
        interval: how the scores' intervals are formed: ``wilson`` for accuracies, else ``bca``.
        standings: the runs, in the order given.
        pairs: the comparisons.
        remarks: what to know of them.
        excluded: the queries that were left out.
        decisions: the choices made where the organisers leave it open.
    """

    task: str
    edition: int | None
    gold: str
    measure: str
    queries: int
    test: str
    correction: str
    trials: int
    exact: bool
    seed: int
    level: float
    power: float
    interval: str
    standings: tuple[Standing, ...]
    pairs: tuple[Pair, ...]
    remarks: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    decisions: Decisions = field(default_factory=Decisions)

    @property
    def alpha(self) -> float:
        """A difference is significant if its corrected p is less."""
        return round(1 - self.level, 12)

    def significant(self, pair: Pair) -> bool:
        """Whether the pair's corrected p is less than ``alpha``."""
        return pair.corrected < self.alpha

    def to_dict(self) -> dict[str, Any]:
        """The JSON of ``compare -o json``; a number that does not exist is null.

        A pair names its runs by their tags, ``a`` and ``b``, and because two runs can have one tag also by their
        ``places`` among the runs, from 0.
        """
        from coliee_ir import __version__

        return {
            "coliee_ir": __version__,
            "trec_eval": trec_eval.version(),
            "task": self.task,
            "edition": self.edition,
            "gold": self.gold,
            "decisions": self.decisions.to_dict(),
            **({"excluded": list(self.excluded)} if self.excluded else {}),
            "measure": self.measure,
            "queries": self.queries,
            "test": self.test,
            "correction": self.correction,
            "trials": self.trials,
            "exact": self.exact,
            "seed": self.seed,
            "level": self.level,
            "power": self.power,
            "interval": self.interval,
            "runs": [
                {"tag": s.tag, "file": s.file, "score": _number(s.score), "interval": _numbers(s.interval)}
                for s in self.standings
            ],
            "pairs": [
                {
                    "a": self.standings[pair.a].tag,
                    "b": self.standings[pair.b].tag,
                    "places": [pair.a, pair.b],
                    "difference": _number(pair.difference),
                    "percentile": _numbers(pair.percentile),
                    "bca": _numbers(pair.bca),
                    "p": _number(pair.p),
                    "p_corrected": _number(pair.corrected),
                    "wins": pair.wins,
                    "ties": pair.ties,
                    "losses": pair.losses,
                    "effect": _number(pair.effect),
                    "detectable": _number(pair.detectable),
                    "deciding": [{"query": query, "change": change} for query, change in pair.deciding],
                }
                for pair in self.pairs
            ],
            "remarks": list(self.remarks),
        }


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value


def _numbers(interval: Interval) -> list[float | None]:
    return [_number(value) for value in interval]
