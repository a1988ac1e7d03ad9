r"""The queries over some tables, as copies of the rules of `formwright.forms.sql.grammar_text`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from formwright._kernel import Language
from formwright.forms.assembly import Assembly
from formwright.forms.sql.dialects import Dialect
from formwright.forms.sql.grammar_text import CLASSES, TEMPLATES, quote_text, write_alias, write_rules
from formwright.forms.sql.scopes import Join, Scopes

__all__ = ["QueryWriter", "Values"]

Values = Mapping[tuple[str, str], Sequence[str]]
"""By table and column: the texts that a literal beside the column may be."""

MOST_PAIRED = 12
"""Columns of a table that are grouped by in pairs."""

DERIVED_NAMES = ("n", "total", "amount", "average", "per_group")
"""Names of the one value of a derived table."""

_NUMBERS = {name: number for number, name in enumerate(TEMPLATES)}
_RULES = {name: rules for name, (rules, _) in TEMPLATES.items()}
_COMPARED = TEMPLATES["compared"]
_ONE_COLUMN = ("numbers", "texts", "booleans", "dates", "timestamps")


@dataclass(frozen=True, slots=True)
class _Column:
    """A column of a role, as texts: with the name of the role, and without."""

    role: int
    name: str
    key: str
    class_: str
    qualified: str
    short: str
    has_values: bool


class QueryWriter:
    """Puts the queries over the tables of some scopes together: one SELECT, or several that a set operation combines.

    Args:
        scopes: The roles, their joins, and which of them one query may read.
        dialect: How names and functions are written.
        values: What literals of some columns are.
        is_lower: Whether keywords are written in lower case.
        has_limit: Whether each query ends with LIMIT and a number of the form ``@limit``.
    """

    def __init__(self, scopes: Scopes, dialect: Dialect, values: Values, is_lower: bool, has_limit: bool) -> None:
        self._scopes, self._dialect, self._values = scopes, dialect, values
        names = {name for role in scopes.roles for name in (role.name, role.table.name)}
        names |= {column.name for role in scopes.roles for column in role.table.columns}
        self._names = {name.lower() for name in names}
        self.rules = f"{write_rules(dialect, is_lower, has_limit)}\n{write_alias(names)}\n"
        self.steps = Assembly(list(TEMPLATES.values()))
        self._columns = [self._list_columns(number) for number in range(len(scopes.roles))]
        self._tables = [self._write_table(number) for number in range(len(scopes.roles))]
        self._known: dict[object, int] = {}
        self._write_queries()

    def build(self, forms: Sequence[tuple[str, Language]]) -> Language:
        """The language. Raises LimitExceeded."""
        return self.steps.build(self.rules, forms)

    @property
    def grammar(self) -> str:
        """The rules, and after them what fills their holes: names, and texts of columns."""
        return f"{self.rules}// {' '.join(map(quote_text, self.steps.texts))}\n"

    def _copy(self, name: str, *filled: int) -> list[int]:
        return self.steps.copy(_NUMBERS[name], filled)

    def _write_queries(self) -> None:
        steps = self.steps
        self._declared = dict(zip(_COMPARED[1], steps.declare(len(_COMPARED[1])), strict=True))
        self._compared = self._copy("compared", *self._declared.values())
        self._predicates = steps.declare(len(self._scopes.roles))
        scopes = [self._write_scope(sorted(roles)) for roles in self._scopes.sets]
        for role, scope in zip(self._predicates, scopes, strict=False):  # the first scopes are those of one role
            steps.define(role, scope["predicate"])
        for name, declared in self._declared.items():
            steps.define(declared, steps.choice([scope[name] for scope in scopes]))
        sets = [self._copy("sets", steps.choice([scope[name] for scope in scopes]))[0] for name in _ONE_COLUMN]
        queries = [scope[kind] for scope in scopes for kind in ("plain", "group")]
        self._copy("select", steps.choice([*queries, *sets, *self._derive(scopes)]))

    def _derive(self, scopes: Sequence[Mapping[str, int]]) -> list[int]:
        """Aggregates of what a derived table has one value of in each group."""
        found: list[int] = []
        for name in (name for name in DERIVED_NAMES if name not in self._names):
            [said] = self._copy("said", self.steps.text(name))
            inner = [self.steps.sequence(scope["derived"], said, scope["derived_end"]) for scope in scopes]
            found += self._copy("derived_table", self.steps.text(name), self.steps.choice(inner))
        return found

    # -- names --------------------------------------------------------------------------------------------------------

    def _list_columns(self, number: int) -> list[_Column]:
        role, quote = self._scopes.roles[number], self._dialect.quote
        name = quote(role.name)
        return [
            _Column(
                number,
                column.name,
                column.name.casefold(),
                column.class_,
                f"{name}.{quote(column.name)}",
                quote(column.name),
                (role.table.name, column.name) in self._values,
            )
            for column in role.table.columns
        ]

    def _write_table(self, number: int) -> int:
        role, steps = self._scopes.roles[number], self.steps
        table = steps.text(self._dialect.quote(role.table.name))
        return self._copy("named", table, steps.text(self._dialect.quote(role.name)))[0] if role.is_alias else table

    # -- FROM ---------------------------------------------------------------------------------------------------------

    def _write_from(self, roles: Sequence[int]) -> int:
        whole = frozenset(roles)
        known: dict[frozenset[int], int] = {}
        starts = [self._join_rest(frozenset((role,)), whole, self._tables[role], known) for role in roles]
        return starts[0] if len(starts) == 1 else self.steps.choice(starts)

    def _join_rest(
        self, joined: frozenset[int], whole: frozenset[int], first: int, known: dict[frozenset[int], int]
    ) -> int:
        """What comes first, and what joins the rest of a scope to some of its roles."""
        if joined == whole:
            return first
        if joined not in known:
            ways = []
            for role in sorted(whole - joined):
                joins = tuple(self._scopes.between(joined, role))
                if joins:
                    ways.append(self._join_rest(joined | {role}, whole, self._join(role, joins), known))
            known[joined] = ways[0] if len(ways) == 1 else self.steps.choice(ways)
        return self.steps.sequence(first, known[joined])

    def _join(self, role: int, joins: tuple[Join, ...]) -> int:
        if (role, joins) not in self._known:
            condition = self.steps.choice([self._equal(join) for join in joins])
            self._known[role, joins] = self._copy("joined", self._tables[role], condition)[0]
        return self._known[role, joins]

    def _equal(self, join: Join) -> int:
        """The condition of a join, with either side first."""
        if join not in self._known:
            pairs = [
                self._copy("equal", self._end(join.first, first), self._end(join.second, second))[0]
                for first, second in join.pairs
            ]
            condition = pairs[0]
            for pair in pairs[1:]:
                condition = self._copy("both", condition, pair)[0]
            self._known[join] = condition
        return self._known[join]

    def _end(self, role: int, name: str) -> int:
        quote = self._dialect.quote
        return self.steps.text(f"{quote(self._scopes.roles[role].name)}.{quote(name)}")

    # -- scopes -------------------------------------------------------------------------------------------------------

    def _write_scope(self, roles: Sequence[int]) -> dict[str, int]:
        """The rules of a scope, by name."""
        columns = self._spell_columns(roles)
        filled = [
            *(self._texts(texts for column, texts in columns if column.class_ == class_) for class_ in CLASSES),
            self._texts(texts for column, texts in columns if column.class_ == "text" and not column.has_values),
            self._write_from(roles),
            *self._stars(roles, any(column.class_ == "other" for column, _ in columns)),
            self._any_of([self._compare_values(column, texts) for column, texts in columns if column.has_values]),
            self._any_of(self._exists(roles)),
            self._declared["one_number"],
            *self._compared,
            self._texts((column.qualified,) for column, _ in columns if column.class_ == "number"),
            self._texts((column.short,) for column, _ in columns if column.class_ == "number"),
        ]
        rules = dict(zip(_RULES["scope"], self._copy("scope", *filled), strict=True))
        rules["group"] = self._write_groups(rules, roles, columns)
        return rules

    def _spell_columns(self, roles: Sequence[int]) -> list[tuple[_Column, tuple[str, ...]]]:
        """The columns of a scope. A name that one role has alone needs no role before it, unless every table has it."""
        columns = [column for role in roles for column in self._columns[role]]
        if len(roles) == 1:
            return [(column, (column.qualified, column.short)) for column in columns]
        counts: dict[str, int] = {}
        for column in columns:
            counts[column.key] = counts.get(column.key, 0) + 1
        shared = {key for key, count in counts.items() if count > 1} | self._dialect.everywhere
        return [
            (column, (column.qualified,) if column.key in shared else (column.qualified, column.short))
            for column in columns
        ]

    def _texts(self, found: Iterable[tuple[str, ...]]) -> int:
        texts = tuple(chain.from_iterable(found))
        return self.steps.text(*texts) if texts else self.steps.never

    def _any_of(self, values: Sequence[int]) -> int:
        return self.steps.choice(values) if values else self.steps.never

    def _stars(self, roles: Sequence[int], has_others: bool) -> list[int]:
        """The star of all columns, that of distinct ones, and those of tables. Tables with hidden columns have none."""
        steps, known = self.steps, self._scopes.roles
        whole = all(known[role].table.is_whole for role in roles)
        star = steps.text("*") if whole else steps.never
        names = [(f"{self._dialect.quote(known[role].name)}.*",) for role in roles if known[role].table.is_whole]
        return [star, steps.never if has_others else star, self._texts(names if len(roles) > 1 else [])]

    def _compare_values(self, column: _Column, texts: tuple[str, ...]) -> int:
        """A comparison of a column whose values are known."""
        if texts not in self._known:
            table = self._scopes.roles[column.role].table.name
            options = [self._dialect.literal(option) for option in self._values[table, column.name]]
            self._known[texts] = self._copy("valued", self.steps.text(*texts), self.steps.text(*options))[0]
        return self._known[texts]

    def _exists(self, roles: Sequence[int]) -> list[int]:
        """EXISTS over roles that are joined with the scope and do not belong to it."""
        return [
            self._exists_by(join, other)
            for role in roles
            for join, other in self._scopes.joins_of(role)
            if other not in roles
        ]

    def _exists_by(self, join: Join, other: int) -> int:
        if (other, join) not in self._known:
            what = ("1", "*") if self._scopes.roles[other].table.is_whole else ("1",)  # a role may not read all
            filled = (self.steps.text(*what), self._tables[other], self._equal(join), self._predicates[other])
            self._known[other, join] = self._copy("exists", *filled)[0]
        return self._known[other, join]

    # -- groups -------------------------------------------------------------------------------------------------------

    def _write_groups(
        self, rules: Mapping[str, int], roles: Sequence[int], columns: Sequence[tuple[_Column, tuple[str, ...]]]
    ) -> int:
        """Queries with GROUP BY, which has all that SELECT lists beside aggregates and may have more.

        In any scope SELECT lists one column or part of a date, or two or three columns that GROUP BY names by their
        positions; in scopes of one table also two columns.
        """
        steps = self.steps
        keys = [steps.text(*texts) for column, texts in columns if column.class_ != "other"]
        moments = [steps.text(*texts) for column, texts in columns if column.class_ in ("date", "timestamp")]
        parts = [part for moment in moments for part in self._parts(moment)]
        where, end = rules["group_where"], rules["group_end"]
        order = (rules["group_order"], rules["group_order_end"])
        by_one = steps.copies(_NUMBERS["group_key"], [where, end, *order], [*keys, *parts])
        ways = [by_one, *self._group_by_names(rules, moments)]
        if len(roles) == 1 and 1 < len(keys) <= MOST_PAIRED:
            for key in keys:
                [tail] = self._copy("group_tail", end, *order, key)
                others = [other for other in keys if other != key]
                rest = steps.copies(_NUMBERS["group_pair"], [key, where, tail, *order], others)
                ways.append(self._copy("group_first", rest, key)[0])
        qualified = [steps.text(column.qualified) for column, _ in columns if column.class_ != "other"]
        renamed = steps.copies(_NUMBERS["group_renamed"], [rules["renamed_where"], rules["renamed_end"]], qualified)
        grouped = steps.sequence(rules["group_before"], steps.choice(ways))
        return steps.choice([grouped, rules["group_places"], renamed])

    def _group_by_names(self, rules: Mapping[str, int], moments: Sequence[int]) -> list[int]:
        """Groups by a part of a date that SELECT gives a name."""
        steps, found = self.steps, []
        by_name: dict[str, list[int]] = {}
        for moment in moments:
            for name, part in zip(self._dialect.part_names, self._parts(moment), strict=True):
                by_name.setdefault(name, []).append(part)
        for name, parts in by_name.items():
            if name not in self._names:
                filled = [rules["named_where"], rules["group_end"], rules["group_order"], rules["group_order_end"]]
                part = steps.choice(parts)
                found += self._copy("group_named", *filled, steps.text(name), part)
        return found

    def _parts(self, moment: int) -> list[int]:
        if ("part", moment) not in self._known:
            self._known["part", moment] = self._copy("part", moment)[0]
        first = self._known["part", moment]
        return [first, first + 1, first + 2]
