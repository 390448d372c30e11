"""``coliee-ir edition FILE -o DIR``."""

from __future__ import annotations

import argparse
import contextlib
from pathlib import Path

from coliee_adapters.errors import UsageError, printable
from coliee_adapters.files import limits
from coliee_adapters.kinds import with_kind
from coliee_adapters.remarks import Remark
from coliee_ir.cli import end_progress, print_remark, scoring, with_progress
from coliee_ir.commands import edition


def run(options: argparse.Namespace) -> int:
    """Do the day of an edition, and print what is left to decide; or ask for a new one."""
    if options.edition_file == "new":
        return _new(Path(options.output or "coliee.toml"))
    if options.output is None:
        raise UsageError("option-needed", "name the folder to write to: -o DIR")
    file, folder = Path(options.edition_file), Path(options.output).absolute()
    # called from wherever it may be, everything is called as the file calls it
    where, name = (file.parent, file.name) if file.is_file() else (".", options.edition_file)
    with contextlib.chdir(where):
        read = edition.read_edition(name)
        with limits.stated(read.limits):
            news = edition.unchanged(read, folder) or edition.write(edition.day_of(read, with_progress), folder)
    if read.public.figures and not edition.is_drawn():
        print_remark("coliee-ir: no figures are drawn: pip install 'coliee-ir[report]'")
    for result in news.results["decide"]:
        if result["kind"] == "refused":
            print_remark(f"coliee-ir: not ranked: {with_kind(Remark('refused', result['what']))}")
    scoring.write_text([f"{printable(line)}\n" for line in edition.summary_lines(news)], "-")
    return 0


def _new(path: Path) -> int:
    end_progress()
    if path.exists():
        raise UsageError("would-overwrite", f"{path} is there already; name another file with -o")
    try:
        scoring.write_text(edition.new(path, input), str(path))
    except EOFError:
        raise UsageError(
            "option-needed", "`edition new` needs answers: run it in a terminal, or pipe in one line per question"
        ) from None
    print_remark(f"written: {path}; coliee-ir edition {path} -o out")
    return 0
