"""``coliee-ir evaluate GOLD RUN…``."""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
from collections.abc import Sequence
from time import perf_counter

from coliee_adapters.errors import UsageError, shortened
from coliee_ir.cli import say, scoring
from coliee_ir.cli.options import add, measures
from coliee_ir.scoring import render as tables
from coliee_ir.scoring.scores import Scores, Timing


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.epilog = "example: coliee-ir evaluate gold.json run.txt -m MicroF1 -m AP"
    scoring.add_arguments(parser)
    add(
        parser, "measure",
        help="measure to report, for example MicroF1, nDCG@10 or P_5; `coliee-ir measures` lists all (repeatable; "
        "default: the task's official measures)",
    )  # fmt: skip
    add(parser, "per_query", "span_of_ties", "output")
    add(parser, "format", choices=tuple(tables.FORMS))
    add(parser, "timing")


def run(options: argparse.Namespace) -> int:
    """Score the runs and print what was asked for."""
    start = perf_counter()
    forms = tables.WITH_TIES_OF_QUERIES if options.per_query else tables.WITH_TIES
    if options.span_of_ties and options.format not in forms:
        raise UsageError(f"--ties cannot be written so; use -f {' or '.join(forms)}")
    scored, evaluator, failed, _ = scoring.score(options, measures(options))
    if not scored:
        return 2
    if (options.format, options.output, options.span_of_ties) == ("table", "-", False) and sys.stdout.isatty():
        of_task = f"Task {evaluator.task}"
        title = (
            of_task
            if evaluator.edition is None
            else f"COLIEE {evaluator.edition}, {of_task}: {evaluator.protocol.title}"
        )
        headers = list(dict.fromkeys(scores.header() for scores in scored))
        if len(headers) > 1:
            headers = [f"{shortened(scores.tag)}: {scores.header()}" for scores in scored]
        caption = "\n".join([*headers, scoring.versions()])
        tables.print_to_terminal(scored, title, caption, per_query=options.per_query)
    else:
        scoring.put(
            tables.render(scored, options.format, per_query=options.per_query, ties=options.span_of_ties),
            options.output,
        )
    if options.timing:
        say(json.dumps(_timing(scored, perf_counter() - start)))
    return 2 if failed else 0


def _timing(scored: Sequence[Scores], total: float) -> dict[str, float | None]:
    """Where the time went: see Timing; and the greatest memory of any one process, in MiB, None on Windows."""
    times = sum((scores.timing for scores in scored), Timing())
    return {
        **{name: round(value, 4) for name, value in dataclasses.asdict(times).items()},
        "total": round(total, 4),
        "lines_per_second": round(times.lines / total),
        "peak_mib": _peak(),
    }


def _peak() -> int | None:
    try:
        import resource
    except ModuleNotFoundError:  # Windows does not have it
        return None
    peak = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return peak // (1024 if sys.platform != "darwin" else 1 << 20)
