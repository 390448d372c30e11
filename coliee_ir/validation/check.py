"""The way of the files of a submission through the checks.

bytes ──text──▶ lines ──rows──▶ rows ──columns──▶ sheet ──lists──▶ ids and values mended
                  └──pilot                          └──together: what several files show
"""

from __future__ import annotations

import io
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from coliee_adapters import case_law
from coliee_adapters.errors import InputError, UsageError, contained
from coliee_adapters.files import PathLike, Source, written
from coliee_adapters.statute import LABELS
from coliee_ir.order import order_of
from coliee_ir.protocol import LONG_LIST_FILE, newest_edition, protocol, submission_rules
from coliee_ir.reading import read_run
from coliee_ir.validation import lists, text
from coliee_ir.validation.columns import LABELLED, OTHER_FORMS, Sheet, check_columns, check_tags, clean_tag, fill_tags
from coliee_ir.validation.findings import Add, Findings
from coliee_ir.validation.known import Known
from coliee_ir.validation.pilot import check_pilot
from coliee_ir.validation.rows import Row, rows_of
from coliee_ir.validation.rules import RULES, Severity
from coliee_ir.validation.together import check_together, clean_tags

_PILOT: Final = ("tort", "rationale")

#: What is meant for a label, though it may be none.
_LIKE_LABELS: Final = {*LABELS, "1", "0", "t", "f"}


class Check:
    """The rules of one task and edition, and the ids that there are.

    Args:
        task: the task.
        edition: the year whose rules count; by default the newest.
        queries: what names the queries.
        corpus: what holds the documents.

    Raises:
        InputError: queries or corpus cannot be read.
        UsageError: no such task or edition; a corpus for the pilot.
    """

    def __init__(
        self, task: str, edition: int | None = None, queries: Source | None = None, corpus: PathLike | None = None
    ) -> None:
        self.task = task
        self.rules, self.protocol = submission_rules(task, edition), protocol(task, edition)
        self.edition = edition if edition is not None else newest_edition(self.protocol)
        self.queries = queries
        if task in _PILOT and corpus is not None:
            raise UsageError("the pilot has no corpus: give the organisers' test file with --queries")
        self.known = Known() if task in _PILOT else Known(queries, corpus, task)

    def files(self, sources: Mapping[str, Source]) -> Checked:
        """Check files, each under a name."""
        return Checked(self, sources)


class Checked:
    """Files that were checked: what was found, and what there is to mend.

    Args:
        check: the rules.
        sources: the files by name.
    """

    def __init__(self, check: Check, sources: Mapping[str, Source]) -> None:
        self._check = check
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
        for name, source in sources.items():
            add = self.found.of(name)
            try:
                with contained(name):
                    self._one(name, source, add)
            except InputError as error:
                if error.path != name:  # the organisers' file
                    raise
                _unreadable(error, add)
        check_together(self._sheets, rules, check.protocol, check.known, self.found)

    def _one(self, name: str, source: Source, add: Add) -> None:
        """Check a file alone."""
        raw = source.raw("validated")
        if text.is_blank(raw):
            add("empty")
            return
        content = text.text_of(raw, add)
        if self._check.task in _PILOT:
            lines, ended = text.lines_of(content, add)
            if not ended:
                add("no-newline", len(lines))
            check_pilot(name, lines, self._check.task, self._check.queries, add)
            self._lines[name] = lines
        elif content.lstrip().startswith(OTHER_FORMS):
            if rows := self._rows_of_json(name, source, add):
                self._sheet(name, rows, add)
        else:
            lines, ended = text.lines_of(content, add)
            if rows := rows_of(lines, add):
                self._sheet(name, rows, add, ended=ended)
        if not any(finding.file == name and finding.severity is Severity.ERROR for finding in self.found):
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

    def _kind(self, name: str, rows: Sequence[Row]) -> str:
        """What a file holds: answers, documents, or the long list."""
        if not self._check.rules.columns:
            return "answers"
        labels = sum(len(row.texts) in (2, 3) and row.texts[1].lower() in _LIKE_LABELS for row in rows)
        if "answers" in self._check.protocol.parts and 2 * labels > len(rows):
            return "answers"
        return "long" if self._check.rules.long_list and LONG_LIST_FILE.search(Path(name).name) else "documents"

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
        form = {0: "", 3: "columns", 6: "trec"}[len(columns)]
        if not form or case_law.sniff_run(source.head()) != "json":
            add("form", remedy=f"send lines of {' '.join(columns or LABELLED)}")
            return []
        add("form", remedy=f"coliee-ir convert {shlex.quote(name)} OUT --to {form}")
        try:
            blocks = list(case_law.read_run_json(source).blocks())
        except InputError as error:
            _unreadable(error, add)
            return []
        tag = clean_tag(source.stem, self._check.rules.tag_length) or "RUN"
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

    def mend(self, targets: Mapping[str, str]) -> tuple[dict[str, str], Findings]:
        """Write mended copies of the files that can be read, and note what they do not have any more.

        Args:
            targets: file → where its copy goes.

        Returns:
            File → where its copy is; and what is found in the copies.

        Raises:
            InputError: a place cannot be written.
        """
        for sheet in self._sheets.values():
            fill_tags(sheet)
        clean_tags(self._sheets, self._check.rules.tag_length)
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
        copies = {name: Source(target, may_be_empty=True, any_text=True) for name, target in done.items()}
        left = self._check.files(copies).found
        for finding in self.found:
            if finding.file in done and RULES[finding.rule].mended:
                still = left.get(finding.file, finding.rule)
                finding.mended = max(0, finding.count - (still.count if still else 0))
        return done, left


def _unreadable(error: InputError, add: Add) -> None:
    sentences = [sentence for sentence in (error.problem, error.remedy) if sentence]
    add("unreadable", error.line, error.column, error.found, remedy="; ".join(sentences))
