"""Each broken submission yields its finding and no other, its clean twin none; what is mended scores as was meant."""

from pathlib import Path

import pytest
from broken import CASES, TWINS

from coliee_adapters.errors import ColieeError
from coliee_ir import validate
from coliee_ir.commands.validate import RULES, Place

MENDED = [case for case in CASES if RULES[case.rule].mended]


@pytest.mark.parametrize("twin", TWINS, ids=lambda twin: twin.name)
def test_a_clean_submission_has_no_findings(twin, tmp_path):
    found = twin.validate(tmp_path, twin.put(tmp_path))
    assert tuple(finding.rule for finding in found.findings) == twin.has
    assert found.task == twin.scored["task"]
    assert twin.scores(tmp_path, twin.put(tmp_path))


def scores(twin, folder, paths):
    """The scores; None where the files cannot be scored."""
    try:
        return twin.scores(folder, paths)
    except ColieeError:
        return None


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_a_mistake_yields_its_finding_and_no_other_and_is_mended_once(case, tmp_path):
    first, second = tmp_path / "first", tmp_path / "second"
    for folder in (first, second):
        folder.mkdir()
    paths = case.twin.put(tmp_path, case.broken)
    found = case.twin.validate(tmp_path, paths, fix=first)
    (finding,) = [finding for finding in found.findings if finding.rule not in case.twin.has]
    assert (Path(finding.file).name, finding.rule, finding.count) == (case.where, case.rule, case.count)
    assert finding.places[0] == Place(case.line, case.column, case.found)
    assert finding.advice
    assert "{" not in finding.says
    assert finding.severity is RULES[case.rule].severity
    if not RULES[case.rule].mended:  # what takes a decision stays as it stands
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
    again = case.twin.validate(tmp_path, copies, fix=second)
    assert [copy.read_bytes() for copy in copies] == [(second / copy.name).read_bytes() for copy in copies]
    left = {(Path(finding.file).name, finding.rule): finding.count for finding in again.findings}
    if RULES[case.rule].mended:
        assert {rule for _, rule in left} <= ({case.rule} if case.open else set())
    for finding in found.findings:
        if RULES[finding.rule].mended:
            assert finding.count - finding.mended == left.get((Path(finding.file).name, finding.rule), 0)
    if RULES[case.rule].mended and not case.open:
        (tmp_path / "twin").mkdir()
        as_meant = scores(case.twin, tmp_path / "twin", case.twin.put(tmp_path / "twin"))
        names = [name for name in case.broken if (first / name).exists()]
        case.twin.put(first, {})  # what it is scored with
        as_it_is, as_mended = (scores(case.twin, at, [at / name for name in names]) for at in (tmp_path, first))
        assert as_mended and as_mended == as_meant
        assert {None: "refused", True: "same", False: "other"}[as_it_is and as_it_is == as_mended] == case.as_is


def test_the_ids_of_the_cases_differ():
    assert len({case.id for case in CASES}) == len(CASES) >= 90


def test_every_rule_has_a_case_and_every_mended_rule_a_scored_one():
    # no task of COLIEE limits the documents of a query: test_protocol_files breaks that rule; test_own_errors the other
    assert {case.rule for case in CASES} == set(RULES) - {"too-many", "unchecked"}
    assert {case.rule for case in MENDED} == {name for name, rule in RULES.items() if rule.mended}


@pytest.mark.parametrize(("n", "rule"), [(2, "columns"), (3, "tag-words")])
def test_words_are_a_tag_where_most_lines_end_in_them(n, rule, tmp_path):
    tags = ["run A"] * n + ["ALPHA"] * (4 - n)
    (tmp_path / "run.txt").write_text("".join(f"00000{at} 000090 {tag}\n" for at, tag in enumerate(tags, start=1)))
    found = validate(tmp_path / "run.txt", task="1")
    assert {"columns", "tag-words"} & {finding.rule for finding in found.findings} == {rule}


@pytest.mark.parametrize(
    ("lines", "task", "rule", "remedy"),
    [
        ("R07-01-U 96 A\n", "3", "columns", "--to trec"),
        ("000201 000101 A\n000202 000101 A\n", "1", "query-unknown", "query first"),
    ],
)
def test_the_remedy_is_that_of_the_likeliest_mistake(lines, task, rule, remedy, tmp_path):
    (tmp_path / "run.txt").write_text(lines)
    (tmp_path / "queries.txt").write_text("000101\n000102\nR07-01-U\n")
    found = validate(tmp_path / "run.txt", task=task, queries=tmp_path / "queries.txt")
    assert remedy in next(finding.advice for finding in found.findings if finding.rule == rule)


def test_a_score_of_0_is_the_last_of_a_list(tmp_path):
    (tmp_path / "task3.A").write_text("R07-01-U Q0 1 1 0.5 A\nR07-01-U Q0 2 2 0 A\n")
    found = validate(tmp_path / "task3.A", task="3", edition=2025)
    assert "rank-order" not in {finding.rule for finding in found.findings}
