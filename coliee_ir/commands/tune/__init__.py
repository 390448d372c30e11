"""Choosing where to cut a ranking: the best rule on labelled queries, what it is worth on others, and the cut itself.

gold, run ──▶ Pool ──rules──▶ values that fall with the rank ──sweep──▶ the best threshold
                └──objective──▶ sums a row ────────────┘           └──nested folds──▶ the held-out score
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple, Unpack, cast

import numpy as np

from coliee_adapters.checked import is_integer_within, one_of, suggesting_keywords, texts
from coliee_adapters.errors import UsageError
from coliee_adapters.files.source import Source
from coliee_adapters.ids import IntArray
from coliee_adapters.records import Answers, Columns, Gold, GoldLike, Run, RunLike
from coliee_adapters.remarks import Remarks
from coliee_ir.commands.convert.streams import Spool, by_parts, tied_at_cut
from coliee_ir.commands.tune.result import Tried, Tuning, shifted
from coliee_ir.commands.tune.rules import (
    FAMILIES,
    Filter,
    Pool,
    Rule,
    check_known,
    families_named,
    filtered,
    pooled,
    ranking,
)
from coliee_ir.commands.tune.search import NEAR, Bounds, Objective, Sweep, all_bounds, objective
from coliee_ir.judging.gathered import RunInMemory
from coliee_ir.judging.judged import BoolArray, FloatArray
from coliee_ir.measures import Measure
from coliee_ir.measures.base import Terms
from coliee_ir.measures.labels import Accuracy
from coliee_ir.measures.sets import Macro, Micro
from coliee_ir.reading.anything import in_order, readable
from coliee_ir.reading.basis import Rules, basis_of, judgements_of, measures_named, suggesting_rules
from coliee_ir.reading.gold_ids import years
from coliee_ir.reading.submission import Submission
from coliee_ir.rules.protocol import Protocol
from coliee_ir.scoring.evaluator import Evaluator
from coliee_ir.scoring.remarks import OF_ORDER, better_reversed
from coliee_ir.scoring.scores import Scores
from coliee_ir.stats.folds import Split, averaged, difference, spread, standard_error
from coliee_ir.stats.intervals import jackknife_t
from coliee_ir.stats.resampling import CONFIDENCE_LEVEL, FOLDS, REPEATS, SEED, Resampling

__all__ = [
    "FAMILIES", "Filter", "Pool", "Rule", "Tried", "Tuning", "cut", "tune",
]  # fmt: skip


class Candidate(NamedTuple):
    """A kind of rule, with what is tried for its floor and cap; more parameters are less simple."""

    sweep: Sweep
    bounds: tuple[Bounds, ...]


def candidates_of(pool: Pool, aim: Objective, by: Sequence[str], floor: int | None, cap: int | None) -> list[Candidate]:
    """Each kind of rule with no more bounds than are given, then each with searched bounds: the simplest first."""
    sweeps = [Sweep(pool, family, aim) for family in families_named(by, pool)]
    plain = [Candidate(sweep, (Bounds(floor or 0, cap),)) for sweep in sweeps]
    every = all_bounds(floor, cap, int(pool.lengths.max(initial=0)))
    searched = [Candidate(sweep, every) for sweep in sweeps if sweep.family != "k"]
    return plain if len(every) == 1 else [*plain, *searched]


class Selection(NamedTuple):
    """What came of trying several kinds of rule on held-out folds."""

    chosen: int  # the place of the candidate with the best held-out score, or of the simplest within an error of it
    best: int  # the place of that with the best
    terms: list[Terms]  # the held-out score of each, the mean over the repeats
    errors: list[float]  # the standard error of its difference from the best
    folds: IntArray  # the folds of each deal; shape (D, Q)
    held_out: Sequence[FloatArray]  # what each query adds to each one's held-out scores; shape (D, Q, T) each


def select(candidates: Sequence[Candidate], split: Split, folds: IntArray, among: BoolArray) -> Selection:
    """Try each candidate on held-out folds, and choose."""
    aim = candidates[0].sweep.objective
    parts = [kind.sweep.held_out(folds, kind.bounds) for kind in candidates]
    held_out = [averaged([split.summed(each, among) for each in part], aim.score, aim.is_mean) for part in parts]
    scores = [terms.total for terms in held_out]
    best = int(np.argmax(np.nan_to_num(scores, nan=-np.inf)))
    errors = [standard_error(terms, held_out[best]) for terms in held_out]
    enough = [score >= scores[best] - error - NEAR for score, error in zip(scores, errors, strict=True)]
    return Selection(enough.index(True) if any(enough) else best, best, held_out, errors, folds, parts)


def nested(candidates: Sequence[Candidate], split: Split, selection: Selection) -> Terms:
    """What each query adds when kind of rule and parameters are both chosen without its fold; for all repeats."""
    each = np.zeros_like(selection.held_out[0])
    for repeat, fold in enumerate(selection.folds):
        for number in np.unique(fold).tolist():
            train, i = fold != number, 0
            inner = split.folds(train, repeat, number)
            if len(candidates) > 1 and inner.max() > 0:  # with one group there is nothing to choose by
                i = select(candidates, split, inner[None], train).chosen
            each[repeat, ~train] = selection.held_out[i][repeat, ~train]
    aim = candidates[0].sweep.objective
    return averaged(list(each), aim.score, aim.is_mean)


@suggesting_rules
def tune(
    gold: GoldLike,
    run: RunLike,
    *,
    measure: str = "",
    by: str | Sequence[str] = (),
    answers: RunLike | None = None,
    floor: int | None = None,
    cap: int | None = None,
    folds: int = FOLDS,
    repeats: int = REPEATS,
    groups: Mapping[str, str] | None = None,
    by_year: bool = False,
    filters: Sequence[Filter] = (),
    seed: int = SEED,
    **rules: Unpack[Rules],
) -> Tuning:
    """Choose the rule that cuts a run best.

    Every kind of rule is tried without bounds on the count and with a searched floor and cap; of those whose held-out
    scores are within a standard error of the best the simplest is taken. Held-out scores are means over several ways to
    deal the queries to folds; they do not depend on the order of the gold.

    Args:
        gold: what ``read_gold`` takes.
        run: a ranking; what ``read_run`` takes.
        measure: what to maximise, MicroF1, MacroF2, …, or Accuracy; by default the measure that ranks the task's runs.
        by: kinds of rule, of ``FAMILIES``; by default all that the run's scores allow.
        answers: for Accuracy, the answers that belong to the run.
        floor: keep at least so many documents a query; by default searched.
        cap: keep at most so many; by default searched.
        folds: how many folds of queries the rule is held out from.
        repeats: how many times the queries are dealt anew to folds.
        groups: query → group; queries of one group are in one fold.
        by_year: whether each fold is a year: of statute questions as their ids say, else a gold's file.
        filters: what to take away before cutting.
        seed: of the folds.
        rules: see ``Rules``.

    Raises:
        InputError: a file cannot be read, or gold and run do not belong together.
        UsageError: a measure or a rule that does not exist or does not fit, too few queries for the folds, or no query
            that is scored of what is kept.

    >>> gold = {f"q{n}": [f"d{n}"] for n in range(6)}
    >>> run = {f"q{n}": {f"d{n}": 0.9 - n / 20, "x": 0.3} for n in range(6)}
    >>> tuning = tune(gold, run, task="1", folds=3, by="score")
    >>> str(tuning.rule), tuning.resubstitution
    ('score ≥ 0.475', 1.0)
    """
    if not (floor is None or is_integer_within(floor, 0)) or not (cap is None or is_integer_within(cap, 1)):
        raise UsageError("bad-value", "the floor must be an integer ≥ 0 and the cap an integer ≥ 1")
    if floor is not None and cap is not None and floor > cap:
        raise UsageError("bad-value", f"the floor ({floor}) must not exceed the cap ({cap})")
    Resampling(seed=seed)  # refuses a seed that is none
    run = readable(run, rules.get("columns"))
    if isinstance(run, Source):
        run.check()  # before what else may be wrong is said
    basis = basis_of(gold, runs=[Submission(run, answers)], **rules)
    record, aimed, rules["task"] = basis.gold, _measure(measure, basis.protocol), basis.task
    evaluator = Evaluator(record, aimed.name, **rules)
    submission = evaluator.read(run)
    answers_read = None if answers is None else evaluator.read(answers)
    if answers_read is None:
        answers_read = submission.other_parts.get("answers")
    if isinstance(aimed, Accuracy) and answers_read is None:
        raise UsageError(
            "unfit-measure", "Accuracy needs the answers that belong to the run (--answers); or maximise MacroF2"
        )
    # what is wrong with the files, or between them, is refused or said as everywhere
    scores = evaluator.evaluate(Submission(submission, answers_read, is_cut=False), keep_judged=True)
    right = _right(record, answers_read) if isinstance(aimed, Accuracy) else None
    judged = evaluator.gold.qrels or {}
    qrels = {q: judgements_of(q, judged.get(q, {}), evaluator.protocol) for q in evaluator.queries}
    least = max(aimed.least_relevance, evaluator.protocol.level)
    pool = Pool.read(submission, qrels, task=evaluator.read_as, rel=least)
    if by_year:
        if groups is not None:
            raise UsageError("option-conflict", "folds are made of years or of groups: give one of the two")
        groups = years(record)
        folds = len({groups[query] for query in pool.queries})
    if evaluator.decisions.extra_queries == "wrong":
        raise UsageError(
            "option-conflict", "cutoffs are tuned on the queries of the gold; extra queries cannot count as wrong"
        )
    if not pool.wanted.any():
        raise UsageError("no-relevant", f"{evaluator.gold.path} has no relevant documents, so no cutoff can be tuned")
    pool, knows = filtered(pool, filters)
    check_known(filters, knows, scores.file)
    kinds = [kind for kind in texts("by", by, "the name of a rule, or a list of names", ordered=True) if kind]
    split = Split.of(pool.queries, folds, seed, groups, repeats)
    aim = objective(aimed, pool, evaluator.decisions, right)
    candidates = candidates_of(pool, aim, kinds, floor, cap)
    everyone = np.ones(len(pool.queries), dtype=np.bool_)
    selection = select(candidates, split, split.all_folds(everyone), everyone)
    fitted = [candidate.sweep.best(everyone, candidate.bounds) for candidate in candidates]
    rule, sweep = fitted[selection.chosen], candidates[selection.chosen].sweep
    held_out = nested(candidates, split, selection)
    terms = split.terms(held_out)
    if math.isnan(terms.total):
        problem = f"no query of {evaluator.gold.path} is left to score what is kept of {scores.file} by {aimed.name}"
        raise UsageError("no-query", f"{problem}, so no cutoff can be tuned")
    by_name = np.argsort(pool.queries)  # or the last digit would hang on the order of the gold
    return Tuning(
        tag=scores.tag,
        name=scores.name,
        file=scores.file,
        task=evaluator.task,
        edition=evaluator.edition,
        gold=evaluator.gold.path,
        measure=aimed.name,
        decisions=evaluator.decisions,
        excluded=scores.excluded,
        queries=len(pool.queries),
        header=scores.header(),
        remarks=_remarks(scores),
        rule=replace(rule, order=evaluator.decisions.order),
        resubstitution=sweep.terms(rule).total,
        held_out=terms.total,
        split_sd=spread(terms, repeats, aim.score),
        interval=jackknife_t(terms, CONFIDENCE_LEVEL),
        gain=difference(terms, split.terms(scores.results[aimed].terms), folds),
        tried=tuple(
            Tried(
                of_kind,
                len(candidate.bounds) > 1,
                candidate.sweep.terms(of_kind).total,
                held_out.total,
                difference(held_out, selection.terms[selection.best], folds),
            )
            for candidate, of_kind, held_out in zip(candidates, fitted, selection.terms, strict=True)
        ),
        curve=tuple(sweep.curve(everyone, Bounds(rule.floor, rule.cap))),
        folds=folds,
        repeats=repeats,
        groups=None if groups is None else len(terms.each),
        seed=seed,
        filters=tuple(filter_.name for filter_ in filters),
        shifted=shifted(held_out._replace(each=held_out.each[by_name]), pool.wanted[by_name]),
        terms=terms,
    )


def _remarks(scores: Scores) -> tuple[str, ...]:
    """Those of the scores, and what there is to say of the order: rules follow ranks where the measure does not."""
    judged = scores.judged["documents"]
    of_order = [remark for remark in judged.remarks.sentences() if remark.kind in OF_ORDER]
    turned = Remarks()
    turned.each("upside-down", better_reversed(judged, True, False))
    return tuple(dict.fromkeys([*scores.remarks, *of_order, *turned.sentences()]))


@suggesting_keywords()
def cut(
    run: RunLike,
    rule: Rule | None = None,
    *,
    task: str | int | None = None,
    filters: Sequence[Filter] = (),
    columns: Mapping[str, str] | None = None,
) -> Run:
    """A run with what a rule keeps of it.

    Args:
        run: a ranking; what ``read_run`` takes.
        rule: the rule; None for all that the filters leave.
        task: the task, where it is known.
        filters: what to take away before.
        columns: what the columns of tables and frames are called, by role: see ``read_gold``.

    Returns:
        The cut run; what was tolerated in the whole one is among its remarks.

    Raises:
        InputError: the run cannot be read, or holds labels.
        UsageError: it is not a rule, or it needs scores and the run has none; a filter knows no id of the run.

    >>> to_cut = {"q1": {"d1": 0.9, "d2": 0.4}, "q2": {"d3": 0.3}}
    >>> from coliee_ir import to_run
    >>> to_run(cut(to_cut, Rule("score", 0.5)))
    {'q1': {'d1': 0.9}}
    """
    if not (isinstance(rule, Rule) or (rule is None and filters)):
        raise UsageError("bad-value", f'a run is cut by a rule, such as Rule("k", 3), not by {rule!r}')
    record = ranking(run, task, columns)
    record = cast(Run, in_order(record, "descending" if rule is None else rule.order))
    one_of("filters", filters, Sequence, "a list of filters")
    return by_parts(record, partial(_cut, record, rule, filters))


def _cut(record: Run, rule: Rule | None, filters: Sequence[Filter], parts: Iterable[RunInMemory]) -> Run:
    """A run cut, some queries at a time."""
    blocks, remarks, knows = Spool(), Remarks(), [False] * len(filters)
    best = -math.inf
    for part in parts:
        remarks += part.remarks
        remarks.add("duplicate", n=part.lines - part.retrieved)
        pool = pooled(part)
        pool, known_here = filtered(pool, filters)
        knows = [known_before or is_known for known_before, is_known in zip(knows, known_here, strict=True)]
        keeps = np.ones(len(pool.documents), dtype=np.bool_)
        if rule is not None:
            families_named([rule.family], pool)
            keeps = rule.keeps(pool)
        best = max(best, float(pool.compared.max(initial=-math.inf)))
        tied = tied_at_cut(pool.query, pool.compared, keeps)
        remarks.each("tie.cut", (f"query {pool.queries[i]}" for i in tied.tolist()))
        kept = pool.where(keeps)
        blocks.append(Columns(kept.queries, kept.start, kept.documents, kept.scores if kept.scored else None))
    check_known(filters, knows, record.path)
    if best < (rule.threshold if rule is not None and rule.family == "score" else -math.inf):
        remarks.add("no-score-reaches")
    blocks.append(Columns((), [0], (), remarks=remarks))
    return replace(record, blocks=blocks, format="memory", split=None, grouped=True, other_parts={})


def _measure(name: str, rules: Protocol) -> Measure:
    """What is to be maximised."""
    if "documents" not in rules.parts:
        raise UsageError("wrong-part", f"submissions to Task {rules.task} contain no documents to cut")
    measure, *others = measures_named([name or rules.ranking], rules.scores)
    if others:
        raise UsageError("option-needed", "name one measure to maximise")
    if not name and not isinstance(measure, Micro | Macro | Accuracy):
        raise UsageError(
            "unfit-measure",
            f"task {rules.task} is ranked by {measure}, by which no cutoff can be chosen; name a measure, "
            "for example MicroF1",
        )
    return measure


def _right(gold: Gold, answers: Run | Answers | None) -> dict[str, bool]:
    """Which questions are answered rightly."""
    if not isinstance(answers, Answers) or gold.labels is None:
        raise UsageError("unfit-measure", "Accuracy needs labels, in the gold and in the answers")
    return {query: answers.labels.get(query) == label for query, label in gold.labels.items()}
