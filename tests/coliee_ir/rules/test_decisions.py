import dataclasses

import pytest
from asserting import heard, matches, mentions

from coliee_adapters.errors import UsageError
from coliee_adapters.kinds import REMARKS, TREATMENTS
from coliee_adapters.remarks import Remarks
from coliee_ir import Decisions
from coliee_ir.rules.decisions import CHOICES, matters


def test_the_defaults_are_those_said_and_stand_first():
    assert Decisions().to_dict() == {
        "unanswered": "zero",
        "extra_queries": "ignore",
        "duplicates": "once",
        "empty_gold": "skip",
        "undefined": "zero",
        "without_articles": "sufficient",
        "unreadable_answers": "refuse",
        "no_overlap": "refuse",
        "order": "descending",
    }
    assert {name: choices[0] for name, choices in CHOICES.items()} == Decisions().to_dict()


@pytest.mark.parametrize("name", CHOICES)
def test_a_choice_there_is_not_is_refused_with_those_there_are(name):
    with pytest.raises(UsageError) as refused:
        Decisions(**{name: "perhaps"})
    assert matches(heard(refused.value), f"[unknown-name] {name} … 'perhaps'… {', '.join(CHOICES[name])} …")


@pytest.mark.parametrize(("name", "choice"), [(name, choice) for name, of in CHOICES.items() for choice in of])
def test_a_choice_is_kept_and_told(name, choice):
    decisions = Decisions(**{name: choice})
    assert decisions.to_dict() == {**Decisions().to_dict(), name: choice}
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(decisions, name, choice)


KINDS_OF = {
    "unanswered": ("unanswered-query", "nothing-retrieved"),
    "extra_queries": ("extra-query",),
    "duplicates": ("duplicate",),
    "empty_gold": ("empty-gold",),
    "undefined": ("undefined-f1",),
    "without_articles": (),  # what it decides is no fault of a run or a gold, and is not remarked
    "unreadable_answers": ("unreadable-answer",),
    "no_overlap": (),
    "order": (),
}


def test_every_remark_that_leaves_something_open_is_closed_by_a_decision():
    left_open = {row.partition(".")[0] for row, sentence in REMARKS.items() if "{decision}" in sentence}
    assert left_open == set(TREATMENTS) == {kind for kinds in KINDS_OF.values() for kind in kinds}
    assert list(KINDS_OF) == list(CHOICES)


@pytest.mark.parametrize(("name", "kind"), [(name, kind) for name, kinds in KINDS_OF.items() for kind in kinds])
def test_each_choice_is_said_in_its_own_words(name, kind):
    remarks = Remarks()
    remarks.add(kind)
    clauses = [Decisions(**{name: choice}).clauses() for choice in CHOICES[name]]
    said = [next(remarks.sentences(of)) for of in clauses]
    assert len(set(said)) == len(said)
    assert not any("(" in sentence.replace("(--", "") for sentence in said)


MIXED = {"MacroF1": {"unanswered", "duplicates"}, "MicroF1": {"duplicates", "extra_queries"}, "AP": {"unanswered"}}


@pytest.mark.parametrize(
    ("decisions", "measures", "kind", "said"),
    [
        (Decisions(unanswered="skip"), ["AP"], "unanswered-query", "are left out of macro averages"),
        (Decisions(unanswered="skip"), ["MicroF1"], "unanswered-query", "score 0"),
        (Decisions(unanswered="skip"), ["AP", "MicroF1"], "unanswered-query", "…; in MicroF1 …"),
        (Decisions(duplicates="wrong"), ["AP"], "duplicate", "are ignored"),
        (Decisions(duplicates="wrong"), ["AP", "MacroF1"], "duplicate", "…; in AP …"),
        (Decisions(extra_queries="wrong"), ["AP"], "extra-query", "ignored …"),
        (Decisions(extra_queries="wrong"), ["AP", "MicroF1"], "extra-query", "counted as wrong in micro-averages …"),
        (Decisions(), ["AP", "MicroF1"], "unanswered-query", "score 0"),
    ],
)  # fmt: skip
def test_a_remark_says_what_was_done_in_the_measures_that_were_computed(decisions, measures, kind, said):
    remarks = Remarks()
    remarks.add(kind, n=2)
    (sentence,) = remarks.sentences(decisions.clauses({name: MIXED[name] for name in measures}))
    assert mentions(heard(sentence), said)


def test_each_choice_has_tasks_for_which_it_can_matter():
    known = ("1", "2", "3", "4", "5", "tort", "rationale", "trec")  # the parts and the law of a further one decide
    found = {name: [task for task in known if matters(name, task)] for name in CHOICES}
    assert found == {
        "unanswered": ["1", "2", "3", "trec"],
        "extra_queries": ["1", "2", "3", "trec"],
        "duplicates": ["1", "2", "3", "rationale", "trec"],
        "empty_gold": ["1", "2", "3", "trec"],
        "undefined": ["rationale"],
        "without_articles": ["3"],
        "unreadable_answers": ["3", "4", "5", "tort"],
        "no_overlap": list(known),
        "order": ["1", "2", "3", "trec"],
    }
