"""Prompts: what is read, and what is refused with what was expected."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import formwright as fw
from formwright.errors import PromptError
from formwright.models.prompts import read


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("Hi", "Hi"),
        ("", ""),
        ([{"role": "user", "content": "Hi"}], [{"role": "user", "content": "Hi"}]),
        (({"role": "system", "content": "Be brief."},), [{"role": "system", "content": "Be brief."}]),
        (
            [{"role": "user", "content": [{"type": "text", "text": "H"}, {"type": "input_text", "text": "i"}]}],
            [{"role": "user", "content": "Hi"}],
        ),
        ([{"role": "user", "content": "Hi", "name": "Ada"}], [{"role": "user", "content": "Hi", "name": "Ada"}]),
        ([1, 2, 0], [1, 2, 0]),
        (np.array([1, 2]), [1, 2]),
    ],
)
def test_prompts(prompt: Any, expected: Any) -> None:
    assert read(prompt, size=10) == expected


@pytest.mark.parametrize(
    ("prompt", "says"),
    [
        (b"Hi", "a bytes"),
        ("a\ud800", "lone surrogate"),
        ([{"role": "user", "content": "\ud800"}], "lone surrogate"),
        ([{"role": "user", "content": [{"type": "text", "text": "\ud800"}]}], "lone surrogate"),
        (5, "an int"),
        (None, "None"),
        ({"role": "user", "content": "Hi"}, "a dict"),
        (iter([1]), "not text, messages or token ids"),
        ([], "empty"),
        ([1, "a"], "item 1 of the prompt is a str"),
        (["a", "b"], "item 0 of the prompt is a str"),
        ([1.5], "item 0 of the prompt is a float"),
        ([1, 10], "item 1 of the prompt is 10: token ids go from 0 to 9"),
        ([-1], "item 0 of the prompt is -1"),
        ([{"role": "user", "content": "Hi"}, "a"], "message 1 is a str"),
        ([{"role": "robot", "content": "Hi"}], "message 0 has the role 'robot'"),
        ([{"content": "Hi"}], "message 0 has no role"),
        ([{"role": "user"}], "message 0 has no content"),
        ([{"role": "user", "content": None}], "the content of message 0 is None"),
        ([{"role": "user", "content": b"Hi"}], "the content of message 0 is a bytes"),
        ([{"role": "user", "content": ["Hi"]}], "part 0 of message 0 is a str"),
        ([{"role": "user", "content": [{"type": "image_url", "image_url": {}}]}], "of type 'image_url'"),
        ([{"role": "user", "content": [{"type": "text"}]}], "of type 'text'"),
    ],
)
def test_what_is_no_prompt_says_what_was_expected(prompt: Any, says: str) -> None:
    with pytest.raises(PromptError) as caught:
        read(prompt, size=10)
    assert says in str(caught.value)


def test_models_refuse_what_they_cannot_read(tiny: fw.models.LocalModel) -> None:
    for prompt in [b"Hi", 5, [tiny.vocabulary.logits_size], [{"role": "tool", "content": "Hi"}], [{"role": "user"}]]:
        with pytest.raises(PromptError):
            tiny.generate(prompt, fw.choice("a"))  # type: ignore[arg-type]
        with pytest.raises(PromptError):
            tiny.stream(prompt, fw.choice("a"))  # type: ignore[arg-type]


def test_text_parts_are_the_text(tiny: fw.models.LocalModel) -> None:
    parts = [{"type": "text", "text": "Hi "}, {"type": "text", "text": "there"}]
    one = tiny.generate([{"role": "user", "content": parts}], fw.regex("[a-z]{3}"))
    assert one == tiny.generate("Hi there", fw.regex("[a-z]{3}"))
