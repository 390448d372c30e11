"""LaTeX that loses no row and closes what it opens; where pdflatex is installed, it is compiled."""

import re
import shutil
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coliee_ir.output.grid import Grid, Number, latex


def board(rows, columns, words=8):
    header = ["run", *(f"{'measure' * 2}{at}" for at in range(columns))]
    cells = [[f"{'x' * words} {at}", *(Number(0.5 + at / 1000) for _ in range(columns))] for at in range(rows)]
    return Grid(header, cells, "A caption.", n_text=1, label="tab:x")


#: as teams call themselves, and as nobody should
NAMES = (
    "ĐH Bách Khoa Hà Nội", "Nguyễn & Sơn (Huế, Cửu Long)", "東京大学", "R&D #1 50%_A", "a~b^c", "x{y}\\z", "$money$",
    "<b>|t|</b>", "[x]", "*", '"q"', "–—…", "Łódź ß ı", "Ħal Għargħur", "العربية", "\u200bx",
)  # fmt: skip
ADDRESS = "https://huggingface.co/some-organisation/multilingual_e5-large-instruct?revision=main&x=1 (2024-05-01)"
LONG = "https://example.org/" + "averylongname" * 6
PROSE = [[f"A{n}", "https://example.org/ " * 6, "words and words " * 20] for n in range(20)]
HEADER = ["run", "models", "approach"]
TABLES = {
    "names": Grid(["team", "50%_F1"], [[name, Number(0.5)] for name in NAMES], label="tab:n"),
    "addresses": Grid(HEADER, [[name, ADDRESS, LONG] for name in NAMES], ", ".join(NAMES), label="tab:a"),
    "just a page": board(44, 3), "from here over pages": board(45, 3),
    "long and wide": board(400, 12), "words": Grid(HEADER, PROSE, "Approaches."), "a long tag": board(3, 4, 60),
}  # fmt: skip


@pytest.mark.parametrize("name", TABLES)
def test_no_row_is_lost_and_every_environment_is_closed(name):
    grid, text = TABLES[name], latex(TABLES[name])
    begun, ended = (re.findall(rf"\\{word}{{(\w+)}}", text) for word in ("begin", "end"))
    assert sorted(begun) == sorted(ended)
    assert ("longtable" in begun) == (len(grid.rows) >= 45 or name in ("addresses", "words"))
    assert ("adjustbox" in begun) == ("longtable" not in begun)
    needed = {*begun} & {"adjustbox", "longtable"} | ({"array"} if r"\arraybackslash" in text else set())
    assert needed <= set(re.split("[{},]", text.splitlines()[0]))
    (columns,) = re.findall(r"\\begin\{(?:tabular|longtable)\}\{(.*)\}", text)
    shares = [float(share) for share in re.findall(r"p\{(\.?[\d.]+)\\linewidth\}", columns)]
    assert len(re.sub(r">\{.*?\}p\{.*?\}", "p", columns)) == len(grid.header)
    assert sum(shares) < 0.8
    rows = [re.split(r"(?<!\\)&", line) for line in text.splitlines() if line.endswith(r"\\") and "caption" not in line]
    assert {len(row) for row in rows} == {len(grid.header)}
    assert len(rows) == len(grid.rows) + (2 if "longtable" in begun else 1)
    assert f"\\label{{{grid.label}}}" in text or not grid.label
    assert ("lualatex" in text.splitlines()[0]) == (name in ("names", "addresses"))  # for what pdflatex lacks


def test_letters_are_as_large_as_a_line_has_room_for():
    for columns, size in ((4, ""), (5, r"\footnotesize"), (6, r"\scriptsize")):
        assert "".join(re.findall(r"\\[a-z]+size|\\small", latex(board(45, columns)))) == size


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=30))
def test_any_name_is_a_cell_with_closed_braces(name):
    text = latex(Grid(["x"], [[name]]))
    cell = text.split("\\midrule\n")[1].split(" \\\\\n\\bottomrule")[0]
    bare = re.sub(r"\$\\[A-Za-z]+\$|\\[a-zA-Z]+\{\}|\\[{}$&#_%]|\{[][*]\}", "", cell)
    assert not set(bare) & set('\\{}$&#_%~^<>|"[]*\n')
    assert text.count("{") - text.count(r"\{") == text.count("}") - text.count(r"\}")


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
def test_latex_compiles(tmp_path):
    for name, grid in TABLES.items():
        text = latex(grid)
        packages = re.match(r"% (\\usepackage.*)", text)[1]
        if "lualatex" not in text:
            (tmp_path / "t.tex").write_text(
                "\\documentclass[a4paper]{article}\n\\usepackage[T1]{fontenc}\\usepackage{textcomp}\n"
                f"{packages}\n\\begin{{document}}\n{text}\\end{{document}}\n", encoding="utf-8",
            )  # fmt: skip
            command = ["pdflatex", "-interaction=nonstopmode", "t.tex"]
            done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
            assert done.returncode == 0, (name, done.stdout[-2000:])
