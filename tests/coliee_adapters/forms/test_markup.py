import pytest
from asserting import matches
from reading import refused, told

from coliee_adapters.files import limits
from coliee_adapters.forms.markup import parse


@pytest.fixture
def read(source):
    return lambda content: parse(source(content, "g.xml"))


def test_an_element_has_tag_attributes_line_children_and_text(read):
    root = read('<?xml version="1.0"?>\n<a x=\'1\'\n y="2">b<c/>d\n<e>f<c>g</c></e>h</a>\n')
    assert (root.tag, root.attributes, root.line) == ("a", {"x": "1", "y": "2"}, 2)
    assert [(child.tag, child.line) for child in root.iter("c", "e")] == [("c", 3), ("e", 4), ("c", 4)]
    assert root.text == "bd\nfgh"


@pytest.mark.parametrize(
    ("document", "text"),
    [
        ("<a><![CDATA[<b>&amp;]]><!-- c --><?d e?>&#x6C11;&lt;</a>", "<b>&amp;民<"),
        ("<!DOCTYPE a [<!ELEMENT a ANY>]>\n<a>b</a>", "b"),
        (b"\xef\xbb\xbf<a>\r\n<b/>\r\nc</a>", "\n\nc"),
        *(
            (f'<?xml version="1.0" encoding="{encoding}"?><a b="条">民法</a>', "民法")
            for encoding in ("Shift_JIS", "EUC-JP", "UTF-16", "us-ascii", "x-unknown")
        ),
    ],
)
def test_text_is_that_of_xml_whatever_encoding_is_declared(read, document, text):
    root = read(document)
    assert root.text == text
    assert all(child.line == 2 for child in root.iter("b"))


def test_nesting_has_a_limit_that_can_be_raised(read, monkeypatch):
    assert read("<a>" * 100 + "b" + "</a>" * 100).text == "b"
    error = refused(read, "<a>\n" * 101 + "b" + "</a>" * 101)
    assert (error.kind, error.line, error.found) == ("too-large", 101, "<a>")
    monkeypatch.setattr(limits, "DEPTH", 1)
    assert "1" in refused(read, "<a><b/></a>").problem
    monkeypatch.setattr(limits, "DEPTH", 1 << 20)
    root = read("<a>" * 20_000 + "b" + "</a>" * 20_000)
    assert (root.text, sum(1 for _ in root.iter("a"))) == ("b", 20_000)


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ('<!DOCTYPE a [\n<!ENTITY b "c">]>\n<a>&b;</a>', "line 2: [syntax] (found 'b')"),
        ('<!DOCTYPE a [<!ENTITY b "c"><!ENTITY d "&b;&b;">]><a>&d;</a>', "line 1: [syntax] (found 'b')"),
        ('<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a/>', "line 1: [syntax] (found 'b')"),
        ('<!DOCTYPE a [<!ENTITY % b SYSTEM "b.dtd"> %b;]><a/>', "line 1: [syntax] (found 'b')"),
        ("<!DOCTYPE a [ %b; ]>\n<a>\n&c;</a>", "line 3: [syntax] (found 'c')"),
        ('\n<!DOCTYPE a SYSTEM "b.dtd"><a/>', "line 2: [syntax] (found 'b.dtd')"),
        ("<a>\r\n民法<b></c></a>", "line 2, column 8: [syntax] mismatched tag …"),
        ("<a><b></b>\n", "line 2, column 1: [syntax] no element found …"),
        ("<a>\nb\0</a>", "line 2: [encoding]"),
        ("<a>\n民法</a>".encode("shift_jis"), "line 2: [encoding] (found '\\x96\\xaf\\x96@</a>')"),
    ],
)
def test_what_is_refused(read, document, message):
    assert matches(told(read, document), f"g.xml, {message}")
