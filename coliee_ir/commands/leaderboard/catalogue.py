"""The leaderboard with its tables by name: of runs, of the data of a task, and of how hard questions are by kind."""

from __future__ import annotations

import math
import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Final, NamedTuple

import numpy as np

from coliee_adapters.checked import suggesting_keywords, texts
from coliee_adapters.errors import InputError, UsageError, listed
from coliee_adapters.files.source import PathLike, Source
from coliee_adapters.forms.lines import counted
from coliee_adapters.forms.vocabulary import MEMORY
from coliee_adapters.records import Gold, normal_id
from coliee_adapters.remarks import Remark, as_json
from coliee_ir.commands.leaderboard.board import Entry, Ranking, brief
from coliee_ir.inbox.corpora import listed_ids, read_corpus
from coliee_ir.inbox.sheets import read_sheet
from coliee_ir.judging.judged import BoolArray, FloatArray
from coliee_ir.measures import Measure
from coliee_ir.measures.labels import Accuracy
from coliee_ir.output.envelope import preamble
from coliee_ir.output.grid import Cell, Grid, Number, distinct, html, in_html, latex, records, separated, whole
from coliee_ir.output.rendering import Forms, TabularResult, jsonable
from coliee_ir.output.webpage import Section, page
from coliee_ir.reading.submission import Invalid
from coliee_ir.rules.protocol import protocol

#: the cell of a run in a column
_Column = Callable[[Entry], Cell]


def ranking(board: Ranking) -> Grid:
    """The runs in their places, with the ranks that they may have, and intervals."""
    who, ends, (first, *others) = name_columns(board), bounds(board), scored(board).items()
    elsewhere = {} if board.tasks is None else board.tasks.other_tasks
    ranks: dict[str, _Column] = {
        "rank": lambda entry: _whole(entry.place), f"rank {board.percent}": lambda entry: str(entry.ranks),
        **({"other tasks": lambda entry: str(elsewhere.get(entry.name, "-"))} if elsewhere else {}),
    }  # fmt: skip
    return Grid.of(
        board.entries, {**ranks, **who, **dict([first]), **ends, **dict(others)}, _caption(board), len(ranks) + len(who)
    )


def name_columns(board: Ranking) -> dict[str, _Column]:
    """Heading → cell of what a run is called, and what the list of teams says of it."""
    team: dict[str, _Column] = {"team": _team} if any(run.team for run in board.entries) else {}
    return {**team, "run": _run, **teams_file_columns(board)}


def _team(entry: Entry) -> str:
    return brief(entry.team)


def _run(entry: Entry) -> str:
    return brief(entry.scores.name_in_team)


def teams_file_columns(board: Ranking) -> dict[str, _Column]:
    """Heading → cell of the further columns of the list of teams."""
    table = board.protocol.table
    taken = [*_own(board), *table, *table.values()]
    names = () if board.teams is None else distinct(board.teams.columns, taken)
    return {name: lambda entry, i=i: entry.more[i] if entry.more else "" for i, name in enumerate(names)}  # type: ignore[misc]


def _own(board: Ranking) -> list[str]:
    """The headings and columns that are not those of measures, tasks or the list of teams."""
    names = ("place", "team", "file", "run", "returned", "correct", "right", "ranks", "interval", "rank", "other tasks")
    with_level = (f"{heading} {board.percent}" for heading in ("rank", "low", "high", "Rank", "Interval"))
    return [*names, *map(str.capitalize, names), *with_level]


def _called(board: Ranking) -> list[str]:
    """How the columns of the measures are called."""
    return distinct([measure.name for measure in board.measures], [*_own(board), *teams_file_columns(board)])


def scored(board: Ranking, decimals: int = 4) -> dict[str, _Column]:
    """Heading → cell of the measures, the best value of the ranked runs bold."""

    def cell(measure: Measure, best: str) -> _Column:
        def of(entry: Entry) -> Number:
            value = entry.scores.results[measure].value if measure in entry.scores.results else math.nan
            return Number(value, "" if math.isnan(value) else f"{value:.{decimals}f}", bold=Number(value).text == best)

        return of

    columns_of_measures: dict[str, _Column] = {}
    for name, measure in zip(_called(board), board.measures, strict=True):
        values = [result.value for result in board.results(measure, counted=True)]
        best = measure.best(values) if len(values) > 1 else math.nan
        columns_of_measures[name] = cell(measure, "" if math.isnan(best) else Number(best).text)
    return columns_of_measures


def bounds(board: Ranking) -> dict[str, _Column]:
    """Heading → cell of the ends of the interval."""
    percent = board.percent
    return {
        f"low {percent}": lambda entry: Number(entry.interval.low),
        f"high {percent}": lambda entry: Number(entry.interval.high),
    }


#: so many excluded queries are named
_EXCLUDED: Final = 5


def _caption(board: Ranking) -> str:
    breaking = [measure.name for measure in board.measures[1:] if measure.name in board.protocol.tie_break]
    ties = f", ties broken by {', '.join(breaking)}" if breaking else ""
    groups = f" in {counted(board.groups, 'group')}" if board.groups else ""
    groups += f" of {len(board.tasks.names)} tasks that count the same" if board.tasks else ""
    runs = counted(len(board.counted), "system" if board.replicates else "run")
    less = ", less is better" * board.ranking.lower_is_better
    queries = counted(len(board.queries), board.unit)
    queries += f" (excluded: {listed(board.excluded, _EXCLUDED)})" * bool(board.excluded)
    head = f"{runs} ranked by {board.ranking}{less}{ties}; {queries}{groups}, {board.percent} intervals."
    return f"{head} {board.best[:1].upper()}{board.best[1:]}.".removesuffix(" .")


def results(board: Ranking, style: str = "") -> Grid:
    """Scores of each run (Tables 1, 5, 6, 8, 11 and 13 of the 2021 overview), in columns as the organisers have them.

    Of documents ``returned`` are all and ``correct`` the relevant ones; of answers ``correct`` are the right ones; of
    both together (Task 3 from 2026 on) ``right`` counts questions. Beside their columns stand the place, measures that
    they leave out, the ranks that a run may have, and the interval. In the style ``coliee2021`` the table is theirs
    alone: the baseline first, with their decimals.
    """
    is_theirs = style == "coliee2021"
    entries = [entry for entry in board.entries if not (is_theirs and entry.status)]
    decimals = board.protocol.decimals if is_theirs else 4
    cells: dict[str, _Column] = {
        "place": lambda entry: str(entry.place or "–"), "team": _team,
        "file": lambda entry: brief(entry.tag if entry.file == MEMORY else re.split(r"[/\\]", entry.file)[-1]),
        "run": _run, **teams_file_columns(board),
        "returned": lambda entry: "" if board.main == "answers" else _count(entry, "retrieved"),
        "correct": lambda entry: _count(entry, "correct"), "right": lambda entry: _right(board, entry),
        **scored(board, decimals),
        "ranks": lambda entry: entry.status or str(entry.ranks), "interval": _interval,
    }  # fmt: skip
    headed = columns(board, is_theirs=is_theirs)
    n_text = sum(column in (*_TEXTS, *teams_file_columns(board)) for column in headed.values())
    in_columns = {heading: cells.get(column, lambda _: "") for heading, column in headed.items()}
    table = Grid.of(entries, in_columns, _caption(board), n_text)
    rows = [*table.rows]
    if (baseline := majority(board)) is not None:
        label, is_right = baseline
        right, share = int(is_right.sum()), float(is_right.mean())
        text = f"{'Yes' if label == 'Y' else 'No'} {right}/All {len(board.queries)}" if is_theirs else str(right)
        called: dict[str, Cell] = {"place": "–", "run": "BaseLine" if is_theirs else f"baseline (all {label})"}
        called |= {"correct": Number(right, text), board.ranking.name: Number(share, f"{share:.{decimals}f}")}
        rows.insert(0 if is_theirs else len(rows), [called.get(column, "") for column in headed.values()])
    return replace(table, rows=rows).part([i for i in range(len(headed)) if any(row[i] for row in rows)])


def _interval(entry: Entry) -> str:
    low, high = entry.interval
    return "" if math.isnan(low) else re.sub(r"\b0\.", ".", f"[{low:.3f}, {high:.3f}]")


#: the columns at the left: who a run is
_TEXTS: Final = ("place", "team", "file", "run")

#: how measures are headed that are called otherwise for single questions
_MEANS: Final = {"AP": "MAP", "map": "MAP", "recip_rank": "MRR"}


def columns(board: Ranking, *, is_theirs: bool = False) -> dict[str, str]:
    """Heading → column of the results: those of the organisers' table, then ours; names before numbers."""
    theirs, percent = board.protocol.table, board.percent
    names = _called(board)
    heads = [_MEANS.get(name, short(name)) for name in names]
    counts = {} if theirs else {"Returned": "returned", "Correct": "correct", "Right": "right"}
    further = {name: name for name in teams_file_columns(board)}
    ours = {"Place": "place", "Team": "team", "Run": "run", **further, **counts}
    for head, name in zip(heads, names, strict=True):
        ours[name if heads.count(head) > 1 or head in {**theirs, **ours} else head] = name
    ours |= {f"Rank {percent}": "ranks", f"Interval {percent}": "interval"}
    if is_theirs:
        left_out = {*ours.values()} - {*further} if theirs else {"place", "ranks", "interval"}
        ours = {heading: column for heading, column in ours.items() if column not in left_out}
    columns = {**theirs, **{heading: column for heading, column in ours.items() if column not in theirs.values()}}
    left = [*_TEXTS, *further]
    order = {column: i for i, column in enumerate(left)}
    return dict(sorted(columns.items(), key=lambda item: order.get(item[1], len(left))))


def _count(entry: Entry, name: str) -> Cell:
    return _whole(entry.scores.counts[name]) if entry.scores.counts else ""


def _right(board: Ranking, entry: Entry) -> Cell:
    """How many questions are right, of documents and answers together."""
    if board.main == "answers" or not (entry.scores.counts and isinstance(board.ranking, Accuracy)):
        return ""
    return _whole(round(float(np.nansum(entry.scores.results[board.ranking].per_query))))


def approaches(board: Ranking) -> Grid:
    """What the system descriptions say (Table 4): a row for the runs of a team of which they say the same."""
    if not board.described:
        raise UsageError("no-result", "no system description came with the runs")
    with_teams = any(entry.team for entry in board.entries)
    runs: dict[tuple[str, ...], list[str]] = {}
    for entry in board.entries:
        if (description := board.description(entry)) is not None:
            name = _run(entry)
            texts = (
                " ".join(text.split()) or "-"
                for text in (description.models, description.resources, description.explanation)
            )
            runs.setdefault((_team(entry) or f"\0{name}", *texts), []).append(name)
    columns: dict[str, Callable[[tuple[tuple[str, ...], list[str]]], Cell]] = {
        **({"team": lambda row: row[0][0].partition("\0")[0]} if with_teams else {}),
        "runs": lambda row: ", ".join(row[1]),
        "models": lambda row: row[0][1],
        "resources": lambda row: row[0][2],
        "approach": lambda row: row[0][3],
    }
    return Grid.of(runs.items(), columns, "Approaches, by the teams' system descriptions.", len(columns))


def invalid(board: Ranking) -> Grid:
    """What is not ranked, and why."""
    refused = [refused_below(invalid, None if board.teams is None else board.teams.common) for invalid in board.invalid]
    columns: dict[str, Callable[[Invalid], Cell]] = {
        "team": lambda run: run.team, "run": lambda run: run.tag, "files": lambda run: ", ".join(run.files),
        "reason": lambda run: str(run.reason),
    }  # fmt: skip
    return Grid.of(refused, columns, f"Not ranked: {len(refused)}.", n_text=4)


def below(file: str, common: Path | None) -> str:
    """A file without the folders of this machine."""
    path = Path(file).absolute()
    return str(path.relative_to(common)) if common is not None and path.is_relative_to(common) else file


def refused_below(refused: Invalid, common: Path | None) -> Invalid:
    """What is not ranked, as others than the gold's owner may see it, and without the folders of this machine."""
    reason, files = refused.reason.for_others, [below(file, common) for file in refused.files]
    for file, name in zip(refused.files, files, strict=True):
        reason = reason.replace(file, name)
    return refused._replace(files=tuple(files), reason=Remark(refused.reason.kind, reason))


def _whole(n: int) -> Number:
    return Number(n, str(n) if n else "-")


@dataclass(frozen=True, slots=True)
class Categories:
    """Categories of questions.

    Attributes:
        file: where they were read from.
        questions: category → its questions, in the order of the file.
        remarks: what was passed over.
    """

    file: str
    questions: Mapping[str, tuple[str, ...]]
    remarks: tuple[str, ...] = ()


@suggesting_keywords()
def read_categories(path: PathLike, queries: Sequence[str]) -> Categories:
    """Read categories from a CSV ``query,category``; several in a cell are separated by ``;`` or ``|``.

    Args:
        path: the file.
        queries: the judged queries; others are passed over, with a remark.

    Raises:
        InputError: it cannot be read, or holds no judged question.
    """
    sheet = read_sheet(Source(path))
    named = sheet.column("category", "categories")
    if named is None:
        remedy = "write query,category in the first row"
        raise InputError("missing-column", sheet.name, "this table has no column category", remedy=remedy)
    judged, strangers = set(texts("queries", queries, "a list of query ids")), set()
    by_name: dict[str, dict[str, None]] = {}
    for _, cells in sheet.rows:
        query = cells[0] if cells[0] in judged else normal_id(cells[0])
        if query not in judged:
            strangers.add(query)
            continue
        for name in map(str.strip, re.split("[;|]", cells[named])):
            if name:
                by_name.setdefault(name, {})[query] = None
    if not by_name:
        raise InputError(
            "no-result",
            sheet.name,
            "no judged question has a category",
            found=next(iter(strangers), None),
            remedy="write query,category in the first row, then the ids of the gold",
        )
    remarks = (Remark.of("sheet-rows", sorted(strangers), file=sheet.name),) if strangers else ()
    return Categories(sheet.name, {name: tuple(of_category) for name, of_category in by_name.items()}, remarks)


class Data(NamedTuple):
    """A part of a task's data."""

    queries: int  # how many
    relevant: float  # how many relevant documents they have in all; NaN where the gold names no documents
    yes: float  # how many labels are Y; NaN where the gold has none
    candidates: float = math.nan  # how many documents a query chooses among, on average; NaN where no corpus is given


def data_of(gold: Gold) -> Data:
    """The data of a gold."""
    levels = None if gold.qrels is None else [level for judged in gold.qrels.values() for level in judged.values()]
    return Data(
        len(gold.queries),
        math.nan if levels is None else sum(level > 0 for level in levels),
        math.nan if gold.labels is None else sum(map(bool, gold.labels.values())),
    )


def candidates_of(corpus: PathLike, task: str, gold: Gold) -> float:
    """How many documents a query chooses among, on average over the queries of a gold."""
    try:
        if protocol(task).law == "statute":  # the same articles for every question
            return float(len(read_corpus(corpus, task=task).doc_ids()))
        texts = read_corpus(corpus, task=task, gold=gold)
    except InputError:
        if (listed := listed_ids(corpus)) is None:
            raise
        return float(len(listed))
    return float(np.mean([len(texts.candidate_ids(query)) for query in gold.queries]))


def data(board: Ranking, candidates: float, train: Data | None) -> Grid:
    """Queries, candidates, relevant documents and labels of training and test (Table 2 of the 2021 overview)."""
    parts = {
        **({} if train is None else {"training": train}),
        "test": Data(
            len(board.queries),
            math.nan if board.relevant is None else int(board.relevant.sum()),
            math.nan if board.labels is None else sum(map(bool, board.labels)),
            candidates,
        ),
    }
    columns: dict[str, Callable[[Data], float]] = {
        "queries": lambda part: part.queries,
        "candidates per query": lambda part: part.candidates,
        "relevant": lambda part: part.relevant,
        "relevant per query": lambda part: part.relevant / part.queries,
        "Y": lambda part: part.yes,
        "N": lambda part: part.queries - part.yes,
    }
    cells: dict[str, Callable[[str], Cell]] = {"data": str} | {
        heading: lambda name, heading=heading, value=value: _number(heading, value(parts[name]))  # type: ignore[misc]
        for heading, value in columns.items()
        if not all(math.isnan(value(part)) for part in parts.values())
    }
    return Grid.of(parts, cells, f"Data of Task {board.called}{'' if train else ' (test)'}.")


def _number(heading: str, value: float) -> Number:
    if float(value).is_integer():
        return whole(int(value))
    return Number(value, "" if math.isnan(value) else f"{value:.{2 * ('per' in heading)}f}")


#: the share of right answers from which a question is called easy; the overview papers name none
EASY: Final = 0.8

_BINS: Final = 10


def relevant(board: Ranking) -> Grid:
    """How many questions have how many relevant documents (Table 7 of the 2021 overview)."""
    if board.relevant is None:
        raise UsageError("no-result", f"{board.gold} contains no relevant documents to group questions by")
    sizes = Counter(board.relevant.tolist())
    columns: dict[str, Callable[[int], Cell]] = {
        "relevant documents": whole,
        "questions": lambda size: whole(sizes[size]),
    }
    n, total = counted(len(board.queries), "question"), counted(int(board.relevant.sum()), "relevant document")
    return Grid.of(sorted(sizes), columns, f"Questions by their number of relevant documents: {n}, {total}.", n_text=0)


#: how measures are called in tables and figures; of the others ``Micro`` and ``Macro`` are left out
_SHORT: Final = {
    "LabelAccuracy": "Labels", "RationaleF1": "F1", "PlaintiffF1": "F1 plaintiff", "DefendantF1": "F1 defendant",
    "PooledF1": "F1 pooled",
}  # fmt: skip


def short(measure: str) -> str:
    """A measure's name in the head of a table and in a figure."""
    return _SHORT.get(measure) or re.sub("^(Micro|Macro)(?=[PRF])", "", measure)


def ease(board: Ranking) -> FloatArray:
    """The share of its relevant documents, or of right answers, that runs return for each question: a mean over runs.

    Shape (Q,); NaN for a question without relevant documents, and without runs.
    """
    if board.replicates:
        raise UsageError("unfit-option", "the tables of questions are made from single runs: leave --replicates out")
    if any(board.main not in entry.scores.judged for entry in board.counted):
        raise UsageError("no-result", "kinds of questions are told by the gold and the runs; only scores were read")
    of_runs = [entry.scores.judged[board.main] for entry in board.counted]
    with np.errstate(invalid="ignore"):
        shares = [judged.correct() / judged.qrels.relevant() for judged in of_runs]
    return _mean(shares, len(board.queries))


def _mean_of_runs(board: Ranking, measure: Measure) -> FloatArray:
    """The mean of the ranked runs' values of each question."""
    return _mean([result.per_query for result in board.results(measure, counted=True)], len(board.queries))


def kinds(board: Ranking) -> list[str]:
    """The kind of each question: with one or several relevant documents; of those with one, easy or other.

    A question with one relevant document is easy if the share of runs that return it is at least ``EASY``. A question
    of answers only is easy or other.
    """
    levels = ["easy" if share >= EASY - 1e-9 else "other" for share in ease(board).tolist()]
    if board.main == "answers":
        return levels
    sizes = [1] * len(levels) if board.relevant is None else board.relevant.tolist()
    named = zip(levels, sizes, strict=True)
    return [f"one, {level}" if n == 1 else "several" if n else "none" for level, n in named]


#: the order in which kinds are told
_KINDS = ("one, easy", "one, other", "several", "none", "easy", "other")


def questions(board: Ranking) -> Grid:
    """For each question the mean over the ranked runs of each measure (data of Figures 1 to 3 of the 2021 overview)."""
    kind_of = kinds(board)
    names = distinct([short(measure.name) for measure in board.measures], ["query", "kind", "relevant"])
    means = {name: _mean_of_runs(board, measure) for name, measure in zip(names, board.measures, strict=True)}
    order = sorted(range(len(board.queries)), key=lambda i: _KINDS.index(kind_of[i]))
    n_relevant = board.relevant if board.main == "documents" else None
    columns: dict[str, Callable[[int], Cell]] = {
        "query": board.queries.__getitem__,
        "kind": kind_of.__getitem__,
        **({} if n_relevant is None else {"relevant": lambda i: whole(int(n_relevant[i]))}),
        **{name: lambda i, mean=mean: Number(float(mean[i])) for name, mean in means.items()},  # type: ignore[misc]
    }
    how = "answered rightly by" if n_relevant is None else "returned by"
    return Grid.of(
        order,
        columns,
        f"Means over {counted(len(board.counted), 'run')}, question by question. Easy: {how} at least {EASY:.0%} of "
        f"the runs{'.' if n_relevant is None else '; reported for questions with one relevant document.'}",
        n_text=2,
    )


#: kind of questions → name of the figure of them, what is in it
FIGURES: Final[Mapping[str, tuple[str, str]]] = {
    "one, easy": ("single-easy", "easy questions with one relevant document"),
    "one, other": ("single-other", "other questions with one relevant document"),
    "several": ("several", "questions with several relevant documents"),
    "easy": ("easy", "easy questions"),
    "other": ("other", "other questions"),
}


def hardest_first(table: Grid, kind: str, first: int) -> list[Sequence[Cell]]:
    """The rows of ``questions`` for a kind, by the mean of the first measure."""
    return sorted((row for row in table.rows if row[1] == kind), key=lambda row: row[first].value)  # type: ignore[union-attr]


def means_of(n_runs: int, measures: Sequence[str], n: int, what: str) -> str:
    """What a figure of questions shows, without a full stop."""
    return f"Means over {counted(n_runs, 'run')} of {', '.join(measures)} for each of the {n} {what}"


def crossed(board: Ranking, categories: Categories | None) -> Grid:
    """How many questions have their mean in which tenth: number of relevant documents × category (2021: Tables 9, 10).

    Raises:
        UsageError: no categories are given, or the task's questions have no relevant documents.
    """
    of_category = masks(board, categories)
    if board.main != "documents":
        raise UsageError(
            "no-result", "questions are crossed by their number of relevant documents, which this task does not have"
        )
    if len(of_category) == 1:
        ((name, mask),) = of_category.items()
        of_category = {name: mask, "other": ~mask}
    numbers = np.array([kind.partition(",")[0] for kind in kinds(board)], dtype=str)
    means = _mean_of_runs(board, board.ranking)
    is_known = ~np.isnan(means)
    # a mean of 0.3 may have come out as 0.29999999999999998
    bins = np.clip(np.floor(np.where(is_known, means, 0.0) * _BINS + 1e-9).astype(np.int64), 0, _BINS - 1)
    counts = {
        f"{number}, {name}": np.bincount(bins[(numbers == number) & mask & is_known], minlength=_BINS).tolist()
        for number in ("one", "several")
        if number in numbers
        for name, mask in of_category.items()
    }
    cells: dict[str, Callable[[int], Cell]] = {"mean": lambda i: f"{i / _BINS:.1f}–{(i + 1) / _BINS:.1f}"}
    cells |= {name: lambda i, n=n: whole(n[i]) for name, n in counts.items()}  # type: ignore[misc]
    return Grid.of(
        range(_BINS),
        cells,
        f"Questions by their mean {short(board.ranking.name)} over {counted(len(board.counted), 'run')}; a bin holds "
        "its lower bound, the last one both; by relevant documents and category.",
    )


def masks(board: Ranking, categories: Categories | None) -> dict[str, BoolArray]:
    """Category → which of the questions belong to it; shape (Q,)."""
    if categories is None:
        raise UsageError("option-needed", "name the categories of the questions: --categories CSV")
    return {name: np.isin(board.queries, ids) for name, ids in categories.questions.items()}


def by_category(board: Ranking, categories: Categories | None) -> Grid:
    """The score of each run on the questions of each category (Tables 12 and 14 of the 2021 overview).

    An accuracy is a percentage. The majority baseline answers every question with the label that is most frequent in
    the whole gold; with as many Y as N it answers N.
    """
    measure = board.ranking
    percent = measure.name == "Accuracy"
    of_category = {**masks(board, categories), "all": np.ones(len(board.queries), dtype=np.bool_)}
    terms = [result.terms for result in board.results(measure)]
    names, caption = board.names(), f"{'Percentage of right answers' if percent else measure.name} by category"
    caption += "; categories may overlap."
    baseline = majority(board)
    if baseline is not None:
        label, is_right = baseline
        names = [f"all {label}", *names]
        caption += f" Baseline: the most frequent label, {label}, for every question."
    rows: list[list[Cell]] = []
    for name, mask in of_category.items():
        values = [float(summed.score(summed.each[mask].sum(axis=0))) for summed in terms]
        if baseline is not None:
            values.insert(0, float(is_right[mask].mean()))
        best = max((value for value in values if not np.isnan(value)), default=np.nan)
        cells = (
            Number(100 * value, f"{100 * value:.1f}", value == best) if percent else Number(value, bold=value == best)
            for value in values
        )
        rows.append([name, whole(int(mask.sum())), *cells])
    return Grid(["category", "questions", *names], rows, caption, n_text=1)


def majority(board: Ranking) -> tuple[str, FloatArray] | None:
    """The most frequent label, and whether it is right for each question; None where labels alone do not decide."""
    if board.protocol.parts != ("answers",) or board.labels is None:
        return None
    label = sum(answer is True for answer in board.labels) > sum(answer is False for answer in board.labels)
    return ("Y" if label else "N"), np.array([answer is label for answer in board.labels], dtype=np.float64)


def _mean(values: Iterable[FloatArray], n: int) -> FloatArray:
    """The mean over runs, of shape (n,), without those that have no value of a question."""
    stacked = np.array(list(values), dtype=np.float64).reshape(-1, n)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of no values there is no mean
        mean: FloatArray = np.nanmean(stacked, axis=0) if len(stacked) else np.full(n, np.nan)
    return mean


class Extras(NamedTuple):
    """What tables are made from besides the leaderboard."""

    categories: Categories | None = None
    candidates: float = math.nan
    train: Data | None = None
    style: str = ""


#: name → what makes the table; ``BOARD_TABLES`` says what each shows
TABLES: Final[Mapping[str, Callable[[Ranking, Extras], Grid]]] = {
    "ranking": lambda board, _: ranking(board),
    "results": lambda board, extras: results(board, extras.style),
    "approaches": lambda board, _: approaches(board),
    "data": lambda board, extras: data(board, extras.candidates, extras.train),
    "relevant": lambda board, _: relevant(board),
    "questions": lambda board, _: questions(board),
    "crossed": lambda board, extras: crossed(board, extras.categories),
    "categories": lambda board, extras: by_category(board, extras.categories),
    "invalid": lambda board, _: invalid(board),
}


def build(board: Ranking, name: str, extras: Extras) -> Grid:
    """A table by its name."""
    if name not in TABLES:
        raise UsageError("unknown-name", f"unknown table {name!r}; the tables are {', '.join(TABLES)}")
    return replace(TABLES[name](board, extras), label=f"tab:task{board.called.replace(' ', '-')}-{name}")


def everything(board: Ranking, extras: Extras) -> tuple[dict[str, Grid], dict[str, str]]:
    """Every table that there is for this task and these files; and of the others, why not."""
    tables, missing = {}, {}
    for name in TABLES:
        try:
            tables[name] = build(board, name, extras)
        except UsageError as error:
            missing[name] = str(error)
    return tables, missing


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Leaderboard(Ranking, TabularResult):
    """Runs ranked by the measure of their task's edition and by its tie-break; see ``Ranking`` for what it holds.

    Attributes:
        categories: those of the questions, for the tables by category.
        printed: the names of the tables that it is printed as; JSON and HTML hold all of them.
    """

    categories: Categories | None = None
    printed: tuple[str, ...] = ("ranking",)

    forms: ClassVar[Forms] = {
        "html": lambda board: board.page(),
        "latex": lambda board: "\n".join(map(latex, board.tables())),
        "csv": lambda board: separated(board.only("csv")),
        "tsv": lambda board: separated(board.only("tsv"), "\t"),
    }

    def __repr__(self) -> str:
        by = self.ranking.name
        return f"Leaderboard(task={self.task!r}, edition={self.edition}, runs={len(self.entries)}, by={by!r})"

    def tables(self) -> Sequence[Grid]:
        """Those that are shown."""
        return [self.table(name) for name in self.printed]

    def notes(self) -> Sequence[str]:
        """What ranks mean, and how they are found, where a table of runs is shown."""
        if {"ranking", "results"}.isdisjoint(self.printed):
            return ()
        return [*([self.method] if self.best else []), *([str(self.tasks)] if self.tasks else [])]

    def table(self, name: str = "ranking", *, categories: Categories | None = None) -> Grid:
        """One of the tables of an overview paper; ``coliee_ir.commands.leaderboard.TABLES`` names them.

        Args:
            name: its name.
            categories: what ``read_categories`` gave, for the tables by category; by default the board's.

        Raises:
            UsageError: there is no such table, or the task does not have it, or what it is made from is not given.
        """
        return build(self, name, Extras(categories or self.categories))

    def to_dict(self, *, categories: Categories | None = None) -> dict[str, Any]:
        """The JSON of ``leaderboard -f json``: the runs, what is not ranked, and every table that the task has."""
        tables, _ = everything(self, Extras(categories or self.categories))
        decisions = self.entries[0].scores.decisions.to_dict() if self.entries else None
        return {
            **preamble(self.task, self.edition, self.gold, decisions, self.excluded),
            "measure": self.ranking.name,
            **({"lower_is_better": True} if self.ranking.lower_is_better else {}),
            "tie_break": list(self.protocol.tie_break),
            "judged": len(self.queries),
            "resamples": self.drawn,
            "seed": self.resampling.seed,
            "confidence_level": self.resampling.confidence_level,
            **({"groups": self.groups} if self.groups else {}),
            **({"tasks": jsonable(self.tasks)} if self.tasks else {}),
            "runs": [
                {
                    "place": entry.place or None,
                    "ranks": jsonable(entry.ranks),
                    "may_be_best": entry.may_be_best,
                    "team": entry.team or None,
                    **({"status": entry.status} if entry.status else {}),
                    **entry.scores.to_dict(),
                    "interval": jsonable(entry.interval),
                }
                for entry in self.entries
            ],
            "invalid": [
                {**invalid._asdict(), "files": list(invalid.files), "kind": invalid.reason.kind}
                for invalid in self.invalid
            ],
            **as_json(self.remarks),
            "tables": {name: records(grid) for name, grid in tables.items()},
        }

    def page(self) -> str:
        """All tables of the task as a page."""
        tables = everything(self, Extras(self.categories))[0].items()
        return page(
            self.protocol.titled(self.edition),
            [Section(name, name.capitalize(), html(grid, name)) for name, grid in tables if grid.rows],
            "".join(f"<p>{in_html(note)}</p>\n" for note in replace(self, printed=("ranking",)).notes()),
        )

    def only(self, form: str) -> Grid:
        """The one table that a form holds.

        :meta private:
        """
        if len(self.printed) > 1:
            raise UsageError("option-needed", f"{form} can contain only one table; give --table once, or use -f json")
        return self.tables()[0]
