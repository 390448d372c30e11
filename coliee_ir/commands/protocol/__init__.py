"""Protocols for people: what there are, what one says, and its file to start from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from coliee_adapters.files.source import Source
from coliee_adapters.layouts import Layout, Part
from coliee_ir.rules import ALWAYS
from coliee_ir.rules.protocol import (
    TASKS,
    Protocol,
    SubmissionRules,
    all_rules,
    all_submissions,
    neighbours,
    protocol,
    use,
)
from coliee_ir.scoring.prepared import check_rules


def listed() -> str:
    """All protocols of the package, a line each."""
    names = [*TASKS, *neighbours()]
    width = max(map(len, names))
    return "".join(f"{name:{width}}  {protocol(use(name)).title}\n" for name in names)


def shown(name: str) -> str:
    """What a protocol says."""
    task = use(name)
    lines = []
    for rules in all_rules(task):
        check_rules(rules)
        lines += [f"{task}, {_span(rules)}: {rules.title}", *(f"  {line}" for line in _rules(rules)), ""]
    first = all_rules(task)[0]
    for what, layout in (("gold", first.gold), ("run", first.run)):
        lines += [f"{what}: {line}" for line in _layout(layout)]
    for submission in all_submissions(task):
        if said := _submission(submission):
            lines.append(f"submissions, {_span(submission)}: {'; '.join(said)} ({submission.source})")
    return "\n".join([*lines, f"file: {first.file}"]) + "\n"


def stated(name: str) -> str:
    """The TOML of a protocol, to be changed and given to ``--protocol``; it is checked first."""
    rules = all_rules(use(name))
    for row in rules:
        check_rules(row)
    return Source(rules[0].file).text()


def _span(rules: Protocol | SubmissionRules) -> str:
    if rules.last == ALWAYS:
        return "all years"
    return str(rules.first) if rules.first == rules.last else f"{rules.first}–{rules.last}"


def _rules(rules: Protocol) -> Iterator[str]:
    """What the rules of an edition say, a line each."""
    yield f"submission: {', '.join(rules.parts)}"
    yield f"measures: {', '.join(rules.measures)}; {rules.ranking} ranks"
    for name, formula in rules.scores.items():
        yield f"{name} = {formula}"
    if rules.tie_break:
        yield f"ties: broken by {', '.join(rules.tie_break)}"
    if rules.long_list:
        yield f"long list: {', '.join(rules.long_list)}"
    if rules.level > 1:
        yield f"relevance: {rules.level} or more"
    if rules.not_itself:
        yield "a query is taken out of its own results"
    if rules.exclude:
        yield f"not scored: {', '.join(rules.exclude)}"
    for name, choice in rules.decisions.items():
        yield f"default: --decision {name}={choice}"
    if rules.table:
        yield f"table: {', '.join(f'{heading} ({column})' for heading, column in rules.table.items())}"
    yield f"source: {rules.source}"


def _layout(layout: Layout | None) -> Iterator[str]:
    """How a file is written, a line each part."""
    if layout is None or not layout.is_described:
        yield "any known format" if layout is None else f"format {layout.container}"
        return
    query = f"query {layout.query}" if layout.query else "keys are queries"
    where = f", records at {layout.records}" if layout.records else ""
    columns = f", columns {' '.join(layout.columns)}" if layout.columns else ""
    numbers = ", ids compared as numbers" if layout.numbers else ""
    yield f"{layout.container}{where}{columns}; {query}{numbers}"
    for name, part in layout.parts.items():
        yield f"{name}: {_part(name, part)}"


def _part(name: str, part: Part) -> str:
    said = {"*": "all other columns", "": "the record itself"}.get(part.at, f"at {part.at}")
    values = [("id", part.id), ("relevance", part.relevance), ("score", part.score), ("rank", part.rank)]
    found = [f"{what} {key}" for what, key in values if key]
    if part.separator:
        found.append(f"separated by {part.separator!r}")
    if part.reverse:
        found.append("the last one first")
    if name == "answers":
        found.append(f"Y is {' or '.join(part.yes)}, N is {' or '.join(part.no)}")
    return ", ".join([said, *found])


def _submission(rules: SubmissionRules) -> Sequence[str]:
    facts = (
        (" ".join(rules.columns), "columns {}"),
        (rules.most_runs, "at most {} runs"),
        (rules.most_documents, "at most {} documents a query"),
        (rules.long_list, "{} documents a query in the long list"),
        (rules.query_digits, "query ids of {} digits"),
        (rules.document_digits, "document ids of {} digits"),
        (rules.query_pattern, "query ids like {}"),
        (rules.document_pattern, "document ids like {}"),
    )
    return [says.format(value) for value, says in facts if value]
