"""A table of text and numbers, and how it is written: padded, in Markdown, LaTeX, CSV, on a terminal.

Every text is escaped for where it goes; who fills a grid gives it as it is.
"""

from __future__ import annotations

import csv
import io
import math
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field, replace
from typing import Final, Literal, TypeVar, overload

from coliee_adapters.classes import NamedTuple, dataclass
from coliee_adapters.compressed import plain_name
from coliee_adapters.display import goes_on, padded, width
from coliee_adapters.errors import UsageError, printable, shortened
from coliee_adapters.fonts import scripts
from coliee_ir.output.envelope import dumped, number
from coliee_ir.stats.resampling import Difference

_Shown = TypeVar("_Shown")

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


#: So many columns of a text are shown to people; run tags have 12, and paths fewer than this.
_WIDEST: Final = 300


class Number(NamedTuple):
    """A number in a table.

    Attributes:
        value: the number itself, which CSV holds; NaN for one that does not exist.
        shown: how people see it; by default with four decimals, and a dash for NaN.
        bold: whether it is the best of its kind.
        mark: what stands behind it: a mark of significance.
    """

    value: float
    shown: str = ""
    bold: bool = False
    mark: str = ""

    @property
    def text(self) -> str:
        """How people see it, without its mark."""
        return self.shown or ("-" if math.isnan(self.value) else f"{self.value:.4f}")


Cell = str | Number


def signed(value: float) -> str:
    """A number of four decimals with its sign, which zero does not have."""
    return "-" if math.isnan(value) else f"{value:+.4f}" if round(value, 4) else "0.0000"


def apart(difference: Difference) -> list[Number]:
    """A difference, its standard error and the ends of its interval: four columns.

    Where all queries agree, as of a thing with itself, nothing is estimated: no error and no interval.
    """
    value, error, (low, high) = difference
    if low == high:
        error = low = high = math.nan
    return [Number(value, signed(value)), Number(error), Number(low, signed(low)), Number(high, signed(high))]


@dataclass(frozen=True)
class Grid:
    """A table.

    Attributes:
        header: the names of the columns.
        rows: the cells of each row; a column holds text, or numbers.
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
        if self.n_text < 0:
            first = self.rows[0] if self.rows else self.header
            n_text = next((at for at, cell in enumerate(first) if isinstance(cell, Number)), len(first))
            object.__setattr__(self, "n_text", n_text)


_Form = Callable[[str], str]


class Rows(Sequence[Sequence[Cell]]):
    """The rows of a long table, each made when it is asked for.

    Args:
        n: how many there are.
        row: what makes the row of this number.
    """

    def __init__(self, n: int, row: Callable[[int], Sequence[Cell]]) -> None:
        self._n, self._row = n, row

    def __len__(self) -> int:
        return self._n

    @overload
    def __getitem__(self, at: int) -> Sequence[Cell]: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Sequence[Cell]]: ...
    def __getitem__(self, at: int | slice) -> Sequence[Cell] | Sequence[Sequence[Cell]]:
        numbers = range(self._n)[at]
        return self._row(numbers) if isinstance(numbers, int) else [self._row(one) for one in numbers]


def _finished(grid: Grid, text: _Form, bold: _Form, mark: _Form) -> Iterator[list[str]]:
    """The header and the rows, every cell as it is written."""

    def cell(content: Cell) -> str:
        if not isinstance(content, Number):
            return text(content)
        shown = text(content.text)
        return (bold(shown) if content.bold else shown) + (mark(text(content.mark)) if content.mark else "")

    yield [text(name) for name in grid.header]
    for row in grid.rows:
        yield [cell(content) for content in row]


def _on_screen(text: str) -> str:
    """A text as people see it; one that would fill screens is shortened."""
    return shortened(text, _WIDEST)


def plain(grid: Grid) -> str:
    """Columns padded with blanks, text left-aligned and numbers right-aligned."""
    widths = [0] * len(grid.header)
    for row in _finished(grid, _on_screen, _same, _same):
        widths = [max(so_far, width(cell)) for so_far, cell in zip(widths, row, strict=True)]
    lines = []
    for row in _finished(grid, _on_screen, _same, _same):
        cells = [
            padded(cell, columns, right=at >= grid.n_text)
            for at, (cell, columns) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines) + "\n"


def _same(text: str) -> str:
    return text


def markdown(grid: Grid) -> str:
    """A table in GitHub's Markdown."""
    header, *rows = _finished(grid, in_markdown, lambda number: f"**{number}**", _same)
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


#: points that a line of text has in article and LNCS; that a page is high, for tables that are turned
_LINE, _PAGE = 345.0, 540.0
#: rows from which a table becomes a longtable
_ROWS = 45
#: size of type, its width as a share of the normal one, the space between columns and the height of a line in points
_SIZES = (
    ("", 1.0, 6.0, 12.0), (r"\small", 0.925, 5.0, 11.0), (r"\footnotesize", 0.85, 4.0, 9.5),
    (r"\scriptsize", 0.8, 3.0, 8.0),
)  # fmt: skip
#: points from which a column of words is broken into lines
_WORDS = 100.0
#: letters from which a word in a column of words may be broken; a letter as it is escaped; after what it is broken
_LONG_WORD, _LETTER, _BREAKS = (
    16,
    r"\$[^$]+\$|\\[A-Za-z]+\{\}|\\.|\{.\}|.",
    ("/", ".", "-", "=", "?", r"\_", r"\&"),
)


def latex(grid: Grid) -> str:
    r"""A tabular with booktabs' rules, bold by \textbf; with a caption, a table around it.

    It fits the line of an A4 or LNCS page: type becomes smaller, words are broken, long heads become letters with a
    legend, the table is turned. From 45 rows on, or where it is higher than a page, it is a longtable, which goes over
    pages. Comments above it name the packages, and what pdfLaTeX needs for letters that it does not know.
    """
    header, *rows = _finished(
        grid, in_latex, lambda number: rf"\textbf{{{number}}}", lambda mark: rf"\textsuperscript{{{mark}}}"
    )
    widths = [
        [_wide(cell.text + cell.mark) * 1.1 if isinstance(cell, Number) else _wide(cell) for cell in row]
        for row in grid.rows
    ]
    told = _fitted(_Sheet(header, rows, [_wide(name) for name in grid.header], widths, grid.n_text), grid)
    packages, _, table = told.partition("\n")
    unknown = declarations(told)
    if not unknown:
        return told
    fonts = ", ".join(scripts(told)) or "Latin Modern"
    best = f"% pdflatex does not have all these characters: use lualatex or xelatex, with a font such as {fonts}\n"
    return f"{packages}\n% pdflatex: {unknown}\n{table}{best}"


#: combining characters as LaTeX's accents
_ACCENTS: Final = {
    "\u0300": "`", "\u0301": "'", "\u0302": "^", "\u0303": "~", "\u0304": "=", "\u0306": "u", "\u0307": ".",
    "\u0308": '"', "\u030a": "r", "\u030b": "H", "\u030c": "v",
}  # fmt: skip
_HOOK, _HORN, _DOT = "\u0309", "\u031b", "\u0323"

#: what pdfLaTeX knows: Latin in fontenc's T1, and textcomp
_KNOWN: Final = (
    "[\n -~\u00a0-\u0125\u0128-\u0137\u0139-\u013e\u0141-\u0148\u014a-\u0165\u0168-\u017e\u0218-\u021b\u2010-\u2016"
    "\u2018-\u201a\u201c-\u201e\u2020-\u2022\u2026\u2030\u2039\u203a\u20ac]"
)


def declarations(text: str) -> str:
    r"""How pdfLaTeX prints the letters that T1 does not have: built of those that it has, or else as question marks.

    >>> print(declarations("ĐH Nguyễn"))
    \DeclareUnicodeCharacter{1EC5}{\~{\^{e}}}
    """
    return "".join(
        rf"\DeclareUnicodeCharacter{{{ord(letter):04X}}}{{{_built(letter)}}}"
        for letter in sorted(set(re.sub(_KNOWN, "", text)))
    )


def _built(letter: str) -> str:
    base, *marks = list(unicodedata.normalize("NFD", letter))
    if not base.isascii() or not marks or set(marks) - set(_ACCENTS) - {_HOOK, _HORN, _DOT}:
        return rf"\GenericWarning{{}}{{U+{ord(letter):04X} needs lualatex}}?"
    for mark in marks:
        if mark in _ACCENTS:
            base = rf"\{_ACCENTS[mark]}{{{base}}}"
    if _HOOK in marks:
        base = rf"\leavevmode\ooalign{{{base}\cr\hidewidth\raise1.2ex\hbox{{\tiny ?}}\hidewidth}}"
    if _DOT in marks:
        base = rf"\d{{{base}}}"
    return base + (r"\kern-.1em\raise.6ex\hbox{\scriptsize'}" if _HORN in marks else "")


class _Sheet(NamedTuple):
    """A table as it is printed, with the width of each cell in points, and what its letters stand for."""

    header: list[str]
    rows: list[list[str]]
    head_widths: list[float]
    widths: list[list[float]]
    n_text: int
    legend: str = ""
    turned: bool = False

    def columns(self) -> list[float]:
        """How wide each column is."""
        return [max(column) for column in zip(self.head_widths, *self.widths, strict=True)]

    def lettered(self) -> _Sheet:
        """The same with letters for the heads of numbers that are wider than what is under them."""
        bodies = [max(column) for column in zip(*self.widths, strict=True)] if self.widths else self.head_widths
        header, widths = list(self.header), list(self.head_widths)
        legend: list[str] = []
        for at in range(self.n_text, len(header)):
            if widths[at] > bodies[at] + 1:
                letter = chr(65 + len(legend) % 26) * (1 + len(legend) // 26)
                legend.append(f"{letter}: {header[at]}")
                header[at], widths[at] = letter, _wide(letter)
        return self._replace(header=header, head_widths=widths, legend=", ".join(legend))

    def transposed(self) -> _Sheet:
        """The same with its columns as rows."""
        cells = [list(row) for row in zip(self.header, *self.rows, strict=True)]
        widths = [list(row) for row in zip(self.head_widths, *self.widths, strict=True)]
        return _Sheet(cells[0], cells[1:], widths[0], widths[1:], 1, turned=True)


def _wide(text: str) -> float:
    """About how many points a text takes in Computer Modern at 10 points; never less than it does."""
    return sum(3.4 if c in " ijltfrI.,:;|!'()[]-/" else 5.2 * width(c) if width(c) != 1 else
               10.0 if c > "\u024f" and c != "–" else 8.6 if c in "mwMWQO%@<>=+~" else
               7.6 if c.isupper() else 5.6 for c in text)  # fmt: skip


def _fitted(sheet: _Sheet, grid: Grid) -> str:
    lettered, turned = sheet.lettered(), sheet.transposed().lettered()
    for one, line in ((sheet, _LINE), (lettered, _LINE), (turned, _LINE), (lettered, _PAGE), (turned, _PAGE)):
        columns = one.columns()
        for style in _SIZES:
            size, share, space, _ = style
            breaks = bool(size) and any(width > _WORDS for width in columns[: one.n_text])
            fixed = [width for at, width in enumerate(columns) if at >= one.n_text or width <= _WORDS]
            wordy = [width for width in columns[: one.n_text] if width > _WORDS]
            free = line - share * sum(fixed) - 2 * space * len(columns)
            if share * sum(columns) + 2 * space * len(columns) <= line:
                return _typeset(one, grid, style, line, {})
            if breaks and free >= 60 * len(wordy):
                spare = free - 60 * len(wordy)
                parts = {
                    at: 60 + spare * width / sum(wordy)
                    for at, width in enumerate(columns[: one.n_text])
                    if width > _WORDS
                }
                return _typeset(one, grid, style, line, parts)
    return _typeset(lettered, grid, (_SIZES[-1][0], _SIZES[-1][1], 2.0, _SIZES[-1][3]), _PAGE, {}, shrunk=True)


_Style = tuple[str, float, float, float]


def _is_long(sheet: _Sheet, style: _Style, line: float, parts: dict[int, float], caption: str) -> bool:
    """Whether a table has too many rows for a page, or with its caption too many lines."""
    _, share, _, height = style
    lines = sum(
        max([1.0, *(math.ceil(1.15 * share * row[at] / width) for at, width in parts.items())]) for row in sheet.widths
    )
    above = 12 * (2 + _wide(caption + sheet.legend) // line)
    room = _PAGE if line == _LINE else _LINE
    return (len(sheet.rows) >= _ROWS and not sheet.turned) or above + (lines + 3) * height > room


def _breakable(cell: str) -> str:
    """A cell in which long words, such as addresses, may be broken at their signs, or else after some letters."""

    def broken(word: re.Match[str]) -> str:
        letters = re.findall(_LETTER, word[0])
        if len(letters) < _LONG_WORD:
            return word[0]
        made, since = "", 0
        for letter, following in zip(letters, [*letters[1:], ""], strict=True):
            made, since = made + letter, since + 1
            if (since > 10 or letter in _BREAKS) and not (following and goes_on(letter, following)):
                made, since = made + r"\allowbreak{}", 0
        return made

    return re.sub(r"\S+", broken, cell)


def _typeset(
    sheet: _Sheet, grid: Grid, style: _Style, line: float, parts: dict[int, float], *, shrunk: bool = False,
) -> str:  # fmt: skip
    size, _, space, _ = style
    packages = ["booktabs", *(["array"] if parts else [])]
    columns = "".join(
        rf">{{\raggedright\arraybackslash}}p{{{math.floor(parts[at])}pt}}" if at in parts
        else "l" if at < sheet.n_text else "r"
        for at in range(len(sheet.header))
    )  # fmt: skip
    caption = in_latex(grid.caption) + (f" {sheet.legend}." if sheet.legend else "")
    label = rf"\label{{{grid.label}}}" if grid.label else ""
    named = f"\\caption{{{caption}}}{label}" if caption or label else ""
    head = f"\\toprule\n{' & '.join(sheet.header)} \\\\\n\\midrule\n"
    rows = [[_breakable(cell) if at in parts else cell for at, cell in enumerate(row)] for row in sheet.rows]
    body = "".join(f"{' & '.join(row)} \\\\\n" for row in rows)
    setting = f"{size}\n\\setlength{{\\tabcolsep}}{{{space:g}pt}}\n" if size else ""
    if _is_long(sheet, style, line, parts, grid.caption) and not shrunk:
        packages.append("longtable")
        top = f"{named} \\\\\n" if named else ""
        text = (
            f"{setting}\\setlength{{\\LTcapwidth}}{{\\linewidth}}\n\\begin{{longtable}}{{{columns}}}\n{top}{head}\\endfirsthead\n{head}\\endhead\n"
            f"\\bottomrule\n\\endfoot\n{body}\\end{{longtable}}\n"
        )
        if line > _LINE:
            packages.append("pdflscape")
            text = f"\\begin{{landscape}}\n{text}\\end{{landscape}}\n"
        return f"% \\usepackage{{{','.join(packages)}}}\n{{{text}}}\n"
    text = f"\\begin{{tabular}}{{{columns}}}\n{head}{body}\\bottomrule\n\\end{{tabular}}\n"
    if shrunk:
        packages.append("graphicx")
        text = f"\\resizebox{{\\linewidth}}{{!}}{{%\n{text}}}\n"
    if named or line > _LINE:
        around = "sidewaystable" if line > _LINE else "table"
        packages += ["rotating"] if line > _LINE else []
        text = f"\\begin{{{around}}}\n\\centering\n{named}\n{setting}{text}\\end{{{around}}}\n"
    elif setting:
        text = f"{{{setting}{text}}}\n"
    return f"% \\usepackage{{{','.join(packages)}}}\n{text}"


def styled(grid: Grid, decimals: int | None = None, *, percent: bool = False) -> Grid:
    """The same with the numbers that are shares or scores in so many decimals, or in percent (by default one)."""
    if decimals is None and not percent:
        return grid
    places = (1 if percent else 4) if decimals is None else decimals

    def cell(content: Cell) -> Cell:
        if not isinstance(content, Number) or math.isnan(content.value):
            return content
        if not content.shown:
            return content._replace(shown=f"{100 * content.value if percent else content.value:.{places}f}")
        if re.fullmatch(r"[0-9]+\.[0-9]", content.shown) and decimals is not None:  # a percentage
            return content._replace(shown=f"{content.value:.{places}f}")
        return content

    return replace(grid, rows=[[cell(content) for content in row] for row in grid.rows])


def in_latex(text: str) -> str:
    r"""Text with LaTeX's own characters escaped.

    >>> in_latex("50%_A")
    '50\\%\\_A'
    """
    composed = unicodedata.normalize("NFC", printable(text))
    return "".join(_LATEX.get(character, character) for character in composed)


def separated(grid: Grid, delimiter: str = ",") -> str:
    """Values with a delimiter between them: numbers in full, nothing where one does not exist."""
    stream = io.StringIO()
    writer = csv.writer(stream, delimiter=delimiter, lineterminator="\n")
    writer.writerow([no_formula(name) for name in grid.header])
    for row in grid.rows:
        writer.writerow([_value(cell) if isinstance(cell, Number) else no_formula(cell) for cell in row])
    return stream.getvalue()


def _value(number: Number) -> str:
    return "" if math.isnan(number.value) else repr(number.value)


def no_formula(text: str) -> str:
    """Text that no spreadsheet takes for a formula; a negative number, as some ids are, is none."""
    text = printable(text)
    return f"'{text}" if text.startswith(_FORMULA) and not re.fullmatch("-[0-9]+", text) else text


def print_to_terminal(grid: Grid, title: str, caption: str) -> None:
    """The table in colour on standard output, under a title and over a caption."""
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table
    from rich.text import Text

    header, *rows = _finished(
        grid, lambda words: escape(_on_screen(words)), lambda number: f"[bold]{number}[/bold]", _same
    )
    table = Table()
    for at, (name, *column) in enumerate(zip(header, *rows, strict=True)):
        # where the table is too wide, names are folded and numbers are not: half a number is another number
        columns = max((Text.from_markup(cell, emoji=False).cell_len for cell in column), default=0)
        justify: Literal["left", "right"] = "left" if at < grid.n_text else "right"
        table.add_column(name, justify=justify, overflow="fold", min_width=min(columns, 12))
    for row in rows:
        table.add_row(*row)
    console = Console(emoji=False)
    # not as the table's own title and caption, which would be broken to its width
    console.print(Text(title, style="italic"), table, Text(caption, style="dim"), sep="\n", soft_wrap=True)


def _records(grid: Grid) -> str:
    """A JSON list of objects, one a row; a number that does not exist is null."""
    values = ([number(cell.value) if isinstance(cell, Number) else cell for cell in row] for row in grid.rows)
    return dumped([dict(zip(grid.header, row, strict=True)) for row in values])


#: ending of a file's name → how a grid is written in it
_FILES: Final[dict[str, Callable[[Grid], str]]] = {
    ".csv": separated, ".tsv": lambda grid: separated(grid, "\t"), ".json": _records, ".txt": plain,
}  # fmt: skip


def file_form(path: str, besides: tuple[str, ...] = ()) -> Callable[[Grid], str]:
    """How a grid is written in a file of this name, whatever its compression; on standard output (``-``) as CSV.

    Args:
        path: the file.
        besides: what else its name may end in, for the message.

    Raises:
        UsageError: the name has another ending.
    """
    name = plain_name(path)
    form = separated if path == "-" else next((_FILES[end] for end in _FILES if name.endswith(end)), None)
    if form is None:
        raise UsageError("file-name", f"{path}: the name of this file must end in {', '.join((*_FILES, *besides))}")
    return form


def forms_of(table: Callable[[_Shown], Grid]) -> dict[str, Callable[[_Shown], str]]:
    """Form → how a result is written in it, as the grid that it has; the table for people is each result's own.

    Args:
        table: the grid of a result.
    """

    def written(form: str) -> Callable[[_Shown], str]:
        return lambda result: FORMS[form](table(result))

    return {form: written(form) for form in ("csv", "tsv", "markdown", "latex")}


#: form → how a grid is written in it
FORMS: Final[dict[str, Callable[[Grid], str]]] = {
    "table": plain,
    "markdown": markdown,
    "latex": latex,
    "csv": separated,
    "tsv": lambda grid: separated(grid, "\t"),
}
