"""Causal language models of transformers, driven by formwright's own decode loop.

::

    model = fw.from_transformers(AutoModelForCausalLM.from_pretrained(name), AutoTokenizer.from_pretrained(name))
    model.generate("How are you?", Literal["well", "badly"])
    model.logits_processor(Literal["well", "badly"])     # for transformers' own generate

The runtime feeds tokens to ``model.forward`` and keeps the key-value cache; only the
last row of logits comes back from the device.

Cost: one forward pass for each token that the model chooses, and one copy of a row of logits. A batch has one forward
pass for all rows, padded on the left.

A model's logits are often wider than its tokenizer, because embeddings are
padded. The vocabulary is built for the model's width; the ids beyond it are always masked.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from formwright._extras import needs
from formwright._kernel import Constraint
from formwright.engines.handshake import prove
from formwright.errors import ArgumentError, UnknownModel
from formwright.forms.coerce import Canonical
from formwright.forms.form import literal
from formwright.generation.batch import Batch, Separate
from formwright.generation.trace.recorder import Trace, retrace
from formwright.models.local import LocalModel
from formwright.models.runtimes.templated import make_encoder, make_text_encoder, make_tool_encoder, make_variants
from formwright.tokenizers import vocabulary_from

with needs("transformers", "a transformers model"):
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer, DynamicCache
    from transformers.cache_utils import DynamicLayer

from formwright.engines.transformers import AllowedTokens, FormGenerate, FormProcessor

__all__ = ["TransformersBatch", "TransformersModel", "TransformersRuntime", "wrap"]

Floats = NDArray[np.float32]

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

    def prefill(self, token_ids: Sequence[int], /) -> Floats:
        """Append tokens. Returns the logits after the last."""
        logits: Floats = self._forward(token_ids, 1)[-1]
        return logits

    def step(self, token_id: int, /) -> Floats:
        """Append one token. Returns the logits after it."""
        return self.prefill([token_id])

    def score(self, token_ids: Sequence[int], /) -> Floats:
        """Append tokens. Returns the logits after each of them, of shape ``(tokens, width)``."""
        return self._forward(token_ids, len(token_ids))

    def fork(self) -> Self:
        """Make a copy with its own cache and the same weights."""
        twin = copy.copy(self)
        twin._cache = copy.deepcopy(self._cache)
        return twin

    def batch(self) -> Batch:
        """Make an empty batch; if the model has other caches than plain ones, each row has a call of its own."""
        plain = all(type(layer) is DynamicLayer for layer in self._cache.layers)
        if not plain or not self._cache.layers:
            return Separate(TransformersRuntime(self._model))
        return TransformersBatch(self._model, self._cache_argument)

    def _forward(self, token_ids: Sequence[int], kept: int) -> Floats:
        ids = torch.tensor([list(token_ids)], device=self._model.device)
        with torch.inference_mode():
            output = self._model(
                input_ids=ids, use_cache=True, logits_to_keep=kept, **{self._cache_argument: self._cache}
            )
        logits: Floats = output.logits[0].float().cpu().numpy()
        return logits


class TransformersBatch:
    """Rows that share forward passes: one cache, padded on the left."""

    def __init__(self, model: Any, cache_argument: str) -> None:
        self._model, self._cache_argument = model, cache_argument
        self._cache: Any = None
        self._held = torch.zeros((0, 0), dtype=torch.long, device=model.device)
        """1 where the cache holds a token of the row, 0 where it holds padding."""

    def __len__(self) -> int:
        return len(self._held)

    def add(self, prompts: Sequence[Sequence[int]], /) -> Floats:
        """Add rows after the others. Returns the logits after the last token of each."""
        cache = DynamicCache(config=self._model.config)
        ids, held = self._pad_rows(prompts)
        logits = self._forward(ids, held, cache)
        self._join(cache, held)
        return logits

    def step(self, token_ids: Sequence[Sequence[int]], /) -> Floats:
        """Append tokens to every row, or none. Returns the logits after the last of each."""
        ids, new = self._pad_rows(token_ids)
        if self._held.shape[1] > 2 * int(self._held.sum(1).max()):
            self._pack()
        self._held = torch.cat([self._held, new], 1)
        return self._forward(ids, self._held, self._cache)

    def select(self, rows: Sequence[int], /) -> None:
        """Keep these rows, in this order."""
        kept = torch.tensor(list(rows), dtype=torch.long, device=self._model.device)
        self._held = self._held[kept]
        padding = int(self._held.cumsum(1).eq(0).all(0).sum()) if len(rows) else self._held.shape[1]
        self._held = self._held[:, padding:]
        for layer in self._cache.layers:
            layer.keys, layer.values = layer.keys[kept][:, :, padding:], layer.values[kept][:, :, padding:]

    def _pack(self) -> None:
        """Move the padding between the tokens of each row to its left, and drop what all rows have."""
        width = int(self._held.sum(1).max())
        order = self._held.argsort(1, stable=True)[:, -width:]  # where a row holds tokens comes last, in order
        self._held = self._held.gather(1, order)
        for layer in self._cache.layers:
            index = order[:, None, :, None].expand(-1, layer.keys.shape[1], -1, layer.keys.shape[3])
            layer.keys, layer.values = layer.keys.gather(2, index), layer.values.gather(2, index)

    def _pad_rows(self, rows: Sequence[Sequence[int]]) -> tuple[torch.Tensor, torch.Tensor]:
        """Pad rows on the left to one length. Returns the ids, and where they hold tokens."""
        longest = max(map(len, rows))
        if not longest:
            raise ValueError("no row is given a token")
        ids = [[0] * (longest - len(row)) + list(row) for row in rows]
        held = [[0] * (longest - len(row)) + [1] * len(row) for row in rows]
        return torch.tensor(ids, device=self._model.device), torch.tensor(held, device=self._model.device)

    def _join(self, cache: Any, held: torch.Tensor) -> None:
        """Put the rows of another cache after those of this one."""
        if not len(self):
            self._cache, self._held = cache, held
            return
        total = max(self._held.shape[1], held.shape[1])
        self._held = torch.cat([_pad_front(self._held, total), _pad_front(held, total)])
        for layer, other in zip(self._cache.layers, cache.layers, strict=True):
            layer.keys = torch.cat([_pad_front(layer.keys, total, 2), _pad_front(other.keys, total, 2)])
            layer.values = torch.cat([_pad_front(layer.values, total, 2), _pad_front(other.values, total, 2)])

    def _forward(self, ids: torch.Tensor, held: torch.Tensor, cache: Any) -> Floats:
        positions = (held.cumsum(1) - 1).clamp(min=0)[:, -ids.shape[1] :]
        with torch.inference_mode():
            output = self._model(
                input_ids=ids,
                attention_mask=held,
                position_ids=positions,
                use_cache=True,
                logits_to_keep=1,
                **{self._cache_argument: cache},
            )
        logits: Floats = output.logits[:, -1].float().cpu().numpy()
        return logits


def _pad_front(tensor: torch.Tensor, total: int, axis: int = 1) -> torch.Tensor:
    """Put zeros before a tensor, up to a size of ``total`` along an axis."""
    missing = total - tensor.shape[axis]
    padding = [0, 0] * (tensor.dim() - 1 - axis) + [missing, 0]
    return torch.nn.functional.pad(tensor, padding)


@dataclass(frozen=True, slots=True, repr=False)
class TransformersModel(LocalModel):
    """A model of transformers: it generates by itself, and makes what its own ``generate`` takes.

    Attributes:
        network: The ``PreTrainedModel``.
    """

    network: Any = None

    def logits_processor(
        self,
        form: Any,
        *,
        max_tokens: int | None = None,
        canonical: Canonical | None = None,
        in_place: bool = False,
    ) -> FormProcessor:
        """Make a logits processor for ``network.generate(..., logits_processor=[...])``.

        The first one of a model tests that its ``generate`` applies forms, which writes two texts of a few tokens.

        Args:
            form: Anything `formwright.form` takes, or a list or tuple with one for each prompt of the batch.
            max_tokens: The ``max_new_tokens`` of the call: texts are then complete within it. ``None`` lets
                ``generate`` cut them.
            canonical: As `generate`.
            in_place: Whether to write into the scores of the call, which saves a copy of them for each token. Not with
                ``output_logits=True``, which keeps the same scores.

        Raises:
            NotAForm, LanguageError: A form cannot be read or enforced.
            ArgumentError: There is no form, or ``max_tokens`` is wrong.
            HostMismatch: ``generate`` does not use its processors.
        """
        constraints = self._compile_all(form, canonical)
        processor = FormProcessor(constraints, max_tokens=max_tokens, in_place=in_place)
        if not getattr(self.network, "_formwright_proved", False):
            prove("the generate method of this model", self._write_canary)
            self.network._formwright_proved = True
        return processor

    def prefix_allowed_tokens_fn(
        self, form: Any, *, max_tokens: int | None = None, canonical: Canonical | None = None
    ) -> AllowedTokens:
        """Make the same as a function, for ``network.generate(..., prefix_allowed_tokens_fn=...)``."""
        return AllowedTokens(self._compile_all(form, canonical), max_tokens=max_tokens)

    def custom_generate(self, form: Any, *, canonical: Canonical | None = None) -> FormGenerate:
        """Make a loop for ``network.generate(..., custom_generate=...)``, in which forced tokens cost no call of it.

        Its budget is the call's ``max_new_tokens``. It applies the temperature, ``top_k``, ``top_p`` and stopping
        criteria of the call, and refuses processors that forced tokens would have to pass through.
        """
        return FormGenerate(self._compile_all(form, canonical), TransformersRuntime(self.network).batch)

    def trace(self, output: Any, form: Any, *, row: int = 0, max_tokens: int | None = None) -> Trace:
        """Trace a text that ``network.generate(...)`` has written.

        Args:
            output: What it returned, with ``return_dict_in_generate=True, output_logits=True``.
            form: The form of the text.
            row: Which of the sequences.
            max_tokens: The budget of the text, if it had one.

        Raises:
            ArgumentError: The output has no logits, or was made by beams, or has no such row.
        """
        logits = getattr(output, "logits", None)
        if logits is None or getattr(output, "beam_indices", None) is not None:
            raise ArgumentError(
                "the output has no logits of its sequences",
                hint="call generate with return_dict_in_generate=True, output_logits=True, and without beams",
                argument="output",
            )
        if not 0 <= row < len(output.sequences):
            raise ArgumentError(f"there is no row {row}: the output has {len(output.sequences)}", argument="row")
        ids = output.sequences[row].tolist()
        prompt, written = ids[: len(ids) - len(logits)], ids[len(ids) - len(logits) :]
        matcher = self._compile(form, None).matcher(prompt)
        steps = [step[row].float().cpu().numpy() for step in logits]
        return retrace(matcher, written, steps, max_tokens=max_tokens)

    def _write_canary(self, text: str) -> str:
        """Return what ``generate`` writes with a form that has this text only."""
        ends = self.vocabulary.eos_token_ids
        prompt = torch.tensor([ends[:1]], device=self.network.device)
        output = self.network.generate(
            prompt,
            attention_mask=torch.ones_like(prompt),
            max_new_tokens=len(text),
            do_sample=False,
            num_beams=1,
            pad_token_id=ends[0],
            logits_processor=[FormProcessor([self._compile(literal(text), None)])],
        )
        written = output[0].tolist()[1:] if hasattr(output, "tolist") else output.sequences[0].tolist()[1:]
        return b"".join(map(self.vocabulary.token, written)).decode(errors="replace")

    def _compile_all(self, form: Any, canonical: Canonical | None) -> list[Constraint[Any]]:
        forms = form if isinstance(form, list | tuple) else [form]
        return [self._compile(each, canonical) for each in forms]


def read(folder: Path) -> TransformersModel:
    """Load the causal language model in a folder, with its tokenizer; no code of it is run, and nothing is fetched.

    Raises:
        UnknownModel: There is none.
    """
    options: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
    try:
        tokenizer: Any = AutoTokenizer.from_pretrained(folder, **options)
        network: Any = AutoModelForCausalLM.from_pretrained(folder, **options)
    except (OSError, ValueError, KeyError) as error:
        raise UnknownModel(f"{folder} holds no causal language model of transformers: {error}") from error
    return replace(wrap(network.eval(), tokenizer), name=folder.resolve().name)


def wrap(model: Any, tokenizer: Any) -> TransformersModel:
    """See `formwright.from_transformers`."""
    if not hasattr(model, "config") or not hasattr(tokenizer, "get_vocab"):
        raise ArgumentError(
            f"expected a model and its tokenizer, got {type(model).__name__} and {type(tokenizer).__name__}",
            hint="pass AutoModelForCausalLM.from_pretrained(name) and AutoTokenizer.from_pretrained(name)",
            argument="model",
        )
    vocabulary = vocabulary_from(
        tokenizer,
        eos_token_ids=sorted(_list_ends(model)),
        logits_size=model.config.get_text_config().vocab_size,
    )

    name = type(model).__name__
    style, with_tools = make_tool_encoder(tokenizer)
    return TransformersModel(
        name,
        TransformersRuntime(model),
        vocabulary,
        make_encoder(tokenizer),
        style=style,
        with_tools=with_tools,
        encode_text=make_text_encoder(tokenizer),
        variants=make_variants(tokenizer),
        network=model,
    )


def _list_ends(model: Any) -> set[int]:
    """List the ends of text that the model's two configurations declare; each may be one id or a list."""
    declared = (getattr(config, "eos_token_id", None) for config in (model.config, model.generation_config))
    lists = (ids if isinstance(ids, list) else [ids] for ids in declared)
    return {token for ids in lists for token in ids if token is not None}
