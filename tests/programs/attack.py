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
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import jsonschema_rs
import numpy as np
from random_schemas import PATTERNS, Maker, candidates, with_less

import formwright as fw
from formwright import allowed_tokens

SLOW = 1.0
"""Seconds for a schema from which on it is counted as slow."""


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
                narrowed = any(row.status == "narrowed" and not is_of_digits(row.note) for row in language.explain())
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


def is_of_digits(note: str) -> bool:
    """Whether a note says of numbers alone that some are left out."""
    return all("max_digits" in part for part in note.split("; "))


def is_far(instance: Any) -> bool:
    """Whether there is an integer in it that is no double: JavaScript reads another one."""
    inside = instance.values() if isinstance(instance, dict) else instance if isinstance(instance, list) else []
    return (isinstance(instance, int) and abs(instance) > 2**53) or any(map(is_far, inside))


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
