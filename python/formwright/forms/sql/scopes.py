r"""Which tables one query may read together: those that keys join.

A role is a table by the name that queries give it: its own, or an alias. A scope is a set of roles that joins connect.
All names that a query uses are those of one scope, so a grammar has the rules of a query once for each scope, and what
comes before FROM is bound by what FROM says.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any

from formwright.errors import ArgumentError, LimitExceeded
from formwright.forms.sql.catalog import Catalog, Table

__all__ = ["Join", "Role", "Scopes"]

MOST_SCOPES = 2_000
"""Scopes of one form, at most."""


@dataclass(frozen=True, slots=True)
class Role:
    """A table and the name that stands for it in queries."""

    name: str
    table: Table

    @property
    def is_alias(self) -> bool:
        """Whether FROM has to say the name."""
        return self.name != self.table.name


@dataclass(frozen=True, slots=True)
class Join:
    """The columns by which two roles are joined, pair by pair."""

    first: int
    second: int
    pairs: tuple[tuple[str, str], ...]


class Scopes:
    """The roles of a catalog, the joins between them, and the sets of roles that joins connect.

    Args:
        catalog: The tables and keys.
        joins: ``"keys"`` joins by foreign keys, ``"types"`` also any two columns of one declared type.
        aliases: By table: the aliases that stand for it instead of its own name.
        most: Roles of a scope, at most.

    Raises:
        ArgumentError: An option is something else.
        LimitExceeded: There are too many scopes.
    """

    def __init__(self, catalog: Catalog, joins: str, aliases: Mapping[str, Any], most: int) -> None:
        self.roles = _roles(catalog, aliases)
        self.joins = _joins(catalog, self.roles, joins)
        self._joins_of: list[list[tuple[Join, int]]] = [[] for _ in self.roles]
        for join in self.joins:
            self._joins_of[join.first].append((join, join.second))
            self._joins_of[join.second].append((join, join.first))
        self.sets = _connect_roles(self._joins_of, most)

    def joins_of(self, role: int) -> list[tuple[Join, int]]:
        """The joins of a role, each with the other role."""
        return self._joins_of[role]

    def between(self, roles: Iterable[int], other: int) -> list[Join]:
        """The joins of one role with any of some others."""
        known = set(roles)
        return [join for join, role in self._joins_of[other] if role in known]


def _roles(catalog: Catalog, aliases: Mapping[str, Any]) -> tuple[Role, ...]:
    for name in aliases:
        catalog.table(name, "aliases")
    roles = []
    for table in catalog.tables:
        given = aliases.get(table.name, (table.name,))
        names = (given,) if isinstance(given, str) else tuple(given)
        if not names or not all(isinstance(name, str) and name and "\0" not in name for name in names):
            message = f"aliases: expected names that stand for {table.name!r}, got {given!r}"
            raise ArgumentError(message, argument="aliases")
        roles += [Role(name, table) for name in dict.fromkeys(names)]
    seen: dict[str, str] = {}
    for role in roles:
        if role.name.casefold() in seen:
            message = f"aliases: {role.name!r} stands for {seen[role.name.casefold()]!r} and {role.table.name!r}"
            raise ArgumentError(message, argument="aliases")
        seen[role.name.casefold()] = role.table.name
    return tuple(roles)


def _joins(catalog: Catalog, roles: tuple[Role, ...], joins: str) -> tuple[Join, ...]:
    if joins not in ("keys", "types"):
        raise ArgumentError(f'joins: expected "keys" or "types", got {joins!r}', argument="joins")
    found: dict[Join, None] = {}
    of_table: dict[str, list[int]] = {}
    for number, role in enumerate(roles):
        of_table.setdefault(role.table.name, []).append(number)
    for key in catalog.keys:
        for one, other in product(of_table.get(key.table, ()), of_table.get(key.parent, ())):
            if one != other:
                found[Join(one, other, tuple(zip(key.columns, key.parent_columns, strict=True)))] = None
    if joins == "types":
        for one, other in combinations(range(len(roles)), 2):
            for first, second in product(roles[one].table.columns, roles[other].table.columns):
                if first.class_ != "other" and first.type.lower() == second.type.lower():
                    found[Join(one, other, ((first.name, second.name),))] = None
    return tuple(found)


def _connect_roles(joins_of: Sequence[Sequence[tuple[Join, int]]], most: int) -> tuple[frozenset[int], ...]:
    """The sets of up to ``most`` roles that joins connect, smaller ones first. Raises LimitExceeded."""
    near = [{other for _, other in joins} for joins in joins_of]
    found: dict[frozenset[int], None] = {frozenset((role,)): None for role in range(len(near))}
    last = list(found)
    for _ in range(most - 1):
        grown = {known | {role} for known in last for role in set().union(*(near[one] for one in known)) - known}
        if len(found) + len(grown) > MOST_SCOPES:
            raise LimitExceeded(
                f"more than {MOST_SCOPES:,} sets of up to {most} tables can be joined",
                hint="pass tables= with those that questions are about, or a smaller max_tables=",
            )
        last = sorted(grown, key=sorted)
        found.update(dict.fromkeys(last))
    return tuple(found)
