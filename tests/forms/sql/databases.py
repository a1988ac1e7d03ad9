"""Random databases with rows, and random queries over them, for tests of SQL."""

from __future__ import annotations

import random
import re
import sqlite3
from ast import literal_eval
from collections.abc import Sequence
from typing import Any

import formwright as fw
from formwright.forms.sql import Query

NAMES = [
    "orders", "customers", "select", "group", "Order Items", "a", "Ünï", 'x"y', "t-1", "total", "Price", "status", "id",
    "name", "created", "is_open", "2nd", "user", "desc", "emp", "dept", "city", "key", "rank", "note's", "level",
    "count",
]  # fmt: skip

TYPES = {
    "sqlite": {"number": ["INTEGER", "REAL", "NUMERIC(8,2)"], "text": ["TEXT", "VARCHAR(40)"], "boolean": ["BOOLEAN"],
               "date": ["DATE"], "timestamp": ["TIMESTAMP"], "other": ["BLOB", ""]},
    "duckdb": {"number": ["INTEGER", "BIGINT", "DOUBLE", "DECIMAL(8,2)", "SMALLINT"], "text": ["VARCHAR"],
               "boolean": ["BOOLEAN"], "date": ["DATE"], "timestamp": ["TIMESTAMP"], "other": ["BLOB", "INTEGER[]"]},
    "postgres": {"number": ["integer", "bigint", "double precision", "numeric(8,2)", "smallint", "real"],
                 "text": ["text", "varchar(40)", "character(5)"], "boolean": ["boolean"], "date": ["date"],
                 "timestamp": ["timestamp"], "other": ["bytea", "json", "uuid", "integer[]", "timestamptz"]},
}  # fmt: skip
"""Declared types by dialect and class."""


def quote(name: str) -> str:
    """A name in quotes."""
    return '"' + name.replace('"', '""') + '"'


class Database:
    """The statements that make a random database, and a few rows in each table."""

    def __init__(self, dialect: str, seed: int, most_tables: int = 40) -> None:
        self.random = random.Random(seed)
        self.dialect = dialect
        count = self.random.choice([1, 2, 3, 4, 6, 10, most_tables])
        names = [*NAMES, *(f"t{number}" for number in range(count))]
        self.names = list(self.random.sample(names, len(names)))[:count]
        self.statements: list[str] = []
        self.ids: dict[str, str] = {}
        for number, name in enumerate(self.names):
            self.statements += self._table(name, self.names[:number])

    def _table(self, name: str, before: list[str]) -> list[str]:
        key = self.random.choice(["id", "key", "Nr"])
        whole = {"sqlite": "INTEGER", "duckdb": "INTEGER", "postgres": "integer"}[self.dialect]
        columns = {key: (whole, "id")}
        references = []
        if before and self.random.random() < 0.8:
            parent = self.random.choice(before[-4:])
            columns[f"{parent} {self.ids[parent]}"] = (whole, "id")
            references.append((f"{parent} {self.ids[parent]}", parent))
        for column in self.random.sample(NAMES, self.random.randint(1, 7)):
            class_ = self.random.choice(["number", "number", "text", "text", "boolean", "date", "timestamp", "other"])
            if column not in columns:
                columns[column] = (self.random.choice(TYPES[self.dialect][class_]), class_)
        self.ids[name] = key
        lines = [f"{quote(column)} {type_}" for column, (type_, _) in columns.items()]
        lines.append(f"PRIMARY KEY ({quote(key)})")
        lines += [
            f"FOREIGN KEY ({quote(column)}) REFERENCES {quote(parent)} ({quote(self.ids[parent])})"
            for column, parent in references
        ]
        made = [f"CREATE TABLE {quote(name)} ({', '.join(lines)})"]
        for number in (1, 2, 3):
            values = [str(number) if kind == "id" else self._value(kind, type_) for type_, kind in columns.values()]
            made.append(f"INSERT INTO {quote(name)} VALUES ({', '.join(values)})")
        return made

    def _value(self, kind: str, type_: str) -> str:
        if self.random.random() < 0.2 or kind == "other":
            return "NULL"
        if kind == "number":
            return self.random.choice(["0", "7", "-3", "120"])
        if kind == "text":
            return self.random.choice(["''", "'old'", "'it''s'", "'7'"])
        if kind == "boolean":
            return self.random.choice(["TRUE", "FALSE"])
        return "'2024-02-29'" if kind == "date" else "'2023-12-31 23:59:59'"


def vocabulary_of(grammar: str) -> fw.Vocabulary:
    """A vocabulary of the words of a grammar and single characters, so that a random walk gets far."""
    words = {literal_eval(word) for word in re.findall(r'"(?:[^"\\\n]|\\.)+"', grammar)}
    words |= {"2024-02-29", "0001-01-01", "9999-12-31", "999999999999999", ".000001", "-1", "''", "é"}
    words = {word for word in words if len(word.encode()) > 1}
    tokens = [*(word.encode() for word in sorted(words)), *(bytes([byte]) for byte in range(256))]
    return fw.Vocabulary([*tokens, b""], eos_token_ids=[len(tokens)])


def write_at_random(chance: random.Random, constraint: fw.Constraint[Any], words: Sequence[float], budget: int) -> str:
    """A text of random tokens within a budget; ``words`` are the weights of tokens."""
    matcher = constraint.matcher()
    ends = set(constraint.vocabulary.eos_token_ids)
    left = max(budget, matcher.min_tokens_to_finish)
    mask = fw.allocate_bitmask(1, constraint.vocabulary)
    while left:
        matcher.fill_bitmask(mask, budget=left)
        allowed = fw.allowed_tokens(mask[0]).tolist()
        assert allowed, (matcher.accepted_bytes, left)
        token = chance.choices(allowed, [words[token] for token in allowed])[0]
        if token in ends:
            break
        matcher.accept_token(token)
        left -= 1
    assert matcher.is_complete
    return matcher.accepted_bytes.decode()


def list_reads(connection: sqlite3.Connection, query: str) -> tuple[set[str], set[tuple[str, str]]]:
    """The tables and columns that SQLite asks its authorizer for, which must be asked for reading only.

    A star in EXISTS reads nothing, though SQLite asks for all columns there.
    """
    tables: set[str] = set()
    columns: set[tuple[str, str]] = set()

    def allow(action: int, first: str | None, second: str | None, *_: Any) -> int:
        assert action in (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION), (action, query)
        if action == sqlite3.SQLITE_READ:
            assert first is not None
            tables.add(first)
            if second:
                columns.add((first, second))
        return sqlite3.SQLITE_OK

    connection.set_authorizer(allow)
    asked = re.sub(r"(?i)(EXISTS\s\(SELECT\s)\*", r"\g<1>1", query)
    connection.execute(f"EXPLAIN {asked}").fetchall()
    connection.set_authorizer(None)
    return tables, columns


def list_columns(connection: sqlite3.Connection, query: Query) -> set[tuple[str, str]]:
    """The tables and columns that a query says it reads; a star stands for all columns of a table."""
    known = {
        table: [row[1] for row in connection.execute(f"PRAGMA table_info({quote(table)})")] for table in query.tables
    }
    names = {f"{table}.{column}": {(table, column)} for table, columns in known.items() for column in columns}
    names |= {f"{table}.*": {(table, column) for column in columns} for table, columns in known.items()}
    return set().union(*(names[name] for name in query.columns))
