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

import jsonschema

import formwright as fw
from formwright.providers import Converted, convert

EVERY = 2
"""One schema of so many is tried."""

ALLOWED = {
    "object": {"properties", "required", "additionalProperties"},
    "array": {"items", "minItems", "maxItems"},
    "string": {"enum", "pattern", "format"},
    "number": {"enum", "multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"},
    "boolean": {"enum"},
    "null": {"enum"},
}
ALLOWED["integer"] = ALLOWED["number"]
FORMATS = {"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}


def breaches(root: dict[str, Any]) -> Iterator[str]:
    """Where a schema breaks the rules of OpenAI's strict mode."""
    if root.get("type") != "object" or "anyOf" in root:
        yield "the root"
    for node in [{key: value for key, value in root.items() if key != "$defs"}, *root.get("$defs", {}).values()]:
        yield from breaches_in(root, node, 0)
    if sum(map(len, every(root, "enum"))) > 1000:
        yield "too many enum values"


def every(node: Any, key: str) -> Iterator[Any]:
    if isinstance(node, dict):
        for name, value in node.items():
            if name == key and isinstance(value, list):
                yield value
            yield from every(value, key)
    elif isinstance(node, list):
        for value in node:
            yield from every(value, key)


def breaches_in(root: dict[str, Any], node: dict[str, Any], level: int) -> Iterator[str]:
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
            yield from breaches_in(root, branch, level)
    else:
        types = node.get("type", [])
        types = [types] if isinstance(types, str) else types
        if not types or keys - {"type"} - set.union(*(ALLOWED[kind] for kind in types)):
            yield f"keywords {sorted(keys)}"
        if node.get("format", "date") not in FORMATS:
            yield f"format {node['format']}"
        if "object" in types:
            if node["additionalProperties"] is not False or sorted(node["required"]) != sorted(node["properties"]):
                yield "an open object"
            if level >= 10:
                yield "too deep"
            for member in node["properties"].values():
                yield from breaches_in(root, member, level + 1)
        if "array" in types:
            yield from breaches_in(root, node["items"], level)


class Strict:
    """A schema of the strict subset, to write given instances with and to draw random ones from."""

    def __init__(self, root: dict[str, Any]) -> None:
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
        if isinstance(value, dict) and "properties" in node:
            if value.keys() - node["properties"].keys():
                raise ValueError
            value = {name: self.written(inner, value.get(name)) for name, inner in node["properties"].items()}
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
        if node["type"] == "object":
            return {name: self.drawn(inner, chance, room - 1) for name, inner in node["properties"].items()}
        if node["type"] == "array":
            low = node.get("minItems", 0)
            many = chance.randint(low, max(low, min(node.get("maxItems", 9), low + 2))) if room > 0 else low
            return [self.drawn(node["items"], chance, room - 1) for _ in range(many)]
        if "enum" in node:
            return chance.choice(node["enum"])
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
    validator = jsonschema.validators.validator_for(schema, default=jsonschema.Draft202012Validator)
    return bool(validator(schema).is_valid(value))


def faults(schema: Any, converted: Converted, instances: list[Any]) -> Iterator[str]:
    """What breaks the promises of a conversion."""
    yield from breaches(converted.schema)
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
        if converted.restore(written) != instance and "narrowed" not in kinds:
            yield f"comes back otherwise: {instance} -> {converted.restore(written)}"


def test_the_sample(data: Path) -> None:
    with gzip.open(data / "maskbench" / "sample.jsonl.gz", "rt", encoding="utf-8") as lines:
        cases = [json.loads(line) for number, line in enumerate(lines) if number % EVERY == 0]
    found, done = {}, 0
    for case in cases:
        try:
            converted = convert(case["schema"], to="openai")
        except (fw.errors.SchemaError, fw.errors.LimitExceeded):
            continue
        done += 1
        instances = [test["data"] for test in case["tests"] if test["valid"]]
        if broken := list(faults(case["schema"], converted, instances)):
            found[case["name"]] = broken
    assert not found
    assert done > len(cases) / 2
