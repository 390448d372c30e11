"""A table of scores: what another program, or an earlier evaluation, computed of each query for each run.

files, a frame ──readers──▶ rows whose columns have declared roles ──ScoreTable──▶ the Results of each run
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import chain, compress, product, repeat
from typing import Any, Final, Literal, NamedTuple

import numpy as np

from coliee_adapters.errors import InputError, Place, UsageError, listed, shortened
from coliee_adapters.forms.lines import counted, is_number
from coliee_adapters.forms.vocabulary import MEMORY, normal_name
from coliee_adapters.ids import IntArray
from coliee_adapters.records import Gold
from coliee_adapters.remarks import Remark
from coliee_ir.judging.judged import BoolArray, FloatArray
from coliee_ir.judging.qrels import Qrels
from coliee_ir.measures import Delegated, Measure, Parts, Result
from coliee_ir.measures.base import PARTS, Terms, share, topic_mean
from coliee_ir.measures.catalogue import understood
from coliee_ir.measures.claims import PooledF1
from coliee_ir.measures.delegated import summed
from coliee_ir.measures.labels import Accuracy, LabelAccuracy
from coliee_ir.measures.sets import Micro
from coliee_ir.reading.basis import Basis
from coliee_ir.rules import ALWAYS
from coliee_ir.rules.decisions import Decisions
from coliee_ir.rules.protocol import Protocol, protocol

#: what benchmarks call a score where higher is better
_KNOWN: Final = frozenset(
    {"resolved", "passed", "pass", "solved", "success", "is_correct", "correct", "score", "acc", "acc_norm", "accuracy"}
    | {"exact_match", "quasi_exact_match", "em", "f1", "pass@1"}
)
#: words in the names of measures that do not show whether lower or higher is better
_DOUBTFUL: Final = re.compile(
    r"(?:^|[_\W])(?:err|wer|cer|ter|mer|eer|fpr|fnr|(?:\w*_)?loss|nll|errors?|latency|(?:run)?times?|seconds|duration|"
    r"delay|costs?|price|usd|tokens?|steps?|turns|calls|attempts|retries|length|size|memory|perplexity|ppl|bpb|bpc|rmse|"
    r"mse|mae|mape|brier|ece|distance|divergence|regret|risk|toxicity|hallucinations?|failures?|misses|variance|std|"
    r"stderr|(?<!recip_)(?<!reciprocal_)rank|fail(?:s|ed)?|wrong|incorrect|false|invalid|mistakes?|missed|hter|"
    r"timeouts?|refus(?:als?|ed)|violations?|crash(?:es|ed)?|exceptions?|un(?:re)?solved|unanswered|penalty|p_?values?)"
    r"(?:$|[_\W\d])|^1[-_−]|誤[りっ]?率|誤答|エラー|時間"
)
#: what stands for right and wrong
_WORDS: Final = {
    **dict.fromkeys(("true", "yes", "pass", "passed", "resolved", "solved", "correct", "success"), 1.0),
    **dict.fromkeys(("false", "no", "fail", "failed", "unresolved", "unsolved", "incorrect", "failure"), 0.0),
}

#: a stated score is that of its queries where it differs by rounding alone
_NEAR: Final = 1e-9

#: what a missing value of a run means
UNANSWERED: Final = ("zero", "common", "tasks")

#: the words of what tables call a row over all queries
TOTALS: Final = re.compile(
    r"[ag]?mean|average|avg|overall|total|sum|median|std|stdev|sd|macro|micro|weighted|grand|count|min|max|平均|合計|全体"
)
#: further words in the name of such a row
_OF_ALL: Final = frozenset({"all", "q", "query", "queries", "topics", "tasks", "items", "instances", "questions"})
#: how near such a row is to the mean or the sum of the others, which may be rounded
ROUNDED: Final = 1e-3

#: the query under which a run's values over all stand
ALL: Final = "all"

#: the name under which any value of a query stands, NaN where it has none
_ANY: Final = ""

#: what the rows of a table are about, by words in the name of its column
_UNITS: Final = re.compile(r"subset|instance|task|sample|item|utterance|question|problem")


@dataclass(frozen=True)
class ExternalMeasure(Measure):
    """A measure that another program computed: its score is the mean of the queries' values."""

    title: str  # what the other program calls it
    kind: Literal["share", "count", "unbounded"] = "share"  # what its values are: from 0 to 1, integers, or neither
    lower: bool | None = False  # whether less is better; None where nobody has said

    formula = "mean over queries of the values that were read"
    source = "the scores that were read"
    needs = ("scores",)

    @property
    def name(self) -> str:
        return self.title

    @property
    def lower_is_better(self) -> bool:
        if self.lower is None:
            raise UsageError(
                "ambiguous",
                f"it is not known whether more {self.title} is better; say --lower-is-better {self.title} (in Python "
                "lower_is_better=), or --higher-is-better",
            )
        return self.lower

    def compute(self, parts: Parts, decisions: Decisions) -> Result:
        raise UsageError("unfit-measure", f"{self} was read from a file of scores and cannot be computed of a run")


@dataclass(frozen=True, slots=True)
class TableDecisions(Decisions):
    """The choices behind scores of a table: of the queries that all runs have, or where runs may lack whole tasks."""

    unanswered: Any = "common"

    def __post_init__(self) -> None:
        """Nothing to check: this choice is one of tables alone."""


class Origin(NamedTuple):
    """By which rules scores were computed, as far as it is known."""

    path: str
    task: str = ""
    edition: int | None = None
    decisions: Decisions = Decisions()
    excluded: Sequence[str] = ()

    def basis(self, queries: Sequence[str], asked: Sequence[Measure], evidence: str) -> Basis:
        """The basis of scores that were read: it has the parts that the measures need, without judgements."""
        qrels = dict.fromkeys((part for measure in asked for part in measure.needs), Qrels({}))
        rules = Protocol(
            self.task, 0, ALWAYS, "scores of queries", ("scores",), tuple(map(str, asked)), ExternalMeasure.source
        )
        with suppress(UsageError):  # a task that is not known
            rules = protocol(self.task, self.edition)._replace(parts=("scores",), table={})
        return Basis(
            Gold(path=self.path), rules, self.edition, self.decisions, tuple(queries), frozenset(self.excluded), qrels,
            tuple(asked), evidence,
        )  # fmt: skip


class Schema(NamedTuple):
    """How a run's scores were read.

    Attributes:
        unit: what the rows are about, as the table says: ``query``, ``task``, ``instance`` …
        rivals: the measures that could rank, where it is not known which does.
        columns: column without a role → for each table the queries of its rows, and their cells.
        replicate: the column of replicates, whose mean a query's value is.
        copies: the replicates, as runs of their own.
    """

    unit: str = "query"
    rivals: tuple[str, ...] = ()
    columns: Mapping[str, Sequence[tuple[Sequence[str], Sequence[Any]]]] = {}
    replicate: str = ""
    copies: tuple[Any, ...] = ()

    def groups(self, name: str) -> dict[str, str]:
        """Query → what a column says of it, which must be one thing for each; also of queries that do not count."""
        by_query: dict[str, str] = {}
        for query, cell in chain.from_iterable(zip(*each, strict=True) for each in self.columns[name]):
            text = "" if cell is None else str(cell).strip()
            if by_query.setdefault(query, text) != text:
                both = f"{shortened(by_query[query])} and {shortened(text)}"
                raise UsageError(
                    "ambiguous", f"{self.unit} {shortened(query)} has two values in the column {name}: {both}"
                )
        return {query: text for query, text in by_query.items() if text}


#: what was read: the fields of the ``Scores`` of each run, their basis, and run → the same of its replicates
ReadScores = tuple[list[dict[str, Any]], Basis, dict[str, list[dict[str, Any]]]]


class Roles(NamedTuple):
    """What the columns of a table are, by name; empty for a role that no column has."""

    query: str
    run: str = ""  # else each file is a run
    replicate: str = ""  # epoch, seed, fold
    measure: str = ""  # with ``value``: a row a value
    value: str = ""
    measures: Sequence[str] = ()  # a column a measure
    runs: Sequence[str] = ()  # a column a run, of the measure ``score``
    ranks: str = ""  # the measure that ranks, where the file states it
    layout: str = ""  # what it is called, where a reader made the columns
    task: str = ""  # whose queries are its own, where those of others are called alike


class CellTable(NamedTuple):
    """A table by columns; ``line`` is that of a row in its file."""

    name: str
    columns: Mapping[str, Sequence[Any]]
    line: Callable[[int], int] | None = None

    def place(self, row: int) -> Place:
        """Where a row stands."""
        return Place(self.name, "row", row + 1) if self.line is None else Place(self.name, "line", self.line(row))

    def texts(self, name: str, role: str) -> list[str]:
        """The names in a column."""
        names = ["" if column is None else str(column).strip() for column in self.columns[name]]
        if "" in names:
            raise self.place(names.index("")).fault("missing-id", f"this row names no {role}", remedy="complete it")
        return names

    def numbers(self, name: str) -> tuple[FloatArray, list[bool]]:
        """The numbers of a column, NaN for an empty cell; and which cells hold words, where any does."""
        cells = self.columns[name]
        with suppress(TypeError, ValueError):
            numbers = np.array(list(map(float, cells)), dtype=np.float64)
            if np.isfinite(numbers).all() and not {*map(type, cells)} & {bool, np.bool_}:
                return numbers, []
        each = [number(value) for value in cells]
        if None in each:
            row, problem = each.index(None), f"no finite number in the column {name}"
            remedy = "correct it, or leave the cell empty"
            raise self.place(row).fault("bad-score", problem, str(cells[row]), remedy)
        return np.array(each, dtype=np.float64), [str(cell).strip().lower() in _WORDS for cell in cells]


def is_total(name: str) -> bool:
    """Whether it is what tables call a row over all others, or no word at all.

    >>> is_total("Grand total"), is_total("-"), is_total("total-recall"), is_total("all_queries"), is_total("q")
    (True, True, False, True, False)
    """
    words = re.findall(r"[^\W_]+", name.lower())
    others = [word for word in words if not TOTALS.fullmatch(word)]
    return _OF_ALL.issuperset(others) and (len(others) < len(words) or not words or (len(words) > 1 and ALL in words))


class ScoreTableBuilder:
    """All cells that were read, by measure, run and query; no cell has a role that its reader did not declare.

    Args:
        lower: measure → whether less of it is better, as far as somebody said so.
        unanswered: what a missing value means; one of ``UNANSWERED``, else it is refused.
        only: the queries, where they are named.
        asked: the measures, where they are named; else all, or those that are known where any is.
    """

    def __init__(
        self,
        lower: Mapping[str, bool],
        unanswered: str = "",
        only: Collection[str] = (),
        asked: Collection[str] = (),
    ) -> None:
        self.lower, self.unanswered, self.only, self.asked = lower, unanswered, dict.fromkeys(only), asked
        self.runs: dict[str, dict[str, Any]] = {}  # the fields of its ``Scores`` besides its values
        self.unanswered_of: dict[str, Sequence[str]] = {}  # of runs whose file lists them
        self.queries: dict[str, None] = {}
        self.remarks: list[str] = []
        self.origin: Origin | None = None  # of our own JSON
        self.roles = Roles("query")  # of the first table
        self.pooled: list[str] = []  # files with other queries of runs that were read before
        self.columns: defaultdict[str, list[tuple[Sequence[str], Sequence[Any]]]] = defaultdict(list)  # without a role
        self.denied: dict[str, Remark] = {}  # measures that are not what is stated of them
        self.worded: set[str] = set()  # measures with words such as true and false among their values
        self.measures: dict[str, Measure | None] = {}  # by the names in the table
        #: measure → run → replicate, empty where there is none → query → value
        self._of: defaultdict[str, defaultdict[str, dict[str, dict[str, float]]]]
        self._of = defaultdict(lambda: defaultdict(dict))

    def add(self, table: CellTable, roles: Roles, name: str) -> None:
        """Add the rows of a table; where no column names the run, it is the one of this name."""
        if not self.runs:
            self.roles = roles
        elif roles.ranks != self.roles.ranks:  # files that state different measures state none
            self.roles = self.roles._replace(ranks="")
        queries = table.texts(roles.query, "query")
        if roles.task:
            of_tasks = list(zip(table.texts(roles.task, "task"), queries, strict=True))
            if len({*of_tasks}) > len({*queries}):
                queries = [query if query == ALL else f"{task}/{query}" for task, query in of_tasks]
        tags = table.texts(roles.run, "run") if roles.run else [name] * len(queries)
        copies = table.texts(roles.replicate, "replicate") if roles.replicate else [""] * len(queries)
        keys = list(zip(copies, queries, strict=True))
        are_others = bool(self.queries) and self.queries.keys().isdisjoint({*queries} - {ALL})
        if are_others and not roles.layout and not self.runs.keys().isdisjoint(roles.runs or tags):
            self.pooled.append(table.name)
        if roles.measure:
            self._add_values(table.texts(roles.measure, "measure"), tags, keys, table.numbers(roles.value), table)
        for measure in roles.measures:
            self._add_values(repeat(measure), tags, keys, table.numbers(measure), table)
        for run in roles.runs:
            self._add_values(repeat("score"), [run] * len(queries), keys, table.numbers(run), table)
        for column, cells in () if roles.layout else table.columns.items():
            if column not in {*roles[:5], *roles.runs} and normal_name(column) not in IDLE:
                self.columns[column].append((queries, cells))

    def _add_values(
        self,
        names: Iterable[str],
        tags: Sequence[str],
        keys: Sequence[tuple[str, str]],
        numbers: tuple[FloatArray, list[bool]],
        table: CellTable,
    ) -> None:
        """Add a value a row, by replicate and query; those of the query ``all`` are what a run states."""
        values, words = numbers
        for tag in dict.fromkeys(tags):
            self.runs.setdefault(tag, {"tag": tag, "file": table.name, "counts": {}, "extra": 0})
        self.queries |= dict.fromkeys(query for _, query in keys)
        for row, (name, tag, (copy, query), value) in enumerate(zip(names, tags, keys, values.tolist(), strict=False)):
            cells = self._of[name][tag].setdefault(copy, {})
            if query in cells:
                problem = f"a second {name} of this query of the run {shortened(tag)}"
                remedy = (
                    "keep one row of each; or name what tells repetitions apart: --columns replicate=NAME; "
                    "where these are queries of several tasks, their column: --columns task=NAME; or let each file be "
                    "a task: leaderboard --tasks file"
                )
                raise table.place(row).fault("duplicate", problem, query, remedy)
            cells[query] = value
        self.worded.update(compress(names, words))

    @property
    def unit(self) -> str:
        """What the rows are about: a query, or what the name of its column says."""
        match = _UNITS.search(normal_name(self.roles.query))
        return match[0] if match else "query"

    @cached_property
    def copies(self) -> dict[str, dict[str, None]]:
        """Run → its replicates, where it has any."""
        every = {
            run: dict.fromkeys(copy for cells in self._of.values() for copy in cells.get(run, ())) for run in self.runs
        }
        return {run: copies for run, copies in every.items() if any(copies)}

    def _values(self, name: str, queries: Sequence[str]) -> FloatArray:
        """The values of a measure by run and query, NaN where there is none; of replicates their mean."""
        values = np.full((len(self.runs), len(queries)), np.nan)
        for i, tag in enumerate(self.runs):
            cells = self._of[name].get(tag, {})
            of_run = cells.get("", {})
            if copies := self.copies.get(tag):
                missing, queries_there = 0.0 if self.unanswered == "zero" else math.nan, {*chain(*cells.values())}
                each = {query: [cells.get(copy, {}).get(query, math.nan) for copy in copies] for query in queries_there}
                of_run = {
                    query: math.fsum(missing if math.isnan(value) else value for value in values_of) / len(values_of)
                    for query, values_of in each.items()
                }
            values[i] = [of_run.get(query, math.nan) for query in queries]
        return values

    def _total(self, queries: Sequence[str], blocks: Sequence[FloatArray]) -> str:
        """A row over the others: by its name, or the last if it is the mean or the sum of the others in every run."""
        if self.origin is not None:
            return ""
        ids = [query.partition("/")[2] or query for query in queries] if self.roles.task else queries
        if total := next(compress(queries, map(is_total, ids)), ""):
            return total
        values = np.concatenate(blocks) if blocks else np.zeros((0, 0))
        others, last = values[:, :-1], values[:, -1:]
        if len(self.runs) < 2 or len(queries) < 4 or np.isnan(values).any() or (others == last).any():
            return ""
        of_others = (others.mean(axis=1, keepdims=True), others.sum(axis=1, keepdims=True))
        return queries[-1] if any(np.allclose(last, expected, rtol=ROUNDED, atol=0) for expected in of_others) else ""

    def _check_words(self, path: str, names: Sequence[str]) -> None:
        """Refuse a measure with words for right and wrong and with other numbers than 1 and 0."""
        cells = (
            (name, tag, query, value)
            for name in names if name in self.worded
            for tag, copies in self._of[name].items()
            for of_copy in copies.values() for query, value in of_copy.items()
        )  # fmt: skip
        for name, tag, query, value in cells:
            if not (value in (0.0, 1.0) or math.isnan(value) or query == ALL):
                raise InputError(
                    "mixed-forms",
                    path,
                    f"{name} holds words such as true and false, and another number than 1 and 0",
                    found=f"{value:g}: run {tag}, {self.unit} {query}",
                    remedy="write a number in every row",
                )

    def _replicates_as_runs(self) -> ScoreTableBuilder:
        """A table in which each replicate is a run."""
        table = ScoreTableBuilder(self.lower, self.unanswered, self.only, self.asked)
        table.queries, table.roles, table.measures = self.queries, self.roles, self.measures
        every = {f"{tag} {copy}": (tag, copy) for tag, copies in self.copies.items() for copy in copies}
        table.runs = {run: {**self.runs[tag], "tag": run} for run, (tag, _) in every.items()}
        for name, cells in self._of.items():
            table._of[name] |= {
                run: {"": cells[tag].get(copy, {})} for run, (tag, copy) in every.items() if tag in cells
            }
        return table

    def scored(self, path: str) -> ReadScores:
        """The runs with their results. A missing value counts as ``unanswered`` says; without that it is refused."""
        queries = [query for query in self.queries if query != ALL]
        names = self._chosen([name for name in self._of if not name.endswith(PARTS)])
        with_parts = {name + part for name in names for part in ("", *PARTS)}
        values_of = {name: self._values(name, queries) for name in self._of if name in with_parts}
        if total := self._total(queries, [values_of[name] for name in names]):
            problem = "this row is a total, and would count as a query"
            raise InputError(
                "ambiguous",
                path,
                problem,
                found=total,
                remedy=f"take it out of the file, or write {ALL} in the place of {total}",
            )
        self._check_words(path, names)
        stated = {} if self.copies else {name: self._values(name, [ALL])[:, 0] for name in self._of}
        values_of[_ANY] = np.fmax.reduce([np.full((len(self.runs), len(queries)), np.nan), *values_of.values()])
        whole = [name for name in names if name != "num_q" and np.isnan(values_of[name]).all()]
        if whole and len(whole) < len(names):
            self.remarks.append(Remark.of("left-out.totals", whole, file=path))
        names = [name for name in names if not np.isnan(values_of[name]).all()]
        if self.origin is None:
            queries = self._completed(path, queries, names, values_of, stated)
        results = [dict[Measure, Result]() for _ in self.runs]
        for name in names:
            values = values_of[name]
            sums = [(values_of[name + part], stated[name + part]) for part in PARTS if name + part in values_of]
            if name not in self.measures:
                self.measures[name] = self._measure(name, values, bool(sums), path)
            if (measure := self.measures[name]) is None:
                continue
            for i, of_run in enumerate(results):
                if not np.isnan(values[i]).all():
                    of_sums = [(each[i], over_all[i]) for each, over_all in sums]
                    # tools round what they state
                    over_all = stated[name][i] if name in stated and not self.roles.layout else math.nan
                    of_run[measure] = _result(measure, values[i], over_all, of_sums)
        measures = list(dict.fromkeys(measure for of_run in results for measure in of_run))
        if not measures:
            problem = "there are no values of single queries" if not names else "these values of queries give no score"
            why = next((": " + str(remark).removeprefix(f"{path}: ") for remark in self.denied.values()), "")
            raise InputError(
                "unfit-measure" if names else "no-query", path, problem + why,
                remedy="take out rows over all, if these are means of tasks" if why and ALL in self.queries else REMEDY,
            )  # fmt: skip
        if unscored := next(compress(self.runs, [not of_run for of_run in results]), ""):
            raise InputError(
                "mixed-forms", path,
                f"the run {shortened(unscored)} has no {measures[0]}, which others have, nor any other measure",
                remedy="give every run the same measures",
            )  # fmt: skip
        rivals = self._rivals(measures)
        if len(rivals) == 1:  # it ranks, and stands first
            measures = list(dict.fromkeys([*rivals, *measures]))
            results = [{measure: of_run[measure] for measure in measures if measure in of_run} for of_run in results]
        self._remark_directions(measures, rivals)
        decisions = Decisions() if self.unanswered in ("", "zero") else TableDecisions(unanswered=self.unanswered)
        origin = self.origin or Origin(path, decisions=decisions)
        schema = Schema(
            self.unit, () if len(rivals) == 1 else tuple(measure.name for measure in rivals or measures),
            self.columns, self.roles.replicate,
        )  # fmt: skip
        of_all = {
            "gold": origin.path, "task": origin.task, "edition": origin.edition, "query_ids": tuple(queries),
            "excluded": tuple(sorted(origin.excluded)), "decisions": origin.decisions, "schema": schema,
        }  # fmt: skip
        runs = []
        for (key, run), of_run, of_queries in zip(self.runs.items(), results, ~np.isnan(values_of[_ANY]), strict=True):
            unanswered = self.unanswered_of.get(key)
            answered = of_queries.tolist() if unanswered is None else [query not in unanswered for query in queries]
            runs.append({**run, **of_all, "results": of_run, "answered": answered})
        copies: dict[str, list[dict[str, Any]]] = {}
        if self.copies:
            single = iter(self._replicates_as_runs().scored(path)[0])
            copies = {tag: [next(single) for _ in of] for tag, of in self.copies.items()}
        return runs, origin.basis(queries, measures, self._reading_summary(queries, measures)), copies

    def _chosen(self, names: list[str]) -> list[str]:
        """The measures that are read: those that are asked for; else those that are known, where any of them ranks."""
        named = {*self.asked, *(our_measure(name) for name in self.asked)} - {None}
        known = [name for name in names if (is_known(name) if not named else {name, our_measure(name)} & named)]
        are_counts = not named and all(needs_naming(our_measure(name) or ExternalMeasure(name)) for name in known)
        return names if self.origin is not None or are_counts or not known else known

    def _reading_summary(self, queries: Sequence[str], measures: Sequence[Measure]) -> str:
        """As what the scores were read, in a line."""
        roles, files = self.roles, {run["file"] for run in self.runs.values()}
        of_run = roles.run or ("columns" if roles.runs else "a file each" if len(files) > 1 else "")
        run, query = (f" ({column})" if column and not roles.layout else "" for column in (of_run, roles.query))
        each = dict.fromkeys(map(len, self.copies.values()))
        averaged = f"({roles.replicate}, averaged; see --replicates)"
        copies = f" × {' or '.join(map(str, each))} replicates {averaged}" if each else ""
        names = [measure.name for measure in measures]
        read = {"num_q", *names, *(name for name in self._of if name.endswith(PARTS) or our_measure(name) in measures)}
        layout = f" ({roles.layout})" if roles.layout else ""
        unused = [name for name in dict.fromkeys([*self.columns, *self._of]) if name not in read]
        return (
            f"{counted(len(self.runs), 'run')}{run} × {counted(len(queries), self.unit)}{query}{copies}"
            f", {'measure' if len(names) == 1 else 'measures'} {listed([*map(shortened, names)], 3)}"
            f"{f'; not read as scores: {listed([*map(shortened, unused)], 9)}' if unused else ''}{layout}"
        )

    def _remark_directions(self, measures: Sequence[Measure], rivals: Sequence[Measure]) -> None:
        """Refuse directions of measures that are not there; say which are taken for granted."""
        external = [measure for measure in measures if isinstance(measure, ExternalMeasure)]
        if unknown := [name for name in self.lower if name not in [measure.title for measure in external]]:
            names = listed([shortened(measure.name) for measure in measures], 9)
            why = "it is known" if our_measure(unknown[0]) in measures else f"the measures that were read are {names}"
            raise UsageError("unknown-name", f"no direction can be stated of {shortened(unknown[0])}: {why}")
        used = [measure for measure in external if measure.title in self.asked or rivals == [measure]]
        if assumed := [measure.title for measure in used if measure.lower is False and measure.title not in self.lower
                     and not is_known(measure.title)]:  # fmt: skip
            self.remarks.append(Remark.of("assumed-direction", assumed))

    def _rivals(self, measures: Sequence[Measure]) -> list[Measure]:
        """The measures that could rank; one where that is known: by the task, by the file, or by its name."""
        if self.origin is not None and self.origin.task:
            return list(measures[:1])
        if stated := [measure for measure in measures if measure.name == self.roles.ranks]:
            return stated
        scores = [measure for measure in measures if not needs_naming(measure)]
        return [measure for measure in scores if is_known(measure.name)] or scores

    def _completed(
        self,
        path: str,
        queries: list[str],
        names: Sequence[str],
        values_of: dict[str, FloatArray],
        stated: Mapping[str, FloatArray],
    ) -> list[str]:
        """Fill in the values that are missing, where it is known what they are; the queries that are kept."""
        queries = self._with_zeros(path, queries, names, values_of, stated)
        if self.only:
            unknown = [query for query in self.only if query not in self.queries]
            if unknown:
                raise UsageError("unknown-query", f"there are no scores of the query {shortened(unknown[0])}")
            _take(values_of, [queries.index(query) for query in self.only])
            queries = list(self.only)
        is_kept = np.ones(len(queries), dtype=np.bool_)
        for name in names:
            values, has_sums = values_of[name], any(name + part in values_of for part in PARTS)
            empty = np.isnan(values) & ~np.isnan(values).all(axis=1, keepdims=True)  # or the run is without the measure
            lacking = empty & ~np.isnan(values).all(axis=0)
            if not lacking.any() or has_sums:
                continue
            if self.unanswered == "zero" and self.lower.get(name):
                problem = f"a missing {name} is not 0, which would be the best that there is"
                raise UsageError("option-conflict", f"{problem}: leave unanswered=zero out, or compare common queries")
            if self.unanswered in ("zero", "tasks"):
                values_of[name] = np.where(lacking, 0.0, values)
            elif self.unanswered == "common":
                is_kept &= ~lacking.any(axis=0)
            else:
                raise self._hole_error(path, name, lacking, queries)
        if not is_kept.all():
            if not is_kept.any():
                raise InputError("no-query", path, "no query has a value of every run", remedy="leave out a run")
            self.remarks.append(Remark.of("common-queries", n=int(is_kept.sum()), all=len(is_kept)))
            _take(values_of, np.flatnonzero(is_kept))
            queries = list(compress(queries, is_kept))
        return queries

    def _hole_error(self, path: str, name: str, lacking: BoolArray, queries: Sequence[str]) -> InputError:
        """What is wrong where some runs lack values: how many queries are common, and which run costs most of them."""
        tags = list(self.runs)
        run, query = np.argwhere(lacking)[0].tolist()
        complete, n_lacking = int((~lacking.any(axis=0)).sum()), lacking.sum(axis=0)
        # common to all runs but this one
        without = [int((n_lacking == lacks).sum()) for lacks in lacking.astype(np.int64)]
        costly = int(np.argmax(without))
        common = f"{complete} of {counted(len(queries), self.unit)} that all runs have"
        if without[costly] > complete:
            common += f" ({without[costly]} without {shortened(tags[costly])})"
        way = 'unanswered="{0}"' if path == MEMORY else '--decision unanswered={0} (in Python unanswered="{0}")'
        on_common = f"compare the runs on the {common}: {way.format('common')}"
        counted_as_0 = "" if self.lower.get(name) else f"count them: {way.format('zero')}; or "
        remedy = f"complete the rows; or {counted_as_0}"
        return InputError(
            "missing-key", path, f"{counted(int(lacking.sum()), 'value')} of {name} missing",
            found=f"run {tags[run]}, {self.unit} {queries[query]}",
            remedy=remedy + (on_common if complete else f"write ids alike, as no {self.unit} has a value of every run"),
        )  # fmt: skip

    def _with_zeros(
        self,
        path: str,
        queries: list[str],
        names: Sequence[str],
        values_of: dict[str, FloatArray],
        stated: Mapping[str, FloatArray],
    ) -> list[str]:
        """Count a missing query as 0 where the score that the run states over all queries counts it."""
        n_q = stated.get("num_q", np.full(len(self.runs), np.nan))
        zeros: dict[tuple[str, int], int] = {}
        are_means = [name for name in names if name in stated and not is_summed(our_measure(name))
                     and not any(name + part in values_of for part in PARTS)]  # fmt: skip
        for name, i in product(are_means, range(len(self.runs))):
            values, total = values_of[name][i], float(stated[name][i])
            if n := 0 if math.isnan(total) else counted_in(values, total, n_q[i]):
                zeros[name, i] = n - int((~np.isnan(values)).sum())
            elif not math.isnan(total):
                fields: dict[str, Any] = {"measure": name, "stated": f"{total:g}", "mean": f"{topic_mean(values):.4f}"}
                self.denied[name] = Remark.of("left-out.stated", file=path, run=list(self.runs)[i], **fields)
        zeros = {key: n for key, n in zeros.items() if n and key[0] not in self.denied}
        is_named = ~np.isnan(values_of[_ANY]).all(axis=0)
        lacking = {key: np.isnan(values_of[key[0]][key[1]]) & is_named for key in zeros}
        besides = max((n - int(lacking[key].sum()) for key, n in zeros.items()), default=0)
        if besides > 0:  # queries that no run answers
            _take(values_of, [*range(len(queries)), *[-1] * besides])
            queries = [*queries, *(f"unanswered-{i + 1}" for i in range(besides))]
        for (name, i), n in zeros.items():
            empty = np.isnan(values_of[name][i])
            if int(empty.sum()) != n:
                raise InputError(
                    "conflicting",
                    path,
                    f"the run {shortened(list(self.runs)[i])} counts {n} unanswered queries in its {name}, "
                    f"and lacks {int(empty.sum())} of those that the files name",
                    remedy="give scores of runs on the same queries",
                )
            values_of[name][i] = np.where(empty, 0.0, values_of[name][i])
        if zeros:
            self.remarks.append(Remark.of("counted-unanswered", list(dict.fromkeys(
                f"{list(self.runs)[i]}: {n}" for (_, i), n in zeros.items()))))  # fmt: skip
        return queries

    def _measure(self, name: str, values: FloatArray, has_sums: bool, path: str) -> Measure | None:
        """The measure of a name, ours where there is one; None where the values of queries do not give its score."""
        measure = our_measure(name)
        present = values[~np.isnan(values)]
        beyond = {run: row for run, row in zip(self.runs, values, strict=True) if ((row < 0) | (row > 1)).any()}
        if beyond and is_known(name) and not is_summed(measure) and normal_name(name) not in ("score", "utility"):
            examples = [f"{shortened(run)} {np.nanmin(row):g} to {np.nanmax(row):g}" for run, row in beyond.items()]
            if (values[[run not in beyond for run in self.runs]] > 0).any():
                raise InputError(
                    "mixed-forms", path, f"{name} is from 0 to 1, but not in all runs", found=listed(examples, 3),
                    remedy="write the values of all runs as shares, or take these runs out",
                )  # fmt: skip
            self.remarks.append(Remark.of("beyond-share", examples, measure=name))
        if measure is None or (
            isinstance(measure, Accuracy | LabelAccuracy) and not has_sums and not np.isin(present, (0.0, 1.0)).all()
        ):
            is_share = bool((present >= 0).all() and (present <= 1).all())
            kind: Any = "share" if is_share else "unbounded" if (present % 1).any() else "count"
            lower = self.lower.get(name, None if _DOUBTFUL.search(normal_name(name)) else False)
            measure = ExternalMeasure(name, kind, lower)
        if has_sums or is_summed(measure):
            if has_sums or not isinstance(measure, Micro | PooledF1):
                return measure
            why = Remark.of("left-out.counts", file=path, measure=name, counts="correct, retrieved, relevant")
            self.denied[name] = why
        if name in self.denied:
            self.remarks.append(self.denied[name])
            return None
        return measure


def _take(cells: dict[str, FloatArray], places: Sequence[int] | IntArray) -> None:
    """Give cells other columns: those at some places, and empty ones where a place is -1."""
    columns = np.asarray(places)
    cells |= {name: np.where(columns < 0, np.nan, values[:, columns]) for name, values in cells.items()}


#: names of columns that hold no scores
IDLE: Final = frozenset({"", "file", "index", "unnamed:_0", "ranked_by"})

#: what a table of scores is, for those who gave something else
REMEDY: Final = "give rows of run, query, measure and value, as evaluate --per-query -f csv writes them"


def number(value: Any) -> float | None:
    """The number of a cell, NaN for an empty one; None for what is none."""
    text = str(value).strip().lower()
    if value is None or not text or (isinstance(value, float) and math.isnan(value)):
        return math.nan
    return float(text) if is_number(text) and math.isfinite(float(text)) else _WORDS.get(text)


@cache
def our_measure(name: str) -> Measure | None:
    """The one measure that a name stands for; another tool's word for one only where that leaves no doubt."""
    with suppress(UsageError):
        if len(measures := understood(name)) == 1:
            is_sure = measures[0].name == name or not (is_summed(measures[0]) or _DOUBTFUL.search(normal_name(name)))
            return measures[0] if is_sure else None
    return None


def is_known(name: str) -> bool:
    """Whether a measure is one of ours, or has a name that all benchmarks use in one sense."""
    return our_measure(name) is not None or normal_name(name).partition("/")[0] in _KNOWN


def needs_naming(measure: Measure) -> bool:
    """Whether a measure counts, so that nobody ranks runs by it without saying so."""
    if isinstance(measure, Delegated):
        return measure.request.base.startswith("num_")
    return isinstance(measure, ExternalMeasure) and measure.kind == "count" and not is_known(measure.title)


def is_summed(measure: Measure | None) -> bool:
    """Whether a score is no mean of the queries' values."""
    if isinstance(measure, Delegated):
        return measure.request.base.startswith(("num_", "gm_"))
    return isinstance(measure, Micro | PooledF1)


def _half_last_decimal(written: FloatArray) -> float:
    """Half of the last decimal of numbers that were rounded; 0 of others."""
    decimals = (n for n in range(3, 9) if (abs(written * 10**n - np.round(written * 10**n)) < 1e-6).all())
    return next((0.5001 * 10.0**-n for n in decimals), 0.0)


def counted_in(values: FloatArray, stated: float, n_stated: float) -> int:
    """Of how many queries a stated score is the mean; 0 where no whole number of unanswered ones explains it."""
    present = values[~np.isnan(values)]
    n, total = len(present), float(present.sum())
    near = max(
        _half_last_decimal(present) + _half_last_decimal(np.array([stated])), _NEAR
    )  # both were rounded as they are written
    tried = [*([] if math.isnan(n_stated) else [int(n_stated)]), n, *([round(total / stated)] if stated else [])]
    return next((tried_n for tried_n in tried if tried_n >= n > 0 and abs(total / tried_n - stated) <= near), 0)


def _result(measure: Measure, per_query: FloatArray, stated: float, sums: Sequence[tuple[FloatArray, float]]) -> Result:
    if sums:
        each = np.column_stack([values for values, _ in sums])
        besides = np.nan_to_num(np.array([over_all for _, over_all in sums]) - each.sum(axis=0))
        terms = Terms(each, share, np.where(abs(besides) < _NEAR, 0.0, besides), False)
        return Result(terms.total, share(each), summed=terms)
    terms_of = summed(measure.request, per_query) if isinstance(measure, Delegated) else None
    value = topic_mean(per_query) if terms_of is None else terms_of.total
    return Result(float(stated) if abs(stated - value) < _NEAR else value, per_query, summed=terms_of)
