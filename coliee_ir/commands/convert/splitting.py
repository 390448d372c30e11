"""A gold into files of query ids, one for each fold of a cross-validation: what ``--only`` and ``--exclude`` read."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import numpy as np

from coliee_adapters.errors import UsageError
from coliee_adapters.files.source import PathLike
from coliee_adapters.files.writing import check_outputs, made_folder, written
from coliee_adapters.forms.lines import counted
from coliee_adapters.records import Gold
from coliee_ir.scoring.years import years
from coliee_ir.stats.folds import Split
from coliee_ir.stats.settings import FOLDS, SEED, Resampling

#: What can be made of a gold besides: files of ids, one for each fold.
FOLDS_TARGET: Final = "folds"


def write_folds(
    gold: Gold,
    folder: PathLike,
    *,
    folds: int = FOLDS,
    seed: int = SEED,
    groups: Mapping[str, str] | None = None,
    by_year: bool = False,
) -> list[str]:
    """Write the ids of each fold, as ``tune`` and ``fit_fusion`` first deal them, to a file; sentences on what was."""
    if str(folder) == "-":
        raise UsageError("not-a-file", "folds are several files: name a folder for them")
    queries = gold.queries
    if by_year:
        if groups is not None:
            raise UsageError("option-conflict", "folds are made of years or of groups: give one of the two")
        year_of = years(gold)
        names = list(dict.fromkeys(year_of.values()))
        fold = [names.index(year_of[query]) for query in queries]
        if len(names) < 2:
            raise UsageError(
                "no-dates", f"{gold.path}: all queries are of one year, {names[0]}; leave out --folds year"
            )
    else:
        split = Split.of(queries, folds, Resampling(seed=seed).seed, groups)
        fold = split.folds(np.ones(len(queries), dtype=np.bool_), 0).tolist()
        names = [f"fold{number:0{len(str(folds))}}" for number in range(1, folds + 1)]
    parts = [[query for query, at in zip(queries, fold, strict=True) if at == number] for number in range(len(names))]
    paths = [Path(folder, f"{name}.txt") for name in names]
    check_outputs(paths, [gold.path, *dict.fromkeys(gold.files.values())])
    made_folder(folder)
    for path, part in zip(paths, parts, strict=True):
        with written(path) as stream:
            stream.writelines(f"{query}\n" for query in part)
    return [f"{path}: {counted(len(part), 'query')}" for path, part in zip(paths, parts, strict=True)]
