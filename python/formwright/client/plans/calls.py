"""Offer tools to a service, and read the calls that it answers with.

::

    def get_weather(city: str, days: int = 1): ...

    plan = calls_plan(fw.tools([get_weather]), "tools", SERVICES["openai"])
    plan.extend_query(query).tools[0].schema["required"]     # ['city', 'days']: days as null, where it is left out
    reply = Reply("", (ToolCall("get_weather", '{"city": "Oslo", "days": null}', "call_7"),))
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

from formwright.client.flow.exchange import Query, Reply, ToolCall
from formwright.client.plans.complaints import Fault, complaint, faults, write_complaint
from formwright.client.plans.plan import Plan, Whole, plan_of
from formwright.client.plans.services import Service
from formwright.errors import OptionUnsupported, OutputInvalid, UnsupportedKeyword
from formwright.forms.form import Form
from formwright.forms.free_text import text as free_text
from formwright.generation.result import Mode
from formwright.tools import Call, Offer, Tool, with_ids

__all__ = ["CallsPlan", "calls_plan", "is_offered"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CallsPlan:
    """How tools are offered to a service, and its calls read.

    Attributes:
        mode: The mode: ``"strict"`` wants the service to enforce every schema.
        offer: The tools, and how often they may be called.
        plans: The arguments of each tool, by its name.
        wire_form: The form of text beside calls, or in their place.
        is_strict: Whether the service is asked to enforce all of the schemas.
        notes: What the request does not tell the service.
    """

    mode: Mode
    offer: Offer
    plans: Mapping[str, Plan]
    wire_form: Form[Any]
    is_strict: bool
    notes: tuple[str, ...] = ()
    key = None
    is_string = False

    def extend_query(self, query: Query) -> Query:
        """The query with the tools."""
        tools = tuple(plan.tool for plan in self.plans.values())
        pieces: Any = "text" if self._takes_text else "nothing"
        return replace(query, mode="tools", tools=tools, calls=self.offer.calls, pieces=pieces)

    def read(self, reply: Reply, *, context: Any = None) -> Whole:
        """Read the calls of an answer, or its text. Raises OutputInvalid."""
        beside, parts = (reply.text, self.wire_form.parts(reply.text)) if self._takes_text else ("", ())
        outside = "" if self._takes_text else reply.text
        if self._takes_text and not reply.calls:
            return Whole(beside, self.wire_form.parse(beside), parts, outside)
        if not self._is_count(len(reply.calls)):
            raise OutputInvalid(self._complaint_of_count(reply), text=self.spell_reply(reply))
        found = [self._call(call, context) for call in reply.calls]
        spelled = self._spell_calls((call.name, text) for call, text in found)
        return Whole(beside + spelled, with_ids(call for call, _ in found), parts, outside)

    def is_whole(self, reply: Reply, *, is_cut: bool) -> bool:
        """Whether an answer conforms and is complete; after its last call, another one may have been cut off."""
        if is_cut or (self._takes_text and not reply.calls):
            return not is_cut
        return self._is_count(len(reply.calls)) and all(map(self._matches, reply.calls))

    def read_beginning(self, reply: Reply) -> str:
        """Read the calls of a truncated answer so far. Raises OutputInvalid if they do not begin a conforming text."""
        if len(reply.calls) > (self.offer.most or len(reply.calls)):
            raise OutputInvalid(self._complaint_of_count(reply), text=self.spell_reply(reply))
        if not self._takes_text:
            reply = replace(reply, text="")
        if not reply.calls:
            return reply.text
        *before, last = reply.calls
        for call in before:
            self._call(call, None)
        if not self._matches(last):
            self._plan(last).read_beginning(Reply(last.arguments))
        return self.spell_reply(reply).removesuffix("]").removesuffix("}")

    def spell_reply(self, reply: Reply) -> str:
        """Spell the text of an answer, and its calls."""
        return reply.text + self._spell_calls((call.name, call.arguments) for call in reply.calls)

    def complaint(self, error: Exception, reply: Reply) -> str:
        """Describe what is wrong with each call of an answer, or with the answer as a whole."""
        listed = [
            fault for number, call in enumerate(reply.calls, start=1) for fault in self._faults(call, f"call {number}")
        ]
        return write_complaint(listed) if isinstance(error, OutputInvalid) and listed else complaint(error)

    def _faults(self, call: ToolCall, which: str) -> list[Fault]:
        try:
            self._read_arguments(call, None)
        except OutputInvalid as error:
            known = call.name in self.plans
            listed = faults(error, self.plans[call.name].form) if known else [Fault("", "", str(error))]
            return [fault._replace(call=f"{which} ({call.name})") for fault in listed]
        return []

    def _spell_calls(self, calls: Iterable[tuple[str, str]]) -> str:
        """Spell calls in the style ``json``."""
        text = ", ".join(f'{{"name": {json.dumps(name)}, "arguments": {arguments}}}' for name, arguments in calls)
        return text if self.offer.calls == "one" or not text else f"[{text}]"

    @property
    def _takes_text(self) -> bool:
        return self.offer.calls == "auto"

    def _is_count(self, count: int) -> bool:
        return bool(count) and (self.offer.most is None or count <= self.offer.most)

    def _complaint_of_count(self, reply: Reply) -> str:
        """Complain that there are too few calls, or too many."""
        wanted = "one tool once" if self.offer.calls == "one" else "a tool"
        if reply.calls and self.offer.calls != "one":
            wanted = f"tools {self.offer.most} times at most"
        return f"the model was to call {wanted}, and made {len(reply.calls) or 'no'} calls"

    def _call(self, call: ToolCall, context: Any) -> tuple[Call, str]:
        """A call with typed arguments, and their text. Raises OutputInvalid."""
        try:
            value, text = self._read_arguments(call, context)
        except OutputInvalid as error:
            message = f"call of {call.name}: {error}"
            raise OutputInvalid(message, text=error.text, position=error.position) from error.__cause__ or error
        tool = next(tool for tool in self.offer.tools if tool.name == call.name)
        return Call(call.name, value, call.id, tool), text

    def _read_arguments(self, call: ToolCall, context: Any) -> tuple[Any, str]:
        """The arguments of a call, and their text. Raises OutputInvalid."""
        plan = self._plan(call)
        text = plan.inner(_arguments(call))
        return plan.form.parse(text, context=context), text

    def _matches(self, call: ToolCall) -> bool:
        try:
            plan = self._plan(call)
            return plan.form.matches(plan.inner(_arguments(call)))
        except OutputInvalid:
            return False

    def _plan(self, call: ToolCall) -> Plan:
        if call.name not in self.plans:
            known = ", ".join(self.plans)
            raise OutputInvalid(f"there is no tool {call.name!r}: there are {known}", text=call.name)
        return self.plans[call.name]


def is_offered(form: Form[Any]) -> bool:
    """Whether a form is one of tools that a service can be offered."""
    return form.origin is not None and form.origin.kind == "tools"


def calls_plan(form: Form[Any], mode: Mode, service: Service, style: str | None = None) -> CallsPlan:
    """How the tools of a form are offered, in the modes ``strict`` and ``tools``; arguments as those of `plan_of`.

    Raises:
        OptionUnsupported: The service enforces no schemas of tools, or the tools are also to be told in words.
        UnsupportedKeyword, LimitExceeded, SchemaError: The service cannot be told a tool.
    """
    if style is not None:
        raise OptionUnsupported(
            "instruct= does not go with tools that the service has as its own",
            hint='the descriptions of the tools are told; mode="instructions" tells them in words',
            argument="instruct",
        )
    if mode == "strict" and "strict" not in service.modes:
        hint = 'mode="tools" asks for the same calls, which are checked here'
        raise OptionUnsupported(f"{service.name} enforces no schemas of tools", hint=hint, argument="mode")
    assert form.origin is not None
    offer: Offer = form.origin.what
    plans = {tool.name: _tool_plan(tool, form.origin.options or {}, mode, service) for tool in offer.tools}
    if mode == "tools" and offer.calls == "auto" and service.is_loose_in_auto:
        plans = {name: replace(plan, is_strict=False) for name, plan in plans.items()}
    notes = [f"tool {name}: {note}" for name, plan in plans.items() for note in plan.notes]
    if offer.calls != "one" and offer.most is not None:
        notes.append(f"max_calls={offer.most} cannot be told to any service: it is checked")
    is_strict = all(plan.is_strict for plan in plans.values())
    text = free_text().named("text")
    return CallsPlan(mode=mode, offer=offer, plans=plans, wire_form=text, is_strict=is_strict, notes=tuple(notes))


def _tool_plan(tool: Tool, options: Mapping[str, Any], mode: Mode, service: Service) -> Plan:
    """The arguments of a tool, as the schema of an object."""
    schema = tool.schema if {"type", "$ref"} & tool.schema.keys() else {"type": "object", **tool.schema}
    plan = plan_of(replace(tool, schema=schema).arguments(options), mode, service)
    if plan.key is not None:
        raise UnsupportedKeyword(
            f"the arguments of {tool.name} are not an object, and services accept only objects",
            hint='say "type": "object" at the root of its schema',
            pointer="/type",
        )
    return replace(plan, name=tool.name, description=tool.description or plan.description)


def _arguments(call: ToolCall) -> str:
    """The arguments as text; some services write none for an empty object."""
    return call.arguments.strip() or "{}"
