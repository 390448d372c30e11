"""Results that show themselves: as tables and sentences, as JSON, in a notebook, as a data frame."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any, ClassVar, Final, Literal

from coliee_adapters import forms, trec_eval
from coliee_adapters.errors import UsageError, printable
from coliee_adapters.remarks import as_json
from coliee_ir._version import __version__
from coliee_ir.output import grid
from coliee_ir.output.envelope import dumped, number, with_inputs
from coliee_ir.output.grid import Grid, Number
from coliee_ir.rules.decisions import Decisions

#: form → what writes a result in it
Forms = Mapping[str, Callable[[Any], str | Iterable[str]]]


class TabularResult:
    """A result with tables: ``str`` gives them as text, a notebook as HTML, ``to_frame`` as a data frame."""

    __slots__ = ()

    #: what results of the class are written in besides ``choices.FORMS``, or in their own way
    forms: ClassVar[Forms] = {}

    def __setattr__(self, name: str, value: object) -> None:
        # a dataclass that is frozen takes two million instructions more to make
        if hasattr(self, name):
            raise AttributeError(f"a result does not change, nor does its {name}")
        super().__setattr__(name, value)

    def tables(self) -> Sequence[Grid]:
        """Its tables; the first is the one that CSV, TSV, LaTeX and a data frame hold."""
        raise NotImplementedError

    def lead(self) -> Sequence[str]:
        """Sentences above the tables."""
        return ()

    def notes(self) -> Sequence[str]:
        """Sentences under the tables."""
        return ()

    def table_of_queries(self) -> Grid:
        """The table in which each query has a row; refused where there is none."""
        what = type(self).__name__
        raise UsageError("no-result", f"{what} has no values of single queries; evaluate the runs for them")

    def to_dict(self) -> dict[str, Any]:
        """The result as JSON: its attributes by their names; a number that does not exist is null."""
        return {"coliee_ir": __version__, "trec_eval": trec_eval.version(), **fields_by_name(self)}

    def json(self, inputs: Mapping[str, str] | None = None) -> str | Iterable[str]:
        """The same as text, with the SHA-256 of the files that it was computed from; in pieces where it may be long.

        :meta private:
        """
        return dumped(with_inputs(self.to_dict(), inputs))

    def __str__(self) -> str:
        return render(self, "table")

    def _repr_html_(self) -> str:
        return "\n".join(map(grid.html, self.tables()))

    def to_frame(self, library: Literal["pandas", "polars", "pyarrow"] = "pandas", *, per_query: bool = False) -> Any:
        """The result as a data frame."""
        table = self.table_of_queries() if per_query else self.tables()[0]
        rows = [tuple(cell.value if isinstance(cell, Number) else cell for cell in row) for row in table.rows]
        return forms.frames.frame(rows, list(table.header), library)

    def to_latex(self) -> str:
        """The result as a LaTeX table, every text escaped."""
        return render(self, "latex")


@dataclass(frozen=True, slots=True, repr=False)
class OnGold(TabularResult):
    """A result of runs on a gold, by one measure.

    Attributes:
        task: the task.
        edition: the edition; None for a task without editions.
        gold: the gold's file.
        decisions: the choices made where the organisers leave it open.
        excluded: the queries that were left out.
        measure: the measure's name.
        queries: how many were judged.
        seed: of the random numbers.
        unit: what is judged: a query, or what the rows of a table of scores are about.
    """

    task: str
    edition: int | None
    gold: str
    decisions: Decisions
    excluded: tuple[str, ...]
    measure: str
    queries: int
    seed: int
    unit: str = field(default="query", kw_only=True, repr=False)


#: so many lines are laid out for a terminal
_SCREENS: Final = 500


def render(result: TabularResult, form: str) -> str:
    """A result in one of ``choices.FORMS``, or of the forms of its class; ends in a newline."""
    return "".join(pieces(result, form))


def pieces(result: TabularResult, form: str, inputs: Mapping[str, str] | None = None) -> Iterable[str]:
    """The same, in pieces where it may be long; JSON with the files that it was computed from."""
    if form == "json":
        text = result.json(inputs)
    else:
        text = result.forms[form](result) if form in result.forms else _written(result, form)
    return [text] if isinstance(text, str) else text


def _written(result: TabularResult, form: str) -> str:
    if form == "table":
        lead, notes = (
            "".join(f"{printable(sentence)}\n" for sentence in sentences)
            for sentences in (result.lead(), result.notes())
        )
        tables = (
            grid.plain(table) + f"{printable(table.caption)}\n" * bool(table.caption) for table in result.tables()
        )
        return "\n".join(filter(None, [lead, *tables, notes]))
    if form == "markdown":
        return "\n".join(map(grid.markdown, result.tables()))
    return grid.FORMS[form](result.tables()[0])


def is_short(result: TabularResult) -> bool:
    """Whether its tables are for a terminal: those of thousands of lines are not laid out."""
    return "table" not in result.forms and sum(len(table.rows) for table in result.tables()) <= _SCREENS


def print_to_terminal(result: TabularResult) -> None:
    """A result on standard output, in bold what is bold."""
    for sentence in result.lead():
        print(printable(sentence))
    for table in result.tables():
        grid.print_to_terminal(table)
    for note in result.notes():
        print(printable(note))


def fields_by_name(result: object) -> dict[str, Any]:
    """The fields of a result by their names, as JSON holds them; those without a place in its ``repr`` are left out."""
    assert is_dataclass(result)
    as_dict: dict[str, Any] = {}
    for member in fields(result):
        if member.name == "remarks":
            as_dict |= as_json(getattr(result, member.name))
        elif member.repr:
            as_dict[member.name] = jsonable(getattr(result, member.name))
    return as_dict


def jsonable(value: Any) -> Any:
    """A value as JSON holds it."""
    if isinstance(value, float):
        return number(value)
    if value is None or isinstance(value, str | int):
        return value
    if (ends := getattr(value, "_fields", ())) == ("low", "high"):  # an interval
        return [number(value.low), number(value.high)]
    if ends == ("best", "worst"):  # the ranks that a run may have
        return list(value) if value.best else None
    if getattr(type(value), "to_dict", TabularResult.to_dict) is not TabularResult.to_dict:
        return value.to_dict()
    if is_dataclass(value):
        return fields_by_name(value)
    if hasattr(value, "_asdict"):
        return jsonable(value._asdict())
    if isinstance(value, Mapping):
        return {str(name): jsonable(item) for name, item in value.items()}
    return [jsonable(item) for item in (value.tolist() if hasattr(value, "tolist") else value)]
