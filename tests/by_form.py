"""The forms that a module reads, asked for by name, as their tests do: through the doors that users take."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

from coliee_adapters.files.source import Source
from coliee_adapters.forms import case_law as case_law_forms
from coliee_adapters.forms import detect
from coliee_adapters.forms import json_records as json_forms
from coliee_adapters.forms import statute as statute_forms
from coliee_adapters.forms import tabular as tabular_forms
from coliee_adapters.forms import tort as tort_forms
from coliee_adapters.forms import trec as trec_forms
from coliee_adapters.forms.form import Form, Written
from coliee_adapters.forms.tort import TortCase
from coliee_adapters.forms.vocabulary import Kind
from coliee_adapters.records import Answers, Gold, IdRule, Run, exact_id, normal_id


class Named:
    """A module, with its forms by name."""

    def __init__(self, module: ModuleType, **own: Any) -> None:
        self.__dict__ |= {**vars(module), **own}

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(name)


def _gold(form: str, usual: IdRule = normal_id) -> Callable[..., Gold]:
    return lambda source, rule=usual: detect.read_gold(source, form=form, rule=rule)


def _run(form: str, usual: IdRule = normal_id) -> Callable[..., Any]:
    return lambda source, rule=usual: detect.read_run(source, form=form, rule=rule)


def _sniff(kind: str, forms: Sequence[Form]) -> Callable[[bytes], str | None]:
    return lambda head: next((form.name for form in forms if form.kind == kind and form.sniff(head)), None)


def _write(kind: Kind, name: str, held: Written, stream: io.TextIOBase) -> None:
    write = next(form.write for form in detect.known_forms(kind) if form.name == name)
    assert write is not None
    write(held, stream)


def _json(held: Mapping[str, Any], stream: io.TextIOBase) -> None:
    scored = any(isinstance(entry, Mapping) for entry in held.values())
    documents = {query: entry if scored else dict.fromkeys(entry, 1) for query, entry in held.items()}
    _write("gold", "json", Written(documents, scored=scored), stream)


def _labels(labels: Mapping[str, bool] | Answers, stream: io.TextIOBase, tag: str) -> None:
    _write("run", "labels", Written({}, labels.labels if isinstance(labels, Answers) else labels, tag=tag), stream)


def _qrels(qrels: Mapping[str, Mapping[str, int]], stream: io.TextIOBase) -> None:
    _write("gold", "qrels", Written(qrels), stream)


def _lines(form: str, rankings: Any, tag: str, stream: io.TextIOBase) -> None:
    _write("run", form, Written(dict(rankings), tag=tag), stream)


def _put(cases: Sequence[TortCase], name: str) -> Source:
    """A file of these cases, each in its line."""
    lines: list[str] = []
    for one in cases:
        claims = {f"{side}_claims": [c._asdict() for c in one.claims if c.side == side] for side in tort.SIDES}
        lines += [""] * (one.line - 1 - len(lines))
        lines.append(json.dumps({"tort_id": one.id, **claims, "court_decision": one.court_decision}))
    Path(name).write_text("\n".join(lines))
    return Source(name)


def _of_cases(kind: str, form: str, cases: Sequence[TortCase], name: str, tag: str = "") -> Gold | Run | Answers:
    source = _put(cases, name)
    if kind == "gold":
        return detect.read_gold(source, form=form)
    return replace(detect.read_run(source, form=form), tag=tag)


def _fill(
    template: Source,
    decisions: Mapping[str, bool] | None,
    accepted: Mapping[str, Collection[str]] | None,
    stream: io.TextIOBase,
) -> None:
    documents = {query: dict.fromkeys(found, 1) for query, found in (accepted or {}).items()}
    _write("run", "tort", Written(documents, decisions, accepted is None, False, template=template), stream)


json_records = Named(json_forms, read_gold=_gold("json"), read_run=_run("json"))
case_law = Named(
    case_law_forms,
    read_gold_xml=_gold("xml"),
    read_run=_run("columns"),
    write_json=_json,
    sniff_gold=_sniff("gold", (*json_forms.FORMS, *case_law_forms.FORMS)),
    sniff_run=_sniff("run", (*json_forms.FORMS, *case_law_forms.FORMS)),
    write_run=partial(_lines, "columns"),
)
statute = Named(
    statute_forms,
    read_gold=_gold("statute-xml"),
    read_label_gold=_gold("labels"),
    read_answers=_run("labels"),
    write_answers=_labels,
    sniff_gold=_sniff("gold", statute_forms.FORMS),
    sniff_run=_sniff("run", statute_forms.FORMS),
)
tabular = Named(
    tabular_forms, read_run=_run("table"), kind_of=detect.kind_of, sniff_run=_sniff("run", tabular_forms.FORMS)
)
trec = Named(
    trec_forms,
    read_gold=_gold("qrels", exact_id),
    read_run=_run("trec", exact_id),
    write_gold=_qrels,
    write_run=partial(_lines, "trec"),
    sniff_gold=_sniff("gold", trec_forms.FORMS),
    sniff_run=_sniff("run", trec_forms.FORMS),
)
tort = Named(
    tort_forms,
    gold=partial(_of_cases, "gold", "tort"),
    decisions=partial(_of_cases, "run", "tort"),
    claims=partial(_of_cases, "run", "claims"),
    fill=_fill,
    sniff=lambda head: "tort" if tort_forms.sniff(head) else None,
)
