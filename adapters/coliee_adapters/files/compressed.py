"""Compressed files, known by their first bytes and not by their names: gzip, xz, Zstandard.

gzip and xz come with Python, and from 3.14 on Zstandard does; the extra ``compression`` has it before. Only as
much is unpacked as is asked for, so that the caller can stop at a limit.
"""

from __future__ import annotations

import gzip
import importlib
import io
import sys
import zlib
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, BinaryIO, Final, NamedTuple, cast

from coliee_adapters.errors import InputError

#: so many packed bytes are read at a time, and so many come out of them
_PIECE: Final = 1 << 16
_MOST: Final = 1 << 20

#: so many of the first bytes tell compressions apart
_SIGN: Final = 10


class Compression(NamedTuple):
    """A way in which files are compressed."""

    name: str  # what it is called
    ending: str  # how the names of its files end
    first_bytes: bytes  # the first bytes of its files
    module: str  # the library
    file: str  # the library's class of files
    # its class of decompressors, which unpack one stream; none where its files do all that is needed
    decompressor: str = ""
    bounds: Mapping[str, int] = {}  # what that class is told about the memory that it may take

    def library(self, path: str) -> Any:
        """The library."""
        try:
            return importlib.import_module(self.module)
        except ImportError:
            raise InputError(
                "needs-package",
                path,
                f"{self.name} data needs the package {self.module}",
                remedy="pip install 'coliee-ir[compression]', or use gzip",
            ) from None

    def unpacked(self, raw: BinaryIO, path: str) -> BinaryIO:
        """A stream of the unpacked bytes, which raises ``DAMAGED``; ``packed`` is how many bytes it has taken."""
        if not self.decompressor:
            return cast(BinaryIO, _Gzip(fileobj=raw))
        return cast(BinaryIO, _Unpacked(raw, partial(getattr(self.library(path), self.decompressor), **self.bounds)))

    def packing(self, raw: BinaryIO, path: str) -> BinaryIO:
        """A stream that compresses into another one; of equal content come equal bytes."""
        file = getattr(self.library(path), self.file)
        return cast(BinaryIO, file(raw, "wb") if self.decompressor else file("", "wb", fileobj=raw, mtime=0))


_ZSTD: Final = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"

GZIP: Final = Compression("gzip", ".gz", b"\x1f\x8b", "gzip", "GzipFile")

#: The compressions that are read and written.
COMPRESSIONS: Final = (
    GZIP,
    # the greatest preset needs 65 MiB
    Compression(
        "xz", ".xz", b"\xfd7zXZ\0", "lzma", "LZMAFile", "LZMADecompressor", {"memlimit": 256 << 20}
    ),
    Compression("Zstandard", ".zst", b"\x28\xb5\x2f\xfd", _ZSTD, "ZstdFile", "ZstdDecompressor"),
)  # fmt: skip

#: What is raised over damaged data.
DAMAGED: Final = (EOFError, gzip.BadGzipFile, zlib.error)


def compression_of(raw: BinaryIO) -> Compression | None:
    r"""How a file is compressed, by its first bytes; None if it is not. The stream is put back to its start.

    >>> compression_of(io.BytesIO(b"\x1f\x8b\x08...")).name
    'gzip'
    >>> compression_of(io.BytesIO(b"001 is a query"))
    """
    head = raw.read(_SIGN)
    raw.seek(0)
    return next((compression for compression in COMPRESSIONS if head.startswith(compression.first_bytes)), None)


def compression_by_name(path: str) -> Compression | None:
    """How a file of this name is to be compressed; None if it is not.

    >>> compression_by_name("run.txt.xz").name
    'xz'
    """
    return next((compression for compression in COMPRESSIONS if path.endswith(compression.ending)), None)


def without_compression_ending(path: str) -> str:
    """A name without the ending of a compression.

    >>> without_compression_ending("run.txt.zst"), without_compression_ending("run.txt")
    ('run.txt', 'run.txt')
    """
    compression = compression_by_name(path)
    return path if compression is None else path.removesuffix(compression.ending)


class _Gzip(gzip.GzipFile):
    """Python's own, which here says how much it has taken."""

    @property
    def packed(self) -> int:
        return cast(BinaryIO, self.fileobj).tell()


class _Unpacked(io.BufferedIOBase):
    """The content of compressed streams that stand one after the other.

    The libraries' own files cannot be bounded in memory, and some of them pass over what stands behind a stream.
    """

    def __init__(self, raw: BinaryIO, start: Callable[[], Any]) -> None:
        self._raw, self._start, self._one = raw, start, start()
        self._done = 0

    @property
    def packed(self) -> int:
        return self._raw.tell()

    def fileno(self) -> int:
        return self._raw.fileno()

    def readable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._done

    def read(self, size: int | None = -1, /) -> bytes:
        """So many bytes; fewer only at the end."""
        left = sys.maxsize if size is None or size < 0 else size
        pieces = []
        try:
            while left and (piece := self._next(min(left, _MOST))):
                pieces.append(piece)
                left -= len(piece)
                self._done += len(piece)
        except (MemoryError, EOFError):
            raise
        except Exception as error:  # each library has its own
            raise EOFError(str(error)) from None
        return b"".join(pieces)

    def _next(self, most: int) -> bytes:
        """The next bytes, at most so many; none at the end."""
        piece = b""
        while not piece:
            data = b""
            if self._one.eof:
                if not (data := self._one.unused_data or self._raw.read(_PIECE)):
                    return b""
                self._one = self._start()
            elif self._one.needs_input and not (data := self._raw.read(_PIECE)):
                raise EOFError("Compressed file ended before the end-of-stream marker was reached")
            piece = self._one.decompress(data, max_length=most)
        return piece
