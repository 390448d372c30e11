"""Damaged archives, Parquet files and stores among sound submissions: none of them stops the others.

``python tests/damage.py --files 100000`` (``make fuzz DAMAGE=100000``) damages files at random (cut, flipped bits,
other bytes, zeros, a tail), puts a few of them beside two sound runs, and ranks and evaluates the folder: exit code 0,
1 or 2, both sound runs scored as ever, no traceback. Each call is made in a process that was forked for it.
"""

from __future__ import annotations

import argparse
import collections
import csv
import gzip
import io
import os
import pickle
import random
import shutil
import sys
import tarfile
import tempfile
import time
import zipfile
from pathlib import Path
from typing import Final

from fuzz import Printed, typed

from coliee_adapters.errors import ColieeError
from coliee_ir import convert

#: damaged files in a folder
_TOGETHER: Final = 20

QRELS: Final = "".join(f"q{q} 0 d{d} {d % 2}\n" for q in range(4) for d in range(6))


def run(tag: str) -> str:
    chance = random.Random(tag)
    rows = [(q, d, chance.random()) for q in range(4) for d in range(6)]
    return "".join(f"q{q} Q0 d{d} 1 {score:.6f} {tag}\n" for q, d, score in rows)


def sound(folder: Path, *, stores: bool) -> dict[str, bytes]:
    """Ending → a sound file."""
    (folder / "gold.qrels").write_text(QRELS)
    (folder / "c.txt").write_text(run("C"))
    (folder / "d.txt").write_text(run("D"))
    zipped, tarred = io.BytesIO(), io.BytesIO()
    with zipfile.ZipFile(zipped, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(folder / "c.txt", "c/c.txt")
        archive.write(folder / "d.txt", "d.txt")
    with tarfile.open(fileobj=tarred, mode="w") as packed:
        packed.add(folder / "c.txt", "c/c.txt")
        packed.add(folder / "d.txt", "d.txt")
    convert(folder / "c.txt", folder / "c.parquet")
    found = {
        ".zip": zipped.getvalue(),
        ".tar": tarred.getvalue()[:4096],
        ".tgz": gzip.compress(tarred.getvalue()),
        ".parquet": (folder / "c.parquet").read_bytes(),
    }
    if stores:
        kept = ("--store", folder / "s.sqlite")
        done = typed("evaluate", folder / "gold.qrels", folder / "c.txt", "--task", "trec", *kept)
        assert done.code == 0, done.err
        found[".sqlite"] = (folder / "s.sqlite").read_bytes()
    return found


def damaged(content: bytes, chance: random.Random) -> bytes:
    raw = bytearray(content)
    for _ in range(chance.choice([1, 1, 1, 2, 3, 8])):
        start = 0 if chance.random() < 0.6 else max(len(raw) - 800, 0)  # where the lists of contents are
        at = chance.randrange(start, len(raw))
        how = chance.choice(["flip", "flip", "byte", "bytes", "zeros", "cut", "tail", "twice"])
        if how == "flip":
            raw[at] ^= 1 << chance.randrange(8)
        elif how == "byte":
            raw[at] = chance.choice([0, 1, 0x7F, 0x80, 0xFF, chance.randrange(256)])
        elif how == "bytes":
            raw[at : at + 8] = chance.randbytes(len(raw[at : at + 8]))
        elif how == "zeros":
            n = chance.choice([4, 16, 512])
            raw[at : at + n] = bytes(len(raw[at : at + n]))
        elif how == "cut":
            del raw[max(at, 1) :]
        elif how == "tail":
            raw += chance.randbytes(chance.choice([1, 22, 512]))
        else:
            raw[at:at] = raw[at : at + chance.choice([1, 30, 512])]
    return bytes(raw)


def told(done: Printed, expected: dict[str, str]) -> str | None:
    """What is wrong with what a command did; None if nothing is."""
    if done.code not in (0, 1, 2):
        return f"exit code {done.code}: {done.err[-300:]}"
    if "Traceback" in done.err:
        return "a traceback"
    rows = {row["run"]: row["map"] for row in csv.DictReader(io.StringIO(done.out)) if row.get("map")}
    lost = {name: rows.get(name) for name, score in expected.items() if rows.get(name) != score}
    return f"{lost} and not {expected}: {done.err[-300:]}" if lost else None


def forked(folder: Path, command: tuple[object, ...]) -> Printed:
    """A command in a process of its own."""
    out = folder / "done"
    out.unlink(missing_ok=True)
    if not (process := os.fork()):
        try:
            try:
                done = typed(*command)
            except BaseException as error:
                done = Printed(99, "", f"{type(error).__name__}: {error}"[:400])
            out.write_bytes(pickle.dumps(tuple(done)))
        finally:
            os._exit(0)
    status = os.waitpid(process, 0)[1]
    if not out.exists():
        return Printed(-(status & 127), "", "the process was ended")
    return Printed(*pickle.loads(out.read_bytes()))


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--files", type=int, default=2000, help="how many (default: 2000)")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**9))
    parser.add_argument("--minutes", type=float, default=600, help="at most, of this machine's time")
    parser.add_argument("--stores", action="store_true", help="stores of scores too")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="write what fails to this folder")
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    counts: collections.Counter[object] = collections.Counter()
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        folder, sent = Path(name), Path(name, "sent")
        contents = sound(folder, stores=options.stores)
        expected: dict[str, str] = {}

        def tried(files: dict[str, bytes], command: str) -> str | None:
            shutil.rmtree(sent, ignore_errors=True)
            sent.mkdir()
            for file, content in {"A.txt": run("A").encode(), "B.txt": run("B").encode(), **files}.items():
                (sent / file).write_bytes(content)
            more = ("--resamples", 20) if command == "leaderboard" else ("-m", "map", "--keep-going")
            done = forked(folder, (command, folder / "gold.qrels", sent, "--task", "trec", "-f", "csv", *more))
            counts[command, done.code] += 1
            if not expected:
                rows = csv.DictReader(io.StringIO(done.out))
                expected.update({row["run"]: row["map"] for row in rows})
                assert set(expected) == {"A", "B"}, done
            return told(done, expected)

        assert tried({}, "evaluate") is None
        number = findings = 0
        while number < options.files and time.monotonic() - start < 60 * options.minutes:
            chance = random.Random(f"{options.seed}:{number}")
            files = {}
            for at in range(number, number + _TOGETHER):
                ending = chance.choice([*contents])
                counts[ending] += 1
                files[f"x{at}{ending}"] = damaged(contents[ending], chance)
            number += len(files)
            command = chance.choice(["leaderboard", "evaluate"])
            if tried(files, command) is not None:
                for file, content in files.items():
                    if (what := tried({file: content}, command)) is not None:
                        findings += 1
                        print(f"{file} of seed {options.seed}, {command}: {what[:500]}", flush=True)
                        if options.keep:
                            options.keep.mkdir(exist_ok=True)
                            (options.keep / file).write_bytes(content)
        spent = sum(os.times()[:4])
        print(f"{number} damaged files, {findings} findings, {spent:.0f} CPU seconds; {dict(counts)}")
    return 1 if findings else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except ColieeError as error:
        sys.exit(str(error))
