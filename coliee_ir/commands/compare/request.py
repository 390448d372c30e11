"""Comparing runs: what ``compare`` is asked for, and how it is answered."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from numbers import Real
from typing import Any, Final, Literal, NamedTuple

import numpy as np

from coliee_adapters.checked import one_of
from coliee_adapters.errors import UsageError, quoted, shortened
from coliee_adapters.files.source import PathLike
from coliee_adapters.ids import IntArray
from coliee_adapters.remarks import EXAMPLES, Remark
from coliee_ir.commands.compare.result import TESTS, Comparison, Pairs, Standing, verdicts
from coliee_ir.commands.compare.systems import system, systems_of
from coliee_ir.inbox.sheets import groups_of
from coliee_ir.judging.judged import BoolArray, FloatArray
from coliee_ir.measures import Measure, Result
from coliee_ir.measures.base import Terms
from coliee_ir.scoring.scores import Scores, checked, comparable, place_of
from coliee_ir.stats import resampling, systems
from coliee_ir.stats.intervals import SHARES, interval_of
from coliee_ir.stats.paired import CORRECTIONS, MOST_ALONE, Board, PairTest, corrected, jointly, tested
from coliee_ir.stats.ranks import Ranks, rank_sets
from coliee_ir.stats.resampling import NEAR, Interval, Units
from coliee_ir.stats.settings import CONFIDENCE_LEVEL, MOST_RESAMPLES, N_RESAMPLES, SEED, Resampling
from coliee_ir.stats.student import t_quantile, t_test

_DECIDING: Final = 5

#: the queries' differences of so many pairs are held at once
_AT_ONCE: Final = 256

#: with fewer queries than these, the test's level is not sure where runs answer different ones: another share than this
MANY_QUERIES: Final = 50
UNLIKE: Final = 0.25

#: what is swapped and drawn, without groups and with them
UNITS: Final = ("queries", "groups of queries")

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
    scored, pairs = list(scored), _pairs(scored, baseline)
    for measure in measures:
        _check_test(asked, measure, scored, pairs)
    first, settings = scored[0], asked.settings
    units = Units.of(first.query_ids, asked.groups)
    boards = [_Board.of(measure, scored, units, bool(asked.replicates)) for measure in measures]
    together = len(pairs) * len(measures)
    tests = [_alone(board, pairs, asked) for board in boards]
    own = np.concatenate([test.p for test in tests])
    intervals, resamples = [(test.interval, test.narrower) for test in tests], max(test.drawn.max() for test in tests)
    n_known = sum(np.count_nonzero(~np.isnan(test.difference)) for test in tests)
    if asked.correction == "maxt" and (len(scored) > MOST_ALONE or n_known > 1):
        joint = jointly([(board.board, pairs) for board in boards if board.board is not None], settings)
        p, resamples, intervals = np.concatenate(joint.p), joint.drawn, [(one[0], one[1]) for one in joint.intervals]
    elif asked.correction == "bonferroni":
        p = np.minimum(own * together, 1.0)
        wide = asked._replace(settings=replace(settings, confidence_level=1 - settings.alpha / together))
        intervals = [(test.interval, test.narrower) for test in (_alone(board, pairs, wide) for board in boards)]
    else:
        p = own if asked.correction == "maxt" else corrected(own, asked.correction)
    found = []
    for board, test, of_p, ends in zip(boards, tests, np.split(p, len(boards)), intervals, strict=True):
        told = _told(board, pairs, test, of_p, ends, scored, asked)
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
            resamples=int(resamples),
            seed=settings.seed,
            confidence_level=settings.confidence_level,
            interval=_interval(board.measure, asked),
            margin=asked.margin,
            together=together,
            runs=tuple(_standings(board, scored, asked, pairs[of_p < settings.alpha] if baseline is None else None)),
            pairs=told,
        )
        remarks = _remarks(comparison, board, test, told.columns, scored, units.n)
        found.append(replace(comparison, remarks=tuple(remarks)))
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


class _Alone(NamedTuple):
    """Each pair by itself: a column for each field of ``PairTest``."""

    difference: FloatArray
    error: FloatArray
    p: FloatArray
    critical: FloatArray
    differing: IntArray
    interval: FloatArray
    narrower: FloatArray
    drawn: IntArray


def _alone(board: _Board, pairs: IntArray, asked: Asked) -> _Alone:
    """Each pair tested alone; of many runs only what there is to say of them without."""
    if board.board is None:
        tests = systems.tested([run.terms for run in board.runs], pairs, asked.settings)
    elif asked.correction == "maxt" and len(board.runs) > MOST_ALONE:
        (a, b), of, none = pairs.T, board.board, np.full((len(pairs), 2), math.nan)
        critical = np.where(2.0 ** (1.0 - of.differing[a, b]) >= asked.settings.alpha, math.inf, math.nan)
        drawn = np.zeros(len(pairs), dtype=np.int64)
        return _Alone(
            of.D[a, b], np.sqrt(of.A[a, b]), none[:, 0], critical, of.differing[a, b], none, none, drawn
        )  # fmt: skip
    else:
        tests = tested(board.board, pairs, asked.settings)
    if asked.test == "t" and not asked.replicates:
        each = zip(pairs.tolist(), tests, strict=True)
        tests = [_t_test(board.runs[a].result, board.runs[b].result, test, asked) for (a, b), test in each]
    return _Alone(*map(np.array, zip(*tests, strict=True)))


def _t_test(one: Result, other: Result, test: PairTest, asked: Asked) -> PairTest:
    values = one.per_query - other.per_query
    values = values[~np.isnan(values)]  # of the queries that are left out of neither
    error = float(values.std(ddof=1)) / math.sqrt(len(values)) if len(values) > 1 else math.nan
    ends = []
    for alpha in (asked.settings.alpha, 2 * asked.settings.alpha):
        half = t_quantile(1 - alpha / 2, len(values) - 1) * error
        ends.append(Interval(test.difference - half, test.difference + half) if half > 0 else test.interval)
    return test._replace(p=t_test(values), error=error, interval=ends[0], narrower=ends[1], drawn=0)


def _interval(measure: Measure, asked: Asked) -> str:
    """How the intervals of scores are formed; see ``interval_of``."""
    if asked.replicates:
        return "t"
    return "wilson" if isinstance(measure, SHARES) and asked.groups is None else "jackknife"


def _standings(
    board: _Board, scored: Sequence[Scores], asked: Asked, significant: IntArray | None
) -> Iterator[Standing]:
    """The runs; with the ranks that they may have where all pairs were tested, so that findings hold at once."""
    n, level = len(scored), asked.settings.confidence_level
    ranks = dict.fromkeys(range(n), Ranks(0, 0))
    if significant is not None and asked.correction not in ("bh", "none"):
        f, better = np.array([run.score for run in board.runs]), np.zeros((n, n), dtype=np.bool_)
        a, b = significant.T
        better[np.where(f[a] > f[b], a, b), np.where(f[a] > f[b], b, a)] = True
        order = np.argsort(-f, kind="stable").tolist()  # NaN comes last
        ranks = dict(zip(order, rank_sets(f[order].tolist(), better[np.ix_(order, order)]), strict=True))
    for at, (scores, run) in enumerate(zip(scored, board.runs, strict=True)):
        interval = interval_of(board.measure, run.result, run.terms, level, asked.groups is not None)
        yield Standing(scores.tag, scores.file, run.score, interval, ranks[at], scores.remarks)


def _check_choices(asked: Asked) -> None:
    if asked.test not in TESTS:
        raise UsageError("unknown-name", f"unknown test {asked.test!r}; the tests are {', '.join(TESTS)}")
    if asked.correction not in list(CORRECTIONS):
        problem = f"unknown correction {asked.correction!r}; the corrections are {', '.join(CORRECTIONS)}"
        raise UsageError("unknown-name", problem)
    one_of("margin", asked.margin, Real, "a number")
    if not (math.isnan(asked.margin) or 0 < asked.margin < math.inf):
        raise UsageError("bad-value", "the margin must be greater than 0, for example 0.01")


def _check_test(asked: Asked, measure: Measure, scored: Sequence[Scores], pairs: IntArray) -> None:
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
    for a, b in pairs.tolist():
        if not np.array_equal(left_out[a], left_out[b]):
            raise UsageError(
                "unfit-measure",
                f"{measure} leaves out different queries for {quoted(scored[a].tag)} and {quoted(scored[b].tag)}, so "
                f"the paired {asked.test} test does not apply; use --test randomisation",
            )


def _pairs(scored: Sequence[Scores], baseline: str | None) -> IntArray:
    """The comparisons: each run with the baseline, or all pairs; shape (P, 2)."""
    n = len(scored)
    if baseline is None:
        return np.column_stack(np.triu_indices(n, 1))
    place = place_of(scored, baseline, "the baseline")
    return np.array([(at, place) for at in range(n) if at != place])


def _told(
    board: _Board,
    pairs: IntArray,
    test: _Alone,
    p: FloatArray,
    intervals: tuple[FloatArray, FloatArray],
    scored: Sequence[Scores],
    asked: Asked,
) -> Pairs:
    """Everything that is said of the pairs: a column for each field of ``Pair``."""
    effects, decide = np.full(len(pairs), math.nan), [tuple[tuple[str, float], ...]()] * len(pairs)
    for at, (a, b) in enumerate(pairs.tolist() if len(scored) <= MOST_ALONE else ()):
        one, other, difference = board.runs[a], board.runs[b], float(test.difference[at])
        jackknife = one.without - other.without
        adding = (one.result.terms.each != 0).any(axis=1) | (other.result.terms.each != 0).any(axis=1)
        effects[at] = resampling.effect(difference, jackknife[adding])
        decide[at] = _deciding(difference, jackknife, scored[0].query_ids)
    wins, ties, losses = _counts(board.runs, pairs).T
    return Pairs({
        "a": pairs[:, 0],
        "b": pairs[:, 1],
        "tags": [(scored[a].tag, scored[b].tag) for a, b in pairs.tolist()],
        "difference": test.difference,
        "error": test.error,
        "interval": intervals[0],
        "p": p,
        "own_interval": test.interval,
        "own_p": test.p,
        "verdict": verdicts(test.difference, p < asked.settings.alpha, intervals[1], asked.margin),
        "differing": test.differing,
        "wins": wins,
        "ties": ties,
        "losses": losses,
        "effect": effects,
        "deciding": decide,
    })  # fmt: skip


def _counts(runs: Sequence[_Run], pairs: IntArray) -> IntArray:
    """In how many queries the first run of each pair wins, ties and loses; shape (P, 3)."""
    values, found = np.stack([run.result.per_query for run in runs]), []
    for at in range(0, len(pairs), _AT_ONCE):
        a, b = pairs[at : at + _AT_ONCE].T
        apart = values[a] - values[b]
        each = (apart > NEAR, np.abs(apart) <= NEAR, apart < -NEAR)
        found.append(np.stack([np.count_nonzero(one, axis=1) for one in each], axis=1))
    return np.concatenate(found)


def _deciding(difference: float, jackknife: FloatArray, names: Sequence[str]) -> tuple[tuple[str, float], ...]:
    """The queries without which the difference would change most."""
    change = np.nan_to_num(jackknife - difference)
    least = np.partition(np.abs(change), -_DECIDING)[-_DECIDING] if len(names) > _DECIDING else 0.0
    largest = np.flatnonzero(np.abs(change) >= least - 2 * NEAR).tolist()
    # rounded, so that which of two equal ones comes first does not depend on the order of sums
    order = sorted(largest, key=lambda at: (-round(abs(float(change[at])), 12), names[at]))[:_DECIDING]
    return tuple((names[at], float(change[at])) for at in order if abs(change[at]) > NEAR)


def _remarks(
    comparison: Comparison, board: _Board, test: _Alone, told: Mapping[str, Any], scored: Sequence[Scores], n: int
) -> Iterator[str]:
    """What to know before the numbers are believed."""
    runs, pairs = board.runs, np.column_stack((told["a"], told["b"]))
    tags = [shortened(run.tag) for run in comparison.runs]
    known, differ = ~np.isnan(test.difference), test.differing > 0

    def of_pairs(row: str, which: BoolArray, **fields: object) -> Iterator[Remark]:
        if n_pairs := int(np.count_nonzero(which)):
            yield Remark.of(row, [f"{tags[a]} and {tags[b]}" for a, b in pairs[which][:EXAMPLES]], n_pairs, **fields)

    if undefined := [tag for tag, run in zip(tags, runs, strict=True) if math.isnan(run.score)]:
        yield Remark.of("undefined-measure", undefined, measure=comparison.measure)
    alike = ~differ
    for at in np.flatnonzero(alike).tolist():
        one, other = (runs[run].terms for run in pairs[at].tolist())
        alike[at] = np.array_equal(one.each, other.each) and np.array_equal(one.besides, other.besides)
    yield from of_pairs("no-difference", alike, measure=comparison.measure)
    if comparison.test == "t":
        yield from of_pairs("no-difference.error", np.isnan(told["p"]) & known)
    else:
        few = known & differ & np.isinf(test.critical) & (test.differing < LEAST_DIFFERING)
        yield from of_pairs("too-few-queries.pairs", few, units=UNITS[bool(comparison.groups)])
        if comparison.resamples and (known & differ & ~few).any():
            times = comparison.together if comparison.correction == "holm" else 1
            yield from too_few_resamples(comparison.resamples, comparison.alpha, times)
    unbounded = known & differ & np.isnan(told["interval"]).any(axis=1)
    yield from of_pairs("few-hold-most", unbounded)
    if n < MANY_QUERIES:
        answered = np.array([scores.answered for scores in scored])
        apart = known & ((answered[pairs[:, 0]] != answered[pairs[:, 1]]).mean(axis=1) >= UNLIKE)
        yield from of_pairs("unlike-answers", apart, queries=MANY_QUERIES)


def too_few_resamples(drawn: int, alpha: float, times: int = 1) -> Iterator[str]:
    """Whether so many resamples give any p that is significant when so many are corrected for."""
    least = 1 / (drawn + 1)
    if times * least < alpha:
        return
    needed = math.floor(times / alpha) + 1
    ways = [f"--resamples {needed}"] if needed <= MOST_RESAMPLES else []
    ways += ["--correction maxt"] if times > 1 else []
    option = " or ".join(ways) or "a lower --confidence-level"
    row = "too-few-resamples.corrected" if times > 1 else "too-few-resamples"
    yield Remark.of(row, n=times, least=least, corrected=min(times * least, 1), option=option)
