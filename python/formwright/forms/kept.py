"""Forms that were made before, found by what they were made of.

::

    fw.json_schema('{"type": "integer"}') is fw.json_schema('{"type": "integer"}')       # True

A server makes the same form for each request. One that is found again costs a few microseconds, and its compiled
constraints are found with it (see `formwright.compile`). Forms are immutable, so all callers may have the same one.

Kept are the `_MOST` forms that were used last, while they take no more than `_BYTES`.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, Literal, Union, get_args, get_origin

from formwright._lru import Lru
from formwright.forms.form import Form

__all__ = ["find_form", "forget_forms", "key_of_type"]

_BYTES = 64 << 20
_MOST = 512
_LEAST_WEIGHT = _BYTES // _MOST
"""What a form weighs at least: the objects of Python around its language, such as the validator of a type."""


def _weigh(form: Form[Any]) -> int:
    return max(form.language.nbytes, _LEAST_WEIGHT)


_KEPT = Lru[Hashable, Form[Any]](_BYTES, _weigh)


def forget_forms() -> None:
    """Drop the forms that are kept for the next request, and with them what holds the types that they were made of.

    What was compiled of them is kept by each vocabulary: `Vocabulary.forget_constraints`.
    """
    _KEPT.clear()


def find_form(key: Hashable | None, make: Callable[[], Form[Any]]) -> Form[Any]:
    """Return the form of a key, made if it is not kept.

    Without a key it is always made. So it is where a part of the key has no hash: an option is of a wrong type, which
    the maker of the form refuses.
    """
    try:
        hash(key)
    except TypeError:
        return make()
    return make() if key is None else _KEPT.find(key, make)


@dataclass(frozen=True, slots=True, eq=False)
class _Same:
    """Equal only to another one of the same object, which it holds, so that no other object can take its place."""

    what: object

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.what is other.what

    def __hash__(self) -> int:
        return id(self.what)


def key_of_type(type_: Any) -> Hashable | None:
    """What tells a type from others; ``None`` if nothing does with certainty, as for a name that stands for a type.

    Unions are told apart by the order of their members, literals by the types of their values, and a pydantic model by
    what it was built to, which ``model_rebuild`` changes.
    """
    origin, arguments = get_origin(type_), get_args(type_)
    if origin is None:
        is_class = isinstance(type_, type)
        return (_Same(type_), _Same(vars(type_).get("__pydantic_core_schema__"))) if is_class else None
    if origin is Literal:
        return origin, tuple((type(value), value) for value in arguments)
    if origin in (Union, types.UnionType) or isinstance(type_, types.GenericAlias):
        keys = tuple(map(key_of_type, arguments))
        return None if None in keys else (_Same(origin), keys)
    return None
