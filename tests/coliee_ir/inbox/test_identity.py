"""Who sent a run, and when: a mailbox of honest teams, and what dishonest ones send to pass for others, or early."""

import gzip
import io
import json
import mailbox
import re
import tarfile
from dataclasses import replace
from email import message_from_bytes
from email.policy import default
from pathlib import Path

import make_mailbox as made
import pytest
from make_mailbox import mail

from coliee_adapters.errors import InputError
from coliee_adapters.files.source import Source
from coliee_ir.commands.edition.config import Public, read_edition
from coliee_ir.commands.edition.day import day_of
from coliee_ir.commands.edition.desk import pages
from coliee_ir.commands.edition.writing import write
from coliee_ir.commands.validate.receiving import receive
from coliee_ir.inbox.teams import IN_DOUBT

QUERIES = range(1, 11)
EARLY, LATER, LATE = (f"{day} Jan 2027 10:00:00 +0000" for day in (19, 20, 22))
KIS, ARC, EVIL = "kis@example.org", "arc@example.org", "evil@example.net"
DESCRIBED = made._FORM.format(1, "KIS9", "BERT (2024-01-01)")


def run(tag, right=5):
    return "".join(f"{n:06} {n + (500 if n <= right else 700):06} {tag}\n" for n in QUERIES)


HONEST = {
    "01.eml": mail("[submission] KIS", {"a.txt": run("KIS9", 8), "d.txt": DESCRIBED}, KIS, EARLY),
    "02.eml": mail("[submission] ARC", {"a.txt": run("ARC1", 7)}, ARC, EARLY),
    "BLUE/run.txt": run("BLUE1", 6),
}
EVIL1 = run("EVIL1", 10)


@pytest.fixture
def hold(tmp_path, monkeypatch):
    """The day of an edition of the honest teams, and of what is sent besides, with a list of teams."""
    monkeypatch.chdir(tmp_path)

    def held(files, sheet="", honest=HONEST, mailbox='"in"', year=2026, task="1"):
        content = {"gold1": json.dumps({f"{n:06}": [f"{n + 500:06}"] for n in QUERIES}),
                   "teams.csv": f"tag,team,status\n,BLUE,ranked\n{sheet}",
                   "coliee.toml": f'name = "T"\nmailbox = {mailbox}\nteams = "teams.csv"\n'
                   f'resamples = 99\nyear = {year}\n'
                   'settled = ["undescribed EVIL abcd"]\n'
                   f'deadline = 2027-01-20T23:59:59Z\n[[task]]\ntask = "{task}"\ngold = "gold{task}"\n',
                   "gold3": made._golds()["gold/statute.xml"],
                   **{f"in/{name}": of for name, of in {**honest, **files}.items()}}  # fmt: skip
        for name, of in content.items():
            Path(name).parent.mkdir(parents=True, exist_ok=True)
            Path(name).write_bytes(of.encode() if isinstance(of, str) else of)
        return day_of(read_edition("coliee.toml"))

    return held


def seen(day):
    """Tag → team and status of each ranked or shown run."""
    return {entry.tag: (entry.team, entry.status) for board in day.boards for entry in board.entries}


def packed(**files):
    return made._zip({name.replace("__", "/").replace("_", "."): content for name, content in files.items()})


def typed(headers):
    """A mail of EVIL with these headers besides."""
    head = f"From: {EVIL}\nSubject: [submission] EVIL\nMIME-Version: 1.0\n{headers}"
    part = 'Content-Type: text/plain; name="r.txt"\nContent-Disposition: attachment; filename="r.txt"'
    return "\n".join([head.rstrip("\n"), part, "", EVIL1]).encode()


def links(target):
    """An archive with a run, and links and devices."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as tar:
        for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE):
            entry = tarfile.TarInfo(f"link{kind!r}")
            entry.type, entry.linkname = kind, target
            tar.addfile(entry)
        entry = tarfile.TarInfo("r.txt")
        entry.size = len(EVIL1)
        tar.addfile(entry, io.BytesIO(EVIL1.encode()))
    return stream.getvalue()


FORGED = mail("[submission] ARC", {"r.txt": EVIL1}, ARC, EARLY, [EARLY])
AS_EVIL = {"EVIL1": ("EVIL", "")}

OUTSIDE = {"..\\01.eml\\a.txt": EVIL1, "r.txt": EVIL1}

#: names that look like another team's: letters of other scripts, what cannot be seen, small letters for capitals, dots
LOOK_ALIKE = (
    "K\u0406S", "\u041a\u0406\u0405", "K\u026aS", "\u13e6IS", "\ua4d7\ua4f2\ua4e2", "ARC\u200b", "KI\xadS",
    "KIS\ufe0f", "KIS\u3164", "K\u034fIS", "KIS\u2800", "KIS (Osaka)", "KlS", "K IS", "B.LUE", "BLUE/",
)  # fmt: skip

#: what is sent → the files, rows of the list, tag → team and status, and the kinds of decisions that name it
ATTACKS = {
    "a forged mail in a late one": (
        {"z.eml": mail("[submission] EVIL", {"orig.eml": FORGED}, EVIL, LATE)},
        "", {"EVIL1": ("EVIL", "late")}, {"late", "forwarded"}),
    "a forged mail of another team": (
        {"z.eml": mail("[submission] EVIL", {"orig.eml": FORGED}, EVIL, EARLY)}, "", AS_EVIL, {"forwarded"}),
    "the folder of another team in an archive": (
        {"z.eml": mail("[submission] EVIL", {"s.zip": packed(KIS__run_txt=EVIL1)}, EVIL, LATE)},
        "KIS/,KIS,ranked\n", {"EVIL1": ("EVIL", "late")}, {"late", "team-list"}),
    "the tag of another team": (
        {"z.eml": mail("[submission] EVIL", {"r.txt": run("KIS9", 10)}, EVIL, EARLY)},
        "KIS9,KIS,\n", {}, {"shared-tag", "team-list"}),
    "a description of another team's run": (
        {"z.eml": mail("[submission] EVIL", {"d.txt": DESCRIBED.replace("BERT", "CHEAT")}, EVIL, EARLY)},
        "", {}, {"undescribed"}),
    "a description from nobody": (
        {"z.eml": mail("our system", {"d.txt": DESCRIBED.replace("BERT", "CHEAT")}, EVIL, EARLY)}, "", {}, set()),
    "a mail that is forwarded within one": (
        {"z.eml": mail("[submission] EVIL", {}, EVIL, LATE, forwards=FORGED)},
        "", {"EVIL1": ("EVIL", "late")}, {"late", "forwarded"}),
    "a later mail in an early one": (
        {"z.eml": mail("[submission] EVIL", {"o.eml": mail("x", {"r.txt": EVIL1}, EVIL, LATE)}, EVIL, EARLY)},
        "", {"EVIL1": ("EVIL", "late")}, {"late", "forwarded"}),
    "a mail in an archive in a folder": (
        {"EVIL/x.zip": packed(o_eml=FORGED)}, "", AS_EVIL, {"forwarded"}),
    "a mail in an archive whose name is that of a mailbox's": (
        {"z.eml": mail("[submission] EVIL", {"x.zip": made._zip({"1": FORGED})}, EVIL, EARLY)},
        "", AS_EVIL, {"forwarded"}),
    "a path of the list in an archive": (
        {"EVIL/x.zip": packed(KIS__run_txt=EVIL1)}, "KIS/run.txt,KIS,\n", AS_EVIL, {"team-list"}),
    "a name with a letter of another script that the list says whose it is": (
        {"z.eml": mail("[submission] K\u0406S", {"r.txt": EVIL1}, EVIL, EARLY)},
        "in/z.eml,KIS,\n", {"EVIL1": ("KIS", "")}, set()),
    "another team's name": (
        {"z.eml": mail("Re: [Submission] kis (corrected)", {"r.txt": EVIL1}, EVIL, EARLY)},
        "", {"EVIL1": ("KIS", IN_DOUBT)}, {"team-senders"}),
    "two names of one sender": (
        {"y.eml": mail("[submission] EVIL", {"r.txt": EVIL1}, EVIL, EARLY),
         "z.eml": mail("[submission] GOOD", {"r.txt": run("EVIL2")}, EVIL, EARLY)},
        "", {**AS_EVIL, "EVIL2": ("GOOD", "")}, {"sender-teams"}),
    "no name, and another's address": (
        {"z.eml": mail("our run", {"r.txt": EVIL1}, KIS, EARLY)}, "", {"EVIL1": ("KIS", "")}, {"team-sender"}),
    "no date": (
        {"z.eml": mail("[submission] EVIL", {"r.txt": EVIL1}, EVIL)}, "", AS_EVIL, {"undated"}),
    "no date, and a row that says when": (
        {"z.eml": mail("[submission] EVIL", {"r.txt": EVIL1}, EVIL)}, "in/z.eml,EVIL,ranked\n", AS_EVIL, set()),
    "no line of a server, where other mails have one": (
        {"y.eml": mail("[submission] GOOD", {"r.txt": run("GOOD1")}, "good@example.org", EARLY, [EARLY]),
         "z.eml": mail("[submission] EVIL", {"r.txt": EVIL1}, EVIL, EARLY)},
        "", {**AS_EVIL, "GOOD1": ("GOOD", "")}, {"undated"}),
    "another team's name in a mail that the list takes out": (
        {"z.eml": mail("[submission] KIS", {"r.txt": EVIL1, "KIS9.txt": run("KIS9", 10)}, EVIL, LATER)},
        "in/z.eml,KIS,disqualified\n", {"EVIL1": ("KIS", "disqualified")}, set()),
    "a forged date behind a broken line of the server": (
        {"z.eml": mail("[submission] EVIL", {"r.txt": EVIL1}, EVIL, EARLY, ["yesterday", LATE])},
        "", {"EVIL1": ("EVIL", "late")}, {"late", "undated"}),
    "a name of the list for a file in a mail": (
        {"z.eml": mail("[submission] EVIL", {"KIS9.txt": EVIL1}, EVIL, EARLY)},
        "KIS9.txt,KIS,withdrawn\n", AS_EVIL, {"team-list"}),
    "two dates, of which the later counts": (
        {"z.eml": typed(f"Date: {EARLY}\nDate: {LATE}")}, "", {"EVIL1": ("EVIL", "late")}, {"late", "doubled-header"}),
    "two subjects": (
        {"z.eml": typed(f"Subject: [submission] KIS\nDate: {EARLY}")}, "", AS_EVIL, {"doubled-header"}),
    "two senders": (
        {"z.eml": typed(f"From: {KIS}\nDate: {EARLY}")}, "", AS_EVIL, {"doubled-header"}),
    "a date without a zone": (
        {"z.eml": typed("Date: 20 Jan 2027 23:00:00")}, "", AS_EVIL, {"undated"}),
    "a zone in the west": (
        {"z.eml": typed("Date: 20 Jan 2027 23:00:00 -1200")}, "", {"EVIL1": ("EVIL", "late")}, {"late"}),
    "a date that is none": (
        {"z.eml": typed("Date: 31 Dec 9999 23:59:59 -1200")}, "", AS_EVIL, {"undated"}),
    "a time of its own in a server's line": (
        {"z.eml": typed(f"Received: from x; {EARLY} by mx; {LATE}\nDate: {EARLY}")},
        "", {"EVIL1": ("EVIL", "late")}, {"late"}),
    "the name of another mail": (
        {"z.eml": mail("[submission] EVIL", {"../01.eml/a.txt": EVIL1}, EVIL, EARLY)}, "", AS_EVIL, set()),
    "links out of an archive": (
        {"z.eml": mail("[submission] EVIL", {"a.tar": links("../../gold.json")}, EVIL, EARLY)},
        "", AS_EVIL, {"passed-over"}),
    "names that lead out of an archive": (
        {"z.eml": mail("[submission] EVIL", {"a.zip": made._zip(OUTSIDE)}, EVIL, EARLY)},
        "", AS_EVIL, {"passed-over"}),
    "what unpacks to 300 MiB": (
        {"z.eml": mail("[submission] EVIL", {"a.gz": gzip.compress(bytes(300 << 20), 1), "r.txt": EVIL1}, EVIL, EARLY)},
        "", AS_EVIL, set()),
    "the name of a team whose files lie in a folder": (
        {"z.eml": mail("[submission] BLUE", {"r.txt": EVIL1}, EVIL, EARLY)},
        "", {"EVIL1": ("BLUE", IN_DOUBT)}, {"team-senders"}),
    "the name of a team in a folder, of a mail for which the list vouches": (
        {"z.eml": mail("[submission] BLUE", {"r.txt": EVIL1}, EVIL, EARLY)},
        "in/z.eml,BLUE,\n", {"EVIL1": ("BLUE", "")}, set()),
    "a tag that looks like another team's": (
        {"z.eml": mail("[submission] EVIL", {"r.txt": run("K\u0406S9", 10)}, EVIL, EARLY)}, "", {}, {"shared-tag"}),
    "two descriptions of one run": (
        {"z.eml": mail("[submission] EVIL", {"r.txt": EVIL1, "d.txt": made._FORM.format(1, "EVIL1", "A"),
                                             "e.txt": made._FORM.format(1, "EVIL1", "B")}, EVIL, EARLY)},
        "", AS_EVIL, {"undescribed"}),
    "a run that is sent again after it was withdrawn": (
        {"y.eml": mail("[submission] EVIL", {"r.txt": EVIL1}, EVIL, EARLY),
         "z.eml": mail("[submission] EVIL", {"s.txt": run("EVIL1", 9)}, EVIL, "20 Jan 2027 10:00:00 +0000")},
        "EVIL1,EVIL,withdrawn\n", {"EVIL1": ("EVIL", "withdrawn")}, {"shared-tag"}),
    "files that are called like the organiser's": (
        {"z.eml": mail("[submission] EVIL", {"teams.csv": "tag,team,status\nKIS9,KIS,withdrawn\n", "r.txt": EVIL1,
                                             "gold.json": '{"000001": ["000701"]}'}, EVIL, EARLY)}, "", AS_EVIL, set()),
    "a copy of a run, late, under its team's name": (
        {"00.eml": mail("[submission] kis", {"a.txt": run("KIS9", 8)}, EVIL, LATE)}, "", {}, {"team-senders"}),
    "the run again, after the deadline": (
        {"00.eml": mail("[submission] KIS", {"a.txt": run("KIS9", 8)}, KIS, LATE)}, "", {}, set()),
    "a description under a team's name": (
        {"z.eml": mail("[submission] KIS", {"d.txt": DESCRIBED.replace("BERT", "CHEAT")}, EVIL, LATER)},
        "", {}, {"team-senders", "undescribed"}),
    "a team's name, in a mail that names no sender": (
        {"z.eml": mail("[submission] KIS", {"r.txt": EVIL1}, "", EARLY)},
        "", {"EVIL1": ("KIS", IN_DOUBT)}, {"team-senders"}),
    "a time behind that of the server": (
        {"z.eml": mail("[submission] EVIL", {"r.txt": EVIL1}, EVIL, EARLY, [f"{LATE} (envelope-from <a;{EARLY}>)"])},
        "", {"EVIL1": ("EVIL", "late")}, {"late"}),
    "four runs under the name of a team with a folder": (
        {"z.eml": mail("[submission] BLUE", {f"{n}.txt": run(f"E{n}") for n in range(4)}, "", EARLY)},
        "", {}, {"team-senders"}),
    "what the settled decision of another team closes": (
        {"z.eml": mail("[submission] EVIL abcd", {"r.txt": EVIL1}, EVIL, EARLY)},
        "", {"EVIL1": ("EVIL abcd", "")}, {"undescribed"}),
    "a subject with words of programs before it": (
        {"z.eml": mail("[EXTERNAL] AW: Re[2]: [submission] EVIL", {"r.txt": EVIL1}, EVIL, EARLY)}, "", AS_EVIL, set()),
    "headers that go on behind what is looked at": (
        {"z.eml": typed(f"Date: {EARLY}").replace(b"EVIL\n", b"EVIL" + b" =?utf-8?q?a?=" * 9000 + b"\n", 1)},
        "", {}, {"refused"}),
    "a mail of 500 parts in each other": (
        {"z.eml": typed(f"Date: {EARLY}\n" + "".join(
            f'Content-Type: multipart/mixed; boundary="{n}"\n\n--{n}\n' for n in range(500)))}, "", AS_EVIL, set()),
}  # fmt: skip


#: what is written out where the team, the tag, the file or the description is such a text
HOSTILE = (
    "<script>alert(1)</script>", "</svg><img/src=x/onerror=alert(1)>", r"\input{/etc/passwd}\write18{id}$^_%&#~",
    "^^5cinput^^7bx^^7d", '=HYPERLINK("http://e.example","x")', "@SUM(1+1)*cmd", "a|b`c`[x](http://e.example)",
    "::error::x", "\u202eSIK\u2066", "__proto__",
)  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_of_a_sender_is_more_than_text(hold, text):
    word = text.replace(" ", "").replace("/", "\u2215")
    files = {
        f"{word}.txt": run(word, 9), "r.txt": run("EVIL1", 10), "d.txt": made._FORM.format(1, "EVIL1", text),
    }  # fmt: skip
    day = hold({"z.eml": mail(f"[submission] {text}", files, EVIL, EARLY)})
    assert {entry.tag for board in day.boards for entry in board.entries} >= {"KIS9", "ARC1", "BLUE1", "EVIL1"}
    write(day, Path("out"))
    for path in Path("out").rglob("*.*"):
        content = path.read_bytes().decode("utf-8", "replace")
        if path.suffix in (".html", ".tex", ".eml", ".md"):
            assert not re.search("[\u202a-\u202e\u2066-\u2069]|root:x:", content)
        if path.suffix == ".html":
            assert not re.search("<script>alert|<img", content) and not re.search(
                r"[>,](=HYP|@SUM)[^<]*,ranked", content
            )
        if path.suffix == ".tex":
            assert not re.search(r"\\(input\{/|write18)|\^\^5c", content)
        if path.suffix == ".eml":
            assert not re.search(r"(?m)^(Bcc|Cc|::)", content)


@pytest.mark.parametrize("name", [".", "-", "..", "\u2013", "?", "_", "(v2)", "\u200b", "-/"])
@pytest.mark.parametrize("rows", ["", ",-,withdrawn\n"])
def test_a_name_without_a_letter_is_nobodys(hold, name, rows):
    """Each sender is one by itself; so is what lies beside the mails."""
    files = {
        "y.eml": mail("our run", {"r.txt": run("EVIL2", 4)}, "other@example.org", EARLY),
        "z.txt": run("NOBODY1", 9),
        "-/r.txt" if name == "-/" else "z.eml":
        EVIL1 if name == "-/" else mail(f"[submission] {name}", {"r.txt": EVIL1}, EVIL, EARLY),
    }  # fmt: skip
    day = hold(files, rows)
    assert {tag: seen(day)[tag] for tag in ("EVIL1", "EVIL2", "NOBODY1")} == dict.fromkeys(
        ("EVIL1", "EVIL2", "NOBODY1"), ("", "")
    )
    assert {one.run for one in day.decide if one.kind == "team-list"} >= {"EVIL1", "EVIL2", "NOBODY1"}
    assert letters(day).keys() == {"KIS", "ARC", "BLUE"}


@pytest.mark.parametrize("rows", [",KIS,ranked\n,Kis,withdrawn\n", "KIS9,KIS,\nkis9,ARC,\n"])
def test_rows_that_contradict_each_other_are_refused(hold, rows):
    with pytest.raises(InputError) as error:
        hold({}, rows)
    assert error.value.kind == "conflicting"


@pytest.mark.parametrize("attack", ATTACKS)
def test_an_attack_harms_no_honest_team_and_is_told(hold, attack):
    files, sheet, expected, kinds = ATTACKS[attack]
    before = hold({})
    plain = seen(before)
    day = hold(files, sheet)
    found = seen(day)
    honest = {entry.tag: entry for board in day.boards for entry in board.entries
              if entry.file.removeprefix("in/") in {"01.eml/a.txt", "02.eml/a.txt", "BLUE/run.txt"}}  # fmt: skip
    told = {(one.kind, one.team) for one in day.decide} - {(one.kind, one.team) for one in before.decide}
    # of runs of several senders none is chosen; what lies in a folder is the team's
    asked = {one.file for one in day.decide if one.kind == "team-senders"}
    in_doubt = IN_DOUBT if "in/01.eml" in asked else ""
    assert {tag: (entry.team, entry.status) for tag, entry in honest.items()} == {**plain, "KIS9": ("KIS", in_doubt)}
    assert {tag: found.get(tag) for tag in expected} == expected
    approaches = {entry.tag: board.description(entry) for board in day.boards for entry in board.entries}
    assert "CHEAT" not in str(approaches) and "BERT" in str(approaches["KIS9"])
    assert {kind for kind, _ in told} >= kinds
    assert kinds or not {kind for kind, _ in told} & {"look-alike", "team-senders"}  # what the list says is not asked
    sent = letters(day)
    if found.get("EVIL1", ("EVIL", ""))[0] not in ("KIS", "ARC", "BLUE"):  # who did not send it is told nothing of it
        assert all("EVIL" not in sent[team].as_string() for team in ("KIS", "ARC", "BLUE"))
    for team, of_team, of in (("KIS", KIS, "01"), ("ARC", ARC, "02")):  # nor is a letter written to a stranger
        listed = f"{EVIL}, " * (found.get("EVIL1") == (team, "") and not kinds)
        assert sent[team]["To"] == (None if f"in/{of}.eml" in asked else listed + of_team)


ARTICLES, ANSWERS = {"task3.K1": made._articles("K1", 0, 8)}, {"answers.K1": made._labels("K1", 0, 2)}
LONG = {
    "task3-L.K1": "".join(
        f"R07-{n:02}-U Q0 {n + k} {k + 1} {1 / (k + 1)} K1\n" for n in range(1, 17) for k in range(100)
    )
}
BY_KIS, BY_EVIL = ("[submission] KIS", KIS), ("[submission] kis", EVIL)


@pytest.mark.parametrize("sender", [BY_EVIL, ("our run", EVIL), ("[submission] kis", "")])
@pytest.mark.parametrize(("year", "part"), [(2026, ANSWERS), (2025, LONG)])
def test_the_parts_of_a_run_come_from_one_sender(hold, year, part, sender):
    def parts(files, sheet=""):
        mails = {f"{n}.eml": mail(subject, sent, who, EARLY) for n, ((subject, who), sent) in enumerate(files)}
        day = hold(mails, sheet, {}, year=year, task="3")
        told = {one.kind for one in day.decide} & {"team-senders", "team-list"}
        return sorted(map(len, (entry.files for board in day.boards for entry in board.entries))), told

    whole = [1] if year == 2025 else []
    assert parts([(BY_KIS, ARTICLES), (BY_KIS, part)]) == ([2], set())
    lengths, told = parts([(BY_KIS, ARTICLES), (sender, part)])
    assert lengths == whole and told
    # the teams file says whose they are
    assert parts([(BY_KIS, ARTICLES), (sender, part)], "in/0.eml,KIS,\nin/1.eml,KIS,\n")[0] == [2]


@pytest.mark.parametrize("sender", [BY_EVIL, ("[submission] KIS", "")])
def test_files_of_several_senders_are_not_one_run(hold, sender):
    first, rest = (
        "".join(run("KIS9", right).splitlines(True)[part]) for right, part in ((8, slice(8)), (0, slice(8, 10)))
    )
    one = hold(
        {
            "01.eml": mail(*BY_KIS[:1], {"a.txt": first}, KIS, EARLY),
            "y.eml": mail(BY_KIS[0], {"b.txt": rest}, KIS, EARLY),
        }
    )
    two = hold({"y.eml": mail(sender[0], {"b.txt": rest}, sender[1], EARLY)})
    lengths = [sorted(len(entry.files) for entry in day.boards[0].entries if entry.team == "KIS") for day in (one, two)]
    assert lengths == [[2], [1, 1]]


def test_what_nobody_describes_moves_no_run_to_another_task(hold):
    files = {"y.eml": mail("x", {"r.txt": run("NEMO1")}, "n@example.org", EARLY),
             "z.eml": mail("x", {"d.txt": made._FORM.format(2, "NEMO1", "CHEAT")}, EVIL, EARLY)}  # fmt: skip
    day = hold(files)
    assert seen(day)["NEMO1"] == ("", "") and "named-otherwise" not in {one.kind for one in day.decide}


def test_a_mail_beside_the_mailbox_changes_no_team(hold, tmp_path):
    (tmp_path / "late.eml").write_bytes(mail("[submission] LATE", {"r.txt": run("LATE1")}, "l@example.org", EARLY))
    assert seen(hold({}, mailbox='["in", "late.eml"]')) == {**seen(hold({})), "LATE1": ("LATE", "")}


@pytest.mark.parametrize("name", LOOK_ALIKE)
def test_a_name_that_looks_like_another_teams_is_shown_apart_and_asked_about(hold, name):
    for place in ("0.eml",) + (f"{name}/r.txt",) * ("/" not in name):
        day = hold({place: EVIL1 if "/" in place else mail(f"[submission] {name}", {"r.txt": EVIL1}, EVIL, EARLY)})
        assert seen(day) == {"KIS9": ("KIS", ""), "ARC1": ("ARC", ""), "BLUE1": ("BLUE", ""),
                             "EVIL1": (name.encode("ascii", "backslashreplace").decode(), "")}  # fmt: skip
        assert "look-alike" in {one.kind for one in day.decide}
        assert not {"EVIL1", "EVIL"} & set(re.findall(r"\w+", letters(day)["KIS"].as_string()))
        Path("in", place).unlink()


def test_names_with_a_pair_of_letters_that_looks_like_one_are_asked_about(hold):
    files = {name: {f"{name}/r.txt": run(name)} for name in ("NOVVJ", "NOWJ", "Carnel", "Camel", "Lion")}
    for pair, is_asked in ((("NOVVJ", "NOWJ"), True), (("Carnel", "Camel"), True), (("Lion", "Camel"), False)):
        kinds = {one.kind for one in hold({**files[pair[0]], **files[pair[1]]}).decide}
        assert ("look-alike" in kinds) == is_asked, pair
        for name in pair:
            Path("in", name, "r.txt").unlink()


@pytest.mark.parametrize(
    "sender", ["a@[", '"a', "<>", "=?utf-8?q?=0Ax?= <x y@z>", "名@例.jp", "\xff@x.y", "a@b\nBcc: z@z"]
)
def test_no_address_stops_an_edition_or_adds_a_header(hold, sender):
    sent = mail("[submission] EVIL", {"r.txt": EVIL1}, EVIL, EARLY).replace(EVIL.encode(), sender.encode(), 1)
    found = letters(hold({"z.eml": sent}))  # of a mail that cannot be read, none
    assert {"KIS", "ARC", "BLUE"} <= found.keys() <= {"KIS", "ARC", "BLUE", "EVIL"}
    assert all(letter["Bcc"] is None and letter["To"] in (None, KIS, ARC, "a@b") for letter in found.values())


def letters(day):
    """Team → the receipt that is written for it; of several senders of its name, for one with an address."""
    mails = [message_from_bytes(mail, policy=default) for mail in pages(day).values() if isinstance(mail, bytes)]
    return {mail["Subject"].split()[-1]: mail for mail in sorted(mails, key=lambda mail: mail["To"] is not None)}


def test_a_name_is_one_team_however_it_is_composed(hold):
    day = hold({
        "y.eml": mail("[submission] Z\u00fcrich", {"r.txt": run("Z1")}, "z@example.org", EARLY),
        "z.eml": mail("[submission] Zu\u0308rich", {"r.txt": run("Z2", 4)}, "z@example.org", EARLY),
    })  # fmt: skip
    assert {team for tag, (team, _) in seen(day).items() if tag.startswith("Z")} == {"Z\u00fcrich"}
    assert not {one.kind for one in day.decide} & {"look-alike", "team-senders", "sender-teams"}


def test_a_team_is_spelt_as_the_teams_file_says_or_the_sender_of_most_of_its_runs(hold):
    files = {"0.eml": mail("[submission] Kis", {"r.txt": EVIL1}, EVIL, "18 Jan 2027 10:00:00 +0000"),
             "9.eml": mail("[submission] KIS", {"b.txt": run("KIS8")}, KIS, EARLY)}  # fmt: skip
    for rows, spelling in (("", "KIS"), (",kIS,\n", "kIS")):
        assert [seen(hold(files, rows))[tag][0] for tag in ("KIS9", "KIS8", "EVIL1")] == [spelling] * 3


@pytest.mark.parametrize("names", [("1.eml", "2.eml"), ("2.eml", "1.eml")])
def test_the_names_of_mail_files_decide_no_spelling(hold, names):
    texts = ("Case", "CASE")
    files = {
        name: mail(f"[submission] {text}", {"r.txt": run(f"{text}1", n)}, "case@example.org", EARLY)
        for n, (name, text) in enumerate(zip(names, texts, strict=True))
    }
    assert {seen(hold(files))[f"{text}1"][0] for text in texts} == {"CASE"}


def test_an_honest_mailbox_asks_nothing_of_names_and_times(hold):
    kinds = {one.kind for one in hold({}).decide}
    assert not kinds & {
        "look-alike",
        "team-senders",
        "sender-teams",
        "team-sender",
        "undated",
        "forwarded",
        "team-list",
    }


def test_a_mail_holds_what_a_saved_attachment_holds(hold):
    nested = made._zip({"inner.zip": made._zip({"r.txt": EVIL1})})
    for files in ({"EVIL/x.zip": nested}, {"z.eml": mail("[submission] EVIL", {"x.zip": nested}, EVIL, EARLY)}):
        assert seen(hold(files))["EVIL1"][0] == "EVIL"


def test_a_run_has_one_name_from_a_store_of_mails_and_from_mails(tmp_path):
    from coliee_ir import evaluate_all

    gold = {f"{n:06}": [f"{n + 500:06}"] for n in QUERIES}
    plain = (
        b"Subject: our runs\nFrom: b@example.org\nDate: 19 Jan 2027 10:00:00 +0000\nMIME-Version: 1.0\n"
        b'Content-Type: text/plain; name="run.txt"\nContent-Disposition: attachment; filename="run.txt"\n\n'
    )
    mails = [mail("our runs", {"run.txt": run("BM25", right)}, f"{right}@example.org", EARLY) for right in (3, 9)]
    mails.append(plain + b"From 000501 BM26\n>From 000501 BM26\n" + run("BM26").encode())
    (tmp_path / "mails").mkdir()
    box = mailbox.mbox(tmp_path / "all.mbox")
    for one in mails:
        box.add(re.sub(rb"(?m)^(>+From )", rb">\1", one))  # as programs do that Python's writer leaves it to
    box.close()
    for n, one in enumerate(mails):
        (tmp_path / f"mails/{n}.eml").write_bytes(one)
    texts = {Source(str(tmp_path / name)).text() for name in ("mails/2.eml/run.txt", "all.mbox/3/run.txt")}
    assert texts == {"From 000501 BM26\n>From 000501 BM26\n" + run("BM26")}
    for teams in (None, {}):
        found = [
            [(one.name, one.team, one.measures) for one in evaluate_all(gold, tmp_path / given, task="1", teams=teams)]
            for given in ("mails", "all.mbox")
        ]
        assert found[0] == found[1] and [name for name, _, _ in found[0]] == ["BM25", "BM25 (2)", "BM26"]


def test_validate_board_and_letter_judge_a_file_by_the_same_gold(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    fragments = {f"{n:03}": ["005"] for n in range(1, 9)}
    files = {
        "1.json": json.dumps({f"{n:06}": [f"{n + 500:06}"] for n in QUERIES}), "2.json": json.dumps(fragments),
        "in/SIAT/task1_siat.txt": "".join(f"{query} 005 SIAT1\n" for query in fragments),
        "in/SIAT/old.txt": "".join(f"{n + 9000:06} {n + 500:06} SIAT2\n" for n in QUERIES),
        "in/KIS/run.txt": run("KIS9"),
        "coliee.toml": 'name = "T"\nmailbox = "in"\nresamples = 99\n' + "".join(
            f'[[task]]\ntask = "{task}"\ngold = "{task}.json"\n' for task in "12"),
    }  # fmt: skip
    for name, content in files.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(content)
    day = day_of(read_edition("coliee.toml"))
    inbox = receive("in", golds=["1.json", "2.json"])
    assert {row.file: row.task for row in inbox.received} == {row.file: row.task for row in day.inbox.received} == {
        "in/SIAT/task1_siat.txt": "2", "in/SIAT/old.txt": "1", "in/KIS/run.txt": "1",
    }  # fmt: skip
    assert {entry.tag: board.task for board in day.boards for entry in board.entries} == {"SIAT1": "2", "KIS9": "1"}
    for findings in (inbox.findings, day.inbox.findings):
        rules = {(finding.file, finding.rule) for finding in findings if finding.severity == "error"}
        assert not any(file == "in/SIAT/task1_siat.txt" for file, _ in rules)
        asked = " ".join(str(place) for one in findings if one.file == "in/SIAT/old.txt" for place in one.places)
        assert "001" not in asked.split()  # which only the gold of Task 2 asks
    assert ("named-otherwise", "SIAT") in {(one.kind, one.team) for one in day.decide}


def test_a_letter_says_nothing_of_other_teams(hold):
    files = {
        "AAA/our_run.txt": run("KIS9", 8),  # KIS's file, in a folder that is sorted before its mail
        "AAA/empty.txt": "", "BLUE/empty.txt": "",
        "AAA/r.txt": run("ARC1", 3),
    }  # fmt: skip
    day = hold(files)
    for team, letter in letters(day).items():
        said = re.sub("KIS9|ARC1", "", letter.as_string())  # the tags that AAA's files have
        assert not [other for other in {"KIS", "ARC", "BLUE", "AAA"} - {team} if other in said], team
    told = {(one.kind, one.file) for one in day.decide if one.kind in ("same-file", "shared-tag")}
    assert ("same-file", "in/01.eml/a.txt") in told or ("same-file", "in/AAA/our_run.txt") in told
    assert not any("empty.txt" in file for _, file in told)


def test_what_the_list_of_teams_decides_is_asked_no_more(hold):
    files = {
        "EVIL/best.txt": run("EVIL1", 10), "EVIL/same.txt": run("EVIL2", 8), "EVIL/broken.txt": "000001 000501\n\0\n",
    }  # fmt: skip
    asked = {(one.kind, one.team) for one in hold(files).decide}
    assert {kind for kind, _ in asked} >= {"perfect-score", "same-answers", "refused"}
    day = hold(files, "".join(f"EVIL/{name}.txt,EVIL,withdrawn\n" for name in ("best", "same", "broken")))
    assert not {one.kind for one in day.decide} & {"perfect-score", "same-answers", "refused"}
    assert [one.team for one in day.decide] == sorted(one.team for one in day.decide)


def test_a_mail_of_another_sender_is_no_correction(hold):
    """Of a team's own tag, whoever wrote it; and a correction of the team itself is one."""
    evil = hold({"z.eml": mail("[submission] KIS", {"a.txt": run("KIS9", 10)}, EVIL, LATER)})
    assert "replaces" not in {decision.kind for decision in evil.decide}
    assert "team-senders" in {decision.kind for decision in evil.decide}
    own = hold({"z.eml": mail("[submission] KIS", {"a.txt": run("KIS9", 10)}, KIS, LATER)})
    assert "replaces" in {decision.kind for decision in own.decide}


@pytest.mark.parametrize("again", ["answers", "articles", "both, one after another"])
def test_a_part_that_is_mailed_again_replaces_that_part(hold, again):
    whole = mail(*BY_KIS[:1], {**ARTICLES, **ANSWERS}, KIS, EARLY)
    articles, answers = {"task3.K1": made._articles("K1", 0, 9)}, {"answers.K1": made._labels("K1", 0, 4)}
    later = {"answers": [answers], "articles": [articles]}.get(again, [answers, articles])
    times = (LATER, "20 Jan 2027 12:00:00 +0000")
    files = {"1.eml": whole} | {
        f"{n}.eml": mail(BY_KIS[0], part, KIS, time)
        for n, (part, time) in enumerate(zip(later, times, strict=False), 2)
    }
    day = hold(files, "", {}, task="3")
    assert "refused" not in {one.kind for one in day.decide} and set(seen(day).values()) == {("KIS", "")}
    assert [len(entry.files) for entry in day.boards[0].entries] == [2, 2]
    assert "shared-tag" not in {one.kind for one in day.decide}  # one decision is enough
    rows = "".join(f"{one.file},{one.team},{one.status}\n" for one in day.decide if one.kind == "replaces")
    assert rows.count("\n") == 1
    day = hold(files, rows, {}, task="3")
    assert not {one.kind for one in day.decide} & {"replaces", "refused", "shared-tag", "status"}
    (left,) = day.boards[0].counted
    once = {**ARTICLES, **ANSWERS, **{name: of for part in later for name, of in part.items()}}
    Path("in").rename("before")
    (expected,) = hold({"1.eml": mail(BY_KIS[0], once, KIS, EARLY)}, "", {}, task="3").boards[0].counted
    assert left.scores.measures == expected.scores.measures


def test_a_crowd_that_the_list_takes_out_spoils_no_other_mail_of_its_sender(hold):
    crowd = {"z.eml": mail("[submission] KIS", {f"{n}.txt": f"{n:06} 000001 C{n}\n" for n in range(501)}, KIS, LATER)}
    assert "KIS9" not in seen(hold(crowd))
    assert seen(hold(crowd, "in/z.eml,KIS,withdrawn\n"))["KIS9"] == ("KIS", "")


EVIL_MAIL = mail("[submission] EVIL", {"r.txt": EVIL1}, EVIL, EARLY)
OPENING = b"From a Mon Jan 12 10:00:00 2026\n"

#: a mail in the mailbox, as its name and content → whether its run is found
SAVED = {
    "a byte order mark": ("z.eml", b"\xef\xbb\xbf" + EVIL_MAIL, True),
    "blank lines": ("z.eml", b"\r\n \n\xef\xbb\xbf\n" + EVIL_MAIL, True),
    "the opening of an mbox": ("z.eml", OPENING + EVIL_MAIL, True),
    "a quoted opening, without a time": ("z.eml", b">From a\n" + EVIL_MAIL, True),
    "an opening, and a body that begins a line so": (
        "z.eml", OPENING + EVIL_MAIL.replace(b"Dear", b"\nFrom us: at 10:00\nDear"), True),
    "a byte order mark before an mbox": ("z.mbox", b"\xef\xbb\xbf" + OPENING + EVIL_MAIL, True),
    "an attachment without a name": ("z.eml", EVIL_MAIL.replace(b'; filename="r.txt"', b""), True),
    "several mails, or a forged one": ("z.eml", OPENING + EVIL_MAIL + b"\n" + OPENING + EVIL_MAIL, False),
    "a long first header": ("z.eml", b"X-Long: " + b"a" * 70_000 + b"\n" + EVIL_MAIL, False),
    "a line that is no header": ("z.EML", b"HTTP/1.1 200 OK\n" + EVIL_MAIL, False),
    "UTF-16": ("z.eml", EVIL_MAIL.decode().encode("utf-16"), False),
    "nothing": ("z.eml", b"", False),
    "a run": ("z.eml", EVIL1.encode(), False),
    "a mail of Outlook": ("z.msg", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(999), False),
    "a mail of Apple": ("z.emlx", b"1234\n" + EVIL_MAIL, False),
    "no attachments": ("z.eml", mail("our run", {}, EVIL, EARLY), False),
    "no attachments, of a team with runs": ("z.eml", mail("[submission] KIS", {}, KIS, LATER), False),
}  # fmt: skip


@pytest.mark.parametrize("place", ["{}", "BLUE/{}", "EVIL.zip"])  # as saved by the organiser, or packed by a team
@pytest.mark.parametrize("case", SAVED)
def test_no_mail_is_lost(hold, case, place):
    name, content, is_read = SAVED[case]
    day = hold({place.format(name): made._zip({name: content}) if place.endswith("zip") else content})
    assert seen(day).get("EVIL1") == (("EVIL", "") if is_read else None)
    told = {one.kind for one in day.decide if f"in/{place.format(name)}" in (one.file + str(one.what))}
    assert bool(told & {"refused", "passed-over"}) != is_read


def letters_by_sender(day):
    """What whose receipt begins its files with → all that is written to it."""
    written = {}
    for name, content in pages(day).items():
        if isinstance(content, bytes):
            text = message_from_bytes(content, policy=default).get_content()
            written.setdefault(Path(name).name, []).append(text)
    places = {"01.eml/": KIS, "02.eml/": ARC, "z.eml/": EVIL, "y.eml/": "", "BLUE/": "BLUE"}
    found = {}
    for texts in written.values():
        (sender,) = {sender for place, sender in places.items() if f"\n  {place}" in texts[0]}
        found[sender] = "".join(texts)
    return found


@pytest.mark.parametrize("sender", [EVIL, ""])
@pytest.mark.parametrize("team", ["KIS", "BLUE"])
def test_a_letter_tells_a_sender_of_its_own_files_alone(hold, team, sender):
    name = "z.eml" if sender else "y.eml"
    tag, own = ("KIS9", KIS) if team == "KIS" else ("BLUE1", "BLUE")
    more = {f"{n}.txt": run(f"W{n}", n) for n in range(4)}
    for files in ({"a.txt": run(tag, 10)}, {"a.txt": run(tag, 8 if team == "KIS" else 6)}, more):
        day = hold({name: mail(f"[submission] {team}", files, sender, LATER)})
        status = {entry.file: entry.status for board in day.boards for entry in board.entries}
        assert status[f"in/{name}/{next(iter(files))}"] == IN_DOUBT
        assert "many-runs" not in {one.kind for one in day.decide}
        letters = letters_by_sender(day._replace(edition=replace(day.edition, phase="results")))
        assert letters.keys() >= {own, sender}
        for whose, text in letters.items():
            n = len(files) if whose == sender else 1
            assert not re.search(r"(?<!\w)in/|same run tag|copy of", text)
            assert (text.count("MicroF1"), "W1" in text) == (n, whose == sender and files is more)


def test_a_correction_is_told_as_long_as_it_is_open(hold):
    again = {"01b.eml": mail("[submission] KIS", {"b.txt": run("KIS9", 10)}, KIS, LATER)}
    day = hold(again)
    assert "01b.eml/b.txt, of the same" in letters(day)["KIS"].get_content()
    assert seen(day)["KIS9"] == ("KIS", "")
    day = hold(again, "in/01.eml/a.txt,KIS,replaced by KIS9\n")
    text = letters(day)["KIS"].get_content()
    assert "of the same" not in text and "replaced by KIS9" in text


def test_what_settles_the_runs_of_a_team_settles_none_of_a_stranger(hold):
    def sent(tag):
        return {f"{n}.txt": run(f"{tag}{n}", n) for n in range(4)}

    files = {"01.eml": mail("[submission] KIS", sent("K"), KIS, EARLY)}
    (key,) = {one.key for one in hold(files).decide if one.kind == "many-runs"}
    files["z.eml"] = mail("[submission] KIS", sent("E"), EVIL, EARLY)
    toml = Path("coliee.toml").read_text().replace("settled = [", f'settled = ["{key}", "{key[:-5]}", ')
    hold(files)
    Path("coliee.toml").write_text(toml)
    Path("teams.csv").write_text("tag,team,status\nin/01.eml,KIS,\n")
    found = seen(day_of(read_edition("coliee.toml")))
    assert [found[f"{tag}{n}"][1] for tag in "KE" for n in range(4)] == [""] * 4 + [IN_DOUBT] * 4


@pytest.mark.parametrize(("row", "is_asked", "to"), [
    ("", True, {KIS}), ("z.eml,KIS,disqualified\n", False, {KIS, EVIL}), ("z.eml,KIS,\n", False, {f"{KIS}, {EVIL}"}),
])  # fmt: skip
def test_a_mail_without_a_run_takes_no_team_out_of_the_ranking(hold, row, is_asked, to):
    day = hold({"z.eml": mail("[submission] KIS", {}, EVIL, LATER)}, row)
    assert seen(day)["KIS9"] == ("KIS", "")
    assert ("team-senders" in {one.kind for one in day.decide}) == is_asked
    mails = [message_from_bytes(mail, policy=default) for mail in pages(day).values() if isinstance(mail, bytes)]
    assert {mail["To"] for mail in mails if "KIS" in mail["Subject"]} - {None} == to


@pytest.mark.parametrize(("place", "is_asked"), [("KIS/z.eml", False), ("z.eml", True), ("ARC/z.eml", True)])
def test_a_mail_that_was_filed_in_the_folder_of_its_team_is_the_teams(hold, place, is_asked):
    day = hold({place: mail("[submission] KIS", {"r.txt": EVIL1}, EVIL, EARLY)})
    assert (seen(day)["EVIL1"] == ("KIS", "")) != is_asked
    assert (f"in/{place}" in {one.file for one in day.decide if one.kind == "team-senders"}) == is_asked


def results_by_sender(day, folder):
    """Who is written to → all that a letter of results says; and what the site and the paper say."""
    write(day._replace(edition=replace(day.edition, phase="results", public=Public(figures=False))), folder)
    mails = [message_from_bytes(path.read_bytes(), policy=default) for path in folder.glob("desk/results/*.eml")]
    public = "".join(path.read_text() for room in ("public", "paper") for path in (folder / room).glob("*.[ht]*"))
    return {mail["To"]: mail.get_content() for mail in mails if "KIS" in mail["Subject"]}, public


@pytest.mark.parametrize("files", [{"r.txt": EVIL1}, {"r.txt": EVIL1, "d.txt": DESCRIBED}])
@pytest.mark.parametrize("team", ["KIS", "BLUE"])
@pytest.mark.parametrize("is_own", [False, True])
def test_the_row_of_the_desk_settles_whose_a_mail_is(hold, tmp_path, team, files, is_own):
    sent = {"z.eml": mail(f"[submission] {team}", files, EVIL, EARLY)}
    day = hold(sent)
    rows = {one.file: one for one in day.decide if one.kind == "team-senders"}
    assert rows.keys() == {"in/z.eml", "in/01.eml"} - ({"in/01.eml"} if team == "BLUE" else set())
    assert not any(one.is_settled([one.key, one.kind, one.key.rpartition(" ")[0]]) for one in rows.values())
    _, public = results_by_sender(day, tmp_path / "before")
    assert "EVIL1" not in public and "ARC1" in public
    own, other = re.findall(r"<td>(z\.eml,[^<]*disqualified)", pages(day)["index.html"])[0].split(" or ")
    rows = f"{own}\n01.eml,KIS,\n" if is_own else f"{other}\n"
    day = hold(sent, rows)
    assert "team-senders" not in {one.kind for one in day.decide}
    assert (seen(day)["EVIL1"], seen(day)["KIS9"]) == ((team, "" if is_own else "disqualified"), ("KIS", ""))
    letters, public = results_by_sender(day, tmp_path / "after")
    assert ("EVIL1" in public) == is_own and "KIS9" in public
    if team == "KIS":  # two letters, or one to both that the teams file lists
        assert {to: ("KIS9" in text, "EVIL1" in text) for to, text in letters.items()} == (
            {f"{EVIL}, {KIS}": (True, True)} if is_own else {KIS: (True, False), EVIL: (False, True)}
        )


@pytest.mark.parametrize(("n", "is_long"), [(5, False), (20, False), (21, True), (400, True)])
def test_a_run_whose_lists_are_so_long_that_they_are_right_is_asked_about(hold, n, is_long):
    articles = "".join(f"R07-{q:02}-U Q0 {k} {k} {1 / k} K1\n" for q in range(1, 17) for k in range(1, n + 1))
    files = {"1.eml": mail(BY_KIS[0], {"task3.K1": articles, **ANSWERS}, KIS, EARLY)}
    day = hold(files, "", {}, task="3")
    told = [one for one in day.decide if one.kind == "everything"]
    assert [(one.team, one.run) for one in told] == [("KIS", "K1")] * is_long
    for one in told:
        day = hold(files, f"{one.file},KIS,{one.status}\n", {}, task="3")
        assert not day.boards[0].counted and "everything" not in {one.kind for one in day.decide}
        assert not any("precision" in letter.get_content() for letter in letters(day).values())


def again_with(**changes):
    """The day of the same edition, with other texts in its file."""
    text = Path("coliee.toml").read_text()
    for old, new in changes.items():
        text = text.replace(f"{old} = ", new, 1)
    Path("coliee.toml").write_text(text)
    return day_of(read_edition("coliee.toml"))


@pytest.mark.parametrize(("date", "kind"), [("", "undated"), (LATE, "late"), (EARLY, "perfect-score")])
def test_what_is_settled_of_one_file_is_not_settled_of_the_next(hold, date, kind):
    first = {"y.eml": mail("[submission] EVIL", {"r.txt": run("EVIL1", 10)}, EVIL, date)}
    keys = [one.key for one in hold(first).decide]
    assert any(key.startswith(kind) for key in keys)
    more = {**first, "z.eml": mail("[submission] EVIL", {"s.txt": run("EVIL1", 10) + "\n"}, EVIL, date)}
    hold(more)
    day = again_with(settled=f"settled = {json.dumps(keys)}\n# ")
    assert [one.file.partition("/r")[0].partition("/s")[0] for one in day.decide if one.kind == kind] == ["in/z.eml"]


LABELS = json.dumps({f"{n:06}": ["000701"] for n in QUERIES})

#: a file that is passed over → whether it may be a run
PASSED_OVER = {
    "a run that is named as a gold": ("task1_test_labels_2026.json", LABELS, True),
    "a run that is named as notes": ("notes.txt", run("E1", 3), True),
    "a run that is named as a log": ("run.log", run("E1", 3), True),
    "a run that looks like a table of scores": (
        "a.csv", "team,query,document\n" + "".join(f"EVIL,{n:06},000501\n" for n in QUERIES), True),
    "the run of a tag, in another file of other queries": (
        "b.txt", run("EVIL2", 5).replace("\n0000", "\n0020").replace("000001", "002001"), True),
    "what a mail program packed": ("winmail.dat", b"\x78\x9f\x3e\x22" + bytes(range(256)) * 30, True),
    "a picture": ("figure.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256)), False),
    "a mail behind other lines": ("1705.M1", b"HTTP/1.1 200 OK\n" + mail("x", {"r.txt": EVIL1}, EVIL, EARLY), True),
    "a readme with an example": ("README.txt", "Lines are like this:\n000001 000501 EVIL2\n", False),
    "scores": ("scores.csv", "rank,run,accuracy\n1,a,0.5\n", False),
    "another year's gold": ("task1_train_labels_2020.json", LABELS.replace('"0000', '"0090'), False),
}  # fmt: skip


@pytest.mark.parametrize("case", PASSED_OVER)
def test_a_file_that_may_be_a_run_is_not_passed_over_in_silence(hold, case):
    name, content, may_be_run = PASSED_OVER[case]
    day = hold({"EVIL/a.txt": run("EVIL2", 5), f"EVIL/{name}": content})
    told = {one.kind for one in day.decide if one.file == f"in/EVIL/{name}"}
    assert told == ({"passed-over"} if may_be_run else set())
    lines = letters(day)["EVIL"].get_content().splitlines()
    (line,) = (line for line in lines if line.startswith(f"  EVIL/{name}"))
    assert ("not scored" in line) == may_be_run and not re.search("gold|judge", line)
    day = hold({}, f"EVIL/{name},EVIL,withdrawn\n")
    assert "passed-over" not in {one.kind for one in day.decide}


#: what is all that a mail brings → whether it is read
LOST = {
    "a path from the root": ({"r.zip": made._zip({"/home/me/r.txt": EVIL1})}, False),
    "the path of a drive": ({"r.zip": made._zip({"C:\\runs\\r.txt": EVIL1})}, False),
    "a hidden file": ({".r.txt": EVIL1}, False),
    "a hidden folder in an archive": ({"r.zip": made._zip({".runs/r.txt": EVIL1})}, False),
    "a name with a tab": ({"r.\tx.txt": EVIL1}, False),
    "a long name": ({"r.zip": made._zip({f"{'a' * 1001}.txt": EVIL1})}, False),
    "links": ({"r.tar": made._tar({})}, False),
    "an empty archive": ({"r.zip": b"PK\5\6" + bytes(18)}, False),
    "an attachment without a name": ({"": EVIL1}, True),
}  # fmt: skip


@pytest.mark.parametrize("case", LOST)
@pytest.mark.parametrize("more", [{}, {"s.txt": run("EVIL2", 4)}])
def test_a_sender_is_told_of_each_file_that_is_not_read(hold, case, more):
    files, is_read = LOST[case]
    content = mail("[submission] EVIL", {**files, **more}, EVIL, EARLY)
    if is_read:
        content = content.replace(b'Content-Disposition: attachment; filename=""\n', b"")
    day = hold({"z.eml": content})
    assert ("EVIL1" in seen(day), "EVIL2" in seen(day)) == (is_read, bool(more))
    told = {one.team for one in day.decide if one.kind in ("passed-over", "refused")}
    assert told == ({"EVIL"} if not is_read else set())
    (letter,) = (letter for team, letter in letters(day).items() if team == "EVIL")
    assert letter["To"] == EVIL
    assert len(re.findall(r"(?m)^  z\.eml/.*20\d\d-", letter.get_content())) == 1 + len(more)


def test_a_mail_that_is_cut_short_is_told(hold):
    whole = mail("[submission] EVIL", {"a.txt": EVIL1, "b.txt": run("EVIL2")}, EVIL, EARLY)
    for content, is_told in ((whole, False), (whole[: whole.rindex(b"\n--")], True), (whole[: len(whole) // 2], True)):
        told = {(one.kind, one.file) for one in hold({"z.eml": content}).decide}
        assert (("damaged-mail", "in/z.eml") in told) == is_told


def test_what_one_task_says_of_a_run_of_another_is_in_no_letter(hold):
    hold({"EVIL/x.txt": made._labels("EVIL1", 0, 9), "EVIL/z.txt": "R07-01-U Y EVIL2\n\0\n"}, honest={}, task="3")
    text = Path("coliee.toml").read_text() + '[[task]]\ntask = "4"\ngold = "gold3"\n'
    Path("coliee.toml").write_text(text)
    day = day_of(read_edition("coliee.toml"))
    assert seen(day) == {"EVIL1": ("EVIL", "")}  # by Task 3, its articles are missing
    _, _, refused = letters(day)["EVIL"].get_content().partition("cannot be scored")
    assert "EVIL/z.txt" in refused and "EVIL/x.txt" not in refused


ALONE = {"answers.EVIL1": made._labels("EVIL1", 0, 9)}


@pytest.mark.parametrize(("files", "is_told"), [
    (ALONE, True),
    ({"labels.txt": ALONE["answers.EVIL1"]}, False),
    ({"labels.txt": ALONE["answers.EVIL1"], "task3.X": made._articles("X1", 0, 9)}, True),
    ({"task4.EVIL1": ALONE["answers.EVIL1"], "task3.X": made._articles("X1", 0, 9)}, False),
    ({**ALONE, "task3.EVIL1": made._articles("EVIL1", 0, 9)}, False),
    ({"t4.txt": ALONE["answers.EVIL1"], "task3.EVIL1": made._articles("EVIL1", 0, 9)}, True),
])  # fmt: skip
def test_answers_without_articles_are_not_taken_for_a_run_of_labels_in_silence(hold, files, is_told):
    sent = {"z.eml": mail("[submission] EVIL", files, EVIL, EARLY)}
    hold(sent, honest={}, task="3")
    Path("coliee.toml").write_text(Path("coliee.toml").read_text() + '[[task]]\ntask = "4"\ngold = "gold3"\n')
    day = day_of(read_edition("coliee.toml"))
    told = [one for one in day.decide if one.kind == "named-otherwise"]
    lines = letters(day)["EVIL"].get_content().splitlines()
    assert (len(told), any("Task 4" in line and "Task 3" in line for line in lines)) == (is_told, is_told)
    for one in told:
        Path("teams.csv").write_text(f"tag,team,status\n{one.file},EVIL,{one.status}\n")
        day = day_of(read_edition("coliee.toml"))
        assert seen(day)["EVIL1"] == ("EVIL", "withdrawn") and "named-otherwise" not in {one.kind for one in day.decide}
