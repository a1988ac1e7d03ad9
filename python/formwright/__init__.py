"""Structured output from any language model: exact, complete, faithful, fast.

::

    import formwright as fw

    model = fw.load("formwright-tiny")  # or fw.from_transformers(model, tokenizer), fw.connect(url, name)
    result = model.generate("Clara Novak, 34, lives in Prague.", Person)
    result.value                        # a Person

In a decode loop of your own::

    vocabulary = fw.Vocabulary.from_tokenizer(tokenizer)
    matcher = fw.compile({"type": "integer"}, vocabulary).matcher()
    mask = fw.allocate_bitmask(1, vocabulary)
    matcher.fill_bitmask(mask)

Four nouns carry everything. A `Form` is a set of texts and how each is read as a value. A `Vocabulary` is what each
token id spells. A `Constraint` is a form compiled for a vocabulary, frozen and shared. A `Matcher` is one sequence.

==========================  ==========================================================================================
forms                       form, json_schema, json, regex, grammar, choice, literal, text, after, template, many,
                            optional, one_of_text, Quote, format, special, thinking, tools, CharacterParser, Form;
                            options of a notation: Csv, Toon, Xml, Yaml; sql
masks                       compile, Vocabulary, Constraint, Matcher, allocate_bitmask, fill_bitmasks, apply_bitmask,
                            allowed_tokens, RowBuffer, Interrupt
models in this process      load, from_transformers, from_llama_cpp, from_mlx, from_onnx_genai
remote models               connect, from_openai, patch
results                     Complete, Truncated, Failed, Observed, Result, Stream, partial, Call, Tree, Token
understanding a form        explain, instructions
comparing forms             difference, compat
plugins                     register_tokenizer, register_service, register_style
errors                      errors.FormwrightError is the base of all
==========================  ==========================================================================================

``help(fw.compile)`` describes one name. Importing this package loads the kernel and numpy, nothing else; model runtimes
load when they are asked for.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import FrameType
from typing import TYPE_CHECKING, Any

from formwright import errors
from formwright._kernel import Constraint, Interrupt, Matcher, RowBuffer, Vocabulary, __version__, fill_bitmasks
from formwright.algebra import compat as compat
from formwright.forms.coerce import compile, form
from formwright.forms.form import Form, literal
from formwright.forms.free_text import after, format, special, text, thinking
from formwright.forms.grammars import grammar
from formwright.forms.grounded import one_of_text
from formwright.forms.json_forms import explain, json, json_schema
from formwright.forms.notations import Csv as Csv
from formwright.forms.notations import Toon as Toon
from formwright.forms.notations import Xml as Xml
from formwright.forms.notations import Yaml as Yaml
from formwright.forms.parsers import CharacterParser
from formwright.forms.quotes import Quote
from formwright.forms.sets import difference as difference
from formwright.forms.sql import sql as sql
from formwright.forms.templates import many, optional, template
from formwright.forms.texts import choice, regex
from formwright.forms.trees import Token, Tree
from formwright.generation.loop import Stream
from formwright.generation.result import Complete, Failed, Observed, Result, Truncated
from formwright.incremental import partial
from formwright.masks.arrays import allocate_bitmask, allowed_tokens, apply_bitmask
from formwright.schemas.instructions import instructions
from formwright.tokenizers import register_tokenizer
from formwright.tools import Call, register_style, tools

if TYPE_CHECKING:
    from formwright.client import connect, from_openai, patch, register_service
    from formwright.models import from_llama_cpp, from_mlx, from_onnx_genai, from_transformers, load

__all__ = [
    "Call",
    "CharacterParser",
    "Complete",
    "Constraint",
    "Failed",
    "Form",
    "Interrupt",
    "Matcher",
    "Observed",
    "Quote",
    "Result",
    "RowBuffer",
    "Stream",
    "Token",
    "Tree",
    "Truncated",
    "Vocabulary",
    "__version__",
    "after",
    "allocate_bitmask",
    "allowed_tokens",
    "apply_bitmask",
    "choice",
    "compile",
    "connect",
    "errors",
    "explain",
    "fill_bitmasks",
    "form",
    "format",
    "from_llama_cpp",
    "from_mlx",
    "from_onnx_genai",
    "from_openai",
    "from_transformers",
    "grammar",
    "instructions",
    "json",
    "json_schema",
    "literal",
    "load",
    "many",
    "one_of_text",
    "optional",
    "partial",
    "patch",
    "regex",
    "register_service",
    "register_style",
    "register_tokenizer",
    "special",
    "template",
    "text",
    "thinking",
    "tools",
]

_LAZY = {
    "connect": "formwright.client",
    "from_llama_cpp": "formwright.models",
    "from_mlx": "formwright.models",
    "from_onnx_genai": "formwright.models",
    "from_openai": "formwright.client",
    "from_transformers": "formwright.models",
    "load": "formwright.models",
    "patch": "formwright.client",
    "register_service": "formwright.client",
}


def __getattr__(name: str) -> Any:
    """Load a model runtime when it is first asked for."""
    if name not in _LAZY:
        raise AttributeError(f"module 'formwright' has no attribute {name!r}")
    return getattr(import_module(_LAZY[name]), name)


def __dir__() -> list[str]:
    # `help(formwright)` would print every class and function in full, 1,700 lines: there, the docstring is enough.
    return [] if _is_asked_by_help(sys._getframe(1)) else sorted(__all__)


def _is_asked_by_help(frame: FrameType | None) -> bool:
    """Whether a caller, or one that called it, is the module that prints help."""
    callers: list[object] = []
    while frame is not None and len(callers) < 3:
        callers.append(frame.f_globals.get("__name__"))
        frame = frame.f_back
    return "pydoc" in callers
