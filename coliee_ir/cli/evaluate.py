"""``coliee-ir evaluate GOLD RUN…``."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from time import perf_counter

from coliee_adapters.errors import UsageError, shortened
from coliee_ir.cli import progress, say, scoring
from coliee_ir.cli.options import add, measures
from coliee_ir.output import grid
from coliee_ir.output.shown import FORMS, forms_of, pieces, render
from coliee_ir.scoring.scores import WITH_TIES, WITH_TIES_OF_QUERIES, Scores, ScoreTable, Timing


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
    add(parser, "by_year", "stages", "gap", "overlap", "errors", "log", "store")
    add(parser, "corpus", help="case files or Civil Code, for titles in --errors")
    add(parser, "timing")


def run(options: argparse.Namespace) -> int:
    """Score the runs and print what was asked for."""
    start = perf_counter()
    wanted = [] if options.errors is None else [options.errors]
    written = [(path, grid.plain if path == "-" else grid.file_form(path)) for path in wanted]
    is_told = options.errors == options.output == "-"  # the scores, because the errors have standard output
    ways = {"--by-year": options.by_year, "--stages": options.stages is not None, "--gap": options.gap,
            "--overlap": options.overlap, "-q": options.per_query}  # fmt: skip
    other = [name for name, given in ways.items() if given]
    if other and other != ["-q"]:
        from coliee_ir.commands.evaluate import details, gap  # which scores do without

        if len(other) > 1 or options.format not in FORMS:
            problem = f"{other[0]} writes {', '.join(FORMS)}; {', '.join(ways)} exclude each other"
            raise UsageError("option-conflict", problem)
    forms = WITH_TIES_OF_QUERIES if options.per_query else WITH_TIES
    if options.span_of_ties and (options.format not in forms or (other and other != ["-q"])):
        problem = f"--ties writes {', '.join(forms)}, and cannot be combined with {', '.join([*ways][:-1])}"
        raise UsageError("option-conflict", problem)
    at = [] if options.stages is None else details.depths(options.stages)
    if options.corpus is not None and options.errors is None:
        raise UsageError("option-needed", "--corpus gives the titles in --errors FILE: give both")
    runs = scoring.find_files(options, None if is_told else options.output, *wanted, options.log)
    of_documents = at or options.gap or options.overlap
    of_queries = options.per_query or options.by_year or options.span_of_ties
    if options.log is not None:
        from coliee_ir.commands.evaluate import log  # see above
    scored = scoring.score(
        options, measures(options), runs, keep="judged" if of_documents else "queries" if of_queries else "values",
        ready=None if options.log is None else lambda made: log.append(options.log, [], log.measures_of(made)),
    )  # fmt: skip
    evaluator = scored.evaluator
    if not scored:
        return 2
    if options.log is not None:
        log.append(options.log, log.rows(scored, evaluator, options.typed[1:]), log.measures_of(evaluator))
    for path, form in written:
        from coliee_ir.commands.evaluate.errors import errors  # which reads runs and texts as evaluation does not

        scoring.put(form(errors(scored, corpus=options.corpus).tables()[0]), path)
    table = ScoreTable(scored, per_query=options.per_query, ties=options.span_of_ties)
    if options.by_year or of_documents:
        found = (
            details.stages(scored, at) if at
            else gap.gap(scored) if options.gap
            else gap.overlap(scored) if options.overlap
            else details.by_year(scored, evaluator.gold)
        )  # fmt: skip
        scoring.publish(options, render(found, options.format), scored.submissions, is_told=is_told)
    elif (options.format, options.output, options.span_of_ties, is_told) == (
        "table", "-", False, False,
    ) and sys.stdout.isatty():  # fmt: skip
        progress.end()
        titled = evaluator.edition is not None or evaluator.protocol.own_file
        title = evaluator.protocol.titled(evaluator.edition) if titled else f"Task {evaluator.task}"
        headers = list(dict.fromkeys(scores.header() for scores in scored))
        if len(headers) > 1:
            headers = [f"{shortened(scores.tag)}: {scores.header()}" for scores in scored]
        caption = "\n".join([*headers, scoring.versions()])
        grid.print_to_terminal(table.tables()[0], title, caption)
    else:
        scoring.publish(options, pieces(table, options.format), scored.submissions, is_told=is_told)
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
