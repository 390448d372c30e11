"""What submissions are scored by: a gold prepared by the rules of its task, and the measures to compute."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from coliee_adapters import forms
from coliee_adapters.checked import texts
from coliee_adapters.errors import InputError, UsageError, shortened
from coliee_adapters.forms.lines import counted
from coliee_adapters.records import ONE_WORD, Gold, normal_id, wrong_id
from coliee_ir.judging.judged import BoolArray
from coliee_ir.judging.qrels import Qrels
from coliee_ir.measures import Measure, Parts, parse, parse_formula
from coliee_ir.rules.decisions import CHOICES, Decisions
from coliee_ir.rules.protocol import TASKS, Protocol, protocol
from coliee_ir.scoring.reading import asks_cases, asks_statute_questions

LABEL: Final = {True: "Y", False: "N"}


class Prepared(NamedTuple):
    """What submissions are judged by."""

    gold: Gold  # the gold
    rules: Protocol  # the rules of its task
    edition: int | None  # the edition whose rules these are; None for a task without editions
    decisions: Decisions  # the choices where the organisers leave it open
    queries: tuple[str, ...]  # the queries to score
    excluded: frozenset[str]  # those that are left out
    # part of a submission → what it is judged by; all have the same queries in the same order
    qrels: Mapping[str, Qrels]

    @property
    def named_task(self) -> str:
        """The task with its edition, if it has one."""
        return f"task {self.rules.task}" + ("" if self.edition is None else f" of {self.edition}")

    def named(self, which: BoolArray) -> list[str]:
        """The ids of the queries that ``which``, of shape (Q,), marks."""
        if not which.any():
            return []
        return [query for query, given in zip(self.queries, which.tolist(), strict=True) if given]


def prepare(
    gold: Gold,
    rules: Protocol,
    edition: int | None,
    decisions: Decisions,
    exclude: str | Iterable[str] = (),
    only: str | Iterable[str] | None = None,
) -> Prepared:
    """Prepare a gold."""
    _refuse_other_task(gold, rules)
    known = dict.fromkeys(gold.queries)
    left_out = _found(exclude, "exclude", gold.path, known) | (known.keys() & rules.exclude)
    if only is not None:
        left_out |= known.keys() - _found(only, "score", gold.path, known)
    queries = tuple(query for query in known if query not in left_out)
    if not queries:
        raise UsageError("no-query", f"no query of {gold.path} is left to score")
    qrels = {part: Qrels(judgements, rules.level) for part, judgements in _judgements(gold, rules, queries).items()}
    return Prepared(gold, rules, edition, decisions, queries, left_out, qrels)


def _found(ids: str | Iterable[str], purpose: str, path: str, known: Mapping[str, None]) -> frozenset[str]:
    """The queries that are named, as the gold names them."""
    name = "only" if purpose == "score" else purpose
    given = re.split(r"[,\s]+", ids) if isinstance(ids, str) else texts(name, ids, "query ids, in a list or a text")
    named = [query for query in given if query]
    found = {query if query in known else normal_id(query): query for query in named}
    if unknown := sorted(query for normal, query in found.items() if normal not in known):
        raise UsageError(
            "unknown-query",
            f"{counted(len(unknown), 'id')} to {purpose} cannot be found in {path}: "
            f"{', '.join(map(shortened, unknown[:3]))}; "
            "name queries, or on the command line a file with an id in its first column",
        )
    return frozenset(found)


def _refuse_other_task(gold: Gold, rules: Protocol) -> None:
    """Refuse a gold that is plainly of another task than the one asked for."""
    task = rules.task
    if gold.task in TASKS and task != gold.task:
        problem = f"{gold.path} is a gold of task {gold.task}, as the file says, not of task {task}"
        raise UsageError("wrong-task", problem)
    if rules.law == "case" and asks_statute_questions(gold):
        raise UsageError("wrong-task", f"{gold.path} holds statute questions; the task is {task}")
    if rules.law == "statute" and gold.labels is None and asks_cases(gold):
        raise UsageError("wrong-task", f"{gold.path} holds cases, as in Task 1; the task is {task}")
    if not rules.exact_ids:
        documents = (document for judged in (gold.qrels or {}).values() for document in judged)
        if wrong := wrong_id([*gold.queries, *documents], commas=False):
            remedy = f"{ONE_WORD}; plain TREC ids may have commas: task trec"
            raise InputError("bad-id", gold.path, wrong[1], found=wrong[0], remedy=remedy)
    if gold.format != "memory" and rules.pilot != (gold.format == "tort"):
        problem = f"{gold.path} is {'not ' if rules.pilot else ''}a gold of the pilot; the task is {task}"
        raise UsageError("wrong-task", problem)


def _judgements(gold: Gold, rules: Protocol, queries: tuple[str, ...]) -> dict[str, Mapping[str, Mapping[str, int]]]:
    """What each part of a submission is judged by, over the same queries in the same order."""
    judgements: dict[str, Mapping[str, Mapping[str, int]]] = {}
    if "documents" in rules.parts:
        if gold.qrels is None:
            raise UsageError(
                "wrong-part",
                f"{gold.path} holds labels only; task {rules.task} is scored by relevant documents: "
                "is it the gold of another task?",
            )
        if not rules.not_itself and queries == tuple(gold.qrels):
            judgements["documents"] = gold.qrels  # as they are held
        else:
            judgements["documents"] = {q: judgements_of(q, gold.qrels.get(q, {}), rules) for q in queries}
    if "answers" in rules.parts and gold.labels is not None:
        labels = gold.labels
        judgements["answers"] = {q: {LABEL[labels[q]]: 1} if q in labels else {} for q in queries}
    elif rules.parts == ("answers",):
        raise UsageError(
            "wrong-part",
            f"{gold.path} holds no labels; task {rules.task} is scored by them: give the gold as it is published, "
            "or what convert --to labels makes of it",
        )
    for part in rules.others:
        if part not in gold.beside:
            raise UsageError("wrong-part", f"{gold.path} does not hold {part}; task {rules.task} is scored by it")
        judged = gold.beside[part]
        judgements[part] = {query: judgements_of(query, judged.get(query, {}), rules) for query in queries}
    for side, letter in forms.tort.SIDES.items() if rules.claims else ():
        judgements[side] = {
            query: {claim: level for claim, level in judged.items() if claim.startswith(letter)}
            for query, judged in judgements["documents"].items()
        }
    return judgements


def judgements_of(query: str, judged: Mapping[str, int], rules: Protocol) -> Mapping[str, int]:
    """The judgements of a query, without the query itself where the rules take it out."""
    if not rules.not_itself:
        return judged
    return {document: relevance for document, relevance in judged.items() if document != query}


def qrels_of(part: str, qrels: Mapping[str, Qrels]) -> Qrels:
    """What a judged part of a submission is judged by: a long list by what the documents are."""
    return qrels["documents" if part == "long" else part]


#: part of a submission → how to give it
NEEDED: Final = {
    "documents": "retrieved documents, which this task does not have",
    "answers": "answers Y or N: give them with --answers FILE",
    "plaintiff": "the pilot's claims: --task rationale",
    "defendant": "the pilot's claims: --task rationale",
}

#: the parts that a submission of some task has without naming them
_IMPLIED: Final = ("plaintiff", "defendant")


def measures_named(names: Sequence[str], scores: Mapping[str, str] | None = None) -> tuple[Measure, ...]:
    """The measures of some names, each once."""
    known = scores or {}
    return tuple(dict.fromkeys(measure for name in names for measure in _meant(name, known)))


def _meant(name: str, scores: Mapping[str, str]) -> Sequence[Measure]:
    if isinstance(name, str) and name in scores:
        return [parse_formula(scores[name], name)]
    return parse(name)


def singly(names: Sequence[str], task: str | int | None = None, edition: str | int | None = None) -> list[Measure]:
    """The measures of some names, of which none may stand for several: each that is compared is corrected for."""
    scores = protocol(task, edition).scores if task else {}
    for name in names:
        if len(meant := measures_named([name], scores)) > 1:
            shown = ", ".join(map(str, meant[:3])) + (", …" if len(meant) > 3 else "")
            raise UsageError("ambiguous", f"{name!r} expands to {len(meant)} measures ({shown}); name one measure")
    return list(measures_named(names, scores))


def check_rules(rules: Protocol) -> None:
    """Refuse what a protocol file that is not part of the package states, if no measure or scoring choice is that."""

    def fault(key: str, problem: str) -> InputError:
        return InputError("protocol", rules.file, f"{key}: {problem}", remedy="correct the protocol")

    if not rules.own_file:
        return
    for name, choice in rules.decisions.items():
        if name not in CHOICES:
            raise fault(f"decisions, {name}", f"unknown scoring choice; there are {', '.join(CHOICES)}")
        if choice not in CHOICES[name]:
            raise fault(f"decisions, {name}", f"{choice!r} is not one of {', '.join(CHOICES[name])}")
    for score in rules.scores:
        if score == "Accuracy" and "answers" not in rules.parts:
            continue  # of classes, which are documents
        with contextlib.suppress(UsageError):
            parse(score)
            raise fault(f"scores, {score}", "a measure has this name")
    stated = {"measures": rules.measures, "tie_break": rules.tie_break, "long_list": rules.long_list}
    for key, names in {"scores": tuple(rules.scores), **stated}.items():
        for name in names:
            try:
                found = measures_named([name], rules.scores)
            except UsageError as error:
                raise fault(f"{key}, {name}" if key == "scores" else key, str(error)) from None
            lacking = [part for one in found for part in one.needs if part not in (*rules.parts, *_IMPLIED)]
            if lacking:
                raise fault(key, f"{name} needs {lacking[0]}, which parts does not name")


def choose(asked: Sequence[Measure], parts: Parts, against: Prepared) -> tuple[list[Measure], list[str]]:
    """The measures to compute: those asked for, or the official ones that the given parts allow; and the others."""
    rules = against.rules
    for measure in asked:
        for part in measure.needs:
            if part not in parts and part not in _IMPLIED and part not in rules.parts:
                problem = f"{measure} needs {part}, which submissions to task {rules.task} do not contain"
                if measure.name.startswith("Accuracy@"):  # of BEIR and sentence-transformers
                    problem += f"; the share of queries with a hit is {measure.name.replace('Accuracy', 'Success')}"
                raise UsageError("unfit-measure", problem)
            if part not in parts:
                problem = f"{measure} needs {NEEDED.get(part, f'{part}, which this submission does not hold')}"
                raise UsageError("unfit-measure", problem)
    if asked:
        return list(asked), []
    official = measures_named([*rules.measures, *(rules.long_list if "long" in parts else ())], rules.scores)
    possible = [measure for measure in official if all(part in parts for part in measure.needs)]
    return possible, [measure.name for measure in official if measure not in possible]
