import json

import pytest
from by_form import one_a_line
from hypothesis import example, given
from hypothesis import strategies as st

from coliee_adapters.errors import InputError
from coliee_adapters.forms import json_text
from coliee_adapters.forms.json_columns import Alike

TEXTS = ['"q1"', '"d,2:{}"', '"a b"', '""', r'"\u0041"', r'"a\"b"', '"é"', '"\x01"', '"\t"']
NUMBERS = ["1", "20", "-3", "0", "-0", "0.5", "-12.250", "1.5e3", "7E-2", "12345678901234567890123", "1234567890.25"]
WRONG = ["01", "-01.5", "1.", ".5", "+1.5", "1.5_0", "1.e5", "-.5", "1.0e999", "NaN", "[1]", '{"a": 1}', "x", ""]
#: other lines than those that the first of a block shows
OTHERS = [
    '{"id":"q","n":1}', '{"n": 1, "id": "q"}', '{"id": "q", "n": 1, "id": "q"}', ' {"id": "q", "n": 1}', "",
    '{"id": "q", "n": 1} ', '{"id": "q", "n": 1}{"id": "q", "n": 1}', '{"id": "q", "n": 1, "n": 1}', '{"id": "q"}',
    '{"id": "q\x01"}', '{"id": "q", "n": "1"}', '{"id": q, "n": 1}', '["q", 1]', '{"id": "q", "n": 1\x02}',
]  # fmt: skip


def columns_or_nothing(block):
    """The columns of a block, which are those of its records as Python reads them; whether there are any."""
    if (alike := Alike.of(block.encode(), "f.jsonl", 1)) is None:
        return False
    records = [json_text.parse(line, "f.jsonl") for line in block.splitlines()]
    expected = {key: [repr(record[key]) for record in records] for key in records[0]}
    assert {key: [*map(repr, column)] for key, column in alike.columns.items()} == expected
    assert [*alike] == records
    return True


@pytest.mark.parametrize("first", ['{"id": "q", "n": 1}', '{"id": "q", "n": 0.5}', '{"n": 1, "id": "q"}'])
def test_columns_are_those_of_the_records_that_python_reads(first):
    values = [(name, value) for name in ('"q"', "1", "0.5") if name in first for value in TEXTS + NUMBERS + WRONG]
    lines = [first.replace(*pair) for pair in values] + OTHERS
    are_columns = {line: columns_or_nothing(f"{first}\n{line}\n{first}\n") for line in lines}
    # the plain ones among them are columns: texts, and numbers that are all whole or all are not
    for line, (old, new) in zip(lines, values, strict=False):
        if new in ('"q1"', '"d,2:{}"', "20", "0", "-12.250", "1.5e3", "1234567890.25"):
            assert are_columns[line] == ((old, new.isdigit(), "." in new and new[0] != '"') in
                                         (('"q"', False, False), ("1", True, False), ("0.5", False, True)))  # fmt: skip
    for line, is_column in are_columns.items():
        if not is_column:  # nor is it, where it comes first
            columns_or_nothing(f"{line}\n{first}\n")


def test_what_programs_write_is_read_as_columns_and_what_is_no_json_is_refused():
    records = [{"qid": f"q{at}", "docno": f"d-{at}.txt", "rank": at, "score": -at / 7, "tag": "T"} for at in range(99)]
    for separators in ((", ", ": "), (",", ":")):
        assert columns_or_nothing("".join(json.dumps(record, separators=separators) + "\n" for record in records))
    for line in ('{"id": "q", "n": 1, "n": 1}\n', ', "id": "q", "n": 1}\n'):
        assert Alike.of(2 * line.encode(), "f.jsonl", 1) is None
        with pytest.raises(InputError):
            list(json_text.batches(2 * line, "f.jsonl"))


ROWS = st.tuples(st.none() | st.integers(0, 99), st.sampled_from([0.5, 0.1, -12.25]), st.sampled_from([None, *"TU"]))


@given(st.lists(ROWS, min_size=1, max_size=9))
@example([(None, 0.5, None), (None, 0.1, None)])
@example([(1, 0.5, None), (None, 0.1, None)])
def test_records_with_nulls_are_read_as_columns(rows):
    rows = [(f"q{i // 4}", f"d{i}", *row) for i, row in enumerate(rows)]
    roles = ("query", "document", "rank", "score", "tag")
    is_read = columns_or_nothing(one_a_line(dict(zip(roles, row, strict=True)) for row in rows))
    assert is_read or any(row[-1] for row in rows)  # a text and null have not the same signs around them
