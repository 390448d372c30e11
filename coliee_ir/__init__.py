"""Scores COLIEE runs from the files as they are: the official measures, and trec_eval's own for the rest.

>>> import coliee_ir
>>> scores = coliee_ir.evaluate({"001": ["013", "020"]}, {"001": ["013"]}, task="2")
>>> scores.measures["MicroF1"]
0.6666666666666666
"""

from coliee_adapters.errors import ColieeError, InputError, MismatchError, UsageError
from coliee_adapters.records import Answers, Gold, Run
from coliee_ir.conversion import to_frame, to_qrels, to_run
from coliee_ir.decisions import Decisions
from coliee_ir.evaluator import Evaluator, Submission, evaluate
from coliee_ir.judged import Judged, judge
from coliee_ir.protocol import PROTOCOLS, Protocol, protocol
from coliee_ir.qrels import Qrels
from coliee_ir.reading import read_gold, read_run
from coliee_ir.scores import Scores

__version__ = "0.1.0"

__all__ = [
    "PROTOCOLS",
    "Answers",
    "ColieeError",
    "Decisions",
    "Evaluator",
    "Gold",
    "InputError",
    "Judged",
    "MismatchError",
    "Protocol",
    "Qrels",
    "Run",
    "Scores",
    "Submission",
    "UsageError",
    "evaluate",
    "judge",
    "protocol",
    "read_gold",
    "read_run",
    "to_frame",
    "to_qrels",
    "to_run",
]
