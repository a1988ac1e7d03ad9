"""Keep the last responses in memory, for requests that continue them.

::

    store = ResponseStore(100)
    store.keep_response({"id": "resp_1", "output": []}, [{"role": "user", "content": "Hi"}])
    store.find_response("resp_1").items          # [{'role': 'user', 'content': 'Hi'}]

Cost: a conversation shares its items with the one that continues it. The oldest responses are forgotten first, if there
are too many or their items take too many bytes.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from formwright.server.reading.fields import drop_ignored_fields

__all__ = ["ResponseStore", "StoredResponse"]

_MOST_BYTES = 64 << 20


@dataclass(frozen=True, slots=True)
class StoredResponse:
    """A response in the store.

    Attributes:
        response: The response as it was sent.
        items: The conversation up to its end: all input and output, without thoughts.
        size: Bytes of what this response has added.
    """

    response: Mapping[str, Any]
    items: Sequence[Mapping[str, Any]]
    size: int


class ResponseStore:
    """The last responses.

    Args:
        most: How many are kept; 0 keeps none.
    """

    def __init__(self, most: int) -> None:
        self._most, self._size = most, 0
        self._kept: OrderedDict[str, StoredResponse] = OrderedDict()

    def __len__(self) -> int:
        return len(self._kept)

    @property
    def is_on(self) -> bool:
        """Whether anything is kept."""
        return self._most > 0

    def keep_response(
        self, response: Mapping[str, Any], items: Sequence[Mapping[str, Any]], earlier: StoredResponse | None = None
    ) -> None:
        """Keep a response to these items, which continue an earlier response."""
        output = [item for item in response["output"] if item["type"] != "reasoning"]
        answered = drop_ignored_fields({"input": output})[0]["input"]
        before = earlier.items if earlier is not None else ()
        size = len(json.dumps([items, response]))
        self._kept[response["id"]] = StoredResponse(response, [*before, *items, *answered], size)
        self._size += size
        while self._kept and (len(self._kept) > self._most or self._size > _MOST_BYTES):
            self.forget_response(next(iter(self._kept)))

    def find_response(self, response_id: str) -> StoredResponse | None:
        """Find a response, if it is kept."""
        return self._kept.get(response_id)

    def forget_response(self, response_id: str) -> bool:
        """Forget a response. Returns whether it was kept."""
        stored = self._kept.pop(response_id, None)
        self._size -= 0 if stored is None else stored.size
        return stored is not None
