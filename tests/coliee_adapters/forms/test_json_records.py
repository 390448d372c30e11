import json
from itertools import chain

import pytest
from asserting import clause, failing, mentions
from by_form import one_a_line, place_of, ranked, readers
from reading import read_whole, refused, told

from coliee_adapters.files.source import Source
from coliee_adapters.forms import detect, frames
from coliee_adapters.records import Answers, exact_id, normal_id

read_gold, read_run = readers("json", "json")


@pytest.fixture
def named(source):
    """A file some of whose columns the user has named."""

    def opened(content, **columns):
        return Source(source(content).path, columns=columns)

    return opened


RECORDS = [
    {"query_id": query, "doc_id": document, "score": score}
    for query, document, score in (("001", "018.txt", 0.1), ("001.txt", "023", 0.9), ("002", "018", -1))
]
LISTED = [{"query_id": "001", "doc_ids": ["018", "023"]}, {"query_id": "002", "doc_ids": ["018"]}]
HELD = {"001": {"018": 0.1, "023": 0.9}, "002": {"018": -1.0}}


def test_a_run_in_the_shapes_of_other_programs_is_read(source):
    for held in (
        {"config": {"k": 2}, "evaluation": [{"MicroF1": 0.5}], "results": RECORDS},
        {"mteb_model_meta": {"model_name": "m"}, "default": {"test": HELD}},
        {"default": {"test": HELD}},
    ):
        for text in (json.dumps(held), json.dumps(held, indent=1)):
            assert ranked(detect.read_run(source(text))) == {q: [*scored.items()] for q, scored in HELD.items()}


@pytest.mark.parametrize(
    ("held", "said"),
    [
        ({"mteb_model_meta": {}, "en": {"test": HELD}, "de": {"test": HELD}},
         "[ambiguous] (found '.en.test, .de.test')"),
        ([*LISTED, {"query_id": "003", "doc_id": "018"}], "record 3: [mixed-forms] (found 'query_id, doc_id')"),
        ([*LISTED, LISTED[0]], "record 3: [duplicate] (found '001')"),
        ([{**LISTED[0], "scores": [2, 1]}, {**LISTED[1], "ranks": [1]}], "record 2: [mixed-forms]"),
        ([{**LISTED[0], "scores": [2, 1], "score": [2, 1]}], "record 1: [ambiguous] (found 'scores, score')"),
        ({"q1": {"note": "some words"}, "q2": {"note": "others"}}, "line 1: query q1: [missing-column] (found 'note')"),
        ({"R05-01-A": ["Article 398-20"]}, "line 1: [bad-id] (found 'Article 398-20'); … 398-20 …"),
        ([{"question_id": "q", "relevant_articles": []}], "record 1: [missing-column] … --protocol alqac…"),
        ([{"id": "q", "response": "Yes, it does."}], "record 1: [missing-column] … --from text…"),
        ({"0": {"qid": "001", "docno": "018", "score": 1.5}}, "line 1: query 0: [structure] … to_json(…"),
        ({"columns": ["qid", "docno"], "index": [0], "data": [["001", "018"]]}, "[structure] … to_json(…"),
        ({"R07-01-O": {"judgment": "Y"}}, "line 1: query R07-01-O: [missing-column] … --columns answer=NAME, …"),
        ([{"id": "q", "label": "Y", "output": {"label": "N"}}], "[ambiguous]"),
        ([{"query_id": 1, "match_id": [7]}],
         "[missing-column] (found 'query_id, match_id'); … names are query_id, qid, query; doc_id, docno, document; …"),
        ({"query_id": "001", "found": ["018"]}, "[missing-column]"),
        *(({"query_id": of, "doc_id": of}, "[structure]") for of in (["001"], {"0": "001"})),
        ({"query_id": "001", "doc_ids": ["018", "023"], "relevance": [1, 0, 1], "score": [1]}, "[shape]"),
    ],
)  # fmt: skip
def test_a_shape_that_is_not_read_is_refused_with_what_helps(source, held, said):
    assert mentions(told(detect.read_run, source(json.dumps(held))), said)
    if said in ("[missing-column]", "[structure]", "[shape]"):  # what can be a record, or queries
        assert mentions(told(frames.run_of, held), said)
        for read, of in ((detect.read_gold, source(json.dumps(held))), (frames.gold_of, held)):
            assert mentions(told(read, of), said)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('[{"qid": 1, "docno": "a", "rank": 2}, {"qid": 1, "docno": "b", "rank": 1}]', {"1": [("a", -2), ("b", -1)]}),
        ('{"1": {"a": {"rank": 2}, "b": {"rank": 1}}}', {"1": [("a", -2), ("b", -1)]}),
        ('{"1": [{"docid": "a", "rank": 2}, {"docid": "b", "rank": 1}], "2": []}',
         {"1": [("a", -2), ("b", -1)], "2": []}),
        ('{"1": [], "2": [["a", 1]], "3": {}}', {"2": [("a", 1.0)], "1": [], "3": []}),
        # queries may be called like roles
        ('{"query": {"a": 2, "b": 1}}', {"query": [("a", 2), ("b", 1)]}),
        ('{"id": [["a", 2], ["b", 1]], "001": [["a", 1]]}', {"id": [("a", 2), ("b", 1)], "001": [("a", 1)]}),
    ],
)  # fmt: skip
def test_objects_of_queries_and_ranks_are_read(source, text, expected):
    for run in (detect.read_run(source(text)), frames.run_of(json.loads(text))):
        assert ranked(run) == expected
        assert run.scored == any(score and score > 0 for found in expected.values() for _, score in found)
    if "rank" not in text:
        assert {*detect.read_gold(source(text)).queries} == {*expected}


@pytest.mark.parametrize(("answer", "name", "columns"), [("prediction", "doc_ids", False), ("label", "docs", True)])
def test_answers_and_documents_of_one_file_are_both_read_where_neither_may_be_the_golds(
    source, named, answer, name, columns
):
    held = {"R05-01-A": ["398-20", "537"], "R05-02-A": [], "R05-03-A": ["709"]}
    items = {query: {answer: "Y" if documents else "N", name: documents} for query, documents in held.items()}
    records = [{"id": query, **item, "tag": "T"} for query, item in items.items()]
    table = f"id,{answer},tag,{name}\nR05-01-A,Y,T,398-20;537\nR05-02-A,N,T,\nR05-03-A,Y,T,709\n"
    for text in (one_a_line(records), json.dumps(records), json.dumps(items), table):
        run = detect.read_run(source(text))
        remarks = run.remarks if isinstance(run, Answers) else next(run.blocks()).remarks
        if columns:
            [example] = remarks.examples("other-part")
            assert example.replace("'", "") == f"--columns answer={answer},document={name}"
            run = detect.read_run(named(text, answer=answer, document=name))
        assert {query: [one for one, _ in documents] for query, documents in ranked(run).items()} == held
        answers = run.other_parts["answers"]
        assert answers.labels == {query: bool(documents) for query, documents in held.items()}
        assert run.tag == answers.tag
    labels = table.replace(f",{answer},", ",label,").replace(f",{name}", ",articles")
    assert not detect.read_gold(source(labels)).remarks
    documents = detect.read_run(source("id,doc_id,score,articles\nq1,537,0.5,a\n"))
    assert not next(documents.blocks()).remarks.examples("other-part")


def test_an_answer_that_each_document_of_its_query_repeats_is_one(source, named):
    text = "id,answer,article\nq1,Y,537\nq1,Y,709\nq2,N,415\n"
    assert "--columns document='article',answer='answer'" in told(detect.read_run, source(text))
    run = detect.read_run(named(text, document="article", answer="answer"))
    assert list(ranked(run)) == ["q1", "q2"]
    answers = run.other_parts["answers"]
    assert (answers.labels, list(answers.remarks)) == ({"q1": True, "q2": False}, [])
    contradicting = named(text.replace("Y,709", "N,709"), document="article", answer="answer")
    assert refused(detect.read_run, contradicting).kind == "conflicting"


#: records of a query each, and what they are as a run and as a gold
SHAPES = [
    ([{"qid": q, "docids": ["018", "023"], "scores": [1, 2], "relevances": [0, 2]} for q in ("001", "002")],
     [("018", 1.0), ("023", 2.0)], {"018": 0, "023": 2}),
    ([{"id": q, "documents": ["018", "023"], "rank": [2, 1]} for q in ("001", "002")],
     [("018", -2.0), ("023", -1.0)], {"018": 1, "023": 1}),
    ([{"query": q, "hits": [{"doc": "018", "score": 1, "rel": 0}, {"doc": "023", "score": 2, "rel": 1}]}
      for q in ("001", "002")], [("018", 1.0), ("023", 2.0)], {"018": 0, "023": 1}),
    ([{"query_id": q, "doc_id": "018", "score": 3, "relevance": 2} for q in ("001", "002")],
     [("018", 3.0)], {"018": 2}),
    ([{"id": q, "answer": "Y"} for q in ("001", "002")], True, True),
    ([{"pair_id": q, "label": 1, "text": ["a"]} for q in ("001", "002")], True, True),
]  # fmt: skip


@pytest.mark.parametrize(("records", "of_run", "of_gold"), SHAPES)
@pytest.mark.parametrize("n", [1, 2])
def test_one_record_is_read_as_two_are(source, records, of_run, of_gold, n):
    records, queries = records[:n], ["001", "002"][:n]
    held = [records, tuple(records), *(records if n == 1 else [])]
    texts = [one_a_line(records), *map(json.dumps, held), *(json.dumps(one, indent=1) for one in held)]
    for run in chain(map(detect.read_run, map(source, texts)), (frames.run_of(one, normal_id) for one in held)):
        assert (run.labels if of_run is True else ranked(run)) == dict.fromkeys(queries, of_run)
    for gold in chain(map(detect.read_gold, map(source, texts)), (frames.gold_of(one, normal_id) for one in held)):
        assert (gold.labels if of_gold is True else gold.qrels) == dict.fromkeys(queries, of_gold)
    record = '{"query_id": "5156.txt", "case_id": 32518, "relevance": 3}\n'
    assert read_gold(source(record), exact_id).qrels == {"5156.txt": {"32518": 3}}
    assert frames.gold_of({"5156": {"case_id": 32518, "relevance": 3}}).qrels == {"5156": {"32518": 3}}


@pytest.mark.parametrize(
    ("names", "held"),
    [
        ("q match w", [{"q": "1", "match": "a", "w": 1}, {"q": "1", "match": "b", "w": 2}]),
        ("frage treffer wert", {"frage": "1", "treffer": ["a", "b"], "wert": [1, 2]}),
        ("q.id out.article out.value",
         [{"q": {"id": "1"}, "out": {"article": d, "value": n}} for d, n in (("a", 1), ("b", 2))]),
        ("qid ctxs.key ctxs.sim_to", {"qid": "1", "ctxs": [{"key": "a", "sim_to": 1}, {"key": "b", "sim_to": 2}]}),
    ],
)  # fmt: skip
def test_a_user_names_the_keys_also_by_their_paths(source, named, names, held):
    columns = dict(zip(("query", "document", "score"), names.split(), strict=True))
    records = held if isinstance(held, list) else [held]
    under = {"model": "m", "problems": records}
    for text in (one_a_line(records), *map(json.dumps, (records, held, under, {"run": under}))):
        if "." in names:
            refused(read_whole, source(text))
        for run in (read_run(named(text, **columns)), frames.run_of(json.loads(json.dumps(held)), columns=columns)):
            assert ranked(run) == {"1": [("a", 1.0), ("b", 2.0)]}


def test_the_path_of_an_answer_is_known_in_records_of_every_shape(named, call):
    said = {"R01-01-A": "Y", "R01-02-A": "N"}
    out = {query: {"why": {"said": "?"}, "output": {"said": word}} for query, word in said.items()}
    records = [{"id": query, **one} for query, one in out.items()]
    shapes = (*map(json.dumps, (out, records, {"run": {"n": 3, "results": records}})), one_a_line(records))
    for text in shapes:
        assert read_run(named(text, answer="output.said")).labels == {"R01-01-A": True, "R01-02-A": False}
        error = failing(call, "convert", "f.txt", "-", "--to", "labels", "--tag", "A", "--columns", "answer=said")
        assert "output.said" in error and "R01" not in error
    # a path that ends in nothing holds nothing
    records = [{"id": "q1", "out": {"said": "Y"}}, {"id": "q2", "out": None}, {"id": "q3", "out": {"said": None}}]
    answers = read_run(named(one_a_line(records), answer="out.said"))
    assert (answers.labels, answers.unreadable) == ({"q1": True}, ("q2", "q3"))
    assert frames.run_of(records, columns={"answer": "out.said"}).labels == {"q1": True}
    file = named(one_a_line([*records, {"id": "q4", "out": {"other": "Y"}}]), answer="out.said")
    assert (refused(read_run, file).kind, refused(read_run, file).line) == ("missing-column", 4)


def test_an_answer_that_is_no_label_is_kept_apart_and_no_label_of_a_gold(source):
    records = [{"id": f"q{n}", "prediction": word} for n, word in enumerate(["Y", "Sorry", "", "I", None])]
    for text, unreadable, examples in (
        (one_a_line(records), ("q1", "q2", "q3", "q4"), ("line 2: Sorry", "line 3: q2 has no answer", "line 4: I")),
        ('{"q9": "N", "q0": "Y", "q1": "Sorry"}', ("q1",), ("query q1: Sorry",)),
    ):
        answers = detect.read_run(source(text))
        assert (answers.unreadable, {*answers.labels} & {*unreadable}) == (unreadable, set())
        assert answers.remarks.count("unreadable-answer") == len(unreadable)
        assert answers.remarks.examples("unreadable-answer") == examples
    error = refused(detect.read_gold, source(one_a_line([{"id": "q0", "label": "Y"}, {"id": "q1", "label": "Sorry"}])))
    assert (error.line, error.found) == (2, "Sorry")
    for read in (detect.read_gold, detect.read_run):
        error = refused(read, source('[{"id": "a", "label": "Y"}, {"id": "a.txt", "label": "N"}]'))
        assert ("record 1" in clause(error), error.found) == (True, "a N")


@pytest.mark.parametrize(
    ("text", "line", "found"),
    [
        *((one_a_line([*RECORDS, record]), 4, found) for record, found in (
            ({"query_id": "3", "doc_id": "a", "score": "half"}, "half"),
            ({"query_id": "3", "doc_id": "a", "score": None}, "None"),
            ({"query_id": "3", "doc_id": "", "score": 1}, ""),
            ({"query_id": None, "doc_id": "a", "score": 1}, "None"),
            ({"query_id": "3", "doc_id": ["a"], "score": 1}, "['a']"),
            ({"query_id": "3", "doc_id": "a", "rank": 1}, "query_id, doc_id, rank"),
        )),
        (one_a_line(RECORDS) + '{"query_id": "3"', 4, None),
        ('{"1": ["a"]}\n{"2": ["a"]}\n\n{"1": ["b"]}', 4, "1"),
        ('{"match": ["a"]}\n{"match": ["b"]}', 2, "match"),
        ('{"3": [["a", 1]], "4": ["a"]}', 1, '["a"]'),
        ('{"3": [["a", 1, 2]]}', 1, "['a', 1, 2]"),
        (one_a_line([{"error": "timeout"}, *RECORDS]), 1, "error"),
        *((json.dumps({"3": text}), 1, text) for text in ("a > b", "['a', 'b']")),
    ],
)  # fmt: skip
def test_a_run_that_is_not_understood_is_refused(source, text, line, found):
    assert place_of(refused(read_whole, source(text))) == (line, found)


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [("025.txt, 027.txt", "blank"), ("025,027", "comma"), ("025；027", "[bad-id]"), ("025\n027", "line end"),
     ("025\t027", "blank"), ("\ufeff025", "byte order mark"), (".txt", "empty")],
)  # fmt: skip
def test_an_id_that_is_no_word_is_refused_in_every_shape(source, wrong, problem):
    good = {"qid": "001", "docid": "018", "score": 2}
    for shape, reads in (
        ([good, {**good, "docid": wrong}], [read_run]),
        ([good, {**good, "qid": wrong}], [read_run]),
        ({"001": [["018", 2], [wrong, 1]]}, [read_run, read_gold]),
        ({"001": {"018": {"rank": 1}, wrong: {"rank": 2}}}, [read_run]),
        ({wrong: ["001"]}, [read_run, read_gold]),
        ({"q": {wrong: 1}}, [read_run, read_gold]),
    ):
        for read in reads:
            error = refused(read, source(json.dumps(shape)))
            assert problem in clause(error)
            assert error.found == wrong.removesuffix(".txt")
    run = read_run(source('{"q,1": {"http://a/b,c": 1}}'), exact_id)  # TREC's ids may have commas
    assert ranked(run) == {"q,1": [("http://a/b,c", 1)]}


def test_only_a_test_set_is_called_one_and_only_a_text_that_ends_early_cut_short(source):
    error = refused(detect.read_run, source('{\n"a": ["b"]\n}\n{\n"c": ["d"]\n}\n'))
    assert (error.line, "JSON Lines" in str(error.remedy)) == (4, True)
    for text in ('["001", "002"]', '{"001": [], "002": ""}', '{"001": null}\n{"002": {}}'):
        assert refused(detect.read_gold, source(text)).kind == "missing-label"
