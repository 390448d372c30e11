import json
import random
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
from asserting import begins, heard, matches, mentions, refusing
from example_runs import EXAMPLES

from coliee_adapters.errors import InputError, UsageError
from coliee_adapters.records import Answers, Gold, Run
from coliee_ir import Decisions, Evaluator, evaluate, evaluate_all
from coliee_ir.rules.protocol import NEWEST

GOLD = {"001": ["013", "020"], "002": ["007"], "003": ["001", "002", "003"]}
RUN = {"001": ["013", "018"], "003": ["001", "002"], "999": ["001"]}

STATUTE = Gold(
    {"R07-01-O": {"96": 1}, "R07-02-O": {"7": 1, "398-2": 1}, "R07-03-O": {}},
    {"R07-01-O": True, "R07-02-O": False, "R07-03-O": True},
    path="gold.xml",
    format="statute-xml",
)


def test_values_stand_under_the_names_of_their_measures_beside_counts_and_remarks():
    gold, run = {"q1": {"a": 1, "b": 1}, "q2": {"a": 1}, "q3": {}}, {"q1": ["a", "x"], "q9": ["a"]}
    scores = evaluate(gold, run, task="1", measures=["MicroF1", "MacroR", "map"])
    assert scores.measures == {"MicroF1": 2 / (2 + 3), "MacroR": 0.25, "map": 0.25}
    assert scores.counts == {"correct": 1, "retrieved": 2, "relevant": 3}
    assert scores.queries == {"judged": 3, "answered": 1, "unanswered": 2, "extra": 1}
    assert matches(heard(scores.header()), "3 queries: 1 answered, 2 unanswered")
    half = {"MicroF1": 0.5, "MacroR": 0.5, "map": 0.5}
    assert scores.per_query == {"q1": half, "q2": dict.fromkeys(half, 0.0), "q3": {"MicroF1": 0.0}}
    assert scores.to_dict()["remark_kinds"] == [remark.kind for remark in scores.remarks]
    assert len(scores.remarks) == 4


def test_excluded_queries_are_neither_scored_nor_remarked():
    scores = evaluate(GOLD, RUN, task="2", edition=2026, exclude=["003.txt", "002"])
    assert scores.query_ids == ("001",)
    assert scores.measures == {"MicroF1": 0.5, "MicroP": 0.5, "MicroR": 0.5}
    assert scores.queries == {"judged": 1, "answered": 1, "unanswered": 0, "extra": 1}
    assert matches(heard(list(scores.remarks)), ["[extra-query] ignored 1 … (first: 999)"])
    gold = {"001": ["013"], "002": ["003"], "003.txt": ["x"], "004": ["y"]}
    assert Evaluator(gold, task="2", exclude="001,002.txt 003").queries == ("004",)
    for exclude, said in (
        ("no_such_file.txt", "[unknown-query] 1 id … exclude … <memory> … no_such_file.txt …"),
        (list(GOLD), "[no-query] <memory> …"),
    ):
        with refusing(UsageError, said):
            Evaluator(GOLD, task="2", exclude=exclude)


# parts of a submission
ARTICLES = {"R07-01-O": ["96"], "R07-02-O": ["7"]}
ANSWERS = {"R07-01-O": "Y", "R07-03-O": "Y"}
LABELS = {"R07-01-O": "Y"}


@pytest.mark.parametrize(("choice", "accuracy"), [("sufficient", 2 / 3), ("wrong", 1 / 3), ("skip", 1 / 2)])
def test_task_3_of_2026_counts_what_is_answered_in_part_and_says_so(choice, accuracy):
    """The second question has articles and no label; the third names no article, so that its label may be enough."""
    decisions = Decisions(without_articles=choice)
    scores = evaluate(STATUTE, ARTICLES, answers=ANSWERS, edition=2026, decisions=decisions)
    assert scores.measures == pytest.approx(
        {"Accuracy": accuracy, "LabelAccuracy": 2 / 3, "MacroF2": (1 + 5 / 9) / 2, "MacroP": 1.0, "MacroR": 0.75}
    )
    assert scores.per_query["R07-03-O"].get("Accuracy") == {"sufficient": 1.0, "wrong": 0.0}.get(choice)
    assert (scores.task, evaluate(STATUTE, ARTICLES, answers=ANSWERS).edition) == ("3", NEWEST)
    assert scores.queries == {"judged": 3, "answered": 2, "unanswered": 1, "extra": 0}
    assert matches(
        heard(list(scores.remarks)), ["[empty-gold] 1 … (first: R07-03-O)", "[partial-answers] 1 … (first: R07-02-O)"]
    )


def test_what_task_3_of_2026_has_no_articles_or_no_answers_for_is_said():
    scores = evaluate(STATUTE, {"R07-01-O": ["96"]}, answers=LABELS)
    assert mentions(heard(scores.remarks), "[unanswered-query] 2 … score 0 … (first: R07-02-O; R07-03-O)")
    scores = evaluate(STATUTE, Run.of(ARTICLES, tag="A"), answers=Answers({"R07-01-O": True}, tag="B"))
    assert mentions(heard(scores.remarks), "[other-tag] …: B …")
    scores = evaluate(STATUTE, ARTICLES, edition=2026)
    assert list(scores.measures) == ["MacroF2", "MacroP", "MacroR"]
    assert matches(heard(scores.remarks[-1]), "[left-out] Accuracy and LabelAccuracy … 2025 … MacroF2 … 2025 …")


def test_the_long_list_has_remarks_of_its_own():
    gold = Gold({f"R05-{n}-A": {"1": 1} for n in range(1, 4)}, format="statute-xml")
    run = {f"R05-{n}-A": ["1"] for n in range(1, 4)}
    long = {"R05-1-A": {"1": 0.5, "2": 0.5}, "R05-2-A": {"7": 1.0, "1": 0.5}, "R06-1-A": {"1": 1.0}}
    scores = evaluate(gold, run, task="3", edition=2025, long_list=long)
    assert scores.measures["AP"] == pytest.approx((1 / 2 + 1 / 2 + 0) / 3)
    assert scores.measures["MicroR@5"] == pytest.approx(2 / 3)
    assert scores.queries["extra"] == 0
    assert matches(
        heard([remark for remark in scores.remarks if remark.kind != "gold-itself"]),
        [
            "…: [extra-query] ignored 1 … (first: R06-1-A)",
            "…: [unanswered-query] 1 … scores 0 … (first: R05-3-A)",
            "…: [tie] 1 … (first: query R05-1-A)",
            "[order-of-ties] AP 0.3333 to 0.5000, Rprec 0.0000 to 0.3333",
        ],
    )


OF_TASK_1 = Gold({"001": {"013": 1}}, task="1", path="g.xml", format="xml")
UNFIT = [
    (STATUTE, LABELS, {"task": "4", "answers": ANSWERS}, "[unfit-option] 4 …"),
    (STATUTE, ARTICLES, {"task": "3", "edition": 2026, "long_list": ARTICLES}, "[unfit-option] task 3 of 2026 …"),
    (GOLD, RUN, {"task": "5"}, "[wrong-part] <memory> … 5 …"),
    (Gold(STATUTE.qrels, path="g.xml"), ARTICLES, {"task": "3", "answers": ANSWERS}, "[wrong-part] g.xml …"),
    (STATUTE, ARTICLES, {"task": "3", "answers": ARTICLES}, "[wrong-part]; task 3 expects … here"),
    (STATUTE, ARTICLES, {"measures": ["Accuracy"]}, "Accuracy needs [unfit-measure]"),
    (STATUTE, LABELS, {"task": "4", "measures": ["MicroF1"]}, "[unfit-measure] MicroF1 … documents … 4 …"),
    # a gold of another task
    (OF_TASK_1, RUN, {"task": "2"}, "[wrong-task] g.xml … 1 … 2 …"),
    (EXAMPLES / "tort/gold.jsonl", RUN, {"task": "4"}, "[wrong-task] gold.jsonl … 4 …"),
]


@pytest.mark.parametrize(("gold", "run", "rules", "said"), UNFIT)
def test_what_does_not_fit_is_refused_with_what_would(gold, run, rules, said):
    with refusing((UsageError, InputError), said):
        evaluate(gold, run, **rules)


TWO, ONE = {"001": ["013"], "002": ["003"]}, {"001": ["013"], "002": []}
GRADED = {"001": {"013": 1}, "002": {"013": 0}, "003": {}}
EACH = {query: ["013"] for query in GRADED}
EXTRA = "[extra-query] ignored 1 … (first: 999)"
SKIP = {"unanswered": "skip"}
TOLERATED = [
    (GOLD, RUN, {}, [EXTRA, "[unanswered-query] 1 … scores 0 … (first: 002)"]),
    (GOLD, RUN, {"decisions": SKIP, "measures": ["MicroF1", "MacroF1"]},
     [EXTRA, "[unanswered-query] 1 …; in MicroF1 … (first: 002)"]),
    (ONE, TWO, {}, ["[empty-gold] 1 … (first: 002)"]),
    (TWO, ONE, {}, ["[nothing-retrieved] 1 … scores 0 … (first: 002)"]),
    ({"001": ["013"]}, {"001": ["013", "013", "020", "020"]}, {},
     ["[duplicate] 2 … are ignored … (first: query 001: 013; query 001: 020)"]),
    ({"001": ["013", "014"], "002": ["003"], "010": ["013"]}, {"001": ["13", "014"], "2": ["003"], "010": ["013"]}, {},
     ["[lost-zeros] 2 … (first: query 001: 13 for 013; query 2 for 002)", "[extra-query] ignored 1 … (first: 2)",
      "[unanswered-query] 1 … scores 0 … (first: 002)"]),
    (GRADED, {"001": {"013": 1.0, "014": 1.0}, "002": {"013": 1.0}, "003": {"013": 1.0}}, {"measures": ["MacroP@5"]},
     ["[empty-gold] 2 … (first: 002; 003)", "[tie] 1 … (first: query 001)"]),
    (GRADED, EACH, {"measures": ["map"]}, ["[judged-only] 1 … (first: 002)", "… 003 …"]),
]  # fmt: skip


@pytest.mark.parametrize(("gold", "run", "options", "remarks"), TOLERATED)
def test_what_was_tolerated_is_said(gold, run, options, remarks):
    found = evaluate(gold, run, task="2", **options).remarks
    # many of these runs are perfect
    assert matches(heard([remark for remark in found if remark.kind != "gold-itself"]), remarks)


def test_instances_with_undefined_f1_are_named_with_the_rule():
    gold = Gold({"0": {"p0": 1}, "1": {"p0": 0}, "2": {"p0": 0}, "3": {"p0": 1}}, format="tort")
    run = Run.of({"0": ["p0"], "1": [], "2": ["p0"], "3": []})
    for undefined, said in (("zero", "counts 0 (--decision"), ("one", "counts 1 (--decision"), ("skip", "left out")):
        scores = evaluate(gold, run, task="rationale", decisions=Decisions(undefined=undefined))
        pooled, plaintiff, defendant = scores.remarks
        assert begins(heard(pooled), "[undefined-f1] 1 …") and pooled.endswith("(first: 1)")
        assert plaintiff == f"plaintiff: {pooled}"
        assert begins(heard(defendant), "defendant: [undefined-f1] 4 …") and defendant.endswith("(first: 0; 1; 2)")
        assert all(said in heard(remark) for remark in scores.remarks)


def test_an_evaluator_tells_remarks_of_the_gold_with_each_run_and_scores_by_its_own_rules(here):
    (here / "gold.json").write_text('{"001": ["013", "013"]}')
    evaluator = Evaluator("gold.json")
    for _ in range(2):
        kinds = [remark.kind for remark in evaluator.evaluate({"001": ["013"]}).remarks]
        assert kinds == ["gold-duplicate", "gold-itself"]
    evaluator = Evaluator(GOLD, "MicroP", task="2")
    scored = evaluate_all(evaluator, {"one": RUN})
    assert scored["one"].measures == {"MicroP": 0.75}
    with refusing(UsageError, "[option-conflict]"):
        evaluate_all(evaluator, [RUN], task="1")


RANKED = {"q": {"a": 2, "b": 0, "c": 1}}
#: task, gold, run, and whether the run is what the gold says, which is asked about; a ranking's scores are relevances
PERFECT = [
    ("2", {"001": ["013"], "002": ["007", "009"]}, {"001": ["013"], "002": ["009", "007"]}, True),
    ("2", {"001": ["013"], "002": ["007", "009"]}, {"001": ["013"], "002": ["009"]}, False),
    ("2", TWO, {**TWO, "003": ["001"]}, True),
    ("4", {"q1": "Y", "q2": "N"}, {"q1": "Y", "q2": "N"}, True),
    ("trec", RANKED, {"q": {"a": 2.0, "b": 1.5, "c": 1.0}}, False),
]


def test_a_run_or_a_part_of_one_that_equals_the_gold_and_files_that_were_swapped_are_asked_about():
    for task, gold, run, is_asked in PERFECT:
        assert ("gold-itself" in {remark.kind for remark in evaluate(gold, run, task=task).remarks}) == is_asked
    gold = Gold({f"R06-0{n}-O": {f"{95 + n}": 1} for n in (1, 2, 3)}, {"R06-01-O": True, "R06-02-O": False})
    wrong, right = {"R06-01-O": ["95"], "R06-02-O": ["97"]}, {"R06-01-O": "Y", "R06-02-O": "N", "R06-03-O": "N"}
    for options in ({"answers": right}, {}):
        kinds = {one.kind for one in evaluate(gold, wrong, task="3", **options).remarks}
        assert ("gold-itself" in kinds) == bool(options)
    graded, run = {"q": {"a": 1, "b": 0}}, {"q": {"a": 3.0, "c": 1.0}}
    for pair, is_swapped in (((run, graded), True), ((graded, run), False)):
        assert ("swapped" in {one.kind for one in evaluate(*pair, measures="AP", task="trec").remarks}) == is_swapped


def test_threads_that_share_an_evaluator_do_not_change_each_others_scores():
    rng, before, names = random.Random(8), sys.getswitchinterval(), [f"{n:03}" for n in range(60)]
    gold = {query: rng.sample(names, 5) for query in names[:15]}
    runs = [{query: {document: rng.random() for document in rng.sample(names, 20)} for query in rng.sample([*gold], 12)}
            for _ in range(8)]  # fmt: skip
    runs[::2] = map(Run.of, runs[::2])
    measures, begin = ["MicroF1@3", "nDCG@4", "AP"], threading.Barrier(8)
    alone = [Evaluator(gold, measures, task="2").evaluate(run) for run in runs]

    def together(shared, run):
        begin.wait()
        return [shared.evaluate(run) for _ in range(3)]

    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as threads:
            for _ in range(20):  # an evaluator of which nothing is known yet
                shared = Evaluator(gold, measures, task="2")
                for expected, scored in zip(alone, threads.map(partial(together, shared), runs), strict=True):
                    found = [(scores.per_query, scores.remarks) for scores in scored]
                    assert found == [(expected.per_query, expected.remarks)] * 3
    finally:
        sys.setswitchinterval(before)


def test_claims_that_only_the_run_or_only_the_gold_names_are_said(here):
    def write(name, *claims):
        entries = [{"id": claim, "is_accepted": accepted} for claim, accepted in claims]
        case = {"tort_id": "0", "plaintiff_claims": entries, "defendant_claims": [], "court_decision": True}
        (here / name).write_text(json.dumps(case) + "\n")
        return name

    gold = write("gold.jsonl", ("0", True), ("1", False))
    unknown, missing = "[unknown-claim] 1 … (first: instance 0)", "[missing-claim] 1 … (first: instance 0: p1)"
    for claims, said in (
        ([("1", True)], []),
        ([("9", True)], [unknown, missing]),
        ([("9", False)], [missing]),
    ):
        run = write("run.jsonl", ("0", True), *claims)
        remarks = heard(evaluate(gold, run, task="rationale").remarks)
        assert [remark for remark in (unknown, missing) if mentions(remarks, remark)] == said
