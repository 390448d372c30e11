"""The naive twin of tuning: every threshold tried by cutting the lists and scoring them, in plain Python."""

import functools
import math
from typing import NamedTuple

from hypothesis import strategies as st

from coliee_ir.commands.tune import Pool
from coliee_ir.rules.decisions import Decisions

#: 0.1 and its neighbour tie in float32, in which trec_eval compares, and 1e39 and 2e39 do with infinity
SCORES = (0.0, -0.0, 0.1, 0.1 + 1e-12, 0.2, 0.5, 0.5, 0.9, 1.0, 3.0, 7.5, 1e-40, 1e30, 1e39, 2e39)

DECISIONS = st.builds(
    Decisions, unanswered=st.sampled_from(("zero", "skip")), empty_gold=st.sampled_from(("skip", "zero", "one"))
)

MEASURES = ("MicroP", "MicroR", "MicroF1", "MicroF2", "MacroP", "MacroR", "MacroF1", "MacroF2")


def lists(pool, kept):
    """Query → document → score of the rows where a mask is true, best first."""
    rankings = {query: {} for query in pool.queries}
    for row, query in zip(kept.nonzero()[0].tolist(), pool.query[kept].tolist(), strict=True):
        rankings[pool.queries[query]][pool.documents[row]] = float(pool.scores[row])
    return rankings


class Case(NamedTuple):
    """Rankings and what is relevant: query → document → score; query → documents."""

    run: dict[str, dict[str, float]]
    gold: dict[str, dict[str, int]]

    @property
    def pool(self):
        return Pool.read(self.run, self.gold, task="trec")

    @property
    def relevant(self):
        return {query: {document for document, level in of.items() if level > 0} for query, of in self.gold.items()}


_LEVELS = st.dictionaries(st.sampled_from([f"d{at}" for at in range(9)]), st.integers(0, 2), max_size=4)
_SIXTH = st.integers(0, 5).map(lambda at: at == 0)


@functools.cache
def cases(negative=True, least=1, scores=None):
    """Up to five queries with up to seven documents: unanswered ones, ones without relevant documents, equal scores."""
    some = st.sampled_from((*SCORES, *((-0.5, -1.0, -1e39) if negative else ())))
    values = some | st.floats(-1e4 if negative else 0, 1e4, width=32) if scores is None else scores
    query = st.tuples(st.lists(values, max_size=7), _SIXTH, _LEVELS)
    return st.lists(query, min_size=least, max_size=5).map(_case)


def _case(drawn):
    run, gold = {}, {}
    for number, (given, alike, levels) in enumerate(drawn):
        scores = given[:1] * len(given) if alike else given
        run[f"q{number}"] = {f"d{at}": score for at, score in enumerate(scores)}
        gold[f"q{number}"] = levels
    return Case(run, gold)


def score(lists, wanted, measure, decisions):
    """The score of some lists; NaN if no query is left."""
    letter, beta = measure[5], float(measure[6:] or 1)
    counts = [(len(wanted[q] & set(lists.get(q, ()))), len(lists.get(q, ())), len(wanted[q])) for q in wanted]
    if measure.startswith("Micro"):
        return _of(letter, beta, *(sum(column) for column in zip(*counts, strict=True)))
    each = []
    for correct, retrieved, n_wanted in counts:
        value = _of(letter, beta, correct, retrieved, n_wanted)
        if n_wanted == 0:
            undefined = letter == "R" or retrieved == 0
            value = {"skip": None, "zero": value, "one": 1.0 if undefined else value}[decisions.empty_gold]
        elif retrieved == 0 and decisions.unanswered == "skip":
            value = None
        each += [] if value is None else [value]
    return sum(each) / len(each) if each else math.nan


def _of(letter, beta, correct, retrieved, wanted):
    p = correct / retrieved if retrieved else 0.0
    r = correct / wanted if wanted else 0.0
    if letter != "F":
        return p if letter == "P" else r
    return (1 + beta**2) * p * r / (beta**2 * p + r) if p + r else 0.0


def cut(pool, values, threshold, floor, cap):
    """The documents that a rule keeps, row by row; ``values`` are those of its family."""
    kept = {}
    for query, first, last in zip(pool.queries, pool.start.tolist(), pool.start[1:].tolist(), strict=False):
        kept[query] = [
            pool.documents[at]
            for at in range(first, last)
            if (values[at] >= threshold or at - first < floor) and (cap is None or at - first < cap)
        ]
    return kept
