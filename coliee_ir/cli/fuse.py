"""``coliee-ir fuse RUN RUN… -o OUT``."""

from __future__ import annotations

import argparse
import re
import sys
from functools import partial

from coliee_adapters.errors import UsageError
from coliee_adapters.files import check_outputs
from coliee_adapters.records import Answers, Run
from coliee_ir.cli import say, scoring
from coliee_ir.commands import fuse as fusion
from coliee_ir.commands.convert import ANSWER_TARGETS, RUN_TARGETS
from coliee_ir.commands.fuse import Fusion, fitting, render
from coliee_ir.commands.fuse.output import write_fused
from coliee_ir.output.grid import plain
from coliee_ir.scoring.reading import gold_files, opened, opened_if_possible, read_gold
from coliee_ir.stats.settings import SEED

#: What a file of weights says too.
_IN_FILE = ("method", "norm", "k", "depth", "least", "top", "ties")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument(
        "runs",
        metavar="RUN|DIR",
        nargs="+",
        help="at least two, in any of their forms; .gz works; of a folder, all its files",
    )
    parser.add_argument("-o", "--output", metavar="OUT", help="where the fused run goes; - is standard output")
    parser.add_argument("--tag", metavar="TAG", help="its run tag; default: the method")
    parser.add_argument(
        "--to", choices=tuple(dict.fromkeys((*RUN_TARGETS, *ANSWER_TARGETS))), metavar="F",
        help=f"{', '.join(RUN_TARGETS)}; default: trec for a ranking, else, and with --top, what --task asks for",
    )  # fmt: skip
    parser.add_argument("--template", metavar="FILE", help="for the pilot: the test file that the submission repeats")
    scoring.add_task(parser)
    how = parser.add_argument_group("how runs are fused")
    how.add_argument(
        "--method", choices=tuple(fusion.METHODS), metavar="M",
        help=f"{', '.join(fusion.METHODS)}; default: rrf, for answers vote, with --fit combsum",
    )  # fmt: skip
    how.add_argument(
        "--norm", choices=tuple(fusion.NORMS), metavar="N",
        help=f"of comb…: {', '.join(fusion.NORMS)}; default: {fusion.NORM}",
    )  # fmt: skip
    how.add_argument("--k", type=float, metavar="K", help=f"of rrf; default: {fusion.K:g}")
    how.add_argument(
        "--weights", metavar="W,W,…|FILE", help="one a run, or the file that --fit wrote, which holds the method too"
    )
    how.add_argument("--depth", type=scoring.at_least_one, metavar="N", help="look at the first N of each list")
    how.add_argument("--least", type=float, metavar="K", help="of vote: runs, or weight, that are enough; "
                     "default: more than half")  # fmt: skip
    how.add_argument("--top", type=scoring.at_least_one, metavar="N", help="keep the first N fused documents a query")
    how.add_argument("--ties", choices=fusion.TIES, help="of answers; first: as the first RUN says; default: N")
    fit = parser.add_argument_group("weights fitted to labelled queries")
    fit.add_argument(
        "--gold", action="append", default=[], metavar="GOLD",
        help="the gold of the queries of the runs, or a folder of golds; can be repeated for further queries",
    )  # fmt: skip
    fit.add_argument("--fit", metavar="FILE", help="fit weights to --gold and write them, for --weights")
    fit.add_argument(
        "-m", "--measure", default="", metavar="MEASURE",
        help="what to maximise; sets at the best cut-off; default: the first of the task's that looks at documents",
    )  # fmt: skip
    fit.add_argument("--exclude", metavar="IDS|FILE", help="queries not fitted to: ids with commas, or a file")
    fit.add_argument("--folds", type=int, metavar="K", help="default: 5")
    fit.add_argument("--seed", type=int, metavar="N", help="of the folds; default: 2026")
    fit.add_argument(
        "--held-out", metavar="FILE", help="write the runs fused by weights that were fitted without the query's fold"
    )
    scoring.add_decisions(parser)


def run(options: argparse.Namespace) -> int:
    """Fuse the runs, write the result, and say what there is to say of it."""
    golds = gold_files(options.gold)
    options.runs = scoring.files_of(options.runs, [*golds, options.weights, options.template])
    if [*options.runs, *options.gold, options.weights].count("-") > 1:
        raise UsageError("standard input (-) can be named once only")
    check_outputs(
        [options.output, options.fit, options.held_out],
        [*options.runs, *golds, options.weights, options.template, options.exclude],
    )
    if bool(options.gold) != (options.fit is not None):
        raise UsageError("--gold GOLD and --fit FILE belong together")
    if options.fit is not None:
        return _fit(options)
    fitting = {"--held-out": options.held_out, "-m": options.measure, "--exclude": options.exclude,
               "--folds": options.folds, "--seed": options.seed}  # fmt: skip
    if unfit := [name for name, value in fitting.items() if value]:
        raise UsageError(f"{unfit[0]} belongs to --fit FILE")
    if options.output is None:
        raise UsageError("say where the fused run goes: -o OUT")
    records = fusion.read_all(scoring.opened_tables(options, *options.runs), task=options.task)
    how = _fusion(options, records)
    fused = how.fuse(records, task=options.task, tag=options.tag)
    for remark in fused.remarks:
        say(remark)
    said = write_fused(
        fused.run, records, options.output, to=options.to, task=options.task, edition=options.edition,
        is_cut=how.top is not None, template=options.template,
    )  # fmt: skip
    for sentence in said:
        say(sentence)
    return 0


def _fusion(options: argparse.Namespace, records: list[Run | Answers]) -> Fusion:
    """The method and its parameters, from the options or from a file of weights."""
    given = {name: getattr(options, name) for name in _IN_FILE}
    if options.weights is not None and not re.fullmatch(r"[-+0-9.eE]+(,[-+0-9.eE]+)*", options.weights.strip()):
        if twice := [name for name, value in given.items() if value is not None]:
            raise UsageError(f"{options.weights} says what --{twice[0]} is: leave the option out")
        return Fusion.load(options.weights)
    try:
        weights = None if options.weights is None else tuple(map(float, options.weights.split(",")))
    except ValueError:
        raise UsageError(f"--weights takes numbers with commas, such as 0.7,0.3, and not {options.weights}") from None
    return Fusion(**{**given, "method": options.method or fusion.usual(records)}, weights=weights)


def _fit(options: argparse.Namespace) -> int:
    """Fit weights to a gold, print what they are worth, and write what was asked for."""
    unfit = {"--weights": options.weights, "--least": options.least, "--ties": options.ties}
    if name := next((name for name, value in unfit.items() if value is not None), None):
        raise UsageError(f"{name} and --fit cannot be given together")
    evaluator_options = {
        "task": options.task,
        "edition": options.edition,
        "exclude": scoring.ids(options.exclude),
        "decisions": scoring.decided(options),
    }
    gold = options.gold[0] if len(options.gold) == 1 else options.gold
    gold = opened(gold, options.columns) if gold == "-" else gold
    runs = [opened_if_possible(path, options.columns) for path in options.runs]
    scoring.check_named_columns(options, gold, runs)
    gold = read_gold(gold, task=options.task, columns=options.columns)
    fitted = fitting.fit_fusion(
        gold, runs, options.method or "combsum", norm=options.norm, k=options.k, depth=options.depth,
        top=options.top, measure=options.measure, tag=options.tag, **evaluator_options,
        folds=fitting.FOLDS if options.folds is None else options.folds,
        seed=SEED if options.seed is None else options.seed,
    )  # fmt: skip
    task = f"task {fitted.task}" + (f" by the rules of {fitted.edition}" if fitted.edition is not None else "")
    say(f"{task}; {fitted.queries} queries in {fitted.folds} folds (seed {fitted.seed})")
    for remark in fitted.remarks:
        say(remark)
    fitted.save(options.fit)
    is_cut = fitted.fusion.top is not None
    written = partial(
        write_fused, inputs=fitted.inputs, to=options.to, task=fitted.task, edition=options.edition, is_cut=is_cut,
        template=options.template,
    )  # fmt: skip
    for run, target in ((fitted.fused.run, options.output), (fitted.held_out_run, options.held_out)):
        if target is not None:
            for sentence in written(run, target=target):
                say(f"{target}: {sentence}")
    if "-" in (options.fit, options.output, options.held_out):
        say(plain(render.table(fitted)).rstrip("\n"))
    else:
        sys.stdout.write(plain(render.table(fitted)))
    return 0
