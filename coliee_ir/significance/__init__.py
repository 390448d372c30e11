"""Is one run really better than another? Tests and intervals for any measure, the micro-averaged ones included.

Scores ──terms──▶ sums over resampled queries ──▶ differences, p values, intervals
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final

import numpy as np

from coliee_adapters.errors import UsageError, quoted
from coliee_adapters.lines import counted
from coliee_ir.decisions import Decisions
from coliee_ir.evaluator import Evaluator, Submission
from coliee_ir.judged import FloatArray
from coliee_ir.measures import Measure, Result
from coliee_ir.measures.labels import Accuracy, LabelAccuracy
from coliee_ir.scores import Scores
from coliee_ir.significance import resampling
from coliee_ir.significance.corrections import CORRECTIONS, corrected
from coliee_ir.significance.resampling import Interval

__all__ = ["CORRECTIONS", "TESTS", "Comparison", "Interval", "Pair", "Standing", "compare", "compare_scores"]

TRIALS: Final = 10_000
SEED: Final = 2026

_DECIDING: Final = 5
_EQUAL: Final = 1e-12

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
        wins: queries with a greater value in ``a``.
        ties: queries with equal values.
        losses: queries with a greater value in ``b``.
        effect: the difference in standard deviations of the queries' differences (Cohen's d for pairs), for means; for
            other scores the difference in its own bootstrap standard errors.
        detectable: the least true difference that such a test would find with the power asked for.
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
        seed: of the random numbers.
        level: of confidence.
        power: for which ``detectable`` is.
        standings: the runs, in the order given.
        pairs: the comparisons.
        remarks: what to know of them.
    """

    task: str
    edition: int | None
    gold: str
    measure: str
    queries: int
    test: str
    correction: str
    trials: int
    seed: int
    level: float
    power: float
    standings: tuple[Standing, ...]
    pairs: tuple[Pair, ...]
    remarks: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The JSON of ``compare -o json``; a number that does not exist is null."""
        from coliee_ir import __version__

        return {
            "coliee_ir": __version__,
            "task": self.task,
            "edition": self.edition,
            "gold": self.gold,
            "measure": self.measure,
            "queries": self.queries,
            "test": self.test,
            "correction": self.correction,
            "trials": self.trials,
            "seed": self.seed,
            "level": self.level,
            "power": self.power,
            "runs": [
                {"tag": s.tag, "file": s.file, "score": _number(s.score), "interval": _numbers(s.interval)}
                for s in self.standings
            ],
            "pairs": [
                {
                    "a": self.standings[pair.a].tag,
                    "b": self.standings[pair.b].tag,
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


def compare(
    gold: object,
    *runs: object,
    measure: str = "",
    task: str | int | None = None,
    edition: int | None = None,
    baseline: str | None = None,
    test: str = "randomisation",
    correction: str = "holm",
    trials: int = TRIALS,
    seed: int = SEED,
    level: float = 0.95,
    power: float = 0.8,
    exclude: str | Sequence[str] = (),
    decisions: Decisions | None = None,
) -> Comparison:
    """Compare runs on one measure, query by query paired.

    Args:
        gold: what ``read_gold`` takes.
        runs: at least two; what ``read_run`` takes, or a ``Submission`` of several parts.
        measure: its name; by default the one that ranks the task's runs.
        task: the task; by default it is found from the gold.
        edition: the year whose rules count; by default the newest.
        baseline: the tag of the run to compare all others with; by default all pairs are compared.
        test: one of ``TESTS``.
        correction: one of ``CORRECTIONS``, for the number of pairs.
        trials: how many resamples.
        seed: of the random numbers; the same seed gives the same result on any machine.
        level: of confidence.
        power: for the least difference that can be detected.
        exclude: queries to leave out.
        decisions: the choices where the organisers leave it open.

    Raises:
        InputError: a file cannot be read, or gold and a run do not belong together.
        UsageError: a test that is not made for the measure, a baseline that is not among the runs, fewer than two runs.

    >>> gold = {"q1": ["d1"], "q2": ["d2"], "q3": ["d3"]}
    >>> comparison = compare(gold, {"q1": ["d1"]}, {"q1": ["d9"], "q2": ["d2"]}, task="1", trials=99)
    >>> comparison.standings[0].score, comparison.pairs[0].wins, comparison.pairs[0].losses
    (0.5, 1, 1)
    """
    evaluator = Evaluator(gold, [measure] if measure else (), task=task, edition=edition, exclude=exclude,
                          decisions=decisions)  # fmt: skip
    scored = []
    for run in runs:
        parts = run if isinstance(run, Submission) else Submission(run)
        scored.append(evaluator.evaluate(parts.run, answers=parts.answers, long_list=parts.long_list))
    return compare_scores(scored, baseline=baseline, test=test, correction=correction, trials=trials, seed=seed,
                          level=level, power=power)  # fmt: skip


def compare_scores(
    scored: Sequence[Scores],
    *,
    baseline: str | None = None,
    test: str = "randomisation",
    correction: str = "holm",
    trials: int = TRIALS,
    seed: int = SEED,
    level: float = 0.95,
    power: float = 0.8,
) -> Comparison:
    """Compare runs that were scored against one gold, on the first measure of their results.

    Args and errors are those of ``compare``.
    """
    _check(scored, test, correction, trials, level, power)
    measure = next(iter(scored[0].results))
    results = [scores.results[measure] for scores in scored]
    remarks = []
    pairs = list(_pairs(scored, baseline))
    terms = [result.terms for result in results]
    samples = resampling.bootstrapped(terms, trials, seed)
    p = _p_values(test, measure, results, pairs, samples, trials, seed)
    without = [resampling.left_out(run) for run in terms]
    names = scored[0].query_ids
    compared = []
    identical = []
    for (a, b), p_value, p_corrected in zip(pairs, p, corrected(p, correction), strict=True):
        difference = results[a].value - results[b].value
        spread = samples[:, a] - samples[:, b]
        jackknife = without[a] - without[b]
        error = float(np.nanstd(spread)) if not np.isnan(spread).all() else float("nan")
        values = _differences(results[a], results[b])
        if np.array_equal(terms[a].each, terms[b].each):
            identical.append(f"{scored[a].tag} and {scored[b].tag}")
        compared.append(
            Pair(
                a,
                b,
                difference,
                resampling.percentile(spread, level),
                resampling.bca(spread, difference, jackknife, level),
                float(p_value),
                float(p_corrected),
                int((values > _EQUAL).sum()),
                int((np.abs(values) <= _EQUAL).sum()),
                int((values < -_EQUAL).sum()),
                _effect(difference, values, error, is_mean=terms[a].is_mean),
                resampling.detectable(error, level, power),
                _deciding(difference, jackknife, names),
            )
        )
    if identical:
        shown = "; ".join(identical[:3]) + ("; …" if len(identical) > 3 else "")
        remarks.append(f"{counted(len(identical), 'pair')} of runs have the same counts in every query ({shown})")
    undefined = [scores.tag for scores, result in zip(scored, results, strict=True) if np.isnan(result.value)]
    if undefined:
        remarks.append(f"{measure} does not exist for {', '.join(undefined)}: there is no query to form it from")
    standings = tuple(
        Standing(scores.tag, scores.file, result.value, _interval(measure, result, samples[:, at], without[at], level))
        for at, (scores, result) in enumerate(zip(scored, results, strict=True))
    )
    first = scored[0]
    return Comparison(
        first.task, first.edition, first.gold, measure.name, len(names), test, correction, trials, seed, level, power,
        standings, tuple(compared), tuple(remarks),
    )  # fmt: skip


def _check(scored: Sequence[Scores], test: str, correction: str, trials: int, level: float, power: float) -> None:
    if len(scored) < 2:
        raise UsageError("a comparison needs two runs or more")
    if test not in TESTS:
        raise UsageError(f"there is no test {test!r}; there are {', '.join(TESTS)}")
    if correction not in CORRECTIONS:
        raise UsageError(f"there is no correction {correction!r}; there are {', '.join(CORRECTIONS)}")
    if trials < 1:
        raise UsageError("at least one resample is needed")
    for name, share in (("level", level), ("power", power)):
        if not 0 < share < 1:
            raise UsageError(f"the {name} is a share between 0 and 1, such as 0.95")
    measure = next(iter(scored[0].results))
    if any(measure not in scores.results for scores in scored):
        raise UsageError(f"not all runs have a score of {measure}: do they have the same parts?")
    if any(tuple(scores.query_ids) != tuple(scored[0].query_ids) for scores in scored):
        raise UsageError("the runs were scored on different queries")


def _pairs(scored: Sequence[Scores], baseline: str | None) -> Iterator[tuple[int, int]]:
    """The comparisons: each run with the baseline, or all pairs."""
    if baseline is None:
        yield from combinations(range(len(scored)), 2)
        return
    places = [at for at, scores in enumerate(scored) if baseline in (scores.tag, scores.file)]
    if len(places) != 1:
        tags = ", ".join(scores.tag for scores in scored)
        what = "is no run" if not places else f"names {len(places)} runs: name its file"
        raise UsageError(f"the baseline {quoted(baseline)} {what}; the runs are {tags}")
    yield from ((at, places[0]) for at in range(len(scored)) if at != places[0])


def _p_values(
    test: str,
    measure: Measure,
    results: Sequence[Result],
    pairs: Sequence[tuple[int, int]],
    samples: FloatArray,
    trials: int,
    seed: int,
) -> FloatArray:
    """The p value of each pair; NaN where a score does not exist."""
    terms = [result.terms for result in results]
    if test == "randomisation":
        p = resampling.randomised(terms, pairs, trials, seed)
    elif test == "bootstrap":
        p = np.array([_shifted(samples[:, a] - samples[:, b], terms[a].total - terms[b].total) for a, b in pairs])
    else:
        if test == "mcnemar" and not isinstance(measure, Accuracy | LabelAccuracy):
            raise UsageError(f"McNemar's test is for accuracies, and {measure} is none: use --test randomisation")
        if not terms[0].is_mean:
            problem = (
                f"{measure} is no mean of the queries' values, so that a test of these ({test}) says nothing of it"
            )
            raise UsageError(f"{problem}: use --test randomisation")
        of_pair = _CLASSICAL[test]
        p = np.array([of_pair(_differences(results[a], results[b])) for a, b in pairs])
    undefined = np.array([np.isnan(results[a].value) or np.isnan(results[b].value) for a, b in pairs])
    return np.where(undefined, np.nan, p)


def _differences(a: Result, b: Result) -> FloatArray:
    """The differences of the queries that both values are made of."""
    values = a.per_query - b.per_query
    return values[~np.isnan(values)]


def _shifted(spread: FloatArray, difference: float) -> float:
    """P of the bootstrap: how often the spread around the observed difference is as wide as that difference."""
    spread = spread[~np.isnan(spread)]
    hits = int((np.abs(spread - difference) >= abs(difference) - _EQUAL).sum())
    return (hits + 1) / (len(spread) + 1)


def _mcnemar(differences: FloatArray) -> float:
    """McNemar's exact test: a sign test of the queries that one run answers rightly and the other does not."""
    from scipy import stats

    wins, losses = int((differences > _EQUAL).sum()), int((differences < -_EQUAL).sum())
    return float(stats.binomtest(wins, wins + losses).pvalue) if wins + losses else 1.0


def _t(differences: FloatArray) -> float:
    """The paired t test."""
    from scipy import stats

    if np.ptp(differences) <= _EQUAL:  # no spread: nothing or everything is different
        return 1.0 if abs(differences[0]) <= _EQUAL else 0.0
    return float(stats.ttest_1samp(differences, 0.0).pvalue)


def _wilcoxon(differences: FloatArray) -> float:
    """Wilcoxon's signed-rank test, without the ties."""
    from scipy import stats

    moved = differences[np.abs(differences) > _EQUAL]
    return float(stats.wilcoxon(moved).pvalue) if len(moved) else 1.0


_CLASSICAL: Final[dict[str, Callable[[FloatArray], float]]] = {"mcnemar": _mcnemar, "t": _t, "wilcoxon": _wilcoxon}


def _effect(difference: float, values: FloatArray, error: float, *, is_mean: bool) -> float:
    spread = float(values.std(ddof=1)) if is_mean and len(values) > 1 else error
    if spread > _EQUAL:
        return difference / spread
    return 0.0 if abs(difference) <= _EQUAL else float("nan")


def _deciding(difference: float, jackknife: FloatArray, names: Sequence[str]) -> tuple[tuple[str, float], ...]:
    """The queries without which the difference would change most."""
    change = np.nan_to_num(jackknife - difference)
    order = np.argsort(-np.abs(change), kind="stable")[:_DECIDING]
    return tuple((names[at], float(change[at])) for at in order.tolist() if abs(change[at]) > _EQUAL)


def _interval(measure: Measure, result: Result, samples: FloatArray, without: FloatArray, level: float) -> Interval:
    """Wilson's interval of an accuracy, the BCa interval of everything else."""
    if isinstance(measure, Accuracy | LabelAccuracy):
        values = result.per_query[~np.isnan(result.per_query)]
        return resampling.wilson(float(values.sum()), len(values), level)
    return resampling.bca(samples, result.value, without, level)


def _number(value: float) -> float | None:
    return None if np.isnan(value) else value


def _numbers(interval: Interval) -> list[float | None]:
    return [_number(value) for value in interval]
