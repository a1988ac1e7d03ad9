"""The reference loop of diffusion models on a canvas that enumerates all fillings, with random models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from enumerated_canvas import EnumeratedCanvas
from random_languages import END, Case
from toys import ToyRuntime

import formwright as fw
from formwright.generation.diffusion import (
    CountingDenoiser,
    EntropyBound,
    LowConfidence,
    Step,
    fill_canvas,
    mask_rows,
    measure_entropies,
)

LENGTH = 6
POLICIES = [
    LowConfidence(mask_id=END, tokens=1),
    LowConfidence(mask_id=END, tokens=2, temperature=1.0),
    LowConfidence(mask_id=END, tokens=8, temperature=0.5),
    EntropyBound(steps=9),
    EntropyBound(bound=1.0, steps=4),
    EntropyBound(bound=9.0, steps=1),
]


class RandomDenoiser:
    """A model with random opinions, which depend on the whole canvas; it counts its calls."""

    def __init__(self, width: int, seed: int) -> None:
        self.width, self.seed, self.calls = width, seed, 0
        self.rows: list[np.ndarray] = []

    def __call__(self, prompt_ids: Sequence[int], canvas_ids: np.ndarray) -> np.ndarray:
        assert canvas_ids.shape == (LENGTH,)
        assert canvas_ids.max() < self.width
        self.calls += 1
        random = np.random.default_rng([self.seed, *prompt_ids, *canvas_ids.tolist()])
        self.rows.append(random.normal(scale=3, size=(len(canvas_ids), self.width)))
        return self.rows[-1]


def open_canvas(case: Case, length: int = LENGTH, after: int = 0) -> EnumeratedCanvas:
    return EnumeratedCanvas([text.encode() for text in case.texts], case.vocabulary, length, after)


def fill(canvas: EnumeratedCanvas, model: RandomDenoiser, policy: Any, seed: int = 0) -> list[Step]:
    return [*fill_canvas(canvas, canvas.vocabulary, model, [1], policy, seed=seed)]


def test_the_oracle_allows_what_a_matcher_allows_within_a_budget() -> None:
    for seed in range(30):
        case = Case(seed, ToyRuntime)
        length = case.longest + seed % 3
        canvas = open_canvas(case, length)
        rows = fw.allocate_bitmask(length, case.vocabulary)
        row, matcher = fw.allocate_bitmask(1, case.vocabulary), case.model.compile_form(case.form).matcher()
        for position in range(length):
            matcher.fill_bitmask(row, budget=length - position)
            assert (rows[canvas.fill_bitmasks(rows)[position]] == row[0]).all()
            token_id = int(canvas.find_fillings()[0][position])
            if token_id == END:
                break
            canvas.place(position, token_id)
            matcher.accept_token(token_id)


@pytest.mark.parametrize("policy", POLICIES)
def test_texts_conform_and_steps_tell_what_was_done(policy: Any) -> None:
    refused = 0
    for seed in range(20):
        case = Case(seed, ToyRuntime)
        canvas, model = open_canvas(case), RandomDenoiser(case.vocabulary.logits_size, seed)
        steps = fill(canvas, model, policy)
        assert canvas.text in case.texts
        assert len(steps) == model.calls <= policy.count_steps(LENGTH)
        if isinstance(policy, LowConfidence):
            assert model.calls == -(-LENGTH // policy.tokens)  # as without a form
        assert steps[-1].token_ids == tuple(canvas.token_ids)
        known: set[int] = set()
        for step in steps:
            known = {*step.placed} if isinstance(policy, EntropyBound) else known | {*step.placed}
            assert known == {at for at, token_id in enumerate(step.token_ids) if token_id is not None}
            assert len({*step.placed, *step.refused}) == len(step.placed) + len(set(step.refused) - {*step.placed})
            refused += len(step.refused)
        assert steps == fill(open_canvas(case), RandomDenoiser(model.width, seed), policy)
    assert (refused > 0) is (policy != POLICIES[0])


@pytest.mark.parametrize("policy", POLICIES)
def test_the_kernels_canvas_takes_the_same_steps(policy: Any) -> None:
    for seed in range(20):
        case = Case(seed, ToyRuntime)
        ours = case.model.compile_form(case.form).canvas(LENGTH)
        canvas, model = open_canvas(case), RandomDenoiser(case.vocabulary.logits_size, seed)
        steps = [*fill_canvas(ours, case.vocabulary, model, [1], policy, seed=0)]
        assert steps == fill(canvas, model, policy)
        assert ours.text == canvas.text


def test_known_tokens_stay() -> None:
    for seed in range(8):
        case = Case(seed, ToyRuntime)
        for policy in POLICIES:
            canvas = open_canvas(case)
            filling = canvas.fillings[seed % len(canvas.fillings)]
            canvas.place(2, int(filling[2]))
            steps = fill(canvas, RandomDenoiser(case.vocabulary.logits_size, seed), policy)
            assert all(step.token_ids[2] == filling[2] for step in steps)
            assert canvas.text in case.texts


def test_the_most_confident_token_under_the_mask_comes_first() -> None:
    for seed in range(20):
        case = Case(seed, ToyRuntime)
        canvas, model = open_canvas(case), RandomDenoiser(case.vocabulary.logits_size, seed)
        for step in fill_canvas(canvas.fork(), case.vocabulary, model, [1], LowConfidence(mask_id=END)):
            (at,) = step.placed
            shares = {}
            for hole in canvas.holes:
                fits = np.unique(canvas.find_fillings()[:, hole])
                weights = np.exp(model.rows[-1][hole, fits])
                shares[hole] = (weights.max() / weights.sum(), fits[weights.argmax()])
            assert shares[at][0] >= max(share for share, _ in shares.values()) - 1e-12
            assert step.token_ids[at] == shares[at][1]
            canvas.place(at, int(shares[at][1]))


def test_positions_are_accepted_as_long_as_their_entropies_are_small() -> None:
    policy = EntropyBound(bound=0.3, least_temperature=1.0, most_temperature=1.0)
    random = np.random.default_rng(0)
    for _ in range(50):
        scores = random.normal(scale=6, size=(7, 5))
        entropies = measure_entropies(scores)
        choice = policy.choose(scores, range(10, 17), 1.0, random)
        chosen = [entropies[at - 10] for at in choice.positions]
        assert chosen == sorted(entropies)[: len(chosen)]
        assert sum(chosen[:-1]) <= 0.3
        assert len(chosen) == 7 or sum(chosen) > 0.3
        shares = np.exp(scores - np.logaddexp.reduce(scores, -1, keepdims=True))
        assert np.allclose(entropies, -(shares * np.log(shares)).sum(-1))


def test_steps_become_colder() -> None:
    seen: list[float] = []

    class Watched(EntropyBound):
        def choose(self, scores: Any, holes: Any, left: float, random: Any) -> Any:
            seen.append(left)
            return EntropyBound.choose(self, scores, holes, left, random)

    case = Case(1, ToyRuntime)
    policy = Watched(bound=0.0, steps=5)
    fill(open_canvas(case), RandomDenoiser(case.vocabulary.logits_size, 0), policy)
    assert seen == [1.0, 0.8, 0.6, pytest.approx(0.4), pytest.approx(0.2)]
    cold, hot = EntropyBound(least_temperature=0.01), EntropyBound(most_temperature=1e9, bound=99.0)
    scores, random = np.tile(np.array([[0.0, 1.0, -np.inf]]), (400, 1)), np.random.default_rng(0)
    assert {*cold.choose(scores, range(400), 0.0, random).token_ids} == {1}
    drawn = hot.choose(scores[:100], range(100), 1.0, random).token_ids
    assert 30 < sum(drawn) < 70


def test_what_is_left_after_the_last_step_is_the_most_probable_filling() -> None:
    for seed in range(20):
        case = Case(seed, ToyRuntime)
        canvas, model = open_canvas(case), RandomDenoiser(case.vocabulary.logits_size, seed)
        (step,) = fill(canvas, model, EntropyBound(bound=0.0, steps=1))
        before = open_canvas(case)
        entropies = measure_entropies(mask_rows(before, case.vocabulary, model.rows[0]))
        for at in step.placed[: np.count_nonzero(entropies > 0) and np.count_nonzero(entropies == 0) + 1]:
            before.place(at, int(step.token_ids[at] or 0))
        assert list(step.token_ids) == before.best(model.rows[0]).token_ids


@pytest.mark.parametrize("policy", [EntropyBound(bound=0.5, steps=5), LowConfidence(mask_id=4, tokens=2)])
def test_recursive_forms_are_filled_too(policy: Any) -> None:
    tokens = [b"x", b"(", b")", b",", None]
    vocabulary = fw.Vocabulary(tokens, eos_token_ids=[4])
    form = fw.grammar('start: "x" | "(" start ("," start)* ")"')
    for seed in range(20):
        canvas = fw.compile(form, vocabulary).canvas(LENGTH)
        model = RandomDenoiser(5, seed)
        steps = [*fill_canvas(canvas, vocabulary, model, [1], policy, seed=seed)]
        assert len(steps) == model.calls <= policy.count_steps(LENGTH)
        assert form.matches(canvas.text or "")
        assert {*steps[-1].placed} <= {*range(LENGTH)}


def test_rows_may_be_lists() -> None:
    case = Case(3, ToyRuntime)
    rows = RandomDenoiser(case.vocabulary.logits_size, 0)
    listed = fill_canvas(
        open_canvas(case), case.vocabulary, lambda *given: rows(*given).tolist(), [1], POLICIES[0], seed=0
    )
    assert [*listed] == fill(open_canvas(case), RandomDenoiser(rows.width, 0), POLICIES[0])


def test_masked_rows_keep_the_scores_of_what_fits() -> None:
    case = Case(3, ToyRuntime)
    canvas = open_canvas(case)
    rows = np.random.default_rng(0).normal(size=(LENGTH, case.vocabulary.logits_size + 3))
    canvas.place(0, int(canvas.fillings[0][0]))
    scores = mask_rows(canvas, case.vocabulary, rows)
    assert scores.shape == (LENGTH - 1, rows.shape[1])
    for hole, row in zip(canvas.holes, scores, strict=True):
        fits = np.unique(canvas.find_fillings()[:, hole])
        assert np.flatnonzero(np.isfinite(row)).tolist() == fits.tolist()
        assert (row[fits] == rows[hole, fits]).all()


@pytest.mark.parametrize("rows", [np.zeros((LENGTH, 2)), np.zeros((LENGTH + 1, 40)), np.zeros(40), None])
def test_rows_of_another_shape_are_refused(rows: Any) -> None:
    case = Case(0, ToyRuntime)
    with pytest.raises(fw.errors.ArgumentError, match="expected rows of shape"):
        next(fill_canvas(open_canvas(case), case.vocabulary, lambda *_: rows, [1], POLICIES[0]))


@pytest.mark.parametrize("score", [np.nan, -np.inf, np.inf])
def test_rows_without_a_token_that_fits_are_dead_ends(score: float) -> None:
    case = Case(0, ToyRuntime)
    rows = np.full((LENGTH, case.vocabulary.logits_size), score)
    with pytest.raises(fw.errors.DeadEnd, match="position 0"):
        next(fill_canvas(open_canvas(case), case.vocabulary, lambda *_: rows, [1], POLICIES[0]))


@pytest.mark.parametrize(
    ("make", "argument"),
    [
        (lambda: LowConfidence(mask_id=0, tokens=0), "tokens"),
        (lambda: LowConfidence(mask_id=0, temperature=-1), "temperature"),
        (lambda: LowConfidence(mask_id=0, temperature=np.nan), "temperature"),
        (lambda: EntropyBound(bound=-0.1), "bound"),
        (lambda: EntropyBound(steps=0), "steps"),
        (lambda: EntropyBound(steps=1.5), "steps"),  # type: ignore[arg-type]
        (lambda: LowConfidence(mask_id=0, tokens=1.5), "tokens"),  # type: ignore[arg-type]
        (lambda: EntropyBound(least_temperature=0), "temperature"),
        (lambda: CountingDenoiser([[]], 3), "texts"),
        (lambda: CountingDenoiser([[3]], 3), "texts"),
        (lambda: CountingDenoiser([[-1]], 3), "texts"),
        (lambda: CountingDenoiser([[0]], 3)([], np.array([3])), "canvas_ids"),
        (lambda: CountingDenoiser([[0]], 3)([], np.array([1, 1])), "canvas_ids"),
        (lambda: next(fill_canvas(open_canvas(Case(3, ToyRuntime)), END, None, [], POLICIES[0], seed=-1)), "seed"),  # type: ignore[arg-type]
    ],
)
def test_settings_out_of_range(make: Any, argument: str) -> None:
    with pytest.raises(fw.errors.ArgumentError) as caught:
        make()
    assert caught.value.argument == argument


def test_a_toy_model_has_a_bound() -> None:
    with pytest.raises(fw.errors.LimitExceeded) as caught:
        CountingDenoiser([[0]], 4097)
    assert (caught.value.limit, caught.value.value) == ("counts", 4097**2)


def test_very_low_temperatures_are_greedy() -> None:
    case = Case(2, ToyRuntime)
    runs = []
    for temperature in (0.0, 1e-308):
        model = RandomDenoiser(case.vocabulary.logits_size, 0)
        runs.append(fill(open_canvas(case), model, LowConfidence(mask_id=END, temperature=temperature)))
    assert runs[0] == runs[1]


def test_the_toy_model_goes_by_places_and_neighbours() -> None:
    model = CountingDenoiser([[1, 2, 3], [4, 5, 6]], 8, mask_id=7)
    alone = np.exp(model([], np.array([7, 7, 7])))
    assert np.allclose(alone.sum(-1), 1)
    assert np.allclose(alone[0, [1, 4]], alone[0].max())
    assert model([], np.array([7, 7, 6])).argmax(-1)[:2].tolist() == [4, 5]
    assert model([], np.array([1, 7, 7])).argmax(-1)[1:].tolist() == [2, 3]
    assert model([], np.array([4, 2, 7])).argmax(-1)[2] == 3  # the nearest one counts
    blind = CountingDenoiser([[1, 2, 3], [4, 5, 6]], 8)
    assert blind([], np.array([1, 2, 6])).argmax(-1)[0] == 1


def test_tokens_of_a_step_exclude_each_other_unless_they_are_placed_one_by_one() -> None:
    """Two texts, of whose tokens any two fit by themselves: a step of two tokens mixes them up."""
    vocabulary = fw.Vocabulary([b"", b"a", b"b", b"c", b"d"], eos_token_ids=[0])
    refused = 0
    for seed in range(40):
        canvas = EnumeratedCanvas([b"ab", b"cd"], vocabulary, 2)
        policy = LowConfidence(mask_id=0, tokens=2, temperature=1.0)
        steps = [*fill_canvas(canvas, vocabulary, lambda *_: np.zeros((2, 5)), [1], policy, seed=seed)]
        assert canvas.text in ("ab", "cd")
        refused += bool(steps[0].refused)
    assert 10 < refused < 30
