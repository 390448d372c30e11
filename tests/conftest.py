"""What all tests share: the hypothesis profiles, and files to read.

By default every run draws the same examples (``fixed``). ``make explore`` draws many more, and others each time
(``explore``); pytest's ``--hypothesis-profile explore`` or ``HYPOTHESIS_PROFILE=explore`` does the same.
"""

import importlib
import os
import pkgutil
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings

import coliee_adapters
import coliee_ir
from coliee_adapters.files.source import Source
from coliee_ir.cli import main
from coliee_ir.judging import workers

settings.register_profile("fixed", derandomize=True, deadline=None, max_examples=16, print_blob=True)
FIXED, SLOW = settings.get_profile("fixed"), [HealthCheck.too_slow]
# not derandomized even where hypothesis finds itself in CI
settings.register_profile("explore", FIXED, derandomize=False, max_examples=500, suppress_health_check=SLOW)
# for tests/tools/survivors.py: whether a fault is found, not the smallest example of it
settings.register_profile("quick", FIXED, phases=[Phase.explicit, Phase.generate], database=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fixed"))

#: a user's code, which type checkers read (tests/test_typing.py); a script that reads its arguments
collect_ignore = ["typing", "minimal.py"]


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session):
    """Each worker loads all modules, and other tests first, so that the others read what it has compiled.

    Hypothesis draws constants of the modules that are loaded: if all are, its examples do not hang on what ran before.
    """
    for package in (coliee_ir, coliee_adapters):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not module.name.endswith("__main__"):
                importlib.import_module(module.name)
    worker = getattr(session.config, "workerinput", None)
    if worker is None or session.config.args_source != pytest.Config.ArgsSource.TESTPATHS:
        return
    modules = sorted(Path(__file__).parent.rglob("test_*.py"))
    first = len(modules) * int(worker["workerid"].removeprefix("gw")) // worker["workercount"]
    for module in modules[first:] + modules[:first]:
        if str(module.parent) not in sys.path:
            sys.path.insert(0, str(module.parent))
        with suppress(Exception, pytest.skip.Exception):  # pytest meets it again, and reports it
            importlib.import_module(module.stem)


@pytest.fixture(scope="module")
def one_deal():
    """``tune`` and ``fuse --fit`` deal queries to folds once; what ten deals change is for the tests of these two."""
    with pytest.MonkeyPatch.context() as patch:
        for dealing in (coliee_ir.tune, coliee_ir.fit_fusion):
            patch.setitem(dealing.__kwdefaults__, "repeats", 1)
        yield


@pytest.fixture
def here(tmp_path, monkeypatch):
    """An empty folder, which is the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def call(capsys):
    """Runs a command: its exit code, standard output and standard error."""

    def run(*arguments):
        try:
            code = main([str(argument) for argument in arguments])
        except SystemExit as stop:  # argparse
            code = int(stop.code or 0)
        out, err = capsys.readouterr()
        return code, out, err

    return run


@pytest.fixture
def source(tmp_path, monkeypatch):
    """Writes content to a file of a temporary folder, which becomes the current one, and opens it."""
    monkeypatch.chdir(tmp_path)

    def opened(content, name="f.txt"):
        Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())
        return Source(name)

    return opened


@pytest.fixture
def one_process(monkeypatch):
    """Parts are judged one after another in this process."""
    results = workers.results
    monkeypatch.setattr(workers, "results", lambda tasks, *_: results(tasks, 1))
