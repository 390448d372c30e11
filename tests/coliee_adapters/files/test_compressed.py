"""xz and Zstandard wherever gzip is read or written, within the same limits."""

import gzip
import io
import lzma
import random
import sys
from functools import partial
from pathlib import Path

import pytest
from asserting import begins, clause, heard, matches, mentions
from hypothesis import given
from hypothesis import strategies as st
from packed import tarred
from reading import refused

from coliee_adapters.errors import InputError
from coliee_adapters.files import archives
from coliee_adapters.files.compressed import COMPRESSIONS, compression_of
from coliee_adapters.files.source import Source, copies
from coliee_adapters.files.writing import open_text_replacing

pytestmark = pytest.mark.usefixtures("here")

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

PACK = {"gzip": partial(gzip.compress, mtime=0), "xz": lzma.compress, "Zstandard": zstd.compress}
TEXT = "001 013 民法\n002 014 T\n"
LONG = "".join(f"{i} {random.Random(i).random()} T\n" for i in range(8_000)).encode()  # several heads, hard to pack

every = pytest.mark.parametrize("one", COMPRESSIONS, ids=[one.name for one in COMPRESSIONS])


@every
def test_a_compressed_file_is_read_like_any_other(one, monkeypatch):
    packed, named = PACK[one.name](TEXT.encode()), f"run.txt{one.ending}"
    Path("run.txt").write_bytes(packed)  # known by its bytes, not by its name
    Path(named).write_bytes(PACK[one.name](TEXT[:9].encode()) + PACK[one.name](TEXT[9:].encode()))
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(packed)))
    for path in ("run.txt", named, "-"):
        source = Source(path)
        for _ in range(2):
            assert source.head() == source.text().encode() == b"".join(source.blocks(5)) == TEXT.encode()
        assert not source.is_file
    assert Source(named).stem == "run"


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
