"""A context that holds one text at a time: what is evaluated, and that sequences in turns get logits of their own."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from toys import ToyRuntime

import formwright as fw
from formwright.models.local import LocalModel
from formwright.models.runtimes.contexts import Context, ContextRuntime


class Counted(Context):
    """A context that counts the tokens it evaluates; the logits are of all the ids that it holds."""

    size = 4096

    def __init__(self, model: Any, *, shortens: bool = True) -> None:
        super().__init__()
        self._model, self._shortens = model, shortens
        self._ids, self.evaluated, self.shortened = list[int](), 0, list[int]()
        self.inside = 0

    def read_ids(self) -> Any:
        return np.asarray(self._ids, np.intc)

    def shorten(self, length: int) -> bool:
        self.shortened.append(length)
        self._ids = self._ids[:length] if self._shortens else []
        return self._shortens

    def append(self, token_ids: Sequence[int]) -> Any:
        assert token_ids, "nothing to evaluate"
        self.inside += 1
        assert self.inside == 1, "two sequences at a time"
        self._ids += token_ids
        self.evaluated += len(token_ids)
        logits = self._model().prefill(self._ids)
        self.inside -= 1
        return logits


@pytest.fixture
def model(toy: Any) -> Any:
    return lambda: toy(257)


def test_what_two_texts_share_is_not_evaluated_again(model: Any) -> None:
    context = Counted(model)
    first = ContextRuntime(context)
    twin = first.fork()
    first.prefill([1, 2, 3, 4])
    assert (context.evaluated, context.shortened) == (4, [])
    first.step(5)
    assert context.evaluated == 5
    twin.prefill([1, 2, 3, 9])  # 4 and 5 go
    assert (context.evaluated, context.shortened) == (6, [3])
    first.step(6)  # 9 goes, and 4 and 5 come again
    assert (context.evaluated, context.shortened) == (9, [3, 3])
    assert (first.length, twin.length) == (6, 4)


def test_the_last_token_is_always_evaluated(model: Any) -> None:
    """Logits are those behind a token, so one that is held already is given again."""
    context = Counted(model)
    one, other = ContextRuntime(context), ContextRuntime(context)
    expected = one.prefill([1, 2, 3])
    assert np.array_equal(other.prefill([1, 2, 3]), expected)
    assert (context.evaluated, context.shortened) == (4, [2])
    assert np.array_equal(ContextRuntime(context).prefill([1]), model().prefill([1]))
    assert context.shortened == [2, 0]


def test_a_context_that_cannot_be_shortened_begins_again(model: Any) -> None:
    context = Counted(model, shortens=False)
    one, other = ContextRuntime(context), ContextRuntime(context)
    one.prefill([1, 2, 3])
    one.step(4)
    assert context.evaluated == 4  # longer it can become
    assert np.array_equal(other.prefill([1, 2, 9]), model().prefill([1, 2, 9]))
    assert context.evaluated == 7


@given(
    st.lists(st.tuples(st.integers(0, 3), st.lists(st.integers(0, 2), min_size=1, max_size=3)), max_size=20),
    st.booleans(),
)
def test_sequences_that_take_turns(steps: list[tuple[int, list[int]]], shortens: bool) -> None:
    """Each call gives what a model of its own would give, and forks go on by themselves."""
    context = Counted(lambda: ToyRuntime(8), shortens=shortens)
    runtimes, written = [ContextRuntime(context) for _ in range(3)], [list[int]() for _ in range(3)]
    for which, ids in steps:
        if which == 3:
            runtimes[2], written[2] = runtimes[0].fork(), list(written[0])
            continue
        logits = runtimes[which].prefill(ids)
        written[which] += ids
        assert np.array_equal(logits, ToyRuntime(8).prefill(written[which]))
        assert runtimes[which].length == len(written[which])


def test_a_call_that_fails_adds_nothing(model: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    context = Counted(model)
    runtime = ContextRuntime(context)
    runtime.prefill([1, 2])
    with monkeypatch.context() as patched:
        patched.setattr(Counted, "append", lambda self, ids: (_ for _ in ()).throw(RuntimeError("full")))
        with pytest.raises(RuntimeError, match="full"):
            runtime.step(3)
    assert runtime.length == 2
    assert np.array_equal(runtime.step(4), model().prefill([1, 2, 4]))


def test_threads_take_turns(model: Any, byte_vocabulary: fw.Vocabulary) -> None:
    """Texts of several threads in one context are those of one thread, and no two calls are in it at a time."""
    shared = LocalModel("shared", ContextRuntime(Counted(model)), byte_vocabulary, str.encode)
    own = LocalModel("own", model(), byte_vocabulary, str.encode)
    form, prompts = fw.regex("[a-z]{3,12}"), [f"prompt {number}" for number in range(12)]
    with ThreadPoolExecutor(6) as pool:
        found = list(pool.map(lambda prompt: shared.generate(prompt, form, temperature=0).text, prompts))
    assert found == [own.generate(prompt, form, temperature=0).text for prompt in prompts]
