"""What a generation gives: a complete value, or a text that was cut.

::

    match model.generate(prompt, Person, finish=False):
        case Complete(value=person):
            print(person)
        case Truncated(text=text, reason=reason):
            print(reason, text)

There is no third case and no repaired text: a `Complete` conforms from its first
byte to its last, a `Truncated` is the beginning of a conforming text. Only who allows a
cut (``finish=False``, ``stop=``, ``cancel=``) can be given one. Where many texts are asked
for at once, `Failed` is in the place of one that raised an error; `Observed` is what
a model writes when nothing holds it to the form.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from html import escape
from typing import TYPE_CHECKING, Any, Generic, Literal, NoReturn, TypeAlias, TypeVar

from formwright.errors import OR_RETRY, AttemptsExhausted, OptionUnsupported
from formwright.forms.readers import Part

if TYPE_CHECKING:
    from formwright.generation.fields.evidence import Evidence
    from formwright.generation.fields.field import Field
    from formwright.generation.trace.recorder import Trace
    from formwright.receipts import Provenance, Receipt

__all__ = [
    "Attempt",
    "Complete",
    "Enforced",
    "Exchange",
    "Failed",
    "Mode",
    "Observed",
    "Particles",
    "Reason",
    "Result",
    "Truncated",
    "Usage",
    "error_after_attempts",
]

T = TypeVar("T", covariant=True)
Reason = Literal["max_tokens", "stop", "cancel"]
"""Which argument cut the text."""

Enforced = Literal["kernel", "server", "checked"]
"""Who held a text to its form."""

Mode: TypeAlias = Literal["strict", "tools", "json_object", "instructions"]
"""Who is asked to keep to the form, and how: ``client/plans/services.py`` describes each."""

_IDS_SHOWN = 8


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class _Written:
    """What every generation reports."""

    text: str
    token_ids: tuple[int, ...]
    prompt_tokens: int
    model_calls: int
    forced_tokens: int
    seconds: float = field(compare=False)
    log_probability: float | None = None
    trace: Trace | None = field(default=None, compare=False)
    exchange: Exchange | None = field(default=None, compare=False)
    provenance: Provenance | None = field(default=None, compare=False, repr=False)

    @property
    def receipt(self) -> Receipt:
        """What was written under which form, for others to check: `formwright.receipts.Receipt`.

        Raises:
            OptionUnsupported: The text was not written here, or the result comes from a pickle.
            LanguageError: The form holds a character parser, which cannot be stored.
        """
        if self.provenance is None:
            raise OptionUnsupported(
                "there is no receipt of this text: its tokens were not chosen in this process", argument="receipt"
            )
        from formwright.receipts import make_receipt

        return make_receipt(self.provenance, self.token_ids, end=getattr(self, "reason", "complete"))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={shown}' for name, shown in self._shown_fields())})"

    def _repr_html_(self) -> str:
        cells = (f"<tr><th>{name}</th><td><pre>{escape(shown)}</pre></td></tr>" for name, shown in self._shown_fields())
        return f"<table><caption>{type(self).__name__}</caption>{''.join(cells)}</table>"

    def _shown_fields(self) -> list[tuple[str, str]]:
        """Names and values, what matters most first; without what was not asked for."""
        given = [
            entry
            for entry in fields(self)
            if entry.repr and (entry.default is MISSING or getattr(self, entry.name) != entry.default)
        ]
        names = sorted((entry.name for entry in given), key=lambda name: name not in ("value", "reason"))
        return [(name, _shown_value(name, getattr(self, name))) for name in names]


def _shown_value(name: str, value: object) -> str:
    if name == "seconds":
        return f"{value:.3f}"
    if isinstance(value, tuple) and name == "token_ids" and len(value) > _IDS_SHOWN:
        return f"({', '.join(map(str, value[:_IDS_SHOWN]))}, ... {len(value)} in all)"
    if name == "alternatives" and isinstance(value, tuple):
        return f"({len(value)} in all)"
    return repr(value)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Complete(_Written, Generic[T]):
    """A complete, conforming text and its value.

    Attributes:
        value: What the text spells, as the form reads it.
        text: The text written.
        token_ids: The tokens written, the end-of-text token not included; those that spell a ``stop`` text are among
            them, though ``text`` ends before it.
        prompt_tokens: How many tokens the prompt had.
        model_calls: How often the model was run.
        forced_tokens: How many tokens could only be one, so that the model was not asked for them.
        seconds: Wall-clock time; two results are equal whatever it says.
        log_probability: What the model itself gives to these tokens and the end of the text, in nats: with ``beams=``
            and ``fidelity="exact"`` or ``"adaptive"``, which need it; else ``None``.
        trace: What the form did to the model, token by token, if ``trace=True``.
        parts: The named parts of the text, such as the fields of a template or the thought before an answer, in the
            order in which they begin.
        alternatives: With ``beams=``: the best texts, this one first, as many as ``returns`` says. With
            ``fidelity="adaptive"``: as many independent draws, this one first.
        particles: With ``fidelity="smc"``: what was drawn from, and the estimate of how likely the model is to write
            a conforming text by itself. With ``fidelity="exact"`` every spelling of every text is a particle.
        log_form_probability: With ``fidelity=``: how likely the model is to write a conforming text by itself, in nats:
            exact, estimated by particles, or at most so (``"adaptive"``).
        enforced: Who held the text to its form: ``"kernel"``, masks of this process; ``"server"``, the service that
            wrote it, by a schema; ``"checked"``, nobody who says so, and it was found to conform. All are checked here.
        exchange: Of a remote model: what was asked, in how many attempts, and what came back.
        provenance: What `receipt` is made of; ``None`` for texts of services.
        evidence: What `fields` are measured by.
    """

    value: T
    parts: tuple[Part, ...] = ()
    alternatives: tuple[Complete[T], ...] = ()
    particles: Particles | None = None
    log_form_probability: float | None = field(default=None, repr=False)
    enforced: Enforced = "kernel"
    evidence: Evidence | None = field(default=None, compare=False, repr=False)

    @property
    def fields(self) -> Mapping[str, Field]:
        """The JSON scalars of the text, or the fields of a template, by JSON Pointer, each with its probability.

        They are measured when they are first asked for, which takes calls of the model, unless `generate` was asked for
        ``fields``, ``particles``, ``abstain`` or ``calibration``.

        Raises:
            OptionUnsupported: Nothing is known of the probabilities: the service gave none, or the result comes from a
                pickle that was made before anybody asked.
        """
        return self._find_evidence().measure()

    @property
    def doubtful(self) -> tuple[str, ...]:
        """With ``abstain``: the pointers of the fields below the bound that have no other value and may not be None."""
        return () if self.evidence is None else self.evidence.doubtful

    def _find_evidence(self) -> Evidence:
        if self.evidence is None:
            raise OptionUnsupported(
                "the probabilities of the fields are not known",
                hint="pass fields=True to generate; a service must give logprobs for it",
                argument="fields",
            )
        return self.evidence

    def part(self, name: str) -> str:
        """The text of the first part of this name. Raises KeyError where there is none."""
        for part in self.parts:
            if part.name == name:
                return part.text
        raise KeyError(name)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Truncated(_Written):
    """The beginning of a conforming text that was cut, and why.

    Attributes:
        reason: Which argument cut it: ``"max_tokens"``, ``"stop"`` or ``"cancel"``.
        text: The text written, as far as its bytes are whole characters.
        token_ids: The tokens written; those that spell a ``stop`` text are among them, though ``text`` ends before it.
        prompt_tokens: How many tokens the prompt had.
        model_calls: How often the model was run.
        forced_tokens: How many tokens could only be one, so that the model was not asked for them.
        seconds: Wall-clock time; two results are equal whatever it says.
        log_probability: What the model itself gives to these tokens and the end of the text, in nats; ``None`` where
            nobody has asked (``beams=``, ``fidelity=``).
        trace: What the form did to the model, token by token, if ``trace=True``.
        exchange: Of a remote model: what was asked, in how many attempts, and what came back.
        provenance: What `receipt` is made of; ``None`` for texts of services.
    """

    reason: Reason


@dataclass(frozen=True, slots=True, repr=False)
class Particles:
    """Weighted texts that stand for the model's own distribution over the conforming texts.

    Attributes:
        texts: What each particle has written.
        log_weights: Their weights, in nats; together the weights are 1.
        log_form_probability: How likely the model is to write a conforming text, in nats: an estimate by particles
            (its exponential is unbiased), exact where all texts were scored.
    """

    texts: tuple[str, ...]
    log_weights: tuple[float, ...]
    log_form_probability: float

    def __repr__(self) -> str:
        return f"Particles({len(self.texts)}, log_form_probability={self.log_form_probability:.3f})"


@dataclass(frozen=True, slots=True)
class Failed:
    """The error that `generate` would have raised, in the place of a result.

    Attributes:
        error: What was raised.
    """

    error: Exception

    @property
    def value(self) -> NoReturn:
        """There is none: raises the error."""
        raise self.error

    def __bool__(self) -> bool:
        return False


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Observed(_Written):
    """What a model writes without a form.

    Attributes:
        in_form: Whether the text conforms, whole as it is.
        text: The text written; with a replacement character for bytes that are none.
        token_ids: The tokens written, the end-of-text token not included.
        prompt_tokens: How many tokens the prompt had.
        model_calls: How often the model was run.
        forced_tokens: 0: nothing is forced.
        seconds: Wall-clock time; two results are equal whatever it says.
        log_probability: What the model gives to these tokens, and to the end if it came, in nats.
        trace: What the form would have done, token by token, up to the first token that is out of form.
    """

    in_form: bool
    trace: Trace


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens that a service has counted."""

    prompt_tokens: int = 0
    completion_tokens: int = 0

    @property
    def total_tokens(self) -> int:
        """Both together."""
        return self.prompt_tokens + self.completion_tokens

    def __add__(self, other: Usage) -> Usage:
        return Usage(self.prompt_tokens + other.prompt_tokens, self.completion_tokens + other.completion_tokens)


@dataclass(frozen=True, slots=True)
class Attempt:
    """One text that was written, and what was wrong with it.

    Attributes:
        number: From 1 on.
        text: The text.
        error: What was wrong; ``None`` where nothing was.
        usage: Of a service: the tokens it took.
        mode: Of a service: how the form was asked for.
        reply: Of a service: the answer, read out of the format of its API.
    """

    number: int
    text: str
    error: Exception | None
    usage: Usage = field(default_factory=Usage)
    mode: str | None = None
    reply: Any = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, repr=False)
class Exchange:
    """How a remote model came to a result.

    Attributes:
        mode: How the form was asked for in the end.
        notes: What the service was not told or could not do, each in a sentence.
        outside: What the model wrote around the conforming text, if anything.
        attempts: All answers, the last one being that of the result.
        usage: The tokens of all attempts.
        raw: The last answer as it came, decoded.
    """

    mode: Mode
    notes: tuple[str, ...]
    outside: str
    attempts: tuple[Attempt, ...]
    usage: Usage
    raw: Any = field(default=None, repr=False)

    def __repr__(self) -> str:
        attempts = f"{len(self.attempts)} attempt{'s' if len(self.attempts) != 1 else ''}"
        return f"Exchange({self.mode}, {attempts}, {self.usage.total_tokens} tokens)"


def error_after_attempts(attempts: Sequence[Attempt], error: Exception) -> AttemptsExhausted:
    """The error after the last attempt."""
    count = len(attempts)
    said = f"{count} attempt{'s' if count > 1 else ''} gave no value: {error}"
    hint = getattr(error, "hint", None)
    return AttemptsExhausted(said, hint=hint and hint.removesuffix(OR_RETRY), attempts=attempts)


Result = Complete[T] | Truncated
"""What a generation that may be cut gives."""
