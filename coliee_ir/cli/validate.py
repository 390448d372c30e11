"""``coliee-ir validate FILE…``."""

from __future__ import annotations

import argparse
from collections import Counter

from coliee_adapters.errors import UsageError
from coliee_adapters.files import archives
from coliee_adapters.files.source import is_folder
from coliee_adapters.files.writing import check_outputs
from coliee_adapters.forms.lines import counted
from coliee_ir.cli import print_remark, scoring
from coliee_ir.cli.options import keywords
from coliee_ir.commands.validate import Severity, Validation, validate
from coliee_ir.commands.validate.receiving import receive
from coliee_ir.inbox.folders import walk
from coliee_ir.rules.protocol import known_edition, protocol


def run(options: argparse.Namespace) -> int:
    """Check the files and print what was found; of folders, what came in them."""
    if not options.fix and any(is_folder(name) or archives.is_archive(name) for name in options.files):
        return _received(options)
    session = scoring.Session(options)
    session.find(options.output)
    files = [source.path for source in session.runs.sources]
    validation = validate(*files, **keywords(validate, options, gold=options.query_gold or None))
    if validation.task:
        tasks = f"task{'s' if len(validation.tasks) > 1 else ''} {' and '.join(validation.tasks)}"
        of_edition = "" if validation.edition is None else f" of {validation.edition}"
        print_remark(f"{tasks}{of_edition}{'' if options.task else ' (detected from the files)'}")
        if later := known_edition(protocol(validation.task), options.edition)[1]:
            print_remark(later)
    session.publish(validation, files)
    for name in validation.files if options.fix else ():
        print_remark(f"{name}: {_copy(validation, name)}")
    return 1 if validation.errors else 0


def _received(options: argparse.Namespace) -> int:
    if unfit := next((flag for flag in ("columns", "tag") if getattr(options, flag)), ""):
        what = "applies to the files of one submission, not to folders and archives: name its files"
        raise UsageError("unfit-option", f"--{unfit} {what}")
    golds = walk(options.query_gold).files
    queries = walk([options.queries] if options.queries else []).files
    check_outputs([options.output], [*options.files, *golds, *queries, options.corpus, options.teams])
    inbox = receive(*options.files, **keywords(receive, options, golds=golds, queries=queries))
    for remark in inbox.remarks:
        print_remark(remark)
    scoring.Session(options).publish(inbox, walk(options.files).files)
    return 1 if inbox.errors else 0


def _copy(validation: Validation, name: str) -> str:
    """Where the corrected copy of a file is and what it still has, or why there is none."""
    rules, rules_left = (
        {finding.rule for finding in findings if finding.file == name}
        for findings in (validation.findings, validation.left)
    )
    if name not in validation.mended:
        reasons = {
            "description": "it is a system description", "table": "it is another table",
            "unreadable": "the file cannot be read", "empty": "the file contains no submission lines",
        }  # fmt: skip
        otherwise = "files in this format are not corrected"
        reason = next((text for rule, text in reasons.items() if rule in rules), otherwise)
        return f"no corrected copy written: {reason}"
    left = Counter(finding.severity for finding in validation.left if finding.file == name)
    counts = ", ".join(counted(left[severity], str(severity)) for severity in Severity if left[severity])
    order = "; its order is that of the scores, not of the ranks" * ("rank-order" in rules - rules_left)
    return f"corrected copy written to {validation.mended[name]}; {counts or 'nothing'} left to correct{order}"
