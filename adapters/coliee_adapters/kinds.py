"""The kinds of errors and remarks: a short stable name for each, what it means, and the sentence of each remark.

Scripts and tests tell them apart by these names, never by their wording.
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
    "would-overwrite": "An input, or another result, would be overwritten.",
    "named-twice": "Standard input, standard output or a file name is used twice.",
    "too-large": "The file exceeds a limit, or memory: its size, a line, what it unpacks to, how deep it is nested.",
    "damaged": "Compressed data, an archive or a table is damaged or cut short.",
    "encrypted": "The archive needs a password.",
    "not-text": "The file is binary: another kind of file than the text or table expected.",
    "encoding": "The text is not clean UTF-8: other bytes, UTF-16, NUL, a misplaced byte order mark or line end.",
    "needs-package": "An optional package is not installed.",
    "unknown-format": "The file's format is not recognised, or is not the one expected here.",
    "syntax": "The file breaks the syntax of its format: JSON, XML, CSV, TOML, comments.",
    "structure": "The file is well-formed, and holds other things than its format has there.",
    "missing-key": "A key, element or column value that is needed is missing.",
    "columns": "A line or row has the wrong number of columns.",
    "missing-column": "No column holds what is needed, or none has the name given.",
    "ambiguous": "What is meant can be read in several ways: columns, ids, a measure's name.",
    "mixed-forms": "Entries of one file, or files given together, are written in different ways.",
    "unordered": "The documents of a query are a set, which has no order, and an order is needed.",
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
    "mismatch": "Gold and run share no query or no document, or hardly any as their ids are written.",
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
    "protocol": "The protocol file, or the file of an edition, is not valid.",
    "worker": "A worker process or a cluster failed.",
    "internal": "An error in coliee-ir itself, to be reported with its traceback; the exit code is 70.",
}


class Doubt(str):
    """The sentence of a remark that puts the score in doubt: Python functions warn of it, besides."""

    __slots__ = ()


#: Every kind of remark and its sentence, a ``Doubt`` where the score may be another than the one that was meant; where
#: a kind has several, a word behind a dot tells them apart. ``{n}`` is the count, ``(a|b)`` singular or plural,
#: ``{decision}`` what was done about it (``TREATMENTS``), any other name a field that the finder gives. The first three
#: examples follow in brackets, or the first ten stand for ``{examples}``. The order is that in which the remarks of
#: reading are told: first what moves a score.
REMARKS: Final = {
    "lost-zeros": Doubt(
        "{n} (id matches|ids match) nothing in the gold, probably because leading zeros were lost; "
        "write ids as text, with their zeros"
    ),
    "short-id": Doubt(
        "{n} retrieved (document has|documents have) fewer digits than the gold's; were leading zeros lost?"
    ),
    "odd-id": Doubt(
        "{n} retrieved (document matches|documents match) nothing: (its id is|their ids are) written differently "
        "from the gold's"
    ),
    "other-form": Doubt(
        "{n} (id matches|ids match) nothing: (it differs|they differ) from the gold's only in Unicode normalisation; "
        "`coliee-ir convert RUN OUT --like GOLD` mends the run"
    ),
    "other-spelling": Doubt("{n} query (id matches|ids match) nothing: the gold spells (it|them) differently"),
    "no-match": Doubt("no retrieved document is judged in the gold, so the score is zero"),
    "upside-down": Doubt(
        "AP is {examples} with every list reversed: are the worst documents first? `--decision order=ascending` "
        "turns the lists of all runs around, `coliee-ir convert RUN OUT --decision order=ascending` those of one"
    ),
    "self-retrieved": "{n} (query retrieves|queries retrieve) (itself|themselves) first; "
    "`coliee-ir cut RUN --not-itself -o OUT` removes (it|them)",
    "other-tag": "parts of this run have another run tag, and may belong to another run: {examples}",
    "no-score-reaches": "no score reaches the threshold, so nothing is kept; was the rule tuned on another score "
    "scale?",
    "extra-query": "{decision} {n} (query that is|queries that are) not in the gold",
    "unanswered-query": "{n} (query has|queries have) no results in this run and {decision}",
    "unanswered-query.most": Doubt(
        "{n} (query has|queries have) no results in this run, most of the gold's, and {decision}"
    ),
    "nothing-retrieved": "{n} (query has|queries have) an empty result list and {decision}",
    "duplicate": "{n} duplicate (document|documents) within a query {decision}",
    "empty-gold": "{n} (query has|queries have) no relevant document in the gold and {decision}",
    "judged-only": "{n} (query has|queries have) judged documents but no relevant one in the gold, and (scores|score) "
    "0 in trec_eval's measures",
    "unjudged-query": "{n} (query has|queries have) no judged document in the gold, and trec_eval's measures leave "
    "(it|them) out",
    "relevance-not-reached": Doubt(
        "{n} (measure finds|measures find) no relevant document: no relevance in the gold reaches (its|their) threshold"
    ),
    "absent-exclusion": "the protocol excludes {n} (query that is|queries that are) not in the gold",
    "unknown-claim": "{n} accepted (claim is|claims are) not in the gold and (counts|count) as wrong",
    "missing-claim": "{n} (claim is|claims are) not in the submission and (counts|count) as not accepted",
    "undefined-f1": "{n} (instance has|instances have) no True claim in gold and prediction; the F1 {decision}",
    "tie": "{n} (query has|queries have) documents of equal score; the greater id ranks first, as in trec_eval",
    "tie.cut": "the list is cut between documents of equal score in {n} (query|queries); the greater id is kept, as in "
    "trec_eval",
    "tie-elsewhere": "{n} (measure|measures) can have another value in ir_measures, which ranks the smaller id first",
    "ungrouped": "the lines of a query are not all together; they were grouped by query; several runs need a file each",
    "read-as-score": "no run tag found; the last column, of varying numbers, is read as the score",
    "read-as-rank": "no run tag found; the last column, 1, 2, 3, … per query, is read as the rank",
    "other-part": Doubt(
        "this file holds answers and documents, and one of the two is not read; to read both, use --columns "
        "answer=NAME,document=NAME"
    ),
    "ignored-column": "ignored {n} unknown (column|columns)",
    "ignored-answers": "ignored {n} (column|columns) of answers",
    "binary-score": Doubt(
        "the scores are all 1 and 0, or −1, and documents without 1 count as retrieved; if 1 means retrieved, use "
        "`--columns retrieved=NAME`"
    ),
    "thousands": Doubt("scores such as 4.909 beside 735 are read as decimals; write 4909 for thousands"),
    "unordered": "{n} (query has its|queries have their) documents in a set, without order: measures that look at "
    "ranks cannot be computed",
    "rank-order": "{n} (query has|queries have) ranks that disagree with scores; the scores decide, as in trec_eval; "
    "if the lowest are best, use `--decision order=ascending`",
    "tag": Doubt(
        "{n} (line has|lines have) another run tag than the first line, and (counts|count) as its run; several runs "
        "need a file each"
    ),
    "tag-words": "{n} (line has|lines have) a run tag of several words; the first word counts, as in trec_eval",
    "columns-beyond": "{n} (line has|lines have) more than 6 columns and a number in the sixth; the fifth is the score",
    "no-tag": "{n} (line has|lines have) no run tag; the run is named after its file",
    "unreadable-answer": "{n} (answer is|answers are) neither Y nor N and {decision}",
    "label-form": "{n} (label is|labels are) written otherwise than Y or N and (was|were) accepted",
    "comment": "ignored {n} comment (line|lines)",
    "gold-comment": "ignored {n} comment (line|lines) in the gold",
    "gold-duplicate": "ignored {n} duplicate (document|documents) within a query in the gold",
    "missing-article": "{n} gold (article is|articles are) marked [MISSING ARTICLE n]; n is taken as the number",
    "no-head": "{n} gold (text|texts) without a readable number (names|name) no article; write Article 398-2",
    "gold-files": "the gold is {n} files",
    "gold-link": "did not follow {n} (link that leads|links that lead) out of the gold's folder",
    "not-gold": "skipped {n} (file|files) in the gold's folder that (is not a gold|are not golds)",
    "partial-answers": "{n} (query has|queries have) only articles or only an answer, and (counts|count) as wrong in "
    "Accuracy",
    "gold-itself": Doubt(
        "the run holds the documents or answers of the gold in every query, and no others: is it the gold itself?"
    ),
    "upside-down.opposed": Doubt(
        "{run} and {other} rank the documents that both have in opposite orders; are the worst of "
        "one first? `coliee-ir convert RUN OUT --decision order=ascending` turns it around"
    ),
    "gold-itself.name": Doubt(
        "{run} is named like a gold and reads as one: leave it out of the runs, or fit weights to it with --fit"
    ),
    # scoring
    "left-out": "{measures} not computed, for want of {needed}. For the rules up to {last} (ranked by {ranking}), use "
    "--edition {last}",
    "left-out.part": "{measures} cannot be scored, since this submission does not hold all parts of the task",
    "left-out.counts": "{file}: {measure} not computed: it needs {counts} beside the values of the queries",
    "left-out.totals": "{file}: skipped, because it has no values of single queries: {examples}",
    "left-out.stated": "{file}: {measure} is left out: {run} states {stated} over all, and its queries give {mean}",
    "counted-unanswered": "queries without a line count 0, as what the file states over all shows: {examples}",
    "assumed-direction": Doubt("more is taken as better of {examples}; state the other with --lower-is-better NAME"),
    "beyond-share": Doubt("{measure} is from 0 to 1, but: {examples}"),
    "common-queries": "compared on the {n} of {all} queries that all runs have",
    "order-of-ties": Doubt(
        "tied documents could change these scores (lowest to highest; --ties shows all): {examples}"
    ),
    "not-a-number": Doubt("{n} of {rows} predictions are no numbers, and retrieve nothing: has the model diverged?"),
    "all-retrieved": Doubt(
        "all {n} predictions lie between 0 and 1, and above threshold={threshold}, so that every row is taken as a "
        "yes; are they probabilities? then give threshold=0.5"
    ),
    "no-text": Doubt("left out {n} (query|queries) of the gold without a text"),
    "looked-at": "{n} (run has|runs have) been scored on this gold ({log})",
    "looked-at.luck": "{n} (run has|runs have) been scored on this gold ({log}); if all were equally good, the "
    "best would still be {luck} above their mean {measure} by chance",
    "swapped": Doubt("did you swap gold and run? {run} is named like a gold, {gold} is not"),
    "swapped.values": Doubt("the gold's relevances are decimals and the run's scores integers; are the two swapped?"),
    "identical": "{run} is identical to {twin}",
    # what was handed in
    "passed-over": "skipped {n} {what}: {examples}",
    "passed-over.task": "{file} is of Task {task}, which is not in the file of the edition, and is not ranked",
    "grouped": "{file} has no run tag, and is taken to belong to {other}",
    "grouped.parts": "{tag}: {n} files are parts of one run: {examples}",
    "grouped.queries": "{tag}: {n} files answer different queries, and are one run: {examples}",
    "grouped.folders": "{tag}: its files are in several folders: {examples}",
    "named-otherwise": "the file is named as of Task {task}, and all its queries are those of Task {other}, as "
    "which it is taken",
    "named-otherwise.answers": "the answers are named as of Task {task}, or came beside articles that lack answers, "
    "and no articles have their run tag: taken as of Task {other}",
    "named-otherwise.tag": "the answers are taken as of Task {task}, since articles have their run tag; are they of "
    "Task {other}?",
    "replaces": "{file} came later than {other}, of the same team, and tag or name: if it replaces it, set the status "
    "of the earlier file in the teams file to replaced by {tag}",
    "many-runs": "{team} has {n} (run|runs), and {most} are allowed",
    "many-runs.held": "{team} has {n} (run|runs), and {most} are allowed: until this is settled, only those that the "
    "teams file calls ranked are scored",
    "many-runs.usual": "{team} has {n} (run|runs), and {most} are usual ({source})",
    "incomplete": "{file}: {measure} ranks, and cannot be computed without all parts of a submission",
    "incomplete.set": "{file}: a long list without an answer set of its run tag: name the answer set task3.TAG, the "
    "list task3-L.TAG",
    "incomplete.part": "{file}: run tag {tag} has {part} but no {other}; a submission needs both",
    "incomplete.answers": "{file}: run tag {tag} has articles but no answers; a submission needs both; by the rules up "
    "to {last} the articles rank alone (--edition {last})",
    "team-list": "the teams file lists {n} (run|runs) that did not arrive: {examples}",
    "team-list.missing": "{n} (run is|runs are) not in the teams file: {examples}",
    "team-list.several": "the teams file gives {n} runs with the tag {tag} to {team}: {examples}; list the files of "
    "other teams in it",
    "team-list.none": "no teams are known, so every run would be its team's best; give the teams file with --teams CSV",
    "team-list.other": "the teams file gives the tag {tag} to {team}, but the file came from {other}; list the file "
    "or its folder in the teams file",
    "team-list.nobody": "the teams file has the tag {tag} without a team, and the row does not count: write {other} "
    "beside it if the row is about this file",
    "team-list.folder": "the subject of the mail names {team}, as whose it is taken, but it was saved with what "
    "{other} sent; list the mail in the teams file",
    "team-list.moved": "the teams file gives {n} (run|runs) in the folder of {other} to {team}: {examples}; list the "
    "folder if all of it belongs to {team}",
    "team-sender": "the subject of the mail names no team; taken as {team}'s, because {sender} sent mails of this "
    "team; list the mail in the teams file",
    "team-senders": "{file} came from {sender}, other mails of this team from {examples}; until the teams file lists "
    "it (as disqualified if it is not the team's), it is neither ranked nor published",
    "team-senders.folder": "{file} came by mail from {sender}, other files of this team lie in a folder; until the "
    "teams file lists it (as disqualified if it is not the team's), it is neither ranked nor published",
    "sender-teams": "{sender} sent mails of {n} teams: {examples}; are they one team?",
    "look-alike": "the names of these {n} teams look alike: {examples}; if they are one team, give it one name in "
    "the teams file",
    "look-alike.letters": "the name is also written with invisible characters, or with letters of another script: "
    "{examples}; did another team write it?",
    "undated": "the mail has no date; set its status in the teams file to ranked or late",
    "undated.sender": "the time of the last server is missing, cannot be read, or names no zone, and the time taken is "
    "{time}; set the status in the teams file to ranked or late",
    "damaged-mail": "the mail is cut short or damaged; save it again",
    "doubled-header": "the mail has several lines {examples}; the first subject and sender count, and the last date",
    "forwarded": "the mail holds another one, of {sender}, for {team}, received {time}; the outer one decides the "
    "team, and the later time counts; list the mail in the teams file if it is another team's",
    "team-list.file": "{file}: team unknown; add the file to the teams file",
    "status": "the status {status} in line {line} of the teams file is not understood, and does not count: write "
    "ranked, late, unofficial, disqualified, withdrawn or replaced by TAG",
    "status.column": "line {line} of the teams file has {status} in the column {column}, where it does not count: "
    "write it into the column status",
    "status.replaced": "the teams file says {status}, but no run of this team with that tag is left",
    # an edition
    "awaited": "no run of Task {task} has arrived",
    "late": "received {time}, after the deadline; set its status in the teams file to ranked or late",
    "shared-tag.status": "the row of this tag in the teams file gives {n} runs their status: {examples}; name the file",
    "shared-tag.letters": "the tag has invisible characters, or letters of several scripts; it is {text}",
    "shared-tag": "{n} runs of Task {task} have this tag: {examples}",
    "newest-rules": "no rules of {year} are known; those of {newest} count",
    "same-file": "{file} is the same file as {other} of another team",
    "gold-itself.file": "{file} equals the gold, and is not ranked",
    "perfect-score": "{measure} of Task {task} is {value:.4f}: was the gold known?",
    "everything": "{n} of its {queries} lists for Task {task} have more than {many} documents, and in {measure} a "
    "wrong one costs nothing",
    "undescribed": "no system description has arrived",
    "undescribed.runs": "{n} (run|runs) without a system description: {examples}",
    "undescribed.twice": "{n} (run is|runs are) described in several ways, and the latest counts: {examples}",
    "undescribed.gone": "the system description describes {n} (run|runs) that did not arrive: {examples}",
    "missed-query": "Task {task}: nearly all runs fail {n} of {queries} questions; check the gold of {examples}",
    "refused": "{reason}",
    # rankings and comparisons
    "same-answers": "{n} runs give the same answers: {examples}",
    "same-answers.scores": "{n} runs have the same scores in every query: {examples}",
    "unlike-scales": Doubt(
        "scores of the tasks are on other scales, and the greatest decide the mean: {examples}; rank by --scale wins"
    ),
    "left-out.teams": "{n} (run|runs) left out that (is|are) not the best of a team",
    "left-out.tasks": "{n} (run|runs) left out for want of tasks; behind each, by how much the tasks it has would "
    "raise its mean: {examples}",
    "left-out.empty-tasks": "{n} (task|tasks) left out, because no query of (it|them) counts: {examples}",
    "small-tasks": "{n} (task has|tasks have) fewer than {least} scores a run, and how much these vary is taken from "
    "the other tasks too; intervals of the mean hold only where it is alike: {examples}",
    "same-golds": Doubt("both golds give every run the same scores: is one gold named twice?"),
    "chosen-here": "the best runs of the teams were chosen by these queries: the rank sets allow for that, the scores "
    "and their intervals do not",
    "sheet-rows": "{file}: {n} (question|questions) not judged and skipped",
    "undefined-measure": "{measure} is undefined for {examples}: no query contributes to it",
    "no-difference": "{n} (pair|pairs) of runs (has|have) the same {measure} contributions in every query; "
    "intervals are about other queries",
    "no-difference.error": "{n} (pair|pairs) of runs (differs|differ) by the same amount in every query, so the t test "
    "is undefined",
    "pooled-files": "{n} (file holds|files hold) other queries of the runs of the files before, and all queries count "
    "the same (where each file is a task: leaderboard --tasks file): {examples}",
    "too-few-queries": "runs differ in too few {units} for any difference to be significant",
    "too-few-queries.pairs": "{n} (pair|pairs) of runs (differs|differ) in too few {units} for any difference to be "
    "significant",
    "too-few-resamples": "no difference can be significant here: the smallest possible p is {least:.2g}; use {option}",
    "few-hold-most": "a few queries dominate the score, so {n} (difference has an unbounded interval|differences "
    "have unbounded intervals) (shown as -)",
    "one-sided": "in {n} significant (pair|pairs) one run is better on all {units} that differ: p is too small if it "
    "loses rare ones by far",
    "unlike-answers": "p may be too small: fewer than {queries} queries, and the runs answer different ones",
    "unequal-replicates": "systems of {fewest} and of {most} runs: where runs vary much, 95% intervals may hold the "
    "truth in no more than 90%; give all systems as many runs",
    # fusing and converting
    "weights-no-better": "the fitted weights are not significantly better than {other} on held-out queries "
    "(difference {difference})",
    "weights-no-better.worse": "the fitted weights are significantly worse than {other} on held-out queries "
    "(difference {difference})",
    "fitted-to-others": "weights that were fitted to {fitted} are applied to {applied}, in this order; a run with the "
    "tag of the fitting gets its own weight",
    "fitted-to-others.order": "run order differs from fitting ({fitted}); weights matched by run tag",
    "nothing-shared": Doubt(
        "no query is in two of the runs ({runs}), so nothing is fused: `coliee-ir convert FILE FILE OUT` joins the "
        "files of one run"
    ),
    "unshared-document": Doubt(
        "none of the {n} documents of {run} is in another run: are ids written alike, or are some those of passages "
        "(`coliee-ir convert --chunks`)?"
    ),
    "no-scores": "{examples}: no scores, so document i of n gets the score n − i + 1",
    "lost-zeros.fused": Doubt(
        "{n} (id is|ids are) another without its leading zeros, and fused as different; write ids as text, with their "
        "zeros, as `coliee-ir convert RUN OUT --like GOLD` does"
    ),
    "unshared-query": "{n} of {queries} queries (is|are) not in all runs; {lacking}",
    "left-out.fused": "{n} (query has|queries have) no document that appears in enough runs, and (is|are) left out",
    "answer-tie": "{n} (answer is a tie|answers are ties), decided {label} (--ties {ties}): {examples}",
    "answer-tie.vote": "the samples of {n} (question are|questions are) tied, and (it is|they are) answered N",
    "no-vote": "{n} (sample has|samples have) no answer, and (casts|cast) no vote",
    "dropped": "dropped {n} {what}, not representable in {form}",
    "dropped.parts": "dropped {parts}: {form} represents one part of a submission (labels the answers, jsonl both)",
    "dropped.tag": "dropped the run tag: {form} cannot represent it",
    "bad-tag": "{tag} is not a valid run tag ({rule}); choose another with --tag",
    "no-answer": "{place}: {query}: no answer in the text ({text})",
}

#: The remarks whose examples show what only the gold holds: others than its owner are told no example.
OF_GOLD: Final = frozenset(
    {"lost-zeros", "other-form", "other-spelling", "empty-gold", "judged-only", "unjudged-query", "unknown-claim"}
    | {"relevance-not-reached", "gold-comment", "gold-duplicate", "missing-article", "no-head"}
    | {"gold-files", "missing-claim"}
)

_UNANSWERED: Final = {
    "zero": "(scores|score) 0",
    "skip": "(is|are) left out of macro averages",
    "elsewhere": "(it scores|they score) 0",
}

#: What was done about a kind: by a choice of the decision about it (``elsewhere`` in measures that do not follow the
#: decision, ``unused`` where none does), or by a command.
TREATMENTS: Final = {
    "unanswered-query": _UNANSWERED,
    "nothing-retrieved": _UNANSWERED,
    "extra-query": {"ignore": "ignored", "wrong": "counted as wrong in micro-averages:"},
    "duplicate": {
        "once": "(is|are) ignored; the highest rank counts",
        "wrong": "(counts|count) as wrong",
        "elsewhere": "(it is|they are) ignored; the highest rank counts",
        "fuse": "(is|are) ignored; the highest rank counts",
        "convert": "(is|are) written once",
    },
    "empty-gold": {
        "skip": "(is|are) left out of macro averages",
        "zero": "(scores|score) 0 where undefined",
        "one": "(scores|score) 1 where undefined",
    },
    "undefined-f1": {
        "zero": "counts 0 (--decision undefined=zero)",
        "one": "counts 1 (--decision undefined=one)",
        "skip": "is left out (--decision undefined=skip)",
    },
    "unreadable-answer": {
        "refuse": "(is|are) refused",
        "wrong": "(counts|count) as wrong",
        "unused": "(does|do) not affect the measures asked for",
        "fuse": "(casts|cast) no vote",
        "convert": "(is|are) left out",
    },
}


def with_kind(remark: object) -> str:
    """An error or a remark as it is printed: its sentence and, at the end, its kind in brackets, if it has one."""
    kind = getattr(remark, "kind", "").rpartition(":")[2]
    return f"{remark} [{kind}]" if kind else str(remark)
