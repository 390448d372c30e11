"""Ids that people read as one and bytes tell apart: Unicode's normal forms, and characters that are not seen.

Nothing here makes ids equal by itself: what differs only so is reported.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from unicodedata import category, is_normalized, normalize

from coliee_adapters.records import INVISIBLE


def folded(text: str) -> str:
    r"""The form in which all texts are equal that people read as one: NFKC, without characters that have no width.

    >>> folded("e\u0301 １"), folded("1\u200b")
    ('é 1', '1')
    """
    if text.isascii():
        return text
    return normalize("NFKC", re.sub(INVISIBLE, "", normalize("NFKC", text))).strip()


def is_folded(text: str) -> bool:
    """Whether a text is in that form."""
    return is_normalized("NFKC", text) and not re.search(INVISIBLE, text)


def is_inert(character: str) -> bool:
    """Whether every text of such characters is in that form, whatever ASCII is between them: no mark, no Jamo."""
    return is_folded(character) and category(character)[0] != "M" and not "\u1100" <= character <= "\u11ff"


def mistaken(ids: Iterable[str], known: Collection[str]) -> list[tuple[str, str]]:
    """Of ids that are not known, those that differ from a known one only in their form: (id, known id)."""
    ids = list(ids)
    if not ids or (all(map(str.isascii, ids)) and all(map(str.isascii, known))):
        return []
    meant = {folded(text): text for text in known}
    return [(text, other) for text in ids if (other := meant.get(folded(text), text)) != text]
