"""``coliee-ir protocol``: what there are, what one says, and its file to start from."""

from pathlib import Path

import pytest

import coliee_ir
from coliee_ir.cli import main
from coliee_ir.rules import protocol as rules
from coliee_ir.rules.choices import TASKS
from coliee_ir.rules.protocol import neighbours


@pytest.fixture(autouse=True)
def _forgotten(monkeypatch, tmp_path):
    monkeypatch.setattr(rules, "protocols_by_name", {})
    monkeypatch.chdir(tmp_path)


def test_all_protocols_are_listed(capsys):
    assert main(["protocol"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == [*TASKS, *neighbours()]


@pytest.mark.parametrize("name", [*TASKS, *neighbours()])
def test_a_protocol_is_written_as_the_file_that_protocol_takes(name, capsys):
    stated = rules.all_rules(rules.use_protocol_file(name))
    assert main(["protocol", name, "-o", "mine.toml"]) == 0
    assert main(["protocol", name]) == 0
    assert capsys.readouterr().out == Path("mine.toml").read_text()
    rules.protocols_by_name.clear()
    again = rules.all_rules(rules.use_protocol_file("mine.toml"))
    assert [row._replace(file="") for row in again[: len(stated)]] == [row._replace(file="") for row in stated]


def test_a_protocol_that_was_written_scores_at_once(capsys):
    task1 = Path(coliee_ir.__file__).parent / "examples" / "task1"
    pair = [str(task1 / name) for name in ("gold.json", "bm25.txt")]
    assert main(["protocol", "1", "-o", "mine.toml"]) == 0
    assert main(["evaluate", *pair, "--task", "1"]) == 0
    expected = capsys.readouterr().out
    rules.protocols_by_name.clear()
    assert main(["evaluate", *pair, "--protocol", "mine.toml"]) == 0
    assert capsys.readouterr().out == expected


@pytest.mark.parametrize(
    "arguments",
    [["nonsense"], ["missing.toml"], ["-o", "new.toml"], ["1", "2", "-o", "new.toml"], ["own.toml", "-o", "own.toml"]],
)
def test_what_cannot_be_explained_or_written_is_refused(arguments, capsys):
    Path("own.toml").write_text('task = "own"\ntitle = "t"\nparts = ["documents"]\nmeasures = ["AP"]\nsource = "s"\n')
    assert main(["protocol", *arguments]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1
    assert not Path("new.toml").exists()
