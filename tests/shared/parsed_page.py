"""A page as a browser's parser sees it."""

import base64
import gzip
import json
import re
from html.parser import HTMLParser


class Parsed(HTMLParser):
    """The elements, the texts a person sees, and the elements that were never closed."""

    VOID = frozenset({"meta", "input", "link", "br", "img"})

    def __init__(self, page):
        super().__init__(convert_charrefs=True)
        self.elements = []
        self.open = []
        self.texts = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "script" not in self.open and "style" not in self.open:
            self.texts.append(data)

    def all(self, tag):
        return [attributes for name, attributes in self.elements if name == tag]

    def values(self, *names):
        """Of these attributes."""
        return [str(value) for _, of in self.elements for name, value in of.items() if name in names and value]

    @property
    def text(self):
        return "".join(self.texts)


def data_in(page, name):
    """The JSON of one of the page's data elements."""
    [text] = re.findall(rf'<script type="application/gzip" id="{name}">([A-Za-z0-9+/=]*)</script>', page)
    return json.loads(gzip.decompress(base64.b64decode(text)))
