"""The request: runs that were scored, ranked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from coliee_adapters.errors import shortened
from coliee_adapters.files.source import PathLike
from coliee_adapters.records import Answers
from coliee_adapters.remarks import Remark
from coliee_ir.commands.leaderboard.board import Entry
from coliee_ir.commands.leaderboard.catalogue import Leaderboard
from coliee_ir.commands.leaderboard.standing import NOWHERE, Stand, order_key, places, stands
from coliee_ir.inbox.teams import Teams
from coliee_ir.measures.base import upwards
from coliee_ir.reading.basis import Basis
from coliee_ir.reading.submission import Invalid, Submission
from coliee_ir.scoring.replicates import groups_in, system, systems_of
from coliee_ir.scoring.scores import Scored, Scores, measure_of, ranked_by, with_judged
from coliee_ir.stats.doubts import MANY_QUERIES, UNLIKE, too_few_queries, too_few_resamples, units_of
from coliee_ir.stats.intervals import are_shares, interval_of
from coliee_ir.stats.paired import Standings
from coliee_ir.stats.resampling import Interval, Units
from coliee_ir.stats.settings import CONFIDENCE_LEVEL, N_RESAMPLES, SEED, Resampling


def leaderboard(
    scored: Scored,
    *,
    measure: str = "",
    best: bool = False,
    groups: PathLike | Mapping[str, str] | None = None,
    replicates: PathLike | Mapping[str, Sequence[str]] | None = None,
    n_resamples: int = N_RESAMPLES,
    seed: int = SEED,
    confidence_level: float = CONFIDENCE_LEVEL,
) -> Leaderboard:
    """Rank the submissions of many teams.

    A submission that could not be scored (``evaluate_all(…, keep_going=True)``) is listed with its reason.

    Args:
        scored: what ``evaluate_all`` gives, with the judged documents; its ``teams`` say whose the runs are.
        measure: the name of the measure that ranks; by default the one of the task's edition.
        best: whether to rank only the best run of each team; a run without a team stands for itself.
        groups: query → group, where queries depend on each other, as a dictionary or a file with lines QUERY GROUP;
            groups are swapped and drawn as a whole.
        replicates: system → its runs, by tag or file, where several runs are one system (seeds, folds, draws of a
            language model), or a CSV with the columns run and system. Then systems are ranked, by their means.
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
    scored = ranked_by(with_judged(scored, "a leaderboard"), measure)
    basis, inventory = scored.basis, scored.inventory
    groups = groups_in(scored, groups)
    who = Teams() if inventory is None or inventory.teams is None else inventory.teams
    runs, unranked = _runs_of(scored, measure)
    remarks = [*scored.remarks, *_of_list(who, runs), *_said_of_equal(basis, runs)]
    if replicates is not None:
        runs = _of_systems(runs, replicates, basis.protocol.tie_break)
    units = Units.of(basis.queries, groups)
    apart, runs = [one for one in runs if one.status], [one for one in runs if not one.status]
    intervals = _intervals([*runs, *apart], settings, units)
    entries, found = _entries(runs, basis.protocol.tie_break, settings, units, best, intervals)
    remarks += _resolution(runs, found, settings, units)
    if best:
        remarks += _said_of_best(runs, entries)
    entries += tuple(_entry(one, intervals) for one in apart)
    gold = basis.gold
    relevant = None
    if gold.qrels is not None:
        counts = [sum(level >= 1 for level in gold.qrels.get(query, {}).values()) for query in basis.queries]
        relevant = np.array(counts, dtype=np.int64)
    measures = dict.fromkeys(measure for entry in entries for measure in entry.scores.results)
    return Leaderboard(
        task=basis.task,
        edition=basis.edition,
        gold=gold.path,
        because=scored.because,
        protocol=basis.protocol,
        measures=tuple(measures) or tuple(basis.official),
        queries=basis.queries,
        relevant=relevant,
        labels=None if gold.labels is None else tuple(map(gold.labels.get, basis.queries)),
        entries=entries,
        invalid=(*scored.invalid, *unranked),
        remarks=tuple(remarks),
        excluded=tuple(sorted(basis.excluded)),
        resampling=settings,
        groups=units.n if groups is not None else 0,
        described={} if inventory is None else inventory.described(basis.task),
        teams=who,
        drawn=found.drawn,
        replicates=replicates is not None,
        unit=scored[0].unit if scored else "query",
    )


class _Run(NamedTuple):
    """A run with a score."""

    team: str
    scores: Scores
    submission: Submission | None  # None where only scores were read, and of a system

    @property
    def status(self) -> str:
        """Why it is not ranked; empty where it is."""
        return "" if self.submission is None else self.submission.status


def _runs_of(scored: Scored, measure: str = "") -> tuple[list[_Run], list[Invalid]]:
    """The runs, best first; and those that cannot be ranked."""
    basis = scored.basis
    ranking = next(m for m in basis.asked or basis.official if all(part in basis.qrels for part in m.needs))
    if measure and scored:
        ranking = measure_of(scored, measure)
    runs, unranked = [], []
    for scores, submission in zip(scored, scored.submissions, strict=True):
        if ranking in scores.results:
            runs.append(_Run(scores.team, scores, submission))
        else:
            why = Remark.of("incomplete", file=scores.file, measure=ranking)
            files = (scores.file,) if submission is None else tuple(file.name for file in submission.files)
            unranked.append(Invalid(files or (scores.file,), scores.tag, scores.team, why))
    return _best_first(runs, basis.protocol.tie_break), unranked


def _best_first(runs: Sequence[_Run], tie_break: Sequence[str]) -> list[_Run]:
    def order(one: _Run) -> tuple[tuple[float, ...], str, str]:
        return tuple(-value for value in order_key(one.scores, tie_break)), one.scores.tag, one.scores.file

    return sorted(runs, key=order)


def _of_systems(
    runs: Sequence[_Run], replicates: PathLike | Mapping[str, Sequence[str]], tie_break: Sequence[str]
) -> list[_Run]:
    """The systems that runs are of, each of the team of its runs."""
    team_of = {id(one.scores): one.team for one in runs}
    made = []
    for name, of in systems_of([one.scores for one in runs], replicates).items():
        teams = dict.fromkeys(team_of.get(id(scores), "") for scores in of)
        made.append(_Run(next(iter(teams)) if len(teams) == 1 else "", system(name, of), None))
    return _best_first(made, tie_break)


def _said_of_equal(basis: Basis, runs: Sequence[_Run]) -> Iterator[str]:
    """Which runs give the same answers under several tags or teams: of those with equal scores, the answers decide."""
    alike: dict[tuple[object, ...], list[_Run]] = {}
    for one in runs:
        if one.submission is not None and not one.status:
            terms = [result.terms.each.tobytes() for result in one.scores.results.values()]
            alike.setdefault((*one.scores.counts.values(), *terms), []).append(one)
    for together in alike.values():
        same: dict[object, list[_Run]] = {}
        for one in together if len(together) > 1 else ():
            parts = {} if one.submission is None else one.submission.parts
            given = [part for name, part in parts.items() if name != "long_list"]
            same.setdefault(tuple(_answers_of(basis, part) for part in given), []).append(one)
        for equal in same.values():
            if len(equal) > 1:
                yield Remark.of("same-answers", [f"{one.team} {one.scores.name_in_team}".strip() for one in equal])


def _answers_of(basis: Basis, part: Any) -> frozenset[tuple[str, object]]:
    """What a file answers, in any order."""
    record = basis.read(part)
    if isinstance(record, Answers):
        return frozenset(record.labels.items())
    blocks = ((block, segment) for block in record.blocks() for segment in block.segments())
    return frozenset((query, one) for block, (query, first, last) in blocks for one in block.documents[first:last])


def _said_of_best(scored: Sequence[_Run], entries: Sequence[Entry]) -> Iterator[str]:
    """What there is to know of a ranking of the best run of each team."""
    left_out = len(scored) - len(entries)
    if not any(one.team for one in scored):
        yield Remark.of("team-list.none")
    elif left_out:
        yield Remark.of("left-out.teams", n=left_out)
        yield Remark.of("chosen-here")


def _of_list(who: Teams, scored: Sequence[_Run]) -> Iterator[str]:
    """Which rows of the list of teams no run has, and which runs it leaves out."""
    came = [(one.scores, one.submission) for one in scored if one.submission is not None and who.rows]
    of_tag: dict[tuple[str, str], list[str]] = {}
    for scores, submission in came:
        if submission.listed == scores.tag:
            of_tag.setdefault((scores.tag, scores.team), []).append(scores.file)
    for (tag, team), files in of_tag.items():
        if len(files) > 1:
            yield Remark.of("team-list.several", files, tag=shortened(tag), team=shortened(team))
    yield from (remark for _, _, remark in who.doubts())
    if who.unused:
        yield Remark.of("team-list", who.unused)
    if missing := [scores.name for scores, submission in came if not submission.listed]:
        yield Remark.of("team-list.missing", missing)


def _best_of_teams(scored: Sequence[_Run]) -> list[int]:
    """The places of the first run of each team; a run without a team stands for itself."""
    first: dict[str | int, int] = {}
    for at, one in enumerate(scored):
        first.setdefault(one.team or at, at)
    return list(first.values())


def _entries(
    scored: Sequence[_Run],
    tie_break: Sequence[str],
    settings: Resampling,
    units: Units,
    best: bool,
    intervals: Mapping[int, Interval],
) -> tuple[tuple[Entry, ...], Standings]:
    """The runs in their places, with the ranks that they may have, and intervals.

    The best runs of teams are chosen by the scores that are compared. So all runs are tested together, and the ranks
    are then counted among those that are kept.
    """
    by = [next(iter(one.scores.results.items())) for one in scored]
    terms = [upwards(units.terms(result.terms), measure) for measure, result in by]
    kept = _best_of_teams(scored) if best else list(range(len(scored)))
    in_places = places([order_key(scored[at].scores, tie_break) for at in kept])
    found, standings = stands(terms, settings, kept)
    each = zip(kept, in_places, found, strict=True)
    return tuple(_entry(scored[at], intervals, place, stand) for at, place, stand in each), standings


def _intervals(runs: Sequence[_Run], settings: Resampling, units: Units) -> dict[int, Interval]:
    """The interval of each run's score, by the identity of its scores."""
    results = [next(iter(one.scores.results.values())) for one in runs]
    level, is_share = settings.confidence_level, units.n == len(units.number) and are_shares(results)
    of = [interval_of(result, units.terms(result.terms), level, is_share=is_share) for result in results]
    return {id(one.scores): interval for one, interval in zip(runs, of, strict=True)}


def _entry(run: _Run, intervals: Mapping[int, Interval], place: int = 0, stand: Stand = NOWHERE) -> Entry:
    """A run in its place; one that is shown and not ranked has none."""
    entry = Entry(place, stand.ranks, run.team, run.scores, intervals[id(run.scores)], stand.may_be_best)
    if (sent := run.submission) is None:
        return entry
    return replace(entry, status=sent.status, more=sent.more, files=tuple(file.name for file in sent.files))


def _resolution(runs: Sequence[_Run], found: Standings, settings: Resampling, units: Units) -> Iterator[str]:
    """Whether anything could be found of so many queries and resamples, and whether p can be believed."""
    if too_few_queries(found.differing, found.critical, found.drawn, settings.alpha):
        in_groups = units.n < len(units.number)
        yield Remark.of("too-few-queries", units=units_of(runs[0].scores.unit, in_groups=in_groups))
    elif found.drawn:
        yield from too_few_resamples(found.drawn, settings.alpha)
    if units.n < MANY_QUERIES and runs:
        answered = np.array([one.scores.answered for one in runs])
        apart = (answered != answered[0]).mean(axis=1)
        if (unlike := int(apart.argmax())) and apart[unlike] >= UNLIKE:
            apart = [f"{runs[0].scores.name} and {runs[unlike].scores.name}"]
            yield Remark.of("unlike-answers", apart, queries=MANY_QUERIES)
