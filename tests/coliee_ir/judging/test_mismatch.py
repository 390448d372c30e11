"""Ids that match nothing: remarked, or refused with the likely cause; a run in honest ids is never refused."""

import json
import random
from pathlib import Path
from unicodedata import normalize

import numpy as np
import pytest
from asserting import begins, clause, done, heard, matches, refusing
from hypothesis import given, settings
from hypothesis import strategies as st

from coliee_adapters.errors import MismatchError
from coliee_adapters.forms import columns
from coliee_adapters.ids import Ids
from coliee_adapters.records import Run, nfkc_folded
from coliee_ir import Decisions, Evaluator, evaluate, evaluate_all, fit_fusion, tune
from coliee_ir.judging.judged import judge
from coliee_ir.judging.mismatch import are_undoubted, diagnose, respelled, respelled_like
from coliee_ir.judging.qrels import Qrels

CASES = {"000018": {"072495": 1, "012101": 1}, "000203": {"004411": 1}}
QUESTIONS = {"R07-01-O": {"96": 1, "398-2": 1}, "R07-02-A": {"7": 1}}
MANY = 500


def diagnosed(gold, rankings, refuse=False):
    run = Run.of(rankings, path="run.txt")
    judged = judge(Qrels(gold), run)
    return diagnose(judged, run, "gold.json", refuse=refuse), bool(judged.rank.any())


def mismatch(function, *given, **options):
    with pytest.raises(MismatchError) as refused:
        function(*given, **options)
    return refused.value


# remarks

LAW = "R07-01-A"


@pytest.mark.parametrize(
    ("gold", "run", "kind", "n", "examples"),
    [
        ({"q": {"000018": 1, "000019": 1, "20": 1}}, {"q": ["18", "000019", "19", "020"]},
         "lost-zeros", 1, ("query q: 18 for 000018",)),
        # the gold's ids are not of one length, or are no numbers that zeros fill up
        *((gold, {"q": ["100200", "18", "77", "ab"], "r": ["5"]}, "short-id", 0, ()) for gold in (
            {"q": {"000018": 1, "20": 1}}, {"q": {"18": 1, "100200": 1}}, {"q": {"d18": 1, "d20": 1}}, {"q": {}},
        )),
        ({"q": {"000018": 1, "100200": 1}, "r": {"000203": 0}},
         {"q": ["100200", "18", "77", "77", "ab", "0000077", "123456"], "r": ["000203", "5"]},
         "short-id", 2, ("query q: 77", "query r: 5")),
        ({LAW: {"96": 1, "398-20": 1}},
         {LAW: ["96", "398.20", "Feb-98", "0096", "398の20", "398-20-2", "121-2", "７", "2024-02-04"]},
         "odd-id", 5, ("query R07-01-A: 398.20", "query R07-01-A: Feb-98", "query R07-01-A: 0096")),
        ({"000001": {"000018": 1}}, {"000001": ["000018", "000019.pdf", "19", "1000000", "x"]},
         "odd-id", 2, ("query 000001: 000019.pdf", "query 000001: x")),
        *(({"q": {zeros + "018": 1}}, {"q": [f"{zeros}018", zeros + odd, f"{zeros}999"]},
           "odd-id", 1, (f"query q: {zeros}{odd}",))
          for zeros in ("000", "0" * 9) for odd in ("01:", "?18", "X18")),
        *((gold, {next(iter(gold)): ["398.20", "D19", "x"]}, "odd-id", 0, ()) for gold in (
            {LAW: {"Art. 96": 1}}, {"q": {"96": 1, "398-20": 1}}, {"q": {"D18": 1}}, {LAW: {}}
        )),
        ({"000018": {}, "000203": {}, "7": {"d": 1}, "0": {}}, {query: ["d"] for query in ("7", "203", "18", "5")},
         "lost-zeros", 2, ("query 18 for 000018", "query 203 for 000203")),
        (CASES, {"000018": ["000018", "072495"], "000203": ["004411", "000203"]}, "self-retrieved", 0, ()),
        (CASES, {query: [query, *judged] for query, judged in CASES.items()},
         "self-retrieved", 2, ("query 000018", "query 000203")),
        ({"R07-01-A": {"96": 1}, "R07-02-I": {"7": 1}, "R07-03-U": {"7": 1}},
         {"R07-1-A": ["96"], "R07-02-I": ["7"], "R0703U": ["7"], "R06-01-A": ["7"]},
         "other-spelling", 2, ("query R07-1-A for R07-01-A", "query R0703U for R07-03-U")),
    ],
)  # fmt: skip
def test_ids_that_are_written_otherwise_are_remarked_with_the_golds(gold, run, kind, n, examples):
    remarks, _ = diagnosed(gold, run)
    assert (remarks.count(kind), remarks.examples(kind)) == (n, examples)


def test_odd_ids_behind_the_first_block_are_remarked(tmp_path, monkeypatch):
    monkeypatch.setattr(columns, "BLOCK_SIZES", (64, 0))
    (tmp_path / "run.txt").write_text("".join(f"{n:06} {'E-13' if n == 35 else '000013'} T\n" for n in range(40)))
    scores = Evaluator({f"{n:06}": ["000013"] for n in range(40)}, task=1).evaluate(str(tmp_path / "run.txt"))
    assert "odd-id" in [remark.kind for remark in scores.remarks]


def test_zeros_that_are_lost_from_ids_of_several_lengths_are_added_where_that_makes_them_known():
    assert respelled_like(["18", "5", "7"], ["000018", "005", "20"]) == {"18": "000018"}


# a run of which nothing matches


@pytest.mark.parametrize(
    ("gold", "queries", "cause"),
    [
        (CASES, ["18", "203"], "… 6 …"),
        ({"18": {}, "203": {}}, ["000018"], "… --like …"),
        (CASES, ["000018.json"], "take the file name's ending off the ids"),
        (CASES, ["cases/000018", "cases/000203"], "take the folder off the ids"),
        (CASES, ["q-000018"], "take what stands before the number off the ids"),
        (QUESTIONS, ["r07-01-o"], "write the ids in upper case"),
        (QUESTIONS, ["R07\u201301\u2212O"], "… - …"),
        ({"R06-01-A": {}}, ["令和６年-1-ア"], "… --like …"),
        (CASES, ["['000018']"], "take the quotation marks, brackets or colons off the ids"),
        (QUESTIONS, ["R07-01-O:"], "… --like …"),
        ({"Ｒ07-01-O": {"96": 1}}, ["R07-01-O"], "… NFKC"),
        (QUESTIONS, ["R06-01-O", "R05-02-A"], "… R05, R06 … R07 …"),
        (QUESTIONS, ["R07-88-O"], "the questions are of the same year and have other numbers: …"),
        (QUESTIONS, ["000018"], "only one of the two has statute question ids (Tasks 3 to 5); …"),
        (CASES, ["555555"], "the ids look alike; …"),
        (CASES, ["555", "777"], "… 3 … 6 …"),
        ({"555": {"1": 1}}, ["000018"], "… 6 … 3 …"),
        (CASES, ["case X"], "the ids look different; …"),
    ],
)
def test_a_run_that_shares_no_query_is_refused_with_the_likely_cause(gold, queries, cause):
    error = mismatch(diagnosed, gold, {query: ["072495"] for query in queries}, refuse=True)
    assert begins(heard(error), "run.txt: [mismatch] (run: '")
    assert begins(heard(error.remedy), cause)


def test_a_refusal_shows_what_both_sides_look_like():
    run = {"a" * 99: ["x"], "b\x1b[31m": ["x"], "c": ["x"], "d": ["x"]}
    error = mismatch(diagnosed, {f"{n:06}": {} for n in range(1, 9)}, run, refuse=True)
    expected = f"(run: '{'a' * 23} … ', 'b\\x1b[31m', 'c', …; gold gold.json: '000001', '000002', '000003', …)"
    assert matches(clause(error), f"[mismatch] {expected}")


FEW = {"H18-1-1": {"572": 1}, "H18-1-2": {"566": 1}}
EXTRA = {f"H19-{n}-1": ["5"] for n in range(MANY)}


@pytest.mark.parametrize(
    ("gold", "run", "cause"),
    [
        *((CASES, dict.fromkeys(CASES, documents), f"{cause} …") for documents, cause in (
            (["72495"], "… 6 …"), (["999"], "write document ids as in the gold …"),
            (["072495.json"], "take the file name's ending off the ids"),
            (["398-2"], "write document ids as in the gold …"),
        )),
        *((FEW, run, "…") for documents in (["Article_572"], ["Art-9", "x"])
          for run in ({**EXTRA, **dict.fromkeys(FEW, documents)}, {**dict.fromkeys(FEW, documents), **EXTRA})),
        # the ids have one form, and leave nothing
        ({"001": {"018": 1, "1025": 1}}, {**{f"9{n}": ["1025"] for n in range(MANY)}, "001": ["18"]},
         "leading zeros are lost: write …"),
    ],
)  # fmt: skip
def test_a_run_whose_documents_have_another_form_is_refused_whatever_else_is_in_it(gold, run, cause):
    error = mismatch(diagnosed, gold, run, refuse=True)
    first = next(run[query] for query in gold)[0]
    golds = sorted({document for judged in gold.values() for document in judged})[:3]
    assert begins(clause(error), f"[mismatch] (run: '{first}'")
    assert f"gold gold.json: '{golds[0]}', '{golds[1]}'" in clause(error)
    assert matches(heard(error.remedy), cause)


@pytest.mark.parametrize(
    ("gold", "run"),
    [
        *((CASES, {"000018": one, "000203": two}) for one, two in ((["555555"],) * 2, (["55"], ["555555"]), ([], []))),
        *(({"000018": gold}, {"000018": [document]}) for gold, document in (
            ({}, "x"), ({"96": 1}, "709"),  # no zeros fill these ids up, so their length may differ
            ({"d1": 1}, "d10"), ({"CR93E-10279": 1}, "CR93E-1"),
        )),
        # one document of the gold's form, wherever it is
        *(({f"{n:06}": {"000018": 1} for n in range(MANY)},
           {f"{n:06}": ["x9", "555555" if n == at else "y"] for n in range(MANY)}) for at in (0, 30, MANY - 1)),
    ],
)  # fmt: skip
def test_ids_that_merely_miss_are_scored(gold, run):
    assert diagnosed(gold, run, refuse=True)[1] is False


def test_one_judged_document_is_enough_and_a_zero_is_scored_where_the_caller_says_so():
    assert diagnosed(CASES, {"18": ["x"], "000203": ["y", "004411"]}, refuse=True)[1] is True
    mismatch(diagnosed, CASES, {}, refuse=True)
    gold = {"001": ["013", "020"]}
    for run in ({"001": ["x"]}, {"002": ["013"]}, {"1": ["013"]}):
        mismatch(evaluate, gold, run, task=2)
        assert evaluate(gold, run, task=2, decisions=Decisions(no_overlap="zero")).measures["MicroF1"] == 0


@pytest.mark.parametrize("size", [1, 64, 1 << 18])
@pytest.mark.parametrize("jobs", [1, 3])
def test_the_refusal_is_the_same_in_blocks_and_parts(size, jobs, tmp_path, monkeypatch):
    monkeypatch.setattr(columns, "BLOCK_SIZES", (size, 0))
    run, lines = tmp_path / "run.txt", [f"{n:03} A{n} T\n" for n in range(40)]
    evaluator = Evaluator({f"{n:03}": ["013"] for n in range(40)}, task=2)
    for order in (lines, lines[::2] + lines[1::2], [lines[0], lines[1], lines[0].replace("A", "B"), *lines[2:]]):
        run.write_text("".join(order))
        assert "run: 'A0', 'A" in clause(mismatch(evaluator.evaluate, str(run), jobs=jobs))


# a run that hardly matches, and would if its ids were written as the gold's


def case_gold(chance):
    """Task 1: six digits; the queries are cases too."""
    cases = [f"{n:06}" for n in chance.sample(range(99_999), 400)]
    return {query: chance.sample(cases, chance.randint(1, 6)) for query in cases[:100]}


def paragraph_gold(chance):
    """Task 2: three digits, small numbers more often; some are 100 and more, of which no zero can be lost."""
    return {f"{n:03}": [f"{min(chance.randint(1, 130), chance.randint(1, 130)):03}"] for n in range(801, 911)}


def article_gold(chance):
    """Task 3."""
    articles = [*map(str, range(1, 400)), *(f"398-{n}" for n in range(2, 22))]
    names = [f"R07-{n:02}-{letter}" for n in range(1, 30) for letter in "AEIOU"]
    return {name: chance.sample(articles, chance.randint(1, 2)) for name in names[:100]}


GOLDS = {"1": case_gold, "2": paragraph_gold, "3": article_gold}


def good_run(gold, chance):
    """A run that is right of three queries in four."""
    pool = [document for judged in gold.values() for document in judged]
    return {
        query: [judged[0], chance.choice(pool)] if chance.random() < 0.75 else [chance.choice(pool)]
        for query, judged in gold.items()
    }


def written(run, gold, change, queries=str):
    """The run with its ids written otherwise; one query and document, which match, are not."""
    kept = next(query for query in run if run[query][0] in gold[query])
    others = {queries(query): list(dict.fromkeys(map(change, docs))) for query, docs in run.items() if query != kept}
    return {kept: [run[kept][0]], **others}


def scored(gold, run, task, **options):
    return evaluate(gold, run, task=task, edition=2025, **options).measures["MacroF2" if task == "3" else "MicroF1"]


#: how documents, and how queries, are written otherwise, by task
DOCUMENTS = {
    "zeros lost": ("1", lambda text: text.lstrip("0")),
    "zeros lost in part": ("2", lambda text: str(int(text))),
    "an ending": ("1", lambda text: f"{text}.json"),
    "a prefix to paragraphs": ("2", lambda text: f"p_{text}"),
    "formulas": ("1", lambda text: f'="{text}"'),
    "passages": ("1", lambda text: f"{text}_3"),
    "articles written out": ("3", lambda text: f"Article_{text}"),
}
QUERIES = {
    "no zeros": ("1", lambda text: text.lstrip("0")),
    "lower case": ("3", lambda text: text.lower()),
    "years": ("3", lambda text: text.replace("R07-", "R7-")),
}


@pytest.mark.parametrize(("changes", "name"), [(of, name) for of in (DOCUMENTS, QUERIES) for name in of])
def test_ids_that_are_written_otherwise_are_refused_though_one_matches(changes, name):
    task, change = changes[name]
    chance = random.Random(name)
    gold = GOLDS[task](chance)
    run = good_run(gold, chance)
    assert scored(gold, run, task) > 0.2
    bad = written(run, gold, change) if changes is DOCUMENTS else written(run, gold, str, change)
    assert "dtype=str" in str(mismatch(scored, gold, bad, task).remedy)  # of a run in memory, which no command reads
    assert scored(gold, bad, task, decisions=Decisions(no_overlap="zero")) >= 0


def test_labels_of_queries_that_are_written_otherwise_are_refused():
    gold = {f"R07-{n:02}-A": "Y" if n % 3 else "N" for n in range(1, 41)}
    mismatch(evaluate, gold, {"R07-11-A": "Y", **{f"R7-{n}-A": "Y" for n in range(1, 41) if n != 11}}, task="4")
    few = {query: label for query, label in gold.items() if query in ("R07-01-A", "R07-02-A")}
    others = {f"R06-{n:02}-A": "Y" for n in range(1, 41)}
    assert evaluate(gold, {**few, **others}, task="4").measures["Accuracy"] == 0.05


def test_questions_and_branches_of_articles_are_not_taken_for_passages():
    thirty = [f"R07-{n:02}-A" for n in range(1, 31)]
    for gold, run, task in (
        ({"R07-01-A": "Y", "R07-01-I": "N"}, {"R07-01-A_0": "Y", "R07-01-A_1": "Y", "R07-01-I_0": "N"}, "4"),
        ({query: ["96"] for query in thirty}, {query + "_0" * (n > 0): ["96"] for n, query in enumerate(thirty)}, "3"),
        ({"R07-01-A": ["424"], "R07-01-I": ["96"]}, {"R07-01-A": ["424-2"], "R07-01-I": ["96_3"]}, "3"),
    ):
        assert "--chunks" not in str(mismatch(evaluate, gold, run, task=task, edition=2025))


def test_the_command_that_writes_ids_as_the_gold_is_named(tmp_path, call):
    (tmp_path / "gold.json").write_text(json.dumps({LAW: ["398-20", "96"]}))
    (tmp_path / "run.txt").write_text(f"{LAW} 0398-20 T\n{LAW} 96 T\n")
    _, err = done(call, "evaluate", tmp_path / "gold.json", tmp_path / "run.txt")
    assert "[odd-id]" in err and "convert RUN OUT --like GOLD" in err
    mended, _ = done(call, "convert", tmp_path / "run.txt", "-", "--to", "columns", "--like", tmp_path / "gold.json")
    assert mended.splitlines() == [f"{LAW} 398-20 T", f"{LAW} 96 T"]


def test_a_few_ids_that_chance_makes_known_are_no_reason_to_rewrite_a_run():
    chance = random.Random(3)
    of_cases, of_paragraphs = case_gold(chance), {f"{n:03}": ["001"] for n in range(1, 101)}
    run = {f"{n:06}": chance.sample([*of_cases], 5) for n in range(0, 1000, 7)}  # fourteen are also paragraphs' queries
    for gold, other, task in ((of_paragraphs, run, "2"), (run, of_paragraphs | {"999": ["2"]}, "1")):
        assert "dtype=str" not in str(mismatch(scored, gold, other, task))
    # a run of many other queries, in which these are right
    whole = {f"{int(query)}": documents for query, documents in {**of_cases, **run}.items()}
    assert "dtype=str" in str(mismatch(scored, {query: of_cases[query] for query in [*of_cases][:40]}, whole, "1"))


@pytest.mark.parametrize("later", [0, 500_000])
def test_a_run_whose_columns_are_swapped_is_asked_about(later):
    chance = random.Random(1)
    gold = {f"{n:06}": [f"{chance.randrange(1000):06}" for _ in range(4)] for n in range(300_000, 300_040)}
    swapped = {one: [f"{int(query) + later}"] for query, documents in gold.items() for one in documents}
    assert ("swapped" in str(mismatch(scored, gold, swapped, "1").remedy)) == (later == 0)
    gold, swapped = case_gold(chance), {}  # whose queries are cases too
    for query, documents in good_run(gold, chance).items():
        for document in documents:
            swapped.setdefault(document, []).append(query)
    mismatch(scored, gold, swapped, "1")


def test_in_every_function():
    chance = random.Random(1)
    gold = paragraph_gold(chance)
    run = good_run(gold, chance)
    bad = written(run, gold, lambda text: str(int(text)))
    scored = {query: {one: -float(i) for i, one in enumerate(documents)} for query, documents in bad.items()}
    mismatch(evaluate_all, gold, {"good": run, "bad": bad}, task="2")
    mismatch(tune, gold, scored, task="2")
    mismatch(fit_fusion, gold, run, scored, task="2")


@settings(deadline=None, max_examples=60)
@given(
    st.sampled_from(sorted(GOLDS)),
    st.integers(0, 1 << 32),
    st.sampled_from([1, 3, 20]),
    st.integers(1, 6),
    st.booleans(),
)
def test_a_weak_run_in_honest_ids_is_never_refused(task, seed, length, hits, extra):
    chance = random.Random(seed)
    gold = GOLDS[task](chance)
    other = GOLDS[task](chance)  # another collection in the same form, and other tasks' ids among them
    pool = [one for judged in (*gold.values(), *other.values()) for one in judged]
    if chance.random() < 0.3:
        pool += [one for of in GOLDS.values() for judged in of(chance).values() for one in judged]
    run = {query: chance.choices(pool, k=length) for query in gold}
    for query in chance.sample(sorted(gold), hits):
        run[query][0] = gold[query][0]
    run = {query: list(dict.fromkeys(documents)) for query, documents in run.items()}
    scored(gold, {**other, **run} if extra else run, task)


SOME = st.sampled_from(["000018", "000203", "000099", "123456", "18", "x9", "0000018"])
RUNS = st.fixed_dictionaries(dict.fromkeys(["000001", "000002"], st.lists(SOME, min_size=1, unique=True)))


@given(st.lists(RUNS, min_size=1, max_size=4))
def test_of_runs_that_are_undoubted_nothing_is_said(runs):
    qrels = Qrels({"000001": {"000018": 1, "000203": 1}, "000002": {"000018": 1}})
    runs = [*runs, {"000001": ["000018", "000203"], "000002": ["000018"]}]
    judged = [judge(qrels, Run.of(run)) for run in runs]
    documents = [document for run in runs for query in run for document in run[query]]
    starts = np.cumsum([0, *(len(run["000001"] + run["000002"]) for run in runs)])
    undoubted = are_undoubted(qrels, Ids.of(documents), starts, np.array([one.rank for one in judged]))
    assert undoubted[-1]
    for run, one, is_undoubted in zip(runs, judged, undoubted.tolist(), strict=True):
        if is_undoubted:
            assert not diagnose(one, Run.of(run), "gold.json")


PIECES = [
    *("0", "00", "1", "12", "O", "l", "a", "A", "H", "R", "H30", "R02", "R2", "-", "_", ".", "/", "\\", ".txt", ".0"),
    *("Article", "article_", "art.", "(1)", ",", "=", "'", "[", "]", " ", "の", "第", "条", "百", "e\u0301", "é"),
    *("－", "１", "\u200b", "–", "\n", "CR", "d", "+"),
]
ids = st.lists(st.sampled_from(PIECES), min_size=1, max_size=5).map("".join)


@given(ids, st.sampled_from(["", *PIECES]), st.sampled_from(["", *PIECES]), st.lists(ids, max_size=3))
@settings(max_examples=400, deadline=None)
def test_what_is_asked_of_all_ids_at_once_holds_for_each(text, before, behind, others):
    """Most changes are passed over, since no id has what they need; one that makes an id known never is."""
    for known in ({text, *others}, {text.upper()}, {text.zfill(6)}, {text.lstrip("0")}, {text.replace("_", "-"), "0"}):
        for changed in {before + text + behind, before + text, text + behind, text} - known:
            meant = respelled(changed, known, max(map(len, known)), "gold")
            found = respelled_like([changed], known)
            assert bool(found) == (meant is not None)
            assert set(found.values()) <= known


# ids in the languages of the field: what differs only in Unicode form is reported

alike = st.text("a1１é" + "e\u0301カｶ\u200b\u00a0", min_size=1, max_size=3)


@given(
    st.dictionaries(st.sampled_from(["q", "r"]), st.dictionaries(alike, st.just(1), max_size=4), min_size=1),
    st.dictionaries(st.sampled_from(["q", "r", "s"]), st.lists(alike, unique=True, max_size=4)),
)
def test_what_differs_only_in_form_is_found_and_matches_nothing(gold, run):
    held = Run.of(run)
    judged = judge(Qrels(gold), held)
    expected = 0
    for query, documents in run.items():
        missed = {nfkc_folded(text): text for text in gold.get(query, {}) if text not in documents}
        others = [document for document in documents if document not in gold.get(query, {})]
        expected += sum(nfkc_folded(document) in missed for document in others)
    assert diagnose(judged, held, "gold", refuse=False).count("other-form") == expected
    correct = sum(document in gold.get(query, {}) for query, documents in run.items() for document in documents)
    assert judged.correct().sum() == correct


def test_ids_in_another_form_are_reported_beside_the_score_and_refused_where_nothing_else_is(here, call):
    gold = {"q1": {"Điều5": 1, "第5条": 1, "x": 1}, "q2": {"क\u093cानून": 1}, "質問4": {"z": 1}, "q5": {"y": 1}}
    run = {"q1": [normalize("NFD", "Điều5"), "第５条", "x"], "q2": ["\u0958ानून"], "質問４": ["z"], "q5": ["\u200by"]}
    scores = evaluate(gold, run, task="trec", measures=["R@10"])
    (remark,) = (text for text in scores.remarks if text.kind == "other-form")
    assert heard(remark).startswith("5 ")
    assert scores.measures["R@10"] == pytest.approx((1 / 3 + 0 + 0 + 0) / 4)
    for query, shown in (("質問４", "質問４ for 質問4"), ("q5", "\\u200by for y")):
        with refusing(MismatchError, f"…{shown}…"):
            evaluate(gold, {query: run[query]}, task="trec")
    asked = [{"question_id": "Câu1", "relevant_articles": [{"law_id": "Luật", "article_id": "5"}]}]
    Path("gold.json").write_text(json.dumps(asked), encoding="utf-8")
    Path("run.json").write_text(json.dumps(asked).replace("C\\u00e2u1", "Ca\\u0302u1"), encoding="utf-8")
    found = json.loads(call("validate", "run.json", "--protocol", "alqac", "--gold", "gold.json", "-f", "json")[1])
    (unknown,) = [one for one in found["findings"] if one["rule"] == "query-unknown"]
    assert "NFC" in unknown["remedy"] and "Câu1" in unknown["remedy"]
