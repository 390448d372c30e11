import datetime
import inspect
import itertools
import json
import shutil
from pathlib import Path

import pytest
from asserting import matches, refusing
from example_runs import EXAMPLES

import coliee_ir
from coliee_adapters.errors import InputError, UsageError
from coliee_ir.cli import main
from coliee_ir.measures import parse
from coliee_ir.rules import protocol as protocol_module
from coliee_ir.rules.protocol import NEWEST, PROTOCOLS, TASKS, protocol, submission_rules

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


@pytest.mark.parametrize(
    ("task", "edition", "expected"),
    [
        ("0", None, f"[unknown-task] '0'… {', '.join(TASKS)} …"),
        ("3", 2013, "[unknown-edition] 3 … 2013 … 2014–2025, 2026 …"),
        ("5", 2022, "[unknown-edition] 5 … 2022 … 2021 …"),
        ("1", 2017, f"[unknown-edition] 1 … 2017 … 2018–{NEWEST} …"),
        ("tort", 2024, f"[unknown-edition] tort … 2024 … 2025–{NEWEST} …"),
    ],
)
def test_what_has_no_rules_is_refused_with_what_has(task, edition, expected):
    with refusing(UsageError, expected):
        protocol(task, edition)


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
    newest = dict.fromkeys(("1", "2", "3", "4", "tort", "rationale"), NEWEST) | {"5": 2021, "trec": None}
    assert {task: protocol(task).newest for task in TASKS} == newest


GOLD = {f"q{n}": ["a"] for n in range(6)}
RUNS = [{query: ["b", "a"] for query in GOLD}, {query: ["a", "b"] for query in GOLD}]

#: every public function that takes a task
TAKES_TASK = {
    "Evaluator": lambda **asked: coliee_ir.Evaluator(GOLD, **asked),
    "convert": lambda **asked: coliee_ir.convert("run.txt", "converted.txt", to="trec", **asked),
    "cut": lambda **asked: coliee_ir.cut(RUNS[0], coliee_ir.Rule("k", 1), **asked),
    "evaluate": lambda **asked: coliee_ir.evaluate(GOLD, RUNS[0], **asked),
    "evaluate_all": lambda **asked: coliee_ir.evaluate_all(GOLD, RUNS, **asked),
    "fit_fusion": lambda **asked: coliee_ir.fit_fusion(GOLD, *RUNS, folds=2, **asked),
    "fuse": lambda **asked: coliee_ir.fuse(*RUNS, **asked),
    "protocol": lambda task, **asked: coliee_ir.protocol(task, **asked),
    "read_corpus": lambda task: coliee_ir.read_corpus("corpus", task=task),
    "read_gold": lambda **asked: coliee_ir.read_gold(GOLD, **asked),
    "read_run": lambda **asked: coliee_ir.read_run(RUNS[0], **asked),
    "to_qrels": lambda **asked: coliee_ir.to_qrels(GOLD, **asked),
    "to_run": lambda **asked: coliee_ir.to_run(RUNS[0], **asked),
    "tune": lambda **asked: coliee_ir.tune(GOLD, RUNS[0], folds=2, **asked),
    "validate": lambda **asked: coliee_ir.validate("run.txt", **asked),
    "write_run": lambda **asked: coliee_ir.write_run(coliee_ir.Run.of(RUNS[0]), "out.txt", **asked),
}
TAKES_EDITION = sorted(
    set(TAKES_TASK) - {"convert", "cut", "fuse", "read_corpus", "read_gold", "read_run", "to_qrels", "to_run"}
)


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("run.txt").write_text("000001 000002 A\n")
    Path("corpus").mkdir()
    Path("corpus/000001.txt").write_text("a case")


def test_all_public_functions_that_take_a_task_are_tested_here():
    functions = [name for name in coliee_ir.__all__ if name[0].islower() or name == "Evaluator"]
    parameters = {name: {*inspect.signature(getattr(coliee_ir, name)).parameters} for name in functions}
    assert {name for name in functions if {"task", "rules"} & parameters[name]} == set(TAKES_TASK)


@pytest.mark.parametrize("function", TAKES_TASK)
@pytest.mark.usefixtures("files")
def test_tasks_and_editions_are_texts_or_numbers_everywhere_and_others_are_refused(function):
    call, takes_edition = TAKES_TASK[function], function in TAKES_EDITION
    for task, edition in (("1", "2025"), (1, 2025)):
        call(task=task, **({"edition": edition} if takes_edition else {}))
    for wrong in ("nonsense", "TREC", "", "01", 7, 1.0, True, ["1"]):
        with pytest.raises(UsageError, match=r"task .*; the tasks .*are 1, 2, 3, .*tort, rationale"):
            call(task=wrong)
    for wrong in ("last", "", "20 26", 2026.0, True) if takes_edition else ():
        with refusing(UsageError, f"[unknown-edition] 2014 … {protocol('1').last} …"):
            call(task=1, edition=wrong)
    scores = coliee_ir.evaluate(GOLD, RUNS[0], task=1, edition="2025")
    assert (scores.task, scores.edition) == ("1", 2025)


def test_a_new_edition_states_its_dates_or_is_refused(monkeypatch, tmp_path):
    monkeypatch.setattr(protocol_module, "protocols_by_name", {})
    monkeypatch.setattr(protocol_module, "NEWEST", NEWEST + 1)
    protocol_module._family_of_package.cache_clear()
    try:
        assert protocol("1", NEWEST + 1)  # which has no dates
        with refusing(InputError, f"models_before: … {NEWEST + 1}"):
            protocol("3", NEWEST + 1)
    finally:
        protocol_module._family_of_package.cache_clear()
    monkeypatch.undo()
    monkeypatch.setattr(protocol_module, "protocols_by_name", {})
    stated = 'task = "3"\nlaw = "statute"\ntitle = "t"\nparts = ["documents"]\nmeasures = ["MacroF2"]\n'
    stated += f"[[edition]]\nfirst = {NEWEST + 1}\n"
    own = tmp_path / "3.toml"
    own.write_text(stated)
    with pytest.raises(InputError):
        protocol_module.use_protocol_file(own)
    for date, limit in (("false", None), (f"{NEWEST}-07-15", datetime.date(NEWEST, 7, 15))):
        own.write_text(f"{stated}[models_before]\n{NEWEST + 1} = {date}\n".replace("[models", "\n[models"))
        assert protocol_module.use_protocol_file(own) == "3"
        assert protocol_module.model_limit("3", NEWEST + 1) == limit


def test_a_year_behind_the_newest_edition_has_its_rules_and_that_is_said(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    later, gold, run = str(NEWEST + 1), EXAMPLES / "task1/gold.json", EXAMPLES / "task1/bm25.txt"
    assert protocol("3", later) == protocol("3") and submission_rules("3", later) == submission_rules("3")
    scores = coliee_ir.evaluate(gold, run, task=1, edition=later)
    assert scores.edition == NEWEST and scores.measures == coliee_ir.evaluate(gold, run, task=1).measures
    Path("in").mkdir()
    shutil.copy(run, "in")
    for command in (["evaluate", str(gold), str(run)], ["validate", str(run)], ["validate", "in"], ["validate", "in",
                     "--gold", str(gold)]):  # fmt: skip
        main([*command, "--task", "1", "--edition", later])
        assert capsys.readouterr().err.count(f"rules of {later}") == 1
        for mistyped in (NEWEST + 3, 2072, 9999):
            assert main([*command, "--task", "1", "--edition", str(mistyped)]) == 2
            assert matches(capsys.readouterr().err, f"coliee-ir: …{mistyped}… [unknown-edition]\n")
    Path("coliee.toml").write_text(f'name = "T"\nyear = {later}\nmailbox = "in"\nresamples = 99\n'
                                   f'[[task]]\ntask = "1"\ngold = "{gold}"\n')  # fmt: skip
    assert main(["edition", "coliee.toml", "-o", "out"]) == 0
    kinds = [one["kind"] for one in json.loads(Path("out/results.json").read_text())["decide"]]
    assert kinds.count("newest-rules") == 1
