"""Golds and runs as other benchmarks, tools and teams write them, with what must come of each. All content is invented.

A case is a gold and a run, of which one or both are written in another form than COLIEE's or TREC's. It is either
*read*: then every measure equals that of the same judgements and scores written as TREC qrels and a TREC run; or it is
*refused*, by an error that names what was found. It is never scored otherwise in silence.

Rows are written in the order of their ids and never in that of their scores, so that a reader that ranks by the order
of lines where it should rank by scores is found out.
"""

import collections
import csv
import importlib
import io
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from types import SimpleNamespace
from typing import Any, Literal, NamedTuple

#: what a case's scores are compared by
MEASURES = ("map", "RR", "ndcg", "P_1", "MicroF1", "MicroF1@1", "MicroR@2", "MacroF2")

# ── What is meant ─────────────────────────────────────────────────────────────────────────────────────────────────


class Truth(NamedTuple):
    """Judgements and scores, whatever they are written as: query → document → number, or question → answer."""

    gold: Mapping[str, Any]
    run: Mapping[str, Any]
    task: str


#: for three queries, by document: a relevance, if it is judged, and a score, which no order of ids follows
_PATTERN = (
    ((0, 0.31), (2, 0.83), (None, 0.97), (1, 0.52), (None, 0.15)),
    ((None, 0.64), (0, 0.28), (1, 0.91), (None, 0.07), (3, 0.73)),
    ((0, 0.95), (1, 0.42), (None, 0.16), (None, 0.58), (1, 0.89)),
)


def made(task, queries, documents):
    """The same judgements and scores under other ids: three queries, five documents, in the order of their ids."""
    gold, run = {}, {}
    for query, row in zip(queries, _PATTERN, strict=True):
        pairs = list(zip(documents, row, strict=True))
        gold[query] = {document: level for document, (level, _) in pairs if level is not None}
        run[query] = {document: score for document, (_, score) in pairs}
    return Truth(gold, run, task)


WEB = made("trec", ["q1", "q2", "q3"], ["d1", "d2", "d3", "d4", "d5"])
MARCO = made("trec", ["2", "300674", "1048585"], ["99", "1542", "8139", "718715", "7067032"])
LECARD = made("trec", ["-991", "4891", "5156"], ["-12", "501", "4348", "32518", "36655"])
CASES = made("1", ["000101", "000102", "000103"], ["000201", "000202", "000203", "000204", "000205"])
PARAGRAPHS = made("2", ["001", "002", "003"], ["012", "018", "020", "023", "031"])
STATUTE = made("3", ["H30-18-1", "R01-01-A", "R01-02-I"], ["96", "398-20", "545", "566", "572"])
ANSWERS = Truth(
    {"R01-01-A": True, "R01-02-I": False, "R01-02-U": True, "R01-03-E": False, "R01-04-O": False},
    {"R01-01-A": True, "R01-02-I": True, "R01-02-U": True, "R01-03-E": False, "R01-04-O": True},
    "4",
)


def only_relevant(truth):
    """The same without grades: what a list of relevant documents can say."""
    gold = {query: {d: 1 for d, level in judged.items() if level > 0} for query, judged in truth.gold.items()}
    return truth._replace(gold=gold)


def ranks(scored):
    """Document → rank from 1, in the order of the documents as they are given."""
    return {document: 1 + sum(other > score for other in scored.values()) for document, score in scored.items()}


def best_first(truth):
    return {query: sorted(scored, key=lambda d: -scored[d]) for query, scored in truth.run.items()}


def relevant(truth):
    return {query: [d for d, level in judged.items() if level > 0] for query, judged in truth.gold.items()}


def judged_rows(truth):
    return [(query, document, level) for query, judged in truth.gold.items() for document, level in judged.items()]


def scored_rows(truth):
    return [(query, document, score) for query, scored in truth.run.items() for document, score in scored.items()]


def ranked_rows(truth):
    return [(query, d, rank) for query, scored in truth.run.items() for d, rank in ranks(scored).items()]


def label(answer):
    return "Y" if answer else "N"


# ── How it is written ─────────────────────────────────────────────────────────────────────────────────────────────


class File(NamedTuple):
    """A file: its content, and the ending of its name."""

    content: bytes
    ending: str = ".txt"


class Memory(NamedTuple):
    """A Python object: what makes it."""

    make: Callable[[], object]


Held = File | Memory


def lines(rows, separator=" "):
    return "".join(separator.join(map(str, row)) + "\n" for row in rows).encode()


def table(names, rows, separator=",", *, quote=False):
    """Rows below a header as pandas, polars, R and spreadsheets write them; no header if no column is named."""
    text = io.StringIO()
    writer = csv.writer(text, delimiter=separator, lineterminator="\n", quoting=csv.QUOTE_ALL if quote else 0)
    writer.writerows([*([names] if names else []), *rows])
    return File(text.getvalue().encode(), ".tsv" if separator == "\t" else ".csv")


def indexed(rows):
    """Rows as pandas writes them if nobody says index=False."""
    return [(at, *row) for at, row in enumerate(rows)]


def object_(value):
    return File(json.dumps(value, ensure_ascii=False).encode(), ".json")


def json_lines(values):
    return File("".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values).encode(), ".jsonl")


def records(names, rows):
    return [dict(zip(names, row, strict=True)) for row in rows]


def qrels(truth, separator=" "):
    """The gold as TREC writes it; of answers, a list of labels."""
    if truth.task == "4":
        return File(lines(((query, label(answer)) for query, answer in truth.gold.items()), separator))
    return File(lines(((query, 0, document, level) for query, document, level in judged_rows(truth)), separator))


def trec_run(truth, separator=" "):
    """The run as TREC writes it; of answers, COLIEE's three columns."""
    if truth.task == "4":
        return File(lines(((query, label(answer), "TAG") for query, answer in truth.run.items()), separator))
    rows = [
        (query, "Q0", document, rank, truth.run[query][document], "TAG")
        for query, scored in truth.run.items()
        for document, rank in ranks(scored).items()
    ]
    return File(lines(rows, separator))


# ── Cases ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Case:
    """A gold and a run, and what must come of them: ``either`` where both are right, and anything else is wrong.

    ``words`` are regular expressions that the error matches, ``never`` one that it does not.
    """

    name: str
    truth: Truth
    gold: Held
    run: Held
    outcome: Literal["read", "refused", "either"]
    words: tuple[str, ...] = ()
    never: str | None = None
    columns: Mapping[str, str] = field(default_factory=dict)

    @property
    def id(self):
        return "-".join("".join(c if c.isalnum() or c in "=.:" else " " for c in self.name).split())


ALL = []


def _case(outcome, name, truth, *words, gold=None, run=None, **more):
    ALL.append(Case(name, truth, gold or qrels(truth), run or trec_run(truth), outcome, words, **more))


read, refused, either = (partial(_case, outcome) for outcome in ("read", "refused", "either"))

# fmt: off
SETS = only_relevant(WEB)
SCORED = ["query_id", "doc_id", "score"]

# golds in columns and tables
read("LeCaRD v2 qrels, grades 0 to 3", LECARD, gold=qrels(LECARD, "\t"))
read("BEIR and MTEB qrels", WEB, gold=table(["query-id", "corpus-id", "score"], judged_rows(WEB), "\t"))
read("pandas with its index", WEB, gold=table(["", "qid", "docno", "label"], indexed(judged_rows(WEB))))
read("a spreadsheet with semicolons", WEB, gold=table(["Query ID", "Doc ID", "Relevance"], judged_rows(WEB), ";"))
either("two columns without names", SETS, r"column",
    gold=File(lines(((q, d) for q, found in relevant(WEB).items() for d in found), "\t"), ".tsv"))
refused("a column of grades whose name is not known", CASES, r"relevance|--columns", r"candidate_is_noticed",
    gold=table(["case_id", "candidate_case", "candidate_is_noticed"], judged_rows(CASES)))
# golds in JSON
read("BEIR and pytrec_eval, `{query: {document: grade}}`", WEB, gold=object_(WEB.gold))
read("LeCaRD v1, ids are numbers", only_relevant(LECARD),
    gold=object_({query: [int(d) for d in found] for query, found in relevant(LECARD).items()}))
read("one record a line, ids are numbers", LECARD,
    gold=json_lines({"query_id": int(q), "case_id": int(d), "relevance": level} for q, d, level in judged_rows(LECARD)))
for mark, title in ((";", "semicolons"), ("、", "ideographic commas"), ("，", "full-width commas"), (" ", "blanks")):
    read(f"Task 2 with {title} between documents", only_relevant(PARAGRAPHS),
        gold=object_({q: mark.join(f"{d}.txt" for d in found) for q, found in relevant(PARAGRAPHS).items()}))
either("Task 2 with commas within a list", only_relevant(PARAGRAPHS), r"018|comma|id",
    gold=object_({q: [", ".join(found)] for q, found in relevant(PARAGRAPHS).items()}))
refused("ALQAC, `relevant_articles`", STATUTE, r"relevant_articles", never=r"without labels",
    gold=object_([{"question_id": q, "text": "x", "relevant_articles": [{"law_id": "5/2022", "article_id": d} for d in
        found]} for q, found in relevant(STATUTE).items()]))
refused("IL-PCR, `Query Set`", CASES, r"Query Set", never=r"without labels",
    gold=object_({"Query Set": [{"id": q, "query_name": f"{q}.txt", "relevant candidates": d} for q, d in
        relevant(CASES).items()], "Candidate Set": [{"id": "000201.txt"}, {"id": "000202.txt"}]}))

# runs in columns and tables
for title, sep in (("MS MARCO", "\t"), ("STARD", " ")):
    either(f"{title}, `query document rank`", MARCO, r"rank|score", r"column|--columns|tag|name",
        run=File(lines(ranked_rows(MARCO), sep), ".tsv"))
for title, sep in (("tabs", "\t"), ("blanks", " "), ("commas", ",")):
    either(f"`query document score` without names, {title}", WEB, r"score", r"column|--columns|tag|name|expected",
        run=File(lines(scored_rows(WEB), sep), ".csv" if sep == "," else ".tsv"))
for title, sep in (("commas", ","), ("tabs", "\t"), ("semicolons", ";"), ("blanks", " ")):
    read(f"pandas and polars, {title}", CASES, run=table(SCORED, scored_rows(CASES), sep))
read("names in one word", WEB, run=table(["QueryID", "DocID", "Score"], scored_rows(WEB)))
either("pandas with its index, tabs", WEB, r"column|value|header|name",
    run=table(["", *SCORED], indexed(scored_rows(WEB)), "\t"))
either("R's write.table: a name less than columns", WEB, r"column|value|header|name",
    run=table(SCORED, indexed(scored_rows(WEB)), " "))
read("R's write.csv", WEB, run=table(["", *SCORED], indexed(scored_rows(WEB)), quote=True))
either("Excel's line `sep=;`", WEB, r"sep=",
    run=File(b"sep=;\n" + table(SCORED, scored_rows(WEB), ";").content, ".csv"))
either("decimal commas", WEB, r"score|number",
    run=table(SCORED, [(q, d, str(s).replace(".", ",")) for q, d, s in scored_rows(WEB)], ";"))
read("ranks from 0", WEB,
    run=table(["qid", "docno", "rank"], [(q, d, rank - 1) for q, d, rank in ranked_rows(WEB)]))
read("PyTerrier's results", WEB,
    run=table(["qid", "docid", "docno", "rank", "score", "query"], [(q, at, d, ranks(WEB.run[q])[d] - 1, s,
        'owner, "bona fide"') for at, (q, d, s) in enumerate(scored_rows(WEB))]))
refused("a column of scores whose name is not known", CASES, r"logit", r"score",
    run=table(["query_id", "doc_id", "logit"], scored_rows(CASES), "\t"))
read("the same with its column named", CASES,
    run=table(["query_id", "doc_id", "logit"], scored_rows(CASES), "\t"), columns={"score": "logit"})
refused("LePaRD, `idx hit rank`", MARCO, r"idx", r"--columns|known",
    run=table(["idx", "hit", "rank"], ranked_rows(MARCO), "\t"))
refused("two columns of scores", WEB, r"score", r"sim|several",
    run=table(["query_id", "doc_id", "sim", "similarity"], [(*row, 0.5) for row in scored_rows(WEB)]))
refused("a matrix of queries and articles", STATUTE, r"column",
    run=table(["", *STATUTE.run["R01-01-A"]], [(q, *scored.values()) for q, scored in STATUTE.run.items()]))
refused("labels as a run of documents", WEB, r"label|answer",
    run=table(["id", "label"], [("q1", "Y"), ("q2", "N"), ("q3", "Y")]))

# TREC runs
either("a TREC run below a line of names", WEB, r"column|header|name|number",
    run=File(b"qid Q0 docno rank score tag\n" + trec_run(WEB).content))
refused("a TREC run without a tag", WEB, r"tag|column", run=File(trec_run(WEB).content.replace(b" TAG", b"")))
read("NIST's results.trunc: words behind the tag", WEB,
    run=File(trec_run(WEB).content.replace(b" TAG\n", b" TAG more at the end\n", 3)))
either("the line ends of an old Mac", WEB, r"carriage return|column",
    run=File(trec_run(WEB).content.replace(b"\n", b"\r")))
# runs in JSON
read("COLIEE's lists, best first", WEB, run=object_(best_first(WEB)))
read("LeCaRD's lists, ids are numbers", LECARD,
    run=object_({q: [int(d) for d in found] for q, found in best_first(LECARD).items()}))
read("pytrec_eval and ranx, `{query: {document: score}}`", WEB, run=object_(WEB.run))
read("`{query: [[document, score]]}`", WEB,
    run=object_({q: [[d, s] for d, s in scored.items()] for q, scored in WEB.run.items()}))
read("`{query: {document: {rank, score}}}`", CASES,
    run=object_({q: {d: {"rank": ranks(scored)[d], "score": s} for d, s in scored.items()} for q, scored in
        CASES.run.items()}))
read("one `{query: {document: score}}` a line", WEB, run=json_lines({q: scored} for q, scored in WEB.run.items()))
read("one record a line", WEB, run=json_lines(records(("qid", "pid", "sim"), scored_rows(WEB))))
refused("answers of TREC RAG", MARCO, r"answer|RAG|references|label",
    run=json_lines({"qid": q, "run_id": "A", "answer": [{"text": "x", "citations": [0]}], "references": found} for q,
        found in best_first(MARCO).items()))
refused("a reply of a search engine", WEB, r"hits|query|document",
    run=object_({"took": 3, "hits": {"total": 5, "hits": [{"_id": d, "_score": s} for _, d, s in scored_rows(WEB)]}}))
refused("answers given as a run of documents", CASES, r"label|answer",
    run=object_({"000101": "Y", "000102": "N", "000103": "Y"}))

# answers Y and N
PREDICTED = [(q, label(a)) for q, a in ANSWERS.run.items()]
read("commas without names", ANSWERS, run=table([], PREDICTED))
# a system that says yes to everything, in numbers what Article 1 is too
ALL_YES = ANSWERS._replace(run=dict.fromkeys(ANSWERS.run, True))
ALL_ONES = dict.fromkeys(ANSWERS.run, "1")
read("answers that are all 1, columns without a tag", ALL_YES, run=File(lines(ALL_ONES.items())))
read("answers that are all 1, `{question: text}`", ALL_YES, run=object_(ALL_ONES))
read("answers, one record a line", ANSWERS, run=json_lines({"id": q, "label": a, "expert": "E1"} for q, a in PREDICTED))
read("`{question: answer}`", ANSWERS, run=object_(dict(PREDICTED)))
read("the gold as a table of 1 and 0", ANSWERS,
    gold=table(["pair_id", "gold_label"], [(q, int(a)) for q, a in ANSWERS.gold.items()], "\t"))
either("VLSP's list of records", ANSWERS, r"example_id",
    gold=object_([{"example_id": q, "label": "Yes" if a else "No", "statement": "x", "legal_passages": [{"article_id":
        "5"}]} for q, a in ANSWERS.gold.items()]))
# Python objects
def tuples(name, names, rows):
    return Memory(lambda: [collections.namedtuple(name, names)(*row) for row in rows])


def frame(names, rows, library = "pandas"):
    """A frame with these columns, which is made when it is read."""
    columns = {name: list(values) for name, values in zip(names.split(), zip(*rows, strict=True), strict=True)}
    return Memory(lambda: importlib.import_module(library).DataFrame(columns))


for library in ("pandas", "polars"):
    read(f"PyTerrier's frames in {library}", WEB, gold=frame("qid docno label", judged_rows(WEB), library=library),
        run=frame("qid docno score", scored_rows(WEB), library=library))
    read(f"a frame of {library} with ranks only", WEB,
        run=frame("query_id doc_id rank", ranked_rows(WEB), library=library))
read("ir_datasets' tuples", WEB,
    gold=tuples("TrecQrel", "query_id doc_id relevance iteration", [(*row, "0") for row in judged_rows(WEB)]),
    run=tuples("GenericScoredDoc", "query_id doc_id score", scored_rows(WEB)))
read("objects with attributes", WEB,
    run=Memory(lambda: [SimpleNamespace(query_id=q, doc_id=d, score=s)
        for q, d, s in scored_rows(WEB)]))
read("tuples without names", WEB, run=Memory(lambda: scored_rows(WEB)))
read("`{query: [(document, score)]}` in Python", WEB,
    run=Memory(lambda: {q: list(scored.items()) for q, scored in WEB.run.items()}))
read("sentence-transformers' hits", WEB,
    run=Memory(lambda: {q: [{"corpus_id": d, "score": s} for d, s in
        scored.items()] for q, scored in WEB.run.items()}))

refused("a pointer of Git LFS", WEB, r"LFS|column",
    run=File(b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab\nsize 12345\n"))
# fmt: on
