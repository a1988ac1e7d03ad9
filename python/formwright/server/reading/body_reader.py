"""Read the body from the JSON of a request, or refuse it with the name of the wrong field.

::

    read_body(ChatBody, {"model": "formwright-tiny", "messages": [{"role": "user", "content": "Hi"}]}).n      # 1

Every field of the protocol is known: it is served (a field of a class in `requests`), or ignored because it cannot
change the text, or refused because it could (`fields`). Any other name is an error.

As in the protocol, a field that is ``null`` counts as missing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar, get_args

from pydantic import ValidationError

from formwright.server.errors import BadRequest, refuse_missing_field, refuse_unknown_field
from formwright.server.reading.body_parts import BodyPart
from formwright.server.reading.fields import IGNORED_AT, REFUSED, drop_ignored_fields, is_neutral
from formwright.server.reading.requests import Body, ChatBody, CompletionBody, ResponsesBody

__all__ = ["read_body"]

B = TypeVar("B", bound="Body")


_MEANT: Mapping[str, tuple[str, ...]] = {
    "choice": ("structured_outputs.choice",),
    "input": ("messages", "prompt"),
    "instructions": ("messages", "prompt"),
    "json": ("structured_outputs.json",),
    "json_schema": ("response_format", "text.format", "structured_outputs.json"),
    "logprobs": ("top_logprobs",),
    "max_completion_tokens": ("max_output_tokens", "max_tokens"),
    "max_output_tokens": ("max_completion_tokens", "max_tokens"),
    "max_tokens": ("max_output_tokens",),
    "messages": ("input", "prompt"),
    "reasoning": ("reasoning_effort",),
    "reasoning_effort": ("reasoning.effort",),
    "regex": ("structured_outputs.regex",),
    "response_format": ("text.format", "structured_outputs"),
    "structural_tag": ("structured_outputs.structural_tag",),
    "text": ("response_format", "structured_outputs"),
    "top_logprobs": ("logprobs",),
}
"""Names that other endpoints and servers have for a field, and what may be meant: the first that an endpoint has."""


def read_body(body: type[B], sent: object) -> B:
    """Read and check a body.

    Raises:
        BadRequest: A field is wrong; `BadRequest.param` names it.
    """
    if not isinstance(sent, Mapping):
        raise BadRequest("expected a JSON object with the fields of the request as the body")
    sent, ignored = drop_ignored_fields(sent, _list_fields(body))
    given = {name: value for name, value in sent.items() if value is not None}
    for name in [name for name in given if name not in _list_fields(body)]:
        _check_unserved(name, given.pop(name), body)
    if "stream_options" in given and not given.get("stream"):
        raise BadRequest("stream_options: expected stream to be true as well", param="stream_options")
    try:
        found = body.model_validate(given)
    except ValidationError as error:
        most_telling = min(
            error.errors(), key=lambda each: _LEAST_TELLING.get(each["type"], each["type"].endswith("_type"))
        )
        raise _refuse_invalid(most_telling, given, body) from None
    found._ignored = [*ignored, *_find_thoughts(found)]
    return found


def _find_thoughts(body: Body) -> Iterator[str]:
    """Find the items with thoughts of earlier answers, which are not read again."""
    if any(item.get("type") == "reasoning" for item in body.items):
        yield "input[] of the type 'reasoning'"


def _list_fields(part: type[BodyPart]) -> set[str]:
    return {field.alias or name for name, field in part.model_fields.items()}


def _check_unserved(name: str, value: Any, body: type[Body]) -> None:
    """Refuse a field that is not served, unless its value changes nothing. Raises BadRequest."""
    if name in REFUSED:
        if not is_neutral(name, value):
            raise _refuse_field(name, REFUSED[name][0])
        return
    if name == "extra_body":
        said = "extra_body is an argument of the SDK: send its fields as fields of the body"
        raise BadRequest(said, param=name, code="unknown_parameter")
    meant = next((other for other in _MEANT.get(name, ()) if other.partition(".")[0] in _list_fields(body)), None)
    if meant or any(name in _list_fields(other) for other in (ChatBody, ResponsesBody, CompletionBody)):
        hint = f"; did you mean {meant!r}?" if meant else ""
        raise BadRequest(f"there is no field {name!r} in {body.ENDPOINT}{hint}", param=name, code="unknown_parameter")
    raise refuse_unknown_field(name, {*_list_fields(body), *IGNORED_AT[""], *REFUSED})


def _refuse_field(param: str, why: str) -> BadRequest:
    return BadRequest(f"{param} is not served: {why}", param=param, code="unsupported_parameter")


def _refuse_invalid(error: Any, given: Mapping[str, Any], body: type[Body]) -> BadRequest:
    """Turn an error of pydantic into one of the protocol."""
    *_, name = error["loc"]
    parts, keys = _find_body_parts(body, error["loc"][:-1])
    param = _find_place([*keys, name], given, error["type"] == "missing")
    if error["type"] == "extra_forbidden":
        for part in parts:
            if (how := part.ELSEWHERE.get(name)) is not None:
                return BadRequest(f"there is no field {param!r}: {how}", param=param, code="unknown_parameter")
        return refuse_unknown_field(param, {name for part in parts for name in _list_fields(part)})
    if error["type"] == "missing":
        return refuse_missing_field(param)
    return BadRequest(f"{param}{_explain_error(param, error)}", param=param)


_LEAST_TELLING = {"extra_forbidden": -1}
"""The order in which errors help: a union has errors of all its branches, and that of the nearest branch says most. An
unknown field comes before a missing one, of which it may be a misspelling; wrong types come last."""


_EXPECTED = {
    "canonical": "true, false or 'forced'",
    "input": "a text or a list of items",
    "prompt": "a text, a list of texts, or token ids",
}


def _explain_error(param: str, error: Any) -> str:
    """Say what is wrong with a value."""
    kind, context = error["type"], error.get("ctx", {})
    if param in _EXPECTED and (kind.endswith("_type") or kind == "literal_error"):
        return f": expected {_EXPECTED[param]}"
    match kind:
        case "too_short":
            return " is empty"
        case "dict_type" | "model_type" | "model_attributes_type":
            return ": expected an object"
        case "union_tag_not_found":
            return ".type is missing"
        case "union_tag_invalid":
            return f": expected one of the types {context['expected_tags']}, got {context['tag']!r}"
        case "string_pattern_mismatch":
            return f": expected a match of {context['pattern']}, got {error['input']!r}"
        case _:
            return f": {error['msg'][:1].lower()}{error['msg'][1:]}"


def _find_body_parts(body: type[BodyPart], loc: Sequence[str | int]) -> tuple[list[type[BodyPart]], list[str | int]]:
    """Find the objects that a place may hold, and the place without pydantic's names for the branches of unions."""
    parts, keys = [body], list[str | int]()
    for key in loc:
        if isinstance(key, str) and len(parts) > 1:
            parts = [part for part in parts if key in get_args(part.model_fields["type"].annotation)]
            continue
        keys.append(key)
        if isinstance(key, str):
            fields = [
                field for part in parts for name, field in part.model_fields.items() if key in (name, field.alias)
            ]
            parts = [part for field in fields for part in _list_body_parts(field.annotation)]
    return parts, keys


def _list_body_parts(annotation: Any) -> Iterator[type[BodyPart]]:
    """List the objects that a field may hold."""
    if isinstance(annotation, type) and issubclass(annotation, BodyPart):
        yield annotation
    for inner in get_args(annotation):
        yield from _list_body_parts(inner)


def _find_place(loc: Sequence[str | int], given: Any, is_missing: bool) -> str:
    """Find where in the body an error is; a name that is not in the body is one of a union's branches."""
    place, at = "", given
    for number, key in enumerate(loc):
        if isinstance(at, Mapping) and isinstance(key, str) and key in at:
            place, at = f"{place}.{key}" if place else key, at[key]
        elif isinstance(at, list) and isinstance(key, int) and key < len(at):
            place, at = f"{place}[{key}]", at[key]
        elif is_missing and number == len(loc) - 1:
            place = f"{place}.{key}" if place else str(key)
    return place
