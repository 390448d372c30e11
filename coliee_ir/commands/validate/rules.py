"""The table of rules: how bad it is to break one, what is said, what to do about it, who says so, what ``--fix`` does.

It imports nothing of the program but who states rules: what finds a rule broken is in ``CHECKS`` of ``check.py``, and
reports it by the rule's name, written out.
"""
# ruff: noqa: E501

from __future__ import annotations

from enum import StrEnum
from typing import Final, NamedTuple

from coliee_ir.rules.protocol import Authority


class Severity(StrEnum):
    """How bad a finding is.

    ``error``: the organisers' rules, or any evaluator that follows them, would reject or mis-score it. ``warning``:
    most likely a mistake. ``note``: worth knowing.
    """

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Rule(NamedTuple):
    """A rule of what a submission must look like."""

    severity: Severity  # how bad it is to break it
    says: str  # what was found, with ``{n}`` for the count and ``(a|b)`` for singular and plural
    remedy: str  # what to do, unless the place at hand tells more
    source: Authority  # who says so; a number that differs by task and edition may have a source of its own
    mended: str = ""  # what ``--fix`` does about it; empty where that takes a decision
    command: str = ""  # the command that does what the remedy says, with the facts of the place by name


#: More documents of a query than a system needs whose answers are scored as a set; golds have one to four on average
MANY: Final = 20

_E, _W, _N = Severity.ERROR, Severity.WARNING, Severity.NOTE
_PROTOCOL = Authority.PROTOCOL
_PAGE, _PILOT, _OURS = Authority.PAGE, Authority.PILOT, Authority.OURS
_LINES: Final = "{n} (line|lines)"
_WITH_TAG: Final = "validate {file} {rules} --tag TAG --fix OUT"
#: also named where a line has three columns of six
CONVERT: Final = "convert {file} OUT --to {form}{columns_option}{like}"

# one rule a row
# fmt: off
#: Every rule by its name, in the order in which findings are listed.
RULES: Final[dict[str, Rule]] = {
    # the file
    "unreadable": Rule(_E, "the file cannot be read", "see the place", _OURS),
    "unchecked": Rule(_E, "the file could not be checked to the end, because of an error in coliee-ir", "report it", _OURS),
    "empty": Rule(_E, "the file contains no submission lines", "write one line per document or answer", _OURS),
    "utf-16": Rule(_E, "the file is UTF-16", "save it as UTF-8, or better as ASCII", _PAGE, "written as UTF-8"),
    "not-utf8": Rule(_E, "{n} (byte is|bytes are) not UTF-8", "save the file as UTF-8, or better as ASCII", _PAGE, "taken out of run tags"),
    "bom": Rule(_E, "the file begins with a byte order mark, which becomes part of the first query id", "save as UTF-8 without BOM", _PAGE, "taken off"),
    "form": Rule(_E, "the file is not in the format that the task asks for", "send lines of columns", _PAGE, "lists of documents in JSON are written in columns; the run tag is the file's name or --tag", command=CONVERT),
    "json": Rule(_W, "the file is JSON; the organisers ask for columns, though they scored runs in JSON in 2024", "send columns", _PAGE, "lists of documents are written in columns; the run tag is the file's name or --tag", command=CONVERT),
    "empty-list": Rule(_N, "{n} (query has|queries have) an empty list", "it counts as unanswered", _OURS),
    "carriage-return": Rule(_E, f"{_LINES} (ends|end) in a carriage return alone, which no evaluator reads as a line end", "save with Unix line ends", _OURS, "replaced by newlines"),
    "line-separator": Rule(_E, f"{_LINES} (ends|end) in a Unicode line separator, which no evaluator reads as a line end", "save with Unix line ends", _OURS, "replaced by newlines"),
    "crlf": Rule(_W, f"{_LINES} (ends|end) in a carriage return and a newline", "save with Unix line ends", _OURS, "replaced by newlines"),
    "control": Rule(_E, f"{_LINES} (holds|hold) control characters", "remove them", _OURS, "taken out"),
    "not-ascii": Rule(_E, f"{_LINES} (contains|contain) non-ASCII characters", "write ASCII", _PAGE, "full-width letters and digits, dashes, wide blanks and 第537条 written in ASCII; invisible characters removed"),
    "header": Rule(_E, "the first line names columns", "remove it: only lines of a submission are asked for", _PAGE, "taken out"),
    "table": Rule(_E, "the first line names columns that a submission does not have", "write {columns}", _PAGE, command=CONVERT),
    "comment": Rule(_W, "{n} comment (line|lines)", "remove (it|them), though the organisers' own sample of a long list begins with one", _OURS, "taken out"),
    "blank-line": Rule(_N, "{n} blank (line|lines)", "remove (it|them)", _OURS, "taken out"),
    "separator": Rule(_E, f"{_LINES} (is|are) not separated by single blanks", "put one blank between columns", _PAGE, "single blanks written"),
    "trailing-blank": Rule(_N, f"{_LINES} (ends|end) in blanks", "harmless: the organisers' own page has them", _OURS, "taken off"),
    # the columns
    "cut-short": Rule(_E, "the last line is incomplete and has no line end: the file is truncated", "write or copy the file again", _OURS),
    "no-newline": Rule(_N, "the last line has no line end", "end it with a newline", _OURS, "added"),
    "columns": Rule(_E, f"{_LINES} (has|have) the wrong number of columns", "write {columns}", _PAGE),
    "trec-columns": Rule(_E, f"{_LINES} (has|have) TREC's six columns", "write three: QUERY DOCUMENT TAG", _PAGE, "written in three columns, best score first"),
    "tag-missing": Rule(_E, f"{_LINES} (has|have) no run tag", "write it as the last column", _PAGE, "written, if other lines have it or --tag names it", command=_WITH_TAG),
    "tag-words": Rule(_E, f"{_LINES} (has|have) a run tag of several words", "write one word of letters and digits", _PAGE, "blanks removed", command=_WITH_TAG),
    "tag-characters": Rule(_E, f"{_LINES} (has|have) a run tag with characters other than letters and digits", "remove them", _PAGE, "taken out", command=_WITH_TAG),
    "tag-length": Rule(_E, f"{_LINES} (has|have) a run tag of more than {{tag_length}} characters", "shorten it", _PAGE, "shortened, unless two runs would then share a tag", command=_WITH_TAG),
    "tag-differs": Rule(_E, f"{_LINES} (has|have) another run tag than the first", "give the file one tag, or each run its own file", _PAGE),
    # queries
    "query-form": Rule(_E, "{n} query (id does|ids do) not have the organisers' format", "write ids as the organisers do", _PAGE, "rewritten to match --queries, if given", command="validate {file} {rules} --queries FILE --fix OUT"),
    "query-unknown": Rule(_E, "{n} query (id is|ids are) not in the query list", "is this the run of another year or task?", _OURS),
    "query-missing": Rule(_W, "{n} (query is|queries are) not answered", "an unanswered query lowers recall, or counts as wrong; is part of the run missing?", _OURS),
    # documents
    "q0": Rule(_E, f"{_LINES} (has|have) something other than Q0 in column 2", "write Q0", _PAGE, "Q0 written"),
    "txt-suffix": Rule(_E, "{n} (id ends|ids end) in .txt", "write the number alone", _PAGE, "taken off"),
    "document-form": Rule(_E, "{n} document (id is|ids are) not written as the organisers do", "write ids as the organisers do", _PAGE, "articles written by their numbers, other ids as --corpus or --gold has them", command="validate {file} {rules} --corpus DIR --fix OUT"),
    "document-unknown": Rule(_E, "{n} (document is|documents are) not in the corpus", "write ids as the corpus does", _OURS),
    "self-retrieved": Rule(_W, "{n} (query retrieves|queries retrieve) (itself|themselves)", "a case does not cite itself: remove it", _OURS, command="cut {file} --not-itself {rules} -o OUT"),
    "duplicate": Rule(_W, f"{_LINES} (repeats|repeat) a document or answer already given for the query", "list each document once", _OURS, "left out"),
    "score": Rule(_E, "{n} (score is not a finite number|scores are not finite numbers)", "write scores like 12.5", _PAGE),
    "rank": Rule(_E, "{n} (rank is not an integer|ranks are not integers)", "write ranks 1, 2, 3, …", _PAGE, "ranks written by score"),
    "rank-order": Rule(_W, "{n} (query has|queries have) ranks that disagree with scores", "evaluators follow the scores: write the ranks by them; if the lowest are best, add --decision order=ascending", _OURS, command=CONVERT),
    "rank-numbers": Rule(_N, "{n} (query has|queries have) ranks other than 1, 2, 3, …", "write ranks from 1, without gaps", _OURS, "ranks written by score"),
    "equal-scores": Rule(_W, "{n} (query has|queries have) the same score for all documents", "ties are broken by id, so the order is lost: write scores that decrease with the rank", _OURS),
    "everything": Rule(_W, "{n} (query retrieves|queries retrieve) more than half of all documents", "recall is trivially high: shorten the list", _OURS, command="cut {file} --by k=N {rules} -o OUT"),
    "long-answer": Rule(_W, f"{{n}} (query has|queries have) more than {MANY} documents in a file scored as a set", "most queries have few relevant documents: shorten the list", _OURS, command="cut {file} --by k=N {rules} -o OUT"),
    "long-list-count": Rule(_E, "{n} (query does|queries do) not have {long_list} documents in the long list", "write {long_list} per query", _PAGE, command="cut {file} --by k={long_list} {rules} -o OUT"),
    # answers
    "label-form": Rule(_E, "{n} (label is|labels are) not written Y or N", "write Y or N", _PAGE, "written Y or N"),
    "label-unknown": Rule(_E, "{n} (label is|labels are) neither yes nor no", "write Y or N, or have them written by convert --to labels --labels Y=WORD,N=WORD", _PAGE),
    "answered-twice": Rule(_E, "{n} (query is|queries are) answered both Y and N", "keep one; of samples of a model, the answer that most give", _OURS, command="convert {file} OUT --to labels --aggregate vote --tag TAG"),
    # the pilot
    "instance": Rule(_E, f"{_LINES} (is not an instance|are not instances)", "send the organisers' file with each null replaced by true or false", _PILOT),
    "instance-twice": Rule(_E, "{n} (instance appears|instances appear) twice", "give each once", _OURS),
    "null-decision": Rule(_E, "{n} court_decision (value is|values are) null: the run is disqualified for tort prediction", "write true or false", _PILOT),
    "null-acceptance": Rule(_E, "{n} is_accepted (value is|values are) null: the run is disqualified for rationale extraction", "write true or false", _PILOT),
    "no-decisions": Rule(_W, "every court_decision is null: the run is not scored for tort prediction", "fill them in, or take part in rationale extraction only, and check with --task rationale", _PILOT),
    "no-acceptances": Rule(_W, "every is_accepted is null: the run is not scored for rationale extraction", "fill them in, or take part in tort prediction only, and check with --task tort", _PILOT),
    "instance-missing": Rule(_E, "{n} (instance is|instances are) missing", "send every instance of the test file", _OURS),
    "instance-unknown": Rule(_E, "{n} (instance is|instances are) not in the test file", "send those of the test file", _OURS),
    "claim-missing": Rule(_E, "{n} (claim is|claims are) missing", "send every claim of the test file", _OURS),
    "claim-unknown": Rule(_E, "{n} (claim is|claims are) not in the test file", "send those of the test file", _OURS),
    # a shared task of others
    "too-many": Rule(_E, "{n} (query has|queries have) more than {most} documents", "shorten the (list|lists)", _PROTOCOL, command="cut {file} --by k={most} {rules} -o OUT"),
    # all files together
    "tag-shared": Rule(_E, "another file has the same run tag", "give each run its own tag", _PAGE, command=_WITH_TAG),
    "runs": Rule(_E, "{n} runs given; a team may submit at most {most_runs}", "choose {most_runs}; check each team's runs separately", _PAGE),
    "runs-unstated": Rule(_W, "{n} runs were given together; the organisers state no limit for this task and edition; elsewhere it is {most_runs}", "choose {most_runs}, or ask the organisers", Authority.OVERVIEW_2021),
    "part-missing": Rule(_W, "the {missing} of this run are not among the files", "check all files of a submission together, with the same run tag; or name the --edition whose rules count", _OURS),
    "partial": Rule(_W, "{n} (query has|queries have) articles or an answer, but not both", "a question needs both to be right: add what is missing", Authority.EVALUATION),
    "long-list-missing": Rule(_W, "the long list of this run is not among the files", "two files are required, task3.TAG and task3-L.TAG: check both together, with the same run tag", Authority.README),
    "answer-set-missing": Rule(_W, "the answer set of this long list is not among the files", "two files are required, task3.TAG and task3-L.TAG: check both together, with the same run tag", Authority.README),
    "description": Rule(_N, "a system description, of {runs}", "send it with the runs", _PAGE),
    "description-task": Rule(_E, "{n} (description names|descriptions name) no task of the form, or not that of the run", "write Task: 1, 2, 3, 4 or pilot, as the run's task is", _PAGE),
    "description-tag": Rule(_W, "{n} described run (tag is|tags are) not among the files", "write the run tags as in the runs", _PAGE),
    "description-empty": Rule(_W, "{n} (field of the system description is|fields of system descriptions are) empty", "fill (it|them) in; write none where there is nothing", _PAGE),
    "model-date": Rule(_E, "{n} (model is|models are) not older than {limit}, the limit for Tasks 3 and 4", "use models that were last updated before", _PAGE),
    "model-undated": Rule(_W, "{n} (description does|descriptions do) not date the models, which must be older than {limit}", "write each model's date of update, such as 2024-05-01", _PAGE),
    "undescribed": Rule(_W, "this run is not described in the system description", "add a block with its run tag", _PAGE),
}
# fmt: on
