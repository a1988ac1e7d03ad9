"""Random queries over random databases: each is explained and run without an error, and budgets leave no dead end."""

from __future__ import annotations

import os
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import pytest
from forms.sql.databases import Database, list_columns, list_reads, vocabulary_of, write_at_random
from parameters import slow_except

import formwright as fw
from formwright.forms.sql import Query

SEEDS = int(os.environ.get("FORMWRIGHT_SEEDS", "1"))
"""Databases of the long run; each has 40 queries. 30 take long."""

BUDGETS = [0, 0, 15, 40, 90]


class Sqlite:
    """Databases in memory."""

    connection: Any

    def make(self, database: Database) -> Any:
        self.connection = sqlite3.connect(":memory:", isolation_level=None)
        for statement in database.statements:
            self.connection.execute(statement)
        return self.connection

    def close(self) -> None:
        self.connection.close()

    def run(self, text: str) -> None:
        self.connection.execute(f"EXPLAIN {text}").fetchall()
        self.connection.execute(text).fetchall()


class DuckDB(Sqlite):
    def make(self, database: Database) -> Any:
        duckdb = pytest.importorskip("duckdb")
        self.connection = duckdb.connect()
        for statement in database.statements:
            self.connection.execute(statement)
        return self.connection

    def run(self, text: str) -> None:
        try:
            super().run(text)
        except Exception as error:
            if "Overflow in" not in str(error):  # of a number, which the rows decide
                raise


class Postgres(Sqlite):
    """Databases of a server of its own, one after the other."""

    def __init__(self, uri: str) -> None:
        self.uri = uri

    def make(self, database: Database) -> Any:
        psycopg = pytest.importorskip("psycopg")
        self.connection = psycopg.connect(self.uri, autocommit=True)
        self.connection.execute("DROP SCHEMA public CASCADE")
        self.connection.execute("CREATE SCHEMA public")
        for statement in database.statements:
            self.connection.execute(statement)
        address = self.uri.replace("postgresql://", "postgresql+psycopg://")
        sqlalchemy = pytest.importorskip("sqlalchemy")
        return sqlalchemy.create_engine(address, poolclass=sqlalchemy.NullPool)


@pytest.fixture(scope="module")
def judge_of(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Sqlite]]:
    """What makes databases of a dialect and runs queries there. Skips where it is not installed."""
    servers: list[Any] = []

    @cache
    def start(dialect: str) -> Sqlite:
        if dialect != "postgres":
            return {"sqlite": Sqlite, "duckdb": DuckDB}[dialect]()
        folder = tmp_path_factory.mktemp("postgres")
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("XDG_RUNTIME_DIR", str(folder))
            pgserver, _, _ = map(pytest.importorskip, ("pgserver", "psycopg", "sqlalchemy"))
        servers.append(pgserver.get_server(folder / "data"))
        return Postgres(servers[0].get_uri())

    yield start
    for server in servers:
        server.cleanup()


def weights_of(vocabulary: fw.Vocabulary) -> list[float]:
    """Words are likely, printable characters less so, and other bytes rare."""
    tokens = [vocabulary.token(number) for number in range(vocabulary.logits_size - 1)]
    return [
        6 if len(token) > 1 else 1 if token.isascii() and token.decode().isprintable() else 0.05 for token in tokens
    ] + [6]


def form_of(database: Database, source: Any) -> fw.Form[Query]:
    chance = database.random
    limit, keywords = chance.choice([None, 5]), chance.choice(["upper", "lower"])
    joins = "types" if len(database.names) <= 3 and chance.random() < 0.3 else "keys"
    return fw.sql(database.dialect, source, limit=limit, keywords=keywords, joins=joins)  # type: ignore[arg-type]


def check_queries(judge: Sqlite, dialect: str, seeds: range, count: int, most_tables: int) -> Counter[str]:
    """Run random queries over random databases; how many named how many tables."""
    seen: Counter[str] = Counter()
    for seed in seeds:
        database = Database(dialect, seed, most_tables)
        source = judge.make(database)
        form = form_of(database, source)
        vocabulary = vocabulary_of(form.read.grammar)  # type: ignore[attr-defined]
        constraint, weights = fw.compile(form, vocabulary), weights_of(vocabulary)
        for _ in range(count):
            text = write_at_random(database.random, constraint, weights, database.random.choice(BUDGETS))
            try:
                judge.run(text)
            except Exception as error:
                raise AssertionError(f"{dialect}, seed {seed}: {text}") from error
            query = form.parse(text)
            assert query.text == text
            if isinstance(source, sqlite3.Connection):
                tables, columns = list_reads(source, text)
                assert set(query.tables) == tables, text
                assert list_columns(source, query) == columns, text
            seen[f"{len(query.tables)} tables"] += 1
        judge.close()
    return seen


@pytest.mark.parametrize("dialect", ["sqlite", "duckdb", "postgres"])
def test_random_queries_run(dialect: str, judge_of: Callable[[str], Sqlite]) -> None:
    seen = check_queries(judge_of(dialect), dialect, range(12), 5, most_tables=8)
    assert seen.total() == 60
    assert seen["2 tables"] + seen["3 tables"] > 10, seen


@pytest.mark.slow
@pytest.mark.timeout(36_000)
@pytest.mark.parametrize("dialect", ["sqlite", "duckdb", "postgres"])
def test_many_random_queries_run(dialect: str, judge_of: Callable[[str], Sqlite]) -> None:
    seen = check_queries(judge_of(dialect), dialect, range(1_000, 1_000 + SEEDS), 40, most_tables=40)
    assert seen.total() == 40 * SEEDS


@pytest.mark.parametrize("seed", slow_except([1, 3, 7, 9], range(10)))
def test_the_tightest_budgets_leave_no_dead_end(seed: int) -> None:
    """From the fewest tokens that a query needs, any tokens of the masks end within the budget."""
    judge = Sqlite()
    database = Database("sqlite", seed, most_tables=12)
    form = form_of(database, judge.make(database))
    vocabulary = vocabulary_of(form.read.grammar)  # type: ignore[attr-defined]
    constraint, alike = fw.compile(form, vocabulary), [1] * vocabulary.logits_size
    least = constraint.matcher().min_tokens_to_finish
    for budget in range(least, least + 12):
        for _ in range(3):
            text = write_at_random(database.random, constraint, alike, budget)
            assert form.matches(text), text
    judge.close()
