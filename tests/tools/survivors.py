"""Makes small faults in the two packages, one at a time, and says which of them no test notices.

    python tests/tools/survivors.py --faults 200 --seed 1      (or: make power)

A fault is a comparison turned or moved by one, a constant changed, `and` for `or`, a condition negated, a call dropped,
or two arguments swapped, at a random place. Its tests are those that run its line (coverage_map.py), those beside it
and the quickest first; where no test does, those that start processes. One that hangs is noticed. Faults are made in
copies of the tree.
"""

from __future__ import annotations

import argparse
import ast
import copy
import gc
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import suppress
from itertools import accumulate
from multiprocessing import get_context
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, Final, NamedTuple

import pytest
from coverage_map import KEPT, PACKAGES, PYTEST, ROOT, CoverageMap, at_once, caches, copied, coverage_map

TURNED: Final[dict[type[ast.cmpop], type[ast.cmpop]]] = {
    **{ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq},
    **{ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is},
}
SWAPPED: Final[dict[type[ast.operator], type[ast.operator]]] = {
    **{ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult},
    **{ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd},
}
#: functions of arguments in any order
COMMUTATIVE: Final = {
    *("min", "max", "math.gcd", "contextlib.suppress", "suppress"),
    *("np.minimum", "np.maximum", "np.add", "np.array_equal"),
}


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
        case ast.Constant(value=int() | float() as value):
            yield ast.Constant(value + 1)
        case ast.If() | ast.IfExp():
            yield ast.UnaryOp(ast.Not(), other.test)
        case ast.Expr(value=ast.Call()):
            yield ast.Pass()
        case ast.Call(func=func) if ast.unparse(func) in COMMUTATIVE:
            return
        case ast.Call(args=[ast.Starred(), *_] | [_, ast.Starred(), *_]):
            return
        case ast.Call(args=[first, second, *_]) if ast.unparse(first) != ast.unparse(second):
            other.args[:2] = [second, first]
            yield other


def faults_of(path: Path, tree: Path) -> Iterator[Fault]:
    """Every fault that can be made inside the functions of a file; annotations and docstrings have none."""
    text = path.read_text(encoding="utf-8")
    encoded = text.encode()
    starts = [0, *accumulate(len(line) for line in encoded.splitlines(keepends=True))]

    def walk(node: ast.AST, inside: bool, statement: int) -> Iterator[Fault]:
        for name, value in ast.iter_fields(node):
            for child in value if isinstance(value, list) else [value]:
                if not isinstance(child, ast.AST) or name in ("annotation", "returns", "decorator_list", "msg"):
                    continue
                if isinstance(child, ast.keyword) and child.arg == "strict":  # of zip: an assertion
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


def functions(code: CodeType) -> Iterator[CodeType]:
    """The functions of a module and of its classes, but not those inside functions."""
    for part in code.co_consts:
        if isinstance(part, CodeType):
            yield from [part] if part.co_flags & 2 else functions(part)  # CO_NEWLOCALS: no class


class Trial(NamedTuple):
    """A fault, and the tests that may notice it."""

    fault: Fault
    tests: list[str]
    importing: bool  # whether the fault's line runs at import
    seconds: float  # of these tests
    why: str  # why these tests, if none runs the line itself
    rest: Trial | None = None  # with the tests for which there is no time until these have noticed nothing


def trial_of(fault: Fault, known: CoverageMap, most: float) -> Trial:
    """The tests that run a fault's line: each function's quickest case, and then the others, first as time allows.

    Those in the folder of tests/ that has the name of the code's come first: they are about it.
    """
    running = known.tests_of(fault.path, range(fault.line, fault.last + 1))
    running = running or known.tests_of(fault.path, [fault.statement])
    tests, why = running - {""}, ""
    if not tests:
        why = "(no test runs it in its own process)"
        rows = known.runs.get(fault.path, [])
        tests = known.tests_of(fault.path, range(1, len(rows) + 1)) - {""} if running else {*known.starting}
    folder = f"tests/{Path(fault.path.removeprefix('adapters/')).parent}/"
    cases: Counter[str] = Counter()
    order = list[tuple[bool, bool, int, str]]()
    for test in sorted(tests, key=known.seconds.__getitem__):
        function = test.partition("[")[0]
        order.append((not test.startswith(folder), cases[function] > 0, len(order), test))
        cases[function] += 1
    seconds, chosen, others = 0.0, list[str](), list[str]()
    for *_, test in sorted(order):
        if not chosen or seconds + known.seconds[test] <= most:
            seconds += known.seconds[test]
            chosen.append(test)
        else:
            others.append(test)
    longer = sum(known.seconds[test] for test in others)
    rest = Trial(fault, others, "" in running, longer, why) if others else None
    return Trial(fault, chosen, "" in running, seconds, why, rest)


class Faults:
    """Makes faults, each in a child of this process, which has collected the tests, and queues the verdicts."""

    def __init__(self, tree: Path, trials: list[Trial], verdicts: Any) -> None:
        self.tree, self.trials, self.verdicts = tree, trials, verdicts
        self.child = False
        sys.dont_write_bytecode = True
        os.environ["PYTHONDONTWRITEBYTECODE"] = "1"

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if self.child and report.failed:
            os._exit(1)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        self.items = {item.nodeid: item for item in session.items}
        self.loaded = defaultdict(list)
        for value in gc.get_objects():
            if isinstance(value, FunctionType) and value.__code__.co_filename.startswith(str(self.tree)):
                self.loaded[value.__code__].append(value)
        gc.freeze()
        for trial in self.trials:
            verdict = self.verdict(trial)
            if trial.rest is not None and verdict == "survived":
                verdict = self.verdict(trial.rest)
            self.verdicts.put((trial, verdict))
        return True

    def verdict(self, trial: Trial) -> str:
        """killed, survived or undecided."""
        fault, place = trial.fault, self.tree / trial.fault.path
        whole, times = place.read_bytes(), place.stat()
        broken = whole[: fault.start] + fault.after.encode() + whole[fault.end :]
        tests = [test for test in trial.tests if test in self.items]
        place.write_bytes(broken)
        try:
            changed = self.changed_functions(str(place), whole, broken)
            if changed is not None:
                verdict = self.verdict_of(os.fork() or self.run(tests, changed, trial.seconds), trial.seconds)
            if changed is None or (trial.importing and verdict == "survived"):
                command = [sys.executable, "-m", "pytest", "-x", *PYTEST, *tests]
                anew = subprocess.Popen(command, process_group=0, stdout=subprocess.DEVNULL)
                verdict = self.verdict_of(anew.pid, trial.seconds)
            return verdict
        finally:
            place.write_bytes(whole)
            os.utime(place, ns=(times.st_atime_ns, times.st_mtime_ns))

    def changed_functions(self, path: str, whole: bytes, broken: bytes) -> list[tuple[FunctionType, CodeType]] | None:
        """The loaded functions that the fault changes, with their new code; None if only importing anew will do."""
        pairs = [
            (old, new)
            for old, new in zip(*(functions(compile(text, path, "exec")) for text in (whole, broken)), strict=True)
            if old != new
        ]
        if not pairs or any(old.co_freevars != new.co_freevars for old, new in pairs):
            return None
        return [(function, new) for old, new in pairs for function in self.loaded[old]]

    def run(self, tests: list[str], changed: list[tuple[FunctionType, CodeType]], seconds: float) -> int:
        """In the child."""
        os.setpgrp()
        self.child = True
        limit = int(20 + 5 * seconds)  # with fixtures of several tests, whose time another test has
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5))
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

    def verdict_of(self, child: int, seconds: float) -> str:
        until = time.monotonic() + 60 + 10 * seconds
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
    parser.add_argument(
        "--seconds", type=float, default=45, metavar="S", help="of tests for one at first (default: 45)"
    )
    parser.add_argument("--least", type=int, default=0, metavar="P", help="percent killed for exit code 0 (default: 0)")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="processes (default: 2)")
    parser.add_argument("--tests-of", metavar="FILE:LINE", help="which tests run this line; no faults")
    parser.add_argument("--only", default="", metavar="TEXT", help="in files whose path contains this")
    parser.add_argument("--map", type=Path, default=KEPT, metavar="FILE", help="a map to start from (default: build/)")
    options = parser.parse_args()
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        clean = copied(ROOT, Path(folder, "clean"))  # whatever is edited meanwhile
        known = coverage_map(clean, options.jobs, options.map)
        if options.tests_of:
            path, _, line = options.tests_of.rpartition(":")
            running = sorted(known.tests_of(path, [int(line)]), key=known.seconds.__getitem__)
            print(*(test or "(an import)" for test in running), sep="\n")
            return 0 if running else 1
        paths = [path for package in PACKAGES for path in sorted((clean / package).rglob("*.py"))]
        every = [
            fault for path in paths if options.only in str(path.relative_to(clean)) for fault in faults_of(path, clean)
        ]
        drawn = random.Random(options.seed).sample(every, min(options.faults, len(every)))
        trials = [trial_of(fault, known, options.seconds) for fault in drawn]
        verdicts = get_context("fork").SimpleQueue()
        shares = [trials[i :: options.jobs] for i in range(options.jobs)]
        named = [
            [test for trial in share for one in (trial, trial.rest) if one for test in one.tests] for share in shares
        ]
        files = [sorted({test.partition("::")[0] for test in tests}) for tests in named]
        workers = at_once(clean, folder, Faults, [(share, verdicts) for share in shares], files)
        while any(worker.is_alive() for worker in workers) or not verdicts.empty():
            if verdicts.empty():
                time.sleep(0.1)
                continue
            trial, verdict = verdicts.get()
            counts[verdict] += 1
            if verdict != "killed":
                print(f"{verdict}: {trial.fault} {trial.why}", flush=True)
            if sys.stderr.isatty() or counts.total() % 20 == 0:
                print(dict(counts), file=sys.stderr, flush=True)
    decided = counts["killed"] + counts["survived"]
    print(
        f"{counts['killed']} of {decided} faults killed ({counts['killed'] / max(decided, 1):.0%}); "
        f"{counts['undecided']} undecided; {len(every)} places; seed {options.seed}"
    )
    return 0 if 100 * counts["killed"] >= options.least * decided else 1


if __name__ == "__main__":
    raise SystemExit(main())
