"""How many functions of ours the data of a Task 1 run pass through, from the arguments to the table.

``python -m benchmarks.stations`` scores the example with `evaluate GOLD RUN` and prints two numbers and their lists.

The first is of functions that are given something that holds the gold or the run and give back something that holds
it: an object of one of the types below, alone or in a list, a tuple or a dictionary. Each counts once, however often it
is called; properties, special methods, what is nested in another function, a step within C code and a generator's later
items do not count.

The second is of hand-overs: those of these functions that another module calls, and that do not give back the very
object that they were given, alone or in a list. What a module does by itself is one idea, and what returns its argument
is a check.

Both can be compared only with the same count of another version.
"""

from __future__ import annotations

import contextlib
import io
import sys
from functools import cached_property
from itertools import chain
from pathlib import Path
from types import FrameType
from typing import Any

EXAMPLE = Path("coliee_ir/examples/task1")

#: the types that hold a gold or a run, or stand for one; also those of earlier versions
CARRIERS = {
    *("Source", "Form", "Gold", "Run", "Answers", "Columns", "Records", "Named", "Judged", "JudgedSubmission", "Qrels"),
    *("Counted", "Result", "Scores", "Scored", "ScoreTable", "ScoreTableBuilder", "Grid", "Rows", "Submission"),
    *("Handed", "Collected", "Runs", "Intake", "Inventory", "InboxFile", "Prepared", "Evaluator", "Origin", "Basis"),
    *("Session", "Arrived"),
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
        self.stations: dict[str, bool] = {}  # function → whether it is a hand-over
        self.types: dict[str, None] = {}
        self.given: dict[int, list[Any]] = {}

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
            names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
            arguments = [frame.f_locals.get(name) for name in names]
            texts = [argument for argument in arguments if isinstance(argument, str | list)]
            if any(map(carried, arguments)) or any(str(EXAMPLE) in str(text) for text in texts):
                self.given[id(frame)] = arguments
        elif (arguments := self.given.pop(id(frame), [])) and (types := carried(value)):
            if isinstance(getattr(type(frame.f_locals.get("self")), code.co_name, None), property | cached_property):
                return
            station = f"{Path(code.co_filename).stem}:{name}"
            given = [*arguments, *chain.from_iterable(one for one in arguments if isinstance(one, list))]
            is_handed = _module_of_caller(frame) != code.co_filename and not any(value is one for one in given)
            self.stations[station] = self.stations.get(station, False) or is_handed
            self.types |= dict.fromkeys(sorted(types))


def _module_of_caller(frame: FrameType) -> str:
    """The file of the function that called, or asked for the next item."""
    return "" if frame.f_back is None else frame.f_back.f_code.co_filename


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
    handed = [station for station, is_handed in tracer.stations.items() if is_handed]
    print(f"{len(tracer.stations)} functions: {', '.join(tracer.stations)}")
    print(f"{len(handed)} hand-overs: {', '.join(handed)}")
    print(f"{len(tracer.types)} types: {', '.join(tracer.types)}")


if __name__ == "__main__":
    main()
