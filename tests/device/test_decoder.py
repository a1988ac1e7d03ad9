"""Choices by tables, of the kernels in Triton's interpreter and of torch: against numpy, and against matchers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from device_oracle import NaiveDecoder, gumbel

torch = pytest.importorskip("torch", reason="torch is not installed")
pytest.importorskip("triton", reason="triton is not installed")

import formwright as fw  # noqa: E402
from formwright.device import Decoder, DeviceTables, apply, torch_masks, triton_kernels  # noqa: E402
from formwright.device.torch_choice import draw_gumbel  # noqa: E402

INTERPRETED = pytest.mark.skipif(
    not triton_kernels.ARE_INTERPRETED, reason="triton was imported before TRITON_INTERPRET=1 was set"
)
CUDA = pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")
KINDS = [torch.float32, torch.bfloat16, torch.float16]
FORM = fw.json_schema(
    {
        "type": "object",
        "properties": {
            "name": {"type": "string", "maxLength": 6},
            "age": {"type": "integer"},
            "ok": {"type": "boolean"},
        },
        "required": ["name", "ok"],
        "additionalProperties": False,
    },
    whitespace="compact",
)


@pytest.fixture(params=[pytest.param("kernels", marks=INTERPRETED), "torch", pytest.param("cuda", marks=CUDA)])
def device(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Where choices are made; on a CPU, by which of both ways."""
    if request.param == "cuda":
        return "cuda"
    monkeypatch.setattr(
        "formwright.device.torch_decoder.kernels_for",
        torch_masks.kernels_for if request.param == "kernels" else lambda tensor: None,
    )
    return "cpu"


@pytest.fixture(scope="module")
def tables(word_vocabulary: fw.Vocabulary) -> DeviceTables:
    made = fw.compile(FORM, word_vocabulary).device_tables()
    assert made is not None
    return made


def random_logits(rows: int, width: int, seed: int, kind: Any) -> Any:
    """With many equal ones, and some that are no numbers."""
    draw = np.random.default_rng(seed)
    logits = np.round(draw.normal(size=(rows, width)) * 3).astype(np.float32)
    logits[draw.random(logits.shape) < 0.02] = -np.inf
    logits[0, draw.integers(width)] = np.nan
    return torch.from_numpy(logits).to(kind)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("width", [273, 300, 4500])
def test_choices_states_and_budgets_are_those_of_numpy(
    device: str, tables: DeviceTables, kind: Any, width: int
) -> None:
    budgets = [tables.min_tokens, tables.min_tokens + 1, tables.min_tokens + 7, 1 << 30, 5]
    decoder = Decoder(tables, rows=5, width=width, device=device)
    for row, budget in enumerate(budgets[:4]):
        decoder.begin([row], max_tokens=budget)
    decoder.begin([4], max_tokens=5, free=True)
    naive = NaiveDecoder(tables, states=[0, 0, 0, 0, -1], left=list(budgets), scales=[0.0] * 5, seeds=[0] * 5)
    for step in range(tables.min_tokens + 12):
        logits = random_logits(5, width + 3, step, kind).to(device)[:, 1 : width + 1]
        before = logits.clone()
        token_ids = decoder.take(logits)
        assert token_ids.tolist() == naive.take(logits.float().cpu().numpy())
        assert decoder.states.tolist() == naive.states
        assert decoder.left.tolist() == naive.left
        assert torch.equal(logits, before) or torch.equal(logits.isnan(), before.isnan())
    assert decoder.is_ended.tolist()[:3] == [True, True, True]


def test_draws_are_those_of_numpy(device: str, tables: DeviceTables) -> None:
    decoder = Decoder(tables, rows=3, width=tables.logits_size, device=device, draws=True)
    decoder.begin(temperature=0.5, seed=1 << 40, max_tokens=tables.min_tokens + 4)
    decoder.begin([1], max_tokens=tables.min_tokens + 4)
    seeds = [(1 << 40) + row for row in range(3)]
    budget = tables.min_tokens + 4
    naive = NaiveDecoder(tables, states=[0] * 3, left=[budget] * 3, scales=[2.0, 0.0, 2.0], seeds=seeds)
    texts = []
    for step in range(12):
        logits = random_logits(3, tables.logits_size, step, torch.float32)
        texts.append(decoder.take(logits.to(device)).tolist())
        assert texts[-1] == naive.take(logits.numpy())
    assert [row[0] for row in texts] != [row[2] for row in texts], "rows draw by seeds of their own"


def test_noise_is_philox() -> None:
    # The known answers of Philox 4x32-10 for a counter and a key of zeros, and of ones.
    seeds, steps = torch.tensor([0, 7, -1]), torch.tensor([0, 5, 3], dtype=torch.int32)
    noise = draw_gumbel(seeds, steps, 50).numpy()
    wanted = [gumbel(seed, step, 50) for seed, step in ((0, 0), (7, 5), (2**64 - 1, 3))]
    assert np.allclose(noise, wanted, rtol=1e-5, atol=1e-6)
    first = 0x6627E8D5  # counter 0, key 0, as the authors of Philox publish it
    uniform = (np.float32(first >> 9) + np.float32(0.5)) * np.float32(2**-23)
    assert noise[0, 0] == pytest.approx(-np.log(-np.log(uniform)), rel=1e-5)


def test_draws_have_the_distribution_of_the_softmax(word_vocabulary: fw.Vocabulary) -> None:
    made = fw.compile(fw.choice("yes", "no", "null", "true"), word_vocabulary).device_tables()
    assert made is not None
    rows, temperature = 5_000, 0.7
    decoder = Decoder(made, rows=rows, width=made.logits_size, device="cpu", draws=True)
    decoder._kernels = None  # by torch: quick, and the same noise
    decoder.begin(temperature=temperature, seed=3)
    logits = torch.randn(made.logits_size, generator=torch.Generator().manual_seed(2))
    allowed = np.flatnonzero(made.next[0, made.classes] >= 0)
    chances = torch.softmax(logits[torch.from_numpy(allowed)] / temperature, 0).numpy()
    counts = np.bincount(decoder.take(logits.expand(rows, -1)).numpy(), minlength=made.logits_size)[allowed]
    assert counts.sum() == rows
    chi = ((counts - rows * chances) ** 2 / (rows * chances)).sum()
    assert chi < len(allowed) + 5 * (2 * len(allowed)) ** 0.5


@pytest.mark.parametrize("budget", [None, 0, 3, 30])
def test_tables_choose_the_tokens_that_masks_do(device: str, tiny: Any, budget: int | None) -> None:
    """Greedy texts by tables, and by matchers that fill masks for what is left of the budget."""
    vocabulary = tiny.vocabulary
    constraint = fw.compile(FORM, vocabulary)
    made = constraint.device_tables()
    assert made is not None
    rows, width = 3, vocabulary.logits_size
    decoder = Decoder(made, rows=rows, width=width, device=device)
    most = None if budget is None else made.min_tokens + budget
    decoder.begin(max_tokens=most)
    matchers, mask = [constraint.matcher() for _ in range(rows)], fw.allocate_bitmask(rows, vocabulary)
    by_tables, by_masks = [], []
    for step in range(25):
        draw = np.random.default_rng([step, budget or 0])
        logits = torch.from_numpy(draw.normal(size=(rows, width)).astype(np.float32))
        by_tables.append(decoder.take(logits.to(device)).tolist())
        for row, matcher in enumerate(matchers):
            matcher.fill_bitmask(mask, row, budget=None if most is None or matcher.is_finished else max(1, most - step))
        apply(logits, torch.from_numpy(mask))
        by_masks.append(logits.argmax(1).tolist())
        for token, matcher in zip(by_masks[-1], matchers, strict=True):
            if not matcher.is_finished:
                matcher.accept_token(token)
    assert by_tables == by_masks


def test_every_text_within_the_smallest_budget_is_whole(
    device: str, tables: DeviceTables, word_vocabulary: Any
) -> None:
    constraint = fw.compile(FORM, word_vocabulary)
    for more in (0, 2):
        rows = 4
        decoder = Decoder(tables, rows=rows, width=tables.logits_size, device=device)
        decoder.begin(max_tokens=tables.min_tokens + more)
        taken = [
            decoder.take(random_logits(rows, tables.logits_size, 100 * more + step, torch.float32).to(device)).tolist()
            for step in range(tables.min_tokens + more + 1)
        ]
        for row in range(rows):
            ids = [step[row] for step in taken]
            text = b"".join(word_vocabulary.token(token) for token in ids)
            constraint.parse(text)
            assert ids[-1] in word_vocabulary.eos_token_ids


def test_rows_begin_apart(device: str, tables: DeviceTables) -> None:
    decoder = Decoder(tables, rows=2, width=tables.logits_size, device=device)
    decoder.begin()
    logits = torch.zeros(2, tables.logits_size, device=device)
    decoder.take(logits)
    first = decoder.token_ids.tolist()
    before = decoder.states.tolist()
    decoder.begin([1])
    assert decoder.states.tolist() == [before[0], 0]
    assert decoder.take(logits).tolist()[1] == first[1]


def test_what_does_not_fit_is_refused(tables: DeviceTables) -> None:
    width = tables.logits_size
    with pytest.raises(fw.errors.VocabularyError, match="lack tokens"):
        Decoder(tables, rows=1, width=width - 1, device="cpu")
    with pytest.raises(fw.errors.ArgumentError, match="rows: expected 1"):
        Decoder(tables, rows=0, width=width, device="cpu")
    decoder = Decoder(tables, rows=2, width=width, device="cpu")
    with pytest.raises(fw.errors.LimitExceeded, match=f"the shortest text has {tables.min_tokens}"):
        decoder.begin(max_tokens=tables.min_tokens - 1)
    for temperature in (-1.0, float("nan"), float("inf")):
        with pytest.raises(fw.errors.ArgumentError, match="temperature: expected"):
            decoder.begin(temperature=temperature)
    with pytest.raises(fw.errors.ArgumentError, match="greedy choices only"):
        decoder.begin(temperature=1.0)
    with pytest.raises(fw.errors.ArgumentError, match="there is no row 2"):
        decoder.begin([0, 2])
    with pytest.raises(fw.errors.ArgumentError, match="logits: expected the shape"):
        decoder.take(torch.zeros(1, width))
    with pytest.raises(TypeError, match="float64"):
        decoder.take(torch.zeros(2, width).double())


@CUDA
def test_a_step_is_part_of_a_graph(tables: DeviceTables) -> None:
    decoder = Decoder(tables, rows=2, width=tables.logits_size, device="cuda")
    logits = torch.randn(2, tables.logits_size, device="cuda")
    decoder.begin()
    wanted = [decoder.take(logits).tolist() for _ in range(8)]
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        decoder.take(logits)
    decoder.begin()
    found = []
    for _ in range(8):
        graph.replay()
        found.append(decoder.token_ids.tolist())
    assert found == wanted
