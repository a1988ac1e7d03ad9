"""Conversations by the chat template of the model, which knows no tools."""

from __future__ import annotations

from typing import Any

import pytest

import formwright as fw
from formwright.conversations.messages import Message


def render_prompt(model: Any, messages: list[Message]) -> str:
    """The prompt of a conversation as a text."""
    text: bytes = model.llama.detokenize(model.encode(messages), special=True)
    return text.decode()


def test_messages_are_written_by_its_template(model: Any) -> None:
    messages: list[Any] = [
        {"role": "system", "content": "Be short."},
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": "Hello."},
        {"role": "user", "content": "Bye"},
    ]
    assert render_prompt(model, messages) == (
        "<|im_start|>system\nBe short.<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n"
        "<|im_start|>assistant\nHello.<|im_end|>\n<|im_start|>user\nBye<|im_end|>\n<|im_start|>assistant\n"
    )
    assert render_prompt(model, messages[1:]).startswith(
        "<|im_start|>system\nYou are a helpful AI assistant named SmolLM"
    )
    assert list(model.encode("Bye")) == list(model.encode([messages[-1]]))


def test_an_answer_to_messages_ends_with_its_turn(model: Any) -> None:
    messages: list[Any] = [{"role": "user", "content": "Say hello."}]
    result = model.generate(messages, fw.text(), temperature=0, max_tokens=60)
    assert isinstance(result, fw.Complete)
    assert result.prompt_tokens == len(model.encode(messages))
    assert len(result.token_ids) < 60
    assert "<|im_end|>" not in result.text


def test_its_template_has_no_tools(model: Any) -> None:
    """Tools are then described after the prompt, and calls are lines of JSON, as with any such model."""

    def weather(city: str) -> str:
        """The weather in a city."""
        return city

    assert model.with_tools is None
    assert model.style == "json_lines"
    calls = fw.tools([weather], style=model.style, calls="required", max_calls=2)
    prompt: Any = [{"role": "user", "content": "What is the weather in Oslo?"}]
    answer = model.generate(prompt, calls, instruct=True, temperature=0, max_tokens=60).value
    assert [call.name for call in answer] == ["weather"] * len(answer)
    assert answer
    with pytest.raises(fw.errors.PromptError):
        model.generate([{"role": "nobody", "content": "Hi"}], fw.choice("a", "b"))
