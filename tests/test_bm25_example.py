"""docs/examples/bm25_task1.py, as a reader runs it, on a corpus of nine cases made here."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from places import ROOT

CASES = """\
A baker sues the mill: the flour was damp.
The flour that the mill sold was damp, held the court, and the baker keeps the price.
A tenant leaves a lodging before the lease ends.
The lease of a lodging ends with notice; the tenant owes three months.
A ferry was late and a violinist missed the concert.
The owner of a ferry answers for lateness, said the judge to the violinist.
A neighbour's hedge shades a vineyard.
Bees of one garden fly into another.
A lottery ticket was found in a borrowed coat."""


def test_the_bm25_example_writes_a_run_and_scores_it(here):
    pytest.importorskip("bm25s")
    Path("cases").mkdir()
    for number, text in enumerate(CASES.splitlines(), start=1):
        Path(f"cases/{number:06}.txt").write_text(text)
    Path("gold.json").write_text(json.dumps({f"{n:06}.txt": [f"{n + 1:06}.txt"] for n in (1, 3, 5)}))
    typed = [sys.executable, "-W", "error", ROOT / "docs/examples/bm25_task1.py", "cases", "gold.json", "run.txt"]
    done = subprocess.run(typed, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    lines = [line.split(" ") for line in Path("run.txt").read_text().splitlines()]
    assert [query for query, _, _ in lines] == ["000001"] * 5 + ["000003"] * 5 + ["000005"] * 5
    assert [document for _, document, _ in lines][::5] == ["000002", "000004", "000006"]
    assert all(query != document and tag == "BM25" for query, document, tag in lines)
    assert "'MicroP': 0.2, 'MicroR': 1.0" in done.stdout
