"""What every framework is tried with: a person to describe, two tools to compute with, and a type that is refused."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from pydantic import BaseModel, Field

MODEL = "scripted"
DESCRIBE, GREET, COMPUTE = "Describe Ada.", "Greet Ada.", "Compute (2 + 3) * 4."
GREETING, RESULT = "Good morning, Ada.", "The result is 20."
CALLED = [("add", 2, 3), ("multiply", 5, 4)]
REFUSED = "back-reference"
"""What the server says of `Twice`."""

called: list[tuple[str, int, int]] = []
"""The calls of tools, in order."""


class Person(BaseModel):
    """A person."""

    name: str
    age: int


ADA = Person(name="Ada", age=36)


class Twice(BaseModel):
    """A word that is said twice, which no automaton can check."""

    text: str = Field(json_schema_extra={"pattern": r"^(\w+) \1$"})


@contextlib.contextmanager
def refused(error_type: type[Exception] = Exception, says: str = REFUSED) -> Iterator[None]:
    """What is asked for is refused, and the framework passes on why."""
    try:
        yield
    except error_type as error:
        found = str(error)
    else:
        found = "nothing"
    assert says in found, found


def add(a: int, b: int) -> int:
    """Add two numbers.

    Args:
        a: The first.
        b: The second.
    """
    called.append(("add", a, b))
    return a + b


def multiply(a: int, b: int) -> int:
    """Multiply two numbers.

    Args:
        a: The first.
        b: The second.
    """
    called.append(("multiply", a, b))
    return a * b


def check_calls() -> None:
    """Both tools were called once, in order."""
    assert called == CALLED, called
    called.clear()
