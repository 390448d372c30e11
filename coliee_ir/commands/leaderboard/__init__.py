"""From a folder of submissions to the official table, and to every analysis table of an overview paper.

files ──collecting──▶ submissions ──Evaluator──▶ Scores ──ranks──▶ Leaderboard ──catalogue──▶ tables
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from coliee_adapters.by_key import by_key
from coliee_adapters.checked import suggesting_keywords
from coliee_adapters.errors import UsageError, shortened
from coliee_adapters.files.source import PathLike
from coliee_adapters.records import Answers
from coliee_adapters.remarks import Remark
from coliee_ir.commands.leaderboard.board import (
    Entry,
    Scale,
    Tasks,
    listed_by_tag,
    order_key,
    places,
    possible_ranks,
)
from coliee_ir.commands.leaderboard.catalogue import TABLES, Categories, Leaderboard, read_categories
from coliee_ir.commands.leaderboard.tasks import joined, over_tasks, ranks_on_others, tasks_of
from coliee_ir.inbox.teams import Teams
from coliee_ir.measures.base import upwards
from coliee_ir.reading.basis import Basis
from coliee_ir.reading.submission import Invalid
from coliee_ir.rules.choices import PLACES
from coliee_ir.scoring.comparable import measure_of, ranked_by, with_judged
from coliee_ir.scoring.replicates import groups_in, system, systems_of
from coliee_ir.scoring.scores import Scored
from coliee_ir.stats.intervals import are_shares, interval_of
from coliee_ir.stats.paired import Ranks, Standings, too_few_queries
from coliee_ir.stats.resampling import (
    CONFIDENCE_LEVEL,
    MANY_QUERIES,
    N_RESAMPLES,
    SEED,
    UNEQUAL,
    Interval,
    Resampling,
    Units,
    too_few_resamples,
    units_of,
)

__all__ = [
    "TABLES", "Categories", "Entry", "Invalid", "Leaderboard", "Ranks", "leaderboard", "read_categories",
]  # fmt: skip


@suggesting_keywords()
def leaderboard(
    scored: Scored | Mapping[str, Scored],
    *,
    measure: str = "",
    best: bool = False,
    groups: PathLike | Mapping[str, str] | None = None,
    replicates: PathLike | Mapping[str, Sequence[str]] | None = None,
    tasks: PathLike | Mapping[str, str] | None = None,
    scale: Scale = "score",
    n_resamples: int = N_RESAMPLES,
    seed: int = SEED,
    confidence_level: float = CONFIDENCE_LEVEL,
) -> Leaderboard:
    """Rank the submissions of many teams.

    A submission that could not be scored (``evaluate_all(…, keep_going=True)``) is listed with its reason.

    Args:
        scored: what ``evaluate_all`` gives, with the judged documents; its ``teams`` say whose the runs are. Or task →
            the same, where each task has its own queries.
        measure: the name of the measure that ranks; by default the one of the task's edition.
        best: whether to rank only the best run of each team; a run without a team stands for itself.
        groups: query → group, where queries depend on each other, as a dictionary or a file with lines QUERY GROUP;
            groups are swapped and drawn as a whole.
        replicates: system → its runs, by tag or file, where several runs are one system (seeds, folds, draws of a
            language model), or a CSV with the columns run and system. Then systems are ranked, by their means.
        tasks: query → task (or year), as a dictionary, a file with lines QUERY TASK, or a column of the scores: runs
            that have all tasks are ranked by their mean, in which each task counts the same.
        scale: with tasks, ``score``; or ``wins``, the share of other runs beaten on each query, where scales differ.
        n_resamples: how many resamples.
        seed: of the random numbers; the same seed gives the same leaderboard on any machine.
        confidence_level: of the intervals.

    Raises:
        UsageError: an option does not exist or does not fit.

    >>> from coliee_ir import evaluate_all
    >>> gold = {"q1": ["d1"], "q2": ["d2"], "q3": ["d3"]}
    >>> scored = evaluate_all(gold, {"A": {"q1": ["d1"]}, "B": {"q1": ["d9"], "q2": ["d2"]}}, task="1")
    >>> board = leaderboard(scored, n_resamples=99)
    >>> [(entry.place, entry.tag, entry.scores.measures["MicroF1"]) for entry in board.entries]
    [(1, 'A', 0.5), (2, 'B', 0.4)]
    """
    settings = Resampling(n_resamples, seed, confidence_level)
    if isinstance(scored, Mapping):
        if tasks is not None:
            raise UsageError("option-conflict", "the tasks are the keys of the scores: leave tasks= out")
        scored, tasks = joined(scored, measure), PLACES[0]
    scored = ranked_by(with_judged(scored, "a leaderboard"), measure)
    basis, gold, inventory = scored.basis, scored.basis.gold, scored.inventory
    of_tasks = tasks_of(scored, tasks, scale)
    groups = groups_in(scored, groups)
    units, unit = Units.of(basis.queries, groups), scored[0].unit if scored else "query"
    teams = Teams() if inventory is None or inventory.teams is None else inventory.teams
    entries, unranked = _entries(scored, measure)
    remarks = [*scored.remarks, *_of_list(teams, entries), *_same_answers(basis, entries)]
    names: tuple[str, ...] = ()
    if of_tasks is not None:
        if replicates is not None:
            raise UsageError("option-conflict", "tasks are ranked of single runs: leave replicates out")
        entries, names, left_out = over_tasks(
            entries, next(iter(entries[0].scores.results)) if entries else basis.official[0], of_tasks, scale
        )
        remarks += left_out
    if replicates is not None:
        entries = _of_systems(entries, replicates)
    entries = _best_first(_with_intervals(entries, settings, units), basis.protocol.tie_break)
    runs = [entry for entry in entries if not entry.status]
    ranked, tests = _ranked(runs, basis.protocol.tie_break, settings, units, best=best)
    remarks += _doubts(runs, tests, settings, units)
    if best:
        remarks += _of_best(runs, ranked)
    entries = [*ranked, *(entry for entry in entries if entry.status)]
    judged = [(gold.qrels or {}).get(query, {}).values() for query in basis.queries]
    relevant = np.array([sum(level >= 1 for level in levels) for levels in judged], dtype=np.int64)
    measures = dict.fromkeys(measure for entry in entries for measure in entry.scores.results)
    return Leaderboard(
        task=basis.task,
        edition=basis.edition,
        gold=gold.path,
        evidence=scored.task_evidence,
        protocol=basis.protocol,
        measures=tuple(measures) or tuple(basis.official),
        queries=basis.queries,
        relevant=None if gold.qrels is None else relevant,
        labels=None if gold.labels is None else tuple(map(gold.labels.get, basis.queries)),
        entries=tuple(entries),
        invalid=(*scored.invalid, *unranked),
        remarks=tuple(remarks),
        excluded=tuple(sorted(basis.excluded)),
        resampling=settings,
        groups=units.n if groups is not None else 0,
        described={} if inventory is None else inventory.described(basis.task),
        teams=teams,
        drawn=tests.drawn,
        replicates=replicates is not None,
        tasks=Tasks(names, scale, ranks_on_others(ranked, len(names), settings)) if names else None,
        unit=unit if unit != "task" or not names else "row",
    )


def _entries(scored: Scored, measure: str) -> tuple[list[Entry], list[Invalid]]:
    """The runs that can be ranked, and those that cannot."""
    basis = scored.basis
    official = (m for m in basis.asked_measures or basis.official if all(part in basis.qrels for part in m.needs))
    ranking = measure_of(scored, measure) if measure and scored else next(official)
    entries = [
        Entry(scores, Interval(math.nan, math.nan), submission)
        for scores, submission in zip(scored, scored.submissions, strict=True)
    ]
    unranked = [
        Invalid(
            entry.files or (entry.file,),
            entry.tag,
            entry.team,
            Remark.of("incomplete", file=entry.file, measure=ranking),
        )
        for entry in entries
        if ranking not in entry.scores.results
    ]
    return [entry for entry in entries if ranking in entry.scores.results], unranked


def _best_first(entries: Iterable[Entry], tie_break: Sequence[str]) -> list[Entry]:
    in_names = sorted(entries, key=lambda entry: (entry.tag, entry.file))
    return sorted(in_names, key=lambda entry: order_key(entry.scores, tie_break), reverse=True)


def _of_systems(entries: Sequence[Entry], replicates: PathLike | Mapping[str, Sequence[str]]) -> list[Entry]:
    """The systems that runs are of, each of the team of its runs."""
    averaged = []
    for name, runs in systems_of([entry.scores for entry in entries], replicates).items():
        teams = {scores.team for scores in runs}
        scores = replace(system(name, runs), team=teams.pop() if len(teams) == 1 else "")
        averaged.append(Entry(scores, Interval(math.nan, math.nan), None))
    return averaged


def _with_intervals(entries: Sequence[Entry], settings: Resampling, units: Units) -> Iterator[Entry]:
    """The runs with the intervals of their scores."""
    results = [next(iter(entry.scores.results.values())) for entry in entries]
    is_share = units.n == len(units.number) and are_shares(results)
    for entry, result in zip(entries, results, strict=True):
        yield replace(
            entry, interval=interval_of(result, units.terms(result.terms), settings.confidence_level, is_share=is_share)
        )


def _ranked(
    runs: Sequence[Entry], tie_break: Sequence[str], settings: Resampling, units: Units, *, best: bool
) -> tuple[list[Entry], Standings]:
    """The runs, best first, in their places, with the ranks that they may have.

    The best runs of teams are chosen by the scores that are compared. So all runs are tested together, and the ranks
    are then counted among those that are kept.
    """
    firsts = (next(iter(entry.scores.results.items())) for entry in runs)
    terms = [upwards(units.terms(result.terms), measure) for measure, result in firsts]
    first: dict[str | int, int] = {}
    for i, entry in enumerate(runs):  # a run without a team is the best of its own
        first.setdefault(entry.team or i if best else i, i)
    kept = [*first.values()]
    possible, tests = possible_ranks(terms, settings, kept)
    in_places = places([order_key(runs[i].scores, tie_break) for i in kept])
    each = zip(kept, in_places, possible, strict=True)
    return [replace(runs[i], place=place, **stand._asdict()) for i, place, stand in each], tests


def _same_answers(basis: Basis, entries: Sequence[Entry]) -> Iterator[str]:
    """Which runs give the same answers under several tags or teams: of those with equal scores, the answers decide."""
    for together in by_key((entry for entry in entries if not entry.status), _terms_of).values():
        same = by_key(together, lambda entry: _answers_of_run(basis, entry)) if len(together) > 1 else {}
        for equal in same.values():
            if len(equal) > 1:
                row = "same-answers" if equal[0].submission is not None else "same-answers.scores"
                yield Remark.of(row, [f"{entry.team} {entry.scores.name_in_team}".strip() for entry in equal])


def _terms_of(entry: Entry) -> tuple[object, ...]:
    """The counts of a run, and what each query adds to its scores."""
    return *entry.scores.counts.values(), *(of.terms.each.tobytes() for of in entry.scores.results.values())


def _answers_of_run(basis: Basis, entry: Entry) -> tuple[object, ...]:
    parts = {} if entry.submission is None else entry.submission.parts
    return tuple(_answers_of(basis, part) for name, part in parts.items() if name != "long_list")


def _answers_of(basis: Basis, part: Any) -> frozenset[tuple[str, object]]:
    """What a file answers of the questions that count, in any order."""
    record = basis.read(part)
    if isinstance(record, Answers):
        return frozenset((query, label) for query, label in record.labels.items() if query in basis.queries)
    blocks = ((block, segment) for block in record.blocks() for segment in block.segments())
    return frozenset(
        (query, document)
        for block, (query, first, last) in blocks if query in basis.queries for document in block.documents[first:last]
    )  # fmt: skip


def _of_best(runs: Sequence[Entry], ranked: Sequence[Entry]) -> Iterator[str]:
    """What there is to know of a ranking of the best run of each team."""
    left_out = len(runs) - len(ranked)
    if not any(entry.team for entry in runs):
        yield Remark.of("team-list.none")
    elif left_out:
        yield Remark.of("left-out.teams", n=left_out)
        yield Remark.of("chosen-here")


def _of_list(teams: Teams, entries: Sequence[Entry]) -> Iterator[str]:
    """Which rows of the list of teams no run has, and which runs it leaves out."""
    for (team, tag), listed in listed_by_tag(entries).items() if teams.rows else ():
        if len(listed) > 1:
            yield Remark.of(
                "team-list.several", [entry.file for entry in listed], tag=shortened(tag), team=shortened(team)
            )
    yield from (remark for _, _, remark in teams.doubts())
    if teams.unused:
        yield Remark.of("team-list", teams.unused)
    unlisted = (entry for entry in entries if entry.submission is not None and not entry.submission.listed)
    if missing := [entry.name for entry in unlisted if teams.rows]:
        yield Remark.of("team-list.missing", missing)


def _doubts(runs: Sequence[Entry], tests: Standings, settings: Resampling, units: Units) -> Iterator[str]:
    """Whether anything could be found of so many queries and resamples, and whether p can be believed."""
    if too_few_queries(tests.differing, tests.critical, tests.drawn, settings.alpha):
        yield Remark.of("too-few-queries", units=units_of(runs[0].scores.unit, in_groups=units.n < len(units.number)))
    elif tests.drawn:
        yield from too_few_resamples(tests.drawn, settings.alpha)
    if units.n < MANY_QUERIES and runs:
        answered = np.array([entry.scores.answered for entry in runs])
        apart = (answered != answered[0]).mean(axis=1)
        if (unequal := int(apart.argmax())) and apart[unequal] >= UNEQUAL:
            yield Remark.of("unlike-answers", [f"{runs[0].name} and {runs[unequal].name}"], queries=MANY_QUERIES)
