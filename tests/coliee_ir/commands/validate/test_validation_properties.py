"""Any number of mistakes at once, and files that are none: every mistake is found, nothing crashes, mending ends."""

from collections.abc import Callable
from typing import NamedTuple

import pytest
from broken import ANSWERS, GOLD1, GOLD3, PILOT, RUN1, RUN2, T1_CORPUS, T3_2025, TWINS
from hypothesis import given, settings
from hypothesis import strategies as st

from coliee_adapters.errors import ColieeError
from coliee_ir import evaluate, read_run, validate
from coliee_ir.commands.validate import RULES, Severity


class Mistake(NamedTuple):
    """A way to break a line, given its words, or the whole file; and the rule that must find it."""

    rule: str
    line: Callable[[list[str]], str] | None = None
    whole: Callable[[str], bytes] | None = None


#: mistakes of single lines; each is made in a line of its own, so that none masks another
OF_LINES = (
    Mistake("txt-suffix", lambda words: f"{words[0]} {words[1]}.txt {words[2]}"),
    Mistake("document-form", lambda words: f"{words[0]} {words[1].lstrip('0')} {words[2]}"),
    Mistake("document-unknown", lambda words: f"{words[0]} 000299 {words[2]}"),
    Mistake("query-unknown", lambda words: f"000999 {words[1]} {words[2]}"),
    Mistake("query-form", lambda words: f"{words[0].lstrip('0')} {words[1]} {words[2]}"),
    Mistake("separator", lambda words: "\t".join(words)),
    Mistake("trailing-blank", lambda words: " ".join(words) + " "),
    Mistake("tag-missing", lambda words: f"{words[0]} {words[1]}"),
    Mistake("tag-differs", lambda words: f"{words[0]} {words[1]} OTHER"),
    Mistake("columns", lambda words: f"{words[0]} {words[2]}"),
    Mistake("self-retrieved", lambda words: f"{words[0]} {words[0]} {words[2]}"),
    Mistake("duplicate", lambda words: " ".join(words) + "\n" + " ".join(words)),
    Mistake("blank-line", lambda words: "\n" + " ".join(words)),
    Mistake("comment", lambda words: "# why\n" + " ".join(words)),
    Mistake("not-ascii", lambda words: f"{words[0]} {words[1]}\u3000{words[2]}"),
    Mistake("control", lambda words: f"{words[0]} \a{words[1]} {words[2]}"),
    Mistake("trec-columns", lambda words: f"{words[0]} Q0 {words[1]} 1 2.5 {words[2]}"),
)
#: mistakes of whole files; at most one is made
OF_FILES = (
    Mistake("bom", whole=lambda text: b"\xef\xbb\xbf" + text.encode()),
    Mistake("utf-16", whole=lambda text: text.encode("utf-16")),
    Mistake("crlf", whole=lambda text: text.replace("\n", "\r\n").encode()),
    Mistake("no-newline", whole=lambda text: text.rstrip("\n").encode()),
    Mistake("header", whole=lambda text: b"query doc tag\n" + text.encode()),
    Mistake("tag-characters", whole=lambda text: text.replace("ALPHA1", "ALPHA-1").encode()),
)


@st.composite
def mistaken(draw):
    """A Task 1 run with some mistakes, and the rules that must find them."""
    lines = RUN1.decode().splitlines()
    made = draw(st.lists(st.sampled_from(OF_LINES), max_size=5, unique=True))
    places = draw(st.permutations(range(len(lines))))
    for mistake, at in zip(made, places, strict=False):
        assert mistake.line is not None
        lines[at] = mistake.line(lines[at].split(" "))
    text = "\n".join(lines) + "\n"
    of_file = draw(st.none() | st.sampled_from(OF_FILES))
    rules = {mistake.rule for mistake in made}
    if of_file is None or of_file.whole is None:
        return text.encode(), rules
    return of_file.whole(text), rules | {of_file.rule}


def rules_of(found):
    return {finding.rule for finding in found.findings}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with gold and corpus of Task 1, and gold of Task 3."""
    folder = tmp_path_factory.mktemp("mistaken")
    T1_CORPUS.put(folder, {})
    T3_2025.put(folder, {})
    return folder


@given(mistaken())
def test_several_mistakes_are_all_found_and_mending_ends(folder, made):
    raw, rules = made
    run, once, twice = folder / "run.txt", folder / "once.txt", folder / "twice.txt"
    run.write_bytes(raw)
    known = {"task": "1", "gold": folder / "gold.json", "corpus": folder / "cases"}
    found = validate(run, fix=once, **known)
    # consequences: a line that is not understood any more, and lines that now stand apart
    assert rules <= rules_of(found) <= rules | {"query-missing", "document-unknown"}
    again = validate(once, fix=twice, **known)
    assert once.read_bytes() == twice.read_bytes()
    assert {rule for rule in rules_of(again) if RULES[rule].mended} <= rules - {
        "bom",
        "crlf",
        "separator",
        "txt-suffix",
    }
    for finding in found.findings:
        if RULES[finding.rule].mended and finding.mended == finding.count:
            assert finding.rule not in rules_of(again)
    for path, findings in ((run, found), (once, again)):
        if findings.errors == 0:
            assert evaluate(folder / "gold.json", path, task="1").measures
    if not {finding.rule for finding in again.findings if finding.severity is Severity.ERROR}:
        assert read_run(once, task="1")


WORDS = st.sampled_from([
    *("000101", "000201", "R06-01-A", "96", "Q0", "0", "1", "2.5", "nan", "1e999", "-1", "9" * 5000, "Y", "no"),
    *("ALPHA", "A-B", "x.txt", ".txt", "#", "/*", "*/", ",", ";", '"', "'", "query", "{", "[", "<", "\ufeff"),
    *("\u200b", "\u3000", "é", "０", "＃", "\x00", "\x1b[31m", "\x85", "\u2028", "/", "%", "{}", "{n}", "١٢", "\udc80"),
])  # fmt: skip
BETWEEN = st.sampled_from([" ", " ", " ", "\n", "\n", "\t", "  ", "\r\n", "\r", "", ",", "\v"])
ANYTHING = st.lists(st.tuples(WORDS, BETWEEN), max_size=40).map(
    lambda parts: "".join(map("".join, parts)).encode("utf-8", "surrogateescape")
)


@st.composite
def mutilated(draw):
    """A clean file with some bytes taken out, put in or turned around."""
    raw = draw(st.sampled_from([RUN1, RUN2, ANSWERS, PILOT, *T3_2025.files.values(), GOLD1.encode(), GOLD3.encode()]))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(raw)))
        stop = start + draw(st.integers(0, 20))
        new = draw(
            st.sampled_from([b"", b"\n", b" ", b"\r", b"\0", b"\xff", b"#", b"/*", b"*/", b",", raw[start:stop] * 2])
        )
        raw = raw[:start] + new + raw[stop:]
    return raw


TASKS = ("1", "2", "3", "4", "5", "tort", "rationale")
EDITIONS = (("3", 2025), ("3", 2016), ("1", 2019))
TOLD = [{}, *({"task": task} for task in TASKS), *({"task": task, "edition": year} for task, year in EDITIONS)]


@settings(max_examples=4 * settings.default.max_examples)
@given(ANYTHING | mutilated(), st.sampled_from(TOLD), st.booleans())
def test_no_file_is_too_odd(folder, raw, told, known):
    run, once, twice = folder / "odd", folder / "odd-once", folder / "odd-twice"
    run.write_bytes(raw)
    once.unlink(missing_ok=True)
    twice.unlink(missing_ok=True)
    options = dict(told)
    if known:
        options["queries"] = folder / {"1": "gold.json", "tort": "gold.jsonl", "rationale": "gold.jsonl"}.get(
            str(told.get("task")), "gold.xml"
        )
    (folder / "gold.jsonl").write_bytes(PILOT)
    try:
        found = validate(run, fix=once, **options)
    except ColieeError as error:
        assert "task" in str(error)  # which nothing shows
        return
    for finding in found.findings:
        assert finding.says
        assert finding.advice
        assert str(finding).isprintable()
    if once.exists():
        validate(once, fix=twice, **({"task": found.task} | options))
        assert once.read_bytes() == twice.read_bytes()
    else:
        assert found.errors
    if found.errors == 0:
        record = read_run(run, task=found.task)
        for _ in getattr(record, "blocks", tuple)():
            pass


@pytest.mark.parametrize("twin", TWINS, ids=lambda twin: twin.name)
def test_a_file_that_is_cut_within_a_line_is_never_clean(twin, tmp_path):
    name, raw = next(iter(twin.files.items()))
    for at in range(1, len(raw), max(1, len(raw) // 20)):
        if not raw[:at].endswith(b"\n"):
            paths = twin.put(tmp_path, {**twin.files, name: raw[:at]})
            findings = twin.validate(tmp_path, paths, task=twin.scored["task"]).findings
            assert [finding for finding in findings if finding.rule not in twin.has], raw[:at]


def lines_of(path):
    return (line.split(" ") for line in path.read_text().splitlines())


@given(st.permutations(RUN1.decode().splitlines()))
def test_lines_in_any_order_are_put_together_and_score_the_same(folder, lines):
    run, fixed = folder / "mixed.txt", folder / "mixed-fixed.txt"
    run.write_text("".join(f"{line}\n" for line in lines))
    found = validate(run, task="1", fix=fixed)
    assert not rules_of(found)
    queries = [query for query, *_ in lines_of(fixed)]
    assert queries == sorted(queries, key=queries.index)
    told = {"task": "1", "measures": ["MicroF1", "MicroR@1", "AP"]}
    assert (
        evaluate(folder / "gold.json", fixed, **told).measures == evaluate(folder / "gold.json", run, **told).measures
    )
