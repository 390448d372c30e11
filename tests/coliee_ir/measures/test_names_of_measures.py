"""docs/measures.md goes through the names of other tools, and each row is what the code does."""

import re
from contextlib import suppress

import ir_measures
import pytest
import pytrec_eval
from places import ROOT

import coliee_ir
from coliee_adapters import trec_eval
from coliee_adapters.errors import UsageError
from coliee_ir.measures import parse
from coliee_ir.measures.catalogue import OURS

PAGE = (ROOT / "docs" / "measures.md").read_text(encoding="utf-8")
#: a name as it is typed there, and what stands for it here
ROWS = [
    (typed, f"`{typed}`" if here == "as typed" else here)
    for names, here in re.findall(r"^\| (`[^|]+`) \| (.+?) \| ", PAGE, re.MULTILINE)
    for typed in re.findall("`([^`]+)`", names)
]
TYPED = [typed for typed, _ in ROWS]


def suggested(typed):
    """What is suggested for a name; empty for nothing."""
    with pytest.raises(UsageError) as refused:
        parse(typed)
    return "".join(re.findall(r"did you mean (.*?)\?", str(refused.value)))


def base(typed):
    return re.split(r"[(@.]", typed)[0]


def test_the_page_has_every_measure_of_trec_eval_and_ir_measures_and_each_is_understood_as_it_says():
    named = {base(typed) for typed in TYPED} | {typed.partition(".0.")[0] for typed in TYPED}
    assert pytrec_eval.supported_measures <= named
    assert set(ir_measures.measures.registry) - {"MicroP", "MicroR", "MicroF", "MacroP", "MacroR", "MacroF"} <= named
    assert len(ROWS) > 150
    for typed, here in ROWS:
        names = re.findall("`([^`]+)`", here)
        try:
            assert [str(measure) for measure in parse(typed)] == names, typed
        except UsageError:
            assert names[0] in suggested(typed) if names else here == "—", typed


SUGGESTED = {
    "recall@5": "MicroR@5 or R@5", "precision@10": "MicroP@10 or P@10", "F1": "MicroF1 or MacroF1",
    "f2": "MacroF2 or MicroF2", "accuracy@5": "Accuracy@5 or Success@5", "xyzzy": "", "P@5,R@5": "",
    # of trec_eval 10 and BEIR, which nothing installed computes: never another measure without a word
    "rbp": "RBP(p=0.9)", "rbp.p=0.95": "RBP(p=0.95)", "rbp_resid": "RBPResidual(p=0.9)", "yaap": "AP",
    "dcg@10": "nDCG@10", "ideal_dcg": "nDCG", "unj.5,10": "Judged@5", "unj": "Judged", "Hole@10": "Judged@10",
    "hole_at_10": "Judged@10",
    # of ranx, which means something else by them
    "rbp.95": "RBP(p=0.95)", "rbp@5-l2": "RBP(p=0.5)", "hits": "num_rel_ret", "hits-l2": "num_rel_ret",
    "hits@10": "P@10 or Success@10", "f1@10": "MicroF1@10 or MacroF1@10", "dcg_burges": "nDCG(dcg='exp-log2')",
    "dcg_burges@10": "nDCG(dcg='exp-log2')@10",
    # a mean of the queries' values in most tools, which the measure of COLIEE's name is not
    "precision": "MicroP or MacroP", "r": "MicroR or MacroR",
}  # fmt: skip


def test_a_name_that_can_mean_several_things_is_answered_with_them():
    assert {typed: suggested(typed) for typed in SUGGESTED} == SUGGESTED


def test_what_is_suggested_is_understood():
    """Every name with a letter lost, every other one with a cutoff."""
    for name in {*OURS, *trec_eval.each_name(), *map(base, TYPED), "MicroF1", "MacroF2"}:
        for typed in (name[:at] + name[at + 1 :] + "@10" * (at % 2) for at in range(len(name) > 1, len(name) + 1)):
            with suppress(UsageError):
                assert parse(typed)
                continue
            assert all(parse(one) for one in filter(None, suggested(typed).split(" or ")))


def test_no_name_and_a_weight_without_end_are_refused():
    for typed in ("", " ", "9" * 400 + "*MicroF1", "1 if MicroF1 > " + "9" * 400):
        with pytest.raises(UsageError):
            parse(typed)
    for measures in ("", [""], ["MicroF1", ""]):
        with pytest.raises(UsageError):
            coliee_ir.evaluate({"001": ["013"]}, {"001": ["013"]}, task="2", measures=measures)
