"""Scripts and data inside a page: nothing in them ends the script, and each script is known by its hash."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
from typing import Any

from markupsafe import Markup


def data(value: Any) -> Markup:
    """JSON for the inside of a script element, as gzip in base64: a tenth of the text, and nothing in it is markup."""
    text = json.dumps(value, allow_nan=False, separators=(",", ":"))
    return Markup(base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode())


def script(code: str) -> Markup:
    """JavaScript of ours or of a library for the inside of a script element.

    Raises:
        ValueError: it holds what would end the element or begin a comment.
    """
    if re.search("</script|<!--|\r", code, re.IGNORECASE):
        raise ValueError("this script cannot be embedded in a page")
    return Markup(code)


def fingerprint(code: str) -> str:
    """A script as a content security policy names it."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()}'"
