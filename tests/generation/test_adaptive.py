"""Adaptive draws against enumeration, with much, little and nothing known; and what bounds them.

``FORMWRIGHT_SEEDS`` sets the number of seeds whose p values must be uniform.
"""

from __future__ import annotations

import math
import os
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from random_languages import END, Case, distance, shares
from scipy.stats import chi2, kstest
from toys import RuleRuntime, ToyRuntime

import formwright as fw
from formwright.generation import Complete, Limits, Truncated
from formwright.generation.adaptive import AdaptiveDraws, RecentDraws
from formwright.generation.prefix_tree import PrefixTree
from formwright.generation.result import Failed
from formwright.generation.scorer import Scorer
from formwright.models import LocalModel

Law = Mapping[str, float]
SEEDS = int(os.environ.get("FORMWRIGHT_SEEDS", "20"))


class ScoringRuntime(ToyRuntime):
    """The toy model, which scores several tokens in a call, and counts the calls of all its forks."""

    counted = 0

    def prefill(self, token_ids: Sequence[int]) -> np.ndarray:
        type(self).counted += 1
        return super().prefill(list(token_ids))

    def score(self, token_ids: Sequence[int]) -> np.ndarray:
        type(self).counted += 1
        return np.stack([super(ScoringRuntime, self).prefill([token_id]) for token_id in token_ids])

    def fork(self) -> ScoringRuntime:
        twin = type(self)(self.width, self.seed)
        twin.seen = list(self.seen)
        return twin


def enumerate_law(case: Case) -> tuple[Law, float]:
    """The model's own distribution over the texts, by every spelling of each, and the log of all of it together."""
    found: defaultdict[str, float] = defaultdict(float)
    for token_ids, score in case.spellings():
        found[case.text(token_ids)] += math.exp(score)
    total = sum(found.values())
    return {text: share / total for text, share in found.items()}, math.log(total)


def open_draws(case: Case, tree: PrefixTree | None = None) -> AdaptiveDraws:
    limits, constraint = Limits(max_tokens=8), case.model.compile_form(case.form)
    scorer = Scorer(case.runtime.fork, case.prompt)
    return AdaptiveDraws(scorer, constraint, case.prompt, limits, temperature=1.0, tree=tree)


def draw_texts(draws: AdaptiveDraws, count: int, seed: int) -> Iterator[str]:
    found = draws.draw(np.random.default_rng(seed), returns=count, max_calls=10**9)
    assert isinstance(found, Complete)
    return (alternative.text for alternative in found.alternatives)


def measure(texts: Iterator[str] | Sequence[str], law: Law) -> tuple[float, int]:
    """The chi-square statistic of some draws, and its degrees of freedom. Cells below 5 are put together."""
    counts = Counter(texts)
    assert set(counts) <= set(law)
    total, cells, rare = sum(counts.values()), [], np.zeros(2)
    for text, share in law.items():
        cell = np.array([counts[text], share * total])
        if cell[1] < 5:
            rare += cell
        else:
            cells.append(cell)
    if rare[1] >= 5:
        cells.append(rare)
    drawn, expected = np.array(cells).T
    return float(((drawn - expected) ** 2 / expected).sum()), max(0, len(cells) - 1)


def p_value(measured: Sequence[tuple[float, int]]) -> float:
    statistics, degrees = zip(*measured, strict=True)
    assert sum(degrees) >= len(degrees) / 2
    return float(chi2.sf(sum(statistics), sum(degrees)))


def shared(case: Case, count: int, seed: int) -> Iterator[str]:
    return draw_texts(open_draws(case), count, seed)


def fresh(case: Case, count: int, seed: int) -> Iterator[str]:
    random = np.random.default_rng(seed)
    for _ in range(count):
        yield open_draws(case).draw(random, max_calls=10**6).text


def forgetful(case: Case, count: int, seed: int) -> Iterator[str]:
    """Draws by a tree with room for four nodes: what is learnt is soon forgotten."""
    tree = PrefixTree(most_bytes=2300)
    yield from draw_texts(open_draws(case, tree), count, seed)
    assert len(tree) <= 9


def masked(case: Case, count: int, seed: int) -> list[str]:
    """Draws token by token among the allowed ones."""
    limits: dict[str, Any] = {"max_tokens": 8, "temperature": 1.0, "progress": False}
    return [found.text for found in case.model.generate_many([case.prompt] * count, case.form, seed=seed, **limits)]


def distance_from(law: Law, texts: Sequence[str]) -> float:
    """The total variation of some draws."""
    share = -math.log(len(texts))
    return distance(shares(texts, [share] * len(texts)), defaultdict(float, law))


@pytest.mark.parametrize(("draw", "count"), [(shared, 1000), (fresh, 100), (forgetful, 30)])
@pytest.mark.parametrize("kind", [ToyRuntime, ScoringRuntime])
def test_draws_have_the_models_own_distribution(draw: Any, count: int, kind: Any) -> None:
    measured = []
    for seed in range(6):
        case = Case(seed, kind)
        measured.append(measure(draw(case, count, seed), enumerate_law(case)[0]))
    assert p_value(measured) > 1e-3


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize(("draw", "count"), [(shared, 5000), (fresh, 300), (forgetful, 100)])
@pytest.mark.parametrize("kind", [ToyRuntime, ScoringRuntime])
def test_many_draws_have_the_models_own_distribution(draw: Any, count: int, kind: Any) -> None:
    measured = []
    for seed in range(100, 120):
        case = Case(seed, kind)
        measured.append(measure(draw(case, count, seed), enumerate_law(case)[0]))
    assert p_value(measured) > 1e-3


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("draw", [shared, fresh])
def test_p_values_of_a_hundred_thousand_draws_are_uniform(draw: Any, record_property: Any) -> None:
    """A thousand draws for each of a hundred forms and models; those of masks fail beside them."""
    p_values, p_values_of_masks, distances = [], [], []
    for seed in range(1000, 1000 + SEEDS):
        case = Case(seed, ToyRuntime)
        law, texts, texts_of_masks = enumerate_law(case)[0], [*draw(case, 1000, seed)], masked(case, 1000, seed)
        distances.append([distance_from(law, texts), distance_from(law, texts_of_masks)])
        statistic, degrees = measure(texts, law)
        if degrees:
            p_values.append(chi2.sf(statistic, degrees))
            p_values_of_masks.append(chi2.sf(*measure(texts_of_masks, law)))
    of_draws, of_masks = np.mean(distances, axis=0).tolist()
    uniform = float(kstest(p_values, "uniform").pvalue)
    record_property("tenths of the p values", np.histogram(p_values, 10, (0, 1))[0].tolist())
    record_property("Kolmogorov-Smirnov p", uniform)
    record_property("mean total variation of draws and of masks", (of_draws, of_masks))
    assert len(p_values) >= SEEDS / 2
    assert uniform > 1e-3
    assert kstest(p_values_of_masks, "uniform").pvalue < 1e-9
    assert of_masks > 3 * of_draws


def test_masks_have_another_distribution(toy: Any) -> None:
    of_masks, of_draws, distances = [], [], []
    for seed in range(6):
        case = Case(seed, toy)
        law, texts, drawn = enumerate_law(case)[0], masked(case, 250, seed), [*shared(case, 250, seed)]
        of_masks.append(measure(texts, law))
        of_draws.append(measure(drawn, law))
        distances.append([distance_from(law, texts), distance_from(law, drawn)])
    assert p_value(of_masks) < 1e-9 < 1e-3 < p_value(of_draws)
    masks_apart, draws_apart = np.mean(distances, axis=0)
    assert masks_apart > 3 * draws_apart


def test_draws_are_independent(toy: Any) -> None:
    """Of two draws from a tree that knew nothing, the second does not depend on the first."""
    measured = []
    for seed in range(4):
        case = Case(seed, toy)
        law = enumerate_law(case)[0]
        pairs = {f"{one} {other}": law[one] * law[other] for one in law for other in law}
        drawn = [" ".join(draw_texts(open_draws(case), 2, 1000 * seed + number)) for number in range(120)]
        measured.append(measure(drawn, pairs))
    assert p_value(measured) > 1e-3


def test_the_bound_falls_to_the_truth(toy: Any) -> None:
    for seed in range(6):
        case = Case(seed, toy)
        truth, draws, bounds = enumerate_law(case)[1], open_draws(case), [0.0]
        random = np.random.default_rng(seed)
        for _ in range(300):
            found = draws.draw(random)
            assert found.log_form_probability == draws.tree.log_form_probability
            bounds.append(found.log_form_probability)
        assert bounds == sorted(bounds, reverse=True)
        assert all(bound > truth - 1e-6 for bound in bounds)
        assert bounds[-1] < truth + 0.1


def test_a_draw_says_what_the_model_gives_to_it(toy: Any) -> None:
    for seed in range(20):
        case = Case(seed, toy)
        scores = dict(case.spellings())
        found = case.model.generate(case.prompt, case.form, fidelity="adaptive", returns=5, seed=seed)
        assert found == found.alternatives[0] or found.text == found.alternatives[0].text
        for drawn in found.alternatives:
            assert math.isclose(drawn.log_probability, scores[drawn.token_ids], abs_tol=1e-5)
            assert drawn.value == drawn.text == case.text(drawn.token_ids)
        again = case.model.generate(case.prompt, case.form, fidelity="adaptive", returns=5, seed=seed)
        assert again == found


def test_all_strategies_tell_how_likely_the_form_is(toy: Any) -> None:
    case = Case(1, toy)
    truth = enumerate_law(case)[1]
    exact = case.model.generate(case.prompt, case.form, fidelity="exact")
    assert math.isclose(exact.log_form_probability, truth, abs_tol=1e-5)
    particles = case.model.generate(case.prompt, case.form, fidelity="smc", particles=256, seed=0)
    assert abs(particles.log_form_probability - truth) < 0.3
    assert case.model.generate(case.prompt, case.form).log_form_probability is None


def test_temperature_comes_before_the_mask(toy: Any) -> None:
    measured = []
    for seed in range(6):
        case = Case(seed, toy)
        options: dict[str, Any] = {"temperature": 0.5, "seed": seed}
        exact = case.model.generate(case.prompt, case.form, fidelity="exact", **options).particles
        found = case.model.generate(case.prompt, case.form, fidelity="adaptive", returns=500, **options)
        texts = [drawn.text for drawn in found.alternatives]
        measured.append(measure(texts, shares(exact.texts, exact.log_weights)))
    assert p_value(measured) > 1e-3


@pytest.mark.parametrize("canonical", [True, False])
@pytest.mark.parametrize("heal", [True, False])
def test_the_embedded_model_draws_as_if_all_texts_were_scored(tiny: LocalModel, canonical: bool, heal: bool) -> None:
    options: dict[str, Any] = {"canonical": canonical, "heal": heal, "instruct": True, "seed": 0}
    form = fw.choice(" no", " yes", " maybe", " yesterday") if heal else fw.choice("no", "yes", "maybe", "yesterday")
    exact = tiny.generate("Is the sky blue?", form, fidelity="exact", **options)
    found = tiny.generate("Is the sky blue?", form, fidelity="adaptive", returns=1000, max_calls=5000, **options)
    law = shares(exact.particles.texts, exact.particles.log_weights)
    assert p_value([measure([drawn.text for drawn in found.alternatives], law), (1.0, 1)]) > 1e-3
    assert found.log_form_probability > exact.log_form_probability - 1e-3


@pytest.mark.parametrize("kind", [ToyRuntime, ScoringRuntime])
def test_the_bound_on_calls_is_kept(kind: Any) -> None:
    model = LocalModel("toy", kind(27, 3), letters(), lambda text: [1])
    for most in (1, 2, 7, 30):
        ScoringRuntime.counted = 0
        with pytest.raises(fw.errors.LimitExceeded, match=f"max_calls={most};.*at most -") as caught:
            model.generate([1], fw.regex("[a-c]{12}"), fidelity="adaptive", max_calls=most, seed=0)
        assert (caught.value.limit, caught.value.allowed) == ("max_calls", most)
        assert "smc" in str(caught.value.hint)
        assert ScoringRuntime.counted <= most
    ScoringRuntime.counted = 0
    found = model.generate([1], fw.regex("(ab?|c)d"), fidelity="adaptive", seed=0)
    if kind is ScoringRuntime:
        assert found.model_calls == ScoringRuntime.counted
    assert model.generate([1], fw.regex("(ab?|c)d"), fidelity="adaptive", seed=0, max_calls=found.model_calls) == found
    with pytest.raises(fw.errors.LimitExceeded, match="0 of 1 texts"):
        model.generate([1], fw.regex("(ab?|c)d"), fidelity="adaptive", seed=0, max_calls=found.model_calls - 1)


def letters() -> fw.Vocabulary:
    return fw.Vocabulary([b"", *(bytes([byte]) for byte in b"abcdefghijklmnopqrstuvwxyz")], eos_token_ids=[END])


def test_forced_tokens_share_a_call() -> None:
    calls = {}
    for kind in (ToyRuntime, ScoringRuntime):
        model = LocalModel("toy", kind(27, 3), letters(), lambda text: [1])
        found = model.generate([1], fw.literal("abcdefghij"), fidelity="adaptive", seed=0)
        calls[kind] = (found.model_calls, found.log_form_probability, found.log_probability)
    assert [count for count, *_ in calls.values()] == [11, 2]
    for _, bound, score in calls.values():
        assert math.isclose(bound, calls[ToyRuntime][2], rel_tol=1e-6)
        assert math.isclose(score, bound, rel_tol=1e-9)


def test_probabilities_below_the_least_number_are_drawn() -> None:
    """A form whose probability no float64 can hold: e^-2000."""
    runtime = RuleRuntime(lambda length, _: [0.0, *([20.0] * 25), 0.0], context=256)
    model = LocalModel("rule", runtime, letters(), lambda text: [1])
    found = model.generate([1], fw.regex("z{85}|z{84}"), fidelity="adaptive", returns=200, seed=0)
    assert found.log_form_probability < -1900
    counts = Counter(len(drawn.text) for drawn in found.alternatives)
    assert counts[84] == 200  # the other one is e^-23 times as likely


def test_calls_stop_where_it_is_cancelled(toy: Any) -> None:
    case, asked = Case(0, toy), [0]

    def cancel() -> bool:
        asked[0] += 1
        return asked[0] == 40

    cut = case.model.generate(case.prompt, case.form, fidelity="adaptive", returns=10**6, cancel=cancel)
    assert isinstance(cut, Truncated)
    assert (cut.reason, asked[0]) == ("cancel", 40)
    assert any(text.startswith(cut.text) for text in case.texts)


def test_equal_prompts_share_a_tree() -> None:
    case = Case(4, ScoringRuntime)
    ScoringRuntime.counted = 0
    prompts = [case.prompt, [3], case.prompt, [3], [3], case.prompt]
    results = case.model.generate_many(prompts * 30, case.form, fidelity="adaptive", seed=0, progress=False)
    assert sum(result.model_calls for result in results) == ScoringRuntime.counted
    assert all(result.model_calls > 0 for result in results[:2])
    assert sum(result.model_calls for result in results[-60:]) < sum(result.model_calls for result in results[:2]) + 5
    of_one = [result.text for result, prompt in zip(results, prompts * 30, strict=True) if prompt == [3]]
    case.prompt = [3]
    assert p_value([measure(of_one, enumerate_law(case)[0]), (0.5, 1)]) > 1e-3


def test_many_prompts_are_not_all_kept(toy: Any) -> None:
    case, recent = Case(0, toy), RecentDraws()
    constraint, made = case.model.compile_form(case.form), []

    def make() -> AdaptiveDraws:
        made.append(open_draws(case))
        return made[-1]

    first = recent.find(constraint, [1], make)
    assert recent.find(constraint, [1], make) is first
    assert len(made) == 1
    for token_id in range(2, 40):
        recent.find(constraint, [token_id], make)
    assert recent.find(constraint, [39], make) is made[-1]
    assert recent.find(constraint, [1], make) is not first


def test_errors_stand_in_their_places(toy: Any) -> None:
    model = LocalModel("toy", toy(27, 3), letters(), lambda text: [1])
    forms = [fw.choice("a", "b"), fw.regex("[a-c]{12}"), fw.literal("abc")]
    results = model.generate_many([[1]] * 3, forms, fidelity="adaptive", max_calls=9, progress=False, seed=0)
    assert [type(result) for result in results] == [Complete, Failed, Complete]
    assert isinstance(results[1].error, fw.errors.LimitExceeded)


def test_a_type_may_refuse_what_was_drawn(tiny: LocalModel) -> None:
    from typing import Annotated, Literal

    from pydantic import AfterValidator

    def refuse(value: str) -> str:
        if value == "no":
            raise ValueError("not this one")
        return value

    answer = Annotated[Literal["yes", "no", "maybe"], AfterValidator(refuse)]
    options: dict[str, Any] = {"fidelity": "adaptive", "returns": 20, "seed": 0, "instruct": True}
    found = tiny.generate("Is the sky blue?", answer, max_retries=2, **options)
    assert {drawn.value for drawn in found.alternatives} <= {"yes", "maybe"}
    with pytest.raises(fw.errors.OutputInvalid):
        tiny.generate("Is the sky blue?", answer, **options)


def test_a_stream_has_one_text_alone(tiny: LocalModel) -> None:
    with pytest.raises(fw.errors.ArgumentError) as caught:
        tiny.stream("Well?", fw.choice("yes", "no"), fidelity="adaptive")
    assert caught.value.argument == "fidelity"


def test_draws_have_fields_and_a_trace(tiny: LocalModel) -> None:
    schema = {"properties": {"a": {"enum": ["yes", "no"]}}, "required": ["a"], "additionalProperties": False}
    form = fw.json_schema(schema, whitespace="compact")
    found = tiny.generate("Say yes.", form, fidelity="adaptive", seed=0, instruct=True, trace=True, canonical=True)
    assert [row.token_id for row in found.trace.rows[: len(found.token_ids)]] == list(found.token_ids)
    assert 0 < found.fields["/a"].probability <= 1


def test_a_visit_is_checked(toy: Any) -> None:
    case = Case(0, toy)
    matcher = case.model.compile_form(fw.choice("ab", "ac")).matcher()
    mask, tree = fw.allocate_bitmask(1, case.vocabulary), PrefixTree()
    row = np.zeros(len(case.tokens) + 1, np.float32)
    matcher.fill_bitmask(mask)
    with pytest.raises(fw.errors.ArgumentError, match="not known"):
        tree.visit([1], row, mask)
    with pytest.raises(fw.errors.DeadEnd):
        tree.visit([], np.full_like(row, math.nan), mask)
    assert len(tree) == 0
    first = tree.visit([], row, mask)
    assert first == tree.log_mass([]) == tree.log_form_probability < 0
    assert tree.log_mass([1]) == 0.0
    with pytest.raises(fw.errors.ArgumentError, match="does not allow"):
        tree.visit([3], row, mask)
    assert tree.visit([], row + 1, mask) == first
    matcher.accept_token(1)
    matcher.fill_bitmask(mask)
    after = tree.visit([1], row, mask)
    assert tree.log_mass([1]) == after < 0
    assert tree.log_form_probability < first
