"""From a folder of submissions to the official table, and to every analysis table of an overview paper.

files ──collecting──▶ submissions ──Evaluator──▶ Scores ──standing──▶ Leaderboard ──catalogue──▶ tables
"""

from coliee_ir.commands.leaderboard.board import Entry
from coliee_ir.commands.leaderboard.catalogue import TABLES, Leaderboard
from coliee_ir.commands.leaderboard.categories import Categories, read_categories
from coliee_ir.commands.leaderboard.request import leaderboard
from coliee_ir.reading.submission import Invalid
from coliee_ir.stats.ranks import Ranks

__all__ = [
    "TABLES", "Categories", "Entry", "Invalid", "Leaderboard", "Ranks", "leaderboard", "read_categories",
]  # fmt: skip
