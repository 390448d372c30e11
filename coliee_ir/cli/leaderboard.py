"""``coliee-ir leaderboard GOLD DIR|FILE…``."""

from __future__ import annotations

import argparse
from dataclasses import replace

from coliee_adapters.kinds import with_kind
from coliee_ir.cli import print_remark, scoring
from coliee_ir.cli.options import one_measure
from coliee_ir.commands import leaderboard
from coliee_ir.scoring.scores import Scored


def run(options: argparse.Namespace) -> int:
    """Rank the submissions and print what was asked for."""
    return scoring.of_scores(
        options, leaderboard.leaderboard, _print_remarks, options.output, keep="judged", measure=one_measure(options)
    )


def _print_remarks(session: scoring.Session, board: leaderboard.Leaderboard, scored: Scored) -> int:
    """Print the remarks on the board, and its tables."""
    if board.entries:
        scoring.print_headers([entry.scores for entry in board.entries], board.evidence, len(board.excluded))
    for remark in board.remarks:
        print_remark(remark)
    for invalid in board.invalid:
        print_remark(f"coliee-ir: not ranked: {with_kind(invalid.reason)}")
    if board.entries:
        categories = None
        if session.options.categories:
            categories = leaderboard.read_categories(session.options.categories, board.queries)
            for remark in categories.remarks:
                print_remark(remark)
        session.publish(
            replace(board, printed=tuple(session.options.table_names or ["ranking"]), categories=categories),
            scored.submissions,
        )
    return 2 if board.invalid or not board.entries else 0
