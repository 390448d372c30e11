"""Several runs fused into one: scores combined, sets and answers put to the vote, weights fitted to labelled queries.

runs ──Candidates──▶ parts a run ──weights──▶ scores ──▶ ranking ──▶ Run
                                     ▲                      │
                                     └────── search ◀─────measure on the ranks of the judged documents

A query or document that a run lacks adds nothing. Equal scores stand in trec_eval's order.

ranx, which has these methods, refuses runs of different queries, ranks equal scores in the order of a dictionary, and
compiles for 24 s (0.3.21). Where both can score, its tests hold the one to the other.
"""

from __future__ import annotations

from coliee_ir.commands.fuse.methods import METHODS, NORMS
from coliee_ir.commands.fuse.recipe import Fused, Fusion, fuse, read_all, usual

__all__ = ["METHODS", "NORMS", "Fused", "Fusion", "fuse", "read_all", "usual"]
