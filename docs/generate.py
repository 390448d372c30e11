"""Writes the pages of docs/ that come from the code: the reference.

``make reference`` (``python docs/generate.py``) writes them. They are committed, so that they can be read in the
repository as well as on the site; a test fails when one of them differs from what the code gives.
"""

from __future__ import annotations

import argparse
import contextlib
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from pathlib import Path

from coliee_adapters import ir_measures
from coliee_adapters.errors import ColieeError
from coliee_adapters.forms import detect
from coliee_adapters.forms.vocabulary import EVERY_NAME, ROLES
from coliee_adapters.kinds import ERRORS, REMARKS
from coliee_adapters.remarks import for_count
from coliee_ir import cli, measures
from coliee_ir.commands import convert as conversion
from coliee_ir.commands.validate import RULES
from coliee_ir.commands.validate.sheet import LABELLED
from coliee_ir.measures.catalogue import OURS, class_of
from coliee_ir.rules.choices import CHOICES
from coliee_ir.rules.decisions import Decisions
from coliee_ir.rules.protocol import (
    PROTOCOLS,
    SUBMISSION_RULES,
    Protocol,
    SubmissionRules,
    neighbours,
    protocol,
    use_protocol_file,
)
from coliee_ir.scoring.comparable import ranked_by

DOCS = Path(__file__).parent

sys.path.append(str(DOCS.parent / "tests" / "shared"))
import score_tables  # noqa: E402 - the cases of the tests

# ── Markdown ──────────────────────────────────────────────────────────────────────────────────────────────────────

#: what Markdown reads as markup: signs, an underscore at a word's edge, an entity
_MARKUP = re.compile(r"[\\`*<\[\]{~$]|(?<!\w)_|_(?!\w)|&(?=#?\w+;)")
#: the same at the beginning of a line
_BEGINNING = re.compile(r"^(?:[-+%=>#:|]|\([^()]*\)=|\d+(?=[.)]))")


def code(text: str) -> str:
    """Text as code, between more backticks than it holds in a row.

    >>> code("a`b")
    '``a`b``'
    """
    ticks = "`" * (1 + max(map(len, re.findall("`+", text)), default=0))
    blank = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{blank}{text}{blank}{ticks}"


def prose(text: str) -> str:
    r"""Text of the code on one line, as it is; only what is between backticks becomes code.

    >>> print(prose("see ``-q``: *a* [b] a_b"))
    see `-q`: \*a\* \[b\] a_b
    """
    parts = re.split(r"`+([^`]+)`+", " ".join(text.split()))
    line = "".join(code(part) if i % 2 else _MARKUP.sub(r"\\\g<0>", part) for i, part in enumerate(parts))
    return _BEGINNING.sub(lambda sign: f"{sign[0]}\\" if sign[0].isdigit() else f"\\{sign[0]}", line)


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table whose cells are Markdown without line breaks."""
    lines = [head, ["---"] * len(head), *([cell.replace("|", "\\|") for cell in row] for row in rows)]
    return "\n".join(f"|{'|'.join(cells)}|" for cells in lines) + "\n"


def listing(items: Iterable[tuple[str, str]]) -> str:
    """A list of names and what they mean."""
    return "".join(f"- {name}: {meaning}\n" for name, meaning in items)


# ── Commands ──────────────────────────────────────────────────────────────────────────────────────────────────────


def commands() -> str:
    """The commands, each with its arguments. Of argparse only the texts are used: its layout changes with Python."""
    overview = listing((f"[{c}](#{c})", prose(_sentence(what))) for c, what in cli.COMMANDS.items())
    parsers = {command: cli.parser_of(command) for command in cli.COMMANDS}
    rows = Counter(row for parser in parsers.values() for row in _rows(parser))
    common = [row for row, n in rows.items() if n >= _COMMON]
    each = "\n".join(_command(command, parser, common) for command, parser in parsers.items())
    return f"""# Commands

Results go to standard output, remarks to standard error. `coliee-ir COMMAND -h` shows all options of a command.

{overview}
| exit code | meaning |
| --- | --- |
| 0 | success |
| 1 | `validate` found errors |
| 2 | wrong usage, or input that cannot be read; the message gives the place and the remedy |
| 70 | an error in coliee-ir itself, with its traceback: please report it |
| 130 | interrupted from the keyboard |
| 143 | ended by a signal: `SIGTERM`, `SIGHUP` |

## Common options

These mean the same in every command that has them. A mistyped command or option is answered with what was probably
meant.

{listing(common)}
{each}"""


#: an option that means the same in this many commands is described once
_COMMON = 2


def _rows(parser: argparse.ArgumentParser) -> list[tuple[str, str]]:
    """The arguments: how each is typed, and what it does."""
    return [(code(_typed(action)), _what(parser, action)) for action in _actions(parser)]


def _actions(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    """The arguments, in the order of ``--help``."""
    return [action for group in parser._action_groups for action in group._group_actions]


def _command(command: str, parser: argparse.ArgumentParser, common: Sequence[tuple[str, str]]) -> str:
    parts = [
        f"## {command}\n",
        f"```text\n{str(parser.usage) % {'prog': parser.prog}}\n```\n",
        listing(row for row in _rows(parser) if row not in common),
        f"```text\n{(parser.epilog or '').strip()}\n```\n",
    ]
    return "\n".join(parts)


def _typed(action: argparse.Action) -> str:
    """How an argument is typed: ``-m, --measure MEASURE``."""
    value = "" if action.nargs == 0 else action.metavar or "|".join(map(str, action.choices or [action.dest.upper()]))
    value = " ".join(value) if isinstance(value, tuple) else value
    if action.nargs in ("+", "*"):
        value += " …"
    if action.nargs in ("?", "*"):
        value = f"[{value}]"
    return " ".join(filter(None, [", ".join(action.option_strings), value]))


def _what(parser: argparse.ArgumentParser, action: argparse.Action) -> str:
    """What an argument does, and its default where there is one."""
    if "--decision" in action.option_strings:  # whose choices have a page of their own
        return "a [choice that COLIEE leaves open](protocols.md#what-the-organisers-leave-open) (repeatable)"
    choices = ", ".join(map(str, action.choices or ()))
    what = prose((action.help or "") % {**vars(action), "choices": choices, "prog": parser.prog})
    if action.default in (None, False, argparse.SUPPRESS) or action.default == [] or "default" in what:
        return what
    return f"{what}; default: {code(str(action.default))}".removeprefix("; ")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _sentence(text: str) -> str:
    return f"{_capital(text).rstrip('.')}."


# ── Rules ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def protocols() -> str:
    """The rules of each task and edition, and what the organisers leave open."""
    return f"""# Tasks and rules

The measures that each task reports by edition, and the source. The first measure, in bold, ranks. `--edition`
chooses the rules of a year; the newest are the default. In Python the table is `coliee_ir.types.PROTOCOLS`.

{official_measures()}
## What the organisers leave open

No page, paper or published number settles these points. Each is an option of `coliee-ir evaluate` and a field of
[`Decisions`](../api.md), and the JSON output records the choice.

{decisions()}
## Other shared tasks

The [protocols](../own-task.md) of other shared tasks that come with the package, for `--protocol NAME`: the measures,
and which of their sources were read. `coliee-ir protocol NAME` prints the file, which says how gold and runs are
written, too.

{other_tasks()}"""


def other_tasks() -> str:
    """What the protocols of other shared tasks state."""
    sections = []
    for name in neighbours():
        rules = protocol(use_protocol_file(name))
        listed = [
            f"measures: {', '.join(rules.measures)}; {rules.ranking} ranks",
            *(f"{measure} = {formula}" for measure, formula in rules.scores.items()),
            *(f"default: --decision {decision}={choice}" for decision, choice in rules.decisions.items()),
            f"source: {rules.source}",
        ]
        items = [f"- {prose(item)}" for item in listed]
        sections.append("\n".join([f"### {name}", "", f"{prose(rules.title)}.", "", *items, ""]))
    return "\n".join(sections)


def official_measures() -> str:
    """The rules of each task, a row for each span of editions."""
    head = ["task", "editions", "asks for", "a submission holds", "official measures", "source"]
    return table(
        head,
        (
            [code(p.task), _span(p), prose(p.title), prose(", ".join(p.parts)), _official(p), prose(p.source)]
            for p in PROTOCOLS
        ),
    )


def _span(row: Protocol) -> str:
    if row.newest is None:
        return "all"
    return str(row.first) if row.first == row.last else f"{row.first}–{row.last}"


def _official(row: Protocol) -> str:
    """The measures of a row; the one that ranks in bold."""
    first, *others = row.measures
    text = ", ".join([f"**{_linked(first)}**", *map(_linked, others)])
    if row.tie_break:
        text += f"; ties are broken by {', '.join(map(_linked, row.tie_break))}"
    if row.long_list:
        text += f"; on the long list {', '.join(map(_linked, row.long_list))}"
    return text


def decisions() -> str:
    """What the organisers leave open: the name of the decision, its default, what else there is."""
    decides = {field.name: field.metadata["help"] for field in fields(Decisions)}
    return table(
        ["decision", "default", "other choices", "what it decides"],
        (
            [code(name), code(default), ", ".join(map(code, others)), prose(decides[name])]
            for name, (default, *others) in CHOICES.items()
        ),
    )


# ── Measures ──────────────────────────────────────────────────────────────────────────────────────────────────────


def _linked(name: str) -> str:
    """The name of a measure, with a link to its definition."""
    (measure,) = measures.parse(name)
    delegated = isinstance(measure, measures.Delegated)
    anchor = "trec_evals-measures" if delegated else measures.describe(type(measure)()).name.lower()
    return f"[{prose(name)}](measures.md#{anchor})"


def definitions() -> str:
    """The definitions of all measures."""
    return f"""# Measures

`-m NAME` asks for a measure; `coliee-ir measures NAME` prints its definition. This page holds all definitions.

## COLIEE's measures

They are sums over the judged documents, computed by coliee-ir itself. A source is given where it first appears.

P, R and F take parameters: a cutoff (`MicroF1@10`), the least relevance that counts (`MicroP(rel=2)`), and F also
beta (`MicroF(beta=0.5)`). `MicroF2` and `MacroF2` are short for beta 2. `MacroF(beta=2,of=means)` is F of the
means.

{our_measures()}
## trec_eval's measures

They are computed by trec_eval, [asked in rank space](../rank-space.md). trec_eval writes a parameter behind the
name: `P_5`, `P.5,10`, `recall_100`, `set_F.4`. ir_measures writes a cutoff as `@k`. Both are accepted. R is the
number of relevant documents of the query.

{their_measures()}"""


def our_measures() -> str:
    """Our measures, a section each: most of what ``coliee-ir measures NAME`` prints."""
    sections, seen = [], {""}
    for kind in map(class_of, OURS):
        what = measures.describe(kind())
        sections += [
            f"### {prose(what.name)}\n",
            *_paragraphs(what.definition),
            f"- **Formula**: {prose(what.formula)}",
        ]
        sections += [f"- **Source**: {prose(what.source)}"] * (what.source not in seen) + [""]
        seen.add(what.source)
    return "\n".join(sections)


def their_measures() -> str:
    """trec_eval's measures, and the names that ir_measures has for them."""
    theirs = list(measures.everything())[len(OURS) :]
    return table(
        ["trec_eval", "ir_measures", "what it is", "formula"],
        ([code(what.name), _elsewhere(what.name), prose(what.definition), prose(what.formula)] for what in theirs),
    )


def _elsewhere(base: str) -> str:
    """The names by which ir_measures calls a measure of trec_eval."""
    names = [name for name, (whole, _) in ir_measures.NAMES.items() if whole == base]
    names += [f"{name}@k" for name, (_, cut) in ir_measures.NAMES.items() if cut == base]
    return ", ".join(map(code, names))


def _paragraphs(text: str) -> list[str]:
    return [prose(paragraph) + "\n" for paragraph in text.split("\n\n")]


# ── Files ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def forms() -> str:
    """The formats that are read and written."""
    return f"""# File formats

The format of a file is recognised by its first bytes; the formats are tried in the order of the tables.
[Files](../files.md) says what holds for all of them.

## Gold

{_forms(detect.known_forms("gold"))}
## Submissions

{_forms(detect.known_forms("run"))}
The pilot's file is read for its decisions (`tort`) or, with `--task rationale`, for its claims (`claims`).

## Names of columns

{column_names()}
## Conversion

`coliee-ir convert IN OUT --to FORMAT` writes these formats, and reports what the new format cannot represent.

{conversions()}"""


def _forms(forms: Iterable[detect.Form]) -> str:
    return table(["format", "looks like"], ([code(form.name), code(form.example)] for form in forms))


def column_names() -> str:
    """What the columns of tables can be called."""
    return table(["role", "names"], ([code(role), ", ".join(map(code, sorted(EVERY_NAME[role])))] for role in ROLES))


def conversions() -> str:
    """What can be written."""
    targets = [
        ("a gold", conversion.GOLD_TARGET, conversion.GOLD_TARGETS),
        ("a run", conversion.RUN_TARGET, conversion.RUN_TARGETS),
        ("answers", conversion.RUN_TARGET, conversion.ANSWER_TARGETS),
    ]
    return table(
        ["from", "default", "other formats"],
        (
            [what, code(default), ", ".join(code(name) for name in names if name != default)]
            for what, default, names in targets
        ),
    )


def remarks() -> str:
    """What is accepted with a warning."""
    return f"""# Errors and remarks

Errors and remarks end in their kind: a short name that scripts can rely on, where the wording may change.

## Errors

What cannot be understood is refused with exit code 2, file, line and remedy. In Python, the exception has `kind`, and
an `InputError` also `path`, `line`, `column`, `found` and `remedy`.

{meanings(ERRORS)}

## Remarks

What is worth knowing is reported on standard error and under `remarks` in the JSON output, with the first places;
`remark_kinds` are their kinds. In Python, each remark has the attribute `kind`.

Each is shown by its most usual sentence, for two cases and under the default choices; in brackets the decision that
changes what is done.

{kinds()}"""


def meanings(registry: Mapping[str, str]) -> str:
    """Kinds and what they mean."""
    return listing((code(kind), prose(meaning)) for kind, meaning in registry.items())


def kinds() -> str:
    """Everything that is remarked: a sentence of each kind, and the decision that changes what is done about it."""
    sentences: dict[str, str] = {}
    for row in REMARKS:
        kind = row.partition(".")[0]
        sentence = prose(_sentence_of(row)) + "".join(f" (`{name}`)" for name in _deciding(kind))
        sentences.setdefault(code(kind), sentence)
    return listing(sentences.items())


def _sentence_of(row: str) -> str:
    """The sentence of a remark that was made twice, under the default decisions."""
    sentence = re.sub(r"\{(?!n\}|decision\})(\w+)[^}]*\}", lambda field: field[1].upper(), REMARKS[row])
    done = Decisions().clauses().get(row.partition(".")[0], "")
    return for_count(sentence.replace("EXAMPLES", "…"), 2, decision=for_count(done, 2))


def _deciding(kind: str) -> Iterator[str]:
    """The decisions that change what is said of a kind."""
    usual = Decisions().clauses().get(kind)
    for name, choices in CHOICES.items():
        if any(Decisions(**{name: choice}).clauses().get(kind) != usual for choice in choices):  # type: ignore[arg-type]
            yield name


# ── Validation ────────────────────────────────────────────────────────────────────────────────────────────────────


def rules() -> str:
    """What ``validate`` looks for."""
    return f"""# Rules of a submission

`coliee-ir validate` checks these. An *error* is what the organisers' rules, or any evaluator that follows them,
would reject or score wrongly; a *warning* is most likely a mistake; a *note* is worth knowing. Only errors change
the exit code.

Every finding names who states its rule:

{_sources()}
A number of runs that is known from another task or edition only gives a warning. JSON is a warning in Tasks 1 and 2:
the page asks for columns, and the official tables of 2024 contain runs in JSON.

A file of the pilot is scored for both of its tasks and is checked for both; `--task tort` or `--task rationale`
checks it for one. System descriptions, which the organisers ask for since 2025, are checked beside the runs.

## What is checked

The table shows each finding for two cases; `validate` prints the remedy beside it. `--fix` corrects a file where
nothing is left to decide, and reports in how many places.

{validation_rules()}
## By task and edition

Run tags have at most {max(rules.tag_length or 0 for rules in SUBMISSION_RULES)} letters and digits.

{submission_rules()}"""


#: who states a rule, as `validate` names it → in this page's tables, and what it is
SOURCES: dict[str, tuple[str, str]] = {
    "organisers' page, submissions": ("page", 'section "Results Submission Format" of the edition\'s submission page'),
    "organisers' page, evaluation": ("evaluation", "section on evaluation of the edition's page"),
    "organisers' pilot page": ("pilot", "page of the pilot (LJPJT)"),
    "COLIEE 2021 overview paper": ("2021", "section on Task 2: at most three runs a team"),
    "organisers' data README": ("README", "README of the statute data of 2024 and 2025: Task 3 needs two files"),
    "this project": ("ours", "not specified: what evaluators can read, and what is most likely a mistake"),
    "protocol file": ("protocol", "a protocol of your own"),
}


def _sources() -> str:
    return table(["here", "as validate names it", "what it is"], ([s, prose(n), w] for n, (s, w) in SOURCES.items()))


def validation_rules() -> str:
    """What ``validate`` looks for: how bad it is, what is said, what to do, who says so, and what ``--fix`` does."""
    facts = {"{columns}": "the columns of the task", "{missing}": "articles or answers"}
    facts |= {"{runs}": "its runs", "{limit}": "the edition's date", "{most}": "the protocol's number of"}
    for name in ("most_runs", "long_list", "tag_length"):
        facts[f"{{{name}}}"] = str(max(getattr(rules, name) or 0 for rules in SUBMISSION_RULES))

    def filled(text: str) -> str:
        for fact, value in facts.items():
            text = text.replace(fact, value)
        return prose(for_count(text, 2))

    return table(
        ["rule", "severity", "what is found", "what --fix does", "source"],
        (
            [
                code(name),
                str(rule.severity),
                filled(rule.says),
                prose(rule.mended),
                SOURCES[rule.source][0],
            ]
            for name, rule in RULES.items()
        ),
    )


def _runs(rules: SubmissionRules) -> str:
    if rules.most_runs is None:
        return "–"
    stated = "" if rules.runs_stated else ", of other years"
    return prose(f"{rules.most_runs} ({SOURCES[rules.runs_source][0]}{stated})")


def submission_rules() -> str:
    """How a submission to each task must look."""
    return table(
        ["task", "editions", "columns", "query ids", "document ids", "most runs", "long list"],
        (
            [
                rules.task,
                str(rules.first) if rules.first == rules.last else f"{rules.first}–{rules.last}",
                code(" ".join(rules.columns or (LABELLED if rules.task in "45" else ()))) if rules.task in "12345"
                else "JSON Lines, the test file",
                f"{rules.query_digits} digits or more" if rules.query_digits else "–",
                f"{rules.document_digits} digits" if rules.document_digits else "–",
                _runs(rules),
                f"{rules.long_list} a query" if rules.long_list else "–",
            ]
            for rules in SUBMISSION_RULES
        ),
    )  # fmt: skip


# ── Notebook ──────────────────────────────────────────────────────────────────────────────────────────────────────


def score_files() -> str:
    """What tests/shared/score_tables.py reads and refuses, in its words; of cases of one outcome the first."""
    read = [(case.name, _outcome(case)) for case in score_tables.READ]
    refused = dict[str, tuple[str, str]]()
    for case in score_tables.REFUSED:
        sentence = _outcome(case)
        refused.setdefault(" ".join(re.sub(r"^\d+ |s\b", "", sentence).split()[:3]), (case.name, sentence))
    return f"""# Score files

Layouts of scores of single queries that `leaderboard`, `compare`, `plan` and `report` read, and what they refuse.

{table(["layout", "read as"], (list(map(prose, row)) for row in read))}
{table(["refused", "why, and what to do"], (list(map(prose, row)) for row in refused.values()))}"""


def _outcome(case: score_tables.Case) -> str:
    """As what the scores of a case are read, but for their numbers; or why they are not."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        try:
            scored = case.read()
            ranked_by(scored, "")
        except ColieeError as error:
            return re.sub(r"^\S+?(, line \d+)?: | \(found .*?\)(?=;)", "", str(error))
    counts = r"\b\d+ (?=runs|queries|query|tasks|subsets|instances|items|samples)| \([^)]*\)$"
    return re.sub(counts, "", scored.task_evidence)


# ── Pages ─────────────────────────────────────────────────────────────────────────────────────────────────────────

#: page → what writes it
PAGES: dict[str, Callable[[], str]] = {
    "reference/commands.md": commands,
    "reference/forms.md": forms,
    "reference/measures.md": definitions,
    "reference/protocols.md": protocols,
    "reference/remarks.md": remarks,
    "reference/rules.md": rules,
    "reference/scores.md": score_files,
}

NOTICE = "<!-- Written by docs/generate.py: edit that or the code, and run `make reference`. -->\n\n"


def written(page: str) -> str:
    """The text of a page."""
    return NOTICE + PAGES[page]()


if __name__ == "__main__":
    for page in PAGES:
        (DOCS / page).write_text(written(page), encoding="utf-8", newline="\n")
