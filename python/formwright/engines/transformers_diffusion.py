"""Forms in the diffusion loop of transformers: the ``generate`` of ``DiffusionGemmaForBlockDiffusion``.

::

    processor = CanvasProcessor([constraint])      # for generate(logits_processor=LogitsProcessorList([processor]))
    scores = torch.zeros((1, 6, constraint.vocabulary.logits_size))
    processor(torch.tensor([prompt_ids]), scores, cur_step=48).argmax(-1).shape     # torch.Size([1, 6]): "yes" or "no"

``generate`` fills a canvas of positions in several steps, and passes the logits of all of them, of shape
``(rows, canvas_length, vocabulary)``, to its logits processors. What it returns are the most probable tokens of the
last step. So in each step, the processor places the tokens of the positions that it accepts, one after the other, and
leaves no other token there; elsewhere it masks what no longer fits, and gives the highest score to the token of the
most probable conforming filling. Whenever ``generate`` stops, the most probable tokens are then a conforming text.

Positions are accepted as `formwright.generation.diffusion.EntropyBound` says: give it the numbers of the model's
generation config. Several canvases, one after the other, need ``max_tokens``. A streamer of drafts shows conforming
texts.

Cost: in each step and for each row, the logits come to the host, two times the masks of all holes, one most probable
filling, and a softmax over the logits of each position.

Checked with transformers 5.24.0 and random weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from formwright._extras import needs
from formwright._kernel import Constraint
from formwright.errors import ArgumentError
from formwright.generation.diffusion import EntropyBound, mask_rows
from formwright.masks.canvas import Canvas

with needs("transformers", "forms in transformers"):
    import torch
    from transformers import LogitsProcessor

__all__ = ["CanvasProcessor"]


class CanvasProcessor(LogitsProcessor):  # type: ignore[misc]  # transformers is not typed for us
    """A logits processor that constrains the canvas of every row. For one call of ``generate``.

    Args:
        constraints: One for all rows, or one for each prompt.
        policy: Which positions a step accepts.
        max_tokens: The ``max_new_tokens`` of the call; ``None`` is one canvas.
        seed: Makes the tokens of accepted positions repeatable.
    """

    def __init__(
        self,
        constraints: Sequence[Constraint[Any]],
        *,
        policy: EntropyBound | None = None,
        max_tokens: int | None = None,
        seed: int | None = None,
    ) -> None:
        if not constraints:
            raise ArgumentError("there is no form: pass one for all rows, or one for each prompt", argument="form")
        self._constraints, self._policy = list(constraints), EntropyBound() if policy is None else policy
        self._max_tokens, self._random = max_tokens, np.random.default_rng(seed)
        self._prompt_tokens: int | None = None

    def __call__(self, input_ids: torch.LongTensor, scores: torch.FloatTensor, cur_step: Any) -> torch.FloatTensor:
        """Return the scores of a step, of shape ``(rows, canvas_length, vocabulary)``.

        Args:
            input_ids: The prompts and the canvases that are finished, of shape ``(rows, tokens)``.
            scores: The logits.
            cur_step: How many steps are left, this one included.

        Raises:
            ArgumentError: There is not one form for each prompt, or ``scores`` are not those of a canvas.
            LimitExceeded: No text of the form has room.
            DeadEnd: The logits are not numbers, or the model gives no token that fits a probability.
        """
        if scores.ndim != 3 or len(self._constraints) not in (1, len(scores)):
            said = f"{len(self._constraints)} forms, logits of shape {tuple(scores.shape)}"
            raise ArgumentError(f"expected logits of canvases and a form for each, got {said}", argument="form")
        if self._prompt_tokens is None:
            self._prompt_tokens = input_ids.shape[1]
        masked = scores.detach().float().cpu().numpy().copy()
        for row, (tokens, logits) in enumerate(zip(input_ids.tolist(), masked, strict=True)):
            constraint = self._constraints[row % len(self._constraints)]
            self._write_row(constraint, tokens[self._prompt_tokens :], logits, int(cur_step))
        return torch.from_numpy(masked).to(scores)

    def _write_row(
        self, constraint: Constraint[Any], written: list[int], logits: NDArray[np.float32], steps_left: int
    ) -> None:
        """Write the scores of a row in place of its logits."""
        ends = constraint.vocabulary.eos_token_ids
        if any(token_id in ends for token_id in written):
            return  # the text is over: the host puts padding into this canvas
        canvas, start = self._open_canvas(constraint, written, len(logits)), len(written)
        rows = np.vstack([np.zeros((start, logits.shape[1]), np.float32), logits])
        holes = canvas.holes
        left = min(1.0, steps_left / self._policy.steps)
        choice = self._policy.choose(mask_rows(canvas, constraint.vocabulary, rows), holes, left, self._random)
        canvas.place_all(choice.positions, choice.token_ids)
        best = canvas.best(rows).token_ids
        if still := canvas.holes:
            rows[still] = mask_rows(canvas, constraint.vocabulary, rows)
        placed = sorted({*holes} - {*still})
        rows[placed] = -np.inf
        rows[placed, [best[at] for at in placed]] = 0.0
        for at in still:
            _put_first(rows[at], best[at])
        logits[:] = rows[start:]

    def _open_canvas(self, constraint: Constraint[Any], written: Sequence[int], length: int) -> Canvas:
        """Open a canvas that begins with what was written."""
        whole = len(written) + length
        after = max(0, -(-(self._max_tokens or 0) // length) * length - whole)  # the host fills whole canvases
        canvas = constraint.canvas(whole, after)
        if not all(canvas.place_all(range(len(written)), written)):
            raise ArgumentError("another logits processor has written tokens that the form forbids", argument="form")
        return canvas


def _put_first(scores: NDArray[np.float32], token_id: int) -> None:
    """Exchange the score of a token with the highest one, and keep it above all others by what bfloat16 can tell."""
    highest = int(scores.argmax())
    scores[[highest, token_id]] = scores[[token_id, highest]]
    if len(others := np.delete(scores, token_id)) and np.isfinite(next_best := others.max()):
        scores[token_id] = max(scores[token_id], next_best + _MARGIN * max(1.0, abs(next_best)))


_MARGIN = 2.0**-5
"""The distance between two scores, as a share of them, that bfloat16 keeps when they are divided by a temperature."""
