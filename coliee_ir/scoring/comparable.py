"""What functions of scores are given: runs that can be compared, and the measures by which they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from coliee_adapters.checked import error_for_argument, one_of, texts
from coliee_adapters.errors import UsageError, listed, shortened
from coliee_ir.measures import Measure
from coliee_ir.reading.basis import single_measures
from coliee_ir.reading.submission import names_in_teams
from coliee_ir.scoring.scores import Scored, Scores


def ranking_of(scores: Scores) -> Measure:
    """The measure that ranks, which is the first; refused where scores were read that do not show it."""
    if names := () if scores.schema is None else scores.schema.rivals:
        problem = "name the measure that ranks with -m NAME (in Python measure=)"
        raise UsageError("option-needed", f"{problem}; it may be {listed([*map(shortened, names)], 12)}")
    return next(iter(scores.results))


def measure_of(scored: Sequence[Scores], name: str) -> Measure:
    """The measure of a name, by which some runs were scored."""
    every, schema = {measure.name: measure for scores in scored for measure in scores.results}, scored[0].schema
    if name not in every and schema is not None and name in schema.columns:
        raise UsageError("not-comparable", f"{shortened(name)} was not read; name it in Scored.read(…, measures=…)")
    known = every.get(name) or single_measures([name], scored[0].task, scored[0].edition)[0]
    if known not in every.values():
        problem = f"no run was scored by {known}; name it when you score them"
        raise UsageError("not-comparable", f"{problem} (they were by {', '.join(every)})")
    return known


def ranked_by(scored: Scored, name: str) -> Scored:
    """A copy with the ranking measure first: the one named, or else the one that ranks by default."""
    one_of("measure", name, str, "the name of a measure")
    if not scored:
        return scored
    ranking = measure_of(scored, name) if name else ranking_of(scored[0])
    _ = ranking.lower_is_better  # which somebody must have said
    return replace(scored, scores=[scores.by([ranking]) for scores in scored]) if name else scored


#: what functions of scores take, for messages
_SCORED: Final = "what evaluate_all gives, or Scored.from_frame of a table of scores, or Scored.read of a file"


def checked(scored: object, at_least: int = 1, what: str = "this", *, documents: bool = False) -> Sequence[Scores]:
    """Runs that were scored, at least ``at_least`` of them; with judged documents where these are needed."""
    kind = f"{_SCORED}; or a list of Scores"
    runs: Sequence[Scores] = one_of("scored", scored, Sequence, kind)
    if not all(isinstance(scores, Scores) for scores in runs):
        raise error_for_argument("scored", kind, scored)
    if len(runs) < at_least:
        raise UsageError("too-few", f"{what} needs at least {'two runs' if at_least > 1 else 'one run'}")
    lacking = (scores for scores in runs if str(scores.decisions.unanswered) == "tasks" and not all(scores.answered))
    if at_least and next(lacking, None) is not None:  # a leaderboard over tasks needs none at least
        raise UsageError("not-comparable", f"{what} needs scores of all queries; read with unanswered=tasks, some lack")
    if documents and not all(scores.judged for scores in runs):
        raise UsageError("not-comparable", f"{what} needs the judged documents: evaluate_all(…, keep='judged')")
    return with_unique_names(runs)


def with_unique_names(runs: Sequence[Scores]) -> Sequence[Scores]:
    """Runs, each with a name that no other has, also where they were not scored together."""
    if len({scores.name for scores in runs}) == len(runs):
        return runs
    names = names_in_teams([("", scores.name, i) for i, scores in enumerate(runs)])
    return [replace(scores, unique_name=name) for scores, name in zip(runs, names, strict=True)]


def with_judged(scored: object, what: str) -> Scored:
    """Runs whose judged documents were kept, without which something cannot be made; or scores that were read."""
    runs: Scored = one_of("scored", scored, Scored, _SCORED)
    checked(runs, 0, what, documents=bool(runs) and runs.keep != "scores")
    return runs


def comparable(scored: Sequence[Scores], names: str | Sequence[str] = ()) -> list[Measure]:
    """The measures by which runs scored by the same rules are compared; by default the one that ranks."""
    first = scored[0]
    names = texts("measures", names or (), "the name of a measure, or a list of names", ordered=True)
    measures = list(dict.fromkeys(measure_of(scored, name) for name in names)) or [ranking_of(first)]
    for measure in measures:
        _ = measure.lower_is_better  # which somebody must have said
    for scores in scored:
        if missing := [measure for measure in measures if measure not in scores.results]:
            problem = f"some runs have no {missing[0]} score; were all scored by it, and have the same parts?"
            raise UsageError("not-comparable", problem)
        if tuple(scores.query_ids) != tuple(first.query_ids):
            raise UsageError("not-comparable", "the runs were scored on different queries")
        if scores.counts.get("relevant") != first.counts.get("relevant"):
            raise UsageError("not-comparable", "the runs were scored on different golds")
        if (scores.task, scores.edition, scores.decisions) != (first.task, first.edition, first.decisions):
            raise UsageError("not-comparable", "the runs were scored by different rules")
        if first.query_ids and not len(scores.results[measures[0]].per_query):
            problem = "the scores of single queries were not kept: evaluate_all(…, keep='queries')"
            raise UsageError("not-comparable", problem)
    return measures
