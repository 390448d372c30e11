"""``coliee-ir protocol``: what there are, what one says, and its file to start from."""

from pathlib import Path

import pytest
from asserting import done, failing
from example_runs import shown

from coliee_ir.rules import protocol as rules
from coliee_ir.rules.choices import TASKS
from coliee_ir.rules.protocol import neighbours

NAMES = [*TASKS, *neighbours()]


@pytest.fixture(autouse=True)
def _forgotten(monkeypatch, here):
    monkeypatch.setattr(rules, "protocols_by_name", {})


def test_all_protocols_are_listed_and_one_that_was_written_scores_at_once(call):
    assert [line.split()[0] for line in done(call, "protocol")[0].splitlines()] == NAMES
    done(call, "protocol", "1", "-o", "mine.toml")
    pair = shown("1")[:2]
    expected, _ = done(call, "evaluate", *pair, "--task", "1")
    rules.protocols_by_name.clear()
    assert done(call, "evaluate", *pair, "--protocol", "mine.toml")[0] == expected


@pytest.mark.parametrize("name", NAMES)
def test_a_protocol_is_written_as_the_file_that_protocol_takes(name, call):
    stated = rules.all_rules(rules.use_protocol_file(name))
    done(call, "protocol", name, "-o", "mine.toml")
    assert done(call, "protocol", name)[0] == Path("mine.toml").read_text()
    rules.protocols_by_name.clear()
    again = rules.all_rules(rules.use_protocol_file("mine.toml"))
    assert [row._replace(file="") for row in again[: len(stated)]] == [row._replace(file="") for row in stated]


@pytest.mark.parametrize(
    "typed", ["nonsense", "missing.toml", "-o new.toml", "1 2 -o new.toml", "own.toml -o own.toml"]
)
def test_what_cannot_be_explained_or_written_is_refused(typed, call):
    Path("own.toml").write_text('task = "own"\ntitle = "t"\nparts = ["documents"]\nmeasures = ["AP"]\nsource = "s"\n')
    assert failing(call, "protocol", *typed.split()).count("\n") == 1
    assert not Path("new.toml").exists()
