"""From anything that holds a gold or a run (a path, ``-``, a dictionary, a frame) to a record; and which task it is."""

from __future__ import annotations

import contextlib
import os
import re
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from coliee_adapters import case_law, detect, frames, statute, tort
from coliee_adapters.errors import ColieeError, UsageError, contained
from coliee_adapters.files import Source
from coliee_adapters.lines import Comments, content_lines, split_columns
from coliee_adapters.records import Answers, Gold, IdRule, Run, exact_id, normal_id

#: ``H18-1-2``, ``R02-10-E``, ``R1-18-U``: era and year, question, part
STATUTE_ID = re.compile(r"[HR][0-9]{1,2}-[0-9]+-[0-9A-Z]+")


def read_queries(source: object) -> tuple[str, ...]:
    """The ids of the queries that a file names: a gold of any form, a test file without labels, or one id a line.

    Args:
        source: a path, ``-``, or an opened Source.

    Raises:
        InputError: the file cannot be read, or names no query.
    """
    file = opened(source)
    if not isinstance(file, Source):
        raise UsageError("queries are read from a file")
    head = file.head()
    if tort.sniff(head):
        return tuple(case.id for case in tort.read_cases(file))
    if statute.sniff_gold(head) == "statute-xml":
        return tuple(statute.read_pairs(file))
    if (names := case_law.read_test_queries(file)) is not None:
        return names
    if any(form.sniff(head) == form.name for form in detect.GOLD_FORMS):
        return read_gold(file).queries
    return tuple(dict.fromkeys(normal_id(split_columns(line)[0]) for _, line in content_lines(file.text(), file.name)))


class Found(NamedTuple):
    """The task that files belong to, and what shows it."""

    task: str
    because: str


def id_rule(task: str | None, form: str) -> IdRule:
    """How ids are compared: TREC's stay as they are, COLIEE's lose ``.txt``."""
    return exact_id if task == "trec" and form in ("qrels", "memory") else normal_id


def read_gold(source: object, *, task: str | None = None, form: str | None = None) -> Gold:
    """Read a gold.

    Args:
        source: a path, ``-`` for standard input, a dictionary, a pandas or polars frame, an iterable of named tuples
            with ``query_id``, ``doc_id``, ``relevance``, or a Gold.
        task: the task, where it is known; ids of plain TREC files (``trec``) are not normalised.
        form: the form of the file, where it is known; by default it is found from the first bytes.

    Raises:
        InputError: it cannot be read; the text says where and why.

    >>> read_gold({"001": ["013.txt"]}).qrels
    {'001': {'013': 1}}
    """
    if isinstance(source, Gold):
        return source
    file = opened(source)
    if not isinstance(file, Source):
        return frames.gold_of(source, id_rule(task, "memory"))
    gold_form = detect.gold_form(file, form)
    with contained(file.name):
        if task is None and gold_form.name == "qrels":
            gold = gold_form.read(file, exact_id)
            task = _task_of_ids(gold.queries).task
            if id_rule(task, "qrels") is exact_id:
                return gold
        return gold_form.read(file, id_rule(task, gold_form.name))


def read_run(source: object, *, task: str | None = None, form: str | None = None) -> Run | Answers:
    """Read a submission: documents (Run) or labels (Answers). The lines of a Run are read when it is judged.

    Args:
        source: a path, ``-``, a dictionary, a frame, an iterable of named tuples with ``query_id``, ``doc_id``,
            ``score``, or a Run or Answers.
        task: the task, where it is known: the pilot's files are read for their claims in ``rationale``, and ids of
            plain TREC files (``trec``) are not normalised.
        form: the form of the file, where it is known.

    Raises:
        InputError: it cannot be read; the text says where and why.

    >>> read_run({"R07-01-O": "Y"}).labels
    {'R07-01-O': True}
    """
    if isinstance(source, Run | Answers):
        return source
    rule = exact_id if task == "trec" else normal_id
    file = opened(source)
    if not isinstance(file, Source):
        if isinstance(source, dict) and source and all(isinstance(label, str | bool) for label in source.values()):
            return Answers(frames.gold_of(source, rule).labels or {}, format="memory")
        return frames.run_of(source, rule)
    run_form = detect.run_form(file, form)
    if run_form.name == "tort" and task == "rationale":
        run_form = detect.run_form(file, "claims")
    if run_form.name == "columns" and task in ("4", "5"):
        run_form = detect.run_form(file, "labels")  # whose reader says what is wrong with the first line's label
    with contained(file.name):
        return run_form.read(file, rule)


def find_task(gold: Gold, run: object = None) -> Found:
    """The task that a gold belongs to, together with a run where the gold leaves it open.

    Args:
        gold: the gold.
        run: a submission as ``read_run`` takes it; for the statute XML its form tells Task 3 from 4.

    Raises:
        InputError: the submission cannot be read.
    """
    run = opened(run)
    if gold.format == "tort":
        return _pilot_task(gold, run)
    if gold.task in ("1", "2"):
        return Found(gold.task, "the XML says so")
    if gold.qrels is None:
        return Found("4", "the gold holds labels only")
    if gold.labels is not None:
        if _is_labels(run):
            return Found("4", "the gold is statute law and the run holds labels")
        return Found("3", "the gold is statute law and the run holds articles")
    if gold.format in ("qrels", "memory"):
        return _task_of_ids(gold.queries)
    if gold.format == "statute-xml":
        return Found("3", "the gold is statute law without labels")
    widest = max((len(document) for judged in gold.qrels.values() for document in judged), default=0)
    if widest <= 3:
        return Found("2", "the gold's documents are paragraph numbers")
    return Found("1", "the gold's documents are case numbers")


def _task_of_ids(queries: Iterable[str]) -> Found:
    if all(STATUTE_ID.fullmatch(query) for query in queries):
        return Found("3", "the gold is qrels of statute questions")
    return Found("trec", "the gold is qrels")


def telling(runs: Iterable[object]) -> object:
    """The submission that shows the task best: one that can only hold documents, beside which answers may stand.

    Three words in a line show least: any text may have them. What cannot be opened or recognised shows nothing.
    """
    shown: dict[str, Source] = {}
    for run in runs:
        if isinstance(run, str | os.PathLike):
            continue
        if not isinstance(run, Source):
            return run
        with contextlib.suppress(ColieeError):
            shown.setdefault(detect.run_form(run).name, run)
    known = [shown[name] for name in shown if name not in ("labels", "columns")]
    return next(iter(known), None) or shown.get("labels") or shown.get("columns")


def _is_labels(run: object) -> bool:
    if isinstance(run, Source):
        name = detect.run_form(run).name
        return name == "labels" or (name == "columns" and _meant_as_labels(run))
    if isinstance(run, dict):
        return all(isinstance(label, str | bool) for label in run.values())
    return isinstance(run, Answers)


def _meant_as_labels(run: Source) -> bool:
    """Whether most lines give Y or N, or 1 or 0, where documents would stand; their reader will say what is wrong."""
    text = run.head().decode("utf-8", errors="replace")
    words = [split_columns(line)[1:2] for _, line in content_lines(text, run.name, comments=Comments())]
    labels = sum(word[0].lower() in statute.LABELS or word[0] in ("0", "1") for word in words if word)
    return 2 * labels >= len(words)


def _pilot_task(gold: Gold, run: object) -> Found:
    if gold.labels is None:
        return Found("rationale", "the gold has claims and no decisions")
    if gold.qrels is None:
        return Found("tort", "the gold has decisions and no claims")
    cases = tort.read_cases(run) if isinstance(run, Source) and detect.run_form(run).name == "tort" else []
    if cases and all(case.court_decision is None for case in cases):
        return Found("rationale", "the submission decides nothing")
    return Found("tort", "the files hold decisions; --task rationale scores the claims")


def opened(source: object) -> object:
    """A path as an opened Source, which can be read several times even if it is standard input; all else as it is.

    Raises:
        InputError: the path cannot be opened.
    """
    return Source(source) if isinstance(source, str | os.PathLike) else source


def opened_if_possible(source: object) -> object:
    """The same, but a file that cannot be opened stays a path, of which its reading will complain.

    Raises:
        InputError: a stream that cannot be read, and cannot be tried again.
    """
    try:
        return opened(source)
    except ColieeError:
        if source == "-" or _is_stream(str(source)):
            raise
        return source


def _is_stream(path: str) -> bool:
    try:
        mode = Path(path).stat().st_mode
    except (OSError, ValueError):  # not there, no name that a file can have
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))
