"""A converted schema, what is not the provider's to enforce, and the way back from an answer.

::

    converted = convert(schema, to="openai")
    converted.response_format("person")["type"]      # 'json_schema'
    person = converted.read(answer)

An optional property comes back as null, since the provider knows no optional ones. The way
back walks answer and converted schema together and takes out exactly those nulls that the
conversion brought in; then the *given* schema checks the result, so nothing depends on what
the provider did.

Cost: one check of the text, and one more for each place where several branches could be meant.

A number is checked by its value, so it is spelled without fraction or exponent
where it can be: ``1.0`` and ``1e0`` are the integer 1.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from formwright.errors import ArgumentError, OutputInvalid
from formwright.forms.form import Form
from formwright.forms.pointers import escape_step, value_at
from formwright.schemas.providers.places import Forms, Node, spell

__all__ = ["Converted", "Note"]


@dataclass(frozen=True, slots=True)
class Note:
    """One way in which the converted schema is not the one that was given.

    Attributes:
        pointer: JSON Pointer of the place in the given schema, ``""`` for its root.
        keyword: The keyword there.
        kind: ``"checked"`` - the provider may write what the keyword forbids, `Converted.restore` finds it; or
            ``"narrowed"`` - the provider never writes something that the keyword allows.
        why: What is checked or not written.
    """

    pointer: str
    keyword: str
    kind: str
    why: str

    def __str__(self) -> str:
        return f"{self.kind}: #{self.pointer}/{escape_step(self.keyword)}: {self.why}"


@dataclass(frozen=True)
class Converted:
    """A schema in a provider's subset.

    Attributes:
        provider: The name of the provider.
        schema: The converted schema.
        notes: What is checked afterwards or narrowed, none if lossless.
        optional: JSON Pointers into ``schema`` of the properties where null means left out.
    """

    provider: str
    schema: dict[str, Any]
    notes: tuple[Note, ...]
    optional: frozenset[str]
    _given: Form[Any] = field(repr=False)
    _parse: Callable[[Any], Any] = field(repr=False)
    _places: Forms = field(repr=False)

    @property
    def lossless(self) -> bool:
        """Whether the provider writes every instance of the given schema, and no other."""
        return not self.notes

    def response_format(self, name: str) -> dict[str, Any]:
        """The ``response_format`` of a request; ``name`` is of 1 to 64 letters, digits, ``_`` and ``-``."""
        if not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name):
            raise ArgumentError(
                f"a response format cannot be named {name!r}",
                hint="use 1 to 64 letters, digits, '_' and '-'",
                argument="name",
            )
        return {"type": "json_schema", "json_schema": {"name": name, "strict": True, "schema": self.schema}}

    def read(self, text: str) -> Any:
        """The value that a model's answer stands for: an instance of the type given to `convert`, or plain JSON.

        Raises:
            OutputInvalid: The text is not JSON, or the schema given to `convert` forbids the value.
        """
        try:
            value = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise OutputInvalid(
                f"the answer is not JSON: {error}", hint="see whether the answer was cut or is a refusal", text=text
            ) from error
        return self._parse(self.restore(value))

    def restore(self, value: Any) -> Any:
        """``value`` without the nulls that stand for optional properties, checked with the given schema.

        Raises:
            OutputInvalid: The given schema forbids it; the message shows where.
        """
        restored = self.restore_value("", value)
        text = spell(restored)
        good, is_complete, _ = self._given.check(text)
        if is_complete:
            return restored
        before, after = (part.decode(errors="replace") for part in (text[:good][-40:], text[good:][:20]))
        raise OutputInvalid(
            f"the value departs from the given schema after {before!r}, at {after!r}",
            hint="ask the model again; `notes` tells what the provider does not enforce",
            text=text.decode(errors="replace"),
            position=len(text[:good].decode(errors="ignore")),
        )

    def is_optional(self, pointer: str) -> bool:
        """Whether null at this pointer into `schema` stands for a property that is left out."""
        return pointer in self.optional

    def at(self, pointer: str) -> Node:
        """The converted schema at a pointer."""
        node: Node = value_at(self.schema, pointer)
        return node

    def inside(self, pointer: str) -> str | None:
        """Where the schema at ``pointer`` says what is inside it, through references and the null of an option.

        ``None`` where that is one of several schemas.
        """
        node = self.at(pointer)
        while "$ref" in node or "anyOf" in node:
            numbers = [at for at, branch in enumerate(node.get("anyOf", ())) if branch.get("type") != "null"]
            if "$ref" not in node and len(numbers) != 1:
                return None
            pointer = node["$ref"].removeprefix("#") if "$ref" in node else f"{pointer}/anyOf/{numbers[0]}"
            node = self.at(pointer)
        return pointer

    def restore_value(self, pointer: str, value: Any) -> Any:
        """``value``, which the converted schema at ``pointer`` describes, without the nulls that stand for nothing.

        What does not fit is left as it is, and nothing is checked.
        """
        pointer, node = self._branch(pointer, value)
        if isinstance(value, list) and "items" in node:
            return [self.restore_value(f"{pointer}/items", item) for item in value]
        if not isinstance(value, dict):
            return value
        places = {name: f"{pointer}/properties/{escape_step(name)}" for name in value}
        return {
            name: self.restore_value(places[name], member) if name in node.get("properties", {}) else member
            for name, member in value.items()
            if member is not None or places[name] not in self.optional
        }

    def _branch(self, pointer: str, value: Any) -> tuple[str, Node]:
        """The schema at ``pointer``, through references and to the first branch that ``value`` fits."""
        node = value_at(self.schema, pointer)
        while "$ref" in node or "anyOf" in node:
            pointer = node["$ref"].removeprefix("#") if "$ref" in node else self._chosen(pointer, node["anyOf"], value)
            node = value_at(self.schema, pointer)
        return pointer, node

    def _chosen(self, pointer: str, branches: list[Node], value: Any) -> str:
        """The first of ``branches`` that allows ``value``; the last possible one needs no check."""
        numbers = [number for number, branch in enumerate(branches) if value is None or branch.get("type") != "null"]
        places = [f"{pointer}/anyOf/{number}" for number in numbers or [0]]
        text = spell(value) if len(places) > 1 else b""
        return next((place for place in places[:-1] if self._places(place).matches(text)), places[-1])
