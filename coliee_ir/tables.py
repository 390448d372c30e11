"""Scores as text: tables for people, for papers and for programs. Every id and tag is escaped for where it goes."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Callable, Sequence
from typing import Any, Final, Literal

from coliee_adapters import trec_eval
from coliee_adapters.errors import printable
from coliee_adapters.trec_eval import Request
from coliee_ir.measures import Delegated, Measure
from coliee_ir.scores import Scores, document, preamble

#: a table: the header, and rows of (text cells, values)
Rows = list[tuple[list[str], list[float]]]

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
}


def render(runs: Sequence[Scores], form: str, *, per_query: bool = False) -> str:
    """The scores of runs against one gold, in one of ``FORMS``; ends in a newline.

    Args:
        runs: at least one, scored by the same measures.
        form: the name of the form.
        per_query: whether each query has a row of its own.
    """
    return FORMS[form](runs, per_query)


def _rows(runs: Sequence[Scores], per_query: bool) -> tuple[list[str], Rows]:
    """The names of the text columns, and the rows: with ``per_query`` the queries of each run, then ``all``."""
    several_files = len({scores.tag for scores in runs}) < len(runs)
    names = ["run", *(["file"] if several_files else []), *(["query"] if per_query else [])]
    rows: Rows = []
    for scores in runs:
        run = [scores.tag, *([scores.file] if several_files else [])]
        if per_query:
            columns = [result.per_query.tolist() for result in scores.results.values()]
            for at, query in enumerate(scores.query_ids):
                rows.append(([*run, query], [column[at] for column in columns]))
        total = [result.value for result in scores.results.values()]
        rows.append(([*run, *(["all"] if per_query else [])], total))
    return names, rows


def _number(measure: Measure, value: float) -> str:
    if math.isnan(value):
        return "-"
    return f"{value:.0f}" if _is_count(measure) else f"{value:.4f}"


def _is_count(measure: Measure) -> bool:
    return isinstance(measure, Delegated) and measure.request.base.startswith("num_")


def _best(runs: Sequence[Scores], measures: Sequence[Measure]) -> list[str | None]:
    """For each measure the best value as printed; None where there is nothing to compare."""
    best: list[str | None] = []
    for measure in measures:
        values = [scores.results[measure].value for scores in runs if measure in scores.results]
        kept = [value for value in values if not math.isnan(value)]
        best.append(_number(measure, max(kept)) if len(runs) > 1 and kept and not _is_count(measure) else None)
    return best


def _cells(
    runs: Sequence[Scores], per_query: bool, text: Callable[[str], str], bold: Callable[[str], str]
) -> tuple[list[str], list[list[str]], int]:
    """The header, the rows of finished cells, and how many columns are text; the best value of each measure is bold."""
    measures = list(runs[0].results)
    names, rows = _rows(runs, per_query)
    best = _best(runs, measures)
    finished = []
    for words, values in rows:
        numbers = [_number(measure, value) for measure, value in zip(measures, values, strict=True)]
        if not per_query or words[-1] == "all":
            numbers = [bold(n) if n == top else n for n, top in zip(numbers, best, strict=True)]
        finished.append([*map(text, words), *numbers])
    return [*names, *(text(measure.name) for measure in measures)], finished, len(names)


def plain(runs: Sequence[Scores], per_query: bool) -> str:
    """Columns padded with blanks, the first left-aligned and the numbers right-aligned."""
    header, rows, n_text = _cells(runs, per_query, printable, lambda number: number)
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    lines = []
    for row in (header, *rows):
        cells = [
            cell.ljust(width) if at < n_text else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines) + "\n"


def print_to_terminal(runs: Sequence[Scores], title: str, caption: str, *, per_query: bool = False) -> None:
    """The table in colour on standard output, the best values bold."""
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table
    from rich.text import Text

    header, rows, n_text = _cells(
        runs, per_query, lambda words: escape(printable(words)), lambda number: f"[bold]{number}[/bold]"
    )
    table = Table()
    for at, (name, *column) in enumerate(zip(header, *rows, strict=True)):
        # where the table is too wide, names are folded and numbers are not: half a number is another number
        width = max(Text.from_markup(cell, emoji=False).cell_len for cell in column)
        justify: Literal["left", "right"] = "left" if at < n_text else "right"
        table.add_column(name, justify=justify, overflow="fold", min_width=min(width, 12))
    for row in rows:
        table.add_row(*row)
    console = Console(emoji=False)
    # not as the table's own title and caption, which would be broken to its width
    console.print(Text(title, style="italic"), table, Text(caption, style="dim"), sep="\n", soft_wrap=True)


def _json(runs: Sequence[Scores], per_query: bool) -> str:
    return _dumped(document(runs, per_query=per_query), indent=1)


def _jsonl(runs: Sequence[Scores], per_query: bool) -> str:
    return "".join(_dumped({**preamble(s), **s.to_dict(per_query=per_query)}) for s in runs)


def _dumped(value: Any, indent: int | None = None) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent) + "\n"


def _separated(delimiter: str) -> Callable[[Sequence[Scores], bool], str]:
    def table(runs: Sequence[Scores], per_query: bool) -> str:
        names, rows = _rows(runs, per_query)
        stream = io.StringIO()
        writer = csv.writer(stream, delimiter=delimiter, lineterminator="\n")
        writer.writerow([*names, *(measure.name for measure in runs[0].results)])
        for words, values in rows:
            numbers = ["" if math.isnan(value) else repr(value) for value in values]
            writer.writerow([*map(_no_formula, words), *numbers])
        return stream.getvalue()

    return table


def _no_formula(text: str) -> str:
    """Text that no spreadsheet takes for a formula; a negative number, as some ids are, is none."""
    text = printable(text)
    return f"'{text}" if text.startswith(("=", "+", "-", "@")) and not re.fullmatch("-[0-9]+", text) else text


def markdown(runs: Sequence[Scores], per_query: bool) -> str:
    """A table in GitHub's Markdown, the best values bold."""
    header, rows, n_text = _cells(runs, per_query, _in_markdown, lambda number: f"**{number}**")
    rule = ["---"] * n_text + ["---:"] * (len(header) - n_text)
    return "".join(f"| {' | '.join(row)} |\n" for row in (header, rule, *rows))


def _in_markdown(text: str) -> str:
    return re.sub(r"([\\`*_{}\[\]<>()#+!|&~])", r"\\\1", printable(text))


def latex(runs: Sequence[Scores], per_query: bool) -> str:
    r"""A tabular with booktabs' rules, the best values in \textbf."""
    header, rows, n_text = _cells(runs, per_query, in_latex, lambda number: rf"\textbf{{{number}}}")
    body = "".join(f"{' & '.join(row)} \\\\\n" for row in rows)
    return (
        "% \\usepackage{booktabs}\n"
        f"\\begin{{tabular}}{{{'l' * n_text}{'r' * (len(header) - n_text)}}}\n"
        f"\\toprule\n{' & '.join(header)} \\\\\n\\midrule\n{body}\\bottomrule\n\\end{{tabular}}\n"
    )


def in_latex(text: str) -> str:
    r"""Text with LaTeX's own characters escaped.

    >>> in_latex("50%_A")
    '50\\%\\_A'
    """
    return "".join(_LATEX.get(character, character) for character in printable(text))


def _trec(runs: Sequence[Scores], per_query: bool) -> str:
    """Lines as ``trec_eval -c`` (with ``per_query``: ``-c -q``) prints them: in its order, queries by id, then ``all``.

    As in trec_eval 9.0.8, a query that the run does not answer has no lines of its own and counts in ``all``.
    A value asked for under two names is printed once. Our own measures follow trec_eval's.
    """
    lines: list[str] = []
    for scores in runs:
        measures = _in_trec_order(list(scores.results))
        if per_query:
            by_id = sorted(range(len(scores.query_ids)), key=scores.query_ids.__getitem__)
            columns = [
                (measure, scores.results[measure].per_query.tolist(), _answered(scores, measure))
                for measure in measures
                if not isinstance(measure, Delegated) or not measure.request.base.startswith(("num_q", "gm_"))
            ]
            for at in by_id:
                query = printable(scores.query_ids[at])
                lines += [
                    _trec_line(measure, query, values[at])
                    for measure, values, answered in columns
                    if answered[at] and not math.isnan(values[at])
                ]
        if len(runs) > 1:  # as in trec_eval's summary, and the only thing that tells the runs apart
            lines.append(f"{'runid':<22}\tall\t{printable(scores.tag)}\n")
        lines += [_trec_line(measure, "all", scores.results[measure].value) for measure in measures]
    return "".join(lines)


def _answered(scores: Scores, measure: Measure) -> Sequence[bool]:
    """Which queries are answered in the part of the submission that the measure reads."""
    answered = scores.results[measure].answered
    return scores.answered if answered is None else answered.tolist()


def _in_trec_order(measures: Sequence[Measure]) -> list[Measure]:
    delegated = {measure.request: measure for measure in measures if isinstance(measure, Delegated)}
    ours = [measure for measure in measures if not isinstance(measure, Delegated)]
    return [*(delegated[request] for request in trec_eval.in_trec_eval_order(delegated)), *ours]


def _trec_line(measure: Measure, query: str, value: float) -> str:
    name = measure.name
    if isinstance(measure, Delegated) and measure.request == Request(measure.request.base, measure.request.parameter):
        name = measure.request.name  # with options, such as rel=2, it is not what trec_eval prints under this name
    number = f"{value:.0f}" if _is_count(measure) else f"{value:6.4f}"
    return f"{name:<22}\t{query}\t{number}\n"


FORMS: Final[dict[str, Callable[[Sequence[Scores], bool], str]]] = {
    "table": plain,
    "json": _json,
    "jsonl": _jsonl,
    "csv": _separated(","),
    "tsv": _separated("\t"),
    "markdown": markdown,
    "latex": latex,
    "trec": _trec,
}
