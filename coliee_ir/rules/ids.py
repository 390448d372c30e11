"""The shapes of ids by which tasks are told apart."""

from __future__ import annotations

import re
from typing import Final

#: ``H18-1-2``, ``R02-10-E``, ``R1-18-U``: era and year, question, part
STATUTE_ID: Final = re.compile(r"[HR][0-9]{1,2}-[0-9]+-[0-9A-Z]+")
