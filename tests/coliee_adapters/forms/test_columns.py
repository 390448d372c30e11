import re

import pytest
from asserting import begins, heard, matches
from hypothesis import given, settings
from hypothesis import strategies as st

from coliee_adapters.errors import InputError, quoted
from coliee_adapters.files.source import Source
from coliee_adapters.forms import columns
from coliee_adapters.forms.columns import SIX_COLUMNS, THREE_COLUMNS, first_tag, read_blocks
from coliee_adapters.records import exact_id, normal_id
from coliee_adapters.remarks import Remarks

LAYOUTS = {"three": THREE_COLUMNS, "six": SIX_COLUMNS}
BLOCKS = (7, 64, 1 << 16)


def read(source, layout, rule=exact_id):
    """What the reader makes of a file: query, document, score and rank of each line, and remarks; or what it says."""
    lines, remarks = [], Remarks()
    try:
        for block in read_blocks(source, layout, rule):
            assert (block.starts[-1], len(block.starts)) == (len(block.documents), len(block.queries) + 1)
            assert not block.documents or block.starts[0] == 0
            for query, first, last in block.segments():
                assert first < last
                for at in range(first, last):
                    score = None if block.scores is None else block.scores[at]
                    rank = None if block.ranks is None else str(block.ranks[at])
                    lines.append((query, block.documents[at], score, rank))
            remarks += block.remarks or Remarks()
    except InputError as error:
        return heard(error)
    return lines, remarks


def twin(content, name, layout, rule):
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
            return f"{where}: [encoding] (found {quoted(line)})"
        fields = re.split(f"{blank}+", line)
        tags.append(" ".join(fields[width - 1 :]))
        if len(fields) >= width == 3 and rule is normal_id and re.search("[,;]", fields[1]):
            return f"{where}: [bad-id] (found {line!r})"
        if len(fields) < width or (len(fields) > width == 3 and tags[-1] != tags[0]):
            count = f"{len(fields)} columns" if len(fields) > 1 else "1 column"
            return f"{where}: {count} (found {quoted(line)}); expected {width} columns: {' '.join(layout.columns)}…"
        if len(fields) > width:
            is_score = layout is SIX_COLUMNS and re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", fields[5])
            remarks.add("columns-beyond" if is_score else "tag-words", f"line {number}: {tags[-1]}")
        if tags[-1].split(" ")[0] != tags[0].split(" ")[0]:
            remarks.add("tag", f"line {number}: {tags[-1]}")
        ids = rule(fields[0]), rule(fields[layout.roles["document"]])
        if "" in ids:
            return f"{where}: [bad-id] (found '')"
        if layout is SIX_COLUMNS and fields[4] == "e":  # of what is drawn, the only text that is no number
            return f"{where}: [bad-score] (found 'e')"
        score, rank = (float(fields[4]), fields[3]) if layout is SIX_COLUMNS else (None, None)
        lines.append((*ids, score, rank))
    if unclosed:
        return f"{name}, line {body.count(chr(10)) + 1}: [syntax]"
    return (lines, remarks) if lines else f"{name}: [empty]"


# files as they might be: ids and tags from few letters, so that they repeat
_BODY = st.text("a0-_ü民#*/\xa0\u3000", max_size=3)
_QUERIES = st.builds("".join, st.tuples(st.sampled_from("ab1民"), _BODY, st.sampled_from(["", ".txt", "\xa0"])))
_DOCUMENTS = st.builds("".join, st.tuples(st.sampled_from("ab1#/\xa0"), _BODY, st.sampled_from(["", ".txt", "\x1f"])))
_FINITE = st.floats(allow_nan=False, allow_infinity=False).map(repr)
_SCORES = st.sampled_from(["1", "-0.5", "2e3", "1e-400", ".5", "5.", "+1", "0"]) | _FINITE
_TAGS = st.sampled_from(["T", "T", "T", "T", "U", "民", "#T"])
_BLANKS = st.sampled_from([" "] * 9 + ["  ", "\t", " \t ", "\v", "\f "])
_ENDS = st.sampled_from([""] * 9 + [" ", "\t", "  ", "\r", " \r", "\r\r", "\f"])
_COMMENTS = st.sampled_from(["", " ", "\t\r", "# a", " #", "/* a */", "/* a\nb c d */", "\t/*\n# */ # */", "/*/ */",
                             "/* a\n\n*/ /* b\n*/", "/*\nb d T\nb Q0 d 1 1 T\n*/"])  # fmt: skip
_BAD = st.sampled_from(["a", "a b c d e f g h", "a\rb c d e f", "/* a", "a b\rT"])


@st.composite
def files(draw, name, clean):
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
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("columns") / "run.txt"


def readings(path, content, layout, rule=exact_id):
    """What is read in blocks of every size, through both lanes and through the careful one alone."""
    path.write_bytes(content)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(path.parent)
        for careful in (False, True):
            if careful:
                patch.setattr(columns.Reader, "all_at_once", lambda *_, **__: None)
            for size in BLOCKS:
                patch.setattr(columns, "BLOCK_SIZES", (size, 0))
                yield read(Source(path.name, lenient=True), layout, rule)


@pytest.mark.parametrize("clean", [True, False])
@pytest.mark.parametrize("name", LAYOUTS)
@settings(max_examples=settings().max_examples * 5 // 8)
@given(data=st.data(), rule=st.sampled_from([exact_id, normal_id]))
def test_any_file_is_read_as_by_its_twin(path, name, clean, data, rule):
    text = data.draw(files(name, clean))
    if text.removeprefix("\ufeff").encode().strip():
        expected = twin(text, path.name, LAYOUTS[name], rule)
        for outcome in readings(path, text.encode(), LAYOUTS[name], rule):
            assert matches(outcome, expected)


GOOD = {"three": "q{0} d{0} T", "six": "q{0} Q0 d{0} {0} {0}.5 T"}


@pytest.mark.parametrize("name", LAYOUTS)
def test_regular_lines_take_the_fast_lane(path, monkeypatch, name):
    monkeypatch.setattr(columns.Reader, "line_by_line", lambda *_: pytest.fail("the careful lane"))
    lines = "".join(GOOD[name].format(n // 2) + "\n" for n in range(6))
    for change in ("", " >  \t ", "\n>  \n", "q> \tq", "\n>\r\n", "\n>\n\n \n", "d>民\xa0法", "d>#d/*", "T>#T"):
        text = lines.replace(*change.split(">")) if change else lines
        other = text if " \n" in change else text + GOOD[name].format(7).replace("T", "U") + "\n"
        for content in (text, other, other.rstrip(), "\ufeff" + text):
            path.write_text(content, encoding="utf-8", newline="")
            assert read(Source(path), LAYOUTS[name]) == twin(content, str(path), LAYOUTS[name], exact_id)


def test_a_line_may_be_longer_than_a_block(path):
    long = "d" * (max(BLOCKS) + 5000)
    for outcome in readings(path, f"q {long} T\nq d T".encode(), THREE_COLUMNS):
        assert outcome == ([("q", long, None, None), ("q", "d", None, None)], Remarks())


#: by layout and kind: a line, and what is found of it where that is another text
BAD_LINES = {
    ("three", "columns"): [
        *("q", "q,d,T", "q d", (" d T", "d T"), ("q d ", "q d"), "q d T x", "q d\vx T", ("/* a */ q d", "q d")),
        "q \x1b[2J",
    ],
    ("three", "encoding"): ["q d\rT", ("q d T\0", None)],
    ("three", "bad-id"): ["985 020, 100 T", "985 020,100 T", "985 020; T"],  # two documents of Task 1 or 2
    ("six", "columns"): [
        *("q d T", ("q Q0 d 1 0.5 ", "q Q0 d 1 0.5"), (" Q0 d 1 0.5 T", "Q0 d 1 0.5 T"), "q Q0 d  0.5 T"),
    ],
    ("six", "bad-score"): [
        (f"q Q0 d 1 {score} T", score)
        for score in ("nan", "-inf", "Infinity", "1e400", "1_0", "1e1_0", "0x10", "1,5", "--1", "1.0.0", "x", "１",
                      "1²", "½", "\xa05", "5\u3000")
    ],
    ("six", "encoding"): [("q Q0 d 1 0.5\0 T", None)],
}  # fmt: skip
MALFORMED = [
    (name, kind, *(line if isinstance(line, tuple) else (line, line)))
    for (name, kind), lines in BAD_LINES.items()
    for line in lines
]


@pytest.mark.parametrize(("name", "kind", "bad", "found"), MALFORMED)
@pytest.mark.parametrize("ending", ["\n", pytest.param("\r\n", marks=pytest.mark.explore)])
def test_a_malformed_line_is_told_with_its_number_wherever_it_stands(path, name, kind, bad, found, ending):
    for at in (1, 2, 17, 30):
        lines = [GOOD[name].format(n) for n in range(1, 30)]
        lines.insert(at - 1, bad)
        if at == 1 and kind == "columns" and len(bad.split()) > len(LAYOUTS[name].columns):
            continue  # the words in excess are those of the tag; the other lines have another one
        expected = f"run.txt, line {at}: [{kind}]" + ("" if found is None else f" (found {quoted(found)})")
        content, rule = ending.join(lines).encode(), normal_id if kind == "bad-id" else exact_id
        for outcome in readings(path, content, LAYOUTS[name], rule):
            assert matches(outcome, expected)


@pytest.mark.parametrize("name", LAYOUTS)
@pytest.mark.parametrize("rule", [exact_id, normal_id])
def test_byte_order_marks_are_left_out_where_a_line_starts_and_refused_within(path, name, rule):
    first, second, third = (GOOD[name].format(n) for n in (1, 2, 3))
    plain = f"{first}\n{second}\n{third}\n".encode()
    path.write_bytes(plain)
    expected = read(Source(str(path)), LAYOUTS[name], rule)
    marked = f"\ufeff\ufeff{first}\n \ufeff {second}\r\n\ufeff{third}\n".encode()
    assert all(outcome == expected for outcome in readings(path, marked, LAYOUTS[name], rule))
    for outcome in readings(path, plain.replace(b"d2", "d\ufeff2".encode()), LAYOUTS[name], rule):
        assert begins(heard(outcome), "run.txt, line 2: [encoding] (found ")


@settings(max_examples=settings().max_examples // 2)
@given(first=st.integers(1, 12), gap=st.integers(1, 4), short_first=st.booleans(), last=st.booleans())
def test_columns_missing_here_and_there_do_not_add(path, first, gap, short_first, last):
    lines = [GOOD["three"].format(n) for n in range(1, 15 + gap)]
    one = GOOD["three"].format(0)
    short, long = one.removesuffix(" T"), "q " + one if last else one + " x"
    lines[first - 1], lines[first + gap - 1] = (short, long) if short_first else (long, short)
    expected = f"run.txt, line {first + 1}: {2 if short_first else 4} columns (found '{lines[first - 1]}')"
    for outcome in readings(path, "\n".join(["a" + one, *lines]).encode() + b"\n", THREE_COLUMNS):
        assert matches(outcome, expected)


@pytest.mark.parametrize("broken", [b"\xff", b"\xe6\xb0", b"\xc0\xaf", b"\xed\xa0\x80", b"\x96\xaf"])
def test_bytes_that_are_not_utf8_are_refused_with_their_line(path, broken):
    for number in (1, 5, 9):
        lines = [f"q d{n} T".encode() for n in range(1, 10)]
        lines[number - 1] = b"q d" + broken + b"z T"
        for outcome in readings(path, b"\n".join(lines), THREE_COLUMNS):
            assert begins(heard(outcome), f"run.txt, line {number}: [encoding] (found '\\x{broken[0]:x}")


def test_an_invisible_character_is_refused_in_ids_of_coliee_and_kept_in_those_of_trec(path):
    for line in ("001 Q0 0\u200b02 1 0.5 T\n", "0\u200d01 Q0 002 1 0.5 T\n"):
        path.write_text("001 Q0 003 1 0.9 T\n" + line, encoding="utf-8")
        refused = read(Source(str(path)), SIX_COLUMNS, normal_id)
        assert "line 2" in refused and "U+200" in refused
        kept, _ = read(Source(str(path)), SIX_COLUMNS, exact_id)
        assert kept[1][:2] == tuple(line.split()[0:3:2])


def test_the_first_tag_is_all_the_words_of_the_first_content_line(path):
    for text, tag in (
        ("q d T", "T"), ("\ufeff\n# a\n/* b\n*/ q\td\tmy own tag\nq d U", "my own tag"), ("q d\nq d T", ""),
        ("# a\n", ""), ("q d 民\r\n", "民"),
    ):  # fmt: skip
        path.write_text(text, encoding="utf-8", newline="")
        assert first_tag(Source(path), THREE_COLUMNS) == tag
