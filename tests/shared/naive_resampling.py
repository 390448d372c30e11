"""The naive twin of resampling: a generator of random bits in plain Python, and resamples that are made as runs.

A swap hands a query's answers from one run to the other, a bootstrap sample is a gold that asks a query several times;
both are scored by ``Evaluator``, which knows nothing of sums.
"""

import random
from typing import NamedTuple

import numpy as np

from coliee_adapters.records import Answers, Gold, Run
from coliee_ir import Decisions, Evaluator
from coliee_ir.measures.base import Terms, share

_MULTIPLIER = 0x2360ED051FC65DA44385DF649FCCF645
_64 = (1 << 64) - 1


def bits(seed):
    """PCG64's numbers of 64 bits: PCG XSL RR 128/64 of O'Neill 2014, seeded as NumPy seeds it."""
    high, low, inc_high, inc_low = np.random.SeedSequence(seed).generate_state(4, np.uint64).tolist()
    increment = ((inc_high << 64 | inc_low) << 1 | 1) % (1 << 128)
    state = (increment + (high << 64 | low)) * _MULTIPLIER + increment
    while True:
        state = (state * _MULTIPLIER + increment) % (1 << 128)
        folded, turn = (state >> 64 ^ state) & _64, state >> 122
        yield (folded >> turn | folded << (-turn & 63)) & _64


def swaps(seed, n_resamples, queries):
    stream = bits(seed)
    for _ in range(n_resamples):
        words = [next(stream) for _ in range((queries + 63) // 64)]
        yield [word >> at & 1 == 1 for word in words for at in range(64)][:queries]


def draws(seed, n_resamples, queries):
    stream = bits(seed)
    for _ in range(n_resamples):
        yield [(next(stream) >> 32) * queries >> 32 for _ in range(queries)]


def micro(counts, extra=0):
    """The terms of micro-F1 from correct, retrieved, relevant of each query."""
    each = np.array([[2 * c, n + r] for c, n, r in counts], dtype=np.float64).reshape(-1, 2)
    return Terms(each, share, np.array([0.0, extra]), False)


def at_random(seed, queries, runs=2, alike=0, spread=0.0):
    """Runs on the same queries, as micro-F1; the first ``alike`` queries have the same answers."""
    random = np.random.default_rng(seed)
    relevant = random.integers(1, 6, queries)
    made = []
    for _ in range(runs):
        quality = random.uniform(0.2, 0.7, queries) + random.uniform(-spread, spread)
        correct = random.binomial(relevant, np.clip(quality, 0, 1))
        made.append(micro(np.column_stack((correct, correct + random.integers(0, 4, queries), relevant)).tolist()))
        made[-1].each[:alike] = made[0].each[:alike]
    return made


class Handed(NamedTuple):
    """What a run says of each query."""

    documents: dict[str, list[str]]
    labels: dict[str, bool]


class Case(NamedTuple):
    """A gold, two runs, and a measure of a task."""

    gold: Gold
    runs: tuple[Handed, Handed]
    task: str
    measure: str
    decisions: Decisions

    @property
    def queries(self):
        return self.gold.queries

    def scored(self):
        return [score(self.gold, handed, self, tag) for tag, handed in zip("AB", self.runs, strict=True)]


def score(gold, handed, like, tag="run"):
    evaluator = Evaluator(gold, [like.measure], task=like.task, decisions=like.decisions)
    answers = Answers(handed.labels, tag=tag, path=tag)
    if like.task == "4":
        return evaluator.evaluate(answers)
    run = Run.of(handed.documents, tag=tag, path=tag, format="tort" if like.task == "rationale" else "memory")
    return evaluator.evaluate(run, answers=answers if like.task == "3" else None)


def value(scores):
    return next(iter(scores.measures.values()))


def terms_of(case):
    """What queries add to the scores of the two runs."""
    return [next(iter(scores.results.values())).terms for scores in case.scored()]


def difference(case, swapped):
    """The difference of the scores after a swap; what the gold does not ask for stays where it is."""
    moved = {query for query, swap in zip(case.queries, swapped, strict=True) if swap}

    def taken(mine, yours):
        kept = {query: answer for query, answer in mine.items() if query not in moved}
        return kept | {query: answer for query, answer in yours.items() if query in moved}

    (a, b), scores = case.runs, []
    for mine, yours in ((a, b), (b, a)):
        scores.append(value(score(case.gold, Handed(*map(taken, mine, yours)), case)))
    return scores[0] - scores[1]


def on_sample(case, drawn):
    """Both scores where the gold asks the queries that were drawn, each as often as it was."""
    asked = [(f"{case.queries[place]}+{at}", case.queries[place]) for at, place in enumerate(drawn)]

    def again(given):
        others = {query: answer for query, answer in given.items() if query not in case.queries}
        return {new: given[old] for new, old in asked if old in given} | others

    qrels, labels = (None if of is None else again(of) for of in (case.gold.qrels, case.gold.labels))
    gold = Gold(qrels, labels, format=case.gold.format)
    return [value(score(gold, Handed(*map(again, handed)), case)) for handed in case.runs]


def case(seed, measure, task, queries, **decisions):
    """Two runs at random, which leave queries out, share documents, and retrieve for queries that the gold has not."""
    chance = random.Random(seed)
    names = [f"q{at}" for at in range(queries)]
    pool = [f"{side}{at}" for side in "pd" for at in range(4)]
    relevant = {query: chance.sample(pool, chance.randint(0, 4)) for query in names}
    relevant[names[0]] = pool[:1]  # not all can be empty
    qrels = {query: {document: int(document in relevant[query]) for document in pool} for query in names}
    labels = {query: chance.random() < 0.5 for query in names}
    runs = []
    for _ in range(2):
        answered = [query for query in (*names, "x1", "x2") if query == names[0] or chance.random() < 0.85]
        documents = {
            query: [d for d in pool if chance.random() < (0.6 if d in relevant.get(query, ()) else 0.2)]
            for query in answered
        }
        for ranked in documents.values():
            chance.shuffle(ranked)
        if task in ("1", "trec"):
            documents = {query: [*ranked, *ranked[:1]] for query, ranked in documents.items()}
        runs.append(Handed(documents, {query: chance.random() < 0.6 for query in answered}))
    if task == "rationale":
        runs = [Handed({query: run.documents.get(query, []) for query in names}, {}) for run in runs]
    gold = Gold(
        None if task == "4" else qrels,
        labels if task in ("3", "4") else None,
        format={"3": "statute-xml", "rationale": "tort"}.get(task, "memory"),
    )
    return Case(gold, (runs[0], runs[1]), task, measure, Decisions(**decisions))


#: measure, task, decisions: one of every kind of sum
KINDS = [
    ("MicroF1", "1", {}),
    ("MicroF1", "1", {"extra_queries": "wrong", "duplicates": "wrong"}),
    ("MicroP", "1", {}),
    ("MicroR@2", "1", {}),
    ("MacroF2", "1", {}),
    ("MacroF2", "1", {"unanswered": "skip", "empty_gold": "one"}),
    ("MacroF(beta=2,of=means)", "1", {"unanswered": "skip", "empty_gold": "one"}),
    ("map", "trec", {}),
    ("nDCG@3", "trec", {}),
    ("gm_map", "trec", {}),
    ("num_ret", "trec", {}),
    ("num_q", "trec", {}),
    ("Accuracy", "4", {}),
    ("Accuracy", "3", {"without_articles": "skip"}),
    ("LabelAccuracy", "3", {}),
    ("RationaleF1", "rationale", {}),
    ("RationaleF1", "rationale", {"undefined": "skip"}),
    ("PlaintiffF1", "rationale", {"undefined": "one"}),
    ("PooledF1", "rationale", {}),
]  # fmt: skip
