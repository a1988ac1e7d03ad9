"""Random JSON Schemas of all keywords, deep inside each other, and values to offer to them.

::

    schema = Maker(random.Random(7)).document()
    for instance in candidates(schema, random.Random(7)): ...
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from typing import Any

PATTERNS = {
    "^a": r"\Aa",
    "b$": r"b(?![\s\S])",
    "^[ab]*$": r"\A[ab]*(?![\s\S])",
    "^a.b$": r"\Aa[^\n\r\u2028\u2029]b(?![\s\S])",
    r"\d": "[0-9]",
    r"^\w{1,3}$": r"\A[a-zA-Z0-9_]{1,3}(?![\s\S])",
    "a|x": "a|x",
    "^(?!a)": r"\A(?!a)",
    "[^a]": "[^a]",
    "^$": r"\A(?![\s\S])",
    "^(ab|ba)+$": r"\A(ab|ba)+(?![\s\S])",
}
"""What is written in schemas, and the same for Python's ``re`` and Rust's regular expressions."""

FORMATS = ["date", "ipv4", "uuid", "date-time", "ipv6", "json-pointer"]

NAMES = ["a", "b", "ab", "x", "", "1"]

FURTHER_NAMES = [f"n{index}" for index in range(8)]

TEXTS = ["", "a", "b", "ab", "ba", "x", "abab", "a\nb", "é😀", "1", "2024-02-29", "127.0.0.1", "/a", "b\n", 'q"\\']

NUMBERS = [0, 1, -1, 2, 3, 5, 6, 10, 0.5, -2.5, 1.25, 100, 2**53, 0.1, 7]

TYPES = ["null", "boolean", "integer", "number", "string", "array", "object"]

SCALARS = [None, True, False, *NUMBERS, *TEXTS]


def value(chance: random.Random, depth: int = 2) -> Any:
    """A random value."""
    if depth == 0 or chance.random() < 0.4:
        return chance.choice(SCALARS)
    if chance.random() < 0.5:
        return [value(chance, depth - 1) for _ in range(chance.randrange(4))]
    return {name: value(chance, depth - 1) for name in chance.sample(NAMES, chance.randrange(4))}


class Maker:
    """Random schemas."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.definitions = [f"d{index}" for index in range(chance.choice([0, 0, 0, 1, 2]))]
        self.reach = 0
        """Definitions before this one may not be referred to in place: they lead here."""

    def document(self) -> Any:
        """A schema with its definitions."""
        depth = self.chance.choice([1, 2, 2, 3, 3, 4])
        schema = self.schema(depth)
        while not isinstance(schema, dict):
            schema = self.schema(depth)
        definitions = {}
        for index, name in enumerate(self.definitions):
            self.reach = index + 1
            definitions[name] = self.schema(depth - 1)
        return schema | ({"$defs": definitions} if definitions else {})

    def schema(self, depth: int) -> Any:
        """A schema with so many levels below it."""
        if self.chance.random() < 0.1:
            return self.chance.choice([True, True, False, {}])
        parts = [self.types, self.numbers, self.strings, self.constants]
        if depth > 0:
            parts += [self.arrays, self.objects, self.combinations, self.combinations, self.conditions, self.reference]
            parts += [self.many_conditions, self.unique_containers] * (self.chance.random() < 0.3)
        made: dict[str, Any] = {}
        for part in self.chance.choices(parts, k=self.chance.choice([1, 1, 2, 2, 3])):
            made |= part(depth - 1)
        return made

    def child(self, depth: int) -> Any:
        """A schema of a member or an item: it may refer to anything."""
        if self.chance.random() < 0.08:
            return {"$ref": self.chance.choice(["#", *(f"#/$defs/{name}" for name in self.definitions)])}
        return self.schema(depth)

    def some(self, keywords: dict[str, Callable[[], Any]]) -> dict[str, Any]:
        """Some of these keywords."""
        chosen = self.chance.sample(sorted(keywords), self.chance.choice([1, 1, 2, min(3, len(keywords))]))
        return {keyword: keywords[keyword]() for keyword in chosen}

    def types(self, depth: int) -> dict[str, Any]:
        several = self.chance.random() < 0.3
        return {"type": self.chance.sample(TYPES, 2) if several else self.chance.choice(TYPES)}

    def numbers(self, depth: int) -> dict[str, Any]:
        bounds = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"]
        made: dict[str, Callable[[], Any]] = {bound: lambda: self.chance.choice(NUMBERS) for bound in bounds}
        return self.some(made | {"multipleOf": lambda: self.chance.choice([1, 2, 3, 0.5, 0.25, 10])})

    def strings(self, depth: int) -> dict[str, Any]:
        return self.some(
            {
                "minLength": lambda: self.chance.randrange(4),
                "maxLength": lambda: self.chance.randrange(6),
                "pattern": lambda: self.chance.choice(sorted(PATTERNS)),
                "format": lambda: self.chance.choice(FORMATS),
            }
        )

    def constants(self, depth: int) -> dict[str, Any]:
        if self.chance.random() < 0.5:
            return {"const": value(self.chance)}
        return {"enum": [value(self.chance, 1) for _ in range(self.chance.randint(1, 4))]}

    def arrays(self, depth: int) -> dict[str, Any]:
        made = self.some(
            {
                "items": lambda: self.child(depth),
                "prefixItems": lambda: [self.child(depth) for _ in range(self.chance.randint(1, 3))],
                "contains": lambda: self.child(depth),
                "minItems": lambda: self.chance.randrange(4),
                "maxItems": lambda: self.chance.randrange(5),
                "unevaluatedItems": lambda: self.child(depth),
                "uniqueItems": lambda: True,
            }
        )
        if "contains" in made and self.chance.random() < 0.5:
            made |= self.some({key: lambda: self.chance.randrange(4) for key in ("minContains", "maxContains")})
        if made.get("uniqueItems") and self.chance.random() < 0.7:
            made["items"] = {"type": self.chance.choice(["integer", "string", "boolean", "number"])}
        return made

    def objects(self, depth: int) -> dict[str, Any]:
        def some_names(most: int) -> list[str]:
            return self.chance.sample(NAMES, self.chance.randint(1, most))

        return self.some(
            {
                "properties": lambda: {name: self.child(depth) for name in some_names(3)},
                "patternProperties": lambda: {
                    pattern: self.child(depth) for pattern in self.chance.sample(sorted(PATTERNS), 1)
                },
                "additionalProperties": lambda: self.child(depth),
                "required": lambda: some_names(3),
                "minProperties": lambda: self.chance.randrange(4),
                "maxProperties": lambda: self.chance.randrange(4),
                "propertyNames": lambda: self.child(depth),
                "dependentRequired": lambda: {name: some_names(2) for name in some_names(2)},
                "dependentSchemas": lambda: {name: self.schema(depth) for name in some_names(2)},
                "unevaluatedProperties": lambda: self.child(depth),
            }
        )

    def combinations(self, depth: int) -> dict[str, Any]:
        keyword = self.chance.choice(["allOf", "anyOf", "oneOf", "not"])
        if keyword == "not":
            return {"not": self.schema(depth)}
        return {keyword: [self.schema(depth) for _ in range(self.chance.randint(1, 3))]}

    def conditions(self, depth: int) -> dict[str, Any]:
        branches = self.chance.choice([["then"], ["else"], ["then", "else"]])
        return {keyword: self.schema(depth) for keyword in ["if", *branches]}

    def many_conditions(self, depth: int) -> dict[str, Any]:
        """So many conditions on the members of one object that alternatives cannot be multiplied out."""
        names = [*NAMES[:3], *FURTHER_NAMES[: self.chance.choice([2, 4, 8])]]
        texts = self.chance.sample(TEXTS, 4)
        values = [{"const": text} for text in texts] + [self.schema(0) for _ in range(2)]
        values += [{"enum": self.chance.sample(texts, self.chance.randint(2, 3))} for _ in range(3)]

        def part(depth: int = 2) -> Any:
            """What one condition says of one or two members, now and then through what joins such parts."""
            if depth and self.chance.random() < 0.2:
                joined = [part(depth - 1) for _ in range(self.chance.randint(1, 3))]
                keyword = self.chance.choice(["allOf", "anyOf", "oneOf", "not"])
                return {keyword: joined[0] if keyword == "not" else joined}
            some = self.chance.sample(names, self.chance.choice([1, 1, 2]))
            pattern = self.chance.choice(sorted(PATTERNS))
            return self.chance.choice(
                [
                    {"required": some},
                    {"properties": {name: self.chance.choice(values) for name in some}},
                    {"required": some[:1], "properties": {some[-1]: self.chance.choice(values)}},
                    {"properties": {some[0]: False}},
                    {"minProperties": self.chance.randrange(1, 4)},
                    {"patternProperties": {pattern: self.chance.choice(values)}},
                    {"properties": {some[0]: True}, "additionalProperties": self.chance.choice([False, *values])},
                ]
            )

        def condition() -> Any:
            kinds = [
                lambda: {"not": part()},
                lambda: {"anyOf": [part(), part()]},
                lambda: {"if": part(), "then": part()},
                lambda: {"if": part(), "then": part(), "else": part()},
                lambda: {"dependentSchemas": {self.chance.choice(names): part()}},
            ]
            return self.chance.choice(kinds)()

        keyword = self.chance.choice(["allOf", "allOf", "anyOf", "oneOf"])
        count = self.chance.choice([5, 5, 6, 8, 12, 20, 40])
        made = {"type": "object", keyword: [condition() if keyword == "allOf" else part() for _ in range(count)]}
        if self.chance.random() < 0.3:
            made["unevaluatedProperties"] = self.chance.choice([False, *values])
        return made | (self.objects(depth) if self.chance.random() < 0.3 else {})

    def unique_containers(self, depth: int) -> dict[str, Any]:
        """An array of items that must differ, mostly of so few values that a text can use them up."""

        def few(depth: int) -> Any:
            """A schema of few values."""
            scalars = [
                lambda: {"enum": self.chance.sample([0, 1, True, None, "a", "b", "", 0.5], self.chance.randint(1, 3))},
                lambda: {"type": "boolean"},
                lambda: {"type": "string", "pattern": "^[ab]*$", "maxLength": self.chance.randrange(3)},
                lambda: {"type": "integer", "minimum": 0, "maximum": self.chance.randrange(4)},
                lambda: {"type": self.chance.choice(["string", "number", "integer"])},
            ]
            if depth == 0:
                return self.chance.choice(scalars)()
            inside = {name: few(depth - 1) for name in self.chance.sample(NAMES[:4], self.chance.randint(1, 3))}
            required = self.chance.sample(sorted(inside), self.chance.randint(0, len(inside)))
            unique = {"uniqueItems": True} if self.chance.random() < 0.5 else {}
            containers = [
                lambda: {"type": "object", "properties": inside, "required": required, "additionalProperties": False},
                lambda: {"type": "object", "properties": inside, "required": required},
                lambda: {"type": "object", "additionalProperties": few(0), "maxProperties": 2},
                lambda: {"type": "array", "items": few(depth - 1), "maxItems": self.chance.randrange(4)} | unique,
                lambda: {"anyOf": [few(0), few(depth - 1)]},
            ]
            return self.chance.choice(containers)()

        made: dict[str, Any] = {"type": "array", "items": few(self.chance.choice([1, 1, 2])), "uniqueItems": True}
        if self.chance.random() < 0.5:
            made |= self.some({key: lambda: self.chance.randrange(5) for key in ("minItems", "maxItems")})
        if self.chance.random() < 0.2:
            made["prefixItems"] = [few(1) for _ in range(self.chance.randint(1, 2))]
        if self.chance.random() < 0.15:
            made["contains"] = few(1)
        return made

    def reference(self, depth: int) -> dict[str, Any]:
        names = self.definitions[self.reach :]
        return {"$ref": f"#/$defs/{self.chance.choice(names)}"} if names else self.types(depth)


def constants(schema: Any) -> Iterator[Any]:
    """The values that stand in a schema."""
    if isinstance(schema, dict):
        for key, inner in schema.items():
            if key == "const":
                yield inner
            elif key == "enum" and isinstance(inner, list):
                yield from inner
            else:
                yield from constants(inner)
    elif isinstance(schema, list):
        for inner in schema:
            yield from constants(inner)
    elif isinstance(schema, int | float) and not isinstance(schema, bool):
        yield from (schema, schema + 1, schema - 1, schema + 0.5)


def candidates(schema: Any, chance: random.Random, count: int = 15) -> Iterator[Any]:
    """Values to offer: those in the schema, scalars, and random ones with these inside."""
    inside = [whole(constant) for constant in constants(schema)]
    yield from inside[:count]
    yield from chance.sample(SCALARS, min(count, len(SCALARS)))
    yield from ([], {})
    some = [*SCALARS, *inside]
    written = json.dumps(schema)
    names = NAMES + [name for name in FURTHER_NAMES if f'"{name}"' in written]
    for _ in range(count):
        made = value(chance, 3)
        if isinstance(made, list) and chance.random() < 0.3:
            made += [chance.choice(made)] if made else []
        elif isinstance(made, list) and chance.random() < 0.5:
            made = [chance.choice(some) for _ in range(chance.randint(1, 4))]
        elif isinstance(made, dict) and chance.random() < 0.5:
            made = {name: chance.choice(some) for name in chance.sample(names, chance.randint(1, 4))}
        yield whole(made)


def whole(instance: Any) -> Any:
    """``instance`` with 1 for 1.0, as integers are written."""
    if isinstance(instance, dict):
        return {name: whole(inner) for name, inner in instance.items()}
    if isinstance(instance, list):
        return [whole(inner) for inner in instance]
    return int(instance) if isinstance(instance, float) and instance.is_integer() else instance


def with_less(schema: Any) -> Iterator[Any]:
    """``schema`` with one part taken out or put in the place of what it is part of."""
    if isinstance(schema, dict):
        for key in schema:
            yield {other: inner for other, inner in schema.items() if other != key}
        for inner in schema.values():
            if isinstance(inner, dict) and "$ref" not in json.dumps(inner):
                yield inner
        for key, inner in schema.items():
            for less in with_less(inner):
                yield schema | {key: less}
    elif isinstance(schema, list):
        for at, inner in enumerate(schema):
            yield [*schema[:at], *schema[at + 1 :]]
            yield from ([*schema[:at], less, *schema[at + 1 :]] for less in with_less(inner))
