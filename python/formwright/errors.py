"""Every error formwright raises, drawn as one tree.

::

    FormwrightError(Exception)                     .hint .url
    ├─ LanguageError(ValueError)                   .source .span
    │  ├─ NotAForm                                 what was passed describes no texts
    │  ├─ RegexError                               the pattern with a caret under the span
    │  │  └─ UnsupportedPattern                    valid pattern, not enforceable here
    │  ├─ GrammarError                             .line .column .expected
    │  │  └─ UnsupportedConstruct                  valid grammar, not enforceable here
    │  ├─ StructuralTagError                       .field .pointer .code
    │  └─ SchemaError                              .pointer
    │     ├─ UnsupportedKeyword                    valid schema, not enforceable here: refused, never dropped
    │     └─ UnsatisfiableSchema                   no finite instance exists
    ├─ ArgumentError(ValueError)                   .argument
    │  ├─ OptionUnsupported                         this model cannot honour the option
    │  └─ UnknownOption(TypeError)                  no option has this name
    ├─ PromptError(ValueError)                     what was passed is not a prompt of this model
    ├─ LimitExceeded                               .limit .value .allowed .text
    ├─ Undecided                                   .bound: whether two forms differ was not found out
    ├─ Interrupted                                 an `Interrupt` was set
    ├─ VocabularyError(ValueError)                 a tokenizer that cannot be represented, or another one than expected
    ├─ MatchError
    │  ├─ TokenRejected                            .token_id .token .position .expected
    │  └─ DeadEnd                                  no token of the vocabulary can come next
    ├─ OutputInvalid(ValueError)                   .text .position .span
    │  └─ OutputAmbiguous                           a grammar derives the text in several ways
    ├─ OutputTruncated                             .text: a server cut the text
    ├─ Refused                                     .reason .text: the model, or a filter, does not answer
    ├─ RequestFailed                               .status .code .type .request_id .body .retry_after
    ├─ AttemptsExhausted                           .attempts
    ├─ ParserFailed                                a character parser raised, or contradicts itself; .__cause__
    ├─ StreamUnfinished                            a stream was asked for its result before its end
    ├─ UnknownModel(ValueError)                    no model has this name
    ├─ HostMismatch                                .host .version: an engine that cannot be relied on to keep to a form
    ├─ MissingDependency(ImportError)              names the extra that brings it
    └─ InternalError                               a fault of formwright itself: please report it

An error tells where, what, and what next: the message states what happened and
where; ``hint`` states what to do, and ``url`` leads to the documentation (both
are also attached as notes). The kernel raises these same classes. Callers branch on classes and attributes,
never on the text.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from formwright.generation.result import Attempt

__all__ = [
    "ArgumentError",
    "AttemptsExhausted",
    "DeadEnd",
    "FormwrightError",
    "GrammarError",
    "HostMismatch",
    "InternalError",
    "Interrupted",
    "LanguageError",
    "LimitExceeded",
    "MatchError",
    "MissingDependency",
    "NotAForm",
    "OptionUnsupported",
    "OutputAmbiguous",
    "OutputInvalid",
    "OutputTruncated",
    "ParserFailed",
    "PromptError",
    "Refused",
    "RegexError",
    "RequestFailed",
    "SchemaError",
    "StreamUnfinished",
    "StructuralTagError",
    "TokenRejected",
    "Undecided",
    "UnknownModel",
    "UnknownOption",
    "UnsatisfiableSchema",
    "UnsupportedConstruct",
    "UnsupportedKeyword",
    "UnsupportedPattern",
    "VocabularyError",
]

OR_RETRY = ", or pass max_retries= to have the model try again"
"""The end of a hint, which is left out once the retries are used up."""

REPOSITORY = "https://github.com/formwright/formwright"
SITE = "https://formwright.github.io/formwright/"
"""Where the project and its documentation are. Everything that links to them takes the addresses from here."""


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
        self.add_note(f"see {self.url}")

    @property
    def url(self) -> str:
        """The section of the documentation on this class, or on the documented class from which it is derived."""
        documented = next(base for base in type(self).__mro__ if base.__name__ in __all__)
        return f"{SITE}reference/errors/#{documented.__name__.lower()}"


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


class UnsupportedPattern(RegexError):
    """A regular expression is valid but cannot be enforced: it has back-references, say, or no text matches it."""


class GrammarError(LanguageError):
    """A grammar cannot be read; the message shows where.

    Attributes:
        line: Line of the place in the grammar, from 1.
        column: Column of the place in characters, from 1.
        expected: What could have come there; empty if the fault is another one.
        module: The grammar among ``imports=`` that the place, ``source`` and ``span`` are of; ``""`` for the one that
            imports it.
    """

    def __init__(
        self,
        message: str,
        *,
        hint: str | None = None,
        source: str | None = None,
        span: tuple[int, int] | None = None,
        line: int = 1,
        column: int = 1,
        expected: str = "",
        module: str = "",
    ) -> None:
        super().__init__(message, hint=hint, source=source, span=span)
        self.line = line
        self.column = column
        self.expected = expected
        self.module = module


class UnsupportedConstruct(GrammarError):
    """A construct of a grammar is valid but cannot be enforced; the hint says what to write instead."""


class NotAForm(LanguageError):
    """What was passed describes no texts: a bare string, a function, an instance, or a type nothing can be read as."""


class StructuralTagError(LanguageError):
    """A structural tag cannot be read, or has a part that is not served.

    Attributes:
        field: The part, as a path from the field of the request.
        pointer: JSON Pointer of the part inside the tag, ``""`` for all of it.
        code: How an API names the fault: ``"invalid_value"``, ``"unknown_parameter"``, ``"unsupported_parameter"`` or
            ``"missing_required_parameter"``.
    """

    def __init__(
        self, message: str, *, hint: str | None = None, field: str = "", pointer: str = "", code: str = "invalid_value"
    ) -> None:
        super().__init__(message, hint=hint)
        self.field = field
        self.pointer = pointer
        self.code = code


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
    """The schema is valid, but this part of it cannot be enforced exactly.

    Where a canvas, or what is written between two texts, cannot enforce it, ``pointer`` leads to the value in the text.
    """


class UnsatisfiableSchema(SchemaError):
    """No finite instance satisfies the schema."""


class ArgumentError(FormwrightError, ValueError):
    """An argument has a value that it cannot have.

    Attributes:
        argument: Its name.
    """

    def __init__(self, message: str, *, hint: str | None = None, argument: str = "") -> None:
        super().__init__(message, hint=hint)
        self.argument = argument


class OptionUnsupported(ArgumentError):
    """A model or a call cannot honour this option: the service has none of the kind, only models that run here have it,
    or only other calls, such as `generate` and not `stream`.
    """


class UnknownOption(ArgumentError, TypeError):
    """No option has the name of an argument, which is the attribute ``argument``."""


class PromptError(FormwrightError, ValueError):
    """What was passed is not a prompt of this model; the message says what was expected."""


class LimitExceeded(FormwrightError):
    """A bound on time or memory was reached.

    Attributes:
        limit: Name of the bound.
        value: What was asked for.
        allowed: What the bound allows.
        text: The text that was being read, if one was.
    """

    def __init__(
        self,
        message: str,
        *,
        hint: str | None = None,
        limit: str = "",
        value: int = 0,
        allowed: int = 0,
        text: str = "",
    ) -> None:
        super().__init__(message, hint=hint)
        self.limit = limit
        self.value = value
        self.allowed = allowed
        self.text = text


class Undecided(FormwrightError):
    """Whether two forms differ was not found out; nothing is claimed about them.

    Attributes:
        bound: What stood in the way: the name of a limit that was reached, or of a keyword whose negation is not
            enforced.
    """

    def __init__(self, message: str, *, hint: str | None = None, bound: str = "") -> None:
        super().__init__(message, hint=hint)
        self.bound = bound


class Interrupted(FormwrightError):
    """The work was ended by another thread, which has set a `formwright.Interrupt`."""


class VocabularyError(FormwrightError, ValueError):
    """A tokenizer cannot be represented, or is another one than expected; the message says what was seen."""


class MatchError(FormwrightError):
    """A running match was asked for something impossible."""


class TokenRejected(MatchError):
    """A token cannot come here; the matcher, or the canvas, is unchanged.

    Attributes:
        token_id: The token offered, or ``None`` when bytes were offered.
        token: The bytes it spells.
        position: How many bytes had been accepted before it; of a canvas, the position.
        expected: Some of the bytes that could have come, of a canvas some of the tokens, as readable text.
    """

    def __init__(
        self,
        message: str,
        *,
        hint: str | None = None,
        token_id: int | None = None,
        token: bytes = b"",
        position: int = 0,
        expected: str = "",
    ) -> None:
        super().__init__(message, hint=hint)
        self.token_id = token_id
        self.token = token
        self.position = position
        self.expected = expected


class DeadEnd(MatchError):
    """No token of the vocabulary can come next."""


class OutputInvalid(FormwrightError, ValueError):
    """A text does not conform, or its type rejects it.

    Attributes:
        text: The text.
        position: How many of its characters conform; all of them where only the type refuses it.
        span: The piece that is refused, ``(start, end)`` in characters, where the reader of a grammar knows it.
    """

    def __init__(
        self,
        message: str,
        *,
        hint: str | None = None,
        text: str = "",
        position: int = 0,
        span: tuple[int, int] | None = None,
    ) -> None:
        super().__init__(message, hint=hint)
        self.text = text
        self.position = position
        self.span = span


class OutputAmbiguous(OutputInvalid):
    """A grammar derives a text in several ways, where that is an error; ``span`` is the first such piece."""


class OutputTruncated(FormwrightError):
    """A service cut the text at its limit of tokens; with ``finish=False`` such a text is returned instead.

    Attributes:
        text: What was written.
    """

    def __init__(self, message: str, *, hint: str | None = None, text: str = "") -> None:
        super().__init__(message, hint=hint)
        self.text = text


class Refused(FormwrightError):
    """The model, or a filter of its service, does not answer.

    Attributes:
        reason: ``"refusal"``: the model says no; ``"content_filter"``: the service took the answer away.
        text: What came instead.
    """

    def __init__(self, message: str, *, hint: str | None = None, reason: str = "refusal", text: str = "") -> None:
        super().__init__(message, hint=hint)
        self.reason = reason
        self.text = text


class RequestFailed(FormwrightError):
    """A service could not be reached, refused the request, or answered with something that is not an answer.

    The error of an SDK, where there was one, is the ``__cause__``.

    Attributes:
        status: The HTTP status, or the one that the body names where an error came with 200; ``None`` without either.
        body: The beginning of what the service said.
        retry_after: Seconds after which the service wants to be asked again, if it said so.
        may_pass: Whether there was no answer, or none to its end, so that the next try may have one.
        code: What the service calls the error, such as ``"rate_limit_exceeded"``, if it does.
        type: The class of errors that it names, such as ``"invalid_request_error"``, if it does.
        request_id: What the service calls the request, for its support.
    """

    def __init__(
        self,
        message: str,
        *,
        hint: str | None = None,
        status: int | None = None,
        body: str = "",
        retry_after: float | None = None,
        may_pass: bool = False,
        code: str | None = None,
        type: str | None = None,
        request_id: str | None = None,
    ) -> None:
        super().__init__(message, hint=hint)
        self.status = status
        self.body = body
        self.retry_after = retry_after
        self.may_pass = may_pass
        self.code = code
        self.type = type
        self.request_id = request_id


class AttemptsExhausted(FormwrightError):
    """No attempt gave a value; what went wrong last is the ``__cause__``.

    Attributes:
        attempts: What each attempt gave, in order; see `formwright.client.Attempt`.
    """

    def __init__(self, message: str, *, hint: str | None = None, attempts: Sequence[Attempt] = ()) -> None:
        super().__init__(message, hint=hint)
        self.attempts: tuple[Attempt, ...] = tuple(attempts)


class ParserFailed(FormwrightError):
    """A character parser raised, answered with something of another type, or contradicts itself.

    What the parser raised is the ``__cause__``. The matcher is unchanged. Matchers of the form that run already raise
    this error again; new ones ask the parser anew.
    """


class StreamUnfinished(FormwrightError):
    """A stream was asked for its result before its end, or was closed before it."""


class UnknownModel(FormwrightError, ValueError):
    """No model has this name."""


class HostMismatch(FormwrightError):
    """An engine or framework that calls formwright does not do what a form relies on, or is of an unknown version.

    Attributes:
        host: Its name.
        version: The version that was found, or ``None``.
    """

    def __init__(self, message: str, *, hint: str | None = None, host: str = "", version: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.host = host
        self.version = version


class MissingDependency(FormwrightError, ImportError):
    """An optional package is needed; the message names the extra that brings it."""


class InternalError(FormwrightError):
    """A fault of formwright itself: the kernel failed in a way that no input should bring about.

    What it was computing is lost, and whatever it may have left half-changed is never used again: a matcher may raise
    this error from then on, and others are not affected.
    """
