"""A small XML reader that knows the line of every element, and neither expands entities nor fetches anything."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import cast

from coliee_adapters.errors import InputError, Place
from coliee_adapters.files import limits
from coliee_adapters.files.source import Source
from coliee_adapters.records import ONE_WORD, normal_id, wrong_id


class Element:
    """One element: its name, its attributes, the line of its start tag, and the text and the elements in it."""

    def __init__(self, tag: str, attributes: dict[str, str], line: int) -> None:
        self.tag, self.attributes, self.line = tag, attributes, line
        self.content: list[Element | str] = []  # in the order of the file

    def __iter__(self) -> Iterator[Element | str]:
        """It, and all elements and pieces of text under it, in the order of the file."""
        stack: list[Element | str] = [self]
        while stack:
            part = stack.pop()
            yield part
            if isinstance(part, Element):
                stack.extend(reversed(part.content))

    @property
    def text(self) -> str:
        """All text in it and in the elements under it, joined."""
        return "".join(part for part in self if isinstance(part, str))

    def iter(self, *tags: str) -> Iterator[Element]:
        """The element itself and all under it that have one of these tags."""
        return (part for part in self if isinstance(part, Element) and part.tag in tags)


def parse(source: Source, unnested: Collection[str] = ()) -> Element:
    """The root element of an XML file, which is read as UTF-8, whatever encoding its first line declares."""
    from xml.parsers import expat  # needed by files in XML alone

    document = Element("", {}, 0)
    path = [document]
    parser = expat.ParserCreate("utf-8")  # overrides the declaration, which the decoded text has outlived
    parser.buffer_text = True

    def fault(kind: str, problem: str, found: str, remedy: str) -> InputError:
        return InputError(kind, source.name, problem, line=parser.CurrentLineNumber, found=found, remedy=remedy)

    def start(tag: str, attributes: dict[str, str]) -> None:
        if len(path) > limits.DEPTH:
            problem = f"elements are nested more than {limits.DEPTH} deep"
            raise fault("too-large", problem, f"<{tag}>", "check the program that wrote it")
        if tag in unnested and (outer := next((element for element in path if element.tag == tag), None)):
            problem = f"this element is inside the <{tag}> of line {outer.line}"
            raise fault("structure", problem, f"<{tag}>", f"close that one first, with </{tag}>")
        element = Element(tag, attributes, parser.CurrentLineNumber)
        path[-1].content.append(element)
        path.append(element)

    def end(_tag: str) -> None:
        path.pop()

    def characters(text: str) -> None:
        path[-1].content.append(text)

    def refuse(problem: str, name: str) -> None:
        raise fault("syntax", problem, name, "remove the DOCTYPE; nothing is expanded or fetched")

    def doctype(_name: str, system: str | None, _public: str | None, _has_internal_subset: bool) -> None:
        if system is not None:  # a public id never stands without one
            refuse("the DOCTYPE refers to an external DTD", system)

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = characters
    parser.StartDoctypeDeclHandler = doctype
    parser.EntityDeclHandler = lambda name, *_: refuse("an entity declaration", name)
    # expat passes over an unknown entity, without an error, once the DOCTYPE has named a parameter entity
    parser.SkippedEntityHandler = lambda name, _: refuse("a reference to an unknown entity", name)
    try:
        parser.Parse(source.text().encode("utf-8"), True)
    except expat.ExpatError as error:
        problem, remedy = f"this is not well-formed XML: {expat.ErrorString(error.code)}", "correct it, or get it again"
        column = error.offset + 1
        raise InputError("syntax", source.name, problem, line=error.lineno, column=column, remedy=remedy) from None
    return cast(Element, document.content[0])


def by_id(root: Element, tag: str, source: Source, remedy: str) -> dict[str, Element]:
    """The elements of a tag by their ids, in the order of the file; refused where one has none, or another's."""
    elements: dict[str, Element] = {}
    for element in root.iter(tag):
        query = normal_id(element.attributes.get("id", ""))
        fault = Place(source.name, "line", element.line).fault
        if not query:
            raise fault("missing-id", f"<{tag}> has no id", remedy=remedy)
        if wrong := wrong_id([query], commas=False):
            raise fault("bad-id", wrong[1], query, ONE_WORD)
        if query in elements:
            raise fault("duplicate", f"the <{tag}> of line {elements[query].line} has the same id", query, "keep one")
        elements[query] = element
    return elements
