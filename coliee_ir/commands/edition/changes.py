"""What moved between two calls: files, golds, excluded queries, places and scores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from coliee_adapters.by_key import by_key
from coliee_ir.output.grid import Grid

#: so many files of a team are named
_FILES = 5


class Change(NamedTuple):
    """What is another thing than before."""

    what: str
    which: str  # the team, file, task or run
    before: str = ""
    now: str = ""

    def __str__(self) -> str:
        values = " → ".join(filter(None, (self.before, self.now)))
        return f"{self.what}: {self.which}" + f": {values}" * bool(values)


def changes_of(before: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[Change]:
    """What two results differ in; of files that came, a line for each team."""
    old, new = ({row["file"]: row["team"] for row in results.get("received", ())} for results in (before, now))
    for what, here, there in (("new files", new, old), ("files gone", old, new)):
        for team, names in sorted(by_key(here.keys() - there.keys(), here.__getitem__).items()):
            more = f" and {len(names) - _FILES} more" * (len(names) > _FILES)
            yield Change(what, team or "no team", now=", ".join(sorted(names)[:_FILES]) + more)
    sums, tasks = before.get("inputs", {}), before.get("tasks", {})
    golds = {board["gold"] for board in now["tasks"].values()}
    for path, digest in now["inputs"].items():
        if sums.get(path, digest) != digest:
            yield Change("corrected gold" if path in golds else "changed", path)
    for name, board in now["tasks"].items():
        if name in tasks:
            yield from _of_task(name, tasks[name], board)


def _of_task(name: str, before: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[Change]:
    """The excluded queries, and the runs whose place or score moved."""
    excluded = [", ".join(board.get("excluded", ())) or "none" for board in (before, now)]
    if excluded[0] != excluded[1]:
        yield Change("excluded queries", f"Task {name}", *excluded)
    stood, stands = _runs(before), _runs(now)
    for run in stands:
        if stood.get(run, stands[run]) != stands[run]:
            yield Change("moved", f"Task {name}, {run}", stood[run], stands[run])


def _runs(board: Mapping[str, Any]) -> dict[str, str]:
    """Team and run → its place, or why it has none, and its score."""
    found = {}
    for run in board["runs"]:
        value = run["measures"][board["measure"]]
        place = run.get("status") or f"place {run['place']}"
        score = "no score" if value is None else f"{board['measure']} {value:.4f}"
        found[f"{run['team'] or ''} {run['name']}".strip()] = f"{place}, {score}"
    return found


def table(changes: tuple[Change, ...]) -> Grid:
    """A row for each."""
    return Grid(Change._fields, changes, n_text=4)
