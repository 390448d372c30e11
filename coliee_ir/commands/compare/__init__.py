"""Is one run really better than another? Tests and intervals for any measure, the micro-averaged ones included.

Scores ──terms──▶ sums over resampled queries ──▶ differences, p values, intervals
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from numbers import Real
from typing import Any, Final, Literal, NamedTuple

import numpy as np

from coliee_adapters.checked import one_of, suggesting_keywords
from coliee_adapters.errors import UsageError, quoted, shortened
from coliee_adapters.files.source import PathLike
from coliee_adapters.forms.lines import plural
from coliee_adapters.ids import IntArray
from coliee_adapters.remarks import EXAMPLES, Remark
from coliee_ir.commands.compare import golds
from coliee_ir.commands.compare.comparison import Comparison, Pair, Pairs, Standing, verdicts
from coliee_ir.judging.judged import BoolArray, FloatArray
from coliee_ir.measures import Measure, Result
from coliee_ir.output.envelope import number
from coliee_ir.rules.choices import CORRECTIONS, TESTS, test_name
from coliee_ir.scoring.comparable import checked, comparable
from coliee_ir.scoring.replicates import groups_in, system, systems_of
from coliee_ir.scoring.scores import Scores, place_of
from coliee_ir.stats import resampling, systems
from coliee_ir.stats.intervals import are_shares, interval_of
from coliee_ir.stats.paired import (
    MOST_ALONE,
    Board,
    PairTest,
    Ranks,
    all_pairs,
    better_than,
    jointly,
    rank_sets,
    tested,
    too_few_queries,
)
from coliee_ir.stats.resampling import (
    CONFIDENCE_LEVEL,
    MANY_QUERIES,
    N_RESAMPLES,
    NEAR,
    SEED,
    UNEQUAL,
    Interval,
    Resampling,
    Units,
    too_few_resamples,
    units_of,
)
from coliee_ir.stats.student import t_quantile, t_test

__all__ = ["Comparison", "Interval", "Pair", "Standing", "compare"]

#: how many of the queries that decide a pair are listed
_DECIDING: Final = 5

#: where none of n queries is lost, hardly more than this many of other n are (Hanley & Lippman-Hand 1983)
_UNSEEN: Final = 3

#: for how many pairs the queries' differences are computed at a time
_AT_ONCE: Final = 256


@suggesting_keywords()
def compare(
    scored: Sequence[Scores],
    *,
    measures: str | Sequence[str] = (),
    baseline: str | None = None,
    test: Literal["randomisation", "randomization", "t"] = "randomisation",
    correction: Literal["maxt", "none"] = "maxt",
    n_resamples: int = N_RESAMPLES,
    seed: int = SEED,
    confidence_level: float = CONFIDENCE_LEVEL,
    margin: float | None = None,
    groups: PathLike | Mapping[str, str] | None = None,
    replicates: PathLike | Mapping[str, Sequence[str]] | None = None,
    fixed_queries: bool = False,
    other: Sequence[Scores] | None = None,
) -> Comparison:
    """Compare runs that were scored against one gold, query by query paired.

    Args:
        scored: at least two runs: what ``evaluate_all`` gives, or some of it.
        measures: names of measures by which the runs were scored, whose pairs are corrected together
            (``Comparison.others``); by default the first, which ranks the task's runs.
        baseline: the tag or the file of the run to compare all others with; by default all pairs are compared.
        test: one of ``randomisation``, ``t``.
        correction: for the number of pairs, ``maxt`` or ``none``.
        n_resamples: how many resamples.
        seed: of the random numbers; the same seed gives the same resamples on any machine.
        confidence_level: of the intervals.
        margin: the greatest difference that does not matter, about which the verdicts then are.
        groups: query → group, where queries depend on each other, as a dictionary or a file with lines QUERY GROUP;
            groups are swapped and drawn as a whole.
        replicates: system → its runs, by tag or file, where several runs are one system (seeds, folds, draws of a
            language model), or a CSV with the columns run and system. Then systems are compared, by a t test: on other
            queries and in other runs of them. Runs of the same seed or fold are paired where their names say so.
        fixed_queries: of systems, whether they differ on these very queries, in other runs of them.
        other: the same runs scored by another gold: they are compared by both, on the queries that both have, and the
            result is a ``TwoGolds``, a comparison with what that says of the golds.

    Raises:
        UsageError: a test that is not made for the measure, a baseline that is not among the runs, fewer than two runs,
            a name that stands for several measures, golds without a common query.

    >>> from coliee_ir import evaluate_all
    >>> gold = {"q1": ["d1"], "q2": ["d2"], "q3": ["d3"]}
    >>> scored = evaluate_all(gold, {"A": {"q1": ["d1"]}, "B": {"q1": ["d9"], "q2": ["d2"]}}, task="1")
    >>> comparison = compare(scored, n_resamples=99)
    >>> comparison.runs[0].score, comparison.pairs[0].wins, comparison.pairs[0].losses
    (0.5, 1, 1)
    """
    scored = checked(scored, 2, "a comparison")
    settings = Resampling(n_resamples, seed, confidence_level)
    request = _Settings(test_name(test), correction, settings, margin, groups_in(scored, groups))
    request.check()
    if fixed_queries and replicates is None:
        raise UsageError(
            "option-needed",
            "how much scores on fixed queries vary is known from several runs of each system; use --replicates",
        )
    if replicates is not None:
        request = request._replace(
            fixed_queries=fixed_queries, test="t", correction="bonferroni" if correction == "maxt" else correction
        )

    def by_one_gold(runs: Sequence[Scores]) -> tuple[_Board, Comparison]:
        by_measures, settled = comparable(runs, measures), request
        if replicates is not None:
            runs_of = systems_of(runs, replicates)
            settled = request._replace(replicates=tuple(map(len, runs_of.values())))
            runs = checked([system(name, of_system) for name, of_system in runs_of.items()], 2, "a comparison")
        pairs = _pairs(runs, baseline)
        for measure in by_measures:
            settled.check_measure(measure, runs, pairs)
        boards = [_Board(measure, list(runs), settled) for measure in by_measures]
        comparison, *others = _compared(boards, pairs, settled, all_pairs=baseline is None)
        return boards[0], replace(comparison, others=tuple(others))

    if other is None:
        return by_one_gold(scored)[1]
    *on_common, coverage, empty = golds.on_common(scored, other, measures)
    (board, first), (board_of_other, second) = map(by_one_gold, on_common)
    return golds.compared(
        (first, second),
        (board.terms, board_of_other.terms),
        settings,
        coverage,
        empty,
        golds.agreement_of(scored, other, board.measure, board.scored[0].query_ids, confidence_level),
    )


class _Settings(NamedTuple):
    """How runs are compared; ``compare`` describes the fields."""

    test: str
    correction: str
    settings: Resampling
    margin: float | None
    groups: Mapping[str, str] | None
    replicates: tuple[int, ...] = ()
    fixed_queries: bool = False

    def check(self) -> None:
        """Refuse what does not exist or makes no sense."""
        for kind, name, names in (("test", self.test, TESTS), ("correction", self.correction, CORRECTIONS)):
            if name not in [*names]:
                raise UsageError("unknown-name", f"unknown {kind} {name!r}; the {kind}s are {', '.join(names)}")
        if self.margin is not None and not 0 < one_of("margin", self.margin, Real, "a number") < math.inf:
            raise UsageError("bad-value", "the margin must be greater than 0, for example 0.01")

    def check_measure(self, measure: Measure, scored: Sequence[Scores], pairs: IntArray) -> None:
        """Refuse a test of the queries' own values where the score is not made of these."""
        if self.test != "t" or self.replicates:
            return
        instead = "use --test randomisation"
        if self.groups is not None:
            raise UsageError("option-conflict", f"the t test has no groups of queries; {instead}")
        results = [scores.results[measure] for scores in scored]
        if not results[0].terms.is_mean:
            raise UsageError(
                "unfit-measure", f"{measure} is not a mean over queries, so the t test does not apply to it; {instead}"
            )
        if self.correction == "maxt" and len(pairs) > 1:
            raise UsageError(
                "option-conflict",
                "max-T is made of the flips of --test randomisation; with --test t use --correction none",
            )
        left_out = [np.isnan(result.per_query) for result in results]
        for a, b in pairs.tolist():
            if not np.array_equal(left_out[a], left_out[b]):
                raise UsageError(
                    "unfit-measure",
                    f"{measure} leaves out different queries for {quoted(scored[a].name)} and "
                    f"{quoted(scored[b].name)}, so the paired t test does not apply; {instead}",
                )


class _Board:
    """The runs by one measure: their scores, what each unit adds, and the scores without each query."""

    def __init__(self, measure: Measure, scored: Sequence[Scores], request: _Settings) -> None:
        self.measure, self.scored, self.request = measure, scored, request
        units = Units.of(scored[0].query_ids, request.groups)
        self.n = units.n
        self.results = [scores.results[measure] for scores in scored]
        self.terms = [units.terms(result.terms) for result in self.results]
        self.without = [resampling.left_out(result.terms) for result in self.results]
        self.f = np.array([result.value for result in self.results])
        self.board = None if request.replicates else Board(self.terms)  # none where they are systems
        self.is_share = request.groups is None and are_shares(self.results)
        #: how the intervals of scores are formed; see ``interval_of``
        self.interval = "t" if request.replicates else "wilson" if self.is_share else "jackknife"

    @property
    def sign(self) -> int:
        """1 where a greater score is better, -1 where it is worse."""
        return -1 if self.measure.lower_is_better else 1

    def test_each_pair(self, pairs: IntArray, settings: Resampling) -> PairTest:
        """Each pair tested by itself, a column for each field; of many runs without p and interval, which are joint."""
        if self.board is None:
            tests = systems.tested(self.terms, pairs, settings, fixed=self.request.fixed_queries)
        elif self.request.correction == "maxt" and len(self.terms) > MOST_ALONE:
            (a, b), board, unknown = pairs.T, self.board, np.full((len(pairs), 2), math.nan)
            differing = board.differing[a, b]
            critical = np.where(2.0 ** (1.0 - differing) >= settings.alpha, math.inf, math.nan)
            drawn, error = np.zeros(len(pairs), dtype=np.int64), np.sqrt(board.A[a, b])
            return PairTest(board.D[a, b], error, unknown[:, 0], critical, differing, unknown, unknown, drawn)  # type: ignore[arg-type]
        else:
            tests = tested(self.board, pairs, settings)
        if self.request.test == "t" and not self.request.replicates:
            of_pairs = zip(pairs.tolist(), tests, strict=True)
            tests = [_t_test(self.results[a], self.results[b], test, settings) for (a, b), test in of_pairs]
        return PairTest(*map(np.array, zip(*tests, strict=True)))  # type: ignore[arg-type]

    def standings(self, significant: IntArray | None) -> Iterator[Standing]:
        """The runs; with the ranks that they may have where all pairs were tested, so that findings hold at once."""
        n, f, request = len(self.scored), self.sign * self.f, self.request
        ranks = dict.fromkeys(range(n), Ranks(0, 0))
        if significant is not None and request.correction != "none":
            order = np.argsort(-f, kind="stable").tolist()  # NaN comes last
            better = better_than(f, significant)[np.ix_(order, order)]
            ranks = dict(zip(order, rank_sets(f[order].tolist(), better), strict=True))
        level = request.settings.confidence_level
        for run, scores in enumerate(self.scored):
            yield Standing(
                scores.tag,
                scores.name,
                scores.file,
                number(self.results[run].value),
                interval_of(
                    self.results[run], self.terms[run], level, is_share=self.is_share, fixed=request.fixed_queries
                ),
                ranks[run],
                scores.remarks,
            )

    def counts(self, pairs: IntArray) -> IntArray:
        """In how many queries the first run of each pair wins, ties and loses; shape (3, P)."""
        values, wins = np.stack([result.per_query for result in self.results]), []
        for first in range(0, len(pairs), _AT_ONCE):
            a, b = pairs[first : first + _AT_ONCE].T
            apart = values[a] - values[b]
            wins.append(np.stack([np.count_nonzero(is_so, axis=1) for is_so in (apart > NEAR, apart < -NEAR)]))
        has_value = (~np.isnan(values)).astype(np.float64)
        won, lost = np.concatenate(wins, axis=1)
        both = (has_value @ has_value.T)[pairs[:, 0], pairs[:, 1]].astype(np.int64)
        return np.stack([won, both - won - lost, lost])

    def effect(self, a: int, b: int) -> tuple[float, tuple[tuple[str, float], ...]]:
        """The effect of a pair, and the queries without which its difference would change most."""
        difference, jackknife = float(self.f[a] - self.f[b]), self.without[a] - self.without[b]
        adding = np.any([(self.results[run].terms.each != 0).any(axis=1) for run in (a, b)], axis=0)
        names, change = self.scored[0].query_ids, np.nan_to_num(jackknife - difference)
        least = np.partition(np.abs(change), -_DECIDING)[-_DECIDING] if len(names) > _DECIDING else 0.0
        largest = np.flatnonzero(np.abs(change) >= least - 2 * NEAR).tolist()
        # rounded, so that which of two equal ones comes first does not depend on the order of sums
        order = sorted(largest, key=lambda query: (-round(abs(float(change[query])), 12), names[query]))[:_DECIDING]
        deciding = tuple((names[query], float(change[query])) for query in order if abs(change[query]) > NEAR)
        return resampling.effect(difference, jackknife[adding]), deciding

    def pair_columns(self, pairs: IntArray, test: PairTest, p: FloatArray, intervals: Sequence[FloatArray]) -> Pairs:
        """The pairs: a column for each field of ``Pair``."""
        tags, names, places = *zip(*((scores.tag, scores.name) for scores in self.scored), strict=True), pairs.tolist()
        tagged = [(tags[a], tags[b]) for a, b in places]
        effects: Sequence[float] = (math.nan,) * len(pairs)
        deciding: Sequence[tuple[tuple[str, float], ...]] = ((),) * len(pairs)
        if len(self.scored) <= MOST_ALONE:
            effects, deciding = zip(*(self.effect(a, b) for a, b in places), strict=True)
        wins, ties, losses = self.counts(pairs)[:: self.sign]
        difference, narrower = self.sign * test.difference, (self.sign * intervals[1])[:, :: self.sign]
        return Pairs({
            "a": pairs[:, 0], "b": pairs[:, 1],
            "tags": tagged, "names": tagged if names == tags else [(names[a], names[b]) for a, b in places],
            "difference": test.difference, "error": test.error, "interval": intervals[0], "p": p,
            "own_interval": test.interval, "own_p": test.p,
            "verdict": verdicts(difference, p < self.request.settings.alpha, narrower, self.request.margin),  # type: ignore[arg-type]
            "differing": test.differing, "wins": wins, "ties": ties, "losses": losses,
            "effect": np.array(effects), "deciding": list(deciding),
        })  # fmt: skip


def _compared(
    boards: Sequence[_Board], pairs: IntArray, request: _Settings, *, all_pairs: bool
) -> Iterator[Comparison]:
    """A comparison on each measure; their pairs are corrected together."""
    settings, together, first = request.settings, len(pairs) * len(boards), boards[0].scored[0]
    tests = [board.test_each_pair(pairs, settings) for board in boards]
    p = np.concatenate([test.p for test in tests])
    intervals: list[Sequence[FloatArray]] = [(test.interval, test.narrower) for test in tests]  # type: ignore[misc]
    resamples = max(test.drawn.max() for test in tests)  # type: ignore[attr-defined]
    n_known = np.count_nonzero(~np.isnan([test.difference for test in tests]))
    if request.correction == "maxt" and (len(boards[0].scored) > MOST_ALONE or n_known > 1):
        joint = jointly([(board.board, pairs) for board in boards if board.board is not None], settings)
        p, resamples, intervals = np.concatenate(joint.p), joint.drawn, list(joint.intervals)  # type: ignore[arg-type]
        tests = [test._replace(critical=np.fmax(test.critical, joint.critical)) for test in tests]
    elif request.correction == "bonferroni":
        wide = replace(settings, confidence_level=1 - settings.alpha / together)
        wider = [board.test_each_pair(pairs, wide) for board in boards]
        p, intervals = np.minimum(p * together, 1.0), [(test.interval, test.narrower) for test in wider]  # type: ignore[misc]
    for board, test, p_of_board, ends in zip(boards, tests, np.split(p, len(boards)), intervals, strict=True):
        of_pairs = board.pair_columns(pairs, test, p_of_board, ends)
        comparison = Comparison(
            **first.on_gold(board.measure.name, settings.seed),
            groups=board.n if request.groups is not None else 0,
            replicates=request.replicates,
            fixed_queries=request.fixed_queries,
            test=request.test,
            correction=request.correction,
            resamples=int(resamples),
            confidence_level=settings.confidence_level,
            interval=board.interval,
            margin=request.margin,
            together=together,
            runs=tuple(board.standings(pairs[p_of_board < settings.alpha] if all_pairs else None)),
            pairs=of_pairs,
            lower_is_better=board.measure.lower_is_better,
        )
        yield replace(comparison, remarks=tuple(_remarks(comparison, board, test, of_pairs.columns, pairs)))


def _t_test(result: Result, other: Result, test: PairTest, settings: Resampling) -> PairTest:
    values = result.per_query - other.per_query
    values = values[~np.isnan(values)]  # of the queries that are left out of neither
    error = float(values.std(ddof=1)) / math.sqrt(len(values)) if len(values) > 1 else math.nan
    ends = []
    for alpha in (settings.alpha, 2 * settings.alpha):
        half = t_quantile(1 - alpha / 2, len(values) - 1) * error
        ends.append(Interval(test.difference - half, test.difference + half) if half > 0 else test.interval)
    return test._replace(p=t_test(values), error=error, interval=ends[0], narrower=ends[1], drawn=0)


def _pairs(scored: Sequence[Scores], baseline: str | None) -> IntArray:
    """The comparisons: each run with the baseline, or all pairs; shape (P, 2)."""
    n = len(scored)
    if baseline is None:
        return all_pairs(n)
    place = place_of(scored, baseline, "the baseline")
    return np.array([(run, place) for run in range(n) if run != place])


def _remarks(
    comparison: Comparison, board: _Board, test: PairTest, columns: Mapping[str, Any], pairs: IntArray
) -> Iterator[Remark]:
    """What to know before the numbers are believed."""
    p, interval, alpha = columns["p"], columns["interval"], comparison.alpha
    tags = [shortened(name) for name in comparison.names]
    differing = np.asarray(test.differing)
    has_scores, differ = ~np.isnan(test.difference), differing > 0

    def of_pairs(row: str, is_affected: BoolArray, **fields: object) -> Iterator[Remark]:
        if n_pairs := int(np.count_nonzero(is_affected)):
            yield Remark.of(
                row, [f"{tags[a]} and {tags[b]}" for a, b in pairs[is_affected][:EXAMPLES]], n_pairs, **fields
            )

    if undefined := [tag for tag, score in zip(tags, board.f, strict=True) if math.isnan(score)]:
        yield Remark.of("undefined-measure", undefined, measure=comparison.measure)
    alike = ~differ
    for pair in np.flatnonzero(alike).tolist():
        first, other = (board.terms[run] for run in pairs[pair].tolist())
        alike[pair] = np.array_equal(first.each, other.each) and np.array_equal(first.besides, other.besides)
    yield from of_pairs("no-difference", alike, measure=comparison.measure)
    if comparison.test == "t":
        yield from of_pairs("no-difference.error", np.isnan(p) & has_scores)
    else:
        few = has_scores & too_few_queries(differing, test.critical, comparison.resamples, alpha)
        yield from of_pairs(
            "too-few-queries.pairs", few, units=units_of(comparison.unit, in_groups=bool(comparison.groups))
        )
        if comparison.resamples and (has_scores & differ & ~few).any():
            yield from too_few_resamples(comparison.resamples, alpha)
    if board.board is not None:
        one_sided = (p < alpha) & ((columns["wins"] == 0) | (columns["losses"] == 0))
        could_turn = np.abs(test.difference) * board.n < _UNSEEN * board.board.span
        yield from of_pairs("one-sided", one_sided & could_turn, units=plural(comparison.unit))
    if len({*comparison.replicates}) > 1:
        fewest, most = min(comparison.replicates), max(comparison.replicates)
        yield Remark.of("unequal-replicates", fewest=fewest, most=most)
    yield from of_pairs("few-hold-most", has_scores & differ & np.isnan(interval).any(axis=1))
    if board.n < MANY_QUERIES:
        answered = np.array([scores.answered for scores in board.scored])
        apart = has_scores & ((answered[pairs[:, 0]] != answered[pairs[:, 1]]).mean(axis=1) >= UNEQUAL)
        yield from of_pairs("unlike-answers", apart, queries=MANY_QUERIES)
