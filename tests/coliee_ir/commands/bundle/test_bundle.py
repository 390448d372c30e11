"""Bundles, unpacked as Codabench lays them out and run: the command line's digits, and nothing of the gold."""

import io
import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import yaml
from example_runs import EXAMPLES
from hypothesis import given, settings
from hypothesis import strategies as st
from places import ROOT

from coliee_adapters.errors import UsageError
from coliee_ir import evaluate
from coliee_ir.commands.bundle import pack, score_upload

ONE = (EXAMPLES / "task1" / "gold.json", {"bm25.txt": (EXAMPLES / "task1" / "bm25.txt").read_bytes()}, "1")
THREE = (
    EXAMPLES / "task3" / "gold.xml",
    {name: (EXAMPLES / "task3" / name).read_bytes() for name in ("task3.ALPHA", "answers.ALPHA")}, "3",
)  # fmt: skip


def unpack(content, folder):
    folder.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        archive.extractall(folder)
    return folder


def packed(case):
    return pack(case[0], task=case[2], image="me/scorer")


@pytest.fixture(scope="module")
def image(tmp_path_factory):
    """What the Dockerfile of a bundle installs, without an index; the dependencies are there."""
    bundle = unpack(packed(ONE), tmp_path_factory.mktemp("bundle"))
    (wheel,) = bundle.glob("*.whl")
    target = tmp_path_factory.mktemp("image")
    pip = (
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-compile",
        "--no-index",
        "--no-deps",
        "--target",
        target,
        wheel,
    )
    subprocess.run(pip, check=True)
    assert (target / "coliee_ir" / "py.typed").is_file() and any(target.glob("coliee_ir-*.dist-info/licenses/LICENSE"))
    return target


def python(image, *words):
    environment = {**os.environ, "PYTHONPATH": str(image)}
    command = [sys.executable, *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)


def uploaded(image, bundle, files, place):
    """Scores, and what the participant sees of an error."""
    place.mkdir()
    upload, out = place / "input" / "res", place / "output"
    for folder in (upload, out):
        folder.mkdir(parents=True)
    for name, content in files.items():
        (upload / name).write_bytes(content)
    program = unpack((bundle / "scoring_program.zip").read_bytes(), place / "program")
    unpack((bundle / "reference_data.zip").read_bytes(), place / "input" / "ref")
    done = python(image, program / "score.py", place / "input", out)
    return json.loads((out / "scores.json").read_text()) if done.returncode == 0 else {}, done.stderr


@pytest.mark.parametrize("case", [ONE, pytest.param(THREE, marks=pytest.mark.explore)], ids=["task 1", "task 3"])
def test_a_bundle_gives_the_same_digits(case, image, tmp_path):
    gold, files, task = case
    assert packed(case) == packed(case)
    bundle = unpack(packed(case), tmp_path / "bundle")
    scores, error = uploaded(image, bundle, files, tmp_path / "place")
    assert error == ""
    (tmp_path / "run").mkdir()
    for name, content in files.items():
        (tmp_path / "run" / name).write_bytes(content)
    first, *others = (tmp_path / "run" / name for name in files)
    expected = evaluate(gold, first, task=task, answers=others[0] if others else None).measures
    assert scores == expected


def test_a_long_list_that_is_not_scored_is_passed_over(tmp_path):
    gold, files, task = THREE
    for name, content in {**files, "task3-L.ALPHA": files["task3.ALPHA"] * 9}.items():
        (tmp_path / name).write_bytes(content)
    found = score_upload(gold, tmp_path, {"task": task, "edition": 2026, "exclude": [], "decisions": {}})
    run, answers = (tmp_path / name for name in files)
    assert found.error == "" and found.scores == evaluate(gold, run, answers=answers, task=task, edition=2026).measures


BROKEN = {
    "other ids": {"run.txt": b"999999 888888 A\n"}, "lost zeros": {"run.txt": b"2473 1 A\n"},
    "nothing": {"run.txt": b"\n"},
    "cut": {"run.txt": b"000001 000002 A\n000001\n"}, "two": {"a": b"000001 000002 A\n", "b": b"000001 000003 B\n"},
    "a letter": {"readme.txt": b"hello\n"}, "json": {"run.json": b'{"a": '},
}  # fmt: skip


def test_a_broken_upload_gets_a_sentence_and_nothing_of_the_gold(image, tmp_path):
    gold = json.loads(ONE[0].read_text())
    ids = {Path(text).stem for query, documents in gold.items() for text in (query, *documents)}
    bundle = unpack(packed(ONE), tmp_path / "bundle")
    rules = {"task": "1", "edition": 2026, "exclude": []}
    for at, (name, files) in enumerate(BROKEN.items()):
        if name in ("other ids", "cut"):  # a process each takes its time
            scores, error = uploaded(image, bundle, files, tmp_path / f"place{at}")
        else:
            (tmp_path / f"place{at}").mkdir()
            for file, content in files.items():
                (tmp_path / f"place{at}" / file).write_bytes(content)
            scores, error = score_upload(ONE[0], tmp_path / f"place{at}", rules)
        assert scores == {} and error and "Traceback" not in error, error
        assert not ids & set(re.findall(r"\d{6}", error)), error
        assert str(tmp_path) not in error


@pytest.mark.parametrize("content", ['{"100001": ["200001", 7.5]}', '{"100001": [7.5', "", "Kept 7.5 here"])
def test_a_fault_of_the_gold_is_not_told_to_participants(content, tmp_path):
    gold, run = tmp_path / "gold.json", tmp_path / "run.txt"
    gold.write_text(content)
    run.write_text("100001 200001 A\n")
    scores, error = score_upload(gold, run, {"task": "1", "edition": 2026, "exclude": []})
    assert scores == {} and "organisers" in error and "gold.json" not in error and "7.5" not in error


@st.composite
def broken(draw):
    """A run of Task 1, or of another task, cut, patched and shuffled."""
    right, other = (
        "1{:05} 2{:05} A1",
        draw(st.sampled_from(["9{:05} 8{:05} A1", "{1} {0}", "R07-{:02}-U Y A1", "{}\t{}"])),
    )
    form = draw(st.sampled_from([right, other]))
    lines = [form.format(n, n) for n in draw(st.lists(st.integers(0, 9), max_size=6))]
    content = bytearray("\n".join(lines).encode() + draw(st.sampled_from([b"\n", b"", b"\r\n\0"])))
    for at, patch in draw(st.lists(st.tuples(st.integers(0, 60), st.binary(max_size=3)), max_size=4)):
        content[at : at + draw(st.integers(0, 2))] = patch
    return draw(st.sampled_from([b"", b"{", b'{"100001": [', b"\x1f\x8b", b"PK\x03\x04", b"\xef\xbb\xbf"])) + bytes(
        content
    )


@pytest.fixture(scope="module")
def hidden(tmp_path_factory):
    """A gold whose ids nobody guesses, and a place for uploads."""
    folder = tmp_path_factory.mktemp("hidden")
    gold = {f"1{n:05}": [f"2{n:05}", f"7{n * 777:05}"] for n in range(8)}
    (folder / "gold.json").write_text(json.dumps(gold))
    return folder


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["a.txt", "b", "c.json", "d.zip", "task3.A1"]), broken()), max_size=3))
def test_whatever_is_uploaded_the_gold_is_in_no_message(hidden, files):
    gold = json.loads((hidden / "gold.json").read_text())
    ids = {text for query, documents in gold.items() for text in (query, *documents)}
    with TemporaryDirectory(dir=hidden) as place:
        for name, content in files:
            Path(place, name).write_bytes(content)
        found = score_upload(hidden / "gold.json", place, {"task": "1", "edition": 2026, "exclude": []})
    sent = b"".join(content for _, content in files).decode(errors="replace")
    assert bool(found.scores) != bool(found.error)
    assert {text for text in ids if text in found.error} <= {text for text in ids if text in sent}
    assert str(hidden) not in found.error


#: keys of competition.yaml that src/apps/competitions/unpackers/v2.py of Codabench reads (2026), and those of columns
#: and leaderboards in docs.codabench.org, Yaml-Structure: which are needed, and which may be there
CODABENCH = {
    "": (
        "version title image terms pages tasks phases leaderboards",
        "description registration_auto_approve docker_image make_programs_available make_input_data_available queue "
        "enable_detailed_results contact_email reward auto_run_submissions forum_enabled solutions fact_sheet",
    ),
    "pages": ("title file", ""),
    "tasks": ("index name scoring_program", "description input_data reference_data ingestion_program"),
    "phases": (
        "name start tasks",
        "index description end max_submissions max_submissions_per_day auto_migrate_to_this_phase public_data "
        "execution_time_limit hide_output hide_prediction_output hide_score_output starting_kit",
    ),
    "leaderboards": ("title key columns", "submission_rule hidden"),
    "columns": ("title key index", "sorting computation computation_indexes precision hidden"),
}


def test_competition_yaml_is_as_codabench_reads_it(tmp_path):
    bundle = unpack(packed(ONE), tmp_path)
    held = yaml.safe_load((bundle / "competition.yaml").read_text(encoding="utf-8"))
    (task,), (phase,), (board,) = held["tasks"], held["phases"], held["leaderboards"]
    for where, (needed, allowed) in CODABENCH.items():
        for entry in {**held, "": [held], **board}[where]:
            assert set(needed.split()) <= set(entry) <= {*needed.split(), *allowed.split()}, where
    files = [held["image"], held["terms"], task["scoring_program"], task["reference_data"], held["pages"][0]["file"]]
    assert all((bundle / name).stat().st_size for name in files)
    assert held["version"] == 2 and held["docker_image"] == "me/scorer" and phase["tasks"] == [task["index"]]
    assert phase["max_submissions"] == phase["max_submissions_per_day"] == 3
    assert phase["hide_score_output"] is True and board["hidden"] is True
    assert [column["key"] for column in board["columns"]] == ["MicroF1", "MicroP", "MicroR"]
    with zipfile.ZipFile(bundle / "scoring_program.zip") as program:
        command = yaml.safe_load(program.read("metadata.yaml"))["command"]
        assert command.split()[1].removeprefix("/app/program/") in program.namelist()


def test_a_bundle_needs_the_name_of_an_image():
    with pytest.raises(UsageError) as caught:
        pack(ONE[0], task="1")
    assert caught.value.kind == "option-needed"


def test_the_action_installs_its_own_checkout():
    """Metadata syntax of composite actions: a step that runs names its shell, inputs are strings, and in no script."""
    held = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    assert {"name", "description", "inputs", "runs"} == set(held) and held["runs"]["using"] == "composite"
    python, install, *others = held["runs"]["steps"]
    assert python["uses"].startswith("actions/setup-python@") and '"$GITHUB_ACTION_PATH"' in install["run"]
    assert all(step["shell"] == "bash" and "${{" not in step["run"] for step in (install, *others))
    for value in held["inputs"].values():
        assert set(value) <= {"description", "required", "default"} and isinstance(value.get("default", ""), str)
    assert set(re.findall(r"inputs\.(\w+)", json.dumps(held["runs"]))) == set(held["inputs"])
