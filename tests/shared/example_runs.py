"""The examples as a command line names them: gold, runs and what belongs to these, by task."""

from pathlib import Path

import coliee_ir.examples

EXAMPLES = Path(coliee_ir.examples.__file__).parent
SHOWN = {
    "1": ["task1/gold.json", "task1/bm25.txt", "task1/dense.txt", "task1/rerank.json"],
    "2": ["task2/gold.json", "task2/mono.txt", "task2/rules.csv"],
    "3": [
        *("task3/gold.xml", "task3/task3.ALPHA", "task3/task3.BETA"),
        *("--answers", "task3/answers.ALPHA", "--answers", "task3/answers.BETA"),
    ],
    "3 of 2025": [
        *("task3-2025/gold.xml", "task3-2025/task3.ALPHA", "task3-2025/task3.BETA", "--edition", "2025"),
        *("--long-list", "task3-2025/task3-L.ALPHA", "--long-list", "task3-2025/task3-L.BETA"),
    ],
    "4": ["task4/gold.xml", "task4/ALPHA.txt", "task4/BETA.txt"],
    "5": ["task5/gold.txt", "task5/ALPHA.txt", "task5/MAJORITY.txt", "--task", "5"],
    "tort": ["tort/gold.jsonl", "tort/ALPHA.jsonl", "tort/BETA.jsonl"],
    "rationale": ["tort/gold.jsonl", "tort/ALPHA.jsonl", "tort/BETA.jsonl", "--task", "rationale"],
    "trec": ["trec/qrels.txt", "trec/bm25.run", "trec/dense.run"],
}


def shown(name):
    """What is typed for a task, wherever it is typed."""
    return [str(EXAMPLES / argument) if "/" in argument else argument for argument in SHOWN[name]]
