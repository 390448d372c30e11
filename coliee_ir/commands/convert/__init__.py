"""From one form to another: files to TREC and back, records to dictionaries and frames. What is lost is said."""

from coliee_ir.commands.convert.ids import AGGREGATES
from coliee_ir.commands.convert.records import to_frame, to_qrels, to_run
from coliee_ir.commands.convert.writing import (
    ANSWER_TARGETS,
    GOLD_TARGET,
    GOLD_TARGETS,
    RUN_TARGET,
    RUN_TARGETS,
    convert,
    write,
    write_run,
)

__all__ = [
    "AGGREGATES",
    "ANSWER_TARGETS",
    "GOLD_TARGET",
    "GOLD_TARGETS",
    "RUN_TARGET",
    "RUN_TARGETS",
    "convert",
    "to_frame",
    "to_qrels",
    "to_run",
    "write",
    "write_run",
]
