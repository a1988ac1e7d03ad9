"""Literal blocks of YAML: strings of several lines, as two readers read them."""

from __future__ import annotations

import itertools
import os
import random
from collections.abc import Iterator

import pytest
from attack import byte_vocabulary
from yaml_readers import read_yaml

import formwright as fw
from formwright import allowed_tokens

STRINGS = {"type": "string"}
FORM = fw.json_schema(
    {
        "type": "object",
        "properties": {"a": STRINGS, "in": {"type": "array", "items": STRINGS}, "b": STRINGS},
        "required": ["a", "in", "b"],
        "additionalProperties": False,
    },
    notation="yaml",
)


def is_block(string: str) -> bool:
    return "\n" in string and string[0] not in " \n" and not string.endswith("\n")


def blocks() -> Iterator[str]:
    for length in range(1, 5):
        yield from filter(is_block, map("".join, itertools.product("a \n#-:", repeat=length)))


def write_block(string: str, column: int) -> str:
    indent = "\n" + " " * column
    return f"|-{indent}{string.replace(chr(10), indent)}"


def test_strings_of_several_lines_are_blocks() -> None:
    for string in blocks():
        text = f"a: {write_block(string, 2)}\nin:\n- {write_block(string, 2)}\nb: {write_block(string, 2)}"
        value = {"a": string, "in": [string], "b": string}
        assert FORM.parse(text) == value, text
        assert FORM.write(value) == text
    assert fw.json_schema(STRINGS, notation="yaml").parse(write_block("a\nb", 2)) == "a\nb"


@pytest.mark.parametrize("string", ["a\n", "\na", " a\nb", "a\tb\nc", "a\r\nb", "a\n\n"])
def test_other_strings_of_several_lines_are_in_quotes(string: str) -> None:
    text = FORM.write({"a": string, "in": [], "b": "c"})
    assert text.startswith('a: "')
    assert read_yaml(text) == FORM.parse(text) == {"a": string, "in": [], "b": "c"}


def test_strings_with_a_bound_are_no_blocks() -> None:
    form = fw.json_schema({"type": "string", "maxLength": 9}, notation="yaml")
    assert form.matches('"a\\nb"')
    assert not form.matches(write_block("a\nb", 2))


@pytest.mark.parametrize("seed", range(int(os.environ.get("FORMWRIGHT_SEEDS", "60"))))
def test_what_masks_let_through_is_read_alike(seed: int) -> None:
    vocabulary, draw = byte_vocabulary(), random.Random(seed)
    matcher, mask = fw.compile(FORM, vocabulary).matcher(), fw.allocate_bitmask(1, vocabulary)
    matcher.accept_bytes(b"a: |-")
    for left in range(draw.randint(60, 110), 0, -1):
        matcher.fill_bitmask(mask, 0, budget=left)
        allowed = allowed_tokens(mask[0]).tolist()
        likely = [token for token in allowed if token in {*b'ab \n|-#:"'}] or allowed
        token = draw.choice(likely if draw.random() < 0.9 else allowed)
        if token in vocabulary.eos_token_ids:
            break
        matcher.accept_token(token)
    text = bytes(matcher.accepted_bytes).decode()
    assert read_yaml(text) == FORM.parse(text), text


@pytest.mark.parametrize(
    "text",
    [
        "a: |-\n  x",
        "a: |-\n  x\n y",
        "a: |-\n x\n x",
        "a: |-\n   x\n  y",
        "a: |+\n  x\n  y",
        "a: |\n  x\n  y",
        "a: >-\n  x\n  y",
    ],
)
def test_other_blocks_are_not_written(text: str) -> None:
    assert not FORM.matches(f"{text}\nin: []\nb: c")


def test_a_block_that_is_being_written_is_a_partial_value() -> None:
    reader = fw.partial(FORM)
    for piece, seen in (
        ("a: |", ""),
        ("-\n", ""),
        (" ", ""),
        (" x", "x"),
        ("\n ", "x"),
        (" y", "x\ny"),
        ("\n  ", "x\ny\n"),
        (" z", "x\ny\n z"),
        ("\ni", "x\ny\n z"),
    ):
        assert reader.feed(piece).value == {"a": seen}, piece
