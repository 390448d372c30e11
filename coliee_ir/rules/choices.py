"""What options choose from, and what is usual, apart from what the names stand for: ``--help`` needs little else.

What stands for a name is in the module of its command, in a table with these keys. Nothing is imported here, so that
help and a mistyped option are answered at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

#: the tasks whose rules are part of the package, each in a protocol file of its name; of all but the last it is known
#: how submissions must look
TASKS: Final[tuple[str, ...]] = ("1", "2", "3", "4", "5", "tort", "rationale", "trec")
SUBMITTED: Final = TASKS[:-1]

#: what the organisers leave open, a field of ``Decisions`` each → the choices, the default first
CHOICES: Final[Mapping[str, tuple[str, ...]]] = {
    "unanswered": ("zero", "skip"),
    "extra_queries": ("ignore", "wrong"),
    "duplicates": ("once", "wrong"),
    "empty_gold": ("skip", "zero", "one"),
    "undefined": ("zero", "one", "skip"),
    "without_articles": ("sufficient", "wrong", "skip"),
    "unreadable_answers": ("refuse", "wrong"),
    "no_overlap": ("refuse", "zero"),
    "order": ("descending", "ascending"),
}

#: the formats of golds and runs, as they are named
READ_FORMATS: Final = (
    "parquet", "tort", "statute-xml", "labels", "json", "table", "qrels", "xml", "claims", "text", "trec", "columns",
)  # fmt: skip
#: those that can be written: from a gold, from a run, from a run that has been cut
GOLD_FORMATS: Final = ("parquet", "labels", "json", "qrels", "csv", "tsv", "jsonl")
RUN_FORMATS: Final = ("parquet", "tort", "labels", "json", "trec", "columns", "csv", "tsv", "jsonl")
CUT_FORMATS: Final = tuple(form for form in RUN_FORMATS if form not in ("tort", "labels"))
#: what ``convert`` writes besides: the statements of Task 3 and 4
STATEMENTS: Final = "statements"

#: how the scores of a document's passages become one; and how several answers to a question do
AGGREGATES: Final = ("max", "sum", "mean", "first")
VOTE: Final = "vote"

#: the kinds of rules that cut a ranking, the simplest first
FAMILIES: Final = ("k", "score", "ratio", "margin")

#: how runs are fused, how their scores are normalised, and what answers a tied vote; with what is usual
METHODS: Final = ("rrf", "combsum", "combmnz", "union", "intersection", "vote")
NORMS: Final = ("min-max", "max", "zscore", "borda", "none")
TIES: Final = ("N", "Y", "first")
NORM: Final = "min-max"
K: Final = 60.0  # of rrf, in the paper that proposed it (Cormack, Clarke, Büttcher, SIGIR 2009)

#: how queries are resampled, where nothing else is asked for: how often, by which seed, for intervals of which level
N_RESAMPLES: Final = 10_000
SEED: Final = 2026
CONFIDENCE_LEVEL: Final = 0.95
#: how many folds queries are dealt to
FOLDS: Final = 5

#: the tests of a difference, and the corrections for several; max-T needs all pairs tested together
TESTS: Final = ("randomisation", "t")
CORRECTIONS: Final = ("maxt", "none")

#: what runs are ranked by: the measure's values, or the share of other runs that are beaten on each query
SCALES: Final = ("score", "wins")

#: the columns of tasks where each file of scores is one, or each folder
PLACES: Final = ("file", "folder")

#: the tables of a leaderboard, and what each shows
BOARD_TABLES: Final = {
    "ranking": "runs by score, with confidence intervals and possible ranks",
    "results": "scores of each run, in the columns of the organisers",
    "approaches": "the approaches by the descriptions",
    "data": "queries, candidates and relevant documents of training and test",
    "relevant": "questions by number of relevant documents",
    "questions": "each question's means over all runs, by kind",
    "crossed": "number of questions per mean score (ten bins), by category and number of relevant documents; needs "
    "--categories",
    "categories": "each run by category, with a majority baseline; needs --categories",
    "invalid": "files that were not ranked, and why",
}

#: what every result is written in
FORMS: Final = ("table", "json", "markdown", "latex", "csv", "tsv")


def test_name(typed: str) -> str:
    """A test by its name in ``TESTS``, in which ``randomization`` is spelt with an s."""
    return str(typed).replace("randomiz", "randomis")
