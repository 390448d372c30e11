"""Reports that people look at: one HTML page, and the same figures for a paper.

Scores, Comparison, Tuning, Leaderboard ──▶ Contents ──▶ figures ──▶ page · PDF, SVG, PNG · LaTeX
"""

from coliee_ir.commands.report.request import Report, check_installed, make_report, report_scores

__all__ = ["Report", "check_installed", "make_report", "report_scores"]
