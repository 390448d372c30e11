"""The docs: committed pages say what the code says, the index leads everywhere."""

import doctest
import html
import importlib.util
import re

import pytest
from asserting import refusing
from markdown_it import MarkdownIt
from places import ROOT

import coliee_ir
from coliee_adapters.errors import InputError
from coliee_ir import cli, types

DOCS = ROOT / "docs"
PAGES = {page.relative_to(DOCS).as_posix(): page.read_text(encoding="utf-8") for page in sorted(DOCS.rglob("*.md"))}


def loaded(name):
    """A script of docs/, which is no package."""
    spec = importlib.util.spec_from_file_location(f"docs_{name}", DOCS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


generate, conf = loaded("generate"), loaded("conf")


def items(source):
    """The lists of a page: what stands before the colon of an item → the rest, as a reader sees it."""
    page = MarkdownIt("commonmark").render(source)  # which MyST uses
    found = re.findall(r"<li>(?:<p>)?<(code|a)[^>]*>(.*?)</\1>: (.*?)</li>", page, re.DOTALL)
    return {html.unescape(name): html.unescape(re.sub(r"<[^>]+>", "", rest)) for _, name, rest in found}


@pytest.mark.parametrize("page", generate.PAGES)
def test_a_committed_page_is_what_the_code_gives(page):
    assert PAGES[page] == generate.written(page), "run `make reference` and commit the pages"


@pytest.mark.parametrize("command", cli.COMMANDS)
def test_every_command_is_there_with_every_option(command):
    page = PAGES["reference/commands.md"]
    sections = dict(re.findall(r"^## (.*)\n([^\0]*?)(?=^## |\Z)", page, re.MULTILINE))
    rows = [row for part in (command, "Common options") for row in items(sections[part])]
    typed = {name for row in rows for name in re.split(r"[\s,]+", row)}
    for action in cli.parser_of(command)._actions:
        assert typed.issuperset(action.option_strings or [str(action.metavar).strip("[]")]) or action.nargs == "*"
    assert command in items(page)


def test_the_generator_does_what_it_shows_and_does_not_depend_on_the_terminal(monkeypatch):
    result = doctest.testmod(generate)
    assert (result.attempted > 0, result.failed) == (True, 0)
    monkeypatch.setenv("COLUMNS", "30")
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert generate.written("reference/commands.md") == PAGES["reference/commands.md"]


def test_the_index_leads_to_every_page_and_every_command_has_a_guide():
    index = PAGES["index.md"]
    assert set(re.findall(r"\]\(([\w/-]+\.md)\)", index)) == set(PAGES) - {"index.md"}
    assert {page for page in PAGES if page.startswith("reference/")} <= set(generate.PAGES)  # none of what is gone
    [guides] = re.findall(r"^## Guides\n(.*?)^## ", index, re.DOTALL | re.MULTILINE)
    text = "".join(PAGES[page] for page in re.findall(r"\]\(([\w/-]+\.md)\)", guides))
    assert {name for name in cli.COMMANDS if f"coliee-ir {name} " not in text} <= {"measures", "demo"}


def test_the_form_in_contributing_reads_its_example(source):
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    [block] = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    exec(block, names := {})
    [form] = names["FORMS"]
    assert form.sniff(form.example.encode())
    [row] = form.rows(source(form.example), None)
    assert row[1:4] == ("001", "018", "0.5")
    with refusing(InputError, "line 1: [columns] (found '001|018')"):
        list(form.rows(source("001|018\n"), None))


# the site, which `make docs` builds


def test_every_public_name_is_on_the_python_page_and_every_name_there_is_public():
    page = PAGES["api.md"]
    placed = re.findall(r"^\.\. auto\w+:: (\w+)$", conf.further_names(page), re.MULTILINE)
    assert sorted(placed) == sorted(coliee_ir.__all__)
    assert ".. autofunction:: cut" in conf.further_names(page.replace(".. autofunction:: cut", ""))
    named = re.findall(r"^\.\. auto\w+:: (?:coliee_ir\.types\.)?(\w+)$", page, re.MULTILINE)
    assert len(named) > 50
    assert not [name for name in named if not (hasattr(coliee_ir, name) or hasattr(types, name))]
