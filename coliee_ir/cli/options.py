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
from typing import Any, Final, Literal, NamedTuple

from coliee_adapters.errors import UsageError
from coliee_adapters.files import remote
from coliee_adapters.files.compressed import plain_name
from coliee_adapters.forms.vocabulary import ROLES, parse_columns
from coliee_adapters.records import exact_id
from coliee_ir.measures.catalogue import names_in
from coliee_ir.rules.decisions import CHOICES
from coliee_ir.rules.protocol import TASKS, all_rules, use
from coliee_ir.scoring.evaluator import Rules
from coliee_ir.scoring.prepared import check_rules
from coliee_ir.scoring.reading import read_queries
from coliee_ir.stats import CONFIDENCE_LEVEL, N_RESAMPLES, SEED

_Writes = Literal["", "file", "files"]


class Option(NamedTuple):
    """An option, or an argument without a flag."""

    flags: tuple[str, ...]  # how it is typed; empty for an argument that goes by its place
    help: str  # what it is for, as a phrase
    settings: Mapping[str, Any]  # what else argparse is given
    reads: bool = False  # whether its value names files that are read
    # ``file`` where its value names one that is written, ``files`` where it names a folder or several
    writes: _Writes = ""
    local: bool = False  # whether what it names must be on this machine


def _option(
    *flags: str, help: str, reads: bool = False, writes: _Writes = "", local: bool = False, **settings: Any
) -> Option:
    return Option(flags, help, settings, reads, writes, local or writes == "files")


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


def _columns(text: str) -> dict[str, str]:
    try:
        return parse_columns(text)
    except UsageError as error:
        raise argparse.ArgumentTypeError(str(error).removeprefix("--columns: ")) from None


class _Columns(argparse.Action):
    """Takes what files call columns and answers, each time more of it."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, option_string: Any = None
    ) -> None:
        """Add to ``columns``."""
        namespace.columns = {**(namespace.columns or {}), **values}


class _Folds(argparse.Action):
    """Takes a number of folds, or ``year`` for a fold a year."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, option_string: Any = None
    ) -> None:
        """Set ``folds`` or ``by_year``."""
        namespace.by_year = values == "year"
        if not namespace.by_year:
            if not re.fullmatch("-?[0-9]+", values):
                parser.error(f"argument --folds: {values!r} is not a number of folds, or year")
            namespace.folds = int(values)


class _Protocol(argparse.Action):
    """Takes the rules of a protocol; its task is then the one that was named."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, option_string: Any = None
    ) -> None:
        """Read the protocol: ``protocol`` is its file, if one was named, and ``task`` its task."""
        if namespace.task is not None:
            parser.error("--protocol is given twice, and each names a task")
        namespace.task = use(values)
        for rules in all_rules(namespace.task):
            check_rules(rules)
        namespace.protocol = values if values.endswith(".toml") else None


_MANY: Final[Mapping[str, Any]] = {"action": "append", "default": []}
_SWITCH: Final[Mapping[str, Any]] = {"action": "store_true"}
_COUNT: Final[Mapping[str, Any]] = {"type": at_least_one, "metavar": "N"}

#: name → the option
OPTIONS: Final[Mapping[str, Option]] = {
    "help": _option("-h", "--help", action="help", help="show this text"),
    # what is read
    "gold": _option(metavar="GOLD", reads=True, help="gold file, or folder of golds; - is standard input"),
    "more_golds": _option(
        "--gold", metavar="FILE", reads=True, **_MANY,
        help="another gold with other queries (repeatable)",
    ),
    "runs": _option(metavar="RUN", nargs="+", reads=True, help="runs; a folder stands for all its files"),
    "submissions": _option(
        metavar="DIR|FILE", nargs="+", reads=True,
        help="submissions; folders are searched, and files with the same run tag belong together",
    ),
    "files": _option(
        metavar="SUBMISSION|DIR", nargs="+", reads=True, help="files of one or several submissions, or a folder of them"
    ),
    "edition_file": _option(metavar="FILE", help="edition, as TOML; `coliee-ir edition new` asks for it and writes it"),
    "ranking": _option(metavar="RUN", reads=True, help="ranking to cut; - reads standard input"),
    "platform": _option(metavar="PLATFORM", help="platform: codabench or tira"),
    "source": _option(metavar="IN", help="gold, folder of golds or submission to convert; - reads standard input"),
    "target": _option(metavar="OUT", help="file to write; - is standard output; .gz, .xz, .zst compress"),
    "names": _option(metavar="NAME", nargs="*", help="measures to explain (default: list all measures)"),
    "task": _option(
        "--task", choices=TASKS, metavar="T", help="1 to 5, tort, rationale or trec (default: detected)"
    ),
    "protocol": _option(
        "--protocol", metavar="FILE|NAME", action=_Protocol, reads=True,
        help="TOML file, or a name that `coliee-ir protocol` lists",
    ),
    "edition": _option("--edition", type=int, metavar="Y", help="year whose rules apply (default: the newest)"),
    "decision": _option("--decision", metavar="NAME=VALUE", help="", **_MANY),
    "columns": _option(
        "--columns", "--labels", type=_columns, action=_Columns, metavar="ROLE=NAME,…",
        help=f"{', '.join(ROLES)}; or answers Y=Oui,N=Non",
    ),
    "answers": _option(
        "--answers", metavar="FILE", reads=True, **_MANY,
        help="Task 3 from 2026: Y/N answers, one file for each RUN in the same order (repeatable)",
    ),
    "long_list": _option(
        "--long-list", metavar="FILE", reads=True, **_MANY,
        help="Task 3 up to 2025: ranked list, one for each RUN in the same order (repeatable)",
    ),
    "exclude": _option(
        "--exclude", metavar="IDS|FILE", reads=True,
        help="queries to leave out: ids (q1,q2), or a file of them",
    ),
    "only": _option("--only", metavar="IDS|FILE", reads=True, help="score only these queries: ids, or a file of them"),
    "corpus": _option(
        "--corpus", metavar="DIR|FILE", reads=True, help="the documents: case files, the Civil Code, or a list of ids"
    ),
    "categories": _option(
        "--categories", metavar="CSV", reads=True,
        help="categories of queries: columns query and category, or one column for each category",
    ),
    "teams": _option(
        "--teams", metavar="CSV", reads=True,
        help="teams of the runs, in columns tag and team (default: the folders that the runs are in)",
    ),
    "template": _option(
        "--template", metavar="FILE", reads=True, help="pilot only: test file that the submission repeats"
    ),
    "queries": _option("--queries", metavar="FILE", reads=True, help="test file, or any file that names the queries"),
    "query_gold": _option(
        "--gold", metavar="FILE", reads=True, **_MANY,
        help="gold, or folder of golds, for the query ids (repeatable)",
    ),
    # where the result goes, and what it is
    "output": _option(
        "-o", "--output", metavar="FILE", writes="file", default="-",
        help="file to write to (default: standard output)"
    ),
    "image": _option("--image", metavar="NAME", help="codabench only: Docker image to build from the bundle and push"),
    "format": _option("-f", "--format", metavar="F", help=""),
    "measure": _option("-m", "--measure", metavar="NAME", help="", **_MANY),
    "tag": _option("--tag", metavar="TAG", help="run tag to write"),
    "span_of_ties": _option("--ties", help="report the range of scores over all orders of ties", **_SWITCH),
    "per_query": _option("-q", "--per-query", help="also report the scores of each query", **_SWITCH),
    "stages": _option("--stages", metavar="K,K,…", help="recall and a reranker's best score at 5,10..20"),
    "gap": _option("--gap", help="report what the missing points of each run are", **_SWITCH),
    "overlap": _option("--overlap", help="report which relevant documents runs have in common", **_SWITCH),
    "log": _option(
        "--log", metavar="CSV", writes="file", local=True,
        help="append time, file, options and measures of each run",
    ),
    "store": _option(
        "--store", metavar="FILE", writes="file", local=True,
        help="keep scores in FILE (.sqlite), which stands for its runs; score only what is new or has changed",
    ),
    "errors": _option(
        "--errors", metavar="FILE", writes="file",
        help="write what became of each document to FILE: .csv, .tsv, .json or .txt; - for a table",
    ),
    "timing": _option("--timing", help="print seconds and peak memory on standard error", **_SWITCH),
    "to": _option("--to", metavar="F", help=""),
    "chunks": _option(
        "--chunks", metavar="REGEX",
        help="passages to documents: take what REGEX matches off the ids of documents: '_[0-9]+$' for 088_0, 088_1",
    ),
    "query_chunks": _option("--query-chunks", metavar="REGEX", help="the same for the ids of queries"),
    "aggregate": _option(
        "--aggregate", default="max",
        help="score of a document from its passages: max, sum, mean, or first, that of the least number (default: max)",
    ),
    "like": _option(
        "--like", metavar="GOLD", reads=True,
        help="write the ids of a run as GOLD does (001 for 1, 96 for Article_96) where only one can be meant",
    ),
    "form": _option("--from", metavar="F", help="format of IN"),
    "fix": _option(
        "--fix", metavar="OUT", writes="files",
        help="write a corrected copy: a file, or a folder for several files"
    ),
    "figures": _option(
        "--figures", metavar="DIR", writes="files",
        help="write the figures as PDF, SVG and PNG, and their numbers as CSV"
    ),
    # how it is computed
    "jobs": _option("--jobs", **_COUNT, help="number of processes (default: by input size)"),
    "cluster": _option(
        "--cluster",
        metavar="ADDRESS",
        help="Dask cluster: tcp://HOST:8786, whose workers find the same files, or local:N for N processes",
    ),
    "keep_going": _option("--keep-going", help="report broken runs and continue (exit code 2)", **_SWITCH),
    "baseline": _option(
        "--baseline", metavar="TAG|FILE", help="run to compare all others with (default: compare all pairs)"
    ),
    "test": _option("--test", default="randomisation", help=""),
    "correction": _option(
        "--correction", default="maxt",
        help="multiple testing correction; maxt tests all pairs jointly (default: maxt)",
    ),
    "resamples": _option(
        "--resamples", **_COUNT, default=N_RESAMPLES, help=f"number of resamples (default: {N_RESAMPLES})"
    ),
    "seed": _option(
        "--seed", type=int, metavar="N", default=SEED, help=f"seed of the random numbers (default: {SEED})"
    ),
    "confidence_level": _option(
        "--confidence-level", type=partial(_between, 0, 1), metavar="P", default=CONFIDENCE_LEVEL,
        help=f"confidence level (default: {CONFIDENCE_LEVEL})",
    ),
    "sizes": _option(
        "--size", type=at_least_one, metavar="N", action="append", default=[],
        help="number of queries (repeatable; default: half, once, twice and four times as many)",
    ),
    "margin": _option(
        "--margin", type=partial(_between, 0, math.inf), metavar="X", default=math.nan,
        help="largest difference that does not matter: report which runs are equivalent, or not worse",
    ),
    "replicates": _option(
        "--replicates", metavar="CSV", reads=True,
        help="runs that are one system (seeds, folds, draws), in columns run and system: compare the systems",
    ),
    "best": _option("--best", help="rank only the best run of each team", **_SWITCH),
    "table_names": _option("--table", metavar="NAME", help="", **_MANY),
    "by_year": _option(
        "--by-year", **_SWITCH,
        help="report each year, by question ids or gold files",
    ),
    "folds": _option("--folds", metavar="K|year", action=_Folds, help=""),
    # cutting
    "by": _option("--by", metavar="RULE", help="", **_MANY),
    "groups": _option(
        "--groups", metavar="FILE", reads=True, help="lines QUERY GROUP; queries of a group stay in the same fold"
    ),
    "apply": _option("--apply", metavar="TEST_RUN", reads=True, help="run to cut by the tuned rule and write to -o"),
    "save": _option("--save", metavar="FILE", writes="file", help=""),
    "curve": _option(
        "--curve", metavar="FILE", writes="file",
        help="write the score at each cutoff or threshold of the chosen rule, with its interval, to FILE: .csv, .tsv, "
        ".json or .txt, or drawn (.svg, .pdf, .png); with --by k, at each cutoff",
    ),
    "rule": _option(
        "--rule", metavar="FILE", reads=True,
        help='rule as written by `coliee-ir tune --save`, for example {"family": "score", "threshold": 0.5}',
    ),
    "not_itself": _option("--not-itself", help="remove the query from its own ranking", **_SWITCH),
    "dates": _option(
        "--dates", metavar="FILE", reads=True,
        help="remove documents newer than the query, by lines ID YYYY-MM-DD or ID YYYY, or JSON",
    ),
    "candidates": _option(
        "--candidates", metavar="FILE", reads=True,
        help='keep only the candidates of each query: {"001": ["013", …]}, lines QUERY DOCUMENT, qrels, or a run',
    ),
    # fusing
    "method": _option("--method", metavar="M", help="fusion method"),
    "norm": _option("--norm", metavar="N", help="normalisation of scores, for the comb… methods"),
    "k": _option("--rrf-k", dest="k", type=float, metavar="K", help="constant of rrf"),
    "weights": _option(
        "--weights", metavar="W,W,…|FILE", reads=True,
        help="one weight for each run, or a file written by --save, which also holds the method",
    ),
    "top": _option("--top", **_COUNT, help="number of fused documents to keep per query (default: all)"),
    "ties": _option("--ties", help="answer to give when votes are tied; first: that of the first RUN (default: N)"),
    "fit": _option(
        "--fit", metavar="GOLD", reads=True, **_MANY,
        help="fit weights to this gold, or folder of golds (repeatable for golds with other queries)",
    ),
}  # fmt: skip


#: the headings of ``--help``, in order, with the options that neither their files nor the want of them place
_HEADINGS: Final[Mapping[str, frozenset[str]]] = {
    "Input": frozenset(("answers", "exclude", "only", "form", "chunks", "query_chunks", "aggregate")),
    "Rules": frozenset(("protocol", "rule", "weights", "not_itself")),
    "Output": frozenset(
        ("format", "to", "tag", "per_query", "span_of_ties", "by_year", "stages", "gap", "overlap", "table_names",
         "best", "image")
    ),
    "Running": frozenset(("jobs", "cluster", "store", "timing", "keep_going", "log", "help")),
}  # fmt: skip

#: options of which only one can be given
_RIVALS: Final = (frozenset(("task", "protocol")), frozenset(("query_gold", "queries")))


def _heading(name: str, option: Option) -> str:
    """The heading under which an option is described."""
    listed = next((heading for heading, names in _HEADINGS.items() if name in names), "")
    return listed or ("Output" if option.writes else "Input" if option.reads or not option.flags else "Rules")


def add(parser: argparse.ArgumentParser, *names: str, **changes: Any) -> None:
    """Add options by name; ``changes`` are what a command knows better than the table, such as choices or a default."""
    for name in names:
        option = OPTIONS[name]
        settings = {"help": option.help, **option.settings, **changes}
        is_needed = settings.pop("needed", True)
        if option.local:
            settings["type"] = partial(_on_this_machine, option.flags[0])
        if option.flags:
            settings["dest"] = name
        if name == "format":
            settings["help"] = f"{', '.join(settings['choices'])} (default: by the ending of -o, else table)"
        action = _place(parser, name, option).add_argument(*(option.flags or [name]), **settings)
        action.required &= is_needed


def _place(parser: argparse.ArgumentParser, name: str, option: Option) -> argparse._ActionsContainer:
    """The group of an option: its heading's, in which rivals exclude each other."""
    groups = {group.title: group for group in parser._action_groups}
    if "Input" not in groups:
        groups |= {title: parser.add_argument_group(title) for title in _HEADINGS}
    group = groups[_heading(name, option)]
    rivals = next((rivals for rivals in _RIVALS if name in rivals), None)
    if rivals is None:
        return group
    for one in parser._mutually_exclusive_groups:
        if any(action.dest in rivals for action in one._group_actions):
            return one
    return group.add_mutually_exclusive_group()


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
    ".html": "html", ".parquet": "parquet", ".txt": "table",
}  # fmt: skip


def settle_forms(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    """Where no form was named, take that of the file's ending: of the result, or of the run that is written."""
    given, choices = vars(options), {action.dest: action.choices for action in parser._actions}
    path = given.get("target") or given.get("output") or "-"
    dest = "to" if "to" in choices or given.get("apply") is not None else "format"
    name = plain_name(path).lower()
    if name.endswith((".xlsx", ".xls")):
        raise UsageError("file-name", f"{path}: Excel files are not written; name a .csv file, which Excel opens")
    form = next((form for ending, form in _ENDINGS.items() if name.endswith(ending)), None)
    if dest == "to" and given.get("to") is None:
        options.to = form if form in ("json", "parquet") else None
    elif "format" in choices and given["format"] is None and form is not None:
        forms = list(choices["format"] or ())
        if form not in forms:
            problem = f"{path}: {options.command} does not write {form}; it writes {', '.join(forms)}"
            raise UsageError("file-name", problem)
        options.format = form
    if "format" in choices and options.format is None:
        options.format = "table"


def add_decisions(parser: argparse.ArgumentParser, *names: str) -> None:
    """Add the scoring choices that can matter to a command; by default all."""
    offered = names or tuple(CHOICES)
    shown = " ".join(f"{name}={'|'.join(CHOICES[name])}" for name in offered)
    add(
        parser, "decision", type=partial(_decision, offered),
        help=f"open decision (repeatable; default first): {shown}",
    )  # fmt: skip


def _decision(offered: Sequence[str], text: str) -> tuple[str, str]:
    """A scoring choice as its name and value."""
    typed, _, value = text.partition("=")
    name = typed.replace("-", "_")
    _one_of(name, offered, f"there is no decision {typed!r}")
    _one_of(value, CHOICES[name], f"{name} cannot be {value!r}")
    return name, value


def _one_of(word: str, known: Sequence[str], problem: str) -> None:
    if word not in known:
        from coliee_ir.cli.spelling import meant  # a mistake may take its time

        raise argparse.ArgumentTypeError(f"{problem}{meant(word, known)}; choose one of {', '.join(known)}")


def rules(options: argparse.Namespace) -> Rules:
    """The rules of a scoring, as every function that scores takes them."""
    given = vars(options)
    return {
        "task": options.task,
        "edition": options.edition,
        "exclude": ids(given.get("exclude")) or [],
        "only": ids(given.get("only")),
        "decisions": dict(options.decision),
        "columns": options.columns,
    }


def ids(given: str | None) -> list[str] | None:
    """Query ids from the option itself, or from the file that it names; None where it is not given."""
    if given is None or not _is_file(given):
        return None if given is None else re.split(r"[,\s]+", given)
    return list(read_queries(given, exact_id))


def _is_file(given: str) -> bool:
    try:
        return remote.is_remote(given) or Path(given).is_file()
    except (OSError, ValueError):  # too long for a file's name, as a list of ids can be; a NUL
        return False


def read_by(options: argparse.Namespace, *without: str) -> list[str]:
    """The files, and folders, that the options name to be read; not those of the options ``without``."""
    names = [name for name, option in OPTIONS.items() if option.reads and name not in without]
    values = [getattr(options, name, None) for name in names]
    return [path for value in values for path in (value if isinstance(value, list) else [value]) if path is not None]


def measures(options: argparse.Namespace) -> list[str]:
    """The names of measures that were given, each by an option of its own or several in one."""
    return [name for names in options.measure for name in names_in(names)]


def one_measure(options: argparse.Namespace) -> str:
    """The name of the measure that was given; empty for none."""
    names = measures(options)
    if len(names) > 1:
        raise UsageError("ambiguous", f"{options.command} takes one measure; -m names {len(names)}: {', '.join(names)}")
    return names[0] if names else ""
