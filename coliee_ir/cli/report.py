"""``coliee-ir report GOLD RUN… -o page.html``."""

from __future__ import annotations

import argparse
import shlex

from coliee_adapters.errors import UsageError, without_credentials
from coliee_adapters.forms.lines import counted
from coliee_ir.cli import print_remark, scoring
from coliee_ir.cli.options import add
from coliee_ir.commands import report
from coliee_ir.output.webpage import local
from coliee_ir.scoring.scores import Scored


def run(options: argparse.Namespace) -> int:
    """Score the runs, make the report, and write what was asked for."""
    if options.output is None and options.figures is None:
        raise UsageError("option-needed", "name a result to write: -o FILE or --figures DIR")
    report.check_installed()
    from coliee_ir.commands.report import drawing, page  # which load Altair

    if str(options.output).lower().endswith((".pdf", ".docx")):
        raise UsageError("file-name", f"{options.output}: the page is HTML; name a .html file, and print that")
    if options.output is not None:
        drawing.start_drawing_process()  # beside the scoring
    figures = () if options.figures is None else map(str, drawing.paths(page.NAMES, options.figures))
    written = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    add(written, "output", "figures")  # of which the page names the first without its folders
    typed = map(local, written.parse_known_args(options.typed)[1])
    outputs = options.output, *figures
    return scoring.of_scores(
        options,
        report.report,
        _write,
        *outputs,
        keep="judged",
        command=without_credentials(shlex.join(["coliee-ir", *typed, "-o", local(options.output or "-")])),
        measure="",
    )


def _write(session: scoring.Session, page: report.Report, scored: Scored) -> None:
    options = session.options
    for remark in (remark for remark in page.contents.remarks if remark not in scored.remarks):
        print_remark(remark)
    if options.output is not None:
        scoring.write_text(page.to_html(), options.output)
        print_remark(f"{options.output}: open it in a browser")
    if options.figures is not None:
        print_remark(f"{options.figures}: {counted(len(page.write_figures(options.figures)), 'file')}")
