"""Folders as mails fill them: what is a run, what belongs together, and what is passed over."""

import gzip
import json
import re
from pathlib import Path

import one_step
import pytest
from asserting import done, failing, heard, matches, mentions
from sent import articles, cases, labels, write, zipped

from coliee_ir.inbox.grouping import too_many
from coliee_ir.inbox.inventory import named_task, sort_files

pytestmark = pytest.mark.usefixtures("one_deal")

GOLD = json.dumps({f"{n:06}.txt": [f"{n + 100:06}.txt"] for n in range(1, 11)})
PAIRS = "".join(f'<pair id="R07-0{n}-U" label="Y"><article>{n}</article><t2>x</t2></pair>' for n in range(1, 7))
STATUTE = f"<dataset>{PAIRS}</dataset>"
DESCRIPTION = "Task: {}\nRun tag: {}\n\n- Machine learning models:\nnone\n"


@pytest.fixture(autouse=True)
def golds(here):
    write({"gold.json": GOLD, "gold.xml": STATUTE})


def rank(gold, *files, **options):
    return one_step.leaderboard(gold, *files, n_resamples=99, **options)


#: what is no run, and was never meant as one
NOTHING = {
    "README": "These are our runs, 3 of them.\n1. A1\n",
    "README.md": "# Runs\n\n001 first\n",
    "letter.txt": "Dear organisers,\nplease find 3 runs attached.\nBest wishes\nA\n",
    "paper.pdf": b"%PDF-1.7\n1 0 obj\n",
    "form.docx": zipped({"[Content_Types].xml": "<x/>", "word/document.xml": "<x/>"}),
    "teams.csv": "tag,team\nA1,A\n",
    "people.csv": "name,country\nAlpha,JP\n",
    "ranking.csv": "rank,group,run,MicroF1\n1,1,A1,0.5\n2,1,A2,0.4\n",
    "gold2.xml": STATUTE,
    "score.py": "import sys\nprint(1, 2, 3)\n",
    "figure.png": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
}
#: what is a run, or may be one that came to harm
RUNS = {
    "a.txt": cases("A1"),
    "b.md": articles("A2"),
    "c": labels("A3"),
    "d.csv": "query_id,doc_id,score\nx,y,1\n",
    "e.json": GOLD,
    "f.txt": "",
    "g.jsonl": '{"tort_id": "0"}\n',
    "h.xlsx": zipped({"[Content_Types].xml": "<x/>", "xl/workbook.xml": "<x/>"}),
    "i.txt": "001,013,A\n002,014,A\n",
    "j.txt": cases("A1").encode("utf-16"),
    "F1.csv": "78868.0,75409.0,F1\n99890.0,1229.0,F1\n",
    "no-break blanks.txt": cases("A1").replace(" ", "\u00a0"),
    "k.txt": "/* our\nfirst run */\n" + cases("A1"),
}


def sorted_out(paths):
    """What may be runs, and what is passed over, by kind."""
    inventory = sort_files(paths)
    passed = {}
    for one in inventory.items:
        if one.skip_reason:
            passed.setdefault(one.skip_reason, []).append(one.file)
    return [one.file for one in inventory.scored], passed


@pytest.mark.parametrize("name", [*NOTHING, *RUNS])
def test_what_is_nothing_is_told_from_what_may_be_a_run(name):
    write({f"sent/{name}": {**NOTHING, **RUNS}[name]})
    kept, passed = sorted_out(["sent"])
    assert (kept == [f"sent/{name}"], "nothing" in passed) == (name in RUNS, name in NOTHING)
    assert sorted_out([f"sent/{name}"])[0] == [f"sent/{name}"]  # what is named itself is looked at


def test_a_folder_with_everything_is_ranked(call):
    write({
        **{f"all/A/{name}": content for name, content in NOTHING.items()},
        "all/A/task1.A1": cases("A1"), "all/A/task1.A1.txt": cases("A1"),
        "all/A/A1.txt.gz": gzip.compress(cases("A1").encode()),
        "all/A/about.txt": DESCRIPTION.format(1, "A1"), "all/B/labels_2026.json": GOLD,
        "all/B.zip": zipped({"task1.B1": cases("B1", 3), "task3.B1": articles("B1"), "answers.B1": labels("B1")}),
        "all/B/001.txt": "001 013 B2\n002 014 B2\n",
    })  # fmt: skip
    out, err = done(call, "leaderboard", "gold.json", "all", "--resamples", "99", "-f", "json")
    board = json.loads(out)
    assert [(run["team"], run["tag"]) for run in board["runs"]] == [("A", "A1"), ("B", "B1")]
    assert board["invalid"] == []
    assert re.findall(r"(?m)^skipped (.*?)(?: \[.*\])?:", err) == [
        "1 system description", "1 copy of the gold", "2 copies of other runs",
        "3 files of other tasks", f"{len(NOTHING)} files that are not runs",
    ]  # fmt: skip


def test_parts_of_one_tag_are_a_run_in_one_folder_and_in_two_none():
    write({"all/A/task3.A1": articles("A1"), "all/A/labels": labels("A1"),
           "apart/A/task3.A1": articles("A1"), "apart/B/labels": labels("A1")})  # fmt: skip
    for run in ("one", "two"):  # equal answers without a tag are no copies
        write({f"twice/{run}/task3": articles(run), f"twice/{run}/answers.txt": labels("").replace(" \n", "\n")})
    for folder, n in (("all", 1), ("apart", 0), ("twice", 2)):
        board = rank("gold.xml", folder, task="3")
        assert len(board.entries) == n, folder
        assert mentions(heard(board.remarks), "[grouped]…") == (folder == "twice")


def test_a_description_says_which_task_answers_are_of():
    write({"all/task3": articles("A1"), "all/answers": labels("A1"), "all/other": labels("A2")})
    assert len(rank("gold.xml", "all", task="3").invalid) == 1
    about = DESCRIPTION.format(3, "A1").replace("none", "BERT\nand GPT-2") + "- Explaination:\nBoth.\n"
    write({"all/about.txt": about + DESCRIPTION.format(4, "A2")})
    board = rank("gold.xml", "all", task="3")
    assert not board.invalid and board.table("approaches").rows == [["A1", "BERT and GPT-2", "-", "Both."]]
    assert [entry.tag for entry in rank("gold.xml", "all", task="4").entries] == ["A2"]


def test_without_a_gold_the_files_of_one_task_are_fused(call):
    ranked = "".join(f"R07-01-U Q0 {n} {n} {1 / n} A1\n" for n in range(1, 9))
    write({"in/task3.A1": articles("A1", 2), "in/task3-L.A1": ranked, "in/B1": articles("B1", 2),
           "in/B1 (1)": articles("B1", 2), "more/task1.C1": cases("C1"), "more/C2.txt": cases("C2")})  # fmt: skip
    out, err = done(call, "fuse", "in", "-o", "-")
    assert {line.split()[2] for line in out.splitlines() if line.startswith("R07-01-U")} >= set("12345678")
    assert mentions(err, "[passed-over] 1 … in/task3.A1 …")
    assert mentions(err, "[passed-over] 1 … in/B1 (1) (= in/B1) …")
    err = failing(call, "fuse", "in", "more", "-o", "fused.txt")
    assert "--task" in err and "in/B1" in err and "more/C2.txt" in err and not Path("fused.txt").exists()
    write({"both/task3.A1": articles("A1"), "both/task4.A1": labels("A1")})  # whose paths say two tasks
    assert mentions(failing(call, "fuse", "both", "-o", "fused.txt"), "[ambiguous]")
    out, err = done(call, "fuse", "in", "more", "--task", "1", "-o", "-")
    assert {line.split()[0] for line in out.splitlines()} == {f"{n:06}" for n in range(1, 11)}
    assert mentions(err, "[passed-over] 4 …")


@pytest.mark.parametrize("name", ["gold.json", "task1_train_labels_2025.json", "old-gold.2024.json"])
def test_a_gold_in_json_is_no_run_unless_it_is_named(name):
    write({f"all/{name}": GOLD, "all/A.txt": cases("A"), "all/golden.json": GOLD, "all/labels_of_run1.json": GOLD})
    kept, passed = sorted_out(["all"])
    assert sorted(kept) == ["all/A.txt", "all/golden.json", "all/labels_of_run1.json"]
    assert passed == {"named": [f"all/{name}"]}
    assert sorted_out([f"all/{name}"])[0] == [f"all/{name}"]


@pytest.mark.parametrize(("path", "task"), [
    ("A/task3.A1", "3"), ("Task 4/run.txt", "4"), ("task1/x_task_2.txt", ""), ("a/x_task_2.txt", "2"),
    ("task4/bert-task3aug", "4"), ("subtask3.A", ""), ("a/b.txt", ""), ("task10.txt", ""), ("TASK-5.B", "5"),
])  # fmt: skip
def test_a_path_may_name_the_task(path, task):
    assert named_task(path) == task


@pytest.mark.parametrize("named", [
    "A1", "a1", "task1.A1", "x/task1.A1", "in/x/task1.A1", "./in/x/task1.A1", "in\\x\\task1.A1", "{cwd}/in/x/task1.A1",
    "IN/X//TASK1.A1",
])  # fmt: skip
def test_a_list_of_teams_names_runs_in_any_spelling(named):
    write({"in/x/task1.A1": cases("A1"), "in/x/B1.txt": cases("B1", 4), "t.csv":
           f"run,language,team\n{named.format(cwd=Path.cwd())},ja,Alpha\nC1,en,Gamma\n"})  # fmt: skip
    board = rank("gold.json", "in", task="1", teams="t.csv")
    assert [(entry.team, entry.tag) for entry in board.entries] == [("Alpha", "A1"), ("x", "B1")]
    said = [remark for remark in board.remarks if "teams file" in remark][-2:]  # before: what a tag moves
    assert matches(heard(said), ["[team-list] … 1 run … C1 …", "[team-list] 1 run … B1 …"])
    for name in ("ranking", "results"):
        table = board.table(name)
        assert [row[table.header.index("language")] for row in table.rows] == ["ja", ""]


@pytest.mark.parametrize(("task", "edition", "sent", "teams"), [
    ("1", 2026, "AAABBBB", ["B"]), ("1", 2026, "AAABBB", []), ("2", 2026, "AAAA", ["A"]), ("trec", None, "AAAAA", []),
    ("5", 2021, "AAAA", ["A"]), ("1", 2026, ["", "", "", ""], []),
])  # fmt: skip
def test_more_runs_than_a_team_may_send_are_remarked(task, edition, sent, teams):
    found = [*too_many(sent, task, edition)]
    assert [(team, remark.kind) for team, remark in found] == [(team, "many-runs") for team in teams]
    assert all("4" in remark and "3" in remark for _, remark in found)
