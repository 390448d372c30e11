"""A store of scores: what was scored before, by the same gold and the same rules, is not scored again.

submissions ──content──▶ kept? ──▶ Scores          a kill loses no run that was kept
                           └─ no: scored, kept ─┘
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from coliee_adapters import trec_eval
from coliee_adapters.classes import NamedTuple
from coliee_adapters.errors import ColieeError, InputError, UsageError, shortened
from coliee_adapters.files import PathLike, Source, is_store
from coliee_adapters.inputs import RunLike
from coliee_adapters.lines import counted
from coliee_adapters.remarks import Remark, Remarks
from coliee_adapters.score_rows import Row, ScoreRows, store_files
from coliee_ir._version import __version__
from coliee_ir.judging.judged import Judged
from coliee_ir.judging.qrels import Qrels
from coliee_ir.measures import Delegated, Measure, Result, compute
from coliee_ir.measures.delegated import of_values
from coliee_ir.measures.ties import Span, told
from coliee_ir.rules.decisions import CHOICES
from coliee_ir.rules.protocol import recorded_task
from coliee_ir.scoring import batch
from coliee_ir.scoring.evaluator import Evaluator
from coliee_ir.scoring.measuring import named
from coliee_ir.scoring.prepared import qrels_of
from coliee_ir.scoring.reading import given as as_given
from coliee_ir.scoring.remarking import beside_the_point
from coliee_ir.scoring.scores import Scores
from coliee_ir.scoring.submission import Submission, name_of

if TYPE_CHECKING:
    from concurrent.futures import Executor

__all__ = ["ScoreStore", "is_store", "rules_of", "store_files", "task_of"]

#: So many submissions are looked up, and then scored, at a time; more where many machines score them.
_WINDOW: Final = 200
_WINDOW_ELSEWHERE: Final = 4000

#: rises when a row holds its scores in another way, or scoring remarks what it did not: rows of before are scored again
_FORM: Final = 2

_ARRAYS: Final = {"rank": "<i4", "retrieved": "<i4", "repeated": "<i4", "answered": "?", "tied": "<i4"}


class ScoreStore:
    """A file with the scores of many runs, to which runs are added one by one, each for good.

    A run is known again by its content, and the gold, the queries, the task, the edition, the decisions and the
    measures that it was scored by, and the versions of this package and of trec_eval. With a run's scores its judged
    parts are kept, so that measures that were not asked for can be computed without the run.

    Args:
        path: the file: ``.parquet``, which needs pyarrow, or ``.sqlite``.
        reading: whether it must exist, and is only read.

    Attributes:
        known: how many of the runs that ``score`` has given were there before.
        new: how many were scored.

    Raises:
        UsageError: the suffix is another one, or pyarrow is not installed.
        InputError: it is not a store, or cannot be written.
    """

    def __init__(self, path: PathLike, *, reading: bool = False) -> None:
        self._rows = ScoreRows(path, reading=reading)
        self.path = self._rows.path
        self.known = self.new = 0

    def __enter__(self) -> ScoreStore:
        return self

    def __exit__(self, *error: Any) -> None:
        self._rows.__exit__(*error)

    def score(
        self,
        evaluator: Evaluator,
        submissions: Iterable[RunLike | Submission],
        *,
        jobs: int | None = None,
        executor: Executor | None = None,
    ) -> Iterator[Scores | ColieeError]:
        """The scores of several runs: those that are kept, and of the others those that they get, which are kept.

        Args are those of ``Evaluator.evaluate_all``; the runs must be files.

        Yields:
            For each run in turn its scores, with the judged parts, or the error that it met, which is not kept.

        Raises:
            WorkerError: a process or a worker of the executor was lost.
            UsageError: a run is not a file.
        """
        rules = _Rules(evaluator)
        first_of: dict[bytes, str] = {}
        waiting = iter(submissions)
        while window := list(islice(waiting, _WINDOW if executor is None else _WINDOW_ELSEWHERE)):
            given = [Submission(*(as_given(part, evaluator.columns) for part in Submission.of(one))) for one in window]
            contents = [_content(one) for one in given]
            kept = [self._find(*each, rules) for each in zip(given, contents, strict=True)]
            missing = [one for one, row in zip(given, kept, strict=True) if row is None]
            scored = batch.score_each(
                missing, evaluator, jobs=jobs, executor=executor, keep_judged=True, tell_copies=False
            )
            for one, content, row in zip(given, contents, kept, strict=True):
                if row is not None:
                    self.known += 1
                    result: Scores | ColieeError = rules.scores(row, _file(one))
                else:
                    result = next(scored)
                    if isinstance(result, Scores) and content is not None:
                        self._rows.keep(rules.row(result, content.key), rules.facts)
                        self.new += 1
                twin = None if content is None else first_of.get(content.bytes)
                if content is not None:
                    first_of.setdefault(content.bytes, _file(one))
                yield batch.with_twin(result, twin)

    def scores(self, evaluator: Evaluator) -> Iterator[Scores]:
        """The scores of all runs that were scored by an evaluator's gold and rules.

        Measures that were not asked for when the runs were scored are computed from what is kept of the runs.

        Raises:
            UsageError: there are none; the text says what there is.
        """
        rules = _Rules(evaluator)
        if rules.id not in (known := self._rows.rules()):
            raise UsageError(self._nothing(rules, known))
        for row in self._rows.rows(rules.id):
            yield rules.scores(row, row.file)

    def _find(self, submission: Submission, content: _Content | None, rules: _Rules) -> Row | None:
        row = None if content is None else self._rows.find(_file(submission), rules.id, rules.asked, content.key)
        if row is not None and row.file != _file(submission):
            moved = "" if Path(row.file).exists() else row.file
            row = row._replace(file=_file(submission))
            self._rows.keep(row, rules.facts, moved)
        return row

    def _nothing(self, rules: _Rules, known: Mapping[str, Mapping[str, Any]]) -> str:
        """That nothing was scored by the rules, and which rules there are."""
        said = []
        for name, facts in known.items():
            others = [f"{key.replace('_', ' ')} {facts[key]}" for key in ("task", "edition", "gold", "coliee_ir")
                      if facts[key] != rules.facts[key]]  # fmt: skip
            theirs, ours = (
                {name: each["decisions"].get(name, choices[0]) for name, choices in CHOICES.items()}
                for each in (facts, rules.facts)
            )
            others += [f"--decision {key}={theirs[key]}" for key in theirs if theirs[key] != ours[key]]
            if facts["queries"] != rules.facts["queries"]:
                others.append(counted(len(facts["queries"]), "query"))
            if facts.get("form") != _FORM:
                others.append("remarks in an earlier form, which are to be scored again")
            differs = ", ".join(others) or "a gold with other judgements"
            said.append(f"{counted(self._rows.count(name), 'run')} scored with {differs}")
        held = "; ".join(said[:3]) or "nothing"
        return f"{self.path} holds no scores by this gold and these rules; it holds {held}"


def task_of(paths: Iterable[str]) -> str | None:
    """The task that all runs of some stores were scored for; None where there are several.

    Raises:
        ColieeError: a store cannot be read; the task is not known.
    """
    tasks, path = set(), ""
    for path in paths:
        with ScoreRows(path, reading=True) as rows:
            tasks |= {facts["task"] for facts in rows.rules().values()}
    return recorded_task(tasks, path)


def rules_of(evaluator: Evaluator) -> str:
    """What is the same for runs that are scored by the same gold, queries, rules and versions."""
    return _Rules(evaluator).of_scores


class _Rules:
    """An evaluator's rules: by which rows are known again, and Scores become rows and rows Scores.

    Attributes:
        id: of the rules, and of the form in which rows hold what came of them.
        of_scores: of the rules alone.
        asked: the measures that were asked for, as JSON.
        facts: what a reader wants to know of the rules.
    """

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        against = evaluator.prepared
        self.asked = json.dumps([measure.name for measure in evaluator.asked])
        self.facts: dict[str, Any] = {
            "coliee_ir": __version__,
            "trec_eval": trec_eval.version(),
            "task": evaluator.task,
            "edition": evaluator.edition,
            "decisions": evaluator.decisions.to_dict(),
            "queries": list(against.queries),
            "excluded": sorted(against.excluded),
            "gold": evaluator.gold.path,
            "form": _FORM,
        }
        import hashlib  # which most commands do without

        digest = hashlib.sha256()
        told = {name: fact for name, fact in self.facts.items() if name not in ("gold", "form")}
        remarks = list(evaluator.gold.remarks.sentences({}))
        by_rules = [evaluator.protocol.not_itself, evaluator.protocol.run]
        digest.update(json.dumps([told, remarks, evaluator.columns, evaluator.read_as, by_rules]).encode())
        for part, qrels in against.qrels.items():
            digest.update(part.encode())
            for array in (qrels.start, qrels.relevance, qrels.documents.length):
                digest.update(np.ascontiguousarray(array, dtype="<i8").tobytes())
            digest.update("\n".join(qrels.texts).encode("utf-8", "surrogatepass"))
        self.of_scores = digest.hexdigest()
        digest.update(bytes([_FORM]))
        self.id = digest.hexdigest()

    def row(self, scores: Scores, content: str) -> Row:
        """What is kept of a run's scores."""
        more = {
            "gold": scores.gold,
            "counts": scores.counts,
            "extra": scores.extra,
            "others": scores.others,
            "remarks": [(remark.kind, remark) for remark in scores.remarks],
            "answered": [at for at, answered in enumerate(scores.answered) if not answered],
            "ties": {measure.name: span for measure, span in scores.ties.items()},
            "has_ties": scores.has_ties,
            "extras": {part: judged.extra for part, judged in scores.judged.items()},
        }
        return Row(
            scores.file, self.id, self.asked, content, scores.tag, scores.measures,
            {measure.name: result.per_query for measure, result in scores.results.items()},
            json.dumps(more), _packed(scores.judged),
        )  # fmt: skip

    def scores(self, row: Row, file: str) -> Scores:
        """The scores that were kept, of the measures that the evaluator is asked for."""
        evaluator, against = self._evaluator, self._evaluator.prepared
        more = json.loads(row.more)
        parts = {
            part: _judged(qrels_of(part, against.qrels), more["extras"][part], arrays)
            for part, arrays in _unpacked(row.judged).items()
        }
        wanted = [*evaluator.asked] or list(named(list(row.means), evaluator.protocol.scores))
        if not evaluator.asked and row.asked != "[]":
            wanted = [one for one in evaluator.official if all(part in parts for part in one.needs)]
        for measure in wanted:
            if lacking := [part for part in measure.needs if part not in parts]:
                raise UsageError(f"{measure} needs {', '.join(lacking)}, which {shortened(file)} was scored without")
        there = {measure: self._kept(measure, row, parts) for measure in wanted}
        others = [measure for measure, result in there.items() if result is None]
        computed = dict(zip(others, compute(others, parts, evaluator.decisions), strict=True))
        answered = np.ones(len(against.queries), dtype=np.bool_)
        answered[more["answered"]] = False
        ties = {measure: Span(*span) for measure in wanted if (span := more["ties"].get(measure.name))}
        left_out = {"order-of-ties", *beside_the_point(wanted, against)}
        remarks = [Remark(*remark) for remark in more["remarks"] if remark[0] not in left_out]
        return Scores(
            tag=row.tag,
            file=file,
            gold=evaluator.gold.path,
            task=evaluator.task,
            edition=evaluator.edition,
            results={measure: result or computed[measure] for measure, result in there.items()},
            query_ids=against.queries,
            answered=answered.tolist(),
            counts=more["counts"],
            extra=more["extra"],
            others=more["others"],
            excluded=tuple(sorted(against.excluded)),
            remarks=(*remarks, *told(ties)),
            decisions=evaluator.decisions,
            judged=parts,
            ties=ties,
            has_ties=more["has_ties"],
        )

    @staticmethod
    def _kept(measure: Measure, row: Row, parts: Mapping[str, Judged]) -> Result | None:
        """The result of trec_eval's that was kept; None for what is computed anew, from the same sums, in no time."""
        if not isinstance(measure, Delegated) or measure.name not in row.means:
            return None
        per_query = row.per_query[measure.name]
        return of_values(measure.request, row.means[measure.name], per_query, measure.part(parts))


def _file(submission: Submission) -> str:
    return name_of(submission.run)


class _Content(NamedTuple):
    """By what a run is known again: the bytes of its files; and the same with what it is called without a run tag."""

    bytes: bytes
    key: str


def _content(submission: Submission) -> _Content | None:
    """What differs where the content of a run's files does; None for one that cannot be read, as scoring will say."""
    import hashlib  # which most commands do without

    digest, named_digest = hashlib.sha256(), hashlib.sha256()
    for name, part in submission._asdict().items():
        if part is None:
            continue
        if not isinstance(part, Source):
            raise UsageError("a store keeps the scores of runs in files; this run is in memory")
        digest.update(f"\0{name}\0".encode())
        try:
            with part.open(to_end=True) as stream:
                while piece := stream.read(1 << 20):
                    digest.update(piece)
        except InputError:
            return None
        named_digest.update(f"{part.stem}\0".encode("utf-8", "surrogatepass"))
    named_digest.update(digest.digest())
    return _Content(digest.digest(), named_digest.hexdigest())


def _packed(judged: Mapping[str, Judged]) -> bytes:
    """The arrays of judged parts: a line of JSON that tells the lengths, then the bytes, all compressed."""
    lengths = []
    pieces = []
    for part, of_part in judged.items():
        for name, kind in _ARRAYS.items():
            array = getattr(of_part, name)
            lengths.append([part, name, array.size])
            pieces.append(np.ascontiguousarray(array, dtype=kind).tobytes())
    return zlib.compress(json.dumps(lengths).encode() + b"\n" + b"".join(pieces), 1)


def _judged(qrels: Qrels, extra: Mapping[str, int], arrays: Mapping[str, Any]) -> Judged:
    return Judged(qrels=qrels, extra=extra, sample=(), remarks=Remarks(), **arrays)


def _unpacked(packed: bytes) -> dict[str, dict[str, npt.NDArray[Any]]]:
    head, _, rest = zlib.decompress(packed).partition(b"\n")
    parts: dict[str, dict[str, npt.NDArray[Any]]] = {}
    at = 0
    for part, name, length in json.loads(head):
        kind = np.dtype(_ARRAYS[name])
        array = np.frombuffer(rest, kind, length, at).astype(np.bool_ if kind.kind == "b" else np.int64)
        parts.setdefault(part, {})[name] = array.reshape(3, -1) if name == "tied" else array
        at += length * kind.itemsize
    return parts
