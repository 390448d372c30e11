"""``evaluate --log``: a row for each run, appended, that a reader can recompute."""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest

from coliee_ir import evaluate

Call = Callable[..., tuple[int, str, str]]


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("gold.json").write_text('{"000001": ["000007", "000008"]}')
    Path("a.txt").write_text("000001 000007 A\n")
    Path("b.txt").write_text("000001 000009 =B\n")


def logged() -> list[dict[str, str]]:
    return list(csv.DictReader(Path("log.csv").read_text().splitlines()))


@pytest.mark.usefixtures("files")
def test_each_run_has_a_row_and_a_new_measure_a_column(call: Call) -> None:
    given = ("evaluate", "gold.json", "--task", "1", "--log", "log.csv")
    assert call(*given, "a.txt", "b.txt")[0] == 0
    assert call(*given, "a.txt", "-m", "MicroR@1", "-m", "MicroF1")[0] == 0
    first, second, third = logged()
    assert [row["tag"] for row in (first, second, third)] == ["A", "'=B", "A"]
    assert {row["sha256"] for row in (first, third)} == {hashlib.sha256(Path("a.txt").read_bytes()).hexdigest()}
    expected = evaluate("gold.json", "a.txt", task="1").measures
    assert {name: float(first[name]) for name in expected} == expected
    assert (first["MicroR@1"], third["MicroR@1"], third["MicroP"]) == ("", "0.5", "")
    assert (third["options"], third["task"], third["queries"]) == (
        "gold.json --task 1 --log log.csv a.txt -m MicroR@1 -m MicroF1", "1", "1"
    )  # fmt: skip
    assert first["time"].endswith("+00:00")


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("log", ["a.txt", "other.csv"])
def test_another_file_is_left_as_it_is(log: str, call: Call) -> None:
    Path("other.csv").write_text("x,y\n1,2\n")
    before = Path(log).read_bytes()
    assert call("evaluate", "gold.json", "a.txt", "--task", "1", "--log", log)[:2] == (2, "")
    assert Path(log).read_bytes() == before
