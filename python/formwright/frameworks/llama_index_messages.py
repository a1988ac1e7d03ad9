"""Read LlamaIndex's messages and tools for a question of `chats`, and make its responses from the answers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from formwright._hosts import import_host
from formwright.conversations.messages import Message
from formwright.errors import PromptError
from formwright.frameworks import chats
from formwright.tools import events

with import_host("llama_index"):
    from llama_index.core.base.llms.types import (
        ChatMessage,
        ChatResponse,
        CompletionResponse,
        MessageRole,
        TextBlock,
        ToolCallBlock,
    )

__all__ = ["GrowingResponse", "make_completion", "make_response", "make_user_message", "read_message", "read_tool"]


class GrowingResponse:
    """A response that grows with each event."""

    def __init__(self) -> None:
        self._text, self._calls = "", dict[int, ToolCallBlock]()

    def add(self, event: chats.Event) -> ChatResponse:
        """Add an event. Returns the response so far."""
        match event:
            case events.Text(text):
                self._text += text
                return ChatResponse(message=self._make_message(), delta=text)
            case events.CallBegun(number, id_, name):
                self._calls[number] = ToolCallBlock(tool_call_id=id_, tool_name=name, tool_kwargs="")
            case events.CallArguments(number, text):
                self._calls[number].tool_kwargs += text
            case _:
                return make_response(event)
        return ChatResponse(message=self._make_message(), delta="")

    def _make_message(self) -> ChatMessage:
        text = [TextBlock(text=self._text)] if self._text or not self._calls else []
        calls = [call.model_copy() for call in self._calls.values()]
        return ChatMessage(role=MessageRole.ASSISTANT, blocks=[*text, *calls])


class _Raw(dict[str, Any]):
    """A result with the tokens under ``usage``, where LlamaIndex looks for them; it has all of its attributes."""

    def __init__(self, result: Any, usage: Mapping[str, int]) -> None:
        super().__init__(usage=dict(usage))
        self.result = result

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "result":
            raise AttributeError(name)
        return getattr(self.result, name)


def make_response(answer: chats.ChatAnswer) -> ChatResponse:
    """Make the response of an answer."""
    calls = [
        ToolCallBlock(tool_call_id=call.id, tool_name=call.name, tool_kwargs=call.arguments) for call in answer.calls
    ]
    text = [TextBlock(text=answer.text)] if answer.text or not calls else []
    message = ChatMessage(role=MessageRole.ASSISTANT, blocks=[*text, *calls])
    counts = answer.token_counts
    raw = _Raw(answer.result, counts)
    return ChatResponse(message=message, raw=raw, additional_kwargs={**counts, **answer.metadata}, delta="")


def make_completion(response: ChatResponse) -> CompletionResponse:
    """Make the answer to a prompt from a response."""
    return CompletionResponse(
        text=response.message.content or "",
        delta=response.delta,
        raw=response.raw,
        additional_kwargs=response.additional_kwargs,
    )


def read_tool(tool: Any) -> Any:
    """Return a tool as `formwright.tools.tool_of` reads it."""
    return tool.metadata.to_openai_tool(skip_length_check=True) if hasattr(tool, "metadata") else tool


def read_message(message: ChatMessage) -> Message:
    """Read a message for our models. Raises PromptError."""
    where = f"a message of the role {message.role.value!r}"
    role = _ROLES.get(message.role)
    calls = [block for block in message.blocks if isinstance(block, ToolCallBlock)]
    if role is None or (calls and role != "assistant"):
        raise PromptError(f"{where} cannot be read")
    if message.additional_kwargs.get("tool_calls") and not calls:
        raise PromptError(f"{where} has calls of another LLM", hint="pass them as blocks: ToolCallBlock")
    texts = [block.text if isinstance(block, TextBlock) else block for block in message.blocks if block not in calls]
    found: Message = {"role": role, "content": chats.read_text(texts, where)}
    if role == "tool":
        found["id"] = message.additional_kwargs.get("tool_call_id") or ""
    if calls:
        found["calls"] = [
            {"id": call.tool_call_id, "name": call.tool_name, "arguments": _read_arguments(call.tool_kwargs)}
            for call in calls
        ]
    return found


_ROLES = {
    MessageRole.SYSTEM: "system",
    MessageRole.DEVELOPER: "developer",
    MessageRole.USER: "user",
    MessageRole.ASSISTANT: "assistant",
    MessageRole.CHATBOT: "assistant",
    MessageRole.MODEL: "assistant",
    MessageRole.TOOL: "tool",
}


def _read_arguments(given: dict[str, Any] | str) -> Any:
    return json.loads(given or "{}") if isinstance(given, str) else given


def make_user_message(prompt: str) -> list[ChatMessage]:
    """Make the conversation of a prompt."""
    return [ChatMessage(role=MessageRole.USER, content=prompt)]
