"""``coliee-ir leaderboard GOLD DIR|FILE…``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from coliee_adapters.errors import UsageError, printable
from coliee_ir.cli import say, scoring
from coliee_ir.cli.options import add, add_decisions, decided
from coliee_ir.commands import leaderboard
from coliee_ir.commands.leaderboard import render
from coliee_ir.commands.leaderboard.catalogue import Extras
from coliee_ir.output.grid import print_to_terminal


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.epilog = (
        "exit code: 0 if every submission was ranked, 2 if one could not be (it is reported with the reason)\n"
        "example: coliee-ir leaderboard gold.json submissions/ --teams teams.csv --best"
    )
    add(parser, "gold", "submissions", "more_golds", "task", "edition", "columns", "teams", "team_pattern", "best")
    shown = "; ".join(f"{name}: {table.shows}" for name, table in leaderboard.TABLES.items())
    add(
        parser, "table_names", choices=tuple(leaderboard.TABLES),
        help=f"table to print (repeatable; default: ranking). {shown}",
    )  # fmt: skip
    add(parser, "tables", "categories", "official")
    easy = f"share of the runs that must be right on an easy query (default: {leaderboard.EASY})"
    add(parser, "easy", default=leaderboard.EASY, help=easy)
    add(parser, "groups", help="lines QUERY GROUP; queries of a group are swapped and drawn together")
    add(parser, "resamples", "seed", "confidence_level", "exclude", "only", "jobs", "output")
    add(parser, "format", choices=render.FORMS, help="format of the result; json holds all tables (default: table)")
    add_decisions(parser)


def run(options: argparse.Namespace) -> int:
    """Rank the submissions and print what was asked for."""
    tables = []
    if options.tables:
        if options.format == "json":
            raise UsageError("JSON holds all tables: leave --tables out, and write the result to a file with -o")
        tables = [str(path) for path in render.paths(Path(options.tables), options.format)]
    scoring.find_files(options, options.output, *tables)
    besides = [file for file in (options.categories, options.official, options.groups) if file]
    with scoring.asking_about_swap(options.gold, options.submissions[0]):
        board = leaderboard.rank_runs(
            scoring.golds(options),
            *options.submissions,
            task=options.task,
            edition=options.edition,
            teams=options.teams,
            team_pattern=options.team_pattern,
            best=options.best,
            besides=besides,
            **scoring.split(options),
            decisions=decided(options),
            groups=None if options.groups is None else scoring.id_pairs(options.groups, options.task, "QUERY GROUP"),
            n_resamples=options.resamples,
            seed=options.seed,
            confidence_level=options.confidence_level,
            jobs=options.jobs,
            watch=scoring.watched,
            columns=options.columns,
        )
    decided(options, board.task)  # a choice that changes nothing is refused
    if board.entries:
        scoring.tell([entry.scores for entry in board.entries], board.because, len(board.excluded))
    for remark in board.remarks:
        say(remark)
    for one in board.invalid:
        say(f"coliee-ir: not ranked: {one.reason}")
    if board.entries:
        _print(options, board)
    return 2 if board.invalid or not board.entries else 0


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
    names = options.table_names or ["ranking", *(["official"] if official else [])]
    if options.tables:
        files, missing = render.write_all(board, Path(options.tables), options.format, extras)
        for file in files:
            say(f"written: {file}")
        for name, reason in missing.items():
            say(f"no table {name}: {reason}")
        if not options.table_names and options.output == "-":
            return
    if (options.format, options.output) == ("table", "-") and sys.stdout.isatty():
        for name in names:
            table = board.table(name, easy=options.easy, categories=categories, official=official)
            print_to_terminal(table, leaderboard.TABLES[name].shows, printable(table.caption))
        return
    scoring.put(render.render(board, options.format, names, extras), options.output)
