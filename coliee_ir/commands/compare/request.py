"""Comparing runs: what ``compare`` is asked for, and how it is answered."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from numbers import Real
from typing import Final, Literal, NamedTuple

import numpy as np

from coliee_adapters.checked import one_of
from coliee_adapters.errors import UsageError, quoted, shortened
from coliee_adapters.files.source import PathLike
from coliee_adapters.forms.lines import counted
from coliee_adapters.remarks import Remark
from coliee_ir.commands.compare.result import TESTS, Comparison, Pair, Standing, verdict
from coliee_ir.commands.compare.systems import system, systems_of
from coliee_ir.inbox.sheets import groups_of
from coliee_ir.judging.judged import FloatArray
from coliee_ir.measures import Measure, Result
from coliee_ir.measures.base import Terms
from coliee_ir.scoring.scores import Scores, checked, comparable, places_of
from coliee_ir.stats import resampling, systems
from coliee_ir.stats.classical import critical_t, t
from coliee_ir.stats.corrections import CORRECTIONS, corrected
from coliee_ir.stats.intervals import SHARES, interval_of
from coliee_ir.stats.paired import MOST_ALONE, Board, PairTest, jointly, tested, untested
from coliee_ir.stats.ranks import Ranks, rank_sets
from coliee_ir.stats.resampling import NEAR, Interval
from coliee_ir.stats.settings import CONFIDENCE_LEVEL, MOST_RESAMPLES, N_RESAMPLES, SEED, Resampling
from coliee_ir.stats.units import Units

_DECIDING: Final = 5

#: the queries' differences of so many pairs are held at once
_AT_ONCE: Final = 256

#: with fewer queries than these, the test's level is not sure where runs answer different ones: another share than this
MANY_QUERIES: Final = 50
UNLIKE: Final = 0.25

#: in fewer differing queries than these, a pair that cannot be significant is said to differ in too few
LEAST_DIFFERING: Final = 10


def compare(
    scored: Sequence[Scores],
    *,
    measures: str | Sequence[str] = (),
    baseline: str | None = None,
    test: Literal["randomisation", "randomization", "t"] = "randomisation",
    correction: Literal["maxt", "holm", "bh", "none"] = "maxt",
    n_resamples: int = N_RESAMPLES,
    seed: int = SEED,
    confidence_level: float = CONFIDENCE_LEVEL,
    margin: float = math.nan,
    groups: PathLike | Mapping[str, str] | None = None,
    replicates: PathLike | Mapping[str, Sequence[str]] | None = None,
) -> Comparison:
    """Compare runs that were scored against one gold, query by query paired.

    Args:
        scored: at least two runs: what ``evaluate_all`` gives, or some of it.
        measures: names of measures by which the runs were scored, whose pairs are corrected together
            (``Comparison.others``); by default the first, which ranks the task's runs.
        baseline: the tag or the file of the run to compare all others with; by default all pairs are compared.
        test: one of ``randomisation``, ``t``.
        correction: for the number of pairs, one of ``maxt``, ``holm``, ``bh``, ``none``.
        n_resamples: how many resamples.
        seed: of the random numbers; the same seed gives the same resamples on any machine.
        confidence_level: of the intervals.
        margin: the greatest difference that does not matter, about which the verdicts then are.
        groups: query → group, where queries depend on each other, as a dictionary or a file with lines QUERY GROUP;
            groups are swapped and drawn as a whole.
        replicates: system → its runs, by tag or file, where several runs are one system (seeds, folds, draws of a
            language model), or a CSV with the columns run and system. Then systems are compared, by a t test: on other
            queries and in other runs of them.

    Raises:
        UsageError: a test that is not made for the measure, a baseline that is not among the runs, fewer than two runs,
            a name that stands for several measures.

    >>> from coliee_ir import evaluate_all
    >>> gold = {"q1": ["d1"], "q2": ["d2"], "q3": ["d3"]}
    >>> scored = evaluate_all(gold, {"A": {"q1": ["d1"]}, "B": {"q1": ["d9"], "q2": ["d2"]}}, task="1")
    >>> comparison = compare(scored, n_resamples=99)
    >>> comparison.runs[0].score, comparison.pairs[0].wins, comparison.pairs[0].losses
    (0.5, 1, 1)
    """
    first = checked(scored, 2, "a comparison")[0]
    settings = Resampling(n_resamples, seed, confidence_level)
    asked = Asked(test_name(test), correction, settings, margin, groups_of(groups, first.task))
    _check_choices(asked)
    by = comparable(scored, measures)
    if replicates is not None:
        of = systems_of(scored, replicates)
        asked = asked._replace(replicates=tuple(map(len, of.values())), test="t")
        if correction == "maxt":
            asked = asked._replace(correction="bonferroni")
        scored = checked([system(name, runs) for name, runs in of.items()], 2, "a comparison")
    comparison, *others = _compared(scored, asked, by, baseline)
    return replace(comparison, others=tuple(others))


def test_name(typed: str) -> str:
    """A test by its name in ``TESTS``, in which ``randomization`` is spelt with an s."""
    return str(typed).replace("randomiz", "randomis")


class Asked(NamedTuple):
    """How runs are compared; ``compare`` describes the fields."""

    test: str = "randomisation"
    correction: str = "maxt"
    settings: Resampling = Resampling()
    margin: float = math.nan
    groups: Mapping[str, str] | None = None
    replicates: tuple[int, ...] = ()


def _compared(
    scored: Sequence[Scores], asked: Asked, measures: Sequence[Measure], baseline: str | None
) -> list[Comparison]:
    """A comparison on each measure; their pairs are corrected together."""
    scored, pairs = list(scored), list(_pairs(scored, baseline))
    for measure in measures:
        _check_test(asked, measure, scored, pairs)
    first, settings = scored[0], asked.settings
    units = Units.of(first.query_ids, asked.groups)
    boards = [_Board.of(measure, scored, units, bool(asked.replicates)) for measure in measures]
    together = len(pairs) * len(measures)
    joint = None
    known = (not math.isnan(board.runs[a].score - board.runs[b].score) for board in boards for a, b in pairs)
    if asked.correction == "maxt" and (len(scored) > MOST_ALONE or sum(known) > 1):
        joint = jointly([(board.board, pairs) for board in boards if board.board is not None], settings)
    tests = [_tests(board, pairs, asked) for board in boards]
    own = np.array([test.p for of_board in tests for test in of_board])
    if joint is not None:
        p = np.concatenate(joint.p)
    elif asked.correction == "bonferroni":
        p = np.minimum(own * together, 1.0)
        wide = asked._replace(settings=replace(settings, confidence_level=1 - settings.alpha / together))
        tests_of_all = [_tests(board, pairs, wide) for board in boards]
    else:
        p = own if asked.correction == "maxt" else corrected(own, asked.correction)
    found = []
    for at, (board, of_board) in enumerate(zip(boards, tests, strict=True)):
        both: list[tuple[Interval, Sequence[float]]] = [(test.interval, test.narrower) for test in of_board]
        if joint is not None:
            both = [(Interval(*one), two) for one, two in zip(*joint.intervals[at].tolist(), strict=True)]
        elif asked.correction == "bonferroni":
            both = [(test.interval, test.narrower) for test in tests_of_all[at]]
        of_p = p[at * len(pairs) : (at + 1) * len(pairs)].tolist()
        comparison = Comparison(
            task=first.task,
            edition=first.edition,
            gold=first.gold,
            decisions=first.decisions,
            excluded=first.excluded,
            measure=board.measure.name,
            queries=len(first.query_ids),
            groups=units.n if asked.groups is not None else 0,
            replicates=asked.replicates,
            test=asked.test,
            correction=asked.correction,
            resamples=joint.drawn if joint is not None else max((test.drawn for test in of_board), default=0),
            seed=settings.seed,
            confidence_level=settings.confidence_level,
            interval="wilson" if isinstance(board.measure, SHARES) and not asked.groups else "jackknife",
            margin=asked.margin,
            together=together,
            runs=(),
            pairs=tuple(
                _pair(*of_pair, scored, board, asked)
                for of_pair in zip(pairs, of_board, of_p, both, _counts(board.runs, pairs), strict=True)
            ),
        )
        comparison = replace(comparison, runs=tuple(_standings(board, scored, asked, comparison, baseline is None)))
        found.append(replace(comparison, remarks=tuple(_remarks(comparison, board, of_board, scored, units.n))))
    return found


class _Run(NamedTuple):
    """What is known of a run: its score, what each unit adds to it, and the score without each query."""

    result: Result
    terms: Terms
    without: FloatArray

    @property
    def score(self) -> float:
        return self.result.value


class _Board(NamedTuple):
    """The runs by one measure; without a board where they are systems."""

    measure: Measure
    runs: Sequence[_Run]
    board: Board | None

    @classmethod
    def of(cls, measure: Measure, scored: Sequence[Scores], units: Units, in_systems: bool) -> _Board:
        results = [scores.results[measure] for scores in scored]
        runs = [_Run(result, units.terms(result.terms), resampling.left_out(result.terms)) for result in results]
        return cls(measure, runs, None if in_systems else Board([run.terms for run in runs]))


def _tests(board: _Board, pairs: Sequence[tuple[int, int]], asked: Asked) -> list[PairTest]:
    """Each pair tested alone; of many runs only what there is to say of them without."""
    if board.board is None:
        return systems.tested([run.terms for run in board.runs], pairs, asked.settings)
    if asked.correction == "maxt" and len(board.runs) > MOST_ALONE:
        return untested(board.board, pairs, asked.settings)
    tests = tested(board.board, pairs, asked.settings)
    if asked.test == "t":
        return [_t_test(board.runs[a], board.runs[b], test, asked) for (a, b), test in zip(pairs, tests, strict=True)]
    return tests


def _t_test(one: _Run, other: _Run, test: PairTest, asked: Asked) -> PairTest:
    values = _differences(one.result, other.result)
    error = float(values.std(ddof=1)) / math.sqrt(len(values)) if len(values) > 1 else math.nan
    ends = []
    for alpha in (asked.settings.alpha, 2 * asked.settings.alpha):
        half = critical_t(len(values), alpha) * error
        ends.append(Interval(test.difference - half, test.difference + half) if half > 0 else test.interval)
    return test._replace(p=t(values), error=error, interval=ends[0], narrower=ends[1], drawn=0)


def _standings(
    board: _Board, scored: Sequence[Scores], asked: Asked, comparison: Comparison, is_whole: bool
) -> Iterator[Standing]:
    """The runs; with the ranks that they may have where all pairs were tested, so that findings hold at once."""
    n, level, alpha = len(scored), asked.settings.confidence_level, asked.settings.alpha
    ranks = [Ranks(0, 0)] * n
    if is_whole and asked.correction not in ("bh", "none"):
        better = np.zeros((n, n), dtype=np.bool_)
        for pair in (pair for pair in comparison.pairs if pair.p < alpha):
            better[(pair.a, pair.b) if pair.difference > 0 else (pair.b, pair.a)] = True
        order = sorted(range(n), key=lambda at: np.nan_to_num(-board.runs[at].score, nan=math.inf))
        sets = rank_sets([board.runs[at].score for at in order], better[np.ix_(order, order)])
        ranks = [sets[order.index(at)] for at in range(n)]
    for scores, run, of in zip(scored, board.runs, ranks, strict=True):
        interval = interval_of(board.measure, run.result, run.terms, level, asked.groups is not None)
        yield Standing(scores.tag, scores.file, run.score, interval, of, scores.remarks)


def _check_choices(asked: Asked) -> None:
    if asked.test not in TESTS:
        raise UsageError("unknown-name", f"unknown test {asked.test!r}; the tests are {', '.join(TESTS)}")
    if asked.correction not in list(CORRECTIONS):
        problem = f"unknown correction {asked.correction!r}; the corrections are {', '.join(CORRECTIONS)}"
        raise UsageError("unknown-name", problem)
    one_of("margin", asked.margin, Real, "a number")
    if not (math.isnan(asked.margin) or 0 < asked.margin < math.inf):
        raise UsageError("bad-value", "the margin must be greater than 0, for example 0.01")


def _check_test(asked: Asked, measure: Measure, scored: Sequence[Scores], pairs: Sequence[tuple[int, int]]) -> None:
    """Refuse a test of the queries' own values where the score is not made of these."""
    if asked.test != "t" or asked.replicates:
        return
    if asked.groups is not None:
        raise UsageError("option-conflict", f"the {asked.test} test has no groups of queries; use --test randomisation")
    results = [scores.results[measure] for scores in scored]
    if not results[0].terms.is_mean:
        raise UsageError(
            "unfit-measure",
            f"{measure} is not a mean over queries, so the {asked.test} test does not apply to it; "
            "use --test randomisation",
        )
    if asked.correction == "maxt" and len(pairs) > 1:
        problem = "max-T is made of the flips of --test randomisation; with --test t use --correction holm, bh or none"
        raise UsageError("option-conflict", problem)
    left_out = [np.isnan(result.per_query) for result in results]
    for a, b in pairs:
        if not np.array_equal(left_out[a], left_out[b]):
            raise UsageError(
                "unfit-measure",
                f"{measure} leaves out different queries for {quoted(scored[a].tag)} and {quoted(scored[b].tag)}, so "
                f"the paired {asked.test} test does not apply; use --test randomisation",
            )


def _pairs(scored: Sequence[Scores], baseline: str | None) -> Iterator[tuple[int, int]]:
    """The comparisons: each run with the baseline, or all pairs."""
    if baseline is None:
        yield from combinations(range(len(scored)), 2)
        return
    places = places_of(scored, baseline)
    if len(places) != 1:
        tags = ", ".join(shortened(scores.tag) for scores in scored)
        what = "is not a run" if not places else f"matches {len(places)} runs; name its file"
        raise UsageError("unknown-name", f"the baseline {quoted(str(baseline))} {what}; the runs are {tags}")
    yield from ((at, places[0]) for at in range(len(scored)) if at != places[0])


def _pair(
    places: tuple[int, int],
    test: PairTest,
    p: float,
    intervals: tuple[Interval, Sequence[float]],
    counts: Sequence[int],
    scored: Sequence[Scores],
    board: _Board,
    asked: Asked,
) -> Pair:
    """Everything that is said of two runs."""
    a, b = places
    one, other = board.runs[a], board.runs[b]
    effect, decide = math.nan, tuple[tuple[str, float], ...]()
    if len(scored) <= MOST_ALONE:
        jackknife = one.without - other.without
        adding = (one.result.terms.each != 0).any(axis=1) | (other.result.terms.each != 0).any(axis=1)
        effect = resampling.effect(test.difference, jackknife[adding])
        decide = _deciding(test.difference, jackknife, scored[0].query_ids)
    return Pair(
        a=a,
        b=b,
        tags=(scored[a].tag, scored[b].tag),
        difference=test.difference,
        error=test.error,
        interval=intervals[0],
        p=p,
        own_interval=test.interval,
        own_p=test.p,
        verdict=verdict(test.difference, p < asked.settings.alpha, intervals[1], asked.margin),
        differing=test.differing,
        wins=counts[0],
        ties=counts[1],
        losses=counts[2],
        effect=effect,
        deciding=decide,
    )


def _counts(runs: Sequence[_Run], pairs: Sequence[tuple[int, int]]) -> list[list[int]]:
    """In how many queries the first run of each pair wins, ties and loses."""
    values, found = np.stack([run.result.per_query for run in runs]), []
    for at in range(0, len(pairs), _AT_ONCE):
        a, b = np.array(pairs[at : at + _AT_ONCE]).T
        apart = values[a] - values[b]
        each = (apart > NEAR, np.abs(apart) <= NEAR, apart < -NEAR)
        found.append(np.stack([np.count_nonzero(one, axis=1) for one in each], axis=1))
    return np.concatenate(found).tolist()  # type: ignore[no-any-return]


def _differences(a: Result, b: Result) -> FloatArray:
    """The differences of the queries that are left out of neither value."""
    values = a.per_query - b.per_query
    return values[~np.isnan(values)]


def _deciding(difference: float, jackknife: FloatArray, names: Sequence[str]) -> tuple[tuple[str, float], ...]:
    """The queries without which the difference would change most."""
    change = np.nan_to_num(jackknife - difference)
    least = np.partition(np.abs(change), -_DECIDING)[-_DECIDING] if len(names) > _DECIDING else 0.0
    largest = np.flatnonzero(np.abs(change) >= least - 2 * NEAR).tolist()
    # rounded, so that which of two equal ones comes first does not depend on the order of sums
    order = sorted(largest, key=lambda at: (-round(abs(float(change[at])), 12), names[at]))[:_DECIDING]
    return tuple((names[at], float(change[at])) for at in order if abs(change[at]) > NEAR)


def _remarks(
    comparison: Comparison, board: _Board, tests: Sequence[PairTest], scored: Sequence[Scores], n: int
) -> Iterator[str]:
    """What to know before the numbers are believed."""
    runs = board.runs
    tags = [shortened(run.tag) for run in comparison.runs]
    if undefined := [shortened(run.tag) for run in comparison.runs if math.isnan(run.score)]:
        sentence = f"{comparison.measure} is undefined for {', '.join(undefined)}: no query contributes to it"
        yield Remark("undefined-measure", sentence)
    known = [
        (pair, test) for pair, test in zip(comparison.pairs, tests, strict=True) if not math.isnan(pair.difference)
    ]
    if alike := [
        pair
        for pair, test in zip(comparison.pairs, tests, strict=True)
        if not test.differing and _is_same(runs[pair.a].terms, runs[pair.b].terms)
    ]:
        sentence = f"contribute the same to {comparison.measure} in every query ({_some(alike, tags)})"
        yield Remark("no-difference", f"{counted(len(alike), 'pair')} of runs {sentence}")
    if comparison.test == "t":
        if no_p := sum(math.isnan(pair.p) for pair, _ in known):
            sentence = "of runs differ by the same amount in every query, so the t test is undefined"
            yield Remark("no-difference", f"{counted(no_p, 'pair')} {sentence}")
    else:
        yield from _resolution(comparison, known, tags)
    if unbounded := [pair for pair, test in known if math.isnan(sum(pair.interval)) and test.differing]:
        yield Remark(
            "few-hold-most",
            f"few queries hold most of what is counted, so that {counted(len(unbounded), 'difference')} "
            f"{'has' if len(unbounded) == 1 else 'have'} no bound ({_some(unbounded, tags)})",
        )
    if n < MANY_QUERIES:
        answered = np.array([scores.answered for scores in scored])
        if apart := [pair for pair, _ in known if (answered[pair.a] != answered[pair.b]).mean() >= UNLIKE]:
            yield Remark("unlike-answers", unlike_answers(_some(apart, tags)))


def unlike_answers(which: str) -> str:
    """What there is to know of runs that answer different queries, of which there are few."""
    return f"with fewer than {MANY_QUERIES} queries, p of runs that answer different ones may be too small ({which})"


def _some(pairs: Sequence[Pair], tags: Sequence[str]) -> str:
    return "; ".join(f"{tags[pair.a]} and {tags[pair.b]}" for pair in pairs[:3]) + ("; …" if len(pairs) > 3 else "")


def _is_same(a: Terms, b: Terms) -> bool:
    return np.array_equal(a.each, b.each) and np.array_equal(a.besides, b.besides)


def _resolution(comparison: Comparison, known: Sequence[tuple[Pair, PairTest]], tags: Sequence[str]) -> Iterator[str]:
    """Whether any p could be significant at all: few queries, or few resamples, do not give a small one."""
    known = [(pair, test) for pair, test in known if test.differing]
    few = [pair for pair, test in known if test.is_hopeless and test.differing < LEAST_DIFFERING]
    what = "queries" if not comparison.groups else "groups of queries"
    if few:
        yield Remark(
            "too-few-queries",
            f"{counted(len(few), 'pair')} of runs {'differs' if len(few) == 1 else 'differ'} in too few {what} for any "
            f"difference to be significant ({_some(few, tags)})",
        )
    times = comparison.together if comparison.correction == "holm" else 1
    if comparison.resamples and any(pair not in few for pair, _ in known):
        yield from too_few_resamples(comparison.resamples, comparison.alpha, times)


def too_few_resamples(drawn: int, alpha: float, times: int = 1) -> Iterator[str]:
    """Whether so many resamples give any p that is significant when so many are corrected for."""
    least = 1 / (drawn + 1)
    if times * least < alpha:
        return
    said = f"no difference can be significant here: the smallest possible p is {least:.2g}"
    if times > 1:
        said += f", or {counted(times, 'pair')} corrected: {min(times * least, 1):.2g}"
    needed = math.floor(times / alpha) + 1
    ways = [] if needed > MOST_RESAMPLES else [f"--resamples {needed}"]
    sentence = f"{said}; use {' or '.join([*ways, *(['--correction maxt'] if times > 1 else [])])}"
    yield Remark("too-few-resamples", sentence)
