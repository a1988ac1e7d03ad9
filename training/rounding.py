"""Round the matrices of a model to few values, so that its outputs change little.

    python rounding.py ../python/formwright/models/formwright_tiny     # reads model.safetensors, writes model.int8.onnx

Each column of a matrix has one scale. Its weights are rounded one input after the other, and the error of each is made
up for by the weights that are not rounded yet, as far as inputs go together: as the second moments of the inputs say,
measured on texts of the training (GPTQ: Frantar, Ashkboos, Hoefler, Alistarh 2022). So the layers need 5 bits and the
embedding 6, where plain rounding needs 7, and files that hold them compress better.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import graph
import numpy as np
import torch
from model import Config, Decoder
from texts.tasks import FULL_MIXTURE, draw
from texts.world import World
from tokenizers import Tokenizer
from torch import nn
from train import encode, load_weights

LAYERS, EMBEDDING = 15, 31  # the largest rounded weight
TEXTS, LONGEST = 300, 700  # how many texts are read, and the tokens of the longest
CLIPPED = np.linspace(0.6, 1, 17)  # scales that are tried, as shares of the one that the largest weight needs


def matrices(model: Decoder) -> Iterator[tuple[str, list[nn.Module], nn.Module]]:
    """The name of each matrix of the graph, the modules it joins, and the module whose output it reads; of the last two of
    a layer, that whose input it is."""
    yield "head", [model.embed_tokens], model.norm
    for index, layer in enumerate(model.layers):
        attend, forward = layer.self_attn, layer.mlp
        yield f"attend_{index}", [attend.q_proj, attend.k_proj, attend.v_proj], layer.input_layernorm
        yield f"mix_{index}", [attend.o_proj], attend.o_proj
        yield f"gate_{index}", [forward.gate_proj, forward.up_proj], layer.post_attention_layernorm
        yield f"down_{index}", [forward.down_proj], forward.down_proj


def second_moments(model: Decoder, texts: list[torch.Tensor]) -> dict[str, torch.Tensor]:
    """For each matrix, the sum of ``x xᵀ`` over its inputs."""
    found, hooks = {}, []

    def add(name: str, x: torch.Tensor) -> None:
        rows = x.reshape(-1, x.shape[-1]).double()
        found[name] = found.get(name, 0) + rows.T @ rows

    for name, joined, source in matrices(model):
        if source is joined[0]:
            hooks.append(source.register_forward_pre_hook(lambda _, inputs, name=name: add(name, inputs[0])))
        else:
            hooks.append(source.register_forward_hook(lambda _, inputs, output, name=name: add(name, output)))
    with torch.no_grad():
        for ids in texts:
            x = model.embed_tokens(ids[None])
            for layer in model.layers:
                x = layer(x, model.cosine[: len(ids)], model.sine[: len(ids)])
            model.norm(x)
    for hook in hooks:
        hook.remove()
    return found


def scales(weight: torch.Tensor, largest: int, moments: torch.Tensor) -> torch.Tensor:
    """The scale of each row by which plain rounding changes its outputs least, were its inputs independent."""
    importance, widest = moments.diag(), weight.abs().amax(1, keepdim=True).clamp_min(1e-12) / largest
    best, least = widest, torch.full_like(widest, torch.inf)
    for share in CLIPPED:
        scale = widest * share
        error = ((torch.round(weight / scale).clamp(-largest, largest) * scale - weight) ** 2 * importance).sum(1, keepdim=True)
        best, least = torch.where(error < least, scale, best), torch.minimum(error, least)
    return best


def rounded(weight: torch.Tensor, largest: int, moments: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Whole numbers for a matrix [outputs, inputs], and the scale of each output."""
    scale = scales(weight, largest, moments)
    order = moments.diag().argsort(descending=True)  # the inputs that matter most have the most others to make up for them
    left, damped = weight[:, order].clone(), moments[order][:, order]
    damped += 0.01 * damped.diag().mean() * torch.eye(len(order), dtype=damped.dtype)
    passed_on = torch.linalg.cholesky(torch.cholesky_inverse(torch.linalg.cholesky(damped)), upper=True)
    whole = torch.empty_like(left)
    for at in range(len(order)):
        column = left[:, at : at + 1]
        whole[:, at : at + 1] = torch.round(column / scale).clamp(-largest, largest)
        error = (column - whole[:, at : at + 1] * scale) / passed_on[at, at]
        left[:, at:] -= error * passed_on[at : at + 1, at:]
    return whole[:, order.argsort()], scale


def round_model(folder: Path) -> graph.Rounded:
    """The matrices of a model folder as its graph has them: [inputs, outputs] in 8 bits, and the scales of the outputs."""
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    model = Decoder(Config()).eval()
    load_weights(model, folder)
    world, texts = World(11), []
    while len(texts) < TEXTS:
        ids, _, _ = encode(tokenizer, draw(world, FULL_MIXTURE))
        texts += [torch.tensor(ids)] if len(ids) <= LONGEST else []
    moments, found = second_moments(model, texts), {}
    for name, joined, _ in matrices(model):
        weight = torch.cat([module.weight.detach() for module in joined]).double()
        whole, scale = rounded(weight, EMBEDDING if name == "head" else LAYERS, moments[name])
        found[name] = whole.T.to(torch.int8).contiguous().numpy(), scale[:, 0].float().numpy()
    return found


def write(folder: Path) -> None:
    """Writes ``model.int8.onnx`` beside the float16 weights it is made of."""
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    graph.write(folder, config, round_model(folder))


if __name__ == "__main__":
    torch.set_num_threads(1)
    write(Path(sys.argv[1]))
