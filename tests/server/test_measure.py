"""The fields of a given text: as the model here measures them, and nothing else beside them."""

from __future__ import annotations

import json
from typing import Any

import pytest

import formwright as fw

httpx = pytest.importorskip("httpx")

from .conftest import MODEL  # noqa: E402
from .test_faults import asked  # noqa: E402

PROMPT = "Clara Novak, 34, lives in Prague."
SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "age": {"type": "integer", "minimum": 0, "maximum": 120},
        "city": {"type": ["string", "null"]},
    },
    "required": ["name", "age", "city"],
    "additionalProperties": False,
}
FORMAT = {"type": "json_schema", "json_schema": {"name": "home", "strict": True, "schema": SCHEMA}}


def measuring(text: Any, **fields: Any) -> dict[str, Any]:
    messages = [{"role": "user", "content": PROMPT}]
    return {"model": MODEL, "messages": messages, "response_format": FORMAT, "measure": text} | fields


def test_fields_are_those_of_the_model(served: Any, tiny: fw.models.LocalModel) -> None:
    result = tiny.generate(PROMPT, SCHEMA, max_tokens=60)
    answer = asked(served.url, measuring(result.text)).json()
    found = answer["formwright"]["fields"]
    assert list(found) == ["/name", "/age", "/city"]
    for pointer, field in result.fields.items():
        entry = found[pointer]
        assert (entry["value"], entry["text"], entry["basis"]) == (field.value, field.text, field.basis)
        assert entry["probability"] == pytest.approx(field.probability, abs=1e-6)
        assert [other["value"] for other in entry["alternatives"]] == [other.value for other in field.alternatives]
    assert answer["choices"][0]["message"]["content"] == result.text
    assert answer["usage"]["completion_tokens"] == 0


@pytest.mark.parametrize(
    ("text", "fields", "param"),
    [
        ("{}", {}, "measure"),
        ("no JSON", {}, "measure"),
        (3, {}, "measure"),
        ("x" * 40_000, {}, "measure"),
        (json.dumps({"name": "a", "age": 1, "city": None}), {"n": 2}, "n"),
        (json.dumps({"name": "a", "age": 1, "city": None}), {"stream": True}, "stream"),
        (json.dumps({"name": "a", "age": 1, "city": None}), {"score": ["yes"], "response_format": None}, "measure"),
        (json.dumps({"name": "word " * 3000, "age": 1, "city": None}), {}, "messages"),
    ],
)
def test_what_cannot_be_measured_is_a_400(served: Any, text: Any, fields: Any, param: str) -> None:
    answer = asked(served.url, measuring(text, **fields))
    assert answer.status_code == 400
    assert answer.json()["error"]["param"] == param


def test_other_endpoints_do_not_measure(served: Any) -> None:
    body = {"model": MODEL, "prompt": PROMPT, "measure": "{}"}
    answer = httpx.post(f"{served.url}/v1/completions", json=body)
    assert answer.status_code == 400
