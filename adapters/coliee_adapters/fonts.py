"""Which scripts a text is written in, which fonts have their characters, and whether one is installed."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from unicodedata import category, name

from coliee_adapters.files import PathLike

#: first word of a character's name → the font that has it, where Noto's is not called by that word
_CJK = "CJK JP"
_NOTO = {"CJK": _CJK, "HIRAGANA": _CJK, "KATAKANA": _CJK, "KATAKANA-HIRAGANA": _CJK, "FULLWIDTH": _CJK,
         "HALFWIDTH": _CJK, "IDEOGRAPHIC": _CJK, "HANGUL": "CJK KR"}  # fmt: skip
#: scripts that the fonts have that every system brings
_COMMON = {"LATIN", "GREEK", "CYRILLIC", "MODIFIER", "FEMININE", "MASCULINE", "MICRO", "COMBINING"}


def scripts(text: str) -> dict[str, str]:
    """Font → the first letter of a text for which it is needed, beside one for Latin, Greek and Cyrillic.

    >>> scripts("Điều 5, 民法第九十六条 कानून")
    {'Noto Sans CJK JP': '民', 'Noto Sans Devanagari': 'क'}
    """
    found: dict[str, str] = {}
    for character in dict.fromkeys(text):
        if character.isascii() or category(character)[0] not in "LM":
            continue
        script = name(character, "LATIN").split()[0]
        if script not in _COMMON:
            found.setdefault(f"Noto Sans {_NOTO.get(script, script.title())}", character)
    return found


def lacking(figures: Iterable[PathLike]) -> list[str]:
    """In sentences, the scripts in figures that no installed font has; none where fontconfig is not installed.

    Args:
        figures: their files, of which those in SVG are read.
    """
    texts = [Path(file).read_text(encoding="utf-8") for file in figures if Path(file).suffix == ".svg"]
    return [
        f"no installed font has the character {letter}: the figures show boxes for such characters; install {font} and "
        "write the figures again"
        for font, letter in scripts("".join(texts)).items()
        if not _is_installed(letter)
    ]


def _is_installed(letter: str) -> bool:
    import subprocess  # takes its time to load, and few figures have such letters

    try:
        done = subprocess.run(
            ["fc-list", f":charset={ord(letter):x}", "family"], capture_output=True, timeout=10, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return True
    return bool(done.stdout.strip())
