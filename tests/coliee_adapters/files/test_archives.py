"""Zip and tar archives as folders: what is read of them, what is left out, what is refused."""

import gzip
import lzma
import os
import resource
import signal
import stat
import tarfile
import zipfile
from pathlib import Path

import pytest
from packed import RUN, tarred, zipped
from reading import refused

from coliee_adapters.files import archives, limits
from coliee_adapters.files.source import PathKind, Source
from coliee_ir.inbox.folders import skipped_remarks, walk

PACKED = {
    "a.zip": zipped({"in/run.txt": RUN}),
    "a.tar": tarred({"in/run.txt": RUN}),
    "a.tgz": gzip.compress(tarred({"in/run.txt": RUN})),
    "a.tar.xz": lzma.compress(tarred({"in/run.txt": RUN})),
}
LEFT = ["__MACOSX/._run.txt", ".DS_Store", "in/Thumbs.db", "in/desktop.ini", "~$notes.docx", "in/.hidden/x"]


@pytest.mark.parametrize("name", PACKED)
def test_a_file_in_an_archive_is_named_and_read_like_any_other(name, tmp_path):
    path = tmp_path / name
    path.write_bytes(PACKED[name])
    (inside,) = walk([path]).files
    assert inside == f"{path}/in/run.txt"
    source = Source(inside)
    assert (source.name, source.text()) == (inside, RUN.decode())


@pytest.mark.parametrize(
    ("name", "content", "files"),
    [
        ("mail.zip", zipped({"A.zip": PACKED["a.zip"], "B.tgz": PACKED["a.tgz"]}),
         ["/A.zip/in/run.txt", "/B.tgz/in/run.txt"]),
        ("a.zip", zipped({"run.txt": RUN} | dict.fromkeys(LEFT, b"x")), ["/run.txt"]),
        ("a.docx", zipped({"[Content_Types].xml": b"<x/>", "word/document.xml": b"<x/>"}), [""]),
        ("a.zip.gz", gzip.compress(PACKED["a.zip"]), [""]),
    ],
    ids=["archives", "what systems leave behind", "an office document", "compressed again"],
)  # fmt: skip
def test_what_is_in_an_archive(name, content, files, tmp_path):
    path = tmp_path / name
    path.write_bytes(content)
    assert walk([path]).files == walk([tmp_path]).files == [f"{path}{file}" for file in files]
    assert (Source(path).kind is PathKind.BINARY) == (files == [""]) == (not archives.is_archive(str(path)))


def test_links_devices_and_holes_are_left_out(tmp_path):
    link, device = tarfile.TarInfo("link"), tarfile.TarInfo("device")
    link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
    device.type = tarfile.CHRTYPE
    (tmp_path / "a.tar").write_bytes(tarred({"run.txt": RUN}, link, device))
    entry = zipfile.ZipInfo("link")
    entry.external_attr = (stat.S_IFLNK | 0o777) << 16
    (tmp_path / "b.zip").write_bytes(zipped([(entry, "/etc/passwd"), ("run.txt", RUN)]))
    # a sparse entry of a few bytes can say that it has terabytes
    raw = bytearray(tarred({"holes": b""}))
    raw[156:157], size = b"S", b"%011o\0" % (3 << 30)
    raw[386:410], raw[483:495], raw[148:156] = size + b"%011o\0" % 0, size, b" " * 8
    raw[148:156] = b"%06o\0 " % sum(raw[:512])
    (tmp_path / "c.tar").write_bytes(raw)
    walked = walk([tmp_path])
    assert [os.path.relpath(file, tmp_path) for file in walked.files] == ["a.tar/run.txt", "b.zip/run.txt"]
    assert [why for why, _ in walked.skipped] == ["special"] * 4


#: names of entries, and why they are left out
NAMES = {
    **dict.fromkeys(["../out.txt", "/out.txt", "a/../../out.txt", "..\\out.txt", "C:\\out.txt"], "outside"),
    **{"./": "nameless", "a\nb.txt": "control", ".team/run.txt": "hidden", "a/.run.txt": "hidden"},
    **{"x" * 1001: "long", "x" * 1000: None, "Re: Task 1/run.txt": None, "Task 1: run.txt": None},
}


@pytest.mark.parametrize("pack", [zipped, tarred])
@pytest.mark.parametrize("name", NAMES)
def test_an_entry_is_read_or_left_out_by_its_name_and_nothing_is_written_outside(name, pack, tmp_path):
    path = tmp_path / "in" / "deep" / "a"
    path.parent.mkdir(parents=True)
    path.write_bytes(pack([(name, RUN), ("run.txt", RUN)]))
    before = sorted(tmp_path.rglob("*"))
    walked, is_folder = walk([path]), pack is zipped and name == "./"
    assert [why for why, _ in walked.skipped] == ([NAMES[name]] if NAMES[name] and not is_folder else [])
    assert walked.files == sorted([f"{path}/run.txt"] + ([] if NAMES[name] else [f"{path}/{name}"]))
    assert len(skipped_remarks(walked.skipped)) == len(walked.skipped)
    assert sorted(tmp_path.rglob("*")) == before
    assert not Path("/out.txt").exists()


@pytest.mark.parametrize("second", ["run.txt", "./run.txt", "in//run.txt", "in\\run.txt"])
def test_two_entries_of_one_name(second, tmp_path):
    """A zip archive leaves open which of them counts; of a tar archive it is the last."""
    first, path = "in/run.txt" if "in" in second else "run.txt", tmp_path / "a.zip"
    path.write_bytes(zipped([(first, RUN), (second, RUN * 2)]))
    error = refused(archives.contents, str(path))
    assert (error.kind, error.path, error.found) == ("duplicate", str(path), first)
    path.write_bytes(tarred([(first, RUN), (second, RUN * 2)]))
    walked = walk([path])
    assert (walked.files, walked.skipped) == ([f"{path}/{first}"], [("again", f"{path}/{first}")])
    assert Source(walked.files[0]).text() == (RUN * 2).decode()


def test_an_archive_that_stays_packed_does_not_spoil_the_one_around_it_and_says_why(tmp_path):
    path, empty = tmp_path / "mail.zip", zipped({})
    deep = zipped({"b.zip": PACKED["a.zip"]})
    path.write_bytes(zipped({"A.zip": PACKED["a.zip"], "B.zip": PACKED["a.zip"][:60], "C.zip": deep, "D.zip": empty}))
    files = walk([path]).files
    assert files == [f"{path}/A.zip/in/run.txt", f"{path}/B.zip", f"{path}/C.zip/b.zip", f"{path}/D.zip"]
    assert Source(files[0]).text() == RUN.decode()
    for file, kind in zip(files[1:], ("damaged", "not-text", "empty"), strict=True):
        error = refused(Source(file).check)
        assert (error.path, error.kind) == (file, kind)
        assert "ARCHIVE/FILE" not in str(error.remedy)  # which does not work at that depth


def test_a_full_disk_is_named_and_nothing_is_left_on_it(tmp_path):
    large, inner, room = tmp_path / "a.zip", tmp_path / "b.zip", tmp_path / "room"
    large.write_bytes(zipped({"small.txt": RUN, "run.txt": os.urandom(1 << 16)}))
    inner.write_bytes(zipped({"in.zip": zipped({"run.txt": bytes(1 << 16)})}))
    room.mkdir()
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 12, limit[1]))
    try:
        error = refused(archives.unpack_into, str(room), str(large), limits.current())
        of_inner = refused(Source(f"{inner}/in.zip").check)  # which is no damage of the archive around it
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
    assert (error.kind, error.path, "TMPDIR" in str(error.remedy)) == ("cannot-write", str(large), True)
    assert (of_inner.kind, of_inner.path) == ("cannot-write", f"{inner}/in.zip")
    assert not list(room.iterdir())


ZIP = PACKED["a.zip"]
#: what is packed, kind and words of the problem
REFUSED = {
    "cut short": (ZIP[:60], "damaged", ""),
    "other bytes": (ZIP[: (at := ZIP.index(b"run.txt") + 12)] + bytes(8) + ZIP[at + 8 :], "damaged", ""),
    "a tar cut short": (PACKED["a.tar"][:515], "damaged", ""),
    "encrypted": (ZIP.replace(b"\24\0\0\0", b"\24\0\1\0"), "encrypted", ""),
    "a bomb": (zipped({"a": bytes(20 << 20)}), "too-large", "200 times"),
    "a tar bomb": (gzip.compress(tarred({"a": bytes(20 << 20)})), "too-large", "200 times"),
    "a nested bomb": (zipped({"a.zip": zipped({"a": bytes(20 << 20)})}), "too-large", "200 times"),
    "more bytes than allowed": (zipped({"a": RUN * 3}), "too-large", "25 bytes"),
    "more files than allowed": (zipped(dict.fromkeys("abc", b"")), "too-large", "more than 2 files"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_refused(what, tmp_path, monkeypatch):
    content, kind, problem = REFUSED[what]
    if "allowed" in what:
        monkeypatch.setenv("COLIEE_IR_MAX_UNPACKED", "25")
        monkeypatch.setattr(limits, "MEMBERS", 2)
    path = tmp_path / "a.zip"
    path.write_bytes(content)
    for read in (lambda: archives.contents(str(path)), Source(path).check):
        error = refused(read)
        assert (error.kind, error.path, problem in error.problem) == (kind, str(path), True)
    assert archives.mails_of(str(path)) == archives.mails_of(__file__) == ({}, False)
    assert walk([tmp_path]).files == [str(path)]  # and whoever opens it says so
