"""Schemas of the strict subset: how they are put together, walked and measured.

::

    any_of([{"type": "string"}, None, {"type": "null"}])    # {'anyOf': [{'type': 'string'}, {'type': 'null'}]}

``None`` stands for the schema that allows nothing: a branch that is not there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

from formwright.errors import LimitExceeded
from formwright.forms.pointers import escape_step
from formwright.schemas.providers.places import Node
from formwright.schemas.providers.rules import ANNOTATIONS, Provider

__all__ = ["ABSENT", "absent", "any_of", "check_limits", "kind_of", "nullable", "optional"]

ABSENT: Node = {"type": "null"}
"""The null of a property that was left out: this very object."""


def any_of(nodes: Iterable[Node | None]) -> Node | None:
    """One of ``nodes``; unions without a description of their own are opened."""
    branches: list[Node] = []
    for node in nodes:
        if node is not None:
            branches += node["anyOf"] if node.keys() == {"anyOf"} else [node]
    return {"anyOf": branches} if len(branches) > 1 else branches[0] if branches else None


def optional(node: Node) -> Node:
    """``node`` or ``ABSENT``; what is said to a reader stays outside."""
    outside = {key: node[key] for key in ANNOTATIONS if key in node}
    inside = {key: value for key, value in node.items() if key not in outside}
    return {**outside, "anyOf": [*inside.get("anyOf", [inside]), ABSENT]}


def nullable(node: Node, definitions: dict[str, Node], seen: frozenset[str] = frozenset()) -> bool:
    """Whether ``node`` allows null."""
    if "$ref" in node:
        name = node["$ref"]
        return name in definitions and name not in seen and nullable(definitions[name], definitions, seen | {name})
    branches = node.get("anyOf", ())
    return "null" in node.get("type", ()) or any(nullable(branch, definitions, seen) for branch in branches)


def kind_of(value: Any) -> str:
    """The narrowest type of a scalar."""
    if isinstance(value, float):
        return "integer" if value.is_integer() else "number"
    return {bool: "boolean", int: "integer", str: "string"}.get(type(value), "null")


def walk(node: Node, pointer: str = "", level: int = 0) -> Iterator[tuple[str, Node, int]]:
    """Every schema inside ``node`` with its pointer and how many objects deep it is; definitions start anew."""
    level += "properties" in node
    yield pointer, node, level
    for name, member in node.get("properties", {}).items():
        yield from walk(member, f"{pointer}/properties/{escape_step(name)}", level)
    for number, branch in enumerate(node.get("anyOf", ())):
        yield from walk(branch, f"{pointer}/anyOf/{number}", level)
    for keyword in ("items", "additionalProperties"):
        if isinstance(node.get(keyword), dict):
            yield from walk(node[keyword], f"{pointer}/{keyword}", level)
    for name, definition in node.get("$defs", {}).items():
        yield from walk(definition, f"{pointer}/$defs/{escape_step(name)}")


def absent(schema: Node) -> frozenset[str]:
    """Pointers of the properties that `optional` made."""
    return frozenset(
        f"{pointer}/properties/{escape_step(name)}"
        for pointer, node, _ in walk(schema)
        for name, member in node.get("properties", {}).items()
        if "anyOf" in member and member["anyOf"][-1] is ABSENT
    )


def check_limits(schema: Node, provider: Provider) -> None:
    """Refuse a schema that is larger than ``provider`` takes."""
    for limit, value in _sizes(schema).items():
        allowed = provider.limits.get(limit, value)
        if value > allowed:
            message = f"the converted schema is too large: {value} {limit}, and {provider.name} takes {allowed}"
            hint = "split the schema, and ask for its parts one by one"
            raise LimitExceeded(message, hint=hint, limit=limit, value=value, allowed=allowed)


def _sizes(schema: Node) -> dict[str, int]:
    nodes = [node for _, node, _ in walk(schema)]
    names = [name for node in nodes for name in chain(node.get("properties", ()), node.get("$defs", ()))]
    enums = [node["enum"] for node in nodes if "enum" in node]
    texts = [[value for value in values if isinstance(value, str)] for values in enums]
    long = [text for text in texts if len(text) > 250]
    return {
        "properties": sum(len(node.get("properties", ())) for node in nodes),
        "levels of objects": max(level for _, _, level in walk(schema)),
        "characters of names and values": sum(map(len, chain(names, *texts))),
        "enum values": sum(map(len, enums)),
        "optional properties": sum(
            len(node["properties"].keys() - set(node["required"])) for node in nodes if "properties" in node
        ),
        "unions": sum("anyOf" in node or isinstance(node.get("type"), list) for node in nodes),
        "characters of an enum of more than 250 strings": max(sum(map(len, text)) for text in [[], *long]),
    }
