"""What a reader refuses, and what it makes of a run."""

import pytest
from asserting import heard

from coliee_adapters.errors import InputError
from coliee_adapters.forms.detect import read_run
from coliee_adapters.records import Answers, Run
from coliee_adapters.remarks import Remarks


def refused(read, *given):
    with pytest.raises(InputError) as caught:
        read(*given)
    return caught.value


def told(read, *given):
    return heard(refused(read, *given))


def rows(run):
    """Query, document and score of each line."""
    return [
        (query, block.documents[at], None if block.scores is None else float(block.scores[at]))
        for block in run.blocks()
        for query, first, last in block.segments()
        for at in range(first, last)
    ]


def read_whole(source):
    """A submission, all of whose lines have been read."""
    run = read_run(source)
    if isinstance(run, Run):
        for _ in run.blocks():
            pass
    return run


def remarks_of(run):
    if isinstance(run, Answers):
        return run.remarks
    return sum((block.remarks or Remarks() for block in run.blocks()), Remarks())
