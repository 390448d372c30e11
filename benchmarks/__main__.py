"""``make bench``: coliee-ir beside its peers, as tables in Markdown and JSON, and a plot of how cost grows.

    python -m benchmarks [CASE…] [--rounds N] [--folder DIR] [--out DIR] [--quick]

Peers are ir_measures and pytrec_eval, ranx if it is installed, and NIST's trec_eval if ``TREC_EVAL`` names it or the
PATH has it; who is absent is named. Files are made once, from seeds, in the folder. The case ``growth`` lets the input
of each command grow.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks import growth
from benchmarks.cases import CASES, Case
from benchmarks.contenders import versions
from benchmarks.timing import DisagreementError, Timing, apart, machine, side_by_side

Row = dict[str, object]

_QUICK = 0.01


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the chosen cases; 1 if two contenders print different digits."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    names = [*(case.name for case in CASES), "growth"]
    parser.add_argument("cases", nargs="*", metavar="CASE", help=f"{', '.join(names)}; default: all but huge")
    parser.add_argument("--rounds", type=int, help="how often each contender runs; default: the case's own")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "coliee-ir-benchmarks")
    parser.add_argument("--out", type=Path, help="folder for results.md, results.json, growth.svg; default: print only")
    parser.add_argument("--quick", action="store_true", help="a hundredth of the queries, one round: does it all run?")
    options = parser.parse_args(arguments)
    if unknown := set(options.cases).difference(names):
        parser.error(f"there is no case {', '.join(sorted(unknown))}")
    options.folder.mkdir(parents=True, exist_ok=True)
    scale = _QUICK if options.quick else 1
    rounds = options.rounds or (1 if options.quick else None)
    rows: list[Row] = []
    grown: list[Row] = []
    try:
        for case in CASES:
            if case.name in options.cases or not (options.cases or case.large):
                _say(f"{case.name}: {case.what}")
                rows += _measured(case, options.folder, rounds or case.rounds, scale)
        if "growth" in options.cases or not options.cases:
            for row in growth.rows(options.folder, rounds or growth.ROUNDS, scale):
                _say(f"growth: {row['contender']}, {row['value']:,} {row['axis']}")
                grown.append(row)
    except DisagreementError as error:
        print(error, file=sys.stderr)
        return 1
    tables = [*([_markdown(rows)] if rows else []), *([growth.markdown(grown)] if grown else [])]
    print("\n".join(tables))
    if options.out is not None:
        _write(options.out, tables, rows, grown, scale)
    return 0


def _write(folder: Path, tables: list[str], rows: list[Row], grown: list[Row], scale: float) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    took_part = ", ".join(f"{name} {version}" for name, version in versions().items())
    head = f"Measured on {machine()}; Python {sys.version.split()[0]}, {took_part}.\n"
    (folder / "results.md").write_text("\n".join([head, *tables]), encoding="utf-8")
    report = {
        "machine": machine(),
        "python": sys.version,
        "versions": versions(),
        "scale": scale,
        "rows": rows,
        "growth": grown,
    }
    (folder / "results.json").write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    if grown:
        from benchmarks import plot

        try:
            plot.draw(grown, folder / "growth.svg")
        except ImportError as error:
            print(f"no growth.svg ({error}): pip install 'coliee-ir[bench]'", file=sys.stderr)


def _say(what: str) -> None:
    print(f"{what} …", file=sys.stderr, flush=True)


def _measured(case: Case, folder: Path, rounds: int, scale: float) -> list[Row]:
    """A row for each contender: medians, peak memory, and how many times our processor time it takes."""
    apart(lambda: case.contenders(folder, scale))
    contenders = case.contenders(folder, scale)
    timings = side_by_side(contenders, rounds)
    own = timings[contenders[0].name]
    rows: list[Row] = []
    for contender in contenders:
        row: Row = {"case": case.name, "what": case.what, "contender": contender.name}
        if contender.name in timings:
            row |= _numbers(timings[contender.name])
            timing = timings[contender.name]
            row["ratio"] = float(f"{timing.processor / own.processor:.2g}")
            row["target"] = case.targets.get(contender.name)
            row["rounds"] = rounds
        else:
            row["absent"] = contender.absent
        rows.append(row)
    return rows


def _numbers(timing: Timing) -> Row:
    return {
        "seconds": float(f"{timing.seconds:.3g}"),
        "cpu": float(f"{timing.processor:.3g}"),
        "peak_mib": round(timing.memory),
    }


def _markdown(rows: list[Row]) -> str:
    header = ("case", "who", "cpu s", "clock s", "peak MiB", "times our cpu", "target")
    lines = [f"| {' | '.join(header)} |", "|---|---|---:|---:|---:|---:|---:|"]
    before = None
    for row in rows:
        what = f"**{row['case']}**: {row['what']}" if row["case"] != before else ""
        before = row["case"]
        values: tuple[object, ...]
        if "absent" in row:
            values = (what, row["contender"], "absent", "", "", "", row["absent"])
        else:
            target = "" if row["target"] is None else f"≥ {row['target']}"
            values = (what, row["contender"], row["cpu"], row["seconds"], row["peak_mib"], row["ratio"], target)
        lines.append(f"| {' | '.join(map(str, values))} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
