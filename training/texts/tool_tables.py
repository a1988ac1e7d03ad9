"""What a tool is made of, and short ways to write it down."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from texts.examples import Number
from texts.phrasing import flag, one_of, sentences, whole
from texts.world import World


@dataclass
class Argument:
    """One argument: its possible names, its kind (string, integer, number, boolean or enum) and how a value is made.

    `said` words a truth value or an option in a request; otherwise the value stands there itself.
    """

    names: list[str]
    kind: str
    make: Callable[[World], object]
    description: str
    said: dict[object, list[str]] | None = None


@dataclass
class Tool:
    """One tool: its possible names, what it does, its arguments and the requests that call it (by argument name)."""

    names: list[str]
    description: str
    arguments: dict[str, Argument]
    requests: list[str]


def text(names: str, make: Callable[[World], str], description: str) -> Argument:
    """A string argument."""
    return Argument(names.split(), "string", make, description)


def integer(names: str, low: int, high: int, description: str) -> Argument:
    """A whole number."""
    return Argument(names.split(), "integer", whole(low, high), description)


def decimal(names: str, make: Callable[[World], str], description: str) -> Argument:
    """A number that may have decimals."""
    return Argument(names.split(), "number", lambda world: Number(make(world)), description)


def option(names: str, options: str, description: str, said: dict[object, list[str]] | None = None) -> Argument:
    """One of several words."""
    return Argument(names.split(), "enum", one_of(options), description, said)


def switch(names: str, yes: list[str], no: list[str], description: str) -> Argument:
    """A truth value; `yes` and `no` are how a request says it."""
    return Argument(names.split(), "boolean", flag, description, {True: yes, False: no})


def tool(names: str, description: str, requests: str, **arguments: Argument) -> Tool:
    """A tool; its requests stand one a line, with alternatives."""
    made = Tool(names.split(), description, arguments, sentences(requests))
    for request in made.requests:
        if set(re.findall(r"{(\w+)}", request)) != set(arguments):
            raise ValueError(f"{names}: {request}")
    return made
