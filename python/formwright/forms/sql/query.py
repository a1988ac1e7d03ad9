r"""What a text of SQL is read as: a query, with the tables and columns that it names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from formwright.errors import OutputInvalid
from formwright.forms.readers import plain
from formwright.forms.sql.scopes import Scopes
from formwright.forms.tree_readers import TreeReader
from formwright.forms.trees import Tree

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
        options = {"no_parameters": True}  # a percent sign in a text is not a parameter either
        return [tuple(row) for row in connection.exec_driver_sql(self.text, execution_options=options)]

    def __str__(self) -> str:
        return self.text


class QueryReader:
    """Reads a query by the tree that the grammar gives it.

    Attributes:
        description: What a prompt says about the form.
    """

    __slots__ = ("_columns", "_dialect", "_stars", "_tables", "_trees", "description")

    def __init__(self, trees: TreeReader, scopes: Scopes, dialect: str, description: str) -> None:
        self._trees, self._dialect, self.description = trees, dialect, description
        roles = scopes.roles
        self._tables = {f"t{number}": role.table.name for number, role in enumerate(roles)}
        self._stars = {
            f"r{number}": tuple(f"{roles[role].table.name}.*" for role in sorted(found))
            for number, found in enumerate(scopes.sets)
        } | {f"z{number}": (f"{role.table.name}.*",) for number, role in enumerate(roles)}
        self._columns = {
            f"{letter}{number}_{place}": f"{role.table.name}.{column.name}"
            for number, role in enumerate(roles)
            for place, column in enumerate(role.table.columns)
            for letter in "qu"
        }

    @property
    def grammar(self) -> str:
        """The grammar of the queries, in Lark."""
        return self._trees.grammar

    def __call__(self, text: str) -> Query:
        """The query of a text that conforms. Raises OutputInvalid, LimitExceeded."""
        tree = self._trees(text)
        if not isinstance(tree, Tree):
            raise OutputInvalid("the text is not a query", text=plain(text))
        tables: dict[str, None] = {}
        columns: dict[str, None] = {}
        for rule in tree.rules():
            if rule in self._tables:
                tables[self._tables[rule]] = None
            elif rule in self._columns:
                columns[self._columns[rule]] = None
            elif rule in self._stars:
                columns |= dict.fromkeys(self._stars[rule])
        return Query(plain(text), tuple(tables), tuple(columns), "select", self._dialect)
