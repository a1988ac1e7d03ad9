r"""SQL that can only name what exists: queries over the tables of a database.

::

    import sqlite3

    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE orders(id INTEGER PRIMARY KEY, status TEXT)")
    form = fw.sql("sqlite", connection)     # then model.generate("How many orders are open?", form).value
    query = form.parse("SELECT COUNT(*) FROM orders WHERE status = 'open'")
    query.columns                           # ('orders.status',)
    query.run(connection)                   # [(0,)]

The names of tables and columns are those of the database, each beside a FROM that has it; what is compared is of one
class of types; joins follow keys; and it is one SELECT, whatever the prompt says. So the database can explain and run
every query; what its rows still decide is whether a number overflows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from formwright._kernel import Language
from formwright.errors import ArgumentError, LimitExceeded
from formwright.forms.form import Form
from formwright.forms.free_text import format as format_form
from formwright.forms.json_forms import json_schema
from formwright.forms.kept import find_form
from formwright.forms.sql.catalog import Catalog, check_mapping, database_errors, list_names, read_catalog
from formwright.forms.sql.dialects import Dialect, dialect_of
from formwright.forms.sql.queries import QueryWriter
from formwright.forms.sql.query import Query, QueryReader
from formwright.forms.sql.scopes import Scopes

__all__ = ["Query", "sql"]

MOST_VALUES = 1_000
"""Texts of a column that become a choice, at most, where they are read from the database."""


def sql(
    dialect: Literal["sqlite", "duckdb", "postgres"],
    connection: Any,
    *,
    tables: Iterable[str] | None = None,
    keys: Iterable[tuple[str, str]] | Mapping[str, str] | None = None,
    hide: Mapping[str, Iterable[str]] | None = None,
    joins: Literal["keys", "types"] = "keys",
    aliases: Mapping[str, str | Iterable[str]] | None = None,
    max_tables: int = 3,
    keywords: Literal["upper", "lower"] = "upper",
    limit: int | None = None,
    values: Mapping[str, Sequence[str]] | Any = None,
    statements: Iterable[str] = ("select",),
) -> Form[Query]:
    """Make a form of queries over the tables of a database.

    Args:
        dialect: ``"sqlite"``, ``"duckdb"`` or ``"postgres"``.
        connection: A connection of ``sqlite3`` or DuckDB, an engine, connection or inspector of SQLAlchemy, or for each
            table the types of its columns: ``{"orders": {"id": "integer"}}``. It is read once and not kept; the form of
            a catalog is, so that the same call is quick.
        tables: The tables that queries may name; ``None`` for all.
        keys: Foreign keys beside those that the database declares: ``("orders.customer_id", "customers.id")``.
        hide: By table: columns that no query may name. ``*`` does not stand for the columns of such a table. A view is
            a table of its own, and carries what it selects of hidden columns: hide those of the view, too.
        joins: ``"keys"`` joins tables by foreign keys, ``"types"`` also by any two columns of one declared type.
        aliases: By table: what stands for it instead of its name. A table with two aliases can be joined with itself.
        max_tables: Tables of one FROM, at most.
        keywords: Whether keywords are in upper or in lower case.
        limit: Rows at most: each query ends with LIMIT and a number up to it.
        values: By ``"table.column"``: the texts that literals beside the column may be. A connection stands for what
            its columns of texts hold, where these are at most 1,000 different texts of up to 100 characters.
        statements: ``("select",)``, the one kind of statements that is written.

    Raises:
        ArgumentError: An option is something else, or names a table or column that is unknown or hidden.
        LimitExceeded: There are too many tables, or too many ways to join them.
    """
    chosen = dialect_of(dialect)
    if isinstance(statements, str) or not isinstance(statements, Iterable) or list(statements) != ["select"]:
        message = f"statements: expected ('select',), got {statements!r}"
        raise ArgumentError(message, hint="statements that change rows are not written", argument="statements")
    if keywords not in ("upper", "lower"):
        raise ArgumentError(f'keywords: expected "upper" or "lower", got {keywords!r}', argument="keywords")
    _check_count(max_tables, "max_tables", 1, 6)
    if limit is not None:
        _check_count(limit, "limit", 1, 10**9)
    catalog = read_catalog(dialect, connection, keys).restrict(tables, {} if hide is None else hide)
    literals = _read_values(catalog, chosen, values)
    named = {
        table: tuple(list_names([given] if isinstance(given, str) else given, "aliases"))
        for table, given in check_mapping({} if aliases is None else aliases, "aliases", '{"people": ["boss"]}').items()
    }

    def make() -> Form[Query]:
        scopes = Scopes(catalog, joins, named, max_tables)
        writer = QueryWriter(scopes, chosen, literals, keywords == "lower", limit is not None)
        language = _build_queries(writer, scopes, limit)
        reader = QueryReader(scopes, chosen, writer.grammar, _describe(catalog, chosen, limit))
        return Form(language, reader, f"sql {dialect} over {len(catalog.tables)} tables", "value")

    options = (joins, max_tables, keywords, limit)
    texts = tuple((place, tuple(found)) for place, found in literals.items())
    return find_form(("sql", dialect, catalog, tuple(named.items()), texts, options), make)


def _build_queries(writer: QueryWriter, scopes: Scopes, limit: int | None) -> Language:
    """The language of the queries. Raises LimitExceeded."""
    forms = [("day", format_form("date").language)]
    if limit is not None:
        forms.append(("limit", json_schema({"type": "integer", "minimum": 1, "maximum": limit}).language))
    try:
        return writer.build(forms)
    except LimitExceeded as error:
        raise LimitExceeded(
            f"the queries over {len(scopes.sets):,} sets of tables are too many: {error}",
            hint="pass tables= with those that questions are about, or a smaller max_tables=",
        ) from error


def _check_count(value: object, argument: str, low: int, high: int) -> None:
    if type(value) is not int or not low <= value <= high:
        message = f"{argument}: expected an integer from {low} to {high:,}, got {value!r}"
        raise ArgumentError(message, argument=argument)


def _read_values(catalog: Catalog, dialect: Dialect, values: Any) -> dict[tuple[str, str], list[str]]:
    """By table and column: the texts that literals are chosen from. Raises ArgumentError."""
    if values is None:
        return {}
    if not isinstance(values, Mapping):
        if not any(hasattr(values, name) for name in ("execute", "cursor", "connect")):
            message = f"values: expected texts by column or a connection, got {values!r}"
            raise ArgumentError(message, hint='{"orders.status": ["open", "paid"]}', argument="values")
        with database_errors("values"):
            return _fetch_values(catalog, dialect, values)
    found = {}
    for name, options in values.items():
        place = next(
            (
                (table.name, column)
                for table in catalog.tables
                for column in table.columns
                if f"{table.name}.{column.name}" == name
            ),
            None,
        )
        if place is None or place[1].class_ != "text":
            raise ArgumentError(f"values: {name!r} is not a column of texts", argument="values")
        is_list = isinstance(options, Iterable) and not isinstance(options, str)
        texts = list(options) if is_list else []
        if not texts or not all(isinstance(text, str) and text.isprintable() for text in texts):
            raise ArgumentError(
                f"values: expected some printable texts for {name!r}, got {options!r}", argument="values"
            )
        found[place[0], place[1].name] = list(dict.fromkeys(texts))
    return found


def _fetch_values(catalog: Catalog, dialect: Dialect, connection: Any) -> dict[tuple[str, str], list[str]]:
    found = {}
    for table in catalog.tables:
        for column in table.columns:
            if column.class_ == "text":
                name = dialect.quote(column.name)
                query = f"SELECT DISTINCT {name} FROM {dialect.quote(table.name)} LIMIT {MOST_VALUES + 2}"
                rows = Query(query, (), (), "select", dialect.name).run(connection)
                texts = [text for (text,) in rows if text is not None]
                if 0 < len(texts) <= MOST_VALUES and all(_is_option(text) for text in texts):
                    found[table.name, column.name] = sorted(texts)
    return found


def _is_option(text: object) -> bool:
    return isinstance(text, str) and len(text) <= 100 and text.isprintable()


def _describe(catalog: Catalog, dialect: Dialect, limit: int | None) -> str:
    """What a prompt says: the tables, their columns with their types, and the keys."""
    rows = f", of at most {limit} rows" if limit else ""
    lines = [f"Answer with one SELECT in {dialect.title}{rows}, and nothing else. These are the tables:"]
    for table in catalog.tables:
        columns = ", ".join(f"{dialect.quote(column.name)} {column.type}".strip() for column in table.columns)
        lines.append(f"{dialect.quote(table.name)}({columns})")
    for key in catalog.keys:
        pairs = zip(key.columns, key.parent_columns, strict=True)
        lines += [
            f"{dialect.quote(key.table)}.{dialect.quote(one)} = {dialect.quote(key.parent)}.{dialect.quote(other)}"
            for one, other in pairs
        ]
    return "\n".join(lines)
