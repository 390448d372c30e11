"""What tables call their columns: one vocabulary for files with a header, data frames, named tuples and JSON records.

A column has a *role* (query, document, relevance, score, rank, answer, tag). ``roles_of`` finds the roles from the
names; tables in which a column is not understood are refused with what was found and what is known, because a run whose
scores go unnoticed would be ranked by the order of its lines.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final, Literal

from coliee_adapters.checked import one_of
from coliee_adapters.errors import InputError, UsageError, quoted
from coliee_adapters.lines import is_number

Kind = Literal["gold", "run"]

#: What stands for the file's name where there is no file.
MEMORY: Final = "<memory>"

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

#: Columns that decide nothing: those of TREC's files, and the row numbers that pandas writes.
_IDLE: Final = frozenset({"iter", "iteration", "q0", "", "unnamed:_0", "index"})

ROLES: Final = ("query", "document", "relevance", "score", "rank", "answer", "tag")


def normal_name(name: object) -> str:
    r"""A column's name as it is compared.

    >>> normal_name("\ufeffQuery-ID ")
    'query_id'
    """
    plain = str(name).strip("\ufeff \t\r\n").lower()
    return plain if plain.isalnum() else re.sub(r"[\s.-]+", "_", plain)


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
    columns: Mapping[str, str] = one_of("columns", given or {}, Mapping, "a dictionary from roles to names of columns")
    for role in columns:
        if role not in ROLES:
            raise UsageError(f"unknown column role {quoted(str(role))}; the roles are {', '.join(ROLES)}")
    return dict(columns)


#: Role → all names that it can have.
EVERY_NAME: Final[Mapping[str, frozenset[str]]] = {
    **{role: frozenset().union(*tiers) for role, tiers in NAMES.items()},
    "relevance": frozenset().union(*_RELEVANCE),
    "answer": frozenset().union(*_ANSWER["run"], *_ANSWER["gold"]),
}

#: Every name but those of run tags, which can be words of a run: our own tag is ``run``.
_KNOWN: Final = frozenset().union(*(names for role, names in EVERY_NAME.items() if role != "tag"))


def is_header(names: Sequence[object]) -> bool:
    """Whether these values name columns rather than hold ids: at least two are of the vocabulary, and none is a number.

    >>> is_header(["query-id", "corpus-id", "score"]), is_header(["topic", "Q0", "document", "1", "0.5", "run"])
    (True, False)
    """
    found = {normal_name(name) for name in names}
    return len(found & _KNOWN) >= 2 and not any(map(is_number, found))


def has_given(names: Sequence[object], given: Mapping[str, str]) -> bool:
    """Whether a name that the user gave to a column is among these values, and none of them is a number."""
    found = {normal_name(name) for name in names}
    return not found.isdisjoint(map(normal_name, given.values())) and not any(map(is_number, found))


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
        given: the names of columns that the user gave, by role; they win over the vocabulary. They are given for a gold
            and its runs together: a name of a query, a document, an answer or a tag need not be in all of them.
        line: the line of the header, for the error.

    Returns:
        Role → place among ``names``.

    Raises:
        InputError: no column has the name given for the relevance (gold), the score or the rank (run); no column, or
            several, can have a role; a table of documents with further columns has none for relevance (gold) or for
            score and rank (run).
    """
    search = _Search(names, path, line)
    own: tuple[str, ...] = ("relevance",) if kind == "gold" else ("score", "rank", "tag")
    checked = checked_columns(given)
    for role in ("query", "document", "answer", *own):
        if role in checked:
            search.by_name(role, checked[role])
    roles = search.roles
    if "answer" not in roles:
        search.find("document", NAMES["document"][:2])
    if "document" not in roles:
        # beside answers, a column called query holds the question's text, and one called id its id
        search.find("query", (NAMES["query"][0], NAMES["query"][2] - NAMES["document"][2]))
    search.find("query", NAMES["query"])
    if "answer" not in roles:
        search.find("document", NAMES["document"][2:])
    if "document" not in roles:
        search.find("answer", _ANSWER[kind])
        own = tuple(role for role in own if role == "tag")
    for role in own:
        if role in checked and role not in roles and role != "tag":
            raise search.fault(f"no column is called {quoted(checked[role])}", f"name the column of the {role}")
        search.find(role, _RELEVANCE if role == "relevance" else NAMES[role])
    if "query" not in roles or not {"document", "answer"} & roles.keys():
        missing = "query" if "query" not in roles else "document or answer"
        remedy = f"{known_names(kind)}; or use {search.option('query', 'document')}"
        raise search.fault(f"no column is recognised as the {missing}", remedy)
    values = [role for role in own if role != "tag"]
    if values and search.further() and not roles.keys() & set(values):
        remedy = f"{known_names(kind)}; or use {search.option(values[0])}"
        raise search.fault(f"no column is recognised as the {' or '.join(values)}", remedy)
    return roles


class _Search:
    """The roles of columns, while they are being found."""

    def __init__(self, names: Sequence[object], path: str, line: int | None) -> None:
        self.names, self.path, self.line = names, path, line
        self.normal = [normal_name(name) for name in names]
        self.roles: dict[str, int] = {}

    def fault(self, problem: str, remedy: str) -> InputError:
        return InputError(self.path, problem, line=self.line, found=", ".join(map(str, self.names)), remedy=remedy)

    def option(self, *roles: str) -> str:
        """How the user gives a name: on the command line, or in Python for what is in memory."""
        if self.path == MEMORY:
            return "columns={" + ", ".join(f'"{role}": NAME' for role in roles) + "}"
        return "--columns " + ",".join(f"{role}=NAME" for role in roles)

    def by_name(self, role: str, name: str) -> None:
        """The column of a name that the user gave, as it is written, or else as names are compared."""
        exact = [at for at, other in enumerate(self.names) if str(other).strip("\ufeff \t\r\n") == name]
        self._choose(role, exact or [at for at, other in enumerate(self.normal) if other == normal_name(name)])

    def find(self, role: str, tiers: Sequence[frozenset[str]]) -> None:
        """The column whose name is of the first of these tiers; nothing if the role is known."""
        for tier in tiers:
            if role not in self.roles:
                taken = self.roles.values()
                self._choose(role, [at for at, name in enumerate(self.normal) if name in tier and at not in taken])

    def further(self) -> bool:
        """Whether a column is left over that may mean something."""
        left = [name for at, name in enumerate(self.normal) if at not in self.roles.values()]
        return any(name not in _IDLE for name in left)

    def _choose(self, role: str, places: Sequence[int]) -> None:
        if len(places) > 1:
            both = " and ".join(str(self.names[at]) for at in places)
            raise self.fault(f"several columns could be the {role}: {both}", f"choose one with {self.option(role)}")
        if places:
            self.roles[role] = places[0]


def known_names(kind: Kind) -> str:
    """The names that a table's columns can have, for messages."""
    value = "relevance, rel, label" if kind == "gold" else "score, similarity, rank"
    return f"known names are query_id, qid, query; doc_id, docno, document; {value}; answer, label, prediction"
