"""An attack: random schemas of all keywords, deep inside each other, and everything that can be asked of them.

::

    python tests/programs/attack.py 200000 1        # so many schemas from seed 1 on; `just attack` runs it

Each schema is compiled, random texts are written with its masks (without a budget, and within budgets from the least
on), and values are offered to it. Two validators judge: ``jsonschema`` and ``jsonschema-rs``. A fault is

* ``invalid``: a text was written that both call invalid, or that its own language does not have;
* ``rejected``: a value that both call valid is not in form, and `explain` says nothing of a narrowing;
* ``empty``: a schema is called unsatisfiable, and both call some value valid;
* ``stuck``: a mask allows nothing, or a token that a mask allows is not accepted, without a budget;
* ``crashed``: another error than those of a schema that is refused;
* ``budget``: a text within a budget of at least `min_tokens_to_finish` does not end.

Where the validators differ, nothing is said. Patterns are rewritten for them: ``$``, ``.`` and the classes mean in
Python and Rust what they do not mean in ECMA-262. A fault is printed with a schema that has every part it does not need
taken out.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import jsonschema_rs
import numpy as np

import formwright as fw
from formwright import allowed_tokens

PATTERNS = {
    "^a": r"\Aa",
    "b$": r"b(?![\s\S])",
    "^[ab]*$": r"\A[ab]*(?![\s\S])",
    "^a.b$": r"\Aa[^\n\r\u2028\u2029]b(?![\s\S])",
    r"\d": "[0-9]",
    r"^\w{1,3}$": r"\A[a-zA-Z0-9_]{1,3}(?![\s\S])",
    "a|x": "a|x",
    "^(?!a)": r"\A(?!a)",
    "[^a]": "[^a]",
    "^$": r"\A(?![\s\S])",
    "^(ab|ba)+$": r"\A(ab|ba)+(?![\s\S])",
}
"""What is written in schemas, and the same for Python's ``re`` and Rust's regular expressions."""

FORMATS = ["date", "ipv4", "uuid", "date-time", "ipv6", "json-pointer"]
NAMES = ["a", "b", "ab", "x", "", "1"]
FURTHER_NAMES = [f"n{index}" for index in range(8)]
TEXTS = ["", "a", "b", "ab", "ba", "x", "abab", "a\nb", "é😀", "1", "2024-02-29", "127.0.0.1", "/a", "b\n", 'q"\\']
NUMBERS = [0, 1, -1, 2, 3, 5, 6, 10, 0.5, -2.5, 1.25, 100, 2**53, 0.1, 7]
TYPES = ["null", "boolean", "integer", "number", "string", "array", "object"]
SLOW = 1.0
"""Seconds for a schema from which on it is counted as slow."""

SCALARS = [None, True, False, *NUMBERS, *TEXTS]


def value(chance: random.Random, depth: int = 2) -> Any:
    """A random value."""
    if depth == 0 or chance.random() < 0.4:
        return chance.choice(SCALARS)
    if chance.random() < 0.5:
        return [value(chance, depth - 1) for _ in range(chance.randrange(4))]
    return {name: value(chance, depth - 1) for name in chance.sample(NAMES, chance.randrange(4))}


class Maker:
    """Random schemas."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.definitions = [f"d{index}" for index in range(chance.choice([0, 0, 0, 1, 2]))]
        self.reach = 0
        """Definitions before this one may not be referred to in place: they lead here."""

    def document(self) -> Any:
        """A schema with its definitions."""
        depth = self.chance.choice([1, 2, 2, 3, 3, 4])
        schema = self.schema(depth)
        while not isinstance(schema, dict):
            schema = self.schema(depth)
        definitions = {}
        for index, name in enumerate(self.definitions):
            self.reach = index + 1
            definitions[name] = self.schema(depth - 1)
        return schema | ({"$defs": definitions} if definitions else {})

    def schema(self, depth: int) -> Any:
        """A schema with so many levels below it."""
        if self.chance.random() < 0.1:
            return self.chance.choice([True, True, False, {}])
        parts = [self.types, self.numbers, self.strings, self.constants]
        if depth > 0:
            parts += [self.arrays, self.objects, self.combinations, self.combinations, self.conditions, self.reference]
            parts += [self.many_conditions, self.unique_containers] * (self.chance.random() < 0.3)
        made: dict[str, Any] = {}
        for part in self.chance.choices(parts, k=self.chance.choice([1, 1, 2, 2, 3])):
            made |= part(depth - 1)
        return made

    def child(self, depth: int) -> Any:
        """A schema of a member or an item: it may refer to anything."""
        if self.chance.random() < 0.08:
            return {"$ref": self.chance.choice(["#", *(f"#/$defs/{name}" for name in self.definitions)])}
        return self.schema(depth)

    def some(self, keywords: dict[str, Callable[[], Any]]) -> dict[str, Any]:
        """Some of these keywords."""
        chosen = self.chance.sample(sorted(keywords), self.chance.choice([1, 1, 2, min(3, len(keywords))]))
        return {keyword: keywords[keyword]() for keyword in chosen}

    def types(self, depth: int) -> dict[str, Any]:
        several = self.chance.random() < 0.3
        return {"type": self.chance.sample(TYPES, 2) if several else self.chance.choice(TYPES)}

    def numbers(self, depth: int) -> dict[str, Any]:
        bounds = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"]
        made: dict[str, Callable[[], Any]] = {bound: lambda: self.chance.choice(NUMBERS) for bound in bounds}
        return self.some(made | {"multipleOf": lambda: self.chance.choice([1, 2, 3, 0.5, 0.25, 10])})

    def strings(self, depth: int) -> dict[str, Any]:
        return self.some(
            {
                "minLength": lambda: self.chance.randrange(4),
                "maxLength": lambda: self.chance.randrange(6),
                "pattern": lambda: self.chance.choice(sorted(PATTERNS)),
                "format": lambda: self.chance.choice(FORMATS),
            }
        )

    def constants(self, depth: int) -> dict[str, Any]:
        if self.chance.random() < 0.5:
            return {"const": value(self.chance)}
        return {"enum": [value(self.chance, 1) for _ in range(self.chance.randint(1, 4))]}

    def arrays(self, depth: int) -> dict[str, Any]:
        made = self.some(
            {
                "items": lambda: self.child(depth),
                "prefixItems": lambda: [self.child(depth) for _ in range(self.chance.randint(1, 3))],
                "contains": lambda: self.child(depth),
                "minItems": lambda: self.chance.randrange(4),
                "maxItems": lambda: self.chance.randrange(5),
                "unevaluatedItems": lambda: self.child(depth),
                "uniqueItems": lambda: True,
            }
        )
        if "contains" in made and self.chance.random() < 0.5:
            made |= self.some({key: lambda: self.chance.randrange(4) for key in ("minContains", "maxContains")})
        if made.get("uniqueItems") and self.chance.random() < 0.7:
            made["items"] = {"type": self.chance.choice(["integer", "string", "boolean", "number"])}
        return made

    def objects(self, depth: int) -> dict[str, Any]:
        def some_names(most: int) -> list[str]:
            return self.chance.sample(NAMES, self.chance.randint(1, most))

        return self.some(
            {
                "properties": lambda: {name: self.child(depth) for name in some_names(3)},
                "patternProperties": lambda: {
                    pattern: self.child(depth) for pattern in self.chance.sample(sorted(PATTERNS), 1)
                },
                "additionalProperties": lambda: self.child(depth),
                "required": lambda: some_names(3),
                "minProperties": lambda: self.chance.randrange(4),
                "maxProperties": lambda: self.chance.randrange(4),
                "propertyNames": lambda: self.child(depth),
                "dependentRequired": lambda: {name: some_names(2) for name in some_names(2)},
                "dependentSchemas": lambda: {name: self.schema(depth) for name in some_names(2)},
                "unevaluatedProperties": lambda: self.child(depth),
            }
        )

    def combinations(self, depth: int) -> dict[str, Any]:
        keyword = self.chance.choice(["allOf", "anyOf", "oneOf", "not"])
        if keyword == "not":
            return {"not": self.schema(depth)}
        return {keyword: [self.schema(depth) for _ in range(self.chance.randint(1, 3))]}

    def conditions(self, depth: int) -> dict[str, Any]:
        branches = self.chance.choice([["then"], ["else"], ["then", "else"]])
        return {keyword: self.schema(depth) for keyword in ["if", *branches]}

    def many_conditions(self, depth: int) -> dict[str, Any]:
        """So many conditions on the members of one object that alternatives cannot be multiplied out."""
        names = [*NAMES[:3], *FURTHER_NAMES[: self.chance.choice([2, 4, 8])]]
        values = [{"const": text} for text in self.chance.sample(TEXTS, 4)] + [self.schema(0) for _ in range(2)]

        def part() -> Any:
            """What one condition says of one or two members."""
            some = self.chance.sample(names, self.chance.choice([1, 1, 2]))
            pattern = self.chance.choice(sorted(PATTERNS))
            return self.chance.choice(
                [
                    {"required": some},
                    {"properties": {name: self.chance.choice(values) for name in some}},
                    {"required": some[:1], "properties": {some[-1]: self.chance.choice(values)}},
                    {"properties": {some[0]: False}},
                    {"minProperties": self.chance.randrange(1, 4)},
                    {"patternProperties": {pattern: self.chance.choice(values)}},
                    {"properties": {some[0]: True}, "additionalProperties": self.chance.choice([False, *values])},
                ]
            )

        def condition() -> Any:
            kinds = [
                lambda: {"not": part()},
                lambda: {"anyOf": [part(), part()]},
                lambda: {"if": part(), "then": part()},
                lambda: {"if": part(), "then": part(), "else": part()},
                lambda: {"dependentSchemas": {self.chance.choice(names): part()}},
            ]
            return self.chance.choice(kinds)()

        keyword = self.chance.choice(["allOf", "allOf", "anyOf", "oneOf"])
        count = self.chance.choice([5, 5, 6, 8, 12, 20, 40])
        made = {"type": "object", keyword: [condition() if keyword == "allOf" else part() for _ in range(count)]}
        if self.chance.random() < 0.3:
            made["unevaluatedProperties"] = self.chance.choice([False, *values])
        return made | (self.objects(depth) if self.chance.random() < 0.3 else {})

    def unique_containers(self, depth: int) -> dict[str, Any]:
        """An array of items that must differ, mostly of so few values that a text can use them up."""

        def few(depth: int) -> Any:
            """A schema of few values."""
            scalars = [
                lambda: {"enum": self.chance.sample([0, 1, True, None, "a", "b", "", 0.5], self.chance.randint(1, 3))},
                lambda: {"type": "boolean"},
                lambda: {"type": "string", "pattern": "^[ab]*$", "maxLength": self.chance.randrange(3)},
                lambda: {"type": "integer", "minimum": 0, "maximum": self.chance.randrange(4)},
                lambda: {"type": self.chance.choice(["string", "number", "integer"])},
            ]
            if depth == 0:
                return self.chance.choice(scalars)()
            inside = {name: few(depth - 1) for name in self.chance.sample(NAMES[:4], self.chance.randint(1, 3))}
            required = self.chance.sample(sorted(inside), self.chance.randint(0, len(inside)))
            unique = {"uniqueItems": True} if self.chance.random() < 0.5 else {}
            containers = [
                lambda: {"type": "object", "properties": inside, "required": required, "additionalProperties": False},
                lambda: {"type": "object", "properties": inside, "required": required},
                lambda: {"type": "object", "additionalProperties": few(0), "maxProperties": 2},
                lambda: {"type": "array", "items": few(depth - 1), "maxItems": self.chance.randrange(4)} | unique,
                lambda: {"anyOf": [few(0), few(depth - 1)]},
            ]
            return self.chance.choice(containers)()

        made: dict[str, Any] = {"type": "array", "items": few(self.chance.choice([1, 1, 2])), "uniqueItems": True}
        if self.chance.random() < 0.5:
            made |= self.some({key: lambda: self.chance.randrange(5) for key in ("minItems", "maxItems")})
        if self.chance.random() < 0.2:
            made["prefixItems"] = [few(1) for _ in range(self.chance.randint(1, 2))]
        if self.chance.random() < 0.15:
            made["contains"] = few(1)
        return made

    def reference(self, depth: int) -> dict[str, Any]:
        names = self.definitions[self.reach :]
        return {"$ref": f"#/$defs/{self.chance.choice(names)}"} if names else self.types(depth)


def for_judges(schema: Any, inside: str = "") -> Any:
    """``schema`` with its patterns rewritten."""
    if isinstance(schema, dict):
        if inside == "patternProperties":
            return {PATTERNS[pattern]: for_judges(inner) for pattern, inner in schema.items()}
        if inside in ("properties", "dependentSchemas", "$defs"):
            return {name: for_judges(inner) for name, inner in schema.items()}
        return {
            key: PATTERNS[inner]
            if key == "pattern"
            else inner
            if key in ("const", "enum", "required", "dependentRequired")
            else for_judges(inner, key)
            for key, inner in schema.items()
        }
    return [for_judges(inner) for inner in schema] if isinstance(schema, list) else schema


class Judges:
    """Both validators of a schema."""

    def __init__(self, schema: Any) -> None:
        self.schema = for_judges(schema)
        self._first = jsonschema_rs.Draft202012Validator(self.schema, validate_formats=True)
        self._without_formats = jsonschema_rs.Draft202012Validator(self.schema, validate_formats=False)

    @cached_property
    def _second(self) -> Any:
        import jsonschema  # late: importing it takes a second, and whoever only writes texts needs no judge

        return jsonschema.Draft202012Validator(self.schema, format_checker=jsonschema.FormatChecker())

    def refute_written(self, instance: Any) -> bool:
        """Whether ``instance`` is invalid for those who assert formats, or for those who do not."""
        if self.refute(instance, True):
            return True
        if self._without_formats.is_valid(instance):
            return False
        try:
            return not self._second.evolve(format_checker=None).is_valid(instance)
        except RecursionError:
            return False

    def refute(self, instance: Any, claim: bool) -> bool:
        """Whether both find that ``instance`` is not as valid as is claimed. The slow one is asked only then."""
        if bool(self._first.is_valid(instance)) is claim:
            return False
        try:
            return bool(self._second.is_valid(instance)) is not claim
        except RecursionError:
            return False


class Writer:
    """Random texts of a constraint."""

    def __init__(self, constraint: fw.Constraint[Any], chance: random.Random, closing: list[int]) -> None:
        self.matcher, self.chance, self.closing = constraint.matcher(), chance, closing
        self.ends = set(constraint.vocabulary.eos_token_ids)
        self.mask = fw.allocate_bitmask(1, constraint.vocabulary)

    def drawn(self, budget: int | None, closes: bool) -> int:
        """A random token that the mask allows."""
        self.matcher.fill_bitmask(self.mask, 0, budget=budget)
        row = self.mask[0]
        if closes:
            for token in self.closing:
                if row[token >> 5] >> (token & 31) & 1:
                    return token
        allowed = allowed_tokens(row)
        return int(allowed[self.chance.randrange(len(allowed))])

    def text(self, free: int, most: int) -> bytes | None:
        """A text of ``free`` tokens at will, then of tokens that close what is open; ``None`` if that is too long."""
        self.matcher.reset()
        for count in range(most):
            token = self.drawn(None, count > free and self.chance.random() < 0.8)
            if token in self.ends:
                return bytes(self.matcher.accepted_bytes)
            self.matcher.accept_token(token)
        return None

    def text_within(self, extra: int) -> bytes | None:
        """A text within the least budget and ``extra`` tokens; ``None`` if it does not end."""
        self.matcher.reset()
        for left in range(self.matcher.min_tokens_to_finish + extra, 0, -1):
            token = self.drawn(left, False)
            if token in self.ends:
                return bytes(self.matcher.accepted_bytes)
            self.matcher.accept_token(token)
        return bytes(self.matcher.accepted_bytes) if self.matcher.is_complete else None


@dataclass(frozen=True)
class Fault:
    kind: str
    schema: Any
    detail: str


class Attack:
    """Random schemas from seeds on, and what came of them."""

    def __init__(self, vocabularies: list[fw.Vocabulary], budgets: float = 1.0) -> None:
        self.vocabularies = [(vocabulary, closing_tokens(vocabulary)) for vocabulary in vocabularies]
        self.budgets = budgets
        """Of so many texts, some are written within budgets."""
        self.counts: Counter[str] = Counter()
        self.slowest = (0.0, "")

    def run(self, seed: int) -> Fault | None:
        """Attack with one schema; a fault comes with a small schema that has it too."""
        started = time.perf_counter()
        schema = Maker(random.Random(f"schema {seed}")).document()
        fault = self.fault(schema, seed)
        self.counts["schemas"] += 1
        took = time.perf_counter() - started
        self.counts["slow"] += took > SLOW
        self.slowest = max(self.slowest, (took, json.dumps(schema)))
        return self.smaller(fault, seed) if fault else None

    def fault(self, schema: Any, seed: int) -> Fault | None:
        """What is wrong with the answers about a schema, if anything."""
        chance = random.Random(f"answers {seed}")
        try:
            judges = Judges(schema)
        except ValueError:
            self.counts["not judged"] += 1
            return None
        try:
            language = fw.json_schema(schema, order=chance.choice(["schema", "model"]))
            found = self.texts(schema, language, judges, chance) or self.offers(schema, judges, chance)
        except fw.errors.UnsatisfiableSchema:
            found = self.emptiness(judges, chance)
        except (fw.errors.SchemaError, fw.errors.LimitExceeded):
            self.counts["refused"] += 1
            return None
        except Exception as error:
            found = ("crashed", repr(error))
        return Fault(found[0], schema, found[1]) if found else None

    def texts(
        self, schema: Any, language: fw.Form[Any], judges: Judges, chance: random.Random
    ) -> tuple[str, str] | None:
        """Write texts, and have them judged."""
        vocabulary, closing = chance.choice(self.vocabularies)
        writer = Writer(fw.compile(language, vocabulary), chance, closing)
        for _ in range(3):
            try:
                text = writer.text(chance.randrange(20), 300)
            except (fw.errors.DeadEnd, fw.errors.MatchError) as error:
                return "stuck", f"{error} after {bytes(writer.matcher.accepted_bytes)!r}"
            if text is None:
                self.counts["given up"] += 1
            elif found := self.judged(text, language, judges):
                return found
        return self.budgeted(writer, language, judges, chance) if chance.random() < self.budgets else None

    def budgeted(
        self, writer: Writer, language: fw.Form[Any], judges: Judges, chance: random.Random
    ) -> tuple[str, str] | None:
        extra = chance.choice([0, 0, 1, 2, chance.randrange(31)])
        try:
            text = writer.text_within(extra)
        except (fw.errors.DeadEnd, fw.errors.MatchError) as error:
            return "budget", f"{error} with {extra} to spare after {bytes(writer.matcher.accepted_bytes)!r}"
        if text is None:
            return "budget", f"no end with {extra} to spare: {bytes(writer.matcher.accepted_bytes)!r}"
        return self.judged(text, language, judges)

    def judged(self, text: bytes, language: fw.Form[Any], judges: Judges) -> tuple[str, str] | None:
        self.counts["texts"] += 1
        if not language.matches(text):
            return "invalid", f"its own language does not have {text!r}"
        return ("invalid", repr(text)) if judges.refute_written(json.loads(text)) else None

    def offers(self, schema: Any, judges: Judges, chance: random.Random) -> tuple[str, str] | None:
        """Offer values to the language in any order of members."""
        language, narrowed = fw.json_schema(schema, order="model"), None
        for instance in candidates(schema, chance):
            text = json.dumps(instance, ensure_ascii=False)
            matches = language.matches(text.encode())
            self.counts["offers"] += 1
            if not judges.refute(instance, matches) or (not matches and is_far(instance)):
                continue
            if matches:
                return "invalid", f"accepted: {text}"
            if narrowed is None:
                narrowed = any(row.status == "narrowed" and "max_digits" not in row.note for row in language.explain())
            if not narrowed:
                return "rejected", text
        return None

    def emptiness(self, judges: Judges, chance: random.Random) -> tuple[str, str] | None:
        self.counts["empty"] += 1
        for instance in candidates(judges.schema, chance, 150):
            if judges.refute(instance, False):
                return "empty", json.dumps(instance, ensure_ascii=False)
        return None

    def smaller(self, fault: Fault, seed: int) -> Fault:
        """The same kind of fault in a schema of which nothing can be taken out."""
        tries = 600
        shrunk = True
        while shrunk and tries > 0:
            shrunk = False
            for schema in with_less(fault.schema):
                tries -= 1
                again = next(filter(None, (self.quietly(schema, seed, turn) for turn in range(3))), None)
                if again and again.kind == fault.kind:
                    fault, shrunk = again, True
                    break
                if tries <= 0:
                    break
        return fault

    def quietly(self, schema: Any, seed: int, turn: int) -> Fault | None:
        counts = self.counts.copy()
        try:
            return self.fault(schema, seed if turn == 0 else seed * 1000 + turn)
        except Exception:
            return None  # no schema any more
        finally:
            self.counts = counts


def closing_tokens(vocabulary: fw.Vocabulary) -> list[int]:
    """The tokens that end something, most welcome first."""
    wanted = [b'"', b"}", b"]", b":", b",", b"0", b"a", b"1"]
    found = {}
    for token in range(len(vocabulary)):
        spelled = vocabulary.token(token)
        if spelled in wanted:
            found.setdefault(spelled, token)
    return [*vocabulary.eos_token_ids, *(found[text] for text in wanted)]


def constants(schema: Any) -> Iterator[Any]:
    """The values that stand in a schema."""
    if isinstance(schema, dict):
        for key, inner in schema.items():
            if key == "const":
                yield inner
            elif key == "enum" and isinstance(inner, list):
                yield from inner
            else:
                yield from constants(inner)
    elif isinstance(schema, list):
        for inner in schema:
            yield from constants(inner)
    elif isinstance(schema, int | float) and not isinstance(schema, bool):
        yield from (schema, schema + 1, schema - 1, schema + 0.5)


def candidates(schema: Any, chance: random.Random, count: int = 15) -> Iterator[Any]:
    """Values to offer: those in the schema, scalars, and random ones with these inside."""
    inside = [whole(constant) for constant in constants(schema)]
    yield from inside[:count]
    yield from chance.sample(SCALARS, min(count, len(SCALARS)))
    yield from ([], {})
    some = [*SCALARS, *inside]
    written = json.dumps(schema)
    names = NAMES + [name for name in FURTHER_NAMES if f'"{name}"' in written]
    for _ in range(count):
        made = value(chance, 3)
        if isinstance(made, list) and chance.random() < 0.3:
            made += [chance.choice(made)] if made else []
        elif isinstance(made, list) and chance.random() < 0.5:
            made = [chance.choice(some) for _ in range(chance.randint(1, 4))]
        elif isinstance(made, dict) and chance.random() < 0.5:
            made = {name: chance.choice(some) for name in chance.sample(names, chance.randint(1, 4))}
        yield whole(made)


def is_far(instance: Any) -> bool:
    """Whether there is an integer in it that is no double: JavaScript reads another one."""
    inside = instance.values() if isinstance(instance, dict) else instance if isinstance(instance, list) else []
    return (isinstance(instance, int) and abs(instance) > 2**53) or any(map(is_far, inside))


def whole(instance: Any) -> Any:
    """``instance`` with 1 for 1.0, as integers are written."""
    if isinstance(instance, dict):
        return {name: whole(inner) for name, inner in instance.items()}
    if isinstance(instance, list):
        return [whole(inner) for inner in instance]
    return int(instance) if isinstance(instance, float) and instance.is_integer() else instance


def with_less(schema: Any) -> Iterator[Any]:
    """``schema`` with one part taken out or put in the place of what it is part of."""
    if isinstance(schema, dict):
        for key in schema:
            yield {other: inner for other, inner in schema.items() if other != key}
        for inner in schema.values():
            if isinstance(inner, dict) and "$ref" not in json.dumps(inner):
                yield inner
        for key, inner in schema.items():
            for less in with_less(inner):
                yield schema | {key: less}
    elif isinstance(schema, list):
        for at, inner in enumerate(schema):
            yield [*schema[:at], *schema[at + 1 :]]
            yield from ([*schema[:at], less, *schema[at + 1 :]] for less in with_less(inner))


def byte_vocabulary() -> fw.Vocabulary:
    return fw.Vocabulary([*(bytes([byte]) for byte in range(256)), None], eos_token_ids=[256])


def real_vocabulary() -> fw.Vocabulary:
    """Of 131,072 tokens."""
    from mistral_common.tokens.tokenizers.mistral import MistralTokenizer

    return fw.Vocabulary.from_tokenizer(MistralTokenizer.v3(is_tekken=True).instruct_tokenizer.tokenizer)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("count", type=int, help="how many schemas")
    parser.add_argument("seed", type=int, help="the first seed")
    parser.add_argument("--budgets", type=float, default=1.0, help="of so many schemas, one text is within a budget")
    parser.add_argument("--only", type=int, help="the one seed to try again")
    arguments = parser.parse_args()
    byte, real = byte_vocabulary(), real_vocabulary()
    attack, faults = Attack([byte, byte, byte, real], arguments.budgets), Counter[str]()
    seeds = range(arguments.seed, arguments.seed + arguments.count) if arguments.only is None else [arguments.only]
    started = time.perf_counter()
    for done, seed in enumerate(seeds, start=1):
        if fault := attack.run(seed):
            faults[fault.kind] += 1
            print(json.dumps({"seed": seed, **vars(fault)}, ensure_ascii=False), flush=True)
        if done % 1000 == 0:
            pace = done / (time.perf_counter() - started)
            print(f"{done} schemas, {pace:.0f} a second, {dict(faults)}", file=sys.stderr, flush=True)
    print(json.dumps({"counts": attack.counts, "faults": faults, "slowest": attack.slowest}))
    return int(any(kind != "budget" for kind in faults))


if __name__ == "__main__":
    np.seterr(all="raise")
    sys.exit(main())
