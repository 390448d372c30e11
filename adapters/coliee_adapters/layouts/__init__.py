"""How the files of a task are written, as data: where queries, documents, relevance, ranks, scores and labels stand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

#: what a record may stand in
CONTAINERS: Final = ("json", "jsonl", "csv", "tsv", "columns")

#: stands for all keys of a record but that of its query: the columns of a matrix
ALL: Final = "*"

#: what the format of a record is called that was read from such a file
FORMAT: Final = "layout"

#: the part that holds labels
ANSWERS: Final = "answers"

_YES: Final = ("Y", "Yes", "yes", "True", "true", "1")
_NO: Final = ("N", "No", "no", "False", "false", "0")


class Part(NamedTuple):
    """Where a part of a gold or a run stands in a record: documents, or labels.

    Attributes:
        at: the key of what the record holds of it, a path of keys with dots between them; empty for the record itself,
            ``*`` for all its other keys. There may be one document, a list of them, or an object of values by id.
        id: the key of a document's id, or a text with keys in braces, ``{law_id}|{article_id}``; empty where the
            documents are their ids.
        relevance: the key of a document's relevance.
        score: the key of its score.
        rank: the key of its rank.
        separator: what separates ids that are given in one text.
        reverse: whether the documents stand in the opposite order, the last one first.
        yes: how a label Y is written; labels have no ids.
        no: how a label N is written.
    """

    at: str = ""
    id: str = ""
    relevance: str = ""
    score: str = ""
    rank: str = ""
    separator: str = ""
    reverse: bool = False
    yes: tuple[str, ...] = _YES
    no: tuple[str, ...] = _NO


class Layout(NamedTuple):
    """How a gold or a run is written.

    Attributes:
        container: one of ``CONTAINERS``; or the name of a format that ``coliee_adapters.forms.detect`` reads.
        records: where the records are in a JSON file, a path of keys; empty for the file itself.
        query: the key of a record's query, or a text with keys in braces; empty where the records are the values of an
            object whose keys are the queries.
        columns: the names of columns in files without a line that names them.
        strip: endings that ids lose.
        numbers: whether ids are compared as the first number in them: ``0002.txt`` is 2.
        parts: name of a part → where it stands.
    """

    container: str
    records: str = ""
    query: str = ""
    columns: tuple[str, ...] = ()
    strip: tuple[str, ...] = ()
    numbers: bool = False
    parts: Mapping[str, Part] = {}

    @property
    def labels(self) -> str:
        """The part that holds labels; empty for none."""
        return ANSWERS if ANSWERS in self.parts else ""

    @property
    def is_described(self) -> bool:
        """Whether the file is read here, and not as one of the known formats."""
        return self.container in CONTAINERS
