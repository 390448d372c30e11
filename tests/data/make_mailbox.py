"""A mailbox as an organiser finds it: five tasks, twelve teams, folders, archives and mails, some of them spoilt."""

import gzip
import json
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default

from packed import tarred, zipped
from sent import write

TEAMS = ("ARC", "BLUE", "CASE", "京都大学", "ECHO", "FOX", "GOLF", "HUKB", "IRIS", "JNLP", "KIS", "LEX")
_CASES = range(1, 21)
_QUESTIONS = range(1, 17)
_FORM = (
    "Task: {}\nRun tag: {}\n\n- Machine learning models:\n{}\n- External resources:\nnone\n"
    "- Explaination:\nRetrieval, and a reranker.\n"
)


def _is_right(n, at, right, of):
    """Whether a run has a question right: each team others; the last question of all is missed by everybody."""
    return (n * 7 + at * 3) % len(of) < right and n != of[-1]


def _task1(tag, at, right):
    of = _CASES
    return "".join(f"{n:06} {n + (500 if _is_right(n, at, right, of) else 700 + 20 * at):06} {tag}\n" for n in of)


def _task2(tag, at, right):
    of = _CASES
    return "".join(f"{n:03} {(n * 7) % 40 + (1 if _is_right(n, at, right, of) else 50 + at):03} {tag}\n" for n in of)


def _articles(tag, at, right):
    of = _QUESTIONS
    return "".join(f"R07-{n:02}-U Q0 {n + (0 if _is_right(n, at, right, of) else 400 + at)} 1 1.0 {tag}\n" for n in of)


def _labels(tag, at, right, year="R07"):
    of = _QUESTIONS
    return "".join(f"{year}-{n:02}-U {'YN'[(n + (not _is_right(n, at, right, of))) % 2]} {tag}\n" for n in of)


def _lists(tag, n):
    """Task 3: of each question the first articles, of which the first is right."""
    ranked = ((q, k) for q in _QUESTIONS for k in range(n))
    return "".join(f"R08-{q:02}-U Q0 {q + k} {k + 1} {1 / (k + 1)} {tag}\n" for q, k in ranked)


def _torts(at, right):
    rows = (
        {"version": "1", "tort_id": str(n), "undisputed_facts": [], "defendant_claims": [],
         "plaintiff_claims": [{"id": "0", "description": "x", "is_accepted": n % 2 == 0}],
         "court_decision": (n % 2 == 0) == (right > 90 or (n + at) % 16 < right)} for n in _QUESTIONS
    )  # fmt: skip
    return "".join(json.dumps(row) + "\n" for row in rows)


def _statutes(year):
    pairs = (f'<pair id="{year}-{n:02}-U" label="{"YN"[n % 2]}"><article>{n}</article></pair>' for n in _QUESTIONS)
    return f"<dataset>{''.join(pairs)}</dataset>\n"


def _golds():
    return {
        "gold/task1.json": json.dumps({f"{n:06}": [f"{n + 500:06}"] for n in _CASES}),
        "gold/task2.json": json.dumps({f"{n:03}": [f"{(n * 7) % 40 + 1:03}"] for n in _CASES}),
        "gold/statute.xml": _statutes("R07"), "gold/tort.jsonl": _torts(0, 99),
    }  # fmt: skip


def _sent(at, team):
    """What a team sends: a mail a task, with three runs and the form; BLUE forgets the form."""
    name = "KYOTO" if team == "京都大学" else team
    one, two, three, four, torts = mails = [{} for _ in range(5)]
    forms = {}
    for run in (1, 2, 3):
        tag, right = f"{name}{run}", 6 + (at * 5 + run * 3) % 10
        if at % 4 != 3 and (team != "FOX" or run == 1):  # which sends two more
            one[f"task1.{tag}.txt"] = _task1(tag, at, right)
        if at % 3 == 0:
            two[f"task2.{tag}p.txt"] = _task2(f"{tag}p", at, right)
        if at % 2 == 0:
            three |= {f"task3.{tag}s": _articles(f"{tag}s", at, right), f"answers.{tag}s": _labels(f"{tag}s", at, 14)}
        else:
            four[f"task4.{tag}e"] = _labels(f"{tag}e", at, right)
        for task, suffix in ((1, ""), (2, "p"), (3, "s"), (4, "e")):
            forms.setdefault(task, []).append(f"{tag}{suffix}")
    if at % 6 == 5:
        torts[f"{name}.jsonl"] = _torts(at, right)
    for task, files in enumerate(mails[:4], 1):
        if files and team != "BLUE":
            dated = "Swallow 70B (2024-05-01)"
            files[f"description{task}.txt"] = "\n".join(_FORM.format(task, tag, dated) for tag in forms[task])
    return [files for files in mails if files]


def _zip(files):
    return zipped({**files, "__MACOSX/._x": "x"})


def _tar(files):
    return gzip.compress(tarred({name: content.encode() for name, content in files.items()}))


def _mail(team, files, day=18):
    return mail(f"[submission] {team}", files, f"team{TEAMS.index(team)}@example.org", f"{day} Jan 2026 10:00:00 +0900")


def mail(subject, files, sender, date="", received=(), forwards=b""):
    """A mail with attached files; with the times of servers, the last one first, and a mail that it forwards."""
    message = EmailMessage()
    for time in received:
        message["Received"] = f"from a.example.org by b.example.org; {time}"
    message["From"], message["Subject"] = sender, subject
    if date:
        message["Date"] = date
    message.set_content("Dear organisers,\nplease find our runs attached.\n")
    for name, content in files.items():
        raw = content.encode() if isinstance(content, str) else content
        message.add_attachment(raw, maintype="application", subtype="octet-stream", filename=name)
    if forwards:
        message.add_attachment(message_from_bytes(forwards, policy=default))
    return message.as_bytes()


def _spoilt(gold):
    """What does not come as it should: mailbox path → content."""
    many = {f"task1.JNLP{n}.txt": _task1(f"JNLP{n}", n, n) for n in (7, 8)}
    cut = _zip({"task1.CASE7.txt": _task1("CASE7", 2, 7)})
    return {
        # the same file again, a gold, a gold as a run, and answers made from the gold
        "ARC/task1.ARC1 (1).txt": _task1("ARC1", 0, 9), "ARC/labels_2026.json": gold,
        "HUKB/task1.HUKB9.json": json.dumps(json.loads(gold), indent=2),
        "ARC/task4.ARCbest": "".join(f"R07-{n:02}-U {'YN'[n % 2]} ARCbest\n" for n in _QUESTIONS),
        # two teams with one tag; two with the same answers; a run of another year; a tag of several words
        "ECHO/task1.BM25.txt": _task1("BM25", 4, 11), "GOLF/task1.BM25.txt": _task1("BM25", 6, 5),
        "IRIS/task1.IRIS9.txt": _task1("IRIS9", 5, 12), "FOX/task1.FOX9.txt": _task1("FOX9", 5, 12),
        "HUKB/task4.HUKB8": _labels("HUKB8", 7, 9, "R06"), "FOX/task1.FOX8.txt": _task1("FOX large model", 5, 10),
        # late; corrected; more than three; cut short; UTF-16; what cannot be unpacked or is none
        "late.eml": _mail("LEX", {"task1.LEX9.txt": _task1("LEX9", 11, 16)}, 25),
        "KIS/task1.KIS9.txt": _task1("KIS9", 10, 3),
        "corrected.eml": _mail("KIS", {"task1.KIS10.txt": _task1("KIS10", 10, 15)}),
        "many.eml": _mail("JNLP", many), "LEX/task1.LEX8.txt": _task1("LEX8", 11, 5)[:-30],
        "GOLF/task2.GOLF9.txt": _task2("GOLF9", 6, 8).encode("utf-16"), "CASE/more.zip": cut[: len(cut) // 2],
        "OMEGA/runs.rar": b"Rar!\x1a\x07\x01\x00" + bytes(64), "OMEGA/runs.7z": b"7z\xbc\xaf\x27\x1c" + bytes(64),
        "京都大学/results.xlsx": _zip({"[Content_Types].xml": "<Types/>", "xl/workbook.xml": "<workbook/>"}),
        # a description of no run; what is no run
        "ARC/description9.txt": _FORM.format(1, "ARC9", "GPT (2026-01-01)"), "ECHO/letter.txt": "Dear all,\nhello\n",
    }  # fmt: skip


def make(folder):
    """Write golds and mailbox below a folder."""
    golds = _golds()
    came, box = _spoilt(golds["gold/task1.json"]), b""
    sendings = [(team, files) for at, team in enumerate(TEAMS) for files in _sent(at, team)]
    for number, (team, files) in enumerate(sendings):
        match number % 5:
            case 0:
                came |= {f"{team}/{name}": content for name, content in files.items()}
            case 1:
                came[f"{team}/{number}.zip"] = _zip(files)
            case 2:
                came[f"{team}/{number}.tar.gz"] = _tar(files)
            case 3:
                came[f"{number}.eml"] = _mail(team, files)
            case _:
                box += b"From someone Sun Jan 18 10:00:00 2026\n" + _mail(team, files) + b"\n"
    came = {f"mailbox/{name}": of for name, of in {**came, "inbox.mbox": box}.items()}
    write({folder / name: of for name, of in {**golds, **came}.items()})
