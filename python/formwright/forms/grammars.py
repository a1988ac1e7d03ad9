r"""Forms of grammars: Lark, GBNF and EBNF.

::

    sums = fw.grammar('''
        start: NUMBER ("+" NUMBER)*
        NUMBER: /[0-9]+/
        %ignore " "
    ''')
    sums.matches("1 + 2+3")                # True

The kernel reads grammars. Only the regular expressions of Lark, which are those of `re`, are translated here; what `re`
cannot read is read in the syntax of Rust's regex library.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping
from typing import Any, Literal

from formwright._kernel import Language
from formwright.errors import ArgumentError, RegexError
from formwright.forms.form import Form, Origin
from formwright.forms.patterns import write_pattern
from formwright.forms.text_checks import check_text, shorten

__all__ = ["grammar"]

_LETTERS = {letter: re.RegexFlag[letter.upper()] for letter in "imsux"}


def grammar(
    text: str,
    *,
    syntax: Literal["auto", "lark", "gbnf", "ebnf"] = "auto",
    start: str | None = None,
    lexing: Literal["longest", "basic", "any"] | None = None,
    forms: Mapping[str, Form[Any]] | None = None,
) -> Form[str]:
    """Make a form of the texts of a grammar.

    Args:
        text: The grammar, in the notation of Lark (with the additions of llguidance), in the GBNF of llama.cpp, or in
            the EBNF of xgrammar and of the W3C.
        syntax: The notation; ``"auto"`` for what the grammar looks like.
        start: The rule that a text begins with; ``None`` for ``start`` or ``root``.
        lexing: How a text is cut into terminals. ``"longest"``, as the contextual lexer of Lark does it: the longest
            match of the terminals that may come. ``"basic"``: of all terminals. ``"any"``: in any way. ``None`` is
            ``"longest"`` for Lark and ``"any"`` for the others, which have no lexer.
        forms: Forms that the grammar refers to by name, as ``@name`` or ``%form name``.

    Raises:
        GrammarError: With the place in the grammar.
        UnsupportedConstruct: It is valid, but cannot be enforced; the hint says what to write instead.
        UnsatisfiableSchema: No text conforms to it.
        LimitExceeded: It is too large.
        ArgumentError: There is no such ``syntax`` or ``lexing``, or one of ``forms`` is not a form.
    """
    check_text(text, "text")
    given = dict(forms or {})
    for name, form in given.items():
        if not isinstance(form, Form):
            raise ArgumentError(f"forms[{name!r}]: expected a Form, got {type(form).__name__}", argument="forms")
    regexes = Language.regexes_of_grammar(text, syntax=syntax, start=start, forms=list(given))
    language = Language.grammar(
        text,
        syntax=syntax,
        start=start,
        lexing=lexing,
        translations=[translated for regex in regexes for translated in _translate(*regex)],
        forms=[(name, form.language) for name, form in given.items()],
    )
    title = f"grammar {shorten(' '.join(text.split()))}"
    origin = Origin("grammar", text, {"syntax": syntax, "start": start, "lexing": lexing}) if not given else None
    return Form(language, str, title, "text", origin=origin)


def _translate(regex: str, flags: str) -> list[tuple[str, str, str]]:
    """The translation of a regular expression; none if `re` cannot read it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compiled = re.compile(regex, sum(_LETTERS[letter] for letter in set(flags)))
        return [(regex, flags, write_pattern(compiled))]
    except (re.error, RegexError, RecursionError):
        return []
