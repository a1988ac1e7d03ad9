"""Schemas from the wild, converted: inside the strict subset, and true to the schema both ways.

The subset, the writing of an instance and the drawing of random ones are all said here once
more, without a look at the library; ``jsonschema`` judges validity.
"""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from parameters import slow_except

import formwright as fw
from formwright.schemas.providers import Converted, convert

EVERY = 2
"""One schema of so many is tried."""

OBJECT = {"properties", "required", "additionalProperties"}
BOUNDS = {"multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}
ALLOWED = {
    "openai": {
        "object": OBJECT,
        "array": {"items", "minItems", "maxItems"},
        "string": {"enum", "pattern", "format"},
        "number": {"enum", *BOUNDS},
        "boolean": {"enum"},
        "null": {"enum"},
    },
    "anthropic": {
        "object": OBJECT,
        "array": {"items", "minItems"},
        "string": {"enum", "format"},
        "number": {"enum"},
        "boolean": {"enum"},
        "null": {"enum"},
    },
    "gemini": {
        "object": OBJECT,
        "array": {"items", "minItems", "maxItems"},
        "string": {"enum", "format"},
        "number": {"enum", "minimum", "maximum"},
        "boolean": set(),
        "null": set(),
    },
}
FORMATS = {
    "openai": {"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"},
    "anthropic": {"date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"},
    "gemini": {"date-time", "time", "date"},
}


def breaches(provider: str, root: dict[str, Any]) -> Iterator[str]:
    """Where a schema breaks the rules of a provider."""
    if root.get("type") != "object" or "anyOf" in root:
        yield "the root"
    for node in [{key: value for key, value in root.items() if key != "$defs"}, *root.get("$defs", {}).values()]:
        yield from breaches_in(provider, root, node, 0)
    if provider == "openai" and sum(map(len, every(root, "enum"))) > 1000:
        yield "too many enum values"
    if provider == "anthropic":
        objects = [node for node in nodes(root) if "properties" in node]
        if sum(len(node["properties"]) - len(node["required"]) for node in objects) > 24:
            yield "too many optional properties"
        if sum("anyOf" in node or isinstance(node.get("type"), list) for node in nodes(root)) > 16:
            yield "too many unions"
        if recurs(root, root, ()):
            yield "recursion"


def nodes(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Every schema in a schema."""
    yield node
    inside = [*node.get("properties", {}).values(), *node.get("$defs", {}).values(), *node.get("anyOf", ())]
    inside += [node[key] for key in ("items", "additionalProperties") if isinstance(node.get(key), dict)]
    for inner in inside:
        yield from nodes(inner)


def recurs(root: dict[str, Any], node: dict[str, Any], above: tuple[str, ...]) -> bool:
    """Whether a reference leads back to where it stands."""
    bare = {key: value for key, value in node.items() if key != "$defs"}
    for reference in (inner["$ref"] for inner in nodes(bare) if "$ref" in inner):
        if reference in above or reference == "#":
            return True
        if recurs(root, Strict(root).follow({"$ref": reference}), (*above, reference)):
            return True
    return False


def every(node: Any, key: str) -> Iterator[Any]:
    if isinstance(node, dict):
        for name, value in node.items():
            if name == key and isinstance(value, list):
                yield value
            yield from every(value, key)
    elif isinstance(node, list):
        for value in node:
            yield from every(value, key)


def breaches_in(provider: str, root: dict[str, Any], node: dict[str, Any], level: int) -> Iterator[str]:
    keys = node.keys() - {"title", "description"}
    if "$ref" in node:
        target = node["$ref"]
        known = target == "#" or target.removeprefix("#/$defs/").replace("~1", "/").replace("~0", "~") in root.get(
            "$defs", {}
        )
        yield from () if node.keys() == {"$ref"} and known else (f"reference {node}",)
    elif "anyOf" in node:
        yield from () if keys == {"anyOf"} and node["anyOf"] else (f"union {node}",)
        for branch in node["anyOf"]:
            yield from breaches_in(provider, root, branch, level)
    else:
        types = node.get("type", [])
        types = [types] if isinstance(types, str) else types
        allowed = ALLOWED[provider] | {"integer": ALLOWED[provider]["number"]}
        if not types or keys - {"type"} - set.union(*(allowed[kind] for kind in types)):
            yield f"keywords {sorted(keys)}"
        if node.get("format", "date") not in FORMATS[provider]:
            yield f"format {node['format']}"
        if "object" in types:
            properties, rest = node.get("properties", {}), node["additionalProperties"]
            if provider == "openai" and sorted(node["required"]) != sorted(properties):
                yield "an optional property"
            if rest is not False and not (provider == "gemini" and isinstance(rest, dict)):
                yield "an open object"
            if provider == "openai" and level >= 10:
                yield "too deep"
            for member in [*properties.values(), *([rest] if rest else [])]:
                yield from breaches_in(provider, root, member, level + 1)
        if "array" in types:
            yield from breaches_in(provider, root, node["items"], level)


class Strict:
    """A schema of the strict subset, to write given instances with and to draw random ones from."""

    def __init__(self, root: dict[str, Any]) -> None:
        import jsonschema

        self.root = root
        self.validator = jsonschema.Draft202012Validator(root)

    def follow(self, node: dict[str, Any]) -> dict[str, Any]:
        while "$ref" in node:
            name = node["$ref"].removeprefix("#/$defs/").replace("~1", "/").replace("~0", "~")
            node = self.root if name == "#" else self.root["$defs"][name]
        return node

    def fits(self, node: dict[str, Any], value: Any) -> bool:
        return self.validator.evolve(schema=node).is_valid(value)

    def written(self, node: dict[str, Any], value: Any) -> Any:
        """``value`` with a null for each property that is not there; raises ValueError if it cannot be written."""
        node = self.follow(node)
        for branch in node.get("anyOf", ()):
            try:
                return self.written(branch, value)
            except ValueError:
                continue
        if "anyOf" in node:
            raise ValueError
        if isinstance(value, dict) and node.get("type") == "object":
            inside = node.get("properties", {})
            absent = {name: None for name in node["required"] if name not in value}
            rest = node["additionalProperties"] or {"not": {}, "type": "null"}
            value = {name: self.written(inside.get(name, rest), inner) for name, inner in (value | absent).items()}
        elif isinstance(value, list) and "items" in node:
            value = [self.written(node["items"], item) for item in value]
        if not self.fits(node, value):
            raise ValueError
        return value

    def drawn(self, node: dict[str, Any], chance: random.Random, room: int = 12) -> Any:
        """A random instance; with no room left, the last branch - the null - is taken."""
        node = self.follow(node)
        if "anyOf" in node:
            return self.drawn(chance.choice(node["anyOf"]) if room > 0 else node["anyOf"][-1], chance, room - 1)
        if "enum" in node:
            return chance.choice(node["enum"])
        if isinstance(node["type"], list):
            return self.drawn(node | {"type": node["type"][-1]}, chance, room)
        if node["type"] == "object":
            inside = node.get("properties", {})
            kept = [name for name in inside if name in node["required"] or (room > 0 and chance.random() < 0.5)]
            drawn = {name: self.drawn(inside[name], chance, room - 1) for name in kept}
            if node["additionalProperties"] and room > 0:
                drawn["of another name"] = self.drawn(node["additionalProperties"], chance, room - 1)
            return drawn
        if node["type"] == "array":
            low = node.get("minItems", 0)
            many = chance.randint(low, max(low, min(node.get("maxItems", 9), low + 2))) if room > 0 else low
            return [self.drawn(node["items"], chance, room - 1) for _ in range(many)]
        if "format" in node:
            return json.loads(fw.json_schema(node).example())
        plain = {
            "string": ["", "a", "Zürich 8"],
            "integer": [0, 1, -7],
            "number": [0, 0.5, 1e-9],
            "boolean": [True, False],
        }
        fitting = [value for value in plain.get(node["type"], [None]) if self.fits(node, value)]
        return chance.choice([*fitting, json.loads(fw.json_schema(node).example())])


def valid(schema: Any, value: Any) -> bool:
    import jsonschema

    validator = jsonschema.validators.validator_for(schema, default=jsonschema.Draft202012Validator)
    return bool(validator(schema).is_valid(value))


def faults(provider: str, schema: Any, converted: Converted, instances: list[Any]) -> Iterator[str]:
    """What breaks the promises of a conversion."""
    yield from breaches(provider, converted.schema)
    fw.json_schema(converted.schema)
    kinds = {note.kind for note in converted.notes}
    strict, chance = Strict(converted.schema), random.Random(0)
    for _ in range(5):
        try:
            drawn = strict.drawn(converted.schema, chance)
        except RecursionError:  # drawn without end
            continue
        assert strict.fits(converted.schema, drawn)
        try:
            if not valid(schema, restored := converted.restore(drawn)):
                yield f"restored to an invalid instance: {drawn} -> {restored}"
        except fw.errors.OutputInvalid as error:
            if "checked" not in kinds:
                yield f"nothing is to be checked, yet: {drawn}: {error}"
    for instance in instances:
        try:
            written = strict.written(converted.schema, instance)
        except ValueError:
            if "narrowed" not in kinds:
                yield f"nothing is narrowed, yet cannot be written: {instance}"
            continue
        try:
            restored = converted.restore(written)
        except fw.errors.OutputInvalid as error:
            restored = error
        if restored != instance and "narrowed" not in kinds:
            yield f"comes back otherwise: {instance} -> {restored}"


@pytest.mark.parametrize(
    ("provider", "least"), [("openai", 0.5), *slow_except([], [("anthropic", 0.3), ("gemini", 0.5)])]
)
def test_the_sample(provider: str, least: float, data: Path) -> None:
    with gzip.open(data / "maskbench" / "sample.jsonl.gz", "rt", encoding="utf-8") as lines:
        cases = [json.loads(line) for number, line in enumerate(lines) if number % EVERY == 0]
    found, done = {}, 0
    for case in cases:
        try:
            converted = convert(case["schema"], to=provider)
        except (fw.errors.SchemaError, fw.errors.LimitExceeded):
            continue
        done += 1
        instances = [test["data"] for test in case["tests"] if test["valid"]]
        if broken := list(faults(provider, case["schema"], converted, instances)):
            found[case["name"]] = broken
    assert not found
    assert done > least * len(cases)
