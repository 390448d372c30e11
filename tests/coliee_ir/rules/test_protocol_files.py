"""Protocol files of others: their formats read, scored and validated through the file alone."""

import json
import pickle
import random
import zipfile
from pathlib import Path

import pytest
import pytrec_eval
from asserting import done, failing, heard, matches, mentions, refusing
from by_form import one_a_line
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from reading import told

import coliee_ir
from coliee_adapters.errors import InputError
from coliee_adapters.files.source import Source
from coliee_adapters.forms import columns
from coliee_adapters.layouts import Layout, Part, described
from coliee_ir.commands.bundle import pack, score_upload
from coliee_ir.rules import protocol as rules
from coliee_ir.rules.protocol import NEWEST, submission_rules, use_protocol_file


@pytest.fixture(autouse=True)
def _forgotten(monkeypatch, tmp_path):
    """Protocols that a test names are not those of the next."""
    monkeypatch.setattr(rules, "protocols_by_name", {})
    monkeypatch.chdir(tmp_path)


def put(name, content):
    """Write a file, JSON unless it is text."""
    text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
    Path(name).write_text(text, encoding="utf-8")
    return name


def json_of(call, *words, code=0):
    """What a command prints as JSON."""
    found, out, err = call(*words, "-f", "json")
    assert found == code, err
    return json.loads(out)


OWN = 'task = "own"\ntitle = "own"\nparts = ["documents"]\n'

NEXT_YEAR = f"""
task = "1"
law = "case"
title = "case-law retrieval"
parts = ["documents"]
cases_as_queries = true
[[edition]]
first = {NEWEST + 1}
measures = ["MacroF1", "MicroF1"]
[[submission]]
first = {NEWEST + 1}
columns = ["QUERY", "DOCUMENT", "TAG"]
most_runs = 5
"""


def test_next_years_rules_come_from_a_file_alone(call):
    put("next.toml", NEXT_YEAR)
    gold = put("gold.json", {"000001": ["000002"], "000003": ["000004", "000005"]})
    run = put("run.txt", "000001 000002 A\n000003 000004 A\n000003 000006 A\n")
    whole = json_of(call, "evaluate", gold, run, "--protocol", "next.toml")
    assert (whole["task"], whole["edition"]) == ("1", NEWEST + 1)
    assert whole["runs"][0]["measures"] == {"MacroF1": 0.75, "MicroF1": pytest.approx(2 / 3)}
    assert f"task 1 of {NEWEST + 1}" in done(call, "validate", run, "--gold", gold, "--protocol", "next.toml")[1]
    assert submission_rules("1").most_runs == 5
    older = json_of(call, "evaluate", gold, run, "--protocol", "next.toml", "--edition", str(NEWEST))
    assert list(older["runs"][0]["measures"]) == ["MicroF1", "MicroP", "MicroR"]


def alqac(*questions):
    return [
        {"question_id": question, "text": "…", "relevant_articles": [{"law_id": a, "article_id": b} for a, b in found]}
        for question, found in questions
    ]


LAW, FILM = "1/2022/QH15", "Luật Điện ảnh"
ALQAC_GOLD = alqac(("DS-1", [(LAW, "5"), (LAW, 6)]), ("DS-2", [(FILM, "1")]), ("DS-3", [("45/2019/QH14", "9")]))
ALQAC_RUN = alqac(("DS-1", [(LAW, "5")]), ("DS-2", [(FILM, "1"), (FILM, "2")]), ("DS-3", []))
#: by hand; test_neighbours has the script
ALQAC_SCORES = {"MacroF2": (5 / 9 + 5 / 6) / 3, "MacroP": 1 / 2, "MacroR": 1 / 2}


def test_a_submission_is_held_to_what_the_protocol_states(call):
    stated = (
        OWN + 'measures = ["MicroF1"]\nnot_itself = true\n'
        '[gold]\ncontainer = "json"\n[gold.documents]\n[run]\nlike = "gold"\n[[submission]]\nmost_runs = 1\n'
        'most_documents = 2\nquery_pattern = "q[0-9]+"\ndocument_pattern = "[dq][0-9]+"\n'
    )
    put("own.toml", stated)
    gold = put("gold.json", {"q1": ["d1"], "q2": ["d2"], "x3": ["d3"]})
    run = put("run.json", {"q1": ["d1", "d1", "q1"], "q4": [], "x3": ["e5", "d9"]})
    put("corpus.txt", "d1\nd2\nd3\ne5\nq1\n")
    other = put("other.json", {"q1": ["d1"]})
    options = ["--gold", gold, "--protocol", "own.toml", "--corpus", "corpus.txt"]
    findings = json_of(call, "validate", run, other, *options, code=1)["findings"]
    assert {(one["rule"], one["places"][0]["found"]) for one in findings if one["file"] == run} == {
        ("query-unknown", "q4"), ("query-form", "x3"), ("query-missing", "q2"), ("document-form", "e5"),
        ("document-unknown", "d9"), ("self-retrieved", "q1"), ("duplicate", "q1 d1"), ("too-many", "q1: 3 documents"),
        ("empty-list", "q4"),
    }  # fmt: skip
    assert {one["rule"] for one in findings if one["file"] == other} == {"query-missing", "runs"}


def test_a_query_leaves_its_own_results_queries_are_left_out_and_choices_hold_unless_others_are_made(call):
    put("own.toml", OWN + 'measures = ["P@1"]\nnot_itself = true\nexclude = ["q2", "q9"]\n')
    run = {"q1": {"q1": 0.9, "d1": 0.8}, "q2": {"d1": 0.9}}
    scores = coliee_ir.evaluate({"q1": {"d1": 1}, "q2": {"d2": 1}}, run, task="own.toml")
    assert (scores.measures, scores.excluded) == ({"P@1": 1.0}, ("q2",))
    assert mentions(heard(scores.remarks), "[absent-exclusion] 1 query … q9 …")
    put("own.toml", OWN + 'measures = ["MacroP"]\ndecisions = {unanswered = "skip"}\n')
    files = put("gold.json", {"q1": ["d1"], "q2": ["d2"]}), put("run.json", {"q1": ["d1"]})
    for more, value in (([], 1.0), (["--decision", "unanswered=zero"], 0.5)):
        [scored] = json_of(call, "evaluate", *files, "--protocol", "own.toml", *more)["runs"]
        assert scored["measures"] == {"MacroP": value}
    assert coliee_ir.evaluate(*files, task="own.toml").measures == {"MacroP": 1.0}


def test_the_level_is_that_of_trec_eval_and_leaves_gains_alone():
    gold = {
        "a": {"d1": 1, "d2": 2, "d3": 0, "d4": 3, "d5": -1, "d6": 2},
        "b": {"d1": 1, "d2": 1, "d7": 0},
        "c": {"d2": 3, "d3": 1, "d9": 0},
    }
    run = {
        "a": {"d1": 6.0, "d3": 5.0, "d2": 4.0, "x": 3.0, "d6": 2.0, "d5": 1.0},
        "b": {"d1": 2.0, "d7": 1.0},
        "c": {"d3": 3.0, "d2": 2.0, "d9": 2.0, "y": 1.0},
    }
    put("own.toml", OWN + 'measures = ["MicroP"]\nlevel = 2\n')
    values = coliee_ir.evaluate(gold, run, task="own.toml", measures="all_trec").per_query
    expected = pytrec_eval.RelevanceEvaluator(gold, pytrec_eval.supported_measures, relevance_level=2).evaluate(run)
    names = {name for of_query in values.values() for name in of_query}
    assert {"G", "infAP", "map", "ndcg", "ndcg_cut_10", "num_nonrel_judged_ret", "P_5"} <= names
    assert values == {query: {name: of_query[name] for name in names} for query, of_query in expected.items()}
    # ours: binary ones follow the level, gains do not
    names = ["MicroP", "MacroR", "MicroF1@2", "RBP", "AP", "ERR", "nDCG(dcg='exp-log2')", "nDCG@2", "Compat"]
    of_level, plain = (coliee_ir.evaluate(gold, run, task=task, measures=names) for task in ("own.toml", "trec"))
    binary = {query: {one: int(level >= 2) for one, level in judged.items()} for query, judged in gold.items()}
    as_binary = coliee_ir.evaluate(binary, run, task="trec", measures=names)
    for name, score in of_level.measures.items():
        assert score == (as_binary if names.index(name) < 5 else plain).measures[name], name
    # of the two orders of equal scores, one is best, and what is expected is in the middle
    orders = [{**run, "c": run["c"] | {"d9": score}} for score in (1.5, 2.5)]
    values = [coliee_ir.evaluate(gold, one, task="own.toml", measures=names).measures for one in orders]
    assert {"MicroF1@2", "AP", "nDCG@2"} == {measure.name for measure in of_level.ties}
    for measure in of_level.ties:
        low, high = sorted(one[measure.name] for one in values)
        assert low < high and of_level.span(measure) == pytest.approx((low, (low + high) / 2, high)), measure.name


# layouts

JUDGED = st.dictionaries(
    st.from_regex(r"q[0-9]{1,3}", fullmatch=True),
    st.dictionaries(st.from_regex(r"d[0-9]{1,3}", fullmatch=True), st.integers(0, 3), min_size=1, max_size=4),
    min_size=1,
    max_size=4,
)
LISTED = Part(at="docs", id="{law}{no}", relevance="grade", score="grade")
ROW = Part(id="doc", relevance="grade", score="grade")


def containers(judged):
    """The same judgements, written in each way."""
    rows = [(query, document, grade) for query, held in judged.items() for document, grade in held.items()]
    records = [
        {"q": query, "docs": [{"law": doc[0], "no": int(doc[1:]), "grade": grade} for doc, grade in held.items()]}
        for query, held in judged.items()
    ]
    every = list(dict.fromkeys(document for _, document, _ in rows))
    matrix = [["q", *every], *([query, *(held.get(doc, 0) for doc in every)] for query, held in judged.items())]
    names, row, entries = ("q", "doc", "grade"), {"documents": ROW}, {"documents": Part()}

    def text(rows, separator):
        return "".join(separator.join(map(str, row)) + "\n" for row in rows)

    return {
        "nested": (json.dumps({"a": {"b": records}}), Layout("json", "a.b", "q", parts={"documents": LISTED})),
        "entries": (json.dumps(judged), Layout("json", parts=entries)),
        "jsonl": (one_a_line(dict(zip(names, row, strict=True)) for row in rows), Layout("jsonl", "", "q", parts=row)),
        "jsonl of entries": (one_a_line({query: of} for query, of in judged.items()), Layout("jsonl", parts=entries)),
        "csv": (text([names, *rows], ","), Layout("csv", "", "q", parts=row)),
        "tsv": (text(rows, "\t"), Layout("tsv", "", "q", names, parts=row)),
        "columns": (text(rows, "  "), Layout("columns", "", "q", names, parts=row)),
        "matrix": (text(matrix, ","), Layout("csv", "", "q", parts={"documents": Part(at="*")})),
    }


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=15)
@given(JUDGED)
def test_the_same_judgements_are_read_from_every_container(judged):
    judged = {query: {f"d{int(doc[1:])}": grade for doc, grade in held.items()} for query, held in judged.items()}
    assume(any(grade > 0 for held in judged.values() for grade in held.values()))
    for name, (text, layout) in containers(judged).items():
        source = Source(put("x", text))
        found = {query: dict(held) for query, held in (described.read_gold(source, layout).qrels or {}).items()}
        if name == "matrix":
            found = {query: {doc: found[query][doc] for doc in held} for query, held in judged.items()}
        assert found == judged, name
        for sizes in (columns.BLOCK_SIZES, (8, 0)):  # any cut of the file
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(columns, "BLOCK_SIZES", sizes)
                scores = coliee_ir.to_run(described.read_run(source, layout))
            assert {query: {doc: scores[query][doc] for doc in held} for query, held in judged.items()} == judged, name
        assert described.read_queries(source, layout) == tuple(judged)


def test_ranks_and_the_order_of_lists_rank_and_other_parts_stand_beside_documents():
    rows = Layout("tsv", "", "q", ("q", "doc", "rank"), parts={"documents": Part(id="doc", rank="rank")})
    run = described.read_run(Source(put("run.tsv", "q1\td2\t2\nq1\td1\t1\nq2\td3\t1\n")), rows)
    assert {query: list(held) for query, held in coliee_ir.to_run(run).items()} == {"q1": ["d1", "d2"], "q2": ["d3"]}
    for reverse, order in ((False, ["d1", "d2"]), (True, ["d2", "d1"])):
        listed = Layout("json", parts={"documents": Part(reverse=reverse)})
        run = described.read_run(Source(put("run.json", {"q1": ["d1", "d2"]})), listed)
        assert list(coliee_ir.to_run(run)["q1"]) == order
    parts = {
        "documents": Part(at="laws", separator=","),
        "answers": Part(at="answer", yes=("Đúng",), no=("Sai",)),
        "evidence": Part(at="chunks"),
    }
    layout, content = Layout("json", query="id", strip=(".txt",), parts=parts), [
        {"id": 7, "laws": "a.txt, b c", "answer": "Đúng", "chunks": ["x"]},
        {"id": 8, "laws": "", "answer": "Sai", "chunks": []},
    ]  # fmt: skip
    gold = described.read_gold(Source(put("x.json", content)), layout)
    assert (gold.qrels, gold.labels) == ({"7": {"a": 1, "b_c": 1}, "8": {}}, {"7": True, "8": False})
    assert gold.other_parts == {"evidence": {"7": {"x": 1}, "8": {}}}
    others = described.read_run(Source("x.json"), layout).other_parts
    assert (others["answers"].labels, set(others)) == (gold.labels, {"answers", "evidence"})
    twice = Source(put("twice.json", [{"q": "7", "a": "Y"}, {"q": "7", "a": "Y"}, {"q": "8", "a": "perhaps"}]))
    answers = described.read_run(twice, Layout("json", query="q", parts={"answers": Part(at="a")}))
    assert (answers.labels, answers.unreadable, answers.remarks.count("duplicate")) == ({"7": True}, ("8",), 1)
    gold = described.read_gold(twice, Layout("json", query="q", parts={"answers": Part(at="a", no=("perhaps",))}))
    assert (gold.labels, gold.remarks.count("gold-duplicate")) == ({"7": True, "8": False}, 1)


def laid(container, records="", query="", columns=(), **part):
    return Layout(container, records, query, tuple(columns), parts={"documents": Part(**part)})


@pytest.mark.parametrize(
    ("content", "layout", "expected"),
    [
        ("[1]", laid("json", query="q", at="d"), ": record 1: [structure] (found '1')"),
        ('{"a": 1}', laid("json", query="q"), ": [structure] (found '{\"a\": 1}')"),
        ('{"a": 1}', laid("json", "b", "q"), ": file x.txt: [missing-key] 'b'…; there are a; …"),
        ('[{"q": "1"}]', laid("json", query="q", at="d"), ": record 1: [missing-key] 'd'…"),
        ('[{"q": "1", "d": [{}]}]', laid("json", query="q", at="d", id="x"), ": record 1: [missing-key] 'x'…"),
        ('[{"q": "1", "d": {"": 1}}]', laid("json", query="q", at="d"), ": record 1: [bad-id] (found '')"),
        ('[{"q": "1", "d": [true]}]', laid("json", query="q", at="d"), ": record 1: [bad-id] (found 'true')"),
        ('{"x": {"d": 1}}', laid("json")._replace(numbers=True), ": query x: [bad-id] (found 'x')"),
        ('[{"q": {}}, {" ": {"d": 1}}]', laid("json"), ": record 2: [bad-id] (found ' ')"),
        ('{"q": {"d": "high"}}', laid("json"), ": query q: [bad-relevance] (found 'high')"),
        ('\n{"q": {"d": 1}}\n{" ": {"d": 1}}', laid("jsonl"), ", line 3: [bad-id] (found ' ')"),
        ("q,d\n", laid("csv", query="q", id="d"), ": [missing-column]"),
        ('{"q": "1"}', laid("csv", query="q", id="d"), ", line 1: [unknown-format]"),
        ("q,d\n1,2,3\n", laid("csv", query="q", id="d"), ", line 2: [columns] (found '1,2,3')"),
        ("foo,bar\n1,2\n", laid("csv", query="q", id="d"), ", line 2: [missing-key] 'q'…"),
        ("1 a 1\n1 a 2\n", laid("columns", query="q", columns="qdr", id="d", relevance="r"), ", line 2: [conflicting]"),
        ('[{"q": "1", "a": "-"}]', Layout("json", "", "q", parts={"answers": Part(at="a")}), ": record 1: [bad-label]"),
    ],
)
def test_what_is_not_written_like_that_is_refused_with_its_place(content, layout, expected):
    assert matches(told(described.read_gold, Source(put("x.txt", content)), layout), f"x.txt{expected}")


GOLD_IN_RECORDS = f"""{OWN}measures = ["MacroF2"]
[gold]
container = "json"
query = "question_id"
[gold.documents]
at = "relevant_articles"
id = "{{law_id}}|{{article_id}}"
[run]
container = "columns"
columns = ["query", "document", "score"]
query = "query"
[run.documents]
id = "document"
score = "score"
"""


def test_files_are_converted_and_a_gold_that_is_not_a_run_is_named_as_what_it_is(call):
    put("own.toml", GOLD_IN_RECORDS)
    gold, run = put("gold.json", ALQAC_GOLD), put("sent.txt", "q1 d1 0.5\n")
    for file, to, kind, remedy in ((gold, "trec", "gold", "qrels"), (run, "qrels", "run", "trec")):
        typed = ("convert", file, "out.txt", "--protocol", "own.toml", "--to")
        assert matches(failing(call, *typed, to), f"coliee-ir: [option-needed] {file} … {kind} … {remedy} …\n")
        done(call, *typed, remedy)
    done(call, "convert", gold, "run.txt", "--protocol", "alqac", "--to", "trec")
    assert coliee_ir.evaluate(gold, "run.txt", task="own.toml", measures="MacroF2").measures == {"MacroF2": 1.0}


@pytest.mark.parametrize("name", ["alqac", "own.toml"])
def test_a_bundle_and_an_evaluator_take_their_rules_where_they_are_not_known(name, monkeypatch):
    package = Path(rules.__file__).parent / "protocols" / "neighbours" / "alqac.toml"
    put("own.toml", package.read_text(encoding="utf-8").replace('task = "alqac"', 'task = "own"'))
    gold, run = put("gold.json", ALQAC_GOLD), put("run.json", ALQAC_RUN)
    sent = pickle.dumps(coliee_ir.Evaluator(gold, task=name))
    Path("bundle.zip").write_bytes(pack(gold, task=name, image="me/scorer"))
    monkeypatch.setattr(rules, "protocols_by_name", {})
    assert pickle.loads(sent).evaluate(run).measures == pytest.approx(ALQAC_SCORES)
    monkeypatch.setattr(rules, "protocols_by_name", {})
    with zipfile.ZipFile("bundle.zip") as bundle:
        inner = next(entry for entry in bundle.namelist() if entry.endswith("reference_data.zip"))
        with zipfile.ZipFile(bundle.open(inner)) as reference:
            reference.extractall("reference")
    stated = json.loads(Path("reference/rules.json").read_text(encoding="utf-8"))
    uploaded = score_upload(Path("reference", stated["gold"]), run, stated)
    assert not uploaded.error
    assert uploaded.scores == pytest.approx(ALQAC_SCORES)


# every command, by a protocol with parts and scores of its own

VERDICTS = """
task = "verdicts"
title = "verdicts with statutes and proof"
parts = ["answers", "documents", "proof"]
measures = ["Final", "LabelAccuracy", "MicroF1"]
scores = {Final = "0.7*LabelAccuracy + 0.2*MacroR(proof) + 0.1*MicroF1"}
[gold]
container = "json"
records = "cases"
query = "no"
[gold.answers]
at = "verdict"
yes = ["guilty"]
no = ["acquitted"]
[gold.documents]
at = "statutes"
id = "{law}|{art}"
[gold.proof]
at = "proof"
[run]
like = "gold"
[run.documents]
at = "statutes"
id = "{law}|{art}"
score = "conf"
"""


def verdicts(seed):
    """A gold, or a run of its form."""
    draw = random.Random(seed)
    cases = [
        {
            "no": f"q{n}",
            "verdict": draw.choice(("guilty", "acquitted")),
            "statutes": [{"law": "A", "art": art, "conf": draw.random()} for art in draw.sample(range(9), 2 + n % 3)],
            "proof": draw.sample(("e1", "e2", "e3"), 2),
        }
        for n in range(12)
    ]
    return {"year": 2026, "cases": cases}


@pytest.fixture
def own():
    """A gold and two runs of ``own.toml``."""
    put("own.toml", VERDICTS)
    return [put(f"{name}.json", verdicts(seed)) for seed, name in enumerate(("gold", "one", "two"))]


def test_what_fuse_cut_and_tune_write_is_read_beside_the_formats_of_the_protocol(own, call):
    gold, *runs = own
    by_own = ["--protocol", "own.toml"]
    done(call, "fuse", *runs, *by_own, "--fit", gold, "--folds", "3", "-o", "fused.run")
    tuned = ["tune", gold, runs[0], *by_own, "-m", "MicroF1", "--by", "k", "--folds", "3", "--save", "rule.json"]
    done(call, *tuned, "--apply", runs[1], "-o", "tuned.run")
    done(call, "cut", runs[1], "--rule", "rule.json", *by_own, "-o", "cut.run")
    assert Path("cut.run").read_bytes() == Path("tuned.run").read_bytes()
    for name in ("fused.run", "cut.run"):
        [scored] = json_of(call, "evaluate", gold, name, *by_own)["runs"]
        assert list(scored["measures"]) == ["MicroF1"]  # of the parts that it has
        assert scored["measures"] == coliee_ir.evaluate(gold, name, task="own.toml", measures="MicroF1").measures
        assert "proof" in failing(call, "evaluate", gold, name, *by_own, "-m", "MicroF1(proof)")


def test_measures_are_explained_and_a_file_that_was_changed_is_read_anew(own, call):
    gold, run, _ = own
    measured = json_of(call, "measures", "--protocol", "own.toml")
    assert [one["name"] for one in measured] == ["Final", "LabelAccuracy", "MicroF1"]
    assert measured[0]["formula"] == "0.7*LabelAccuracy + 0.2*MacroR(proof) + 0.1*MicroF1"
    first = coliee_ir.evaluate(gold, run, task="own.toml").measures["Final"]
    put("copy.toml", VERDICTS.replace("0.7", "0.5"))
    with refusing(InputError, "own.toml was named before"):
        use_protocol_file("copy.toml")
    put("own.toml", VERDICTS.replace("0.7", "0.5"))
    assert coliee_ir.evaluate(gold, run, task="own.toml").measures["Final"] < first


@pytest.mark.parametrize(
    ("was", "becomes", "key"),
    [
        ('"MicroF1"]', '"Nonsense"]', "measures"),
        ("measures =", 'tie_break = ["Nonsense"]\nmeasures =', "tie_break"),
        ("MacroR(proof)", "MacroR(prof)", "scores"),
        ("0.7*", "0.7*0.7*", "scores, Final"),
        ("measures =", 'decisions = {unanswered = "maybe"}\nmeasures =', "decisions, unanswered"),
    ],
)
def test_what_a_protocol_cannot_mean_is_refused_with_its_key(was, becomes, key, own, call):
    put("own.toml", VERDICTS.replace(was, becomes, 1))
    for command in (["protocol", "own.toml"], ["evaluate", *own, "--protocol", "own.toml"]):
        [said] = failing(call, *command).splitlines()
        assert f"own.toml: {key}: " in said
    with pytest.raises(InputError):
        coliee_ir.evaluate(*own[:2], task="own.toml")


def test_a_line_that_cannot_be_read_is_named_behind_blocks_that_can(monkeypatch):
    monkeypatch.setattr(columns, "BLOCK_SIZES", (64, 0))
    lines = [f"q{n}\td{n}\t{'high' if n == 40 else n}\n" for n in range(50)]
    put("run", "q\td\ts\n" + "".join(lines))
    layout = Layout("tsv", "", "q", parts={"documents": Part(id="d", score="s")})
    with refusing(InputError, "line 42: "):
        list(described.read_run(Source("run"), layout).blocks())


def test_editions_of_a_protocol_and_a_known_format_as_container(call):
    stated = OWN + '[[edition]]\nfirst = 2026\nlast = 2026\nmeasures = ["MacroF2"]\n[[edition]]\nfirst = 2027\n'
    stated += 'measures = ["Both"]\n[edition.scores]\nBoth = "0.5*MicroF1 + 0.5*MacroR"\n'
    put("own.toml", stated + '[gold]\ncontainer = "statute-xml"\n[run]\ncontainer = "trec"\n')
    folder = Path(coliee_ir.__file__).parent / "examples" / "task3-2025"
    gold, run = folder / "gold.xml", folder / "task3.ALPHA"
    parts = coliee_ir.evaluate(gold, run, task="3", edition=2025, measures=["MacroF2", "MicroF1", "MacroR"]).measures
    both = {"Both": 0.5 * parts["MicroF1"] + 0.5 * parts["MacroR"]}
    for options, expected in ((["--edition", "2026"], {"MacroF2": parts["MacroF2"]}), ([], both)):
        [scored] = json_of(call, "evaluate", gold, run, "--protocol", "own.toml", *options)["runs"]
        assert scored["measures"] == pytest.approx(expected)
