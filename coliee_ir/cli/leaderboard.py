"""``coliee-ir leaderboard GOLD DIR|FILE…``."""

from __future__ import annotations

import argparse
import math
import sys
from pathlib import Path

from coliee_adapters.errors import UsageError, printable
from coliee_adapters.files.writing import made_folder
from coliee_adapters.kinds import told
from coliee_ir.cli import say, scoring
from coliee_ir.cli.options import add, add_decisions
from coliee_ir.commands import leaderboard
from coliee_ir.commands.leaderboard import data, files
from coliee_ir.commands.leaderboard.catalogue import Extras, build
from coliee_ir.commands.leaderboard.result import BoardTables
from coliee_ir.output.grid import print_to_terminal
from coliee_ir.output.shown import forms_of, render
from coliee_ir.output.webpage import file_name
from coliee_ir.scoring.reading import read_gold
from coliee_ir.scoring.scores import Scored


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.epilog = (
        "exit code: 0 if every submission was ranked, 2 if one could not be (it is reported with the reason)\n"
        "example: coliee-ir leaderboard gold.json submissions/ --teams teams.csv --best"
    )
    add(parser, "gold", "submissions", "more_golds", "task", "protocol", "edition", "columns")
    add(parser, "teams", "best")
    shown = "; ".join(f"{name}: {table.shows}" for name, table in leaderboard.TABLES.items())
    add(
        parser, "table_names", choices=tuple(leaderboard.TABLES),
        help=f"table to print (repeatable; default: ranking). {shown}",
    )  # fmt: skip
    add(
        parser, "overview",
        help="write every table to a file in DIR, in the format of -f; as LaTeX, the default, also the figures "
        "(with the extra report) and paper.tex, which includes all",
    )  # fmt: skip
    add(parser, "categories", "official")
    add(parser, "corpus", help="the documents, for the number of candidates in the table data")
    add(parser, "train")
    add(parser, "groups", help="lines QUERY GROUP; queries of a group are swapped and drawn together")
    add(parser, "replicates", "resamples", "seed", "confidence_level", "exclude", "only", "jobs", "output")
    add(parser, "format", choices=forms_of(BoardTables))
    add(parser, "pages", "reports", "hide_gold")
    add_decisions(parser)


def run(options: argparse.Namespace) -> int:
    """Rank the submissions and print what was asked for."""
    tables = []
    if options.reports and (not options.pages or options.hide_gold):
        problem = "--reports goes with --pages DIR; reports show the gold, so that --hide-gold leaves them out"
        raise UsageError("option-needed", problem)
    if options.overview:
        if options.format in ("json", "html"):
            raise UsageError("unfit-option", "JSON and HTML hold all tables: leave --overview out, and use -o")
        tables = [str(path) for path in files.paths(Path(options.overview), _overview_form(options))]
    if options.teams is not None and "(" in options.teams and not Path(options.teams).exists():
        options.teams, options.team_pattern = None, options.teams  # an expression, not a file
    found = scoring.find_files(options, options.output, *tables)
    scored = scoring.score(options, [], found, keep="judged")
    board = leaderboard.leaderboard(
        scored, best=options.best, groups=options.groups, replicates=options.replicates,
        n_resamples=options.resamples, seed=options.seed, confidence_level=options.confidence_level,
    )  # fmt: skip
    if board.entries:
        scoring.tell([entry.scores for entry in board.entries], board.because, len(board.excluded))
    for remark in board.remarks:
        say(remark)
    for one in board.invalid:
        say(f"coliee-ir: not ranked: {told(one.reason)}")
    if board.ranked:
        _print(options, board, scored)
    return 2 if board.invalid or not board.ranked else 0


def _print(options: argparse.Namespace, board: leaderboard.Leaderboard, scored: Scored) -> None:
    categories = official = None
    if options.categories:
        categories = leaderboard.read_categories(options.categories, board.queries)
    if options.official:
        official = leaderboard.read_official(options.official, board.ranking.name, board.task, board.edition)
    for read in (categories, official):
        for remark in read.remarks if read is not None else ():
            say(remark)
    train = None
    if options.train:
        train = data.data_of(read_gold(options.train, task=board.task))
    candidates = math.nan
    if options.corpus is not None:
        candidates = data.candidates_of(options.corpus, board.task, scored.evaluator.gold)
    extras = Extras(leaderboard.EASY, categories, official, options.hide_gold, candidates, train)
    names = options.table_names or ["ranking", *(["official"] if official else [])]
    if options.pages:
        reports = _reports(options, board, scored) if options.reports else {}
        for file in files.write_pages(board, Path(options.pages), extras, reports):
            say(f"written: {file}")
        if not options.overview and not options.table_names and options.output == "-":
            return
    if options.overview:
        _overview(options, board, extras)
        if not options.table_names and options.output == "-":
            return
    if (options.format, options.output) == ("table", "-") and sys.stdout.isatty():
        for name in names:
            table = build(board, name, extras)
            print_to_terminal(table, leaderboard.TABLES[name].shows, printable(table.caption))
        return
    scoring.publish(options, render(BoardTables(board, names, extras), options.format), scored.submissions)


def _reports(options: argparse.Namespace, board: leaderboard.Leaderboard, scored: Scored) -> dict[str, str]:
    """A report for each team, and for each run without a team; run tag → its file."""
    from coliee_ir.commands import report  # what it draws with is an extra

    report.check_installed("--reports")
    at = {id(scores): at for at, scores in enumerate(scored)}
    teams: dict[str, list[leaderboard.Entry]] = {}
    for entry in board.entries:
        if id(entry.scores) in at and scored.submissions[at[id(entry.scores)]] is not None:  # a store's have no file
            teams.setdefault(entry.team or f"\0{entry.tag}", []).append(entry)
    made: dict[str, str] = {}
    for team, entries in scoring.watched(iter(teams.items()), len(teams)):
        file = file_name("task", board.task, "report", team.removeprefix("\0"))
        runs = scored.of([at[id(entry.scores)] for entry in entries])
        page = report.report(runs, n_resamples=options.resamples, seed=options.seed)
        made_folder(options.pages)
        page.write_html(Path(options.pages, file))
        made |= {entry.tag: file for entry in entries}
    return made


def _overview_form(options: argparse.Namespace) -> str:
    """The form of the tables of an overview: LaTeX unless another one is named."""
    return "latex" if options.format == "table" else str(options.format)


def _overview(options: argparse.Namespace, board: leaderboard.Leaderboard, extras: Extras) -> None:
    """All tables; in LaTeX also the figures of an overview paper, and a document that includes them."""
    folder, form = Path(options.overview), _overview_form(options)
    written, missing = files.write_all(board, folder, form, extras)
    if form == "latex":
        written += _paper(board, folder, written, missing, extras)
    for file in written:
        say(f"written: {file}")
    for name, reason in missing.items():
        say(f"no {name}: {reason}")


def _paper(
    board: leaderboard.Leaderboard, folder: Path, tables: list[str], missing: dict[str, str], extras: Extras
) -> list[str]:
    """The figures of an overview paper, where they can be drawn, and a document that includes them and the tables."""
    figures: list[str] = []
    try:
        from coliee_ir.commands.report.overview import write_overview  # loads altair, an extra
    except ImportError:
        missing["figures"] = "they need the extra report: pip install 'coliee-ir[report]'"
    else:
        figures = [str(path) for path in write_overview(board, folder, extras.easy)]
    paper = folder / "paper.tex"
    scoring.put(files.paper(board, tables, figures=bool(figures)), str(paper))
    return [*figures, str(paper)]
