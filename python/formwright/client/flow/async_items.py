"""The items of an array that a service writes, each as soon as it is complete, in an event loop.

::

    async def show(model):
        async with model.stream_items("A lamp and two chairs.", Person) as items:
            async for item in items:
                print(item)                     # a Person, validated

For threads there is `formwright.generation.items.Items`.
"""

from __future__ import annotations

from collections import deque
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

from formwright.client.plans.plan import move_references
from formwright.client.transport.drivers import ArrivingAsync
from formwright.forms.form import Form
from formwright.forms.json_forms import json_schema
from formwright.generation.items import array_of
from formwright.incremental import Partial

__all__ = ["ItemsAsync", "make_array_form"]

T_co = TypeVar("T_co", covariant=True)


def make_array_form(item: Any) -> Form[Any]:
    """Make the form of an array of values of a type or JSON Schema. Raises NotAForm, LanguageError."""
    if isinstance(item, dict | bool):  # one schema with the item inside, since it is sent to the service
        return json_schema({"type": "array", "items": move_references(item, "#/items")})
    return array_of(item)


class ItemsAsync(Generic[T_co]):
    """The items of an array: ``async for``, then `result`."""

    def __init__(self, stream: ArrivingAsync[Any]) -> None:
        self._stream = stream
        self._complete: deque[Partial] = deque()
        self._taken = 0

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> T_co:
        while not self._complete:
            array = (await anext(self._stream)).partial
            while self._taken < len(array) and (found := array[self._taken]).is_complete:
                self._complete.append(found)
                self._taken += 1
        item: T_co = self._complete.popleft().value
        return item

    @property
    def result(self) -> Any:
        """What was written, once the loop over the items has ended. Raises StreamUnfinished."""
        return self._stream.result

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        await self._stream.close()
