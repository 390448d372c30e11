"""What one upload may cost: reading it is bounded in time and memory, and stops no other."""

from __future__ import annotations

import io
import json
import os
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from asserting import Call, mentions
from sent import cases, write

from coliee_adapters.files import limits, trial
from coliee_ir.commands.validate.receiving import receive
from coliee_ir.inbox.inventory import sort_files
from coliee_ir.inbox.teams import Teams

pytestmark = [pytest.mark.usefixtures("here"), pytest.mark.skipif(not hasattr(os, "fork"), reason="no processes")]


@pytest.fixture(autouse=True)
def nothing_is_refused_afterwards() -> Iterator[None]:
    trial.begin()
    yield
    trial.begin()


def spin() -> None:
    while True:
        pass


@pytest.mark.parametrize(
    ("read", "name"), [(spin, "SECONDS"), (lambda: bytearray(1 << 31), "MEMORY"), (lambda: 1 / 0, "")]
)
def test_a_trial_ends_at_its_limits_and_only_there(read: object, name: str) -> None:
    Path("large").write_bytes(b"x" * (1 << 20))
    bounds = limits.current()._replace(seconds=1, memory=1 << 29)
    trial.try_reading("large", read, bounds)  # type: ignore[arg-type]
    error = trial.refusal("large")
    assert (error is not None) == bool(name)
    if error is not None:
        assert error.kind == "too-large" and f"COLIEE_IR_MAX_{name}" in error.remedy


def test_a_file_that_takes_too_much_memory_is_not_ranked_and_the_others_are(call: Call) -> None:
    write({"in/A/a.txt": cases("A1"), "in/B/lists.json": f"[{','.join(['[]'] * 4_000_000)}]",
           "gold.json": json.dumps({f"{q:06}": [f"{q + 100:06}"] for q in range(1, 12)}),
           "e.toml":
               'name = "E"\nyear = 2026\nmailbox = "in"\nupload_memory = 60\n'
               '[[task]]\ntask = "1"\ngold = "gold.json"\n'})  # fmt: skip
    code, out, err = call("edition", "e.toml", "-o", "out")
    assert code == 0
    assert mentions(err + out, "in/B/lists.json: … 60 MiB …") and "Task 1: 1 run" in err + out


def test_what_one_team_sends_is_bounded_as_a_whole() -> None:
    lists = {f"in/B/{number}.json": f"[{','.join(['[]'] * 400_000)}]" for number in range(4)}
    write({"in/A/a.txt": cases("A1"), "in/A/b.json": f"[{','.join(['[]'] * 400_000)}]", **lists})
    bounds = limits.current()._replace(seconds=0.02)  # type: ignore[arg-type]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("resource.setrlimit", lambda *_: None)  # of one file
        items = sort_files(["in"], teams=Teams(None, ["in"]), bounds=bounds).items
    errors = {item.file: item.error for item in items}
    assert errors["in/A/a.txt"] is None and getattr(errors["in/B/3.json"], "kind", "") == "too-large"
    assert getattr(errors["in/A/b.json"], "kind", "") != "too-large"  # of another team
    # and what went wrong keeps nothing of what was read
    assert all(one is None or one.__traceback__ is None for one in errors.values())


def test_an_archive_of_a_team_with_more_files_than_any_sends_is_not_read() -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for number in range(501):
            archive.writestr(f"{number}.txt", "")
    write({"in/A/a.txt": cases("A1"), "in/B/b.zip": packed.getvalue()})
    inventory = sort_files(["in"], teams=Teams(None, ["in"]))
    assert [item.file for item in inventory.items] == ["in/A/a.txt", "in/B/b.zip"]
    (finding,) = [finding for finding in receive("in").findings if finding.file == "in/B/b.zip"]
    assert finding.rule == "unreadable" and "501" in finding.advice
    assert len(sort_files(["in/B/b.zip"], teams=Teams(None, ["in/B/b.zip"])).items) == 501  # named by the organiser
