"""What a leaderboard is written to: a paper."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from coliee_ir.commands.leaderboard.board import Board
from coliee_ir.output import grid

_JAPANESE: Final = re.compile("[\u3000-\u9fff\uf900-\ufaff\uff00-\uffef]")


def paper(board: Board, tables: Sequence[str], *, figures: bool) -> str:
    """A LaTeX document that includes all tables, and the figures, which lie beside it."""
    title = grid.in_latex(board.protocol.titled(board.edition))
    inputs = "".join(f"\\input{{{Path(file).name}}}\n\\clearpage\n" for file in tables)
    has_japanese = any(_JAPANESE.search(Path(file).read_text("utf-8")) for file in tables)
    return (
        "\\documentclass[a4paper]{article}\n"
        "\\usepackage{iftex}\n"
        "\\ifPDFTeX\\usepackage[T1]{fontenc}\\usepackage{textcomp}\\fi\n"
        + ("\\ifLuaTeX\\usepackage{luatexja}\\fi % for names in Japanese\n" if has_japanese else "")
        + "\\IfFileExists{lmodern.sty}{\\usepackage{lmodern}}{}\n"
        "\\usepackage{booktabs,adjustbox,longtable,graphicx}\n"
        f"\\title{{{title}}}\n\\author{{}}\n\\date{{}}\n\\begin{{document}}\n\\maketitle\n{inputs}"
        + ("\\input{overview.tex}\n" if figures else "")
        + "\\end{document}\n"
    )
