"""A batch of texts whose form, states and budgets live on a device: see `Decoder`."""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType

import numpy as np

from formwright._extras import needs
from formwright.device.device_tables import DeviceTables
from formwright.device.torch_choice import choose_by_torch
from formwright.device.torch_masks import check_logits, kernels_for
from formwright.errors import ArgumentError, LimitExceeded, VocabularyError

with needs("device", "decoding on a device"):
    import torch

__all__ = ["Decoder"]

UNBOUNDED = 1 << 30
"""Tokens that are left where there is no budget."""


class Decoder:
    """Chooses a token for each row of a batch, and steps its form, without the host.

    ::

        decoder = Decoder(tables, rows=batch, width=logits.shape[1], device=logits.device)
        decoder.begin(max_tokens=200)
        while not decoder.is_ended.all():                # the host asks as often as it likes
            token_ids = decoder.take(logits)             # logits: of a model that has read the last ones

    A text that has ended goes on with an end of text. On a CUDA device, `take` allocates nothing and has no shape that
    depends on data: the model and `take` may be one CUDA graph, captured once and replayed for each token.

    Args:
        tables: The form of all rows.
        rows: How many rows the logits have.
        width: Their width, at least ``tables.logits_size``.
        device: Where the logits are. The tables are copied there.
        draws: Whether rows may be drawn; else all choices are greedy. Noise costs arithmetic for every logit.

    Raises:
        VocabularyError: The logits are narrower than those of the vocabulary.
        ArgumentError: There are no rows.
    """

    def __init__(
        self, tables: DeviceTables, *, rows: int, width: int, device: str | torch.device, draws: bool = False
    ) -> None:
        if rows < 1:
            raise ArgumentError(f"rows: expected 1 or more, got {rows}", argument="rows")
        if width < tables.logits_size:
            raise VocabularyError(
                f"logits {width} wide lack tokens of the vocabulary, which has {tables.logits_size}",
                hint="build the Vocabulary with logits_size at most the width of the model's logits",
            )
        self.tables, self.width, self.draws = tables, width, draws
        self.masks = _copy(tables.masks, device)
        self.mask_of, self.classes = _copy(tables.mask_of, device), _copy(tables.classes, device)
        self.next, self.need = _copy(tables.next, device), _copy(tables.need, device)
        self.token_ids = torch.zeros(rows, dtype=torch.int64, device=device)
        """What `take` chose last, of shape ``(rows,)``."""
        self.states = torch.zeros(rows, dtype=torch.int32, device=device)
        """The state of each row; -1 is a row without a form."""
        self.left = torch.full((rows,), UNBOUNDED, dtype=torch.int32, device=device)
        """Tokens that are left of each budget, end-of-text not counted."""
        self.steps = torch.zeros(rows, dtype=torch.int32, device=device)
        """Tokens chosen in each row: what noise is counted by."""
        self.scales = torch.zeros(rows, dtype=torch.float32, device=device)
        """One over the temperature; 0 where the choice is greedy."""
        self.seeds = torch.zeros(rows, dtype=torch.int64, device=device)
        self._kernels: ModuleType | None = kernels_for(self.states)
        if self._kernels is not None:
            self._blocks = -(-width // self._kernels.BLOCK)
            self._best = torch.empty((rows, self._blocks), dtype=torch.float32, device=device)
            self._ids = torch.empty((rows, self._blocks), dtype=torch.int32, device=device)

    def begin(
        self,
        rows: Sequence[int] | None = None,
        *,
        max_tokens: int | None = None,
        temperature: float = 0.0,
        seed: int = 0,
        free: bool = False,
    ) -> None:
        """Begin new texts; the other rows go on.

        Args:
            rows: Where, counted from 0; all rows if ``None``.
            max_tokens: How many tokens each text may have, end-of-text not counted.
            temperature: 0 for greedy choices; else draws from the softmax of the allowed logits divided by it.
            seed: Of the draws: a row draws by its seed plus its number, the same on every device but for rounding.
            free: Whether these rows have no form: any token may come.

        Raises:
            LimitExceeded: No text has so few tokens.
            ArgumentError: There is no such row; a temperature is negative or no number, or the decoder does not draw.
        """
        if max_tokens is not None and max_tokens < self.tables.min_tokens and not free:
            raise LimitExceeded(
                f"limit reached: max_tokens is {max_tokens}, but the shortest text has {self.tables.min_tokens} tokens",
                hint=f"pass max_tokens={self.tables.min_tokens} or more",
                limit="max_tokens",
                value=self.tables.min_tokens,
                allowed=max_tokens,
            )
        if not 0 <= temperature < float("inf"):
            raise ArgumentError(f"temperature: expected 0 or more, got {temperature}", argument="temperature")
        if temperature and not self.draws:
            raise ArgumentError(
                "temperature: this decoder makes greedy choices only", hint="pass draws=True", argument="temperature"
            )
        chosen = _check_rows(rows, len(self.states))
        numbers = torch.tensor(chosen, dtype=torch.int64, device=self.states.device)
        self.states[numbers] = -1 if free else 0
        self.left[numbers] = min(UNBOUNDED if max_tokens is None else max_tokens, UNBOUNDED)
        self.steps[numbers] = 0
        self.scales[numbers] = 1 / temperature if temperature else 0.0
        self.seeds[numbers] = numbers + seed

    def take(self, logits: torch.Tensor) -> torch.Tensor:
        """Choose a token for each row, and step its form.

        Of equal logits, the lowest id is taken. A logit that is not a number counts as the largest.

        Args:
            logits: float32, bfloat16 or float16 of shape ``(rows, width)``, with any strides. They are read once, and
                not written. Columns beyond the vocabulary are forbidden.

        Returns:
            `token_ids`, int64 of shape ``(rows,)``: the same tensor each time.

        Raises:
            TypeError, ArgumentError: The logits have another type, shape or device.
        """
        check_logits(logits)
        if logits.shape != (len(self.states), self.width) or logits.device != self.states.device:
            raise ArgumentError(
                f"logits: expected the shape {(len(self.states), self.width)} on {self.states.device}, got "
                f"{tuple(logits.shape)} on {logits.device}",
                argument="logits",
            )
        if self._kernels is None:
            choose_by_torch(self, logits)
        else:
            self._take_by_kernels(self._kernels, logits)
        return self.token_ids

    @property
    def is_ended(self) -> torch.Tensor:
        """Which texts have ended, of shape ``(rows,)``, on the device."""
        return self.states == self.tables.states - 1

    def _take_by_kernels(self, kernels: ModuleType, logits: torch.Tensor) -> None:
        rows, classes = len(logits), self.next.shape[1]
        kernels.best_kernel[rows, self._blocks](
            logits, logits.stride(0), logits.stride(1), self.width,
            self.masks, self.masks.stride(0), self.masks.shape[1], self.mask_of, self.states,
            self.left, self.tables.slack, self.classes, self.next, classes, self.need,
            self.scales, self.seeds, self.steps,
            self._best, self._ids, self._blocks, DRAW=self.draws, BLOCK=kernels.BLOCK, num_warps=4,
        )  # fmt: skip
        kernels.take_kernel[rows,](
            self._best, self._ids, self._blocks, self.token_ids, self.states, self.left, self.steps,
            self.classes, self.next, classes, BLOCKS=kernels.next_power_of_2(self._blocks), num_warps=1,
        )  # fmt: skip


def _copy(array: np.ndarray, device: str | torch.device) -> torch.Tensor:
    return torch.from_numpy(array.copy()).to(device)  # torch takes no array that is read-only


def _check_rows(rows: Sequence[int] | None, count: int) -> list[int]:
    known = list(range(count)) if rows is None else [int(row) for row in rows]
    if missing := [row for row in known if not 0 <= row < count]:
        raise ArgumentError(f"there is no row {missing[0]}: the decoder has {count}, counted from 0", argument="rows")
    return known
