"""The objects of a structural tag: their keys, read with the type that each has, and where they are.

::

    entry = Entry({"type": "any_text", "max_chars": 9}, "structural_tag.format", "/format")
    entry.read_number("max_chars")                        # 9
    entry.check_keys("excludes", "max_chars")        # raises where there is another key
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from formwright._options import suggest_name
from formwright.errors import ArgumentError, LanguageError, SchemaError, StructuralTagError, UnsupportedKeyword
from formwright.forms.pointers import escape_step

__all__ = ["Entry"]


@dataclass(frozen=True, slots=True)
class Entry:
    """An object of a structural tag. A key whose value is null is not there.

    Attributes:
        keys: What it holds.
        field: Its path, from the field of the request.
        pointer: Its JSON Pointer inside the tag.
    """

    keys: Mapping[str, Any]
    field: str
    pointer: str = ""

    def check_keys(self, *known: str) -> None:
        """Refuse keys that are not read. Raises StructuralTagError."""
        for name, value in self.keys.items():
            if name not in known and name != "type" and value is not None:
                said = f"there is no field {self.field}.{name}{suggest_name(name, known)}"
                raise self.make_fault(name, said, code="unknown_parameter")

    def make_fault(self, name: str | None, said: str, *, hint: str | None = None, code: str = "") -> StructuralTagError:
        """The error of a key, or of the whole; ``said`` is the message."""
        field, pointer = self._find_place(name) if name is not None else (self.field, self.pointer)
        return StructuralTagError(said, hint=hint, field=field, pointer=pointer, code=code or "invalid_value")

    def make_refusal(self, name: str | None, why: str, *, hint: str | None = None) -> StructuralTagError:
        """The error of a key that says what cannot be enforced."""
        field = self.field if name is None else f"{self.field}.{name}"
        return self.make_fault(name, f"{field} is not served: {why}", hint=hint, code="unsupported_parameter")

    def read_text(self, name: str, *, may_be_empty: bool = False) -> str:
        """The text of a key that must be there."""
        value = self.read_required(name)
        if not isinstance(value, str) or not (value or may_be_empty):
            said = "a text" if may_be_empty else "a text that is not empty"
            raise self.make_fault(name, f"{self.field}.{name}: expected {said}, got {value!r}")
        return value

    def read_texts(self, name: str) -> list[str]:
        """The texts of a list that may be missing."""
        value = self.keys.get(name)
        if value is None:
            return []
        if not isinstance(value, list) or not all(isinstance(one, str) and one for one in value):
            raise self.make_fault(name, f"{self.field}.{name}: expected a list of texts that are not empty")
        return value

    def read_flag(self, name: str, *, default: bool = False) -> bool:
        """A key that is true or false."""
        value = self.keys.get(name)
        if value is not None and not isinstance(value, bool):
            raise self.make_fault(name, f"{self.field}.{name}: expected true or false, got {value!r}")
        return default if value is None else value

    def read_number(self, name: str, *, least: int = 0) -> int | None:
        """A whole number that may be missing."""
        value = self.keys.get(name)
        if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < least):
            raise self.make_fault(name, f"{self.field}.{name}: expected a whole number from {least} on, got {value!r}")
        return value

    def read_entry(self, name: str) -> Entry:
        """The object of a key that must be there."""
        return self._make_entry(self.read_required(name), *self._find_place(name))

    def read_entries(self, name: str) -> list[Entry]:
        """The objects of a list that has one at least."""
        return [self._make_entry(item, *place) for item, place in self.read_items(name)]

    def read_items(self, name: str) -> list[tuple[Any, tuple[str, str]]]:
        """The items of a list that has one at least, each with its field and pointer."""
        found = self.read_required(name)
        if not isinstance(found, list) or not found:
            raise self.make_fault(name, f"{self.field}.{name}: expected a list with one item at least")
        field, pointer = self._find_place(name)
        return [(item, (f"{field}[{number}]", f"{pointer}/{number}")) for number, item in enumerate(found)]

    @contextmanager
    def place_errors(self, name: str) -> Iterator[None]:
        """Say of errors inside the block that they are of a key."""
        try:
            yield
        except StructuralTagError:
            raise
        except (LanguageError, ArgumentError) as error:
            field, pointer = self._find_place(name)
            within = error.pointer if isinstance(error, SchemaError) else ""
            code = "unsupported_parameter" if isinstance(error, UnsupportedKeyword) else "invalid_value"
            raise StructuralTagError(
                f"{field}: {error.args[0]}", hint=error.hint, field=field, pointer=pointer + within, code=code
            ) from error

    def read_required(self, name: str) -> Any:
        """The value of a key that must be there."""
        value = self.keys.get(name)
        if value is None:
            raise self.make_fault(name, f"{self.field}.{name} is missing", code="missing_required_parameter")
        return value

    def _find_place(self, name: str) -> tuple[str, str]:
        return f"{self.field}.{name}", f"{self.pointer}/{escape_step(name)}"

    @staticmethod
    def _make_entry(value: Any, field: str, pointer: str) -> Entry:
        if not isinstance(value, Mapping):
            raise StructuralTagError(f"{field}: expected an object", field=field, pointer=pointer)
        return Entry(value, field, pointer)
