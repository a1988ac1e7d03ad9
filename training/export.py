"""Turn a checkpoint into the files of the model folder.

    python export.py --run runs/tiny --to ../python/formwright/models/formwright_tiny

writes the transformers format (config, float16 weights, tokenizer, generation
config) and `model.int8.onnx`, one graph for prefill and decode:

    input_ids [batch, new]   attention_mask [batch, past + new]   past_key_values.N.key/.value
    logits [batch, new, vocabulary]                               present.N.key/.value

Positions follow from the attention mask, so left-padded batches work. Before it
finishes, the logits of this graph in float32 are compared with those of
`transformers.LlamaForCausalLM` reading the written folder.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import torch
import torch.nn as nn
import torch.nn.functional as F
from model import Config, Decoder, rotate
from onnxruntime.quantization import QuantType, quantize_dynamic
from safetensors.torch import save_file
from tokenizers import Tokenizer
from train import BOS, END, PAD, SYSTEM_TOKEN

CHAT_TEMPLATE = (
    "{% for message in messages %}{{ '<|' + message['role'] + '|>' + message['content'] }}"
    "{% if message['role'] == 'assistant' %}{{ '<|end|>' }}{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|assistant|>' }}{% endif %}"
)


def load_checkpoint(path: Path) -> Decoder:
    state = torch.load(path, weights_only=False, map_location="cpu")
    model = Decoder(Config(**state["config"]))
    model.load_state_dict(state["model"])
    return model.eval()


# --- transformers format ----------------------------------------------------------------------------


def model_config(config: Config) -> dict:
    return {
        "architectures": ["LlamaForCausalLM"], "model_type": "llama", "vocab_size": config.vocabulary,
        "hidden_size": config.width, "intermediate_size": config.feed_forward, "num_hidden_layers": config.layers,
        "num_attention_heads": config.heads, "num_key_value_heads": config.heads, "head_dim": config.width // config.heads,
        "hidden_act": "silu", "max_position_embeddings": config.positions, "rms_norm_eps": config.epsilon,
        "rope_theta": config.rope_theta, "rope_parameters": {"rope_type": "default", "rope_theta": config.rope_theta},
        "tie_word_embeddings": True, "attention_bias": False, "mlp_bias": False,
        "bos_token_id": BOS, "eos_token_id": END, "pad_token_id": PAD, "dtype": "float16",
    }


def tokenizer_config(config: Config) -> dict:
    return {
        "tokenizer_class": "PreTrainedTokenizerFast", "bos_token": "<|bos|>", "eos_token": "<|end|>", "pad_token": "<|pad|>",
        "additional_special_tokens": ["<|user|>", "<|assistant|>", SYSTEM_TOKEN], "model_max_length": config.positions,
        "clean_up_tokenization_spaces": False, "padding_side": "left", "chat_template": CHAT_TEMPLATE,
    }


def write_transformers(model: Decoder, run: Path, folder: Path) -> None:
    weights = {f"model.{name}": value.to(torch.float16).contiguous() for name, value in model.state_dict().items()}
    save_file(weights, str(folder / "model.safetensors"), metadata={"format": "pt"})
    write_json(folder / "config.json", model_config(model.config))
    write_json(folder / "tokenizer_config.json", tokenizer_config(model.config))
    write_json(folder / "generation_config.json", {"bos_token_id": BOS, "eos_token_id": END, "pad_token_id": PAD, "max_new_tokens": 256, "do_sample": False})
    Tokenizer.from_file(str(run / "tokenizer.json")).save(str(folder / "tokenizer.json"), pretty=False)


def write_json(path: Path, content: dict) -> None:
    path.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


# --- ONNX -------------------------------------------------------------------------------------------


class CachedDecoder(nn.Module):
    """The decoder with past keys and values as inputs; joined projections, so fewer nodes."""

    def __init__(self, model: Decoder):
        super().__init__()
        self.model, self.heads = model, model.config.heads
        self.joined = nn.ParameterList(torch.cat((a.q_proj.weight, a.k_proj.weight, a.v_proj.weight)).detach() for a in (layer.self_attn for layer in model.layers))
        self.gates = nn.ParameterList(torch.cat((m.gate_proj.weight, m.up_proj.weight)).detach() for m in (layer.mlp for layer in model.layers))
        self.head = nn.Parameter(model.embed_tokens.weight.detach().T.contiguous())

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor, *past: torch.Tensor) -> tuple[torch.Tensor, ...]:
        new, total = input_ids.shape[1], attention_mask.shape[1]
        positions = (attention_mask.cumsum(-1) - 1).clamp(min=0)[:, total - new :]
        cosine, sine = self.model.cosine[positions].unsqueeze(1), self.model.sine[positions].unsqueeze(1)
        visible = torch.arange(total) <= torch.arange(total - new, total).unsqueeze(1)
        visible = visible.unsqueeze(0) & attention_mask.bool().unsqueeze(1)
        bias = torch.where(visible, 0.0, -1e9).unsqueeze(1)
        # Input and output share one matrix [width, vocabulary]: columns are looked up, rows are multiplied.
        x = torch.index_select(self.head, 1, input_ids.flatten()).view(-1, *input_ids.shape).permute(1, 2, 0)
        present = []
        for index, layer in enumerate(self.model.layers):
            mixed, key, value = self.attend(index, layer.input_layernorm(x), cosine, sine, bias, past[2 * index], past[2 * index + 1])
            x = x + F.linear(mixed, layer.self_attn.o_proj.weight)
            gate, up = F.linear(layer.post_attention_layernorm(x), self.gates[index]).chunk(2, -1)
            x = x + F.linear(F.silu(gate) * up, layer.mlp.down_proj.weight)
            present += [key, value]
        return self.model.norm(x) @ self.head, *present

    def attend(self, index, x, cosine, sine, bias, past_key, past_value):
        batch, new, width = x.shape
        joined = F.linear(x, self.joined[index]).view(batch, new, 3, self.heads, width // self.heads)
        query, key, value = joined.permute(2, 0, 3, 1, 4).unbind(0)
        key = torch.cat((past_key, rotate(key, cosine, sine)), 2)
        value = torch.cat((past_value, value), 2)
        scores = rotate(query, cosine, sine) @ key.transpose(-1, -2) * (width // self.heads) ** -0.5
        mixed = torch.softmax(scores + bias, -1) @ value
        return mixed.transpose(1, 2).reshape(batch, new, width), key, value


def names(prefix: str, layers: int) -> list[str]:
    return [f"{prefix}.{layer}.{part}" for layer in range(layers) for part in ("key", "value")]


def write_onnx(model: Decoder, path: Path) -> None:
    config, auto = model.config, torch.export.Dim.AUTO
    past = tuple(torch.zeros(2, config.heads, 5, config.width // config.heads) for _ in range(2 * config.layers))
    arguments = (torch.ones(2, 3, dtype=torch.int64), torch.ones(2, 8, dtype=torch.int64), *past)
    program = torch.onnx.export(
        CachedDecoder(model).eval(), arguments, dynamo=True, opset_version=18, verbose=False,
        input_names=["input_ids", "attention_mask", *names("past_key_values", config.layers)],
        output_names=["logits", *names("present", config.layers)],
        dynamic_shapes=({0: auto, 1: auto}, {0: auto, 1: auto}, tuple({0: auto, 2: auto} for _ in past)),
    )
    program.save(str(path))


def quantize(source: Path, target: Path) -> None:
    """Matrices in 8 bits, one scale a column; activations are quantized on the fly.

    Weights use 7 of the 8 bits: processors without VNNI add pairs of products in 16 bits, which would overflow.
    """
    quantize_dynamic(source, target, weight_type=QuantType.QInt8, per_channel=True, reduce_range=True, op_types_to_quantize=["MatMul", "Gemm"])
    model = onnx.load(target)
    share_embedding(model.graph)
    drop_notes(model)
    onnx.save(model, target)


def share_embedding(graph: onnx.GraphProto) -> None:
    """Let the embedding look up the 8-bit columns of the output matrix instead of its float copy."""
    lookup = next(node for node in graph.node if node.op_type == "Gather" and node.input[0] == "head")
    floats = next(tensor for tensor in graph.initializer if tensor.name == "head")
    ids, result, position = lookup.input[1], lookup.output[0], list(graph.node).index(lookup)
    replacement = [
        onnx.helper.make_node("Gather", ["head_quantized", ids], ["token_columns"], axis=1),
        onnx.helper.make_node("Cast", ["token_columns"], ["token_floats"], to=onnx.TensorProto.FLOAT),
        onnx.helper.make_node("Gather", ["head_scale", ids], ["token_scales"], axis=0),
        onnx.helper.make_node("Mul", ["token_floats", "token_scales"], [result]),
    ]
    graph.node.remove(lookup)
    graph.initializer.remove(floats)
    for offset, node in enumerate(replacement):
        graph.node.insert(position + offset, node)


def drop_notes(model: onnx.ModelProto) -> None:
    """Remove what the exporter notes about the source code: size without use."""
    graph = model.graph
    for part in [model, graph, *graph.node, *graph.value_info, *graph.input, *graph.output, *graph.initializer]:
        part.doc_string = ""
        del part.metadata_props[:]


# --- checks -----------------------------------------------------------------------------------------


def run_graph(path: Path, config: Config, ids: np.ndarray, chunks: list[int]) -> np.ndarray:
    """Logits of all positions, computed in chunks of the given lengths."""
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    past = [np.zeros((len(ids), config.heads, 0, config.width // config.heads), np.float32)] * (2 * config.layers)
    rows, done = [], 0
    for chunk in chunks:
        feed = {"input_ids": ids[:, done : done + chunk], "attention_mask": np.ones((len(ids), done + chunk), np.int64)}
        feed |= dict(zip(names("past_key_values", config.layers), past))
        logits, *past = session.run(None, feed)
        rows.append(logits)
        done += chunk
    return np.concatenate(rows, 1)


def check(folder: Path, plain: Path, config: Config) -> None:
    from transformers import AutoModelForCausalLM, AutoTokenizer

    ids = np.random.default_rng(0).integers(5, 4000, (3, 24))
    reference = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    with torch.no_grad():
        wanted = reference(torch.tensor(ids)).logits.numpy()
    difference = np.abs(run_graph(plain, config, ids, [10, 1, 1, 12]) - wanted).max()
    rounded = run_graph(folder / "model.int8.onnx", config, ids, [24])
    agree = (rounded.argmax(-1) == wanted.argmax(-1)).mean()
    prompt = AutoTokenizer.from_pretrained(folder).apply_chat_template([{"role": "user", "content": "Hello"}], add_generation_prompt=True, tokenize=False)
    print(f"float32 graph against transformers: largest difference {difference:.4f} (weights are rounded to float16)")
    print(f"int8 graph: same first choice at {agree:.0%} of random positions; template {prompt!r}")


def export(run: Path, folder: Path) -> None:
    torch.set_num_threads(1)
    folder.mkdir(parents=True, exist_ok=True)
    model = load_checkpoint(run / "checkpoint.pt")
    write_transformers(model, run, folder)
    with tempfile.TemporaryDirectory() as temporary:
        plain = Path(temporary) / "plain.onnx"
        write_onnx(model, plain)
        quantize(plain, folder / "model.int8.onnx")
        check(folder, plain, model.config)
    for path in sorted(folder.iterdir()):
        print(f"{path.stat().st_size:>10,} {path.name}")
    print(f"{sum(path.stat().st_size for path in folder.iterdir()):>10,} together")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", type=Path, required=True, help="folder of the training run")
    parser.add_argument("--to", type=Path, required=True, help="model folder to write")
    options = parser.parse_args()
    export(options.run, options.to)
