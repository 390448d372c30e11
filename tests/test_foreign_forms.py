"""What other people write: read as it is meant, or refused by name; see foreign_forms.py."""

import re

import pytest
from foreign_forms import ALL, MEASURES, File, qrels, trec_run

from coliee_adapters.errors import InputError, UsageError
from coliee_ir import evaluate


def scored(gold, run, truth, folder, **more):
    """The scores of a gold and a run, which are written to files if they are any."""
    paths = []
    for name, held in (("gold", gold), ("run", run)):
        if isinstance(held, File):
            paths.append(folder / f"{name}{held.ending}")
            paths[-1].write_bytes(held.content)
        else:
            paths.append(held.make())
    return evaluate(*paths, measures=["Accuracy"] if truth.task == "4" else list(MEASURES), **more)


@pytest.mark.parametrize("case", ALL, ids=lambda case: case.id)
def test_read_as_it_is_meant_or_refused_by_name(case, tmp_path):
    truth, columns = case.truth, {"columns": dict(case.columns)} if case.columns else {}
    try:
        scores = scored(case.gold, case.run, truth, tmp_path, **columns)
    except (InputError, UsageError) as error:
        assert case.outcome != "read", error
        text = str(error).replace(str(tmp_path), "")  # what was found is named, apart from the name of its file
        for words in case.words:
            assert re.search(words, text, re.IGNORECASE), f"{words!r} is not in {text!r}"
        assert case.never is None or not re.search(case.never, text, re.IGNORECASE)
        return
    assert case.outcome != "refused"
    expected = scored(qrels(truth), trec_run(truth), truth, tmp_path, task=truth.task)
    assert scores.measures == expected.measures
    assert scores.per_query == expected.per_query
    assert scores.queries == expected.queries  # no header is a query
    assert scores.counts == expected.counts
    assert truth.task not in ("3", "4") or scores.task == truth.task
    assert not re.search(r"another run tag|do not stand together|twice and grouped", "\n".join(scores.remarks))
