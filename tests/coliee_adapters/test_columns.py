from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from asserting import heard
from hypothesis import given
from hypothesis import strategies as st

from coliee_adapters.errors import InputError, quoted
from coliee_adapters.files.source import Source
from coliee_adapters.forms import columns
from coliee_adapters.forms.columns import SIX_COLUMNS, THREE_COLUMNS, Layout, first_tag, read_blocks
from coliee_adapters.ids import Ids
from coliee_adapters.records import IdRule, exact_id, normal_id
from coliee_adapters.remarks import Remarks

LAYOUTS = {"three": THREE_COLUMNS, "six": SIX_COLUMNS}
BLOCKS = (7, 16, 64, 1 << 16)
EXPECTED = {
    "three": "expected 3 columns: QUERY DOCUMENT TAG",
    "six": "expected 6 columns: QUERY Q0 DOCUMENT RANK SCORE TAG",
}
NOT_FINITE = "…"
NO_NUL = "…"


class Line(NamedTuple):
    """A line that was read: with its query, instead of its place in a segment."""

    query: str
    document: str
    score: float | None
    rank: str | None


Outcome = tuple[list[Line], Remarks] | str


def as_number(rank: str | None) -> str | None:
    """A rank without leading zeros, which the fast lane does not keep."""
    return str(int(rank)) if rank is not None and re.fullmatch("[0-9]{1,18}", rank) else rank


def read(source: Source, layout: Layout, rule: IdRule = exact_id) -> Outcome:
    """What the reader makes of a file: its lines and remarks, or what it says."""
    lines: list[Line] = []
    remarks = Remarks()
    try:
        for block in read_blocks(source, layout, rule):
            assert block.starts[-1] == len(block.documents)
            assert len(block.starts) == len(block.queries) + 1
            assert not block.documents or block.starts[0] == 0
            for query, first, last in block.segments():
                assert first < last
                for at in range(first, last):
                    score = None if block.scores is None else block.scores[at]
                    rank = None if block.ranks is None else as_number(str(block.ranks[at]))
                    lines.append(Line(query, block.documents[at], score, rank))
            remarks += block.remarks or Remarks()
    except InputError as error:
        return heard(error)
    return lines, remarks


def twin(content: str, name: str, layout: Layout, rule: IdRule) -> Outcome:
    """The naive reader: the whole text at once, no lanes, no blocks, no care for speed."""
    text = content.removeprefix("\ufeff")
    blank, width = r"[ \t\v\f\r]", len(layout.columns)
    while comment := re.search(rf"^{blank}*/\*(.*?)\*/", text, re.MULTILINE | re.DOTALL):
        text = text[: comment.start()] + "\n" * comment[0].count("\n") + text[comment.end() :]
    body, unclosed, _ = (*re.split(rf"^{blank}*(/\*)", text, maxsplit=1, flags=re.MULTILINE), "", "")[:3]
    lines, remarks, tags = [], Remarks(), []
    as_written = content.removeprefix("\ufeff").split("\n")
    for number, line in enumerate(body.split("\n"), start=1):
        if re.match(rf"{blank}*(#|$)", line):
            if comment_line := as_written[number - 1].strip(" \t\v\f\r"):
                remarks.add("comment", f"line {number}: {comment_line}")
            continue
        where, line = f"{name}, line {number}", line.strip(" \t\v\f\r")
        if "\r" in line:
            return (f"{where}: [encoding] (found {quoted(line)})")  # fmt: skip
        fields = re.split(f"{blank}+", line)
        tags.append(" ".join(fields[width - 1 :]))
        if len(fields) >= width == 3 and rule is normal_id and re.search("[,;]", fields[1]):
            return (f"{where}: [bad-id] (found {line!r}); … {EXPECTED['three']} …")  # fmt: skip
        if len(fields) < width or (len(fields) > width == 3 and tags[-1] != tags[0]):
            count = f"{len(fields)} columns" if len(fields) > 1 else "1 column"
            advice = "…" if len(fields) == width - 1 else ""
            return (
                f"{where}: {count} (found {quoted(line)}); expected {width} columns: {' '.join(layout.columns)}{advice}"
            )
        if len(fields) > width:
            is_score = layout is SIX_COLUMNS and re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", fields[5])
            remarks.add("columns-beyond" if is_score else "tag-words", f"line {number}: {tags[-1]}")
        if tags[-1].split(" ")[0] != tags[0].split(" ")[0]:
            remarks.add("tag", f"line {number}: {tags[-1]}")
        if layout is SIX_COLUMNS and fields[4] == "e":  # of what is drawn, the only text that is no number
            return f"{where}: [bad-score] (found 'e'); {NOT_FINITE}"
        score, rank = (float(fields[4]), fields[3]) if layout is SIX_COLUMNS else (None, None)
        lines.append(Line(rule(fields[0]), rule(fields[layout.document]), score, rank))
    if unclosed:
        return f"{name}, line {body.count(chr(10)) + 1}: [syntax]"
    return (lines, remarks) if lines else f"{name}: [empty]; {EXPECTED_OF[width]}"


EXPECTED_OF = {len(layout.columns): EXPECTED[name] for name, layout in LAYOUTS.items()}

# files as they might be: ids and tags from few letters, so that they repeat
_BODY = st.text("a0-_ü民#*/\xa0\u3000", max_size=3)
_QUERIES = st.builds("".join, st.tuples(st.sampled_from("ab1民"), _BODY, st.sampled_from(["", ".txt", "\xa0"])))
_DOCUMENTS = st.builds("".join, st.tuples(st.sampled_from("ab1#/\xa0"), _BODY, st.sampled_from(["", ".txt", "\x1f"])))
_SCORES = st.sampled_from(["1", "-0.5", "2e3", "1e-400", ".5", "5.", "+1", "0"]) | st.floats(
    allow_nan=False, allow_infinity=False
).map(repr)
_TAGS = st.sampled_from(["T", "T", "T", "T", "U", "民", "#T"])
_BLANKS = st.sampled_from([" "] * 9 + ["  ", "\t", " \t ", "\v", "\f "])
_ENDS = st.sampled_from([""] * 9 + [" ", "\t", "  ", "\r", " \r", "\r\r", "\f"])
_COMMENTS = st.sampled_from(
    [
        "",
        " ",
        "\t\r",
        "# a",
        " #",
        "/* a */",
        "/* a\nb c d */",
        "\t/*\n# */ # */",
        "/* a\n\n*/ /* b\n*/",
        "/*/ */",
        "/*\nb d T\nb Q0 d 1 1 T\n*/",
    ]
)
_BAD = st.sampled_from(["a", "a b c d e f g h", "a\rb c d e f", "/* a", "a b\rT"])


@st.composite
def files(draw: st.DrawFn, name: str, clean: bool) -> str:
    """The text of a run file: clean ones go through the fast lane, the others hold what real files may hold."""
    tag = draw(st.sampled_from(["T", "T", "my own tag"])) if not clean else "T"
    blanks = st.just(" ") if clean else _BLANKS
    queries = draw(st.lists(_QUERIES, min_size=1, max_size=3))
    text = draw(st.sampled_from(["", "\ufeff"]))
    for at in range(draw(st.integers(0 if not clean else 1, 12))):
        if not clean and draw(st.integers(0, 4)) == 0:
            text += draw(_BAD if draw(st.integers(0, 9)) == 0 else _COMMENTS) + "\n"
        fields = [draw(st.sampled_from(queries)), draw(_DOCUMENTS), draw(_TAGS.map(lambda t: tag if t == "T" else t))]
        if draw(st.integers(0, 20)) == 0:
            fields[1] += ","
        if name == "six":
            fields[1:2] = ["Q0", fields[1], draw(st.sampled_from([str(at), "1", "x"])), draw(_SCORES)]
        prefix, end = ("", "") if clean else (draw(st.sampled_from(["", "", "", " ", "\t"])), draw(_ENDS))
        if not clean and draw(st.integers(0, 9)) == 0:
            prefix += draw(st.sampled_from(["/* a */", "/* a\n */ "]))
        text += prefix + "".join(field + draw(blanks) for field in fields[:-1]) + fields[-1] + end + "\n"
    return text.removesuffix("\n") if draw(st.booleans()) else text


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("columns") / "run.txt"


def readings(path: Path, content: bytes, layout: Layout, rule: IdRule = exact_id) -> Iterator[Outcome]:
    """What is read in blocks of every size, through both lanes and through the careful one alone."""
    path.write_bytes(content)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(path.parent)
        for careful in (False, True):
            if careful:
                patch.setattr(columns.Reader, "regular", lambda *_, **__: None)
            for size in BLOCKS:
                patch.setattr(columns, "_SIZES", (size, 0))
                yield read(Source(path.name, lenient=True), layout, rule)


@pytest.mark.parametrize("clean", [True, False])
@pytest.mark.parametrize("name", LAYOUTS)
@given(data=st.data(), rule=st.sampled_from([exact_id, normal_id]))
def test_any_file_is_read_as_its_naive_twin_reads_it(
    path: Path, name: str, clean: bool, data: st.DataObject, rule: IdRule
) -> None:
    text = data.draw(files(name, clean))
    if text.removeprefix("\ufeff").encode().strip():
        expected = twin(text, path.name, LAYOUTS[name], rule)
        for outcome in readings(path, text.encode(), LAYOUTS[name], rule):
            assert outcome == expected


@given(texts=st.lists(st.text("ab\u00e9", min_size=1, max_size=40), min_size=1), data=st.data())
def test_ids_are_compared_with_a_text_as_texts_are(texts: list[str], data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(texts) | st.text("ab", min_size=1, max_size=40))
    assert columns._equal(Ids.of(texts), text).tolist() == [one == text for one in texts]


# the fast lane

REGULAR = {
    "three": "q1 d1 T\nq1 d2 U\nq1 d3 T\nq2 d1 T\nq3 d9 T\nq1 d4 T\n",
    "six": "q1 Q0 d1 1 9 T\nq1 Q0 d2 2 8.5 U\nq1 Q0 d3 3 7 T\nq2 Q0 d1 1 1e3 T\nq3 Q0 d9 1 -1 T\nq1 Q0 d4 4 .5 T\n",
}
VARIANTS: dict[str, Callable[[str], str]] = {
    "as it stands": lambda text: text,
    "no final newline": lambda text: text[:-1],
    "tabs": lambda text: text.replace(" ", "\t"),
    "runs of blanks": lambda text: text.replace(" ", "  \t "),
    "blanks at line ends": lambda text: text.replace("\n", "  \n"),
    "blanks at line starts": lambda text: text.replace("q", " \tq"),
    "blank lines": lambda text: "\n" + text.replace("U", "T").replace("\n", "\n\n \n"),
    "CRLF": lambda text: text.replace("\n", "\r\n"),
    "byte order mark": lambda text: "\ufeff" + text,
    "non-ASCII ids": lambda text: text.replace("d", "民\xa0法").replace("q", "ü"),
    "signs of comments within": lambda text: text.replace("d", "#d/*").replace("T", "#T"),
}


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("name", LAYOUTS)
def test_what_is_regular_or_nearly_so_takes_the_fast_lane(
    path: Path, monkeypatch: pytest.MonkeyPatch, name: str, variant: str
) -> None:
    monkeypatch.setattr(columns.Reader, "_careful", lambda *_: pytest.fail("the careful lane"))
    text = VARIANTS[variant](REGULAR[name])
    path.write_text(text, encoding="utf-8", newline="")
    assert heard(read(Source(path), LAYOUTS[name])) == twin(text, str(path), LAYOUTS[name], exact_id)


@pytest.mark.parametrize("start", ["", "# the careful lane\n"])
def test_a_block_is_split_where_the_query_changes(path: Path, start: str) -> None:
    path.write_text(start + REGULAR["three"], encoding="utf-8")
    (block,) = read_blocks(Source(path), THREE_COLUMNS)
    assert list(block.queries) == ["q1", "q2", "q3", "q1"]
    assert list(block.starts) == [0, 3, 4, 5, 6]
    assert list(block.documents) == ["d1", "d2", "d3", "d1", "d9", "d4"]
    assert (block.scores, block.ranks) == (None, None)
    assert block.remarks is not None
    assert block.remarks.examples("tag") == (f"line {2 + bool(start)}: U",)


def test_regular_lines_within_a_comment_are_none(path: Path) -> None:
    text = "q a T\n/*\n" + "q b T\n" * 40 + "*/\nq c T\n"
    expected = Remarks()
    for number, line in enumerate(["/*", *["q b T"] * 40, "*/"], start=2):
        expected.add("comment", f"line {number}: {line}")
    for outcome in readings(path, text.encode(), THREE_COLUMNS):
        assert not isinstance(outcome, str)
        assert outcome[0] == [Line("q", "a", None, None), Line("q", "c", None, None)]
        assert outcome[1] == expected


def test_a_block_of_blank_lines_holds_nothing(path: Path) -> None:
    for content in (b"\n" * 99 + b"q d T\n", b"q d T\n" + b" \n" * 99, b"q d T" + b"\n" * 99):
        for outcome in readings(path, content, THREE_COLUMNS):
            assert outcome == ([Line("q", "d", None, None)], Remarks())


def test_ids_are_normalised_alike_in_every_block(path: Path) -> None:
    text = "".join(f"{q} {d} T\n" for q in ("q", "q.txt", "q\xa0") for d in ("d", "d.txt", "d\x1f", "\u3000d", "d.TXT"))
    expected = [Line("q", document, None, None) for _ in range(3) for document in ("d", "d", "d", "d", "d.TXT")]
    for outcome in readings(path, text.encode(), THREE_COLUMNS, normal_id):
        assert outcome == (expected, Remarks())


_DIGITS = st.text("0123456789", max_size=20) | st.sampled_from(["9007199254740993", "000", "0" * 25 + "1"])
_DECIMALS = st.tuples(st.sampled_from(["", "-", "+"]), _DIGITS, st.sampled_from(["", "."]), _DIGITS).map("".join)


@given(st.lists(_DECIMALS.filter(lambda text: text.strip("+-.") != ""), min_size=1, max_size=8))
def test_a_score_is_the_number_nearest_to_its_text(path: Path, texts: list[str]) -> None:
    lines = "".join(f"q Q0 d{at} {at} {text} T\n" for at, text in enumerate(texts))
    for outcome in readings(path, lines.encode(), SIX_COLUMNS):
        assert isinstance(outcome, tuple)
        assert [float(line.score).hex() for line in outcome[0]] == [float(text).hex() for text in texts]


def test_scores_whose_sum_is_not_finite_are_finite(path: Path) -> None:
    text = "q Q0 a 1 1e308 T\nq Q0 b 2 1e308 T\nq Q0 c 3 -1e308 T\n"
    for outcome in readings(path, text.encode(), SIX_COLUMNS):
        assert isinstance(outcome, tuple)
        assert [line.score for line in outcome[0]] == [1e308, 1e308, -1e308]


def test_a_line_may_be_longer_than_a_block(path: Path) -> None:
    long = "d" * (max(BLOCKS) + 5000)
    for outcome in readings(path, f"q {long} T\nq d T".encode(), THREE_COLUMNS):
        assert outcome == ([Line("q", long, None, None), Line("q", "d", None, None)], Remarks())


# what cannot be read

GOOD = {"three": "q{0} d{0} T", "six": "q{0} Q0 d{0} {0} {0}.5 T"}
COMMAS = "…"
TAG = "…"

BAD_LINES: dict[str, list[tuple[str, str]]] = {
    "three": [
        ("q", "1 column (found 'q'); {0}"),
        ("q,d,T", f"1 column (found 'q,d,T'); {{0}}{COMMAS}"),
        ("q;d;T", f"1 column (found 'q;d;T'); {{0}}{COMMAS}"),
        ("q d", f"2 columns (found 'q d'); {{0}}{TAG}"),
        ("q,d; T", f"2 columns (found 'q,d; T'); {{0}}{TAG}"),
        (" d T", f"2 columns (found 'd T'); {{0}}{TAG}"),
        ("q  T", f"2 columns (found 'q  T'); {{0}}{TAG}"),
        ("q d ", f"2 columns (found 'q d'); {{0}}{TAG}"),
        ("q d T x", "4 columns (found 'q d T x'); {0}"),
        ("q d\vx T", r"4 columns (found 'q d\x0bx T'); {0}"),
        ("q d T\fx", r"4 columns (found 'q d T\x0cx'); {0}"),
        ("q Q0 d 1 0.5 T", "6 columns (found 'q Q0 d 1 0.5 T'); {0}"),
        ("/* a */ q d", f"2 columns (found 'q d'); {{0}}{TAG}"),
        ("q d\rT", "[encoding] (found 'q d\\rT')"),
        ("q d T\0", f"[encoding]; {NO_NUL}"),
        ("q \x1b[2J", rf"2 columns (found 'q \x1b[2J'); {{0}}{TAG}"),
    ],
    "six": [
        ("q d T", "3 columns (found 'q d T'); {0}"),
        ("q Q0 d 1 0.5", f"5 columns (found 'q Q0 d 1 0.5'); {{0}}{TAG}"),
        ("q Q0 d 1 0.5 ", f"5 columns (found 'q Q0 d 1 0.5'); {{0}}{TAG}"),
        (" Q0 d 1 0.5 T", f"5 columns (found 'Q0 d 1 0.5 T'); {{0}}{TAG}"),
        ("q  d 1 0.5 T", f"5 columns (found 'q  d 1 0.5 T'); {{0}}{TAG}"),
        ("q Q0  1 0.5 T", f"5 columns (found 'q Q0  1 0.5 T'); {{0}}{TAG}"),
        ("q Q0 d  0.5 T", f"5 columns (found 'q Q0 d  0.5 T'); {{0}}{TAG}"),
        ("q Q0 d 1  T", f"5 columns (found 'q Q0 d 1  T'); {{0}}{TAG}"),
        *(
            (f"q Q0 d 1 {score} T", f"[bad-score] (found '{score}'); {NOT_FINITE}")
            for score in ("nan", "NaN", "inf", "-inf", "Infinity", "1e400", "-1e999", "1_0", "1e1_0", "0x10", "1,5",
                          "--1", "1.0.0", "x", "١٢", "１", "1²", "½")
        ),
        ("q Q0 d 1 \xa05 T", f"[bad-score] (found '\\xa05'); {NOT_FINITE}"),
        ("q Q0 d 1 5\u3000 T", f"[bad-score] (found '5\\u3000'); {NOT_FINITE}"),
        ("q Q0 d 1 0.5\0 T", f"[encoding]; {NO_NUL}"),
    ],
}  # fmt: skip
MALFORMED = [(name, line, message) for name, lines in BAD_LINES.items() for line, message in lines]


@pytest.mark.parametrize("name", LAYOUTS)
def test_byte_order_marks_are_left_out_at_the_start_of_a_line_and_refused_within(path: Path, name: str) -> None:
    first, second, third = (GOOD[name].format(n) for n in (1, 2, 3))
    plain = f"{first}\n{second}\n{third}\n".encode()
    path.write_bytes(plain)
    expected = read(Source(str(path)), LAYOUTS[name], exact_id)
    marked = f"\ufeff\ufeff{first}\n{second}\r\n\ufeff{third}\n".encode()
    assert all(outcome == expected for outcome in readings(path, marked, LAYOUTS[name]))
    for outcome in readings(path, plain.replace(b"d2", "d\ufeff2".encode()), LAYOUTS[name]):
        assert heard(outcome).startswith("run.txt, line 2: [encoding] (found ")


@pytest.mark.parametrize(("name", "bad", "message"), MALFORMED)
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_a_malformed_line_is_told_with_its_number_wherever_it_stands(
    path: Path, name: str, bad: str, message: str, ending: str
) -> None:
    for at in (1, 2, 17, 30):
        lines = [GOOD[name].format(n) for n in range(1, 30)]
        lines.insert(at - 1, bad)
        if at == 1 and len(bad.split()) > len(LAYOUTS[name].columns):
            continue  # the words in excess are those of the tag; the other lines have another one
        expected = f"run.txt, line {at}: {message.format(EXPECTED[name])}"
        for outcome in readings(path, ending.join(lines).encode(), LAYOUTS[name]):
            assert outcome == expected


@pytest.mark.parametrize("name", ["three"])
@given(first=st.integers(1, 12), gap=st.integers(1, 4), short_first=st.booleans(), last=st.booleans())
def test_a_column_missing_here_and_one_too_many_there_do_not_make_up(
    path: Path, name: str, first: int, gap: int, short_first: bool, last: bool
) -> None:
    lines = [GOOD[name].format(n) for n in range(1, 15)]
    if first + gap > len(lines):
        return
    longer = "q " + GOOD[name].format(0) if last else GOOD[name].format(0) + " x"
    short, long = GOOD[name].format(0).removesuffix(" T"), longer
    lines[first - 1], lines[first + gap - 1] = (short, long) if short_first else (long, short)
    content = "\n".join(["a" + GOOD[name].format(0), *lines]).encode() + b"\n"
    count = len(LAYOUTS[name].columns) + (-1 if short_first else 1)
    found = lines[first - 1]
    advice = TAG if short_first else ""
    expected = f"run.txt, line {first + 1}: {count} columns (found '{found}'); {EXPECTED[name]}{advice}"
    for outcome in readings(path, content, LAYOUTS[name]):
        assert heard(outcome) == expected


@given(st.integers(1, 9), st.sampled_from([b"\xff", b"\xe6\xb0", b"\xc0\xaf", b"\xed\xa0\x80", b"\x96\xaf"]))
def test_bytes_that_are_not_utf8_are_told_with_their_line(path: Path, at: int, broken: bytes) -> None:
    lines = [f"q d{n} T".encode() for n in range(9)]
    lines[at - 1] = b"q d" + broken + b"z T"
    for outcome in readings(path, b"\n".join(lines), THREE_COLUMNS):
        assert isinstance(outcome, str)
        assert heard(outcome).startswith(f"run.txt, line {at}: [encoding] (found '\\x{broken[0]:x}")
        assert heard(outcome).endswith("; …")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("# a\n\n/* b\n*/\n", ": [empty]; expected 3 columns: QUERY DOCUMENT TAG"),
        ("q d T\n /* a\nq d T\n", ", line 2: [syntax]"),
        ("q d T\nq d T\n/*", ", line 3: [syntax]"),
        ("001 013 T\r001 014 T\r", ", line 1: [encoding] (found '001 013 T\\r001 014 T')"),
    ],
)  # fmt: skip
def test_a_file_that_holds_no_whole_line_is_refused(path: Path, text: str, message: str) -> None:
    for outcome in readings(path, text.encode(), THREE_COLUMNS):
        assert heard(outcome) == f"run.txt{message}"


def test_an_error_waits_until_its_block_is_asked_for(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns, "_SIZES", (6, 0))
    path.write_text("q d T\nq\n", encoding="utf-8")
    blocks = read_blocks(Source(path), THREE_COLUMNS)
    assert list(next(blocks).documents) == ["d"]
    with pytest.raises(InputError, match="line 2: 1 column"):
        next(blocks)


# the tag of a run


@pytest.mark.parametrize(
    ("text", "tag"),
    [
        ("q d T\n", "T"),
        ("q d T", "T"),
        ("\ufeff\n# a\n/* b\n*/ q\td\tmy own tag\nq d U", "my own tag"),
        ("q d\nq d T", ""),
        ("# a\n", ""),
        ("q d 民\r\n", "民"),
    ],
)
def test_the_first_tag_is_all_the_words_of_the_first_content_line(path: Path, text: str, tag: str) -> None:
    path.write_text(text, encoding="utf-8", newline="")
    assert first_tag(Source(path), THREE_COLUMNS) == tag


def sum_of(kinds: dict[str, tuple[str, ...]]) -> Remarks:
    remarks = Remarks()
    for kind, examples in kinds.items():
        for example in examples:
            remarks.add(kind, example)
    return remarks


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("q d T\nq d U\nq d T\n", {"tag": ("line 2: U",)}),
        ("q d my tag\nq d my tag\n", {"tag-words": ("line 1: my tag", "line 2: my tag")}),
        ("q d my tag\nq d my\n", {"tag-words": ("line 1: my tag",)}),
        ("q 037 my tag\nq my tag\n", {"tag-words": ("line 1: my tag",), "tag": ("line 2: tag",)}),
        ("\n\nq d T\n\nq d U\n", {"tag": ("line 5: U",)}),
    ],
)
def test_tags_that_differ_or_have_several_words_are_remarked(
    path: Path, text: str, kinds: dict[str, tuple[str, ...]]
) -> None:
    for outcome in readings(path, text.encode(), THREE_COLUMNS):
        assert isinstance(outcome, tuple)
        assert outcome[1] == sum_of(kinds)


# what trec_eval reads


def test_words_behind_the_tag_of_six_columns_may_differ_from_line_to_line(path: Path) -> None:
    """NIST's results.trunc has such lines, and trec_eval reads the first word."""
    text = "q Q0 a 1 3 T more junk\nq Q0 b 2 2 T\nq Q0 c 3 1 T end of line.\nq Q0 d 4 0 U x\n"
    expected = Remarks()
    for number, tag in ((1, "T more junk"), (3, "T end of line."), (4, "U x")):
        expected.add("tag-words", f"line {number}: {tag}")
    expected.add("tag", "line 4: U x")
    for outcome in readings(path, text.encode(), SIX_COLUMNS):
        assert not isinstance(outcome, str)
        assert [line.document for line in outcome[0]] == ["a", "b", "c", "d"]
        assert outcome[1] == expected


def test_a_number_where_the_tag_of_several_words_begins_shows_a_column_too_many(path: Path) -> None:
    text = "q Q0 a x 1 3.5 T\nq Q0 b x 2 2.5 T\n"
    for outcome in readings(path, text.encode(), SIX_COLUMNS):
        assert not isinstance(outcome, str)
        assert [line.score for line in outcome[0]] == [1.0, 2.0]
        assert outcome[1].count("columns-beyond") == 2
        assert outcome[1].count("tag-words") == 0


@pytest.mark.parametrize("at", [1, 9])
@pytest.mark.parametrize("line", ["985 020, 100 CLEAN", "985 020,100 CLEAN", "985 020; CLEAN"])
def test_two_documents_in_a_line_are_told_as_such(path: Path, line: str, at: int) -> None:
    lines = [f"985 {n:03} CLEAN" for n in range(20)]
    lines[at - 1] = line
    for outcome in readings(path, "\n".join(lines).encode(), THREE_COLUMNS, normal_id):
        assert isinstance(outcome, str)
        assert heard(outcome).startswith(f"run.txt, line {at}: [bad-id] (found '{line}')")


@pytest.mark.parametrize("rule", [exact_id, normal_id])
@pytest.mark.parametrize("mark", ["\ufeff", "\ufeff\ufeff", " \ufeff "])
def test_byte_order_marks_are_taken_off_where_a_line_starts(path: Path, rule: IdRule, mark: str) -> None:
    """Two at the start of the file, and one where two files were put together."""
    text = f"{mark}q0 d T\n" + "q d T\n" * 9 + f"{mark}q1 d T\n"
    for outcome in readings(path, text.encode(), THREE_COLUMNS, rule):
        assert not isinstance(outcome, str)
        assert [line.query for line in outcome[0]] == ["q0", *"q" * 9, "q1"]


def test_a_byte_order_mark_within_a_line_is_refused(path: Path) -> None:
    for outcome in readings(path, "q d T\nq \ufeffd T\n".encode(), THREE_COLUMNS):
        assert isinstance(outcome, str)
        assert heard(outcome).startswith("run.txt, line 2: [encoding]")


@pytest.mark.parametrize("line", ["001 Q0 0\u200b02 1 0.5 T\n", "0\u200d01 Q0 002 1 0.5 T\n"])
def test_an_invisible_character_in_an_id_of_coliees_is_refused_and_in_trecs_it_is_part_of_the_id(
    tmp_path: Path, line: str
) -> None:
    """Nobody sees it, and nothing would match: the document would count as wrong in silence."""
    path = tmp_path / "run.txt"
    path.write_text("001 Q0 003 1 0.9 T\n" + line, encoding="utf-8")
    refused = read(Source(str(path)), LAYOUTS["six"], normal_id)
    assert isinstance(refused, str) and "line 2" in refused and "U+200" in refused
    kept = read(Source(str(path)), LAYOUTS["six"], exact_id)
    assert not isinstance(kept, str) and (kept[0][1].query, kept[0][1].document) == tuple(line.split()[0:3:2])
