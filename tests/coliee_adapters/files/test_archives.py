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

from coliee_adapters.errors import InputError
from coliee_adapters.files import archives, limits
from coliee_adapters.files.source import PathKind, Source, copies
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
    for given in (path, tmp_path):
        (inside,) = walk([given]).files
        assert inside == f"{path}/in/run.txt"
    source = Source(inside)
    assert (source.name, source.text()) == (inside, RUN.decode())
    (tmp_path / "run.txt.gz").write_bytes(gzip.compress(RUN))
    (tmp_path / "other.txt").write_bytes(RUN.upper() + b"001 014 A\n")
    names = [str(tmp_path / "run.txt.gz"), inside, str(tmp_path / "other.txt")]
    assert copies(names) == [None, names[0], None]


@pytest.mark.parametrize(
    ("name", "content", "files"),
    [
        (
            "mail.zip",
            zipped({"A.zip": PACKED["a.zip"], "B.tgz": PACKED["a.tgz"]}),
            ["/A.zip/in/run.txt", "/B.tgz/in/run.txt"],
        ),
        ("a.zip", zipped({"run.txt": RUN} | dict.fromkeys(LEFT, b"x")), ["/run.txt"]),
        ("a.docx", zipped({"[Content_Types].xml": b"<x/>", "word/document.xml": b"<x/>"}), [""]),
        ("a.zip.gz", gzip.compress(PACKED["a.zip"]), [""]),
    ],
    ids=["archives", "what systems leave behind", "an office document", "compressed again"],
)
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
    with zipfile.ZipFile(tmp_path / "b.zip", "w") as archive:
        archive.writestr(entry, "/etc/passwd")
        archive.writestr("run.txt", RUN)
    # a sparse entry of a few bytes can say that it has terabytes
    raw = bytearray(tarred({"holes": b""}))
    raw[156:157], size = b"S", b"%011o\0" % (3 << 30)
    raw[386:410], raw[483:495], raw[148:156] = size + b"%011o\0" % 0, size, b" " * 8
    raw[148:156] = b"%06o\0 " % sum(raw[:512])
    (tmp_path / "c.tar").write_bytes(raw)
    walked = walk([tmp_path])
    assert [os.path.relpath(file, tmp_path) for file in walked.files] == ["a.tar/run.txt", "b.zip/run.txt"]
    assert [why for why, _ in walked.skipped] == ["special"] * 4


@pytest.mark.parametrize("name", ["../out.txt", "/out.txt", "a/../../out.txt", "..\\out.txt", "C:\\out.txt"])
def test_nothing_is_written_outside(name, tmp_path):
    folder = tmp_path / "in" / "deep"
    folder.mkdir(parents=True)
    (folder / "a.zip").write_bytes(zipped({name: b"x", "run.txt": RUN}))
    (folder / "a.tar").write_bytes(tarred({name: b"x", "run.txt": RUN}))
    before = sorted(tmp_path.rglob("*"))
    walked = walk([folder])
    assert walked.files == [f"{folder}/a.tar/run.txt", f"{folder}/a.zip/run.txt"]
    assert [why for why, _ in walked.skipped] == ["outside", "outside"]
    assert sorted(tmp_path.rglob("*")) == before
    assert not Path("/out.txt").exists()


@pytest.mark.parametrize(
    ("name", "why"),
    [("", "nameless"), ("./", "nameless"), ("a\nb.txt", "control"), ("a\0b.txt", "control"),
     (".team/run.txt", "hidden"), ("a/.run.txt", "hidden"), ("Re: Task 1/run.txt", None), ("Task 1: run.txt", None)],
)  # fmt: skip
def test_what_an_odd_name_comes_to(name, why, tmp_path):
    path, entry = tmp_path / "a.tar", tarfile.TarInfo("?")
    entry.pax_headers = {"path": name}
    if name:
        path.write_bytes(tarred({"run.txt": RUN}, entry))
    else:
        path.write_bytes(zipped([("run.txt", RUN), (name, RUN)]))
    walked = walk([path])
    assert [reason for reason, _ in walked.skipped] == ([why] if why else [])
    assert walked.files == sorted([f"{path}/run.txt"] + ([] if why else [f"{path}/{name}"]))
    assert len(skipped_remarks(walked.skipped)) == len(walked.skipped)


@pytest.mark.parametrize("second", ["run.txt", "./run.txt", "in\\..\\run.txt", "in//run.txt", "in\\run.txt"])
def test_two_entries_of_one_name(second, tmp_path):
    """A zip archive leaves open which of them counts; of a tar archive it is the last."""
    first = "in/run.txt" if "in" in second else "run.txt"
    second = second.replace("..\\", "")
    path = tmp_path / "a.zip"
    path.write_bytes(zipped([(first, RUN), (second, RUN * 2)]))
    error = refused(archives.contents, str(path))
    assert (error.path, error.found) == (str(path), first)
    path.write_bytes(tarred([(first, RUN), (second, RUN * 2)]))
    walked = walk([path])
    assert (walked.files, walked.skipped) == ([f"{path}/{first}"], [("again", f"{path}/{first}")])
    assert Source(walked.files[0]).text() == (RUN * 2).decode()


@pytest.mark.parametrize("pack", [zipped, tarred])
def test_an_archive_and_a_folder_of_one_name(pack, tmp_path):
    path, inner, other = tmp_path / "a", ("x.zip", zipped({"run.txt": RUN})), ("x.zip/run.txt", RUN * 2)
    for files in ([inner, other], [other, inner], [inner, inner]):
        path.write_bytes(pack(files))
        archives._unpacked.cache_clear()
        with pytest.raises(InputError):
            archives.contents(str(path))


def test_an_archive_that_stays_packed_does_not_spoil_the_one_around_it_and_says_why(tmp_path, monkeypatch):
    path, unpack = tmp_path / "mail.zip", archives.unpack
    deep = zipped({"b.zip": PACKED["a.zip"]})
    path.write_bytes(zipped({"A.zip": PACKED["a.zip"], "B.zip": PACKED["a.zip"][:60], "C.zip": deep}))
    files = walk([path]).files
    assert files == [f"{path}/A.zip/in/run.txt", f"{path}/B.zip", f"{path}/C.zip/b.zip"]
    assert Source(files[0]).text() == RUN.decode()
    for file in files[1:]:
        error = refused(Source(file).check)
        assert error.path == file
        assert "ARCHIVE/FILE" not in str(error.remedy)  # which does not work at that depth

    def full(path, shown, *others, depth):
        if not depth:
            raise InputError("cannot-write", shown, "no room", remedy="set TMPDIR")
        return unpack(path, shown, *others, depth=depth)

    monkeypatch.setattr(archives, "unpack", full)
    path.write_bytes(zipped({"A.zip": PACKED["a.zip"]}))
    error = refused(Source(f"{path}/A.zip").check)
    assert (error.kind, error.path, error.remedy) == ("cannot-write", f"{path}/A.zip", "set TMPDIR")


def test_a_full_disk_is_named_and_nothing_is_left_on_it(tmp_path, monkeypatch):
    path, room = tmp_path / "a.zip", tmp_path / "room"
    path.write_bytes(zipped({"small.txt": RUN, "run.txt": os.urandom(1 << 16)}))
    room.mkdir()
    held = archives._Folder(str(room))
    monkeypatch.setattr(archives, "unpacking_folder", lambda: held)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 12, hard))
    try:
        with pytest.raises(InputError, match="TMPDIR") as caught:
            archives.contents(str(path))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert caught.value.path == str(path)
    assert not list(room.iterdir())


ZIP = PACKED["a.zip"]
#: what is packed, a word of the problem, and the limits that are set
REFUSED = {
    "cut short": (ZIP[:60], "damaged", {}),
    "other bytes": (ZIP[: (at := ZIP.index(b"run.txt") + 12)] + bytes(8) + ZIP[at + 8 :], "damaged", {}),
    "a tar cut short": (PACKED["a.tar"][:515], "damaged", {}),
    "encrypted": (ZIP.replace(b"\24\0\0\0", b"\24\0\1\0"), "encrypted", {}),
    "a bomb": (zipped({"a": bytes(20 << 20)}), "200 times", {}),
    "a tar bomb": (gzip.compress(tarred({"a": bytes(20 << 20)})), "200 times", {}),
    "a nested bomb": (zipped({"a.zip": zipped({"a": bytes(20 << 20)})}), "200 times", {}),
    "more bytes than allowed": (zipped(dict.fromkeys("abc", RUN)), "COLIEE_IR_MAX_UNPACKED", {"UNPACKED": "25"}),
    "more files than allowed": (zipped(dict.fromkeys("abc", RUN)), "more than 2 files", {}),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_refused(what, tmp_path, monkeypatch):
    content, problem, most = REFUSED[what]
    for name, value in most.items():
        monkeypatch.setenv(f"COLIEE_IR_MAX_{name}", value)
    if "files" in what:
        monkeypatch.setattr(limits, "MEMBERS", 2)
    path = tmp_path / "a.zip"
    path.write_bytes(content)
    for read in (lambda: archives.contents(str(path)), Source(path).check):
        with pytest.raises(InputError, match=problem) as caught:
            read()
        assert caught.value.path == str(path)
    assert walk([tmp_path]).files == [str(path)]  # and whoever opens it says so
