"""Broken submissions: clean twins of every task and form, and ways to break one, with the one finding that each gives.

Everything is invented. A twin is a folder of files, and how it is validated and scored; a case is a change of its
files and what must then be found, where.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

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
        paths = [folder / name for name in (self.files if files is None else files)]
        for path, content in zip(paths, (self.files if files is None else files).values(), strict=True):
            path.write_bytes(content)
        return paths

    def validate(self, folder, paths, **options):
        """What is found in the files."""
        folders = {Path(name).parts[0] for name in self.others}
        told = {key: folder / value if value in folders else value for key, value in self.options.items()}
        return validate(*paths, **(told | options))

    def scores(self, folder, paths):
        """The measures of the first file, with those that belong to it."""
        parts = {key: value for key, value in self.scored.items() if key not in ("answers", "long_list")}
        for part, name in self.scored.items():
            if part not in parts:
                parts[part] = next(path for path in paths if path.name == name)
        return evaluate(folder / self.gold, paths[0], **parts).measures


@dataclass(frozen=True)
class Case:
    """One mistake, and the one finding that it gives.

    ``line``, ``column``, ``found`` are its first place, in the twin's first file where ``file`` names none. ``as_is``
    is what evaluating the broken file gives: the ``same`` scores as the corrected copy, ``other`` ones since ids match
    nothing, or nothing as it is ``refused``. ``open``: ``--fix`` leaves it though its rule can mend.
    """

    name: str
    twin: Twin
    break_: Callable[[Files], Files]
    rule: str
    count: int = 1
    line: int | None = None
    column: int | None = None
    found: str | None = None
    file: str = ""
    as_is: Literal["same", "other", "refused"] = "same"
    open: bool = False

    @property
    def id(self):
        return re.sub(r"[^A-Za-z0-9.]+", "-", f"{self.twin.name} {self.rule} {self.name}")

    @property
    def broken(self):
        return self.break_(dict(self.twin.files))

    @property
    def where(self):
        """The name of the file in which it is found."""
        return self.file or next(iter(self.twin.files))


# ways to break a file


def edit(change, name=""):
    """Change one file."""

    def edited(files):
        at = name or next(iter(files))
        return {**files, at: change(files[at])}

    return edited


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

    def change(raw):
        lines = raw.split(b"\n")
        return b"\n".join([*lines[: number - 1], *(line.encode() for line in new), *lines[number - 1 :]])

    return change


def without(number):
    def change(raw):
        lines = raw.split(b"\n")
        return b"\n".join([*lines[: number - 1], *lines[number:]])

    return change


def each(pattern, new):
    """Replace a pattern in all lines."""
    return lambda raw: re.sub(pattern.encode(), new.encode(), raw, flags=re.MULTILINE)


def cut(n):
    """Take the last bytes off."""
    return lambda raw: raw[:-n]


def content(new):
    return lambda _: new if isinstance(new, bytes) else new.encode()


def encoded(codec):
    return lambda raw: raw.decode().encode(codec)


def with_files(**more):
    """Add files; a name's double underscore is a full stop."""
    return lambda files: files | {name.replace("__", "."): make(files) for name, make in more.items()}


def lines(*rows):
    return "".join(f"{row}\n" for row in rows).encode()


# clean twins

RANKED = {
    "000101": ["000201", "000202", "000203"],
    "000102": ["000204", "000201", "000205"],
    "000103": ["000206", "000207"],
    "000104": ["000208", "000202"],
}
CASES_GOLD = {
    "000101": ["000201", "000207"],
    "000102": ["000204"],
    "000103": ["000206", "000208"],
    "000104": ["000202"],
}
RUN1 = lines(*(f"{query} {case} ALPHA1" for query, found in RANKED.items() for case in found))
GOLD1 = json.dumps({f"{q}.txt": [f"{d}.txt" for d in found] for q, found in CASES_GOLD.items()})
CORPUS1 = {f"cases/{case}.txt": "text" for case in (*RANKED, *(f"0002{n:02d}" for n in range(1, 9)))}
SCORED1 = {"task": "1", "measures": ["MicroF1", "MicroP", "MicroR", "MicroR@2", "AP"]}


def task1(name, *, others=None, **options):
    told = {"task": "1", **options}
    return Twin(name, {"run.txt": RUN1}, {"gold.json": GOLD1, **(others or {})}, told, SCORED1, "gold.json")


T1 = task1("1")
T1_FOUND = Twin("1 found from the file", {"run.txt": RUN1}, {"gold.json": GOLD1}, {}, SCORED1, "gold.json")
T1_GOLD = task1("1 with gold", gold="gold.json")
T1_CORPUS = task1("1 with corpus", others=CORPUS1, corpus="cases")
T1_LISTS = task1(
    "1 with lists",
    others={
        "queries.json": json.dumps([f"{q}.txt" for q in RANKED]),
        "ids.txt": "\n".join(Path(case).stem for case in CORPUS1),
    },
    queries="queries.json",
    corpus="ids.txt",
)
_JSON = {"run.json": json.dumps(RANKED, indent=1).encode()}
T1_JSON = Twin("1 json", _JSON, {"gold.json": GOLD1}, {"task": "1"}, SCORED1, "gold.json", has=("json",))
_OLD = lines("001 013 ALPHA", "001 020 ALPHA", "002 007 ALPHA", "002 008 ALPHA")
_OF_2019 = {"task": "1", "edition": 2019}
T1_2019 = Twin("1 of 2019", {"run.txt": _OLD}, {"gold.json": json.dumps({"001": ["013", "045"], "002": ["007"]})},
               _OF_2019, _OF_2019, "gold.json")  # fmt: skip

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


def task2(name, others=None, **options):
    told = {"task": "2", **options}
    return Twin(name, {"run.txt": RUN2}, {"gold.json": GOLD2, **(others or {})}, told, {"task": "2"}, "gold.json")


T2 = task2("2")
T2_2021 = task2("2 of 2021", edition=2021)
T2_CORPUS = task2("2 with corpus", CORPUS2, corpus="fragments", queries="gold.json")
T2_FOLDERS = task2("2 with folders", CORPUS2, corpus="fragments")


def pair(query, label, *articles):
    inside = "".join(f'<article id="{article}"/>' for article in articles)
    return f'<pair id="{query}" label="{label}"><t1>{inside}</t1><t2>A statement.</t2></pair>\n'


STATUTE = {"R06-01-A": ("Y", ["96", "121-2"]), "R06-01-U": ("N", ["398-20"]), "R06-02-I": ("Y", ["7"])}
GOLD3 = f"<dataset>\n{''.join(pair(q, label, *found) for q, (label, found) in STATUTE.items())}</dataset>\n"
CODE = "".join(
    f"(Caption)\nArticle {article} The text of an article.\n" for article in (*range(1, 151), "121-2", "398-20")
)

T3_2016 = Twin(
    "3 of 2016",
    {"task3.ALPHA": lines("H26-37-G 96 ALPHA", "H26-37-G 398-20 ALPHA", "H18-1-2 7 ALPHA", "H18-1-2 8 ALPHA")},
    {"gold.xml": f"<dataset>{pair('H26-37-G', 'Y', '96')}{pair('H18-1-2', 'N', '8', '9')}</dataset>"},
    {"task": "3", "edition": 2016},
    {"task": "3", "edition": 2016},
    "gold.xml",
)

_SHORT = {"R06-01-A": ["96", "121-2", "5"], "R06-01-U": ["398-20", "7"], "R06-02-I": ["8", "7"]}
_LONGER = {q: [*found, *(str(n) for n in range(9, 10_000) if str(n) not in found)][:100] for q, found in _SHORT.items()}


def trec(ranked, tag):
    return lines(
        *(f"{q} Q0 {d} {rank} {200 - rank}.5 {tag}" for q, found in ranked.items() for rank, d in enumerate(found, 1))
    )


T3_2025 = Twin(
    "3 of 2025", {"task3.ALPHA": trec(_SHORT, "ALPHA"), "task3-L.ALPHA": trec(_LONGER, "ALPHA")}, {"gold.xml": GOLD3},
    {"task": "3", "edition": 2025}, {"task": "3", "edition": 2025, "long_list": "task3-L.ALPHA"}, "gold.xml",
)  # fmt: skip
T3_2025_GIVEN = replace(
    T3_2025, name="3 of 2025 with gold and code", others={"gold.xml": GOLD3, "code.txt": CODE},
    options={"task": "3", "edition": 2025, "gold": "gold.xml", "corpus": "code.txt"},
)  # fmt: skip
ANSWERS = lines("R06-01-A Y ALPHA", "R06-01-U Y ALPHA", "R06-02-I Y ALPHA")
T3 = Twin(
    "3 of 2026", {"task3.ALPHA": trec(_SHORT, "ALPHA"), "answers.ALPHA": ANSWERS}, {"gold.xml": GOLD3}, {},
    {"task": "3", "answers": "answers.ALPHA"}, "gold.xml",
)  # fmt: skip
T3_GIVEN = replace(
    T3, name="3 of 2026 with queries", others={"gold.xml": GOLD3, "ids.txt": "".join(f"{q}\n" for q in STATUTE)},
    options={"task": "3", "queries": "ids.txt"},
)  # fmt: skip
T4 = Twin("4", {"ALPHA.txt": ANSWERS}, {"gold.xml": GOLD3}, {"edition": 2026}, {"task": "4"}, "gold.xml")
T4_GOLD = Twin(
    "4 with gold", {"ALPHA.txt": ANSWERS}, {"gold.xml": GOLD3}, {"gold": "gold.xml"}, {"task": "4"}, "gold.xml"
)
T5 = Twin(
    "5", {"ALPHA.txt": ANSWERS}, {"gold.txt": "R06-01-A Y\nR06-01-U N\nR06-02-I Y\n"}, {"task": "5"}, {"task": "5"},
    "gold.txt",
)  # fmt: skip


def instance(n, decision, plaintiff, defendant):
    def claims(verdicts):
        return [{"id": str(at), "description": "主張", "is_accepted": v} for at, v in enumerate(verdicts)]

    sides = {"plaintiff_claims": claims(plaintiff), "defendant_claims": claims(defendant)}
    value = {"version": "1.0", "tort_id": n, "undisputed_facts": [], **sides, "court_decision": decision}
    return json.dumps(value, ensure_ascii=False)


PILOT = lines(
    instance("0", True, [True, False], [True]), instance("1", False, [True], []), instance("2", True, [], [False])
)
PILOT_GOLD = lines(
    instance("0", True, [True, True], [False]), instance("1", True, [True], []), instance("2", True, [], [True])
).decode()
PILOT_TEST = lines(
    instance("0", None, [None, None], [None]), instance("1", None, [None], []), instance("2", None, [], [None])
).decode()


def pilot(name, **options):
    others = {"gold.jsonl": PILOT_GOLD, "test.jsonl": PILOT_TEST}
    scored = {"task": options.get("task", "tort")}
    return Twin(name, {"ALPHA.jsonl": PILOT}, others, options, scored, "gold.jsonl")


TORT = pilot("tort")
TORT_TEST = pilot("tort with test file", queries="test.jsonl")
RATIONALE = pilot("rationale", task="rationale")
RATIONALE_GOLD = pilot("rationale with gold", task="rationale", gold="gold.jsonl")

TWINS = (
    *(T1, T1_FOUND, T1_GOLD, T1_CORPUS, T1_LISTS, T1_JSON, T1_2019, T2, T2_2021, T2_CORPUS, T2_FOLDERS),
    *(T3_2016, T3_2025, T3_2025_GIVEN, T3, T3_GIVEN, T4, T4_GOLD, T5, TORT, TORT_TEST, RATIONALE, RATIONALE_GOLD),
)


# one mistake each

_TREC_RUN = lines(*(f"{q} Q0 {d} {r} {9 - r} ALPHA1" for q, found in RANKED.items() for r, d in enumerate(found, 1)))
_MANY = [f"0003{n:02d}" for n in range(51)]


def _case(
    name,
    twin,
    change,
    rule,
    place=(None, None, None),
    count=1,
    *,
    files=False,
    of="",
    file="",
    as_is="same",
    open=False,
):
    """A case; ``files`` says that the change is one of all files, ``of`` which one else is changed."""
    broken = change if files else edit(change, of)
    return Case(name, twin, broken, rule, count, *place, file=file or of, as_is=as_is, open=open)


def three_more(files):
    """Three runs of other tags beside the first."""
    raw = next(iter(files.values()))
    tag = raw.split()[-1]
    return files | {f"{n}.txt": raw.replace(tag, b"GAMMA%d" % n) for n in (2, 3, 4)}


def _described(name, twin, text, rule, place=(None, None, None)):
    """A case of a system description beside the run."""
    added = with_files(description__txt=lambda _: text)
    return _case(name, twin, added, rule, place, files=True, file="description.txt")


CASES = (
    # the file
    _case("nothing", T1, content(b""), "empty", as_is="refused"),
    _case("comments", T1, content("# a run\n\n/* of\n\nours */\n"), "empty", as_is="refused"),
    _case("nothing", TORT, content(b"\n"), "empty", as_is="refused"),
    _case("little", T1, encoded("utf-16"), "utf-16", (1, 1, None), as_is="refused"),
    _case("big", T1, lambda raw: b"\xfe\xff" + raw.decode().encode("utf-16-be"), "utf-16", (1, 1, None),
          as_is="refused"),
    _case("without mark", T1, encoded("utf-16-le"), "utf-16", (1, 1, None), as_is="refused"),
    _case("found from the file", T1_FOUND, encoded("utf-16"), "utf-16", (1, 1, None), as_is="refused"),
    _case("pilot", TORT, encoded("utf-16"), "utf-16", (1, 1, None), as_is="refused"),
    _case("latin-1", T1, on(2, "000202", b"00020\xe9"), "not-utf8", (2, 13, "\\xe9"), as_is="refused", open=True),
    _case("latin-1", TORT, on(2, "version", b"v\xe9rsion"), "not-utf8", (2, 4, "\\xe9"), as_is="refused", open=True),
    _case("latin-1 tag", T1, lambda raw: raw.replace(b"ALPHA1", b"ALPHA\xe91"), "not-utf8", (1, 20, "\\xe9"),
          10, as_is="refused"),
    _case("mark", T1, lambda raw: b"\xef\xbb\xbf" + raw, "bom", (1, 1, None)),
    _case("mark", TORT, lambda raw: b"\xef\xbb\xbf" + raw, "bom", (1, 1, None)),
    _case("mac", T1, everywhere("\n", "\r"), "carriage-return", (1, None, None), 10, as_is="refused"),
    _case("two lines in one", T1, lambda raw: raw.replace(b"\n", b"\r", 1), "carriage-return", (1, None, None),
          as_is="refused"),
    _case("unicode", T1, everywhere("\n", "\u2028"), "line-separator", (1, None, None), 10, as_is="refused"),
    _case("escape", T1, on(4, "000204", "\x1b000204"), "control", (4, 8, "\x1b"), as_is="other"),
    _case("nul", T1, on(4, "000204", "000\x00204"), "control", (4, 11, "\0"), as_is="refused"),
    _case("full width", T1, on(7, "000206", "０００２０６"), "not-ascii", (7, 8, "０００２０６"),
          as_is="other"),
    _case("ideographic blank", T1, everywhere(" ", "\u3000"), "not-ascii", (1, 7, "\u3000"), 10, as_is="refused"),
    _case("no width", T1, on(4, "000204", "\u200b000204"), "not-ascii", (4, 8, "\u200b"), as_is="refused"),
    _case("tag", T1, everywhere("ALPHA1", "ÀLPHA1"), "not-ascii", (1, 15, "À"), 10),
    _case("all", T1, everywhere("\n", "\r\n"), "crlf", (1, None, None), 10),
    _case("one", T1, on(3, "ALPHA1", "ALPHA1\r"), "crlf", (3, None, None)),
    _case("all", RATIONALE, everywhere("\n", "\r\n"), "crlf", (1, None, None), 3),
    _case("columns", T1, cut(1), "no-newline", (10, None, None)),
    _case("pilot", TORT, cut(1), "no-newline", (3, None, None)),
    _case("within a word", T1, cut(9), "cut-short", (10, None, "000104 00020"), as_is="refused"),
    _case("within the tag", T1, cut(3), "cut-short", (10, None, "000104 000202 ALPH")),
    _case("within a long list", T3_2025, cut(8), "cut-short", (300, None, "R06-02-I Q0 106 100 100."),
          of="task3-L.ALPHA",
          as_is="refused"),
    _case("middle", T1, insert(4, ""), "blank-line", (4, None, None)),
    _case("end", T1, insert(11, "", " "), "blank-line", (11, None, None), 2),
    _case("sharp", T1, insert(1, "# ours"), "comment", (1, None, "# ours")),
    _case("as in the sample", T3_2025, insert(1, "/* the long list */"), "comment", (1, None, "/* the long list */"),
          of="task3-L.ALPHA"),
    _case("several lines", T1, insert(3, "/* of", "", "ours */"), "comment", (3, None, "/* of"), 2),
    _case("before a line", T1, on(1, "000101", "/* a */ 000101"), "comment", (1, None, "/* a */")),
    _case("never closed", T1, insert(11, "/* the end", "of it"), "unreadable", (11, None, None), as_is="refused"),
    _case("words", T1, insert(1, "query document tag"), "header", (1, 1, "query document tag"), as_is="same"),
    _case("tabs", T4, insert(1, "ID\tLabel\tTag"), "header", (1, 1, "ID\tLabel\tTag"), as_is="refused"),
    # JSON, XML
    _case("lists", T1, content(json.dumps(RANKED)), "json"),
    _case("found from the file", T1_FOUND, content(json.dumps(RANKED)), "json"),
    _case("scores", T1, content(json.dumps({q: {d: -n for n, d in enumerate(c)} for q, c in RANKED.items()})), "json"),
    _case("scores", T3_2025, content(json.dumps({q: {d: 9 - n for n, d in enumerate(c)} for q, c in _SHORT.items()})),
          "form"),
    _case("xml", T1, content("<COLIEE task='1'></COLIEE>"), "form", as_is="refused", open=True),
    _case("an empty list", T1_JSON, everywhere('"000104": [', '"000105": [], "000104": ['), "empty-list", (None, None,
          "000105")),
    _case("a document twice", T1_JSON, everywhere('"000202",', '"000202", "000202",'), "duplicate",
          (None, None, "000101 000202")),
    _case("a number", T1_JSON, everywhere('"000206"', "206"), "document-form", (None, None, "206"), as_is="other",
          open=True),
    _case("votes", T4, lambda raw: b"pair_id\tlabel\tprediction\tvotes\n" + each(" Y ALPHA", "\tN\tY\t5")(raw),
          "table", (1, 1, "pair_id\tlabel\tprediction\tvotes"), as_is="refused"),
    _case("score", T1, insert(1, "query_id doc_id score"), "table", (1, 1, "query_id doc_id score"), as_is="refused"),
    # the columns
    _case("tabs", T1, everywhere(" ", "\t"), "separator", (1, 7, "\t"), 10),
    _case("two blanks", T1, on(6, " ALPHA1", "  ALPHA1"), "separator", (6, 14, "  ")),
    _case("leading", T1, on(6, "000102", " 000102"), "separator", (6, 1, " ")),
    _case("commas", T1, everywhere(" ", ","), "separator", (1, 7, ","), 10),
    _case("commas and blanks", T2, everywhere(" ", ", "), "separator", (1, 4, ", "), 6),
    _case("semicolons", T1, everywhere(" ", ";"), "separator", (1, 7, ";"), 10),
    _case("quoted", T1, each(r"^(\S+) (\S+) (\S+)$", r'"\1","\2","\3"'), "separator", (1, 8, '","'), 10),
    _case("tabs", T3_2025, everywhere(" ", "\t"), "separator", (1, 9, "\t"), 300, of="task3-L.ALPHA"),
    _case("two", T1, each("$(?=\n)", "  "), "trailing-blank", (1, 21, None), 10),
    _case("one more", T1, on(3, "ALPHA1", "ALPHA1 x"), "columns", (3, None, "000101 000203 ALPHA1 x"), as_is="refused"),
    _case("document missing", T1, on(3, "000203 ", ""), "columns", (3, None, "000101 ALPHA1"), as_is="refused"),
    _case("only a query", T1, on(3, " 000203 ALPHA1", ""), "columns", (3, None, "000101"), as_is="refused"),
    _case("three columns", T3_2025, each(r"^(\S+) Q0 (\S+) .* ALPHA$", r"\1 \2 ALPHA"), "columns",
          (1, None, "R06-01-A 96 ALPHA"), 7),
    _case("no ranks", T3_2025, each(r" \d+ (\S+ ALPHA)$", r" \1"), "columns", (1, None, "R06-01-A Q0 96 199.5 ALPHA"),
          7,
          as_is="refused"),
    _case("all", T1, content(_TREC_RUN), "trec-columns", (1, None, "000101 Q0 000201 1 8 ALPHA1"), 10),
    _case("by score", T1, content(b"\n".join(reversed(_TREC_RUN.split(b"\n"))).lstrip() + b"\n"), "trec-columns",
          (1, None, "000104 Q0 000202 2 7 ALPHA1"), 10),
    _case("one line", T1, on(4, " 000204", " Q0 000204 1 8"),
          "trec-columns", (4, None, "000102 Q0 000204 1 8 ALPHA1"), as_is="refused"),
    _case("decimal comma", T1, content(_TREC_RUN.replace(b" ALPHA1", b",5 ALPHA1")), "score", (1, None, "8,5"), 10,
          as_is="refused"),
    _case("all", T3_2016, each(r"^(\S+) (\S+) ALPHA", r"\1 Q0 \2 1 1.5 ALPHA"), "trec-columns",
          (1, None, "H26-37-G Q0 96 1 1.5 ALPHA"), 4),
    _case("zero", T3_2025, everywhere("Q0", "0"), "q0", (1, 10, "0"), 7),
    _case("lower case", T3_2025, on(2, "Q0", "q0"), "q0", (2, 10, "q0")),
    _case("nan", T3_2025, on(2, "198.5", "nan"), "score", (2, 21, "nan"), as_is="refused"),
    _case("underscore", T3_2025, on(2, "198.5", "19_8"), "score", (2, 21, "19_8"), as_is="refused"),
    _case("of the long list", T3_2025, on(2, "198.5", "high"), "score", (2, 21, "high"), of="task3-L.ALPHA",
          as_is="refused"),
    _case("word", T3_2025, on(2, " 2 ", " second "), "rank", (2, 19, "second")),
    _case("decimal", T3_2025, on(2, " 2 ", " 2.0 "), "rank", (2, 19, "2.0")),
    # the run tag
    _case("one line", T1, on(4, " ALPHA1", ""), "tag-missing", (4, 14, "000102 000204"), as_is="refused"),
    _case("all lines", T1, everywhere(" ALPHA1", ""), "tag-missing", (1, 14, "000101 000201"), 10, as_is="refused",
          open=True),
    _case("one line", T3_2025, on(2, " ALPHA", ""), "tag-missing", (2, 26, "R06-01-A Q0 121-2 2 198.5"),
          as_is="refused"),
    _case("one line", T4, on(2, " ALPHA", ""), "tag-missing", (2, 11, "R06-01-U Y")),
    _case("two words", T1, everywhere("ALPHA1", "run A"), "tag-words", (1, 15, "run A"), 10),
    _case("two words", T4, everywhere("ALPHA", "run A"), "tag-words", (1, 12, "run A"), 3),
    _case("hyphen", T1, everywhere("ALPHA1", "ALPHA-1"), "tag-characters", (1, 15, "ALPHA-1"), 10),
    _case("marks", T4, everywhere("ALPHA", "A.B_C"), "tag-characters", (1, 12, "A.B_C"), 3),
    _case("thirteen", T1, everywhere("ALPHA1", "ALPHA12345678"), "tag-length", (1, 15, "ALPHA12345678"), 10),
    _case("one line", T1, on(5, "ALPHA1", "ALPHA2"), "tag-differs", (5, 15, "ALPHA2")),
    # queries
    _case("lost zeros", T1, each("^000103", "103"), "query-form", (7, 1, "103"), as_is="other", open=True),
    _case("letters", T1, on(3, "000101", "00010I"), "query-form", (3, 1, "00010I"), open=True),
    _case("lost zeros, as in the gold", T1_GOLD, on(7, "000103", "103"), "query-form", (7, 1, "103"), as_is="other"),
    _case("lost zeros, as in the corpus", T1_CORPUS, on(8, "000103", "103"), "query-form", (8, 1, "103"),
          as_is="other"),
    _case("year, as in the gold", T4_GOLD, each("R06", "R6"), "query-form", (1, 1, "R6-01-A"), 3, as_is="refused"),
    _case("lower case", T3_2025_GIVEN, on(1, "R06-01-A", "r06-01-a"), "query-form", (1, 1, "r06-01-a"), as_is="other"),
    _case("of another year", T1_GOLD, insert(11, "000999 000201 ALPHA1"), "query-unknown", (11, 1, "000999")),
    _case("not in the corpus", T1_CORPUS, insert(11, "000999 000201 ALPHA1"), "query-unknown", (11, 1, "000999")),
    _case("no such folder", T2_FOLDERS, insert(7, "830 003 BETA"), "query-unknown", (7, 1, "830")),
    _case("gold", T1_GOLD, lambda raw: b"".join(raw.splitlines(True)[:8]), "query-missing", (None, None, "000104")),
    _case("list", T1_LISTS, lambda raw: b"".join(raw.splitlines(True)[3:]), "query-missing", (None, None, "000101")),
    _case("answers", T3_GIVEN, without(2), "query-missing", (None, None, "R06-01-U"), of="answers.ALPHA"),
    _case("no answer", T3, without(2), "partial", (None, None, "R06-01-U"), of="answers.ALPHA"),
    _case("no articles", T3, lambda raw: b"".join(raw.splitlines(True)[:5]), "partial", (None, None, "R06-02-I")),
    # documents
    _case("one", T1, on(1, "000201", "000201.txt"), "txt-suffix", (1, 8, "000201.txt")),
    _case("all", T1, each(r"(\d{6})", r"\1.txt"), "txt-suffix", (1, 1, "000101.txt"), 20),
    _case("queries", T1_GOLD, each(r"^(\d{6})", r"\1.txt"), "txt-suffix", (1, 1, "000101.txt"), 10),
    _case("some lines of a query", T1, on(2, "000101", "000101.txt"), "txt-suffix", (2, 1, "000101.txt")),
    _case("all", T2_CORPUS, each(r" (\d{3})", r" \1.txt"), "txt-suffix", (1, 5, "025.txt"), 6),
    _case("lost zeros", T1, on(4, "000204", "204"), "document-form", (4, 8, "204"), open=True),
    _case("decimal", T1, on(4, "000204", "204.0"), "document-form", (4, 8, "204.0"), open=True),
    _case("two in one", T1, on(1, "000201", "000201,000202"), "document-form", (1, 8, "000201,000202"), open=True),
    _case("article", T3_2025, on(3, " 5 ", " Art.5 "), "document-form", (3, 13, "Art.5")),
    _case("paragraph", T3_2025, on(3, " 5 ", " 5(1) "), "document-form", (3, 13, "5(1)")),
    _case("word", T3_2025, on(3, " 5 ", " five "), "document-form", (3, 13, "five"), open=True),
    _case("lost zeros, as in the corpus", T1_CORPUS, on(4, "000204", "204"), "document-form", (4, 8, "204"),
          as_is="other"),
    _case("all lost zeros, as in the list", T1_LISTS, each(" 000", " "), "document-form", (1, 8, "201"), 10,
          as_is="refused"),
    _case("decimals, as in the corpus", T1_CORPUS, on(4, "000204", "204.0"), "document-form", (4, 8, "204.0"),
          as_is="other"),
    _case("folder, as in the corpus", T2_CORPUS, on(1, " 025", " 827/025"), "document-form", (1, 5, "827/025"),
          as_is="other"),
    _case("zeros, as in the code", T3_2025_GIVEN, on(1, " 96 ", " 096 "), "document-form", (1, 13, "096"),
          as_is="other"),
    _case("two in one, in the corpus", T1_CORPUS, on(1, "000201", "000201,000203"), "document-form",
          (1, 8, "000201,000203"), open=True),
    _case("no such case", T1_CORPUS, on(6, "000205", "000299"), "document-unknown", (6, 8, "000299")),
    _case("of another query", T2_CORPUS, on(4, "010", "001"), "document-unknown", (4, 5, "001")),
    _case("itself", T1, on(3, "000203", "000101"), "self-retrieved", (3, 8, "000101 000101")),
    _case("lines", T1, insert(3, "000101 000202 ALPHA1"), "duplicate", (3, 8, "000101 000202")),
    _case("worse score", T3_2025, insert(4, "R06-01-A Q0 96 4 1.5 ALPHA"), "duplicate", (4, 13, "R06-01-A 96")),
    _case("better score", T3_2025, lambda raw: insert(1, "R06-01-A Q0 5 1 300 ALPHA")(
        on(1, " 1 ", " 2 ")(on(2, " 2 ", " 3 ")(on(3, " 3 ", " 4 ")(raw)))), "duplicate", (4, 13, "R06-01-A 5")),
    _case("worse score first", T3_2025, insert(1, "R06-01-A Q0 96 4 1.5 ALPHA"), "duplicate", (1, 13, "R06-01-A 96")),
    _case("answers", T4, insert(2, "R06-01-A Y ALPHA"), "duplicate", (2, 1, "R06-01-A Y")),
    _case("many", T1, insert(9, *(f"000103 {case} ALPHA1" for case in _MANY)), "long-answer", (7, 1,
          "000103: 53 documents")),
    _case("half of the corpus", T1_CORPUS, insert(9, *(f"000103 0002{n:02d} ALPHA1" for n in (1, 2, 3, 4, 5))),
          "everything",
          (7, 1, "000103: 7 of 12 documents")),
    _case("half of the case", T2_CORPUS, insert(3, "827 010 BETA"), "everything", (1, 1, "827: 3 of 5 documents")),
    _case("turned around", T3_2025, lambda raw: on(1, " 1 ", " 2 ")(on(2, " 2 ", " 1 ")(raw)), "rank-order",
          (1, 1, "R06-01-A")),
    _case("from 0", T3_2025, lambda raw: on(1, " 1 ", " 0 ")(on(2, " 2 ", " 1 ")(on(3, " 3 ", " 2 ")(raw))),
          "rank-numbers", (1, 1, "R06-01-A")),
    _case("all 1", T3_2025, each(r" \d+ (\S+ ALPHA)$", r" 1 \1"), "rank-numbers", (1, 1, "R06-01-A"), 3),
    _case("throughout", T3_2025, each(r"\S+ ALPHA$", "1.0 ALPHA"), "equal-scores", (1, 1, "R06-01-A"), 3),
    _case("one query of the long list", T3_2025, each(r"^(R06-01-U.*) \S+ ALPHA$", r"\1 1.0 ALPHA"), "equal-scores",
          (101, 1, "R06-01-U"), of="task3-L.ALPHA"),
    _case("99", T3_2025, without(100), "long-list-count", (1, 1, "R06-01-A: 99 documents"), of="task3-L.ALPHA"),
    _case("101", T3_2025, insert(101, "R06-01-A Q0 999 101 1 ALPHA"), "long-list-count", (1, 1,
          "R06-01-A: 101 documents"),
          of="task3-L.ALPHA"),
    # answers
    _case("words", T4, each(" Y ", " Yes "), "label-form", (1, 10, "Yes"), 3),
    _case("lower case", T5, on(2, " Y ", " y "), "label-form", (2, 10, "y")),
    _case("words", T3, on(2, " Y ", " yes "), "label-form", (2, 10, "yes"), of="answers.ALPHA"),
    _case("maybe", T4, on(2, " Y ", " maybe "), "label-unknown", (2, 10, "maybe"), as_is="refused"),
    _case("number", T3, on(2, " Y ", " 1 "), "label-unknown", (2, 10, "1"), of="answers.ALPHA", as_is="refused"),
    _case("both", T4, insert(4, "R06-01-A N ALPHA"), "answered-twice", (4, 1, "R06-01-A"), as_is="refused"),
    # several files
    _case("same tag", T1, with_files(other__txt=lambda files: files["run.txt"]), "tag-shared", (None, None, "ALPHA1"),
          files=True, file="other.txt"),
    _case("four", T1, three_more, "runs", (None, None, "ALPHA1"), 4, files=True, file="4.txt"),
    _case("four, one without a tag", T4, three_more, "runs", (None, None, "ALPHA"), 4, files=True, file="4.txt"),
    _case("four", T2, three_more, "runs-unstated", (None, None, "BETA"), 4, files=True, file="4.txt"),
    _case("four", T2_2021, three_more, "runs", (None, None, "BETA"), 4, files=True, file="4.txt"),
    _case("none", T3_2025, lambda files: {"task3.ALPHA": files["task3.ALPHA"]}, "long-list-missing",
          (None, None, "ALPHA"), files=True),
    _case("of another run", T3_2025, with_files(**{"task3__BETA": lambda files: files["task3.ALPHA"].replace(
          b"ALPHA", b"BETA")}), "long-list-missing", (None, None, "BETA"), files=True, file="task3.BETA"),
    _case("none", T3_2025, lambda files: {"task3-L.ALPHA": files["task3-L.ALPHA"]}, "answer-set-missing",
          (None, None, "ALPHA"), files=True, file="task3-L.ALPHA", as_is="refused"),
    _described("beside a run", T1, DESCRIPTION, "description"),
    _described("with hints", T4, b"\xef\xbb\xbf" + HINTS, "description"),
    _case("alone", T1_FOUND, content(DESCRIPTION), "description", as_is="refused"),
    _described("of another task", T1, DESCRIPTION.replace(b"k: 1", b"k: 2"), "description-task",
               (1, 1, "Task: 2, run tag ALPHA1")),
    _described("of no task", T1, DESCRIPTION + b"Task: five\n" + DESCRIPTION[8:].replace(b"ALPHA1", b"X"),
               "description-task", (10, 1, "Task: five")),
    _described("of another run", T1, DESCRIPTION + DESCRIPTION.replace(b"ALPHA1", b"ALPHA2"), "description-tag",
               (10, 1, "Run tag: ALPHA2")),
    _described("field empty", T1, DESCRIPTION.replace(b"none\n", b"", 1), "description-empty",
               (1, 1, "machine learning models, run tag ALPHA1")),
    _described("field missing", T1, DESCRIPTION.partition(b"- Expla")[0], "description-empty",
               (1, 1, "explanation, run tag ALPHA1")),
    _described("too new", T4, MODELS.replace(b"2024", b"2025"), "model-date", (1, 1, "2025-07-15, run tag ALPHA")),
    _described("without a date", T4, MODELS.replace(b"2024-07-15", b"new"), "model-undated", (1, 1, "run tag ALPHA")),
    _case("another run", T1, with_files(**{"two__txt": lambda files: files["run.txt"].replace(b"ALPHA1", b"ALPHA2"),
          "description__txt": lambda _: DESCRIPTION}), "undescribed", (None, None, "ALPHA2"), files=True,
          file="two.txt"),
    _case("answers", T3, lambda files: {"task3.ALPHA": files["task3.ALPHA"]}, "part-missing", (None, None, "ALPHA"),
          files=True),
    # the pilot
    _case("no object", TORT, insert(4, "true"), "instance", (4, None, "true"), as_is="refused"),
    _case("key missing", TORT_TEST, each(r', "court_decision": false', ""), "instance",
          (2, None, "version, tort_id, undisputed_facts, plaintiff_claims, defendant_claims"), as_is="refused"),
    _case("twice", TORT, lambda raw: raw + raw.splitlines(True)[0], "instance-twice", (4, None, "0"), as_is="refused"),
    _case("null", TORT, everywhere('"court_decision": false', '"court_decision": null'), "null-decision",
          (2, None, "1"), as_is="refused"),
    _case("null", RATIONALE, on(1, '"is_accepted": false', '"is_accepted": null'), "null-acceptance",
          (1, None, "0, plaintiff claim 1"), as_is="refused"),
    _case("null among the claims", TORT, on(1, '"is_accepted": false', '"is_accepted": null'), "null-acceptance",
          (1, None, "0, plaintiff claim 1")),
    _case("null among the decisions", TORT, on(3, '"court_decision": true', '"court_decision": null'),
          "null-decision", (3, None, "2"), as_is="refused"),
    _case("all", TORT, each('"court_decision": (true|false)', '"court_decision": null'),
          "no-decisions", as_is="refused"),
    _case("all", TORT, each('"is_accepted": (true|false)', '"is_accepted": null'), "no-acceptances"),
    _case("missing", TORT_TEST, without(2), "instance-missing", (None, None, "1")),
    _case("missing", RATIONALE_GOLD, without(3), "instance-missing", (None, None, "2")),
    _case("another", TORT_TEST, insert(4, instance("3", True, [], [])), "instance-unknown", (4, None, "3")),
    _case("missing", TORT_TEST, on(1, ', {"id": "1", "description": "主張", "is_accepted": false}', ""),
          "claim-missing", (1, None, "0, plaintiff claim 1")),
    _case("another", RATIONALE_GOLD, on(3, '"plaintiff_claims": []',
          '"plaintiff_claims": [{"id": "9", "is_accepted": true}]'), "claim-unknown",
          (3, None, "2, plaintiff claim 9")),
)  # fmt: skip
