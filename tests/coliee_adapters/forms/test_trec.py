import io

import pytest
from asserting import refusing
from by_form import place_of, readers, sniffed, write
from hypothesis import given
from hypothesis import strategies as st
from reading import refused

from coliee_adapters.errors import UsageError
from coliee_adapters.files.source import Source
from coliee_adapters.forms import trec
from coliee_adapters.records import exact_id, normal_id

read_gold, read_run = readers("qrels", "trec", exact_id)
_, read_three_columns = readers("qrels", "columns", normal_id)

# a byte order mark within a line is refused
WORDS = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters=" \t\n\v\f\r\0\ufeff"), min_size=1, max_size=4
)
IDS = WORDS.filter(lambda word: not word.startswith(("#", "/*")))  # comments


@pytest.mark.parametrize(
    ("text", "qrels", "repeated", "comments"),
    [
        ("q1 0 d1 1\nq2 0 d1 0\nq1 0 d2 -1\n", {"q1": {"d1": 1, "d2": -1}, "q2": {"d1": 0}}, (), ()),
        ("\ufeff# a\n/* b\n*/ q1\t0\td1 +2\r\n\r\nq1 x d2  0 ", {"q1": {"d1": 2, "d2": 0}}, (),
         ("line 1: # a", "line 2: /* b")),
        ("q1 0 d1 1\nq1 1 d1 1\rq1 0 d1 1", {"q1": {"d1": 1}}, ("line 2: q1 d1", "line 3: q1 d1"), ()),
        ("q1 0 d.txt 1.0\nq1 0 d\xa0x 9999\n", {"q1": {"d.txt": 1, "d\xa0x": 9999}}, (), ()),
        ("q1 0 #d 1\n#q2 0 x 1\n", {"q1": {"#d": 1}}, (), ("line 2: #q2 0 x 1",)),
    ],
)  # fmt: skip
def test_qrels_are_read(source, text, qrels, repeated, comments):
    gold = read_gold(source(text))
    assert gold.qrels == qrels
    assert [list(judged) for judged in gold.qrels.values()] == [list(judged) for judged in qrels.values()]
    assert (gold.labels, gold.path, gold.format, gold.task) == (None, "f.txt", "qrels", None)
    for kind, examples in (("gold-duplicate", repeated), ("gold-comment", comments)):
        assert (gold.remarks.examples(kind), gold.remarks.count(kind)) == (examples, len(examples))
    gold = read_gold(source("q1.txt 0 d1.txt 1\nq1 0 d1 1\n"), normal_id)
    assert (gold.qrels, gold.remarks.examples("gold-duplicate")) == ({"q1": {"d1": 1}}, ("line 2: q1 d1",))


@pytest.mark.parametrize(
    ("text", "line", "found"),
    [
        ("q1 0 d1 1\nq1 0 d2\n", 2, "q1 0 d2"), ("\n# a\nq1\n", 3, "q1"), ("q1 0 d1 1 T", 1, "q1 0 d1 1 T"),
        *((f"q1 0 d1 {value}", 1, value) for value in ("1_0", "١", "Y", "1234567890", "10000")),
        ("q1 0 d1 1\nq1 0 d2 -10000", 2, "-10000"), ("q1 0 d1 1\nq2 0 d1 0\nq1 0 d1 0\n", 3, "q1 d1"),
        ("q 0 \x1b[2J 1\nq 0 \x1b[2J 2\n", 2, "q \x1b[2J"), ("# a\n/* b */\n", None, None),
        ("q1 0 d1 1\n/* b\n", 2, None), ("q1 0 d1 1\nq1 0 d\0 1\n", 2, None),
        *((text, None, None) for text in ("q 0 a 0\n", "q 0 a -1\nq 0 b 0\n")),  # without a relevant document
    ],
)  # fmt: skip
def test_what_is_no_qrels_is_refused(source, text, line, found):
    assert place_of(refused(read_gold, source(text))) == (line, found)


@given(st.dictionaries(IDS, st.dictionaries(WORDS, st.integers(-9999, 9999), min_size=1, max_size=3), max_size=3))
def test_qrels_survive_writing(tmp_path_factory, qrels):
    qrels["relevant"] = {"d": 1}
    path = tmp_path_factory.getbasetemp() / "qrels"
    stream = io.StringIO(newline="\n")
    write("qrels", qrels, stream)
    path.write_bytes(stream.getvalue().encode())
    assert read_gold(Source(path)).qrels == qrels


def test_a_run_is_read_when_its_blocks_are_asked_for_and_as_often(source):
    run = read_run(source("q1 Q0 d1 1 0.5 T\nq1 Q0 d2\n"))
    assert (run.tag, run.scored, run.path, run.format) == ("T", True, "f.txt", "trec")
    for _ in range(2):
        error = refused(lambda: list(run.blocks()))
        assert (error.kind, error.line) == ("columns", 2)
    assert read_run(source("q1 Q0 d1 1 0.5\n", "task3.ALPHA")).tag == "task3.ALPHA"


def test_what_would_not_be_read_again_is_not_written():
    for query, document, tag, wrong in (
        *(("q 1", "d", "T", "q 1"), ("q", "", "T", ""), ("q", "d\n", "T", "d\n"), ("q", "d", "my tag", "my tag")),
        *(("#q", "d", "T", "#q"), ("/*q", "d", "T", "/*q")),
    ):
        for name, more in (("trec", {"tag": tag}), *([("qrels", {})] if tag == "T" else [])):
            with refusing(UsageError, f"[bad-id] {wrong!r}…"):
                write(name, {query: {document: 1}}, io.StringIO(), **more)


@pytest.mark.parametrize(
    ("head", "gold", "run"),
    [
        (b"q1 0 d1 -1", "qrels", None), (b"\n# a\n/* b\n*/q1\t0\td1\t1\r\n", "qrels", None),
        (b"q1 0 d1 1\rq1 0 d2 1\r", "qrels", None), (b"q1 0 d1 1.0\n", "qrels", None), (b"q1 Q0 d1\n", None, "trec"),
        (b"q1 Q0 d1 1 0.5\n", None, "trec"), (b"q1 0 d1 1 0.5\n", None, "trec"), (b"q1 Q0 d1 1", "qrels", "trec"),
        (b"q1 d1 T\n", None, None), (b"# a\n", None, None), (b'{"a": [], "b": [], "c": []}', None, None),
        (b"<pair id='a' label='Y' x='1'> 1", None, None), (b"\xff\xfe 0 d1 1\n", "qrels", None),
    ],
)  # fmt: skip
def test_the_first_line_shows_what_a_file_is(head, gold, run):
    assert sniffed(head, trec) == [gold, run]


def test_several_documents_in_a_line_are_not_read_as_one(source):
    for read, lines in (
        (read_run, "004798 005914 011561 018180 075868 092133\n005914 051566 011876 062078 072913 031245\n"),
        (read_run, "R05-01-A\t96\t537\t415\t5\t101\n"),
        (read_three_columns, "004798 011561 000009 022621\n005914 000011 051566\n"),
        (read_three_columns, "004798 011561 000009 1\n005914 000011 051566 1\n"),
        *((read_three_columns, f"001 013 020{tag}\n002 007{tag}\n") for tag in (" RUN", "")),
    ):
        assert refused(read, source(lines)).kind == "ambiguous"
    for second in ("Q0", "0", "ITER"):  # whatever stands in each line in the place of Q0 is passed over
        assert len([*read_run(source(f"1 {second} 7 1 2.5 T\n2 {second} 8 1 2.5 T\n")).blocks()]) == 1
