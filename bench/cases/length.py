"""Long texts: is a mask as fast at the hundred-thousandth token as at the tenth, and at depth as at the top?"""

from __future__ import annotations

import json
from collections.abc import Iterator

from cases import MARK, Case

PROSE = "It was the best of times, it was the worst of times, it was the age of wisdom, it was the age of foolishness. "
ANY_ARRAY = {"$defs": {"a": {"type": "array", "items": {"$ref": "#/$defs/a"}}}, "$ref": "#/$defs/a"}


def cases() -> Iterator[Case]:
    """About 100,000 tokens each, and a nesting of 2,000."""
    item = {
        "type": "object",
        "properties": {"id": {"type": "integer"}, "name": {"type": "string"}, "ok": {"type": "boolean"}},
        "required": ["id", "name", "ok"],
        "additionalProperties": False,
    }
    items = [{"id": index, "name": f"item {index}", "ok": index % 2 == 0} for index in range(4_500)]
    records = json.dumps({"type": "array", "items": item})
    yield Case("array of records", "json_schema", records, [json.dumps(items)], [json.dumps(items[:9])[:-1] + MARK])
    text = json.dumps({"a": PROSE * 4_000})
    schema = json.dumps({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]})
    yield Case("one string", "json_schema", schema, [text], ['{"a": "' + PROSE + MARK])
    nested = "[" * 2_000 + "]" * 2_000
    yield Case("nested arrays", "json_schema", json.dumps(ANY_ARRAY), [nested], [nested[:-1] + MARK])
    yield Case("prose", "regex", r"[A-Z][a-z, .]*( [A-Z][a-z, .]*)*", [(PROSE * 4_000).strip()], [MARK + "it was"])
