"""One file never stops the others, and no file takes the machine."""

import gzip
import io
import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import one_step
import pytest
from asserting import clause, heard, mentions

from coliee_adapters.errors import ColieeError, InputError
from coliee_adapters.files.source import Source
from coliee_adapters.forms import json_text
from coliee_ir import Evaluator, validate
from coliee_ir.cli import main
from coliee_ir.judging import workers
from coliee_ir.reading import anything as reading
from coliee_ir.reading.submission import Submission
from coliee_ir.scoring import score as batch
from coliee_ir.scoring.score import score_each

GOLD = {"075578": ["000001"], "045094": ["000002"]}
GOOD = "075578 000001 GOOD\n045094 000002 GOOD\n"


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("gold.json").write_text(json.dumps(GOLD), encoding="utf-8")
    Path("runs").mkdir()
    Path("runs/good.txt").write_text(GOOD, encoding="utf-8")
    return tmp_path


def zipped():
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        archive.writestr("xl/workbook.xml", "x")
    return held.getvalue()


def sparse(path, start=""):
    path.write_text(start, encoding="utf-8")
    os.truncate(path, 20 << 30)


def packed(head, filler):
    """A gzip file of 200 MB, of members of 10 MB."""
    content = gzip.compress(head.encode(), mtime=0) + gzip.compress(filler.encode() * 10_000_000, mtime=0) * 20
    return lambda path: path.write_bytes(content) and None


#: a file that takes too much → how to make it, and a word of what is said of it
GREEDY = {
    "a line that is unpacked": (packed("", "A"), "longer than 1 MiB"),
    "JSON that is unpacked": (packed('{"075578": [', " "), "[too-large] 200 …"),
    "a sparse file": (sparse, "zero bytes"),
    "a sparse file with a beginning": (lambda path: sparse(path, GOOD * 2000), "longer than 1 MiB"),
    "sparse JSON": (lambda path: sparse(path, '{"075578": ["000001"]}' + " " * (1 << 16)), "too large to be held"),
    "a line": (lambda path: path.write_text("A" * 50_000_000), "longer than 1 MiB"),
    "a stream without end": (lambda path: path.symlink_to("/dev/zero"), "zero bytes"),
}  # fmt: skip

#: a command, and then its exit code, its greatest memory in KiB and its seconds; the memory that getrusage gives for
#: the process itself is that of the one that started it, where that is greater
MEASURED = """
import re, resource, sys
from pathlib import Path
from coliee_ir.cli import main
code = main(sys.argv[1:])
own = re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1]
used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
print(code, max(int(own), used[1].ru_maxrss), sum(one.ru_utime + one.ru_stime for one in used))
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is measured as Linux does")
@pytest.mark.parametrize(
    ("name", "command"),
    [
        *((name, ("evaluate", "gold.json")) for name in ("JSON that is unpacked", "a line", "a stream without end")),
        ("a line that is unpacked", ("validate", "--task", "1")),
        *(pytest.param(name, ("evaluate", "gold.json"), marks=pytest.mark.explore) for name in GREEDY),
    ],
)
def test_a_file_that_would_take_the_machine_ends_in_a_sentence(name, command):
    make, word = GREEDY[name]
    make(Path("run.txt"))
    done = subprocess.run([sys.executable, "-c", MEASURED, *command, "run.txt"], capture_output=True, text=True)
    code, kibibytes, seconds = map(float, done.stdout.splitlines()[-1].split())
    assert code in ((2,) if command[0] == "evaluate" else (1, 2))
    assert command[0] == "validate" or (mentions(heard(done.stderr), word) and done.stderr.count("\n") == 1)
    assert "Traceback" not in done.stderr
    assert kibibytes < 200 << 10
    assert seconds < 5  # of which starting takes most; a machine may be slow


def test_what_cannot_be_scored_leaves_the_others_their_scores(here, capsys):
    # a first block that ends before the first line with content does, which is a run all the same
    late = "\n075578 000001 LATE" + " " * (1 << 18) + "\n045094 000009 LATE\n"
    Path("runs/late.txt").write_text(late, encoding="utf-8")
    for name in ("a line that is unpacked", "JSON that is unpacked", "a sparse file"):
        GREEDY[name][0](Path("runs", name))
    Path("runs/book.xlsx").write_bytes(zipped())
    Path("runs/page.txt").write_text("<!DOCTYPE html><html>", encoding="utf-8")
    board = one_step.leaderboard("gold.json", "runs", task="1", n_resamples=99)
    assert [(entry.tag, entry.scores.measures["MicroF1"]) for entry in board.entries] == [("GOOD", 1.0), ("LATE", 0.5)]
    reasons = {one.files[0].removeprefix("runs/"): one.reason for one in board.invalid}
    (passed_over,) = [remark for remark in board.remarks if "not runs" in remark]
    assert "runs/a line that is unpacked" in passed_over  # a single word
    assert "runs/page.txt" in passed_over
    assert mentions(heard(reasons["JSON that is unpacked"]), "[too-large] 200 …")
    assert "zero bytes" in reasons["a sparse file"]
    assert "an Excel workbook" in heard(reasons["book.xlsx"])
    files = sorted(map(str, Path("runs").iterdir()))
    assert main(["evaluate", "gold.json", *files, "--keep-going", "--task", "1", "-f", "tsv"]) == 2
    captured = capsys.readouterr()
    assert [line.split("\t")[:2] for line in captured.out.splitlines()[1:]] == [["GOOD", "1.0"], ["LATE", "0.5"]]
    assert captured.err.count("coliee-ir: runs/") == 5


@pytest.fixture(params=[MemoryError, RecursionError])
def fault(request, monkeypatch):
    """A file whose reading takes more than there is."""
    parse = json_text.parse

    def parsed(text, name, first_line=1):
        if name.endswith("big.json"):
            raise request.param
        return parse(text, name, first_line)

    monkeypatch.setattr(json_text, "parse", parsed)
    Path("runs/big.json").write_text(json.dumps(GOLD, indent=2), encoding="utf-8")  # no copy of the gold


@pytest.mark.usefixtures("fault")
@pytest.mark.parametrize("threshold", [0, 1 << 40])
def test_want_of_memory_is_an_error_of_one_run(threshold, monkeypatch):
    monkeypatch.setattr(batch, "WORTH_A_PROCESS", threshold)
    results = list(score_each(Evaluator(GOLD, task="1"), map(Submission, ("runs/big.json", "runs/good.txt")), jobs=2))
    assert isinstance(results[0], InputError)
    assert results[0].path == "runs/big.json"
    assert "enough memory" in results[0].problem or "nested" in results[0].problem
    assert not isinstance(results[1], ColieeError)


@pytest.mark.usefixtures("fault")
def test_want_of_memory_for_the_gold_is_a_sentence(capsys):
    assert main(["evaluate", "runs/big.json", "runs/good.txt", "--task", "1"]) == 2
    assert capsys.readouterr().err.startswith("coliee-ir: runs/big.json: ")


@pytest.mark.parametrize("kind", [MemoryError, RecursionError])
def test_want_of_memory_while_blocks_are_read_is_an_error_of_that_run(kind, monkeypatch):
    def blocks(self, *_):
        raise kind

    monkeypatch.setattr(Source, "blocks", blocks)
    (result,) = score_each(Evaluator(GOLD, task="1"), [Submission("runs/good.txt")])
    assert isinstance(result, InputError)
    assert result.path == "runs/good.txt"


def test_a_worker_without_memory_is_an_error(monkeypatch):
    def starved():
        raise MemoryError

    for jobs in (1, 2):
        first, second = workers.results([starved, lambda: 1], jobs)
        assert isinstance(first, workers.WorkerError)
        assert second == 1


def test_the_last_resort_is_a_sentence(monkeypatch, capsys):
    def run(_):
        raise MemoryError

    monkeypatch.setattr("coliee_ir.cli.measures.run", run)
    assert main(["measures"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.usefixtures("fault")
def test_validate_checks_the_others(monkeypatch):
    Path("runs/long.txt").write_text(GOOD * 1000, encoding="utf-8")
    monkeypatch.setenv("COLIEE_IR_MAX_WHOLE", "20K")
    found = validate("runs/big.json", "runs/long.txt", "runs/good.txt", task="1")
    said = {finding.file: finding.remedy for finding in found.findings if finding.rule == "unreadable"}
    assert sorted(said) == ["runs/big.json", "runs/long.txt"]
    assert re.search("enough memory|nested|COLIEE_IR_MAX_WHOLE", said["runs/big.json"])
    assert "COLIEE_IR_MAX_WHOLE" in said["runs/long.txt"]


@pytest.mark.parametrize("returns", [1, 2, 5])
def test_carriage_returns_are_counted_one_by_one(returns):
    text = "075578 000001 A\r\n045094 000002 A" + "\r" * returns + "045094 000003 A\r\r\n045094 000004 A\n"
    Path("run.txt").write_bytes(text.encode())
    found = {finding.rule: finding for finding in validate("run.txt", task="1").findings}
    assert found["carriage-return"].count == returns
    assert [place.line for place in found["carriage-return"].places] == list(range(2, min(returns, 3) + 2))
    assert [place.line for place in found["crlf"].places] == [1, 2 + returns]


@pytest.mark.parametrize(
    ("text", "tag"),
    [
        ("<dataset>\n<pair id='H18-1-1' label='Y'>\n<pair id='H18-1-2' label='N'/></pair></dataset>", "pair"),
        ("<dataset><pair id='H18-1-1'>\n<t1>Article 1 a\n<t1>Article 2 b</t1></t1></pair></dataset>", "t1"),
        ("<dataset><pair id='H18-1-1'>\n<article>1\n<article>2</article></article></pair></dataset>", "article"),
        ("<COLIEE>\n<instance id='1'>\n<instance id='2'/></instance></COLIEE>", "instance"),
        ("<COLIEE><instance id='1'>\n<cases_noticed>2\n<cases_noticed>3</cases_noticed></cases_noticed></instance>"
            "</COLIEE>", "cases_noticed"),
    ],
)  # fmt: skip
def test_elements_that_cannot_stand_in_one_another_are_refused(text, tag):
    Path("gold.xml").write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        reading.read_gold("gold.xml")
    assert (caught.value.line, caught.value.found) == (3, f"<{tag}>")
    assert f"inside the <{tag}> of line 2" in clause(caught.value)
