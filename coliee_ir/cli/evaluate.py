"""``coliee-ir evaluate GOLD RUN…``."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from functools import partial
from time import perf_counter

from coliee_adapters.errors import UsageError
from coliee_ir.cli import print_remark, scoring
from coliee_ir.cli.options import measures
from coliee_ir.output import grid
from coliee_ir.rules.choices import FORMS
from coliee_ir.scoring.output import ScoreTable
from coliee_ir.scoring.scores import Scores, Timing


def _check(options: argparse.Namespace) -> None:
    """Refuse options that do not go together."""
    forms = ("json", "jsonl") if options.per_query else (*FORMS, "jsonl")  # which can hold spans
    if options.show is not None and (options.per_query or options.span_of_ties or options.format not in FORMS):
        raise UsageError("option-conflict", f"--show writes {', '.join(FORMS)}, and goes without -q and --ties")
    if options.span_of_ties and options.format not in forms:
        raise UsageError("option-conflict", f"--ties cannot be written as {options.format}; use {', '.join(forms)}")
    if options.corpus is not None and options.errors is None:
        raise UsageError("option-needed", "--corpus only adds titles to --errors; give --errors FILE too")


def run(options: argparse.Namespace) -> int:
    """Score the runs and print what was asked for."""
    start = perf_counter()
    if options.errors not in (None, "-"):
        grid.file_form(options.errors)  # refused before anything is computed
    on_stderr = options.errors == options.output == "-"  # the scores, because the errors have standard output
    _check(options)
    session = scoring.Session(options)
    session.find(None if on_stderr else options.output, options.errors, options.log)
    if options.log is not None:
        from coliee_ir.commands.evaluate import log  # which scores do without
    of_queries = options.per_query or options.span_of_ties
    scored = session.score(
        measures(options),
        keep="judged" if options.show is not None else "queries" if of_queries else "values",
        ready=None if options.log is None else lambda basis: log.append(options.log, [], log.measures_of(basis)),
    )  # fmt: skip
    basis = scored.basis
    if not scored:
        return 2
    if options.log is not None:
        log.append(options.log, log.rows(scored, options.typed[1:]), log.measures_of(basis))
    if options.errors is not None:
        from coliee_ir.commands.evaluate import errors  # which reads runs and texts as evaluation does not

        scoring.write_text(errors.written(scored, options.errors, corpus=options.corpus), options.errors)
    show = options.show or partial(ScoreTable, per_query=options.per_query, ties=options.span_of_ties)
    session.publish(show(scored), scored.submissions, on_stderr=on_stderr)
    if options.timing:
        print_remark(json.dumps(_timing(scored, perf_counter() - start)))
    return 2 if scored.invalid else 0


def _timing(scored: Sequence[Scores], total: float) -> dict[str, float | None]:
    """Where the time went: see Timing; and the greatest memory of any one process, in MiB, None on Windows."""
    times = Timing(*map(sum, zip(*(scores.timing for scores in scored), strict=True)))
    return {
        **{name: round(value, 4) for name, value in times._asdict().items()},
        "total": round(total, 4),
        "lines_per_second": round(times.lines / total),
        "peak_mib": _peak(),
    }


def _peak() -> int | None:
    try:
        import resource
    except ModuleNotFoundError:  # Windows does not have it
        return None
    peak = max(
        resource.getrusage(processes).ru_maxrss for processes in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    return peak // (1024 if sys.platform != "darwin" else 1 << 20)
