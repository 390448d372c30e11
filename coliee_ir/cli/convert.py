"""``coliee-ir convert IN OUT``."""

from __future__ import annotations

import argparse

from coliee_adapters.errors import UsageError
from coliee_adapters.forms import detect
from coliee_ir.cli import say
from coliee_ir.cli.options import add, add_decisions
from coliee_ir.commands import convert as conversion
from coliee_ir.inbox.sheets import read_values
from coliee_ir.scoring.reading import read_gold
from coliee_ir.stats.settings import FOLDS, SEED


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    forms = list(dict.fromkeys([*(f.name for f in detect.GOLD_FORMS), *(f.name for f in detect.RUN_FORMS)]))
    targets = list(
        dict.fromkeys(
            (
                *conversion.GOLD_TARGETS,
                *conversion.RUN_TARGETS,
                *conversion.ANSWER_TARGETS,
                conversion.DESCRIPTION,
                conversion.FOLDS_TARGET,
            )
        )
    )
    parser.epilog = "example: coliee-ir convert gold.json gold.qrels --to qrels"
    add(parser, "source", "target")
    add(parser, "form", choices=forms, help=f"format of IN: {', '.join(forms)} (default: detected)")
    add(
        parser, "to", choices=targets,
        help=f"format to write: {', '.join(targets)} (default: that of the ending of OUT, else qrels for a gold, trec "
        "for a submission)",
    )  # fmt: skip
    add(parser, "columns")
    parser.set_defaults(task=None)
    add(parser, "protocol", help="protocol file, or name of one, that says how IN is written; --to qrels for a gold")
    add(parser, "tag", help="run tag to write (default: that of the submission)")
    add(parser, "template")
    add(parser, "normalise")
    add_decisions(parser, "unreadable_answers")
    parser.set_defaults(by_year=False)
    add(
        parser, "folds",
        help="with --to folds: number of files of ids in the folder OUT, for --only and --exclude, or year for a file "
        f"a year (default: {FOLDS})",
    )  # fmt: skip
    add(parser, "groups", help="lines QUERY GROUP; queries of a group stay in the same file")
    add(parser, "seed", default=None, help=f"seed of the order in which queries are dealt (default: {SEED})")


def run(options: argparse.Namespace) -> int:
    """Convert, and say what the new form cannot hold."""
    if options.to == conversion.FOLDS_TARGET:
        return _split(options)
    splitting = {"--folds": options.folds, "--folds year": options.by_year or None, "--groups": options.groups,
                 "--seed": options.seed}  # fmt: skip
    if unfit := [name for name, value in splitting.items() if value is not None]:
        raise UsageError("option-needed", f"{unfit[0]} needs --to folds")
    for sentence in conversion.convert(
        options.source,
        options.target,
        form=options.form,
        to=options.to,
        tag=options.tag,
        template=options.template,
        columns=options.columns,
        unreadable_answers=dict(options.decision).get("unreadable_answers", "refuse"),
        task=options.task,
        normalise=options.normalise,
    ):
        say(sentence)
    if options.to is None and options.target.lower().endswith((".json", ".jsonl", ".csv", ".tsv")):
        say(f"{options.target}: written in TREC's columns; name another format with --to")
    return 0


def _split(options: argparse.Namespace) -> int:
    if options.tag or options.template or options.normalise:
        problem = "--to folds writes ids of queries; leave out --tag, --template and --normalise"
        raise UsageError("unfit-option", problem)
    gold = read_gold(options.source, form=options.form, columns=options.columns, task=options.task)
    for sentence in conversion.write_folds(
        gold,
        options.target,
        folds=FOLDS if options.folds is None else options.folds,
        seed=SEED if options.seed is None else options.seed,
        groups=None if options.groups is None else read_values(options.groups, "QUERY GROUP"),
        by_year=options.by_year,
    ):
        say(sentence)
    return 0
