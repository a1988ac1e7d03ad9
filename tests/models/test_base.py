"""LocalModel: prompts, forms, contexts, and generations side by side."""

from __future__ import annotations

import inspect
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Literal

import pytest

import formwright as fw
from formwright.client import remote_options
from formwright.errors import OptionUnsupported
from formwright.models import LocalModel, call_settings
from formwright.models.options import OF_REMOTE_MODELS


@dataclass
class Point:
    x: int
    y: bool


@pytest.fixture
def model(toy: Any, byte_vocabulary: fw.Vocabulary) -> LocalModel:
    def encode(prompt: Any) -> bytes:
        return (prompt if isinstance(prompt, str) else "".join(part["content"] for part in prompt)).encode()

    return LocalModel("toy", toy(257), byte_vocabulary, encode)


def test_a_type_gives_a_value_of_the_type(model: LocalModel) -> None:
    result = model.generate("a point", Point, max_tokens=60, temperature=1, seed=3)
    assert isinstance(result, fw.Complete)
    assert isinstance(result.value, Point)


def test_the_prompt_may_be_text_messages_or_ids(model: LocalModel) -> None:
    prompts = ["hi", [{"role": "user", "content": "h"}, {"role": "user", "content": "i"}], [104, 105]]
    results = [model.generate(prompt, fw.regex("[a-z]{8}"), temperature=1, seed=1) for prompt in prompts]
    assert len({result.text for result in results}) == 1
    assert {result.prompt_tokens for result in results} == {2}


def test_a_constraint_is_used_as_it_is(model: LocalModel) -> None:
    constraint = fw.compile(fw.choice(["yes", "no"]), model.vocabulary)
    assert model.generate("?", constraint).value in {"yes", "no"}


def test_settings_reach_the_sampler(model: LocalModel) -> None:
    form = Literal["a", "b", "c", "d"]
    greedy = {model.generate("?", form).value for _ in range(5)}
    drawn = {model.generate("?", form, temperature=5, seed=seed).value for seed in range(40)}
    best = {model.generate("?", form, temperature=5, top_k=1, seed=seed).value for seed in range(10)}
    assert len(greedy) == 1
    assert len(drawn) > 1
    assert best == greedy


@pytest.mark.parametrize("option", OF_REMOTE_MODELS)
def test_an_option_of_remote_models_is_named_as_such(model: LocalModel, option: str) -> None:
    with pytest.raises(OptionUnsupported, match=f"does not support {option}=") as caught:
        model.generate("?", int, **{option: 1})  # type: ignore[call-overload]
    assert "fw.connect" in (caught.value.hint or "")
    assert caught.value.argument == option


def test_the_options_of_remote_models_are_those_that_no_local_model_has() -> None:
    assert set(OF_REMOTE_MODELS) == set(remote_options.DEFAULTS) - set(call_settings.DEFAULTS)


def test_the_context_bounds_prompt_and_text(model: LocalModel) -> None:
    result = model.generate("p" * 4090, fw.regex("a*b"), temperature=1, seed=0)
    assert isinstance(result, fw.Complete)
    assert len(result.token_ids) <= 6
    with pytest.raises(fw.errors.LimitExceeded) as caught:
        model.generate("p" * 5000, fw.regex("a*b"))
    assert (caught.value.limit, caught.value.value, caught.value.allowed) == ("context", 5000, 4096)


def test_generations_side_by_side_do_not_disturb_each_other(model: LocalModel) -> None:
    def write(seed: int) -> str:
        return model.generate("hi", fw.regex("[a-z]{30}"), temperature=1, seed=seed).text

    alone = [write(seed) for seed in range(8)]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(write, range(8))) == alone


def test_an_unknown_model_names_the_known_one() -> None:
    with pytest.raises(fw.errors.FormwrightError, match="no model is called 'gpt'") as caught:
        fw.load("gpt")
    assert "formwright-tiny" in str(caught.value.hint)


def test_a_full_context_is_named_rather_than_max_tokens(model: LocalModel) -> None:
    with pytest.raises(fw.errors.LimitExceeded) as caught:
        model.generate("p" * 4090, fw.literal("exactly this"))
    assert (caught.value.limit, caught.value.value, caught.value.allowed) == ("context", 12, 6)
    assert "prompt" in str(caught.value.hint)
    with pytest.raises(fw.errors.LimitExceeded) as caught:
        model.generate("p", fw.literal("exactly this"), max_tokens=5)
    assert caught.value.limit == "max_tokens"


def test_a_constraint_for_another_vocabulary_is_refused(model: LocalModel) -> None:
    vocabulary = fw.Vocabulary([b"a", b"b", None], eos_token_ids=[2])
    with pytest.raises(fw.errors.VocabularyError, match="another vocabulary"):
        model.generate("?", fw.compile(fw.choice("a"), vocabulary))
    again = fw.Vocabulary.from_bytes(model.vocabulary.to_bytes())
    assert model.generate("?", fw.compile(fw.choice("a"), again)).value == "a"


@pytest.mark.parametrize(
    "option",
    [
        *({"max_tokens": value} for value in (-1, None, 1.5)),
        *({"temperature": value} for value in (-1, "hot", float("inf"))),
        *({"top_k": value} for value in (0, 1.5)),
        *({"top_p": value} for value in (0, 1.5, "1")),
        *({"seed": value} for value in (-1, "1")),
        *({"stop": value} for value in ("", 5, b"x", [""])),
        {"cancel": True},
    ],
)
def test_options_are_checked_at_the_call(model: LocalModel, option: dict[str, Any]) -> None:
    with pytest.raises(fw.errors.ArgumentError) as caught:
        model.stream("?", fw.choice("a"), **option)
    assert caught.value.argument in option


def test_there_is_one_default_for_max_tokens() -> None:
    from formwright.cli.generate import generate as command
    from formwright.generation import MAX_TOKENS

    defaults = {inspect.signature(method).parameters["max_tokens"].default for method in METHODS}
    defaults |= {option.default for option in command.params if option.name == "max_tokens"}
    assert defaults == {MAX_TOKENS}


METHODS = [LocalModel.generate, LocalModel.stream]


def test_generate_and_stream_have_the_same_options() -> None:
    names = [list(inspect.signature(method).parameters) for method in METHODS]
    several = {
        "beams",
        "returns",
        "fidelity",
        "particles",
        "max_calls",
        "fields",
        "abstain",
        "calibration",
        "max_retries",
    }
    assert [name for name in names[0] if name not in several] == names[1]
    many = list(inspect.signature(LocalModel.generate_many).parameters)
    assert many == ["self", "prompts", "forms", *names[0][3:], "batch_size", "progress"]
    assert "kwargs" not in str(names)


def test_a_model_shows_no_addresses(model: LocalModel) -> None:
    assert repr(model) == "LocalModel('toy', 257 tokens, context 4096)"


@pytest.mark.parametrize(("option", "value"), [("beams", 2), ("fields", True), ("abstain", 0.9), ("max_retries", 1)])
def test_an_option_of_another_verb_is_told_from_an_unknown_one(option: str, value: Any) -> None:
    with pytest.raises(OptionUnsupported, match=f"does not support {option}=") as caught:
        fw.load("formwright-tiny").stream("How old is Ada?", int, **{option: value})
    assert caught.value.hint == f"`generate` has {option}"
