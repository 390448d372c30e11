"""The public site: complete, escaped, static, and silent about the gold on demand."""

import base64
import hashlib
import html
import json
import re
from pathlib import Path

import one_step
import pytest
from parsed_page import Parsed

from coliee_ir.commands.edition import Edition, Public, TaskPart
from coliee_ir.commands.edition.public import Pictures, pages

FORM = "Task: 1\nRun tag: {}\n\n- Machine learning models:\n{}\n- Explaination:\nx\n\n"
NASTY = "<script>alert(1)</script>"


def sent(path, tag, right):
    """A run of eight cases, of which so many are answered rightly."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text("".join(f"{n:06} {n + (100 if n <= right else 200):06} {tag}\n" for n in range(1, 9)))


@pytest.fixture(autouse=True)
def files(here):
    Path("gold.json").write_text(json.dumps({f"{n:06}": [f"{n + 100:06}"] for n in range(1, 9)}))
    for path, tag, right in (("in/A/a1", "a1", 6), ("in/A/a2", "a2", 4), ("in/B & <Co>/nasty", NASTY, 2)):
        sent(path, tag, right)


def board_of(gold, runs, task):
    return one_step.leaderboard(gold, runs, task=task, n_resamples=9)


def site(boards, *parts, **public):
    of = Edition("coliee.toml", "COLIEE <2026>", ("in",), parts, Public(**public), 2026)
    return {name: str(text) for name, text in pages(boards, of, Pictures({})).items()}


def rows_of(text, section):
    (body,) = re.findall(rf'<section id="{section}">(.*?)</table>', text, re.DOTALL)
    cells = (re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in re.findall("<tr>(.*?)</tr>", body))
    return [[re.sub("<[^>]*>", "", cell) for cell in row] for row in cells]


def test_the_site_is_whole_asks_for_nothing_and_is_silent_about_what_was_refused():
    models = {"a1": "one", "a2": "<i>two</i>", "a3": "<i>two</i>"}
    Path("in/A/broken.txt").write_text("1 2 3 4 5\n")
    Path("in/A/description.txt").write_text("".join(FORM.format(tag, of) for tag, of in models.items()))
    sent("in/A/a3", "a3", 4)
    sent("in/A/again", "a2", 3)
    Path("labels.txt").write_text("".join(f"R07-0{n}-A Y\n" for n in range(1, 6)))
    Path("four.txt").write_text("".join(f"R07-0{n}-A {'Y' if n < 4 else 'N'} x4\n" for n in range(1, 6)))
    boards = [board_of("gold.json", str(Path("in").absolute()), "1"), board_of("labels.txt", "four.txt", "4")]
    parts = TaskPart("1", "gold.json"), TaskPart("4", "labels.txt")
    made = site(boards, *parts)
    assert set(made) == {"index.html", "task-1.html", "task-4.html"}
    assert made == site(boards, *parts)
    for text in made.values():
        parsed = Parsed(text)
        assert parsed.open == []
        assert "<script>alert" not in text and "<i>two" not in text
        assert not any(word in text for word in ("broken.txt", str(Path.cwd()), "in/A", "--columns"))
        assert all(link.partition("#")[0] in ("", *made) for link in parsed.values("href", "src"))
        for kind in ("style", "script"):
            (content,) = re.findall(rf"<{kind}>(.*?)</{kind}>", text, re.DOTALL)
            digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
            assert f"{kind}-src 'sha256-{digest}'" in text
    assert {"a1", "x4", "0.6000", "All 5 runs"} <= {*Parsed(made["index.html"]).texts}
    first = [["Place", "Team", "Run", "MicroF1"], ["1", "A", "a1", "0.7500"]]
    assert rows_of(made["index.html"], "task-1")[:2] == first
    assert html.escape(boards[0].method) in made["task-1.html"]
    rows = rows_of(made["task-1.html"], "results")
    assert rows[0] == ["Place", "Team", "File", "Run", "MicroF1", "MicroP", "MicroR", "Rank 95%", "Interval 95%"]
    assert [row[:2] for row in rows[1:3]] == [["1", "A"], ["2", "A"]]
    assert {row[3] for row in rows[1:]} == {"a1", "a2", "a2 (2)", "a3", html.escape(NASTY)}
    told = rows_of(made["task-1.html"], "approaches")
    assert told[0] == ["Team", "Runs", "Models", "Resources", "Approach"]
    assert [row[1] for row in told[1:] if row[0] == "A"] == ["a1", "a2, a3, a2 (2)"]
    assert "approaches" not in site(boards, *parts, approaches=False, figures=False)["task-1.html"]
    assert "<svg" not in site(boards, *parts, figures=False)["task-1.html"]


def test_no_page_of_a_hidden_gold_has_one_of_its_ids():
    pairs = {f"H30-{n}-U": [str(4000 + n), *(["700"] if n % 3 else [])] for n in range(1, 13)}
    articles = {query: "".join(f"<article>{article}</article>" for article in of) for query, of in pairs.items()}
    xml = (f'<pair id="{query}" label="Y">{text}<t2>x</t2></pair>' for query, text in articles.items())
    Path("gold.xml").write_text(f"<dataset>{''.join(xml)}</dataset>")
    Path("in3").mkdir()
    for tag, right in (("a1", 9), ("b1", 3), ("lost", 0)):
        rows = (f"{query} Q0 {pairs[query][0] if at < right else 1} 1 1.0 {tag}\n" for at, query in enumerate(pairs))
        Path(f"in3/task3.{tag}").write_text("".join(rows))
        Path(f"in3/answers.{tag}").write_text("".join(f"{query} Y {tag}\n" for query in pairs))
    Path("in3/task3.far").write_text("H01-1-A Q0 1 1 1.0 far\n")
    Path("in3/answers.far").write_text("H01-1-A Y far\n")
    Path("categories.csv").write_text("query,category\n" + "".join(f"{query},Other\n" for query in pairs))
    part, board = TaskPart("3", "gold.xml", categories="categories.csv"), board_of("gold.xml", "in3", "3")
    open_page = site([board], part)["task-3.html"]
    assert all(query in open_page for query in pairs)
    for name, text in site([board], part, hide_gold=True).items():
        shown = " ".join([*Parsed(text).texts, *Parsed(text).values("aria-label")])
        assert not [query for query in pairs if query in shown], name
        assert not re.search(r"\b(40\d\d|700)\b", shown), name
