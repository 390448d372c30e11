"""Which options each command has, and what it knows of them better than the table of options does.

Only names and settings are loaded, so that ``--help`` and a mistyped option do without NumPy; what a command does is in
the module of its name.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from coliee_ir.cli.options import OPTIONS, Argument, add
from coliee_ir.rules import choices
from coliee_ir.rules.choices import CHOICES, FAMILIES, FOLDS, FORMS, RUN_FORMATS, SEED, SUBMITTED, TASKS

if TYPE_CHECKING:
    from coliee_ir.commands.evaluate.details import Details
    from coliee_ir.scoring.scores import Scored


def add_arguments(parser: argparse.ArgumentParser, command: str) -> None:
    """Add the options of a command to its parser, and the text below them."""
    add(parser, *_ARGUMENTS[command])
    parser.epilog = _EPILOGS[command]


def _but(name: str, **changes: Any) -> Argument:
    """An option with settings of one command, such as choices or a default."""
    return name, changes


def _show_of(text: str) -> Callable[[Scored], Details]:
    """What ``--show`` names, with the depths of its stages."""
    from coliee_ir.commands.evaluate.details import DETAILS, depths, stages  # which load NumPy

    name, equals, value = text.partition("=")
    _check_known(name, [*DETAILS], f"there is no {name!r} to show")
    if not equals:
        return DETAILS[name]
    if name != "stages":
        raise argparse.ArgumentTypeError(f"{name} takes no value; only stages does: stages=5,10..20")
    return partial(stages, at=depths(value))


def _decisions(*names: str) -> Argument:
    """The scoring choices that can matter to a command; by default all."""
    offered = names or tuple(CHOICES)  # of scores, unanswered=common besides
    listed = " ".join(f"{name}={'|'.join(CHOICES[name])}" for name in offered)
    about = f"scoring choice that COLIEE leaves open (repeatable; the first value is the default): {listed}"
    return _but("decision", type=partial(_decision, offered), help=about)


def _decision(offered: Sequence[str], text: str) -> tuple[str, str]:
    """A scoring choice as its name and value."""
    typed, _, value = text.partition("=")
    name = typed.replace("-", "_")
    _check_known(name, offered, f"there is no decision {typed!r}")
    _check_known(value, (*CHOICES[name], *(("common",) if name == "unanswered" else ())), f"{name} cannot be {value!r}")
    return name, value


def _check_known(word: str, known: Sequence[str], problem: str) -> None:
    """Refuse an argument that is none of the known words, and say which one was probably meant."""
    if word not in known:
        from coliee_adapters.checked import did_you_mean  # a mistake may take its time

        raise argparse.ArgumentTypeError(f"{problem}{did_you_mean(word, known)}; choose one of {', '.join(known)}")


#: the options of how queries are resampled, with their usual values
_RESAMPLING: Final = (
    _but("n_resamples", default=choices.N_RESAMPLES), _but("seed", default=SEED),
    _but("confidence_level", default=choices.CONFIDENCE_LEVEL),
)  # fmt: skip


def _gold_and(runs: str) -> tuple[Argument, ...]:
    """The gold and the runs of a command that can be given scores in the place of both."""
    about = f"{OPTIONS['gold'].settings['help']}; or a table of per-query scores (then omit RUN)"
    return (
        _but("gold", help=about), _but(runs, needed=False, default=[]), "lower_is_better", "higher_is_better",
    )  # fmt: skip


def _scoring(files: Iterable[Argument], *parts: str) -> tuple[Argument, ...]:
    """The gold, the runs, and the rules by which they are scored; with the files of a run, unless others are named."""
    named = parts or ("answers", "long_list")
    return (
        *files, "more_golds", "task", "protocol", "edition", "columns", *named, "exclude", "only", "keep_going",
        _decisions(),
    )  # fmt: skip


_GOLD_AND_RUNS: Final = ("gold", "runs")
#: what to take away before cutting
_FILTERS: Final = ("not_itself", "dates", "candidates")
_LOG: Final = _but(
    "log", help="log of evaluate --log: say how many runs were scored on this gold, and what luck makes of it"
)

#: command → its options, in the order of ``--help``
_ARGUMENTS: Final[Mapping[str, tuple[Argument, ...]]] = {
    "evaluate": (
        *_scoring(_GOLD_AND_RUNS),
        _but(
            "measure",
            help="measure to report (repeatable; default: the official ones); `coliee-ir measures` lists all",
        ),
        "per_query", "span_of_ties", "output",
        _but("format", choices=(*FORMS, "jsonl", "trec")),
        _but("show", type=_show_of),
        "errors", "log",
        _but("corpus", help="case files or Civil Code, for titles in --errors"),
        "jobs", "cluster", "timing",
    ),
    "report": (
        *_scoring(_gold_and("runs"), "answers", "long_list", "other_gold"),
        _but(
            "output", default=None,
            help="HTML page to write, one file that needs no network; - is standard output",
        ),
        "figures",
        _but(
            "measure",
            help="measure to report; the page is about the first (repeatable; default: the task's official measures)",
        ),
        "corpus", "categories", "baseline",
        _LOG,
        "jobs",
        *_RESAMPLING[:2],
    ),
    "validate": (
        "files",
        _but(
            "task", choices=SUBMITTED, help="task: %(choices)s (default: detected from the files)",
        ),
        "protocol", "edition", "columns", "query_gold", "queries", "corpus", "teams", "fix",
        _but("tag", help="run tag of the corrected copy (default: the file's own, corrected)"),
        "output",
        _but("format", choices=(*FORMS, "github")),
    ),
    "tune": (
        "gold",
        _but("runs", help="rankings to tune; a folder stands for all its files"),
        "more_golds", "task", "protocol", "edition", "columns",
        _but("measure", help="measure to maximise, for example MacroF2 (default: the one that ranks the task's runs)"),
        _but("answers", action="store", default=None, help="for Accuracy: file with the answers of the runs"),
        _but(
            "by",
            help=f"kind of rule: {', '.join(FAMILIES)} (repeatable; default: all that the scores allow)",
        ),
        _but(
            "folds", default=FOLDS,
            help="number of folds, or year for one fold per year (from question ids, or one gold file per year) "
            f"(default: {FOLDS})",
        ),
        _but("seed", default=SEED),
        _but("groups", help="lines QUERY GROUP; queries of a group stay in the same fold"),
        "exclude", "only", "jobs", "cluster", "keep_going", *_FILTERS, "apply",
        _but(
            "output",
            help="file to write the result to: the cut run with --apply, else the table of the tuning (default: "
            "standard output)",
        ),
        _but("format", choices=FORMS),
        _but("tag", help="run tag of the cut run (default: that of TEST_RUN)"),
        _but("save", help="write the rule as JSON, for `coliee-ir cut --rule`"),
        "curve",
        _LOG,
        _decisions(
            "unanswered", "duplicates", "empty_gold", "without_articles", "unreadable_answers", "no_overlap", "order",
        ),
    ),
    "cut": (
        "ranking",
        _but(
            "by", action="store", default=None,
            help=f"rule and its threshold, as in k=5 or score=0.5,cap=10,floor=1; rules: {', '.join(FAMILIES)}",
        ),
        "rule",
        _but(
            "task",
            help=f"write the submission format of this task: {', '.join(TASKS)} (default: the six columns of TREC)",
        ),
        "protocol", "edition", "columns",
        _but("tag", help="run tag to write (default: that of RUN)"),
        "output",
        _but(
            "to", choices=choices.CUT_FORMATS,
            help="format to write: %(choices)s (default: that of the ending of -o, else as the task's submissions)",
        ),
        _decisions("order"), *_FILTERS,
    ),
    "fuse": (
        _but("runs", help="at least two runs in any known format; a folder stands for all its files"),
        _but("tag", help="run tag of the fused run (default: the method)"),
        "template", "task", "protocol", "edition", "columns",
        _but("method", choices=choices.METHODS),
        _but(
            "norm", choices=choices.NORMS,
            help=f"normalisation of scores, for the comb… methods: %(choices)s (default: {choices.NORM})",
        ),
        _but("k", help=f"constant of rrf (default: {choices.K:g})"),
        "weights", "top",
        _but("ties", choices=choices.TIES),
        "fit",
        _but(
            "measure",
            help="with --fit: measure to maximise, at the best cutoff where it needs one (default: the task's first "
            "for documents)",
        ),
        "exclude", "only",
        _but("folds", help=f"number of folds of --fit, or year: a fold is a year (default: {FOLDS})"),
        _but("seed", default=None, help=f"seed of the folds (default: {SEED})"),
        "output",
        _but(
            "to", choices=RUN_FORMATS,
            help="format of the fused run: %(choices)s (default: that of the ending of -o, else trec for a ranking; "
            "for sets, and with --top, what --task asks for)",
        ),
        _but("save", help="write the fitted weights and the method as JSON, for --weights"),
        _decisions("unanswered", "empty_gold", "unreadable_answers", "order"),
    ),
    "convert": (
        "sources", "target",
        _but("form", choices=choices.READ_FORMATS),
        _but(
            "to", choices=tuple(dict.fromkeys((*choices.GOLD_FORMATS, *RUN_FORMATS, choices.STATEMENTS))),
            help="format to write: %(choices)s (default: that of the ending of OUT, else qrels for a gold, trec for a "
            "run, labels for answers)",
        ),
        "columns",
        _but("protocol", help="protocol that describes the format of IN (add --to qrels if IN is a gold)"),
        _but("tag", help="run tag to write (default: that of the submission)"),
        "template", "chunks",
        _but("aggregate", choices=(*choices.AGGREGATES, choices.VOTE)),
        "like",
        _but("corpus", help="for --to statements: the Civil Code, with the texts of articles"),
        _decisions("unreadable_answers", "order"),
    ),
    "compare": (
        *_scoring(_gold_and("runs"), "other_gold"),
        _but(
            "measure",
            help="measure to compare (repeatable, corrected together; default: the one that ranks the task's runs)",
        ),
        "baseline",
        _but("test", choices=choices.TESTS, type=choices.test_name),
        _but("correction", choices=choices.CORRECTIONS),
        *_RESAMPLING,
        "margin", "groups", "replicates", "fixed_queries", "jobs", "output",
        _LOG,
        _but("format", choices=FORMS),
    ),
    "plan": (
        *_scoring(_gold_and("runs")),
        _but("measure", help="measure to plan for (default: the one that ranks the task's runs)"),
        "sizes", "groups", "replicates", "jobs",
        *_RESAMPLING,
        "output",
        _but("format", choices=FORMS),
    ),
    "leaderboard": (
        *_gold_and("submissions"), "more_golds", "task", "protocol", "edition", "columns", "teams", "best",
        _but("measure", help="measure that ranks (default: the one of the task's edition)"),
        _but(
            "table_names", choices=tuple(choices.BOARD_TABLES),
            help="table to print (repeatable; default: ranking). "
            + "; ".join(f"{name}: {shows}" for name, shows in choices.BOARD_TABLES.items()),
        ),
        "categories", "groups", "replicates", "tasks",
        _but("scale", choices=choices.SCALES),
        *_RESAMPLING,
        "exclude", "only", "jobs", "output",
        _but("format", choices=(*FORMS, "html")),
        _decisions(),
    ),
    "edition": (
        "edition_file",
        _but("output", metavar="DIR", default=None, help="folder to write to; of new, the file"),
    ),
    "bundle": (
        _but("platform", choices=("codabench",)),
        "gold", "task", "protocol", "edition", "exclude", "image",
        _but("output", default=None, help="zip file to write"),
    ),
    "measures": (
        "names",
        _but("protocol", help="protocol whose measures and scores to explain"),
        "edition", "output",
        _but("format", choices=("table", "json")),
    ),
    "protocol": (
        _but("names", metavar="NAME|FILE", help="protocol to print, or file to check (default: list them)"),
        _but("output", help="file to write it to, for --protocol (default: standard output)"),
    ),
    "demo": (
        _but("output", default=None, metavar="DIR", help="copy the example files into folders of DIR instead"),
        _but("task", choices=TASKS, help="show only this task: %(choices)s (default: all)"),
    ),
}  # fmt: skip

#: command → the text below its options: its own exit codes, and an example
_EPILOGS: Final[Mapping[str, str]] = {
    "evaluate": "example: coliee-ir evaluate gold.json run.txt -m MicroF1 -m AP",
    "report": "example: coliee-ir report gold.json run1.txt run2.txt -o report.html",
    "validate": "for a folder or archive, prints one row per file: team, task, run tag, part, findings\n"
    "exit code: 0 without errors, 1 with errors, 2 if a file cannot be opened\n"
    "example: coliee-ir validate RUN1.txt --task 1 --queries test.json --fix RUN1.fixed.txt",
    "tune": "example: coliee-ir tune gold.json run.txt -m MicroF1 --apply test_run.txt -o RUN1.txt",
    "cut": "example: coliee-ir cut test_run.txt --by k=5 --task 1 -o RUN1.txt",
    "fuse": "example: coliee-ir fuse bm25.txt dense.txt --method combsum --norm zscore -o fused.txt",
    "convert": "example: coliee-ir convert gold.json gold.qrels --to qrels",
    "compare": "example: coliee-ir compare gold.json run1.txt run2.txt --baseline run1 -m MicroF1",
    "plan": "example: coliee-ir plan gold.json run1.txt run2.txt --size 200 --size 400",
    "leaderboard": "exit code: 0 if every submission was ranked, 2 if one could not be (it is reported with the "
    "reason)\nexample: coliee-ir leaderboard gold.json submissions/ --teams teams.csv --best",
    "edition": "DIR gets desk/ (for the organiser), public/ (the site), paper/ (LaTeX), results.json and SHA256SUMS\n"
    "exit code: 0 when all is written, with the list of what to decide; 2 if FILE or a gold cannot be read\n"
    "example: coliee-ir edition coliee.toml -o out",
    "bundle": "example: coliee-ir bundle codabench gold.json --task 1 --image me/scorer -o bundle.zip",
    "measures": "example: coliee-ir measures MicroF1",
    "protocol": "example: coliee-ir protocol alqac -o my-task.toml",
    "demo": "example: coliee-ir demo --task 1",
}
