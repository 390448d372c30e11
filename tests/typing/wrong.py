"""What a type checker must refuse: every line that is marked, and no other."""

import coliee_ir
from coliee_ir import Decisions, compare, evaluate

evaluate(42, None)  # error
evaluate("gold.json", "run.txt", task=1.5)  # error
compare(object(), 3.5)  # error
coliee_ir.evalute("gold.json", "run.txt")  # error
Decisions(unanswered="nope")  # error
print(evaluate("gold.json", "run.txt").measure)  # error
