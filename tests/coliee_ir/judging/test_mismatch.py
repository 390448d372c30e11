import json

import pytest
from asserting import begins, clause, heard, matches, refusing

from coliee_adapters.errors import MismatchError
from coliee_adapters.forms import columns
from coliee_adapters.records import Run
from coliee_ir import Decisions, Evaluator, evaluate
from coliee_ir.judging.judged import judge
from coliee_ir.judging.mismatch import diagnose
from coliee_ir.judging.qrels import Qrels

CASES = {"000018": {"072495": 1, "012101": 1}, "000203": {"004411": 1}}
QUESTIONS = {"R07-01-O": {"96": 1, "398-2": 1}, "R07-02-A": {"7": 1}}


def checked(gold, run):
    held = Run.of(run, path="run.txt")
    judged = judge(Qrels(gold), held)
    diagnose(judged, held, "gold.json")
    return bool(judged.rank.any())


@pytest.mark.parametrize(
    ("gold", "queries", "cause"),
    [
        (CASES, ["18", "203"], "… 6 …"),
        ({"18": {}, "203": {}}, ["000018"], "… gold … gold …"),
        (CASES, ["000018.json"], "take the file name's ending off the ids"),
        (CASES, ["cases/000018", "cases/000203"], "take the folder off the ids"),
        (CASES, ["q-000018"], "take what stands before the number off the ids"),
        (QUESTIONS, ["r07-01-o"], "write the ids in upper case"),
        (QUESTIONS, ["R07\u201301\u2212O"], "… - …"),
        (CASES, ['"000018"'], "take the quotation marks or brackets off the ids"),
        (CASES, ["['000018']"], "take the quotation marks or brackets off the ids"),
        (QUESTIONS, ["R06-01-O", "R05-02-A"], "… R05, R06 … R07 …"),
        (
            QUESTIONS,
            ["R07-88-O"],
            "the questions are of the same year and have other numbers: is the gold that of another file?",
        ),
        (
            QUESTIONS,
            ["000018"],
            "only one of the two has statute question ids (Tasks 3 to 5); …",
        ),
        (CASES, ["555555"], "the ids look alike; …"),
        (CASES, ["555", "777"], "… 3 … 6 …"),
        ({"555": {"1": 1}}, ["000018"], "… 6 … 3 …"),
        (CASES, ["case X"], "the ids look different; …"),
    ],
)
def test_a_run_that_shares_no_query_is_refused_with_the_likely_cause(gold, queries, cause):
    with pytest.raises(MismatchError) as refused:
        checked(gold, {query: ["072495"] for query in queries})
    assert begins(heard(refused.value), "run.txt: [mismatch] (run: '")
    assert begins(heard(refused.value.remedy), cause)


def test_a_refusal_shows_what_both_sides_look_like():
    with pytest.raises(MismatchError) as refused:
        checked({f"{n:06}": {} for n in range(1, 9)}, {"a" * 99: ["x"], "b\x1b[31m": ["x"], "c": ["x"], "d": ["x"]})
    assert matches(
        clause(refused.value),
        f"[mismatch] (run: '{'a' * 23} … ', 'b\\x1b[31m', 'c', …; gold gold.json: '000001', '000002', '000003', …)",
    )


@pytest.mark.parametrize(
    ("documents", "cause"),
    [
        (["72495"], "… 6 …"),
        (["999"], "write document ids as in the gold …"),
        (["072495.json"], "take the file name's ending off the ids"),
        (["398-2"], "write document ids as in the gold …"),
    ],
)
def test_a_run_whose_documents_have_another_form_is_refused(documents, cause):
    with pytest.raises(MismatchError) as refused:
        checked(CASES, {"000018": documents, "000203": documents})
    assert begins(clause(refused.value), "[mismatch] (run: '")
    assert "gold gold.json: '004411', '012101', '072495'" in clause(refused.value)
    assert matches(heard(refused.value.remedy), f"{cause} …")


@pytest.mark.parametrize(
    ("gold", "documents"),
    [
        (CASES, ["555555"]),
        (CASES, ["55", "555555"]),
        ({"000018": {}}, ["x"]),
        ({"000018": {"96": 1}}, ["709"]),  # no zeros fill these ids up, so their length may differ
        ({"000018": {"d1": 1}}, ["d10"]),
        ({"000018": {"CR93E-10279": 1}}, ["CR93E-1"]),
        (CASES, []),
    ],
)
def test_ids_that_merely_miss_are_scored(gold, documents):
    run = {"000018": documents, "000203": documents} if "000203" in gold else {"000018": documents}
    split = {query: [document] for query, document in zip(run, documents, strict=False)} if len(documents) > 1 else run
    assert checked(gold, split) is False


def test_a_single_judged_document_is_enough():
    assert checked(CASES, {"18": ["x"], "000203": ["y", "004411"]}) is True


def test_a_run_of_no_query_is_refused():
    with pytest.raises(MismatchError):
        checked(CASES, {})


def test_queries_with_lost_zeros_are_found():
    gold, run = (
        {"000018": {}, "000203": {}, "7": {"d": 1}, "0": {}},
        Run.of(dict.fromkeys(("7", "203", "18", "5"), "d")),
    )
    found = diagnose(judge(Qrels(gold), run), run, "gold.json")
    assert found.examples("lost-zeros") == ("query 18 for 000018", "query 203 for 000203")


MANY = 500


@pytest.mark.parametrize("extra_first", [True, False])
@pytest.mark.parametrize("documents", [["Article_572"], ["Art-9", "x"]])
def test_documents_of_another_form_are_refused_whatever_else_is_in_the_run(documents, extra_first):
    gold = {"H18-1-1": {"572": 1}, "H18-1-2": {"566": 1}}
    judged, extra = dict.fromkeys(gold, documents), {f"H19-{n}-1": ["5"] for n in range(MANY)}
    run = {**extra, **judged} if extra_first else {**judged, **extra}
    with pytest.raises(MismatchError) as refused:
        checked(gold, run)
    assert begins(clause(refused.value), f"[mismatch] (run: '{documents[0]}'")


@pytest.mark.parametrize("at", [0, 30, MANY - 1])
def test_one_document_of_the_golds_form_among_many_others_makes_a_fair_zero(at):
    gold = {f"{n:06}": {"000018": 1} for n in range(MANY)}
    run = {query: ["x9", "555555" if n == at else "y"] for n, query in enumerate(gold)}
    assert checked(gold, run) is False


def test_lost_zeros_that_leave_nothing_are_refused_though_the_ids_have_one_form():
    gold = {"001": {"018": 1, "1025": 1}}
    with refusing(MismatchError, "leading zeros are lost: write "):
        checked(gold, {**{f"9{n}": ["1025"] for n in range(MANY)}, "001": ["18"]})


@pytest.mark.parametrize("run", [{"001": ["x"]}, {"002": ["013"]}, {"1": ["013"]}])
def test_a_zero_that_is_true_is_scored_where_the_caller_says_so(run):
    gold = {"001": ["013", "020"]}
    with pytest.raises(MismatchError):
        evaluate(gold, run, task=2)
    assert evaluate(gold, run, task=2, decisions=Decisions(no_overlap="zero")).measures["MicroF1"] == 0


@pytest.mark.parametrize("size", [1, 7, 64, 1 << 18])
@pytest.mark.parametrize("jobs", [1, 3])
def test_the_refusal_is_the_same_in_blocks_and_parts(size, jobs, tmp_path, monkeypatch):
    monkeypatch.setattr(columns, "BLOCK_SIZES", (size, 0))
    gold, run = tmp_path / "gold.json", tmp_path / "run.txt"
    gold.write_text(json.dumps({f"{n:03}": ["013"] for n in range(40)}))
    lines = [f"{n:03} A{n} T\n" for n in range(40)]
    for order in (lines, lines[::2] + lines[1::2], [lines[0], lines[1], lines[0].replace("A", "B"), *lines[2:]]):
        run.write_text("".join(order))
        with pytest.raises(MismatchError) as refused:
            Evaluator(str(gold), task=2).evaluate(str(run), jobs=jobs)
        assert "run: 'A0', 'A" in clause(refused.value)


def test_queries_in_another_spelling_are_remarked_with_the_golds():
    gold = {"R07-01-A": {"96": 1}, "R07-02-I": {"7": 1}, "R07-03-U": {"7": 1}}
    run = {"R07-1-A": ["96"], "R07-02-I": ["7"], "R0703U": ["7"], "R06-01-A": ["7"]}
    remarks = evaluate(gold, run, task=3, edition=2025).remarks
    pairs = "query R07-1-A for R07-01-A; query R0703U for R07-03-U"
    assert any(begins(heard(remark), "[other-spelling] 2 …") and pairs in remark for remark in remarks)


def test_odd_ids_behind_the_first_block_are_remarked(tmp_path, monkeypatch):
    monkeypatch.setattr(columns, "BLOCK_SIZES", (64, 0))
    gold, run = tmp_path / "gold.json", tmp_path / "run.txt"
    gold.write_text(json.dumps({f"{n:06}": ["000013"] for n in range(40)}))
    run.write_text("".join(f"{n:06} {'CASE-1' if n == 35 else '000013'} T\n" for n in range(40)).replace("E-1", "E-13"))
    assert "odd-id" in [remark.kind for remark in Evaluator(str(gold), task=1).evaluate(str(run)).remarks]
