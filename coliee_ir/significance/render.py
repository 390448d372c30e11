"""A comparison as text: for people, for papers, for programs."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from typing import Final

from coliee_ir import grid
from coliee_ir.grid import Cell, Grid, Number
from coliee_ir.significance import Comparison, Interval, Pair

_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"

_TEST: Final = {
    "randomisation": "paired randomisation test",
    "bootstrap": "paired bootstrap test",
    "mcnemar": "McNemar's exact test",
    "t": "paired t test",
    "wilcoxon": "Wilcoxon's signed-rank test",
}
_CORRECTION: Final = {"holm": "Holm's correction", "bh": "Benjamini and Hochberg's correction", "none": "uncorrected"}


def render(comparison: Comparison, form: str) -> str:
    """The comparison in one of ``FORMS``; ends in a newline."""
    return FORMS[form](comparison)


def standings(comparison: Comparison) -> Grid:
    """The runs with their scores and intervals; behind a score the letters of the runs that it is better than."""
    letters = _letters(len(comparison.standings))
    better: list[list[str]] = [[] for _ in comparison.standings]
    for pair in comparison.pairs:
        if pair.corrected < 1 - comparison.level:
            winner, loser = (pair.a, pair.b) if pair.difference > 0 else (pair.b, pair.a)
            better[winner].append(letters[loser])
    best = max((s.score for s in comparison.standings if not math.isnan(s.score)), default=math.nan)
    rows: list[list[Cell]] = [
        [
            letter,
            standing.tag,
            Number(standing.score, bold=f"{standing.score:.4f}" == f"{best:.4f}", mark=",".join(marks)),
            Number(standing.interval.low),
            Number(standing.interval.high),
        ]
        for letter, standing, marks in zip(letters, comparison.standings, better, strict=True)
    ]
    percent = f"{100 * comparison.level:g}%"
    caption = (
        f"{comparison.measure} on {comparison.queries} queries with {percent} intervals, the best in bold. Letters behind "
        f"a score name the runs that it is significantly better than ({described(comparison)}, "
        f"p < {1 - comparison.level:.2g})."
    )
    return Grid(["", "run", comparison.measure, f"low {percent}", f"high {percent}"], rows, caption)


def _letters(n: int) -> list[str]:
    """a, b, … z, then numbers."""
    return [_LETTERS[at] if at < len(_LETTERS) else str(at + 1) for at in range(n)]


def described(comparison: Comparison) -> str:
    """The test in words."""
    resampled = comparison.test in ("randomisation", "bootstrap")
    how = f", {comparison.trials:,} resamples, seed {comparison.seed}" if resampled else ""
    return f"{_TEST[comparison.test]}{how}; {_CORRECTION[comparison.correction]}"


def pairs(comparison: Comparison) -> Grid:
    """The differences, with intervals, p values, effect sizes and what could have been detected."""
    percent = f"{100 * comparison.level:g}%"
    header = ["run", "minus", "difference", f"low {percent}", f"high {percent}", "p", "p corrected", "wins", "ties", "losses",
              "effect", "detectable"]  # fmt: skip
    return Grid(header, [_row(comparison, pair) for pair in comparison.pairs], n_text=2)


def _row(comparison: Comparison, pair: Pair) -> list[Cell]:
    interval: Interval = pair.bca
    counts = [Number(float(n), str(n)) for n in (pair.wins, pair.ties, pair.losses)]
    return [
        comparison.standings[pair.a].tag,
        comparison.standings[pair.b].tag,
        Number(pair.difference, _signed(pair.difference)),
        Number(interval.low, _signed(interval.low)),
        Number(interval.high, _signed(interval.high)),
        Number(pair.p),
        Number(pair.corrected, bold=pair.corrected < 1 - comparison.level),
        *counts,
        Number(pair.effect, "-" if math.isnan(pair.effect) else f"{pair.effect:+.2f}"),
        Number(pair.detectable),
    ]


def _signed(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:+.4f}"


def deciding(comparison: Comparison) -> list[str]:
    """For each pair the queries that decide it, in a line."""
    lines = []
    for pair in comparison.pairs:
        if pair.deciding:
            a, b = comparison.standings[pair.a].tag, comparison.standings[pair.b].tag
            shown = ", ".join(f"{query} ({change:+.4f})" for query, change in pair.deciding)
            lines.append(f"{a} minus {b}, without a query: {shown}")
    return lines


#: with more pairs than these, the queries that decide each are told in JSON only
_FEW: Final = 10


def _text(comparison: Comparison) -> str:
    told = [grid.plain(standings(comparison)), grid.plain(pairs(comparison))]
    if 0 < len(comparison.pairs) <= _FEW:
        told.append("".join(f"{line}\n" for line in deciding(comparison)))
    told.append(f"{described(comparison)}\n")
    return "\n".join(filter(None, told))


def _markdown(comparison: Comparison) -> str:
    return f"{grid.markdown(standings(comparison))}\n{grid.markdown(pairs(comparison))}"


def _json(comparison: Comparison) -> str:
    return json.dumps(comparison.to_dict(), ensure_ascii=False, allow_nan=False, indent=1) + "\n"


#: form → how a comparison is written in it
FORMS: Final[dict[str, Callable[[Comparison], str]]] = {
    "table": _text,
    "json": _json,
    "csv": lambda comparison: grid.separated(pairs(comparison)),
    "tsv": lambda comparison: grid.separated(pairs(comparison), "\t"),
    "markdown": _markdown,
    "latex": lambda comparison: grid.latex(standings(comparison)),
}
