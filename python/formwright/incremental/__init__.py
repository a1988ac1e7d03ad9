"""Values while their texts are written: what is complete, what is under way, what is missing.

`reader` takes texts from elsewhere, and finds how a form is read on the way; `json_reader` and `text_reader` are the
two ways, on a `scanner` for JSON and a `text` that grows; `markers` finds the end of a text that may begin a marker;
`values` is what all of them give. None of it knows where a text comes from.
"""

from __future__ import annotations

from formwright.incremental.reader import Incoming, partial, reader_of
from formwright.incremental.text import Text
from formwright.incremental.text_reader import TextReader
from formwright.incremental.values import Partial, PartialReader, State

__all__ = ["Incoming", "Partial", "PartialReader", "State", "Text", "TextReader", "partial", "reader_of"]
