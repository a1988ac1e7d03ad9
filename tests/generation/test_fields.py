"""The probabilities of fields against brute force: every value of small forms, scored one by one."""

from __future__ import annotations

import json
import math
import pickle
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import Any, Literal

import numpy as np
import pytest
from pydantic import BaseModel, Field, create_model
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from toys import ToyRuntime

import formwright as fw
from formwright.errors import ArgumentError, LimitExceeded, OptionUnsupported, OutputInvalid
from formwright.generation import Complete
from formwright.generation.fields import measuring as module
from formwright.generation.fields.sampling import resample
from formwright.generation.writing import Limits
from formwright.models import LocalModel

NOTES = "Clara Novak is 34. She lives in Prague. Her phone is 555-0199."
END = 256
DRAWS = 2000


@pytest.fixture(scope="module")
def model() -> LocalModel:
    return fw.load("formwright-tiny")


def toy_model(seed: int) -> LocalModel:
    """A model with random opinions of bytes: one spelling for each text."""
    vocabulary = fw.Vocabulary([*(bytes([byte]) for byte in range(256)), None], eos_token_ids=[END])
    return LocalModel("toy", ToyRuntime(257, seed), vocabulary, lambda text: list(str(text).encode()))


def score_bytes(model: LocalModel, prompt: str, text: str, *, ends: bool = True) -> float:
    """The log probability of a text, byte by byte."""
    runtime, total = model.runtime.fork(), 0.0
    logits = runtime.prefill(list(prompt.encode()))
    for token_id in [*text.encode(), *([END] if ends else [])]:
        exact = logits.astype(np.float64)
        total += float(exact[token_id] - np.logaddexp.reduce(exact))
        logits = runtime.step(token_id)
    return total


def share_of(scores: dict[Any, list[float]], value: Any) -> float:
    totals = {key: float(np.logaddexp.reduce(found)) for key, found in scores.items()}
    return math.exp(totals[value] - float(np.logaddexp.reduce(list(totals.values()))))


@pytest.mark.parametrize("seed", range(12))
def test_fields_of_a_finite_form_are_counted_over_its_texts(seed: int) -> None:
    random, model = np.random.default_rng(seed), toy_model(seed)
    kinds: list[tuple[Any, list[Any]]] = [
        (bool, [True, False]),
        (Literal["x", "xy", "z"], ["x", "xy", "z"]),
        (bool | None, [True, False, None]),
        (Literal[3, 34, 5], [3, 34, 5]),
    ]
    picked = [kinds[int(random.integers(len(kinds)))] for _ in range(int(random.integers(1, 4)))]
    names = "abc"[: len(picked)]
    type_ = create_model("Made", **{name: (kind, ...) for name, (kind, _) in zip(names, picked, strict=True)})
    form = fw.form(type_, whitespace="compact")
    texts = [
        json.dumps(dict(zip(names, values, strict=True)), separators=(",", ":"))
        for values in product(*(values for _, values in picked))
    ]
    result = model.generate("go", form, temperature=1, seed=seed)
    written = json.loads(result.text)
    scores = {text: score_bytes(model, "go", text) for text in texts}
    for name in names:
        field = result.fields[f"/{name}"]
        before = result.text[: result.text.index(f'"{name}":') + 4]
        grouped: dict[Any, list[float]] = {}
        for text, score in scores.items():
            if text.startswith(before):
                grouped.setdefault(repr(json.loads(text)[name]), []).append(score)
        assert field.basis == "exact"
        assert field.value == written[name]
        assert field.probability == pytest.approx(share_of(grouped, repr(written[name])), abs=1e-6)
        for other in field.alternatives:
            assert other.probability == pytest.approx(share_of(grouped, repr(other.value)), abs=1e-6)


@pytest.mark.parametrize("seed", range(6))
def test_values_beside_free_text_are_counted_up_to_their_own_end(seed: int) -> None:
    model = toy_model(seed)
    form = fw.json_schema(
        {"properties": {"n": {"enum": [3, 34, 341]}, "s": {"type": "string"}}, "required": ["n", "s"], "type": "object",
         "additionalProperties": False},
        whitespace="compact",
    )  # fmt: skip
    result = model.generate("go", form, max_tokens=40)
    field = result.fields["/n"]
    scores = {n: [score_bytes(model, "go", f'{{"n":{n},', ends=False)] for n in (3, 34, 341)}
    assert field.basis == "exact"
    assert field.probability == pytest.approx(share_of(scores, field.value), abs=1e-6)


def test_probabilities_are_those_of_score(model: LocalModel) -> None:
    for prompt, form, texts in [
        ("Is Prague in Asia?", fw.choice("yes", "no", "maybe"), ["yes", "no", "maybe"]),
        ("Is Prague in Asia?", fw.form(Literal["yes", "no"]), ["yes", "no"]),
        ("Is Prague in Asia?", fw.form(bool), ["true", "false"]),
        ("How old is Ada, 36?", fw.json_schema({"enum": [3, 36, 63]}), ["3", "36", "63"]),
    ]:
        scores = model.score(prompt, texts)
        total = float(np.logaddexp.reduce(list(scores.values())))
        (field,) = model.generate(prompt, form).fields.values()
        assert field.basis == "exact"
        assert field.probability == pytest.approx(math.exp(scores[field.text] - total), abs=1e-6)


class Home(BaseModel):
    name: str
    age: int = Field(ge=0, le=120)
    city: str | None


def test_a_bound_is_below_what_particles_estimate(model: LocalModel) -> None:
    prompt = "Clara Novak, 34, lives in Prague."
    bounds = model.generate(prompt, Home, max_tokens=60).fields
    estimates = model.generate(prompt, Home, max_tokens=60, particles=64).fields
    assert [field.basis for field in bounds.values()] == ["logprobs", "exact", "logprobs"]
    assert [field.basis for field in estimates.values()] == ["particles", "exact", "particles"]
    for pointer, field in bounds.items():
        assert field.probability <= estimates[pointer].probability + 0.002
        assert field.probability > 0.9


@pytest.mark.parametrize("seed", range(20))
def test_particles_are_near_what_counting_finds(seed: int) -> None:
    random, model = np.random.default_rng(seed), toy_model(seed)
    words = sorted({"".join(random.choice(list("abc"), int(random.integers(1, 6)))) for _ in range(120)})
    schema = {"prefixItems": [{"enum": words}, {"type": "string"}], "minItems": 2, "items": False, "type": "array"}
    form = fw.json_schema(schema, whitespace="compact")
    result = model.generate("go", form, max_tokens=60, temperature=1, seed=seed)
    exact = {word: [score_bytes(model, "go", f'["{word}"', ends=False)] for word in words}
    scorer, constraint = model._make_scorer(list(b"go")), model.compile_form(form)
    measuring = module.Measuring(scorer, model.batch, constraint, list(b"go"), 64, seed)
    text = module._spell_canonically(constraint, list(b"go"), result.token_ids)
    place, border, search = next(text.list_searches(module.find_places(constraint.form, text.data)))
    weights = module.sample_values(model.batch(), [*b"go", *text.token_ids[:border]], search, 40, 64, seed)
    field = module._make_field(place, weights, "particles", None)
    assert field.probability == pytest.approx(share_of(exact, field.value), abs=0.03)
    assert measuring.measure(result.token_ids)["/0"].basis == "exact"


def test_resampling_is_unbiased() -> None:
    weights = np.random.default_rng(0).exponential(size=40) ** 3
    sums, rounds = np.zeros(40), 4000
    for seed in range(rounds):
        chosen, kept = resample(np.random.default_rng(seed), weights, 12)
        assert len(chosen) <= 12
        assert len(set(chosen.tolist())) == len(chosen)
        sums[chosen] += kept
    assert sums / rounds == pytest.approx(weights, abs=0.08 * weights.max())
    assert sums.sum() / rounds == pytest.approx(weights.sum(), rel=0.02)


@pytest.mark.slow
def test_draws_have_the_probabilities(model: LocalModel) -> None:
    form, prompt = fw.choice("yes", "no", "maybe", "never"), "Is it good?"
    field = model.generate(prompt, form).fields[""]
    expected = {field.value: field.probability, **dict(field.alternatives)}
    drawn = [
        model.generate(prompt, form, fidelity="exact", temperature=1, seed=seed, canonical=True).value
        for seed in range(DRAWS)
    ]
    assert sum(abs(drawn.count(value) / DRAWS - share) for value, share in expected.items()) / 2 < 0.02


class Doubted(BaseModel):
    name: str
    age: int | None
    city: str | None


def test_abstaining_writes_none_and_goes_on_from_there(model: LocalModel) -> None:
    prompt = "Clara Novak likes chess. She lives in Prague."
    plain = model.generate(prompt, Doubted, max_tokens=60)
    assert plain.value.age is not None
    assert plain.fields["/age"].probability < 0.9
    assert plain.doubtful == ()
    sure = model.generate(prompt, Doubted, max_tokens=60, abstain=0.9)
    assert (sure.value.name, sure.value.age, sure.value.city) == (plain.value.name, None, plain.value.city)
    assert sure.doubtful == ()
    assert list(sure.fields) == ["/name", "/age", "/city"]
    assert sure.model_calls > plain.model_calls
    strict = model.generate(prompt, Doubted, max_tokens=60, abstain=1)
    assert strict.value == Doubted(name=plain.value.name, age=None, city=None)
    assert strict.doubtful == ("/name",)
    assert strict.fields["/age"].alternatives[0].value == plain.value.age
    with pytest.raises(LimitExceeded) as caught:
        model.generate("Who?", Doubted, source="long " * 3000)
    assert "source" in str(caught.value.hint)


def test_numbers_have_spans(model: LocalModel) -> None:
    source = "Ada paid 136 or 36.5, she is 36."
    fields = model.generate("How old is she?", dict[Literal["age"], Literal[36]], source=source).fields
    assert fields["/age"].span == (29, 31)


def test_a_likelier_value_is_written_rather_than_none() -> None:
    form = fw.json_schema({"enum": ["a", "b", None]}, whitespace="compact")
    for seed in range(60):
        model = toy_model(seed)
        likeliest = model.generate("go", form, fidelity="exact", temperature=0)
        greedy = model.generate("go", form)
        bound = likeliest.fields[""].probability - 1e-5
        if greedy.value != likeliest.value and bound > 0.5:
            assert model.generate("go", form, abstain=bound).value == likeliest.value
            return
    pytest.fail("no toy model prefers another value than its first token")


def test_many_and_streams_have_fields(model: LocalModel) -> None:
    prompts = ["Clara Novak lives in Prague.", "Ada, 36, lives in Rome."]
    alone = [model.generate(prompt, Doubted, max_tokens=60, abstain=0.9) for prompt in prompts]
    assert model.generate_many(prompts, Doubted, max_tokens=60, abstain=0.9, progress=False) == alone
    for result in model.generate_many(prompts, Doubted, max_tokens=60, progress=False):
        assert isinstance(result, Complete)
        assert result.fields["/name"].value == result.value.name
    stream = model.stream(prompts[0], Doubted, max_tokens=60)
    for _ in stream:
        pass
    assert stream.result.fields["/city"].value == stream.result.value.city


class CountingRuntime(ToyRuntime):
    """Counts the calls of all its copies."""

    count = 0

    def prefill(self, token_ids: Sequence[int]) -> np.ndarray:
        CountingRuntime.count += 1
        return super().prefill(token_ids)

    def score(self, token_ids: Sequence[int]) -> np.ndarray:
        CountingRuntime.count += 1
        return np.stack([super(CountingRuntime, self).prefill([token_id]) for token_id in token_ids])

    def fork(self) -> CountingRuntime:
        twin = CountingRuntime(self.width, self.seed)
        twin.seen = list(self.seen)
        return twin


def test_each_step_of_a_server_is_one_question_to_the_model() -> None:
    model = make_merging_model(1)
    model = replace(model, runtime=CountingRuntime(model.vocabulary.logits_size, 1))
    form = fw.json_schema({"enum": ["a", "ab", "b", "ba", None]}, whitespace="compact")
    task = model.make_task("go", model.compile_form(form), Limits(max_tokens=20))
    scoring, most = model.make_field_scoring(task, '"ab"'), 0
    while not scoring.is_over:
        before = CountingRuntime.count
        scoring.step()
        most = max(most, CountingRuntime.count - before)
    assert most <= 2  # what comes after the border is given once
    assert scoring.fields[""].basis == "exact"


def test_compositions_name_their_fields(model: LocalModel) -> None:
    form = fw.template("{who}: {home}; {tags}", who=fw.choice("Clara", "Bob"), home=Doubted, tags=fw.many(int, sep=" "))
    result = model.generate("Clara Novak, 34, lives in Prague.", form, max_tokens=80)
    names = ["/who", "/home/name", "/home/age", "/home/city"]
    assert list(result.fields)[:4] == names
    assert result.fields["/who"].basis == "exact"
    thought = model.generate("Clara Novak, 34.", fw.thinking(Doubted, max_chars=20), max_tokens=120)
    assert list(thought.fields) == ["/name", "/age", "/city"]


def test_pickles_keep_what_was_measured(model: LocalModel) -> None:
    result = model.generate("Ada, 36, lives in Rome.", Doubted, max_tokens=60)
    with pytest.raises(OptionUnsupported, match="not known"):
        _ = pickle.loads(pickle.dumps(result)).fields
    fields = dict(result.fields)
    assert dict(pickle.loads(pickle.dumps(result)).fields) == fields


class Claim(BaseModel):
    who: str | None
    quote: fw.Quote
    more: list[fw.Quote] = Field(max_length=2)


def test_quotes_are_pieces_of_the_source(model: LocalModel) -> None:
    result = model.generate("Where does Clara live?", Claim, source=NOTES, max_tokens=80)
    for quote in [result.value.quote, *result.value.more]:
        assert NOTES[quote.start : quote.end] == quote
    field = result.fields["/quote"]
    assert field.basis == "exact"
    assert field.span == (result.value.quote.start, result.value.quote.end)
    assert all(isinstance(other.value, str) and other.value in NOTES for other in field.alternatives)
    with_text = model.generate(f"{NOTES}\n\nWhere does Clara live?", Claim, source=NOTES, max_tokens=80)
    assert (with_text.text, with_text.prompt_tokens) == (result.text, result.prompt_tokens)


def test_forms_of_quotes_are_kept_by_their_source() -> None:
    form = fw.form(Claim, source=NOTES)
    value = form.parse('{"who":null,"quote":"Prague","more":["She"]}')
    assert (value.quote.start, value.more[0]) == (32, "She")
    assert form.origin is not None
    assert form.origin.what.count("555-0199") == 1
    assert pickle.loads(pickle.dumps(form)).parse('{"who":null,"quote":"Prague","more":[]}').quote.end == 38
    assert "validated" not in str(form.explain())
    assert fw.form(fw.Quote, source="other").parse('"the"').end == 4
    with pytest.raises(OutputInvalid):
        form.parse('{"who":null,"quote":"Paris","more":[]}')


@pytest.mark.parametrize(
    ("form", "options", "expected"),
    [
        (Claim, {}, ArgumentError),
        (Claim, {"source": ""}, ArgumentError),
        (Claim, {"source": 3}, ArgumentError),
        (Claim, {"source": "long " * 3000}, LimitExceeded),
        (Doubted, {"abstain": 0}, ArgumentError),
        (Doubted, {"abstain": 1.5}, ArgumentError),
        (Doubted, {"abstain": "x"}, ArgumentError),
        (Doubted, {"abstain": 0.5, "beams": 2}, ArgumentError),
        (int, {"abstain": 0.5}, ArgumentError),
        (fw.choice("a", "b"), {"abstain": 0.5}, ArgumentError),
        (Doubted, {"particles": 0}, ArgumentError),
    ],
)
def test_what_cannot_be_is_refused(
    model: LocalModel, form: Any, options: dict[str, Any], expected: type[Exception]
) -> None:
    with pytest.raises(expected):
        model.generate("Who?", form, **options)
    calls: Sequence[Any] = model.generate_many(["Who?"], [form], progress=False) if not options else ()
    assert all(isinstance(result, fw.Failed) for result in calls)


def make_merging_model(seed: int) -> LocalModel:
    """A model whose tokenizer merges a space with the word after it, but not with a digit."""
    tokenizer = Tokenizer(models.BPE())
    digits, bytes_ = pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([digits, bytes_])
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=400, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), special_tokens=["<|end|>"]
    )
    tokenizer.train_from_iterator(['{"age": null, "b": true, "b": false}', '{"age": 3, "b": "no"}'] * 50, trainer)
    vocabulary = fw.Vocabulary.from_tokenizer(tokenizer, eos_token_ids=[tokenizer.token_to_id("<|end|>")])
    assert len(tokenizer.encode(" null").ids) == 1
    assert len(tokenizer.encode(" 3").ids) == 2
    runtime = ToyRuntime(vocabulary.logits_size, seed)
    return LocalModel("toy", runtime, vocabulary, lambda text: tokenizer.encode(str(text)).ids)


@pytest.mark.parametrize("seed", range(8))
def test_values_that_are_merged_with_a_space_count(seed: int) -> None:
    model = make_merging_model(seed)
    form = fw.json_schema(
        {"type": "object", "properties": {"age": {"enum": [3, 7, None]}, "b": {"enum": [True, "no"]}},
         "required": ["age", "b"], "additionalProperties": False},
        whitespace=" ",
    )  # fmt: skip
    result = model.generate("go", form, canonical=True, max_tokens=60, temperature=1, seed=seed)
    scores = model.score("go", list_texts(form, model))
    written = json.loads(result.text)
    for name in ("age", "b"):
        field = result.fields[f"/{name}"]
        before = result.text[: result.text.index(f'"{name}" : ') + len(name) + 5]
        grouped: dict[Any, list[float]] = {}
        for text, score in scores.items():
            if text.startswith(before):
                grouped.setdefault(repr(json.loads(text)[name]), []).append(score)
        assert field.basis == "exact"
        assert field.probability == pytest.approx(share_of(grouped, repr(written[name])), abs=1e-6)
    doubted = model.generate("go", form, canonical=True, max_tokens=60, abstain=1.0)
    assert doubted.value["age"] is None


def list_texts(form: Any, model: LocalModel) -> list[str]:
    from formwright.generation.strategies.fidelity import spellings_of

    matcher = fw.compile(form, model.vocabulary, canonical=True).matcher(model.prompt_ids("go"))
    return [spelling.text.decode() for spelling in spellings_of(matcher, 60)]
