"""Gold, task, year: the one table that says by which gold a file is judged."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple


class Asked(NamedTuple):
    """A file that names queries: what it is called, its queries, the tasks that ask them, and whether it is a gold."""

    file: str
    queries: frozenset[str]
    tasks: tuple[str, ...]
    is_gold: bool
    name: str = ""  # what the organiser calls it where a task has several: ``R01``
    year: int | None = None  # whose rules count; None for the newest


class Golds:
    """The golds of a competition; every judge of a file asks them, and no other.

    A file is judged by the gold of its task of whose queries it answers the most: by none of another task, whatever
    ids they share.
    """

    def __init__(self, asked: Sequence[Asked] = ()) -> None:
        self.asked = tuple(asked)

    def judging(self, task: str, queries: Collection[str]) -> Asked | None:
        """The gold by which a file of a task is judged; None where the task has none."""
        own = [one for one in self.asked if task in one.tasks] if task else list(self.asked)
        shared = [len(one.queries.intersection(queries)) for one in own]
        if not own or (not task and not any(shared)):
            return None
        return own[shared.index(max(shared))]

    def is_others(self, queries: Collection[str], file: str, asked: Collection[str]) -> bool:
        """Whether another gold than the one in a file asks what a run answers, and this one asks none of it."""
        judge = self.judging("", queries)
        return judge is not None and judge.file != file and not any(query in asked for query in queries)

    def elsewhere(self, task: str, queries: Collection[str]) -> Asked | None:
        """The gold of another task that asks all of the queries, where no gold of the task asks any of them."""
        if not queries or any(not one.queries.isdisjoint(queries) for one in self.asked if task in one.tasks):
            return None
        return next((one for one in self.asked if task not in one.tasks and one.queries.issuperset(queries)), None)
