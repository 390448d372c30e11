"""Reports that people look at: one HTML page, and the same figures for a paper.

Scores, Comparison, Tuning, Leaderboard ──▶ Contents ──▶ figures ──▶ page · PDF, SVG, PNG · LaTeX
"""

from coliee_ir.commands.report.request import Report, begin_page, check_installed, report

__all__ = ["Report", "begin_page", "check_installed", "report"]
