"""What a file is, from its first bytes; and the two functions that read files.

To add a form, write a module whose ``FORMS`` are values of ``forms.form.Form``, and add its line to ``FORMS`` here:
files in it are then recognised, read, converted to and from, and offered by name. This is the one place where modules
are loaded by name.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import chain
from typing import Final

from coliee_adapters import forms
from coliee_adapters.errors import InputError, Place, UsageError, quoted
from coliee_adapters.files.source import Source
from coliee_adapters.forms import tabular
from coliee_adapters.forms.form import Form
from coliee_adapters.forms.lines import first_lines
from coliee_adapters.forms.rows import gold_in, run_in
from coliee_adapters.forms.vocabulary import GoldOrRun, roles_of, words_of
from coliee_adapters.records import Answers, Gold, IdRule, Run, normal_id

_JSON: Final = rb"\s*[{\[]"
_TEXT: Final = rb"\s*[^{\[<\s]"
_NONE: Final = rb"(?!)"

#: All modules of forms, in the order in which they are tried, each with a pattern for the first bytes of its files.
#: Only where it is found is the module loaded, whose forms then say whether a file is in one of them.
FORMS: Final[Mapping[str, bytes]] = {
    "parquet": rb"PAR1",
    "tort": _JSON + rb'(?s:.*?)"(?:tort_id|plaintiff_claims|defendant_claims|court_decision)"',
    "statute": rb"(?is)\s*<|(?:.*?[\s,;](?:y|n|yes|no|true|false|[01])|"
    rb"\s*[hr][0-9]+-[0-9]+-[^\s,;]+[\s,;]++[^0-9\s,;]++)(?:[\s,;]|\Z)",
    "json_records": _JSON,
    "model_text": _NONE,  # read where it is named
    "tabular": _TEXT,
    "trec": _TEXT,
    "case_law": rb"\s*[^{\[\s]",
}

#: how a system description begins, and what it says further on
_HINTS: Final = rb"(?>(?:[ \t]*+(?:#[^\n]*+)?\r?\n)*)"
_DESCRIPTION: Final = b"(?i)" + _HINTS + rb"[ \t]*Task[ \t]*:"
_RUN_TAG: Final = rb"(?im)^[ \t]*Run[ \t_-]?tag[ \t]*:"


def known_forms(kind: GoldOrRun, head: bytes | None = None) -> Iterator[Form]:
    """The forms of golds or of runs, in the order in which they are tried; those that a file's first bytes allow."""
    for name in FORMS if head is None else _allowed(head):
        yield from (form for form in getattr(forms, name).FORMS if form.kind == kind)


@lru_cache(maxsize=2)
def _allowed(head: bytes) -> tuple[str, ...]:
    """The modules that a file's first bytes allow, of text its first lines; asked several times, looked for once."""
    begin = head if re.match(rb"PAR1|\s*[{\[<]", head) else "\n".join(first_lines(head)).encode() or head
    return tuple(name for name, begins in FORMS.items() if re.match(begins, begin))


def form_by_head(source: Source, kind: GoldOrRun) -> Form | None:
    """The form of a gold or of a run that a file's first bytes show, which are looked at once."""
    known = (kind, *source.columns.items())
    if known not in source.forms:
        head = source.head()
        named = source.columns and not _is_parquet(head) and tabular.header_of(source)
        words = frozenset(words_of(source.columns))
        listed = words and forms.statute.lists_labels(head, words)
        only = "table" if named else "labels" if listed else ""
        sniffed = (form for form in known_forms(kind, head) if form.sniff(head))
        source.forms[known] = (
            None if is_description(head) else _form_by_name(source, kind, only) if only else next(sniffed, None)
        )
    form: Form | None = source.forms[known]
    return form


def is_description(head: bytes) -> bool:
    r"""Whether a file that starts with these bytes is a system description.

    >>> is_description(b"# ours\nTask: 1\nRun tag: univABC1\n")
    True
    >>> is_description(b"000001 000018 univABC1\n")
    False
    """
    if b":" not in head or head.lstrip().startswith((b"{", b"[")):  # as most runs and golds, which are told at once
        return False
    return bool(re.match(_DESCRIPTION, head) and re.search(_RUN_TAG, head))


def _form_by_name(source: Source, kind: GoldOrRun, name: str) -> Form | None:
    """The form of this name; the modules that the first bytes allow are loaded first."""
    every = chain(known_forms(kind, source.head()), known_forms(kind)) if name else ()
    return next((form for form in every if form.name == name), None)


def _is_parquet(head: bytes) -> bool:
    return re.match(FORMS["parquet"], head) is not None and forms.parquet.sniff(head)


def header_of(source: Source) -> list[str]:
    """The names of the columns of a table; none of other files."""
    return forms.parquet.names_of(source) if _is_parquet(source.head()) else tabular.header_of(source)


def kind_of(source: Source) -> GoldOrRun | None:
    """Whether a table can only be a gold, or only a run; None if it can be either."""
    can_be_gold = (forms.parquet if _is_parquet(source.head()) else tabular).can_be_gold
    names, can = header_of(source), list[GoldOrRun]()
    with contextlib.suppress(InputError):
        roles = roles_of(names, "gold", Place(source.name), source.columns) if names else {"relevance": 2}
        can += ["gold"] if can_be_gold(source, roles.get("relevance")) else []
    with contextlib.suppress(InputError):
        can += ["run"] if not names or roles_of(names, "run", Place(source.name), source.columns) else []
    return can[0] if len(can) == 1 else None


def holds_answers(source: Source) -> bool:
    """Whether the columns of a run, which is a table, are those of answers and not of documents."""
    names = header_of(source)
    return bool(names) and "document" not in roles_of(names, "run", Place(source.name), source.columns)


def form_of(source: Source, kind: GoldOrRun, name: str | None = None) -> Form:
    """The form of a gold or of a run: the one named, or the one that its first bytes show."""
    if name is not None:
        if (form := _form_by_name(source, kind, name)) is not None:
            return form
        names = ", ".join(form.name for form in known_forms(kind))
        raise UsageError("unknown-name", f"unknown {kind} format {name!r}; the formats are {names}")
    if (form := form_by_head(source, kind)) is not None:
        return form
    if is_description(head := source.head()):
        remedy = "leave it out: it is sent with the runs, and not scored"
        raise InputError(
            "unknown-format", source.name, "this is a system description, not a run", line=1, remedy=remedy
        )
    content = head.lstrip()
    raise InputError(
        "unknown-format",
        source.name,
        f"unrecognised {kind} format",
        line=1 + head.count(b"\n", 0, len(head) - len(content)),
        found=content.split(b"\n", 1)[0].decode("utf-8", errors="replace").strip(),
        remedy=f"the gold comes first, then the runs; {kind} formats: "
        + "; ".join(f"{known.name} ({quoted(known.example)})" for known in known_forms(kind)),
    )


def read_gold(source: Source, *, form: str | None = None, rule: IdRule = normal_id) -> Gold:
    """Read a gold of any form."""
    return gold_in(form_of(source, "gold", form), source, rule)


def read_run(source: Source, *, form: str | None = None, rule: IdRule = normal_id) -> Run | Answers:
    """Read a submission of any form: documents (Run) or labels (Answers)."""
    return run_in(form_of(source, "run", form), source, rule)
