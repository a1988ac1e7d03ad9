r"""The grammar of the queries over some tables, in Lark.

Most rules come once for each scope, with its number in their names. Names are short, since there are many:

==========  ===============================================================================================
``t3``      role 3 in FROM: its table, with AS if it is an alias
``q3_7``    column 7 of role 3, after the name of the role; ``u3_7`` without it, ``v3_7`` either way
``n12``     the numbers among the columns of scope 12; so ``x`` texts, ``b`` booleans, ``d`` dates, ``m`` time
            stamps, ``o`` others
``ne12``    an expression that is a number; ``xe12`` one that is a text
``a12``     a number that aggregates give; ``h12`` any value that one gives
``p12``     a predicate; ``c12`` a condition of predicates; ``f12`` FROM with its joins; ``w12`` FROM and WHERE
``sn12``    a query of one column of numbers, without SELECT; ``sn`` of any scope
==========  ===============================================================================================

`formwright.forms.sql.query` reads the tables and columns of a query by these names.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

from formwright.forms.sql.catalog import Column
from formwright.forms.sql.dialects import RESERVED, Dialect
from formwright.forms.sql.scopes import Join, Scopes

__all__ = ["Values", "write_grammar"]

Values = Mapping[tuple[str, str], Sequence[str]]
"""By table and column: the texts that a literal beside the column may be."""

_LETTERS = {"number": "n", "text": "x", "boolean": "b", "date": "d", "timestamp": "m", "other": "o"}
_LITERALS = {"n": "NUMBER", "x": "TEXT", "b": "truth", "d": "DATE", "m": "stamp"}
_MOST_PAIRED = 12  # columns of a table that are grouped by in pairs
_ORDERED = "nxdm"  # classes with a smallest and a greatest value in all dialects

_SHARED = r"""
_s: " " | "\n"
_c: "," _s
truth: "TRUE" | "FALSE"
stamp: STAMP | DATE
not: "NOT" _s
distinct: "DISTINCT" _s
join: (("INNER" | "LEFT") _s)? "JOIN" _s
direction: _s ("ASC" | "DESC")
and_or: _s ("AND" | "OR") _s
set: _s ("UNION" (_s "ALL")? | "INTERSECT" | "EXCEPT") _s "SELECT" _s
alias: _s "AS" _s ALIAS
NUMBER: /-?(0|[1-9][0-9]{0,14})(\.[0-9]{1,6})?/
FACTOR: /[1-9][0-9]{0,3}|0\.[0-9]{1,3}/
WHOLE: /[1-9][0-9]{0,8}/
PATTERN: /'([^'\\\x00-\x1f\x7f]|'')*'/
DAY: @date & ~(/0000.*/)
DATE: "'" DAY "'"
STAMP: "'" DAY " " /([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]/ "'"
COMPARE: "=" | "<>" | "!=" | "<" | "<=" | ">" | ">="
SAME: "=" | "<>" | "!="
SIGN: "+" | "-" | "*"
"""
"""What all scopes share. Literals are such that no dialect refuses one: numbers fit 64 bits also beside decimals, years
begin with 1, and a pattern has no backslash, which PostgreSQL refuses at its end. Nor has a text of PostgreSQL: where
``standard_conforming_strings`` is off, what comes after a backslash and a quote would be code."""


def write_grammar(scopes: Scopes, dialect: Dialect, values: Values, *, lower: bool, has_limit: bool) -> str:
    """The grammar of one SELECT over the tables of one scope, or of several that a set operation combines.

    Args:
        scopes: The roles, their joins, and which of them one query may read.
        dialect: How names and functions are written.
        values: What literals of some columns are.
        lower: Whether keywords are written in lower case.
        has_limit: Whether each query ends with LIMIT and a number of the form ``@limit``.
    """
    return _Writer(scopes, dialect, values, lower, has_limit).write()


@dataclass(frozen=True)
class _Scope:
    """A scope: its number, its roles, and the rule that spells each of their columns, by class."""

    number: int
    roles: tuple[int, ...]
    references: Mapping[tuple[int, int], str]
    by_letter: Mapping[str, Sequence[tuple[int, int]]]

    @cached_property
    def letters(self) -> str:
        """The classes of its columns."""
        return "".join(letter for letter in _LETTERS.values() if letter in self.by_letter)

    @property
    def groupable(self) -> list[str]:
        """The rules of the columns that one may group by."""
        return [self.references[one] for letter in self.letters if letter != "o" for one in self.by_letter[letter]]

    def select(self, rules: Mapping[str, str]) -> list[str]:
        """Of alternatives by class, those whose class it has, with its number for ``#``."""
        found = [rule for letter, rule in rules.items() if set(letter) <= set(self.letters)]
        return [rule.replace("#", str(self.number)) for rule in found]


class _Writer:
    def __init__(self, scopes: Scopes, dialect: Dialect, values: Values, lower: bool, has_limit: bool) -> None:
        self.scopes, self.dialect, self.values, self.lower = scopes, dialect, values, lower
        self.has_limit, self.limit = has_limit, '_s "LIMIT" _s @limit' if has_limit else "limit?"
        self.rules: dict[str, str] = {}
        self.letters: set[str] = set()

    def write(self) -> str:
        """The whole text: what all scopes share, names, and the rules of each scope."""
        self._write_names()
        scopes = [self._scope(number, sorted(roles)) for number, roles in enumerate(self.scopes.sets)]
        self.letters = {letter for scope in scopes for letter in scope.letters}
        for scope in scopes:
            self._write_columns(scope)
            self._write_from(scope)
            self._write_expressions(scope)
            self._write_aggregates(scope)
            self._write_predicates(scope)
            self._write_plain(scope)
            self._write_groups(scope)
        self._write_start(scopes)
        lines = [f"{name}: {body}" for name, body in self.rules.items()]
        text = "PATTERN" if self.dialect.may_escape else r"/'([^'\x00-\x1f\x7f]|'')*'/"
        return "\n".join([self._set_case(_SHARED), f"TEXT: {text}", self._alias(), *lines, ""])

    def _rule(self, name: str, alternatives: str | Sequence[str]) -> None:
        """Write a rule; without alternatives there is none. Quoted texts are keywords and signs."""
        body = alternatives if isinstance(alternatives, str) else " | ".join(alternatives)
        if body:
            self.rules[name] = self._set_case(body)

    def _set_case(self, text: str) -> str:
        """Keywords in their case. What is a text in SQL, such as ``'%Y'``, stays as it is."""
        if not self.lower:
            return text
        return re.sub(r'"[^"\n]*"', lambda quoted: re.sub(r"'[^']*'|[A-Z]+", _lower_keyword, quoted[0]), text)

    def _alias(self) -> str:
        """Aliases of columns: no reserved word, and no name of the catalog, which could be taken for it elsewhere."""
        names = {column.name.lower() for role in self.scopes.roles for column in role.table.columns}
        names |= {name.lower() for role in self.scopes.roles for name in (role.name, role.table.name)}
        words = " | ".join(_quote(word) for word in sorted(RESERVED | names))
        return f"ALIAS: /[a-z_][a-z0-9_]{{0,40}}/ & ~({words})"

    # -- names --------------------------------------------------------------------------------------------------------

    def _write_names(self) -> None:
        quote = self.dialect.quote
        for number, role in enumerate(self.scopes.roles):
            table, name = quote(role.table.name), quote(role.name)
            said = f"{_quote(table)} _s {self._set_case(chr(34) + 'AS' + chr(34))} _s {_quote(name)}"
            self.rules[f"t{number}"] = said if role.is_alias else _quote(table)
            if role.table.is_whole:
                self.rules[f"z{number}"] = _quote(f"{name}.*")
            for place, column in enumerate(role.table.columns):
                key = f"{number}_{place}"
                self.rules[f"q{key}"] = _quote(f"{name}.{quote(column.name)}")
                self.rules[f"u{key}"] = _quote(quote(column.name))
                self.rules[f"v{key}"] = f"q{key} | u{key}"
                if options := self.values.get((role.table.name, column.name)):
                    self.rules[f"l{key}"] = " | ".join(_quote(self.dialect.literal(option)) for option in options)

    def _scope(self, number: int, roles: Sequence[int]) -> _Scope:
        """A name that one role of a scope has alone needs no role before it."""
        columns = [(role, place) for role in roles for place in range(len(self.scopes.roles[role].table.columns))]
        names = [self._column(column).name.casefold() for column in columns]
        once = {name for name in names if names.count(name) == 1}
        references = {
            (role, place): f"{'v' if name in once else 'q'}{role}_{place}"
            for (role, place), name in zip(columns, names, strict=True)
        }
        by_letter: dict[str, list[tuple[int, int]]] = {}
        for column in columns:
            by_letter.setdefault(_LETTERS[self._column(column).class_], []).append(column)
        return _Scope(number, tuple(roles), references, by_letter)

    def _column(self, column: tuple[int, int]) -> Column:
        return self.scopes.roles[column[0]].table.columns[column[1]]

    def _has_values(self, column: tuple[int, int]) -> bool:
        return bool(self.values.get((self.scopes.roles[column[0]].table.name, self._column(column).name)))

    def _write_columns(self, scope: _Scope) -> None:
        i = scope.number
        for letter, columns in scope.by_letter.items():
            self._rule(f"{letter}{i}", [scope.references[column] for column in columns])
        free = [scope.references[one] for one in scope.by_letter.get("x", ()) if not self._has_values(one)]
        self._rule(f"y{i}", free)  # texts that any literal may be compared with
        self._rule(f"e{i}", [f"{letter}{i}" for letter in scope.letters])
        self._rule(f"k{i}", [f"{letter}{i}" for letter in scope.letters if letter != "o"])

    # -- FROM ---------------------------------------------------------------------------------------------------------

    def _write_from(self, scope: _Scope) -> None:
        whole = frozenset(scope.roles)
        starts = [f'"FROM" _s t{role}{self._joins(scope.number, frozenset((role,)), whole)}' for role in scope.roles]
        self._rule(f"f{scope.number}", starts)
        self._rule(f"w{scope.number}", f'f{scope.number} (_s "WHERE" _s c{scope.number})?')

    def _joins(self, i: int, joined: frozenset[int], whole: frozenset[int]) -> str:
        """What joins the rest of a scope to some of its roles."""
        if joined == whole:
            return ""
        name = f"j{i}_{'_'.join(map(str, sorted(joined)))}"
        if name not in self.rules:
            self.rules[name] = ""  # its place is taken
            alternatives = []
            for role in sorted(whole - joined):
                conditions = [self._equal(join) for join in self.scopes.between(joined, role)]
                if conditions:
                    rest = self._joins(i, joined | {role}, whole)
                    alternatives.append(f'join t{role} _s "ON" _s {_any_of(conditions)}{rest}')
            self._rule(name, alternatives)
        return f" _s {name}"

    def _equal(self, join: Join) -> str:
        """The condition of a join, with either side first."""
        ways = []
        for swaps in (False, True):
            pairs = []
            for first, second in join.pairs:
                ends = [self._end(join.first, first), self._end(join.second, second)]
                pairs.append(' _s "=" _s '.join(reversed(ends) if swaps else ends))
            ways.append(' _s "AND" _s '.join(pairs))
        return _any_of(ways)

    def _end(self, role: int, name: str) -> str:
        columns = self.scopes.roles[role].table.columns
        return f"q{role}_{next(place for place, column in enumerate(columns) if column.name == name)}"

    # -- expressions --------------------------------------------------------------------------------------------------

    def _write_expressions(self, scope: _Scope) -> None:
        i, parts = scope.number, self.dialect.parts
        dated = [
            f"{_quote(before)} {letter}{i} {_quote(after)}"
            for part in parts
            for before, after in [part.split("{}")]
            for letter in "dm"
            if letter in scope.letters
        ]
        numbers = scope.select(
            {
                "n": 'n# | "ABS(" n# ")" | "COALESCE(" n# _c NUMBER ")"',
                "x": '"LENGTH(" x# ")"',
            }
        )
        texts = scope.select({"x": '("LOWER(" | "UPPER(") x# ")" | "COALESCE(" x# _c TEXT ")"'})
        (texts if self.dialect.parts_are_texts else numbers).extend(dated)
        free = [f"y{i}"] if f"y{i}" in self.rules else []
        self._rule(f"nt{i}", numbers)
        self._rule(f"xf{i}", [*free, *texts])
        self._rule(f"xt{i}", [*([f"x{i}"] if "x" in scope.letters else []), *texts])
        if numbers:
            self._rule(f"ne{i}", f"nt{i} (_s SIGN _s (nt{i} | FACTOR))?")
            branch = (
                f'"CASE" (_s "WHEN" _s c{i} _s "THEN" _s (NUMBER | nt{i}))+ (_s "ELSE" _s (NUMBER | nt{i}))? _s "END"'
            )
            self._rule(f"nc{i}", branch)
        else:
            self._rule(f"nc{i}", f'"CASE" (_s "WHEN" _s c{i} _s "THEN" _s NUMBER)+ (_s "ELSE" _s NUMBER)? _s "END"')
        if f"xt{i}" in self.rules:
            self._rule(f"xe{i}", f'xt{i} (_s "||" _s (TEXT | xt{i}))*')
        self._rule(f"xc{i}", f'"CASE" (_s "WHEN" _s c{i} _s "THEN" _s TEXT)+ (_s "ELSE" _s TEXT)? _s "END"')

    def _write_aggregates(self, scope: _Scope) -> None:
        i = scope.number
        counts = ['"COUNT(*)"', f'"COUNT(" e{i} ")"']
        counts += [f'"COUNT(" distinct k{i} ")"'] if f"k{i}" in self.rules else []
        summed = f"(ne{i} | nc{i})" if f"ne{i}" in self.rules else f"nc{i}"
        counts.append(f'"SUM(" {summed} ")"')
        if f"ne{i}" in self.rules:
            before, after = self._average
            counts += [f'"AVG(" ne{i} ")"', f"{before} ne{i} {after}"]
        counts += scope.select({"n": '("MIN(" | "MAX(") n# ")"'})
        self._rule(f"ag{i}", counts)
        self._rule(f"a{i}", [f"ag{i}", *self._ratios(f"ag{i}")])
        others = [f"{letter}{i}" for letter in "xdm" if letter in scope.letters]
        self._rule(f"h{i}", [f"a{i}", *([f'("MIN(" | "MAX(") ({" | ".join(others)}) ")"'] if others else [])])

    def _ratios(self, aggregate: str) -> list[str]:
        """Quotients of aggregates, none of integers, which dialects divide differently."""
        dividends = f'("100.0" _s "*" _s {aggregate} | "CAST(" {aggregate} _s "AS REAL)")'
        divisor = f'"NULLIF(" {aggregate} ", 0)"'
        return [f'{dividends} _s "/" _s {divisor if self.dialect.fails_at_zero else f"({divisor} | {aggregate})"}']

    @cached_property
    def _average(self) -> tuple[str, str]:
        """What comes before and after a number whose average is rounded."""
        before, after = self.dialect.average.split("{}")
        digits = after.split("#")
        return _quote(before), f"{_quote(digits[0])} /[0-4]/ {_quote(digits[1])}"

    # -- conditions ---------------------------------------------------------------------------------------------------

    def _write_predicates(self, scope: _Scope) -> None:
        i = scope.number
        self._rule(f"c{i}", f"p{i} (and_or p{i})*")
        alternatives = [f'"(" c{i} ")"', f"not p{i}", f'e{i} _s "IS" _s not? "NULL"']
        if f"ne{i}" in self.rules:
            alternatives += self._comparisons(f"ne{i}", f"nt{i}", "n")
        if f"xf{i}" in self.rules:
            likes = _any_of([f'"{like}"' for like in self.dialect.likes])
            alternatives += [*self._comparisons(f"xf{i}", None, "x"), f"xf{i} _s not? {likes} _s PATTERN"]
        if "x" in scope.letters:
            alternatives.append(f"x{i} _s COMPARE _s xt{i}")
        alternatives += [
            part
            for letter in "dm"
            if letter in scope.letters
            for part in self._comparisons(f"{letter}{i}", f"{letter}{i}", letter)
        ]
        if "b" in scope.letters:
            alternatives.append(f"b{i} (_s SAME _s (truth | b{i}))?")
        for column in scope.by_letter.get("x", ()):
            if self._has_values(column):
                one, literal = scope.references[column], f"l{column[0]}_{column[1]}"
                alternatives.append(f'{one} _s (SAME _s {literal} | not? "IN" _s "(" {literal} (_c {literal})* ")")')
        alternatives += self._exists(scope)
        self._rule(f"p{i}", alternatives)

    def _comparisons(self, left: str, right: str | None, letter: str) -> list[str]:
        """What an expression of a class is compared with: literals, another one, a subquery."""
        literal, is_read = _LITERALS[letter], letter in self.letters
        rights = [literal, *([right] if right else []), *([f'"(" "SELECT" _s m{letter} ")"'] if is_read else [])]
        inner = [f"{literal} (_c {literal})*", *([f'"SELECT" _s s{letter}'] if is_read else [])]
        return [
            f"{left} _s COMPARE _s ({' | '.join(rights)})",
            f'{left} _s not? "BETWEEN" _s {literal} _s "AND" _s {literal}',
            f'{left} _s not? "IN" _s "(" {_any_of(inner)} ")"',
        ]

    def _exists(self, scope: _Scope) -> list[str]:
        """EXISTS over a role that is joined with the scope and does not belong to it."""
        found = []
        for role in range(len(self.scopes.roles)):
            conditions = (
                [] if role in scope.roles else [self._equal(join) for join in self.scopes.between(scope.roles, role)]
            )
            if conditions:
                what = '("1" | "*")' if f"z{role}" in self.rules else '"1"'  # a role of the database may not read all
                inner = f'"SELECT" _s {what} _s "FROM" _s t{role} _s "WHERE" _s {_any_of(conditions)}'
                found.append(f'"EXISTS" _s "(" {inner} (_s "AND" _s p{role})* ")"')
        return found

    # -- queries ------------------------------------------------------------------------------------------------------

    def _write_plain(self, scope: _Scope) -> None:
        """Queries without aggregates: with an order of any expressions, or of distinct rows."""
        i = scope.number
        values = [f"{name}{i}" for name in ("ne", "nc", "xe", "xc") if f"{name}{i}" in self.rules]
        values += [f"{letter}{i}" for letter in "bdm" if letter in scope.letters]
        whole = all(f"z{role}" in self.rules for role in scope.roles)
        stars = [f"z{role}" for role in scope.roles if f"z{role}" in self.rules and len(scope.roles) > 1]
        star = [f"r{i}"] if whole else []
        self._rule(f"r{i}", ['"*"'] if whole else [])
        self._rule(f"i{i}", [f"({' | '.join([*values, *([f'o{i}'] if 'o' in scope.letters else [])])}) alias?", *stars])
        self._rule(f"id{i}", f"({' | '.join(values)}) alias?")  # of distinct rows
        keys = [name for name in values if not name.startswith(("nc", "xc"))]
        order = ""
        if keys:
            self._rule(f"ok{i}", f"({' | '.join(keys)}) direction?")
            order = f' (_s "ORDER" _s "BY" _s ok{i} (_c ok{i})*)?'
        distinct = [f"id{i} (_c id{i})*", *(star if "o" not in scope.letters else [])]
        self._rule(
            f"plain{i}",
            [
                f"{_any_of([f'i{i} (_c i{i})*', *star])} _s w{i}{order} {self.limit}",
                f'distinct {_any_of(distinct)} _s w{i} (_s "ORDER" _s "BY" _s "1" direction?)? {self.limit}',
                f"h{i} alias? (_c h{i} alias?)* _s w{i} {self.limit}",
            ],
        )
        for letter in scope.letters.replace("o", ""):
            self._rule(f"s{letter}{i}", f"distinct? {letter}{i} _s w{i}")
            ways = [f"a{i}"] if letter == "n" else [f'("MIN(" | "MAX(") {letter}{i} ")"']
            self._rule(f"m{letter}{i}", f"{ways[0]} _s w{i}" if letter in _ORDERED else "")

    def _write_groups(self, scope: _Scope) -> None:
        """Write queries with GROUP BY, which has all that SELECT lists beside aggregates and may have more.

        In any scope SELECT lists one column or part of a date, or two or three columns that GROUP BY names by their
        positions; in scopes of one table also two columns.
        """
        i = scope.number
        if f"k{i}" not in self.rules:
            return
        self._rule(f"ha{i}", f"h{i} alias? (_c h{i} alias?)*")
        inner = ' | "(" "SELECT" _s mn ")"' if "n" in self.letters else ""
        self._rule(f"hc{i}", f"a{i} _s COMPARE _s (NUMBER{inner})")
        self._rule(f"hv{i}", f'(_s "HAVING" _s hc{i} (and_or hc{i})*)?')
        self._rule(f"gb{i}", f'_s w{i} _s "GROUP" _s "BY" _s')
        self._rule(f"gm{i}", f"(_c k{i})*")
        self._rule(f"gl{i}", f"gb{i} (k{i} _c)*")
        self._rule(f"gr{i}", f"gm{i} hv{i}")
        keys = self._group_keys(scope)
        for one in keys:
            self._rule(f"g{i}{one}", f"gl{i} {one} gr{i} {self._order_of_groups(i, one)}")
        pairs = self._write_pairs(scope)
        after = {one: " | ".join([f"(_c ha{i})? g{i}{one}", *pairs.get(one, [])]) for one in keys}
        alternatives = [f"{one} alias? ({after[one]})" for one in keys]
        alternatives.append(f"ha{i} _c ({' | '.join(f'{one} alias? g{i}{one}' for one in keys)})")
        for count in (2, 3):
            places = " _c ".join(f'"{place}"' for place in range(1, count + 1))
            columns = " _c ".join([f"k{i} alias?"] * count)
            alternatives.append(f"{columns} (_c ha{i})? gb{i} {places} hv{i} {self._order_of_groups(i)}")
        self._rule(f"group{i}", alternatives)

    def _group_keys(self, scope: _Scope) -> list[str]:
        """The rules of what one may group by: columns, and parts of dates."""
        keys = scope.groupable
        for column in (one for letter in "dm" for one in scope.by_letter.get(letter, ())):
            reference = scope.references[column]
            for number, part in enumerate(self.dialect.parts):
                before, after = part.split("{}")
                self.rules[f"d{number}{reference}"] = self._set_case(f"{_quote(before)} {reference} {_quote(after)}")
                keys.append(f"d{number}{reference}")
        return keys

    def _write_pairs(self, scope: _Scope) -> dict[str, list[str]]:
        """Write the groups of two columns of one table, in either order. Returns what comes after the first of them."""
        i = scope.number
        names = scope.groupable
        if len(scope.roles) > 1 or not 1 < len(names) <= _MOST_PAIRED:
            return {}
        found: dict[str, list[str]] = {one: [] for one in names}
        for one, other in combinations(names, 2):
            both = f"({one} gm{i} _c {other} | {other} gm{i} _c {one})"
            self._rule(f"g{i}{one}{other}", f"gl{i} {both} gr{i} {self._order_of_groups(i, one, other)}")
            for first, second in ((one, other), (other, one)):
                found[first].append(f"{second} alias? (_c ha{i})? g{i}{one}{other}")
        return {one: [f"_c ({' | '.join(others)})"] for one, others in found.items()}

    def _order_of_groups(self, i: int, *names: str) -> str:
        key = f"({' | '.join([*names, f'h{i}'])}) direction?"
        return f'(_s "ORDER" _s "BY" _s {key} (_c {key})*)? {self.limit}'

    def _write_start(self, scopes: Sequence[_Scope]) -> None:
        sets = []
        for letter in _LITERALS:
            self._rule(f"s{letter}", [f"s{letter}{one.number}" for one in scopes if letter in one.letters])
            self._rule(
                f"m{letter}", [f"m{letter}{one.number}" for one in scopes if f"m{letter}{one.number}" in self.rules]
            )
            if f"s{letter}" in self.rules:
                sets.append(f"s{letter} (set s{letter})+ {self.limit}")
        queries = [f"{kind}{scope.number}" for scope in scopes for kind in ("plain", "group")]
        self._rule("start", f'"SELECT" _s ({" | ".join([*(one for one in queries if one in self.rules), *sets])})')
        if not self.has_limit:
            self._rule("limit", '_s "LIMIT" _s WHOLE')


def _lower_keyword(found: re.Match[str]) -> str:
    return found[0] if found[0].startswith("'") else found[0].lower()


def _any_of(alternatives: Sequence[str]) -> str:
    return alternatives[0] if len(alternatives) == 1 else f"({' | '.join(alternatives)})"


def _quote(text: str) -> str:
    """A text as Lark writes it."""
    escaped = "".join(
        f"\\{character}" if character in '"\\' else character if character.isprintable() else _escape(character)
        for character in text
    )
    return f'"{escaped}"'


def _escape(character: str) -> str:
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
