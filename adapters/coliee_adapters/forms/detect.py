"""What a file is, from its first bytes; and the two doors through which files are read.

To add a form, write a module whose ``FORMS`` are values of ``forms.form.Form``, and add its line to ``FORMS`` here:
files in it are then recognised, read, converted to and from, and offered by name.
"""

from __future__ import annotations

import contextlib
from typing import Final

from coliee_adapters.descriptions import is_description
from coliee_adapters.errors import InputError, UsageError, quoted
from coliee_adapters.files.source import Source
from coliee_adapters.forms import case_law, json_records, model_text, parquet, statute, tabular, tort, trec
from coliee_adapters.forms.form import Form
from coliee_adapters.forms.rows import gold_in, run_in
from coliee_adapters.forms.vocabulary import Kind, roles_of, words_of
from coliee_adapters.records import Answers, Gold, IdRule, Run, normal_id

#: All forms, in the order in which they are tried.
FORMS: Final[tuple[Form, ...]] = (
    *parquet.FORMS,
    *tort.FORMS,
    *statute.FORMS,
    *json_records.FORMS,
    *model_text.FORMS,
    *tabular.FORMS,
    *trec.FORMS,
    *case_law.FORMS,
)
GOLD_FORMS: Final = tuple(form for form in FORMS if form.kind == "gold")
RUN_FORMS: Final = tuple(form for form in FORMS if form.kind == "run")


def shown(source: Source, kind: Kind) -> Form | None:
    """The form of a gold or of a run that a file's first bytes show, which are looked at once."""
    forms, known = GOLD_FORMS if kind == "gold" else RUN_FORMS, (kind, *source.columns.items())
    if known not in source.forms:
        head = source.head()
        named = source.columns and not parquet.sniff(head) and tabular.header_of(source)
        words = frozenset(words_of(source.columns))
        listed = words and statute.lists_labels(head, words)
        only = "table" if named else "labels" if listed else ""
        found = (form for form in forms if (form.name == only if only else form.sniff(head)))
        source.forms[known] = form.name if not is_description(head) and (form := next(found, None)) else ""
    return next((form for form in forms if form.name == source.forms[known]), None)


def header_of(source: Source) -> list[str]:
    """The names of the columns of a table; none of other files."""
    return parquet.names_of(source) if parquet.sniff(source.head()) else tabular.header_of(source)


def kind_of(source: Source) -> Kind | None:
    """Whether a table can only be a gold, or only a run; None if it can be either."""
    table = parquet if parquet.sniff(source.head()) else tabular
    names, can = header_of(source), list[Kind]()
    with contextlib.suppress(InputError):
        roles = roles_of(names, "gold", source.name, source.columns) if names else {"relevance": 2}
        can += ["gold"] if table.can_be_gold(source, roles.get("relevance")) else []
    with contextlib.suppress(InputError):
        can += ["run"] if not names or roles_of(names, "run", source.name, source.columns) else []
    return can[0] if len(can) == 1 else None


def holds_answers(source: Source) -> bool:
    """Whether the columns of a run, which is a table, are those of answers and not of documents."""
    names = header_of(source)
    return bool(names) and "document" not in roles_of(names, "run", source.name, source.columns)


def form_of(source: Source, kind: Kind, name: str | None = None) -> Form:
    """The form of a gold or of a run: the one named, or the one that its first bytes show."""
    if name is not None:
        forms = GOLD_FORMS if kind == "gold" else RUN_FORMS
        if (form := next((form for form in forms if form.name == name), None)) is not None:
            return form
        problem = f"unknown {kind} format {name!r}; the formats are {', '.join(form.name for form in forms)}"
        raise UsageError("unknown-name", problem)
    if (form := shown(source, kind)) is not None:
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
        remedy="known formats: " + "; ".join(f"{one.name} ({quoted(one.looks)})" for one in FORMS if one.kind == kind),
    )


def read_gold(source: Source, *, form: str | None = None, rule: IdRule = normal_id) -> Gold:
    """Read a gold of any form."""
    return gold_in(form_of(source, "gold", form), source, rule)


def read_run(source: Source, *, form: str | None = None, rule: IdRule = normal_id) -> Run | Answers:
    """Read a submission of any form: documents (Run) or labels (Answers)."""
    return run_in(form_of(source, "run", form), source, rule)
