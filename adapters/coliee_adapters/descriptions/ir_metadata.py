"""ir_metadata: YAML with the components of PRIMAD, in a file of its own or as comments at the head of a run.

Source: Breuer, Keller, Schaer, SIGIR 2022; https://www.ir-metadata.org, schema version 0.1.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Mapping
from typing import Any, Final

from coliee_adapters.errors import InputError, UsageError
from coliee_adapters.files import limits

_BEGIN: Final = rb"(?:ir_metadata\.start|METADATA - START)"
_END: Final = r"#?\s*(?:ir_metadata\.end|METADATA - END)"

#: at the head of a run, each line of the metadata is a comment
_AT_HEAD: Final = rb"#[ \t]*" + _BEGIN
_ALONE: Final = rb"(?:[ \t]*(?:#[^\n]*|---[^\n]*|" + _BEGIN + rb")?\r?\n)*+(?:[\w-]+(?: [\w-]+)*[ \t]*:)"
_TAG: Final = rb"(?m)^tag[ \t]*:"
_COMPONENT: Final = rb"(?m)^(?:platform|research goal|implementation|method|actor|data)[ \t]*:"


def sniff(head: bytes) -> bool:
    r"""Whether a file that starts with these bytes holds ir_metadata and nothing else.

    >>> sniff(b"tag: univABC1\nactor:\n  team: ABC\n"), sniff(b"# ir_metadata.start\n# tag: A\n001 Q0 013 1 1 A\n")
    (True, False)
    """
    return bool(not at_head(head) and re.match(_ALONE, head) and re.search(_TAG, head) and re.search(_COMPONENT, head))


def at_head(head: bytes) -> bool:
    """Whether a run that starts with these bytes has ir_metadata before its first line."""
    return bool(re.match(_AT_HEAD, head))


def read(text: str, name: str) -> dict[str, Any]:
    """The members of ir_metadata, alone or at the head of a run."""
    lines = text.split("\n")
    if at_head(text[:99].encode()):
        lines = [re.sub("^# ?", "", line) for line in lines[1 : _last(lines)]]
    elif re.fullmatch(_BEGIN.decode(), lines[0].strip()):
        lines = lines[1 : _last(lines)]
    members = _loaded("\n".join(lines), name)
    if not isinstance(members, dict):
        problem = "this is not ir_metadata: it holds no mapping"
        raise InputError("unknown-format", name, problem, remedy="see https://www.ir-metadata.org")
    return {str(key): value for key, value in members.items()}


def _last(lines: list[str]) -> int:
    return next((at for at, line in enumerate(lines) if re.fullmatch(_END, line.strip())), len(lines))


def written(members: Mapping[str, Any]) -> str:
    """ir_metadata as a YAML file."""
    text: str = _yaml().safe_dump(dict(members), sort_keys=False, allow_unicode=True, width=120)
    return f"# https://www.ir-metadata.org\n{text}"


def _yaml() -> Any:
    try:
        return importlib.import_module("yaml")  # an extra, which ships no types
    except ImportError:
        raise UsageError("needs-package", "ir_metadata needs PyYAML: pip install 'coliee-ir[metadata]'") from None


def _loaded(text: str, name: str) -> Any:
    yaml = _yaml()
    loader = yaml.SafeLoader(text)
    try:
        depth, most = 0, limits.DEPTH
        for token in yaml.scan(text):
            if isinstance(token, yaml.AliasToken):
                raise InputError("syntax", name, "aliases (*) are not read", remedy="write each value out")
            if isinstance(token, yaml.FlowSequenceStartToken | yaml.FlowMappingStartToken):
                depth += 1
            elif isinstance(token, yaml.FlowSequenceEndToken | yaml.FlowMappingEndToken):
                depth -= 1
            if depth > most:  # for which the time grows with the square
                raise InputError("too-large", name, f"brackets are nested more than {most} deep", remedy="flatten them")
        return loader.get_single_data()
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or "it cannot be read"
        line = None if mark is None else mark.line + 1
        remedy = "the syntax is at yaml.org"
        raise InputError("syntax", name, f"broken YAML: {problem}", line=line, remedy=remedy) from None
    except (RecursionError, ValueError) as error:  # nested too deeply; a date that does not exist
        raise InputError("syntax", name, f"broken YAML: {error}", remedy="the syntax is at yaml.org") from None
    finally:
        loader.dispose()
