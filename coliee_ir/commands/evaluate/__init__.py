"""Scoring: what ``evaluate`` and ``evaluate_all`` are asked for, in one way for one run and for thousands.

gold, runs ──find_runs──▶ submissions ──Evaluator──▶ Scored ──▶ compare · plan · leaderboard · report
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from numbers import Number
from typing import TYPE_CHECKING, Any, Unpack, get_args

from coliee_adapters.checked import error_for_argument, in_order, one_of
from coliee_adapters.errors import ColieeError, InternalError, UsageError
from coliee_adapters.files.source import PathLike, Source
from coliee_adapters.forms.lines import counted
from coliee_adapters.records import Gold, GoldLike, RunLike
from coliee_adapters.remarks import Remark
from coliee_ir.inbox import Runs, find_runs
from coliee_ir.reading.anything import check_columns, gold_files, read_gold, readable
from coliee_ir.reading.basis import Basis, Rules, basis_of, suggesting_rules
from coliee_ir.reading.submission import Submission, files_of, names_in_teams, order_of, unique_names
from coliee_ir.scoring.score import score_each
from coliee_ir.scoring.scores import Keep, Scored, Scores, warn_of

if TYPE_CHECKING:
    from concurrent.futures import Executor

#: what looks on while runs are scored: it is given the results and their number, and gives the results
Watch = Callable[[Iterable[Scores | ColieeError], int], Iterator[Scores | ColieeError]]


@suggesting_rules
def evaluate(
    gold: GoldLike,
    run: RunLike | Submission,
    *,
    measures: str | Sequence[str] = (),
    answers: RunLike | None = None,
    long_list: RunLike | None = None,
    **rules: Unpack[Rules],
) -> Scores:
    """Score one run.

    Args:
        gold: what ``read_gold`` takes: a path, a dictionary, a frame, …
        run: what ``read_run`` takes, or a ``Submission`` with what belongs to it.
        measures: names of measures; by default the official ones, the ranking one first.
        answers: the answers Y or N that belong to the run, in Task 3 from 2026 on.
        long_list: the ranked list that belongs to the run, in Task 3 up to 2025; measures that look at ranks read it.
        rules: see ``Rules``.

    Raises:
        InputError: a file cannot be read, or gold and run do not belong together.
        UsageError: a task, an edition, a measure or an option that does not exist or does not fit.

    Warns:
        ScoreWarning: a remark puts the scores in doubt: ids that lost their zeros, worst documents first, more than
            half of the queries unanswered, equal scores that decide. Once a call; to silence it:
            ``warnings.filterwarnings("ignore", category=coliee_ir.ScoreWarning)``.

    >>> scores = evaluate({"001": ["013", "020"], "002": ["007"]}, {"001": ["013", "018"]}, task="2")
    >>> scores.measures
    {'MicroF1': 0.4, 'MicroP': 0.5, 'MicroR': 0.3333333333333333}
    >>> scores.header()
    '2 queries: 1 answered, 1 unanswered'
    """
    has_parts = answers is not None or long_list is not None
    sent = Submission(run, answers, long_list) if has_parts and not isinstance(run, Submission) else run
    scored = evaluate_all(gold, [sent], measures=measures, jobs=1, keep="queries", **rules)
    if len(scored) != 1:
        raise UsageError("shape", f"{run} holds {counted(len(scored), 'run')}; evaluate_all scores several")
    return scored[0]


@suggesting_rules
def evaluate_all(
    gold: GoldLike | Basis,
    runs: PathLike | Mapping[str, RunLike | Submission] | Iterable[RunLike | Submission] | Runs,
    *,
    measures: str | Sequence[str] = (),
    teams: PathLike | Mapping[str, str] | None = None,
    keep: Keep = "judged",
    keep_going: bool | Collection[str] = False,
    jobs: int | None = None,
    executor: Executor | None = None,
    watch: Watch | None = None,
    tell: Callable[[str], object] | None = None,
    **rules: Unpack[Rules],
) -> Scored:
    """Score several runs, once; ``compare``, ``plan``, ``leaderboard`` and ``report`` take what it gives.

    Args:
        gold: what ``read_gold`` takes; or an ``Evaluator``, which has a gold, measures and rules of its own.
        runs: what ``read_run`` takes, each by its name or in a list; a ``Submission`` of several parts; the path of a
            folder or an archive, in which the parts of submissions find each other.
        measures: names of measures; by default the official ones, the ranking one first.
        teams: of the submissions of a competition, whose they are: run tag, or file → team, as a dictionary or a CSV
            with the columns ``tag`` and ``team``. Of those that it does not name, also of an empty dictionary, the
            team is the first folder below the folder that all files have in common.
        keep: of thousands of runs, ``values`` takes the least memory: enough for a table, and for nothing else.
        keep_going: whether to list a run that cannot be scored in ``Scored.invalid``, or of which kinds of errors; by
            default, its error is raised.
        jobs: how many processes, at most; by default as many as are worth it.
        executor: any executor of ``concurrent.futures``, or of that interface: its workers score a few whole runs each
            instead of this machine's processes, and must find files under the same path.
        watch: what looks on while runs are scored: it is given the results and their number, and gives the results.
        tell: is told each remark as soon as it is known.
        rules: see ``Rules``.

    Raises:
        InputError: a file cannot be read, or gold and a run do not belong together.
        UsageError: there is no run; a task, an edition, a measure that does not exist or does not fit.

    >>> gold = {"q1": ["d1"], "q2": ["d2"]}
    >>> scored = evaluate_all(gold, {"one": {"q1": ["d1"]}, "both": {"q1": ["d1"], "q2": ["d2"]}}, task="2")
    >>> [(scores.tag, scores.measures["MicroR"]) for scores in scored], scored["both"].measures["MicroF1"]
    ([('one', 0.5), ('both', 1.0)], 1.0)
    """
    if gold is None or isinstance(gold, Number):
        read_gold(gold)  # which says what is wrong with it, before the runs are looked at
    _check(runs, keep, watch, tell)
    prepared = gold if isinstance(gold, Basis) else None
    if prepared is not None and (measures or rules):
        raise UsageError("option-conflict", "an Evaluator has measures and rules of its own; name them there")
    basis_rules = (
        rules if prepared is None else Rules(task=prepared.task, edition=prepared.edition, columns=prepared.columns)
    )
    task, columns = basis_rules.get("task"), basis_rules.get("columns")
    found = runs if isinstance(runs, Runs) else find_runs(
        runs, golds_of(gold if prepared is None else prepared.gold, task, columns), basis_rules, teams=teams,
        together=teams is not None,
    )  # fmt: skip
    if prepared is None:
        check_named_columns(columns, gold, found)
    basis = prepared or basis_of(gold, measures, runs=found.showing_task, **rules)
    arrived = found.submissions(basis)
    remarks, invalid = list(arrived.remarks), list(arrived.invalid)
    if tell is not None:
        for remark in remarks:
            tell(remark)
    scores: list[Scores] = []
    submissions: list[Submission] = []
    if not (arrived.submissions or invalid):
        raise UsageError("no-run", "; ".join(["there is no run to score", *remarks]))
    each = score_each(basis, arrived.submissions, jobs=jobs, executor=executor, keep_judged=keep == "judged")
    with closing(each):
        seen = watch(each, len(arrived.submissions)) if watch else each
        for submission, result in zip(arrived.submissions, seen, strict=True):
            if isinstance(result, Scores):
                scores.append(result.with_values_only() if keep == "values" else result)
                submissions.append(submission)
            elif keep_going is True or (keep_going and result.kind in keep_going):
                invalid.append(submission.invalid(Remark.of_error(result)))
            else:
                raise result.original if isinstance(result, InternalError) else result
    if _values_are(gold, float):
        are_swapped = (_values_are(sent.run, int) for sent in submissions)  # a gold of decimals, a run of integers
        doubt = Remark.of("swapped.values")
        scores = [
            replace(result, own_remarks=(*result.own_remarks, doubt)) if is_swapped else result
            for result, is_swapped in zip(scores, are_swapped, strict=True)
        ]
    scores = _with_run_names(scores, submissions, [submission for submission in arrived.submissions if submission.tag])
    warn_of(scores)
    return Scored(scores, basis, submissions, invalid, remarks, found.inventory, keep)


def _with_run_names(
    scores: list[Scores], submissions: Sequence[Submission], arrived: Sequence[Submission]
) -> list[Scores]:
    """Scores with the names of their runs, which are those of all that came, whether or not they could be scored."""
    scored = {id(submission) for submission in submissions}
    runs = [(result.team, result.tag, order_of(of)) for result, of in zip(scores, submissions, strict=True)]
    runs += [
        (submission.team, submission.tag, order_of(submission))
        for submission in arrived
        if id(submission) not in scored
    ]
    if len({tag for _, tag, _ in runs}) == len(runs):
        return scores
    names = zip(scores, unique_names(runs), names_in_teams(runs), strict=False)
    return [replace(result, unique_name=unique, own_name=own) for result, unique, own in names]


def check_named_columns(
    columns: Mapping[str, str] | None, gold: GoldLike, found: Runs, others: Iterable[object] = ()
) -> None:
    """Refuse names of columns that neither the gold, a run nor one of ``others`` has."""
    if not columns:
        return
    runs = [source for submission in found.alone for part in submission for source in (files_of(part) or [part])]
    others = [source for source in (*found.sources, *runs, *others) if source is not None]
    golds = [gold] if isinstance(gold, Source) and not gold.is_folder else gold_files(gold)
    if golds and all(isinstance(source, Source) for source in others):  # what is in memory has columns too
        check_columns([*(readable(file, columns, "gold") for file in golds), *others], columns)


def golds_of(gold: GoldLike, task: str | int | None, columns: Mapping[str, str] | None) -> Iterator[Gold]:
    """The golds, where they can be read: what lies in a folder is compared with them."""
    golds: Iterable[Any] = gold if isinstance(gold, list | tuple) else [gold]
    for part in golds:
        with suppress(ColieeError):  # as reading it will say
            yield read_gold(part, task=task, columns=columns)


def _check(runs: object, keep: object, *functions: object) -> None:
    """Refuse what cannot be meant; also a dictionary of queries, which is one run, where names of runs are expected."""
    if not isinstance(runs, str | os.PathLike | Source | Runs):
        if hasattr(runs, "columns"):
            raise UsageError(
                "shape", "this is one frame; give runs in a list, [frame], and a frame of scores to Scored.from_frame"
            )
        kinds = "a list of runs, or a dictionary of them by name"
        one_of("runs", in_order("runs", runs, kinds), Iterable, kinds)
    if keep not in get_args(Keep):
        raise error_for_argument("keep", f"one of {', '.join(get_args(Keep))}", keep)
    for function in functions:
        if not (function is None or callable(function)):
            raise error_for_argument("watch or tell", "a function", function)
    if isinstance(runs, Mapping) and runs:
        first = next(iter(runs.values()))
        inside = list(
            first.values() if isinstance(first, Mapping) else first if isinstance(first, list | tuple) else []
        )
        is_tuple = isinstance(first, Submission)
        if inside and not is_tuple and all(isinstance(value, str | int | float) for value in inside) and (
            not isinstance(first, Mapping) or all(type(value) in (int, float) for value in inside)
        ):  # fmt: skip
            raise UsageError(
                "shape", "this is one run, query by query; give runs by name, {'bm25': run}, or in a list, [run]"
            )


def _values_are(values: object, kind: type) -> bool:
    """Whether it is a dictionary of dictionaries whose values are all of one type."""
    entries = values.values() if isinstance(values, Mapping) else ()
    kinds = (type(value) for inner in entries for value in (inner.values() if isinstance(inner, Mapping) else (None,)))
    return next(kinds, None) is kind and {*kinds} <= {kind}  # mostly the first says no
