"""Models of ONNX Runtime GenAI, driven by formwright's own decode loop.

::

    model = fw.from_onnx_genai(onnxruntime_genai.Model(folder), folder)
    model.generate("How are you?", Literal["well", "badly"])

GenAI has guidance of its own, which is compiled in and cannot be replaced. But its generator gives its logits and can
be rewound, so our loop drives it: a sequence is a list of ids, which the one generator holds when it is needed (see
`contexts`).

Cost: one call of the model for each token that it chooses, one for forced tokens together, and a copy of its logits.

GenAI does not give the bytes of a token, and its reader refuses some patterns of tokenizers. So the
``tokenizer.json`` of the folder is read and encodes prompts; GenAI's own tokenizer only applies its chat template.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from formwright._hosts import import_host
from formwright.conversations.prompts import PromptMessage
from formwright.errors import ArgumentError, PromptError, UnknownModel
from formwright.models.local import LocalModel
from formwright.models.runtimes.contexts import Context, ContextRuntime
from formwright.tokenizers import from_file, vocabulary_from

with import_host("onnx_genai"):
    import onnxruntime_genai

__all__ = ["wrap"]

Floats = NDArray[np.float32]


class _Generator(Context):
    """A generator of GenAI."""

    def __init__(self, model: Any, size: int) -> None:
        super().__init__()
        self._model, self._size = model, size
        self._generator = self._make_generator()

    def _make_generator(self) -> Any:
        options = onnxruntime_genai.GeneratorParams(self._model)
        options.set_search_options(max_length=self._size, batch_size=1, do_sample=False)
        return onnxruntime_genai.Generator(self._model, options)

    @property
    def size(self) -> int:
        """How many tokens it can hold."""
        return self._size

    def read_ids(self) -> NDArray[np.intc]:
        """Read the ids that it holds."""
        return np.asarray(self._generator.get_sequence(0), np.intc)

    def shorten(self, length: int) -> bool:
        """Keep the first ids only. Returns false for states that cannot be rewound."""
        if length == 0:
            self._generator = self._make_generator()
            return True
        try:
            self._generator.rewind_to(length)
        except Exception:  # of caches that slide or recur
            self._generator = self._make_generator()
            return False
        return True

    def append(self, token_ids: Sequence[int]) -> Floats:
        """Evaluate tokens. Returns the logits after the last."""
        self._generator.append_tokens(np.array(token_ids, np.int32))
        logits = np.array(self._generator.get_logits(), np.float32)
        last: Floats = logits.reshape(-1, logits.shape[-1])[-1]
        return last


def wrap(model: Any, folder: Path) -> LocalModel:
    """See `formwright.from_onnx_genai`."""
    if not isinstance(model, onnxruntime_genai.Model):
        raise ArgumentError(
            f"model: expected an onnxruntime_genai.Model, got {type(model).__name__}",
            hint="pass onnxruntime_genai.Model(str(folder)) and the folder",
            argument="model",
        )
    try:
        config = json.loads((folder / "genai_config.json").read_text(encoding="utf-8"))
        size, width = int(config["model"]["context_length"]), int(config["model"]["vocab_size"])
    except (OSError, ValueError, KeyError) as error:
        raise UnknownModel(f"{folder} holds no model of ONNX Runtime GenAI: {error!r}") from error
    tokenizer = from_file(folder / "tokenizer.json")
    ends = config["model"].get("eos_token_id", [])
    vocabulary = vocabulary_from(tokenizer, eos_token_ids=ends if isinstance(ends, list) else [ends], logits_size=width)
    runtime = ContextRuntime(_Generator(model, size))

    def encode_text(text: str) -> list[int]:
        ids: list[int] = tokenizer.encode(text, add_special_tokens=True).ids
        return ids

    encode = _make_encoder(model, tokenizer)
    return LocalModel(folder.resolve().name, runtime, vocabulary, encode, encode_text=encode_text)


def _make_encoder(model: Any, tokenizer: Any) -> Callable[[str | Sequence[PromptMessage]], list[int]]:
    """Make the encoder of prompts; the chat template is GenAI's, if it can read the tokenizer."""
    try:
        template: Any = onnxruntime_genai.Tokenizer(model)
    except Exception:  # a pattern or a template that its reader does not know
        template = None

    def encode(prompt: str | Sequence[PromptMessage]) -> list[int]:
        messages = [{"role": "user", "content": prompt}] if isinstance(prompt, str) else list(map(dict, prompt))
        text = _apply_template(template, messages)
        if text is None and not isinstance(prompt, str):
            raise PromptError(
                "GenAI has no chat template for this model, so messages cannot be written for it",
                hint="pass the prompt as a str or as token ids",
            )
        ids: list[int] = tokenizer.encode(prompt if text is None else text, add_special_tokens=text is None).ids
        return ids

    return encode


def _apply_template(template: Any, messages: Sequence[PromptMessage]) -> str | None:
    """Write a conversation as text; ``None`` if GenAI has no template."""
    if template is None:
        return None
    try:
        text: str = template.apply_chat_template(json.dumps(messages), add_generation_prompt=True)
    except Exception:  # there is none
        return None
    return text
