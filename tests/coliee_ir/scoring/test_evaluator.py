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
from coliee_ir import Decisions, Evaluator, convert, evaluate, evaluate_all
from coliee_ir.rules.protocol import NEWEST

GOLD = {"001": ["013", "020"], "002": ["007"], "003": ["001", "002", "003"]}
RUN = {"001": ["013", "018"], "003": ["001", "002"], "999": ["001"]}

STATUTE = Gold(
    {"R07-01-O": {"96": 1}, "R07-02-O": {"7": 1, "398-2": 1}, "R07-03-O": {}},
    {"R07-01-O": True, "R07-02-O": False, "R07-03-O": True},
    path="gold.xml",
    format="statute-xml",
)


def test_excluded_queries_are_neither_scored_nor_remarked():
    scores = evaluate(GOLD, RUN, task="2", edition=2026, exclude=["003.txt", "002"])
    assert scores.query_ids == ("001",)
    assert scores.measures == {"MicroF1": 0.5, "MicroP": 0.5, "MicroR": 0.5}
    assert scores.queries == {"judged": 1, "answered": 1, "unanswered": 0, "extra": 1}
    assert matches(heard(list(scores.remarks)), ["[extra-query] ignored 1 … (first: 999)"])
    gold = {"001": ["013"], "002": ["003"], "003.txt": ["x"], "004": ["y"]}
    assert Evaluator(gold, task="2", exclude="001,002.txt 003").queries == ("004",)
    assert Evaluator({"a.txt": {"d": 1}, "b": {"d": 1}}, task="trec", exclude=["a.txt"]).queries == ("b",)


@pytest.mark.parametrize(
    ("exclude", "said"),
    [
        ("no_such_file.txt", "[unknown-query] 1 id … exclude … <memory> … no_such_file.txt …"),
        (["001", "5", "004", "7", "6"], "[unknown-query] 4 ids … exclude … <memory> … 004, 5, 6 …"),
        (list(GOLD), "[no-query] <memory> …"),
    ],
)
def test_only_queries_of_the_gold_are_excluded_and_not_all(exclude, said):
    with refusing(UsageError, said):
        Evaluator(GOLD, task="2", exclude=exclude)


# parts of a submission

ARTICLES = {"R07-01-O": ["96"], "R07-02-O": ["7"]}
ANSWERS = {"R07-01-O": "Y", "R07-03-O": "Y"}


def test_task_3_of_2026_counts_what_is_answered_in_part_and_says_so():
    assert evaluate(STATUTE, ARTICLES, answers=ANSWERS).edition == NEWEST
    scores = evaluate(STATUTE, ARTICLES, answers=ANSWERS, edition=2026)
    assert scores.task == "3"
    # the third question names no article, so that its label is enough; the second has articles and no label
    assert scores.measures == {
        "Accuracy": 2 / 3,
        "LabelAccuracy": 2 / 3,
        "MacroF2": pytest.approx((1 + 5 / 9) / 2),
        "MacroP": 1.0,
        "MacroR": 0.75,
    }
    assert scores.queries == {"judged": 3, "answered": 2, "unanswered": 1, "extra": 0}
    assert matches(
        heard(list(scores.remarks)), ["[empty-gold] 1 … (first: R07-03-O)", "[partial-answers] 1 … (first: R07-02-O)"]
    )


def test_a_question_with_neither_articles_nor_a_label_is_unanswered():
    scores = evaluate(STATUTE, {"R07-01-O": ["96"]}, answers={"R07-01-O": "Y"})
    assert mentions(heard(scores.remarks), "[unanswered-query] 2 … score 0 … (first: R07-02-O; R07-03-O)")
    assert not any("only an answer" in remark for remark in scores.remarks)
    scores = evaluate(STATUTE, Run.of(ARTICLES, tag="A"), answers=Answers({"R07-01-O": True}, tag="B"))
    assert mentions(heard(scores.remarks), "[other-tag] …: B …")


@pytest.mark.parametrize(("choice", "accuracy"), [("sufficient", 2 / 3), ("wrong", 1 / 3), ("skip", 1 / 2)])
def test_a_question_without_gold_articles_counts_as_decided(choice, accuracy):
    decisions = Decisions(without_articles=choice)
    scores = evaluate(STATUTE, ARTICLES, answers=ANSWERS, edition=2026, decisions=decisions)
    assert scores.measures["Accuracy"] == accuracy
    assert scores.measures["LabelAccuracy"] == 2 / 3
    assert scores.per_query["R07-03-O"].get("Accuracy") == {"sufficient": 1.0, "wrong": 0.0}.get(choice)


def test_task_3_of_2026_without_answers_is_scored_by_what_is_there():
    scores = evaluate(STATUTE, ARTICLES, edition=2026)
    assert list(scores.measures) == ["MacroF2", "MacroP", "MacroR"]
    assert matches(heard(scores.remarks[-1]), "[left-out] Accuracy and LabelAccuracy … 2025 … MacroF2 … 2025 …")
    unlabelled = evaluate(Gold(STATUTE.qrels, path="gold.xml", format="statute-xml"), ARTICLES, edition=2026)
    assert begins(heard(unlabelled.remarks[-1]), "[left-out] Accuracy and LabelAccuracy … 2025 …")


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


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: evaluate(STATUTE, {"R07-01-O": "Y"}, task="4", answers=ANSWERS), "[unfit-option] 4 …"),
        (lambda: evaluate(STATUTE, ARTICLES, task="3", edition=2025, answers=ANSWERS),
         "[unfit-option] task 3 of 2025 …"),
        (lambda: evaluate(GOLD, RUN, task="1", answers=ANSWERS), f"[unfit-option] task 1 of {NEWEST} …"),
        (lambda: evaluate(GOLD, RUN, task="2", long_list=RUN), f"[unfit-option] task 2 of {NEWEST} …"),
        (lambda: evaluate(STATUTE, ARTICLES, task="3", edition=2026, long_list=ARTICLES),
         "[unfit-option] task 3 of 2026 …"),
        (lambda: evaluate(Gold(STATUTE.qrels, path="g.xml"), ARTICLES, task="3", answers=ANSWERS),
         "[wrong-part] g.xml …"),
        (lambda: evaluate(Gold(labels={"q": True}, path="g.txt"), {"q": "Y"}, task="3"), "[wrong-part] g.txt … 3 …"),
        (lambda: evaluate(GOLD, {"001": "Y"}, task="4"), "[wrong-part] <memory> … 4 …"),
        (lambda: evaluate(STATUTE, ARTICLES, measures=["Accuracy"]), "Accuracy needs [unfit-measure]"),
        (lambda: evaluate(GOLD, RUN, task="2", measures=["RationaleF1"]), "RationaleF1 needs [unfit-measure]"),
        (lambda: evaluate(STATUTE, {"R07-01-O": "Y"}, task="4", measures=["MicroF1"]),
         "[unfit-measure] MicroF1 … documents … 4 …"),
        (lambda: evaluate(GOLD, RUN, task="2", measures=["MicroF3x"]), "unknown measure 'MicroF3x'"),
        (lambda: evaluate(GOLD, RUN, task="7"), "[unknown-task] '7'…"),
        (lambda: evaluate(GOLD, RUN, task="5"), "[wrong-part] <memory> … 5 …"),
        (lambda: evaluate(GOLD, RUN, task="1", edition=2017), "[unknown-edition] 1 … 2017 …"),
        (lambda: evaluate(GOLD, RUN, task="trec", answers={"q": "Y"}), "[unfit-option] task trec …"),
        (lambda: evaluate(STATUTE, {"R07-01-O": "Y"}, task="3", edition=2025),
         "<memory>: [wrong-part]; task 3 expects documents here"),
        (lambda: evaluate(STATUTE, {"R07-01-O": "Y"}, task="3"), "task 3 expects documents here …"),
        (lambda: evaluate(STATUTE, ARTICLES, task="4"), "<memory>: [wrong-part]; task 4 expects … here"),
        (lambda: evaluate(STATUTE, ARTICLES, task="3", answers=ARTICLES), "[wrong-part]; task 3 expects … here"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused_with_what_would(call, said):
    with pytest.raises((UsageError, InputError)) as refused:
        call()
    assert mentions(heard(refused.value), said)


@pytest.mark.parametrize(
    ("gold", "run", "options", "remarks"),
    [
        (GOLD, {query: RUN.get(query, ["007"]) for query in GOLD}, {}, []),
        (GOLD, RUN, {}, ["[extra-query] ignored 1 … (first: 999)", "[unanswered-query] 1 … scores 0 … (first: 002)"]),
        (GOLD, RUN, {"decisions": Decisions(unanswered="skip"), "measures": ["MicroF1", "MacroF1"]},
         ["[extra-query] ignored 1 … (first: 999)", "[unanswered-query] 1 …; in MicroF1 … (first: 002)"]),
        (GOLD, RUN, {"decisions": Decisions(unanswered="skip", extra_queries="wrong"), "measures": ["AP"]},
         ["[extra-query] ignored 1 … (first: 999)", "[unanswered-query] 1 … (first: 002)"]),
        ({"001": ["013"], "002": []}, {"001": ["013"], "002": ["003"]}, {}, ["[empty-gold] 1 … (first: 002)"]),
        ({"001": ["013"], "002": []}, {"001": ["013"], "002": ["003"]}, {"measures": ["MicroR"]}, []),
        ({"001": ["013"], "002": ["003"]}, {"001": ["013"], "002": []}, {},
         ["[nothing-retrieved] 1 … scores 0 … (first: 002)"]),
        ({"001": ["013"], "002": ["003"]}, {"001": ["013"], "002": []},
         {"decisions": Decisions(unanswered="skip"), "measures": ["MacroF1"]},
         ["[nothing-retrieved] 1 … (first: 002)"]),
        ({"001": ["013"]}, {"001": ["013", "013", "020", "020"]}, {},
         ["[duplicate] 2 … are ignored … (first: query 001: 013; query 001: 020)"]),
        ({"001": ["013"]}, {"001": ["013", "013"]}, {"decisions": Decisions(duplicates="wrong")},
         ["[duplicate] 1 … (first: query 001: 013)"]),
        (
            {"001": ["013", "014"], "002": ["003"], "010": ["013"]},
            {"001": ["13", "014"], "2": ["003"], "010": ["013"]},
            {},
            [
                "[lost-zeros] 2 … (first: query 001: 13 for 013; query 2 for 002)",
                "[extra-query] ignored 1 … (first: 2)",
                "[unanswered-query] 1 … scores 0 … (first: 002)",
            ],
        ),
        ({"001": ["013"]}, {"001": ["999"]}, {}, ["[no-match]"]),
        ({"001": {"013": 1}, "002": {"013": 0}}, {"001": {"013": 1.0, "014": 1.0}, "002": {"013": 1.0}},
         {"measures": ["MacroP", "MacroP@5"]}, ["[empty-gold] 1 … (first: 002)", "[tie] 1 … (first: query 001)"]),
        ({"001": {"013": 1}}, {"001": {"013": 1.0, "014": 1.0}}, {"measures": ["MacroP"]}, []),
        ({"001": {"013": 1}, "002": {"013": 0}, "003": {}}, {"001": ["013"], "002": ["013"], "003": ["013"]},
         {"measures": ["map"]}, ["[judged-only] 1 … (first: 002)", "… 003 …"]),
        ({"001": {"013": 1}, "002": {"013": 0}}, {"001": ["013"]},
         {"measures": ["map"], "decisions": Decisions(unanswered="skip")}, ["[unanswered-query] 1 … (first: 002)"]),
        ({"001": ["013"], "002": [], "003": ["013"]}, {"001": ["013"]},
         {"measures": ["MacroF1"], "decisions": Decisions(empty_gold="one")},
         ["[unanswered-query] 1 … (first: 003)", "[empty-gold] 1 … (first: 002)"]),
        ({"001": {"013": 1}, "002": {}, "003": {}, "004": {}, "005": {}}, {f"00{n}": ["013"] for n in range(1, 6)},
         {"measures": ["map"]}, ["… 4 … 002; 003; 004 …"]),
        ({"001": {"013": 1}, "002": {"013": 0}, "003": {}}, {"001": ["013"], "002": ["013"], "003": ["013"]},
         {"measures": ["MacroF1"], "decisions": Decisions(empty_gold="one")}, ["[empty-gold] 2 … (first: 002; 003)"]),
    ],
)  # fmt: skip
def test_what_was_tolerated_is_said(gold, run, options, remarks):
    found = evaluate(gold, run, task="2", **options).remarks
    # many of these runs are perfect
    assert matches(heard([remark for remark in found if remark.kind != "gold-itself"]), remarks)


@pytest.mark.parametrize(
    ("undefined", "said"),
    [
        ("zero", "counts 0 (--decision undefined=zero)"),
        ("one", "counts 1 (--decision undefined=one)"),
        ("skip", "left out"),
    ],
)
def test_instances_with_undefined_f1_are_named_with_the_rule(undefined, said):
    gold = Gold({"0": {"p0": 1}, "1": {"p0": 0}, "2": {"p0": 0}, "3": {"p0": 1}}, format="tort")
    run = Run.of({"0": ["p0"], "1": [], "2": ["p0"], "3": []})
    decisions = Decisions(undefined=undefined)
    scores = evaluate(gold, run, task="rationale", decisions=decisions)
    pooled, plaintiff, defendant = scores.remarks
    assert begins(heard(pooled), "[undefined-f1] 1 …")
    assert pooled.endswith("(first: 1)")
    assert plaintiff == f"plaintiff: {pooled}"
    assert begins(heard(defendant), "defendant: [undefined-f1] 4 …")
    assert defendant.endswith("(first: 0; 1; 2)")
    assert all(said in heard(remark) for remark in scores.remarks)


def test_remarks_of_the_gold_are_told_with_each_run(tmp_path):
    (tmp_path / "gold.json").write_text('{"001": ["013", "013"]}')
    evaluator = Evaluator(tmp_path / "gold.json")
    for _ in range(2):
        kinds = [remark.kind for remark in evaluator.evaluate({"001": ["013"]}).remarks]
        assert kinds == ["gold-duplicate", "gold-itself"]


def test_gold_and_run_in_each_others_place_are_asked_about():
    gold, run = {"q": {"a": 1, "b": 0}}, {"q": {"a": 3.0, "c": 1.0}}
    kinds = [
        {remark.kind for remark in evaluate(*pair, measures="AP", task="trec").remarks}
        for pair in ((run, gold), (gold, run))
    ]
    assert ["swapped" in one for one in kinds] == [True, False]
    for nothing in (42, None):
        with pytest.raises(InputError) as refused:
            evaluate(nothing, None)
        assert refused.value.found == type(nothing).__name__


@pytest.mark.parametrize(
    ("task", "gold", "run", "is_asked"),
    [
        ("2", {"001": ["013"], "002": ["007", "009"]}, {"001": ["013"], "002": ["009", "007"]}, True),
        ("2", {"001": ["013"], "002": ["007", "009"]}, {"001": ["013"], "002": ["009"]}, False),
        ("2", {"001": ["013"], "002": ["007"]}, {"001": ["013", "014"], "002": ["007"]}, False),
        ("2", {"001": ["013"], "002": ["007"]}, {"001": ["013"], "002": ["007"], "003": ["001"]}, True),
        ("2", {"001": ["013"], "002": []}, {"001": ["013"], "002": ["007"]}, False),
        ("4", {"q1": "Y", "q2": "N"}, {"q1": "Y", "q2": "N"}, True),
        ("4", {"q1": "Y", "q2": "N"}, {"q1": "Y"}, False),
        # judgements as a ranking: the relevance is the score
        ("trec", {"q": {"a": 2, "b": 0, "c": 1}}, {"q": {"a": 2.0, "b": 0.0, "c": 1.0}}, True),
        ("trec", {"q": {"a": 2, "b": 0, "c": 1}}, {"q": {"a": 2.0, "b": 1.5, "c": 1.0}}, False),
        ("trec", {"q": {"a": 2, "b": 0, "c": 1}}, {"q": {"a": 2.0, "c": 1.0}}, True),
    ],
)
def test_a_run_that_equals_the_gold_is_asked_about(task, gold, run, is_asked):
    kinds = {remark.kind for remark in evaluate(gold, run, task=task).remarks}
    assert ("gold-itself" in kinds) == is_asked


def test_each_part_of_a_submission_may_equal_the_gold():
    documents = {"R06-01-O": {"96": 1}, "R06-02-O": {"97": 1}, "R06-03-O": {"98": 1}}
    gold = Gold(documents, {"R06-01-O": True, "R06-02-O": False})
    wrong, right = {"R06-01-O": ["95"], "R06-02-O": ["97"]}, {"R06-01-O": "Y", "R06-02-O": "N", "R06-03-O": "N"}
    assert "gold-itself" in {one.kind for one in evaluate(gold, wrong, task="3", answers=right).remarks}
    assert "gold-itself" not in {one.kind for one in evaluate(gold, wrong, task="3").remarks}


@pytest.mark.parametrize(
    ("gold", "task", "said"),
    [
        (Gold({"001": {"013": 1}}, task="1", path="g.xml", format="xml"), "2", "[wrong-task] g.xml … 1 … 2 …"),
        (STATUTE, "tort", "[wrong-task] gold.xml … not … tort …"),
        (STATUTE, "rationale", "[wrong-task] gold.xml … not … rationale …"),
        (EXAMPLES / "tort/gold.jsonl", "4", "[wrong-task] gold.jsonl … 4 …"),
    ],
)
def test_a_gold_of_another_task_is_refused(gold, task, said):
    with pytest.raises(UsageError) as refused:
        Evaluator(gold, task=task)
    assert matches(heard(refused.value), f"…{said}")


def test_a_result_names_the_choices_behind_it():
    decisions = Decisions(extra_queries="wrong", duplicates="wrong")
    scores = evaluate(GOLD, RUN, task="2", decisions=decisions)
    assert scores.decisions is decisions
    assert scores.counts == {"correct": 3, "retrieved": 5, "relevant": 6}
    assert matches(heard(scores.header()), "3 queries: 2 answered, 1 unanswered")


def test_an_evaluator_scores_several_by_its_own_rules_and_a_result_does_not_change():
    evaluator = Evaluator(GOLD, "MicroP", task="2")
    scored = evaluate_all(evaluator, {"one": RUN})
    assert scored["one"].measures == {"MicroP": 0.75}
    with pytest.raises(AttributeError):
        scored[0].tag = "other"
    with refusing(UsageError, "[option-conflict]"):
        evaluate_all(evaluator, [RUN], task="1")


def test_a_measure_asked_for_twice_is_scored_once():
    scores = evaluate(GOLD, RUN, task="2", measures=["MicroP", "MicroF(beta=1)", "MicroF1", "P.1,2", "P_1"])
    assert list(scores.measures) == ["MicroP", "MicroF1", "P_1", "P_2"]


def test_threads_that_share_an_evaluator_do_not_change_each_others_scores():
    rng, before, names = random.Random(8), sys.getswitchinterval(), [f"{n:03}" for n in range(60)]
    gold = {query: rng.sample(names, 5) for query in names[:15]}
    runs = [
        {query: {document: rng.random() for document in rng.sample(names, 20)} for query in rng.sample(names[:15], 12)}
        for _ in range(8)
    ]
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
                    for scores in scored:
                        assert (scores.per_query, scores.remarks) == (expected.per_query, expected.remarks)
    finally:
        sys.setswitchinterval(before)


def test_claims_that_only_the_run_or_only_the_gold_names_are_said(tmp_path):
    def write(name, claims):
        entries = [{"id": claim, "is_accepted": accepted} for claim, accepted in claims]
        case = {"tort_id": "0", "plaintiff_claims": entries, "defendant_claims": [], "court_decision": True}
        (tmp_path / name).write_text(json.dumps(case) + "\n")
        return str(tmp_path / name)

    gold = write("gold.jsonl", [("0", True), ("1", False)])
    unknown, missing = "[unknown-claim] 1 … (first: instance 0)", "[missing-claim] 1 … (first: instance 0: p1)"
    for claims, said in (
        ([("1", True)], []),
        ([("1", False)], []),
        ([("1", True), ("9", True)], [unknown]),
        ([("9", True)], [unknown, missing]),
        ([("9", False)], [missing]),
    ):
        run = write("run.jsonl", [("0", True), *claims])
        heard_of_run = heard(evaluate(gold, run, task="rationale").remarks)
        assert [remark for remark in (unknown, missing) if mentions(heard_of_run, remark)] == said
        assert not mentions(heard(convert(run, tmp_path / "claims.trec", form="claims")), "[dropped] …")
    # of a dictionary nobody knows which claims it names beside those that it accepts
    assert not mentions(heard(evaluate(gold, {"0": ["p0"]}, task="rationale").remarks), missing)
