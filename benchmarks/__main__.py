"""``make bench``: coliee-ir beside its peers, as a table in Markdown and JSON, and a plot of how cost grows.

    python -m benchmarks [CASE…] [--rounds N] [--folder DIR] [--out DIR] [--quick]

Peers are ir_measures and pytrec_eval, ranx if it is installed, and NIST's trec_eval if ``TREC_EVAL`` names it or the
PATH has it. Files are made once, from seeds, in the folder.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path

from benchmarks.cases import CASES, Case
from benchmarks.timing import DisagreementError, machine, side_by_side


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("cases", nargs="*", metavar="CASE", help=", ".join(case.name for case in CASES))
    parser.add_argument("--rounds", type=int, help="how often each contender runs; default: the case's own")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "coliee-ir-benchmarks")
    parser.add_argument("--out", type=Path, help="folder for results.md and results.json; default: print only")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    chosen = [case for case in CASES if case.name in options.cases or (not options.cases and not case.large)]
    rows = []
    for case in chosen:
        print(f"{case.name}: {case.what} …", file=sys.stderr, flush=True)
        try:
            rows += _measured(case, options.folder, options.rounds or case.rounds)
        except DisagreementError as error:
            print(f"{case.name}: {error}", file=sys.stderr)
            return 1
    table = _markdown(rows)
    print(table)
    if options.out is not None:
        options.out.mkdir(parents=True, exist_ok=True)
        (options.out / "results.md").write_text(f"Measured on {machine()}.\n\n{table}", encoding="utf-8")
        report = {"machine": machine(), "rows": rows}
        (options.out / "results.json").write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    return 0


def _measured(case: Case, folder: Path, rounds: int) -> list[dict[str, object]]:
    """A row for each contender: median seconds, peak memory, and how many times our time it takes."""
    contenders = case.contenders(folder)
    timings = side_by_side(contenders, rounds)
    own = timings[contenders[0].name]
    return [
        {
            "case": case.name,
            "what": case.what,
            "contender": contender.name,
            "seconds": round(timings[contender.name].seconds, 3),
            "cpu": round(sorted(timings[contender.name].cpu)[rounds // 2], 3),
            "peak_mib": round(timings[contender.name].memory),
            "ratio": round(timings[contender.name].seconds / own.seconds, 2),
            "target": case.targets.get(contender.name),
            "rounds": rounds,
        }
        for contender in contenders
    ]


def _markdown(rows: list[dict[str, object]]) -> str:
    header = ("case", "who", "median s", "cpu s", "peak MiB", "times our time", "target")
    lines = [f"| {' | '.join(header)} |", "|---|---|---:|---:|---:|---:|---:|"]
    for row in rows:
        what = f"**{row['case']}**: {row['what']}" if row["ratio"] == 1 else ""
        target = "" if row["target"] is None else f"≥ {row['target']}"
        values = (what, row["contender"], row["seconds"], row["cpu"], row["peak_mib"], row["ratio"], target)
        lines.append(f"| {' | '.join(map(str, values))} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
