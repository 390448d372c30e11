"""``coliee-ir measures [NAME]``."""

from __future__ import annotations

import argparse
import textwrap

from coliee_adapters.ir_measures import NAMES
from coliee_ir import measures


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("names", metavar="NAME", nargs="*", help="measures to explain; default: a list of all")


def run(options: argparse.Namespace) -> int:
    """Print the definition of the measures named, or a line for each there is."""
    if options.names:
        print("\n".join(_explained(m) for name in options.names for m in measures.parse(name)))
        return 0
    for description in measures.everything():
        first = description.definition.replace("``", "").split("\n\n")[0]
        print(f"{description.name:<22} {' '.join(first.split())}")
    print(
        "\nOurs take parameters: MicroF(beta=0.5)@10, MacroF(beta=2,of=means), MicroP(rel=2). MacroF2: beta 2.\n"
        "trec_eval's are written as there: P_5, P.5,10, set_F.4, official.\n"
        f"ir_measures' names mean what they mean there: {', '.join(NAMES)}, as in R@100 or P(rel=2)@5."
    )
    return 0


def _explained(measure: measures.Measure) -> str:
    what = measures.describe(measure)
    parts = (("formula", what.formula), ("source", what.source), ("computed", what.computed))
    lines = [what.name, textwrap.indent(what.definition.replace("``", ""), "    "), ""]
    for name, text in parts:
        lines.append(textwrap.fill(text, 110, initial_indent=f"    {name + ':':<10}", subsequent_indent=" " * 14))
    return "\n".join(lines) + "\n"
