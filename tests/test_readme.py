"""The examples of the README and of the docs: every command is run and its output compared, every Python session is
a doctest."""

import doctest
import re
import shlex
import shutil
import subprocess
import sys
from itertools import chain
from pathlib import Path

import pytest
from example_runs import EXAMPLES
from places import ROOT

#: the pages whose examples run in the example data; those of other-tools.md need other tools, and a test of their own
PAGES = [ROOT / "README.md", *(page for page in sorted(ROOT.glob("docs/*.md")) if page.stem != "other-tools")]


def blocks(page, kind):
    return re.findall(rf"```{kind}\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)


def pages(kind):
    return pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, kind)], ids=lambda page: page.stem)


posix = pytest.mark.skipif(sys.platform == "win32", reason="the commands are those of a POSIX shell")


@pytest.fixture
def examples(here):
    """A copy of the example data, in which a page's commands run."""
    shutil.copytree(EXAMPLES, here, dirs_exist_ok=True)


def typed(command, call):
    """A command as a shell runs it; what is ours, in this process."""
    ours = re.fullmatch(r"coliee-ir ([^|<>$&;~{]*?)((?: 2>(?:&1|/dev/null))?(?: \|(?!\|)[^;]*)?)", command)
    if ours is None:
        command = command.replace("coliee-ir", f'"{sys.executable}" -m coliee_ir')
    else:
        words = (sorted(map(str, Path().glob(word))) if "*" in word else [word] for word in shlex.split(ours[1]))
        code, out, err = call(*chain(*words))
        if not ours[2]:
            return code, out, err
        command = f"(printf %s {shlex.quote(err)} >&2; printf %s {shlex.quote(out)}; exit {code}){ours[2]}"
    done = subprocess.run(command, shell=True, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


@posix
@pages("console")
def test_each_console_block_prints_what_it_shows(page, examples, call):
    for block in blocks(page, "console"):  # in one folder, as a reader types them
        printed = ""
        for command in re.findall(r"^\$ (.*)$", block, re.MULTILINE):
            refused = "coliee-ir: " in block
            code, out, err = typed(command, call)
            assert code == (2 if refused else 0), err
            printed += f"$ {command}\n{out}" + err * (refused or command.startswith("coliee-ir convert"))
        assert printed == block


@pages("pycon")
@pytest.mark.usefixtures("examples")
def test_each_python_block_prints_what_it_shows(page):
    for block in blocks(page, "pycon"):
        test = doctest.DocTestParser().get_doctest(block, {}, page.name, str(page), 0)
        result = doctest.DocTestRunner().run(test)
        assert (result.attempted > 0, result.failed) == (True, 0)


@posix
@pages("output")
def test_the_first_screen_can_be_typed_from_nothing(page, tmp_path):
    [script], [output] = blocks(page, "bash"), blocks(page, "output")
    program = f'"{sys.executable}" -m coliee_ir'
    typed = "".join(line.replace("coliee-ir", program, 1) for line in script.splitlines(True) if "pip" not in line)
    typed = typed.replace("&& . .venv/bin/activate", "").replace("python3 -m venv .venv", "")
    done = subprocess.run(["bash", "-ec", typed], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, output), done.stderr
