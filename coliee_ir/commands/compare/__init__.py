"""Is one run really better than another? Tests and intervals for any measure, the micro-averaged ones included.

Scores ──terms──▶ sums over resampled queries ──▶ differences, p values, intervals
"""

from coliee_ir.commands.compare.request import compare, test_name
from coliee_ir.commands.compare.result import TESTS, Comparison, Pair, Standing
from coliee_ir.stats.paired import CORRECTIONS
from coliee_ir.stats.resampling import Interval

__all__ = ["CORRECTIONS", "TESTS", "Comparison", "Interval", "Pair", "Standing", "compare", "test_name"]
