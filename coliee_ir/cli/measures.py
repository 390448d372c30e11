"""``coliee-ir measures [NAME]``."""

from __future__ import annotations

import argparse
import textwrap

from coliee_adapters.errors import UsageError
from coliee_adapters.ir_measures import NAMES
from coliee_ir import measures
from coliee_ir.cli.scoring import write_text
from coliee_ir.output.envelope import dumped
from coliee_ir.reading.basis import measures_named
from coliee_ir.rules.protocol import protocol


def run(options: argparse.Namespace) -> int:
    """Write the definitions of the measures named, or a line for each there is."""
    if options.edition is not None and options.task is None:
        raise UsageError("option-needed", "--edition needs --protocol")
    rules = None if options.task is None else protocol(options.task, options.edition)
    scores = {} if rules is None else rules.scores
    names = options.names or (() if rules is None else rules.measures)
    named = [measures.describe(measure) for measure in measures_named(names, scores)]
    named = [what._replace(formula=scores.get(what.name, what.formula)) for what in named]
    if options.format == "json":
        text = dumped([what._asdict() for what in named or measures.everything()])
    else:
        text = "\n".join(map(_explained, named)) + "\n" if named else _overview()
    write_text(text, options.output)
    return 0


def _overview() -> str:
    """A line for each measure, and how others are written."""
    lines = []
    for what in measures.everything():
        first = what.definition.replace("``", "").split("\n\n")[0]
        lines.append(f"{what.name:<22} {' '.join(first.split())}\n")
    return "".join(lines) + (
        "\nOurs take parameters: MicroF(beta=0.5)@10, MacroF(beta=2,of=means), MicroP(rel=2). MacroF2: beta 2.\n"
        "trec_eval's are written as there: P_5, P.5,10, set_F.4, official.\n"
        f"ir_measures' names mean what they mean there: {', '.join(NAMES)}, as in R@100 or P(rel=2)@5.\n"
    )


def _explained(what: measures.Description) -> str:
    parts = (("formula", what.formula), ("source", what.source), ("computed", what.computed))
    lines = [what.name, textwrap.indent(what.definition.replace("``", ""), "    "), ""]
    for name, text in (part for part in parts if part[1]):
        lines.append(textwrap.fill(text, 110, initial_indent=f"    {name + ':':<10}", subsequent_indent=" " * 14))
    return "\n".join(lines) + "\n"
