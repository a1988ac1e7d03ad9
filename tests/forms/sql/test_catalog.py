"""What is read of a database: tables, classes of types, keys, views, names; and options that make no sense."""

from __future__ import annotations

import pickle
import sqlite3
from collections.abc import Callable
from typing import Any

import pytest

import formwright as fw
from formwright.errors import ArgumentError, LimitExceeded
from formwright.forms.sql import Query
from formwright.forms.sql.catalog import Catalog, Key, class_of, read_catalog

TABLES = {
    "orders": {"id": "integer", "customer_id": "integer", "status": "text"},
    "customers": {"id": "integer", "name": "text"},
}
KEYS = [("orders.customer_id", "customers.id")]


def make_sqlite(*statements: str) -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:")
    for statement in statements:
        connection.execute(statement)
    return connection


def make_form(*statements: str, **options: Any) -> fw.Form[Query]:
    return fw.sql("sqlite", make_sqlite(*statements), **options)


@pytest.mark.parametrize(
    ("class_", "types"),
    [
        ("number", ["INTEGER", "bigint", "serial", "REAL", "double precision", "NUMERIC(8, 2)", "decimal", "float8"]),
        ("text", ["TEXT", "VARCHAR(40)", "character varying", "CLOB", "name", "string"]),
        ("boolean", ["BOOLEAN", "bool"]),
        ("date", ["DATE"]),
        ("timestamp", ["TIMESTAMP", "datetime", "timestamp without time zone"]),
        ("other", ["", "BLOB", "bytea", "json", "jsonb", "uuid", "integer[]", "STRUCT(a INTEGER)", "MAP(VARCHAR, DATE)",
                   "timestamptz", "TIMESTAMP WITH TIME ZONE", "time",
                   "time without time zone", "interval", "money", "bit(1)", "geometry"]),
    ],
)  # fmt: skip
def test_types_are_classed(class_: str, types: list[str]) -> None:
    assert [class_of(type_) for type_ in types] == [class_] * len(types)


def keys_of(*statements: str) -> list[Key]:
    return list(read_catalog("sqlite", make_sqlite(*statements)).keys)


def test_keys_of_one_and_several_columns() -> None:
    parent = "CREATE TABLE p(a INTEGER, b INTEGER, PRIMARY KEY (b, a))"
    assert keys_of(parent, "CREATE TABLE c(x INTEGER, y INTEGER, FOREIGN KEY (x, y) REFERENCES p)") == [
        Key("c", ("x", "y"), "p", ("b", "a"))
    ]
    assert keys_of(parent, "CREATE TABLE c(x INTEGER, y INTEGER, FOREIGN KEY (x, y) REFERENCES P(A, B))") == [
        Key("c", ("x", "y"), "p", ("a", "b"))
    ]
    assert keys_of("CREATE TABLE c(x INTEGER REFERENCES nowhere(id))") == []
    text = "SELECT c.z FROM c JOIN p ON c.x = p.b AND c.y = p.a"
    form = make_form(parent, "CREATE TABLE c(x INTEGER, y INTEGER, z TEXT, FOREIGN KEY (x, y) REFERENCES p)")
    assert form.matches(text)
    assert not form.matches(text.removesuffix(" AND c.y = p.a"))


def test_views_are_tables() -> None:
    statements = ["CREATE TABLE t(id INTEGER, name TEXT)", "CREATE VIEW named AS SELECT name, id + 1 AS later FROM t"]
    connection = make_sqlite(*statements, "INSERT INTO t VALUES (1, 'a')")
    form = fw.sql("sqlite", connection)
    assert form.parse("SELECT name FROM named").run(connection) == [("a",)]
    assert form.parse("SELECT later FROM named").run(connection) == [(2,)]  # of no declared type: only selected
    assert not form.matches("SELECT SUM(later) FROM named")


def test_a_view_that_the_database_cannot_read_is_left_out() -> None:
    duckdb, sqlalchemy = pytest.importorskip("duckdb"), pytest.importorskip("sqlalchemy")
    statements = ["CREATE TABLE t(id INTEGER)", "CREATE TABLE u(x INTEGER)", "CREATE VIEW v AS SELECT x FROM u"]
    statements.append("DROP TABLE u")
    connection, other = make_sqlite(*statements), duckdb.connect()
    for statement in statements:
        other.execute(statement)
    engine = sqlalchemy.create_engine("sqlite://", poolclass=sqlalchemy.StaticPool, creator=lambda: connection)
    for dialect, source in (("sqlite", connection), ("duckdb", other), ("sqlite", engine)):
        for options in ({}, {"tables": ["t"]}):
            form = fw.sql(dialect, source, **options)  # type: ignore[arg-type]
            assert form.matches("SELECT id FROM t")
            assert not form.matches("SELECT x FROM v")
        with pytest.raises(ArgumentError, match=r"cannot read the view 'v'.*u"):
            fw.sql(dialect, source, tables=["v"])  # type: ignore[arg-type]
    other.close()
    engine.dispose()


def test_a_view_carries_what_it_selects() -> None:
    """As the guide warns: what is hidden is a column of one table or view."""
    statements = ["CREATE TABLE u(name TEXT, password TEXT)", "CREATE VIEW w AS SELECT name, password AS p FROM u"]
    assert make_form(*statements, hide={"u": ["password"]}).matches("SELECT p FROM w")
    assert not make_form(*statements, hide={"u": ["password"], "w": ["p"]}).matches("SELECT p FROM w")
    assert not make_form(*statements, hide={"u": ["password"]}, tables=["u"]).matches("SELECT p FROM w")


@pytest.mark.parametrize(
    ("dialect", "names"),
    [("sqlite", ["rowid", "OID", "_rowid_"]), ("duckdb", ["rowid", "RowId"]), ("postgres", ["ctid", "xmin"])],
)
def test_a_name_that_every_table_has_needs_its_table(dialect: Any, names: list[str]) -> None:
    join = "FROM a JOIN b ON b.a_id = a.id"
    for name in names:
        form = fw.sql(dialect, {"a": {"id": "int"}, "b": {"a_id": "int", name: "int"}}, keys={"b.a_id": "a.id"})
        spelled = f'"{name}"' if dialect == "postgres" and name != name.lower() else name
        assert not form.matches(f"SELECT {spelled} {join}")
        assert form.matches(f"SELECT b.{spelled} {join}")
        assert form.matches(f"SELECT {spelled} FROM b")


def test_a_column_of_duckdb_may_be_called_rowid() -> None:
    connection = pytest.importorskip("duckdb").connect()
    connection.execute("CREATE TABLE a(id INTEGER PRIMARY KEY)")
    connection.execute('CREATE TABLE b(a_id INTEGER REFERENCES a(id), "rowid" INTEGER)')
    connection.execute("INSERT INTO a VALUES (1)")
    connection.execute("INSERT INTO b VALUES (1, 7)")
    form = fw.sql("duckdb", connection)
    for text in ("SELECT b.rowid FROM a JOIN b ON b.a_id = a.id", "SELECT rowid FROM b"):
        assert form.parse(text).run(connection) == [(7,)]
    connection.close()


def test_names_may_come_as_bytes() -> None:
    connection = make_sqlite("CREATE TABLE t(id INTEGER PRIMARY KEY)", "CREATE TABLE c(t_id INTEGER REFERENCES t)")
    connection.text_factory = bytes
    assert fw.sql("sqlite", connection).matches("SELECT id FROM t JOIN c ON c.t_id = t.id")


def test_a_closed_connection_is_an_argument_error() -> None:
    connection = make_sqlite("CREATE TABLE t(id TEXT)")
    connection.close()
    with pytest.raises(ArgumentError, match=r"connection: the database cannot be read: .*closed"):
        fw.sql("sqlite", connection)
    with pytest.raises(ArgumentError, match=r"values: the database cannot be read: .*closed"):
        fw.sql("sqlite", {"t": {"id": "text"}}, values=connection)


def test_columns_that_are_generated_can_be_read() -> None:
    form = make_form("CREATE TABLE t(a INTEGER, b INTEGER GENERATED ALWAYS AS (a * 2) VIRTUAL)")
    assert form.parse("SELECT b FROM t").columns == ("t.b",)


def test_names_are_quoted_where_need_be() -> None:
    connection = make_sqlite(
        'CREATE TABLE "Order Items"("select" TEXT, "x""y" TEXT, Total REAL, "2nd" TEXT, "Ünï" TEXT)'
    )
    form = fw.sql("sqlite", connection)
    text = 'SELECT "select", "x""y", Total, "2nd", "Ünï" FROM "Order Items"'
    assert form.parse(text).columns == tuple(f"Order Items.{name}" for name in ("select", 'x"y', "Total", "2nd", "Ünï"))
    assert form.parse(text).run(connection) == []
    for wrong in (text.replace('"select"', "select"), text.replace("Total", "total"), text.replace('x""y', 'x"y')):
        assert not form.matches(wrong)


def test_dialects_quote_what_they_fold() -> None:
    tables = {"Orders": {"Id": "integer"}}
    assert fw.sql("sqlite", tables).matches("SELECT Id FROM Orders")
    assert fw.sql("postgres", tables).matches('SELECT "Id" FROM "Orders"')
    assert not fw.sql("postgres", tables).matches("SELECT Id FROM Orders")


def test_a_name_of_two_tables_needs_its_table() -> None:
    form = fw.sql("sqlite", TABLES, keys=KEYS)
    join = "FROM orders JOIN customers ON orders.customer_id = customers.id"
    assert form.matches(f"SELECT orders.id, name, status {join}")
    assert not form.matches(f"SELECT id {join}")


def test_what_is_compared_is_of_one_class() -> None:
    form = fw.sql("sqlite", {"t": {"n": "integer", "x": "text", "d": "date", "b": "boolean"}})
    for condition in ("n = 1", "x = '1'", "d = '2024-02-29'", "b = TRUE", "b", "NOT b", "n IN (1, 2)", "x IS NULL"):
        assert form.matches(f"SELECT x FROM t WHERE {condition}")
    for condition in (
        "n = '1'",
        "x = 1",
        "d = 'old'",
        "b = 1",
        "n = x",
        "n",
        "x LIKE 1",
        "n = NULL",
        "d = '2023-02-29'",
    ):
        assert not form.matches(f"SELECT x FROM t WHERE {condition}")


def test_duckdb_and_sqlalchemy_are_read_like_sqlite() -> None:
    statements = [
        "CREATE TABLE customers(id INTEGER PRIMARY KEY, name VARCHAR)",
        "CREATE TABLE orders(id INTEGER, customer_id INTEGER REFERENCES customers(id), ordered DATE, paid BOOLEAN)",
        "INSERT INTO customers VALUES (1, 'Ada')",
        "INSERT INTO orders VALUES (7, 1, '2024-02-29', TRUE)",
    ]
    duckdb, sqlalchemy = pytest.importorskip("duckdb"), pytest.importorskip("sqlalchemy")
    other = duckdb.connect()
    engine = sqlalchemy.create_engine("sqlite://", poolclass=sqlalchemy.StaticPool)
    with engine.connect() as opened:
        for statement in statements:
            other.execute(statement)
            opened.exec_driver_sql(statement)
        opened.commit()
    join = "FROM orders JOIN customers ON orders.customer_id = customers.id"
    text = f"SELECT name, ordered {join} WHERE name LIKE '%:a%' OR paid"

    def shape(catalog: Catalog) -> Any:
        return {table.name: [(c.name, c.class_) for c in table.columns] for table in catalog.tables}, catalog.keys

    wanted = shape(read_catalog("sqlite", make_sqlite(*statements)))
    assert shape(read_catalog("duckdb", other)) == wanted
    for source in (engine, sqlalchemy.inspect(engine)):
        assert shape(read_catalog("sqlite", source)) == wanted
    assert len(fw.sql("duckdb", other).parse(text).run(other)) == 1
    assert fw.sql("sqlite", engine).parse(text).run(engine) == [("Ada", "2024-02-29")]
    other.close()
    engine.dispose()


# -- options -------------------------------------------------------------------------------------------------------


def test_a_form_is_pickled() -> None:
    form = fw.sql("sqlite", TABLES, keys=KEYS, limit=7)
    text = "SELECT name FROM customers LIMIT 7"
    again = pickle.loads(pickle.dumps(form))
    assert again.parse(text) == form.parse(text)
    assert fw.instructions(again) == fw.instructions(form)
    assert pickle.loads(pickle.dumps(form.parse(text))) == form.parse(text)


def test_instructions_have_tables_types_keys_and_limit() -> None:
    said = fw.instructions(fw.sql("postgres", {**TABLES, "Odd Name": {"id": "uuid"}}, keys=KEYS, limit=100))
    assert said.startswith("Answer with one SELECT in PostgreSQL, of at most 100 rows, and nothing else.")
    assert "orders(id integer, customer_id integer, status text)" in said
    assert '"Odd Name"(id uuid)' in said
    assert "orders.customer_id = customers.id" in said


def test_a_limit_ends_every_query() -> None:
    form = fw.sql("sqlite", TABLES, keys=KEYS, limit=20)
    for query in (
        "SELECT name FROM customers",
        "SELECT COUNT(*) FROM orders",
        "SELECT id FROM orders UNION SELECT id FROM customers",
    ):
        assert form.matches(f"{query} LIMIT 20")
        assert not any(form.matches(query + end) for end in ("", " LIMIT 21", " LIMIT 0", " LIMIT 020", " LIMIT ALL"))
    free = fw.sql("sqlite", TABLES)
    assert free.matches("SELECT name FROM customers")
    assert free.matches("SELECT name FROM customers LIMIT 21")


def test_keywords_are_in_one_case() -> None:
    lower = fw.sql("sqlite", TABLES, keywords="lower")
    assert lower.matches("select lower(name) as given from customers where name like 'A%' order by name desc")
    assert not lower.matches("SELECT name FROM customers")
    assert not lower.matches("select name FROM customers")
    assert lower.parse("select count(*) from customers").tables == ("customers",)
    dated = fw.sql("sqlite", {"events": {"day": "date"}}, keywords="lower")
    assert dated.matches("select strftime('%Y-%m', day) from events")
    assert not dated.matches("select strftime('%y-%m', day) from events")


def test_values_by_mapping() -> None:
    form = fw.sql("sqlite", TABLES, keys=KEYS, values={"orders.status": ["open", "it's", "open"]})
    for condition in ("status = 'open'", "status <> 'it''s'", "status IN ('open', 'it''s')", "status IS NULL"):
        assert form.matches(f"SELECT id FROM orders WHERE {condition}")
    for condition in ("status = 'shut'", "status IN ('open', 'shut')", "status > 'open'", "status LIKE 'o%'"):
        assert not form.matches(f"SELECT id FROM orders WHERE {condition}")
    assert form.matches("SELECT id FROM customers WHERE name = 'anyone'")


def test_values_by_connection() -> None:
    connection = make_sqlite("CREATE TABLE t(id INTEGER, state TEXT, note TEXT, none TEXT)")
    rows = [(number, ["on", "off", None][number % 3], f"note {number}") for number in range(1_001)]
    connection.executemany("INSERT INTO t VALUES (?, ?, ?, NULL)", rows)
    form = fw.sql("sqlite", connection, values=connection)
    assert form.matches("SELECT id FROM t WHERE state = 'off'")
    assert not form.matches("SELECT id FROM t WHERE state = 'of'")
    assert form.matches("SELECT id FROM t WHERE note = 'anything'"), "1,001 texts are too many for a choice"
    connection.execute("DELETE FROM t WHERE id = 7")
    assert not fw.sql("sqlite", connection, values=connection).matches("SELECT id FROM t WHERE note = 'anything'")
    connection.execute("UPDATE t SET state = ? WHERE id = 1", ["x" * 101])
    assert fw.sql("sqlite", connection, values=connection).matches("SELECT id FROM t WHERE state = 'of'")


def test_joins_by_keys_and_types() -> None:
    tables = {"a": {"code": "text", "n": "integer"}, "b": {"label": "text", "raw": "blob"}, "c": {"raw": "blob"}}
    text = "SELECT n FROM a JOIN b ON a.code = b.label"
    assert not fw.sql("sqlite", tables).matches(text)
    form = fw.sql("sqlite", tables, joins="types")
    assert form.matches(text)
    assert form.matches("SELECT n FROM a LEFT JOIN b ON b.label = a.code")
    assert not form.matches("SELECT n FROM a JOIN b ON a.n = b.label")
    assert not form.matches("SELECT b.label FROM b JOIN c ON b.raw = c.raw")


def test_max_tables() -> None:
    tables = {
        "a": {"id": "integer"},
        "b": {"id": "integer", "a_id": "integer"},
        "c": {"id": "integer", "b_id": "integer"},
    }
    keys = {"b.a_id": "a.id", "c.b_id": "b.id"}
    one, two, three = "SELECT a.id FROM a", " JOIN b ON b.a_id = a.id", " JOIN c ON c.b_id = b.id"
    for most, wanted in ((1, [True, False, False]), (2, [True, True, False]), (3, [True, True, True])):
        form = fw.sql("sqlite", tables, keys=keys, max_tables=most)
        assert [form.matches(text) for text in (one, one + two, one + two + three)] == wanted


def test_a_form_is_kept_by_its_catalog_and_options() -> None:
    form = fw.sql("sqlite", TABLES, aliases={"orders": iter(["o"])}, values={"orders.status": ["open"]})
    assert fw.sql("sqlite", TABLES, aliases={"orders": "o"}, values={"orders.status": ["open"]}) is form
    others = [
        fw.sql("sqlite", TABLES, aliases={"orders": "p"}, values={"orders.status": ["open"]}),
        fw.sql("sqlite", TABLES, aliases={"orders": "o"}, values={"orders.status": ["closed"]}),
        fw.sql("sqlite", TABLES, aliases={"orders": "o"}, values={"orders.status": ["open"]}, limit=3),
        fw.sql("duckdb", TABLES, aliases={"orders": "o"}, values={"orders.status": ["open"]}),
    ]
    assert len({id(form), *map(id, others)}) == 5
    with pytest.raises(ArgumentError, match="joins"):
        fw.sql("sqlite", TABLES, joins=["keys"])  # type: ignore[arg-type]


def test_aliases() -> None:
    tables = {"people": {"id": "integer", "boss_id": "integer", "name": "text"}}
    form = fw.sql("sqlite", tables, keys={"people.boss_id": "people.id"}, aliases={"people": ["p", "boss"]})
    assert form.matches("SELECT p.name, boss.name FROM people AS p LEFT JOIN people AS boss ON p.boss_id = boss.id")
    assert form.matches("SELECT name FROM people AS boss")
    assert not form.matches("SELECT name FROM people")
    assert not form.matches("SELECT q.name FROM people AS q")


CHAIN = {f"t{number}": {"id": "integer", "x": "text"} for number in range(60)}


@pytest.mark.parametrize(
    ("argument", "make", "says"),
    [
        ("dialect", lambda: fw.sql("sqlit", TABLES), "no dialect 'sqlit'.*sqlite"),  # type: ignore[arg-type]
        ("dialect", lambda: fw.sql(3, TABLES), "no dialect 3"),  # type: ignore[arg-type]
        ("connection", lambda: fw.sql("sqlite", "file.db"), "a database of sqlite, got builtins.str"),
        ("connection", lambda: fw.sql("duckdb", make_sqlite()), "a database of duckdb, got sqlite3.Connection"),
        ("connection", lambda: fw.sql("sqlite", {"t": ["id"]}), "types of the columns of 't'"),
        ("connection", lambda: fw.sql("sqlite", {"t": {"id": int}}), "types of the columns of 't'"),
        ("connection", lambda: fw.sql("sqlite", {"t": {"id": "int"}, "T": {"id": "int"}}), "tables"),
        ("connection", lambda: fw.sql("sqlite", {"t": {"id": "int", "ID": "int"}}), "columns of 't'"),
        ("tables", lambda: fw.sql("sqlite", TABLES, tables=["order"]), "no table 'order'.*orders"),
        ("tables", lambda: fw.sql("sqlite", TABLES, tables=[]), "no table is left"),
        ("tables", lambda: fw.sql("sqlite", TABLES, tables="orders"), "a list of names, got 'orders'"),
        ("tables", lambda: fw.sql("sqlite", TABLES, tables=5), "a list of names, got 5"),  # type: ignore[arg-type]
        ("tables", lambda: fw.sql("sqlite", TABLES, tables=[5]), "expected a str"),  # type: ignore[list-item]
        ("tables", lambda: fw.sql("sqlite", TABLES, tables=["\ud800"]), "lone surrogate"),
        ("connection", lambda: fw.sql("sqlite", {5: {"a": "text"}}), "5 among the tables is not a name"),
        ("connection", lambda: fw.sql("sqlite", {"t": {5: "text"}}), "5 among the columns of 't' is not a name"),
        ("connection", lambda: fw.sql("sqlite", {"\ud800": {"a": "text"}}), "among the tables is not a name"),
        ("hide", lambda: fw.sql("sqlite", TABLES, hide=["name"]), "expected a mapping"),  # type: ignore[arg-type]
        ("hide", lambda: fw.sql("sqlite", TABLES, hide={"orders": 5}), "a list of names"),  # type: ignore[dict-item]
        ("tables", lambda: fw.sql("sqlite", make_sqlite()), "no table is left"),
        ("hide", lambda: fw.sql("sqlite", TABLES, hide={"customer": ["name"]}), "no table 'customer'"),
        ("hide", lambda: fw.sql("sqlite", TABLES, hide={"customers": ["nam"]}), "no column 'nam'.*name"),
        ("tables", lambda: fw.sql("sqlite", {"t": {"id": "int"}}, hide={"t": ["id"]}), "no table is left"),
        (
            "keys",
            lambda: fw.sql("sqlite", TABLES, keys=[("orders.customer", "customers.id")]),
            "no column 'orders.customer'",
        ),
        ("keys", lambda: fw.sql("sqlite", TABLES, keys=["orders.customer_id"]), "expected pairs"),  # type: ignore[list-item]
        ("joins", lambda: fw.sql("sqlite", TABLES, joins="all"), 'expected "keys" or "types"'),  # type: ignore[arg-type]
        ("aliases", lambda: fw.sql("sqlite", TABLES, aliases={"order": "o"}), "no table 'order'"),
        ("aliases", lambda: fw.sql("sqlite", TABLES, aliases={"orders": "customers"}), "'customers' stands for"),
        ("aliases", lambda: fw.sql("sqlite", TABLES, aliases={"orders": [""]}), "names that stand for 'orders'"),
        ("aliases", lambda: fw.sql("sqlite", TABLES, aliases={"orders": []}), "names that stand for 'orders'"),
        ("aliases", lambda: fw.sql("sqlite", TABLES, aliases={"orders": 5}), "a list of names"),  # type: ignore[dict-item]
        ("aliases", lambda: fw.sql("sqlite", TABLES, aliases=["o"]), "expected a mapping"),  # type: ignore[arg-type]
        ("aliases", lambda: fw.sql("sqlite", TABLES, aliases={"orders": "\ud800"}), "lone surrogate"),
        ("max_tables", lambda: fw.sql("sqlite", TABLES, max_tables=0), "an integer from 1 to 6, got 0"),
        ("max_tables", lambda: fw.sql("sqlite", TABLES, max_tables=True), "an integer from 1 to 6, got True"),
        ("keywords", lambda: fw.sql("sqlite", TABLES, keywords="title"), 'expected "upper" or "lower"'),  # type: ignore[arg-type]
        ("limit", lambda: fw.sql("sqlite", TABLES, limit=0), "an integer from 1"),
        ("limit", lambda: fw.sql("sqlite", TABLES, limit=1.5), "an integer from 1"),  # type: ignore[arg-type]
        ("values", lambda: fw.sql("sqlite", TABLES, values={"orders.state": ["x"]}), "'orders.state' is not a column"),
        ("values", lambda: fw.sql("sqlite", TABLES, values={"orders.id": ["1"]}), "'orders.id' is not a column"),
        ("values", lambda: fw.sql("sqlite", TABLES, values={"orders.status": []}), "some printable texts"),
        ("values", lambda: fw.sql("sqlite", TABLES, values={"orders.status": "open"}), "some printable texts"),
        ("values", lambda: fw.sql("sqlite", TABLES, values={"orders.status": ["a\nb"]}), "some printable texts"),
        ("statements", lambda: fw.sql("sqlite", TABLES, statements=["select", "delete"]), "expected"),
        ("values", lambda: fw.sql("sqlite", TABLES, values=5), "a connection, got 5"),
        ("values", lambda: fw.sql("sqlite", TABLES, values={"orders.status": 5}), "some printable texts"),
        ("values", lambda: fw.sql("sqlite", TABLES, values={"orders.status": [["a"]]}), "some printable texts"),
        ("statements", lambda: fw.sql("sqlite", TABLES, statements="select"), "expected"),
        ("statements", lambda: fw.sql("sqlite", TABLES, statements=5), "expected"),  # type: ignore[arg-type]
    ],
)
def test_an_option_that_makes_no_sense_is_named(argument: str, make: Callable[[], object], says: str) -> None:
    with pytest.raises(ArgumentError, match=says) as caught:
        make()
    assert caught.value.argument == argument


def test_a_hidden_column_is_unknown_to_other_options() -> None:
    hide = {"customers": ["name"]}
    with pytest.raises(ArgumentError, match=r"'customers.name' is not a column"):
        fw.sql("sqlite", TABLES, hide=hide, values={"customers.name": ["Ada"]})
    with pytest.raises(ArgumentError, match="no table 'customers'"):
        fw.sql("sqlite", TABLES, tables=["orders"], aliases={"customers": "c"})
    form = fw.sql("sqlite", TABLES, hide={"customers": ["id"]}, keys=KEYS)
    assert not form.matches("SELECT name FROM orders JOIN customers ON orders.customer_id = customers.id")


def test_too_many_ways_to_join_are_an_error() -> None:
    with pytest.raises(LimitExceeded, match="sets of up to 3 tables") as caught:
        fw.sql("sqlite", CHAIN, joins="types")
    assert "tables=" in str(caught.value.hint)
    assert fw.sql("sqlite", CHAIN, joins="types", max_tables=1).matches("SELECT x FROM t59")
