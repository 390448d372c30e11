"""A comparison as text: for people, for papers, for programs."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Final

from coliee_adapters.classes import NamedTuple
from coliee_adapters.errors import UsageError, printable
from coliee_adapters.forms.lines import counted
from coliee_ir.output import grid
from coliee_ir.output.envelope import dumped
from coliee_ir.output.grid import Cell, Grid, Number
from coliee_ir.output.shown import Forms, render

if TYPE_CHECKING:
    from coliee_ir.commands.compare.result import Comparison, Pair

_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"

_TEST: Final = {
    "randomisation": "studentised paired randomisation test",
    "t": "paired t test",
}
_CORRECTION: Final = {
    "maxt": "corrected jointly (max-T)",
    "holm": "Holm's correction",
    "bh": "Benjamini and Hochberg's correction",
    "none": "no correction",
}
_INTERVAL: Final = {"wilson": "Wilson's", "jackknife": "jackknife t"}

#: with more pairs than these, the queries that decide each are told in JSON only
_FEW: Final = 10
#: and of each no more than these
_TOLD: Final = 3


def render_all(comparison: Comparison, form: str) -> str:
    """The comparison, and those on other measures; ends in a newline."""
    every = [comparison, *comparison.others]
    if len(every) > 1 and form == "json":
        return dumped({"comparisons": [one.to_dict() for one in every]})
    if len(every) > 1 and form in ("csv", "tsv"):
        raise UsageError("option-needed", f"{form} holds one table; name one measure")
    return "\n".join(render(one, form) for one in every)


def standings(comparison: Comparison) -> Grid:
    """The runs with their scores and intervals; behind a score the letters of the runs that it is better than."""
    better: list[list[str]] = [[] for _ in comparison.standings]
    for pair in comparison.pairs:
        if comparison.significant(pair):
            winner, loser = (pair.a, pair.b) if pair.difference > 0 else (pair.b, pair.a)
            better[winner].append(letter(loser))
    known = [standing.score for standing in comparison.standings if not math.isnan(standing.score)]
    best = f"{max(known):.4f}" if known else ""
    with_files = len({standing.tag for standing in comparison.standings}) < len(comparison.standings)
    rows: list[list[Cell]] = [
        [
            letter(at),
            standing.tag,
            *([standing.file] if with_files else []),
            Number(standing.score, bold=f"{standing.score:.4f}" == best, mark=",".join(better[at])),
            Number(standing.interval.low),
            Number(standing.interval.high),
        ]
        for at, standing in enumerate(comparison.standings)
    ]
    level = _percent(comparison)
    on = counted(comparison.queries, "query")
    intervals = f" with {level} intervals ({_INTERVAL[comparison.interval]})"
    caption = (
        f"{comparison.measure} on {on}{intervals}, the best in bold. {about(comparison)}. "
        f"Letters mark the runs that this run significantly outperforms ({described(comparison)})."
    )
    header = ["", "run", *(["file"] if with_files else []), comparison.measure, f"low {level}", f"high {level}"]
    return Grid(header, rows, caption)


def letter(at: int) -> str:
    """The letters of a run by its place: a, b, … z, aa, ab, …; never a digit, which would lengthen a number.

    >>> letter(0), letter(25), letter(26), letter(701), letter(702)
    ('a', 'z', 'aa', 'zz', 'aaa')
    """
    return (letter(at // 26 - 1) if at >= 26 else "") + _LETTERS[at % 26]


def _names(comparison: Comparison) -> list[str]:
    """The runs by their tags; those that share one, with their letter too."""
    n = Counter(standing.tag for standing in comparison.standings)
    return [s.tag if n[s.tag] == 1 else f"{s.tag} [{letter(at)}]" for at, s in enumerate(comparison.standings)]


def _percent(comparison: Comparison) -> str:
    return f"{100 * comparison.confidence_level:.6g}%"


def described(comparison: Comparison) -> str:
    """The test in words."""
    words = [_TEST[comparison.test]]
    if comparison.test == "randomisation":
        words[0] += f", {_resampled(comparison)}"
    n = comparison.together
    words.append(_CORRECTION[comparison.correction] + (f" for {n} pairs" if comparison.correction != "none" else ""))
    if n > len(comparison.pairs) and comparison.correction != "none":
        words[-1] += " of all measures"
    words.append(f"p < {comparison.alpha:.6g}")
    return "; ".join(words if n > 1 else [words[0], words[2]])


def about(comparison: Comparison) -> str:
    """Which queries the comparison is about, in words."""
    said = "About other queries of the same kind"
    return said + (
        f"; {counted(comparison.groups, 'group')} of queries resampled as a whole" if comparison.groups else ""
    )


def _resampled(comparison: Comparison) -> str:
    return f"{comparison.n_resamples:,} resamples, seed {comparison.seed}"


def pairs(comparison: Comparison) -> Grid:
    """The differences, with intervals, p values and effect sizes."""
    level = _percent(comparison)
    columns = _columns(comparison)
    header = ["run", "minus", "difference", f"low {level}", f"high {level}",
              *(["joint low", "joint high"] if columns.joint else []),
              *([f"within {comparison.margin:g}"] if columns.margin else []),
              "p", *(["p corrected"] if columns.corrected else []),
              "wins", "ties", "losses", "effect"]  # fmt: skip
    names = _names(comparison)
    return Grid(header, [_row(comparison, pair, names, columns) for pair in comparison.pairs], n_text=2)


class _Columns(NamedTuple):
    """Which columns there are besides those of every comparison."""

    joint: bool
    margin: bool
    corrected: bool


def _columns(comparison: Comparison) -> _Columns:
    several = comparison.together > 1
    return _Columns(
        several and comparison.correction == "maxt",
        not math.isnan(comparison.margin),
        several and comparison.correction != "none",
    )


def _row(comparison: Comparison, pair: Pair, names: list[str], columns: _Columns) -> list[Cell]:
    bounds = [*pair.interval, *(pair.simultaneous if columns.joint else ())]
    return [
        names[pair.a],
        names[pair.b],
        Number(pair.difference, _signed(pair.difference)),
        *(Number(bound, _signed(bound)) for bound in bounds),
        *([comparison.within(pair) or "-"] if columns.margin else []),
        Number(pair.p, _p(pair.p), bold=not columns.corrected and comparison.significant(pair)),
        *([Number(pair.corrected, _p(pair.corrected), bold=comparison.significant(pair))] if columns.corrected else []),
        *(Number(n, str(n)) if pair.is_tested else Number(math.nan) for n in (pair.wins, pair.ties, pair.losses)),
        Number(pair.effect, _signed(pair.effect, 2)),
    ]


def _signed(value: float, decimals: int = 4) -> str:
    return "-" if math.isnan(value) else f"{value:+.{decimals}f}"


def _p(value: float) -> str:
    return "<0.0001" if value < 0.00005 else Number(value).text


def explained(comparison: Comparison) -> list[str]:
    """What stands in the columns of the pairs, a sentence a line."""
    columns = _columns(comparison)
    level = _percent(comparison)
    from_test = "from the same resamples as p" if comparison.test != "t" else "from the t distribution"
    lines = [f"low, high: {level} interval of the difference, of one pair alone, {from_test}"]
    if columns.joint:
        lines.append(f"joint low, joint high: {level} intervals that hold for all {comparison.together} pairs at once")
    if columns.margin:
        which = "joint low and joint high" if columns.joint else "low and high"
        lines.append(f"within: what {which} say of differences up to {comparison.margin:g}")
    return [
        *lines,
        "wins, ties, losses: number of queries",
        "effect: the difference in standard deviations over queries (for means: Cohen's d for paired samples)",
    ]


def deciding(comparison: Comparison) -> list[str]:
    """For each pair the queries without which the difference would change most, in a line."""
    names = _names(comparison)
    lines = []
    for pair in comparison.pairs:
        if pair.deciding:
            shown = ", ".join(f"{query} ({change:+.4f})" for query, change in pair.deciding[:_TOLD])
            lines.append(f"{names[pair.a]} minus {names[pair.b]} would change most without {shown}")
    return lines


def _text(comparison: Comparison) -> str:
    intervals = f"intervals: {_INTERVAL[comparison.interval]}"
    letters = "letters: the runs that this run significantly outperforms"
    told = [
        grid.plain(standings(comparison)),
        _lines(
            [intervals, letters, f"test: {described(comparison)}", about(comparison)[0].lower() + about(comparison)[1:]]
        ),
        grid.plain(pairs(comparison)),
        _lines(explained(comparison)),
        _lines(deciding(comparison)) if len(comparison.pairs) <= _FEW else "",
    ]
    return "\n".join(filter(None, told))


def _lines(texts: list[str]) -> str:
    return "".join(f"{printable(text)}\n" for text in texts)


def _markdown(comparison: Comparison) -> str:
    return f"{grid.markdown(standings(comparison))}\n{grid.markdown(pairs(comparison))}"


#: what a comparison writes in its own way
FORMS: Final[Forms] = {
    "table": _text,
    "markdown": _markdown,
    "latex": lambda comparison: grid.latex(standings(comparison)),
}
