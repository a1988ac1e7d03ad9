"""What queries over many tables cost: making the form, compiling it, and masks.

::

    python bench/sql.py [TABLES [MOST]]     # 40 tables of 10 columns, up to 3 of them in a query

The tables are a tree: each but the first has a foreign key to one before it. Vocabulary: Tekken, 131,072 tokens, as
``mistral-common`` brings it. Random queries are written with words, then cut into tokens and walked twice
with one constraint: a *first visit* is a mask after a beginning of a query that was not met before.
"""

from __future__ import annotations

import random
import sys
import time
from pathlib import Path
from typing import Any

import mistral_common
import numpy as np
from mistral_common.tokens.tokenizers.tekken import Tekkenizer

import formwright as fw
from formwright.forms.sql import Query

TEKKEN = Path(mistral_common.__file__).parent / "data" / "tekken_240911.json"
QUERIES = 200
COLUMNS = 10
TYPES = ["integer", "real", "text", "text", "date", "timestamp", "boolean"]
NOUNS = ["order", "customer", "product", "invoice", "account", "shipment", "ticket", "supplier", "region", "payment"]
KEYWORDS = "SELECT DISTINCT FROM JOIN LEFT INNER WHERE GROUP BY ORDER HAVING LIMIT AND OR NOT IN BETWEEN LIKE EXISTS"
MORE = "ASC DESC NULL IS ON AS CASE WHEN THEN ELSE END UNION COUNT(*) COUNT( SUM( AVG( MIN( MAX( open paid 2024-02-29"


def make_tables(count: int) -> tuple[dict[str, dict[str, str]], list[tuple[str, str]]]:
    """The columns of some tables by their types, and the keys between them."""
    chance = random.Random(1)
    tables: dict[str, dict[str, str]] = {}
    keys = []
    for number in range(count):
        name = f"{NOUNS[number % len(NOUNS)]}s" + (f"_{number // len(NOUNS)}" if number >= len(NOUNS) else "")
        columns = {"id": "integer"}
        if tables:
            parent = chance.choice(list(tables))
            columns[f"{parent}_id"] = "integer"
            keys.append((f"{name}.{parent}_id", f"{parent}.id"))
        kinds = chance.sample(["name", "status", "created", "total", "city", "note", "amount", "is_open", "rank_no"], 9)
        for kind in kinds[: COLUMNS - len(columns)]:
            columns[kind] = chance.choice(TYPES)
        tables[name] = columns
    return tables, keys


def write_queries(form: fw.Form[Query], names: set[str]) -> list[str]:
    """Random queries, of keywords and names."""
    words = [word.encode() for word in (*KEYWORDS.split(), *MORE.split(), *sorted(names))]
    tokens = [*words, *(bytes([byte]) for byte in range(256))]
    vocabulary = fw.Vocabulary([*tokens, b""], eos_token_ids=[len(tokens)])
    weights = [*(6.0 for _ in words), *(1.0 if 32 <= byte < 127 else 0.02 for byte in range(256)), 6.0]
    constraint, mask, chance = fw.compile(form, vocabulary), fw.allocate_bitmask(1, vocabulary), random.Random(2)
    texts = []
    for _ in range(QUERIES):
        matcher = constraint.matcher()
        for left in range(chance.choice([20, 40, 60, 80]), 0, -1):
            matcher.fill_bitmask(mask, budget=left)
            allowed = fw.allowed_tokens(mask[0]).tolist()
            token = chance.choices(allowed, [weights[token] for token in allowed])[0]
            if token == len(tokens):
                break
            matcher.accept_token(token)
        texts.append(matcher.accepted_bytes.decode())
    return texts


def time_masks(
    constraint: fw.Constraint[Any], texts: list[list[int]], seen: set[tuple[int, ...]]
) -> dict[str, list[float]]:
    """Seconds of each mask: after a beginning that was not met before, and after one that was."""
    times: dict[str, list[float]] = {"first": [], "again": []}
    mask = fw.allocate_bitmask(1, constraint.vocabulary)
    for token_ids in texts:
        matcher = constraint.matcher()
        for place, token_id in enumerate(token_ids):
            beginning = tuple(token_ids[:place])
            began = time.perf_counter()
            matcher.fill_bitmask(mask)
            times["again" if beginning in seen else "first"].append(time.perf_counter() - began)
            seen.add(beginning)
            matcher.accept_token(token_id)
    return times


def show_times(name: str, seconds: list[float]) -> None:
    """Print a row of percentiles, in microseconds."""
    row = " | ".join(f"{1e6 * value:,.1f}" for value in (*np.percentile(seconds, [50, 99]), max(seconds)))
    print(f"| {name} | {len(seconds):,} | {row} |")


def main(count: int = 40, most: int = 3) -> None:
    """Make, compile, walk."""
    tables, keys = make_tables(count)
    began = time.perf_counter()
    form = fw.sql("sqlite", tables, keys=keys, max_tables=most)
    made = time.perf_counter()
    vocabulary = fw.Vocabulary.from_tokenizer(Tekkenizer.from_file(str(TEKKEN)))
    encode = vocabulary.merges.encode
    fw.compile({"type": "integer"}, vocabulary)  # what all forms share of a vocabulary
    ready = time.perf_counter()
    constraint = fw.compile(form, vocabulary)
    compiled = time.perf_counter()
    constraint.matcher().fill_bitmask(fw.allocate_bitmask(1, vocabulary))
    first = time.perf_counter()
    print(f"{count} tables, {sum(map(len, tables.values()))} columns, {len(keys)} keys, up to {most} tables in a query")
    print(f"form {made - began:.2f} s, {len(form.to_bytes()):,} bytes stored")
    print(f"compile {1e3 * (compiled - ready):.1f} ms, first mask {1e3 * (first - compiled):.1f} ms")
    texts = write_queries(form, {*tables, *(name for columns in tables.values() for name in columns)})
    token_ids = [encode(text) for text in texts]
    print(f"{len(texts)} queries of {np.mean([*map(len, token_ids)]):.0f} tokens, such as")
    print(min(texts, key=lambda text: abs(len(text) - 120)))
    seen: set[tuple[int, ...]] = set()
    runs = [time_masks(constraint, token_ids, seen) for _ in range(2)]
    print("\n| masks | count | p50 µs | p99 µs | max µs |\n|---|---:|---:|---:|---:|")
    show_times("first visit", runs[0]["first"])
    show_times("met before, first round", runs[0]["again"])
    show_times("second round", runs[1]["again"])


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
