"""A run that hardly matches, and would if its ids were written as the gold's, is refused; no other is."""

import json
import random

import pytest
from asserting import done, failing, heard
from hypothesis import given, settings
from hypothesis import strategies as st

from coliee_adapters.errors import MismatchError
from coliee_ir import Decisions, evaluate, evaluate_all, fit_fusion, tune
from coliee_ir.judging.mismatch import respelled, respelled_like


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


def scored(gold, run, task):
    return evaluate(gold, run, task=task, edition=2025).measures["MacroF2" if task == "3" else "MicroF1"]


#: how documents are written otherwise, by task
CHANGES = {
    "zeros lost": ("1", lambda text: text.lstrip("0")),
    "zeros lost in part": ("2", lambda text: str(int(text))),
    "more zeros": ("1", lambda text: f"00{text}"),
    "an ending": ("1", lambda text: f"{text}.json"),
    "a folder": ("1", lambda text: f"cases/{text}"),
    "a prefix": ("1", lambda text: f"case-{text}"),
    "a prefix to paragraphs": ("2", lambda text: f"p_{text}"),
    "full-width digits": ("1", lambda text: text.translate({48 + n: 0xFF10 + n for n in range(10)})),
    "decimals": ("1", lambda text: f"{int(text)}.0"),
    "formulas": ("1", lambda text: f'="{text}"'),
    "passages": ("1", lambda text: f"{text}_3"),
    "articles written out": ("3", lambda text: f"Article_{text}"),
    "articles shortened": ("3", lambda text: f"Art.{text}"),
}  # fmt: skip


@pytest.mark.parametrize("name", CHANGES)
def test_ids_that_are_written_otherwise_are_refused_though_one_matches(name):
    task, change = CHANGES[name]
    chance = random.Random(name)
    gold = GOLDS[task](chance)
    run = good_run(gold, chance)
    assert scored(gold, run, task) > 0.2
    with pytest.raises(MismatchError) as refused:
        scored(gold, written(run, gold, change), task)
    assert "--like" in str(refused.value.remedy)
    decided = Decisions(no_overlap="zero")
    assert evaluate(gold, written(run, gold, change), task=task, edition=2025, decisions=decided).measures


@pytest.mark.parametrize(
    ("task", "change"),
    [
        ("1", lambda text: text.lstrip("0")),
        ("1", lambda text: f"{text}.xml"),
        ("2", lambda text: f"q_{text}"),
        ("3", lambda text: text.lower()),
        ("3", lambda text: text.replace("R07-", "R7-")),
        ("3", lambda text: text.replace("-", "_")),
    ],
)
def test_queries_that_are_written_otherwise_are_refused_though_one_is_known(task, change):
    chance = random.Random(task)
    gold = GOLDS[task](chance)
    with pytest.raises(MismatchError):
        scored(gold, written(good_run(gold, chance), gold, str, change), task)


def test_labels_of_queries_that_are_written_otherwise_are_refused():
    gold = {f"R07-{n:02}-A": "Y" if n % 3 else "N" for n in range(1, 41)}
    assert evaluate(gold, gold, task="4").measures["Accuracy"] == 1
    with pytest.raises(MismatchError):
        evaluate(gold, {"R07-11-A": "Y", **{f"R7-{n}-A": "Y" for n in range(1, 41) if n != 11}}, task="4")
    few = {query: label for query, label in gold.items() if query in ("R07-01-A", "R07-02-A")}
    assert (
        evaluate(gold, {**few, **{f"R06-{n:02}-A": "Y" for n in range(1, 41)}}, task="4").measures["Accuracy"] == 0.05
    )


def test_swapped_columns_are_refused():
    chance = random.Random(0)
    gold = case_gold(chance)
    swapped = {}
    for query, documents in good_run(gold, chance).items():
        for document in documents:
            swapped.setdefault(document, []).append(query)
    with pytest.raises(MismatchError) as refused:
        scored(gold, swapped, "1")
    assert "mismatch" in heard(refused.value)


def test_in_every_function_and_a_copy_in_the_golds_ids_is_scored(tmp_path, call):
    chance = random.Random(1)
    gold = paragraph_gold(chance)
    run = good_run(gold, chance)
    bad = written(run, gold, lambda text: str(int(text)))
    for function in (
        lambda: evaluate_all(gold, {"good": run, "bad": bad}, task="2"),
        lambda: tune(gold, {query: dict.fromkeys(docs, 1.0) for query, docs in bad.items()}, task="2"),
        lambda: fit_fusion(gold, _ranked(run), _ranked(bad), task="2"),
    ):
        with pytest.raises(MismatchError):
            function()
    (tmp_path / "gold.json").write_text(json.dumps(gold))
    (tmp_path / "bad.txt").write_text("".join(f"{query} {one} bad\n" for query, docs in bad.items() for one in docs))
    assert "[mismatch]" in failing(call, "evaluate", tmp_path / "gold.json", tmp_path / "bad.txt", "--task", "2")
    done(call, "convert", tmp_path / "bad.txt", tmp_path / "mended.txt", "--like", tmp_path / "gold.json")
    done(call, "evaluate", tmp_path / "gold.json", tmp_path / "mended.txt", "--task", "2")


def _ranked(run):
    return {query: {one: 1 / (at + 1) for at, one in enumerate(docs)} for query, docs in run.items()}


@settings(deadline=None, max_examples=60)
@given(
    task=st.sampled_from(sorted(GOLDS)),
    seed=st.integers(0, 1 << 32),
    length=st.sampled_from([1, 3, 20]),
    hits=st.integers(1, 6),
    extra=st.booleans(),
)
def test_a_weak_run_in_honest_ids_is_never_refused(task, seed, length, hits, extra):
    chance = random.Random(seed)
    gold = GOLDS[task](chance)
    other = GOLDS[task](chance)  # another collection in the same form, and other tasks' ids among them
    pool = [one for judged in (*gold.values(), *other.values()) for one in judged]
    if chance.random() < 0.3:
        pool += [one for of in GOLDS.values() for judged in of(chance).values() for one in judged]
    run = {query: list(dict.fromkeys(chance.choices(pool, k=length))) for query in gold}
    for query in chance.sample(sorted(gold), hits):
        run[query][0] = gold[query][0]
    run = {query: list(dict.fromkeys(documents)) for query, documents in run.items()}
    if extra:
        run |= {query: judged for query, judged in other.items() if query not in run}
    scored(gold, run, task)


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_a_few_matches_that_chance_may_give_are_no_reason(n):
    gold = {f"{at:03}": ["013", f"{at + 500}"] for at in range(100)}
    run = {query: ["13"] if at < n else ["999"] for at, query in enumerate(gold)} | {"050": ["550"]}
    assert scored(gold, run, "2") > 0


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
