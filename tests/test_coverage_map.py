"""The map that `make power` and `make tests-of` use follows the code when it is edited."""

import pytest
from coverage_map import ROOT, CoverageMap, Recording, at_once, texts_of
from survivors import faults_of, trial_of

CODE, OTHER, TEST = "coliee_ir/a.py", "coliee_ir/b.py", "tests/test_a.py"
LINES = ["def add(first, second):", "    total = first + second", "    return total", "def f(): return 1"]
KNOWN = CoverageMap(
    {CODE: LINES, TEST: ["assert add(1, 2) == 3"], "tests/test_b.py": ["f()"]},
    {CODE: [[""], [f"{TEST}::add"], [f"{TEST}::add", "tests/test_b.py::f"], []]},
    {"": 0.0, f"{TEST}::add": 2.0, "tests/test_b.py::f": 1.0},
    ["tests/test_b.py::f"],
)


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
    moved = KNOWN.moved_to(texts | {TEST: KNOWN.texts[TEST], "tests/test_b.py": KNOWN.texts["tests/test_b.py"]})
    assert [len({*row} & {f"{TEST}::add"}) for row in moved.runs[CODE]] == expected
    if OTHER in texts:
        assert moved.tests_of(OTHER, [2]) == {f"{TEST}::add"}


def test_the_tests_of_a_changed_file_are_forgotten():
    moved = KNOWN.moved_to(KNOWN.texts | {"tests/test_b.py": ["f()", "f()"]})
    assert moved.runs[CODE][1:3] == [[f"{TEST}::add"]] * 2
    assert (moved.starting, [*moved.seconds]) == ([], ["", f"{TEST}::add"])


def test_a_map_is_read_as_it_was_written(tmp_path):
    KNOWN.write(tmp_path / "map.json")
    assert CoverageMap.read(tmp_path / "map.json") == KNOWN


def test_a_fault_goes_to_the_tests_beside_it_and_to_the_quickest_first(tmp_path):
    path = tmp_path / CODE
    path.parent.mkdir()
    path.write_text("\n".join(LINES))
    faults = [*faults_of(path, tmp_path)]
    assert [(fault.line, fault.after) for fault in faults] == [(2, "(first - second)"), (4, "(2)")]
    assert trial_of(faults[0], KNOWN, 30).tests == [f"{TEST}::add"]
    near = "tests/coliee_ir/test_a.py::add"
    more = KNOWN.seconds | {near: 3.0, "tests/test_c.py::long": 31.0}
    known = CoverageMap(KNOWN.texts, {CODE: [[], [f"{TEST}::add", "tests/test_c.py::long", near]]}, more)
    assert trial_of(faults[0], known, 30).tests == [near, f"{TEST}::add"]
    unreached = trial_of(faults[1], KNOWN, 30)
    assert (unreached.tests, bool(unreached.why)) == (["tests/test_b.py::f"], True)


@pytest.mark.explore
def test_what_a_test_runs_is_recorded(tmp_path):
    files = [["tests/test_asserting.py"]]
    for process in at_once(ROOT, str(tmp_path), Recording, [(str(tmp_path),)], files):
        process.join()
    [path] = tmp_path.glob("*.json")
    texts, path_of = texts_of(ROOT), "coliee_ir/cli/measures.py"
    running = CoverageMap.read(path).tests_of(path_of, range(1, len(texts[path_of]) + 1))
    assert "tests/test_asserting.py::test_what_a_command_prints_is_compared_exactly" in running
