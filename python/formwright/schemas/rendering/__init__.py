"""A JSON Schema in other words: for a reader who is told the form of an answer.

::

    from formwright.schemas.rendering import gathered, outline_of

    document = gathered('{"type": "object", "properties": {"age": {"minimum": 0}}}', {})
    outline_of(document).root.children[0].text      # 'age (number, at least 0, optional)'

`gather` brings a schema into one flat document; `typescript`, `outline_of` and `sample` write that as a type, as
lines in words, and as an instance; `with_docstrings` adds what the classes of a type say.
`formwright.schemas.instructions` makes texts of them.

Cost: a walk over the schema each. The wrinkle: what words cannot say well (``not``, ``if``, ``contains`` and their
kind) is quoted as JSON Schema.
"""

from __future__ import annotations

from formwright.schemas.rendering.docstrings import with_docstrings
from formwright.schemas.rendering.gathering import Document, compact, gather
from formwright.schemas.rendering.outline import PLAIN, Line, Outline, closes_all, outline_of, paths
from formwright.schemas.rendering.samples import sample
from formwright.schemas.rendering.typescript import typescript
from formwright.schemas.rendering.words import description_of, show_name

__all__ = [
    "PLAIN",
    "Document",
    "Line",
    "Outline",
    "closes_all",
    "compact",
    "description_of",
    "gather",
    "outline_of",
    "paths",
    "sample",
    "show_name",
    "typescript",
    "with_docstrings",
]
