"""How cost grows, as a picture, from the results of the benchmarks.

python -m benchmarks.plot results.json growth.svg
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

_TITLES = {"seconds": "processor seconds", "peak_mib": "peak memory, MiB"}

#: Okabe and Ito's colours and three more, which people with any colour vision tell apart
_COLOURS = [
    "#0072b2",
    "#d55e00",
    "#009e73",
    "#cc79a7",
    "#e69f00",
    "#56b4e9",
    "#000000",
    "#f0e442",
    "#882255",
    "#999999",
    "#44aa99",
]


def draw(rows: list[dict[str, Any]], path: Path) -> None:
    """Write the picture, of the form that the path's ending names: a column an axis, time above, memory below.

    Raises:
        ImportError: altair or vl-convert-python is not installed (``pip install coliee-ir[bench]``).
    """
    import altair as alt
    import vl_convert  # noqa: F401 - writes the picture for altair, which would only say so at the end

    rows = [{**row, "contender": row["contender"].partition(",")[0]} for row in rows]
    names = list(dict.fromkeys(row["contender"] for row in rows))
    colour = alt.Color("contender:N", title=None, scale=alt.Scale(domain=names, range=_COLOURS[: len(names)]))
    shape = alt.Shape("contender:N", title=None, scale=alt.Scale(domain=names))
    columns: list[alt.VConcatChart] = []
    for axis in dict.fromkeys(row["axis"] for row in rows):
        values = [{name: row[name] for name in ("contender", "value", *_TITLES)} for row in rows if row["axis"] == axis]
        cells = []
        for measured, title in _TITLES.items():
            ticks = _round_numbers([row[measured] for row in rows])
            cells.append(
                alt.Chart(alt.InlineData(values=values))
                .mark_line(point={"size": 45, "filled": True})
                .encode(
                    x=alt.X(
                        "value:Q",
                        title=axis,
                        scale=alt.Scale(type="log"),
                        axis=alt.Axis(values=sorted({row["value"] for row in values}), format="~s"),
                    ),
                    y=alt.Y(
                        f"{measured}:Q",
                        title=title if not columns else None,
                        scale=alt.Scale(type="log", domain=[ticks[0], ticks[-1]]),
                        axis=alt.Axis(values=ticks, format="~g"),
                    ),
                    color=colour,
                    shape=shape,
                )
                .properties(width=190, height=170)
            )
        columns.append(alt.vconcat(*cells))
    chart = alt.hconcat(*columns).configure_axis(gridOpacity=0.4)
    chart.configure_legend(orient="top", labelFontSize=12, symbolSize=70).save(str(path))


def _round_numbers(values: Sequence[float]) -> list[float]:
    """1, 2, 5, 10, 20, 50 … around the values; powers of ten only where these are many."""
    powers = range(math.floor(math.log10(min(values))), math.ceil(math.log10(max(values))) + 1)
    steps = (1.0, 2.0, 5.0) if max(values) <= 100 * min(values) else (1.0,)
    numbers = [step * 10.0**power for power in powers for step in steps]
    first = max(at for at, number in enumerate(numbers) if number <= min(values))
    last = min(at for at, number in enumerate(numbers) if number >= max(values))
    return numbers[first : last + 1]


if __name__ == "__main__":
    draw(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))["growth"], Path(sys.argv[2]))
