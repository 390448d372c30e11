"""What strangers hand in to make the program work for ever: its work grows with the size, or it is refused."""

import base64
import sys
from pathlib import Path

import pytest
from packed import RUN, tarred, zipped
from reading import refused

from coliee_adapters.files import archives, trial
from coliee_adapters.files.limits import Limits
from coliee_adapters.files.source import Source
from coliee_ir.inbox.folders import walk

HEAD = b"From: a@b\nDate: Tue, 19 Jan 2026 10:00:00 +0000\nSubject: [submission] A\n"
PARTS = HEAD + b"MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=X\n\n"
PART = b"--X\nContent-Disposition: attachment; filename=%b\n\n1\n"


def mail(*names):
    return PARTS + b"".join(PART % name for name in names) + b"--X--\n"


def calls(function, *given):
    """How many functions are called."""
    called = []
    sys.setprofile(lambda _frame, event, _arg: called.append(event in ("call", "c_call")))
    try:
        function(*given)
    finally:
        sys.setprofile(None)
    return sum(called)


#: what is handed in of a size, and that size
LINEAR = {
    "attachments of one name": (lambda n: mail(*[b"a.txt"] * n), 100),
    "attachments with the names that are given": (lambda n: mail(*map(b"a (%d)".__mod__, range(n)), *[b"a"] * n), 100),
    "mails in mails": (lambda n: (HEAD + b"Content-Type: message/rfc822\n\n") * n + HEAD + b"\n", 8),
    "an mbox of empty mails": (lambda n: (b"From a@b Tue Jan 19 10:00:00 2026\n" + HEAD + b"\n\n") * n, 50),
    "a tar of one name": (lambda n: tarred([("a.txt", RUN)] * n), 50),
    "a zip of archives": (lambda n: zipped([(f"{at}.zip", zipped({"a": RUN})) for at in range(n)]), 20),
}


@pytest.mark.parametrize("what", LINEAR)
def test_twice_as_much_takes_twice_the_work(what, tmp_path):
    made, n = LINEAR[what]
    work = []
    for size in (n, 2 * n):
        path = tmp_path / f"{size}"
        path.write_bytes(made(size))
        work.append(calls(lambda path: [archives.mails_of(file) for file in walk([path]).files], path))
    assert work[1] < 2.5 * work[0]


LONG = {
    "a subject": HEAD.replace(b"Subject:", b"Subject: " + b"word " * 20_000) + b"\ntext\n",
    "parameters": PARTS + b"--X\nContent-Disposition: attachment" + b"; a=b" * 20_000 + b"\n\n1\n--X--\n",
    "encoded words": mail(b'"' + b" ".join([b"=?utf-8?q?a?="] * 6_000) + b'"'),
    "in many parts": PARTS + (b"--X\nX-A: " + b"a" * 2000 + b"\n\n1\n") * 100 + b"--X--\n",
    "of a mail within": HEAD + b"Content-Type: message/rfc822\n\nX-A: " + b"a" * 70_000 + b"\n\n1\n",
}


@pytest.mark.parametrize("what", LONG)
def test_a_long_header_is_refused_before_it_is_parsed(what, tmp_path):
    path = tmp_path / "a.eml"
    path.write_bytes(LONG[what])
    assert calls(refused, archives.contents, str(path)) < len(LONG[what])
    assert refused(archives.contents, str(path)).kind == "too-large"


def test_in_a_mailbox_a_hostile_mail_stops_no_other(tmp_path):
    begin, path = b"From a@b Tue Jan 19 10:00:00 2026\n", tmp_path / "box"
    bomb = mail(b"s.zip\nContent-Transfer-Encoding: base64")
    bomb = bomb.replace(b"\n1\n", b"\n" + base64.encodebytes(zipped({"a": bytes(20 << 20)})))
    mails = [LONG["a subject"], bomb]
    path.write_bytes(b"\n\n".join(begin + one for one in (*mails, mail(b"run.txt"))))
    walked = walk([path])
    assert walked.files == [f"{path}/2/s.zip", f"{path}/3/run.txt"]
    assert walked.skipped == [("headers", f"{path}/1")]
    assert refused(Source(f"{path}/2/s.zip").check).kind == "too-large"


def test_a_large_archive_that_takes_too_much_is_refused_from_then_on(tmp_path):
    # what takes less than 32 MiB can find room in what the process had before, which the limit leaves out
    for name, content in (("small", b"1"), ("large", b"1" * (33 << 20))):
        path = str(tmp_path / name)
        Path(path).write_bytes(mail(b"a.txt").replace(b"\n1\n", b"\n" + content + b"\n"))
        trial.try_unpacking(path, Limits(memory=64 << 20))
        assert (trial.refusal(path) is not None) == (name == "large")
    assert refused(Source(path).check).kind == "too-large"
    trial.forget_refusals()
    Source(f"{path}/a.txt").check()


def test_all_archives_together_unpack_to_a_limit(tmp_path, monkeypatch):
    room = archives._Folder(str(tmp_path))
    monkeypatch.setattr(archives, "unpacking_folder", lambda: room)
    monkeypatch.setenv("COLIEE_IR_MAX_ARCHIVES", "25")
    for name in "abc":
        (tmp_path / name).write_bytes(zipped({name: RUN}))
    for name in "ab":
        archives.contents(str(tmp_path / name))
    (tmp_path / "d").write_bytes(zipped([("x", b"1"), ("y", RUN)]))
    for name in "cd":
        error = refused(archives.contents, str(tmp_path / name))
        assert (error.kind, error.path) == ("too-large", str(tmp_path / name))
    # what a refused archive took is free again
    (tmp_path / "e").write_bytes(zipped({"x": b"12345"}))
    assert archives.contents(str(tmp_path / "e")).files
