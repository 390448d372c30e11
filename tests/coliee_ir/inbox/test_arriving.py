"""Folders as mails fill them: what is a run, what belongs together, and what is passed over."""

import gzip
import json
from pathlib import Path

import one_step
import pytest
from asserting import heard, matches, mentions
from sent import articles, cases, labels, write, zipped

from coliee_ir.cli import main
from coliee_ir.inbox.grouping import too_many
from coliee_ir.inbox.inventory import named_task, sort_files

pytestmark = pytest.mark.usefixtures("one_deal")

GOLD = json.dumps({f"{n:06}.txt": [f"{n + 100:06}.txt"] for n in range(1, 11)})
PAIRS = "".join(f'<pair id="R07-0{n}-U" label="Y"><article>{n}</article><t2>x</t2></pair>' for n in range(1, 7))
STATUTE = f"<dataset>{PAIRS}</dataset>"
DESCRIPTION = "Task: {}\nRun tag: {}\n\n- Machine learning models:\nnone\n"


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write({"gold.json": GOLD, "gold.xml": STATUTE})


PACKED = gzip.compress(cases("A1").encode())

#: what is no run, and was never meant as one
NOTHING = {
    "README": "These are our runs, 3 of them.\n1. A1\n",
    "README.md": "# Runs\n\n001 first\n",
    "letter.txt": "Dear organisers,\nplease find 3 runs attached.\nBest wishes\nA\n",
    "paper.pdf": b"%PDF-1.7\n1 0 obj\n",
    "form.docx": zipped({"[Content_Types].xml": "<x/>", "word/document.xml": "<x/>"}),
    "teams.csv": "tag,team\nA1,A\n",
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
    assert (kept == [f"sent/{name}"]) == (name in RUNS)
    assert ("nothing" in passed) == (name in NOTHING)
    kept, _ = sorted_out([f"sent/{name}"])
    assert kept == [f"sent/{name}"]  # what is named itself is looked at


def test_a_folder_with_everything_is_ranked_and_the_rest_is_named_once(capsys):
    write({f"all/A/{name}": content for name, content in NOTHING.items()})
    write(
        {
            "all/A/task1.A1": cases("A1"), "all/A/task1.A1.txt": cases("A1"), "all/A/A1.txt.gz": PACKED,
            "all/A/about.txt": DESCRIPTION.format(1, "A1"), "all/B/labels_2026.json": GOLD,
            "all/B.zip": zipped({"task1.B1": cases("B1", 3), "task3.B1": articles("B1"), "answers.B1": labels("B1")}),
            "all/B/001.txt": "001 013 B2\n002 014 B2\n",
        }
    )  # fmt: skip
    assert main(["leaderboard", "gold.json", "all", "--resamples", "99", "-f", "json"]) == 0
    out, err = capsys.readouterr()
    board = json.loads(out)
    assert [(run["team"], run["tag"]) for run in board["runs"]] == [("A", "A1"), ("B", "B1")]
    assert board["invalid"] == []
    said = [line for line in err.splitlines() if line.startswith("skipped")]
    assert heard([line.split(":")[0].removeprefix("skipped ") for line in said]) == [
        "1 system description", "1 copy of the gold", "2 copies of other runs",
        "3 files of other tasks", f"{len(NOTHING)} files that are not runs",
    ]  # fmt: skip


def test_equal_answers_without_a_tag_are_no_copies():
    files = {}
    for run in ("one", "two"):
        files |= {f"all/A/{run}/task3": articles(run), f"all/A/{run}/answers.txt": labels("").replace(" \n", "\n")}
    write(files)
    assert len(one_step.leaderboard("gold.xml", "all", task="3", n_resamples=99).entries) == 2


@pytest.mark.parametrize(("folder", "entries"), [("A", 1), ("B", 0)])
def test_parts_of_one_tag_in_one_folder_are_a_run_without_a_word(folder, entries):
    write({"all/A/task3.A1": articles("A1"), f"all/{folder}/labels": labels("A1")})
    board = one_step.leaderboard("gold.xml", "all", task="3", n_resamples=99)
    assert len(board.entries) == entries and not any("[grouped]" in heard(remark) for remark in board.remarks)


def test_a_run_whose_ids_lost_their_zeros_is_not_of_another_task():
    write({"all/good": cases("A1"), "all/bad": "".join(f"{n} {n + 100} A2\n" for n in range(1, 11))})
    board = one_step.leaderboard("gold.json", "all", task="1", n_resamples=99)
    assert ([entry.tag for entry in board.entries], [one.tag for one in board.invalid]) == (["A1"], ["A2"])


def test_the_description_says_which_task_answers_are_of():
    write({"all/task3": articles("A1"), "all/answers": labels("A1"), "all/other": labels("A2")})
    assert len(one_step.leaderboard("gold.xml", "all", task="3", n_resamples=99).invalid) == 1
    write({"all/about.txt": DESCRIPTION.format(3, "A1") + DESCRIPTION.format(4, "A2")})
    assert not one_step.leaderboard("gold.xml", "all", task="3", n_resamples=99).invalid
    assert [e.tag for e in one_step.leaderboard("gold.xml", "all", task="4", n_resamples=99).entries] == ["A2"]


@pytest.mark.parametrize("command", ["evaluate", "compare"])
def test_parts_find_each_other_in_every_command(command, capsys):
    write({"in/A/task3.A1": articles("A1", 5), "in/A/labels": labels("A1"), "in/task3.B1": articles("B1", 3),
           "in/x.txt": labels("B1", 4), "in/README": "hello\n"})  # fmt: skip
    assert main([command, "gold.xml", "in", "-f", "json"]) == 0
    out, err = capsys.readouterr()
    assert sorted(run["tag"] for run in json.loads(out)["runs"]) == ["A1", "B1"]
    assert mentions(err, "[passed-over] 1 … in/README")
    if command == "evaluate":
        scores = {run["tag"]: run["measures"]["Accuracy"] for run in json.loads(out)["runs"]}
        assert scores == {"A1": pytest.approx(5 / 6), "B1": pytest.approx(3 / 6)}


def test_tune_and_fuse_group_what_a_folder_holds(capsys):
    write({"in/A/task3.A1": articles("A1", 5) + "R07-06-U Q0 6 2 0.5 A1\n", "in/A/labels": labels("A1"),
           "in/task3.B1": articles("B1", 3), "in/x.txt": labels("B1", 4), "in/README": "hello\n",
           "in/task1.txt": cases("C1")})  # fmt: skip
    assert main(["tune", "gold.xml", "in", "--folds", "2", "-f", "json"]) == 0
    out, err = capsys.readouterr()
    found = {
        one["tag"]: (one["measure"], round(one["held_out"] - one["gain"]["value"], 4))
        for one in json.loads(out)["tunings"]
    }
    assert found == {"A1": ("Accuracy", 1.0), "B1": ("Accuracy", pytest.approx(3 / 6))}
    assert mentions(err, "[passed-over] 1 … in/task1.txt …")
    assert main(["tune", "gold.xml", "in", "--save", "rule.json"]) == 2
    assert "there are 2" in capsys.readouterr().err
    assert main(["tune", "gold.xml", "in/A", "--folds", "2", "--save", "rule.json"]) == 0
    capsys.readouterr()
    assert main(["fuse", "in", "--fit", "gold.xml", "--folds", "2", "-o", "fused.txt"]) == 0
    out, err = capsys.readouterr()
    assert sorted(line.split()[0] for line in out.splitlines()[1:3]) == ["A1", "B1"]
    assert mentions(err, "[passed-over] 1 … in/task1.txt …")
    assert mentions(err, "… 2 files …")
    # without a gold, what --task says
    assert main(["fuse", "in", "--task", "3", "--method", "union", "-o", "-"]) == 0
    out, err = capsys.readouterr()
    assert {line.split()[2] for line in out.splitlines()} == {*"123456", "99"}
    assert mentions(err, "[passed-over] 2 … in/x.txt, in/A/labels …")
    assert mentions(err, "[passed-over] 1 … in/task1.txt …")


def test_without_a_gold_the_files_of_one_task_are_fused_and_of_a_run_its_ranking(capsys):
    ranked = "".join(f"R07-01-U Q0 {n} {n} {1 / n} A1\n" for n in range(1, 9))
    write({"in/task3.A1": articles("A1", 2), "in/task3-L.A1": ranked, "in/B1": articles("B1", 2),
           "in/B1 (1)": articles("B1", 2), "more/task1.C1": cases("C1"), "more/C2.txt": cases("C2")})  # fmt: skip
    assert main(["fuse", "in", "-o", "-"]) == 0
    out, err = capsys.readouterr()
    assert {line.split()[2] for line in out.splitlines() if line.startswith("R07-01-U")} >= set("12345678")
    assert mentions(err, "[passed-over] 1 … in/task3.A1 …")
    assert mentions(err, "[passed-over] 1 … in/B1 (1) (= in/B1) …")
    assert main(["fuse", "in", "more", "-o", "fused.txt"]) == 2
    err = capsys.readouterr().err
    assert "--task" in err and "in/B1" in err and "more/C2.txt" in err and not Path("fused.txt").exists()
    assert main(["fuse", "in", "more", "--task", "1", "-o", "-"]) == 0
    out, err = capsys.readouterr()
    assert {line.split()[0] for line in out.splitlines()} == {f"{n:06}" for n in range(1, 11)}
    assert mentions(err, "[passed-over] 4 …")


@pytest.mark.parametrize("command", ["plan", "report", "tune"])
def test_every_command_names_what_it_passes_over_once(command, capsys, monkeypatch):
    if command == "report":  # without Vega's script, which takes longer than all else
        monkeypatch.setattr("coliee_ir.commands.report.drawing.start_drawing_process", lambda: None)
        monkeypatch.setattr("coliee_ir.commands.report.drawing.script", str)
    write({"in/a": cases("A1"), "in/b": cases("B1", 6), "in/labels_2026.json": GOLD, "in/task4.C": labels("C1"),
           "in/notes.pdf": b"%PDF-1.7\n", "in/b (1)": cases("B1", 6)})  # fmt: skip
    more = {"report": ["-o", "page.html"], "tune": ["--folds", "2"]}
    assert main([command, "gold.json", "in", *more.get(command, [])]) == 0
    err = capsys.readouterr().err
    for name in ("labels_2026.json", "task4.C", "notes.pdf", "b (1)"):
        assert err.count(f"in/{name}") == 1, name


def test_a_task_within_the_name_of_a_system_is_not_that_of_the_run(capsys):
    write({"task4/R07.bert-task3aug_v1": labels("bert3"), "task4/R07.bert-task3": labels("bert"),
           "task4/b": labels("b"), "task4/task3.C": labels("C")})  # fmt: skip
    board = one_step.leaderboard("gold.xml", "task4", task="4", n_resamples=99)
    assert sorted(entry.tag for entry in board.entries) == ["b", "bert", "bert3"]


@pytest.mark.parametrize("name", ["gold.json", "task1_train_labels_2025.json", "old-gold.2024.json"])
def test_a_gold_in_json_is_no_run_of_a_folder_unless_it_is_named(name):
    write({f"all/{name}": GOLD, "all/A.txt": cases("A"), "all/golden.json": GOLD, "all/labels_of_run1.json": GOLD})
    kept, passed = sorted_out(["all"])
    assert sorted(kept) == ["all/A.txt", "all/golden.json", "all/labels_of_run1.json"]
    assert passed == {"named": [f"all/{name}"]}
    assert sorted_out([f"all/{name}"])[0] == [f"all/{name}"]


def test_of_a_run_with_a_long_list_the_list_is_tuned_and_fused(capsys):
    longer = {tag: "".join(f"R07-0{n}-U Q0 {k} {k} {9 - k} {tag}\n" for n in range(1, 7) for k in range(1, 8))
              for tag in ("A1", "B1")}  # fmt: skip
    write(
        {f"in/task3.{tag}": articles(tag, 5) for tag in longer} | {f"in/task3-L.{tag}": longer[tag] for tag in longer}
    )
    given = ["--edition", "2025", "--folds", "2"]
    assert main(["tune", "gold.xml", "in", *given, "--by", "k", "-f", "json"]) == 0
    held = json.loads(capsys.readouterr().out)["tunings"]
    assert {one["file"] for one in held} == {"in/task3-L.A1", "in/task3-L.B1"}
    assert main(["fuse", "in", "--fit", "gold.xml", *given, "-o", "fused.txt"]) == 0
    capsys.readouterr()
    assert {line.split()[2] for line in Path("fused.txt").read_text().splitlines()} > {"1", "2"}


@pytest.mark.parametrize(
    ("path", "task"),
    [("A/task3.A1", "3"), ("Task 4/run.txt", "4"), ("task1/x_task_2.txt", ""), ("a/x_task_2.txt", "2"),
     ("task4/bert-task3aug", "4"), ("subtask3.A", ""), ("a/b.txt", ""), ("task10.txt", ""),
     ("TASK-5.B", "5")],
)  # fmt: skip
def test_a_path_may_name_the_task(path, task):
    assert named_task(path) == task


# lists of teams, and approaches


@pytest.mark.parametrize(
    "named",
    ["A1", "a1", "task1.A1", "x/task1.A1", "in/x/task1.A1", "./in/x/task1.A1", "in\\x\\task1.A1", "{cwd}/in/x/task1.A1",
     "IN/X//TASK1.A1"],
)  # fmt: skip
def test_a_list_of_teams_names_runs_in_any_spelling(named, tmp_path):
    named = named.format(cwd=tmp_path)
    write({"in/x/task1.A1": cases("A1"), "in/x/B1.txt": cases("B1", 4)})
    write({"t.csv": f"run,language,team,LLM\n{named},ja,Alpha,yes\nC1,en,Gamma,no\n"})
    board = one_step.leaderboard("gold.json", "in", task="1", teams="t.csv", n_resamples=99)
    assert [(entry.team, entry.tag) for entry in board.entries] == [("Alpha", "A1"), ("x", "B1")]
    said = [remark for remark in board.remarks if "teams file" in remark][-2:]  # before: what a tag moves
    assert matches(heard(said), ["[team-list] … 1 run … C1 …", "[team-list] 1 run … B1 …"])
    for name in ("ranking", "results"):
        table = board.table(name)
        at = list(table.header).index("language")
        assert list(table.header[at : at + 2]) == ["language", "LLM"]
        assert [row[at : at + 2] for row in table.rows] == [["ja", "yes"], ["", ""]]


def test_approaches_are_printed_from_the_descriptions():
    about = DESCRIPTION.format(1, "A1").replace("none", "BERT\nand GPT-2") + "- Explaination:\nBoth.\n"
    write({"in/a": cases("A1"), "in/b": cases("B1", 2), "in/about.txt": about})
    board = one_step.leaderboard("gold.json", "in", task="1", n_resamples=99)
    assert board.table("approaches").rows == [["A1", "BERT and GPT-2", "-", "Both."]]


@pytest.mark.parametrize(
    ("task", "edition", "sent", "teams"),
    [("1", 2026, "AAABBBB", ["B"]), ("1", 2026, "AAABBB", []), ("2", 2026, "AAAA", ["A"]), ("trec", None, "AAAAA", []),
     ("5", 2021, "AAAA", ["A"]), ("1", 2026, ["", "", "", ""], [])],
)  # fmt: skip
def test_more_runs_than_a_team_may_send_are_remarked(task, edition, sent, teams):
    found = [*too_many(sent, task, edition)]
    assert [(team, remark.kind) for team, remark in found] == [(team, "many-runs") for team in teams]
    assert all("4" in remark and "3" in remark for _, remark in found)
