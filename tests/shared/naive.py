"""The naive twin: what judging means, a line at a time, and runs drawn at random to hold the two together."""

import itertools
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from coliee_adapters.records import Columns, Run

# bytes order matters: a prefix, another case, characters of two and three bytes, one beyond the basic plane, and ids
# that differ only behind their 128th byte
DOCUMENTS = ("d", "d1", "d10", "D2", "é", "民法1", "𠮷", "018", "18", "d" * 130, "d" * 130 + "1")
QUERIES = ("q1", "問", "007")
EXTRA = ("x1", "7")

#: 16777216 and 16777217 tie in float32, as do the last two with infinity; 0.1 and its neighbour tie, 0.1 and 0.2 do not
SCORES = (0.0, -0.0, 1.0, -1.0, 0.1, 0.1 + 1e-12, 0.2, 16777216.0, 16777217.0, 1e39, 2e39, -1e39)


class Line(NamedTuple):
    """A line of a run; a query that is named with nothing retrieved has a line without document."""

    query: str
    document: str | None
    score: float


def float32(score):
    with np.errstate(over="ignore"):
        return float(np.float32(score))


def ranking(lines, scored):
    """The documents of one query in trec_eval's order, each once; without scores in the order of lines."""
    found = [line for line in lines if line.document is not None]
    if scored:
        found.sort(key=lambda line: (float32(line.score), (line.document or "").encode()), reverse=True)
    return list(dict.fromkeys(line.document for line in found if line.document is not None))


class Expected(NamedTuple):
    """What a run's Judged must say."""

    rank: dict[tuple[str, str], int]
    retrieved: dict[str, int]
    repeated: dict[str, int]
    answered: dict[str, bool]
    extra: dict[str, int]


def expected(gold, lines, scored):
    queries = {*gold, *(line.query for line in lines)}
    by_query = {query: [line for line in lines if line.query == query] for query in queries}
    n_lines = {query: sum(line.document is not None for line in of) for query, of in by_query.items()}
    rankings = {query: ranking(by_query[query], scored) for query in gold}
    return Expected(
        {
            (query, document): rankings[query].index(document) + 1 if document in rankings[query] else 0
            for query, judged in gold.items()
            for document in judged
        },
        {query: len(rankings[query]) for query in gold},
        {query: n_lines[query] - len(rankings[query]) for query in gold},
        {query: bool(by_query[query]) for query in gold},
        {query: n for query, n in n_lines.items() if query not in gold},
    )


golds = st.dictionaries(
    st.sampled_from(QUERIES),
    st.dictionaries(st.sampled_from(DOCUMENTS), st.integers(-2, 3), max_size=len(DOCUMENTS)),
    min_size=1,
)

_scores = st.sampled_from(SCORES) | st.floats(allow_nan=False, allow_infinity=False)
_documents = st.sampled_from(DOCUMENTS) | st.none()
_lines = st.builds(Line, st.sampled_from(QUERIES + EXTRA), _documents, _scores)


@st.composite
def run_lines(draw):
    """Lines of a run, grouped by query or not."""
    lines = draw(st.lists(_lines, max_size=40))
    if draw(st.booleans()):
        lines.sort(key=lambda line: line.query)
    return lines


def blocks(lines, scored, cuts, splits):
    """The lines as blocks that end before each of ``cuts``; segments end where the query changes and at ``splits``."""
    for first, last in itertools.pairwise(sorted({0, len(lines), *(cut for cut in cuts if cut < len(lines))})):
        part = lines[first:last]
        queries, starts, documents, scores = [], [], [], []
        for at, line in enumerate(part, start=first):
            if not queries or line.query != queries[-1] or at in splits:
                queries.append(line.query)
                starts.append(len(documents))
            if line.document is not None:
                documents.append(line.document)
                scores.append(line.score)
        yield Columns(queries, [*starts, len(documents)], documents, scores if scored else None)


@st.composite
def runs(draw, lines, scored):
    """A run of these lines, cut anywhere."""
    places = st.sets(st.integers(0, max(len(lines) - 1, 0)), max_size=8)
    cuts, splits = draw(places), draw(places)
    return Run(lambda: blocks(lines, scored, cuts, splits), scored=scored)
