"""What all figures have in common: what a figure is, its sizes, and its colours on a page and on paper.

A chart names colours by their role; only here a role becomes a colour: a variable of the page's style sheet, so that
the same drawing is light, dark or printed, or for a paper a fixed one. The colours of runs are Okabe and Ito's, which
people with any colour vision tell apart.
"""

from __future__ import annotations

import atexit
import contextlib
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

import altair as alt
from altair.utils import schemapi

from coliee_adapters.files.source import PathLike
from coliee_adapters.files.writing import make_folder, open_text_replacing, write_bytes
from coliee_ir.output import grid
from coliee_ir.output.grid import Grid

#: the version of Vega-Lite that is drawn with; vl-convert brings several
VEGA_LITE: Final = ".".join(alt.SCHEMA_VERSION.removeprefix("v").split(".")[:2])

#: width of a chart of full width, in pixels
WIDTH: Final = 780

#: so many runs have a colour of their own; the others are grey
COLOURS: Final = 7

#: role → how it looks on paper; on the page each is a variable of the style sheet
_PAPER: Final = {
    "ink": "#1b1b1a",
    "soft": "#60605b",
    "line": "#d9d9d2",
    "sheet": "#ffffff",
    "other": "#a3a39c",
    "good": "#006b4d",
    "bad": "#a33f00",
    **dict(
        zip(
            (f"run{i}" for i in range(1, COLOURS + 1)),
            ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000"),
            strict=True,
        )
    ),
}

#: how the keys end that hold colours
_COLOUR_KEYS: Final = ("color", "Color", "fill", "stroke", "range")

#: that of the style sheet; named, and not inherited, because Vega measures text before it stands on the page
_PAGE_FONT: Final = 'system-ui, "Segoe UI", Helvetica, Arial, "DejaVu Sans", sans-serif'

#: on paper, with those that have the characters of Japanese, Chinese, Korean and Hindi on the usual systems
_PAPER_FONT: Final = (
    "Helvetica, Arial, DejaVu Sans, Noto Sans CJK JP, Hiragino Sans, Yu Gothic, Noto Sans Devanagari, Nirmala UI, "
    "sans-serif"
)

_SHAPES: Final = ("circle", "square", "triangle-up", "diamond", "triangle-down", "cross", "triangle-right")


class Figure(NamedTuple):
    """A chart with what it says in words and in numbers."""

    name: str  # its name among the figures: lower-case letters, digits and hyphens
    title: str  # what it shows
    says: str  # its text alternative
    chart: dict[str, Any]  # its definition in Vega-Lite
    data: Grid  # what is drawn, as a table


def figure(name: str, title: str, says: str, chart: alt.TopLevelMixin, data: Grid, **names: Sequence[str]) -> Figure:
    """A figure of an Altair chart."""
    definition = chart.to_dict(validate=False)  # the tests validate
    definition.pop("config", None)  # Altair's own taste in sizes
    called = [{"name": what, "value": list(of)} for what, of in names.items()]
    return Figure(name, title, says, {**definition, "params": [*definition.get("params", []), *called]}, data)


class _Rows(alt.NamedData):
    """Data of a chart, which Altair neither copies nor looks into: it names them, and they stand beside the chart."""

    def __init__(self, values: Sequence[dict[str, Any]]) -> None:
        object.__setattr__(self, "values", list(values))  # Altair's own would be a part of the chart
        super().__init__(name=f"rows{id(self.values)}")  # tells data apart

    def __deepcopy__(self, _: object) -> _Rows:
        return self

    def to_dict(self, *_: Any, context: dict[str, Any] | None = None, **__: Any) -> dict[str, Any]:
        datasets: dict[str, Any] = {} if context is None else context.setdefault("datasets", {})
        for name, values in datasets.items():
            if values is self.values:
                return {"name": name}
        name = f"rows{len(datasets)}"
        datasets[name] = self.values
        return {"name": name}


def rows(values: Sequence[dict[str, Any]]) -> alt.NamedData:
    """Data of a chart."""
    return _Rows(values)


def unchecked() -> AbstractContextManager[None]:
    """In this block Altair does not hold each part of a chart against its schema, which takes most of its time."""
    return schemapi.debug_mode(False)  # the tests hold the finished charts against it


def number_label(what: str) -> str:
    """An expression for the name of a number.

    What users name stands in data and in parameters only: were it in a domain or an order, Vega-Lite would make it a
    part of an expression, or the name of a member, which ``__proto__`` cannot be.
    """
    return f"{what}[datum.value]"


def name_axis(what: str = "runs", **more: Any) -> alt.Axis:
    """An axis with names and nothing else."""
    return alt.Axis(
        grid=False,
        ticks=False,
        labelFontSize=12,
        labelColor="@ink",
        labelPadding=6,
        labelExpr=number_label(what),
        **more,
    )


def run_colour(n: int, runs: Sequence[int] | None = None) -> alt.Color:
    """The colour of each of n runs, in every figure: its own for the best ones, grey for the others.

    The legend has the runs that are there, by default all.
    """
    return alt.Color(
        "r:N",
        legend=_legend(n, runs),
        scale=alt.Scale(
            domain=list(range(n)), range=[f"@run{i}" if i <= COLOURS else "@other" for i in range(1, n + 1)]
        ),
    )


def run_shape(n: int) -> alt.Shape:
    """The shape of each of n runs, so that colour is never alone in telling runs apart."""
    return alt.Shape(
        "r:N",
        legend=_legend(n),
        scale=alt.Scale(domain=list(range(n)), range=[_SHAPES[i % len(_SHAPES)] for i in range(n)]),
    )


def _legend(n: int, runs: Sequence[int] | None = None) -> alt.Legend | None:
    """The runs that have a colour; pointing at the others names them. None where no run is to be named."""
    values = [run for run in (range(n) if runs is None else runs) if run < COLOURS]
    return alt.Legend(title=None, columns=4, values=values, labelExpr=number_label("runs")) if values else None


def on_page(figure: Figure) -> dict[str, Any]:
    """The definition with the colours of the page."""
    return _coloured(figure.chart, {role: f"var(--{role})" for role in _PAPER}, _PAGE_FONT, background=None)


def on_paper(figure: Figure) -> dict[str, Any]:
    """The definition with the colours of a paper."""
    return _coloured(figure.chart, _PAPER, _PAPER_FONT, background="#ffffff")


def _coloured(chart: dict[str, Any], colour: dict[str, str], font: str, background: str | None) -> dict[str, Any]:
    return {**_roles_replaced(chart, colour), "background": background, "config": _config(colour, font)}


def _roles_replaced(part: Any, colour: dict[str, str], key: str = "") -> Any:
    """A definition in which ``@role`` is the colour of that role; data stay as they are."""
    if isinstance(part, dict):
        return {
            name: value if name in ("data", "datasets", "from") else _roles_replaced(value, colour, name)
            for name, value in part.items()
        }
    if isinstance(part, list):
        return part if key in ("domain", "values", "sort") else [_roles_replaced(value, colour, key) for value in part]
    if isinstance(part, str) and part.startswith("@") and key.endswith(_COLOUR_KEYS):
        return colour[part[1:]]
    return part


def _config(colour: dict[str, str], font: str) -> dict[str, Any]:
    ink, soft, line = colour["ink"], colour["soft"], colour["line"]
    words = {
        "labelColor": soft,
        "titleColor": ink,
        "labelFontSize": 11,
        "titleFontSize": 11,
        "titleFontWeight": "normal",
    }
    return {
        "font": font,
        "aria": False,  # the figure as a whole has a text alternative
        "view": {"stroke": None},
        "axis": {**words, "domain": False, "grid": True, "gridColor": line, "tickColor": line, "labelLimit": 180,
                 "titleLimit": 320, "titlePadding": 8},
        "legend": {**words, "labelLimit": 180, "symbolStrokeWidth": 2, "orient": "top"},
        "header": {**words, "labelLimit": 180, "labelFontSize": 12, "labelColor": ink},
        "title": {"color": ink, "fontSize": 12, "fontWeight": "normal", "anchor": "start", "limit": 200},
        "text": {"color": ink, "fontSize": 11},
        "rule": {"color": soft},
        "point": {"filled": True, "size": 55, "opacity": 1, "color": colour["run1"]},
        "line": {"strokeWidth": 1.8, "color": colour["run1"]},
        "bar": {"color": colour["run1"]},
        "rect": {"strokeWidth": 0},
        "range": {"heatmap": {"scheme": "viridis"}, "ramp": {"scheme": "viridis"}},
        "style": {"cell": {"stroke": None}},
    }  # fmt: skip


_SNIPPET: Final = "window.vegaEmbed = vegaEmbed;"
_CODE: Final = (
    "import sys, vl_convert as v; sys.stdout.buffer.write(v.javascript_bundle(sys.argv[1], sys.argv[2]).encode())"
)


@cache
def start_drawing_process() -> subprocess.Popen[bytes] | None:
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
    process = start_drawing_process()
    if process is not None:
        output, _ = process.communicate()
        if process.returncode == 0:
            return output.decode()
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


def write_figures(figures: Sequence[Figure], folder: PathLike) -> list[Path]:
    """Write each figure as PDF, SVG and PNG, and its numbers as CSV."""
    place = make_folder(folder)
    for figure in figures:
        svg = svg_of(figure)
        for ending in PICTURES:
            write_bytes(place / f"{figure.name}{ending}", picture(svg, ending))
        with open_text_replacing(place / f"{figure.name}.csv") as stream:
            stream.write(grid.separated(figure.data))
    return paths((figure.name for figure in figures), place)
