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


def test_schemas_compile_at_once(byte_vocabulary: fw.Vocabulary) -> None:
    expected = [first_mask(schema, byte_vocabulary) for schema in SCHEMAS]

    def work(index: int) -> None:
        for turn in range(40):
            at = (index + turn) % len(SCHEMAS)
            np.testing.assert_array_equal(first_mask(SCHEMAS[at], byte_vocabulary), expected[at])

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


def test_a_row_that_two_write_is_of_words_of_either(byte_vocabulary: fw.Vocabulary) -> None:
    one, other = (first_mask(schema, byte_vocabulary) for schema in SCHEMAS[:2])
    row = one.copy()

    def work(index: int) -> None:
        language = fw.json_schema(json.dumps(SCHEMAS[index % 2]))
        matcher = fw.compile(language, byte_vocabulary).matcher()
        for _ in range(300):
            fw.fill_bitmasks([matcher], row)
            matcher.fill_bitmask(row)

    at_once(work)
    assert not (row & ~(one | other)).any()


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
