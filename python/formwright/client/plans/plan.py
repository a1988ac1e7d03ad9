"""Request a form from a service in one mode, and read its answer.

::

    plan = make_plan(fw.form(list[int]), "strict", SERVICES["openai"])
    list(plan.schema["properties"])               # ['value']: its root must be an object
    text, outside = plan.find_text(Reply('{"value": [1, 2]}'))
    plan.form.parse(text)                         # [1, 2]

A JSON form is sent as its schema: in the subset of the service, and as the member ``value`` of an object if the root
has to be one. A pattern or a choice is sent as the schema of a string, a grammar as it is: in a field of the request,
or as the format of a custom tool (`formwright.client.plans.grammar_fields`). Compositions have no schema, so the prompt
describes them; tools are offered as tools (`formwright.client.plans.calls`).

Cost: compiling the form, and converting its schema; a model keeps its most recent plans.

The whitespace, key order and escapes of a service's JSON differ from those of a form, and do not belong to the value:
`loosen` allows any. ``result.text`` conforms to the given form up to these.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Protocol

from formwright._kernel import Language
from formwright.client.flow.steps import OfferedTool, Reply, TextQuery
from formwright.client.plans.complaints import write_complaint
from formwright.client.plans.extraction import Found, extract
from formwright.client.plans.grammar_fields import find_unread, find_unsendable, is_grammar, list_fields
from formwright.client.plans.services import Service
from formwright.client.plans.wire_form import make_wire_form
from formwright.errors import (
    FormwrightError,
    LanguageError,
    OutputInvalid,
    UnsupportedConstruct,
    UnsupportedKeyword,
)
from formwright.forms.form import Form
from formwright.forms.readers import Part, python_type_of
from formwright.forms.text_checks import read_json
from formwright.generation.result import Mode
from formwright.schemas.instructions import instruction_of, with_docstrings
from formwright.schemas.providers import Converted, convert
from formwright.tools import Tool
from formwright.tools.custom import INPUT, CustomInput

__all__ = ["AnyPlan", "CompleteAnswer", "Plan", "loosen", "make_custom_plan", "make_plan", "move_references"]

_SPACES = 1000
"""Whitespace characters in a row that a service may write."""

_LOOSE = {
    "order": "model",
    "whitespace": "free",
    "max_whitespace": _SPACES,
    "escapes": "any",
    "integers": "decimal",
    "max_digits": 400,
}

_NAME = re.compile(r"[^A-Za-z0-9_-]+")
_MODULE = re.compile(r"[\w<>.]+\.(?=\w)")

_BEGINNING = re.compile(r"^[ \t]*+(?P<text>[{\[])", re.MULTILINE)
"""Where JSON begins in an answer that was cut."""


class CompleteAnswer(NamedTuple):
    """An answer that conforms.

    Attributes:
        text: The conforming text.
        value: What it is read as.
        parts: Its named parts.
        outside: The text around it.
    """

    text: str
    value: Any
    parts: tuple[Part, ...]
    outside: str


class AnyPlan(Protocol):
    """How a form is requested in one mode, and read: by a schema (`Plan`) or by tools (`CallsPlan`)."""

    @property
    def mode(self) -> Mode:
        """The mode."""
        ...

    @property
    def is_strict(self) -> bool:
        """Whether the service is required to enforce the form."""
        ...

    @property
    def notes(self) -> tuple[str, ...]:
        """What the request cannot express."""
        ...

    @property
    def wire_form(self) -> Form[Any]:
        """The form of what a stream yields."""
        ...

    @property
    def key(self) -> str | None:
        """The member of an object under which the value is, if it is not the root."""
        ...

    @property
    def is_string(self) -> bool:
        """Whether the text is sent as a JSON string."""
        ...

    def extend_query(self, query: TextQuery, /) -> TextQuery:
        """Add the form to a query."""
        ...

    def read(self, reply: Reply, /, *, context: Any = None) -> CompleteAnswer:
        """Read an answer with its value. Raises OutputInvalid."""
        ...

    def is_complete_answer(self, reply: Reply, /, *, is_cut: bool) -> bool:
        """Whether an answer that may be truncated conforms and is complete."""
        ...

    def read_beginning(self, reply: Reply, /) -> str:
        """Read the text of a truncated answer, if it begins a conforming text. Raises OutputInvalid."""
        ...

    def spell_reply(self, reply: Reply, /) -> str:
        """Spell the model's output for people."""
        ...

    def write_complaint(self, error: Exception, reply: Reply, /) -> str:
        """Write to the model what was wrong with its answer."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How a form is requested in one mode, and read.

    Attributes:
        mode: The mode.
        form: Checks and reads every text.
        schema: The schema that is sent, if one is.
        name: Its name in the request.
        description: What it is for.
        is_strict: Whether the service is required to enforce the schema.
        instruction: Format instructions for the prompt.
        notes: What the request cannot express.
        key: The member of the object under which the value is, if it is not the root.
        grammar: The fields that hold the grammar that is sent, if one is.
        custom: The format of the custom tool whose input is the text, if it is requested by one.
    """

    mode: Mode
    form: Form[Any]
    schema: Mapping[str, Any] | None = None
    name: str = "answer"
    description: str | None = None
    is_strict: bool = False
    instruction: str = ""
    notes: tuple[str, ...] = ()
    key: str | None = None
    grammar: Mapping[str, Any] | None = None
    custom: CustomInput | None = None
    _converted: Converted | None = field(default=None, repr=False)
    _wire_form: Form[Any] | None = field(default=None, repr=False)

    def extend_query(self, query: TextQuery) -> TextQuery:
        """Add the form to a query."""
        query = replace(query, mode=self.mode, instruction=self.instruction)
        if self.grammar is not None:
            return replace(query, extra={**self.grammar, **query.extra})
        if self._is_call:
            return replace(query, tools=(self.tool,), calls="one", pieces="arguments")
        return replace(query, schema=self.schema, name=self.name, description=self.description)

    @property
    def tool(self) -> OfferedTool:
        """The form as the arguments of a tool."""
        return OfferedTool(self.name, self.schema or {}, self.description, self.is_strict, self.custom)

    @property
    def _is_call(self) -> bool:
        """Whether the text is requested as the arguments or the input of a tool."""
        return self.mode == "tools" or self.custom is not None

    def read(self, reply: Reply, *, context: Any = None) -> CompleteAnswer:
        """Read an answer with its value. Raises OutputInvalid."""
        text, outside = self.find_text(reply)
        return CompleteAnswer(text, self.form.parse(text, context=context), self.form.parts(text), outside)

    def is_complete_answer(self, reply: Reply, *, is_cut: bool) -> bool:
        """Whether an answer that may be truncated conforms and is complete."""
        try:
            text, _ = self.find_text(reply)
        except OutputInvalid:
            return False
        return self.form.matches(text) and (not is_cut or self._is_closed(text, reply.text))

    def spell_reply(self, reply: Reply) -> str:
        """Spell the model's output for people."""
        return reply.output

    def write_complaint(self, error: Exception, reply: Reply) -> str:
        """Write to the model what was wrong with its answer."""
        return write_complaint(error, self.form)

    def find_text(self, reply: Reply) -> Found:
        """Find the part of an answer that should conform, unchecked, and the text around it.

        Raises:
            OutputInvalid: There is none.
        """
        if self.mode == "instructions":
            return extract(self.form, reply.text) if self.instruction else Found(reply.text, "")
        written, outside = self._find_call_arguments(reply) if self._is_call else (reply.text, "")
        return Found(self.unwrap(written), outside)

    def unwrap(self, written: str) -> str:
        """Unwrap the conforming text from what the service wrote around it. Raises OutputInvalid."""
        if self._converted is not None and self._converted.optional:
            written = _restore_text(self._converted, written)
        if self.key is not None:
            return self._unwrap_member(written)
        return written if self._is_exact and self.form.matches(written) else written.strip()

    @property
    def _is_exact(self) -> bool:
        """Whether the whitespace around a text may belong to it."""
        return self.grammar is not None or self.custom is not None

    def _find_call_arguments(self, reply: Reply) -> tuple[str, str]:
        """The arguments of the one call, and the text beside it."""
        names = [call.name for call in reply.calls]
        if names != [self.name]:
            called = f"calls of {', '.join(names)}" if names else "no call"
            raise OutputInvalid(f"expected one call of {self.name}, got {called}", text=reply.text, position=0)
        return reply.calls[0].arguments, reply.text

    def _unwrap_member(self, written: str) -> str:
        """Return the text of the value inside the object that a service requires as the root."""
        value = _cut_member(written, self.key)
        if not self.is_string:
            return value
        try:
            text = json.loads(value)
        except ValueError:
            text = None
        if not isinstance(text, str):
            raise OutputInvalid(f"the member {self.key!r} of the answer is not a string", text=written)
        return text

    @property
    def is_string(self) -> bool:
        """Whether the text is sent as a JSON string."""
        return not self.form.language.is_json

    def _is_closed(self, text: str, written: str) -> bool:
        """Whether nothing more was to come after a conforming text when the answer, ``written``, was cut.

        It is a member of an object, or is JSON that marks its own end; and no other text had begun after it.
        """
        if self.mode == "instructions" and not written.rstrip(" \t\r\n`~").endswith(text):
            return False
        return self.key is not None or (self.form.language.is_json and text.endswith(("}", "]", '"')))

    def read_beginning(self, reply: Reply) -> str:
        """Read the text of a truncated answer, if it begins a conforming text.

        Raises:
            OutputInvalid: It is not.
        """
        form, written = self.wire_form, reply.output
        if self.mode == "instructions" and not self.instruction:
            return written
        text = written if self._is_exact else written.lstrip()
        if self.mode == "instructions" and (start := _BEGINNING.search(written)):
            text = written[start.start("text") :]
        if form.check(text).position < len(text):
            form.parse(text)
        return text

    @property
    def wire_form(self) -> Form[Any]:
        """The form of what the service writes: ``form`` itself, or that of its schema where the two differ."""
        return self._wire_form or self.form


def make_plan(form: Form[Any], mode: Mode, service: Service, style: str | None = None) -> Plan:
    """Plan how to request ``form``.

    Args:
        form: The form.
        mode: The mode.
        service: Whose subset of JSON Schema a strict schema keeps to.
        style: That of instructions, which are then given in every mode; ``None`` gives them where they are needed.

    Raises:
        UnsupportedKeyword, UnsupportedConstruct, LimitExceeded, SchemaError: This mode cannot express it.
    """
    plain, name = loosen(form), _make_name(form)
    if mode == "instructions" and style is None and _is_any_text(form):
        return Plan(mode=mode, form=form, name=name)  # no instruction is needed, and the complete answer is the text
    if mode == "instructions":
        return Plan(mode=mode, form=plain, name=name, instruction=instruction_of(form, style or "schema"))
    if is_grammar(form):
        return _make_grammar_plan(form, mode, service, style)
    schema, key = _write_schema(form), None
    description = schema.get("description") if isinstance(schema, Mapping) else None
    if not _is_object(schema):
        key, schema = ("value" if form.language.is_json else "text"), _wrap_schema(schema, form)
    needs_words = mode == "json_object" or style is not None
    instruction = (
        instruction_of(form if key is None else _make_json_form(schema), style or "schema") if needs_words else ""
    )
    plan = Plan(mode=mode, form=plain, name=name, description=description, instruction=instruction, key=key)
    if mode == "json_object":
        return _add_wire_form(plan, schema)
    return _add_schema(plan, schema, service)


def _make_grammar_plan(form: Form[Any], mode: Mode, service: Service, style: str | None) -> Plan:
    """Plan how to send a grammar. Raises UnsupportedConstruct if the service does not read it."""
    field, hint = service.grammars, 'mode="instructions" describes it in the prompt, and the text is checked here'
    if field is None:
        raise UnsupportedConstruct(f"{service.name} reads no grammars", hint=hint)
    if mode != "strict" and (mode, field) != ("tools", "custom tool"):
        raise UnsupportedConstruct(f"the mode {mode} sends no grammar to {service.name}", hint=hint)
    if (why := find_unsendable(form, field)) is not None:
        raise UnsupportedConstruct(f"the grammar is not sent: {why}", hint=hint)
    text = form.origin.what if form.origin is not None else ""
    plan = Plan(mode=mode, form=form, is_strict=True, instruction="" if style is None else instruction_of(form, style))
    if field == "custom tool":
        return replace(plan, custom=CustomInput("lark", text), description="Answer the user with this tool.")
    return replace(plan, grammar=list_fields(text, field))


def make_custom_plan(tool: Tool, mode: Mode, service: Service) -> Plan:
    """Plan a custom tool: as one where the service has them, else as a function with the one argument ``input``.

    Raises:
        UnsupportedConstruct: The mode is ``strict``, and the service cannot enforce the grammar.
    """
    assert tool.custom is not None
    form = tool.custom.make_arguments("", "")
    plan = Plan(mode=mode, form=form, name=tool.name, description=tool.description)
    why = None
    if tool.custom.has_grammar and not service.has_custom_tools:
        why = f"{service.name} has no custom tools"
    elif tool.custom.has_grammar and service.grammars == "custom tool":
        why = find_unread(tool.custom.definition)
    if why is not None and mode == "strict":
        hint = 'mode="tools" asks for the same calls, which are checked here'
        raise UnsupportedConstruct(f"tool {tool.name}: the grammar is not sent: {why}", hint=hint)
    notes = () if why is None else (f"the grammar is not enforced: {why}",)
    if service.has_custom_tools:
        return replace(plan, custom=tool.custom if why is None else CustomInput(), is_strict=why is None, notes=notes)
    plan = _add_schema(replace(plan, key=INPUT), tool.custom.make_schema(is_escaped=True), service)
    return replace(plan, is_strict=plan.is_strict and why is None, notes=(*plan.notes, *notes))


def _add_schema(plan: Plan, schema: Mapping[str, Any], service: Service) -> Plan:
    """Add the schema that is sent to the service: in its subset, if it enforces one that can express it."""
    if service.subset is None:
        return _add_wire_form(replace(plan, schema=schema, is_strict=plan.mode == "strict"), schema)
    try:
        converted = convert(schema, to=service.subset)
    except FormwrightError:
        if plan.mode == "strict":
            raise
        return _add_wire_form(replace(plan, schema=schema), schema)
    plan = replace(plan, schema=converted.schema, is_strict=True, notes=tuple(map(str, converted.notes)))
    return _add_wire_form(replace(plan, _converted=converted), converted.schema)


def _add_wire_form(plan: Plan, sent: Mapping[str, Any]) -> Plan:
    """Add the form of what the service writes, if it differs from the form itself."""
    converted = plan._converted
    if plan.key is None and (converted is None or not converted.optional):
        return plan
    form = make_wire_form(
        _make_json_form(sent), plan.form, lambda text: plan.form.read(plan.unwrap(text)), plan.key, converted
    )
    return replace(plan, _wire_form=form)


def _is_any_text(form: Form[Any]) -> bool:
    """Whether every text conforms, as for `formwright.text` without an end."""
    if form.title != "text" or form.origin is not None:
        return False
    try:
        return form.language.to_bytes() == Language.text([]).to_bytes()
    except LanguageError:  # there is code in it
        return False


def _make_name(form: Form[Any]) -> str:
    """Name the form for a service, after its type or schema."""
    title = _MODULE.sub("", form.title)  # list[shop.Order] is list_Order
    if form.origin is not None and form.origin.kind == "schema" and python_type_of(form) is None:
        schema = json.loads(form.origin.what)
        title = str(schema.get("title", "")) if isinstance(schema, dict) else ""
    return _NAME.sub("_", title).strip("_")[:64] or "answer"


def loosen(form: Form[Any]) -> Form[Any]:
    """Allow all spellings of a form's JSON: a service's text is checked by its value."""
    if form.origin is None or form.origin.kind != "schema":
        return form
    options = {**(form.origin.options or {}), **_LOOSE}
    language = Language.json_schema(form.origin.what, **options)
    return replace(form, language=language)


def _write_schema(form: Form[Any]) -> Any:
    """The JSON Schema of a form; a pattern or a choice as that of a string. Raises UnsupportedKeyword."""
    origin = form.origin
    if origin is None or origin.kind == "tools":
        raise UnsupportedKeyword(
            f"{form.title} has no schema, so it cannot be sent to a service",
            hint='use mode="instructions", and describe the value in the prompt',
        )
    if origin.kind == "schema":
        schema, type_ = json.loads(origin.what), python_type_of(form)
        return schema if type_ is None else with_docstrings(type_, schema)
    if origin.kind == "choice":
        return {"type": "string", "enum": list(origin.what)}
    return {"type": "string", "pattern": f"^(?:{origin.what})$"}


def _is_object(schema: Any) -> bool:
    """Whether the root is an object, and says so."""
    node, seen = schema, set[str]()
    while isinstance(node, Mapping) and isinstance(reference := node.get("$ref"), str) and reference not in seen:
        seen.add(reference)
        node = schema.get("$defs", {}).get(reference.removeprefix("#/$defs/"))
    return isinstance(node, Mapping) and node.get("type") == "object"


def _wrap_schema(schema: Any, form: Form[Any]) -> dict[str, Any]:
    """Wrap a schema in that of an object with the value as its only member; references keep their targets."""
    key = "value" if form.language.is_json else "text"
    inside = move_references(schema, f"#/properties/{key}")
    return {"type": "object", "properties": {key: inside}, "required": [key], "additionalProperties": False}


_DATA = ("enum", "const", "default", "examples", "example")
_MAPS = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")


def move_references(schema: Any, to: str) -> Any:
    """A schema whose local references begin at ``to``."""
    if isinstance(schema, list):
        return [move_references(part, to) for part in schema]
    if not isinstance(schema, dict):
        return schema
    found: dict[str, Any] = {}
    for keyword, value in schema.items():
        if keyword == "$ref" and isinstance(value, str) and value.startswith("#"):
            found[keyword] = to + value[1:]
        elif keyword in _MAPS and isinstance(value, dict):
            found[keyword] = {name: move_references(part, to) for name, part in value.items()}
        else:
            found[keyword] = value if keyword in _DATA else move_references(value, to)
    return found


def _make_json_form(schema: Mapping[str, Any]) -> Form[Any]:
    """The JSON texts of a schema, however they are spelled."""
    from formwright.forms.json_forms import json_schema

    return loosen(json_schema(dict(schema)))


def _restore_text(converted: Converted, written: str) -> str:
    """Remove the members that are null only because the service requires every member. Raises OutputInvalid."""
    try:
        value = read_json(written)
    except ValueError as error:
        raise OutputInvalid(f"the answer is not JSON: {error}", text=written) from error
    return json.dumps(converted.restore(value), ensure_ascii=False)


def _cut_member(written: str, key: str | None) -> str:
    """The text of the only member of an object."""
    match = re.fullmatch(rf'\{{\s*+"{key}"\s*+:\s*+(.*)\}}', written.strip(), re.DOTALL)
    if match is None:
        raise OutputInvalid(f"the answer is not an object with the one member {key!r}", text=written)
    return match[1].rstrip()
