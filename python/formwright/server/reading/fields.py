"""The fields that are not served: those that cannot change the text are ignored, and those that could are refused.

::

    drop_ignored_fields({"messages": [{"role": "user", "content": "Hi", "cache_control": {"type": "ephemeral"}}]})
    # ({'messages': [{'role': 'user', 'content': 'Hi'}]}, ['messages[].cache_control'])

`IGNORED` and `REFUSED` decide, and the tables of docs/reference/server.md are written from them. A field in neither is
served or unknown.

Cost: one pass over the fields of the request, its messages, parts, calls and tools.

The notes in the stamp of an answer name an ignored field only if it is not empty.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

__all__ = ["IGNORED", "IGNORED_AT", "PLACES", "REFUSED", "drop_ignored_fields", "is_neutral"]

PLACES: Mapping[str, tuple[str, ...]] = {
    "request": ("",),
    "text": ("text",),
    "reasoning": ("reasoning",),
    "message": ("messages[]", "input[]"),
    "message of chat completions": ("messages[]",),
    "part": ("messages[].content[]", "input[].content[]", "input[].output[]"),
    "call": ("messages[].tool_calls[]", "messages[].tool_calls[].function", "messages[].tool_calls[].custom"),
    "tool": ("tools[]", "tools[].function", "tools[].custom"),
}
"""Places of fields, by their names in the table of the documentation."""

_ANY = ("message", "part", "call", "tool")
_NO_CACHE = "nothing is cached between requests"
_NOT_KEPT = "nothing is kept of it"
_EARLIER_THOUGHT = "the thought of an earlier answer is not read again"
_BESIDE_TEXT = "describes an earlier text, which is read itself"

IGNORED: Mapping[str, tuple[tuple[str, ...], str]] = {
    "annotations": (("message", "part", "tool"), _BESIDE_TEXT),
    "cache_control": (("request", *_ANY), _NO_CACHE),
    "cache_prompt": (("request",), _NO_CACHE),
    "cache_salt": (("request",), _NO_CACHE),
    "citations": (("message", "part"), _BESIDE_TEXT),
    "created_at": (("message",), _NOT_KEPT),
    "encrypted_content": (("message",), _EARLIER_THOUGHT),
    "extra_content": (_ANY, "addressed to other services"),
    "generate_summary": (("reasoning",), "a thought is sent as it is written"),
    "id": (("message", "part"), _NOT_KEPT),
    "index": (("message", "part", "call"), "the order of the list counts"),
    "keep_alive": (("request",), "the model stays loaded"),
    "logprobs": (("message", "part"), _BESIDE_TEXT),
    "max_tool_calls": (("request",), "counts calls of built-in tools, of which there are none"),
    "metadata": (("request", *_ANY), _NOT_KEPT),
    "name": (("message of chat completions",), "models are not given names of speakers"),
    "parsed": (("message", "part"), _BESIDE_TEXT),
    "parsed_arguments": (("message", "call"), _BESIDE_TEXT),
    "phase": (("message",), _NOT_KEPT),
    "prediction": (("request",), "would make an answer faster, not another one"),
    "priority": (("request",), "clients take turns"),
    "prompt_cache_breakpoint": (("message", "part"), _NO_CACHE),
    "prompt_cache_key": (("request",), _NO_CACHE),
    "prompt_cache_options": (("request",), _NO_CACHE),
    "prompt_cache_retention": (("request",), _NO_CACHE),
    "provider": (("request",), "this server does not pass requests on"),
    "provider_specific_fields": (_ANY, "addressed to other services"),
    "reasoning": (("message of chat completions",), _EARLIER_THOUGHT),
    "reasoning_content": (("message",), _EARLIER_THOUGHT),
    "reasoning_details": (("message",), _EARLIER_THOUGHT),
    "request_id": (("request",), _NOT_KEPT),
    "response_metadata": (("message",), _NOT_KEPT),
    "rid": (("request",), _NOT_KEPT),
    "safety_identifier": (("request",), _NOT_KEPT),
    "service_tier": (("request",), "there is one"),
    "signature": (("message", "part", "call"), _EARLIER_THOUGHT),
    "status": (("message",), _NOT_KEPT),
    "store": (("request",), "chat completions are not stored"),
    "summary": (("reasoning",), "a thought is sent as it is written"),
    "thinking_blocks": (("message",), _EARLIER_THOUGHT),
    "thought_signature": (("message", "part", "call"), _EARLIER_THOUGHT),
    "timestamp": (("message",), _NOT_KEPT),
    "title": (("tool",), "models are given the name"),
    "usage_metadata": (("message",), _NOT_KEPT),
    "user": (("request",), _NOT_KEPT),
    "verbosity": (("request", "text"), "models are not given it: ask for a short or a long answer in the prompt"),
}
"""Fields that cannot change the text: where they may be, and why they change nothing."""

_SAMPLING = "tokens are not sampled in this way here"
_NOT_STORED = "no conversation is stored: send all of it"

REFUSED: Mapping[str, tuple[str, tuple[Any, ...]]] = {
    "access_programs": ("there are no such programs", ()),
    "allowed_token_ids": ("say by a form what may be written", ()),
    "audio": ("answers are text", ()),
    "background": ("answers are given at once: ask without it", (False,)),
    "background_options": ("answers are given at once", ()),
    "bad_words": ("say by a form what may be written", ([],)),
    "best_of": ("texts are not ranked: ask for n of them, with logprobs", (1,)),
    "chat_template": ("the template of the model is used", ("",)),
    "chat_template_kwargs": ("variables of a chat template are for chat completions", ({},)),
    "context_management": ("a conversation is read as it is sent", ()),
    "conversation": (_NOT_STORED, ()),
    "documents": ("send documents in messages", ([],)),
    "dry_multiplier": (_SAMPLING, (0,)),
    "dynatemp_range": (_SAMPLING, (0,)),
    "early_stopping": (_SAMPLING, (False,)),
    "echo": ("only completions repeat the prompt", (False,)),
    "function_call": ("an older name: use tool_choice", ()),
    "functions": ("an older name: use tools", ()),
    "ignore_eos": ("a text ends where the model ends it", (False,)),
    "image": ("answers are text", ()),
    "include_reasoning": ("a requested thought is sent", (True,)),
    "include_stop_str_in_output": ("a text ends before the stop text", (False,)),
    "length_penalty": (_SAMPLING, (1, 0)),
    "logits_processors": ("say by a form what may be written", ([],)),
    "mirostat": (_SAMPLING, (0,)),
    "mm_processor_kwargs": ("prompts are text", ({},)),
    "moderation": ("nothing is moderated here", ()),
    "n_predict": ("another name: use max_tokens", (-1,)),
    "plugins": ("there are no plugins", ([],)),
    "previous_response_id": (_NOT_STORED, ()),
    "prompt": ("no template of prompts is stored: send messages, or input and instructions", ()),
    "repeat_penalty": ("another name: use repetition_penalty", (1,)),
    "return_token_ids": ("the ids of tokens are only in the trace", (False,)),
    "return_tokens_as_token_ids": ("tokens are sent as text", (False,)),
    "separate_reasoning": ("a thought is separate from the answer", (True,)),
    "skip_special_tokens": ("special tokens are not part of a text", (True,)),
    "spaces_between_special_tokens": ("special tokens are not part of a text", (True, False)),
    "stop_token_ids": ("name texts by stop", ([],)),
    "stream_reasoning": ("a thought is streamed as the answer is", (True,)),
    "suffix": ("text is written after a prompt, not into one", ("",)),
    "tfs_z": (_SAMPLING, (1,)),
    "top_a": (_SAMPLING, (0,)),
    "transforms": ("a conversation is read as it is sent", ([],)),
    "truncate_prompt_tokens": ("a conversation that is too long is an error", (-1,)),
    "truncation": ("a conversation that is too long is an error", ("disabled", "auto")),
    "typical_p": (_SAMPLING, (1,)),
    "use_beam_search": (_SAMPLING, (False,)),
    "web_search_options": ("there is no search", ()),
    "xtc_probability": (_SAMPLING, (0,)),
}
"""Fields that could change the text and are not served: why, and the neutral values, which change nothing."""

IGNORED_AT: Mapping[str, frozenset[str]] = {
    place: frozenset(name for name, (where, _) in IGNORED.items() if any(place in PLACES[each] for each in where))
    for places in PLACES.values()
    for place in places
}
"""The names of the fields that are ignored, by place."""

_EMPTY: tuple[Any, ...] = (None, "", [], {})


def is_neutral(name: str, value: Any) -> bool:
    """Whether a refused field has a value that changes nothing."""
    _, neutral = REFUSED[name]
    return any(isinstance(value, bool) == isinstance(good, bool) and value == good for good in neutral)


def drop_ignored_fields(
    sent: Mapping[str, Any], served: Collection[str] = frozenset()
) -> tuple[dict[str, Any], list[str]]:
    """Drop the ignored fields of a request. Returns the rest, and the places of those that were not empty.

    Args:
        sent: The request.
        served: The fields that its endpoint reads.
    """
    found: dict[str, None] = {}
    kept = {name: sent[name] for name in sent if name in served}
    rest = {name: sent[name] for name in sent if name not in served}
    nested = {name: _drop_nested(value, name, found) for name, value in kept.items()}
    return nested | _drop_nested(rest, "", found), list(found)


def _drop_nested(value: Any, place: str, found: dict[str, None]) -> Any:
    if isinstance(value, list) and f"{place}[]" in IGNORED_AT:
        return [_drop_nested(item, f"{place}[]", found) for item in value]
    if not isinstance(value, dict) or place not in IGNORED_AT:
        return value
    kept = {}
    for name, inner in value.items():
        where = f"{place}.{name}" if place else name
        if name not in IGNORED_AT[place]:
            kept[name] = _drop_nested(inner, where, found)
        elif inner not in _EMPTY:
            found[where] = None
    return kept
