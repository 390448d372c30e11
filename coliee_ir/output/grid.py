"""A table of text and numbers, and how it is written: padded, in Markdown, LaTeX, CSV, on a terminal.

Every text is escaped for where it goes; who fills a grid gives it as it is.
"""

from __future__ import annotations

import csv
import io
import math
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from itertools import chain, count, repeat
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from coliee_adapters.errors import UsageError, padded_to_width, printable, shortened, width
from coliee_adapters.files.compressed import without_compression_ending
from coliee_ir.output.envelope import dumped, number

if TYPE_CHECKING:
    from coliee_ir.stats.resampling import Difference

_LATEX: Final = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "_": r"\_",
    "%": r"\%",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    '"': r"\textquotedbl{}",
    "|": r"\textbar{}",
    # at the start of a row these would be taken for an argument of the row break before it
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
    "Δ": r"$\Delta$",
    "≥": r"$\geq$",
    "≤": r"$\leq$",
    "…": r"\ldots{}",
}


#: what a formula begins with, also as Excel in Japanese takes it
_FORMULA: Final = ("=", "+", "-", "@", "＝", "＋", "－", "＠")


#: so many characters of a file with delimiters are written at once
_PIECE: Final = 1 << 18

#: So many columns of a text are shown to people; run tags have 12, and paths fewer than this.
_WIDEST: Final = 300


class Number(NamedTuple):
    """A number in a table.

    Attributes:
        value: the number itself, which CSV holds; NaN for one that does not exist.
        display: how people see it; by default with four decimals, and a dash for NaN.
        mark: what stands behind it: a mark of significance.
    """

    value: float
    display: str = ""
    bold: bool = False
    mark: str = ""

    @property
    def text(self) -> str:
        """How people see it, without its mark."""
        return self.display or ("-" if math.isnan(self.value) else f"{self.value:.4f}")


Cell = str | Number


def json_value(cell: Cell) -> str | float | None:
    """What JSON holds of a cell: an integer as such; null for a number that does not exist."""
    if isinstance(cell, str) or isinstance(cell.value, int):
        return cell if isinstance(cell, str) else cell.value
    return number(cell.value)


def number_or_dash(value: float | None) -> Number:
    """The cell of a number, or of one that does not exist."""
    return Number(math.nan if value is None else value)


def whole(value: int) -> Number:
    """The cell of an integer, which is shown without decimals."""
    return Number(value, str(value))


def signed(value: float, decimals: int = 4) -> str:
    """A number with its sign, which what is shown as zero does not have."""
    rounded = round(value, decimals)
    return "-" if math.isnan(value) else f"{rounded:+.{decimals}f}" if rounded else f"{0:.{decimals}f}"


def signed_end(value: float, decimals: int = 4) -> str:
    """The end of an interval: one that leaves out 0 is not shown as 0."""
    text = signed(value, decimals)
    return (">0" if value > 0 else "<0") if value and text == signed(0, decimals) else text


def difference_columns(heading: str, of: Callable[[Any], Difference | None]) -> dict[str, Callable[[Any], Number]]:
    """The columns of a difference, its standard error and the ends of its interval, as ``Grid.of`` takes them.

    Where all queries agree, as of a thing with itself, nothing is estimated: no error and no interval.
    """

    def cell(place: int, item: Any) -> Number:
        if (difference := of(item)) is None:
            return Number(math.nan)
        value, error, (low, high) = difference
        if low == high:
            error = low = high = math.nan
        return (
            Number(value, signed(value)), Number(error), Number(low, signed_end(low)), Number(high, signed_end(high))
        )[place]  # fmt: skip

    headings = (heading, "SE", "low 95%", "high 95%")
    return {name: partial(cell, place) for place, name in enumerate(headings)}


@dataclass(eq=False)
class Grid:
    """A table.

    Attributes:
        header: the names of the columns; of those that are alike, the later ones get a number.
        caption: what stands with the table in a paper; empty for none.
        n_text: how many columns at the left are text; found from the first row where it is not given.
        label: by what a paper refers to it; empty for none.
    """

    header: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    caption: str = ""
    n_text: int = field(default=-1)
    label: str = ""

    def __post_init__(self) -> None:
        self.header = distinct(self.header)
        if self.n_text < 0:
            first = self.rows[0] if self.rows else self.header
            self.n_text = next((i for i, cell in enumerate(first) if isinstance(cell, Number)), len(first))

    @classmethod
    def of(
        cls, items: Iterable[Any], columns: Mapping[str, Callable[[Any], Cell]], caption: str = "", n_text: int = 1
    ) -> Grid:
        """A table with a row for each item, from heading → the cell of an item."""
        return cls([*columns], [[cell(item) for cell in columns.values()] for item in items], caption, n_text)

    def part(
        self,
        columns: Sequence[int],
        rows: Iterable[int] | None = None,
        *,
        header: Sequence[str] = (),
        caption: str | None = None,
        label: str | None = None,
    ) -> Grid:
        """The columns at these places, of all rows or of those at these; with other names, caption or label."""
        chosen = self.rows if rows is None else [self.rows[i] for i in rows]
        return Grid(
            header or [self.header[i] for i in columns],
            [[row[i] for i in columns] for row in chosen],
            self.caption if caption is None else caption,
            sum(i < self.n_text for i in columns),
            self.label if label is None else label,
        )


def distinct(names: Iterable[str], taken: Iterable[str] = ()) -> list[str]:
    """Names, with a number behind those that are taken, or that came before.

    >>> distinct(["AP", "rank", "AP"], ["rank"])
    ['AP', 'rank (2)', 'AP (2)']
    """
    used, free_names = {*taken}, list[str]()
    for name in names:
        free = next(
            candidate for candidate in chain([name], map(f"{name} ({{}})".format, count(2))) if candidate not in used
        )
        used.add(free)
        free_names.append(free)
    return free_names


_Form = Callable[[str], str]


class Rows(Sequence[Sequence[Cell]]):
    """The rows of a long table, each made when it is asked for."""

    def __init__(self, n: int, row: Callable[[int], Sequence[Cell]]) -> None:
        self._n, self._row = n, row

    def __len__(self) -> int:
        return self._n

    def __getitem__(self, place: Any) -> Any:
        numbers = range(self._n)[place]
        return self._row(numbers) if isinstance(numbers, int) else [self._row(number) for number in numbers]


def _finished(grid: Grid, text: _Form, bold: _Form, mark: _Form) -> Iterator[list[str]]:
    """The header and the rows, every cell as it is written."""

    def cell(content: Cell) -> str:
        if isinstance(content, str):
            return text(content)
        value, display, is_bold, of_mark = content
        # most cells are numbers of four decimals, which no form escapes: half of the time of a table by query
        display = text(display) if display else f"{value:.4f}" if value == value else content.text
        return (bold(display) if is_bold else display) + (mark(text(of_mark)) if of_mark else "")

    yield [text(name) for name in grid.header]
    for row in grid.rows:
        yield [cell(content) for content in row]


@lru_cache(maxsize=1 << 14)  # most of 600,000 cells are one of 10,000 numbers: a table by query takes half the time
def _on_screen(text: str) -> str:
    """A text as people see it; one that would fill screens is shortened."""
    return shortened(text, _WIDEST)


def plain(grid: Grid) -> str:
    """Columns padded with blanks, text left-aligned and numbers right-aligned."""
    columns = zip(*_finished(grid, _on_screen, str, str), strict=True)
    aligned = [_aligned(column, right=place >= grid.n_text) for place, column in enumerate(columns)]
    return "".join(f"{'  '.join(row).rstrip()}\n" for row in zip(*aligned, strict=True))


def _aligned(column: Sequence[str], *, right: bool) -> Iterable[str]:
    """The cells of a column, all of the width of its widest."""
    if all(map(str.isascii, column)):
        return map(str.rjust if right else str.ljust, column, repeat(max(map(len, column))))
    widest = max(map(width, column))
    return [padded_to_width(cell, widest, right=right) for cell in column]


def markdown(grid: Grid) -> str:
    """A table in GitHub's Markdown."""
    header, *rows = _finished(grid, in_markdown, lambda number: f"**{number}**", str)
    rule = ["---"] * grid.n_text + ["---:"] * (len(header) - grid.n_text)
    table = "".join(f"| {' | '.join(row)} |\n" for row in (header, rule, *rows))
    return table + (f"\n{in_markdown(grid.caption)}\n" if grid.caption else "")


#: What GitHub replaces in the finished page, where a backslash is gone: the mention of a person or an issue, an emoji,
#: a link.
#: The ``@10`` of a measure is none of these.
_REPLACED: Final = r"(?i)#(?=\d)|(?<![\w)])@(?=\w)|(?<=\))@(?!\d)|@(?=[\w.-]*\.\w)|:(?=[\w+-]+:)|:(?=//)|(?<=www)\."
_NO_SPACE: Final = "\u200b"


def in_markdown(text: str) -> str:
    """Text with Markdown's own characters escaped; what GitHub makes of plain text is broken by a space of no width."""
    apart = re.sub(_REPLACED, rf"\g<0>{_NO_SPACE}", printable(text))
    return re.sub(r"([\\`*_{}\[\]<>()#+!|&~$:]|@(?!\d))", r"\\\1", apart)


def html(grid: Grid, label: str = "") -> str:
    """A table in HTML, every text escaped, numbers aligned to the right and the best of their kind bold.

    With a label, by which screen readers call it, it is for a page with a style sheet: in a box that scrolls, with
    heads to sort by. Without one, as a notebook has it, it brings its alignment.
    """
    words, numbers = ("", ' class="n"') if label else (' style="text-align:left"', ' style="text-align:right"')

    def cell(content: Cell, place: int) -> str:
        kind = numbers if isinstance(content, Number) or place >= grid.n_text else words
        if isinstance(content, Number):
            value = f' data-value="{float(content.value)!r}"' if label else ""
            display = f"<b>{in_html(content.text)}</b>" if content.bold else in_html(content.text)
            return f"<td{kind}{value}>{display}{f'<sup>{in_html(content.mark)}</sup>' if content.mark else ''}</td>"
        return f"<td{kind}>{in_html(content)}</td>" if place else f'<th scope="row"{kind}>{in_html(content)}</th>'

    body = "".join(f"<tr>{''.join(map(cell, row, range(len(row))))}</tr>\n" for row in grid.rows)
    caption = f"<caption>{in_html(grid.caption)}</caption>\n" if grid.caption else ""
    table = f"<table>\n{caption}{html_head(grid, is_sorted=bool(label))}\n<tbody>\n{body}</tbody>\n</table>"
    if not label:
        return table
    return f'<div class="scroll" tabindex="0" role="region" aria-label="{in_html(label)}">{table}</div>\n'


def html_head(grid: Grid, *, is_sorted: bool = True) -> str:
    """The head of a table in HTML, with buttons to sort by."""
    heads = (f'<button type="button" class="sort">{in_html(name)}</button>' if is_sorted else in_html(name)
             for name in grid.header)  # fmt: skip
    kinds = (' class="n"' if is_sorted and place >= grid.n_text else "" for place in range(len(grid.header)))
    cells = (f'<th scope="col"{kind}>{head}</th>' for kind, head in zip(kinds, heads, strict=True))
    return f"<thead><tr>{''.join(cells)}</tr></thead>"


def in_html(text: str) -> str:
    """Text as HTML, also within an attribute."""
    from html import escape  # whose names of characters take a while to load

    return escape(printable(text))


#: lines from which a table becomes a longtable; cells of text columns longer than these characters are broken
_LINES, _LONG = 45, 30
#: characters in a line of a paper; in a longtable smaller letters have room for more
_WIDTH: Final = 85
_SIZES: Final = (
    (85, ""),
    (95, "\\small"),
    (108, "\\footnotesize"),
    (math.inf, "\\scriptsize\\setlength{\\tabcolsep}{3pt}"),
)
#: characters that pdfLaTeX does not have
_BEYOND: Final = "[^\n -\u024f\u2010-\u203a\u20ac]"


def latex(grid: Grid, *, breaks: bool = True) -> str:
    r"""A tabular with booktabs' rules, bold by \textbf; with a caption, a table around it.

    What is wider than the line is made smaller by adjustbox; what is longer than a page is a longtable, in letters that
    fit, unless ``breaks`` is false, because papers of two columns have none. Columns of long texts share three quarters
    of the line. A comment above it names the packages.
    """
    header, *rows = _finished(
        grid, in_latex, lambda number: rf"\textbf{{{number}}}", lambda mark: rf"\textsuperscript{{{mark}}}"
    )
    widest = [max(len(cell if isinstance(cell, str) else cell.text) for cell in column)
              for column in zip(grid.header, *grid.rows, strict=True)]  # fmt: skip
    words = [place for place in range(grid.n_text) if widest[place] > _LONG]
    share = min(0.4, 0.75 / max(len(words), 1))
    columns = ["l"] * grid.n_text + ["r"] * (len(header) - grid.n_text)
    for place in words:
        columns[place] = rf">{{\raggedright\arraybackslash}}p{{{share:.2f}\linewidth}}"
        for row in rows:  # long words are broken where an address can be
            row[place] = re.sub(r"(?<=[^\s/.=-][/.=-])(?=\w)|(?<=\\_)", r"\\allowbreak{}", row[place])
    lines = sum(max([1, *(math.ceil(len(str(row[place])) / (share * _WIDTH)) for place in words)]) for row in grid.rows)
    label = rf"\label{{{grid.label}}}" if grid.label else ""
    named = rf"\caption{{{in_latex(grid.caption)}}}{label}" if grid.caption or label else ""
    head = f"\\toprule\n{' & '.join(header)} \\\\\n\\midrule\n"
    body = "".join(f"{' & '.join(row)} \\\\\n" for row in rows)
    needed = "array," if words else ""
    begun = f"{{{''.join(columns)}}}\n"
    if breaks and lines >= _LINES:
        top = f"{named} \\\\\n" if named else ""
        head = f"{top}{head}\\endfirsthead\n{head}\\endhead\n\\bottomrule\n\\endfoot\n"
        wide = sum(2 + min(length, share * _WIDTH if place in words else length) for place, length in enumerate(widest))
        size = next(size for most, size in _SIZES if wide <= most)
        text = f"\\begin{{longtable}}{begun}{head}{body}\\end{{longtable}}\n"
        return _packages(f"{needed}booktabs,longtable", f"{{{size}\n{text}}}\n" if size else text)
    text = f"\\begin{{tabular}}{begun}{head}{body}\\bottomrule\n\\end{{tabular}}\n"
    if not named:
        return _packages(f"{needed}booktabs", text)
    text = f"\\begin{{adjustbox}}{{max width=\\linewidth}}\n{text}\\end{{adjustbox}}\n"
    return _packages(f"{needed}booktabs,adjustbox", f"\\begin{{table}}\n\\centering\n{named}\n{text}\\end{{table}}\n")


def _packages(names: str, text: str) -> str:
    best = "; use lualatex or xelatex, with a font that has all characters" if program(text) == "lualatex" else ""
    return f"% \\usepackage{{{names}}}{best}\n{text}"


def program(text: str) -> str:
    """What compiles a text of LaTeX."""
    return "lualatex" if re.search(_BEYOND, text) else "pdflatex"


def in_latex(text: str) -> str:
    r"""Text with LaTeX's own characters escaped.

    >>> in_latex("50%_A")
    '50\\%\\_A'
    """
    composed = unicodedata.normalize("NFC", printable(text))
    return "".join(_LATEX.get(character, character) for character in composed)


def separated(grid: Grid, delimiter: str = ",") -> str:
    """Values with a delimiter between them: numbers in full, nothing where one does not exist."""
    return "".join(_lines(grid.header, grid.rows, delimiter))


def _lines(header: Sequence[str], rows: Iterable[Sequence[Cell]], delimiter: str) -> Iterator[str]:
    stream = io.StringIO()
    writer = csv.writer(stream, delimiter=delimiter, lineterminator="\n")
    for row in chain([header], rows):
        writer.writerow([_value(cell) if isinstance(cell, Number) else no_formula(cell) for cell in row])
        if stream.tell() >= _PIECE:
            yield stream.getvalue()
            stream.seek(0)
            stream.truncate()
    yield stream.getvalue()


def _value(number: Number) -> str:
    return "" if math.isnan(number.value) else repr(number.value)


@lru_cache(maxsize=1 << 16)  # long tables have a row for each of the same documents in many runs
def no_formula(text: str) -> str:
    """Text that no spreadsheet takes for a formula; a negative number, as some ids are, is none."""
    text = printable(text)
    return f"'{text}" if text.startswith(_FORMULA) and not re.fullmatch("-[0-9]+", text) else text


def print_to_terminal(grid: Grid) -> None:
    """The table in colour on standard output, over its caption."""
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table
    from rich.text import Text

    header, *rows = _finished(
        grid, lambda words: escape(_on_screen(words)), lambda number: f"[bold]{number}[/bold]", str
    )
    table = Table()
    for place, (name, *column) in enumerate(zip(header, *rows, strict=True)):
        # where the table is too wide, names are folded and numbers are not: half a number is another number
        columns = max((Text.from_markup(cell, emoji=False).cell_len for cell in column), default=0)
        justify: Literal["left", "right"] = "left" if place < grid.n_text else "right"
        table.add_column(name, justify=justify, overflow="fold", min_width=min(columns, 12))
    for row in rows:
        table.add_row(*row)
    console = Console(emoji=False)
    # not as the table's own caption, which would be broken to its width
    caption = [Text(printable(grid.caption), style="dim")] if grid.caption else []
    console.print(table, *caption, sep="\n", soft_wrap=True)


def records(grid: Grid) -> list[dict[str, str | float | None]]:
    """The rows as JSON objects, by the names of the columns; a number that does not exist is null."""
    return [dict(zip(grid.header, map(json_value, row), strict=True)) for row in grid.rows]


def _objects(header: Sequence[str], rows: Iterable[Sequence[Cell]]) -> Iterator[str]:
    """The text of ``records``, a row at a time."""
    keys, start = [_json_of(name) for name in header], "[\n"
    for row in rows:
        members = ",\n".join(f"  {key}: {_json_of(cell)}" for key, cell in zip(keys, row, strict=True))
        yield f"{start} {{\n{members}\n }}"
        start = ",\n"
    yield "\n]\n" if start == ",\n" else "[]\n"


@lru_cache(maxsize=1 << 16)
def _json_of(cell: Cell) -> str:
    return dumped(json_value(cell))[:-1]


#: what writes a table of a header and rows, of which so many columns at the left are text, in pieces as the rows come
_Pieces = Callable[[Sequence[str], Iterable[Sequence[Cell]], int], Iterable[str]]

#: ending of a file's name → how a table is written in it; for people as a whole, as wide as its columns
_FILES: Final[dict[str, _Pieces]] = {
    ".csv": lambda header, rows, _: _lines(header, rows, ","),
    ".tsv": lambda header, rows, _: _lines(header, rows, "\t"),
    ".json": lambda header, rows, _: _objects(header, rows),
    ".txt": lambda header, rows, n_text: [plain(Grid(header, [*rows], n_text=n_text))],
}


def file_form(path: str) -> _Pieces:
    """How a table is written in a file of this name, whatever its compression; on standard output (``-``) as CSV."""
    name = ".csv" if path == "-" else without_compression_ending(path)
    form = next((_FILES[end] for end in _FILES if name.endswith(end)), None)
    if form is None:
        raise UsageError("file-name", f"{path}: the name of this file must end in {', '.join(_FILES)}")
    return form


#: form → how a grid is written in it
FORMS: Final[dict[str, Callable[[Grid], str]]] = {
    "table": plain,
    "markdown": markdown,
    "latex": latex,
    "csv": separated,
    "tsv": lambda grid: separated(grid, "\t"),
}
