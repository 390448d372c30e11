"""What other people write: read as it is meant, or refused by name; see foreign_forms.py."""

import json
import re

import pytest
from foreign_forms import ALL, MEASURES, File, qrels, trec_run

from coliee_adapters.errors import InputError, UsageError
from coliee_ir import evaluate


def put(held, folder, name):
    """The gold or run as ``evaluate`` takes it."""
    if not isinstance(held, File):
        return held.make()
    (folder / f"{name}{held.ending}").write_bytes(held.content)
    return folder / f"{name}{held.ending}"


def scored(case, folder):
    measures = ["Accuracy"] if case.truth.task == "4" else list(MEASURES)
    more = {"columns": dict(case.columns)} if case.columns else {}
    gold, run = put(case.gold, folder, "gold"), put(case.run, folder, "run")
    return evaluate(gold, run, measures=measures, **more)


def in_trec_form(truth, folder):
    measures = ["Accuracy"] if truth.task == "4" else list(MEASURES)
    gold, run = put(qrels(truth), folder, "reference-gold"), put(trec_run(truth), folder, "reference-run")
    return evaluate(gold, run, task=truth.task, measures=measures)


def check_same(case, scores, folder):
    expected = in_trec_form(case.truth, folder)
    assert scores.measures == expected.measures
    assert scores.per_query == expected.per_query
    assert scores.queries == expected.queries  # no header is a query
    assert scores.counts == expected.counts
    if case.truth.task in ("3", "4"):
        assert scores.task == case.truth.task
    assert not re.search(r"another run tag|do not stand together|twice and grouped", "\n".join(scores.remarks))


def check_named(case, text, folder):
    """An error that names what was found, apart from the name of its file."""
    text = text.replace(str(folder), "")
    for words in case.words:
        assert re.search(words, text, re.IGNORECASE), f"{words!r} is not in {text!r}"
    assert case.never is None or not re.search(case.never, text, re.IGNORECASE)


@pytest.mark.parametrize("case", ALL, ids=lambda case: case.id)
def test_read_as_it_is_meant_or_refused_by_name_in_python_and_as_typed(case, tmp_path, call):
    scores, sentence = None, ""
    try:
        scores = scored(case, tmp_path)
    except (InputError, UsageError) as error:
        sentence = str(error)
        assert case.outcome != "read", error
        check_named(case, sentence, tmp_path)
    else:
        assert case.outcome != "refused"
        check_same(case, scores, tmp_path)
    if not isinstance(case.gold, File) or not isinstance(case.run, File):
        return
    names = ["Accuracy"] if case.truth.task == "4" else MEASURES
    columns = ["--columns", ",".join(f"{role}={name}" for role, name in case.columns.items())] if case.columns else []
    files = (tmp_path / f"gold{case.gold.ending}", tmp_path / f"run{case.run.ending}")
    code, out, err = call("evaluate", *files, "-f", "json", *columns, *(word for m in names for word in ("-m", m)))
    if scores is None:
        assert (code, out) == (2, "") and sentence in err
        check_named(case, err, tmp_path)
    else:
        assert code == 0
        assert [run["measures"] for run in json.loads(out)["runs"]] == [scores.measures]


def test_the_names_of_the_cases_are_distinct_and_each_refusal_names_something():
    assert len({case.id for case in ALL}) == len(ALL)
    assert not any(case.outcome == "refused" and not case.words for case in ALL)
