"""Messages after they were read: texts of contents, places of instructions, calls."""

from __future__ import annotations

from typing import Any

import pytest

from formwright.conversations.messages import add_instruction, has_calls, join_text

USER: dict[str, Any] = {"role": "user", "content": "Hi"}
SYSTEM: dict[str, Any] = {"role": "system", "content": "Be kind.", "name": "x"}


def test_the_text_of_a_content() -> None:
    def read_part(part: Any, number: int) -> str:
        return f"{number}{part}"

    assert join_text("Hi", read_part) == "Hi"
    assert join_text(["a", "b"], read_part) == "0a1b"
    assert join_text([], read_part) == ""
    for wrong in (None, 7, b"Hi", {"type": "text", "text": "Hi"}):
        assert join_text(wrong, read_part) is None


def test_an_instruction_is_added_to_a_message_or_has_its_own() -> None:
    messages = [SYSTEM, USER]
    assert add_instruction([USER], "Be brief.", None) == [{"role": "system", "content": "Be brief."}, USER]
    assert add_instruction(messages, "Be brief.", 0) == [SYSTEM | {"content": "Be kind.\n\nBe brief."}, USER]
    assert add_instruction(messages, "Be brief.", 1, "\n") == [SYSTEM, USER | {"content": "Hi\nBe brief."}]
    assert messages == [SYSTEM, USER]


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (USER, False),
        ({"role": "assistant", "content": "x", "calls": []}, False),
        ({"role": "assistant", "content": "", "calls": [{"id": "", "name": "f", "arguments": {}}]}, True),
        ({"role": "tool", "content": "3", "id": ""}, True),
    ],
)
def test_conversations_with_calls(message: Any, expected: bool) -> None:
    assert has_calls([USER, message]) is expected
