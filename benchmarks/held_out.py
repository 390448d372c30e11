"""How good is the score that ``tune`` promises? A world in which the truth can be looked up.

    python -m benchmarks.held_out [--queries N…] [--worlds N] [--repeats N] [--measure M] [--seed N] [--jobs N]

In each world a gold and a scored run are drawn: queries differ in how many documents are relevant and in the level of
their scores, and relevant documents score higher, by noise. ``tune`` chooses a rule on these queries; the truth is what
that rule scores on a large sample of fresh queries, the same for all worlds. A row of the table is a mean over worlds:

    on all        the score of the chosen rule on the queries that it was chosen on
    best on all   the greatest such score of all kinds of rule, which whoever tries them by hand reports
    held out      what ``tune`` says to expect
    true          what the chosen rule scores on fresh queries; in brackets, that of the rule that is best on all
    bias          held out less true, and its standard error
    covered       in how many worlds the interval of ``held out`` holds the true score
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from coliee_adapters.errors import ColieeError
from coliee_ir import tune
from coliee_ir.commands.tune import Pool, Rule
from coliee_ir.commands.tune.search import Objective, objective
from coliee_ir.judging import workers
from coliee_ir.measures import parse
from coliee_ir.rules.decisions import Decisions
from coliee_ir.stats.resampling import REPEATS

DEPTH = 30
POOL = 60
FRESH = 20_000

Rankings = dict[str, dict[str, float]]
Relevant = dict[str, list[str]]


class World(NamedTuple):
    """What is relevant, and a run."""

    gold: Relevant
    run: Rankings


class Outcome(NamedTuple):
    """What came of one world."""

    on_all: float
    best_on_all: float
    held_out: float
    low: float
    high: float
    true: float
    true_of_best: float


class Truth(NamedTuple):
    """Fresh queries, to look up what a rule is worth."""

    pool: Pool
    aim: Objective

    def score(self, rule: Rule) -> float:
        """The score of a rule on them."""
        kept = self.pool.query[rule.keeps(self.pool)]
        return self.aim.terms(self.pool, np.bincount(kept, minlength=len(self.pool.queries))).total


def world(seed: int, queries: int, mean: float = 5.0) -> World:
    """Queries with 1 to about 6 relevant documents of 60, of which the 30 with the best scores are retrieved.

    Args:
        seed: of the random numbers.
        queries: how many.
        mean: of the level of the queries' scores.
    """
    chance = np.random.Generator(np.random.PCG64(seed))
    relevant = chance.poisson(1.5, queries) + 1
    level = chance.normal(mean, 0.5, queries)
    is_relevant = np.arange(POOL) < relevant[:, None]
    scores = np.maximum(level[:, None] + chance.normal(0, 1, (queries, POOL)) + 1.8 * is_relevant, 0.01)
    gold, run = {}, {}
    for at in range(queries):
        order = np.argsort(-scores[at])[:DEPTH].tolist()
        gold[f"q{at}"] = [f"d{number}" for number in range(relevant[at])]
        run[f"q{at}"] = {f"d{number}": round(float(scores[at, number]), 4) for number in order}
    return World(gold, run)


def truth(seed: int, measure: str, mean: float = 5.0) -> Truth:
    """A large sample."""
    fresh = world(seed, FRESH, mean)
    gold = {query: dict.fromkeys(documents, 1) for query, documents in fresh.gold.items()}
    pool = Pool.read(fresh.run, gold, task="trec")
    return Truth(pool, objective(parse(measure)[0], pool, Decisions()))


def outcome(seed: int, queries: int, measure: str, fresh: Truth, repeats: int = REPEATS) -> Outcome:
    """Tune on one world, and look up what the rule is worth."""
    drawn = world(seed, queries)
    tuning = tune(drawn.gold, drawn.run, task="trec", measure=measure, repeats=repeats, seed=seed)
    best = max(tuning.tried, key=lambda tried: tried.resubstitution)
    return Outcome(
        tuning.resubstitution,
        best.resubstitution,
        tuning.held_out,
        *tuning.interval,
        fresh.score(tuning.rule),
        fresh.score(best.rule),
    )


def row(queries: int, outcomes: Sequence[Outcome]) -> str:
    """A row of the table."""
    columns = np.array(outcomes)
    on_all, best, held_out, low, high, true, true_of_best = columns.mean(axis=0)
    bias = columns[:, 2] - columns[:, 5]
    error = bias.std(ddof=1) / len(bias) ** 0.5 if len(bias) > 1 else float("nan")
    covered = float(((columns[:, 3] <= columns[:, 5]) & (columns[:, 5] <= columns[:, 4])).mean())
    return (
        f"| {queries} | {on_all:.3f} | {best:.3f} | {held_out:.3f} | {true:.3f} ({true_of_best:.3f}) "
        f"| {bias.mean():+.3f} ± {error:.3f} | {high - low:.3f} | {covered:.0%} |"
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.held_out", description=__doc__.partition("\n")[0])
    parser.add_argument("--queries", type=int, nargs="+", default=[25, 50, 100], metavar="N")
    parser.add_argument("--worlds", type=int, default=40, metavar="N", help="for each number of queries; default: 40")
    parser.add_argument(
        "--repeats", type=int, default=REPEATS, metavar="N", help=f"splits into folds; default: {REPEATS}"
    )
    parser.add_argument("--measure", default="MicroF1", metavar="M")
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--jobs", type=int, default=workers.cores())
    options = parser.parse_args(arguments)
    fresh = truth(options.seed, options.measure)
    print(f"| queries | on all | best on all | held out | true {options.measure} | bias | width | covered |")
    print("|---:|---:|---:|---:|---:|---:|---:|---:|")
    for queries in options.queries:
        tasks = [
            partial(outcome, options.seed + 1 + number, queries, options.measure, fresh, options.repeats)
            for number in range(options.worlds)
        ]
        outcomes = []
        for result in workers.results(tasks, options.jobs):
            if isinstance(result, ColieeError):
                print(result, file=sys.stderr)
                return 2
            outcomes.append(result)
        print(row(queries, outcomes), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
