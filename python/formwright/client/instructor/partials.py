"""Make incomplete objects of a type, with ``None`` for what is missing.

::

    construct(Person, {"name": "Ad"}).age       # None: it has not arrived

Cost: an object for each snapshot. The objects are not validated, since validation would refuse missing members;
`formwright.incremental.Partial` distinguishes complete from partial, and validates what is complete.
"""

from __future__ import annotations

from types import UnionType
from typing import Any, Union, get_args, get_origin

from formwright._extras import needs

with needs("client", "partial objects"):
    from pydantic import BaseModel

__all__ = ["construct"]


def construct(type_: Any, plain: Any) -> Any:
    """Make an object of a type from plain data that may be incomplete."""
    if isinstance(plain, dict):
        model = _find_model(type_, plain)
        if model is None:
            return plain
        fields = model.model_fields
        given = {name: _find_given(field.alias or name, name, plain) for name, field in fields.items()}
        values = {name: construct(fields[name].annotation, value) for name, value in given.items()}
        return model.model_construct(_fields_set=set(plain), **values)
    if isinstance(plain, list):
        item = next((args[0] for kind in _list_branches(type_) if (args := get_args(kind))), Any)
        return [construct(item, value) for value in plain]
    return plain


def _find_given(alias: str, name: str, plain: dict[str, Any]) -> Any:
    return plain.get(alias, plain.get(name))


def _find_model(type_: Any, plain: dict[str, Any]) -> type[BaseModel] | None:
    """Find the model of an object: the first that declares all of its members."""
    for kind in _list_branches(type_):
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            names = {field.alias or name for name, field in kind.model_fields.items()}
            if plain.keys() <= names:
                return kind
    return None


def _list_branches(type_: Any) -> tuple[Any, ...]:
    """List the types of a union; of another type, itself."""
    return get_args(type_) if get_origin(type_) in (Union, UnionType) else (type_,)
