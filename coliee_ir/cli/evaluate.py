"""``coliee-ir evaluate GOLD RUN…``."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from time import perf_counter
from typing import Final

from coliee_adapters.errors import UsageError, shortened
from coliee_ir.cli import end_progress, say, scoring
from coliee_ir.cli.options import add, measures
from coliee_ir.output import grid
from coliee_ir.output.shown import FORMS, forms_of, pieces, render
from coliee_ir.scoring.scores import WITH_TIES, WITH_TIES_OF_QUERIES, Scores, ScoreTable, Timing

#: what is reported in the place of scores, and, the last one, beside them
_WAYS: Final = {"--by-year": "by_year", "--stages": "stages", "--gap": "gap", "--overlap": "overlap", "-q": "per_query"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.epilog = "example: coliee-ir evaluate gold.json run.txt -m MicroF1 -m AP"
    scoring.add_arguments(parser)
    add(
        parser, "measure",
        help="measure to report (repeatable; default: the official ones); `coliee-ir measures` lists all",
    )  # fmt: skip
    add(parser, "per_query", "span_of_ties", "output")
    add(parser, "format", choices=forms_of(ScoreTable))
    add(parser, "by_year", "stages", "gap", "overlap", "errors", "log")
    add(parser, "corpus", help="case files or Civil Code, for titles in --errors")
    add(parser, "timing")


def run(options: argparse.Namespace) -> int:
    """Score the runs and print what was asked for."""
    start = perf_counter()
    if options.errors not in (None, "-"):
        grid.file_form(options.errors)  # refused before anything is computed
    is_told = options.errors == options.output == "-"  # the scores, because the errors have standard output
    ways = [flag for flag, name in _WAYS.items() if vars(options)[name] not in (None, False)]
    instead = [flag for flag in ways if flag != "-q"]
    if instead:
        from coliee_ir.commands.evaluate import details, gap  # which scores do without

        if len(ways) > 1 or options.format not in FORMS:
            problem = f"{ways[0]} writes {', '.join(FORMS)}; {', '.join(_WAYS)} exclude each other"
            raise UsageError("option-conflict", problem)
    forms = WITH_TIES_OF_QUERIES if options.per_query else WITH_TIES
    if options.span_of_ties and (options.format not in forms or instead):
        problem = f"--ties writes {', '.join(forms)}, and cannot be combined with {', '.join([*_WAYS][:-1])}"
        raise UsageError("option-conflict", problem)
    at = [] if options.stages is None else details.depths(options.stages)
    if options.corpus is not None and options.errors is None:
        raise UsageError("option-needed", "--corpus gives the titles in --errors FILE: give both")
    session = scoring.Session(options)
    session.find(None if is_told else options.output, options.errors, options.log)
    of_documents = at or options.gap or options.overlap
    of_queries = options.per_query or options.by_year or options.span_of_ties
    if options.log is not None:
        from coliee_ir.commands.evaluate import log  # see above
    scored = session.score(
        measures(options), keep="judged" if of_documents else "queries" if of_queries else "values",
        ready=None if options.log is None else lambda made: log.append(options.log, [], log.measures_of(made)),
    )  # fmt: skip
    basis = scored.basis
    if not scored:
        return 2
    if options.log is not None:
        log.append(options.log, log.rows(scored, basis, options.typed[1:]), log.measures_of(basis))
    if options.errors is not None:
        from coliee_ir.commands.evaluate import errors  # which reads runs and texts as evaluation does not

        scoring.put(errors.written(scored, options.errors, corpus=options.corpus), options.errors)
    table = ScoreTable(scored, per_query=options.per_query, ties=options.span_of_ties)
    if instead:
        found = (
            details.stages(scored, at) if at
            else gap.gap(scored) if options.gap
            else gap.overlap(scored) if options.overlap
            else details.by_year(scored, basis.gold)
        )  # fmt: skip
        session.publish(render(found, options.format), scored.submissions, is_told=is_told)
    elif (options.format, options.output) == ("table", "-") and not (options.span_of_ties or is_told) and (
        sys.stdout.isatty()
    ):  # fmt: skip
        end_progress()
        titled = basis.edition is not None or basis.protocol.own_file
        title = basis.protocol.titled(basis.edition) if titled else f"Task {basis.task}"
        headers = list(dict.fromkeys(scores.header() for scores in scored))
        if len(headers) > 1:
            headers = [f"{shortened(scores.name)}: {scores.header()}" for scores in scored]
        grid.print_to_terminal(table.tables()[0], title, "\n".join([*headers, scoring.versions()]))
    else:
        session.publish(pieces(table, options.format), scored.submissions, is_told=is_told)
    if options.timing:
        say(json.dumps(_timing(scored, perf_counter() - start)))
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
    peak = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return peak // (1024 if sys.platform != "darwin" else 1 << 20)
