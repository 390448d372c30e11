"""One inventory of a mailbox of all tasks: what each command takes of it."""

import json
import shutil
import struct
import tarfile
import zipfile
from email.message import EmailMessage
from io import BytesIO
from pathlib import Path

import one_step
import pytest
from example_runs import EXAMPLES

from coliee_ir import read_gold
from coliee_ir.inbox.inventory import sort_files
from coliee_ir.inbox.tasks import Golds, QueryFile
from coliee_ir.inbox.teams import Teams

TASKS = {"task1": "1", "task2": "2", "task3": "3", "task4": "4", "tort": "tort"}


@pytest.fixture
def mail(tmp_path, monkeypatch):
    """A folder a team, without a task in any name, and every gold in other bytes."""
    monkeypatch.chdir(tmp_path)
    for at, folder in enumerate(TASKS):
        team = tmp_path / "mail" / f"TEAM{at}"
        team.mkdir(parents=True)
        for n, file in enumerate(sorted((EXAMPLES / folder).iterdir())):
            ending = file.suffix if file.suffix in (".json", ".jsonl", ".csv", ".txt") else ""
            name = f"gold_{folder}{file.suffix}" if file.stem == "gold" else f"mail/TEAM{at}/file{n}{ending}"
            shutil.copy(file, tmp_path / name)
    copied = json.dumps(json.loads(Path("gold_task1.json").read_text()), indent=3)
    Path("mail/TEAM0/submission.json").write_text(copied)
    return tmp_path


@pytest.mark.usefixtures("mail")
def test_each_file_has_its_task_and_part_and_the_gold_is_known_by_its_judgements():
    golds = [read_gold(f"gold_{folder}{Path(next((EXAMPLES / folder).glob('gold.*'))).suffix}") for folder in TASKS]
    found = sort_files(["mail"], golds=Golds(map(QueryFile.of, golds)), teams=Teams(None, ["mail"]))
    for one in found.items:
        expected = list(TASKS.values())[int(one.team.removeprefix("TEAM"))]
        if one.file.endswith("submission.json"):
            assert one.skip_reason == "gold"
        else:
            assert (one.task, one.skip_reason, one.error) == (expected, "", None), one
    parts = {(one.team, one.part) for one in found.scored}
    assert {("TEAM2", "answers"), ("TEAM2", "documents"), ("TEAM3", "answers"), ("TEAM0", "documents")} <= parts


@pytest.mark.usefixtures("mail")
@pytest.mark.parametrize("folder", TASKS)
def test_a_board_has_the_runs_of_its_task_and_no_broken_ones(folder):
    gold = next(Path().glob(f"gold_{folder}.*"))
    board = one_step.leaderboard(gold, "mail", task=TASKS[folder], n_resamples=99)
    lone = [one for one in board.invalid if one.reason.kind == "incomplete"]  # of Task 4, or of half a run
    assert len(board.invalid) == len(lone) == (2 if folder == "task3" else 0)
    assert {entry.team for entry in board.entries} == {f"TEAM{list(TASKS).index(folder)}"}
    assert len(board.entries) == {"task1": 3}.get(folder, 2)


def broken():
    """Uploads that stop what does not look out."""
    local = b"PK\3\4" + struct.pack("<HHHHHIIIHH", 20, 0, 0, 0, 33, 0, 0, 0, 0, 0)
    entry = b"PK\1\2" + struct.pack("<HHHHHHIIIHHHHHII", 20, 20, 0, 0, 0, 33, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    end = b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, 1, 1, len(entry), len(local), 0)
    tar, packed = BytesIO(), BytesIO()
    info = tarfile.TarInfo("a.txt")
    info.size, info.pax_headers = 3, {"path": "a\0b.txt"}
    with tarfile.open(fileobj=tar, mode="w", format=tarfile.PAX_FORMAT) as archive:
        archive.addfile(info, BytesIO(b"abc"))
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("x.txt", "hello")
    offset = bytearray(packed.getvalue())
    at = offset.rindex(b"PK\5\6")
    offset[at + 16 : at + 20] = struct.pack("<I", 0x7FFFFFFF)
    return {"D1.zip": local + entry + end, "D2.tar": tar.getvalue(), "D5.zip": bytes(offset)}


@pytest.mark.parametrize("name", ["D1.zip", "D2.tar", "D5.zip"])
def test_one_broken_upload_stops_no_board(name, mail):
    (mail / "mail/BAD").mkdir()
    (mail / "mail/BAD" / name).write_bytes(broken()[name])
    board = one_step.leaderboard("gold_task1.json", "mail", task="1", n_resamples=99)
    assert len(board.entries) == 3


@pytest.mark.usefixtures("mail")
def test_whatever_a_reader_raises_is_that_submissions_error(monkeypatch):
    def fails(*_, **__):
        raise IndexError("index 7 is out of bounds")

    Path("mail/TEAM0/x.json").write_text('{"068517": ["059728"]}')
    gold = read_gold("gold_task1.json")
    from coliee_adapters.forms import detect

    known = detect.known_forms
    forms = {k: [f._replace(rows=fails) if f.name == "json" else f for f in known(k)] for k in ("gold", "run")}
    monkeypatch.setattr(detect, "known_forms", lambda kind, head=None: forms[kind])
    board = one_step.leaderboard(gold, "mail", task="1", n_resamples=99)
    assert len(board.entries) == 2
    assert any("cannot be read (IndexError: index 7 is out of bounds)" in one.reason for one in board.invalid)


def mailed(subject, files, date="Mon, 19 Jan 2026 10:00:00 +0900"):
    """A mail with attachments, received an hour after it was sent."""
    message = EmailMessage()
    message["From"], message["Subject"], message["Date"] = "a@example.org", subject, date
    message["Received"] = "from a by b; Mon, 19 Jan 2026 02:00:00 +0000"
    message.set_content("Our runs are attached: 000001 000101 A1")
    for name, content in files.items():
        message.add_attachment(content, maintype="application", subtype="octet-stream", filename=name)
    return message.as_bytes()


def run_of(tag):
    return "".join(f"{query:06} {query + 100:06} {tag}\n" for query in range(1, 4)).encode()


def test_mails_are_archives_of_their_attachments(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("task1.KIS1", run_of("KIS1"))
    mails = [
        mailed("[submission] TQM", {"task1.TQM1": run_of("TQM1"), "../../out.txt": run_of("TQM2")}),
        mailed("Re: [Submission] =?utf-8?b?5Lqs6YO9?=", {"runs.zip": packed.getvalue()}),
        mailed("a question", {}),
    ]
    Path("in/[submission] NLP").mkdir(parents=True)
    Path("in/[submission] NLP/task1.NLP1").write_bytes(run_of("NLP1"))
    for n, one in enumerate(mails):
        Path(f"in/{n}.eml").write_bytes(one)
    Path("all.mbox").write_bytes(
        b"".join(b"From a@example.org Mon Jan 19 02:00:00 2026\n" + one + b"\n" for one in mails)
    )
    found = sort_files(["in"], teams=Teams(None, ["in"]))
    teams = {(one.tag, one.team, one.sender.received[:16]) for one in found.scored}
    when = "2026-01-19T02:00"
    assert teams == {("TQM1", "TQM", when), ("TQM2", "TQM", when), ("KIS1", "京都", when), ("NLP1", "NLP", "")}
    assert [(one.file, one.skip_reason) for one in found.items if one.skip_reason] == [("in/2.eml", "nothing")]
    boxed = sort_files(["all.mbox"], teams=Teams(None, ["all.mbox"]))
    assert {(one.tag, one.team) for one in boxed.items} == {("TQM1", "TQM"), ("TQM2", "TQM"), ("KIS1", "京都")}
    gold = {f"{query:06}": [f"{query + 100:06}"] for query in range(1, 4)}
    board = one_step.leaderboard(gold, "in", task="1", n_resamples=99)
    assert not board.invalid and {entry.team for entry in board.entries} == {"TQM", "京都", "NLP"}
    assert not Path("out.txt").exists() and not Path("../out.txt").exists()


@pytest.mark.parametrize("name", ["limit", "nested", "cut", "bytes"])
def test_a_mail_is_bounded_and_stops_no_other(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    content = mailed("[submission] B", {f"run{n}": run_of(f"B{n}") for n in range(12)})
    if name == "limit":
        monkeypatch.setattr("coliee_adapters.files.limits.MEMBERS", 10)
    elif name == "nested":
        content = b"From: a\nSubject: [submission] B\n" + b"".join(
            b'Content-Type: multipart/mixed; boundary="%d"\n\n--%d\n' % (n, n) for n in range(1200)
        )
    elif name == "cut":
        content = content[: len(content) // 2]
    else:
        content = content.replace(b"base64", b"\xff\xfe\0x-odd")
    Path("in").mkdir()
    Path("in/bad.eml").write_bytes(content)
    Path("in/good").write_bytes(run_of("A1"))
    board = one_step.leaderboard({"000001": ["000101"]}, "in", task="1", n_resamples=99)
    assert "A1" in {entry.tag for entry in board.entries}
    refused = {file for one in board.invalid for file in one.files if file == "in/bad.eml"}
    assert bool(refused) == (name in ("limit", "nested"))
