import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coliee_adapters.errors import InputError
from coliee_ir.rules import ALWAYS, schema
from coliee_ir.rules.protocol import Protocol, SubmissionRules

NEWEST = 2026
COMMON = 'task = "x"\ntitle = "a task"\nparts = ["documents"]\nmeasures = ["MicroF1"]\n'


def read(folder, text):
    path = folder / "x.toml"
    path.write_text(text, encoding="utf-8")
    return schema.read(path, NEWEST, Protocol, SubmissionRules)


def test_keys_at_the_top_hold_for_all_editions_and_dates_are_by_edition(tmp_path):
    own = '[[edition]]\nfirst = 2020\nlast = 2021\nmeasures = ["MacroF2", "MacroP"]\n[[edition]]\nfirst = 2022\n'
    rules, _, dates = read(tmp_path, f"{COMMON}{own}[models_before]\n2026 = 2025-07-15\n2027 = false\n")
    assert [(row.task, row.first, row.last, row.title, row.measures) for row in rules] == [
        ("x", 2020, 2021, "a task", ("MacroF2", "MacroP")),
        ("x", 2022, NEWEST, "a task", ("MicroF1",)),
    ]
    assert all(row.exact_ids for row in rules)  # "096" and "96" are two, where it is not COLIEE's law
    assert dates == {2026: datetime.date(2025, 7, 15), 2027: None}
    # without editions for all years, and next year's for next year
    assert [(row.first, row.last) for row in read(tmp_path, COMMON)[0]] == [(0, ALWAYS)]
    [row] = read(tmp_path, COMMON + f"[[edition]]\nfirst = {NEWEST + 1}\n")[0]
    assert (row.first, row.last) == (NEWEST + 1, NEWEST + 1)


#: what stands in the place of what, and the key or line that is named
CHANGED = [
    ('"x"', "3", "task"), ('"x"', '"../x"', "task"), ('task = "x"\n', "", "task"), ('title = "a task"\n', "", "title"),
    ("measures", "mesures", "mesures"), ('["MicroF1"]', "[]", "measures"), ('["MicroF1"]', '"MicroF1"', "measures"),
    ('["documents"]', '["articles"]', "parts"), ('["documents"]', '["documents", "long"]', "parts"),
    ('["documents"]', '["documents", "two words"]', "parts"), ('"a task"', "", 2),
]  # fmt: skip
ADDED = [
    ('law = "space"', "law"),
    ('[gold]\ncontainer = "json"\n[gold.laws]', "[gold], laws"),
    ('[gold]\ncontainer = "json"\n[gold.documents]\nid = "{law|{art}"', "[gold.documents], id"),
    ('[run]\ncontainer = "json"\n[run.documents]\nyes = ["a"]\nno = ["a"]', "[run.documents], no"),
    ('[gold]\ncontainer = "csv"\n[gold.documents]', "[gold], query"),
    ('[run]\ncontainer = "columns"\nquery = "q"\n[run.documents]', "[run], columns"),
    ('[run]\ncontainer = "json"', "[run], documents"),
    ('[table]\nF1 = "MicroF2"', "table, F1"),
    ("[[edition]]\nlast = 2026", "[[edition]] 1, first"),
    *((f"edition = {value}", "edition") for value in ("2026", "[2026]")),
    ("[[edition]]\nfirst = 2026\nlast = 2025", "[[edition]] 1, last"),
    ("[[edition]]\nfirst = 2020\n[[edition]]\nfirst = 2026", "[[edition]] 2, first"),
    ('[[submission]]\ncolumns = ["A", "B"]', "[[submission]] 1, columns"),
    ("[[submission]]\nmost_runs = -1", "[[submission]] 1, most_runs"),
    ("level = 1" + 100_000 * "0", "broken TOML"),
    # what appears twice, by line
    ('title = "b"', 5),
    ("[gold]\n[run]\n[gold]", 7),
]


@pytest.mark.parametrize(
    ("text", "key"),
    [(COMMON.replace(was, becomes), key) for was, becomes, key in CHANGED]
    + [(f"{COMMON}{t}\n", key) for t, key in ADDED],
)
def test_an_error_names_file_and_key_or_line(text, key, tmp_path):
    with pytest.raises(InputError) as refused:
        read(tmp_path, text)
    error = refused.value
    assert error.path == str(tmp_path / "x.toml")
    assert error.problem.startswith(f"{key}: ") or error.line == key
    assert "\n" not in str(error)
    assert key != "mesures" or "measures" in (error.remedy or "")


_VALUES = st.recursive(
    st.one_of(st.integers(-3, 3000), st.booleans(), st.sampled_from(['"a"', '""', "2026-01-01", "1.5"])),
    lambda inner: st.lists(inner, max_size=2),
    max_leaves=4,
)
KEYS = ["task", *schema.keys(Protocol), *schema.keys(SubmissionRules), "edition", "submission", "first"]


@given(
    st.sampled_from([*KEYS, "models_before"]),
    _VALUES,
    st.sampled_from(["", "[[edition]]", "[[submission]]", "[models_before]"]),
)
def test_whatever_a_file_states_is_read_or_refused_in_a_sentence(tmp_path_factory, key, value, head):
    shown = str(value).replace("'", "").replace("True", "true").replace("False", "false")
    try:
        read(tmp_path_factory.getbasetemp(), f"{COMMON}{head}\n{key} = {shown}\n")
    except InputError as error:
        assert "\n" not in str(error)
