import pytest
from asserting import heard, mentions
from by_form import place_of, readers, sniffed
from reading import refused, remarks_of, rows

from coliee_adapters.forms import detect, tabular

_, read_run = readers("table", "table")


def read_rows(file):
    return rows(detect.read_run(file))


@pytest.mark.parametrize(
    ("text", "pairs", "tag"),
    [
        ("\ufeff001;013;T\r\n\r\n# a\n001;014;T", [("001", "013"), ("001", "014")], "T"),
        ("/* a\n*/\n001 , 013\n002,\t014\n", [("001", "013"), ("002", "014")], "f"),
        ('"001", "013", "T, of ""us"""\n001,014,"T, of ""us"""\n', [("001", "013"), ("001", "014")], 'T,_of_"us"'),
        ("Query ID,Doc ID,Run Tag\n001,013,T\n", [("001", "013")], "T"),
        ('"query";"docno"\n"001";"013"\n', [("001", "013")], "f"),
        ("001,013,\n,,\n001,014,T\n", [("001", "013"), ("001", "014")], "f"),
    ],
)
def test_a_run_in_csv_is_read(source, text, pairs, tag):
    run = read_run(source(text, "f.csv"))
    assert rows(run) == rows(run) == [(query, document, None) for query, document in pairs]
    assert (run.tag, run.scored, run.path, run.format) == (tag, False, "f.csv", "table")
    assert sniffed(source(text).head(), tabular)[1] == "table"


def test_names_in_a_header_and_later_tags_are_read(source):
    text = "\tQuery ID\tdoc id\tscore\tnote\n0\t001\t018\t-1e3\t\n1\t001\t023\t0.9\tfound, by hand\n"
    assert read_rows(source(text)) == [("001", "018", -1000.0), ("001", "023", 0.9)]
    run = read_run(source("query,document,tag\n\n001,013,T\n# a\n001,014,U\n001,015,T\n"))
    assert (run.tag, remarks_of(run).examples("tag"), remarks_of(run).count("tag")) == ("T", ("line 5: U",), 1)


@pytest.mark.parametrize(
    ("read", "text", "line", "found"),
    [
        *((read_run, text, line, found) for text, line, found in (
            ("001\n", 1, "001"), ("001,013,1,T\n", 1, "001,013,1,T"),
            ("001,Q0,013,1,0.5,T\n", 1, "001,Q0,013,1,0.5,T"), ("001,013\n001,014\n\n001\n", 4, "001"),
            ("query,document,tag\n001,013\n", 2, "001,013"), ("a;b\na;b;c\n", 2, "a;b;c"),
            ("001,013,T\n# a\n,014,T\n", 3, ""), ("001, ,T\n", 1, ""), ("001,.txt,T\n", 1, ""),
            ("query,document,score\n001,013,nan\n", 2, "nan"), ("query,document,score\n001,013,\n", 2, ""),
            ("query,document,score\n001,013,1_0\n", 2, "1_0"), ('001,013,T\n001,"014,T\n', 2, None),
            ('001,"013"x,T\n', 1, None), (f"001,{'x' * 140_000}", 1, None), ("query,document\n", None, None),
            ("# a\n/* b */\n", None, None),
        )),
        *((detect.read_gold, text, line, found) for text, line, found in (
            ("001,018,univABC\n", 1, "univABC"), ("qid,docno,score\n001,018,1\n001,019,0.5\n", 3, "0.5"),
            ("q,d,1\nq,d,2\n", 2, "q d"), ("q,d,10000\n", 1, "10000"),
            ("q,a,1\nq,b,2\nq,c,3\nq,d,4\nq,e,5\n", 1, "q,a,1"),
            ("query_id,doc_id,run_id\nq,d,A\n", 1, "query_id, doc_id, run_id"),
        )),
    ],
)  # fmt: skip
def test_what_is_no_run_or_gold_in_a_table_is_refused(source, read, text, line, found):
    error = refused(lambda: read(source(text)) if read is detect.read_gold else rows(read(source(text))))
    assert place_of(error) == (line, found)


def test_text_in_quotes_may_hold_line_ends_and_separators(source):
    text = 'pair_id\tlabel\tprediction\tmsg\nR01-1-A\tY\tN\t"a\tb\n""c"""\nR01-2-A\tN\tN\tx\n'
    answers = detect.read_run(source(text))
    assert answers.labels == {"R01-1-A": False, "R01-2-A": False}
    assert detect.read_gold(source(text)).labels == {"R01-1-A": True, "R01-2-A": False}


def test_a_second_answer_is_refused_and_a_repeated_one_remarked(source):
    answers = detect.read_run(source("id,prediction,run\nq1,yes,A\nq1,Y,A\n"))
    assert (answers.labels, answers.tag) == ({"q1": True}, "A")
    assert (answers.remarks.count("duplicate"), answers.remarks.count("label-form")) == (1, 1)
    assert mentions(heard(refused(read_rows, source("id,answer\nq1,Y\nq1,N\n"))), "[conflicting] line 2 …")
    gold = detect.read_gold(source("q,d,1\nq,d,1\n"))
    assert (gold.qrels, gold.remarks.count("gold-duplicate")) == ({"q": {"d": 1}}, 1)


@pytest.mark.parametrize(
    "text",
    [
        "topic_no para_no sim\n001 018 0.1\n", "topic_no,para_no,sim\n001,018,1\n",
        "topic_no para_no team\n001 018 univABC\n001 019 univABC\n",
        "topic_no zero para_no place sim team\n001 Q0 018 1 0.1 univABC\n", "nr,antwort\nR01-1-A,Y\n",
    ],
)  # fmt: skip
def test_a_header_that_is_not_understood_is_refused(source, text):
    for read in (detect.read_run, detect.read_gold):
        error = refused(read, source(text))
        assert (error.line, "--columns" in heard(error)) == (1, True)
    for text in ("q doc run\nq d run\n", "a b T\nc d T\n", "H1 a 1\n"):  # lines of a run are no header
        assert len(read_rows(source(text))) == text.count("\n")


@pytest.mark.parametrize(
    ("separator", "line", "found"),
    [
        (",", '"q",d,0.5', None), (",", "q,d, 0.5", None), (";", '"q"; d;0.5', None), (",", "q,d\x85,0.5", None),
        (",", 'q,"d,9",0.5', "d,9"), (",", "q\td,0.5", "q\td,0.5"), ("\t", "q\td,9\t0.5", "d,9"),
    ],
)  # fmt: skip
def test_what_is_not_plain_far_behind_the_first_rows_is_read_as_there(source, separator, line, found):
    table = [(f"q{n // 9}", f"d{n % 9}", f"{9 - n % 9}") for n in range(9000)]
    header, *plain = (separator.join(row) + "\n" for row in [("query", "document", "score"), *table])
    for lines in ([header, *plain, line + "\n"], [header, line + "\n", *plain]):
        file = source("".join(lines))
        if found is None:
            expected = [*((q, d, float(s)) for q, d, s in table), ("q", "d", 0.5)]
            assert sorted(read_rows(file)) == sorted(expected)
        else:
            error = refused(read_rows, file)
            assert (error.found, error.line) == (found, lines.index(line + "\n") + 1)


@pytest.mark.parametrize("separator", [",", ";", "\t", " "])
@pytest.mark.parametrize(
    ("lines", "scored", "numbers", "kind"),
    [
        (["0 99 2", "0 1542 1", "1 5 1"], False, [-2, -1, -1], "read-as-rank"),
        (["0 99 0.25", "0 1542 3", "1 5 -1"], True, [0.25, 3, -1], "read-as-score"),
        (["0 a 3.0", "0 b 2.0", "0 c 1.0"], True, [3, 2, 1], "read-as-score"),
        (["0 a 0.5", "1 b 1e-3"], True, [0.5, 0.001], "read-as-score"),
        (["0 a 7", "0 b 7", "1 b 7"], False, [None, None, None], None),  # a tag may be a number
        (["0 a 1", "0 b 1", "1 c 2", "1 d 2"], False, [None] * 4, None),
        # what may be ranks or scores is refused
        *((lines, None, [], None) for lines in (
            ["0 a 1", "0 b 4"], ["0 a 0", "0 b 1"], ["0 a 5", "0 b 3", "0 c 3"], ["0 a 3", "0 b 2", "0 c 1"],
            ["0 a 3", "1 b 7"], ["0 a 1.0", "0 b 2.0", "0 c 3.0"],
        )),
    ],
)  # fmt: skip
def test_ranks_and_scores_are_told_from_run_tags(source, separator, lines, scored, numbers, kind):
    lines = [line.replace(" ", separator) for line in lines]
    text = "".join(line + "\n" for line in lines)
    if scored is None:
        error = refused(detect.read_run, source(text))
        assert (error.kind, error.line, error.found) == ("ambiguous", 1, lines[0])
        assert "query document rank" in str(error.remedy)
        return
    run, commented = detect.read_run(source(text, "m.tsv")), detect.read_run(source("# a\n" + text, "c.tsv"))
    assert [score for _, _, score in rows(run)] == numbers
    assert (run.tag, run.scored) == ("m" if kind else lines[0][-1], scored)
    expected = remarks_of(run)
    assert rows(commented) == rows(run)
    if kind is not None:
        assert (expected.count("tag"), expected.count(kind)) == (0, 1)
        expected.add("comment", "line 1: # a")
        assert remarks_of(commented) == expected


def test_columns_and_values_show_what_a_table_can_be(source):
    for text, kind in (
        ("001,018,univABC\n", "run"), ("query_id,doc_id,score\n1,a,0.5\n", "run"), ("1 a 1\n1 b 2\n", None),
        ("query_id,doc_id,relevance\n1,a,1\n", "gold"), ("query_id,doc_id,score\n1,a,1\n", None),
        ("id,label\n1,Y\n", None), ("1,a\n", None), ("1,a,1\n1,b\n1,c,T\n", "run"), ("a b T\n", "run"),
        ("qid,docno,tag\n1,a,T\n2,b,U\n", "run"), ("qid,docno,tag\n", "run"), ("qid,docno,tag\n1,a\n", "run"),
    ):  # fmt: skip
        for line in ("sep=,\n", "") if "," in text else ("",):  # Excel's
            file = source(line + text)
            names = text.splitlines()[0].split(",") if "id," in text else []
            assert (detect.kind_of(file), detect.header_of(file)) == (kind, names), line + text
            assert kind == "gold" or tabular.first_tag(file) == ("T" if names and "T" in text else ""), line + text


def test_thousands_that_a_point_marks_are_told(source):
    others = ("4.909 735", "735 323", "98.123 100", "4.9091 735 323")
    for scores in ("4.909 1.735 735 -323 30", *others):
        table = "".join(f"q;d{at};{score}\n" for at, score in enumerate(scores.split()))
        run = detect.read_run(source(f"query_id;doc_id;score\n{table}"))
        assert remarks_of(run).count("thousands") == (scores not in others), scores
