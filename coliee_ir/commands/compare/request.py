"""Comparing runs: what ``compare`` is asked for, and how it is answered."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Final, NamedTuple

import numpy as np

from coliee_adapters.errors import UsageError, quoted, shortened
from coliee_adapters.inputs import GoldLike, RunLike
from coliee_adapters.lines import counted
from coliee_ir.commands.compare import render  # noqa: F401  # registers how results show themselves
from coliee_ir.commands.compare.result import TESTS, Comparison, Pair, Standing
from coliee_ir.judging.judged import FloatArray
from coliee_ir.measures import Measure, Result, parse
from coliee_ir.measures.base import Terms
from coliee_ir.rules.decisions import Decisions
from coliee_ir.scoring.scores import Scores
from coliee_ir.scoring.session import begin, opened_submission
from coliee_ir.scoring.submission import Submission
from coliee_ir.stats import resampling
from coliee_ir.stats.classical import CLASSICAL
from coliee_ir.stats.corrections import CORRECTIONS, corrected
from coliee_ir.stats.intervals import SHARES, interval_of
from coliee_ir.stats.resampling import NEAR
from coliee_ir.stats.settings import CONFIDENCE_LEVEL, MOST_RESAMPLES, N_RESAMPLES, SEED, Resampling

_DECIDING: Final = 5


def compare(
    gold: GoldLike,
    *runs: RunLike | Submission,
    measure: str = "",
    task: str | int | None = None,
    edition: str | int | None = None,
    baseline: str | None = None,
    test: str = "randomisation",
    correction: str = "holm",
    n_resamples: int = N_RESAMPLES,
    seed: int = SEED,
    confidence_level: float = CONFIDENCE_LEVEL,
    power: float = 0.8,
    exclude: str | Iterable[str] = (),
    only: str | Iterable[str] | None = None,
    decisions: Decisions | None = None,
    columns: Mapping[str, str] | None = None,
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
        n_resamples: how many resamples.
        seed: of the random numbers; the same seed gives the same resamples on any machine.
        confidence_level: of the intervals.
        power: for the least difference that can be detected.
        exclude: queries to leave out.
        only: the queries to score, for example those of a validation split; by default all.
        decisions: the choices where the organisers leave it open.
        columns: what the columns of tables and frames are called, by role, in gold and runs: see ``read_gold``.

    Raises:
        InputError: a file cannot be read, or gold and a run do not belong together.
        UsageError: a test that is not made for the measure, a baseline that is not among the runs, fewer than two runs.

    >>> gold = {"q1": ["d1"], "q2": ["d2"], "q3": ["d3"]}
    >>> comparison = compare(gold, {"q1": ["d1"]}, {"q1": ["d9"], "q2": ["d2"]}, task="1", n_resamples=99)
    >>> comparison.standings[0].score, comparison.pairs[0].wins, comparison.pairs[0].losses
    (0.5, 1, 1)
    """
    given = [opened_submission(run, columns) for run in runs]
    evaluator, _ = begin(
        gold,
        given,
        one_measure(measure),
        task=task,
        edition=edition,
        exclude=exclude,
        only=only,
        decisions=decisions,
        columns=columns,
    )
    return compare_scores(
        evaluator.score_all(given),
        baseline=baseline,
        test=test,
        correction=correction,
        settings=Resampling(n_resamples, seed, confidence_level),
        power=power,
    )


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
        raise UsageError(f"{typed!r} stands for {len(meant)} measures ({shown}); name one measure")
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
    settings: Resampling | None = None,
    power: float = 0.8,
) -> Comparison:
    """Compare runs that were scored against one gold, on the first measure of their results.

    Args and errors are those of ``compare``, but that ``settings`` says how queries are resampled.
    """
    test = test_name(test)
    settings = settings or Resampling()
    n_resamples, seed, confidence_level = settings.n_resamples, settings.seed, settings.confidence_level
    _check_choices(test, correction, power, settings)
    _check_scores(scored)
    first = scored[0]
    measure = next(iter(first.results))
    pairs = list(_pairs(scored, baseline))
    _check_test(test, measure, scored, pairs)
    terms = [scores.results[measure].terms for scores in scored]
    samples = resampling.bootstrapped(terms, n_resamples, seed)
    runs = [
        _Run(scores.results[measure], of_run, samples[:, at], resampling.left_out(of_run))
        for at, (scores, of_run) in enumerate(zip(scored, terms, strict=True))
    ]
    p = _p_values(test, runs, pairs, n_resamples, seed)
    compared = tuple(
        replace(
            _pair(a, b, runs[a], runs[b], first.query_ids, confidence_level, power), p=p_value, corrected=p_corrected
        )
        for (a, b), p_value, p_corrected in zip(pairs, p.tolist(), corrected(p, correction).tolist(), strict=True)
    )
    standings = tuple(
        Standing(scores.tag, scores.file, run.result.value,
                 interval_of(measure, run.result, run.samples, run.without, confidence_level), scores.remarks)
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
        n_resamples=n_resamples,
        exact=test == "randomisation" and resampling.is_exact(len(first.query_ids), n_resamples),
        seed=seed,
        confidence_level=confidence_level,
        power=power,
        interval="wilson" if isinstance(measure, SHARES) else "bca",
        standings=standings,
        pairs=compared,
        excluded=first.excluded,
        decisions=first.decisions,
    )
    return replace(comparison, remarks=tuple(_remarks(comparison, runs)))


def _check_choices(test: str, correction: str, power: float, settings: Resampling) -> None:
    if test not in TESTS:
        raise UsageError(f"unknown test {test!r}; the tests are {', '.join(TESTS)}")
    if correction not in CORRECTIONS:
        raise UsageError(f"unknown correction {correction!r}; the corrections are {', '.join(CORRECTIONS)}")
    if not settings.alpha < power < 1:
        raise UsageError(
            f"the power must be between {settings.alpha:.3g}, which chance reaches, and 1, for example 0.8"
        )


def _check_scores(scored: Sequence[Scores]) -> None:
    if len(scored) < 2:
        raise UsageError("a comparison needs at least two runs")
    first = scored[0]
    measure = next(iter(first.results))
    for scores in scored[1:]:
        if measure not in scores.results:
            raise UsageError(f"some runs have no {measure} score; do all runs have the same parts?")
        if tuple(scores.query_ids) != tuple(first.query_ids):
            raise UsageError("the runs were scored on different queries")
        if (scores.task, scores.edition, scores.decisions) != (first.task, first.edition, first.decisions):
            raise UsageError("the runs were scored by different rules")


def _check_test(test: str, measure: Measure, scored: Sequence[Scores], pairs: Sequence[tuple[int, int]]) -> None:
    """Refuse a test of the queries' own values where the score is not made of these."""
    if test not in CLASSICAL:
        return
    if test == "mcnemar" and not isinstance(measure, SHARES):
        raise UsageError(f"McNemar's test applies to accuracies only, not to {measure}; use --test randomisation")
    results = [scores.results[measure] for scores in scored]
    if not results[0].terms.is_mean:
        raise UsageError(
            f"{measure} is not a mean over queries, so the {test} test does not apply to it; use --test randomisation"
        )
    left_out = [np.isnan(result.per_query) for result in results]
    for a, b in pairs:
        if not np.array_equal(left_out[a], left_out[b]):
            raise UsageError(
                f"{measure} leaves out different queries for {quoted(scored[a].tag)} and {quoted(scored[b].tag)}, so "
                f"the paired {test} test does not apply; use --test randomisation"
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
        what = "is not a run" if not places else f"matches {len(places)} runs; name its file"
        raise UsageError(f"the baseline {quoted(baseline)} {what}; the runs are {tags}")
    yield from ((at, places[0]) for at in range(len(scored)) if at != places[0])


class _Run(NamedTuple):
    """What is known of a run: its score, and the score on samples and without each query."""

    result: Result
    terms: Terms
    samples: FloatArray
    without: FloatArray


def _p_values(
    test: str, runs: Sequence[_Run], pairs: Sequence[tuple[int, int]], n_resamples: int, seed: int
) -> FloatArray:
    """The p value of each pair; NaN where a score does not exist."""
    if test == "randomisation":
        p = resampling.randomised([run.terms for run in runs], pairs, n_resamples, seed)
    elif test == "bootstrap":
        totals = [run.terms.total for run in runs]
        p = np.array([resampling.shifted(runs[a].samples, runs[b].samples, totals[a], totals[b]) for a, b in pairs])
    else:
        p = np.array([CLASSICAL[test](_differences(runs[a].result, runs[b].result)) for a, b in pairs])
    undefined = np.array([math.isnan(runs[a].result.value - runs[b].result.value) for a, b in pairs])
    return np.where(undefined, np.nan, p)


def _pair(a: int, b: int, one: _Run, other: _Run, names: Sequence[str], confidence_level: float, power: float) -> Pair:
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
        percentile=resampling.percentile(spread, confidence_level),
        bca=resampling.bca(spread, difference, jackknife, confidence_level),
        p=math.nan,
        corrected=math.nan,
        wins=int((values > NEAR).sum()),
        ties=int((np.abs(values) <= NEAR).sum()),
        losses=int((values < -NEAR).sum()),
        effect=resampling.effect(difference, jackknife[adding]),
        detectable=resampling.detectable(float(spread.std()), confidence_level, power) if len(spread) else math.nan,
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
        yield f"{comparison.measure} is undefined for {', '.join(undefined)}: no query contributes to it"
    alike = [pair for pair in comparison.pairs if _is_same(runs[pair.a].terms, runs[pair.b].terms)]
    if alike:
        shown = "; ".join(f"{tags[pair.a]} and {tags[pair.b]}" for pair in alike[:3])
        shown += "; …" if len(alike) > 3 else ""
        of_runs = counted(len(alike), "pair")
        yield f"{of_runs} of runs contribute the same to {comparison.measure} in every query ({shown})"
    tested = [pair for pair in comparison.pairs if not math.isnan(pair.p)]
    no_p = sum(math.isnan(pair.p) and not math.isnan(pair.difference) for pair in comparison.pairs)
    if no_p:
        yield f"{counted(no_p, 'pair')} of runs differ by the same amount in every query, so the t test is undefined"
    lost = [np.isnan(run.samples) for run in runs if not math.isnan(run.result.value)]
    if n_lost := int(np.any(lost, axis=0).sum()):
        of_all = f"{counted(n_lost, 'resample')} of {comparison.n_resamples:,}"
        yield f"in {of_all} {comparison.measure} is undefined for a run; the intervals leave these out"
    if comparison.test in ("randomisation", "bootstrap") and tested:
        yield from _resolution(comparison, len(tested))


def _is_same(a: Terms, b: Terms) -> bool:
    return np.array_equal(a.each, b.each) and np.array_equal(a.besides, b.besides)


def _resolution(comparison: Comparison, tested: int) -> Iterator[str]:
    """Whether any p could be significant at all: resamples cannot give a p below 1 / (n_resamples + 1)."""
    of_queries = comparison.test == "randomisation" and comparison.exact
    least = (
        resampling.least_p(comparison.queries, comparison.n_resamples)
        if of_queries
        else 1 / (comparison.n_resamples + 1)
    )
    times = tested if comparison.correction == "holm" else 1
    if times * least < comparison.alpha:
        return
    said = f"no difference can be significant here: the smallest possible p is {least:.2g}"
    if times > 1:
        said += f", or {counted(tested, 'pair')} corrected: {min(times * least, 1):.2g}"
    needed = math.floor(times / comparison.alpha) + 1
    ways = [] if of_queries or needed > MOST_RESAMPLES else [f"--resamples {needed}"]
    if times > 1:
        ways += ["--correction bh", *(["--baseline"] if len(comparison.pairs) >= len(comparison.standings) else [])]
    yield f"{said}; use {' or '.join(ways)}" if ways else f"{said}; there are too few queries"
