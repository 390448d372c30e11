import pytest
from asserting import clause, heard, matches, refusing
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

GOLD = {
    "tort": TORT,
    "statute-xml": STATUTE,
    "xml": CASE_XML,
    "json": '{"001": ["013"], "002": []}\n',
    "labels": "R07-01-O Y\nR07-02-O N\n",
    "table": "query-id\tcorpus-id\tscore\n001\t013\t1\n",
    "qrels": "R02-1-A 0 398-20 1\n",
}
RUNS = {
    "tort": TORT,
    "labels": "R07-01-O\tno\tT\n",
    "trec": "R02-1-A Q0 398-20 1 12.5 T\n",
    "json": '{"001": {"013": 0.5}, "002": {}, "003": {}, "004": {}}\n',
    "table": "Query ID, Doc ID, Run Tag\n001, 013, T\n",
    "columns": "001 013 T\n",
}
LINES = {"labels", "qrels", "trec", "table", "columns"}  # the forms that may have comments
BEFORE = {
    "nothing": lambda text: text.encode(),
    "a byte order mark": lambda text: BOM + text.encode(),
    "blank lines": lambda text: b"\r\n \t\n\n" + text.encode(),
    "CRLF": lambda text: text.replace("\n", "\r\n").encode(),
    "comments": lambda text: BOM + b"\n# a {\n/* <b>\n, c */\n\n" + text.encode(),
}


@pytest.mark.parametrize("before", BEFORE)
@pytest.mark.parametrize(("kind", "name"), [*(("gold", name) for name in GOLD), *(("run", name) for name in RUNS)])
def test_each_form_is_known_by_its_content(source, kind, name, before):
    if (before == "comments" and name not in LINES) or (before == "blank lines" and name == "statute-xml"):
        return  # JSON has no comments, and an XML declaration stands first or nowhere
    read, forms = (detect.read_gold, GOLD) if kind == "gold" else (detect.read_run, RUNS)
    content = BEFORE[before](forms[name])
    record = read(source(content, "no-ending"))
    assert (record.format, record.path) == (name, "no-ending")
    if isinstance(record, Run):
        documents = [document for block in record.blocks() for document in block.documents]
        assert documents == ["398-20" if name == "trec" else "013"]


@pytest.mark.parametrize(
    ("text", "form", "kind"),
    [
        (TORT, "tort", Answers),
        (TORT, "claims", Run),
        (RUNS["labels"], "labels", Answers),
        (RUNS["trec"], "trec", Run),
        ("001 Y T\n", "columns", Run),
        ("a b 013 1 1.5 T\n", "trec", Run),
        (RUNS["table"], "table", Run),
        ('{"tort_id": ["013"]}', "json", Run),
        # which are no system descriptions
        *((text, None, Run) for text in ("Task: 013 T\n", "001 013 T\nTask: 1 A\n", "# Task:\n# Run tag:\n1 2 T\n")),
    ],
)
def test_a_submission_is_read_in_the_form_that_is_asked_for(source, text, form, kind):
    record = detect.read_run(source(text), form=form)
    assert isinstance(record, kind)
    if form and isinstance(record, Run):
        assert list(record.blocks())
    assert detect.read_gold(source("q Y d 1\n"), form="qrels") == Gold({"q": {"d": 1}}, path="f.txt", format="qrels")
    assert detect.read_gold(source("q Y d 1\n")).labels == {"q": True}


@pytest.mark.parametrize("form", ["", "TREC", "excel"])
def test_a_form_that_does_not_exist_is_a_usage_error(source, form):
    readers = [
        ("gold", detect.read_gold, detect.known_forms("gold")),
        ("run", detect.read_run, detect.known_forms("run")),
    ]
    for kind, read, forms in readers:
        names = ", ".join(one.name for one in forms)
        with refusing(UsageError, f"[unknown-name] {kind} … {form!r} … {names} …"):
            read(source("001 013 T"), form=form)


@pytest.mark.parametrize(
    ("read", "content", "line", "found"),
    [
        (detect.read_gold, b"001 013 T\n001 014 T\n", 1, "001 013 T"),
        (detect.read_gold, b"\n\r\n \n001 x y z w\n", 4, "001 x y z w"),
        (detect.read_gold, b"q1 0 d1 0.5", 1, "q1 0 d1 0.5"),
        (detect.read_gold, BOM + b"<htm>\n", 1, "<htm>"),
        (detect.read_gold, b"# a\n", 1, "# a"),
        (detect.read_gold, b"\x89PNG\r\n\x1a\n", 1, "\ufffdPNG"),
        (detect.read_run, b"\n<COLIEE task='1'>\n", 2, "<COLIEE task='1'>"),
        (detect.read_run, b"<dataset> <pair id='1' label='Y'> a b", 1, "<dataset> <pair id='1' label='Y'> a b"),
        (detect.read_run, b"/* a\n*/", 1, "/* a"),
        (detect.read_run, b"<" + b"x" * 99, 1, f"<{'x' * 58}…"),
    ],
)
def test_content_of_no_known_form_is_refused_with_a_list_of_the_forms(source, read, content, line, found):
    error = refused(read, source(content))
    forms = detect.known_forms("gold" if read is detect.read_gold else "run")
    assert error.line == line
    assert f"'{found}'" in heard(error)
    assert all(f"{form.name} ({quoted(form.example)})" in heard(error) for form in forms)
    for description in (
        b"Task: 1\nRun tag: univABC1\n", b"Task: pilot\n\n- External resources:\nnone\nRun tag:\n",
        BOM + b"# the form\r\n\r\n  task : [1]\r\nRun Tag: A\r\n- Machine learning models:\r\n",
    ):  # fmt: skip
        error = refused(read, source(description))
        assert matches(clause(error), "[unknown-format]") and error.remedy


def test_what_a_form_looks_like_is_recognised_as_that_form():
    for forms in (list(detect.known_forms("gold")), list(detect.known_forms("run"))):
        assert len({form.name for form in forms}) == len(forms)
        for form in forms:
            if form.binary:
                continue
            head = form.example.encode()
            found = next(one.name for one in detect.known_forms(form.kind, head) if one.sniff(head))
            # a model's text is read only where it is named: it may look like anything
            assert found == {"claims": "tort", "text": "columns"}.get(form.name, form.name)
