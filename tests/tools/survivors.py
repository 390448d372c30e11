"""Makes small faults in the two packages, one at a time, and says which of them no test notices.

    python tests/tools/survivors.py --faults 200 --seed 1      (or: make power)

A fault is a comparison turned or moved by one, a constant changed, `and` for `or`, a condition negated, a call dropped,
or two arguments swapped, at a random place. One run of the suite under coverage, kept in build/ for the tree as it is,
tells which tests run which lines. A fault's tests are those that run its line, the quickest first; where no test does,
those that start processes. One that hangs is noticed. Faults are made in copies of the tree; this tree stays as is.
"""

from __future__ import annotations

import argparse
import ast
import copy
import gc
import hashlib
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import redirect_stdout, suppress
from multiprocessing import get_context
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, Final, NamedTuple

import coverage
import pytest

ROOT: Final = Path(__file__).resolve().parents[2]
PACKAGES: Final = ("coliee_ir", "adapters/coliee_adapters")
TURNED: Final[dict[type[ast.cmpop], type[ast.cmpop]]] = {
    **{ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq},
    **{ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is},
}
SWAPPED: Final[dict[type[ast.operator], type[ast.operator]]] = {
    **{ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult},
    **{ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd},
}
#: functions of arguments in any order
COMMUTATIVE: Final = {"min", "max", "np.minimum", "np.maximum", "np.add", "np.array_equal", "math.gcd"}
#: tests that look at other things than these packages' code, or start much
ASIDE: Final = ("house", "typing", "benchmarks", "error_rates", "held_out", "cluster")
PYTEST: Final = ("-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-W", "ignore::pytest.PytestWarning")
STARTED: Final = {"subprocess.Popen", "os.fork", "os.posix_spawn"}


class Fault(NamedTuple):
    """A place in a file, and what is put there."""

    path: str
    line: int
    last: int
    statement: int  # the line where its statement begins
    start: int  # of bytes
    end: int
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {' '.join(self.before.split())[:70]}  ->  {' '.join(self.after.split())[:70]}"


def changed(node: ast.AST) -> Iterator[ast.AST]:
    """The node with one fault, in every way that there is."""
    other = copy.deepcopy(node)
    match other:
        case ast.Compare(ops=[op]) if type(op) in TURNED:
            other.ops = [TURNED[type(op)]()]
            yield other
        case ast.BoolOp():
            other.op = ast.Or() if isinstance(other.op, ast.And) else ast.And()
            yield other
        case ast.BinOp() if type(other.op) in SWAPPED and not isinstance(other.left, ast.Constant | ast.JoinedStr):
            other.op = SWAPPED[type(other.op)]()
            yield other
        case ast.UnaryOp(op=ast.Not()):
            yield other.operand
        case ast.Constant(value=bool()):
            yield ast.Constant(not other.value)
        case ast.Constant(value=int() | float()):
            yield ast.Constant(other.value + 1)
        case ast.If() | ast.IfExp():
            yield ast.UnaryOp(ast.Not(), other.test)
        case ast.Expr(value=ast.Call()):
            yield ast.Pass()
        case ast.Call(func=func) if ast.unparse(func) in COMMUTATIVE:
            return
        case ast.Call(args=[first, second, *_]) if not isinstance(first, ast.Starred) and not isinstance(
            second, ast.Starred
        ):
            other.args[:2] = [second, first]
            yield other


def faults_of(path: Path, tree: Path) -> Iterator[Fault]:
    """Every fault that can be made inside the functions of a file; annotations and docstrings have none."""
    text = path.read_text(encoding="utf-8")
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line.encode()))
    encoded = text.encode()

    def walk(node: ast.AST, inside: bool, statement: int) -> Iterator[Fault]:
        for name, value in ast.iter_fields(node):
            for child in value if isinstance(value, list) else [value]:
                if not isinstance(child, ast.AST) or name in ("annotation", "returns", "decorator_list", "msg"):
                    continue
                begin = child.lineno if isinstance(child, ast.stmt) else statement
                if inside and isinstance(child, ast.expr | ast.stmt):
                    place = child.test if isinstance(child, ast.If | ast.IfExp) else child
                    start = starts[place.lineno - 1] + place.col_offset
                    end = starts[(place.end_lineno or 1) - 1] + (place.end_col_offset or 0)
                    before = encoded[start:end].decode()
                    for other in changed(child):
                        after = ast.unparse(ast.fix_missing_locations(other))
                        after = after if isinstance(other, ast.Pass) else f"({after})"
                        lines = (place.lineno, place.end_lineno or 1, begin)
                        yield Fault(str(path.relative_to(tree)), *lines, start, end, before, after)
                yield from walk(child, inside or isinstance(child, ast.FunctionDef), begin)

    yield from walk(ast.parse(text), False, 0)


def copied(tree: Path, place: Path) -> Path:
    ignored = shutil.ignore_patterns(".venv", ".git", ".*_cache", "__pycache__", "site", "build", "dist", ".hypothesis")
    return Path(shutil.copytree(tree, place, ignore=ignored, symlinks=True))


def run_pytest(tree: Path, plugin: Callable[..., object], *arguments: object) -> None:
    """The suite of a copy, in this process."""
    os.chdir(tree)
    sys.path[:0] = paths = [str(tree), str(tree / "adapters")]
    os.environ.update(PYTHONPATH=os.pathsep.join(paths[:2]), HYPOTHESIS_PROFILE="quick")
    with Path(os.devnull).open("w") as nowhere, redirect_stdout(nowhere):
        pytest.main(
            [*PYTEST, *(f"--ignore-glob=*/test_{name}.py" for name in ASIDE)], plugins=[plugin(tree, *arguments)]
        )


# which tests run which lines


def at_once(
    tree: Path, folder: str, plugin: Callable[..., object], arguments: Iterable[tuple[object, ...]]
) -> list[Any]:
    """Start the suite with each of these arguments, in a process and a copy of its own."""
    started = []
    for of_one in arguments:
        copy = copied(tree, Path(tempfile.mkdtemp(dir=folder), "tree"))
        started.append(get_context("fork").Process(target=run_pytest, args=(copy, plugin, *of_one)))
        started[-1].start()
    return started


def cpu() -> float:
    """The seconds of this process and of those that it started, on a machine that is busy too."""
    return sum(os.times()[:4])


class Recording:
    """What each test runs, and how long it takes, of every second file where two processes share the work."""

    def __init__(self, tree: Path, share: int, shares: int, out: str) -> None:
        os.environ["COVERAGE_CORE"] = "ctrace"  # which has contexts on every Python
        self.tree, self.share, self.shares, self.out = tree, share, shares, Path(out, f"told{share}.json")
        self.coverage = coverage.Coverage(source=[str(tree / name) for name in PACKAGES])
        self.seconds: dict[str, float] = defaultdict(float)
        self.failed: set[str] = set()
        self.starting: set[str] = set()  # tests that start processes
        self.shared: dict[str, list[str]] = {}  # fixture of several tests → the tests
        self.test = ""
        sys.addaudithook(self.heard)
        self.coverage.start()

    def heard(self, event: str, _: object) -> None:
        if event in STARTED:
            self.starting.add(self.test)

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        files = sorted({item.path for item in items})
        items[:] = [item for item in items if files.index(item.path) % self.shares == self.share]
        for item in items:
            for fixtures in item._fixtureinfo.name2fixturedefs.values():
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
        """What a fixture of several tests runs, each of them runs."""
        if fixturedef.scope == "function":
            return (yield)
        self.coverage.switch_context(str(fixturedef))
        began = cpu()
        try:
            return (yield)
        finally:
            self.coverage.switch_context(self.test)
            for test in {*self.shared[str(fixturedef)]} - {self.test}:
                self.seconds[test] += cpu() - began

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if not report.skipped:
            self.failed.add(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        self.coverage.stop()
        data = self.coverage.get_data()
        tests = ["", *self.seconds.keys() - self.failed]
        place = {test: at for at, test in enumerate(tests)}
        lines = {}
        for file in data.measured_files():
            lines[str(Path(file).relative_to(self.tree))] = of_file = {}
            for line, contexts in data.contexts_by_lineno(file).items():
                of_line = {test for one in contexts for test in self.shared.get(one, [one])}
                of_file[line] = [place[test] for test in of_line if test in place]
        starting = [place[test] for test in self.starting if test in place]
        self.out.write_text(json.dumps([lines, tests, [self.seconds[test] for test in tests], starting]))


class Known(NamedTuple):
    """Of the suite."""

    lines: dict[str, dict[str, list[int]]]  # file → line → places in `tests`, of those that run it
    tests: list[str]  # "" stands for what importing runs
    seconds: list[float]
    starting: list[int]  # those that start processes


def suite(clean: Path, folder: str, jobs: int) -> Known:
    """Read from build/ if this tree has been recorded."""
    said = hashlib.sha256()
    for path in sorted(path for part in (*PACKAGES, "tests") for path in (clean / part).rglob("*.py")):
        said.update(path.read_bytes())
    kept = ROOT / "build" / f"power-{said.hexdigest()[:16]}.json"
    if not kept.exists():
        print("recording which tests run which lines", file=sys.stderr, flush=True)
        for one in at_once(clean, folder, Recording, [(share, jobs, folder) for share in range(jobs)]):
            one.join()
        found = Known({}, [], [], [])
        for path in Path(folder).glob("told*.json"):
            one, before = Known(*json.loads(path.read_text())), len(found.tests)
            found.tests.extend(one.tests)
            found.seconds.extend(one.seconds)
            found.starting.extend(before + at for at in one.starting)
            for file, lines in one.lines.items():
                for line, tests in lines.items():
                    found.lines.setdefault(file, {}).setdefault(line, []).extend(before + at for at in tests)
        kept.parent.mkdir(exist_ok=True)
        kept.write_text(json.dumps(found))
    return Known(*json.loads(kept.read_text()))


# one fault after the other


def caches() -> Iterator[Any]:
    """Of the modules' functions: what they keep would hide who runs a line (but Vega, which takes seconds to make)."""
    for name, module in [*sys.modules.items()]:
        if name.startswith("coliee_") and not name.endswith("report.drawing"):
            yield from (one for one in vars(module).values() if hasattr(one, "cache_clear"))


def functions(code: CodeType) -> Iterator[CodeType]:
    """The functions of a module and of its classes, but not those inside functions."""
    for part in code.co_consts:
        if isinstance(part, CodeType):
            yield from [part] if part.co_flags & 2 else functions(part)  # CO_NEWLOCALS: no class


class Faults:
    """Takes faults, and tells what becomes of each: in a child of this process, which has collected the tests."""

    def __init__(self, tree: Path, asked: list[Fault], told: Any, known: Known, most: float) -> None:
        self.tree, self.asked, self.told, self.known, self.most = tree, asked, told, known, most
        self.child = False
        sys.dont_write_bytecode = True
        os.environ["PYTHONDONTWRITEBYTECODE"] = "1"

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if self.child and report.failed:
            os._exit(1)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        gc.unfreeze()
        self.items = {item.nodeid: item for item in session.items}
        self.loaded = defaultdict(list)
        for one in gc.get_objects():
            if isinstance(one, FunctionType) and one.__code__.co_filename.startswith(str(self.tree)):
                self.loaded[one.__code__].append(one)
        gc.freeze()
        for fault in self.asked:
            self.told.put((fault, *self.verdict(fault)))
        return True

    def verdict(self, fault: Fault) -> tuple[str, str]:
        """killed, survived or undecided; and why."""
        tests, importing, taken, why = self.chosen(fault)
        place = self.tree / fault.path
        whole, times = place.read_bytes(), place.stat()
        broken = whole[: fault.start] + fault.after.encode() + whole[fault.end :]
        place.write_bytes(broken)
        try:
            changed = self.turned(str(place), whole, broken)
            if changed is not None:
                found = self.waited(os.fork() or self.run(tests, changed, taken), taken)
            if changed is None or (importing and found == "survived"):
                command = [sys.executable, "-m", "pytest", "-x", *PYTEST, *tests]
                anew = subprocess.Popen(command, start_new_session=True, stdout=subprocess.DEVNULL)
                found = self.waited(anew.pid, taken)
            return found, why
        finally:
            place.write_bytes(whole)
            os.utime(place, ns=(times.st_atime_ns, times.st_mtime_ns))

    def chosen(self, fault: Fault) -> tuple[list[str], bool, float, str]:
        """The tests that run a fault's line, as time allows: each function's quickest case, and then the others."""
        of_file, tests = self.known.lines.get(fault.path, {}), self.known.tests
        found = {at for line in range(fault.line, fault.last + 1) for at in of_file.get(str(line), ())}
        found = found or {*of_file.get(str(fault.statement), ())}
        usable, why = {at for at in found if tests[at] in self.items}, ""
        if not usable:
            why = "(no test runs it in its own process)"
            usable = {at for some in of_file.values() for at in some} if found else {*self.known.starting}
        cases: dict[str, int] = defaultdict(int)
        order = []
        for at in sorted(usable, key=self.known.seconds.__getitem__):
            name = tests[at].partition("[")[0]
            order.append((cases[name] > 0, len(order), at))
            cases[name] += 1
        taken, chosen = 0.0, []
        for _, _, at in sorted(order):
            if tests[at] in self.items and not (chosen and taken + self.known.seconds[at] > self.most):
                taken += self.known.seconds[at]
                chosen.append(tests[at])
        return chosen, any(not tests[at] for at in found), taken, why

    def turned(self, path: str, whole: bytes, broken: bytes) -> list[tuple[FunctionType, CodeType]] | None:
        """The loaded functions that the fault changes, with their new code; None if only importing anew will do."""
        pairs = [
            (old, new)
            for old, new in zip(*(functions(compile(text, path, "exec")) for text in (whole, broken)), strict=True)
            if old != new
        ]
        if not pairs or any(old.co_freevars != new.co_freevars for old, new in pairs):
            return None
        return [(function, new) for old, new in pairs for function in self.loaded[old]]

    def run(self, tests: list[str], changed: list[tuple[FunctionType, CodeType]], taken: float) -> int:
        """In the child."""
        os.setsid()
        self.child = True
        seconds = int(10 + 5 * taken)
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
        for function, code in changed:
            function.__code__ = code
        for cache in caches():
            cache.cache_clear()
        items = [self.items[test] for test in tests]
        try:
            for item, following in zip(items, [*items[1:], None], strict=True):
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        finally:
            os._exit(0 if sys.exc_info()[0] is None else 1)

    def waited(self, child: int, taken: float) -> str:
        until = time.monotonic() + 60 + 10 * taken
        while (ended := os.waitpid(child, os.WNOHANG)) == (0, 0):
            if time.monotonic() > until:
                os.killpg(child, signal.SIGKILL)
                os.waitpid(child, 0)
                return "undecided"
            time.sleep(0.02)
        with suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)  # what it may have started
        return "survived" if ended[1] == 0 else "killed"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--faults", type=int, default=200, metavar="N", help="how many")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="which ones (default: 1)")
    parser.add_argument("--seconds", type=float, default=30, metavar="S", help="of tests for one (default: 30)")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="processes (default: 2)")
    parser.add_argument(
        "--tests-of", metavar="FILE:LINE", help="which tests run this line, the quickest first; no faults"
    )
    parser.add_argument("--only", default="", metavar="TEXT", help="in files whose path contains this")
    options = parser.parse_args()
    counts = dict.fromkeys(("killed", "survived", "undecided"), 0)
    with tempfile.TemporaryDirectory() as folder:
        clean = copied(ROOT, Path(folder, "clean"))  # whatever is edited meanwhile
        known = suite(clean, folder, options.jobs)
        if options.tests_of:
            file, _, line = options.tests_of.rpartition(":")
            running = known.lines.get(file, {}).get(line, [])
            print(
                *(known.tests[test] or "(an import)" for test in sorted(running, key=known.seconds.__getitem__)),
                sep="\n",
            )
            return 0 if running else 1
        paths = [path for package in PACKAGES for path in sorted((clean / package).rglob("*.py"))]
        every = [fault for path in paths if options.only in str(path) for fault in faults_of(path, clean)]
        drawn = random.Random(options.seed).sample(every, min(options.faults, len(every)))
        told = get_context("fork").SimpleQueue()
        shares = [(drawn[at :: options.jobs], told, known, options.seconds) for at in range(options.jobs)]
        works = at_once(clean, folder, Faults, shares)
        while any(one.is_alive() for one in works) or not told.empty():
            if told.empty():
                time.sleep(0.1)
                continue
            fault, found, why = told.get()
            counts[found] += 1
            if found != "killed":
                print(f"{found}: {fault} {why}", flush=True)
            if sys.stderr.isatty() or sum(counts.values()) % 20 == 0:
                print(f"{counts}", file=sys.stderr, flush=True)
    decided = counts["killed"] + counts["survived"]
    print(
        f"{counts['killed']} of {decided} faults killed ({counts['killed'] / max(decided, 1):.0%}); "
        f"{counts['undecided']} undecided; {len(every)} places; seed {options.seed}"
    )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
