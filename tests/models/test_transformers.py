"""A transformers model made here, with random weights and a padded embedding."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="formwright[transformers] is not installed")
transformers = pytest.importorskip("transformers", reason="formwright[transformers] is not installed")

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers  # noqa: E402

import formwright as fw  # noqa: E402
from formwright.models.runtimes.transformers import TransformersRuntime  # noqa: E402

TEMPLATE = (
    "{% for message in messages %}<|{{ message.role }}|>{{ message.content }}{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)


@pytest.fixture(scope="module")
def tokenizer() -> Any:
    backend = Tokenizer(models.BPE())
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    backend.decoder = decoders.ByteLevel()
    names = ["<|end|>", "<|user|>", "<|assistant|>"]
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=300, initial_alphabet=alphabet, special_tokens=names)
    backend.train_from_iterator(['{"name": "Ada", "age": 36}'] * 9, trainer)
    wrapped = transformers.PreTrainedTokenizerFast(tokenizer_object=backend, eos_token="<|end|>")
    wrapped.chat_template = TEMPLATE
    return wrapped


@pytest.fixture(scope="module")
def network() -> Any:
    torch.manual_seed(0)
    torch.set_num_threads(1)
    config = transformers.LlamaConfig(
        vocab_size=320,
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=256,
        eos_token_id=[0, 1],
    )
    return transformers.LlamaForCausalLM(config).eval()


@pytest.fixture(scope="module")
def model(network: Any, tokenizer: Any) -> fw.models.LocalModel:
    return fw.from_transformers(network, tokenizer)


def test_width_and_ends_are_the_models(model: fw.models.LocalModel, tokenizer: Any) -> None:
    assert model.vocabulary.logits_size == 320 > len(tokenizer)
    assert sorted(model.vocabulary.eos_token_ids) == [0, 1]
    assert model.runtime.context == 256


def test_prompts_go_through_the_chat_template(model: fw.models.LocalModel, tokenizer: Any) -> None:
    expected = tokenizer("<|user|>Hi<|assistant|>", add_special_tokens=False)["input_ids"]
    assert list(model.encode("Hi")) == expected


def test_the_runtime_agrees_with_one_forward_pass(network: Any) -> None:
    ids = list(range(5, 25))
    with torch.inference_mode():
        expected = network(torch.tensor([ids])).logits[0, -1].numpy()
    runtime = TransformersRuntime(network)
    runtime.prefill(ids[:10])
    runtime.prefill(ids[10:-1])
    twin = runtime.fork()
    assert np.allclose(runtime.step(ids[-1]), expected, atol=1e-4)
    assert np.allclose(twin.step(ids[-1]), expected, atol=1e-4)


@pytest.mark.parametrize("seed", range(10))
def test_random_weights_write_in_form(model: fw.models.LocalModel, seed: int) -> None:
    person = {"type": "object", "properties": {"name": {"type": "string"}, "age": {"type": "integer"}}}
    person |= {"required": ["name", "age"], "additionalProperties": False}
    result = model.generate("Who?", person, max_tokens=50, temperature=1, seed=seed)
    assert isinstance(result, fw.Complete)
    assert set(result.value) == {"name", "age"}
    assert len(result.token_ids) <= 50
    assert model.generate("Well?", Literal["yes", "no"]).value in {"yes", "no"}
