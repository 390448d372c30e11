"""ir_measures' names of measures, as requests to trec_eval. They mean what they mean there.

ir_measures itself reads nothing and computes nothing here: its registry says which names and parameters exist, and
the correspondence to trec_eval is the one of its own pytrec_eval provider.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from coliee_adapters.errors import UsageError
from coliee_adapters.records import GREATEST_RELEVANCE
from coliee_adapters.trec_eval import Request, is_computed

#: ir_measures' measure → trec_eval's without a cutoff, and with one. None: trec_eval has no such measure.
NAMES: Final[Mapping[str, tuple[str | None, str | None]]] = {
    "AP": ("map", "map_cut"),
    "Bpref": ("bpref", None),
    "IPrec": (None, "iprec_at_recall"),
    "NumQ": ("num_q", None),
    "NumRel": ("num_rel", None),
    "NumRet": ("num_ret", None),
    "P": (None, "P"),
    "R": (None, "recall"),
    "RR": ("recip_rank", "recip_rank"),
    "Rprec": ("Rprec", None),
    "SetAP": ("set_map", None),
    "SetF": ("set_F", None),
    "SetP": ("set_P", None),
    "SetR": ("set_recall", None),
    "Success": (None, "success"),
    "infAP": ("infAP", None),
    "nDCG": ("ndcg", "ndcg_cut"),
}

#: What trec_eval takes of ir_measures' parameters, and how it is said.
_LIMITS: Final[Mapping[str, tuple[Callable[[Any], bool], str]]] = {
    "cutoff": (lambda cutoff: 1 <= cutoff <= 999_999_999, "a cutoff must be an integer from 1 to 999999999"),
    "recall": (lambda recall: 0 <= recall <= 1, "recall must be a number from 0 to 1"),
    "rel": (lambda rel: rel >= 1, "rel must be an integer ≥ 1"),
    "beta": (
        lambda beta: re.fullmatch(r"[0-9]{1,6}\.[0-9]{1,6}", repr(beta)) is not None,
        "beta must be a number from 0 to 999999 of at most six decimals",
    ),
    "gains": (
        lambda gains: all(
            isinstance(number, int) and abs(number) <= GREATEST_RELEVANCE for pair in gains.items() for number in pair
        ),
        f"gains must map integers to integers up to {GREATEST_RELEVANCE}",
    ),
}


def request(name: str, parameters: Mapping[str, Any], at: float | None) -> Request | None:
    """The request to trec_eval that a measure of ir_measures stands for."""
    import ir_measures

    kind = ir_measures.measures.registry.get(name)
    if kind is None:
        return None
    measure = kind(**parameters) if at is None else kind(**parameters) @ at
    try:
        measure.validate_params()
    except AssertionError:
        known = ", ".join(f"{key} ({value.dtype.__name__})" for key, value in kind.SUPPORTED_PARAMS.items()) or "none"
        raise UsageError(
            "bad-measure", f"{name} does not take these parameters in ir_measures; it takes {known}"
        ) from None
    for key, (fits, meaning) in _LIMITS.items():
        if key in measure.params and not fits(measure.params[key]):
            raise UsageError("unfit-measure", f"{name} cannot be asked of trec_eval: {meaning}")
    wanted = {key: value for key, value in measure.params.items() if value != kind.SUPPORTED_PARAMS[key].default}
    level = measure["rel"] if "rel" in kind.SUPPORTED_PARAMS else 1
    rel = level if isinstance(level, int) and not isinstance(level, bool) else 1
    cutoff = wanted.pop(kind.AT_PARAM, None) if kind.AT_PARAM in ("cutoff", "recall") else None
    plain, cut = NAMES.get(measure.NAME, (None, None))
    base = plain if cutoff is None else cut
    parameter = "" if cutoff is None else f"{cutoff:.2f}" if base == "iprec_at_recall" else str(int(cutoff))
    top = 0
    if base == "recip_rank" and cutoff is not None:
        # ir_measures asks another provider for it; the reciprocal rank among the first k is the same number
        parameter, top = "", int(cutoff)
        if measure["judged_only"]:  # the first k judged are meant, and -M would look for them among the first k
            raise UsageError("unfit-measure", f"{measure} is computed by no provider of ir_measures, and not here")
    if measure.NAME == "NumRet" and "rel" in wanted:
        base = "num_rel_ret"
    if measure.NAME == "SetP" and wanted.pop("relative", False):
        base = "set_relative_P"
    if measure.NAME == "SetF" and (beta := wanted.pop("beta", 1.0)) != 1.0:
        parameter = repr(beta)  # handed on as it is, as ir_measures does; trec_eval takes it for beta squared
    gains = wanted.pop("gains", {})
    judged_only = bool(wanted.pop("judged_only", False))
    wanted.pop("rel", None)
    if base is None or wanted or not is_computed(base):
        raise UsageError(
            "unfit-measure",
            f"{measure} is not computed by trec_eval, and so not here; convert the files and use ir_measures for it",
        )
    return Request(base, parameter, rel, judged_only, tuple(sorted(gains.items())), top)
