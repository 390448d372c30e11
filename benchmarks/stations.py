"""How many functions of ours the data of a Task 1 run pass through, from the arguments to the table.

``python benchmarks/stations.py`` scores the example with `evaluate GOLD RUN` and prints two numbers and their lists.

A station is a function (not a property, a special method, or what is nested in another) that is given something that
holds the gold or the run and gives back something that holds it: an object of one of the types below, alone or in a
list, a tuple or a dictionary. Each function counts once, however often it is called. What only looks at the data, and
gives back a number or a text, is none; neither is a step within C code or a generator's later items. So the number is
that of hand-overs, not of lines, and can be compared only with the same count of another version.
"""

from __future__ import annotations

import contextlib
import io
import sys
from pathlib import Path
from types import FrameType
from typing import Any

EXAMPLE = Path("coliee_ir/examples/task1")

#: the types that hold a gold or a run, or stand for one; also those of earlier versions
CARRIERS = {
    *("Source", "Look", "Form", "Gold", "Run", "Answers", "Columns", "Records", "Named", "Judged", "Qrels", "Counted"),
    *(
        "Result",
        "Scores",
        "Scored",
        "ScoreTable",
        "ScoreTableBuilder",
        "Grid",
        "Rows",
        "Submission",
        "Handed",
        "Collected",
        "Runs",
        "Intake",
    ),
    *("Inventory", "InboxFile", "Prepared", "Evaluator", "Origin", "Basis", "Session", "Arrived", "FoundTask"),
}


def carried(value: Any, depth: int = 2) -> set[str]:
    """The types of what a value holds of the data."""
    found = {type(value).__name__} & CARRIERS
    if not found and depth and isinstance(value, list | tuple | dict) and len(value) < 50:
        parts = value.values() if isinstance(value, dict) else value
        found = set().union(*(carried(part, depth - 1) for part in parts))
    return found


class Tracer:
    """What is called, in the order of the first calls."""

    def __init__(self) -> None:
        self.stations: dict[str, None] = {}
        self.types: dict[str, None] = {}
        self.given: dict[int, bool] = {}

    def __call__(self, frame: FrameType, event: str, value: Any) -> None:
        code = frame.f_code
        if event not in ("call", "return") or not (
            "/coliee_ir/" in code.co_filename or "coliee_adapters" in code.co_filename
        ):
            return
        name = code.co_qualname if hasattr(code, "co_qualname") else code.co_name
        if "<" in name or code.co_name.startswith("__"):
            return
        if event == "call":
            arguments = [
                frame.f_locals.get(one) for one in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
            ]
            self.given[id(frame)] = any(map(carried, arguments)) or any(str(EXAMPLE) in str(one) for one in arguments
                                                                        if isinstance(one, str | list))  # fmt: skip
        elif self.given.pop(id(frame), False) and (types := carried(value)):
            owner = getattr(type(frame.f_locals.get("self")), code.co_name, None)
            if not isinstance(owner, property):
                self.stations[f"{Path(code.co_filename).stem}:{name}"] = None
                self.types |= dict.fromkeys(sorted(types))


def main() -> None:
    """Trace one run and print what it passed."""
    from coliee_ir.cli import main as run

    tracer = Tracer()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        sys.setprofile(tracer)
        try:
            run(["evaluate", str(EXAMPLE / "gold.json"), str(EXAMPLE / "bm25.txt")])
        finally:
            sys.setprofile(None)
    print(f"{len(tracer.stations)} stations: {', '.join(tracer.stations)}")
    print(f"{len(tracer.types)} types: {', '.join(tracer.types)}")


if __name__ == "__main__":
    main()
