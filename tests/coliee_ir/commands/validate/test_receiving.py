"""``validate FOLDER``: one table of what came."""

import json

import pytest
from asserting import heard, matches
from sent import articles, cases, labels, write, zipped

from coliee_ir.commands.validate.receiving import receive

pytestmark = pytest.mark.usefixtures("here")

DESCRIPTION = (
    "Task: {}\nRun tag: {}\n- Machine learning models:\nBERT (2020-01-01)\n"
    "- External resources:\nnone\n- Explaination:\nx\n"
)


@pytest.fixture
def mail(here):
    write({
        "in/A/a.txt": cases("A1"), "in/A/a (1).txt": cases("A1"), "in/A/x": articles("A2"), "in/A/y": labels("A2"),
        "in/A/z": labels("A3"), "in/A/about.txt": DESCRIPTION.format(1, "A1") + DESCRIPTION.format(3, "A2"),
        "in/B.zip": zipped({"b1": cases("B1").replace(" B1", "  B1"), "readme.txt": "hello\n", "b2": cases("A1")}),
        "in/C/task2/c": "001 013 C1\n002 014 C1\n",
        **{f"in/D/{n}": cases(f"D{n}") for n in range(4)}, "in/D/broken.txt": "000001 000002\0 D9\n",
        "gold.json": json.dumps({f"{q:06}": [f"{q + 100:06}"] for q in range(1, 12)}),
    })  # fmt: skip


@pytest.mark.usefixtures("mail")
def test_every_file_has_a_row_with_team_task_tag_part_and_what_is_wrong():
    inbox = receive("in")
    found = {row.file: (row.team, row.task, row.tag, row.part, row.described) for row in inbox.received}
    assert found == {
        "in/A/a (1).txt": ("A", "1", "A1", "documents", True), "in/A/a.txt": ("A", "1", "A1", "documents", True),
        "in/A/x": ("A", "3", "A2", "documents", True), "in/A/y": ("A", "3", "A2", "answers", True),
        "in/A/z": ("A", "4", "A3", "answers", False), "in/A/about.txt": ("A", "", "", "description", None),
        "in/B.zip/b1": ("B", "1", "B1", "documents", False), "in/B.zip/b2": ("B", "1", "A1", "documents", False),
        "in/B.zip/readme.txt": ("B", "", "", "", None), "in/C/task2/c": ("C", "2", "C1", "documents", False),
        **{f"in/D/{n}": ("D", "1", f"D{n}", "documents", False) for n in range(4)},
        "in/D/broken.txt": ("D", "1", "", "", False),
    }  # fmt: skip
    remarks = {row.file: row.all_remarks for row in inbox.received if row.all_remarks}
    assert matches(heard(remarks), {
        "in/A/a (1).txt": "… in/A/a.txt …", "in/B.zip/b2": "… in/A/a.txt …",
        "in/B.zip/readme.txt": "file that is not a run", "in/A/a.txt": "… B …",
    })  # fmt: skip
    errors = {(finding.file, finding.rule) for finding in inbox.findings if str(finding.severity) == "error"}
    assert errors == {("in/B.zip/b1", "separator"), ("in/D/broken.txt", "control"), ("in/D/3", "runs")}
    assert {row.file for row in inbox.received if row.errors} == {file for file, _ in errors}


def test_a_file_named_as_its_run_has_a_tag_one_tag_may_be_in_two_tasks_and_kana_name_questions():
    write({"in/A/task1/A1.txt": cases("A1"), "in/A/task2/A1.txt": "001 013 A1\n002 014 A1\n",
           "in/A/about.txt": DESCRIPTION.format(1, "A1") + DESCRIPTION.format(2, "A1"),
           "in/B/task1/B1.txt": cases("B1"), "in/B/about.txt": DESCRIPTION.format(2, "B1"),
           "in/C/x": articles("C1").replace("U", "ア")})  # fmt: skip
    inbox = receive("in")
    assert {(row.task, row.tag, row.described) for row in inbox.received if row.part == "documents"} == {
        ("1", "A1", True), ("2", "A1", True), ("1", "B1", False), ("3", "C1", False)}  # fmt: skip
    errors = {(one.file, one.rule) for one in inbox.findings if str(one.severity) == "error"}
    assert errors == {("in/B/about.txt", "description-task"), ("in/C/x", "not-ascii")}


@pytest.mark.usefixtures("mail")
def test_the_command_lists_and_counts(call):
    code, out, _ = call("validate", "in")
    first, *_, last = out.splitlines()
    assert first.split() == [*("team", "task", "run", "part", "file", "described", "errors", "warnings", "remark")]
    assert (code, last.endswith("in 15 files")) == (1, True)
    typed = ("validate", "in", "-f", "json", "--teams", "teams.csv")
    assert call(*typed)[0] == 2  # no such list
    write({"teams.csv": "tag,team\nB1,Beta\n"})
    assert [row["team"] for row in json.loads(call(*typed)[1])["received"] if row["tag"] == "B1"] == ["Beta"]
    assert call("validate", "in/A")[0] == 0


XML = "<dataset><pair id='R06-01-U' label='Y'><t2>x</t2></pair></dataset>"
OTHER_YEARS = {
    "1": (json.dumps({"000901": ["000101"]}), cases("A1")),
    "2": (json.dumps({"901": ["013"]}), "001 013 A1\n002 014 A1\n"),
    "3": (XML, articles("A1")),
    "4": (XML, labels("A1")),
}


@pytest.mark.parametrize("task", OTHER_YEARS)
def test_a_run_of_another_year_is_an_error_alone_and_in_a_folder(task, call):
    gold, run = OTHER_YEARS[task]
    other = OTHER_YEARS["1" if task in "34" else "4"][0]  # of another task, which is no gold of this one
    write({"gold": gold, "golds/gold": gold, "golds/other": other, f"in/task{task}.A1": run})
    rules = []
    for words in ([f"in/task{task}.A1", "--gold", "gold"], ["in", "--gold", "gold"], ["in", "--gold", "golds"]):
        code, out, _ = call("validate", *words, "-f", "json")
        rules.append({(one["rule"], one["severity"], one["count"]) for one in json.loads(out)["findings"]})
        assert code == 1
    assert rules[0] == rules[1] == rules[2]
    assert {rule for rule, severity, _ in rules[0] if severity == "error"} & {"query-unknown", "query-form"}
    assert call("validate", "in", "--gold", "golds/other")[0] == 0


def test_findings_of_other_faults_have_their_own_remedy_and_name_what_was_found(call):
    write({"in/A/a.rar": b"Rar!\x1a\x07\x00rest", "in/B/b.zip": zipped({"x": cases("B1")})[:40], "in/C/c": cases("C-1"),
           "in/D/d": cases("D1"), "in/F/f": cases("F-G"), "in/D/about.txt": DESCRIPTION.format(1, "E9")})  # fmt: skip
    code, out, _ = call("validate", "in")
    unread = [at for at, line in enumerate(out.splitlines()) if "unreadable" in line]
    remedies = [out.splitlines()[at + 2] for at in unread]
    assert (code, len(unread)) == (1, 2) and any("RAR" in one for one in remedies)
    assert "C-1" in out and "E9" in out and out.count("tag-characters") == 1


def test_a_run_of_several_years_is_checked_by_the_golds_of_all_of_them():
    years = {"H30": 4, "R01": 6, "R02": 3}
    ids = {year: [f"{year}-{n:02}-A" for n in range(1, most + 1)] for year, most in years.items()}
    write({f"golds/{year}.txt": "".join(f"{query} Y\n" for query in queries) for year, queries in ids.items()})
    whole = [query for queries in ids.values() for query in queries]
    for team, answered in (("A", whole), ("B", whole[:-1]), ("C", ids["R01"])):
        write({f"in/{team}/run.txt": "".join(f"{query} N {team}1\n" for query in answered)})
    inbox = receive("in", task=4, golds=[f"golds/{year}.txt" for year in years])
    assert {row.team: (row.errors, row.warnings) for row in inbox.received} == {"A": (0, 0), "B": (0, 1), "C": (0, 0)}
