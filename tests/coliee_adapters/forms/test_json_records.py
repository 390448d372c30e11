import itertools
import json

import pytest
from asserting import clause, done, heard, mentions
from by_form import readers
from reading import read_whole, refused, told

from coliee_adapters.files.source import Source
from coliee_adapters.forms import detect, frames
from coliee_adapters.records import Answers, Gold, exact_id, normal_id


def one_a_line(objects):
    return "".join(json.dumps(each) + "\n" for each in objects)


def ranked(run):
    """Query → its documents with their scores."""
    found = {}
    for block in run.blocks():
        scores = [None] * len(block.documents) if block.scores is None else list(block.scores)
        for query, first, last in block.segments():
            pairs = zip(block.documents[first:last], scores[first:last], strict=True)
            found.setdefault(query, []).extend(pairs)
    return found


read_gold, read_run = readers("json", "json")

SCORED = {"001": [("018", 0.1), ("023", 0.9)], "002": [("018", -1.0)]}
RECORDS = [
    {"query_id": "001", "doc_id": "018.txt", "score": 0.1},
    {"query_id": "001.txt", "doc_id": "023", "score": 0.9},
    {"query_id": "002", "doc_id": "018", "score": -1},
]


LISTED = [{"query_id": "001", "doc_ids": ["018", "023"]}, {"query_id": "002", "doc_ids": ["018"]}]
NUMBERED = [{**one, "scores": scores} for one, scores in zip(LISTED, ([0.1, 0.9], [-1]), strict=True)]
HELD = {"001": {"018": 0.1, "023": 0.9}, "002": {"018": -1.0}}


@pytest.mark.parametrize(
    "held",
    [
        NUMBERED,
        {"config": {"k": 2}, "evaluation": [{"MicroF1": 0.5}], "results": RECORDS},
        {"evaluation": {"MicroF1": 0.5}, "results": NUMBERED, "notes": ["a"]},
        {"mteb_model_meta": {"model_name": "m"}, "default": {"test": HELD}},
        {"default": {"test": HELD}},
    ],
)
def test_a_run_in_the_shapes_of_other_programs_is_read(source, held):
    texts = [json.dumps(held), json.dumps(held, indent=1), *([one_a_line(held)] if isinstance(held, list) else [])]
    for text in texts:
        assert ranked(detect.read_run(source(text))) == SCORED
    without = json.loads(texts[0].replace(', "scores": [0.1, 0.9]', "").replace(', "scores": [-1]', ""))
    if "doc_ids" in texts[0]:
        assert [one for one, _ in ranked(detect.read_run(source(json.dumps(without))))["001"]] == ["018", "023"]


@pytest.mark.parametrize(
    ("held", "said"),
    [
        (
            {"mteb_model_meta": {}, "en": {"test": HELD}, "de": {"test": HELD}},
            "[ambiguous] (found '.en.test, .de.test')",
        ),
        ([*LISTED, {"query_id": "003", "doc_id": "018"}], "record 3: [mixed-forms] (found 'query_id, doc_id')"),
        ([*LISTED, LISTED[0]], "record 3: [duplicate] (found '001')"),
        ({"R05-01-A": ["Article 398-20"]}, "line 1: [bad-id] (found 'Article 398-20'); … 398-20 …"),
        ([{"question_id": "q", "relevant_articles": []}], "record 1: [missing-column] … --protocol alqac…"),
        ([{"id": "q", "response": "Yes, it does."}], "record 1: [missing-column] … --from text…"),
        ({"0": {"qid": "001", "docno": "018", "score": 1.5}}, "line 1: query 0: [structure] … to_json(…"),
        ({"columns": ["qid", "docno"], "index": [0], "data": [["001", "018"]]}, "[structure] … to_json(…"),
        ({"001": [{"key": "018", "value": 1}]}, "line 1: query 001: [missing-column] (found 'key, value')"),
        ({"R07-01-O": {"judgment": "Y"}}, "line 1: query R07-01-O: [missing-column] … --columns answer=NAME, …"),
    ],
)
def test_a_shape_that_is_not_read_is_refused_with_what_helps(source, held, said):
    assert mentions(heard(refused(detect.read_run, source(json.dumps(held)))), said)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('[{"qid": 1, "docno": "a", "rank": 2}, {"qid": 1, "docno": "b", "rank": 1}]', {"1": [("a", -2), ("b", -1)]}),
        ('{"1": {"a": {"rank": 2}, "b": {"rank": 1}}}', {"1": [("a", -2), ("b", -1)]}),
        (
            '{"1": [{"docid": "a", "rank": 2}, {"docid": "b", "rank": 1}], "2": []}',
            {"1": [("a", -2), ("b", -1)], "2": []},
        ),
        ('{"1": [], "2": [["a", 1]], "3": {}}', {"2": [("a", 1.0)], "1": [], "3": []}),
    ],
)
def test_ranks_decide_without_scores(source, text, expected):
    tagged = source(one_a_line({**record, "run_id": tag} for record, tag in zip(RECORDS, "AAB", strict=True)))
    (block,) = detect.read_run(tagged).blocks()
    assert (detect.read_run(tagged).tag, block.remarks.examples("tag")) == ("A", ("line 3: B",))
    for run in (detect.read_run(source(text)), frames.run_of(json.loads(text))):
        assert ranked(run) == expected
        assert run.scored == ("3" in expected)


@pytest.mark.parametrize(
    ("answer", "name", "columns"),
    [
        ("answer", "documents", False),
        ("prediction", "doc_ids", False),
        ("answer", "articles", True),
        ("label", "docs", True),
    ],
)
def test_answers_and_documents_of_one_file_are_both_read_where_neither_may_be_the_golds(source, answer, name, columns):
    held = {"R05-01-A": ["398-20", "537"], "R05-02-A": [], "R05-03-A": ["709"]}
    items = {query: {answer: "Y" if documents else "N", name: documents} for query, documents in held.items()}
    records = [{"id": query, **item, "tag": "T"} for query, item in items.items()]
    table = f"id,{answer},tag,{name}\nR05-01-A,Y,T,398-20;537\nR05-02-A,N,T,\nR05-03-A,Y,T,709\n"
    own = [{**record, name: " ".join(held[str(record["id"])])} for record in records]
    for text in (one_a_line(records), json.dumps(records), json.dumps(items), table, one_a_line(own)):
        run = detect.read_run(source(text))
        remarks = run.remarks if isinstance(run, Answers) else next(run.blocks()).remarks
        if columns:
            [example] = remarks.examples("other-part")
            assert example.replace("'", "") == f"--columns answer={answer},document={name}"
            run = detect.read_run(Source(source(text).path, columns={"answer": answer, "document": name}))
        assert {query: [one for one, _ in documents] for query, documents in ranked(run).items()} == held
        answers = run.other_parts["answers"]
        assert answers.labels == {query: bool(documents) for query, documents in held.items()}
        assert run.tag == answers.tag
    labels = table.replace(f",{answer},", ",label,").replace(f",{name}", ",articles")
    assert not detect.read_gold(source(labels)).remarks
    documents = detect.read_run(source("id,doc_id,score,articles\nq1,537,0.5,a\n"))
    assert not next(documents.blocks()).remarks.examples("other-part")


def test_an_answer_that_each_document_of_its_query_repeats_is_one(source):
    text = "id,answer,article\nq1,Y,537\nq1,Y,709\nq2,N,415\n"
    assert "--columns document='article',answer='answer'" in told(detect.read_run, source(text))
    columns = {"answer": "answer", "document": "article"}
    run = detect.read_run(Source(source(text).path, columns=columns))
    assert list(ranked(run)) == ["q1", "q2"]
    answers = run.other_parts["answers"]
    assert (answers.labels, list(answers.remarks)) == ({"q1": True, "q2": False}, [])
    contradicting = Source(source(text.replace("Y,709", "N,709")).path, columns=columns)
    assert refused(detect.read_run, contradicting).kind == "conflicting"


def test_one_record_alone_is_a_record_and_not_three_queries(source):
    record = '{"query_id": "5156.txt", "case_id": 32518, "relevance": 3}\n'
    assert detect.read_gold(source(record)).qrels == {"5156": {"32518": 3}}
    assert read_gold(source(record), exact_id).qrels == {"5156.txt": {"32518": 3}}
    assert detect.read_gold(source('{"id": "R01-1-A", "label": "Y"}')).labels == {"R01-1-A": True}
    assert frames.gold_of({"5156": {"case_id": 32518, "relevance": 3}}).qrels == {"5156": {"32518": 3}}


#: records of a query each, and what they are as a run and as a gold
SHAPES = {
    "doc_ids and numbers": (
        [{"qid": q, "docids": ["018", "023"], "scores": [1, 2], "relevances": [0, 2]} for q in ("001", "002")],
        [("018", 1.0), ("023", 2.0)], {"018": 0, "023": 2},
    ),
    "doc_ids and ranks": (
        [{"id": q, "documents": ["018", "023"], "rank": [2, 1]} for q in ("001", "002")],
        [("018", -2.0), ("023", -1.0)], {"018": 1, "023": 1},
    ),
    "a list of objects": (
        [
            {"query": q, "hits": [{"doc": "018", "score": 1, "rel": 0}, {"doc": "023", "score": 2, "rel": 1}]}
            for q in ("001", "002")
        ],
        [("018", 1.0), ("023", 2.0)], {"018": 0, "023": 1},
    ),
    "a document and its numbers": (
        [{"query_id": q, "doc_id": "018", "score": 3, "relevance": 2} for q in ("001", "002")],
        [("018", 3.0)], {"018": 2},
    ),
    "an answer": ([{"id": q, "answer": "Y"} for q in ("001", "002")], True, True),
    "a label": ([{"pair_id": q, "label": 1, "text": ["a"]} for q in ("001", "002")], True, True),
}  # fmt: skip


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("n", [1, 2])
def test_one_record_is_read_as_two_are(source, name, n):
    records, of_run, of_gold = SHAPES[name][0][:n], *SHAPES[name][1:]
    queries = ["001", "002"][:n]
    texts = [one_a_line(records), json.dumps(records), json.dumps(records, indent=1)]
    texts += [json.dumps(records[0]), json.dumps(records[0], indent=2)] if n == 1 else []
    held = [records, tuple(records), *(records if n == 1 else [])]
    golds = [*map(detect.read_gold, map(source, texts)), *(frames.gold_of(one, normal_id) for one in held)]
    runs = itertools.chain(
        (detect.read_run(source(text)) for text in texts), (frames.run_of(one, normal_id) for one in held)
    )
    for run in runs:
        if isinstance(run, Answers):
            assert run.labels == dict.fromkeys(queries, of_run)
        else:
            assert ranked(run) == dict.fromkeys(queries, of_run)
    for gold in golds:
        assert (gold.labels if of_gold is True else gold.qrels) == dict.fromkeys(queries, of_gold)


@pytest.mark.parametrize(
    "held",
    [
        {"id": ["018"], "query": ["023"]},
        {"query": {"018": 2, "023": 1}},
        {"topic": ["018", "023"]},
        {"id": [["018", 2], ["023", 1]], "001": [["018", 1]]},
    ],
)
def test_queries_may_be_called_like_roles(source, held):
    for run in (detect.read_run(source(json.dumps(held))), frames.run_of(held, normal_id)):
        assert set(ranked(run)) == set(held)
    assert set(detect.read_gold(source(json.dumps(held))).queries) == set(held)


@pytest.mark.parametrize(
    ("held", "kind"),
    [
        ({"query": "018"}, "missing-column"),
        ({"query_id": "001", "found": ["018"]}, "missing-column"),
        ({"query_id": ["001"], "doc_id": ["018"]}, "structure"),
        ({"query_id": {"0": "001"}, "doc_id": {"0": "018"}}, "structure"),
        ({"query_id": "001", "doc_ids": ["018", "023"], "scores": [1]}, "shape"),
        ({"query_id": "001", "doc_ids": ["018", "023"], "relevance": [1, 0, 1], "score": [1]}, "shape"),
    ],
)
def test_what_can_be_a_record_or_queries_is_refused(source, held, kind):
    for read, of in ((detect.read_run, frames.run_of), (detect.read_gold, frames.gold_of)):
        if kind != "shape" or read is detect.read_run or "relevance" in held:
            assert refused(read, source(json.dumps(held))).kind == kind
            assert refused(of, held).kind == kind


def test_a_label_beside_a_nested_answer_is_the_golds_or_asked_about(source):
    held = source(json.dumps([{"id": "q", "label": "Y", "output": {"label": "N"}}]))
    assert refused(detect.read_run, held).kind == "ambiguous"
    assert detect.read_gold(held).labels == {"q": True}


@pytest.mark.parametrize("named", ["", "--from text"])
def test_a_command_takes_paths_in_records_of_every_shape(named, tmp_path, call):
    out = {
        f"R01-0{at}-A": {"why": {"said": "?"}, "output": {"said": word}} for at, word in ((1, "Y"), (2, "N"), (3, "Y"))
    }
    records = [{"id": query, **one} for query, one in out.items()]
    for shape in (out, records, {"results": records}, {"run": {"n": 3, "results": records}}, one_a_line(records)):
        path = tmp_path / "llm.json"
        path.write_text(shape if isinstance(shape, str) else json.dumps(shape, indent=2))
        options = [*named.split(), "--to", "labels", "--tag", "A"]
        written, _ = done(call, "convert", path, "-", *options, "--columns", "answer=output.said")
        assert written == "R01-01-A Y A\nR01-02-A N A\nR01-03-A Y A\n"
        code, _, error = call("convert", path, "-", *options, "--columns", "answer=said")
        assert (code, "output.said" in error, "R01" in error) == (2, True, False)


def test_a_list_of_relevances_may_be_named_as_it_is_called(source):
    held = {"query_id": "1", "doc_ids": ["a", "b"], "relevance": [0, 2], "grades": [1, 1]}
    assert refused(detect.read_gold, source(json.dumps(held))).kind == "ambiguous"
    for name, levels in (("relevance", {"a": 0, "b": 2}), ("grades", {"a": 1, "b": 1})):
        file = source(json.dumps(held))
        file.columns = {"relevance": name}
        assert read_gold(file).qrels == {"1": levels}


@pytest.mark.parametrize(
    ("names", "held"),
    [
        ("q match w", [{"q": "1", "match": "a", "w": 1}, {"q": "1", "match": "b", "w": 2}]),
        ("frage treffer wert", {"frage": "1", "treffer": ["a", "b"], "wert": [1, 2]}),
        ("q.id out.articles out.values", {"q": {"id": "1"}, "out": {"articles": ["a", "b"], "values": [1, 2]}}),
        ("q.id out.article out.value",
         [{"q": {"id": "1"}, "out": {"article": d, "value": n}} for d, n in (("a", 1), ("b", 2))]),
        ("qid ctxs.key ctxs.sim_to", {"qid": "1", "ctxs": [{"key": "a", "sim_to": 1}, {"key": "b", "sim_to": 2}]}),
        ("query.qid candidates.docid candidates.score",
         {"query": {"qid": "1"}, "candidates": [{"docid": "a", "score": 1}, {"docid": "b", "score": 2}]}),
        ("q.id hits.hits._id hits.hits._score",
         {"q": {"id": "1"}, "hits": {"hits": [{"_id": "a", "_score": 1}, {"_id": "b", "_score": 2}]}}),
        ("id results.doc.id results.score",
         {"id": "1", "results": [{"doc": {"id": "a"}, "score": 1}, {"doc": {"id": "b"}, "score": 2}]}),
    ],
)  # fmt: skip
def test_a_user_names_the_keys_also_by_their_paths(source, names, held):
    columns = dict(zip(("query", "document", "score"), names.split(), strict=True))
    records = held if isinstance(held, list) else [held]
    under = {"model": "m", "problems": records}
    for text in (one_a_line(records), *map(json.dumps, (records, held, under, {"run": under}))):
        if "." in names:
            refused(read_whole, source(text))
        file = source(text)
        file.columns = columns
        for run in (read_run(file), frames.run_of(json.loads(json.dumps(held)), columns=columns)):
            assert ranked(run) == {"1": [("a", 1.0), ("b", 2.0)]}


def test_a_path_that_ends_in_nothing_holds_nothing(source):
    records = [{"id": "q1", "out": {"said": "Y"}}, {"id": "q2", "out": None}, {"id": "q3", "out": {"said": None}}]
    file = source(one_a_line(records))
    file.columns = {"answer": "out.said"}
    answers = read_run(file)
    assert (answers.labels, answers.unreadable) == ({"q1": True}, ("q2", "q3"))
    assert frames.run_of(records, columns=file.columns).labels == {"q1": True}
    assert frames.gold_of(records[:1], columns={"label": "out.said"}).labels == {"q1": True}
    file = source(one_a_line([*records, {"id": "q4", "out": {"other": "Y"}}]))
    file.columns = {"answer": "out.said"}
    assert (refused(read_run, file).kind, refused(read_run, file).line) == ("missing-column", 4)


@pytest.mark.parametrize("text", ['{"runs": [%s, %s]}', "%s\n%s", "[%s, %s]", "%s"])
def test_keys_within_others_are_listed_as_paths(source, text):
    record = json.dumps({"id": "q", "article": {"num": "5"}, "out": {"verdict": "Y"}})
    error = refused(read_run, source(text.replace("%s", record)))
    assert (error.kind, error.found) == ("missing-column", "id, article.num, out.verdict")
    assert "--protocol" in str(error.remedy)


def test_an_answer_that_is_no_label_is_kept_apart(source):
    words = ["Y", "Sorry", "", "I", None]
    records = [{"id": f"q{n}", "prediction": word} for n, word in enumerate(words)]
    for text, unreadable, examples in (
        (one_a_line(records), ("q1", "q2", "q3", "q4"), ("line 2: Sorry", "line 3: q2 has no answer", "line 4: I")),
        ('{"q9": "N", "q0": "Y", "q1": "Sorry"}', ("q1",), ("query q1: Sorry",)),
    ):
        answers = detect.read_run(source(text))
        assert (answers.unreadable, set(answers.labels) & set(unreadable)) == (unreadable, set())
        assert answers.remarks.count("unreadable-answer") == len(unreadable)
        assert examples == answers.remarks.examples("unreadable-answer")
    for label, found in (("Sorry", "Sorry"), (1, "1")):  # nor are labels of two spellings
        text = one_a_line([{"id": "q0", "label": "Y"}, {"id": "q1", "label": label}])
        error = refused(detect.read_gold, source(text))
        assert (error.line, error.found) == (2, found)
    for read in (detect.read_gold, detect.read_run):
        error = refused(read, source('[{"id": "a", "label": "Y"}, {"id": "a.txt", "label": "N"}]'))
        assert ("record 1" in clause(error), error.found) == (True, "a N")


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ('[{"question_id": "DS-1", "text": "x", "relevant_articles": [{"law_id": "a", "article_id": "1"}]}]',
         "question_id, text, relevant_articles"),
        ('{"question_id": "DS-1", "relevant_articles": []}\n{"question_id": "DS-2", "relevant_articles": []}',
         "question_id, relevant_articles"),
        ('[{"query_id": 1542, "问题": "x", "match_id": [11543, 16411]}]', "query_id, 问题, match_id"),
        ('{"Query Set": [{"id": "1", "relevant candidates": ["2"]}], "Candidate Set": [{"id": "2"}]}',
         "relevant candidates"),
        ('{"problems_results": [{"problem": 3, "ok": true}]}', "problem, ok"),
    ],
)  # fmt: skip
def test_keys_that_are_not_understood_are_named(source, text, keys):
    for read in (detect.read_gold, detect.read_run):
        error = refused(read, source(text))
        assert "unrecognised keys" in clause(error)
        assert error.found is not None
        assert keys in error.found
        assert "known names are query_id, qid, query; doc_id, docno, document; " in heard(error.remedy)


@pytest.mark.parametrize(
    ("text", "line", "found"),
    [
        *((one_a_line([*RECORDS, record]), 4, found) for record, found in (
            ({"query_id": "3", "doc_id": "a", "score": "half"}, "half"),
            ({"query_id": "3", "doc_id": "a", "score": None}, "None"),
            ({"query_id": "3", "doc_id": "a", "score": 10**400}, f"1{'0' * 400}"),
            ({"query_id": "3", "doc_id": "", "score": 1}, ""),
            ({"query_id": None, "doc_id": "a", "score": 1}, "None"),
            ({"query_id": "3", "doc_id": ["a"], "score": 1}, "['a']"),
            ({"query_id": "3", "doc_id": "a"}, "query_id, doc_id"),
            ({"query_id": "3", "doc_id": "a", "rank": 1}, "query_id, doc_id, rank"),
            (["3", "a", 1], '["3", "a", 1]'),
        )),
        (one_a_line(RECORDS) + '{"query_id": "3"', 4, None),
        ('{"1": ["a"]}\n{"2": ["a"]}\n\n{"1": ["b"]}', 4, "1"),
        ('[{"query_id": "3", "doc_id": "a", "rank": "first"}]', None, "first"),
        ('{"3": [["a", 1]], "4": ["a"]}', 1, '["a"]'),
        ('{"3": [["a", 1, 2]]}', 1, "['a', 1, 2]"),
        (one_a_line([{"error": "timeout"}, *RECORDS]), 1, "error"),
        *((json.dumps({"3": text}), 1, text) for text in ("a > b", "[a] > [b]", "['a', 'b']", '"a" "b"')),
    ],
)  # fmt: skip
def test_a_run_that_is_not_understood_is_refused(source, text, line, found):
    error = refused(read_whole, source(text))
    assert (error.line, error.found) == (line, found)


def test_values_one_after_another_are_not_called_cut_short(source):
    error = refused(detect.read_run, source('{\n"a": ["b"]\n}\n{\n"c": ["d"]\n}\n'))
    assert error.line == 4
    assert "JSON Lines" in str(error.remedy)
    for relevance in ("x", 1.5, None, 10_000):
        text = one_a_line([{"query_id": "1", "doc_id": "a", "relevance": relevance}] * 2)
        assert refused(detect.read_gold, source(text)).line == 1


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        *(("025.txt, 027.txt", "blank"), ("025 027", "blank"), ("025,027", "comma"), ("025；027", "[bad-id]")),
        *(("025\n027", "line end"), ("025\t027", "blank"), ("\ufeff025", "byte order mark"), (".txt", "empty")),
    ],
)
def test_an_id_that_is_no_word_is_refused_in_every_shape(source, wrong, problem):
    good = {"qid": "001", "docid": "018", "score": 2}
    for shape, reads in (
        ([good, {**good, "docid": wrong}], [read_run]),
        ([good, {**good, "qid": wrong}], [read_run]),
        ({"001": [["018", 2], [wrong, 1]]}, [read_run, read_gold]),
        ({"001": {"018": {"rank": 1}, wrong: {"rank": 2}}}, [read_run]),
        ({wrong: ["001"]}, [read_run, read_gold]),
        ({"q": ["001"], "p": [wrong]}, [read_run, read_gold]),
        ({"q": {wrong: 1}}, [read_run, read_gold]),
    ):
        for read in reads:
            error = refused(read, source(json.dumps(shape)))
            assert problem in clause(error)
            assert error.found == wrong.removesuffix(".txt")
    run = read_run(source('{"q,1": {"http://a/b,c": 1}}'), exact_id)  # TREC's ids may have commas
    assert ranked(run) == {"q,1": [("http://a/b,c", 1)]}


@pytest.mark.parametrize("text", ['["001", "002"]', '{"001": [], "002": ""}', '{"001": null}\n{"002": {}}'])
def test_only_a_test_set_is_called_one(source, text):
    assert "[missing-label]" in clause(refused(detect.read_gold, source(text)))


def test_a_gold_that_is_one_long_line_is_read(source):
    gold = detect.read_gold(source(json.dumps([{"qid": f"q{n}", "docid": "d" * 50, "rel": 1} for n in range(5000)])))
    assert isinstance(gold, Gold)
    assert len(gold.queries) == 5000
