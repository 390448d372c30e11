import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from coliee_ir.judging import order

_SCORES = st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from(
    [0.0, -0.0, 1.0, 1.0 + 2**-40, 1e39, 1e300]
)
_SEGMENTS = st.lists(st.lists(_SCORES, max_size=5) | st.lists(_SCORES, min_size=40, max_size=60), max_size=5)


@given(_SEGMENTS)
def test_keys_sort_lines_by_segment_and_by_score_as_trec_eval_compares_it(segments):
    scores = np.array([score for held in segments for score in held])
    segment = np.repeat(np.arange(len(segments)), list(map(len, segments)))
    within = order.sort_keys(scores)
    keys = order.in_segments(segment, within).tolist()
    assert order.segment_of(np.array(keys, dtype=np.int64)).tolist() == segment.tolist()
    compared = [(at, -score) for at, score in zip(segment.tolist(), order.as_compared(scores).tolist(), strict=True)]
    for one, key in zip(compared, keys, strict=True):
        assert [one < other for other in compared] == [key < other for other in keys]
    lengths = np.array(list(map(len, segments)), dtype=np.int64)
    assert order.in_segments(segment, order.sorted_within(within, lengths)).tolist() == sorted(keys)
