"""Receipts of replies: what a service says of a text, in the stamp of its reply, is what a receipt says.

A reply of formwright serve, or of vLLM or SGLang with the middleware, gives one for each of its texts:

    (receipt,) = from_reply(reply, vocabulary, form)
    receipt.assumed                             # ('token_ids', 'prompt'): the reply does not say them
    receipt.verify(vocabulary)                  # ()

A stamp names the form and the vocabulary by their digests, and the options on which masks depend. The tokens are in the
reply if the request asked for them. Where something is not said, the receipt claims less, and names what it assumes.

Cost: reading the reply; the tokens of a text where they are not said. Nothing is replayed before `Receipt.verify`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from formwright._kernel import Constraint, Vocabulary, __version__
from formwright.errors import ArgumentError
from formwright.forms.coerce import Canonical
from formwright.forms.form import Form
from formwright.receipts.receipt import (
    End,
    Provenance,
    Receipt,
    digest_prompt,
    respell_form,
    seal_receipt,
)

__all__ = ["ReplyStamp", "describe_provenance", "from_reply", "read_reply_stamp"]


class ReplyStamp(NamedTuple):
    """The stamp of a reply.

    Attributes:
        form: The digest of the form.
        is_complete: Whether all texts are complete.
        vocabulary: The fingerprint of the vocabulary; ``None`` if it is not known.
        eos_token_ids: The tokens that end a text.
        logits_size: The width of a row of logits.
        canonical: Whether only canonical tokens could come.
        max_tokens: The budget of the request; ``None`` if it has none, or texts could be cut.
        prompts: The digest of the prompt of each text, if they are known.
        receipts: The receipts of the texts, if the request asked for them.
    """

    form: str
    is_complete: bool
    vocabulary: str | None
    eos_token_ids: tuple[int, ...]
    logits_size: int | None
    canonical: Canonical
    max_tokens: int | None
    prompts: tuple[str, ...]
    receipts: tuple[Receipt, ...]


class _Text(NamedTuple):
    """One text of a reply, and what the reply says of its tokens."""

    text: str
    reason: str | None
    token_ids: Sequence[int] | None
    prompt_ids: Sequence[int] | None


def describe_provenance(
    vocabulary: Vocabulary | None,
    *,
    canonical: Canonical,
    max_tokens: int | None,
    prompts: Sequence[str] = (),
    **versions: str,
) -> dict[str, Any]:
    """Describe what texts were written under, as the entry ``provenance`` of a stamp.

    Args:
        vocabulary: The vocabulary; ``None`` if it is not known.
        canonical: Whether only canonical tokens could come.
        max_tokens: The budget; ``None`` if there is none.
        prompts: The digest of the prompt of each text.
        **versions: The versions of other programs that took part.
    """
    named: dict[str, Any] = {}
    if vocabulary is not None:
        named = {
            "vocabulary": vocabulary.fingerprint,
            "eos_token_ids": vocabulary.eos_token_ids,
            "logits_size": vocabulary.logits_size,
        }
    if prompts:
        named["prompts"] = list(prompts)
    return {"formwright": __version__, **versions, "canonical": canonical, "max_tokens": max_tokens, **named}


def from_reply(reply: Any, vocabulary: Vocabulary, form: Form[Any] | None = None) -> tuple[Receipt, ...]:
    """Make the receipts of the texts of a stamped reply, in their order.

    Args:
        reply: The reply: JSON text, decoded JSON, or the object of an SDK.
        vocabulary: The vocabulary of the model.
        form: The form that the request asked for; not needed where the reply has receipts.

    Raises:
        ArgumentError: The reply cannot be read, or has no stamp; it has thoughts or calls beside its texts, and no
            receipts; it shows what its receipts do not have; the form is missing, or another one than the stamp names.
        VocabularyError: The reply does not say its tokens, and it is not known how the tokenizer spells a text.
        LanguageError: The form holds a character parser, which cannot be stored.
    """
    body = _decode(reply)
    stamp = read_reply_stamp(body)
    if form is not None and stamp.form not in (form.digest, respell_form(form).digest):
        raise ArgumentError(
            f"the text was written under the form {stamp.form}, and this one is {form.digest}", argument="form"
        )
    if stamp.receipts:
        return _take_receipts(body, stamp, vocabulary)
    if form is None:
        raise ArgumentError(
            "the stamp of this reply only names its form by a digest",
            hint="pass the form that the request asked for",
            argument="form",
        )
    texts = list(_list_texts(body))
    prompts = stamp.prompts if len(stamp.prompts) == len(texts) else ("",) * len(texts)
    pairs = zip(texts, prompts, strict=True)
    return tuple(_make_receipt(stamp, text, prompt, vocabulary, form) for text, prompt in pairs)


def read_reply_stamp(reply: Any) -> ReplyStamp:
    """Read the stamp of a reply: JSON text, decoded JSON, or the object of an SDK.

    Raises:
        ArgumentError: It cannot be read, or has no stamp that names a form.
    """
    stamp = _decode(reply).get("formwright")
    if not isinstance(stamp, Mapping) or not isinstance(stamp.get("form"), str):
        raise ArgumentError(
            "this reply has no stamp that names a form",
            hint="stamped are replies of formwright serve, and those of vLLM and SGLang with formwright's middleware, "
            "to requests with a form",
            argument="reply",
        )
    about = stamp.get("provenance")
    if not isinstance(about, Mapping):
        raise ArgumentError("the stamp of this reply does not say its provenance", argument="reply")
    try:
        read = ReplyStamp(
            form=stamp["form"],
            is_complete=stamp.get("complete") is True,
            vocabulary=about.get("vocabulary"),
            eos_token_ids=tuple(about.get("eos_token_ids", ())),
            logits_size=about.get("logits_size"),
            canonical=about["canonical"],
            max_tokens=about["max_tokens"],
            prompts=tuple(about.get("prompts", ())),
            receipts=tuple(Receipt.from_json(json.dumps(receipt)) for receipt in stamp.get("receipts", ())),
        )
    except (KeyError, TypeError) as error:
        raise ArgumentError(f"the stamp of this reply cannot be read: {error}", argument="reply") from error
    if not _has_own_types(read):
        raise ArgumentError("the stamp of this reply has an entry of another type than its own", argument="reply")
    return read


def _has_own_types(stamp: ReplyStamp) -> bool:
    """Whether each entry has the type that is written above."""
    numbers = (stamp.max_tokens, stamp.logits_size)
    return (
        (type(stamp.canonical) is bool or stamp.canonical == "forced")
        and all(number is None or type(number) is int for number in numbers)
        and isinstance(stamp.vocabulary, str | None)
        and all(type(token) is int for token in stamp.eos_token_ids)
        and all(isinstance(prompt, str) for prompt in stamp.prompts)
    )


def _decode(reply: Any) -> Mapping[str, Any]:
    """The JSON object of a reply. Raises ArgumentError."""
    dump = getattr(reply, "model_dump", None)
    try:
        body = dump() if dump is not None else json.loads(reply) if isinstance(reply, str | bytes) else reply
    except (ValueError, RecursionError) as error:
        raise ArgumentError(f"this is not a reply: {error}", argument="reply") from error
    if not isinstance(body, Mapping):
        raise ArgumentError("this is not a reply: it is not a JSON object", argument="reply")
    return body


def _list_texts(body: Mapping[str, Any]) -> Iterator[_Text]:
    """The texts of a completion, or of a chat completion. Raises ArgumentError where there is more than text."""
    choices = body.get("choices")
    if not isinstance(choices, list) or not choices:
        raise ArgumentError("this reply has no choices: it is not a completion", argument="reply")
    for choice in choices:
        if not isinstance(choice, Mapping) or not isinstance(choice.get("message", choice), Mapping):
            raise ArgumentError("a choice of this reply is not an object", argument="reply")
        message = choice.get("message", choice)
        text = message.get("content", message.get("text"))
        is_more = any(message.get(name) for name in ("tool_calls", "function_call", "reasoning", "reasoning_content"))
        if is_more or not isinstance(text, str):
            raise ArgumentError(
                "this reply has more than one text in a choice: calls or thoughts have a form of their own",
                hint='ask formwright serve for receipts: "formwright": {"receipt": true}',
                argument="reply",
            )
        _check_whole(text)
        token_ids = _read_ids(choice.get("token_ids"), choice.get("response_token_ids"))
        prompt_ids = _read_ids(choice.get("prompt_token_ids"), body.get("prompt_token_ids"))
        yield _Text(text, choice.get("finish_reason"), token_ids, prompt_ids)


def _check_whole(text: str) -> None:
    """Raise ArgumentError where a text holds half a character, as JSON may."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ArgumentError(f"a text of this reply holds half a character: {error}", argument="reply") from error


def _read_ids(*places: Any) -> Sequence[int] | None:
    """The ids of tokens in the first place that says them; ``None`` if none does. Raises ArgumentError."""
    ids = next((place for place in places if place is not None), None)
    if ids is None or (isinstance(ids, list) and all(type(each) is int and 0 <= each < 2**32 for each in ids)):
        return ids
    raise ArgumentError("the tokens of this reply are not a list of whole numbers", argument="reply")


def _make_receipt(stamp: ReplyStamp, text: _Text, prompt: str, vocabulary: Vocabulary, form: Form[Any]) -> Receipt:
    """The receipt of one text."""
    token_ids, prompt_ids = text.token_ids, text.prompt_ids
    canonical = stamp.canonical if token_ids is not None and prompt_ids is not None else False
    end = _find_end(stamp, text, form)
    prompt = prompt if prompt_ids is None else digest_prompt(prompt_ids)
    not_said = {
        "token_ids": token_ids is None,
        "prompt": not prompt,
        "canonical": canonical != stamp.canonical,
        "vocabulary": stamp.vocabulary is None,
    }
    constraint = Constraint(form, vocabulary, canonical=canonical)
    provenance = Provenance(constraint, prompt_ids or (), None if end == "max_tokens" else stamp.max_tokens)
    return seal_receipt(
        provenance,
        _spell(text.text, vocabulary) if token_ids is None else _without_end(token_ids, vocabulary),
        text=text.text.encode(),
        prompt=prompt,
        end=end,
        **_describe_vocabulary(stamp, vocabulary),
        assumed=tuple(name for name, is_assumed in not_said.items() if is_assumed),
    )


def _describe_vocabulary(stamp: ReplyStamp, vocabulary: Vocabulary) -> dict[str, Any]:
    """The entries of the vocabulary as the stamp has them; if it has none, of the one that is given."""
    if stamp.vocabulary is None or stamp.logits_size is None:
        return {}
    return {
        "vocabulary": stamp.vocabulary,
        "eos_token_ids": stamp.eos_token_ids,
        "logits_size": stamp.logits_size,
    }


def _find_end(stamp: ReplyStamp, text: _Text, form: Form[Any]) -> End:
    if stamp.is_complete or form.check(text.text).is_complete:
        return "complete"
    return "max_tokens" if text.reason == "length" else "stop"


def _spell(text: str, vocabulary: Vocabulary) -> Sequence[int]:
    """The tokens that the tokenizer itself writes for a text. Raises ArgumentError, VocabularyError."""
    token_ids = vocabulary.merges.encode(text)
    if token_ids is None:
        raise ArgumentError("the tokenizer has no tokens for the text of this reply", argument="reply")
    return token_ids


def _without_end(token_ids: Sequence[int], vocabulary: Vocabulary) -> Sequence[int]:
    """Tokens without the ends of text that an engine reports after them."""
    ends, size = set(vocabulary.eos_token_ids), len(token_ids)
    while size and token_ids[size - 1] in ends:
        size -= 1
    return token_ids[:size]


def _take_receipts(body: Mapping[str, Any], stamp: ReplyStamp, vocabulary: Vocabulary) -> tuple[Receipt, ...]:
    """The receipts of a stamp, each with the digest of the text that the reply has now."""
    try:
        texts = [text.text for text in _list_texts(body)]
    except ArgumentError:  # a receipt is of all that was written, and what the reply shows are parts of it
        _check_parts(body, stamp, vocabulary)
        return stamp.receipts
    if len(texts) != len(stamp.receipts):
        raise ArgumentError(
            f"this reply has {len(texts)} texts, and receipts of {len(stamp.receipts)}", argument="reply"
        )
    digests = (hashlib.sha256(text.encode()).hexdigest() for text in texts)
    return tuple(replace(receipt, text=digest) for receipt, digest in zip(stamp.receipts, digests, strict=True))


_SHOWN = frozenset({"text", "content", "reasoning", "reasoning_content", "arguments"})
"""Members of a reply that hold what was written."""


def _check_parts(body: Mapping[str, Any], stamp: ReplyStamp, vocabulary: Vocabulary) -> None:
    """Raise ArgumentError where a reply shows a text that is not a part of what its receipts say was written."""
    size = len(vocabulary)
    written = [b"".join(vocabulary.token(id) for id in each.token_ids if id < size) for each in stamp.receipts]
    for shown in _list_shown([body.get("choices"), body.get("output")]):
        _check_whole(shown)
        if not any(shown.strip().encode() in data for data in written):
            raise ArgumentError(f"this reply shows {shown[:80]!r}, which its receipts do not have", argument="reply")


def _list_shown(part: Any) -> Iterator[str]:
    """The texts in a part of a reply, wherever they are."""
    open_parts = [part]
    while open_parts:
        part = open_parts.pop()
        if isinstance(part, Mapping):
            yield from (value for name, value in part.items() if name in _SHOWN and isinstance(value, str))
            open_parts += part.values()
        elif isinstance(part, list):
            open_parts += part
