"""What the adapters share: the form of a request, vocabularies by their ends, and a text that also takes tokens back.

::

    running = RunningText(fw.compile(int, vocabulary))
    running.accept([token for token in vocabulary.merges.encode("12") or []])      # True
    running.valid_prefix([0])                                                      # 0
    running.rollback(1)

An engine hands over what a request says as a kind and a text: ``("json", '{"type": "integer"}')``. Its ends of text,
the stop ids of the user among them, are ends of the vocabulary: they may come where the text may end, and nowhere else.

Cost: a vocabulary for each set of ends, a tenth of a second for 131,072 tokens; the last `_KEPT` are kept, and the last
`_KEPT_FORMS` forms: clients send the same tools with each request.

Drafts of a speculation go on after an end of text. What comes there is accepted and means nothing.

Whether texts have canonical tokens only, those that the tokenizer itself would write, is a setting of the engine:
``FORMWRIGHT_CANONICAL``.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Sequence
from functools import partial
from typing import Any

from formwright._kernel import Constraint, Vocabulary
from formwright._lru import Lru
from formwright.errors import (
    ArgumentError,
    LanguageError,
    LimitExceeded,
    OptionUnsupported,
    TokenRejected,
    VocabularyError,
)
from formwright.forms.coerce import Canonical
from formwright.forms.form import Form, Origin
from formwright.forms.grammars import grammar
from formwright.forms.json_forms import json as json_form
from formwright.forms.json_forms import json_schema
from formwright.forms.texts import choice, regex
from formwright.masks.arrays import Mask, allow_only_ends
from formwright.tokenizers import vocabulary_from
from formwright.tools.structural import structural_form

__all__ = ["CANONICAL", "RunningText", "Vocabularies", "form_from_request", "read_canonical", "request_from_form"]

CANONICAL = "FORMWRIGHT_CANONICAL"
"""The environment variable that says which tokens of a text are canonical."""

_KEPT = 16
_KEPT_FORMS = 32


def read_canonical() -> Canonical:
    """Which tokens of a text are canonical, as the environment of the engine says: none, ``1`` all, or ``forced``.

    Raises:
        ArgumentError: The variable has another value.
    """
    known: dict[str, Canonical] = {"": False, "0": False, "1": True, "forced": "forced"}
    value = os.environ.get(CANONICAL, "")
    if value not in known:
        raise ArgumentError(f"{CANONICAL}: expected 0, 1 or forced, got {value!r}", argument=CANONICAL)
    return known[value]


def form_from_request(
    kind: str, text: str, *, whitespace: str | None = None, vocabulary: Vocabulary | None = None
) -> Form[Any]:
    """The form that a request asks for.

    Args:
        kind: ``"json"`` (a schema), ``"json_object"``, ``"regex"``, ``"choice"`` (a JSON array of texts),
            ``"grammar"``, ``"ebnf"`` or ``"structural_tag"``.
        text: What it says of it.
        whitespace: That of JSON, as `formwright.form` has it.
        vocabulary: Whose control tokens a structural tag names; ``None`` if it is not known yet.

    Raises:
        LanguageError: It cannot be read or enforced, or is of another kind.
    """
    if kind == "json":
        return json_schema(text, whitespace=whitespace)
    if kind == "json_object":
        return json_form(objects_only=True, whitespace=whitespace)
    if kind == "regex":
        return regex(text)
    if kind == "choice":
        return choice(*_texts(text))
    if kind in ("grammar", "ebnf"):
        return grammar(text, syntax="ebnf" if kind == "ebnf" else "auto")
    if kind == "structural_tag":
        return structural_form(text, "structural_tag", vocabulary)
    raise LanguageError(
        f"requests for {kind!r} cannot be served by formwright",
        hint="ask for a JSON Schema, a regular expression, a choice, a grammar or a structural tag",
    )


def _texts(text: str) -> list[str]:
    """The texts of a choice. A JSON string is none: its characters would be the choice."""
    try:
        texts = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise LanguageError(f"choice: expected a JSON array of texts: {error}") from None
    if isinstance(texts, list) and texts and all(isinstance(each, str) for each in texts):
        return texts
    raise LanguageError(f"choice: expected a JSON array of texts, got {text[:40]}")


def request_from_form(form: Form[Any]) -> tuple[str, str]:
    """What an engine is asked, so that `form_from_request` reads the same form: a kind and a text.

    Raises:
        OptionUnsupported: It has no kind that engines know, or options of JSON that they cannot be told.
    """
    asked = _describe_form(form)
    if asked is None:
        raise OptionUnsupported(
            f"{form!r} cannot be asked for by a request: engines know JSON Schema, patterns, choices and grammars",
            hint="give one of these, or write it with a model that formwright drives itself",
            argument="form",
        )
    if form_from_request(*asked).language.to_bytes() != form.language.to_bytes():
        raise OptionUnsupported(
            f"{form!r} has options that cannot be said in a request: those of JSON, what its pattern means, or how its "
            "grammar is read",
            hint="leave them out, and write a pattern as formwright.regex(pattern)",
            argument="form",
        )
    return asked


def _describe_form(form: Form[Any]) -> tuple[str, str] | None:
    """A kind and a text, of forms that are one thing."""
    match form.origin:
        case Origin(kind="choice", what=texts):
            return "choice", json.dumps(list(texts))
        case Origin(kind="regex", what=pattern):
            return "regex", str(pattern)
        case Origin(kind="grammar", what=text):
            return "grammar", str(text)
        case Origin(kind="schema", what=schema):
            return "json", str(schema)
    return None


class Vocabularies:
    """The vocabulary of one tokenizer, by the ids that end a text.

    Args:
        tokenizer: Of any family that `formwright.Vocabulary.from_tokenizer` reads.
        size: The width of the model's logits.

    Attributes:
        canonical: Which tokens of a text are canonical, see `read_canonical`.

    Raises:
        ArgumentError: The environment has a value for this that it cannot have.
        VocabularyError: Tokens are to be canonical, and it is not known what the tokenizer merges.
    """

    def __init__(self, tokenizer: Any, size: int) -> None:
        self._tokenizer, self._size = tokenizer, size
        self.canonical = read_canonical()
        self._kept = Lru[frozenset[int], Vocabulary](_KEPT)
        self._forms = Lru[tuple[str, str, str | None, frozenset[int]], Form[Any]](_KEPT_FORMS)
        if self.canonical:
            _ = self.with_ends(None).merges  # now, not at the first request

    def with_ends(self, ends: Collection[int] | None) -> Vocabulary:
        """The vocabulary in which these ids end a text, beside those that the tokenizer declares."""
        key = frozenset(ends or ())
        make = partial(vocabulary_from, self._tokenizer, eos_token_ids=sorted(key), logits_size=self._size)
        return self._kept.find(key, make)

    def compile(
        self, kind: str, text: str, ends: Collection[int] | None, *, whitespace: str | None = None
    ) -> Constraint[Any]:
        """The compiled form of a request, as `form_from_request` reads it. The last forms are kept here, and what was
        compiled of them by their vocabulary, which bounds its bytes.

        Raises:
            LanguageError, VocabularyError: It cannot be read, enforced, or compiled for the vocabulary of these ends.
        """
        vocabulary = self.with_ends(ends)
        make = partial(form_from_request, kind, text, whitespace=whitespace, vocabulary=vocabulary)
        form = self._forms.find((kind, text, whitespace, frozenset(ends or ())), make)
        return Constraint(form, vocabulary, canonical=self.canonical)


class RunningText:
    """A text under way, for an engine that accepts several tokens at a time and takes some of them back.

    Args:
        constraint: The form of the text.
    """

    def __init__(self, constraint: Constraint[Any]) -> None:
        self.constraint = constraint
        self.matcher = constraint.matcher()
        self.least = self.matcher.min_tokens_to_finish
        """How many tokens the shortest text has, without an end."""

    def begin_after(self, prompt_ids: Sequence[int]) -> None:
        """Begin again, after these tokens: the first canonical token depends on what it continues."""
        if self.constraint.canonical:
            self.matcher = self.constraint.matcher(prompt_ids)
            self.least = self.matcher.min_tokens_to_finish

    def check_room(self, room: int) -> None:
        """Refuse a request that leaves no room for a text. Raises LimitExceeded."""
        if self.least > room:
            raise LimitExceeded(
                f"{self.constraint.form.title}: the shortest text has {self.least} tokens, "
                f"and the request allows {room}",
                hint="raise the token limit of the request, or shorten the prompt",
                limit="budget",
            )

    def find_limit(self, room: int) -> int | None:
        """Most tokens of the text without an end, if the text and its end may have so many together. The end takes one
        where a text is short enough for both; ``None`` if no text fits.
        """
        return max(room - 1, self.least) if self.least <= room else None

    @property
    def is_finished(self) -> bool:
        """Whether an end of text was accepted."""
        return self.matcher.is_finished

    def accept(self, token_ids: Sequence[int]) -> bool:
        """Go on by all of these tokens, up to an end of text, or by none of them; whether they could come."""
        if self.is_finished:
            return True
        ends = self.constraint.vocabulary.eos_token_ids
        last = next((place for place, token_id in enumerate(token_ids, 1) if token_id in ends), len(token_ids))
        try:
            self.matcher.accept_tokens(list(token_ids[:last]))
        except (TokenRejected, VocabularyError):
            return False
        return True

    def valid_prefix(self, token_ids: Sequence[int]) -> int:
        """How many of these tokens could come; nothing is accepted."""
        if self.is_finished:
            return 0
        size = self.constraint.vocabulary.logits_size
        known = next((place for place, token_id in enumerate(token_ids) if not 0 <= token_id < size), len(token_ids))
        return self.matcher.validate_tokens(list(token_ids[:known]))

    def rollback(self, tokens: int) -> None:
        """Take tokens back."""
        if tokens:
            self.matcher.rollback(tokens)

    def fill(self, mask: Mask, row: int, *, budget: int | None = None) -> None:
        """Write what may come next into a row: after the end, an end again.

        Any thread may call it, as long as no other one uses this text. A budget below 0, after drafts that go on after
        the limit, allows the ends alone.
        """
        if self.is_finished or (budget is not None and budget < 0):
            allow_only_ends(mask[row], self.constraint.vocabulary)
        else:
            self.matcher.fill_bitmask(mask, row, budget=budget)
