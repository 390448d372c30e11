import os
from pathlib import Path

import pytest
from asserting import refusing

from coliee_adapters.errors import UsageError
from coliee_ir.inbox.folders import skipped_remarks, walk


@pytest.fixture
def sent(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("secret.txt", "sent/b.txt", "sent/B/a.txt", "sent/B/C/c.txt", "sent/a.txt"):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(name)
    return tmp_path / "sent"


def test_all_files_below_a_folder_come_in_order_each_once(sent):
    below = ["sent/a.txt", "sent/b.txt", "sent/B/a.txt", "sent/B/C/c.txt"]
    assert walk(["sent"]).files == below
    assert walk(["sent/B", "sent", sent / "a.txt"]).files == ["sent/B/a.txt", "sent/B/C/c.txt", *below[:2]]
    assert walk(["sent/a.txt", "-", "nowhere"]).files == ["sent/a.txt", "-", "nowhere"]


def test_what_systems_leave_behind_is_passed_over(sent):
    before = walk(["sent"])
    for name in (".DS_Store", "Thumbs.db", "desktop.ini", "Desktop.ini", "__MACOSX/a.txt", ".git/a.txt"):
        (sent / name).parent.mkdir(exist_ok=True)
        (sent / name).write_text("x")
    if hasattr(os, "mkfifo"):
        os.mkfifo(sent / "pipe")
    assert walk(["sent"])[:3] == before[:3]


def test_what_is_hidden_is_told(sent):
    before = walk(["sent"]).files
    for name in (".team/b.txt", "B/.run.txt", "..%2fx"):
        (sent / name).parent.mkdir(exist_ok=True)
        (sent / name).write_text("x")
    walked = walk(["sent"])
    assert walked.files == before
    assert set(walked.skipped) == {("hidden", f"sent/{name}") for name in (".team", "B/.run.txt", "..%2fx")}
    assert all(any(name in remark for remark in skipped_remarks(walked.skipped)) for _, name in walked.skipped)


def test_no_link_leads_out_of_a_folder(sent):
    (sent / "B" / "secret.txt").symlink_to("../../secret.txt")
    (sent / "up").symlink_to("..")
    (sent / "gone.txt").symlink_to("/nowhere/at/all")
    (sent / "0.txt").symlink_to("a.txt")
    (sent / "0").symlink_to("B")
    (sent / "dead.txt").symlink_to("not-there.txt")
    walked = walk(["sent"])
    assert walked.files == ["sent/a.txt", "sent/b.txt", "sent/B/a.txt", "sent/B/C/c.txt", "sent/dead.txt"]
    assert walked.skipped == [("link", name) for name in ("sent/up", "sent/gone.txt", "sent/B/secret.txt")]
    assert all(any(name in remark for remark in skipped_remarks(walked.skipped)) for _, name in walked.skipped)


def test_a_folder_that_is_a_link_is_the_folder(sent):
    Path("link").symlink_to("sent")
    assert walk(["link"]).files[0] == "link/a.txt"
    assert walk(["link"]).skipped == []


def test_files_given_for_something_else_are_met(sent):
    (sent / "link.txt").symlink_to("../secret.txt")
    walked = walk(["sent"], ["secret.txt", None, "sent/a.txt", "not-there"])
    assert "sent/a.txt" not in walked.files
    assert walked.skipped == [("besides", "sent/a.txt"), ("besides", "sent/link.txt")]


def test_a_folder_without_a_file_is_refused(sent):
    Path("empty/.git").mkdir(parents=True)
    with refusing(UsageError, "[empty] empty …"):
        walk(["empty"])
    Path("empty/link").symlink_to("../secret.txt")
    with pytest.raises(UsageError, match="empty/link"):
        walk(["empty"])
