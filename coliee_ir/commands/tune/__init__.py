"""Choosing where to cut a ranking: the best rule on labelled queries, what it is worth on others, and the cut itself.

gold, run ──▶ Pool ──rules──▶ values that fall with the rank ──sweep──▶ the best threshold
                └──objective──▶ sums a row ────────────┘           └──nested folds──▶ the held-out score
"""

from coliee_ir.commands.tune.request import cut, tune
from coliee_ir.commands.tune.result import Tried, Tuning
from coliee_ir.commands.tune.rules import FAMILIES, Filter, Pool, Rule

__all__ = [
    "FAMILIES", "Filter", "Pool", "Rule", "Tried", "Tuning", "cut", "tune",
]  # fmt: skip
