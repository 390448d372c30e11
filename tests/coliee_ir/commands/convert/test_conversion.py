import json

import pytest
from asserting import begins, done, failing, heard, matches, mentions, refusing
from example_runs import EXAMPLES
from hypothesis import given
from hypothesis import strategies as st

from coliee_adapters.errors import ColieeError, InputError, MismatchError, UsageError
from coliee_adapters.forms.lines import counted
from coliee_adapters.records import Columns, Run
from coliee_ir import evaluate, read_run, to_run
from coliee_ir.cli import main
from coliee_ir.commands.convert import convert


@pytest.fixture
def put(tmp_path):
    def write(name, text):
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


def converted(source, to=None, **options):
    """The file that a conversion gives, and what is said of it."""
    target = source.parent / f"{source.name}.{to or 'txt'}"
    return target, convert(source, target, to=to, **options)


def test_an_ending_names_the_format_or_it_is_said_that_it_names_none(put, tmp_path):
    gold, run = put("gold.json", '{"q": ["a"]}'), put("run", "q Q0 a 1 2.5 T\n")
    (said,) = convert(gold, tmp_path / "out.qrels")
    assert (tmp_path / "out.qrels").read_text() == "q 0 a 1\n" and ".qrels" not in said
    with refusing(UsageError, "[cannot-convert] … 'qrels' …"):
        convert(run, tmp_path / "run.qrels")
    assert matches(heard(convert(run, tmp_path / "out.zzz")), [".zzz …", "1 document of 1 query"])
    for name in ("out", "out.txt", "out.run.gz", "-"):
        assert matches(heard(convert(run, tmp_path / name)), ["1 document of 1 query"])


STATUTE = (
    '<dataset>\n<pair id="R07-01-O" label="Y"><article>96</article><article>398-20</article><t2>x</t2></pair>\n'
    '<pair id="R07-02-O" label="N"><t2>x</t2></pair>\n</dataset>\n'
)
LEVELS = "q 0 a 2\nq 0 b 0\nq 0 c -1\nq 0 d 1\nr 0 a 0\n"
NESTED = {"q": {"a": 2, "b": 0, "c": -1, "d": 1}, "r": {"a": 0}}
THREE = "01 18 univABC\n01 02 univABC\n02 18 univABC\n"
TREC = "01 Q0 18 1 2.0 univABC\n01 Q0 02 2 1.0 univABC\n02 Q0 18 1 1.0 univABC\n"
RANKS = "[rank-order] 1 … (first: query q)"
MADE = "the scores are made from the order of lines"
EMPTY = '{\n"q": ["a"],\n"empty": []}'
SCORED = "q Q0 a 1 1.0 T\nq Q0 b 2 1.0 T\nq Q0 c 3 2.0 T\n"
PASSAGES = "".join(f"q Q0 {one} 1 {score} T\n" for one, score in (
    ("a_0", 3.0), ("a_10", 2.0), ("a_2", 9.0), ("b_9", 5.0), ("b_10", 7.0),
))  # fmt: skip
PROTOCOL = """task = "both"
title = "both parts"
source = "here"
parts = ["documents", "answers"]
measures = ["Accuracy"]

[run]
container = "jsonl"
query = "query_id"

[run.documents]
at = "documents"

[run.answers]
at = "answer"
"""
LABELS = "R07-01-O Y gold\nR07-02-O N gold\n"


@pytest.mark.parametrize(
    ("name", "text", "to", "options", "written", "said"),
    [
        ("gold.json", '{"01": ["18", "23"], "02": ["01"], "03": []}', "qrels", {}, "01 0 18 1\n01 0 23 1\n02 0 01 1\n",
         ["3 judgements of 2 queries", "[dropped] 1 … qrels … (first: 03)"]),
        ("gold.json", '{"1": ["a"], "2": [], "3": []}', "qrels", {}, "1 0 a 1\n",
         ["1 judgement of 1 query", "[dropped] 2 queries without a relevant document … (first: 2; 3)"]),
        ("qrels", "01 0 18 1\n01 0 23 1\n02 0 01 1\n", "json", {}, {"01": ["18", "23"], "02": ["01"]},
         ["3 judgements of 2 queries"]),
        ("qrels", LEVELS, "qrels", {}, LEVELS, ["5 judgements of 2 queries"]),
        ("qrels", LEVELS, "json", {}, NESTED, ["5 judgements of 2 queries"]),
        ("gold.json", json.dumps(NESTED), "qrels", {}, LEVELS, ["5 judgements of 2 queries"]),
        ("run.txt", THREE, "trec", {}, TREC, ["3 documents of 2 queries", MADE]),
        ("run.txt", THREE, None, {}, TREC, ["3 documents of 2 queries", MADE]),
        ("qrels", LEVELS, None, {}, LEVELS, ["5 judgements of 2 queries"]),
        ("run.trec", TREC, "columns", {}, THREE, ["3 documents of 2 queries", "… 3 scores … columns …"]),
        ("run.txt", "q a T\nq b T\nq a T\np a T\n", "trec", {}, "q Q0 a 1 2.0 T\nq Q0 b 2 1.0 T\np Q0 a 1 1.0 T\n",
         ["3 documents of 2 queries", "[dropped] 1 repeated line … trec …", MADE]),
        ("run.json", EMPTY, "json", {"form": "json"}, {"q": ["a"], "empty": []},
         ["1 document of 2 queries", "[dropped] json …"]),
        ("run.json", EMPTY, "columns", {}, "q a run\n",
         ["1 document of 2 queries", "[dropped] 1 query with nothing retrieved … columns … (first: empty)"]),
        ("run.json", '{\n"q": ["b", "a"],\n"p": ["a"]}', "trec", {},
         "q Q0 b 1 2.0 run\nq Q0 a 2 1.0 run\np Q0 a 1 1.0 run\n", ["3 documents of 2 queries", MADE]),
        ("run.trec", TREC, "json", {"form": "trec"}, {"01": {"18": 2.0, "02": 1.0}, "02": {"18": 1.0}},
         ["3 documents of 2 queries", "[dropped] json …"]),
        # in trec_eval's order
        ("run.trec", SCORED, "columns", {}, "q c T\nq b T\nq a T\n", ["3 documents of 1 query", "… 3 scores …", RANKS]),
        ("run", SCORED, "trec", {}, "q Q0 c 1 2.0 T\nq Q0 b 2 1.0 T\nq Q0 a 3 1.0 T\n",
         ["3 documents of 1 query", RANKS]),
        ("gold.xml", STATUTE, "qrels", {}, "R07-01-O 0 96 1\nR07-01-O 0 398-20 1\n",
         ["2 judgements of 1 query", "… 2 labels … qrels …", "[dropped] 1 … qrels … (first: R07-02-O)"]),
        ("gold.xml", STATUTE, "labels", {}, LABELS, ["2 labels", "[dropped] 2 relevant documents … labels …"]),
        ("answers.txt", "R07-01-O\tTrue\nR07-02-O no\n", "labels", {"tag": "mine"}, LABELS.replace("gold", "mine"),
         ["2 answers", "[no-tag] 2 …", "[label-form] 2 … (first: line 1: True; line 2: no)"]),
        ("answers.txt", LABELS, "labels", {}, LABELS, ["2 answers"]),
        ("answers.txt", LABELS, "trec", {}, "R07-01-O Q0 Y 1 1.0 gold\nR07-02-O Q0 N 1 1.0 gold\n", ["2 answers"]),
        ("run.trec", "R07-01-O Q0 Y 1 1.0 gold\nR07-02-O Q0 N 1 1.0 gold\n", "labels", {}, LABELS, ["2 answers"]),
        ("qrels", "R07-01-O 0 Y 1\nR07-02-O 0 N 1\n", "labels", {}, LABELS, ["2 labels"]),
        # passages to documents; 9 is before 10
        ("run", PASSAGES, "trec", {"chunks": "_[0-9]+$"},
         "q Q0 a 1 9.0 T\nq Q0 b 2 7.0 T\n", ["2 documents of 1 query"]),
        ("run", PASSAGES, "trec", {"chunks": "_[0-9]+$", "aggregate": "sum"},
         "q Q0 a 1 14.0 T\nq Q0 b 2 12.0 T\n", ["2 documents of 1 query"]),
        ("run", PASSAGES, "trec", {"chunks": "_[0-9]+$", "aggregate": "mean"},
         f"q Q0 b 1 6.0 T\nq Q0 a 2 {14 / 3} T\n", ["2 documents of 1 query"]),
        ("run", PASSAGES, "trec", {"chunks": "_[0-9]+$", "aggregate": "first"},
         "q Q0 b 1 5.0 T\nq Q0 a 2 3.0 T\n", ["2 documents of 1 query"]),
        ("run", "q a#1 T\nq b#7 T\nq a#2 T\np b T\n", "columns", {"chunks": "#.*"}, "q a T\nq b T\np b T\n",
         ["3 documents of 2 queries"]),
        # ids as in a gold, whether judged or not; 7 and 007 cannot both be 007
        ("run", "1 18 T\n1 5 T\n1 7 T\n1 007 T\n", "columns", {"like": {"01": ["018"]}},
         "01 018 T\n01 005 T\n01 7 T\n01 007 T\n",
         ["ids of 1 query …", "ids of 2 documents …", "3 documents not in … (first: 005)", "4 documents of 1 query"]),
        ("run", "R07-01-A 第96条 T\nR07-01-A 398の20 T\nR07-01-A 第1条 T\nR07-99-A 424.2 T\n", "columns",
         {"like": {"R07-01-A": ["96", "398-20", "424-2"]}},
         "R07-01-A 96 T\nR07-01-A 398-20 T\nR07-01-A 1 T\nR07-99-A 424-2 T\n",
         ["1 query not in … (first: R07-99-A)", "ids of 4 documents …", "1 document not in … (first: 1)",
          "4 documents of 2 queries"]),
        # several forms of one article are one document, at the first one's place
        ("run", "q 第5条 T\nq 20 T\nq Article_5 T\nq 第9条 T\n", "columns", {"like": {"q": ["5", "20"]}},
         "q 5 T\nq 20 T\nq 9 T\n",
         ["ids of 3 documents …", "1 document not in … (first: 9)", "1 line …", "3 documents of 1 query"]),
        ("run", "q Article_398-20 T\nq Article_20 T\n", "columns", {"like": {"q": ["398-20", "5"]}},
         "q 398-20 T\nq 20 T\n", ["ids of 2 documents …", "1 document not in … (first: 20)", "2 documents of 1 query"]),
        ("run", "q 398-20 T\nq 5 T\n", "columns", {"like": {"q": ["20", "5"]}}, "q 398-20 T\nq 5 T\n",
         ["1 document not in … (first: 398-20)", "2 documents of 1 query"]),
        ("run", "R07-01-A 第七百九条 T\n", "columns", {"like": {"R07-01-A": "Y"}}, "R07-01-A 709 T\n",
         ["ids of 1 document …", "1 document of 1 query"]),
        ("run", "R07-01-A 96-3 T\nR07-01-A 424の2 T\n", "columns", {"like": {"R07-01-A": ["96", "424"]}},
         "R07-01-A 96-3 T\nR07-01-A 424-2 T\n",
         ["ids of 1 document …", "2 documents not in … (first: 96-3)", "2 documents of 1 query"]),
        ("answers", "R7-01-O Y T\n", "labels", {"like": {"R07-01-O": "Y"}}, "R07-01-O Y T\n",
         ["ids of 1 query …", "1 answer"]),
    ],
)  # fmt: skip
def test_what_is_written_and_what_is_said(name, text, to, options, written, said, put):
    if "like" in options:
        options = {**options, "like": put("like.json", json.dumps(options["like"]))}
    target, told = converted(put(name, text), to, **options)
    found = target.read_text()
    assert (found if isinstance(written, str) else json.loads(found)) == written
    if not isinstance(written, str):
        assert [list(inner) for inner in json.loads(found).values()] == [list(inner) for inner in written.values()]
    assert matches(heard(told), said)


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=20))
def test_scores_go_through_a_file_unchanged(tmp_path_factory, scores):
    folder = tmp_path_factory.mktemp("scores")
    lines = [f"q Q0 d{n} 0 {score!r} T\n" for n, score in enumerate(scores)]
    (folder / "run").write_text("".join(lines))
    trec, said = converted(folder / "run", "trec")
    again, _ = converted(trec, "trec")
    assert to_run(trec) == to_run(folder / "run") == {"q": {f"d{n}": score for n, score in enumerate(scores)}}
    assert again.read_text() == trec.read_text()
    assert said == [f"{counted(len(scores), 'document')} of 1 query"]
    in_json, _ = converted(trec, "json", form="trec")
    assert to_run(in_json) == to_run(trec)


def test_made_scores_keep_the_order_in_float32_and_by_every_reader(put):
    order = [f"{n:06}" for n in range(3000)]
    trec, _ = converted(put("run.txt", "".join(f"q {document} T\n" for document in order)), "trec")
    lines = [line.split() for line in trec.read_text().splitlines()]
    assert [line[2] for line in lines] == order
    assert [int(line[3]) for line in lines] == list(range(1, 3001))
    gold = {"q": {order[2500]: 1}}
    assert evaluate(gold, trec, task="trec", measures=["recip_rank"]).measures["recip_rank"] == 1 / 2501


def test_a_file_is_not_converted_in_place(put):
    text = "q a T\nq b T\n"
    run = put("run.txt", text)
    run.with_name("link").symlink_to(run)
    run.with_name("hard").hardlink_to(run)
    for target in (run, run.with_name("link"), run.with_name("hard"), run.parent / "." / "run.txt"):
        with refusing(UsageError, "[would-overwrite]"):
            convert(run, target, to="trec")
    assert run.read_text() == text
    template = put("test.jsonl", "{}\n")
    with refusing(UsageError, "[would-overwrite]"):
        convert(run, template, to="tort", template=template)
    assert template.read_text() == "{}\n"
    with pytest.raises(UsageError):
        convert(put("x.json", '{\n"q": ["d"],\n"#p": ["d"]}'), run, to="trec")
    with pytest.raises(UsageError, match="'my run' contains"):
        convert(put("other.txt", text), run, to="trec", tag="my run")
    assert run.read_text() == text


# the pilot

SIDES = ("plaintiff_claims", "defendant_claims")
TEST_FILE = [
    {"tort_id": str(n), "undisputed_facts": [{"id": "0", "description": "事実"}], "court_decision": None,
     **{side: [{"id": "0", "description": "x", "is_accepted": None}][at < n :] for at, side in enumerate(SIDES)}}
    for n in range(2)
]  # fmt: skip


def json_lines(instances):
    return "".join(json.dumps(instance) + "\n" for instance in instances)


def test_answers_and_claims_fill_the_test_file_of_the_pilot(put):
    template = put("test.jsonl", json_lines(TEST_FILE))
    decided, said = converted(put("answers.txt", "0 Y T\n1 N T\n"), "tort", template=template)
    assert matches(heard(said), [f"… 2 instances … {template} …"])
    filled = [json.loads(line) for line in decided.read_text().splitlines()]
    assert filled == [{**instance, "court_decision": n == 0} for n, instance in enumerate(TEST_FILE)]

    claims = put("claims.json", '{\n"0": ["d0"],\n"1": []}')
    accepted, _ = converted(claims, "tort", template=decided)
    run = read_run(accepted, task="rationale")
    assert to_run(run) == {"0": {"d0": 1.0}}
    answers = read_run(accepted, task="tort")
    assert answers.labels == {"0": True, "1": False}

    # of a gold as the template nothing becomes the submission's
    for sent, key in (
        (put("again.txt", "0 N T\n1 N T\n"), "is_accepted"),
        (put("more", claims.read_text()), "court_decision"),
    ):
        again, _ = converted(sent, "tort", template=accepted)
        assert again.read_text().count(f'"{key}": null') == json_lines(TEST_FILE).count(f'"{key}": null')

    columns, _ = converted(accepted, "columns", form="claims")
    assert columns.read_text() == "0 d0 claims.json.tort\n"
    filled, said = converted(put("claims.txt", "0 p0 T\n"), "tort", template=template)
    assert matches(heard(said), [f"… 2 instances … {template} …", "… 1 instance … has … 1 …"])
    first, second = (json.loads(line) for line in filled.read_text().splitlines())
    assert [claim["is_accepted"] for side in SIDES for claim in (*first[side], *second[side])] == [True, False, False]
    labels, _ = converted(accepted, "labels", form="tort")
    assert [line.split()[:2] for line in labels.read_text().splitlines()] == [["0", "Y"], ["1", "N"]]


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("answers.txt", "0 Y T\n", "[missing-key] '1'…"),
        ("claims.txt", "0 d0 T\n1 d7 T\n", "[unknown-document] '1'… (found 'd7')"),
    ],
)
def test_a_submission_that_does_not_fit_the_test_file_is_refused(name, text, said, put):
    template = put("test.jsonl", json_lines(TEST_FILE))
    with pytest.raises(InputError) as refused:
        converted(put(name, text), "tort", template=template)
    assert mentions(heard(refused.value), said)
    assert not (template.parent / f"{name}.tort").exists()


@pytest.mark.parametrize(
    ("name", "text", "to", "said"),
    [
        ("x.json", '{"001": ["013"]}', None, "[ambiguous]"),
        ("x.txt", "R07-01-O Y T\n", None, "[ambiguous]"),
        ("x.jsonl", json_lines(TEST_FILE), None, "[ambiguous]"),
        ("x.txt", "Task: 1\nRun tag: A\n", None, "x.txt, line 1: [unknown-format]"),
        ("x.txt", "q d T\n", "labels", "[wrong-part] x.txt …"),
        ("x.txt", "q d T\n", "tort", "[option-needed]"),
        ("x.txt", "R07-01-O Y T\n", "tort", "[option-needed]"),
        ("x.txt", "R07-01-O Y T\n", "columns", "[cannot-convert] answers … 'columns'…"),
        ("x.txt", "q 0 d 1\n", "labels", "[wrong-part]"),
        ("x.json", '{\n"q": ["d\\u3000d"]}', "columns", None),  # not a blank to trec_eval
        ("x.json", '{\n"#q": ["d"]}', "columns", "[bad-id]"),
    ],
)
def test_what_cannot_become_that_is_refused_and_leaves_no_file(name, text, to, said, put):
    source = put(name, text)
    if said is None:
        assert converted(source, to)[0].exists()
        return
    with pytest.raises((UsageError, InputError)) as refused:
        converted(source, to)
    assert mentions(heard(refused.value), said)
    assert [path.name for path in source.parent.iterdir()] == [name]


@pytest.mark.parametrize(
    ("text", "options", "error", "said"),
    [
        ("q a_1 T\n", {"chunks": "("}, UsageError, "[bad-value] '('…"),
        ("q a_1 T\n", {"chunks": "_x"}, MismatchError, "[mismatch] '_x'…"),
        ("q a_1 T\n", {"chunks": ".*"}, MismatchError, "[mismatch] … (found 'a_1')…"),
        ("q a_1 T\n", {"chunks": "_.$", "aggregate": "sum"}, UsageError, "[unfit-option]"),
        ("q a_1 T\n", {"aggregate": "sum"}, UsageError, "[unfit-option]"),
        ("q a_1 T\n", {"form": "text"}, InputError, "run.txt: [no-result]"),
        ("q a_1 T\n", {"chunks": "_.$", "aggregate": "median"}, UsageError, "[unknown-name] … 'median'…"),
        ("R07-01-O Y T\n", {"chunks": "_.$"}, UsageError, "[wrong-part]"),
    ],
)
def test_what_no_passages_can_be_made_documents_of_is_refused(text, options, error, said, put):
    source = put("run.txt", text)
    with refusing(error, said):
        converted(source, "trec", **options)
    assert [path.name for path in source.parent.iterdir()] == ["run.txt"]


def test_documents_at_their_best_passage_score_as_the_undivided_run(tmp_path):
    whole, qrels = EXAMPLES / "trec/bm25.run", EXAMPLES / "trec/qrels.txt"
    passages = [
        f"{query} Q0 {document}_{at} 1 {score - abs(at - len(document) % 3)} P\n"
        for query, ranking in to_run(whole, task="trec").items()
        for document, score in ranking.items()
        for at in range(12)
    ]
    (tmp_path / "passages").write_text("".join(passages))
    with refusing(MismatchError, "[mismatch] … --chunks …"):
        evaluate(qrels, tmp_path / "passages", task="trec")
    joined, _ = converted(tmp_path / "passages", "trec", chunks="_[0-9]+$")
    assert to_run(joined, task="trec") == to_run(whole, task="trec")
    assert evaluate(qrels, joined, task="trec").measures == evaluate(qrels, whole, task="trec").measures


def test_a_dictionary_of_a_run_is_in_trec_evals_order_with_repeats_at_their_best():
    block = Columns(["q", "p", "q"], [0, 3, 4, 5], ["a", "b", "a", "a", "c"], [1.0, 2.0, 3.0, 1.0, 2.0])
    held = to_run(Run(lambda: iter([block])))
    assert held == {"q": {"a": 3.0, "c": 2.0, "b": 2.0}, "p": {"a": 1.0}}
    assert list(held["q"]) == ["a", "c", "b"]


def test_a_run_tag_against_the_rules_of_a_submission_is_said(put):
    run = put("mono_t5.json", '{"001": ["013"]}')
    assert "[bad-tag]" in heard(converted(run, "columns")[1][-1])
    assert begins(heard(converted(run, "columns", tag="A-B")[1][-1]), "'A-B' [bad-tag]")
    assert not any("--tag" in said for said in converted(run, "columns", tag="AB")[1])
    assert not any("--tag" in said for said in converted(run, "trec")[1])
    labels = put("my_labels.txt", "R07-01-O Y\n")
    assert mentions(heard(list(converted(labels, "labels")[1])), "[bad-tag]")


def test_a_run_of_another_task_is_not_written_into_the_pilots_template(put):
    case = {"tort_id": "0", "plaintiff_claims": [], "defendant_claims": [], "court_decision": True}
    template = put("gold.jsonl", json.dumps(case) + "\n")
    target = template.parent / "out.jsonl"
    with refusing(MismatchError, "[mismatch] '002473'…"):
        convert(put("run.txt", "002473 000018 T\n"), target, to="tort", template=template)
    assert not target.exists()


CASES = {
    "000001.txt": "Date: 20190531\nA case.",
    "000002.txt": "On May 3, 2004, see [1999] 1 FC.",
    "000003.txt": "2000",
}
TWO_ARTICLES = (
    '<dataset>\n<pair id="R07-01-O" label="Y"><t1>(Fraud)\nArticle 96 (1) A claim\n(2) is void.\n(Error)\n'
    "Article 95 Or not.</t1><t2>A claim is void.</t2></pair>\n"
    '<pair id="R07-02-O" label="N"><article>5</article><t2>x</t2></pair>\n</dataset>\n'
)


def lines_of(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.mark.parametrize("code", [None, "Article 5 The Code.\n\nArticle 95 As the Code has it.\n"])
def test_statements_hold_the_articles_of_each_question(put, code):
    corpus = None if code is None else put("code.txt", code)
    target, said = converted(put("gold.xml", TWO_ARTICLES), "statements", corpus=corpus)
    first, second = lines_of(target)
    assert said == ["2 records"]
    assert first["articles"] == [
        {"id": "96", "text": "Article 96 (1) A claim\n(2) is void."},
        {"id": "95", "text": "Article 95 Or not." if code is None else "Article 95 As the Code has it."},
    ]
    assert {**first, "articles": 0} == {"id": "R07-01-O", "text": "A claim is void.", "label": "Y", "articles": 0}
    assert second["articles"] == [{"id": "5", "text": "" if code is None else "Article 5 The Code."}]
    _, said = converted(target.parent / "gold.xml", "statements", corpus=put("code.txt", "Article 95 As it is.\n"))
    assert matches(heard(said), ["2 records", "1 article without a text … (first: 5)"])


def test_cases_show_dates(tmp_path, call):
    folder = tmp_path / "cases"
    folder.mkdir()
    for name, text in CASES.items():
        (folder / name).write_text(text)
    target, _ = converted(folder, "statements")
    assert [record["date"] for record in lines_of(target)] == ["2019-05-31", "2004", ""]
    (tmp_path / "run").write_text("000001 000002 T\n000001 000003 T\n000002 000001 T\n000002 000003 T\n")
    out, _ = done(call, "cut", tmp_path / "run", "--dates", folder, "--to", "columns")
    assert out == "000001 000002 T\n000001 000003 T\n000002 000003 T\n"
    query = tmp_path / "fragments" / "001"
    (query / "paragraphs").mkdir(parents=True)
    for name, text in (("entailed_fragment", "f"), ("base_case", "(2001)"), ("paragraphs/001", "p")):
        (query / f"{name}.txt").write_text(text)
    target, _ = converted(tmp_path / "fragments", "statements")
    expected = {"id": "001", "text": "f", "base_case": "(2001)", "date": "2001"}
    assert lines_of(target) == [{**expected, "candidates": [{"id": "001", "text": "p"}]}]


@pytest.mark.parametrize(
    ("texts", "written", "said"),
    [
        (["q 1 A\n", "p 2 A\n"], "q 1 A\np 2 A\n", ["[grouped]", "2 documents of 2 queries"]),
        (['{"q": ["1"]}', '{"p": ["2"]}'], "q 1 f0\np 2 f0\n", ["[grouped]", "2 documents of 2 queries"]),
        (["q Y A\n", "p N A\n"], "q Y A\np N A\n", ["[grouped]", "2 answers"]),
        (["q 1 A\n", "q Y A\n"], "q 1 A\n", ["[grouped]", "1 document of 1 query", "[dropped]"]),
        (["q 1 A\n", "q 2 A\n"], "[duplicate]", []),
        (["q 1 A\n", "p 2 B\n"], "[ambiguous]", []),
    ],
)
def test_files_of_one_run_are_joined(put, texts, written, said):
    files = [put(f"f{at}", text) for at, text in enumerate(texts)]
    target = files[0].parent / "out"
    if written.startswith("["):
        with refusing(ColieeError, written):
            convert(files, target)
        return
    to = "labels" if " Y " in texts[0] else "columns"
    told = convert(files, target, to=to)
    assert target.read_text() == written
    assert matches(heard(told)[: len(said)], said)


@pytest.mark.parametrize("to", ["qrels", "labels", "json", "statements"])
@pytest.mark.parametrize("as_folder", [False, True])
def test_golds_of_several_years_are_joined(tmp_path, to, *, as_folder):
    folder, target = tmp_path / "golds", tmp_path / "out"
    folder.mkdir()
    for year in ("R06", "R07"):
        (folder / f"{year}.xml").write_text(TWO_ARTICLES.replace("R07", year))
    convert(folder if as_folder else sorted(folder.iterdir()), target, to=to)
    text = target.read_text()
    assert [text.count(f"{year}-0{n}-O") for year in ("R06", "R07") for n in (1, 2)] == {
        "qrels": [2, 1, 2, 1], "labels": [1, 1, 1, 1], "json": [1, 1, 1, 1], "statements": [1, 1, 1, 1]
    }[to]  # fmt: skip


def test_a_forgotten_target_is_not_written_over(tmp_path, call):
    files = [tmp_path / f"{year}.txt" for year in ("R05", "R06", "R07")]
    for path in files:
        path.write_text(f"{path.stem}-1-A Y X\n")
    assert mentions(failing(call, "convert", *files, "--to", "labels"), "R07.txt: [would-overwrite]")
    assert files[-1].read_text() == "R07-1-A Y X\n"
    for _ in range(2):  # what the same command has written is written again
        done(call, "convert", *files, tmp_path / "all.txt", "--to", "labels")


def test_a_run_of_both_parts_is_joined_and_split(put):
    files = [put("articles", "q 1 A\nq 2 A\n"), put("answers", "q Y A\np N A\n")]
    both = files[0].parent / "both.jsonl"
    convert(files, both)
    assert lines_of(both) == [
        {"query_id": "q", "answer": "Y", "documents": ["1", "2"], "tag": "A"},
        {"query_id": "p", "answer": "N", "documents": [], "tag": "A"},
    ]
    protocol = put("own.toml", PROTOCOL)
    for to, expected in (("columns", "q 1 A\nq 2 A\n"), ("labels", "q Y A\np N A\n")):
        target = both.parent / to
        for options in ([], ["--protocol", str(protocol), "--tag", "A"]):
            assert main(["convert", str(both), str(target), "--to", to, *options]) == 0
            assert target.read_text() == expected
    target, other = (
        both.parent / "again.jsonl",
        put("other.jsonl", both.read_text().replace('"q"', '"r"').replace('"p"', '"s"')),
    )
    convert([both, other], target)
    assert target.read_text() == both.read_text() + other.read_text()


def test_articles_beside_an_answer_are_split_where_they_are_named(put, call, tmp_path):
    lines = ['{"id": "q", "answer": "Y", "articles": ["1", "2"]}', '{"id": "p", "answer": "N", "articles": ["3"]}']
    source, target = put("A.jsonl", "\n".join(lines)), tmp_path / "out"
    for to, expected in (("columns", "q 1 A\nq 2 A\np 3 A\n"), ("labels", "q Y A\np N A\n")):
        code, _, err = call("convert", source, target, "--to", to)
        assert code == 2
        assert matches(err, "coliee-ir: …--columns answer=answer,document=articles… [ambiguous]\n")
        done(call, "convert", source, target, "--to", to, "--columns", "answer=answer,document=articles")
        assert target.read_text() == expected
    done(call, "convert", source, target, "--to", "labels", "--columns", "answer=answer")
    nested = json.dumps({"id": "q", "answer": "Y", "found": [{"no": "1", "s": 1.5}, {"no": "2", "s": 2.5}]})
    source = put("B.jsonl", nested)
    for to, expected in (("trec", "q Q0 2 1 2.5 B\nq Q0 1 2 1.5 B\n"), ("labels", "q Y B\n")):
        done(call, "convert", source, target, "--to", to, "--columns", "answer=answer,document=found.no,score=found.s")
        assert target.read_text() == expected


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "json", "parquet", "csv.gz"])
@pytest.mark.parametrize("text", [TREC, THREE])
def test_the_ending_names_the_form(put, text, ending, call):
    source = put("univABC", text)
    gold = put("gold.json", '{"01": ["18"], "02": ["18"]}')
    for command in (
        ["convert", source],
        ["cut", source, "--by", "k=9", "-o"],
        ["tune", gold, source, "-m", "MicroF1", "--folds", "2", "--by", "k", "--apply", source, "-o"],
    ):
        target = source.parent / f"{command[0]}.{ending}"
        assert call(*command, target)[0] == 0
        assert target.read_bytes() != source.read_bytes()
        if command[0] != "tune":
            assert to_run(read_run(source)) == to_run(read_run(target))


@pytest.mark.parametrize(
    ("name", "text", "options", "written", "said"),
    [
        ("s.csv", "query_id,answer\nq,Y\nq,N\nq,Y\np,no\np,\n", {}, "q Y s\np N s\n", "[no-vote] 1 … (first: line 6)"),
        ("s.jsonl", '{"query_id": "q", "answer": "N"}\n{"query_id": "q", "answer": "Y"}\n', {}, "q N s\n",
         "[answer-tie] … 1 question …"),
        ("s.txt", "q Answer: Yes\nq No.\nq Yes, because\np Who knows?\np No.\n", {"form": "text"}, "q Y s\np N s\n",
         "[no-vote] 1 … (first: line 4: 'Who knows?')"),
        ("s.json", '{"q": ["Y", "N", "N"], "p": ["yes"]}', {}, "q N s\np Y s\n", "2 answers"),
        ("s.jsonl", '{"id": "q", "answers": ["N", "Y", "Y"]}\n{"id": "p", "answers": ["N"]}',
         {"columns": {"answer": "answers"}}, "q Y s\np N s\n", "2 answers"),
        ("s.csv", "id,sample,answer\nq,0,Y\nq,1,N\nq,2,Y\n", {}, "q Y s\n", "1 answer"),
        ("s.json", '{"q": ["Yes, because", "No.", "Yes."]}', {"form": "text"}, "q Y s\n", "1 answer"),
        ("s.jsonl", '{"custom_id": "q", "body": {"choices": [{"message": {"content": "No"}}, {"message": '
         '{"content": "Answer: Y"}}, {"message": {"content": "N"}}]}}', {"form": "text"}, "q N s\n", "1 answer"),
        ("s.json", '[{"id": "q", "outputs": [{"text": "Yes"}, {"text": "Yes"}, {"text": "No"}]}]',
         {"form": "text", "columns": {"answer": "outputs.text"}}, "q Y s\n", "1 answer"),
    ],
)  # fmt: skip
def test_samples_are_put_to_the_vote(name, text, options, written, said, put):
    target, told = converted(put(name, text), "labels", aggregate="vote", **options)
    assert target.read_text() == written
    assert mentions(heard(told), said)


@pytest.mark.parametrize(
    ("text", "options", "kind"),
    [
        ('[{"id": "q", "out": [{"text": "Yes"}, {"text": "No"}]}]', {"columns": {"answer": "out.text"}}, "structure"),
        ('{"id": "q", "message": {"content": [{"text": "Yes"}, {"text": "No"}]}}', {"aggregate": "vote"}, "structure"),
        ('[{"id": "q", "outputs": [{"said": "Yes"}]}]', {}, "missing-key]"),
    ],
)  # fmt: skip
def test_texts_that_are_no_samples_are_refused(text, options, kind, put):
    with refusing(ColieeError, f"[{kind}"):
        convert(put("s.json", text), "-", form="text", **options)


def test_what_holds_documents_or_no_known_answer_has_no_vote(put, here):
    with refusing(ColieeError, "[wrong-part]"):
        convert(put("s.json", '{"q": ["Y", "7"]}'), "-", aggregate="vote")
    samples = put("s.jsonl", '{"id": "q", "answer": "vrai"}\n{"id": "q", "answer": "faux"}\n')
    with refusing(ColieeError, "[bad-label]"):
        convert(samples, "out.txt", to="labels", aggregate="vote")
    assert not (here / "out.txt").exists()


def test_both_parts_of_a_run_are_kept_while_its_ids_are_written_anew(put):
    gold = put("gold.json", '{"R07-01-O": ["537"], "R07-02-O": ["1"]}')
    written = '{"query_id": "R7-1-O", "answer": "Y", "documents": ["537_0", "第1条_1"], "tag": "T"}\n'
    both = put("both.jsonl", written)
    target, _ = converted(both, "jsonl", like=gold, chunks="_[0-9]$")
    assert lines_of(target) == [{"query_id": "R07-01-O", "answer": "Y", "documents": ["537", "1"], "tag": "T"}]


@pytest.mark.parametrize("text", ["R7-1-ア", "令和7年-01-ア", "r07-1-a", "R07-01-ア"])
def test_questions_are_written_as_in_the_gold(text, put):
    gold = put("gold.txt", "R07-01-A Y\nR07-02-O N\n")
    target, told = converted(put("T", f"{text} N T\nR07-02-O N T\n"), "labels", like=gold)
    assert target.read_text() == "R07-01-A N T\nR07-02-O N T\n"
    with refusing(ColieeError, "[conflicting]"):
        converted(put("T", f"{text} N T\nR07-01-A Y T\n"), "labels", like=gold)
    kept, told = converted(put("T", "R08-01-ア N T\n"), "labels", like=gold)
    assert kept.read_text() == "R08-01-ア N T\n" and "not in" in told[0]


NESTED = '{"results": [{"problem": {"id": "q"}, "output": {"judgment": "N"}}]}'


def test_the_role_of_a_named_column_tells_a_run_from_a_gold(put):
    columns = {"query": "problem.id", "answer": "output.judgment"}
    target, told = converted(put("T.json", NESTED), "jsonl", columns=columns)
    assert lines_of(target) == [{"query_id": "q", "answer": "N", "tag": "T"}] and told == ["1 answer"]
    target, told = converted(
        put("T.json", NESTED), "jsonl", columns={"query": "problem.id", "label": "output.judgment"}
    )
    assert "tag" not in target.read_text()


def test_scores_tell_a_run_from_a_gold(put):
    target, _ = converted(put("T.json", '{"q": {"d": 0.5}}'), "csv")
    assert target.read_text() == "query_id,doc_id,score,tag\nq,d,0.5,T\n"
    with refusing(ColieeError, "[ambiguous]"):
        convert(put("T.json", '{"q": ["d"]}'), "-")


@pytest.mark.parametrize(("to", "options"), [("statements", {"tag": "T"}), ("statements", {})])
def test_statements_are_json_lines_without_a_tag(to, options, put, tmp_path):
    with refusing(ColieeError, "[unfit-option]" if options else "[cannot-convert]"):
        convert(put("gold.xml", TWO_ARTICLES), tmp_path / "x.csv", to=to, **options)


@pytest.mark.parametrize("to", ["json", "jsonl", "csv", "trec", "columns", "parquet"])
def test_what_is_written_does_not_depend_on_how_lines_are_grouped(put, to):
    lines = [f"q{n % 7} Q0 d{n} 1 {n * 7 % 13} T\n" for n in range(99)] * 2
    apart, together = put("apart_T", "".join(lines)), put("T", "".join(sorted(lines)))
    one, other = (to_run(read_run(converted(path, to)[0])) for path in (apart, together))
    assert one == other
