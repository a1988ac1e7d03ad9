"""Numbers that readers with decimals, with doubles, and with both read alike, and the option that leaves that out.

Python's ``json`` is the reader with both: exact integers, and doubles for what has a point or an exponent.
"""

from __future__ import annotations

import json
import pickle
import random
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

import formwright as fw
from formwright import allowed_tokens, errors

TINY = "3E-891"
FAR = "9380122942321427900.751"
READERS: dict[str, Callable[[str], Any]] = {
    "decimals": lambda text: json.loads(text, parse_float=Decimal, parse_int=Decimal),
    "doubles": lambda text: json.loads(text, parse_int=float),
    "Python": json.loads,
}


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        ({"exclusiveMinimum": 0}, TINY),
        ({"exclusiveMaximum": 0}, "-" + TINY),
        ({"not": {"const": 0}}, TINY),
        ({"not": {"type": "integer"}}, FAR),
        ({"not": {"multipleOf": 0.5}}, "1234567890123456.3"),
        ({"type": "number", "exclusiveMaximum": 1}, "0.99999999999999999"),
        ({"type": "number", "exclusiveMaximum": 1}, "9.99999999999999999e-1"),
        ({"type": "integer", "exclusiveMaximum": 9007199254740993}, "9007199254740992"),
        ({"type": "integer", "multipleOf": 3}, "9007199254740993"),
        ({"oneOf": [{"const": 0.1}, {"const": 0.2}, {"exclusiveMinimum": 0.2}]}, "0.20000000000000001"),
        ({"type": "array", "uniqueItems": True, "items": {"type": "number"}}, "[0.1,0.10000000000000001]"),
        ({"type": "array", "contains": {"exclusiveMinimum": 0}}, f"[{TINY}]"),
        ({}, "1e999"),
        ({}, TINY),
        ({"type": "number"}, "-1.8e308"),
        ({"type": "number", "minimum": 5}, "1e309"),
    ],
)
def test_what_doubles_do_not_obey_is_written_for_decimals_only(schema: Any, text: str) -> None:
    assert not fw.json_schema(schema).matches(text)
    assert fw.json_schema(schema, numbers="exact").matches(text)


EMPTY_FOR_DOUBLES = [
    '{"enum": [1e-350], "exclusiveMinimum": 0}',
    '{"enum": [9007199254740992], "exclusiveMaximum": 9007199254740993}',
    '{"type": "integer", "exclusiveMinimum": 9007199254740992, "maximum": 9007199254740993}',
    '{"oneOf": [{"const": 0.1}, {"const": 0.1000000000000000055}]}',
    '{"const": 1e309}',
    '{"type": "number", "multipleOf": 3, "exclusiveMinimum": 9007199254740992}',
]


@pytest.mark.parametrize("schema", EMPTY_FOR_DOUBLES)
def test_a_schema_without_a_number_for_doubles_is_refused_with_a_hint(schema: str) -> None:
    with pytest.raises(errors.UnsupportedKeyword, match="read as a double") as raised:
        fw.json_schema(schema)
    assert 'numbers="exact"' in (raised.value.hint or "")
    assert fw.json_schema(schema, numbers="exact").example()


def test_alternatives_are_told_apart_as_doubles() -> None:
    schema = {"oneOf": [{"type": "number", "maximum": 2**53}, {"type": "number", "minimum": 2**53 + 1}]}
    for text, double, exact in [
        ("9007199254740992", False, True),
        ("9007199254740991", True, True),
        ("1e300", True, True),
    ]:
        assert fw.json_schema(schema).matches(text) is double
        assert fw.json_schema(schema, numbers="exact").matches(text) is exact


@pytest.mark.parametrize("value", [0.1 + 0.2, 1e-7, 5e-323, 1.7976931348623157e308, 2**63, -(10**23), 1e22, 0.0, -0.0])
@pytest.mark.parametrize("schema", [{}, {"type": "number"}, {"type": ["number", "null"]}])
def test_every_value_of_python_is_written(schema: Any, value: float) -> None:
    assert fw.json_schema(schema).matches(json.dumps(value))
    assert fw.json().matches(json.dumps(value))


def test_constants_are_spelled_as_python_compares_them() -> None:
    for text in ("1e23", "100000000000000000000000", "1e22", "9007199254740993", "-1.5e300"):
        assert json.loads(fw.json_schema(f'{{"const": {text}}}').example()) == json.loads(text)


def test_any_json_takes_the_option() -> None:
    assert not fw.json().matches("1e999")
    assert fw.json(numbers="exact").matches("1e999")


def test_the_option_is_stored_and_said() -> None:
    form = fw.json_schema({"type": "number"}, numbers="exact")
    assert pickle.loads(pickle.dumps(form)).matches("1e1000")
    notes = {numbers: fw.explain({"type": "number"}, numbers=numbers)[0].note for numbers in ("double", "exact")}
    assert "doubles" in notes["double"]
    assert "doubles" not in notes["exact"]
    with pytest.raises(errors.ArgumentError, match="numbers must be"):
        fw.json_schema({}, numbers="decimal")  # type: ignore[call-overload]


def test_exponents_are_bounded_like_digits() -> None:
    for digits, text, inside in [(24, "1e1000", True), (3, "1e1000", False), (3, "1e999", True), (2, "1e100", False)]:
        assert fw.json_schema({"type": "number"}, numbers="exact", max_digits=digits).matches(text) is inside


BOUNDS = ["0", "0.3", "1", "-1", "2.5", "100", "9007199254740992", "9007199254740993", "18014398509481985.9", "1e23"]
BOUNDS += ["9223372036854775807", "0.1", "1e-300", "-12345678901234567890.5", "1e22", "0.30000000000000004"]


def random_schema(chance: random.Random) -> str:
    """Bounds and divisors, some of them hard, and their negations, in JSON text: Python rounds some of them."""
    parts = []
    for keyword in chance.sample(["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"], 2):
        value = chance.choice(BOUNDS) if keyword != "multipleOf" else chance.choice(["1", "3", "0.5", "0.01", "7"])
        parts.append(f'"{keyword}": {value}')
    kind = chance.choice(["number", "number", "integer"])
    inner = f'{{"type": "{kind}", {", ".join(parts)}}}'
    return f'{{"type": "number", "not": {inner}}}' if chance.random() < 0.3 else inner


def holds(schema: Any, value: Any) -> bool:
    """The keywords of `random_schema` for one reader. Divisors are compared as decimals, as written or shortest."""
    exact = Fraction(repr(value)) if isinstance(value, float) and abs(value) < 2**53 else Fraction(value)
    checks = {
        "type": lambda name: name == "number" or exact % 1 == 0,
        "minimum": lambda bound: value >= bound,
        "maximum": lambda bound: value <= bound,
        "exclusiveMinimum": lambda bound: value > bound,
        "exclusiveMaximum": lambda bound: value < bound,
        "multipleOf": lambda divisor: exact % Fraction(str(divisor)) == 0,
        "not": lambda inner: not holds(inner, value),
    }
    return all(checks[keyword](argument) for keyword, argument in schema.items())


def random_texts(form: fw.Form[Any], vocabulary: fw.Vocabulary, chance: random.Random) -> Iterator[str]:
    matcher, mask = fw.compile(form, vocabulary).matcher(), fw.allocate_bitmask(1, vocabulary)
    for _ in range(6):
        matcher.reset()
        for _ in range(60):
            matcher.fill_bitmask(mask)
            allowed = allowed_tokens(mask[0]).tolist()
            if 256 in allowed and chance.random() < 0.15:
                break
            digits = [token for token in allowed if token in (48, 57)] or allowed
            token = chance.choice(digits if chance.random() < 0.4 else allowed)
            if token == 256:
                break
            matcher.accept_token(token)
        if matcher.is_complete:
            yield matcher.accepted_bytes.decode()


@pytest.mark.parametrize("seed", range(4))
def test_random_numbers_are_valid_for_every_reader(byte_vocabulary: fw.Vocabulary, seed: int) -> None:
    chance, written = random.Random(seed), 0
    for _ in range(60):
        schema = random_schema(chance)
        try:
            form = fw.json_schema(schema)
        except (errors.UnsatisfiableSchema, errors.UnsupportedKeyword):
            continue
        for text in random_texts(form, byte_vocabulary, chance):
            written += 1
            for name, read in READERS.items():
                assert holds(read(schema), read(text)), (schema, text, name)
    assert written > 100
