"""What runs are called where several are shown: decided here, once, for all commands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import count

from coliee_adapters.files.source import by_original


def numbered(runs: Sequence[tuple[str, str, str]]) -> list[str]:
    """What each run is called beside its team: its tag; of several runs of a team with one tag, ``TAG (2)``.

    >>> numbered([("A", "x", "b"), ("A", "x", "a"), ("B", "x", "c")])
    ['x (2)', 'x', 'x']
    """
    names, taken = [""] * len(runs), {(team, tag) for team, tag, _ in runs}
    seen: set[tuple[str, str]] = set()
    for at in sorted(range(len(runs)), key=lambda at: by_original(runs[at][2])):
        team, name, _ = runs[at]
        if (team, name) in seen:
            name = next(one for n in count(2) if (team, one := f"{name} ({n})") not in taken)
        seen.add((team, name))
        taken.add((team, name))
        names[at] = name
    return names


def told_apart(runs: Sequence[tuple[str, str, str]]) -> list[str]:
    """A name for each run that no other has: its tag, ``TAG (2)``, or with the team where another team has the same.

    >>> told_apart([("A", "x", "a"), ("A", "x", "b"), ("B", "x", "c"), ("", "y", "d")])
    ['A x', 'x (2)', 'B x', 'y']
    """
    names = numbered(runs)
    n = Counter(names)
    return [f"{team} {name}".strip() if n[name] > 1 else name for (team, _, _), name in zip(runs, names, strict=True)]
