import pytest
from asserting import begins, clause, refusing
from reading import refused

from coliee_adapters.errors import InputError, Place, UsageError
from coliee_adapters.forms.vocabulary import checked_columns, is_header, parse_columns, roles_of


def named(names, kind, **given):
    """Role → name of the column, each of which may have values of a letter behind it: ``answer=YN``."""
    columns, _, values = zip(*(name.partition("=") for name in names.split()), strict=True)
    roles = roles_of(columns, kind, Place("f.csv", "line", 3), given, values.__getitem__ if any(values) else None)
    return {role: columns[at] for role, at in roles.items()}


GIVEN = "query=topic, score=sim, relevance=judged"


@pytest.mark.parametrize(
    ("kind", "names", "given", "roles"),
    [
        ("gold", "query-id corpus-id score", "", "query=query-id, document=corpus-id, relevance=score"),
        ("gold", "base_case related_case", "", "query=base_case, document=related_case"),
        ("gold", "pair_id label prediction votes", "", "query=pair_id, answer=label"),
        ("gold", "Unnamed:_0 qid docno", "", "query=qid, document=docno"),
        ("run", "qid docid docno rank score query", "", "query=qid, document=docno, score=score, rank=rank"),
        ("run", "q_id doc_id run_id similarity", "", "query=q_id, document=doc_id, score=similarity, tag=run_id"),
        ("run", "id query document score", "", "query=query, document=document, score=score"),
        ("run", "pair_id label prediction votes", "", "query=pair_id, answer=prediction"),
        # names that the user gives win, and are given for gold and run together
        ("gold", "topic para judged", *["query=topic, document=para, relevance=judged"] * 2),
        ("run", "id document verdict", "answer=Verdict", "query=id, answer=verdict"),
        ("run", "topic docno sim", GIVEN, "query=topic, document=docno, score=sim"),
        ("gold", "qid docno judged", GIVEN, "query=qid, document=docno, relevance=judged"),
        # values decide what names leave open
        ("gold", "qid=cd id=ab label=YN article=56", "", "query=id, answer=label"),
        ("gold", "qid=ab label=YN article=56", "", "query=qid, answer=label"),
        ("gold", "id=ab query=cd label=10 article=56", "", "query=query, document=article, relevance=label"),
        ("gold", "id=ab label=YN article=56", "relevance=label", "query=id, document=article, relevance=label"),
        ("gold", "id=ab answer=YN response=NY", "answer=response", "query=id, answer=answer"),
        ("gold", "id=ab label=YN gpt4=NY", "", "query=id, answer=label"),
        *((kind, "id=ab answer=YN gpt4=yn", "", "query=id, answer=answer") for kind in ("gold", "run")),
        ("run", "id=ab prediction=YN answer=NY truth=NY", "", "query=id, answer=prediction"),
        ("run", "id=ab answer=YN note=Nx truth=NY", "answer=answer", "query=id, answer=answer"),
    ],
)
def test_columns_are_known(kind, names, given, roles):
    assert named(names, kind, **(parse_columns(given) if given else {})) == parse_columns(roles)


@pytest.mark.parametrize(
    ("names", "kind", "problem"),
    [
        ("query_id doc_id note", "gold", "[missing-column] relevance …"),
        ("query_id doc_id note", "run", "[missing-column] score or rank …"),
        ("topic_no para_no score", "run", "[missing-column] query …"),
        ("query_id doc_id doc_id score", "run", "[ambiguous] document …"),
        ("case case_id score", "run", "[ambiguous] query …"),
        *(("id=ab answer=YN gpt4=NY", kind, "[ambiguous] … answer and gpt4…") for kind in ("gold", "run")),
        ("id=ab label=YN verdict=xx", "run", "[ambiguous] answer … label and verdict…"),
        ("id=ab prediction=YN llm_answer=NY", "run", "[ambiguous] answer … prediction and llm_answer…"),
    ],
)
def test_what_is_not_understood_is_refused_with_what_is_known(names, kind, problem):
    error = refused(named, names, kind)
    assert begins(clause(error), problem)
    assert (error.path, error.line) == ("f.csv", 3)
    assert str(error.found).split(", ") == [name.partition("=")[0] for name in names.split()]
    assert "--columns" in str(error.remedy)
    assert ("order=ascending" in str(error.remedy)) == ("score or rank" in problem)  # distances may be meant


def test_a_column_that_the_user_names_is_not_replaced_by_a_known_one():
    for kind, names in (("run", "topic docno score"), ("gold", "topic docno relevance")):
        with refusing(InputError, "[missing-column]"):
            named(names, kind, **parse_columns(GIVEN))


def test_a_header_has_two_names_and_no_number():
    headers = ["query_id doc_id score", "topic_no doc score", "id label", "Query Document Tag"]
    others = ["001 018 run", "q doc run", "topic Q0 document 1 0.5 run", "qid doc 0.5", "topic_no para_no sim"]
    assert [line for line in headers + others if is_header(line.split())] == headers


def test_columns_are_given_as_text():
    assert parse_columns("query=topic, score = my sim") == {"query": "topic", "score": "my sim"}
    for text in ("", "query", "query=", "topic=query", "query=a,,"):
        with pytest.raises(UsageError):
            parse_columns(text)
    assert checked_columns(None) == {}
