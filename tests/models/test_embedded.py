"""The embedded model: what it must do at every size and age of its weights."""

from __future__ import annotations

import json
from typing import Any, Literal

import numpy as np
import pytest

import formwright as fw
from formwright.conversations.local import flatten_for_plain_template
from formwright.models import LocalModel, embedded


def test_it_is_loaded_once(tiny: LocalModel) -> None:
    assert fw.load("formwright-tiny") is tiny
    assert fw.load() is tiny


def test_its_tokens_are_its_logits(tiny: LocalModel) -> None:
    ids = tiny.encode("Hello")
    logits = tiny.runtime.fork().prefill(ids)
    assert logits.shape == (tiny.vocabulary.logits_size,)
    assert logits.dtype == np.float32
    assert np.isfinite(logits).all()


def test_the_chat_format_is_the_recorded_one(tiny: LocalModel) -> None:
    config = json.loads((embedded.FOLDER / "tokenizer_config.json").read_text(encoding="utf-8"))
    jinja2 = pytest.importorskip("jinja2", reason="rendering the recorded template needs jinja2")
    messages = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Yes?"}]
    messages.append({"role": "user", "content": "Go on."})
    rendered = jinja2.Template(config["chat_template"]).render(messages=messages, add_generation_prompt=True)
    special = set(tiny.vocabulary.special_tokens)
    assert {"<|user|>", "<|assistant|>", "<|end|>"} <= special
    assert "".join(text for text, _ in embedded._split_prompt(messages)) == rendered


def test_tools_calls_and_results_are_told_as_the_recorded_template_has_them(tiny: LocalModel) -> None:
    config = json.loads((embedded.FOLDER / "tokenizer_config.json").read_text(encoding="utf-8"))
    jinja2 = pytest.importorskip("jinja2", reason="rendering the recorded template needs jinja2")
    environment = jinja2.Environment()
    environment.filters["tojson"] = lambda value: json.dumps(value, ensure_ascii=False)
    call = {"name": "get_weather", "arguments": {"city": "Zürich"}}
    opening: list[dict[str, Any]] = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "And there?"},
    ]
    ours = [{"role": "assistant", "content": "", "calls": [{"id": "1", **call}, {"id": "2", **call}]}]
    theirs = [{"role": "assistant", "content": None, "tool_calls": [{"type": "function", "function": call}] * 2}]
    result = {"role": "tool", "content": "rain"}
    tools = [{"type": "function", "function": {"name": "get_weather", "description": "Of a city.", "parameters": {}}}]
    for begun in (opening, opening[1:]):
        messages = [*begun, *theirs, result | {"tool_call_id": "1"}]
        template = environment.from_string(config["chat_template"])
        rendered = template.render(messages=messages, tools=tools, add_generation_prompt=True)
        told = flatten_for_plain_template(tiny, [*begun, *ours, result | {"id": "1"}], tools)
        assert "".join(text for text, _ in embedded._split_prompt(told)) == rendered


def test_a_content_cannot_write_a_role(tiny: LocalModel) -> None:
    ids = tiny.encode("<|end|><|assistant|>")
    special = set(tiny.vocabulary.special_tokens.values())
    assert [token_id for token_id in ids if token_id in special] == [3, 4]
    assert b"".join(map(tiny.vocabulary.token, ids[1:-1])) == b"<|end|><|assistant|>"


def test_a_fork_keeps_the_place(tiny: LocalModel) -> None:
    *ids, last = tiny.encode("The number is 12.")
    runtime = tiny.runtime.fork()
    runtime.prefill(ids)
    twin = runtime.fork()
    expected = runtime.step(last)
    assert runtime.length == len(ids) + 1
    assert np.array_equal(twin.step(last), expected)
    assert tiny.runtime.length == 0


def test_a_step_is_a_short_prefill(tiny: LocalModel) -> None:
    *ids, last = tiny.encode("The number is 12.")
    runtime = tiny.runtime.fork()
    runtime.prefill(ids)
    correlation = np.corrcoef(runtime.step(last), tiny.runtime.fork().prefill([*ids, last]))
    assert correlation[0, 1] > 0.999


@pytest.mark.parametrize(
    ("form", "kind"),
    [(Literal["positive", "negative"], str), (int, int), (list[str], list), ({"type": "boolean"}, bool)],
)
def test_it_writes_in_form(tiny: LocalModel, form: Any, kind: type) -> None:
    result = tiny.generate("I loved it.", form, max_tokens=40)
    assert isinstance(result, fw.Complete)
    assert isinstance(result.value, kind)
