"""A first run for Task 1, BM25: ``python bm25_task1.py FOLDER GOLD RUN``, after ``pip install bm25s``."""

import sys

import bm25s

import coliee_ir
from coliee_adapters.corpora import Query

folder, gold, run = sys.argv[1:]
corpus = coliee_ir.read_corpus(folder, task="1", gold=gold)
case_ids = corpus.doc_ids()

bm25 = bm25s.BM25()
bm25.index(bm25s.tokenize([case.text for case in corpus.docs_iter()], show_progress=False), show_progress=False)


def noticed(query: Query, n: int = 5) -> list[str]:
    """The n best cases, best first. The best of all is the query itself, which is not an answer."""
    words = bm25s.tokenize(query.text, show_progress=False)
    best = bm25.retrieve(words, corpus=case_ids, k=min(n + 1, len(case_ids)), show_progress=False).documents[0]
    return [str(case_id) for case_id in best if case_id != query.query_id][:n]


found = {query.query_id: noticed(query) for query in corpus.queries_iter()}
coliee_ir.write_run(coliee_ir.Run.of(found, tag="BM25"), run, task="1")

for finding in coliee_ir.validate(run, task="1", queries=gold, corpus=folder).findings:
    print(finding)
print(coliee_ir.evaluate(gold, run, task="1").measures)
