"""The arms of an evaluation: ways to ask the same question, from free text to a form that is enforced.

::

    [arm.name for arm in choose_arms("free,schema")]          # ['free', 'schema']

===============  ======================================================================================
`free`           free text; the answer is read by a rule
`instructions`   free text, and the prompt asks for JSON; the JSON is found by rule
`json`           JSON mode: some object is enforced; the answer is found in it
`schema`         the schema is enforced: first the reasoning, then the answer
`answer_only`    the schema is enforced, and has no place for reasoning
`fair`           as `answer_only`, drawn from the model's own distribution over the answers that conform
`thinking`       free thought between markers, then the schema of the answer alone is enforced
`canonical`      as `schema`, and only tokens that the tokenizer itself writes
`order_model`    as `schema`, and the model orders the fields
`yaml`, `toon`   as `schema`, in another notation
===============  ======================================================================================

An arm is data: what is enforced, what the prompt requests, and how the answer is read.
`answer_only` differs from `free` in two things, structure and reasoning. Compare it with `schema` to see the effect of
reasoning alone, and with `fair` to see what masks do to the choice of an answer. `fair` has no reasoning: draws of long
free texts may take more calls of the model than anyone has (`generation.adaptive`).
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

__all__ = ["ARMS", "Arm", "Asks", "choose_arms", "make_answer_schema", "make_arm_form"]

Asks = Literal["text", "json", "answer", "thought"]
"""What a prompt requests: steps and an answer as text, JSON of both, JSON of the answer, a thought and that JSON."""


@dataclass(frozen=True, slots=True)
class Arm:
    """A way to ask.

    Attributes:
        name: Its name in rows and reports.
        enforces: What is enforced: ``"text"`` (nothing), ``"object"``, ``"json"``, ``"answer"`` or ``"thought"``.
        asks: What the prompt requests.
        reads: How the answer is read: by ``"rule"``, as JSON that is ``"found"``, or the ``"whole"`` text.
        order: Who orders the fields.
        options: Options of `formwright.compile`.
        fidelity: Which distribution an answer is drawn from, as `LocalModel.generate` has it; ``"adaptive"`` needs a
            temperature.
        notation: The notation of what a ``"whole"`` text is read as.
    """

    name: str
    enforces: Literal["text", "object", "json", "answer", "thought"]
    asks: Asks
    reads: Literal["rule", "found", "whole"]
    order: Literal["schema", "model"] = "schema"
    options: Mapping[str, Any] = field(default_factory=dict)
    fidelity: Literal["mask", "adaptive"] = "mask"
    notation: Literal["json", "yaml", "toon"] = "json"

    @property
    def reasons(self) -> bool:
        """Whether the prompt requests steps."""
        return self.asks != "answer"

    @property
    def needs_tokens(self) -> bool:
        """Whether it needs a local model: services have no such option."""
        return bool(self.options) or self.order == "model" or self.fidelity != "mask"

    @property
    def is_structured(self) -> bool:
        """Whether the prompt requests JSON, or another notation of it."""
        return self.asks != "text"


ARMS: Mapping[str, Arm] = {
    arm.name: arm
    for arm in (
        Arm("free", "text", "text", "rule"),
        Arm("instructions", "text", "json", "found"),
        Arm("json", "object", "json", "found"),
        Arm("schema", "json", "json", "whole"),
        Arm("answer_only", "answer", "answer", "whole"),
        Arm("fair", "answer", "answer", "whole", fidelity="adaptive"),
        Arm("thinking", "thought", "thought", "whole"),
        Arm("canonical", "json", "json", "whole", options={"canonical": True}),
        Arm("order_model", "json", "json", "whole", order="model"),
        Arm("yaml", "json", "json", "whole", notation="yaml"),
        Arm("toon", "json", "json", "whole", notation="toon"),
    )
}


def choose_arms(names: str | Sequence[str]) -> list[Arm]:
    """Choose arms by their names, given in a list or with commas between them.

    Raises:
        ArgumentError: There is no such arm, an arm is named twice, or there is no name.
    """
    listed = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    for name in listed:
        if name not in ARMS:
            raise ArgumentError(f"there is no arm {name!r}", hint=f"one of {', '.join(ARMS)}", argument="arms")
    if len(set(listed)) < len(listed) or not listed:
        raise ArgumentError(f"arms: expected different names, got {', '.join(listed) or 'none'}", argument="arms")
    return [ARMS[name] for name in listed]


def make_answer_schema(answer: Mapping[str, Any], *, reasons: bool) -> dict[str, Any]:
    """Make the JSON Schema of an object with the answer, and with the reasoning before it if ``reasons``."""
    inner = {name: value for name, value in answer.items() if name not in ("$defs", "$schema")}
    fields = {"reasoning": {"type": "string"}, "answer": inner} if reasons else {"answer": inner}
    definitions = {"$defs": answer["$defs"]} if "$defs" in answer else {}
    object_schema = {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}
    return {**definitions, **object_schema}


def make_arm_form(arm: Arm, answer: Mapping[str, Any], max_tokens: int, *, bounds_thought: bool = True) -> Form[Any]:
    """Make the form that an arm enforces.

    Args:
        arm: The arm.
        answer: JSON Schema of an answer.
        max_tokens: The most tokens of an answer; three quarters of them are for a thought.
        bounds_thought: Whether a thought has its own bound. A vocabulary without a token for every byte cannot have
            one; then only ``max_tokens`` ends a thought, as it ends the reasoning in `schema`.

    Raises:
        SchemaError: The schema cannot be enforced.
    """
    if arm.enforces == "text":
        return text()
    if arm.enforces == "object":
        return json_schema('{"type": "object"}')
    schema = json.dumps(make_answer_schema(answer, reasons=arm.enforces == "json"))
    if arm.notation != "json":
        return json_schema(schema, notation=arm.notation)
    form = json_schema(schema, order=arm.order)
    if arm.enforces != "thought":
        return form
    tokens = max(8, 3 * max_tokens // 4)
    return thinking(form, max_tokens=tokens if bounds_thought else None)
