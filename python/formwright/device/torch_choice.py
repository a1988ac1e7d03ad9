"""What the kernels choose, by operations of torch: for a CPU.

Cost: some passes over the logits of all rows, in float32, and as many over noise where rows are drawn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from formwright._extras import needs
from formwright.device.torch_masks import unpack_bits

with needs("device", "decoding with tables"):
    import torch

if TYPE_CHECKING:
    from formwright.device.torch_decoder import Decoder

__all__ = ["choose_by_torch", "draw_gumbel"]

_LOW = 0xFFFF_FFFF
_ROUNDS = 10
_FACTORS = (0xD251_1F53, 0xCD9E_8D57)
_KEYS = (0x9E37_79B9, 0xBB67_AE85)


def choose_by_torch(decoder: Decoder, logits: torch.Tensor) -> None:
    """Write the next tokens, states and budgets of a decoder, as `formwright.device.triton_kernels` do."""
    allowed = _find_allowed(decoder)
    scores = logits.float()
    scores = torch.where(scores.isnan(), torch.inf, scores)
    if decoder.draws:
        noise = draw_gumbel(decoder.seeds, decoder.steps, decoder.width)
        is_drawn = (decoder.scales > 0)[:, None]
        scores = torch.where(is_drawn, scores * decoder.scales[:, None] + noise, scores)
    best = torch.where(allowed, scores, -torch.inf).amax(1, keepdim=True)
    found = (allowed & (scores == best)).max(1)  # the index is that of the first one
    token_ids = found.indices
    decoder.token_ids.copy_(torch.where(found.values, token_ids, -1))
    decoder.steps += found.values
    runs = found.values & (decoder.states >= 0)
    classes = decoder.classes[torch.where(runs, token_ids, 0)].long()
    after = decoder.next[decoder.states.clamp(min=0).long(), classes].int()
    decoder.states.copy_(torch.where(runs, after, decoder.states))
    decoder.left -= runs.int()


def _find_allowed(decoder: Decoder) -> torch.Tensor:
    """Which tokens may come, of shape ``(rows, width)``."""
    has_form = (decoder.states >= 0)[:, None]
    states = decoder.states.clamp(min=0).long()
    allowed = unpack_bits(decoder.masks[decoder.mask_of[states].long()], decoder.width)
    after = decoder.next[states][:, decoder.classes.long()].long()
    needed = torch.where(after >= 0, decoder.need[after.clamp(min=0)], 0)
    in_time = needed <= (decoder.left - 1)[:, None]
    allowed[:, : in_time.shape[1]] &= in_time
    return allowed | ~has_form


def draw_gumbel(seeds: torch.Tensor, steps: torch.Tensor, width: int) -> torch.Tensor:
    """Noise by which the largest sum is a draw: Philox 4x32-10, counted by token and step.

    Args:
        seeds: int64 of shape ``(rows,)``.
        steps: int32 of shape ``(rows,)``.
        width: Tokens of a row.

    Returns:
        float32 of shape ``(rows, width)``.
    """
    shape = (len(seeds), width)
    zero = torch.zeros(shape, dtype=torch.int64, device=seeds.device)
    counters = [torch.arange(width, device=seeds.device).expand(shape), steps[:, None].long() & _LOW, zero, zero]
    low, high = seeds[:, None] & _LOW, (seeds[:, None] >> 32) & _LOW
    for _ in range(_ROUNDS):
        a, b, c, d = counters
        of_a, of_c = a * _FACTORS[0], c * _FACTORS[1]  # of 64 bits, those of the sign included
        counters = [(of_c >> 32 & _LOW) ^ b ^ low, of_c & _LOW, (of_a >> 32 & _LOW) ^ d ^ high, of_a & _LOW]
        low, high = (low + _KEYS[0]) & _LOW, (high + _KEYS[1]) & _LOW
    uniform = ((counters[0] >> 9).float() + 0.5) * 2.0**-23
    return -torch.log(-torch.log(uniform))
