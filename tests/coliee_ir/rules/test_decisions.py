import dataclasses
import typing

import pytest
from asserting import heard, mentions, refusing

from coliee_adapters.errors import UsageError
from coliee_adapters.kinds import REMARKS, TREATMENTS
from coliee_adapters.remarks import Remarks
from coliee_ir import Decisions
from coliee_ir.rules.choices import CHOICES
from coliee_ir.rules.decisions import matters
from coliee_ir.rules.protocol import protocol

DEFAULTS = {
    "unanswered": "zero", "extra_queries": "ignore", "duplicates": "once", "empty_gold": "skip", "undefined": "zero",
    "without_articles": "sufficient", "unreadable_answers": "refuse", "no_overlap": "refuse", "order": "descending",
}  # fmt: skip


def test_the_first_choice_is_the_default_each_is_kept_and_no_other_taken():
    types = typing.get_type_hints(Decisions)
    assert {name: typing.get_args(types[name]) for name in types} == CHOICES
    assert Decisions().to_dict() == DEFAULTS == {name: choices[0] for name, choices in CHOICES.items()}
    for name, choices in CHOICES.items():
        for choice in choices:
            decisions = Decisions(**{name: choice})
            assert decisions.to_dict() == DEFAULTS | {name: choice}
            with pytest.raises(dataclasses.FrozenInstanceError):
                setattr(decisions, name, choice)
        with refusing(UsageError, f"[unknown-name] {name} … 'perhaps'… {', '.join(choices)} …"):
            Decisions(**{name: "perhaps"})
    # each remark that tells what was done says it of each choice
    assert {row.partition(".")[0] for row, sentence in REMARKS.items() if "{decision}" in sentence} == set(TREATMENTS)


MIXED = {"MacroF1": {"unanswered", "duplicates"}, "MicroF1": {"duplicates", "extra_queries"}, "AP": {"unanswered"}}


@pytest.mark.parametrize(
    ("decisions", "measures", "kind", "expected"),
    [
        ({"unanswered": "skip"}, ["AP"], "unanswered-query", "are left out of macro averages"),
        ({"unanswered": "skip"}, ["MicroF1"], "unanswered-query", "score 0"),
        ({"unanswered": "skip"}, ["AP", "MicroF1"], "unanswered-query", "…; in MicroF1 …"),
        ({"duplicates": "wrong"}, ["AP"], "duplicate", "are ignored"),
        ({"duplicates": "wrong"}, ["AP", "MacroF1"], "duplicate", "…; in AP …"),
        ({"extra_queries": "wrong"}, ["AP"], "extra-query", "ignored …"),
        ({"extra_queries": "wrong"}, ["AP", "MicroF1"], "extra-query", "counted as wrong in micro-averages …"),
        ({}, ["AP", "MicroF1"], "unanswered-query", "score 0"),
    ],
)
def test_a_remark_says_what_was_done_in_the_measures_that_were_computed(decisions, measures, kind, expected):
    remarks = Remarks()
    remarks.add(kind, n=2)
    (sentence,) = remarks.sentences(Decisions(**decisions).clauses({name: MIXED[name] for name in measures}))
    assert mentions(heard(sentence), expected)


def test_each_choice_has_tasks_for_which_it_can_matter():
    tasks, ranked = ("1", "2", "3", "4", "5", "tort", "rationale", "trec"), ["1", "2", "3", "trec"]
    assert {name: [task for task in tasks if matters(name, task)] for name in CHOICES} == {
        **dict.fromkeys(("unanswered", "extra_queries", "empty_gold", "order"), ranked),
        "duplicates": ["1", "2", "3", "rationale", "trec"],
        "undefined": ["rationale"],
        "without_articles": ["3"],
        "unreadable_answers": ["3", "4", "5", "tort"],
        "no_overlap": [*tasks],
    }
    with refusing(UsageError, "[unfit-option] …undefined=skip … 1… rationale"):
        Decisions.of({"undefined": "skip"}, protocol("1"))
    assert Decisions.of({"order": "ascending"}, protocol("1")).order == "ascending"
