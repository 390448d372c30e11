"""How tests and intervals hold on models that were not used to choose them; ``benchmarks.error_rates`` prints them.

Queries have relevant cases in numbers with heavy tails (Pareto's 1.3 up to 200, lognormal) or without (geometric), and
systems differ in skill and in how much they return, so that differences reach from 0 to .6; others have means of values
of which many are 0, or accuracies. Truth is that of 200,000 drawn queries. LeCaRD's are resampled, if they are there.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.markdown import table
from coliee_adapters.records import Run
from coliee_ir import evaluate, evaluate_all, fit_fusion
from coliee_ir.commands.compare.comparison import verdicts
from coliee_ir.commands.leaderboard.board import possible_ranks
from coliee_ir.measures.base import Terms, quotient, share
from coliee_ir.stats import systems
from coliee_ir.stats.paired import Board, jointly, tested
from coliee_ir.stats.power import largest_share, least_found
from coliee_ir.stats.resampling import Resampling, left_out
from coliee_ir.stats.student import t_quantile

Floats = npt.NDArray[np.float64]
#: what a model draws: the sums above and below of each run and query
Drawn = tuple[Floats, Floats]
Model = Callable[[np.random.Generator, int], Drawn]

ALPHA, TRIALS, MANY = 0.05, 499, 200_000
SIZES = (20, 50, 100, 400)
#: models whose truth is known
KINDS = ("Pareto", "lognormal", "geometric", "one in 40 has 150", "means", "F2 with lumps", "accuracies")
#: how many relevant cases queries have
COUNTS: dict[str, Callable[[np.random.Generator, int], Floats]] = {
    "Pareto": lambda random, n: np.minimum(200, np.floor(random.random(n) ** (-1 / 1.3))),
    "lognormal": lambda random, n: np.minimum(400, 1 + np.floor(np.exp(random.normal(1, 1.5, n)))),
    "geometric": lambda random, n: random.geometric(0.25, n).astype(np.float64),
    "one in 40 has 150": lambda random, n: np.where(random.random(n) < 1 / 40, 150.0, random.geometric(0.25, n)),
}


def logistic(odds: Floats) -> Floats:
    """The share of a logit."""
    return np.asarray(1 / (1 + np.exp(-odds)))


def micro(counts: str, skill: Sequence[float], wrong: Sequence[float]) -> Model:
    """MicroF1 of runs of some skill, on the logit scale, that return so many wrong cases for a relevant one."""

    def draw(random: np.random.Generator, n: int) -> Drawn:
        m, relevant = len(skill), COUNTS[counts](random, n).astype(np.int64)
        chance = logistic(np.array(skill)[:, None] + random.normal(0, 1, n) + random.normal(0, 0.6, (m, n)))
        right = random.binomial(relevant, chance)
        bad = random.poisson(np.array(wrong)[:, None] * (1 + relevant) / 2 * random.gamma(2, 0.5, (m, n)))
        return right.astype(np.float64) * 2, (right + bad + relevant).astype(np.float64)

    return draw


def mean(skill: Sequence[float], none: float = 0.15, whole: float = 0.93) -> Model:
    """Means over queries of values like average precision, many 0, some 1; or like F2 of few articles, with lumps."""

    def draw(random: np.random.Generator, n: int) -> Drawn:
        m = len(skill)
        x = logistic(1.7 * (np.array(skill)[:, None] + random.normal(0, 1, n) + random.normal(0, 0.7, (m, n))))
        return np.where(x < none, 0, np.where(x > whole, 1.0, x)), np.ones((m, n))

    return draw


def accuracies(skill: Sequence[float]) -> Model:
    """Accuracies of systems that are often right on the same questions."""

    def draw(random: np.random.Generator, n: int) -> Drawn:
        z = np.array(skill)[:, None] + random.normal(0, 0.8, n) + random.normal(0, 0.6, (len(skill), n))
        return (z > 0).astype(np.float64), np.ones(z.shape)

    return draw


def in_steps(random: np.random.Generator, n: int) -> Drawn:
    """Accuracies of systems of which each is right wherever those before it are."""
    right = random.random(n) < np.linspace(0.5, 0.95, 13)[:, None]
    return right.astype(np.float64), np.ones(right.shape)


def nearly_in_steps(random: np.random.Generator, n: int) -> Drawn:
    """The same of systems that lose one question in 200 each."""
    above, below = in_steps(random, n)
    return above * (random.random(above.shape) > 0.005), below


def seldom(change: str, better: Sequence[float]) -> Model:
    """Runs each of which differs from a common one in 6% of the queries, where it is better or worse on average."""
    of, shape = np.array(better)[:, None], len(better)

    def draw(random: np.random.Generator, n: int) -> Drawn:
        differs = random.random((shape, n)) < 0.06
        if change == "MicroF1":
            relevant = random.geometric(0.25, n)
            common, own = random.binomial(relevant, 0.5), random.binomial(relevant, 0.5 + of, differs.shape)
            return 2.0 * np.where(differs, own, common), np.broadcast_to(2.0 * relevant, differs.shape)
        by = {
            "normal": random.normal(0, 0.3, differs.shape),
            "skewed": 0.4 - random.exponential(0.4, differs.shape),
            "± .5": np.where(random.random(differs.shape) < 0.5, 0.5, -0.5),
        }[change]
        return np.clip(random.beta(2, 2, n) + np.where(differs, by + of, 0), 0, 1), np.ones(differs.shape)

    return draw


def nested(random: np.random.Generator, n: int) -> Drawn:
    """Four rankings, each cut after 3, 10, 22 and 30 documents."""
    relevant, ease = 1 + np.minimum(random.negative_binomial(1.2, 0.12, n), 39), random.normal(0, 0.8, n)
    above, below = [], []
    for quality in range(4):
        scale = 60 * np.exp(-(0.4 * quality + ease + random.normal(0, 0.5, n)))
        ranks = 1 + random.exponential(1, (n, 40)) * scale[:, None] + np.arange(40) * 0.3
        ranks[np.arange(40) >= relevant[:, None]] = math.inf
        for k in (3, 10, 22, 30):
            above.append(2.0 * np.minimum((ranks <= k).sum(axis=1), k))
            below.append(k + relevant.astype(np.float64))
    return np.array(above), np.array(below)


def replicated(counts: str, gap: float, runs: int, between: float) -> Model:
    """Two systems of several runs, each with a shift of its own and its own luck on each query."""

    def draw(random: np.random.Generator, n: int) -> Drawn:
        ease, relevant = (
            random.normal(0, 1, n),
            COUNTS[counts](random, n).astype(np.int64) if counts else np.ones(n, int),
        )
        above, below = [], []
        for skill in (gap, 0.0):
            own = random.normal(0, between, (runs, 1)) + random.normal(0, 0.4, (runs, n))
            chance = logistic(1.7 * (skill + ease + random.normal(0, 0.5, n) + own))
            if not counts:
                above.append(np.where(chance < 0.15, 0, chance))
                below.append(np.ones((runs, n)))
                continue
            right, bad = random.binomial(relevant, chance), random.poisson(0.6 * (1 + relevant) / 2, (runs, n))
            above.append(2.0 * right)
            below.append((right + bad + relevant).astype(np.float64))
        return np.vstack(above), np.vstack(below)

    return draw


@functools.cache
def lecard(folder: str) -> Model:
    """Micro-F1 of LeCaRD's four rankings, each cut after 3, 10, 22 and 30 documents, on queries drawn from its 107."""
    names = [f"MicroF1@{k}" for k in (3, 10, 22, 30)]
    runs = [str(Path(folder, f"{name}_top100.json")) for name in ("bm25", "tfidf", "lm", "combined")]
    scored = evaluate_all(str(Path(folder, "golden_labels.json")), runs, task="1", measures=names)
    each = [result.terms.each for scores in scored for result in scores.results.values()]
    above, below = np.moveaxis(np.array(each), 2, 0)

    def draw(random: np.random.Generator, n: int) -> Drawn:
        drawn = random.integers(above.shape[1], size=n)
        return above[:, drawn], below[:, drawn]

    return draw


def exchanged(model: Model, a: int, b: int) -> Model:
    """Two runs of a model that change places on a random half of the queries, so that they do not differ."""

    def draw(random: np.random.Generator, n: int) -> Drawn:
        above, below = model(random, n)
        swap = random.random(n) < 0.5
        first, second = np.where(swap, b, a), np.where(swap, a, b)
        both = np.stack([first, second]), np.arange(n)
        return above[both], below[both]

    return draw


def spread(kind: str, n_runs: int) -> Model:
    """Runs from bad to good."""
    skill = np.linspace(-1.6, 1.6, n_runs)
    if kind == "means":
        return mean((0.8 * skill).tolist())
    if kind == "F2 with lumps":
        return mean((0.8 * skill).tolist(), 0.4, 0.7)
    if kind == "accuracies":
        return accuracies((skill + 1).tolist())
    return micro(kind, skill.tolist(), np.linspace(0.9, 0.3, n_runs).tolist())


@functools.cache
def truth(model: Model) -> Floats:
    """The scores that a model means."""
    drawn = [model(np.random.default_rng(at), MANY // 10) for at in range(10)]
    above, below = (sum(one[side].sum(axis=1) for one in drawn) for side in (0, 1))
    return np.asarray(above / below)


def terms(drawn: Drawn) -> list[Terms]:
    """The terms of runs; of means where all that is below is 1."""
    above, below = drawn
    score = quotient if (below == 1).all() else share
    return [
        Terms(np.column_stack(pair), score, np.zeros(2), score is quotient) for pair in zip(above, below, strict=True)
    ]


def settings(seed: int) -> Resampling:
    """Those of a simulation."""
    return Resampling(TRIALS, seed)


def jackknife(a: Terms, b: Terms) -> tuple[float, float]:
    """The jackknife-t interval of a difference, with Satterthwaite's degrees of freedom."""
    without = left_out(a) - left_out(b)
    n, squares = len(without), (without - without.mean()) ** 2
    total = float(squares.sum())
    uneven = float((squares**2).sum()) - total * total / n
    degrees = int(max(min(2 * total * total / uneven if uneven > 0 else n - 1, n - 1), 4))
    half = t_quantile(1 - ALPHA / 2, degrees) * math.sqrt((n - 1) / n * total)
    return a.total - b.total - half, a.total - b.total + half


def pairs_of(folder: str) -> Iterator[tuple[str, Model, int, int]]:
    """Pairs of which the scores are equal, and that differ."""
    for kind in KINDS:
        model = spread(kind, 7)
        yield kind, exchanged(model, 5, 2) if kind not in COUNTS else micro(kind, [0, 0], [0.6, 0.6]), 0, 1
        yield kind, model, 5, 2
    if folder:
        real = lecard(folder)
        order = np.argsort(-truth(real)).tolist()
        yield "LeCaRD", exchanged(real, order[0], order[-1]), 0, 1
        yield "LeCaRD", real, order[0], order[9]


def singles(times: int, seed: int, folder: str) -> Iterator[list[str]]:
    """Intervals of single pairs."""
    for kind, model, a, b in pairs_of(folder):
        d = float(truth(model)[a] - truth(model)[b])
        d = 0.0 if abs(d) < 0.005 else d
        row = [kind, f"{d:.2f}"]
        for n in SIZES:
            random, holding, widths = np.random.default_rng([seed, n]), np.zeros(2), []
            for trial in range(times):
                drawn = terms(model(random, n))
                two = [drawn[a], drawn[b]]
                [test] = tested(Board(two), [(0, 1)], settings(trial))
                ends = [test.interval, jackknife(*two)]
                holding += [not (low > d or high < d) for low, high in ends]
                widths.append([high - low for low, high in ends])
            ours, theirs = np.nanmean(widths, axis=0)
            row.append(f"{100 * holding[0] / times:.0f} ({100 * holding[1] / times:.0f}), {ours / theirs:.2f}")
        yield row


def joints(times: int, seed: int, folder: str) -> Iterator[list[str]]:
    """Boards of runs that differ: whether all intervals and all ranks hold at once; who may be the best."""
    models = {f"12 runs, {kind}": spread(kind, 12) for kind in ("Pareto", "accuracies")}
    models["4 rankings × 4 cutoffs"] = nested
    if folder:
        models["LeCaRD, 4 × 4"] = lecard(folder)
    for name, model in models.items():
        f = truth(model)
        pairs = list(itertools.combinations(range(len(f)), 2))
        true = np.array([f[a] - f[b] for a, b in pairs])
        for n in SIZES[1::2]:
            random, counted = np.random.default_rng([seed, n]), np.zeros(4)
            for trial in range(times):
                runs = terms(model(random, n))
                low, high = jointly([(Board(runs), pairs)], settings(trial)).intervals[0][0].T
                in_order = np.argsort([-run.total for run in runs], kind="stable")
                stood, standing = possible_ranks([runs[run] for run in in_order], settings(trial), range(len(runs)))
                truly = f[in_order]
                wrong = (standing.better & (truly[:, None] < truly)).any()
                best = np.array([run.may_be_best for run in stood])
                counted += [not ((low > true) | (high < true)).any(), not wrong, best[truly.argmax()], best.sum()]
            hold, ranks, best_kept, size = counted / times
            yield [
                name,
                str(n),
                f"{100 * hold:.0f}%",
                f"{100 * ranks:.0f}%",
                f"{100 * best_kept:.0f}%",
                f"{size:.1f}",
            ]


def seldom_differing(times: int, seed: int) -> Iterator[list[str]]:
    """Boards of runs that differ in few queries: claims where they are equal, and intervals where they are not."""
    for change, n_runs, n in itertools.product(("normal", "skewed", "± .5", "MicroF1"), (4, 6), (60, 200)):
        pairs, row = list(itertools.combinations(range(n_runs), 2)), [change, str(n_runs), str(n)]
        for gap in (0.0, 0.4):
            model = seldom(change, np.linspace(-gap, gap, n_runs).tolist())
            f = truth(model) * (gap > 0)
            true = np.array([f[a] - f[b] for a, b in pairs])
            random, counted, differing = np.random.default_rng([seed, n, n_runs]), np.zeros(4), []
            for trial in range(times):
                board = Board(terms(model(random, n)))
                joint = jointly([(board, pairs)], settings(trial))
                low, high = joint.intervals[0][0].T
                is_found, is_out = joint.p[0] < ALPHA, (low > true) | (high < true)
                alone = [test.interval for test in tested(board, pairs, settings(trial))]
                held = np.mean([interval.low <= d <= interval.high for interval, d in zip(alone, true, strict=True)])
                counted += [is_found.any(), not is_out.any(), held, (is_found != ((low > 0) | (high < 0))).any()]
                differing += [int(board.differing[pair]) for pair in pairs]
            claimed, hold, single, contradicted = (f"{100 * times_ / times:.1f}%" for times_ in counted)
            few, many = np.percentile(differing, [10, 90]).astype(int).tolist()
            row += [claimed] if not gap else [f"{few}–{many}", hold, single, contradicted]
        yield row


def best(times: int, seed: int) -> Iterator[list[str]]:
    """How often "the best is X" is said, while ``compare`` finds a pair of X undecided, and of a run that is not."""
    boards = {f"2 equal runs, {kind}": exchanged(spread(kind, 7), 4, 3) for kind in ("geometric", "accuracies")}
    boards["2 runs, 0.005 apart"] = mean([0.012, 0.0])
    boards |= {f"12 runs, {kind}": spread(kind, 12) for kind in ("geometric", "Pareto", "accuracies")}
    for name, model in boards.items():
        f = truth(model)
        n_runs = len(model(np.random.default_rng(0), 5)[0])
        top = -1 if "equal" in name else int(f.argmax())
        for n in SIZES[1::2]:
            random, counted = np.random.default_rng([seed, n]), np.zeros(3)
            for trial in range(times):
                runs = terms(model(random, n))
                order = sorted(range(n_runs), key=lambda run: -runs[run].total)
                stood, _ = possible_ranks([runs[run] for run in order], settings(trial), range(n_runs))
                if [standing.may_be_best for standing in stood].count(True) > 1:
                    continue
                pairs = [(order[0], other) for other in order[1:]]
                every = list(itertools.combinations(range(n_runs), 2))
                p = jointly([(Board(runs), every)], settings(trial)).p[0] if n_runs > 2 else np.array(
                    [test.p for test in tested(Board(runs), every, settings(trial))])  # fmt: skip
                p_of = dict(zip(map(frozenset, every), p.tolist(), strict=True))
                undecided = any(p_of[frozenset(pair)] >= ALPHA for pair in pairs)
                counted += [1, undecided, order[0] != top]
            yield [name, str(n), *(f"{100 * boards_ / times:.1f}%" for boards_ in counted)]


def fits(times: int, seed: int) -> Iterator[list[str]]:
    """The intervals of fitted weights less equal ones, of three runs that are equally good."""
    random, queries, fresh = np.random.default_rng(seed), 40, 300

    def drawn(n: int) -> tuple[Any, list[Any]]:
        gold, runs = {}, [dict[str, dict[str, float]]() for _ in range(3)]
        for query in range(n):
            relevant, documents = min(int(random.geometric(0.4)), 5) + 1, 15
            common, ease = random.normal(0, 0.7, documents), random.normal(0, 0.6)
            gold[f"q{query}"] = [f"d{document}" for document in range(relevant)]
            for run in runs:
                score = (np.arange(documents) < relevant) * (1.2 + ease) + common + random.normal(0, 1, documents)
                run[f"q{query}"] = {f"d{document}": value for document, value in enumerate(score.tolist())}
        return gold, runs

    for measure in ("AP", "MicroF1"):
        holding, left_out = 0, 0
        for trial in range(times):
            gold, runs = drawn(queries)
            fitted = fit_fusion(gold, *runs, task=1, measure=measure, repeats=1, seed=trial)
            later, of_later = drawn(fresh)
            values = []
            for contender in fitted.contenders[:2]:
                fusion = replace(fitted.fusion, weights=contender.weights, top=contender.top, runs=(), files=())
                fused = fusion.fuse(*(Run.of(run, tag=str(place)) for place, run in enumerate(of_later)))
                values.append(evaluate(later, fused.run, task=1, measures=[measure]).measures[measure])
            behind = fitted.contenders[1].behind
            holding += behind.interval.low <= values[0] - values[1] <= behind.interval.high
            left_out += behind.is_shown
        yield [measure, f"{100 * holding / times:.0f}%", f"{100 * left_out / times:.0f}%"]


def agreement(times: int, seed: int) -> str:
    """Boards of two: whether p, interval and ranks ever contradict each other."""
    random, significant, contradict = np.random.default_rng(seed), 0, 0
    for trial in range(times):
        kind, n = [*COUNTS, "means", "accuracies"][trial % 5], int(random.integers(5, 100))
        a, b = random.normal(0, 1, 2).tolist()
        model = mean([a, b]) if kind == "means" else accuracies([a + 1, b + 1]) if kind == "accuracies" else (
            micro(kind, [a, b], [0.9, 0.3]))  # fmt: skip
        runs = sorted(terms(model(random, n)), key=lambda run: -run.total)
        [test] = tested(Board(runs), [(0, 1)], settings(trial))
        (first, second), _ = possible_ranks(runs, settings(trial), [0, 1])
        is_found = test.p < ALPHA
        significant += is_found
        contradict += is_found != (test.interval.low > 0 or test.interval.high < 0)
        contradict += is_found != ((first.ranks, second.ranks) == ((1, 1), (2, 2)))
        contradict += is_found and second.may_be_best
    summary = f"Of {times:,} boards of two, {significant:,} are significant"
    return f"{summary}; contradictions of p, interval and ranks: {contradict}.\n"


def margins(times: int, seed: int) -> Iterator[list[str]]:
    """The verdicts where the true difference is the margin."""
    for kind in ("Pareto", "geometric", "accuracies"):
        model, a, b = spread(kind, 7), 4, 3
        d = float(truth(model)[a] - truth(model)[b])
        for n in SIZES[1::2]:
            random, words = np.random.default_rng([seed, n]), list[str]()
            for trial in range(times):
                drawn = terms(model(random, n))
                [test] = tested(Board([drawn[a], drawn[b]]), [(0, 1)], settings(trial))
                words += verdicts(np.array([test.difference]), np.zeros(1, bool), np.array([test.narrower]), d)
            below = sum(word in ("equivalent", "not better") or word.startswith("worse") for word in words) / times
            above = sum(word.startswith("better") for word in words) / times
            yield [kind, f"{d:.3f}", str(n), f"{100 * below:.1f}%", f"{100 * above:.1f}%"]


def replicates(times: int, seed: int) -> Iterator[list[str]]:
    """Systems of several runs: the level, and how often intervals hold; beside those that know of queries alone.

    Of fixed queries the truth is that of these queries, over many runs.
    """
    for kind, between in itertools.product(("", "geometric", "Pareto"), (0.15, 0.5)):
        for counts in ((3, 3), (3, 10)):
            row = [kind or "means", f"{between:g}", f"{counts[0]} and {counts[1]}"]
            for n in (20, 100):
                for gap in (0.0, 0.5):
                    model = replicated(kind, gap, max(counts), between)
                    d = _system_truth(kind, gap, between) if gap else 0.0
                    random, holding, alone = np.random.default_rng([seed, n, *counts]), 0, 0
                    for _ in range(times):
                        drawn = terms(model(random, n))
                        both = [systems.system(drawn[: counts[0]]), systems.system(drawn[-counts[1] :])]
                        [test] = systems.tested(both, [(0, 1)], Resampling())
                        holding += not (test.interval.low > d or test.interval.high < d)
                        low, high = jackknife(*both)
                        alone += low <= d <= high
                    row.append(f"{100 * holding / times:.0f}% ({100 * alone / times:.0f}%)")
            yield row


def fixed(times: int, seed: int) -> Iterator[list[str]]:
    """The same of fixed queries: intervals that hold the difference of two systems on these, over all runs of them."""
    for between, counts in itertools.product((0.15, 0.5), ((3, 3), (3, 10), (5, 5))):
        row = [f"{between:g}", f"{counts[0]} and {counts[1]}"]
        for n in (20, 100):
            random, holding = np.random.default_rng([seed, n, *counts]), 0
            for _ in range(times):
                ease = random.normal(0, 1, n)

                ours, theirs, *many = (
                    logistic(
                        1.7 * (skill + ease + random.normal(0, between, (runs, 1)) + random.normal(0, 0.4, (runs, n)))
                    )
                    for runs, skill in zip((*counts, 4000, 4000), (0.3, 0.0) * 2, strict=True)
                )
                d = many[0].mean() - many[1].mean()
                both = [systems.system(terms((scores, np.ones(scores.shape)))) for scores in (ours, theirs)]
                [test] = systems.tested(both, [(0, 1)], Resampling(), fixed=True)
                holding += test.interval.low <= d <= test.interval.high
            row.append(f"{100 * holding / times:.0f}%")
        yield row


@functools.cache
def _system_truth(kind: str, gap: float, between: float) -> float:
    """The difference of two systems over other runs of them."""
    random, model = np.random.default_rng(8), replicated(kind, gap, 5, between)
    differences = []
    for _ in range(120):
        above, below = model(random, 1500)
        f = above.sum(axis=1) / below.sum(axis=1)
        differences.append(f[:5].mean() - f[5:].mean())
    return float(np.mean(differences))


def plans(times: int, seed: int) -> Iterator[list[str]]:
    """Plans from 100 queries: how many are needed to find a difference in four of five, and how many then do."""
    in_a_row = {"accuracies, nested": in_steps, "accuracies, nearly nested": nearly_in_steps}
    kinds = ("geometric", "Pareto", "one in 40 has 150", "F2 with lumps", "accuracies", *in_a_row)
    for kind, (a, b) in itertools.product(kinds, ((7, 6), (9, 5))):
        model = in_a_row[kind] if kind in in_a_row else spread(kind, 13)
        d, random, needed = float(truth(model)[a] - truth(model)[b]), np.random.default_rng(seed), list[int]()
        shares = list[float]()
        for _ in range(max(times // 4, 1)):
            drawn = terms(model(random, 100))
            board = Board([drawn[a], drawn[b]])
            shares.append(largest_share(board, [(0, 1)]))
            needed.append(_queries_for(board, d))
        few, n, many = np.percentile(needed, [25, 50, 75]).astype(int).tolist()
        n_found = 0
        for trial in range(2 * times):
            drawn = terms(model(random, n))
            [test] = tested(Board([drawn[a], drawn[b]]), [(0, 1)], settings(trial))
            n_found += test.p < ALPHA
        largest = f"{100 * np.median(shares):.0f}%"
        yield [kind, f"{d:.3f}", f"{few}–{many}", str(n), f"{100 * n_found / 2 / times:.0f}%", largest]


def _queries_for(board: Board, difference: float) -> int:
    """The fewest queries that are planned for a difference."""
    low, high = 4, 8
    while high - low > 1:
        middle = (low + high) // 2
        at_middle, at_high = least_found(board, [(0, 1)], [middle, high], settings(0), 0.8)
        if at_high[0] > difference and high < 1 << 14:
            low, high = high, 2 * high
        else:
            low, high = (low, middle) if at_middle[0] <= difference else (middle, high)
    return high


def of_comparisons(times: int, seed: int, folder: str) -> Iterator[str]:
    """The tables of pairs, boards and systems, a piece at a time."""
    boards = times
    of_pairs, of_boards = (f"{100 * math.sqrt(0.0475 / n):.1f}" for n in (times, boards))
    real = ", and on real queries (LeCaRD's 107, resampled)" if folder else ""
    yield f"""On models that were **not used to choose the method**{real}:
single 95% intervals of differences that hold the truth, in % of {times:,} (standard error {of_pairs}); in brackets
those of the jackknife with Satterthwaite's degrees of freedom; then our mean width in its widths. At a difference
of 0 the rest to 100 is the test's level:
"""
    yield table(["model", "true difference", *(f"{n} queries" for n in SIZES)], list(singles(times, seed, folder)))
    yield f"Of {boards:,} boards of runs that differ (standard error {of_boards}):\n"
    header = ["model", "queries", "all joint intervals hold", "all ranks hold", "the best is kept", "may be the best"]
    yield table(header, list(joints(boards, seed, folder)))
    yield f"""Runs each of which differs from a common one in 6% of the queries, so that pairs differ in few; of
{boards:,} boards those on which any difference of equal runs is claimed; where runs differ by up to .8 in these
queries, boards on which all joint intervals hold, single intervals that hold, and boards on which joint p and interval
disagree:
"""
    header = ["change", "runs", "queries", "claimed of equal", "pairs differ in", "joint", "single", "contradicted"]
    yield table(header, list(seldom_differing(boards, seed)))
    yield agreement(2000, seed)
    yield f"""Of {boards:,} boards, those on which "the best is X" is said; on which it is, while `compare` finds X and
another run undecided; and on which X is not the best, or of two equal ones:
"""
    yield table(["runs", "queries", "said", "contradicted", "wrong"], list(best(boards, seed)), 1)
    yield f"Verdicts where the true difference is the margin, of {times:,}; each should be wrong in about 5%:\n"
    header = ["model", "difference = margin", "queries", "below it claimed", "above it claimed"]
    yield table(header, list(margins(times, seed)))
    yield f"""Systems of several runs: 95% intervals that hold the truth, of {times:,}; in brackets those that know of
queries alone:
"""
    header = ["model", "shift", "runs", "20 queries, equal", "20, different", "100 queries, equal", "100, different"]
    yield table(header, list(replicates(times, seed)))
    yield f"On **fixed questions** (`--fixed-queries`), means, of {times:,}:\n"
    yield table(["shift", "runs", "20 queries", "100 queries"], list(fixed(times, seed)))


def of_fits_and_plans(times: int, seed: int) -> Iterator[str]:
    """The tables of fitted weights and of plans."""
    yield f"""Weights fitted to 40 queries, three equally good runs: how often the interval of *fitted - equal weights*
holds the difference of these very weights on 300 other queries, and leaves out 0; of {times:,}:
"""
    yield table(["measure", "holds", "leaves out 0"], list(fits(times, seed)))
    yield f"""Plans from 100 queries for a power of 80%, what {2 * times:,} comparisons of so many queries find
(standard error {100 * math.sqrt(0.16 / 2 / times):.1f}), and which share of the variance one of the 100 queries has:
"""
    header = ["model", "true difference", "half of plans say", "median", "found with it", "largest share"]
    yield table(header, list(plans(times, seed)))
