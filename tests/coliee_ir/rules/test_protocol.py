import datetime
import itertools
import shutil
from pathlib import Path

import pytest
from asserting import failing, matches, refusing
from example_runs import EXAMPLES

import coliee_ir
from coliee_adapters.errors import InputError, UsageError
from coliee_ir.measures import parse
from coliee_ir.rules import protocol as protocol_module
from coliee_ir.rules.protocol import NEWEST, PROTOCOLS, TASKS, protocol, submission_rules, tag_fault

MICRO = ("MicroF1", "MicroP", "MicroR")
MACRO = ("MacroF2", "MacroP", "MacroR")
LONG = ("AP", "Rprec", "MicroR@5", "MicroR@10", "MicroR@30")
TREC = ("map", "Rprec", "recip_rank", "P_10", "recall_10", "recall_100", "ndcg_cut_10", "set_P", "set_recall", "set_F")


@pytest.mark.parametrize(
    ("task", "editions", "measures", "parts", "tie_break", "long_list"),
    [
        ("1", (2018, 2021, 2024, 2026), MICRO, ("documents",), (), ()),
        ("2", (2018, 2021, 2024, 2026), MICRO, ("documents",), (), ()),
        ("3", (2014, 2018, 2021, 2025), MACRO, ("documents",), (), LONG),
        ("3", (2026,), ("Accuracy", "LabelAccuracy", *MACRO), ("documents", "answers"), ("MacroF2",), ()),
        ("4", (2014, 2021, 2026), ("Accuracy",), ("answers",), (), ()),
        ("5", (2021,), ("Accuracy",), ("answers",), (), ()),
        ("tort", (2025, 2026), ("Accuracy",), ("answers",), (), ()),
        ("rationale", (2025,), ("RationaleF1", "PlaintiffF1", "DefendantF1", "PooledF1"), ("documents",), (), ()),
        ("trec", (1992, 2026, None), TREC, ("documents",), (), ()),
    ],
)
def test_the_rules_of_a_task_are_those_of_its_edition(task, editions, measures, parts, tie_break, long_list):
    for edition in editions:
        rules = protocol(task, edition)
        assert (rules.measures, rules.parts) == (measures, parts)
        assert (rules.tie_break, rules.long_list) == (tie_break, long_list)
        assert rules.ranking == measures[0]


def test_what_has_no_rules_is_refused_with_what_has():
    for task, edition, expected in (
        ("0", None, f"[unknown-task] '0'… {', '.join(TASKS)} …"),
        ("3", 2013, "[unknown-edition] 3 … 2013 … 2014–2025, 2026 …"),
        ("5", 2022, "[unknown-edition] 5 … 2022 … 2021 …"),
        ("1", 2017, f"[unknown-edition] 1 … 2017 … 2018–{NEWEST} …"),
    ):
        with refusing(UsageError, expected):
            protocol(task, edition)
    with refusing(UsageError, "[unknown-edition] 5 … 2022"):
        submission_rules("5", 2022)


def test_the_rows_of_the_package_follow_each_other_and_name_measures_that_their_parts_serve():
    folder = Path(coliee_ir.__file__).parent / "rules" / "protocols"
    assert sorted(path.stem for path in folder.glob("*.toml")) == sorted(TASKS)
    for task in TASKS:
        rows = [row for row in PROTOCOLS if row.task == task]
        assert all(row.first <= row.last for row in rows)
        assert all(row.last + 1 == following.first for row, following in itertools.pairwise(rows))
    for row in PROTOCOLS:
        sides = {"plaintiff", "defendant"} if row.task == "rationale" else set()
        for name in (*row.measures, *row.tie_break, *row.long_list):
            [measure] = parse(name)
            assert str(measure) == name and set(measure.needs) <= {*row.parts, *sides}, row
        assert set(row.tie_break) <= set(row.measures) and row.title and row.source, row
    assert [bool(tag_fault("a" * n)) for n in (12, 13)] == [False, True]
    newest = dict.fromkeys(("1", "2", "3", "4", "tort", "rationale"), NEWEST) | {"5": 2021, "trec": None}
    assert {task: protocol(task).newest for task in TASKS} == newest


def test_a_new_edition_states_its_dates_or_is_refused(monkeypatch, here):
    monkeypatch.setattr(protocol_module, "protocols_by_name", {})
    stated = 'task = "3"\nlaw = "statute"\ntitle = "t"\nparts = ["documents"]\nmeasures = ["MacroF2"]\n'
    stated += f"[[edition]]\nfirst = {NEWEST + 1}\n"
    Path("3.toml").write_text(stated)
    with refusing(InputError, f"models_before: … {NEWEST + 1}"):
        protocol_module.use_protocol_file("3.toml")
    for date, limit in (("false", None), (f"{NEWEST}-07-15", datetime.date(NEWEST, 7, 15))):
        Path("3.toml").write_text(f"{stated}\n[models_before]\n{NEWEST + 1} = {date}\n")
        assert protocol_module.use_protocol_file("3.toml") == "3"
        assert protocol_module.model_limit("3", NEWEST + 1) == limit


def test_a_year_behind_the_newest_edition_has_its_rules_and_that_is_said(here, call):
    later, gold, run = str(NEWEST + 1), EXAMPLES / "task1/gold.json", EXAMPLES / "task1/bm25.txt"
    assert protocol("3", later) == protocol("3") and submission_rules("3", later) == submission_rules("3")
    scores = coliee_ir.evaluate(gold, run, task=1, edition=later)
    assert scores.edition == NEWEST and scores.measures == coliee_ir.evaluate(gold, run, task=1).measures
    Path("in").mkdir()
    shutil.copy(run, "in")
    for command in (["evaluate", gold, run], ["validate", run], ["validate", "in"], ["validate", "in", "--gold", gold]):
        assert call(*command, "--task", "1", "--edition", later)[2].count(f"rules of {later}") == 1
        for mistyped in (NEWEST + 3, 9999):
            said = failing(call, *command, "--task", "1", "--edition", mistyped)
            assert matches(said, f"coliee-ir: …{mistyped}… [unknown-edition]\n")
