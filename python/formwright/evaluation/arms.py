"""The arms of an evaluation: ways to ask the same question, from free text to a form that is enforced.

::

    [arm.name for arm in chosen("free,schema")]          # ['free', 'schema']

===============  ======================================================================================
`free`           free text; the answer is read by a rule
`instructions`   free text, and the prompt asks for JSON; the JSON is found by rule
`json`           JSON mode: some object is enforced; the answer is found in it
`schema`         the schema is enforced: first the reasoning, then the answer
`answer_only`    the schema is enforced, and has no place for reasoning
`thinking`       free thought between markers, then the schema of the answer alone is enforced
`canonical`      as `schema`, and only tokens that the tokenizer itself writes
`order_model`    as `schema`, and the model orders the fields
===============  ======================================================================================

An arm is data: what is enforced, what the prompt asks for, and how the answer is read.
`answer_only` differs from `free` in two things, structure and reasoning. Compare it with `schema` to see the effect of
reasoning alone.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from formwright.errors import ArgumentError
from formwright.forms.form import Form
from formwright.forms.free_text import text, thinking
from formwright.forms.json_forms import json_schema

__all__ = ["ARMS", "Arm", "Asks", "answer_schema", "chosen", "form_of"]

Asks = Literal["text", "json", "answer", "thought"]
"""What a prompt asks for: steps and an answer as text, JSON of both, JSON of the answer, a thought and that JSON."""


@dataclass(frozen=True, slots=True)
class Arm:
    """A way to ask.

    Attributes:
        name: As rows and reports have it.
        enforces: What is enforced: ``"text"`` (nothing), ``"object"``, ``"json"``, ``"answer"`` or ``"thought"``.
        asks: What the prompt asks for.
        reads: How the answer is read: by ``"rule"``, as JSON that is ``"found"``, or the ``"whole"`` text.
        order: Who orders the fields.
        options: Options of `formwright.compile`.
    """

    name: str
    enforces: Literal["text", "object", "json", "answer", "thought"]
    asks: Asks
    reads: Literal["rule", "found", "whole"]
    order: Literal["schema", "model"] = "schema"
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def reasons(self) -> bool:
        """Whether it is asked for steps."""
        return self.asks != "answer"

    @property
    def needs_tokens(self) -> bool:
        """Whether it needs a model whose tokens are chosen here: a service has no such option."""
        return bool(self.options) or self.order == "model"

    @property
    def is_structured(self) -> bool:
        """Whether it is asked for JSON."""
        return self.asks != "text"


ARMS: Mapping[str, Arm] = {
    arm.name: arm
    for arm in (
        Arm("free", "text", "text", "rule"),
        Arm("instructions", "text", "json", "found"),
        Arm("json", "object", "json", "found"),
        Arm("schema", "json", "json", "whole"),
        Arm("answer_only", "answer", "answer", "whole"),
        Arm("thinking", "thought", "thought", "whole"),
        Arm("canonical", "json", "json", "whole", options={"canonical": True}),
        Arm("order_model", "json", "json", "whole", order="model"),
    )
}


def chosen(names: str | Sequence[str]) -> list[Arm]:
    """Arms by their names, given in a list or with commas between them.

    Raises:
        ArgumentError: There is no such arm, one is named twice, or none is.
    """
    listed = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    for name in listed:
        if name not in ARMS:
            raise ArgumentError(f"there is no arm {name!r}", hint=f"one of {', '.join(ARMS)}", argument="arms")
    if len(set(listed)) < len(listed) or not listed:
        raise ArgumentError("arms: each is named once, and one at least", argument="arms")
    return [ARMS[name] for name in listed]


def answer_schema(answer: Mapping[str, Any], *, reasons: bool) -> dict[str, Any]:
    """The JSON Schema of an object with the answer in it, and the reasoning before it."""
    inner = {name: value for name, value in answer.items() if name not in ("$defs", "$schema")}
    fields = {"reasoning": {"type": "string"}, "answer": inner} if reasons else {"answer": inner}
    definitions = {"$defs": answer["$defs"]} if "$defs" in answer else {}
    whole = {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}
    return {**definitions, **whole}


def form_of(arm: Arm, answer: Mapping[str, Any], max_tokens: int) -> Form[Any]:
    """What an arm enforces.

    Args:
        arm: The arm.
        answer: JSON Schema of an answer.
        max_tokens: Tokens at most, of which a thought may have three quarters.

    Raises:
        SchemaError: The schema cannot be enforced.
    """
    if arm.enforces == "text":
        return text()
    if arm.enforces == "object":
        return json_schema('{"type": "object"}')
    form = json_schema(json.dumps(answer_schema(answer, reasons=arm.enforces == "json")), order=arm.order)
    return thinking(form, max_tokens=max(8, 3 * max_tokens // 4)) if arm.enforces == "thought" else form
