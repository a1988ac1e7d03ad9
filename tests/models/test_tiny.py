"""The embedded model's batches: a row gives the same bits alone and beside others."""

from __future__ import annotations

import numpy as np
import pytest

from formwright.models import LocalModel
from formwright.models.runtimes.tiny import TinyRuntime


def runtime(tiny: LocalModel) -> TinyRuntime:
    assert isinstance(tiny.runtime, TinyRuntime)
    return tiny.runtime


def test_rows_are_the_same_alone_and_together(tiny: LocalModel) -> None:
    random = np.random.default_rng(0)
    empty = runtime(tiny)
    prompts = [random.integers(5, 4000, length).tolist() for length in (3, 70, 40, 130, 65, 100)]
    alone, together = [empty.fork() for _ in prompts], empty.batch()
    for single, prompt in zip(alone, prompts, strict=True):
        assert np.array_equal(single.prefill(prompt), together.add([prompt])[0])
    alone += [empty.fork(), empty.fork()]
    assert np.array_equal(
        np.stack([alone[-2].prefill(prompts[0]), alone[-1].prefill([9])]), together.add([prompts[0], [9]])
    )
    for turn in range(40):
        counts = random.choice([0, 1, 1, 1, 3], 8) if turn % 2 else random.permutation([0, 0, 0, 0, 0, 0, 1, 2])
        tokens = [random.integers(5, 4000, count).tolist() for count in counts]
        logits = together.step(tokens) if any(tokens) else np.zeros((8, 1))
        for row, (single, new) in enumerate(zip(alone, tokens, strict=True)):
            assert not new or np.array_equal(single.prefill(new), logits[row])
        if turn % 7 == 0:
            kept = random.integers(0, 8, 8).tolist()
            together.select(kept)
            alone = [alone[row].fork() for row in kept]
    assert together.lengths == [single.length for single in alone]


def test_a_full_row_does_not_disturb_the_others(tiny: LocalModel) -> None:
    random = np.random.default_rng(1)
    empty = runtime(tiny)
    full, short = random.integers(5, 4000, empty.context).tolist(), [5, 6, 7]
    batch, single = empty.batch(), empty.fork()
    batch.add([full, short, short])
    single.prefill(short)
    for _ in range(3):
        logits = batch.step([[], [9], [9]])
        expected = single.step(9)
        assert np.array_equal(logits[1], expected)
        assert np.array_equal(logits[2], expected)
    with pytest.raises(ValueError, match=f"the context is {runtime(tiny).context}"):
        batch.step([[9], [9], [9]])
    batch.select([1, 2])
    assert np.array_equal(batch.step([[8], [8]])[0], single.step(8))


def test_wrong_calls_are_errors(tiny: LocalModel) -> None:
    batch = runtime(tiny).batch()
    batch.add([[5]])
    for wrong in ([], [[1], [2]], [[]]):
        with pytest.raises(ValueError, match="row"):
            batch.step(wrong)
    with pytest.raises(ValueError, match="0 tokens"):
        batch.add([[]])


def test_rows_that_stay_hold_what_they_held_when_the_caches_grow_for_fewer() -> None:
    runtime = TinyRuntime()
    batch, prompts = runtime.batch(), [[5 + row, 6, 7] for row in range(9)]
    batch.add(prompts)
    batch.select([8, 2])
    alone = [runtime.fork(), runtime.fork()]
    for twin, row in zip(alone, (8, 2), strict=True):
        twin.prefill(prompts[row])
    for token_id in range(10, 90):  # beyond the first caches
        logits = batch.step([[token_id], [token_id + 1]])
        expected = [alone[0].step(token_id), alone[1].step(token_id + 1)]
        assert np.array_equal(logits, expected)
