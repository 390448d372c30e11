"""What the tests themselves are told by: a comparison is exact, and wildcards are asked for."""

import pytest
from asserting import begins, heard, matches, mentions, refusing

from coliee_adapters.errors import InputError
from coliee_adapters.remarks import Remark

SAID = "run.txt, line 2: not a score (found 'x'); write a number [bad-score]"


def test_what_a_command_prints_is_compared_exactly(call):
    code, out, err = call("measures", "MicroF1")
    assert (code, type(out), type(err)) == (0, str, str)
    assert type(heard(Remark.of("tie", ["q1"]))) is str
    for said, expected in (
        ("bm25  0.2453; use --nonsense [nonsense]\n", "bm25  0.2453\n"),
        ("bm25  0.2453 and more\n", "bm25  0.2453\n"),
        ([SAID], []), ([], [SAID]), ([SAID], (SAID,)), ((2, "", SAID), (0, "", SAID)),
    ):  # fmt: skip
        assert not matches(said, expected)


@pytest.mark.parametrize(
    ("expected", "whole", "part"),
    [
        (SAID, True, True),
        ("run.txt, line 2: [bad-score] (found 'x')", True, True),
        ("run.txt, line 2: … (found 'x')", True, True),
        ("line 2: [bad-score]", False, True),
        ("run.txt, line 2: [bad-score] (found 'y')", False, False),
        ("run.txt, line 3: [bad-score] (found 'x')", False, False),
        ("run.txt, line 2: [bad-rank] (found 'x')", False, False),
        ("", False, True),
    ],
)
def test_wildcards_stand_for_a_kind_and_for_words(expected, whole, part):
    assert (matches(SAID, expected), mentions(SAID, expected)) == (whole, part)
    for said, of in (([SAID, SAID], [expected, SAID]), ((0, SAID), (0, expected)), ({"q": SAID}, {"q": expected})):
        assert matches(said, of) is whole
    assert mentions(["", SAID], expected) is (whole or not expected)
    assert begins(f"{SAID}\n{SAID}\n", expected) is (part and not expected.startswith("line"))


def test_an_error_of_another_kind_and_a_part_of_a_number_are_not_what_is_expected():
    with refusing(InputError, "[bad-score]"):
        raise InputError("bad-score", "run.txt", "not a score")
    with pytest.raises(AssertionError), refusing(InputError, "[bad-rank]"):
        raise InputError("bad-score", "run.txt", "not a score")
    assert mentions("in all 2 runs of 7 are left out", "2 runs … 7")
    for text in ("-2 runs of 7", "12 runs of 7", "0.2 runs of 7", "2 runs of 70", "2 runs of 7.5"):
        assert not mentions(f"in all {text} are left out", "2 runs … 7")
