"""Several runs fused into one: scores combined, sets and answers put to the vote, weights fitted to labelled queries.

runs ──Candidates──▶ parts a run ──weights──▶ scores ──▶ ranking ──▶ Run
                                     ▲                      │
                                     └────── search ◀─────measure on the ranks of the judged documents

A query or document that a run lacks adds nothing. Equal scores stand in trec_eval's order.

ranx, which has these methods, refuses runs of different queries, ranks equal scores in the order of a dictionary, and
compiles for 24 s (0.3.21). Where both can score, its tests hold the one to the other.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import combinations
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

import numpy as np

from coliee_adapters.checked import is_finite, is_integer_within, one_of, suggesting_keywords
from coliee_adapters.errors import InputError, UsageError, quoted, shortened
from coliee_adapters.files.source import PathLike, Source, copies
from coliee_adapters.forms import json_text
from coliee_adapters.forms.lines import counted
from coliee_adapters.forms.vocabulary import MEMORY
from coliee_adapters.records import Answers, Run, RunLike
from coliee_adapters.remarks import Remark
from coliee_ir.commands.convert.streams import ReturnsError, Spool
from coliee_ir.commands.fuse.methods import (
    METHODS,
    NORMS,
    Blend,
    Candidates,
    Reader,
    batch_fusion,
    counted_votes,
    elected,
)
from coliee_ir.judging.judged import FloatArray
from coliee_ir.judging.order import check_order
from coliee_ir.output.rendering import fields_by_name
from coliee_ir.reading.anything import in_order, is_gold_by_name, read_run, reads_as_gold
from coliee_ir.reading.submission import unique_names
from coliee_ir.rules.choices import CHOICES, NORM, TIES, K
from coliee_ir.scoring.scores import warn_of_doubts

__all__ = ["METHODS", "NORMS", "Fused", "Fusion", "fuse", "read_all", "usual"]

#: a run with so many documents has some in common with others, if they are of one collection
_ENOUGH: Final = 20
#: a mean correlation below this is no chance of what two lists have in common
_OPPOSED: Final = -0.2
#: the tag of a run in memory to which nobody gave one
NAMELESS: Final = "run"

#: who reads rankings, and the candidates of some queries at a time
_Read = tuple[Sequence[Reader], Iterable[Candidates]]

#: a parameter of a fusion → its option
OPTIONS: Final = {"norm": "--norm", "k": "--rrf-k", "weights": "--weights", "top": "--top", "ties": "--ties"}


class Fused(NamedTuple):
    """What came of a fusion.

    Attributes:
        run: the fused run, or answers.
        remarks: what there is to say of it, in sentences.
        ties: for answers, the queries where both labels had the same weight.
    """

    run: Run | Answers
    remarks: tuple[str, ...]
    ties: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Fusion:
    """A method of fusion with its parameters. A parameter that the method does not take is None.

    Attributes:
        method: ``rrf``, ``combsum``, ``combmnz`` for rankings; ``union``, ``intersection``, ``vote`` for sets; ``vote``
            for answers.
        norm: how the scores of a run for a query are normalised first: ``min-max`` (the default), ``max``,
            ``zscore``, ``borda`` or ``none``.
        k: of reciprocal rank fusion; 60 by default.
        weights: one a run, in their order; by default all are 1. A run of weight 0 might as well not be there.
        top: keep the first so many fused documents of each query; by default all.
        ties: for a vote on answers, what equal weights give: ``N`` (the default), ``Y``, or ``first``: what the first
            run says that answers.
        runs: the tags of the runs that the weights belong to, where they are known; empty for a run that has none.
        files: the names of their files, where two of them have one tag.
        order: ``ascending`` for runs whose lowest scores are best; they are turned around.

    Raises:
        UsageError: a method or parameter that does not exist, does not fit, or has no such value.
    """

    method: str = "rrf"
    norm: str | None = None
    k: float | None = None
    weights: tuple[float, ...] | None = None
    top: int | None = None
    ties: str | None = None
    runs: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    order: str = "descending"

    def __post_init__(self) -> None:
        named: dict[str, tuple[object, Iterable[str]]] = {
            "order": (self.order, CHOICES["order"]), "method": (self.method, METHODS),
            "norm": (self.norm or NORM, NORMS), "ties": (self.ties or TIES[0], TIES),
        }  # fmt: skip
        for name, (value, known) in named.items():
            if one_of(name, value, str, "a name") not in known:
                kind = "unknown-name" if name in ("method", "norm") else "bad-value"
                raise UsageError(kind, f"{name} cannot be {value!r}; choose one of {', '.join(known)}")
        takes = METHODS[self.method].takes
        for name, option in OPTIONS.items():
            if getattr(self, name) is not None and name not in takes:
                its = ", ".join(OPTIONS[parameter] for parameter in OPTIONS if parameter in takes) or "no option"
                raise UsageError(
                    "unfit-option", f"{option} does not apply to --method {self.method}, which takes {its}"
                )
        if self.k is not None and not (is_finite(self.k) and self.k >= 0):
            raise UsageError("bad-value", f"k must be a number ≥ 0, not {self.k!r}")
        if self.top is not None and not is_integer_within(self.top, 1):
            raise UsageError("bad-value", f"top must be an integer ≥ 1, not {self.top!r}")
        if self.weights is not None:
            weights = tuple(one_of("weights", self.weights, Iterable, "a list of numbers"))
            for weight in weights:
                if not (is_finite(weight) and weight >= 0):
                    raise UsageError("bad-value", f"a weight must be a number ≥ 0, not {weight!r}")
            if not any(weights):
                raise UsageError("bad-value", "at least one weight must be greater than 0")
            # a list, or NumPy's numbers, become what is equal, hashed and written alike everywhere
            object.__setattr__(self, "weights", tuple(map(float, weights)))

    def fuse(
        self,
        *runs: RunLike,
        task: str | int | None = None,
        tag: str | None = None,
        columns: Mapping[str, str] | None = None,
        unreadable_answers: Literal["refuse", "wrong"] = "refuse",
    ) -> Fused:
        """The runs fused; arguments and errors are those of ``fuse``."""
        records = read_all(runs, task=task, columns=columns, unreadable_answers=unreadable_answers)
        if not self.runs:  # which were told from the gold when weights were fitted
            _refuse_gold(*records)
        return self.of_records(records, tag)

    def of_records(self, records: Sequence[Run | Answers], tag: str | None, read: _Read | None = None) -> Fused:
        """The runs fused; ``read`` is what was read of rankings before.

        :meta private:
        """
        records = [in_order(record, self.order) for record in records]
        names = unique_names([("", record.tag, 0) for record in records])
        is_ranking = METHODS[self.method].ranks
        weights, remarks = self._weights(records)
        twins = zip(names, copies(record.path for record in records), strict=True)  # what is given twice counts twice
        remarks += [Remark.of("identical", run=shortened(name), twin=twin) for name, twin in twins if twin]
        golds = [shortened(record.path) for record in records if is_gold_by_name(record.path)]
        remarks += [Remark.of("gold-itself.name", run=gold) for gold in golds]
        name = self.method if tag is None else tag
        answers = [record for record in records if isinstance(record, Answers)]
        if answers:
            return self._answers(answers, names, weights, remarks, name)
        if self.ties is not None:
            raise UsageError("unfit-option", "--ties applies to votes on labels only")
        rankings = [record for record in records if isinstance(record, Run)]
        with asking_about_gold():
            try:
                blocks, more = self._rankings(names, weights, read or _read(rankings, in_memory=False))
            except ReturnsError:
                blocks, more = self._rankings(names, weights, _read(rankings, in_memory=True))
        remarks += [*more, *(self._unscored(rankings, names) if is_ranking else [])]
        return Fused(Run(blocks, name, is_ranking, grouped=True), tuple(remarks))

    def _rankings(self, names: Sequence[str], weights: FloatArray, read: _Read) -> tuple[Spool, list[str]]:
        """Rankings fused, some queries at a time; and what there is to say of them."""
        (readers, parts), is_ranking, blocks = read, METHODS[self.method].ranks, Spool()
        (named, shared), retrieved = np.zeros((2, len(readers)), dtype=np.int64), set[str]()
        first = list[str]()  # the ids of the first documents
        cut = list[str]()  # the queries whose fused list is cut between equal scores
        tied = [list[str]() for _ in readers]  # the queries for which a run gives several documents one score
        pairs = list(combinations(range(len(readers)), 2))
        correlated: dict[tuple[int, int], list[FloatArray]] = {pair: [np.zeros(0)] for pair in pairs}
        for candidates in parts:
            for pair, of_queries in correlated.items():
                of_queries.append(candidates.correlations(*pair))
            named += candidates.named.sum(axis=1)
            shared += (candidates.named & (candidates.named.sum(axis=0) > 1)).sum(axis=1)
            first = first or list(candidates.documents)
            if is_ranking:
                for i, queries_tied in enumerate(tied):
                    queries_tied += map("query {}".format, candidates.tied(i))
                blend = self.blend(candidates)
                ranked = blend.ranked(weights)
                block = blend.columns(ranked, self.top)
                cut += map("query {}".format, blend.tied_at(ranked, self.top))
            else:
                block = elected(candidates, self.method, weights)
            retrieved.update(block.queries)
            blocks.append(block)
        remarks = list[str]()
        for called, reader, n, queries_tied in zip(names, readers, named.tolist(), tied, strict=True):
            reader.remarks.add("duplicate", n=sum(reader.lengths.values()) - n)
            if 2 * len(queries_tied) >= len(reader.lengths):  # fewer are so by chance
                reader.remarks.each("tie", queries_tied)
            if is_ranking:
                check_order(reader.remarks, self.method)
                reader.remarks.each("rank-order", map("query {}".format, reader.otherwise))
            remarks += [sentence.of_part("run", shortened(called)) for sentence in reader.remarks.sentences("fuse")]
        for i, other in pairs if is_ranking else ():
            if _is_opposed(np.concatenate(correlated[i, other])):
                remarks.append(Remark.of("upside-down.opposed", run=shortened(names[i]), other=shortened(names[other])))
        queries = list(dict.fromkeys(query for reader in readers for query in reader.lengths))
        answered = [{query for query, n in reader.lengths.items() if n} for reader in readers]
        for ids in ({*queries}, {*first}):
            remarks += _without_zeros(ids)
        remarks += _unshared(names, answered)
        for i in np.flatnonzero((shared == 0) & (named >= _ENOUGH)).tolist():
            if any(answered[i] & by_another for j, by_another in enumerate(answered) if j != i):
                remarks.append(Remark.of("unshared-document", run=shortened(names[i]), n=int(named[i])))
        empty = [query for query in queries if query not in retrieved and any(query in run for run in answered)]
        remarks += [Remark.of("tie.cut", cut)] if cut else []
        if not is_ranking and retrieved and empty:
            remarks.append(Remark.of("left-out.fused", empty))
        if not retrieved:
            raise UsageError("no-result", f"the result is empty: no query has a document for {self.method}")
        return blocks, remarks

    def blend(self, candidates: Candidates) -> Blend:
        """Candidates by this method.

        :meta private:
        """
        return Blend(candidates, self.method, self.norm or NORM, K if self.k is None else float(self.k))

    def _answers(
        self, answers: Sequence[Answers], names: Sequence[str], weights: FloatArray, remarks: list[str], tag: str
    ) -> Fused:
        if self.method != "vote":
            raise UsageError("unfit-option", f"answers can only be fused by vote, not by {self.method}")
        ties = self.ties or TIES[0]
        labels, tied = counted_votes(answers, weights, ties)
        if not labels:
            raise UsageError("no-result", "the result is empty: no run with a weight answers a query")
        for called, run in zip(names, answers, strict=True):
            remarks += [sentence.of_part("run", shortened(called)) for sentence in run.remarks.sentences("fuse")]
        remarks += _unshared(names, [set(run.labels) for run in answers])
        if tied:
            how = "as in the first run that answers" if ties == "first" else ties
            remarks.append(Remark.of("answer-tie", tied, label=how, ties=ties))
        return Fused(Answers(labels, tag), tuple(remarks), tied)

    def _weights(self, records: Sequence[Run | Answers]) -> tuple[FloatArray, list[str]]:
        """The weight of each run, and what there is to say of that."""
        if self.weights is None:
            return np.ones(len(records)), []
        tags = [[*self.runs], [tag_of(record) for record in records]]  # of the fitting, and given
        texts = [", ".join(shortened(tag) or "one without a tag" for tag in of_runs) for of_runs in tags]
        if len(self.weights) != len(records):
            problem = f"{counted(len(self.weights), 'weight')} for {len(records)} runs: give one a run"
            about = "; fitted to {}; given: {}".format(*texts) if self.runs else ""
            raise UsageError("bad-value", problem + about)
        if not self.runs:
            return np.array(self.weights), []
        fitted, given = [(tag, "") for tag in tags[0]], [(tag, "") for tag in tags[1]]
        if self.files and len({*fitted}) < len(fitted):  # the names of files tell runs of one tag apart
            fitted = [*zip(self.runs, self.files, strict=True)]
            given = [(tag_of(record), file_of(record)) for record in records]
        if sorted(given) == sorted(fitted) and len({*fitted}) == len(fitted):
            places = [fitted.index(name) for name in given]
            remarks = [Remark.of("fitted-to-others.order", fitted=texts[0])] if places != sorted(places) else []
            return np.array(self.weights)[places], [*remarks]
        alike = [[re.sub("[0-9]+", "", tag) for tag in of_runs] for of_runs in tags]  # but for years or numbers
        if {*filter(None, tags[0])} & {*tags[1]} or (alike[0] != alike[1] and sorted(alike[0]) == sorted(alike[1])):
            problem = f"weights were fitted to {texts[0]}, and it is not known which belongs to which of {texts[1]}"
            remedy = "give runs with the tags of the fitting, and of one tag, files with its names"
            raise UsageError("ambiguous", f"{problem}: {remedy}")
        are_others = tags[0] != tags[1]
        remarks = [Remark.of("fitted-to-others", fitted=texts[0], applied=texts[1])] if are_others else []
        return np.array(self.weights), [*remarks]

    def _unscored(self, records: Sequence[Run | Answers], names: Sequence[str]) -> list[str]:
        """Which runs have no scores, where the method looks at scores."""
        if self.method == "rrf" or not NORMS[self.norm or NORM].of_scores:
            return []
        runs = zip(names, records, strict=True)
        unscored = [name for name, record in runs if isinstance(record, Run) and not record.scored]
        return [Remark.of("no-scores", unscored)] if unscored else []

    def to_dict(self) -> dict[str, Any]:
        """The fusion as JSON holds it, without what is not set."""
        return {name: value for name, value in fields_by_name(self).items() if value not in (None, [], "descending")}

    @classmethod
    def from_dict(cls, members: object) -> Fusion:
        """The fusion that JSON holds.

        Raises:
            UsageError: it holds none.
        """
        names = {field.name for field in fields(cls)}
        if not isinstance(members, Mapping) or not isinstance(members.get("method"), str):
            raise UsageError(
                "structure", 'a fusion is written as {"method": "combsum", "norm": "min-max", "weights": [0.7, 0.3]}'
            )
        if unknown := [str(name) for name in members if name not in names]:
            raise UsageError(
                "structure", f"a fusion has no key {quoted(unknown[0])}; its keys are {', '.join(sorted(names))}"
            )
        lists = [members.get(name, []) for name in ("weights", "runs", "files")]
        if not all(isinstance(values, list) for values in lists) or not all(
            isinstance(name, str) for names_of_runs in lists[1:] for name in names_of_runs
        ):
            problem = "the weights, runs and files of a fusion must be lists, of numbers and of text"
            raise UsageError("structure", problem)
        arguments: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in members.items()}
        fusion = cls(**arguments)
        for named_runs in filter(None, (fusion.runs, fusion.files)):
            if len(named_runs) != len(fusion.weights or ()):
                raise UsageError(
                    "bad-value", f"{counted(len(fusion.weights or ()), 'weight')} for {counted(len(named_runs), 'run')}"
                )
        return fusion

    @classmethod
    def load(cls, path: PathLike) -> Fusion:
        """The fusion that ``fuse --save`` wrote.

        Raises:
            InputError: the file cannot be read, or holds no fusion.
        """
        source = Source(path)
        members = json_text.parse(source.text(), source.name)
        try:
            return cls.from_dict(members.get("fusion", members) if isinstance(members, dict) else members)
        except UsageError as error:
            raise InputError(
                error.kind,
                source.name,
                f"this is not a fusion: {error}",
                remedy="give what coliee-ir fuse --save wrote, or weights with commas",
            ) from None


@suggesting_keywords()
def fuse(
    *runs: RunLike,
    method: str | None = None,
    norm: str | None = None,
    k: float | None = None,
    weights: Sequence[float] | None = None,
    top: int | None = None,
    ties: Literal["N", "Y", "first"] | None = None,
    task: str | int | None = None,
    tag: str | None = None,
    columns: Mapping[str, str] | None = None,
    unreadable_answers: Literal["refuse", "wrong"] = "refuse",
) -> Run | Answers:
    """Fuse runs into one, which ``evaluate``, ``to_run`` and the rest take like any other.

    Args:
        runs: at least two; each is what ``read_run`` takes. All hold documents, or all answers.
        method: see ``Fusion``; by default ``rrf`` for documents and ``vote`` for answers.
        norm: see ``Fusion``.
        k: see ``Fusion``.
        weights: see ``Fusion``.
        top: see ``Fusion``.
        ties: see ``Fusion``.
        task: the task, where it is known: see ``read_run``.
        tag: what the fused run is called; by default as the method.
        columns: what the columns of tables and frames are called, by role: see ``read_gold``.
        unreadable_answers: whether answers that are neither Y nor N are refused, or cast no vote.

    Raises:
        InputError: a run cannot be read, or holds labels where others hold documents.
        UsageError: the method does not exist or does not fit the runs; a parameter without sense; nothing is left.

    >>> fused = fuse({"q": {"a": 3.0, "b": 1.0}}, {"q": {"b": 9.0, "c": 8.0}}, method="combsum", weights=[1, 2])
    >>> from coliee_ir import to_run
    >>> to_run(fused)
    {'q': {'b': 2.0, 'a': 1.0, 'c': 0.0}}
    >>> fuse({"q": "Y"}, {"q": "N"}, {"q": "Y"}).labels
    {'q': True}
    """
    records = read_all(runs, task=task, columns=columns, unreadable_answers=unreadable_answers)
    numbers = None if weights is None else tuple(one_of("weights", weights, Iterable, "a list of numbers"))
    fusion = Fusion(method or usual(records), norm, k, numbers, top, ties)
    fused = fusion.fuse(*records, tag=tag, unreadable_answers=unreadable_answers)
    warn_of_doubts([remark for remark in fused.remarks if getattr(remark, "is_doubt", False)])
    return fused.run


def read_all(
    runs: Sequence[RunLike],
    *,
    task: str | int | None = None,
    columns: Mapping[str, str] | None = None,
    unreadable_answers: Literal["refuse", "wrong"] = "refuse",
) -> list[Run | Answers]:
    """The runs to fuse. Args are those of ``fuse``."""
    if isinstance(runs, str) or len(runs) < 2:
        raise UsageError("too-few", "give at least two runs to fuse, in Python each as an argument of its own")
    with asking_about_gold():
        records = [read_run(run, task=task, columns=columns, unreadable_answers=unreadable_answers) for run in runs]
    for record in records[1:]:
        if isinstance(record, Answers) != isinstance(records[0], Answers):
            holds = [("labels" if isinstance(record_, Answers) else "documents") for record_ in (record, records[0])]
            raise InputError(
                "wrong-part",
                record.path,
                f"it contains {holds[0]}, but {records[0].path} contains {holds[1]}",
                remedy="runs of documents and runs of answers cannot be fused together",
            )
    return records


def _refuse_gold(first: Run | Answers, *others: Run | Answers) -> None:
    """Refuse a gold before the runs, where other commands have it."""
    is_set = isinstance(first, Run) and not first.scored and all(getattr(run, "scored", False) for run in others)
    if is_set and Path(first.path).is_file() and reads_as_gold(first.path):
        raise InputError(
            "ambiguous",
            first.path,
            "it has no scores and reads as a gold, and the other runs have scores",
            remedy="leave a gold out, or fit weights to it with --fit; if it is a run, "
            "write it as one first: coliee-ir convert FILE OUT --to columns",
        )


def _read(runs: Sequence[Run], *, in_memory: bool) -> _Read:
    readers = [Reader(run) for run in runs]
    return readers, batch_fusion(readers, in_memory=in_memory)


@contextlib.contextmanager
def asking_about_gold() -> Iterator[None]:
    """Of a file that cannot be read as a run, say where it reads as a gold."""
    try:
        yield
    except InputError as error:
        if Path(error.path).is_file() and reads_as_gold(error.path):
            remedy = "this file reads as a gold: leave it out of the runs, or fit weights to it with --fit"
            error = InputError(error.kind, error.path, error.problem, line=error.line, found=error.found, remedy=remedy)
        raise error from None


def tag_of(record: Run | Answers) -> str:
    """The tag of a run; empty for one in memory that was given none."""
    return "" if record.path == MEMORY and record.tag == NAMELESS else record.tag


def file_of(record: Run | Answers) -> str:
    """The name of a run's file, without its folder."""
    return "" if record.path == MEMORY else Path(record.path).name


def usual(records: Sequence[Run | Answers]) -> str:
    """The method for such runs where none is named."""
    return "vote" if isinstance(records[0], Answers) else "rrf"


def _is_opposed(correlations: FloatArray) -> bool:
    """Whether the correlations of queries are clearly negative: in the mean, and by a sign test at three deviations."""
    below, above = int((correlations < 0).sum()), int((correlations > 0).sum())
    return below - above > 3 * (below + above) ** 0.5 and float(correlations.mean()) < _OPPOSED


def _without_zeros(ids: Iterable[str]) -> Iterator[Remark]:
    """Which ids are others without their leading zeros, so that they are fused as two."""
    full = {text.lstrip("0"): text for text in sorted(ids) if text.startswith("0")}
    if lost := [f"{short} for {text}" for short, text in full.items() if short in ids]:
        yield Remark.of("lost-zeros.fused", lost)


def _unshared(tags: Sequence[str], answered: Sequence[set[str]]) -> list[str]:
    """Which queries are not in all runs, and which runs lack them."""
    queries = dict.fromkeys(query for run in answered for query in sorted(run))
    unshared = [query for query in queries if not all(query in run for run in answered)]
    if queries and sum(map(len, answered)) == len(queries):
        return [Remark.of("nothing-shared", runs=", ".join(map(shortened, tags)))]
    lacking = [(tag, len(queries) - len(run)) for tag, run in zip(tags, answered, strict=True)]
    lists = ", ".join(f"{shortened(tag)} lacks {n}" for tag, n in lacking if n)
    return [Remark.of("unshared-query", unshared, queries=len(queries), lacking=lists)] if unshared else []
