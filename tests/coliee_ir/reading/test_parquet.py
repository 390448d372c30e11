"""Parquet files in every command: the scores and remarks of the same rows as text, in any number of parts."""

import contextlib
import io
import os
import pickle
import signal
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from asserting import clause, matches, refusing
from example_runs import EXAMPLES
from hypothesis import given, settings
from hypothesis import strategies as st
from reading import refused
from runs_in_parts import same as same_judged

from coliee_adapters.errors import InputError, UsageError
from coliee_adapters.files.source import Source
from coliee_adapters.forms import detect, parquet
from coliee_ir import evaluate, read_gold, read_run, validate
from coliee_ir.commands.convert import convert
from coliee_ir.judging.judged import judge
from coliee_ir.judging.qrels import Qrels
from coliee_ir.reading.anything import read_queries

GOLD = Qrels({f"q{n}": {f"d{i}": i % 3 for i in range(n + 1)} for n in range(5)} | {"7": {"8": 1}})


class Row(NamedTuple):
    query_id: str
    doc_id: str
    score: float
    rank: int
    tag: str


QUERIES = st.sampled_from(["q0", "q1", "q2", "q4", "q9", "7", "q1.txt"])
DOCUMENTS = st.sampled_from(["d0", "d1", "d2", "8", "d1.txt", "an-id-of-more-than-thirty-two-bytes-and-so-on", "民法"])
SCORES = st.sampled_from([0.5, 1.0, 0.25, -3.0])
ROWS = st.lists(
    st.builds(Row, QUERIES, DOCUMENTS, SCORES, st.integers(1, 9), st.sampled_from("TTU")), min_size=1, max_size=25
)
few = settings(max_examples=settings.default.max_examples // 5)  # each writes files
TEXTS = (pa.string(), pa.large_string(), pa.dictionary(pa.int32(), pa.string()), pa.binary(), pa.large_binary())
NUMBERS = (pa.float64(), pa.decimal128(20, 2), pa.decimal256(50, 3))


def put(path, rows, columns, text=None, group=None, score=NUMBERS[0]):
    """The rows as Parquet."""
    kinds = {"score": pa.float64(), "rank": pa.int32()}
    arrays = {name: pa.array([getattr(row, name) for row in rows], kinds.get(name, text)) for name in columns}
    arrays |= {name: array.cast(score) for name, array in arrays.items() if name == "score"}
    pq.write_table(pa.table(arrays), path, row_group_size=group)
    return Source(path)


def put_text(path, rows, columns):
    """The same rows as a table of text."""
    lines = [columns, *([str(getattr(row, name)) for name in columns] for row in rows)]
    path.write_text("".join(f"{','.join(line)}\n" for line in lines), encoding="utf-8")
    return Source(path)


def without_places(remarks):
    """Counts and examples, without where these stand: a row of Parquet is the line behind it in a table."""
    kinds = ("tag", "duplicate", "tie", "rank-order", "ungrouped", "extra-query")
    examples = {kind: remarks.examples(kind) for kind in kinds}
    examples["tag"] = tuple(one.partition(": ")[2] for one in examples["tag"])
    return examples, [remarks.count(kind) for kind in kinds]


def same(one, other):
    return without_places(one.remarks) == without_places(other.remarks) and same_judged(one, other, remarks=False)


def blocks(path):
    return list(read_run(path).blocks())


@pytest.mark.usefixtures("one_process")
@few
@given(
    rows=ROWS,
    columns=st.sampled_from([("score",), ("rank",), (), ("score", "rank"), ("score", "tag"), ("tag", "rank")]),
    text=st.sampled_from(TEXTS),
    score=st.sampled_from(NUMBERS),
    group=st.integers(1, 9),
    jobs=st.integers(1, 4),
    batch=st.integers(1, 9),
)
def test_a_run_is_judged_as_the_same_rows_of_text(tmp_path_factory, rows, columns, text, score, group, jobs, batch):
    folder, names = tmp_path_factory.getbasetemp(), ("query_id", "doc_id", *columns)
    plain = detect.read_run(put_text(folder / "run.csv", rows, names))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parquet, "BATCH", batch)
        run = detect.read_run(put(folder / "run.parquet", rows, names, text, group, score))
        assert (run.tag, run.scored) == (plain.tag, plain.scored)
        expected = judge(GOLD, plain)
        assert same(judge(GOLD, run), expected)
        assert same(judge(GOLD, pickle.loads(pickle.dumps(run)), jobs=jobs), expected)


@pytest.mark.parametrize(
    ("gold", "run", "task"),
    [("task1/gold.json", "task1/bm25.txt", "1"), ("task3-2025/gold.xml", "task3-2025/task3.ALPHA", "3"),
     ("trec/qrels.txt", "trec/bm25.run", None)],
)  # fmt: skip
def test_what_is_converted_has_the_same_scores_and_remarks(gold, run, task, here):
    convert(EXAMPLES / gold, "gold.qrels", to="qrels")
    convert("gold.qrels", "gold.parquet")
    convert(EXAMPLES / run, "run.parquet", to="parquet")
    plain = evaluate("gold.qrels", EXAMPLES / run, task=task, edition=2025)
    scores = evaluate("gold.parquet", "run.parquet", task=task, edition=2025)
    assert (scores.tag, scores.measures) == (plain.tag, plain.measures)
    # a line that repeats another is written once, and so is the tag
    assert list(scores.remarks) == [one for one in plain.remarks if one.kind not in ("duplicate", "tag")]
    assert read_queries("gold.parquet") == read_queries("gold.qrels")


def test_labels_and_answers_are_written_and_read_back(here):
    gold, run = EXAMPLES / "task4" / "gold.xml", EXAMPLES / "task4" / "ALPHA.txt"
    for of, to in ((gold, "gold.txt"), ("gold.txt", "gold.qrels"), ("gold.qrels", "gold.parquet"), (run, "run.trec"),
                   ("run.trec", "run.parquet"), ("gold.parquet", "back.txt")):  # fmt: skip
        convert(of, to, to={".txt": "labels", ".qrels": "qrels", ".trec": "trec"}.get(Path(to).suffix))
    scores, plain = evaluate("gold.parquet", "run.parquet"), evaluate(gold, run, task="4")
    assert (scores.tag, scores.measures) == (plain.tag, plain.measures)
    assert Path("back.txt").read_text() == Path("gold.txt").read_text()


def test_a_task_is_needed_for_a_gold_and_it_is_read_from_a_pipe_and_a_submission_is_text(here, monkeypatch):
    gold = EXAMPLES / "task1" / "gold.json"
    with refusing(UsageError, "[ambiguous]"):  # a gold or a run
        convert(gold, "gold.parquet")
    assert not Path("gold.parquet").exists()
    convert(EXAMPLES / "task1" / "bm25.txt", "bm25.parquet")
    for task, columns in ("1", "QUERY DOCUMENT TAG"), ("4", "QUERY Y TAG"):
        (finding,) = validate("bm25.parquet", task=task).findings
        assert finding.rule == "form" and "convert" in str(finding) and columns in finding.advice
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(Path("bm25.parquet").read_bytes())))
    assert evaluate(gold, "-", task="1").measures == evaluate(gold, "bm25.parquet", task="1").measures


@pytest.mark.parametrize("encoding", ["DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY", "PLAIN"])
@pytest.mark.parametrize("text", [pa.string(), pa.binary()])
def test_texts_without_a_dictionary_are_read(tmp_path, encoding, text):
    rows = [Row(f"q{n // 3}", f"d{n % 3}", -n, n % 3 + 1, "T" if n < 9 else "U") for n in range(12)]
    names = ("query_id", "doc_id", "score", "tag")
    put(tmp_path / "run.parquet", rows, names, text)
    written = dict.fromkeys(("query_id", "doc_id", "tag"), encoding)
    table = pq.read_table(tmp_path / "run.parquet")
    pq.write_table(table, tmp_path / "run.parquet", 5, use_dictionary=False, column_encoding=written)
    if encoding != "PLAIN":  # which may be texts of any size in some kilobytes
        assert refused(blocks, tmp_path / "run.parquet").kind == "shape"
        return
    plain = read_run(put_text(tmp_path / "run.csv", rows, names).path)
    assert same(judge(GOLD, read_run(tmp_path / "run.parquet")), judge(GOLD, plain))


CELLS = {"query_id": ["q1", "q1", "q2"], "doc_id": ["a", "b", "c"], "score": [3.0, 2.0, 1.0]}
KINDS = {"query_id": pa.string(), "doc_id": pa.string(), "score": pa.float64()}


@pytest.mark.parametrize(
    ("column", "value", "kind", "problem"),
    [
        ("query_id", None, pa.string(), "row 3: the query is null"),
        ("score", float("nan"), pa.float64(), "row 3: [bad-score] score …"),
        ("doc_id", "a b", pa.string(), "row 3: this id has a blank in it"),
        ("doc_id", "a,b", pa.string(), "row 3: [bad-id]"),
        ("doc_id", b"\xff", pa.binary(), "row 3: the document is not UTF-8"),
        ("score", 1, pa.date32(), "[shape] score …"),
        ("relevance", 1.5, pa.float64(), "row 3: [bad-relevance]"),
        ("relevance", 10**6, pa.int64(), "row 3: [bad-relevance]"),
    ],
)
def test_a_value_that_is_wrong_is_named_with_its_row(tmp_path, column, value, kind, problem):
    is_gold, path = column == "relevance", str(tmp_path / "f.parquet")
    cells = {name: of for name, of in (CELLS | {"relevance": [1, 1, 1]}).items() if (name != "score" or not is_gold)}
    cells[column] = [*([1, 1] if kind == pa.date32() else cells[column][:2]), value]
    table = pa.table({name: pa.array(of, kind if name == column else KINDS.get(name)) for name, of in cells.items()})
    for group in (1, 9):
        pq.write_table(table, path, row_group_size=group)
        error = refused(read_gold if is_gold else blocks, path)
        assert matches(clause(error), problem)
        assert error.path == path


def test_a_damaged_file_one_without_rows_and_one_beyond_the_limit_are_one_sentence(tmp_path, monkeypatch):
    path, names = tmp_path / "run.parquet", ("query_id", "doc_id", "score")
    put(path, [Row(f"q{n % 5}", f"d{n * 7919 % 10_007}", n * 1.37, n, "T") for n in range(5000)], names)
    whole = path.read_bytes()
    pq.write_table(pa.table({"query_id": ["q"], "doc_id": ["d"], "score": [1.0]}), path, store_schema=False)
    name_is_no_text = path.read_bytes().replace(b"doc_id", b"do\xe2_id")
    zeros = whole[:400] + bytes(2000) + whole[2400:]
    for damaged in (whole[:-20], whole[:100], whole[: len(whole) // 2], zeros, name_is_no_text):
        path.write_bytes(damaged)
        error = refused(blocks, path)
        assert error.kind == "damaged" and "\n" not in str(error)
    put(path, [], names)
    assert refused(blocks, path).kind == "empty"
    path.write_bytes(whole)
    monkeypatch.setenv("COLIEE_IR_MAX_UNPACKED", "10K")
    error = refused(blocks, path)
    assert error.kind == "too-large" and "10 KiB" in error.problem


@pytest.mark.parametrize(("schema", "others"), [(True, 0), (False, 0), (False, 40_000)])
def test_a_text_that_is_repeated_to_any_size_is_refused(tmp_path, schema, others):
    n = 1 << 16  # rows of a megabyte each, perhaps behind a row group of many words
    numbers = np.concatenate([np.arange(others), np.full(n, others)]).astype(np.int32)
    words = pa.DictionaryArray.from_arrays(pa.array(numbers), pa.array([*map(str, range(others)), "x" * (1 << 20)]))
    table = pa.table({"query_id": pa.array(["q"] * (n + others)), "doc_id": words, "score": np.zeros(n + others)})
    pq.write_table(table, tmp_path / "run.parquet", others or None, store_schema=schema)
    assert (tmp_path / "run.parquet").stat().st_size < 1 << 20
    assert "longer than 8 KiB" in clause(refused(blocks, tmp_path / "run.parquet"))


def test_text_is_not_read_from_it_and_the_extra_that_is_missing_is_named(tmp_path, monkeypatch):
    path = tmp_path / "run.parquet"
    put(path, [Row("q", "d", 1.0, 1, "T")], ("query_id", "doc_id", "score"))
    for read in (Source.text, Source.raw, lambda source: list(source.blocks(9))):
        assert refused(read, Source(path)).kind == "not-text"
    for module in ("pyarrow", "pyarrow.parquet"):
        monkeypatch.setitem(sys.modules, module, None)
    assert "coliee-ir[parquet]" in str(refused(read_run, path))
    with pytest.raises(UsageError, match=r"coliee-ir\[parquet\]"):
        convert(EXAMPLES / "trec" / "bm25.run", tmp_path / "out.parquet")
    assert not (tmp_path / "out.parquet").exists()


def test_no_flipped_bit_gives_another_score(tmp_path):
    """Our files have checksums in their pages; a reader that pyarrow ends is a process of its own."""
    convert(EXAMPLES / "trec/bm25.run", good := tmp_path / "good.parquet")
    whole, bad = good.read_bytes(), tmp_path / "bad.parquet"
    wanted = evaluate(EXAMPLES / "trec/qrels.txt", good, task="trec", measures=["map"]).measures
    for at in range(7, 8 * len(whole), 8 * len(whole) // (600 if settings.default.max_examples > 99 else 15)):
        flipped = bytearray(whole)
        flipped[at // 8] ^= 1 << at % 8
        bad.write_bytes(flipped)
        with contextlib.suppress(InputError):
            assert evaluate(EXAMPLES / "trec/qrels.txt", bad, task="trec", measures=["map"]).measures == wanted


def test_a_file_over_which_the_reader_dies_spoils_no_other(tmp_path, call, monkeypatch):
    convert(EXAMPLES / "trec/bm25.run", tmp_path / "good.parquet")
    convert(EXAMPLES / "trec/dense.run", tmp_path / "bad.parquet")
    here, read = os.getpid(), parquet.row_batches

    def dying(source, *rest):
        if os.getpid() != here and "bad" in source.name:
            os.kill(os.getpid(), signal.SIGKILL)  # as abort does, without faulthandler's words
        return read(source, *rest)

    monkeypatch.setattr(parquet, "row_batches", dying)
    source = Source(tmp_path / "bad.parquet")
    for _ in range(2):
        assert refused(read_run, source).path == source.name
    code, out, err = call("evaluate", EXAMPLES / "trec/qrels.txt", tmp_path, "-m", "map", "-f", "csv", "--keep-going")
    assert (code, len(out.splitlines()), "bad.parquet" in err) == (2, 2, True)
