"""A run changed: passages become documents, samples one answer, and ids those of a gold in other spellings."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Final

from coliee_adapters.checked import one_of
from coliee_adapters.errors import InputError, MismatchError, UsageError, quoted, shortened
from coliee_adapters.files.source import Source
from coliee_adapters.forms import detect, model_text
from coliee_adapters.forms.form import NOTHING, Row
from coliee_adapters.forms.lines import counted
from coliee_adapters.forms.rows import with_answer_words
from coliee_adapters.forms.statute import article_named
from coliee_adapters.forms.vocabulary import DIGITS, LABELS, word_of
from coliee_adapters.records import STATUTE_ID, Answers, Gold, Run, normal_id, question_of
from coliee_adapters.remarks import Remarks
from coliee_ir.judging.gathered import RunInMemory
from coliee_ir.judging.mismatch import respelled_like

#: name → the score of a document, of those of its passages, which are in the order of the text
AGGREGATES: Final[dict[str, Callable[[Sequence[float]], float]]] = {
    "max": max,
    "sum": math.fsum,
    "mean": lambda scores: math.fsum(scores) / len(scores),
    "first": lambda scores: scores[0],
}


def voted(file: Source, form: str | None) -> Answers:
    """The answer that most of a question's samples give; of a tie N, which is said. A sample without one has no vote.

    Args:
        file: the texts of a model, or any file of answers, in which a question has several.
        form: the file's form, where it is known.
    """
    remarks, ballots = Remarks(), dict[str, Counter[bool | None]]()
    if form == model_text.FORM:
        samples = [
            (model_answer.query, model_answer.label, f"{model_answer.place}: {quoted(model_answer.text)}")
            for model_answer in model_text.read(file, samples=True)
        ]
    else:
        form_found = detect.form_of(file, "run", form)
        if form_found.rows is None:
            problem, remedy = "this run is of documents", "leave --aggregate vote out, or give samples of answers"
            raise InputError("wrong-part", file.name, problem, remedy=remedy)
        rows = with_answer_words(form_found.rows(file, remarks.add), file.columns)
        every = [row for block in rows for row in ((block,) if isinstance(block, Row) else block.rows())]
        samples = [sample for row in every for sample in _samples(row)]
        if any(row.document is not NOTHING for row in every) and any(label is None for _, label, _ in samples):
            problem, remedy = "this file holds documents, and a vote is on answers", "leave --aggregate vote out"
            raise InputError("wrong-part", file.name, problem, remedy=remedy)
    for query, label, _ in samples:
        ballots.setdefault(query, Counter())[label] += 1
    labels = {query: votes[True] > votes[False] for query, votes in ballots.items() if votes[True] or votes[False]}
    if samples and not labels:
        problem = f"none of the {counted(len(samples), 'sample')} is understood as an answer"
        remedy = "name its words with --labels Y=…,N=…" + ", or read sentences with --from text" * (form is None)
        raise InputError("bad-label", file.name, f"{problem} (first: {samples[0][2]})", remedy=remedy)
    ties = [query for query in labels if ballots[query][True] == ballots[query][False]]
    remarks.each("answer-tie.vote", ties)
    remarks.each("no-vote", (place for _, label, place in samples if label is None))
    unreadable = tuple(query for query in ballots if query not in labels)
    remarks.each("unreadable-answer", unreadable)
    return Answers(labels, file.stem, file.name, form or "table", remarks, unreadable)


def _samples(row: Row) -> Iterator[tuple[str, bool | None, str]]:
    """The query, the answers and the place of a row; what is listed as its documents or in one value is answers too."""
    answers = row.document if row.answer is NOTHING else row.answer
    for answer in answers if isinstance(answers, list | tuple) else [] if answers is NOTHING else [answers]:
        word = word_of(answer)
        yield normal_id(str(row.query)), DIGITS.get(word, LABELS.get(word.lower())), str(row.place)


def joined(run: Run, chunks: str, aggregate: str) -> Run:
    """A run of passages as one of documents.

    Args:
        run: the run; where it has no scores, the best place of a passage decides.
        chunks: what the number of a passage looks like in an id, such as ``_[0-9]+$``.
        aggregate: how scores are joined, one of ``AGGREGATES``; ``first`` is that of the passage with the least number.

    Raises:
        MismatchError: the pattern matches no id, or all of one.
        UsageError: it is no pattern; the run has no scores to add.
    """
    pattern = _pattern(chunks)
    if aggregate not in AGGREGATES:
        raise UsageError("unknown-name", f"unknown aggregate {aggregate!r}; choose one of {', '.join(AGGREGATES)}")
    if not run.scored and aggregate in ("sum", "mean"):
        raise UsageError(
            "unfit-option",
            f"{run.path}: the run has no scores, so that --aggregate {aggregate} cannot be used; use max or first",
        )
    gathered, any_matched, score_of = RunInMemory(run), False, AGGREGATES[aggregate]
    ranked: dict[str, dict[str, float]] = {}
    for query, ids, scores in gathered.rows():
        of_document: dict[str, list[tuple[list[tuple[int, str]], float]]] = {}
        # without scores, the place counts
        numbers = scores.tolist() if run.scored else range(0, -len(ids), -1)
        for passage, score in zip(ids, numbers, strict=True):
            document, number = _split(passage, pattern, run.path)
            any_matched |= bool(number)
            of_document.setdefault(document, []).append((_numbered(number), score))
        ranked[query] = {
            document: score_of([score for _, score in sorted(passages)]) for document, passages in of_document.items()
        }
    if not any_matched:
        raise MismatchError("mismatch", run.path, f"{chunks!r} matches no document id", remedy="correct it")
    in_form = (
        ranked
        if run.scored
        else {query: sorted(scores, key=scores.__getitem__, reverse=True) for query, scores in ranked.items()}
    )
    return replace(Run.of(in_form, tag=run.tag, path=run.path, remarks=gathered.remarks), other_parts=run.other_parts)


def _pattern(text: str) -> re.Pattern[str]:
    try:
        return re.compile(one_of("chunks", text, str, "a regular expression"))
    except re.error as error:
        raise UsageError(
            "bad-value", f"chunks: {text!r} is not a regular expression ({error}); for 088_0, 088_1, … give '_[0-9]+$'"
        ) from None


def _split(text: str, pattern: re.Pattern[str], path: str) -> tuple[str, str]:
    """An id without what the pattern matches, and that."""
    if (match := pattern.search(text)) is None:
        return text, ""
    if not (whole := text[: match.start()] + text[match.end() :]):
        problem, remedy = f"{match.re.pattern!r} matches the whole of an id", "match only the part behind the document"
        raise MismatchError("mismatch", path, problem, found=text, remedy=remedy)
    return whole, match[0]


def _numbered(part: str) -> list[tuple[int, str]]:
    """What puts the numbers of passages in their order: 9 before 10."""
    return [(int(piece), "") if piece.isdecimal() else (-1, piece) for piece in re.split("([0-9]+)", part)]


def written_like(record: Run | Answers, gold: Gold) -> tuple[Run | Answers, list[str]]:
    """A run or answers with the ids as a gold writes them, where no other can be meant; and what was changed."""
    gathered = RunInMemory(record) if isinstance(record, Run) else None
    rankings = {} if gathered is None else gathered.rankings
    labels = record.labels if isinstance(record, Answers) else {}
    judged = {document for of_query in (gold.qrels or {}).values() for document in of_query}
    retrieved = dict.fromkeys(document for ranking in rankings.values() for document in ranking)
    messages, rewritten = list[str](), list[dict[str, str]]()
    of_law = all(map(STATUTE_ID.fullmatch, gold.queries))
    for what, ids, known in (("query", labels or rankings, {*gold.queries}), ("document", retrieved, judged)):
        changed = respelled_like(ids, known, unsure=not of_law)
        unknown = [text for text in ids if changed.get(text, text) not in known]  # also where two name one article
        if what == "query":
            questions = {question_of(text): text for text in known}
            named = {text: questions.get(question_of(text), text) for text in unknown}
        else:
            named = {text: article_named(text) or text for text in unknown}
        accepted = known | (
            {*named.values()} if of_law and what == "document" else set()
        )  # not all articles are judged
        changed |= {text: other for text, other in named.items() if other in accepted and other != text}
        rewritten.append(changed)
        for old, new in islice(changed.items(), 1):
            n = counted(len(changed), what)
            messages.append(f"ids of {n} written as in {gold.path} (first: {old} as {new})")
        if what == "document" and ids and not judged and not of_law:
            messages.append(
                f"{gold.path} has no documents: ids of documents stay as they are (first: {shortened(next(iter(ids)))})"
            )
        else:
            unmatched = [shortened(text) for text in (changed.get(text, text) for text in ids) if text not in known]
            if known and unmatched:
                messages.append(f"{counted(len(unmatched), what)} not in {gold.path} (first: {unmatched[0]})")
    queries, documents = rewritten
    if isinstance(record, Answers):
        meant = [(queries.get(query, query), label) for query, label in labels.items()]
        if twice := [query for query, label in meant if (query, not label) in meant]:
            problem, remedy = "two ids of one question have different answers", "keep one of the two"
            raise InputError("conflicting", record.path, problem, found=twice[0], remedy=remedy)
        return replace(record, labels=dict(meant)), messages
    assert gathered is not None
    renamed = dict[str, dict[str, float]]()
    for query, ranking in rankings.items():
        of_query = renamed.setdefault(queries.get(query, query), {})
        for document, score in ranking.items():  # what several ids name stands where the best of them stood
            of_query.setdefault(documents.get(document, document), score)
    if merged := sum(map(len, rankings.values())) - sum(map(len, renamed.values())):
        messages.append(f"{counted(merged, 'line')} merged with a better one of the same document")
    in_form = renamed if record.scored else {query: list(ranking) for query, ranking in renamed.items()}
    run = Run.of(in_form, tag=record.tag, path=record.path, remarks=gathered.remarks)
    others = {part: written_like(other, gold)[0] for part, other in record.other_parts.items()}
    return replace(run, other_parts=others), messages
