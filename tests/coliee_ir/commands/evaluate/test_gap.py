"""Of what missing points consist, by brute force over cutoffs, counts and choices; what runs have in common."""

import itertools
import json

import pytest
from asserting import done
from hypothesis import given, settings
from hypothesis import strategies as st
from pytest import approx
from sent import write

from coliee_adapters.errors import UsageError
from coliee_ir import Decisions, Evaluator, evaluate_all
from coliee_ir.commands.evaluate.details import Gap, gap, gap_of, overlap

GOLD = {"1": ["a", "b"], "2": ["c"], "3": ["a", "c", "d"]}
LISTS = st.lists(st.sampled_from("abcdxy"), unique=True, max_size=4)
RUNS = st.fixed_dictionaries({}, optional=dict.fromkeys(GOLD, LISTS.filter(bool))).filter(bool)


def score(measure, lists):
    """P, R or F of sets, in plain Python."""
    beta = 2 if measure.endswith("2") else 1
    counts = [(len({*GOLD[q]} & {*lists.get(q, [])}), len(lists.get(q, [])), len(GOLD[q])) for q in GOLD]

    def value(correct, retrieved, relevant):
        if measure[5] == "F":
            return (1 + beta**2) * correct / (beta**2 * relevant + retrieved)
        return correct / max(retrieved if measure[5] == "P" else relevant, 1)

    if measure.startswith("Micro"):
        return value(*(sum(column) for column in zip(*counts, strict=True)))
    return sum(value(*of_query) for of_query in counts) / len(GOLD)


def every(*choices):
    return (dict(zip(GOLD, choice, strict=True)) for choice in itertools.product(*choices))


@settings(max_examples=settings.default.max_examples // 2)
@given(RUNS, st.sampled_from(["MicroF1", "MicroP", "MicroR", "MacroF2", "MacroP", "MacroR", "MacroF1@1", "MicroF2@2"]))
def test_each_step_is_the_best_of_all_that_could_be_done(run, name):
    bare = name.partition("@")[0]
    lists = [run.get(query, []) for query in GOLD]
    as_it_is = score(bare, {q: ranking[: int(name[-1]) if "@" in name else 4] for q, ranking in run.items()})
    constant = {k: score(bare, {q: ranking[:k] for q, ranking in run.items()}) for k in range(1, 5)}
    count = max(score(bare, cut) for cut in every(*([ranking[:k] for k in range(5)] for ranking in lists)))
    some = [[list(part) for n in range(5) for part in itertools.combinations(ranking, n)] for ranking in lists]
    chosen = max(score(bare, choice) for choice in every(*some))
    expected = list(itertools.accumulate([as_it_is, max(constant.values()), count, chosen, 1], max))
    scores = Evaluator(GOLD, name, task="1").evaluate(run, keep_judged=True)
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


def test_labels_by_articles_lose_by_either(here, call):
    pairs = [("<article>1</article>", "Y")] * 2 + [("", "N"), ("<article>1</article>", "Y")]
    texts = "".join(f'<pair id="R07-0{n}-A" label="{label}">{article}<t2>x</t2></pair>'
                    for n, (article, label) in enumerate(pairs, 1))  # fmt: skip
    ranked = (("1-A", 9, 1), ("1-A", 1, 2), ("2-A", 2, 1), ("4-A", 2, 1))
    write({
        "gold.xml": f"<dataset>{texts}</dataset>",
        "task3.A": "".join(f"R07-0{n} Q0 {d} {rank} {-rank} A\n" for n, d, rank in ranked),
        "answers.A": "R07-01-A Y A\nR07-02-A Y A\nR07-03-A Y A\nR07-04-A N A\n",
    })  # fmt: skip
    typed = ("evaluate", "gold.xml", "task3.A", "--answers", "answers.A", "--task", "3", "--edition", "2026",
             "--show", "gap", "-f", "json", "--decision")  # fmt: skip
    for choice, shares in (("sufficient", (1, 1, 1, 1)), ("wrong", (1, 1, 0, 2)), ("skip", (1, 1, 0, 1))):
        for measure, late in (("Accuracy", 0), ("Accuracy@1", 1)):  # whether the first query's article comes too late
            typed_measure = (f"without_articles={choice}", "-m", measure)
            [of_run] = json.loads(done(call, *typed, *typed_measure)[0])["runs"]
            expected = (shares[0] - late, shares[1] + late, *shares[2:])
            assert [*of_run["gap"].values()] == approx([share / sum(shares) for share in expected])
            assert of_run["gap"]["score"] == approx(of_run["measures"][measure])


def test_answers_alone_have_no_gap_and_one_run_no_overlap():
    scored = evaluate_all({"R07-01-A": "Y"}, {"A": {"R07-01-A": "N"}}, task="4")
    for function in (gap, overlap):
        with pytest.raises(UsageError):
            function(scored)


@given(st.lists(RUNS, min_size=2, max_size=4), st.sampled_from(["MicroF1", "MicroF1@2"]))
def test_what_runs_have_in_common(runs, name):
    scored = evaluate_all(GOLD, {f"r{i}": run for i, run in enumerate(runs)}, measures=name, task="1", jobs=1)
    k = 2 if "@" in name else 9
    right = [{(q, d) for q, ranking in run.items() for d in ranking[:k] if d in GOLD[q]} for run in runs]
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
