"""Formwright makes language models write in form.

::

    import formwright as fw

    vocabulary = fw.Vocabulary.from_tokenizer(tokenizer)
    matcher = fw.compile({"type": "integer"}, vocabulary).matcher()
    mask = fw.allocate_bitmask(1, vocabulary)
    matcher.fill_bitmask(mask)

Four nouns carry everything. A `Language` is a set of texts. A `Vocabulary` is what
each token id spells. A `Constraint` is a language compiled for a vocabulary, frozen
and shared. A `Matcher` is one running sequence. Importing this package loads the
kernel and numpy, nothing else; model runtimes load when they are asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from formwright import errors
from formwright._kernel import Constraint, Language, Matcher, RowBuffer, Vocabulary, __version__, fill_bitmasks
from formwright.generation.result import Complete, Result, Truncated
from formwright.languages import choice, compile, json, json_schema, language, literal, regex
from formwright.masks import allocate_bitmask, apply_bitmask

if TYPE_CHECKING:
    from formwright.models import from_transformers, load

__all__ = [
    "Complete",
    "Constraint",
    "Language",
    "Matcher",
    "Result",
    "RowBuffer",
    "Truncated",
    "Vocabulary",
    "__version__",
    "allocate_bitmask",
    "apply_bitmask",
    "choice",
    "compile",
    "errors",
    "fill_bitmasks",
    "from_transformers",
    "json",
    "json_schema",
    "language",
    "literal",
    "load",
    "regex",
]

_LAZY = {"from_transformers": "formwright.models", "load": "formwright.models"}


def __getattr__(name: str) -> Any:
    """Load a model runtime when it is first asked for."""
    if name not in _LAZY:
        raise AttributeError(f"module 'formwright' has no attribute {name!r}")
    return getattr(import_module(_LAZY[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
