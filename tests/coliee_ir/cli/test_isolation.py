"""One file never stops the others, and no file takes the machine."""

import gzip
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import one_step
import pytest
from asserting import clause, failing, heard, mentions, refusing

from coliee_adapters.errors import ColieeError, InputError
from coliee_adapters.files.source import Source
from coliee_adapters.forms import json_text
from coliee_ir import Evaluator
from coliee_ir.judging import workers
from coliee_ir.reading import anything as reading
from coliee_ir.scoring import score as batch
from coliee_ir.scoring.score import score_each

GOLD = {"075578": ["000001"], "045094": ["000002"]}
GOOD = "075578 000001 GOOD\n045094 000002 GOOD\n"


@pytest.fixture(autouse=True)
def files(here):
    Path("gold.json").write_text(json.dumps(GOLD))
    Path("runs").mkdir()
    Path("runs/good.txt").write_text(GOOD)


def sparse(start=""):
    def make(path):
        path.write_text(start)
        os.truncate(path, 20 << 30)

    return make


def packed(head, filler):
    """A gzip file of 200 MB, of members of 10 MB."""
    content = gzip.compress(head, mtime=0) + gzip.compress(filler * 10_000_000, mtime=0) * 20
    return lambda path: path.write_bytes(content)


#: a file that takes too much → how to make it, and a word of what is said of it
GREEDY = {
    "a line that is unpacked": (packed(b"", b"A"), "longer than 1 MiB"),
    "JSON that is unpacked": (packed(b'{"075578": [', b" "), "[too-large] 200 …"),
    "a sparse file": (sparse(), "zero bytes"),
    "a sparse file with a beginning": (sparse(GOOD * 2000), "longer than 1 MiB"),
    "sparse JSON": (sparse('{"075578": ["000001"]}' + " " * (1 << 16)), "too large to be held"),
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


def test_what_cannot_be_scored_leaves_the_others_their_scores(call):
    # a first block that ends before the first line with content does, which is a run all the same
    Path("runs/late.txt").write_text("\n075578 000001 LATE" + " " * (1 << 18) + "\n045094 000009 LATE\n")
    for name in ("a line that is unpacked", "JSON that is unpacked", "a sparse file"):
        GREEDY[name][0](Path("runs", name))
    with zipfile.ZipFile("runs/book.xlsx", "w") as archive:
        archive.writestr("xl/workbook.xml", "x")
    Path("runs/page.txt").write_text("<!DOCTYPE html><html>")
    board = one_step.leaderboard("gold.json", "runs", task="1", n_resamples=99)
    assert [(entry.tag, entry.scores.measures["MicroF1"]) for entry in board.entries] == [("GOOD", 1.0), ("LATE", 0.5)]
    reasons = {one.files[0].removeprefix("runs/"): heard(one.reason) for one in board.invalid}
    (skipped,) = [remark for remark in board.remarks if "not runs" in remark]
    assert "runs/a line that is unpacked" in skipped
    assert "runs/page.txt" in skipped  # the first is a single word
    assert mentions(reasons["JSON that is unpacked"], "[too-large] 200 …")
    assert "zero bytes" in reasons["a sparse file"]
    assert "an Excel workbook" in reasons["book.xlsx"]
    files = sorted(Path("runs").iterdir())
    code, out, err = call("evaluate", "gold.json", *files, "--keep-going", "--task", "1", "-f", "tsv")
    assert [line.split("\t")[:2] for line in out.splitlines()[1:]] == [["GOOD", "1.0"], ["LATE", "0.5"]]
    assert (code, err.count("coliee-ir: runs/")) == (2, 5)


def raising(error):
    def raise_it(*_):
        raise error

    return raise_it


@pytest.mark.parametrize("kind", [MemoryError, RecursionError])
def test_want_of_memory_for_one_file_leaves_the_others(kind, monkeypatch, call):
    parse = json_text.parse

    def parsed(text, name, first_line=1):
        return raising(kind)() if name.endswith("big.json") else parse(text, name, first_line)

    monkeypatch.setattr(json_text, "parse", parsed)
    Path("runs/big.json").write_text(json.dumps(GOLD, indent=2))  # no copy of the gold
    evaluator = Evaluator(GOLD, task="1")
    for threshold in (0, 1 << 40):
        monkeypatch.setattr(batch, "WORTH_A_PROCESS", threshold)
        refused, scored = score_each(evaluator, ("runs/big.json", "runs/good.txt"), jobs=2)
        assert isinstance(refused, InputError)
        assert refused.path == "runs/big.json"
        assert ("enough memory" if kind is MemoryError else "nested") in refused.problem
        assert not isinstance(scored, ColieeError)
    err = failing(call, "evaluate", "runs/big.json", "runs/good.txt", "--task", "1")  # as the gold
    assert err.startswith("coliee-ir: runs/big.json: ")
    monkeypatch.setattr(Source, "blocks", raising(kind))  # while blocks are read
    (result,) = score_each(evaluator, ["runs/good.txt"])
    assert isinstance(result, InputError)
    assert result.path == "runs/good.txt"


def test_a_worker_or_a_command_without_memory_ends_in_an_error(monkeypatch, call):
    for jobs in (1, 2):
        first, second = workers.results([raising(MemoryError), lambda: 1], jobs)
        assert (type(first), second) == (workers.WorkerError, 1)
    monkeypatch.setattr("coliee_ir.cli.measures.run", raising(MemoryError))
    assert failing(call, "measures").count("\n") == 1


def test_elements_that_cannot_stand_in_one_another_are_refused():
    pair = "<dataset><pair id='H18-1-1' label='Y'>\n"
    texts = {
        "pair": f"{pair}\n<pair id='H18-1-2' label='N'/></pair></dataset>",
        "t1": f"{pair}<t1>Article 1 a\n<t1>Article 2 b</t1></t1></pair></dataset>",
        "instance": "<COLIEE>\n<instance id='1'>\n<instance id='2'/></instance></COLIEE>",
    }
    for tag, text in texts.items():
        Path("gold.xml").write_text(text)
        with refusing(InputError, f"gold.xml, line 3: … (found '<{tag}>')") as caught:
            reading.read_gold("gold.xml")
        assert f"inside the <{tag}> of line" in clause(caught.value)
