"""Every result in JSON says by SHA-256 which gold and runs it was computed from."""

import gzip
import hashlib
import json
import zipfile
from pathlib import Path

import pytest

BOTH = ["gold.json", "runs/a", "runs/b"]


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("gold.json").write_text(json.dumps({f"{n:06}": [f"{n + 100:06}"] for n in range(1, 9)}))
    Path("runs").mkdir()
    for tag, right in (("a", 6), ("b", 3)):
        lines = "".join(f"{n:06} {n + (100 if n <= right else 200):06} {tag}\n" for n in range(1, 9))
        Path("runs", tag).write_text(lines)


def told(call, *words):
    """The inputs of a result, whose digests are those of the files."""
    _, out, err = call(*words, "-f", "json")
    inputs = json.loads(out)["inputs"]
    assert inputs == {name: hashlib.sha256(Path(name).read_bytes()).hexdigest() for name in inputs}, err
    return inputs


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["evaluate", "gold.json", "runs/a"], BOTH[:2]),
        (["evaluate", "gold.json", "runs", "--show", "stages"], BOTH),
        (["compare", "gold.json", *BOTH[1:], "--resamples", "99"], BOTH),
        (["leaderboard", "gold.json", "runs", "--resamples", "9"], BOTH),
        (["plan", "gold.json", "runs", "--resamples", "19"], BOTH),
        (["tune", "gold.json", "runs", "--task", "1", "--folds", "2", "--by", "k"], BOTH),
        (["validate", "runs", "--gold", "gold.json"], BOTH),
    ],
)
def test_a_result_names_the_files_that_entered_it(call, words, expected):
    assert [*told(call, *words)] == expected


def test_archives_compressed_files_and_large_ones_are_taken_as_they_lie(call):
    with zipfile.ZipFile("runs.zip", "w") as archive:
        archive.write("runs/a", "a")
        archive.write("runs/b", "b")
    Path("a.gz").write_bytes(gzip.compress(b"000001 000109 a\n"))
    Path("large").write_text("\ufeff" + "".join(f"000001 {n:06} c\n" for n in range(9000)), encoding="utf-8")
    assert [*told(call, "evaluate", "gold.json", "runs.zip", "a.gz", "large")] == [
        "gold.json",
        "runs.zip",
        "a.gz",
        "large",
    ]


def test_streams_and_what_cannot_be_read(call, monkeypatch):
    Path("runs/c").write_text("000001 a b c d e f g\n")
    assert [*told(call, "evaluate", "gold.json", "runs/a", "runs/c", "--keep-going")] == BOTH[:2]
    with Path("runs/a").open() as stream:
        monkeypatch.setattr("sys.stdin", stream)
        assert [*told(call, "evaluate", "gold.json", "-")] == ["gold.json"]
