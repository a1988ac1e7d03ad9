"""The form that a request of an engine's API has, and whether a whole reply conforms to it.

::

    request = {"structured_outputs": {"choice": ["yes", "no"]}}
    find_check(request)({"choices": [{"text": "yes", "finish_reason": "stop"}]})      # True

Forms of texts are read from ``structured_outputs``, ``response_format`` and what `formwright.engines.vllm.processor` is
given, and from SGLang's own fields; calls of tools have the schemas of their tools. What cannot be read again is not
said to conform.

Cost: reading the form, once for each of the last `_KEPT`, and the text.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from formwright._lru import Lru
from formwright.engines.grammar_backend import form_from_request
from formwright.forms.form import Form

__all__ = ["ReplyCheck", "find_check"]

_KEPT = 32
_KINDS = ("json", "json_object", "regex", "choice", "grammar", "ebnf", "structural_tag")

Asked = tuple[str, str]
"""The form of a request: its kind and its text."""


@dataclass(frozen=True, slots=True)
class ReplyCheck:
    """What decides whether a reply conforms to what a request asks for.

    Attributes:
        asked: The form of the texts, if there is one.
        schemas: The schemas of the arguments of tools, by their names.
    """

    asked: Asked | None
    schemas: Mapping[str, str]

    def __call__(self, reply: Any) -> bool:
        """Whether all choices of a reply are complete and conform; without a form, each has calls."""
        choices = reply.get("choices") if isinstance(reply, Mapping) else None
        if not isinstance(choices, list) or not choices:
            return False
        try:
            return all(_is_conforming(choice, self.asked, self.schemas) for choice in choices)
        except Exception:  # a form, or a reply, that cannot be read: whatever it is, nothing is said of it
            return False

    def find_form(self, reply: Mapping[str, Any]) -> Form[Any] | None:
        """The form of all texts of a reply that conforms; ``None`` if some choice has calls."""
        if self.asked is None or any(_list_calls(choice) for choice in reply["choices"]):
            return None
        return _read_form(self.asked)


def find_check(request: Any, plain: Mapping[str, str] = MappingProxyType({})) -> ReplyCheck | None:
    """What decides whether a reply conforms to what a request asks for; ``None`` if it asks for nothing that can be
    read again: there is no form, or the reply repeats the prompt.

    Args:
        request: The decoded body of a request for completions or chat completions.
        plain: Fields of requests whose value is the text of a form, each with the kind of it.
    """
    if not isinstance(request, Mapping) or request.get("echo"):
        return None
    asked, schemas = _find_asked(request, plain), _find_schemas(request)
    if len(asked) > 1 or not (asked or schemas):
        return None
    return ReplyCheck(asked[0] if asked else None, schemas)


def _find_asked(request: Mapping[str, Any], plain: Mapping[str, str]) -> list[Asked]:
    """The forms of the texts of a request: one at most, if the request can be served."""
    given = request.get("vllm_xargs")
    named = given.get("formwright") if isinstance(given, Mapping) else None
    fields = [request.get("structured_outputs"), _decode(named) if isinstance(named, str) else None]
    fields += [{kind: request.get(name)} for name, kind in plain.items()]
    found = [_spell(kind, what) for each in fields if isinstance(each, Mapping) for kind, what in each.items()]
    return [each for each in [*found, _read_format(request.get("response_format"))] if each is not None]


def _read_format(format_: Any) -> Asked | None:
    """The form of a ``response_format``."""
    kind = format_.get("type") if isinstance(format_, Mapping) else None
    if kind == "json_schema":
        described = format_.get("json_schema")
        return _spell("json", described.get("schema")) if isinstance(described, Mapping) else None
    if kind == "json_object":
        return _spell("json_object", True)
    return _spell("structural_tag", format_) if kind == "structural_tag" else None


def _spell(kind: str, what: Any) -> Asked | None:
    """A form as `form_from_request` reads it; ``None`` of what is an option, or not given."""
    if kind not in _KINDS or what in (None, False):
        return None
    return kind, what if isinstance(what, str) else json.dumps(what)


def _find_schemas(request: Mapping[str, Any]) -> dict[str, str]:
    """The schemas of the arguments of tools, by their names."""
    tools = request.get("tools")
    if not isinstance(tools, list) or request.get("tool_choice") == "none":
        return {}
    functions = [tool.get("function") for tool in tools if isinstance(tool, Mapping)]
    named = [each for each in functions if isinstance(each, Mapping) and isinstance(each.get("name"), str)]
    return {each["name"]: json.dumps(each.get("parameters") or {"type": "object"}) for each in named}


def _is_conforming(choice: Mapping[str, Any], asked: Asked | None, schemas: Mapping[str, str]) -> bool:
    message, calls = choice.get("message", choice), _list_calls(choice)
    if calls:
        functions = [call["function"] for call in calls]
        return all(_has_form(each["arguments"], ("json", schemas[each["name"]])) for each in functions)
    text = message.get("content", message.get("text"))
    return asked is not None and isinstance(text, str) and _has_form(text, asked)


def _list_calls(choice: Mapping[str, Any]) -> list[Any]:
    return choice.get("message", choice).get("tool_calls") or []


def _has_form(text: str, asked: Asked) -> bool:
    return _read_form(asked).check(text).is_complete


def _read_form(asked: Asked) -> Form[Any]:
    return _FORMS.find(asked, lambda: form_from_request(*asked))


def _decode(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


_FORMS = Lru[Asked, Form[Any]](_KEPT)
