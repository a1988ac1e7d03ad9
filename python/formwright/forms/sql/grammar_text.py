r"""The rules of queries, in Lark.

What is other in each set of tables is a hole, written as a form: ``@number`` are the columns of numbers. So the rules
are read once, and `formwright.forms.sql.queries` copies them:

====================  ===========================================================================================
``scope``             queries over some tables, and the parts that groups are made of
``group_key``         a group by one column; ``group_pair`` what comes after the first of two columns
``group_named``       a group by a part of a date that has a name
``group_renamed``     a group with an aggregate that is called like a column, so that all else names its table
``derived_table``     an aggregate of what a table in FROM has one value of in each group
``compared``          what values are compared with: literals, subqueries
``sets``              what set operations combine
====================  ===========================================================================================

Literals are such that no dialect refuses one: numbers fit 64 bits also beside decimals, years begin with 1, and a
pattern has no backslash, which PostgreSQL refuses at its end. Nor has a text of PostgreSQL: where
``standard_conforming_strings`` is off, what comes after a backslash and a quote would be code.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from formwright.forms.assembly import Template
from formwright.forms.sql.dialects import RESERVED, Dialect

__all__ = ["CLASSES", "TEMPLATES", "quote_text", "write_alias", "write_rules"]

CLASSES = ("number", "text", "boolean", "date", "timestamp", "other")
"""Classes of columns; each is a hole of a scope."""

_SHARED = r"""
start: "SELECT"
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
order_by: _s "ORDER" _s "BY" _s
NUMBER: /-?(0|[1-9][0-9]{0,14})(\.[0-9]{1,6})?/
FACTOR: /[1-9][0-9]{0,3}|0\.[0-9]{1,3}/
WHOLE: /[1-9][0-9]{0,8}/
PATTERN: /'([^'\\\x00-\x1f\x7f]|'')*'/
DAY: @day & ~(/0000.*/)
DATE: "'" DAY "'"
STAMP: "'" DAY " " /([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]/ "'"
COMPARE: "=" | "<>" | "!=" | "<" | "<=" | ">" | ">="
SAME: "=" | "<>" | "!="
SIGN: "+" | "-" | "*"
"""

_NAMES = """
named: @table _s "AS" _s @name
said: _s "AS" _s @name
joined: _s join @table _s "ON" _s @condition
equal: @first _s "=" _s @second | @second _s "=" _s @first
both: @first _s "AND" _s @second
select: "SELECT" _s @query
"""

_COMPARED = """
compared_number: COMPARE _s (NUMBER | "(" "SELECT" _s @one_number ")") | not? "BETWEEN" _s NUMBER _s "AND" _s NUMBER
  | not? "IN" _s "(" (NUMBER (_c NUMBER)* | "SELECT" _s @numbers) ")"
compared_text: COMPARE _s (TEXT | "(" "SELECT" _s @one_text ")") | not? "BETWEEN" _s TEXT _s "AND" _s TEXT
  | not? "IN" _s "(" (TEXT (_c TEXT)* | "SELECT" _s @texts) ")" | not? LIKE _s PATTERN
compared_date: COMPARE _s (DATE | "(" "SELECT" _s @one_date ")") | not? "BETWEEN" _s DATE _s "AND" _s DATE
  | not? "IN" _s "(" (DATE (_c DATE)* | "SELECT" _s @dates) ")"
compared_timestamp: COMPARE _s (stamp | "(" "SELECT" _s @one_timestamp ")") | not? "BETWEEN" _s stamp _s "AND" _s stamp
  | not? "IN" _s "(" (stamp (_c stamp)* | "SELECT" _s @timestamps) ")"
valued: @column _s (SAME _s @literal | not? "IN" _s "(" @literal (_c @literal)* ")")
exists: "EXISTS" _s "(" "SELECT" _s @what _s "FROM" _s @table _s "WHERE" _s @condition (_s "AND" _s @predicate)* ")"
sets: @query (set @query)+ end
"""

_SCOPE = """
where: "FROM" _s @from (_s "WHERE" _s condition)?
column: key | @other
key: @number | @text | @boolean | @date | @timestamp
moment: @date | @timestamp
number: @number | "ABS(" @number ")" | "COALESCE(" @number _c NUMBER ")" | "LENGTH(" @text ")" {number_part}
text_call: ("LOWER(" | "UPPER(") @text ")" | "COALESCE(" @text _c TEXT ")" {text_part}
free_text: @free_text | text_call
text: @text | text_call
sum: number (_s SIGN _s (number | FACTOR))?
number_case: "CASE" (_s "WHEN" _s condition _s "THEN" _s (NUMBER | number))+ (_s "ELSE" _s (NUMBER | number))? _s "END"
joined_text: text (_s "||" _s (TEXT | text))*
text_case: "CASE" (_s "WHEN" _s condition _s "THEN" _s TEXT)+ (_s "ELSE" _s TEXT)? _s "END"

count: "COUNT(*)" | "COUNT(" (column | distinct key) ")" | "SUM(" (sum | number_case) ")" | "AVG(" sum ")"
  | {average} | ("MIN(" | "MAX(") @number ")"
aggregate: count | ("100.0" _s "*" _s count | "CAST(" count _s "AS REAL)") _s "/" _s {divisor}
aggregated: aggregate | ("MIN(" | "MAX(") (@text | @date | @timestamp) ")"
aggregates: aggregated alias? (_c aggregated alias?)*

condition: predicate (and_or predicate)*
predicate: "(" condition ")" | not predicate | column _s "IS" _s not? "NULL"
  | sum _s (COMPARE _s number | @compared_number) | @text _s COMPARE _s text | free_text _s @compared_text
  | @date _s (COMPARE _s @date | @compared_date) | @timestamp _s (COMPARE _s @timestamp | @compared_timestamp)
  | @boolean (_s SAME _s (truth | @boolean))? | @valued | @exists

value: sum | number_case | joined_text | text_case | @boolean | @date | @timestamp
item: (value | @other | window) alias? | @star_of
window: ("ROW_NUMBER()" | "RANK()" | "DENSE_RANK()") _s "OVER" _s "(" partition? window_order ")"
partition: "PARTITION" _s "BY" _s key (_c key)* _s
window_order: "ORDER" _s "BY" _s order_key (_c order_key)*
order_key: (sum | joined_text | @boolean | @date | @timestamp) direction?
plain: (item (_c item)* | @star) _s where (order_by order_key (_c order_key)*)? end
  | distinct (value alias? (_c value alias?)* | @distinct_star) _s where (order_by "1" direction?)? end
  | aggregates _s where end

numbers: distinct? @number _s where
texts: distinct? @text _s where
booleans: distinct? @boolean _s where
dates: distinct? @date _s where
timestamps: distinct? @timestamp _s where
one_number: aggregate _s where
one_text: ("MIN(" | "MAX(") @text ")" _s where
one_date: ("MIN(" | "MAX(") @date ")" _s where
one_timestamp: ("MIN(" | "MAX(") @timestamp ")" _s where

derived: aggregate
derived_end: _s where _s "GROUP" _s "BY" _s key (_c key)* having_part
renamed: {renamed_average} | ("SUM(" | "AVG(" | "MIN(" | "MAX(") @qualified ")"
renamed_where: _c (renamed | "COUNT(*)") _s "AS" _s @renamed _s where _s "GROUP" _s "BY" _s
renamed_end: (order_by (renamed | "COUNT(*)") direction?)? end

group_before: (aggregates _c)?
group_where: alias? (_c aggregates)? _s where _s "GROUP" _s "BY" _s (key _c)*
named_where: (_c aggregates)? _s where _s "GROUP" _s "BY" _s (key _c)*
having_part: (_s "HAVING" _s having (and_or having)*)?
having: aggregate _s COMPARE _s (NUMBER | "(" "SELECT" _s @one_number ")")
group_end: (_c key)* having_part (order_by aggregated direction? (_c aggregated direction?)*)? end
group_order: (_c key)* having_part order_by (aggregated direction? _c)*
group_order_end: direction? (_c aggregated direction?)* end
places_where: (_c aggregates)? _s where _s "GROUP" _s "BY" _s
group_places: key alias? _c key alias? (places_where "1" _c "2" | third_place "1" _c "2" _c "3") places_end
third_place: _c key alias? places_where
places_end: having_part (order_by aggregated direction? (_c aggregated direction?)*)? end
"""

_GROUPS = """
group_key: @key @where @key (@end | @order @key @order_end)
group_named: @part _s "AS" _s @name @where @name (@end | @order @name @order_end)
group_renamed: @key @where @key @end
derived_table: ("SUM(" | "AVG(" | "MIN(" | "MAX(") @name ")" alias? _s "FROM" _s "(" "SELECT" _s @inner ")" alias end
group_tail: @end | @order @key @order_end
group_first: @key alias? _c @rest
group_pair: @second @where @key _c @second (@tail | @order @second @order_end)
"""

TEMPLATES: dict[str, Template] = {
    "named": (["named"], ["table", "name"]),
    "said": (["said"], ["name"]),
    "joined": (["joined"], ["table", "condition"]),
    "equal": (["equal"], ["first", "second"]),
    "both": (["both"], ["first", "second"]),
    "select": (["select"], ["query"]),
    "compared": (
        ["compared_number", "compared_text", "compared_date", "compared_timestamp"],
        ["numbers", "texts", "dates", "timestamps", "one_number", "one_text", "one_date", "one_timestamp"],
    ),
    "valued": (["valued"], ["column", "literal"]),
    "exists": (["exists"], ["what", "table", "condition", "predicate"]),
    "sets": (["sets"], ["query"]),
    "part": (["part_0", "part_1", "part_2"], ["column"]),
    "scope": (
        [
            *("plain", "predicate", "numbers", "texts", "booleans", "dates", "timestamps"),
            *("one_number", "one_text", "one_date", "one_timestamp"),
            *("group_before", "group_where", "group_end", "group_order", "group_order_end", "group_places"),
            *("named_where", "derived", "derived_end", "renamed_where", "renamed_end"),
        ],
        [
            *(*CLASSES, "free_text", "from", "star", "distinct_star", "star_of", "valued", "exists", "one_number"),
            *("compared_number", "compared_text", "compared_date", "compared_timestamp"),
            *("qualified", "renamed"),
        ],
    ),
    "group_named": (["group_named"], ["where", "end", "order", "order_end", "name", "part"]),
    "group_renamed": (["group_renamed"], ["where", "end", "key"]),
    "derived_table": (["derived_table"], ["name", "inner"]),
    "group_key": (["group_key"], ["where", "end", "order", "order_end", "key"]),
    "group_tail": (["group_tail"], ["end", "order", "order_end", "key"]),
    "group_first": (["group_first"], ["rest", "key"]),
    "group_pair": (["group_pair"], ["key", "where", "tail", "order", "order_end", "second"]),
}
"""What is copied: the rules of each copy, and its holes."""


@lru_cache(16)
def write_rules(dialect: Dialect, is_lower: bool, has_limit: bool) -> str:
    """All rules but those of names."""
    parts = [(quote_text(before), quote_text(after)) for before, after in (part.split("{}") for part in dialect.parts)]
    dated = "".join(f"| {before} moment {after} " for before, after in parts)
    before, after = dialect.average.split("{}")
    digits = after.split("#")
    average = f"{quote_text(before)} sum {quote_text(digits[0])} /[0-4]/ {quote_text(digits[1])}"
    divisor = '"NULLIF(" count ", 0)"'
    likes = " | ".join(f'"{like}"' for like in dialect.likes)
    scope = _SCOPE.replace("{number_part}", "" if dialect.parts_are_texts else dated)
    scope = scope.replace("{text_part}", dated if dialect.parts_are_texts else "").replace("{average}", average)
    scope = scope.replace("{renamed_average}", average.replace(" sum ", " @qualified "))
    scope = scope.replace("{divisor}", divisor if dialect.fails_at_zero else f"({divisor} | count)")
    text = "PATTERN" if dialect.may_escape else r"/'([^'\x00-\x1f\x7f]|'')*'/"
    end = '_s "LIMIT" _s @limit' if has_limit else '(_s "LIMIT" _s WHOLE)?'
    rules = [_SHARED, _NAMES, _COMPARED, scope, _GROUPS, f"end: {end}", f"LIKE: {likes}", f"TEXT: {text}"]
    rules += [f"part_{number}: {before} @column {after}" for number, (before, after) in enumerate(parts)]
    return _set_case("\n".join(rules), is_lower)


def write_alias(names: Iterable[str]) -> str:
    """The terminal of aliases: no reserved word, and no name of the catalog, which could be taken for it elsewhere."""
    words = " | ".join(map(quote_text, sorted(RESERVED | {name.lower() for name in names})))
    return f"ALIAS: /[a-z_][a-z0-9_]{{0,40}}/ & ~({words})"


def _set_case(text: str, is_lower: bool) -> str:
    """Keywords in their case. What is a text in SQL, such as ``'%Y'``, stays as it is."""
    if not is_lower:
        return text
    return re.sub(r'"[^"\n]*"', lambda quoted: re.sub(r"'[^']*'|[A-Z]+", _lower_keyword, quoted[0]), text)


def _lower_keyword(found: re.Match[str]) -> str:
    return found[0] if found[0].startswith("'") else found[0].lower()


def quote_text(text: str) -> str:
    """A text as Lark writes it."""
    escaped = "".join(
        f"\\{character}" if character in '"\\' else character if character.isprintable() else _escape(character)
        for character in text
    )
    return f'"{escaped}"'


def _escape(character: str) -> str:
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
