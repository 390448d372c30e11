"""``validate FOLDER``: one table of what came."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest
from messages import wording

from coliee_ir.cli import main
from coliee_ir.commands.validate.receiving import receive

DESCRIPTION = (
    "Task: {}\nRun tag: {}\n- Machine learning models:\nBERT (2020-01-01)\n"
    "- External resources:\nnone\n- Explaination:\nx\n"
)


def cases(tag: str, n: int = 3) -> str:
    return "".join(f"{q:06} {q + 100:06} {tag}\n" for q in range(1, n + 1))


def articles(tag: str) -> str:
    return "".join(f"R07-0{n}-U Q0 {n} 1 1.0 {tag}\n" for n in range(1, 4))


def labels(tag: str) -> str:
    return "".join(f"R07-0{n}-U Y {tag}\n" for n in range(1, 4))


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write(files: Mapping[str, str | bytes]) -> None:
    for name, content in files.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_bytes(content.encode() if isinstance(content, str) else content)


def packed(files: Mapping[str, str]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return stream.getvalue()


@pytest.fixture
def mail() -> None:
    write(
        {
            "in/A/a.txt": cases("A1"), "in/A/a (1).txt": cases("A1"), "in/A/x": articles("A2"), "in/A/y": labels("A2"),
            "in/A/z": labels("A3"), "in/A/about.txt": DESCRIPTION.format(1, "A1") + DESCRIPTION.format(3, "A2"),
            "in/B.zip": packed({"b1": cases("B1").replace(" B1", "  B1"), "readme.txt": "hello\n", "b2": cases("A1")}),
            "in/C/task2/c": "001 013 C1\n002 014 C1\n",
            **{f"in/D/{n}": cases(f"D{n}") for n in range(4)}, "in/D/broken.txt": "000001 000002\0 D9\n",
            "gold.json": json.dumps({f"{q:06}": [f"{q + 100:06}"] for q in range(1, 5)}),
        }
    )  # fmt: skip


@pytest.mark.usefixtures("mail")
def test_every_file_has_a_row_with_team_task_tag_part_and_what_is_wrong() -> None:
    inbox = receive("in")
    found = {row.file: (row.team, row.task, row.tag, row.part, row.described) for row in inbox.rows}
    assert found == {
        "in/A/a (1).txt": ("A", "1", "A1", "documents", True), "in/A/a.txt": ("A", "1", "A1", "documents", True),
        "in/A/x": ("A", "3", "A2", "documents", True), "in/A/y": ("A", "3", "A2", "answers", True),
        "in/A/z": ("A", "4", "A3", "answers", False), "in/A/about.txt": ("A", "", "", "description", None),
        "in/B.zip/b1": ("B", "1", "B1", "documents", False), "in/B.zip/b2": ("B", "1", "A1", "documents", False),
        "in/B.zip/readme.txt": ("B", "", "", "", None), "in/C/task2/c": ("C", "2", "C1", "documents", False),
        **{f"in/D/{n}": ("D", "1", f"D{n}", "documents", False) for n in range(4)},
        "in/D/broken.txt": ("D", "1", "", "", False),
    }  # fmt: skip
    remarks = {row.file: row.remark for row in inbox.rows if row.remark}
    assert remarks == {
        "in/A/a (1).txt": wording("copy", "in/A/a.txt"), "in/B.zip/b2": wording("copy", "in/A/a.txt"),
        "in/B.zip/readme.txt": wording("file-not-run"),
    }  # fmt: skip
    rules = {(finding.file, finding.rule) for finding in inbox.findings if str(finding.severity) == "error"}
    assert {("in/B.zip/b1", "separator"), ("in/D/broken.txt", "control")} <= rules
    assert [file for file, rule in rules if rule == "runs"] == ["in/D/3"]
    errors = {row.file: row.errors for row in inbox.rows if row.errors}
    assert set(errors) == {"in/B.zip/b1", "in/D/3", "in/D/broken.txt"}


def test_a_file_named_as_its_run_has_a_tag_and_one_tag_may_be_in_two_tasks() -> None:
    write({"in/A/task1/A1.txt": cases("A1"), "in/A/task2/A1.txt": "001 013 A1\n002 014 A1\n",
           "in/A/about.txt": DESCRIPTION.format(1, "A1") + DESCRIPTION.format(2, "A1"),
           "in/B/task1/B1.txt": cases("B1"), "in/B/about.txt": DESCRIPTION.format(2, "B1")})  # fmt: skip
    inbox = receive("in")
    assert {(row.task, row.tag, row.described) for row in inbox.rows if row.part == "documents"} == {
        ("1", "A1", True), ("2", "A1", True), ("1", "B1", False)}  # fmt: skip
    assert {(one.file, one.rule) for one in inbox.findings if str(one.severity) == "error"} == {
        ("in/B/about.txt", "description-task")}  # fmt: skip


@pytest.mark.usefixtures("mail")
def test_queries_are_those_of_the_gold_that_the_run_answers() -> None:
    write({"golds/statute.xml": '<dataset><pair id="R07-01-U" label="Y"><t2>x</t2></pair></dataset>'})
    inbox = receive("in", queries=["gold.json", "golds/statute.xml"])
    missing = {finding.file for finding in inbox.findings if finding.rule == "query-missing"}
    assert "in/A/a.txt" in missing and "in/C/task2/c" not in missing
    unknown = {finding.file: finding.count for finding in inbox.findings if finding.rule == "query-unknown"}
    assert unknown == {"in/A/x": 2, "in/A/y": 2, "in/A/z": 2}


@pytest.mark.usefixtures("mail")
def test_the_command_lists_and_counts(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["validate", "in"]) == 1
    out = capsys.readouterr().out.splitlines()
    assert out[0].split() == ["team", "task", "run", "part", "file", "described", "errors", "warnings", "remark"]
    assert out[-1].endswith("in 15 files")
    assert main(["validate", "in", "-f", "json", "--teams", "teams.csv"]) == 2  # no such list
    capsys.readouterr()
    write({"teams.csv": "tag,team\nB1,Beta\n"})
    main(["validate", "in", "-f", "json", "--teams", "teams.csv"])
    rows = json.loads(capsys.readouterr().out)["received"]
    assert [row["team"] for row in rows if row["tag"] == "B1"] == ["Beta"]
    assert main(["validate", "in/A"]) == 0


def test_links_out_of_the_folder_are_not_followed(capsys: pytest.CaptureFixture[str]) -> None:
    write({"secret.txt": cases("S1"), "in/a": cases("A1")})
    Path("in/b").symlink_to("../secret.txt")
    assert main(["validate", "in"]) == 0
    out, err = capsys.readouterr()
    assert "S1" not in out and wording("link-out-folder", "in/b") in err
