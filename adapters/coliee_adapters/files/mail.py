"""Mails, saved as .eml or mbox, as archives of their attachments, which Python's own library reads."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from datetime import UTC
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, BinaryIO, Final, NamedTuple

from coliee_adapters.errors import InputError

if TYPE_CHECKING:
    from email.message import EmailMessage  # loaded where a mail is read


#: what programs leave before the headers: byte order marks and blank lines; and the line by which an mbox opens a mail
_BEFORE: Final = b"\xef\xbb\xbf \t\r\n"
_OPENING: Final = rb">?From [^\n]+\n"
#: where another mail seems to begin
_NEXT: Final = rb"\n\r?\nFrom [^\n]*\d\d:\d\d[^\n]*\n>?[A-Za-z][A-Za-z0-9-]*:"

#: the heads of a mail, up to the first empty line, as .eml or in an mbox
_HEADS: Final = rb"(?:" + _OPENING + rb")?(?:[A-Za-z][A-Za-z0-9-]*+:[^\n]*+\n(?>(?:[ \t][^\n]*+\n)*))+"
_SIGNS: Final = (rb"(?im)^From:", rb"(?im)^(?:Date|Subject|Message-ID|MIME-Version):")


def is_mail(head: bytes) -> bool:
    r"""Whether a file that starts with these bytes is a mail, or an mbox; of headers that go on one sign is enough.

    >>> is_mail(b"Subject: [submission] A\nFrom: a@b\n\n"), is_mail(b"Task: 1\nRun tag: A\n")
    (True, False)
    >>> is_mail(b"\xef\xbb\xbf\r\nFrom a\nSubject: [submission] A\nFrom: a@b\n\n")
    True
    """
    heads = re.match(_HEADS, (start := head.lstrip(_BEFORE)) + b"\n")
    if heads is None:
        return False
    needed = any if heads.end() > len(start) and len(head) >= _HEADERS else all
    return needed(re.search(sign, heads[0]) for sign in _SIGNS)


def looks_like_mail(head: bytes) -> bool:
    """Whether these bytes have headers of a mail among other lines, so that it may have been one."""
    return all(re.search(sign, head) for sign in _SIGNS)


class Mail(NamedTuple):
    """What a mail says of its attachments; each is empty where it says not."""

    subject: str
    received: str  # in UTC
    sender: str = ""  # the address alone, in small letters
    is_sure: bool = True  # False where the last server's time cannot be read, or no zone is named
    by_server: bool = True  # False where no server's time is there, and the sender's own date is taken
    doubled: tuple[str, ...] = ()  # the headers that it has several times, and may have once
    forwarded: tuple[Mail, ...] = ()  # the mails in it, and in these
    is_whole: bool = True  # False where the end of a part is missing, or its beginning


#: bytes of a mail's headers, those of its parts among them, which Python parses in time that grows with their square;
#: this many of each do not count; and how many parts, and headers that are parsed, a mail may have
_HEADERS: Final = 64 << 10
_FREE: Final = 512
_PARTS: Final = 2000
_N_PARSED: Final = 8000

_HEADER: Final = rb"(?:\A|(?<=[\r\n]))[A-Za-z][A-Za-z0-9-]*+:[^\r\n]*+(?>(?:(?:\r\n?|\n)[\t ][^\r\n]*)*)"


def _parsed(raw: bytes) -> EmailMessage | None:
    """A mail; None where parsing it would take too long, as its headers are too long, or its parts too many."""
    import email
    from email.policy import default

    n_bytes = sum(max(0, match.end() - match.start() - _FREE) for match in re.finditer(_HEADER, raw))
    n_parts, n_parsed = (len(re.findall(sign, raw)) for sign in (rb"[\r\n]--", rb"(?i)[\r\n](?:Content-|Received:)"))
    if n_bytes > _HEADERS or n_parts > 2 * _PARTS or n_parsed > _N_PARSED:
        return None
    return email.message_from_bytes(raw, policy=default)


def is_mailbox(raw: BinaryIO, name: str) -> bool:
    """Whether a file of mails is an mbox, of which the first mail's opening was read; what is called .eml is one mail.

    Else its headers are to be read.
    """
    head = raw.read(_HEADERS)
    raw.seek(start := len(head) - len(head.lstrip(_BEFORE)))
    if re.match(_OPENING, raw.readline(_HEADERS)):
        return not name.casefold().endswith(".eml")
    raw.seek(start)
    return False


def mails(path: str, name: str) -> Iterator[tuple[str, EmailMessage | None]]:
    """The mails of a file, and the folder that each has in it: none of a mail alone, its number in an mbox.

    In the place of one that would take too long to be parsed stands None.

    Raises:
        InputError: what is called one mail holds several, or a text that passes for another one.
    """
    with Path(path).open("rb") as raw:
        if is_mailbox(raw, name):
            # a line that begins as the next mail does was written with a sign before it
            plain = (re.sub(rb"(?m)^>(>*From )", rb"\1", content) for content in _in_mailbox(raw))
            yield from ((f"{number}/", _parsed(content)) for number, content in enumerate(plain, start=1))
            return
        is_opened, content = raw.tell() > 0, raw.read()
        if is_opened and re.search(_NEXT, content):
            raise InputError(
                "ambiguous",
                name,
                "this file is named as one mail, and seems to hold several",
                remedy="save each in a file of its own, or call the file .mbox if you received all of them",
            )
        yield "", _parsed(content)


def _in_mailbox(raw: BinaryIO) -> Iterator[bytes]:
    """The mails of an mbox, whose first opening was read, each without the blank line behind it."""
    lines = list[bytes]()
    for line in chain(raw, [b"From "]):
        if line.startswith(b"From "):
            yield b"".join(lines[:-1] if lines[-1:] == [b"\n"] else lines)
            lines = []
        else:
            lines.append(line)


def attachments(message: EmailMessage) -> Iterator[tuple[str, BinaryIO]]:
    """The attached files, of mails that are attached too; of those with one name, the second is ``NAME (2)``."""
    numbers: dict[str, int] = {}  # name → the number that the last file of this name was tried with
    for part in message.walk():
        # what is attached without a name has been sent all the same
        is_attached = part.get_content_disposition() == "attachment" or part.get_content_maintype() == "application"
        named = part.get_filename() or "attachment" * is_attached
        if part.is_multipart() or not named:
            continue
        path = PurePosixPath(str(named).replace("\\", "/"))
        name = path.name
        while name in numbers:
            numbers[path.name] += 1
            name = f"{path.stem} ({numbers[path.name]}){path.suffix}"
        numbers[name] = 1
        content = part.get_payload(decode=True)
        yield name, io.BytesIO(content if isinstance(content, bytes) else b"")


def headers_of(message: EmailMessage) -> Mail:
    """What the headers of a mail say, and those of all mails in it."""
    from email.errors import CloseBoundaryNotFoundDefect, StartBoundaryNotFoundDefect

    inside: list[Any] = [part.get_payload() for part in message.walk() if part.get_content_type() == "message/rfc822"]
    forwarded = tuple(_headers_of_one(mails[0]) for mails in inside if isinstance(mails, list) and mails)
    defects = {type(defect) for part in message.walk() for defect in part.defects}
    is_whole = defects.isdisjoint((CloseBoundaryNotFoundDefect, StartBoundaryNotFoundDefect))
    return _headers_of_one(message)._replace(forwarded=forwarded, is_whole=is_whole)


def _headers_of_one(message: EmailMessage) -> Mail:
    """What a mail's own headers say; the last server's time counts, else the next's, and the last of several dates."""
    from email.utils import parseaddr

    # behind its time, a server may write what the sender has said
    servers = [max(str(line).split(";")[1:], key=_time, default="") for line in message.get_all("Received", [])]
    dates = sorted((str(text) for name, text in message.raw_items() if name.casefold() == "date"), key=_time)
    texts = [*servers, *dates[-1:]]
    used = next(filter(_time, texts), "")
    return Mail(
        subject=" ".join(str(message.get("Subject", "")).split()),
        received=_time(used),
        sender=parseaddr(str(message.get("From", "")))[1].casefold(),
        is_sure=used == (texts or [""])[0] and bool(re.search(_ZONE, used) or not used),
        by_server=bool(servers),
        doubled=tuple(name for name in ("From", "Subject", "Date") if len({*message.get_all(name, [])}) > 1),
    )


#: behind a time
_ZONE: Final = r":\d\d\s*(?:[-+]\d{4}|[A-Za-z]{1,5}\b)"


def _time(date: object) -> str:
    """A time in UTC, also of one that names no zone; empty for what is none."""
    from email.utils import parsedate_to_datetime

    try:
        time = parsedate_to_datetime(str(date).strip())
        time = time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
    except (ValueError, OverflowError):
        return ""
    return time.isoformat()
