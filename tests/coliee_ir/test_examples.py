import subprocess
import sys

from example_runs import EXAMPLES
from places import ROOT


def contents(folder):
    files = (path for path in folder.rglob("*") if path.is_file() and path.suffix not in (".py", ".pyc"))
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def test_the_generator_gives_the_shipped_files_to_the_byte(tmp_path):
    subprocess.run([sys.executable, ROOT / "tests/data/make_examples.py", tmp_path], check=True)
    made, ours = contents(tmp_path), contents(EXAMPLES)
    assert sorted(made) == sorted(ours)
    assert [name for name in made if made[name] != ours[name]] == []
    assert sum(map(len, ours.values())) < 500_000
