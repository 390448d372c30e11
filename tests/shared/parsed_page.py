"""A page as a browser's parser sees it."""

from __future__ import annotations

from html.parser import HTMLParser


class Parsed(HTMLParser):
    """The elements, the texts a person sees, and the elements that were never closed."""

    VOID = frozenset({"meta", "input", "link", "br", "img"})

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.texts: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "script" not in self.open and "style" not in self.open:
            self.texts.append(data)

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]

    def values(self, *names: str) -> list[str]:
        """Of these attributes."""
        return [str(value) for _, of in self.elements for name, value in of.items() if name in names and value]

    @property
    def text(self) -> str:
        return "".join(self.texts)
