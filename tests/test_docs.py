"""The docs: committed pages say what the code says, the index leads everywhere, and the site builds offline."""

from __future__ import annotations

import doctest
import html
import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

import coliee_ir
from coliee_adapters import detect, remarks
from coliee_ir import cli, measures
from coliee_ir.commands.validate import RULES
from coliee_ir.rules.decisions import CHOICES, Decisions
from coliee_ir.rules.protocol import PROTOCOLS, SUBMISSION_RULES, newest_edition

DOCS = Path(__file__).parent.parent / "docs"
PAGES = {page.relative_to(DOCS).as_posix(): page.read_text(encoding="utf-8") for page in sorted(DOCS.rglob("*.md"))}


def loaded(name: str) -> ModuleType:
    """A script of docs/, which is no package."""
    spec = importlib.util.spec_from_file_location(f"docs_{name}", DOCS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


generate = loaded("generate")
conf = loaded("conf")
markdown = MarkdownIt("commonmark").enable("table")  # which MyST uses, and GitHub's tables are the same


def shown(source: str) -> str:
    """Markdown as a reader sees it."""
    return html.unescape(re.sub(r"<[^>]+>", "", markdown.render(source))).strip()


def rows(source: str) -> list[list[str]]:
    """The rows of all tables of a page, each cell as a reader sees it."""
    found = re.findall(r"<tr>(.*?)</tr>", markdown.render(source), re.DOTALL)
    cells = (re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL) for row in found)
    return [[html.unescape(re.sub(r"<[^>]+>", "", cell)) for cell in row] for row in cells]


def by_first(page: str) -> dict[str, list[str]]:
    """First cell → the others, of the tables of a committed page."""
    return {row[0]: row[1:] for row in rows(PAGES[f"reference/{page}.md"])}


# ── Committed pages ───────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("page", generate.PAGES)
def test_a_committed_page_is_what_the_code_gives(page: str) -> None:
    assert PAGES[page] == generate.written(page), "run `make reference` and commit the pages"


def test_no_generated_page_is_left_of_what_is_gone() -> None:
    assert {page for page in PAGES if page.startswith("reference/")} <= set(generate.PAGES)


@pytest.mark.parametrize("command", cli.COMMANDS)
def test_every_command_is_there_with_every_option(command: str) -> None:
    _, section = re.split(rf"^## {command}\n", PAGES["reference/commands.md"], flags=re.MULTILINE)
    section = re.split(r"^## ", section, flags=re.MULTILINE)[0]
    typed = {name for row in rows(section) for name in re.split(r"[\s,]+", row[0])}
    for action in generate.parser_of(command)._actions:
        assert typed.issuperset(action.option_strings or [str(action.metavar).strip("[]")]) or action.nargs == "*"
    assert command in by_first("commands")


def test_an_argument_is_shown_as_it_is_typed() -> None:
    found = by_first("commands")
    assert found["-m, --measure MEASURE"]
    assert found["--exclude IDS|FILE"]
    assert found["--decision NAME=VALUE"]
    assert {"GOLD", "RUN|DIR …", "[NAME …]", "--keep-going"} <= set(found)


def test_a_page_does_not_depend_on_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "30")
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert generate.written("reference/commands.md") == PAGES["reference/commands.md"]


def test_every_row_of_the_rules_is_there() -> None:
    head, *found = rows(generate.official_measures())
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
    page = shown(PAGES["reference/measures.md"])
    theirs = by_first("measures")
    for what in measures.everything():
        if what.name in theirs:
            assert theirs[what.name][1:] == [what.definition, what.formula]
        else:
            assert all(text in page for text in (f"\n{what.name}\n", what.formula, what.source))
    assert "Needs: documents, plaintiff, defendant" in page
    assert theirs["recip_rank"][0] == "RR, RR@k"


def test_every_decision_is_there_with_its_default() -> None:
    found = by_first("protocols")
    for name, (default, *others) in CHOICES.items():
        assert found[name][:2] == [default, ", ".join(others)]


def test_every_remark_is_there_with_the_option_that_decides() -> None:
    found = {row[2]: row[:2] for row in rows(generate.kinds())[1:]}
    assert list(found) == list(remarks.KINDS)
    assert found["tie"][1] == ""
    assert all(found[kind][1] for kind in Decisions().clauses())


def test_every_rule_of_a_submission_is_there() -> None:
    found = {row[0]: row[1:] for row in rows(generate.validation_rules())[1:]}
    assert list(found) == list(RULES)
    assert "12" in found["tag-length"][1]
    assert not any("{" in cell for row in found.values() for cell in row)
    _, *of_tasks = rows(generate.submission_rules())
    assert [row[0] for row in of_tasks] == [rules.task for rules in SUBMISSION_RULES]


def test_every_format_is_there_as_it_looks() -> None:
    found = rows(PAGES["reference/forms.md"])
    for form in (*detect.GOLD_FORMS, *detect.RUN_FORMS):
        assert [form.name, form.looks] in found


@given(st.text(st.characters(codec="ascii", categories=["L", "N", "P", "S", "Zs"]), min_size=1).map(str.strip))
def test_text_of_the_code_is_not_read_as_markdown(text: str) -> None:
    plain = text.replace("`", "'")
    assert shown(generate.prose(plain)) == " ".join(plain.split())
    [cells] = rows(generate.table(["a", "b"], [[generate.prose(plain), generate.code(text or "-")]]))[1:]
    assert cells == [" ".join(plain.split()), text or "-"]


def test_the_examples_of_the_generator_hold() -> None:
    result = doctest.testmod(generate)
    assert result.attempted > 0
    assert result.failed == 0


def test_backticks_become_code_and_a_paragraph_one_line() -> None:
    assert generate.prose("as ``a*b``\n    is") == "as `a*b` is"


def test_a_cell_of_the_notebook_shows_what_it_prints_and_its_last_value() -> None:
    names: dict[str, object] = {}
    assert list(generate._results("x = 2\nprint('said')\nx * 3", names)) == ["```text\nsaid\n```", "```text\n6\n```"]
    assert list(generate._results("y = x + 1", names)) == []
    assert names["y"] == 3


# ── Index ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_index_leads_to_every_page() -> None:
    linked = set(re.findall(r"\]\(([\w/-]+\.md)\)", PAGES["index.md"]))
    assert linked == set(PAGES) - {"index.md"}


def test_every_command_has_a_guide() -> None:
    [guides] = re.findall(r"^## Guides\n(.*?)^## ", PAGES["index.md"], re.DOTALL | re.MULTILINE)
    text = "".join(PAGES[page] for page in re.findall(r"\]\(([\w/-]+\.md)\)", guides))
    for command in cli.COMMANDS.keys() - {"measures", "demo"}:
        assert f"coliee-ir {command} " in text


# ── Site ──────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built as ``make docs`` builds it."""
    pytest.importorskip("furo", reason="the docs extra is not installed")
    folder = tmp_path_factory.mktemp("site")
    command = [
        "-m",
        "sphinx",
        "-W",
        "--keep-going",
        "-q",
        "-d",
        str(folder / "doctrees"),
        str(DOCS),
        str(folder / "html"),
    ]
    built = subprocess.run([sys.executable, *command], capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    return folder / "html"


def test_every_page_is_on_the_site(site: Path) -> None:
    assert all((site / page).with_suffix(".html").is_file() for page in PAGES)


def test_every_public_name_is_on_the_python_page(site: Path) -> None:
    anchors = re.findall(r'id="coliee_ir\.(\w+)"', (site / "api.html").read_text(encoding="utf-8"))
    assert sorted(anchors) == sorted(coliee_ir.__all__)


def test_a_name_that_nobody_placed_comes_last(monkeypatch: pytest.MonkeyPatch) -> None:
    assert conf.further_names(PAGES["api.md"]) == PAGES["api.md"]
    monkeypatch.setattr(coliee_ir, "compared", coliee_ir.compare, raising=False)
    monkeypatch.setattr(coliee_ir, "__all__", [*coliee_ir.__all__, "compared"])
    further = conf.further_names(PAGES["api.md"]).removeprefix(PAGES["api.md"])
    assert ".. autofunction:: compared" in further


@pytest.mark.parametrize(
    ("page", "fetches"),
    [
        ('<script src="https://unpkg.com/x"></script>', True),
        ("<link rel=stylesheet href=//fonts.example/css>", True),
        ('<link href="assets/main.css" rel="stylesheet"><a href="https://coliee.org">COLIEE</a>', False),
    ],
)
def test_what_a_page_would_fetch_from_elsewhere_is_found(page: str, fetches: bool) -> None:
    assert bool(conf.REMOTE.search(page)) is fetches
