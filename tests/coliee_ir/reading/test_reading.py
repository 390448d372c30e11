import json
from functools import partial
from itertools import product
from pathlib import Path

import pandas
import pytest
from asserting import done, failing, heard, matches, mentions, refusing

import coliee_ir
from coliee_adapters.errors import InputError, UsageError
from coliee_adapters.files.source import Source
from coliee_adapters.records import STATUTE_ID, Answers, Gold, Run
from coliee_ir import read_gold, read_run, to_run
from coliee_ir.reading.anything import joined_runs, read_queries, readable
from coliee_ir.reading.submission import Submission
from coliee_ir.reading.tasks import find_task

TORT = (
    '{"tort_id": "0", "plaintiff_claims": [{"id": "0", "is_accepted": true}], "defendant_claims": [], '
    '"court_decision": true}\n'
)
UNDECIDED = TORT.replace('"court_decision": true', '"court_decision": null')
GOLDS = {
    "json": '{"008447.txt": ["072495.txt", "012101.txt"], "000018.txt": ["008447.txt"]}',
    "paragraphs": '{"827": "025.txt, 027.txt"}',
    "xml1": "<COLIEE task='1'><instance id='001'><cases_noticed>000013,000045</cases_noticed></instance></COLIEE>",
    "statute": '<dataset><pair id="R07-01-O" label="Y"><article>7</article><t2>x</t2></pair></dataset>',
    "articles": '<dataset><pair id="R07-01-O"><article>7</article><t2>x</t2></pair></dataset>',
    "statute json": '{"H18-1-1": ["572"], "H18-1-2": ["566", "567"]}',
    "statute qrels": "R02-1-A 0 398-20 1\n",
    "labels": "R07-01-O\tY\nR07-02-O\tN\n",
    "qrels": "301 0 CR93E-10279.txt 0\n301 0 CR93E-1282 1\n",
    "tort": TORT,
}


def written(folder, name, text):
    path = folder / name
    path.write_text(text)
    return str(path)


STATUTE, QUESTIONS = "the gold is statute law and the run holds articles", "the gold's queries are statute questions"
DECISIONS = "the files hold decisions; --task rationale scores the claims"
LABELLED = Gold({"R07-01-O": {"7": 1}}, {"R07-01-O": True})


@pytest.mark.parametrize(
    ("gold", "run", "task", "evidence"),
    [
        ("json", None, "1", "the gold's documents are case numbers"),
        ("paragraphs", None, "2", "the gold's documents are paragraph numbers"),
        ("xml1", None, "1", "the XML says so"),
        ("statute", "R07-01-O Q0 7 1 1 T\n", "3", STATUTE),
        ("statute", "R07-01-O Y T\n", "4", "the gold is statute law and the run holds labels"),
        ("articles", None, "3", "the gold is statute law without labels"),
        ("statute json", None, "3", QUESTIONS),
        ("labels", None, "4", "the gold holds labels only"),
        ("qrels", None, "trec", "the gold is qrels"),
        ("tort", UNDECIDED, "rationale", "the submission decides nothing"),
        ("tort", TORT + UNDECIDED.replace('"0"', '"1"', 1), "tort", DECISIONS),
        (LABELLED, {"R07-01-O": "Y"}, "4", None),
        (LABELLED, Answers({"R07-01-O": True}), "4", None),
        (Gold(labels={"0": True}, format="tort"), None, "tort", None),
        (Gold({"0": {"p0": 1}}, format="tort"), None, "rationale", None),
    ],
)
def test_the_task_is_found_from_files_and_records(gold, run, task, evidence, tmp_path):
    record = read_gold(written(tmp_path, "gold", GOLDS[gold])) if isinstance(gold, str) else gold
    found = find_task(record, written(tmp_path, "run", run) if isinstance(run, str) else run)
    assert heard(found) == (task, evidence or found.evidence)


def test_records_are_given_back_themselves_and_paths_are_opened(tmp_path):
    gold, run, answers = Gold({"q": {}}), Run.of({"q": []}), Answers({"q": True})
    assert [read_gold(gold), read_run(run), read_run(answers)] == [gold, run, answers]
    source = readable(Path(written(tmp_path, "gold", GOLDS["json"])))
    assert isinstance(source, Source)
    assert [readable(of) for of in (source, gold)] == [source, gold]


def test_ids_lose_txt_except_in_plain_trec(tmp_path):
    for form, task, ids in (
        ("qrels", None, {"CR93E-10279.txt", "CR93E-1282"}),  # plain TREC: as they stand
        ("qrels", "trec", {"CR93E-10279.txt", "CR93E-1282"}),
        ("qrels", "1", {"CR93E-10279", "CR93E-1282"}),
        ("json", None, {"072495", "012101", "008447"}),
        ("json", "trec", {"072495.txt", "012101.txt", "008447.txt"}),
    ):
        gold = read_gold(written(tmp_path, "gold", GOLDS[form]), task=task)
        assert {document for judged in gold.qrels.values() for document in judged} == ids
    path = written(tmp_path, "run", "q.txt Q0 d.txt 1 0.5 T\n")
    assert (to_run(path, task="trec"), to_run(path)) == ({"q.txt": {"d.txt": 0.5}}, {"q": {"d": 0.5}})


@pytest.mark.parametrize(
    ("read", "content", "expected"),
    [
        (read_gold, 7, "[unknown-format] gold … (found 'int')"),
        (read_run, 7, "[unknown-format] run … (found 'int')"),
        (read_gold, pandas.DataFrame({"query_id": ["q"]}), "[missing-column] (found 'query_id')"),
        (read_queries, {"q": ["d"]}, "[not-a-file]"),
        *((Submission, of, "[bad-value] run …") for of in (None, 3, Submission({"q": []}))),
        (partial(Submission, {"q": []}), 3, "[bad-value] answers …"),
        (partial(coliee_ir.evaluate, {"q": ["d"]}, task="trec", only=[7]), {"q": ["d"]}, "only … 7…"),
        (partial(read_gold, form="trec"), __file__, "[unknown-name] gold … 'trec'… parquet, tort, …"),
        (partial(read_run, form="qrels"), __file__, "[unknown-name] run … 'qrels'… parquet, tort, claims, …"),
    ],
)
def test_what_cannot_be_read_is_refused_with_what_it_is(read, content, expected):
    with refusing((InputError, UsageError), expected):
        read(content)


def test_a_list_names_queries_in_its_first_words_or_all_in_one_line(tmp_path):
    for text, queries in (
        ("001 002 003\n", "001 002 003"), ("001, 002.txt\n", "001 002"), ("query_id x\n001 a\n", "001"),
        ("query_id\n001\n001\n", "001"), ("query_id\n", "query_id"), ("001 x1\n002 x1\n", "001 002"), ("1 A1\n", "1"),
    ):  # fmt: skip
        assert read_queries(written(tmp_path, "q", text)) == tuple(queries.split()), text
    for text, fault in (("01 02\n03 04\n", ", line 1: [ambiguous]"), ("1 a\n2\n", ", line 2: [structure]")):
        with refusing(InputError, f"q{fault}"):
            read_queries(written(tmp_path, "q", text))


def test_a_gold_whose_ids_are_plainly_of_another_task_is_refused(tmp_path):
    cases = {"000018": ["000023"], "000101": ["000018"]}
    statute = [written(tmp_path, name, GOLDS[name]) for name in GOLDS if name.startswith(("statute", "articles"))]
    for golds, tasks in (
        ([*statute, {"H18-1-1": ["572"]}], ("1", 2)),
        ([cases, written(tmp_path, "gold.json", json.dumps(cases))], ("3", "4")),
    ):
        for gold, task in product(golds, tasks):
            path = "<memory>" if isinstance(gold, dict) else gold
            with refusing(UsageError, f"[wrong-task] {path} … {task} …"):
                coliee_ir.Evaluator(gold, task=task)


def test_ids_of_statute_questions_are_known_and_labels_of_other_queries_scored():
    statute = ["H18-1-2", "H26-37-G", "R02-10-E", "R1-18-U", "R01-1-A"]
    others = ["000018", "301", "S60-1-2", "R07-01", "R07-01-O ", "398-2"]
    assert [text for text in statute + others if STATUTE_ID.fullmatch(text)] == statute
    assert coliee_ir.evaluate({"000018": "Y"}, {"000018": "Y"}, task=4).measures == {"Accuracy": 1.0}


# what files hold that evaluate refuses in a sentence, with file, line and remedy; and what it reads nevertheless

CASES = '{"000001": ["000018", "000203"], "000002": ["000099"], "000003": ["000007"]}'
#: gold, run, and what is said: file, line if any, what stood there, what to do
REFUSED = {
    "broken JSON run": (CASES, '{\n"000001": ["000018",\n}',
        "run, line 3, column 1: [syntax] Expecting value … (found '}')"),
    "a test set for gold": ('["000001", "000002"]', CASES, "gold: [missing-label]"),
    "no gold at all": ("hello\n", CASES, "gold, line 1: unrecognised gold format (found 'hello'); "),
    "lost zeros": (CASES, "1 18 T\n2 99 T\n", "run: [mismatch] '1', '2'… gold … '000001', '000002', '000003'… 6 …"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_read_is_refused_in_a_sentence(name, here, call):
    *files, said = REFUSED[name]
    for file, content in zip(("gold", "run"), files, strict=True):
        Path(file).write_text(content)
    err = failing(call, "evaluate", "gold", "run")
    assert err.startswith("coliee-ir: ")
    assert mentions(err, said)
    assert err.count("\n") == 1


def test_untidy_files_are_read_and_comments_counted(here, call):
    Path("gold").write_bytes(b"\xef\xbb\xbf" + CASES.encode())
    Path("[TEAM] Task 1 run0.txt").write_bytes(
        b"\xef\xbb\xbf/* a sample\r\n of a run */\r\n# by us\r\n\r\n"
        b"000001.txt\t000018.txt\tT  \r\n  000002   000099 T\r\n000003 000007.txt T"
    )
    out, err = done(call, "evaluate", "gold", "[TEAM] Task 1 run0.txt", "-f", "csv")
    assert list(map(float, out.splitlines()[-1].split(",")[1:])) == [2 * 3 / 7, 1, 3 / 4]
    comments = "T: [comment] 3 … (first: line 1: /* a sample; line 2: of a run */; line 3: # by us)"
    assert matches(err.splitlines()[3:], [comments])


def test_articles_alone_and_answers_alone_are_not_joined_to_one_run():
    with refusing(InputError, "[mixed-forms]"):
        joined_runs([Run.of({"q1": ["a"]}), Answers({"q2": True})])
