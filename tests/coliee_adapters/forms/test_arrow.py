"""What comes out of pyarrow's columns is what it says itself of its values; runs are those of plain tuples."""

import itertools
import subprocess
import sys
from datetime import date
from decimal import Decimal
from typing import NamedTuple

import pandas
import polars
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reading import refused
from runs_in_parts import same

import coliee_ir
from coliee_adapters.forms import arrow, frames
from coliee_adapters.records import Gold, Run, exact_id, normal_id
from coliee_ir.judging.judged import judge
from coliee_ir.judging.qrels import Qrels

TEXT = st.text("ab01-é民", max_size=5) | st.text("ab01", min_size=10, max_size=40)
DECIMALS = (pa.decimal32(9, 2), pa.decimal64(18, 9), pa.decimal128(20, 3), pa.decimal128(38, 30), pa.decimal256(50, 40))
BYTES = (pa.binary(), pa.large_binary(), pa.binary_view(), pa.dictionary(pa.int8(), pa.binary()))
WORDS = (pa.string(), pa.large_string(), pa.string_view())
KEYS = (pa.int8(), pa.uint32())
KINDS = [
    *((one, TEXT) for one in WORDS),
    *((pa.dictionary(key, one), TEXT) for one, key in itertools.product(WORDS[:2], KEYS)),
    *((one, st.integers(-100, 100)) for one in (pa.int8(), pa.int16(), pa.int32(), pa.int64())),
    *((one, st.integers(0, 255)) for one in (pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64())),
    *((one, st.floats(width=32)) for one in (pa.float32(), pa.float64())),
    (pa.bool_(), st.booleans()),
    *((one, st.integers(-999, 999).map(lambda n: Decimal(100 * n)))
      for one in (pa.decimal32(5, -2), pa.decimal128(20, -2))),
    (pa.decimal128(9), st.integers(-(10**9) + 1, 10**9 - 1).map(Decimal)),
    *((one, st.decimals(-99, 99, places=one.scale)) for one in DECIMALS),
    *((one, TEXT.map(str.encode)) for one in BYTES),
]  # fmt: skip


def value_of(one):
    """What a value of the library is read as."""
    if isinstance(one, Decimal):
        return float(one)
    return one.decode("utf-8") if isinstance(one, bytes) else one


@given(st.sampled_from(KINDS), st.data())
def test_values_of_every_type_in_any_pieces_are_what_the_library_says(held, data):
    kind, values = held
    chunks = data.draw(st.lists(st.lists(values | st.none(), max_size=12), max_size=3))
    column = pa.chunked_array([pa.array(chunk, kind) for chunk in chunks], kind)
    start, stop = (data.draw(st.integers(0, len(column))) for _ in range(2))
    column = column.slice(min(start, stop), abs(stop - start))
    read = arrow.column(column)
    values = list(map(value_of, column.to_pylist()))
    assert len(read) == len(values)
    assert list(map(repr, read)) == list(map(repr, values))
    if values and None not in values and all(isinstance(one, str) or one >= 0 for one in values):
        ids = read.ids()
        assert (ids is None) == isinstance(values[0], float) or kind == pa.bool_()
        if ids is not None:
            assert list(ids) == [str(one) for one in values]
            # a dictionary may hold more than what is asked for
            plain = all(one.isascii() and 1 <= len(one) <= 32 for one in ids)
            assert ids.are_plain() == plain or (plain and pa.types.is_dictionary(kind))


def test_a_dictionary_of_what_is_not_read_is_not_read_and_one_with_a_null_holds_it():
    assert arrow.column(pa.array([date(2026, 1, 1)]).dictionary_encode()) is None
    held = pa.DictionaryArray.from_arrays([0, 1, 0], pa.array(["a", None]))
    assert [*arrow.column(held)] == ["a", None, "a"]


class Row(NamedTuple):
    query_id: str
    doc_id: str
    score: float


class Bare:
    """A frame of pandas as it is where pyarrow is not installed."""

    def __init__(self, held):
        self.held, self.columns = held, held.columns

    def __getitem__(self, at):
        return Bare(self.held[at]) if isinstance(at, slice) else self.held[at]


FRAMES = {
    "pandas": lambda rows: pandas.DataFrame(rows, columns=Row._fields),
    "pandas, objects": lambda rows: FRAMES["pandas"](rows).astype({"query_id": object, "doc_id": object}),
    "pandas, bare": lambda rows: Bare(FRAMES["pandas, objects"](rows)),
    "pandas, categories": lambda rows: FRAMES["pandas"](rows).astype({"query_id": "category"}),
    "polars": lambda rows: polars.DataFrame(rows, schema=Row._fields, orient="row"),
    "polars, categories": lambda rows: FRAMES["polars"](rows).cast({"query_id": polars.Categorical}),
    "polars, in pieces": lambda rows: polars.concat([*map(FRAMES["polars"], (rows[:2], rows[2:]))], rechunk=False),
    "pyarrow": lambda rows: pa.Table.from_pylist([row._asdict() for row in rows]),
    "a reader": lambda rows: FRAMES["pyarrow"](rows).to_reader(max_chunksize=2),
}
GOLD = Qrels({"q1": {"d1": 1, "d2": 0}, "q2": {"d2": 2}, "1": {"2": 1}})
IDS = st.sampled_from(["d1", "d2", "d2.txt", "2", "a-long-id-of-more-than-thirty-two-bytes"])
ROWS = st.builds(Row, st.sampled_from(["q1", "q2", "q1.txt", "1"]), IDS, st.sampled_from([0.5, 1.0, -2.0]))


@settings(max_examples=settings().max_examples // 2)
@given(st.sampled_from(sorted(FRAMES)), st.lists(ROWS, min_size=1, max_size=12), st.sampled_from([exact_id, normal_id]))
def test_a_run_is_that_of_plain_tuples(name, rows, rule):
    assert same(*(judge(GOLD, frames.run_of(held, rule)) for held in (rows, FRAMES[name](rows))))


@pytest.mark.parametrize("name", FRAMES)
def test_what_is_wrong_with_tuples_is_wrong_with_frames(name):
    for row in (Row("q 1", "d", 1.0), Row("q", "", 1.0), Row("q", "d", float("nan")), Row("q", "d", float("inf"))):
        rows = [Row("q", "e", 1.0), row]
        assert refused(frames.run_of, FRAMES[name](rows)).problem == refused(frames.run_of, rows).problem


@pytest.mark.parametrize("held", [Gold({"q": {"d": 2, "e": 0}}), Run.of({"q": {"d": 0.5}}), Gold({}), Run.of({})])
def test_a_frame_of_each_library_reads_back(held):
    again = coliee_ir.to_qrels if isinstance(held, Gold) else coliee_ir.to_run
    for library in ("pandas", "polars", "pyarrow"):
        assert again(coliee_ir.to_frame(held, library)) == again(held)
    value = pa.int64() if isinstance(held, Gold) else pa.float64()
    assert coliee_ir.to_frame(held, "pyarrow").schema.types == [pa.string(), pa.string(), value]


def test_parquet_is_read_without_pandas(tmp_path):
    rows = {"query_id": ["q1", "q1"], "doc_id": ["d1", "d2"], "score": [2.0, 1.0], "tag": ["T", "T"]}
    pq.write_table(pa.table(rows), tmp_path / "run.parquet")
    code = "import coliee_ir, sys; coliee_ir.evaluate({'q1': ['d1']}, 'run.parquet'); print('pandas' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
