"""Each broken submission yields its finding and no other, its clean twin none; what is mended scores as was meant.

Of any number of mistakes at once, and of files that are none, every mistake is found; mending ends.
"""

import re
import shlex
from pathlib import Path

import pytest
from broken import ANSWERS, CASES, GOLD1, GOLD3, PILOT, RUN1, RUN2, T1_CORPUS, T1_LISTS, T3_2025, TWINS
from hypothesis import given, settings
from hypothesis import strategies as st

from coliee_adapters.errors import ColieeError
from coliee_ir import evaluate, read_run, validate
from coliee_ir.commands.validate import RULES, Place, Severity


@pytest.mark.parametrize("twin", TWINS, ids=lambda twin: twin.name)
def test_a_clean_submission_has_no_findings(twin, tmp_path):
    found = twin.validate(tmp_path, twin.put(tmp_path))
    assert tuple(finding.rule for finding in found.findings) == twin.has
    assert found.task == twin.scored["task"]
    assert twin.scores(tmp_path, twin.put(tmp_path))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_a_mistake_yields_its_finding_and_no_other_and_is_mended_once(case, tmp_path):
    first, second, twin, rule = tmp_path / "first", tmp_path / "second", case.twin, RULES[case.rule]
    for folder in (first, second):
        folder.mkdir()
    paths = twin.put(tmp_path, case.broken)
    found = twin.validate(tmp_path, paths, fix=first)
    (finding,) = [finding for finding in found.findings if finding.rule not in twin.has]
    assert (Path(finding.file).name, finding.rule, finding.count) == (case.where, case.rule, case.count)
    assert finding.places[0] == Place(*case.place)
    assert finding.advice
    assert "{" not in finding.says
    assert finding.severity is rule.severity
    if not rule.mended:  # what takes a decision stays as it stands
        assert finding.mended == 0
        for path in paths:
            if str(path) not in found.mended:
                assert not (first / path.name).exists()
            elif "json" not in path.name:
                assert (first / path.name).read_bytes() == path.read_bytes()
    copies = [Path(target) for target in found.mended.values()]
    if not copies:
        assert all(finding.mended == 0 for finding in found.findings)
        return
    again = twin.validate(tmp_path, copies, fix=second)
    assert [copy.read_bytes() for copy in copies] == [(second / copy.name).read_bytes() for copy in copies]
    left = {(Path(finding.file).name, finding.rule): finding.count for finding in again.findings}
    for finding in found.findings:
        if RULES[finding.rule].mended:
            assert finding.count - finding.mended == left.get((Path(finding.file).name, finding.rule), 0)
    if rule.mended:
        assert {rule for _, rule in left} <= ({case.rule} if case.open else set())
    if rule.mended and not case.open:
        as_meant = twin.scores(tmp_path, twin.put(tmp_path))
        assert twin.scores(tmp_path, [first / name for name in case.broken]) == as_meant


def test_every_rule_has_a_case_and_every_mended_rule_one_that_is_mended():
    assert len({case.id for case in CASES}) == len(CASES)
    # no task of COLIEE limits the documents of a query: test_protocol_files breaks that rule; test_own_errors the other
    assert {case.rule for case in CASES} == set(RULES) - {"too-many", "unchecked"}
    assert {case.rule for case in CASES if not case.open} >= {name for name, rule in RULES.items() if rule.mended}


#: what a user puts in the place of the words of a command
FILLED = {
    "GOLD": "gold.json", "FILE": "queries.json", "DIR": "ids.txt", "TAG": "OURS1", "k=N": "k=1", "OUT": "mended.txt",
    "--queries gold.json": "--queries gold.xml",
}  # fmt: skip
#: of each rule that a command mends, a broken submission of which nothing else is known
COMMANDED = {case.rule: case for case in reversed(CASES) if RULES[case.rule].command and not {*case.twin.options} & {
    "gold", "queries"} and (case.twin.options.keys() <= {"task", "edition"} or case.rule == "everything")}  # fmt: skip


@pytest.mark.parametrize("rule", sorted({name for name, rule in RULES.items() if rule.command} - {"too-many"}))
def test_the_command_of_a_remedy_mends_it_as_it_is_typed(rule, tmp_path, monkeypatch, call):
    monkeypatch.chdir(tmp_path)
    case = COMMANDED[rule]
    given = case.twin.put(Path(), case.broken)
    T1_LISTS.put(Path(), {})
    (finding,) = [one for one in case.twin.validate(Path(), given).findings if one.rule == rule]
    assert finding.advice.endswith(finding.command) and case.where in finding.command
    for command in finding.command.split(", or "):
        program, *words = shlex.split(re.sub("|".join(FILLED), lambda match: FILLED[match[0]], command))
        code, _, err = call(*words)
        assert (program, code) in (("coliee-ir", 0), ("coliee-ir", words[0] == "validate")), err
        left = case.twin.validate(Path(), [Path("mended.txt")])
        assert rule not in {one.rule for one in left.findings}, command


#: rule → a way to break a line, given its words, and ids without zeros; each in a line of its own: none masks another
OF_LINES = {
    "txt-suffix": "{0} {1}.txt {2}", "document-form": "{0} {4} {2}", "document-unknown": "{0} 000299 {2}",
    "query-unknown": "000999 {1} {2}", "query-form": "{3} {1} {2}", "separator": "{0}\t{1}\t{2}",
    "trailing-blank": "{0} {1} {2} ", "tag-missing": "{0} {1}", "tag-differs": "{0} {1} OTHER", "columns": "{0} {2}",
    "self-retrieved": "{0} {0} {2}", "duplicate": "{0} {1} {2}\n{0} {1} {2}", "blank-line": "\n{0} {1} {2}",
    "comment": "# why\n{0} {1} {2}", "not-ascii": "{0} {1}\u3000{2}", "control": "{0} \a{1} {2}",
    "trec-columns": "{0} Q0 {1} 1 2.5 {2}",
}  # fmt: skip
#: rule → a way to break a whole file; at most one is chosen
OF_FILES = {
    "bom": lambda text: b"\xef\xbb\xbf" + text.encode(),
    "utf-16": lambda text: text.encode("utf-16"),
    "crlf": lambda text: text.replace("\n", "\r\n").encode(),
    "no-newline": lambda text: text.rstrip("\n").encode(),
    "header": lambda text: b"query doc tag\n" + text.encode(),
    "tag-characters": lambda text: text.replace("ALPHA1", "ALPHA-1").encode(),
}


@st.composite
def mistaken(draw):
    """A Task 1 run with some mistakes, and the rules that must find them."""
    lines = RUN1.decode().splitlines()
    made = draw(st.lists(st.sampled_from(sorted(OF_LINES)), max_size=5, unique=True))
    for rule, at in zip(made, draw(st.permutations(range(len(lines)))), strict=False):
        lines[at] = OF_LINES[rule].format(*lines[at].split(" "), *re.findall("[1-9][0-9]+", lines[at]))
    text = "\n".join(lines) + "\n"
    of_file = draw(st.none() | st.sampled_from(sorted(OF_FILES)))
    return (OF_FILES[of_file](text), {*made, of_file}) if of_file else (text.encode(), {*made})


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
    always_mended = {"bom", "crlf", "separator", "txt-suffix"}
    assert {rule for rule in rules_of(again) if RULES[rule].mended} <= rules - always_mended
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
        odd = [b"", b"\n", b" ", b"\r", b"\0", b"\xff", b"#", b"/*", b"*/", b",", raw[start:stop] * 2]
        raw = raw[:start] + draw(st.sampled_from(odd)) + raw[stop:]
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
    golds = {"1": "gold.json", "tort": "gold.jsonl", "rationale": "gold.jsonl"}
    options = told | ({"queries": folder / golds.get(told.get("task"), "gold.xml")} if known else {})
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


def test_a_line_without_a_tag_below_a_header_is_found_once(tmp_path):
    (tmp_path / "a").write_text("query document tag\n000101 000201\n000102 000202 A\n")
    assert [finding.rule for finding in validate(tmp_path / "a", task="1").findings] == ["header", "tag-missing"]


def test_numbers_in_the_place_of_tags_are_the_order(tmp_path):
    run, mended = tmp_path / "run", tmp_path / "mended"
    run.write_text("000101 000201 2\n000101 000202 1\n000101 000203 3\n")
    assert [finding.rule for finding in validate(run, task="1", tag="T", fix=mended).findings] == ["tag-missing"]
    assert mended.read_text() == "000101 000202 T\n000101 000201 T\n000101 000203 T\n"


@pytest.mark.parametrize("twin", TWINS, ids=lambda twin: twin.name)
def test_a_file_that_is_cut_within_a_line_is_never_clean(twin, tmp_path):
    name, raw = next(iter(twin.files.items()))
    for at in range(1, len(raw), max(1, len(raw) // 20)):
        if not raw[:at].endswith(b"\n"):
            paths = twin.put(tmp_path, {**twin.files, name: raw[:at]})
            findings = twin.validate(tmp_path, paths, task=twin.scored["task"]).findings
            assert [finding for finding in findings if finding.rule not in twin.has], raw[:at]
