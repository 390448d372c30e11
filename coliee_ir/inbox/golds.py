"""Gold, task, year: the one table that says by which gold a file is judged."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from coliee_adapters.files.source import PathLike
from coliee_adapters.records import Gold
from coliee_ir.inbox.tasks import tasks_of_queries


class QueryFile(NamedTuple):
    """A file that names queries: what it is called, its queries, the tasks that ask them, and whether it is a gold."""

    file: str
    queries: frozenset[str]
    tasks: tuple[str, ...]
    is_gold: bool
    name: str = ""  # what the organiser calls it where a task has several: ``R01``
    year: int | None = None  # whose rules count; None for the newest
    corpus: PathLike | None = None
    gold: Gold | None = None  # what it holds, where it is a gold

    @classmethod
    def of(cls, gold: Gold) -> QueryFile:
        """A gold, with the tasks that it shows."""
        return cls(gold.path, frozenset(gold.queries), tasks_of_queries(gold.queries, gold), True, gold=gold)


class Golds:
    """The golds of a competition; every judge of a file asks them, and no other.

    A file is judged by the gold of its task of whose queries it answers the most: by none of another task, whatever
    ids they share.
    """

    def __init__(self, asked: Iterable[QueryFile] = ()) -> None:
        self.asked = tuple(asked)

    @property
    def golds(self) -> list[Gold]:
        """The golds, each once."""
        return list(
            {id(query_file.gold): query_file.gold for query_file in self.asked if query_file.gold is not None}.values()
        )

    def judge_of(self, tasks: Sequence[str], queries: Collection[str]) -> QueryFile | None:
        """The gold by which a file is judged that can be of these tasks, the likeliest first; None where none asks."""
        own = (
            [query_file for task in tasks for query_file in self.asked if task in query_file.tasks]
            if tasks
            else list(self.asked)
        )
        shared = [len(query_file.queries.intersection(queries)) for query_file in own]
        if not own or (not tasks and not any(shared)):
            return None
        return own[shared.index(max(shared))]

    def of_other_task(self, task: str, queries: Collection[str]) -> QueryFile | None:
        """The gold of another task that asks all of the queries, where no gold of the task asks any of them."""
        if not queries or any(
            not query_file.queries.isdisjoint(queries) for query_file in self.asked if task in query_file.tasks
        ):
            return None
        return next(
            (
                query_file
                for query_file in self.asked
                if task not in query_file.tasks and query_file.queries.issuperset(queries)
            ),
            None,
        )
