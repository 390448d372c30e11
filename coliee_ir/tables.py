"""Scores as text: tables for people, for papers and for programs. Every id and tag is escaped for where it goes."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Callable, Sequence
from typing import Any, Final

from coliee_adapters import trec_eval
from coliee_adapters.errors import printable
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

    header, rows, n_text = _cells(
        runs, per_query, lambda words: escape(printable(words)), lambda number: f"[bold]{number}[/bold]"
    )
    table = Table(title=escape(title), caption=escape(caption), title_justify="left", caption_justify="left")
    for at, name in enumerate(header):
        table.add_column(name, justify="left" if at < n_text else "right", overflow="fold", no_wrap=at >= n_text)
    for row in rows:
        table.add_row(*row)
    Console().print(table)


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
    """Text that no spreadsheet takes for a formula."""
    text = printable(text)
    return f"'{text}" if text.startswith(("=", "+", "-", "@")) else text


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
    Our own measures follow trec_eval's.
    """
    lines: list[str] = []
    for scores in runs:
        measures = _in_trec_order(list(scores.results))
        if per_query:
            by_id = sorted(range(len(scores.query_ids)), key=scores.query_ids.__getitem__)
            columns = {measure: scores.results[measure].per_query.tolist() for measure in measures}
            for at in by_id:
                if not scores.answered[at]:
                    continue
                query = printable(scores.query_ids[at])
                for measure in measures:
                    base = measure.request.base if isinstance(measure, Delegated) else ""
                    if base != "num_q" and not base.startswith("gm_") and not math.isnan(columns[measure][at]):
                        lines.append(_trec_line(measure, query, columns[measure][at]))
        lines += [_trec_line(measure, "all", scores.results[measure].value) for measure in measures]
    return "".join(lines)


def _in_trec_order(measures: Sequence[Measure]) -> list[Measure]:
    delegated = [measure for measure in measures if isinstance(measure, Delegated)]
    places = {request: at for at, request in enumerate(trec_eval.in_trec_eval_order([m.request for m in delegated]))}
    ours = [measure for measure in measures if not isinstance(measure, Delegated)]
    return [*sorted(delegated, key=lambda measure: places[measure.request]), *ours]


def _trec_line(measure: Measure, query: str, value: float) -> str:
    name = measure.request.name if isinstance(measure, Delegated) else measure.name
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
