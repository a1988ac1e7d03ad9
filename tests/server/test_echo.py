"""Completions that repeat the prompt: its text, and how likely its tokens are, as evaluation harnesses read them."""

from __future__ import annotations

from operator import itemgetter
from typing import Any

import numpy as np
import pytest

import formwright as fw

from .conftest import MODEL
from .test_score import bytes_model

httpx = pytest.importorskip("httpx")

from formwright.generation.strategies.beams import log_softmax  # noqa: E402
from formwright.server import Settings, running  # noqa: E402
from formwright.server.writing.echo import Echo  # noqa: E402

PATH = "/v1/completions"
LISTS = ("tokens", "token_logprobs", "top_logprobs", "text_offset", "unmasked_logprobs")


def echoed(**fields: Any) -> dict[str, Any]:
    return {"model": MODEL, "prompt": "Ada is 36.", "echo": True, "temperature": 0} | fields


def by_the_model(model: fw.models.LocalModel, ids: list[int]) -> list[float]:
    """The log probability of each token but the first, by one call of the model for all of them."""
    rows = log_softmax(model.runtime.fork().score(ids), 1.0)  # type: ignore[attr-defined]
    return [float(row[token_id]) for row, token_id in zip(rows, ids[1:], strict=False)]


def read_by_lm_eval(outputs: list[Any], context_lengths: list[int]) -> list[tuple[float, bool]]:
    """What ``LocalCompletionsAPI.parse_logprobs`` of lm-evaluation-harness reads."""
    found = []
    for out in outputs:
        choices = sorted(out["choices"], key=itemgetter("index"))
        for choice, length in zip(choices, context_lengths, strict=True):
            logprobs = choice["logprobs"]["token_logprobs"][length:-1]
            tops = choice["logprobs"]["top_logprobs"][length:-1]
            is_greedy = all(each == max(top.values()) for each, top in zip(logprobs, tops, strict=True))
            found.append((sum(logprobs), is_greedy))
    return found


def test_a_harness_reads_how_likely_continuations_are(post: Any, tiny: fw.models.LocalModel) -> None:
    context = tiny.prompt_ids("Is the sky blue?")
    most_likely = int(np.argmax(tiny.runtime.fork().prefill(context)))
    endings = [tiny.text_ids("yes"), tiny.text_ids("nobody"), [most_likely]]
    body = {
        "model": MODEL,
        "prompt": [context + ending for ending in endings],
        "temperature": 0,
        "max_tokens": 1,
        "logprobs": 1,
        "seed": 1234,
        "echo": True,
    }
    status, answer = post(PATH, body)
    assert status == 200, answer
    expected = [sum(by_the_model(tiny, context + ending)[-len(ending) :]) for ending in endings]
    found = read_by_lm_eval([answer], [len(context)] * len(endings))
    assert [score for score, _ in found] == pytest.approx(expected, abs=1e-4)
    assert [is_greedy for _, is_greedy in found] == [False, False, True]


def test_an_answer_that_ends_at_once_has_its_end_among_the_tokens() -> None:
    """A harness takes the last token for the one that was written."""
    ends = bytes_model(lambda _: np.where(np.arange(257) == 256, 9.0, 0.0).astype(np.float32))
    with running(ends) as state:
        body = echoed(prompt=[72, 105], max_tokens=1, logprobs=1)
        choice = httpx.post(f"{state.url}{PATH}", json=body).json()["choices"][0]
    assert (choice["text"], choice["finish_reason"]) == ("Hi", "stop")
    assert len(choice["logprobs"]["token_logprobs"]) == 3


@pytest.mark.parametrize("prompt", ["Ada is 36.", "A", "Zoë 😀 – 東京", "word " * 300])
@pytest.mark.parametrize("count", [0, 1, 5])
def test_a_prompt_is_scored_and_nothing_is_written(
    post: Any, tiny: fw.models.LocalModel, prompt: str, count: int
) -> None:
    ids = tiny.text_ids(prompt)
    status, answer = post(PATH, echoed(prompt=prompt, max_tokens=0, logprobs=count))
    assert status == 200, answer
    (choice,) = answer["choices"]
    lists = choice["logprobs"]
    assert (choice["text"], choice["finish_reason"]) == (prompt, "length")
    assert {len(lists[name]) for name in LISTS} == {len(ids)}
    assert (lists["token_logprobs"][0], lists["top_logprobs"][0], lists["text_offset"][0]) == (None, None, 0)
    assert lists["token_logprobs"][1:] == pytest.approx(by_the_model(tiny, ids), abs=1e-3)
    assert lists["unmasked_logprobs"] == pytest.approx(lists["token_logprobs"])
    for token, score, top in list(zip(*(lists[name] for name in LISTS[:3]), strict=True))[1:]:
        assert top[token] == score
        assert len(top) in (max(1, count), count + 1)
    assert answer["usage"] == {"prompt_tokens": len(ids), "completion_tokens": 0, "total_tokens": len(ids)}


def test_offsets_are_places_of_the_text(post: Any, tiny: fw.models.LocalModel) -> None:
    prompt = "Zoë is 36 – and"
    _, answer = post(PATH, echoed(prompt=prompt, max_tokens=6, logprobs=1))
    (choice,) = answer["choices"]
    lists = choice["logprobs"]
    assert choice["text"].startswith(prompt)
    assert choice["text"] > prompt
    assert lists["text_offset"][len(tiny.text_ids(prompt))] == len(prompt)
    for token, at in zip(lists["tokens"], lists["text_offset"], strict=True):
        if "\\x" not in token:
            assert choice["text"][at:].startswith(token)


@pytest.mark.parametrize(
    ("spelled", "text", "offsets"),
    [
        (["<s>", "s", "o"], "so", [0, 0, 1]),
        (["<s>", "s", "o", "</s>"], "so", [0, 0, 1, 2]),
        (["<s>", " ", "s", "o", "</s>"], "so", [0, 0, 0, 1, 2]),
        (["<s>", "<s>", "o"], "<s>o", [0, 0, 3]),
        (["<s>", "s", "</s>"], "s", [0, 0, 1]),
        (["</s>", "s", "</s>"], "s", [0, 0, 1]),
    ],
)
def test_tokens_around_a_text_are_not_part_of_it(spelled: list[str], text: str, offsets: list[int]) -> None:
    vocabulary = fw.Vocabulary(
        tokens=[b"s", b"o", b" ", None, None, None], eos_token_ids=[5], special_tokens={"<s>": 3, "</s>": 4}
    )
    ids = [["s", "o", " ", "<s>", "</s>"].index(token) for token in spelled]
    assert Echo.of(vocabulary, ids, text, None).offsets == offsets


def test_token_ids_are_echoed_as_what_they_spell(post: Any, tiny: fw.models.LocalModel) -> None:
    _, answer = post(PATH, echoed(prompt=tiny.prompt_ids("Hi"), max_tokens=0, logprobs=1))
    (choice,) = answer["choices"]
    assert choice["text"] == "<|user|>Hi<|assistant|>"
    assert choice["logprobs"]["tokens"] == ["<|user|>", "Hi", "<|assistant|>"]
    assert choice["logprobs"]["text_offset"] == [0, 8, 10]


def test_every_text_of_every_prompt_begins_with_it(post: Any) -> None:
    prompts = ["Ada is 36.", "Bo"]
    _, answer = post(PATH, echoed(prompt=prompts, n=2, max_tokens=3, logprobs=2, temperature=1, seed=5))
    choices = answer["choices"]
    assert [choice["index"] for choice in choices] == [0, 1, 2, 3]
    for choice, prompt in zip(choices, [prompt for prompt in prompts for _ in range(2)], strict=True):
        assert choice["text"].startswith(prompt)
        assert "".join(choice["logprobs"]["tokens"]) == choice["text"]
    first, second = (choices[at]["logprobs"]["token_logprobs"] for at in (0, 1))
    assert first[:4] == second[:4]


def test_without_logprobs_the_prompt_is_repeated_and_not_scored(post: Any) -> None:
    _, plain = post(PATH, echoed(echo=False, max_tokens=4))
    _, answer = post(PATH, echoed(max_tokens=4))
    assert answer["choices"][0]["text"] == "Ada is 36." + plain["choices"][0]["text"]
    assert answer["choices"][0]["logprobs"] is None
    assert post(PATH, echoed(max_tokens=0))[1]["choices"][0]["text"] == "Ada is 36."


@pytest.mark.parametrize(
    "fields",
    [
        {"max_tokens": 5, "logprobs": 2},
        {"max_tokens": 5},
        {"max_tokens": 0, "logprobs": 1},
        {"max_tokens": 0},
        {"prompt": ["Ada is 36.", "Bo"], "n": 2, "max_tokens": 3, "logprobs": 0},
        {"guided_regex": " [a-z]{3}", "max_tokens": 9, "logprobs": 2},
    ],
)
def test_a_stream_has_what_the_whole_answer_has(client: Any, post: Any, fields: Any) -> None:
    status, answer = post(PATH, echoed(**fields))
    assert status == 200, answer
    body = echoed(**fields)
    extra = {name: body.pop(name) for name in ("guided_regex",) if name in body}
    chunks = [*client.completions.create(**body, stream=True, extra_body=extra)]
    for choice in answer["choices"]:
        own = [each for chunk in chunks for each in chunk.choices if each.index == choice["index"]]
        assert "".join(each.text for each in own) == choice["text"]
        assert [each.finish_reason for each in own if each.finish_reason] == [choice["finish_reason"]]
        if choice["logprobs"] is not None:
            told = [each.logprobs.model_dump() for each in own if each.logprobs is not None]
            joined = {name: [item for lists in told for item in lists[name]] for name in LISTS}
            assert joined == choice["logprobs"]


@pytest.mark.parametrize(
    ("fields", "param"),
    [
        ({"echo": False, "max_tokens": 0}, "max_tokens"),
        ({"echo": "yes"}, "echo"),
        ({"max_tokens": -1}, "max_tokens"),
        ({"max_tokens": 0, "guided_regex": "[0-9]+"}, "max_tokens"),
        ({"prompt": []}, "prompt"),
        ({"prompt": ""}, "prompt"),
    ],
)
def test_what_cannot_be_echoed_is_a_400_that_names_it(post: Any, fields: Any, param: str) -> None:
    status, answer = post(PATH, echoed(**fields))
    assert (status, answer["error"]["param"]) == (400, param), answer


def test_a_prompt_that_fills_the_context_is_scored_alone(post: Any, tiny: fw.models.LocalModel) -> None:
    """With an answer of no token, a harness would take the last token of the prompt for it."""
    ids = [tiny.text_ids("a")[0]] * tiny.runtime.context
    status, answer = post(PATH, echoed(prompt=ids, max_tokens=1, logprobs=1))
    assert (status, answer["error"]["param"], answer["error"]["code"]) == (400, "prompt", "context_length_exceeded")
    status, answer = post(PATH, echoed(prompt=ids[1:], max_tokens=1, logprobs=1))
    assert (status, len(answer["choices"][0]["logprobs"]["tokens"])) == (200, len(ids))
    status, answer = post(PATH, echoed(prompt=ids, max_tokens=0, logprobs=1))
    assert (status, len(answer["choices"][0]["logprobs"]["tokens"])) == (200, len(ids))


def test_a_model_that_scores_one_token_at_a_time_gives_the_same() -> None:
    def likes_the_next(token_id: int) -> Any:
        return np.where(np.arange(257) == token_id + 1, 3.0, 0.0).astype(np.float32)

    with running(bytes_model(likes_the_next)) as state:
        body = echoed(prompt=[*b"abx"], max_tokens=1, logprobs=1)
        choice = httpx.post(f"{state.url}{PATH}", json=body).json()["choices"][0]
        whole = np.log(np.exp(3.0) + 256)
        assert choice["logprobs"]["unmasked_logprobs"] == pytest.approx([None, 3 - whole, -whole, 3 - whole])
        assert choice["logprobs"]["top_logprobs"][2].keys() == {"x", "c"}


def test_logits_that_are_not_numbers_score_no_prompt() -> None:
    with running(bytes_model(lambda _: np.full(257, np.nan, np.float32))) as state:
        answer = httpx.post(f"{state.url}{PATH}", json=echoed(prompt=[72, 105], max_tokens=0, logprobs=1))
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "DeadEnd")


def test_the_scoring_of_a_prompt_takes_the_room_of_a_text(tiny: fw.models.LocalModel) -> None:
    with running(tiny, Settings(max_batch=1, max_waiting=2)) as state:
        url = f"{state.url}{PATH}"
        assert httpx.post(url, json=echoed(n=2, logprobs=1, max_tokens=2)).status_code == 200
        refused = httpx.post(url, json=echoed(n=3, logprobs=1, max_tokens=2))
        assert (refused.status_code, refused.json()["error"]["code"]) == (400, "too_many_texts")
        assert httpx.post(url, json=echoed(n=3, max_tokens=2)).status_code == 200
        metrics = httpx.get(f"{state.url}/metrics").text
    scored = len(tiny.text_ids("Ada is 36.")) - 1
    assert f'formwright_tokens_total{{kind="scored"}} {scored:.1f}' in metrics
