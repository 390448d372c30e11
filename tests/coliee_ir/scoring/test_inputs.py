"""Every result in JSON says by SHA-256 which gold and runs it was computed from."""

import gzip
import hashlib
import json
from pathlib import Path

import pytest
from sent import cases, write, zipped

BOTH = ["gold.json", "runs/a", "runs/b"]


@pytest.fixture(autouse=True)
def files(here):
    write({"gold.json": json.dumps({f"{n:06}": [f"{n + 100:06}"] for n in range(1, 11)}),
           "runs/a": cases("a", 6), "runs/b": cases("b", 3)})  # fmt: skip


def inputs(call, *words):
    """The inputs of a result, whose digests are those of the files."""
    _, out, err = call(*words, "-f", "json")
    digests = json.loads(out)["inputs"]
    assert digests == {name: hashlib.sha256(Path(name).read_bytes()).hexdigest() for name in digests}, err
    return [*digests]


@pytest.mark.parametrize(
    "words",
    [
        "evaluate gold.json runs --show stages", "compare gold.json runs/a runs/b --resamples 99",
        "leaderboard gold.json runs --resamples 9", "plan gold.json runs --resamples 19",
        "tune gold.json runs --task 1 --folds 2 --by k", "validate runs --gold gold.json",
    ],
)  # fmt: skip
def test_a_result_names_the_files_that_entered_it(call, words):
    assert inputs(call, *words.split()) == BOTH


def test_archives_compressed_files_and_large_ones_are_taken_as_they_lie_and_streams_have_none(call, monkeypatch):
    Path("runs.zip").write_bytes(zipped({"a": cases("a"), "b": cases("b")}))
    Path("a.gz").write_bytes(gzip.compress(b"000001 000109 a\n"))
    Path("large").write_text("\ufeff" + "".join(f"000001 {n:06} c\n" for n in range(9000)), encoding="utf-8")
    files = ["gold.json", "runs.zip", "a.gz", "large"]
    assert inputs(call, "evaluate", *files) == files
    with Path("runs/a").open() as stream:
        monkeypatch.setattr("sys.stdin", stream)
        assert inputs(call, "evaluate", "gold.json", "-") == ["gold.json"]
