"""What the organiser saved: the mail or the folder in which a file came. What lies inside is the sender's word."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterable
from pathlib import Path
from typing import Final, NamedTuple

from coliee_adapters.errors import without_credentials
from coliee_adapters.files import archives, remote
from coliee_adapters.files.mail import Mail
from coliee_adapters.files.source import is_folder

#: what the organisers want before the name of a team in a mail's subject, and mail programs make folders of; before
#: it stands what programs and mailing lists put there
_MAILED: Final = re.compile(
    r"\A(?:\s*(?:(?:re|fwd?|aw|wg|sv|vs|tr|rv|antw|返信|转发|回复|答复)\s*(?:\[\d+\])?\s*[:\uff1a]"
    r"|\[(?!\s*submission\s*\])[^\[\]]{1,40}\]))*\s*\[\s*submission\s*\]\s*(?=\S)",
    re.IGNORECASE,
)

#: letters of other scripts as ``casefold`` leaves them, each before the Latin one that it, or its capital, looks like:
#: Cyrillic, Greek, Latin small capitals, Cherokee, Lisu
_LOOK_ALIKE: Final = (
    "аaвbеeкkмmнhоoрpсcтtуyхxѕsіiјjԛqԝwһhԁdӏi αaβbεeζzηhιiκkμmνnοoρpτtυyχx ıiɑaɡg"
    "ᴀaʙbᴄcᴅdᴇeꜰfɢgʜhɪiᴊjᴋkʟlᴍmɴnᴏoᴘpʀrꜱsᴛtᴜuᴠvᴡwʏyᴢz ᎠdᎡrᎢtᎪaᎫjᎬeᎳwᎷmᎻhᏀgᏃzᏔwᏙvᏚsᏞlᏟcᏢpᏦkᏴb"
    "ꓐbꓑpꓓdꓔtꓖgꓗkꓙjꓚcꓜzꓝfꓟmꓠnꓡlꓢsꓣrꓦvꓧhꓪwꓫxꓬyꓮaꓰeꓲiꓳoꓴu"
).replace(" ", "")
_LETTERS: Final = str.maketrans(_LOOK_ALIKE[::2], _LOOK_ALIKE[1::2])

#: whose letters are written beside Latin ones, and look like none of them
_BESIDE: Final = ("LATIN", "CJK", "HIRAGANA", "KATAKANA", "HANGUL", "MASCULINE", "FEMININE")

#: Latin characters that look like others, one and two of them
_CAPITALS: Final = str.maketrans("l1|0", "IIIO")
_PAIRS: Final = (("vv", "w"), ("rn", "m"))

#: what cannot be seen, besides what Unicode calls format characters
_INVISIBLE: Final = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)

#: what stands in brackets; and where it is about the mail and not the team
_BRACKETS: Final = r"[(\[{][^)\]}]*[)\]}]"
_OF_MAIL: Final = (
    r"(?i)(?:\s*[(\[{]\s*(?:corrected|correction|revised|revision|updated?|fixed|final|new|resubmi\w+|again|"
    r"v(?:er(?:sion)?)?[\s.]*[\d.]+|\d+)\s*[)\]}])+\s*$"
)


class Envelope(NamedTuple):
    """The outermost thing that the organiser saved, in which a file came; empty for what is in memory."""

    mail: Mail | None = None  # None where the file came otherwise
    place: str = ""  # the path of the mail, else of the archive or the file
    folder: str = ""  # the first folder below that of all files, or the archive there; empty where there is none
    n_inside: int = 0  # how many parts of the file's path the sender chose: its name in the mail or the archive
    claims: tuple[Mail, ...] = ()  # the mails inside, forwarded or packed

    @property
    def received(self) -> str:
        """When it came, in UTC: of several times the latest; empty where none is known."""
        return max((mail.received for mail in (self.mail, *self.claims) if mail is not None), default="")

    @property
    def sender(self) -> str:
        """Who sent the mail: the address; empty where none is known."""
        return "" if self.mail is None else self.mail.sender

    @property
    def team(self) -> str:
        """The team that the mail's subject names; empty where it names none."""
        return "" if self.mail is None else team_in(self.mail.subject)


def envelope_of(file: str, common: Path | None) -> Envelope:
    """In what a file came, below the folder, or the archive, that all files have in common."""
    if file and remote.is_remote(file):
        return Envelope(place=file, folder=_folder_of(file, common))
    archive = archives.enclosing_archive(file)
    if not file or not Path(archive).exists():  # from memory, or standard input
        return Envelope()
    mails, is_mail = archives.mails_of(file)
    # what lies in an archive is the sender's; where the archive is all that there is, it is the organiser's mailbox
    is_saved = bool(mails) and (is_mail or absolute_path(archive) == common)
    place = next(iter(mails)) if is_saved else archive
    mail = mails.pop(place, None)
    return Envelope(
        mail,
        place,
        _folder_of(archive if is_mail else place if is_saved else file, common),
        len(Path(os.path.relpath(file, place)).parts),
        (*(() if mail is None else mail.forwarded), *mails.values()),
    )


def _folder_of(path: str, common: Path | None) -> str:
    """The first folder below the common one, without what an archive's name ends in; mailboxes are none."""
    if common is None or not absolute_path(path).is_relative_to(common):
        return ""
    first = next(iter(absolute_path(path).relative_to(common).parts[:-1]), "")
    return "" if first.casefold().endswith((".eml", ".mbox")) else named_team(archives.without_ending(first))


def common_folder(paths: Iterable[str]) -> Path | None:
    """The deepest folder, or archive, that those given, and the folders of the files given, have in common.

    Mails beside a folder do not count: what they say decides whose they are.
    """
    folders, mails = list[Path](), list[Path]()
    for path in paths:
        if remote.is_remote(path) or Path(path).exists():
            place = absolute_path(without_credentials(path))
            is_place = is_folder(path) or archives.is_archive(path)
            is_mail = is_place and path.casefold().endswith(".eml")
            (mails if is_mail else folders).append(place if is_place else place.parent)
    return Path(os.path.commonpath(folders or mails)) if folders or mails else None


def absolute_path(path: str | Path) -> Path:
    """The path from the root, without ``..``; links stay what they are called."""
    return Path(os.path.abspath(path))  # noqa: PTH100 - resolve() would follow links


def team_in(subject: str) -> str:
    """The team that the subject of a mail names.

    >>> team_in("Re: [Submission] KIS (corrected)"), team_in("our run"), team_in("[submission] -")
    ('KIS (corrected)', '', '')
    """
    texts = (text for text in (subject, without_invisible(subject)) if _MAILED.match(text))
    return named_team(next(texts, ""))


def named_team(text: str) -> str:
    """A name, without what stands before it in a subject; empty where no letter or digit tells it from others."""
    return _MAILED.sub("", text, 1).strip() if any(map(str.isalnum, team_key(text))) else ""


def without_invisible(text: str) -> str:
    """A text as it is seen: composed, and without characters that have no width."""
    seen = _INVISIBLE.sub("", unicodedata.normalize("NFC", text))
    return "".join(letter for letter in seen if unicodedata.category(letter) != "Cf")


def team_key(team: str) -> str:
    """By what teams are compared: without case, width, blanks, and what is said of the mail in brackets at the end.

    >>> team_key("Re: [Submission] Kis (corrected)") == team_key("KIS") == team_key("ＫＩＳ [v2]")
    True
    >>> team_key("NII (Tokyo)") == team_key("NII (Kyoto)"), team_key("КІЅ") == team_key("KIS")
    (False, False)
    """
    text = without_mail_words(unicodedata.normalize("NFKC", team))
    return re.sub(r"[\s_.-]+", " ", unicodedata.normalize("NFKC", text.casefold())).strip()


def without_mail_words(team: str) -> str:
    """A name without what stands before it in a subject, and what is said of the mail in brackets at the end.

    >>> without_mail_words("Re: [Submission] KIS (corrected)")
    'KIS'
    """
    return re.sub(_OF_MAIL, "", _MAILED.sub("", team, 1))


def with_escapes(team: str) -> str:
    r"""A name with such characters written out, so that nobody takes it for another's.

    >>> with_escapes("АRC")
    '\\u0410RC'
    """
    return "".join(
        letter if letter.isascii() or not is_disguised(f"a{letter}") else ascii(letter)[1:-1] for letter in team
    )


def lookalike_key(team: str) -> str:
    """What names that are easily taken for each other have in common, which may be those of two teams.

    >>> lookalike_key("KlS") == lookalike_key("KIS") == lookalike_key("КІЅ") != lookalike_key("KAS")
    True
    >>> lookalike_key("NOVVJ") == lookalike_key("NOWJ"), lookalike_key("ꓗꓲꓢ") == lookalike_key("KIS")
    (True, True)
    >>> lookalike_key("AI-Lab") == lookalike_key("AILab"), lookalike_key("NII (Tokyo)") == lookalike_key("NII (Kyoto)")
    (True, True)
    """
    text = without_invisible(team).translate(_CAPITALS)
    text = team_key(re.sub(rf"(?:\s*{_BRACKETS})+\s*$", "", text) or text).translate(_LETTERS)
    text = "".join(filter(str.isalnum, unicodedata.normalize("NFKD", text)))
    for pair, letter in _PAIRS:
        text = text.replace(pair, letter)
    return text


def is_disguised(team: str) -> bool:
    """Whether a name has characters that cannot be seen, or letters of another script beside Latin ones.

    >>> is_disguised("АRC"), is_disguised("АРС"), is_disguised("ARC"), is_disguised("KՍ"), is_disguised("東大 ARC")
    (True, False, False, True, False)
    """
    text = unicodedata.normalize("NFKC", team).casefold()
    has_latin = any("a" <= letter <= "z" for letter in text)
    others = any(letter.isalpha() and not unicodedata.name(letter, "").startswith(_BESIDE) for letter in text)
    is_mixed = has_latin and (others or text.translate(_LETTERS) != text)
    return without_invisible(team) != unicodedata.normalize("NFC", team) or is_mixed
