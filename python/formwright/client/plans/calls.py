"""Offer tools to a service, and read the calls that it answers with.

::

    def get_weather(city: str, days: int = 1): ...

    plan = make_calls_plan(fw.tools([get_weather]), "tools", SERVICES["openai"])
    plan.extend_query(query).tools[0].schema["required"]     # ['city', 'days']: days as null, where it is left out
    reply = Reply("", (UncheckedCall("get_weather", '{"city": "Oslo", "days": null}', "call_7"),))
    (call,) = plan.read(reply).value
    call.arguments, call.id                                 # ({'city': 'Oslo'}, 'call_7')

Services have tools of their own, so a form of `formwright.tools` is not sent as text. Each tool is sent with the schema
of its arguments, as a `Plan` sends a schema. The value is that of a local model: calls, or the text in their place. The
names, the arguments and the number of calls are checked here.

Cost: a `Plan` for each tool. The ``style`` in which a local model writes calls does not matter here; the text of a
result spells them in the style ``json``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from formwright.client.flow.steps import Reply, TextQuery, UncheckedCall
from formwright.client.plans.complaints import Fault, find_faults, spell_faults, write_complaint
from formwright.client.plans.plan import CompleteAnswer, Plan, make_custom_plan, make_plan
from formwright.client.plans.services import Service
from formwright.errors import OptionUnsupported, OutputInvalid, UnsupportedKeyword
from formwright.forms.form import Form
from formwright.forms.free_text import text as free_text
from formwright.generation.result import Mode
from formwright.tools import Call, Offer, Tool, as_json, with_ids
from formwright.tools.custom import INPUT

__all__ = ["CallsPlan", "has_tools", "make_calls_plan"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CallsPlan:
    """How tools are offered to a service, and its calls read.

    Attributes:
        mode: The mode: with ``"strict"`` the service must enforce every schema.
        offer: The tools, and how often they may be called.
        plans: The arguments of each tool, by its name.
        wire_form: The form of text beside calls, or in their place.
        is_strict: Whether the service is required to enforce all of the schemas.
        notes: What the request cannot express.
    """

    mode: Mode
    offer: Offer
    plans: Mapping[str, Plan]
    wire_form: Form[Any]
    is_strict: bool
    notes: tuple[str, ...] = ()
    key = None
    is_string = False

    def extend_query(self, query: TextQuery) -> TextQuery:
        """Add the tools to a query."""
        tools = tuple(plan.tool for plan in self.plans.values())
        pieces: Any = "text" if self._allows_text else "nothing"
        return replace(query, mode="tools", tools=tools, calls=self.offer.calls, pieces=pieces)

    def read(self, reply: Reply, *, context: Any = None) -> CompleteAnswer:
        """Read the calls of an answer, or its text. Raises OutputInvalid."""
        beside, parts = (reply.text, self.wire_form.parts(reply.text)) if self._allows_text else ("", ())
        outside = "" if self._allows_text else reply.text
        if self._allows_text and not reply.calls:
            return CompleteAnswer(beside, self.wire_form.parse(beside), parts, outside)
        if not self._is_allowed_count(len(reply.calls)):
            raise OutputInvalid(self._complain_of_count(reply), text=self.spell_reply(reply))
        found = [self._read_call(call, context) for call in reply.calls]
        spelled = self._spell_calls((call.name, text) for call, text in found)
        return CompleteAnswer(beside + spelled, with_ids(call for call, _ in found), parts, outside)

    def is_complete_answer(self, reply: Reply, *, is_cut: bool) -> bool:
        """Whether an answer conforms and is complete; after its last call, another one may have been cut off."""
        if is_cut or (self._allows_text and not reply.calls):
            return not is_cut
        return self._is_allowed_count(len(reply.calls)) and all(map(self._is_conforming, reply.calls))

    def read_beginning(self, reply: Reply) -> str:
        """Read the calls of a truncated answer so far. Raises OutputInvalid if they do not begin a conforming text."""
        if len(reply.calls) > (self.offer.most or len(reply.calls)):
            raise OutputInvalid(self._complain_of_count(reply), text=self.spell_reply(reply))
        if not self._allows_text:
            reply = replace(reply, text="")
        if not reply.calls:
            return reply.text
        *before, last = reply.calls
        for call in before:
            self._read_call(call, None)
        if not self._is_conforming(last):
            self._find_plan(last).read_beginning(Reply(last.arguments))
        return self.spell_reply(reply).removesuffix("]").removesuffix("}")

    def spell_reply(self, reply: Reply) -> str:
        """Spell the text of an answer, and its calls."""
        spelled = (
            (call.name, as_json({INPUT: call.arguments}) if call.is_custom else call.arguments) for call in reply.calls
        )
        return reply.text + self._spell_calls(spelled)

    def write_complaint(self, error: Exception, reply: Reply) -> str:
        """Describe what is wrong with each call of an answer, or with all of the answer."""
        listed = [
            fault
            for number, call in enumerate(reply.calls, start=1)
            for fault in self._find_faults(call, f"call {number}")
        ]
        return spell_faults(listed) if isinstance(error, OutputInvalid) and listed else write_complaint(error)

    def _find_faults(self, call: UncheckedCall, which: str) -> list[Fault]:
        try:
            self._read_arguments(call, None)
        except OutputInvalid as error:
            known = call.name in self.plans
            listed = find_faults(error, self.plans[call.name].form) if known else [Fault("", "", str(error))]
            return [fault._replace(call=f"{which} ({call.name})") for fault in listed]
        return []

    def _spell_calls(self, calls: Iterable[tuple[str, str]]) -> str:
        """Spell calls in the style ``json``."""
        text = ", ".join(f'{{"name": {json.dumps(name)}, "arguments": {arguments}}}' for name, arguments in calls)
        return text if self.offer.calls == "one" or not text else f"[{text}]"

    @property
    def _allows_text(self) -> bool:
        return self.offer.calls == "auto"

    def _is_allowed_count(self, count: int) -> bool:
        return bool(count) and (self.offer.most is None or count <= self.offer.most)

    def _complain_of_count(self, reply: Reply) -> str:
        """Complain that there are too few calls, or too many."""
        expected = "exactly one call of a tool" if self.offer.calls == "one" else "a call of a tool"
        if reply.calls and self.offer.calls != "one":
            expected = f"at most {self.offer.most} calls of tools"
        return f"expected {expected}, got {len(reply.calls) or 'no'} calls"

    def _read_call(self, call: UncheckedCall, context: Any) -> tuple[Call, str]:
        """Read a call with typed arguments, and their text. Raises OutputInvalid."""
        try:
            value, text = self._read_arguments(call, context)
        except OutputInvalid as error:
            message = f"call of {call.name}: {error}"
            raise OutputInvalid(message, text=error.text, position=error.position) from error.__cause__ or error
        tool = next(tool for tool in self.offer.tools if tool.name == call.name)
        return Call(call.name, value, call.id, tool), text if tool.custom is None else as_json(value)

    def _read_arguments(self, call: UncheckedCall, context: Any) -> tuple[Any, str]:
        """Read the arguments of a call, and their text. Raises OutputInvalid."""
        plan = self._find_plan(call)
        text = plan.unwrap(_spell_arguments(call))
        return plan.form.parse(text, context=context), text

    def _is_conforming(self, call: UncheckedCall) -> bool:
        try:
            plan = self._find_plan(call)
            return plan.form.matches(plan.unwrap(_spell_arguments(call)))
        except OutputInvalid:
            return False

    def _find_plan(self, call: UncheckedCall) -> Plan:
        if call.name not in self.plans:
            known = ", ".join(self.plans)
            raise OutputInvalid(f"there is no tool {call.name!r}: there are {known}", text=call.name)
        return self.plans[call.name]


def has_tools(form: Form[Any]) -> bool:
    """Whether a form is one of tools, which a request can offer to a service."""
    return form.origin is not None and form.origin.kind == "tools"


def make_calls_plan(form: Form[Any], mode: Mode, service: Service, style: str | None = None) -> CallsPlan:
    """Plan how to offer the tools of a form, in the modes ``strict`` and ``tools``; arguments as those of `make_plan`.

    Raises:
        OptionUnsupported: The service enforces no schemas of tools, or ``style`` is given: the prompt describes tools
            only in mode ``instructions``.
        UnsupportedKeyword, UnsupportedConstruct, LimitExceeded, SchemaError: The request cannot express a tool.
    """
    if style is not None:
        raise OptionUnsupported(
            "instruct= cannot be combined with tools that are sent to the service as tools",
            hint='their descriptions are sent; mode="instructions" describes them in the prompt instead',
            argument="instruct",
        )
    if mode == "strict" and "strict" not in service.modes:
        hint = 'mode="tools" asks for the same calls, which are checked here'
        raise OptionUnsupported(f"{service.name} enforces no schemas of tools", hint=hint, argument="mode")
    assert form.origin is not None
    offer: Offer = form.origin.what
    plans = {tool.name: _make_tool_plan(tool, form.origin.options or {}, mode, service) for tool in offer.tools}
    if mode == "tools" and offer.calls == "auto" and service.is_loose_in_auto:
        plans = {name: replace(plan, is_strict=False) for name, plan in plans.items()}
    notes = [f"tool {name}: {note}" for name, plan in plans.items() for note in plan.notes]
    if offer.calls != "one" and offer.most is not None:
        notes.append(f"max_calls={offer.most} cannot be sent to any service: it is checked")
    is_strict = all(plan.is_strict for plan in plans.values())
    text = free_text().named("text")
    return CallsPlan(mode=mode, offer=offer, plans=plans, wire_form=text, is_strict=is_strict, notes=tuple(notes))


def _make_tool_plan(tool: Tool, options: Mapping[str, Any], mode: Mode, service: Service) -> Plan:
    """Plan the arguments of a tool, as the schema of an object, or the input of a custom tool."""
    if tool.custom is not None:
        return make_custom_plan(tool, mode, service)
    schema = tool.schema if {"type", "$ref"} & tool.schema.keys() else {"type": "object", **tool.schema}
    plan = make_plan(replace(tool, schema=schema).arguments(options), mode, service)
    if plan.key is not None:
        raise UnsupportedKeyword(
            f"the arguments of {tool.name} are not an object, and services accept only objects",
            hint='say "type": "object" at the root of its schema',
            pointer="/type",
        )
    return replace(plan, name=tool.name, description=tool.description or plan.description)


def _spell_object(call: UncheckedCall) -> str:
    """Return the arguments as the text of an object, of which the input of a custom tool is the only member."""
    return as_json({INPUT: call.arguments}) if call.is_custom else call.arguments


def _spell_arguments(call: UncheckedCall) -> str:
    """Return the arguments as text; some services write none for an empty object."""
    return call.arguments if call.is_custom else call.arguments.strip() or "{}"
