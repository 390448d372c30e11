"""The results page: complete, escaped, static, and silent about the gold on demand."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from pathlib import Path

import pytest
from parsed_page import Parsed

from coliee_ir.cli import main

NASTY = "<script>alert(1)</script>"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    gold = {f"{n:06}": [f"{n + 100:06}"] for n in range(1, 9)}
    Path("gold.json").write_text(json.dumps(gold))
    for team, tag, right in (("A", "a1", 6), ("A", "a2", 4), ("B & <Co>", NASTY, 2)):
        Path("in", team).mkdir(parents=True, exist_ok=True)
        lines = "".join(f"{n:06} {n + (100 if n <= right else 200):06} {tag}\n" for n in range(1, 9))
        Path("in", team, tag.strip("<>/()").replace("/", "")).write_text(lines)


def test_the_pages_are_whole_and_ask_for_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["leaderboard", "gold.json", "in", "--task", "1", "--resamples", "99", "--pages", "out"]) == 0
    files = sorted(path.name for path in Path("out").iterdir())
    assert len(files) == 4 and {"index.html", "task-1.html"} < set(files)
    before = {name: Path("out", name).read_bytes() for name in files}
    for name in files:
        text = before[name].decode()
        parsed = Parsed(text)
        assert parsed.open == []
        assert "<script>alert" not in text
        assert all(link.startswith("#") or link in files for link in parsed.values("href", "src"))
        for kind in ("style", "script"):
            (content,) = re.findall(rf"<{kind}>(.*?)</{kind}>", text, re.DOTALL)
            digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
            assert f"{kind}-src 'sha256-{digest}'" in text
    for name in ("index.html", "task-1.html"):
        assert {"a1", "a2", NASTY, "B & <Co>"} <= set(Parsed(before[name].decode()).texts)
    assert "task-1.html" in Parsed(before["index.html"].decode()).values("href", "src")
    own = next(Parsed(before[name].decode()) for name in files if "-team-a-" in name)
    assert {"a1", "a2"} <= set(own.texts) and NASTY not in own.texts
    assert main(["leaderboard", "gold.json", "in", "--task", "1", "--resamples", "99", "--pages", "out"]) == 0
    assert {name: Path("out", name).read_bytes() for name in files} == before


def test_no_page_of_a_hidden_gold_has_one_of_its_ids(capsys: pytest.CaptureFixture[str]) -> None:
    pairs = {f"H30-{n}-U": [str(4000 + n), *(["700"] if n % 3 else [])] for n in range(1, 13)}
    xml = "".join(f'<pair id="{query}" label="Y">{"".join(f"<article>{a}</article>" for a in of)}<t2>x</t2></pair>'
                  for query, of in pairs.items())  # fmt: skip
    Path("gold.xml").write_text(f"<dataset>{xml}</dataset>")
    Path("in3").mkdir()
    for tag, right in (("a1", 9), ("b1", 3), ("lost", 0)):
        articles = "".join(f"{query} Q0 {of[0] if at < right else 1} 1 1.0 {tag}\n" for at, (query, of) in
                           enumerate(pairs.items()))  # fmt: skip
        Path(f"in3/task3.{tag}").write_text(articles)
        Path(f"in3/answers.{tag}").write_text("".join(f"{query} Y {tag}\n" for query in pairs))
    Path("in3/task3.far").write_text("H01-1-A Q0 1 1 1.0 far\n")
    Path("in3/answers.far").write_text("H01-1-A Y far\n")
    Path("categories.csv").write_text("query,category\n" + "".join(f"{query},Other\n" for query in pairs))
    command = ["leaderboard", "gold.xml", "in3", "--task", "3", "--resamples", "9", "--categories", "categories.csv"]
    assert main([*command, "--pages", "open"]) == 2
    shown = "".join(path.read_text() for path in Path("open").iterdir())
    assert all(query in shown for query in pairs)
    assert main([*command, "--pages", "closed", "--hide-gold"]) == 2
    capsys.readouterr()
    main([*command, "-f", "html", "--hide-gold"])
    Path("closed/alone.html").write_text(capsys.readouterr().out)
    for path in Path("closed").iterdir():
        texts = " ".join([*Parsed(path.read_text()).texts, *Parsed(path.read_text()).values("aria-label")])
        assert not [query for query in pairs if query in texts], path
        assert not re.search(r"\b(40\d\d|700)\b", texts), path


def test_a_table_that_is_too_wide_has_its_runs_as_rows(capsys: pytest.CaptureFixture[str]) -> None:
    for n in range(20):
        Path("in", f"r{n}").write_text("".join(f"{q:06} {q + (100 if q <= n else 200):06} r{n}\n" for q in range(1, 9)))
    Path("categories.csv").write_text("query,category\n" + "".join(f"{q:06},C{q % 2}\n" for q in range(1, 9)))
    command = ["leaderboard", "gold.json", "in", "--task", "1", "--resamples", "9", "--categories", "categories.csv"]
    assert main([*command, "-f", "html"]) == 0
    text = capsys.readouterr().out
    (section,) = re.findall(r'<section id="categories">(.*?)</section>', text, re.DOTALL)
    heads = re.findall(r"<button[^>]*>(.*?)</button>", section)
    assert heads == ["run", "C1", "C0", "all"]
    cells = {row[0]: row[1:] for row in (re.findall(r"<t[hd][^>]*>(?:<b>)?([^<]*)", row) for row in
             re.findall("<tr>(.*?)</tr>", section)[1:])}  # fmt: skip
    assert cells["questions"] == ["4", "4", "8"] and cells["r4"] == ["0.5000", "0.5000", "0.5000"]


def test_one_page_is_of_a_whole_edition(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("labels.txt").write_text("".join(f"R07-0{n}-A Y\n" for n in range(1, 6)))
    Path("four.txt").write_text("".join(f"R07-0{n}-A {'Y' if n < 4 else 'N'} x4\n" for n in range(1, 6)))
    quick = ["--resamples", "9", "--pages", "out"]
    assert main(["leaderboard", "labels.txt", "four.txt", "--task", "4", *quick]) == 0
    Path("out", "task-9.html").write_text("<script>not ours</script>")
    Path("out", "task-8.html").write_text("<title>COLIEE, Task 8 is not ours</title>")
    assert main(["leaderboard", "gold.json", "in", "--task", "1", *quick]) == 0
    index = Path("out", "index.html").read_text()
    parsed = Parsed(index)
    assert parsed.open == [] and "not ours" not in index
    assert {"a1", "x4", "0.6000"} <= set(parsed.texts)
    assert {"task-1.html", "task-4.html", "#task-1", "#task-4"} <= set(parsed.values("href", "src"))
    assert all(link.startswith("#") or Path("out", link).is_file() for link in parsed.values("href", "src"))
    assert len(re.findall('role="region" aria-label="([^"]*)"', index)) == 2
    # in whatever order the tasks were ranked
    assert main(["leaderboard", "labels.txt", "four.txt", "--task", "4", *quick]) == 0
    assert Path("out", "index.html").read_text() == index


def test_runs_lead_to_the_report_of_their_team(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("altair")
    command = ["leaderboard", "gold.json", "in", "--task", "1", "--resamples", "9", "--pages", "out"]
    assert main([*command, "--reports", "--hide-gold"]) == 2
    assert main([*command[:-2], "--reports"]) == 2
    assert not Path("out").exists()
    assert main([*command, "--reports", "-o", "table.txt"]) == 0
    links = set(Parsed(Path("out", "task-1.html").read_text()).values("href", "src"))
    reports = {link for link in links if "-report-" in link}
    assert len(reports) == 2 and all(Path("out", link).is_file() for link in reports)
    own = next(path for path in Path("out").iterdir() if "-team-a-" in path.name)
    assert len(reports & set(Parsed(own.read_text()).values("href", "src"))) == 1


def test_no_page_has_the_paths_of_the_machine(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("in", "A", "broken.txt").write_text("1 2 3 4 5\n")
    Path("published.csv").write_text("run,MicroF1\na1,0.7\n")
    given = [str(tmp_path / "gold.json"), str(tmp_path / "in")]
    assert main(["leaderboard", *given, "--task", "1", "--resamples", "9", "--pages", "out",
                 "--official", str(tmp_path / "published.csv")]) in (0, 2)  # fmt: skip
    assert main(["validate", given[1], "--gold", given[0], "-f", "html", "-o", "out/received.html"]) == 1
    assert main(["validate", f"{given[1]}/A/broken.txt", "-f", "html", "-o", "out/one.html"]) == 1
    for path in Path("out").iterdir():
        assert str(tmp_path) not in path.read_text(), path


def test_what_came_in_a_folder_is_a_page(capsys: pytest.CaptureFixture[str]) -> None:
    Path("in", "A", "<b>.txt").write_text("1 2 3 4 5\n")
    assert main(["validate", "in", "--gold", "gold.json", "-f", "html"]) == 1
    parsed = Parsed(capsys.readouterr().out)
    assert parsed.open == []
    assert {"#files", "#findings"} == set(parsed.values("href", "src"))
    assert {"A/a1", "A/<b>.txt", "error", "B & <Co>"} <= set(parsed.texts)
    assert main(["validate", "in/A/a1", "--queries", "gold.json", "-f", "html"]) in (0, 1)
    assert Parsed(capsys.readouterr().out).open == []
