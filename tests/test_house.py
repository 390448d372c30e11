"""What no linter can say of the house; its floors and circles are in pyproject.toml, under importlinter."""

import ast
import re
import tomllib
from functools import cache

from places import ROOT

from coliee_adapters import kinds
from coliee_ir.rules.choices import SEED, TASKS


@cache
def trees():
    """What stands in each module."""
    return {
        path.relative_to(ROOT): [*ast.walk(ast.parse(path.read_text(encoding="utf-8")))]
        for path in [*(ROOT / "adapters").rglob("*.py"), *(ROOT / "coliee_ir").rglob("*.py")]
    }


def of_kind(kind):
    """The nodes of a kind in all modules, and where each is from."""
    return [(path, node) for path, nodes in trees().items() for node in nodes if isinstance(node, kind)]


def test_only_the_rules_compare_with_a_task_or_a_year():
    wrong = []
    for path, node in of_kind(ast.Compare):
        if path.parts[:2] != ("coliee_ir", "rules") and path.parts[0] != "adapters":
            operands = [node.left, *node.comparators]
            names = {getattr(node, "attr", getattr(node, "id", None)) for node in operands}
            sides = [side for operand in operands for side in getattr(operand, "elts", [operand])]
            values = [side.value for side in sides if isinstance(side, ast.Constant)]
            if names & {"task", "edition", "year"} and any(one in TASKS or isinstance(one, int) for one in values):
                wrong.append(f"{path}, line {node.lineno}: {ast.unparse(node)}")
    assert not wrong, ["a key of the protocol files should say this", *wrong]


def test_only_the_protocol_knows_a_year():
    knows = {
        path.as_posix(): node.value
        for path, node in of_kind(ast.Constant)
        if isinstance(node.value, int) and 2000 < node.value < 2100 and path.parts[0] != "adapters"
    }
    assert knows.pop("coliee_ir/rules/protocol.py")
    assert knows == {"coliee_ir/rules/choices.py": SEED}  # of random numbers


def test_every_kind_of_error_and_remark_is_in_its_registry_and_used():
    used = {"of": set(), "Error": {"usage", "internal"}}
    words = {node.value for path, node in of_kind(ast.Constant) if path.name != "kinds.py"}
    for path, node in of_kind(ast.Call):
        if path.name != "kinds.py" and node.args and isinstance(node.args[0], ast.Constant):
            name = getattr(node.func, "attr", getattr(node.func, "id", "")).replace("fault", "Error")
            used.get(re.sub(r"^\w+(?=Error$)", "", name), set()).add(node.args[0].value)
    assert set(kinds.ERRORS) <= used["Error"]
    assert used["of"] <= set(kinds.REMARKS) <= words


def is_in(path, room):
    """Whether a module is in a package, or is it."""
    name = path.with_suffix("").as_posix().removeprefix("adapters/").replace("/", ".")
    return f"{name}.".startswith(f"{room}.")


def imported(room):
    """All that the modules of a package, or a module, import, but for type checkers."""
    typing = {id(child) for path, node in of_kind(ast.If) if is_in(path, room) for child in node.body}
    nodes = [node for path, node in of_kind(ast.ImportFrom) if is_in(path, room) and id(node) not in typing]
    return {alias.name for node in nodes for alias in node.names}


def test_the_pictures_of_the_architecture_are_those_of_the_imports():
    page = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    types, _, floors = re.findall(r"```text\n(.*?)```", page, re.DOTALL)
    for row in types.splitlines()[1:]:
        name, room, _, users = re.split(r" {2,}", row)
        assert name in {node.id for path, node in of_kind(ast.Name) if is_in(path, room)}, (name, room)
        for user in users.split():
            assert name in imported(f"coliee_ir.{user}"), (name, user)
    layers = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"][1]["layers"]
    drawn = [line.split()[0] for line in floors.splitlines()]
    assert drawn == [*[layer for layer in layers if layer in drawn], "adapters"]
    packages = {path.parent.name for path in (ROOT / "coliee_ir").glob("*/__init__.py")}
    assert packages == {*drawn[:-1], "examples"}


def test_no_group_is_repeated_possessively():
    """Which CPython before 3.11.5 does wrongly (gh-106052); an atomic group, (?>…), says the same."""
    texts = [(path, node.lineno, node.value) for path, node in of_kind(ast.Constant)]
    for path, line, text in texts:
        if isinstance(text, str | bytes):
            pattern = text if isinstance(text, str) else text.decode("latin-1")
            assert not re.search(r"\)(?:[*+?]|\{[0-9,]+\})\+", pattern), (path, line)
