"""Runs that are one system: seeds, folds, draws of a language model."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from coliee_adapters.by_key import by_key
from coliee_adapters.checked import one_of, texts
from coliee_adapters.errors import InputError, UsageError, quoted, shortened
from coliee_adapters.files.source import PathLike, Source
from coliee_ir.inbox.sheets import groups_of, read_sheet
from coliee_ir.measures import Result
from coliee_ir.scoring.scores import Scores, place_of
from coliee_ir.stats import systems


def systems_of(scored: Sequence[Scores], replicates: PathLike | Mapping[str, Sequence[str]]) -> dict[str, list[Scores]]:
    """System → its runs: by their tags or files, from a CSV with the columns run and system, or by a column."""
    schema = scored[0].schema if scored else None
    if schema is not None and schema.replicate and replicates == schema.replicate:
        copies_of = {scores.tag: [] if scores.schema is None else scores.schema.copies for scores in scored}
        scored = [copy for copies in copies_of.values() for copy in copies]
        replicates = {name: [copy.tag for copy in copies] for name, copies in copies_of.items()}
    elif isinstance(replicates, str | os.PathLike):
        replicates = _read(replicates)
    kind = "a dictionary from names of systems to their runs"
    by_name: dict[str, list[Scores]] = {}
    used = set[int]()
    for name, runs in one_of("replicates", replicates, Mapping, kind).items():
        for run in texts("replicates", runs, kind):
            place = place_of(scored, run, f"in the system {quoted(name)},")
            if place in used:
                raise UsageError("named-twice", f"the run {quoted(run)} is named twice among the systems")
            used.add(place)
            by_name.setdefault(name, []).append(scored[place])
        if len(by_name.get(name, ())) < systems.LEAST_RUNS:
            problem = f"the system {quoted(name)} needs at least {systems.LEAST_RUNS} runs, to know how much they vary"
            raise UsageError("too-few", f"{problem}; leave replicates out to compare these runs on other queries")
    if left_out := [shortened(scores.name) for i, scores in enumerate(scored) if i not in used]:
        raise UsageError(
            "missing-key", f"no system given for: {', '.join(left_out[:10])}; add these runs to the --replicates CSV"
        )
    return by_name


def groups_in(scored: Sequence[Scores], groups: PathLike | Mapping[str, str] | None) -> Mapping[str, str] | None:
    """Query → group, as it is, from a file, or by a column of the table that scores were read from."""
    schema = scored[0].schema if scored else None
    if schema is not None and isinstance(groups, str) and groups in schema.columns:
        return schema.groups(groups)
    if (
        schema is not None
        and isinstance(groups, str)
        and not ("://" in groups or groups == "-" or Path(groups).exists())
    ):
        problem = f"{shortened(groups)} is neither a file nor a column that says more of queries; such columns are"
        raise UsageError("unknown-name", f"{problem}: {', '.join(map(shortened, schema.columns)) or 'none'}")
    return groups_of(groups, scored[0].task if scored else None)


def _read(path: PathLike) -> dict[str, list[str]]:
    sheet = read_sheet(Source(path))
    run, system = sheet.column("run", "tag", "file"), sheet.column("system")
    if run is None or system is None:
        raise InputError(
            "missing-column",
            sheet.name,
            "no column names the runs, or their systems",
            line=1,
            found=",".join(sheet.header),
            remedy="write run,system in the first row",
        )
    by_system = by_key((cells for _, cells in sheet.rows), lambda cells: cells[system])
    return {name: [cells[run] for cells in rows] for name, rows in by_system.items()}


def system(name: str, runs: Sequence[Scores]) -> Scores:
    """The scores of a system: the means of its runs'; without judged documents."""
    labels = [_label(name, scores) for scores in runs]
    labels = labels if all(labels) and len({*labels}) == len(labels) else []
    runs = (
        [scores for _, scores in sorted(zip(labels, runs, strict=True), key=lambda pair: pair[0])] if labels else runs
    )
    first, labels = runs[0], sorted(labels)
    results = {}
    for measure in first.results:
        each = [scores.results[measure] for scores in runs if measure in scores.results]
        if len(each) == len(runs):
            per_query, terms = np.mean([result.per_query for result in each], axis=0), [result.terms for result in each]
            results[measure] = Result(
                float(np.mean([result.value for result in each])), per_query, None, systems.system(terms, labels)
            )
    counts = {name: round(np.mean([scores.counts[name] for scores in runs])) for name in first.counts}
    answered = np.all([scores.answered for scores in runs], axis=0).tolist()
    remarks = tuple(dict.fromkeys(remark for scores in runs for remark in scores.remarks))
    return replace(
        first, tag=name, unique_name="", own_name="", file=", ".join(scores.file for scores in runs),
        results=results, counts=counts, answered=answered, own_remarks=remarks, judged={}, ties={},
    )  # fmt: skip


def _label(name: str, scores: Scores) -> str:
    """The seed or fold of a run, where its name or the column of replicates says so."""
    schema = scores.schema
    if schema is not None and schema.replicate.casefold() in ("seed", "fold"):
        return scores.tag.removeprefix(name).strip()
    match = re.search(r"(?:seed|fold)\W?\w+", scores.tag, re.IGNORECASE)
    return match[0].casefold() if match else ""
