"""A user's code in pyright: right.py passes, wrong.py is refused where it is marked; mypy sees both in `make types`."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from places import ROOT

FOLDER = ROOT / "tests" / "typing"


@pytest.mark.explore
def test_right_code_passes_and_wrong_code_does_not(here):
    program = shutil.which("basedpyright", path=str(Path(sys.executable).parent))
    if program is None:
        pytest.skip("basedpyright is not installed")
    config = {"include": [str(FOLDER)], "typeCheckingMode": "standard", "enableTypeIgnoreComments": False}
    Path("pyrightconfig.json").write_text(json.dumps(config))
    command = [program, "--outputjson", "--project", ".", "--pythonpath", sys.executable]
    found = json.loads(subprocess.run(command, capture_output=True, text=True).stdout)["generalDiagnostics"]
    errors = [row for row in found if row["severity"] == "error"]
    lines = enumerate((FOLDER / "wrong.py").read_text().splitlines())
    expected = {("wrong.py", i) for i, line in lines if "# type: ignore" in line}
    assert {(Path(row["file"]).name, row["range"]["start"]["line"]) for row in errors} == expected
