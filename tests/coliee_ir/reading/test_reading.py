import json
from pathlib import Path

import pandas
import pytest
from asserting import heard, mentions, refusing

import coliee_ir
from coliee_adapters.errors import InputError, UsageError
from coliee_adapters.files.source import Source
from coliee_adapters.records import Answers, Gold, Run
from coliee_ir import read_gold, read_run, to_run
from coliee_ir.reading.anything import STATUTE_ID, find_task, readable

QRELS = {"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 2}}


# gold


def test_a_record_is_given_back_itself():
    gold, run, answers = Gold({"q": {}}), Run.of({"q": []}), Answers({"q": True})
    assert read_gold(gold) is gold
    assert read_run(run) is run
    assert read_run(answers) is answers


GOLDS = {
    "json": '{"008447.txt": ["072495.txt", "012101.txt"], "000018.txt": ["008447.txt"]}',
    "paragraphs": '{"827": "025.txt, 027.txt"}',
    "xml1": "<COLIEE task='1'><instance id='001'><cases_noticed>000013,000045</cases_noticed></instance></COLIEE>",
    "xml2": "<COLIEE task='2'><instance id='001'><entailing_paragraphs>013</entailing_paragraphs></instance></COLIEE>",
    "statute": '<dataset><pair id="R07-01-O" label="Y"><article>7</article><t2>x</t2></pair></dataset>',
    "articles": '<dataset><pair id="R07-01-O"><article>7</article><t2>x</t2></pair></dataset>',
    "labels": "R07-01-O\tY\nR07-02-O\tN\n",
    "statute qrels": "R02-1-A 0 398-20 1\n",
    "qrels": "301 0 CR93E-10279.txt 0\n301 0 CR93E-1282 1\n",
    "tort": '{"tort_id": "0", "plaintiff_claims": [{"id": "0", "is_accepted": true}], "defendant_claims": [], '
        '"court_decision": true}\n',
}  # fmt: skip


def written(folder, name, text):
    path = folder / name
    path.write_text(text)
    return str(path)


@pytest.mark.parametrize(
    ("form", "run", "task", "because"),
    [
        ("json", None, "1", "the gold's documents are case numbers"),
        ("paragraphs", None, "2", "the gold's documents are paragraph numbers"),
        ("xml1", None, "1", "the XML says so"),
        ("xml2", None, "2", "the XML says so"),
        ("statute", None, "3", "the gold is statute law and the run holds articles"),
        ("statute", "R07-01-O Q0 7 1 1 T\n", "3", "the gold is statute law and the run holds articles"),
        ("statute", "R07-01-O 7 T\n", "3", "the gold is statute law and the run holds articles"),
        ("statute", "R07-01-O Y T\n", "4", "the gold is statute law and the run holds labels"),
        ("articles", None, "3", "the gold is statute law without labels"),
        ("labels", None, "4", "the gold holds labels only"),
        ("statute qrels", None, "3", "the gold's queries are statute questions"),
        ("qrels", None, "trec", "the gold is qrels"),
        ("tort", GOLDS["tort"], "tort", "the files hold decisions; --task rationale scores the claims"),
        ("tort", GOLDS["tort"].replace('"court_decision": true', '"court_decision": null'), "rationale",
            "the submission decides nothing"),
        ("tort", GOLDS["tort"] + GOLDS["tort"].replace('"0"', '"1"', 1).replace('on": true', 'on": null'), "tort",
            "the files hold decisions; --task rationale scores the claims"),
        ("tort", "0 Y T\n", "tort", "the files hold decisions; --task rationale scores the claims"),
    ],
)  # fmt: skip
def test_the_task_is_found_from_the_files(form, run, task, because, tmp_path):
    gold = read_gold(written(tmp_path, "gold", GOLDS[form]))
    found = find_task(gold, None if run is None else written(tmp_path, "run", run))
    assert heard(found) == (task, because)


@pytest.mark.parametrize(
    ("gold", "run", "task"),
    [
        (Gold({"R07-01-O": {"7": 1}}, {"R07-01-O": True}), {"R07-01-O": "Y"}, "4"),
        (Gold({"R07-01-O": {"7": 1}}, {"R07-01-O": True}), {"R07-01-O": ["7"]}, "3"),
        (Gold({"R07-01-O": {"7": 1}}, {"R07-01-O": True}), Answers({"R07-01-O": True}), "4"),
        (Gold({"R07-01-O": {"7": 1}}), {"R07-01-O": ["7"]}, "3"),
        (Gold({"q1": {"7": 1}}), {"q1": ["7"]}, "trec"),
        (Gold(labels={"0": True}, format="tort"), None, "tort"),
        (Gold({"0": {"p0": 1}}, format="tort"), None, "rationale"),
    ],
)
def test_the_task_is_found_from_records(gold, run, task):
    assert find_task(gold, run).task == task


@pytest.mark.parametrize(
    ("form", "task", "ids"),
    [
        ("qrels", None, {"CR93E-10279.txt", "CR93E-1282"}),  # plain TREC: as they stand
        ("qrels", "trec", {"CR93E-10279.txt", "CR93E-1282"}),
        ("qrels", "1", {"CR93E-10279", "CR93E-1282"}),
        ("json", None, {"072495", "012101", "008447"}),
        ("json", "trec", {"072495.txt", "012101.txt", "008447.txt"}),
    ],
)
def test_ids_lose_txt_except_in_plain_trec(form, task, ids, tmp_path):
    gold = read_gold(written(tmp_path, "gold", GOLDS[form]), task=task)
    assert {document for judged in gold.qrels.values() for document in judged} == ids


# runs


def test_a_run_of_trec_keeps_its_ids(tmp_path):
    path = written(tmp_path, "run", "q.txt Q0 d.txt 1 0.5 T\n")
    assert to_run(path, task="trec") == {"q.txt": {"d.txt": 0.5}}
    assert to_run(path) == {"q": {"d": 0.5}}


def test_a_file_of_the_pilot_is_read_for_what_the_task_asks(tmp_path):
    path = written(tmp_path, "run.jsonl", GOLDS["tort"])
    decisions, claims = read_run(path, task="tort"), read_run(path, task="rationale")
    assert decisions.labels == {"0": True}
    assert isinstance(claims, Run)
    assert to_run(claims) == {"0": {"p0": 1.0}}


# what cannot be read


@pytest.mark.parametrize(
    ("read", "held", "said"),
    [
        (read_gold, 7, "[unknown-format] gold … (found 'int')"),
        (read_run, 7, "[unknown-format] run … (found 'int')"),
        (read_gold, [("q", "d", 1, "x")], "[missing-key]"),
        (read_gold, pandas.DataFrame({"query_id": ["q"]}), "[missing-column] (found 'query_id')"),
        (read_run, {"q": {"d": float("nan")}}, "[bad-score] (found 'nan')"),
        (read_run, {"q": {"d": "high"}}, "[bad-score] (found 'high')"),
        (read_gold, {"q": {"d": 0.5}}, "[bad-relevance] (found '0.5')"),
        (read_gold, {"q": "maybe"}, "[bad-label] (found 'maybe')"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_said_with_what_it_is(read, held, said):
    with pytest.raises(InputError) as refused:
        read(held)
    assert mentions(heard(refused.value), said)


def test_a_form_there_is_not_is_refused(tmp_path):
    path = written(tmp_path, "gold", GOLDS["json"])
    with refusing(UsageError, "[unknown-name] gold … 'trec'… parquet, tort, …"):
        read_gold(path, form="trec")
    with refusing(UsageError, "[unknown-name] run … 'qrels'… parquet, tort, claims, …"):
        read_run(path, form="qrels")


# where bytes come from


def test_a_path_is_opened_and_all_else_stays(tmp_path):
    path = Path(written(tmp_path, "gold", GOLDS["json"]))
    source = readable(path)
    assert isinstance(source, Source)
    assert readable(source) is source
    assert readable(QRELS) is QRELS


def test_ids_of_statute_questions_are_known():
    known = ["H18-1-2", "H26-37-G", "R02-10-E", "R1-18-U", "R01-1-A"]
    others = ["000018", "301", "S60-1-2", "R07-01", "R07-01-O ", "398-2"]
    assert [text for text in known + others if STATUTE_ID.fullmatch(text)] == known


STATUTE_GOLDS = {
    "gold.json": '{"H18-1-1": ["572"], "H18-1-2": ["566", "567"]}',
    "numbers.json": '{"H18-1-1": {"572": 1}}',
    "qrels.txt": "H18-1-1 0 572 1\n",
    "gold.xml": '<dataset><pair id="H18-1-1" label="Y"><article>572</article></pair></dataset>',
    "articles.xml": '<dataset><pair id="H18-1-1"><article>572</article></pair></dataset>',
}


@pytest.mark.parametrize("name", STATUTE_GOLDS)
def test_statute_questions_are_task_3_in_every_form(name, tmp_path):
    gold = written(tmp_path, name, STATUTE_GOLDS[name])
    assert find_task(read_gold(gold)).task == "3"
    for task in ("1", 2):
        with refusing(UsageError, f"[wrong-task] {task} …"):
            coliee_ir.Evaluator(gold, task=task)


def test_statute_questions_in_memory_are_not_of_task_1():
    with refusing(UsageError, "[wrong-task] <memory> … 1 …"):
        coliee_ir.Evaluator({"H18-1-1": ["572"]}, task=1)


@pytest.mark.parametrize("task", ["3", "4"])
@pytest.mark.parametrize("in_memory", [True, False])
def test_cases_are_not_of_a_statute_task(task, in_memory, tmp_path):
    held = {"000018": ["000023"], "000101": ["000018"]}
    gold = held if in_memory else written(tmp_path, "gold.json", json.dumps(held))
    with refusing(UsageError, f"[wrong-task] {task} …"):
        coliee_ir.Evaluator(gold, task=task)


def test_labels_of_queries_with_six_digits_are_scored():
    assert coliee_ir.evaluate({"000018": "Y"}, {"000018": "Y"}, task=4).measures == {"Accuracy": 1.0}


@pytest.mark.parametrize("task", ["1", "trec", None])
@pytest.mark.parametrize("wrong", ["", "a b", "a\nb", "\ufeffa"])
def test_a_text_that_is_not_one_id_is_refused_in_memory(task, wrong):
    for held in ({wrong: ["d"]}, {"q": [wrong]}, {"q": {wrong: 1}}):
        for read in (read_gold, read_run):
            with pytest.raises(InputError, match=r"this id (is empty|has a)"):
                read(held, task=task)


def test_ids_in_memory_may_have_commas_in_plain_trec_only():
    held = {"q": {"a,b": 1}}
    assert coliee_ir.evaluate(held, held, measures=["P_1"]).measures == {"P_1": 1.0}
    for read in (read_gold, read_run):
        assert read(held, task="trec")
        with refusing(InputError, "[bad-id]"):
            read(held, task="2")
    with refusing(InputError, "[bad-id]"):
        coliee_ir.Evaluator(Gold(held), task="2")
