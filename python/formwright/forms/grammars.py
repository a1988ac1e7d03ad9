r"""Forms of grammars: Lark, GBNF and EBNF.

::

    sums = fw.grammar('''
        start: NUMBER ("+" NUMBER)*
        NUMBER: /[0-9]+/
        %ignore " "
    ''')
    sums.matches("1 + 2+3")                # True

The value is the text, or what ``read=`` makes of its tree: see `formwright.forms.tree_readers`. What a grammar captures
(``name[capture]: ...``) are named parts: `Form.parts`.

The kernel reads grammars. Only the regular expressions of Lark are translated here, by `lark_expressions`; what `re`
cannot read is read in the syntax of Rust's regex library.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from itertools import starmap
from pathlib import PurePath
from typing import Any, Literal, overload

from formwright._kernel import Language, Vocabulary
from formwright.errors import ArgumentError
from formwright.forms.explain import Reading
from formwright.forms.form import Form, Origin
from formwright.forms.grammar_imports import join_imports
from formwright.forms.grammar_places import JoinedGrammar
from formwright.forms.kept import find_form
from formwright.forms.lark_expressions import remark_escapes, translate_expressions
from formwright.forms.text_checks import check_text, shorten
from formwright.forms.tree_readers import CaptureReader, TreeReader
from formwright.forms.trees import Tree

__all__ = ["grammar"]

_FILE_NAME = re.compile(r"[^\n:]*\.(lark|gbnf|ebnf)")


@overload
def grammar(
    text: str,
    *,
    syntax: Literal["auto", "lark", "gbnf", "ebnf"] = ...,
    start: str | None = ...,
    lexing: Literal["longest", "basic", "any"] | None = ...,
    forms: Mapping[str, Form[Any]] | None = ...,
    imports: Mapping[str, str] | None = ...,
    read: None = ...,
    ambiguous: Literal["resolve", "error"] = ...,
    vocabulary: Vocabulary | None = ...,
) -> Form[str]: ...
@overload
def grammar(
    text: str,
    *,
    syntax: Literal["auto", "lark", "gbnf", "ebnf"] = ...,
    start: str | None = ...,
    lexing: Literal["longest", "basic", "any"] | None = ...,
    forms: Mapping[str, Form[Any]] | None = ...,
    imports: Mapping[str, str] | None = ...,
    read: Literal["tree"],
    ambiguous: Literal["resolve", "error"] = ...,
    vocabulary: Vocabulary | None = ...,
) -> Form[Tree]: ...
@overload
def grammar(
    text: str,
    *,
    syntax: Literal["auto", "lark", "gbnf", "ebnf"] = ...,
    start: str | None = ...,
    lexing: Literal["longest", "basic", "any"] | None = ...,
    forms: Mapping[str, Form[Any]] | None = ...,
    imports: Mapping[str, str] | None = ...,
    read: Mapping[str, Callable[..., Any]] | object,
    ambiguous: Literal["resolve", "error"] = ...,
    vocabulary: Vocabulary | None = ...,
) -> Form[Any]: ...
def grammar(
    text: str,
    *,
    syntax: Literal["auto", "lark", "gbnf", "ebnf"] = "auto",
    start: str | None = None,
    lexing: Literal["longest", "basic", "any"] | None = None,
    forms: Mapping[str, Form[Any]] | None = None,
    imports: Mapping[str, str] | None = None,
    read: Any = None,
    ambiguous: Literal["resolve", "error"] = "resolve",
    vocabulary: Vocabulary | None = None,
) -> Form[Any]:
    """Make a form of the texts of a grammar.

    Args:
        text: The grammar, in the notation of Lark (with the additions of llguidance), in the GBNF of llama.cpp, or in
            the EBNF of xgrammar and of the W3C.
        syntax: The notation; ``"auto"`` for what the grammar looks like.
        start: The rule that a text begins with; ``None`` for ``start`` or ``root``.
        lexing: How a text is cut into terminals. ``"longest"``, as the contextual lexer of Lark does it: the longest
            match of the terminals that may come. ``"basic"``: of all terminals of rules that are used. ``"any"``: in
            any way. ``None`` is ``"longest"`` for Lark and ``"any"`` for the others, which have no lexer.
        forms: Forms that the grammar refers to by name, as ``@name`` or ``%form name``.
        imports: The texts of other Lark grammars that ``%import`` reads from, by their names: ``"dates"`` for
            ``%import .dates.DATE``, ``"a.b"`` for ``%import .a.b.NAME``. ``common`` is always there.
        read: What a text is read as. ``None``: the text. ``"tree"``: a `Tree` in the shapes of Lark. There, ``?rule``
            with one child is replaced by it, except at the root, and ``_rule`` by its children; strings and
            ``_TERMINAL`` are left out, except in ``!rule``; ``[x]`` without an ``x`` is ``None``, the default of Lark.
            In GBNF every rule is a tree and every terminal a token. A mapping from names of rules, aliases and
            terminals to callables: they get the children of a rule as arguments, or the token, and the value is what
            that of the start rule returns. An object with methods of these names, which get the list of the children,
            or the token; also ``__default__(rule, children, meta)`` and ``__default_token__(token)`` for the others. A
            ``Transformer`` of Lark gets what Lark would give it. ``%lark {...}`` is a tree of this name around that of
            its start rule.
        ambiguous: What becomes of a text with several trees. ``"resolve"``: the first one, at the leftmost place where
            they differ. There, the alternative whose rules have the higher priority is first, then the one written
            first; repetitions go on as long as they can. ``"error"``: an `OutputAmbiguous`. Trees with equal names and
            texts are one tree, however the rest of the text was cut.
        vocabulary: Whose ids the grammar says, as ``<[128010]>``; those of control tokens only. The form refers to them
            by their names from then on, so it can be compiled for other vocabularies, too.

    Raises:
        GrammarError: With the place in the grammar.
        UnsupportedConstruct: It is valid, but cannot be enforced; the hint says what to write instead.
        UnsatisfiableSchema: No text conforms to it.
        LimitExceeded: It is too large.
        ArgumentError: There is no such ``syntax``, ``lexing``, ``read`` or ``ambiguous``, ``ambiguous="error"`` has no
            ``read``, one of ``forms`` is not a form, or ``read`` has a name that the grammar does not have, or a method
            that cannot be called with its arguments.
    """
    _check_grammar(text)
    _check_ambiguous(ambiguous, read)
    joined = join_imports(text, imports) if imports else JoinedGrammar(text, {"": text})
    text = joined.text
    given = dict(forms or {})
    for name, form in given.items():
        if not isinstance(form, Form):
            raise ArgumentError(f"forms[{name!r}]: expected a Form, got {type(form).__name__}", argument="forms")

    def make() -> Form[Any]:
        with joined.placing_errors():
            return _make_form(joined, (syntax, start, lexing), given, (read, ambiguous), vocabulary)

    is_kept = not given and vocabulary is None and (read is None or isinstance(read, str))
    sources = frozenset(joined.sources.items()) if joined.pieces else None
    return find_form(("grammar", text, sources, syntax, start, lexing, read, ambiguous) if is_kept else None, make)


def _make_form(
    joined: JoinedGrammar,
    options: tuple[str, str | None, str | None],
    given: Mapping[str, Form[Any]],
    reading: tuple[Any, str],
    vocabulary: Vocabulary | None,
) -> Form[Any]:
    """The form of a grammar: how its text is read and cut, the forms that it refers to, what its texts are read as."""
    text, (syntax, start, lexing), (read, ambiguous) = joined.text, options, reading
    regexes, remarks, controls = Language.read_grammar(
        text, syntax=syntax, start=start, forms=list(given), vocabulary=vocabulary
    )
    source: dict[str, Any] = {
        "syntax": syntax,
        "start": start,
        "lexing": lexing,
        "translations": translate_expressions(text, regexes),
        "forms": [(name, form.language) for name, form in given.items()],
        "controls": controls,
    }
    title = f"grammar {shorten(' '.join(text.split()))}"
    is_all = not given and not controls  # what the text alone says
    origin = Origin("grammar", text, {"syntax": syntax, "start": start, "lexing": lexing}) if is_all else None
    all_remarks = sorted([*remarks, *remark_escapes(regexes)])
    placed = joined.place_rows((f"{line}:{column}", "", "remark", said) for line, column, said in all_remarks)
    rest: dict[str, Any] = {"defaults": tuple(starmap(Reading, placed)), "origin": origin}
    rest |= {"joined": joined} if joined.pieces else {}
    if read is not None:
        reader = TreeReader(text, source, read, ambiguous)
        return Form(reader.language, reader, title, "value", **rest)
    if "capture" in text:  # only the tables of a reader tell whether it is an attribute
        captures = CaptureReader(text, source)
        return Form(captures.language, captures if captures.has_captures else str, title, "text", **rest)
    return Form(Language.grammar(text, **source), str, title, "text", **rest)


def _check_grammar(text: Any) -> None:
    """Refuse what names or holds a grammar instead of its text. Raises ArgumentError."""
    if isinstance(text, PurePath) or (isinstance(text, str) and _FILE_NAME.fullmatch(text)):
        message = f"text: expected the text of a grammar, got the name of a file: {str(text)!r}"
        raise ArgumentError(message, hint="read it: pathlib.Path(...).read_text()", argument="text")
    if isinstance(source := getattr(text, "source_grammar", None), str):
        message = f"text: expected a str, got {type(text).__name__} with a grammar of {len(source)} characters"
        raise ArgumentError(message, hint="pass its attribute source_grammar", argument="text")
    check_text(text, "text")


def _check_ambiguous(ambiguous: str, read: Any) -> None:
    if ambiguous not in ("resolve", "error"):
        raise ArgumentError(f'ambiguous: expected "resolve" or "error", got {ambiguous!r}', argument="ambiguous")
    if ambiguous == "error" and read is None:
        raise ArgumentError('ambiguous="error" needs a tree: pass read=', argument="ambiguous")
