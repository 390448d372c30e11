"""``coliee-ir demo``: the example data of every task, scored by the commands that a user would type."""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import shlex
import shutil
import sys
from collections.abc import Iterable, Iterator
from importlib import resources
from pathlib import Path

from coliee_adapters.errors import InputError
from coliee_adapters.files import remote
from coliee_adapters.files.writing import make_folder
from coliee_ir import cli
from coliee_ir.cli import print_remark

#: task, folder of the examples, what is shown, and the arguments of ``coliee-ir evaluate``
_SHOWN = (
    ("1", "task1", "a clean run, one with the usual mistakes, one in JSON", "gold.json bm25.txt dense.txt rerank.json"),
    ("2", "task2", "gold with comma-separated strings, a run in CSV", "gold.json mono.txt rules.csv"),
    ("3", "task3-2025", "up to 2025: article sets, and the long lists for MAP and R@k",
     "--edition 2025 gold.xml task3.ALPHA task3.BETA --long-list task3-L.ALPHA --long-list task3-L.BETA"),
    ("3", "task3", "2026: articles and answers",
     "gold.xml task3.ALPHA task3.BETA --answers answers.ALPHA --answers answers.BETA"),
    ("4", "task4", "answers, one file with True and False", "gold.xml ALPHA.txt BETA.txt"),
    ("5", "task5", "gold as a label list", "--task 5 gold.txt ALPHA.txt MAJORITY.txt"),
    ("tort", "tort", "the pilot's decisions", "gold.jsonl ALPHA.jsonl BETA.jsonl"),
    ("rationale", "tort", "the pilot's claims", "--task rationale gold.jsonl ALPHA.jsonl BETA.jsonl"),
    ("trec", "trec", "TREC files, trec_eval's measures", "qrels.txt bm25.run dense.run"),
)  # fmt: skip


def run(options: argparse.Namespace) -> int:
    """Print each command, and run it where the files are; or copy the files."""
    rows = [row for row in _SHOWN if options.task in (row[0], None)]
    with resources.as_file(resources.files("coliee_ir") / "examples") as folder:
        if options.output is not None:
            remote.refuse(options.output, "the folder of --output")
            _copy(folder, options.output, {name for _, name, *_ in rows})
            return 0
        if (place := min(str(folder), os.path.relpath(folder), key=len)) != os.curdir:
            print(f"$ cd {shlex.quote(place)}")
        with contextlib.chdir(folder):
            for row in rows:
                if code := _run(*row):
                    return code
        _, name, _, arguments = rows[0]
        page = shlex.join(["coliee-ir", "report", *_in_folder(name, arguments, folder), "-o", "report.html"])
        print(f"\nNext, as an HTML report:\n$ coliee-ir demo -o examples && cd examples\n$ {page}", flush=True)
    return 0


def _run(task: str, name: str, what: str, arguments: str) -> int:
    """One command and its table; of the runs with mistakes also the remarks."""
    typed = ["evaluate", *_in_folder(name, arguments, Path())]
    print(f"\n── Task {task}: {what}\n$ coliee-ir {shlex.join(typed)}", flush=True)
    remarks = io.StringIO()
    with contextlib.redirect_stderr(sys.stderr if "mistakes" in what else remarks):
        code = cli.main(typed)
    if code:
        print(remarks.getvalue(), end="", file=sys.stderr)
    return code


def _in_folder(name: str, arguments: str, examples: Path) -> Iterator[str]:
    """The arguments, names of example files with their folder."""
    for argument in arguments.split():
        yield f"{name}/{argument}" if (examples / name / argument).is_file() else argument


def _copy(examples: Path, target: str, names: Iterable[str]) -> None:
    """Copy the folders of tasks; nothing is written over."""
    for name in sorted(names):
        place = make_folder(target) / name
        if place.exists():
            raise InputError("would-overwrite", str(place), "it is already there", remedy="name an empty folder")
        shutil.copytree(examples / name, place, ignore=shutil.ignore_patterns("__*"))
        print_remark(f"written: {place}")
