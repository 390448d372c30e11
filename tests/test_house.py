"""The floors of the house: imports go down only, never in a circle, and stand at the head of their file.

What is read here is the source, not what happens to be loaded: imports inside functions and under TYPE_CHECKING count.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import messages

from coliee_ir.rules.protocol import TASKS

ROOT = Path(__file__).resolve().parents[1]

#: The rooms that a submission passes, in this order and once: read, judged, measured, remarked on, put into words.
SCORING = (
    *("reading", "given", "prepared", "submission", "parts", "measuring", "remarking", "wording"),
    *("scores", "means", "render", "batch", "evaluator", "sheets", "teams", "arriving", "collecting", "session"),
    *("store", "log", "several"),
)

#: The floors from the ground up; each may import itself and those below.
FLOORS = (
    "coliee_adapters",
    "coliee_ir._version",
    "coliee_ir.rules",
    "coliee_ir.judging",
    "coliee_ir.measures",
    "coliee_ir.stats",
    "coliee_ir.output",
    "coliee_ir.scoring",
    *(f"coliee_ir.scoring.{room}" for room in SCORING),
    "coliee_ir.commands",
    "coliee_ir",
    "coliee_ir.ir_measures",
    "coliee_ir.hooks",
    "coliee_ir.examples",
    "coliee_ir.cli",
    "coliee_ir.__main__",
)

#: The commands in the order in which they may use each other: reports are made of comparisons, tunings and tables.
COMMANDS = (
    *("convert", "validate", "compare", "tune", "fuse", "leaderboard", "report", "plan", "evaluate"),
    *("bundle", "protocol"),
)

#: What stands at the top level of the package: nothing else has a place there.
TOP_LEVEL = {"__init__.py", "__main__.py", "_version.py", "hooks.py", "ir_measures.py", "py.typed"}

#: Imports of our own modules inside functions, each with its reason.
_PROCESSES = "loads multiprocessing, which a small run does without"
_DRAWING = "loads altair and jinja2, an extra"
LATE: Mapping[tuple[str, str], str] = {
    ("coliee_ir.__main__", "coliee_ir.cli"): "loaded when Ctrl-C is taken care of",
    ("coliee_ir.judging.judged", "coliee_ir.judging.workers"): _PROCESSES,
    ("coliee_ir.judging.judged", "coliee_ir.judging.ungrouped"): "runs whose queries come back alone need it",
    ("coliee_ir.scoring.batch", "coliee_ir.judging.workers"): _PROCESSES,
    ("coliee_ir.cli.scoring", "coliee_ir.judging.cluster"): "loads multiprocessing, which a small run does without",
    ("coliee_ir.measures.catalogue", "coliee_adapters.ir_measures"): "loads ir_measures, which few measures need",
    (
        "coliee_ir.scoring.reading",
        "coliee_adapters.described",
    ): "reads what only files of others state",
    ("coliee_ir.rules.protocol", "coliee_ir.rules.schema"): "reads protocol files, which not every command does",
    ("coliee_ir.rules.protocol", "coliee_adapters.layouts"): "is named in annotations alone",
    ("coliee_ir.cli.evaluate", "coliee_ir.commands.evaluate.errors"): "loads readers that --errors alone needs",
    **{
        ("coliee_ir.cli.evaluate", f"coliee_ir.commands.evaluate.{name}"): f"--{name.replace('_', '-')} alone needs it"
        for name in ("by_year", "stages")
    },
    **{
        (importer, "coliee_ir.scoring.store"): "stores of scores, and logs, alone need it"
        for importer in ("coliee_ir.scoring.log", "coliee_ir.scoring.several")
    },
    ("coliee_ir.scoring.log", "coliee_ir.scoring.sheets"): "who reads a log alone needs it",
    ("coliee_ir.cli.scoring", "coliee_ir.scoring.collecting"): "folders of runs alone need it",
    ("coliee_ir.measures.catalogue", "coliee_ir.measures.formulas"): "formulas alone need it",
    ("coliee_adapters.detect", "coliee_adapters.model_text"): "what models wrote, named as such, alone needs it",
    **{
        ("coliee_ir.commands.report.request", f"coliee_ir.commands.report.{name}"): _DRAWING
        for name in ("library", "overview", "page", "paper", "texts")
    },
    ("coliee_ir.cli.leaderboard", "coliee_ir.commands.report.overview"): _DRAWING,
    ("coliee_ir.cli.leaderboard", "coliee_ir.commands.report"): _DRAWING,
    ("coliee_ir.cli.plan", "coliee_ir.commands.plan.figure"): _DRAWING,
    **{("coliee_ir.cli.tune", f"coliee_ir.commands.report{name}"): _DRAWING for name in ("", ".curves", ".paper")},
    ("coliee_ir.cli.plan", "coliee_ir.commands.report.paper"): _DRAWING,
    ("coliee_ir.commands.plan.result", "coliee_ir.commands.plan.figure"): _DRAWING,
    **{
        ("coliee_ir.cli.report", f"coliee_ir.commands.report.{name}"): _DRAWING
        for name in ("overview", "page", "paper")
    },
}


class Import(NamedTuple):
    """One import of one of our modules."""

    importer: str
    imported: str
    inside: bool  # of a function
    for_types: bool  # under TYPE_CHECKING


def modules() -> dict[str, Path]:
    """Dotted name → file, of both packages."""
    found = {}
    for folder in (ROOT / "coliee_ir", ROOT / "adapters" / "coliee_adapters"):
        for path in folder.rglob("*.py"):
            parts = [folder.name, *path.relative_to(folder).with_suffix("").parts]
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports() -> list[Import]:
    known = modules()
    return [one for name, path in known.items() for one in of_file(name, path, known)]


def of_file(name: str, path: Path, known: Mapping[str, Path]) -> Iterator[Import]:
    def walk(node: ast.AST, inside: bool, for_types: bool) -> Iterator[Import]:
        for child in ast.iter_child_nodes(node):
            names: list[str] = []
            if isinstance(child, ast.Import):
                names = [alias.name for alias in child.names]
            elif isinstance(child, ast.ImportFrom) and child.module:
                names = [f"{child.module}.{alias.name}" for alias in child.names]
            for imported in names:
                while imported and imported not in known:
                    imported = imported.rpartition(".")[0]
                if imported and imported != name:
                    yield Import(name, imported, inside, for_types)
            is_function = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            types = isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test)
            yield from walk(child, inside or is_function, for_types or types)

    yield from walk(ast.parse(path.read_text(encoding="utf-8")), False, False)


def floor_of(module: str) -> int:
    names = [at for at, floor in enumerate(FLOORS) if module == floor or module.startswith(floor + ".")]
    exact = [at for at in names if FLOORS[at] != "coliee_ir" or module == "coliee_ir"]
    assert exact, f"{module} is on no floor: name it in FLOORS, in its place"
    return max(exact, key=lambda at: len(FLOORS[at]))


def is_face(one: Import) -> bool:
    """The package's face names what it exports for type checkers; it loads each only when it is asked for."""
    return one.importer == "coliee_ir" and one.for_types


def test_nothing_is_loose_at_the_top_level() -> None:
    found = {path.name for path in (ROOT / "coliee_ir").iterdir() if path.is_file()}
    assert found == TOP_LEVEL


def test_imports_go_down_only() -> None:
    wrong = [one for one in imports() if floor_of(one.importer) < floor_of(one.imported)]
    assert not wrong, wrong


def test_commands_use_each_other_in_one_order() -> None:
    wrong = []
    for one in imports():
        rooms = [name.split(".")[2] for name in (one.importer, one.imported) if name.startswith("coliee_ir.commands.")]
        if len(rooms) == 2 and COMMANDS.index(rooms[0]) < COMMANDS.index(rooms[1]):
            wrong.append(one)
    assert not wrong, wrong


def test_there_is_no_circle_of_imports() -> None:
    below: dict[str, set[str]] = {name: set() for name in modules()}
    for one in imports():
        if not is_face(one):
            below[one.importer].add(one.imported)
    while free := {name for name, under in below.items() if not under}:
        below = {name: under - free for name, under in below.items() if name not in free}
    assert not below, f"a circle among {sorted(below)}"


def test_imports_stand_at_the_head_of_their_file() -> None:
    late = {(one.importer, one.imported) for one in imports() if one.inside or (one.for_types and not is_face(one))}
    assert late == set(LATE)


def test_classes_are_made_in_one_way() -> None:
    slow = {("dataclasses", "dataclass"), ("typing", "NamedTuple"), ("collections", "namedtuple")}
    made = {
        name
        for name, path in modules().items()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if (isinstance(node, ast.ImportFrom) and any((node.module, each.name) in slow for each in node.names))
        or (isinstance(node, ast.Attribute) and node.attr in ("dataclass", "NamedTuple", "namedtuple"))
    }
    assert made == {"coliee_adapters.classes"}


#: Where a string is a task's name and means something else, or has to name tasks.
_FORM = "a form of file"
_CELL = "what stands in a file or a table"
NAMES_OF_TASKS: Mapping[tuple[str, str], str] = {
    ("coliee_ir.__main__", "1"): "a setting of OpenBLAS",
    ("coliee_ir.commands.convert.writing", "trec"): _FORM,
    **{("coliee_ir.commands.fuse.output", form): _FORM for form in ("trec", "tort")},
    ("coliee_ir.scoring.render", "trec"): _FORM,
    ("coliee_ir.commands.leaderboard.categories", "1"): _CELL,
    **{("coliee_ir.commands.report.hardness", number): _CELL for number in ("1", "2")},
    ("coliee_ir.scoring.reading", "1"): _CELL,
}


def test_only_the_rules_know_a_task_by_name() -> None:
    named = set()
    for name, path in modules().items():
        # the demo names the example data of each task
        if not name.startswith("coliee_ir") or name.startswith(("coliee_ir.rules", "coliee_ir.cli.demo")):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and node.value in TASKS:
                named.add((name, node.value))
    assert named == set(NAMES_OF_TASKS)


def test_the_wording_of_every_message_is_that_of_the_golden_file() -> None:
    told = "read what differs aloud, then: python tests/messages.py"
    assert messages.GOLDEN.read_text(encoding="utf-8") == messages.written(), told


def test_every_message_that_a_test_names_exists() -> None:
    known = set(messages.named().values())
    for path in (ROOT / "tests").rglob("test_*.py"):
        named = re.findall(r"""wording\(\s*["']([a-z0-9-]+)["']""", path.read_text(encoding="utf-8"))
        assert set(named) <= known, f"{path}: renamed, or gone: look for the wording in {messages.GOLDEN}"


#: literals of tests that have five words of a message in a row: names of cases, and layouts of tables; never more
PINNED = 8


def test_the_wording_of_a_message_is_pinned_nowhere_else() -> None:
    said = {five for one in messages.sentences() for piece in one.pieces[::2] for five in fives(piece)}
    pinned = []
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        described = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in described:
                pinned += [
                    f"{path.name}, line {node.lineno}: {node.value!r}" for five in fives(node.value) if five in said
                ][:1]
    told = "ask tests/messages.py for a message by its name: wording(name, fields)"
    assert len(pinned) <= PINNED, "\n".join([told, *pinned])


def fives(text: str) -> Iterator[tuple[str, ...]]:
    """Every five words in a row; a count's choice, (line|lines), ends a row."""
    for row in re.findall(r"[A-Za-z][\w'-]*(?:[,:;]? [A-Za-z][\w'-]*)+", re.sub(r"\\(?=\W)", "", text)):
        words = re.findall(r"[A-Za-z][\w'-]*", row.lower())
        yield from (tuple(words[at : at + 5]) for at in range(len(words) - 4))
