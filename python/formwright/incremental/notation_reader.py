"""The partial value of a text in a notation: that of the JSON that it says so far.

::

    reader = fw.partial(fw.form(list[Person], notation="yaml"))
    reader.feed("- name: Ad").value             # [{'name': 'Ad'}]

Cost: a snapshot reads the text from its beginning, when somebody asks for it.
"""

from __future__ import annotations

from typing import Any

from formwright.forms.form import Form
from formwright.forms.notations import NotationReader
from formwright.incremental.json_reader import JsonReader
from formwright.incremental.text import Text
from formwright.incremental.values import Partial

__all__ = ["NotatedReader"]


class NotatedReader:
    """Reads texts of one form in a notation: a `PartialReader`.

    Attributes:
        feed: Goes on with the text.
        read: Gives a part of it.
    """

    __slots__ = ("_form", "_reader", "_text", "_value", "feed", "read")

    def __init__(self, form: Form[Any], reader: NotationReader) -> None:
        self._reader, self._text = reader, Text()
        self._form = Form(form.language, reader.read_json, form.title, form.kind)
        self._value: tuple[Any] | None = None
        self.feed, self.read = self._text.append, self._text.read

    @property
    def length(self) -> int:
        """How many characters have come."""
        return self._text.length

    def finish(self, value: Any, /) -> None:
        """The text is over, and spells ``value``."""
        self._value = (value,)

    def at(self, position: int, /) -> Partial:
        """The value when so much of the text had come."""
        is_over = position > self.length
        json = self._reader.values.read(self._text.read(0, position), partial=not is_over)
        reader = JsonReader(self._form)
        reader.feed(json or "")
        if is_over and self._value is not None:
            reader.finish(self._value[0])
        return reader.at(reader.length + is_over)
