"""How many queries, or how large a difference: what next year's comparison can show, from this year's runs.

Scores ──terms──▶ standard errors ──▶ those of n queries ──▶ the differences that the test finds
"""

from coliee_ir.commands.plan.request import plan
from coliee_ir.commands.plan.result import Plan, PlannedSize

__all__ = ["Plan", "PlannedSize", "plan"]
