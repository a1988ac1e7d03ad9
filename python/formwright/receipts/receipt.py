"""A receipt: the form, the vocabulary, the options and the tokens of a text, and whether each token was allowed.

::

    receipt = make_receipt(result.provenance, result.token_ids, end="complete")
    receipt.verify(vocabulary)          # ()

Every entry has a *seal*, a digest of what it was when the receipt was made, and every token a link of a chain of
digests: so a change is named, and a changed token is found at its step, even where the form allows the other one.
Whoever changes a receipt can make the seals anew; against that there are signatures.

Verifying replays the masks: each token must be allowed within what was left of the budget, and the text may end where
it ends. Cost: one mask and one step of a matcher for each token.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from formwright._kernel import Constraint, Vocabulary, __version__
from formwright.errors import ArgumentError, FormwrightError, LanguageError, MatchError
from formwright.forms.coerce import Canonical
from formwright.forms.form import Form
from formwright.forms.json_forms import json_schema
from formwright.masks.arrays import allocate_bitmask
from formwright.receipts.signatures import Signature, has_signed, sign

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

__all__ = [
    "ASSUMED",
    "End",
    "Problem",
    "Provenance",
    "Receipt",
    "digest_prompt",
    "make_receipt",
    "respell_form",
    "seal_receipt",
]

VERSION = 1
"""The version of the format of receipts."""

End = Literal["complete", "max_tokens", "stop", "cancel"]
"""Why a text ended: it is complete, or what cut it."""

ASSUMED = ("token_ids", "prompt", "canonical", "vocabulary")
"""Entries that a receipt may assume."""

_LINK = 4
"""Bytes of a link of the chain of tokens."""

_PROMPT_END = 64
"""Tokens of a prompt on which the first token of a text may depend, mostly."""


@dataclass(frozen=True, slots=True)
class Provenance:
    """What a text was written under. It does not survive pickling, as its vocabulary is large.

    Attributes:
        constraint: Its form, compiled for the vocabulary of the model.
        prompt_ids: The tokens of the prompt.
        max_tokens: The budget within which it had to end; ``None`` if it could be cut.
    """

    constraint: Constraint[Any]
    prompt_ids: Sequence[int]
    max_tokens: int | None

    def __reduce__(self) -> tuple[type[None], tuple[()]]:
        return type(None), ()


class Problem(NamedTuple):
    """Something that is wrong with a receipt.

    Attributes:
        entry: The entry of the receipt: ``"token_ids"``, ``"form"``, ``"vocabulary"``, ``"signature"``, ...
        step: The index of the token at which it shows, ``None`` for other entries; the number of tokens for the end.
        what: What is wrong.
    """

    entry: str
    step: int | None
    what: str

    def __str__(self) -> str:
        place = self.entry if self.step is None else f"{self.entry}[{self.step}]"
        return f"{place}: {self.what}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """What was written under which form; JSON by `to_json`.

    Attributes:
        receipt: The version of the format.
        formwright: The version of formwright that wrote it.
        form: What the user wrote to get the form, as `Form.to_bytes` stores it, in base64.
        vocabulary: The fingerprint of the vocabulary.
        eos_token_ids: The tokens that end a text in it, which the file of a tokenizer may not say.
        logits_size: Its width, which the file of a tokenizer does not say.
        canonical: Whether only canonical tokens could come, as `formwright.compile` takes it.
        max_tokens: The budget within which the text had to end; ``None`` if it could be cut.
        prompt: SHA-256 of the token ids of the prompt, 4 bytes each, the lowest first.
        prompt_end: The last tokens of the prompt, where the first token of the text depends on them: with
            ``canonical``.
        token_ids: The tokens of the text.
        text: SHA-256 of the text.
        end: Why it ended: ``"complete"``, ``"max_tokens"``, ``"stop"`` or ``"cancel"``.
        assumed: Entries of which nobody has said what they were, as in replies of services: ``"token_ids"`` are then
            those that the tokenizer itself writes for the text, ``"prompt"`` is empty, ``"canonical"`` is false, and
            ``"vocabulary"`` is that of who made the receipt.
        chain: For each token eight hexadecimal digits, which depend on it and all before it.
        seals: A digest of each of these entries.
        signature: A signature of them all, if there is one.
    """

    form: str
    vocabulary: str
    eos_token_ids: tuple[int, ...]
    logits_size: int
    canonical: Canonical
    max_tokens: int | None
    prompt: str
    prompt_end: tuple[int, ...]
    token_ids: tuple[int, ...]
    text: str
    end: End
    assumed: tuple[str, ...] = ()
    chain: str
    seals: dict[str, str]
    signature: Signature | None = None
    receipt: int = VERSION
    formwright: str = __version__

    def to_json(self) -> str:
        """The receipt as JSON text, one line."""
        return json.dumps(self._entries() | {"seals": self.seals, "signature": _as_dict(self.signature)})

    @classmethod
    def from_json(cls, text: str | bytes) -> Receipt:
        """Read a receipt.

        Raises:
            ArgumentError: It is not JSON, not a receipt, or one of a later version.
        """
        try:
            data = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise ArgumentError(f"this is not a receipt: {error}", argument="receipt") from error
        version = data.get("receipt") if isinstance(data, dict) else None
        if version is None:
            raise ArgumentError("this is not a receipt: it has no entry 'receipt'", argument="receipt")
        if version != VERSION:
            raise ArgumentError(
                f"the receipt has version {version!r}; this formwright, {__version__}, reads version {VERSION}",
                hint="verify it with the version of formwright that it names",
                argument="receipt",
            )
        names = {field.name for field in fields(cls)}
        if data.keys() != names:
            wrong = ", ".join(sorted(data.keys() ^ names))
            raise ArgumentError(f"this is not a whole receipt: look at {wrong}", argument="receipt")
        try:
            signature = data["signature"]
            data["signature"] = None if signature is None else Signature(**signature)
            for name in ("token_ids", "prompt_end", "eos_token_ids", "assumed"):
                data[name] = tuple(data[name])
            read = cls(**data)
            read._check_types()
        except (KeyError, TypeError) as error:
            raise ArgumentError(f"this is not a receipt: {error}", argument="receipt") from error
        return read

    def sign(self, key: Ed25519PrivateKey) -> Receipt:
        """The same receipt, signed. `formwright.receipts.read_private_key` reads a key."""
        return replace(self, signature=sign(self._signed_bytes(), key))

    def verify(
        self, vocabulary: Vocabulary, *, form: Form[Any] | None = None, public_key: Ed25519PublicKey | None = None
    ) -> tuple[Problem, ...]:
        """Return what is wrong; nothing if every token was allowed where it is.

        Args:
            vocabulary: The vocabulary of the model.
            form: The form that the text should have been written under; ``None`` takes that of the receipt.
            public_key: The key of the one who should have signed it; ``None`` accepts any signature, and none.

        Raises:
            MissingDependency: It is signed, and cryptography is not installed.
        """
        return (
            *self._check_seals(),
            *self._check_chain(),
            *self._check_signature(public_key),
            *self._check_form(form),
            *self._replay(vocabulary),
        )

    def read_form(self) -> Form[Any]:
        """The form of the receipt. Raises LanguageError where its bytes were changed."""
        try:
            return Form.from_bytes(base64.b64decode(self.form, validate=True))
        except ValueError as error:
            if isinstance(error, FormwrightError):
                raise
            raise LanguageError(f"the form of the receipt is not base64: {error}") from error

    def _entries(self) -> dict[str, Any]:
        """All that is sealed."""
        left_out = ("seals", "signature")
        return {name: value for name, value in asdict(self).items() if name not in left_out}

    def _signed_bytes(self) -> bytes:
        return _spell(self._entries() | {"seals": self.seals})

    def _check_types(self) -> None:
        """Raises TypeError where an entry is of another type than its own."""
        ids = (*self.token_ids, *self.prompt_end, *self.eos_token_ids, self.logits_size)
        if not all(type(token_id) is int and 0 <= token_id < 2**32 for token_id in ids):
            raise TypeError("token_ids are whole numbers")
        if not isinstance(self.seals, dict) or type(self.max_tokens) not in (int, type(None)):
            raise TypeError("an entry has another type than its own")
        if self.signature is not None and not all(isinstance(part, str) for part in self.signature):
            raise TypeError("a signature consists of texts")
        if not all(isinstance(text, str) for text in (self.form, self.vocabulary, self.prompt, self.text, self.chain)):
            raise TypeError("an entry is not a text")
        if not set(self.assumed) <= set(ASSUMED):
            raise TypeError(f"what may be assumed is {', '.join(ASSUMED)}")

    def _check_seals(self) -> Iterator[Problem]:
        sealed = _seal(self._entries())
        for entry in sealed.keys() | self.seals.keys():
            if entry != "token_ids" and sealed.get(entry) != self.seals.get(entry):
                yield Problem(entry, None, "it was changed after the receipt was made")

    def _check_chain(self) -> Iterator[Problem]:
        links, size = _link(self.token_ids), 2 * _LINK
        given = [self.chain[at : at + size] for at in range(0, len(self.chain), size)]
        for step in range(max(len(links), len(given))):
            if links[step : step + 1] != given[step : step + 1]:
                yield Problem("token_ids", step, "the token, or its link of the chain, was changed")
                return
        if _seal(self._entries())["token_ids"] != self.seals.get("token_ids"):
            yield Problem("token_ids", len(links), "tokens were changed, and their chain with them")

    def _check_signature(self, public_key: Ed25519PublicKey | None) -> Iterator[Problem]:
        if self.signature is None:
            if public_key is not None:
                yield Problem("signature", None, "it is not signed")
        elif not has_signed(self.signature, self._signed_bytes(), public_key):
            yield Problem("signature", None, "the owner of the key has not signed this receipt")

    def _check_form(self, form: Form[Any] | None) -> Iterator[Problem]:
        try:
            own = self.read_form()
        except FormwrightError as error:
            yield Problem("form", None, f"it cannot be read: {error}")
            return
        if form is not None and own.digest not in {form.digest, respell_form(form).digest}:
            yield Problem("form", None, "the text was written under another form than the one that is given")

    def _replay(self, vocabulary: Vocabulary) -> Iterator[Problem]:
        """Follow the tokens with a matcher, within the budget."""
        if vocabulary.fingerprint != self.vocabulary:
            yield Problem("vocabulary", None, f"it was {self.vocabulary}, and this one is {vocabulary.fingerprint}")
            return
        if set(self.eos_token_ids) != set(vocabulary.eos_token_ids):
            yield Problem("eos_token_ids", None, f"this vocabulary has {vocabulary.eos_token_ids}")
        if self.logits_size != vocabulary.logits_size:
            yield Problem("logits_size", None, f"this vocabulary has {vocabulary.logits_size}")
        try:
            constraint = Constraint(self.read_form(), vocabulary, canonical=self.canonical)
        except FormwrightError as error:
            yield Problem("form", None, f"it cannot be compiled: {error}")
            return
        try:
            matcher, mask = constraint.matcher(self.prompt_end), allocate_bitmask(1, vocabulary)
        except FormwrightError as error:
            yield Problem("prompt_end", None, str(error))
            return
        for step, token_id in enumerate(self.token_ids):
            left = None if self.max_tokens is None else self.max_tokens - step
            try:
                is_allowed = left != 0 and _is_allowed(matcher, mask, token_id, left)
                if is_allowed:
                    matcher.accept_token(token_id)
            except FormwrightError as error:
                yield Problem("token_ids", step, str(error))
                return
            if not is_allowed:
                within = "" if left is None else f" with {left} tokens left"
                yield Problem("token_ids", step, f"token {token_id} may not come here{within}")
                return
        yield from self._check_end(matcher)

    def _check_end(self, matcher: Any) -> Iterator[Problem]:
        data = matcher.accepted_bytes
        if self.end == "complete" and not matcher.is_complete:
            yield Problem("end", len(self.token_ids), "the text is not complete")
        elif self.end not in ("complete", "max_tokens", "stop", "cancel"):
            yield Problem("end", len(self.token_ids), f"there is no end {self.end!r}")
        elif self.end == "max_tokens" and self.max_tokens is not None:
            yield Problem("end", len(self.token_ids), "a text within a budget is not cut by it")
        if _digest(data) != self.text:
            yield Problem("text", None, "the tokens spell another text")


def make_receipt(provenance: Provenance, token_ids: Sequence[int], *, end: End) -> Receipt:
    """Make the receipt of a text.

    Args:
        provenance: What it was written under.
        token_ids: Its tokens, without an end of text.
        end: Why it ended.

    Raises:
        LanguageError: The form holds a character parser, which cannot be stored.
    """
    constraint, prompt_ids = provenance.constraint, provenance.prompt_ids
    matcher = constraint.matcher(prompt_ids)
    matcher.accept_tokens(token_ids)
    return seal_receipt(
        provenance,
        token_ids,
        text=matcher.accepted_bytes,
        prompt=digest_prompt(prompt_ids),
        end="stop" if end == "complete" and not matcher.is_complete else end,
    )


def seal_receipt(provenance: Provenance, token_ids: Sequence[int], *, text: bytes, **more: Any) -> Receipt:
    """Make the receipt of a text without replaying it.

    Args:
        provenance: What it was written under.
        token_ids: Its tokens, without an end of text.
        text: What they should spell.
        **more: ``prompt`` and ``end``, and ``vocabulary`` and ``assumed`` where they are not those of most texts.

    Raises:
        LanguageError: The form holds a character parser, which cannot be stored.
    """
    constraint = provenance.constraint
    entries: dict[str, Any] = {
        "receipt": VERSION,
        "formwright": __version__,
        "form": base64.b64encode(constraint.form.to_bytes()).decode(),
        "vocabulary": constraint.vocabulary.fingerprint,
        "eos_token_ids": tuple(constraint.vocabulary.eos_token_ids),
        "logits_size": constraint.vocabulary.logits_size,
        "canonical": constraint.canonical,
        "max_tokens": provenance.max_tokens,
        "prompt_end": tuple(map(int, _end_of_prompt(provenance, token_ids))) if constraint.canonical else (),
        "token_ids": tuple(map(int, token_ids)),
        "text": _digest(text),
        "assumed": (),
        "chain": "".join(_link(token_ids)),
        **more,
    }
    return Receipt(**entries, seals=_seal(entries))


def digest_prompt(prompt_ids: Sequence[int]) -> str:
    """The entry ``prompt`` of a receipt."""
    return _digest(np.asarray(prompt_ids, "<u4").tobytes())


def _end_of_prompt(provenance: Provenance, token_ids: Sequence[int]) -> Sequence[int]:
    """As many of the last tokens of a prompt as give the masks that all of them give."""
    prompt_ids, size = provenance.prompt_ids, _PROMPT_END
    while size < len(prompt_ids) and not _have_equal_masks(provenance, prompt_ids[-size:], token_ids):
        size *= 4
    return prompt_ids[-size:]


def _have_equal_masks(provenance: Provenance, prompt_end: Sequence[int], token_ids: Sequence[int]) -> bool:
    """Whether the masks along a text are the same after all of a prompt and after its end."""
    constraint = provenance.constraint
    masks = [allocate_bitmask(1, constraint.vocabulary) for _ in range(2)]
    matchers = [constraint.matcher(provenance.prompt_ids), constraint.matcher(prompt_end)]
    for step, token_id in enumerate(token_ids):
        left = None if provenance.max_tokens is None else provenance.max_tokens - step
        for matcher, mask in zip(matchers, masks, strict=True):
            matcher.fill_bitmask(mask, 0, budget=left)
        if not np.array_equal(masks[0], masks[1]):
            return False
        try:
            for matcher in matchers:
                matcher.accept_token(token_id)
        except MatchError:  # of the second, whose masks differ; or of both, where the text does not conform
            return False
    return True


def respell_form(form: Form[Any]) -> Form[Any]:
    """Return the form of the same schema, spelled as one that was given as a dict; another form as it is."""
    if form.origin is None or form.origin.kind != "schema":
        return form
    return json_schema(json.loads(form.origin.what), **(form.origin.options or {}))


def _is_allowed(matcher: Any, mask: Any, token_id: int, left: int | None) -> bool:
    matcher.fill_bitmask(mask, 0, budget=left)
    word = token_id >> 5
    return word < mask.shape[1] and bool(mask[0, word] >> (token_id & 31) & 1)


def _link(token_ids: Sequence[int]) -> list[str]:
    """The chain of digests of tokens."""
    links, last = [], b""
    for token_id in token_ids:
        last = hashlib.sha256(last + int(token_id).to_bytes(4, "little")).digest()
        links.append(last[:_LINK].hex())
    return links


def _seal(entries: dict[str, Any]) -> dict[str, str]:
    return {name: _digest(_spell(value))[:16] for name, value in entries.items()}


def _spell(value: Any) -> bytes:
    """JSON that is the same for equal values."""
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _as_dict(signature: Signature | None) -> dict[str, str] | None:
    return None if signature is None else signature._asdict()
