"""Scripts and data inside a page: nothing in them ends the script, and each script is known by its hash."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from typing import Any, Final

from markupsafe import Markup

#: < and > so that no tag or comment can begin or end, & for XHTML, control characters, two line ends of old JavaScript,
#: what turns the direction of text, and lone surrogates, which UTF-8 does not have
_RISKY: Final = re.compile("[<>&\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def data(value: Any) -> Markup:
    """JSON for the inside of a script element; reading it gives the value again."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return Markup(_RISKY.sub(lambda found: f"\\u{ord(found[0]):04x}", text))


def script(code: str) -> Markup:
    """JavaScript of ours or of a library for the inside of a script element.

    Raises:
        ValueError: it holds what would end the element or begin a comment.
    """
    if re.search("</script|<!--|\r", code, re.IGNORECASE):
        raise ValueError("this script cannot stand inside a page")
    return Markup(code)


def fingerprint(code: str) -> str:
    """A script as a content security policy names it."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()}'"
