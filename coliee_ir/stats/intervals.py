"""The confidence interval of a score."""

from __future__ import annotations

from typing import Final

import numpy as np

from coliee_ir.judging.judged import FloatArray
from coliee_ir.measures import Measure, Result
from coliee_ir.measures.labels import Accuracy, LabelAccuracy
from coliee_ir.stats import resampling
from coliee_ir.stats.resampling import Interval

#: The measures that are shares of queries answered rightly.
SHARES: Final = (Accuracy, LabelAccuracy)


def interval_of(
    measure: Measure,
    result: Result,
    samples: FloatArray,
    without: FloatArray,
    confidence_level: float,
    in_groups: bool = False,
) -> Interval:
    """The interval of a score: Wilson's of an accuracy, which is a share of queries, else the BCa interval.

    NaN where that has no width: nothing that varies says how sure the score is.

    Args:
        measure: the measure.
        result: what it says of the run.
        samples: shape (n_resamples,); the score on bootstrap samples.
        without: shape (Q,); the score without each query in turn.
        confidence_level: of the intervals.
        in_groups: whether queries were drawn in groups; then an accuracy is no share of independent ones.
    """
    if isinstance(measure, SHARES) and not in_groups:
        values = result.per_query[~np.isnan(result.per_query)]
        return resampling.wilson(float(values.sum()), len(values), confidence_level)
    interval = resampling.bca(samples, result.value, without, confidence_level)
    return interval if interval.high > interval.low else Interval(float("nan"), float("nan"))
