"""Forms in transformers' own ``generate``: what it calls at each token.

::

    model.generate(**inputs, logits_processor=[FormProcessor([constraint])])
    model.generate(**inputs, prefix_allowed_tokens_fn=AllowedTokens([constraint]))

`formwright.from_transformers(model, tokenizer)` makes them of forms: ``logits_processor(form)`` and so on. A list has
one form for each prompt of a batch. Greedy search, sampling, beams, beam sampling, several sequences for a
prompt and assisted generation are served by both. `FormGenerate` is a ``custom_generate`` with a loop of its own, in
which forced tokens cost no call of the model.

Cost: one copy of the rows' ids to the host, the masks, and one masked fill on the scores' device.

``generate`` does not pass its ``max_new_tokens`` on. Give ``max_tokens`` here too, so that texts are
complete within it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from formwright._extras import needs
from formwright._kernel import Constraint, RowBuffer, copy_allowed
from formwright.errors import ArgumentError, DeadEnd
from formwright.generation.batch import Batch, Engine
from formwright.generation.result import Truncated
from formwright.generation.rows import Rows
from formwright.generation.writing import Limits, Writing
from formwright.masks.arrays import allocate_bitmask, allowed_tokens, apply_bitmask

with needs("transformers", "forms in transformers"):
    import torch
    from transformers import LogitsProcessor
    from transformers.generation import GenerateDecoderOnlyOutput

__all__ = ["AllowedTokens", "FormGenerate", "FormProcessor"]


class FormProcessor(LogitsProcessor):  # type: ignore[misc]  # transformers is not typed for us
    """A logits processor that constrains every row.

    One may serve several runs, also at the same time: a row that does not extend an earlier row by one token is a
    prompt. A prompt that extends a row of an earlier run by one token is taken for that row: call ``reset()`` between
    runs, or make a new processor for each.

    Args:
        constraints: One for all rows, or one for each prompt.
        max_tokens: How many tokens each text may have: the ``max_new_tokens`` of the call.
        in_place: Whether to write into the scores that are passed instead of a copy. A call with ``output_logits=True``
            keeps these very scores, and would give masked ones as the model's logits.
    """

    supports_continuous_batching = False

    def __init__(
        self, constraints: Sequence[Constraint[Any]], *, max_tokens: int | None = None, in_place: bool = False
    ) -> None:
        self.rows = Rows(constraints, max_tokens=max_tokens)
        self.in_place = in_place
        self._masks: list[RowBuffer] = []

    def reset(self) -> None:
        """Forget all rows: the next ones are prompts."""
        self.rows.reset()

    def __call__(self, input_ids: torch.LongTensor, scores: torch.FloatTensor) -> torch.FloatTensor:
        """The scores, forbidden tokens at minus infinity.

        Raises:
            ArgumentError: There is not one form for each prompt.
            LimitExceeded: ``max_tokens`` is too small for any text.
            DeadEnd: Another processor has forbidden every token that the form allows.
        """
        mask = self._take_mask(len(scores))
        if scores.is_cpu and scores.dtype == torch.float32 and not scores.requires_grad:
            masked = self._mask_array(input_ids, scores, mask)
        else:
            masked = self._mask_tensor(input_ids, scores, mask)
        self._masks.append(mask)
        return masked

    def _mask_array(self, input_ids: torch.LongTensor, scores: torch.FloatTensor, mask: RowBuffer) -> torch.FloatTensor:
        """The masked scores by the kernel: a few operations of numpy cost less than as many of torch."""
        running = self.rows.fill(input_ids.numpy(), mask)
        given = scores.numpy()
        in_place = self.in_place and given.flags.c_contiguous
        out = given if in_place else np.empty(given.shape, np.float32)
        for row in copy_allowed(np.ascontiguousarray(given), mask, out):
            if running[row]:
                raise _nothing_left()
        if in_place:
            return scores
        masked: torch.FloatTensor = torch.from_numpy(out)
        return scores.copy_(masked) if self.in_place else masked

    def _mask_tensor(
        self, input_ids: torch.LongTensor, scores: torch.FloatTensor, mask: RowBuffer
    ) -> torch.FloatTensor:
        """The masked scores by operations of torch, on their device."""
        running = self.rows.fill(input_ids.cpu().numpy(), mask)
        masked: torch.FloatTensor = scores if self.in_place else scores.clone()
        apply_bitmask(masked, mask.mask)
        best = masked.amax(-1).float().cpu().numpy()
        if (np.isneginf(best) & running).any():
            raise _nothing_left()
        return masked

    def _take_mask(self, rows: int) -> RowBuffer:
        """A mask that no other run writes to."""
        try:
            mask = self._masks.pop()
        except IndexError:
            pass
        else:
            if len(mask) == rows:
                return mask
        return RowBuffer(np.empty((rows, self.rows.vocabulary.mask_words), np.int32))


def _nothing_left() -> DeadEnd:
    return DeadEnd(
        "another logits processor has forbidden every token that the form allows here",
        hint="leave min_new_tokens, bad_words_ids and the like out: the form says what may come",
    )


class AllowedTokens:
    """A ``prefix_allowed_tokens_fn``: slower than `FormProcessor`, for hosts that take nothing else.

    Args:
        constraints: One for all prompts, or one for each.
        max_tokens: How many tokens each text may have.
    """

    def __init__(self, constraints: Sequence[Constraint[Any]], *, max_tokens: int | None = None) -> None:
        self.rows = Rows(constraints, max_tokens=max_tokens)

    def reset(self) -> None:
        """Forget all rows: the next ones are prompts."""
        self.rows.reset()

    def __call__(self, batch_id: int, input_ids: torch.LongTensor) -> list[int]:
        """The ids that may come next in a row of prompt ``batch_id``."""
        mask = allocate_bitmask(1, self.rows.vocabulary)
        self.rows.fill_one(batch_id, input_ids.cpu().numpy(), mask)
        allowed: list[int] = allowed_tokens(mask).tolist()
        return allowed


class FormGenerate:
    """A ``custom_generate`` function: greedy search or sampling, in which forced tokens cost no call of the model.

    Temperature, ``top_k``, ``top_p`` and the like are applied after the mask; other processors are refused. A
    ``streamer`` sees nothing: transformers does not hand it to such functions.

    Args:
        constraints: One for all prompts, or one for each.
        batch: Makes rows of the model that ``generate`` is a method of.
    """

    def __init__(self, constraints: Sequence[Constraint[Any]], batch: Callable[[], Batch]) -> None:
        Rows(constraints)
        self._constraints, self._batch = list(constraints), batch

    def __call__(
        self,
        model: Any,
        input_ids: torch.LongTensor,
        logits_processor: Any = (),
        stopping_criteria: Any = (),
        generation_config: Any = None,
        **rest: Any,
    ) -> Any:
        """What ``generate`` gives: sequences, or an output with them.

        Raises:
            ArgumentError: Beams are asked for, or there is not one form for each prompt.
            LimitExceeded: ``max_new_tokens`` is too small for any text.
        """
        config = generation_config
        _check_call(logits_processor, config)
        if (config.num_beams or 1) > 1:
            raise ArgumentError(
                "custom_generate= writes one text for a row, not beams",
                hint="pass logits_processor=[model.logits_processor(form)] for beams",
                argument="num_beams",
            )
        each, left_over = divmod(len(input_ids), len(self._constraints))
        if left_over:
            raise ArgumentError(
                f"there are {len(self._constraints)} forms for {len(input_ids)} rows",
                hint="pass one form for all, or a list with one for each prompt",
                argument="form",
            )
        engine, held = Engine(self._batch(), gives_pieces=False), rest.get("attention_mask")
        writings = []
        for row, ids in enumerate(input_ids):
            prompt = ids.tolist() if held is None else ids[held[row].bool()].tolist()
            choose = _HostSampler(prompt, logits_processor, stopping_criteria, bool(config.do_sample), model.device)
            limits = Limits(max_tokens=int(config.max_length) - len(ids), cancel=choose.is_stopped)
            writing = Writing(self._constraints[row // each], prompt, limits, choose)
            choose.written = writing.token_ids
            engine.submit(row, lambda writing=writing: writing)  # type: ignore[misc]
            writings.append(writing)
        while not engine.is_idle:
            for turn in engine.step():
                if turn.error is not None:
                    raise turn.error
        return _output(input_ids, [_add_end(writing) for writing in writings], config)


_KEPT_TO = {
    "EpsilonLogitsWarper",
    "EtaLogitsWarper",
    "InfNanRemoveLogitsProcessor",
    "LogitNormalization",
    "MinPLogitsWarper",
    "TemperatureLogitsWarper",
    "TopHLogitsWarper",
    "TopKLogitsWarper",
    "TopPLogitsWarper",
    "TypicalLogitsWarper",
}
"""Processors that look at one row of scores and at nothing else."""


def _check_call(processors: Any, config: Any) -> None:
    """Refuse what a loop that skips forced tokens cannot keep to. Raises ArgumentError."""
    hint = "pass logits_processor=[model.logits_processor(form)] instead"
    for processor in processors:
        if type(processor).__name__ not in _KEPT_TO:
            raise ArgumentError(
                f"custom_generate= does not keep to {type(processor).__name__}: forced tokens do not pass through it",
                hint=hint,
                argument="logits_processor",
            )
    for name in ("output_logits", "output_scores", "output_attentions", "output_hidden_states"):
        if getattr(config, name, None):
            raise ArgumentError(f"custom_generate= has no {name}: forced tokens have none", hint=hint, argument=name)


class _HostSampler:
    """Chooses and stops as ``generate`` does, by its own processors and criteria."""

    def __init__(self, prompt: list[int], processors: Any, criteria: Any, draws: bool, device: Any) -> None:
        self._prompt, self._processors, self._criteria = prompt, processors, criteria
        self._draws, self._device = draws, device
        self.written: list[int] = []

    def _ids(self) -> torch.Tensor:
        return torch.tensor([[*self._prompt, *self.written]], device=self._device)

    def __call__(self, logits: Any) -> int:
        scores = torch.from_numpy(np.asarray(logits))[None].to(self._device)
        for processor in self._processors:
            scores = processor(self._ids(), scores)
        if torch.isneginf(scores.amax()):
            raise _nothing_left()
        if not self._draws:
            return int(scores.argmax())
        return int(torch.multinomial(torch.softmax(scores, -1), 1))

    def is_stopped(self) -> bool:
        """Whether a criterion of the call ends the text."""
        return bool(self.written) and any(bool(stops(self._ids(), None).all()) for stops in self._criteria)


def _add_end(writing: Writing) -> list[int]:
    """The tokens of a text, with the end that it has room for."""
    is_cut = isinstance(writing.result, Truncated) or writing.left == 0
    return writing.token_ids + ([] if is_cut else writing.matcher.constraint.vocabulary.eos_token_ids[:1])


def _output(input_ids: torch.LongTensor, rows: list[list[int]], config: Any) -> Any:
    """Sequences of one length, padded on the right."""
    pad = config.pad_token_id
    pad = pad if pad is not None else 0
    longest = max(map(len, rows))
    padded = torch.tensor([row + [pad] * (longest - len(row)) for row in rows], device=input_ids.device)
    sequences = torch.cat([input_ids, padded.to(input_ids.dtype)], -1)
    return GenerateDecoderOnlyOutput(sequences=sequences) if config.return_dict_in_generate else sequences
