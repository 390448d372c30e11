"""Several years: scores of each, a year held out in turn, and votes on answers whose weights are fitted so."""

import csv
import itertools
import json

import pytest
from asserting import done
from hypothesis import given, settings
from hypothesis import strategies as st
from pytest import approx

from coliee_adapters.errors import UsageError
from coliee_ir import Fusion, evaluate, evaluate_all, fit_fusion, read_gold, tune
from coliee_ir.commands.evaluate.details import by_year
from coliee_ir.reading.years import years

pytestmark = pytest.mark.usefixtures("one_deal")

QUERIES = [f"{year}-{n}-A" for year in ("H30", "R01", "R02") for n in range(1, 5)]
LABEL = st.sampled_from(["Y", "N"])
GOLDS = st.fixed_dictionaries(dict.fromkeys(QUERIES, LABEL))
ANSWERS = st.fixed_dictionaries({QUERIES[0]: LABEL}, optional=dict.fromkeys(QUERIES[1:], LABEL))


def test_both_spellings_of_a_year_are_one_exam():
    gold = {"H30-1-A": "Y", "R01-1-A": "N", "R1-18-U": "Y", "R02-2-A": "N"}
    runs = [dict.fromkeys(gold, "Y"), dict.fromkeys(gold, "N")]
    record = read_gold(gold, task="4")
    assert years(record) == {"H30-1-A": "H30", "R01-1-A": "R01", "R1-18-U": "R01", "R02-2-A": "R02"}
    assert [(one.year, one.queries) for one in by_year(evaluate_all(gold, [runs[0]], task="4")).rows[0]] == [
        ("H30", 1), ("R01", 2), ("R02", 1)
    ]  # fmt: skip
    assert fit_fusion(gold, *runs, task="4", by_year=True).folds == 3


def elected(runs, weights, ties="N"):
    found = {}
    for query in QUERIES:
        votes = [(run[query], weight) for run, weight in zip(runs, weights, strict=True) if weight and query in run]
        if votes:
            yes, no = (sum(weight for label, weight in votes if label == wanted) for wanted in "YN")
            tie = votes[0][0] if ties == "first" else ties
            found[query] = tie if yes == approx(no, rel=1e-9) else "Y" if yes > no else "N"
    return found


def accuracy(gold, found, queries):
    return sum(found.get(query) == gold[query] for query in queries) / len(queries)


@settings(max_examples=settings.default.max_examples // 3)
@given(GOLDS, st.lists(ANSWERS, min_size=2, max_size=3), st.sampled_from(["Y", "N", "first"]))
def test_weights_of_votes_are_fitted_and_held_out_by_year(gold, runs, ties):
    fitted = fit_fusion(gold, *runs, task="4", by_year=True, ties=ties)
    weights = fitted.fusion.weights or ()
    assert (fitted.folds, fitted.measure, fitted.fusion.method) == (3, "Accuracy", "vote")
    assert fitted.resubstitution == approx(accuracy(gold, elected(runs, weights, ties), QUERIES))
    assert fitted.fused.run.labels == {q: one == "Y" for q, one in elected(runs, weights, ties).items()}
    # never worse than equal weights, nor than one run alone, on what they are fitted to
    for contender in fitted.contenders[1:]:
        assert contender.resubstitution == approx(accuracy(gold, elected(runs, contender.weights, ties), QUERIES))
        assert fitted.resubstitution >= contender.resubstitution - 1e-12
    years = [list(of_year) for _, of_year in itertools.groupby(QUERIES, lambda query: query[:3])]
    dealt = [
        sum(elected(runs, weights, ties).get(query) == gold[query] for part, weights in zip(years, order, strict=True)
            for query in part) / len(QUERIES)
        for order in itertools.permutations(fitted.fold_weights)
    ]  # fmt: skip
    assert any(fitted.held_out == approx(one) for one in dealt)


def test_a_good_run_outweighs_two_bad_ones(tmp_path, call):
    gold = {query: "YN"[at % 2] for at, query in enumerate(QUERIES)}
    bad = dict.fromkeys(QUERIES, "Y")
    good = {query: gold[query] for query in QUERIES[1:]}  # what answers all rightly is the gold
    for name, run in (("gold", gold), ("good", good), ("bad", bad), ("worse", bad)):
        (tmp_path / name).write_text("".join(f"{query} {label} {name}\n" for query, label in run.items()))
    runs = [tmp_path / name for name in ("good", "bad", "worse")]
    given_ = ("fuse", *runs, "--fit", tmp_path / "gold", "--task", "4", "--folds", "year", "-o", tmp_path / "fused")
    out, err = done(call, *given_, "--save", tmp_path / "w.json")
    assert "12 queries in 3 folds, 1 repeat" in err
    rows = {line.split()[0]: line.split()[1:] for line in out.splitlines()}
    assert rows["fitted"][:3] == ["-", "1.0000", "1.0000"]
    assert rows["equal"][:4] == ["weights", "-", "0.5000", "0.5000"]
    assert evaluate(tmp_path / "gold", tmp_path / "fused", task="4").measures["Accuracy"] == 1
    assert Fusion.load(tmp_path / "w.json").weights == fit_fusion(tmp_path / "gold", *runs, task="4").fusion.weights


@pytest.mark.parametrize("wrong", [{"method": "combsum"}, {"measure": "MicroF1"}, {"top": 3}])
def test_what_does_not_fit_votes_is_refused(wrong):
    gold = dict.fromkeys(QUERIES, "Y")
    with pytest.raises(UsageError):
        fit_fusion(gold, gold, gold, task="4", **wrong)


def test_years_are_in_the_ids_or_in_the_names_of_the_golds(tmp_path):
    assert set(years(read_gold(dict.fromkeys(QUERIES, "Y"))).values()) == {"H30", "R01", "R02"}
    for year in ("2019", "2020"):
        (tmp_path / f"{year}.json").write_text(json.dumps({f"{year}{n}": ["000007"] for n in (10, 11)}))
    assert years(read_gold(tmp_path))["202011"] == "2020"
    with pytest.raises(UsageError, match="--gold FILE"):
        years(read_gold(tmp_path / "2019.json"))


def test_scores_of_each_year_are_those_of_its_queries_alone(tmp_path, call):
    golds, run = [], {}
    for year, n in (("2019", 2), ("2020", 4)):
        gold = {f"{year}{at}0": [f"00000{at}", "000009"] for at in range(n)}
        run |= {query: [f"00000{at}", "000008", "000007"][: 3 - at % 2] for at, query in enumerate(gold)}
        golds += ["--gold", tmp_path / f"{year}.json"]
        (tmp_path / f"{year}.json").write_text(json.dumps(gold))
    (tmp_path / "run.json").write_text(json.dumps(run))
    measures = ["MicroF1", "MacroF2", "AP"]
    asked = itertools.chain(*zip(["-m"] * 3, measures, strict=True))
    given_ = ("evaluate", golds[1], tmp_path / "run.json", *golds[2:], "--task", "1", *asked)
    out, _ = done(call, *given_, "--show", "years", "-f", "csv")
    rows = {row["year"]: row for row in csv.DictReader(out.splitlines())}
    assert list(rows) == ["2019", "2020", "all"]
    both = read_gold([tmp_path / "2019.json", tmp_path / "2020.json"])
    for year, row in rows.items():
        queries = [query for query in both.queries if year in ("all", query[:4])]
        alone = evaluate(both, run, task="1", only=queries, measures=measures).measures
        assert int(row["queries"]) == len(queries)
        assert [float(row[name]) for name in measures] == approx([alone[name] for name in measures])
    (of_run,) = json.loads(call(*given_, "--show", "years", "-f", "json")[1])["runs"]
    for year in of_run["years"]:
        row = rows[year["year"]]
        assert year["queries"] == int(row["queries"])
        assert year["measures"] == {name: float(row[name]) for name in measures}
    assert of_run["measures"] == {name: float(rows["all"][name]) for name in measures}
    assert call(*given_, "--show", "years", "-q")[0] == 2


def test_a_cutoff_is_tuned_with_a_year_held_out():
    gold = {query: ["d1"] for query in QUERIES}
    run = {query: {"d1": 0.9, "d2": 0.1} for query in QUERIES}
    tuning = tune(gold, run, task="3", edition=2025, by_year=True)
    assert (tuning.folds, tuning.groups, tuning.held_out) == (3, 3, 1)
    with pytest.raises(UsageError):
        tune(gold, run, task="3", edition=2025, by_year=True, groups=dict.fromkeys(QUERIES, "a"))
