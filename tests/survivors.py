"""Makes small faults in the two packages, one at a time, and says which of them no test notices.

    python tests/survivors.py --faults 200 --seed 1      (or: make power)

A fault is a comparison turned or moved by one, a constant changed, `and` for `or`, a condition negated, a call dropped,
or two arguments swapped, at a random place. The tests concerned are the files nearest to it: those that import its
module or are named like it, then those that name its command. A test that fails without the fault too does not
count, and a fault whose tests take too long is undecided. Faults are made in copies of the tree; this tree stays as is.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import copy
import functools
import importlib
import os
import random
import re
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).resolve().parents[1]
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
#: words of a module's name that tell nothing
COMMON: Final = {"coliee", "ir", "adapters", "commands", "init", "test", "result", "request", "base"}
#: tests that look at other things than these packages' code, or start much
ASIDE: Final = {"test_house", "test_typing", "test_benchmarks", "test_error_rates", "test_held_out", "test_cluster"}
#: what the tests load, once for all of them
LIBRARIES: Final = ("pytest", "hypothesis", "numpy", "pandas", "polars", "pyarrow", "sklearn.metrics", "scipy.stats")


class Fault(NamedTuple):
    """A place in a file, and what is put there."""

    path: str
    line: int
    start: int  # of characters
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

    def walk(node: ast.AST, inside: bool) -> Iterator[Fault]:
        for name, value in ast.iter_fields(node):
            for child in value if isinstance(value, list) else [value]:
                if not isinstance(child, ast.AST) or name in ("annotation", "returns", "decorator_list", "msg"):
                    continue
                if inside and isinstance(child, ast.expr | ast.stmt):
                    place = child.test if isinstance(child, ast.If | ast.IfExp) else child
                    start = starts[place.lineno - 1] + place.col_offset
                    end = starts[(place.end_lineno or 1) - 1] + (place.end_col_offset or 0)
                    before = encoded[start:end].decode()
                    for other in changed(child):
                        after = ast.unparse(ast.fix_missing_locations(other))
                        after = after if isinstance(other, ast.Pass) else f"({after})"
                        yield Fault(str(path.relative_to(tree)), place.lineno, start, end, before, after)
                yield from walk(child, inside or isinstance(child, ast.FunctionDef))

    yield from walk(ast.parse(text), False)


@functools.cache
def words_of(text: str) -> set[str]:
    return set(re.findall(r"\w+", text))


@functools.cache
def users_of(module: str, tree: Path) -> frozenset[str]:
    """The modules that import a module, or that import one that does."""

    def direct(module: str) -> set[str]:
        room, _, last = module.rpartition(".")
        ways = (f"from {module} import ", f"from {room} import {last}\n", f"from {room} import {last},")
        return {name for name, text in texts_of(tree).items() if any(way in text for way in ways)}

    nearest = direct(module)
    return frozenset(nearest.union(*map(direct, nearest)))


@functools.cache
def texts_of(tree: Path) -> dict[str, str]:
    """The modules of both packages, by dotted name."""
    return {
        named(path.relative_to(tree).as_posix()): path.read_text(encoding="utf-8")
        for package in PACKAGES
        for path in (tree / package).rglob("*.py")
    }


def named(path: str) -> str:
    return path.removeprefix("adapters/").removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def nearest(fault: Fault, tree: Path, tests: dict[Path, str], most: int) -> list[str]:
    """The test files concerned, nearest first."""
    module = named(fault.path)
    users = users_of(module, tree)
    words = set(re.split(r"[._]", module)) - COMMON
    last = module.rpartition(".")[2]
    commands = {found[1] for one in (module, *users) if (found := re.match(r"coliee_ir\.(?:commands|cli)\.(\w+)", one))}
    public = set(re.findall(r"^(?:def|class) ([A-Za-z]\w+)", texts_of(tree)[module], re.M))

    def near(path: Path, text: str) -> float:
        own = set(re.split(r"_", path.stem)) - COMMON
        return (
            4 * (f"from {module} import" in text or f"from {module.rpartition('.')[0]} import {last}" in text)
            + 3 * (path.stem == f"test_{last}")
            + 2 * bool(words & own)
            + 2 * len(public & words_of(text)) / max(len(public), 1)
            + 1.5 * any(f"from {user} import" in text for user in users)
            + any(f'"{command}"' in text for command in commands)
        )

    ranked = sorted(tests, key=lambda path: (-near(path, tests[path]), len(tests[path])))
    return [str(path.relative_to(tree)) for path in ranked[:most] if near(path, tests[path]) > 0]


def copied(tree: Path, place: Path) -> Path:
    ignored = shutil.ignore_patterns(".venv", ".git", ".*_cache", "__pycache__", "site", "build", "dist", ".hypothesis")
    return Path(shutil.copytree(tree, place, ignore=ignored, symlinks=True))


class Bench:
    """Two copies of the tree, one of them to be broken; each process has its own."""

    def __init__(self, folder: str, clean: Path, seconds: float) -> None:
        place = Path(tempfile.mkdtemp(dir=folder))
        self.clean, self.broken, self.out = clean, copied(clean, place / "broken"), place / "out"
        self.seconds = seconds
        self.failing: dict[str, bool] = {}

    def pytest(self, tree: Path, *tests: str) -> str | None:
        """What pytest prints, in a child of this process, which has the libraries; None where it takes too long."""
        child = os.fork()
        if not child:
            os.setsid()
            os.chdir(tree)
            out = os.open(self.out, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(out, 1)
            os.dup2(out, 2)
            sys.path[:0] = paths = [str(tree), str(tree / "adapters")]
            os.environ.update(PYTHONPATH=os.pathsep.join(paths), HYPOTHESIS_PROFILE="quick")
            settings = ("-x", "-q", "--tb=no", "-rfE", "-p", "no:cacheprovider", "-W", "ignore::pytest.PytestWarning")
            os._exit(importlib.import_module("pytest").main([*settings, *tests]))
        until = time.monotonic() + self.seconds
        while os.waitpid(child, os.WNOHANG) == (0, 0):
            if time.monotonic() > until:
                os.killpg(child, signal.SIGKILL)
                os.waitpid(child, 0)
                return None
            time.sleep(0.05)
        return self.out.read_text(encoding="utf-8", errors="replace")

    def fails_anyway(self, test: str) -> bool:
        if test not in self.failing:
            told = self.pytest(self.clean, test)
            self.failing[test] = told is None or bool(re.search(r"^(FAILED|ERROR) ", told, re.M))
        return self.failing[test]

    def result(self, tests: list[str]) -> str:
        passed_over: list[str] = []
        while tests:
            told = self.pytest(self.broken, *tests, *passed_over)
            if told is None or len(passed_over) > 20:
                return "undecided"
            failed = re.findall(r"^(?:FAILED|ERROR) (\S+?(?:\[.*\])?)(?: - .*)?$", told, re.M)
            if not failed:
                return "survived" if "100%]" in told else "killed"
            if not self.fails_anyway(failed[0]):
                return "killed"
            passed_over += ["--deselect", failed[0]]
            tests = [one for one in tests if one != failed[0]]
        return "survived"

    def verdict(self, fault: Fault, tests: Sequence[str]) -> str:
        """killed, survived or undecided."""
        place = self.broken / fault.path
        whole = place.read_bytes()
        place.write_bytes(whole[: fault.start] + fault.after.encode() + whole[fault.end :])
        try:
            found = "survived"
            for some in filter(None, (tests[:2], tests[2:])):  # most are killed by the nearest
                if (found := self.result(list(some))) == "killed":
                    break
            return found
        finally:
            place.write_bytes(whole)


def begin(folder: str, clean: Path, seconds: float) -> None:
    global bench
    for name in LIBRARIES:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    bench = Bench(folder, clean, seconds)


def verdict(fault: Fault, tests: Sequence[str]) -> str:
    return bench.verdict(fault, tests)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--faults", type=int, default=200, metavar="N", help="how many")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="which ones (default: 1)")
    parser.add_argument("--seconds", type=float, default=60, metavar="S", help="limit for one (default: 60)")
    parser.add_argument("--files", type=int, default=14, metavar="N", help="test files for one, at most (default: 14)")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="processes (default: 2)")
    parser.add_argument("--only", default="", metavar="TEXT", help="in files whose path contains this")
    options = parser.parse_args()
    counts = dict.fromkeys(("killed", "survived", "undecided"), 0)
    with tempfile.TemporaryDirectory() as folder:
        clean = copied(ROOT, Path(folder, "clean"))  # whatever is edited meanwhile
        paths = [path for package in PACKAGES for path in sorted((clean / package).rglob("*.py"))]
        every = [fault for path in paths if options.only in str(path) for fault in faults_of(path, clean)]
        drawn = random.Random(options.seed).sample(every, min(options.faults, len(every)))
        tests = {path: path.read_text(encoding="utf-8") for path in sorted((clean / "tests").rglob("test_*.py"))}
        tests = {path: text for path, text in tests.items() if path.stem not in ASIDE}
        files = [nearest(fault, clean, tests, options.files) for fault in drawn]
        settings = (folder, clean, options.seconds)
        pool = ProcessPoolExecutor(options.jobs, get_context("fork"), begin, settings)
        told = {
            pool.submit(verdict, fault, concerned): (fault, concerned)
            for fault, concerned in zip(drawn, files, strict=True)
        }
        try:
            for one in as_completed(told):
                counts[found := one.result()] += 1
                if sys.stderr.isatty() or sum(counts.values()) % 20 == 0:
                    print(f"{counts}", file=sys.stderr, flush=True)
                if found != "killed":
                    fault, concerned = told[one]
                    print(f"{found}: {fault}\n    {' '.join(Path(path).stem for path in concerned)}", flush=True)
        except KeyboardInterrupt:
            print("interrupted")
        pool.shutdown(cancel_futures=True)
    decided = counts["killed"] + counts["survived"]
    print(
        f"{counts['killed']} of {decided} faults killed ({counts['killed'] / max(decided, 1):.0%}); "
        f"{counts['undecided']} undecided; {len(every)} places; seed {options.seed}"
    )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
