"""The command ``validate``, and what the broken submissions do not show: several files, what is given beside them."""

import gzip
import io
import json
import re
import sys
from pathlib import Path

import broken
import pytest
from asserting import begins, failing, heard, matches, mentions, refusing
from broken import ANSWERS, DESCRIPTION, GOLD1, GOLD3, OF_2025, PILOT, RANKED, RUN1, T3, T3_2025, lines
from places import ROOT

from coliee_adapters.errors import InputError, UsageError
from coliee_ir import evaluate, validate
from coliee_ir.cli import COMMANDS, main
from coliee_ir.commands.validate import Severity
from coliee_ir.rules.protocol import NEWEST

pytestmark = pytest.mark.usefixtures("here")


@pytest.fixture(name="call")
def in_place(call):
    """Runs `coliee-ir validate`."""
    return lambda *arguments: call("validate", *arguments)


def put(name, content):
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return name


def found(*files, **options):
    return [(f.file, f.rule, f.count) for f in validate(*files, **options).findings]


@pytest.mark.parametrize(("scores", "is_told"), [("12", True), ("21", False)])
def test_a_copy_in_the_order_of_scores_that_contradict_ranks_is_told_as_such(call, scores, is_told):
    run = "".join(f"000101 Q0 00020{rank} {rank} {score} T\n" for rank, score in zip("12", scores, strict=True))
    _, out, err = call(put("run.trec", run), "--task", "1", "--fix", "copy")
    assert ("scores" in err.splitlines()[-1], "--decision order=ascending" in out) == (is_told, is_told)
    remedy = [*("convert", "run.trec", "turned", "--to", "columns"), *["--decision", "order=ascending"] * is_told]
    assert main(remedy) == 0
    assert Path("turned").read_text().splitlines()[0] == "000101 000201 T"


@pytest.mark.parametrize(("codec", "told"), [("utf-8", True), ("utf-16", False), ("latin-1", False)])
def test_a_command_that_cannot_read_the_file_is_no_remedy(codec, told):
    put("run.csv", "query_id;doc_id;résumé\n000101;000201;0.5\n".encode(codec))
    (finding,) = [one for one in validate("run.csv", task="1").findings if one.rule == "table"]
    assert bool(finding.command) == told


def test_errors_exit_with_1_and_warnings_and_notes_with_0(call):
    code, out, err = call(put("run.txt", RUN1))
    assert matches((code, err), (0, f"task 1 of {NEWEST} …\n")) and mentions(out, "0 errors, 0 warnings, 0 notes")
    code, out, _ = call(put("run.txt", RUN1 + b"\n# end\n"), "--task", "1")
    expected = "  warning  1 comment line\n           line 12: '# end'\n           → … [comment…"
    assert code == 0 and mentions(out, expected)
    assert out.endswith("\n0 errors, 1 warning, 1 note in 1 file\n")
    assert call(put("run.txt", RUN1.replace(b" ", b",")))[0] == 1


REFUSED = {
    "run.txt no.txt": "no.txt: [no-file]",
    "odd.txt": "[unknown-task] odd.txt …",
    "only.txt": "[unknown-task] only.txt …",
    "run.txt --corpus folder": "folder: [empty] case …",
    "run.txt --task tort --corpus run.txt": "[option-needed]",
    "- --queries -": "[named-twice]",
    "run.txt --gold gold.json --queries gold.json": "",
    # corrected copies take no other file's place
    "run.txt --fix link.txt": "[would-overwrite] link.txt …",
    "run.txt --fix .": "[would-overwrite] run.txt …",
    "run.txt --gold gold.json --fix gold.json": "[would-overwrite] gold.json …",
    "a/run.txt run.txt --task 1 --fix out": "[would-overwrite]",
    "run.txt other.txt --task 1 --fix gold.json": "[not-a-file] gold.json …",
    "run.txt --fix -": "[not-a-file] - …",
    "run.txt --fix /dev/null": "[not-a-file] /dev/null …",
    "run.txt --fix no/run.txt": "no/run.txt: [cannot-write] No such file or directory …",
    # run tags that cannot be written
    "run.txt --tag ABCDEFGHIJKLM --fix out.txt": "[bad-value] --tag … 12 …",
    "run.txt --tag AB": "[option-needed] --tag … --fix OUT",
    "run.txt second.txt --tag AB --fix out": "[ambiguous] --tag …",
    "both.txt --tag AB --fix out.txt": "[ambiguous] --tag … both.txt …",
    "a.jsonl --tag AB --fix out.txt": "[unfit-option] --tag …",
    "run.txt --columns query=ort": "[missing-column] …query=ort…",
    "": "",
}


@pytest.mark.parametrize("arguments", REFUSED)
def test_what_cannot_be_done_is_refused_and_nothing_is_written(arguments, call):
    for name in ("run.txt", "other.txt", "a/run.txt"):
        put(name, RUN1)
    put("second.txt", RUN1.replace(b"ALPHA1", b"ALPHA2"))
    put("both.txt", RUN1 + re.sub(rb"\d{6} ALPHA1", b"999999 ALPHA2", RUN1))
    put("gold.json", GOLD1)
    put("a.jsonl", PILOT)
    put("odd.txt", "a b c\n")
    put("only.txt", "# nothing yet\n")
    Path("folder").mkdir()
    Path("link.txt").symlink_to("run.txt")
    err = failing(call, *arguments.split())
    assert begins(err, f"coliee-ir: {REFUSED[arguments]}" if REFUSED[arguments] else "coliee-ir validate: ")
    assert err.count("\n") == 1
    assert (Path("run.txt").read_bytes(), Path("gold.json").read_text()) == (RUN1, GOLD1)
    assert not Path("out.txt").exists() and not list(Path().glob("out/*"))
    for options, kind in (({}, "no-run"), ({"gold": "a", "queries": "b"}, "option-conflict")):
        with refusing(UsageError, f"[{kind}]"):
            validate(*["run.txt"] * len(options), **options)


def test_json_and_github_have_every_finding(call):
    put("run.txt", RUN1.replace(b"000201", b"000201.txt"))
    code, out, _ = call("run.txt", "-f", "json", "--fix", "mended.txt")
    whole = json.loads(out)
    assert {key: value for key, value in whole.items() if key not in ("coliee_ir", "findings", "inputs")} == {
        "task": "1", "tasks": ["1"], "edition": NEWEST, "files": ["run.txt"],
        "summary": {"error": 1, "warning": 0, "note": 0}, "mended": {"run.txt": "mended.txt"}, "left": [],
    }  # fmt: skip
    assert (code, matches(heard(whole["findings"]), [{
        "file": "run.txt", "rule": "txt-suffix", "severity": "error", "count": 2, "says": "… 2 …",
        "remedy": "write the number alone", "source": "organisers' page, submissions", "fix": "taken off", "mended": 2,
        "places": [{"line": line, "column": 8, "found": "000201.txt"} for line in (1, 5)],
    }])) == (1, True)  # fmt: skip
    assert matches(heard(call("run.txt", "-f", "github")[1]), "".join(
        f"::error file=run.txt,line={line},col=8,title=txt-suffix:: … 2 … ('000201.txt'); …\n" for line in (1, 5)
    ))  # fmt: skip


HOSTILE = "a,b:c%0A\n::error::\x1b[31m\u202e\udcff.txt"


@pytest.mark.parametrize("form", ["table", "json", "github"])
def test_names_and_ids_cannot_do_harm_and_are_not_shown_whole(form, call):
    hostile = "000104 ::error::%0A,x\x1b[31m\u202e ALPHA1\n000104 000208 {n}{0}\n000103 000103 ALPHA1\n{} {}\n"
    try:
        put(HOSTILE, RUN1 + hostile.encode() + b"x" * 10_000 + b"\n")
    except OSError:
        pytest.skip("the file system has no such names")
    code, out, err = call(HOSTILE, "--task", "1", "-f", form)
    assert (code, err) == (1, f"task 1 of {NEWEST}\n")
    assert max(map(len, out.splitlines())) < 500
    if form == "json":
        assert json.loads(out)["files"] == [HOSTILE]
        return
    assert all(line.isprintable() for line in out.splitlines())
    for line in out.splitlines() if form == "github" else ():
        assert re.fullmatch(r"::(error|warning|notice) (\w+=[^:,]*,)*\w+=[^:,]*::[^\n]*", line)
        assert "file=a%2Cb%3Ac%250A%0A%3A%3Aerror" in line
        assert not re.search(r"%(?!0A|0D|25|2C|3A)", line)
    assert form == "github" or out.startswith("a,b:c%0A\\n::error::\\x1b[31m\\u202e\\udcff.txt\n")


@pytest.mark.parametrize(
    ("content", "left", "said"),
    [
        (RUN1.replace(b"000201", b"000201.txt").replace(b"3 ALPHA1", b"3", 1), "nothing", "→ …; mended: …"),
        (RUN1.replace(b"000202", b"202"), "1 error", "… 000202 …; not mended"),
        (RUN1.replace(b"000206", "00０206".encode()).replace(b"000207", "00é207".encode()), "",
         "→ write ASCII; mended 1 of 2: …"),
    ],
)  # fmt: skip
def test_what_was_mended_and_what_is_left_is_said(content, left, said, call):
    _, out, err = call(put("run.txt", content), "--fix", "mended.txt", "--task", "1")
    assert matches(err.splitlines()[1], f"run.txt: … mended.txt … {left} …") and mentions(out, said)
    assert left != "nothing" or Path("mended.txt").read_bytes() == RUN1


def test_a_line_left_to_a_decision_gets_the_cleaned_tag_too_or_its_old_tag_would_become_a_document(call):
    rows = ["000101 000201 ALPHA-12345678", "000101 ALPHA-12345678 ", "000102 000204 ALPHA-12345678", "000103\t"]
    put("run.txt", "".join(f"{line}\n" for line in rows).encode())
    call("run.txt", "--task", "1", "--fix", "once.txt")
    assert Path("once.txt").read_text().split("\n")[1::2] == ["000101 ALPHA1234567", "000103\t"]
    assert "[columns," in call("once.txt", "--task", "1", "--fix", "twice.txt")[1]
    assert Path("twice.txt").read_bytes() == Path("once.txt").read_bytes()
    call("run.txt", "--task", "1", "--fix", "named.txt", "--tag", "NEW")
    assert Path("named.txt").read_text().split("\n")[1] == "000101 NEW"


def test_a_file_that_cannot_be_read_gets_no_copy(call):
    put("run.txt", b'{"000101": ["000201"')
    code, out, err = call("run.txt", "--task", "1", "--fix", "mended.txt")
    assert (code, re.findall(r"\[(\w+), ", out)) == (1, ["unreadable", "json"])
    assert matches(err.splitlines()[1], "run.txt: …") and not Path("mended.txt").exists()


def test_two_runs_do_not_come_to_share_a_tag():
    tags = ["neural-run-of-2026a", "neural-run-of-2026b", "A-B"]
    files = [put(f"{n}.txt", RUN1.replace(b"ALPHA1", tag.encode())) for n, tag in enumerate(tags)]
    after = validate(*files, task="1", fix="out")
    written = [Path(f"out/{n}.txt").read_text().split()[2] for n in range(3)]
    assert written == ["neuralrunof2026a", "neuralrunof2026b", "AB"]
    assert [(f.file, f.rule) for f in after.left] == [("0.txt", "tag-length"), ("1.txt", "tag-length")]


@pytest.mark.parametrize(("folder", "tag", "old"), [("new/out", None, b" AL-PHA"), ("new/", "ALPHA", b"")])
def test_the_articles_and_the_answers_keep_one_tag_in_a_folder_that_is_made(folder, tag, old):
    for name, content in T3.files.items():
        put(name, content.replace(b" ALPHA", old))
    after = validate(*T3.files, task="3", fix=folder, tag=tag)
    assert not after.left
    assert set(after.mended.values()) == {str(Path(folder, name)) for name in T3.files}


_LATIN = RUN1.replace(b"000203", b"00020\xe9")
_ANSWERED = ANSWERS.replace(b" Y ", b" 1 ")
_MARKED = "R06-01-A ○ T\nR06-01-U × T\n".encode()


@pytest.mark.parametrize(
    ("options", "broken", "mended"),
    [
        ({}, _LATIN.replace(b"\n", b"\r\n"), _LATIN),  # what no UTF-8 there is stays
        ({"task": "4"}, _ANSWERED.replace(b"U 1", b"U 0"), ANSWERS.replace(b"U Y", b"U N")),
        # a document of two scores keeps the better, and ranks follow; the number of an article stands alone
        ({"task": "3"},
         lines("R06-01-A Q0 Art.96 1 3 T", "R06-01-A Q0 7 2 2 T", "R06-01-A Q0 96 3 1 T", "R06-01-A Q0 8 4 0 T"),
         lines("R06-01-A Q0 96 1 3 T", "R06-01-A Q0 7 2 2 T", "R06-01-A Q0 8 3 0 T")),
        # lines of six and of three columns stay with their queries
        ({}, lines("000101 Q0 000201 2 1 T", "000101 Q0 000202 1 5 T", "000102 000203 T", "000102 Q0 000204 1 9 T"),
         lines("000101 000202 T", "000101 000201 T", "000102 000203 T", "000102 000204 T")),
        # JSON in every shape
        *(({}, shape.encode(), lines("000101 000202 run", "000101 000201 run", "000102 000204 run")) for shape in (
            '{"000101": ["000202", "000201"]}\n{"000102": ["000204"]}\n',
            '{"000101": [["000201", 0.5], ["000202", 0.75]], "000102": [["000204", 1]]}')),
        # zeros: cases are written as the queries are, which are cases; documents that nobody judged as those of a gold
        ({"queries": "ids.txt"}, re.sub(rb"\b0+", b"", RUN1), RUN1),
        ({"gold": "gold.json"}, lines("101 209 T"), lines("000101 000209 T")),
        # a run tag is written in every line, where lines differ, and in columns of JSON
        *(({"tag": "ALPHA1"}, text, RUN1) for text in (
            RUN1.replace(b" ALPHA1", b""), RUN1.replace(b"ALPHA1", b"two words"), json.dumps(RANKED).encode())),
        # questions in any spelling
        ({"queries": "test.xml", "task": "4"}, "R7-1-ア Y T\n令和７年-2-イ N T\n".encode(),
         lines("R07-01-A Y T", "R07-02-I N T")),
    ],
)  # fmt: skip
def test_a_copy_has_what_was_meant(options, broken, mended):
    put("gold.json", GOLD1)
    put("ids.txt", "".join(f"{query}\n" for query in RANKED))
    put("test.xml", '<dataset><pair id="R07-01-A"><t2>x</t2></pair><pair id="R07-02-I"><t2>x</t2></pair></dataset>')
    validate(put("run", broken), fix="mended", **{"task": "1"} | options)
    assert Path("mended").read_bytes() == mended


def test_standard_input_and_compressed_files_are_read(call, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(RUN1.replace(b"\n", b"\r\n"))))
    Path("out").mkdir()
    code, out, err = call("-", "--fix", "out")
    assert (code, out.splitlines()[0]) == (0, "<stdin>")
    assert matches(err.splitlines()[-1], "…<stdin>: … out/stdin.txt … nothing …")
    put("run.txt.gz", gzip.compress(RUN1.replace(b"000201", b"000201.txt")))
    assert [rule for _, rule, _ in found("run.txt.gz", fix="mended.gz")] == ["txt-suffix"]
    assert gzip.decompress(Path("mended.gz").read_bytes()) == RUN1


S, L = T3.files["task3.ALPHA"], T3_2025.files["task3-L.ALPHA"]
NULLS = lines(broken.instance("0", None, [None, None], [None]))
NULL_CLAIM = PILOT.replace(b'"is_accepted": false', b'"is_accepted": null', 1)
NULL_DECISION = PILOT.replace(b'"court_decision": true', b'"court_decision": null', 1)
FIRST, SECOND = (b"".join(RUN1.splitlines(True)[part]) for part in (slice(6), slice(6, None)))
WORDS = [lines(*(f"00000{n} 000090 {tag}" for n, tag in enumerate(tags)))
         for tags in (["run A"] * 3 + ["ALPHA"], ["ALPHA"] * 3 + ["run A"])]  # fmt: skip
LACKING = {"s": b"".join(S.splitlines(True)[3:]), "y": b"".join(ANSWERS.splitlines(True)[1:]), "q": GOLD3}

#: files, what is told (which names those of them that are not the submission's), and what is found
FOUND = (
    # in the order of the files, the gravest first
    ({"c": RUN1 + b"\n", "b": b"\n" + RUN1.replace(b"\n", b"\r\n").replace(b"ALPHA1", b"A.1"), "a": RUN1}, {},
     [("c", "blank-line", 1), ("b", "tag-characters", 10), ("b", "crlf", 10), ("b", "blank-line", 1),
      ("a", "tag-shared", 1)]),
    # an empty file stops no other
    ({"empty": b"", "run": RUN1 + b"\n"}, {}, [("empty", "empty", 1), ("run", "blank-line", 1)]),
    # words are a tag where most lines end in them
    ({"a": WORDS[0].replace(b" 0", b"\t0")}, {"task": "1"},
     [("a", "separator", 4), ("a", "tag-words", 3), ("a", "tag-differs", 1)]),
    ({"a": WORDS[1]}, {"task": "1"}, [("a", "columns", 1)]),
    # documents in the place of the tag are none
    ({"a": lines("827 013 020", "828 011 007")}, {"task": "2"}, [("a", "unreadable", 1)]),
    ({"a": lines("827 013 020", "828 011")}, {"task": "2"}, [("a", "unreadable", 1), ("a", "tag-missing", 1)]),
    # what has no numeral is no article of a question; all 1 are no labels
    ({"a": _MARKED}, {}, [("a", "not-ascii", 2), ("a", "label-unknown", 2)]),
    ({"a": _ANSWERED.replace(b"U 1", b"U N")}, {"task": "4"}, [("a", "label-unknown", 2)]),
    # answers may come first; another tag in one line makes no other run; a file without a tag may be what is missing
    ({"answers.ALPHA": ANSWERS, "task3.ALPHA": S}, {}, []),
    ({"s": S.replace(b"5 3 197.5 ALPHA", b"5 3 197.5 BETA"), "y": ANSWERS}, {}, [("s", "tag-differs", 1)]),
    ({"s": S, "y": ANSWERS.replace(b" ALPHA", b"")}, {}, [("y", "tag-missing", 3)]),
    # both files of 2026 may lack a query
    ({"s": LACKING["s"], "y": LACKING["y"]}, {}, []),
    (LACKING, {"queries": "q"}, [("s", "query-missing", 1), ("y", "query-missing", 1)]),
    # only the ids of a gold are looked at; a list of ids is a corpus for every task
    ({"run.txt": RUN1, "g": json.dumps({query: ["000299"] for query in RANKED})}, {"gold": "g"}, []),
    ({"s": T3_2025.files["task3.ALPHA"], "ids": b"96\n121-2\n398-20\n7\n8\n"}, {**OF_2025, "corpus": "ids"},
     [("s", "document-unknown", 1), ("s", "long-list-missing", 1)]),
    # ids of six digits are none of Task 2
    ({"run.txt": lines("000827 025 T", "0827 025 T", "1025 003 T")}, {"task": "2"}, [("run.txt", "query-form", 2)]),
    # votes and scores are no run tag, nor are answers that all are 1
    ({"a": lines("R06-01-A Y N 5", "R06-01-U N N 5", "R06-02-I Y N 5")}, {}, [("a", "columns", 3)]),
    ({"a": lines("000101 000201 0.5 A", "000102 000204 0.5 A")}, {"task": "1"}, [("a", "columns", 2)]),
    ({"a": _ANSWERED.replace(b" ALPHA", b"")}, {"task": "4"}, [("a", "tag-missing", 3), ("a", "label-form", 3)]),
    # both tasks of the pilot
    ({"a": NULL_CLAIM}, {}, [("a", "null-acceptance", 1)]),
    ({"a": NULL_CLAIM}, {"task": "tort"}, []),
    ({"a": NULL_DECISION}, {"task": "rationale"}, []),
    ({"a": NULLS}, {}, [("a", "null-decision", 1), ("a", "null-acceptance", 3)]),
    # the files of three runs are three runs, files of one tag are runs of their own, and of several years they are one
    ({name.replace("ALPHA", tag): content.replace(b"ALPHA", tag.encode()) for tag in ("ALPHA", "BETA", "GAMMA")
      for name, content in T3_2025.files.items()}, OF_2025, []),
    ({f"{n}": RUN1 for n in range(4)}, {},
     [*((f"{n}", "tag-shared", 1) for n in (1, 2, 3)), ("3", "runs", 4)]),
    ({"R01": FIRST, "R02": SECOND, "g": GOLD1}, {"gold": "g"}, []),
    ({"R01": FIRST, "g": GOLD1}, {"gold": "g"}, [("R01", "query-missing", 2)]),
    ({"R01": FIRST, "R02": SECOND.replace(b"ALPHA1", b"OTHER"), "g": GOLD1}, {"gold": "g"},
     [("R01", "query-missing", 2), ("R02", "query-missing", 2)]),
    # the long list is known by its name
    *(({name: L}, OF_2025, [(name, "answer-set-missing", 1)]) for name in ("Task3-l_A.txt", "team task3-L.A")),
    ({"task3-llm.A": L}, OF_2025, [("task3-llm.A", "long-answer", 3), ("task3-llm.A", "long-list-missing", 1)]),
)  # fmt: skip


@pytest.mark.parametrize(("files", "told", "expected"), FOUND)
def test_what_is_found_in_several_files(files, told, expected):
    sent = [put(name, content) for name, content in files.items() if name not in told.values()]
    for name in files.keys() - set(sent):
        put(name, files[name])
    assert found(*sent, **told) == expected
    assert found(*sent, *sent, **told) == expected  # a file named twice counts once


@pytest.mark.parametrize(
    ("run", "told", "rule", "advice"),
    [
        (S.replace(b" 96 ", b" 0096 "), {**OF_2025, "corpus": "ids.txt"}, "document-form", "…; here 96"),
        (S.replace(b" 121-2 ", b" 121-7 "), {**OF_2025, "corpus": "ids.txt"},  # not its end
         "document-unknown", "write ids as the corpus does"),
        (lines("R07-01-U 96 A"), {"task": "3"}, "columns", "…--to trec"),
        (lines("000201 000101 A", "000202 000101 A"), {"task": "1", "queries": "gold.json"}, "query-unknown",
         "… query first …"),
        *((b'{"R06-01-A": "Y", "R06-02-A": "N"}', {"task": task}, "form", "…--to labels") for task in "13"),
        (RUN1.replace(b"000101", b"101").replace(b"000102", b"000l02"), {"task": "1"}, "query-form", "… 000101; …"),
        (RUN1.replace(b"000101", b"000109"), {"task": "1", "queries": "gold.json"}, "query-unknown",
         "is this the run of another year or task?"),
    ],
)  # fmt: skip
def test_the_remedy_is_that_of_the_likeliest_mistake_the_first(run, told, rule, advice):
    put("ids.txt", "96\n121-2\n398-20\n7\n8\n5\n")
    put("gold.json", GOLD1)
    finding = next(finding for finding in validate(put("run.x", run), **told).findings if finding.rule == rule)
    assert matches(heard(finding.advice), advice)


def test_a_file_of_the_pilot_is_checked_for_both_its_tasks(call):
    code, out, err = call(put("a.jsonl", NULL_CLAIM))
    assert (code, "rationale extraction" in out, "tasks tort and rationale" in err) == (1, True, True)
    assert (validate("a.jsonl").tasks, validate("a.jsonl", task="tort").tasks) == (("tort", "rationale"), ("tort",))


@pytest.mark.parametrize("content", [DESCRIPTION, b"one\ntwo or three\n", b"[1, 2", b'{"000103": []}'])
def test_what_is_no_gold_is_refused_as_by_evaluate(content):
    put("run.txt", RUN1)
    put("gold.x", content)
    with pytest.raises(InputError) as scored:
        evaluate("gold.x", "run.txt", task="1")
    with pytest.raises(InputError, match=re.escape(str(scored.value))):
        validate("run.txt", task="1", gold="gold.x")
    if not content.startswith(b"{"):  # nor does it name queries
        with pytest.raises(InputError):
            validate("run.txt", task="1", queries="gold.x")


def test_several_golds_name_the_queries_together(call):
    put("run.txt", RUN1)
    first, *others = RANKED
    golds = [put("years/a.json", json.dumps({first: ["000001"]}))]
    golds += [put("years/b.json", json.dumps({query: ["000001"] for query in others}))]
    assert ("run.txt", "query-unknown", len(others)) in found("run.txt", gold=golds[0])
    assert found("run.txt", gold=golds) == found("run.txt", gold="years") == []
    assert call("run.txt", "--gold", golds[0], "--gold", golds[1])[0] == 0
    assert call("run.txt", "--gold", "years", "--fix", golds[1])[0] == 2  # would be written over


def test_names_of_columns_hold_for_the_submission_and_the_gold(call):
    put("gold.tsv", "thema stelle urteil\n001 013 1\n002 007 1\n")
    put("own.csv", "thema,stelle\n001,013\n002,007\n")
    put("turned.csv", "stelle,thema\n013,001\n007,002\n")
    named = ("--task", "2", "--gold", "gold.tsv", "--columns", "query=thema,document=stelle,relevance=urteil")
    code, out, _ = call("own.csv", *named, "--fix", "copy.txt", "--tag", "T")
    assert (code, "header" in out) == (1, True)
    assert Path("copy.txt").read_text() == "001 013 T\n002 007 T\n"
    assert call("copy.txt", "--task", "2", "--gold", "gold.tsv")[0] == 2
    # columns in another order: the remedy is a command that works
    remedy = "--columns query=thema,document=stelle"
    assert f"--to columns {remedy}" in call("turned.csv", "--task", "2", *remedy.split())[1]


def test_a_validation_counts_its_findings():
    result = validate(put("run.txt", b"\n" + RUN1.replace(b"\n", b"\r\n").replace(b"ALPHA1", b"A.1")))
    assert [result.count(severity) for severity in Severity] == [1, 1, 1]
    assert result.errors == 1
    assert matches(
        heard(str(result.findings[0])),
        "run.txt:2:15: error: … 10 lines … (first: line 2, column 15: 'A.1'; line 3, column 15: 'A.1'; line 4, "
        "column 15: 'A.1'); write A1: … [tag-characters, … ]",
    )
    put("tag.txt", b"R07-01-A Y LEG\xc9R\nR07-01-U Y LEG\xc9R\nR07-02-\xc9 Y LEG\xc9R\n")
    (finding,) = (found for found in validate("tag.txt", fix="fixed.txt").findings if found.rule == "not-utf8")
    assert (finding.count, finding.mended) == (4, 3)  # those in tags


def test_the_hook_of_pre_commit_names_a_command_that_there_is():
    text = (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    program, command = re.findall(r"^  entry: (\S+) (\S+)$", text, re.MULTILINE)[0]
    assert f'\n{program} = "coliee_ir.__main__:run"\n' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert command in COMMANDS and "- id: coliee-ir-validate\n" in text
