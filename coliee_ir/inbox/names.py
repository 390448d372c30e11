"""What runs are called where several are shown: decided here, once, for all commands."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import count
from typing import Any

from coliee_ir.reading.submission import Submission, name_of


def names_in_teams(runs: Sequence[tuple[str, str, Any]]) -> list[str]:
    """What each run is called beside its team: its tag; of several runs of a team with one tag, ``TAG (2)``.

    Args:
        runs: team, tag, and what sorts the runs of a team and tag; of equal ones, the first given comes first.

    >>> names_in_teams([("A", "x", 2), ("A", "x", 1), ("B", "x", 0)])
    ['x (2)', 'x', 'x']
    """
    names, taken = [""] * len(runs), {(team, tag) for team, tag, _ in runs}
    seen: set[tuple[str, str]] = set()
    for i in sorted(range(len(runs)), key=lambda i: runs[i][2]):
        team, name, _ = runs[i]
        if (team, name) in seen:
            name = next(candidate for n in count(2) if (team, candidate := f"{name} ({n})") not in taken)
        seen.add((team, name))
        taken.add((team, name))
        names[i] = name
    return names


def unique_names(runs: Sequence[tuple[str, str, Any]]) -> list[str]:
    """A name for each run that no other has: its tag, ``TAG (2)``, or with the team where another team has the same.

    >>> unique_names([("A", "x", 0), ("A", "x", 1), ("B", "x", 2), ("", "y", 3), ("", "A x", 4)])
    ['A x', 'x (2)', 'B x', 'y', 'A x (2)']
    """
    names = names_in_teams(runs)
    n = Counter(names)
    whole = [f"{team} {name}".strip() if n[name] > 1 else name for (team, _, _), name in zip(runs, names, strict=True)]
    # a tag may be what a team and a tag of others make together
    return names_in_teams([("", name, i) for i, name in enumerate(whole)]) if len({*whole}) < len(whole) else whole


def order_of(submission: Submission) -> tuple[bool, str, bool]:
    """What sorts the submissions of a team and tag: ranked ones first, then by receipt, then copies, ``a (1).txt``."""
    is_copy = re.search(r" \(\d+\)(?:\.\w+)*$", name_of(submission.run)) is not None
    return bool(submission.status), submission.received, is_copy
