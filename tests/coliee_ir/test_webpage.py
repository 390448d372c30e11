"""The results page: complete, escaped, static, and silent about the gold on demand."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

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


class Rows(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.links: list[str] = []
        self.texts: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        if tag not in ("meta", "input"):
            self.open.append(tag)
        self.links += [value for name, value in attributes if name in ("href", "src") and value]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] not in ("script", "style"):
            self.texts.append(data)


def test_the_pages_are_whole_and_ask_for_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["leaderboard", "gold.json", "in", "--task", "1", "--resamples", "99", "--pages", "out"]) == 0
    files = sorted(path.name for path in Path("out").iterdir())
    assert len(files) == 3 and files[0] == "index.html"
    before = {name: Path("out", name).read_bytes() for name in files}
    for name in files:
        text = before[name].decode()
        parsed = Rows(text)
        assert parsed.open == []
        assert "<script>alert" not in text
        assert all(link.startswith("#") or link in files for link in parsed.links)
        for kind in ("style", "script"):
            (content,) = re.findall(rf"<{kind}>(.*?)</{kind}>", text, re.DOTALL)
            digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
            assert f"{kind}-src 'sha256-{digest}'" in text
    index = Rows(before["index.html"].decode())
    assert {"a1", "a2", NASTY, "B & <Co>"} <= set(index.texts)
    own = next(Rows(before[name].decode()) for name in files if name.startswith("team-a-"))
    assert {"a1", "a2"} <= set(own.texts) and NASTY not in own.texts
    assert main(["leaderboard", "gold.json", "in", "--task", "1", "--resamples", "99", "--pages", "out"]) == 0
    assert {name: Path("out", name).read_bytes() for name in files} == before


def test_gold_is_hidden_on_demand(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["leaderboard", "gold.json", "in", "--task", "1", "--resamples", "99", "-f", "html"]
    assert main(command) == 0
    assert "000107" in capsys.readouterr().out  # found by no run
    assert main([*command, "--hide-gold"]) == 0
    hidden = capsys.readouterr().out
    assert not re.search(r"0001\d\d|00000\d", hidden)
    assert "a1" in hidden
