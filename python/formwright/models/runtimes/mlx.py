"""Models of MLX-LM, driven by formwright's own decode loop.

::

    model = fw.from_mlx(*mlx_lm.load("some-model"))
    model.generate("How are you?", Literal["well", "badly"])
    model.logits_processor(Literal["well", "badly"])     # for MLX-LM's own generate

Cost: one call of the model for each token that it chooses, one for forced tokens together, and a copy of its logits.

A fork copies the model's cache when it is made; arrays of MLX are shared until they are written.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from formwright._hosts import import_host
from formwright.engines.handshake import prove
from formwright.errors import ArgumentError
from formwright.forms.coerce import Canonical
from formwright.forms.form import literal
from formwright.models.local import LocalModel
from formwright.models.runtimes.templated import make_encoder, make_text_encoder, make_tool_encoder, make_variants
from formwright.tokenizers import vocabulary_from

with import_host("mlx"):
    import mlx.core as mx
    from mlx_lm.generate import generate_step
    from mlx_lm.models.cache import make_prompt_cache

from formwright.engines.mlx import FormProcessor

__all__ = ["MlxModel", "MlxRuntime", "wrap"]

Floats = NDArray[np.float32]

_AT_A_TIME = 2048
"""Tokens of a prompt that are evaluated in one call at most."""

UNBOUNDED = 1 << 20
"""The context of a model whose configuration states none."""


class MlxRuntime:
    """A sequence under way: the tokens fed so far, as a cache of the model."""

    def __init__(self, model: Any) -> None:
        self._model, self._cache, self._length = model, make_prompt_cache(model), 0

    @property
    def length(self) -> int:
        """How many tokens it holds."""
        return self._length

    @property
    def context(self) -> int:
        """How many tokens the model's configuration allows."""
        return int(getattr(self._model.args, "max_position_embeddings", None) or UNBOUNDED)

    def prefill(self, token_ids: Sequence[int], /) -> Floats:
        """Append tokens. Returns the logits after the last, of shape ``(vocabulary,)``."""
        *before, last = [token_ids[at : at + _AT_A_TIME] for at in range(0, len(token_ids), _AT_A_TIME)]
        for part in before:
            self._forward(part)
        logits: Floats = self._forward(last)[-1]
        return logits

    def step(self, token_id: int, /) -> Floats:
        """Append one token. Returns the logits after it."""
        return self.prefill([token_id])

    def score(self, token_ids: Sequence[int], /) -> Floats:
        """Append tokens. Returns the logits after each of them, of shape ``(tokens, vocabulary)``."""
        return self._forward(token_ids)

    def fork(self) -> Self:
        """Make a copy with its own cache and the same weights."""
        twin = copy.copy(self)
        twin._cache = copy.deepcopy(self._cache)
        return twin

    def _forward(self, token_ids: Sequence[int]) -> Floats:
        logits = self._model(mx.array([list(token_ids)]), cache=self._cache)[0].astype(mx.float32)
        self._length += len(token_ids)
        return np.array(logits)


@dataclass(frozen=True, slots=True, repr=False)
class MlxModel(LocalModel):
    """A model of MLX-LM: it generates by itself, and makes what MLX-LM's own functions take.

    Attributes:
        network: The model, as ``mlx_lm.load`` gives it.
        tokenizer: Its tokenizer.
    """

    network: Any = None
    tokenizer: Any = None

    def logits_processor(
        self, form: Any, *, max_tokens: int | None = None, canonical: Canonical | None = None
    ) -> FormProcessor:
        """Make a logits processor for one text of ``mlx_lm.generate(..., logits_processors=[...])`` and the like.

        The first one of a model tests that MLX-LM applies forms, which writes two texts of a few tokens.

        Args:
            form: Anything `formwright.form` takes.
            max_tokens: The ``max_tokens`` of the call: the text is then complete within it. ``None`` lets it cut it.
            canonical: As `generate`.

        Raises:
            NotAForm, LanguageError: The form cannot be read or enforced.
            ArgumentError: ``max_tokens`` is wrong.
            HostMismatch: MLX-LM does not apply what a processor returns.
        """
        processor = FormProcessor(self._compile(form, canonical), max_tokens=max_tokens)
        if not getattr(self.tokenizer, "_formwright_proved", False):
            prove("MLX-LM", self._write_canary)
            object.__setattr__(self.tokenizer, "_formwright_proved", True)
        return processor

    def _write_canary(self, text: str) -> str:
        """Return what MLX-LM's own loop writes with a form that has this text only."""
        ends, written = self.vocabulary.eos_token_ids, list[int]()
        processor = FormProcessor(self._compile(literal(text), None))
        prompt = mx.array(ends[:1])
        for token, _ in generate_step(prompt, self.network, max_tokens=len(text) + 1, logits_processors=[processor]):
            if token in ends:
                break
            written.append(int(token))
        return b"".join(map(self.vocabulary.token, written)).decode(errors="replace")


def wrap(model: Any, tokenizer: Any) -> MlxModel:
    """See `formwright.from_mlx`."""
    plain = getattr(tokenizer, "_tokenizer", tokenizer)
    if not callable(model) or not hasattr(model, "args") or not hasattr(plain, "get_vocab"):
        raise ArgumentError(
            f"expected a model and its tokenizer, got {type(model).__name__} and {type(tokenizer).__name__}",
            hint="pass *mlx_lm.load(name)",
            argument="model",
        )
    ends = sorted(set(getattr(tokenizer, "eos_token_ids", None) or ()))
    vocabulary = vocabulary_from(plain, eos_token_ids=ends, logits_size=int(model.args.vocab_size))
    style, with_tools = make_tool_encoder(plain)
    return MlxModel(
        str(getattr(model, "model_type", "mlx")),
        MlxRuntime(model),
        vocabulary,
        make_encoder(plain),
        style=style,
        with_tools=with_tools,
        encode_text=make_text_encoder(plain),
        variants=make_variants(plain),
        network=model,
        tokenizer=tokenizer,
    )
