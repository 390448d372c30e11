"""The leaderboard as text: for people, for papers, for programs; on standard output, or a file for each table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from coliee_adapters.errors import UsageError, printable
from coliee_adapters.files import written
from coliee_ir.commands.leaderboard.catalogue import TABLES, Extras, build, everything
from coliee_ir.output import grid
from coliee_ir.output.grid import Grid

if TYPE_CHECKING:
    from coliee_ir.commands.leaderboard.board import Leaderboard


#: form → how several tables are written in it, one under the other
_SHOWN: Final[Mapping[str, Callable[[Grid], str]]] = {
    "table": lambda table: f"{grid.plain(table)}{printable(table.caption)}\n",
    "markdown": grid.markdown,
    "latex": grid.latex,
}

#: forms that ``-o`` takes
FORMS: Final = (*grid.FORMS, "json")

#: form → the ending of a file of it
_ENDINGS: Final = {"table": ".txt", "markdown": ".md", "latex": ".tex", "csv": ".csv", "tsv": ".tsv"}


def render(board: Leaderboard, form: str, names: Sequence[str], extras: Extras) -> str:
    """Tables in one of ``FORMS``; JSON holds all of them, whatever is named. Ends in a newline.

    Raises:
        UsageError: a table that there is not; several tables in a form that holds one.
    """
    if form == "json":
        contents = board.to_dict(easy=extras.easy, categories=extras.categories, official=extras.official)
        return grid.in_json(contents, indent=1)
    tables = [build(board, name, extras) for name in names]
    if form in _SHOWN:
        return "\n".join(map(_SHOWN[form], tables))
    if len(tables) > 1:
        raise UsageError(f"{form} holds one table: name one, or write each to a file with --tables DIR")
    return grid.FORMS[form](tables[0])


def paths(folder: Path, form: str) -> list[Path]:
    """The files that ``write_all`` may write."""
    return [folder / f"{name}{_ENDINGS[form]}" for name in TABLES]


def write_all(board: Leaderboard, folder: Path, form: str, extras: Extras) -> tuple[list[str], dict[str, str]]:
    """Write every table to a file of its own; the files, and of tables that there are not, why.

    Raises:
        InputError: a file cannot be written.
        UsageError: the folder cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"the folder {folder} cannot be made ({error.strerror or error})") from None
    tables, missing = everything(board, extras)
    files = []
    for name, table in tables.items():
        path = folder / f"{name}{_ENDINGS[form]}"
        with written(path) as stream:
            stream.write(_SHOWN[form](table) if form in _SHOWN else grid.FORMS[form](table))
        files.append(str(path))
    return files, missing
