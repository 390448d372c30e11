"""A short session of the fuzzer, always the same; ``make fuzz`` runs longer ones, and others each time."""

import fuzz
import pytest


@pytest.mark.parametrize("first", [0, pytest.param(10, marks=pytest.mark.explore)])
def test_every_way_of_reading_gives_the_same(tmp_path, first):
    for finding in fuzz.session(2026, range(first, first + 10), tmp_path):
        pytest.fail(f"{finding.check}: {finding.what}\nmake fuzz SEED=2026 ONLY={finding.number}")


def test_a_case_depends_on_its_number_only():
    assert fuzz.made(1, 7) == fuzz.made(1, 7)
    assert fuzz.made(1, 7) != fuzz.made(2, 7)
    assert len({fuzz.made(1, n).run for n in range(50)}) > 40


def test_a_reader_that_differs_is_found(tmp_path, monkeypatch):
    """A fault is planted: in small blocks, the first line of a block is lost."""
    read = fuzz.columns.Reader.read

    def losing(self, raw):
        whole = fuzz.columns.BLOCK_SIZES[0] > 1000
        return read(self, raw if whole else raw.partition(b"\n")[2] or raw)

    monkeypatch.setattr(fuzz.columns.Reader, "read", losing)
    findings = fuzz.session(3, range(30), tmp_path)
    assert any(finding.check in ("small blocks", "parts") for finding in findings)
