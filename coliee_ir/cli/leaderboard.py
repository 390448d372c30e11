"""``coliee-ir leaderboard GOLD DIR|FILE…``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from coliee_adapters.errors import UsageError, printable
from coliee_adapters.files import check_outputs
from coliee_adapters.folders import walk
from coliee_ir.cli import say, scoring
from coliee_ir.commands import compare as significance
from coliee_ir.commands import leaderboard
from coliee_ir.commands.leaderboard import render
from coliee_ir.commands.leaderboard.catalogue import Extras
from coliee_ir.output.grid import print_to_terminal


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.epilog = (
        "Exit code: 0 if every submission was ranked; 2 if one was not: it is named with its reason, and the others "
        "are ranked all the same."
    )
    scoring.add_gold(parser)
    parser.add_argument(
        "submissions", metavar="DIR|FILE", nargs="+",
        help="submissions; folders are searched, and files of one run tag belong together",
    )  # fmt: skip
    scoring.add_task(parser)
    parser.add_argument(
        "--teams", metavar="CSV",
        help="whose runs they are, by columns tag and team; default: the first folder below the one that all share",
    )  # fmt: skip
    parser.add_argument("--team-pattern", metavar="REGEX", help="the team stands in the run tag: its first group")
    parser.add_argument("--best", action="store_true", help="rank only the best run of each team")
    parser.add_argument(
        "--table", action="append", default=[], choices=tuple(leaderboard.TABLES), metavar="NAME", dest="names",
        help="another table than the ranking, or several: "
        + "; ".join(f"{name}: {table.shows}" for name, table in leaderboard.TABLES.items()),
    )  # fmt: skip
    parser.add_argument("--tables", metavar="DIR", help="write every table to a file of DIR, in the form of -o")
    parser.add_argument("--categories", metavar="CSV", help="categories of queries: query,category, or a column each")
    parser.add_argument("--official", metavar="CSV", help="a published table of scores, in which runs are placed")
    parser.add_argument(
        "--easy", type=scoring.share, default=leaderboard.EASY, metavar="SHARE",
        help=f"a query is easy if so many of the runs are right; default: {leaderboard.EASY}",
    )  # fmt: skip
    parser.add_argument("--correction", choices=tuple(significance.CORRECTIONS), default="holm", help="default: holm")
    scoring.add_resampling(parser)
    parser.add_argument(
        "--confidence-level", type=float, default=0.95, metavar="P", help="of intervals and tests (default: 0.95)"
    )
    parser.add_argument(
        "-o", "--output", choices=render.FORMS, default="table", help="default: table; json holds all tables"
    )
    scoring.add_scope(parser)
    scoring.add_decisions(parser)


def run(options: argparse.Namespace) -> int:
    """Rank the submissions and print what was asked for."""
    if [options.gold, *options.more_golds, *options.submissions].count("-") > 1:
        raise UsageError("standard input (-) can be named once only")
    if options.tables:
        _check_tables(options)
    besides = [file for file in (options.categories, options.official) if file]
    board = leaderboard.rank_runs(
        scoring.golds(options),
        *options.submissions,
        task=options.task,
        edition=options.edition,
        teams=options.teams,
        team_pattern=options.team_pattern,
        best=options.best,
        besides=besides,
        exclude=scoring.ids(options.exclude),
        decisions=scoring.decided(options),
        correction=options.correction,
        n_resamples=options.resamples,
        seed=options.seed,
        confidence_level=options.confidence_level,
        jobs=options.jobs,
        watch=scoring.watched,
        columns=options.columns,
    )
    if board.entries:
        scoring.tell([entry.scores for entry in board.entries], board.because, len(board.excluded))
    for remark in board.remarks:
        say(remark)
    for one in board.invalid:
        say(f"coliee-ir: not ranked: {one.reason}")
    if board.entries:
        _print(options, board)
    return 2 if board.invalid or not board.entries else 0


def _check_tables(options: argparse.Namespace) -> None:
    """Refuse tables that cannot be written, or would be written over what is read, before anything is scored."""
    if options.output == "json":
        raise UsageError("JSON holds all tables: leave --tables out, and send standard output to a file")
    read = [options.gold, options.teams, options.categories, options.official, options.exclude]
    check_outputs(render.paths(Path(options.tables), options.output), [*walk(options.submissions).files, *read])


def _print(options: argparse.Namespace, board: leaderboard.Leaderboard) -> None:
    categories = official = None
    if options.categories:
        categories = leaderboard.read_categories(options.categories, board.queries)
    if options.official:
        official = leaderboard.read_official(options.official, board.ranking.name, board.task, board.edition)
    for read in (categories, official):
        for remark in read.remarks if read is not None else ():
            say(remark)
    extras = Extras(options.easy, categories, official)
    names = options.names or ["ranking", *(["official"] if official else [])]
    if options.tables:
        files, missing = render.write_all(board, Path(options.tables), options.output, extras)
        for file in files:
            say(f"written: {file}")
        for name, reason in missing.items():
            say(f"no table {name}: {reason}")
        if not options.names:
            return
    if options.output == "table" and sys.stdout.isatty():
        for name in names:
            table = board.table(name, easy=options.easy, categories=categories, official=official)
            print_to_terminal(table, leaderboard.TABLES[name].shows, printable(table.caption))
        return
    sys.stdout.write(render.render(board, options.output, names, extras))
