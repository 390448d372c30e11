"""Scores: what an evaluation says of a run, and of several; as a table, as JSON, and as trec_eval prints it."""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, overload

import numpy as np

from coliee_adapters.checked import texts
from coliee_adapters.errors import ScoreWarning, UsageError, quoted, shortened
from coliee_adapters.files.source import PathLike, Source
from coliee_adapters.forms.lines import counted
from coliee_adapters.forms.vocabulary import checked_columns
from coliee_adapters.remarks import Remark, as_json
from coliee_ir.judging.judged import FloatArray, Judged
from coliee_ir.measures import Delegated, Measure, Result
from coliee_ir.measures.base import PARTS, share
from coliee_ir.measures.ties import Span, Ties
from coliee_ir.output import envelope
from coliee_ir.output.grid import Cell, Grid, Number, Rows
from coliee_ir.output.rendering import TabularResult
from coliee_ir.reading.basis import Basis
from coliee_ir.reading.submission import Invalid, Submission
from coliee_ir.rules.decisions import Decisions

if TYPE_CHECKING:
    from coliee_ir.inbox.inventory import Inventory  # needed for folders alone
    from coliee_ir.scoring import score_tables

#: what is kept of each run: all; all but the judged documents; the values over all queries alone
Keep = Literal["judged", "queries", "values"]

_NONE: Final = np.zeros(0)

#: the packages whose lines are not the user's; how many doubts a warning names
_OURS: Final = ("coliee_ir", "coliee_adapters")
_WARNED: Final = 6


class Timing(NamedTuple):
    """Where the time went, in seconds.

    Attributes:
        read: turning bytes into columns, added over all processes.
        judge: reading and judging together, by the clock.
        measure: computing the measures, by the clock.
    """

    lines: int = 0
    read: float = 0.0
    judge: float = 0.0
    measure: float = 0.0


@dataclass(slots=True, eq=False, repr=False)
class Scores(TabularResult):
    """The scores of one run.

    Attributes:
        results: each measure and its result, in the order asked for.
        answered: whether the run names each query of ``query_ids``.
        counts: correct, retrieved and relevant documents (or labels) over all judged queries.
        others: the files that belong to the run: ``answers``, ``long_list``.
        other_tags: the run tags of the parts that have another than the run.
        own_remarks: what was tolerated and what was decided, in sentences, each with its kind.
        judged: the judged parts behind the results, where they were asked for.
        ties: for a run that has judged documents of equal score, the span of each measure over all orders of these,
            where it is known, computed when it is asked for: see ``coliee_ir.measures.ties``.
    """

    tag: str
    file: str
    gold: str
    task: str
    edition: int | None
    results: Mapping[Measure, Result]
    query_ids: Sequence[str]
    answered: Sequence[bool]
    counts: Mapping[str, int]
    extra: int
    others: Mapping[str, str] = field(default_factory=dict)
    other_tags: Mapping[str, str] = field(default_factory=dict)
    excluded: tuple[str, ...] = ()
    own_remarks: tuple[Remark, ...] = ()
    decisions: Decisions = field(default_factory=Decisions)
    timing: Timing = field(default_factory=Timing, compare=False)
    judged: Mapping[str, Judged] = field(default_factory=dict, repr=False)
    ties: Mapping[Measure, Span] = field(default_factory=dict, repr=False)
    has_ties: bool = False
    team: str = ""  # whose it is; empty where nothing tells it
    unique_name: str = ""  # what no other run that was scored with it is called; empty where that is its tag
    files: tuple[str, ...] = ()  # where the run lies in several
    own_name: str = ""  # what no other run of its team is called; empty where that is its tag
    schema: score_tables.Schema | None = None  # how scores were read that were not computed here

    @property
    def name(self) -> str:
        """What it is called, wherever several runs are shown: its tag, or what tells it from others of this tag."""
        return self.unique_name or self.tag

    @property
    def name_in_team(self) -> str:
        """What it is called beside its team: its tag, or what tells it from others of its team and tag."""
        return self.own_name or self.tag

    def __eq__(self, other: object) -> bool:
        """Whether both are written as the same JSON; two values that do not exist are equal."""
        return isinstance(other, Scores) and _written(self) == _written(other)

    def __hash__(self) -> int:
        return hash((self.tag, self.file))

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={value:.4f}" for name, value in self.measures.items())
        return f"Scores({self.name!r}, task={self.task!r}, {values})"

    @property
    def measures(self) -> dict[str, float]:
        """Name → value over all queries; ``math.nan`` if no query is left to form it from."""
        return {m.name: math.nan if math.isnan(result.value) else result.value for m, result in self.results.items()}

    @property
    def remarks(self) -> tuple[Remark, ...]:
        """What was noted, and which scores depend on the order of documents of equal score."""
        return (*self.own_remarks, *(self.ties.remarks() if isinstance(self.ties, Ties) else ()))

    @property
    def queries(self) -> dict[str, int]:
        """How many queries were judged, answered, unanswered, and how many of the run's are extra: not in the gold."""
        answered = sum(self.answered)
        judged = len(self.query_ids)
        return {"judged": judged, "answered": answered, "unanswered": judged - answered, "extra": self.extra}

    @property
    def per_query(self) -> dict[str, dict[str, float]]:
        """Query → name → value; a query that a measure leaves out has no value of it."""
        columns = {measure.name: result.per_query.tolist() for measure, result in self.results.items()}
        return {
            query: {name: values[i] for name, values in columns.items() if not math.isnan(values[i])}
            for i, query in enumerate(self.query_ids)
        }

    @property
    def sums(self) -> dict[str, FloatArray]:
        """Above and below the line of a micro-averaged score: what each query adds, and at the end the sums."""
        terms = {measure.name: result.summed for measure, result in self.results.items()}
        of_share = {name: summed for name, summed in terms.items() if summed is not None and summed.score is share}
        return {
            name: np.vstack((summed.each, summed.each.sum(axis=0) + summed.besides))
            for name, summed in of_share.items()
        }

    @property
    def unit(self) -> str:
        """What is scored: a query, or what the rows of a table that was read are about."""
        return "query" if self.schema is None else self.schema.unit

    def by(self, measures: Sequence[Measure], *, alone: bool = False) -> Scores:
        """A copy with some measures first, or with them alone; the first one ranks."""
        chosen = {measure: self.results[measure] for measure in measures if measure in self.results}
        schema = self.schema
        if schema is not None:
            schema = schema._replace(rivals=(), copies=tuple(copy.by(measures, alone=alone) for copy in schema.copies))
        return replace(self, results=chosen if alone else {**chosen, **self.results}, schema=schema)

    def on_gold(self, measure: str, seed: int) -> dict[str, Any]:
        """The fields that each result on their gold begins with: see ``OnGold``."""
        same = {name: getattr(self, name) for name in ("task", "edition", "gold", "decisions", "excluded")}
        return {**same, "measure": measure, "queries": len(self.query_ids), "seed": seed, "unit": self.unit}

    def tables(self) -> Sequence[Grid]:
        """The values over all queries."""
        return [as_grid([self], False)]

    def notes(self) -> Sequence[str]:
        """What was judged."""
        return [self.header()]

    def table_of_queries(self) -> Grid:
        """The values of each query."""
        return _of_queries([self])

    def span(self, measure: Measure) -> Span:
        """The value of a measure over all orders of documents of equal score; NaN where it is not known."""
        if measure in self.ties:
            return self.ties[measure]
        value = math.nan if measure.ranked and self.has_ties else self.results[measure].value
        return Span(value, value, value)

    def with_values_only(self) -> Scores:
        """A copy without values of single queries, which the table of many thousands of runs does not need."""
        results = {measure: Result(result.value, _NONE) for measure, result in self.results.items()}
        answered = _every(len(self.query_ids)) if all(self.answered) else self.answered
        return replace(self, results=results, answered=answered, judged={}, own_remarks=self.remarks, ties={})

    def header(self) -> str:
        """What was judged, in a line."""
        n = self.queries
        return f"{counted(n['judged'], self.unit)}: {n['answered']} answered, {n['unanswered']} unanswered"

    def to_dict(self, *, per_query: bool = False, ties: bool = False) -> dict[str, Any]:
        """The run as an entry of the JSON contract; a value that does not exist is null."""
        entry: dict[str, Any] = {
            "tag": self.tag,
            "name": self.name,
            "file": self.file,
            **({"files": list(self.files)} if self.files else {}),
            **self.others,
            "measures": {name: envelope.number(value) for name, value in self.measures.items()},
            "counts": dict(self.counts),
            "queries": self.queries,
        }
        if per_query:
            entry["per_query"] = self.per_query
            if unanswered := [
                q for q, is_answered in zip(self.query_ids, self.answered, strict=True) if not is_answered
            ]:
                entry["unanswered"] = unanswered
            if sums := self.sums:
                entry["sums"] = {name: rows.tolist() for name, rows in sums.items()}
        if ties:
            entry["ties"] = {
                measure.name: {name: envelope.number(value) for name, value in self.span(measure)._asdict().items()}
                for measure in self.results
            }
        entry |= as_json(self.remarks)
        return entry


def _written(scores: Scores) -> tuple[object, ...]:
    """Scores as JSON holds them, in which a value that does not exist equals itself."""
    head = (scores.task, scores.edition, scores.gold, scores.decisions, scores.excluded, scores.query_ids)
    return *head, scores.to_dict(per_query=True)


@cache
def _every(n: int) -> tuple[bool, ...]:
    """What runs that answer all queries share."""
    return (True,) * n


def place_of(scored: Sequence[Scores], name: str, called: str = "the run") -> int:
    """Where the one run of a name is: that of this tag, or of this file where no run or several have the tag."""
    places = [i for i, scores in enumerate(scored) if scores.tag == name]
    places = places or [i for i, scores in enumerate(scored) if scores.name == name]
    if len(places) != 1:  # a tag goes before a file of that name
        places = [i for i, scores in enumerate(scored) if name in (scores.file, *scores.files)] or places
    if len(places) != 1:
        tags = ", ".join(shortened(scores.name) for scores in scored)
        what = "is not a run" if not places else f"matches {len(places)} runs; name its file"
        raise UsageError("unknown-name", f"{called} {quoted(str(name))} {what}; the runs are {tags}")
    return places[0]


def _table(
    unanswered: str, lower: Sequence[str], higher: Sequence[str], only: Sequence[str], measures: str | Sequence[str]
) -> score_tables.ScoreTableBuilder:
    """The table that scores are read into."""
    from coliee_ir.scoring import score_tables  # which most commands do without

    if unanswered not in ("", *score_tables.UNANSWERED):
        problem = f"unanswered={unanswered} would compare means over different queries"
        raise UsageError("unknown-name", f"{problem}; choose one of {', '.join(score_tables.UNANSWERED)}")
    kind = "names of measures"
    directions = dict.fromkeys(texts("higher_is_better", higher, kind), False)
    for name in texts("lower_is_better", lower, kind):
        if name in directions:
            raise UsageError("option-conflict", f"less and more {shortened(name)} cannot both be better")
        directions[name] = True
    asked = texts("measures", measures, "the name of a measure, or a list of names")
    return score_tables.ScoreTableBuilder(directions, unanswered, texts("only", only, "ids of queries"), asked)


@dataclass(slots=True, eq=False, repr=False)
class Scored(TabularResult, Sequence[Scores]):
    """Runs scored on one basis: a sequence of ``Scores``, also found by run name.

    Attributes:
        scores: those of the runs that could be read, in their order.
        submissions: the run of each; None where only scores were read.
        keep: what was kept of each run; ``scores`` where these were read and nothing was judged.
    """

    scores: Sequence[Scores]
    basis: Basis
    submissions: Sequence[Submission | None]
    invalid: Sequence[Invalid] = ()
    remarks: Sequence[str] = ()
    inventory: Inventory | None = None  # all files that came in folders
    keep: Keep | Literal["scores"] = "judged"

    def __eq__(self, other: object) -> bool:
        """Whether the other holds equal scores of the same runs."""
        return isinstance(other, Scored) and list(self.scores) == list(other.scores)

    def __hash__(self) -> int:
        return hash(tuple(self.scores))

    def __repr__(self) -> str:
        return f"Scored({[scores.name for scores in self.scores[:8]]}, n={len(self)}, task={self.basis.task!r})"

    def __len__(self) -> int:
        return len(self.scores)

    @overload
    def __getitem__(self, index: int | str) -> Scores: ...
    @overload
    def __getitem__(self, index: slice) -> Scored: ...
    def __getitem__(self, index: int | str | slice) -> Scores | Scored:
        if isinstance(index, slice):
            return self.of(range(len(self))[index])
        if isinstance(index, int):
            return self.scores[index]
        try:
            return self.scores[place_of(self.scores, index)]
        except UsageError:
            raise KeyError(index) from None

    @classmethod
    def read(
        cls,
        *paths: PathLike | Source,
        columns: Mapping[str, str] | None = None,
        unanswered: Literal["", "zero", "common", "tasks"] = "",
        lower_is_better: Sequence[str] = (),
        higher_is_better: Sequence[str] = (),
        only: Sequence[str] = (),
        measures: str | Sequence[str] = (),
    ) -> Scored:
        """Scores of queries that a file holds, to compare, rank, plan and report; see ``docs/recipes.md``.

        Args:
            paths: what ``evaluate --per-query`` or trec_eval's ``-q`` writes; rows *run, query, measure, value*, or
                *run, query, correct, retrieved, relevant*; or a column a run. CSV, JSON, JSON Lines or Parquet; and
                the layouts of ``coliee_ir.scoring.readers``.
            columns: what columns are called: ``tag`` (the run), ``query``, ``measure``, ``value``, ``replicate``;
                and ``task``, whose queries are called TASK/QUERY where two tasks have one of a name.
            unanswered: of queries that some runs lack: they count ``zero``, or only those that are ``common`` to all
                runs are compared, or runs may lack whole ``tasks`` (``leaderboard``); by default they are refused.
            lower_is_better: names of measures of which less is better.
            higher_is_better: names of measures of which more is better, whose names do not show it.
            only: the queries that count.
            measures: those that are read; by default all, or those whose names are known where any is.

        Raises:
            InputError: a file does not hold scores of queries, or a value is missing, given twice, or no number.
        """
        if not paths:
            raise UsageError("no-run", "name at least one file of scores")
        table = _table(unanswered, lower_is_better, higher_is_better, only, measures)
        return cls._read([Source.of(path) for path in paths], columns, table)

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        columns: Mapping[str, str] | None = None,
        unanswered: Literal["", "zero", "common", "tasks"] = "",
        lower_is_better: Sequence[str] = (),
        higher_is_better: Sequence[str] = (),
        only: Sequence[str] = (),
        measures: str | Sequence[str] = (),
    ) -> Scored:
        """Scores of queries in a frame of pandas, polars or pyarrow, or a dictionary of columns: see ``read``."""
        return cls._read(frame, columns, _table(unanswered, lower_is_better, higher_is_better, only, measures))

    @classmethod
    def _read(cls, source: object, columns: Mapping[str, str] | None, table: score_tables.ScoreTableBuilder) -> Scored:
        from coliee_ir.scoring import readers  # which most commands do without

        of_runs, basis, of_copies = readers.read(source, checked_columns(columns), table)
        runs = []
        for tag, of_run in zip(table.runs, of_runs, strict=True):
            schema = of_run["schema"]._replace(copies=tuple(Scores(**fields) for fields in of_copies.get(tag, ())))
            runs.append(Scores(**{**of_run, "schema": schema}))
        return cls(runs, basis, [None] * len(runs), remarks=table.remarks, keep="scores")

    def of(self, places: Sequence[int]) -> Scored:
        """Some of them, in this order."""
        scores, submissions = [self.scores[i] for i in places], [self.submissions[i] for i in places]
        return replace(self, scores=scores, submissions=submissions, remarks=(), invalid=())

    @property
    def task_evidence(self) -> str:
        """What shows the task; empty where it was named."""
        return self.basis.task_evidence

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The measures that all runs have, the one that ranks first."""
        every = [scores.results for scores in self.scores]
        return tuple(measure for measure in every[0] if all(measure in results for results in every)) if every else ()

    def tables(self) -> Sequence[Grid]:
        """The runs, the best of each measure bold."""
        return [as_grid(self.scores, False)]

    def table_of_queries(self) -> Grid:
        """Each query of each run."""
        return _of_queries(self.scores)

    def to_dict(self, *, per_query: bool = False, ties: bool = False) -> dict[str, Any]:
        """The JSON of ``evaluate -f json``."""
        return document(self.scores, per_query=per_query, ties=ties)


def warn_of(scored: Iterable[Scores]) -> None:
    """Warn, once and at the line of the user's code, of the remarks that put scores in doubt."""
    first = next((filter_ for filter_ in warnings.filters if issubclass(ScoreWarning, filter_[2])), None)
    if first is not None and first[0] == "ignore" and first[1] is first[3] is None:
        return  # who silences it need not wait for what ties decide
    warn_of_doubts([f"{scores.tag}: {remark}" for scores in scored for remark in scores.remarks if remark.is_doubt])


def warn_of_doubts(doubts: Sequence[str]) -> None:
    """Warn of these at the line of the user's code, if there are any."""
    if not doubts:
        return
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).partition(".")[0] in _OURS:
        frame, level = frame.f_back, level + 1
    more = f"\n… and {len(doubts) - _WARNED} more; see the remarks" if len(doubts) > _WARNED else ""
    warnings.warn("\n".join(doubts[:_WARNED]) + more, ScoreWarning, stacklevel=level)


def every_measure(runs: Sequence[Scores]) -> list[Measure]:
    """The measures that any run has: where one has a long list and another has none, they differ."""
    return list(dict.fromkeys(measure for scores in runs for measure in scores.results))


def document(runs: Sequence[Scores], *, per_query: bool = False, ties: bool = False) -> dict[str, Any]:
    """The JSON contract: runs scored against one gold by the same rules.

    ``per_query`` (with ``unanswered`` and ``sums``) and ``ties`` only where asked for; ``excluded``, ``answers``,
    ``long_list``, ``unanswered`` and ``sums`` where there are any.
    """
    return {**preamble(runs[0]), "runs": [scores.to_dict(per_query=per_query, ties=ties) for scores in runs]}


def preamble(scores: Scores) -> dict[str, Any]:
    """What is common to all runs of an evaluation: versions, task, edition, gold, decisions."""
    return envelope.preamble(scores.task, scores.edition, scores.gold, scores.decisions.to_dict(), scores.excluded)


def as_grid(runs: Sequence[Scores], per_query: bool, *, sums: bool = False) -> Grid:
    """The scores as a table, the best of each measure bold; with ``per_query`` each query, then ``all``.

    With ``sums`` there are also what queries add to micro-averaged scores, and which measure ranks, so that the table
    can be read back.
    """
    summed = list(dict.fromkeys(name for scores in runs for name in scores.sums)) if per_query and sums else []
    added = [_added(scores, summed) for scores in runs] if summed else [[]] * len(runs)
    several_files = any(scores.name != scores.tag for scores in runs)
    measures = every_measure(runs)
    ranking: list[Cell] = [measures[0].name] if per_query and sums and len(measures) > 1 else []
    best = _best(runs, measures)
    header = ["run", *(["file"] if several_files else []), *(["query"] if per_query else [])]

    def total(i: int) -> list[Cell]:
        scores = runs[i]
        numbers: list[Cell] = [
            number_of(measure, scores.results[measure].value, top) if measure in scores.results else Number(math.nan)
            for measure, top in zip(measures, best, strict=True)
        ]
        numbers += [Number(column[-1]) for column in added[i]]
        return [
            scores.name,
            *([scores.file] if several_files else []),
            *(["all"] if per_query else []),
            *numbers,
            *ranking,
        ]

    rows = Rows(len(runs), total)
    if per_query:
        # as plain numbers until a row is written: a table of 300,000 cells took a third longer, in looking for garbage
        none = [math.nan] * max(len(scores.query_ids) for scores in runs)
        values = [
            [scores.results[measure].per_query.tolist() if measure in scores.results else none for measure in measures]
            for scores in runs
        ]
        kinds = [_count if is_count(measure) else Number for measure in measures]
        places = [(run, i) for run, scores in enumerate(runs) for i in (*range(len(scores.query_ids)), -1)]

        def row(place: int) -> list[Cell]:
            run, i = places[place]
            if i < 0:
                return total(run)
            name, query = runs[run].name, runs[run].query_ids[i]
            numbers = [kind(column[i]) for kind, column in zip(kinds, values[run], strict=True)]
            file = [runs[run].file] if several_files else []
            return [name, *file, query, *numbers, *(Number(column[i]) for column in added[run]), *ranking]

        rows = Rows(len(places), row)
    parts = [name + part for name in summed for part in PARTS]
    return Grid(
        [*header, *(measure.name for measure in measures), *parts, *["ranked_by"] * len(ranking)],
        rows,
        n_text=len(header),
    )


def _of_queries(runs: Sequence[Scores]) -> Grid:
    """The rows of queries alone."""
    table = as_grid(runs, True, sums=True)
    column = table.header.index("query")
    return replace(table, rows=[row for row in table.rows if row[column] != "all"])


def _added(scores: Scores, names: Sequence[str]) -> list[list[float]]:
    """The columns of what each query adds to micro-averaged scores, the sum last; NaN where a run has none."""
    sums, none = scores.sums, np.full((len(scores.query_ids) + 1, len(PARTS)), math.nan)
    columns: list[list[float]] = np.hstack([sums.get(name, none) for name in names]).T.tolist()
    return columns


def _count(value: float) -> Number:
    return Number(value, "" if math.isnan(value) else f"{value:.0f}")


def number_of(measure: Measure, value: float, best: str | None = None) -> Number:
    """A score as a cell; bold where it is printed as the best one is."""
    number = _count(value) if is_count(measure) else Number(value)
    return number._replace(bold=True) if best is not None and number.text == best else number


def is_count(measure: Measure) -> bool:
    """Whether a measure counts, and is no score between 0 and 1."""
    return isinstance(measure, Delegated) and measure.request.base.startswith("num_")


def _best(runs: Sequence[Scores], measures: Sequence[Measure]) -> list[str | None]:
    """For each measure the best value as printed; None where there is nothing to compare."""
    best = {m: m.best(scores.results[m].value for scores in runs if m in scores.results) for m in measures}
    return [
        number_of(m, value).text if len(runs) > 1 and not math.isnan(value) and not is_count(m) else None
        for m, value in best.items()
    ]
