"""ir_measures' names of measures, as requests to trec_eval. They mean what they mean there.

ir_measures itself reads nothing and computes nothing here: its registry says which names and parameters exist, and
the correspondence to trec_eval is the one of its own pytrec_eval provider.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from coliee_adapters.errors import UsageError
from coliee_adapters.trec_eval import Request

#: ir_measures' measure → trec_eval's without a cut-off, and with one. None: trec_eval has no such measure.
_NAMES: Final[Mapping[str, tuple[str | None, str | None]]] = {
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


def request(name: str, parameters: Mapping[str, Any], at: float | None) -> Request | None:
    """The request to trec_eval that a measure of ir_measures stands for.

    Args:
        name: the measure, e.g. ``nDCG``, or an alias, e.g. ``NDCG``.
        parameters: what stands in the brackets.
        at: what stands behind the ``@``, or None.

    Returns:
        The request; None if ir_measures has no measure of that name.

    Raises:
        UsageError: ir_measures has it, but not with these parameters, or trec_eval does not compute it.
    """
    import ir_measures

    kind = ir_measures.measures.registry.get(name)
    if kind is None:
        return None
    measure = kind(**parameters) if at is None else kind(**parameters) @ at
    try:
        measure.validate_params()
    except AssertionError:
        known = ", ".join(kind.SUPPORTED_PARAMS) or "none"
        raise UsageError(f"{name} does not take these parameters in ir_measures; it has {known}") from None
    wanted = {key: value for key, value in measure.params.items() if value != kind.SUPPORTED_PARAMS[key].default}
    level = measure["rel"] if "rel" in kind.SUPPORTED_PARAMS else 1
    rel = level if isinstance(level, int) and not isinstance(level, bool) else 1
    cutoff = wanted.pop(kind.AT_PARAM, None) if kind.AT_PARAM in ("cutoff", "recall") else None
    plain, cut = _NAMES.get(measure.NAME, (None, None))
    base = plain if cutoff is None else cut
    parameter = "" if cutoff is None else f"{cutoff:.2f}" if base == "iprec_at_recall" else str(cutoff)
    top = 0
    if base == "recip_rank" and cutoff is not None:
        # ir_measures asks another provider for it; the reciprocal rank among the first k is the same number
        parameter, top = "", int(cutoff)
    if measure.NAME == "NumRet" and "rel" in wanted:
        base = "num_rel_ret"
    if measure.NAME == "SetP" and wanted.pop("relative", False):
        base = "set_relative_P"
    if measure.NAME == "SetF" and (beta := wanted.pop("beta", 1.0)) != 1.0:
        parameter = f"{beta:g}"  # handed on as it is, as ir_measures does; trec_eval takes it for beta squared
    gains = wanted.pop("gains", {})
    judged_only = bool(wanted.pop("judged_only", False))
    wanted.pop("rel", None)
    if base is None or wanted or (parameter and parameter.lstrip("-") == "0"):
        raise UsageError(
            f"{measure} is not computed by trec_eval, and so not here; convert the files and use ir_measures for it"
        )
    return Request(base, parameter, rel, judged_only, tuple(sorted(gains.items())), top)
