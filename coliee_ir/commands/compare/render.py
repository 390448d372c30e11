"""The tables of a comparison."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from coliee_adapters.errors import printable
from coliee_adapters.forms.lines import counted
from coliee_ir.output.grid import Cell, Grid, Number, signed
from coliee_ir.stats.settings import resampled

if TYPE_CHECKING:
    from coliee_ir.commands.compare.result import Comparison, Pair

_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"
_CORRECTION: Final = {
    "maxt": "corrected jointly (max-T)",
    "bonferroni": "Bonferroni's correction",
    "holm": "Holm's correction",
    "bh": "Benjamini and Hochberg's correction",
}
_INTERVAL: Final = {"wilson": "Wilson's", "jackknife": "jackknife t", "t": "t"}

#: of more pairs than these, all of 12 runs, there is no table but the runs with their ranks
MOST_PAIRS: Final = 66
#: with more pairs than these, the queries that decide each are told in JSON only
_FEW: Final = 10
#: and of each no more than these
_TOLD: Final = 3


def pairs(comparison: Comparison) -> Grid:
    """The differences, each with an interval, p and a verdict; with several measures, those of all."""
    every = [comparison, *comparison.others]
    level = _percent(comparison)
    names = _names(comparison)
    several = len(every) > 1
    rows = [[*([one.measure] if several else []), *_row(one, pair, names)] for one in every for pair in one.pairs]
    header = [*(["measure"] if several else []), "run", "minus", "difference", f"low {level}", f"high {level}", "p",
              "verdict"]  # fmt: skip
    n = comparison.together
    holding = f", which hold for all {n} pairs at once" if comparison.is_joint else ", of each pair alone" * (n > 1)
    about_margin = ""
    if not math.isnan(comparison.margin):
        level = f"{100 - 200 * comparison.alpha:.6g}%"
        about_margin = f" Verdicts: what {level} intervals say of differences up to {comparison.margin:g}."
    caption = (
        f"{'Differences' if several else f'Differences of {comparison.measure}'} with {_percent(comparison)} intervals"
        f"{holding}; {described(comparison)}.{about_margin} {about(comparison)}."
    )
    return Grid(header, rows, caption, n_text=3 if several else 2)


def _row(comparison: Comparison, pair: Pair, names: list[str]) -> list[Cell]:
    return [
        names[pair.a],
        names[pair.b],
        *(Number(value, signed(value)) for value in (pair.difference, *pair.interval)),
        Number(pair.p, "<0.0001" if pair.p < 0.00005 else "", bold=comparison.significant(pair)),
        pair.verdict,
    ]


def standings(comparison: Comparison) -> Grid:
    """The runs with their scores and intervals; behind a score the letters of the runs that it is better than.

    Of many, best first and with the ranks that they may have instead of letters.
    """
    runs, in_ranks = comparison.runs, len(comparison.pairs) > MOST_PAIRS
    better: list[list[str]] = [[] for _ in runs]
    for pair in () if in_ranks else comparison.pairs:
        if comparison.significant(pair):
            winner, loser = (pair.a, pair.b) if pair.difference > 0 else (pair.b, pair.a)
            better[winner].append(letter(loser))
    known = [run.score for run in runs if not math.isnan(run.score)]
    best = f"{max(known):.4f}" if known else ""
    with_files = len({run.tag for run in runs}) < len(runs)
    order = sorted(range(len(runs)), key=lambda at: math.inf if math.isnan(runs[at].score) else -runs[at].score)
    rows: list[list[Cell]] = [
        [
            str(runs[at].ranks) if in_ranks else letter(at),
            runs[at].tag,
            *([runs[at].file] if with_files else []),
            Number(runs[at].score, bold=f"{runs[at].score:.4f}" == best, mark=",".join(better[at])),
            *map(Number, runs[at].interval),
        ]
        for at in (order if in_ranks else range(len(runs)))
    ]
    level = _percent(comparison)
    what = "Letters mark the runs that this run significantly outperforms"
    if in_ranks:
        what = f"Rank {level}: the ranks that the runs may have, which hold for all runs at once"
    of = (
        f"means of {' and '.join(map(str, sorted(set(comparison.replicates))))} runs, " if comparison.replicates else ""
    )
    caption = (
        f"{comparison.measure} on {counted(comparison.queries, 'query')}, {of}with {level} intervals "
        f"({_INTERVAL[comparison.interval]}), the best in bold. {about(comparison)}. "
        f"{what} ({described(comparison) if in_ranks else f'p < {comparison.alpha:.6g}'})."
    )
    header = [f"rank {level}" if in_ranks else "", "run", *(["file"] if with_files else []), comparison.measure,
              f"low {level}", f"high {level}"]  # fmt: skip
    return Grid(header, rows, caption, n_text=3 if with_files else 2)


def letter(at: int) -> str:
    """The letters of a run by its place: a, b, … z, aa, ab, …; never a digit, which would lengthen a number.

    >>> letter(0), letter(25), letter(26), letter(701), letter(702)
    ('a', 'z', 'aa', 'zz', 'aaa')
    """
    return (letter(at // 26 - 1) if at >= 26 else "") + _LETTERS[at % 26]


def _names(comparison: Comparison) -> list[str]:
    """The runs by their tags; those that share one, with their letter too."""
    n = Counter(run.tag for run in comparison.runs)
    return [run.tag if n[run.tag] == 1 else f"{run.tag} [{letter(at)}]" for at, run in enumerate(comparison.runs)]


def _percent(comparison: Comparison) -> str:
    return f"{100 * comparison.confidence_level:.6g}%"


def described(comparison: Comparison) -> str:
    """The test in words."""
    words = [f"studentised paired randomisation test, {resampled(comparison.resamples, comparison.seed)}"]
    if comparison.replicates:
        words = ["t test over queries and runs"]
    elif comparison.test == "t":
        words = ["paired t test"]
    n = comparison.together
    if n > 1 and comparison.correction in _CORRECTION:
        words.append(
            f"{_CORRECTION[comparison.correction]} for {n} pairs{' of all measures' * (n > len(comparison.pairs))}"
        )
    elif n > 1:
        words.append("no correction")
    return "; ".join([*words, f"p < {comparison.alpha:.6g}"])


def about(comparison: Comparison) -> str:
    """Which queries the comparison is about, in words."""
    said = "About other queries of the same kind" + ", and other runs of these systems" * bool(comparison.replicates)
    return (
        f"{said}; {counted(comparison.groups, 'group')} of queries resampled as a whole" if comparison.groups else said
    )


def deciding(comparison: Comparison) -> Iterator[str]:
    """For each of few pairs the queries without which the difference would change most, in a line."""
    names = _names(comparison)
    for pair in comparison.pairs if len(comparison.pairs) <= _FEW else ():
        shown = [f"{query} ({change:+.4f})" for query, change in pair.deciding[:_TOLD] if round(change, 4)]
        if shown:
            yield printable(f"{names[pair.a]} minus {names[pair.b]} would change most without {', '.join(shown)}")
