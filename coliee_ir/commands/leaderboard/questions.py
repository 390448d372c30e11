"""Tables of questions: their categories, the data of a task, how hard they are for all runs, by kind and category."""

from __future__ import annotations

import math
import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from coliee_adapters.checked import suggesting_keywords, texts
from coliee_adapters.errors import InputError, UsageError
from coliee_adapters.files.source import PathLike, Source
from coliee_adapters.forms.lines import counted
from coliee_adapters.records import Gold, normal_id
from coliee_adapters.remarks import Remark
from coliee_ir.commands.leaderboard.board import Ranking
from coliee_ir.inbox.corpora import read_corpus
from coliee_ir.inbox.sheets import Sheet, read_sheet
from coliee_ir.judging.judged import BoolArray, FloatArray
from coliee_ir.measures import Measure
from coliee_ir.output.grid import Cell, Grid, Number, distinct, whole
from coliee_ir.rules.protocol import protocol

_MARKS: Final = {"1": True, "x": True, "y": True, "yes": True, "true": True, "✓": True, "○": True,
                 "": False, "0": False, "n": False, "no": False, "false": False, "-": False}  # fmt: skip


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
    """Read categories from a CSV of one of two forms; the first column is the question.

    ``query,category`` with a row for each question and category, several in a cell separated by ``;`` or ``|``; or
    ``query,Anaphora,Negation,…`` with a row for each question and a mark (1, x, yes) where it belongs.

    Args:
        path: the file.
        queries: the judged queries; others are passed over, with a remark.

    Raises:
        InputError: it cannot be read, holds a mark that is none, or no judged question.
    """
    sheet = read_sheet(Source(path))
    named = sheet.column("category", "categories")
    judged = set(texts("queries", queries, "a list of query ids"))
    by_name: dict[str, dict[str, None]] = {} if named is not None else {name: {} for name in sheet.header[1:]}
    strangers = set()
    for line, cells in sheet.rows:
        query = cells[0] if cells[0] in judged else normal_id(cells[0])
        if query not in judged:
            strangers.add(query)
            continue
        if named is not None:
            of_row = [name for part in cells[named].split(";") for name in part.split("|")]
        else:
            of_row = [
                name for name, mark in zip(sheet.header[1:], cells[1:], strict=True) if _is_marked(mark, line, sheet)
            ]
        for name in map(str.strip, of_row):
            if name:
                by_name.setdefault(name, {})[query] = None
    if not any(by_name.values()):
        remedy = "write query,category in the first row, then the ids of the gold"
        problem = "no judged question has a category"
        raise InputError("no-result", sheet.name, problem, found=next(iter(strangers), None), remedy=remedy)
    remarks = []
    if strangers:
        remarks.append(Remark.of("sheet-rows", sorted(strangers), file=sheet.name))
    questions = {name: tuple(of_category) for name, of_category in by_name.items() if of_category}
    if empty := [name for name, of_category in by_name.items() if not of_category]:
        remarks.append(Remark.of("sheet-rows.empty", empty, file=sheet.name))
    return Categories(sheet.name, questions, tuple(remarks))


def _is_marked(mark: str, line: int, sheet: Sheet) -> bool:
    try:
        return _MARKS[mark.lower()]
    except KeyError:
        problem = "this cell is not a mark"
        remedy = "write 1 or x, or leave the cell empty"
        raise InputError("bad-cell", sheet.name, problem, line=line, found=mark, remedy=remedy) from None


class Data(NamedTuple):
    """A part of a task's data."""

    queries: int  # how many
    relevant: float  # how many relevant documents they have in all; NaN where the gold names no documents
    yes: float  # how many labels are Y; NaN where the gold has none
    candidates: float = math.nan  # how many documents a query chooses among, on average; NaN where no corpus is given


def data_of(gold: Gold) -> Data:
    """The data of a gold."""
    relevant = yes = math.nan
    if gold.qrels is not None:
        relevant = sum(level > 0 for judged in gold.qrels.values() for level in judged.values())
    if gold.labels is not None:
        yes = sum(map(bool, gold.labels.values()))
    return Data(len(gold.queries), relevant, yes)


def candidates_of(corpus: PathLike, task: str, gold: Gold) -> float:
    """How many documents a query chooses among, on average over the queries of a gold."""
    law = protocol(task).law
    if not law:
        raise UsageError("unfit-option", "plain TREC files have no corpus that can be read: leave --corpus out")
    if law == "statute":  # the same articles for every question
        return float(len(read_corpus(corpus, task=task).doc_ids()))
    texts = read_corpus(corpus, task=task, gold=gold)
    return float(np.mean([len(texts.candidate_ids(query)) for query in gold.queries]))


def data(board: Ranking, candidates: float, train: Data | None) -> Grid:
    """Queries, candidates, relevant documents and labels of training and test (Table 2 of the 2021 overview)."""
    relevant = math.nan if board.relevant is None else int(board.relevant.sum())
    yes = math.nan if board.labels is None else sum(map(bool, board.labels))
    parts = {
        **({} if train is None else {"training": train}),
        "test": Data(len(board.queries), relevant, yes, candidates),
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
    caption = f"Questions by their number of relevant documents: {n}, {total}."
    return Grid.of(sorted(sizes), columns, caption, n_text=0)


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
    caption = (
        f"Means over {counted(len(board.counted), 'run')}, question by question. Easy: {how} at least {EASY:.0%} of "
        f"the runs{'.' if n_relevant is None else '; reported for questions with one relevant document.'}"
    )
    return Grid.of(order, columns, caption, n_text=2)


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
    if categories is None:
        raise UsageError("option-needed", "name the categories of the questions: --categories CSV")
    if board.main != "documents":
        problem = "questions are crossed by their number of relevant documents, which this task does not have"
        raise UsageError("no-result", problem)
    of_category = masks(board, categories)
    if len(of_category) == 1:
        ((name, mask),) = of_category.items()
        of_category = {name: mask, "other": ~mask}
    by_number = _numbers(kinds(board))
    columns = {
        f"{number}, {name}": of_number & mask
        for number, of_number in by_number.items()
        for name, mask in of_category.items()
    }
    return _in_bins(board, columns, "; by relevant documents and category")


def _numbers(kind_of: Sequence[str]) -> dict[str, BoolArray]:
    """The questions with one, and with several relevant documents."""
    first = np.array([kind.partition(",")[0] for kind in kind_of], dtype=str)
    return {kind: first == kind for kind in ("one", "several") if (first == kind).any()}


def _in_bins(board: Ranking, columns: Mapping[str, BoolArray], ending: str) -> Grid:
    """How many questions of each column have their mean over all runs in which tenth."""
    measure = board.ranking
    means = _mean_of_runs(board, measure)
    is_known = ~np.isnan(means)
    # a mean of 0.3 may have come out as 0.29999999999999998
    bins = np.clip(np.floor(np.where(is_known, means, 0.0) * _BINS + 1e-9).astype(np.int64), 0, _BINS - 1)
    counts = {name: np.bincount(bins[mask & is_known], minlength=_BINS).tolist() for name, mask in columns.items()}
    cells: dict[str, Callable[[int], Cell]] = {"mean": lambda i: f"{i / _BINS:.1f}–{(i + 1) / _BINS:.1f}"}
    cells |= {name: lambda i, n=n: whole(n[i]) for name, n in counts.items()}  # type: ignore[misc]
    caption = (
        f"Questions by their mean {short(measure.name)} over {counted(len(board.counted), 'run')}; "
        f"a bin holds its lower bound, the last one both{ending}."
    )
    return Grid.of(range(_BINS), cells, caption)


def masks(board: Ranking, categories: Categories) -> dict[str, BoolArray]:
    """Category → which of the questions belong to it; shape (Q,)."""
    return {name: np.isin(board.queries, ids) for name, ids in categories.questions.items()}


def by_category(board: Ranking, categories: Categories | None) -> Grid:
    """The score of each run on the questions of each category (Tables 12 and 14 of the 2021 overview).

    An accuracy is a percentage. The majority baseline answers every question with the label that is most frequent in
    the whole gold; with as many Y as N it answers N.
    """
    if categories is None:
        raise UsageError("option-needed", "name the categories of the questions: --categories CSV")
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
        rows.append([name, whole(int(mask.sum())), *(_cell(value, best, percent) for value in values)])
    return Grid(["category", "questions", *names], rows, caption, n_text=1)


def _cell(value: float, best: float, percent: bool) -> Number:
    cell = Number(100 * value, f"{100 * value:.1f}") if percent else Number(value)
    return cell._replace(bold=value == best)


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
