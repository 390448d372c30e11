"""What comes is read, or told of: to a person who decides, once, and to who sent it, of its own files alone."""

import json
import mailbox
import re
from dataclasses import replace
from pathlib import Path

import make_mailbox as made
import pytest
from honest import AS_KIS, DESCRIBED, EARLY, EVIL, EVIL1, KIS, LATE, LATER, asked, evil, letters, mails, run, seen
from make_mailbox import mail
from sent import write

from coliee_adapters.files.source import Source
from coliee_ir import evaluate_all
from coliee_ir.commands.edition import writing
from coliee_ir.commands.edition.config import Public
from coliee_ir.commands.edition.desk import pages
from coliee_ir.inbox.teams import IN_DOUBT

EVIL_MAIL = evil()["z.eml"]
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
    "no attachments": ("z.eml", evil({}, subject="our run")["z.eml"], False),
    "no attachments, of a team with runs": ("z.eml", evil({}, LATER, AS_KIS, KIS)["z.eml"], False),
}  # fmt: skip


@pytest.mark.parametrize("place", ["{}", "BLUE/{}", "EVIL.zip"])  # as saved by the organiser, or packed by a team
@pytest.mark.parametrize("case", SAVED)
def test_no_mail_is_lost(hold, case, place):
    name, content, is_read = SAVED[case]
    day = hold({place.format(name): made._zip({name: content}) if place.endswith("zip") else content})
    assert seen(day).get("EVIL1") == (("EVIL", "") if is_read else None)
    told = {one.kind for one in day.decide if f"in/{place.format(name)}" in (one.file + str(one.what))}
    assert bool(told & {"refused", "passed-over"}) != is_read


GOLD = {f"{n:06}": [f"{n + 500:06}"] for n in range(1, 11)}
LABELS = json.dumps(dict.fromkeys(GOLD, ("000701",)))

#: a file that is passed over → whether it may be a run
PASSED_OVER = {
    "a run that is named as a gold": ("task1_test_labels_2026.json", LABELS, True),
    "a run that is named as notes": ("notes.txt", run("E1", 3), True),
    "a run that is named as a log": ("run.log", run("E1", 3), True),
    "a run that looks like a table of scores": (
        "a.csv", "team,query,document\n" + "".join(f"EVIL,{query},000501\n" for query in GOLD), True),
    "the run of a tag, in another file of other queries": (
        "b.txt", run("EVIL2", 5).replace("\n0000", "\n0020").replace("000001", "002001"), True),
    "what a mail program packed": ("winmail.dat", b"\x78\x9f\x3e\x22" + bytes(range(256)) * 30, True),
    "a picture": ("figure.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256)), False),
    "a mail behind other lines": ("1705.M1", b"HTTP/1.1 200 OK\n" + EVIL_MAIL, True),
    "a readme with an example": ("README.txt", "Lines are like this:\n000001 000501 EVIL2\n", False),
    "scores": ("scores.csv", "rank,run,accuracy\n1,a,0.5\n", False),
    "another year's gold": ("task1_train_labels_2020.json", LABELS.replace('"0000', '"0090'), False),
}  # fmt: skip


@pytest.mark.parametrize("case", PASSED_OVER)
def test_a_file_that_may_be_a_run_is_told_of(hold, case):
    name, content, may_be_run = PASSED_OVER[case]
    files = {"EVIL/a.txt": run("EVIL2", 5), f"EVIL/{name}": content}
    day = hold(files)
    assert [one.kind for one in day.decide if one.file == f"in/EVIL/{name}"] == ["passed-over"] * may_be_run
    (line,) = re.findall(rf"(?m)^  EVIL/{name}.*", letters(day)["EVIL"].get_content())
    assert ("not scored" in line) == may_be_run and not re.search("gold|judge", line)
    assert "passed-over" not in asked(hold(files, f"EVIL/{name},EVIL,withdrawn\n"))


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
    nameless = b'Content-Disposition: attachment; filename=""\n'
    day = hold({"z.eml": evil({**files, **more})["z.eml"].replace(nameless, b"")})
    assert ("EVIL1" in seen(day), "EVIL2" in seen(day)) == (is_read, bool(more))
    assert {one.team for one in day.decide if one.kind in ("passed-over", "refused")} == {"EVIL"} - {"EVIL" * is_read}
    letter = letters(day)["EVIL"]
    assert letter["To"] == EVIL
    assert len(re.findall(r"(?m)^  z\.eml/.*20\d\d-", letter.get_content())) == 1 + len(more)


def test_attachments_of_one_name_are_numbered(hold):
    day = hold(evil({f"{folder}r.txt": run(f"EVIL{n}", n) for n, folder in enumerate(("", "x/", "y/"), 1)}))
    files = {entry.tag: entry.file for entry in day.boards[0].entries if entry.team == "EVIL"}
    assert files == {"EVIL1": "in/z.eml/r.txt", "EVIL2": "in/z.eml/r (2).txt", "EVIL3": "in/z.eml/r (3).txt"}


def test_a_crowd_that_is_taken_out_spoils_no_other_mail(hold):
    crowd = evil({f"{n}.txt": f"{n:06} 000001 C{n}\n" for n in range(501)}, LATER, AS_KIS, KIS)
    assert "KIS9" not in seen(hold(crowd))
    assert seen(hold(crowd, "in/z.eml,KIS,withdrawn\n"))["KIS9"] == ("KIS", "")


def test_a_run_has_one_name_from_a_store_and_from_mails(here):
    plain = (
        b"Subject: our runs\nFrom: b@example.org\nDate: 19 Jan 2027 10:00:00 +0000\nMIME-Version: 1.0\n"
        b'Content-Type: text/plain; name="run.txt"\nContent-Disposition: attachment; filename="run.txt"\n\n'
    )
    text = "From 000501 BM26\n>From 000501 BM26\n" + run("BM26")
    sent = [mail("our runs", {"run.txt": run("BM25", right)}, f"{right}@example.org", EARLY) for right in (3, 9)]
    sent.append(plain + text.encode())
    write({f"mails/{n}.eml": one for n, one in enumerate(sent)})
    box = mailbox.mbox("all.mbox")
    for one in sent:
        box.add(re.sub(rb"(?m)^(>+From )", rb">\1", one))  # as programs do that Python's writer leaves it to
    box.close()
    assert {Source(name).text() for name in ("mails/2.eml/run.txt", "all.mbox/3/run.txt")} == {text}
    for teams in (None, {}):
        of_mails, of_store = (
            [(one.name, one.team, one.measures) for one in evaluate_all(GOLD, given, task="1", teams=teams)]
            for given in ("mails", "all.mbox")
        )
        assert of_mails == of_store and [name for name, _, _ in of_mails] == ["BM25", "BM25 (2)", "BM26"]


def test_a_letter_says_nothing_of_other_teams(hold):
    day = hold({
        "AAA/our_run.txt": run("KIS9", 8),  # KIS's file, in a folder that is sorted before its mail
        "AAA/empty.txt": "", "BLUE/empty.txt": "", "AAA/r.txt": run("ARC1", 3),
    })  # fmt: skip
    for team, letter in letters(day).items():
        said = re.sub("KIS9|ARC1", "", letter.as_string())  # the tags that AAA's files have
        assert not [other for other in {"KIS", "ARC", "BLUE", "AAA"} - {team} if other in said], team
    told = {one.file for one in day.decide if one.kind in ("same-file", "shared-tag")}
    assert told & {"in/01.eml/a.txt", "in/AAA/our_run.txt"} and not any("empty.txt" in file for file in told)


def letters_by_sender(day):
    """What whose receipt begins its files with → all that is written to it."""
    day = day._replace(edition=replace(day.edition, phase="results"))
    names = (Path(name).name for name, content in pages(day).items() if isinstance(content, bytes))
    written = {}
    for name, one in zip(names, mails(day), strict=True):
        written[name] = written.get(name, "") + one.get_content()
    places = {"01.eml/": KIS, "02.eml/": "ARC", "z.eml/": EVIL, "BLUE/": "BLUE"}
    return {places[re.search(r"\n  (.*?/)", text)[1]]: text for text in written.values()}


@pytest.mark.parametrize("sender", [EVIL, ""])
@pytest.mark.parametrize(("team", "tag", "own", "right"), [("KIS", "KIS9", KIS, 8), ("BLUE", "BLUE1", "BLUE", 6)])
def test_a_letter_tells_a_sender_of_its_own_files_alone(hold, team, tag, own, right, sender):
    more = {f"{n}.txt": run(f"W{n}", n) for n in range(4)}
    for files in ({"a.txt": run(tag, 10)}, {"a.txt": run(tag, right)}, more):
        day = hold(evil(files, LATER, f"[submission] {team}", sender))
        status = {entry.file: entry.status for board in day.boards for entry in board.entries}
        assert status[f"in/z.eml/{next(iter(files))}"] == IN_DOUBT and "many-runs" not in asked(day)
        found = letters_by_sender(day)
        assert found.keys() >= {own, EVIL}
        for whose, text in found.items():
            is_strangers = whose == EVIL
            assert not re.search(r"(?<!\w)in/|same run tag|copy of", text)
            assert text.count("MicroF1") == (len(files) if is_strangers else 1)
            assert ("W1" in text) == (is_strangers and files is more)


@pytest.mark.parametrize(("row", "is_asked", "to"), [
    ("", True, {KIS}), ("z.eml,KIS,disqualified\n", False, {KIS, EVIL}), ("z.eml,KIS,\n", False, {f"{KIS}, {EVIL}"}),
])  # fmt: skip
def test_a_mail_without_a_run_takes_no_team_out(hold, row, is_asked, to):
    day = hold(evil({}, LATER, AS_KIS), row)
    assert seen(day)["KIS9"] == ("KIS", "") and ("team-senders" in asked(day)) == is_asked
    assert {one["To"] for one in mails(day) if "KIS" in one["Subject"]} - {None} == to


def results_by_sender(day, folder):
    """Who is written to → all that a letter of results says of KIS; and what the site and the paper say."""
    day = day._replace(edition=replace(day.edition, phase="results", public=Public(figures=False)))
    writing.write(day, Path(folder))
    public = "".join(path.read_text() for room in ("public", "paper") for path in Path(folder, room).glob("*.[ht]*"))
    return {one["To"]: one.get_content() for one in mails(day) if "KIS" in one["Subject"]}, public


@pytest.mark.parametrize("files", [{"r.txt": EVIL1}, {"r.txt": EVIL1, "d.txt": DESCRIBED}])
@pytest.mark.parametrize("team", ["KIS", "BLUE"])
@pytest.mark.parametrize("is_own", [False, True])
def test_the_row_of_the_desk_settles_whose_a_mail_is(hold, team, files, is_own):
    sent = evil(files, subject=f"[submission] {team}")
    day = hold(sent)
    rows = {one.file: one for one in day.decide if one.kind == "team-senders"}
    assert rows.keys() == {"in/z.eml", *["in/01.eml"] * (team == "KIS")}
    assert not any(one.is_settled([one.key, one.kind, one.key.rpartition(" ")[0]]) for one in rows.values())
    _, public = results_by_sender(day, "before")
    assert "EVIL1" not in public and "ARC1" in public
    own, other = re.findall(r"<td>(z\.eml,[^<]*disqualified)", pages(day)["index.html"])[0].split(" or ")
    day = hold(sent, f"{own}\n01.eml,KIS,\n" if is_own else f"{other}\n")
    assert "team-senders" not in asked(day)
    assert (seen(day)["EVIL1"], seen(day)["KIS9"]) == ((team, "" if is_own else "disqualified"), ("KIS", ""))
    found, public = results_by_sender(day, "after")
    assert ("EVIL1" in public) == is_own and "KIS9" in public
    if team == "KIS":  # two letters, or one to both that the teams file lists
        assert {to: ("KIS9" in text, "EVIL1" in text) for to, text in found.items()} == (
            {f"{EVIL}, {KIS}": (True, True)} if is_own else {KIS: (True, False), EVIL: (False, True)}
        )


def test_what_the_list_of_teams_decides_is_asked_no_more(hold):
    files = {f"EVIL/{name}.txt": of for name, of in (
        ("best", EVIL1), ("same", run("EVIL2", 8)), ("broken", "000001 000501\n\0\n"))}  # fmt: skip
    kinds = {"perfect-score", "same-answers", "refused"}
    assert asked(hold(files)) >= kinds
    day = hold(files, "".join(f"{name},EVIL,withdrawn\n" for name in files))
    assert not asked(day) & kinds
    assert [one.team for one in day.decide] == sorted(one.team for one in day.decide)


@pytest.mark.parametrize("again", ["answers", "articles", "both, one after another"])
def test_a_part_that_is_mailed_again_replaces_that_part(hold, again):
    whole = {"task3.K1": made._articles("K1", 0, 8), "answers.K1": made._labels("K1", 0, 2)}
    articles, answers = {"task3.K1": made._articles("K1", 0, 9)}, {"answers.K1": made._labels("K1", 0, 4)}
    later = {"answers": [answers], "articles": [articles]}.get(again, [answers, articles])
    times = (EARLY, LATER, "20 Jan 2027 12:00:00 +0000")
    sent = {f"{n}.eml": mail(AS_KIS, part, KIS, time)
            for n, (part, time) in enumerate(zip([whole, *later], times, strict=False))}  # fmt: skip
    day = hold(sent, honest={}, tasks="3")
    assert not asked(day) & {"refused", "shared-tag"} and set(seen(day).values()) == {("KIS", "")}
    assert [len(entry.files) for entry in day.boards[0].entries] == [2, 2]
    (row,) = (f"{one.file},{one.team},{one.status}\n" for one in day.decide if one.kind == "replaces")
    day = hold(sent, row, {}, tasks="3")
    assert not asked(day) & {"replaces", "refused", "shared-tag", "status"}
    once = {name: of for part in (whole, *later) for name, of in part.items()}
    (expected,) = hold(evil(once, EARLY, AS_KIS, KIS), honest={}, tasks="3").boards[0].counted
    assert [one.scores.measures for one in day.boards[0].counted] == [expected.scores.measures]


def test_a_correction_is_told_as_long_as_it_is_open(hold):
    again = evil({"b.txt": run("KIS9", 10)}, LATER, AS_KIS, KIS)
    for row, is_open in (("", True), ("in/01.eml/a.txt,KIS,replaced by KIS9\n", False)):
        text = letters(hold(again, row))["KIS"].get_content()
        assert ("z.eml/b.txt, of the same" in text, "replaced by KIS9" in text) == (is_open, not is_open)
    keys = [one.key for one in hold(again).decide if one.kind == "replaces"]
    assert "of the same" not in letters(hold(again, settled=keys))["KIS"].get_content()


def test_what_settles_a_teams_runs_settles_no_strangers(hold):
    own, foreign = ({f"{n}.txt": run(f"{tag}{n}", n) for n in range(4)} for tag in "KE")
    files = {"01.eml": mail(AS_KIS, own, KIS, EARLY)}
    (key,) = (one.key for one in hold(files).decide if one.kind == "many-runs")
    day = hold({**files, **evil(foreign, EARLY, AS_KIS)}, "in/01.eml,KIS,\n", settled=[key, key[:-5]])
    assert [seen(day)[f"{tag}{n}"][1] for tag in "KE" for n in range(4)] == [""] * 4 + [IN_DOUBT] * 4


@pytest.mark.parametrize(("n", "is_long"), [(5, False), (20, False), (21, True), (400, True)])
def test_a_run_whose_lists_are_too_long_is_asked_about(hold, n, is_long):
    articles = "".join(f"R07-{q:02}-U Q0 {k} {k} {1 / k} K1\n" for q in range(1, 17) for k in range(1, n + 1))
    files = evil({"task3.K1": articles, "answers.K1": made._labels("K1", 0, 2)}, EARLY, AS_KIS, KIS)
    told = [one for one in hold(files, honest={}, tasks="3").decide if one.kind == "everything"]
    assert [(one.team, one.run) for one in told] == [("KIS", "K1")] * is_long
    for one in told:
        day = hold(files, f"{one.file},KIS,{one.status}\n", {}, tasks="3")
        assert not day.boards[0].counted and "everything" not in asked(day)
        assert "precision" not in "".join(letter.get_content() for letter in letters(day).values())


@pytest.mark.parametrize(("date", "kind"), [("", "undated"), (LATE, "late"), (EARLY, "perfect-score")])
def test_what_is_settled_of_one_file_is_not_settled_of_the_next(hold, date, kind):
    first = {"y.eml": evil(date=date)["z.eml"]}
    keys = [one.key for one in hold(first).decide]
    assert any(key.startswith(kind) for key in keys)
    day = hold({**first, **evil({"s.txt": EVIL1 + "\n"}, date)}, settled=keys)
    assert [one.file[:8] for one in day.decide if one.kind == kind] == ["in/z.eml"]


def test_what_another_task_says_of_a_run_is_in_no_letter(hold):
    files = {"EVIL/x.txt": made._labels("EVIL1", 0, 9), "EVIL/z.txt": "R07-01-U Y EVIL2\n\0\n"}
    day = hold(files, honest={}, tasks="34")
    assert seen(day) == {"EVIL1": ("EVIL", "")}  # by Task 3, its articles are missing
    _, _, refused = letters(day)["EVIL"].get_content().partition("cannot be scored")
    assert "EVIL/z.txt" in refused and "EVIL/x.txt" not in refused


LABELLED, OTHERS = made._labels("EVIL1", 0, 9), {"task3.X": made._articles("X1", 0, 9)}
ITS_ARTICLES = {"task3.EVIL1": made._articles("EVIL1", 0, 9)}


@pytest.mark.parametrize(("name", "more", "is_told"), [
    ("answers.EVIL1", {}, True), ("answers.EVIL1", ITS_ARTICLES, False), ("labels.txt", {}, False),
    ("labels.txt", OTHERS, True), ("task4.EVIL1", OTHERS, False), ("t4.txt", ITS_ARTICLES, True),
])  # fmt: skip
def test_answers_without_articles_are_asked_about(hold, name, more, is_told):
    sent = evil({name: LABELLED, **more})
    day = hold(sent, honest={}, tasks="34")
    told = [one for one in day.decide if one.kind == "named-otherwise"]
    lines = letters(day)["EVIL"].get_content().splitlines()
    assert (len(told), any("Task 4" in line and "Task 3" in line for line in lines)) == (is_told, is_told)
    for one in told:
        day = hold(sent, f"{one.file},EVIL,{one.status}\n", {}, tasks="34")
        assert seen(day)["EVIL1"] == ("EVIL", "withdrawn") and "named-otherwise" not in asked(day)
