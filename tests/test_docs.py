"""The docs: committed pages say what the code says, the index leads everywhere."""

import doctest
import html
import importlib.util
import re
from pathlib import Path

import pytest
from asserting import refusing
from markdown_it import MarkdownIt

import coliee_ir
from coliee_adapters.errors import InputError
from coliee_ir import cli, types

DOCS = Path(__file__).parent.parent / "docs"
PAGES = {page.relative_to(DOCS).as_posix(): page.read_text(encoding="utf-8") for page in sorted(DOCS.rglob("*.md"))}


def loaded(name):
    """A script of docs/, which is no package."""
    spec = importlib.util.spec_from_file_location(f"docs_{name}", DOCS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


generate = loaded("generate")
conf = loaded("conf")
markdown = MarkdownIt("commonmark")  # which MyST uses

_NAMES = re.compile(r"[\s,]+")


def items(source):
    """The lists of a page: what stands before the colon of an item → the rest, as a reader sees it."""
    found = re.findall(r"<li>(?:<p>)?<(code|a)[^>]*>(.*?)</\1>: (.*?)</li>", markdown.render(source), re.DOTALL)
    return {html.unescape(name): html.unescape(re.sub(r"<[^>]+>", "", rest)) for _, name, rest in found}


# ── Committed pages ───────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("page", generate.PAGES)
def test_a_committed_page_is_what_the_code_gives(page):
    assert PAGES[page] == generate.written(page), "run `make reference` and commit the pages"


def test_no_generated_page_is_left_of_what_is_gone():
    assert {page for page in PAGES if page.startswith("reference/")} <= set(generate.PAGES)


@pytest.mark.parametrize("command", cli.COMMANDS)
def test_every_command_is_there_with_every_option(command):
    sections = dict(re.findall(r"^## (.*)\n([^\0]*?)(?=^## |\Z)", PAGES["reference/commands.md"], re.MULTILINE))
    typed = {
        name for part in (command, "Common options") for row in items(sections[part]) for name in _NAMES.split(row)
    }
    for action in cli.parser_of(command)._actions:
        assert typed.issuperset(action.option_strings or [str(action.metavar).strip("[]")]) or action.nargs == "*"
    assert command in items(PAGES["reference/commands.md"])


def test_a_page_does_not_depend_on_the_terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "30")
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert generate.written("reference/commands.md") == PAGES["reference/commands.md"]


def test_the_examples_of_the_generator_hold():
    result = doctest.testmod(generate)
    assert result.attempted > 0
    assert result.failed == 0


# ── Index ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_index_leads_to_every_page():
    linked = set(re.findall(r"\]\(([\w/-]+\.md)\)", PAGES["index.md"]))
    assert linked == set(PAGES) - {"index.md"}


def test_every_command_has_a_guide():
    [guides] = re.findall(r"^## Guides\n(.*?)^## ", PAGES["index.md"], re.DOTALL | re.MULTILINE)
    text = "".join(PAGES[page] for page in re.findall(r"\]\(([\w/-]+\.md)\)", guides))
    for command in cli.COMMANDS.keys() - {"measures", "demo"}:
        assert f"coliee-ir {command} " in text


def test_the_form_in_contributing_reads_its_example(source):
    [block] = re.findall(
        r"```python\n(.*?)```", (DOCS.parent / "CONTRIBUTING.md").read_text(encoding="utf-8"), re.DOTALL
    )
    exec(block, names := {})
    [form] = names["FORMS"]
    assert form.sniff(form.example.encode())
    [row] = form.rows(source(form.example), None)
    assert row[1:4] == ("001", "018", "0.5")
    with refusing(InputError, "line 1: [columns] (found '001|018')"):
        list(form.rows(source("001|018\n"), None))


# ── Site, which `make docs` builds ────────────────────────────────────────────────────────────────────────────────


def test_every_public_name_is_on_the_python_page():
    placed = re.findall(r"^\.\. auto\w+:: (\w+)$", conf.further_names(PAGES["api.md"]), re.MULTILINE)
    assert sorted(placed) == sorted(coliee_ir.__all__)
    assert ".. autofunction:: cut" in conf.further_names(PAGES["api.md"].replace(".. autofunction:: cut", ""))


@pytest.mark.parametrize(
    ("page", "fetches"),
    [
        ('<script src="https://unpkg.com/x"></script>', True),
        ("<link rel=stylesheet href=//fonts.example/css>", True),
        ('<link href="assets/main.css" rel="stylesheet"><a href="https://coliee.org">COLIEE</a>', False),
    ],
)
def test_what_a_page_would_fetch_from_elsewhere_is_found(page, fetches):
    assert bool(conf.REMOTE.search(page)) is fetches


def test_what_the_page_of_the_python_interface_names_is_there():
    named = re.findall(r"^\.\. auto\w+:: (?:coliee_ir\.types\.)?(\w+)$", PAGES["api.md"], re.MULTILINE)
    assert len(named) > 50
    assert not [name for name in named if not (hasattr(coliee_ir, name) or hasattr(types, name))]
