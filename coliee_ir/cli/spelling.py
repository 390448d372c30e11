"""What was probably meant by a command or an option that does not exist; loaded only then."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Final

from coliee_adapters import checked
from coliee_ir.cli import COMMANDS, parser_of
from coliee_ir.rules.choices import CHOICES

_NUMBER: Final = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"

#: what other tools and other commands call an option → options in its place, of which the first that the command has
#: is named; ``{n}`` is the number behind it, ``{rest}`` what is left to 1
_ELSEWHERE: Final = {
    **dict.fromkeys(("metric", "metrics", "measures", "maximise", "maximize", "optimise"), ("-m",)),
    **dict.fromkeys(("to", "format", "f"), ("--to", "-f")),
    **dict.fromkeys(
        ("top", "cutoff", "cut", "topk", "top-k", "depth"),
        ("--top {n}", "--by k={n}", "-m MicroF1@{n}", "coliee-ir cut RUN --by k={n}"),
    ),
    "k": ("--top {n}, or --rrf-k {n} for the constant of rrf", "--by k={n}", "-m MicroF1@{n}"),
    **dict.fromkeys(("threshold", "min-score"), ("--by score={n}",)),
    "alpha": ("--weights {n},{rest}", "--confidence-level {rest}"),
    **{form: (f"-f {form}",) for form in ("markdown", "latex", "csv", "json", "html")},
    "by-year": ("--folds year", "--show years"),
    **{name: (f"--show {name}",) for name in ("stages", "gap", "overlap")},
    "qrels": ("--gold",),
    "year": ("--edition {n}",),
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


def option_hint(typed: str, known: Collection[str], after: Sequence[str] = ()) -> str:
    """What to type in place of an option, as the rest of a sentence; empty where nothing is like it."""
    name, _, value = re.sub(r"^(-\w)(?=[0-9])", r"\1=", typed).partition("=")
    if "--measure" in known and (here := _OF_TREC_EVAL.get(typed[:2])):
        return here.format(number=next((word for word in (typed[2:], *after[:1]) if word.isdecimal()), "N"))
    if name in ("--run", "--runs", "--pred", "--predictions"):
        return "; runs are named without an option"
    if name == "--qrels" and "--measure" in known and "--fit" not in known:
        return "; the gold is named first, without an option"
    if name in ("-o", "--output") and "--to" in known:
        return "; OUT is the last argument, without an option"
    plain = name.lstrip("-").replace("_", "-")
    value = value or next(iter(after), "")
    decision = plain.replace("-", "_")
    if decision in CHOICES and "--decision" in known:
        return f"; did you mean --decision {decision}={value if value in CHOICES[decision] else 'VALUE'}?"
    others = _ELSEWHERE.get(plain.lower(), ())
    here = next((other for other in others if other.split()[0] in (*known, "coliee-ir")), "")
    if here.startswith("--by") and "--rule" not in known:  # tune finds the number
        here = here.partition("=")[0]
    if here:
        share = re.fullmatch(r"0?\.[0-9]+", value) is not None
        n, rest = (value, f"{1 - float(value):g}") if share else (value if re.fullmatch(_NUMBER, value) else "N", "W")
        return f"; did you mean {here.format(n=n, rest=rest)}?"
    if commands := [command for command in COMMANDS if name in parser_of(command)._option_string_actions]:
        return f"; {name} is an option of {', '.join(commands)}"
    names = [option[2:] for option in known if option.startswith("--")]
    return checked.did_you_mean(plain, names).replace("mean ", "mean --")


def choice_hint(message: str) -> str:
    """The value that was probably meant, as the rest of argparse's sentence."""
    typed, *known = re.findall(r"[^'(), ]+", message.partition("invalid choice: ")[2].replace("choose from", ""))
    return checked.did_you_mean(re.sub(r"^task[\W_]*(?=\w)", "", typed.lower()), known)


def extra_words_hint(command: str, known: Sequence[str]) -> str:
    """What to do about words that no option takes, as the rest of a sentence; ``known`` are those that go by place."""
    if any(word.endswith("…") for word in known):
        return "; an option takes one value: -m A -m B, and with commas --exclude q1,q2 or --weights 0.5,0.5"
    takes = " and ".join(known) or "only options"
    return f"; {command} takes {takes}"
