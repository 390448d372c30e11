import csv
import io
import json
import math
import re
from dataclasses import replace

import naive
import pytest
import pytrec_eval
from hypothesis import assume, given
from hypothesis import strategies as st

from coliee_adapters.errors import MismatchError, printable
from coliee_adapters.records import Run
from coliee_ir import evaluate
from coliee_ir.output import grid
from coliee_ir.output.envelope import dumped
from coliee_ir.output.rendering import render as written
from coliee_ir.scoring.output import ScoreTable
from coliee_ir.scoring.scores import as_grid, document

GOLD = {"q1": {"a": 1, "b": 1}, "q10": {"a": 1}, "q2": {}}
RUNS = {"A": {"q1": ["a", "b"]}, "B": {"q1": ["a"], "q10": ["x"], "q2": ["y"]}}
MEASURES = ["MicroF1", "MacroR", "num_ret"]


def render(runs, form, *, per_query=False):
    return written(ScoreTable(runs, per_query=per_query), form)


def scored(runs=None, measures=None):
    return [
        evaluate(GOLD, Run.of(run, tag=tag, path=f"{tag}.txt"), task="1", measures=measures or MEASURES)
        for tag, run in (runs or RUNS).items()
    ]


# for people
def test_columns_are_aligned_as_they_are_shown():
    """Wide characters take two columns, marks none."""
    runs = {"東大": RUNS["A"], "Điê\u0300u": RUNS["B"], "हिन्दी": RUNS["B"]}
    assert render(scored(runs), "table") == (
        "run   MicroF1  MacroR  num_ret\n"
        "東大   0.8000  0.5000        2\n"
        "Điê\u0300u   0.3333  0.2500        2\n"
        "हिन्दी    0.3333  0.2500        2\n"
    )


def test_the_best_value_of_each_measure_is_bold_and_counts_are_not():
    runs = {**RUNS, "C": {"q1": ["a", "b"], "q2": ["z"]}}
    assert render(scored(runs), "markdown") == (
        "| run | MicroF1 | MacroR | num\\_ret |\n"
        "| --- | ---: | ---: | ---: |\n"
        "| A | **0.8000** | **0.5000** | 2 |\n"
        "| B | 0.3333 | 0.2500 | 2 |\n"
        "| C | 0.6667 | **0.5000** | 2 |\n"
    )
    assert "**" not in render(scored({"A": RUNS["A"]}), "markdown")


def test_markdown_and_latex_are_escaped():
    nasty = r"[MAN01] 50%_A&B|$x^2 {~}#<*`\"'" + "\x1b[31m\n\t"
    runs = scored({nasty: RUNS["A"], "B": RUNS["B"]})
    cell = render(runs, "markdown").splitlines()[2].removeprefix("| ").partition(" | **0.8")[0]
    assert cell == r"""\[MAN01\] 50%\_A\&B\|\$x^2 \{\~\}\#\<\*\`\\"'\\x1b\[31m\\n\\t"""
    assert render(runs, "latex").partition("\\toprule\n")[2] == (
        "run & MicroF1 & MacroR & num\\_ret \\\\\n\\midrule\n"
        r"{[}MAN01{]} 50\%\_\allowbreak{}A\&B\textbar{}\$x\textasciicircum{}2 \{\textasciitilde{}\}\#\textless{}{*}`"
        r"\textbackslash{}\textquotedbl{}'\textbackslash{}x1b{[}31m\textbackslash{}n\textbackslash{}t"
        " & \\textbf{0.8000} & \\textbf{0.5000} & 2 \\\\\nB & 0.3333 & 0.2500 & 2 \\\\\n\\bottomrule\n\\end{tabular}\n"
    )


def printed(table, caption, capsys, monkeypatch, **environment):
    for name, value in {"TERM": "xterm-256color", **environment}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("NO_COLOR", raising=False)
    grid.print_to_terminal(replace(table, caption=caption))
    return capsys.readouterr().out


def test_the_terminal_has_colours_and_words_as_they_are_and_a_narrow_one_never_folds_numbers(capsys, monkeypatch):
    measures, caption = ["map", "recip_rank", "set_recall", "P_5"], "a caption that is longer than forty characters are"
    table = as_grid(scored({"some run of ours with a name": RUNS["A"], "B": RUNS["B"]}, measures), False)
    shown = printed(table, caption, capsys, monkeypatch, COLUMNS="40")
    numbers = [cell.strip() for line in shown.splitlines() if "B " in line for cell in line.split("│")[2:-1]]
    assert numbers == ["0.2500", "0.5000", "0.2500", "0.1000"]
    assert f"{caption}\n" in shown
    assert "some run of" in shown
    table = as_grid(scored({":smile:[bold]\x1b[31m": RUNS["A"], "B": RUNS["B"]}), False)
    shown = printed(table, "Task [1]", capsys, monkeypatch, COLUMNS="200", FORCE_COLOR="1")
    for text in (r":smile:[bold]\x1b[31m", "\x1b[1m0.8000\x1b[0m", "Task [1]", "MicroF1"):
        assert text in shown
    assert "\x1b[1m0.3333" not in shown


# for programs
def test_a_long_table_is_written_in_pieces_and_loses_no_row():
    header, *rows = table = [["run", "query"], *([f"run {n}", "x" * 40] for n in range(20_000))]
    assert grid.separated(grid.Grid(header, rows)) == "".join(f"{','.join(row)}\n" for row in table)


@pytest.mark.parametrize(("form", "delimiter"), [("csv", ","), ("tsv", "\t")])
def test_separated_values_parse_back_to_the_same_numbers(form, delimiter):
    measures = ["MicroF1", "MacroF2", "map", "num_ret"]
    sums = ["MicroF1.above", "MicroF1.below", "ranked_by"]
    runs = scored(measures=measures)
    for per_query in (False, True):
        header, *rows = csv.reader(io.StringIO(render(runs, form, per_query=per_query)), delimiter=delimiter)
        words = header[: -len(measures + sums * per_query)]
        assert header == ["run", *["query"] * per_query, *measures, *sums * per_query]
        wanted = []
        for scores in runs:
            for query, values in scores.per_query.items() if per_query else ():
                wanted.append([scores.tag, query, *map(values.get, measures)])
            wanted.append([scores.tag, *["all"] * per_query, *scores.measures.values()])
        n = len(words)
        assert [[*row[:n], *(float(cell) if cell else None for cell in row[n : n + 4])] for row in rows] == wanted


def test_json_is_the_contract_and_lines_of_it_a_run_a_line():
    runs = scored()
    whole = document(runs, per_query=True)
    assert render(runs, "json", per_query=True) == dumped(whole)
    assert render(runs, "json") == dumped(document(runs, per_query=False))
    entries = whole.pop("runs")
    lines = [json.loads(line) for line in render(runs, "jsonl", per_query=True).splitlines()]
    assert lines == [{**whole, **entry} for entry in entries]
    # a value that does not exist is null, empty or a dash
    runs = [evaluate({"q": {}}, {"q": ["a"]}, task="1", measures=["MacroF1"])]
    assert json.loads(render(runs, "json", per_query=True))["runs"][0]["measures"] == {"MacroF1": None}
    assert render(runs, "csv") == "run,MacroF1\nrun,\n"
    assert render(runs, "table").split() == ["run", "MacroF1", "run", "-"]


# as trec_eval prints them
def trec_lines(qrels, run, per_query):
    """What ``trec_eval -c -q -m all_trec`` prints, from pytrec_eval's values by trec_eval's printf rules."""
    known = pytrec_eval.RelevanceEvaluator(qrels, pytrec_eval.supported_measures - {"runid", "relstring"})
    answers = known.evaluate(run)
    names = list(next(iter(answers.values())))
    lines = []

    def line(name, query, value):
        return f"{name:<22}\t{query}\t{value:.0f}" if name.startswith("num_") else f"{name:<22}\t{query}\t{value:6.4f}"

    # unanswered queries have no lines, and are added as what trec_eval sets them to
    nothing = {name: math.log(0.00001) if name.startswith("gm_") else 0.0 for name in names}
    values = {}
    for query in sorted(qrels, key=str.encode):
        n_relevant = sum(level > 0 for level in qrels[query].values())
        values[query] = answers.get(query, {**nothing, "num_rel": float(n_relevant)})
        if per_query and query in answers:
            shown = (name for name in names if name != "num_q" and not name.startswith("gm_"))
            lines += [line(name, query, answers[query][name]) for name in shown]
    for name in names:
        total = sum(values[query][name] for query in values)
        if name == "num_q":
            total = len(qrels)
        elif name.startswith("gm_"):
            total = math.exp(total / len(qrels))
        elif not name.startswith("num_"):
            total /= len(qrels)
        lines.append(line(name, "all", total))
    return lines


levels = st.dictionaries(st.sampled_from(naive.DOCUMENTS), st.integers(-1, 3), min_size=1).filter(
    lambda judged: max(judged.values()) >= 0  # trec_eval itself stops at a query that is judged otherwise
)


@given(st.dictionaries(st.sampled_from(naive.QUERIES), levels, min_size=1), naive.run_lines(), st.booleans())
def test_lines_are_those_of_trec_eval_dash_c_dash_q(qrels, lines, per_query):
    lines = [line for line in lines if line.document is not None]
    run = {}
    for query, document_, score in lines:
        ranking = run.setdefault(query, {})
        ranking[str(document_)] = max(score, ranking.get(str(document_), -math.inf))
    assume(run.keys() & qrels.keys())
    assume(any(level > 0 for judged in qrels.values() for level in judged.values()))  # or the file is refused
    try:
        scores = evaluate(qrels, run, task="trec", measures=["all_trec"])
    except MismatchError:
        assume(False)
    wanted = trec_lines(qrels, {query: run[query] for query in run if query in qrels}, per_query)
    assert render([scores], "trec", per_query=per_query).splitlines() == wanted


def test_measures_stand_in_trec_evals_order_and_ours_behind_and_each_value_once():
    lines = render(scored({"B": RUNS["B"]}, ["MicroF1", "P_5", "map", "num_q", "MacroP"]), "trec", per_query=True)
    values = """
        map q1 0.5000, P_5 q1 0.2000, MicroF1 q1 0.6667, MacroP q1 1.0000,
        map q10 0.0000, P_5 q10 0.0000, MicroF1 q10 0.0000, MacroP q10 0.0000, MicroF1 q2 0.0000,
        num_q all 2, map all 0.2500, P_5 all 0.1000, MicroF1 all 0.3333, MacroP all 0.5000
    """
    expected = [value.split() for value in values.split(",")]
    assert lines == "".join(f"{name:<22}\t{query}\t{value}\n" for name, query, value in expected)
    gold = {"q": {"a": 1, "b": 2}}
    scores = evaluate(gold, {"q": {"a": 2.0, "b": 1.0}}, task="trec", measures=["map", "AP", "AP(rel=2)", "R@1"])
    assert [line.split() for line in render([scores], "trec").splitlines()] == [
        ["map", "all", "1.0000"], ["AP(rel=2)", "all", "0.5000"], ["recall_1", "all", "0.5000"],
    ]  # fmt: skip


# what is no table: what a reader of the text would make of it
def test_what_is_no_table_holds_no_mention_no_emoji_no_formula_no_link_and_no_command():
    for text, shown in (
        ("@octocat", "\\@\u200boctocat"),
        ("a@b.example", "a\\@\u200bb.example"),
        (":+1:", "\\:\u200b\\+1\\:"),
        ("www.evil.example", "www.\u200bevil.example"),
        ("https://evil.example", "https\\:\u200b//evil.example"),
        ("#12 $x^2$", "\\#\u200b12 \\$x^2\\$"),
        ("nDCG@10, P(rel=2)@5", r"nDCG@10, P\(rel=2\)@5"),
    ):
        assert grid.in_markdown(text) == shown
    for text in ("=1+1", "+1", "-1+1", "@x", "＝1+1", "＋1", "－1", "＠x"):
        assert grid.no_formula(text) == f"'{text}"
    for text in ("-12", "x=1", "\t=1", "\r=1"):
        assert grid.no_formula(text) == printable(text)
    values = {"##[error]x": ["::error::x", "##vso[a]", "##", "a##[b", "問"]}
    text = dumped(values)
    assert json.loads(text) == values
    assert "問" in text
    assert not re.search(r"##\w*\[|^\s*::", text, re.MULTILINE)


@pytest.mark.parametrize("label", ["", "Scores & <more>"])
def test_html_says_what_each_cell_is(label):
    cells = ["<A>", grid.Number(0.5, "0.5", bold=True, mark="b,c"), grid.Number(2, "2")]
    page = grid.html(grid.Grid(["run", "F1", "n"], [cells], "Of <A>"), label)
    assert page.count("<sup>") == 1 and "<b>0.5</b><sup>b,c</sup>" in page and "<A>" not in page
    head, _, body = page.partition("</thead>")
    assert head.count("<th ") == 3
    assert (head.count("<button "), head.count('class="n"')) == ((3, 2) if label else (0, 0))
    assert "&lt;A&gt;</th>" in body
    assert "<caption>Of &lt;A&gt;</caption>" in page
    assert ('data-value="2.0"' in page) == ('aria-label="Scores &amp; &lt;more&gt;"' in page) == bool(label)
