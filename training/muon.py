"""Muon, an optimizer for matrices: momentum, then the nearest orthogonal matrix as the step.

    Muon([layer.mlp.up_proj.weight for layer in model.layers], rate=5e-3).step()

Keller Jordan and others, 2024 (https://kellerjordan.github.io/posts/muon/). As `torch.optim.Muon` with
`adjust_lr_fn="match_rms_adamw"`, whose states it reads, but matrices of one shape are one product of 32 bits, where torch
takes them one by one with 16, and workers share them. (`train.py` lets a GPU round the factors to TF32.)
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

import torch
import torch.distributed as distributed

QUINTIC = (3.4445, -4.775, 2.0315)  # of X, of its cube and of its fifth power: singular values go to about one


class Muon(torch.optim.Optimizer):
    """Momentum is Nesterov's; the step is as long as AdamW's would be."""

    def __init__(self, matrices: Iterable[torch.nn.Parameter], rate: float, weight_decay: float = 0.02, momentum: float = 0.95):
        super().__init__(matrices, {"lr": rate, "weight_decay": weight_decay, "momentum": momentum})

    @torch.no_grad()
    def step(self) -> None:
        for group in self.param_groups:
            shapes = defaultdict(list)
            for matrix in group["params"]:
                shapes[matrix.shape].append(matrix)
            for matrices in shapes.values():
                updates = shared(torch.stack(self.smoothed(matrices, group["momentum"])))
                torch._foreach_mul_(matrices, 1 - group["lr"] * group["weight_decay"])
                torch._foreach_add_(matrices, updates.unbind(), alpha=-0.2 * max(matrices[0].shape) ** 0.5 * group["lr"])

    def smoothed(self, matrices: list[torch.nn.Parameter], momentum: float) -> list[torch.Tensor]:
        """The gradients with momentum, which is kept."""
        for matrix in matrices:
            if not self.state[matrix]:
                self.state[matrix]["momentum_buffer"] = torch.zeros_like(matrix)
        buffers, gradients = [self.state[matrix]["momentum_buffer"] for matrix in matrices], [matrix.grad for matrix in matrices]
        torch._foreach_lerp_(buffers, gradients, 1 - momentum)
        return torch._foreach_lerp(gradients, buffers, momentum)


def shared(matrices: torch.Tensor) -> torch.Tensor:
    """All of them orthogonalised; each worker does some, and they exchange them."""
    if not distributed.is_initialized():
        return orthogonalised(matrices)
    own = slice(distributed.get_rank(), None, distributed.get_world_size())
    result = torch.zeros_like(matrices)
    result[own] = orthogonalised(matrices[own])
    distributed.all_reduce(result)
    return result


def orthogonalised(matrices: torch.Tensor, steps: int = 5) -> torch.Tensor:
    """Matrices (number, rows, columns) whose singular values are near one, by iterations of Newton and Schulz."""
    is_tall = matrices.shape[1] > matrices.shape[2]
    result = matrices.mT if is_tall else matrices
    result = result / result.norm(dim=(1, 2), keepdim=True).clamp(min=1e-7)
    linear, cubic, quintic = QUINTIC
    for _ in range(steps):
        gram = result @ result.mT
        result = torch.baddbmm(result, torch.baddbmm(gram, gram, gram, beta=cubic, alpha=quintic), result, beta=linear)
    return result.mT if is_tall else result
