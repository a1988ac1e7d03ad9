r"""A language that is put together of copies of the rules of a grammar.

::

    steps = Assembly([(["query"], ["column", "table"])])
    people = steps.copy(0, [steps.text("id", "name"), steps.text("people")])
    items = steps.copy(0, [steps.text("price"), steps.text("items")])
    steps.choice([*people, *items])
    language = steps.build('start: "SELECT"\nquery: "SELECT " @column " FROM " @table', [])

The grammar refers to what differs between copies as it refers to a form. What copies
have in common is read and compiled once, so thousands of copies take some milliseconds.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from formwright._kernel import Language

__all__ = ["Assembly", "Template"]

Template = tuple[list[str], list[str]]
"""The names of some rules, and of the forms that each copy of them fills."""

_CHOICE, _SEQUENCE, _TEXTS, _COPY, _COPIES, _DECLARE, _DEFINE = range(7)


class Assembly:
    """Steps by which the kernel puts a language together. Each makes values, which are numbers for later steps."""

    def __init__(self, templates: Sequence[Template]) -> None:
        self._templates = list(templates)
        self._steps: list[int] = []
        self._numbers: dict[str, int] = {}
        self._sets: dict[tuple[str, ...], int] = {}
        self._count = 0
        self.never = self.choice([])

    @property
    def texts(self) -> Iterable[str]:
        """All texts."""
        return self._numbers

    def choice(self, values: Sequence[int]) -> int:
        """Any of some values."""
        return self._add([_CHOICE, len(values), *values])

    def sequence(self, *values: int) -> int:
        """One value after the other."""
        return self._add([_SEQUENCE, len(values), *values])

    def text(self, *texts: str) -> int:
        """One of some texts."""
        if texts not in self._sets:
            numbers = [self._numbers.setdefault(text, len(self._numbers)) for text in texts]
            self._sets[texts] = self._add([_TEXTS, len(numbers), *numbers])
        return self._sets[texts]

    def copy(self, template: int, filled: Sequence[int]) -> list[int]:
        """A copy of the rules of a template, with values in its holes."""
        count = len(self._templates[template][0])
        return [*range(self._add([_COPY, template, *filled], count), self._count)]

    def copies(self, template: int, filled: Sequence[int], last: Sequence[int]) -> int:
        """Any of the first rules of some copies, each with another value in the last hole."""
        return self._add([_COPIES, template, *filled, len(last), *last])

    def declare(self, count: int) -> list[int]:
        """Values that `define` defines later."""
        return [*range(self._add([_DECLARE, count], count), self._count)]

    def define(self, declared: int, value: int) -> None:
        """Define a value that was declared."""
        self._steps += [_DEFINE, declared, value]

    def build(self, grammar: str, forms: Sequence[tuple[str, Language]]) -> Language:
        """The language of the value that was made last. Raises LimitExceeded."""
        return Language.assembly(
            grammar, forms=list(forms), templates=self._templates, texts=list(self._numbers), steps=self._steps
        )

    def _add(self, step: list[int], values: int = 1) -> int:
        self._steps += step
        self._count += values
        return self._count - values
