"""What was probably meant by a command or an option that does not exist; loaded only then."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from coliee_adapters import checked
from coliee_ir.rules.decisions import CHOICES

#: what other tools and other commands call an option → options in its place, of which the first that the command has
#: is named
_ELSEWHERE: Final = {
    **dict.fromkeys(("--metric", "--metrics", "--measures", "--maximise", "--maximize", "--optimise"), ("-m",)),
    **dict.fromkeys(("--to", "--format", "-f"), ("--to", "-f")),
    **dict.fromkeys(("--top", "--cutoff", "--top-k"), ("--by k=N", "--by k", "-m MicroF1@K")),
    **dict.fromkeys(
        ("-k", "--k"), ("--by k=N", "--by k", "--top N, or --rrf-k for the constant of rrf", "-m MicroF1@K")
    ),
    **dict.fromkeys(("--threshold", "--min-score"), ("--by score=T", "--by score")),
    "--by-year": ("--folds year", "--show years"),
    **{f"--{name}": (f"--show {name}",) for name in ("stages", "gap", "overlap")},
    "--qrels": ("--gold",),
    "--store": ("-q -f csv -o FILE",),
    "--verbose": ("--timing",),
}
#: trec_eval's flags → what to do instead; ``{number}`` is the flag's
_OF_TREC_EVAL: Final = {
    "-l": "; trec_eval's level is written into the measure: AP(rel={number})",
    "-J": "; trec_eval's -J is written into the measure: AP(judged_only=True)",
    "-M": "; trec_eval's -M is a run cut before: coliee-ir cut RUN --by k={number}",
    "-c": "; trec_eval's -c is the default here: leave it out (without -c: --decision unanswered=skip)",
    "-n": "; means are always printed, beside those of queries with -q: leave trec_eval's -n out",
    "-N": "; no measure needs the size of the collection: leave trec_eval's -N out",
    "-a": "; trec_eval's -a is -m all_trec",
}
#: what others call a command → ours
_COMMANDS: Final = {
    **dict.fromkeys(("score", "trec_eval", "ir_measures", "metrics"), "evaluate"),
    **dict.fromkeys(("check", "lint"), "validate"),
    **dict.fromkeys(("merge", "ensemble", "vote"), "fuse"),
    **dict.fromkeys(("trim", "truncate", "top"), "cut"),
}


def instead(typed: str, known: Collection[str], after: Sequence[str] = ()) -> str:
    """What to type in place of an option, as the rest of a sentence; empty where nothing is like it."""
    name, _, value = typed.partition("=")
    if "--measure" in known and (here := _OF_TREC_EVAL.get(typed[:2])):
        return here.format(number=next((word for word in (typed[2:], *after[:1]) if word.isdecimal()), "N"))
    if name in ("--run", "--runs", "--pred", "--predictions"):
        return "; runs are named without an option"
    decision = name.removeprefix("--").replace("-", "_")
    if decision in CHOICES and "--decision" in known:
        value = value or next(iter(after), "")
        return f"; did you mean --decision {decision}={value if value in CHOICES[decision] else 'VALUE'}?"
    here = next((one for one in _ELSEWHERE.get(name, ()) if one.split()[0] in known), "")
    return f"; did you mean {here}?" if here else meant(name, [one for one in known if one.startswith("--")])


def meant(typed: str, known: Collection[str]) -> str:
    """The known word most like one that was typed, or the one it begins, as the rest of a sentence."""
    return checked.meant(_COMMANDS.get(typed, typed), known)
