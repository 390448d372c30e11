"""LaTeX that fits the page and loses no row; where pdflatex is installed, it is set and looked at."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from coliee_ir.output.grid import Grid, Number, latex, styled


def board(rows: int, columns: int, words: int = 8) -> Grid:
    header = ["run", *(f"{'measure' * 2}{at}" for at in range(columns))]
    cells = [[f"{'x' * words} {at}", *(Number(0.5 + at / 1000) for _ in range(columns))] for at in range(rows)]
    return Grid(header, cells, "A caption.", n_text=1, label="tab:x")


PROSE = Grid(
    ["run", "models", "approach"], [[f"A{n}", "https://example.org/ " * 6, "words and words " * 20] for n in range(20)],
    "Approaches.",
)  # fmt: skip
TABLES = {
    "small": board(3, 3), "wide heads": board(30, 8), "Table 12": board(20, 30), "30 runs": board(8, 30),
    "long": board(400, 4),
    "long and wide": board(400, 12), "much too wide": board(5, 200), "words": PROSE, "a long tag": board(3, 4, 60),
}  # fmt: skip


@pytest.mark.parametrize("name", TABLES)
def test_no_row_is_lost_and_every_environment_is_closed(name: str) -> None:
    grid, text = TABLES[name], latex(TABLES[name])
    begun, ended = (re.findall(rf"\\{word}{{(\w+)}}", text) for word in ("begin", "end"))
    assert sorted(begun) == sorted(ended)
    rows = [line for line in text.splitlines() if line.endswith(r"\\") and "caption" not in line]
    body = [row.split(" & ")[0] for row in rows]
    if not {row[0] for row in grid.rows} <= set(body):  # turned: runs are columns
        assert len(rows) == len(grid.header)
        assert all(len(row.split(" & ")) == len(grid.rows) + 1 for row in rows)
    assert ("longtable" in begun) == (len(grid.rows) > 45)


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
        (tmp_path / "t.tex").write_text(
            f"\\documentclass[a4paper]{{article}}\n{packages[1]}\n\\begin{{document}}\n{text}\\end{{document}}\n"
        )
        done = subprocess.run(
            ["pdflatex", "-interaction=nonstopmode", "t.tex"], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, (number, name, done.stdout[-2000:])
        assert not re.search(r"Overfull \\[hv]box \((\d{2,})\.|Float too large", done.stdout), (name, done.stdout)
