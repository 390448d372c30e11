"""Results that show themselves: a table as text, HTML in a notebook, a data frame.

A result knows nothing of its tables. The module that makes them registers how (``shows``); whoever imports the result
from its package has that module loaded.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from coliee_adapters import frames
from coliee_adapters.classes import NamedTuple
from coliee_adapters.errors import UsageError
from coliee_ir.output.grid import Grid, Number, html


class View(NamedTuple):
    """How results of a kind are shown.

    Attributes:
        text: the table of the command line.
        grids: the tables of a notebook; the last one is that of a data frame.
        of_queries: the table of a data frame in which each query has a row; None for results without such values.
    """

    text: Callable[[Any], str]
    grids: Callable[[Any], Sequence[Grid]]
    of_queries: Callable[[Any], Grid] | None = None


_VIEWS: dict[type, View] = {}


def shows(kind: type, view: View) -> None:
    """Register how results of a class are shown."""
    _VIEWS[kind] = view


class Shown:
    """A result with a table: ``str`` gives it as text, a notebook as HTML, ``to_frame`` as a data frame."""

    __slots__ = ()

    def __str__(self) -> str:
        return _VIEWS[type(self)].text(self)

    def _repr_html_(self) -> str:
        return "\n".join(map(html, _VIEWS[type(self)].grids(self)))

    def to_frame(self, library: str = "pandas", *, per_query: bool = False) -> Any:
        """The result as a data frame.

        Args:
            library: ``pandas``, ``polars`` or ``pyarrow``.
            per_query: one row for each query; by default the values over all queries.

        Raises:
            ImportError: the library is not installed.
            UsageError: unknown library; a result without values of single queries.
        """
        view = _VIEWS[type(self)]
        if per_query and view.of_queries is None:
            what = type(self).__name__
            raise UsageError("no-result", f"{what} has no values of single queries; evaluate the runs for them")
        grid = view.of_queries(self) if per_query and view.of_queries else view.grids(self)[-1]
        rows = [tuple(cell.value if isinstance(cell, Number) else cell for cell in row) for row in grid.rows]
        return frames.frame(rows, list(grid.header), library)
