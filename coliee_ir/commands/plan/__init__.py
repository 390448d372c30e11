"""How many queries, or how large a difference: what next year's comparison can show, from this year's runs.

Scores ──terms──▶ years of n queries, drawn from these ──▶ the shipped test, corrected ──▶ what it finds
"""

from coliee_ir.commands.plan.request import plan, plan_terms
from coliee_ir.commands.plan.result import Plan, PlannedSize

__all__ = ["Plan", "PlannedSize", "plan", "plan_terms"]
