"""The organisers' form of a system description, read in its variants."""

import datetime

from asserting import refusing

from coliee_adapters import system_descriptions as descriptions
from coliee_adapters.errors import InputError
from coliee_adapters.system_descriptions import Description

FORM = """# Choose one
Task: 3
# at most 12 letters and digits
Run tag: univABC1

- Machine learning models:
# names and URLs
Swallow 70B, https://example.org/1 (2024-05-01)
BERT

- External resources:
none
- Explaination:
First line: with a colon.
Second line.

Task: 4
Run tag: univABC2, univABC3
- Machine learning models: none
- External resources:
- Explanation:
Voting.
Run tag: univABC4
- Explaination:
The same.
"""


def test_the_form_is_read_block_by_block_and_nothing_else(source):
    models = "Swallow 70B, https://example.org/1 (2024-05-01)\nBERT"
    assert descriptions.read(source(FORM)) == [
        Description("3", "univABC1", models, "none", "First line: with a colon.\nSecond line.", "f.txt", 2),
        Description("4", "univABC2", "none", "", "Voting.", "f.txt", 17),
        Description("4", "univABC3", "none", "", "Voting.", "f.txt", 17),
        Description("4", "univABC4", "", "", "The same.", "f.txt", 23),
    ]
    with refusing(InputError, "[unknown-format]"):
        descriptions.read(source("001 013 A\n"))


def test_dates_are_found():
    for text, *found in (
        ("2024-07-08", "2024-07-08"), ("2024/7/8 and 2025.01.31", "2024-07-08", "2025-01-31"),
        ("8 July 2024", "2024-07-08"), ("July 8th, 2024", "2024-07-08"), ("Jul. 2024", "2024-07-01"),
        ("2024年7月8日", "2024-07-08"), ("version 2024 of 31.12",), ("GPT-4-0613",), ("2024-02-31",),
    ):  # fmt: skip
        assert descriptions.dates(text) == [datetime.date.fromisoformat(date) for date in found]
