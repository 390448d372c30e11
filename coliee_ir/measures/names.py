"""Names of measures as they are typed, and what tells formulas from them."""

from __future__ import annotations

import re
from typing import Final

#: a part of a submission, behind a measure
PART: Final = r"\(\s*([^\W\d]\w*)\s*\)"

#: what no name of a measure has outside its brackets
_SIGNS: Final = r"[*·+<>=≥]|\s-\s|\bif\b"


def is_word(typed: str) -> bool:
    """Whether a text is one word, as most names of measures are, so that no pattern need be looked for in it.

    >>> is_word("MicroF1"), is_word("MicroF1@10"), is_word("if")
    (True, False, False)
    """
    return typed.isascii() and typed.isidentifier() and typed != "if"


def is_formula(typed: str) -> bool:
    """Whether a text is a formula and not the name of a measure.

    >>> is_formula("0.7*Accuracy + 0.3*MacroF2"), is_formula("MicroF1(law)"), is_formula("MicroF(beta=2)@10")
    (True, True, False)
    """
    return not is_word(typed) and bool(re.search(PART, typed) or re.search(_SIGNS, _outside(typed)))


def _outside(text: str) -> str:
    """What stands outside of brackets."""
    depth, kept = 0, []
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        kept.append(letter if depth == 0 and letter != ")" else "")
    return "".join(kept)


def names_in(text: str) -> list[str]:
    """The names of measures in a text with blanks between them; a formula, which may have blanks, is one.

    So is "micro f1", which is not a measure, and whose error says what is meant.

    >>> names_in("MicroP MicroF(beta=2)@10"), names_in("0.5*MicroP + 0.5*MicroR")
    (['MicroP', 'MicroF(beta=2)@10'], ['0.5*MicroP + 0.5*MicroR'])
    """
    if is_word(text) or re.search(_SIGNS, _outside(text)):
        return [text.strip()]
    return re.split(r"(?i)(?<!\bmicro)(?<!\bmacro)\s+(?![^(]*\))", text.strip())
