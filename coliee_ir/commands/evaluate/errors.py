"""Each document that a run found, missed or got wrong, query by query, and what changed from one run to the next."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, NamedTuple

from coliee_adapters.checked import one_of, suggesting_keywords
from coliee_adapters.corpora import Corpus
from coliee_adapters.errors import UsageError
from coliee_adapters.files.source import PathLike
from coliee_adapters.records import Answers, Run
from coliee_ir._version import __version__
from coliee_ir.inbox.corpora import read_corpus
from coliee_ir.judging.gathered import RunInMemory
from coliee_ir.output import grid
from coliee_ir.output.grid import Cell, Grid, Number, whole
from coliee_ir.output.rendering import TabularResult, jsonable
from coliee_ir.reading.basis import LABEL, Basis
from coliee_ir.reading.submission import Submission
from coliee_ir.scoring.parts import records
from coliee_ir.scoring.scores import Scored

#: the outcomes of a relevant document and of another, the good one first
_OUTCOMES: Final = {True: ("found", "missed"), False: ("absent", "wrong")}

#: integers as cells; a long table repeats few of them
_whole = cache(whole)
_NOT_RANKED: Final = Number(float("nan"), "-")


class Outcome(NamedTuple):
    """What became of a document in a run; in a task of answers, of an answer Y or N."""

    query: str  # the query
    document: str  # the document, or the answer
    relevance: int  # its relevance in the gold; 0 for one that is not in it
    outcome: str  # ``found``, ``missed``, ``wrong``; ``absent`` for what the run before got wrong
    rank: int  # where the run, or its long list, has it; also beyond the cutoff; 0 where it does not
    change: str = ""  # ``better`` or ``worse`` than in the run before; empty for no change and in the first run


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Errors(TabularResult):
    """What became of each document in each run.

    Attributes:
        runs: the tag of each run and the outcomes of its documents: queries and relevant documents in the order of the
            gold, then what the run retrieved by rank, then what only the run before got wrong.
        corpus: the texts, for titles; None for none.
    """

    runs: Sequence[tuple[str, Sequence[Outcome]]]
    corpus: Corpus | None = None

    def __repr__(self) -> str:
        return f"Errors({[tag for tag, _ in self.runs]})"

    def tables(self) -> Sequence[Grid]:
        """A row for each run, query and document."""
        header = _header(self.corpus)
        return [Grid(header, [*_rows(self.runs, self.corpus)], n_text=len(header) - 2)]

    def to_dict(self) -> dict[str, Any]:
        """The runs, each with what became of its documents."""
        runs = [{"tag": tag, "documents": jsonable(of_run)} for tag, of_run in self.runs]
        return {"coliee_ir": __version__, "runs": runs}


@suggesting_keywords()
def errors(scored: Scored, *, corpus: PathLike | None = None) -> Errors:
    """What became of each document, at the cutoff of the first measure: found, missed, wrong.

    Args:
        scored: runs that were scored from files or from memory: what ``evaluate_all`` gives.
        corpus: the texts, for titles: what ``read_corpus`` takes.

    Raises:
        InputError: a run or the texts cannot be read.
        UsageError: the runs are no ``Scored``.

    >>> from coliee_ir import evaluate_all
    >>> scored = evaluate_all({"1": ["a", "b"]}, {"bm25": {"1": ["a", "c"]}}, task="2")
    >>> [(outcome.document, outcome.outcome) for outcome in errors(scored).runs[0][1]]
    [('a', 'found'), ('b', 'missed'), ('c', 'wrong')]
    """
    return Errors(list(_outcomes_of_each(scored)), _texts(scored, corpus))


def written(scored: Scored, path: str, *, corpus: PathLike | None = None) -> Iterable[str]:
    """The table of ``errors`` in pieces, as the runs are read, in the form that a file's name says; ``-`` is plain."""
    if path == "-":
        return [grid.plain(errors(scored, corpus=corpus).tables()[0])]
    texts = _texts(scored, corpus)
    rows = _rows(_outcomes_of_each(scored), texts)
    return grid.file_form(path)(_header(texts), rows, 5 + (texts is not None))


def _outcomes_of_each(scored: Scored) -> Iterator[tuple[str, list[Outcome]]]:
    """The name of each run that was scored from its documents, and the outcomes of these."""
    scored = one_of("scored", scored, Scored, "what evaluate_all gives")
    if scored.keep == "scores":
        raise UsageError("not-comparable", "errors need the gold and the runs; per-query scores are not enough")
    cutoff = getattr(next(iter(scored.measures), None), "cutoff", None)
    runs = [(scores.name, run) for scores, run in zip(scored, scored.submissions, strict=True) if run is not None]
    return zip((name for name, _ in runs), outcomes(scored.basis, [run for _, run in runs], cutoff), strict=True)


def _texts(scored: Scored, corpus: PathLike | None) -> Corpus | None:
    return None if corpus is None else read_corpus(corpus, task=scored.basis.task)


def _header(corpus: Corpus | None) -> list[str]:
    titled = ["title"] if corpus is not None else []
    return ["run", "query", "document", "outcome", "change", *titled, "rank", "relevance"]


def _rows(runs: Iterable[tuple[str, Sequence[Outcome]]], corpus: Corpus | None) -> Iterator[list[Cell]]:
    for name, outcomes_of_run in runs:
        for outcome in outcomes_of_run:
            titled = [corpus.title(outcome.document, outcome.query)] if corpus is not None else []
            rank = _whole(outcome.rank) if outcome.rank else _NOT_RANKED
            texts = (outcome.query, outcome.document, outcome.outcome, outcome.change)
            yield [name, *texts, *titled, rank, _whole(outcome.relevance)]


def outcomes(basis: Basis, submissions: Iterable[Submission], cutoff: int | None = None) -> Iterator[list[Outcome]]:
    """The outcomes of each run's documents, one run after the other: see ``Errors``."""
    # the sides of a rationale are in its documents
    parts = [(part, qrels) for part, qrels in basis.qrels.items() if part in ("documents", "answers")]
    queries = [
        (part, query, {
            qrels.documents[row]: int(qrels.relevance[row])
            for row in range(int(qrels.start[index]), int(qrels.start[index + 1]))
        })
        for part, qrels in parts for index, query in enumerate(qrels.queries)
    ]  # fmt: skip
    previous: list[set[str]] | None = None
    for submission in submissions:
        lists, long_list = _ranks(basis, submission)
        rows: list[Outcome] = []
        current: list[set[str]] = []
        for index, (part, query, relevance) in enumerate(queries):
            ranks = lists.get(part, {}).get(query, {})
            retrieved = {document for document, rank in ranks.items() if cutoff is None or rank <= cutoff}
            beyond = long_list.get(query, {}) if part == "documents" else {}
            relevant = [document for document, level in relevance.items() if level >= 1]
            wrong = retrieved.symmetric_difference(relevant)
            before = wrong if previous is None else previous[index]
            returned = (document for document in ranks if document in retrieved)
            for document in dict.fromkeys([*relevant, *returned, *sorted(before)]):
                is_wrong, level = document in wrong, relevance.get(document, 0)
                change = "" if (document in before) == is_wrong else "worse" if is_wrong else "better"
                rank = ranks.get(document, beyond.get(document, 0))
                rows.append(Outcome(query, document, level, _OUTCOMES[level >= 1][is_wrong], rank, change))
            current.append(wrong)
        yield rows
        previous = current


#: part → query → document → rank
_Ranks = Mapping[str, Mapping[str, Mapping[str, int]]]


def _ranks(basis: Basis, submission: Submission) -> tuple[_Ranks, Mapping[str, Mapping[str, int]]]:
    """The ranks of what a run retrieved, and those of its long list."""
    read = records(submission, basis)
    ranks = {part: _ranked(record) for part, record in read.items() if part in ("documents", "answers", "long")}
    return ranks, ranks.pop("long", {})


def _ranked(record: Run | Answers) -> dict[str, dict[str, int]]:
    if isinstance(record, Answers):
        return {query: {LABEL[label]: 1} for query, label in record.labels.items()}
    return RunInMemory(record).ranks()
