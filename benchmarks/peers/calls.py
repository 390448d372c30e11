"""Many runs scored in one process, as in a training loop: what one call takes, in the middle.

    python calls.py WAY QRELS RUN CALLS MEASURE…

Queries and documents stay, scores differ from call to call. Reading the files, preparing the evaluator, bringing the
scores into the form of the way, and one call to warm up are not timed.
"""

from __future__ import annotations

import random
import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytrec_eval

Qrels = dict[str, dict[str, int]]
Run = dict[str, dict[str, float]]

#: so many different runs, in turn; of small ones, as many as have so many lines
_RUNS, _LINES = 5, 100_000


def _ours_arrays(qrels: Qrels, runs: Sequence[Run], names: list[str]) -> tuple[Callable[[Any], Any], list[Any]]:
    import numpy as np

    from coliee_ir import Evaluator

    documents = sorted({document for ranking in runs[0].values() for document in ranking})
    evaluator = Evaluator(qrels, names, task="trec", documents=documents)
    query_at = {query: at for at, query in enumerate(evaluator.queries)}
    document_at = {document: at for at, document in enumerate(documents)}
    pairs = [(query_at[query], document_at[document]) for query, ranking in runs[0].items() for document in ranking]
    queries, retrieved = (np.array(column) for column in zip(*pairs, strict=True))
    scores = [np.array([score for ranking in run.values() for score in ranking.values()]) for run in runs]
    return lambda run: evaluator.evaluate(run).measures, [(queries, retrieved, score) for score in scores]


def _ours_dictionaries(qrels: Qrels, runs: Sequence[Run], names: list[str]) -> tuple[Callable[[Any], Any], list[Any]]:
    from coliee_ir import Evaluator

    evaluator = Evaluator(qrels, names, task="trec")
    return lambda run: evaluator.evaluate(run).measures, list(runs)


def _ours_together(qrels: Qrels, runs: Sequence[Run], names: list[str]) -> tuple[Callable[[Any], Any], list[Any]]:
    from coliee_ir import Evaluator, evaluate_all

    evaluator = Evaluator(qrels, names, task="trec")
    return lambda runs: [scores.measures for scores in evaluate_all(evaluator, runs)][-1], [runs]


def _ours_frames(qrels: Qrels, runs: Sequence[Run], names: list[str]) -> tuple[Callable[[Any], Any], list[Any]]:
    score, _ = _ours_dictionaries(qrels, runs, names)
    return score, [_frame(run, "query_id", "doc_id") for run in runs]


def _ours_polars(qrels: Qrels, runs: Sequence[Run], names: list[str]) -> tuple[Callable[[Any], Any], list[Any]]:
    import polars

    score, frames = _ours_frames(qrels, runs, names)
    return score, [polars.DataFrame(frame.to_dict("list")) for frame in frames]


def _ours_tuples(qrels: Qrels, runs: Sequence[Run], names: list[str]) -> tuple[Callable[[Any], Any], list[Any]]:
    score, frames = _ours_frames(qrels, runs, names)
    return score, [list(frame.itertuples(index=False)) for frame in frames]


def _pytrec_eval(qrels: Qrels, runs: Sequence[Run], names: list[str]) -> tuple[Callable[[Any], Any], list[Any]]:
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, set(names))

    def score(run: Run) -> Mapping[str, float]:
        results = evaluator.evaluate(run)
        return {name: sum(values[name] for values in results.values()) / len(qrels) for name in names}

    return score, list(runs)


def _pytrec_eval_together(
    qrels: Qrels, runs: Sequence[Run], names: list[str]
) -> tuple[Callable[[Any], Any], list[Any]]:
    score, _ = _pytrec_eval(qrels, runs, names)
    return lambda runs: [score(run) for run in runs][-1], [runs]


def _ir_measures(qrels: Qrels, runs: Sequence[Run], names: list[str]) -> tuple[Callable[[Any], Any], list[Any]]:
    import ir_measures

    sys.path.insert(0, str(Path(__file__).parents[2]))
    from benchmarks.contenders import their_name

    measures = {name: ir_measures.parse_measure(their_name(name)) for name in names}
    evaluator = ir_measures.evaluator(list(measures.values()), qrels)

    def score(run: Any) -> Mapping[str, float]:
        values = evaluator.calc_aggregate(run)
        return {name: values[measure] for name, measure in measures.items()}

    return score, list(runs)


def _ir_measures_frames(qrels: Qrels, runs: Sequence[Run], names: list[str]) -> tuple[Callable[[Any], Any], list[Any]]:
    score, _ = _ir_measures(qrels, runs, names)
    return score, [_frame(run, "query_id", "doc_id") for run in runs]


def _ranx(qrels: Qrels, runs: Sequence[Run], names: list[str]) -> tuple[Callable[[Any], Any], list[Any]]:
    import ranx

    gold = ranx.Qrels(qrels)
    return lambda run: ranx.evaluate(gold, ranx.Run(run), names, make_comparable=True), list(runs)


def _ranx_frames(qrels: Qrels, runs: Sequence[Run], names: list[str]) -> tuple[Callable[[Any], Any], list[Any]]:
    import ranx

    gold = ranx.Qrels(qrels)

    def score(frame: object) -> Any:
        return ranx.evaluate(gold, ranx.Run.from_df(frame), names, make_comparable=True)

    return score, [_frame(run, "q_id", "doc_id").astype({"q_id": object, "doc_id": object}) for run in runs]


def _frame(run: Run, query: str, document: str) -> Any:
    import pandas as pd

    rows = [(query_id, doc_id, score) for query_id, ranking in run.items() for doc_id, score in ranking.items()]
    return pd.DataFrame(rows, columns=[query, document, "score"])


WAYS = {
    "arrays": _ours_arrays,
    "dictionaries": _ours_dictionaries,
    "together": _ours_together,
    "frames": _ours_frames,
    "polars": _ours_polars,
    "tuples": _ours_tuples,
    "pytrec_eval": _pytrec_eval,
    "pytrec_eval-together": _pytrec_eval_together,
    "ir_measures": _ir_measures,
    "ir_measures-frames": _ir_measures_frames,
    "ranx": _ranx,
    "ranx-frames": _ranx_frames,
}


def main(way: str, qrels_path: str, run_path: str, calls: str, *names: str) -> None:
    with Path(qrels_path).open() as file:
        qrels = pytrec_eval.parse_qrel(file)
    with Path(run_path).open() as file:
        run = pytrec_eval.parse_run(file)
    chance = random.Random(2026)
    tied = all(score == round(score, 1) for ranking in run.values() for score in ranking.values())
    places = 1 if tied else 15
    runs = [
        {
            query: {document: round(score + chance.gauss(0, 1), places) for document, score in ranking.items()}
            for query, ranking in run.items()
        }
        for _ in range(max(_RUNS, _LINES // sum(map(len, run.values()))))
    ]
    score, inputs = WAYS[way](qrels, runs, list(names))
    score(inputs[0])
    seconds, cpu = [], []
    for call in range(int(calls)):
        start, start_cpu = time.perf_counter(), time.process_time()
        values = score(inputs[call % len(inputs)])
        seconds.append(time.perf_counter() - start)
        cpu.append(time.process_time() - start_cpu)
        if call < _RUNS:
            for name, value in values.items():
                print(f"{name}\t{value:.9f}")
    print(f"seconds_per_call\t{statistics.median(seconds)}")
    print(f"cpu_per_call\t{statistics.median(cpu)}")


if __name__ == "__main__":
    main(*sys.argv[1:])
