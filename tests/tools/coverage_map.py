"""Which tests run which lines: the suite is run once under coverage, and the map is kept in build/coverage-map.json.

Afterwards only the test files that changed are run again. Lines of code that moved are found by what they contain, and
a new line is run by the tests of the line above it.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import redirect_stdout
from dataclasses import asdict, dataclass, field
from difflib import SequenceMatcher
from multiprocessing import get_context
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, Final

import coverage
import pytest

ROOT: Final = Path(__file__).resolve().parents[2]
PACKAGES: Final = ("coliee_ir", "adapters/coliee_adapters")
KEPT: Final = ROOT / "build" / "coverage-map.json"
#: tests that look at other things than these packages' code, or start much
ASIDE: Final = ("house", "typing", "benchmarks", "error_rates", "held_out", "cluster")
PYTEST: Final = ("-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-W", "ignore::pytest.PytestWarning")
Plugin = Callable[..., object]
STARTED: Final = {"subprocess.Popen", "os.fork", "os.posix_spawn"}


@dataclass
class CoverageMap:
    """Of a tree: which tests run each line of the packages' files, and how long they take."""

    texts: dict[str, list[str]] = field(default_factory=dict)  # file → its lines; of the packages and of the tests
    runs: dict[str, list[list[str]]] = field(default_factory=dict)  # file → for each line, the tests; "" is an import
    seconds: dict[str, float] = field(default_factory=lambda: {"": 0.0})  # test → its processor time
    starting: list[str] = field(default_factory=list)  # tests that start processes

    def tests_of(self, path: str, lines: Iterable[int]) -> set[str]:
        """The tests that run any of these lines, counted from 1."""
        rows = self.runs.get(path, [])
        return {test for line in lines if line <= len(rows) for test in rows[line - 1]}

    def moved_to(self, texts: dict[str, list[str]]) -> CoverageMap:
        """The map of another tree, as far as this one tells; tests of files that changed are left out."""
        same = {path for path, lines in texts.items() if lines == self.texts.get(path)}
        kept = [test for test in self.seconds if not test or test.partition("::")[0] in same]
        unchanged = {*kept}
        pairs = {path: _pairs(self.texts.get(path, []), lines) for path, lines in texts.items() if path in self.runs}
        elsewhere: dict[str, list[list[str]]] = defaultdict(list)  # what a line contains → the tests of such lines
        for path, rows in self.runs.items():
            left = {*range(len(rows))} - {*pairs.get(path, {}).values()}
            for i in left:
                elsewhere[self.texts[path][i].strip()].append(rows[i])
        runs = {}
        for path, lines in texts.items():
            if path.startswith("tests/"):
                continue
            rows, above = [], list[str]()
            for i, line in enumerate(lines):
                if (before := pairs.get(path, {}).get(i)) is not None:
                    above = self.runs[path][before]
                elif len(line.strip()) > 12 and line.strip() in elsewhere:
                    above = [test for row in elsewhere[line.strip()] for test in row]
                rows.append([test for test in above if test in unchanged])
            runs[path] = rows
        starting = [test for test in self.starting if test in unchanged]
        return CoverageMap(texts, runs, {test: self.seconds[test] for test in kept}, starting)

    def add(self, other: CoverageMap) -> None:
        """What another process has recorded, of the same tree."""
        for path, rows in other.runs.items():
            mine = self.runs.setdefault(path, [[] for _ in self.texts[path]])
            for row, tests in zip(mine, rows, strict=True):
                row.extend(test for test in tests if test or not row)
        self.seconds |= other.seconds
        self.starting += other.starting

    def write(self, path: Path) -> None:
        places = {test: i for i, test in enumerate(self.seconds)}
        runs = {file: [[places[test] for test in row] for row in rows] for file, rows in self.runs.items()}
        starting = [places[test] for test in self.starting if test in places]
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(asdict(self) | {"runs": runs, "starting": starting}), encoding="utf-8")

    @classmethod
    def read(cls, path: Path) -> CoverageMap:
        stored = cls(**json.loads(path.read_text(encoding="utf-8")))
        tests: list[str] = [*stored.seconds]
        for rows in stored.runs.values():
            rows[:] = [[tests[i] for i in row] for row in rows]  # type: ignore[call-overload]
        stored.starting = [tests[i] for i in stored.starting]  # type: ignore[call-overload]
        return stored


def _pairs(before: list[str], after: list[str]) -> dict[int, int]:
    """The lines of `after` that are in `before`, and where."""
    if before == after:
        return {i: i for i in range(len(after))}
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    return {second + i: first + i for first, second, size in matcher.get_matching_blocks() for i in range(size)}


def texts_of(tree: Path) -> dict[str, list[str]]:
    paths = [path for part in (*PACKAGES, "tests") for path in sorted((tree / part).rglob("*.py"))]
    return {str(path.relative_to(tree)): path.read_text(encoding="utf-8").splitlines() for path in paths}


def coverage_map(tree: Path, jobs: int, kept: Path = KEPT) -> CoverageMap:
    """The map of a tree, from the one that is kept and the tests that changed since."""
    texts = texts_of(tree)
    tests = {path for path in texts if Path(path).name.startswith("test_") and Path(path).stem[5:] not in ASIDE}
    known = CoverageMap.read(kept) if kept.exists() else CoverageMap()
    changed = sorted(path for path in tests if texts[path] != known.texts.get(path))
    known = known.moved_to(texts)
    if changed:
        print(f"recording which lines {len(changed)} of {len(tests)} test files run", file=sys.stderr, flush=True)
        with tempfile.TemporaryDirectory() as folder:
            shares = [changed[i::jobs] for i in range(min(jobs, len(changed)))]
            processes = at_once(tree, folder, Recording, [(folder,)] * len(shares), shares)
            for process, share in zip(processes, shares, strict=True):
                process.join()
                for path in share if process.exitcode else ():
                    del known.texts[path]  # another call records them
            for recorded in Path(folder).glob("*.json"):
                known.add(CoverageMap.read(recorded))
    if changed or not kept.exists():
        known.write(KEPT)
    return known


def copied(tree: Path, place: Path) -> Path:
    ignored = shutil.ignore_patterns(".venv", ".git", ".*_cache", "__pycache__", "site", "build", "dist", ".hypothesis")
    return Path(shutil.copytree(tree, place, ignore=ignored, symlinks=True))


def at_once(
    tree: Path, folder: str, plugin: Plugin, arguments: Iterable[tuple[object, ...]], files: Iterable[list[str]]
) -> list[BaseProcess]:
    """Start these test files with a plugin and its arguments, each in a process and a copy of the tree of its own."""
    started = list[BaseProcess]()
    for own, paths in zip(arguments, files, strict=True):
        copy = copied(tree, Path(tempfile.mkdtemp(dir=folder), "tree"))
        started.append(get_context("fork").Process(target=run_pytest, args=(copy, plugin, own, paths)))
        started[-1].start()
    return started


def run_pytest(tree: Path, plugin: Plugin, arguments: tuple[object, ...], files: list[str]) -> None:
    """Tests of a copy, in this process."""
    os.chdir(tree)
    sys.path[:0] = paths = [str(tree), str(tree / "adapters")]
    os.environ.update(PYTHONPATH=os.pathsep.join(paths), HYPOTHESIS_PROFILE="quick")
    ignored = [f"--ignore-glob=*/test_{name}.py" for name in ASIDE]
    with Path(os.devnull).open("w") as nowhere, redirect_stdout(nowhere):
        pytest.main([*PYTEST, *ignored, *files], plugins=[plugin(tree, *arguments)])


def caches() -> Iterator[Any]:
    """Of the modules' functions: what they keep would hide who runs a line (but Vega, which takes seconds to make)."""
    for name, module in [*sys.modules.items()]:
        if name.startswith("coliee_"):
            cached = (value for value in vars(module).values() if hasattr(value, "cache_clear"))
            yield from (value for value in cached if not value.__module__.endswith("report.drawing"))


def cpu() -> float:
    """The seconds of this process and of those that it started, on a machine that is busy too."""
    return sum(os.times()[:4])


class Recording:
    """What each test runs, and how long it takes."""

    def __init__(self, tree: Path, out: str) -> None:
        os.environ["COVERAGE_CORE"] = "ctrace"  # which has contexts on every Python
        self.tree, self.out = tree, Path(out, f"{os.getpid()}.json")
        self.coverage = coverage.Coverage(source=[str(tree / name) for name in PACKAGES])
        self.seconds: dict[str, float] = defaultdict(float)
        self.unsuccessful: set[str] = set()
        self.starting: set[str] = set()
        self.shared: dict[str, list[str]] = {}  # fixture of several tests → the tests
        self.test = ""
        sys.addaudithook(self.audited)
        self.coverage.start()

    def audited(self, event: str, _: object) -> None:
        if event in STARTED:
            self.starting.add(self.test)

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        for item in items:
            for fixtures in item._fixtureinfo.name2fixturedefs.values():  # type: ignore[attr-defined]
                self.shared.setdefault(str(fixtures[-1]), []).append(item.nodeid)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Any:
        self.test = item.nodeid
        self.coverage.switch_context(item.nodeid)
        for cache in caches():
            cache.cache_clear()
        began = cpu()
        try:
            return (yield)
        finally:
            self.seconds[item.nodeid] += cpu() - began

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any) -> Any:
        """What a fixture of several tests runs, each of them runs; it takes its time once."""
        if fixturedef.scope == "function":
            return (yield)
        self.coverage.switch_context(str(fixturedef))
        try:
            return (yield)
        finally:
            self.coverage.switch_context(self.test)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if not report.passed:
            self.unsuccessful.add(report.nodeid)
        if report.failed:
            print(f"fails, and is not used: {report.nodeid}", file=sys.stderr, flush=True)

    def pytest_sessionfinish(self) -> None:
        self.coverage.stop()
        data = self.coverage.get_data()
        passed = {test: seconds for test, seconds in self.seconds.items() if test not in self.unsuccessful}
        recorded = CoverageMap(seconds={"": 0.0, **passed}, starting=sorted(self.starting & passed.keys()))
        for file in filter(re.compile(r".*\.py").fullmatch, data.measured_files()):  # not what Jinja compiles
            lines = Path(file).read_text(encoding="utf-8").splitlines()
            recorded.runs[str(Path(file).relative_to(self.tree))] = rows = [list[str]() for _ in lines]
            for line, contexts in data.contexts_by_lineno(file).items():
                tests = {test for context in contexts for test in self.shared.get(context, [context])}
                rows[line - 1] = sorted(tests & recorded.seconds.keys())
        recorded.write(self.out)
