"""A whole run in memory, for what needs its documents again after judging: conversion, fusion, cutoffs."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterator, Sequence
from functools import cached_property

import numpy as np

from coliee_adapters.classes import NamedTuple
from coliee_adapters.ids import Ids, mixed
from coliee_adapters.records import Answers, Columns, Run, as_labels
from coliee_adapters.remarks import Remarks
from coliee_ir.judging.order import FloatArray, as_compared, order_of


def by_rank(documents: Collection[str]) -> dict[str, float]:
    """Scores that number an order: the i-th of n documents has n - i, which float32 holds exactly."""
    return {document: float(len(documents) - at) for at, document in enumerate(documents)}


class _Part(NamedTuple):
    """Neighbouring lines of a query."""

    documents: Sequence[str]  # the documents
    scores: FloatArray  # their scores; 0 where there are none
    are_distinct: bool  # whether no document is known to come twice
    fall: bool  # whether each score is lower than the one before


def _parts(block: Columns, among: Container[str] | None) -> Iterator[tuple[str, _Part]]:
    """The parts of a block, in memory that holds nothing else of it."""
    segments = [one for one in block.segments() if among is None or one[0] in among]
    if not segments:
        return
    scores = np.zeros(len(block.documents)) if block.scores is None else np.asarray(block.scores, np.float64)
    starts, stops = np.array([span for _, *span in segments]).T
    lengths = stops - starts
    ends = np.cumsum(lengths)
    lines = np.arange(ends[-1]) + np.repeat(stops - ends, lengths)
    scores = scores[lines]
    compared = as_compared(scores)
    falls = np.append(compared[1:] < compared[:-1], True)
    falls[ends - 1] = True  # the next line is of another part
    are_distinct = np.zeros(len(segments), dtype=np.bool_)
    if isinstance(block.documents, Ids):
        documents: Sequence[str] = (ids := block.documents.at(lines).compact())
        are_distinct[:] = True
        of_part = np.repeat(np.arange(len(segments)), lengths)
        keys = mixed(ids.words(ids.words_needed()), of_part)
        order = np.argsort(keys)
        twice = order[1:][keys[order[1:]] == keys[order[:-1]]]  # or another document with an equal key
        are_distinct[of_part[twice]] = False
    else:
        documents = [block.documents[line] for line in lines.tolist()]
    fall = np.ones(len(segments), dtype=np.bool_)
    fall[np.searchsorted(ends, np.flatnonzero(~falls), side="right")] = False
    for at, (query, _, _) in enumerate(segments):
        rows = slice(int(ends[at] - lengths[at]), int(ends[at]))
        yield query, _Part(documents[rows], scores[rows], bool(are_distinct[at]), bool(fall[at]))


class Gathered:
    """A run in memory: query by query the documents in trec_eval's order, each once, with a score."""

    def __init__(self, run: Run, among: Container[str] | None = None) -> None:
        self.scored, self.path = run.scored, run.path
        self.lines = 0
        self.remarks = Remarks()
        self._numbered = run.scored  # or by ranks, where blocks have numbers though the run has no scores
        self._parts: dict[str, list[_Part]] = {}
        for block in run.blocks():
            self.lines += len(block.documents)
            self.remarks += block.remarks or Remarks()
            self._numbered = self._numbered or block.scores is not None
            for query, part in _parts(block, among):
                self._parts.setdefault(query, []).append(part)

    def rows(self) -> Iterator[tuple[str, Sequence[str], FloatArray]]:
        """Each query with its documents in order and their scores; once, for what has been given is let go."""
        while self._parts:
            query = next(iter(self._parts))
            yield query, *self._ordered(self._parts.pop(query))

    @cached_property
    def rankings(self) -> dict[str, dict[str, float]]:
        """Query → document → score, in order."""
        return {query: dict(zip(documents, scores.tolist(), strict=True)) for query, documents, scores in self.rows()}

    @cached_property
    def retrieved(self) -> int:
        """How many documents there are, each once a query."""
        return sum(map(len, self.rankings.values()))

    def _ordered(self, parts: Sequence[_Part]) -> tuple[Sequence[str], FloatArray]:
        if len(parts) == 1 and parts[0].are_distinct and (parts[0].fall or not self._numbered):
            documents: Sequence[str] = parts[0].documents
            return documents, parts[0].scores if self.scored else np.arange(len(documents), 0.0, -1.0)
        documents = [document for part in parts for document in part.documents]
        scores = np.concatenate([part.scores for part in parts])
        if len(set(documents)) < len(documents):
            best: dict[str, float] = {}
            for document, score in zip(documents, scores.tolist(), strict=True):
                if document not in best or score > best[document]:
                    best[document] = score
            documents, scores = list(best), np.array(list(best.values()))
        if self._numbered:
            compared = as_compared(scores)
            if not (compared[1:] < compared[:-1]).all():
                order = order_of(documents, scores)
                documents, scores = [documents[at] for at in order], scores[order]
        return documents, scores if self.scored else np.arange(len(documents), 0.0, -1.0)

    def answers(self) -> Answers | None:
        """The labels that the run stands for, if its documents are Y and N."""
        labels = as_labels(self.rankings)
        return None if labels is None else Answers(labels, path=self.path)
