"""The examples of the README and of the docs: every command is run and its output compared, every Python session is
a doctest."""

import doctest
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import coliee_ir

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
#: the pages whose examples run in the example data; those of other-tools.md need other tools, and a test of their own
PAGES = [README, *(page for page in sorted(ROOT.glob("docs/*.md")) if page.stem != "other-tools")]


def blocks(page, kind):
    return re.findall(rf"```{kind}\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)


@pytest.fixture
def examples(tmp_path, monkeypatch):
    """A copy of the example data, in which a page's commands run."""
    shutil.copytree(Path(coliee_ir.__file__).parent / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path / "examples")
    return tmp_path / "examples"


def matching(word):
    return sorted(map(str, Path().glob(word))) if "*" in word else [word]


def typed(command, folder, call):
    """A command as a shell runs it; what is ours, in this process."""
    ours = re.fullmatch(r"coliee-ir ([^|<>$&;~{]*?)((?: 2>(?:&1|/dev/null))?)((?: \|(?!\|)[^;]*)?)", command)
    if ours is None:
        typed = command.replace("coliee-ir", f'"{sys.executable}" -m coliee_ir')
        done = subprocess.run(typed, shell=True, cwd=folder, capture_output=True, text=True)
        return done.returncode, done.stdout, done.stderr
    words = [name for word in shlex.split(ours[1]) for name in matching(word)]
    code, out, err = call(*words)
    if ours[2]:
        out, err = (err if "&" in ours[2] else "") + out, ""
    if ours[3]:
        done = subprocess.run(f"cat {ours[3]}", shell=True, cwd=folder, input=out, capture_output=True, text=True)
        code, out = done.returncode, done.stdout
    return code, out, err


@pytest.mark.skipif(sys.platform == "win32", reason="the commands are those of a POSIX shell")
@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "console")], ids=lambda page: page.stem)
def test_each_console_block_prints_what_it_shows(page, examples, call):
    for block in blocks(page, "console"):  # in one folder, as a reader types them
        printed = ""
        for command in re.findall(r"^\$ (.*)$", block, re.MULTILINE):
            refused = "coliee-ir: " in block
            convert = command.startswith("coliee-ir convert")
            code, out, err = typed(command, examples, call)
            assert code == (2 if refused else 0), err
            printed += f"$ {command}\n{out}" + (err if refused or convert else "")
        assert printed == block


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "pycon")], ids=lambda page: page.stem)
@pytest.mark.usefixtures("examples")
def test_each_python_block_prints_what_it_shows(page):
    for block in blocks(page, "pycon"):
        test = doctest.DocTestParser().get_doctest(block, {}, page.name, str(page), 0)
        result = doctest.DocTestRunner().run(test)
        assert result.attempted > 0
        assert result.failed == 0


@pytest.mark.skipif(sys.platform == "win32", reason="the commands are those of a POSIX shell")
@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "output")], ids=lambda page: page.stem)
def test_the_first_screen_can_be_typed_from_nothing(page, tmp_path):
    [script], [output] = blocks(page, "bash"), blocks(page, "output")
    program = f'"{sys.executable}" -m coliee_ir'
    typed = "".join(line.replace("coliee-ir", program, 1) for line in script.splitlines(True) if "pip" not in line)
    typed = typed.replace("&& . .venv/bin/activate", "").replace("python3 -m venv .venv", "")
    done = subprocess.run(["bash", "-ec", typed], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, output), done.stderr
