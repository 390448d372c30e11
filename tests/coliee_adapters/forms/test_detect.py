import pytest
from asserting import heard, refusing
from by_form import ranked
from reading import refused

from coliee_adapters.errors import UsageError, quoted
from coliee_adapters.files.source import BOM
from coliee_adapters.forms import detect
from coliee_adapters.records import Answers, Gold, Run

TORT = (
    '{"version": "1", "tort_id": "0", "undisputed_facts": [], "plaintiff_claims": [{"id": "0", "is_accepted": true}],'
    ' "defendant_claims": [], "court_decision": false}\n'
)
STATUTE = '<?xml version="1.0"?>\n<dataset><pair id="H18-1-2" label="Y"><article>566</article></pair></dataset>\n'
CASE_XML = "<COLIEE task='2'><instance id='1'><entailing_paragraphs>3</entailing_paragraphs></instance></COLIEE>\n"
READERS = {"gold": detect.read_gold, "run": detect.read_run}
KNOWN = {
    ("gold", "tort"): TORT,
    ("gold", "statute-xml"): STATUTE,
    ("gold", "xml"): CASE_XML,
    ("gold", "json"): '{"001": ["013"], "002": []}\n',
    ("gold", "labels"): "R07-01-O Y\nR07-02-O N\n",
    ("gold", "table"): "query-id\tcorpus-id\tscore\n001\t013\t1\n",
    ("gold", "qrels"): "R02-1-A 0 398-20 1\n",
    ("run", "tort"): TORT,
    ("run", "labels"): "R07-01-O\tno\tT\n",
    ("run", "trec"): "R02-1-A Q0 398-20 1 12.5 T\n",
    ("run", "json"): '{"001": {"013": 0.5}, "002": {}, "003": {}, "004": {}}\n',
    ("run", "table"): "Query ID, Doc ID, Run Tag\n001, 013, T\n",
    ("run", "columns"): "001 013 T\n",
}


@pytest.mark.parametrize(("kind", "name"), KNOWN)
def test_each_form_is_known_by_its_content(source, kind, name):
    content = KNOWN[kind, name].encode()
    befores = [content, BOM + content, content.replace(b"\n", b"\r\n")]
    if name != "statute-xml":  # an XML declaration stands first or nowhere
        befores.append(b"\r\n \t\n\n" + content)
    if name in ("labels", "qrels", "trec", "table", "columns"):  # the forms that may have comments
        befores.append(BOM + b"\n# a {\n/* <b>\n, c */\n\n" + content)
    for before in befores:
        record = READERS[kind](source(before, "no-ending"))
        assert (record.format, record.path) == (name, "no-ending")
        if isinstance(record, Run):
            found = next(documents for documents in ranked(record).values() if documents)
            assert [document for document, _ in found] == ["398-20" if name == "trec" else "013"]


@pytest.mark.parametrize(
    ("text", "form", "kind"),
    [
        (TORT, "tort", Answers), (TORT, "claims", Run), ("R07-01-O\tno\tT\n", "labels", Answers),
        ("R02-1-A Q0 398-20 1 12.5 T\n", "trec", Run), ("001 Y T\n", "columns", Run),
        ("a b 013 1 1.5 T\n", "trec", Run), ("query, document\n1, 3\n", "table", Run),
        ('{"tort_id": ["013"]}', "json", Run),
    ],
)  # fmt: skip
def test_a_submission_is_read_in_the_form_that_is_asked_for(source, text, form, kind):
    record = detect.read_run(source(text), form=form)
    assert isinstance(record, kind)
    assert isinstance(record, Answers) or ranked(record)
    assert detect.read_gold(source("q Y d 1\n"), form="qrels") == Gold({"q": {"d": 1}}, path="f.txt", format="qrels")
    assert detect.read_gold(source("q Y d 1\n")).labels == {"q": True}
    for wrong in ("", "TREC", "excel"):
        for kind_, read in READERS.items():
            names = ", ".join(one.name for one in detect.known_forms(kind_))
            with refusing(UsageError, f"[unknown-name] {kind_} … {wrong!r} … {names} …"):
                read(source("001 013 T"), form=wrong)


@pytest.mark.parametrize(
    ("kind", "content", "line", "found"),
    [
        ("gold", b"001 013 T\n001 014 T\n", 1, "001 013 T"), ("gold", b"\n\r\n \n001 x y z w\n", 4, "001 x y z w"),
        ("gold", b"q1 0 d1 0.5", 1, "q1 0 d1 0.5"), ("gold", BOM + b"<htm>\n", 1, "<htm>"),
        ("gold", b"# a\n", 1, "# a"), ("gold", b"\x89PNG\r\n\x1a\n", 1, "\ufffdPNG"),
        ("run", b"\n<COLIEE task='1'>\n", 2, "<COLIEE task='1'>"),
        ("run", b"<dataset> <pair id='1' label='Y'> a b", 1, "<dataset> <pair id='1' label='Y'> a b"),
        ("run", b"/* a\n*/", 1, "/* a"), ("run", b"<" + b"x" * 99, 1, f"<{'x' * 58}…"),
    ],
)  # fmt: skip
def test_content_of_no_known_form_is_refused_with_a_list_of_the_forms(source, kind, content, line, found):
    error = refused(READERS[kind], source(content))
    assert error.line == line
    assert f"'{found}'" in heard(error)
    assert all(f"{form.name} ({quoted(form.example)})" in heard(error) for form in detect.known_forms(kind))
    for description in (
        b"Task: 1\nRun tag: univABC1\n", b"Task: pilot\n\n- External resources:\nnone\nRun tag:\n",
        BOM + b"# the form\r\n\r\n  task : [1]\r\nRun Tag: A\r\n- Machine learning models:\r\n",
    ):  # fmt: skip
        error = refused(READERS[kind], source(description))
        assert error.kind == "unknown-format"
        assert error.remedy and "json" not in heard(error)  # no form is proposed


def test_what_a_form_looks_like_is_recognised_as_that_form():
    for kind in READERS:
        forms = list(detect.known_forms(kind))
        assert len({form.name for form in forms}) == len(forms)
        for form in forms:
            head = form.example.encode()
            found = next((one.name for one in detect.known_forms(kind, head) if one.sniff(head)), None)
            # a model's text is read only where it is named: it may look like anything
            assert form.binary or found == {"claims": "tort", "text": "columns"}.get(form.name, form.name)
