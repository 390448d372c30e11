"""What is said of two golds and of several tasks, simulated; ``benchmarks.error_rates`` prints it.

A value is system + query (sd .20) + rest (sd .25 for each query), all Gaussian; alike is the correlation of the rests
of two golds. Of judgements each query has a prevalence and a sensitivity of its own, and 20 documents.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.markdown import table
from coliee_ir import Scored, leaderboard
from coliee_ir.measures.base import of_mean
from coliee_ir.stats.agreement import f1, halves, kappa, tau_b
from coliee_ir.stats.paired import Board, jointly
from coliee_ir.stats.resampling import Resampling

Floats = npt.NDArray[np.float64]
TRIALS, ALPHA, DOCUMENTS = 499, 0.05, 20


def judged(random: np.random.Generator, queries: int, prevalence: float) -> tuple[Any, Any, Any]:
    """What two golds say of 20 documents a query, and the query of each."""
    of_query = random.beta(4 * prevalence, 4 * (1 - prevalence), (queries, 1))
    first = random.random((queries, DOCUMENTS)) < of_query
    found, wrong = random.beta(6, 2, (queries, 1)), random.beta(1, 12, (queries, 1))
    second = random.random(first.shape) < np.where(first, found, wrong * of_query / (of_query + 0.05))
    return first.astype(int), second.astype(int), np.repeat(np.arange(queries), DOCUMENTS)


def agreements(times: int, seed: int) -> Iterator[list[str]]:
    """Intervals of kappa and F1 that hold the truth; beside the textbook's, of independent pairs."""
    for prevalence, queries in ((0.5, 5), (0.5, 20), (0.1, 20), (0.1, 50), (0.02, 50), (0.02, 200)):
        random = np.random.default_rng([seed, queries])
        a, b, query = judged(np.random.default_rng(0), 100_000, prevalence)
        both, either = (a & b).sum(axis=1), (a + b).sum(axis=1)
        true = kappa(a.ravel(), b.ravel(), query, 0.95).value, float(2 * both.sum() / either.sum())
        held, printed, textbook = np.zeros(2), np.zeros(2), 0
        for _ in range(times):
            a, b, query = judged(random, queries, prevalence)
            both, either = (a & b).sum(axis=1).astype(float), (a + b).sum(axis=1).astype(float)
            found = kappa(a.ravel(), b.ravel(), query, 0.95), f1(both, either, 0.95)
            for at, (one, truth) in enumerate(zip(found, true, strict=True)):
                printed[at] += math.isfinite(one.interval.low)
                held[at] += one.interval.low <= truth <= one.interval.high
            agree, chance = float((a == b).mean()), float(a.mean() * b.mean() + (1 - a.mean()) * (1 - b.mean()))
            half = 1.96 * math.sqrt(agree * (1 - agree) / a.size) / (1 - chance)
            textbook += abs(found[0].value - true[0]) <= half
        shares = [f"{100 * one / n:.0f}%" if n else "–" for one, n in zip(held, printed, strict=True)]
        yield [
            f"{prevalence:g}",
            str(queries),
            *shares,
            f"{100 * printed[0] / times:.0f}%",
            f"{100 * textbook / times:.0f}%",
        ]


def by_two_golds(
    random: np.random.Generator, systems: tuple[Floats, Floats], queries: int, alike: float
) -> tuple[Floats, Floats]:
    """The values of systems by two golds, shape (systems, queries)."""
    shape, query = (len(systems[0]), queries), random.normal(0, 0.2, queries)
    rest = random.normal(0, 0.25, shape)
    other = alike * rest + math.sqrt(1 - alike**2) * random.normal(0, 0.25, shape)
    return systems[0][:, None] + query + rest, systems[1][:, None] + query + other


def orders(times: int, seed: int) -> Iterator[list[str]]:
    """Pairs and orders by two golds of the same truth, and of another."""
    for differ, queries in itertools.product((False, True), (20, 50, 200)):
        random, found, alone = np.random.default_rng([seed, queries, differ]), np.zeros(5), []
        for at in range(times):
            one = random.normal(0, 0.05, 12)
            other = 0.8 * one + 0.6 * random.normal(0, 0.05, 12) if differ else one
            values = by_two_golds(random, (one, other), queries, 0.5)
            runs = [[of_mean(run) for run in of] for of in values]
            pairs = np.column_stack(np.triu_indices(12, 1))
            signs = []
            for of in runs:
                board = Board(of)
                p = jointly([(board, pairs)], Resampling(TRIALS, at)).p[0]
                signs.append(np.sign(board.D[pairs[:, 0], pairs[:, 1]]) * (p < ALPHA))
            one_only = (signs[0] != 0) ^ (signs[1] != 0)
            found += [(signs[0] != 0).sum(), one_only.sum(), ((signs[0] != 0) | (signs[1] != 0)).sum(),
                      (signs[0] * signs[1] < 0).any(), 0]  # fmt: skip
            weights = random.multinomial(queries, np.full(queries, 1 / queries), 200) / queries
            tau = tau_b(weights @ values[0].T, weights @ values[1].T)
            found[4] += np.quantile(tau, 0.025) <= float(tau_b(one, other)) <= np.quantile(tau, 0.975)
            alone.append(halves(runs[0], runs[1], Resampling(TRIALS, at)))
        n_pairs = times * len(pairs)
        between = (f"{one:.2f}" for one in np.mean(alone, axis=0))
        yield [
            "other" if differ else "the same", str(queries), f"{100 * found[0] / n_pairs:.0f}%",
            f"{100 * found[1] / max(found[2], 1):.0f}%", f"{100 * found[3] / times:.0f}%", *between,
            f"{100 * found[4] / times:.0f}%",
        ]  # fmt: skip


def of_tasks(times: int, seed: int) -> Iterator[list[str]]:
    """Boards over several tasks: whether equal runs are set apart, on these and on others, and whether ranks hold."""
    for (n_tasks, queries), apart in itertools.product(((5, 20), (5, 100), (12, 40)), (0.0, 0.05)):
        for scale in ("score", "wins"):
            random, found = np.random.default_rng([seed, n_tasks, queries]), np.zeros(4)
            n_runs, names = 8, [f"t{task}-{query}" for task in range(n_tasks) for query in range(queries)]
            tasks = {name: name.partition("-")[0] for name in names}
            for at in range(times):
                equal_here = random.normal(0, 0.05, (n_runs, n_tasks))
                equal_here -= equal_here.mean(axis=1, keepdims=True)  # equal over these very tasks
                elsewhere = random.normal(0, 0.05, (n_runs, n_tasks))  # equal over all tasks of the kind
                skill = random.normal(0, apart, n_runs) if apart else np.zeros(n_runs)
                for place, of_task in enumerate((equal_here, elsewhere)):
                    of_query = np.repeat(of_task + skill[:, None], queries, axis=1)
                    values = of_query + random.normal(0, 0.2, len(names)) + random.normal(0, 0.25, of_query.shape)
                    columns = {"query": names, **{f"r{run}": one.tolist() for run, one in enumerate(values)}}
                    board = leaderboard(
                        Scored.from_frame(columns, columns={"tag": "*"}),
                        tasks=tasks, scale=scale, n_resamples=TRIALS, seed=at,
                    )  # fmt: skip
                    ranks = {entry.tag: entry.ranks for entry in board.entries}
                    assert board.tasks is not None
                    found[place] += not _hold(ranks, skill)
                    found[2 + place] += not _hold(board.tasks.other_tasks, skill)
            share = [f"{100 * one / times:.1f}%" for one in (found[0], found[1], found[3])]
            yield [f"{n_tasks} × {queries}", "equal" if not apart else "sd 0.05", scale, *share[:2],
                   share[2] if n_tasks >= 6 else "–"]  # fmt: skip


def unequal_tasks(times: int, seed: int) -> Iterator[list[str]]:
    """Boards over tasks of unequal sizes and levels, of runs equal over these: the interval of a mean, and ranks."""
    unequal = (
        (30, 25, 12, 20, 6, 15, 40, 8),
        (12, 12, 12),
        (100, 10, 2),
        (40, 40, 3, 3),
        (40, 2),
        (2, 2, 2, 2, 2),
    )
    for sizes, are_right in itertools.product(unequal, (False, True)):
        random, found, n_runs = np.random.default_rng([seed, *sizes]), np.zeros(3), 6
        task = np.repeat(np.arange(len(sizes)), sizes)
        level, names = np.linspace(0.3, 0.7, len(sizes)), [f"{at}" for at in range(len(task))]
        tasks = dict(zip(names, map(str, task.tolist()), strict=True))
        for at in range(times):
            equal_here = random.normal(0, 0.05, (n_runs, len(sizes)))
            mean = (level + equal_here - equal_here.mean(axis=1, keepdims=True))[:, task]
            values = np.clip(mean + random.normal(0, 0.04, len(task)) + random.normal(0, 0.07, mean.shape), 0, 1)
            if are_right:
                values = (random.random(mean.shape) < mean).astype(float)
            columns = {"query": names, **{f"r{run}": of_run.tolist() for run, of_run in enumerate(values)}}
            scored = Scored.from_frame(columns, columns={"tag": "*"})
            board = leaderboard(scored, tasks=tasks, n_resamples=TRIALS, seed=at)
            low, high = next(entry.interval for entry in board.entries if entry.tag == "r0")
            found += [
                low <= level.mean() <= high,
                0 if math.isnan(low) else high - low,
                any(entry.ranks != (1, 6) for entry in board.entries),
            ]
        held, width, apart = found / times
        kind = "right or wrong" if are_right else "scores"
        yield [", ".join(map(str, sizes)), kind, f"{100 * held:.1f}%", f"{width:.3f}", f"{100 * apart:.1f}%"]


def _hold(ranks: Any, skill: Floats) -> bool:
    """Whether the true rank of every run is in its range; of equal runs, whether any is set apart."""
    return all(
        one.best <= 1 + (skill > skill[int(run[1:])]).sum() <= one.worst
        if skill.any() else (one.best, one.worst) == (1, len(skill))
        for run, one in ranks.items()
    )  # fmt: skip


def sections(times: int, seed: int) -> Iterator[str]:
    """The tables, a piece at a time."""
    yield f"""## Two golds

95% intervals of kappa and of F1 that hold the truth, of those of {times:,} that are printed, and the textbook's of
kappa, of independent pairs; each query has its own prevalence and sensitivity, and 20 documents:
"""
    header = ["prevalence", "queries", "kappa", "F1", "printed", "textbook"]
    yield table(header, list(agreements(times, seed)), 0)
    yield f"""{times:,} boards of 12 runs by two golds, alike by .5: pairs that A decides, the share of decided pairs
that one gold alone decides, boards with a reversed pair; tau-b between random halves; and how often a bootstrap
interval of tau would hold the true one:
"""
    header = ["truth of B", "queries", "decided", "by one only", "reversed", "A–B", "A–A", "B–B", "bootstrap of tau"]
    yield table(header, list(orders(times, seed)))
    yield f"""## Several tasks

{times:,} boards of 8 runs, run × task sd .05: how often ranks are wrong for any run (of equal runs: set any apart) on
these tasks, where runs are equal or differ over these; the same ranks, asked of other tasks; and those for other tasks:
"""
    header = ["tasks × queries", "runs", "scale", "these tasks", "these, asked of others", "other tasks"]
    yield table(header, list(of_tasks(times, seed)), 3)
    yield f"""{times:,} boards of 6 runs, equal over tasks whose sizes and levels differ: intervals of a mean that hold
the truth and their mean width, and boards on which a run is set apart:
"""
    yield table(["queries of each task", "values", "hold", "width", "apart"], list(unequal_tasks(times, seed)), 2)
