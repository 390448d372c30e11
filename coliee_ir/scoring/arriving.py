"""What lies in the folders that are sent: which files may be runs, and what the others are.

files ──sorted_out──▶ files that may be runs, Passed (descriptions, copies of the gold, what is nothing)
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import field
from itertools import islice
from pathlib import Path
from typing import Final

from coliee_adapters import case_law, descriptions, detect, statute, tabular
from coliee_adapters.classes import dataclass
from coliee_adapters.descriptions import Description
from coliee_adapters.errors import ColieeError
from coliee_adapters.file_kinds import kind_of
from coliee_adapters.files import Source, is_copy
from coliee_adapters.folders import Walked
from coliee_adapters.lines import Comments, content_lines, split_columns
from coliee_ir.rules.protocol import NUMBERED

#: kinds of files that are passed over, as they are called: of one, of several
KINDS: Final = {
    "description": ("system description", "system descriptions"),
    "gold": ("copy of the gold", "copies of the gold"),
    "duplicate": ("copy of another run", "copies of other runs"),
    "task": ("file of another task", "files of other tasks"),
    "part": ("file of another part of submissions", "files of another part of submissions"),
    "named": ("file named as a gold", "files named as golds"),
    "judged": ("gold in the format of the protocol", "golds in the format of the protocol"),
    "nothing": ("file that is not a run", "files that are not runs"),
}

#: how many of a kind are named
_NAMED: Final = 5

#: what is sent beside runs, and is none
_README: Final = r"(?i)(?:read\W?me|licen[cs]e|changelog)\b.*"
_BESIDES: Final = (
    r"(?i)(?:read\W?me|licen[cs]e|changelog|notes?)\b.*|.*\.(?:md|rst|rtf|pdf|docx?|odt|tex|bib|pptx?|py|ipynb|sh|ya?ml|toml|"
    r"html?|eml|msg|png|jpe?g|gif|svg|log|md5|sha1|sha256)(?:sums?)?"
)
_DOCUMENTS: Final = ("a PDF", "an RTF document", "a Word document", "an OpenDocument text", "a web page")

#: what golds are called, whose JSON may look like that of a run: gold.json, task1_train_labels_2025.json
_GOLD: Final = r"(?i)(?:.*[\W_])?(?:gold|qrels|(?:train|test|dev|val)\w*[\W_]labels)(?:[\W_].*)?"

#: what a column is called in lists of teams, and in tables of scores such as ours
_OF_SCORES: Final = r"(?i)\s*(?:team|group|categor(?:y|ies)|(?:micro|macro)?[-_ ]?[pr]?f[12](?:@\d+)?|accuracy)\s*"

#: a task named in a path: ``task3.A``, ``Task 4/run.txt``; not in ``deberta-task3aug``
_NAMED_TASK: Final = rf"(?i)(?<![^\W\d_])task[\s_.-]*({NUMBERED})(?![^\W_])"


@dataclass(slots=True)
class Passed:
    """Files that were passed over, by kind, and what the system descriptions among them say."""

    files: dict[str, list[str]] = field(default_factory=dict)
    described: list[Description] = field(default_factory=list)
    copies: dict[str, str] = field(default_factory=dict)

    def add(self, kind: str, file: str, copy_of: str = "") -> None:
        """Note a file; of a copy, what it is a copy of."""
        self.files.setdefault(kind, []).append(file)
        if copy_of:
            self.copies[file] = copy_of

    def include(self, other: Passed) -> None:
        """Add what was passed over elsewhere."""
        for kind, files in other.files.items():
            self.files.setdefault(kind, []).extend(files)
        self.described += other.described
        self.copies |= other.copies

    def remarks(self) -> list[str]:
        """A sentence for each kind."""
        said = []
        for kind, names in KINDS.items():
            if files := self.files.get(kind):
                shown = [f"{file} (= {self.copies[file]})" if file in self.copies else file for file in files]
                more = f" and {len(files) - _NAMED} more" if len(files) > _NAMED else ""
                said.append(f"passed over {len(files)} {names[len(files) != 1]}: {', '.join(shown[:_NAMED])}{more}")
        return said


def sorted_out(walked: Walked, golds: Sequence[str] = ()) -> tuple[list[str], Passed]:
    """The files that may be runs, and the others. What was named itself may be a run, unless it is a copy of the gold.

    Args:
        walked: the files.
        golds: the files of the gold.
    """
    kept, passed = [], Passed()
    for file in walked.files:
        if file == "-" or Path(file).is_fifo():  # which can be read only once
            kept.append(file)
            continue
        if any(is_copy(file, gold) for gold in golds):
            passed.add("gold", file)
            continue
        alone, described = _described(file)
        if alone:
            passed.add("description", file)
            passed.described += described
        elif file not in walked.named and is_nothing(file):
            passed.add("nothing", file)
        elif file not in walked.named and is_gold_by_name(file):
            passed.add("named", file)
        else:
            kept.append(file)
            passed.described += described
    return kept, passed


def _described(file: str) -> tuple[bool, list[Description]]:
    """Whether a file is a system description and no more; and what it says, or a run of itself at its head."""
    try:
        source = Source(file)
        if descriptions.sniff(source.head()) and (read := descriptions.read(source)):
            return True, read
        return False, descriptions.at_head(source)
    except ColieeError:
        return False, []


def is_nothing(file: str) -> bool:
    """Whether a file is neither a run nor meant as one: a paper, a readme, a table of other things, a gold.

    Empty and damaged files, and what is packed in an unknown way, may have been runs.
    """
    try:
        source = Source(file, may_be_empty=True, any_text=True)
    except ColieeError:
        return bool(re.fullmatch(_BESIDES, Path(file).name)) or _is_document(file)
    head = source.head()
    if not head.strip():
        return False
    start = head.lstrip()
    if start.startswith(b"<"):
        return statute.sniff_gold(head) is not None or case_law.sniff_gold(head) is not None
    if start.startswith((b"{", b"[")):
        return False
    if re.fullmatch(_README, Path(file).name):
        return True
    lines = _first_lines(head)
    form = next((form.name for form in detect.RUN_FORMS if form.sniff(head) == form.name), "")
    if form == "table" and any(
        re.fullmatch(_OF_SCORES, name) for name in re.split(r"[,;\t]", lines[0] if lines else "")
    ):
        return True
    if form in ("", "columns") and re.fullmatch(_BESIDES, Path(file).name):
        return True
    if form not in ("", "columns", "table") or (form == "table" and tabular.header_of(source)):
        return False
    return 2 * sum(map(_has_id, lines)) < len(lines)


def is_gold_by_name(file: str) -> bool:
    """Whether a file in JSON is named as a gold, and can be read as one from its head."""
    if not re.fullmatch(_GOLD, Path(file).name):
        return False
    try:
        head = Source(file).head()
    except ColieeError:
        return False
    return head.lstrip().startswith((b"{", b"[")) and any(form.sniff(head) for form in detect.GOLD_FORMS)


def _is_document(file: str) -> bool:
    try:
        with Path(file).open("rb") as raw:
            kind = kind_of(raw.read(1 << 16))
    except OSError:
        return False
    return kind is not None and kind.name in _DOCUMENTS


def _first_lines(head: bytes) -> list[str]:
    text = head.decode("utf-8", errors="replace")
    return [line for _, line in islice(content_lines(text, "", comments=Comments()), 50)]


def _has_id(line: str) -> bool:
    """Whether a line begins as one of a run: with the id of a query, which has a digit."""
    words = split_columns(re.sub(r"[,;]", " ", line))
    return len(words) > 1 and any(map(str.isdigit, words[0]))


def named_task(file: str) -> str:
    """The task that a path names; empty where it names none, or where a file is named otherwise than its folder.

    >>> named_task("task1/TEAM/run.txt"), named_task("task4/task3.A"), named_task("task4/bert-task3.A")
    ('1', '3', '')
    """
    *folders, name = Path(file).parts
    of_folders = (set(re.findall(_NAMED_TASK, part)) for part in reversed(folders))
    folder = next((next(iter(tasks)) for tasks in of_folders if len(tasks) == 1), "")
    if start := re.match(_NAMED_TASK, name):  # as the organisers want files to be named
        return start[1]
    of_name = set(re.findall(_NAMED_TASK, name))
    if len(of_name) != 1:
        return folder
    (task,) = of_name
    return task if folder in ("", task) else ""
