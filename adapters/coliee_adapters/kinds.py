"""The kinds of errors: a short stable name for each thing that can be wrong, and what it means.

Scripts and tests tell errors apart by these names, never by their wording. Remarks have kinds too (``remarks.py``).
"""

from __future__ import annotations

from typing import Final

#: Kind → what it means. The order is that of the page of errors: files, what they hold, what belongs together, usage.
ERRORS: Final = {
    "no-file": "There is no such file or folder, or it changed or vanished while it was read.",
    "not-a-file": "A folder where a file is expected, or a file where a folder is.",
    "empty": "The file, folder or table holds nothing to read: no lines, no records, only comments.",
    "cannot-read": "The file or folder cannot be opened or read.",
    "cannot-write": "The result cannot be written there.",
    "would-overwrite": "A file that is read, or another result, would be written over.",
    "named-twice": "Standard input, standard output or a file name is used twice.",
    "too-large": "The file exceeds a limit, or memory: its size, a line, what it unpacks to, how deep it is nested.",
    "damaged": "Compressed data, an archive or a table is damaged or cut short.",
    "encrypted": "The archive needs a password.",
    "not-text": "The file is binary: another kind of file than the text or table expected.",
    "encoding": "The text is not clean UTF-8: other bytes, UTF-16, NUL, a misplaced byte order mark or line end.",
    "needs-package": "An optional package is not installed.",
    "unknown-format": "The file's format is not recognised, or is not that of what it was given as.",
    "syntax": "The file breaks the syntax of its format: JSON, XML, CSV, TOML, comments.",
    "structure": "The file is well-formed, and holds other things than its format has there.",
    "missing-key": "A key, element or column value that is needed is missing.",
    "columns": "A line or row has the wrong number of columns.",
    "missing-column": "No column holds what is needed, or none has the name given.",
    "ambiguous": "What is meant can be read in several ways: columns, ids, a measure's name.",
    "mixed-forms": "Entries of one file, or files given together, are written in different ways.",
    "duplicate": "A query, instance, key or row appears twice.",
    "conflicting": "Two entries about the same thing disagree.",
    "missing-id": "An id is missing.",
    "bad-id": "An id cannot be used: several words, an invisible character, not text.",
    "bad-score": "A score is not a finite number, or cannot be represented.",
    "bad-relevance": "A relevance is not an integer that trec_eval can hold.",
    "bad-label": "A label is not Y or N.",
    "bad-article": "An article's number cannot be read.",
    "usage": "The command line cannot be understood: an unknown command or option, a missing argument.",
    "bad-cell": "A value of a table or list cannot be used.",
    "missing-label": "Some queries have labels and others do not, or a test set has none.",
    "no-query": "There is no query, or none is left.",
    "no-relevant": "No document of the gold is relevant.",
    "shape": "Arrays, frames or predictions have the wrong shape, length or type.",
    "mismatch": "Gold and run share no query or no document.",
    "wrong-part": "The file holds labels where documents are needed, or documents where labels are.",
    "wrong-task": "The gold, run or option belongs to another task.",
    "not-comparable": "The runs were scored on different queries, by different rules, or without what is asked.",
    "unknown-query": "A query that is named is not there.",
    "unknown-document": "A document that is named is not there.",
    "too-few": "There are too few runs, queries or groups for what is asked.",
    "no-run": "No run or submission was found.",
    "no-result": "The result would be empty, or does not exist for this task or these runs.",
    "no-dates": "Queries do not show a year or date, or all show the same.",
    "unknown-name": "A name is not one of those there are: a table, test, method, rule, format, column role.",
    "unknown-task": "There is no such task or protocol.",
    "unknown-edition": "No rules are known for this edition.",
    "unknown-measure": "There is no such measure.",
    "bad-measure": "A measure's parameters or cutoff cannot be used.",
    "unfit-measure": "The measure exists and cannot be computed here.",
    "bad-value": "The value of an option or argument is out of range or of the wrong type.",
    "option-conflict": "Two options or arguments exclude each other.",
    "option-needed": "Another option or argument is needed.",
    "unfit-option": "The option does not apply here.",
    "file-name": "A file name has the wrong ending, or names the wrong sort of place.",
    "cannot-convert": "This cannot be written in that format.",
    "protocol": "The protocol file is not valid.",
    "edition-file": "The file of an edition is not valid.",
    "store": "The store of scores cannot be used: locked, damaged, of other rules.",
    "worker": "A worker process or a cluster failed.",
}

#: Kind → what it means, of the remarks that scoring words itself; those of reading are in ``remarks.py``.
REMARKS: Final = {
    "order-of-ties": "The order of documents of equal score decides: a measure would differ in another order.",
    "identical": "The submission is identical to another one.",
    "other-tag": "Answers and documents of a run have different run tags.",
    "left-out": "Queries or runs were left out, as an option or a method asks.",
    "absent-exclusion": "Ids to exclude are not in the gold.",
    "swapped": "Gold and run may have been given in each other's place.",
    "upside-down": "The ranking would score better in reverse.",
    "gold-itself": "The run is the gold itself.",
    "unjudged-query": "Queries have no judged document in the gold.",
    "relevance-not-reached": "Queries have no document that is relevant enough for a measure.",
    "incomplete": "A submission lacks one of its files or parts, and is not ranked.",
    "passed-over": "Files of a folder were passed over.",
    "grouped": "Files were taken to belong together.",
    "many-runs": "A team has more runs than the task allows.",
    "team-list": "The list of teams and the runs do not agree, or there is none.",
    "sheet-rows": "Rows of a table of categories or scores were left out, or read in a special way.",
    "chosen-here": "The best runs were chosen by the queries that they are ranked by.",
    "undefined-measure": "No query contributes to a measure.",
    "no-difference": "Runs do not differ, or differ by the same amount in every query.",
    "few-hold-most": "A few queries hold most of what is counted, so that some intervals have no end.",
    "too-few-queries": "Runs differ in too few queries for any difference to be significant.",
    "unlike-answers": "Runs answer different queries, of which there are few, so that p may be too small.",
    "too-few-resamples": "No difference can be significant with this number of resamples.",
    "fitted-to-others": "Weights were fitted to runs in another order, or to other runs.",
    "weights-no-better": "Fitted weights are no better than plain ones on held-out queries.",
    "no-scores": "Runs have no scores: ranks stand for them.",
    "unshared-query": "Queries are not in all runs.",
    "answer-tie": "Votes on an answer are equal.",
    "dropped": "The format to be written cannot represent something.",
    "bad-tag": "The run tag is not one that the organisers allow.",
    "no-answer": "A model's text holds no answer.",
}


def told(said: object) -> str:
    """An error or a remark as it is printed: its sentence and, at the end, its kind in brackets, if it has one."""
    kind = getattr(said, "kind", "").rpartition(":")[2]
    return f"{said} [{kind}]" if kind else str(said)
