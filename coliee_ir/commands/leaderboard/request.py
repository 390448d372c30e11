"""The request: submissions in files, folders, stores and logs, scored and ranked."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from coliee_adapters.checked import one_of, refused
from coliee_adapters.errors import ColieeError, UsageError, shortened
from coliee_adapters.files import PathLike, Source
from coliee_adapters.inputs import GoldLike, RunLike
from coliee_adapters.lines import counted
from coliee_adapters.records import Answers
from coliee_adapters.remarks import Remark
from coliee_ir.commands.leaderboard.board import Entry
from coliee_ir.commands.leaderboard.result import Leaderboard
from coliee_ir.commands.leaderboard.standing import order_key, places, stands
from coliee_ir.inbox.grouping import Handed, Invalid, group
from coliee_ir.inbox.inventory import passed_over, sort_files
from coliee_ir.inbox.sheets import read_values
from coliee_ir.inbox.teams import Listed, TeamList, Teams, common_folder, read_teams
from coliee_ir.measures import Measure
from coliee_ir.rules.decisions import Decisions
from coliee_ir.rules.protocol import protocol
from coliee_ir.scoring.evaluator import Evaluator
from coliee_ir.scoring.reading import check_columns, gold_files, read_gold
from coliee_ir.scoring.reading import given as as_given
from coliee_ir.scoring.scores import Scores
from coliee_ir.scoring.session import begin
from coliee_ir.scoring.several import kept as kept_in
from coliee_ir.scoring.several import stores_among
from coliee_ir.scoring.several import task_of as task_of_stores
from coliee_ir.scoring.submission import Submission
from coliee_ir.stats.intervals import interval_of
from coliee_ir.stats.settings import CONFIDENCE_LEVEL, N_RESAMPLES, SEED, Resampling
from coliee_ir.stats.units import Units

#: What can look on while runs are scored: it is given the results and their number, and gives the results.
Watch = Callable[[Iterable[Scores | ColieeError], int], Iterator[Scores | ColieeError]]

_PATHS: Final = (str, os.PathLike)


def rank_runs(
    gold: GoldLike,
    *submissions: RunLike | Submission,
    task: str | int | None = None,
    edition: str | int | None = None,
    teams: PathLike | Mapping[str, str] | None = None,
    team_pattern: str | None = None,
    best: bool = False,
    besides: Iterable[PathLike] = (),
    exclude: str | Iterable[str] = (),
    only: str | Iterable[str] | None = None,
    decisions: Decisions | None = None,
    groups: PathLike | Mapping[str, str] | None = None,
    n_resamples: int = N_RESAMPLES,
    seed: int = SEED,
    confidence_level: float = CONFIDENCE_LEVEL,
    jobs: int | None = None,
    watch: Watch | None = None,
    columns: Mapping[str, str] | None = None,
) -> Leaderboard:
    """Rank the submissions of many teams.

    A submission that cannot be scored is listed with its reason (``Leaderboard.invalid``) and does not stop the rest.

    Args:
        gold: what ``read_gold`` takes.
        submissions: paths of files and of folders, which are searched; files of one run tag belong together; a store
            of scores stands for the runs in it, and so does a log (``evaluate --log``). Or runs as ``read_run`` takes
            them, or a ``Submission`` of several parts: each of these is one submission.
        task: the task; by default it is found from the files.
        edition: the year whose rules count; by default the newest of the task.
        teams: run tag, or file → team: a dictionary, or a CSV with the columns ``tag`` and ``team``, whose further
            columns appear in the tables. By default a run's team is the first folder below the folder that all files
            have in common.
        team_pattern: a regular expression searched in the run tag; its first group is the team.
        best: whether to rank only the best run of each team; a run without a team stands for itself.
        besides: files that are no submissions, where they lie in a folder that is searched. The gold is one.
        exclude: queries to leave out.
        only: the queries to score, for example those of a validation split; by default all.
        decisions: the choices where the organisers leave it open.
        groups: query → group, where queries depend on each other, as a dictionary or a file with lines QUERY GROUP;
            groups are swapped and drawn as a whole.
        n_resamples: how many resamples.
        seed: of the random numbers; the same seed gives the same leaderboard on any machine.
        confidence_level: of the intervals.
        jobs: how many processes; by default as many as there are processors, for large runs.
        watch: what looks on while runs are scored.
        columns: what the columns of tables are called, by role, in gold and runs: see ``read_gold``.

    Raises:
        InputError: the gold, or the list of teams, cannot be read.
        UsageError: there is no submission, or an option does not exist or does not fit.

    >>> from coliee_ir import Run
    >>> gold = {"q1": ["d1"], "q2": ["d2"], "q3": ["d3"]}
    >>> runs = [Run.of({"q1": ["d1"]}, tag="A"), Run.of({"q1": ["d9"], "q2": ["d2"]}, tag="B")]
    >>> board = rank_runs(gold, *runs, task="1", n_resamples=99)
    >>> [(entry.place, entry.tag, entry.scores.measures["MicroF1"]) for entry in board.entries]
    [(1, 'A', 0.5), (2, 'B', 0.4)]
    """
    settings = Resampling(n_resamples, seed, confidence_level)
    gold = as_given(gold, columns)
    paths = [os.fspath(path) for path in submissions if isinstance(path, _PATHS)]
    stores = stores_among(map(Source, paths))
    paths = [path for path in paths if path not in stores]
    by_held, because_held = (None, "") if task is not None else task_of_stores(stores)
    known = TeamList() if teams is None else read_teams(teams)
    if not (watch is None or callable(watch)):
        raise refused("watch", "a function", watch)
    memory = [submission for submission in submissions if not isinstance(submission, _PATHS)]
    of_gold = gold_files(gold)
    record = read_gold(gold, task=by_held if task is None else task, columns=columns)
    who = Teams(known, team_pattern, common_folder(paths))
    rules = None if task is None else protocol(task, edition)
    inventory = sort_files(
        paths,
        golds=[record],
        besides=[path for path in (teams, *_listed(besides), *of_gold) if isinstance(path, _PATHS)],
        teams=who,
        rules=rules,
        edition=edition,
        columns=columns,
    )
    sources = [one.source for one in inventory.scored if one.error is None]
    if columns and of_gold and not memory:  # what is in memory has columns too
        tables = (one.source for one in inventory.scored)
        check_columns([*(as_given(file, columns) for file in of_gold), *tables], columns)
    handed_in = [*sources, *(_run_of(one, columns) for one in memory)]
    evaluator, because = begin(
        record,
        handed_in,
        task=by_held if task is None else task,
        edition=edition,
        exclude=exclude,
        only=only,
        decisions=decisions,
        columns=columns,
    )
    kept = list(kept_in(stores, evaluator))
    if isinstance(groups, _PATHS):  # read by the rules of the task, which may have been found only now
        groups = read_values(groups, "QUERY GROUP", task=evaluator.task)
    collected = group(inventory, evaluator)
    handed = [*collected.handed, *(_from_memory(one, who) for one in memory)]
    invalid = collected.invalid
    if not handed and not kept and not invalid:
        raise UsageError("no-run", "; ".join(["there are no submissions to rank", *inventory.remarks()]))
    of_teams = [(who.team_of(scores.tag, scores.file), scores) for scores in kept]
    scored = _scored(evaluator, handed, jobs, watch, invalid, of_teams)
    scored, again = _each_once(scored, {id(scores) for scores in kept})
    remarks = [*collected.remarks, *inventory.walked.remarks()]
    remarks += [*inventory.remarks(), *again]
    remarks += _of_list(who, scored)
    remarks += _said_of_equal(evaluator, handed, scored)
    units = Units.of(evaluator.queries, groups)
    entries = _entries(scored, evaluator.protocol.tie_break, settings, units, best)
    if best:
        remarks += _said_of_best(scored, entries)
    return Leaderboard.of(
        evaluator,
        entries,
        settings,
        because=because_held if by_held else because,
        invalid=invalid,
        remarks=remarks,
        groups=units.n if groups is not None else 0,
        described=inventory.described,
        teams=who,
    )


def _each_once(
    scored: list[tuple[str, Scores]], of_stores: Collection[int]
) -> tuple[list[tuple[str, Scores]], list[str]]:
    """The runs without those of a store that are another run again: its team, tag, counts and judged documents."""
    first: dict[tuple[object, ...], str] = {}
    again: set[int] = set()
    same: list[str] = []
    for team, scores in sorted(scored, key=lambda one: id(one[1]) in of_stores):
        arrays = [getattr(one, name).tobytes() for one in scores.judged.values() for name in ("rank", "retrieved")]
        key = (team, scores.tag, scores.extra, *scores.counts.values(), *arrays)
        if id(scores) in of_stores and key in first:
            again.add(id(scores))
            same.append(f"{scores.file} (= {first[key]})")
        first.setdefault(key, scores.file)
    said = [passed_over("duplicate", same)] if same else []
    return [one for one in scored if id(one[1]) not in again], said


def _said_of_equal(
    evaluator: Evaluator, handed: Sequence[Handed], scored: Sequence[tuple[str, Scores]]
) -> Iterator[str]:
    """Which runs give the same answers under several tags or teams: of those with equal scores, the answers decide."""
    parts = {(one.team, one.tag, getattr(one.parts.run, "name", "")): one.parts for one in handed}
    alike: dict[tuple[object, ...], list[tuple[str, Scores]]] = {}
    for team, scores in scored:
        if (team, scores.tag, scores.file) in parts:
            terms = [result.terms.each.tobytes() for result in scores.results.values()]
            alike.setdefault((*scores.counts.values(), *terms), []).append((team, scores))
    for runs in alike.values():
        same: dict[object, list[tuple[str, Scores]]] = {}
        for team, scores in runs if len(runs) > 1 else ():
            of = parts[team, scores.tag, scores.file]
            answers = tuple(_answers_of(evaluator, part) for part in (of.run, of.answers) if part is not None)
            same.setdefault(answers, []).append((team, scores))
        for equal in same.values():
            teams = {team for team, _ in equal if team}
            if len(equal) > 1:
                of_teams = f" of {counted(len(teams), 'team')}" if teams else ""
                listed = ", ".join(shortened(f"{team} {scores.tag}".strip()) for team, scores in equal[:10])
                yield f"{counted(len(equal), 'run')}{of_teams} give the same answers: {listed}"


def _answers_of(evaluator: Evaluator, part: Any) -> frozenset[tuple[str, object]]:
    """What a file answers, in any order."""
    record = evaluator.read(part)
    if isinstance(record, Answers):
        return frozenset(record.labels.items())
    blocks = ((block, segment) for block in record.blocks() for segment in block.segments())
    return frozenset((query, one) for block, (query, first, last) in blocks for one in block.documents[first:last])


def _listed(besides: Iterable[PathLike]) -> list[PathLike]:
    """The files that are no submissions, checked."""
    return [
        one_of("besides", path, _PATHS, "a list of files")
        for path in one_of("besides", besides, Iterable, "a list of files")
    ]


def _said_of_best(scored: Sequence[tuple[str, Scores]], entries: Sequence[Entry]) -> Iterator[str]:
    """What there is to know of a ranking of the best run of each team."""
    left_out = len(scored) - len(entries)
    if not any(team for team, _ in scored):
        sentence = "no teams are known, so every run would be its team's best; name the teams with --teams CSV"
        yield Remark("team-list", sentence)
    elif left_out:
        sentence = f"{counted(left_out, 'run')} left out that {'is' if left_out == 1 else 'are'} not the best of a team"
        yield Remark("left-out", sentence)
        yield Remark(
            "chosen-here",
            "the best runs of the teams were chosen by these queries: the rank sets allow for that, the scores and "
            "their intervals do not",
        )


def _of_list(who: Teams, scored: Sequence[tuple[str, Scores]]) -> list[str]:
    """Which rows of the list of teams no run has, and which runs it leaves out."""
    if not who.list.rows:
        return []
    said: list[str] = []
    missing = [scores.tag for _, scores in scored if who.row_of(scores.tag, scores.file) is None]
    of_tag: dict[Listed, list[str]] = {}
    for _, scores in scored:
        if (row := who.row_of(scores.tag, scores.file)) is not None and row.run == scores.tag:
            of_tag.setdefault(row, []).append(shortened(scores.file))
    for row, files in of_tag.items():
        if len(files) > 1:
            all_of = f"{counted(len(files), 'run')} of the tag {shortened(row.run)} to {shortened(row.team)}"
            sentence = f"the list of teams gives {all_of}: {', '.join(files)}; name the files of other teams in it"
            said.append(Remark("team-list", sentence))
    if who.unused:
        listed = ", ".join(map(shortened, list(who.unused)[:10]))
        sentence = f"the list of teams names {counted(len(who.unused), 'run')} that did not arrive: {listed}"
        said.append(Remark("team-list", sentence))
    if missing:
        listed = ", ".join(map(shortened, missing[:10]))
        said.append(Remark("team-list", f"the list of teams leaves out {counted(len(missing), 'run')}: {listed}"))
    return said


def _run_of(submission: RunLike | Submission, columns: Mapping[str, str] | None) -> Any:
    return as_given(submission.run, columns) if isinstance(submission, Submission) else submission


def _from_memory(submission: RunLike | Submission, teams: Teams) -> Handed:
    parts = Submission.of(submission)
    tag = str(getattr(parts.run, "tag", ""))
    return Handed(parts, teams.team_of(tag, ""), tag)


def _scored(
    evaluator: Evaluator,
    handed: Sequence[Handed],
    jobs: int | None,
    watch: Watch | None,
    invalid: list[Invalid],
    kept: Sequence[tuple[str, Scores]],
) -> list[tuple[str, Scores]]:
    """Team and scores of each run, best first, those that are kept too; what cannot be scored goes to ``invalid``."""
    results: Iterable[Scores | ColieeError]
    results = evaluator.evaluate_all([one.parts for one in handed], jobs=jobs, keep_judged=True)
    if watch is not None:
        results = watch(results, len(handed))
    ranking = next(m for m in evaluator.official if all(part in evaluator.qrels for part in m.needs))
    scored = list(kept)
    for one, result in zip(handed, results, strict=True):
        reason = Remark("incomplete", "")
        if isinstance(result, ColieeError):
            reason = Remark(result.kind, str(result))
        elif ranking not in result.results:
            sentence = f"{result.file}: {ranking} ranks, and cannot be computed without all parts of a submission"
            reason = Remark("incomplete", sentence)
        if isinstance(result, Scores) and not reason:
            scored.append((one.team, result))
        else:
            files = tuple(part.name for part in one.parts if isinstance(part, Source))
            invalid.append(Invalid(files, one.tag, one.team, reason))
    keys = evaluator.protocol.tie_break

    def order(of_run: tuple[str, Scores]) -> tuple[tuple[float, ...], str, str]:
        scores = of_run[1]
        return tuple(-value for value in order_key(scores, keys)), scores.tag, scores.file

    return sorted(scored, key=order)


def _best_of_teams(scored: Sequence[tuple[str, Scores]]) -> list[int]:
    """The places of the first run of each team; a run without a team stands for itself."""
    kept, seen = [], set()
    for at, (team, _) in enumerate(scored):
        if not team or team not in seen:
            kept.append(at)
        seen.add(team)
    return kept


def _entries(
    scored: Sequence[tuple[str, Scores]], tie_break: Sequence[str], settings: Resampling, units: Units, best: bool
) -> tuple[Entry, ...]:
    """The runs in their places, with the ranks that they may have, and intervals.

    The best runs of teams are chosen by the scores that are compared. So all runs are tested together, and the ranks
    are then counted among those that are kept.
    """
    if not scored:
        return ()
    measure: Measure = next(iter(scored[0][1].results))
    terms = [units.terms(scores.results[measure].terms) for _, scores in scored]
    kept = _best_of_teams(scored) if best else list(range(len(scored)))
    in_places = places([order_key(scored[at][1], tie_break) for at in kept])
    in_groups = units.n < len(units.number)
    return tuple(
        Entry(
            place,
            stand.ranks,
            scored[at][0],
            scored[at][1],
            interval_of(
                measure, scored[at][1].results[measure], terms[at], settings.confidence_level, in_groups
            ),
            stand.own_ranks,
            stand.may_be_best,
        )
        for at, place, stand in zip(kept, in_places, stands(terms, settings, kept), strict=True)
    )  # fmt: skip
