"""The public surface as type checkers see it; checked by mypy and pyright, never run."""

import re
from dataclasses import dataclass
from enum import Enum
from typing import Annotated, Any, Literal, assert_type

import numpy as np

import formwright as fw
from formwright.generation import Field, Piece
from formwright.incremental import Incoming, Partial, State


@dataclass
class Person:
    name: str


class Mood(Enum):
    GOOD = "good"
    BAD = "bad"


# A type is never lost.
assert_type(fw.form(Person), fw.Form[Person])
assert_type(fw.form(Person, order="model", whitespace="compact"), fw.Form[Person])
assert_type(fw.json_schema(Person, whitespace="compact"), fw.Form[Person])
assert_type(fw.form(Person, whitespace="free", max_whitespace=12, max_items=20, alphabet="ab"), fw.Form[Person])
assert_type(fw.form(fw.form(Person)), fw.Form[Person])
assert_type(fw.form(re.compile("a")), fw.Form[str])
assert_type(fw.grammar("root ::= 'a'", syntax="gbnf", lexing="any", forms={"x": fw.form(int)}), fw.Form[str])
assert_type(fw.grammar("root ::= 'a'", read="tree"), fw.Form[fw.Tree])
assert_type(fw.grammar("root ::= 'a'", read={"root": Person}, ambiguous="error"), fw.Form[Any])
assert_type(fw.grammar("root ::= 'a'", read=Person("Ada")), fw.Form[Any])
assert_type(fw.grammar("root ::= 'a'", read="tree").parse("a").children, tuple[fw.Tree | fw.Token | None, ...])
assert_type(fw.form(Mood), fw.Form[Mood])
assert_type(fw.form(list[int]), fw.Form[list[int]])
assert_type(fw.form({"type": "integer"}), fw.Form[Any])
assert_type(fw.json_schema({"type": "integer"}), fw.Form[Any])
assert_type(fw.json(), fw.Form[Any])
assert_type(fw.regex("a"), fw.Form[str])
assert_type(fw.choice("a", "b"), fw.Form[str])
assert_type(fw.choice(["a", "b"]), fw.Form[str])
assert_type(fw.choice(Mood), fw.Form[Mood])
assert_type(fw.literal("a"), fw.Form[str])
assert_type(fw.form(Person).parse("{}"), Person)

# Composition.
assert_type(fw.literal("a") + "b", fw.Form[str])
assert_type("a" + fw.literal("b"), fw.Form[str])
assert_type(fw.literal("a") + fw.form(Person), fw.Form[Person])
assert_type("a" + fw.form(Person) + "b", fw.Form[Person])
assert_type(fw.form(Person) + fw.form(int), fw.Form[tuple[Person, int]])
assert_type(fw.form(Person) | "none", fw.Form[Person | str])
assert_type(fw.form(Person) | fw.form(int), fw.Form[Person | int])
assert_type(fw.form(Person).repeat(1, None), fw.Form[list[Person]])
assert_type(fw.regex("a").repeat(2), fw.Form[str])

# Around a form.
assert_type(fw.thinking(Person), fw.Form[Person])
assert_type(fw.thinking(fw.form(int), max_chars=10), fw.Form[int])
assert_type(fw.thinking(re.compile("a")), fw.Form[str])
assert_type(fw.thinking({"type": "integer"}), fw.Form[Any])
assert_type(fw.optional(Person), fw.Form[Person | None])
assert_type(fw.optional(fw.regex("a")), fw.Form[str | None])
assert_type(fw.many(Person, sep=", "), fw.Form[list[Person]])
assert_type(fw.many(fw.thinking(Person)), fw.Form[list[Person]])
assert_type(fw.many({"type": "integer"}), fw.Form[list[Any]])
assert_type(fw.template("{name}", into=Person, name=str), fw.Form[Person])
assert_type(fw.template("{name}", name=str), fw.Form[dict[str, Any]])

# Constraints.
vocabulary = fw.Vocabulary([b"a", None], eos_token_ids=[1])
assert_type(fw.grammar("root ::= 'a'", vocabulary=vocabulary), fw.Form[str])
assert_type(fw.compile(Person, vocabulary), fw.Constraint[Person])
assert_type(fw.compile(fw.regex("a"), vocabulary), fw.Constraint[str])
assert_type(fw.compile(re.compile("a"), vocabulary), fw.Constraint[str])
constraint = fw.compile(fw.form(int), vocabulary)
assert_type(constraint, fw.Constraint[int])
assert_type(constraint.parse("1"), int)
assert_type(constraint.form, fw.Form[int])
mask = fw.allocate_bitmask(1, vocabulary)
constraint.matcher().fill_bitmask(mask, 0, budget=3)
constraint.matcher().fill_bitmask(fw.RowBuffer(mask))
assert_type(constraint.matcher().allowed_token_ids(), list[int])
fw.apply_bitmask(np.zeros(2, dtype=np.float32), mask)

# Generation: complete, unless the caller allows a cut.
model = fw.load("formwright-tiny")
assert_type(model.generate("?", Person), fw.Complete[Person])
assert_type(model.generate("?", Person).value, Person)
assert_type(model.generate("?", Person, source="Ada", abstain=0.9, calibration="map.json").fields["/name"], Field)
assert_type(model.generate("?", Person, fields=True, particles=64).doubtful, tuple[str, ...])
assert_type(model.generate("?", tuple[int, fw.Quote], source="Ada").value[1].start, int | None)
assert_type(model.generate("?", fw.choice(["a", "b"]), max_tokens=3, temperature=1), fw.Complete[str])
assert_type(model.generate("?", re.compile("a")), fw.Complete[str])
assert_type(model.generate("?", Mood), fw.Complete[Mood])
assert_type(model.generate("?", constraint), fw.Complete[int])
assert_type(model.generate("?", {"type": "integer"}), fw.Complete[Any])
assert_type(model.generate("?", Literal["a", "b"]).text, str)
assert_type(model.generate("?", Person, finish=False), fw.Complete[Person] | fw.Truncated)
assert_type(model.generate("?", Person, stop="\n"), fw.Complete[Person] | fw.Truncated)
assert_type(model.generate([1, 2], Person, cancel=lambda: False), fw.Complete[Person] | fw.Truncated)
assert_type(model.generate("?", Person, instruct="fields"), fw.Complete[Person])
assert_type(fw.instructions(Person, style="fields"), str)
fw.instructions(Person, style="xml")  # type: ignore[arg-type]  # pyright: ignore
model.generate("?", Person, max_token=3)  # type: ignore[call-overload]  # pyright: ignore

with model.stream([{"role": "user", "content": "?"}], Person) as stream:
    assert_type([piece.text for piece in stream], list[str])
assert_type(stream.result, fw.Complete[Person])
with model.stream("?", Person, finish=False) as cut:
    pass
assert_type(cut.result, fw.Complete[Person] | fw.Truncated)

# Values while they are written.
with model.stream("?", Person) as pieces:
    for piece in pieces:
        assert_type(piece.partial, Partial)
        assert_type(piece.partial.name, Partial)
        assert_type(piece.partial["names"][0].state, State)
assert_type(pieces.partial, Partial)
with model.stream_items("?", Person, max_tokens=9) as items:
    assert_type(list(items), list[Person])
assert_type(items.result, fw.Complete[list[Person]])
assert_type(next(model.stream_items("?", {"type": "integer"})), Any)
assert_type(model.stream_items("?", int, finish=False).result, fw.Complete[list[int]] | fw.Truncated)
assert_type(fw.partial(Person), Incoming[Person])
assert_type(fw.partial(Person).feed("{"), Partial)
assert_type(fw.partial(Person).finish(), Person)
assert_type(fw.partial(re.compile("a")).finish(), str)
assert_type(fw.partial(fw.form(int)).finish(), int)
assert_type(fw.partial({"type": "integer"}).finish(), Any)


async def read() -> None:
    async with model.stream("?", Person) as stream:
        async for piece in stream:
            assert_type(piece, Piece)
    assert_type([item async for item in model.stream_items("?", Person)], list[Person])


# What is no form is an error before anything runs.
fw.form("text")  # type: ignore[call-overload]  # pyright: ignore
fw.form(5)  # type: ignore[call-overload]  # pyright: ignore
model.generate("?", print)  # type: ignore[call-overload]  # pyright: ignore

# Unions, literals and annotated types are types too.
assert_type(fw.form(int | None), fw.Form[int | None])
assert_type(fw.form(Literal["a", "b"]), fw.Form[Literal["a", "b"]])
assert_type(fw.choice(Literal["a", "b"]), fw.Form[Literal["a", "b"]])
assert_type(fw.form(Annotated[int, "a remark"]), fw.Form[int])
assert_type(fw.form(None), fw.Form[None])
assert_type(model.generate("?", int | str).value, int | str)
assert_type(fw.json_schema({}).repeat(2), fw.Form[Any])

# Strategies and many texts.
assert_type(model.generate("", Person, beams=3, returns=2), fw.Complete[Person])
assert_type(model.generate("", Person, fidelity="smc", particles=8, trace=True), fw.Complete[Person])
assert_type(model.generate("", Person, beams=3).alternatives, tuple[fw.Complete[Person], ...])
assert_type(model.generate_many([""], Person), list[fw.Complete[Person] | fw.Failed])
assert_type(model.generate_many([""], fw.choice("a"), seed=1), list[fw.Complete[str] | fw.Failed])
assert_type(model.generate_many([""], [Person, int], finish=False), list[fw.Complete[Any] | fw.Truncated | fw.Failed])
assert_type(model.score("", ["a", "b"]), dict[str, float])
assert_type(model.observe("", Person), fw.Observed)
