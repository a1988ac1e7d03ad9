"""The network: a Llama decoder, written out so that it trains fast on a CPU.

The parameter names are those of `transformers.LlamaForCausalLM`, so a
checkpoint needs no conversion. Norms, rotary embedding, attention and gated
feed-forward follow that model exactly; `export.py` checks the logits agree.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class Config:
    """The sizes of the network."""

    vocabulary: int = 4096
    width: int = 256
    layers: int = 6
    heads: int = 4
    feed_forward: int = 640
    positions: int = 2048
    rope_theta: float = 100000.0
    epsilon: float = 1e-5


class Norm(nn.Module):
    """Root mean square norm with a learned scale."""

    def __init__(self, config: Config):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(config.width))
        self.epsilon = config.epsilon

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.rms_norm(x, self.weight.shape, self.weight.to(x.dtype), self.epsilon)


def matrix(rows: int, columns: int) -> nn.Linear:
    return nn.Linear(columns, rows, bias=False)


class Attention(nn.Module):
    """Causal self-attention; the three input projections run as one product."""

    def __init__(self, config: Config):
        super().__init__()
        self.heads, width = config.heads, config.width
        self.q_proj, self.k_proj = matrix(width, width), matrix(width, width)
        self.v_proj, self.o_proj = matrix(width, width), matrix(width, width)

    def forward(self, x: torch.Tensor, cosine: torch.Tensor, sine: torch.Tensor) -> torch.Tensor:
        batch, length, width = x.shape
        weight = torch.cat((self.q_proj.weight, self.k_proj.weight, self.v_proj.weight))
        joined = F.linear(x, weight).view(batch, length, 3, self.heads, width // self.heads)
        query, key, value = joined.permute(2, 0, 3, 1, 4)
        mixed = F.scaled_dot_product_attention(rotate(query, cosine, sine), rotate(key, cosine, sine), value, is_causal=True)
        return self.o_proj(mixed.transpose(1, 2).reshape(batch, length, width))


def rotate(x: torch.Tensor, cosine: torch.Tensor, sine: torch.Tensor) -> torch.Tensor:
    """Rotary position embedding on the halves of each head."""
    first, second = x.chunk(2, -1)
    return x * cosine + torch.cat((-second, first), -1) * sine


class FeedForward(nn.Module):
    """The gated feed-forward block."""

    def __init__(self, config: Config):
        super().__init__()
        self.gate_proj, self.up_proj = matrix(config.feed_forward, config.width), matrix(config.feed_forward, config.width)
        self.down_proj = matrix(config.width, config.feed_forward)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        gate, up = F.linear(x, torch.cat((self.gate_proj.weight, self.up_proj.weight))).chunk(2, -1)
        return self.down_proj(F.silu(gate) * up)


class Layer(nn.Module):
    """One decoder layer."""

    def __init__(self, config: Config):
        super().__init__()
        self.self_attn, self.mlp = Attention(config), FeedForward(config)
        self.input_layernorm, self.post_attention_layernorm = Norm(config), Norm(config)

    def forward(self, x: torch.Tensor, cosine: torch.Tensor, sine: torch.Tensor) -> torch.Tensor:
        x = x + self.self_attn(self.input_layernorm(x), cosine, sine)
        return x + self.mlp(self.post_attention_layernorm(x))


class Decoder(nn.Module):
    """Embedding, layers and final norm; the output matrix is the embedding."""

    def __init__(self, config: Config):
        super().__init__()
        self.config = config
        self.embed_tokens = nn.Embedding(config.vocabulary, config.width)
        self.layers = nn.ModuleList(Layer(config) for _ in range(config.layers))
        self.norm = Norm(config)
        half = config.width // config.heads // 2
        angles = torch.outer(torch.arange(config.positions).float(), config.rope_theta ** -(torch.arange(half) / half))
        angles = torch.cat((angles, angles), -1)
        self.register_buffer("cosine", angles.cos(), persistent=False)
        self.register_buffer("sine", angles.sin(), persistent=False)
        self.apply(self.initialise)
        for name, parameter in self.named_parameters():
            if name.endswith(("o_proj.weight", "down_proj.weight")):
                nn.init.normal_(parameter, std=0.03 / math.sqrt(2 * config.layers))
        with torch.no_grad():
            seed_copying(self)

    @staticmethod
    def initialise(module: nn.Module) -> None:
        if isinstance(module, (nn.Linear, nn.Embedding)):
            nn.init.normal_(module.weight, std=0.03)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        """The hidden vectors of every position; 16 bits wide under autocast."""
        x = self.embed_tokens(ids)
        kind = ids.device.type
        x = x.to(torch.get_autocast_dtype(kind)) if torch.is_autocast_enabled(kind) else x
        cosine, sine = (table[: ids.shape[1]].to(x.dtype) for table in (self.cosine, self.sine))
        for layer in self.layers:
            x = layer(x, cosine, sine)
        return self.norm(x)

    def logits(self, hidden: torch.Tensor) -> torch.Tensor:
        return F.linear(hidden, self.embed_tokens.weight.to(hidden.dtype)).float()


# --- where training starts ------------------------------------------------------------------------

SEEDED_HEADS = 2
FAST = 8  # rotary frequencies that tell neighbouring positions apart


def seed_copying(model: Decoder) -> None:
    """Begin with rough induction heads: "after the last A came B, so after this A write B".

    Left to chance, a network this small needs millions of tokens before it copies at
    all. Here the first layer starts with heads that look one token back and the second
    with heads that look for a token whose predecessor is the current one and write it.
    Training is free to change every one of these numbers.
    """
    config = model.config
    size = config.width // config.heads
    direction = torch.full((config.width,), config.width**-0.5)  # shared by all tokens, so it can carry positions
    model.embed_tokens.weight.add_(0.25 * direction)
    first, second = (layer.self_attn for layer in model.layers[:2])
    for head in range(SEEDED_HEADS):
        rows = slice(head * size, (head + 1) * size)
        seed_look_back(first, rows, config, direction)
        seed_match(first, second, rows, size, direction)


def seed_look_back(attention: Attention, rows: slice, config: Config, direction: torch.Tensor) -> None:
    """Attend to the position before: the key is turned by one position against the query."""
    size = rows.stop - rows.start
    angles = config.rope_theta ** -(torch.arange(size // 2)[:FAST] / (size // 2))
    query, key = torch.zeros(size), torch.zeros(size)
    query[:FAST], key[:FAST] = 1.0, angles.cos()
    key[size // 2 : size // 2 + FAST] = angles.sin()
    attention.q_proj.weight[rows] = 0.9 * torch.outer(query, direction)
    attention.k_proj.weight[rows] = 0.9 * torch.outer(key, direction)


def seed_match(first: Attention, second: Attention, rows: slice, size: int, direction: torch.Tensor) -> None:
    """Match the current token with what look-back wrote, and copy the token found there."""
    seen = 0.06 * torch.randn(size, len(direction))
    seen -= torch.outer(seen @ direction, direction)
    written = 0.0045 * torch.randn(len(direction), size)
    first.v_proj.weight[rows], first.o_proj.weight[:, rows] = seen, written
    slow = (torch.arange(size) % (size // 2) >= size // 4).float().unsqueeze(1)  # dimensions that hardly turn
    second.q_proj.weight[rows] = slow * seen
    second.k_proj.weight[rows] = slow * 50 * written.T
    copied = 0.06 * torch.randn(size, len(direction))
    copied -= torch.outer(copied @ direction, direction)
    second.v_proj.weight[rows], second.o_proj.weight[:, rows] = copied, 0.4 * copied.T
