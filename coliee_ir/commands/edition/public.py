"""What everyone sees of an edition: its site, and its overview paper, one LaTeX document that includes each table.

No drawing is made twice. Tables are for papers of one column and of two: no letter is smaller than 6.5 points in LNCS,
ACM's and IEEE's classes.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import importlib.util
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from string import ascii_uppercase
from typing import TYPE_CHECKING, Final

import numpy as np

import coliee_ir
from coliee_adapters import trec_eval
from coliee_adapters.by_key import by_key
from coliee_adapters.forms.lines import counted
from coliee_ir._version import __version__
from coliee_ir.commands.edition.config import Edition, TaskPart
from coliee_ir.commands.leaderboard import Categories, Leaderboard, read_categories
from coliee_ir.commands.leaderboard.catalogue import Extras, candidates_of, columns, data_of, everything
from coliee_ir.output import webpage
from coliee_ir.output.grid import Grid, Number, html, in_html, in_latex, latex, program
from coliee_ir.output.webpage import Section
from coliee_ir.reading.anything import read_gold

if TYPE_CHECKING:
    from coliee_ir.commands.report.drawing import Figure

#: heading → the tables below it, in the order of a page
_SECTIONS: Final = {
    "Results": ("results",), "Approaches": ("approaches",), "Categories": ("categories",),
    "Questions": ("relevant", "crossed", "questions"),
}  # fmt: skip

#: runs down to this place stand on the page of all tasks
_TOP: Final = 3

#: columns that stand side by side on a page
_SIDE_BY_SIDE: Final = 14

#: rows from which a column has to have more than one entry
_SPARSE: Final = 4

#: headings of tables that are no names
_WORDS: Final = {"team", "run", "runs", "models", "resources", "approach", "query", "kind", "relevant", "category",
                 "questions", "mean", "relevant documents", "data", "queries", "candidates per query",
                 "relevant per query"}  # fmt: skip


class Pictures:
    """Drawings by the sum of all that they show; ``earlier`` are those of the last call."""

    def __init__(self, earlier: Mapping[str, Mapping[str, str]]) -> None:
        self.earlier = earlier
        self.made: dict[str, Mapping[str, str]] = {}

    def of(self, board: Leaderboard, draw: Callable[[Leaderboard], Mapping[str, bytes]]) -> dict[str, bytes]:
        """Name → content of what a function draws of a board."""
        key = _sum(board, draw.__name__)
        if key not in self.made:
            texts = self.earlier.get(key) or {
                name: base64.b64encode(content).decode() for name, content in draw(board).items()
            }
            self.made[key] = texts
        return {name: base64.b64decode(text) for name, text in self.made[key].items()}


def _sum(board: Leaderboard, kind: str) -> str:
    """The sum of this package and of all that figures show of a board: its questions, and its runs query by query."""
    table = board.table("questions")
    parts: list[object] = [code(), kind, board.called, board.resampling, board.queries]
    parts += [table.header, table.rows, table.caption]
    for run in board.entries:
        terms = {measure.name: result.terms for measure, result in run.scores.results.items()}
        sums = [(name, of.is_mean, of.each.tolist(), of.besides.tolist()) for name, of in terms.items()]
        parts.append((run.name, run.team, run.status, run.place, run.ranks, run.interval, run.scores.per_query, sums))
    return hashlib.sha256(repr(parts).encode()).hexdigest()


@functools.cache
def code() -> str:
    """The sum of this package."""
    whole = hashlib.sha256(f"{__version__} {trec_eval.version()} {is_drawn()}".encode())
    for file in sorted(Path(coliee_ir.__path__[0]).parent.glob("coliee_*/**/*.*")):
        if file.suffix != ".pyc" and file.is_file():
            whole.update(file.read_bytes())
    return whole.hexdigest()


def is_drawn() -> bool:
    """Whether what figures are drawn with, the extra ``report``, is installed."""
    return all(importlib.util.find_spec(module) is not None for module in ("altair", "vl_convert"))


def pages(
    boards: Sequence[Leaderboard], edition: Edition, pictures: Pictures, received: str = ""
) -> dict[str, str | bytes]:
    """Path below ``public`` → content; ``received`` is when the last mail came."""
    contents: dict[str, str | bytes] = {
        "index.html": webpage.page(
            edition.name,
            list(map(_top, boards)),
            f"<p>{in_html(_participation(boards, edition, received))}</p>\n",
            contents=False,
        )
    }
    for board in boards:
        contents[_page_of(board)] = webpage.page(
            f"{edition.name}, {titled(board)}",
            list(_sections(board, edition, pictures)),
            '<p><a href="index.html">All tasks</a></p>\n',
        )
    return contents


def _participation(boards: Sequence[Leaderboard], edition: Edition, received: str) -> str:
    """Who took part, and until when."""
    runs = counted(sum(len(board.entries) for board in boards), "run")
    teams = {entry.team for board in boards for entry in board.entries} - {""}
    participants = f"{counted(len(teams), 'team')} and {runs}" if teams else runs
    times = {"Deadline": edition.deadline and edition.deadline.isoformat(), "Last mail": received}
    until = "".join(f" {label}: {edition.time(time)}." for label, time in times.items() if time)
    return f"Results of {participants}: the first {_TOP} places of each task, with links to all.{until}"


def part_of(board: Leaderboard, edition: Edition) -> TaskPart:
    """What the file of an edition says of a task."""
    return next(part for part in edition.tasks if part.name == board.called)


def categories_of(board: Leaderboard, edition: Edition) -> Categories | None:
    """The categories of a task's questions, where the file of an edition names them."""
    path = part_of(board, edition).categories
    return read_categories(path, board.queries) if path else None


def _page_of(board: Leaderboard) -> str:
    return f"task-{re.sub('[^a-z0-9]+', '-', board.called.lower()).strip('-')}.html"


def titled(board: Leaderboard) -> str:
    """A task and what it asks for."""
    return " ".join(filter(None, [board.protocol.titled(None).removeprefix("COLIEE, "), board.reference]))


def _top(board: Leaderboard) -> Section:
    """The first runs of a task."""
    table = _as_drawn(board.table("results"), board)
    shown = [name for name in ("Place", "Team", "Run", board.ranking.name) if name in table.header]
    first = [n for n, run in enumerate(board.entries) if 0 < run.place <= _TOP]
    short = table.part([table.header.index(name) for name in shown], first, caption="")
    link = f'<p><a href="{_page_of(board)}">All {len(board.entries)} runs</a></p>\n'
    return Section(f"task-{board.called.replace(' ', '-')}", titled(board), html(short, titled(board)) + link)


def _as_drawn(table: Grid, board: Leaderboard) -> Grid:
    """The results, whose measures are called as in the figure."""
    names = {
        heading: name
        for heading, name in columns(board).items()
        if name in {measure.name for measure in board.measures}
    }
    return replace(table, header=[names.get(head, head) for head in table.header])


def _sections(board: Leaderboard, edition: Edition, pictures: Pictures) -> Iterator[Section]:
    """The parts of a task's page: its table first."""
    public = edition.public
    tables, _ = everything(board, Extras(categories_of(board, edition)))
    tables["results"] = _as_drawn(tables["results"], board)
    is_left_out = {"questions": public.hide_gold, "approaches": not public.approaches}
    is_shown = public.figures and bool(board.entries) and is_drawn()
    for heading, names in _SECTIONS.items():
        present = [name for name in names if name in tables and not is_left_out.get(name) and is_worth(tables[name])]
        parts = [_table_html(tables[name]) for name in present]
        if heading == "Results":  # the table is what people come for
            parts.append(f'<p class="under">{in_html(board.method)}</p>\n' if board.best else "")
            parts += _texts(pictures.of(board, scores_drawn)) if is_shown else []
        elif "questions" in present:
            parts[-1:-1] = _texts(pictures.of(counted_alone(board), questions_drawn)) if is_shown else []
        if parts:
            yield Section(heading.lower(), heading, "".join(parts))


def _table_html(table: Grid) -> str:
    """A table, and below it what it shows."""
    name = table.label.rpartition("-")[2]
    table = _upright(table) if name in ("categories", "crossed") else table
    body = html(replace(headed(table), caption=""), name.capitalize())
    return f'{body}<p class="under">{in_html(table.caption)}</p>\n'


def is_worth(table: Grid) -> bool:
    """Whether a table has rows; that of relevant documents several, for one is a sentence."""
    return len(table.rows) > table.label.endswith("-relevant")


def headed(table: Grid) -> Grid:
    """A table with headings as a page and a paper have them; names stay as they are."""
    header = [head.capitalize() if head in _WORDS else head for head in table.header]
    few = len(table.rows) < _SPARSE  # of more, a column that one row alone fills is left out
    columns_kept = [i for i in range(len(header)) if few or not i or sum(bool(row[i]) for row in table.rows) > 1]
    return table.part(columns_kept, header=[header[i] for i in columns_kept])


def counted_alone(board: Leaderboard) -> Leaderboard:
    """A board of the runs that count, which alone are in the figures of questions."""
    return replace(board, entries=board.counted)


def _texts(drawn: Mapping[str, bytes]) -> list[str]:
    return [content.decode() for content in drawn.values()]


def scores_drawn(board: Leaderboard) -> dict[str, bytes]:
    """The figure of the scores, for a page."""
    from coliee_ir.commands.report import figures  # which loads altair
    from coliee_ir.commands.report.contents import Contents, Texts
    from coliee_ir.commands.report.drawing import unchecked

    contents = Contents(board, None, (), (), None, Texts(None, ()), (), "", [entry.scores for entry in board.entries])
    with unchecked():
        return _drawn(figures.scores(contents))


def questions_drawn(board: Leaderboard) -> dict[str, bytes]:
    """The figures of the questions, for a page."""
    from coliee_ir.commands.report.overview import overview  # which loads altair

    return _drawn(*overview(board))


def _drawn(*figures: Figure) -> dict[str, bytes]:
    """Name → drawing, with what it says."""
    from coliee_ir.commands.report.drawing import on_page, svg_of

    pictures = {}
    for figure in figures:
        bare = re.sub(r' (?:role|aria-roledescription)="[^"]*"', "", svg_of(figure, on_page))
        picture = bare.replace("<svg ", f'<svg role="img" aria-label="{in_html(figure.says)}" ', 1)
        pictures[figure.name] = (
            f'<figure><div class="chart drawn" tabindex="0" role="region" aria-label="{in_html(figure.title)}">'
            f"{picture}</div><figcaption>{in_html(figure.says)}</figcaption></figure>\n"
        ).encode()
    return pictures


def _upright(table: Grid) -> Grid:
    """A table that is too wide for a page, with its columns as rows; others as they are."""
    if len(table.header) <= max(_SIDE_BY_SIDE, len(table.rows)):
        return table
    first, *others = zip(table.header, *table.rows, strict=True)
    texts = [[cell.text if isinstance(cell, Number) else cell for cell in first]]
    return replace(table, header=["run", *texts[0][1:]], rows=others, n_text=1)


#: the tables of a task, in the order of the paper; those of the data stand in one
_OF_PAPER: Final = ("results", "approaches", "relevant", "crossed", "categories")

#: in points at a size of ten: a character, what stands beside a column, what fits into a column of ACM or IEEE and into
#: a page of LNCS where letters shrink to 6.5
_CHARACTER, _BESIDE, _COLUMN, _PAGE = 5.0, 12, 345, 480

#: lines of a table that fit a page, in which a cell of words has so many characters
_LINES, _WIDEST_CELL = 40, 25

#: columns from which runs are called by letters
_LETTERED: Final = 10

_JAPANESE: Final = re.compile("[\u3000-\u9fff\uf900-\ufaff\uff00-\uffef]")

#: its first line goes with the class; tables and figures stand where they are named, or on the next page with room
_PREAMBLE: Final = r"""\documentclass[a4paper]{article}\usepackage[margin=25mm]{geometry}
\usepackage{iftex}
\ifPDFTeX\usepackage[T1]{fontenc}\usepackage{textcomp}\fi
\IfFileExists{lmodern.sty}{\usepackage{lmodern}}{}
\usepackage{array,booktabs,graphicx}
\usepackage[export]{adjustbox}
\makeatletter\def\fps@table{htbp}\def\fps@figure{htbp}\makeatother
\extrafloats{200}
"""


def paper_files(boards: Sequence[Leaderboard], edition: Edition, pictures: Pictures) -> dict[str, str | bytes]:
    """Path below ``paper`` → content."""
    contents: dict[str, str | bytes] = {}
    body, data = [], []
    for board in boards:
        if not board.entries:
            continue
        prefix = _prefix(board)
        tables = {table.label.removeprefix("tab:"): table for table in _tables(board, edition)}
        data.append((board, tables.pop(f"{prefix}data")))
        texts: dict[str, str | bytes] = {
            f"{name}.tex": set_tables(headed(table)) for name, table in tables.items() if is_worth(table)
        }
        names = [*texts]
        if is_drawn() and (drawn := pictures.of(counted_alone(board), paper_figures)):
            texts |= {name: picture if name.endswith(".pdf") else picture.decode() for name, picture in drawn.items()}
            names.append(f"{prefix}figures.tex")
        contents |= texts
        inputs = "".join(f"\\input{{{name}}}\n" for name in names)
        body.append(f"\\section*{{{in_latex(titled(board))}}}\n{inputs}")
    if data:
        contents["data.tex"] = set_tables(headed(_data_of_all_tasks(data)))
        notes = by_key(
            ((f"Task {board.called}", note) for board, _ in data for note in board.notes()), lambda pair: pair[1]
        )
        tasks = {note: ", ".join(task for task, _ in pairs) for note, pairs in notes.items()}
        lines = [f"{tasks[note]}: {note}" if len(notes) > 1 else note for note in notes]
        contents["note.tex"] = "".join(f"{in_latex(line)}\n\n" for line in lines)
        body.insert(0, "\\section*{Data}\n\\input{data.tex}\n\\input{note.tex}\n")
    return {"paper.tex": _document(edition.name, body, "".join(map(str, contents.values()))), **contents}


def _prefix(board: Leaderboard) -> str:
    """What the names of a task's files begin with."""
    return f"task{board.called.replace(' ', '-')}-"


def paper_figures(board: Leaderboard) -> dict[str, bytes]:
    """The figures of the questions as PDF, and what includes them."""
    from coliee_ir.commands.report import overview  # which loads altair
    from coliee_ir.commands.report.drawing import picture, svg_of

    prefix = _prefix(board)
    figures = [figure._replace(name=f"{prefix}{figure.name}") for figure in overview.overview(board)]
    pictures = {f"{figure.name}.pdf": picture(svg_of(figure), ".pdf") for figure in figures}
    return pictures | ({f"{prefix}figures.tex": overview.latex(figures).encode()} if figures else {})


def set_tables(table: Grid) -> str:
    """A table in LaTeX; what is too wide or too long to be read in one as several, over both columns where needed."""
    words = [[len(cell if isinstance(cell, str) else cell.text) for cell in row] for row in (table.header, *table.rows)]
    widths = [min(_WIDEST_CELL, max(column)) * _CHARACTER + _BESIDE for column in zip(*words, strict=True)]
    names = range(max(table.n_text, 1))
    room = max(_PAGE - sum(widths[i] for i in names), 1)
    n_parts = min(max(1, math.ceil(sum(widths[len(names) :]) / room)), max(1, len(widths) - len(names)))
    n_pages = math.ceil(sum(math.ceil(max(row) / _WIDEST_CELL) for row in words[1:]) / _LINES)
    parts: list[str] = []
    for part_of_columns in np.array_split(range(len(names), len(widths)), n_parts):
        for rows in np.array_split(range(len(table.rows)), max(1, n_pages)):
            continued = {"caption": "Continued.", "label": ""} if parts else {}
            parts.append(latex(table.part([*names, *part_of_columns], rows, **continued), breaks=False))
    star = "*" * (sum(widths) > _COLUMN)
    return "".join(parts).replace("{table}", f"{{table{star}}}")


def _document(title: str, body: Sequence[str], texts: str) -> str:
    """The document; its first line tells editors what compiles it."""
    compiled = program(title + texts)
    why = "% Some names have characters that pdfLaTeX does not have.\n" if compiled == "lualatex" else ""
    japanese = (
        "\\ifLuaTeX\\usepackage{luatexja}\\fi % for names in Japanese; in texlive-lang-japanese\n"
        if _JAPANESE.search(texts)
        else ""
    )
    return (
        f"% !TeX program = {compiled}\n{why}{_PREAMBLE}{japanese}"
        f"\\title{{{in_latex(title)}}}\n\\author{{}}\n\\date{{}}\n"
        f"\\begin{{document}}\n\\maketitle\n{''.join(body)}\\clearpage\n\\end{{document}}\n"
    )


def _tables(board: Leaderboard, edition: Edition) -> Iterator[Grid]:
    """The tables of a task, and its data."""
    part = part_of(board, edition)
    categories = categories_of(board, edition)
    train = data_of(read_gold(part.training, task=board.task)) if part.training else None
    candidates = (
        candidates_of(part.corpus, board.task, read_gold(part.gold, task=board.task)) if part.corpus else math.nan
    )
    tables, _ = everything(board, Extras(categories, candidates=candidates, train=train, style=edition.style))
    yield tables["data"]
    for name in _OF_PAPER:
        if name == "crossed" and name in tables and edition.style:
            yield from _by_number(tables[name])
        elif name == "categories" and name in tables:
            yield _lettered(tables[name], whole=bool(edition.style))
        elif name in tables:
            yield tables[name]


def _by_number(table: Grid) -> Iterator[Grid]:
    """A table for each number of relevant documents, as Tables 9 and 10 of 2021."""
    for number in dict.fromkeys(head.partition(", ")[0] for head in table.header[1:]):
        columns = [0, *(n for n, head in enumerate(table.header) if head.startswith(f"{number}, "))]
        yield table.part(
            columns,
            header=[table.header[n].removeprefix(f"{number}, ") for n in columns],
            caption=table.caption.replace("Questions by", f"Questions with {number} relevant by", 1),
            label=f"{table.label}-{number}",
        )


def _lettered(table: Grid, *, whole: bool) -> Grid:
    """The scores by category, whose runs are called by letters where they are many, as Tables 12 and 14 of 2021."""
    fixed = 2 + (len(table.header) > 2 and table.header[2].startswith("all "))
    runs, header, caption = table.header[fixed:], list(table.header), table.caption
    if len(table.header) > _LETTERED:
        letters = [ascii_uppercase[i % 26] * (i // 26 + 1) for i in range(len(runs))]
        header[fixed:] = letters
        caption += f" {', '.join(f'{letter}: {run}' for letter, run in zip(letters, runs, strict=True))}."
    rounded = [
        [*row[:2], *(cell._replace(display=f"{cell.value:.0f}") for cell in row[2:] if isinstance(cell, Number))]
        for row in table.rows
    ]
    rows = rounded if whole and "Percentage" in caption else table.rows
    return replace(table, header=header, rows=rows, caption=caption)


def _data_of_all_tasks(data: Sequence[tuple[Leaderboard, Grid]]) -> Grid:
    """The data of all tasks as one table (Table 2 of 2021)."""
    header = list(dict.fromkeys(head for _, table in data for head in table.header))
    return Grid(
        header,
        [
            [
                f"Task {board.called}, {row[0]}",
                *(dict(zip(table.header, row, strict=True)).get(head, "") for head in header[1:]),
            ]
            for board, table in data
            for row in table.rows
        ],
        "Data of the tasks.",
        n_text=1,
        label="tab:data",
    )
