"""The manifest of a result: by which it can be computed again, anywhere, and compared byte for byte.

A manifest is JSON: SHA-256 and size of every file that was read, the versions, the command, its seed and decisions, and
SHA-256 of the result. It holds no time and no absolute path that was not typed, so equal runs give equal manifests.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import platform
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from coliee_adapters import archives, trec_eval
from coliee_adapters.classes import NamedTuple
from coliee_adapters.errors import InputError
from coliee_adapters.files import PathLike, Source, is_folder, sha256_of
from coliee_adapters.folders import walk
from coliee_ir._version import __version__

#: the packages that numbers come from
_PACKAGES: Final = ("numpy", "scipy", "pytrec-eval-terrier", "ir-measures")


class Checked(NamedTuple):
    """One thing that a manifest names, and what became of it.

    Attributes:
        what: a file, a package, or ``result``.
        status: ``same``, ``differs``, ``missing`` or ``new``.
        decides: whether the result cannot be confirmed because of it; other versions of packages alone do not decide.
    """

    what: str
    status: str
    decides: bool = True


def manifest(typed: Sequence[str], read: Iterable[PathLike], result: str, facts: Mapping[str, Any]) -> dict[str, Any]:
    """The manifest of a result.

    Args:
        typed: the command and its options, without the manifest itself.
        read: every file and folder that was read.
        result: the text that the command gave.
        facts: the task, the edition, the decisions, the seed.
    """
    return {
        "coliee_ir": __version__,
        "trec_eval": trec_eval.version(),
        "python": platform.python_version(),
        "packages": _versions(),
        "command": list(typed),
        **facts,
        "files": _files(read),
        "result": {"sha256": hashlib.sha256(result.encode()).hexdigest(), "bytes": len(result.encode())},
    }


def _versions() -> dict[str, str]:
    found = {}
    for package in _PACKAGES:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def _files(read: Iterable[PathLike]) -> dict[str, dict[str, Any]]:
    """SHA-256 and size of each file, those of folders included; archives as they are."""
    named = list(dict.fromkeys(str(path) for path in read if str(path) != "-"))
    files = [archives.outer(file) for name in named for file in ([name] if not is_folder(name) else walk([name]).files)]
    return {file: _digest(file) for file in sorted(set(files)) if Path(file).is_file()}


def _digest(file: str) -> dict[str, Any]:
    return {"sha256": sha256_of(file), "bytes": Path(file).stat().st_size}


def read_manifest(path: PathLike) -> dict[str, Any]:
    """A manifest.

    Raises:
        InputError: it cannot be read, or is not a manifest.
    """
    source = Source(path)
    try:
        found = json.loads(source.text())
        command, files, result = found["command"], found["files"], found["result"]["sha256"]
        valid = all(isinstance(word, str) for word in command) and isinstance(result, str) and bool(command)
        valid = valid and all(isinstance(of["sha256"], str) for of in files.values())
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        valid = False
    if not valid:
        remedy = "give a file that --manifest has written"
        raise InputError(source.name, "this is not a manifest of coliee-ir", remedy=remedy)
    return dict(found)


def folder_of(path: PathLike, found: Mapping[str, Any]) -> Path:
    """The folder in which the names of a manifest's files are files: this one, or the nearest above the manifest.

    Where none has all of them, this one.
    """
    here = Path.cwd()
    above = Path(path).absolute().parents if Path(path).is_file() else ()
    folders = (folder for folder in (here, *above) if all((folder / file).is_file() for file in found["files"]))
    return next(folders, here)


def verify(found: Mapping[str, Any], again: Callable[[Sequence[str]], str | None]) -> list[Checked]:
    """Compare what a manifest names with what is there, and the result with that of the same command now.

    Args:
        found: what ``read_manifest`` gave.
        again: runs a command and gives its result; None where it fails.
    """
    checks = []
    for file, of in found["files"].items():
        status = "missing" if not Path(file).is_file() else "same" if _digest(file) == of else "differs"
        checks.append(Checked(file, status))
    now = {"coliee_ir": __version__, "trec_eval": trec_eval.version(), **_versions()}
    then = {"coliee_ir": found.get("coliee_ir"), "trec_eval": found.get("trec_eval"), **found.get("packages", {})}
    for package, version in then.items():
        if now.get(package) != version:
            checks.append(Checked(f"{package} {version} (here {now.get(package, 'none')})", "differs", decides=False))
    text = again(found["command"])
    digest = "" if text is None else hashlib.sha256(text.encode()).hexdigest()
    same = digest == found["result"]["sha256"]
    return [*checks, Checked("result", "same" if same else "differs" if text is not None else "missing")]
