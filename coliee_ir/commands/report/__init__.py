"""Reports that people look at: one HTML page, and the same figures for a paper.

Scores, Comparison, Tuning, Leaderboard ──▶ Contents ──▶ figures ──▶ page · PDF, SVG, PNG · LaTeX
"""

from __future__ import annotations

import importlib.util
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from coliee_adapters.checked import suggesting_keywords
from coliee_adapters.corpora import Corpus
from coliee_adapters.errors import ScoreWarning, UsageError, shortened
from coliee_adapters.files.source import PathLike
from coliee_adapters.files.writing import open_text_replacing
from coliee_adapters.records import Run
from coliee_ir.commands import tune as cutoffs
from coliee_ir.commands.compare import compare
from coliee_ir.commands.compare.golds import TwoGolds
from coliee_ir.commands.leaderboard import Entry, leaderboard, read_categories
from coliee_ir.commands.report.contents import DRAWN, FEW, Contents, Ranks, texts_of
from coliee_ir.commands.tune import Tuning
from coliee_ir.judging.gathered import RunInMemory
from coliee_ir.measures import Measure
from coliee_ir.measures.labels import Accuracy
from coliee_ir.measures.sets import Macro, MacroF, Micro
from coliee_ir.output.grid import Grid
from coliee_ir.output.rendering import TabularResult
from coliee_ir.output.webpage import local
from coliee_ir.reading.basis import Basis
from coliee_ir.scoring.comparable import checked, ranked_by, with_judged
from coliee_ir.scoring.scores import Scored, Scores
from coliee_ir.stats.resampling import N_RESAMPLES, SEED, Resampling

__all__ = ["Report", "check_installed", "report"]

_NEEDED = {"altair": "altair", "vl_convert": "vl-convert-python", "jinja2": "jinja2"}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Report(TabularResult):
    """A report, ready to be written. What it shows is in ``to_dict`` and ``to_frame``."""

    contents: Contents

    def __repr__(self) -> str:
        board = self.contents.board
        return f"Report({len(board.entries)} runs, task={board.task!r}, measure={self.contents.measure.name!r})"

    def tables(self) -> Sequence[Grid]:
        """The runs."""
        return self.contents.board.tables()

    def notes(self) -> Sequence[str]:
        """What was found."""
        return [*self.contents.verdict()]

    def to_html(self) -> str:
        """The page, which needs no other file and no network."""
        from coliee_ir.commands.report.page import page

        return page(self.contents)

    def to_dict(self) -> dict[str, Any]:
        """The JSON inside the page: what ``evaluate -f json -q`` prints of the same runs, of many without ``-q``."""
        return self.contents.evaluation()

    def write_html(self, path: PathLike) -> None:
        """Write the page.

        Raises:
            InputError: the place cannot be written.
        """
        html = self.to_html()
        with open_text_replacing(path) as stream:
            stream.write(html)

    def write_figures(self, folder: PathLike) -> list[Path]:
        """Write the page's figures as PDF, SVG and PNG, and their numbers as CSV.

        Raises:
            InputError: the folder cannot be written.
        """
        from coliee_ir.commands.report.drawing import write_figures
        from coliee_ir.commands.report.page import drawn

        return write_figures([*drawn(self.contents).values()], folder)


@suggesting_keywords()
def report(
    scored: Scored,
    path: PathLike | None = None,
    *,
    measure: str = "",
    corpus: PathLike | Corpus | None = None,
    categories: PathLike | None = None,
    baseline: str | None = None,
    other: Sequence[Scores] | None = None,
    n_resamples: int = N_RESAMPLES,
    seed: int = SEED,
    command: str = "",
) -> Report:
    """Make a report on runs, and write it where a path is given.

    Args:
        scored: at least one run: what ``evaluate_all`` gives, with the judged documents; the page is about the first
            measure.
        path: the HTML page to write.
        measure: the measure that the page is about; by default the first.
        corpus: what ``read_corpus`` takes or gives, for titles.
        categories: a CSV with the columns ``query`` and ``category``.
        baseline: the tag or the file of the run to compare all others with; by default all pairs of up to 12 runs are
            compared, and more runs stand with the ranks that they may have.
        other: the same runs scored by another gold, of which a section tells whether it says the same; see ``compare``.
        n_resamples: how many resamples, for the tests.
        seed: of the random numbers.
        command: what makes the report again; the page shows it.

    Raises:
        InputError: a file cannot be read or written.
        UsageError: what was asked for does not exist or does not fit, or a library is not installed.
    """
    check_installed()
    scored = ranked_by(with_judged(scored, "a report"), measure)
    settings, basis = Resampling(n_resamples, seed), scored.basis
    checked(scored, 1, "a report")
    board = leaderboard(scored, measure=measure, n_resamples=n_resamples, seed=seed)
    runs = [entry.scores for entry in board.entries]
    if not runs:
        raise UsageError("no-run", f"no run can be ranked: {board.invalid[0].reason}")
    comparison = None
    unknown: list[str] = []
    if baseline is not None and len(runs) == 1:
        raise UsageError("too-few", "a baseline needs at least one other run")
    if 1 < len(runs) <= (FEW if baseline is None else DRAWN):
        comparison = compare(runs, baseline=baseline, n_resamples=n_resamples, seed=seed)
    elif baseline is not None:
        unknown.append(f"pairs of more than {DRAWN} runs are not on the page; compare --baseline tells them")
    texts = texts_of(corpus, basis.task, basis.gold)
    in_categories = None if categories is None else read_categories(categories, basis.queries)
    ranks_of: list[Ranks] = []
    tunings: list[Tuning | None] = []
    texts_of_documents: dict[str, str] = {}
    for entry in board.entries[:FEW]:
        submission = entry.submission
        record = None if submission is None or board.main != "documents" else basis.read(submission.run)
        ranks_of.append(
            RunInMemory(record, {*basis.queries}).ranks(texts_of_documents) if isinstance(record, Run) else {}
        )
        is_tuned = not tunings or len(board.entries) <= FEW  # of many runs only the best: each takes seconds
        tuning, untuned = _tuning(basis, board.ranking, entry, settings) if is_tuned else (None, [])
        tunings.append(tuning)
        unknown += untuned
    two_golds = None
    if other is not None:
        by_both_golds = compare(
            scored, measures=board.ranking.name, baseline=baseline, n_resamples=n_resamples, seed=seed, other=other
        )
        assert isinstance(by_both_golds, TwoGolds)
        two_golds = replace(by_both_golds, gold=local(by_both_golds.gold), other_gold=local(by_both_golds.other_gold))
    results = (comparison, in_categories, two_golds)
    remarks = [remark for result in results if result is not None for remark in result.remarks]
    remarks += [*unknown, *board.remarks]
    whole = Report(
        Contents(
            board=board,
            comparison=comparison,
            ranks=ranks_of,
            tunings=tunings,
            categories=in_categories,
            texts=texts,
            remarks=tuple(dict.fromkeys(remarks)),
            command=command,
            in_order=scored,
            two_golds=two_golds,
        )
    )
    if path is not None:
        whole.write_html(path)
    return whole


def check_installed(what: str = "a report") -> None:
    """Refuse where what a report is made with is not there."""
    missing = [name for module, name in _NEEDED.items() if importlib.util.find_spec(module) is None]
    if missing:
        raise UsageError("needs-package", f"{what} needs {' and '.join(missing)}: pip install 'coliee-ir[report]'")


def _tuning(basis: Basis, measure: Measure, entry: Entry, settings: Resampling) -> tuple[Tuning | None, list[str]]:
    """The best cutoff of a run, None where there is none to choose; and why where that is worth a remark."""
    submission, judged = entry.submission, entry.scores.judged
    whole = isinstance(measure, Micro | Macro) and measure.cutoff is None
    of_means = isinstance(measure, MacroF) and measure.of == "means"
    is_sufficient = isinstance(measure, Accuracy) and "documents" in basis.protocol.parts
    if submission is None or not basis.protocol.ranked or not (whole or is_sufficient) or of_means:
        return None, []
    if int(np.max(judged.get("long", judged["documents"]).retrieved, initial=0)) < 2:
        return None, []
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ScoreWarning)  # as scoring has said
            return cutoffs.tune(
                basis.gold, basis.read(submission.ranking), measure=measure.name,
                task=basis.task, edition=basis.edition, answers=submission.answers if is_sufficient else None,
                seed=settings.seed, exclude=basis.excluded,
                decisions=basis.decisions, columns=basis.columns,
            ), []  # fmt: skip
    except UsageError as error:
        return None, [f"no cutoff is chosen for {shortened(entry.name)}: {error}"]
