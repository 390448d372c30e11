"""Who sent a run, and when: a mailbox of honest teams, and what dishonest ones send to pass for others, or early."""

import gzip
import re
import tarfile
from pathlib import Path
from typing import NamedTuple

import make_mailbox as made
import pytest
from honest import ARC, AS_KIS, DESCRIBED, EARLY, EVIL, EVIL1, KIS, LATE, LATER, asked, evil, letters, run, seen
from make_mailbox import mail
from packed import tarred

from coliee_ir.commands.edition.writing import write
from coliee_ir.inbox.teams import IN_DOUBT


def typed(headers):
    """A mail of EVIL with these headers besides."""
    head = f"From: {EVIL}\nSubject: [submission] EVIL\nMIME-Version: 1.0\n{headers}"
    part = 'Content-Type: text/plain; name="r.txt"\nContent-Disposition: attachment; filename="r.txt"'
    return {"z.eml": "\n".join([head.rstrip("\n"), part, "", EVIL1]).encode()}


def nested(n):
    """Headers of parts in each other."""
    return "".join(f'Content-Type: multipart/mixed; boundary="{at}"\n\n--{at}\n' for at in range(n))


def links(target):
    """An archive with a run, and links and devices."""
    entries = []
    for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE):
        entries.append(tarfile.TarInfo(f"link{kind!r}"))
        entries[-1].type, entries[-1].linkname = kind, target
    return tarred({"r.txt": EVIL1.encode()}, *entries)


AS_EVIL, AS_LATE, DOUBTED = ({"EVIL1": of} for of in (("EVIL", ""), ("EVIL", "late"), ("KIS", IN_DOUBT)))
FORGED = evil(subject="[submission] ARC", sender=ARC, received=[EARLY])["z.eml"]
CHEAT = {"d.txt": DESCRIBED.replace("BERT", "CHEAT")}
IN_KIS, AGAIN = made._zip({"KIS/run.txt": EVIL1}), {"a.txt": run("KIS9", 10)}
NESTED = {"x.zip": made._zip({"inner.zip": made._zip({"r.txt": EVIL1})})}
TWICE = {f"{n}.txt": made._FORM.format(1, "EVIL1", n) for n in "AB"}


#: names that look like another team's: letters of other scripts, what cannot be seen, small letters for capitals, dots
LOOK_ALIKE = (
    "K\u0406S", "\u041a\u0406\u0405", "K\u026aS", "\u13e6IS", "\ua4d7\ua4f2\ua4e2", "ARC\u200b", "KI\xadS",
    "KIS\ufe0f", "KIS\u3164", "K\u034fIS", "KIS\u2800", "KIS (Osaka)", "KlS", "K IS", "B.LUE", "BLUE/",
)  # fmt: skip


class Sent(NamedTuple):
    """What comes besides, the kinds of decisions that it brings (-kind: not), tag → team and status, rows of teams."""

    files: dict
    kinds: str = ""
    expected: dict = AS_EVIL
    rows: str = ""


ATTACKS = {
    "a forged mail in a late one": Sent(evil({"o.eml": FORGED}, LATE), "late forwarded", AS_LATE),
    "a forged mail of another team": Sent(evil({"o.eml": FORGED}), "forwarded"),
    "a mail that is forwarded within one": Sent(evil({}, LATE, forwards=FORGED), "late forwarded", AS_LATE),
    "a later mail in an early one": Sent(evil({"o.eml": evil(date=LATE)["z.eml"]}), "late forwarded", AS_LATE),
    "a mail in an archive in a folder": Sent({"EVIL/x.zip": made._zip({"o.eml": FORGED})}, "forwarded"),
    "a mail in an archive, named as in a store": Sent(evil({"x.zip": made._zip({"1": FORGED})}), "forwarded"),
    "an archive in an archive": Sent(evil(NESTED)),
    "the folder of another team in an archive": Sent(
        evil({"s.zip": IN_KIS}, LATE), "late team-list", AS_LATE, "KIS/,KIS,ranked\n"),
    "a path of the list in an archive": Sent({"EVIL/x.zip": IN_KIS}, "team-list", AS_EVIL, "KIS/run.txt,KIS,\n"),
    "a name of the list for a file in a mail": Sent(
        evil({"KIS9.txt": EVIL1}), "team-list", AS_EVIL, "KIS9.txt,KIS,withdrawn\n"),
    "the tag of another team": Sent(evil(AGAIN), "shared-tag team-list", {}, "KIS9,KIS,\n"),
    "a tag that looks like another team's": Sent(evil({"r.txt": run("K\u0406S9", 10)}), "shared-tag", {}),
    "a description of another team's run": Sent(evil(CHEAT), "undescribed", {}),
    "a description from nobody": Sent(evil(CHEAT, subject="our system"), "", {}),
    "a description under a team's name": Sent(evil(CHEAT, LATER, AS_KIS), "team-senders undescribed", {}),
    "a stranger's description of nobody's run": Sent(
        {"y.eml": mail("x", {"r.txt": run("NEMO1")}, "n@example.org", EARLY),
         **evil({"d.txt": made._FORM.format(2, "NEMO1", "CHEAT")}, subject="x")},
        "-named-otherwise", {"NEMO1": ("", "")}),
    "two descriptions of one run": Sent(evil({"r.txt": EVIL1, **TWICE}), "undescribed"),
    "another team's name": Sent(evil(subject="Re: [Submission] kis (corrected)"), "team-senders", DOUBTED),
    "a name of a team with a folder": Sent(
        evil(subject="[submission] BLUE"), "team-senders", {"EVIL1": ("BLUE", IN_DOUBT)}),
    "the same, vouched for by the list": Sent(
        evil(subject="[submission] BLUE"), "", {"EVIL1": ("BLUE", "")}, "in/z.eml,BLUE,\n"),
    "a look-alike name that the list settles": Sent(evil(subject="[submission] K\u0406S"),
        "-team-list -look-alike -team-senders", {"EVIL1": ("KIS", "")}, "in/z.eml,KIS,\n"),
    "a team's name without a sender": Sent(evil(None, EARLY, AS_KIS, ""), "team-senders", DOUBTED),
    "another team's name in the folder of a third": Sent(
        {"ARC/z.eml": evil(subject=AS_KIS)["z.eml"]}, "team-senders", DOUBTED),
    "a correction": Sent(evil(AGAIN, LATER, AS_KIS, KIS), "replaces -team-senders", {"KIS9": ("KIS", "")}),
    "a correction by somebody else": Sent(evil(AGAIN, LATER, AS_KIS), "team-senders -replaces", {}),
    "two names of one sender": Sent(
        {**evil(), "y.eml": mail("[submission] GOOD", {"r.txt": run("GOOD1")}, EVIL, EARLY)},
        "sender-teams", {**AS_EVIL, "GOOD1": ("GOOD", "")}),
    "one name, composed in two ways": Sent(
        {f"{n}.eml": mail(f"[submission] Z{u}rich", {"r.txt": run(f"Z{n}", n)}, "z@example.org", EARLY)
         for n, u in ((4, "\u00fc"), (5, "u\u0308"))},
        "-look-alike -team-senders -sender-teams", {"Z4": ("Z\u00fcrich", ""), "Z5": ("Z\u00fcrich", "")}),
    "no name, and another's address": Sent(evil(subject="our run", sender=KIS), "team-sender", {"EVIL1": ("KIS", "")}),
    "no date": Sent(evil(date=""), "undated"),
    "no date, and a row that says when": Sent(evil(date=""), "-undated", AS_EVIL, "in/z.eml,EVIL,ranked\n"),
    "no server's line, where others have one": Sent(
        {**evil(), "y.eml": mail("[submission] GOOD", {"r.txt": run("GOOD1")}, "good@example.org", EARLY, [EARLY])},
        "undated", {**AS_EVIL, "GOOD1": ("GOOD", "")}),
    "a forged date behind a server's broken line": Sent(evil(received=["yesterday", LATE]), "late undated", AS_LATE),
    "a time behind that of the server": Sent(evil(received=[f"{LATE} (envelope-from <a;{EARLY}>)"]), "late", AS_LATE),
    "a time of its own in a server's line": Sent(
        typed(f"Received: from x; {EARLY} by mx; {LATE}\nDate: {EARLY}"), "late", AS_LATE),
    "two dates, of which the later counts": Sent(typed(f"Date: {EARLY}\nDate: {LATE}"), "late doubled-header", AS_LATE),
    "two subjects": Sent(typed(f"Subject: {AS_KIS}\nDate: {EARLY}"), "doubled-header"),
    "two senders": Sent(typed(f"From: {KIS}\nDate: {EARLY}"), "doubled-header"),
    "a date without a zone": Sent(typed("Date: 20 Jan 2027 23:00:00"), "undated"),
    "a zone in the west": Sent(typed("Date: 20 Jan 2027 23:00:00 -1200"), "late", AS_LATE),
    "a date that is none": Sent(typed("Date: 31 Dec 9999 23:59:59 -1200"), "undated"),
    "the name of another mail": Sent(evil({"../01.eml/a.txt": EVIL1})),
    "links out of an archive": Sent(evil({"a.tar": links("../../gold.json")}), "passed-over"),
    "names that lead out of an archive": Sent(
        evil({"a.zip": made._zip({"..\\01.eml\\a.txt": EVIL1, "r.txt": EVIL1})}), "passed-over"),
    "what unpacks to 300 MiB": Sent(evil({"a.gz": gzip.compress(bytes(300 << 20), 1), "r.txt": EVIL1})),
    "a withdrawn run, sent again": Sent(
        {**evil(), "y.eml": evil({"s.txt": run("EVIL1", 9)}, LATER)["z.eml"]},
        "shared-tag", {"EVIL1": ("EVIL", "withdrawn")}, "EVIL1,EVIL,withdrawn\n"),
    "files named as the organiser's": Sent(
        evil({"teams.csv": "tag,team,status\nKIS9,KIS,withdrawn\n", "gold1": '{"000001": ["000701"]}', "r": EVIL1})),
    "a late copy under its team's name": Sent(
        {"00.eml": mail("[submission] kis", {"a.txt": run("KIS9", 8)}, EVIL, LATE)}, "team-senders", {}),
    "the run again, after the deadline": Sent({"00.eml": mail(AS_KIS, {"a.txt": run("KIS9", 8)}, KIS, LATE)}, "", {}),
    "what another team's settled decision says": Sent(
        evil(subject="[submission] EVIL abcd"), "undescribed", {"EVIL1": ("EVIL abcd", "")}),
    "a subject with programs' words": Sent(evil(subject="[EXTERNAL] AW: Re[2]: [submission] EVIL")),
    "endless headers": Sent(
        {"z.eml": evil()["z.eml"].replace(b"EVIL\n", b"EVIL" + b" =?utf-8?q?a?=" * 9000 + b"\n", 1)}, "refused", {}),
    "a mail of 500 parts in each other": Sent(typed(f"Date: {EARLY}\n{nested(500)}")),
    "and of 1200": Sent(typed(f"Date: {EARLY}\n{nested(1200)}"), "refused", {}),
    "a mail that is cut short": Sent({"z.eml": evil()["z.eml"].rpartition(b"\n--")[0]}, "damaged-mail"),
    "and one that is cut within its run": Sent({"z.eml": evil()["z.eml"][:500]}, "damaged-mail", {}),
    "an unknown encoding": Sent({"z.eml": evil()["z.eml"].replace(b"base64", b"\xff\xfe\0x-odd")}, "", {}),
    "a folder that is called as another team's": Sent(
        {"EVIL/BLUE/x.txt": EVIL1}, "undescribed", AS_EVIL, "BLUE/,BLUE,\n"),
    "another team's tag in such a folder": Sent(
        {"EVIL/blue/run.txt": run("BLUE1", 2)}, "shared-tag", {}, "BLUE/run.txt,BLUE,ranked\n"),
    "a mail beside the files of another team": Sent({"PUB/run.txt": EVIL1, "PUB/m.eml": mail(
        "[submission] ARC", {"x": run("ARC9")}, ARC, EARLY)}, "team-list", {"EVIL1": ("PUB", "")}),
    "a run of another task": Sent({"EVIL/task5.EVIL1": "R07-01-O Y EVIL1\n"}, "passed-over", {}),
    "a row without a team": Sent({"EVIL/run.txt": EVIL1}, "team-list", AS_EVIL, "EVIL1,,disqualified\n"),
    "two tags in a file": Sent({"EVIL/run.txt": EVIL1 + run("EVIL2")}, "tag"),
    "two runs of one tag in a file": Sent({"EVIL/run.txt": EVIL1 + run("EVIL1")}, "ungrouped"),
    "ids that have lost their zeros": Sent({"EVIL/run.txt": re.sub(" 0+", " ", EVIL1, count=2)}, "lost-zeros"),
    "a copy with one answer more": Sent({"EVIL/run.txt": run("EVIL1", 7) + "999999 000001 EVIL1\n"}, "same-answers"),
    **{f"{one} and {other}": Sent({f"{team}/r.txt": run(team) for team in (one, other)},
                                  kind, {team: (team, "") for team in (one, other)})
       for one, other, kind in (("NOVVJ", "NOWJ", "look-alike"), ("Carnel", "Camel", "look-alike"),
                                ("Lion", "Camel", "-look-alike"))},
    **{f"{what} {name!r}": Sent(files, "look-alike", {"EVIL1": (name.encode("ascii", "backslashreplace").decode(), "")})
       for name in LOOK_ALIKE for what, files in (
           ("a mail of", evil(subject=f"[submission] {name}")), ("a folder", {f"{name}/r.txt": EVIL1}))
       if what == "a mail of" or "/" not in name},
}  # fmt: skip

#: of what an honest mailbox asks nothing
OF_SENDERS = {"look-alike", "team-senders", "sender-teams", "team-sender", "undated", "forwarded", "team-list",
              "damaged-mail"}  # fmt: skip


@pytest.mark.parametrize("attack", ATTACKS)
def test_an_attack_harms_no_honest_team_and_is_told(hold, attack):
    files, kinds, expected, rows = ATTACKS[attack]
    before = hold({})
    assert not asked(before) & OF_SENDERS
    day = hold(files, rows)
    found = seen(day)
    # of runs of several senders none is chosen; what lies in a folder is the team's
    open_files = {one.file for one in day.decide if one.kind == "team-senders"}
    honest = {entry.tag: (entry.team, entry.status) for board in day.boards for entry in board.entries
              if entry.file.removeprefix("in/") in {"01.eml/a.txt", "02.eml/a.txt", "BLUE/run.txt"}}  # fmt: skip
    assert honest == {**seen(before), "KIS9": ("KIS", IN_DOUBT * ("in/01.eml" in open_files))}
    earlier, now = ({one.file: one.scores.measures for one in of.boards[0].entries} for of in (before, day))
    assert earlier.items() <= now.items()
    assert {tag: found.get(tag) for tag in expected} == expected
    approaches = {entry.tag: board.description(entry) for board in day.boards for entry in board.entries}
    assert "CHEAT" not in str(approaches) and "BERT" in str(approaches["KIS9"])
    known = {(one.kind, one.team) for one in before.decide}
    told = {one.kind for one in day.decide if (one.kind, one.team) not in known}
    for kind in kinds.split():
        assert (kind.removeprefix("-") in told) != kind.startswith("-"), kind
    assert kinds or not told & {"look-alike", "team-senders"}  # what the list says is not asked
    sent = letters(day)
    if found.get("EVIL1", ("EVIL", ""))[0] not in ("KIS", "ARC", "BLUE"):  # who did not send it is told nothing of it
        assert all("EVIL" not in sent[team].as_string() for team in ("KIS", "ARC", "BLUE"))
    for team, of_team, of in (("KIS", KIS, "01"), ("ARC", ARC, "02")):  # nor is a letter written to a stranger
        stranger = f"{EVIL}, " * (found.get("EVIL1") == (team, "") and not {"team-senders", "team-sender"} & told)
        assert sent[team]["To"] == (None if f"in/{of}.eml" in open_files else stranger + of_team)


#: what is written out where the team, the tag, the file or the description is such a text
HOSTILE = (
    "<script>alert(1)</script>", "</svg><img/src=x/onerror=alert(1)>", r"\input{/etc/passwd}\write18{id}$^_%&#~",
    "^^5cinput^^7bx^^7d", '=HYPERLINK("http://e.example","x")', "@SUM(1+1)*cmd", "a|b`c`[x](http://e.example)",
    "::error::x", "\u202eSIK\u2066", "__proto__",
)  # fmt: skip
TURNED = "[\u202a-\u202e\u2066-\u2069]|root:x:"
#: ending of a file → what is not in it
FORBIDDEN = {
    ".html": rf"{TURNED}|<script>alert|<img|[>,](=HYP|@SUM)[^<]*,ranked", ".md": TURNED,
    ".tex": rf"{TURNED}|\\(input\{{/|write18)|\^\^5c", ".eml": rf"{TURNED}|(?m:^(Bcc|Cc|::))",
}  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_of_a_sender_is_more_than_text(hold, text):
    word = text.replace(" ", "").replace("/", "\u2215")
    files = {f"{word}.txt": run(word, 9), "r.txt": EVIL1, "d.txt": made._FORM.format(1, "EVIL1", text)}
    day = hold(evil(files, subject=f"[submission] {text}"))
    assert seen(day).keys() >= {"KIS9", "ARC1", "BLUE1", "EVIL1"}
    write(day, Path("out"))
    for path in Path("out").rglob("*.*"):
        content = path.read_bytes().decode("utf-8", "replace")
        assert path.suffix not in FORBIDDEN or not re.search(FORBIDDEN[path.suffix], content), path


@pytest.mark.parametrize("name", [".", "-", "..", "\u2013", "?", "_", "(v2)", "\u200b", "-/"])
@pytest.mark.parametrize("rows", ["", ",-,withdrawn\n"])
def test_a_name_without_a_letter_is_nobodys(hold, name, rows):
    """Each sender is one by itself; so is what lies beside the mails."""
    files = {"-/r.txt": EVIL1} if name == "-/" else evil(subject=f"[submission] {name}")
    files["y.eml"] = mail("our run", {"r.txt": run("EVIL2", 4)}, "other@example.org", EARLY)
    day = hold({**files, "z.txt": run("NOBODY1", 9)}, rows)
    nobodys = {"EVIL1", "EVIL2", "NOBODY1"}
    assert {tag for tag, of in seen(day).items() if of == ("", "")} == nobodys
    assert {one.run for one in day.decide if one.kind == "team-list"} >= nobodys
    assert letters(day).keys() == {"KIS", "ARC", "BLUE"}


@pytest.mark.parametrize(
    "sender", ["a@[", '"a', "<>", "=?utf-8?q?=0Ax?= <x y@z>", "名@例.jp", "\xff@x.y", "a@b\nBcc: z@z"]
)
def test_no_address_stops_an_edition_or_adds_a_header(hold, sender):
    found = letters(hold({"z.eml": evil()["z.eml"].replace(EVIL.encode(), sender.encode(), 1)}))
    # of a mail that cannot be read, none
    assert {"KIS", "ARC", "BLUE"} <= found.keys() <= {"KIS", "ARC", "BLUE", "EVIL"}
    assert all(letter["Bcc"] is None and letter["To"] in (None, KIS, ARC, "a@b") for letter in found.values())


def test_a_team_is_spelt_as_the_list_says_or_most_of_its_runs_are(hold):
    files = {"0.eml": evil(None, "18 Jan 2027 10:00:00 +0000", "[submission] Kis")["z.eml"],
             "9.eml": mail(AS_KIS, {"b.txt": run("KIS8")}, KIS, EARLY)}  # fmt: skip
    for rows, spelling in (("", "KIS"), (",kIS,\n", "kIS")):
        assert [seen(hold(files, rows))[tag][0] for tag in ("KIS9", "KIS8", "EVIL1")] == [spelling] * 3
    for names in (("1.eml", "2.eml"), ("2.eml", "1.eml")):  # the names of mail files decide nothing
        files = {name: mail(f"[submission] {text}", {"r.txt": run(f"{text}1", right)}, "case@example.org", EARLY)
                 for name, text, right in zip(names, ("Case", "CASE"), (0, 1), strict=True)}  # fmt: skip
        assert {seen(hold(files))[f"{text}1"][0] for text in ("Case", "CASE")} == {"CASE"}


def test_a_mail_in_the_folder_of_its_team_is_the_teams(hold):
    day = hold({"KIS/z.eml": evil(subject=AS_KIS)["z.eml"]})
    assert seen(day)["EVIL1"] == ("KIS", "")
    assert "in/KIS/z.eml" not in {one.file for one in day.decide if one.kind == "team-senders"}
    late = {"../late.eml": mail("[submission] LATE", {"r.txt": run("LATE1")}, "l@example.org", EARLY)}
    assert seen(hold(late, mailbox='["in", "late.eml"]')) == {**seen(hold({})), "LATE1": ("LATE", "")}


ARTICLES, ANSWERS = {"task3.K1": made._articles("K1", 0, 8)}, {"answers.K1": made._labels("K1", 0, 2)}
LONG = {"task3-L.K1": "".join(f"R07-{n:02}-U Q0 {n + k} {k + 1} {1 / (k + 1)} K1\n"
                              for n in range(1, 17) for k in range(100))}  # fmt: skip
FIRST, REST = ({f"{name}.txt": "".join(run("KIS9").splitlines(True)[part])}
               for name, part in (("a", slice(8)), ("b", slice(8, 10))))  # fmt: skip


@pytest.mark.parametrize("sender", [("[submission] kis", EVIL), ("our run", EVIL), ("[submission] kis", "")])
@pytest.mark.parametrize(("year", "tasks", "parts", "whole"), [
    (2026, "3", (ARTICLES, ANSWERS), []), (2025, "3", (ARTICLES, LONG), [1]), (2026, "1", (FIRST, REST), None),
])  # fmt: skip
def test_the_parts_of_a_run_come_from_one_sender(hold, year, tasks, parts, whole, sender):
    def lengths(who, rows=""):
        mails = (mail(subject, files, address, EARLY)
                 for files, (subject, address) in zip(parts, ((AS_KIS, KIS), who), strict=True))  # fmt: skip
        day = hold({f"{n}.eml": one for n, one in enumerate(mails)}, rows, {}, year=year, tasks=tasks)
        runs = [len(entry.files) for board in day.boards for entry in board.entries if entry.team == "KIS"]
        return sorted(runs), asked(day) & {"team-senders", "team-list"}

    assert lengths((AS_KIS, KIS)) == ([2], set())
    of_two, told = lengths(sender)
    assert of_two == ([1] * (1 + sender[0].endswith("kis")) if whole is None else whole) and told
    # the teams file says whose they are
    assert lengths(sender, "in/0.eml,KIS,\nin/1.eml,KIS,\n")[0] == [2]
