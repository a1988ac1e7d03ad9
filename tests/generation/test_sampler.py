"""Sampling: what can be drawn, how often, and what cannot be asked."""

from __future__ import annotations

import numpy as np
import pytest

from formwright.errors import DeadEnd
from formwright.generation import Sampler

LOGITS = np.log(np.array([0.5, 0.0, 0.3, 0.15, 0.05], dtype=np.float32) + 1e-30)
LOGITS[1] = -np.inf


def drawn(sampler: Sampler, times: int = 4000) -> np.ndarray:
    return np.bincount([sampler(LOGITS) for _ in range(times)], minlength=5) / times


def test_greedy_takes_the_best_and_the_lowest_id_among_equals() -> None:
    assert Sampler()(LOGITS) == 0
    assert Sampler()(np.array([-1.0, 2.0, 2.0])) == 1
    assert Sampler()(np.array([-np.inf, -5.0])) == 1


def test_a_draw_follows_the_distribution_and_never_leaves_it() -> None:
    frequencies = drawn(Sampler(temperature=1, seed=1))
    assert frequencies[1] == 0
    assert np.allclose(frequencies, [0.5, 0, 0.3, 0.15, 0.05], atol=0.03)


def test_temperature_sharpens() -> None:
    expected = np.array([0.5, 0, 0.3, 0.15, 0.05]) ** 2
    assert np.allclose(drawn(Sampler(temperature=0.5, seed=2)), expected / expected.sum(), atol=0.03)


@pytest.mark.parametrize(
    ("settings", "support"),
    [
        ({"top_k": 1}, {0}),
        ({"top_k": 2}, {0, 2}),
        ({"top_k": 99}, {0, 2, 3, 4}),
        ({"top_p": 0.4}, {0}),
        ({"top_p": 0.51}, {0, 2}),
        ({"top_p": 0.96}, {0, 2, 3, 4}),
        ({"top_k": 3, "top_p": 0.9}, {0, 2, 3}),
    ],
)
def test_top_k_and_top_p_cut_the_tail(settings: dict[str, float], support: set[int]) -> None:
    frequencies = drawn(Sampler(temperature=1, seed=3, **settings), times=1000)
    assert set(np.flatnonzero(frequencies)) == support


def test_a_seed_makes_draws_repeatable() -> None:
    one, two = (Sampler(temperature=1, seed=5) for _ in range(2))
    assert [one(LOGITS) for _ in range(50)] == [two(LOGITS) for _ in range(50)]


@pytest.mark.parametrize(
    "settings", [{"temperature": -0.1}, {"top_k": 0}, {"top_p": 0}, {"top_p": 1.1}, {"temperature": float("nan")}]
)
def test_settings_out_of_range(settings: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=next(iter(settings))):
        Sampler(**settings)


@pytest.mark.parametrize("bad", [-np.inf, np.nan, np.inf])
def test_logits_that_say_nothing(bad: float) -> None:
    with pytest.raises(DeadEnd):
        Sampler(temperature=1)(np.array([-np.inf, bad]))


@pytest.mark.parametrize("temperature", [1e-300, 1e-20, 1e300])
def test_any_temperature_draws_an_allowed_token(temperature: float) -> None:
    logits = np.array([3.0, -np.inf, 20.0, 19.0], dtype=np.float32)
    drawn = {Sampler(temperature=temperature, seed=seed)(logits) for seed in range(30)}
    assert drawn == ({2} if temperature < 1 else {0, 2, 3})
