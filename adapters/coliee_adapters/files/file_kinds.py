"""Files that hold no text, known by their first bytes, and what to do with each."""

from __future__ import annotations

from typing import Final, NamedTuple

from coliee_adapters.files.compressed import COMPRESSIONS
from coliee_adapters.files.mail import is_mail


class FileKind(NamedTuple):
    """A kind of file: what it is, with its article; what to do with it; and the first bytes of such files."""

    name: str
    remedy: str
    first_bytes: tuple[bytes, ...] = ()


_TABLE: Final = "write it as Parquet or CSV, for instance with to_csv of pandas or write_csv of polars"
_UNPACK: Final = "unpack it and give the file in it"

#: what golds and runs may be, and other files not
PARQUET: Final = FileKind("a Parquet file", "convert it: coliee-ir convert IN OUT", (b"PAR1\x15",))
SQLITE: Final = FileKind("an SQLite database", "export the table as CSV", (b"SQLite format 3\0",))
ZIP: Final = FileKind("a zip archive", _UNPACK)
TAR: Final = FileKind("a tar archive", _UNPACK)
MAIL: Final = FileKind("a mail", "save its attachments and give these")
#: what is read as a folder
ARCHIVES: Final = (ZIP, TAR, MAIL)

_PACKED: Final = FileKind(
    "compressed data within compressed data", "unpack it once", tuple(c.first_bytes for c in COMPRESSIONS)
)
_SHEET: Final = FileKind(
    "an Excel workbook or another Office file", "export it as CSV", (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",)
)
#: what people write for people; beside runs it is no broken run
DOCUMENT: Final = FileKind(
    "a PDF, Word or RTF document", "give the data it was made from, as plain text", (b"%PDF-", b"{\\rtf")
)
_PYTHON: Final = FileKind(
    "a pickle or a NumPy array",
    "write it as JSON, or give the loaded object to coliee_ir in Python",
    (b"\x93NUMPY", *(bytes((0x80, protocol)) for protocol in range(2, 6))),
)
PAGE: Final = FileKind("a web page", "download the file itself; on GitHub, with the button Raw")

#: the kinds that their first bytes show
_KINDS: Final = (
    FileKind("a file of zero bytes", "get a new copy: the content was lost or never written", (bytes(512),)),
    FileKind("a 7-Zip or RAR archive", _UNPACK, (b"7z\xbc\xaf\x27\x1c", b"Rar!\x1a\x07")),
    FileKind("an Arrow or HDF5 file", _TABLE, (b"ARROW1\0\0", b"\xff\xff\xff\xff", b"\x89HDF\r\n\x1a\n")),
    FileKind(
        "a pointer of Git LFS, not the file itself", "fetch the file with git lfs pull", (b"version https://git-lfs",)
    ),
    *(PARQUET, SQLITE, _PACKED, _SHEET, DOCUMENT, _PYTHON),
)

#: what is in a zip file's first entries, and what that makes it
_ZIPPED: Final = (
    (b"mimetypeapplication/vnd.oasis.opendocument.spreadsheet", _SHEET),
    (b"mimetypeapplication/vnd.oasis.opendocument", DOCUMENT),
    (b"xl/w", _SHEET),
    (b"word/", DOCUMENT),
    (b"[Content_Types].xml", _SHEET),
    (b"/data.pkl", _PYTHON),
    (b".npy", _PYTHON),
)

#: where an entry of a tar file names its format
_TAR_SIGN: Final = slice(257, 262)


def kind_of(head: bytes) -> FileKind | None:
    r"""What a file is that starts with these bytes; None where nothing speaks against text.

    UTF-16 is another question, see ``is_utf16``.

    >>> kind_of(b"PK\3\4...[Content_Types].xml...xl/workbook.xml").name
    'an Excel workbook or another Office file'
    >>> kind_of(b"001 013 T\n")
    """
    if head.startswith((b"PK\3\4", b"PK\5\6")):
        return next((kind for sign, kind in _ZIPPED if sign in head), ZIP)
    if head[_TAR_SIGN] == b"ustar":
        return TAR
    if head[:256].lstrip().lower().startswith((b"<!doctype html", b"<html")):
        return PAGE
    if is_mail(head):
        return MAIL
    return next((kind for kind in _KINDS if head.startswith(kind.first_bytes)), None)


def is_utf16(head: bytes) -> bool:
    r"""Whether these bytes begin UTF-16 or UTF-32 text: with its mark, or with a character of ASCII and a zero byte.

    >>> is_utf16("001 013".encode("utf-16")), is_utf16("001 013".encode("utf-16-le")), is_utf16(b"001 013")
    (True, True, False)
    """
    return head.startswith((b"\xff\xfe", b"\xfe\xff", b"\0\0\xfe\xff")) or head[:2].count(0) == 1
