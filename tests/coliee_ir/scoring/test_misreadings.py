"""Some 400 inputs that could be misread: each is read rightly, refused or remarked; none is wrong in silence."""

from __future__ import annotations

import csv
import inspect
import io
import itertools
import json
import random
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas
import polars
import pytest
from example_runs import EXAMPLES

import coliee_ir
from coliee_ir import ColieeError, Evaluator, Submission, evaluate

Case = tuple[str, Callable[[], Mapping[str, float]], Mapping[str, float]]
Rows = list[dict[str, Any]]

_CHANCE = random.Random(7)
QUERIES = [f"{n:03}" for n in range(1, 13)]
DOCUMENTS = [f"{n:06}" for n in range(1, 31)]
GOLD = {query: _CHANCE.sample(DOCUMENTS, 2) for query in QUERIES}
RUN = {query: {document: round(_CHANCE.uniform(1, 9), 3) for document in DOCUMENTS[:20]} for query in QUERIES}
LABELS = {f"R05-{n:02}-A": n % 3 > 0 for n in range(1, 13)}
PREDICTED = {query: _CHANCE.random() < 0.6 for query in LABELS}


def _written(rows: Rows, container: str, folder: Path, name: str) -> object:
    """Rows in a container: a file's path, or a frame."""
    if container in ("pandas", "polars"):
        return (pandas if container == "pandas" else polars).DataFrame(rows)
    path = folder / f"{name}.{container}"
    if container == "parquet":
        pandas.DataFrame(rows).to_parquet(path)
    elif container == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    elif container == "json":
        path.write_text(json.dumps(rows))
    else:
        stream = io.StringIO()
        writer = csv.DictWriter(stream, list(rows[0]), delimiter={"csv": ",", "tsv": "\t"}[container])
        writer.writeheader()
        writer.writerows(rows)
        path.write_text(stream.getvalue())
    return path


CONTAINERS = ("csv", "tsv", "jsonl", "json", "pandas", "polars", "parquet")

#: columns that stand beside a ranking and are not its scores: name → value of a row by its place, score and relevance
BESIDE: dict[str, Callable[[int, float, bool], object]] = {
    "year": lambda at, score, is_relevant: 2015 + at % 9,
    "index": lambda at, score, is_relevant: at,
    "Unnamed: 0": lambda at, score, is_relevant: at,
    "seed": lambda at, score, is_relevant: at % 3,
    "count": lambda at, score, is_relevant: at * 7 % 31,
    "gold_label": lambda at, score, is_relevant: int(is_relevant),
    "is_correct": lambda at, score, is_relevant: is_relevant,
    "length": lambda at, score, is_relevant: 1000 - at,
    "distance": lambda at, score, is_relevant: -score,
    "rank": lambda at, score, is_relevant: 1 + at % 20,
    "prob_dense": lambda at, score, is_relevant: at * 13 % 97 / 97,
    "text": lambda at, score, is_relevant: f"Section {at}",
}


def ranked_tables(folder: Path) -> Iterator[Case]:
    """A ranking with one more column, before or behind its own, in every container."""
    right = evaluate(GOLD, RUN, task="1", measures=["AP", "RR"]).measures
    for name, container, is_first in itertools.product(BESIDE, CONTAINERS, (True, False)):
        rows = []
        for query, of_query in RUN.items():
            for document, score in of_query.items():
                more = {name: BESIDE[name](len(rows), score, document in GOLD[query])}
                own = {"query_id": query, "doc_id": document, "score": score}
                rows.append({**more, **own} if is_first else {**own, **more})
        held = _written(rows, container, folder, f"{len(name)}{name[:3]}{is_first}")
        place = "before" if is_first else "behind"
        yield f"{name} {place} a ranking, {container}", _scoring(GOLD, held, task="1", measures=["AP", "RR"]), right


def answered_tables(folder: Path) -> Iterator[Case]:
    """Answers beside the gold's labels and what else such tables hold."""
    right = evaluate(LABELS, PREDICTED, task="4").measures
    beside: dict[str, Callable[[str], object]] = {
        "votes": lambda query: str(["Y", "N", "Y"]),
        "confidence": lambda query: len(query) / 20,
        "raw_output": lambda query: "The answer is Y." if LABELS[query] else "No.",
        "correct": lambda query: LABELS[query] == PREDICTED[query],
        "gold_answer": lambda query: "Y" if LABELS[query] else "N",
    }
    for name, label, container, is_first in itertools.product(
        beside, ("label", "gold_label", "y_true"), CONTAINERS, (True, False)
    ):
        rows = []
        for query, is_true in LABELS.items():
            own = {"prediction": "Y" if PREDICTED[query] else "N"}
            more = {label: "Y" if is_true else "N", name: beside[name](query)}
            rows.append({"pair_id": query, **more, **own} if is_first else {"pair_id": query, **own, **more})
        held = _written(rows, container, folder, f"{name}{label}{is_first}")
        yield f"prediction beside {label}, {name}, {container}", _scoring(LABELS, held, task="4"), right


def parts_in_any_order(folder: Path) -> Iterator[Case]:
    """The parts of a submission to Task 3 in each other's places, under their names and under others."""
    for year, other, parts in ((2025, "long_list", ("task3", "task3-L")), (2026, "answers", ("task3", "answers"))):
        source = EXAMPLES / ("task3-2025" if year == 2025 else "task3")
        own = [source / f"{part}.ALPHA" for part in parts]
        right = evaluate(source / "gold.xml", own[0], task="3", edition=year, **{other: own[1]}).measures
        plain = []
        for part, file in zip("ab", own, strict=True):
            plain.append(folder / f"{part}{year}.txt")
            plain[-1].write_bytes(file.read_bytes())
        for files, named in itertools.product((own, plain), ("long_list", "answers")):
            for first, second in itertools.permutations(files):
                given: dict[str, Any] = {"task": "3", "edition": year}
                what = f"{first.name} with {named} {second.name}, {year}"
                yield what, _scoring(source / "gold.xml", first, **given, **{named: second}), right
                made = partial_submission(first, named, second)
                yield f"{what}, Submission", _scoring(source / "gold.xml", made, **given), right
            for file in files:
                alone = evaluate(source / "gold.xml", own[0], task="3", edition=year).measures
                yield f"{file.name} alone, {year}", _scoring(source / "gold.xml", file, task="3", edition=year), alone


def partial_submission(first: Path, named: str, second: Path) -> Callable[[], Submission]:
    """A submission that is made when it is scored, as its making may be refused."""
    return lambda: Submission(first, **{named: second})


def _scoring(gold: Any, run: Any, **rules: Any) -> Callable[[], Mapping[str, float]]:
    def scored() -> Mapping[str, float]:
        return evaluate(gold, run() if callable(run) else run, **rules).measures

    return scored


def outcome(call: Callable[[], Mapping[str, float]], right: Mapping[str, float]) -> str:
    """What became of a case: right, refused, warned (a doubt about the score was told), or WRONG."""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            measures = call()
        except (ColieeError, TypeError):
            return "refused"
    if all(measures.get(name) == pytest.approx(value, nan_ok=True) for name, value in right.items()):
        return "right"
    return "warned" if any(issubclass(one.category, coliee_ir.ScoreWarning) for one in warned) else "WRONG"


@pytest.mark.parametrize("cases", [ranked_tables, answered_tables, parts_in_any_order])
def test_nothing_is_scored_wrong_in_silence(cases: Callable[[Path], Iterator[Case]], tmp_path: Path) -> None:
    outcomes = {what: outcome(call, right) for what, call, right in cases(tmp_path)}
    assert not [what for what, found in outcomes.items() if found == "WRONG"]
    counts = Counter(outcomes.values())
    assert counts["right"] > counts.total() / 8, counts


def misspelt() -> Iterator[tuple[str, str]]:
    """Function and keyword: each of its keywords without a letter, with another ending, and words from elsewhere."""
    functions = {name: getattr(coliee_ir, name) for name in dir(coliee_ir) if name.islower() and name[0] != "_"}
    for name, function in {**functions, "Evaluator": Evaluator}.items():
        if not inspect.isfunction(function) and function is not Evaluator:
            continue
        parameters = inspect.signature(function).parameters
        known = {*parameters, *(coliee_ir.Rules.__annotations__ if "rules" in parameters else ())}
        wrong = {word[:-1] for word in known if len(word) > 2} | {f"{word}s" for word in known}
        wrong |= {"metric", "maximise", "relevance_level"}
        yield from ((name, word) for word in sorted(wrong - known))


def test_no_function_takes_a_keyword_that_it_does_not_have() -> None:
    cases = [*misspelt()]
    assert len(cases) > 200
    for name, word in cases:
        with pytest.raises(TypeError, match=word):
            getattr(coliee_ir, name)({"q": ["d"]}, {"q": ["d"]}, **{word: 1})
