"""Scores read from rows: what another program, or an earlier evaluation, computed for each query of each run.

files, a frame ──columns──▶ cells: run, query, measure ──▶ an array a measure ──▶ the Results of each run
"""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from itertools import accumulate, pairwise, repeat
from typing import Any, Final, NamedTuple

import numpy as np

from coliee_adapters import forms
from coliee_adapters.errors import ColieeError, InputError, Place, UsageError, guarded, shortened
from coliee_adapters.files.source import Kind, Source
from coliee_adapters.forms import json_text, tabular
from coliee_adapters.forms.lines import Comments, counted, is_number
from coliee_adapters.forms.vocabulary import EVERY_NAME, MEMORY, NAMES, Search, normal_name
from coliee_adapters.records import Gold
from coliee_adapters.remarks import Remark
from coliee_ir.judging.judged import FloatArray
from coliee_ir.judging.qrels import Qrels
from coliee_ir.measures import Delegated, Measure, Parts, Result, parse
from coliee_ir.measures.base import PARTS, Terms, share, topic_mean
from coliee_ir.measures.claims import PooledF1
from coliee_ir.measures.delegated import summed
from coliee_ir.measures.labels import Accuracy, LabelAccuracy
from coliee_ir.measures.sets import Micro, MicroF, MicroP, MicroR
from coliee_ir.reading.basis import Basis
from coliee_ir.rules import ALWAYS
from coliee_ir.rules.decisions import Decisions
from coliee_ir.rules.protocol import Protocol, protocol

#: role → the names of its column, in tiers; a run is also what PyTerrier calls ``name``
_TIERS: Final[Mapping[str, Sequence[frozenset[str]]]] = {
    "tag": (*NAMES["tag"], frozenset({"name", "model", "method", "agent"})),
    "query": (*NAMES["query"], frozenset({"task_id", "sample_id"})),
    "measure": (EVERY_NAME["measure"],),
    "value": (EVERY_NAME["value"], frozenset({"score"})),
}
_COUNTS: Final = ("correct", "retrieved", "relevant")

#: what benchmarks call a column that says whether a run passed, and what they write in it
_PASSED: Final = frozenset({"resolved", "passed", "pass", "solved", "success", "is_correct"})
_WORDS: Final = {"true": 1.0, "false": 0.0, "pass": 1.0, "fail": 0.0, "passed": 1.0, "failed": 0.0}

#: names of columns that golds and runs have, and of those that hold no scores
_OTHERS: Final = frozenset().union(
    *(EVERY_NAME[role] for role in ("document", "label", "answer", "relevance", "rank", "score"))
)
_IDLE: Final = frozenset({"", "file", "index", "unnamed:_0"})

#: the columns by which a log of evaluate is told from other files; people may add their own
LOG: Final = frozenset({"time", "tag", "file", "sha256", "rules"})

#: a stated score is that of its queries where it differs by rounding alone; by that to three decimals
_NEAR, _ROUNDED = 1e-9, 1e-3

_REMEDY: Final = "give rows of run, query, measure and value, as evaluate --per-query -f csv writes them"


@dataclass(frozen=True)
class Given(Measure):
    """A measure that another program computed: its score is the mean of the queries' values."""

    title: str  # what the other program calls it

    formula = "mean over queries of the values that were read"
    source = "the scores that were read"
    needs = ("scores",)

    @property
    def name(self) -> str:
        return self.title

    def compute(self, parts: Parts, decisions: Decisions) -> Result:
        raise UsageError("unfit-measure", f"{self} was read from a file of scores and cannot be computed of a run")


class Origin(NamedTuple):
    """By which rules scores were computed, as far as it is known."""

    path: str
    task: str = ""
    edition: int | None = None
    decisions: Decisions = Decisions()
    excluded: Sequence[str] = ()

    def basis(self, queries: Sequence[str], asked: Sequence[Measure]) -> Basis:
        """The basis of what was read: whatever a measure needs was there, but documents and answers."""
        qrels = dict.fromkeys((part for measure in asked for part in measure.needs), Qrels({}))
        names = tuple(measure.name for measure in asked)
        rules = Protocol(self.task, 0, ALWAYS, "scores of queries", ("scores",), names, Given.source)
        with suppress(UsageError):  # a task that is not known
            rules = protocol(self.task, self.edition)._replace(parts=("scores",), table={})
        gold, excluded = Gold(path=self.path), frozenset(self.excluded)
        return Basis(gold, rules, self.edition, self.decisions, tuple(queries), excluded, qrels, tuple(asked))


class OfRun(NamedTuple):
    """What was read of a run beside its values."""

    tag: str
    file: str
    counts: Mapping[str, int] = {}
    extra: int = 0
    unanswered: Sequence[str] | None = None  # None where the cells show it


class Read(NamedTuple):
    """What was read: the fields of the ``Scores`` of each run, where they come from, and what there is to say."""

    runs: list[dict[str, Any]]
    basis: Basis
    remarks: list[str]


class Table(NamedTuple):
    """A table by columns; ``line`` is that of a row in its file."""

    name: str
    columns: Mapping[str, Sequence[Any]]
    line: Callable[[int], int] | None = None

    def place(self, at: int) -> Place:
        """Where a row stands."""
        return Place(self.name, "row", at + 1) if self.line is None else Place(self.name, "line", self.line(at))

    def texts(self, name: str, role: str) -> list[str]:
        """The names in a column."""
        found = ["" if one is None else str(one).strip() for one in self.columns[name]]
        if "" in found:
            raise self.place(found.index("")).fault("missing-id", f"this row names no {role}", remedy="complete it")
        return found

    def numbers(self, name: str) -> FloatArray:
        """The numbers of a column, NaN for an empty cell."""
        with suppress(TypeError, ValueError):
            if np.isfinite(found := np.array(list(map(float, self.columns[name])), dtype=np.float64)).all():
                return found
        each = [_number(value) for value in self.columns[name]]
        if None in each:
            place, found_there = self.place(at := each.index(None)), str(self.columns[name][at])
            problem, remedy = f"no finite number in the column {name}", "correct it, or leave the cell empty"
            raise place.fault("bad-score", problem, found_there, remedy)
        return np.array(each, dtype=np.float64)


class Cells:
    """All cells that were read: for each column of scores, the values by run and query."""

    def __init__(self) -> None:
        self.runs: dict[str, OfRun] = {}
        self.queries: dict[str, None] = {}
        self.remarks: list[str] = []
        self.origin: Origin | None = None  # of our own JSON
        #: column → run → query → value
        self._of: defaultdict[str, defaultdict[str, dict[str, float]]] = defaultdict(lambda: defaultdict(dict))

    def add(
        self, names: Iterable[str], tags: Sequence[str], queries: Sequence[str], values: FloatArray, table: Table
    ) -> None:
        """Add a value a row; those of the query ``all`` are what a run states."""
        for tag in dict.fromkeys(tags):
            self.runs.setdefault(tag, OfRun(tag, table.name))
        self.queries |= dict.fromkeys(queries)
        for at, (name, tag, query, value) in enumerate(zip(names, tags, queries, values.tolist(), strict=False)):
            of_run = self._of[name][tag]
            if query in of_run:
                problem = f"a second {name} of this query of the run {shortened(tag)}"
                raise table.place(at).fault("duplicate", problem, query, "keep one row of each")
            of_run[query] = value

    def values(self, name: str, queries: Sequence[str]) -> FloatArray:
        """The values of a column by run and query, NaN where there is none."""
        of_runs = [self._of[name][tag] for tag in self.runs]
        return np.array([[of_run.get(query, np.nan) for query in queries] for of_run in of_runs], np.float64)

    def scored(self, path: str, unanswered: str) -> Read:
        """The runs with their results; unanswered queries count by the decision, and are refused without one."""
        queries = tuple(query for query in self.queries if query != "all")
        held = {name: (self.values(name, queries), self.values(name, ["all"])[:, 0]) for name in self._of}
        there = np.asarray(~np.isnan([values for values, _ in held.values()]).all(axis=0))
        results = [dict[Measure, Result]() for _ in self.runs]
        named = [name for name in held if not name.endswith(PARTS) and not np.isnan(held[name][0]).all()]
        for name in named:
            values, stated = held[name]
            sums = [held[name + part] for part in PARTS if name + part in held]
            if self.origin is None:
                values = self._filled(name, values, queries, "" if sums else unanswered, path)
            if (measure := _measure(name, values, stated, bool(sums))) is None:
                self.remarks.append(Remark.of("left-out.counts", file=path, measure=name, counts=", ".join(_COUNTS)))
                continue
            for at, of_run in enumerate(results):
                if not np.isnan(values[at]).all():
                    of_sums = [(each[at], over_all[at]) for each, over_all in sums]
                    of_run[measure] = _result(measure, values[at], stated[at], of_sums)
        origin = self.origin or Origin(path)
        if not (asked := list(dict.fromkeys(measure for of_run in results for measure in of_run))):
            problem = "there are no values of single queries" if not named else "these values of queries give no score"
            raise InputError("unfit-measure" if named else "no-query", path, problem, remedy=_REMEDY)
        of_all = {
            "gold": origin.path, "task": origin.task, "edition": origin.edition, "query_ids": queries,
            "excluded": tuple(sorted(origin.excluded)), "decisions": origin.decisions,
        }  # fmt: skip
        runs = []
        for run, of_run, of_queries in zip(self.runs.values(), results, there, strict=True):
            held_of_run, known = run._asdict(), run.unanswered
            del held_of_run["unanswered"]
            answered = of_queries.tolist() if known is None else [query not in known for query in queries]
            runs.append({**held_of_run, **of_all, "results": of_run, "answered": answered})
        return Read(runs, origin.basis(queries, asked), self.remarks)

    def _filled(self, name: str, values: FloatArray, queries: Sequence[str], unanswered: str, path: str) -> FloatArray:
        """The values with those that some runs lack; a query that all lack is left out of the mean."""
        empty, tags = np.isnan(values), list(self.runs)
        if (silent := empty.all(axis=1)).any():
            problem = f"the run {shortened(tags[int(silent.argmax())])} has no {name}, which others have"
            raise InputError("mixed-forms", path, problem, remedy="give every run the same measures")
        lacking = empty & ~empty.all(axis=0)
        if lacking.any() and unanswered not in ("zero", "skip"):
            (run, query), n = np.argwhere(lacking)[0].tolist(), int(lacking.sum())
            problem, cell = f"{counted(n, 'value')} of {name} missing", f"run {tags[run]}, query {queries[query]}"
            remedy = "complete the rows, or use --decision unanswered=zero"
            raise InputError("missing-key", path, problem, found=cell, remedy=remedy)
        return np.where(lacking, 0.0, values) if unanswered == "zero" else values


def _measure(name: str, values: FloatArray, stated: FloatArray, has_sums: bool) -> Measure | None:
    """The measure of a name, ours where there is one; None where the values of queries do not give its score."""
    measure = _ours(name) or Given(name)
    if isinstance(measure, Delegated) or has_sums:
        return measure
    means = np.array(list(map(topic_mean, values)))
    if isinstance(measure, Micro | PooledF1) or (abs(stated - means) > _ROUNDED).any():
        return None
    is_share = np.isin(values[~np.isnan(values)], (0.0, 1.0)).all()
    return measure if is_share or not isinstance(measure, Accuracy | LabelAccuracy) else Given(name)


@cache
def _ours(name: str) -> Measure | None:
    """The one measure that a name stands for."""
    with suppress(UsageError):
        return found[0] if len(found := parse(name)) == 1 else None
    return None


def _result(measure: Measure, per_query: FloatArray, stated: float, sums: Sequence[tuple[FloatArray, float]]) -> Result:
    if sums:
        each = np.column_stack([one for one, _ in sums])
        besides = np.nan_to_num(np.array([over_all for _, over_all in sums]) - each.sum(axis=0))
        terms = Terms(each, share, np.where(abs(besides) < _NEAR, 0.0, besides), False)
        return Result(terms.total, share(each), summed=terms)
    terms_of = summed(measure.request, per_query) if isinstance(measure, Delegated) else None
    value = topic_mean(per_query) if terms_of is None else terms_of.total
    return Result(float(stated) if abs(stated - value) < _NEAR else value, per_query, summed=terms_of)


def read(held: object, columns: Mapping[str, str], unanswered: str) -> Read:
    """The scores in a list of files, or in a frame."""
    cells, files = Cells(), held if isinstance(held, list) else []
    for source in files:
        with guarded(source.name):
            for table in _tables(source, cells):
                _add(table, columns, cells, source.stem)
    if held is not files:
        _add(Table(MEMORY, _of_frame(held)), columns, cells, "run")
    return cells.scored(files[0].name if files else MEMORY, unanswered)


def is_scores(source: Source, columns: Mapping[str, str]) -> bool:
    """Whether a file holds scores of queries, and is neither gold nor run; as its first bytes show."""
    with suppress(ColieeError, ValueError, LookupError):
        if _is_evaluation(source):
            return True
        table = next(iter(_tables(source, None)))
        names = {normal_name(name): name for name in table.columns}
        known = {role: frozenset().union(*_TIERS[role], [normal_name(columns.get(role, ""))]) for role in _TIERS}
        if names.keys() >= LOG or not names.keys() & known["query"]:
            return names.keys() >= LOG  # what a log lacks is said where it is read
        others = names.keys() - known["query"] - known["tag"]
        is_said = names.keys() & (known["measure"] | {_COUNTS[1]})
        numbers = (_number(table.columns[names[name]][0]) for name in others - _OTHERS)
        return bool(is_said) or (not _OTHERS & others and any(one is not None for one in numbers))
    return False


def _is_evaluation(source: Source) -> bool:
    """Whether it is what a command of ours wrote of runs, as JSON."""
    head = source.head() if source.kind is Kind.TEXT else b""
    return b'"coliee_ir":' in head[:99] and b'"measures":' in head


def _tables(source: Source, cells: Cells | None) -> Iterable[Table]:
    """The tables of a file by columns; without cells to add to, the first rows are enough."""
    if source.kind is Kind.TABLE:
        names = forms.parquet.names_of(source)  # which sees that it can be read
        with source.open() as stream:
            return [
                Table(source.name, _of_frame(forms.parquet.library(source.name)[1].read_table(stream, columns=names)))
            ]
    text = source.text(columns=True) if cells is not None else source.head().decode("utf-8", "replace")
    if text.lstrip().startswith(("{", "[")):
        return _of_json(text, source, cells)
    text = text[: text.rfind("\n") + 1] if cells is None and source.goes_on else text
    first = text.lstrip("\n").partition("\n")[0]
    rows = list(tabular.rows(text, source, next((one for one in "\t,;" if one in first), " "), Comments()))
    names = rows[0].values if rows else []
    tabular.check_width(rows, len(names), source)
    if len(names) == 3 and (is_number(names[2]) or "runid" in names):
        return [_of_lines(rows, source)]
    if len(rows) < 2 or len({*names}) < len(names):
        problem = "a first row with different names of columns, and rows below it, are needed"
        raise InputError("columns", source.name, problem, found=",".join(names), remedy=_REMEDY)
    by_name = zip(*(row.values for row in rows), strict=True)  # which stand first
    return [Table(source.name, {one: values for one, *values in by_name}, lambda at: rows[at + 1].number)]


def _of_json(text: str, source: Source, cells: Cells | None) -> Iterator[Table]:
    """Objects, a line each or in a list: rows, or what commands of ours write."""
    if cells is None:
        numbered: list[tuple[int, Any]] = [(1, json.JSONDecoder().raw_decode(text.lstrip("[ \n"))[0])]
    elif json_text.is_lines(text):
        numbered = [pair for some in json_text.batches(text, source.name) for pair in zip(*some, strict=True)]
    else:
        value = json_text.parse(text, source.name)
        numbered = [(1, one) for one in (value if isinstance(value, list) else [value])]
    if cells is not None and _is_evaluation(source):
        runs = ((held, run) for _, held in numbered for run in held.get("runs", [held]))
        yield from (_of_run(held, run, source, cells) for held, run in runs)
        return
    if not all(isinstance(one, dict) for _, one in numbered):
        raise InputError("structure", source.name, "this JSON does not contain rows of scores", remedy=_REMEDY)
    keys = dict.fromkeys(key for _, one in numbered for key in one)
    columns = {key: [one.get(key) for _, one in numbered] for key in keys}
    yield Table(source.name, columns, lambda at: numbered[at][0])


def _of_lines(rows: Sequence[Any], source: Source) -> Table:
    """Lines without a header: MEASURE QUERY VALUE of trec_eval, one run after another; or QUERY MEASURE VALUE."""
    first = rows[0].values
    if (at := next((at for at in (0, 1) if first[at] == "runid" or _ours(first[at])), None)) is None:
        found, remedy = rows[0].text, f"name the columns in a first row; {_REMEDY}"
        raise InputError("unknown-measure", source.name, "no column holds measures", line=1, found=found, remedy=remedy)
    # a run ends where a query follows its values over all
    ends = (one.values[1 - at] == "all" != other.values[1 - at] for one, other in pairwise(rows))
    runs = list(accumulate(ends, initial=0))
    tags = {run: row.values[2] for run, row in zip(runs, rows, strict=True) if row.values[at] == "runid"}
    kept = [(run, row) for run, row in zip(runs, rows, strict=True) if row.values[at] != "runid"]
    of = {"query": 1 - at, "measure": at, "value": 2}
    columns = {name: [row.values[place] for _, row in kept] for name, place in of.items()}
    columns["tag"] = [tags.get(run, source.stem) for run, _ in kept]
    return Table(source.name, columns, lambda place: kept[place][1].number)


def _of_frame(held: Any) -> dict[str, Sequence[Any]]:
    """The columns of a frame, of pandas, polars or pyarrow, or of a dictionary."""
    names = held if isinstance(held, Mapping) else getattr(held, "column_names", getattr(held, "columns", None))
    if names is None:
        found = type(held).__name__
        raise InputError("unknown-format", MEMORY, "this is not a table of scores", found=found, remedy=_REMEDY)
    return {str(name): getattr(held[name], "to_pylist", lambda one=held[name]: list(one))() for name in names}


def _of_run(held: Mapping[str, Any], run: Mapping[str, Any], source: Source, cells: Cells) -> Table:
    """A run of our own JSON as a table with a column a measure, in whose last row is what the run has over all."""
    if "per_query" not in run:
        problem = "this JSON contains no values of single queries"
        raise InputError("no-query", source.name, problem, remedy="write it with evaluate --per-query -f json")
    rules = held["task"], held["edition"], Decisions(**held["decisions"])
    cells.origin = cells.origin or Origin(held["gold"], *rules, held.get("excluded", ()))
    if rules != (cells.origin.task, cells.origin.edition, cells.origin.decisions):
        raise UsageError("not-comparable", f"{source.name} was scored by other rules than the first run")
    key = run["tag"] if run["tag"] not in cells.runs else run["file"]
    if key in cells.runs:
        raise InputError("duplicate", source.name, "a run appears twice", found=key, remedy="keep one of them")
    of_run = OfRun(run["tag"], run["file"], run["counts"], run["queries"]["extra"], run.get("unanswered", ()))
    cells.runs[key] = of_run
    each = {**run["per_query"], "all": run["measures"]}
    columns = {name: [one.get(name) for one in each.values()] for name in run["measures"]}
    for name, rows in run.get("sums", {}).items():
        columns |= {name + part: [row[at] for row in rows] for at, part in enumerate(PARTS)}
    return Table(source.name, {"tag": [key] * len(each), "query": list(each), **columns})


def _number(value: Any) -> float | None:
    """The number of a cell, NaN for an empty one; None for what is none."""
    text = str(value).strip().lower()
    if value is None or not text or (isinstance(value, float) and math.isnan(value)):
        return math.nan
    return float(text) if is_number(text) and math.isfinite(float(text)) else _WORDS.get(text)


def _add(table: Table, given: Mapping[str, str], cells: Cells, stem: str) -> None:
    """The cells of a table: a row a value; a column a measure, with counts or without; or a column a run."""
    names = list(table.columns)
    search = Search(names, table.name, None if table.line is None else 1)
    if {*search.normal} >= LOG and not {*search.normal} & EVERY_NAME["query"]:
        problem = "this log has one row for each run, without the scores of single queries"
        raise InputError("no-query", table.name, problem, remedy=_REMEDY)
    for role, tiers in _TIERS.items():
        if role in given:
            search.by_name(role, given[role])
        elif role != "value" or "measure" in search.roles:
            search.find(role, tiers)
    needed = ["query", *(role for role in _TIERS if role in given), *(["value"] if "measure" in search.roles else [])]
    if lacking := [role for role in needed if role not in search.roles]:
        problem, remedy = f"no column is recognised as the {lacking[0]}", search.option(lacking[0])
        raise search.fault("missing-column", problem, f"{_REMEDY}; or use {remedy}")
    of = {role: names[at] for role, at in search.roles.items()}
    queries = table.texts(of["query"], "query")
    tags = table.texts(of["tag"], "run") if "tag" in of else [stem] * len(queries)
    others = [names[at] for at in search.left(_IDLE)]
    kept = [name for name in others if any(_number(value) is not None for value in table.columns[name])]
    known = [
        name
        for name in kept
        if normal_name(name) in {*_PASSED, *_COUNTS} or _ours(name.removesuffix(PARTS[0]).removesuffix(PARTS[1]))
    ]
    if "measure" in of:
        cells.add(table.texts(of["measure"], "measure"), tags, queries, table.numbers(of["value"]), table)
    elif not kept:
        raise search.fault("unknown-format", "no column holds scores", _REMEDY)
    elif "tag" in of or known == kept:
        if lost := [name for name in others if name not in kept]:
            cells.remarks.append(Remark.of("left-out.columns", lost, file=table.name))
        for name, values in _of_counts(table, kept).items():
            cells.add(repeat(name), tags, queries, values, table)
    else:
        for name in others:  # each is a run
            cells.add(repeat("score"), [name] * len(queries), queries, table.numbers(name), table)


def _of_counts(table: Table, names: Sequence[str]) -> dict[str, FloatArray]:
    """The columns of measures; of counts the micro-averaged measures, and what each query adds to them."""
    columns = {name: table.numbers(name) for name in names}
    if not {*_COUNTS} <= {*names}:
        return columns
    each = correct, retrieved, relevant = [columns.pop(name) for name in _COUNTS]
    fits = (correct >= 0) & (correct <= np.minimum(retrieved, relevant)) & (sum(one % 1 for one in each) == 0)
    if not fits.all():
        found = ", ".join(f"{one[at := int(fits.argmin())]:g}" for one in each)
        remedy = "expected integers, 0 ≤ correct ≤ retrieved, correct ≤ relevant"
        raise table.place(at).fault("bad-cell", f"this is not {', '.join(_COUNTS)}", found, remedy)
    made: dict[str, FloatArray] = {}
    for measure in (MicroF(), MicroP(), MicroR()):
        sums = np.column_stack(measure.as_quotient(correct, retrieved, relevant))
        made |= {measure.name: share(sums), **{measure.name + part: sums[:, at] for at, part in enumerate(PARTS)}}
    return {**made, **columns}
