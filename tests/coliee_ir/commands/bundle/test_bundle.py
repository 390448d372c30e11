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
from asserting import refusing
from example_runs import EXAMPLES
from hypothesis import given, settings
from hypothesis import strategies as st
from places import ROOT
from sent import write

from coliee_adapters.errors import UsageError
from coliee_ir import evaluate
from coliee_ir.commands.bundle import pack, score_upload

TASK1, TASK3 = EXAMPLES / "task1", EXAMPLES / "task3"
ONE = (TASK1 / "gold.json", {"bm25.txt": (TASK1 / "bm25.txt").read_bytes()}, "1")
THREE = (TASK3 / "gold.xml", {name: (TASK3 / name).read_bytes() for name in ("task3.ALPHA", "answers.ALPHA")}, "3")


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
    options = ("--quiet", "--no-compile", "--no-index", "--no-deps", "--target", target, wheel)
    subprocess.run([sys.executable, "-m", "pip", "install", *options], check=True)
    assert (target / "coliee_ir" / "py.typed").is_file() and any(target.glob("coliee_ir-*.dist-info/licenses/LICENSE"))
    return target


def written(files, folder):
    write({folder / name: content for name, content in files.items()})
    return folder


def uploaded(image, bundle, files, place):
    """Scores, and what the participant sees of an error."""
    out = place / "output"
    out.mkdir(parents=True)
    written(files, place / "input/res")
    program = unpack((bundle / "scoring_program.zip").read_bytes(), place / "program")
    unpack((bundle / "reference_data.zip").read_bytes(), place / "input/ref")
    command = [sys.executable, program / "score.py", place / "input", out]
    environment = {**os.environ, "PYTHONPATH": str(image)}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    return json.loads((out / "scores.json").read_text()) if done.returncode == 0 else {}, done.stderr


def test_a_bundle_gives_the_same_digits(image, tmp_path):
    gold, files, task = ONE
    assert packed(ONE) == packed(ONE)
    scores, error = uploaded(image, unpack(packed(ONE), tmp_path / "bundle"), files, tmp_path / "place")
    assert (error, scores) == ("", evaluate(gold, TASK1 / "bm25.txt", task=task).measures)


RULES = {"task": "1", "edition": 2026, "exclude": [], "decisions": {}}


def test_a_long_list_that_is_not_scored_is_passed_over(tmp_path):
    gold, files, task = THREE
    written({**files, "task3-L.ALPHA": files["task3.ALPHA"] * 9}, tmp_path)
    found = score_upload(gold, tmp_path, {**RULES, "task": task})
    run, answers = (tmp_path / name for name in files)
    assert found.error == "" and found.scores == evaluate(gold, run, answers=answers, task=task, edition=2026).measures


def test_a_broken_upload_gets_a_sentence_and_nothing_of_the_gold(image, tmp_path):
    gold = json.loads(ONE[0].read_text())
    ids = {Path(text).stem for query, documents in gold.items() for text in (query, *documents)}
    bundle = unpack(packed(ONE), tmp_path / "bundle")
    in_process = [{"run.txt": b"2473 1 A\n"}, {"run.txt": b"\n"}, {"readme.txt": b"hello\n"},
                  {"run.json": b'{"a": '}, {"a": b"000001 000002 A\n", "b": b"000001 000003 B\n"}]  # fmt: skip
    apart = [{"run.txt": b"999999 888888 A\n"}, {"run.txt": b"000001 000002 A\n000001\n"}]  # each takes its time
    results = [uploaded(image, bundle, files, tmp_path / f"apart{n}") for n, files in enumerate(apart)]
    results += [score_upload(ONE[0], written(of, tmp_path / str(n)), RULES) for n, of in enumerate(in_process)]
    for scores, error in results:
        assert scores == {} and error and "Traceback" not in error, error
        assert not ids & set(re.findall(r"\d{6}", error)) and str(tmp_path) not in error, error


@pytest.mark.parametrize("content", ['{"100001": ["200001", 7.5]}', '{"100001": [7.5', "", "Kept 7.5 here"])
def test_a_fault_of_the_gold_is_not_told_to_participants(content, here):
    write({"gold.json": content, "run.txt": "100001 200001 A\n"})
    scores, error = score_upload("gold.json", "run.txt", RULES)
    assert scores == {} and "organisers" in error and "gold.json" not in error and "7.5" not in error


def test_doubts_that_name_documents_of_the_gold_are_not_shown(here, recwarn):
    write({"gold.json": '{"100001": ["000002", "000003"]}', "run.txt": "100001 2 A\n100001 000003 A\n"})
    assert score_upload("gold.json", "run.txt", RULES).scores and not recwarn.list


@st.composite
def broken(draw):
    """A run of Task 1, or of another task, cut, patched and shuffled."""
    others = ["9{:05} 8{:05} A1", "{1} {0}", "R07-{:02}-U Y A1", "{}\t{}"]
    form = draw(st.just("1{:05} 2{:05} A1") | st.sampled_from(others))
    lines = [form.format(n, n) for n in draw(st.lists(st.integers(0, 9), max_size=6))]
    content = bytearray("\n".join(lines).encode() + draw(st.sampled_from([b"\n", b"", b"\r\n\0"])))
    for at, patch in draw(st.lists(st.tuples(st.integers(0, 60), st.binary(max_size=3)), max_size=4)):
        content[at : at + draw(st.integers(0, 2))] = patch
    heads = [b"", b"{", b'{"100001": [', b"\x1f\x8b", b"PK\x03\x04", b"\xef\xbb\xbf"]
    return draw(st.sampled_from(heads)) + bytes(content)


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
        found = score_upload(hidden / "gold.json", written(dict(files), Path(place)), RULES)
    sent = b"".join(content for _, content in files).decode(errors="replace")
    assert bool(found.scores) != bool(found.error)
    assert {text for text in ids if text in found.error} <= {text for text in ids if text in sent}
    assert str(hidden) not in found.error


#: keys of competition.yaml that src/apps/competitions/unpackers/v2.py of Codabench reads (2026), and those of columns
#: and leaderboards in docs.codabench.org, Yaml-Structure: which are needed, and which may be there
CODABENCH = {
    "": ("version title image terms pages tasks phases leaderboards",
         "description registration_auto_approve docker_image make_programs_available make_input_data_available queue "
         "enable_detailed_results contact_email reward auto_run_submissions forum_enabled solutions fact_sheet"),
    "pages": ("title file", ""),
    "tasks": ("index name scoring_program", "description input_data reference_data ingestion_program"),
    "phases": ("name start tasks",
               "index description end max_submissions max_submissions_per_day auto_migrate_to_this_phase public_data "
               "execution_time_limit hide_output hide_prediction_output hide_score_output starting_kit"),
    "leaderboards": ("title key columns", "submission_rule hidden"),
    "columns": ("title key index", "sorting computation computation_indexes precision hidden"),
}  # fmt: skip


def test_competition_yaml_is_as_codabench_reads_it(tmp_path):
    bundle = unpack(packed(ONE), tmp_path)
    with zipfile.ZipFile(io.BytesIO(packed(ONE))) as archive:  # whom they are unpacked for can read them
        assert {entry.external_attr >> 16 for entry in archive.infolist()} == {0o644}
    held = yaml.safe_load((bundle / "competition.yaml").read_text(encoding="utf-8"))
    (task,), (phase,), (board,) = held["tasks"], held["phases"], held["leaderboards"]
    for where, (needed, allowed) in CODABENCH.items():
        for entry in {**held, "": [held], **board}[where]:
            assert set(needed.split()) <= set(entry) <= {*needed.split(), *allowed.split()}, where
    files = [held["image"], held["terms"], task["scoring_program"], task["reference_data"], held["pages"][0]["file"]]
    assert all((bundle / name).stat().st_size for name in files)
    assert "–" not in held["description"]  # which has no deadline
    assert held["version"] == 2 and held["docker_image"] == "me/scorer" and phase["tasks"] == [task["index"]]
    assert phase["max_submissions"] == phase["max_submissions_per_day"] == 3
    assert phase["hide_score_output"] is True and board["hidden"] is True
    assert [column["key"] for column in board["columns"]] == ["MicroF1", "MicroP", "MicroR"]
    with zipfile.ZipFile(bundle / "scoring_program.zip") as program:
        command = yaml.safe_load(program.read("metadata.yaml"))["command"]
        assert command.split()[1].removeprefix("/app/program/") in program.namelist()
    assert {*zipfile.ZipFile(bundle / "reference_data.zip").namelist()} == {"gold.json", "rules.json"}
    with refusing(UsageError, "[option-needed]"):  # an image needs a name
        pack(ONE[0], task="1")


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
