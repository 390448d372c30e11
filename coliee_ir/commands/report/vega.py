"""What vl-convert makes of figures: the script that draws them on a page, and PDF, SVG and PNG for a paper.

The script is Vega, Vega-Lite and Vega-Embed in one, which a process of its own makes: its 100 MiB end with it.
"""

from __future__ import annotations

import atexit
import contextlib
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

from coliee_adapters.files.source import PathLike
from coliee_adapters.files.writing import made_folder, write_bytes, written
from coliee_ir.commands.report.drawing import VEGA_LITE, Figure, on_paper
from coliee_ir.output import grid

_SNIPPET: Final = "window.vegaEmbed = vegaEmbed;"
_CODE: Final = (
    "import sys, vl_convert as v; sys.stdout.buffer.write(v.javascript_bundle(sys.argv[1], sys.argv[2]).encode())"
)


@cache
def begin() -> subprocess.Popen[bytes] | None:
    """Begin to make it, which takes a second and more, beside other work; None where no process can be started."""
    process = None
    with contextlib.suppress(OSError):
        process = subprocess.Popen(
            [sys.executable, "-c", _CODE, _SNIPPET, VEGA_LITE],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        atexit.register(process.kill)  # where no page came of it
    return process


@cache
def script() -> str:
    """The script; this process makes it where another one cannot."""
    process = begin()
    if process is not None:
        made, _ = process.communicate()
        if process.returncode == 0:
            return made.decode()
    import vl_convert  # 8 MiB that a page seldom needs

    return str(vl_convert.javascript_bundle(_SNIPPET, VEGA_LITE))


#: pixels for each of the drawing's, about 300 to the inch in print
_SCALE: Final = 3


#: the endings of pictures
PICTURES: Final = (".svg", ".pdf", ".png")


def paths(names: Iterable[str], folder: PathLike) -> list[Path]:
    """The files that ``write_figures`` writes of figures with these names."""
    return [Path(folder, f"{name}{ending}") for name in names for ending in (*PICTURES, ".csv")]


def svg_of(figure: Figure, coloured: Callable[[Figure], dict[str, Any]] = on_paper) -> str:
    """A figure as SVG."""
    import vl_convert

    return str(vl_convert.vegalite_to_svg(coloured(figure), vl_version=VEGA_LITE))


def picture(svg: str, ending: str) -> bytes:
    """A drawing in one of ``PICTURES``."""
    if ending == ".svg":
        return svg.encode()
    import vl_convert

    return bytes(vl_convert.svg_to_pdf(svg) if ending == ".pdf" else vl_convert.svg_to_png(svg, scale=_SCALE))


def write_picture(figure: Figure, path: PathLike) -> None:
    """Write a figure to a file, as one of ``PICTURES`` by its name."""
    write_bytes(path, picture(svg_of(figure), Path(path).suffix))


def write_figures(figures: Sequence[Figure], folder: PathLike) -> list[Path]:
    """Write each figure as PDF, SVG and PNG, and its numbers as CSV."""
    place = made_folder(folder)
    for figure in figures:
        svg = svg_of(figure)
        for ending in PICTURES:
            write_bytes(place / f"{figure.name}{ending}", picture(svg, ending))
        with written(place / f"{figure.name}.csv") as stream:
            stream.write(grid.separated(figure.data))
    return paths((figure.name for figure in figures), place)
