"""``coliee-ir report GOLD RUN… --html FILE``."""

from __future__ import annotations

import argparse
import re
import shlex

from coliee_adapters.errors import UsageError
from coliee_adapters.files import Source, check_outputs
from coliee_ir.cli import say, scoring
from coliee_ir.commands import report
from coliee_ir.commands.leaderboard import EASY
from coliee_ir.stats.settings import Resampling


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    scoring.add_arguments(parser)
    written = parser.add_argument_group("what is written (at least one)")
    written.add_argument(
        "--html", metavar="FILE", help="the page: one file, which needs no network; - is standard output"
    )
    written.add_argument("--figures", metavar="DIR", help="its figures as PDF, SVG and PNG, their numbers as CSV")
    written.add_argument(
        "--overview",
        metavar="DIR",
        help="figures of an overview paper: each question's means over all runs; and LaTeX",
    )
    parser.add_argument(
        "-m", "--measure", action="append", default=[], metavar="MEASURE",
        help="the report is about the first; see `coliee-ir measures`; default: the official ones",
    )  # fmt: skip
    parser.add_argument("--corpus", metavar="DIR|FILE", help="the texts of the task, for titles of documents")
    parser.add_argument("--categories", metavar="FILE", help="categories of queries: a CSV, query,category")
    parser.add_argument("--baseline", metavar="TAG|FILE", help="compare all others with this run; default: all pairs")
    parser.add_argument("--easy", type=scoring.share, default=EASY, metavar="SHARE",
                        help=f"--overview: of runs that find an easy question's document; default: {EASY}")  # fmt: skip
    scoring.add_resampling(parser)


def run(options: argparse.Namespace) -> int:
    """Score the runs, make the report, and write what was asked for."""
    if options.html is None and options.figures is None and options.overview is None:
        raise UsageError("say what to write: --html FILE, --figures DIR or --overview DIR")
    report.check_installed()
    names = [name for names in options.measure for name in re.split(r"\s+(?![^(]*\))", names.strip())]
    submissions = scoring.handed_in(options)
    _check_outputs(options)
    scored, evaluator, failed = scoring.score(options, names, submissions, keep_judged=True)
    if not scored:
        return 2
    of_file = {one.run.name: one for one in submissions if isinstance(one.run, Source)}
    made = report.report_scores(
        scored, evaluator, [of_file[scores.file] for scores in scored], corpus=options.corpus,
        categories=options.categories, baseline=options.baseline, settings=Resampling(options.resamples, options.seed),
        command=shlex.join(["coliee-ir", *options.typed]),
    )  # fmt: skip
    for remark in made.contents.remarks:
        say(remark)
    if options.html is not None:
        made.write_html(options.html)
        say(f"{options.html}: open it in a browser")
    if options.figures is not None:
        say(f"{options.figures}: {len(made.write_figures(options.figures))} files")
    if options.overview is not None:
        say(f"{options.overview}: {len(made.write_overview(options.overview, easy=options.easy))} files")
    return 2 if failed else 0


def _check_outputs(options: argparse.Namespace) -> None:
    """Refuse to write over what is read, before anything is scored."""
    given = [options.gold, *options.runs, *options.answers, *options.long_list]
    given += [options.corpus, options.categories, options.exclude]
    outputs = [options.html]
    from coliee_ir.commands.report import overview, page, paper  # what they draw with is there only now

    if options.figures is not None:
        outputs += paper.paths(page.Drawn._fields, options.figures)
    if options.overview is not None:
        outputs += overview.paths(options.overview)
    check_outputs(outputs, given)
