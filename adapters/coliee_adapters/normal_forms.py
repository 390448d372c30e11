"""Ids that people read as one and bytes tell apart: Unicode's normal forms, and characters that are not seen.

Nothing here makes ids equal by itself: what differs only so is reported.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Final, Literal, get_args
from unicodedata import category, is_normalized, normalize

from coliee_adapters.records import INVISIBLE

#: ``visible`` is NFKC without characters that have no width.
NormalForm = Literal["NFC", "NFKC", "visible"]
#: the mildest first: what makes two ids equal is named by the first that does
NORMAL_FORMS: Final[tuple[NormalForm, ...]] = get_args(NormalForm)


def normalised(text: str, form: NormalForm) -> str:
    r"""A text in one of the forms; ASCII text stays as it is.

    >>> normalised("e\u0301 １", "NFC"), normalised("e\u0301 １", "NFKC"), normalised("1\u200b", "visible")
    ('é １', 'é 1', '1')
    """
    if text.isascii():
        return text
    if form != "visible":
        return normalize(form, text)
    return normalize("NFKC", re.sub(INVISIBLE, "", normalize("NFKC", text))).strip()


def folded(text: str) -> str:
    """The form in which all texts are equal that people read as one."""
    return normalised(text, "visible")


def is_folded(text: str) -> bool:
    """Whether a text is in that form."""
    return is_normalized("NFKC", text) and not re.search(INVISIBLE, text)


def is_inert(character: str) -> bool:
    """Whether every text of such characters is in that form, whatever ASCII is between them: no mark, no Jamo."""
    return is_folded(character) and category(character)[0] != "M" and not "\u1100" <= character <= "\u11ff"


def alike_in(one: str, other: str) -> NormalForm | None:
    r"""The mildest form in which two different texts are equal; None if they are in none.

    >>> alike_in("e\u0301", "é"), alike_in("１", "1"), alike_in("1\ufeff", "1"), alike_in("1", "2")
    ('NFC', 'NFKC', 'visible', None)
    """
    if one.isascii() and other.isascii():
        return None
    return next((form for form in NORMAL_FORMS if normalised(one, form) == normalised(other, form)), None)


def mistaken(ids: Iterable[str], known: Collection[str]) -> list[tuple[str, str, NormalForm]]:
    """Of ids that are not known, those that differ from a known one only in their form: (id, known id, form)."""
    ids = list(ids)
    if not ids or (all(map(str.isascii, ids)) and all(map(str.isascii, known))):
        return []
    meant = {folded(text): text for text in known}
    pairs = ((text, meant.get(folded(text))) for text in ids)
    return [(text, other, form) for text, other in pairs if other and (form := alike_in(text, other))]
