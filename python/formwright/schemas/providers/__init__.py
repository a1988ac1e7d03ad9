"""JSON Schemas for providers' APIs, which read a subset of JSON Schema.

::

    converted = convert({"type": "object", "properties": {"age": {"type": "integer"}}}, to="openai")
    converted.schema["properties"]["age"]   # {'anyOf': [{'type': 'integer'}, {'type': 'null'}]}
    [note.keyword for note in converted.notes]      # ['additionalProperties']
    converted.read('{"age": null}')         # {}

`rules` is the table: what each provider reads. `writer` turns a schema into that subset,
`converted` takes an answer back and checks it with the schema that was given.

Cost: the schema is compiled once for the check; a ``oneOf`` costs a few compilations more
for each pair of its branches, to prove that they exclude each other.

Nothing here talks to a provider. The rules are what its documentation says,
so a service that has moved on may refuse a converted schema, but `Converted.read` never
returns a value that the given schema forbids.
"""

from formwright.schemas.providers.converted import Converted, Note
from formwright.schemas.providers.rules import PROVIDERS, Provider
from formwright.schemas.providers.writer import convert

__all__ = ["PROVIDERS", "Converted", "Note", "Provider", "convert"]
