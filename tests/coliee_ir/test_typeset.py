"""LaTeX that fits the page and loses no row; where pdflatex is installed, it is set and looked at."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from unicodedata import combining

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coliee_adapters.display import width
from coliee_ir.output.grid import Grid, Number, latex, styled


def board(rows: int, columns: int, words: int = 8) -> Grid:
    header = ["run", *(f"{'measure' * 2}{at}" for at in range(columns))]
    cells = [[f"{'x' * words} {at}", *(Number(0.5 + at / 1000) for _ in range(columns))] for at in range(rows)]
    return Grid(header, cells, "A caption.", n_text=1, label="tab:x")


PROSE = Grid(
    ["run", "models", "approach"], [[f"A{n}", "https://example.org/ " * 6, "words and words " * 20] for n in range(20)],
    "Approaches.",
)  # fmt: skip
#: as teams call themselves, and as nobody should
NAMES = (
    "ĐH Bách Khoa Hà Nội", "Nguyễn & Sơn (Huế, Cửu Long)", "東京大学", "R&D #1 50%_A", "a~b^c", "x{y}\\z", "$money$",
    "<b>|t|</b>", "[x]", "*", '"q"', "–—…", "Łódź ß ı", "Ħal Għargħur", "العربية", "\u200bx",
)  # fmt: skip
ADDRESSES = Grid(
    ["run", "models", "explanation"],
    [[name, "https://huggingface.co/some-organisation/multilingual_e5-large-instruct?revision=main&x=1 (2024-05-01)",
      "https://example.org/" + "averylongname" * 6] for name in NAMES],
    "Approaches of " + ", ".join(NAMES), label="tab:a",
)  # fmt: skip
TABLES = {
    "names": Grid(["team", "50%_F1"], [[name, Number(0.5)] for name in NAMES], label="tab:n"), "addresses": ADDRESSES,
    "just a page": board(44, 3), "from here over pages": board(45, 3), "turned, and too high": board(40, 9, 60),
    "words over pages": Grid(["run", "approach"], [[f"A{n}", "words and words " * 60] for n in range(20)], "Words."),
    "small": board(3, 3), "wide heads": board(30, 8), "Table 12": board(20, 30), "30 runs": board(8, 30),
    "long": board(400, 4),
    "long and wide": board(400, 12), "much too wide": board(5, 200), "words": PROSE, "a long tag": board(3, 4, 60),
}  # fmt: skip


@pytest.mark.parametrize("name", TABLES)
def test_no_row_is_lost_and_every_environment_is_closed(name: str) -> None:
    grid, text = TABLES[name], latex(TABLES[name])
    begun, ended = (re.findall(rf"\\{word}{{(\w+)}}", text) for word in ("begin", "end"))
    assert sorted(begun) == sorted(ended)
    rows = [re.split(r"(?<!\\)&", line) for line in text.splitlines() if line.endswith(r"\\") and "caption" not in line]
    heads = 2 if "longtable" in begun else 1
    columns = re.search(rf"\\begin{{{'longtable' if heads == 2 else 'tabular'}}}{{(.*)}}\n", text)
    assert columns and {len(row) for row in rows} == {len(re.findall("[lrp]", re.sub("{.*?}+", "", columns[1])))}
    height, width = len(grid.rows), len(grid.header)
    assert (len(rows) - heads, len(rows[0])) in ((height, width), (width - 1, height + 1))
    if height >= 45:
        assert heads == 2
    assert f"\\label{{{grid.label}}}" in text or not grid.label


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=30))
def test_any_name_is_a_cell_with_closed_braces_and_letters_that_are_declared(name: str) -> None:
    text = latex(Grid(["x"], [[name]]))
    cell = text.split("\\midrule\n")[1].split(" \\\\\n\\bottomrule")[0]
    bare = re.sub(r"\$\\[A-Za-z]+\$|\\[a-zA-Z]+\{\}|\\[{}$&#_%]|\{[][*]\}", "", cell)
    assert not set(bare) & set('\\{}$&#_%~^<>|"[]*\n')
    declared = {chr(int(code, 16)) for code in re.findall(r"\\DeclareUnicodeCharacter{([0-9A-F]+)}", text)}
    assert {letter for letter in bare if letter > "\u2fff" or "\u0370" < letter < "\u1fff"} <= declared
    assert text.count("{") - text.count(r"\{") == text.count("}") - text.count(r"\}")


def test_a_long_word_is_not_broken_within_a_sign() -> None:
    word = "अनुच्छेद" * 20
    text = latex(Grid(["run", "F1"], [[word, Number(0.5)]]))
    pieces = next(line for line in text.splitlines() if "allowbreak" in line).split(r"\allowbreak{}")
    assert len(pieces) > 2
    assert all(width(piece[0]) == 1 and combining(piece[-1]) != 9 for piece in pieces)


def test_letters_have_a_legend() -> None:
    text = latex(TABLES["wide heads"])
    assert r"run & A & B & C & D & E & F & G & H \\" in text
    assert "A: measuremeasure0, B: measuremeasure1" in text
    assert r"\label{tab:x}" in text


def test_decimals_and_percent() -> None:
    grid = Grid(
        ["run", "F1", "n", "share"], [["a", Number(0.12345, bold=True), Number(3, "3"), Number(33.333, "33.3")]]
    )
    for decimals, percent, expected in (
        (None, False, ["0.1235", "3", "33.3"]), (2, False, ["0.12", "3", "33.33"]), (None, True, ["12.3", "3", "33.3"]),
        (0, True, ["12", "3", "33"]),
    ):  # fmt: skip
        shown = styled(grid, decimals, percent=percent).rows[0]
        assert [cell.text for cell in shown[1:] if isinstance(cell, Number)] == expected


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
def test_nothing_stands_over_the_edge(tmp_path: Path) -> None:
    for number, (name, grid) in enumerate(TABLES.items()):
        text = latex(grid)
        packages = re.match(r"% (\\usepackage.*)", text)
        assert packages
        unknown = re.search(r"^% pdflatex: (.*)", text, re.MULTILINE)
        (tmp_path / "t.tex").write_text(
            "\\documentclass[a4paper]{article}\n\\usepackage[T1]{fontenc}\\usepackage{textcomp}\n"
            "\\IfFileExists{lmodern.sty}{\\usepackage{lmodern}}{}\n"
            f"{packages[1]}{unknown[1] if unknown else ''}\n\\begin{{document}}\n{text}\\end{{document}}\n",
            encoding="utf-8",
        )
        done = subprocess.run(
            ["pdflatex", "-interaction=nonstopmode", "t.tex"], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, (number, name, done.stdout[-2000:])
        assert not re.search(r"Overfull \\[hv]box|Float too large", done.stdout), (name, done.stdout)
