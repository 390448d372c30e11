"""``coliee-ir tune GOLD RUN…``."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from coliee_adapters.errors import InternalError, UsageError, errors_as_coliee, quoted, shortened
from coliee_adapters.files.source import Source, is_folder
from coliee_adapters.files.writing import open_text_replacing
from coliee_adapters.kinds import with_kind
from coliee_adapters.records import Run, RunLike
from coliee_adapters.remarks import Remarks
from coliee_ir.cli import print_remark, scoring, with_progress
from coliee_ir.cli.options import keywords, one_measure, rules
from coliee_ir.commands import convert
from coliee_ir.commands import tune as cutoffs
from coliee_ir.commands.convert.texts import dates_of
from coliee_ir.commands.tune import Filter, Tuning
from coliee_ir.commands.tune.result import Tunings, points
from coliee_ir.commands.validate import validate
from coliee_ir.inbox import sheets
from coliee_ir.judging import workers
from coliee_ir.output import grid
from coliee_ir.output.rendering import render
from coliee_ir.reading.anything import read_run, readable
from coliee_ir.reading.submission import Submission
from coliee_ir.rules.protocol import has_coliee_submissions, submission_rules, tag_fault


def chosen_filters(options: argparse.Namespace, task: str | None) -> list[Filter]:
    """The filters that were asked for."""
    chosen = []
    if options.not_itself:
        chosen.append(Filter.exclude_self())
    if options.dates is not None:
        is_corpus = is_folder(options.dates)
        dates = dates_of(options.dates) if is_corpus else sheets.read_dates(options.dates, task=task)
        if is_corpus:
            in_full = sum(len(date) > len("2019") for date in dates.values())
            print_remark(f"{options.dates}: {len(dates)} cases show a date, {in_full} of them the day")
        chosen.append(Filter.exclude_newer(dates))
    if options.candidates is not None:
        golds = [gold for gold in (options.gold, *options.more_golds) if gold is not None]
        if os.path.realpath(options.candidates) in map(os.path.realpath, golds):
            problem = f"{options.candidates} is the gold: a run cut to what is relevant is no longer the system's"
            raise UsageError("named-twice", f"{problem}; name the documents that each query may retrieve")
        candidates = sheets.read_candidates(options.candidates, task=task)
        print_remark(f"{options.candidates}: the candidates of {len(candidates)} queries; others keep all")
        chosen.append(Filter.candidates(candidates))
    return chosen


def run(options: argparse.Namespace) -> int:
    """Choose the rule of each run, print what it is worth, and cut the test run by it."""
    session = _check(options)
    rules_given = rules(options)
    answers = readable(options.answers, options.columns)
    files = session.sources(*options.apply)
    to_cut: list[RunLike] = [*files]
    if len(files) > 1:
        to_cut = session.joined(files, partial(read_run, task=options.task))
    if len(to_cut) > 1:
        raise UsageError("ambiguous", "--apply takes the files of one run, and these are of several")
    applied = next(iter(to_cut), None)
    if answers is not None:
        n = len(session.runs.sources)
        session.runs = session.runs.with_parts([answers] * n, [None] * n)
    basis = session.prepare(others=[applied])
    rules_given["task"] = task = basis.task
    submissions = session.submissions(basis)
    if len(submissions) > 1 and (options.apply or options.save):
        raise UsageError("too-few", f"--apply and --save need exactly one run to tune; there are {len(submissions)}")
    filters = chosen_filters(options, task)
    arguments = keywords(
        cutoffs.tune, options, measure=one_measure(options), filters=filters,
        groups=sheets.groups_of(options.groups, task),
    )  # fmt: skip
    tuned = partial(cutoffs.tune, basis.gold, **arguments, **rules_given)
    tunings: list[Tuning] = []
    failed = False
    jobs = 1 if "-" in (*options.runs, options.answers) else min(options.jobs or len(submissions), workers.cores())
    tasks = [partial(_contained, tuned, submission) for submission in submissions]
    with scoring.engine(options) as executor:
        for result in with_progress(workers.results(tasks, jobs, executor), len(submissions)):
            if isinstance(result, Tuning):
                tunings.append(result)
            elif isinstance(result, InternalError):  # main reports it
                failed = True
            elif options.keep_going:
                failed = True
                print_remark(f"coliee-ir: {with_kind(result)}")
            else:
                raise result
    cut = cutoffs.cut(applied, tunings[0].rule, task=task, filters=filters) if applied is not None and tunings else None
    tag = None if cut is None else fit_tag(options, cut, task)
    if tunings:
        named = Tunings(tunings)
        _print_remarks(named.tunings, basis.task_evidence)
        session.print_gold_uses(submissions)
        _write(session, named, filters, submissions)
    grave = False
    if cut is not None:
        grave = write(options, cut, task, tag)
    return 2 if failed else 1 if grave else 0


def _contained(tuned: Callable[..., Tuning], submission: Submission) -> Tuning:
    """The tuning of a submission's ranking, which is its long list where it has one."""
    run = submission.ranking
    with errors_as_coliee(run.name if isinstance(run, Source) else str(run)):
        return tuned(run, answers=submission.answers)


def _check(options: argparse.Namespace) -> scoring.Session:
    """Refuse options that do not go together."""
    cut_run = options.output if options.apply else None
    table = options.output if not options.apply and not _is_told(options) else None
    session = scoring.Session(options)
    session.find(cut_run, table, options.save, options.curve)
    if options.curve is not None:
        grid.file_form(options.curve)  # refused before anything is computed
    if options.tag is not None and not options.apply:
        raise UsageError("option-needed", "--tag is the run tag of the cut run; use it with --apply TEST_RUN")
    return session


def _is_told(options: argparse.Namespace) -> bool:
    """Whether the tunings' table goes to standard error, because something else has standard output."""
    return options.output == "-" and (bool(options.apply) or "-" in (options.save, options.curve))


def _print_remarks(tunings: Sequence[Tuning], reason: str) -> None:
    """On standard error: the task, and for each run what was read and what was tolerated."""
    first = tunings[0]
    print_remark(scoring.by_rules(first.task, first.edition, reason, len(first.excluded)))
    for tuning in tunings:
        for sentence in (tuning.header, *tuning.remarks):
            print_remark(f"{shortened(tuning.name)}: {with_kind(sentence)}")


def _write(session: scoring.Session, named: Tunings, filters: list[Filter], submissions: list[Submission]) -> None:
    """The rule, where it was asked for, and the table of the tunings, where it has its place."""
    options, tunings, rule = session.options, named.tunings, named.tunings[0].rule
    if options.save is not None:
        with open_text_replacing(options.save) as stream:
            json.dump({**rule.to_dict(), "filters": [filter_.name for filter_ in filters]}, stream)
            stream.write("\n")
        print_remark(f"{options.save}: {rule}")
    if options.curve is not None:
        table = points(tunings)
        scoring.write_text(grid.file_form(options.curve)(table.header, table.rows, table.n_text), options.curve)
    if options.apply and not _is_told(options):
        scoring.write_text(render(named, options.format), "-")
    else:
        session.publish(named, submissions, on_stderr=_is_told(options))


def fit_tag(options: argparse.Namespace, cut: Run, task: str | None) -> str | None:
    """The run tag of a submission: that given, else that of the run or, where it is against the rules, of ``-o``."""
    if options.to not in (None, "columns") or not has_coliee_submissions(task):
        return None if options.tag is None else str(options.tag)
    own = "_".join(cut.tag.split()) if options.tag is None else str(options.tag)
    longest = submission_rules(str(task), options.edition).tag_length
    of_file = Source(options.output).stem if options.tag is None and options.output != "-" else own
    if fault := tag_fault(own, longest):
        if tag_fault(of_file, longest):
            raise UsageError(
                "bad-value", f"{fault}, and {quoted(own)} is not; name another with --tag, for example --tag RUN1"
            )
        print_remark(f"run tag {of_file}, from the name of {options.output}: {fault}, and {quoted(own)} is not")
    return of_file if fault else own


def write(options: argparse.Namespace, cut: Run, task: str | None, tag: str | None) -> bool:
    """Write a cut run, by default as a submission; whether ``validate`` finds errors in what was written."""
    path, edition = options.output, options.edition
    if not any(len(block.documents) for block in cut.blocks()):
        remarks = sum((block.remarks for block in cut.blocks()), Remarks())
        why = next((f": {remark}" for remark in remarks.sentences() if remark.kind == "no-score-reaches"), "")
        problem = f"nothing would be left of {cut.path}{why or ', and an empty run is not written'}"
        raise UsageError("no-result", f"{problem}; name another rule with coliee-ir cut RUN --by k=5")
    if options.to is not None:
        sentences = convert.write(cut, path, to=options.to, tag=tag)
    else:
        sentences = convert.write_run(cut, path, task=task, edition=edition, tag=tag)
    for sentence in sentences:
        scoring.print_file_remark(path, sentence)
    # what is no plain file cannot be read again: a terminal, a pipe, /dev/null
    if options.to is not None or not Path(path).is_file() or not has_coliee_submissions(task):
        return False
    validation = validate(path, task=task, edition=edition)
    for finding in validation.findings:
        print_remark(str(finding))
    return validation.errors > 0
