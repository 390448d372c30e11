import gzip
import io
import lzma
import os
import pickle
import random
import stat
import sys
import tracemalloc
import zipfile
from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from asserting import begins, clause, heard, matches, mentions, refusing
from hypothesis import given
from hypothesis import strategies as st
from packed import tarred, zipped
from reading import refused, told

from coliee_adapters.errors import InputError, UsageError
from coliee_adapters.files import archives, limits
from coliee_adapters.files.compressed import COMPRESSIONS, compression_of
from coliee_adapters.files.limits import Limits
from coliee_adapters.files.source import BOM, Source, copies, decode
from coliee_adapters.files.writing import check_outputs, open_appending, open_text_replacing

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

pack = partial(gzip.compress, mtime=0)

PACK = {"gzip": pack, "xz": lzma.compress, "Zstandard": zstd.compress}
TEXT = "001 013 民法\n002 014 T\n"
LONG = "".join(f"{i} {i * 7919 % 100_003} T\n" for i in range(20_000)).encode()  # several heads, and hard to pack


@pytest.fixture
def stdin(monkeypatch):
    return lambda content: monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))


@pytest.mark.parametrize("path", ["run.txt", "run.gz", "-", "pipe"])
@pytest.mark.parametrize("packed", [bytes, *PACK.values()])
def test_every_carrier_gives_the_same_bytes_as_often_as_asked(here, stdin, path, packed):
    content = packed(BOM + TEXT[:9].encode()) + packed(TEXT[9:].encode())
    is_plain, is_file = path.startswith("run"), path.startswith("run") and packed is bytes
    reader, writer = os.pipe()
    with os.fdopen(reader, "rb"), os.fdopen(writer, "wb") as stream:
        if path == "pipe":
            stream.write(content)
        stream.close()
        stdin(content)
        Path("run.txt").write_bytes(content)
        Path("run.gz").write_bytes(content)
        source = Source(f"/dev/fd/{reader}" if path == "pipe" else path)
        assert not is_file or Source(path).is_file  # before anything is read
        for _ in range(2):
            assert source.head() == source.text().encode() == b"".join(source.blocks(5)) == TEXT.encode()
        assert (source.is_file, source.size) == (is_file, len(content) if is_file else 0)
        assert source.packed_size == (len(content) if is_plain else 0)
        assert source.name == ("<stdin>" if path == "-" else source.path)


@given(
    st.lists(st.sampled_from([b"\n", b"a\n", b"bc d\n", b"e\rf\n", "é\n".encode(), BOM * 2 + b"\n"])),
    st.sampled_from([b"", b"the end"]),
    st.integers(1, 9),
    st.data(),
)
def test_parts_of_a_file_hold_together_what_it_holds_in_blocks_that_end_with_lines(
    tmp_path_factory, lines, end, size, data
):
    path = tmp_path_factory.getbasetemp() / "parts.txt"
    lines = [BOM + b"x\n", *lines, end]
    path.write_bytes(b"".join(lines))
    cuts = [0, *sorted(data.draw(st.lists(st.integers(1, len(lines)), max_size=2))), len(lines)]
    source = Source(path)
    for first, last in pairwise(cuts):
        start, stop = (len(b"".join(lines[:i])) for i in (first, last))
        blocks = list(source.blocks(size, start, stop if last < len(lines) else None))
        assert b"".join(blocks) == b"".join(lines[first:last]).replace(BOM, b"")
        assert all(block.endswith(b"\n") for block in blocks[:-1])
        assert all(block.count(b"\n", 0, -size) == 0 for block in blocks)


@pytest.mark.parametrize("content", [b"", BOM + BOM, b" \n\t\r\n", BOM + b"\n", pack(b""), pack(BOM)])
def test_an_empty_file_is_refused(here, stdin, content):
    stdin(content)
    Path("run.txt").write_bytes(content)
    for path, name in (("run.txt", "run.txt"), ("-", "<stdin>")):
        assert matches(told(Source(path).head), f"{name}: [empty]")


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("folder", "[not-a-file]"),
        ("no/run.txt", "[no-file]"),
        ("run.txt/x", "[cannot-read] Not a directory …"),
        ("x" * 300, "[cannot-read] File name too long …"),
        ("secret.txt", "[cannot-read] Permission denied …"),
        ("-", "[cannot-read]"),
        ("start.gz", "[damaged] gzip …"),
    ],
)
def test_what_cannot_be_opened_is_refused(here, monkeypatch, path, message):
    Path("folder").mkdir()
    Path("run.txt").write_text(TEXT, encoding="utf-8")
    Path("start.gz").write_bytes(pack(TEXT.encode())[:2])
    monkeypatch.setattr("sys.stdin", None)
    if path == "secret.txt":  # root may read everything
        Path(path).write_text(TEXT, encoding="utf-8")
        denied = PermissionError(13, "Permission denied", path)
        monkeypatch.setattr(Path, "open", lambda *_: (_ for _ in ()).throw(denied))
    assert matches(told(Source(path).head), f"{'<stdin>' if path == '-' else path}: {message}")
    assert Source(path).packed_size == 0 or Path(path).exists()


def test_a_run_without_tag_is_called_as_its_file():
    for path, stem in {
        "a/run.txt": "run", "run.TXT": "run", "run.jsonl.gz": "run", "run.txt.xz": "run", "run.zst": "run",
        "task3.ALPHA.gz": "task3.ALPHA", "task1 (2).csv": "task1 (2)", "run.v2.xml": "run.v2", ".json": ".json",
        "-": "<stdin>",
    }.items():  # fmt: skip
        assert Source(path).stem == stem


@pytest.mark.parametrize("size", [5, 100, 1 << 18])
@pytest.mark.parametrize("carrier", [lambda content: content, pack])
def test_a_line_may_be_as_long_as_the_limit(here, monkeypatch, size, carrier):
    monkeypatch.setenv("COLIEE_IR_MAX_LINE", "64")
    good, bad = b"a\n" + b"b" * 64 + b"\nc\n", b"a\n\n" + b"b" * 65
    Path("good.txt").write_bytes(carrier(good))
    assert b"".join(Source("good.txt").blocks(size)) == good
    for ending in (b"\n", b""):
        Path("bad.txt").write_bytes(carrier(bad + ending))
        for read in (lambda: list(Source("bad.txt").blocks(size)), lambda: Source("bad.txt").text(columns=True)):
            error = refused(read)
            assert (error.kind, error.line, error.found) == ("too-large", 3, "b" * 65)
            assert "64 bytes" in error.problem and "COLIEE_IR_MAX_LINE" in str(error.remedy)
    assert Source("bad.txt").text() == bad.decode()
    assert list(Source("bad.txt").blocks(size, longest=65))


def test_a_line_beyond_the_limit_is_refused_before_it_is_read_to_its_end(here):
    Path("run.gz").write_bytes(pack(b"a\n" + b"x" * (20 << 20)))
    tracemalloc.start()
    error = refused(lambda: list(Source("run.gz").blocks(1 << 18)))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert "longer than 1 MiB" in error.problem
    assert peak < 8 << 20


@pytest.mark.parametrize("carrier", [lambda content: content, pack])
def test_memory_and_what_comes_through_a_pipe_have_limits(here, monkeypatch, stdin, carrier):
    monkeypatch.setenv("COLIEE_IR_MAX_WHOLE", "1K")
    for size, share in ((1024, 1), (512, 2)):
        Path("run.json").write_bytes(carrier(b"x" * size))
        assert len(Source("run.json").raw(share)) == size
    Path("run.json").write_bytes(carrier(b"x" * 1025))
    assert mentions(clause(refused(Source("run.json").text)), "[too-large] 1 KiB…")
    monkeypatch.setenv("COLIEE_IR_MAX_UNPACKED", "100K")
    stdin(LONG)
    assert mentions(clause(refused(Source("-").head)), "[too-large] 100 KiB …")
    Path("run.txt").write_bytes(LONG)
    assert b"".join(Source("run.txt").blocks(1 << 16)) == LONG


@pytest.mark.parametrize("text", ["0", "-1", "1.5", "1 M", "many", "1T"])
def test_limits_are_whole_numbers_of_the_environment(here, monkeypatch, text):
    assert limits.current().whole >= Limits().whole
    for name, value in (("LINE", "2k"), ("WHOLE", " 3M "), ("UNPACKED", "5G")):
        monkeypatch.setenv(f"COLIEE_IR_MAX_{name}", value)
    assert limits.current()[:3] == (2 << 10, 3 << 20, 5 << 30)
    monkeypatch.setenv("COLIEE_IR_MAX_LINE", text)
    with refusing(UsageError, "[bad-value] COLIEE_IR_MAX_LINE …"):
        Source("run.txt").check()


def saved(array, save):
    stream = io.BytesIO()
    save(stream, array)
    return stream.getvalue()


def office(name):
    return zipped({"[Content_Types].xml": b"x", name: b"x"})


#: what helps → files without text
KINDS = {
    "unpack": [
        zipped({"run.txt": b"x"}), pack(tarred({"run.txt": b""})), pack(pack(LONG)), pack(lzma.compress(LONG)),
        pack(b"\x28\xb5\x2f\xfd" + LONG),
    ],
    "CSV": [
        office("xl/workbook.xml"), bytes.fromhex("d0cf11e0a1b11ae1") + bytes(100), b"SQLite format 3\0" + LONG,
        zipped({"mimetype": b"application/vnd.oasis.opendocument.spreadsheet"}, zipfile.ZIP_STORED),
    ],
    "plain text": [office("word/document.xml")],
    "JSON": [
        zipped({"model/data.pkl": b"x"}), saved(np.arange(3), np.savez), saved(np.arange(3), np.save),
        pickle.dumps({"q": ["d"]}, protocol=2),
    ],
    "to_csv": [b"ARROW1\0\0" + LONG, b"\xff\xff\xff\xff" + LONG, b"\x89HDF\r\n\x1a\n" + LONG],
    "Raw": [b"\n<!DOCTYPE html>\n<html>", b"<HTML lang='en'>"],
    "UTF-8": [*("001 013 T\n".encode(f"utf-16-{order}") for order in ("be", "le")), "001 013 T\n".encode("utf-32")],
    "new copy": [bytes(1 << 16)],
}  # fmt: skip


@pytest.mark.parametrize(("remedy", "content"), [(remedy, file) for remedy, files in KINDS.items() for file in files])
def test_a_file_that_holds_no_text_is_refused_with_what_helps(here, stdin, content, remedy):
    Path("run.txt").write_bytes(content)
    stdin(content)
    for path in ("run.txt", "-"):
        assert remedy in heard(refused(Source(path).head).remedy)


def test_ids_like_the_first_bytes_of_other_files_are_text_but_a_nul_is_refused_at_once(here):
    first_bytes = ("PK", "PAR1", "BZh1", "\x04", "(", "ustar", "001 <html>", "%PD")
    for text in (f"{first} 013 T" for first in first_bytes):
        Path("run.txt").write_text(text, encoding="utf-8")
        assert Source("run.txt").text() == text
    Path("run.txt").write_bytes(BOM + BOM + b"a\r\n" + BOM + b"b\r" + BOM + b"c" + BOM + b"d\n\r\n")
    assert Source("run.txt").text() == "a\nb\nc\ufeffd\n\n"
    Path("run.txt").write_bytes(b"001 013 T\n001 0\x0014 T\n")
    assert matches(told(Source("run.txt").head), "run.txt, line 2: [encoding]")
    assert Source("run.txt", lenient=True).raw() == b"001 013 T\n001 0\x0014 T\n"


def test_a_source_travels_alone(here, stdin, monkeypatch):
    stdin(LONG)
    assert refused(pickle.dumps, Source("-")).kind == "not-a-file"
    (here / "elsewhere").mkdir()
    for name, content, size in (("run.txt", LONG, len(LONG)), ("run.gz", pack(LONG), 0)):
        monkeypatch.chdir(here)
        Path(name).write_bytes(content)
        pickled = pickle.dumps(Source(name))
        assert len(pickled) < 1000
        monkeypatch.chdir("elsewhere")  # where it is found all the same
        source = pickle.loads(pickled)
        assert (source.head(), source.size, b"".join(source.blocks(1 << 16))) == (LONG[: 1 << 16], size, LONG)
        (here / name).write_bytes(b"another\n")
        error = refused(pickle.loads(pickled).text)
        assert "changed" in error.problem and "another one" not in error.problem
    monkeypatch.setattr("platform.node", lambda: "node7")  # another machine misses it with its own name
    assert "changed" in (changed := refused(pickle.loads(pickled).text).problem) and "node7" in changed
    (here / name).unlink()
    error = refused(pickle.loads(pickled).text)
    assert (error.kind, error.path, "node7" in error.problem) == ("no-file", name, True)


def test_what_is_no_text_is_refused_with_its_line():
    for raw, line, found in (
        (b"a\n\xffb", 2, r"\xffb"), (b"\xff\xfea\0\n\0", 1, r"\xff\xfea\x00\n\x00"), (b"\n\xff", 2, r"\xff"),
        (b"'\"\n\xc0\xaf'\"" + b"x" * 9, 2, r"\xc0\xaf\'" + '"xxxx'),
        (b"\n\0", 2, None), (b"\0", 1, None), (b"a\r\n\nb\0\n\0", 3, None),
    ):  # fmt: skip
        rest = "[encoding]" + (f" (found '{found}')" if found else "")
        assert matches(told(decode, raw, "run.txt", 11), f"run.txt, line {line + 10}: {rest}")


@pytest.mark.parametrize("mask", [0o022, 0o077])
def test_the_old_file_stands_until_the_end_and_permissions_stay(here, mask):
    Path("old.txt").write_text("old", encoding="utf-8")
    Path("old.txt").chmod(0o640)
    Path("link.txt").symlink_to("old.txt")  # what it points to is replaced, and it stays
    before = os.umask(mask)
    try:
        for name in ("link.txt", "new.txt"):
            with open_text_replacing(Path(name)) as stream:
                stream.write("a\n民法\r\n")
                stream.flush()
                before_end = {"link.txt": b"old", "new.txt": b""}[name]
                assert (Path(name).read_bytes() if Path(name).exists() else b"") == before_end
            assert Path(name).read_bytes() == "a\n民法\r\n".encode()
        assert os.umask(mask) == mask  # asking for it has not changed it
    finally:
        os.umask(before)
    assert [stat.S_IMODE(Path(name).stat().st_mode) for name in ("old.txt", "new.txt")] == [0o640, 0o666 & ~mask]
    assert (len(list(Path().iterdir())), Path("link.txt").is_symlink()) == (3, True)


def full(*_, **__):
    raise OSError(28, "No space left on device")


def write(path, text):
    with open_text_replacing(path) as stream:
        stream.write(text)


def test_minus_is_standard_output_as_it_is(capsys, monkeypatch):
    long = "民法\r\n" + "x" * (17 << 20)  # more than what is held in memory
    for text in ("a\n", long):
        write("-", text)
    assert str(capsys.readouterr().out) == "a\n" + long
    monkeypatch.setattr("tempfile.TemporaryFile", full)
    assert "No space left on device" in told(write, "-", long)


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("no/out.txt", "No such file or directory"),
        ("old.txt/out.txt", "Not a directory"),
        (".", "Is a directory"),
        ("x" * 300, "File name too long"),
        ("old.txt", "No space left on device"),
    ],
)
def test_what_cannot_be_written_is_refused(here, monkeypatch, path, why):
    Path("old.txt").write_text("old", encoding="utf-8")
    if path == "old.txt":  # at the end
        monkeypatch.setattr(Path, "replace", full)
    assert matches(told(write, path, "new"), f"{path}: [cannot-write] {why} …")
    assert [file.read_text(encoding="utf-8") for file in Path().iterdir()] == ["old"]


@pytest.mark.parametrize("crash", [ValueError(), KeyboardInterrupt(), InputError("syntax", "in.txt", "broken")])
@pytest.mark.parametrize("name", ["old.txt", "old.txt.gz", "new.txt", "new.txt.gz", "-", "pipe"])
def test_of_what_crashes_nothing_is_written_and_the_old_file_stands(here, capsys, name, crash):
    os.mkfifo("pipe")
    for old in ("old.txt", "old.txt.gz"):
        Path(old).write_text("old", encoding="utf-8")
    reader = os.open("pipe", os.O_RDONLY | os.O_NONBLOCK)
    try:
        with pytest.raises(type(crash)), open_text_replacing(name) as stream:
            stream.write("new" * 100_000)
            stream.flush()
            raise crash
        assert (capsys.readouterr().out, os.read(reader, 1000), stream.closed) == ("", b"", True)
        assert {path.name: path.is_file() and path.read_text() for path in Path().iterdir()} == {
            "old.txt": "old", "old.txt.gz": "old", "pipe": False,
        }  # fmt: skip
        write("pipe", TEXT)
        assert os.read(reader, 1000) == TEXT.encode()
        with pytest.raises(type(crash)), open_appending("old.txt") as stream:
            stream.write(b"new")
            raise crash
        assert Path("old.txt").read_text() == "old"
    finally:
        os.close(reader)
    assert stat.S_ISFIFO(Path("pipe").stat().st_mode)


def test_no_output_is_an_input(here, monkeypatch):
    Path("folder").mkdir()
    for name in ("in.txt", "other.txt", "folder/case.txt", "folder/page.html"):
        Path(name).write_text(name)
    Path("link").symlink_to("in.txt")
    Path("hard").hardlink_to("in.txt")
    for output in ("in.txt", "./in.txt", Path("folder/../in.txt"), "link", "hard", "folder/case.txt"):
        with refusing(UsageError, "[would-overwrite]"):
            check_outputs([None, output], [None, "not there", "in.txt", "folder", "x" * 300])
    for output in ("other.txt", "new.txt", "-", "folder/page.html", "folder/new.txt", "no/new.txt"):
        check_outputs([output], ["in.txt", "folder", "-"])
    for twice, kind in ((["new.txt", "./new.txt"], "would-overwrite"), (["-", "-"], "named-twice")):
        with refusing(UsageError, f"[{kind}]"):
            check_outputs(twice, [])
    with Path("in.txt").open() as stream, Path("in.txt").open("a") as end:  # standard streams are looked through
        monkeypatch.setattr("sys.stdin", stream)
        with refusing(UsageError, "[would-overwrite] in.txt …"):
            check_outputs(["in.txt"], ["-"])
        monkeypatch.setattr("sys.stdout", end)
        with refusing(UsageError, "[would-overwrite] standard output …"):
            check_outputs(["-"], ["in.txt"])
    monkeypatch.setattr("sys.stdin", None)
    check_outputs(["in.txt"], ["-"])


def test_copies_are_known_by_their_bytes(here, monkeypatch):
    for name, content in {"a": "xy", "b": "xz", "c": "xy", "d": "xyz", "e": ""}.items():
        Path(name).write_text(content)
    Path("link").symlink_to("d")
    found = [None, None, "a", None, None, None, None, "a", "d", None]
    assert copies(["a", "b", "c", "d", "e", "-", "no", "a", "link", "."]) == found
    monkeypatch.setattr(Source, "digest", lambda _: pytest.fail("read without need"))
    assert copies(["a", "d", "e"]) == [None, None, None]


# xz and Zstandard wherever gzip is read or written, within the same limits

every = pytest.mark.parametrize("one", COMPRESSIONS, ids=[one.name for one in COMPRESSIONS])


@every
@given(st.lists(st.binary(max_size=50), max_size=4), st.lists(st.integers(1, 90), min_size=1, max_size=9))
def test_pieces_of_any_size_are_those_of_the_content(one, streams, sizes):
    raw, content = (io.BytesIO(b"".join(map(pack, [b"x", *streams]))) for pack in (PACK[one.name], bytes))
    stream = one.unpacked(raw, "run")
    for size in sizes:
        assert (stream.read(size), stream.tell()) == (content.read(size), content.tell())
    assert stream.read() + stream.read(1) == content.read()
    raw = io.BytesIO(PACK[one.name](random.Random(1).randbytes(1 << 19)))
    assert len(one.unpacked(raw, "run").read(1000)) == 1000
    assert raw.tell() <= 1 << 18  # of twice as much; Python's gzip reads 128 KiB ahead from 3.12 on, other ones less


#: what is done to packed data
DAMAGE = {
    "cut short": lambda packed: packed[:-20],
    "overwritten": lambda packed: packed[: len(packed) // 2] + b"\xff" * 99 + packed[len(packed) // 2 + 99 :],
    "with more behind it": lambda packed: packed + b"more",
    "nearly nothing": lambda packed: packed[:12],
}


@every
@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("damage", DAMAGE)
def test_damaged_data_is_refused_in_one_sentence(one, damage):
    Path("run").write_bytes(DAMAGE[damage](PACK[one.name](LONG)))
    for read in (Source.text, lambda source: list(source.blocks(1 << 16))):
        try:
            read(Source("run"))
        except InputError as error:
            of_data = begins(clause(error), f"[damaged] {one.name} …")
            assert of_data or "NUL" in clause(error)  # where what came out is looked at before its checksum
            assert error.path == "run"
        else:  # which is written without a checksum
            assert one.name == "Zstandard"


@every
@pytest.mark.usefixtures("here")
def test_the_limits_of_unpacked_data_hold(one, monkeypatch):
    Path("run").write_bytes(PACK[one.name](b"a\n" * (1 << 20)) * 10)
    error = refused(lambda: list(Source("run").blocks(1 << 18)))
    assert mentions(clause(error), "[too-large] 200 …")
    assert "unpack" in str(error.remedy)
    Path("run").write_bytes(PACK[one.name](b"a\n" * (6 << 20)))  # below 16 MiB, whatever its ratio
    assert Source("run").text() == "a\n" * (6 << 20)
    monkeypatch.setenv("COLIEE_IR_MAX_UNPACKED", "100K")
    Path("run").write_bytes(PACK[one.name](LONG))
    problem = clause(refused(lambda: list(Source("run").blocks(1 << 16))))
    assert matches(heard(problem), f"[too-large] {one.name} … 100 KiB …")
    if "memlimit" in one.bounds:  # of xz, which may ask for much memory
        raw = io.BytesIO(lzma.compress(TEXT.encode()))
        with pytest.raises(EOFError, match="limit"):
            one._replace(bounds={"memlimit": one.bounds["memlimit"] >> 8}).unpacked(raw, "run").read()


@every
@pytest.mark.usefixtures("here")
def test_the_name_says_how_what_is_written_is_compressed_and_a_tar_archive_may_be_too(one):
    ending = one.ending
    for name in (f"a{ending}", f"b{ending}", "plain"):
        with open_text_replacing(name) as stream:
            stream.write(TEXT)
    assert Path(f"a{ending}").read_bytes() == Path(f"b{ending}").read_bytes() != Path("plain").read_bytes()
    with Path(f"a{ending}").open("rb") as raw:
        assert compression_of(raw) is one
    assert Source(f"a{ending}").text() == TEXT
    Path("other").write_text(TEXT[:-1] + "x")
    assert copies([f"a{ending}", "other", "plain", f"b{ending}"]) == [None, None, *[f"a{ending}"] * 2]
    Path(f"a.tar{ending}").write_bytes(PACK[one.name](tarred({"in/run.txt": TEXT.encode()})))
    assert Source(f"a.tar{ending}/in/run.txt").text() == TEXT
    for end in (f".tar{ending}", f".t{ending[1:]}", f".TAR{ending.upper()}"):
        assert archives.without_ending(f"team.v2{end}") == "team.v2"


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("one", [one for one in COMPRESSIONS if "zstd" in one.module])
def test_a_library_that_is_not_installed_is_named(one, monkeypatch):
    Path("run").write_bytes(PACK[one.name](TEXT.encode()))
    for module in (one.module, one.module.split(".")[0]):
        monkeypatch.setitem(sys.modules, module, None)
    for call in (Source("run").check, lambda: open_text_replacing(f"out{one.ending}").__enter__()):
        error = refused(call)
        assert error.kind == "needs-package" and one.name in error.problem
        assert "coliee-ir[compression]" in str(error.remedy)
    assert [path.name for path in Path().iterdir()] == ["run"]
