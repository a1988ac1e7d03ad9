r"""What dialects of SQL write differently: names, functions of dates, roundings.

A word that one of the three reserves is quoted in all of them; so the same catalog gives nearly the same queries.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from formwright._options import suggest_name
from formwright.errors import ArgumentError

__all__ = ["DIALECTS", "RESERVED", "Dialect", "dialect_of"]

_RESERVED = """
abort action add after all alter always analyse analyze and anti any array as asc asof asymmetric at attach
authorization autoincrement before begin between bigint binary bit boolean both by cascade case cast char character
check coalesce collate collation column columns commit concurrently conflict constraint create cross current
current_catalog current_date current_role current_schema current_time current_timestamp current_user database dec
decimal default deferrable deferred delete desc describe detach distinct do drop each else end escape except exclude
exclusive exists explain extract fail false fetch filter first float following for foreign freeze from full
generated glob grant greatest group grouping grouping_id groups having if ignore ilike immediate in index indexed
initially inner inout insert instead int integer intersect interval into is isnull join json_array json_arrayagg
json_object json_objectagg json_scalar json_serialize key lambda last lateral leading least left like limit
localtime localtimestamp map match materialized merge_action national natural nchar no none normalize not nothing
notnull null nullif nulls numeric of offset on only or order others out outer over overlaps overlay partition
placing pivot pivot_longer pivot_wider plan position positional pragma preceding precision primary qualify query
raise range real recursive references regexp reindex release rename replace restrict returning right rollback row
rows savepoint select semi session_user set setof show similar smallint some struct substring summarize symmetric
system_user table tablesample temp temporary then ties time timestamp to trailing transaction treat trigger trim
true try_cast tuple unbounded union unique unpack unpivot update user using vacuum values varchar variadic verbose
view virtual when where window with without xmlattributes xmlconcat xmlelement xmlexists xmlforest xmlnamespaces
xmlparse xmlpi xmlroot xmlserialize xmltable
"""

RESERVED = frozenset(_RESERVED.split())
"""Words that are not written as names without quotes: those that SQLite, DuckDB or PostgreSQL reserve somewhere."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a database writes what others write otherwise.

    Attributes:
        name: Its name.
        title: Its name in sentences.
        bare: The names that need no quotes, but for reserved words, as a regular expression.
        everywhere: Names of columns, in lower case, that each table has or may have without declaring them.
        likes: The operators that compare with a pattern.
        parts: What extracts a part of a date, with ``{}`` for the date.
        parts_are_texts: Whether such a part is a text; else it is a number.
        average: A rounded average, with ``{}`` for what is averaged and ``#`` for the digits.
        may_escape: Whether by a setting of the database a backslash in a text escapes the quote that ends it.
        fails_at_zero: Whether a division by zero is an error; else it is NULL.
    """

    name: str
    title: str
    bare: str
    likes: tuple[str, ...]
    parts: tuple[str, ...]
    parts_are_texts: bool
    average: str
    may_escape: bool = False
    fails_at_zero: bool = False
    everywhere: frozenset[str] = frozenset()

    def quote(self, name: str) -> str:
        """A name as it is written: in quotes where it needs them."""
        if re.fullmatch(self.bare, name) and name.lower() not in RESERVED:
            return name
        return '"' + name.replace('"', '""') + '"'

    def literal(self, text: str) -> str:
        """A text as it is written: with a prefix where a setting could change what a backslash means."""
        doubled = text.replace("'", "''")
        if self.may_escape and "\\" in text:
            return "E'" + doubled.replace("\\", "\\\\") + "'"
        return f"'{doubled}'"

    @property
    def part_names(self) -> tuple[str, ...]:
        """Names of the parts of a date."""
        return ("year", "month", "month") if self.parts_are_texts else ("year", "month", "day")


_EXTRACT = ("EXTRACT(YEAR FROM {})", "EXTRACT(MONTH FROM {})", "EXTRACT(DAY FROM {})")
_ANY_CASE, _LOWER = "[A-Za-z_][A-Za-z0-9_]*", "[a-z_][a-z0-9_]*"

_STRFTIME = ("strftime('%Y', {})", "strftime('%m', {})", "strftime('%Y-%m', {})")
_ROUNDED = "ROUND(AVG({}), #)"

DIALECTS = {
    "sqlite": Dialect(
        "sqlite",
        "SQLite",
        _ANY_CASE,
        ("LIKE",),
        _STRFTIME,
        True,
        _ROUNDED,
        everywhere=frozenset(["rowid", "oid", "_rowid_"]),
    ),
    "duckdb": Dialect(
        "duckdb",
        "DuckDB",
        _ANY_CASE,
        ("LIKE", "ILIKE"),
        _EXTRACT,
        False,
        _ROUNDED,
        everywhere=frozenset(["rowid"]),
    ),
    "postgres": Dialect(
        "postgres",
        "PostgreSQL",
        _LOWER,
        ("LIKE", "ILIKE"),
        _EXTRACT,
        False,
        "ROUND(CAST(AVG({}) AS numeric), #)",
        may_escape=True,
        fails_at_zero=True,
        everywhere=frozenset(["cmax", "cmin", "ctid", "oid", "tableoid", "xmax", "xmin"]),
    ),
}
"""The dialects by their names."""


def dialect_of(name: object) -> Dialect:
    """The dialect of a name. Raises ArgumentError."""
    if isinstance(name, str) and name in DIALECTS:
        return DIALECTS[name]
    known = ", ".join(map(repr, DIALECTS))
    hint = f"one of {known}"
    near = suggest_name(name, DIALECTS) if isinstance(name, str) else ""
    raise ArgumentError(f"dialect: there is no dialect {name!r}{near}", hint=hint, argument="dialect")
