"""The parts of a submission, judged: documents, the claims of each side, answers, the long list."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from coliee_adapters.forms import tort
from coliee_adapters.records import Answers, Columns, Run
from coliee_adapters.remarks import Remarks
from coliee_ir.judging.judged import Judged, judge
from coliee_ir.judging.mismatch import diagnose
from coliee_ir.scoring.prepared import LABEL, Prepared
from coliee_ir.scoring.submission import Records

if TYPE_CHECKING:
    from concurrent.futures import Executor


def judge_parts(
    records: Records, against: Prepared, jobs: int = 1, executor: Executor | None = None
) -> dict[str, Judged]:
    """Judge each part of a submission."""
    parts: dict[str, Judged] = {}
    if records.documents is not None:
        parts["documents"] = _judge("documents", records.documents, against, None, jobs, executor)
        for side, letter in tort.SIDES.items() if against.rules.claims else ():
            parts[side] = judge(against.qrels[side], _of_side(records.documents, letter), against.excluded)
    if records.answers is not None:
        parts["answers"] = _judge("answers", _as_run(records.answers), against, records.answers.remarks)
    for part in against.rules.others:
        run = records.beside.get(part)
        if isinstance(run, Run):
            parts[part] = _judge(part, run, against)
    if records.long_list is not None:
        parts["long"] = _judge("documents", records.long_list, against, None, jobs, executor)
    return parts


def _judge(
    part: str,
    run: Run,
    against: Prepared,
    tolerated: Remarks | None = None,
    jobs: int = 1,
    executor: Executor | None = None,
) -> Judged:
    """Judge one part, refuse what does not belong to the gold, and note what looks wrong."""
    qrels = against.qrels[part]
    judged = judge(qrels, run, against.excluded, jobs, executor)
    refuse = against.decisions.no_overlap == "refuse"
    # articles and claims may be none: the answers beside them count
    documents = part == "documents" and not (against.rules.claims or against.gold.labels)
    noted = judged.remarks + diagnose(judged, run, against.gold.path, refuse=refuse, documents=documents)
    if part == "documents" and judged.retrieved.any() and not judged.rank.any():
        noted.add("no-match")
    return replace(judged, remarks=noted + (tolerated or Remarks()), first=None)


def _as_run(answers: Answers) -> Run:
    """Answers as a run that retrieves Y or N for each query, and nothing where the answer is neither."""
    rankings = {query: [LABEL[label]] for query, label in answers.labels.items()}
    rankings |= {query: [] for query in answers.unreadable}
    return Run.of(rankings, tag=answers.tag, path=answers.path, format=answers.format)


def _of_side(claims: Run, letter: str) -> Run:
    """The claims of one side."""
    return replace(claims, blocks=partial(_blocks_of_side, claims, letter))


def _blocks_of_side(claims: Run, letter: str) -> Iterator[Columns]:
    for block in claims.blocks():
        for query, first, last in block.segments():
            documents = [claim for claim in block.documents[first:last] if claim.startswith(letter)]
            yield Columns([query], [0, len(documents)], documents)
