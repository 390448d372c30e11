"""What every command that scores runs has in common: the gold, the runs, the rules, and what is said of them."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from coliee_adapters import trec_eval
from coliee_adapters.by_key import by_key
from coliee_adapters.errors import InputError, UsageError, shortened
from coliee_adapters.files import archives
from coliee_adapters.files.source import PathLike, Source, is_folder, sha256_of
from coliee_adapters.files.writing import check_inputs, check_outputs, check_places, open_bytes_replacing
from coliee_adapters.forms.lines import counted
from coliee_adapters.kinds import with_kind
from coliee_adapters.records import Answers, Run, RunLike
from coliee_adapters.remarks import Remark
from coliee_ir._version import __version__
from coliee_ir.cli import end_progress, print_remark, with_progress
from coliee_ir.cli.options import OF_SCORES, OPTIONS, ids, keywords, measures, read_by, rules
from coliee_ir.commands.evaluate import check_named_columns, evaluate_all, golds_of
from coliee_ir.inbox import Runs, find_runs
from coliee_ir.inbox.grouping import join_files
from coliee_ir.output.rendering import TabularResult, is_short, pieces, print_to_terminal
from coliee_ir.reading.anything import check_columns, gold_files, is_gold_by_name, reads_as_gold, reads_as_run
from coliee_ir.reading.basis import Basis, basis_of, single_measures
from coliee_ir.reading.submission import Submission
from coliee_ir.rules.choices import PLACES
from coliee_ir.scoring.comparable import comparable
from coliee_ir.scoring.scores import Keep, Scored, Scores

if TYPE_CHECKING:
    from concurrent.futures import Executor

_Result = TypeVar("_Result")

#: the options that name a file to write
_FILES: Final = tuple(name for name, option in OPTIONS.items() if option.writes == "file")

#: how many characters of a result are encoded at a time
_PIECE = 1 << 16

#: of more runs, remarks are gathered by kind; how many of a kind are named
_FEW, _NAMED = 8, 6

#: remarks on ids that are not written as the gold's
_OF_NOTATION: Final = ("odd-id", "other-spelling", "lost-zeros")


class Session:
    """A command at work: its files, each looked at once, the runs that were found, and the basis of their scores.

    The options are read, and never written.

    Attributes:
        runs: those that were named, or lie in folders; none before ``find``.
        together: whether they are the submissions of a competition, of which its board tells.
    """

    def __init__(self, options: argparse.Namespace) -> None:
        self.options, self.runs = options, Runs()
        self.together = options.command == "leaderboard"
        self._named: list[str] = [*options.runs, *options.files, *options.submissions]
        self._sources = dict[str, Source]()

    @cached_property
    def scores(self) -> list[str]:
        """The files of scores that were given in the place of a gold and runs; none where these were given."""
        return self._files if self._no_scores is None else []

    @cached_property
    def _files(self) -> list[str]:
        """The files that may hold scores: those that are named, or lie in the one folder that is."""
        gold = self.options.gold
        if self.options.command not in OF_SCORES or (is_folder(gold) and self._named):
            return []
        if not is_folder(gold):
            return [gold, *self._named]
        paths = sorted(Path(gold).glob("*/[!.]*" if self.options.tasks == "folder" else "[!.]*"))
        return [str(path) for path in paths if path.is_file()]

    @cached_property
    def _no_scores(self) -> InputError | None:
        """Why the first file holds no scores of queries, or none of a folder does; None where it does."""
        from coliee_ir.scoring.readers import why_no_scores  # which most commands do without

        columns = self.options.columns or {}
        if self._files[:1] == [self.options.gold]:
            return why_no_scores(self.sources(self.options.gold)[0], columns)
        if any(why_no_scores(file, columns) is None for file in self.sources(*self._files)):
            return None
        remedy = "name a gold and its runs"
        if self.options.command == "leaderboard":
            remedy += "; or where files, or folders of files, are tasks, --tasks file or --tasks folder"
        return InputError("empty", self.options.gold, "no file in this folder is a table of scores", remedy=remedy)

    def sources(self, *paths: str) -> list[Source]:
        """Files, which were looked at when the folders were."""
        known = self._sources
        return [Source.of(known.setdefault(path, Source(path)), self.options.columns) for path in paths]

    def find(self, *outputs: str | None) -> None:
        """Find the runs; and see that files can be read and written as asked."""
        check_outputs(outputs, self._find())
        check_places(vars(self.options)[name] for name in _FILES)

    def _find(self) -> list[str]:
        """Find the runs; all files that are read."""
        options = self.options
        if self.scores:
            check_inputs(self.scores)
            return self.scores
        if options.command in OF_SCORES and not self._named:
            why = self._no_scores
            assert why is not None  # or there were scores
            remedy = why.remedy
            if why.kind != "empty":
                remedy = f"if it is a gold, give at least one run after it; if it is a table of scores, {remedy}"
            raise InputError(why.kind, why.path, why.problem, line=why.line, found=why.found, remedy=remedy)
        golds = gold_files([*self._golds, *options.fit])
        known = set(map(os.path.realpath, gold_files(self._golds)))
        again = [run for run in self._named if run != "-" and os.path.realpath(run) in known]
        # a gold alone is scored, as an oracle; a table may have columns for both
        if again and len(self._named) > 1 and not options.columns:
            problem = f"{again[0]} is named as the gold, and again among the runs"
            raise UsageError("named-twice", f"{problem}; leave it out of these, and give each further gold with --gold")
        read_whole = ("gold", "more_golds", "query_gold", "fit", "runs", "files", "submissions")
        besides = [*golds, *read_by(options, *read_whole)]
        check_inputs([*besides, *(self._named if "-" in self._named else ())])  # which are read once
        self.runs = runs = find_runs(
            self.sources(*self._named),
            golds_of(self.sources(*golds), options.task, options.columns),
            {"task": options.task, "edition": options.edition, "columns": options.columns},
            besides=besides, together=self.together, teams=options.teams,
        )  # fmt: skip
        if options.files and runs.inventory is not None:
            for remark in runs.inventory.remarks():
                print_remark(remark)
        others = [file.file for file in runs.inventory.items] if self.together and runs.inventory is not None else []
        read = [*besides, *(source.path for source in runs.sources), *others]
        check_inputs(list(dict.fromkeys(read)) if self.together else read)
        return read

    @property
    def _golds(self) -> list[str]:
        options = self.options
        return [gold for gold in (options.gold, *options.more_golds, *options.query_gold) if gold is not None]

    def prepare(self, measures: Sequence[str] = (), golds: Sequence[str] = (), others: Iterable[object] = ()) -> Basis:
        """The basis of the scores of the runs that were found, for the gold of the options or other ones."""
        first, *more = golds or [self.options.gold, *self.options.more_golds]
        gold = self.sources(first, *more)
        with asking_about_swap(first, next(iter(self.runs.sources), None), more):
            check_named_columns(self.options.columns, gold if more else gold[0], self.runs, others)
            by = rules(self.options)
            basis = basis_of(gold if more else gold[0], measures, runs=self.runs.showing_task, **by)
        for run in () if self.together or golds else self.runs.sources:
            if is_gold_by_name(run) and not is_gold_by_name(first):
                print_remark(Remark.of("swapped", run=run.name, gold=first))
        return basis

    def score(
        self, measures: Sequence[str], *, keep: Keep = "queries", ready: Callable[[Basis], object] | None = None
    ) -> Scored:
        """Score the runs that were found, and print headers and remarks on standard error.

        What cannot be done with the scores is refused by ``ready``, before there are any.
        """
        if self.scores:
            return self._read_scores(measures, self.scores)
        options = self.options
        if stated := [name for name in ("lower_is_better", "higher_is_better") if vars(options)[name]]:
            problem = f"{stated[0].replace('_', '-')} applies to tables of scores only"
            raise UsageError("unfit-option", f"{problem}; the direction of a measure that is computed is known")
        if options.answers or options.long_list:
            files = [source.path for source in self.runs.sources]
            answers = _one_each(options.answers, files, "answers")
            self.runs = self.runs.with_parts(answers, _one_each(options.long_list, files, "long-list"))
        runs, together = self.runs, self.together
        basis = self.prepare(measures, others=self.sources(*filter(None, [options.other_gold])))
        if ready is not None:
            ready(basis)
        with asking_about_swap(options.gold, next(iter(runs.sources), None)), engine(options) as executor:
            scored = evaluate_all(
                basis, runs, keep=keep, keep_going=together or options.keep_going or ("internal",),
                jobs=options.jobs, executor=executor, watch=with_progress, tell=None if together else print_remark,
            )  # fmt: skip
        if together:  # told in the order of the ranking
            return scored
        for invalid in scored.invalid:
            if invalid.reason.kind != "internal":  # main prints it with its traceback
                print_remark(f"coliee-ir: {with_kind(invalid.reason)}")
        if scored:
            print_headers(scored, basis.task_evidence, len(basis.excluded))
        return scored

    def _read_scores(self, measures: Sequence[str], files: Sequence[str]) -> Scored:
        """The scores in the files; of the measures that are named, if any are."""
        options, decided = self.options, dict(self.options.decision)
        if options.tasks in PLACES and files == self.scores:
            from coliee_ir.commands.leaderboard.tasks import joined  # which one command needs
            from coliee_ir.scoring.readers import distinct_names

            of_task = by_key(files, lambda file: file if options.tasks == "file" else str(Path(file).parent))
            if len(of_task) > 1:
                by_task = zip(distinct_names([*of_task]), of_task.values(), strict=True)
                return joined({name: self._read_scores(measures, each) for name, each in by_task}, *measures[:1])
        unfit = ("task", "protocol", "edition", "exclude", "answers", "long_list", "more_golds", "teams", "best")
        if used := [name for name in unfit if vars(options)[name]] + [
            decision for decision in decided if decision != "unanswered"
        ]:
            raise UsageError(
                "unfit-option", f"{used[0].replace('_', '-')} is for a gold and runs; only scores were given"
            )
        columns, copies = dict(options.columns or {}), options.replicates
        if copies is not None and "replicate" not in columns and not Path(copies).exists():
            columns["replicate"] = copies
        has_tasks = options.tasks is not None and options.tasks not in PLACES
        if has_tasks and not Path(options.tasks).exists():
            columns.setdefault("task", options.tasks)
        scored = Scored.read(
            *self.sources(*files), columns=columns, unanswered=decided.get("unanswered", "tasks" if has_tasks else ""),
            lower_is_better=options.lower_is_better, higher_is_better=options.higher_is_better,
            only=ids(options.only) or (), measures=measures,
        )  # fmt: skip
        if measures:
            asked = comparable(scored, measures)
            of_asked = [scores.by(asked, alone=True) for scores in scored]
            scored = replace(scored, scores=of_asked, basis=replace(scored.basis, asked_measures=tuple(asked)))
        if not self.together:  # else told in the order of the ranking
            print_headers(scored, scored.task_evidence, 0)
            for remark in scored.remarks:
                print_remark(remark)
        return scored

    def score_by(self, gold: str, like: Scored) -> Scored:
        """The same runs by another gold and the same rules; or the scores in another file."""
        if self.scores:
            return self._read_scores(measures(self.options), [gold])
        asked = [measure.name for measure in like.basis.asked_measures]
        same = rules(self.options)
        same["task"], same["edition"] = like.basis.task, like.basis.edition
        [source] = self.sources(gold)
        check_named_columns(same["columns"], source, self.runs, self.sources(*gold_files(self._golds)))
        basis = basis_of(source, asked, runs=self.runs.showing_task, **same)
        with engine(self.options) as executor:
            return evaluate_all(
                basis, self.runs, keep="judged", keep_going=("internal",), jobs=self.options.jobs, executor=executor
            )

    def joined(self, files: Sequence[Source], read: Callable[[Source], Run | Answers] | None) -> list[RunLike]:
        """Files in which columns are named, those of one run as one where they can be read; it is said."""
        if self.options.columns:
            check_columns(files, self.options.columns)
        runs, remarks = (list(files), []) if read is None or len(files) < 2 else join_files(files, read)
        for remark in remarks:
            print_remark(remark)
        return runs

    def submissions(self, basis: Basis) -> list[Submission]:
        """The submissions of runs that are read and not scored; remarks on folders are printed."""
        intake = self.runs.submissions(basis)
        for remark in intake.remarks:
            print_remark(remark)
        if not intake.submissions:
            raise UsageError("no-run", "; ".join(["there is no run to score", *intake.remarks]))
        return intake.submissions

    def print_gold_uses(self, runs: Iterable[Submission | None], scored: Sequence[Scores] = ()) -> None:
        """Say how often the gold was looked at, where a log is named."""
        if self.options.log is not None:
            from coliee_ir.commands.evaluate import log  # which scores do without

            files = [", ".join(file.path for file in submission.files) for submission in runs if submission is not None]
            if remark := log.looks(self.options.log, self.options.gold, files, scored):
                print_remark(remark)

    def publish(
        self,
        result: TabularResult,
        files: Iterable[Submission | PathLike | None] = (),
        *,
        on_stderr: bool = False,
    ) -> None:
        """Write a result where ``-o`` says; JSON with the SHA-256 of the files that it was computed from.

        On standard error where another result has the place on standard output.
        """
        form, path = self.options.format, self.options.output
        if (form, path) == ("table", "-") and sys.stdout.isatty() and not on_stderr and is_short(result):
            end_progress()
            print_to_terminal(result)
            return
        text = pieces(result, form, self.inputs(files) if form == "json" else None)
        if on_stderr:
            print_to_stderr("".join(text))
        else:
            write_text(text, path)

    def inputs(self, runs: Iterable[Submission | PathLike | None]) -> dict[str, str]:
        """File → SHA-256, of the golds and of runs; of an archive as a whole; streams have none."""
        parts = [file for run in runs if run for file in (run.files if isinstance(run, Submission) else (run,))]
        digests = {}
        others = [self.options.other_gold] if self.options.other_gold else []
        for file in (*gold_files([*(self.scores or self._golds), *others]), *parts):
            source = file if isinstance(file, Source) else self.sources(str(file))[0]
            if not (source.is_remote or source.is_stream):
                path = archives.enclosing_archive(source.path)
                if path not in digests and Path(path).is_file():
                    digests[path] = source.sha256() if path == source.path else sha256_of(path)
        return digests


def of_scores(
    options: argparse.Namespace,
    function: Callable[..., _Result],
    write: Callable[[Session, _Result, Scored], int | None],
    *outputs: str | None,
    keep: Keep = "queries",
    **more: Any,
) -> int:
    """Run a command of scores: find the runs, refuse early, score them, make the result by ``function`` and write it.

    The function takes the options of its keywords' names, and ``more``: of these ``measure`` or ``measures`` are
    compared, and none may stand for several. The exit code is what ``write`` gives, or that of the scores.
    """
    session = Session(options)
    if not session.scores:
        single_measures(
            [*filter(None, [more.get("measure"), *more.get("measures", ())])], options.task, options.edition
        )
    session.find(*outputs)
    scored = session.score(measures(options), keep=keep)
    if not scored and not session.together:
        return 2
    if not session.scores:
        session.print_gold_uses(scored.submissions, scored)
    if options.other_gold is not None:
        more["other"] = session.score_by(options.other_gold, scored)
    code = write(session, function(scored, **keywords(function, options, **more)), scored)
    return code or (2 if scored.invalid else 0)


def engine(options: argparse.Namespace) -> contextlib.AbstractContextManager[Executor | None]:
    """What scores the runs instead of this machine's processes, if anything does."""
    if options.cluster is None:
        return contextlib.nullcontext()
    from coliee_ir.judging import cluster  # loads Dask

    return cluster.dask_executor(options.cluster, print_remark)


@contextlib.contextmanager
def asking_about_swap(gold: object, run: object, golds: Sequence[str] = ()) -> Iterator[None]:
    """Where one of the two cannot be read, and each can as the other, ask whether they are swapped.

    ``golds`` are those that are named besides the first.
    """
    try:
        yield
    except InputError as error:
        name = run.name if isinstance(run, Source) else run
        if error.kind == "unknown-format" and (error.path != gold or name == gold) and reads_as_gold(error.path):
            raise InputError(
                error.kind,
                error.path,
                "this is a gold, and not a run",
                remedy="give the golds of several years as a folder, or each further one with --gold FILE",
            ) from None
        if error.kind == "mixed-forms" and error.path in golds:
            raise InputError(
                error.kind,
                error.path,
                f"{error.problem}; {gold}, which is named first, is read as a gold too",
                remedy="name a gold there, then the runs",
            ) from None
        is_file = isinstance(name, str) and "-" not in (gold, run)  # what is no file cannot be read again
        is_asked = error.path == gold or (error.path == name and error.kind == "unknown-format")
        if is_asked and is_file and reads_as_run(gold):
            is_swapped, remedy = reads_as_gold(run), error.remedy
            if is_swapped or error.kind == "unknown-format":
                of_swap = f"did you swap them? {name} reads as a gold"
                remedy = of_swap if is_swapped else "give the gold first, then the runs"
            error = InputError(error.kind, error.path, error.problem, line=error.line, found=error.found, remedy=remedy)
        raise error from None


def write_text(text: str | Iterable[str], path: str) -> None:
    """Write a result, in one piece or several, to the file, or the standard output (``-``), that ``-o`` names."""
    pieces = [text] if isinstance(text, str) else text
    if path == "-":
        end_progress()
        sys.stdout.writelines(pieces)
        return
    with open_bytes_replacing(path) as stream:
        for piece in pieces:
            for start in range(0, len(piece), _PIECE):  # a page may be long
                stream.write(piece[start : start + _PIECE].encode("utf-8", "backslashreplace"))


def print_to_stderr(text: str) -> None:
    """Lines on standard error: a table whose place on standard output another result has."""
    for line in text.splitlines():
        print_remark(line)


def print_file_remark(path: str, sentence: str) -> None:
    """Print a remark on a file that was written."""
    print_remark(sentence if path == "-" else f"{path}: {with_kind(sentence)}")


def print_headers(scored: Sequence[Scores], evidence: str, excluded: int) -> None:
    """On standard error: the task and why, the versions, and for each run the header and the remarks."""
    first = scored[0]
    print_remark(by_rules(first.task, first.edition, evidence, excluded))
    print_remark(versions())
    common = [remark for remark in first.remarks if all(remark in scores.remarks for scores in scored)]
    if len(scored) <= _FEW:
        for scores in scored:
            tag = shortened(scores.name)
            print_remark(f"{tag}: {scores.header()}")
            for remark in scores.remarks:
                if len(scored) == 1 or remark not in common:
                    print_remark(f"{tag}: {with_kind(remark)}")
    else:
        _print_many_headers(scored, common)
    for remark in common if len(scored) > 1 else ():
        print_remark(f"all runs: {with_kind(remark)}")
    if any(remark.kind in _OF_NOTATION for scores in scored for remark in scores.remarks):
        print_remark("coliee-ir convert RUN OUT --like GOLD mends ids that differ from the gold's in zeros or notation")
    if all(2 * scores.queries["unanswered"] > scores.queries["judged"] for scores in scored):
        join = "; the files of one run are joined by coliee-ir convert FILE FILE OUT --tag TAG" * (len(scored) > 1)
        print_remark(
            f"every run leaves more than half of the queries unanswered{join}; to score only the queries you ran, use "
            "--only FILE"
        )


def by_rules(task: str, edition: int | None, evidence: str, excluded: int) -> str:
    """The task, the edition whose rules were used, what showed it, and how many queries are excluded."""
    rules = f"task {task}" + (f" by the rules of {edition}" if edition is not None else "")
    rules += f" ({evidence})" if evidence else ""
    return (rules if task else f"read as {evidence}") + (f", {excluded} excluded" if excluded else "")


def _print_many_headers(scored: Sequence[Scores], common: Sequence[str]) -> None:
    """Of many runs, headers and remarks once a kind, with the runs that they are about; nothing of clean ones."""
    of_kind: dict[str, list[tuple[str, Remark]]] = {}
    quiet = 0
    for scores in scored:
        remarks = [remark for remark in scores.remarks if remark not in common]
        if scores.extra or scores.queries["unanswered"]:
            remarks.insert(0, Remark("header" + "+extra" * bool(scores.extra), scores.header()))
        quiet += not remarks
        for remark in remarks:
            of_kind.setdefault(remark.kind, []).append((shortened(scores.name), remark))
    for kind, told_of in of_kind.items():
        (first, sentence), n = told_of[0], len(told_of)
        about = first
        if n > 1:
            more = f" and {n - _NAMED} more" if n > _NAMED else ""
            about = f"{counted(n, 'run')} ({', '.join(tag for tag, _ in told_of[:_NAMED])}{more})"
        if any(remark != sentence for _, remark in told_of):
            about += f", each with its own numbers; {first}"
        print_remark(f"{about}: {sentence if kind.startswith('header') else with_kind(sentence)}")
    if quiet:
        print_remark(f"{counted(quiet, 'run')} without a remark")


def versions() -> str:
    """Ours, and that of the trec_eval that computes."""
    return f"coliee-ir {__version__}, trec_eval {trec_eval.version()}"


def _one_each(paths: list[str], runs: list[str], option: str) -> Sequence[str | None]:
    if paths and len(paths) != len(runs):
        times = f"{counted(len(paths), 'time')} for {counted(len(runs), 'run')}"
        raise UsageError("bad-value", f"--{option} is given {times}: give one for each run, in the same order")
    return paths or [None] * len(runs)
