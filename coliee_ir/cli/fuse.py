"""``coliee-ir fuse RUN RUN…``."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import cast

from coliee_adapters.errors import UsageError
from coliee_adapters.files.source import Source
from coliee_adapters.forms import json_text, tort
from coliee_adapters.forms.lines import counted
from coliee_adapters.records import Answers, Run, RunLike
from coliee_ir.cli import print_remark, scoring
from coliee_ir.cli.options import keywords, one_measure, rules
from coliee_ir.commands import convert
from coliee_ir.commands import fuse as fusion
from coliee_ir.commands.fuse import OPTIONS, Fusion, asking_about_gold, fitting
from coliee_ir.inbox.grouping import skip_other_parts
from coliee_ir.reading.anything import in_order, read_run
from coliee_ir.rules.choices import TASKS
from coliee_ir.rules.protocol import has_coliee_submissions, has_submissions, submission_rules, task_name

#: What a file of weights says too.
_IN_FILE = ("method", "norm", "k", "top", "ties")


def run(options: argparse.Namespace) -> int:
    """Fuse the runs, write the result, and print the remarks on it."""
    session = scoring.Session(options)
    session.find(options.output, options.save)
    arrived = session.runs
    if options.fit:
        return _fit(session)
    fitting = {"--save": options.save, "-m": options.measure or None,
               "--exclude": options.exclude, "--only": options.only,
               "--folds": options.by_year or options.folds, "--seed": options.seed}  # fmt: skip
    if unfit := [name for name, value in fitting.items() if value is not None]:
        raise UsageError("option-needed", f"{unfit[0]} needs --fit GOLD")
    if arrived.inventory is not None:
        skip_other_parts(arrived.inventory, options.task)
        for remark in arrived.inventory.remarks():
            print_remark(remark)
    unreadable = dict(options.decision).get("unreadable_answers", "refuse")
    read = partial(read_run, task=options.task, columns=options.columns, unreadable_answers=unreadable)
    with asking_about_gold():  # of folders nothing tells whose each file is
        runs = session.joined(arrived.sources, read if arrived.inventory is None and "-" not in options.runs else None)
    records = fusion.read_all(runs, task=options.task, unreadable_answers=unreadable)
    records = [in_order(record, dict(options.decision).get("order", "descending")) for record in records]
    how = _fusion(options, records)
    task, edition = task_name(options.task), options.edition
    if how.runs:  # as --fit has saved it, and writes it too
        saved = json_text.parse(Source(options.weights).text(), options.weights)
        if task is None and isinstance(saved, dict) and saved.get("task") in TASKS:
            task, edition = saved["task"], edition or saved.get("edition")
        how = replace(how, top=None) if _say_how_much(options, how) else how
    fused = how.fuse(*records, task=options.task, tag=options.tag, unreadable_answers=unreadable)
    if apart := [remark for remark in fused.remarks if getattr(remark, "kind", "") == "nothing-shared"]:
        raise UsageError("mismatch", str(apart[0]))
    for remark in fused.remarks:
        print_remark(remark)
    for sentence in _write(options, fused.run, records, task, edition, is_cut=how.top is not None):
        print_remark(sentence)
    return 0


def _fusion(options: argparse.Namespace, records: list[Run | Answers]) -> Fusion:
    """The method and its parameters, from the options or from a file of weights."""
    parameters = {name: getattr(options, name) for name in _IN_FILE}
    if options.weights is not None and not re.fullmatch(r"[-+0-9.eE]+(,[-+0-9.eE]+)*", options.weights.strip()):
        if twice := [name for name, value in parameters.items() if value is not None]:
            option = OPTIONS.get(twice[0], "--method")
            raise UsageError("option-conflict", f"{options.weights} already sets {option}: leave the option out")
        if "," in options.weights and not Path(options.weights).exists():
            wanted = "numbers separated by commas, such as 0.7,0.3, or a file of fitted weights"
            raise UsageError("bad-value", f"--weights takes {wanted}, not {options.weights}")
        fitted, decided = Fusion.load(options.weights), dict(options.decision)
        return replace(fitted, order=decided.get("order", fitted.order))
    try:
        weights = None if options.weights is None else tuple(map(float, options.weights.split(",")))
    except ValueError:
        raise UsageError(
            "bad-value", f"--weights takes numbers separated by commas, such as 0.7,0.3, not {options.weights}"
        ) from None
    return Fusion(**{**parameters, "method": options.method or fusion.usual(records)}, weights=weights)


def _say_how_much(options: argparse.Namespace, how: Fusion) -> bool:
    """Say how much of a ranking is written, and return whether it is the whole: in a form that holds scores."""
    is_whole = how.top is not None and not options.top and options.to in ("trec", "parquet")
    about = f"top {how.top} per query; --to trec writes the whole ranking with its scores"
    if is_whole:
        about = "the whole ranking with its scores, for `coliee-ir tune`; without --to the " \
                f"first {how.top} of each query, which the score is of"  # fmt: skip
    if how.top is not None and not options.top:
        scoring.print_file_remark(options.output, about)
    return is_whole


def _write(
    options: argparse.Namespace,
    run: Run | Answers,
    inputs: Sequence[Run | Answers],
    task: str | None,
    edition: str | int | None,
    *,
    is_cut: bool,
) -> list[str]:
    """Write a fused run in the form that is named, or of a submission, or of a ranking that has yet to be cut."""
    form = options.to or ("tort" if options.template else None)
    is_ranking = isinstance(run, Run) and run.scored
    if form is None and is_ranking and not (is_cut and task):
        form = "trec"
    elif form is None and isinstance(run, Run):
        of_inputs = "trec" if all(record.format == "trec" for record in inputs) else "columns"
        form = (submission_rules(task, edition).form or "columns") if has_submissions(task) else of_inputs
    submitted = has_coliee_submissions(task) and (is_cut or not is_ranking)
    sentences = convert.write(
        run, options.output, to=form or "labels", tag=run.tag, template=options.template, submitted=submitted
    )
    if form != "tort" and all(record.format in tort.NAMES for record in inputs):
        sentences.append("to write a pilot submission, give the organisers' test file with --template FILE")
    return sentences


def _fit(session: scoring.Session) -> int:
    """Fit weights to a gold, print what they are worth, and write what was asked for."""
    options = session.options
    if options.weights is not None:
        raise UsageError("option-conflict", "--weights and --fit cannot be given together")
    basis = session.prepare(golds=options.fit)
    submissions = session.submissions(basis)
    if left := [submission.answers.name for submission in submissions if isinstance(submission.answers, Source)]:
        print_remark(
            f"only the documents are fused; {counted(len(left), 'file')} with answers left out (first: {left[0]})"
        )
    runs = (cast(RunLike, submission.ranking) for submission in submissions)
    arguments = keywords(fitting.fit_fusion, options, measure=one_measure(options))
    fitted = fitting.fit_fusion(basis.gold, *runs, **arguments, **rules(options) | {"task": basis.task})
    ruled = scoring.by_rules(fitted.task, fitted.edition, "", len(fitted.excluded))
    repeats = counted(fitted.repeats, "repeat")
    print_remark(f"{ruled}; {fitted.queries} queries in {fitted.folds} folds, {repeats} (seed {fitted.seed})")
    for remark in fitted.remarks:
        print_remark(remark)
    if options.save is not None:
        fitted.save(options.save)
    fused, is_cut = fitted.fused.run, fitted.fusion.top is not None
    if _say_how_much(options, fitted.fusion):
        whole = replace(fitted.fusion, top=None, runs=(), files=())
        fused, is_cut = whole.of_records(fitted.inputs, fused.tag).run, False
    for sentence in _write(options, fused, fitted.inputs, fitted.task, options.edition, is_cut=is_cut):
        scoring.print_file_remark(options.output, sentence)
    table = str(fitted)
    if "-" in (options.output, options.save):
        scoring.print_to_stderr(table)
    else:
        scoring.write_text(table, "-")
    return 0
