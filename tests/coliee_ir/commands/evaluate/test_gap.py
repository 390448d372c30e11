"""Of what missing points consist, by brute force over cutoffs, counts and choices; what runs have in common."""

import csv
import itertools
import json

import pytest
from asserting import done
from hypothesis import given, settings
from hypothesis import strategies as st
from pytest import approx

from coliee_adapters.errors import UsageError
from coliee_ir import Decisions, Evaluator, evaluate_all
from coliee_ir.commands.evaluate.gap import Gap, gap, gap_of, overlap

GOLD = {"1": ["a", "b"], "2": ["c"], "3": ["a", "c", "d"]}
LISTS = st.lists(st.sampled_from("abcdxy"), unique=True, max_size=4)
RUNS = st.fixed_dictionaries({}, optional=dict.fromkeys(GOLD, LISTS.filter(bool))).filter(bool)


def score(measure, lists):
    """P, R or F of sets, in plain Python."""
    beta = 2 if measure.endswith("2") else 1
    counted = [(len({*GOLD[q]} & {*lists.get(q, [])}), len(lists.get(q, [])), len(GOLD[q])) for q in GOLD]

    def value(correct, retrieved, relevant):
        if measure[5] == "F":
            return (1 + beta**2) * correct / (beta**2 * relevant + retrieved)
        return correct / max(retrieved if measure[5] == "P" else relevant, 1)

    if measure.startswith("Micro"):
        return value(*(sum(column) for column in zip(*counted, strict=True)))
    return sum(value(*one) for one in counted) / len(GOLD)


def every(*choices):
    return (dict(zip(GOLD, one, strict=True)) for one in itertools.product(*choices))


@settings(max_examples=settings.default.max_examples // 2)
@given(RUNS, st.sampled_from(["MicroF1", "MicroP", "MicroR", "MacroF2", "MacroP", "MacroR", "MacroF1@1", "MicroF2@2"]))
def test_each_step_is_the_best_of_all_that_could_be_done(run, name):
    bare = name.partition("@")[0]
    lists = [run.get(query, []) for query in GOLD]
    as_it_is = score(bare, {q: one[: int(name[-1]) if "@" in name else 4] for q, one in run.items()})
    constant = {k: score(bare, {q: one[:k] for q, one in run.items()}) for k in range(1, 5)}
    count = max(score(bare, one) for one in every(*([one[:k] for k in range(5)] for one in lists)))
    some = [[list(kept) for n in range(5) for kept in itertools.combinations(one, n)] for one in lists]
    chosen = max(score(bare, one) for one in every(*some))
    expected = list(itertools.accumulate([as_it_is, max(constant.values()), count, chosen, 1], max))
    scores = Evaluator(GOLD, name, task="1").evaluate(run, keep_judged=True)
    [measure] = scores.results
    found = gap_of(measure, scores.judged, Decisions())
    steps = [found.constant_cutoff, found.right_count, found.better_order, found.never_retrieved]
    assert [found.score, *steps] == approx([expected[0], *(b - a for a, b in itertools.pairwise(expected))])
    assert found.score + sum(steps) == approx(1)
    assert (found.k is None) == (found.constant_cutoff < 1e-9)
    assert found.k is None or constant[found.k] == approx(max(constant.values()))


def test_lists_that_lead_with_the_worst_are_told_reversed_too(tmp_path, call):
    gold = {f"{q:06}": [f"{q + 1:06}"] for q in range(0, 600, 30)}
    run = {q: [*(f"{int(q) + at:06}" for at in range(2, 22)), *one] for q, one in gold.items()}
    (tmp_path / "gold.json").write_text(json.dumps(gold))
    (tmp_path / "run.json").write_text(json.dumps(run))
    given_ = ("evaluate", tmp_path / "gold.json", tmp_path / "run.json", "--task", "1", "--show", "gap")
    code, out, err = call(*given_, "-f", "csv")
    rows = [[float(row[name] or 0) for name in ("MicroF1", "constant cutoff", "k", "right count", "better order")]
            for row in csv.DictReader(out.splitlines())]  # fmt: skip
    start = 2 / 22
    assert (code, rows) == (0, [approx([start, 0, 0, 0, 1 - start]), approx([start, 1 - start, 1, 0, 0])]), err
    assert [one["gap"]["better_order"] for one in json.loads(call(*given_, "-f", "json")[1])["runs"]] == approx(
        [1 - start]
    )
    for wrong in (["-q"], ["--ties"], ["-f", "trec"]):
        assert call(*given_, *wrong)[:2] == (2, "")


def test_a_long_list_and_answers():
    articles = {f"R07-0{at}-A": ["1", "2"] for at in range(1, 5)}
    first = {"R07-01-A": {"1": 1, "3": 1}}
    scores = Evaluator(articles, task="3", edition="2025").evaluate(
        first, long_list={"R07-01-A": ["1", "4", "2"]}, keep_judged=True
    )
    [measure, *_] = scores.results
    found = gap_of(measure, scores.judged, Decisions())
    assert isinstance(found, Gap)
    f2 = [5 * c / (4 * 2 + n) / 4 for c, n in ((1, 2), (2, 3), (2, 2))]  # as submitted, of the long list, in order
    assert found == approx((f2[0], f2[1] - f2[0], 3, 0, f2[2] - f2[1], 1 - f2[2]))


@pytest.mark.parametrize(
    ("choice", "shares"), [("sufficient", (1, 1, 1, 1)), ("wrong", (1, 1, 0, 2)), ("skip", (1, 1, 0, 1))]
)
def test_labels_by_articles(tmp_path, call, choice, shares):
    pairs = [("<article>1</article>", "Y"), ("<article>1</article>", "Y"), ("", "N"), ("<article>1</article>", "Y")]
    texts = "".join(
        f'<pair id="R07-0{at}-A" label="{label}">{article}<t2>x</t2></pair>'
        for at, (article, label) in enumerate(pairs, 1)
    )
    (tmp_path / "gold.xml").write_text(f"<dataset>{texts}</dataset>")
    (tmp_path / "task3.A").write_text(
        "".join(f"R07-0{at} Q0 {article} 1 1.0 A\n" for at, article in (("1-A", 1), ("2-A", 2), ("4-A", 2)))
    )
    (tmp_path / "answers.A").write_text("R07-01-A Y A\nR07-02-A Y A\nR07-03-A Y A\nR07-04-A N A\n")
    out, _ = done(call,
        "evaluate", tmp_path / "gold.xml", tmp_path / "task3.A", "--answers", tmp_path / "answers.A", "--task", "3",
        "--edition", "2026", "--show", "gap", "-f", "json", "--decision", f"without_articles={choice}",
    )  # fmt: skip
    [one] = json.loads(out)["runs"]
    assert [*one["gap"].values()] == approx([share / sum(shares) for share in shares])
    assert one["gap"]["score"] == approx(one["measures"]["Accuracy"])


def test_answers_alone_have_no_gap_and_one_run_no_overlap():
    scored = evaluate_all({"R07-01-A": "Y"}, {"A": {"R07-01-A": "N"}}, task="4")
    with pytest.raises(UsageError):
        gap(scored)
    with pytest.raises(UsageError):
        overlap(scored)


@given(st.lists(RUNS, min_size=2, max_size=4), st.sampled_from(["MicroF1", "MicroF1@2"]))
def test_what_runs_have_in_common(runs, name):
    scored = evaluate_all(GOLD, {f"r{at}": run for at, run in enumerate(runs)}, measures=name, task="1", jobs=1)
    k = 2 if "@" in name else 9
    found = [{(q, d) for q, one in run.items() for d in one[:k] if d in GOLD[q]} for run in runs]
    told = overlap(scored)
    assert [(one.found, one.only) for one in told.rows] == [
        (len(one), len(one - set().union(*found[:at], *found[at + 1 :]))) for at, one in enumerate(found)
    ]
    shares = [[len(one & other) / len(one) for other in found] for one in found if one]
    assert [[*one.shares] for one in told.rows if one.found] == shares
    assert told.to_dict()["missed"] == 6 - len(set().union(*found))
    assert [row[1].value for row in told.table.rows[-2:]] == [len(set().union(*found)), told.to_dict()["missed"]]
