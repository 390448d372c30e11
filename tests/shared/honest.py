"""A mailbox of three honest teams, what a stranger sends besides, and what an edition makes of both."""

from email import message_from_bytes
from email.policy import default

import make_mailbox as made
from make_mailbox import mail

from coliee_ir.commands.edition.desk import pages

QUERIES = range(1, 11)
EARLY, LATER, LATE = (f"{day} Jan 2027 10:00:00 +0000" for day in (19, 20, 22))
KIS, ARC, EVIL = "kis@example.org", "arc@example.org", "evil@example.net"
AS_KIS = "[submission] KIS"
DESCRIBED = made._FORM.format(1, "KIS9", "BERT (2024-01-01)")


def run(tag, right=5):
    return "".join(f"{n:06} {n + (500 if n <= right else 700):06} {tag}\n" for n in QUERIES)


EVIL1 = run("EVIL1", 10)
HONEST = {
    "01.eml": mail(AS_KIS, {"a.txt": run("KIS9", 8), "d.txt": DESCRIBED}, KIS, EARLY),
    "02.eml": mail("[submission] ARC", {"a.txt": run("ARC1", 7)}, ARC, EARLY),
    "BLUE/run.txt": run("BLUE1", 6),
}


def evil(files=None, date=EARLY, subject="[submission] EVIL", sender=EVIL, **more):
    """A mail of a stranger: of its own run, if nothing else is said."""
    return {"z.eml": mail(subject, {"r.txt": EVIL1} if files is None else files, sender, date, **more)}


def seen(day):
    """Tag → team and status of each ranked or shown run."""
    return {entry.tag: (entry.team, entry.status) for board in day.boards for entry in board.entries}


def asked(day):
    """The kinds of the open decisions."""
    return {one.kind for one in day.decide}


def mails(day):
    """What is written to teams."""
    return [message_from_bytes(one, policy=default) for one in pages(day).values() if isinstance(one, bytes)]


def letters(day):
    """Team → the receipt that is written for it; of several senders of its name, for one with an address."""
    return {one["Subject"].split()[-1]: one for one in sorted(mails(day), key=lambda one: one["To"] is not None)}
