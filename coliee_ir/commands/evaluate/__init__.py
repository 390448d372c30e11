"""Scoring, and what else ``evaluate`` writes beside the scores."""

from coliee_ir.commands.evaluate.request import evaluate, evaluate_all
from coliee_ir.scoring.scored import Scored

__all__ = ["Scored", "evaluate", "evaluate_all"]
