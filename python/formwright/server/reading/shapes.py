"""Read the form of an answer, in whichever way a request spells it.

::

    from formwright.server.reading.requests import ChatBody

    body = ChatBody(model="m", messages=[{"role": "user", "content": "Hi"}], guided_regex="[0-9]")
    key, make = plan_shape(body, "json_lines", Offered())
    make().form                      # what is enforced

A request has one form at most: ``response_format``, ``structured_outputs``, or one of the fields that engines have
(``guided_*``, ``grammar``, ``ebnf``).
Tools can be combined with a form: the answer is then calls, or a text that conforms to the form. `Shapes` caches the
compiled forms.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from formwright._kernel import Constraint, Vocabulary
from formwright._lru import Lru
from formwright.forms import free_text
from formwright.forms.coerce import compile
from formwright.forms.form import Form
from formwright.forms.grammars import grammar as grammar_of
from formwright.forms.json_forms import json_schema
from formwright.forms.texts import choice as choice_of
from formwright.forms.texts import regex as regex_of
from formwright.models import LocalModel
from formwright.schemas.providers.rules import FORMATS
from formwright.server.errors import BadRequest, make_refusal, refuse_missing_field
from formwright.server.reading.body_parts import (
    FlatSchemaFormat,
    GrammarFormat,
    ObjectFormat,
    SchemaFormat,
    StructuralTag,
    StructuredOutputs,
)
from formwright.server.reading.requests import Body
from formwright.tools import STYLES, tools
from formwright.tools.offered import Offered
from formwright.tools.structural import has_free_text, structural_form

__all__ = ["Shape", "Shapes", "plan_shape"]

THOUGHT_TOKENS = {"minimal": 64, "low": 128, "medium": 256, "high": 512, "xhigh": 1024}
"""Most tokens of a thought, by the requested effort."""


@dataclass(frozen=True, slots=True)
class Shape:
    """What an answer looks like.

    Attributes:
        form: What is enforced, the thought included.
        param: The field that requests it.
        offered: The tools, and what else the answer may be.
        style: How the model writes calls, a name, such as ``"hermes"``.
        is_json: Whether the answer is a value of a schema, which no stop text may cut.
        tagged: The form of a structural tag, in which free text and other parts take turns, without the thought.
        thought_tokens: Most tokens of the thought that comes first; 0 if there is none.
        notes: Keywords of a schema that have no effect.
    """

    form: Form[Any]
    param: str | None
    offered: Offered
    style: str
    is_json: bool = False
    tagged: Form[Any] | None = None
    thought_tokens: int = 0
    notes: tuple[str, ...] = ()

    @property
    def has_thought(self) -> bool:
        """Whether a thought comes first."""
        return self.thought_tokens > 0

    @property
    def has_free_text(self) -> bool:
        """Whether there is text that a stop text may cut: neither JSON nor calls nor tags."""
        if self.tagged is not None:
            return has_free_text(self.tagged)
        return self.offered.is_text if self.offered.tools else not self.is_json

    @property
    def custom_tools(self) -> frozenset[str]:
        """The names of the tools whose input is text."""
        return frozenset(tool.name for tool in self.offered.tools if tool.custom is not None)


@dataclass(frozen=True, slots=True)
class RequestedForm:
    """The form that a request names, not made yet.

    Attributes:
        param: The field that names it.
        make: Makes the form.
        key: Equal for equal forms of one field.
        schema: The schema, if there is one.
        is_tagged: Whether it is a structural tag.
    """

    param: str
    make: Callable[[], Form[Any]]
    key: Any
    schema: Any = None
    is_tagged: bool = False

    @property
    def is_json(self) -> bool:
        """Whether it has a schema, so that its text is JSON or another notation of values."""
        return self.schema is not None


def plan_shape(
    body: Body, style: str, offered: Offered, vocabulary: Vocabulary | None = None
) -> tuple[str, Callable[[], Shape]]:
    """Return a key, which is equal for equal shapes, and a function that makes the shape of an answer.

    Raises:
        BadRequest: There are two forms, or the form cannot be served.
    """
    requested = _find_requested_form(body, vocabulary)
    effort = body.effort
    offered = replace(offered, has_form=requested is not None)
    calls = [(tool.name, tool.schema, tool.custom is not None and tool.custom.format) for tool in offered.tools]
    key = json.dumps(
        [
            requested and requested.param,
            requested and requested.key,
            effort,
            calls,
            offered.mode,
            offered.several,
            offered.has_hidden_tools,
            style,
        ],
        separators=(",", ":"),
    )

    def make() -> Shape:
        shape = (
            _make_plain_shape(requested, style, offered)
            if offered.mode == "none"
            else _make_tool_shape(requested, style, offered)
        )
        schemas = [requested and requested.schema, *(tool.schema for tool in offered.tools)]
        shape = replace(shape, notes=tuple(_note_formats(schemas)))
        if effort is None:
            return shape
        most = THOUGHT_TOKENS[effort]
        return replace(shape, form=free_text.thinking(shape.form, max_tokens=most), thought_tokens=most)

    return key, make


def _make_plain_shape(requested: RequestedForm | None, style: str, offered: Offered) -> Shape:
    """Make the shape of a form or of free text; if no tool may be called, the text cannot begin a call."""
    if requested is None and offered.has_hidden_tools:
        row = STYLES[style]
        marker = row.trigger or row.begin + row.before
        return Shape(free_text.text(until=marker, include=False), None, offered, style)
    if requested is None:
        return Shape(free_text.text(), None, offered, style)
    form = _make_form(requested)
    return Shape(
        form, requested.param, offered, style, is_json=requested.is_json, tagged=form if requested.is_tagged else None
    )


def _make_tool_shape(requested: RequestedForm | None, style: str, offered: Offered) -> Shape:
    """Make the shape of calls, and of what may be written instead of them."""
    try:
        form = offered.make_form(style)
    except Exception as error:
        raise make_refusal(error, _find_refused_tool(offered, style)) from error
    if offered.is_either and requested is not None:
        form = form | _make_form(requested)
    return Shape(form, "tools", offered, style, is_json=True)


def _find_refused_tool(offered: Offered, style: str) -> str:
    """Find the field of the tool that cannot be enforced."""
    for tool in offered.tools:
        try:
            tools([tool.described()], calls="one", style=style)
        except Exception:
            return str(tool.param)
    return "tools"


def _make_form(requested: RequestedForm) -> Form[Any]:
    try:
        return requested.make()
    except Exception as error:
        raise make_refusal(error, requested.param) from error


def _note_formats(schemas: Sequence[Any]) -> list[str]:
    """Note the unknown formats in schemas, which change nothing."""
    found, left = dict[str, None](), list(schemas)
    while left:
        at = left.pop()
        if isinstance(at, dict):
            left += at.values()
            if isinstance(name := at.get("format"), str) and name not in FORMATS:
                found[name] = None
        elif isinstance(at, list):
            left += at
    return [f"format: {name!r} is not enforced" for name in found]


def _find_requested_form(body: Body, vocabulary: Vocabulary | None) -> RequestedForm | None:
    """Find the one form of a request. Raises BadRequest."""
    found = [
        *_read_format(*body.output_format, body, vocabulary),
        *_read_structured_outputs(body, vocabulary),
        *_read_guided_fields(body),
        *_read_grammar_fields(body),
        *_read_score(body),
    ]
    if len(found) > 1:
        raise BadRequest(
            f"{found[1].param}: the request has another form already: {found[0].param}",
            param=found[1].param,
        )
    where = _find_layout_field(body)
    if where and not (found and found[0].is_json):
        said = f"{where}: expected a form that is JSON as well, such as guided_json"
        raise BadRequest(said, param=where)
    return found[0] if found else None


def _find_layout_field(body: Body) -> str | None:
    """Find the field that says how values of a schema are written."""
    if body.formwright.notation != "json":
        return "formwright.notation"
    requested = body.structured_outputs
    if requested is not None and requested.disable_any_whitespace:
        return "structured_outputs.disable_any_whitespace"
    if requested is not None and requested.whitespace_pattern is not None:
        return "structured_outputs.whitespace_pattern"
    return None if body.guided_whitespace_pattern is None else "guided_whitespace_pattern"


def _read_format(param: str, format_: Any, body: Body, vocabulary: Vocabulary | None) -> list[RequestedForm]:
    """Read ``response_format`` of chat completions, or ``text.format`` of responses."""
    options = _make_json_options(body, body.guided_whitespace_pattern)
    if isinstance(format_, ObjectFormat):
        return [_make_json_form({"type": "object"}, param, options)]
    if isinstance(format_, FlatSchemaFormat):
        return [_make_json_form(_check_present(format_.schema_, f"{param}.schema"), f"{param}.schema", options)]
    if isinstance(format_, SchemaFormat):
        where = f"{param}.json_schema.schema"
        return [_make_json_form(_check_present(format_.json_schema.schema_, where), where, options)]
    if isinstance(format_, StructuralTag):
        return [_make_tagged_form(format_.model_dump(exclude_none=True), param, vocabulary)]
    if isinstance(format_, GrammarFormat):
        return [_make_grammar_form(format_.grammar, f"{param}.grammar")]
    return []


def _read_structured_outputs(body: Body, vocabulary: Vocabulary | None) -> list[RequestedForm]:
    """Read ``structured_outputs`` of vLLM."""
    requested = body.structured_outputs
    if requested is None:
        return []
    found = []
    options = _make_json_options(body, _read_whitespace(requested, body))
    if requested.json_ is not None:
        found.append(_make_json_form(requested.json_, "structured_outputs.json", options))
    if requested.json_object:
        found.append(_make_json_form({"type": "object"}, "structured_outputs.json_object", options))
    found += _read_plain_forms(requested.regex, requested.choice, "structured_outputs.")
    if requested.structural_tag is not None:
        where = "structured_outputs.structural_tag"
        found.append(_make_tagged_form(requested.structural_tag, where, vocabulary))
    if requested.grammar is not None:
        found.append(_make_grammar_form(requested.grammar, "structured_outputs.grammar"))
    if requested.disable_additional_properties:
        where = "structured_outputs.disable_additional_properties"
        said = f'{where} is not served: say "additionalProperties": false in the schema'
        raise BadRequest(said, param=where, code="unsupported_parameter")
    if len(found) != 1:
        raise BadRequest(
            "structured_outputs: expected one of json, regex, choice, grammar, json_object and structural_tag, "
            f"got {len(found)} of them",
            param="structured_outputs",
        )
    return found


def _read_whitespace(requested: StructuredOutputs, body: Body) -> str | None:
    return (
        "compact"
        if requested.disable_any_whitespace
        else requested.whitespace_pattern or body.guided_whitespace_pattern
    )


def _read_guided_fields(body: Body) -> list[RequestedForm]:
    """Read the older fields of vLLM."""
    found = _read_plain_forms(body.guided_regex, body.guided_choice, "guided_")
    if body.guided_grammar is not None:
        found.append(_make_grammar_form(body.guided_grammar, "guided_grammar"))
    if body.guided_json is not None:
        options = _make_json_options(body, body.guided_whitespace_pattern)
        found.append(_make_json_form(body.guided_json, "guided_json", options))
    return found


def _read_grammar_fields(body: Body) -> list[RequestedForm]:
    """Read ``grammar`` of llama.cpp and ``ebnf`` of SGLang, which read Lark, too, where llguidance reads for them."""
    given = {"grammar": body.grammar, "ebnf": body.ebnf}
    return [_make_grammar_form(text, param) for param, text in given.items() if text is not None]


def _read_score(body: Body) -> list[RequestedForm]:
    """Read the texts to score: the answer is the most likely of them."""
    texts = body.scored_texts
    return [] if texts is None else [RequestedForm("score", lambda: choice_of(texts), texts)]


def _read_plain_forms(regex: str | None, choice: list[str] | None, prefix: str) -> list[RequestedForm]:
    found = []
    if regex is not None:
        found.append(RequestedForm(f"{prefix}regex", lambda: regex_of(regex), regex))
    if choice is not None:
        found.append(RequestedForm(f"{prefix}choice", lambda: choice_of(choice), choice))
    return found


def _make_json_options(body: Body, whitespace: str | None) -> dict[str, str]:
    """Make the options of forms of JSON Schema."""
    options = {} if whitespace is None else {"whitespace": whitespace}
    notation = body.formwright.notation
    return options if notation == "json" else {**options, "notation": notation}


def _make_json_form(schema: Any, param: str, options: dict[str, str]) -> RequestedForm:
    if not isinstance(schema, dict | bool | str):
        raise BadRequest(f"{param}: expected a JSON Schema: an object, true or false", param=param)
    given: Any = options
    return RequestedForm(param, lambda: json_schema(schema, **given), [schema, options], schema)


def _make_tagged_form(tag: Any, param: str, vocabulary: Vocabulary | None) -> RequestedForm:
    return RequestedForm(param, lambda: structural_form(tag, param, vocabulary), tag, is_tagged=True)


def _make_grammar_form(text: Any, param: str) -> RequestedForm:
    if not isinstance(text, str):
        raise BadRequest(f"{param}: expected the text of a grammar", param=param)
    return RequestedForm(param, lambda: grammar_of(text), text)


def _check_present(schema: Any, where: str) -> Any:
    if schema is None:
        raise refuse_missing_field(where)
    return schema


@dataclass(frozen=True, slots=True)
class CompiledShape:
    """A shape whose form is compiled.

    Attributes:
        shape: The shape.
        constraint: Its form, compiled for the model.
        digest: Identifies the form in the stamp of an answer.
    """

    shape: Shape
    constraint: Constraint[Any]
    digest: str


class Shapes:
    """Shapes compiled for a model; the most recently used are kept.

    Args:
        model: The model whose vocabulary they are compiled for.
        size: How many are kept.
    """

    def __init__(self, model: LocalModel, size: int = 64) -> None:
        self._model = model
        self._kept = Lru[str, CompiledShape](size)

    def __len__(self) -> int:
        return len(self._kept)

    def has_shape(self, key: str, canonical: Any) -> bool:
        """Whether a shape is kept."""
        return _make_digest(key, canonical) in self._kept

    def compile_shape(self, key: str, make: Callable[[], Shape], canonical: Any) -> CompiledShape:
        """Return the shape of a key; make and compile it if it is not kept, and raise what that raises."""
        return self._kept.find(_make_digest(key, canonical), lambda: self._compile(make(), canonical))

    def _compile(self, shape: Shape, canonical: Any) -> CompiledShape:
        try:
            constraint = compile(shape.form, self._model.vocabulary, canonical=canonical or False)
        except Exception as error:
            raise make_refusal(error, shape.param) from error
        return CompiledShape(shape, constraint, shape.form.digest)


def _make_digest(key: str, canonical: Any) -> str:
    return hashlib.sha256(f"{canonical} {key}".encode("utf-8", "surrogatepass")).hexdigest()
