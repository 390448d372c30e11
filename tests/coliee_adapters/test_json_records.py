from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

import pytest
from asserting import clause, heard, refusing
from hypothesis import given
from hypothesis import strategies as st

from coliee_adapters.errors import InputError
from coliee_adapters.files.source import Source
from coliee_adapters.forms import detect, frames
from coliee_adapters.records import Answers, Gold, Run, exact_id, wrong_id

Opened = Callable[..., Source]


def one_a_line(objects: Iterable[object]) -> str:
    return "".join(json.dumps(each) + "\n" for each in objects)


def fault(read: Callable[[Source], object], source: Source) -> InputError:
    with pytest.raises(InputError) as caught:
        read(source)
    return caught.value


def ranked(run: Run | Answers) -> dict[str, list[tuple[str, float | None]]]:
    """Query → its documents with their scores."""
    assert isinstance(run, Run)
    found: dict[str, list[tuple[str, float | None]]] = {}
    for block in run.blocks():
        scores = [None] * len(block.documents) if block.scores is None else list(block.scores)
        for query, first, last in block.segments():
            pairs = zip(block.documents[first:last], scores[first:last], strict=True)
            found.setdefault(query, []).extend(pairs)
    return found


# documents

SCORED: dict[str, list[tuple[str, float | None]]] = {"001": [("018", 0.1), ("023", 0.9)], "002": [("018", -1.0)]}
RECORDS = [
    {"query_id": "001", "doc_id": "018.txt", "score": 0.1},
    {"query_id": "001.txt", "doc_id": "023", "score": 0.9},
    {"query_id": "002", "doc_id": "018", "score": -1},
]
RUNS = {
    "lines": one_a_line(RECORDS),
    "lines with blank ones and CRLF": "\r\n" + one_a_line(RECORDS).replace("\n", "\r\n\r\n"),
    "a list": json.dumps(RECORDS),
    "an indented list": "\ufeff" + json.dumps(RECORDS, indent=2),
    "other names": json.dumps(
        [{"n": 1, "qid": r["query_id"], "docno": r["doc_id"], "sim": r["score"]} for r in RECORDS]
    ),
    "keys in another order": one_a_line([RECORDS[0], dict(reversed(RECORDS[1].items())), RECORDS[2]]),
    "score and rank": json.dumps([{**r, "rank": n} for n, r in enumerate(RECORDS)]),
    "pairs": '{"001": [["018", 0.1], ["023.txt", 0.9]], "002": [["018", -1]]}',
    "hits": '{"001": [{"docid": "018", "score": 0.1}, {"docid": "023", "score": 0.9}],'
    ' "002": [{"docid": "018", "score": -1}]}',
    "ranks and scores by document": '{"001": {"018": {"rank": 2, "score": 0.1}, "023": {"rank": 1, "score": 0.9}},'
    ' "002": {"018": {"rank": 1, "score": -1}}}',
    "pairs of a query on each line": '{"001": [["018", 0.1], ["023", 0.9]]}\n{"002": [["018", -1]]}\n',
    "scores of a query on each line": '{"001": {"018": 0.1, "023": 0.9}}\n{"002": {"018": -1}}\n',
}


@pytest.mark.parametrize("name", RUNS)
def test_a_run_with_scores_is_read(source: Opened, name: str) -> None:
    run = detect.read_run(source(RUNS[name], "my.jsonl"))
    assert isinstance(run, Run)
    assert ranked(run) == ranked(run) == SCORED
    assert (run.scored, run.tag, run.path, run.format) == (True, "my", "my.jsonl", "json")


@pytest.mark.parametrize(
    "text",
    [
        '[{"qid": 1, "docno": "a", "rank": 2}, {"qid": 1, "docno": "b", "rank": 1}]',
        '{"1": {"a": {"rank": 2}, "b": {"rank": 1}}}',
        '{"1": [{"docid": "a", "rank": 2}, {"docid": "b", "rank": 1}], "2": []}',
    ],
)
def test_ranks_decide_where_there_are_no_scores(source: Opened, text: str) -> None:
    run = detect.read_run(source(text))
    assert ranked(run)["1"] == [("a", -2.0), ("b", -1.0)]
    assert isinstance(run, Run)
    assert not run.scored


def test_ranks_beside_scores_are_compared_with_them(source: Opened) -> None:
    run = detect.read_run(source(RUNS["score and rank"]))
    assert isinstance(run, Run)
    assert [block.ranks for block in run.blocks()] == [["0", "1", "2"]]


@pytest.mark.parametrize(
    "text",
    [
        '{"001": ["018", "023"]}\n{"002": []}\n',
        '[{"query": "001", "document": "018"}, {"query": "001", "document": "023"}]',
        '{"base_case": "001", "candidate_case": "018"}\n{"base_case": "001", "candidate_case": "023"}\n',
    ],
)
def test_a_set_of_documents_is_read(source: Opened, text: str) -> None:
    run = detect.read_run(source(text))
    assert ranked(run)["001"] == [("018", None), ("023", None)]
    gold = detect.read_gold(source(text))
    assert gold.qrels is not None
    assert gold.qrels["001"] == {"018": 1, "023": 1}


def test_a_query_without_documents_is_in_the_run(source: Opened) -> None:
    run = detect.read_run(source('{"1": [], "2": [["a", 1]], "3": {}}'))
    assert ranked(run) == {"2": [("a", 1.0)], "1": [], "3": []}


def test_records_of_a_query_need_not_follow_each_other(source: Opened) -> None:
    records = [RECORDS[0], RECORDS[2], RECORDS[1]]
    assert ranked(detect.read_run(source(one_a_line(records)))) == SCORED


def test_the_run_tag_is_that_of_the_first_record(source: Opened) -> None:
    records = [{**record, "run_id": tag} for record, tag in zip(RECORDS, "AAB", strict=True)]
    run = detect.read_run(source(one_a_line(records)))
    assert isinstance(run, Run)
    assert run.tag == "A"
    (block,) = run.blocks()
    assert block.remarks is not None
    assert block.remarks.examples("tag") == ("line 3: B",)


JUDGED = {"001": {"018": 3, "023": 0}, "002": {"018": 1}}


@pytest.mark.parametrize(
    "text",
    [
        '{"query_id": "001", "doc_id": "018", "relevance": 3}\n{"query_id": "001", "doc_id": "023", "relevance": 0}\n'
        '{"query_id": "002", "doc_id": "018", "relevance": 1}',
        '{"query_id": "001", "case_id": "018", "relevance": 3}\n{"query_id": "001", "case_id": "023", "relevance": 0}\n'
        '{"query_id": "002", "case_id": "018", "relevance": 1}',
        '{"001": [["018", 3], ["023", 0]], "002": [["018", 1]]}',
        '{"001": {"018": {"relevance": 3}, "023": {"relevance": 0}}, "002": {"018": {"relevance": 1}}}',
        '{"001": {"018": 3, "023": 0}}\n{"002": ["018"]}',
    ],
)
def test_a_gold_with_relevances_is_read(source: Opened, text: str) -> None:
    gold = detect.read_gold(source(text))
    assert (gold.qrels, gold.labels, gold.format) == (JUDGED, None, "json")


def test_one_record_alone_is_a_record_and_not_three_queries(source: Opened) -> None:
    gold = detect.read_gold(source('{"query_id": "5156", "case_id": "32518", "relevance": 3}\n'))
    assert gold.qrels == {"5156": {"32518": 3}}
    assert detect.read_gold(source('{"id": "R01-1-A", "label": "Y"}')).labels == {"R01-1-A": True}


def test_a_document_judged_twice_counts_once_and_is_remarked(source: Opened) -> None:
    record = {"query_id": "1", "doc_id": "a", "relevance": 1}
    gold = detect.read_gold(source(one_a_line([record, record])))
    assert gold.qrels == {"1": {"a": 1}}
    assert gold.remarks.examples("gold-duplicate") == ("line 2: 1 a",)
    error = fault(detect.read_gold, source(one_a_line([record, {**record, "relevance": 0}])))
    assert (error.line, error.found) == (2, "1 a")


def test_ids_of_records_follow_the_rule(source: Opened) -> None:
    gold = detect.read_gold(
        source('{"query_id": "1.txt", "doc_id": "a.txt"}\n{"query_id": "2", "doc_id": 7}'), rule=exact_id
    )
    assert gold.qrels == {"1.txt": {"a.txt": 1}, "2": {"7": 1}}


def test_a_user_can_name_the_keys(source: Opened) -> None:
    file = source('[{"q": "1", "match": "a", "w": 2}]')
    file.columns = {"query": "q", "document": "match", "score": "w"}
    run = detect.read_run(file)
    assert ranked(run) == {"1": [("a", 2.0)]}


# answers and labels

LABELS = {"R01-1-A": True, "R01-2-A": False, "R01-3-A": False}


def labelled(yes: object, no: object, key: str = "label", **further: object) -> list[dict[str, object]]:
    return [{"id": query, key: yes if label else no, **further} for query, label in LABELS.items()]


LABELLED = {
    "records": one_a_line(labelled("Y", "N")),
    "a list with further keys": json.dumps(labelled("Y", "N", expert=3, notes=["a"])),
    "predictions": json.dumps([{"pair_id": r["id"], "prediction": r["label"]} for r in labelled("Y", "N")]),
    "true and false": one_a_line(labelled(True, False)),
    "1 and 0": one_a_line(labelled(1, 0)),
    "'1' and '0'": one_a_line(labelled("1", "0")),
    "words": one_a_line(labelled("Yes", "no")),
    "an object": json.dumps({query: "Y" if label else "N" for query, label in LABELS.items()}),
    "an object of true and false": json.dumps(LABELS),
    "an object of 1 and 0": json.dumps({query: int(label) for query, label in LABELS.items()}),
    "an object of '1' and '0'": json.dumps({query: str(int(label)) for query, label in LABELS.items()}),
    "an object a line": one_a_line({query: label} for query, label in LABELS.items()),
}


@pytest.mark.parametrize("name", LABELLED)
def test_labels_are_answers_or_a_gold_and_never_documents(source: Opened, name: str) -> None:
    answers = detect.read_run(source(LABELLED[name], "us.json"))
    assert isinstance(answers, Answers)
    assert (answers.labels, answers.unreadable) == (LABELS, ())
    assert (answers.tag, answers.path, answers.format) == ("us", "us.json", "json")
    if name != "predictions":
        gold = detect.read_gold(source(LABELLED[name]))
        assert (gold.labels, gold.qrels, gold.format) == (LABELS, None, "json")
    words = ("1 and 0", "'1' and '0'", "words", "an object of 1 and 0", "an object of '1' and '0'")
    assert answers.remarks.count("label-form") == (3 if name in words else 0)


def test_beside_an_id_the_query_is_a_text(source: Opened) -> None:
    records = [{"query": "May the seller …?", **record} for record in labelled("Y", "N")]
    assert detect.read_gold(source(json.dumps(records))).labels == LABELS


def test_a_prediction_is_the_answer_and_the_label_the_gold(source: Opened) -> None:
    text = json.dumps([{"pair_id": "1", "prediction": "Y", "label": "N"}])
    answers = detect.read_run(source(text))
    assert isinstance(answers, Answers)
    assert (answers.labels, detect.read_gold(source(text)).labels) == ({"1": True}, {"1": False})


def test_an_answer_that_is_no_label_is_kept_apart(source: Opened) -> None:
    words = ["Y", "Sorry", "", "I", None]
    records = [{"id": f"q{n}", "prediction": word} for n, word in enumerate(words)]
    for text in (
        one_a_line(records),
        json.dumps({"q9": "N", **{f"q{n}": word for n, word in enumerate(["Y", "Sorry"])}}),
    ):
        answers = detect.read_run(source(text))
        assert isinstance(answers, Answers)
        assert "q1" in answers.unreadable
        assert "q1" not in answers.labels
        assert answers.remarks.count("unreadable-answer") == len(answers.unreadable)
    answers = detect.read_run(source(one_a_line(records)))
    assert isinstance(answers, Answers)
    assert answers.unreadable == ("q1", "q2", "q3", "q4")
    assert answers.remarks.examples("unreadable-answer") == ("line 2: Sorry", "line 3: q2", "line 4: I")
    error = fault(detect.read_gold, source(one_a_line([{"id": "q0", "label": "Y"}, {"id": "q1", "label": "Sorry"}])))
    assert (error.line, error.found) == (2, "Sorry")


@pytest.mark.parametrize("read", [detect.read_gold, detect.read_run])
def test_numbers_and_letters_are_not_mixed(source: Opened, read: Callable[[Source], object]) -> None:
    error = fault(read, source('{"id": "a", "label": 1}\n{"id": "b", "label": "N"}'))
    assert (error.line, error.found) == (2, "N")


@pytest.mark.parametrize("read", [detect.read_gold, detect.read_run])
def test_a_question_is_answered_once(source: Opened, read: Callable[[Source], object]) -> None:
    error = fault(read, source('[{"id": "a", "label": "Y"}, {"id": "a.txt", "label": "N"}]'))
    assert "record 1" in clause(error)
    assert error.found == "a N"


def test_documents_as_text_stay_documents(source: Opened) -> None:
    gold = detect.read_gold(source('{"827": "025.txt, 027.txt", "828": "1"}'))
    assert gold.qrels == {"827": {"025": 1, "027": 1}, "828": {"1": 1}}


# what is refused


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
def test_keys_that_are_not_understood_are_named(source: Opened, text: str, keys: str) -> None:
    for read in (detect.read_gold, detect.read_run):
        error = fault(read, source(text))
        assert "unrecognised keys" in clause(error)
        assert error.found is not None
        assert keys in error.found
        assert "known names are query_id, qid, query; doc_id, docno, document; " in heard(error.remedy)


@pytest.mark.parametrize("text", ['["001", "002"]', '{"001": [], "002": ""}', '{"001": null}\n{"002": {}}'])
def test_only_a_test_set_is_called_one(source: Opened, text: str) -> None:
    assert "[missing-label]" in clause(fault(detect.read_gold, source(text)))


@pytest.mark.parametrize(
    ("text", "line", "found"),
    [
        (one_a_line([*RECORDS, {"query_id": "3", "doc_id": "a", "score": "half"}]), 4, "half"),
        (one_a_line([*RECORDS, {"query_id": "3", "doc_id": "a", "score": None}]), 4, "None"),
        (one_a_line([*RECORDS, {"query_id": "3", "doc_id": "a", "score": 10**400}]), 4, f"1{'0' * 400}"),
        (one_a_line([*RECORDS, {"query_id": "3", "doc_id": "", "score": 1}]), 4, ""),
        (one_a_line([*RECORDS, {"query_id": None, "doc_id": "a", "score": 1}]), 4, "None"),
        (one_a_line([*RECORDS, {"query_id": "3", "doc_id": ["a"], "score": 1}]), 4, "['a']"),
        (one_a_line([*RECORDS, {"query_id": "3", "doc_id": "a"}]), 4, "query_id, doc_id"),
        (one_a_line([*RECORDS, {"query_id": "3", "doc_id": "a", "rank": 1}]), 4, "query_id, doc_id, rank"),
        (one_a_line([*RECORDS, ["3", "a", 1]]), 4, '["3", "a", 1]'),
        (one_a_line(RECORDS) + '{"query_id": "3"', 4, None),
        ('{"1": ["a"]}\n{"2": ["a"]}\n\n{"1": ["b"]}', 4, "1"),
        ('[{"query_id": "3", "doc_id": "a", "rank": "first"}]', None, "first"),
        ('{"3": [["a", 1]], "4": ["a"]}', None, '["a"]'),
        ('{"3": [["a", 1, 2]]}', None, "['a', 1, 2]"),
    ],
)  # fmt: skip
def test_a_run_that_is_not_understood_is_refused(source: Opened, text: str, line: int | None, found: str) -> None:
    error = fault(detect.read_run, source(text))
    assert (error.line, error.found) == (line, found)


@pytest.mark.parametrize("relevance", ["x", 1.5, None, 10_000])
def test_a_relevance_in_a_record_is_an_integer(source: Opened, relevance: object) -> None:
    text = one_a_line([{"query_id": "1", "doc_id": "a", "relevance": relevance}] * 2)
    assert fault(detect.read_gold, source(text)).line == 1


def test_values_one_after_another_are_not_called_cut_short(source: Opened) -> None:
    error = fault(detect.read_run, source('{\n"a": ["b"]\n}\n{\n"c": ["d"]\n}\n'))
    assert error.line == 4
    assert "JSON Lines" in str(error.remedy)


# the same from dictionaries

NESTED: list[Any] = [
    {"001": [("018", 0.1), ("023", 0.9)], "002": [("018", -1)]},
    {"001": [["018", 0.1], ["023", 0.9]], "002": [["018", -1]]},
    {"001": [{"docid": "018", "score": 0.1}, {"docid": "023", "score": 0.9}], "002": [{"docid": "018", "score": -1}]},
    {
        "001": {"018": {"rank": 2, "score": 0.1}, "023": {"rank": 1, "score": 0.9}},
        "002": {"018": {"score": -1, "rank": 1}},
    },
]


@pytest.mark.parametrize("held", NESTED)
def test_dictionaries_are_read_as_the_files_are(source: Opened, held: Any) -> None:
    assert ranked(frames.run_of(held)) == SCORED
    assert ranked(detect.read_run(source(json.dumps(held)))) == SCORED


def test_dictionaries_of_ranks_and_of_relevances() -> None:
    assert ranked(frames.run_of({"q": {"a": {"rank": 2}, "b": {"rank": 1}}})) == {"q": [("a", -2.0), ("b", -1.0)]}
    assert frames.gold_of({"q": [("a", 2), ("b", 0)], "r": []}).qrels == {"q": {"a": 2, "b": 0}, "r": {}}


def test_a_dictionary_that_is_not_understood_is_refused() -> None:
    with refusing(InputError, "query q: …"):
        frames.run_of({"q": [{"law": "a", "text": "b"}]})


IDS = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=4).filter(
    lambda text: text[-4:] != ".txt" and wrong_id([text], commas=False) is None
)
SCORES = st.floats(allow_nan=False, allow_infinity=False)


@given(st.dictionaries(IDS, st.lists(st.tuples(IDS, SCORES), min_size=1, max_size=3), min_size=1, max_size=4))
def test_every_shape_says_the_same(
    tmp_path_factory: pytest.TempPathFactory, held: dict[str, list[tuple[str, float]]]
) -> None:
    path = tmp_path_factory.mktemp("run") / "run.json"
    records = [{"qid": q, "docno": d, "score": s} for q, pairs in held.items() for d, s in pairs]
    for text in (
        json.dumps(held),
        json.dumps(records),
        one_a_line(records),
        one_a_line({q: p} for q, p in held.items()),
    ):
        path.write_text(text, encoding="utf-8")
        assert ranked(detect.read_run(Source(path))) == held


def test_a_gold_that_is_one_long_line_is_read(source: Opened) -> None:
    gold = detect.read_gold(source(json.dumps([{"qid": f"q{n}", "docid": "d" * 50, "rel": 1} for n in range(5000)])))
    assert isinstance(gold, Gold)
    assert len(gold.queries) == 5000


@pytest.mark.parametrize("bad", ["01 8", "018\n019", "018, 019", "\ufeff018"])
def test_an_id_that_is_no_word_is_refused_in_every_shape(source: Opened, bad: str) -> None:
    good = {"qid": "001", "docid": "018", "score": 2}
    for shape in (
        [good, {**good, "docid": bad}],
        [good, {**good, "qid": bad}],
        {"001": [["018", 2], [bad, 1]]},
        {"001": {"018": {"rank": 1}, bad: {"rank": 2}}},
    ):
        error = fault(lambda file: ranked(detect.read_run(file)), source(json.dumps(shape)))
        assert "[bad-id]" in clause(error)


def test_trec_ids_may_have_commas(source: Opened) -> None:
    file = source(one_a_line([{"qid": "q,1", "docid": "d;1", "score": 1}] * 2))
    assert ranked(detect.read_run(file, rule=exact_id))["q,1"][0] == ("d;1", 1.0)
