r"""Which tables a database has, which columns they have, and by which keys they belong together.

::

    catalog = read_catalog("sqlite", {"orders": {"id": "integer", "status": "text"}})
    [column.class_ for column in catalog.tables[0].columns]       # ['number', 'text']

A catalog is read once; the connection is not kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from formwright._options import suggest_name
from formwright.errors import ArgumentError

__all__ = ["Catalog", "Class", "Column", "Key", "Table", "class_of", "fetch", "read_catalog"]

Class = Literal["number", "text", "boolean", "date", "timestamp", "other"]
"""What the values of a column may be compared with: those of its own class; those of ``"other"`` with none."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name as the database spells it, its declared type, its class, and whether it takes NULL."""

    name: str
    type: str
    class_: Class
    is_nullable: bool = True
    is_generated: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """A table or view. ``is_whole`` says that no column of it is hidden."""

    name: str
    columns: tuple[Column, ...]
    is_whole: bool = True

    def has(self, column: str) -> bool:
        """Whether it has a column of this name."""
        return any(column == known.name for known in self.columns)


@dataclass(frozen=True, slots=True)
class Key:
    """A foreign key: the columns of ``table`` whose values are found in those of ``parent``."""

    table: str
    columns: tuple[str, ...]
    parent: str
    parent_columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Catalog:
    """The tables of a database, and the keys between them."""

    tables: tuple[Table, ...]
    keys: tuple[Key, ...] = ()

    def table(self, name: str, argument: str) -> Table:
        """The table of this name. Raises ArgumentError."""
        for table in self.tables:
            if table.name == name:
                return table
        known = suggest_name(name, [table.name for table in self.tables])
        raise ArgumentError(f"{argument}: there is no table {name!r}{known}", argument=argument)

    def restrict(self, tables: Iterable[str] | None, hide: Mapping[str, Iterable[str]]) -> Catalog:
        """The catalog of some tables only, without hidden columns and without the keys that mention what is left out.

        Raises:
            ArgumentError: A table or column is unknown, or nothing is left.
        """
        kept = self.tables if tables is None else tuple(self.table(name, "tables") for name in dict.fromkeys(tables))
        hidden: dict[str, set[str]] = {}
        for name, columns in hide.items():
            table = self.table(name, "hide")
            hidden[name] = {columns} if isinstance(columns, str) else set(columns)
            for column in sorted(hidden[name]):
                if not table.has(column):
                    known = suggest_name(column, [one.name for one in table.columns])
                    raise ArgumentError(f"hide: {name!r} has no column {column!r}{known}", argument="hide")
        left = tuple(_without(table, hidden.get(table.name, set())) for table in kept)
        left = tuple(table for table in left if table.columns)
        if not left:
            raise ArgumentError("no table is left that has a column", argument="tables")
        names = {table.name: table for table in left}
        keys = tuple(key for key in self.keys if _is_within(key, names))
        return Catalog(left, keys)


def _without(table: Table, hidden: set[str]) -> Table:
    columns = tuple(column for column in table.columns if column.name not in hidden)
    return replace(table, columns=columns, is_whole=table.is_whole and len(columns) == len(table.columns))


def _is_within(key: Key, tables: Mapping[str, Table]) -> bool:
    ends = ((key.table, key.columns), (key.parent, key.parent_columns))
    return all(name in tables and all(tables[name].has(column) for column in columns) for name, columns in ends)


_CLASSES: tuple[tuple[Class, str], ...] = (
    (
        "other",
        r"\[|list|map|struct|union|json|interval|blob|bytea|binary|uuid|bit\b|money|enum|range|point|box|inet"
        r"|\btime\b(?! zone)",
    ),
    ("timestamp", r"timestamp|datetime"),
    ("date", r"date"),
    ("other", r"time"),
    ("boolean", r"bool"),
    ("number", r"int|serial|real|floa|doub|numeric|decimal|number"),
    ("text", r"char|clob|text|string|name\b"),
)


def class_of(type_: str) -> Class:
    """The class of a declared type. Types that nothing is known of are ``"other"``: they can be selected."""
    lowered = type_.strip().lower()
    with_zone = re.search(r"(timestamp|time) ?(\(\d+\))? with time zone|timestamptz|timetz", lowered)
    if with_zone:
        return "other"
    return next((class_ for class_, pattern in _CLASSES if re.search(pattern, lowered)), "other")


def read_catalog(dialect: str, source: Any, keys: Any = None) -> Catalog:
    """The tables of a database.

    Args:
        dialect: The dialect of SQL.
        source: A connection of ``sqlite3`` or DuckDB, an engine, connection or inspector of SQLAlchemy, or for each
            table the types of its columns.
        keys: Foreign keys beside those of the database: pairs of ``"table.column"`` and ``"parent.column"``.

    Raises:
        ArgumentError: ``source`` or ``keys`` is something else, or a name occurs twice.
    """
    kind = type(source).__module__.partition(".")[0]
    if isinstance(source, Mapping):
        catalog = _read_mapping(source)
    elif kind == "sqlite3" and dialect == "sqlite":
        catalog = _read_sqlite(source)
    elif kind in ("duckdb", "_duckdb") and dialect == "duckdb":
        catalog = _read_duckdb(source)
    elif kind == "sqlalchemy":
        catalog = _read_sqlalchemy(source)
    else:
        raise ArgumentError(
            f"connection: expected a database of {dialect}, got {type(source).__module__}.{type(source).__name__}",
            hint="pass a connection of sqlite3 or duckdb, an engine of SQLAlchemy, or the types of the columns of each "
            'table: {"orders": {"id": "integer"}}',
            argument="connection",
        )
    _check_names(catalog)
    return replace(catalog, keys=(*catalog.keys, *_read_keys(catalog, keys or ())))


def _check_names(catalog: Catalog) -> None:
    """Names must differ in more than their case. Raises ArgumentError."""
    for what, names in (
        ("tables", [table.name for table in catalog.tables]),
        *((f"columns of {table.name!r}", [column.name for column in table.columns]) for table in catalog.tables),
    ):
        seen: dict[str, str] = {}
        for name in names:
            if not name or "\0" in name:
                raise ArgumentError(f"connection: {name!r} among the {what} is not a name", argument="connection")
            if name.casefold() in seen:
                message = f"connection: two {what} are called {seen[name.casefold()]!r} and {name!r}"
                raise ArgumentError(message, argument="connection")
            seen[name.casefold()] = name


def _read_keys(catalog: Catalog, keys: Iterable[Any]) -> list[Key]:
    try:
        pairs = [(str(one), str(other)) for one, other in (keys.items() if isinstance(keys, Mapping) else keys)]
    except (TypeError, ValueError) as error:
        message = 'keys: expected pairs such as ("orders.customer_id", "customers.id")'
        raise ArgumentError(message, argument="keys") from error
    return [Key(*_end(catalog, one), *_end(catalog, other)) for one, other in pairs]


def _end(catalog: Catalog, end: str) -> tuple[str, tuple[str]]:
    for table in catalog.tables:
        column = end.removeprefix(f"{table.name}.")
        if column != end and table.has(column):
            return table.name, (column,)
    every = [f"{table.name}.{column.name}" for table in catalog.tables for column in table.columns]
    raise ArgumentError(f"keys: there is no column {end!r}{suggest_name(end, every)}", argument="keys")


def _read_mapping(source: Mapping[str, Any]) -> Catalog:
    tables = []
    for name, columns in source.items():
        if not isinstance(columns, Mapping) or not all(isinstance(type_, str) for type_ in columns.values()):
            message = f"connection: expected the types of the columns of {name!r}, got {columns!r}"
            raise ArgumentError(message, hint='{"orders": {"id": "integer"}}', argument="connection")
        tables.append(Table(name, tuple(Column(one, type_, class_of(type_)) for one, type_ in columns.items())))
    return Catalog(tuple(tables))


def fetch(connection: Any, query: str, *values: Any) -> list[tuple[Any, ...]]:
    """The rows of a query."""
    return [tuple(row) for row in connection.execute(query, list(values)).fetchall()]


def _read_sqlite(connection: Any) -> Catalog:
    names = fetch(connection, "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') ORDER BY rowid")
    tables, keys = [], []
    primary: dict[str, list[str]] = {}
    for (name,) in names:
        if name.startswith("sqlite_"):
            continue
        columns = []
        ranked = []
        for _, column, type_, not_null, _, rank, hidden in fetch(
            connection, "SELECT * FROM pragma_table_xinfo(?)", name
        ):
            if hidden != 1:  # 1: a hidden column of a virtual table; 2 and 3: generated ones
                columns.append(Column(column, type_, class_of(type_), not not_null and not rank, bool(hidden)))
                ranked += [(rank, column)] if rank else []
        tables.append(Table(name, tuple(columns)))
        primary[name] = [column for _, column in sorted(ranked)]
    known = {table.name.casefold(): table for table in tables}
    for table in tables:
        grouped: dict[int, list[tuple[str, str, str | None]]] = {}
        rows = fetch(connection, 'SELECT id, seq, "table", "from", "to" FROM pragma_foreign_key_list(?)', table.name)
        for number, _, parent, column, parent_column in sorted(rows, key=lambda row: row[:2]):
            grouped.setdefault(number, []).append((parent, column, parent_column))
        for parts in grouped.values():
            parent_table = known.get(parts[0][0].casefold())
            if parent_table is None:
                continue
            parents = [to for *_, to in parts if to] or primary[parent_table.name]
            if len(parents) == len(parts):
                spelled = tuple(_find_spelling(parent_table, one) for one in parents)
                keys.append(Key(table.name, tuple(column for _, column, _ in parts), parent_table.name, spelled))
    return Catalog(tuple(tables), tuple(keys))


def _find_spelling(table: Table, name: str) -> str:
    """The name of a column as its table declares it: a key may write it in another case."""
    return next((column.name for column in table.columns if column.name.casefold() == name.casefold()), name)


def _read_duckdb(connection: Any) -> Catalog:
    rows = fetch(
        connection,
        "SELECT table_name, column_name, data_type, is_nullable FROM duckdb_columns() "
        "WHERE schema_name = current_schema() AND database_name = current_database() AND NOT internal "
        "ORDER BY table_oid, column_index",
    )
    columns: dict[str, list[Column]] = {}
    for table, column, type_, is_nullable in rows:
        columns.setdefault(table, []).append(Column(column, type_, class_of(type_), bool(is_nullable)))
    keys = fetch(
        connection,
        "SELECT table_name, constraint_column_names, referenced_table, referenced_column_names "
        "FROM duckdb_constraints() WHERE constraint_type = 'FOREIGN KEY' "
        "AND schema_name = current_schema() AND database_name = current_database()",
    )
    return Catalog(
        tuple(Table(name, tuple(found)) for name, found in columns.items()),
        tuple(Key(table, tuple(own), parent, tuple(others)) for table, own, parent, others in keys),
    )


def _read_sqlalchemy(source: Any) -> Catalog:
    from sqlalchemy import inspect
    from sqlalchemy.engine.reflection import Inspector

    inspector = source if isinstance(source, Inspector) else inspect(source)
    tables, keys = [], []
    for name in [*inspector.get_table_names(), *inspector.get_view_names()]:
        columns = []
        for column in inspector.get_columns(name):
            type_ = column["type"]
            spelled = type(type_).__name__ if str(type_) == "NULL" else str(type_)
            zone = " with time zone" if getattr(type_, "timezone", False) else ""
            class_ = "other" if hasattr(type_, "enums") else class_of(spelled + zone)
            is_nullable, is_generated = bool(column.get("nullable", True)), bool(column.get("computed"))
            columns.append(Column(column["name"], spelled, class_, is_nullable, is_generated))
        tables.append(Table(name, tuple(columns)))
        for key in inspector.get_foreign_keys(name):
            ends: Sequence[str] = key["referred_columns"]
            keys.append(Key(name, tuple(key["constrained_columns"]), key["referred_table"], tuple(ends)))
    names = {table.name for table in tables}
    return Catalog(tuple(tables), tuple(key for key in keys if key.parent in names))
