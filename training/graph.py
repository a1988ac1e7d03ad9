"""The model as one ONNX graph for prefill and decode, written node by node.

    input_ids [batch, new]   past_lengths [batch]   past_key_values.N.key/.value [batch, heads, capacity, head size]
    kept [1]                 logits [batch, kept, vocabulary], of the last positions            present.N.key/.value

Rows of a batch do not touch each other: a row gives the same bits alone and beside any others. Weights have
one scale a column, activations one scale a token, and products of 8-bit numbers are exact; attention reads
``past_lengths[i] + new`` positions of row ``i`` and no padding. Past and present may be one buffer, written in place.

Weights use at most 7 of the 8 bits: processors without VNNI add pairs of products in 16 bits, which would overflow.
Attention, norms and the activation are ONNX Runtime's own fused operators.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import load_file

FUSED = "com.microsoft"
MIDDLE = 128
"""The 8-bit number that stands for zero."""


Rounded = dict[str, tuple[np.ndarray, np.ndarray]]
"""By name, a matrix [inputs, outputs] as 8-bit integers, and the scale of each column."""


class Graph:
    """Nodes and constants in order; each method adds an operation and names its result."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.constants: dict[str, np.ndarray] = {}

    def constant(self, name: str, value: np.ndarray) -> str:
        self.constants[name] = value
        return name

    def add(self, kind: str, *inputs: str, outputs: Sequence[str] = (), count: int = 1, domain: str = "", **attributes: object) -> list[str]:
        names = list(outputs) or [f"{kind}_{len(self.nodes)}_{index}" for index in range(count)]
        self.nodes.append(helper.make_node(kind, list(inputs), names, domain=domain, **attributes))
        return names

    def __call__(self, kind: str, *inputs: str, **attributes: object) -> str:
        return self.add(kind, *inputs, **attributes)[0]

    def norm(self, x: str, weight: np.ndarray, epsilon: float) -> str:
        name = self.constant(f"norm_{len(self.nodes)}", weight)
        return self("SimplifiedLayerNormalization", x, name, axis=-1, epsilon=epsilon, stash_type=1)

    def linear(self, x: str, weights: str) -> str:
        """``x`` times a matrix in 8 bits, with one scale for each token."""
        largest = self("ReduceMax", self("Abs", x), "last_axis", keepdims=1)
        step = self("Mul", self("Max", largest, "tiny"), "one_127th")
        rounded = self("QuantizeLinear", self("Div", x, step), "one", "middle")
        product = self("Cast", self("MatMulInteger", rounded, weights, "middle"), to=TensorProto.FLOAT)
        return self("Mul", self("Mul", product, step), f"{weights}_scale")


def stored(graph: Graph, rounded: Rounded, name: str) -> str:
    """Stores a matrix and its scales."""
    matrix, scale = rounded[name]
    graph.constant(f"{name}_scale", scale)
    return graph.constant(name, matrix)


def rotations(graph: Graph, config: dict) -> tuple[str, str]:
    """Cosines and sines of each position, of shape ``(positions, head size / 2)``.

    ONNX Runtime works them out when it loads the graph. Stored, they would be half a megabyte that does not compress.
    """
    size = config["head_dim"]
    graph.constant("frequencies", config["rope_theta"] ** (-np.arange(0, size, 2) / size))
    for name, value in {"position_0": 0, "position_1": 1, "positions": config["max_position_embeddings"]}.items():
        graph.constant(name, np.array(float(value)))
    positions = graph("Unsqueeze", graph("Range", "position_0", "positions", "position_1"), "new_axis")
    angles = graph("Mul", positions, "frequencies")
    cosines, sines = (graph("Cast", graph(kind, angles), to=TensorProto.FLOAT) for kind in ("Cos", "Sin"))
    return cosines, sines


def build(weights: dict[str, np.ndarray], config: dict, rounded: Rounded) -> onnx.ModelProto:
    """The graph of a checkpoint with the names of `transformers.LlamaForCausalLM`: its norms, and its matrices rounded."""
    graph, heads, epsilon = Graph(), config["num_attention_heads"], config["rms_norm_eps"]
    for name, value in {
        "last_axis": np.array([-1]), "tiny": np.float32(1e-12), "one_127th": np.float32(1 / 127), "one": np.float32(1), "middle": np.uint8(MIDDLE),
        "first_axis": np.array([0]), "new_axis": np.array([1], np.int64), "end": np.array([2**31 - 1]), "last": np.array([1]), "halves": np.array([config["intermediate_size"]] * 2),
    }.items():
        graph.constant(name, np.asarray(value))
    cosine, sine = rotations(graph, config)
    head = stored(graph, rounded, "head")
    x = embed(graph, head)
    ends, total = lengths(graph)
    for layer in range(config["num_hidden_layers"]):
        before, after = (weights[f"model.layers.{layer}.{name}_layernorm.weight"] for name in ("input", "post_attention"))
        projected = graph.linear(graph.norm(x, before, epsilon), stored(graph, rounded, f"attend_{layer}"))
        past = [f"past_key_values.{layer}.{name}" for name in ("key", "value")]
        mixed = graph(
            "GroupQueryAttention", projected, "", "", *past, ends, total, cosine, sine, domain=FUSED,
            outputs=[f"mixed_{layer}", f"present.{layer}.key", f"present.{layer}.value"], num_heads=heads, kv_num_heads=heads, do_rotary=1,
        )
        x = graph("Add", x, graph.linear(mixed, stored(graph, rounded, f"mix_{layer}")))
        x = graph("Add", x, feed_forward(graph, graph.norm(x, after, epsilon), rounded, layer))
    x = graph("Slice", x, graph("Neg", "kept"), "end", "new_axis")
    logits = graph.linear(graph.norm(x, weights["model.norm.weight"], epsilon), head)
    graph("Identity", logits, outputs=["logits"])
    return assembled(graph, config)


def embed(graph: Graph, head: str) -> str:
    """The rows of the embedding: columns of the output matrix, which is the same in 8 bits."""
    columns = graph("Cast", graph("Gather", head, "input_ids", axis=1), to=TensorProto.FLOAT)
    scaled = graph("Mul", columns, graph("Gather", f"{head}_scale", "input_ids", axis=0))
    return graph("Transpose", scaled, perm=[1, 2, 0])


def lengths(graph: Graph) -> tuple[str, str]:
    """The last position of each row, and the most positions of any, as the attention wants them."""
    new = graph("Gather", graph("Shape", "input_ids"), "last", axis=0)
    totals = graph("Add", "past_lengths", new)
    ends = graph("Cast", graph("Sub", totals, "last"), to=TensorProto.INT32)
    longest = graph("Cast", graph("ReduceMax", totals, "first_axis", keepdims=0), to=TensorProto.INT32)
    return ends, longest


def feed_forward(graph: Graph, x: str, rounded: Rounded, layer: int) -> str:
    gate, up = graph.add("Split", graph.linear(x, stored(graph, rounded, f"gate_{layer}")), "halves", count=2, axis=-1)
    silu = graph("QuickGelu", gate, domain=FUSED, alpha=1.0)
    return graph.linear(graph("Mul", silu, up), stored(graph, rounded, f"down_{layer}"))


def assembled(graph: Graph, config: dict) -> onnx.ModelProto:
    cache = ["batch", config["num_attention_heads"], "capacity", config["head_dim"]]
    names = [f"{layer}.{part}" for layer in range(config["num_hidden_layers"]) for part in ("key", "value")]
    value = helper.make_tensor_value_info
    inputs = [value("input_ids", TensorProto.INT64, ["batch", "new"]), value("past_lengths", TensorProto.INT64, ["batch"])]
    inputs += [value("kept", TensorProto.INT64, [1])]
    inputs += [value(f"past_key_values.{name}", TensorProto.FLOAT, cache) for name in names]
    outputs = [value("logits", TensorProto.FLOAT, ["batch", "kept", config["vocab_size"]])]
    outputs += [value(f"present.{name}", TensorProto.FLOAT, [*cache[:2], "held", cache[3]]) for name in names]
    constants = [numpy_helper.from_array(array, name) for name, array in graph.constants.items()]
    whole = helper.make_graph(graph.nodes, "formwright-tiny", inputs, outputs, constants)
    return helper.make_model(whole, opset_imports=[helper.make_opsetid("", 18), helper.make_opsetid(FUSED, 1)], ir_version=10)


def write(folder: Path, config: dict, rounded: Rounded) -> None:
    """Writes ``model.int8.onnx`` of rounded matrices, and of the norms of the float16 weights beside it."""
    weights = {name: value.astype(np.float32) for name, value in load_file(folder / "model.safetensors").items()}
    onnx.save(build(weights, config, rounded), folder / "model.int8.onnx")
