r"""Notations: the values of a type or schema written otherwise than as JSON.

::

    people = fw.form(list[Person], notation="csv")
    people.write([Person(name="Ada", age=36)])                # 'name,age\nAda,36'
    people.parse("name,age\nAda,36")                          # [Person(name='Ada', age=36)]
    fw.json_schema(schema, notation=fw.Yaml(indent=4))

A text is read as the JSON that it says, and that as the type reads it: a notation has no reader of values of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from formwright._kernel import Language, Values
from formwright.errors import ArgumentError, OutputInvalid

__all__ = ["Csv", "Notation", "NotationReader", "Toon", "Xml", "Yaml", "spell_notation"]


@dataclass(frozen=True, slots=True)
class Csv:
    """Rows of cells, by RFC 4180 with LF between rows.

    Attributes:
        delimiter: What separates cells: ``","``, ``";"``, ``"|"`` or a tab.
        header: Whether the first row has the names of the columns.
    """

    delimiter: Literal[",", ";", "\t", "|"] = ","
    header: bool = True


@dataclass(frozen=True, slots=True)
class Yaml:
    """YAML that means the same in versions 1.1 and 1.2.

    Attributes:
        indent: Blanks of a level of mappings, 1 to 8.
        max_depth: Levels of blocks, up to 64; what is deeper is written in flow, as JSON.
    """

    indent: int = 2
    max_depth: int = 16


@dataclass(frozen=True, slots=True)
class Toon:
    """TOON, by version 4.4 of its specification.

    Attributes:
        delimiter: What separates cells: ``","``, ``"|"`` or a tab.
        max_items: Items of an array at most, up to 1,024; one whose schema demands more has as many as that.
    """

    delimiter: Literal[",", "\t", "|"] = ","
    max_items: int = 64


@dataclass(frozen=True, slots=True)
class Xml:
    """Elements of XML, without attributes.

    Attributes:
        root: The name of the element that is the whole text.
        item: The name of the elements that are the items of arrays.
    """

    root: str = "root"
    item: str = "item"


Notation = (
    Literal["json", "jsonl", "python", "csv", "tsv", "markdown", "xml", "toml", "toon", "yaml"]
    | Csv
    | Toon
    | Xml
    | Yaml
)
"""A notation by its name, or with options."""

_NAMES = {"csv": Csv(), "tsv": Csv(delimiter="\t"), "toon": Toon(), "xml": Xml(), "yaml": Yaml()}
_PLAIN = ("json", "jsonl", "python", "markdown", "toml")


def spell_notation(notation: Any) -> str:
    """The notation as the kernel takes it; ``None`` is JSON. Raises ArgumentError."""
    if notation is None:
        return "json"
    options = _NAMES.get(notation, notation) if isinstance(notation, str) else notation
    if isinstance(options, Csv) and _is_character(options.delimiter):
        return f"csv {ord(options.delimiter)} {int(options.header)}"
    if isinstance(options, Toon) and _is_character(options.delimiter) and _is_count(options.max_items):
        return f"toon {ord(options.delimiter)} {options.max_items}"
    if isinstance(options, Xml) and _is_word(options.root) and _is_word(options.item):
        return f"xml {options.root} {options.item}"
    if isinstance(options, Yaml) and _is_count(options.indent) and _is_count(options.max_depth):
        return f"yaml {options.indent} {options.max_depth}"
    if isinstance(options, str) and options in _PLAIN:
        return options
    raise ArgumentError(
        f"there is no notation {notation!r}",
        hint=f"pass one of {', '.join((*_PLAIN, *_NAMES))}, or fw.Csv(...), fw.Toon(...), fw.Xml(...) or fw.Yaml(...)",
        argument="notation",
    )


def _is_character(value: object) -> bool:
    return isinstance(value, str) and len(value) == 1


def _is_word(value: object) -> bool:
    return isinstance(value, str) and value.isprintable() and " " not in value


def _is_count(value: object) -> bool:
    return type(value) is int and 0 <= value < 2**32


@dataclass(frozen=True, eq=False)
class NotationReader:
    """Reads texts of a notation: as JSON first, then as `read_json` does.

    Attributes:
        language: The texts, as the kernel has them.
        read_json: The value of JSON.
        schema: The JSON Schema of the values, as text.
        options: The options of the form, as the kernel takes them.
    """

    language: Language
    read_json: Callable[[str], Any]
    schema: str
    options: Mapping[str, Any]

    @property
    def name(self) -> str:
        """The name of the notation."""
        name, *options = str(self.options["notation"]).split()
        return "tsv" if [name, *options[:1]] == ["csv", str(ord("\t"))] else name

    @cached_property
    def values(self) -> Values:
        """What reads a text as JSON."""
        values = self.language.values()
        if values is None:
            raise ArgumentError("the language is not one JSON Schema in a notation", argument="language")
        return values

    def __call__(self, text: str) -> Any:
        """The value of a complete text. Raises OutputInvalid."""
        json = self.values.read(text)
        if json is None:
            raise OutputInvalid("the text does not conform", text=text, position=len(text))
        return self.read_json(json)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.language, self.read_json, self.schema, dict(self.options))
