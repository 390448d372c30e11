"""Cases for the fuzzer: a gold and a run of the examples or of foreign_forms.py, broken at random by their number."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
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


def mutator(function: Mutator) -> Mutator:
    MUTATORS.append(function)
    return function


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
        of = chance.choice([case for case in ALL if isinstance(case.gold, File) and isinstance(case.run, File)])
        assert isinstance(of.gold, File)
        assert isinstance(of.run, File)
        task = of.truth.task if chance.random() < 0.5 else None
        endings = of.gold.ending, of.run.ending
        return Case(of.gold.content, of.run.content, endings, task, of.run.content, of.name)
    gold, runs, task = chance.choice(PAIRS)
    run = chance.choice(runs)
    content = (EXAMPLES / run).read_bytes()
    if len(content) > 8000 and not run.endswith(".jsonl"):
        content = b"".join(content.splitlines(keepends=True)[: chance.randrange(20, 200)])
    return Case(
        (EXAMPLES / gold).read_bytes(),
        content,
        (Path(gold).suffix, Path(run).suffix),
        task if task == "rationale" or chance.random() < 0.7 else None,
        (EXAMPLES / chance.choice(runs)).read_bytes(),
        f"{gold} {run}",
    )


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

_BYTES: Final = (
    b"\0", b"\r", b"\n", b"\t", b" ", b"\x0b", b"\x0c", b"\x1c", b"\x85", b"\xa0", b"\xff", b"\xfe", b"\xef\xbb\xbf",
    b"\xe3\x80\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"#", b"/*", b"*/", b",", b";", b'"', b"'", b"\\", b"-",
    b".", b"\x1f\x8b", b"\xc3", b"\xe2\x80\xa8",
)  # fmt: skip


def lines_of(raw: bytes) -> list[bytes]:
    return raw.split(b"\n")


def _word(raw: bytes, chance: random.Random) -> bytes:
    """A word that has meant trouble, or one of the file's own."""
    own = re.findall(rb"[^\s,;\"\[\]{}<>:]+", raw[:20000])
    return chance.choice(own) if own and chance.random() < 0.4 else chance.choice(_WORDS).encode("utf-8")


LineMutator = Callable[[list[bytes], int, random.Random], object]


def of_lines(function: LineMutator) -> LineMutator:
    """A mutator that changes a list of lines, at one of them."""

    def change(raw: bytes, chance: random.Random) -> bytes:
        lines = lines_of(raw)
        function(lines, chance.randrange(len(lines)), chance)
        return b"\n".join(lines)

    change.__name__ = function.__name__
    MUTATORS.append(change)
    return function


@of_lines
def a_line_less_or_twice(lines: list[bytes], at: int, chance: random.Random) -> None:
    lines[at : at + 1] = chance.choice([[], [lines[at]] * 2, [lines[at], chance.choice(lines)]])


@of_lines
def lines_moved(lines: list[bytes], at: int, chance: random.Random) -> None:
    other = chance.randrange(len(lines))
    lines[at], lines[other] = lines[other], lines[at]
    if chance.random() < 0.5:
        chance.choice([chance.shuffle, list.reverse])(lines)


@of_lines
def a_line_of_another_file(lines: list[bytes], at: int, chance: random.Random) -> None:
    gold, runs, _ = chance.choice(PAIRS)
    lines.insert(at, chance.choice(lines_of((EXAMPLES / chance.choice((gold, *runs))).read_bytes())))


@of_lines
def a_field_changed(lines: list[bytes], one: int, chance: random.Random) -> None:
    """One field of one line, or the same field of every line: taken away, put twice, swapped, or another word."""
    at, word = chance.randrange(7), _word(b"\n".join(lines), chance)
    ways: Sequence[Callable[[list[bytes]], object]] = (
        lambda fields: fields.pop(at % len(fields)),
        lambda fields: fields.insert(at % len(fields), fields[at % len(fields)]),
        lambda fields: fields.reverse(),
        lambda fields: fields.__setitem__(at % len(fields), word),
        lambda fields: fields.insert(at % (len(fields) + 1), word),
    )
    way, every = chance.choice(ways), chance.random() < 0.3
    for number, line in enumerate(lines):
        if line.strip() and (every or number == one):
            separator = next((mark for mark in (b"\t", b" ", b",", b";") if mark in line), b" ")
            fields = line.split(separator)
            way(fields)
            lines[number] = separator.join(fields)


@of_lines
def blanks_around(lines: list[bytes], one: int, chance: random.Random) -> None:
    blank = chance.choice([b" ", b"\t", b"  ", b"\x0b", b"\xc2\xa0", b" " * 1000])
    every = chance.random() < 0.4
    for number, line in enumerate(lines):
        if every or number == one:
            lines[number] = blank + line if chance.random() < 0.5 else line + blank


@of_lines
def a_comment(lines: list[bytes], at: int, chance: random.Random) -> None:
    marks = [b"# a", b" # a b c", b"/* a */", b"/* a", b"a */", b"/* a */ x", b"/*", b"*/", b"#", b"//", b"%"]
    lines.insert(at, chance.choice(marks))
    if chance.random() < 0.4:
        lines.insert(chance.randrange(len(lines)), chance.choice([b"*/", b"b */ q1 Q0 d 1 1 t", b"/* x */"]))


@of_lines
def a_tag_of_two_words(lines: list[bytes], at: int, chance: random.Random) -> None:
    stop = chance.choice([1, len(lines), at + 1])
    lines[:stop] = [line + b" CLEAN" if line else line for line in lines[:stop]]


@of_lines
def byte_order_marks(lines: list[bytes], at: int, chance: random.Random) -> None:
    at, mark = chance.choice([0, at]), b"\xef\xbb\xbf"
    lines[at] = mark * chance.choice([1, 2, 3]) + lines[at]


@mutator
def begun_late_or_cut_short(raw: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(raw) + 1)
    return chance.choice([raw[:at], raw[min(at, 200) :]])


@mutator
def a_word_replaced(raw: bytes, chance: random.Random) -> bytes:
    words = re.findall(rb"[^\s,;\"\[\]{}<>:]+", raw)
    if not words:
        return raw
    old, new = chance.choice(words), _word(raw, chance)
    if chance.random() < 0.5:
        return raw.replace(old, new)
    places = [match.start() for match in re.finditer(re.escape(old), raw)]
    at = chance.choice(places)
    return raw[:at] + new + raw[at + len(old) :]


@mutator
def a_byte_changed(raw: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(raw) + 1)
    end = min(len(raw), at + chance.choice([0, 0, 1, 1, 2, 9]))
    return raw[:at] + (chance.choice(_BYTES) if chance.random() < 0.8 else b"") + raw[end:]


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
def another_separator(raw: bytes, chance: random.Random) -> bytes:
    old = chance.choice([b" ", b"\t", b","])
    new = chance.choice([b"\t", b",", b";", b"  ", b" \t ", b", ", b" ,", "\u3000".encode(), "\u00a0".encode(), b"|"])
    if chance.random() < 0.5:
        return raw.replace(old, new)
    start = chance.randrange(len(raw) + 1)
    return raw[:start] + raw[start:].replace(old, new, 3)


@mutator
def other_line_ends(raw: bytes, chance: random.Random) -> bytes:
    end = chance.choice([b"\r\n", b"\r", b"\n\n", b"\n \n", b"\r\r\n", b"\x0b\n", b"\n\r"])
    if chance.random() < 0.5:
        return raw.replace(b"\n", end)
    at = [match.start() for match in re.finditer(rb"\n", raw)]
    place = chance.choice(at) if at else len(raw)
    return raw[:place] + end + raw[place + 1 :]


@mutator
def no_last_line_end(raw: bytes, chance: random.Random) -> bytes:
    return raw.rstrip(b"\n") + chance.choice([b"", b" ", b"\r", b"\n\n\n", b"\x1a"])


@mutator
def a_header(raw: bytes, chance: random.Random) -> bytes:
    names = ["query_id", "doc_id", "score", "rank", "label", "qid", "docno", "prediction", "Q0", "tag", "id", "x"]
    width = chance.choice([2, 3, 4, 5, 6])
    return chance.choice([" ", "\t", ",", ";"]).join(chance.sample(names, width)).encode() + b"\n" + raw


@mutator
def equal_scores(raw: bytes, chance: random.Random) -> bytes:
    digits = chance.choice([0, 1])
    return re.sub(rb"(?<=[ \t,])(-?[0-9]+)\.([0-9]+)(?=[ \t,\n])", rb"\1" if digits == 0 else rb"\1.5", raw)


@mutator
def brackets(raw: bytes, chance: random.Random) -> bytes:
    """What JSON and XML are made of, moved about."""
    marks = [match.span() for match in re.finditer(rb'[\[\]{}<>",:]|</?\w+', raw)]
    if not marks:
        return raw
    (first, last), other = chance.choice(marks), chance.choice(marks)
    new = chance.choice(
        [b"", raw[other[0] : other[1]], b"[" * 50, b"null", b"[[]]", b'{"x": ', b'"a", ', b"<t1>", b"-991"]
    )
    return raw[:first] + new + raw[last:]


@mutator
def nothing_left_or_all_twice(raw: bytes, chance: random.Random) -> bytes:
    mark = b"\xef\xbb\xbf"
    return chance.choice([b"", b"\n", b" ", mark, b"\0", b"{}", b"[]", b"#\n", mark + mark + b"\n", raw + raw])


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
