"""What goes wrong around a program, as it goes wrong: by the command line, mostly in a process of its own.

Each situation is a row of tests/data/faults.txt.
"""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from asserting import matches
from fuzz import typed

from coliee_adapters.files.source import Source
from coliee_ir.judging import workers
from coliee_ir.rules.protocol import NEWEST
from coliee_ir.scoring import score as batch

#: situation → what is heard of it, and the exit code
TABLE = {
    situation: (heard, int(code))
    for line in Path(__file__).with_name("data").joinpath("faults.txt").read_text(encoding="utf-8").splitlines()[1:]
    for situation, heard, code in [line.split(" | ")]
}

EVALUATE = ("evaluate", "-f", "trec", "-m", "map", "gold.txt", "run.txt")
LARGE = ("evaluate", "-f", "trec", "-m", "map", "--jobs", "2", "large-gold.txt", "large.txt")
CONVERT = ("convert", "--to", "json", "run.txt")

#: what a hook can use: it runs before the command, in its process
PRELUDE = """
import contextlib, os, resource, sys, time, tomllib
import coliee_adapters.forms.json_records, coliee_ir.cli.convert, coliee_ir.cli.evaluate
from pathlib import Path
from coliee_ir.judging import workers
from coliee_ir.scoring import score as batch
from coliee_adapters.files import writing as files
from coliee_adapters.files.source import Source
from coliee_ir.cli import main

command = os.getpid()
batch.WORTH_A_PROCESS = 1 << 20
workers.cores = lambda: 2  # on a machine of one processor too

def grow(name):
    with open(name, "a") as file:
        file.write("q100 Q0 d1 1 1.5 T\\n")

def rewrite(name):
    content = Path(name).read_bytes()
    Path(name).write_bytes(content.replace(b" d1 ", b" d5 "))

def replace(name):
    other = f"{name}.{os.getpid()}"
    Path(other).write_bytes(Path(name).read_bytes())
    os.replace(other, name)

def give_up_root(name):
    if os.getuid() == 0:
        os.setuid(65534)

def while_read(name, change, process=lambda: True):
    "Change a file when its first block has been read."
    blocks = Source.blocks
    def changing(self, *arguments):
        reading = blocks(self, *arguments)
        yield next(reading)
        if self.path == name and process():
            change(name)
        yield from reading
    Source.blocks = changing

def after_opening(name, change):
    "Change a file when its form has been found."
    look, looked = Source.look, set()
    def looking(self):
        found = look(self)
        if self.path == name and name not in looked:
            looked.add(name)
            change(name)
        return found
    Source.look = looking

def starve(name):
    raise MemoryError

def no_process():  # root is under no limit
    raise BlockingIOError(11, os.strerror(11))

def in_workers(act):
    "Do something at the beginning of each worker's reading."
    blocks = Source.blocks
    def acting(self, *arguments):
        if os.getpid() != command:
            act()
        yield from blocks(self, *arguments)
    Source.blocks = acting

def wait():
    os.write(2, b"ready\\n")  # at once, not mixed with what other processes say
    for _ in range(600):  # a signal that comes just before a sleep is noticed at its end
        time.sleep(0.1)

"""


def run(*arguments, hook=None, stdin=None, stdout=None):
    """Run a command in the current folder; exit code, standard output, standard error.

    Where it is only a matter of files, in this process, which is started already.
    """
    if hook is None and stdin is None and stdout is None:
        return tuple(typed(*arguments))
    with Path(stdout or os.devnull).open("wb") as file:
        given = {"stdin": subprocess.DEVNULL} if stdin is None else {"input": stdin}
        out = file if stdout else subprocess.PIPE
        done = subprocess.run(_command(arguments, hook), stdout=out, stderr=subprocess.PIPE, timeout=60, **given)
    return done.returncode, (done.stdout or b"").decode(), done.stderr.decode()


def _command(arguments, hook):
    if hook is None:
        return [sys.executable, "-m", "coliee_ir", *arguments]
    return [sys.executable, "-c", f"{PRELUDE}{hook}\nsys.exit(main(sys.argv[1:]))", *arguments]


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """A gold and a run of several blocks, which can be cut anywhere, and what earlier commands have written."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONUNBUFFERED", "")  # so that something is left to be written when a process ends
    queries = [f"q{n}" for n in range(100)]
    Path("gold.txt").write_text("".join(f"{query} 0 d{n} 1\n" for query in queries for n in (1, 5)))
    lines = [f" Q0 d{n} {n + 1} {100 - n / 4:.2f} T\n" for n in range(200)]
    Path("run.txt").write_text("".join(query + query.join(lines) for query in queries))
    Path("out.json").write_bytes(b"old")
    return tmp_path


@pytest.fixture
def large(here):
    """A run that is worth several processes, as the prelude sees it."""
    queries, ids = [f"q{n}" for n in range(100)], [f"{'d' * 10}{n}" for n in range(900)]
    Path("large-gold.txt").write_text("".join(f"{query} 0 {ids[n]} 1\n" for query in queries for n in (1, 5)))
    lines = [f" Q0 {ids[n]} {n + 1} {1000 - n} T\n" for n in range(900)]
    Path("large.txt").write_text("".join(query + query.join(lines) for query in queries))
    assert Path("large.txt").stat().st_size > 2 << 20


def check(situation, result):
    heard, expected = TABLE[situation]
    code, out, err = result
    assert (code, out) == (expected, "")
    assert matches(err.splitlines()[-1] if err else "", f"coliee-ir: {heard}" if heard else "")
    assert "Traceback" not in err
    assert "Exception ignored" not in err
    assert {path.name: path.read_bytes() for path in Path().glob("out*")} == {"out.json": b"old"}


def test_a_pipe_beyond_its_limit_and_a_limit_that_is_not_a_number(monkeypatch):
    monkeypatch.setenv("COLIEE_IR_MAX_UNPACKED", "100K")
    content = Path("run.txt").read_bytes()
    check("standard input beyond the limit, here set to 100K", run(*EVALUATE[:-1], "-", stdin=content))
    monkeypatch.setenv("COLIEE_IR_MAX_LINE", "much")
    for command in (EVALUATE, ("validate", "run.txt")):  # in a process of its own: when it is read, or loaded
        check("a limit set to what is not a number", run(*command, stdin=b""))


def test_a_file_too_large_to_be_validated(monkeypatch):
    monkeypatch.setenv("COLIEE_IR_MAX_WHOLE", "64M")
    Path("run.txt").write_bytes(Path("run.txt").read_bytes() * 100)
    code, out, err = run("validate", "--task", "1", "run.txt")
    assert (code, err.strip()) == (1, f"task 1 of {NEWEST}"), err
    assert "larger than 32 MiB" in out


@pytest.mark.parametrize(
    ("situation", "hook"),
    [
        ("not enough memory for a run", "while_read('run.txt', starve)"),
        ("a file that grows while it is read", "while_read('run.txt', grow)"),
        ("a file written anew, of the same size, while it is read", "while_read('run.txt', rewrite)"),
        ("a file replaced after its form was found", "after_opening('run.txt', replace)"),
        ("a file removed after its form was found", "after_opening('run.txt', os.unlink)"),
    ],
)
def test_files_that_change_under_the_reader(situation, hook, monkeypatch):
    for holder, name in ((Source, "blocks"), (Source, "look"), (batch, "WORTH_A_PROCESS"), (workers, "cores")):
        monkeypatch.setattr(holder, name, getattr(holder, name))  # to be put back
    exec(PRELUDE + hook, {})
    check(situation, run(*EVALUATE))


def small_files(limit):
    return f"resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))"


#: situation → the command, and what goes wrong in its process
HOOKED = {
    "a file that may not be read": (
        EVALUATE, "os.chmod('.', 0o755); os.chmod('run.txt', 0); after_opening('gold.txt', give_up_root)"),
    "standard input larger than the room for temporary files": ((*EVALUATE[:-1], "-"), small_files(4096)),
    "a conversion beyond the size allowed to files": ((*CONVERT, "out.json"), small_files(1024)),
    "a file that changes while several processes read its parts": (
        LARGE, "while_read('large.txt', grow, lambda: os.getpid() != command)"),
    "a worker process killed, as by want of memory": (LARGE, "in_workers(lambda: os.kill(os.getpid(), 9))"),
    "no further process allowed": (LARGE, "os.fork = no_process"),
}  # fmt: skip


@pytest.mark.usefixtures("large")
@pytest.mark.parametrize("situation", HOOKED)
def test_what_a_process_may_not_do_and_what_happens_to_its_workers(situation):
    command, hook = HOOKED[situation]
    check(situation, run(*command, hook=hook, stdin=Path("run.txt").read_bytes()))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize("arguments", [EVALUATE, (*CONVERT, "-")])
def test_standard_output_on_a_full_disk(arguments):
    check("standard output on a full disk", run(*arguments, stdout="/dev/full"))


def test_who_reads_no_further_is_no_fault():
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as file:
        done = subprocess.run(_command(EVALUATE, None), stdout=file, stderr=subprocess.PIPE, timeout=60)
    assert (done.returncode, b"rror" in done.stderr, b"Exception" in done.stderr) == (0, False, False)


#: under nohup, what a test starts would not hear of a hang-up
_HEARING = "import signal\nsignal.signal(signal.SIGHUP, signal.SIG_DFL)\n"


def ended(*arguments, hook, sign, group=True):
    """Send a signal to a command that has said that it is ready; its result, when all its processes have ended."""
    pipes = dict.fromkeys(("stdout", "stderr"), subprocess.PIPE)
    process = subprocess.Popen(_command(arguments, _HEARING + hook), **pipes, text=True, start_new_session=True)
    try:
        while "ready" not in process.stderr.readline():
            assert process.poll() is None
        (os.killpg if group else os.kill)(process.pid, sign)
        # the pipes end only when no process holds them any more
        out, err = process.communicate(timeout=20)
        return process.returncode, out, err.replace("ready\n", "")
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)


#: in a conversion to JSON, and where lines are sorted in temporary files
WRITING = """
from coliee_adapters.forms import json_records
encode = json_records.encode_basestring
def slow(text):
    wait()
    return encode(text)
json_records.encode_basestring = slow
"""
SORTING = """
from coliee_ir.judging import ungrouped
deal = ungrouped.deal
def slow(*arguments, **named):
    dealt = deal(*arguments, **named)
    wait()
    return dealt
ungrouped.deal = slow
"""


@pytest.mark.usefixtures("large")
@pytest.mark.parametrize(
    ("situation", "command", "hook", "sign", "group"),
    [
        ("Ctrl-C while several processes read", LARGE, "in_workers(wait)", signal.SIGINT, True),
        ("Ctrl-C while a conversion is written", (*CONVERT, "out.json"), WRITING, signal.SIGINT, True),
        ("SIGTERM or SIGHUP while a result is written", (*CONVERT, "out.gz"), WRITING, signal.SIGHUP, True),
        ("SIGTERM or SIGHUP while a result is written", (*CONVERT, "-"), WRITING, signal.SIGTERM, True),
        ("SIGTERM or SIGHUP while lines are sorted in temporary files", LARGE, SORTING, signal.SIGTERM, False),
    ],
)
def test_a_command_that_is_ended_leaves_no_process_no_temporary_file_and_the_old_result(
    situation, command, hook, sign, group, monkeypatch
):
    if hook is SORTING:
        lines = Path("large.txt").read_text().splitlines(keepends=True)
        Path("large.txt").write_text("".join(lines[::2] + lines[1::2]))
    Path("tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(Path("tmp").absolute()))
    check(situation, ended(*command, hook=hook, sign=sign, group=group))
    assert list(Path("tmp").iterdir()) == []


@pytest.mark.usefixtures("large")
@pytest.mark.parametrize(("sign", "code"), [(signal.SIGTERM, 143), (signal.SIGKILL, -9)])
def test_the_workers_of_a_killed_command_end_with_it(sign, code):
    assert ended(*LARGE, hook="in_workers(wait)", sign=sign, group=False) == (code, "", "")


def by_itself(hook):
    """The result of a command that is run as a user runs it, behind a hook."""
    hook = f'import os, runpy, signal, sys\n{hook}\nrunpy.run_module("coliee_ir", run_name="__main__", alter_sys=True)'
    done = subprocess.run([sys.executable, "-c", hook, *EVALUATE], capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("at", ["coliee_ir.cli", "numpy"])
def test_ctrl_c_while_a_command_starts(at):
    hook = """
class Signalling:
    def find_spec(self, name, path=None, target=None):
        if name == "{at}":
            sys.meta_path.remove(self)
            os.kill(os.getpid(), signal.{sign})
sys.meta_path.insert(0, Signalling())
"""
    check("Ctrl-C while a command starts", by_itself(hook.format(at=at, sign="SIGINT")))
    assert by_itself(hook.format(at=at, sign="SIGTERM")) == (143, "", "")


def test_what_is_ignored_stays_ignored():
    hook = """
import json, signal
signal.signal(signal.SIGHUP, signal.SIG_IGN)
writes = json.dump
def slow(content, stream, **options):
    writes(content, stream, **options)
    os.kill(os.getpid(), signal.SIGHUP)
json.dump = slow
"""
    assert run(*CONVERT, "out.json", hook=hook)[0] == 0
    assert Path("out.json").stat().st_size > 3


def test_half_a_result_is_not_printed():
    Path("a.json").write_text('{"a b": ["x"], "c": ["y"]}')
    Path("b.json").write_text('{"c": ["y"], "a b": ["z"]}')
    check("an error in the middle of a result for standard output", run("fuse", "b.json", "a.json", "-o", "-"))


def test_every_situation_of_the_table_is_brought_about():
    source = Path(__file__).read_text(encoding="utf-8")
    assert len(TABLE) > 15
    assert [situation for situation in TABLE if f'"{situation}"' not in source] == []
