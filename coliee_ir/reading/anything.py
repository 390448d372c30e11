"""From anything that holds a gold or a run (a path, ``-``, a dictionary, a frame) to a record."""

from __future__ import annotations

import contextlib
import os
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypeGuard

import numpy as np

from coliee_adapters import forms
from coliee_adapters.checked import suggesting_keywords
from coliee_adapters.errors import ColieeError, InputError, UsageError, ignoring_unreadable, reading_errors_as_input
from coliee_adapters.files import remote
from coliee_adapters.files.source import Source
from coliee_adapters.forms import case_law, detect, json_text
from coliee_adapters.forms.columns import last_column
from coliee_adapters.forms.lines import content_lines, counted, first_lines, split_columns
from coliee_adapters.forms.rows import gold_in, run_in
from coliee_adapters.forms.vocabulary import (
    ANSWERS,
    EVERY_NAME,
    MEMORY,
    OF_GOLD,
    OF_RUN,
    GoldOrRun,
    checked_columns,
    deciding_column,
    is_header,
    normal_name,
)
from coliee_adapters.records import (
    STATUTE_ID,
    Answers,
    Columns,
    Gold,
    GoldLike,
    IdRule,
    Run,
    RunLike,
    exact_id,
    exam_of,
    normal_id,
)
from coliee_adapters.remarks import Remarks
from coliee_ir.reading.gold_ids import sign_of_ids
from coliee_ir.rules.protocol import (
    LONG_LIST_FILE,
    TASK_SIGNS,
    Protocol,
    has_exact_ids,
    protocol,
    task_name,
)

#: an exam year as a word of a file's name, and what separates it from the others
EXAM_IN_NAME = r"(?i)[\W_]*(?<![^\W_])([hr])([0-9]{1,2})(?![^\W_])[\W_]*"

#: what golds are called, whose JSON may look like that of a run: gold.json, task1_train_labels_2025.json
_GOLD = ({"gold"}, {"qrels"}, *({part, "labels"} for part in ("train", "test", "dev", "val")))


def read_queries(source: object, rule: IdRule = normal_id, rules: Protocol | None = None) -> tuple[str, ...]:
    """The ids of the queries that a file names: a gold of any form, a test file without labels, a run, or a list.

    A list has an id in the first column of each line, whatever follows, or all ids in one line.
    """
    file = readable(source, kind="gold")
    if not isinstance(file, Source):
        raise UsageError("not-a-file", "the queries must be given as a file")
    layout = rules.gold if rules is not None else None
    if layout is not None and layout.is_described:
        from coliee_adapters.layouts import described  # which few golds need

        if described.may_be(file, layout):
            return described.read_queries(file, layout)
    head = file.head()
    if forms.tort.sniff(head):
        return tuple(case.id for case in forms.tort.read_cases(file))
    if forms.statute.is_xml(head):
        return tuple(forms.statute.read_pairs(file))
    if (names := case_law.read_test_queries(file, rule)) is not None:
        return names
    form, header = detect.form_by_head(file, "gold"), detect.header_of(file)
    is_list = (form is None or form.name not in ("xml", "json")) and not is_header(header)
    if is_list and head.lstrip(b"\xef\xbb\xbf \r\n\t").startswith((b"<", b"{", b"[")):
        raise InputError(
            "unknown-format",
            file.name,
            "this is neither a gold, a test file, a run nor a list of query ids",
            remedy="name one, or write one query id a line",
        )
    if is_list and not (header and file.columns):
        return tuple(dict.fromkeys(map(rule, _listed_ids(file))))
    if not reads_as_gold(file) and reads_as_run(file):
        return tuple(dict.fromkeys(queries_of(read_run(file))))
    return read_gold(file).queries


def _listed_ids(file: Source) -> Iterator[str]:
    """The first word of each line of a run or of a list of ids, or all words of a list in one line."""
    lines = [
        (number, line, [word for word in re.split(r"[,;\s]+", line) if word])
        for number, line in content_lines(file.text(), file.name)
    ]
    remedy = "give a gold, the organisers' test file, a run, or a list with an id in the first column of each line"
    for number, line, words in lines:
        if len(words) != len(lines[0][2]) or not words or not words[0].isprintable():
            raise InputError(
                "structure",
                file.name,
                "this line does not begin with a query id",
                line=number,
                found=line,
                remedy=remedy,
            )
    every = [word for _, _, words in lines for word in words]
    if not every:
        raise InputError("empty", file.name, "the file contains no query ids", remedy=remedy)
    if len(lines) == 1 and len({*map(_id_shape, every)}) == 1:
        yield from every
    elif len(lines[0][2]) > 1 and len({*map(_id_shape, every)}) == 1 and len(set(every)) == len(every):
        number, line, _ = lines[0]
        raise InputError(
            "ambiguous",
            file.name,
            "this can be one query or several",
            line=number,
            found=line,
            remedy="write one id a line",
        )
    else:
        start = 1 if len(lines) > 1 and normal_name(lines[0][2][0]) in EVERY_NAME["query"] else 0
        yield from (words[0] for _, _, words in lines[start:])


def _id_shape(word: str) -> str:
    """What ids of one kind have in common: where digits stand."""
    return re.sub(r"[0-9]", "9", word.removesuffix(".txt"))


def id_rule(task: str | None, form: str) -> IdRule:
    """How ids are compared: TREC's stay as they are, COLIEE's lose ``.txt``."""
    return exact_id if has_exact_ids(task) and form in ("qrels", "table", "parquet", "json", "memory") else normal_id


@suggesting_keywords()
def read_gold(
    source: GoldLike,
    *,
    task: str | int | None = None,
    form: str | None = None,
    columns: Mapping[str, str] | None = None,
) -> Gold:
    """Read a gold.

    Args:
        source: a path, ``-`` for standard input, a dictionary, a pandas or polars frame, an iterable of named tuples
            with ``query_id``, ``doc_id``, ``relevance``, or a Gold. Several golds of one form without a common query
            are one gold: a folder of files, or a list of paths and Golds.
        task: the task, where it is known; ids of plain TREC files (``trec``) are not normalised.
        form: the form of the file, where it is known; by default it is found from the first bytes.
        columns: what the columns of a table or a frame are called, by role, where their names are not understood:
            ``{"query": "topic", "relevance": "judged"}``. Roles are query, document, relevance, score, rank, answer
            and tag.

    Raises:
        InputError: it cannot be read; the text says where and why.
        UsageError: there is no such task.

    >>> read_gold({"001": ["013.txt"]}).qrels
    {'001': {'013': 1}}
    """
    task = task_name(task)
    if isinstance(source, Gold):
        return source
    if _is_folder(source):
        inside, passed = _golds_in(source, columns)
        golds = [read_gold(part, task=task, form=form) for part in inside]
        return _joined(golds, Source.of(source).path, passed)
    if _are_several(source):
        golds = [read_gold(part, task=task, form=form, columns=columns) for part in source]
        return golds[0] if len(golds) == 1 else _joined(golds, ", ".join(gold.path for gold in golds), Remarks())
    file = readable(source, columns, "gold")
    if not isinstance(file, Source):
        return forms.frames.gold_of(file, id_rule(task, "memory"), columns, commas=task is None or has_exact_ids(task))
    layout = protocol(task).gold if task is not None and form is None else None
    if layout is not None and layout.is_described:
        from coliee_adapters.layouts import described  # which few golds need

        with reading_errors_as_input(file.name):
            return described.read_gold(file, layout)
    gold_form = detect.form_of(file, "gold", layout.container if layout else form)
    with reading_errors_as_input(file.name):
        if task is None and gold_form.name in ("qrels", "parquet"):
            gold = gold_in(gold_form, file, exact_id)
            task = TASK_SIGNS[sign_of_ids(gold)].task
            if id_rule(task, "qrels") is exact_id:
                return gold
        return gold_in(gold_form, file, id_rule(task, gold_form.name))


def gold_files(source: object) -> list[str]:
    """The files that a gold stands for, as ``read_gold`` takes it: of a folder, of a list; none of a dictionary."""
    if _is_folder(source):
        return [gold.path for gold in _golds_in(source)[0]]
    if _are_several(source):
        return [file for part in source for file in gold_files(part)]
    return [Source.of(source).path] if isinstance(source, str | os.PathLike | Source) else []


def _are_several(source: object) -> TypeGuard[Sequence[Any]]:
    if not isinstance(source, list | tuple) or not source:
        return False
    return all(isinstance(part, str | os.PathLike | Source | Gold) for part in source)


def _is_folder(source: object) -> TypeGuard[str | os.PathLike[str] | Source]:
    return isinstance(source, str | os.PathLike | Source) and Source.of(source).is_folder


def _golds_in(
    source: str | os.PathLike[str] | Source, columns: Mapping[str, str] | None = None
) -> tuple[list[Source], Remarks]:
    """The golds that lie in a folder, by name, and what was passed over: other files, folders, links out of it."""
    golds, passed, root = [], Remarks(), Source.of(source)
    name, columns, folder = root.path, checked_columns(columns or root.columns), Path(root.path)
    try:
        inside = list(remote.files(name)) if root.is_remote else sorted(map(str, folder.iterdir()))
    except OSError as error:
        raise InputError("cannot-read", name, f"this folder cannot be read ({error.strerror or error})") from None
    for path in inside:
        file, place = Source(path, columns=columns), Path(path)
        if place.name.startswith(".") and not root.is_remote:
            continue
        is_outside = not root.is_remote and not (place.is_file() and folder.resolve() in place.resolve().parents)
        if not is_outside and detect.form_by_head(file, "gold"):
            golds.append(file)
        else:
            is_link = is_outside and place.is_symlink() and place.exists()
            passed.add("gold-link" if is_link else "not-gold", Path(file.name).name)
    if not golds:
        links_out = "".join(f"; {file} is a link out of it, not followed" for file in passed.examples("gold-link")[:1])
        raise InputError(
            "empty", name, f"there is no gold in this folder{links_out}", remedy="name a gold, or a folder of golds"
        )
    return golds, passed


def _joined(golds: Sequence[Gold], path: str, passed: Remarks) -> Gold:
    """Several golds as one."""
    first, remarks = golds[0], passed + Remarks()
    remarks.each("gold-files", (f"{Path(gold.path).name}, {counted(len(gold.queries), 'query')}" for gold in golds))
    for gold in golds:
        tasks = [None if each.qrels is None else TASK_SIGNS[sign_of_ids(each)].task for each in (first, gold)]
        for what, of_first, of_gold in (
            ("the form", first.format, gold.format),
            ("the task", first.task or "none", gold.task or "none"),
            ("labels", *("some" if each.labels is not None else "none" for each in (first, gold))),
            ("documents", *("some" if each.qrels is not None else "none" for each in (first, gold))),
            ("the task of their ids", *(("", "") if "trec" in tasks else tasks)),
        ):
            if of_first != of_gold:
                raise InputError(
                    "mixed-forms",
                    gold.path,
                    f"golds given together differ in {what}: {of_gold} here, {of_first} in {first.path}",
                    remedy="give only golds of one kind together",
                )
        for kind, n, examples in gold.remarks:
            remarks.add(kind, *(f"{Path(gold.path).name}, {example}" for example in examples), n=n)
    owners = _owners(
        ((gold.path, gold.queries) for gold in golds),
        "give each query once, and name a gold beside which runs lie itself",
    )
    qrels = {query: judged for gold in golds for query, judged in (gold.qrels or {}).items()}
    labels = {query: label for gold in golds for query, label in (gold.labels or {}).items()}
    return Gold(
        None if first.qrels is None else qrels,
        None if first.labels is None else labels,
        path,
        first.format,
        first.task,
        remarks,
        {query: golds[i].path for query, i in owners.items()},
    )


def _owners(files: Iterable[tuple[str, Iterable[str]]], remedy: str) -> dict[str, int]:
    """Query → which of several files has it; refused where two have it."""
    owners, paths = dict[str, int](), list[str]()
    for path, queries in files:
        paths.append(path)
        for query in queries:
            if (owner := owners.setdefault(query, len(paths) - 1)) != len(paths) - 1:
                raise InputError("duplicate", path, f"this query is in {paths[owner]} too", found=query, remedy=remedy)
    return owners


@suggesting_keywords()
def read_run(
    source: RunLike,
    *,
    task: str | int | None = None,
    form: str | None = None,
    columns: Mapping[str, str] | None = None,
    unreadable_answers: Literal["refuse", "wrong"] = "refuse",
) -> Run | Answers:
    """Read a submission: documents (Run) or labels (Answers). The lines of a Run are read when it is judged.

    Args:
        source: a path, ``-``, a dictionary, a frame, an iterable of named tuples with ``query_id``, ``doc_id``,
            ``score``, or a Run or Answers.
        task: the task, where it is known: the pilot's files are read for their claims in ``rationale``, and ids of
            plain TREC files (``trec``) are not normalised.
        form: the form of the file, where it is known.
        columns: what the columns of a table or a frame are called, by role: see ``read_gold``.
        unreadable_answers: whether answers that are neither Y nor N are refused, or left to be scored as wrong.

    Raises:
        InputError: it cannot be read; the text says where and why.
        UsageError: there is no such task.

    >>> read_run({"R07-01-O": "Y"}).labels
    {'R07-01-O': True}
    """
    name = task_name(task)
    rules = None if name is None else protocol(name)
    return read_run_by(source, rules, form=form, columns=columns, unreadable_answers=unreadable_answers)


def read_run_by(
    source: RunLike,
    rules: Protocol | None,
    *,
    form: str | None = None,
    columns: Mapping[str, str] | None = None,
    unreadable_answers: Literal["refuse", "wrong"] = "refuse",
) -> Run | Answers:
    """Read a submission by the rules of its task, where they are known; otherwise as ``read_run``."""
    exact = rules is not None and rules.exact_ids
    if isinstance(source, Run | Answers):
        record = source
    elif _are_several(source):
        record = joined_runs(
            [read_run_by(part, rules, form=form, columns=columns, unreadable_answers="wrong") for part in source]
        )
    elif isinstance(file := readable(source, columns), Source):
        with reading_errors_as_input(file.name):
            record = _with_guarded_reading(_read_file(file, rules, form))
    else:
        rule = exact_id if exact else normal_id
        record = forms.frames.run_of(file, rule, columns=columns, commas=rules is None or exact)
    if unreadable_answers == "refuse" and isinstance(record, Answers) and (n := len(record.unreadable)):
        raise InputError(
            "bad-label",
            record.path,
            f"{n} of {n + len(record.labels)} answers {'is' if n == 1 else 'are'} neither Y nor N",
            found="; ".join(record.remarks.examples("unreadable-answer")),
            remedy="write Y or N, or name the words: --labels Y=WORD,N=WORD; or count them as wrong (in fuse: as no "
            "vote) with --decision unreadable_answers=wrong "
            '(in Python decisions={"unreadable_answers": "wrong"})',
        )
    return record


def _read_file(file: Source, rules: Protocol | None, form: str | None) -> Run | Answers:
    """The run in a file: in the format that is named, in that of the rules, or in that of its first bytes."""
    layout = rules.run if rules is not None and form is None else None
    if layout is not None and layout.is_described:
        from coliee_adapters.layouts import described  # which few runs need

        if not described.is_trec(file, layout):
            return described.read_run(file, layout)
        layout = None  # what fuse, cut and tune write
    run_form = detect.form_of(file, "run", layout.container if layout else form)
    if rules is not None and run_form.name == "tort" and rules.claims:
        run_form = detect.form_of(file, "run", "claims")
    if rules is not None and run_form.name == "columns" and rules.parts == ("answers",):
        run_form = detect.form_of(file, "run", "labels")  # whose reader says what is wrong with the first line's label
    return run_in(run_form, file, exact_id if rules is not None and rules.exact_ids else normal_id)


def _with_guarded_reading(record: Run | Answers) -> Run | Answers:
    """The record; errors in its lines, which are read later, become an ``InputError`` too."""
    others = {part: _with_guarded_reading(inner) for part, inner in record.other_parts.items()}
    if isinstance(record, Answers):
        return replace(record, other_parts=others) if others else record
    split = None if record.split is None else partial(_guarded_parts, record.split)
    return replace(record, blocks=partial(_guarded_blocks, record.path, record.blocks), split=split, other_parts=others)


def _guarded_parts(split: Callable[[int], list[Run]], n: int) -> list[Any]:
    return list(map(_with_guarded_reading, split(n)))


def _guarded_blocks(path: str, blocks: Callable[[], Iterator[Columns]]) -> Iterator[Columns]:
    with reading_errors_as_input(path):
        yield from blocks()


def joined_runs(records: Sequence[Run | Answers]) -> Run | Answers:
    """One run that lies in several files, which answer different queries: a file a year, a file a fold."""
    first, path = records[0], ", ".join(record.path for record in records)
    for record in records:
        is_alike = type(record) is type(first) and record.other_parts.keys() == first.other_parts.keys()
        if not is_alike or (isinstance(record, Run) and record.scored != getattr(first, "scored", None)):
            raise InputError(
                "mixed-forms",
                record.path,
                f"files of one run differ in what they hold: {record.path} and {first.path}",
                remedy="give files of one kind together",
            )
    _owners(
        ((record.path, queries_of(record)) for record in records),
        "give each query once; runs of several systems are combined by coliee-ir fuse",
    )
    others = {part: joined_runs([record.other_parts[part] for record in records]) for part in first.other_parts}
    tag = first.tag if len({record.tag for record in records}) == 1 else system_of(first)
    if isinstance(first, Answers):
        answers = [record for record in records if isinstance(record, Answers)]
        return replace(
            first,
            labels={query: label for record in answers for query, label in record.labels.items()},
            tag=tag,
            path=path,
            remarks=sum((record.remarks for record in answers), Remarks()),
            unreadable=tuple(query for record in answers for query in record.unreadable),
            other_parts=others,
        )
    runs = [record for record in records if isinstance(record, Run)]
    grouped, blocks = all(run.grouped for run in runs), partial(_blocks_in_turn, runs)
    return replace(first, blocks=blocks, tag=tag, path=path, split=None, grouped=grouped, other_parts=others)


def _blocks_in_turn(runs: Sequence[Run]) -> Iterator[Columns]:
    for run in runs:
        yield from run.blocks()


def queries_of(record: Run | Answers) -> Iterator[str]:
    """The queries that a run answers, as it is read; one that stands in several places may come more than once."""
    if isinstance(record, Answers):
        yield from (*record.labels, *record.unreadable)
        return
    for block in record.blocks():
        yield from (query for query, first, last in block.segments() if last > first)


def in_order(record: Run | Answers, order: str) -> Run | Answers:
    """A run whose highest scores are best; one in ascending order is turned around, once however often it is read."""
    if order == "descending" or not isinstance(record, Run) or getattr(record.blocks, "func", None) is _blocks_turned:
        return record
    return replace(record, blocks=partial(_blocks_turned, record), scored=True, split=None)


def _blocks_turned(run: Run) -> Iterator[Columns]:
    lines = Counter[str]()  # query → how many there were
    for block in run.blocks():
        scores = None if block.scores is None else -block.scores
        if scores is None:
            places = list[int]()
            for query, first, last in block.segments():
                places += range(lines[query], lines[query] + last - first)
                lines[query] += last - first
            scores = np.array(places, dtype=np.float64)
        yield Columns(block.queries, block.starts, block.documents, scores, remarks=block.remarks)


def without_self_retrieval(run: Run) -> Run:
    """A run in which no query retrieves itself."""
    return replace(run, blocks=partial(_blocks_without_self_retrieval, run), split=None)


def _blocks_without_self_retrieval(run: Run) -> Iterator[Columns]:
    for block in run.blocks():
        of_queries = ((query, block.documents[first:last]) for query, first, last in block.segments())
        is_kept = np.array([document != query for query, documents in of_queries for document in documents], np.bool_)
        yield block.lines_where(is_kept)


def tag_of(source: Source) -> str:
    """The run tag that the first line of a file shows; its name, where that shows none. Nothing is read behind it."""
    if source.is_folder or source.is_stream:
        return source.path
    with contextlib.suppress(ColieeError):
        form = getattr(detect.form_by_head(source, "run"), "name", "")
        if form == "table":
            return forms.tabular.first_tag(source) or source.stem
        if form in ("columns", "labels", "trec"):
            words = split_columns(next(iter(first_lines(source.head())), "").strip())
            return words[-1] if len(words) > 2 else source.stem
        if form == "json" and json_text.are_lines(source):
            record = json_text.parse(source.head().partition(b"\n")[0].decode("utf-8", "replace"), source.name)
            members = record.items() if isinstance(record, dict) else ()
            return next((str(value) for name, value in members if normal_name(name) in EVERY_NAME["tag"]), source.stem)
    return source.stem


def system_of(record: Run | Answers) -> str:
    """The run tag; of a file without one, its name without the exam year, if all its queries are of that year.

    So ``H30.bm25.json`` and ``R01.bm25.json`` are of one system, and so are ``bm25/H30.json`` and ``bm25/R01.json``.
    """
    source = Source(record.path)
    year = re.search(EXAM_IN_NAME, source.stem) if record.tag == source.stem else None
    if year is None:
        return record.tag
    exam = f"{year[1].upper()}{year[2].zfill(2)}"
    if any(not STATUTE_ID.fullmatch(query) or exam_of(query) != exam for query in queries_of(record)):
        return record.tag
    around = filter(None, (source.stem[: year.start()], source.stem[year.end() :]))
    return "-".join(around) or Path(source.name).absolute().parent.name


def is_long_list(source: Source) -> bool:
    """Whether a file is named as the organisers want a long list to be named: ``task3-L.TAG``."""
    return re.search(LONG_LIST_FILE, Path(source.name).name) is not None


def is_gold_by_name(file: str | Source) -> bool:
    """Whether a file is named as a gold, and can be read as one from its head."""
    source = Source.of(file)
    words = set(re.split(r"[\W_]+", Path(source.path).name.lower()))
    if not any(words >= of_gold for of_gold in _GOLD):
        return False
    with contextlib.suppress(ColieeError):
        return detect.form_by_head(source, "gold") is not None
    return False


def reads_as_gold(source: Any, *, task: str | None = None) -> bool:
    """Whether what ``read_gold`` takes is a gold, by the rules of a task where it is named."""
    with ignoring_unreadable():
        return bool(read_gold(source, task=task).queries)
    return False


def reads_as_run(source: Any, *, task: str | None = None) -> bool:
    """Whether what ``read_run`` takes is a run, by the rules of a task where it is named."""
    with ignoring_unreadable():
        record = read_run(source, task=task)
        return isinstance(record, Answers) or any(True for _ in record.blocks())
    return False


def readable(source: object, columns: Mapping[str, str] | None = None, kind: GoldOrRun = "run") -> Any:
    """A path as a Source, which is opened when something is asked of it; a lazy frame collected; all else as it is.

    In a process that was forked later, a lazy frame would wait for threads that are not there. What ranx holds, a
    Series of labels and plain tuples become the dictionaries that they stand for; of a ``kind`` of tuples that is a
    run, 1, 2, 3 are refused, which are ranks in a file.
    """
    if isinstance(source, str | os.PathLike | Source):
        return Source.of(source, checked_columns(columns))
    if source is None or isinstance(source, Gold | Run | Answers | dict):
        return source
    if _are_several(source):
        return [readable(part, columns, kind) for part in source]
    value: Any = source
    is_series = hasattr(value, "index") and hasattr(value, "to_dict") and not hasattr(value, "columns")
    if is_series or type(value).__module__.partition(".")[0] == "ranx":
        return value.to_dict()
    if isinstance(value, list) and value and all(type(row) is tuple and len(row) == len(value[0]) for row in value):
        with reading_errors_as_input(MEMORY):
            if kind == "run" and len(value[0]) == 3 and type(value[0][2]) is not float:
                _refuse_ranks(value)
            return _of_tuples(value)
    return forms.frames.collected(source)


def _refuse_ranks(rows: Sequence[tuple[Any, ...]]) -> None:
    """Refuse a run of tuples whose numbers a file of the same lines would have for ranks."""
    if last_column((query, str(number)) for query, _, number in rows) == "rank":
        problem = "the numbers of these tuples are 1, 2, 3, … per query, which could be ranks or scores"
        remedy = "write scores as decimals, 1.0, or give a dictionary of lists, best first"
        raise InputError("ambiguous", MEMORY, problem, found=str(rows[0]), remedy=remedy)


def _of_tuples(rows: Sequence[tuple[Any, ...]]) -> Any:
    """Rows of a query, a document and a number, of a query and a document, or of a query and a label."""
    if len(rows[0]) not in (2, 3):
        return rows
    labelled = len(rows[0]) == 2 and all(isinstance(label, bool) or label in ("Y", "N") for _, label in rows)
    rankings: dict[Any, Any] = {}
    for query, document, *number in rows:
        of_query = rankings.setdefault(query, {})
        if document in of_query or (labelled and of_query):
            raise InputError(
                "duplicate",
                MEMORY,
                "two tuples name the same query and document",
                found=f"{query} {document}",
                remedy="give each once",
            )
        of_query[document] = number[0] if number else None
    if labelled:
        return dict(rows)
    return rankings if len(rows[0]) == 3 else {query: list(documents) for query, documents in rankings.items()}


def keys_of(file: Source) -> list[str]:
    """The keys at the beginning of a file of JSON records, as paths: a line each, in a list or under keys."""
    head, is_lines = file.head().lstrip(), file.name.endswith(json_text.ENDINGS_OF_LINES)
    if head[:1] not in (b"{", b"[") or not (is_lines or re.search(rb"\}\s*\n\s*\{|[\[:]\s*\{", head)):
        return []
    return json_text.paths_of(head.decode("utf-8", errors="replace"))


def check_apart(gold: Gold, run: object, columns: Mapping[str, str] | None) -> None:
    """Refuse a file that is gold and run if both are read from one column, where the user named columns of one."""
    if not isinstance(run, str | os.PathLike | Source) or not {*OF_GOLD, *OF_RUN} & (columns or {}).keys():
        return
    file = readable(run, columns)
    if file.is_stream or Path(file.path).resolve() != Path(gold.path).resolve():
        return
    names = detect.header_of(file) or keys_of(file)
    place = deciding_column(names, "gold", file.columns)
    if place is not None and place == deciding_column(names, "run", file.columns):
        raise InputError(
            "ambiguous",
            file.name,
            "this file is gold and run, and both are read from one column",
            found=names[place],
            remedy="name both, with --columns label=NAME,answer=NAME or --columns relevance=NAME,score=NAME",
        )


def _is_path(keys: Sequence[str], named: Collection[str]) -> bool:
    """Whether keys make a name, or a path through lists, whose items have names of their own."""
    ends = (n for n in range(1, len(keys) + 1) if normal_name(".".join(keys[:n])) in named)
    return not keys or any(_is_path(keys[n:], named) for n in ends)


def check_columns(files: Iterable[object], columns: Mapping[str, str]) -> None:
    """Refuse names of columns that no file has."""
    named, unreadable = dict[str, str](), list[ColieeError]()
    for file in files:
        if isinstance(file, Source):
            try:
                named |= {normal_name(name): name for name in (*detect.header_of(file), *keys_of(file))}
            except ColieeError as error:  # which reading the file reports
                unreadable.append(error)
    for role, name in columns.items():
        if role not in ANSWERS and not _is_path(name.split("."), named):
            if unreadable:  # the column may be there
                raise unreadable[0]
            names = ", ".join(sorted(named.values()))
            listed = f"their columns are {names}" if named else "no file has a row that names columns"
            if "." in names:
                listed += "; for files that need more than names of columns, use --protocol FILE"
            raise UsageError("missing-column", f"--columns {role}={name}: no file has a column of this name; {listed}")
