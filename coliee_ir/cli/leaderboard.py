"""``coliee-ir leaderboard GOLD DIR|FILE…``."""

from __future__ import annotations

import argparse

from coliee_adapters.kinds import with_kind
from coliee_ir.cli import print_remark, scoring
from coliee_ir.cli.options import add, add_decisions, add_files, add_resampling, one_measure
from coliee_ir.commands import leaderboard
from coliee_ir.commands.leaderboard.catalogue import BoardTables
from coliee_ir.output.shown import forms_of
from coliee_ir.scoring.scores import Scored
from coliee_ir.stats.settings import Resampling


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.epilog = (
        "exit code: 0 if every submission was ranked, 2 if one could not be (it is reported with the reason)\n"
        "example: coliee-ir leaderboard gold.json submissions/ --teams teams.csv --best"
    )
    add_files(parser, "submissions")
    add(parser, "more_golds", "task", "protocol", "edition", "columns")
    add(parser, "teams", "best")
    add(parser, "measure", help="measure that ranks (default: the one of the task's edition)")
    shown = "; ".join(f"{name}: {table.shows}" for name, table in leaderboard.TABLES.items())
    add(
        parser, "table_names", choices=tuple(leaderboard.TABLES),
        help=f"table to print (repeatable; default: ranking). {shown}",
    )  # fmt: skip
    add(parser, "categories")
    add(parser, "groups", "replicates", "tasks")
    add(parser, "scale", choices=leaderboard.SCALES)
    add_resampling(parser, Resampling())
    add(parser, "exclude", "only", "jobs", "output")
    add(parser, "format", choices=forms_of(BoardTables))
    add_decisions(parser)


def run(options: argparse.Namespace) -> int:
    """Rank the submissions and print what was asked for."""
    by = one_measure(options)
    return scoring.of_scores(
        options, leaderboard.leaderboard, _print_remarks, options.output, keep="judged", measure=by
    )


def _print_remarks(session: scoring.Session, board: leaderboard.Leaderboard, scored: Scored) -> int:
    """What there is to say of the board, and its tables."""
    if board.entries:
        scoring.print_headers([entry.scores for entry in board.entries], board.because, len(board.excluded))
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
        names = session.options.table_names or ["ranking"]
        session.publish(BoardTables(board, names, categories), scored.submissions)
    return 2 if board.invalid or not board.entries else 0
