"""Several runs fused into one: scores combined, sets and answers put to the vote, weights fitted to labelled queries.

runs ──Candidates──▶ parts a run ──weights──▶ scores ──▶ ranking ──▶ Run
                                     ▲                      │
                                     └────── search ◀─────measure on the ranks of the judged documents

A query or document that a run lacks adds nothing. Equal scores stand in trec_eval's order.

Why not ranx, which has these methods? Measured with ranx 0.3.21 on 400 queries × 100 documents × 3 runs, two cores: 1.4
s to import it; 24 s before the first fusion, which is compiled then, and 3 s in each later process. The same takes 0.2
s here. It refuses runs that do not have the same queries (AssertionError), and COLIEE's do not. It gives documents of
equal score the ranks of the order in which a dictionary holds them, so that one run, written down in two orders, is
fused in two ways. min-max makes 0 of a list of one document. Its ``optimize_fusion`` knows no held-out score. Without
ties and missing queries the scores agree, to which tests/coliee_ir/test_fusion.py holds them if it is installed.
"""

from __future__ import annotations

from coliee_ir.commands.fuse.methods import METHODS, NORMS
from coliee_ir.commands.fuse.recipe import NORM, TIES, Fused, Fusion, K, fuse, read_all, usual

__all__ = ["METHODS", "NORM", "NORMS", "TIES", "Fused", "Fusion", "K", "fuse", "read_all", "usual"]
