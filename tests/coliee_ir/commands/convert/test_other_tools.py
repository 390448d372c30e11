"""Gold and runs in pandas, polars, named tuples, ranx, and back; the examples of docs/other-tools.md."""

import doctest
import re
import shutil
import warnings
from collections import namedtuple
from pathlib import Path

import numpy as np
import pandas
import pytest
from asserting import refusing
from hypothesis import assume, given
from hypothesis import strategies as st
from ir_measures import ScoredDoc
from ir_measures.util import QrelsConverter, RunConverter
from naive import golds, ranking, run_lines
from places import ROOT

import coliee_ir
from coliee_adapters.errors import InputError
from coliee_adapters.records import Columns
from coliee_ir import Answers, Gold, Run, evaluate, read_gold, read_run, to_frame, to_qrels, to_run

PAGE = ROOT / "docs" / "other-tools.md"
BLOCKS = re.findall(r"```pycon\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)

#: how a gold and a run, given as dictionaries, are made into another form that gives them
FORMS = {
    "pandas": (lambda held: to_frame(held), lambda held: to_frame(held)),
    "polars": (lambda held: to_frame(held, "polars"), lambda held: to_frame(held, "polars")),
    "lazy polars": (lambda held: to_frame(held, "polars").lazy(), lambda held: to_frame(held, "polars").lazy()),
    "generators": (
        lambda gold: QrelsConverter(to_qrels(gold, task="trec")).as_namedtuple_iter(),
        lambda run: RunConverter(to_run(run, task="trec")).as_namedtuple_iter(),
    ),
}
Pair = namedtuple("Pair", "query_id doc_id")  # a line of a run without scores


def listed(nested):
    """The same with its order, which dictionaries ignore when they are compared."""
    return [(query, list(inner.items())) for query, inner in nested.items()]


@given(st.sampled_from(sorted(FORMS)), golds)
def test_a_gold_goes_there_and_comes_back(form, gold):
    levels = [level for judged in gold.values() for level in judged.values()]
    assume(not levels or max(levels) > 0)  # others are refused
    back = read_gold(FORMS[form][0](read_gold(gold, task="trec")), task="trec").qrels
    assert listed(dict(back)) == listed({query: judged for query, judged in gold.items() if judged})


@given(st.sampled_from(sorted(FORMS)), run_lines(), st.booleans())
def test_a_run_goes_there_and_comes_back(form, lines, has_scores):
    lines = [line for line in lines if line.document is not None]
    tuples = [ScoredDoc(line.query, line.document, line.score) for line in lines]
    given = tuples if has_scores else [Pair(item.query_id, item.doc_id) for item in tuples]
    run = to_run(given, task="trec")
    back = to_run(read_run(FORMS[form][1](read_run(given, task="trec"))), task="trec")
    assert listed(back) == listed(run)
    for query, documents in back.items():
        assert [*documents] == ranking([line for line in lines if line.query == query], scored=has_scores)
    # scores by rank say the order and nothing else
    by_rank = to_run(given, task="trec", by_rank=True)
    assert listed(by_rank) == [
        (query, [(document, float(len(of) - at)) for at, document in enumerate(of)]) for query, of in back.items()
    ]


def test_what_qrels_cannot_hold_is_not_in_a_frame():
    statute = Gold({"q1": {"96": 1}, "q2": {}}, {"q1": True, "q2": False})
    assert to_frame(statute).to_dict("list") == {"query_id": ["q1"], "doc_id": ["96"], "relevance": [1]}
    labels, answers = Gold(labels={"q1": True, "q2": False}), Answers({"q1": False})
    assert to_frame(labels).to_dict("list") == {"query_id": ["q1", "q2"], "doc_id": ["Y", "N"], "relevance": [1, 1]}
    assert (to_qrels(labels), to_run(answers)) == ({"q1": {"Y": 1}, "q2": {"N": 1}}, {"q1": {"N": 1.0}})
    assert evaluate(to_frame(labels), to_frame(answers, "polars"), measures="MicroR").measures == {"MicroR": 0.0}


def test_what_no_file_could_hold_is_refused():
    with refusing(InputError, "[bad-id]"):  # and is not guessed
        read_gold(pandas.DataFrame({"query_id": ["7"], "doc_id": [None], "relevance": [1]}))
    frame = pandas.DataFrame([["q", "d", "e", 1]], columns=["query_id", "doc_id", "doc_id", "relevance"])
    for read in (read_gold, read_run):
        with refusing(InputError, "[ambiguous] document … doc_id and doc_id …"):
            read(frame)
        for held in ({"q\ud800": ["d"]}, [ScoredDoc("q", "d\ud800", 1)]):
            with pytest.raises(InputError, match=r"found '[qd]\\ud800'"):
                read(held)


def test_dictionaries_hold_plain_types_and_no_empty_query():
    blocks = [Columns(["q"], [0, 2], ["d", "e"], np.array([1, 2])), Columns(["p"], [0, 1], ["d"], [3])]
    for gold, run in (  # records as somebody else may have made them
        ({"7": {"18": 1, "19": 2}, "8": {"18": 0}}, {"7": ["18", "19"], "9": []}),
        (Gold({"q": {"d": np.int64(2), "e": True, "f": np.int8(0)}}), Run(lambda: iter(blocks))),
        ({1: {np.int64(2): np.int8(1)}}, {1: {np.str_("2"): np.float32(0.5)}}),
    ):
        for nested, number in ((to_qrels(gold), int), (to_run(run), float), (to_run(run, by_rank=True), float)):
            assert {type(query) for query in nested} == {str}
            for inner in nested.values():
                assert type(inner) is dict
                assert {(type(document), type(value)) for document, value in inner.items()} == {(str, number)}


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: " ".join(re.findall(r"(?:import|from) (\w+)", block)))
def test_each_example_of_the_page_prints_what_it_shows(block, tmp_path, monkeypatch):
    for module in ("pyterrier", "ranx"):
        if module in block:
            warnings.simplefilter("ignore")  # what another program warns of, until the test ends
            pytest.importorskip(module, reason=f"{module} is not installed, so its example is not run")
    shutil.copytree(Path(coliee_ir.__file__).parent / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path / "examples")
    test = doctest.DocTestParser().get_doctest(block, {}, PAGE.name, str(PAGE), 0)
    result = doctest.DocTestRunner().run(test)
    assert result.attempted > 0
    assert result.failed == 0
