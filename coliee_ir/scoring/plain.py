"""Many small runs in memory, judged and measured together; each scores as it would alone.

A run that is not plain, or of which there may be anything to remark, is left to ``judge_submission``.

dictionaries ──lines_of──▶ ranks of all runs ──▶ run → Judged ──compute_each──▶ Scores
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, repeat
from time import perf_counter
from typing import Any, Final

import numpy as np

from coliee_adapters.errors import ColieeError
from coliee_adapters.forms.json_records import is_record
from coliee_adapters.forms.rows import DICTIONARIES, NOT_PLAIN, ReadingRules, lines_of
from coliee_adapters.forms.vocabulary import MEMORY
from coliee_adapters.ids import Ids, IntArray
from coliee_adapters.records import Run, exact_id, normal_id
from coliee_adapters.remarks import Remark, Remarks
from coliee_ir.judging.judged import Judged
from coliee_ir.judging.mismatch import are_undoubted
from coliee_ir.judging.order import in_segments, segment_of, sort_keys, sorted_within
from coliee_ir.measures import Measure, compute_each
from coliee_ir.reading.basis import Basis
from coliee_ir.reading.submission import Submission
from coliee_ir.scoring.parts import JudgedSubmission
from coliee_ir.scoring.remarks import are_usual, remarks_of
from coliee_ir.scoring.scores import Scores, Timing

#: so many lines are judged together
_LINES: Final = 1 << 16

#: keys of dictionaries that are the columns of a table
_OF_TABLES: Final = ({"columns", "data"}, {"columns", "index", "data"})


def batches(submissions: Iterable[Submission]) -> Iterator[list[Submission]]:
    """The submissions, those in memory as many together as have about ``_LINES`` lines."""
    batch: list[Submission] = []
    n = 0
    for submission in submissions:
        batch.append(submission)
        run: Any = submission.run
        n += sum(len(one) for one in run.values() if type(one) is dict) if type(run) in DICTIONARIES else 0
        if n >= _LINES:
            yield batch
            batch, n = [], 0
    yield batch


def plain_scores(basis: Basis, submissions: Sequence[Submission], *, keep_judged: bool) -> list[Scores | None]:
    """The scores of runs of which nothing is to be remarked but what is of any; None for each other."""
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
        entries: dict[str, Any] = {query: {} for query in basis.queries}
        ids = Ids.plain(basis.queries, len(basis.queries))
        self.fits = (
            rules.parts == ("documents",)
            and not (rules.claims or rules.long_list or rules.not_itself or basis.columns)
            and basis.decisions.order != "ascending"
            and ids is not None
            and (self.reading.commas or not (b"," in ids.raw or b";" in ids.raw))
            and all(self.reading.ids(query) == query for query in basis.queries)
            and not (is_record(entries) or entries.keys() in _OF_TABLES)
            and all(part == "documents" for measure in basis.asked_measures for part in measure.needs)
        )
        self.measures: Sequence[Measure] = ()
        self.remarks: tuple[Remark, ...] = ()

    def lists_of(self, submission: Submission) -> list[dict[str, Any]] | None:
        """The documents of each query; None if a run has other queries, or might be read in another way."""
        run: Any = submission.run
        is_alone = submission.answers is None and submission.long_list is None
        if not (is_alone and type(run) in DICTIONARIES and len(run) == len(self.basis.queries)):
            return None
        lists = list(map(run.get, self.basis.queries))
        if set(map(type, lists)) != {dict} or not all(lists):
            return None
        return lists if any(one.keys() != lists[0].keys() for one in lists) else None

    def scores_of(self, submissions: Sequence[Submission], keep_judged: bool) -> list[Scores | None]:
        scored: list[Scores | None] = [None] * len(submissions)
        lists_of = map(self.lists_of, submissions) if self.fits else ()
        found = [(at, lists) for at, lists in enumerate(lists_of) if lists is not None]
        if not found:
            return scored
        start = perf_counter()
        lists = list(chain.from_iterable(lists for _, lists in found))
        try:
            lines = lines_of(lists, self.reading)
        except NOT_PLAIN:
            return scored
        if lines is None or (self.reading.ids is not exact_id and b".txt" in lines[1].raw):
            return scored
        starts, documents, scores = lines
        assert scores is not None
        read, n, qrels = perf_counter(), len(found), self.basis.qrels["documents"]
        # ranks
        lengths = starts[1:] - starts[:-1]
        ordered = in_segments(np.repeat(np.arange(len(lists)), lengths), sorted_within(sort_keys(scores), lengths))
        sizes, rows = qrels.sizes.tolist() * n, qrels.texts * n
        looked_up = map(dict.get, chain.from_iterable(map(repeat, lists, sizes)), rows)
        of_rows = np.fromiter(looked_up, np.float64, len(rows))  # what is not there, None, becomes NaN
        hits = np.flatnonzero(~np.isnan(of_rows))
        segment = np.repeat(np.arange(len(lists)), sizes)[hits]
        ranks: IntArray = np.zeros(len(rows), np.int64)
        ranks[hits] = np.searchsorted(ordered, in_segments(segment, sort_keys(of_rows[hits]))) - starts[segment] + 1
        ranks, retrieved = ranks.reshape(n, -1), lengths.reshape(n, -1)
        # which are left to the ordinary way
        begin = starts[:: len(self.basis.queries)]
        are_plain = are_undoubted(qrels, documents, begin, ranks) & are_usual(qrels, ranks, retrieved)
        are_plain &= ~np.logical_and.reduceat((scores == 0) | (scores == 1), begin[:-1])
        are_plain[segment_of(ordered[1:][ordered[1:] == ordered[:-1]]) // len(self.basis.queries)] = False
        plain = np.flatnonzero(are_plain).tolist()
        if not plain:
            return scored
        # measures
        all_answered, none = np.ones(len(self.basis.queries), np.bool_), np.zeros(len(self.basis.queries), np.int64)
        share = (read - start) / n
        n_lines = np.diff(begin).tolist()
        every = [
            Judged(qrels, ranks[run], retrieved[run], none, all_answered, {}, Remarks(), n_lines[run], share)
            for run in plain
        ]
        judged = perf_counter()
        if not self.measures:
            done = JudgedSubmission(
                submissions[found[plain[0]][0]], {"run": Run.of({})}, {"documents": every[0]}, self.basis
            )
            self.remarks, self.measures = tuple(remarks_of(done)), done.measures
        results = compute_each(self.measures, [{"documents": one} for one in every], self.basis.decisions)
        correct = ((ranks > 0) & (qrels.relevance >= 1)).sum(axis=1).tolist()
        relevant, excluded = int(qrels.relevant().sum()), tuple(sorted(self.basis.excluded))
        times = share, (judged - start) / n, (perf_counter() - judged) / n
        for run, one, of_run in zip(plain, every, results, strict=True):
            at = found[run][0]
            scored[at] = Scores(
                tag=submissions[at].name or "run",
                file=MEMORY,
                gold=self.basis.gold.path,
                task=self.basis.task,
                edition=self.basis.edition,
                results=dict(zip(self.measures, of_run, strict=True)),
                query_ids=self.basis.queries,
                answered=[True] * len(self.basis.queries),
                counts={"correct": correct[run], "retrieved": one.lines, "relevant": relevant},
                extra=0,
                excluded=excluded,
                own_remarks=self.remarks,
                decisions=self.basis.decisions,
                timing=Timing(one.lines, *times),
                judged={"documents": one} if keep_judged else {},
                team=submissions[at].team,
            )
        return scored
