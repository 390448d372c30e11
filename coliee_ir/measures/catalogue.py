"""The measures by name: ours, trec_eval's, ir_measures'. What they are, for ``coliee-ir measures``."""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import fields
from typing import Any, Final, NamedTuple, cast

from coliee_adapters import trec_eval
from coliee_adapters.by_key import by_key
from coliee_adapters.errors import UsageError
from coliee_ir.measures.base import Measure
from coliee_ir.measures.delegated import DEFINITIONS, Delegated

#: Our measures by the name that parameters are added to: module of this package → name → class. A module is loaded when
#: a measure of it is asked for.
_CLASSES: Final[dict[str, dict[str, str]]] = {
    "sets": {name: name for name in ("MicroP", "MicroR", "MicroF", "MacroP", "MacroR", "MacroF")},
    "labels": {name: name for name in ("Accuracy", "LabelAccuracy")},
    "claims": {name: name for name in ("RationaleF1", "PlaintiffF1", "DefendantF1", "PooledF1")},
    "ranked": {"RBP": "RBP", "RBPResidual": "RBPResidual", "ERR": "ERR", "nDCG": "ExponentialNDCG",
               "Judged": "JudgedShare", "Compat": "Compat"},
}  # fmt: skip

#: Our measures by name: the module that each is in.
OURS: Final = {name: module for module, classes in _CLASSES.items() for name in classes}

_AT: Final = r"(?:[._@]?(?P<at>[0-9]+)(?:,[0-9]+)*)?"
_P: Final = r"(?:[.(]?p=(?P<p>[0-9.]+)\)?)?"

#: Names of ranx that mean something else here, and of trec_eval 10 and BEIR for what nothing installed computes,
#: in lower case without ``_``: what they mean there, empty for what is not computed, and what is nearest. ``{at}`` is
#: the cutoff as ``@10``, ``{p}`` the persistence.
_ELSEWHERE: Final = (
    (r"rbp[.@](?P<p>[0-9]{1,4})", "ranx weighs documents by their relevance, RBP does not", "RBP(p=0.{p})"),
    (r"hits", "in ranx it is the mean over queries, num_rel_ret their sum", "num_rel_ret"),
    (r"hits@(?P<at>[0-9]+)", "in ranx it is a mean of counts, P{at} of shares", "P{at} or Success{at}"),
    (r"f1@(?P<at>[0-9]+)", "ranx divides by the cutoff for precision, even where fewer documents were retrieved",
     "MicroF1{at} or MacroF1{at}"),
    (r"dcgburges(?:@(?P<at>[0-9]+))?", "in ranx it is not normalised", "nDCG(dcg='exp-log2'){at}"),
    (rf"rbp{_P}", "", "RBP(p={p})"), (rf"rbpresid{_P}", "", "RBPResidual(p={p})"), (rf"dcg{_AT}", "", "nDCG{at}"),
    (rf"idealdcg{_AT}", "", "nDCG"), (rf"(?:unj|hole){_AT}", "", "Judged{at}"), (r"yaap", "", "AP"),
    (r"all", "the task's measures need no name, and trec_eval's are all_trec", "all_trec"),
)  # fmt: skip

#: No parameter is larger: what follows from it still fits numbers of 64 bits.
_LARGEST = 999_999_999

#: No range of cutoffs is longer.
_MOST = 1000

_RANGE = r"(?P<name>.+)@(?P<first>[0-9]{1,9})\.\.(?P<last>[0-9]{1,9})"
#: What the parameters can be, and how that is said.
_VALUES: dict[str, tuple[Callable[[Any], bool], str]] = {
    "of": (lambda of: of in ("queries", "means"), "queries or means"),
    "beta": (lambda beta: _is_number(beta) and 0 < beta <= _LARGEST, f"a number above 0 and at most {_LARGEST}"),
    "p": (lambda p: _is_number(p) and 0 < p < 1, "a number above 0 and below 1"),
    "normalize": (lambda normalize: isinstance(normalize, bool), "True or False"),
    "max_rel": (lambda rel: type(rel) is int and 1 <= rel <= 60, "an integer from 1 to 60"),
} | dict.fromkeys(
    ("cutoff", "rel"),
    (lambda number: type(number) is int and 1 <= number <= _LARGEST, f"an integer from 1 to {_LARGEST}"),
)

_TYPED = r"(?P<name>[^\W\d]\w*)(?:\((?P<parameters>.*)\))?(?:@(?P<at>[0-9.]+))?"

#: a part of a submission, behind a measure
_PART: Final = r"\(\s*([^\W\d]\w*)\s*\)"

#: what no name of a measure has outside its brackets
_SIGNS: Final = r"[*·+<>=≥]|\s-\s|\bif\b"

#: A name as other tools and papers write it, in lower case without ``_``, ``-`` and spaces → what it can mean here; a
#: name that can mean one thing only is understood. ``{at}`` is the cutoff as it was typed, ``@10`` for instance; what
#: needs one (``{@}``, or ``{_}`` for ``_10``) is left out where there is none, and what has ``{-}`` where there is one.
_OTHER_SPELLINGS: Final[dict[str, tuple[str, ...]]] = {
    **dict.fromkeys(("f", "f1"), ("MicroF1{at}", "MacroF1{at}")),
    "f2": ("MacroF2{at}", "MicroF2{at}"),
    "microf": ("MicroF1{at}",),
    "macrof": ("MacroF1{at}",),
    **dict.fromkeys(("p", "precision"), ("MicroP{at}", "P{@}", "MacroP{-}")),
    "microprecision": ("MicroP{at}",),
    "macroprecision": ("MacroP{at}",),
    **dict.fromkeys(("r", "recall"), ("MicroR{at}", "R{@}", "MacroR{-}")),
    "microrecall": ("MicroR{at}",),
    "macrorecall": ("MacroR{at}",),
    **dict.fromkeys(("mrr", "rr", "reciprocalrank"), ("RR{at}",)),
    **dict.fromkeys(("map", "ap", "averageprecision"), ("AP{at}",)),
    "ndcg": ("nDCG{at}",),
    "ndcgburges": ("nDCG(dcg='exp-log2'){at}",),
    **dict.fromkeys(("hit", "hitrate", "success", "topkaccuracy"), ("Success{@}",)),
    **dict.fromkeys(("acc", "accuracy"), ("Accuracy{at}", "Success{@}")),
    **dict.fromkeys(("rcap", "recallcap"), ("relative_P{_}",)),
    "rankbiasedprecision": ("RBP{at}",),
    "interpolatedprecisionatrecall": ("iprec_at_recall",),
    "setprecision": ("SetP",),
    "setrecall": ("SetR",),
    "rprecision": ("Rprec",),
}

#: So alike must a name be to be suggested as a near miss; difflib's own default.
_ALIKE: Final = 0.6


def class_of(name: str) -> type[Measure]:
    """The class of a measure of ours."""
    module = OURS[name]
    names = importlib.import_module(f"coliee_ir.measures.{module}")
    return cast(type[Measure], getattr(names, _CLASSES[module][name]))


def parse(typed: str) -> list[Measure]:
    """The measures that a name stands for; several for ``MicroF1@1..50``, trec_eval's ``P.5,10``, ``P``.

    >>> [str(m) for m in parse("MicroF(beta=2)@10")], [str(m) for m in parse("P.5,10")]
    (['MicroF2@10'], ['P_5', 'P_10'])
    >>> [str(m) for m in parse("MicroF1@9..11")]
    ['MicroF1@9', 'MicroF1@10', 'MicroF1@11']
    """
    if not isinstance(typed, str) or not typed.strip():
        raise UsageError("bad-measure", f"a measure is given by its name, not as {typed!r}")
    if measures := understood(typed):
        return measures
    unknown = f"unknown measure {typed!r}"
    if elsewhere := _meaning_elsewhere(typed):
        what, nearest = elsewhere
        unknown = f"{typed!r} has several meanings: {what}" if what else f"{unknown}, which nothing here computes"
        remedy = f"; did you mean {nearest}? "
    else:
        meant = " or ".join(_existing(typed) or near_misses(typed))
        remedy = "; name each measure by itself; " if "," in typed else f"; did you mean {meant}? " if meant else "; "
    raise UsageError("unknown-measure", f"{unknown}{remedy}`coliee-ir measures` lists all of them")


def understood(typed: str) -> list[Measure]:
    """The measures that a name stands for; none where it is unknown, or leaves doubt."""
    elsewhere = _meaning_elsewhere(typed) is not None
    # rbp.p=0.9 would be a formula; RBP(p=0.9) is ours
    if known := [] if elsewhere and typed.islower() else _known(typed):
        return known
    names = [] if elsewhere else _existing(typed)
    return understood(names[0]) if len(names) == 1 else []


def _existing(typed: str) -> list[str]:
    """What a name in the spelling of another tool can mean, as far as it can be read."""
    return [name for name in meanings(typed) if _is_known(name)]


def _known(typed: str) -> list[Measure]:
    """The measures that a name of ours, trec_eval's or ir_measures' stands for; none if it is another one."""
    if "=" in typed and (requests := trec_eval.parse(typed)):  # gains, in which a formula would be seen
        return [Delegated(request, request.name) for request in requests]
    if is_formula(typed):
        return [parse_formula(typed)]
    if "@" in typed and (match := re.fullmatch(_RANGE, typed)):
        first, last = int(match["first"]), int(match["last"])
        if not 0 <= last - first < _MOST:
            raise UsageError(
                "bad-measure", f"{typed!r}: a range of cutoffs must go up and hold at most {_MOST}, for example @1..50"
            )
        return [measure for k in range(first, last + 1) for measure in parse(f"{match['name']}@{k}")]
    name, parameters, cutoff = _name_and_parameters(typed)
    ours = _ours(typed, name, {**parameters}, cutoff)
    if ours is not None:
        return [ours]
    if not parameters and cutoff is None and (requests := trec_eval.parse(typed)):
        return [Delegated(request, request.name) for request in requests]
    from coliee_adapters import ir_measures  # loads the package, which few runs need

    request = ir_measures.request(name, parameters, cutoff)
    return [] if request is None else [Delegated(request, typed)]


def parse_formula(typed: str, title: str = "") -> Measure:
    """The measure that a formula stands for."""
    from coliee_ir.measures import formulas  # which few runs need

    def measure_of(name: str) -> Measure:
        part = re.search(_PART, name)
        plain = re.sub(_PART, "", name, count=1)
        if is_formula(plain):  # a word that none is, or a second part
            raise formulas.unreadable(typed)
        measure, *more = parse(plain)
        if more:
            raise UsageError("ambiguous", f"{typed!r}: {name} stands for {1 + len(more)} measures; name one")
        if part is None:
            return measure
        if measure.needs != ("documents",):
            raise UsageError(
                "bad-measure", f"{typed!r}: {measure} is not a measure of documents, so it cannot be one of {part[1]}"
            )
        return measure if part[1] == "documents" else formulas.OfPart(measure, part[1])

    return formulas.read(typed, measure_of, title)


def is_formula(typed: str) -> bool:
    """Whether a text is a formula and not the name of a measure.

    >>> is_formula("0.7*Accuracy + 0.3*MacroF2"), is_formula("MicroF1(law)"), is_formula("MicroF(beta=2)@10")
    (True, True, False)
    """
    return bool(re.search(_PART, typed) or re.search(_SIGNS, _outside_brackets(typed)))


def _outside_brackets(text: str) -> str:
    """What stands outside of brackets."""
    depth, kept = 0, []
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        kept.append(letter if depth == 0 and letter != ")" else "")
    return "".join(kept)


def names_in(text: str) -> list[str]:
    """The names of measures in a text with blanks between them; a formula, which may have blanks, is one.

    So is "micro f1", which is understood.

    >>> names_in("MicroP MicroF(beta=2)@10"), names_in("0.5*MicroP + 0.5*MicroR")
    (['MicroP', 'MicroF(beta=2)@10'], ['0.5*MicroP + 0.5*MicroR'])
    """
    if re.search(_SIGNS, _outside_brackets(text)):
        return [text.strip()]
    return re.split(r"(?i)(?<!\bmicro)(?<!\bmacro)\s+(?![^(]*\))", text.strip())


def meanings(typed: str) -> list[str]:
    """What a name in the spelling of another tool can mean here, the likeliest first.

    >>> meanings("recall@5"), meanings("recall_at_5"), meanings("map@10-l2"), meanings("f1")
    (['MicroR@5', 'R@5'], ['R@5'], ['AP(rel=2)@10'], ['MicroF1', 'MacroF1'])
    """
    plain, sign, cutoff, level = _normalised(typed)
    names = [
        re.sub("{(at|@|-)}", cutoff, pattern).replace("{_}", cutoff.replace("@", "_"))
        for pattern in _OTHER_SPELLINGS.get(plain, ())
        if not re.search("{-}" if cutoff else "{[@_]}", pattern)
    ] or [name + cutoff for name in _folded().get(plain, ())]
    if sign == "_at_":  # MTEB's, which pools no queries
        names = [name for name in names if not name.startswith("Micro")]
    return [re.sub(r"^(\w+)(?=@|$)", rf"\1(rel={level})", name) for name in names] if level else names


def _meaning_elsewhere(typed: str) -> tuple[str, str] | None:
    """What a name of another tool means there, and what is nearest here; None for names that mean one thing."""
    plain, _, cutoff, _ = _normalised(typed)
    for pattern, *words in _ELSEWHERE:
        if match := re.fullmatch(pattern, plain + cutoff):
            found = match.groupdict()
            at = f"@{found['at']}" if found.get("at") else ""
            what, nearest = (text.format(at=at, p=found.get("p") or 0.9) for text in words)
            return what, nearest
    return None


def near_misses(typed: str) -> list[str]:
    """Names of measures that look like what was typed and can be read; at most three."""
    import difflib  # which names that are known do not need

    plain, _, cutoff, _ = _normalised(typed)
    spellings: dict[str, str] = {}  # by what they stand for
    for near in difflib.get_close_matches(plain, _folded(), cutoff=_ALIKE):
        for name in _folded()[near]:
            spelled = next(
                (spelling for spelling in (name + cutoff, name + cutoff.replace("@", "_")) if _is_known(spelling)), None
            )
            if spelled is not None:
                spellings.setdefault(str(parse(spelled)[0]), spelled)
    return list(spellings.values())[:3]


def _normalised(typed: str) -> tuple[str, str, str, str]:
    """A name in lower case without ``_``, ``-``, spaces; the sign of its cutoff; the cutoff as ``@10``; ranx' level."""
    match = re.fullmatch(r"(.+?)(?:(@|_at_)([0-9]{1,9}))?(?:-l([2-9]))?", typed, re.DOTALL)
    name, sign, number, level = match.groups(default="") if match else (typed, "", "", "")
    return re.sub(r"[\s_-]+", "", name.lower()), sign, f"@{number}" if number else "", level


@functools.cache
def _folded() -> dict[str, list[str]]:
    """The names of all measures by what ``_normalised`` makes of them."""
    from coliee_adapters import ir_measures

    names = (*OURS, "MicroF1", "MacroF1", "MicroF2", "MacroF2", *ir_measures.NAMES, *trec_eval.each_name())
    return by_key(dict.fromkeys(names), lambda name: _normalised(name)[0])


def _is_known(name: str) -> bool:
    """Whether a name is known, and its parameters fit."""
    with suppress(UsageError):
        return bool(_known(name))
    return False


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _name_and_parameters(typed: str) -> tuple[str, dict[str, Any], float | None]:
    if (match := re.fullmatch(_TYPED, typed)) is None:
        return typed, {}, None
    parameters: dict[str, Any] = {}
    if match["parameters"]:
        try:
            call = ast.parse(f"f({match['parameters']})", mode="eval").body
            if not isinstance(call, ast.Call) or call.args:
                raise ValueError
            for keyword in call.keywords:
                # a bare word stands for itself: of=means
                value = keyword.value
                parameters[keyword.arg or ""] = value.id if isinstance(value, ast.Name) else ast.literal_eval(value)
        except (SyntaxError, ValueError, MemoryError, RecursionError):  # the last two: nested too deep
            raise UsageError(
                "bad-measure", f"{typed!r} cannot be read; parameters are written NAME(beta=2,rel=1)@10"
            ) from None
    cutoff = match["at"]
    try:
        return match["name"], parameters, None if cutoff is None else int(cutoff) if cutoff.isdigit() else float(cutoff)
    except ValueError:
        raise UsageError("bad-measure", f"{typed!r} cannot be read; the cutoff must be a number") from None


def _ours(typed: str, name: str, parameters: dict[str, Any], cutoff: float | None) -> Measure | None:
    base, beta = name[:6], name[6:]
    if base in ("MicroF", "MacroF") and beta.isdecimal() and name not in OURS:
        name, parameters = base, {"beta": float(beta), **parameters}
    name = "nDCG" if name == "NDCG" else name
    # nDCG without this parameter is trec_eval's
    if name not in OURS or (name == "nDCG" and parameters.pop("dcg", "") != "exp-log2"):
        return None
    return _measure_of(typed, class_of(name), parameters if cutoff is None else {**parameters, "cutoff": cutoff})


def _measure_of(typed: str, kind: type[Measure], parameters: dict[str, Any]) -> Measure:
    """A measure of ours with its parameters, which are checked."""
    types = {field.name: field.type for field in fields(kind)}  # type: ignore[arg-type]
    allowed = getattr(kind, "parameters", None) or [*types]
    for key, value in parameters.items():
        if key not in allowed:
            what = f"; it has {', '.join(allowed)}" if allowed else ""
            name = getattr(kind, "base", kind.__name__)
            raise UsageError("bad-measure", f"{typed!r}: {name} has no parameter {key}{what}")
        fits, meaning = _VALUES[key]
        if not fits(value):
            raise UsageError("bad-measure", f"{typed!r}: {key} must be {meaning}")
    return kind(**{key: float(value) if types[key] == "float" else value for key, value in parameters.items()})


class Description(NamedTuple):
    """What a measure is: the lines that ``coliee-ir measures NAME`` prints."""

    name: str
    definition: str
    formula: str
    source: str
    computed: str


#: of a measure that a newer engine has
_UNKNOWN: Final = ("A measure of the installed trec_eval, which coliee-ir computes and does not describe.", "")


def describe(measure: Measure) -> Description:
    """The definition of a measure, its formula, its source, and where it is computed."""
    if isinstance(measure, Delegated):
        definition, formula = DEFINITIONS.get(measure.request.base, _UNKNOWN)
        return Description(
            measure.name,
            definition,
            formula,
            f"{measure.source}: its measure {measure.request.base}",
            f"by trec_eval {trec_eval.version()}, asked in rank space by coliee_adapters.trec_eval",
        )
    kind = type(measure)
    definition = (inspect.getdoc(kind) or "").split("\n\nAttributes:")[0]
    return Description(measure.name, definition, kind.formula, kind.source, f"by coliee-ir, in {kind.__module__}")


def everything() -> Iterator[Description]:
    """All measures without parameters, ours first."""
    for name in OURS:
        yield describe(class_of(name)())
    for name in trec_eval.each_name():
        yield describe(Delegated(trec_eval.Request(name), name))
