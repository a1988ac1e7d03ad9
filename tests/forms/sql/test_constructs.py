"""Constructs of queries: which texts have them, that the database runs them, and what they are read as."""

from __future__ import annotations

import sqlite3

import pytest

import formwright as fw

TABLES = """
CREATE TABLE customers(id INTEGER PRIMARY KEY, name TEXT, city TEXT);
CREATE TABLE orders(
  id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers(id), placed DATE, status TEXT, total REAL
);
INSERT INTO customers VALUES (1, 'Ada', 'Oslo'), (2, 'Bo', 'Rome');
INSERT INTO orders VALUES (1, 1, '2024-01-05', 'open', 20.5), (2, 1, '2024-02-29', 'paid', 7.0);
INSERT INTO orders VALUES (3, 2, '2024-02-01', 'open', 12.0);
"""
JOINED = "FROM customers JOIN orders ON orders.customer_id = customers.id"


@pytest.fixture(scope="module")
def connection() -> sqlite3.Connection:
    made = sqlite3.connect(":memory:")
    made.executescript(TABLES)
    return made


@pytest.fixture(scope="module")
def form(connection: sqlite3.Connection) -> fw.Form[fw.forms.sql.Query]:
    return fw.sql("sqlite", connection)


@pytest.mark.parametrize(
    ("text", "rows", "columns"),
    [
        (
            "SELECT id, RANK() OVER (PARTITION BY customer_id ORDER BY total DESC) AS place FROM orders WHERE id < 3",
            [(1, 1), (2, 2)],
            {"orders.id", "orders.customer_id", "orders.total"},
        ),
        ("SELECT ROW_NUMBER() OVER (ORDER BY name) FROM customers", [(1,), (2,)], {"customers.name"}),
        (
            "SELECT AVG(n) FROM (SELECT COUNT(*) AS n FROM orders GROUP BY customer_id) AS counts",
            [(1.5,)],
            {"orders.customer_id"},
        ),
        (
            "SELECT strftime('%Y-%m', placed) AS month, COUNT(*) FROM orders GROUP BY month ORDER BY month DESC",
            [("2024-02", 2), ("2024-01", 1)],
            {"orders.placed"},
        ),
        (
            f"SELECT customers.name, SUM(orders.total) AS total {JOINED} GROUP BY customers.name"
            " ORDER BY SUM(orders.total) DESC",
            [("Ada", 27.5), ("Bo", 12.0)],
            {"customers.name", "orders.total", "orders.customer_id", "customers.id"},
        ),
    ],
)
def test_a_construct_is_written_run_and_read(
    connection: sqlite3.Connection, form: fw.Form[fw.forms.sql.Query], text: str, rows: list[object], columns: set[str]
) -> None:
    query = form.parse(text)
    assert query.run(connection) == rows
    assert set(query.columns) == columns


@pytest.mark.parametrize(
    "text",
    [
        "SELECT RANK() OVER (ORDER BY total) FROM customers",  # a column of another table
        "SELECT RANK() FROM orders",
        "SELECT AVG(n) FROM (SELECT COUNT(*) AS total FROM orders GROUP BY customer_id) AS counts",
        "SELECT AVG(n) FROM (SELECT COUNT(*) AS n FROM orders GROUP BY name) AS counts",
        "SELECT strftime('%Y', placed) AS month, COUNT(*) FROM orders GROUP BY year",
        f"SELECT customers.name, SUM(orders.total) AS total {JOINED} GROUP BY customers.name ORDER BY total",
        f"SELECT customers.name, SUM(orders.total) AS name {JOINED} GROUP BY name",
    ],
)
def test_what_a_database_could_read_otherwise_is_not_written(form: fw.Form[fw.forms.sql.Query], text: str) -> None:
    assert not form.matches(text)


def test_a_name_of_a_column_is_no_name_of_a_part() -> None:
    tables = {"sales": {"month": "integer", "sold": "date"}}
    text = "SELECT strftime('%Y-%m', sold) AS {0}, COUNT(*) FROM sales GROUP BY {0}"
    assert fw.sql("sqlite", tables).matches(text.format("year").replace("-%m", ""))
    assert not fw.sql("sqlite", tables).matches(text.format("month"))


def test_many_tables_share_what_they_have_in_common() -> None:
    """The rules are stored once, not once for each set of tables."""
    tables = {
        f"t{number}": {"id": "integer", "parent": "integer", "name": "text", "made": "date"} for number in range(40)
    }
    keys = [(f"t{number}.parent", f"t{number // 2}.id") for number in range(1, 40)]
    form = fw.sql("sqlite", tables, keys=keys)
    assert len(form.to_bytes()) < 200_000
    assert form.matches("SELECT t5.name FROM t5 JOIN t2 ON t5.parent = t2.id JOIN t1 ON t2.parent = t1.id")
