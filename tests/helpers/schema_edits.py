"""Changes that people make to a schema, by name: each makes a new version, or says that there is no place for it."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterator
from typing import Any

Schema = dict[str, Any]
Edit = Callable[[Schema, random.Random], bool]


def edit_schema(schema: Any, name: str, random_: random.Random) -> Any:
    """A copy of a schema with one edit, ``None`` if it has no place for it."""
    copied = copy.deepcopy(schema)
    places = list(_places(copied))
    random_.shuffle(places)
    return copied if any(EDITS[name](place, random_) for place in places) else None


def _places(schema: Any) -> Iterator[Schema]:
    """The schemas of a document that a value meets by way of its members and items."""
    waiting = [schema]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            yield value
            properties = value.get("properties")
            waiting += properties.values() if isinstance(properties, dict) else ()
            waiting.append(value.get("items"))


def _require(schema: Schema, names: list[str]) -> None:
    """Demand some members; the oldest dialect has no empty list of them."""
    schema.pop("required", None)
    if names:
        schema["required"] = names


def _raise_minimum(schema: Schema, _: random.Random) -> bool:
    if schema.get("type") not in ("integer", "number") or "enum" in schema or "const" in schema:
        return False
    schema["minimum"] = (schema.get("minimum") or 0) + 7
    return True


def _require_a_member(schema: Schema, random_: random.Random) -> bool:
    free = [name for name in schema.get("properties") or () if name not in (schema.get("required") or ())]
    if not free or schema.get("type") != "object":
        return False
    schema["required"] = [*(schema.get("required") or ()), random_.choice(free)]
    return True


def _release_a_member(schema: Schema, _: random.Random) -> bool:
    if not schema.get("required"):
        return False
    _require(schema, schema["required"][:-1])
    return True


def _widen_enum(schema: Schema, _: random.Random) -> bool:
    if not isinstance(schema.get("enum"), list) or not all(isinstance(value, str) for value in schema["enum"]):
        return False
    schema["enum"] = [*schema["enum"], "another choice"]
    return True


def _narrow_enum(schema: Schema, _: random.Random) -> bool:
    if not isinstance(schema.get("enum"), list) or len(set(map(str, schema["enum"]))) < 2:
        return False
    schema["enum"] = schema["enum"][:-1]
    return True


def _close_object(schema: Schema, _: random.Random) -> bool:
    if schema.get("type") != "object" or schema.get("additionalProperties") is False or not schema.get("properties"):
        return False
    schema["additionalProperties"] = False
    return True


def _open_object(schema: Schema, _: random.Random) -> bool:
    if schema.get("additionalProperties") is not False:
        return False
    del schema["additionalProperties"]
    return True


def _integer_to_number(schema: Schema, _: random.Random) -> bool:
    if schema.get("type") != "integer" or "enum" in schema or "const" in schema:
        return False
    schema["type"] = "number"
    return True


def _allow_null(schema: Schema, _: random.Random) -> bool:
    if not isinstance(schema.get("type"), str) or schema["type"] == "null" or "enum" in schema or "const" in schema:
        return False
    schema["type"] = [schema["type"], "null"]
    return True


def _add_member(schema: Schema, _: random.Random) -> bool:
    if not isinstance(schema.get("properties"), dict) or schema.get("additionalProperties") is not False:
        return False
    schema["properties"]["a_new_member"] = {"type": "boolean"}
    return True


def _remove_member(schema: Schema, _: random.Random) -> bool:
    properties = schema.get("properties")
    if not isinstance(properties, dict) or schema.get("additionalProperties") is not False:
        return False
    free = [name for name in properties if name not in (schema.get("required") or ())]
    if not free:
        return False
    del properties[free[0]]
    return True


def _bound_string(schema: Schema, _: random.Random) -> bool:
    if schema.get("type") != "string" or {"enum", "const", "format", "pattern", "maxLength"} & set(schema):
        return False
    schema["maxLength"] = 5
    return True


def _bound_array(schema: Schema, _: random.Random) -> bool:
    if schema.get("type") != "array" or "maxItems" in schema:
        return False
    schema["maxItems"] = (schema.get("minItems") or 0) + 1
    return True


def _split_union(schema: Schema, _: random.Random) -> bool:
    branches = schema.get("anyOf")
    if not isinstance(branches, list) or len(branches) < 2:
        return False
    schema["anyOf"] = branches[:-1]
    return True


def _rename_member(schema: Schema, _: random.Random) -> bool:
    properties = schema.get("properties")
    if not properties or schema.get("additionalProperties") is not False:
        return False
    name = next(iter(properties))
    schema["properties"] = {("renamed" if key == name else key): value for key, value in properties.items()}
    _require(schema, ["renamed" if key == name else key for key in schema.get("required") or ()])
    return True


EDITS: dict[str, Edit] = {
    "a bound moved": _raise_minimum,
    "a member required": _require_a_member,
    "a member no longer required": _release_a_member,
    "an enum widened": _widen_enum,
    "an enum narrowed": _narrow_enum,
    "an object closed": _close_object,
    "an object opened": _open_object,
    "integers become numbers": _integer_to_number,
    "null allowed": _allow_null,
    "a member added": _add_member,
    "a member removed": _remove_member,
    "a member renamed": _rename_member,
    "a string bounded": _bound_string,
    "an array bounded": _bound_array,
    "a union split": _split_union,
}
