"""Zip and tar archives as folders: what is read of them, what is left out, what is refused."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import stat
import tarfile
import zipfile
from pathlib import Path

import pytest

from coliee_adapters import archives
from coliee_adapters.errors import InputError
from coliee_adapters.files import Source, copies
from coliee_adapters.folders import walk

RUN = b"001 013 A\n"


def zipped(files: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return stream.getvalue()


def tarred(files: dict[str, bytes], *others: tarfile.TarInfo) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
        for entry in others:
            archive.addfile(entry)
    return stream.getvalue()


PACKED = {
    "a.zip": zipped({"in/run.txt": RUN}),
    "a.tar": tarred({"in/run.txt": RUN}),
    "a.tgz": gzip.compress(tarred({"in/run.txt": RUN})),
    "a.tar.bz2": bz2.compress(tarred({"in/run.txt": RUN})),
    "a.tar.xz": lzma.compress(tarred({"in/run.txt": RUN})),
}


@pytest.mark.parametrize("name", PACKED)
def test_a_file_in_an_archive_is_named_and_read_like_any_other(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(PACKED[name])
    for given in (path, tmp_path):
        (inside,) = walk([given]).files
        assert inside == f"{path}/in/run.txt"
    source = Source(inside)
    assert (source.name, source.text()) == (inside, RUN.decode())


def test_an_archive_in_an_archive_is_read_too(tmp_path: Path) -> None:
    path = tmp_path / "mail.zip"
    path.write_bytes(zipped({"A.zip": PACKED["a.zip"], "B.tgz": PACKED["a.tgz"]}))
    assert walk([path]).files == [f"{path}/A.zip/in/run.txt", f"{path}/B.tgz/in/run.txt"]


def test_what_systems_leave_behind_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    left = ["__MACOSX/._run.txt", ".DS_Store", "in/Thumbs.db", "in/desktop.ini", "~$notes.docx", "in/.hidden/x"]
    path.write_bytes(zipped({"run.txt": RUN} | dict.fromkeys(left, b"x")))
    assert walk([path]).files == [f"{path}/run.txt"]


@pytest.mark.parametrize("name", ["../out.txt", "/out.txt", "a/../../out.txt", "..\\out.txt", "C:\\out.txt"])
def test_nothing_is_written_outside(name: str, tmp_path: Path) -> None:
    folder = tmp_path / "in" / "deep"
    folder.mkdir(parents=True)
    (folder / "a.zip").write_bytes(zipped({name: b"x", "run.txt": RUN}))
    (folder / "a.tar").write_bytes(tarred({name: b"x", "run.txt": RUN}))
    before = sorted(tmp_path.rglob("*"))
    walked = walk([folder])
    assert walked.files == [f"{folder}/a.tar/run.txt", f"{folder}/a.zip/run.txt"]
    assert len(walked.outside) == 2
    assert sorted(tmp_path.rglob("*")) == before
    assert not Path("/out.txt").exists()


def test_links_and_devices_are_left_out(tmp_path: Path) -> None:
    link, device = tarfile.TarInfo("link"), tarfile.TarInfo("device")
    link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
    device.type = tarfile.CHRTYPE
    (tmp_path / "a.tar").write_bytes(tarred({"run.txt": RUN}, link, device))
    entry = zipfile.ZipInfo("link")
    entry.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(tmp_path / "b.zip", "w") as archive:
        archive.writestr(entry, "/etc/passwd")
        archive.writestr("run.txt", RUN)
    walked = walk([tmp_path])
    assert [os.path.relpath(file, tmp_path) for file in walked.files] == ["a.tar/run.txt", "b.zip/run.txt"]
    assert len(walked.outside) == 3


def broken(content: bytes) -> bytes:
    at = content.index(b"run.txt") + 12
    return content[:at] + bytes(len(content[at : at + 8])) + content[at + 8 :]


def encrypted() -> bytes:
    content = bytearray(PACKED["a.zip"])
    for sign, at in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        content[content.index(sign) + at] |= 1
    return bytes(content)


REFUSED = {
    "cut short": (PACKED["a.zip"][:60], "damaged"),
    "other bytes": (broken(PACKED["a.zip"]), "damaged"),
    "a tar cut short": (PACKED["a.tar"][:515], "damaged"),
    "encrypted": (encrypted(), "encrypted"),
    "a bomb": (zipped({"a": bytes(20 << 20)}), "200 times"),
    "a tar bomb": (gzip.compress(tarred({"a": bytes(20 << 20)})), "200 times"),
    "a nested bomb": (zipped({"a.zip": zipped({"a": bytes(20 << 20)})}), "200 times"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_refused(what: str, tmp_path: Path) -> None:
    content, says = REFUSED[what]
    path = tmp_path / "a.zip"
    path.write_bytes(content)
    with pytest.raises(InputError, match=says) as caught:
        archives.contents(str(path))
    assert caught.value.path == str(path)
    assert walk([tmp_path]).files == [str(path)]  # and whoever opens it says so
    with pytest.raises(InputError, match=says):
        Source(path).check()


@pytest.mark.parametrize(("limit", "value"), [("MEMBERS", "2"), ("UNPACKED", "25")])
def test_limits_hold(limit: str, value: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(f"COLIEE_IR_MAX_{limit}", value)
    path = tmp_path / "a.zip"
    path.write_bytes(zipped(dict.fromkeys("abc", RUN)))
    with pytest.raises(InputError, match=f"COLIEE_IR_MAX_{limit}"):
        archives.contents(str(path))


def test_an_office_document_is_no_archive(tmp_path: Path) -> None:
    path = tmp_path / "a.docx"
    path.write_bytes(zipped({"[Content_Types].xml": b"<x/>", "word/document.xml": b"<x/>"}))
    assert not archives.is_archive(str(path))
    assert walk([tmp_path]).files == [str(path)]


def test_copies_are_known_in_archives_and_compressed(tmp_path: Path) -> None:
    (tmp_path / "run.txt").write_bytes(RUN)
    (tmp_path / "run.txt.gz").write_bytes(gzip.compress(RUN))
    (tmp_path / "a.zip").write_bytes(PACKED["a.zip"])
    (tmp_path / "other.txt").write_bytes(RUN.upper() + b"001 014 A\n")
    names = [str(tmp_path / name) for name in ("run.txt", "run.txt.gz", "a.zip/in/run.txt", "other.txt")]
    assert copies(names) == [None, names[0], names[0], None]
