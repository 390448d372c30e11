"""What a report is made of: scores, how sure they are, the comparison, the cutoffs; and what each query opens to.

The latter is compact JSON, of the documents retrieved, correct, missed and wrong by each run:

    {"runs": [name], "ranked": true, "documents": [[id, title]],
     "queries": [{"text": "", "label": "Y", "rows": [[document, relevant, run, rank, run, rank, …]],
                  "counts": [[correct, missed, wrong, wrong ones not shown]], "answers": ["Y"]}]}

Documents are places in the list, queries stand in the order of the gold, and runs that did not retrieve a document are
not in its row. A relevant document is always there, of the wrong ones the first few of each run.
"""

from __future__ import annotations

import contextlib
import math
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, Final, NamedTuple

import numpy as np

from coliee_adapters.corpora import Corpus, Query
from coliee_adapters.errors import InputError, printable, shortened
from coliee_adapters.files.source import PathLike
from coliee_adapters.forms.lines import counted
from coliee_adapters.records import Gold
from coliee_ir.commands.compare import Comparison
from coliee_ir.commands.compare.golds import TwoGolds
from coliee_ir.commands.leaderboard import Categories, Leaderboard
from coliee_ir.commands.tune import Tuning
from coliee_ir.inbox.corpora import read_corpus
from coliee_ir.judging.judged import FloatArray
from coliee_ir.measures import Measure
from coliee_ir.output.webpage import local
from coliee_ir.scoring import scores as scoring
from coliee_ir.scoring.scores import Scores, every_measure, is_count
from coliee_ir.stats.intervals import are_shares, interval_of
from coliee_ir.stats.resampling import Interval

#: of more runs than these, pairs, queries, cutoffs and remarks are told of the best alone
FEW: Final = 12
#: and of more than these the best alone are drawn
DRAWN: Final = 50

#: so many pairs that are not told apart are named
_TOLD: Final = 3

_UNKNOWN: Final = Interval(math.nan, math.nan)
_SAME: Final = 1e-9

#: query → document → rank, of one run
Ranks = Mapping[str, Mapping[str, int]]


#: orders of queries: name → what is first
ORDERS: Final = {"hardest": "hardest first", "differing": "most different first", "given": "as in the gold"}


class Hardness(NamedTuple):
    """How hard the queries are."""

    values: FloatArray  # shape (runs, Q); the measure of each run and query, NaN for one left out
    mean: FloatArray  # shape (Q,); over runs
    spread: FloatArray  # shape (Q,); greatest minus least
    lower_is_better: bool = False

    def order(self, name: str) -> list[int]:
        """The queries in one of ``ORDERS``."""
        n = len(self.mean)
        if name == "given":
            return list(range(n))
        mean = -self.mean if self.lower_is_better else self.mean
        key, other = (mean, -self.spread) if name == "hardest" else (-self.spread, mean)
        first, second = key.tolist(), other.tolist()
        return sorted(range(n), key=lambda i: (_last(first[i]), _last(second[i]), i))

    def places(self) -> dict[str, list[int]]:
        """For each of ``ORDERS`` the place of every query."""
        return {name: np.argsort(self.order(name)).tolist() for name in ORDERS}


def _last(value: float) -> float:
    """A key that puts what is not known last; rounded, so that equal means are equal."""
    return math.inf if math.isnan(value) else round(value, 9)


@dataclass(frozen=True, eq=False)
class Contents:
    """Everything that a report shows, as numbers; runs come in the order of their scores, the best first."""

    board: Leaderboard  # the runs, and what the tables of an overview are made from
    comparison: Comparison | None  # of all runs; None for a single one, and for more than a few without a baseline
    ranks: Sequence[Ranks]  # for each of few runs where its documents stand; empty for a task of answers
    tunings: Sequence[Tuning | None]  # for each of few runs the best cutoff; None where there is none to choose
    categories: Categories | None  # of the questions; None where none were given
    texts: Texts  # titles of documents, and what queries ask
    remarks: tuple[str, ...]  # what there is to know of the report itself
    command: str  # what makes it again; empty where that is not known
    in_order: Sequence[Scores]  # the scores in the order in which the runs were given
    two_golds: TwoGolds | None = None  # what another gold says of all runs

    @property
    def scored(self) -> list[Scores]:
        """The scores of each run."""
        return [entry.scores for entry in self.board.entries]

    @cached_property
    def names(self) -> list[str]:
        """A name for each run that no other has, as it is shown; and why it is not ranked, where it is not."""
        return [
            printable(f"{entry.name} ({entry.status})" if entry.status else entry.name) for entry in self.board.entries
        ]

    @property
    def measure(self) -> Measure:
        """The measure that the report is about: the official one, or the first that was asked for."""
        return self.board.ranking

    @property
    def has_documents(self) -> bool:
        """Whether runs retrieve documents, and do not only answer."""
        return self.board.main == "documents"

    @cached_property
    def intervals(self) -> dict[Measure, list[Interval]]:
        """For each measure that of each run; unknown where a score is no sum over queries."""
        level, by_measure = self.board.resampling.confidence_level, {}
        for measure in every_measure(self.scored):
            results = [None if is_count(measure) else scores.results.get(measure) for scores in self.scored]
            is_share = are_shares(filter(None, results))
            by_measure[measure] = [
                interval_of(result, result.terms, level, is_share=is_share)
                if result is not None and abs(result.terms.total - result.value) < _SAME
                else _UNKNOWN
                for result in results
            ]
        return by_measure

    @cached_property
    def hardness(self) -> Hardness:
        """How hard the queries are for the runs."""
        values = np.array([result.per_query for result in self.board.results(self.measure)], dtype=np.float64)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # of no values there is no mean
            mean, spread = np.nanmean(values, axis=0), np.nanmax(values, axis=0) - np.nanmin(values, axis=0)
        return Hardness(values, mean, spread, self.measure.lower_is_better)

    def verdict(self) -> Iterator[str]:
        """What a person reads first, in sentences: which run is the best, what a cut gives, what is not told apart."""
        first, name, best = self.board.entries[0], self.names[0], self.board.best
        value = first.scores.results[self.measure].value
        score = f"{self.measure} {value:.3f}{_in_brackets(first.interval)}"
        if best == f"the best is {name}":
            yield f"{name} is the best run: {score}."
        elif not math.isnan(value):
            start = f"{best[:1].upper()}{best[1:]}; {name} has" if best else f"{name}:"
            yield f"{start} {score}."
        tuning = next(iter(self.tunings), None)
        if tuning is not None and round(tuning.held_out, 3) > round(value, 3):
            expected = f"{tuning.held_out:.3f}{_in_brackets(tuning.interval)}"
            yield f"Cut to {tuning.rule}, it scores {expected} on held-out queries."
        elif tuning is not None and not math.isnan(tuning.held_out):
            yield f"No cut of {name} scores higher on held-out queries."
        may_be_best = {i for i, entry in enumerate(self.board.entries) if best and entry.may_be_best}
        like = [] if self.comparison is None else [
            f"{self.names[pair.a]} and {self.names[pair.b]}" for pair in self.comparison.pairs
            if not (self.comparison.significant(pair) or may_be_best >= {pair.a, pair.b})
        ]  # fmt: skip
        if like:
            more = f"; {len(like) - _TOLD} more" if len(like) > _TOLD else ""
            yield f"Not distinguishable: {'; '.join(like[:_TOLD])}{more}."
        if self.two_golds is not None and self.two_golds.reversed:
            yield f"The other gold turns {counted(len(self.two_golds.reversed), 'pair')} of runs round."

    def evaluation(self) -> dict[str, Any]:
        """What ``evaluate -f json -q`` prints of the same runs; of more than a few without ``-q``."""
        document = scoring.document(self.in_order, per_query=len(self.in_order) <= FEW)
        paths = ("file", "answers", "long_list")
        runs = [
            {name: local(value) if name in paths else value for name, value in run.items()} for run in document["runs"]
        ]
        return {**document, "gold": local(document["gold"]), "runs": runs}


def _in_brackets(interval: Interval) -> str:
    return f" ({ends})" if (ends := between(interval)) else ""


def between(interval: Interval) -> str:
    """The ends of an interval, as they stand behind a score; empty where they are not known."""
    return "" if math.isnan(interval.low + interval.high) else f"{interval.low:.2f}–{interval.high:.2f}"


#: the wrong documents of a query that are shown, about; each run has some, few where runs are many
_WRONG: Final = 30
_FEWEST, _MOST = 3, 12

#: so many characters of a title or a text are shown
_LONGEST: Final = 160


class Texts:
    """Titles of documents and beginnings of queries, each looked up once."""

    def __init__(self, corpus: Corpus | None, queries: tuple[str, ...], statements: Iterable[Query] = ()) -> None:
        self._corpus = corpus
        self._titles: dict[str, str] = {}
        wanted = set(queries)
        of_corpus = () if corpus is None else corpus.queries_iter()
        self._queries = {q.query_id: _beginning(q.text) for q in (*of_corpus, *statements) if q.query_id in wanted}

    def document(self, query: str, document: str) -> str:
        """The title of what a run calls ``document`` in its answer to a query; empty where none is known."""
        if self._corpus is None:
            return ""
        unique = self._corpus.unique_id(query, document)
        if unique not in self._titles:
            self._titles[unique] = _beginning(self._corpus.title(unique))
        return self._titles[unique]

    def query(self, query: str) -> str:
        """What a query asks; empty where it is not known."""
        if query not in self._queries:
            self._queries[query] = "" if self._corpus is None else _beginning(self._corpus.title(query))
        return self._queries[query]


def _beginning(text: str) -> str:
    """One printable line."""
    return shortened(" ".join(text[: 4 * _LONGEST].split()), _LONGEST)


def texts_of(corpus: PathLike | Corpus | None, task: str, gold: Gold) -> Texts:
    """The texts of a corpus, as a path or read; the statements of Tasks 3 to 5 are in the gold."""
    statements = list[Query]()
    for path in dict.fromkeys(gold.files.values() or [gold.path]) if gold.format == "statute-xml" else ():
        with contextlib.suppress(InputError):  # a stream is read once, and some golds hold no statements
            statements += read_corpus(path, task=task).queries_iter()
    read = corpus if corpus is None or isinstance(corpus, Corpus) else read_corpus(corpus, task=task)
    return Texts(read, gold.queries, statements)


def details(contents: Contents) -> dict[str, Any]:
    """What every query opens to."""
    scored, names = contents.scored[:FEW], contents.names[:FEW]
    n_listed = min(max(_WRONG // len(names), _FEWEST), _MOST)
    opened = _Opened(scored, contents.ranks, contents.texts, n_listed) if contents.has_documents else None
    queries = []
    for i, query in enumerate(contents.board.queries):
        text = contents.texts.query(query)
        queries.append({
            **({"text": text} if text else {}), **({} if opened is None else opened.documents_of(i, query)),
            **(_answers(scored, i) if "answers" in scored[0].judged else {}),
        })  # fmt: skip
    documents = [] if opened is None else [list(document) for document in opened.numbers]
    return {"runs": names, "ranked": not contents.board.protocol.claims, "documents": documents, "queries": queries}


class _Opened:
    """The documents of each query that is opened, by their numbers in one list; ``n_listed`` wrong ones of a run."""

    def __init__(self, scored: Sequence[Scores], ranks: Sequence[Ranks], texts: Texts, n_listed: int) -> None:
        parts = [scores.judged["documents"] for scores in scored]
        self.ranks_of, self.texts, self.n_listed, self.qrels = ranks, texts, n_listed, parts[0].qrels
        self.numbers: dict[tuple[str, str], int] = {}
        # arrays for all, whose numbers become Python's at once:
        #: row → the rank in each run, 0 where it was not retrieved; query → the relevant, and all, that each run has
        self.ranks: list[list[int]] = np.array([part.rank for part in parts]).T.tolist()
        self.correct: list[list[int]] = np.array([part.correct() for part in parts]).T.tolist()
        self.retrieved: list[list[int]] = np.array([part.retrieved for part in parts]).T.tolist()
        self.label = cache(printable)  # how a document is shown

    def documents_of(self, i: int, query: str) -> dict[str, Any]:
        """The rows of a query's documents, the relevant ones first, and each run's counts."""
        qrels = self.qrels
        rows_of_query = range(int(qrels.start[i]), int(qrels.start[i + 1]))
        relevant = {qrels.documents[row]: row for row in rows_of_query if qrels.relevance[row] >= 1}
        ranks = [run.get(query, {}) for run in self.ranks_of]
        wrong = [[document for document in run if document not in relevant] for run in ranks]
        listed = dict.fromkeys(document for of_run in wrong for document in of_run[: self.n_listed])
        retrieved_by = {document: [(run, rank) for run, rank in enumerate(self.ranks[row]) if rank > 0]
                 for document, row in relevant.items()}  # fmt: skip
        of_wrong = {document: [(run, of_run[document]) for run, of_run in enumerate(ranks) if document in of_run]
                    for document in listed}  # fmt: skip
        retrieved_by |= sorted(of_wrong.items(), key=lambda item: (-len(item[1]), min(rank for _, rank in item[1])))
        rows = []
        for document, pairs in retrieved_by.items():
            name = self.label(document), self.texts.document(query, document)
            number = self.numbers.setdefault(name, len(self.numbers))
            rows.append([number, int(document in relevant), *(n for pair in pairs for n in pair)])
        counts = [
            [
                correct,
                len(relevant) - correct,
                retrieved - correct,
                sum(document not in listed for document in of_run),
            ]
            for correct, retrieved, of_run in zip(self.correct[i], self.retrieved[i], wrong, strict=True)
        ]
        return {"rows": rows, "counts": counts}


def _answers(scored: Sequence[Scores], i: int) -> dict[str, Any]:
    """The right answer and that of each run; null where it gave none that is Y or N."""
    answers: list[str | None] = []
    label = None
    for scores in scored:
        part, answer = scores.judged.get("answers"), None
        if part is not None and part.qrels.start[i] < part.qrels.start[i + 1]:
            row = int(part.qrels.start[i])
            label = part.qrels.documents[row]
            other = "N" if label == "Y" else "Y"
            answer = None if not part.retrieved[i] else label if part.rank[row] > 0 else other
        answers.append(answer)
    return {"label": label, "answers": answers}
