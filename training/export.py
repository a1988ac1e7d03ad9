"""Turn a checkpoint into the files of the model folder.

    python export.py --run runs/tiny --to ../python/formwright/models/formwright_tiny
    python export.py --run runs/loops --mean-with runs/tiny/model --share 0.45 --to runs/loops/model

writes the transformers format (config, float16 weights, tokenizer, generation
config) and `model.int8.onnx`, see `rounding.py` and `graph.py`. Before it finishes, the logits of the
graph are compared with those of `transformers.LlamaForCausalLM` reading the written
folder.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
import onnxruntime
import rounding
import torch
from model import Config, Decoder
from safetensors.torch import save_file
from tokenizers import Tokenizer
from train import BOS, END, PAD, SPECIAL_TOKENS, load_weights

CHAT_TEMPLATE = (
    "{% if tools %}{{ '<|system|>' }}{% if messages[0]['role'] == 'system' %}{{ messages[0]['content'] + '\\n' }}{% endif %}{{ 'Tools:' }}"
    "{% for tool in tools %}{{ '\\n' }}{{ (tool['function'] if tool['function'] is defined else tool) | tojson }}{% endfor %}{% endif %}"
    "{% for message in messages %}{% if not (tools and loop.first and message['role'] == 'system') %}"
    "{{ '<|user|>Result: ' if message['role'] == 'tool' else '<|' + message['role'] + '|>' }}{{ message['content'] or '' }}"
    "{% for call in message['tool_calls'] or [] %}{% if message['content'] or not loop.first %}{{ '\\n' }}{% endif %}"
    "{{ '<tool_call>\\n{\"name\": \"' + call['function']['name'] + '\", \"arguments\": ' + (call['function']['arguments'] | tojson) + '}\\n</tool_call>' }}{% endfor %}"
    "{% if message['role'] == 'assistant' %}{{ '<|end|>' }}{% endif %}{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|assistant|>' }}{% endif %}"
)


def load_checkpoint(path: Path) -> Decoder:
    state = torch.load(path, weights_only=False, map_location="cpu")
    model = Decoder(Config(**state["config"]))
    model.load_state_dict(state["model"])
    return model.eval()


def mix(model: Decoder, folder: Path, share: float) -> None:
    """Move the weights toward those of a model folder: weights of one ancestor have a mean that keeps most of both."""
    other = Decoder(model.config)
    load_weights(other, folder)
    with torch.no_grad():
        for own, theirs in zip(model.parameters(), other.parameters(), strict=True):
            own.lerp_(theirs, share)


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
        "additional_special_tokens": SPECIAL_TOKENS[3:], "model_max_length": config.positions,
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


# --- checks -----------------------------------------------------------------------------------------


def run_graph(path: Path, config: Config, ids: np.ndarray) -> np.ndarray:
    """Logits of all positions."""
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    past = np.zeros((len(ids), config.heads, 0, config.width // config.heads), np.float32)
    caches = {entry.name: past for entry in session.get_inputs() if entry.name.startswith("past_key_values")}
    feed = {"input_ids": ids, "past_lengths": np.zeros(len(ids), np.int64), "kept": np.array([ids.shape[1]]), **caches}
    return session.run(["logits"], feed)[0]


def check(folder: Path, config: Config) -> None:
    from transformers import AutoModelForCausalLM, AutoTokenizer

    ids = np.random.default_rng(0).integers(len(SPECIAL_TOKENS), config.vocabulary, (3, 24))
    reference = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    with torch.no_grad():
        wanted = reference(torch.tensor(ids)).logits.numpy()
    rounded = run_graph(folder / "model.int8.onnx", config, ids)
    agree = (rounded.argmax(-1) == wanted.argmax(-1)).mean()
    prompt = AutoTokenizer.from_pretrained(folder).apply_chat_template([{"role": "user", "content": "Hello"}], add_generation_prompt=True, tokenize=False)
    print(f"int8 graph against transformers: mean difference {np.abs(rounded - wanted).mean():.3f}, same first choice at {agree:.0%} of random positions")
    print(f"template {prompt!r}")


def export(run: Path, folder: Path, mean_with: Path | None = None, share: float = 0.5) -> None:
    torch.set_num_threads(1)
    folder.mkdir(parents=True, exist_ok=True)
    model = load_checkpoint(run / "checkpoint.pt")
    if mean_with:
        mix(model, mean_with, share)
    write_transformers(model, run, folder)
    rounding.write(folder)
    check(folder, model.config)
    for path in sorted(folder.iterdir()):
        print(f"{path.stat().st_size:>10,} {path.name}")
    print(f"{sum(path.stat().st_size for path in folder.iterdir()):>10,} together")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", type=Path, required=True, help="folder of the training run")
    parser.add_argument("--to", type=Path, required=True, help="model folder to write")
    parser.add_argument("--mean-with", type=Path, metavar="MODEL", help="model folder whose weights take part, those that the run went on from")
    parser.add_argument("--share", type=float, default=0.5, help="how much of them, from 0 to 1")
    options = parser.parse_args()
    export(options.run, options.to, options.mean_with, options.share)
