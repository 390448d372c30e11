"""docs/measures.md goes through the names of other tools, and each row is what the code does."""

from __future__ import annotations

import re
from pathlib import Path

import ir_measures
import pytest
import pytrec_eval

from coliee_adapters.errors import UsageError
from coliee_ir.measures import parse

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "measures.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| `([^`]+)` \| (.+?) \| ", PAGE, re.MULTILINE)
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
