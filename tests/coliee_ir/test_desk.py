"""The organiser's script, as the docs have it, from a mailbox to pages, tables and bundles."""

from __future__ import annotations

import json
import re
import shlex
import sys
import zipfile
from pathlib import Path

import pytest

from coliee_ir.cli import main

sys.path.insert(0, str(Path(__file__).parents[1] / "data"))
from make_mailbox import TEAMS, make

pytestmark = pytest.mark.usefixtures("one_deal")

SCRIPT = "".join(
    re.findall(r"^```sh\n(.*?)^```", (Path(__file__).parents[2] / "docs/organiser.md").read_text("utf-8"), re.S | re.M)
)


def test_from_the_mailbox_to_the_published_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert 100 <= make(tmp_path) <= 140
    codes = {}
    for line in SCRIPT.splitlines():
        if line.startswith("coliee-ir "):
            words = [*shlex.split(line)[1:]]
            if words[0] == "leaderboard":
                words += ["--resamples", "49"]
            codes[line] = main(words)
    said = capsys.readouterr().err
    assert [code for line, code in codes.items() if " validate " in f" {line} "] == [1, 1, 1]
    by_task = {words[words.index("--task") + 1]: code for line, code in codes.items()
               if "leaderboard" in line and (words := line.split())}  # fmt: skip
    assert by_task == {"1": 2, "2": 0, "3": 0, "4": 0, "tort": 0}  # of Task 1, one run is cut short
    assert {code for line, code in codes.items() if line.split()[1] == "bundle"} == {0}
    board = json.loads(Path("task1.json").read_text())
    tags = [run["tag"] for run in board["runs"]]
    assert {run["team"] for run in board["runs"]} <= set(TEAMS)
    assert len(tags) == len(set(tags)) and "KIS9" not in tags and "ARC1" in tags
    assert [one["tag"] for one in board["invalid"]] in ([""], ["KIS9"])
    assert all(run["measures"]["Accuracy"] > 0 for run in json.loads(Path("task3.json").read_text())["runs"])
    received = json.loads(Path("received.json").read_text())
    rows = {row["file"]: row for row in received["received"]}
    assert rows["mailbox/ARC/labels_2026.json"]["remark"] == "copy of the gold"
    assert rows["mailbox/ARC/task1.ARC1 (1).txt"]["remark"].startswith("copy of")
    rules = {finding["rule"] for finding in received["findings"]}
    assert {"runs", "description-task", "description-empty", "description-tag", "columns"} & rules >= {
        "runs",
        "description-task",
    }
    assert said.count("passed over") >= 10
    pages = list(Path("pages").rglob("*.html"))
    assert len(pages) >= 1 + 5 + 12
    index = Path("pages", "index.html").read_text(encoding="utf-8")
    assert all(f'href="task-{task}.html"' in index for task in by_task)
    assert "KIS" in Path("received.html").read_text(encoding="utf-8")
    assert Path("paper/1/paper.tex").is_file() and Path("paper/1/approaches.tex").is_file()
    for name in ("codabench", "tira"):
        assert zipfile.ZipFile(f"{name}.zip").testzip() is None
