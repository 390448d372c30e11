"""One inventory of a mailbox of all tasks: what each command takes of it."""

import json
import shutil
import struct
import tarfile
from io import BytesIO
from pathlib import Path

import one_step
import pytest
from example_runs import EXAMPLES
from packed import zipped
from sent import write

from coliee_adapters.forms import detect
from coliee_ir import read_gold
from coliee_ir.inbox.inventory import sort_files
from coliee_ir.inbox.tasks import Golds, QueryFile
from coliee_ir.inbox.teams import Teams

TASKS = {"task1": "1", "task2": "2", "task3": "3", "task4": "4", "tort": "tort"}


@pytest.fixture
def box(here):
    """A folder a team, without a task in any name, and every gold in other bytes; the golds."""
    golds = []
    for at, folder in enumerate(TASKS):
        (here / f"box/TEAM{at}").mkdir(parents=True)
        for n, file in enumerate(sorted((EXAMPLES / folder).iterdir())):
            ending = file.suffix if file.suffix in (".json", ".jsonl", ".csv", ".txt") else ""
            is_gold = file.stem == "gold"
            golds += [f"gold_{folder}{file.suffix}"] * is_gold
            shutil.copy(file, golds[-1] if is_gold else f"box/TEAM{at}/file{n}{ending}")
    write({"box/TEAM0/submission.json": json.dumps(json.loads(Path("gold_task1.json").read_text()), indent=3)})
    return golds


def test_each_file_has_its_task_and_part_and_the_gold_is_known(box):
    found = sort_files(["box"], golds=Golds(map(QueryFile.of, map(read_gold, box))), teams=Teams(None, ["box"]))
    for one in found.items:
        expected = list(TASKS.values())[int(one.team.removeprefix("TEAM"))]
        if one.file.endswith("submission.json"):
            assert one.skip_reason == "gold"
        else:
            assert (one.task, one.skip_reason, one.error) == (expected, "", None), one
    parts = {(one.team, one.part) for one in found.scored}
    assert {("TEAM2", "answers"), ("TEAM2", "documents"), ("TEAM3", "answers"), ("TEAM0", "documents")} <= parts
    # a board has the runs of its task, and no broken ones
    for at, (gold, task) in enumerate(zip(box, TASKS.values(), strict=True)):
        board = one_step.leaderboard(gold, "box", task=task, n_resamples=99)
        alone = [one.reason.kind for one in board.invalid]  # files of Task 4, which are half runs of Task 3
        assert alone == ["incomplete"] * (2 if task == "3" else 0)
        assert [entry.team for entry in board.entries] == [f"TEAM{at}"] * (3 if task == "1" else 2)


def broken():
    """Uploads that stop what does not look out."""
    local = b"PK\3\4" + struct.pack("<HHHHHIIIHH", 20, 0, 0, 0, 33, 0, 0, 0, 0, 0)
    entry = b"PK\1\2" + struct.pack("<HHHHHHIIIHHHHHII", 20, 20, 0, 0, 0, 33, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    end = b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, 1, 1, len(entry), len(local), 0)
    tar = BytesIO()
    info = tarfile.TarInfo("a.txt")
    info.pax_headers = {"path": "a\0b.txt"}
    with tarfile.open(fileobj=tar, mode="w", format=tarfile.PAX_FORMAT) as archive:
        archive.addfile(info)
    offset = bytearray(zipped({"x.txt": "hello"}))
    at = offset.rindex(b"PK\5\6")
    offset[at + 16 : at + 20] = struct.pack("<I", 0x7FFFFFFF)
    return {"D1.zip": local + entry + end, "D2.tar": tar.getvalue(), "D5.zip": bytes(offset)}


def test_broken_uploads_stop_no_board(box):
    write({f"box/BAD/{name}": content for name, content in broken().items()})
    assert len(one_step.leaderboard("gold_task1.json", "box", task="1", n_resamples=99).entries) == 3


def test_whatever_a_reader_raises_is_that_submissions_error(box, monkeypatch):
    def fails(*_, **__):
        raise IndexError("index 7 is out of bounds")

    write({"box/TEAM0/x.json": '{"068517": ["059728"]}'})
    gold, known = read_gold("gold_task1.json"), detect.known_forms
    forms = {k: [f._replace(rows=fails) if f.name == "json" else f for f in known(k)] for k in ("gold", "run")}
    monkeypatch.setattr(detect, "known_forms", lambda kind, head=None: forms[kind])
    board = one_step.leaderboard(gold, "box", task="1", n_resamples=99)
    assert len(board.entries) == 2
    assert any("cannot be read (IndexError: index 7 is out of bounds)" in one.reason for one in board.invalid)
