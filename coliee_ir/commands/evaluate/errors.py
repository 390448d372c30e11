"""Each document that a run found, missed or got wrong, query by query, and what changed from one run to the next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from coliee_adapters.checked import one_of
from coliee_adapters.corpora import Corpus
from coliee_adapters.errors import UsageError
from coliee_adapters.files.source import PathLike
from coliee_adapters.records import Answers, Run
from coliee_ir._version import __version__
from coliee_ir.inbox.corpora import read_corpus
from coliee_ir.judging.gathered import Gathered
from coliee_ir.output.grid import Cell, Grid, Number
from coliee_ir.output.shown import Shown, jsonable
from coliee_ir.reading.basis import Basis
from coliee_ir.reading.submission import Submission
from coliee_ir.scoring.parts import records
from coliee_ir.scoring.scores import Scored

#: the outcomes of a relevant document and of another, the good one first
_OUTCOMES: Final = {True: ("found", "missed"), False: ("absent", "wrong")}


class Outcome(NamedTuple):
    """What became of a document in a run; in a task of answers, of an answer Y or N."""

    query: str  # the query
    document: str  # the document, or the answer
    relevance: int  # its relevance in the gold; 0 for one that is not in it
    outcome: str  # ``found``, ``missed``, ``wrong``; ``absent`` for what only another run got wrong
    rank: int  # where the run, or its long list, has it; also beyond the cutoff; 0 where it does not
    change: str = ""  # ``better`` or ``worse`` than in the run before; empty for no change and in the first run


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Errors(Shown):
    """What became of each document in each run.

    Attributes:
        runs: the tag of each run and what became of its documents: queries and relevant documents in the order of the
            gold. A document that any of the runs retrieved has a row in each of them.
        corpus: the texts, for titles; None for none.
    """

    runs: Sequence[tuple[str, Sequence[Outcome]]]
    corpus: Corpus | None = None

    def __repr__(self) -> str:
        return f"Errors({[tag for tag, _ in self.runs]})"

    def tables(self) -> Sequence[Grid]:
        """A row for each run, query and document."""
        titled = ["title"] if self.corpus is not None else []
        header = ["run", "query", "document", "outcome", "change", *titled, "rank", "relevance"]
        rows: list[list[Cell]] = [
            [tag, one.query, one.document, one.outcome, one.change,
             *([self.corpus.title(one.document, one.query)] if self.corpus is not None else []),
             Number(one.rank or float("nan"), str(one.rank or "-")), Number(one.relevance, str(one.relevance))]
            for tag, of_run in self.runs
            for one in of_run
        ]  # fmt: skip
        return [Grid(header, rows, n_text=len(header) - 2)]

    def to_dict(self) -> dict[str, Any]:
        """The runs, each with what became of its documents."""
        runs = [{"tag": tag, "documents": jsonable(of_run)} for tag, of_run in self.runs]
        return {"coliee_ir": __version__, "runs": runs}


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
    >>> [(one.document, one.outcome) for one in errors(scored).runs[0][1]]
    [('a', 'found'), ('b', 'missed'), ('c', 'wrong')]
    """
    found: Scored = one_of("scored", scored, Scored, "what evaluate_all gives")
    if found.keep == "scores":
        raise UsageError("not-comparable", "errors are told by the gold and the runs; only scores were read")
    cutoff = getattr(next(iter(found.measures), None), "cutoff", None)
    texts = None if corpus is None else read_corpus(corpus, task=found.basis.task)
    there = [(scores.name, one) for scores, one in zip(found, found.submissions, strict=True) if one is not None]
    told = outcomes(found.basis, [one for _, one in there], cutoff)
    return Errors([(tag, rows) for (tag, _), (_, rows) in zip(there, told, strict=True)], texts)


def outcomes(
    basis: Basis, submissions: Sequence[Submission], cutoff: int | None = None
) -> list[tuple[str, list[Outcome]]]:
    """The tag of each run and what became of its documents: see ``Errors``."""
    read = [_ranks(basis, submission) for submission in submissions]
    told: list[tuple[str, list[Outcome]]] = [(tag, []) for tag, _, _ in read]
    for part, qrels in basis.qrels.items():
        if part not in ("documents", "answers"):
            continue  # the sides of a rationale are in its documents
        for at, query in enumerate(qrels.queries):
            judged = range(int(qrels.start[at]), int(qrels.start[at + 1]))
            relevance = {qrels.documents[row]: int(qrels.relevance[row]) for row in judged}
            relevant = [document for document, level in relevance.items() if level >= 1]
            lists = [lists.get(part, {}).get(query, {}) for _, lists, _ in read]
            kept = [{d: r for d, r in ranks.items() if cutoff is None or r <= cutoff} for ranks in lists]
            documents = dict.fromkeys([*relevant, *(document for ranks in kept for document in ranks)])
            place = {document: at for at, document in enumerate(documents)}
            is_first, was_wrong = True, set[str]()
            for (_, rows), (_, _, longer), whole, ranks in zip(told, read, lists, kept, strict=True):
                beyond = longer.get(query, {}) if part == "documents" else {}
                wrong = set[str]()
                # a document that is absent, and was so in the run before, has nothing to tell
                for document in sorted({*relevant, *ranks, *was_wrong}, key=place.__getitem__):
                    is_relevant = relevance.get(document, 0) >= 1
                    good = (document in ranks) == is_relevant
                    was = good if is_first else document not in was_wrong
                    if not good:
                        wrong.add(document)
                    rows.append(
                        Outcome(
                            query,
                            document,
                            relevance.get(document, 0),
                            _OUTCOMES[is_relevant][0 if good else 1],
                            whole.get(document, beyond.get(document, 0)),
                            "" if was == good else "better" if good else "worse",
                        )
                    )
                is_first, was_wrong = False, wrong
    return told


#: part → query → document → rank
_Ranks = Mapping[str, Mapping[str, Mapping[str, int]]]


def _ranks(basis: Basis, submission: Submission) -> tuple[str, _Ranks, Mapping[str, Mapping[str, int]]]:
    """The tag of a run, the ranks of what it retrieved, and those of its long list."""
    read = records(submission, basis)
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
