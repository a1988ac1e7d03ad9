r"""What a text of SQL is read as: a query, with the tables and columns that it names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from formwright.forms.readers import plain
from formwright.forms.sql.dialects import RESERVED, Dialect
from formwright.forms.sql.scopes import Scopes

__all__ = ["Query", "QueryReader"]


@dataclass(frozen=True, slots=True)
class Query:
    """A query that only names what its database has.

    Attributes:
        text: The query, as it is run.
        tables: The tables that it reads, in the order in which FROM first names them.
        columns: The columns that it reads, as ``table.column``, in the order in which they are first named; ``table.*``
            where all are asked for.
        kind: ``"select"``.
        dialect: The dialect that it is written in.
    """

    text: str
    tables: tuple[str, ...]
    columns: tuple[str, ...]
    kind: str
    dialect: str

    def run(self, connection: Any) -> list[tuple[Any, ...]]:
        """The rows that a database gives.

        Args:
            connection: A connection of ``sqlite3``, DuckDB or another DB-API driver, or an engine or connection of
                SQLAlchemy.
        """
        if type(connection).__module__.partition(".")[0] == "sqlalchemy":
            return self._run_sqlalchemy(connection)
        runs = connection if hasattr(connection, "execute") else connection.cursor()
        found = runs.execute(self.text)
        return [tuple(row) for row in (runs if found is None else found).fetchall()]

    def _run_sqlalchemy(self, connection: Any) -> list[tuple[Any, ...]]:
        if hasattr(connection, "connect"):  # an engine; exec_driver_sql takes no parameters from colons in texts
            with connection.connect() as opened:
                return self._run_sqlalchemy(opened)
        options = {"no_parameters": True}  # nor from percent signs
        return [tuple(row) for row in connection.exec_driver_sql(self.text, execution_options=options)]

    def __str__(self) -> str:
        return self.text


class QueryReader:
    """Reads a query that conforms: which tables and columns it names.

    Attributes:
        description: What a prompt says about the form.
        grammar: The rules of the queries, in Lark, with the names of tables and columns.
    """

    __slots__ = ("_columns", "_dialect", "_tables", "description", "grammar")

    def __init__(self, scopes: Scopes, dialect: Dialect, grammar: str, description: str) -> None:
        self._dialect, self.grammar, self.description = dialect.name, grammar, description
        quote = dialect.quote
        self._tables = {quote(role.name): role.table.name for role in scopes.roles}
        self._columns = {
            quote(role.name): {quote(column.name): f"{role.table.name}.{column.name}" for column in role.table.columns}
            for role in scopes.roles
        }

    def __call__(self, text: str) -> Query:
        """The query of a text that conforms."""
        shown = plain(text)
        found = _Finder(self._tables, self._columns)
        for word in _WORD.finditer(shown):
            found.read(word)
        tables, columns = found.close()
        return Query(shown, tables, columns, "select", self._dialect)


_WORD = re.compile(
    r"""'(?:[^']|'')*'
    | (?P<name>"(?:[^"]|"")*"|[^\W\d]\w*)(?:\.(?P<part>\*|"(?:[^"]|"")*"|[^\W\d]\w*))?(?P<call>\()?
    | (?P<sign>[()*]|[0-9]+)""",
    re.VERBOSE,
)
"""A text, a name or keyword, a number, or a sign that matters."""

_KEYWORDS = frozenset(word.upper() for word in RESERVED)

_AFTER_FROM = frozenset(["WHERE", "GROUP", "HAVING", "ORDER", "LIMIT"])


@dataclass(slots=True)
class _Select:
    """What is known of a SELECT while it is read.

    Attributes:
        depth: How many brackets are open around it.
        is_exists: Whether it only asks for the existence of rows, so that its star reads nothing.
        roles: The roles in FROM, each with its place.
        names: Names that have no role before them, with their places; ``*`` for all columns.
        is_in_from: Whether FROM has begun and not ended.
    """

    depth: int
    is_exists: bool
    roles: list[tuple[int, str]] = field(default_factory=list)
    names: list[tuple[int, str]] = field(default_factory=list)
    is_in_from: bool = False


class _Finder:
    """Finds the tables and columns of a query that conforms, word by word.

    Args:
        tables: By role, as it is written: its table.
        columns: By role and column, as they are written: the table and the column.
    """

    def __init__(self, tables: Mapping[str, str], columns: Mapping[str, Mapping[str, str]]) -> None:
        self._tables, self._columns = tables, columns
        self._open: list[_Select] = []
        self._depth = 0
        self._last = self._before_bracket = ""
        self._skips_from = False
        self._found: list[tuple[int, bool, str]] = []

    def close(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The tables and the columns, in the order in which they are first named."""
        self._close_to(-1)
        found = sorted(self._found)
        tables = dict.fromkeys(name for _, is_table, name in found if is_table)
        columns = dict.fromkeys(name for _, is_table, name in found if not is_table)
        return tuple(tables), tuple(columns)

    def read(self, word: re.Match[str]) -> None:
        """Read the next word."""
        name, place = word["name"], word.start()
        if name is None:
            self._read_sign(word[0], place)
        elif word["call"]:
            self._depth += 1
            self._last = name.upper()
            self._skips_from = self._last == "EXTRACT"
        elif self._last == "EXTRACT":
            self._last = "("  # the part that is extracted
        elif word["part"]:
            self._add_column(place, name, word["part"])
            self._last = ""
        elif name.upper() in _KEYWORDS:
            self._read_keyword(name.upper())
        else:
            self._read_name(place, name)
            self._last = ""

    def _read_sign(self, sign: str, place: int) -> None:
        if sign == "(":
            self._depth += 1
            self._before_bracket = self._last
        elif sign == ")":
            self._depth -= 1
            self._close_to(self._depth)
        elif sign == "*" and self._last in ("SELECT", "DISTINCT") and not self._open[-1].is_exists:
            self._open[-1].names.append((place, "*"))
        self._last = sign

    def _read_keyword(self, keyword: str) -> None:
        if keyword == "SELECT":
            is_exists = self._last == "(" and self._before_bracket == "EXISTS"
            self._close_to(self._depth - 1)  # a SELECT before UNION
            self._open.append(_Select(self._depth, is_exists))
        elif keyword == "FROM" and self._skips_from:
            self._skips_from = False
        elif keyword == "FROM":
            self._open[-1].is_in_from = True
        elif keyword in _AFTER_FROM:
            self._open[-1].is_in_from = False
        self._last = keyword

    def _read_name(self, place: int, name: str) -> None:
        select = self._open[-1]
        if self._last in ("FROM", "JOIN") and select.is_in_from:
            select.roles.append((place, name))
        elif self._last == "AS" and select.is_in_from and select.roles:
            select.roles[-1] = (select.roles[-1][0], name)
        elif self._last != "AS":
            select.names.append((place, name))

    def _add_column(self, place: int, role: str, column: str) -> None:
        if column == "*":
            self._found.append((place, False, f"{self._tables[role]}.*"))
        elif role in self._columns:
            self._found.append((place, False, self._columns[role][column]))

    def _close_to(self, depth: int) -> None:
        """Close each SELECT that is deeper. What its FROM has not belongs to the SELECT around it."""
        while self._open and self._open[-1].depth > depth:
            select = self._open.pop()
            roles = [role for _, role in select.roles]
            self._found += [(place, True, self._tables[role]) for place, role in select.roles]
            for place, name in select.names:
                if name == "*":
                    self._found += [(place, False, f"{self._tables[role]}.*") for role in roles]
                elif role := next((role for role in roles if name in self._columns[role]), None):
                    self._found.append((place, False, self._columns[role][name]))
                elif self._open:
                    self._open[-1].names.append((place, name))
