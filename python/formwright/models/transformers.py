"""Causal language models of transformers, driven by formwright's own decode loop.

::

    model = fw.from_transformers(AutoModelForCausalLM.from_pretrained(name), AutoTokenizer.from_pretrained(name))
    model.generate("How are you?", Literal["well", "badly"])

The runtime feeds tokens to ``model.forward`` and keeps the key-value cache; only the
last row of logits comes back from the device.

Cost: one forward pass per token the model is asked for, and one copy of a row of logits.

The wrinkle: a model's logits are often wider than its tokenizer, because embeddings are
padded. The vocabulary is built for the model's width; the ids beyond it are always masked.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from formwright._dependencies import needs
from formwright.errors import PromptError
from formwright.models.base import LocalModel
from formwright.models.prompts import Message
from formwright.tokenizers import vocabulary_from

with needs("transformers", "a transformers model"):
    import torch
    from transformers import DynamicCache

__all__ = ["TransformersRuntime", "wrap"]

UNBOUNDED = 1 << 20
"""The context of a model whose configuration states none."""


class TransformersRuntime:
    """A sequence under way: the tokens fed so far, as a key-value cache."""

    def __init__(self, model: Any) -> None:
        self._model = model
        self._cache = DynamicCache(config=model.config)
        # `cache` since transformers 5.24; models of one's own may keep the former name.
        has_new_name = "cache" in inspect.signature(model.forward).parameters
        self._cache_argument = "cache" if has_new_name else "past_key_values"

    @property
    def length(self) -> int:
        """How many tokens it holds."""
        return int(self._cache.get_seq_length())

    @property
    def context(self) -> int:
        """How many tokens the model's configuration allows."""
        return int(getattr(self._model.config.get_text_config(), "max_position_embeddings", None) or UNBOUNDED)

    def prefill(self, token_ids: Sequence[int], /) -> NDArray[np.float32]:
        """Append tokens; the logits after the last."""
        ids = torch.tensor([list(token_ids)], device=self._model.device)
        with torch.inference_mode():
            output = self._model(input_ids=ids, use_cache=True, logits_to_keep=1, **{self._cache_argument: self._cache})
        logits: NDArray[np.float32] = output.logits[0, -1].float().cpu().numpy()
        return logits

    def step(self, token_id: int, /) -> NDArray[np.float32]:
        """Append one token; the logits after it."""
        return self.prefill([token_id])

    def fork(self) -> Self:
        """A copy with its own cache and the same weights."""
        twin = copy.copy(self)
        twin._cache = copy.deepcopy(self._cache)
        return twin


def wrap(model: Any, tokenizer: Any) -> LocalModel:
    """See `formwright.from_transformers`."""
    vocabulary = vocabulary_from(
        tokenizer,
        eos_token_ids=sorted(_ends(model)),
        logits_size=model.config.get_text_config().vocab_size,
    )

    def encode(prompt: str | Sequence[Message]) -> list[int]:
        if not tokenizer.chat_template:
            plain: list[int] = tokenizer(_plain(prompt))["input_ids"]
            return plain
        messages = [{"role": "user", "content": prompt}] if isinstance(prompt, str) else list(prompt)
        templated = tokenizer.apply_chat_template(messages, add_generation_prompt=True, return_dict=True)
        ids: list[int] = templated["input_ids"]
        return ids

    return LocalModel(type(model).__name__, TransformersRuntime(model), vocabulary, encode)


def _plain(prompt: str | Sequence[Message]) -> str:
    if isinstance(prompt, str):
        return prompt
    raise PromptError(
        "the tokenizer has no chat template, so messages cannot be written for this model",
        hint="pass the prompt as a str, or set tokenizer.chat_template",
    )


def _ends(model: Any) -> set[int]:
    """Every end of text that the model's two configurations declare; each may be one id or a list."""
    declared = (getattr(config, "eos_token_id", None) for config in (model.config, model.generation_config))
    lists = (ids if isinstance(ids, list) else [ids] for ids in declared)
    return {token for ids in lists for token in ids if token is not None}
