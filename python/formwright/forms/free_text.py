r"""Free text, and what ends it: markers, control tokens, the form that follows.

::

    fw.text(until="\n")                                  # one line, its end included
    fw.text(until=":") + fw.choice(["Paris", "Rome"])    # free up to the first ":", one of two names after it
    fw.after(":", fw.choice(["Paris", "Rome"]))          # the same, and the value is the name
    fw.thinking(Person)                                  # <think> ... </think>, then JSON: a Person
    fw.thinking(Person, max_tokens=500)                  # the same, and at most 500 tokens of thought
    fw.special("<|tool|>")                               # that control token, and only that

A text ends where its marker first comes, whichever tokens spell it. A control token is a letter of its own: the same
characters, spelled by other tokens, are ordinary text.

Cost: a mask of free text is found once for each state of its marker, that is for each of its characters; a bound on the
characters multiplies the states by those that are left. A bound on the tokens costs nothing but near its end.

A prompt may already have opened what a form opens, as chat templates of thinking models do. `thinking` and
`after` look at the end of the prompt and go on from there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar, overload

from formwright._kernel import Constraint, Language
from formwright.errors import ArgumentError
from formwright.forms.coerce import form
from formwright.forms.form import Form, chain, literal
from formwright.forms.readers import plain
from formwright.forms.text_checks import check_text, shorten

__all__ = ["after", "format", "special", "text", "thinking"]

T = TypeVar("T")

if TYPE_CHECKING:
    from typing_extensions import TypeForm, Unpack

Marker = str | Form[str]
"""What ends free text: a text, or a control token made by `special`."""


class Thought(TypedDict, total=False):
    """The options of `thinking`, for type checkers."""

    open: Marker
    close: Marker
    max_chars: int | None
    max_tokens: int | None


_form = form


def special(name: str, /, *, or_text: bool = False) -> Form[str]:
    """Make a form of the control token of this name, which no other tokens can spell.

    Args:
        name: The name, as the tokenizer has it: ``"<|tool|>"``.
        or_text: Whether the name, spelled as text, may stand for it; where the vocabulary has no such control token, it
            is written so.

    Raises:
        ArgumentError: The name is empty or no str.

    A vocabulary without this control token is refused when the form is compiled: `VocabularyError`.
    """
    check_text(name, "name")
    return Form(Language.control(name, or_text), plain, f"special {name!r}", "text")


def format(name: str, /) -> Form[str]:
    """Make a form of a format of JSON Schema, as plain text: ``format("date")``, ``format("email")``, ...

    Raises:
        ArgumentError: There is no such format; the hint lists them.
    """
    check_text(name, "name")
    return Form(Language.format(name), str, f"format {name!r}", "text")


def text(
    *,
    until: Marker | Sequence[Marker] | Mapping[str, Any] | None = None,
    include: bool = True,
    max_chars: int | None = None,
    max_tokens: int | None = None,
) -> Form[Any]:
    """Make a form of free text.

    Args:
        until: Where it ends: the first place where the marker, or one of several, has come. A mapping says for each
            marker which form goes on after it. ``None``: it may end anywhere.
        include: Whether the marker is the end of the text. If not, the text holds no marker, and another form follows.
        max_chars: Most characters before the marker.
        max_tokens: Most tokens that end in the text, or exactly with it. A marker counts where it is a part of the
            text, a control token never does; bytes given to a matcher at once count as one token. Whatever the budget
            of the whole, the text ends in time. Such a form is not for ``repeat``, ``&``, ``~`` and
            ``canonical=True``, and needs a vocabulary in which every byte is a token.

    Raises:
        ArgumentError: A marker is empty, or a part of another; an argument is of another kind; ``max_tokens`` is too
            small to end the text from anywhere in it (the hint says the least value), or ``until`` is a mapping.
    """
    if isinstance(until, Mapping):
        if max_tokens is not None:
            raise ArgumentError(
                "max_tokens: not with a mapping of markers",
                hint="pass the markers as a list, and what follows them with +",
                argument="max_tokens",
            )
        return _continue_by_marker(until, include, max_chars)
    markers = () if until is None else tuple(until) if isinstance(until, list | tuple) else (until,)
    texts = [marker for marker in markers if isinstance(marker, str)]
    for marker in texts:
        check_text(marker, "until")
    controls = [_control(marker) for marker in markers if not isinstance(marker, str)]
    title = f"text until {shorten(', '.join(map(_show_marker, markers)))}" if markers else "text"
    bounds: _Bounds = {"max_chars": max_chars, "max_tokens": max_tokens}
    if not controls:
        return Form(Language.text(texts, included=include, **bounds), plain, title, "text")
    language = Language.text(texts, included=False, **bounds)
    if include:
        last = controls[0].language
        for control in controls[1:]:
            last = last | control.language
        language = language + last
        if texts:
            language = Language.text(texts, included=True, **bounds) | language
    return Form(language, plain, title, "text")


class _Bounds(TypedDict):
    """How long a text may be."""

    max_chars: int | None
    max_tokens: int | None


def _control(marker: object) -> Form[str]:
    if isinstance(marker, Form) and marker.language.control_tokens and marker.kind == "text":
        return marker
    raise ArgumentError(
        f"until: {marker!r} is not a marker",
        hint="pass a str, or fw.special(name) for a control token",
        argument="until",
    )


def _show_marker(marker: Marker) -> str:
    return repr(marker) if isinstance(marker, str) else marker.title


def _continue_by_marker(until: Mapping[str, Any], include: bool, max_chars: int | None) -> Form[Any]:
    """Free text whose marker says what follows."""
    if not until or not include:
        raise ArgumentError(
            "until: a mapping holds a marker at least, and the marker is a part of the text", argument="until"
        )
    whole = text(until=list(until), max_chars=max_chars)
    found: Form[Any] | None = None
    for marker, follows in until.items():
        ends = Form(whole.language & (Language.text([]) + Language.choice([marker])), plain, whole.title, "text")
        option = ends + (literal(follows) if isinstance(follows, str) else _form(follows))
        found = option if found is None else found | option
    assert found is not None  # there is a marker
    return found


def after(
    marker: Marker,
    form: Any,
    /,
    *,
    required: bool = False,
    max_chars: int | None = None,
    max_tokens: int | None = None,
    times: int | None = 1,
) -> Form[Any]:
    """Make a form of free text up to a marker, and ``form`` after the marker.

    A prompt that ends with the marker counts: the text then begins with ``form``. The value is that of ``form``; if the
    marker never comes, it is the text. With more than one time, the value is the list of the values, and what is
    between them is free.

    Args:
        marker: What begins the constrained part.
        form: Anything `form` takes.
        required: Whether the marker must come: the token budget then makes it come in time.
        max_chars: Most characters before each marker.
        max_tokens: Most tokens of the free text, as `text` counts them; only with one time.
        times: How often ``form`` may come; ``None`` is any number of times.

    Raises:
        ArgumentError: The marker is empty, ``times`` is less than 1, or more than 1 with ``max_tokens``, or
            ``max_tokens`` is too small.
        NotAForm, LanguageError: As `form`.
    """
    if times is not None and times < 1:
        raise ArgumentError(f"times: expected 1 or more, got {times}", argument="times")
    target = _form(form)
    free = text(until=marker, max_chars=max_chars, max_tokens=max_tokens)
    rest = text(until=marker, include=False, max_chars=max_chars, max_tokens=max_tokens)
    span = chain(f"after {_show_marker(marker)}", (free, target), takes=1)
    if times == 1:
        whole = span if required else span | rest
        return replace(whole, after_prompt=_AfterPrompt(_name(marker), target))
    spans = replace(span.repeat(int(required), times), kind="value")
    return chain(f"{spans.title}, then text", (spans, rest), takes=0)


@overload
def thinking(form: TypeForm[T], /, **options: Unpack[Thought]) -> Form[T]: ...
@overload
def thinking(form: Form[T] | Constraint[T], /, **options: Unpack[Thought]) -> Form[T]: ...
@overload
def thinking(form: re.Pattern[str], /, **options: Unpack[Thought]) -> Form[str]: ...
@overload
def thinking(form: Any, /, **options: Unpack[Thought]) -> Form[Any]: ...
def thinking(
    form: Any,
    /,
    *,
    open: Marker = "<think>",
    close: Marker = "</think>",
    max_chars: int | None = None,
    max_tokens: int | None = None,
) -> Form[Any]:
    """Let the model think freely between two markers, and then write ``form``.

    The value is that of ``form``; the thought is the part ``"thought"`` of the result. A prompt that ends with ``open``
    counts: the text then begins with the thought.

    Args:
        form: Anything `form` takes.
        open: What the thought begins with; a str, or a control token made by `special`.
        close: What it ends with.
        max_chars: Most characters of the thought.
        max_tokens: Most tokens of the thought, as `text` counts them; then ``close`` comes.

    Raises:
        ArgumentError: A marker is empty, or ``max_tokens`` is less than 4.
        NotAForm, LanguageError: As `form`.
    """
    target = _form(form)
    thought = text(until=close, include=False, max_chars=max_chars, max_tokens=max_tokens).named("thought")
    rest = (thought, _marker(close), Form(Language.regex("[ \n]{0,4}"), str, "white space", "text"), target)
    after_prompt = _AfterPrompt(_name(open), chain(f"thought, then {target.title}", rest, takes=3))
    return replace(chain(f"thinking, then {target.title}", (_marker(open), *rest), takes=4), after_prompt=after_prompt)


@dataclass(frozen=True, slots=True)
class _AfterPrompt:
    """The form of what is left, if a prompt ends with a marker (white space after it does not matter)."""

    marker: str
    rest: Form[Any]

    def __call__(self, prompt: str) -> Form[Any] | None:
        marker = self.marker.rstrip()
        is_there = prompt.rstrip().endswith(marker) if marker else prompt.endswith(self.marker)
        return self.rest if is_there else None


def _marker(marker: Marker) -> Form[str]:
    return literal(marker) if isinstance(marker, str) else _control(marker)


def _name(marker: Marker) -> str:
    return marker if isinstance(marker, str) else marker.language.control_tokens[0]
