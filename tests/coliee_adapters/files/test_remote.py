"""Files that lie elsewhere: known again by what their server says, without credentials in messages."""

import contextlib
import io
import logging
import pickle
import re
import shutil
import socket
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from asserting import refusing
from needed import needs
from runs_in_parts import EVALUATOR, shown, write_run

import coliee_ir
from coliee_adapters.errors import InputError, UsageError, without_credentials
from coliee_adapters.files import remote
from coliee_adapters.files.source import PathKind, Source
from coliee_ir import Evaluator, evaluate_all
from coliee_ir.scoring.score import score_each

EXAMPLES = Path(coliee_ir.__file__).parent / "examples"
TASK1 = EXAMPLES / "task1"


@pytest.fixture
def memory():
    """fsspec's file system in memory, with the example of Task 1."""
    needs("fsspec")
    import fsspec

    system = fsspec.filesystem("memory")
    for path in TASK1.iterdir():
        system.pipe_file(f"/task1/{path.name}", path.read_bytes())
    yield system
    system.rm("/", recursive=True)


class _Handler(SimpleHTTPRequestHandler):
    """Serves a folder, perhaps for a password in the address; keeps the requests."""

    server: Any

    def log_message(self, *_):
        pass

    def send_head(self):
        self.server.asked.append(self.command)
        return super().send_head() if self.server.password in self.path else self.send_error(403)


@pytest.fixture
def server(here):
    needs("aiohttp")
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Handler, directory=str(here))) as made:
        made.asked, made.password = [], ""
        thread = threading.Thread(target=made.serve_forever, args=(0.01,))
        thread.start()
        yield made
        made.shutdown()
        thread.join()


def address(server, name):
    return f"http://127.0.0.1:{server.server_address[1]}/{name}"


def test_a_file_that_changes_while_it_is_read_is_an_error(memory):
    source = Source("memory://task1/bm25.txt")
    with pytest.raises(InputError, match="changed"), source.open() as stream:
        stream.read(10)
        memory.pipe_file("/task1/bm25.txt", b"another content\n")
    with pytest.raises(InputError, match="changed"):
        pickle.loads(pickle.dumps(source)).text()
    memory.rm("/task1/bm25.txt")
    with pytest.raises(InputError, match="removed"):
        source.text()


def test_a_file_of_the_web_is_downloaded_once(server):
    lines = b"".join(b"q%06d Q0 d%d 1 1.5 TAG\n" % (n, n) for n in range(20_000))
    Path("run.txt").write_bytes(lines)
    source = Source(address(server, "run.txt"))
    assert (source.kind, source.head(), source.text()) == (PathKind.TEXT, lines[: 1 << 16], lines.decode())
    assert b"".join(source.blocks(100_000)) == lines
    assert server.asked == ["GET"]


def test_a_dead_server_is_a_sentence_within_seconds(call, monkeypatch):
    needs("aiohttp")
    monkeypatch.setattr(remote, "ANSWER", 0.3)
    with socket.create_server(("127.0.0.1", 0)) as silent:  # which takes connections and never answers
        start = time.monotonic()
        code, out, err = call("evaluate", TASK1 / "gold.json", f"http://127.0.0.1:{silent.getsockname()[1]}/run.txt")
    assert (code, out, "run.txt" in err, time.monotonic() - start < 10) == (2, "", True, True), err


ABSENT = ["http://127.0.0.1:1/run.txt", "ftp://127.0.0.1:1/run.txt", "reference://x", "nothing://none/x"]


@pytest.mark.parametrize("run", [*ABSENT, "memory://none/run.txt", "memory://empty.txt", "memory://short.txt"])
def test_what_cannot_be_read_or_written_is_one_sentence(memory, call, run):
    needs("aiohttp")
    memory.pipe_file("/empty.txt", b"")
    memory.pipe_file("/short.txt", b"000001\n")
    code, out, err = call("evaluate", TASK1 / "gold.json", run)
    assert (code, out, run in err, "Traceback" in err) == (2, "", True, False), err
    assert ("[no-file]" in err) == run.startswith("memory://none"), err
    if run in ABSENT:
        assert call("evaluate", TASK1 / "gold.json", TASK1 / "bm25.txt", "-o", run)[:2] == (2, "")


def test_scores_of_the_web_are_those_of_files(server):
    shutil.copytree(TASK1, "task1")
    evaluator = Evaluator(address(server, "task1/gold.json"), ["AP", "MicroF1"])
    names = ("bm25.txt", "dense.txt", "rerank.json")
    found = score_each(evaluator, [address(server, f"task1/{name}") for name in names])
    expected = score_each(Evaluator(TASK1 / "gold.json", ["AP", "MicroF1"]), [TASK1 / name for name in names])
    assert list(map(shown, found)) == list(map(shown, expected))
    assert len(evaluate_all(address(server, "task1/gold.json"), address(server, "task1/"))) == 3  # a folder


def test_credentials_are_never_printed(server, call, tmp_path):
    server.password = "S3CRET"
    shutil.copytree(TASK1, "task1")
    good = address(server, "task1/bm25.txt?key=S3CRET")
    wrong = address(server, "task1/bm25.txt?key=WRONG").replace("://", "://ann:PASSWORD@")
    missing = address(server, "task1/none.txt?key=S3CRET")
    for run, expected in ((good, 0), (wrong, 2), (missing, 2)):
        for form in ("json", "table"):
            code, out, err = call("evaluate", TASK1 / "gold.json", run, "-f", form, "--log", tmp_path / "log.csv")
            told = out + err + (tmp_path / "log.csv").read_text()
            assert code == expected, err
            assert not re.search("S3CRET|WRONG|PASSWORD|Traceback", told), told
    for text, told in {
        "s3://bucket/run.txt": "s3://bucket/run.txt",
        "ftp://ann:pa@ss@host/x": "ftp://***@host/x",
        "https://host/a?b=c&d=e and https://u:p@host/?f": "https://host/a?… and https://***@host/?…",
        "who? me@home": "who? me@home",
    }.items():
        assert without_credentials(text) == told


def test_without_fsspec_the_extra_is_named(call, monkeypatch):
    monkeypatch.setitem(sys.modules, "fsspec", None)
    for words in (("s3://bucket/gold.json", TASK1 / "bm25.txt"), (TASK1 / "gold.json", "s3://bucket/run.txt")):
        code, out, err = call("evaluate", *words)
        assert (code, out, "coliee-ir[remote]" in err.splitlines()[-1]) == (2, "", True)


@pytest.mark.parametrize("words", [["--log", "s3://b/log.csv"], ["-o", "memory://task1/bm25.txt"]])
def test_what_must_be_on_this_machine_or_is_read(memory, call, words, here):
    before = memory.cat_file("/task1/bm25.txt")
    code, out, err = call("evaluate", TASK1 / "gold.json", "memory://task1/bm25.txt", *words)
    assert (code, out, words[1] in err) == (2, "", True), err
    assert memory.cat_file("/task1/bm25.txt") == before
    assert not list(here.iterdir())
    with refusing(UsageError, "[not-a-file] a log … s3://***@bucket/x"):
        remote.refuse("s3://ann:pw@bucket/x", "a log")


# a bucket, on a server of this machine: the same digits and remarks as from its files


@pytest.fixture(scope="module")
def bucket():
    """An S3 server with the example of Task 1, and s3fs, which finds it by the environment as any user's does."""
    for module in ("s3fs", "moto", "flask_cors"):
        needs(module)
    import s3fs
    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    with contextlib.redirect_stdout(io.StringIO()):
        server.start()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_ENDPOINT_URL", "http://{}:{}".format(*server.get_host_and_port()))
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
            patch.setenv(name, "S3CRET")
        patch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        s3fs.S3FileSystem.clear_instance_cache()
        system = s3fs.S3FileSystem()
        system.mkdir("coliee")
        for path in TASK1.iterdir():
            system.put_file(str(path), f"coliee/task1/{path.name}")
        yield system
        s3fs.S3FileSystem.clear_instance_cache()
    server.stop()


def test_golds_runs_folders_and_results_are_in_a_bucket(bucket, call, tmp_path):
    here = call("evaluate", TASK1 / "gold.json", TASK1, "-q", "-f", "csv")
    there = call("evaluate", "s3://coliee/task1/gold.json", "s3://coliee/task1", "-q", "-f", "csv",
                 "-o", "s3://coliee/out/scores.csv.gz")  # fmt: skip
    assert remote.files("s3://coliee/task1") == sorted(f"s3://coliee/task1/{path.name}" for path in TASK1.iterdir())
    assert (here[0], there[:2]) == (0, (0, ""))
    assert here[2].replace(str(TASK1), "s3://coliee/task1") == there[2]
    assert Source("s3://coliee/out/scores.csv.gz").text() == here[1]
    code, out, err = call("evaluate", "s3://coliee/task1/gold.json", "s3://coliee/task1/none.txt")
    assert (code, out, "S3CRET" in err, "Traceback" in err) == (2, "", False, False)


@pytest.mark.parametrize("odd", [pytest.param(False, marks=pytest.mark.explore), True])
def test_a_run_in_a_bucket_is_scored_in_parts(bucket, tmp_path, odd):
    path = Path(write_run(tmp_path / "run", 3, odd=odd).path)
    bucket.put_file(str(path), f"coliee/{odd}/run")
    wanted = shown(EVALUATOR.evaluate(path))
    with ThreadPoolExecutor(2) as threads:
        for parts in (1, 7):
            found = EVALUATOR.evaluate(f"s3://coliee/{odd}/run", jobs=parts, executor=threads)
            assert shown(found) == wanted
