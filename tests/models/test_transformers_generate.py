"""Every strategy of transformers' own ``generate``, with the embedded model: no text out of form."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from makers import CHECKOUT_MODEL

torch = pytest.importorskip("torch", reason="formwright[transformers] is not installed")
transformers = pytest.importorskip("transformers", reason="formwright[transformers] is not installed")

import formwright as fw  # noqa: E402
from formwright.models.runtimes.transformers import TransformersModel  # noqa: E402

PERSON = fw.json_schema(
    {
        "type": "object",
        "properties": {"name": {"type": "string", "maxLength": 12}, "age": {"type": "integer", "minimum": 0}},
        "required": ["name", "age"],
        "additionalProperties": False,
    }
)
PROMPTS = ["Ada is 36 years old.", "I loved it.", "Who was born in 1963, and what was his name?"]
FORMS = [PERSON, fw.choice("positive", "negative"), fw.regex("[A-Z][a-z]+ was born in [0-9]{4}\\.")]
BUDGET = 24

STRATEGIES = {
    "greedy": {},
    "sampling": {"do_sample": True, "temperature": 1.5},
    "top-p": {"do_sample": True, "top_p": 0.9, "top_k": 20},
    "beams": {"num_beams": 4},
    "more beams than continuations": {"num_beams": 7, "early_stopping": True},
    "beam sampling": {"num_beams": 3, "do_sample": True},
    "several sequences": {"do_sample": True, "num_return_sequences": 3},
    "several beams": {"num_beams": 4, "num_return_sequences": 2},
    "repetition penalty": {"repetition_penalty": 1.3},
}


@pytest.fixture(scope="module")
def network() -> Any:
    torch.manual_seed(0)
    torch.set_num_threads(1)
    return transformers.AutoModelForCausalLM.from_pretrained(CHECKOUT_MODEL, dtype=torch.float32).eval()


@pytest.fixture(scope="module")
def tokenizer() -> Any:
    return transformers.AutoTokenizer.from_pretrained(CHECKOUT_MODEL)


@pytest.fixture(scope="module")
def model(network: Any, tokenizer: Any) -> TransformersModel:
    return fw.from_transformers(network, tokenizer)


def encoded(tokenizer: Any, prompts: list[str]) -> Any:
    chats = [[{"role": "user", "content": prompt}] for prompt in prompts]
    return tokenizer.apply_chat_template(
        chats, add_generation_prompt=True, return_dict=True, return_tensors="pt", padding=True
    )


def texts(tokenizer: Any, inputs: Any, sequences: Any) -> list[str]:
    start = inputs["input_ids"].shape[1]
    return [tokenizer.decode(row[start:], skip_special_tokens=True) for row in sequences]


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("hook", ["logits_processor", "prefix_allowed_tokens_fn"])
def test_no_text_of_any_strategy_is_out_of_form(
    model: TransformersModel, network: Any, tokenizer: Any, strategy: str, hook: str
) -> None:
    inputs = encoded(tokenizer, PROMPTS)
    assert (inputs["input_ids"][1] == tokenizer.pad_token_id).any()  # rows are padded on the left
    made = getattr(model, hook)(FORMS, max_tokens=BUDGET)
    given = {hook: [made] if hook == "logits_processor" else made}
    for seed in range(2):
        torch.manual_seed(seed)
        sequences = network.generate(**inputs, max_new_tokens=BUDGET, **STRATEGIES[strategy], **given)
        written = texts(tokenizer, inputs, sequences)
        each = len(written) // len(FORMS)
        for row, text in enumerate(written):
            assert FORMS[row // each].matches(text), (strategy, text)


@pytest.mark.parametrize("how", ["assistant", "prompt lookup"])
def test_assisted_generation(model: TransformersModel, network: Any, tokenizer: Any, how: str) -> None:
    helper = transformers.AutoModelForCausalLM.from_pretrained(CHECKOUT_MODEL, dtype=torch.float32).eval()
    with torch.no_grad():
        for parameter in helper.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.02)  # so that it is often wrong
    options: dict[str, Any] = {"assistant_model": helper} if how == "assistant" else {"prompt_lookup_num_tokens": 3}
    for prompt, form in zip(PROMPTS, FORMS, strict=True):
        inputs = encoded(tokenizer, [prompt])
        plain = network.generate(
            **inputs, max_new_tokens=BUDGET, logits_processor=[model.logits_processor(form, max_tokens=BUDGET)]
        )
        processor = model.logits_processor(form, max_tokens=BUDGET)
        assisted = network.generate(**inputs, max_new_tokens=BUDGET, logits_processor=[processor], **options)
        assert texts(tokenizer, inputs, assisted) == texts(tokenizer, inputs, plain)
        assert form.matches(texts(tokenizer, inputs, assisted)[0])


@pytest.mark.parametrize("strategy", ["greedy", "sampling", "beams"])
def test_scores_may_be_masked_in_place(model: TransformersModel, network: Any, tokenizer: Any, strategy: str) -> None:
    inputs, written = encoded(tokenizer, PROMPTS), []
    for in_place in (False, True):
        torch.manual_seed(0)
        processor = model.logits_processor(FORMS, max_tokens=BUDGET, in_place=in_place)
        given = {"max_new_tokens": BUDGET, "logits_processor": [processor]}
        written.append(network.generate(**inputs, **given, **STRATEGIES[strategy]))
    assert torch.equal(*written)


@pytest.mark.parametrize("change", [lambda of: of, lambda of: of.double(), lambda of: of[:, ::2].T.contiguous().T])
def test_in_place_means_in_place(model: TransformersModel, change: Any) -> None:
    scores = change(torch.randn(2, 2 * model.vocabulary.logits_size))[:, : model.vocabulary.logits_size]
    masked = model.logits_processor(PERSON)(torch.tensor([[1, 2], [1, 3]]), scores.clone())
    processor = model.logits_processor(PERSON, in_place=True)
    assert processor(torch.tensor([[1, 2], [1, 3]]), scores) is scores
    assert torch.equal(scores, masked)
    assert torch.isneginf(scores).any()


def test_rows_do_not_depend_on_their_neighbours(model: TransformersModel, network: Any, tokenizer: Any) -> None:
    inputs = encoded(tokenizer, PROMPTS)
    together = network.generate(
        **inputs, max_new_tokens=BUDGET, logits_processor=[model.logits_processor(FORMS, max_tokens=BUDGET)]
    )
    for row, (prompt, form) in enumerate(zip(PROMPTS, FORMS, strict=True)):
        one = encoded(tokenizer, [prompt])
        processor = model.logits_processor(form, max_tokens=BUDGET)
        alone = network.generate(**one, max_new_tokens=BUDGET, logits_processor=[processor])
        assert texts(tokenizer, one, alone) == [texts(tokenizer, inputs, together)[row]]


def test_a_processor_may_be_used_again(model: TransformersModel, network: Any, tokenizer: Any) -> None:
    processor = model.logits_processor(PERSON, max_tokens=BUDGET)
    written = []
    for prompt in ("Ada is 36 years old.", "Bo is 7 years old.", "Ada is 36 years old."):
        inputs = encoded(tokenizer, [prompt])
        sequences = network.generate(**inputs, max_new_tokens=BUDGET, logits_processor=[processor])
        written += texts(tokenizer, inputs, sequences)
    assert all(map(PERSON.matches, written))
    assert written[0] == written[2]


def test_the_same_form_in_a_pipeline(model: TransformersModel, network: Any, tokenizer: Any) -> None:
    pipeline = transformers.pipeline("text-generation", model=network, tokenizer=tokenizer)
    processor = model.logits_processor(PERSON, max_tokens=BUDGET)
    said = pipeline(
        [{"role": "user", "content": PROMPTS[0]}], max_new_tokens=BUDGET, max_length=None, logits_processor=[processor]
    )
    assert PERSON.matches(said[0]["generated_text"][-1]["content"])


@pytest.mark.parametrize("sampled", [False, True])
def test_our_loop_inside_generate(model: TransformersModel, network: Any, tokenizer: Any, sampled: bool) -> None:
    inputs = encoded(tokenizer, PROMPTS)
    options = {"do_sample": sampled, "max_new_tokens": BUDGET}
    sequences = network.generate(**inputs, custom_generate=model.custom_generate(FORMS), **options)
    written = texts(tokenizer, inputs, sequences)
    assert all(form.matches(text) for form, text in zip(FORMS, written, strict=True))
    if not sampled:
        processor = model.logits_processor(FORMS, max_tokens=BUDGET)
        plain = network.generate(**inputs, logits_processor=[processor], **options)
        assert written == texts(tokenizer, inputs, plain)
    output = network.generate(
        **inputs, custom_generate=model.custom_generate(FORMS), return_dict_in_generate=True, **options
    )
    assert output.sequences.shape[0] == len(FORMS)
    with pytest.raises(fw.errors.ArgumentError, match="not beams"):
        network.generate(**inputs, custom_generate=model.custom_generate(FORMS), num_beams=2, max_new_tokens=BUDGET)


def test_our_own_strategies_on_a_transformers_model(model: TransformersModel) -> None:
    many = model.generate_many(PROMPTS, FORMS, max_tokens=BUDGET, progress=False)
    for prompt, form, result in zip(PROMPTS, FORMS, many, strict=True):
        assert isinstance(result, fw.Complete)
        assert form.matches(result.text)
        assert result.text == model.generate(prompt, form, max_tokens=BUDGET).text
        for options in ({"beams": 3}, {"fidelity": "smc", "particles": 8, "seed": 0}, {"trace": True}):
            assert form.matches(model.generate(prompt, form, max_tokens=BUDGET, **options).text)


def test_batches_are_what_their_rows_are(model: TransformersModel) -> None:
    random = np.random.default_rng(0)
    batch, rows = model.runtime.batch(), [model.runtime.fork() for _ in range(4)]  # type: ignore[attr-defined]
    for row, length in zip(rows, (3, 9, 5, 12), strict=True):
        ids = random.integers(5, 4000, length).tolist()
        assert np.allclose(batch.add([ids])[0], row.prefill(ids), atol=1e-3)
    for turn in range(8):
        given = [random.integers(5, 4000, random.integers(0, 3)).tolist() for _ in rows]
        given[turn % len(rows)] = [7]
        logits = batch.step(given)
        for said, row, ids in zip(logits, rows, given, strict=True):
            assert not ids or np.allclose(said, row.prefill(ids), atol=1e-3)
        if turn in (3, 5):
            kept = random.integers(0, len(rows), len(rows) - 1).tolist()
            batch.select(kept)
            rows = [rows[row].fork() for row in kept]


def test_the_trace_of_an_output(model: TransformersModel, network: Any, tokenizer: Any) -> None:
    inputs = encoded(tokenizer, PROMPTS[:1])
    output = network.generate(
        **inputs,
        max_new_tokens=BUDGET,
        logits_processor=[model.logits_processor(PERSON, max_tokens=BUDGET)],
        return_dict_in_generate=True,
        output_logits=True,
    )
    trace = model.trace(output, PERSON, max_tokens=BUDGET)
    ours = model.generate(PROMPTS[0], PERSON, max_tokens=BUDGET, trace=True).trace
    assert trace.text == texts(tokenizer, inputs, output.sequences)[0]
    assert [row.token_id for row in trace] == [row.token_id for row in ours]
    assert np.allclose([row.allowed_mass for row in trace], [row.allowed_mass for row in ours], atol=1e-3)
    for wrong, options in ((output, {"row": 1}), (output.sequences, {})):
        with pytest.raises(fw.errors.ArgumentError):
            model.trace(wrong, PERSON, **options)


def test_our_loop_keeps_to_the_mask_or_refuses(model: TransformersModel, network: Any, tokenizer: Any) -> None:
    inputs = encoded(tokenizer, PROMPTS[:1])
    options = {"max_new_tokens": BUDGET, "custom_generate": model.custom_generate(PERSON)}
    sequences = network.generate(**inputs, **options)
    padded = {name: torch.nn.functional.pad(ids, (3, 0)) for name, ids in inputs.items()}  # by id 0, masked
    assert texts(tokenizer, padded, network.generate(**padded, **options)) == texts(tokenizer, inputs, sequences)
    for wrong in ({"repetition_penalty": 1.3}, {"bad_words_ids": [[95]]}, {"output_logits": True}):
        with pytest.raises(fw.errors.ArgumentError, match="custom_generate="):
            network.generate(**inputs, return_dict_in_generate=True, **options, **wrong)


def test_a_processor_serves_several_runs_at_a_time(model: TransformersModel, network: Any, tokenizer: Any) -> None:
    processor = model.logits_processor(PERSON, max_tokens=BUDGET)
    prompts = [f"{name} is {age} years old." for name, age in (("Ada", 36), ("Bo", 7), ("Clara", 60))] * 2

    def written(prompt: str) -> str:
        inputs = encoded(tokenizer, [prompt])
        sequences = network.generate(**inputs, max_new_tokens=BUDGET, logits_processor=[processor])
        return texts(tokenizer, inputs, sequences)[0]

    with ThreadPoolExecutor(3) as pool:
        together = list(pool.map(written, prompts))
    assert all(map(PERSON.matches, together))
    assert together == [written(prompt) for prompt in prompts]


def test_some_prompts_of_a_batch_may_be_known(model: TransformersModel, network: Any, tokenizer: Any) -> None:
    processor = model.logits_processor(PERSON, max_tokens=BUDGET)
    for prompts in (["Ada is 36.", "Bo is 7."], ["Ada is 36.", "Clara is 60 and tall."], ["Bo is 7.", "Ada is 36."]):
        inputs = encoded(tokenizer, prompts)
        sequences = network.generate(**inputs, max_new_tokens=BUDGET, logits_processor=[processor])
        assert all(map(PERSON.matches, texts(tokenizer, inputs, sequences)))


# What goes wrong in published processors that hold a trie of answers behind a trigger token.

ANSWERS = fw.choice("Paris", "Berlin")


def searched(model: TransformersModel, network: Any, tokenizer: Any, form: Any, **options: Any) -> Any:
    inputs = encoded(tokenizer, ["Which city: Rome, Berlin, Paris?"])
    processor = model.logits_processor(form, max_tokens=BUDGET)
    given = {"max_new_tokens": BUDGET, "return_dict_in_generate": True, "output_scores": True} | options
    output = network.generate(**inputs, logits_processor=[processor], **given)
    return texts(tokenizer, inputs, output.sequences), output


def test_no_forbidden_token_wins_where_fewer_may_come_than_there_are_beams(
    model: TransformersModel, network: Any, tokenizer: Any
) -> None:
    written, output = searched(model, network, tokenizer, ANSWERS, num_beams=6, num_return_sequences=2)
    assert sorted(written) == ["Berlin", "Paris"]
    assert torch.isfinite(output.sequences_scores).all()
    for steps in output.scores:
        assert torch.isneginf(steps).any(-1).all()  # in every beam most tokens are forbidden


def test_more_sequences_than_texts_are_told_by_their_scores(
    model: TransformersModel, network: Any, tokenizer: Any
) -> None:
    written, output = searched(model, network, tokenizer, ANSWERS, num_beams=8, num_return_sequences=8)
    scores = output.sequences_scores.tolist()
    assert {text for text, score in zip(written, scores, strict=True) if score > -1e8} == {"Berlin", "Paris"}


def test_a_trigger_inside_an_answer_restarts_nothing(model: TransformersModel, network: Any, tokenizer: Any) -> None:
    form = fw.choice("a: b: c", "a: b: d")
    written, _ = searched(model, network, tokenizer, form, num_beams=3, num_return_sequences=2)
    assert sorted(written) == ["a: b: c", "a: b: d"]


def test_the_model_still_chooses(model: TransformersModel, network: Any, tokenizer: Any) -> None:
    """Allowed tokens keep their own scores: one score for all would leave the choice to their ids."""
    inputs = encoded(tokenizer, PROMPTS)
    scores = torch.randn(3, network.config.vocab_size)
    masked = model.logits_processor(ANSWERS)(inputs["input_ids"], scores)
    allowed = ~torch.isneginf(masked)
    assert torch.equal(masked[allowed], scores[allowed])
    assert (allowed.sum(-1) > 1).all()


# What is refused.


def test_a_form_for_each_prompt_or_one_for_all(model: TransformersModel, network: Any, tokenizer: Any) -> None:
    inputs = encoded(tokenizer, [*PROMPTS, "One more."])
    for forms in (FORMS, FORMS[:2]):
        with pytest.raises(fw.errors.ArgumentError, match="forms"):
            network.generate(**inputs, max_new_tokens=BUDGET, logits_processor=[model.logits_processor(forms)])
    with pytest.raises(fw.errors.ArgumentError):
        model.logits_processor([])
    with pytest.raises(fw.errors.ArgumentError):
        network.generate(**inputs, max_new_tokens=BUDGET, custom_generate=model.custom_generate(FORMS))


def test_a_budget_that_is_too_small_says_so(model: TransformersModel, network: Any, tokenizer: Any) -> None:
    inputs = encoded(tokenizer, PROMPTS[:1])
    with pytest.raises(fw.errors.LimitExceeded):
        network.generate(**inputs, max_new_tokens=3, logits_processor=[model.logits_processor(PERSON, max_tokens=3)])
    with pytest.raises(fw.errors.LimitExceeded):
        network.generate(**inputs, max_new_tokens=3, custom_generate=model.custom_generate(PERSON))


def test_another_processor_that_forbids_all_is_no_silent_token(
    model: TransformersModel, network: Any, tokenizer: Any
) -> None:
    inputs = encoded(tokenizer, PROMPTS[:1])
    with pytest.raises(fw.errors.DeadEnd, match="another logits processor"):
        network.generate(
            **inputs,
            max_new_tokens=BUDGET,
            min_new_tokens=20,
            logits_processor=[model.logits_processor(fw.literal("a"))],
        )


def test_patterns_of_re(model: TransformersModel, network: Any, tokenizer: Any) -> None:
    written, _ = searched(model, network, tokenizer, re.compile("[ab]{3}"))
    assert re.fullmatch("[ab]{3}", written[0])
