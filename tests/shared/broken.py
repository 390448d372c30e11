"""Broken submissions: clean twins of every task and form, and ways to break one, with the one finding that each gives.

Everything is invented. A twin is a folder of files, and how it is validated and scored; a case is a change of its
files and what must then be found, where.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from coliee_ir import evaluate, validate

Files = dict[str, bytes]


@dataclass(frozen=True)
class Twin:
    """A submission, and what it is checked and scored with.

    The first of ``files`` is the one that is broken, unless a case says otherwise. Values of ``options`` that name
    ``others``, or a folder of them, become paths; ``has`` are rules that find something in the twin itself.
    """

    name: str
    files: Files
    others: Mapping[str, str]
    options: Mapping[str, Any]
    scored: Mapping[str, Any]
    gold: str
    has: tuple[str, ...] = ()

    def put(self, folder, files=None):
        """Write all files; the paths of the submission's."""
        for name, text in self.others.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")
        files = self.files if files is None else files
        for name, content in files.items():
            (folder / name).write_bytes(content)
        return [folder / name for name in files]

    def told(self, name, **options):
        """The same submission, checked with other options."""
        return replace(self, name=name, options=options)

    def validate(self, folder, paths, **options):
        """What is found in the files."""
        folders = {Path(name).parts[0] for name in self.others}
        told = {key: folder / value if value in folders else value for key, value in self.options.items()}
        return validate(*paths, **(told | options))

    def scores(self, folder, paths):
        """The measures of the first file, with those that belong to it."""
        parts = {"answers", "long_list"} & self.scored.keys()
        named = {part: next(path for path in paths if path.name == self.scored[part]) for part in parts}
        return evaluate(folder / self.gold, paths[0], **{**self.scored, **named}).measures


class Case(NamedTuple):
    """One mistake, and the one finding that it gives.

    ``change`` is one of the twin's first file, of the file ``of``, or, with ``files``, of all; ``place`` is where it is
    found first: line, column, what stands there; ``file``: in which file. ``open``: ``--fix`` leaves it though its rule
    can mend.
    """

    name: str
    twin: Twin
    change: Callable[[Any], Any]
    rule: str
    place: tuple[int | None, int | None, str | None] = (None, None, None)
    count: int = 1
    of: str = ""
    file: str = ""
    files: bool = False
    open: bool = False

    @property
    def id(self):
        return re.sub(r"[^A-Za-z0-9.]+", "-", f"{self.twin.name} {self.rule} {self.name}")

    @property
    def broken(self):
        files = dict(self.twin.files)
        name = self.of or next(iter(files))
        return self.change(files) if self.files else {**files, name: self.change(files[name])}

    @property
    def where(self):
        """The name of the file in which it is found."""
        return self.file or self.of or next(iter(self.twin.files))


# ways to break a file


def everywhere(old, new):
    return lambda raw: raw.replace(old.encode(), new.encode())


def on(number, old, new):
    """Replace a text in one line, once."""

    def change(raw):
        lines = raw.split(b"\n")
        assert old.encode() in lines[number - 1], f"no {old} in {lines[number - 1]!r}"
        lines[number - 1] = lines[number - 1].replace(old.encode(), new if isinstance(new, bytes) else new.encode(), 1)
        return b"\n".join(lines)

    return change


def insert(number, *new):
    """Put lines before a line."""
    added = [line.encode() for line in new]
    return lambda raw: b"\n".join([*(lines := raw.split(b"\n"))[: number - 1], *added, *lines[number - 1 :]])


def each(pattern, new):
    """Replace a pattern in all lines."""
    return lambda raw: re.sub(pattern.encode(), new.encode(), raw, flags=re.MULTILINE)


def content(new):
    return lambda _: new if isinstance(new, bytes) else new.encode()


def with_files(**more):
    """Add files; a name's double underscore is a full stop."""
    return lambda files: files | {name.replace("__", "."): make(files) for name, make in more.items()}


def lines(*rows):
    return "".join(f"{row}\n" for row in rows).encode()


# clean twins

RANKED = {
    "000101": ["000201", "000202", "000203"], "000102": ["000204", "000201", "000205"],
    "000103": ["000206", "000207"], "000104": ["000208", "000202"],
}  # fmt: skip
CASES_GOLD = {
    "000101": ["000201", "000207"], "000102": ["000204"], "000103": ["000206", "000208"], "000104": ["000202"],
}  # fmt: skip
RUN1 = lines(*(f"{query} {case} ALPHA1" for query, found in RANKED.items() for case in found))
GOLD1 = json.dumps({f"{q}.txt": [f"{d}.txt" for d in found] for q, found in CASES_GOLD.items()})
CORPUS1 = [*RANKED, *(f"0002{n:02d}" for n in range(1, 9))]
GIVEN1 = {
    "gold.json": GOLD1, "queries.json": json.dumps([f"{q}.txt" for q in RANKED]), "ids.txt": "\n".join(CORPUS1),
    **{f"cases/{case}.txt": "text" for case in CORPUS1},
}  # fmt: skip
SCORED1 = {"task": "1", "measures": ["MicroF1", "MicroP", "MicroR", "MicroR@2", "AP"]}

T1 = Twin("1", {"run.txt": RUN1}, GIVEN1, {"task": "1"}, SCORED1, "gold.json")
T1_FOUND = T1.told("1 found from the file")
T1_GOLD = T1.told("1 with gold", task="1", gold="gold.json")
T1_CORPUS = T1.told("1 with corpus", task="1", corpus="cases")
T1_LISTS = T1.told("1 with lists", task="1", queries="queries.json", corpus="ids.txt")
T1_JSON = replace(T1, name="1 json", files={"run.json": json.dumps(RANKED, indent=1).encode()}, has=("json",))

DESCRIPTION = lines(
    *("Task: 1", "Run tag: ALPHA1", "", "- Machine learning models:", "none", "- External resources:", "none"),
    *("- Explaination:", "BM25 over the summaries"),
)

#: as in Task 4, with a model and its date
MODELS = DESCRIPTION.replace(b"Task: 1", b"Task: 4").replace(b"ALPHA1", b"ALPHA").replace(
    b"models:\nnone", b"models:\nSwallow 70B (2024-07-15), https://example.org/7"
)  # fmt: skip

HINTS = (
    lines("# Choose one task", "Task: [4]", "# of letters and digits", "run tag : ALPHA") + MODELS.split(b"\n", 2)[2]
)

RUN2 = lines("827 025 BETA", "827 003 BETA", "828 011 BETA", "828 010 BETA", "1025 002 BETA", "1025 003 BETA")
GOLD2 = json.dumps({"827": "025.txt, 027.txt", "828": "011.txt", "1025": "002.txt"})
CORPUS2 = {
    **{f"fragments/{q}/paragraphs/0{n:02d}.txt": "text" for q in (827, 828) for n in (3, 10, 11, 25, 27)},
    **{f"fragments/1025/paragraphs/00{n}.txt": "text" for n in (1, 2, 3)},
    **{f"fragments/{q}/entailed_fragment.txt": "text" for q in (827, 828, 1025)},
}


T2 = Twin("2", {"run.txt": RUN2}, {"gold.json": GOLD2, **CORPUS2}, {"task": "2"}, {"task": "2"}, "gold.json")
T2_CORPUS = T2.told("2 with corpus", task="2", corpus="fragments", queries="gold.json")
T2_FOLDERS = T2.told("2 with folders", task="2", corpus="fragments")


def pair(query, label, *articles):
    inside = "".join(f'<article id="{article}"/>' for article in articles)
    return f'<pair id="{query}" label="{label}"><t1>{inside}</t1><t2>A statement.</t2></pair>\n'


STATUTE = {"R06-01-A": ("Y", ["96", "121-2"]), "R06-01-U": ("N", ["398-20"]), "R06-02-I": ("Y", ["7"])}
GOLD3 = f"<dataset>\n{''.join(pair(q, label, *found) for q, (label, found) in STATUTE.items())}</dataset>\n"
CODE = "".join(
    f"(Caption)\nArticle {article} The text of an article.\n" for article in (*range(1, 151), "121-2", "398-20")
)

_SHORT = {"R06-01-A": ["96", "121-2", "5"], "R06-01-U": ["398-20", "7"], "R06-02-I": ["8", "7"]}
_LONGER = {q: [*found, *(str(n) for n in range(9, 10_000) if str(n) not in found)][:100] for q, found in _SHORT.items()}


def trec(ranked, tag):
    return lines(
        *(f"{q} Q0 {d} {rank} {200 - rank}.5 {tag}" for q, found in ranked.items() for rank, d in enumerate(found, 1))
    )


OF_2025 = {"task": "3", "edition": 2025}
GIVEN3 = {"gold.xml": GOLD3, "code.txt": CODE, "ids.txt": "".join(f"{q}\n" for q in STATUTE)}
ANSWERS = lines("R06-01-A Y ALPHA", "R06-01-U Y ALPHA", "R06-02-I Y ALPHA")
T3_2025 = Twin(
    "3 of 2025", {"task3.ALPHA": trec(_SHORT, "ALPHA"), "task3-L.ALPHA": trec(_LONGER, "ALPHA")}, GIVEN3, OF_2025,
    {**OF_2025, "long_list": "task3-L.ALPHA"}, "gold.xml",
)  # fmt: skip
T3_2025_GIVEN = T3_2025.told("3 of 2025 with gold and code", **OF_2025, gold="gold.xml", corpus="code.txt")
T3 = Twin(
    "3 of 2026", {"task3.ALPHA": trec(_SHORT, "ALPHA"), "answers.ALPHA": ANSWERS}, GIVEN3, {},
    {"task": "3", "answers": "answers.ALPHA"}, "gold.xml",
)  # fmt: skip
T3_GIVEN = T3.told("3 of 2026 with queries", task="3", queries="ids.txt")
T4 = Twin("4", {"ALPHA.txt": ANSWERS}, GIVEN3, {"edition": 2026}, {"task": "4"}, "gold.xml")
T4_GOLD = T4.told("4 with gold", gold="gold.xml")
_LABELS5 = {"gold.txt": "R06-01-A Y\nR06-01-U N\nR06-02-I Y\n"}
T5 = Twin("5", {"ALPHA.txt": ANSWERS}, _LABELS5, {"task": "5"}, {"task": "5"}, "gold.txt")


def instance(n, decision, plaintiff, defendant):
    def claims(verdicts):
        return [{"id": str(at), "description": "主張", "is_accepted": v} for at, v in enumerate(verdicts)]

    sides = {"plaintiff_claims": claims(plaintiff), "defendant_claims": claims(defendant)}
    value = {"version": "1.0", "tort_id": n, "undisputed_facts": [], **sides, "court_decision": decision}
    return json.dumps(value, ensure_ascii=False)


PILOT, PILOT_GOLD, PILOT_TEST = (
    lines(*(instance(str(n), *values) for n, values in enumerate(rows)))
    for rows in (
        [(True, [True, False], [True]), (False, [True], []), (True, [], [False])],
        [(True, [True, True], [False]), (True, [True], []), (True, [], [True])],
        [(None, [None, None], [None]), (None, [None], []), (None, [], [None])],
    )
)
GIVEN_PILOT = {"gold.jsonl": PILOT_GOLD.decode(), "test.jsonl": PILOT_TEST.decode()}
TORT = Twin("tort", {"ALPHA.jsonl": PILOT}, GIVEN_PILOT, {}, {"task": "tort"}, "gold.jsonl")
TORT_TEST = TORT.told("tort with test file", queries="test.jsonl")
RATIONALE = replace(TORT, name="rationale", options={"task": "rationale"}, scored={"task": "rationale"})
RATIONALE_GOLD = RATIONALE.told("rationale with gold", task="rationale", gold="gold.jsonl")

TWINS = (
    *(T1, T1_FOUND, T1_GOLD, T1_CORPUS, T1_LISTS, T1_JSON, T2, T2_CORPUS, T2_FOLDERS),
    *(T3_2025, T3_2025_GIVEN, T3, T3_GIVEN, T4, T4_GOLD, T5, TORT, TORT_TEST, RATIONALE, RATIONALE_GOLD),
)


# one mistake each

_TREC_RUN = lines(*(f"{q} Q0 {d} {r} {9 - r} ALPHA1" for q, found in RANKED.items() for r, d in enumerate(found, 1)))


def three_more(files):
    """Three runs of other tags beside the first."""
    raw = next(iter(files.values()))
    tag = raw.split()[-1]
    return files | {f"{n}.txt": raw.replace(tag, b"GAMMA%d" % n) for n in (2, 3, 4)}


def _described(name, twin, text, rule, place=(None, None, None)):
    """A case of a system description beside the run."""
    added = with_files(description__txt=lambda _: text)
    return Case(name, twin, added, rule, place, file="description.txt", files=True)


CASES = (
    # the file
    Case("comments", T1, content("# a run\n\n/* of\n\nours */\n"), "empty"),
    Case("nothing", TORT, content(b"\n"), "empty"),
    Case("big", T1, lambda raw: b"\xfe\xff" + raw.decode().encode("utf-16-be"), "utf-16", (1, 1, None)),
    Case("without mark", T1, lambda raw: raw.decode().encode("utf-16-le"), "utf-16", (1, 1, None)),
    Case("tag", T1, lambda raw: raw.replace(b"ALPHA1", b"ALPHA\xe91"), "not-utf8", (1, 20, "\\xe9"), 10),
    Case("mark", T1, lambda raw: b"\xef\xbb\xbf" + raw, "bom", (1, 1, None)),
    Case("mac", T1, everywhere("\n", "\r"), "carriage-return", (1, None, None), 10),
    Case("unicode", T1, everywhere("\n", "\u2028"), "line-separator", (1, None, None), 10),
    Case("escape", T1, on(4, "000204", "\x1b000204"), "control", (4, 8, "\x1b")),
    Case("full width", T1, on(7, "000206", "０００２０６"), "not-ascii", (7, 8, "０００２０６")),
    Case("no width", T1, on(4, "000204", "\u200b000204"), "not-ascii", (4, 8, "\u200b")),
    Case("tag", T1, everywhere("ALPHA1", "ÀLPHA1"), "not-ascii", (1, 15, "À"), 10),
    Case("all", RATIONALE, everywhere("\n", "\r\n"), "crlf", (1, None, None), 3),
    Case("pilot", TORT, lambda raw: raw[:-1], "no-newline", (3, None, None)),
    Case("within a word", T1, lambda raw: raw[:-9], "cut-short", (10, None, "000104 00020")),
    Case("within the tag", T1, lambda raw: raw[:-3], "cut-short", (10, None, "000104 000202 ALPH")),
    Case("end", T1, insert(11, "", " "), "blank-line", (11, None, None), 2),
    Case("several lines", T1, insert(3, "/* of", "", "ours */"), "comment", (3, None, "/* of"), 2),
    Case("before a line", T1, on(1, "000101", "/* a */ 000101"), "comment", (1, None, "/* a */")),
    Case("never closed", T1, insert(11, "/* the end", "of it"), "unreadable", (11, None, None)),
    Case("tabs", T4, insert(1, "ID\tLabel\tTag"), "header", (1, 1, "ID\tLabel\tTag")),
    # JSON, XML
    Case("lists", T1_FOUND, content(json.dumps(RANKED)), "json"),
    Case("scores", T3_2025, content(json.dumps({q: {d: 9 - n for n, d in enumerate(c)} for q, c in _SHORT.items()})),
         "form"),
    Case("xml", T1, content("<COLIEE task='1'></COLIEE>"), "form", open=True),
    Case("none", T1_JSON, everywhere('"000104": [', '"000105": [], "000104": ['), "empty-list", (None, None, "000105")),
    Case("votes", T4, lambda raw: b"pair_id\tlabel\tprediction\tvotes\n" + each(" Y ALPHA", "\tN\tY\t5")(raw),
         "table", (1, 1, "pair_id\tlabel\tprediction\tvotes")),
    Case("score", T1, insert(1, "query_id doc_id score"), "table", (1, 1, "query_id doc_id score")),
    # the columns
    Case("two blanks", T1, on(6, " ALPHA1", "  ALPHA1"), "separator", (6, 14, "  ")),
    Case("leading", T1, on(6, "000102", " 000102"), "separator", (6, 1, " ")),
    Case("wide leading", T1, on(6, "000102", "\u3000000102"), "separator", (6, 1, "\u3000")),
    Case("quoted", T1, each(r"^(\S+) (\S+) (\S+)$", r'"\1","\2","\3"'), "separator", (1, 8, '","'), 10),
    Case("two", T1, each("$(?=\n)", "  "), "trailing-blank", (1, 21, None), 10),
    Case("document missing", T1, on(3, "000203 ", ""), "columns", (3, None, "000101 ALPHA1")),
    Case("three columns", T3_2025, each(r"^(\S+) Q0 (\S+) .*", r"\1 \2 A"), "columns", (1, None, "R06-01-A 96 A"), 7),
    Case("no ranks", T3_2025, each(r" \d+ (\S+ A)LPHA$", r" \1"), "columns", (1, None, "R06-01-A Q0 96 199.5 A"), 7),
    Case("by score", T1, content(b"\n".join(reversed(_TREC_RUN.split(b"\n"))).lstrip() + b"\n"), "trec-columns",
         (1, None, "000104 Q0 000202 2 7 ALPHA1"), 10),
    Case("decimal comma", T1, content(_TREC_RUN.replace(b" ALPHA1", b",5 ALPHA1")), "score", (1, None, "8,5"), 10),
    Case("lower case", T3_2025, on(2, "Q0", "q0"), "q0", (2, 10, "q0")),
    Case("nan", T3_2025, on(2, "198.5", "nan"), "score", (2, 21, "nan")),
    Case("decimal", T3_2025, on(2, " 2 ", " 2.0 "), "rank", (2, 19, "2.0")),
    # the run tag
    Case("one line", T1, on(4, " ALPHA1", ""), "tag-missing", (4, 14, "000102 000204")),
    Case("all lines", T1, everywhere(" ALPHA1", ""), "tag-missing", (1, 14, "000101 000201"), 10, open=True),
    Case("one line", T3_2025, on(2, " ALPHA", ""), "tag-missing", (2, 26, "R06-01-A Q0 121-2 2 198.5")),
    Case("one line", T4, on(2, " ALPHA", ""), "tag-missing", (2, 11, "R06-01-U Y")),
    Case("two words", T4, everywhere("ALPHA", "run A"), "tag-words", (1, 12, "run A"), 3),
    Case("marks", T4, everywhere("ALPHA", "A.B_C"), "tag-characters", (1, 12, "A.B_C"), 3),
    Case("thirteen", T1, everywhere("ALPHA1", "ALPHA12345678"), "tag-length", (1, 15, "ALPHA12345678"), 10),
    Case("one line", T1, on(5, "ALPHA1", "ALPHA2"), "tag-differs", (5, 15, "ALPHA2")),
    # queries
    Case("lost zeros", T1, each("^000103", "103"), "query-form", (7, 1, "103"), open=True),
    Case("lost zeros, as in the gold", T1_GOLD, on(7, "000103", "103"), "query-form", (7, 1, "103")),
    Case("year, as in the gold", T4_GOLD, each("R06", "R6"), "query-form", (1, 1, "R6-01-A"), 3),
    Case("lower case", T3_2025_GIVEN, on(1, "R06-01-A", "r06-01-a"), "query-form", (1, 1, "r06-01-a")),
    Case("of another year", T1_GOLD, insert(11, "000999 000201 ALPHA1"), "query-unknown", (11, 1, "000999")),
    Case("no such folder", T2_FOLDERS, insert(7, "830 003 BETA"), "query-unknown", (7, 1, "830")),
    Case("list", T1_LISTS, lambda raw: b"".join(raw.splitlines(True)[3:]), "query-missing", (None, None, "000101")),
    Case("no answer", T3, each("^R06-01-U.*\n", ""), "partial", (None, None, "R06-01-U"), of="answers.ALPHA"),
    Case("no articles", T3, lambda raw: b"".join(raw.splitlines(True)[:5]), "partial", (None, None, "R06-02-I")),
    # documents
    Case("some lines of a query", T1, on(2, "000101", "000101.txt"), "txt-suffix", (2, 1, "000101.txt")),
    Case("all", T2_CORPUS, each(r" (\d{3})", r" \1.txt"), "txt-suffix", (1, 5, "025.txt"), 6),
    Case("lost zeros", T1, on(4, "000204", "204"), "document-form", (4, 8, "204"), open=True),
    Case("article", T3_2025, on(3, " 5 ", " Art.5 "), "document-form", (3, 13, "Art.5")),
    Case("word", T3_2025, on(3, " 5 ", " five "), "document-form", (3, 13, "five"), open=True),
    Case("folder, as in the corpus", T2_CORPUS, on(1, " 025", " 827/025"), "document-form", (1, 5, "827/025")),
    Case("zeros, as in the code", T3_2025_GIVEN, on(1, " 96 ", " 096 "), "document-form", (1, 13, "096")),
    Case("two in one", T1_CORPUS, on(1, "201", "201,000203"), "document-form", (1, 8, "000201,000203"), open=True),
    Case("no such case", T1_CORPUS, on(6, "000205", "000299"), "document-unknown", (6, 8, "000299")),
    Case("no such article", T3_2025_GIVEN, on(3, " 5 ", " Art.999 "), "document-unknown", (3, 13, "Art.999")),
    Case("of another query", T2_CORPUS, on(4, "010", "001"), "document-unknown", (4, 5, "001")),
    Case("itself", T1, on(3, "000203", "000101"), "self-retrieved", (3, 8, "000101 000101")),
    Case("better score", T3_2025, lambda raw: insert(1, "R06-01-A Q0 5 1 300 ALPHA")(
         on(1, " 1 ", " 2 ")(on(2, " 2 ", " 3 ")(on(3, " 3 ", " 4 ")(raw)))), "duplicate", (4, 13, "R06-01-A 5")),
    Case("worse score", T3_2025, insert(1, "R06-01-A Q0 96 4 1.5 ALPHA"), "duplicate", (1, 13, "R06-01-A 96")),
    Case("answers", T4, insert(2, "R06-01-A Y ALPHA"), "duplicate", (2, 1, "R06-01-A Y")),
    Case("many", T1, insert(9, *(f"000103 0003{n} ALPHA1" for n in range(10, 29))), "long-answer",
         (7, 1, "000103: 21 documents")),
    Case("half of the corpus", T1_CORPUS, insert(9, *(f"000103 00020{n} ALPHA1" for n in (1, 2, 3, 4, 5))),
         "everything", (7, 1, "000103: 7 of 12 documents")),
    Case("half of the case", T2_CORPUS, insert(3, "827 010 BETA"), "everything", (1, 1, "827: 3 of 5 documents")),
    Case("turned around", T3_2025, lambda raw: on(1, " 1 ", " 2 ")(on(2, " 2 ", " 1 ")(raw)), "rank-order",
         (1, 1, "R06-01-A")),
    Case("from 0", T3_2025, lambda raw: on(1, " 1 ", " 0 ")(on(2, " 2 ", " 1 ")(on(3, " 3 ", " 2 ")(raw))),
         "rank-numbers", (1, 1, "R06-01-A")),
    Case("throughout", T3_2025, each(r"\S+ ALPHA$", "1.0 ALPHA"), "equal-scores", (1, 1, "R06-01-A"), 3),
    Case("one query of the long list", T3_2025, each(r"^(R06-01-U.*) \S+ ALPHA$", r"\1 1.0 ALPHA"), "equal-scores",
         (101, 1, "R06-01-U"), of="task3-L.ALPHA"),
    Case("99", T3_2025, each("^R06-01-A Q0 .* 100 .*\n", ""), "long-list-count",
         (1, 1, "R06-01-A: 99 documents"), of="task3-L.ALPHA"),
    # answers
    Case("lower case", T5, on(2, " Y ", " y "), "label-form", (2, 10, "y")),
    Case("maybe", T4, on(2, " Y ", " maybe "), "label-unknown", (2, 10, "maybe")),
    Case("both", T4, insert(4, "R06-01-A N ALPHA"), "answered-twice", (4, 1, "R06-01-A")),
    # several files
    Case("same tag", T1, with_files(other__txt=lambda files: files["run.txt"]), "tag-shared", (None, None, "ALPHA1"),
         file="other.txt", files=True),
    Case("four", T1, three_more, "runs", (None, None, "ALPHA1"), 4, file="4.txt", files=True),
    Case("four", T2, three_more, "runs-unstated", (None, None, "BETA"), 4, file="4.txt", files=True),
    Case("none", T3_2025, lambda files: {"task3.ALPHA": files["task3.ALPHA"]}, "long-list-missing",
         (None, None, "ALPHA"), files=True),
    Case("none", T3_2025, lambda files: {"task3-L.ALPHA": files["task3-L.ALPHA"]}, "answer-set-missing",
         (None, None, "ALPHA"), file="task3-L.ALPHA", files=True),
    Case("answers", T3, lambda files: {"task3.ALPHA": files["task3.ALPHA"]}, "part-missing", (None, None, "ALPHA"),
         files=True),
    # descriptions
    _described("with hints", T4, b"\xef\xbb\xbf" + HINTS, "description"),
    Case("alone", T1_FOUND, content(DESCRIPTION), "description"),
    _described("of another task", T1, DESCRIPTION.replace(b"k: 1", b"k: 2"), "description-task",
               (1, 1, "Task: 2, run tag ALPHA1")),
    _described("of no task", T1, DESCRIPTION + b"Task: five\n" + DESCRIPTION[8:].replace(b"ALPHA1", b"X"),
               "description-task", (10, 1, "Task: five")),
    _described("of another run", T1, DESCRIPTION + DESCRIPTION.replace(b"ALPHA1", b"ALPHA2"), "description-tag",
               (10, 1, "Run tag: ALPHA2")),
    _described("field empty", T1, DESCRIPTION.replace(b"none\n", b"", 1), "description-empty",
               (1, 1, "machine learning models, run tag ALPHA1")),
    _described("too new", T4, MODELS.replace(b"2024", b"2025"), "model-date", (1, 1, "2025-07-15, run tag ALPHA")),
    _described("without a date", T4, MODELS.replace(b"2024-07-15", b"new"), "model-undated", (1, 1, "run tag ALPHA")),
    Case("another run", T1, with_files(two__txt=lambda files: files["run.txt"].replace(b"ALPHA1", b"ALPHA2"),
         description__txt=lambda _: DESCRIPTION), "undescribed", (None, None, "ALPHA2"), file="two.txt", files=True),
    # the pilot
    Case("no object", TORT, insert(4, "true"), "instance", (4, None, "true")),
    Case("key missing", TORT_TEST, each(r', "court_decision": false', ""), "instance",
         (2, None, "version, tort_id, undisputed_facts, plaintiff_claims, defendant_claims")),
    Case("twice", TORT, lambda raw: raw + raw.splitlines(True)[0], "instance-twice", (4, None, "0")),
    Case("null", TORT, each('"court_decision": false', '"court_decision": null'), "null-decision", (2, None, "1")),
    Case("null", RATIONALE, on(1, '"is_accepted": false', '"is_accepted": null'), "null-acceptance",
         (1, None, "0, plaintiff claim 1")),
    Case("all", TORT, each('"court_decision": (true|false)', '"court_decision": null'), "no-decisions"),
    Case("all", TORT, each('"is_accepted": (true|false)', '"is_accepted": null'), "no-acceptances"),
    Case("missing", TORT_TEST, each('^.*"tort_id": "1".*\n', ""), "instance-missing", (None, None, "1")),
    Case("another", TORT_TEST, insert(4, instance("3", True, [], [])), "instance-unknown", (4, None, "3")),
    Case("missing", TORT_TEST, on(1, ', {"id": "1", "description": "主張", "is_accepted": false}', ""),
         "claim-missing", (1, None, "0, plaintiff claim 1")),
    Case("another", RATIONALE_GOLD, on(3, '"plaintiff_claims": []',
         '"plaintiff_claims": [{"id": "9", "is_accepted": true}]'), "claim-unknown", (3, None, "2, plaintiff claim 9")),
)  # fmt: skip
