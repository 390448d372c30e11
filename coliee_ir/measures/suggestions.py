"""What a person may have meant by a name that is no measure: other tools' spellings, and near misses."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

#: A name as other tools and papers write it, in lower case without ``_``, ``-`` and spaces → what it is called here.
#: ``{at}`` is the cutoff as it was typed, ``@10`` for instance; a name that needs one (``{@}``, or ``{_}`` for
#: ``_10``) is left out where there is none.
_OTHER_SPELLINGS: Final[dict[str, tuple[str, ...]]] = {
    "f1": ("MicroF1{at}", "MacroF1{at}"),
    "f2": ("MacroF2{at}", "MicroF2{at}"),
    "f": ("MicroF1{at}", "MacroF1{at}"),
    "microf": ("MicroF1{at}",),
    "macrof": ("MacroF1{at}",),
    "precision": ("MicroP{at}", "P{@}"),
    "p": ("MicroP{at}", "P{@}"),
    "microprecision": ("MicroP{at}",),
    "macroprecision": ("MacroP{at}",),
    "recall": ("MicroR{at}", "R{@}"),
    "r": ("MicroR{at}", "R{@}"),
    "microrecall": ("MicroR{at}",),
    "macrorecall": ("MacroR{at}",),
    "mrr": ("RR{at}",),
    "rr": ("RR{at}",),
    "map": ("AP{at}",),
    "ap": ("AP{at}",),
    "ndcg": ("nDCG{at}",),
    "hit": ("Success{@}",),
    "hits": ("P{@}", "Success{@}", "num_rel_ret"),
    "hitrate": ("Success{@}",),
    "success": ("Success{@}",),
    "accuracy": ("Success{@}",),
    "topkaccuracy": ("Success{@}",),
    "rcap": ("relative_P{_}",),
    "recallcap": ("relative_P{_}",),
    "averageprecision": ("AP{at}",),
    "reciprocalrank": ("RR{at}",),
    "rankbiasedprecision": ("RBP{at}",),
    "dcgburges": ("nDCG(dcg='exp-log2'){at}",),
    "interpolatedprecisionatrecall": ("iprec_at_recall",),
    "setprecision": ("SetP",),
    "setrecall": ("SetR",),
    "hole": ("unj{@}",),
    "ndcgburges": ("nDCG(dcg='exp-log2'){at}",),
    "rprecision": ("Rprec",),
    "acc": ("Accuracy",),
}

#: So alike must a name be to be suggested as a near miss; difflib's own default.
_ALIKE: Final = 0.6


def suggestions(typed: str, known: Collection[str]) -> list[str]:
    """Names of measures that may have been meant, the likeliest first; at most three.

    Args:
        typed: what is no measure.
        known: the names that there are.

    >>> suggestions("recall@5", ()), suggestions("ndcg@10", ()), suggestions("F1", ())
    (['MicroR@5', 'R@5'], ['nDCG@10'], ['MicroF1', 'MacroF1'])
    """
    if persistence := re.fullmatch(r"rbp[.@]([0-9]{1,4})", typed):  # ranx'
        return [f"RBP(p=0.{persistence[1]})"]
    match = re.fullmatch(r"([^@]+?)(?:@([0-9]+))?(?:-l[0-9]+)?", typed)
    name, number = (match[1], match[2]) if match else (typed, None)
    at = f"@{number}" if number else ""
    plain = re.sub(r"[\s_-]+", "", name.lower())
    found = [
        pattern.replace("{at}", at).replace("{@}", at).replace("{_}", at.replace("@", "_"))
        for pattern in _OTHER_SPELLINGS.get(plain, ())
        if at or not re.search("{[@_]}", pattern)
    ]
    if not found:
        folded = {re.sub(r"[\s_-]+", "", one.lower()): one for one in known}
        import difflib  # which names that are known do not need

        near = [plain] if plain in folded else difflib.get_close_matches(plain, folded, n=3, cutoff=_ALIKE)
        found = [folded[one] + at for one in near]
    found = [name for name in found if at or "@" not in name]
    if (level := re.search(r"-l([2-9])$", typed)) is not None:  # ranx' relevance level
        found = [re.sub(r"^(\w+)(?=@|$)", rf"\1(rel={level[1]})", name) for name in found]
    return found[:3]
