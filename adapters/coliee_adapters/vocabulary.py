"""What tables call their columns: one vocabulary for files with a header, data frames, named tuples and JSON records.

A column has a *role* (query, document, relevance, score, rank, answer, tag). ``roles_of`` finds the roles from the
names; tables in which a column is not understood are refused with what was found and what is known, because a run whose
scores go unnoticed would be ranked by the order of its lines.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final, Literal

from coliee_adapters.errors import InputError, UsageError, quoted

Kind = Literal["gold", "run"]

#: Role → its names, in tiers: a name of an earlier tier wins over one of a later tier, so that PyTerrier's ``qid`` is
#: the query and not its ``query``, which holds text. Names are compared in lower case, with ``_`` for ``-``, ``.``
#: and spaces.
NAMES: Final[Mapping[str, tuple[frozenset[str], ...]]] = {
    "query": (
        frozenset({"query_id", "qid", "q_id", "queryid", "topic_id", "topicid", "qryid"}),
        frozenset({"query", "query_case", "query_case_id", "base_case", "base_case_id", "question_id", "topic"}),
        frozenset({"pair_id", "instance_id", "case_id", "case", "id"}),
    ),
    "document": (
        frozenset({"doc_id", "docno", "document_id", "corpus_id", "pid", "passage_id", "para_id", "d_id"}),
        frozenset({"docid", "doc", "document", "candidate_id", "candidate_case", "candidate_case_id", "candidate"})
        | frozenset({"related_case", "related_case_id", "noticed_case", "paragraph_id", "article_id", "article"})
        | frozenset({"paragraph", "passage"}),
        frozenset({"case_id", "case"}),
    ),
    "score": (frozenset({"score"}), frozenset({"sim", "similarity", "scores"})),
    "rank": (frozenset({"rank"}), frozenset({"position"})),
    "tag": (frozenset({"tag", "run_tag", "run_id", "runid", "run", "run_name", "system"}),),
}

#: What a relevance is called in a gold; BEIR's qrels call it ``score``.
_RELEVANCE: Final = (frozenset({"relevance", "rel", "grade", "judgement", "judgment"}), frozenset({"label", "score"}))

#: What an answer Y or N is called: in a run a prediction stands before the label, which is the gold's.
_ANSWER: Final[Mapping[Kind, tuple[frozenset[str], ...]]] = {
    "run": (frozenset({"answer", "prediction", "predicted", "pred", "predicted_label"}), frozenset({"label"})),
    "gold": (frozenset({"label", "gold", "gold_label", "true_label"}), frozenset({"answer"})),
}

#: Columns of TREC's files that decide nothing.
_IDLE: Final = frozenset({"iter", "iteration", "q0"})

ROLES: Final = ("query", "document", "relevance", "score", "rank", "answer", "tag")


def normal_name(name: object) -> str:
    r"""A column's name as it is compared.

    >>> normal_name("\ufeffQuery-ID ")
    'query_id'
    """
    return re.sub(r"[\s.-]+", "_", str(name).strip("\ufeff \t\r\n").lower())


def parse_columns(text: str) -> dict[str, str]:
    """The option ``--columns query=topic,score=sim``: role → name of the column.

    Raises:
        UsageError: not of this form, or no role of this name.
    """
    given: dict[str, str] = {}
    for part in text.split(","):
        role, equals, name = part.partition("=")
        if not equals or not name.strip():
            raise UsageError(f"--columns: expected ROLE=NAME, found {quoted(part)}; for example query=topic,score=sim")
        given[role.strip()] = name.strip()
    return checked_columns(given)


def checked_columns(given: Mapping[str, str] | None) -> dict[str, str]:
    """The columns that a user named, by role.

    Raises:
        UsageError: there is no role of this name.
    """
    for role in given or {}:
        if role not in ROLES:
            raise UsageError(f"unknown column role {quoted(role)}; the roles are {', '.join(ROLES)}")
    return dict(given or {})


def is_header(names: Sequence[object]) -> bool:
    """Whether these values name columns rather than hold ids: at least two of them are names of the vocabulary."""
    known = frozenset().union(*(tier for tiers in (*NAMES.values(), _RELEVANCE, *_ANSWER.values()) for tier in tiers))
    found = {normal_name(name) for name in names}
    return len(found & (known | _IDLE)) >= 2


def roles_of(
    names: Sequence[object], kind: Kind, path: str, given: Mapping[str, str] | None = None, line: int | None = None
) -> dict[str, int]:
    """Which column has which role.

    A run's roles are ``query`` with ``document`` and perhaps ``score``, ``rank`` and ``tag``, or ``query`` with
    ``answer``; a gold's are ``query`` with ``document`` and perhaps ``relevance``, or ``query`` with ``answer``.
    Exactly two columns, of queries and documents, are a set.

    Args:
        names: the columns' names, in order.
        kind: what the table holds.
        path: the table's file, for the error.
        given: the names of columns that the user gave, by role; they win over the vocabulary.
        line: the line of the header, for the error.

    Returns:
        Role → place among ``names``.

    Raises:
        InputError: a given name is not there; no column, or several, can have a role; a table of documents with
            further columns has none for relevance (gold) or for score and rank (run).
    """
    shown = ", ".join(map(str, names))

    def fault(problem: str, remedy: str) -> InputError:
        return InputError(path, problem, line=line, found=shown, remedy=remedy)

    normal = [normal_name(name) for name in names]
    roles: dict[str, int] = {}
    for role, name in checked_columns(given).items():
        places = [at for at, other in enumerate(names) if str(other).strip("\ufeff \t\r\n") == name]
        places = places or [at for at, other in enumerate(normal) if other == normal_name(name)]
        if len(places) != 1:
            raise fault(f"{len(places) or 'no'} columns are called {quoted(name)}", f"name another column for {role}")
        roles[role] = places[0]

    def find(role: str, tiers: Sequence[frozenset[str]]) -> None:
        if role in roles:
            return
        for tier in tiers:
            places = [at for at, name in enumerate(normal) if name in tier and at not in roles.values()]
            if len(places) > 1:
                both = " and ".join(str(names[at]) for at in places)
                raise fault(f"several columns could be the {role}: {both}", f"choose one with --columns {role}=NAME")
            if places:
                roles[role] = places[0]
                return

    find("query", NAMES["query"])
    find("document", NAMES["document"])
    if "document" not in roles:
        find("answer", _ANSWER[kind])
    elif kind == "gold":
        find("relevance", _RELEVANCE)
    else:
        find("score", NAMES["score"])
        find("rank", NAMES["rank"])
    find("tag", NAMES["tag"])
    known = known_names(kind)
    if "query" not in roles or not {"document", "answer"} & roles.keys():
        missing = "query" if "query" not in roles else "document or answer"
        raise fault(f"no column is recognised as the {missing}", f"{known}; or use --columns query=NAME,document=NAME")
    further = [name for at, name in enumerate(normal) if at not in roles.values() and name not in _IDLE]
    wanted = ("relevance",) if kind == "gold" else ("score", "rank")
    if "document" in roles and further and not roles.keys() & set(wanted):
        names_of = " or ".join(wanted)
        raise fault(f"no column is recognised as the {names_of}", f"{known}; or use --columns {wanted[0]}=NAME")
    return roles


def known_names(kind: Kind) -> str:
    """The names that a table's columns can have, for messages."""
    value = "relevance, rel, label" if kind == "gold" else "score, similarity, rank"
    return f"known names are query_id, qid, query; doc_id, docno, document; {value}; answer, label, prediction"
