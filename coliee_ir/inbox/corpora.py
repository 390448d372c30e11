"""The texts of a task: which kind of corpus the task's rules ask for."""

from __future__ import annotations

from pathlib import Path

from coliee_adapters import corpora
from coliee_adapters.checked import suggesting_keywords
from coliee_adapters.corpora import Corpus
from coliee_adapters.errors import UsageError
from coliee_adapters.files.source import PathLike, Source
from coliee_adapters.forms.lines import content_lines, split_columns
from coliee_adapters.records import Gold
from coliee_ir.reading.anything import read_queries
from coliee_ir.rules.choices import TASKS
from coliee_ir.rules.protocol import all_rules, task_name


@suggesting_keywords()
def read_corpus(path: PathLike, *, task: str | int | None = None, gold: PathLike | Gold | None = None) -> Corpus:
    """The texts of a task.

    Args:
        path: Task 1: the folder of the cases. Task 2: the folder of the queries' folders. Tasks 3 to 5: the Civil
            Code; or the statements alone, where no articles are needed. The pilot: the JSON Lines.
        task: ``1`` to ``5``, ``tort`` or ``rationale``; by default what the path shows.
        gold: what names the queries. Tasks 1 and 2: the labels, or the list of queries of a test set. Tasks 3 to 5: the
            XML of the statements, with or without labels. The pilot's path holds them.

    Raises:
        UsageError: there is no such task, or this task takes no such gold.
        InputError: the path is not there or holds no such corpus; or the gold cannot be read.

    >>> corpus = read_corpus("task1_train_files", gold="task1_train_labels.json")  # doctest: +SKIP
    >>> next(corpus.docs_iter()).doc_id  # doctest: +SKIP
    '000002'
    """
    name = task_name(task)
    kind = _kind(name) if name else None
    if name and kind is None:
        names = ", ".join(task_with_texts for task_with_texts in TASKS if _kind(task_with_texts))
        raise UsageError("empty", f"there are no texts of task {name!r}; the tasks with texts are {names}")
    return corpora.read_corpus(path, kind=kind, gold=gold)


def listed_ids(path: PathLike) -> tuple[str, ...] | None:
    """The ids of a file with one a line; None for any other file."""
    if Path(path).is_dir():
        return None
    source = Source(path)
    lines = content_lines(source.text(), source.name)
    return read_queries(source) if all(len(split_columns(line)) == 1 for _, line in lines) else None


def _kind(task: str) -> corpora.Kind | None:
    """The kind of a task's texts; None where none are known."""
    rules = all_rules(task)[-1]
    if rules.law == "case":
        return "cases" if rules.cases_as_queries else "fragments"
    return "statutes" if rules.law == "statute" else "torts" if rules.pilot else None
