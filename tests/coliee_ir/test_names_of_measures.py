"""docs/measures.md goes through the names of other tools, and each row is what the code does."""

from __future__ import annotations

import re
from pathlib import Path

import ir_measures
import pytest
import pytrec_eval

import coliee_ir
from coliee_adapters.errors import UsageError
from coliee_ir.cli import main
from coliee_ir.measures import parse

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "measures.md").read_text(encoding="utf-8")
#: a name as it is typed there, and what stands for it here
ROWS = [
    (typed, f"`{typed}`" if here == "as typed" else here)
    for names, here in re.findall(r"^\| (`[^|]+`) \| (.+?) \| ", PAGE, re.MULTILINE)
    for typed in re.findall("`([^`]+)`", names)
]
TYPED = [typed for typed, _ in ROWS]


@pytest.mark.parametrize(("typed", "here"), ROWS)
def test_a_name_is_understood_or_answered_as_the_page_says(typed: str, here: str) -> None:
    names = re.findall("`([^`]+)`", here)
    try:
        assert [str(measure) for measure in parse(typed)] == names
    except UsageError as refused:
        if names:
            assert names[0] in str(refused).partition("did you mean")[2]
            assert parse(names[0])
        else:
            assert here == "—"


def base(typed: str) -> str:
    return re.split(r"[(@.]", typed)[0]


def test_the_page_has_every_measure_of_trec_eval_and_ir_measures() -> None:
    named = {base(typed) for typed in TYPED} | {typed.partition(".0.")[0] for typed in TYPED}
    assert pytrec_eval.supported_measures <= named
    assert set(ir_measures.measures.registry) - {"MicroP", "MicroR", "MicroF", "MacroP", "MacroR", "MacroF"} <= named


@pytest.mark.parametrize(
    "typed", ["ndcg_cut@10", "Rndcg@10", "ndgc@10", "recall@5", "hits@3", "map@10-l2", "Accuracy@5", "bprf", "rbp.95"]
)
def test_what_is_suggested_is_understood(typed: str) -> None:
    with pytest.raises(UsageError) as refused:
        parse(typed)
    meant = re.search(r"did you mean (.*?)\?", str(refused.value))
    for name in meant[1].split(" or ") if meant else ():
        assert name != typed
        assert parse(name)


def test_no_name_is_refused_and_a_weight_without_end() -> None:
    for typed in ("", " ", "9" * 400 + "*MicroF1", "1 if MicroF1 > " + "9" * 400):
        with pytest.raises(UsageError):
            parse(typed)
    gold = {"001": ["013"]}
    for measures in ("", [""], ["MicroF1", ""]):
        with pytest.raises(UsageError):
            coliee_ir.evaluate(gold, gold, task="2", measures=measures)
    assert main(["evaluate", "gold.json", "run.json", "-m", ""]) == 2
