"""A run in trec_eval's order, some queries at a time: what is written, cut or fused need not fit into memory."""

from __future__ import annotations

import pickle
import tempfile
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Final, TypeVar

import numpy as np

from coliee_adapters.errors import disk_full
from coliee_adapters.ids import Ids, IntArray
from coliee_adapters.records import Answers, Columns, Run, as_labels
from coliee_adapters.remarks import Remarks
from coliee_ir.judging.gathered import RunInMemory, by_rank
from coliee_ir.judging.judged import BoolArray, FloatArray
from coliee_ir.judging.order import whole_queries

_Result = TypeVar("_Result")

#: bytes of a run that are kept in memory
IN_MEMORY: Final = 1 << 22


class ReturnsError(Exception):
    """A query comes back whose lines were taken for complete."""


class Spool:
    """The blocks of a run in order, each document once; in a temporary file once they are many.

    Attributes:
        lengths: query → how many documents it has.
        remarks: those of the blocks.
    """

    def __init__(self) -> None:
        self.lengths, self.remarks = dict[str, int](), Remarks()
        self._file = tempfile.SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115 - lives as long as the run
        weakref.finalize(self, self._file.close)
        self._starts: list[int] = []

    def append(self, block: Columns) -> None:
        """Keep a block."""
        self.lengths.update(zip(block.queries, block.lengths.tolist(), strict=True))
        self.remarks += block.remarks
        try:
            self._starts.append(self._file.tell())
            pickle.dump(block, self._file, protocol=5)
        except OSError as error:
            raise disk_full("the run", error) from None

    def __call__(self) -> Iterator[Columns]:
        for start in self._starts:
            self._file.seek(start)
            yield pickle.load(self._file)

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        return partial, (iter, list(self()))


def by_parts(run: Run, work: Callable[[Iterable[RunInMemory]], _Result]) -> _Result:
    """What some work makes of a run, some queries at a time; of a run whose queries come back, of all at once."""
    try:
        return work(_parts(run))
    except ReturnsError:
        return work([RunInMemory(run)])


def _parts(run: Run) -> Iterator[RunInMemory]:
    seen = set[str]()
    for block in whole_queries(run.blocks()):
        if len({*block.queries}) < len(block.queries) or not seen.isdisjoint(block.queries):
            raise ReturnsError
        seen.update(block.queries)
        yield RunInMemory(replace(run, blocks=partial(iter, (block,))))


def tied_at_cut(query: IntArray, compared: FloatArray, kept: BoolArray) -> IntArray:
    """The queries of rows, the best first, of which one that is kept and the next, which is not, have equal scores."""
    is_cut = kept[:-1] & ~kept[1:] & (query[1:] == query[:-1])
    return np.unique(query[1:][is_cut & (compared[1:] == compared[:-1])])


class Ordered(Mapping[str, dict[str, float]]):
    """The documents of each query of a run, in order and each once; read anew whenever they are asked for.

    Attributes:
        repeated: how many lines repeat a document.
        lengths: query → how many documents it has.
        remarks: what was tolerated in the run.
    """

    def __init__(self, run: Run) -> None:
        self.scored, self.path = run.scored, run.path
        self.repeated, self._blocks = (0, run.blocks) if isinstance(run.blocks, Spool) else by_parts(run, _spooled)
        self.lengths, self.remarks = self._blocks.lengths, self._blocks.remarks

    @property
    def retrieved(self) -> int:
        """How many documents there are, each once a query."""
        return sum(self.lengths.values())

    def __getitem__(self, query: str) -> dict[str, float]:
        return dict(self.items())[query]

    def __iter__(self) -> Iterator[str]:
        return iter(self.lengths)

    def __len__(self) -> int:
        return len(self.lengths)

    def items(self) -> Iterator[tuple[str, dict[str, float]]]:  # type: ignore[override]  # nothing is looked up
        for block in self._blocks():
            documents, scores = list(block.documents), None if block.scores is None else block.scores.tolist()
            for query, first, last in block.segments():
                ranked = documents[first:last]
                yield query, by_rank(ranked) if scores is None else dict(zip(ranked, scores[first:last], strict=True))

    def answers(self) -> Answers | None:
        """The labels that the run stands for, if its documents are Y and N."""
        labels = as_labels(dict(self.items())) if {*self.lengths.values()} == {1} else None
        return None if labels is None else Answers(labels, path=self.path)


def _spooled(parts: Iterable[RunInMemory]) -> tuple[int, Spool]:
    """How many lines repeat a document, and the others in order."""
    blocks, lines = Spool(), 0
    for part in parts:
        lines += part.lines
        rows = list(part.rows())
        lengths = {query: len(documents) for query, documents, _ in rows}
        documents = Ids.joined([documents for _, documents, _ in rows])
        scores = np.concatenate([np.zeros(0), *(scores for _, _, scores in rows)])
        blocks.append(Columns(lengths, np.cumsum([0, *lengths.values()]), documents, scores, remarks=part.remarks))
    return lines - sum(blocks.lengths.values()), blocks
