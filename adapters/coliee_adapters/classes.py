"""``dataclass`` and ``NamedTuple`` as both packages use them, which make a class in a fraction of the time.

Python's own write the methods of each class as text and compile it, which took a tenth of the time of a small command.
These make closures, and a class that is in demand is given Python's ``__init__``, which is faster. What they do is
Python's, to which tests compare it; type checkers see Python's own.
"""

from __future__ import annotations

import collections
import dataclasses
import inspect
import reprlib
from dataclasses import MISSING, FrozenInstanceError, fields
from operator import attrgetter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
    from typing import NamedTuple as NamedTuple
else:
    #: how many objects of a class are made before its ``__init__`` is compiled
    _IN_DEMAND = 16

    def dataclass(cls=None, /, *, frozen=False, slots=False, eq=True, repr=True):
        """``dataclasses.dataclass`` with those of its options that are used here."""
        if cls is None:
            return lambda cls: dataclass(cls, frozen=frozen, slots=slots, eq=eq, repr=repr)
        of_frozen = any(dataclasses.is_dataclass(base) and base.__dataclass_params__.frozen for base in cls.__bases__)
        cls = dataclasses.dataclass(cls, init=False, repr=False, eq=False, frozen=of_frozen, slots=slots)
        methods = {"__init__": _init(cls, frozen, slots)}
        methods["__signature__"] = _Signature(methods["__init__"])
        if repr:
            methods["__repr__"] = _repr
        if eq:
            methods |= {"__eq__": _eq(cls), "__hash__": _hash(cls) if frozen else None}
        if frozen:
            methods |= {"__setattr__": _setattr, "__delattr__": _delattr}
        if frozen and slots:
            methods |= {"__getstate__": _getstate, "__setstate__": _setstate}
        for name, method in methods.items():
            if name not in cls.__dict__:
                setattr(cls, name, method)
        of = cls.__dataclass_params__
        of.init, of.repr, of.eq, of.frozen = True, repr, eq, frozen
        return cls

    def _init(cls, frozen, slots):
        of_class, names = fields(cls), tuple(cls.__match_args__)
        put = [getattr(cls, name).__set__ for name in names] if slots else None
        prepares = hasattr(cls, "__post_init__")
        made = 0

        def complete(args, given):
            left, values = dict(given), list(args)
            for each in of_class[len(args) :]:
                if each.name in left:
                    values.append(left.pop(each.name))
                elif each.default_factory is not MISSING:
                    values.append(each.default_factory())
                elif each.default is not MISSING:
                    values.append(each.default)
            if left or len(values) != len(names):
                inspect.signature(_twin(cls)).bind(*args, **given)  # which says what is wrong
            return values

        def __init__(self, /, *args, **given):  # noqa: N807
            nonlocal made
            made += 1
            if made == _IN_DEMAND:
                cls.__init__ = _twin(cls, frozen).__init__
            values = complete(args, given) if given or len(args) != len(names) else args
            if put:
                for set_in, value in zip(put, values, strict=True):
                    set_in(self, value)
            else:
                self.__dict__.update(zip(names, values, strict=True))
            if prepares:
                self.__post_init__()

        return __init__

    class _Signature:
        """That of a class, made when somebody asks; a class that inherits it may have another ``__init__``."""

        def __init__(self, init):
            self.init = init

        def __get__(self, instance, owner):
            if instance is not None or owner.__init__ is not self.init:
                raise AttributeError("__signature__")
            return inspect.signature(_twin(owner))

    def _twin(cls, frozen=False):
        """A class with the same fields, made by Python."""
        prepares = {"__post_init__": cls.__post_init__} if hasattr(cls, "__post_init__") else {}
        held = [
            (each.name, each.type, dataclasses.field(default=each.default, default_factory=each.default_factory))
            for each in fields(cls)
        ]
        return dataclasses.make_dataclass(cls.__name__, held, namespace=prepares, frozen=frozen, repr=False, eq=False)

    def _values(names):
        get = attrgetter(*names) if names else None
        return get if len(names) > 1 else lambda self: tuple(getattr(self, name) for name in names)

    def _eq(cls):
        values = _values([each.name for each in fields(cls) if each.compare])
        return lambda self, other: (
            values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented
        )

    def _hash(cls):
        values = _values([each.name for each in fields(cls) if (each.compare if each.hash is None else each.hash)])
        return lambda self: hash(values(self))

    @reprlib.recursive_repr()
    def _repr(self):
        held = ", ".join(f"{each.name}={getattr(self, each.name)!r}" for each in fields(self) if each.repr)
        return f"{self.__class__.__qualname__}({held})"

    def _setattr(self, name, value):
        _refuse(self, name)
        object.__setattr__(self, name, value)

    def _delattr(self, name):
        _refuse(self, name)
        object.__delattr__(self, name)

    def _refuse(self, name):
        if "__dataclass_fields__" in type(self).__dict__ or name in self.__dataclass_fields__:
            raise FrozenInstanceError(f"cannot assign to field {name!r}")

    def _getstate(self):
        return [getattr(self, each.name) for each in fields(self)]

    def _setstate(self, state):
        for each, value in zip(fields(self), state, strict=True):
            object.__setattr__(self, each.name, value)

    class _Class(type):
        def __new__(cls, name, bases, namespace):
            types = namespace.get("__annotations__", {})
            defaults = [namespace[field] for field in types if field in namespace]
            made = collections.namedtuple(name, types, defaults=defaults, module=namespace["__module__"])
            for key in namespace.keys() - types.keys():
                setattr(made, key, namespace[key])
            made.__new__.__annotations__ = types
            return made

    NamedTuple = type.__new__(_Class, "NamedTuple", (), {})
