"""The built wheel, installed alone in a new environment and run outside of the tree: what a user of pip gets."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

#: what is no code: pages, styles, scripts, the rules of tasks
DATA = tuple(
    path.relative_to(ROOT).as_posix()
    for ending in ("html", "css", "js", "toml")
    for path in (ROOT / "coliee_ir").rglob(f"*.{ending}")
)

CHECKS = (
    ("-m", "coliee_ir", "--version"),
    ("-m", "coliee_ir", "demo"),
    ("-c", "import coliee_ir, coliee_adapters; assert coliee_ir.evaluate({'q': ['d']}, {'q': ['d', 'e']}, task='1')"),
)


def run(*command: str | Path, cwd: Path) -> None:
    """Run a command, and show its output only if it fails."""
    environment = {**os.environ, "PIP_CONSTRAINT": (ROOT / "constraints.txt").as_uri()}  # pip splits a path at blanks
    done = subprocess.run([str(c) for c in command], cwd=cwd, env=environment, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"wheel smoke test: {' '.join(map(str, command))} failed\n{done.stdout}{done.stderr}")


def main(folder: Path) -> None:
    pip = ("-m", "pip", "--quiet", "--disable-pip-version-check")
    run(sys.executable, *pip, "wheel", "--no-deps", "--wheel-dir", folder, ROOT, cwd=folder)
    (wheel,) = folder.glob("*.whl")
    held = set(zipfile.ZipFile(wheel).namelist())
    needed = {"coliee_ir/py.typed", "coliee_adapters/py.typed", "coliee_ir/examples/task1/gold.json", *DATA}
    strays = {entry for entry in held if entry.startswith(("tests/", "benchmarks/"))}
    if wrong := needed - held | strays:
        sys.exit(f"wheel smoke test: not in the wheel, or in it and no part of it: {sorted(wrong)}")
    venv.create(folder / "venv", with_pip=True)
    python = folder / "venv" / "bin" / "python"
    run(python, *pip, "install", wheel, cwd=folder)
    for check in CHECKS:
        run(python, "-W", "error", *check, cwd=folder)
    print("wheel smoke test: built, installed, demo scored")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        main(Path(name))
