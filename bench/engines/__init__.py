"""One file for each engine; a library is imported only in its own file, in a process of its own.

An engine is what `Engine` says: compile a text, fill the mask, take a token, start over. `ENGINES` names them all. A
second mode of the same library is a second name.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray


class Refused(Exception):
    """The engine does not take this kind of case."""


class Engine(Protocol):
    """What the harness asks of an engine.

    ``row`` is the mask: int32 words, token ``t`` at bit ``t & 31`` of word ``t >> 5``, 1 = allowed. It is allocated
    once; whatever pointer the library wants is taken once. An engine that keeps what it compiled also has ``forget()``,
    so that the same text is compiled again, and one that reads a text before it knows the vocabulary may have
    ``form(kind, source)``, which keeps what was read for ``compile``.
    """

    row: NDArray[np.int32]

    def __init__(self, tokens: Sequence[bytes], eos: int) -> None:
        """Build from the bytes of every id; ``b""`` for ids that spell nothing."""

    def compile(self, kind: str, source: str) -> Any:
        """A matcher for ``source``, of kind ``json_schema``, ``regex`` or ``lark``, at the start of a text."""

    def fill(self, matcher: Any) -> None:
        """Write the mask of the next token into ``row``."""

    def accept(self, matcher: Any, token: int) -> bool:
        """Advance by a token; whether it was taken."""

    def reset(self, matcher: Any) -> Any:
        """A matcher of the same compiled text, at its start."""


ENGINES = {
    "formwright": "formwright:Formwright",
    "formwright-any-order": "formwright:FormwrightAnyOrder",
    "llguidance": "llguidance:Llguidance",
    "llguidance-exact": "llguidance:LlguidanceExact",
    "xgrammar": "xgrammar:Xgrammar",
    "xgrammar-strict": "xgrammar:XgrammarStrict",
    "xgrammar-cached": "xgrammar:XgrammarCached",
    "outlines-core": "outlines_core:OutlinesCore",
    "lm-format-enforcer": "lmformatenforcer:LmFormatEnforcer",
    "kbnf": "kbnf:Kbnf",
}

COMPARED = ("formwright", "llguidance", "xgrammar", "xgrammar-strict", "outlines-core", "lm-format-enforcer", "kbnf")
"""What `run` measures unless it is told otherwise; the other modes are for `maskbench`."""

LIBRARIES = ("formwright", "llguidance", "xgrammar", "outlines-core", "lm-format-enforcer", "kbnf")
"""The names under which the engines are installed."""


def load(name: str) -> type[Engine]:
    """The class of an engine; imports its library."""
    module, _, attribute = ENGINES[name].partition(":")
    engine: type[Engine] = getattr(import_module(f"engines.{module}"), attribute)
    return engine


def words(tokens: Sequence[bytes]) -> NDArray[np.int32]:
    """An empty mask for as many tokens. It begins where a cache line does, as the tensors of torch do, lest chance
    favour an engine: copies to other places take half as long again."""
    count, line = (len(tokens) + 31) // 32, 64
    room = np.zeros(count + line // 4, np.int32)
    start = -room.__array_interface__["data"][0] % line // 4
    return room[start : start + count]
