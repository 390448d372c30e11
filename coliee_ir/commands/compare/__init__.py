"""Is one run really better than another? Tests and intervals for any measure, the micro-averaged ones included.

Scores ──terms──▶ sums over resampled queries ──▶ differences, p values, intervals
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Final, NamedTuple

import numpy as np

from coliee_adapters.errors import UsageError, quoted, shortened
from coliee_adapters.lines import counted
from coliee_ir.commands.compare.comparison import TESTS, Comparison, Pair, Standing
from coliee_ir.judging.judged import FloatArray
from coliee_ir.measures import Measure, Result, parse
from coliee_ir.measures.base import Terms
from coliee_ir.measures.labels import Accuracy, LabelAccuracy
from coliee_ir.rules.decisions import Decisions
from coliee_ir.rules.protocol import task_name
from coliee_ir.scoring.evaluator import Evaluator, Submission
from coliee_ir.scoring.reading import find_task, opened, read_gold
from coliee_ir.scoring.scores import Scores
from coliee_ir.stats import resampling
from coliee_ir.stats.classical import CLASSICAL
from coliee_ir.stats.corrections import CORRECTIONS, corrected
from coliee_ir.stats.resampling import NEAR, Interval

__all__ = ["CORRECTIONS", "TESTS", "Comparison", "Interval", "Pair", "Standing", "compare", "compare_scores"]

TRIALS: Final = 10_000
SEED: Final = 2026

#: More resamples than these would need more memory than digits of p are worth.
MOST_TRIALS: Final = 1_000_000

#: The measures that are shares of queries answered rightly.
SHARES: Final = (Accuracy, LabelAccuracy)

_DECIDING: Final = 5


def compare(
    gold: object,
    *runs: object,
    measure: str = "",
    task: str | int | None = None,
    edition: str | int | None = None,
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
        task: the task; by default it is found from gold and runs.
        edition: the year whose rules count; by default the newest.
        baseline: the tag or the file of the run to compare all others with; by default all pairs are compared.
        test: one of ``randomisation``, ``bootstrap``, ``mcnemar``, ``t``, ``wilcoxon``.
        correction: for the number of pairs, one of ``holm``, ``bh``, ``none``.
        trials: how many resamples.
        seed: of the random numbers; the same seed gives the same resamples on any machine.
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
    given = [Submission(*map(opened, run if isinstance(run, Submission) else Submission(run))) for run in runs]
    task = task_name(task)
    record = read_gold(gold, task=task)
    if task is None and given:
        task = "3" if given[0].answers is not None else find_task(record, given[0].run).task
    evaluator = Evaluator(record, one_measure(measure), task=task, edition=edition, exclude=exclude,
                          decisions=decisions)  # fmt: skip
    scored = [evaluator.evaluate(run, answers=answers, long_list=long_list) for run, answers, long_list in given]
    return compare_scores(scored, baseline=baseline, test=test, correction=correction, trials=trials, seed=seed,
                          level=level, power=power)  # fmt: skip


def one_measure(typed: str) -> list[str]:
    """The measure to compare by, as an evaluator is asked for it; nothing for the one that ranks.

    Raises:
        UsageError: there is no such measure, or the name stands for several.
    """
    if not typed:
        return []
    meant = parse(typed)
    if len(meant) > 1:
        shown = ", ".join(map(str, meant[:3])) + (", …" if len(meant) > 3 else "")
        raise UsageError(f"{typed!r} stands for {len(meant)} measures ({shown}): runs are compared by one")
    return [typed]


def test_name(typed: str) -> str:
    """A test by its name in ``TESTS``, in which ``randomization`` is spelt with an s."""
    return typed.replace("randomiz", "randomis")


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
    test = test_name(test)
    _check_choices(test, correction, trials, seed, level, power)
    _check_scores(scored)
    first = scored[0]
    measure = next(iter(first.results))
    pairs = list(_pairs(scored, baseline))
    _check_test(test, measure, scored, pairs)
    terms = [scores.results[measure].terms for scores in scored]
    samples = resampling.bootstrapped(terms, trials, seed)
    runs = [
        _Run(scores.results[measure], of_run, samples[:, at], resampling.left_out(of_run))
        for at, (scores, of_run) in enumerate(zip(scored, terms, strict=True))
    ]
    p = _p_values(test, runs, pairs, trials, seed)
    compared = tuple(
        replace(_pair(a, b, runs[a], runs[b], first.query_ids, level, power), p=p_value, corrected=p_corrected)
        for (a, b), p_value, p_corrected in zip(pairs, p.tolist(), corrected(p, correction).tolist(), strict=True)
    )
    standings = tuple(
        Standing(scores.tag, scores.file, run.result.value,
                 interval_of(measure, run.result, run.samples, run.without, level))
        for scores, run in zip(scored, runs, strict=True)
    )  # fmt: skip
    comparison = Comparison(
        task=first.task,
        edition=first.edition,
        gold=first.gold,
        measure=measure.name,
        queries=len(first.query_ids),
        test=test,
        correction=correction,
        trials=trials,
        exact=test == "randomisation" and resampling.is_exact(len(first.query_ids), trials),
        seed=seed,
        level=level,
        power=power,
        interval="wilson" if isinstance(measure, SHARES) else "bca",
        standings=standings,
        pairs=compared,
        excluded=first.excluded,
        decisions=first.decisions,
    )
    return replace(comparison, remarks=tuple(_remarks(comparison, runs)))


def interval_of(measure: Measure, result: Result, samples: FloatArray, without: FloatArray, level: float) -> Interval:
    """The interval of a score: Wilson's of an accuracy, which is a share of queries, else the BCa interval.

    Args:
        measure: the measure.
        result: what it says of the run.
        samples: shape (trials,); the score on bootstrap samples.
        without: shape (Q,); the score without each query in turn.
        level: of confidence.
    """
    if isinstance(measure, SHARES):
        values = result.per_query[~np.isnan(result.per_query)]
        return resampling.wilson(float(values.sum()), len(values), level)
    return resampling.bca(samples, result.value, without, level)


def check_resampling(trials: int, seed: int, level: float) -> None:
    """Refuse what queries cannot be resampled by.

    Raises:
        UsageError: too few or too many resamples, a negative seed, a level that is no share.
    """
    if not 1 <= trials <= MOST_TRIALS:
        raise UsageError(f"the number of resamples is from 1 to {MOST_TRIALS:,}")
    if seed < 0:
        raise UsageError("a seed is a whole number from 0")
    if not 0 < level < 1:
        raise UsageError("the level is a share between 0 and 1, such as 0.95")


def _check_choices(test: str, correction: str, trials: int, seed: int, level: float, power: float) -> None:
    if test not in TESTS:
        raise UsageError(f"there is no test {test!r}; there are {', '.join(TESTS)}")
    if correction not in CORRECTIONS:
        raise UsageError(f"there is no correction {correction!r}; there are {', '.join(CORRECTIONS)}")
    check_resampling(trials, seed, level)
    if not 1 - level < power < 1:
        raise UsageError(f"the power is a share between {1 - level:.3g}, which chance reaches, and 1, such as 0.8")


def _check_scores(scored: Sequence[Scores]) -> None:
    if len(scored) < 2:
        raise UsageError("a comparison needs two runs or more")
    first = scored[0]
    measure = next(iter(first.results))
    for scores in scored[1:]:
        if measure not in scores.results:
            raise UsageError(f"not all runs have a score of {measure}: do they have the same parts?")
        if tuple(scores.query_ids) != tuple(first.query_ids):
            raise UsageError("the runs were scored on different queries")
        if (scores.task, scores.edition, scores.decisions) != (first.task, first.edition, first.decisions):
            raise UsageError("the runs were scored by different rules")


def _check_test(test: str, measure: Measure, scored: Sequence[Scores], pairs: Sequence[tuple[int, int]]) -> None:
    """Refuse a test of the queries' own values where the score is not made of these."""
    if test not in CLASSICAL:
        return
    if test == "mcnemar" and not isinstance(measure, SHARES):
        raise UsageError(f"McNemar's test is for accuracies, and {measure} is none: use --test randomisation")
    results = [scores.results[measure] for scores in scored]
    if not results[0].terms.is_mean:
        raise UsageError(
            f"{measure} is no mean of the queries' values, so that a test of these ({test}) says nothing of it: "
            "use --test randomisation"
        )
    left_out = [np.isnan(result.per_query) for result in results]
    for a, b in pairs:
        if not np.array_equal(left_out[a], left_out[b]):
            raise UsageError(
                f"{measure} leaves out other queries of {quoted(scored[a].tag)} than of {quoted(scored[b].tag)}, so "
                f"that a test of paired values ({test}) says nothing of it: use --test randomisation"
            )


def _pairs(scored: Sequence[Scores], baseline: str | None) -> Iterator[tuple[int, int]]:
    """The comparisons: each run with the baseline, or all pairs."""
    if baseline is None:
        yield from combinations(range(len(scored)), 2)
        return
    places = [at for at, scores in enumerate(scored) if scores.tag == baseline]
    if len(places) != 1:  # a tag goes before a file of that name
        places = [at for at, scores in enumerate(scored) if scores.file == baseline] or places
    if len(places) != 1:
        tags = ", ".join(shortened(scores.tag) for scores in scored)
        what = "is no run" if not places else f"names {len(places)} runs: name its file"
        raise UsageError(f"the baseline {quoted(baseline)} {what}; the runs are {tags}")
    yield from ((at, places[0]) for at in range(len(scored)) if at != places[0])


class _Run(NamedTuple):
    """What is known of a run: its score, and the score on samples and without each query."""

    result: Result
    terms: Terms
    samples: FloatArray
    without: FloatArray


def _p_values(test: str, runs: Sequence[_Run], pairs: Sequence[tuple[int, int]], trials: int, seed: int) -> FloatArray:
    """The p value of each pair; NaN where a score does not exist."""
    if test == "randomisation":
        p = resampling.randomised([run.terms for run in runs], pairs, trials, seed)
    elif test == "bootstrap":
        totals = [run.terms.total for run in runs]
        p = np.array([resampling.shifted(runs[a].samples, runs[b].samples, totals[a], totals[b]) for a, b in pairs])
    else:
        p = np.array([CLASSICAL[test](_differences(runs[a].result, runs[b].result)) for a, b in pairs])
    undefined = np.array([math.isnan(runs[a].result.value - runs[b].result.value) for a, b in pairs])
    return np.where(undefined, np.nan, p)


def _pair(a: int, b: int, one: _Run, other: _Run, names: Sequence[str], level: float, power: float) -> Pair:
    """Everything that is said of two runs but p."""
    difference = one.result.value - other.result.value
    spread = one.samples - other.samples
    spread = spread[~np.isnan(spread)]
    jackknife = one.without - other.without
    adding = (one.terms.each != 0).any(axis=1) | (other.terms.each != 0).any(axis=1)
    values = _differences(one.result, other.result)
    return Pair(
        a=a,
        b=b,
        difference=difference,
        percentile=resampling.percentile(spread, level),
        bca=resampling.bca(spread, difference, jackknife, level),
        p=math.nan,
        corrected=math.nan,
        wins=int((values > NEAR).sum()),
        ties=int((np.abs(values) <= NEAR).sum()),
        losses=int((values < -NEAR).sum()),
        effect=resampling.effect(difference, jackknife[adding]),
        detectable=resampling.detectable(float(spread.std()), level, power) if len(spread) else math.nan,
        deciding=_deciding(difference, jackknife, names),
    )


def _differences(a: Result, b: Result) -> FloatArray:
    """The differences of the queries that are left out of neither value."""
    values = a.per_query - b.per_query
    return values[~np.isnan(values)]


def _deciding(difference: float, jackknife: FloatArray, names: Sequence[str]) -> tuple[tuple[str, float], ...]:
    """The queries without which the difference would change most."""
    change = np.nan_to_num(jackknife - difference)
    # rounded, so that which of two equal ones comes first does not depend on the order of sums
    order = np.argsort(-np.round(np.abs(change), 12), kind="stable")[:_DECIDING]
    return tuple((names[at], float(change[at])) for at in order.tolist() if abs(change[at]) > NEAR)


def _remarks(comparison: Comparison, runs: Sequence[_Run]) -> Iterator[str]:
    """What to know before the numbers are believed."""
    tags = [shortened(standing.tag) for standing in comparison.standings]
    undefined = [shortened(s.tag) for s in comparison.standings if math.isnan(s.score)]
    if undefined:
        yield f"{comparison.measure} does not exist for {', '.join(undefined)}: there is no query to form it from"
    alike = [pair for pair in comparison.pairs if _is_same(runs[pair.a].terms, runs[pair.b].terms)]
    if alike:
        shown = "; ".join(f"{tags[pair.a]} and {tags[pair.b]}" for pair in alike[:3])
        shown += "; …" if len(alike) > 3 else ""
        yield f"{counted(len(alike), 'pair')} of runs add the same to {comparison.measure} in every query ({shown})"
    tested = [pair for pair in comparison.pairs if not math.isnan(pair.p)]
    no_p = sum(math.isnan(pair.p) and not math.isnan(pair.difference) for pair in comparison.pairs)
    if no_p:
        yield f"{counted(no_p, 'pair')} of runs differ by the same in every query: there is no spread for a t test"
    lost = [np.isnan(run.samples) for run in runs if not math.isnan(run.result.value)]
    if n_lost := int(np.any(lost, axis=0).sum()):
        of_all = f"{counted(n_lost, 'resample')} of {comparison.trials:,}"
        yield f"in {of_all} {comparison.measure} does not exist for a run; the intervals leave these out"
    if comparison.test in ("randomisation", "bootstrap") and tested:
        yield from _resolution(comparison, len(tested))


def _is_same(a: Terms, b: Terms) -> bool:
    return np.array_equal(a.each, b.each) and np.array_equal(a.besides, b.besides)


def _resolution(comparison: Comparison, tested: int) -> Iterator[str]:
    """Whether any p could be significant at all: resamples cannot give a p below 1 / (trials + 1)."""
    of_queries = comparison.test == "randomisation" and comparison.exact
    least = resampling.least_p(comparison.queries, comparison.trials) if of_queries else 1 / (comparison.trials + 1)
    times = tested if comparison.correction == "holm" else 1
    if times * least < comparison.alpha:
        return
    said = f"no difference can be significant here: p is at least {least:.2g}"
    if times > 1:
        said += f", corrected for {counted(tested, 'pair')} at least {min(times * least, 1):.2g}"
    needed = math.floor(times / comparison.alpha) + 1
    ways = [] if of_queries or needed > MOST_TRIALS else [f"--resamples {needed}"]
    if times > 1:
        ways += ["--correction bh", *(["--baseline"] if len(comparison.pairs) >= len(comparison.standings) else [])]
    yield f"{said}; take {' or '.join(ways)}" if ways else f"{said}; there are too few queries"
