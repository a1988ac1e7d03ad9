"""The embedded model ``formwright-tiny`` with its tokenizer and its chat format.

The chat format is one line: every message is its role as a control token followed by
its content, an answer is closed by ``<|end|>``, and the next one follows ``<|assistant|>``::

    <|user|>Ada is 36 years old.<|assistant|>{"name": "Ada", "age": 36}<|end|>

Contents are always text, even if they spell a control token: a content cannot end its
message or begin another. Tools are listed in the system message, each as a line of JSON,
and calls are written in the style of Hermes.

The weights and the tokenizer are read once per process.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from formwright._extras import needs
from formwright.conversations.prompts import PromptMessage
from formwright.models.local import LocalModel
from formwright.tokenizers import vocabulary_from

with needs("local", "the embedded model"):
    from tokenizers import Tokenizer

    from formwright.models.runtimes.tiny import TinyRuntime

__all__ = ["load"]

FOLDER = Path(__file__).parent / "formwright_tiny"
ROLES = ("system", "user", "assistant")


@lru_cache(maxsize=1)
def load() -> LocalModel:
    """Load the embedded model, once; all callers share it."""
    tokenizer = Tokenizer.from_file(str(FOLDER / "tokenizer.json"))
    vocabulary = vocabulary_from(tokenizer)
    tokenizer.encode_special_tokens = True  # encode their names as text: a content cannot write a role

    def encode(prompt: str | Sequence[PromptMessage]) -> list[int]:
        return [token_id for piece in _split_prompt(prompt) for token_id in encode_part(*piece)]

    def encode_part(text: str, is_control: bool) -> list[int]:
        ids: list[int] = tokenizer.encode(text, add_special_tokens=False).ids
        return [vocabulary.special_tokens[text]] if is_control else ids

    def encode_text(text: str) -> list[int]:
        return encode_part(text, False)

    return LocalModel(
        "formwright-tiny",
        TinyRuntime(FOLDER),
        vocabulary,
        encode,
        ROLES,
        style="hermes",
        list_tools=_list_tools,
        encode_text=encode_text,
    )


def _list_tools(tools: Sequence[Mapping[str, Any]]) -> str:
    """List the tools as the model was trained to read them."""
    return "\n".join(["Tools:", *(json.dumps(tool["function"], ensure_ascii=False) for tool in tools)])


def _split_prompt(prompt: str | Sequence[PromptMessage]) -> Iterator[tuple[str, bool]]:
    """Split a prompt into the parts of the chat format; for each, whether it is a control token."""
    messages: Sequence[PromptMessage] = [{"role": "user", "content": prompt}] if isinstance(prompt, str) else prompt
    for message in messages:
        yield f"<|{message['role']}|>", True
        yield message["content"], False
        if message["role"] == "assistant":
            yield "<|end|>", True
    yield "<|assistant|>", True
