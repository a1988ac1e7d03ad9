"""The embedded model as a model file of llama.cpp (GGUF), in 32-bit floats.

Its pre-tokenizer is none of those that llama.cpp has, so texts are encoded otherwise there: pass token ids.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from gguf import GGUFWriter, TokenType
from safetensors.numpy import load_file

FOLDER = Path(__file__).parents[2] / "python" / "formwright" / "models" / "formwright_tiny"
"""The model of the checkout: its float weights are not in the wheel."""

NAMES = {
    "input_layernorm": "attn_norm",
    "post_attention_layernorm": "ffn_norm",
    "mlp.down_proj": "ffn_down",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "self_attn.k_proj": "attn_k",
    "self_attn.o_proj": "attn_output",
    "self_attn.q_proj": "attn_q",
    "self_attn.v_proj": "attn_v",
}


def write(path: Path) -> Path:
    """Write the file."""
    config = json.loads((FOLDER / "config.json").read_text())
    writer = GGUFWriter(path, "llama")
    writer.add_name("formwright-tiny")
    writer.add_context_length(config["max_position_embeddings"])
    writer.add_embedding_length(config["hidden_size"])
    writer.add_block_count(config["num_hidden_layers"])
    writer.add_feed_forward_length(config["intermediate_size"])
    writer.add_head_count(config["num_attention_heads"])
    writer.add_head_count_kv(config["num_key_value_heads"])
    writer.add_layer_norm_rms_eps(config["rms_norm_eps"])
    writer.add_rope_freq_base(config["rope_theta"])
    writer.add_rope_dimension_count(config["head_dim"])
    writer.add_vocab_size(config["vocab_size"])
    _add_tokenizer(writer, config)
    for name, tensor in load_file(FOLDER / "model.safetensors").items():
        writer.add_tensor(*_tensor(name, tensor.astype(np.float32), config["num_attention_heads"]))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def _add_tokenizer(writer: Any, config: dict[str, Any]) -> None:
    file = json.loads((FOLDER / "tokenizer.json").read_text(encoding="utf-8"))
    control = {token["id"]: token["content"] for token in file["added_tokens"]}
    spelled = {token: text for text, token in file["model"]["vocab"].items()}
    ids = range(config["vocab_size"])
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list([control.get(token, spelled.get(token, f"<unused{token}>")) for token in ids])
    kinds = dict.fromkeys(control, TokenType.CONTROL)
    writer.add_token_types(
        [kinds.get(token, TokenType.NORMAL if token in spelled else TokenType.UNUSED) for token in ids]
    )
    merges = [pair if isinstance(pair, str) else " ".join(pair) for pair in file["model"]["merges"]]
    writer.add_token_merges(merges)
    writer.add_bos_token_id(config["bos_token_id"])
    writer.add_eos_token_id(config["eos_token_id"])
    writer.add_add_bos_token(False)
    tokenizer = json.loads((FOLDER / "tokenizer_config.json").read_text(encoding="utf-8"))
    writer.add_chat_template(tokenizer["chat_template"])


def _tensor(name: str, tensor: Any, heads: int) -> tuple[str, Any]:
    """The name of a tensor there, and its numbers as llama.cpp wants them: positions turn neighbouring pairs."""
    if not name.startswith("model.layers."):
        return {"model.embed_tokens.weight": "token_embd.weight", "model.norm.weight": "output_norm.weight"}[
            name
        ], tensor
    _, _, layer, *rest = name.split(".")
    part = NAMES[".".join(rest[:-1])]
    if part in ("attn_q", "attn_k"):
        half = tensor.shape[0] // heads // 2
        tensor = tensor.reshape(heads, 2, half, -1).swapaxes(1, 2).reshape(tensor.shape)
    return f"blk.{layer}.{part}.weight", np.ascontiguousarray(tensor)
