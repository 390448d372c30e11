"""The organisers' form of a system description: read in its variants, written so that it reads back."""

import datetime

from asserting import refusing
from hypothesis import given, settings
from hypothesis import strategies as st

from coliee_adapters import system_descriptions as descriptions
from coliee_adapters.errors import InputError
from coliee_adapters.files.source import Source
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


words = st.text(st.characters(codec="utf-8", categories=["L", "N"]), min_size=1, max_size=8)
texts = st.lists(st.lists(words, min_size=1, max_size=4).map(" ".join), max_size=3).map("\n".join)
tasks, tags = st.sampled_from(["1", "2", "3", "4", "pilot"]), st.from_regex("[A-Za-z0-9]{1,12}", fullmatch=True)


@settings(max_examples=settings().max_examples // 2)
@given(st.lists(st.builds(Description, tasks, tags, texts, texts, texts), min_size=1, max_size=4))
def test_what_is_written_reads_back(tmp_path_factory, said):
    path = tmp_path_factory.getbasetemp() / "about.txt"
    written = "\n".join(
        f"Task: {one.task}\nRun tag: {one.tag}\n\n- Machine learning models:\n{one.models}\n"
        f"- External resources:\n{one.resources}\n- Explaination:\n{one.explanation}\n"
        for one in said
    )
    path.write_text(written, encoding="utf-8")
    assert [one[:5] for one in descriptions.read(Source(path))] == [one[:5] for one in said]


def test_dates_are_found():
    for text, *found in (
        ("2024-07-08", "2024-07-08"), ("2024/7/8 and 2025.01.31", "2024-07-08", "2025-01-31"),
        ("8 July 2024", "2024-07-08"), ("July 8th, 2024", "2024-07-08"), ("Jul. 2024", "2024-07-01"),
        ("2024年7月8日", "2024-07-08"), ("version 2024 of 31.12",), ("GPT-4-0613",), ("2024-02-31",),
    ):  # fmt: skip
        assert descriptions.dates(text) == [datetime.date.fromisoformat(date) for date in found]
