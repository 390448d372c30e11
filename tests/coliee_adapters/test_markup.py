from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from asserting import heard

from coliee_adapters.errors import InputError
from coliee_adapters.files.source import Source
from coliee_adapters.forms.markup import Element, parse

Parse = Callable[[str | bytes], Element]


@pytest.fixture
def read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Parse:
    monkeypatch.chdir(tmp_path)

    def read(content: str | bytes) -> Element:
        Path("g.xml").write_bytes(content if isinstance(content, bytes) else content.encode())
        return parse(Source("g.xml"))

    return read


def test_an_element_has_tag_attributes_line_children_and_text(read: Parse) -> None:
    root = read('<?xml version="1.0"?>\n<a x=\'1\'\n y="2">b<c/>d\n<e>f<c>g</c></e>h</a>\n')
    assert (root.tag, root.attributes, root.line) == ("a", {"x": "1", "y": "2"}, 2)
    assert [(child.tag, child.line) for child in root.children] == [("c", 3), ("e", 4)]
    assert root.text == "bd\nfgh"
    assert "".join(root.itertext()) == root.text


def test_iter_gives_the_named_in_the_order_of_the_file(read: Parse) -> None:
    root = read("<a n='0'><b n='1'><a n='2'/></b><c n='3'><b n='4'/></c><a n='5'/></a>")
    assert [element.attributes["n"] for element in root.iter("a", "b")] == ["0", "1", "2", "4", "5"]
    assert list(root.iter("d")) == []


def test_cdata_references_comments_and_instructions(read: Parse) -> None:
    assert read("<a><![CDATA[<b>&amp;]]><!-- c --><?d e?>&#x6C11;&lt;</a>").text == "<b>&amp;民<"


@pytest.mark.parametrize("encoding", ["Shift_JIS", "EUC-JP", "UTF-16", "us-ascii", "x-unknown"])
def test_a_declared_encoding_does_not_matter(read: Parse, encoding: str) -> None:
    assert read(f'<?xml version="1.0" encoding="{encoding}"?><a b="条">民法</a>').text == "民法"


def test_byte_order_mark_and_crlf(read: Parse) -> None:
    root = read(b"\xef\xbb\xbf<a>\r\n<b/>\r\nc</a>")
    assert (root.text, root.children[0].line) == ("\n\nc", 2)


@pytest.mark.parametrize("document", ["<!DOCTYPE a><a>b</a>", "<!DOCTYPE a [<!ELEMENT a ANY>]>\n<a>b</a>"])
def test_a_doctype_without_entities_passes(read: Parse, document: str) -> None:
    assert read(document).text == "b"


def test_deep_nesting_is_no_matter_where_it_is_allowed(read: Parse, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLIEE_IR_MAX_DEPTH", "1M")
    deep = 200_000
    root = read("<a>" * deep + "b" + "</a>" * deep)
    assert root.text == "b"
    assert sum(1 for _ in root.iter("a")) == deep
    assert repr(root) == "Element(tag='a', attributes={}, line=1)"


def test_nesting_has_a_limit(read: Parse, monkeypatch: pytest.MonkeyPatch) -> None:
    assert read("<a>" * 100 + "b" + "</a>" * 100).text == "b"
    with pytest.raises(InputError, match="nested more than 100 deep") as caught:
        read("<a>\n" * 101 + "b" + "</a>" * 101)
    assert (caught.value.line, caught.value.found) == (101, "<a>")
    monkeypatch.setenv("COLIEE_IR_MAX_DEPTH", "1")
    with pytest.raises(InputError, match="nested more than 1 deep"):
        read("<a><b/></a>")


DTD = "; …"
XML = "; …"


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ('<!DOCTYPE a [\n<!ENTITY b "c">]>\n<a>&b;</a>', f"line 2: [syntax] (found 'b'){DTD}"),
        ('<!DOCTYPE a [<!ENTITY b "c"><!ENTITY d "&b;&b;">]><a>&d;</a>', f"line 1: [syntax] (found 'b'){DTD}"),
        ('<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a/>', f"line 1: [syntax] (found 'b'){DTD}"),
        ('<!DOCTYPE a [<!ENTITY % b SYSTEM "b.dtd"> %b;]><a/>', f"line 1: [syntax] (found 'b'){DTD}"),
        ("<!DOCTYPE a [ %b; ]>\n<a>\n&c;</a>", f"line 3: [syntax] (found 'c'){DTD}"),
        ('\n<!DOCTYPE a SYSTEM "b.dtd"><a/>', f"line 2: [syntax] (found 'b.dtd'){DTD}"),
        ('<!DOCTYPE a PUBLIC "-//b" "c.dtd"><a/>', f"line 1: [syntax] (found 'c.dtd'){DTD}"),
        ("<a>&b;</a>", f"line 1, column 4: [syntax] undefined entity{XML} …"),
        ("<a>\r\n民法<b></c></a>", f"line 2, column 8: [syntax] mismatched tag{XML} …"),
        ("<a><b></b>\n", f"line 2, column 1: [syntax] no element found{XML} …"),
        ("<!-- a -->", f"line 1, column 11: [syntax] no element found{XML} …"),
        ("<a/>\n<a/>", f"line 2, column 1: [syntax] junk after document element{XML} …"),
        ("<a b=1/>", f"line 1, column 6: [syntax] not well-formed (invalid token …){XML}"),
        ("<a b='1' b='2'/>", f"line 1, column 10: [syntax] duplicate attribute{XML} …"),
        ("<a>\x0b</a>", f"line 1, column 4: [syntax] not well-formed (invalid token …){XML}"),
        ("q1 Y T", f"line 1, column 1: [syntax] syntax error{XML} …"),
        (
            "\n<?xml version='1.0'?><a/>",
            f"line 2, column 1: [syntax] XML or text declaration not at start of entity{XML} …",
        ),
        ("<a>\nb\0</a>", "line 2: [encoding]"),
        ("<a>\n民法</a>".encode("shift_jis"), "line 2: [encoding] (found '\\x96\\xaf\\x96@</a>')"),
    ],
)
def test_what_is_refused(read: Parse, document: str | bytes, message: str) -> None:
    with pytest.raises(InputError) as error:
        read(document)
    assert heard(error.value) == f"g.xml, {message}"
