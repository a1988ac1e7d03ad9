"""Schemas that hurt: many keys, late choices, long counters, patterns, deep nesting. Texts are made beside them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from cases import MARK, Case

STRING, INTEGER, NUMBER = {"type": "string"}, {"type": "integer"}, {"type": "number"}
PROSE = "It was the best of times, it was the worst of times, it was the age of wisdom. "


def cases() -> Iterator[Case]:
    """All of them, in the order of the table."""
    yield from _keys()
    yield from _choices()
    yield from _recursion()
    yield from _strings()
    yield from _patterns()
    yield from _numbers()


def _case(name: str, schema: Any, *valid: Any, invalid: tuple[str, ...]) -> Case:
    return Case(name, "json_schema", json.dumps(schema), [json.dumps(value) for value in valid], invalid)


def _object(properties: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, **more}


def _closed(properties: dict[str, Any]) -> dict[str, Any]:
    return _object(properties, required=list(properties), additionalProperties=False)


def _keys() -> Iterator[Case]:
    kinds = (STRING, INTEGER, {"type": "boolean"}, NUMBER)
    values = ("some text", 42, True, 2.5)
    names = [f"field_{index}_{'abcdefgh'[index % 8] * 3}" for index in range(500)]
    properties = {name: kinds[index % 4] for index, name in enumerate(names)}
    some = {name: values[index % 4] for index, name in enumerate(names) if index % 7 == 0}
    first = f'{{"{names[0]}": '
    closed = _object(properties, additionalProperties=False)
    yield _case("500 optional keys, closed", closed, some, invalid=(f'{{"field_{MARK}x": 1}}', first + MARK + "1}"))
    other = {**some, "other": {"x": [1, 2]}}
    yield _case("500 optional keys, open", _object(properties), other, invalid=(first + MARK + "1}",))
    needed = {name: properties[name] for name in names[:200]}
    everything = {name: values[index % 4] for index, name in enumerate(needed)}
    yield _case(
        "200 required keys", _closed(needed), everything, invalid=("{" + MARK + "}", first + '"x"' + MARK + "}")
    )


def _choices() -> Iterator[Case]:
    names = [f"value-{index}-{'xyz'[index % 3]}{index * index}" for index in range(1000)]
    enum = _closed({"a": {"enum": names}, "b": {"enum": names}})
    yield _case(
        "enum of 1000 strings", enum, {"a": names[777], "b": names[13]}, invalid=('{"a": "value-' + MARK + 'x"}',)
    )
    for count in (10, 50, 200):
        yield _late(count)
    kinds = [_closed({"kind": {"const": f"kind{i}"}, f"field{i}": STRING, "size": INTEGER}) for i in range(100)]
    good = {"kind": "kind57", "field57": "some text", "size": 3}
    wrong = '{"kind": "kind57", "field5' + MARK + '8": ""}'
    yield _case(
        "anyOf 100, discriminator first",
        {"type": "array", "items": {"anyOf": kinds}},
        [good] * 5,
        invalid=("[" + wrong,),
    )


def _late(count: int) -> Case:
    common = {"id": INTEGER, "name": STRING, "tags": {"type": "array", "items": STRING}}
    options = [_closed({**common, "kind": {"const": f"kind{i}"}, f"field{i}": STRING}) for i in range(count)]
    start = {"id": 17, "name": "a name", "tags": ["red", "green"]}
    good = [{**start, "kind": f"kind{i}", f"field{i}": "some text"} for i in (count // 2, count - 1, 3)]
    wrong = '[{"id": 1, "name": "", "tags": [], "kind": "kind3", "field' + MARK + '4": ""}]'
    return _case(
        f"anyOf {count}, discriminator last", {"type": "array", "items": {"anyOf": options}}, good, invalid=(wrong,)
    )


def _recursion() -> Iterator[Case]:
    node = _object({"value": INTEGER, "children": {"type": "array", "items": {"$ref": "#/$defs/node"}}})
    tree = {"$defs": {"node": {**node, "required": ["value"], "additionalProperties": False}}, "$ref": "#/$defs/node"}
    yield _case(
        "recursive tree",
        tree,
        _tree(5),
        invalid=('{"value": ' + MARK + '"x"}', '{"value": 1, "child' + MARK + '": []}'),
    )
    deep: Any = {"x": [1, True, None, "text"]}
    for level in range(30):
        deep = {"k": [deep, level]}
    yield _case("any JSON, depth 60", {}, deep, invalid=('{"a": [1, 2' + MARK + "}", "[" * 60 + MARK))
    nested = {"type": "array", "items": {"$ref": "#/$defs/a"}}
    twice = {"$defs": {"a": {"anyOf": [nested, {**nested, "maxItems": 3}, INTEGER]}}, "$ref": "#/$defs/a"}
    for depth in (14, 40):
        brackets = "[" * depth + "1" + "]" * depth
        yield Case(
            f"ambiguous recursion, depth {depth}", "json_schema", json.dumps(twice), [brackets], [brackets + MARK + "]"]
        )


def _tree(depth: int) -> dict[str, Any]:
    return {"value": depth, "children": [_tree(depth - 1)] * 2} if depth else {"value": 0}


def _strings() -> Iterator[Case]:
    text = (PROSE * 3)[:150]
    short = '{"a": "' + text[:49] + MARK + '"}'
    long = '{"a": "' + "x, " * 66 + "x, "[:2] + MARK + ', x"}'
    bounded = _closed({"a": {**STRING, "minLength": 50, "maxLength": 200}})
    yield _case("minLength 50, maxLength 200", bounded, {"a": text}, invalid=(short, long))
    lengths = {f"s{index}": {**STRING, "maxLength": 10 + 7 * index} for index in range(30)}
    texts = {name: (PROSE * 3)[: bound["maxLength"] - 3] for name, bound in lengths.items()}
    yield _case(
        "30 strings with different maxLength", _closed(lengths), texts, invalid=('{"s0": "0123456789' + MARK + 'abc"',)
    )
    large = _closed({"a": {**STRING, "maxLength": 10_000}})
    yield _case("maxLength 10000", large, {"a": PROSE * 12}, invalid=('{"a": "' + "ab" * 5_000 + MARK + 'a"}',))


def _patterns() -> Iterator[Case]:
    word = _closed({"a": {**STRING, "pattern": "^[a-zA-Z0-9_]{1,64}$"}})
    yield _case(
        "pattern ^[a-zA-Z0-9_]{1,64}$",
        word,
        {"a": "snake_case_identifier_No_17_of_the_module"},
        invalid=('{"a": "x' + MARK + ' y"}',),
    )
    spaced = _closed({"a": {**STRING, "pattern": r"^\S+( \S+)*$"}})
    yield _case(
        r"pattern ^\S+( \S+)*$",
        spaced,
        {"a": PROSE.strip()},
        invalid=('{"a": "x ' + MARK + '"}', '{"a": "' + MARK + ' x"}'),
    )
    yield _formats()
    search = _closed({"a": {**STRING, "pattern": "[0-9]{3}-[0-9]{4}"}})
    yield _case(
        "unanchored pattern (search)",
        search,
        {"a": "call 555-1234 or else 555-9876 now"},
        invalid=('{"a": "call 555-12' + MARK + '"}',),
    )


def _formats() -> Case:
    texts = {
        "date": "2024-02-29",
        "time": "23:59:58Z",
        "date-time": "2024-02-29T12:30:00Z",
        "email": "jane.doe@example.com",
        "uuid": "123e4567-e89b-12d3-a456-426614174000",
        "ipv4": "192.168.0.254",
        "ipv6": "2001:db8::8a2e:370:7334",
        "uri": "https://example.com/a/b?c=d#e",
    }
    schema = _closed({name: {**STRING, "format": name} for name in texts})
    return _case(
        "8 string formats",
        schema,
        texts,
        invalid=('{"date": "2024-1' + MARK + '3-01"}', '{"date": "2024-12-3' + MARK + '"}'),
    )


def _numbers() -> Iterator[Case]:
    ranges = {
        "a": {**INTEGER, "minimum": 0, "maximum": 255},
        "b": {**INTEGER, "minimum": -273, "maximum": 1_000_000},
        "c": {**NUMBER, "minimum": 0, "maximum": 1},
        "d": {**NUMBER, "exclusiveMinimum": -1.5, "exclusiveMaximum": 1.5},
    }
    values = {"a": 254, "b": -272, "c": 0.125, "d": -1.25}
    yield _case("number ranges", _closed(ranges), values, invalid=('{"a": 25' + MARK + "6", '{"a": ' + MARK + "-1"))
    item = _closed({"id": INTEGER, "name": STRING, "price": NUMBER})
    items = [{"id": index, "name": f"item {index}", "price": index / 4} for index in range(200)]
    bounded = {"type": "array", "items": item, "maxItems": 1000}
    yield _case(
        "array of 200 objects, maxItems 1000",
        bounded,
        items,
        invalid=('[{"id": 1, "name": "x", "price": 2.5' + MARK + "]",),
    )
