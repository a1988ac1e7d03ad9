"""A thousand random generations of the embedded model: none invalid, none unfinished.

Twenty schemas, fifty seeds each, at a temperature where the model's opinion is nearly
noise. An independent validator judges every instance, formats included.
``FORMWRIGHT_SEEDS`` sets the number of seeds.
"""

from __future__ import annotations

import json
import os
from typing import Any

import pytest
from parameters import slow_except

import formwright as fw

SEEDS = int(os.environ.get("FORMWRIGHT_SEEDS", "50"))


def closed(**properties: Any) -> dict[str, Any]:
    required = [name for name, schema in properties.items() if "default" not in schema]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


SCHEMAS: dict[str, dict[str, Any]] = {
    "anything": {},
    "person": closed(name={"type": "string", "minLength": 1}, age={"type": "integer", "minimum": 0, "maximum": 150}),
    "open": {"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"], "maxProperties": 3},
    "map": {"type": "object", "additionalProperties": {"type": "boolean"}, "minProperties": 1},
    "optional": closed(a={"type": "integer", "default": 0}, b={"type": "null", "default": None}, c={"const": [1, "x"]}),
    "list": {"type": "array", "items": {"enum": ["red", "green", 3, None]}, "minItems": 2, "maxItems": 5},
    "tuple": {"type": "array", "prefixItems": [{"type": "string"}, {"type": "number"}], "items": False, "minItems": 2},
    "matrix": {"type": "array", "items": {"type": "array", "items": {"type": "number"}, "minItems": 2}, "minItems": 1},
    "tree": {
        "$defs": {"node": closed(label={"type": "string", "maxLength": 5}, kids={"$ref": "#/$defs/nodes"})},
        "$ref": "#/$defs/node",
    },
    "union": {"anyOf": [{"type": "string", "pattern": "^[A-Z]{3}$"}, {"type": "integer", "exclusiveMinimum": 10}]},
    "tagged": {
        "oneOf": [
            closed(kind={"const": "circle"}, radius={"type": "number", "exclusiveMinimum": 0}),
            closed(kind={"const": "square"}, side={"type": "number", "minimum": 1, "maximum": 9.5}),
        ]
    },
    "merged": {"allOf": [{"type": "integer", "minimum": -20}, {"maximum": 20}, {"multipleOf": 3}]},
    "number": {"type": "number", "minimum": -0.5, "exclusiveMaximum": 2.25},
    "code": closed(code={"type": "string", "pattern": "^[a-z]{2}-[0-9]{3,5}$"}, tag={"type": "string", "pattern": "x"}),
    "lengths": {"type": "array", "items": {"type": "string", "minLength": 2, "maxLength": 4}, "maxItems": 3},
    "dates": closed(date={"type": "string", "format": "date"}, at={"type": "string", "format": "date-time"}),
    "times": closed(time={"type": "string", "format": "time"}, span={"type": "string", "format": "duration"}),
    "hosts": closed(v4={"type": "string", "format": "ipv4"}, v6={"type": "string", "format": "ipv6"}),
    "ids": closed(id={"type": "string", "format": "uuid"}, mail={"type": "string", "format": "email"}),
    "names": closed(url={"type": "string", "format": "uri"}, host={"type": "string", "format": "hostname"}),
}
SCHEMAS["tree"]["$defs"]["nodes"] = {"type": "array", "items": {"$ref": "#/$defs/node"}, "maxItems": 2}


def test_a_thousand_are_written_of_twenty_different_forms(tiny: fw.models.LocalModel) -> None:
    """Different by what they may write: no two allow the same tokens along their shortest texts."""
    assert SEEDS * len(SCHEMAS) >= 1000 or "FORMWRIGHT_SEEDS" in os.environ
    assert len({(form.example(), first_masks(form, tiny.vocabulary)) for form in map(fw.form, SCHEMAS.values())}) == 20


def first_masks(form: fw.Form[Any], vocabulary: fw.Vocabulary) -> bytes:
    matcher, mask = fw.compile(form, vocabulary).matcher(), fw.allocate_bitmask(1, vocabulary)
    masks = []
    for byte in form.example().encode()[:8]:
        matcher.fill_bitmask(mask)
        masks.append(mask.tobytes())
        matcher.accept_bytes(bytes([byte]))
    return b"".join(masks)


@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", SCHEMAS)
@pytest.mark.parametrize("seeds", slow_except([range(2)], [range(2), range(2, SEEDS)]), ids=str)
def test_every_generation_is_complete_and_valid(tiny: fw.models.LocalModel, name: str, seeds: range) -> None:
    import jsonschema

    judge = jsonschema.Draft202012Validator
    validator = judge(SCHEMAS[name], format_checker=judge.FORMAT_CHECKER)
    for seed in seeds:
        result = tiny.generate(f"Write {name}.", SCHEMAS[name], max_tokens=80, temperature=1.5, seed=seed)
        assert isinstance(result, fw.Complete), (seed, result)
        assert len(result.token_ids) <= 80
        validator.validate(result.value)
        assert result.value == json.loads(result.text)
