"""Protocols for people: what there are, and the file of each, which is also what to start from."""

from __future__ import annotations

from coliee_adapters.files.source import Source
from coliee_ir.reading.basis import check_rules
from coliee_ir.rules.choices import TASKS
from coliee_ir.rules.protocol import all_rules, neighbours, protocol, use_protocol_file


def list_of_protocols() -> str:
    """All protocols of the package, a line each."""
    names = [*TASKS, *neighbours()]
    width = max(map(len, names))
    return "".join(f"{name:{width}}  {protocol(use_protocol_file(name)).title}\n" for name in names)


def protocol_toml(name: str) -> str:
    """The TOML of a protocol, to be read, or changed and given to ``--protocol``; it is checked first."""
    rules = all_rules(use_protocol_file(name))
    for row in rules:
        check_rules(row)
    return Source(rules[0].file).text()
