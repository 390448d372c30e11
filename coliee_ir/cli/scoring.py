"""What every command that scores runs has in common: the gold, the runs, the rules, and what is said of them."""

from __future__ import annotations

import argparse
import contextlib
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, TypeVar

from coliee_adapters import archives, remote, trec_eval
from coliee_adapters.errors import ColieeError, InputError, UsageError, shortened
from coliee_adapters.files import (
    Kind,
    PathLike,
    Source,
    check_inputs,
    check_outputs,
    check_places,
    sha256_of,
    written_bytes,
)
from coliee_adapters.kinds import told
from coliee_adapters.lines import counted
from coliee_adapters.records import Gold, exact_id
from coliee_adapters.remarks import Remark
from coliee_ir._version import __version__
from coliee_ir.cli import say
from coliee_ir.cli.options import OPTIONS, add, add_decisions, decided, read_by
from coliee_ir.inbox.folders import walk
from coliee_ir.output.envelope import with_inputs
from coliee_ir.scoring import log, session, several
from coliee_ir.scoring.evaluator import Evaluator
from coliee_ir.scoring.reading import (
    check_columns,
    gold_files,
    is_gold_by_name,
    read_gold,
    read_queries,
    reads_as_gold,
    reads_as_run,
)
from coliee_ir.scoring.reading import (
    given as as_given,
)
from coliee_ir.scoring.scores import Scores
from coliee_ir.scoring.submission import Submission, name_of

if TYPE_CHECKING:
    from concurrent.futures import Executor

_Result = TypeVar("_Result")

#: the commands for which parts of a submission find each other in folders
COLLECTING = ("evaluate", "compare", "report", "tune", "fuse", "plan")

#: the options that name a file to write, and the flags of all that write
_FILES: Final = tuple(name for name, option in OPTIONS.items() if option.writes == "file")
WRITING: Final = tuple(flag for option in OPTIONS.values() if option.writes for flag in option.flags)

#: how many characters of a result are encoded at a time
_PIECE = 1 << 16

#: of more runs, remarks are gathered by kind; how many of a kind are named
_FEW, _NAMED = 8, 6

#: names of files that a table of text has none of
_NO_TEXT: Final = (".json", ".jsonl", ".csv", ".tsv", ".md", ".tex", ".html")

#: from so many runs on there is something to watch; where no terminal shows a bar, a line says so every so many seconds
_MANY, _EVERY = 5, 30.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The gold, the runs, and the rules by which they are scored."""
    add(parser, "gold", "runs", "more_golds", "task", "protocol", "edition", "columns", "answers", "long_list")
    add(parser, "exclude", "only", "jobs", "cluster", "keep_going")
    add_decisions(parser)


def golds(options: argparse.Namespace) -> str | list[str]:
    """The gold, or all golds, as ``read_gold`` takes them."""
    return [options.gold, *options.more_golds] if options.more_golds else options.gold


def gold_of(options: argparse.Namespace) -> Source | list[Source]:
    """The gold, or all golds, looked at no more than once."""
    given = sources(options, options.gold, *options.more_golds)
    return given if options.more_golds else given[0]


def sources(options: argparse.Namespace, *paths: str) -> list[Source]:
    """The files of a command, which were looked at when its folders were."""
    known = vars(options).setdefault("sources", {})
    return [Source.of(known.setdefault(path, Source(path)), options.columns) for path in paths]


def check_named_columns(options: argparse.Namespace, gold: object, files: Iterable[object]) -> None:
    """Refuse names in ``--columns`` that neither the gold nor another file has.

    Raises:
        UsageError: see above.
    """
    if options.columns:
        of_gold = [gold] if isinstance(gold, Source) else gold_files(gold)
        check_columns([*(as_given(file, options.columns) for file in of_gold), *files], options.columns)


def find_files(options: argparse.Namespace, *outputs: str | None) -> None:
    """Put the files of folders in their place in ``options``, and see that files can be read and written as asked.

    Args:
        options: what was typed; afterwards ``runs`` and ``files`` name files, and no folders, ``passed`` what was
            passed over in folders, and ``named`` what was named itself.
        outputs: what will be written; None for nothing.

    Raises:
        InputError: the folder of a file that will be written does not exist.
        UsageError: standard input or output is named twice; a file would be written over, or has no run in it.
    """
    given = vars(options)
    repeated = ("more_golds", "query_gold", "fit")
    store = given.get("store")
    golds = [given.get("gold"), *(gold for name in repeated for gold in given.get(name, ()))]
    golds = gold_files([gold for gold in golds if gold is not None])
    besides = [*golds, *read_by(options, "gold", *repeated, "runs", "files", "submissions")]
    besides_runs = [*besides, *([] if store is None else [store, f"{store}-wal", f"{store}-shm"])]
    given.setdefault("sources", {})
    given["inventory"] = None
    given["named"] = set()
    for name in {"runs", "files"} & set(given):
        options.named |= set(given[name])
        given[name] = files_of(options, given[name], besides_runs, golds)
        if name == "files" or options.command not in COLLECTING:
            for remark in passed_over(options):
                say(remark)
    submissions = walk(given.get("submissions", ())).files
    read = [*besides, *given.get("runs", ()), *given.get("files", ()), *submissions]
    check_inputs(read)
    written = [*outputs, store]
    to_files = any(one not in (None, "-") for one in written)
    if to_files and (stores := several.stores_among(map(Source, (*given.get("runs", ()), *submissions)))):
        from coliee_ir.scoring.store import runs_of  # which most commands do without

        read += [file for path in stores for file in runs_of(path)]
    check_outputs(written, read)
    check_places(given.get(name) for name in _FILES)


def _read_golds(options: argparse.Namespace, golds: Sequence[str]) -> list[Gold]:
    """The golds, where they can be read: what lies in a folder is compared with them."""
    found = []
    for path in golds:
        if path == "-":  # which the folder cannot hold
            continue
        with contextlib.suppress(ColieeError):  # as reading it will say
            found.append(read_gold(sources(options, path)[0], task=options.task, columns=options.columns))
    return found


def handed_in(options: argparse.Namespace, *outputs: str | None) -> list[Submission]:
    """The runs that were named with what belongs to each, so that they can be read more than once.

    A folder stands for the files in it: ``options.runs`` names these afterwards.

    Raises:
        UsageError: not every run has its part, or see ``find_files``.
    """
    find_files(options, *outputs)
    answers = _one_each(options.answers, options.runs, "--answers")
    long_lists = _one_each(getattr(options, "long_list", []), options.runs, "--long-list")
    return [
        Submission(*(as_given(part and options.sources.get(part, part), options.columns) for part in parts))
        for parts in zip(options.runs, answers, long_lists, strict=True)
    ]


def score(
    options: argparse.Namespace,
    measures: Sequence[str],
    submissions: list[Submission] | None = None,
    *,
    keep_judged: bool = False,
    only_means: bool = False,
) -> several.Scored:
    """Score the runs that were named, and say on standard error what there is to say of them.

    A store of scores stands for the runs in it. With ``--store`` the scores of runs are kept in one.

    Args:
        options: what was typed.
        measures: names of measures.
        submissions: what ``handed_in`` gave, where the caller needs it too.
        keep_judged: whether the scores keep the judged parts.
        only_means: whether the scores of single queries may be forgotten.

    Raises:
        ColieeError: a file cannot be read, and ``--keep-going`` was not given.
    """
    submissions = handed_in(options, options.output) if submissions is None else submissions
    given = gold_of(options)
    if options.columns:
        check_named_columns(options, given, (part for one in submissions for part in one))
    submissions, stores = several.apart(submissions)
    with asking_about_swap(options.gold, submissions[0].run) if submissions else contextlib.nullcontext():
        gold = read_gold(given, task=options.task, columns=options.columns)
    for run in (submission.run for submission in submissions):
        if isinstance(run, Source) and is_gold_by_name(run) and not is_gold_by_name(options.gold):
            say(Remark("swapped", f"{run.name} is named like a gold, and {options.gold} is not: did you swap them?"))
    task, because = (options.task, "") if options.task else several.task_of(stores)
    if task is None:
        task, because = session.find(gold, submissions, columns=options.columns)
    evaluator = Evaluator(
        gold, measures, task=task, edition=options.edition, **split(options), decisions=decided(options, task),
        columns=options.columns,
    )  # fmt: skip
    if getattr(options, "log", None) is not None:
        log.append(options.log, [], [one.name for one in evaluator.asked or evaluator.official])  # refused before all
    if submissions:
        submissions = collected(options, submissions, evaluator)
    with engine(options) as executor:
        scored = several.score_all(
            evaluator, submissions, stores, store=getattr(options, "store", None), jobs=options.jobs, executor=executor,
            keep_judged=keep_judged, only_means=only_means, watch=watched,
            leave_out=(lambda error: say(f"coliee-ir: {told(error)}")) if options.keep_going else None,
        )  # fmt: skip
    if scored.scores:
        tell(scored.scores, because, len(evaluator.excluded))
    for sentence in scored.said:
        say(sentence)
    return scored


def collected(options: argparse.Namespace, submissions: list[Submission], evaluator: Evaluator) -> list[Submission]:
    """The submissions; of those found in folders, parts with one run tag are one, and what is not a run is left out.

    Raises:
        UsageError: nothing is left.
    """
    inventory = options.inventory
    if inventory is None or any(getattr(options, name, None) for name in ("answers", "long_list")):
        for remark in passed_over(options):
            say(remark)
        return submissions
    from coliee_ir.inbox.grouping import group  # needed for what is in folders
    from coliee_ir.inbox.inventory import Item, Part

    again = {name_of(one.run) for one in submissions} - {item.file for item in inventory.items}
    inventory.items += [
        Item(one.run, Part.RUN, is_named=True)
        for one in submissions
        if isinstance(one.run, Source) and name_of(one.run) in again
    ]
    there = {name_of(one.run) for one in submissions}
    inventory.items = [item for item in inventory.items if item.why_not or item.file in there]
    found = group(inventory, evaluator, alone=True)
    for remark in (*inventory.remarks(), *found.remarks):
        say(remark)
    unread = [Submission(one.files[0]) for one in found.invalid]
    if not found.handed and not unread:
        raise UsageError("no-run", "; ".join(["there is no run to score", *inventory.remarks()]))
    return [*(one.parts for one in found.handed), *unread]


def engine(options: argparse.Namespace) -> contextlib.AbstractContextManager[Executor | None]:
    """What scores the runs instead of this machine's processes, if anything does."""
    if options.cluster is None:
        return contextlib.nullcontext()
    from coliee_ir.judging import cluster  # loads Dask

    return cluster.connected(options.cluster, say)


@contextlib.contextmanager
def asking_about_swap(gold: object, run: object) -> Iterator[None]:
    """Where the gold cannot be read, and it is a run and the first run a gold, ask whether the two are swapped.

    Args:
        gold: the gold as it was typed.
        run: the first run, as it was typed or opened.
    """
    try:
        yield
    except InputError as error:
        name = run.name if isinstance(run, Source) else run
        is_file = isinstance(name, str) and "-" not in (gold, run)  # what is no file cannot be read again
        if error.path == gold and is_file and reads_as_run(gold) and reads_as_gold(run):
            error = InputError(
                error.kind, error.path, error.problem, line=error.line, found=error.found,
                remedy=f"did you swap them? {name} reads as a gold",
            )  # fmt: skip
        raise error from None


def put(text: str | Iterable[str], path: str) -> None:
    """Write a result, in one piece or several, to the file, or the standard output (``-``), that ``-o`` names.

    Raises:
        InputError: the file cannot be written.
    """
    pieces = [text] if isinstance(text, str) else text
    if path == "-":
        sys.stdout.writelines(pieces)
        return
    with written_bytes(path) as stream:
        for piece in pieces:
            for start in range(0, len(piece), _PIECE):  # a page may be long
                stream.write(piece[start : start + _PIECE].encode("utf-8", "backslashreplace"))


def publish(
    options: argparse.Namespace,
    text: str | Iterable[str],
    files: Iterable[Submission | PathLike | None] = (),
    *,
    is_told: bool = False,
) -> None:
    """Write a result where ``-o`` says; JSON with the SHA-256 of the files that it was computed from.

    Args:
        options: what was typed.
        text: the result, in one piece or several.
        files: the runs that entered the result.
        is_told: whether it goes to standard error, because another result has standard output.

    Raises:
        InputError: a file cannot be written.
    """
    if options.format == "json":
        text = with_inputs(text, inputs(options, files))
    if is_told:
        tell_text("".join(text))
        return
    put(text, options.output)
    if options.format == "table" and options.output.lower().endswith(_NO_TEXT):
        say(f"{options.output}: written as a table of text; name another format with -f")


def inputs(options: argparse.Namespace, runs: Iterable[Submission | PathLike | None]) -> dict[str, str]:
    """File → SHA-256, of the golds, of stores and of runs; of an archive as a whole; streams have none."""
    given = vars(options)
    golds = [given.get("gold"), *given.get("more_golds", ()), *given.get("query_gold", ())]
    parts = [part for one in runs if one is not None for part in (one if isinstance(one, Submission) else (one,))]
    known = given.get("sources", {})
    stores = [path for path, source in known.items() if source.kind is Kind.STORE]
    found = {}
    for file in (*gold_files([gold for gold in golds if gold is not None]), *stores, *parts):
        source = file if isinstance(file, Source) else known.get(file) or Source(file) if file else None
        if isinstance(source, Source) and not (source.is_remote or source.is_stream):
            path = archives.outer(source.path)
            if path not in found and Path(path).is_file():
                found[path] = source.sha256() if path == source.path else sha256_of(path)
    return found


def typed(options: argparse.Namespace) -> list[str]:
    """What was typed, without what names files to write."""
    words, kept = list(options.typed), []
    while words:
        word = words.pop(0)
        if word == "--reports":  # goes with --pages, and has no value
            continue
        if word in WRITING:
            words[:1] = []
        elif not re.match("-o.", word) and word.partition("=")[0] not in WRITING:
            kept.append(word)
    return kept


def tell_text(text: str) -> None:
    """Lines on standard error: a table whose place on standard output another result has."""
    for line in text.splitlines():
        say(line)


def passed_over(options: argparse.Namespace) -> list[str]:
    """What was passed over in folders, in sentences."""
    return [] if options.inventory is None else options.inventory.remarks()


def files_of(
    options: argparse.Namespace, names: Sequence[str], besides: Iterable[str | None], golds: Sequence[str] = ()
) -> list[str]:
    """The files that are named, and those in the folders and archives that are named that may be runs.

    What came is ``options.inventory`` afterwards; it is None where no folder is named.

    Raises:
        UsageError: a folder holds no file that could be a run, or cannot be read.
    """
    given = sources(options, *names)
    if not any(one.is_folder or one.kind is Kind.ARCHIVE for one in given):
        walk(given)  # an archive that cannot be read stays a file, of which its opening complains
        return list(names)
    from coliee_ir.inbox.inventory import Inventory, Item, Part, sort_files  # needed for what is in folders

    options.inventory = options.inventory or Inventory([], walk([]))
    files: list[str] = []
    compared = _read_golds(options, golds)
    for name, one in zip(names, given, strict=True):
        if not one.is_folder and one.kind is not Kind.ARCHIVE:  # whoever reads it says what is wrong with it
            options.inventory.items.append(Item(one, Part.RUN, is_named=True))
            files.append(name)
            continue
        inside = sort_files([name], golds=compared, besides=[*besides], columns=options.columns)
        for remark in inside.walked.remarks():
            say(remark)
        if not inside.scored:
            raise UsageError("no-run", "; ".join([f"{name} holds no run", *inside.remarks()]))
        options.inventory.items += inside.items
        options.sources |= {item.file: item.source for item in inside.items}
        files += [item.file for item in inside.scored]
    return files


def watched(results: Iterable[_Result], n: int) -> Iterator[_Result]:
    """The results; where there are many, with a bar on standard error if somebody watches, else now and then a line."""
    if n < _MANY:
        yield from results
    elif sys.stderr.isatty():
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        bar = Progress(
            TextColumn("scoring"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[rate]}"),
            TimeRemainingColumn(), console=Console(stderr=True), transient=True,
        )  # fmt: skip
        start = perf_counter()
        with bar:
            task = bar.add_task("", total=n, rate="")
            for at, result in enumerate(results, start=1):
                bar.update(task, advance=1, rate=f"{at / max(perf_counter() - start, 1e-9):.3g}/s")
                yield result
    else:
        start = last = perf_counter()
        for at, result in enumerate(results, start=1):
            yield result
            if (now := perf_counter()) - last >= _EVERY and at < n:
                last, rate = now, at / (now - start)
                say(f"{at:,} of {n:,} scored, {rate:.3g} a second, {_span(n / rate - at / rate)} to go")


def _span(seconds: float) -> str:
    """A span of time as it is said.

    >>> _span(5400), _span(89), _span(12)
    ('1 h 30 min', '1 min 29 s', '12 s')
    """
    minutes, seconds = divmod(round(seconds), 60)
    if not minutes:
        return f"{seconds} s"
    return f"{minutes // 60} h {minutes % 60} min" if minutes >= 60 else f"{minutes} min {seconds} s"


def tell(scored: Sequence[Scores], because: str, excluded: int) -> None:
    """On standard error: the task and why, the versions, and for each run the header and the remarks."""
    first = scored[0]
    say(
        by_rules(first.task, first.edition)
        + (f" ({because})" if because else "")
        + (f", {excluded} excluded" if excluded else "")
    )
    say(versions())
    common = list(first.remarks)
    for scores in scored:
        common = [remark for remark in common if remark in scores.remarks]
    if len(scored) <= _FEW:
        for scores in scored:
            tag = shortened(scores.tag)
            say(f"{tag}: {scores.header()}")
            for remark in scores.remarks:
                if len(scored) == 1 or remark not in common:
                    say(f"{tag}: {told(remark)}")
    else:
        _tell_many(scored, common)
    for remark in common if len(scored) > 1 else ():
        say(f"all runs: {told(remark)}")
    if all(2 * scores.queries["unanswered"] > scores.queries["judged"] for scores in scored):
        say("most queries of the gold are unanswered; for a run on a part of them, score that part with --only FILE")


def by_rules(task: str, edition: int | None) -> str:
    """The task, and the edition whose rules were used."""
    return f"task {task}" + (f" by the rules of {edition}" if edition is not None else "")


def _tell_many(scored: Sequence[Scores], common: Sequence[str]) -> None:
    """Of many runs, headers and remarks once a kind, with the runs that they are about; nothing of clean ones."""
    of_kind: dict[str, tuple[str, list[str]]] = {}
    counts: Counter[str] = Counter()
    differ: set[str] = set()
    quiet = 0
    for scores in scored:
        header = Remark("header" + "+extra" * bool(scores.extra), scores.header())
        remarks = [remark for remark in scores.remarks if remark not in common]
        if scores.extra or scores.queries["unanswered"]:
            remarks.insert(0, header)
        quiet += not remarks
        for remark in remarks:
            sentence, tags = of_kind.setdefault(remark.kind, (remark, []))
            counts[remark.kind] += 1
            if len(tags) < _NAMED:
                tags.append(shortened(scores.tag))
            if remark != sentence:
                differ.add(remark.kind)
    for kind, (sentence, tags) in of_kind.items():
        about, first, n = tags[0], tags[0], counts[kind]
        if n > 1:
            more = f" and {n - _NAMED} more" if n > _NAMED else ""
            about = f"{counted(n, 'run')} ({', '.join(tags)}{more})"
        if kind in differ:
            about += f", each with its own numbers; {first}"
        say(f"{about}: {sentence if kind.startswith('header') else told(sentence)}")
    if quiet:
        say(f"{counted(quiet, 'run')} without a remark")


def versions() -> str:
    """Ours, and that of the trec_eval that computes."""
    return f"coliee-ir {__version__}, trec_eval {trec_eval.version()}"


def _one_each(given: list[str], runs: list[str], option: str) -> Sequence[str | None]:
    if given and len(given) != len(runs):
        times = f"{counted(len(given), 'time')} for {counted(len(runs), 'run')}"
        raise UsageError("bad-value", f"{option} is given {times}: give one a run, in their order")
    return given or [None] * len(runs)


def split(options: argparse.Namespace) -> dict[str, Any]:
    """The queries to leave out and those to score, as ``Evaluator`` takes them."""
    return {"exclude": ids(options.exclude) or [], "only": ids(options.only)}


def ids(given: str | None) -> list[str] | None:
    """Query ids from the option itself, or from the file that it names; None where it is not given."""
    if given is None or not _is_file(given):
        return None if given is None else re.split(r"[,\s]+", given)
    return list(read_queries(given, exact_id))


def _is_file(given: str) -> bool:
    try:
        return remote.is_remote(given) or Path(given).is_file()
    except (OSError, ValueError):  # too long for a file's name, as a list of ids can be; a NUL
        return False
