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

    vocabulary: int = 8192
    width: int = 256
    layers: int = 8
    heads: int = 4
    feed_forward: int = 544
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

SEEDED_HEADS = 2  # of both layers; the one behind them is for values
FAST = 8  # rotary frequencies that tell neighbouring positions apart
RECENT = 14  # rotary frequencies that tell how far back a token is
SHARE = 0.25  # of an embedding: the direction that all tokens have, and the one that tells words from the rest


@torch.no_grad()
def seed_copying(model: Decoder, is_word: torch.Tensor) -> None:
    """Begin with rough circuits that copy; training is free to change every one of their numbers.

    *What came next.* The first layer starts with heads that look one token back, the second with heads that look for a
    token whose predecessor is the current one and write it: "after the last A came B, so after this A write B".

    *What stood under a key.* A head of the first layer looks at the last word before a token, whatever punctuation is
    between, and one of the second looks for a word with the same last word before it: in `city: Prague` and in
    `"city": "` that is `city`, so it writes `Prague`.

    Left to chance, a network this small needs millions of tokens for the first and many more for the second. `is_word` tells the tokens with letters or digits.
    """
    config = model.config
    size = config.width // config.heads
    shared = torch.full((config.width,), config.width**-0.5)  # of all tokens, so it can carry positions
    wordness = orthogonal(torch.randn(config.width), shared)
    wordness /= wordness.norm()
    signs = torch.where(is_word, 1.0, -1.0).unsqueeze(1)
    model.embed_tokens.weight.add_(SHARE * shared + SHARE * signs * wordness)
    first, second = (layer.self_attn for layer in model.layers[:2])
    for head in range(SEEDED_HEADS):
        rows = slice(head * size, (head + 1) * size)
        seed_look_back(first, rows, config, shared)
        seed_match(first, second, rows, size, shared)
    rows = slice(SEEDED_HEADS * size, (SEEDED_HEADS + 1) * size)
    seed_last_word(first, rows, config, shared, wordness)
    seed_same_key(first, second, rows, config, shared, wordness)


def orthogonal(rows: torch.Tensor, *directions: torch.Tensor) -> torch.Tensor:
    """The rows without what they have of unit vectors that are orthogonal to each other."""
    for direction in directions:
        rows = rows - (rows @ direction).unsqueeze(-1) * direction
    return rows


def seed_look_back(attention: Attention, rows: slice, config: Config, shared: torch.Tensor) -> None:
    """Attend to the position before: the key is turned by one position against the query."""
    size = rows.stop - rows.start
    angles = config.rope_theta ** -(torch.arange(size // 2)[:FAST] / (size // 2))
    query, key = torch.zeros(size), torch.zeros(size)
    query[:FAST], key[:FAST] = 1.0, angles.cos()
    key[size // 2 : size // 2 + FAST] = angles.sin()
    attention.q_proj.weight[rows] = 0.9 * torch.outer(query, shared)
    attention.k_proj.weight[rows] = 0.9 * torch.outer(key, shared)


def seed_match(first: Attention, second: Attention, rows: slice, size: int, shared: torch.Tensor) -> None:
    """Match the current token with what look-back wrote, and copy the token found there."""
    seen = orthogonal(0.06 * torch.randn(size, len(shared)), shared)
    written = 0.0045 * torch.randn(len(shared), size)
    first.v_proj.weight[rows], first.o_proj.weight[:, rows] = seen, written
    slow = (torch.arange(size) % (size // 2) >= size // 4).float().unsqueeze(1)  # dimensions that hardly turn
    second.q_proj.weight[rows] = slow * seen
    second.k_proj.weight[rows] = slow * 50 * written.T
    seed_copy(second, rows, size, shared)


def seed_copy(attention: Attention, rows: slice, size: int, *directions: torch.Tensor) -> None:
    """Write the token that is attended to."""
    copied = orthogonal(0.06 * torch.randn(size, attention.v_proj.in_features), *directions)
    attention.v_proj.weight[rows], attention.o_proj.weight[:, rows] = copied, 0.4 * copied.T


def recency(config: Config, size: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Cosine and sine parts whose sum is low at the token itself, high behind it, and falls with the distance."""
    angles = config.rope_theta ** -(torch.arange(size // 2)[:RECENT] / (size // 2)).double()
    distance = torch.arange(80).double()
    wanted = torch.where(distance == 0, -8.0, (4.0 - distance).clamp(min=-6.0)).double()
    weight = torch.where(distance < 12, 3.0, 1.0).double()
    turns = distance.unsqueeze(1) * angles
    waves = torch.cat((turns.cos(), turns.sin()), 1) * weight.unsqueeze(1)
    ridge = 0.3 * torch.eye(2 * RECENT).double()
    parts = torch.linalg.solve(waves.T @ waves + ridge @ ridge, waves.T @ (wanted * weight)).float()
    return parts[:RECENT], parts[RECENT:]


def normed_share(config: Config, length: float) -> float:
    """How long either direction is behind the norm, of vectors that are so long before it."""
    return config.width**0.5 * SHARE / length


def seed_last_word(attention: Attention, rows: slice, config: Config, shared: torch.Tensor, wordness: torch.Tensor) -> None:
    """Attend to the last word before the token: recent and a word."""
    size = rows.stop - rows.start
    half, scale = size // 2, size**0.25 / normed_share(config, 0.62)
    cosine, sine = recency(config, size)
    share = (cosine**2 + sine**2).sqrt().sqrt()
    query, key = torch.zeros(size), torch.zeros(size)
    query[:RECENT], key[:RECENT], key[half : half + RECENT] = share, cosine / share, sine / share
    attention.q_proj.weight[rows] = scale * torch.outer(query, shared)
    attention.k_proj.weight[rows] = scale * torch.outer(key, shared)
    seed_words_only(attention, rows, shared, wordness, 4 / normed_share(config, 0.62))


def seed_words_only(attention: Attention, rows: slice, shared: torch.Tensor, wordness: torch.Tensor, scale: float) -> None:
    """Two dimensions that hardly turn prefer words as keys."""
    for row in ((rows.start + rows.stop) // 2 - 1, rows.stop - 1):
        attention.q_proj.weight[row], attention.k_proj.weight[row] = scale * shared, scale * wordness


def seed_same_key(first: Attention, second: Attention, rows: slice, config: Config, shared: torch.Tensor, wordness: torch.Tensor) -> None:
    """Match what the last word wrote here with what it wrote elsewhere, and copy the word found there."""
    size = rows.stop - rows.start
    place = torch.arange(size) % (size // 2)
    slow = ((place >= RECENT) & (place < size // 2 - 1)).float()
    written = 0.0085 * torch.randn(len(shared), size) * slow
    first.v_proj.weight[rows] = orthogonal(0.06 * torch.randn(size, len(shared)), shared, wordness)
    first.o_proj.weight[:, rows] = written
    second.q_proj.weight[rows] = second.k_proj.weight[rows] = 9.1 * written.T
    seed_words_only(second, rows, shared, wordness, 6 / normed_share(config, 0.85))
    seed_copy(second, rows, size, shared, wordness)
