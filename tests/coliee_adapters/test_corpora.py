import gzip
import json
from collections.abc import Iterator
from operator import methodcaller

import pytest
from asserting import heard, matches
from hypothesis import given, settings
from hypothesis import strategies as st
from sent import write

from coliee_adapters.corpora import Document, Query
from coliee_adapters.errors import InputError, UsageError
from coliee_adapters.records import Gold
from coliee_ir import read_corpus

#: What can be asked of a corpus.
docs_iter, queries_iter = map(methodcaller, ("docs_iter", "queries_iter"))
doc_ids, query_ids = map(methodcaller, ("doc_ids", "query_ids"))


@pytest.fixture
def folder(here):
    """Writes files, some in folders, below the current folder."""
    return write


def refusal(*args, asked=lambda corpus: None, **named):
    with pytest.raises((InputError, UsageError)) as error:
        answer = asked(read_corpus(*args, **named))
        if isinstance(answer, Iterator):
            list(answer)
    return heard(error.value)


CASES = {
    "cases/000018.txt": "[1] The hive was sold.\r\n[2] It was empty. \n",
    "cases/000023.txt": "\ufeff蜜蜂の売買。",
    "cases/000001.txt": "A swarm left.",
    **{f"cases/{name}": b"\0\xff" for name in (".DS_Store", "._000018.txt", "notes.md")},
}
FRAGMENTS = {
    "queries/002/base_case.txt": "[1] A garden. [2] The bees may leave.",
    "queries/002/entailed_fragment.txt": "The bees may leave.\n",
    "queries/002/paragraphs/001.txt": "Who owns a swarm?",
    "queries/002/paragraphs/010.txt": "A swarm that leaves is free.",
    "queries/001/base_case.txt": "[1] A hive was sold.",
    "queries/001/entailed_fragment.txt": "巣箱は売られた。",
    "queries/001/paragraphs/002.txt": "A sale.",
    "queries/001/paragraphs/001.txt": "An offer.",
    "queries/__MACOSX/x": "",
    "queries/README.txt": b"\xff",
}


def test_a_folder_of_cases_has_documents_and_a_gold_names_the_queries(folder):
    labels = '{"000018.txt": ["000001.txt", "000023.txt"], "000001.txt": ["000018"]}'
    folder({**CASES, "gold.json": labels})
    corpus = read_corpus("cases")
    assert (corpus.task, corpus.path, corpus.query_ids(), list(corpus.queries_iter())) == ("1", "cases", (), [])
    texts = {"000001": "A swarm left.", "000018": "[1] The hive was sold.\n[2] It was empty.", "000023": "蜜蜂の売買。"}
    assert corpus.doc_ids() == tuple(texts)
    assert list(corpus.docs_iter()) == [Document(*pair) for pair in texts.items()]
    corpus = read_corpus("cases", gold="gold.json")
    assert list(corpus.queries_iter()) == [Query(query, texts[query]) for query in ("000018", "000001")]
    assert corpus.candidate_ids("000018") == ("000001", "000023")
    assert [document.doc_id for document in corpus.candidates("000018")] == ["000001", "000023"]
    for test_set in ('["000018.txt", "000001.txt"]', '{"000018.txt": [], "000001": ""}'):
        folder({"queries.json": test_set})
        assert read_corpus("cases", gold="queries.json").query_ids() == ("000018", "000001")


def test_ids_are_known_without_opening_a_file(folder, monkeypatch):
    folder({**CASES, **FRAGMENTS})
    with monkeypatch.context() as patch:
        for name in ("pathlib.Path.open", "pathlib.Path.read_bytes", "builtins.open"):
            patch.setattr(name, lambda *args, **_: pytest.fail(f"opened: {args}"))
        corpus = read_corpus("cases", gold=Gold({"000018": {"000001": 1}}))
        assert corpus.doc_ids() == ("000001", "000018", "000023")
        assert corpus.query_ids() == ("000018",)
        assert corpus.candidate_ids("000018") == ("000001", "000023")
        corpus = read_corpus("queries")
        assert corpus.query_ids() == ("001", "002")
        assert corpus.doc_ids() == ("001/001", "001/002", "002/001", "002/010")
        assert corpus.candidate_ids("002") == ("001", "010")


def test_documents_are_found_by_id_which_is_no_path_and_titled_by_their_beginning(folder):
    folder({**CASES, **FRAGMENTS, "cases/000099.txt": "[1]\nBees, J.: " + "x" * 200, "secret.txt": "secret"})
    corpus = read_corpus("cases")
    assert corpus.find("000001") == corpus.find("000001.txt") == Document("000001", "A swarm left.")
    assert corpus.title("000018") == corpus.title("000018", "000001") == "[1] The hive was sold. [2] It was empty."
    assert corpus.title("000099") == "[1] Bees, J.: " + "x" * 65 + "…"
    assert (len(corpus.title("000099")), corpus.title("777777"), corpus.find("777777")) == (80, "", None)
    for path, names in (
        ("cases", ["../secret", "/etc/hostname", "../cases/000001", "notes.md", ".", "", "000001/.."]),
        ("queries", ["../queries/001/001", "001/../002/001", "001//001", "001/base_case", "001", "/", ""]),
    ):
        assert [read_corpus(path).find(name) for name in names] == [None] * len(names)


CASE = {"cases/000001.txt": ""}
IDS_EXPECTED = 'expected ["000001.txt", "000018.txt"]'


def golden(gold, sentence):
    """A folder of one case whose gold is not understood."""
    return {**CASE, "gold.json": gold}, {"gold": "gold.json"}, f"gold.json: {sentence}"


@pytest.mark.parametrize(
    ("files", "named", "sentence"),
    [
        *(({}, {"path": "nowhere", **task}, "nowhere: [no-file]") for task in ({}, {"task": "1"})),
        ({"cases/a/b.md": ""}, {}, "cases: [unknown-format]"),
        ({"cases/a.md": ""}, {"task": "1"}, "cases: [empty] case …"),
        ({"case.txt": "A swarm."}, {"path": "case.txt", "task": "1"}, "case.txt: [not-a-file]"),
        ({**CASE, "cases/ 000001.txt": ""}, {}, "cases/000001.txt:  [duplicate] 000001.txt …"),
        (CASE, {"gold": Gold({"18": {"1": 1}}, path="x")}, "x: [unknown-query] 1 … 1 … cases … (found '18')"),
        ({"cases/1.txt": b"a\nb \xe9t"}, {"asked": docs_iter}, "cases/1.txt, line 2: [encoding] (found '\\xe9t')"),
        (CASE, {"asked": lambda corpus: corpus.candidates("000023")}, "[unknown-query] '000023'… cases …"),
        golden('{"000001": ["000018"], "18": ["000001"]}', "[unknown-query] 1 … 2 … cases … (found '18')"),
        golden('["000001.txt", 18]', f"[bad-id] (found '18'); {IDS_EXPECTED}"),
        golden("[]", f"[empty]; {IDS_EXPECTED}"),
        golden("{}", '[structure] (found \'{}\'); expected {"000001": ["000018", "000023"]}'),
    ],
)
def test_no_corpus_of_cases(folder, files, named, sentence):
    folder(files)
    assert matches(refusal(**{"path": "cases", **named}), sentence)


def test_a_folder_of_folders_is_task_2(folder):
    """Paragraphs have the ids of runs as candidates, and unique ids elsewhere."""
    folder({**FRAGMENTS, "gold.json": '{"002": "010.txt, 001.txt"}'})
    corpus = read_corpus("queries")
    assert (corpus.task, corpus.query_ids()) == ("2", ("001", "002"))
    assert list(corpus.queries_iter()) == [
        Query("001", "巣箱は売られた。", "[1] A hive was sold."),
        Query("002", "The bees may leave.", "[1] A garden. [2] The bees may leave."),
    ]
    candidates = {"001": "Who owns a swarm?", "010": "A swarm that leaves is free."}
    texts = {"001/001": "An offer.", "001/002": "A sale.", **{f"002/{one}": text for one, text in candidates.items()}}
    assert list(corpus.docs_iter()) == [Document(*pair) for pair in texts.items()]
    assert corpus.doc_ids() == tuple(texts)
    corpus = read_corpus("queries", gold="gold.json")
    assert (corpus.query_ids(), corpus.doc_ids()) == (("002",), ("002/001", "002/010"))
    assert corpus.candidate_ids("002") == tuple(candidates)
    assert list(corpus.candidates("002")) == [Document(*pair) for pair in candidates.items()]
    assert corpus.unique_id("002", "010.txt") == "002/010"
    assert corpus.title("010", "002") == corpus.title("002/010") == candidates["010"]
    assert corpus.title("010", "001") == corpus.title("010") == corpus.title("001/001") == ""


CODE = "(Bees)\nArticle 1 (1) A bee is free.\nArticle 398-20 A hive is a house.\n"
ARTICLES = [
    Document("1", "Article 1 (1) A bee is free.", "Bees"),
    Document("398-20", "Article 398-20 A hive is a house."),
]


def pairs(*held):
    return "<?xml version='1.0'?>\n<dataset>\n" + "\n".join(held) + "\n</dataset>\n"


@pytest.mark.parametrize(
    "t1", ['<t1><article id="1"/></t1>', "<t1>\nArticle 1 A bee.\n</t1>", "<article>1</article>", ""]
)
def test_each_generation_of_statements_gives_queries_with_and_without_a_code(folder, t1):
    asked = [
        f'<pair id="R07-01-A" label="Y">{t1}<t2>\nA bee\nis free.\n</t2></pair>',
        '<pair id="q"><t2>\n</t2></pair>',
    ]
    folder({"code.txt": CODE, "pairs.xml": pairs(*asked)})
    corpus = read_corpus("code.txt", gold="pairs.xml")
    assert (corpus.task, corpus.path, corpus.query_ids()) == ("3", "code.txt", ("R07-01-A", "q"))
    for one in (corpus, read_corpus("code.txt", task="3", gold="pairs.xml"), read_corpus("pairs.xml", task="5")):
        assert list(one.queries_iter()) == [Query("R07-01-A", "A bee\nis free."), Query("q", "")]
    assert corpus.doc_ids() == corpus.candidate_ids("q") == ("1", "398-20")
    assert list(corpus.docs_iter()) == list(corpus.candidates("q")) == ARTICLES
    assert corpus.find("398-20") == ARTICLES[1]
    titles = [corpus.title(article) for article in ("1", "398-20", "2")]
    assert titles == ["Bees", "Article 398-20 A hive is a house.", ""]
    for part in (doc_ids, docs_iter, lambda c: c.title("1"), lambda c: c.candidates("R07-01-A")):
        assert matches(refusal("pairs.xml", task="5", asked=part), "[wrong-part] pairs.xml …")


def instance(tort_id, verdict=None, **changed):
    def claim(n, text, said):
        return {"id": str(n), "description": text, "is_accepted": said}

    held = {
        "version": "1",
        "tort_id": tort_id,
        "undisputed_facts": [{"id": "0", "description": f"事実{tort_id}。"}, {"id": "1", "description": " A hive. "}],
        "plaintiff_claims": [claim(0, f"原告{tort_id}", verdict)],
        "defendant_claims": [claim(0, f"被告{tort_id}", verdict), claim(1, "The bees did it.", verdict)],
        "court_decision": verdict,
        **changed,
    }
    return json.dumps(held, ensure_ascii=False)


@pytest.mark.parametrize(("start", "verdict"), [("", True), ("\ufeff \r\n\n", False), ("", None)])
def test_instances_are_queries_and_claims_their_documents(folder, start, verdict):
    text = f"{start}{instance('7', verdict)}\r\n\n{instance('a/b', verdict)}"
    folder({"pilot.jsonl": text, "pilot.jsonl.gz": gzip.compress(text.encode())})
    assert read_corpus("pilot.jsonl").task == "tort"
    corpus = read_corpus("pilot.jsonl.gz", task="rationale")
    assert corpus.query_ids() == ("7", "a/b")
    assert list(corpus.queries_iter()) == [Query(q, f"事実{q}。\nA hive.") for q in corpus.query_ids()]
    claims = {q: {"p0": f"原告{q}", "d0": f"被告{q}", "d1": "The bees did it."} for q in ("7", "a/b")}
    documents = [Document(f"{q}/{claim}", text) for q, of in claims.items() for claim, text in of.items()]
    assert list(corpus.docs_iter()) == list(map(corpus.find, corpus.doc_ids())) == documents
    assert corpus.candidate_ids("a/b") == ("p0", "d0", "d1")
    assert list(corpus.candidates("a/b")) == [Document(*pair) for pair in claims["a/b"].items()]
    assert corpus.title("d1", "7") == corpus.title("7/d1") == "The bees did it."
    assert corpus.find("7/p1") is corpus.find("8/p0") is corpus.find("p0") is None


@pytest.mark.parametrize(
    ("files", "asked", "sentence"),
    [
        ({"README.txt": ""}, doc_ids, ": [empty]; … entailed_fragment.txt … paragraphs …"),
        ({"1/paragraphs/1.txt": "", "1/base_case.txt": ""}, queries_iter, "/1/entailed_fragment.txt: [no-file]"),
        ({"001/paragraphs/001.md": ""}, docs_iter, "/001/paragraphs: [empty] paragraph … 001 …"),
    ],
)
def test_no_folder_of_fragments(folder, files, asked, sentence):
    folder({"queries/1/base_case.txt": "", **{f"queries/{name}": text for name, text in files.items()}})
    assert matches(refusal("queries", task="2", asked=asked), f"queries{sentence}")


@pytest.mark.parametrize(
    ("path", "named", "sentence"),
    [
        ("queries", {"gold": "gold.json"}, "gold.json: [unknown-query] 1 … 1 … queries … (found '003')"),
        ("code.txt", {"gold": "labels.txt"}, "labels.txt: [unknown-format]"),
        ("pairs.xml", {"gold": "pairs.xml"}, "[wrong-part] pairs.xml …"),
        ("code.txt", {"gold": Gold({})}, "[not-a-file]"),
        ("labels.txt", {"task": "3", "asked": docs_iter}, "labels.txt: [empty]"),
        ("code.txt", {"task": "trec"}, "[empty] 'trec'… 1, 2, 3, 4, 5, tort, rationale …"),
        *(
            (path, {"asked": lambda corpus: corpus.candidates("9\x1b[1m")}, f"[unknown-query] '9\\x1b[1m'… {path} …")
            for path in ("queries", "pilot.jsonl")
        ),
    ],
)
def test_no_other_corpus(folder, path, named, sentence):
    folder({**FRAGMENTS, "gold.json": '{"003": ["001"]}', "code.txt": CODE, "labels.txt": "H18-1-2 Y\n"})
    folder({"pairs.xml": pairs('<pair id="q" label="Y"><t2>A bee.</t2></pair>'), "pilot.jsonl": instance("7")})
    assert matches(refusal(path, **named), sentence)


TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"))


@settings(max_examples=settings().max_examples // 4)
@given(st.dictionaries(st.from_regex(r"[0-9]{1,6}", fullmatch=True), TEXTS))
def test_what_is_written_is_read_by_order_of_id(tmp_path_factory, held):
    path = tmp_path_factory.mktemp("cases")
    held = {"000": "", **held}
    for case, text in held.items():
        (path / f"{case}.txt").write_text(text, encoding="utf-8", newline="")
    expected = {
        case: held[case].removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").strip()
        for case in sorted(held)
    }
    corpus = read_corpus(path)
    assert corpus.doc_ids() == tuple(expected)
    assert {document.doc_id: document.text for document in corpus.docs_iter()} == expected
