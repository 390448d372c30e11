import io

import pytest
from asserting import matches
from by_form import place_of, ranked, readers, sniffed, write
from hypothesis import given
from hypothesis import strategies as st
from reading import refused, remarks_of, told

from coliee_adapters.files.source import Source
from coliee_adapters.forms import case_law, json_records
from coliee_adapters.remarks import Remarks

read_gold, read_run = readers("json", "json")
read_xml, read_columns = readers("xml", "columns")


@pytest.mark.parametrize(
    ("text", "qrels"),
    [
        ('{"008447.txt": ["072495.txt", "012101"], "2": []}', {"008447": {"072495": 1, "012101": 1}, "2": {}}),
        ('\ufeff\r\n{"827": "025.txt, 027.txt,", "828": "", "829": " 1 "}',
         {"827": {"025": 1, "027": 1}, "828": {}, "829": {"1": 1}}),
        ('{"1": [13, 0, "018"], " 2.txt ": [" 7.txt "]}', {"1": {"13": 1, "0": 1, "018": 1}, "2": {"7": 1}}),
        ('{"1": {"a.txt": 2, "b": 0, "c": -1}, "2": {}, "3": {"a": 9999, "b": -9999}}',
         {"1": {"a": 2, "b": 0, "c": -1}, "2": {}, "3": {"a": 9999, "b": -9999}}),
        ('{"1": ["a"], "2": "b", "3": {"c": 3}}', {"1": {"a": 1}, "2": {"b": 1}, "3": {"c": 3}}),
        ('{"民": ["法.txt"], "\\u00fc": [-5]}', {"民": {"法": 1}, "ü": {"-5": 1}}),
    ],
)  # fmt: skip
def test_gold_in_json_is_read(source, text, qrels):
    gold = read_gold(source(text))
    assert [*gold.qrels.items()] == [*qrels.items()]
    assert (gold.labels, gold.path, gold.format, gold.task) == (None, "f.txt", "json", None)
    assert not gold.remarks
    twice = read_gold(source('{"1": ["a", "b", "a.txt"], "2": "a,a", "3": {"a": 2, "a.txt": 2}}'))
    assert twice.qrels == {"1": {"a": 1, "b": 1}, "2": {"a": 1}, "3": {"a": 2}}
    assert twice.remarks.examples("gold-duplicate") == ("query 1: a", "query 2: a", "query 3: a")


@pytest.mark.parametrize(
    ("text", "expected", "scored"),
    [
        ('{"1.txt": ["b.txt", 13, "b"], "2": [], "3": "c, d"}', {"1": ["b", "13", "b"], "2": [], "3": ["c", "d"]}, 0),
        ('{"1": {"b.txt": 2, "a": -0.5}, "2": {}, "3": []}', {"1": [("b", 2.0), ("a", -0.5)], "2": [], "3": []}, 1),
        ('{"1": ["a"], "2": {}}', {"1": ["a"], "2": []}, 0),
        ('{"1": {"a": 1, "a.txt": 2}}', {"1": [("a", 1.0), ("a", 2.0)]}, 1),
    ],
)  # fmt: skip
def test_a_run_in_json_is_read(source, text, expected, scored):
    run = read_run(source(text, "my run.json"))
    wanted = {query: [one if scored else (one, None) for one in found] for query, found in expected.items()}
    assert [*ranked(run).items()] == [*ranked(run).items()] == [*wanted.items()]
    assert (run.tag, run.path, run.format, run.scored) == ("my run", "my run.json", "json", bool(scored))


@pytest.mark.parametrize(
    ("read", "text", "line", "found"),
    [
        *((read_gold, text, line, found) for text, line, found in (
            ("{}", None, "{}"), ('{"001": ["a"],\n "002.txt": null}', 2, "None"), ('{"001": ["a", ["b"]]}', 1, "['b']"),
            ('{"001": ["a", true]}', 1, "True"), ('{"001": [1.0]}', 1, "1.0"), ('{"001": [" "]}', 1, ""),
            ('{".txt": ["001"]}', 1, ""), ('{"1": {"a": 10000}}', 1, "10000"), ('{"1": ["a"]', 1, None),
            ('{"0": {"b": 1},\n"1": {"a": 1, "a.txt": 2}}', 2, "1 a"), ('{"1": ["a"],\n"1.txt": ["b"]}', 2, "1.txt"),
            ('{"11": ["2"],\n"2": ["11"],\n"1": 5}', 3, "5"), ('{"3": ["1"],\n"1.txt" : 5}', 2, "5"),
            ('{"1": 5, "1.txt.txt": []}', 1, "5"), ('{"\\u0031": 5, "2": ["1"]}', 1, "5"),
        )),
        *((read_run, text, line, found) for text, line, found in (
            ('{"1": ["a"], "2": {"b": 1}}', 1, "b"), ('{"1": {"a": null}}', 1, "None"),
            ('{"1": {"a": 1%s}}' % ("0" * 400), 1, f"1{'0' * 400}"), ('{"1": {"a": NaN}}', 1, "NaN"),
            ('{"1": 5}', 1, "5"), ('{"1": [], "1.txt": []}', 1, "1.txt"), ('["1"]', None, '["1"]'),
        )),
    ],
)  # fmt: skip
def test_what_is_no_gold_or_run_in_json_is_refused(source, read, text, line, found):
    assert place_of(refused(read, source(text))) == (line, found)


def xml(*instances, task="task='1'"):
    return f"<COLIEE {task}>\n" + "\n".join(instances) + "\n</COLIEE>\n"


def instance(documents, query="1"):
    return f"<instance id='{query}'><cases_noticed>{documents}</cases_noticed></instance>"


@pytest.mark.parametrize(
    ("text", "task", "qrels"),
    [
        (xml("<instance id='001'><query>…</query><cases_noticed>013,045.txt</cases_noticed></instance>",
             "<instance id='002.txt'><cases_noticed/></instance>"), "1", {"001": {"013": 1, "045": 1}, "002": {}}),
        (xml("<instance id='1'><cases_noticed>\n 3 ,\n4\n</cases_noticed><cases_noticed>5</cases_noticed></instance>"),
         "1", {"1": {"3": 1, "4": 1, "5": 1}}),
        (xml("<instance id='1'><entailing_paragraphs>3</entailing_paragraphs></instance>", instance(4, 2), task=""),
         None, {"1": {"3": 1}, "2": {"4": 1}}),
        (xml("<instance id='1'><cases_noticed>3</cases_noticed>",
             "<entailing_paragraphs>4</entailing_paragraphs></instance>"), "1", {"1": {"3": 1}}),
    ],
)  # fmt: skip
def test_gold_in_the_older_xml_is_read(source, text, task, qrels):
    gold = read_xml(source(text))
    assert gold.qrels == qrels
    assert (gold.labels, gold.path, gold.format, gold.task) == (None, "f.txt", "xml", task)
    assert not gold.remarks
    twice = read_xml(source(xml(instance("3,3.txt"))))
    assert (twice.qrels, twice.remarks.examples("gold-duplicate")) == ({"1": {"3": 1}}, ("line 2: 1 3",))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (xml("<instance><cases_noticed>3</cases_noticed></instance>"), ", line 2: [missing-id]"),
        (xml("<instance id=' .txt'/>"), ", line 2: [missing-id]"),
        (xml(instance(3), "<instance id='1.txt'/>"), ", line 3: [duplicate] (found '1')"),
        (xml(instance("013"), "<instance id='1 2'/>"), ", line 3: [bad-id] (found '1 2')"),
        (xml(instance("013", "001 002")), ", line 2: [bad-id] (found '001 002')"),
        (xml(instance("013,.txt")), ", line 2: [bad-id] (found '')"),
        (xml(instance("013,\ufeff014")), ", line 2: [bad-id] (found '\\ufeff014')"),
        (xml(instance(" , ")), ": [no-relevant] cases_noticed …"),
        (xml(task=""), ": [no-relevant] cases_noticed … or <entailing_paragraphs>"),
        ("<COLIEE>", ", line 1, column 9: [syntax] no element found …"),
    ],
)
def test_what_is_no_gold_in_the_older_xml_is_refused(source, text, message):
    assert matches(told(read_xml, source(text)), f"f.txt{message}")


# ids that no rule changes: no blanks of any kind, no .txt at the end
WORDS = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=4).filter(lambda w: w[-4:] != ".txt")
#: COLIEE's ids have no commas in them
IDS = WORDS.filter(lambda word: not set(word) & set(",;、，；"))
QUERIES = IDS.filter(lambda word: not word.startswith(("#", "/*")))


@given(st.dictionaries(QUERIES, st.lists(IDS, min_size=1, max_size=3, unique=True), min_size=1, max_size=3), WORDS)
def test_what_is_written_is_read_again(tmp_path_factory, held, tag):
    def again(read, name, documents, **more):
        path, stream = tmp_path_factory.getbasetemp() / "written", io.StringIO(newline="\n")
        write(name, documents, stream, **more)
        path.write_bytes(stream.getvalue().encode())
        return stream.getvalue(), read(Source(path))

    text, gold = again(read_gold, "json", {**held, "none": []}, scored=False)
    assert text.startswith('{\n "') and text.endswith("]\n}\n")  # laid out for people
    assert gold.qrels == {query: dict.fromkeys(documents, 1) for query, documents in {**held, "none": []}.items()}
    assert not gold.remarks
    _, run = again(read_columns, "columns", held, tag=tag)
    assert ranked(run) == {query: [(document, None) for document in documents] for query, documents in held.items()}
    assert (run.tag, remarks_of(run)) == (tag, Remarks())


@pytest.mark.parametrize(
    ("head", "gold", "run"),
    [
        (b"\r\n [", "json", "json"), (b"<?xml version='1.0'?>\n<coliee>", "xml", None), (b"<COLIEEX>", None, None),
        (b"<root><instance id='1'>", "xml", None), (b"<dataset><pair id='1'>", None, None),
        (b"a <instance x", None, "columns"), (b"# a\n\n/* b */ 001 013 T", None, "columns"), (b"# a\n", None, None),
        (b"001 013 a,b\n", None, "columns"), (b"0,01 013 T\n", None, "columns"), (b"\n", None, None),
        (b"0,1 Q0 013 1 0.5 T\n", None, "columns"),
    ],
)  # fmt: skip
def test_the_first_line_shows_what_a_file_is(head, gold, run):
    assert sniffed(head, json_records, case_law) == [gold, run]
