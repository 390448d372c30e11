"""Every sentence the program can print, by name: `tests/data/messages.txt` holds the wording, tests hold the names.

A test that wants a message asks for it by its name and its fields, ``wording("extra-query", 2, "ignored")``, and gets
it in the words of the code as it stands. So to change a wording, change it in the code and run

    python tests/messages.py

which writes the golden file anew. A sentence that is reworded keeps its name, a new one gets one of its first words;
a name may be changed in the file, and in the tests that use it.
"""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
GOLDEN = ROOT / "tests" / "data" / "messages.txt"

_HEAD = """\
# Every sentence, and every clause of one, that the program can print, but for --help, module by module: its name in
# tests, and its wording. {n} is a field; of (line|lines) the count chooses. Written by python tests/messages.py
"""

#: two words beside each other: less is a name, a key or a mark
_WORDS = re.compile(r"[A-Za-z]{2,}[,:;]? [(<]?[A-Za-z]")
#: code: a regular expression, SQL, a style, a page
_CODE = re.compile(r"\(\?|^(?:PRAGMA|BEGIN|SELECT|INSERT|DELETE) [\w*]|</|\w\{[\w-]+:|\n.*\n.*\n|&|^<")
_FIELD = re.compile(r"\{(\w*)(?::\w*)?\}")
_CHOICE = re.compile(r"\(([^()|]*)\|([^()|]*)\)")
#: what these keywords hold is written into docs/reference, which is compared too
_HELP = {"help", "description", "epilog", "metavar", "formula", "source"}
#: words that tell no sentence from another
_SMALL = {
    *("a", "an", "and", "are", "as", "be", "by", "can", "for", "from", "has", "have", "in", "is", "it", "of", "on"),
    *("or", "than", "that", "the", "there", "this", "to", "was", "with"),
}


class Sentence(NamedTuple):
    """A sentence of the code, as pieces of text, or of a field's name between two of text."""

    module: str
    name: str  # that it has in the code, if any
    pieces: tuple[str, ...]

    @property
    def template(self) -> str:
        text = "".join(f"{{{piece}}}" if at % 2 else piece for at, piece in enumerate(self.pieces))
        return text.replace("\n", r"\n")


def sentences() -> list[Sentence]:
    """Every sentence of the code, each once a module, in the order of the source."""
    found: dict[Sentence, None] = {}
    for folder in (ROOT / "adapters" / "coliee_adapters", ROOT / "coliee_ir"):
        for path in sorted(folder.rglob("*.py")):
            name = ".".join(path.relative_to(folder.parent).with_suffix("").parts).removesuffix(".__init__")
            tree = ast.parse(path.read_text(encoding="utf-8"))
            found.update((Sentence(name, *text), None) for text in _texts(tree))
    return list(found)


def _texts(tree: ast.AST) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The sentences of a module, and the name of each that has one there; docstrings and help are not among them."""
    waiting: list[tuple[str, ast.AST]] = [("", tree)]
    while waiting:
        name, node = waiting.pop()
        match node:
            case ast.Constant(value=str(text)):
                pieces = tuple(_FIELD.split(text))
            case ast.JoinedStr():
                pieces = _joined(node)
            case _:
                pieces = ()
        if _is_sentence(pieces):
            yield name, pieces
        waiting += reversed(list(_children(node)))


def _children(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    match node:
        case ast.Expr(value=ast.Constant()) | ast.Constant() | ast.Call(func=ast.Attribute(attr="compile")):
            return
        case ast.keyword(arg=name) | ast.Assign(targets=[ast.Name(id=name)]) if name in _HELP:
            return
        case ast.JoinedStr():
            yield from (("", part) for part in node.values if isinstance(part, ast.FormattedValue))
        case ast.Dict():
            slugs = [key.value if isinstance(key, ast.Constant) else "" for key in node.keys]
            kinds = any(isinstance(slug, str) and "-" in slug for slug in slugs)
            for slug, value in zip(slugs, node.values, strict=True):
                yield (str(slug) if kinds and isinstance(value, ast.Constant) else ""), value
        case _:
            yield from (("", child) for child in ast.iter_child_nodes(node))


def _is_sentence(pieces: tuple[str, ...]) -> bool:
    return any(map(_WORDS.search, pieces[::2])) and not any(map(_CODE.search, pieces[::2]))


def _joined(node: ast.JoinedStr) -> tuple[str, ...]:
    pieces = [""]
    for part in node.values:
        if isinstance(part, ast.FormattedValue):
            pieces += [_field(part.value), ""]
        elif isinstance(part, ast.Constant):
            pieces[-1] += str(part.value)
    return tuple(pieces)


def _field(node: ast.AST) -> str:
    """A name for what an expression gives: that of the value in it."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case ast.Call(args=[first, *_]):
            return _field(first)
        case ast.Call(func=inner) | ast.Subscript(value=inner) | ast.IfExp(body=inner) | ast.Starred(value=inner):
            return _field(inner)
        case ast.BinOp(right=inner) | ast.GeneratorExp(elt=inner) | ast.BoolOp(values=[inner, *_]):
            return _field(inner)
    return "…"


@cache
def golden() -> dict[str, dict[str, str]]:
    """Module → wording → name, as the golden file has them."""
    known: dict[str, dict[str, str]] = {}
    for line in GOLDEN.read_text(encoding="utf-8").splitlines() if GOLDEN.exists() else ():
        if line.startswith("## "):
            module = known.setdefault(line[3:], {})
        elif line.startswith("  "):
            name, _, wording = line[2:].partition(": ")
            module[wording[1:-1] if wording == _shown(wording[1:-1]) else wording] = name
    return known


def _by_code(every: list[Sentence]) -> dict[str, list[Sentence]]:
    """The names that the code has for sentences, those that name one."""
    found: dict[str, list[Sentence]] = {}
    for one in every:
        if one.name:
            found.setdefault(one.name, []).append(one)
    return {name: of for name, of in found.items() if len(of) == 1}


@cache
def named() -> dict[Sentence, str]:
    """Every sentence of the code and its name: that of its wording, or of the wording it takes the place of."""
    known, every = golden(), sentences()
    anywhere = {wording: name for module in known.values() for wording, name in module.items()}
    names = {of[0].template: name for name, of in _by_code(every).items()}
    names |= {one.template: anywhere[one.template] for one in every if one.template in anywhere}
    names |= {one.template: name for one in every if (name := known.get(one.module, {}).get(one.template))}
    for one in every:
        if one.template not in names:
            gone = [wording for wording in known.get(one.module, {}) if wording not in names]
            near = difflib.get_close_matches(one.template, gone, 1, 0.3)
            taken = {*names.values(), *anywhere.values()}
            names[one.template] = known[one.module][near[0]] if near else _new(one, taken)
            names.update((wording, known[one.module][wording]) for wording in near)
    return {one: names[one.template] for one in every}


def _new(sentence: Sentence, taken: set[str]) -> str:
    """A name of the first words of a sentence that tell it from the others."""
    text = _CHOICE.sub(r"\1", " ".join(sentence.pieces[::2])).lower()
    words = re.findall(r"[a-z0-9]+(?:'s)?", text)
    words = [word.replace("'", "") for word in words if word not in _SMALL] or words
    least = 3 if len("-".join(words[:3])) <= 22 else 2
    names = ["-".join(words[:size]) for size in range(least, least + 4)]
    return next(name for name in [*names, *(f"{names[0]}-{n}" for n in range(2, 99))] if name not in taken)


@cache
def _by_name() -> dict[str, Sentence]:
    return {name: sentence for sentence, name in reversed(named().items())}


def wording(name: str, *fields: object, n: object = None) -> str:
    """A message as the code words it today; of one with fields that are not given, the longest piece without them.

    Args:
        name: its name in the golden file.
        fields: what stands in its fields, in their order, or ``...``.
        n: the count that chooses between singular and plural; by default the first field.
    """
    pieces = _by_name()[name].pieces
    assert len(fields) <= len(pieces) // 2, f"{name} has fewer fields"
    known, given = [""], iter(fields)
    chosen = r"\1" if (fields[:1] if n is None else (n,)) == (1,) else r"\2"
    for at, piece in enumerate(pieces):
        value = next(given, ...) if at % 2 else _CHOICE.sub(chosen, piece)
        if value is ...:
            known.append("")
        else:
            known[-1] += str(value)
    return max(known, key=len)


def _shown(template: str) -> str:
    """A wording on its line; quotes show that blanks begin or end it."""
    return template if template == template.strip() else f'"{template}"'


def written() -> str:
    """The golden file, from the code."""
    lines, module = [_HEAD], ""
    for sentence, name in named().items():
        if sentence.module != module:
            module = sentence.module
            lines.append(f"\n## {module}\n")
        lines.append(f"  {name}: {_shown(sentence.template)}\n")
    return "".join(lines)


if __name__ == "__main__":
    GOLDEN.write_text(written(), encoding="utf-8", newline="\n")
