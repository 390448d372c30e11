"""The options of all commands, each defined once: a command picks by name, and adds what only it knows.

An option's name is where its value is found after parsing: ``measure`` is ``-m/--measure``, and ``options.measure``.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import re
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from coliee_adapters.errors import UsageError
from coliee_adapters.files import remote
from coliee_adapters.files.compressed import COMPRESSIONS, without_compression_ending
from coliee_adapters.forms import ROLES
from coliee_ir.rules.choices import TASKS

if TYPE_CHECKING:
    from coliee_ir.reading.basis import Rules  # what loads NumPy, help and a mistyped option do without


class Option(NamedTuple):
    """An option, or an argument without a flag."""

    flags: tuple[str, ...]  # how it is typed; empty for an argument that goes by its place
    settings: Mapping[str, Any]  # what argparse is given
    reads: bool = False  # whether its value names files that are read
    # ``file`` where its value names one that is written, ``files`` where it names a folder or several
    writes: Literal["", "file", "files"] = ""
    local: bool = False  # whether what it names must be on this machine


_PACKING: Final = ", ".join(compression.ending for compression in COMPRESSIONS)


def _option(flags: str, metavar: str, help: str = "", reads: bool = False, writes: Any = "", local: bool = False,
            **settings: Any) -> Option:  # fmt: skip
    typed = {"metavar": metavar} if metavar else {}
    return Option(tuple(flags.split()), {**typed, "help": help, **settings}, reads, writes, local or writes == "files")


def _on_this_machine(flag: str, path: str) -> str:
    remote.refuse(path, f"what {flag} names")
    return path


def at_least_one(text: str) -> int:
    """A count, from the command line."""
    if text.isdecimal() and int(text) > 0:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is not an integer ≥ 1")


def _between(least: float, most: float, text: str) -> float:
    """A number inside of two bounds, from the command line."""
    with contextlib.suppress(ValueError):
        if least < (number := float(text)) < most:
            return number
    bounds = f"greater than {least:g}" + (f" and less than {most:g}" if most < math.inf else "")
    raise argparse.ArgumentTypeError(f"{text!r} is not a number {bounds}")


def _folds(text: str) -> int | str:
    """A number of folds, or ``year`` for a fold a year."""
    if text != "year" and not re.fullmatch("-?[0-9]+", text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of folds, or year")
    return text if text == "year" else int(text)


_MANY: Final[Mapping[str, Any]] = {"action": "append", "default": []}
_SWITCH: Final[Mapping[str, Any]] = {"action": "store_true"}

#: heading of ``--help`` → name → the option
_TABLE: Final[Mapping[str, Mapping[str, Option]]] = {
    "Input": {
        "gold": _option("", "GOLD", "gold file, folder of golds, or - for standard input", reads=True),
        "more_golds": _option("--gold", "FILE", "another gold with other queries (repeatable)", reads=True, **_MANY),
        "other_gold": _option(
            "--other-gold", "GOLD", "another gold of the same queries, by which the runs are compared too", reads=True),
        "runs": _option("", "RUN", "run files, or folders: all files in them", nargs="+", reads=True),
        "submissions": _option(
            "", "DIR|FILE", "submission files, or folders to search; files with the same run tag belong together",
            nargs="+", reads=True),
        "files": _option(
            "", "SUBMISSION|DIR", "files of one team's submissions, or a folder of many", nargs="+", reads=True),
        "edition_file": _option("", "FILE", "edition file (TOML); `coliee-ir edition new` creates one"),
        "ranking": _option(
            "", "RUN", "ranking to cut; - reads standard input. Several files with different queries are one run",
            nargs="+", reads=True,
        ),
        "platform": _option("", "PLATFORM", "platform: codabench"),
        "sources": _option(
            "", "IN", "gold, folder of golds or submission to convert; - reads standard input. Several files with "
            "different queries, or the documents and the answers of a run, are joined", nargs="+"),
        "target": _option("", "OUT", f"file to write; - is standard output; {_PACKING} compress"),
        "names": _option("", "NAME", "measures to explain (default: list all measures)", nargs="*"),
        "answers": _option(
            "--answers", "FILE", "Task 3 from 2026: Y/N answers, a file for each RUN, if names and run tags do not "
            "pair them (repeatable)",
            reads=True, **_MANY),
        "long_list": _option(
            "--long-list", "FILE", "Task 3 up to 2025: ranked list, likewise",
            reads=True, **_MANY),
        "exclude": _option("--exclude", "IDS|FILE", "queries to exclude: q1,q2,… or a file of them", reads=True),
        "only": _option("--only", "IDS|FILE", "queries to score: q1,q2,… or a file of them", reads=True),
        "corpus": _option(
            "--corpus", "DIR|FILE", "the documents: case files, the Civil Code, or a list of ids", reads=True),
        "categories": _option(
            "--categories", "CSV", "categories of queries: columns query and category", reads=True),
        "teams": _option(
            "--teams", "CSV", "teams of the runs, in columns tag and team (default: the folders that the runs are in)",
            reads=True),
        "template": _option("--template", "FILE", "pilot only: the organisers' test file, which the submission "
        "repeats", reads=True),
        "queries": _option("--queries", "FILE", "test file, or any file that names the queries", reads=True),
        "query_gold": _option(
            "--gold", "FILE", "gold, or folder of golds, for the query ids (repeatable)", reads=True, **_MANY),
        "chunks": _option(
            "--chunks", "REGEX", "merge passages into documents by deleting REGEX from document ids ('_[0-9]+$': "
            "088_0, 088_1 → 088)"),
        "aggregate": _option(
            "--aggregate", "", "how to combine passage scores: max, sum, mean, or first (lowest-numbered passage) "
            "(default: max); or vote: the answer that most samples of a question give", default="max"),
        "like": _option(
            "--like", "GOLD", "rewrite ids to match GOLD (1 → 001, Article_96 → 96) where unambiguous", reads=True),
        "form": _option("--from", "F", "format of IN: %(choices)s (default: detected)"),
        "replicates": _option(
            "--replicates", "CSV", "CSV with columns run,system: average a system's runs (seeds, folds, samples) and "
            "compare systems", reads=True),
        "groups": _option(
            "--groups", "FILE", "file with lines QUERY GROUP, for queries that depend on each other; each group is "
            "resampled as a unit", reads=True),
        "tasks": _option(
            "--tasks", "FILE|COLUMN", "file with lines QUERY TASK, a column of the scores, or file or folder, where "
            "each file or folder of scores is a task: rank by the mean over tasks (or years), which count the same",
            reads=True),
        "apply": _option(
            "--apply", "TEST_RUN", "test run: cut it by the tuned rule and write it to -o (repeatable, for the "
            "files of one)",
            reads=True, action="append", default=[],
        ),
        "dates": _option(
            "--dates", "FILE|DIR", "file of dates (lines ID YYYY-MM-DD or ID YYYY, or JSON), or the folder of cases, "
            "whose texts show dates: drop documents newer than their query", reads=True),
        "candidates": _option(
            "--candidates", "FILE", 'keep only the candidates of each query: {"001": ["013", …]}, lines QUERY '
            'DOCUMENT, qrels, or a run', reads=True),
        "fit": _option(
            "--fit", "GOLD", "fit weights to this gold, or folder of golds (repeatable for golds with other queries)",
            reads=True, **_MANY),
    },
    "Rules": {
        "task": _option("--task", "T", "1 to 5, tort, rationale or trec (default: detected)", choices=TASKS),
        "protocol": _option(
            "--protocol", "FILE|NAME", "TOML file, or a name that `coliee-ir protocol` lists", reads=True, **_MANY),
        "edition": _option("--edition", "Y", "year whose rules apply (default: the newest)", type=int),
        "decision": _option("--decision", "NAME=VALUE", **_MANY),
        "columns": _option(
            "--columns --labels", "ROLE=NAME,…",
            f"names of your columns (roles: {', '.join(ROLES)}); with --labels, your words for answers: Y=Oui,N=Non",
            action="append"),
        "measure": _option("-m --measure", "NAME", **_MANY),
        "lower_is_better": _option("--lower-is-better", "NAME",
            "in a table of scores: a measure where lower is better (repeatable)", **_MANY),
        "baseline": _option("--baseline", "TAG|FILE", "compare every other run with this one (default: compare all "
        "pairs)"),
        "scale": _option("--scale", "S",
            "with --tasks: score, or wins, the share of other runs beaten on each query, where scales differ"),
        "fixed_queries": _option("--fixed-queries", "",
            "with --replicates: do systems differ on these very queries, in other runs of them", **_SWITCH),
        "test": _option("--test", "TEST", "randomisation or t (default: randomisation)", default="randomisation"),
        "correction": _option(
            "--correction", "", "multiple testing correction; maxt tests all pairs jointly (default: maxt)",
            default="maxt"),
        "sizes": _option(
            "--size", "N", "number of queries to plan for (repeatable; default: 0.5, 1, 2 and 4 times the gold's)",
            type=at_least_one, **_MANY),
        "margin": _option(
            "--margin", "X", "equivalence margin: differences up to X do not matter (verdicts: equivalent, not "
            "worse, better by more …)",
            type=partial(_between, 0, math.inf)),
        "folds": _option("--folds", "K|year", type=_folds),
        "by": _option("--by", "RULE", **_MANY),
        "rule": _option(
            "--rule", "FILE", 'rule file written by `coliee-ir tune --save`, for example {"family": "score", '
            '"threshold": 0.5}', reads=True),
        "not_itself": _option("--not-itself", "", "remove the query from its own ranking", **_SWITCH),
        "method": _option(
            "--method", "M", "fusion method: %(choices)s (default: rrf; vote for answers; combsum with --fit of "
            "rankings)"),
        "weights": _option(
            "--weights", "W,W,…|FILE", "one weight for each run, or a file written by --save, which also contains "
            "the method", reads=True),
        "top": _option("--top", "N", "number of fused documents to keep per query (default: all)", type=at_least_one),
        "ties": _option("--ties", "", "answer to give when votes are tied; first: that of the first RUN (default: N)"),
    },
    "Output": {
        "output": _option(
            "-o --output", "FILE", "file to write to (default: standard output)", default="-", writes="file"),
        "image": _option("--image", "NAME", "Docker image to build from the bundle and push"),
        "format": _option("-f --format", "F", "%(choices)s (default: by the ending of -o, else table)"),
        "tag": _option("--tag", "TAG", "run tag to write"),
        "span_of_ties": _option("--ties", "", "report the range of scores over all orders of ties", **_SWITCH),
        "per_query": _option("-q --per-query", "", "also report the scores of each query", **_SWITCH),
        "show": _option(
            "--show", "NAME", "not scores but years; stages (recall, and the score of a perfect reranker, at "
            "depths: stages=5,10..20); gap (where points are lost); overlap (what runs share)"),
        "errors": _option(
            "--errors", "FILE", "write the outcome of each document (found, missed, wrong) to FILE (.csv, .tsv, "
            ".json, .txt), or - for a table",
            writes="file"),
        "to": _option("--to", "F"),
        "fix": _option(
            "--fix", "OUT", "write a corrected copy: a file, or for several files a folder, which is made",
            writes="files"),
        "figures": _option(
            "--figures", "DIR", "write the figures as PDF, SVG and PNG, and their numbers as CSV", writes="files"),
        "best": _option("--best", "", "rank only the best run of each team", **_SWITCH),
        "table_names": _option("--table", "NAME", **_MANY),
        "save": _option("--save", "FILE", writes="file"),
        "curve": _option(
            "--curve", "FILE", "write the score at each cutoff or threshold of the chosen rule to FILE: .csv, .tsv, "
            ".json or .txt; with --by k, at each cutoff", writes="file"),
    },
    "Running": {
        "help": _option("-h --help", "", "show this text", action="help"),
        "jobs": _option("--jobs", "N", "number of processes (default: by input size)", type=at_least_one),
        "keep_going": _option("--keep-going", "", "report broken runs and continue (exit code 2)", **_SWITCH),
    },
    "Expert": {
        "norm": _option("--norm", "N", "normalisation of scores, for the comb… methods"),
        "k": _option("--rrf-k", "K", "constant of rrf", type=float),
        "higher_is_better": _option("--higher-is-better", "NAME",
            "in a table of scores: a measure where higher is better, if its name leaves doubt", **_MANY),
        "n_resamples": _option("--resamples", "N", "number of resamples (default: %(default)s)", type=at_least_one),
        "seed": _option("--seed", "N", "seed of the random numbers (default: %(default)s)", type=int),
        "confidence_level": _option(
            "--confidence-level", "P", "confidence level (default: %(default)s)", type=partial(_between, 0, 1)),
        "log": _option(
            "--log", "CSV", "append time, file, options and measures of each run", writes="file", local=True),
        "timing": _option("--timing", "", "print seconds and peak memory on standard error", **_SWITCH),
        "cluster": _option(
            "--cluster", "ADDRESS", "Dask scheduler, tcp://HOST:8786 (its workers must see the same files), or "
            "local:N for N processes"),
    },
}  # fmt: skip

#: name → the option
OPTIONS: Final[Mapping[str, Option]] = {name: option for table in _TABLE.values() for name, option in table.items()}

#: the commands that can be given scores instead of a gold and runs
OF_SCORES: Final = ("compare", "leaderboard", "plan", "report")

#: options of which only one can be given: that which names more, and the other
_RIVALS: Final = (("protocol", "task"), ("query_gold", "queries"))


#: an option by its name in the table, or with settings of one command, such as choices or a default
Argument = str | tuple[str, Mapping[str, Any]]


def add(parser: argparse.ArgumentParser, *arguments: Argument) -> None:
    """Add options by name."""
    groups = {group.title: group for group in parser._action_groups}
    for title, table in _TABLE.items():
        if title not in groups:
            groups[title] = parser.add_argument_group(title)
        for argument in arguments:
            name, changes = (argument, {}) if isinstance(argument, str) else argument
            if (option := table.get(name)) is not None:
                settings = {**option.settings, **({"dest": name} if option.flags else {}), **changes}
                is_needed = settings.pop("needed", True)
                if option.local:
                    settings["type"] = partial(_on_this_machine, option.flags[0])
                action = groups[title].add_argument(*(option.flags or [name]), **settings)
                action.required &= is_needed


def usage(parser: argparse.ArgumentParser) -> str:
    """How a command is typed, in one line."""
    words = ["[OPTIONS]"]
    for action in parser._actions:
        if not action.option_strings:
            word = f"{action.metavar or action.dest}{'…' if action.nargs in ('*', '+') else ''}"
            words.append(f"[{word}]" if action.nargs in ("*", "?") else word)
    return " ".join(["%(prog)s", *words])


#: ending of a file's name → the form that it stands for
_ENDINGS: Final[Mapping[str, str]] = {
    ".json": "json", ".jsonl": "jsonl", ".csv": "csv", ".tsv": "tsv", ".md": "markdown", ".tex": "latex",
    ".html": "html", ".parquet": "parquet", ".txt": "table", ".xml": "xml",
}  # fmt: skip


#: the formats of a cut run that a file's name can ask for
_TABLES_OF_RUNS: Final = ("json", "jsonl", "csv", "tsv", "parquet")


def defaults(parser: argparse.ArgumentParser) -> dict[str, Any]:
    """The values of the options that a command does not have, so that all commands can be asked for all."""
    known = {action.dest for action in parser._actions}
    return {
        name: [] if option.settings.get("action") == "append" or option.settings.get("nargs") else None
        for name, option in OPTIONS.items()
        if name not in known
    }


def settle(parser: argparse.ArgumentParser, options: argparse.Namespace) -> argparse.Namespace:
    """What options mean together, and where no form was named, that of the ending of the file that is written."""
    typed, choices = vars(options), {action.dest: action.choices for action in parser._actions}
    settled = dict(typed)
    flags = [word.partition("=")[0] if word.startswith("--") else word[:2] for word in options.typed]
    for action in parser._actions:  # of two values argparse forgets the first
        is_single = action.nargs != 0 and not isinstance(typed[action.dest], list)
        if is_single and sum(map(flags.count, action.option_strings)) > 1:
            several = ": write q1,q2,… or name a file" if action.metavar == "IDS|FILE" else ", and takes one value"
            parser.error(f"argument {'/'.join(action.option_strings)}: is given twice{several}")
    for rivals in _RIVALS:
        if all(typed[name] for name in rivals):
            first, other = (OPTIONS[name].flags[-1] for name in rivals)
            what = {"task": "the task", "queries": "the queries"}[rivals[1]]
            parser.error(f"{first} and {other} both name {what}: leave out {other}")
    protocols = options.protocol
    if protocols:
        from coliee_ir.reading.basis import check_rules
        from coliee_ir.rules.protocol import all_rules, use_protocol_file

        if len(protocols) > 1:
            parser.error("--protocol is given twice, and each names a task")
        settled["task"] = use_protocol_file(protocols[0])
        for rules in all_rules(settled["task"]):
            check_rules(rules)
    settled["protocol"] = next((name for name in protocols if name.endswith(".toml")), None)
    if options.columns:
        from coliee_adapters.forms.vocabulary import parse_columns

        settled["columns"] = parse_columns(",".join(options.columns))
    if options.folds == "year":
        settled |= {"folds": parser.get_default("folds"), "by_year": True}
    path = options.target or options.output or "-"
    name = without_compression_ending(path).lower()
    if name.endswith((".xlsx", ".xls")):
        raise UsageError("file-name", f"{path}: Excel files are not written; name a .csv file, which Excel opens")
    form = next((form for ending, form in _ENDINGS.items() if name.endswith(ending)), None)
    is_run = "to" in choices or options.apply  # else a table is written
    option = "to" if is_run else "format"
    forms = list((choices.get(option) or _TABLES_OF_RUNS) if is_run or option in choices else ())
    if form is not None and forms and settled.get(option) is None and not options.template:
        if form in forms:
            settled[option] = form
        elif not is_run or form != "table":
            raise UsageError(
                "file-name", f"{path}: {options.command} does not write {form}; it writes {', '.join(forms)}"
            )
    settled["format"] = settled["format"] or "table"
    return argparse.Namespace(**settled)


def keywords(function: object, options: argparse.Namespace, **more: Any) -> dict[str, Any]:
    """The options that were given and ``more``, as far as a function has keywords of these names."""
    named: Sequence[str] = function.__kwdefaults__  # type: ignore[attr-defined]
    typed = {name: value for name, value in vars(options).items() if name in named and value not in (None, [])}
    return typed | {name: value for name, value in more.items() if name in named}


def rules(options: argparse.Namespace) -> Rules:
    """The rules of a scoring, as every function that scores takes them."""
    return {
        "task": options.task,
        "edition": options.edition,
        "exclude": ids(options.exclude) or [],
        "only": ids(options.only),
        "decisions": dict(options.decision),
        "columns": options.columns,
    }


def ids(text: str | None) -> list[str] | None:
    """Query ids from the option itself, or from the file that it names; None where it is not given."""
    if text is None or not _is_file(text):
        return None if text is None else re.split(r"[,\s]+", text)
    from coliee_adapters.records import exact_id
    from coliee_ir.reading.anything import read_queries

    return list(read_queries(text, exact_id))


def _is_file(text: str) -> bool:
    try:
        return remote.is_remote(text) or Path(text).is_file()
    except (OSError, ValueError):  # too long for a file's name, as a list of ids can be; a NUL
        return False


def read_by(options: argparse.Namespace, *without: str) -> list[str]:
    """The files, and folders, that the options name to be read; not those of the options ``without``."""
    names = [name for name, option in OPTIONS.items() if option.reads and name not in without]
    values = [vars(options)[name] for name in names]
    return [path for value in values for path in (value if isinstance(value, list) else [value]) if path is not None]


def measures(options: argparse.Namespace) -> list[str]:
    """The names of measures that were given, each by an option of its own or several in one."""
    from coliee_ir.measures.catalogue import names_in

    return [name for names in options.measure for name in names_in(names)]


def one_measure(options: argparse.Namespace) -> str:
    """The name of the measure that was given; empty for none."""
    names = measures(options)
    if len(names) > 1:
        raise UsageError("ambiguous", f"{options.command} takes one measure; -m names {len(names)}: {', '.join(names)}")
    return names[0] if names else ""
