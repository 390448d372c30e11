"""What type checkers must refuse: every line that is marked, and no other (mypy: no ignore is unused)."""

import coliee_ir
from coliee_ir import Decisions, compare, evaluate

evaluate(42, None)  # type: ignore[arg-type]
evaluate("gold.json", "run.txt", task=1.5)  # type: ignore[arg-type]
evaluate("gold.json", "run.txt", exclud=["626"])  # type: ignore[call-arg]
compare(object(), 3.5)  # type: ignore[arg-type, call-arg]
compare([evaluate("gold.json", "run.txt")], test="nonsense")  # type: ignore[arg-type]
evaluate("gold.json", "run.txt").to_frame("excel")  # type: ignore[arg-type]
coliee_ir.evalute("gold.json", "run.txt")  # type: ignore[attr-defined]
Decisions(unanswered="nope")  # type: ignore[arg-type]
print(evaluate("gold.json", "run.txt").measure)  # type: ignore[attr-defined]
