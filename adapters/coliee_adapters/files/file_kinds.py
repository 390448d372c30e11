"""Files that hold no text, known by their first bytes, and what to do with each."""

from __future__ import annotations

from typing import Final

from coliee_adapters.classes import NamedTuple
from coliee_adapters.files.mail import is_mail


class Kind(NamedTuple):
    """A kind of file."""

    name: str  # what it is, with its article
    remedy: str  # what to do with it


_UNPACK: Final = "unpack it and give the file in it"
_ONCE: Final = "unpack it once"
_TABLE: Final = "write it as Parquet or CSV, for instance with to_csv of pandas or write_csv of polars"
_UTF8: Final = "save the file as UTF-8"
_EXPORT: Final = "export it as CSV"

#: what golds and runs may be, and other files not
PARQUET: Final = Kind("a Parquet file", "convert it: coliee-ir convert IN OUT")

SQLITE: Final = Kind("an SQLite database", "export the table as CSV")

#: by what a store of scores is known: SQLite's field for the application, a key in a Parquet file's footer
STORE_ID: Final = 0x434F4C49

#: the first bytes, and what they show
_STARTS: Final = (
    (bytes(512), Kind("a file of zero bytes", "get a new copy: the content was lost or never written")),
    (b"\xff\xfe\0\0", Kind("UTF-32 text", _UTF8)),
    (b"\0\0\xfe\xff", Kind("UTF-32 text", _UTF8)),
    (b"\x1f\x8b", Kind("gzip data within compressed data", _ONCE)),
    (b"\xfd7zXZ\0", Kind("xz data within compressed data", _ONCE)),
    (b"\x28\xb5\x2f\xfd", Kind("Zstandard data within compressed data", _ONCE)),
    (b"7z\xbc\xaf\x27\x1c", Kind("a 7-Zip archive", _UNPACK)),
    (b"Rar!\x1a\x07", Kind("a RAR archive", _UNPACK)),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", Kind("an old-format Excel or Word file", _EXPORT)),
    (b"PAR1\x15", PARQUET),
    (b"ARROW1\0\0", Kind("an Arrow file", _TABLE)),
    (b"\xff\xff\xff\xff", Kind("an Arrow stream", _TABLE)),
    (b"%PDF-", Kind("a PDF", "give the data it was made from")),
    (b"{\\rtf", Kind("an RTF document", "save it as plain text")),
    (b"\x89HDF\r\n\x1a\n", Kind("an HDF5 file", _TABLE)),
    (b"\x93NUMPY", Kind("a NumPy array", "write ids and scores as text, or give the arrays to Evaluator in Python")),
    (b"SQLite format 3\0", SQLITE),
    (b"version https://git-lfs", Kind("a pointer of Git LFS, not the file itself", "fetch the file with git lfs pull")),
)  # fmt: skip

_PICKLE: Final = Kind("a pickle", "write its content as JSON, or give the loaded object to coliee_ir in Python")

#: what stands in a zip file's first entries, and what that makes it
_ZIPPED: Final = (
    (b"mimetypeapplication/vnd.oasis.opendocument.spreadsheet", Kind("an OpenDocument spreadsheet", _EXPORT)),
    (b"mimetypeapplication/vnd.oasis.opendocument", Kind("an OpenDocument text", "save it as plain text")),
    (b"xl/w", Kind("an Excel workbook", _EXPORT)),
    (b"word/", Kind("a Word document", "save it as plain text")),
    (b"/data.pkl", Kind("a PyTorch file", _PICKLE.remedy)),
    (b".npy", Kind("an archive of NumPy arrays", "write ids and scores as text")),
    (b"[Content_Types].xml", Kind("an Office document", _EXPORT)),
)

ZIP: Final = Kind("a zip archive", _UNPACK)
TAR: Final = Kind("a tar archive", _UNPACK)
MAIL: Final = Kind("a mail", "save its attachments and give these")
#: what is read as a folder
ARCHIVES: Final = (ZIP, TAR, MAIL)

_PAGE: Final = Kind("a web page", "download the file itself; on GitHub, with the button Raw")

#: where an entry of a tar file names its format
_TAR_SIGN: Final = slice(257, 262)


def kind_of(head: bytes) -> Kind | None:
    r"""What a file is that starts with these bytes; None where nothing speaks against text.

    UTF-16 is another question, see ``is_utf16``.

    >>> kind_of(b"PK\3\4...[Content_Types].xml...xl/workbook.xml").name
    'an Excel workbook'
    >>> kind_of(b"001 013 T\n")
    """
    if head.startswith((b"PK\3\4", b"PK\5\6")):
        return next((kind for sign, kind in _ZIPPED if sign in head), ZIP)
    if head[:1] == b"\x80" and head[1:2] in (b"\2", b"\3", b"\4", b"\5"):
        return _PICKLE
    if head.startswith(b"BZh") and head[4:].startswith(b"1AY&SY"):
        return Kind("bzip2 data within compressed data", _ONCE)
    if head[_TAR_SIGN] == b"ustar":
        return TAR
    if head[:256].lstrip().lower().startswith((b"<!doctype html", b"<html")):
        return _PAGE
    if is_mail(head):
        return MAIL
    return next((kind for start, kind in _STARTS if head.startswith(start)), None)


def is_utf16(head: bytes) -> bool:
    r"""Whether these bytes begin UTF-16 text: with its mark, or with a character of ASCII and a zero byte.

    >>> is_utf16("001 013".encode("utf-16")), is_utf16("001 013".encode("utf-16-le")), is_utf16(b"001 013")
    (True, True, False)
    """
    return head.startswith((b"\xff\xfe", b"\xfe\xff")) or head[:2].count(0) == 1


def is_sqlite_store(head: bytes) -> bool:
    """Whether an SQLite database with these first bytes is a store of scores."""
    return int.from_bytes(head[68:72]) == STORE_ID
