"""``dataclass`` and ``NamedTuple`` beside Python's own: the same source, executed with either."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import itertools
import pickle
import sys
import types
import typing
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from coliee_adapters import classes

SOURCE = """
from __future__ import annotations
from dataclasses import field

@dataclass({options})
class Base:
    a: int
    b: list[object] = field(default_factory=list, hash=False)
    c: str = field(default="c", repr=False)
    d: object = field(default=None, compare=False)

    def __post_init__(self) -> None:
        if self.a == 13:
            raise ValueError("thirteen")

@dataclass({options})
class Child(Base):
    e: str = "e"

class Row(NamedTuple):
    name: str
    value: float = 0.5
"""
OPTIONS = [
    dict(zip(("frozen", "slots", "eq", "repr"), on, strict=True)) for on in itertools.product([False, True], repeat=4)
]


@pytest.fixture(params=OPTIONS, ids=str)
def both(request: pytest.FixtureRequest) -> Iterator[tuple[types.ModuleType, types.ModuleType]]:
    """(with Python's, with ours): their names have the same length, so that pickles have too."""
    source = SOURCE.replace("{options}", ", ".join(f"{name}={on}" for name, on in request.param.items()))
    made = [types.ModuleType("twins_1"), types.ModuleType("twins_2")]
    for module, of in zip(made, (dataclasses, classes), strict=True):
        module.__dict__.update(dataclass=of.dataclass, NamedTuple=getattr(of, "NamedTuple", typing.NamedTuple))
        sys.modules[module.__name__] = module
        exec(compile(source, module.__name__, "exec"), module.__dict__)
    yield made[0], made[1]
    for module in made:
        del sys.modules[module.__name__]


def values(one: Any) -> str:
    return str([(each.name, getattr(one, each.name)) for each in dataclasses.fields(one)])


ACTS: dict[str, Callable[[Any], object]] = {
    "positions": lambda m: values(m.Base(1, [2], "3", 4)),
    "names": lambda m: values(m.Child(c="3", a=1, e="f")),
    "often": lambda m: [values(m.Child(n, d=4)) for n in range(13)] + [values(m.Child(n)) for n in range(14, 40)],
    "nothing": lambda m: m.Base(),
    "too many": lambda m: m.Base(1, [], "", 4, 5),
    "twice": lambda m: m.Base(1, a=1),
    "unknown": lambda m: m.Base(1, f=1),
    "refused": lambda m: m.Child(13),
    "equal": lambda m: [m.Base(1) == other for other in (m.Base(1), m.Base(2), 1, m.Base(1, d=1), m.Child(1))],
    "hash": lambda m: (lambda one, *others: [hash(one) == hash(other) for other in others])(
        m.Base(1), m.Base(1, [2]), m.Base(2)
    ),
    "shown": lambda m: repr(m.Child(1)).partition(" object at ")[0],
    "set": lambda m: setattr(m.Base(1), "a", 2),
    "delete": lambda m: delattr(m.Child(1), "a"),
    "replaced": lambda m: values(dataclasses.replace(m.Child(1), c="z")),
    "a dictionary": lambda m: str(dataclasses.asdict(m.Base(1, [m.Base(2)]))),
    "copied": lambda m: values(copy.deepcopy(m.Base(1, [2]))),
    "pickled": lambda m: pickle.dumps(m.Base(1, [2], "x")).replace(m.__name__.encode(), b""),
    "unpickled": lambda m: values(pickle.loads(pickle.dumps(m.Child(1, [2])))),
    "signature": lambda m: str([inspect.signature(kind) for kind in (m.Base, m.Child)]),
    "parameters": lambda m: str((m.Base.__dataclass_params__, m.Base.__match_args__, hasattr(m.Base(1), "__dict__"))),
    "row": lambda m: str((m.Row("a"), m.Row("a")._replace(value=2.0), m.Row("a")._asdict(), m.Row._field_defaults)),
    "row with too much": lambda m: m.Row("a", 1, 4),
    "row unpickled": lambda m: pickle.loads(pickle.dumps(m.Row("a"))) == ("a", 0.5),
    "row of types": lambda m: str(typing.get_type_hints(m.Row)),
}


def test_a_class_does_what_pythons_own_does(both: tuple[types.ModuleType, types.ModuleType]) -> None:
    for name, act in ACTS.items():
        found: list[object] = []
        for module in both:
            try:
                value = act(module)
                found.append(value.replace(module.__name__, "") if isinstance(value, str) else value)
            except Exception as error:  # whatever Python's own raises, ours raises
                found.append(type(error))
        assert found[0] == found[1], name
