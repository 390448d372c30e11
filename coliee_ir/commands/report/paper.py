"""The figures as files for a paper: PDF, SVG and PNG of the page's definitions, and their numbers as CSV."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Final

import vl_convert

from coliee_adapters.files.source import PathLike
from coliee_adapters.files.writing import made_folder, write_bytes, written
from coliee_ir.commands.report.drawing import VEGA_LITE, Figure, on_paper
from coliee_ir.output import grid

#: pixels for each of the drawing's, about 300 to the inch in print
_SCALE: Final = 3


def paths(names: Iterable[str], folder: PathLike) -> list[Path]:
    """The files that ``write_figures`` writes of figures with these names."""
    return [Path(folder, f"{name}.{ending}") for name in names for ending in ("svg", "pdf", "png", "csv")]


#: the endings of pictures
PICTURES: Final = (".svg", ".pdf", ".png")


def svg_of(figure: Figure, coloured: Callable[[Figure], dict[str, Any]] = on_paper) -> str:
    """A figure as SVG."""
    return str(vl_convert.vegalite_to_svg(coloured(figure), vl_version=VEGA_LITE))


def picture(svg: str, ending: str) -> bytes:
    """A drawing in one of ``PICTURES``."""
    if ending == ".svg":
        return svg.encode()
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
