"""A mailbox as an organiser finds it: five tasks, twelve teams, about 120 files, some packed, some broken."""

from __future__ import annotations

import io
import json
import tarfile
import zipfile
from pathlib import Path

TEAMS = ("ARC", "BLUE", "CASE", "DELTA", "ECHO", "FOX", "GOLF", "HUKB", "IRIS", "JNLP", "KIS", "LEX")
_CASES = range(1, 21)
_QUESTIONS = range(1, 17)
_FORM = (
    "Task: {}\nRun tag: {}\n\n- Machine learning models:\n{}\n- External resources:\nnone\n"
    "- Explaination:\nRetrieval, and a reranker.\n"
)


def _task1(tag: str, right: int) -> str:
    return "".join(f"{n:06} {n + (500 if n <= right else 700):06} {tag}\n" for n in _CASES)


def _task2(tag: str, right: int) -> str:
    return "".join(f"{n:03} {(n * 7) % 40 + (1 if n <= right else 50):03} {tag}\n" for n in _CASES)


def _articles(tag: str, right: int) -> str:
    return "".join(f"R07-{n:02}-U Q0 {n + (0 if n <= right else 400)} 1 1.0 {tag}\n" for n in _QUESTIONS)


def _labels(tag: str, right: int) -> str:
    return "".join(f"R07-{n:02}-U {'YN'[(n + (n > right)) % 2]} {tag}\n" for n in _QUESTIONS)


def _torts(right: int) -> str:
    return "".join(
        json.dumps(
            {
                "version": "1", "tort_id": str(n), "undisputed_facts": [],
                "plaintiff_claims": [{"id": "0", "description": "x", "is_accepted": n % 2 == 0}],
                "defendant_claims": [], "court_decision": (n % 2 == 0) == (n <= right),
            }
        )
        + "\n"
        for n in _QUESTIONS
    )  # fmt: skip


def _golds() -> dict[str, str]:
    pairs = "".join(
        f'<pair id="R07-{n:02}-U" label="{"YN"[n % 2]}"><article>{n}</article><t2>x</t2></pair>\n' for n in _QUESTIONS
    )
    return {
        "gold/task1.json": json.dumps({f"{n:06}": [f"{n + 500:06}"] for n in _CASES}),
        "gold/task2.json": json.dumps({f"{n:03}": [f"{(n * 7) % 40 + 1:03}"] for n in _CASES}),
        "gold/statute.xml": f"<dataset>\n{pairs}</dataset>\n",
        "gold/tort.jsonl": _torts(99),
    }


def _of_team(at: int, team: str) -> dict[str, str]:
    """What a team sends: runs of two or three tasks, and the form."""
    files, forms = {}, []
    for run in (1, 2, 3):
        tag, right = f"{team}{run}", 6 + (at * 5 + run * 3) % 10
        if at % 4 != 3:
            files[f"task1.{tag}.txt"] = _task1(tag, right)
            forms.append((1, tag))
        if at % 3 == 0:
            files[f"task2/{tag}.txt"] = _task2(tag, right)
            forms.append((2, tag))
        if at % 2 == 0:
            files[f"task3.{tag}s"] = _articles(f"{tag}s", right)
            files[f"answers.{tag}s"] = _labels(f"{tag}s", right + 1)
            forms.append((3, f"{tag}s"))
        if at % 2 == 1:
            files[f"task4.{tag}e"] = _labels(f"{tag}e", right)
            forms.append((4, f"{tag}e"))
    if at % 6 == 5:
        files[f"{team}.jsonl"] = _torts(right)
    files["description.txt"] = "\n".join(_FORM.format(task, tag, "Swallow 70B (2024-05-01)") for task, tag in forms)
    return files


def make(folder: Path) -> int:
    """Write golds, list of teams and mailbox below a folder; how many files came, those in archives too."""
    files: dict[str, str | bytes] = dict(_golds())
    mails: dict[str, str | bytes] = {}
    n = 0
    for at, team in enumerate(TEAMS):
        sent = _of_team(at, team)
        n += len(sent)
        if at % 5 == 1:
            stream = io.BytesIO()
            with zipfile.ZipFile(stream, "w") as zipped:
                for name, text in sent.items():
                    zipped.writestr(zipfile.ZipInfo(name), text)
                zipped.writestr(zipfile.ZipInfo("__MACOSX/._x"), "x")
            mails[f"{team}.zip"] = stream.getvalue()
        elif at % 5 == 2:
            stream = io.BytesIO()
            with tarfile.open(fileobj=stream, mode="w:gz") as tar:
                for name, text in sent.items():
                    entry = tarfile.TarInfo(name)
                    entry.size = len(text.encode())
                    tar.addfile(entry, io.BytesIO(text.encode()))
            mails[f"{team}.tar.gz"] = stream.getvalue()
        else:
            mails |= {f"{team}/{name}": text for name, text in sent.items()}
    others: dict[str, str | bytes] = {
        "ARC/task1.ARC1 (1).txt": _task1("ARC1", 6 + 3), "ARC/labels_2026.json": files["gold/task1.json"],
        "ARC/description.txt": _FORM.format(1, "ARC9", "GPT (2026-01-01)"), "DELTA/README.md": "# Our runs\n",
        "DELTA/paper.pdf": b"%PDF-1.7\n", "DELTA/.DS_Store": b"\0\0", "ECHO/Thumbs.db": b"\0",
        "ECHO/letter.txt": "Dear all,\nhello\n",
        "FOX/description.txt": _FORM.format("", "FOX1", ""), "JNLP/task1.JNLP7.txt": _task1("JNLP7", 8),
        "JNLP/task1.JNLP8.txt": _task1("JNLP8", 7), "JNLP/scores.csv": "rank,run,accuracy\n1,a,0.5\n",
        "KIS/task1.KIS9.txt": _task1("KIS9", 5)[:-30], "LEX/notes.md": "# Notes\n",
    }  # fmt: skip
    n += len(set(others) - set(mails))
    files |= {f"mailbox/{name}": content for name, content in {**mails, **others}.items()}
    rows = (f"{team}1,{team},{'ja' if at % 2 else 'en'}\n" for at, team in enumerate(TEAMS))
    files["teams.csv"] = "tag,team,language\n" + "".join(rows)
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return n
