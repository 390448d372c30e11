"""A run in memory: what is found block by block is what looking at each line finds."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coliee_adapters.forms import columns
from coliee_adapters.records import Run
from coliee_ir.commands.tune import Pool
from coliee_ir.judging.gathered import RunInMemory
from coliee_ir.reading.anything import read_run

#: neighbours that tie in float32, in which trec_eval compares; ids that begin alike, and differ behind 32 bytes
SCORES = st.sampled_from((3.0, 2.0, 1.0, 0.1, 0.1 + 1e-12, -0.0, 0.0))
IDS = st.sampled_from(("a", "b", "é", "a" * 40 + "1", "a" * 40 + "2", "x1", "x2", "x3"))
LINES = st.lists(st.tuples(st.sampled_from("pqr"), IDS, SCORES), min_size=1, max_size=30)


def naive(lines):
    """Each document once with its best score, highest first, of equal ones the greatest id first."""
    best = {}
    for query, document, score in lines:
        of_query = best.setdefault(query, {})
        if document not in of_query or score > of_query[document]:
            of_query[document] = score
    for query, of_query in best.items():
        ordered = sorted(of_query, key=lambda document: document.encode(), reverse=True)
        ordered.sort(key=lambda document: -float(np.float32(of_query[document])))
        best[query] = {document: of_query[document] for document in ordered}
    return best


@given(LINES, st.booleans(), st.sampled_from((64, 1 << 18)))
def test_a_gathered_run_is_what_its_lines_are_one_by_one(tmp_path_factory, lines, is_sorted, block):
    if is_sorted:  # as runs mostly are
        lines = sorted(lines, key=lambda line: (line[0], -line[2]))
    path = Path(tmp_path_factory.mktemp("run")) / "run.txt"
    path.write_text("".join(f"{q} Q0 {d} 1 {s!r} T\n" for q, d, s in lines), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(columns, "BLOCK_SIZES", (block, 0))
        record = read_run(path, task="trec")
        assert isinstance(record, Run)
        expected = naive(lines)
        found = RunInMemory(record).rankings
        assert {query: list(ranking.items()) for query, ranking in found.items()} == {
            query: list(ranking.items()) for query, ranking in expected.items()
        }
        assert list(RunInMemory(record, {"p"}).rankings) == [query for query in expected if query == "p"]
        gold = {query: {"a": 1, "a" * 40 + "2": 2, "x2": 0, "gone": 1} for query in "pq"}
        pool = Pool.read(path, gold, task="trec")
        documents = [list(expected.get(query, {})) for query in "pq"]
        assert list(pool.documents) == [document for some in documents for document in some]
        assert pool.relevant.tolist() == [d in ("a", "a" * 40 + "2") for some in documents for d in some]
