r"""Send a grammar to a service that reads grammars, as far as the service reads this one.

::

    form = fw.grammar('start: "a" start | "b"')
    find_unsendable(form, "custom tool") is None                  # True: it can be sent
    find_unsendable(form, "ebnf")                                 # 'it is Lark, and this service reads GBNF'
    list_fields("root ::= 'a'", "ebnf")                           # {'ebnf': "root ::= 'a'"}

What a service makes of a text can differ from what formwright makes of it, so each answer is checked here. What a
service is known not to read is not sent: a text of another meaning would only cost attempts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

from formwright._kernel import Language
from formwright.errors import GrammarError
from formwright.forms.form import Form

__all__ = ["GrammarField", "find_unread", "find_unsendable", "is_grammar", "list_fields"]

GrammarField: TypeAlias = Literal["custom tool", "structured_outputs", "grammar", "ebnf"]
"""Where a service reads a grammar: as the format of a custom tool (OpenAI), or in a field of the request, whose names
are those of vLLM, llama.cpp and SGLang."""

_OPAQUE = re.compile(
    r"""(?P<comment>(?://|\#)[^\n]*)|(?P<text>"(?:\\.|[^"\\\n])*"i?)|(?P<regex>/(?:\\.|[^/\\\n])+/[imsux]*)"""
)
"""Comments, texts and regular expressions of a Lark grammar, in which nothing else is syntax."""

_UNREAD = {
    "priorities": r"^\s*[?!]*\w+\.-?\d+\s*:",
    "templates": r"\w\{\s*[A-Za-z_\"]",
    "all statements but %ignore and %import": r"%(?!ignore\b|import\b)",
    "imports of other modules": r"%import\s+(?!common\b)",
    "forms by name": r"@\w",
    "attributes of rules": r"^\s*[?!]*\w+\[\s*\w+\s*(?:=[^\]]*)?[,\]][^:\n]*:",
    "control tokens": r"<[^>\s]+>",
    "& and ~ of terminals": r"&|~(?!\s*\d)",
}
"""What OpenAI does not read of the syntax, or not as llguidance here does, and how it looks."""

_UNREAD_IN_REGEXES = {"look-around": r"\(\?<?[=!]", "lazy quantifiers": r"(?<!\\)[*+?}]\?"}


def is_grammar(form: Form[Any]) -> bool:
    """Whether a form is made of a grammar."""
    return form.origin is not None and form.origin.kind == "grammar"


def find_unsendable(form: Form[Any], field: GrammarField) -> str | None:
    """Find why a grammar cannot be sent in a field; ``None`` if it can."""
    assert form.origin is not None
    text, options = form.origin.what, form.origin.options or {}
    is_lark = _is_lark(text, options.get("syntax", "auto"))
    for name, default in (("start", None), ("lexing", "longest" if is_lark else "any")):
        if options.get(name) not in (None, default):
            return f"{name}= cannot be sent"
    if field in ("grammar", "ebnf"):
        return "it is Lark, and this service reads GBNF" if is_lark else _find_other_start(text, "root", "::=")
    if field == "custom tool":
        return find_unread(text) if is_lark else "it is GBNF, and this service reads Lark"
    return None


def _is_lark(text: str, syntax: str) -> bool:
    if syntax != "auto":
        return syntax == "lark"
    try:
        Language.read_grammar(text, syntax="lark", start=None, forms=[])
    except GrammarError:
        return False
    return True


def _find_other_start(text: str, start: str, sign: str) -> str | None:
    """Find whether a grammar begins with another rule than a service expects."""
    is_there = re.search(rf"^\s*[?!]?{start}\b[^\n]*?{sign}", text, re.MULTILINE)
    return None if is_there else f"this service begins with the rule {start!r}"


def find_unread(text: str) -> str | None:
    """Find what OpenAI does not read of a Lark grammar."""
    regexes = [match["regex"] for match in _OPAQUE.finditer(text) if match["regex"]]
    syntax = _OPAQUE.sub(lambda match: '""' if match["text"] else " ", text)
    found = [name for name, look in _UNREAD.items() if re.search(look, syntax, re.MULTILINE)]
    found += [name for name, look in _UNREAD_IN_REGEXES.items() if any(re.search(look, regex) for regex in regexes)]
    if found:
        return f"this service does not read {', '.join(found)}"
    return _find_other_start(syntax, "start", ":")


def list_fields(text: str, field: GrammarField) -> Mapping[str, Any]:
    """List the fields of a request that hold a grammar."""
    return {"structured_outputs": {"grammar": text}} if field == "structured_outputs" else {field: text}
