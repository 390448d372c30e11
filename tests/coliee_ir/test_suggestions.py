"""What people type for measures is answered with the right name."""

from __future__ import annotations

import pytest

from coliee_adapters.errors import UsageError
from coliee_ir.measures import parse


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        *(("recall@5", ["MicroR@5", "R@5"]), ("precision@10", ["MicroP@10", "P@10"]), ("F1", ["MicroF1", "MacroF1"])),
        *(("f2", ["MacroF2", "MicroF2"]), ("micro_f1", ["MicroF1"]), ("macro-f2", ["MacroF2"]), ("mrr", ["RR"])),
        *(("mrr@10", ["RR@10"]), ("ndcg@10", ["nDCG@10"]), ("map@100", ["AP@100"]), ("hit@10", ["Success@10"])),
        *(("accuracy", ["Accuracy"]), ("MicroFF1", ["MicroF1"]), ("xyzzy", [])),
    ],
)
def test_other_spellings_are_answered_with_names_that_exist(typed: str, meant: list[str]) -> None:
    with pytest.raises(UsageError) as caught:
        parse(typed)
    said = str(caught.value)
    assert ("did you mean" in said) == bool(meant)
    assert " or ".join(meant) in said
    for name in meant:
        assert parse(name)
