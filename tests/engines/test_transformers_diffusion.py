"""The diffusion loop of transformers, run with random weights: whenever it stops, its texts conform."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import formwright as fw
from formwright.generation.diffusion import EntropyBound

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from formwright.engines.transformers_diffusion import CanvasProcessor, _put_first  # noqa: E402

PIECES = [
    b'{"',
    b"name",
    b'":"',
    b"Ada",
    b"A",
    b"da",
    b"Bo",
    b'","',
    b"age",
    b'":',
    b"1",
    b"2",
    b"3",
    b"}",
    b'"',
    b'"}',
]
VOCABULARY = fw.Vocabulary([None, None, None, *PIECES, *[None] * 29], eos_token_ids=[1])
TEXTS = [f'{{"name":"{name}"{age}}}' for name in ("Ada", "Bo") for age in ("", ',"age":1', ',"age":2', ',"age":31')]


def compile_choice(*texts: str) -> fw.Constraint[str]:
    return fw.compile(fw.choice(texts), VOCABULARY)


@pytest.fixture(scope="module")
def network() -> Any:
    text = transformers.DiffusionGemmaTextConfig(
        vocab_size=48,
        hidden_size=32,
        intermediate_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=1,
        head_dim=16,
        global_head_dim=16,
        num_experts=2,
        top_k_experts=1,
        moe_intermediate_size=16,
        sliding_window=16,
        max_position_embeddings=256,
        pad_token_id=0,
        eos_token_id=1,
        bos_token_id=2,
        initializer_range=0.5,
    )
    vision = transformers.Gemma4VisionConfig(
        hidden_size=16,
        intermediate_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        num_key_value_heads=2,
        head_dim=8,
    )
    torch.manual_seed(0)
    config = transformers.DiffusionGemmaConfig(
        text_config=text, vision_config=vision, canvas_length=12, image_token_id=47, boi_token_id=46, eoi_token_id=45
    )
    return transformers.DiffusionGemmaForBlockDiffusion(config).eval()


def generate(network: Any, processors: list[Any], prompts: Any = ((2, 5, 6), (2, 7, 8)), **options: Any) -> list[str]:
    prompt_ids = torch.tensor(prompts)
    listed = transformers.LogitsProcessorList(processors)
    options = {"max_new_tokens": 12, "max_denoising_steps": 4, "eos_token_id": 1, "pad_token_id": 0, **options}
    found = network.generate(prompt_ids, logits_processor=listed, **options).sequences[:, prompt_ids.shape[1] :]
    return [b"".join(VOCABULARY.token(token_id) or b"" for token_id in row).decode() for row in found.tolist()]


@pytest.mark.parametrize("steps", [1, 4])
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_texts_conform_whenever_the_host_stops(network: Any, steps: int, dtype: str) -> None:
    network.to(getattr(torch, dtype))
    written, constraint = set(), compile_choice(*TEXTS)
    for seed in range(3):
        torch.manual_seed(seed)
        processor = CanvasProcessor([constraint], policy=EntropyBound(steps=steps), seed=seed)
        texts = generate(network, [processor], max_denoising_steps=steps)
        assert {*texts} <= {*TEXTS}
        written |= {*texts}
    assert not {*generate(network, [], max_denoising_steps=steps)} & {*TEXTS}
    assert len(written) > 1
    network.to(torch.float32)


def test_each_row_has_its_form(network: Any) -> None:
    constraints = [compile_choice('{"name":"Ada"}'), compile_choice('{"age":2}', '{"age":3}')]
    one, other = generate(network, [CanvasProcessor(constraints)])
    assert (one, other[:7]) == ('{"name":"Ada"}', '{"age":')


def test_canvases_follow_each_other(network: Any) -> None:
    texts = ['{"name":"Ada","age":' + "123" * 3 + "}", '{"age":2}', '{"name":"Ada","age":' + "3" * 12 + "}"]
    seen = set()
    for seed in range(3):
        torch.manual_seed(seed)
        network.config.canvas_length = 5
        processor = CanvasProcessor([compile_choice(*texts)], max_tokens=22, seed=seed)
        seen |= {*generate(network, [processor], max_new_tokens=22)}
    network.config.canvas_length = 12
    assert seen <= {*texts}
    assert any(len(text) > 12 for text in seen)


def test_other_positions_keep_what_fits_beside_what_is_placed() -> None:
    vocabulary = fw.Vocabulary([b"", b"a", b"b", b"c", b"d"], eos_token_ids=[0])
    constraint, fillings = fw.compile(fw.choice("abc", "dbb"), vocabulary), {(1, 2, 3), (4, 2, 2)}
    for seed in range(20):
        scores = torch.from_numpy(np.random.default_rng(seed).normal(size=(1, 3, 5)))
        processor = CanvasProcessor([constraint], policy=EntropyBound(bound=0.0, least_temperature=1.0), seed=seed)
        masked = processor(torch.zeros((1, 2), dtype=torch.long), scores, 1)
        assert masked.shape == scores.shape
        left = [set(np.flatnonzero(np.isfinite(row)).tolist()) for row in masked[0].numpy()]
        assert tuple(masked[0].argmax(-1).tolist()) in fillings
        assert left[1] == {2}
        assert [left[0], left[2]] in [[{first}, {last}] for first, _, last in fillings]
    undecided = CanvasProcessor(
        [fw.compile(fw.choice("ab", "ad", "cb", "cd"), vocabulary)], policy=EntropyBound(bound=0.0)
    )
    row = undecided(torch.zeros((1, 2), dtype=torch.long), torch.zeros((1, 2, 5)), 1)[0].numpy()
    assert sorted(
        set(np.flatnonzero(np.isfinite(one)).tolist()) == fits for one, fits in zip(row, [{1, 3}, {2, 4}], strict=True)
    ) == [False, True]


def test_logits_of_something_else_are_refused() -> None:
    processor = CanvasProcessor([compile_choice(*TEXTS)] * 2)
    for shape in ((2, 48), (3, 4, 48)):
        with pytest.raises(fw.errors.ArgumentError):
            processor(torch.zeros((shape[0], 3), dtype=torch.long), torch.zeros(shape), 1)
    with pytest.raises(fw.errors.ArgumentError):
        CanvasProcessor([])


def test_the_token_that_is_put_first_stays_first_in_low_precision() -> None:
    random = np.random.default_rng(0)
    for _ in range(300):
        scores = random.normal(scale=10, size=6).astype(np.float32)
        scores[random.integers(6)] = scores[random.integers(6)]
        scores[random.random(6) < 0.3] = -np.inf
        (fits,) = np.nonzero(np.isfinite(scores))
        if len(fits):
            token_id = int(random.choice(fits))
            _put_first(scores, token_id)
            for dtype in (torch.float32, torch.bfloat16):
                divided = torch.from_numpy(scores).to(dtype) / random.uniform(0.3, 1)
                assert int(divided.argmax()) == token_id
            assert np.isfinite(scores).sum() == len(fits)
