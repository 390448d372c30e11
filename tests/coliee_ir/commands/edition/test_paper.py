"""The paper of an edition: one document whose parts are all there, and the columns of the tables of 2021."""

import re
import shutil
import subprocess
from dataclasses import replace

import one_step
import pytest
from example_runs import EXAMPLES
from sent import write

from coliee_ir import Answers, Run
from coliee_ir.commands.edition import Edition, Public, TaskPart
from coliee_ir.commands.edition.public import Pictures, is_worth, paper_files, set_tables
from coliee_ir.output.grid import Grid

GOLD = {"000001": ["000011"], "000002": ["000012", "000013"]}


def paper(*boards, style="", **part):
    tasks = tuple(TaskPart(board.task, board.gold, **part) for board in boards)
    made = paper_files(boards, Edition("", "COLIEE & Co", (), tasks, Public(), style=style), Pictures({}))
    return {name: text if isinstance(text, str) else text.decode("latin-1") for name, text in made.items()}


def table(text):
    return [re.split(r" (?<!\\)& ", line.removesuffix(r" \\")) for line in text.splitlines() if line.endswith(r"\\")]


def cases(*tags):
    runs = (Run.of({"000001": ["000011"], "000002": [tag]}, tag=tag) for tag in tags)
    return one_step.leaderboard(GOLD, *runs, task="1", n_resamples=9)


def answers(n_runs):
    gold = {f"R02-{n}-A": "NY"[n >= 43] for n in range(81)}
    of_runs = [[(label == "Y") == (at < 57 - run) for at, label in enumerate(gold.values())] for run in range(n_runs)]
    runs = [Answers(dict(zip(gold, of, strict=True)), tag=f"r{at}") for at, of in enumerate(of_runs)]
    return one_step.leaderboard(gold, *runs, task="4", edition=2021, n_resamples=9)


def test_one_document_has_every_part_once():
    made = paper(cases("a_1", "000012"), answers(2))
    main, whole = made["paper.tex"], "".join(made.values())
    inputs, drawn = re.findall(r"\\input\{(.*?)\}", main), re.findall(r"\\includegraphics\[.*?\]\{(.*?)\}", whole)
    assert sorted(["paper.tex", *inputs, *drawn]) == sorted(made)
    assert all(re.match("task[14]-|data|note", name) for name in (*inputs, *drawn))
    labels = re.findall(r"\\label\{(.*?)\}", whole)
    unlabelled = [name for name in inputs if "figures" in name or name == "note.tex"]
    assert len(labels) == len({*labels}) == len(made) - 1 - len(unlabelled)
    for text in (made[name] for name in ("paper.tex", *inputs)):
        begun, ended = (sorted(re.findall(rf"\\{word}{{(\w+)}}", text)) for word in ("begin", "end"))
        assert begun == ended and text.count("{") - text.count("\\{") == text.count("}") - text.count("\\}")
    empty, one = (Grid(["n"], [["1"]] * n, "", label="tab:task1-relevant") for n in (0, 1))
    assert not is_worth(one) and not is_worth(replace(empty, label="tab:task1-results"))
    assert main.startswith("% !TeX program = pdflatex\n") and r"\title{COLIEE \& Co}" in main
    assert table(made["task1-results.tex"])[:2] == [
        ["Place", "File", "Run", "F1", "Precision", "Recall", r"Rank 95\%", r"Interval 95\%"],
        ["1", "000012", "000012", *(rf"\textbf{{{score}}}" for score in ("0.8000", "1.0000", "0.6667")), "1–2",
         "{[}.000, 1.000{]}"],
    ]  # fmt: skip
    assert [row[0] for row in table(made["data.tex"])] == ["Data", "Task 1, test", "Task 4, test"]
    japanese = paper(cases("東京"))["paper.tex"]
    assert japanese.startswith("% !TeX program = lualatex\n") and "luatexja" in japanese and "luatexja" not in main
    # what ranks mean stands once, and wide figures over both columns
    notes = made.pop("note.tex").strip().split("\n\n")
    assert len(notes) == len({*notes}) > 0 and "true rank" not in "".join(made.values())
    assert r"\begin{figure}" in made["task1-figures.tex"] and r"\begin{figure*}" in made["task4-figures.tex"]


def test_tables_have_the_columns_and_decimals_of_2021(here):
    kinds = "".join(f"R02-{n}-A,Agency{'|Negation' * (n % 2)}\n" for n in range(81))
    write({"kinds.csv": f"query,category\n{kinds}000001,Agency\n000002,Negation\n"})
    made = paper(answers(12), style="coliee2021", categories="kinds.csv")
    assert table(made["task4-results.tex"])[:3] == [
        ["Run", "Correct", "Accuracy"], ["BaseLine", "No 43/All 81", "0.5309"], ["r0", "57", r"\textbf{0.7037}"]
    ]  # fmt: skip
    heads, first, *_ = table(made["task4-categories.tex"])
    assert heads == ["Category", "Questions", "all N", *"ABCDEFGHIJKL"]
    assert first[:4] == ["Agency", "81", "53", r"\textbf{70}"]
    assert "A: r0, B: r1" in made["task4-categories.tex"]
    task3 = EXAMPLES / "task3-2025"
    board = one_step.leaderboard(task3 / "gold.xml", task3, task="3", edition=2025, n_resamples=9)
    heads, first, *_ = table(paper(board, style="coliee2021")["task3-results.tex"])
    assert heads == ["Run", "Returned", "Retrieved", "F2", "P", "R", "MAP", "R@5", "R@10", "R@30"]
    assert first == ["ALPHA", "55", "29", *(rf"\textbf{{{score}}}" for score in
                     ("0.694", "0.700", "0.728", "0.775", "0.810", "0.881", "0.976"))]  # fmt: skip
    # questions are crossed in a table for one relevant document and one for several
    made = paper(cases("000012"), style="coliee2021", categories="kinds.csv")
    for name in ("one", "several"):
        heads, *rows = table(made[f"task1-crossed-{name}.tex"])
        assert (heads, len(rows)) == (["Mean", "Agency", "Negation"], 10)


@pytest.mark.parametrize(
    ("n_rows", "n_columns", "n_tables", "star"), [(9, 3, 1, ""), (9, 7, 1, "*"), (90, 3, 3, ""), (9, 24, 4, "*")]
)
def test_tables_can_be_read_in_two_columns(n_rows, n_columns, n_tables, star):
    header = ["run", *(f"measure {n}" for n in range(n_columns))]
    rows = [[f"r{row}", *(f"{row}.{at}" for at in range(n_columns))] for row in range(n_rows)]
    text = set_tables(Grid(header, rows, "Scores.", n_text=1, label="tab:x"))
    assert text.count(f"\\begin{{table{star}}}") == text.count("\\begin{table") == n_tables
    assert (text.count("Scores."), text.count("tab:x"), text.count("Continued.")) == (1, 1, n_tables - 1)
    cells = [line.removesuffix(" \\\\").split(" & ") for line in text.splitlines() if line.startswith("r")]
    assert all(line[0] for line in cells) and len({cell for _, *line in cells for cell in line}) >= n_rows * n_columns
    assert max(sum(6 * len(cell) + 12 for cell in line) for line in cells) < 700 and "longtable" not in text


CLASSES = ("article", "[twocolumn]{article}", "llncs", "[sigconf]{acmart}", "[conference]{IEEEtran}")


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
@pytest.mark.parametrize("name", CLASSES)
def test_no_table_is_lost_in_any_class(name, here):
    tasks = (TaskPart("1", ""), TaskPart("4", ""))
    edition = Edition("", "COLIEE", (), tasks, Public())
    made = paper_files([answers(60), cases("a_1", "000012")], edition, Pictures({}))
    (class_file,) = re.findall(r"(\w+)\}?$", name)
    if subprocess.run(["kpsewhich", f"{class_file}.cls"], capture_output=True, check=False).returncode:
        pytest.skip(f"{class_file} is not installed")
    if name != "article":  # whose first line is ours
        first = rf"\documentclass{name if '{' in name else f'{{{name}}}'}"
        made["paper.tex"] = re.sub(r"(?m)^\\documentclass.*", lambda _: first, made["paper.tex"])
    write(made)
    command = ["pdflatex", "-interaction=nonstopmode", "paper.tex"]
    done = subprocess.run(command, capture_output=True, check=False, timeout=120)
    assert done.returncode == 0, done.stdout[-2000:]
    labels = re.findall(r"\\label\{(.*?)\}", "".join(of for of in made.values() if isinstance(of, str)))
    assert {*labels} == {*re.findall(r"\\newlabel\{((?:tab|fig):.*?)\}", (here / "paper.aux").read_text())}
