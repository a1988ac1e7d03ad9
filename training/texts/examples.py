"""A prompt and its answer, cut into what a form forces and what the model must supply.

::

    {"name": "Anna Baker", "age": 34}
    forced   {"name": "          forced "    forced , "age":      forced }
    string             Anna Baker            number         34

So one object serves training (the texts joined), measuring freely (the answer compared) and in form (the forced parts
given).
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from texts.world import World


@dataclass
class Segment:
    """A piece: `kind` is forced, string, number, literal, nullable, choice, free or line; or given, in a prompt."""

    text: str
    kind: str = "free"
    options: tuple[str, ...] = ()
    weight: float = 1.0


@dataclass
class Turn:
    """What is asked, and the answer. Parts of a prompt that are not ``given`` are answers shown as examples."""

    prompt: list[Segment]
    answer: list[Segment]


@dataclass
class Example:
    """A conversation, and the task it belongs to; its last answer is the one that is measured."""

    task: str
    turns: list[Turn]
    system: str = ""
    named: bool = True  # whether the prompt says which fields it wants

    @property
    def prompt(self) -> str:
        """The last question."""
        return joined(self.turns[-1].prompt)

    @property
    def segments(self) -> list[Segment]:
        """The last answer."""
        return self.turns[-1].answer

    @property
    def answer(self) -> str:
        """The last answer as text."""
        return joined(self.segments)


def joined(segments: list[Segment]) -> str:
    """The text of segments."""
    return "".join(segment.text for segment in segments)


def given(text: str) -> Segment:
    """A piece of a prompt."""
    return Segment(text, "given", weight=0.0)


@dataclass
class Choice:
    """A JSON string that must be one of `options`."""

    value: str
    options: tuple[str, ...]


@dataclass
class Nullable:
    """A string that the text may not mention; None then."""

    value: str | None


@dataclass
class Number:
    """A number, written exactly as in the text (`4.50` stays `4.50`)."""

    text: str


def text_of(value: object) -> str:
    """A value as plain text."""
    if isinstance(value, Number):
        return value.text
    if isinstance(value, bool):
        return "true" if value else "false"
    return value.value if isinstance(value, Choice) else str(value)


@dataclass
class Style:
    """How JSON is laid out: `indent` None is one line, `space` follows colon and comma."""

    space: bool
    indent: int | None = None


def random_style(world: World) -> Style:
    draw = world.random.random()
    if draw < 0.42:
        return Style(space=False)
    if draw < 0.85:
        return Style(space=True)
    return Style(space=True, indent=world.random.choice([2, 2, 4]))


class JsonWriter:
    """Write a value as segments: forced punctuation and keys, free values."""

    def __init__(self, style: Style, key_weight: float):
        self.style, self.key_weight = style, key_weight
        self.segments: list[Segment] = []

    def force(self, text: str, weight: float = 1.0) -> None:
        """Append forced text, joining it to a forced neighbour of the same weight."""
        last = self.segments[-1] if self.segments else None
        if last and last.kind == "forced" and last.weight == weight:
            last.text += text
        else:
            self.segments.append(Segment(text, "forced", weight=weight))

    def newline(self, depth: int) -> str:
        if self.style.indent is None:
            return ""
        return "\n" + " " * (self.style.indent * depth)

    def separator(self, depth: int) -> str:
        if self.style.indent is not None:
            return "," + self.newline(depth)
        return ", " if self.style.space else ","

    def write(self, value, depth: int = 0) -> None:
        if isinstance(value, dict):
            self.write_object(value, depth)
        elif isinstance(value, list):
            self.write_array(value, depth)
        else:
            self.write_leaf(value)

    def write_object(self, value: dict, depth: int) -> None:
        self.force("{" + self.newline(depth + 1))
        for position, (key, child) in enumerate(value.items()):
            if position:
                self.force(self.separator(depth + 1))
            self.force(json.dumps(key, ensure_ascii=False), self.key_weight)
            self.force(": " if self.style.space else ":")
            self.write(child, depth + 1)
        self.force(self.newline(depth) + "}")

    def write_array(self, value: list, depth: int) -> None:
        # Arrays of plain values stay on one line in every style: short, and common in hand-written JSON.
        inline = not any(isinstance(child, dict) for child in value)
        self.force("[" + ("" if inline else self.newline(depth + 1)))
        for position, child in enumerate(value):
            if position:
                self.force((", " if self.style.space else ",") if inline else self.separator(depth + 1))
            self.write(child, depth + 1)
        self.force(("" if inline else self.newline(depth)) + "]")

    def write_leaf(self, value) -> None:
        if isinstance(value, Number):
            self.segments.append(Segment(value.text, "number"))
        elif isinstance(value, Nullable):
            self.segments.append(Segment("null" if value.value is None else quote(value.value), "nullable"))
        elif isinstance(value, bool) or value is None:
            self.segments.append(Segment(json.dumps(value), "literal", ("true", "false")))
        elif isinstance(value, Choice):
            self.force('"')
            self.segments.append(Segment(value.value, "choice", value.options))
            self.force('"')
        else:
            self.force('"')
            self.segments.append(Segment(quote(value)[1:-1], "string"))
            self.force('"')


def quote(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def json_segments(value: object, style: Style, named: bool = True) -> list[Segment]:
    """Segments of `value`; keys weigh little where nothing tells them."""
    writer = JsonWriter(style, key_weight=1.0 if named else 0.1)
    writer.write(value)
    return writer.segments


def plain(value: object) -> object:
    """A value as `json.dumps` takes it."""
    if isinstance(value, dict):
        return {key: plain(child) for key, child in value.items()}
    if isinstance(value, list):
        return [plain(child) for child in value]
    if isinstance(value, Number):
        return json.loads(value.text)
    return value.value if isinstance(value, Choice | Nullable) else value


def schema_of(value: object) -> dict[str, object]:
    """A JSON Schema of values like this one."""
    if isinstance(value, dict):
        fields = {key: schema_of(child) for key, child in value.items()}
        return {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}
    if isinstance(value, list):
        return {"type": "array", "items": schema_of(value[0]) if value else {}}
    if isinstance(value, Number):
        return {"type": "integer" if value.text.lstrip("-").isdigit() else "number"}
    if isinstance(value, Choice):
        return {"enum": list(value.options)}
    if isinstance(value, Nullable):
        return {"type": ["string", "null"]}
    return {"type": "boolean" if isinstance(value, bool) else "string"}
