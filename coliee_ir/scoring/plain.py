"""Many small runs in memory, judged and measured together; each scores as it would alone.

A run that is not plain, or of which there may be anything to remark, is left to ``judge_submission``.

dictionaries ──lines_of──▶ ranks of all runs ──▶ run → Judged ──compute_each──▶ Scores
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from itertools import chain, repeat
from time import perf_counter
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from coliee_adapters.errors import ColieeError
from coliee_adapters.forms.json_records import is_record
from coliee_adapters.forms.rows import DICTIONARIES, NOT_PLAIN, ReadingRules, lines_of
from coliee_adapters.ids import Ids
from coliee_adapters.records import Run, are_normal, exact_id, normal_id
from coliee_adapters.remarks import Remarks
from coliee_ir.judging.judged import Judged
from coliee_ir.judging.mismatch import SAMPLE, are_undoubted
from coliee_ir.judging.order import in_segments, segment_of, sort_keys, sorted_within
from coliee_ir.measures import Measure, compute_each
from coliee_ir.reading.basis import Basis
from coliee_ir.reading.submission import Submission
from coliee_ir.scoring.parts import JudgedSubmission
from coliee_ir.scoring.remarks import are_usual, remarks_of
from coliee_ir.scoring.scores import Scores, Timing

#: so many lines are judged together, where any run has at most so many: longer ones take as long alone
_LINES: Final = 1 << 16
_MOST: Final = 1 << 15

_NONE: Final = MappingProxyType[str, float]({})

#: keys of dictionaries that are the columns of a table
_OF_TABLES: Final = ({"columns", "data"}, {"columns", "index", "data"})


def batches(submissions: Iterable[Submission]) -> Iterator[list[Submission]]:
    """The submissions, those in memory as many together as have about ``_LINES`` lines."""
    batch: list[Submission] = []
    n = 0
    for submission in submissions:
        batch.append(submission)
        n += _n_lines(submission)
        if n >= _LINES:
            yield batch
            batch, n = [], 0
    yield batch


def _n_lines(submission: Submission) -> int:
    """How many lines a run in a dictionary has; 0 for any other."""
    run: Any = submission.run
    with suppress(TypeError):  # of what has no length
        return sum(map(len, run.values())) if type(run) in DICTIONARIES else 0
    return 0


def plain_scores(basis: Basis, submissions: Sequence[Submission], *, keep_judged: bool) -> list[Scores | None]:
    """The scores of runs of which nothing is to be remarked but what is of any; None for each other."""
    if not any(0 < _n_lines(submission) <= _MOST for submission in submissions):
        return [None] * len(submissions)
    try:
        return _Plain(basis).scores_of(submissions, keep_judged)
    except (ColieeError, MemoryError):  # which each meets alone
        return [None] * len(submissions)


@lru_cache(maxsize=4)
class _Plain:
    """What all plain runs have in common that are scored on a basis."""

    def __init__(self, basis: Basis) -> None:
        rules, self.basis = basis.protocol, basis
        are_named = not (basis.read_as is None and rules.run is None)
        exact = are_named and rules.exact_ids
        self.reading = ReadingRules(exact_id if exact else normal_id, exact or not are_named)
        entries = dict.fromkeys(basis.queries, _NONE)
        ids = Ids.plain(basis.queries, len(basis.queries))
        self.fits = (
            rules.parts == ("documents",)
            and not (rules.claims or rules.long_list or rules.not_itself or basis.columns)
            and basis.decisions.order != "ascending"
            and ids is not None
            and (self.reading.commas or not (b"," in ids.raw or b";" in ids.raw))
            and (exact or are_normal(basis.queries))
            and not (is_record(entries) or entries.keys() in _OF_TABLES)
            and all(part == "documents" for measure in basis.asked_measures for part in measure.needs)
        )
        #: of a run that is plain: how many documents of each query are repeated, and which queries are answered
        self.same_arrays = np.zeros(len(basis.queries), np.int64), np.ones(len(basis.queries), np.bool_)
        self.measures: Sequence[Measure] = ()
        self.like: Scores | None = None

    def lists_of(self, submission: Submission) -> list[dict[str, Any]] | None:
        """The documents of each query; None if a run has other queries, or might be read in another way."""
        run: Any = submission.run
        is_alone = submission.answers is None and submission.long_list is None
        if not (is_alone and type(run) in DICTIONARIES and len(run) == len(self.basis.queries)):
            return None
        lists = list(map(run.get, self.basis.queries))
        if set(map(type, lists)) != {dict} or not all(lists):
            return None
        if any(map(dict.__contains__, lists[:SAMPLE], self.basis.queries)):  # they may retrieve themselves
            return None
        return lists if any(documents.keys() != lists[0].keys() for documents in lists) else None

    def scores_of(self, submissions: Sequence[Submission], keep_judged: bool) -> list[Scores | None]:
        """See ``plain_scores``."""
        scored: list[Scores | None] = [None] * len(submissions)
        lists_of = dict(enumerate(map(self.lists_of, submissions))) if self.fits else {}
        plain = {place: lists for place, lists in lists_of.items() if lists is not None}
        start = perf_counter()
        judged = self._judged(plain) if plain else {}
        if not judged:
            return scored
        if self.like is None:
            self.like = self._like(next(iter(judged.values())))
        middle, like = perf_counter(), self.like
        parts = [{"documents": documents} for documents in judged.values()]
        results = compute_each(self.measures, parts, self.basis.decisions)
        judging, measuring = (middle - start) / len(plain), (perf_counter() - middle) / len(judged)
        ranks = np.array([documents.rank for documents in judged.values()])
        correct = ((ranks > 0) & (self.basis.qrels["documents"].relevance >= 1)).sum(axis=1).tolist()
        for (place, documents), of_run, own, n_correct in zip(judged.items(), results, parts, correct, strict=True):
            scored[place] = replace(
                like,
                tag=submissions[place].name or like.tag,
                results=dict(zip(self.measures, of_run, strict=True)),
                answered=[True] * len(like.query_ids),
                counts={**like.counts, "correct": n_correct, "retrieved": documents.lines},
                timing=Timing(documents.lines, documents.reading, judging, measuring),
                judged=own if keep_judged else {},
                team=submissions[place].team,
            )
        return scored

    def _judged(self, runs: Mapping[int, list[dict[str, Any]]]) -> dict[int, Judged]:
        """The plain ones of some runs, by their places."""
        start, n, lists = perf_counter(), len(runs), list(chain.from_iterable(runs.values()))
        try:
            lines = lines_of(lists, self.reading)
        except NOT_PLAIN:
            return {}
        if lines is None or (self.reading.ids is not exact_id and b".txt" in lines[1].raw):
            return {}
        reading = (perf_counter() - start) / n
        starts, documents, scores = lines
        assert scores is not None
        qrels, lengths = self.basis.qrels["documents"], starts[1:] - starts[:-1]
        keys = sorted_within(sort_keys(scores), lengths)
        ordered = in_segments(np.repeat(np.arange(len(lists)), lengths), keys)
        are_plain = np.ones(n, np.bool_)
        are_plain[segment_of(ordered[1:][ordered[1:] == ordered[:-1]]) // len(self.basis.queries)] = False
        if not are_plain.any():
            return {}
        # what is looked up; None, of what is not there, becomes NaN
        rows = qrels.texts * n
        entries = chain.from_iterable(map(repeat, lists, qrels.sizes.tolist() * n))
        looked_up = np.fromiter(map(dict.get, entries, rows), np.float64, len(rows))
        hits = (looked_up == looked_up).nonzero()[0]
        run, row = np.divmod(hits, len(qrels.texts))
        segment = run * len(self.basis.queries) + qrels.query[row]
        ranks = np.zeros((n, len(qrels.relevance)), np.int64)
        places = ordered.searchsorted(in_segments(segment, sort_keys(looked_up[hits])))
        ranks[run, row] = places - starts[segment] + 1
        # those of which there may be more to say
        retrieved, begin = lengths.reshape(n, -1), starts[:: len(self.basis.queries)]
        are_plain &= are_undoubted(qrels, documents, begin, ranks) & are_usual(qrels, ranks, retrieved)
        are_plain &= ~np.logical_and.reduceat((scores == 0) | (abs(scores) == 1), begin[:-1])
        n_lines, names = (begin[1:] - begin[:-1]).tolist(), list(runs)
        return {
            names[i]: Judged(qrels, ranks[i], retrieved[i], *self.same_arrays, {}, Remarks(), n_lines[i], reading)
            for i in are_plain.nonzero()[0].tolist()
        }

    def _like(self, judged: Judged) -> Scores:
        """What the scores of a plain run have in common with those of all others."""
        done = JudgedSubmission(Submission({}), {"run": Run.of({})}, {"documents": judged}, self.basis)
        self.measures = done.measures
        return Scores(
            **done.names,
            gold=self.basis.gold.path,
            task=self.basis.task,
            edition=self.basis.edition,
            results={},
            query_ids=self.basis.queries,
            answered=(),
            counts={"correct": 0, "retrieved": 0, "relevant": int(judged.qrels.relevant().sum())},
            extra=0,
            excluded=tuple(sorted(self.basis.excluded)),
            own_remarks=tuple(remarks_of(done)),
            decisions=self.basis.decisions,
        )
