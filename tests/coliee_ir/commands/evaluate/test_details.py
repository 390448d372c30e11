"""``--show``: each year alone and held out in turn, the ceiling of a reranker, gaps, what runs have in common."""

import csv
import itertools
import json

import numpy as np
import pytest
from asserting import done
from hypothesis import given, settings
from hypothesis import strategies as st
from pytest import approx
from scipy import stats
from sent import write

from coliee_adapters.errors import UsageError
from coliee_ir import Decisions, Evaluator, evaluate, evaluate_all, fit_fusion, read_gold, tune
from coliee_ir.commands.evaluate.details import Gap, by_year, depths, gap, gap_of, overlap, stages
from coliee_ir.commands.evaluate.log import luck
from coliee_ir.reading.gold_ids import years

pytestmark = pytest.mark.usefixtures("one_deal")

QUERIES = [f"{year}-{n}-A" for year in ("H30", "R01", "R02") for n in range(1, 5)]
LABEL = st.sampled_from(["Y", "N"])
GOLDS = st.fixed_dictionaries(dict.fromkeys(QUERIES, LABEL))
ANSWERS = st.fixed_dictionaries({QUERIES[0]: LABEL}, optional=dict.fromkeys(QUERIES[1:], LABEL))


def test_years_are_in_the_ids_in_both_spellings_or_in_the_names_of_the_golds(tmp_path):
    gold = {"H30-1-A": "Y", "R01-1-A": "N", "R1-18-U": "Y", "R02-2-A": "N"}
    runs = [dict.fromkeys(gold, "Y"), dict.fromkeys(gold, "N")]
    assert years(read_gold(gold, task="4")) == {"H30-1-A": "H30", "R01-1-A": "R01", "R1-18-U": "R01", "R02-2-A": "R02"}
    [rows] = by_year(evaluate_all(gold, runs[:1], task="4")).rows
    assert [(year.year, year.queries) for year in rows] == [("H30", 1), ("R01", 2), ("R02", 1)]
    assert fit_fusion(gold, *runs, task="4", by_year=True).folds == 3
    for year in ("2019", "2020"):
        (tmp_path / f"{year}.json").write_text(json.dumps({f"{year}{n}": ["000007"] for n in (10, 11)}))
    assert years(read_gold(tmp_path))["202011"] == "2020"
    with pytest.raises(UsageError, match="--gold FILE"):
        years(read_gold(tmp_path / "2019.json"))


def elected(runs, weights, ties="N"):
    labels = {}
    for query in QUERIES:
        votes = [(run[query], weight) for run, weight in zip(runs, weights, strict=True) if weight and query in run]
        if votes:
            yes, no = (sum(weight for label, weight in votes if label == wanted) for wanted in "YN")
            tie = votes[0][0] if ties == "first" else ties
            labels[query] = tie if yes == approx(no, rel=1e-9) else "Y" if yes > no else "N"
    return labels


@settings(max_examples=settings.default.max_examples // 3)
@given(GOLDS, st.lists(ANSWERS, min_size=2, max_size=3), st.sampled_from(["Y", "N", "first"]))
def test_weights_of_votes_are_fitted_and_held_out_by_year(gold, runs, ties):
    def accuracy(weights, queries=QUERIES):
        labels = elected(runs, weights, ties)
        return sum(labels.get(query) == gold[query] for query in queries) / len(QUERIES)

    fitted = fit_fusion(gold, *runs, task="4", by_year=True, ties=ties)
    weights = fitted.fusion.weights or ()
    assert (fitted.folds, fitted.measure, fitted.fusion.method) == (3, "Accuracy", "vote")
    assert fitted.resubstitution == approx(accuracy(weights))
    assert fitted.fused.run.labels == {q: label == "Y" for q, label in elected(runs, weights, ties).items()}
    # never worse than equal weights, nor than one run alone, on what they are fitted to
    for contender in fitted.contenders[1:]:
        assert contender.resubstitution == approx(accuracy(contender.weights))
        assert fitted.resubstitution >= contender.resubstitution - 1e-12
    of_years = [list(of_year) for _, of_year in itertools.groupby(QUERIES, lambda query: query[:3])]
    orders = itertools.permutations(fitted.fold_weights)
    assert any(fitted.held_out == approx(sum(map(accuracy, order, of_years))) for order in orders)


def test_scores_of_each_year_are_those_of_its_queries_alone(here, call):
    golds = {year: {f"{year}{i}0": [f"00000{i}", "000009"] for i in range(n)} for year, n in (("2019", 2), ("2020", 4))}
    run = {}
    for year, gold in golds.items():
        run |= {query: [f"00000{i}", "000008", "000007"][: 3 - i % 2] for i, query in enumerate(gold)}
        write({f"{year}.json": json.dumps(gold), "run.json": json.dumps(run)})
    measures = ["MicroF1", "MacroF2", "AP"]
    named = itertools.chain(*zip(["-m"] * 3, measures, strict=True))
    typed = ("evaluate", "2019.json", "run.json", "--gold", "2020.json", "--task", "1", *named, "--show", "years")
    rows = {row["year"]: row for row in csv.DictReader(done(call, *typed, "-f", "csv")[0].splitlines())}
    assert list(rows) == ["2019", "2020", "all"]
    both = read_gold(["2019.json", "2020.json"])
    for year, row in rows.items():
        queries = [query for query in both.queries if year in ("all", query[:4])]
        alone = evaluate(both, run, task="1", only=queries, measures=measures).measures
        assert int(row["queries"]) == len(queries)
        assert [float(row[name]) for name in measures] == approx([alone[name] for name in measures])
    (of_run,) = json.loads(call(*typed, "-f", "json")[1])["runs"]
    for year in [*of_run["years"], {"year": "all", "queries": 6, "measures": of_run["measures"]}]:
        row = rows[year["year"]]
        assert year["queries"] == int(row["queries"])
        assert year["measures"] == {name: float(row[name]) for name in measures}
    assert call(*typed, "-q")[0] == 2


def test_a_cutoff_is_tuned_with_a_year_held_out_and_votes_are_fitted_as_votes():
    gold, run = {query: ["d1"] for query in QUERIES}, {query: {"d1": 0.9, "d2": 0.1} for query in QUERIES}
    tuning = tune(gold, run, task="3", edition=2025, by_year=True)
    assert (tuning.folds, tuning.groups, tuning.held_out) == (3, 3, 1)
    with pytest.raises(UsageError):
        tune(gold, run, task="3", edition=2025, by_year=True, groups=dict.fromkeys(QUERIES, "a"))
    answers = [dict.fromkeys(QUERIES, label) for label in "YN"]
    for wrong in ({"method": "combsum"}, {"measure": "MicroF1"}, {"top": 3}):  # which fit no votes
        with pytest.raises(UsageError):
            fit_fusion({**answers[0], QUERIES[0]: "N"}, *answers, task="4", **wrong)


GOLD = {"1": {"a": 1, "b": 2}, "2": {"c": 1}}
RUNS = st.fixed_dictionaries({"1": st.permutations("abcx"), "2": st.permutations("cdex")})


def choices(documents):
    """Every way to choose documents and put them in an order."""
    return [list(way) for n in range(len(documents) + 1) for way in itertools.permutations(documents, n)]


@settings(max_examples=settings.default.max_examples // 4)
@given(RUNS, st.integers(1, 2), st.sampled_from(["MicroF1", "MacroF2", "AP", "nDCG", "recip_rank", "MicroF(rel=2)"]))
def test_no_reranker_is_better_than_the_ceiling_and_one_reaches_it(run, k, measure):
    evaluator = Evaluator(GOLD, measure, task="trec")
    scores = evaluator.evaluate(run, keep_judged=True)
    [by] = scores.results
    ways = list(itertools.product(choices(run["1"][:k]), choices(run["2"][:k])))
    # a query without documents counts as in evaluate: it is given one that no query has
    reached = [
        evaluator.evaluate({"1": first or ["y"], "2": second or ["y"]}).measures[by.name]
        for first, second in ways[:: max(len(ways) // 8, 1)]
    ]
    [[stage]] = stages([scores], [k]).rows
    assert all(value <= stage.ceiling + 1e-9 or value != value for value in reached)
    least = getattr(by, "rel", 1)
    perfect = {query: sorted((d for d in run[query][:k] if of.get(d, 0) >= least), key=of.get, reverse=True)
               for query, of in GOLD.items()}  # fmt: skip
    if any(perfect.values()):
        assert stage.ceiling == approx(evaluator.evaluate(perfect).measures[by.name], nan_ok=True)


def test_the_table_has_the_recall_that_evaluate_has():
    run = {"1": ["x", "a", "b"], "2": ["d", "c"]}
    scores = Evaluator(GOLD, "MicroF1", task="trec").evaluate(run, keep_judged=True)
    found = stages([scores], [1, 2, 3])
    assert [stage["k"] for stage in found.to_dict()["runs"][0]["stages"]] == found.to_frame()["k"].tolist() == [1, 2, 3]
    for k, documents, micro, macro, _ in found.rows[0]:
        expected = evaluate(GOLD, run, task="trec", measures=[f"MicroR@{k}", f"MacroR@{k}"]).measures
        assert [micro, macro] == approx(list(expected.values()))
        assert documents == approx(sum(min(len(ranking), k) for ranking in run.values()) / 2)


def test_stages_of_several_runs_are_one_table_and_depths_rise(here, call):
    write({"gold.json": '{"000001": ["000002", "000003"]}', "b.txt": "000001 000009 B\n",
           "a.txt": "000001 000002 A\n000001 000009 A\n000001 000003 A\n"})  # fmt: skip
    typed = ("evaluate", "gold.json", "a.txt", "b.txt", "--task", "1", "--show")
    out, _ = done(call, *typed, "stages=1,2..3", "-f", "csv")
    rows = [(row["run"], row["k"], float(row["MicroR"]), float(row["ceiling MicroF1"] or 0))
            for row in csv.DictReader(out.splitlines())]  # fmt: skip
    assert rows == [("A", "1", 0.5, approx(2 / 3)), ("A", "2", 0.5, approx(2 / 3)), ("A", "3", 1, 1),
                    ("B", "1", 0, 0), ("B", "2", 0, 0), ("B", "3", 0, 0)]  # fmt: skip
    held = json.loads(done(call, *typed, "stages=1,2..3", "-f", "json")[0])
    assert held["measure"] == "MicroF1"
    assert [(run["tag"], str(stage["k"]), stage["micro_recall"], approx(stage["ceiling"] or 0))
            for run in held["runs"] for stage in run["stages"]] == rows  # fmt: skip
    for wrong in (["stages=0"], ["gap=3"], ["stages", "-q"]):
        assert call(*typed, *wrong)[:2] == (2, "")
    assert depths("10,1..3,2") == [1, 2, 3, 10]
    for text in ("", "1..", "3..1", "0", "1..5000"):
        with pytest.raises(UsageError):
            depths(text)
    for function in (gap, overlap, stages):  # answers have none, and one run has nothing in common
        with pytest.raises(UsageError):
            function(evaluate_all({"R07-01-A": "Y"}, {"A": {"R07-01-A": "N"}}, task="4"))
    for no_share in ("MacroF1(of=means)", "num_rel_ret"):
        with pytest.raises(UsageError):
            gap(evaluate_all(GOLD, {"A": {"1": ["a"]}}, measures=no_share, task="trec"))


SETS = {"1": ["a", "b"], "2": ["c"], "3": ["a", "c", "d"]}
LISTS = st.lists(st.sampled_from("abcdxy"), unique=True, max_size=4)
GIVEN = st.fixed_dictionaries({}, optional=dict.fromkeys(SETS, LISTS.filter(bool))).filter(bool)


def score(measure, lists):
    """P, R or F of sets, in plain Python."""
    beta = 2 if measure.endswith("2") else 1
    counts = [(len({*SETS[q]} & {*lists.get(q, [])}), len(lists.get(q, [])), len(SETS[q])) for q in SETS]

    def value(correct, retrieved, relevant):
        if measure[5] == "F":
            return (1 + beta**2) * correct / (beta**2 * relevant + retrieved)
        return correct / max(retrieved if measure[5] == "P" else relevant, 1)

    if measure.startswith("Micro"):
        return value(*(sum(column) for column in zip(*counts, strict=True)))
    return sum(value(*of_query) for of_query in counts) / len(SETS)


def every(*choices):
    return (dict(zip(SETS, choice, strict=True)) for choice in itertools.product(*choices))


@settings(max_examples=settings.default.max_examples // 2)
@given(
    GIVEN,
    st.sampled_from(["MicroF1", "MicroP", "MicroR", "MacroF2", "MacroP", "MacroR", "MacroF1@1", "MicroF2@2"]),
)
def test_each_step_is_the_best_of_all_that_could_be_done(run, name):
    bare = name.partition("@")[0]
    lists = [run.get(query, []) for query in SETS]
    as_it_is = score(bare, {q: ranking[: int(name[-1]) if "@" in name else 4] for q, ranking in run.items()})
    constant = {k: score(bare, {q: ranking[:k] for q, ranking in run.items()}) for k in range(1, 5)}
    count = max(score(bare, cut) for cut in every(*([ranking[:k] for k in range(5)] for ranking in lists)))
    some = [[list(part) for n in range(5) for part in itertools.combinations(ranking, n)] for ranking in lists]
    chosen = max(score(bare, choice) for choice in every(*some))
    expected = list(itertools.accumulate([as_it_is, max(constant.values()), count, chosen, 1], max))
    scores = Evaluator(SETS, name, task="1").evaluate(run, keep_judged=True)
    [measure] = scores.results
    found = gap_of(measure, scores.judged, Decisions())
    steps = [found.constant_cutoff, found.right_count, found.better_order, found.never_retrieved]
    assert [found.score, *steps] == approx([expected[0], *(b - a for a, b in itertools.pairwise(expected))])
    assert found.score + sum(steps) == approx(1)
    assert (found.k is None) == (found.constant_cutoff < 1e-9)
    assert found.k is None or constant[found.k] == approx(max(constant.values()))


def test_a_long_list_is_what_is_reordered():
    articles = {f"R07-0{n}-A": ["1", "2"] for n in range(1, 5)}
    scores = Evaluator(articles, task="3", edition="2025").evaluate(
        {"R07-01-A": {"1": 1, "3": 1}}, long_list={"R07-01-A": ["1", "4", "2"]}, keep_judged=True
    )
    [measure, *_] = scores.results
    found = gap_of(measure, scores.judged, Decisions())
    f2 = [5 * c / (4 * 2 + n) / 4 for c, n in ((1, 2), (2, 3), (2, 2))]  # as submitted, of the long list, in order
    assert found == approx((f2[0], f2[1] - f2[0], 3, 0, f2[2] - f2[1], 1 - f2[2])) and isinstance(found, Gap)


def test_luck_is_the_greatest_of_so_many_normal_deviations_of_what_runs_do_not_share():
    lists = itertools.permutations("abcd")
    runs = [{query: [*next(lists)] for query in ("1", "2", "3", "4", "5")} for _ in range(3)]
    scored = evaluate_all({query: ["a", "b"] for query in runs[0]}, runs, measures="AP", task="trec")
    values = np.array([[of["AP"] for of in scores.per_query.values()] for scores in scored])
    apart = values - values.mean(axis=0) - values.mean(axis=1, keepdims=True) + values.mean()
    error = np.sqrt((apart**2).sum() / (2 * 4) / 5)
    results = [next(iter(scores.results.values())) for scores in scored]
    assert luck(results, 20) == approx(stats.norm.ppf(19.625 / 20.25) * error)


@given(st.lists(GIVEN, min_size=2, max_size=4), st.sampled_from(["MicroF1", "MicroF1@2"]))
def test_what_runs_have_in_common(runs, name):
    scored = evaluate_all(SETS, {f"r{i}": run for i, run in enumerate(runs)}, measures=name, task="1", jobs=1)
    k = 2 if "@" in name else 9
    right = [{(q, d) for q, ranking in run.items() for d in ranking[:k] if d in SETS[q]} for run in runs]
    found = overlap(scored)
    assert [(of_run.found, of_run.only) for of_run in found.rows] == [
        (len(own), len(own - set().union(*right[:i], *right[i + 1 :]))) for i, own in enumerate(right)
    ]
    shares = [[len(own & other) / len(own) for other in right] for own in right if own]
    assert [[*of_run.shares] for of_run in found.rows if of_run.found] == shares
    missed = 6 - len(set().union(*right))
    assert found.to_dict()["missed"] == missed
    assert [row[1].value for row in found.table.rows[-2:]] == [6 - missed, missed]


@pytest.mark.parametrize(("name", "common"), [("AP", 2), ("AP(rel=2)", 1), ("MicroF(rel=2)", 1)])
def test_what_runs_have_in_common_is_as_relevant_as_the_measure_asks(name, common):
    gold, run = {"q": {"a": 1, "b": 2}}, {"q": {"a": 0.9, "b": 0.5}}
    found = overlap(evaluate_all(gold, {"A": run, "B": run}, measures=name, task="trec"))
    assert [of_run.found for of_run in found.rows] == [common, common]
