"""Cases for the fuzzer: a gold and a run of the examples or of foreign_forms.py, broken at random by their number."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import wraps
from pathlib import Path
from typing import Final

from foreign_forms import ALL, File

import coliee_ir.examples

EXAMPLES: Final = Path(coliee_ir.examples.__file__).parent

#: gold, runs, task
PAIRS: Final = (
    ("task1/gold.json", ("task1/bm25.txt", "task1/dense.txt", "task1/rerank.json"), "1"),
    ("task2/gold.json", ("task2/mono.txt", "task2/rules.csv"), "2"),
    ("task3/gold.xml", ("task3/task3.ALPHA", "task3/task3.BETA"), "3"),
    ("task3-2025/gold.xml", ("task3-2025/task3.ALPHA", "task3-2025/task3-L.ALPHA"), "3"),
    ("task4/gold.xml", ("task4/ALPHA.txt", "task4/BETA.txt"), "4"),
    ("task5/gold.txt", ("task5/ALPHA.txt", "task5/MAJORITY.txt"), "5"),
    ("tort/gold.jsonl", ("tort/ALPHA.jsonl", "tort/BETA.jsonl"), "tort"),
    ("tort/gold.jsonl", ("tort/ALPHA.jsonl", "tort/BETA.jsonl"), "rationale"),
    ("trec/qrels.txt", ("trec/bm25.run", "trec/dense.run"), "trec"),
)

#: what is scored beside the official measures, where the task is one of documents
MEASURES: Final = ("map", "RR", "ndcg", "P_5", "MicroF1", "MicroF1@2", "MacroF2")


@dataclass
class Case:
    """A gold and a run, broken or not."""

    gold: bytes
    run: bytes
    endings: tuple[str, str]
    task: str | None
    other: bytes
    name: str
    steps: list[str] = field(default_factory=list)

    @property
    def measures(self) -> tuple[str, ...]:
        return MEASURES if self.task in ("1", "2", "3", "trec") else ()


Mutator = Callable[[bytes, random.Random], bytes]
MUTATORS: list[Mutator] = []


def made(seed: int, number: int) -> Case:
    """The case of this number."""
    chance = random.Random(f"{seed}:{number}")
    case = _seed(chance)
    for _ in range(chance.choice([1, 1, 1, 2, 2, 3, 5])):
        change = chance.choice(MUTATORS)
        side = "gold" if chance.random() < 0.3 else "run"
        setattr(case, side, change(getattr(case, side), chance))
        case.steps.append(f"{change.__name__} of the {side}")
    return case


def _seed(chance: random.Random) -> Case:
    if chance.random() < 0.3:
        of = chance.choice(ALL)
        while not isinstance(of.gold, File) or not isinstance(of.run, File):
            of = chance.choice(ALL)
        task = of.truth.task if chance.random() < 0.5 else None
        return Case(of.gold.content, of.run.content, (of.gold.ending, of.run.ending), task, of.run.content, of.name)
    gold, runs, task = chance.choice(PAIRS)
    run, other = chance.choice(runs), chance.choice(runs)
    content = (EXAMPLES / run).read_bytes()
    if len(content) > 8000 and not run.endswith(".jsonl"):
        content = b"".join(content.splitlines(keepends=True)[: chance.randrange(20, 200)])
    told = task if task == "rationale" or chance.random() < 0.7 else None
    whole, beside = ((EXAMPLES / name).read_bytes() for name in (gold, other))
    return Case(whole, content, (Path(gold).suffix, Path(run).suffix), told, beside, f"{gold} {run}")


#: words that have meant trouble somewhere
_WORDS: Final = (
    "", "0", "-0", "1", "-1", "1e400", "1e-400", "1e39", "nan", "inf", "-inf", "0x1p3", "1_0", "１", "+5", ".5", "5.",
    "1,5", "99999999999", "10000", "16777217", "16777216", "Y", "N", "yes", "False", "Q0", "q0", "0", "T", "#", "#x",
    "/*", "*/", "/* x */", ".txt", "a.txt", "a.txt.txt", "\ufeff", "\u3000", "\u00a0x", "\u200b", "\0", "\x1b[31m",
    "\x0b", "\x0c", "::error::x", "=1+1", '"', "''", "{", "}", "[", "]", "null", "true", "{}", "[]", '{"a": 1}',
    "<pair>", "</pair>", "<!--", "&amp;", "&#0;", "条", "é", "e\u0301", "x" * 40, "y" * 300, "query_id",
    "doc_id", "score", "rank", "label", "qid", "id", "R01-1-A", "000018", "18", "018.0", "../x", "a,b", "a;b", "a\tb",
    "2.5.1", "1e3", "TAG x",
)  # fmt: skip

#: bytes, words and lines that are put somewhere
_PIECES: Final = (
    b"\0", b"\r", b"\n", b"\t", b" ", b"\x0b", b"\x0c", b"\x1c", b"\x85", b"\xa0", b"\xff", b"\xfe",
    b"\xef\xbb\xbf", b"\xef\xbb\xbf" * 2, b"\xe3\x80\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xc2\xa0",
    b"\x1f\x8b", b"\xc3", b"\xe2\x80\xa8", b"#", b"/*", b"*/", b",", b";", b'"', b"'", b"\\", b"-", b".",
    b" " * 1000, b" CLEAN", b"\x1a", b"\n\n\n", b"# a\n", b" # a b c\n", b"/* a */\n", b"/* a\n", b"a */\n",
    b"/* a */ x\n", b"#\n", b"//\n", b"%\n", b"b */ q1 Q0 d 1 1 t\n",
    b"[" * 50, b"null", b"[[]]", b'{"x": ', b'"a", ', b"<t1>", b"-991",
)  # fmt: skip
_MARK: Final = b"\xef\xbb\xbf"

#: what is replaced, and by what
_REPLACED: Final = (
    (rb"[ \t,]", (b"\t", b" ", b",", b";", b"  ", b" \t ", b", ", b" ,", "\u3000".encode(), "\u00a0".encode(), b"|")),
    (rb"\n", (b"\r\n", b"\r", b"\n\n", b"\n \n", b"\r\r\n", b"\x0b\n", b"\n\r", b"")),
    (rb"(?<=[ \t,\d])\.[0-9]+(?=[ \t,\n])", (b"", b".5")),  # scores become equal
    (rb'[\[\]{}<>",:]|</?\w+', (b"", b"[", b"]", b"{", b"}", b'"', b",", b":", b"<", b"</pair", *_PIECES[-7:])),
    (rb"[^\s,;\"\[\]{}<>:]+", tuple(word.encode() for word in _WORDS)),
)


def lines_of(raw: bytes) -> list[bytes]:
    return raw.split(b"\n")


def mutator(function: Mutator) -> Mutator:
    MUTATORS.append(function)
    return function


LineMutator = Callable[[list[bytes], int, random.Random], object]


def of_lines(function: LineMutator) -> LineMutator:
    """A mutator that changes a list of lines, at one of them."""

    @wraps(function)
    def change(raw: bytes, chance: random.Random) -> bytes:
        lines = lines_of(raw)
        function(lines, chance.randrange(len(lines)), chance)
        return b"\n".join(lines)

    mutator(change)
    return function


@mutator
def something_replaced(raw: bytes, chance: random.Random) -> bytes:
    """A word, a separator, a line end, a bracket or a score by another, at one place or everywhere."""
    pattern, others = chance.choice(_REPLACED)
    places = [*re.finditer(pattern, raw)]
    if not places:
        return raw
    old, new = chance.choice(places), chance.choice([*others, chance.choice(places)[0]])
    if chance.random() < 0.3:
        return re.sub(pattern, lambda _: new, raw)
    return raw.replace(old[0], new) if chance.random() < 0.4 else raw[: old.start()] + new + raw[old.end() :]


@mutator
def something_put_in(raw: bytes, chance: random.Random) -> bytes:
    """Bytes, a comment or blanks: anywhere, over other bytes, or where a line, or every one, begins or ends."""
    piece, at = chance.choice(_PIECES), chance.randrange(len(raw) + 1)
    match chance.choice(["anywhere", "over", "first", "last", "line", "end", "lines", "ends"]):
        case "anywhere":
            return raw[:at] + piece + raw[at:]
        case "over":
            return raw[:at] + piece + raw[at + chance.choice([1, 2, 9]) :]
        case "first":
            return piece + raw
        case "last":
            return raw.rstrip(b"\n") + piece
        case "lines":
            return piece + raw.replace(b"\n", b"\n" + piece)
        case "ends":
            return raw.replace(b"\n", piece + b"\n")
        case "line":
            at = raw.rfind(b"\n", 0, at) + 1
        case _:
            at = raw.find(b"\n", at)
    return raw[:at] + piece + raw[at:]


MUTATORS *= 5  # of these there are many kinds


@of_lines
def a_line_less_or_twice(lines: list[bytes], at: int, chance: random.Random) -> None:
    lines[at : at + 1] = chance.choice([[], [lines[at]] * 2, [lines[at], chance.choice(lines)]])


@of_lines
def lines_moved(lines: list[bytes], at: int, chance: random.Random) -> None:
    lines.insert(chance.randrange(len(lines)), lines.pop(at))
    if chance.random() < 0.5:
        chance.choice([chance.shuffle, list.reverse])(lines)


@of_lines
def a_line_of_another_file(lines: list[bytes], at: int, chance: random.Random) -> None:
    gold, runs, _ = chance.choice(PAIRS)
    lines.insert(at, chance.choice(lines_of((EXAMPLES / chance.choice((gold, *runs))).read_bytes())))


@of_lines
def a_field_changed(lines: list[bytes], one: int, chance: random.Random) -> None:
    """One field of one line, or the same field of every line: taken away, put twice, swapped, or another word."""
    at, way, every = chance.randrange(7), chance.randrange(5), chance.random() < 0.3
    word = chance.choice(_WORDS).encode()
    for number, line in enumerate(lines):
        if line.strip() and (every or number == one):
            separator = next((mark for mark in (b"\t", b" ", b",", b";") if mark in line), b" ")
            fields = line.split(separator)
            here = at % len(fields)
            if way == 0:
                fields.reverse()
            else:
                fields[here : here + 1] = ([fields[here]] * 2, [], [word], [word, fields[here]])[way - 1]
            lines[number] = separator.join(fields)


@mutator
def begun_late_or_cut_short(raw: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(raw) + 1)
    return chance.choice([raw[:at], raw[min(at, 200) :]])


@mutator
def a_bit_flipped(raw: bytes, chance: random.Random) -> bytes:
    changed = bytearray(raw)
    for _ in range(chance.choice([1, 1, 3]) if raw else 0):
        changed[chance.randrange(len(raw))] ^= 1 << chance.randrange(8)
    return bytes(changed)


@mutator
def an_encoding(raw: bytes, chance: random.Random) -> bytes:
    text = raw.decode("utf-8", errors="replace")
    if chance.random() < 0.5:
        text = text.replace(chance.choice(["0", "1", "R", "d"]), chance.choice(["é", "条", "０"]), 1)
    codec = chance.choice(["utf-16", "utf-16-le", "utf-8-sig", "shift_jis", "latin-1", "utf-7"])
    return text.encode(codec, errors="replace")


@mutator
def a_header(raw: bytes, chance: random.Random) -> bytes:
    names = ["query_id", "doc_id", "score", "rank", "label", "qid", "docno", "prediction", "Q0", "tag", "id", "x"]
    chosen = chance.sample(names, chance.randrange(2, 7))
    return chance.choice([" ", "\t", ",", ";"]).join(chosen).encode() + b"\n" + raw


@mutator
def nothing_left_or_all_twice(raw: bytes, chance: random.Random) -> bytes:
    return chance.choice([b"", b"\n", b" ", _MARK, b"\0", b"{}", b"[]", b"#\n", _MARK + _MARK + b"\n", raw + raw])


def damaged(content: bytes, chance: random.Random) -> bytes:
    """Packed data that some bytes were changed in, often where lists of contents stand, or that end early."""
    raw = bytearray(content)
    for _ in range(chance.choice([1, 1, 1, 2, 3, 8])):
        at = chance.randrange(0 if chance.random() < 0.6 else max(len(raw) - 800, 0), len(raw))
        match chance.choice(["bit", "bit", "byte", "bytes", "zeros", "cut", "tail", "twice"]):
            case "bit":
                raw[at] ^= 1 << chance.randrange(8)
            case "byte":
                raw[at] = chance.choice([0, 1, 0x7F, 0x80, 0xFF, chance.randrange(256)])
            case "bytes":
                raw[at : at + 8] = chance.randbytes(len(raw[at : at + 8]))
            case "zeros":
                end = min(at + chance.choice([4, 16, 512]), len(raw))
                raw[at:end] = bytes(end - at)
            case "cut":
                del raw[max(at, 1) :]
            case "tail":
                raw += chance.randbytes(chance.choice([1, 22, 512]))
            case _:
                raw[at:at] = raw[at : at + chance.choice([1, 30, 512])]
    return bytes(raw)
