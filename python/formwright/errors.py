"""Every error formwright raises, drawn as one tree.

::

    FormwrightError(Exception)                     .hint
    ├─ LanguageError(ValueError)                   .source .span
    │  ├─ RegexError                               the pattern with a caret under the span
    │  ├─ GrammarError                             line, column, what was expected
    │  └─ SchemaError                              .pointer
    │     ├─ UnsupportedKeyword                    valid schema, not enforceable here: refused, never dropped
    │     └─ UnsatisfiableSchema                   no finite instance exists
    ├─ LimitExceeded                               .limit .value .allowed
    ├─ VocabularyError(ValueError)                 this tokenizer cannot be represented
    ├─ MatchError
    │  ├─ TokenRejected                            .token .text .position .expected
    │  └─ DeadEnd                                  no token of the vocabulary can come next
    ├─ MissingDependency(ImportError)              names the extra that brings it
    └─ ClientError
       └─ OutputInvalid · AttemptsExhausted · OutputTruncated

An error tells where, what, and what next: the message states what happened and
where; ``hint`` (also attached as an exception note) states what to do. The
kernel raises these same classes. Callers branch on classes and attributes,
never on the text.
"""

from __future__ import annotations

__all__ = [
    "AttemptsExhausted",
    "ClientError",
    "DeadEnd",
    "FormwrightError",
    "GrammarError",
    "LanguageError",
    "LimitExceeded",
    "MatchError",
    "MissingDependency",
    "OutputInvalid",
    "OutputTruncated",
    "RegexError",
    "SchemaError",
    "TokenRejected",
    "UnsatisfiableSchema",
    "UnsupportedKeyword",
    "VocabularyError",
]


class FormwrightError(Exception):
    """Base of every error raised by formwright.

    Attributes:
        hint: What to do next, or ``None``.
    """

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint
        if hint is not None:
            self.add_note(f"hint: {hint}")


class LanguageError(FormwrightError, ValueError):
    """The text that describes a language is wrong.

    Attributes:
        source: The text given, or ``None``.
        span: ``(start, end)`` byte offsets into ``source``, or ``None``.
    """

    def __init__(
        self,
        message: str,
        *,
        hint: str | None = None,
        source: str | None = None,
        span: tuple[int, int] | None = None,
    ) -> None:
        super().__init__(message, hint=hint)
        self.source = source
        self.span = span


class RegexError(LanguageError):
    """A regular expression cannot be read; the message shows where."""


class GrammarError(LanguageError):
    """A grammar cannot be read or used."""


class SchemaError(LanguageError):
    """A JSON Schema is broken.

    Attributes:
        pointer: JSON Pointer of the place inside the schema, ``""`` for its root.
    """

    def __init__(
        self,
        message: str,
        *,
        hint: str | None = None,
        source: str | None = None,
        span: tuple[int, int] | None = None,
        pointer: str = "",
    ) -> None:
        super().__init__(message, hint=hint, source=source, span=span)
        self.pointer = pointer


class UnsupportedKeyword(SchemaError):
    """The schema is valid, but this part of it cannot be enforced exactly."""


class UnsatisfiableSchema(SchemaError):
    """No finite instance satisfies the schema."""


class LimitExceeded(FormwrightError):
    """A bound on time or memory was reached.

    Attributes:
        limit: Name of the bound.
        value: What was asked for.
        allowed: What the bound allows.
    """

    def __init__(
        self,
        message: str,
        *,
        hint: str | None = None,
        limit: str = "",
        value: int = 0,
        allowed: int = 0,
    ) -> None:
        super().__init__(message, hint=hint)
        self.limit = limit
        self.value = value
        self.allowed = allowed


class VocabularyError(FormwrightError, ValueError):
    """A tokenizer cannot be represented; the message says what was seen."""


class MatchError(FormwrightError):
    """A running match was asked for something impossible."""


class TokenRejected(MatchError):
    """A token cannot come here; the matcher is unchanged.

    Attributes:
        token: The token id offered, or ``None`` when bytes were offered.
        text: The bytes it spells.
        position: How many bytes had been accepted before it.
        expected: Some of the bytes that could have come, as readable text.
    """

    def __init__(
        self,
        message: str,
        *,
        hint: str | None = None,
        token: int | None = None,
        text: bytes = b"",
        position: int = 0,
        expected: str = "",
    ) -> None:
        super().__init__(message, hint=hint)
        self.token = token
        self.text = text
        self.position = position
        self.expected = expected


class DeadEnd(MatchError):
    """No token of the vocabulary can come next."""


class MissingDependency(FormwrightError, ImportError):
    """An optional package is needed; the message names the extra that brings it."""


class ClientError(FormwrightError):
    """Talking to a model failed to give a usable answer."""


class OutputInvalid(ClientError):
    """The text a model returned is not in form."""


class AttemptsExhausted(ClientError):
    """Every attempt failed."""


class OutputTruncated(ClientError):
    """The text a model returned stops before its end."""
