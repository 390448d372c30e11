"""What tables call their columns: one vocabulary for files with a header, data frames, named tuples and JSON records.

A column has a *role* (query, document, relevance, score, rank, answer, tag). ``roles_of`` finds the roles from the
names; tables in which a column is not understood are refused with what was found and what is known, because a run whose
scores go unnoticed would be ranked by the order of its lines.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, Literal

import numpy as np

from coliee_adapters.checked import one_of
from coliee_adapters.errors import InputError, Place, UsageError, quoted
from coliee_adapters.forms import ROLES as ROLES
from coliee_adapters.forms.lines import Note, is_number

GoldOrRun = Literal["gold", "run"]

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
    "tag": (
        frozenset({"tag", "run_tag", "run_id", "runid", "run", "run_name", "system", "model", "model_name", "method"}),
    ),
}

#: What a relevance is called in a gold; BEIR's qrels call it ``score``.
RELEVANCE: Final = (frozenset({"relevance", "rel", "grade", "judgement", "judgment"}), frozenset({"label", "score"}))

#: What can only be a prediction, and what can only be the gold's; ``label`` and ``answer`` may be either.
_PREDICTION: Final = frozenset({"prediction", "predictions", "predicted", "pred", "preds", "y_pred"}) | {
    "predicted_label", "predicted_answer", "pred_label",
}  # fmt: skip
#: what a run calls answers that are its own, and no copy of the gold's
OWN_ANSWERS: Final = _PREDICTION | {"answer"}
_TRUTH: Final = frozenset({"gold", "gold_label", "true_label"})
#: what cannot be a run's, and shows that a table is made from the gold
TRUTH_BESIDE: Final = _TRUTH | {"y_true", "target", "truth", "ground_truth", "gt", "expected", "reference"}

#: What an answer Y or N is called.
_ANSWER: Final[Mapping[GoldOrRun, tuple[frozenset[str], ...]]] = {
    "run": (_PREDICTION, frozenset({"answer"}), frozenset({"label"})),
    "gold": (_TRUTH | {"label"}, frozenset({"answer"})),
}

#: an answer in a word, a text that begins with one, and either of them or a number
_LABEL: Final = r"(?i)(?:[01](?:\.0)?|y|n|yes|no|true|false)\Z"
_WORD: Final = r"(?i)\W*(?:y|n|yes|no|true|false)\b"
_SAYS: Final = _WORD + r"|[01](?:\.0)?\Z"

_YES_NO: Final = frozenset({"y", "n", "yes", "no"})

#: a name beside which ``label`` is hardly the run's answer, whatever its values are
_SYSTEM: Final = "pred|response|output|completion|verdict|judge?ment"

#: a name that may be that of another prediction, and one that is rather the gold's
_ANOTHER: Final = _SYSTEM + "|answer"
_RIGHT: Final = "correct|right|true|truth|gold|expected|reference|actual"

#: roles of the gold alone, and of the run alone; an answer named by the user is the run's beside a label of the gold
OF_GOLD: Final = ("relevance", "label")
OF_RUN: Final = ("score", "rank", "retrieved", "answer")

#: So many values of a column show what it holds.
SHOWN: Final = 10_000

#: Columns that decide nothing: those of TREC's files, row numbers that pandas writes, numbers of a model's samples.
_IDLE: Final = frozenset({"iter", "iteration", "q0", "", "unnamed:_0", "index", "sample", "sample_id", "seed"})
#: what a column is called that says of which part of the data a row is: rows of several parts are read as one run
_PARTITION: Final = frozenset({"fold", "split", "subset", "partition"})
#: what a column is called in which a cell lists a query's retrieved documents; articles may be those of the question
RETRIEVED: Final = frozenset({"documents", "docs", "doc_ids", "docids", "document_ids", "retrieved"}) | {
    "hits", "results", "ranking",
}  # fmt: skip
_LISTS: Final = frozenset({"articles", *RETRIEVED})
_UNREMARKED: Final = _IDLE.union(*(names for role in ("query", "document", "rank") for names in NAMES[role]))

#: a label in lower case → what it means
LABELS: Final = {"y": True, "yes": True, "true": True, "n": False, "no": False, "false": False}
#: the same where a whole file has numbers for labels
DIGITS: Final = {"1": True, "0": False}

#: what may be named beside the columns: the words of answers, as in ``Y=Đúng|Có,N=Sai``
ANSWERS: Final = ("Y", "N")

#: a column's place → its values, of which the first tell what it holds
ValuesOf = Callable[[int], Iterable[object]]


@functools.lru_cache(maxsize=4096, typed=True)
def normal_name(name: object) -> str:
    r"""A column's name as it is compared.

    >>> normal_name("\ufeffQuery-ID ")
    'query_id'
    """
    plain = str(name).strip("\ufeff \t\r\n").lower()
    return plain if plain.isalnum() else re.sub(r"[\s.-]+", "_", plain)


def word_of(answer: object) -> str:
    """An answer, of whatever type, as a label list writes it."""
    value = answer.item() if isinstance(answer, np.generic) else answer
    if isinstance(value, bool):
        return "Y" if value else "N"
    return value.strip() if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=repr)


def parse_columns(text: str) -> dict[str, str]:
    """The option ``--columns query=topic,score=sim``: role → name of the column."""
    columns: dict[str, str] = {}
    for part in text.split(","):
        role, equals, name = part.partition("=")
        if not equals or not name.strip():
            raise UsageError(
                "bad-value",
                f"--columns and --labels: expected ROLE=NAME, found {quoted(part)}; as in query=topic,score=sim or "
                "Y=Đúng,N=Sai",
            )
        if columns.setdefault(role.strip(), name.strip()) != name.strip():
            raise UsageError(
                "bad-value", f"--columns: {role.strip()} is named twice, {columns[role.strip()]} and {name.strip()}"
            )
    return checked_columns(columns)


def checked_columns(named: Mapping[str, str] | None) -> dict[str, str]:
    """The columns that a user named, by role."""
    columns: Mapping[str, str] = one_of("columns", named or {}, Mapping, "a dictionary from roles to names of columns")
    for role in columns:
        if role not in (*ROLES, *ANSWERS):
            names = {**EVERY_NAME, "answer": EVERY_NAME["answer"] | {"text"}}  # a model's text holds its answer
            meant = next((known for known in ROLES if normal_name(role) in names.get(known, ())), "")
            hint = f"; did you mean {meant}=?" if meant else ""
            roles = ", ".join((*ROLES, *ANSWERS))
            raise UsageError("unknown-name", f"unknown column role {quoted(str(role))}{hint}; the roles are {roles}")
    return dict(columns)


def words_of(columns: Mapping[str, str] | None) -> dict[str, str]:
    """Word → the answer Y or N that it is, of the words that a user named.

    >>> words_of({"query": "id", "Y": "Đúng|Có", "N": "Sai"})
    {'đúng': 'Y', 'có': 'Y', 'sai': 'N'}
    """
    named = (
        (word, role) for role, words in checked_columns(columns).items() if role in ANSWERS for word in words.split("|")
    )
    return {answer_word(word): role for word, role in named}


def paths_in(columns: Mapping[str, str] | None) -> list[str]:
    """The names that a user gave that may be paths of keys with dots between them."""
    return [name for role, name in (columns or {}).items() if role not in ANSWERS and "." in name]


def answer_word(word: str) -> str:
    """A word as answers are compared."""
    return unicodedata.normalize("NFC", word).strip().lower()


#: Role → all names that it can have.
EVERY_NAME: Final[Mapping[str, frozenset[str]]] = {
    **{role: frozenset().union(*tiers) for role, tiers in NAMES.items()},
    "relevance": frozenset().union(*RELEVANCE),
    "label": frozenset().union(*_ANSWER["gold"]),
    "answer": frozenset().union(*_ANSWER["run"]),
    "retrieved": frozenset(),
    "measure": frozenset({"measure", "metric"}),
    "value": frozenset({"value"}),
    "replicate": frozenset(),
    "task": frozenset(),
}

#: Every name but those of run tags, which can be words of a run: our own tag is ``run``.
KNOWN: Final = frozenset().union(
    *(names for role, names in EVERY_NAME.items() if role not in ("tag", "measure", "value"))
)


def is_header(names: Sequence[object]) -> bool:
    """Whether these values name columns rather than hold ids: at least two are of the vocabulary, and none is a number.

    >>> is_header(["query-id", "corpus-id", "score"]), is_header(["topic", "Q0", "document", "1", "0.5", "run"])
    (True, False)
    """
    normal = {normal_name(name) for name in names}
    return len(normal & KNOWN) >= 2 and not any(map(is_number, map(str, names)))


def has_user_column(names: Sequence[object], user_columns: Mapping[str, str]) -> bool:
    """Whether a name that the user gave to a column is among these values, and none of them is a number."""
    normal = {normal_name(name) for name in names}
    columns = (normal_name(name) for role, name in user_columns.items() if role not in ANSWERS)
    return not normal.isdisjoint(columns) and not any(map(is_number, map(str, names)))


def roles_of(
    names: Sequence[object],
    kind: GoldOrRun,
    place: Place,
    user_columns: Mapping[str, str] | None = None,
    values: ValuesOf | None = None,
    note: Note | None = None,
) -> dict[str, int]:
    """Which column has which role: role → place among ``names``.

    A run's roles are ``query`` with ``document`` and perhaps ``score``, ``rank``, ``tag`` and ``retrieved`` (which rows
    count), or ``query`` with ``answer``; a gold's are ``query`` with ``document`` and perhaps ``relevance``, or
    ``query`` with ``answer``. Exactly two columns, of queries and documents, are a set. A run has both where the user
    names both, or where a column that lists documents stands beside its own answers.

    ``user_columns`` are those of a gold and its runs together: that of a query, a document, an answer or a tag need not
    be in all of them. A gold does not read a column that is named as the run's where it has one of its own.
    With ``values``, an answer is refused beside a column that may as well be it and differs from it; other answers and
    numbers that are not read are remarked.
    """
    search = Search(names, place)
    own: tuple[str, ...] = ("relevance",) if kind == "gold" else ("score", "rank", "retrieved", "tag")
    checked = checked_columns(user_columns)
    for role in ("query", "document", *own):
        if role in checked:
            search.by_name(role, checked[role])
    search.name_answer(kind, checked)
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
        search.find("answer", _ANSWER[kind], choose=False)
        is_own = "answer" in roles and search.normal[roles["answer"]] in OWN_ANSWERS and "answer" not in checked
        if kind == "run" and is_own and not {"label", *TRUTH_BESIDE} & {*search.normal}:
            search.find("document", (RETRIEVED,))
    if "document" not in roles or (kind == "run" and "answer" in roles):
        own = tuple(role for role in own if role == "tag")
    for role in own:
        if role in checked and role not in roles and role != "tag":
            raise search.fault(
                "missing-column", f"no column is called {quoted(checked[role])}", f"name the column of the {role}"
            )
        if role != "retrieved":
            search.find(role, RELEVANCE if role == "relevance" else NAMES[role])
    if "query" not in roles or not {"document", "answer"} & roles.keys():
        missing = "query" if "query" not in roles else "document or answer"
        remedy = f"{known_names(kind)}; or use {search.option('query', 'document')}"
        if any(re.search(_ANOTHER, name) for name in search.normal):
            of_run = f"for answers use {search.option('answer')}, for a language model's texts convert --from text"
            remedy = f"{of_run if kind == 'run' else 'for labels use ' + search.option('label')}; {remedy}"
        if kind == "run" and NAMES["tag"][0] & {*search.normal}:
            remedy = f"a table of scores is for compare and leaderboard, in Python by Scored.from_frame; {remedy}"
        if "relevant_articles" in search.normal:
            remedy = f"for ALQAC's files use --protocol alqac; {remedy}"
        raise search.fault("missing-column", f"no column is recognised as the {missing}", remedy)
    numbers = [role for role in own if role != "tag"]
    if numbers and search.columns_without_role(_IDLE) and not roles.keys() & set(numbers):
        problem = f"no column is recognised as the {' or '.join(number for number in numbers if number != 'retrieved')}"
        remedy = f"{known_names(kind)}; or use {search.option(numbers[0])}"
        own_answers = [i for i, name in enumerate(search.normal) if name in OWN_ANSWERS]
        if kind == "run" and own_answers and values is not None and _are_mostly(_WORD, values(own_answers[0])):
            both = search.option(document=search.names[roles["document"]], answer=search.names[own_answers[0]])
            remedy = f"to read documents and answers, use {both}"
        elif kind == "run":
            decides = search.option("retrieved")
            binary = values is not None and any(_could_answer(values(i)) for i in search.columns_without_role(_IDLE))
            remedy = f"if a column marks retrieved documents with 1 and others with 0, use {decides}"
            scores = (
                f"; for scores, use {search.option('score')}; where the lowest are best, --decision order=ascending"
            )
            remedy += "" if binary else f"{scores}; {known_names(kind)}"
        raise search.fault("missing-column", problem, remedy)
    if values is not None:
        if kind == "gold" and "relevance" not in checked:
            search.take_answers(values)
        if "answer" in search.roles and ("label" if kind == "gold" else "answer") not in checked:
            search.refuse_rivals(kind, values, note)
        if note is not None:
            search.remark_ignored(values, note)
            for i in search.columns_without_role(_IDLE) if kind == "run" and "answer" in search.roles else ():
                if search.normal[i] in _LISTS and all(isinstance(value, str) for value in values(i)):
                    note("other-part", search.option(answer=names[search.roles["answer"]], document=names[i]))
    return search.roles


def deciding_column(names: Sequence[object], kind: GoldOrRun, user_columns: Mapping[str, str]) -> int | None:
    """The column of the relevances or labels of a gold, of the answers or scores of a run; None where none is known."""
    with contextlib.suppress(InputError):
        roles = roles_of(names, kind, Place(""), user_columns)
        return next(
            (roles[role] for role in ("answer", "retrieved", "relevance", "score", "rank") if role in roles), None
        )
    return None


class Search:
    """The roles of columns, while they are being found."""

    def __init__(self, names: Sequence[object], place: Place) -> None:
        self.names, self.place = names, place
        self.normal = [normal_name(name) for name in names]
        self.roles: dict[str, int] = {}
        #: columns that the user named as the run's, in a gold
        self.of_run: set[int] = set()

    def fault(self, kind: str, problem: str, remedy: str) -> InputError:
        return self.place.fault(kind, problem, ", ".join(map(str, self.names)), remedy)

    def option(self, *roles: str, **patterns: object) -> str:
        """How the user gives names, or patterns of names: on the command line, or in Python for what is in memory."""
        names = dict.fromkeys(roles, "NAME") | {role: f"'{pattern}'" for role, pattern in patterns.items()}
        if self.place.path == MEMORY:
            return "columns={" + ", ".join(f'"{role}": {name}' for role, name in names.items()) + "}"
        return "--columns " + ",".join(f"{role}={name}" for role, name in names.items())

    def by_name(self, role: str, name: str) -> None:
        """The column of a name that the user gave."""
        self._choose(role, self._columns_named(name))

    def _columns_named(self, name: str) -> list[int]:
        """The columns of a name as it is written, or else as names are compared."""
        exact = [i for i, other in enumerate(self.names) if str(other).strip("\ufeff \t\r\n") == name]
        return exact or [i for i, other in enumerate(self.normal) if other == normal_name(name)]

    def name_answer(self, kind: GoldOrRun, user_columns: Mapping[str, str]) -> None:
        """The column of answers that the user named; a gold has its own, or else the one that is named for the run.

        Raises:
            InputError: a gold has a column of labels beside one that is named, which may be the run's or the gold's.
        """
        if kind == "run":
            if "answer" in user_columns:
                self.by_name("answer", user_columns["answer"])
            return
        self.of_run = {i for role in OF_RUN if role in user_columns for i in self._columns_named(user_columns[role])}
        if "label" in user_columns:
            self.by_name("answer", user_columns["label"])
        elif "answer" in user_columns and (named := self._columns_named(user_columns["answer"])):
            self.find("answer", _ANSWER["gold"], choose=False)
            own = self.roles.get("answer", named[0])
            if own != named[0] and not re.search(_SYSTEM + r"|\Aanswer\Z", self.normal[named[0]]):
                self._choose("answer", [own, *named], "label")
            if self.normal[own] not in _PREDICTION:
                self._choose("answer", named if own == named[0] else [own])

    def find(self, role: str, tiers: Sequence[frozenset[str]], *, choose: bool = True) -> None:
        """The column whose name is of the first of these tiers, if the role is not known; those of the run come last.

        ``choose`` is whether several of one tier are refused; else the first is taken, and the values may decide.
        """
        for passed_over, tier in itertools.product((self.of_run, ()), tiers):
            if role not in self.roles:
                taken = {*self.roles.values(), *passed_over}
                places = [i for i, name in enumerate(self.normal) if name in tier and i not in taken]
                self._choose(role, places if choose else places[:1])

    def columns_without_role(self, passed_over: frozenset[str]) -> list[int]:
        """The columns that have no role, but for those of these names."""
        taken = self.roles.values()
        return [i for i, name in enumerate(self.normal) if i not in taken and name not in passed_over]

    def take_answers(self, values: ValuesOf) -> None:
        """A label Y or N beside an article's text is the answer, and no relevance."""
        i = self.roles.get("relevance", -1)
        if i >= 0 and self.normal[i] == "label" and _YES_NO.issuperset(map(str.lower, _texts(values(i))[:1] or ["?"])):
            query = self.normal.index("id") if "id" in self.normal else self.roles["query"]
            self.roles = {"query": query, "answer": i}

    def refuse_rivals(self, kind: GoldOrRun, values: ValuesOf, note: Note | None) -> None:
        """Refuse an answer beside which another column, whose values differ, may be the answer as well."""
        chosen = self.roles["answer"]
        read = f"the {'label' if kind == 'gold' else 'answer'} is read from {self.names[chosen]}"
        for i in self.columns_without_role(_UNREMARKED):
            if self._is_rival(i, kind, values) and not _are_equal(values(chosen), values(i)):
                self._choose("answer", [chosen, i], "label" if kind == "gold" else "answer")
            if note is not None and self._is_passed_over(i, kind, values):
                note("ignored-answers", f"{self.place.path}: {self.names[i]}; {read}")

    def _is_rival(self, i: int, kind: GoldOrRun, values: ValuesOf) -> bool:
        """Whether a column may be the answer as well as the one that was chosen."""
        chosen, name = self.normal[self.roles["answer"]], self.normal[i]
        if kind == "gold":
            if chosen in _ANSWER["gold"][0] or name in _PREDICTION:
                return name in _ANSWER["gold"][0]
            return i not in self.of_run and _could_answer(values(i))
        if name in TRUTH_BESIDE:
            return False
        if chosen in _PREDICTION:
            is_another = name != "answer" and re.search(_ANOTHER, name) and not re.search(_RIGHT, name)
            return bool(is_another) and _are_mostly(_LABEL, values(i))
        return (chosen == "label" and re.search(_SYSTEM, name) is not None) or _could_answer(values(i))

    def _is_passed_over(self, i: int, kind: GoldOrRun, values: ValuesOf) -> bool:
        """Whether a column of answers is not read that a reader of the table might take for them."""
        if kind == "gold":
            return i in self.of_run
        return self.normal[i] not in TRUTH_BESIDE | {"label", "answer"} and _are_mostly(_WORD, values(i))

    def remark_ignored(self, values: ValuesOf, note: Note) -> None:
        """Remark on columns that have no role: of numbers, and those that say of which part of the data a row is."""
        read = next((role for role in ("relevance", "score", "rank", "retrieved", "answer") if role in self.roles), "")
        read_from = f"; {self.names[self.roles[read]]} is read as {read}" if read else ""
        for i in self.columns_without_role(_UNREMARKED):
            if (texts := _texts(values(i))) and (all(map(is_number, texts)) or self.normal[i] in _PARTITION):
                note("ignored-column", f"{self.place.path}: {self.names[i]}{read_from}")

    def _choose(self, role: str, places: Sequence[int], named: str = "") -> None:
        """Give a role to a column; refuse several, by what the user calls the role."""
        if len(places) > 1:
            both = " and ".join(str(self.names[i]) for i in places)
            problem = f"several columns could be the {named or role}: {both}"
            remedy = f"choose one with {self.option(named or role)}"
            if named == "label":
                remedy = f"name the gold's column and the run's with {self.option('label', 'answer')}"
            raise self.fault("ambiguous", problem, remedy)
        if places:
            self.roles[role] = places[0]


def _texts(values: Iterable[object]) -> list[str]:
    """The first of these values as text, but for those that are not there."""
    texts = [str(value).strip() for value in itertools.islice(values, SHOWN) if value is not None]
    return [text for text in texts if text and text.lower() not in ("nan", "<na>")]


def _could_answer(values: Iterable[object]) -> bool:
    """Whether most of these values are answers, or begin with one."""
    return _are_mostly(_SAYS, values)


def _are_mostly(pattern: str, values: Iterable[object]) -> bool:
    texts = _texts(values)
    return 2 * sum(re.match(pattern, text) is not None for text in texts) >= len(texts) > 0


def _are_equal(values: Iterable[object], other_values: Iterable[object]) -> bool:
    """Whether two columns, of which all values are at hand, give the same answers."""
    pairs = [[_meaning(value) for value in itertools.islice(column, SHOWN)] for column in (values, other_values)]
    return len(pairs[0]) < SHOWN and pairs[0] == pairs[1]


def _meaning(answer: object) -> bool | str:
    word = word_of(answer).lower()
    return LABELS.get(word, DIGITS.get(word.removesuffix(".0"), word))


def known_names(kind: GoldOrRun) -> str:
    """The names that a table's columns can have, for messages."""
    value = "relevance, rel, label" if kind == "gold" else "score, similarity, rank"
    return f"known names are query_id, qid, query; doc_id, docno, document; {value}; answer, label, prediction"
