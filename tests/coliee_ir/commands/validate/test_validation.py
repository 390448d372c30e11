"""Each broken submission yields its finding and no other, its clean twin none; what is mended scores as was meant."""

import re
import shlex
from pathlib import Path

import pytest
from broken import CASES, T1_LISTS, TWINS

from coliee_ir import evaluate
from coliee_ir.commands.validate import RULES, Place, validate


@pytest.mark.parametrize("twin", TWINS, ids=lambda twin: twin.name)
def test_a_clean_submission_has_no_findings(twin, tmp_path):
    found = twin.validate(tmp_path, twin.put(tmp_path))
    assert tuple(finding.rule for finding in found.findings) == twin.has
    assert found.task == twin.scored["task"]
    assert twin.scores(tmp_path, twin.put(tmp_path))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_a_mistake_yields_its_finding_and_no_other_and_is_mended_once(case, tmp_path):
    first, second, twin, rule = tmp_path / "first", tmp_path / "second", case.twin, RULES[case.rule]
    for folder in (first, second):
        folder.mkdir()
    paths = twin.put(tmp_path, case.broken)
    found = twin.validate(tmp_path, paths, fix=first)
    (finding,) = [finding for finding in found.findings if finding.rule not in twin.has]
    assert (Path(finding.file).name, finding.rule, finding.count) == (case.where, case.rule, case.count)
    assert finding.places[0] == Place(*case.place)
    assert finding.advice
    assert "{" not in finding.says
    assert finding.severity is rule.severity
    if not rule.mended:  # what takes a decision stays as it stands
        assert finding.mended == 0
        for path in paths:
            if str(path) not in found.mended:
                assert not (first / path.name).exists()
            elif "json" not in path.name:
                assert (first / path.name).read_bytes() == path.read_bytes()
    copies = [Path(target) for target in found.mended.values()]
    if not copies:
        assert all(finding.mended == 0 for finding in found.findings)
        return
    again = twin.validate(tmp_path, copies, fix=second)
    assert [copy.read_bytes() for copy in copies] == [(second / copy.name).read_bytes() for copy in copies]
    left = {(Path(finding.file).name, finding.rule): finding.count for finding in again.findings}
    for finding in found.findings:
        if RULES[finding.rule].mended:
            assert finding.count - finding.mended == left.get((Path(finding.file).name, finding.rule), 0)
    if rule.mended:
        assert {rule for _, rule in left} <= ({case.rule} if case.open else set())
    if rule.mended and not case.open:
        as_meant = twin.scores(tmp_path, twin.put(tmp_path))
        assert twin.scores(tmp_path, [first / name for name in case.broken]) == as_meant


def test_every_rule_has_a_case_and_every_mended_rule_one_that_is_mended():
    assert len({case.id for case in CASES}) == len(CASES)
    # no task of COLIEE limits the documents of a query: test_protocol_files breaks that rule; test_own_errors the other
    assert {case.rule for case in CASES} == set(RULES) - {"too-many", "unchecked"}
    assert {case.rule for case in CASES if not case.open} >= {name for name, rule in RULES.items() if rule.mended}


#: what a user puts in the place of the words of a command
FILLED = {
    "GOLD": "gold.json", "FILE": "queries.json", "DIR": "ids.txt", "TAG": "OURS1", "k=N": "k=1", "OUT": "mended.txt",
    "--queries gold.json": "--queries gold.xml",
}  # fmt: skip
#: of each rule that a command mends, a broken submission of which nothing else is known
COMMANDED = {case.rule: case for case in reversed(CASES) if RULES[case.rule].command and not {*case.twin.options} & {
    "gold", "queries"} and (case.twin.options.keys() <= {"task", "edition"} or case.rule == "everything")}  # fmt: skip


@pytest.mark.parametrize("rule", sorted({name for name, rule in RULES.items() if rule.command} - {"too-many"}))
def test_the_command_of_a_remedy_mends_it_as_it_is_typed(rule, tmp_path, monkeypatch, call):
    monkeypatch.chdir(tmp_path)
    case = COMMANDED[rule]
    given = case.twin.put(Path(), case.broken)
    T1_LISTS.put(Path(), {})
    (finding,) = [one for one in case.twin.validate(Path(), given).findings if one.rule == rule]
    assert finding.advice.endswith(finding.command) and case.where in finding.command
    for command in finding.command.split(", or "):
        program, *words = shlex.split(re.sub("|".join(FILLED), lambda match: FILLED[match[0]], command))
        code, _, err = call(*words)
        assert (program, code) in (("coliee-ir", 0), ("coliee-ir", words[0] == "validate")), err
        left = case.twin.validate(Path(), [Path("mended.txt")])
        assert rule not in {one.rule for one in left.findings}, command


@pytest.mark.parametrize(("task", "edition"), [("1", None), ("3", 2025)])
@pytest.mark.parametrize(
    ("ranks", "scores", "is_told"),
    [("12", "98", False), ("12", "89", True), ("21", "89", False), ("11", "89", False), ("12", "88", False)],
)
def test_ranks_are_compared_with_scores_as_evaluate_compares_them(task, edition, ranks, scores, is_told, tmp_path):
    run, query = tmp_path / "run.txt", {"1": "000101", "3": "R06-01-A"}[task]
    documents = {"1": ("000201", "000202"), "3": ("96", "97")}[task]
    rows = zip(documents, ranks, scores, strict=True)
    run.write_text("".join(f"{query} Q0 {document} {rank} {score} T\n" for document, rank, score in rows))
    found = validate(run, task=task, edition=edition)
    scored = evaluate({query: list(documents)}, run, task=task, edition=edition, measures=["AP"])
    kinds = {finding.rule for finding in found.findings}, {remark.kind for remark in scored.remarks}
    assert ["rank-order" in of_command for of_command in kinds] == [is_told, is_told]
