"""docs/examples/bm25_task1.py, as a reader runs it, on a corpus of nine cases made here."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parent.parent / "docs" / "examples" / "bm25_task1.py"

CASES = {
    "000001": "A baker sues the mill: the flour was damp.",
    "000002": "The flour that the mill sold was damp, held the court, and the baker keeps the price.",
    "000003": "A tenant leaves a lodging before the lease ends.",
    "000004": "The lease of a lodging ends with notice; the tenant owes three months.",
    "000005": "A ferry was late and a violinist missed the concert.",
    "000006": "The owner of a ferry answers for lateness, said the judge to the violinist.",
    "000007": "A neighbour's hedge shades a vineyard.",
    "000008": "Bees of one garden fly into another.",
    "000009": "A lottery ticket was found in a borrowed coat.",
}
GOLD = {"000001.txt": ["000002.txt"], "000003.txt": ["000004.txt"], "000005.txt": ["000006.txt"]}


def test_the_bm25_example_writes_a_run_and_scores_it(tmp_path):
    pytest.importorskip("bm25s")
    (tmp_path / "cases").mkdir()
    for case, text in CASES.items():
        (tmp_path / "cases" / f"{case}.txt").write_text(text, encoding="utf-8")
    (tmp_path / "gold.json").write_text(json.dumps(GOLD), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-W", "error", EXAMPLE, "cases", "gold.json", "run.txt"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")
    lines = [line.split(" ") for line in (tmp_path / "run.txt").read_text().splitlines()]
    assert [query for query, _, _ in lines] == ["000001"] * 5 + ["000003"] * 5 + ["000005"] * 5
    assert [document for _, document, _ in lines][::5] == ["000002", "000004", "000006"]
    assert all(query != document and tag == "BM25" for query, document, tag in lines)
    assert "'MicroP': 0.2, 'MicroR': 1.0" in done.stdout
