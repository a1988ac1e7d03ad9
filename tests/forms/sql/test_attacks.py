"""What a prompt may ask for and cannot get: other statements, other tables, hidden columns.

`testdata/sql/attacks.json` has texts with a place for a harmless part, which makes a query of the subset, and for an
attack, which does not. So no attack fails for another reason.
"""

from __future__ import annotations

import json
import random
import re
import sqlite3
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from forms.sql.databases import vocabulary_of, write_at_random

import formwright as fw
from formwright.forms.sql import Query

ATTACKS = json.loads((Path(__file__).parents[3] / "testdata" / "sql" / "attacks.json").read_text("utf-8"))
DIALECTS = ["sqlite", "duckdb", "postgres"]
TABLES = {
    "customers": {"id": "integer", "name": "text", "password": "text"},
    "orders": {"id": "integer", "customer_id": "integer", "status": "text", "ordered": "date", "total": "real"},
    "secrets": {"id": "integer", "name": "text"},
}


@cache
def form_of(dialect: str, hides: bool = True) -> fw.Form[Query]:
    """Queries of two of three tables, without the passwords."""
    hide = {"customers": ["password"]} if hides else None
    keys = [("orders.customer_id", "customers.id")]
    return fw.sql(dialect, TABLES, keys=keys, hide=hide, tables=["customers", "orders"])  # type: ignore[arg-type]


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("case", ATTACKS, ids=lambda case: case["kind"])
def test_an_attack_is_no_query(case: dict[str, str], dialect: str) -> None:
    form = form_of(dialect)
    assert form.matches(case["text"].format(case["good"]))
    assert not form.matches(case["text"].format(case["attack"]))


def test_there_are_attacks_of_many_kinds() -> None:
    kinds = Counter(case["kind"] for case in ATTACKS)
    assert kinds.total() >= 100
    assert len(kinds) >= 10, kinds


@pytest.mark.parametrize(
    "literal",
    ["; DROP TABLE customers", "'' OR 1 = 1 --", "/* */", "''; SELECT password FROM customers; --", "%; --", "\\"],
)
def test_an_attack_in_a_literal_is_a_text(literal: str) -> None:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE customers(id INTEGER, name TEXT, password TEXT)")
    text = literal.replace("''", "'")
    connection.execute("INSERT INTO customers VALUES (1, ?, 'x'), (2, 'other', 'y')", [text])
    query = form_of("sqlite").parse(f"SELECT id, name FROM customers WHERE name = '{literal}'")
    assert query.run(connection) == [(1, text)]


def test_no_backslash_can_open_a_text_of_postgres() -> None:
    """With ``standard_conforming_strings = off``, what comes after a backslash and a quote would be code."""
    form = form_of("postgres")
    text = "SELECT name FROM customers WHERE name = '{}' AND name <> ' UNION SELECT password FROM customers --'"
    assert form.matches(text.format("a"))
    assert not form.matches(text.format("\\"))
    assert form_of("sqlite").matches(text.format("\\"))
    values = {"orders.status": ["a\\", "it's", "\\'"]}
    form = fw.sql("postgres", TABLES, values=values)
    for literal in ("E'a\\\\'", "'it''s'", "E'\\\\'''"):
        assert form.matches(f"SELECT id FROM orders WHERE status = {literal}")
    assert not form.matches("SELECT id FROM orders WHERE status = 'a\\'")
    assert fw.sql("sqlite", TABLES, values=values).matches("SELECT id FROM orders WHERE status = 'a\\'")


# -- all ways ------------------------------------------------------------------------------------------------------


def is_named(text: str) -> bool:
    """Whether the hidden column is named outside of a literal and of an alias. The text may be a beginning."""
    left = re.sub(r"'(?:[^']|'')*(?:'|$)", "''", text)
    return any(not re.search(r"(?i)\bAS\s\w*$", left[: found.start()]) for found in re.finditer("(?i)password", left))


def test_what_counts_as_named() -> None:
    assert is_named("SELECT password")
    assert is_named('SELECT name FROM customers WHERE "Password"')
    assert not is_named("SELECT name AS password FROM customers WHERE name = 'password")
    assert is_named("SELECT name AS password FROM customers WHERE name = 'it''s' AND password")


def vocabulary_for_attacks(dialect: str) -> fw.Vocabulary:
    """The words of the grammar that hides nothing, with the name in pieces and with signs around it."""
    words = vocabulary_of(form_of(dialect, False).read.grammar)  # type: ignore[attr-defined]
    pieces = [b"pass", b"word", b"password", b'"password"', b".password", b" password", b"(password", b"PASSWORD"]
    tokens = [words.token(number) for number in range(words.logits_size - 1)]
    tokens = list(dict.fromkeys([*tokens, *pieces]))
    return fw.Vocabulary([*tokens, b""], eos_token_ids=[len(tokens)])


def search(form: fw.Form[Query], vocabulary: fw.Vocabulary, most: int) -> Iterator[str]:
    """Beginnings of queries that the masks allow, shorter ones first, up to a number of them.

    All are tried, but for what a literal or an alias says: there, only quotes, the hidden name and blanks.
    """
    level = [fw.compile(form, vocabulary).matcher()]
    seen = 0
    while level:
        grown = []
        for matcher in level:
            for token in matcher.allowed_token_ids():
                said = vocabulary.token(token)
                is_free = re.search(r"(?i)AS\s\w*$|^[^']*'(?:[^']*'[^']*')*[^']*$", matcher.accepted_bytes.decode())
                if not said or (is_free and said not in (b"'", b" ") and b"pass" not in said):
                    continue
                longer = matcher.fork()
                longer.accept_token(token)
                yield longer.accepted_bytes.decode()
                grown.append(longer)
                seen += 1
                if seen == most:
                    return
        level = grown


@pytest.mark.parametrize("dialect", DIALECTS)
def test_no_beginning_of_a_query_names_a_hidden_column(dialect: str) -> None:
    vocabulary = vocabulary_for_attacks(dialect)
    texts = list(search(form_of(dialect), vocabulary, 40_000))
    assert len(texts) == 40_000
    assert [text for text in texts if is_named(text)] == []
    assert any(is_named(text) for text in search(form_of(dialect, False), vocabulary, 40_000))


@pytest.mark.parametrize("dialect", DIALECTS)
def test_no_random_query_names_a_hidden_column(dialect: str) -> None:
    """Longer queries, with the hidden name likely wherever the masks allow it."""
    vocabulary = vocabulary_for_attacks(dialect)
    tokens = [vocabulary.token(number) for number in range(vocabulary.logits_size - 1)]
    weights = [30.0 if b"pass" in token.lower() else 1.0 for token in tokens] + [1.0]
    named = {}
    for hides in (True, False):
        constraint, chance = fw.compile(form_of(dialect, hides), vocabulary), random.Random(1)
        texts = [write_at_random(chance, constraint, weights, chance.choice([0, 20, 60])) for _ in range(200)]
        named[hides] = sum(map(is_named, texts))
        assert not hides or any("pass" in text for text in texts), "none has the word in a literal or alias"
    assert named[True] == 0
    assert named[False] > 100


def test_a_star_is_not_written_for_what_hides_a_column() -> None:
    form = form_of("sqlite")
    both = "FROM customers JOIN orders ON orders.customer_id = customers.id"
    inner = "FROM customers WHERE orders.customer_id = customers.id"
    assert form.matches("SELECT * FROM orders")
    assert not form.matches("SELECT * FROM customers")
    assert form.matches(f"SELECT orders.* {both}")
    assert not form.matches(f"SELECT customers.* {both}")
    assert not form.matches(f"SELECT * {both}")
    assert form.matches(f"SELECT id FROM orders WHERE EXISTS (SELECT 1 {inner})")
    assert not form.matches(f"SELECT id FROM orders WHERE EXISTS (SELECT * {inner})")
    assert form_of("sqlite", False).matches(f"SELECT id FROM orders WHERE EXISTS (SELECT * {inner})")


def test_hidden_names_are_in_no_instructions() -> None:
    said = fw.instructions(form_of("sqlite"))
    assert "customers(id integer, name text)" in said
    assert "password" not in said
    assert "secrets" not in said


def test_a_database_that_denies_what_is_hidden_runs_every_query() -> None:
    """The second lock never closes: SQLite is asked for hidden columns by none of many random queries."""
    connection = sqlite3.connect(":memory:")
    for table, columns in TABLES.items():
        connection.execute(f"CREATE TABLE {table}({', '.join(f'{name} {type_}' for name, type_ in columns.items())})")

    def deny(action: int, first: str | None, second: str | None, *_: Any) -> int:
        reads = action == sqlite3.SQLITE_READ and first != "secrets" and second != "password"
        calls = action == sqlite3.SQLITE_FUNCTION and second != "load_extension"
        return sqlite3.SQLITE_OK if action == sqlite3.SQLITE_SELECT or reads or calls else sqlite3.SQLITE_DENY

    connection.set_authorizer(deny)
    for refused in ("SELECT * FROM customers", "SELECT id FROM secrets", "DELETE FROM orders"):
        with pytest.raises(sqlite3.DatabaseError, match=r"prohibited|authorized"):
            connection.execute(refused)
    vocabulary = vocabulary_of(form_of("sqlite").read.grammar)  # type: ignore[attr-defined]
    constraint, chance = fw.compile(form_of("sqlite"), vocabulary), random.Random(3)
    for _ in range(200):
        text = write_at_random(chance, constraint, [1.0] * vocabulary.logits_size, chance.choice([0, 30, 60]))
        connection.execute(text).fetchall()
