"""The embedded model as a folder of ONNX Runtime GenAI, in 32-bit floats: a graph with the inputs that it feeds."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import load_file

FOLDER = Path(__file__).parents[2] / "python" / "formwright" / "models" / "formwright_tiny"
"""The model of the checkout: its float weights are not in the wheel."""
FUSED = "com.microsoft"


class Graph:
    """Nodes and constants in order."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def constant(self, name: str, value: Any) -> str:
        self.constants.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def __call__(self, kind: str, *inputs: str, outputs: tuple[str, ...] = (), domain: str = "", **more: Any) -> str:
        names = list(outputs) or [f"{kind}_{len(self.nodes)}"]
        self.nodes.append(helper.make_node(kind, list(inputs), names, domain=domain, **more))
        return names[0]

    def norm(self, x: str, weight: Any, epsilon: float) -> str:
        name = self.constant(f"norm_{len(self.nodes)}", weight)
        return self("SimplifiedLayerNormalization", x, name, axis=-1, epsilon=epsilon, stash_type=1)

    def linear(self, x: str, weight: Any) -> str:
        return self("MatMul", x, self.constant(f"weight_{len(self.nodes)}", np.ascontiguousarray(weight.T)))


def graph_of(weights: dict[str, Any], config: dict[str, Any]) -> Any:
    graph, heads, epsilon = Graph(), config["num_attention_heads"], config["rms_norm_eps"]
    graph.constant("one", np.array([1], np.int32))
    graph.constant("axis", np.array([1], np.int64))
    mask = graph("Cast", "attention_mask", to=TensorProto.INT32)
    ends = graph("Sub", graph("ReduceSum", mask, "axis", keepdims=0), "one")
    length = graph("Gather", graph("Shape", "attention_mask"), graph.constant("second", np.array(1)), axis=0)
    total = graph("Cast", length, to=TensorProto.INT32)
    size = config["head_dim"]
    turns = config["rope_theta"] ** (-np.arange(0, size, 2) / size)
    angles = np.outer(np.arange(config["max_position_embeddings"]), turns)
    graph.constant("cosine", np.cos(angles).astype(np.float32))
    graph.constant("sine", np.sin(angles).astype(np.float32))
    x = graph("Gather", graph.constant("embedding", weights["model.embed_tokens.weight"]), "input_ids", axis=0)
    for layer in range(config["num_hidden_layers"]):
        prefix = f"model.layers.{layer}."
        normed = graph.norm(x, weights[f"{prefix}input_layernorm.weight"], epsilon)
        query, key, value = (graph.linear(normed, weights[f"{prefix}self_attn.{name}_proj.weight"]) for name in "qkv")
        past = [f"past_key_values.{layer}.{name}" for name in ("key", "value")]
        mixed = graph(
            *("GroupQueryAttention", query, key, value, *past, ends, total, "cosine", "sine"),
            outputs=(f"mixed_{layer}", f"present.{layer}.key", f"present.{layer}.value"),
            domain=FUSED,
            num_heads=heads,
            kv_num_heads=heads,
            do_rotary=1,
        )
        x = graph("Add", x, graph.linear(mixed, weights[f"{prefix}self_attn.o_proj.weight"]))
        normed = graph.norm(x, weights[f"{prefix}post_attention_layernorm.weight"], epsilon)
        gate, up = (graph.linear(normed, weights[f"{prefix}mlp.{name}_proj.weight"]) for name in ("gate", "up"))
        silu = graph("QuickGelu", gate, domain=FUSED, alpha=1.0)
        x = graph("Add", x, graph.linear(graph("Mul", silu, up), weights[f"{prefix}mlp.down_proj.weight"]))
    x = graph.norm(x, weights["model.norm.weight"], epsilon)
    graph("Identity", graph.linear(x, weights["model.embed_tokens.weight"]), outputs=("logits",))
    return assembled(graph, config)


def assembled(graph: Graph, config: dict[str, Any]) -> Any:
    info, floats, ints = helper.make_tensor_value_info, TensorProto.FLOAT, TensorProto.INT64
    names = [f"{layer}.{part}" for layer in range(config["num_hidden_layers"]) for part in ("key", "value")]
    heads, size = config["num_attention_heads"], config["head_dim"]
    inputs = [info("input_ids", ints, ["batch", "new"]), info("attention_mask", ints, ["batch", "total"])]
    inputs += [info(f"past_key_values.{name}", floats, ["batch", heads, "past", size]) for name in names]
    outputs = [info("logits", floats, ["batch", "new", config["vocab_size"]])]
    outputs += [info(f"present.{name}", floats, ["batch", heads, "total", size]) for name in names]
    whole = helper.make_graph(graph.nodes, "formwright-tiny", inputs, outputs, graph.constants)
    versions = [helper.make_opsetid("", 18), helper.make_opsetid(FUSED, 1)]
    return helper.make_model(whole, opset_imports=versions, ir_version=10)


def write(folder: Path) -> Path:
    """Write the graph, its description, and the tokenizer."""
    config = json.loads((FOLDER / "config.json").read_text())
    weights = {name: value.astype(np.float32) for name, value in load_file(FOLDER / "model.safetensors").items()}
    onnx.save(graph_of(weights, config), folder / "model.onnx")
    for name in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copy(FOLDER / name, folder)
    decoder = {
        "filename": "model.onnx",
        "head_size": config["head_dim"],
        "hidden_size": config["hidden_size"],
        "num_attention_heads": config["num_attention_heads"],
        "num_key_value_heads": config["num_key_value_heads"],
        "num_hidden_layers": config["num_hidden_layers"],
        "inputs": {
            "input_ids": "input_ids",
            "attention_mask": "attention_mask",
            "past_key_names": "past_key_values.%d.key",
            "past_value_names": "past_key_values.%d.value",
        },
        "outputs": {
            "logits": "logits",
            "present_key_names": "present.%d.key",
            "present_value_names": "present.%d.value",
        },
        "session_options": {"intra_op_num_threads": 1, "provider_options": []},
    }
    model = {
        "type": "llama",
        "bos_token_id": config["bos_token_id"],
        "eos_token_id": config["eos_token_id"],
        "pad_token_id": config["pad_token_id"],
        "context_length": config["max_position_embeddings"],
        "vocab_size": config["vocab_size"],
        "decoder": decoder,
    }
    search = {"max_length": config["max_position_embeddings"], "past_present_share_buffer": False}
    (folder / "genai_config.json").write_text(json.dumps({"model": model, "search": search}))
    return folder
