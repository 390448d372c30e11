"""Checking a submission before it is sent: everything that is wrong with it, where, and what to do about it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path

from coliee_adapters.checked import one_of, suggesting_keywords
from coliee_adapters.errors import UsageError, quoted
from coliee_adapters.files.source import PathLike, Source
from coliee_adapters.files.writing import check_inputs, check_outputs, make_folder
from coliee_adapters.forms.vocabulary import checked_columns
from coliee_ir.commands.validate.check import check
from coliee_ir.commands.validate.mend import mend
from coliee_ir.commands.validate.result import Validation, by_gravity
from coliee_ir.commands.validate.rules import RULES, Rule, Severity
from coliee_ir.commands.validate.sheet import Context, Finding, Known, Place, known_ids
from coliee_ir.inbox.tasks import task_of_files
from coliee_ir.reading.anything import check_columns, gold_files, read_gold
from coliee_ir.rules.choices import TASKS
from coliee_ir.rules.protocol import edition_year, protocol, submission_rules, tag_fault, task_name

__all__ = ["RULES", "Finding", "Place", "Rule", "Severity", "Validation", "validate"]


@suggesting_keywords()
def validate(
    *files: PathLike,
    task: str | int | None = None,
    edition: str | int | None = None,
    gold: PathLike | Sequence[PathLike] | None = None,
    queries: PathLike | None = None,
    corpus: PathLike | None = None,
    fix: PathLike | None = None,
    tag: str | None = None,
    columns: Mapping[str, str] | None = None,
) -> Validation:
    """Check the files of a submission by the organisers' rules, and by what is most likely a mistake.

    Args:
        files: the files of one team; those of Task 3 that belong together are known by their run tag.
        task: the task; by default it is found from the files, and those of the pilot are checked for both its tasks.
        edition: the year whose rules count; by default the newest of the task.
        gold: the gold, a folder or a list of golds, for the ids of its queries.
        queries: the queries, in any form that names them: the organisers' test file, a list, one id a line.
        corpus: the documents: what ``read_corpus`` takes, or a file with one id a line.
        fix: where to write corrected copies: a file for one file, a folder for several.
        tag: the run tag of the corrected copies of one run; by default the files' own, cleaned.
        columns: what the columns of tables are called, by role: see ``read_gold``.

    Raises:
        InputError: a file cannot be opened; gold, queries or corpus cannot be read.
        UsageError: no such task or edition; the task cannot be found; both gold and queries; ``fix`` is one of the
            files, or cannot hold all of them; the tag is against the rules, has no copy to go to, or several; no file
            has a column of a given name.

    >>> validate("run.txt", task="1").errors  # doctest: +SKIP
    0
    """
    if not files:
        raise UsageError("no-run", "name the files to check")
    golds = gold if isinstance(gold, list | tuple) else [] if gold is None else [gold]
    paths: dict[str, Sequence[object]] = {
        "a file to check": files,
        "gold": golds,
        "queries": [] if queries is None else [queries],
        "corpus": [] if corpus is None else [corpus],
        "fix": [] if fix is None else [fix],
    }
    for name, values in paths.items():
        for value in values:
            one_of(name, value, str | os.PathLike, "a path")
    if gold is not None and queries is not None:
        raise UsageError("option-conflict", "--gold and --queries both name the queries: leave out --queries")
    if tag is not None and fix is None:
        raise UsageError("option-needed", "--tag is written into a corrected copy: say where it goes with --fix OUT")
    named = gold_files(gold) if gold is not None else [queries] if queries is not None else []
    read = [str(path) for path in (*files, *named, *([] if corpus is None else [corpus]))]
    check_inputs(read)
    names = checked_columns(columns)
    opened = (Source(path, lenient=True, columns=names) for path in dict.fromkeys(files))
    sources = {source.name: source for source in opened}
    query_files = [Source(path, columns=names) for path in named]
    for source in (*sources.values(), *query_files):
        source.check()
    if names:
        check_columns([*sources.values(), *query_files], names)
    # refuses what is not a gold, in which any text would be a list of ids
    judged = {} if gold is None else read_gold(query_files, task=task_name(task)).qrels or {}
    task_named = task_name(task) or task_of_files(list(sources.values()), query_files)
    rules = protocol(task_named or TASKS[0], edition)
    if rules.pilot and corpus is not None:
        raise UsageError("option-needed", "the pilot has no corpus: give the organisers' test file with --queries")
    context = Context(
        tuple(name for name in TASKS if protocol(name).pilot) if rules.pilot and task is None else (rules.task,),
        edition_year(edition) or rules.newest,
        submission_rules(rules.task, edition),
        rules,
        Known() if rules.pilot else known_ids(query_files, corpus, rules, chain.from_iterable(judged.values())),
        query_files,
        names,
    )
    if tag is not None and rules.pilot:
        raise UsageError("unfit-option", "--tag: submissions to the pilot have no run tag")
    if tag is not None and (fault := tag_fault(tag, context.rules.tag_length)):
        raise UsageError("bad-value", f"--tag: {fault}, and {quoted(tag)} is not")
    targets = {} if fix is None else _targets(list(sources), str(fix), read)
    sheets = check(sources, context, keep=fix is not None)
    if fix is not None and [*targets.values()] != [str(fix)]:
        make_folder(fix)
    mended, left = mend(sheets, targets, tag) if targets else ({}, {})
    findings, remaining = (
        tuple(finding for sheet in checked.values() for finding in by_gravity(sheet.found.values()))
        for checked in (sheets, left)
    )
    result = (task_named, context.tasks, context.year) if task_named else ("", (), None)
    return Validation(tuple(sources), *result, findings, mended, remaining)


def _targets(names: Sequence[str], fix: str, read: Sequence[str]) -> dict[str, str]:
    """Where the corrected copy of each file goes."""
    place = Path(fix)
    if place.is_dir() or fix.endswith(os.sep) or (len(names) > 1 and not place.exists()):
        targets = {name: str(place / ("stdin.txt" if name == "<stdin>" else Path(name).name)) for name in names}
    elif len(names) == 1:
        targets = {names[0]: fix}
    else:
        raise UsageError("not-a-file", f"--fix needs a folder for several files, and {fix} is not one")
    if len(set(targets.values())) < len(targets):
        raise UsageError("would-overwrite", "two of the files have the same name: correct them one by one")
    for target in map(Path, targets.values()):
        if str(target) == "-" or (target.exists() and not target.is_file()):
            raise UsageError("not-a-file", f"--fix names a file or a folder, and {target} is neither")
    check_outputs(targets.values(), read)
    return targets
