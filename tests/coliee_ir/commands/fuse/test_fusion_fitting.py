import json
from dataclasses import replace
from functools import partial

import naive_cut
import numpy as np
import pytest
from asserting import begins, heard, refusing
from hypothesis import example, given, settings
from hypothesis import strategies as st

import coliee_ir
from coliee_adapters.errors import InputError, MismatchError, UsageError
from coliee_adapters.records import Run
from coliee_adapters.remarks import Remark
from coliee_ir import Fusion, fit_fusion
from coliee_ir.commands.convert import to_run
from coliee_ir.commands.fuse.fitting import Ballots, Rankings, Trial, equal
from coliee_ir.commands.fuse.methods import Blend, Candidates, Reader, Rivals
from coliee_ir.judging.qrels import Qrels
from coliee_ir.measures import parse
from coliee_ir.rules.decisions import Decisions
from coliee_ir.stats.folds import Split
from coliee_ir.stats.resampling import Difference, Interval

CUT = ["MicroF1", "MicroP", "MicroF(beta=0.5)", "MacroF2", "MacroR", "MicroF(rel=2)"]
UNCUT = ["MicroF1@2", "MacroF2@3", "AP", "nDCG@3", "recip_rank", "MacroF(beta=2,of=means)@2"]

QUERIES = [f"q{at}" for at in range(6)]
DOCUMENTS = st.sampled_from([f"d{at}" for at in range(8)])

golds = st.fixed_dictionaries({q: st.dictionaries(DOCUMENTS, st.integers(0, 2), max_size=4) for q in QUERIES}).filter(
    lambda gold: any(level > 0 for judged in gold.values() for level in judged.values())
)
scores = st.integers(0, 9).map(float)
runs = st.fixed_dictionaries(
    {QUERIES[0]: st.dictionaries(DOCUMENTS, scores, min_size=1)},
    optional={q: st.dictionaries(DOCUMENTS, scores) for q in [*QUERIES[1:], "x"]},
)
some_runs = st.lists(runs, min_size=2, max_size=3)


finite = partial(np.nan_to_num, neginf=0.0)


def score(gold, run, measure, **rules):
    (value,) = coliee_ir.evaluate(gold, run, task="trec", measures=[measure], **rules).measures.values()
    return finite(value)


def world(seed=0, queries=20, n=3, depth=30):
    """A gold, and runs of which the first is the best, and each finds something of its own."""
    rng = np.random.default_rng(seed)
    documents = [f"{d:06}" for d in range(depth)]
    gold = {f"{q:06}": [documents[d] for d in rng.choice(depth, 4, replace=False)] for q in range(queries)}
    runs = [
        {q: {d: float(rng.normal() + better * (d in wanted)) for d in documents} for q, wanted in gold.items()}
        for better in (2.0, 0.8, 0.2)[:n]
    ]
    return gold, runs


#: of the queries that it answers alone, the second run is perfect; where others count as 0, it must not have all weight
ALONE = [{q: {"d1": 5.0, "d0": 4.0} for q in QUERIES}, {"q0": {"d0": 9.0, "d2": 0.0}}]


@settings(max_examples=settings.default.max_examples // 2)
@given(golds, some_runs, st.sampled_from([*CUT, *UNCUT]), naive_cut.DECISIONS, st.integers(0, 5), st.data())
def test_scores_are_those_of_the_runs_that_are_written(gold, drawn, measure, decisions, seed, data):
    method = data.draw(st.sampled_from(["combsum", "combmnz", "rrf"]))
    options = {"measure": measure, "decisions": decisions, "folds": 3, "repeats": 1, "seed": seed}
    try:
        fitted = fit_fusion(gold, *drawn, method=method, task="trec", **options)
    except InputError as error:
        assert error.kind == "wrong-part"  # the gold itself is drawn
        return
    assert (fitted.fusion.top is not None) == (measure in CUT)
    written = score(gold, fitted.fused.run, measure, decisions=decisions)
    assert written == pytest.approx(finite(fitted.resubstitution), abs=1e-12)
    again = Fusion(method, weights=fitted.fusion.weights, top=fitted.fusion.top)
    assert to_run(again.fuse(*drawn, task="trec").run, task="trec") == to_run(fitted.fused.run, task="trec")
    # on the queries that it is fitted to, fitting is never worse than not fitting, and never than one run alone
    assert all(fitted.resubstitution >= other.resubstitution - 1e-12 for other in fitted.contenders[1:])


class OfTrecEval(Rankings):
    """Rankings whose every score is trec_eval's."""

    def estimates(self, weightings):
        return []


def trial_of(gold, drawn, measure, fold, rankings=Rankings):
    held = Candidates.of([Reader(coliee_ir.read_run(run, task="trec")) for run in drawn])
    blend = Blend(held, "combsum", "min-max", 60)
    return Trial(rankings(blend, Qrels(gold), parse(measure)[0], Decisions()), np.atleast_2d(fold))


@settings(max_examples=settings.default.max_examples // 2)
@given(golds, some_runs, st.sampled_from(["MicroF1", "MacroF2", "MicroF1@2", "AP"]))
@example({q: {"d0": 1} for q in QUERIES}, ALONE, "AP")
def test_on_the_training_folds_weights_are_never_worse_than_equal_ones(gold, drawn, measure):
    orders = [range(len(drawn))] * 4  # without each fold, and with all
    trial = trial_of(gold, drawn, measure, [0, 1, 2, 0, 1, 2])
    found = trial.search(orders)
    for i, weights in enumerate(found):
        assert trial.worths(weights).scores[i] >= trial.worths(equal(len(drawn))).scores[i]
    assert found == trial_of(gold, drawn, measure, [0, 1, 2, 0, 1, 2], OfTrecEval).search(orders)


@settings(max_examples=settings.default.max_examples // 2)
@given(golds, st.lists(runs, min_size=2, max_size=2), st.sampled_from(CUT), st.floats(0.01, 0.99))
def test_the_best_cut_off_is_that_of_trying_each(gold, drawn, measure, share):
    trial = trial_of(gold, drawn, measure, [0, 1, 0, 1, 0, 1])
    cut_at = (Fusion("combsum", weights=(share, 1 - share), top=top) for top in range(1, trial.tried.deepest + 1))
    tried = [score(gold, fusion.fuse(*drawn, task="trec").run, measure) for fusion in cut_at]
    worths = trial.worths((share, 1 - share))
    assert finite(worths.scores[-1]) == pytest.approx(max(tried), abs=1e-12)
    assert tried[worths.tops[-1] - 1] == pytest.approx(max(tried), abs=1e-12)
    # of several that are as good, the least
    assert all(value < max(tried) - 1e-13 for value in tried[: worths.tops[-1] - 1])


def test_no_query_has_a_part_in_the_weights_that_it_is_fused_by():
    gold, drawn = world(queries=10, n=2)
    fitted = fit_fusion(gold, *drawn, task=1, folds=10, repeats=1)  # each query alone
    for query in ("000000", "000007", "000009"):
        # what a query's gold is does not change what it is fused by, but all that others are fused by
        spoiled = fit_fusion({**gold, query: ["000029"]}, *drawn, task=1, folds=10, repeats=1)
        assert set(spoiled.fold_weights) & set(fitted.fold_weights)


def score_at(gold, rankings, queries, top):
    correct = sum(len(set(gold[q]) & set(list(rankings[q])[:top])) for q in queries)
    return round(2 * correct / (top * len(queries) + sum(len(gold[q]) for q in queries)), 12)


def test_held_out_scores_are_means_over_the_splits_and_differences_have_errors():
    gold, drawn = world(queries=20, n=2)
    fitted = fit_fusion(gold, *drawn, task=1, repeats=3)
    one_by_one = []
    for repeat in range(3):
        weights = fitted.fold_weights[5 * repeat : 5 * repeat + 5]
        fold = Split.of(sorted(gold), 5, fitted.seed).folds(np.ones(20, dtype=np.bool_), repeat)
        lists = {}
        for at, query in enumerate(sorted(gold)):
            train = [q for q, number in zip(sorted(gold), fold.tolist(), strict=True) if number != fold[at]]
            rankings = to_run(coliee_ir.fuse(*drawn, method="combsum", weights=weights[fold[at]], task=1))
            scores = [score_at(gold, rankings, train, top) for top in range(1, 31)]
            lists[query] = list(rankings[query])[: scores.index(max(scores)) + 1]
        one_by_one.append(score(gold, Run.of(lists), "MicroF1"))
    assert fitted.held_out == pytest.approx(np.mean(one_by_one))
    assert fitted.contenders[0].split_sd == pytest.approx(np.std(one_by_one, ddof=1))
    for one in fitted.contenders[1:]:
        assert one.behind.value == pytest.approx(fitted.held_out - one.held_out)
        assert one.behind.interval.low < one.behind.value < one.behind.interval.high


def test_whether_fitting_was_worth_it_is_said():
    gold, drawn = world(queries=60, depth=50)
    same = fit_fusion(gold, drawn[0], drawn[0], task=1, repeats=1)
    assert begins(heard(same.remarks[0]), "[weights-no-better] equal weights …")
    assert same.contenders[1].behind == (0.0, 0.0, (0.0, 0.0))
    worth_it = fit_fusion(gold, *drawn, task=1, folds=10, repeats=1)
    assert not any("held-out" in remark for remark in worth_it.remarks)
    # "worse" only where the interval says so
    for high, row in ((-0.1, "weights-no-better.worse"), (0.1, "weights-no-better")):
        behind = Difference(-0.2, 0.05, Interval(-0.3, high))
        other = replace(worth_it.contenders[1], behind=behind, held_out=2.0)
        said = replace(worth_it, contenders=(worth_it.contenders[0], other)).remarks[0]
        assert said == Remark.of(row, other=other.name, difference=f"-0.2000, {behind.interval.in_words('+')}")


def test_votes_are_fitted_to_accuracy_and_a_fold_to_the_other_folds():
    answers = [coliee_ir.read_run(dict.fromkeys(QUERIES, answer)) for answer in "YN"]
    labels = {q: at < 2 for at, q in enumerate(QUERIES)}
    trial = Trial(Ballots(answers, labels, "N"), np.array([[0, 1, 2, 3, 0, 1]]))
    held_out = trial.held_out([(1.0, 0.0), (0.0, 1.0), (1.0, 0.0), (0.0, 1.0)])
    assert held_out.each[:, 0].tolist() == [1, 0, 0, 1, 0, 1]


def test_the_order_of_gold_and_runs_changes_nothing():
    gold, drawn = world(3, queries=40)  # so many that not all flips of them are made
    told = []
    for order in ([0, 1, 2], [2, 0, 1]):
        queries = sorted(gold)[:: 1 if order[0] == 0 else -1]
        runs = [Run.of({q: drawn[at][q] for q in queries}, tag="abc"[at]) for at in order]
        fitted = fit_fusion({q: gold[q] for q in queries}, *runs, task=1, repeats=2)
        weights = dict(zip(fitted.fusion.runs, fitted.fusion.weights or (), strict=True))
        rows = {one.name: replace(one, weights=()) for one in fitted.contenders}
        told.append((weights, rows, to_run(fitted.fused.run)))
    assert told[0] == told[1]


@pytest.mark.parametrize("norm", ["min-max", "none"])
@pytest.mark.parametrize("method", ["combsum", "combmnz", "rrf"])
def test_ranks_that_are_counted_are_those_that_are_sorted(method, norm):
    """With many ties, also of very small and very large scores, and with documents that only runs without weight have.

    The last run's scores differ by what float32 cannot hold."""
    rng = np.random.default_rng(len(method + norm))
    runs = []
    for scale in (1.0, 1e-39, 1e39):
        drawn = [(rng.permutation(400)[:250], rng.integers(0, 5, 250) * scale) for _ in range(9)]
        if (scale, norm) == (1e-39, "none"):
            drawn = [(documents, 1 + 1e-9 * rng.random(250)) for documents, _ in drawn]
        lists = ({f"d{d}": float(s) for d, s in zip(*pair, strict=True)} for pair in drawn)
        runs.append(Reader(Run.of({f"q{q}": ranking for q, ranking in enumerate(lists)})))
    blend = Blend(Candidates.of(runs), method, norm, 60.0)
    rows = np.sort(rng.permutation(len(blend.candidates.documents))[:60])
    weightings = np.array([[0.2, 0.5, 0.3], [0.0, 0.5, 0.5], [1.0, 0.0, 0.0]])
    ranked = [blend.ranked(weights) for weights in weightings]
    assert Rivals(blend, rows).ranks(weightings).tolist() == [one.rank[rows].tolist() for one in ranked]
    lengths = [np.bincount(blend.candidates.query[one.kept], minlength=9).tolist() for one in ranked]
    assert [blend.lengths(tuple(weights > 0)).tolist() for weights in weightings] == lengths


def test_what_was_fitted_is_kept_and_applied_to_other_runs(tmp_path):
    gold, drawn = world()
    options = {"method": "combmnz", "norm": "borda", "measure": "MicroF1", "repeats": 2, "exclude": ["000003"]}
    fitted = fit_fusion(gold, *drawn, task=1, **options)
    fitted.save(tmp_path / "w.json")
    held = json.loads((tmp_path / "w.json").read_text())
    assert held["contenders"][0]["held_out"] == fitted.held_out
    assert (held["queries"], held["folds"], held["repeats"], len(held["fold_weights"])) == (19, 5, 2, 10)
    assert Fusion.load(tmp_path / "w.json") == fitted.fusion
    # runs in memory have no tags, and weights go by their order
    assert to_run(fitted.fusion.fuse(*drawn).run) == to_run(fitted.fused.run)
    assert not fitted.fusion.fuse(*drawn).remarks


def test_measures_by_which_weights_are_fitted():
    gold, drawn = world(n=2)
    fit = partial(fit_fusion, gold, *drawn, repeats=1)
    assert (fit(task=1).measure, fit(task="trec").measure) == ("MicroF1", "map")
    assert fit(task=1, top=4).fusion.top == 4
    assert fit(task=1, top=4).resubstitution == fit(task=1, measure="MicroF1@4").resubstitution
    assert fit(task=1, measure="MicroF1@4").fusion.top is None
    of_law = [{f"R07-{query[-2:]}-A": held for query, held in each.items()} for each in (gold, *drawn)]
    for edition in (2025, 2026):
        assert fit_fusion(*of_law, task=3, edition=edition, repeats=1).measure == "MacroF2"


GOLD, DRAWN = world(n=2)
LABELS, ARTICLES = {"H18-1-1": "Y", "H18-1-2": "N"}, {"H18-1-1": ["1"], "H18-1-2": ["2"]}


@pytest.mark.parametrize(("gold", "runs", "options", "error", "sentence"), [
    *((GOLD, DRAWN, {"task": 1, **options}, UsageError, sentence) for options, sentence in (
        ({"measure": "P.5,10"}, "'P.5,10' expands to 2"),
        ({"measure": "Accuracy"}, "[unfit-measure] Accuracy …"),
        ({"measure": "MacroF(beta=2,of=means)"}, "needs a cutoff"),
        ({"measure": "MicroF1@5", "top": 3}, "[option-conflict] MicroF1@5 … 3 …"),
        ({"measure": "AP", "top": 3}, "[unfit-option] AP …"),
        ({"method": "vote"}, "[unfit-option] vote …"),
        ({"folds": 21}, "[too-few] 21 folds … 20 queries … use 2 to 20 …"),
    )),
    (GOLD, [DRAWN[0], ARTICLES], {"task": 1}, MismatchError, "[mismatch]"),
    (GOLD, [DRAWN[0], {"000001": "Y"}], {"task": 1}, InputError, "it contains labels"),
    (LABELS, [LABELS, LABELS], {"task": 4, "folds": 2, "method": "combsum"}, UsageError, "[unfit-option] combsum …"),
    (LABELS, [ARTICLES, ARTICLES], {"task": 4, "folds": 2}, UsageError, "[wrong-part]"),
    (ARTICLES, [LABELS, LABELS], {"task": 3, "edition": 2025, "folds": 2}, UsageError, "[unfit-option]"),
])  # fmt: skip
def test_what_cannot_be_fitted_is_refused(gold, runs, options, error, sentence):
    with refusing(error, sentence):
        fit_fusion(gold, *runs, **options)


def test_a_ranking_with_the_worst_first_is_told_or_turned_around():
    gold, runs = {f"q{n}": [f"d{n}"] for n in range(20)}, []
    for tag, sign in (("up", -1), ("down", 1)):
        lists = {query: {f"d{(n + at) % 20}": sign * at for at in range(12)} for n, query in enumerate(gold)}
        runs.append(Run.of(lists, tag=tag))
    told = [remark for remark in fit_fusion(gold, *runs, task=1, repeats=1).remarks if "upside-down" in heard(remark)]
    assert told[0].startswith("down: ")
    turned = fit_fusion(gold, lists, lists, task=1, measure="AP", repeats=1, decisions={"order": "ascending"}).fusion
    fused = to_run(Fusion.from_dict(turned.to_dict()).fuse(lists, lists).run)
    assert [next(iter(ranking)) for ranking in fused.values()] == [f"d{n}" for n in range(20)]
