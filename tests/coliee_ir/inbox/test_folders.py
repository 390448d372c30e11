import os
from pathlib import Path

import pytest
from asserting import refusing
from sent import write

from coliee_adapters.errors import UsageError
from coliee_ir.inbox.folders import skipped_remarks, walk


@pytest.fixture
def sent(here):
    write({name: name for name in ("secret.txt", "sent/b.txt", "sent/B/a.txt", "sent/B/C/c.txt", "sent/a.txt")})
    return here / "sent"


BELOW = ["sent/a.txt", "sent/b.txt", "sent/B/a.txt", "sent/B/C/c.txt"]


def test_all_files_below_a_folder_come_in_order_each_once(sent):
    assert walk(["sent"]).files == BELOW
    assert walk(["sent/B", "sent", sent / "a.txt"]).files == ["sent/B/a.txt", "sent/B/C/c.txt", *BELOW[:2]]
    assert walk(["sent/a.txt", "-", "nowhere"]).files == ["sent/a.txt", "-", "nowhere"]


def test_what_systems_leave_is_passed_over_and_what_is_hidden_told(sent):
    left = (".DS_Store", "Thumbs.db", "desktop.ini", "Desktop.ini", "__MACOSX/a.txt", ".git/a.txt")
    write({sent / name: "x" for name in (*left, ".team/b.txt", "B/.run.txt", "..%2fx")})
    if hasattr(os, "mkfifo"):
        os.mkfifo(sent / "pipe")
    walked = walk(["sent"])
    assert walked.files == BELOW
    assert set(walked.skipped) == {("hidden", f"sent/{name}") for name in (".team", "B/.run.txt", "..%2fx")}
    assert all(any(name in remark for remark in skipped_remarks(walked.skipped)) for _, name in walked.skipped)


def test_no_link_leads_out_of_a_folder(sent):
    for name, target in (("B/secret.txt", "../../secret.txt"), ("up", ".."), ("gone.txt", "/nowhere/at/all"),
                         ("0.txt", "a.txt"), ("0", "B"), ("dead.txt", "not-there.txt")):  # fmt: skip
        (sent / name).symlink_to(target)
    walked = walk(["sent"])
    assert walked.files == [*BELOW, "sent/dead.txt"]
    Path("link").symlink_to("sent/B/C")  # a folder that is named may be one
    assert walk(["link"]).files == ["link/c.txt"]
    assert walked.skipped == [("link", name) for name in ("sent/up", "sent/gone.txt", "sent/B/secret.txt")]
    assert all(any(name in remark for remark in skipped_remarks(walked.skipped)) for _, name in walked.skipped)


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
    with refusing(UsageError, "…empty/link…"):
        walk(["empty"])
