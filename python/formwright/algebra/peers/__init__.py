"""Engines that are judged: each library is imported only in its own file.

An engine reads a schema and says whether it admits a text, byte by byte and with its end. It may refuse the schema.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib import import_module
from typing import Protocol

from formwright.errors import ArgumentError, MissingDependency

__all__ = ["ENGINES", "EOS", "TOKENS", "JudgedEngine", "ReadSchema", "load_engine"]

TOKENS: tuple[bytes, ...] = (*(bytes([byte]) for byte in range(256)), b"")
"""The vocabulary of the trial: a token for each byte, and the end of text."""

EOS = 256
"""The end of text."""


class ReadSchema(Protocol):
    """A schema as an engine has read it."""

    def admits(self, data: bytes) -> bool:
        """Whether all tokens of a text are admitted, one after the other, and then its end."""


class JudgedEngine(Protocol):
    """A library that holds texts to a schema."""

    version: str

    def read(self, schema: str) -> ReadSchema:
        """Read a schema. Raises any exception where the engine refuses it."""


ENGINES: Mapping[str, str] = {
    "formwright": "formwright_engine",
    "llguidance": "llguidance_engine",
    "xgrammar": "xgrammar_engine",
    "outlines-core": "outlines_core_engine",
    "lm-format-enforcer": "lmformatenforcer_engine",
}
"""The engines by the names under which they are installed, and their files."""


def load_engine(name: str) -> JudgedEngine:
    """Load an engine.

    Args:
        name: A name of `ENGINES`, or ``module:function`` for an engine of your own: what the function returns.

    Raises:
        ArgumentError: There is no such engine.
        MissingDependency: It is not installed.
    """
    module, _, function = name.partition(":")
    if not function:
        if name not in ENGINES:
            known = f"there are {', '.join(ENGINES)}, and module:function for your own"
            raise ArgumentError(f"there is no engine {name!r}: {known}", argument="engine")
        module, function = f"formwright.algebra.peers.{ENGINES[name]}", "make_engine"
    sys.path.insert(0, "")  # an engine of your own may lie in the working folder
    try:
        engine: JudgedEngine = getattr(import_module(module), function)()
    except ImportError as error:
        hint = None if ":" in name else f"pip install {name}"
        raise MissingDependency(f"the engine {name} is not installed: {error}", hint=hint) from error
    except (AttributeError, TypeError) as error:
        raise ArgumentError(f"there is no engine {name!r}: {error}", argument="engine") from error
    finally:
        sys.path.remove("")
    if not (hasattr(engine, "version") and callable(getattr(engine, "read", None))):
        raise ArgumentError(
            f"{name} is not an engine: what it makes has no version, or no function read", argument="engine"
        )
    return engine
