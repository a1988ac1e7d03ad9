"""The items of a JSON array, each as soon as it is complete.

::

    with model.stream_items("A lamp and two chairs.", Person, max_tokens=40) as items:
        for item in items:
            print(item)                         # a Person, validated
    items.result.value                          # list[Person]

Cost: that of the stream; each item is read once when it is complete, and once more with the whole array.

The wrinkle: a number at the end of an array is complete when the next character is there.
"""

from __future__ import annotations

import re
from collections import deque
from typing import Any, Generic, TypeVar

from formwright._kernel import Constraint
from formwright.errors import NotAForm
from formwright.forms.form import Form
from formwright.forms.json_forms import json_schema, schema_text
from formwright.forms.parsers import CharacterParser
from formwright.generation.asynchronous import Steps
from formwright.generation.loop import Stream
from formwright.incremental import Partial

__all__ = ["Items", "array_of"]

T_co = TypeVar("T_co", covariant=True)
R_co = TypeVar("R_co", covariant=True)

_ITEM = "urn:formwright:item"
"""Under which the schema of an item is found."""


class Items(Steps[T_co], Generic[T_co, R_co]):
    """The items of an array that is being written: iterate over them, then ask for `result`.

    A context manager: leaving the block ends the generation, wherever it is.

    Args:
        stream: The stream of the array.
    """

    def __init__(self, stream: Stream[R_co]) -> None:
        self._stream = stream
        self._complete: deque[Partial] = deque()
        self._given = 0

    def __next__(self) -> T_co:
        while not self._complete:
            self._collect_items(next(self._stream).partial)
        item: T_co = self._complete.popleft().value
        return item

    def __repr__(self) -> str:
        return f"Items({self._given} so far, {self._stream!r})"

    def close(self) -> None:
        """End the generation where it is."""
        self._stream.close()

    @property
    def partial(self) -> Partial:
        """The array as far as it is written."""
        return self._stream.partial

    @property
    def result(self) -> R_co:
        """What was written, once the loop over the items has ended.

        Raises:
            StreamUnfinished: It has not.
        """
        return self._stream.result

    def _collect_items(self, array: Partial) -> None:
        while self._given < len(array) and (item := array[self._given]).is_complete:
            self._complete.append(item)
            self._given += 1


def array_of(item: Any) -> Form[Any]:
    """The form of an array of values of a type or JSON Schema.

    Raises:
        NotAForm: ``item`` is no type or schema.
        LanguageError: As `formwright.form`.
    """
    if isinstance(item, Form | Constraint | re.Pattern | CharacterParser):
        raise NotAForm(
            f"stream_items: the items are JSON, and {item!r} is a form of whole texts",
            hint="pass the type or the JSON Schema of an item",
        )
    if isinstance(item, dict | bool):  # a document of its own, so that its references hold
        array = {"type": "array", "items": {"$ref": _ITEM}}
        return json_schema(array, registry={_ITEM: schema_text(item)})
    schema_text(item)  # which tells what is no type
    whole: Form[Any] = json_schema(list[item])
    return whole
