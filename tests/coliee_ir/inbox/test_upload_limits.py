"""What one upload may cost: reading it is bounded in time and memory, and stops no other."""

import gzip
import json
import os
import resource
from pathlib import Path

import pytest
from asserting import mentions
from make_mailbox import mail
from packed import zipped
from sent import cases, write

from coliee_adapters.files import limits, trial
from coliee_ir.commands.edition.config import read_edition
from coliee_ir.commands.edition.day import day_of
from coliee_ir.commands.validate.receiving import receive
from coliee_ir.inbox.inventory import sort_files
from coliee_ir.inbox.teams import Teams

pytestmark = [pytest.mark.usefixtures("here"), pytest.mark.skipif(not hasattr(os, "fork"), reason="no processes")]


@pytest.fixture(autouse=True)
def nothing_is_refused_afterwards():
    trial.forget_refusals()
    yield
    trial.forget_refusals()


def spin():
    while True:
        pass


@pytest.mark.parametrize(("read", "name"), [
    (spin, "SECONDS"), (lambda: bytearray(1 << 31), "MEMORY"), (lambda: 1 / 0, ""),
    # a library that finds no room to be loaded, and one that is not there
    (lambda: exec("raise ImportError"), "MEMORY"), (lambda: __import__("absent"), ""),
])  # fmt: skip
def test_a_trial_ends_at_its_limits_and_only_there(read, name):
    write({"large": b"x" * (1 << 20)})
    trial.try_reading("large", read, limits.current()._replace(seconds=1, memory=1 << 29))
    error = trial.refusal("large")
    assert (error.kind if error else "") == ("too-large" if name else "")
    assert error is None or f"COLIEE_IR_MAX_{name}" in error.remedy


def mailed(parts):
    """A mail of B, of parts, each with its headers."""
    heads = "From: b@x\nSubject: [submission] B\nDate: 1 Jan 2026 10:00:00 +0000\n"
    body = "".join(f"--x\n{part}\n" for part in parts)
    return f'{heads}Content-Type: multipart/mixed; boundary="x"\n\n{body}--x--\n'


TOML = 'name = "E"\nyear = 2026\nmailbox = "in"\nresamples = 99\n[[task]]\ntask = "1"\ngold = "gold.json"\n'
#: an edition of one honest run
EDITION = {"in/A/a.txt": cases("A1"), "e.toml": TOML,
           "gold.json": json.dumps({f"{q:06}": [f"{q + 100:06}"] for q in range(1, 12)})}  # fmt: skip
LINE = "000001 000501 B1\n"
NAMED = 'Content-Disposition: attachment; filename="{}"\n\n' + LINE

#: what B sends, as files of the mailbox, and the kind of the decision about it; mails by themselves: test_hostile.py
UPLOADS = {
    "many parts": ({"b.eml": mailed([NAMED.format("r.txt")] * 9000)}, "refused"),
    "a long sender": ({"b.eml": f"From: {'b@x, ' * 30_000}\n{mailed([])}"}, "refused"),
    "a name longer than paths": (
        {"b.eml": mailed([NAMED.format("n" * 9000)]), "B/b.zip": zipped({"n/" * 3000: LINE})}, "passed-over"),
    "what unpacks to 30 MB": ({"B/b.txt.gz": gzip.compress(LINE.encode() * 2_000_000)}, "refused"),
    "one ranking of many documents": ({"B/r.txt": "".join(f"000001 {n:07} B1\n" for n in range(600_000))}, "refused"),
}  # fmt: skip


@pytest.mark.parametrize("upload", UPLOADS)
def test_an_upload_takes_a_bounded_time_and_is_told_of(upload, monkeypatch):
    files, kind = UPLOADS[upload]
    write({**{f"in/{name}": content for name, content in files.items()}, **EDITION})
    monkeypatch.setattr(limits, "current", lambda: limits.Limits(seconds=1))
    before = spent()
    day = day_of(read_edition("e.toml"))
    assert spent() - before < 10
    assert ("A", "A1") in {(entry.team, entry.tag) for entry in day.boards[0].entries}
    assert kind in {one.kind for one in day.decide if one.kind != "undescribed" and "A/" not in one.file}


def spent():
    """The seconds of processor time of this process, and of those that it has started."""
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def test_a_file_that_takes_too_much_memory_stops_no_other(call):
    lists = f"[{','.join(['[]'] * 4_000_000)}]"
    write({**EDITION, "in/B/lists.json": lists, "e.toml": f'{TOML}[limits]\nmemory = "60M"\n'})
    code, out, err = call("edition", "e.toml", "-o", "out")
    assert code == 0
    assert mentions(err + out, "in/B/lists.json: … 60 MiB …") and "Task 1: 1 run" in err + out


def test_the_limits_of_an_edition_reach_what_reads(call, monkeypatch):
    write({**EDITION, "in/A.zip": zipped({"a.txt": cases("A1"), "b.txt": cases("A2"), "c.txt": "x" * 5000})})
    Path("in/A/a.txt").unlink()

    def is_refused(stated=""):
        write({"e.toml": f"{TOML}[limits]\n{stated}\n"})
        code, out, err = call("edition", "e.toml", "-o", "out")
        assert code == 0
        return "Task 1: 2 runs" not in err + out

    for stated, expected in (("archives = 2000", True), ('archives = "1G"', False), ('unpacked = "1K"', True)):
        assert is_refused(stated) == expected, stated
    assert not any(name.startswith("COLIEE_IR_MAX") for name in os.environ)
    for most, expected in (("1K", True), ("1M", False)):
        monkeypatch.setenv("COLIEE_IR_MAX_UNPACKED", most)
        assert is_refused() == expected, most
    for value in ("0", '"2 of them"', "true"):
        write({"e.toml": f"{TOML}[limits]\nseconds = {value}\n"})
        assert mentions(call("edition", "e.toml", "-o", "out")[2], "e.toml: … [limits] … seconds …")


def test_what_one_team_sends_is_bounded_as_a_whole(monkeypatch):
    large, small = f"[{','.join(['[]'] * 400_000)}]", "x" * (1 << 19)
    write({
        "in/A/a.txt": cases("A1"), "in/A/b.json": large, **{f"in/B/{n}.json": large for n in range(4)},
        **{f"in/D/{n:02}.txt": small for n in range(40)},
        **{f"in/mails/{n}.eml": mail("[submission] E", {"e.json": large}, "e@x") for n in range(4)},
        "in/mails/4.eml": mail("[submission] F", {"f.json": large}, "f@x"),
    })  # fmt: skip
    monkeypatch.setattr("resource.setrlimit", lambda *_: None)  # of one file
    monkeypatch.setattr(limits, "current", lambda: limits.Limits(seconds=0.02))
    items = sort_files(["in"], teams=Teams(None, ["in"])).items
    refused = {item.file for item in items if getattr(item.error, "kind", "") == "too-large"}
    assert refused >= {"in/B/3.json", "in/D/39.txt", "in/mails/3.eml/e.json"}
    # neither small files, nor those of another team, or of another sender, where mails lie in one folder
    assert not refused & {"in/A/a.txt", "in/A/b.json", "in/D/00.txt", "in/D/10.txt", "in/mails/4.eml/f.json"}
    # and what went wrong keeps nothing of what was read
    assert all(item.error is None or item.error.__traceback__ is None for item in items)


def mails(n, *senders):
    files = {"a.zip": zipped({f"{number}.txt": "" for number in range(n)})}
    return [mail(f"[submission] {one[:1]}", files, one, "1 Jan 2026") for one in senders]


def files_of(*senders):
    return {f"{at}.eml": one for at, one in enumerate(mails(251, *senders))}


def stored(*senders):
    return {"all.mbox": b"".join(b"From a Mon Jan 12 10:00:00 2026\n" + one + b"\n" for one in mails(251, *senders))}


#: what is in a mailbox → its files, what is refused of them, and how many are read
CROWDS = {
    "an archive": ({"B/b.zip": zipped({f"{number}.txt": "" for number in range(501)})}, {"in/B/b.zip"}, 0),
    "mails of one sender": (files_of("B@x", "B@x"), {"in/0.eml", "in/1.eml"}, 0),
    "mails of one sender in a store": (stored("B@x", "C@x", "B@x"), {"in/all.mbox/1", "in/all.mbox/3"}, 251),
    "mails of several senders in a store": (stored("B@x", "C@x"), set(), 502),
    "mails that name no sender": (files_of("", ""), set(), 502),
}


@pytest.mark.parametrize("crowd", CROWDS)
def test_more_files_than_any_team_sends_are_not_read(crowd):
    files, refused, n = CROWDS[crowd]
    write({"in/A/a.txt": cases("A1"), **{f"in/{name}": of for name, of in files.items()}})
    items = sort_files(["in"], teams=Teams(None, ["in"])).items
    large = {item.file for item in items if getattr(item.error, "kind", "") == "too-large"}
    assert (large, len(items)) == (refused, len(refused) + n + 1) and "in/A/a.txt" in {item.file for item in items}
    found = {finding.file: finding for finding in receive("in").findings if finding.rule == "unreadable"}
    assert found.keys() >= refused and all("500" in found[file].advice for file in refused)


def test_an_archive_that_the_organiser_names_holds_what_it_likes():
    write({"in/B/b.zip": CROWDS["an archive"][0]["B/b.zip"]})
    assert len(sort_files(["in/B/b.zip"], teams=Teams(None, ["in/B/b.zip"])).items) == 501
