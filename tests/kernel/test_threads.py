"""Threads share vocabularies, constraints and rows; none sees more than its own mask."""

from __future__ import annotations

import json
import threading
from array import array
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import formwright as fw

SCHEMAS = [
    {"type": "object", "properties": {"name": {"type": "string"}, "age": {"type": "integer"}}, "required": ["name"]},
    {"type": "array", "items": {"type": ["number", "boolean", "null"]}},
    {"type": "string", "pattern": "^[a-z]{1,20}$"},
    {"anyOf": [{"const": "first"}, {"type": "string", "maxLength": 5}, {"enum": [1, 2, 3]}]},
    True,
]
THREADS = 4


def at_once(work: Callable[[int], None], threads: int = THREADS) -> None:
    """Call ``work`` in several threads that start together; what one raises is raised."""
    barrier = threading.Barrier(threads)

    def run(index: int) -> None:
        barrier.wait()
        work(index)

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(run, range(threads)))


def first_mask(schema: object, vocabulary: fw.Vocabulary) -> np.ndarray:
    row = np.zeros(vocabulary.mask_words, np.int32)
    fw.compile(fw.json_schema(json.dumps(schema)), vocabulary).matcher().fill_bitmask(row)
    return row


def fresh() -> fw.Vocabulary:
    """Every byte and an end, with nothing remembered: what is shared is made while threads ask for it."""
    return fw.Vocabulary([*(bytes([byte]) for byte in range(256)), None], eos_token_ids=[256])


def test_schemas_compile_at_once(byte_vocabulary: fw.Vocabulary) -> None:
    expected = [first_mask(schema, byte_vocabulary) for schema in SCHEMAS]
    for _ in range(20):
        vocabulary = fresh()

        def work(index: int, vocabulary: fw.Vocabulary = vocabulary) -> None:
            for turn in range(len(SCHEMAS)):
                at = (index + turn) % len(SCHEMAS)
                np.testing.assert_array_equal(first_mask(SCHEMAS[at], vocabulary), expected[at])

        at_once(work)


def test_rows_of_one_mask_are_written_at_once(byte_vocabulary: fw.Vocabulary) -> None:
    languages = [fw.json_schema(json.dumps(schema)) for schema in SCHEMAS]
    matchers = [fw.compile(language, byte_vocabulary).matcher() for language in languages] * THREADS
    expected = np.stack([first_mask(schema, byte_vocabulary) for schema in SCHEMAS])
    mask = fw.allocate_bitmask(len(matchers), byte_vocabulary)

    def work(index: int) -> None:
        rows = range(index * len(SCHEMAS), (index + 1) * len(SCHEMAS))
        own = [matchers[row].fork() for row in rows]
        for _ in range(100):
            mask[rows.start : rows.stop] = 0
            fw.fill_bitmasks(own, mask, rows=list(rows))
            np.testing.assert_array_equal(mask[rows.start : rows.stop], expected)

    at_once(work)


def test_a_row_that_two_write_allows_what_both_allow_and_nothing_that_neither_allows() -> None:
    """The rows may mix, so their words need not be those of one writer; but no bit comes from nowhere or is lost."""
    texts = [{"type": "string", "maxLength": 5}, {"enum": ["first", 1, 2]}]
    vocabulary = fresh()
    one, other = (first_mask(schema, vocabulary) for schema in texts)
    row = one.copy()
    assert (one & other).any()
    assert (one != other).any()

    def work(index: int) -> None:
        matcher = fw.compile(texts[index % 2], vocabulary).matcher()
        for _ in range(300):
            fw.fill_bitmasks([matcher], row)
            matcher.fill_bitmask(row)

    at_once(work)
    assert not (row & ~(one | other)).any()
    assert ((row & one & other) == (one & other)).all()


def test_a_buffer_stays_where_it_is_while_it_is_written(byte_vocabulary: fw.Vocabulary) -> None:
    """An array that grows moves; while it is lent it refuses to."""
    words, rows = byte_vocabulary.mask_words, 64
    buffer = array("i", bytes(4 * words * rows))
    view = memoryview(buffer).cast("B").cast("i", (rows, words))
    with pytest.raises(BufferError):
        buffer.append(0)
    del view
    matcher = fw.compile(fw.json_schema("true"), byte_vocabulary).matcher()
    matchers = [matcher.fork() for _ in range(rows)]
    done = threading.Event()

    def work(index: int) -> None:
        if index == 0:
            for _ in range(200):
                fw.fill_bitmasks(matchers, memoryview(buffer)[: words * rows].cast("B").cast("i", (rows, words)))
            done.set()
        while not done.is_set():
            try:
                buffer.extend([0] * words)
                del buffer[-words:]
            except BufferError:  # lent
                pass

    at_once(work, 2)
    expected = first_mask(True, byte_vocabulary)
    np.testing.assert_array_equal(np.asarray(buffer, np.int32)[: words * rows].reshape(rows, words), [expected] * rows)


def test_nothing_is_written_if_one_mask_cannot_be_found(byte_vocabulary: fw.Vocabulary) -> None:
    constraint = fw.compile(fw.choice(["first"]), byte_vocabulary)
    mask = fw.allocate_bitmask(2, byte_vocabulary)
    with pytest.raises(fw.errors.LimitExceeded):
        fw.fill_bitmasks([constraint.matcher(), constraint.matcher()], mask, budgets=[None, 1])
    assert not mask.any()


def test_no_rows_are_no_error(byte_vocabulary: fw.Vocabulary) -> None:
    fw.fill_bitmasks([], fw.allocate_bitmask(0, byte_vocabulary))
    with pytest.raises(ValueError, match="no row 0"):
        fw.fill_bitmasks([first_matcher(byte_vocabulary)], fw.allocate_bitmask(0, byte_vocabulary))


def first_matcher(vocabulary: fw.Vocabulary) -> fw.Matcher:
    return fw.compile(fw.json_schema("true"), vocabulary).matcher()
