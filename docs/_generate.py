"""What the pages of the docs take from the code: a page a command, the tables, and the order of pages.

mkdocs calls ``on_files``, ``on_page_markdown`` and ``on_post_page`` (``hooks`` in mkdocs.yml). A page asks for a table
by a line ``<!-- generated: NAME -->``; the names are those of ``TABLES``. Nothing generated is kept in a file, so
nothing can be out of date: a new command, measure, form, remark or edition is on the site with the next build.
"""

from __future__ import annotations

import argparse
import functools
import importlib
import pkgutil
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING, Any

import coliee_ir
from coliee_adapters import detect, ir_measures
from coliee_adapters.remarks import KINDS, Remarks, worded
from coliee_adapters.vocabulary import EVERY_NAME, ROLES
from coliee_ir import cli, measures
from coliee_ir.commands import convert as conversion
from coliee_ir.commands.validate import RULES
from coliee_ir.commands.validate.columns import LABELLED
from coliee_ir.commands.validate.lists import MANY
from coliee_ir.measures.catalogue import OURS
from coliee_ir.rules.decisions import CHOICES, Decisions
from coliee_ir.rules.protocol import PROTOCOLS, SUBMISSION_RULES, TASKS, Protocol, SubmissionRules, newest_edition

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

_DOCS = Path(__file__).parent


# ── Text ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def escaped(text: str) -> str:
    """Text as it stands, wherever it stands in Markdown: every character that could mean something is an entity.

    >>> escaped("a|b <i>")
    'a&#124;b &#60;i&#62;'
    """
    return re.sub(r"[^\w\s,;:'\"/%=]|_", lambda found: f"&#{ord(found[0])};", text)


def code(text: str) -> str:
    """Text as code. Not in backticks: GitHub and Python-Markdown disagree on a pipe between them in a table."""
    return f"<code>{escaped(text)}</code>"


def prose(text: str) -> str:
    """Text of the code on one line, in which what stands in backticks is code.

    >>> prose("see `-q`")
    'see <code>&#45;q</code>'
    """
    parts = re.split(r"`+([^`]+)`+", " ".join(text.split()))
    return "".join(code(part) if at % 2 else escaped(part) for at, part in enumerate(parts))


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table; its cells are Markdown, and have no pipe or line break of their own."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines) + "\n"


# ── Commands ──────────────────────────────────────────────────────────────────────────────────────────────────────


def parser_of(command: str) -> argparse.ArgumentParser:
    """The parser of a command, whose texts do not depend on the width of a terminal."""
    width = functools.partial(argparse.HelpFormatter, width=100)
    parser = argparse.ArgumentParser(f"coliee-ir {command}", formatter_class=width, allow_abbrev=False)
    importlib.import_module(f"coliee_ir.cli.{command}").add_arguments(parser)
    return parser


def command_pages() -> dict[str, str]:
    """Path of the page → its Markdown, for each command."""
    return {f"commands/{command}.md": "\n".join(_command_page(command)) for command in cli.COMMANDS}


def _command_page(command: str) -> Iterator[str]:
    parser = parser_of(command)
    usage = re.sub(r"\x1b\[[0-9;]*m", "", parser.format_usage())  # Python 3.14 colours it on a terminal
    yield f"# coliee-ir {command}\n\n{prose(_sentence(cli.COMMANDS[command]))}\n\n```text\n{usage.rstrip()}\n```\n"
    for group in parser._action_groups:
        actions = [action for action in group._group_actions if action.help != argparse.SUPPRESS]
        if actions:
            title = {"positional arguments": "arguments"}.get(group.title or "", group.title or "options")
            yield f"## {prose(title[:1].upper() + title[1:])}\n"
            if group.description:
                yield prose(group.description) + "\n"
            yield table(["argument", "meaning"], ([_typed(action), _what(parser, action)] for action in actions))


def _typed(action: argparse.Action) -> str:
    """How an argument is typed: ``-m, --measure MEASURE``."""
    value = "" if action.nargs == 0 else action.metavar or "|".join(map(str, action.choices or [action.dest.upper()]))
    value = " ".join(value) if isinstance(value, tuple) else value
    if action.nargs in ("+", "*"):
        value += " …"
    if action.nargs in ("?", "*"):
        value = f"[{value}]"
    return code(" ".join(filter(None, [", ".join(action.option_strings), value])))


def _what(parser: argparse.ArgumentParser, action: argparse.Action) -> str:
    """What an argument does, and its default where there is one to tell."""
    what = prose(parser._get_formatter()._expand_help(action)) if action.help else ""
    if action.default in (None, False, argparse.SUPPRESS) or action.default == [] or "default" in what:
        return what
    return f"{what}; default: {code(str(action.default))}"


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:].rstrip(".") + "."


def commands() -> str:
    """The commands, with a link to the page of each."""
    return table(
        ["command", "what it does"], ([f"[{code(c)}]({c}.md)", prose(what)] for c, what in cli.COMMANDS.items())
    )


# ── Rules ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def protocols() -> str:
    """The rules of each task, a row a span of editions."""
    head = ["task", "editions", "asks for", "a submission holds", "official measures", "source"]
    return table(
        head,
        (
            [code(p.task), _span(p), prose(p.title), prose(", ".join(p.parts)), _official(p), prose(p.source)]
            for p in PROTOCOLS
        ),
    )


def editions() -> str:
    """The measure that ranked, by edition and task."""
    ours = [row for row in PROTOCOLS if newest_edition(row) is not None]
    tasks = [task for task in TASKS if any(row.task == task for row in ours)]
    years = range(max(row.last for row in ours), min(row.first for row in ours) - 1, -1)

    def ranked(task: str, year: int) -> str:
        found = [row for row in ours if row.task == task and row.first <= year <= row.last]
        return linked(found[0].ranking) if found else "–"

    return table(["edition", *map(code, tasks)], ([str(y), *(ranked(task, y) for task in tasks)] for y in years))


def _span(row: Protocol) -> str:
    if newest_edition(row) is None:
        return "all"
    return str(row.first) if row.first == row.last else f"{row.first}–{row.last}"


def _official(row: Protocol) -> str:
    """The measures of a row; the one that ranks in bold."""
    first, *others = row.measures
    said = ", ".join([f"**{linked(first)}**", *map(linked, others)])
    if row.tie_break:
        said += f"; ties are broken by {', '.join(map(linked, row.tie_break))}"
    if row.long_list:
        said += f"; on the long list {', '.join(map(linked, row.long_list))}"
    return said


def decisions() -> str:
    """What the organisers leave open: the option, its default, what else there is."""
    actions = {action.dest: action for action in parser_of("evaluate")._actions}
    return table(
        ["option", "default", "other choices", "what it decides"],
        (
            [code(_option(name)), code(default), ", ".join(map(code, others)), prose(actions[name].help or "")]
            for name, (default, *others) in CHOICES.items()
        ),
    )


def _option(decision: str) -> str:
    return f"--{decision.replace('_', '-')}"


# ── Measures ──────────────────────────────────────────────────────────────────────────────────────────────────────


def linked(name: str) -> str:
    """The name of a measure, with a link to its definition."""
    (measure,) = measures.parse(name)
    anchor = measure.request.base if isinstance(measure, measures.Delegated) else type(measure).__name__
    return f"[{escaped(name)}](measures.md#{anchor})"


def our_measures() -> str:
    """Our measures, a section each: what ``coliee-ir measures NAME`` prints, and what each needs."""
    sections = []
    for name, kind in OURS.items():
        what = measures.describe(kind())
        sections += [f"### {escaped(what.name)} {{ #{name} }}\n", *_paragraphs(what.definition)]
        facts = {
            "Formula": what.formula,
            "Needs": ", ".join(kind.needs),
            "Source": what.source,
            "Computed": what.computed,
        }
        sections += [*(f"- **{fact}**: {prose(text)}" for fact, text in facts.items()), ""]
    return "\n".join(sections)


def their_measures() -> str:
    """trec_eval's measures, and the names that ir_measures has for them."""
    theirs = list(measures.everything())[len(OURS) :]
    return table(
        ["trec_eval", "ir_measures", "what it is", "formula"],
        (
            [
                f'<a id="{what.name}"></a>{code(what.name)}',
                _elsewhere(what.name),
                prose(what.definition),
                prose(what.formula),
            ]
            for what in theirs
        ),
    )


def _elsewhere(base: str) -> str:
    """The names by which ir_measures calls a measure of trec_eval."""
    names = [name for name, (whole, _) in ir_measures.NAMES.items() if whole == base]
    names += [f"{name}@k" for name, (_, cut) in ir_measures.NAMES.items() if cut == base]
    return ", ".join(map(code, names))


def _paragraphs(text: str) -> list[str]:
    return [prose(paragraph) + "\n" for paragraph in text.split("\n\n")]


# ── Files ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def gold_forms() -> str:
    """The forms of gold."""
    return _forms(detect.GOLD_FORMS)


def run_forms() -> str:
    """The forms of submissions."""
    return _forms(detect.RUN_FORMS)


def column_names() -> str:
    """What the columns of tables can be called."""
    return table(["role", "names"], ([code(role), ", ".join(map(code, sorted(EVERY_NAME[role])))] for role in ROLES))


def _forms(forms: Iterable[detect.Form[Any]]) -> str:
    return table(["form", "looks like"], ([code(form.name), code(form.looks)] for form in forms))


def conversions() -> str:
    """What can be written."""
    targets = {
        "a gold": conversion.GOLD_TARGETS,
        "a run": conversion.RUN_TARGETS,
        "answers": conversion.ANSWER_TARGETS,
    }
    return table(
        ["from", "default", "other forms"],
        ([what, code(first), ", ".join(map(code, others))] for what, (first, *others) in targets.items()),
    )


def remarks() -> str:
    """Everything that is tolerated and said: the sentence, and the option that decides what is done about it."""
    return table(
        ["remark", "decided by", "kind"],
        ([prose(_said(kind)), ", ".join(map(code, _deciding(kind))), code(kind)] for kind in KINDS),
    )


def _said(kind: str) -> str:
    """The sentence of a remark that was made twice, under the default decisions."""
    two = Remarks()
    two.add(kind, n=2)
    return next(two.sentences(Decisions().clauses()))


def _deciding(kind: str) -> Iterator[str]:
    """The options that change what is said of a kind."""
    usual = Decisions().clauses().get(kind)
    for name, choices in CHOICES.items():
        if any(Decisions(**{name: choice}).clauses().get(kind) != usual for choice in choices):  # type: ignore[arg-type]
            yield _option(name)


# ── Validation ────────────────────────────────────────────────────────────────────────────────────────────────────


def validation_rules() -> str:
    """What ``validate`` looks for: how bad it is, what is said, what to do, who says so, and what ``--fix`` does."""
    facts = {"{columns}": "the columns of the task", "{missing}": "articles or answers", "{many}": str(MANY)}
    for name in ("most_runs", "long_list", "tag_length"):
        facts[f"{{{name}}}"] = str(max(getattr(rules, name) or 0 for rules in SUBMISSION_RULES))

    def said(text: str) -> str:
        for fact, value in facts.items():
            text = text.replace(fact, value)
        return prose(worded(text, 2))

    return table(
        ["rule", "severity", "what is found", "remedy", "what --fix does", "source"],
        (
            [code(name), str(rule.severity), said(rule.says), said(rule.remedy), prose(rule.mended), prose(rule.source)]
            for name, rule in RULES.items()
        ),
    )


def submission_rules() -> str:
    """How a submission to each task must look."""
    return table(
        ["task", "editions", "columns", "query ids", "document ids", "runs", "long list", "run tag"],
        (
            [
                rules.task,
                str(rules.first) if rules.first == rules.last else f"{rules.first}–{rules.last}",
                code(" ".join(rules.columns or (LABELLED if rules.task in "45" else ()))) if rules.task in "12345"
                else "JSON Lines, the test file",
                f"{rules.query_digits} digits or more" if rules.query_digits else "–",
                f"{rules.document_digits} digits" if rules.document_digits else "–",
                _runs(rules),
                f"{rules.long_list} a query" if rules.long_list else "–",
                f"at most {rules.tag_length} letters and digits" if rules.task in "12345" else "–",
            ]
            for rules in SUBMISSION_RULES
        ),
    )  # fmt: skip


def _runs(rules: SubmissionRules) -> str:
    if rules.most_runs is None:
        return "–"
    stated = "" if rules.runs_stated else "; not stated for these"
    return prose(f"at most {rules.most_runs} ({rules.runs_source}{stated})")


# ── Python ────────────────────────────────────────────────────────────────────────────────────────────────────────


_EXPORTED = re.compile(r"^::: coliee_ir\.(\w+)$", re.MULTILINE)


def further_names() -> str:
    """The exported names for which docs/api.md has no place, so that none is missing."""
    placed = _EXPORTED.findall((_DOCS / "api.md").read_text(encoding="utf-8"))
    missing = [name for name in coliee_ir.__all__ if name not in placed]
    return "\n".join(["## Further", *(f"\n::: coliee_ir.{name}" for name in missing)]) + "\n" if missing else ""


def _home(name: str) -> str:
    """Where mkdocstrings finds an exported name: it would take ``coliee_ir.protocol`` for a module of that name."""
    if f"coliee_ir.{name}" not in {module.name for module in pkgutil.iter_modules(coliee_ir.__path__, "coliee_ir.")}:
        return f"coliee_ir.{name}"
    exported = getattr(coliee_ir, name)
    return f"{exported.__module__}.{exported.__qualname__}"


#: what ``<!-- generated: NAME -->`` stands for
TABLES: dict[str, Callable[[], str]] = {
    "commands": commands,
    "protocols": protocols,
    "editions": editions,
    "decisions": decisions,
    "our measures": our_measures,
    "their measures": their_measures,
    "gold forms": gold_forms,
    "run forms": run_forms,
    "column names": column_names,
    "conversions": conversions,
    "remarks": remarks,
    "validation rules": validation_rules,
    "submission rules": submission_rules,
    "further names": further_names,
}

_ASKED = re.compile(r"^<!-- generated: (.+) -->$", re.MULTILINE)


def filled(markdown: str) -> str:
    """A page with its tables in their places, and exported names where mkdocstrings finds them.

    Raises:
        KeyError: there is no table of a name that the page asks for.
    """
    tables = _ASKED.sub(lambda asked: TABLES[asked[1]](), markdown)
    return _EXPORTED.sub(lambda exported: f"::: {_home(exported[1])}", tables)


# ── mkdocs ────────────────────────────────────────────────────────────────────────────────────────────────────────


def ordered(nav: Any, pages: Sequence[str]) -> Any:
    """The ``nav`` of mkdocs.yml, in which a pattern stands for all pages of its form that have no other place."""
    named = {entry for entry in _leaves(nav) if "*" not in entry}
    left = [page for page in pages if page not in named]

    def expanded(entry: Any) -> Any:
        if isinstance(entry, dict):
            return {title: expanded(content) for title, content in entry.items()}
        if isinstance(entry, list):
            done = [expanded(one) for one in entry]
            return [one for each in done for one in (each if isinstance(each, list) else [each])]
        if "*" not in entry:
            return entry
        found = [page for page in left if fnmatch(page, entry)]
        left[:] = [page for page in left if page not in found]
        return found

    return expanded(nav)


def _leaves(nav: Any) -> Iterator[str]:
    if isinstance(nav, str):
        yield nav
    else:
        for entry in nav.values() if isinstance(nav, dict) else nav:
            yield from _leaves(entry)


#: what a browser would fetch from elsewhere
REMOTE = re.compile(r"<(?:script|link|img|iframe|source)\b[^>]*\s(?:src|href)=[\"']?(?:https?:)?//[^>]*>")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the commands' pages, and give every page a place."""
    from mkdocs.structure.files import File

    for path, markdown in command_pages().items():
        files.append(File.generated(config, path, content=markdown))
    config.nav = ordered(config.nav, [file.src_uri for file in files.documentation_pages()])
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Put into a page what it takes from the code."""
    return filled(markdown)


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:
    """Refuse a page that would fetch anything from elsewhere: the site is to work offline, and tell nobody."""
    from mkdocs.exceptions import PluginError

    if remote := REMOTE.search(output):
        raise PluginError(f"{page.file.src_uri} fetches from elsewhere: {remote[0]}")
    return output
