"""The embedded model ``formwright-tiny`` with its tokenizer and its chat format.

The chat format is one line: every message is its role as a control token followed by
its content, an answer is closed by ``<|end|>``, and the next one follows ``<|assistant|>``::

    <|user|>Ada is 36 years old.<|assistant|>{"name": "Ada", "age": 36}<|end|>

Cost: reading the weights and the tokenizer, once per process.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from formwright._dependencies import needs
from formwright.models.base import LocalModel
from formwright.models.prompts import Message
from formwright.tokenizers import vocabulary_from

with needs("local", "the embedded model"):
    from tokenizers import Tokenizer

    from formwright.models.tiny import TinyRuntime

__all__ = ["load"]

FOLDER = Path(__file__).parent / "formwright_tiny"
ROLES = ("system", "user", "assistant")


@lru_cache(maxsize=1)
def load() -> LocalModel:
    """The embedded model, loaded once and shared."""
    tokenizer = Tokenizer.from_file(str(FOLDER / "tokenizer.json"))

    def encode(prompt: str | Sequence[Message]) -> list[int]:
        ids: list[int] = tokenizer.encode(_render(prompt), add_special_tokens=False).ids
        return ids

    return LocalModel("formwright-tiny", TinyRuntime(FOLDER), vocabulary_from(tokenizer), encode, ROLES)


def _render(prompt: str | Sequence[Message]) -> str:
    messages: Sequence[Message] = [{"role": "user", "content": prompt}] if isinstance(prompt, str) else prompt
    return "".join(map(_render_message, messages)) + "<|assistant|>"


def _render_message(message: Message) -> str:
    end = "<|end|>" if message["role"] == "assistant" else ""
    return f"<|{message['role']}|>{message['content']}{end}"
