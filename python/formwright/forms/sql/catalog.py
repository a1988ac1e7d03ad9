r"""Which tables a database has, which columns they have, and by which keys they belong together.

::

    catalog = read_catalog("sqlite", {"orders": {"id": "integer", "status": "text"}})
    [column.class_ for column in catalog.tables[0].columns]       # ['number', 'text']

A catalog is read once; the connection is not kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Literal

from formwright._options import suggest_name
from formwright.errors import ArgumentError
from formwright.forms.text_checks import check_text

__all__ = [
    "Catalog",
    "Class",
    "Column",
    "Key",
    "Table",
    "check_mapping",
    "class_of",
    "database_errors",
    "fetch",
    "list_names",
    "read_catalog",
]

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
    """The tables of a database, and the keys between them; ``broken`` are views that it cannot read, and why."""

    tables: tuple[Table, ...]
    keys: tuple[Key, ...] = ()
    broken: tuple[tuple[str, str], ...] = ()

    def table(self, name: str, argument: str) -> Table:
        """The table of this name. Raises ArgumentError."""
        check_text(name, argument)
        for table in self.tables:
            if table.name == name:
                return table
        for view, reason in self.broken:
            if view == name:
                raise ArgumentError(
                    f"{argument}: the database cannot read the view {name!r}: {reason}", argument=argument
                )
        known = suggest_name(name, [table.name for table in self.tables])
        raise ArgumentError(f"{argument}: there is no table {name!r}{known}", argument=argument)

    def restrict(self, tables: Iterable[str] | None, hide: Mapping[str, Iterable[str]]) -> Catalog:
        """The catalog of some tables only, without hidden columns and without the keys that mention what is left out.

        Raises:
            ArgumentError: A table or column is unknown, or nothing is left.
        """
        given = None if tables is None else list_names(tables, "tables")
        kept = self.tables if given is None else tuple(self.table(name, "tables") for name in dict.fromkeys(given))
        hidden: dict[str, set[str]] = {}
        for name, columns in check_mapping(hide, "hide", '{"customers": ["password"]}').items():
            table = self.table(name, "hide")
            hidden[name] = {columns} if isinstance(columns, str) else set(list_names(columns, "hide"))
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


def list_names(given: object, argument: str) -> list[str]:
    """Names that a user lists. Raises ArgumentError."""
    if isinstance(given, str) or not isinstance(given, Iterable):
        hint = f"pass a list: [{given!r}]" if isinstance(given, str) else None
        raise ArgumentError(f"{argument}: expected a list of names, got {given!r}", hint=hint, argument=argument)
    names = list(given)
    for name in names:
        check_text(name, argument)
    return names


def check_mapping(given: object, argument: str, example: str) -> Mapping[Any, Any]:
    """A mapping that a user gives by table. Raises ArgumentError."""
    if isinstance(given, Mapping):
        return given
    raise ArgumentError(f"{argument}: expected a mapping, got {given!r}", hint=example, argument=argument)


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
    with database_errors("connection"):
        catalog = _read_source(dialect, source)
    _check_names(catalog)
    return replace(catalog, keys=(*catalog.keys, *_read_keys(catalog, keys or ())))


def _read_source(dialect: str, source: Any) -> Catalog:
    kind = _kind_of(source)
    if isinstance(source, Mapping):
        return _read_mapping(source)
    if kind == "sqlite3" and dialect == "sqlite":
        return _read_sqlite(source)
    if kind == "duckdb" and dialect == "duckdb":
        return _read_duckdb(source)
    if kind == "sqlalchemy":
        return _read_sqlalchemy(source)
    raise ArgumentError(
        f"connection: expected a database of {dialect}, got {type(source).__module__}.{type(source).__name__}",
        hint="pass a connection of sqlite3 or duckdb, an engine of SQLAlchemy, or the types of the columns of each "
        'table: {"orders": {"id": "integer"}}',
        argument="connection",
    )


def _kind_of(value: object) -> str:
    """The package of a connection or of an error, where it is one of a database."""
    return type(value).__module__.partition(".")[0].removeprefix("_")


def _is_of_database(error: Exception) -> bool:
    return _kind_of(error) in ("duckdb", "sqlalchemy", "sqlite3")


@contextmanager
def database_errors(argument: str) -> Iterator[None]:
    """Makes errors of a database errors of the argument that gives it, as where a connection is closed."""
    try:
        yield
    except Exception as error:
        if not _is_of_database(error):
            raise
        reason = str(error).partition("\n")[0]
        raise ArgumentError(f"{argument}: the database cannot be read: {reason}", argument=argument) from error


def _check_names(catalog: Catalog) -> None:
    """Names must differ in more than their case. Raises ArgumentError."""
    for what, names in (
        ("tables", [table.name for table in catalog.tables]),
        *((f"columns of {table.name!r}", [column.name for column in table.columns]) for table in catalog.tables),
    ):
        seen: dict[str, str] = {}
        for name in names:
            if not isinstance(name, str) or not name or "\0" in name or _has_surrogates(name):
                raise ArgumentError(f"connection: {name!r} among the {what} is not a name", argument="connection")
            if name.casefold() in seen:
                message = f"connection: two {what} are called {seen[name.casefold()]!r} and {name!r}"
                raise ArgumentError(message, argument="connection")
            seen[name.casefold()] = name


def _has_surrogates(name: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in name)


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
    """The rows of a query. A connection of SQLite may give its texts as bytes."""
    rows = connection.execute(query, list(values)).fetchall()
    return [tuple(cell.decode() if isinstance(cell, bytes) else cell for cell in row) for row in rows]


def _read_sqlite(connection: Any) -> Catalog:
    names = fetch(connection, "SELECT name, type FROM sqlite_master WHERE type IN ('table', 'view') ORDER BY rowid")
    tables, keys, broken = [], [], []
    primary: dict[str, list[str]] = {}
    for name, kind in names:
        if name.startswith("sqlite_"):
            continue
        try:
            rows = fetch(connection, "SELECT * FROM pragma_table_xinfo(?)", name)
        except Exception as error:
            if kind != "view" or not _is_of_database(error):
                raise
            broken.append((name, str(error)))
            continue
        columns = []
        ranked = []
        for _, column, type_, not_null, _, rank, hidden in rows:
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
                spelled = tuple(_spell_column(parent_table, one) for one in parents)
                keys.append(Key(table.name, tuple(column for _, column, _ in parts), parent_table.name, spelled))
    return Catalog(tuple(tables), tuple(keys), tuple(broken))


def _spell_column(table: Table, name: str) -> str:
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
    broken = _broken_views(connection)
    for table, column, type_, is_nullable in rows:
        if table not in broken:
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
        tuple(broken.items()),
    )


def _broken_views(connection: Any) -> dict[str, str]:
    """The views that DuckDB cannot read, and why: what they select may have changed since it listed their columns."""
    views = fetch(
        connection,
        "SELECT view_name FROM duckdb_views() WHERE schema_name = current_schema() "
        "AND database_name = current_database() AND NOT internal",
    )
    broken = {}
    for (view,) in views:
        quoted = view.replace('"', '""')
        try:
            fetch(connection, f'SELECT * FROM "{quoted}" LIMIT 0')
        except Exception as error:
            if not _is_of_database(error):
                raise
            broken[view] = str(error).partition("\n")[0]
    return broken


def _read_sqlalchemy(source: Any) -> Catalog:
    from sqlalchemy import inspect
    from sqlalchemy.engine.reflection import Inspector
    from sqlalchemy.exc import SQLAlchemyError

    inspector = source if isinstance(source, Inspector) else inspect(source)
    tables, keys, broken = [], [], []
    views = set(inspector.get_view_names())
    for name in dict.fromkeys([*inspector.get_table_names(), *inspector.get_view_names()]):
        try:
            listed = inspector.get_columns(name)
        except SQLAlchemyError as error:
            if name not in views:
                raise
            broken.append((name, str(error).partition("\n")[0]))
            continue
        columns = []
        for column in listed:
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
    return Catalog(tuple(tables), tuple(key for key in keys if key.parent in names), tuple(broken))
