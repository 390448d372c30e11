"""``dataclass`` and ``NamedTuple`` beside Python's own: the same source, executed with either."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
import sys
import types
import typing
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest

from coliee_adapters import classes

SOURCE = """
from __future__ import annotations
from dataclasses import field
from typing import ClassVar

class Named:
    kind: str = "plain"

OF_OPTIONS

@dataclass(frozen=True)
class Base:
    '''One that others inherit from.'''
    cutoff: int | None = None
    letter: ClassVar[str] = "F"

class Plain(Base):
    letter = "P"

class Other(Base):
    def __init__(self, only: int) -> None:
        super().__init__(only)

@dataclass(frozen=True)
class Child(Base):
    '''One more field.'''
    of: str = "means"

class Row(NamedTuple):
    '''A row.'''
    name: str
    value: float = 0.5
    rest: tuple[int, ...] = ()

    @property
    def twice(self) -> float:
        return 2 * self.value
"""

OPTIONS = [
    {"frozen": frozen, "slots": slots, "eq": eq, "repr": shown}
    for frozen in (False, True) for slots in (False, True) for eq in (True, False) for shown in (True, False)
]  # fmt: skip

OF_OPTIONS = """
@dataclass({options})
class Class{number}:
    '''A class.'''
    a: int
    b: list[object] = field(default_factory=list, hash=False)
    c: str = field(default="c", repr=False)
    d: object = field(default=None, compare=False)

    def __post_init__(self) -> None:
        if self.a == 13:
            raise ValueError("thirteen")
"""


@pytest.fixture(scope="module", params=[1, 1_000_000], ids=["compiled", "not compiled"])
def both(request: pytest.FixtureRequest) -> Iterator[tuple[types.ModuleType, types.ModuleType]]:
    """(with Python's, with ours): their names have the same length, so that pickles have too."""
    made, in_demand = [], classes._IN_DEMAND
    classes._IN_DEMAND = request.param
    of_options = "".join(
        OF_OPTIONS.format(options=", ".join(f"{name}={on}" for name, on in options.items()), number=number)
        for number, options in enumerate(OPTIONS)
    )
    for name, dataclass, named in (
        ("twins_1", dataclasses.dataclass, typing.NamedTuple), ("twins_2", classes.dataclass, classes.NamedTuple),
    ):  # fmt: skip
        module = types.ModuleType(name)
        module.__dict__.update(dataclass=dataclass, NamedTuple=named)
        sys.modules[name] = module
        exec(compile(SOURCE.replace("OF_OPTIONS", of_options), name, "exec"), module.__dict__)
        made.append(module)
    yield made[0], made[1]
    for module in made:
        del sys.modules[module.__name__]
    classes._IN_DEMAND = in_demand


def seen(module: types.ModuleType, act: Callable[[], object]) -> object:
    """What comes of it, without the module's name; of an error, its class."""
    try:
        return without_name(act(), module.__name__)
    except Exception as error:  # whatever Python's own raises, ours raises
        return type(error), *([str(error)] if isinstance(error, ValueError) else [])


def without_name(value: object, name: str) -> object:
    if isinstance(value, bytes):
        return value.replace(name.encode(), b"")
    return value if isinstance(value, (bool, int, tuple)) else str(value).replace(name, "")


def set_to(one: Any, name: str) -> object:
    setattr(one, name, 2)
    return getattr(one, name)


def without(one: Any, name: str) -> object:
    delattr(one, name)
    return hasattr(one, name)


#: what is done with a class of each kind of options
ACTS: dict[str, Callable[[Any], object]] = {
    "positions": lambda kind: vars_of(kind(1, [2], "3", 4)),
    "names": lambda kind: vars_of(kind(c="3", a=1)),
    "both": lambda kind: vars_of(kind(1, d=4)),
    "a list of its own": lambda kind: kind(1).b is kind(1).b,
    "nothing": lambda kind: kind(),
    "too many": lambda kind: kind(1, [], "", 4, 5),
    "twice": lambda kind: kind(1, a=1),
    "unknown": lambda kind: kind(1, e=1),
    "checked": lambda kind: kind(13),
    "equal": lambda kind: (kind(1) == kind(1), kind(1) == kind(2), kind(1) == 1, kind(1, d=1) == kind(1, d=2)),
    "hash": lambda kind: like_others(hash, kind(1, [], "x", 1), kind(1, [2], "x", 2), kind(2)),
    "hashable": lambda kind: isinstance(hash(kind(1)), int),
    "shown": lambda kind: repr(kind(1)).partition(" object at ")[0],
    "in itself": lambda kind: repr(in_itself(kind)).partition(" object at ")[0],
    "set": lambda kind: set_to(kind(1), "a"),
    "set another": lambda kind: set_to(kind(1), "z"),
    "delete": lambda kind: without(kind(1), "a"),
    "replaced": lambda kind: vars_of(dataclasses.replace(kind(1), c="z")),
    "replaced by what is refused": lambda kind: dataclasses.replace(kind(1), a=13),
    "a dictionary": lambda kind: str(dataclasses.asdict(kind(1, [kind(2)]))),
    "copied": lambda kind: vars_of(copy.deepcopy(kind(1, [2]))),
    "pickled": lambda kind: pickle.dumps(kind(1, [2], "x", None)),
    "unpickled": lambda kind: vars_of(pickle.loads(pickle.dumps(kind(1, [2], "x", None)))),
    "signature": lambda kind: str(inspect.signature(kind)),
    "parameters": lambda kind: str(kind.__dataclass_params__),
    "matched": lambda kind: kind.__match_args__,
    "has a dictionary": lambda kind: hasattr(kind(1), "__dict__"),
    "order of its dictionary": lambda kind: tuple(vars(kind(c="3", a=1))),
}


def like_others(act: Callable[[Any], object], one: Any, *others: Any) -> tuple[bool, ...]:
    return tuple(act(one) == act(other) for other in others)


def vars_of(one: Any) -> tuple[object, ...]:
    return tuple((each.name, getattr(one, each.name)) for each in dataclasses.fields(one))


def in_itself(kind: Any) -> object:
    one = kind(1)
    one.b.append(one)
    return one


@pytest.mark.parametrize("number", range(len(OPTIONS)), ids=map(str, OPTIONS))
def test_a_class_does_what_pythons_own_does(both: tuple[types.ModuleType, types.ModuleType], number: int) -> None:
    for name, act in ACTS.items():
        theirs, ours = (seen(module, partial(act, getattr(module, f"Class{number}"))) for module in both)
        if name == "set another" and OPTIONS[number]["frozen"] and OPTIONS[number]["slots"]:
            # Python's own asks the class that it was before it had slots, and stumbles
            assert (theirs, ours) == ((TypeError,), (dataclasses.FrozenInstanceError,))
        else:
            assert ours == theirs, name


#: classes that inherit, and rows
MORE: dict[str, Callable[[Any], object]] = {
    "inherited": lambda m: str((m.Child(3), m.Child(of="x", cutoff=2), m.Plain(7).cutoff, m.Plain(7).letter)),
    "unlike its base": lambda m: (m.Child(3) == m.Base(3), m.Plain(3) == m.Base(3), m.Plain(3) == m.Plain(3)),
    "frozen": lambda m: set_to(m.Child(3), "of"),
    "a plain one keeps what is no field": lambda m: set_to(m.Plain(3), "other"),
    "a plain one is frozen": lambda m: set_to(m.Plain(3), "cutoff"),
    "signature": lambda m: str([inspect.signature(kind) for kind in (m.Child, m.Plain, m.Other)]),
    "inherited by Python's": lambda m: str(
        dataclasses.dataclass(frozen=True)(type("Last", (m.Child,), {"__annotations__": {"n": int}, "n": 3}))(1)
    ),
    "refused by Python's": lambda m: dataclasses.dataclass(type("Last", (m.Child,), {"n": 3})),
    "row": lambda m: str((m.Row("a"), m.Row("a", rest=(1,)), m.Row("a").twice, m.Row("a")._replace(value=2.0))),
    "row is a tuple": lambda m: (tuple(m.Row("a")), m.Row("a") == ("a", 0.5, ()), isinstance(m.Row("a"), tuple)),
    "row's fields": lambda m: str((m.Row._fields, m.Row._field_defaults, m.Row("a")._asdict(), m.Row.__doc__)),
    "row without its name": lambda m: m.Row(),
    "row with too much": lambda m: m.Row("a", 1, (), 4),
    "row is fixed": lambda m: set_to(m.Row("a"), "name"),
    "row pickled": lambda m: pickle.dumps(m.Row("a")),
    "row unpickled": lambda m: str(pickle.loads(pickle.dumps(m.Row("a")))),
    "row of types": lambda m: str(typing.get_type_hints(m.Row)),
    "names": lambda m: str((m.Row.__name__, m.Row.__qualname__, m.Row.__module__, m.Child.__qualname__)),
}


def test_what_inherits_and_rows_do_what_pythons_own_do(both: tuple[types.ModuleType, types.ModuleType]) -> None:
    for name, act in MORE.items():
        theirs, ours = (seen(module, partial(act, module)) for module in both)
        assert ours == theirs, name
