"""The layouts of score files, each by its name: what shows one, and which roles its columns have.

A reader declares; it never looks at values to find out what a column means. A file that no reader knows is refused with
what it lacks. To read another layout, write a function that gives a ``Table`` and its ``Roles``, and add a row.
"""

from __future__ import annotations

import fnmatch
import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import accumulate, pairwise
from pathlib import PurePath
from typing import Any, Final, TypeGuard

import numpy as np

from coliee_adapters import forms
from coliee_adapters.errors import InputError, Place, UsageError, reading_errors_as_input, shortened
from coliee_adapters.files.source import PathKind, Source
from coliee_adapters.forms import frames, json_text, tabular
from coliee_adapters.forms.lines import Comments, is_number
from coliee_adapters.forms.vocabulary import EVERY_NAME, MEMORY, NAMES, Search, normal_name
from coliee_adapters.remarks import Remark
from coliee_ir.measures.base import PARTS, share
from coliee_ir.measures.sets import MicroF, MicroP, MicroR
from coliee_ir.rules.decisions import Decisions
from coliee_ir.scoring.score_tables import (
    ALL,
    IDLE,
    REMEDY,
    TOTALS,
    CellTable,
    Origin,
    ReadScores,
    Roles,
    ScoreTableBuilder,
    is_known,
    number,
    our_measure,
)

#: the columns by which a log of evaluate is told from other files; people may add their own
LOG: Final = frozenset({"time", "tag", "file", "sha256", "options"})

_COUNTS: Final = ("correct", "retrieved", "relevant")

#: role → the names of its column, in tiers; a run is also what PyTerrier calls ``name``
_TIERS: Final[Mapping[str, Sequence[frozenset[str]]]] = {
    "tag": (*NAMES["tag"], frozenset({"name", "model", "method", "agent", "model_name", "model_id"})),
    "query": (
        *NAMES["query"],
        frozenset({"task_id", "sample_id", "task_name", "utterance_id", "item_id", "subset_of_task"}),
    ),
    "replicate": (frozenset({"replicate", "epoch", "seed", "fold", "trial", "repeat", "repetition", "attempt"}),),
    "measure": (EVERY_NAME["measure"],),
    "value": (EVERY_NAME["value"], frozenset({"score"})),
    "task": (),
}
#: names of columns that golds and runs have
_OTHERS: Final = frozenset().union(
    *(EVERY_NAME[role] for role in ("document", "label", "answer", "relevance", "rank"))
) - {"score"}

#: names of columns that hold what is known of a query, or of a run's answer, and no run's scores
_NO_RUN: Final = re.compile(
    r"(?:^|.*_)(?:id|ids|index|idx|no|nr|number|num|n|count|counts|total|year|date|seed|epoch|fold|trial|split|rank|"
    r"length|len|size|time|label|labels|gold|truth|target|expected|answer|prediction|pred|correct|votes|weight|delta|diff|difference|gain)"
    rf"|(?:num|n|is|has)_.*|{TOTALS.pattern}"
)

#: the values of JSON Lines, each with its line; of other JSON the one value
_Values = Sequence[tuple[int, Any]]


#: a layout: its name, what shows it in the first value of JSON, and what reads that value and all of them
_Reader = tuple[str, Callable[[Any], object], Callable[[Any, _Values, Source], tuple[CellTable, Roles]]]


def _table(source: Source, names: str, rows: Sequence[Sequence[Any]], lines: Sequence[int] = ()) -> CellTable:
    """A table of rows that a reader made."""
    columns = dict(zip(names.split(), zip(*rows, strict=True), strict=True)) if rows else {}
    if not rows:
        raise InputError("no-query", source.name, "there are no values of single queries", remedy=REMEDY)
    return CellTable(source.name, columns, (lambda row: lines[row]) if lines else None)


# SWE-bench: what swe-bench/experiments holds, what its harness writes of a run, and of single instances


def _swe_lists(report: Any, _: _Values, source: Source) -> tuple[CellTable, Roles]:
    named = dict.fromkeys(id_ for name, ids in report.items() if name.endswith("_ids") for id_ in ids)
    if len(named) != report["total_instances"]:
        raise InputError(
            "conflicting", source.name,
            f"total_instances is {report['total_instances']}, and the lists name {len(named)}",
            remedy="give the report with its incomplete_ids, or each instance's report.json",
        )  # fmt: skip
    rows = [(instance, float(instance in {*report["resolved_ids"]})) for instance in named]
    return _table(source, "instance resolved", rows), Roles("instance", measures=["resolved"])


def _swe_instances(instances: Any, _: _Values, source: Source) -> tuple[CellTable, Roles]:
    parents, run = ["", "", *PurePath(source.name).parts[:-1]], ""
    if len(instances) == 1 and parents[-1] in instances:  # …/MODEL/INSTANCE/report.json
        run = parents[-2]
    elif len(instances) == 1 and source.stem.startswith(next(iter(instances))):  # …/MODEL/INSTANCE.report.json
        run = parents[-1]
    rows = [(instance, float(report["resolved"]), run) for instance, report in instances.items()]
    return _table(source, "instance resolved run", rows), Roles("instance", "run" if run else "", measures=["resolved"])


# every_eval_ever, to which harnesses that evaluate language models are converted


def _every_eval(_: Any, values: _Values, source: Source) -> tuple[CellTable, Roles]:
    rows = [  # an error has no evaluation
        (record["sample_id"], record["model_id"], record["evaluation_name"], (record["evaluation"] or {}).get("score"))
        for _, record in values
    ]
    lines = [line for line, _ in values]
    return _table(source, "sample run measure value", rows, lines), Roles("sample", "run", "", "measure", "value")


# dictionaries of pytrec_eval (query → measure → value) and ranx (measure → query → value), also of several runs

#: what trec_eval tells of a run or a query in words
_TEXTS: Final = frozenset({"runid", "relstring"})


def _leaves(value: Any, *keys: str) -> Iterator[tuple[Any, ...]]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _leaves(inner, *keys, str(key))
    elif not _TEXTS & {*keys}:
        yield *keys, value


def _level_of_measures(value: Any) -> int:
    """Which of the last two levels of dictionaries in each other is that of measures; 0 for none.

    >>> _level_of_measures({"q1": {"map": 0.5}}), _level_of_measures({"map": {"q1": 0.5}})
    (-2, -3)
    """
    rows = list(_leaves(value))
    is_deep = {*map(len, rows)} in ({3}, {4})  # with the number
    return next((level for level in (-2, -3) if is_deep and all(our_measure(row[level]) for row in rows)), 0)


def _nested(dictionary: Any, _: _Values, source: Source) -> tuple[CellTable, Roles]:
    rows = list(_leaves(dictionary))
    names = "query measure" if _level_of_measures(dictionary) == -2 else "measure query"
    run = "run" if len(rows[0]) == 4 else ""
    return _table(source, f"{run} {names} value", rows), Roles("query", run, measure="measure", value="value")


def _has(*keys: str, **kinds: type) -> Callable[[Any], bool]:
    """Whether a value is an object with these keys, and these of a type."""
    return lambda value: (
        isinstance(value, dict)
        and {*keys, *kinds} <= {*value}
        and all(isinstance(value[key], kind) for key, kind in kinds.items())
    )


def _holds_objects(value: object) -> TypeGuard[Mapping[Any, Mapping[Any, Any]]]:
    """Whether it is a dictionary whose values are all dictionaries, and not empty."""
    return isinstance(value, Mapping) and bool(value) and all(isinstance(inner, Mapping) for inner in value.values())


def _is_numbered(value: Any) -> bool:
    """Whether an object holds rows with words under numbers, as pandas writes with ``orient="index"``."""
    rows = value.values() if isinstance(value, dict) and all(map(str.isdigit, value)) else ()
    return any(isinstance(row, dict) and any(isinstance(cell, str) for cell in row.values()) for row in rows)


#: layouts in JSON, by the first value
_OF_JSON: Final[Sequence[_Reader]] = (
    ("SWE-bench's report of a run", _has("total_instances", resolved_ids=list), _swe_lists),
    ("SWE-bench's report of instances",
     lambda value: _holds_objects(value) and all(map(_has(resolved=bool), value.values())), _swe_instances),
    ("every_eval_ever", _has("model_id", "sample_id", "evaluation_name", "evaluation"), _every_eval),
    ("a dictionary of pytrec_eval or ranx", _level_of_measures, _nested),
)  # fmt: skip

#: the kinds of refusals that show that a file is not meant to hold scores
_OTHER_FILES: Final = ("unknown-format", "missing-column", "columns", "structure", "syntax", "unknown-measure")
_NO_LAYOUT: Final = "this JSON is in no known layout of scores"
_CONVERT: Final = "convert it (python -m every_eval_ever convert {} --log_path PATH) and give its …_samples.jsonl"

#: what is not read: what shows it, what it is, and what to give instead
_NOT_READ: Final[Sequence[tuple[Callable[[Any], object], str, str]]] = (
    (_has(resolved=list), "SWE-bench's results.json, which name instances only where something happened to them,",
     "give the report of the run, or each instance's report.json"),
    (_has("stat_test", "model_names"), "Reports of ranx", "save each run's scores: json.dump(run.scores, …)"),
    (_has("doc_id", "filtered_resps"), "lm-eval's samples", _CONVERT.format("lm_eval")),
    (lambda value: _has(results=dict)(value) and value.keys() & {"configs", "n-shot", "versions"}, "lm-eval's results",
     _CONVERT.format("lm_eval")),
    (_has("instance_id", stats=list), "HELM's per_instance_stats", _CONVERT.format("helm")),
    (_has("title", "header", "rows"), "tables of HELM", _CONVERT.format("helm")),
    (_has("eval_id", "epoch"), "tables of Inspect's samples", _CONVERT.format("inspect")),
    (_has("eval", "status"), "logs of Inspect", _CONVERT.format("inspect")),
    (_has("task_name", "mteb_version", "scores"), "MTEB's results of one task",
     "write results.to_dataframe().to_csv(…)"),
    (_is_numbered, "the rows of a frame under their numbers", 'write to_json(path, orient="records")'),
    (_has(columns=list, data=list), "the columns and rows of a frame beside each other",
     'write to_json(path, orient="records")'),
    (_has("model_info", "evaluation_results"), "every_eval_ever's summaries", "give its …_samples.jsonl"),
)  # fmt: skip


#: what a long object of a layout has near its beginning, and keys of numbers or objects
_SIGN: Final = re.compile(
    r'"(?:resolved\w*|total_instances|patch_exists|instance_id|filtered_resps|model_names|results|mteb_version)"'
)
_KEY: Final = re.compile(r'"([^"]+)":\s*[{\d]')


def distinct_names(paths: Sequence[str]) -> list[str]:
    """A name for each file: its own, or the folder that tells them apart, as in ``bm25/eval.txt dense/eval.txt``.

    >>> distinct_names(["x/bm25/eval.txt", "x/dense/eval.txt"]), distinct_names(["a/1/s", "a/2/s", "b/1/s"])
    (['bm25', 'dense'], ['a/1/s', 'a/2/s', 'b/1/s'])
    >>> distinct_names(["bm25.map", "dense.map"]), distinct_names(["task3.ALPHA"])
    (['bm25', 'dense'], ['task3.ALPHA'])
    """
    parts = [(*PurePath(path).parts[:-1], Source(path).stem) for path in paths]
    deepest = min(map(len, parts), default=0)
    levels = [[part[-depth] for part in parts] for depth in range(1, deepest + 1)]
    if len(paths) > 1 and len({name.rpartition(".")[2] for name in levels[0]}) == 1:  # as in bm25.map, dense.map
        levels.insert(0, [name.rpartition(".")[0] or name for name in levels[0]])
    levels += [["/".join(part[-depth:]) for part in parts] for depth in range(2, deepest + 1)]
    return next((names for names in levels if len({*names}) == len(names)), list(paths))


def read(scores_of: object, columns: Mapping[str, str], scores: ScoreTableBuilder) -> ReadScores:
    """The scores in a list of files, or in a frame."""
    if not isinstance(scores_of, list):
        in_memory = Source(MEMORY)
        if _holds_objects(scores_of):
            scores.add(*_of_values([(1, scores_of)], in_memory, columns), "run")
        else:
            scores.add(*_table_by_roles(CellTable(MEMORY, _of_frame(scores_of)), in_memory, columns), "run")
        return scores.scored(MEMORY)
    tables: list[tuple[CellTable, Roles, str]] = []
    for source, name in zip(scores_of, distinct_names([file.name for file in scores_of]), strict=True):
        with reading_errors_as_input(source.name):
            tables += [(table, roles, name) for table, roles in _tables(source, columns, scores)]
    n_files = Counter(tag for table, *_ in tables for tag in {*table.columns.get("runid", ())})
    for table, roles, name in tables:  # runs of one id, as of a tool's default, are told apart by their files
        is_shared = roles.run == "runid" and any(n_files[tag] > 1 for tag in table.columns["runid"][:1])
        scores.add(table, roles._replace(run="") if is_shared else roles, name)
    if scores.pooled:
        scores.remarks.append(Remark.of("pooled-files", scores.pooled))
    return scores.scored(scores_of[0].name)


def why_no_scores(source: Source, columns: Mapping[str, str]) -> InputError | None:
    """Why a file holds no scores of queries, as its first bytes show; None where it does, or is wrong in itself."""
    try:
        next(_tables(source, columns, ScoreTableBuilder({}), is_whole=False))
    except InputError as error:
        return error if error.kind in _OTHER_FILES else None  # else the reading tells
    except (UsageError, ValueError, LookupError) as error:
        return InputError("unknown-format", source.name, str(error), remedy=REMEDY)
    return None


def _first_value(source: Source, text: str) -> Any:
    """The first value of JSON, or the first of its list; a longer one is parsed where it could be one of scores."""
    with suppress(ValueError):
        return json.JSONDecoder().raw_decode(text.lstrip("[ \r\n\t"))[0]
    if not (_SIGN.search(text) or any(map(our_measure, _KEY.findall(text)[:3]))):
        raise InputError("unknown-format", source.name, _NO_LAYOUT, remedy=REMEDY)
    value = json_text.parse(source.text(columns=True), source.name)
    return value[0] if isinstance(value, list) and value else value


def _is_evaluation(source: Source) -> bool:
    """Whether it is what a command of ours wrote of runs, as JSON."""
    head = source.head() if source.kind is PathKind.TEXT else b""
    return b'"coliee_ir":' in head[:99] and b'"measures":' in head


def _tables(
    source: Source, columns: Mapping[str, str], scores: ScoreTableBuilder, *, is_whole: bool = True
) -> Iterator[tuple[CellTable, Roles]]:
    """The tables of a file, each with the roles of its columns; of its first bytes where it is not read as a whole."""
    if source.kind is PathKind.TABLE:
        names = forms.parquet.names_of(source)  # which sees that it can be read
        with source.open() as stream:
            contents = forms.parquet.library(source.name)[1].read_table(stream, columns=names)
        yield _table_by_roles(CellTable(source.name, _of_frame(contents)), source, columns)
        return
    text = source.text(columns=True) if is_whole else source.head().decode("utf-8", "replace")
    if not text.lstrip().startswith(("{", "[")):
        table = _of_rows(source, text if is_whole or not source.has_more else text[: text.rfind("\n") + 1])
        yield _table_by_roles(table, source, columns) if isinstance(table, CellTable) else table
        return
    values: list[tuple[int, Any]]
    if not is_whole and not _is_evaluation(source):
        values = [(1, _first_value(source, text))]
    elif json_text.is_lines(text):
        values = [pair for batch in json_text.batches(text, source.name) for pair in zip(*batch, strict=True)]
    else:
        value = json_text.parse(text, source.name)
        values = [(1, record) for record in (value if isinstance(value, list) else [value])]
    if _is_evaluation(source):
        name = "what evaluate writes"
        with _going_on_as(name, source):
            runs = [(contents, run) for _, contents in values for run in contents.get("runs", [contents])]
            tables = [_of_run(contents, run, source, scores) for contents, run in runs]
        if not tables:
            raise InputError("structure", source.name, f"this begins as {name}, and holds no run", remedy=REMEDY)
        yield from tables
        return
    yield _of_values(values, source, columns)


@contextmanager
def _going_on_as(name: str, source: Source) -> Iterator[None]:
    """A block that reads what begins as something known; it is refused where it goes on otherwise."""
    try:
        yield
    except (LookupError, TypeError, AttributeError, ValueError) as error:
        problem = f"this begins as {name}, and goes on otherwise"
        raise InputError("structure", source.name, problem, found=repr(error), remedy="write it again") from None


def _of_values(values: _Values, source: Source, columns: Mapping[str, str]) -> tuple[CellTable, Roles]:
    """What the values of JSON, or dictionaries in each other, hold."""
    first = values[0][1] if values else None
    for name, _, read_layout in (reader for reader in _OF_JSON if reader[1](first)):
        with _going_on_as(name, source):
            table, roles = read_layout(first, values, source)
        return table, roles._replace(layout=name)
    _refuse(first, source.name)
    if _holds_objects(first):
        problem, remedy = "these dictionaries name no measure", 'give {"AP": {"q1": 0.5}} of each run'
        raise InputError("unknown-format", source.name, problem, found=", ".join(map(str, first)), remedy=remedy)
    if not values or not all(isinstance(record, dict) for _, record in values):
        raise InputError("structure", source.name, _NO_LAYOUT, remedy=REMEDY)
    keys = dict.fromkeys(key for _, record in values for key in record)
    by_key = {key: [record.get(key) for _, record in values] for key in keys}
    return _table_by_roles(CellTable(source.name, by_key, lambda row: values[row][0]), source, columns)


def _of_rows(source: Source, text: str) -> CellTable | tuple[CellTable, Roles]:
    """A table with a header; or lines without one, whose roles are known."""
    first = text.lstrip("\n").partition("\n")[0]
    rows = list(tabular.rows(text, source, next((name for name in "\t,;" if name in first), " "), Comments()))
    names = rows[0].values if rows else []
    tabular.check_width(rows, len(names), source)
    if len(names) == 3 and (is_number(names[2]) or _TEXTS & {*names}):
        return _of_lines(rows, source)
    if len(rows) < 2 or len({*names}) < len(names):
        raise InputError(
            "columns", source.name, "a first row with different names of columns, and rows below it, are needed",
            found=",".join(names), remedy=REMEDY,
        )  # fmt: skip
    by_name = zip(*(row.values for row in rows), strict=True)  # which stand first
    return CellTable(source.name, {name: values for name, *values in by_name}, lambda row: rows[row + 1].number)


def _of_lines(rows: Sequence[Any], source: Source) -> tuple[CellTable, Roles]:
    """MEASURE QUERY VALUE of trec_eval, one run after another; or QUERY MEASURE VALUE of ir_measures."""
    first = rows[0].values
    if (
        column := next((column for column in (0, 1) if first[column] in _TEXTS or our_measure(first[column])), None)
    ) is None:
        raise InputError(
            "unknown-measure", source.name, "no column holds measures", line=1, found=rows[0].text,
            remedy=f"name the columns in a first row; {REMEDY}",
        )  # fmt: skip
    # a run ends where a query follows its values over all; or begins with its name
    is_named_first = first[column] == "runid" and len(rows) > 1 and rows[1].values[1 - column] != ALL
    ends = (
        other.values[column] == "runid"
        if is_named_first
        else row_before.values[1 - column] == ALL != other.values[1 - column]
        for row_before, other in pairwise(rows)
    )
    runs = list(accumulate(ends, initial=0))
    tags = {run: row.values[2] for run, row in zip(runs, rows, strict=True) if row.values[column] == "runid"}
    if runs[-1] and len(tags) <= runs[-1]:
        raise InputError(
            "missing-id",
            source.name,
            f"here are {runs[-1] + 1} runs one after another, and not all have a line runid",
            remedy="give a file for each run",
        )
    of_queries = [(run, row) for run, row in zip(runs, rows, strict=True) if row.values[column] not in _TEXTS]
    places = {"query": 1 - column, "measure": column, "value": 2}
    columns = {name: [row.values[place] for _, row in of_queries] for name, place in places.items()}
    columns["runid"] = [tags.get(run, "") for run, _ in of_queries]
    table = CellTable(source.name, columns, lambda place: of_queries[place][1].number)
    return table, Roles(
        "query",
        "runid" if tags else "",
        measure="measure",
        value="value",
        layout=f"lines of {'ir_measures' if column else 'trec_eval'}",
    )


def _of_frame(frame: Any) -> dict[str, Sequence[Any]]:
    """The columns of a frame, of pandas, polars or pyarrow, or of a dictionary."""
    frame = frames.collected(frame)
    names = frame if isinstance(frame, Mapping) else getattr(frame, "column_names", getattr(frame, "columns", None))
    if names is None:
        raise InputError(
            "unknown-format", MEMORY, "this is not a table of scores", found=type(frame).__name__, remedy=REMEDY
        )
    return {str(name): getattr(frame[name], "to_pylist", lambda column=frame[name]: list(column))() for name in names}


def _of_run(
    evaluation: Mapping[str, Any], run: Mapping[str, Any], source: Source, cells: ScoreTableBuilder
) -> tuple[CellTable, Roles]:
    """A run of our own JSON as a table with a column a measure, in whose last row is what the run has over all."""
    if "per_query" not in run:
        raise InputError(
            "no-query", source.name, "this JSON contains no values of single queries",
            remedy="write it with evaluate --per-query -f json",
        )  # fmt: skip
    rules = evaluation["task"], evaluation["edition"], Decisions(**evaluation["decisions"])
    cells.origin = cells.origin or Origin(evaluation["gold"], *rules, evaluation.get("excluded", ()))
    if rules != (cells.origin.task, cells.origin.edition, cells.origin.decisions):
        raise UsageError("not-comparable", f"{source.name} was scored by other rules than the first run")
    key = run["tag"] if run["tag"] not in cells.runs else run["file"]
    if key in cells.runs:
        raise InputError("duplicate", source.name, "a run appears twice", found=key, remedy="keep one of them")
    cells.runs[key] = {**{name: run[name] for name in ("tag", "file", "counts")}, "extra": run["queries"]["extra"]}
    cells.unanswered_of[key] = run.get("unanswered", ())
    each = {**run["per_query"], ALL: run["measures"]}
    columns = {name: [values.get(name) for values in each.values()] for name in run["measures"]}
    for name, rows in run.get("sums", {}).items():
        columns |= {name + part: [row[i] for row in rows] for i, part in enumerate(PARTS)}
    table = CellTable(source.name, {"tag": [key] * len(each), "query": list(each), **columns})
    return table, Roles("query", "tag", measures=list(columns))


def _table_by_roles(table: CellTable, source: Source, named: Mapping[str, str]) -> tuple[CellTable, Roles]:
    """A table with the roles of its columns: those that their names and ``--columns`` tell."""
    if {normal_name(name) for name in table.columns} >= {"task_name"}:
        table = _of_subsets(table)
    names, normal = list(table.columns), {normal_name(name) for name in table.columns}
    search = Search(names, Place(table.name) if table.line is None else Place(table.name, "line", 1))
    if normal >= LOG and not normal & EVERY_NAME["query"]:
        problem = "this log has one row for each run, without the scores of single queries"
        raise InputError("no-query", table.name, problem, remedy=REMEDY)
    if {*named} <= {"replicate", "task"}:
        _refuse(dict.fromkeys(normal), table.name)
        if (alien := normal & _OTHERS) and not normal & {*EVERY_NAME["measure"], _COUNTS[1]}:
            remedy = f"name the columns of a table of scores: {search.option('query', 'tag')}"
            raise search.fault("unknown-format", f"its column {min(alien)} is one of golds and runs", remedy)
    patterns = {role: named[role] for role in ("query", "tag") if set(named.get(role, "")) & set("*|")}
    for role, tiers in _TIERS.items():
        if role in named and role not in patterns:
            search.by_name(role, named[role])
        elif role not in patterns and (role != "value" or "measure" in search.roles):
            search.find(role, tiers)
    by_role = {role: names[i] for role, i in search.roles.items()}
    needed = ["query", *(role for role in _TIERS if role in named), *(["value"] if "measure" in by_role else [])]
    if lacking := [role for role in needed if role not in by_role and role not in patterns]:
        problem, remedy = f"no column is recognised as the {lacking[0]}", search.option(lacking[0])
        if lacking == ["query"]:
            remedy += f"; where columns are queries (as of models × tasks): {search.option('tag', query='Task*')}"
        unnamed = "write a name above the column that has none, such as query or model; " if "" in names else ""
        raise search.fault("missing-column", problem, f"{unnamed}{REMEDY}; or use {remedy}")
    if "query" in patterns:  # a row a run
        return _transposed(
            table, _matching(search, names, patterns["query"], by_role.values()), by_role.get("tag", ""), search
        )
    ranks = dict.fromkeys(table.columns.get("ranked_by", ()))
    run, replicate, task = (by_role.get(role, "") for role in ("tag", "replicate", "task"))
    roles = Roles(by_role["query"], run, replicate, ranks=next(iter(ranks), ""), task=task)
    if "tag" in patterns:
        return table, roles._replace(runs=_matching(search, names, patterns["tag"], by_role.values()))
    if "measure" in by_role:
        return table, roles._replace(measure=by_role["measure"], value=by_role["value"])
    if "value" in by_role:
        return table, roles._replace(measures=[by_role["value"]])
    others = [names[i] for i in search.columns_without_role(IDLE)]
    numeric = [name for name in others if any(_is_number(value) for value in table.columns[name])]
    if not numeric:
        examples = [f"{name} holds {shortened(str(table.columns[name][0]))!r}" for name in others[:1]]
        written = any(re.fullmatch(r"[-+]?\d*(,\d+|[.,]?\d+\s*%)", str(table.columns[name][0])) for name in others)
        remedy = f"write numbers like 0.5, without commas and percent signs; {REMEDY}" if written else REMEDY
        raise search.fault("unknown-format", f"no column holds numbers{': '.join(['', *examples])}", remedy)
    known = [
        name for name in numeric if is_known(re.sub(r"\.(above|below)$", "", name)) or normal_name(name) in _COUNTS
    ]
    if not roles.run and not known:
        return table, roles._replace(runs=_runs(table, search, others))
    if not roles.run and len(known) < len(numeric):
        other = next(name for name in numeric if name not in known)
        problem = f"{known[0]} is a measure and {other} is not known to be one: are the columns measures or runs?"
        remedy = f"runs: {search.option(tag='*')}; measures: name the run in a column run"
        raise search.fault("ambiguous", problem, remedy)
    if {*_COUNTS} <= {*numeric}:
        table, numeric = _with_micro(table, numeric)
        roles = roles._replace(ranks="MicroF1")
    return table, roles._replace(measures=numeric)


def _is_number(value: Any) -> bool:
    """Whether a cell holds a number, or a word for one, and is not empty."""
    parsed = number(value)
    return parsed is not None and not np.isnan(parsed)


def _of_subsets(table: CellTable) -> CellTable:
    """A table of MTEB's tasks; of their splits and subsets, named after their task, where it has rows of these."""
    named = [name for name in table.columns if normal_name(name) in ("task_name", "split", "subset")]
    tasks = ["/".join(map(str, parts)) for parts in zip(*(table.columns[name] for name in named), strict=True)]
    others = {name: cells for name, cells in table.columns.items() if name not in named}
    by_task = next(cells for name, cells in table.columns.items() if normal_name(name) == "task_name")
    kind = "subset_of_task" if len({*tasks}) > len({*by_task}) else "task_name"
    return table._replace(columns={kind: tasks, **others})


def _refuse(first: Any, path: str) -> None:
    """Refuse what is known and not read, by its first value or the names of its columns."""
    for fits, what, remedy in _NOT_READ:
        if fits(first):
            raise InputError("no-query", path, f"{what} are not read", remedy=remedy)


def _matching(search: Search, names: Sequence[str], pattern: str, used: Collection[str]) -> list[str]:
    """The columns that a pattern such as ``Task*`` or ``bm25|dense`` names."""
    free = [name for name in names if name not in used]
    by_part = {part: {name for name in free if fnmatch.fnmatchcase(name, part)} for part in pattern.split("|")}
    if lacking := [part for part, matches in by_part.items() if not matches]:
        raise search.fault("missing-column", f"no column is called {lacking[0]}", "name columns that are there")
    return [name for name in free if any(name in matches for matches in by_part.values())]


def _transposed(table: CellTable, queries: Sequence[str], run: str, search: Search) -> tuple[CellTable, Roles]:
    """A table with a row a run and a column a query."""
    if not run:
        raise search.fault("missing-column", "no column is recognised as the tag", search.option("tag"))
    runs = table.texts(run, "run")
    for query in queries:
        table.numbers(query)  # which says where a cell is wrong
    return CellTable(
        table.name,
        {
            run: runs * len(queries),
            "columns": [query for query in queries for _ in runs],
            "score": [value for query in queries for value in table.columns[query]],
        },
    ), Roles("columns", run, measures=["score"])


def _runs(table: CellTable, search: Search, names: Sequence[str]) -> list[str]:
    """Columns of runs: shares under names that mean nothing else, unless it is said that they are runs."""
    unfit = {name: why for name in names if (why := _why_no_run(name, table))}
    for name, why in unfit.items():
        fit = [run for run in names if run not in unfit] or [run for run in names if run != name] or ["NAME"]
        raise search.fault(
            "ambiguous", f"without a column of runs or measures each column would be a run, and {name} {why}",
            f"name those that are runs: {search.option(tag='|'.join(fit))}",
        )  # fmt: skip
    return list(names)


def _why_no_run(name: str, table: CellTable) -> str:
    """Why a column is hardly one of a run's scores; empty where nothing speaks against it."""
    if _NO_RUN.fullmatch(normal_name(name)):
        return "is hardly one"
    with suppress(InputError):
        return "holds no shares" if ((values := table.numbers(name)[0]) < 0).any() or (values > 1).any() else ""
    return "holds no shares"


def _with_micro(table: CellTable, names: Sequence[str]) -> tuple[CellTable, list[str]]:
    """Of counts the micro-averaged measures, and what each query adds to them, in the place of the counts."""
    each = correct, retrieved, relevant = [table.numbers(name)[0] for name in _COUNTS]
    fits = (correct >= 0) & (correct <= np.minimum(retrieved, relevant)) & (sum(counts % 1 for counts in each) == 0)
    if not fits.all():
        cell = ", ".join(f"{counts[i := int(fits.argmin())]:g}" for counts in each)
        remedy = "expected integers, 0 ≤ correct ≤ retrieved, correct ≤ relevant"
        raise table.place(i).fault("bad-cell", f"this is not {', '.join(_COUNTS)}", cell, remedy)
    columns: dict[str, Sequence[float]] = {}
    for measure in (MicroF(), MicroP(), MicroR()):
        sums = np.column_stack(measure.as_quotient(correct, retrieved, relevant))
        columns |= {measure.name: share(sums).tolist()}
        columns |= {measure.name + part: sums[:, i].tolist() for i, part in enumerate(PARTS)}
    return table._replace(columns={**table.columns, **columns}), [
        *columns,
        *(name for name in names if name not in _COUNTS),
    ]
