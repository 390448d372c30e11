"""The checks of mypy and pyright on a user's code: right.py passes, and of wrong.py every marked line is refused."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent / "typing"
MARKED = {at for at, line in enumerate((FOLDER / "wrong.py").read_text().splitlines(), 1) if line.endswith("# error")}


def by_mypy(tmp_path: Path) -> dict[str, set[int]]:
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", f"--cache-dir={tmp_path}"]
    done = subprocess.run([*command, "right.py", "wrong.py"], cwd=FOLDER, capture_output=True, text=True, check=False)
    found = re.findall(r"^(\w+\.py):(\d+): error", done.stdout, re.MULTILINE)
    return {name: {int(line) for file, line in found if file == name} for name in ("right.py", "wrong.py")}


def by_pyright(tmp_path: Path) -> dict[str, set[int]]:
    program = shutil.which("basedpyright", path=str(Path(sys.executable).parent))
    if program is None:
        pytest.skip("basedpyright is not installed")
    config = tmp_path / "pyrightconfig.json"
    config.write_text(json.dumps({"include": [str(FOLDER)], "typeCheckingMode": "standard"}))
    command = [program, "--outputjson", "--project", str(config), "--pythonpath", sys.executable]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found = [
        (Path(one["file"]).name, one["range"]["start"]["line"] + 1)
        for one in json.loads(done.stdout)["generalDiagnostics"]
        if one["severity"] == "error"
    ]
    return {name: {line for file, line in found if file == name} for name in ("right.py", "wrong.py")}


@pytest.mark.parametrize("check", [by_mypy, by_pyright])
def test_right_code_passes_and_wrong_code_does_not(check: object, tmp_path: Path) -> None:
    assert callable(check)
    assert check(tmp_path) == {"right.py": set(), "wrong.py": MARKED}
