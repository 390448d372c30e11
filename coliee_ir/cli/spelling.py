"""What was probably meant by a command or an option that does not exist; loaded only then."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Sequence
from typing import Final

from coliee_ir.rules.decisions import CHOICES

#: former or foreign spelling → options in its place, of which the first that the command has is named
_FORMER: Final = {
    **dict.fromkeys(("--metric", "--metrics", "--measures", "--maximise", "--maximize", "--optimise"), ("-m",)),
    **dict.fromkeys(("--to", "--format", "-f"), ("--to", "-f")),
    **dict.fromkeys(("--save-rule", "--save-weights"), ("--save FILE",)),
    **dict.fromkeys(("--top", "--cutoff", "--top-k"), ("--by k=N", "--by k", "--stages", "-m MicroF1@K")),
    "--by-year": ("--folds year",),
    "--copy": ("-o DIR",),
    "--tables": ("--table NAME",),
    "--team-pattern": ("--teams REGEX",),
    "--train-corpus": ("--corpus",),
    "--qrels": ("--gold",),
    "--verbose": ("--timing",),
    "--manifest": ("-f json, which holds the SHA-256 of every file",),
}
#: what other commands and Python do
_ELSEWHERE: Final = {
    **dict.fromkeys(("--power", "--population"), "`coliee-ir plan` answers it"),
    **dict.fromkeys(("--pages", "--overview", "--reports", "--hide-gold", "--train"), "`coliee-ir edition` writes it"),
    "--trec-eval": "measures are those of trec_eval 9.0.8",
    **dict.fromkeys(
        ("--easy", "--decimals", "--percent", "--counts", "--least", "--held-out", "--repeats", "--floor", "--cap",
         "--years"),
        "left to Python (docs/recipes.md)",
    ),
}  # fmt: skip


def instead(typed: str, known: Collection[str], after: Sequence[str] = ()) -> str:
    """What to type in place of an option, as the rest of a sentence; empty where nothing is like it."""
    name, _, value = typed.partition("=")
    decision = name.removeprefix("--").replace("-", "_")
    if decision in CHOICES and "--decision" in known:
        value = value or next(iter(after), "")
        return f"; did you mean --decision {decision}={value if value in CHOICES[decision] else 'VALUE'}?"
    former = next((one for one in _FORMER.get(name, ()) if one.split()[0] in known), "")
    if not former and name in _ELSEWHERE:
        return f"; {_ELSEWHERE[name]}"
    return f"; did you mean {former}?" if former else meant(name, [one for one in known if one.startswith("--")])


def meant(typed: str, known: Collection[str]) -> str:
    """The known word most like one that was typed, or the one it begins, as the rest of a sentence."""
    close = [one for one in known if one.startswith(typed)] or difflib.get_close_matches(typed, known, 1)
    return f"; did you mean {close[0]}?" if close else ""
