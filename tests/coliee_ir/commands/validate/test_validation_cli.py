"""The command ``validate``, and what the broken submissions do not show: several files, what is given beside them."""

import gzip
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from asserting import begins, failing, heard, matches, mentions, refusing
from broken import (
    ANSWERS,
    CODE,
    DESCRIPTION,
    GOLD1,
    GOLD3,
    PILOT,
    RANKED,
    RUN1,
    RUN2,
    T3,
    T3_2025,
    instance,
    lines,
    trec,
)
from places import ROOT

from coliee_adapters.errors import InputError, UsageError
from coliee_ir import evaluate, validate
from coliee_ir.cli import COMMANDS
from coliee_ir.commands.validate import RULES, Severity
from coliee_ir.rules.protocol import NEWEST, PROTOCOLS, SUBMISSION_RULES, Authority, protocol, submission_rules

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


# exit codes


def test_a_clean_file_exits_with_0_and_says_so(call):
    assert matches(
        heard(call(put("run.txt", RUN1))),
        (
            0,
            "0 errors, 0 warnings, 0 notes in 1 file\n",
            f"task 1 of {NEWEST} …\n",
        ),
    )


def test_warnings_and_notes_exit_with_0_and_errors_with_1(call):
    assert matches(
        heard(call(put("run.txt", RUN1 + b"\n# end\n"), "--task", "1")[:2]),
        (
            0,
            (
                "run.txt\n"
                "  warning  1 comment line\n"
                "           line 12: '# end'\n"
                "           → …; --fix: taken out  [comment, this project]\n"
                "  note     1 blank line\n"
                "           line 11\n"
                "           → remove it; --fix: taken out  [blank-line, this project]\n"
                "0 errors, 1 warning, 1 note in 1 file\n"
            ),
        ),
    )
    assert call(put("run.txt", RUN1.replace(b" ", b",")))[0] == 1


REFUSED = {
    "no.txt": "no.txt: [no-file]",
    "run.txt no.txt": "no.txt: [no-file]",
    "folder": "[empty] folder …",
    "cut.gz": "cut.gz: [damaged] gzip …",
    "odd.txt": "[unknown-task] odd.txt …",
    "only.txt": "[unknown-task] only.txt …",
    "run.txt --edition 1999": "[unknown-edition] 1 … 1999 …",
    "run.txt --gold no.json": "no.json: [no-file]",
    "run.txt --corpus folder": "folder: [empty] case …",
    "run.txt --corpus run.txt": "run.txt: [not-a-file]",
    "run.txt --task tort --corpus run.txt": "[option-needed]",
    "- --queries -": "[named-twice]",
    # corrected copies take no other file's place
    "run.txt --fix run.txt": "[would-overwrite] run.txt …",
    "run.txt --fix link.txt": "[would-overwrite] link.txt …",
    "run.txt --fix .": "[would-overwrite] run.txt …",
    "run.txt --gold gold.json --fix gold.json": "[would-overwrite] gold.json …",
    "a/run.txt run.txt --task 1 --fix out": "[would-overwrite]",
    "run.txt other.txt --task 1 --fix gold.json": "[not-a-file] gold.json …",
    "a/run.txt other.txt --task 1 --fix .": "[would-overwrite] other.txt …",
    "run.txt --fix -": "[not-a-file] - …",
    "run.txt --fix /dev/null": "[not-a-file] /dev/null …",
    "run.txt --fix no/run.txt": "no/run.txt: [cannot-write] No such file or directory …",
    # run tags that cannot be written
    "run.txt --tag A-B --fix out.txt": "[bad-value] --tag … 'A-B' …",
    "run.txt --tag ABCDEFGHIJKLM --fix out.txt": "[bad-value] --tag … 12 …",
    "run.txt --tag= --fix out.txt": "[bad-value] --tag …",
    "run.txt --tag AB": "[option-needed] --tag … --fix OUT",
    "run.txt second.txt --tag AB --fix out": "[ambiguous] --tag …",
    "a.jsonl --tag AB --fix out.txt": "[unfit-option] --tag …",
}


@pytest.mark.parametrize("arguments", REFUSED)
def test_what_cannot_be_done_is_refused_and_nothing_is_written(arguments, call):
    for name in ("run.txt", "other.txt", "a/run.txt"):
        put(name, RUN1)
    put("second.txt", RUN1.replace(b"ALPHA1", b"ALPHA2"))
    put("gold.json", GOLD1)
    put("a.jsonl", PILOT)
    put("odd.txt", "a b c\n")
    put("only.txt", "# nothing yet\n")
    put("cut.gz", gzip.compress(RUN1 * 99)[:99])
    Path("folder").mkdir()
    Path("link.txt").symlink_to("run.txt")
    err = failing(call, *arguments.split())
    assert begins(err, f"coliee-ir: {REFUSED[arguments]}")
    assert err.count("\n") == 1
    assert (Path("run.txt").read_bytes(), Path("gold.json").read_text()) == (RUN1, GOLD1)
    assert not Path("out.txt").exists() and not list(Path().glob("out/*"))


@pytest.mark.parametrize("arguments", ["run.txt --queries a --gold b", "run.txt --task 9", ""])
def test_a_command_that_is_none_is_refused(arguments, call):
    assert failing(call, *arguments.split()).startswith("coliee-ir validate: ")


def test_both_gold_and_queries_are_refused_in_python_too():
    with refusing(UsageError, "[option-conflict]"):
        validate(put("run.txt", RUN1), gold="a", queries="b")
    with refusing(UsageError, "[no-run]"):
        validate()


# forms of output


def test_the_json_has_these_keys(call):
    put("run.txt", RUN1.replace(b"000201", b"000201.txt"))
    code, out, _ = call("run.txt", "-f", "json", "--fix", "mended.txt")
    whole = json.loads(out)
    assert code == 1
    places = [{"line": line, "column": 8, "found": "000201.txt"} for line in (1, 5)]
    assert {key: value for key, value in whole.items() if key not in ("coliee_ir", "findings", "inputs")} == {
        "task": "1", "tasks": ["1"], "edition": NEWEST, "files": ["run.txt"],
        "summary": {"error": 1, "warning": 0, "note": 0}, "mended": {"run.txt": "mended.txt"}, "left": [],
    }  # fmt: skip
    assert matches(heard(whole["findings"]), [{
        "file": "run.txt", "rule": "txt-suffix", "severity": "error", "count": 2, "says": "… 2 …",
        "remedy": "write the number alone", "source": "organisers' page, submissions", "fix": "taken off", "mended": 2,
        "places": places,
    }])  # fmt: skip


def test_a_line_for_each_place_goes_to_github(call):
    put("run.txt", RUN1.replace(b"000201", b"000201.txt").rstrip())
    assert matches(
        heard(call("run.txt", "-f", "github")[1]),
        "::error file=run.txt,line=1,col=8,title=txt-suffix:: … 2 … ('000201.txt'); …\n"
        "::error file=run.txt,line=5,col=8,title=txt-suffix:: … 2 … ('000201.txt'); …\n"
        "::notice file=run.txt,line=10,title=no-newline:: …\n",
    )


HOSTILE = "a,b:c%0A\n::error::\x1b[31m\u202e\udcff.txt"


@pytest.mark.parametrize("form", ["table", "json", "github"])
def test_names_and_ids_cannot_do_harm(form, call):
    try:
        put(HOSTILE, RUN1 + "000104 ::error::%0A,x\x1b[31m\u202e ALPHA1\n000104 000208 {n}{0}\n{} {}\n".encode())
    except OSError:
        pytest.skip("the file system has no such names")
    code, out, err = call(HOSTILE, "--task", "1", "-f", form)
    assert code == 1
    assert err == f"task 1 of {NEWEST}\n"
    if form == "json":
        assert json.loads(out)["files"] == [HOSTILE]
        return
    assert all(line.isprintable() for line in out.splitlines())
    if form == "github":
        for line in out.splitlines():
            assert re.fullmatch(r"::(error|warning|notice) (\w+=[^:,]*,)*\w+=[^:,]*::[^\n]*", line)
            assert "file=a%2Cb%3Ac%250A%0A%3A%3Aerror" in line
            assert not re.search(r"%(?!0A|0D|25|2C|3A)", line)
    else:
        assert out.startswith("a,b:c%0A\\n::error::\\x1b[31m\\u202e\\udcff.txt\n")


def test_a_long_line_is_not_shown_whole(call):
    put("run.txt", RUN1 + b"x" * 10_000 + b"\n")
    for form in ("table", "json", "github"):
        assert max(map(len, call("run.txt", "--task", "1", "-f", form)[1].splitlines())) < 400


# mending


def test_a_mended_copy_is_written_and_said(call):
    put("run.txt", RUN1.replace(b"000201", b"000201.txt").replace(b"000101 000203 ALPHA1", b"000101 000203"))
    code, out, err = call("run.txt", "--fix", "mended.txt")
    assert matches(heard((code, err.splitlines()[1])), (1, "run.txt: … mended.txt … nothing …"))
    assert mentions(out, "→ …; mended: …")
    assert Path("mended.txt").read_bytes() == RUN1
    put("run.txt", RUN1.replace(b"000202", b"202").replace(b"000201", b"000201.txt"))
    code, out, err = call("run.txt", "--fix", "mended.txt")
    assert matches(err.splitlines()[1], "run.txt: … mended.txt … 1 error …")
    assert mentions(out, "… 000202 …; not mended")


def test_part_of_what_is_found_may_be_mended(call):
    put("run.txt", RUN1.replace(b" ALPHA1", b"", 1).replace(b"000103 000206 ALPHA1", b"000103\t"))
    _, out, _ = call("run.txt", "--task", "1", "--fix", "mended.txt")
    assert mentions(out, "→ …; mended: …")
    assert "000103\t\n" in Path("mended.txt").read_text()
    put("run.txt", RUN1.replace(b"000206", "00０206".encode()).replace(b"000207", "00é207".encode()))
    _, out, _ = call("run.txt", "--task", "1", "--fix", "mended.txt")
    assert mentions(out, "→ write ASCII; mended 1 of 2: …")


def test_a_line_left_to_a_decision_gets_the_cleaned_tag_too_or_its_old_tag_would_become_a_document(call):
    lines = ["000101 000201 ALPHA-12345678", "000101 ALPHA-12345678 ", "000102 000204 ALPHA-12345678"]
    put("run.txt", "".join(f"{line}\n" for line in lines).encode())
    call("run.txt", "--task", "1", "--fix", "once.txt")
    assert Path("once.txt").read_text().split("\n")[1] == "000101 ALPHA1234567"
    _, out, _ = call("once.txt", "--task", "1", "--fix", "twice.txt")
    assert "[columns," in out
    assert Path("twice.txt").read_bytes() == Path("once.txt").read_bytes()
    call("run.txt", "--task", "1", "--fix", "named.txt", "--tag", "NEW")
    assert Path("named.txt").read_text().split("\n")[1] == "000101 NEW"


def test_a_file_that_cannot_be_read_gets_no_copy(call):
    put("run.txt", b'{"000101": ["000201"')
    code, out, err = call("run.txt", "--task", "1", "--fix", "mended.txt")
    assert code == 1
    assert matches(
        heard([line.split("[")[-1] for line in out.splitlines() if line.startswith("           →")]),
        [
            "unreadable, this project]",
            "json, … ]",
        ],
    )
    assert "Expecting ',' delimiter" in out
    assert "coliee-ir convert run.txt OUT --to columns" in out
    assert matches(err.splitlines()[1], "run.txt: …")
    assert not Path("mended.txt").exists()


def test_two_runs_do_not_come_to_share_a_tag():
    tags = ["neural-run-of-2026a", "neural-run-of-2026b", "A-B"]
    files = [put(f"{n}.txt", RUN1.replace(b"ALPHA1", tag.encode())) for n, tag in enumerate(tags)]
    Path("out").mkdir()
    after = validate(*files, task="1", fix="out")
    written = [Path(f"out/{n}.txt").read_text().split()[2] for n in range(3)]
    assert written == ["neuralrunof2026a", "neuralrunof2026b", "AB"]
    assert [(f.file, f.rule) for f in after.left] == [("0.txt", "tag-length"), ("1.txt", "tag-length")]


@pytest.mark.parametrize("folder", ["out", "new/out", "new/"])
def test_the_articles_and_the_answers_keep_one_tag_in_a_folder_that_is_made(folder):
    for name, content in T3.files.items():
        put(name, content.replace(b"ALPHA", b"AL-PHA"))
    after = validate(*T3.files, fix=folder)
    assert not after.left
    assert set(after.mended.values()) == {str(Path(folder, name)) for name in T3.files}


_LATIN = RUN1.replace(b"000203", b"00020\xe9")


@pytest.mark.parametrize(
    ("task", "broken", "mended"),
    [
        ("1", _LATIN.replace(b"\n", b"\r\n"), _LATIN),  # what no UTF-8 there is stays
        # a document of two scores keeps the better, and ranks follow
        ("3", lines("R06-01-A Q0 96 1 3 T", "R06-01-A Q0 7 2 2 T", "R06-01-A Q0 96 3 1 T", "R06-01-A Q0 8 4 0 T"),
         lines("R06-01-A Q0 96 1 3 T", "R06-01-A Q0 7 2 2 T", "R06-01-A Q0 8 3 0 T")),
        # the number of an article stands alone
        ("3", lines("R06-01-A Q0 Article_96 1 3 T", "R06-01-A Q0 Art. 398-20 2 2 T".replace(". ", ".")),
         lines("R06-01-A Q0 96 1 3 T", "R06-01-A Q0 398-20 2 2 T")),
        # lines of six and of three columns stay with their queries
        ("1", lines("000101 Q0 000201 2 1 T", "000101 Q0 000202 1 5 T", "000102 000203 T", "000102 Q0 000204 1 9 T"),
         lines("000101 000202 T", "000101 000201 T", "000102 000203 T", "000102 000204 T")),
        # JSON in every shape
        *(("1", shape.encode(), lines("000101 000202 run", "000101 000201 run", "000102 000204 run")) for shape in (
            '{"000101": ["000202", "000201"]}\n{"000102": ["000204"]}\n',
            '{"000101": [["000201", 0.5], ["000202", 0.75]], "000102": [["000204", 1]]}',
            '{"qid": "000101", "docid": "000201", "score": 0.5}\n{"qid": "000101", "docid": "000202", "score": 0.75}\n'
            '{"qid": "000102", "docid": "000204", "score": 1}\n')),
    ],
)  # fmt: skip
def test_a_copy_has_what_was_meant(task, broken, mended):
    validate(put("run", broken), task=task, fix="mended")
    assert Path("mended").read_bytes() == mended


@pytest.mark.parametrize(("judged", "fixed"), [("000201", "000209"), ("201", "209")])
def test_documents_that_need_not_be_judged_get_the_zeros_of_those_of_the_gold(judged, fixed):
    put("gold.json", json.dumps({"000101": [judged]}))
    put("run", lines("000101 209 T"))
    validate("run", task="1", gold="gold.json", fix="mended")
    assert Path("mended").read_text().split()[1] == fixed


def test_ties_of_six_columns_are_broken_as_they_are_scored():
    put("gold.json", GOLD1)
    put("run.txt", lines(*(f"000101 Q0 {d} 1 1.0 T" for d in ("000201", "000203", "000207", "000202"))))
    validate("run.txt", task="1", fix="mended.txt")
    measures = ["MicroR@1", "MicroR@2", "AP"]
    scores = [evaluate("gold.json", name, task="1", measures=measures).measures for name in ("run.txt", "mended.txt")]
    assert scores[0] == scores[1]


# streams, compression


def test_standard_input_and_compressed_files_are_read(call, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(RUN1.replace(b"\n", b"\r\n"))))
    Path("out").mkdir()
    code, out, err = call("-", "--fix", "out")
    assert (code, out.splitlines()[0]) == (0, "<stdin>")
    assert matches(err.splitlines()[-1], "…<stdin>: … out/stdin.txt … nothing …")
    put("run.txt.gz", gzip.compress(RUN1.replace(b"000201", b"000201.txt")))
    assert [rule for _, rule, _ in found("run.txt.gz", fix="mended.gz")] == ["txt-suffix"]
    assert gzip.decompress(Path("mended.gz").read_bytes()) == RUN1


# several files


S, L = T3.files["task3.ALPHA"], T3_2025.files["task3-L.ALPHA"]
IDS = b"96\n121-2\n398-20\n7\n8\n"
OF_2025 = {"task": "3", "edition": 2025}
NULLS = lines(instance("0", None, [None, None], [None]))
UNFILLED = lines(instance("0", True, [None, None], [None]))
NULL_CLAIM = PILOT.replace(b'"is_accepted": false', b'"is_accepted": null', 1)
NULL_DECISION = PILOT.replace(b'"court_decision": true', b'"court_decision": null', 1)
EMPTY_ID = b'{"tort_id": "", "plaintiff_claims": [], "defendant_claims": [], "court_decision": true}\n'

#: files, what is told (which names those of them that are not the submission's), and what is found
FOUND = (
    # in the order of the files, the gravest first
    ({"c": RUN1 + b"\n", "b": b"\n" + RUN1.replace(b"\n", b"\r\n").replace(b"ALPHA1", b"A.1"), "a": RUN1}, {},
     [("c", "blank-line", 1), ("b", "tag-characters", 10), ("b", "crlf", 10), ("b", "blank-line", 1),
      ("a", "tag-shared", 1)]),
    # an empty file stops no other
    ({"empty": b"", "run": RUN1 + b"\n"}, {}, [("empty", "empty", 1), ("run", "blank-line", 1)]),
    ({"empty": b""}, {}, [("empty", "empty", 1)]),
    # answers may come first; another tag in one line makes no other run; a file without a tag may be what is missing
    ({"answers.ALPHA": ANSWERS, "task3.ALPHA": S}, {}, []),
    ({"s": S.replace(b"5 197.5 ALPHA", b"5 197.5 BETA").replace(b"3 197.5 ALPHA", b"3 197.5 BETA"), "y": ANSWERS}, {},
     [("s", "tag-differs", 1)]),
    ({"s": S, "y": ANSWERS.replace(b" ALPHA", b"")}, {}, [("y", "tag-missing", 3)]),
    ({"s": S, "y": ANSWERS.replace(b" Y ", b" 1 ")}, {"task": "3"}, [("y", "label-form", 3)]),
    # both files of 2026 may lack a query
    ({"s": b"".join(S.splitlines(True)[3:]), "y": b"".join(ANSWERS.splitlines(True)[1:])}, {}, []),
    ({"s": b"".join(S.splitlines(True)[3:]), "y": b"".join(ANSWERS.splitlines(True)[1:]), "q": GOLD3}, {"queries": "q"},
     [("s", "query-missing", 1), ("y", "query-missing", 1)]),
    # only the ids of a gold are looked at; a list of ids is a corpus for every task
    ({"run.txt": RUN1, "g": json.dumps({query: ["000299"] for query in RANKED})}, {"gold": "g"}, []),
    ({"s": T3_2025.files["task3.ALPHA"], "task3-L.x": L, "code.txt": CODE}, {**OF_2025, "corpus": "code.txt"}, []),
    ({"s": T3_2025.files["task3.ALPHA"], "ids": IDS}, {**OF_2025, "corpus": "ids"},
     [("s", "document-unknown", 1), ("s", "long-list-missing", 1)]),
    # votes are no run tag
    ({"a": lines("R06-01-A Y N 5", "R06-01-U N N 5", "R06-02-I Y N 5")}, {}, [("a", "columns", 3)]),
    # both tasks of the pilot
    ({"a": NULL_CLAIM}, {}, [("a", "null-acceptance", 1)]),
    ({"a": NULL_CLAIM}, {"task": "rationale"}, [("a", "null-acceptance", 1)]),
    ({"a": NULL_CLAIM}, {"task": "tort"}, []),
    ({"a": NULL_DECISION}, {}, [("a", "null-decision", 1)]),
    ({"a": NULL_DECISION}, {"task": "rationale"}, []),
    ({"a": NULLS}, {}, [("a", "null-decision", 1), ("a", "null-acceptance", 3)]),
    ({"a": UNFILLED}, {}, [("a", "no-acceptances", 1)]),
    ({"a": UNFILLED}, {"task": "tort"}, []),
    ({"a": UNFILLED}, {"task": "rationale"}, [("a", "null-acceptance", 3)]),
    ({"a": EMPTY_ID}, {}, [("a", "instance", 1)]),
    # the files of three runs are three runs, and files of one tag are runs of their own
    ({name.replace("ALPHA", tag): content.replace(b"ALPHA", tag.encode()) for tag in ("ALPHA", "BETA", "GAMMA")
      for name, content in T3_2025.files.items()}, OF_2025, []),
    ({f"{n}": RUN1 for n in range(4)}, {},
     [*((f"{n}", "tag-shared", 1) for n in (1, 2, 3)), ("3", "runs", 4)]),
)  # fmt: skip


@pytest.mark.parametrize(("files", "told", "expected"), FOUND)
def test_what_is_found_in_several_files(files, told, expected):
    sent = [put(name, content) for name, content in files.items() if name not in told.values()]
    for name in files.keys() - set(sent):
        put(name, files[name])
    assert found(*sent, **told) == expected
    assert found(*sent, *sent, **told) == expected  # a file named twice counts once


@pytest.mark.parametrize("name", ["task3-L.A", "Task3-l_A.txt", "team task3-L.A.gz", "task3-llm.A"])
def test_the_long_list_is_known_by_its_name(name):
    put(name, T3_2025.files["task3-L.ALPHA"])
    rules = {rule for _, rule, _ in found(name, task="3", edition=2025)}
    assert rules == ({"long-list-missing", "long-answer"} if "llm" in name else {"answer-set-missing"})


def test_the_order_of_what_is_found_does_not_depend_on_chance():
    put("task3.x", trec({f"R06-{n:02d}-A": ["7"] for n in range(1, 30)}, "T"))
    put("answers.x", lines(*(f"R06-{n:02d}-A Y T" for n in range(20, 60))))
    said = set()
    for seed in ("0", "2"):
        done = subprocess.run(
            [sys.executable, "-m", "coliee_ir", "validate", "-f", "json", "task3.x", "answers.x"],
            capture_output=True,
            check=False,
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
        )
        assert done.returncode == 0, done.stderr
        said.add(done.stdout)
    (text,) = said
    found_first = [finding["places"][0]["found"] for finding in json.loads(text)["findings"]]
    assert found_first == ["R06-30-A", "R06-01-A"]


# what is given beside the files


def test_a_corpus_without_ids_is_refused():
    put("run.x", S)
    put("prose.txt", "Some words\nand no article.\n")
    with refusing(InputError, "[empty]"):
        validate("run.x", corpus="prose.txt", task="3", edition=2025)


def test_a_case_of_task_2_without_paragraphs_is_a_fault_of_the_corpus():
    put("run.txt", RUN2)
    put("fragments/827/entailed_fragment.txt", "text")
    with refusing(InputError, "[no-file]"):
        validate("run.txt", task="2", corpus="fragments")


@pytest.mark.parametrize(
    ("old", "new", "rule", "advice"),
    [
        (b" 96 ", b" 0096 ", "document-form", "… corpus … corpus …; here 96"),
        (b" 121-2 ", b" 121-7 ", "document-unknown", "write ids as the corpus does"),  # not the end of its number
    ],
)
def test_the_remedy_names_what_the_ids_are_compared_with(old, new, rule, advice):
    put("run.x", T3_2025.files["task3.ALPHA"].replace(old, new))
    put("ids.txt", "96\n121-2\n398-20\n7\n8\n5\n")
    finding = validate("run.x", task="3", edition=2025, corpus="ids.txt").findings[0]
    assert matches(heard((finding.rule, finding.advice)), (rule, advice))


def test_a_query_is_told_once_and_the_first_remedy_counts():
    put("run.txt", RUN1.replace(b"000101", b"101").replace(b"000102", b"000l02"))
    (finding,) = validate("run.txt", task="1").findings
    assert matches(heard((finding.rule, finding.count, finding.advice)), ("query-form", 2, "… 000101 …"))
    assert [(place.line, place.found) for place in finding.places] == [(1, "101"), (4, "000l02")]
    put("gold.json", json.dumps({"000103": [], "000104": []}))
    (finding,) = validate("run.txt", task="1", queries="gold.json").findings
    assert (finding.rule, finding.count) == ("query-unknown", 2)


@pytest.mark.parametrize(
    ("name", "content", "task"),
    [
        ("run.txt", lines("8447 72495 T", "8447 12101 T", "91 2002 T", "91 30406 T"), "1"),
        ("run.json", json.dumps(RANKED).encode(), "1"),
        ("run.json", b'{"827.txt": "025.txt, 027.txt"}', "2"),
        ("run.csv", b"Query ID, Doc ID, Tag\n827,025,T\n828,001,T\n", "2"),
        ("run.txt", b"# ours\r\n\r\n" + RUN2, "2"),
        ("run.txt", lines("000101 Q0 000201 1 2.5 T"), "1"),
        ("run.x", ANSWERS.replace(b" ALPHA", b"").replace(b"R06-01-A", b"R06_01_A"), "4"),
        ("run.jsonl", re.sub(rb'"court_decision": \w+', b'"court_decision": null', PILOT), "rationale"),
    ],
)  # fmt: skip
def test_the_task_is_found_from_the_file(name, content, task):
    assert validate(put(name, content)).task == task


def test_labels_in_json_are_of_another_form():
    for task in ("1", "3"):
        (finding,) = validate(put("run.json", '{"R06-01-A": "Y", "R06-02-A": "N"}'), task=task).findings
        assert (finding.rule, "--to labels" in finding.advice) == ("form", True)


# the rules


def test_every_rule_names_its_source():
    assert {rule.source for rule in RULES.values()} <= set(Authority)
    for year, source, stated in ((2021, Authority.OVERVIEW_2021, True), (2024, Authority.OVERVIEW_2021, False)):
        rules = submission_rules("2", year)
        assert (rules.most_runs, rules.runs_source, rules.runs_stated) == (3, source, stated)


def test_submissions_have_rules_wherever_a_task_has_an_edition():
    for rules in PROTOCOLS:
        for year in range(rules.first, rules.last + 1) if rules.task != "trec" else ():
            of_files = submission_rules(rules.task, year)
            assert of_files.first <= year <= of_files.last
            has_columns = "documents" in rules.parts and rules.task != "rationale"
            assert bool(of_files.columns) == has_columns
            assert bool(of_files.long_list) <= bool(rules.long_list)
    for row in SUBMISSION_RULES:
        assert protocol(row.task, row.first)
        assert protocol(row.task, row.last)


def test_a_validation_counts_its_findings():
    put("run.txt", b"\n" + RUN1.replace(b"\n", b"\r\n").replace(b"ALPHA1", b"A.1"))
    result = validate("run.txt")
    assert [result.count(severity) for severity in Severity] == [1, 1, 1]
    assert result.errors == 1
    assert matches(
        heard(str(result.findings[0])),
        "run.txt:2:15: error: … 10 lines … (first: line 2, column 15: 'A.1'; line 3, column 15: 'A.1'; line 4, "
        "column 15: 'A.1'); write A1 [tag-characters, … ]",
    )


# around the command


def test_the_hook_of_pre_commit_names_a_command_that_there_is():
    text = (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    (entry,) = re.findall(r"^  entry: (.*)$", text, re.MULTILINE)
    program, command = entry.split()
    assert program in re.findall(
        r"^(\S+) = \"coliee_ir.__main__:run\"$", (ROOT / "pyproject.toml").read_text(), re.MULTILINE
    )
    assert command in COMMANDS
    assert re.findall(r"^- id: (.*)$", text, re.MULTILINE) == ["coliee-ir-validate"]
    assert "require_serial: true" in text


# both tasks of the pilot


def test_a_file_of_the_pilot_is_checked_for_both_its_tasks(call):
    put("a.jsonl", NULL_CLAIM)
    code, out, err = call("a.jsonl")
    assert (code, "rationale extraction" in out, "tasks tort and rationale" in err) == (1, True, True)
    assert validate("a.jsonl").tasks == ("tort", "rationale")
    assert validate("a.jsonl", task="tort").tasks == ("tort",)


# the run tag of a corrected copy


@pytest.mark.parametrize("tag", [b"", b" my-run", b" ALPHA", b" two words"])
def test_a_run_tag_is_written_in_every_line(tag, call):
    put("run.txt", RUN1.replace(b" ALPHA1", tag))
    code, _, err = call("run.txt", "--task", "1", "--fix", "mended.txt", "--tag", "OURS1")
    assert Path("mended.txt").read_bytes() == RUN1.replace(b"ALPHA1", b"OURS1")
    assert matches(err.splitlines()[1], "run.txt: … mended.txt … nothing …")
    assert code == (0 if tag == b" ALPHA" else 1)


def test_a_run_tag_is_written_where_lines_differ_and_in_columns_of_json():
    put("run.txt", RUN1.replace(b"ALPHA1", b"BETA", 2))
    put("run.json", json.dumps(RANKED))
    for name in ("run.txt", "run.json"):
        assert not validate(name, task="1", fix="mended.txt", tag="ALPHA1").left
        assert Path("mended.txt").read_bytes() == RUN1


def test_both_files_of_a_run_get_the_tag():
    for name, content in T3_2025.files.items():
        put(name, content.replace(b" ALPHA", b""))
    Path("out").mkdir()
    assert not validate(*T3_2025.files, task="3", edition=2025, fix="out", tag="ALPHA").left


# headers, descriptions, golds that are none


@pytest.mark.parametrize(
    "content",
    [
        b"Some words\nand no gold of any form\n",
        DESCRIPTION,
        b'{"000103": [], "000104": []}',
    ],
)
def test_what_is_no_gold_is_refused_as_by_evaluate(content):
    put("run.txt", RUN1)
    put("gold.x", content)
    with pytest.raises(InputError) as checked:
        validate("run.txt", task="1", gold="gold.x")
    with pytest.raises(InputError) as scored:
        evaluate("gold.x", "run.txt", task="1")
    assert str(checked.value) == str(scored.value)


@pytest.mark.parametrize("content", [DESCRIPTION, b"PK\x03\x04\n", b"one\ntwo or three\n", b"[1, 2"])
def test_what_names_no_queries_is_refused(content):
    put("run.txt", RUN1)
    put("queries.x", content)
    with pytest.raises(InputError):
        validate("run.txt", task="1", queries="queries.x")


@pytest.mark.parametrize("content", [RUN1, GOLD1.encode(), b"000101\n000102\n000103\n000104\n", trec(RANKED, "A")])
def test_queries_are_named_by_golds_runs_and_lists(content):
    put("run.txt", RUN1)
    put("queries.x", content)
    assert found("run.txt", task="1", queries="queries.x") == []


@pytest.mark.parametrize("tag", ["ALPHA1", "OTHER"])
def test_a_run_in_a_file_a_year_answers_the_queries_with_all_its_files(tag):
    rows = RUN1.splitlines(True)
    put("gold.json", GOLD1)
    put("R01.txt", b"".join(rows[:6]))
    put("R02.txt", b"".join(rows[6:]).replace(b"ALPHA1", tag.encode()))
    expected = [] if tag == "ALPHA1" else [("R01.txt", "query-missing", 2), ("R02.txt", "query-missing", 2)]
    assert found("R01.txt", "R02.txt", gold="gold.json") == expected
    assert found("R01.txt", gold="gold.json") == [("R01.txt", "query-missing", 2)]


def test_several_golds_name_the_queries_together(call):
    put("run.txt", RUN1)
    queries = dict.fromkeys(line.split()[0] for line in RUN1.decode().splitlines())
    first, *others = queries
    Path("years").mkdir()
    golds = [put("years/a.json", json.dumps({first: ["000001"]}))]
    golds += [put("years/b.json", json.dumps({query: ["000001"] for query in others}))]
    assert ("run.txt", "query-unknown", len(others)) in found("run.txt", gold=golds[0])
    assert found("run.txt", gold=golds) == found("run.txt", gold="years") == found("run.txt", gold=golds[::-1]) == []
    assert call("run.txt", "--gold", golds[0], "--gold", golds[1])[0] == 0
    err = failing(call, "run.txt", "--gold", golds[0], "--gold", golds[0])
    assert mentions(err, f"{golds[0]}: [duplicate] {golds[0]} …")
    assert call("run.txt", "--gold", "years", "--fix", golds[1])[0] == 2  # would be written over


def test_names_of_columns_hold_for_the_submission_and_the_gold(call):
    names = {"query": "thema", "document": "stelle", "relevance": "urteil"}
    given = ("--columns", ",".join(f"{role}={name}" for role, name in names.items()))
    put("gold.tsv", "thema stelle urteil\n001 013 1\n002 007 1\n")
    put("run.txt", "001 013 T\n002 007 T\n")
    put("own.csv", "thema,stelle\n001,013\n002,007\n")
    assert call("run.txt", "--gold", "gold.tsv")[0] == 2
    assert call("run.txt", "--gold", "gold.tsv", *given)[0] == 0
    assert found("run.txt", gold="gold.tsv", columns=names) == []
    code, out, _ = call("own.csv", "--gold", "gold.tsv", *given, "--task", "2", "--fix", "copy.txt", "--tag", "T")
    assert (code, "header" in out) == (1, True)
    assert Path("copy.txt").read_text() == "001 013 T\n002 007 T\n"
    # columns in another order: the remedy is a command that works
    put("turned.csv", "stelle,thema\n013,001\n007,002\n")
    code, out, _ = call("turned.csv", "--task", "2", "--columns", "query=thema,document=stelle")
    assert "--to columns --columns query=thema,document=stelle" in out
    code, out, err = call("run.txt", "--columns", "query=ort")
    assert (code, out, "query=ort" in err) == (2, "", True)
