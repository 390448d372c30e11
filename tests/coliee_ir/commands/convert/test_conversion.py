import json
from pathlib import Path

import pytest
from asserting import begins, done, failing, heard, matches, mentions, refusing
from example_runs import EXAMPLES
from hypothesis import given
from hypothesis import strategies as st
from sent import write

from coliee_adapters.errors import ColieeError, MismatchError, UsageError
from coliee_adapters.forms.lines import counted
from coliee_ir import evaluate, read_run, to_run
from coliee_ir.cli import main
from coliee_ir.commands.convert import convert


@pytest.fixture
def put(here):
    def write(name, text):
        (here / name).write_text(text)
        return here / name

    return write


def converted(source, to=None, **options):
    """The file that a conversion gives, and what is said of it."""
    target = source.parent / f"{source.name}.{to or 'txt'}"
    return target, convert(source, target, to=to, **options)


def lines_of(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_an_ending_names_the_format_or_it_is_said_that_it_names_none(put):
    gold, run = put("gold.json", '{"q": ["a"]}'), put("run", "q Q0 a 1 2.5 T\n")
    (said,) = convert(gold, "out.qrels")
    assert Path("out.qrels").read_text() == "q 0 a 1\n" and ".qrels" not in said
    with refusing(UsageError, "[cannot-convert] … 'qrels' …"):
        convert(run, "run.qrels")
    for name, said in (("out.zzz", [".zzz …"]), *((name, []) for name in ("out", "out.txt", "out.run.gz", "-"))):
        assert matches(heard(convert(run, name)), [*said, "1 document of 1 query"])


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
LABELS = "R07-01-O Y gold\nR07-02-O N gold\n"


@pytest.mark.parametrize(
    ("name", "text", "to", "options", "written", "said"),
    [
        ("gold.json", '{"01": ["18", "23"], "02": ["01"], "03": []}', "qrels", {}, "01 0 18 1\n01 0 23 1\n02 0 01 1\n",
         ["3 judgements of 2 queries", "[dropped] 1 … qrels … (first: 03)"]),
        ("qrels", LEVELS, "json", {}, NESTED, ["5 judgements of 2 queries"]),
        ("gold.json", json.dumps(NESTED), "qrels", {}, LEVELS, ["5 judgements of 2 queries"]),
        ("run.txt", THREE, None, {}, TREC, ["3 documents of 2 queries", MADE]),
        ("qrels", LEVELS, None, {}, LEVELS, ["5 judgements of 2 queries"]),
        ("run.trec", TREC, "columns", {}, THREE, ["3 documents of 2 queries", "… 3 scores … columns …"]),
        ("run.txt", "q a T\nq b T\nq a T\np a T\n", "trec", {}, "q Q0 a 1 2.0 T\nq Q0 b 2 1.0 T\np Q0 a 1 1.0 T\n",
         ["3 documents of 2 queries", "[dropped] 1 repeated line … trec …", MADE]),
        ("run.json", EMPTY, "columns", {}, "q a run\n",
         ["1 document of 2 queries", "[dropped] 1 query with nothing retrieved … columns … (first: empty)"]),
        ("run.trec", TREC, "json", {"form": "trec"}, {"01": {"18": 2.0, "02": 1.0}, "02": {"18": 1.0}},
         ["3 documents of 2 queries", "[dropped] json …"]),
        # in trec_eval's order
        ("run", SCORED, "trec", {}, "q Q0 c 1 2.0 T\nq Q0 b 2 1.0 T\nq Q0 a 3 1.0 T\n",
         ["3 documents of 1 query", RANKS]),
        ("gold.xml", STATUTE, "qrels", {}, "R07-01-O 0 96 1\nR07-01-O 0 398-20 1\n",
         ["2 judgements of 1 query", "… 2 labels … qrels …", "[dropped] 1 … qrels … (first: R07-02-O)"]),
        ("gold.xml", STATUTE, "labels", {}, LABELS, ["2 labels", "[dropped] 2 relevant documents … labels …"]),
        ("answers.txt", "R07-01-O\tTrue\nR07-02-O no\n", "labels", {"tag": "mine"}, LABELS.replace("gold", "mine"),
         ["2 answers", "[no-tag] 2 …", "[label-form] 2 … (first: line 1: True; line 2: no)"]),
        ("answers.txt", LABELS, "trec", {}, "R07-01-O Q0 Y 1 1.0 gold\nR07-02-O Q0 N 1 1.0 gold\n", ["2 answers"]),
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


def test_a_file_that_is_read_is_not_written_over(put, call):
    text = "q a T\nq b T\n"
    run, template = put("run.txt", text), put("test.jsonl", "{}\n")
    run.with_name("link").symlink_to(run)
    run.with_name("hard").hardlink_to(run)
    targets = (run, run.with_name("link"), run.with_name("hard"), run.parent / "." / "run.txt")
    for target, options in (*((target, {"to": "trec"}) for target in targets), (template, {"to": "tort"})):
        with refusing(UsageError, "[would-overwrite]"):
            convert(run, target, template=template, **options)
    for source, tag in ((put("x.json", '{\n"q": ["d"],\n"#p": ["d"]}'), None), (put("other.txt", text), "my run")):
        with pytest.raises(UsageError):
            convert(source, run, to="trec", tag=tag)
    assert (run.read_text(), template.read_text()) == (text, "{}\n")
    # a forgotten target; what the same command has written is written again
    files = [put(f"{year}.txt", f"{year}-1-A Y X\n") for year in ("R05", "R06", "R07")]
    assert mentions(failing(call, "convert", *files, "--to", "labels"), "R07.txt: [would-overwrite]")
    assert files[-1].read_text() == "R07-1-A Y X\n"
    for _ in range(2):
        done(call, "convert", *files, "all.txt", "--to", "labels")


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
    for sent, key in (("0 N T\n1 N T\n", "is_accepted"), (claims.read_text(), "court_decision")):
        again, _ = converted(put("again", sent), "tort", template=accepted)
        assert again.read_text().count(f'"{key}": null') == json_lines(TEST_FILE).count(f'"{key}": null')

    columns, _ = converted(accepted, "columns", form="claims")
    assert columns.read_text() == "0 d0 claims.json.tort\n"
    filled, said = converted(put("claims.txt", "0 p0 T\n"), "tort", template=template)
    assert matches(heard(said), [f"… 2 instances … {template} …", "… 1 instance … has … 1 …"])
    first, second = lines_of(filled)
    assert [claim["is_accepted"] for side in SIDES for claim in (*first[side], *second[side])] == [True, False, False]
    labels, _ = converted(accepted, "labels", form="tort")
    assert [line.split()[:2] for line in labels.read_text().splitlines()] == [["0", "Y"], ["1", "N"]]


@pytest.mark.parametrize(
    ("name", "text", "to", "options", "said"),
    [
        ("x.json", '{"001": ["013"]}', None, {}, "[ambiguous]"),
        ("x.txt", "R07-01-O Y T\n", None, {}, "[ambiguous]"),
        ("x.txt", "Task: 1\nRun tag: A\n", None, {}, "x.txt, line 1: [unknown-format]"),
        ("x.txt", "q d T\n", "labels", {}, "[wrong-part] x.txt …"),
        ("x.txt", "q d T\n", "tort", {}, "[option-needed]"),
        ("x.txt", "R07-01-O Y T\n", "columns", {}, "[cannot-convert] answers … 'columns'…"),
        ("x.json", '{\n"#q": ["d"]}', "columns", {}, "[bad-id]"),
        ("gold.xml", STATUTE, "statements", {"tag": "T"}, "[unfit-option]"),
        # what does not fit the organisers' test file
        ("x.txt", "0 Y T\n", "tort", {"template": "test.jsonl"}, "[missing-key] '1'…"),
        ("x.txt", "0 d0 T\n1 d7 T\n", "tort", {"template": "test.jsonl"}, "[unknown-document] '1'… (found 'd7')"),
        ("x.txt", "002473 000018 T\n", "tort", {"template": "test.jsonl"}, "[mismatch] '002473'…"),
        # what no passages can be made documents of
        ("x.txt", "q a_1 T\n", "trec", {"chunks": "("}, "[bad-value] '('…"),
        ("x.txt", "q a_1 T\n", "trec", {"chunks": ".*"}, "[mismatch] … (found 'a_1')…"),
        ("x.txt", "q a_1 T\n", "trec", {"aggregate": "sum"}, "[unfit-option]"),
        ("x.txt", "q a_1 T\n", "trec", {"form": "text"}, "x.txt: [no-result]"),
        ("x.txt", "q a_1 T\n", "trec", {"chunks": "_.$", "aggregate": "median"}, "[unknown-name] … 'median'…"),
        # texts that are no samples
        ("s.json", '[{"id": "q", "out": [{"text": "Yes"}, {"text": "No"}]}]', None,
         {"form": "text", "columns": {"answer": "out.text"}}, "[structure]"),
        ("s.jsonl", '{"id": "q", "answer": "vrai"}\n{"id": "q", "answer": "faux"}\n', "labels", {"aggregate": "vote"},
         "[bad-label]"),
    ],
)  # fmt: skip
def test_what_cannot_become_that_is_refused_and_leaves_no_file(name, text, to, options, said, put):
    source, template = put(name, text), put("test.jsonl", json_lines(TEST_FILE))
    with refusing(ColieeError, said):
        converted(source, to, **options)
    assert {*source.parent.iterdir()} == {source, template}


def test_documents_at_their_best_passage_score_as_the_undivided_run(put):
    whole, qrels = EXAMPLES / "trec/bm25.run", EXAMPLES / "trec/qrels.txt"
    passages = put("passages", "".join(
        f"{query} Q0 {document}_{at} 1 {score - abs(at - len(document) % 3)} P\n"
        for query, ranking in to_run(whole, task="trec").items() for document, score in ranking.items()
        for at in range(12)
    ))  # fmt: skip
    with refusing(MismatchError, "[mismatch] … --chunks …"):
        evaluate(qrels, passages, task="trec")
    joined, _ = converted(passages, "trec", chunks="_[0-9]+$")
    assert to_run(joined, task="trec") == to_run(whole, task="trec")
    assert evaluate(qrels, joined, task="trec").measures == evaluate(qrels, whole, task="trec").measures


def test_a_run_tag_against_the_rules_of_a_submission_is_said(put):
    run, labels = put("mono_t5.json", '{"001": ["013"]}'), put("my_labels.txt", "R07-01-O Y\n")
    assert "[bad-tag]" in heard(converted(run, "columns")[1][-1])
    assert begins(heard(converted(run, "columns", tag="A-B")[1][-1]), "'A-B' [bad-tag]")
    for to, tag in (("columns", "AB"), ("trec", None)):
        assert not any("--tag" in said for said in converted(run, to, tag=tag)[1])
    assert mentions(heard(list(converted(labels, "labels")[1])), "[bad-tag]")


TWO_ARTICLES = (
    '<dataset>\n<pair id="R07-01-O" label="Y"><t1>(Fraud)\nArticle 96 (1) A claim\n(2) is void.\n(Error)\n'
    "Article 95 Or not.</t1><t2>A claim is void.</t2></pair>\n"
    '<pair id="R07-02-O" label="N"><article>5</article><t2>x</t2></pair>\n</dataset>\n'
)


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


def test_cases_show_dates(here, call):
    cases = {"000001": "Date: 20190531\nA case.", "000002": "On May 3, 2004, see [1999] 1 FC.", "000003": "2000"}
    write({f"cases/{name}.txt": text for name, text in cases.items()})
    target, (_, said) = converted(here / "cases", "statements")
    assert [record["date"] for record in lines_of(target)] == ["2019-05-31", "2004", ""]
    assert matches(said, "1 with … 1 with … 1 with none")
    write({"run": "000001 000002 T\n000001 000003 T\n000002 000001 T\n000002 000003 T\n"})
    out, _ = done(call, "cut", "run", "--dates", "cases", "--to", "columns")
    assert out == "000001 000002 T\n000001 000003 T\n000002 000003 T\n"


@pytest.mark.parametrize(
    ("texts", "written", "said"),
    [
        (["q 1 A\n", "p 2 A\n"], "q 1 A\np 2 A\n", ["[grouped]", "2 documents of 2 queries"]),
        (['{"q": ["1"]}', '{"p": ["2"]}'], "q 1 f0\np 2 f0\n", ["[grouped]", "2 documents of 2 queries"]),
        (["q 1 A\n", "q Y A\n"], "q 1 A\n", ["[grouped]", "1 document of 1 query", "[dropped]"]),
        (["q 1 A\n", "q 2 A\n"], "[duplicate]", []),
        (["q 1 A\n", "p 2 B\n"], "[ambiguous]", []),
    ],
)
def test_files_of_one_run_are_joined(put, texts, written, said):
    files = [put(f"f{at}", text) for at, text in enumerate(texts)]
    if written.startswith("["):
        with refusing(ColieeError, written):
            convert(files, "out")
        return
    told = convert(files, "out", to="labels" if " Y " in texts[0] else "columns")
    assert Path("out").read_text() == written
    assert matches(heard(told)[: len(said)], said)


def test_a_run_of_both_parts_is_joined_and_split(put):
    files = [put("articles", "q 1 A\nq 2 A\n"), put("answers", "q Y A\np N A\n")]
    convert(files, "both.jsonl")
    assert lines_of(Path("both.jsonl")) == [
        {"query_id": "q", "answer": "Y", "documents": ["1", "2"], "tag": "A"},
        {"query_id": "p", "answer": "N", "documents": [], "tag": "A"},
    ]
    put("own.toml", 'task = "both"\ntitle = "both parts"\nsource = "here"\nparts = ["documents", "answers"]\n'
        'measures = ["Accuracy"]\n[run]\ncontainer = "jsonl"\nquery = "query_id"\n'
        '[run.documents]\nat = "documents"\n[run.answers]\nat = "answer"\n')  # fmt: skip
    for to, expected in (("columns", "q 1 A\nq 2 A\n"), ("labels", "q Y A\np N A\n")):
        for options in ([], ["--protocol", "own.toml", "--tag", "A"]):
            assert main(["convert", "both.jsonl", to, "--to", to, *options]) == 0
            assert Path(to).read_text() == expected
    # both parts are kept while ids are written anew
    gold = put("gold.json", '{"R07-01-O": ["537"], "R07-02-O": ["1"]}')
    written = '{"query_id": "R7-1-O", "answer": "Y", "documents": ["537_0", "第1条_1"], "tag": "T"}\n'
    target, _ = converted(put("anew.jsonl", written), "jsonl", like=gold, chunks="_[0-9]$")
    assert lines_of(target) == [{"query_id": "R07-01-O", "answer": "Y", "documents": ["537", "1"], "tag": "T"}]


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "json", "parquet", "csv.gz"])
@pytest.mark.parametrize("text", [TREC, THREE])
def test_the_ending_names_the_form(put, text, ending, call):
    source, gold = put("univABC", text), put("gold.json", '{"01": ["18"], "02": ["18"]}')
    tune = ["tune", gold, source, "-m", "MicroF1", "--folds", "2", "--by", "k", "--apply", source, "-o"]
    for command in (["convert", source], ["cut", source, "--by", "k=9", "-o"], tune):
        target = source.parent / f"{command[0]}.{ending}"
        done(call, *command, target)
        assert target.read_bytes() != source.read_bytes()
        assert command is tune or to_run(read_run(source)) == to_run(read_run(target))


@pytest.mark.parametrize(
    ("name", "text", "options", "written", "said"),
    [
        ("s.csv", "query_id,answer\nq,Y\nq,N\nq,Y\np,no\np,\n", {}, "q Y s\np N s\n", "[no-vote] 1 … (first: line 6)"),
        ("s.jsonl", '{"query_id": "q", "answer": "N"}\n{"query_id": "q", "answer": "Y"}\n', {}, "q N s\n",
         "[answer-tie] … 1 question …"),
        ("s.txt", "q Answer: Yes\nq No.\nq Yes, because\np Who knows?\np No.\n", {"form": "text"}, "q Y s\np N s\n",
         "[no-vote] 1 … (first: line 4: 'Who knows?')"),
        ("s.jsonl", '{"id": "q", "answers": ["N", "Y", "Y"]}\n{"id": "p", "answers": ["N"]}',
         {"columns": {"answer": "answers"}}, "q Y s\np N s\n", "2 answers"),
        ("s.json", '[{"id": "q", "outputs": [{"text": "Yes"}, {"text": "Yes"}, {"text": "No"}]}]',
         {"form": "text", "columns": {"answer": "outputs.text"}}, "q Y s\n", "1 answer"),
    ],
)  # fmt: skip
def test_samples_are_put_to_the_vote(name, text, options, written, said, put):
    target, told = converted(put(name, text), "labels", aggregate="vote", **options)
    assert target.read_text() == written
    assert mentions(heard(told), said)


@pytest.mark.parametrize("to", ["json", "jsonl", "csv", "trec", "columns", "parquet"])
def test_what_is_written_does_not_depend_on_how_lines_are_grouped(put, to):
    lines = [f"q{n % 7} Q0 d{n} 1 {n * 7 % 13} T\n" for n in range(99)] * 2
    apart, together = put("apart_T", "".join(lines)), put("T", "".join(sorted(lines)))
    one, other = (to_run(read_run(converted(path, to)[0])) for path in (apart, together))
    assert one == other


@pytest.mark.parametrize("to", ["qrels", "labels", "json", "statements"])
def test_golds_of_several_years_are_joined(to, here):
    counts = [2, 1, 2, 1] if to == "qrels" else [1, 1, 1, 1]
    write({f"golds/{year}.xml": TWO_ARTICLES.replace("R07", year) for year in ("R06", "R07")})
    for golds in ("golds", ["golds/R06.xml", "golds/R07.xml"]):
        convert(golds, "out", to=to)
        text = Path("out").read_text()
        assert [text.count(f"{year}-0{n}-O") for year in ("R06", "R07") for n in (1, 2)] == counts


def test_articles_beside_an_answer_are_split_where_they_are_named(put, call):
    put("A.jsonl", '{"id": "q", "answer": "Y", "articles": ["1", "2"]}\n{"id": "p", "answer": "N", "articles": ["3"]}')
    put("B.jsonl", '{"id": "q", "answer": "Y", "found": [{"no": "1", "s": 1.5}, {"no": "2", "s": 2.5}]}')
    names, nested = "answer=answer,document=articles", "answer=answer,document=found.no,score=found.s"
    for source, to, columns, expected in (
        ("A.jsonl", "columns", names, "q 1 A\nq 2 A\np 3 A\n"), ("A.jsonl", "labels", names, "q Y A\np N A\n"),
        ("B.jsonl", "trec", nested, "q Q0 2 1 2.5 B\nq Q0 1 2 1.5 B\n"), ("B.jsonl", "labels", nested, "q Y B\n"),
        ("A.jsonl", "labels", "answer=answer", "q Y A\np N A\n"),
    ):  # fmt: skip
        done(call, "convert", source, f"{source}.out", "--to", to, "--columns", columns)
        assert Path(f"{source}.out").read_text() == expected
    for to in ("columns", "labels"):
        err = failing(call, "convert", "A.jsonl", "other", "--to", to)
        assert matches(err, f"coliee-ir: …--columns {names}… [ambiguous]\n")


@pytest.mark.parametrize("text", ["R7-1-ア", "令和7年-01-ア", "r07-1-a"])
def test_questions_are_written_as_in_the_gold(text, put):
    gold = put("gold.txt", "R07-01-A Y\nR07-02-O N\n")
    target, _ = converted(put("T", f"{text} N T\nR07-02-O N T\n"), "labels", like=gold)
    assert target.read_text() == "R07-01-A N T\nR07-02-O N T\n"
    with refusing(ColieeError, "[conflicting]"):
        converted(put("T", f"{text} N T\nR07-01-A Y T\n"), "labels", like=gold)
    kept, told = converted(put("T", "R08-01-ア N T\n"), "labels", like=gold)
    assert kept.read_text() == "R08-01-ア N T\n" and "not in" in told[0]
