"""Each document that a run found, missed or got wrong, query by query, and what changed from one run to the next."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from coliee_adapters.classes import NamedTuple
from coliee_adapters.files.source import PathLike
from coliee_adapters.records import Answers, Run
from coliee_ir.inbox.corpora import read_corpus
from coliee_ir.judging.gathered import Gathered
from coliee_ir.output.grid import Grid, Number
from coliee_ir.scoring.evaluator import Evaluator
from coliee_ir.scoring.submission import Submission, records

#: outcomes: relevant and retrieved, relevant and not retrieved, retrieved and not relevant, neither
FOUND: Final = "found"
MISSED: Final = "missed"
WRONG: Final = "wrong"
ABSENT: Final = "absent"

#: the outcomes of a relevant document and of another, the good one first
_GOOD: Final = {True: (FOUND, MISSED), False: (ABSENT, WRONG)}


class Outcome(NamedTuple):
    """What became of a document in a run; in a task of answers, of an answer Y or N."""

    query: str  # the query
    document: str  # the document, or the answer
    relevance: int  # its relevance in the gold; 0 for one that is not in it
    outcome: str  # ``found``, ``missed``, ``wrong``; ``absent`` for what only another run got wrong
    rank: int  # where the run, or its long list, has it; also beyond the cutoff; 0 where it does not
    change: str = ""  # ``better`` or ``worse`` than in the run before; empty for no change and in the first run


def outcomes(
    evaluator: Evaluator, submissions: Sequence[Submission], cutoff: int | None = None
) -> list[tuple[str, list[Outcome]]]:
    """The tag of each run and what became of its documents: queries and relevant documents in the order of the gold.

    A document that any of the runs retrieved has a row in each of them.
    """
    read = [_ranks(evaluator, submission) for submission in submissions]
    told: list[tuple[str, list[Outcome]]] = [(tag, []) for tag, _, _ in read]
    for part, qrels in evaluator.qrels.items():
        if part not in ("documents", "answers"):
            continue  # the sides of a rationale are in its documents
        for at, query in enumerate(qrels.queries):
            judged = range(int(qrels.start[at]), int(qrels.start[at + 1]))
            relevance = {qrels.documents[row]: int(qrels.relevance[row]) for row in judged}
            relevant = [document for document, level in relevance.items() if level >= 1]
            lists = [lists.get(part, {}).get(query, {}) for _, lists, _ in read]
            kept = [{d: r for d, r in ranks.items() if cutoff is None or r <= cutoff} for ranks in lists]
            documents = dict.fromkeys([*relevant, *(document for ranks in kept for document in ranks)])
            before: dict[str, bool] = {}
            for (_, rows), (_, _, longer), whole, ranks in zip(told, read, lists, kept, strict=True):
                beyond = longer.get(query, {}) if part == "documents" else {}
                for document in documents:
                    is_relevant = relevance.get(document, 0) >= 1
                    good = (document in ranks) == is_relevant
                    was, before[document] = before.get(document, good), good
                    rows.append(
                        Outcome(
                            query,
                            document,
                            relevance.get(document, 0),
                            _GOOD[is_relevant][0 if good else 1],
                            whole.get(document, beyond.get(document, 0)),
                            "" if was == good else "better" if good else "worse",
                        )
                    )
    return told


#: part → query → document → rank
_Ranks = Mapping[str, Mapping[str, Mapping[str, int]]]


def _ranks(evaluator: Evaluator, submission: Submission) -> tuple[str, _Ranks, Mapping[str, Mapping[str, int]]]:
    """The tag of a run, the ranks of what it retrieved, and those of its long list."""
    read = records(submission, evaluator.prepared, evaluator.read)
    parts = {}
    if read.documents is not None:
        parts["documents"] = _ranked(read.documents)
    if read.answers is not None:
        parts["answers"] = _answered(read.answers)
    return read.main.tag, parts, {} if read.long_list is None else _ranked(read.long_list)


def _ranked(run: Run) -> dict[str, dict[str, int]]:
    return {
        query: {document: rank for rank, document in enumerate(ranking, start=1)}
        for query, ranking in Gathered(run).rankings.items()
    }


def _answered(answers: Answers) -> dict[str, dict[str, int]]:
    return {query: {"Y" if label else "N": 1} for query, label in answers.labels.items()}


def table(
    runs: Sequence[tuple[str, Sequence[Outcome]]], corpus: PathLike | None = None, task: str | None = None
) -> Grid:
    """The outcomes of runs as a table: one row for each run, query and document."""
    texts = None if corpus is None else read_corpus(corpus, task=task)
    title = None if texts is None else lambda query, document: texts.title(document, query)
    header = ["run", "query", "document", "outcome", "change", *(["title"] if title else []), "rank", "relevance"]
    return Grid(header, list(_rows(runs, title)), n_text=len(header) - 2)


def _rows(
    runs: Sequence[tuple[str, Sequence[Outcome]]], title: Callable[[str, str], str] | None
) -> Iterator[list[str | Number]]:
    for tag, rows in runs:
        for row in rows:
            named = [title(row.query, row.document)] if title else []
            rank = Number(row.rank or float("nan"), str(row.rank or "-"))
            level = Number(row.relevance, str(row.relevance))
            yield [tag, row.query, row.document, row.outcome, row.change, *named, rank, level]
