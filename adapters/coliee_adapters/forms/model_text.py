"""Answers Y or N in what language models wrote: read where they are plain, and never guessed.

An answer is read from

- an answer that is marked: ``Answer: Yes``, ``the label is N.``, ``{"answer": "Y"}``, ``答え：○``; where one is marked
  as the final one, it alone counts;
- the beginning of the text: ``Yes, because …``, ``N``;
- and the last line, where it is nothing else: ``No.``

``<answer>No</answer>`` and ``【答え】×`` are marked answers, and so are ``本問は誤り。`` and, where
a sentence begins, ``記述は正しい。`` and ``The statement is true.`` (or correct, as in
``Answer: Correct``). The words are those that the user names; Y, Yes, True,
Entail, Entails, Entailed, Entailment, はい, 正しい, 正, 適切, ○ and N, No, False, Not true,
Not entailed, Non-entailment, Contradiction, いいえ, 誤り, 誤, 誤っている, 間違い, 間違っている, 正しくない, 適切でない,
不適切, ×, in any case. The clause must end after them: ``No article …`` is no answer, and
nor is ``Y, the seller, …``. A mark that is denied, or is a condition, marks nothing: ``the wrong answer is Yes``, ``if
the answer is Yes``. Nor is a word that the rest of its sentence denies (``はい、とは言えない``, ``Yes, that is not
correct``), or beside which is its probability. What reasoning models think, ``<think>…</think>``, is not read. Where
several answers are found that differ, or a second thought behind one (``Wait, actually no.``), or that the statement is
what the answer denies, or none, the text has no answer.
"""

from __future__ import annotations

import csv
import functools
import io
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from coliee_adapters.errors import InputError, Place, quoted
from coliee_adapters.files.source import Source
from coliee_adapters.forms import json_text
from coliee_adapters.forms.form import Form, FoundRows, Row
from coliee_adapters.forms.lines import BLANKS, Note
from coliee_adapters.forms.vocabulary import (
    ANSWERS,
    EVERY_NAME,
    normal_name,
    paths_in,
    words_of,
)

FORM: Final = "text"

_YES: Final = ("yes", "true", r"entail(?:s|ed|ment)?(?!\s*[:=])", "はい", "正しい", "正(?!、)", "適切(?!、)", "○")
_NO: Final = (
    *("not entail(?:s|ed|ment)?", "non-entailment", "no entailment", "not true", "no", "false"),
    r"contradict(?:s|ed|ion)(?!\s*[:=]|\W+no(?:ne)?\b)",
    *("いいえ", "誤り", "誤(?!、)", "誤っている", "誤っています", "間違い", "間違っている", "×"),
    *("正しくない", "正しくありません", "適切でない", "適切ではない", "不適切"),
)
#: what a statement is called, and by some models their answer
_CORRECT: Final = ("correct", "right")
_INCORRECT: Final = ("incorrect", "wrong", "not correct", "not right")
#: other signs for right and wrong
_SIGNS: Final = str.maketrans("〇◯✕✗✖", "○○×××")
#: how likely an answer is
_CHANCE: Final = r"-?(?:[0-9]*\.[0-9]+|[0-9]+\s*%)"
#: after a condition, beside the other word, or with how likely it is, a word is no answer
_OPEN: Final = (
    r"(?![\s,;(/]*(?:but\s+)?(?:only\s+)?(?:if|unless|provided|assuming|or|otherwise|maybe|perhaps|possibly)\b)"
    rf"(?!\s*:\s*{_CHANCE})"
)
_END: Final = (
    r"(?=\s*(?:[,;:!。、()\n—–]|\.(?!\s*[0-9])|$|-\s|(?:because|since|by)\b|です(?![がか])|である|だ(?:[。\n]|$)|"
    r"[にと](?:変更|訂正|修正)?(?:する|します)(?:[。\n]|$)))"
)
#: a letter can be a person of the case: Y, the seller, …
_END_OF_LETTER: Final = (
    r"(?=\s*(?:[;:!。)\n]|\.(?!\s*[0-9])|$|,\s*(?:because|since|\w+\s*[:=])|(?:because|since)\b|です(?![がか])|"
    r"\(\s*(?:confidence|certainty|probability|score|確信度|信頼度)))"
)
_MARK: Final = (
    r"(?:(?:answer|output|label|verdict|conclusion|prediction|judge?ment|decision|entailment|entailed)"
    r"(?:\s*\([^()\n]{0,40}\)|\s+y(?:es)?(?:/|\s+or\s+)no?\b)?|y(?:es)?(?:/|\s+or\s+)no?\b(?=\s*[:=])|"
    r"答え|回答|解答|結論|判定|正解)"
    r"\s*(?:is(?: now)?|should be|must be|(?:changes )?to|:|=|->|→|は|を|】|\s[-–—]\s)\s*+:?\s*+"
)
#: what a Japanese judgement is on; elsewhere in a sentence, what is called 記述 may be a part of the question
_STATEMENT: Final = (
    r"(?:(?:(?:本問|本肢|設問|問題文)(?:の(?:記述|内容))?|本記述|この記述|(?<![^\n。])記述)は|"
    r"(?:(?<![^\n])|(?<=[.,] ))the (?:statement|hypothesis) is\b)\s*+"
)
#: what is said of an answer too, but behind these marks is the answer
_JUDGED: Final = (
    r"(?:(?<![^\n.!?,;])[^\S\n]*+(?:the |my )?(?:final )?answer\s*[:=]\s*+|"
    r"(?:(?:(?<![^\n])|(?<=\. ))(?!the \w+ is \w+,)|\b(?:so|(?:thus|hence|therefore|however|in conclusion),?) )"
    r"the (?:statement|hypothesis) is\b\s*+)"
)
#: a second thought: No. Wait, actually yes.
_AGAIN: Final = (
    r"(?<![^.!?。,;:、\n—–-])[^\S\n]*+(?:(?:no,? )?wait|actually|hmm+|sorry|(?:let me )?correct(?:ion| myself)|rather|"
    r"scratch that|(?:up)?on (?:further )?(?:reflection|second thoughts?)|but(?=\s)|therefore|thus|hence|so|"
    r"(?:so )?it should be|"
    r"いや|訂正|やはり|実は|よって|したがって)[^\w○×]*"
)
#: how many characters before a mark are looked at
_BEFORE: Final = 500
#: how the rest of a sentence goes on that denies the answer before it, and ends there
_GOES_ON: Final = r"[^\S\n]*+(?:[、,;:—–]|-\s)?[^\S\n]*+"
_STOPS: Final = r"(?=\s*(?:[,;!。、\n]|\.(?:\s|$)|$)|です|が|ので|から)"
_SAID_NOT: Final = (
    r"と(?:まで)?(?:は|も)?(?:(?:[言い]え|[言い]い切れ|断[言定](?:することは)?でき|限ら|考えられ|認められ)(?:ない|ぬ|ません)|"
    r"限りません|[言い]えるかは疑問(?:である)?)"
)
_THAT: Final = r"(?:(?:そ[うれ]|これ|(?:本問|本肢|設問|問題文)(?:の(?:記述|内容))?|(?:本|この)?記述)?[はがも]?)"
_IT: Final = r"(?:that|this|it|which|the (?:statement|hypothesis|claim|answer)) ?"
_IS_NOT: Final = r"(?:(?:is|was|s) ?(?:not|nt)|cannot|can not|cant) (?:be )?"
_RIGHT: Final = r"(?:correct|right|true|entailed|the (?:case|answer))"
_WRONG: Final = r"(?:incorrect|wrong|false|untrue)"
_DENIES_YES: Final = (
    rf"(?!{_GOES_ON}(?:{_THAT}(?:(?:正しい|適切|妥当)?(?:だ|である)?(?:{_SAID_NOT}|では(?:ない|ありません))|"
    rf"正しく(?:ない|ありません)|誤り(?:だ|である)?)|"
    rf"(?:{_IT})?(?:{_IS_NOT}(?:{_RIGHT}|so|said|confirmed|concluded)|i?s {_WRONG})){_STOPS})"
)
_DENIES_NO: Final = (
    rf"(?!{_GOES_ON}(?:(?:{_THAT}(?:誤り|誤っている|間違い|不適切)(?:だ|である)?)?{_SAID_NOT}|"
    rf"{_THAT}(?:誤り|間違い|不適切)では(?:ない|ありません)|そ(?:う|の(?:とお|通)り)で(?:す|ある)|"
    rf"{_IT}(?:i?s (?:indeed )?{_RIGHT}|{_IS_NOT}{_WRONG})){_STOPS})"
)
#: what a text says of the statement behind its answer, wherever in a sentence
_LATER: Final = (
    r"\b(?<!of )(?<!why )(?<!otherwise, )(?:the|this) (?:given )?(?:statement|hypothesis|claim) "
    r"(?:in question )?(?:is|was)(?: in fact| therefore| thus| actually)? ?"
    rf"(?:(?P<no>(?:not|nt) {_RIGHT}|{_WRONG})|(?P<yes>(?:not|nt) {_WRONG}|{_RIGHT}))"
    rf"(?=\s*(?:[.,;:!)\n]|$|(?:because|since|as|under|by|due|given|according|pursuant)\b)){_OPEN}"
)
#: an element that holds the answer: <answer>No</answer>
_ELEMENT: Final = r"(?si)<(answer|label|final_answer)>((?:(?!<\1>).)*?)</\1>"


class _Patterns(NamedTuple):
    """What answers look like."""

    word: str
    judged: str  # or what a statement is called: correct
    said_twice: tuple[str, str]  # Y (Yes), N (No)
    in_brackets: str  # with nothing else in them
    chances: tuple[str, str]  # each word with how likely it is


@functools.lru_cache(maxsize=4)
def _patterns(words: frozenset[tuple[str, str]]) -> _Patterns:
    """The patterns with further words; a word of the user's means what the user says and nothing else."""
    further = {label: [one for one, meant in words if meant == label] for label in ANSWERS}
    of_yes, of_no = (further["Y"], further["N"]), (further["N"], further["Y"])
    yes, no = _alternatives(_YES, *of_yes), _alternatives(_NO, *of_no)
    word = _word(yes, no)
    judged = _word(_alternatives(_YES + _CORRECT, *of_yes), _alternatives(_NO + _INCORRECT, *of_no))
    yes, no = f"{yes}|y", f"{no}|n"
    twice = rf"(?<!\w)({yes})\s*\((?:{yes})\)", rf"(?<!\w)({no})\s*\((?:{no})\)"
    chances = rf"(?<!\w)(?:{yes})\W{{0,4}}{_CHANCE}", rf"(?<!\w)(?:{no})\W{{0,4}}{_CHANCE}"
    return _Patterns(word, judged, twice, rf"\(\s*({yes}|{no})\s*\)", chances)


def _alternatives(known: Iterable[str], own: Iterable[str], others: Iterable[str]) -> str:
    """The words of one answer: the user's, and those that the user does not name for the other one."""
    return "|".join((*map(re.escape, own), *(one for one in known if not any(re.fullmatch(one, x) for x in others))))


def _word(yes: str, no: str) -> str:
    return (
        rf"(?:(?P<no>(?:{no}){_END}|n{_END_OF_LETTER}){_DENIES_NO}|"
        rf"(?P<yes>(?:{yes}){_END}|y{_END_OF_LETTER}){_DENIES_YES}){_OPEN}"
    )


#: what stands before a mark that marks no answer: in the sentence, after what draws a conclusion, and in the clause
_CONDITION: Final = r"\b(?:if|whether|unless|when|either|suppos\w*|assum\w*)\b|\bor\s*$|もし|場合"
_CONCLUSION: Final = r"\b(?:therefore|thus|hence|so|accordingly|consequently)\b|したがって|よって"
_DENIAL: Final = (
    r"\b(?:not|never|cannot|\w+nt|wrong|incorrect|false|first|initial|initially|previous|earlier|opposite|other|"
    r"would|could|might|may)\b"
)

#: what a model thinks before it answers; the beginning may stand in the prompt, and the end may be cut off
_THOUGHTS: Final = r"(?si)<(think|thinking|reasoning)>.*?(?:</\1>|\Z)|\A.*</(?:think|thinking|reasoning)>"

#: quotes, brackets and Markdown around an answer
_AROUND: Final = r"""[*_`"'“”‘’\[\]{}<>#$「」]|\\boxed|\\text"""

#: what the column of a model's text is called; a name of an earlier tier wins
_TEXTS: Final = (
    ("output", "response", "generated_text", "generation", "completion", "model_output", "raw_output", "raw"),
    ("text", "content", "message", "reply"),
    ("answer", "prediction", "predicted", "pred"),
)


def label_of(text: str, words: Mapping[str, str] | None = None) -> bool | None:
    """The answer that a text gives: True for Y, False for N, None where there is none, or several that differ.

    ``words`` are further words with the answer that each is, Y or N.

    >>> label_of("Article 5 applies. **Answer: Yes**"), label_of("No, because …"), label_of("No article says so.")
    (True, False, None)
    """
    known = _patterns(frozenset((_normal(word), label) for word, label in (words or {}).items()))
    text = re.sub(_ELEMENT, r"\nanswer: \2\n", re.sub(_THOUGHTS, "", _normal(text)))
    plain = re.sub(_AROUND, "", text).strip()
    for twice in known.said_twice:
        plain = re.sub(twice, r"\1", plain)
    plain = re.sub(known.in_brackets, r"\1", plain)
    if all(re.search(chance, plain) for chance in known.chances):
        plain = re.sub("|".join(known.chances), "", plain)
    answers = _asserted(rf"(?<!\w)(?:final|最終(?:的な)?)\s*{_MARK}{known.word}", plain)
    if not answers:
        lines = [line.strip() for line in plain.split("\n") if line.strip()]
        start = re.match(known.word, plain)
        last = re.fullmatch(rf"(?:result\s*[:=]\s*)?{known.word}\W*", lines[-1]) if lines else None
        marked = _asserted(rf"(?:(?<!\w){_MARK}|{_STATEMENT}){known.word}", plain)
        judged = _asserted(_JUDGED + known.judged, plain)
        answers = [*marked, *judged, *(match for match in (start, last) if match)]
    # another answer directly after one, or later, as a second thought: Yes, no; No. Wait, actually yes.
    directly = re.compile(rf"[^\w○×\n]*{known.word}")
    behind = [directly.match(match.string, match.end()) for match in answers]
    if answers:
        rest = plain[min(match.end("yes" if match["yes"] else "no") for match in answers) :]
        alone = rf"(?<=[.!。\n])[^\S\n]*+{known.word}(?=\s*(?:[.!。\n]|$))"
        behind += [*re.finditer(alone, rest), *_asserted(_AGAIN + known.word, rest)]
        behind += [*_asserted(_LATER, rest), *_asserted(rf"(?<=、)記述は{known.word}", rest)]
    labels = {match["yes"] is not None for match in (*answers, *behind) if match}
    return labels.pop() if len(labels) == 1 else None


def _normal(text: str) -> str:
    return unicodedata.normalize("NFKC", text.translate(_SIGNS)).lower()


def _asserted(pattern: str, text: str) -> list[re.Match[str]]:
    """The marked answers but those that the words before them deny or make a condition."""
    asserted = []
    for match in re.finditer(pattern, text):
        before = text[max(match.start() - _BEFORE, 0) : match.start()]
        sentence = re.split(_CONCLUSION, re.split(r"[.!?。\n]", before)[-1])[-1]
        if not re.search(_CONDITION, sentence) and not re.search(_DENIAL, re.split("[,;:、]", sentence)[-1]):
            asserted.append(match)
    return asserted


#: in what the text stands where a service, or a library of models, wrote the file
_WRAPPERS: Final = ("choices", "body", "candidates", "parts", "result")


#: under which lists hold the pieces of a text, and no samples
_PIECES: Final = ("parts", "content")
#: the types of pieces that hold what a model thought before
_THOUGHT: Final = ("thinking", "redacted_thinking", "reasoning")


class ModelAnswer(NamedTuple):
    """The text for a query, where it is, and the answer in it: True for Y, False for N, None for none."""

    query: str
    label: bool | None
    text: str
    place: Place


def read(source: Source, *, samples: bool = False) -> Iterator[ModelAnswer]:
    """The answers in a file: JSON, JSON Lines, a table with a header, or lines of an id and a text.

    With ``samples``, an item may hold several texts, each of which is an answer.
    """
    text, words = source.text(), words_of(source.columns)
    is_empty = True
    for query, texts, place in (_json if text.lstrip().startswith(("{", "[")) else _lines)(text, source):
        if len(texts) > 1 and not samples:
            remedy = "samples are put to the vote by --aggregate vote; else write an item for each text"
            raise place.fault("structure", f"this item has {len(texts)} texts", quoted(texts[1]), remedy)
        is_empty = is_empty and not texts
        yield from (ModelAnswer(query, label_of(content, words), content, place) for content in texts)
        if not texts:
            yield ModelAnswer(query, None, "", place)
    if is_empty:
        remedy = "give lines ID TEXT, or JSON"
        raise InputError("empty", source.name, "the file contains no texts", remedy=remedy)


def _rows_of(source: Source, _: Note) -> FoundRows:
    """The answers; what has none is an empty word."""
    return (
        Row(model_answer.place, model_answer.query, answer="" if model_answer.label is None else model_answer.label)
        for model_answer in read(source)
    )


class _Item(NamedTuple):
    """What a file holds for a query: its texts, of which one that failed has none."""

    query: str
    texts: list[str]
    place: Place


def _json(text: str, source: Source) -> Iterator[_Item]:
    part, items = "line", json_text.lines(source)
    if not json_text.is_lines(text):
        whole: Any = json_text.parse(text, source.name)
        if isinstance(whole, dict) and (records := _under_a_key(whole, source)):
            whole = records
        if isinstance(whole, dict) and not _is_record(whole, source):
            for i, (name, value) in enumerate(whole.items(), start=1):
                yield _item(name, value, Place(source.name, "item", i), source)
            return
        part, items = "item", enumerate(whole if isinstance(whole, list) else [whole], start=1)
    for number, value in items:
        yield _record(value, Place(source.name, part, number), source)


def _is_record(whole: Mapping[str, Any], source: Source) -> bool:
    """Whether an object is the one record of a file, and not texts by the ids of their queries."""
    texts = {name for tier in _TEXTS for name in tier}
    is_line = "query" in source.columns or source.name.endswith(json_text.ENDINGS_OF_LINES)
    return is_line or bool(_query(whole, source)) or not texts.isdisjoint(map(normal_name, whole))


def _under_a_key(whole: Mapping[str, Any], source: Source) -> list[Any]:
    """The items with ids of queries under the one path that holds such; empty where there is none, or several."""
    lists = [listed for _, listed in json_text.objects_under(whole)]
    return lists[0] if len(lists) == 1 and _query(_with_user_paths(lists[0][0], source), source) else []


def _with_user_paths(value: Mapping[str, Any], source: Source) -> Mapping[str, Any]:
    """An item with what the user named by paths."""
    return json_text.with_paths(value, paths_in(source.columns))


def _record(value: Any, place: Place, source: Source) -> _Item:
    value = _with_user_paths(value, source) if isinstance(value, dict) else value
    if not isinstance(value, dict) or not (name := _query(value, source)):
        raise place.fault(
            "missing-id", "this item has no query id", str(value), "name it query_id, or with --columns query=NAME"
        )
    return _item(str(value[name]), value, place, source)


def _item(query: str, value: Any, place: Place, source: Source) -> _Item:
    """An item with its texts, which services and libraries wrap in something."""
    return _Item(query, _texts(value, place, source.columns.get("answer", "")), place)


def _texts(content: Any, place: Place, path: str, key: str = "") -> list[str]:
    """The texts in what is under a key, perhaps under a path from there; none where an item failed."""
    if content is None:
        return []
    if isinstance(content, list) and content:
        parts = content[-1:] if _is_dialogue(content) else content
        parts = [part for part in parts if not (isinstance(part, dict) and part.get("type") in _THOUGHT)]
        if path:
            parts = [
                part for part in parts if isinstance(part, dict) and not {path, path.split(".")[0]}.isdisjoint(part)
            ]
        if len(parts) > 1 and key in _PIECES:
            problem = f"the text of this item is in {len(parts)} pieces"
            raise place.fault("structure", problem, str(content), "join the pieces of a text")
        if parts:
            return [text for part in parts for text in _texts(part, place, path)]
    if isinstance(content, str) and not path:
        return [content]
    names = {normal_name(name): name for name in content} if isinstance(content, dict) else {}
    if path:
        first = path if path in names.values() else path.partition(".")[0]
        keys = [name for name in names.values() if name == first]
    else:
        first = ""
        tiers = ([names[name] for name in tier if name in names] for tier in (*_TEXTS, _WRAPPERS))
        keys = next((tier for tier in tiers if tier), [])
    if not keys and isinstance(content, dict) and content.get("error"):
        return []
    if len(keys) != 1:
        what = f"several texts ({', '.join(map(quoted, keys))})" if keys else "no text"
        remedy = "write it under text, or name it with --columns answer=NAME"
        raise place.fault("missing-key", f"this item has {what}", str(content), remedy)
    return _texts(content[keys[0]], place, path[len(first) + 1 :], normal_name(keys[0]))


def _is_dialogue(messages: list[Any]) -> bool:
    """Whether a list is of messages, the last of which is the model's."""
    are_messages = all(isinstance(message, dict) and "role" in message for message in messages)
    return are_messages and messages[-1]["role"] in ("assistant", "model")


def _query(value: Mapping[str, Any], source: Source) -> str:
    """The name of the member that holds the query's id; empty where there is none."""
    if named := source.columns.get("query"):
        return named if named in value else ""
    if "custom_id" in value:  # of a batch, whose own id is another
        return "custom_id"
    return next((name for name in value if normal_name(name) in EVERY_NAME["query"] and name != "query"), "")


def _lines(text: str, source: Source) -> Iterator[_Item]:
    first = text.lstrip("\ufeff").split("\n", 1)[0]
    separator = max("\t,;", key=first.count)
    names = next(csv.reader([first], delimiter=separator), [])
    known = {normal_name(name) for name in names} | {*names}
    texts = {source.columns["answer"]} if "answer" in source.columns else {name for tier in _TEXTS for name in tier}
    queries = {source.columns["query"]} if "query" in source.columns else EVERY_NAME["query"]
    if known & texts and known & queries:
        rows = csv.DictReader(io.StringIO(text.lstrip("\ufeff")), delimiter=separator)
        for row in rows:
            yield _record(row, Place(source.name, "line", rows.line_num), source)
        return
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip(BLANKS):
            name, _, content = line.strip(BLANKS).replace("\t", " ", 1).partition(" ")
            place = Place(source.name, "line", number)
            if not content.strip():
                raise place.fault("columns", "this line has one column", line, "write ID TEXT")
            yield _Item(name, [content], place)


FORMS: Final = (Form("run", FORM, "R07-01-O The answer is Yes.", lambda _: False, _rows_of),)
