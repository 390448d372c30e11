"""The map that `make power` and `make tests-of` use follows the code when it is edited."""

import pytest
from coverage_map import CoverageMap
from survivors import faults_of, trial_of

CODE, OTHER, TEST, QUICK = "coliee_ir/a.py", "coliee_ir/b.py", "tests/test_a.py::add", "tests/test_b.py::f"
LINES = ["def add(first, second):", "    total = first + second", "    return total", "def f(): return 1"]
TESTS = {"tests/test_a.py": ["assert add(1, 2) == 3"], "tests/test_b.py": ["f()"]}
SECONDS = {"": 0.0, TEST: 2.0, QUICK: 1.0}
KNOWN = CoverageMap({CODE: LINES, **TESTS}, {CODE: [[""], [TEST], [TEST, QUICK], []]}, SECONDS, [QUICK])


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        ({CODE: LINES}, [0, 1, 1, 0]),
        ({CODE: ["import x", *LINES]}, [0, 0, 1, 1, 0]),
        ({CODE: [*LINES[:2], "    total += 1", *LINES[2:]]}, [0, 1, 1, 1, 0]),
        ({CODE: LINES[:1], OTHER: ["# moved", *LINES[1:3]]}, [0]),
    ],
)
def test_lines_are_found_again_and_new_ones_go_with_the_line_above(texts, expected):
    moved = KNOWN.moved_to(texts | TESTS)
    assert [len({*row} & {TEST}) for row in moved.runs[CODE]] == expected
    assert OTHER not in texts or moved.tests_of(OTHER, [2]) == {TEST}


def test_a_map_is_read_as_it_was_written_and_the_tests_of_a_changed_file_are_forgotten(tmp_path):
    KNOWN.write(tmp_path / "map.json")
    assert CoverageMap.read(tmp_path / "map.json") == KNOWN
    moved = KNOWN.moved_to(KNOWN.texts | {"tests/test_b.py": ["f()", "f()"]})
    assert moved.runs[CODE][1:3] == [[TEST]] * 2
    assert (moved.starting, [*moved.seconds]) == ([], ["", TEST])


def test_a_fault_goes_to_the_tests_beside_it_and_to_the_quickest_first(tmp_path):
    path = tmp_path / CODE
    path.parent.mkdir()
    path.write_text("\n".join(LINES))
    faults = [*faults_of(path, tmp_path)]
    assert [(fault.line, fault.after) for fault in faults] == [(2, "(first - second)"), (4, "(2)")]
    assert trial_of(faults[0], KNOWN, 30).tests == [TEST]
    near, long = "tests/coliee_ir/test_a.py::add", "tests/test_c.py::long"
    known = CoverageMap(KNOWN.texts, {CODE: [[], [TEST, long, near]]}, SECONDS | {near: 3.0, long: 31.0})
    trial = trial_of(faults[0], known, 30)
    assert (trial.tests, trial.seconds, trial.rest.tests, trial.rest.seconds) == ([near, TEST], 5.0, [long], 31.0)
    unreached = trial_of(faults[1], KNOWN, 30)
    assert (unreached.tests, bool(unreached.why)) == ([QUICK], True)
