"""Queries as people write them, over five schemas: how many are in the subset, and what they are read as.

`testdata/sql/queries.json` has them, with the construct that keeps one out of the subset as its ``gap``.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from forms.sql.databases import list_columns, list_reads

import formwright as fw
from formwright.errors import OutputInvalid
from formwright.forms.sql import Query

FOLDER = Path(__file__).parents[3] / "testdata" / "sql"
CASES: dict[str, Any] = json.loads((FOLDER / "queries.json").read_text("utf-8"))
QUERIES: list[dict[str, str]] = CASES["queries"]
IDS = [f"{case['schema']}-{number}" for number, case in enumerate(QUERIES)]


def connect(schema: str) -> sqlite3.Connection:
    """A database of a schema, with a few rows."""
    connection = sqlite3.connect(":memory:")
    connection.executescript((FOLDER / f"{schema}.sql").read_text("utf-8"))
    return connection


@cache
def form_of(schema: str) -> fw.Form[Query]:
    connection = connect(schema)
    form = fw.sql("sqlite", connection, **CASES["options"][schema])
    connection.close()
    return form


@pytest.mark.parametrize("case", QUERIES, ids=IDS)
def test_a_query_is_in_the_subset_or_has_a_known_gap(case: dict[str, str]) -> None:
    form, connection = form_of(case["schema"]), connect(case["schema"])
    connection.execute(case["query"]).fetchall()  # each of them is a query of the database
    if "gap" in case:
        assert not form.matches(case["query"]), "the gap is closed: take it out of the file"
        with pytest.raises(OutputInvalid):
            form.parse(case["query"])
        return
    query = form.parse(case["query"])
    assert (query.text, query.kind, query.dialect) == (case["query"], "select", "sqlite")
    assert query.run(connection) == connection.execute(case["query"]).fetchall()
    tables, columns = list_reads(connection, query.text)
    assert set(query.tables) == tables
    assert list_columns(connection, query) == columns
    connection.close()


def test_most_queries_are_in_the_subset() -> None:
    gaps = Counter(case["gap"] for case in QUERIES if "gap" in case)
    assert len(QUERIES) == 100
    assert gaps.total() <= 7, gaps


def test_tables_and_columns_come_in_the_order_of_the_text() -> None:
    form = form_of("shop")
    query = form.parse(
        "SELECT orders.total, name FROM orders JOIN customers ON orders.customer_id = customers.id WHERE city = 'Oslo'"
    )
    assert query.tables == ("orders", "customers")
    columns = ("orders.total", "customers.name", "orders.customer_id", "customers.id", "customers.city")
    assert query.columns == columns
    assert form.parse("SELECT * FROM products").columns == ("products.*",)
    assert form.parse("SELECT COUNT(*) FROM products").columns == ()
    assert str(query) == query.text


def test_an_alias_is_read_as_its_table() -> None:
    text = "SELECT manager.name FROM employees JOIN employees AS manager ON employees.manager_id = manager.id"
    query = form_of("company").parse(text)
    assert query.tables == ("employees",)
    assert query.columns == ("employees.name", "employees.manager_id", "employees.id")
    assert query.run(connect("company")) == [("Mia",)] * 3
