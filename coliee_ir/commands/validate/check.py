"""The way of the files of a submission through the checks.

bytes ──rows──▶ lines and rows ──columns──▶ sheet ──lists──▶ ids and values mended
            └──pilot                          └──together: what several files show
"""

from __future__ import annotations

import io
import re
import shlex
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from coliee_adapters.descriptions import is_description
from coliee_adapters.descriptions import system_description as descriptions
from coliee_adapters.descriptions.system_description import Description
from coliee_adapters.errors import InputError, UsageError, guarded, quoted
from coliee_adapters.files.source import BOM, PathLike, Source
from coliee_adapters.files.writing import written
from coliee_adapters.forms import detect, json_records
from coliee_adapters.forms.statute import DIGITS, LABELS
from coliee_adapters.records import Answers
from coliee_ir.commands.validate import lists
from coliee_ir.commands.validate.columns import (
    LABELLED,
    OTHER_FORMS,
    Sheet,
    check_columns,
    check_tags,
    clean_tag,
    fill_tags,
    is_other_table,
)
from coliee_ir.commands.validate.findings import Add, Findings
from coliee_ir.commands.validate.known import Known, check_stated
from coliee_ir.commands.validate.pilot import check_pilot
from coliee_ir.commands.validate.rows import Header, Row, lines_of, rows_of, text_of
from coliee_ir.commands.validate.rules import RULES
from coliee_ir.commands.validate.together import check_descriptions, check_together, clean_tags
from coliee_ir.inbox.tasks import NOTHING
from coliee_ir.judging.order import order_of
from coliee_ir.rules.protocol import (
    LONG_LIST_FILE,
    NUMBERED,
    TASKS,
    edition_year,
    protocol,
    submission_rules,
    unfit_tag,
)
from coliee_ir.scoring.reading import read_run, read_run_by

#: How the organisers name files: ``task3.TAG``, ``task3-L.TAG``.
_NAMED: Final = re.compile(rf"task{NUMBERED}(?:-l)?\.(?!json)(\w+)", re.IGNORECASE)

#: What is meant for a label, though it may be none.
_LIKE_LABELS: Final = {*LABELS, *DIGITS, "t", "f"}


class Check:
    """The rules of one task and edition, and the ids that there are."""

    def __init__(
        self,
        task: str,
        edition: str | int | None = None,
        queries: Sequence[Source] = (),
        corpus: PathLike | None = None,
        *,
        narrowed: bool = True,
        columns: Mapping[str, str] | None = None,
    ) -> None:
        self.task = task
        #: the tasks that a file is checked for: a file of the pilot is scored for both of its tasks
        self.rules, self.protocol = submission_rules(task, edition), protocol(task, edition)
        pilot = self.protocol.pilot
        self.tasks = tuple(one for one in TASKS if protocol(one).pilot) if pilot and not narrowed else (task,)
        self.edition = edition_year(edition) or self.protocol.newest
        self.queries, self.columns = queries, columns or {}
        if pilot and corpus is not None:
            raise UsageError("option-needed", "the pilot has no corpus: give the organisers' test file with --queries")
        self.known = Known() if pilot else Known(queries, corpus, self.protocol)

    def check_tag(self, tag: str) -> None:
        """Refuse a run tag that is against the rules."""
        if self.protocol.pilot:
            raise UsageError("unfit-option", "--tag: submissions to the pilot have no run tag")
        if fault := unfit_tag(tag, self.rules.tag_length):
            raise UsageError("bad-value", f"--tag: {fault}, and {quoted(tag)} is not")

    def files(self, sources: Mapping[str, Source], *, mends: bool = False) -> Checked:
        """Check files, each under a name, and keep their lines if they are to be mended."""
        return Checked(self, sources, mends)


class Checked:
    """Files that were checked: what was found, and what there is to mend."""

    def __init__(self, check: Check, sources: Mapping[str, Source], mends: bool) -> None:
        self._check = check
        # what a run shows beside its other files is seen in its lines
        keeps = mends or len(check.protocol.parts) > 1 or bool(check.rules.long_list)
        rules = check.rules
        self.found = Findings(
            tuple(sources),
            tag_length=rules.tag_length,
            most_runs=rules.most_runs,
            long_list=rules.long_list,
            many=lists.MANY,
        )
        self._sheets: dict[str, Sheet] = {}
        self._lines: dict[str, list[str]] = {}  # of the pilot's files
        self._described: dict[str, list[Description]] = {}
        for name, source in sources.items():
            add = self.found.of(name)
            try:
                with guarded(name):
                    self._one(name, source, add)
            except InputError as error:
                if error.path != name:  # the organisers' file
                    raise
                _unreadable(error, add)
            if name in self._sheets and not keeps:
                self._sheets[name].forget()
        most = rules.most_runs
        if not check.protocol.is_coliee and most is not None and len(sources) > most:
            for name in sources:
                self.found.add(list(sources)[most], "runs", found=name, source=rules.runs_source)
        check_together(self._sheets, rules, check.protocol, check.known, self.found)
        tags = {sheet.tag: name for name, sheet in self._sheets.items()}
        check_descriptions(self._described, tags, check.task, check.edition, self.found)

    def _one(self, name: str, source: Source, add: Add) -> None:
        """Check a file alone."""
        raw = source.raw(2)
        if not raw.strip(NOTHING):
            add("empty")
            return
        if is_description(raw.removeprefix(BOM)):
            self._described[name] = descriptions.read(source)
            return
        if not self._check.protocol.is_coliee:
            record = read_run_by(source, self._check.protocol, unreadable_answers="wrong")
            check_stated(record, self._check.protocol, self._check.rules, self._check.known, add)
            return
        content = text_of(raw, add)
        if self._check.protocol.pilot:
            lines, ended = lines_of(content, add, of_json=True)
            if not ended:
                add("no-newline", len(lines))
            check_pilot(name, lines, self._check.tasks, self._check.queries, add)
            self._lines[name] = lines
        elif content.lstrip().startswith(OTHER_FORMS):
            if rows := self._rows_of_json(name, source, add):
                self._sheet(name, rows, add)
        else:
            lines, ended = lines_of(content, add)
            of_lines: list[partial[None]] = []
            rows, header = rows_of(
                lines, lambda *place, **more: of_lines.append(partial(add, *place, **more)), self._check.columns
            )
            if not rows or not self._is_other_table(name, rows, header, add):
                for tell in of_lines:
                    tell()
                if rows:
                    self._sheet(name, rows, add, ended=ended)
        if self.found.is_sound(name):
            self._read(source, add)

    def _sheet(self, name: str, rows: list[Row], add: Add, *, ended: bool = True) -> None:
        """Check a file of columns."""
        check, known = self._check, self._check.known
        sheet = self._sheets[name] = Sheet(rows, self._kind(name, rows), check.rules, add, ended=ended)
        check_columns(sheet)
        check_tags(sheet)
        lists.check_queries(sheet, known)
        if sheet.kind == "answers":
            lists.check_answers(sheet)
        else:
            lists.check_documents(sheet, known)
            lists.check_ranking(sheet)
            lists.check_lengths(sheet, known)
            lists.check_order(sheet)

    def _is_other_table(self, name: str, rows: Sequence[Row], header: Header | None, add: Add) -> bool:
        """Whether the lines under a header are those of another table, which are then not looked at."""
        if header is None:
            return False
        columns = LABELLED if self._kind(name, rows) == "answers" else self._check.rules.columns
        form = "labels" if columns == LABELLED else self._check.rules.form
        if not is_other_table(header.names, columns, self._check.columns):
            add("header", header.line, 1, header.text)
            return False
        remedy = f"write {' '.join(columns)}: {self._conversion(name, form)}"
        add("table", header.line, 1, header.text, remedy=remedy, columns=" ".join(columns))
        return True

    def _conversion(self, name: str, form: str) -> str:
        """The command that writes a file in another form."""
        names = ",".join(f"{role}={column}" for role, column in self._check.columns.items())
        option = f" --columns {shlex.quote(names)}" if names else ""
        return f"coliee-ir convert {shlex.quote(name)} OUT --to {form}{option}"

    def _kind(self, name: str, rows: Sequence[Row]) -> str:
        """What a file holds: answers, documents, or the long list."""
        if not self._check.rules.columns:
            return "answers"
        labels = sum(len(row.texts) in (2, 3) and row.texts[1].lower() in _LIKE_LABELS for row in rows)
        if "answers" in self._check.protocol.parts and 2 * labels > len(rows):
            return "answers"
        return "long" if self._check.rules.long_list and re.search(LONG_LIST_FILE, Path(name).name) else "documents"

    def _read(self, source: Source, add: Add) -> None:
        """What no rule has seen, our reader may."""
        try:
            record = read_run(source, task=self._check.task)
            for _ in getattr(record, "blocks", tuple)():
                pass
        except InputError as error:
            _unreadable(error, add)

    def _rows_of_json(self, name: str, source: Source, add: Add) -> list[Row]:
        """The lines that a submission in JSON would have."""
        columns = self._check.rules.columns
        form = self._check.rules.form
        if not form or not json_records.sniff(source.head()):
            add("form", remedy=f"send lines of {' '.join(columns or LABELLED)}")
            return []
        # of case law, the official tables hold scored runs in JSON
        rule = "json" if self._check.protocol.law == "case" else "form"
        try:
            run = detect.read_run(source, form="json")
            blocks = [] if isinstance(run, Answers) else list(run.blocks())
        except InputError as error:
            add(rule, remedy=self._conversion(name, form))
            _unreadable(error, add)
            return []
        if isinstance(run, Answers):
            add("form", remedy=self._conversion(name, "labels"))
            return []
        add(rule, remedy=self._conversion(name, form))
        named = _NAMED.fullmatch(Path(name).name)
        tag = clean_tag(named[1] if named else source.stem, self._check.rules.tag_length) or "RUN"
        rows = []
        for block in blocks:
            for query, first, last in block.segments():
                if first == last:
                    add("empty-list", found=query)
                documents = block.documents[first:last]
                scores = [float(n) for n in range(last - first, 0, -1)]
                if block.scores is not None:
                    scores = [float(score) for score in block.scores[first:last]]
                for rank, at in enumerate(order_of(documents, scores), start=1):
                    cells = {"QUERY": query, "Q0": "Q0", "DOCUMENT": documents[at], "TAG": tag}
                    cells |= {"RANK": str(rank), "SCORE": repr(scores[at])}
                    rows.append(Row(None, "", [cells[column] for column in columns]))
        return rows

    def mend(self, targets: Mapping[str, str], tag: str | None = None) -> tuple[dict[str, str], Findings]:
        """Write corrected copies of the files that can be read, and note what they do not have any more."""
        if tag is None:
            for sheet in self._sheets.values():
                fill_tags(sheet)
            clean_tags(self._sheets, self._check.rules.tag_length)
        elif len({sheet.kind for sheet in self._sheets.values()}) < len(self._sheets):
            raise UsageError("ambiguous", "--tag names one run, and the files contain several: correct them one by one")
        else:
            for sheet in self._sheets.values():
                sheet.name(tag)
        texts = {name: "".join(sheet.mended()) for name, sheet in self._sheets.items()}
        # a copy that would be read as something else is none
        texts = {name: text for name, text in texts.items() if not text.lstrip().startswith(OTHER_FORMS)}
        texts |= {name: "".join(f"{line}\n" for line in lines) for name, lines in self._lines.items()}
        # of a file that cannot be read to its end, a copy would lack the rest
        done = {name: to for name, to in targets.items() if name in texts and not self.found.get(name, "unreadable")}
        for name, target in done.items():
            with written(target) as stream:
                if isinstance(stream, io.TextIOWrapper):
                    stream.reconfigure(errors="surrogateescape")  # bytes that are no UTF-8 stay as they stand
                stream.write(texts[name])
        copies = {name: Source(target, lenient=True) for name, target in done.items()}
        left = self._check.files(copies).found
        for finding in self.found:
            if finding.file in done and RULES[finding.rule].mended:
                still = left.get(finding.file, finding.rule)
                finding.mended = max(0, finding.count - (still.count if still else 0))
        return done, left


def _unreadable(error: InputError, add: Add) -> None:
    sentences = [sentence for sentence in (error.problem, error.remedy) if sentence]
    add("unreadable", error.line, error.column, error.found, remedy="; ".join(sentences))
