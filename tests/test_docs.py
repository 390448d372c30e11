"""What the docs take from the code: everything there is appears, and nothing in it is read as Markdown."""

from __future__ import annotations

import html
import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

import coliee_ir
from coliee_adapters import detect, remarks
from coliee_ir import cli, measures
from coliee_ir.commands.validate import RULES
from coliee_ir.rules.decisions import CHOICES, Decisions
from coliee_ir.rules.protocol import PROTOCOLS, SUBMISSION_RULES, newest_edition

DOCS = Path(__file__).parent.parent / "docs"


def _loaded() -> ModuleType:
    """The hook, loaded as mkdocs loads it."""
    spec = importlib.util.spec_from_file_location("docs_generate", DOCS / "_generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


generate = _loaded()
PAGES = sorted(DOCS.rglob("*.md"))


def rows(markdown: str) -> list[list[str]]:
    """The rows of a Markdown table, each cell as a reader sees it; the head first, without its rule."""
    lines = [line for line in markdown.splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in line[1:-1].split("|")] for line in lines]
    return [[shown(cell) for cell in row] for row in cells if set(row) != {"---"}]


def shown(markdown: str) -> str:
    """Markdown of the generator as a reader sees it: without tags, bold and the targets of links."""
    return html.unescape(re.sub(r"\]\([^)]*\)|\[|\*\*|<[^>]+>", "", markdown))


@pytest.mark.parametrize("command", cli.COMMANDS)
def test_every_command_has_a_page_with_every_option(command: str) -> None:
    page = generate.command_pages()[f"commands/{command}.md"]
    assert page.startswith(f"# coliee-ir {command}\n")
    typed = {name for row in rows(page) for name in re.split(r"[\s,]+", row[0])}
    for action in generate.parser_of(command)._actions:
        assert typed.issuperset(action.option_strings or [str(action.metavar).strip("[]")]) or action.nargs == "*"
    assert command in [row[0] for row in rows(generate.commands())]


def test_an_argument_is_shown_as_it_is_typed() -> None:
    pages = generate.command_pages()
    table = dict(rows("\n".join(pages[f"commands/{command}.md"] for command in ("evaluate", "measures"))))
    assert table["-m, --measure MEASURE"].startswith("MicroF1, MacroF2@5, ")
    assert table["--exclude IDS|FILE"] == "queries not scored: ids with commas, or a file"
    assert table["--empty-gold skip|zero|one"].endswith("; default: skip")
    assert {"GOLD", "RUN|DIR …", "[NAME …]", "--keep-going"} <= set(table)


def test_a_page_does_not_depend_on_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    pages = generate.command_pages()
    monkeypatch.setenv("COLUMNS", "30")
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert generate.command_pages() == pages


def test_every_row_of_the_rules_is_there() -> None:
    head, *found = rows(generate.protocols())
    assert len(found) == len(PROTOCOLS)
    for row, rules in zip(found, PROTOCOLS, strict=True):
        cells = dict(zip(head, row, strict=True))
        assert (cells["task"], cells["asks for"], cells["source"]) == (rules.task, rules.title, rules.source)
        assert cells["official measures"].startswith(", ".join(rules.measures))
        assert all(name in cells["official measures"] for name in (*rules.tie_break, *rules.long_list))


def test_each_year_names_the_measure_that_ranked() -> None:
    head, *found = rows(generate.editions())
    years = {row[0]: dict(zip(head, row, strict=True)) for row in found}
    for rules in PROTOCOLS:
        if newest_edition(rules) is not None:
            for year in range(rules.first, rules.last + 1):
                assert years[str(year)][rules.task] == rules.ranking
    assert years["2017"]["1"] == "–"


def test_every_measure_is_defined() -> None:
    ours = shown(generate.our_measures())
    theirs = {row[0]: row for row in rows(generate.their_measures())}
    for what in measures.everything():
        if what.name in theirs:
            assert theirs[what.name][2:] == [what.definition, what.formula]
        else:
            assert f"### {what.name} {{ #" in ours
            assert what.formula in ours
            assert what.source in ours
    assert "- Needs: documents, plaintiff, defendant" in ours
    assert theirs["recip_rank"][1] == "RR, RR@k"


def test_the_link_of_a_measure_leads_to_its_definition() -> None:
    page = generate.filled((DOCS / "measures.md").read_text(encoding="utf-8"))
    anchors = set(re.findall(r'\{ #(\w+) \}|<a id="(\w+)">', page))
    for rules in PROTOCOLS:
        for name in (*rules.measures, *rules.long_list):
            anchor = generate.linked(name).rpartition("#")[2].rstrip(")")
            assert (anchor, "") in anchors or ("", anchor) in anchors


def test_every_decision_is_there_with_its_default() -> None:
    found = {row[0]: row[1:3] for row in rows(generate.decisions())}
    for name, (default, *others) in CHOICES.items():
        assert found[f"--{name.replace('_', '-')}"] == [default, ", ".join(others)]


def test_every_remark_is_said_as_the_tool_says_it() -> None:
    found = {row[2]: row[:2] for row in rows(generate.remarks())[1:]}
    assert list(found) == list(remarks.KINDS)
    assert found["unjudged-query"] == ["2 query ids are not in the gold and ignored", "--unjudged"]
    assert found["tie"][1] == ""
    assert all(found[kind][1] for kind in Decisions().clauses())


def test_every_rule_of_a_submission_is_there() -> None:
    found = {row[0]: row[1:] for row in rows(generate.validation_rules())[1:]}
    assert list(found) == list(RULES)
    assert found["tag-length"] == [
        "error",
        "2 lines have a run tag of more than 12 characters",
        "shorten it",
        "cut off, unless two runs would come to share a tag",
        "organisers' page, submissions",
    ]
    assert not any("{" in cell for row in found.values() for cell in row)
    _, *of_tasks = rows(generate.submission_rules())
    assert [row[0] for row in of_tasks] == [rules.task for rules in SUBMISSION_RULES]


def test_every_form_is_there_as_it_looks() -> None:
    assert rows(generate.gold_forms())[1:] == [[form.name, form.looks] for form in detect.GOLD_FORMS]
    assert rows(generate.run_forms())[1:] == [[form.name, form.looks] for form in detect.RUN_FORMS]


def test_every_exported_name_is_on_the_python_page() -> None:
    page = generate.filled((DOCS / "api.md").read_text(encoding="utf-8"))
    assert sorted(re.findall(r"^::: [\w.]+\.(\w+)$", page, re.MULTILINE)) == sorted(coliee_ir.__all__)


def test_a_name_that_a_module_has_too_is_taken_from_there() -> None:
    page = "::: coliee_ir.protocol\n\n::: coliee_ir.evaluate\n"
    assert generate.filled(page) == page.replace("coliee_ir.rules.protocol", "coliee_ir.rules.protocol.protocol")


def test_a_name_that_nobody_placed_comes_last(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coliee_ir, "__all__", [*coliee_ir.__all__, "compared"])
    assert generate.further_names().endswith("::: coliee_ir.compared\n")


@pytest.mark.parametrize(
    "text", ["a|b", "<b>&amp;</b>", "*a* _b_ __c__", "[x][y] [z](u)", "1. #", "`a|b`", "\\|", "::"]
)
def test_text_of_the_code_is_not_markdown(text: str) -> None:
    for escape in (generate.escaped, generate.code):
        said = re.sub(r"^<code>|</code>$", "", escape(text))
        assert not re.search(r"[|<>*_\[\]()`\\#.]", re.sub(r"&#[0-9]+;", "", said))
        assert html.unescape(said) == text


def test_backticks_become_code_and_a_paragraph_one_line() -> None:
    assert generate.prose("as ``a|b``\n    is") == "as <code>a&#124;b</code> is"


@pytest.mark.parametrize("name", generate.TABLES)
def test_a_table_has_as_many_cells_in_each_row(name: str) -> None:
    assert len({len(row) for row in rows(generate.TABLES[name]())}) <= 1


def test_every_table_is_on_a_page_and_no_page_asks_for_another() -> None:
    asked = [name for page in PAGES for name in re.findall(r"<!-- generated: (.+) -->", page.read_text("utf-8"))]
    assert sorted(asked) == sorted(generate.TABLES)
    with pytest.raises(KeyError, match="nothing"):
        generate.filled("<!-- generated: nothing -->")


def test_a_page_without_a_place_gets_one() -> None:
    pages = ["index.md", "commands/index.md", "late.md", "examples/one.md", "rank.md", "commands/b.md", "commands/a.md"]
    nav = ["index.md", {"Commands": ["commands/index.md", "commands/*.md"]}, {"More": ["rank.md", "*"]}]
    assert generate.ordered(nav, pages) == [
        "index.md",
        {"Commands": ["commands/index.md", "commands/b.md", "commands/a.md"]},
        {"More": ["rank.md", "late.md", "examples/one.md"]},
    ]


@pytest.mark.parametrize(
    ("page", "fetches"),
    [
        ('<script src="https://unpkg.com/x"></script>', True),
        ("<link rel=stylesheet href=//fonts.example/css>", True),
        ('<link href="assets/main.css" rel="stylesheet"><a href="https://coliee.org">COLIEE</a>', False),
    ],
)
def test_what_a_page_would_fetch_from_elsewhere_is_found(page: str, fetches: bool) -> None:
    assert bool(generate.REMOTE.search(page)) is fetches
