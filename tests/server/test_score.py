"""Texts that are scored: as the model here scores them, among rows, and for clients that go away."""

from __future__ import annotations

import asyncio
import threading
import time
from typing import Any

import numpy as np
import pytest
from parameters import slow_except
from toys import RuleRuntime, byte_vocabulary

import formwright as fw
from formwright.generation.writing import Limits

httpx = pytest.importorskip("httpx")

from formwright.generation.batch import Separate  # noqa: E402
from formwright.generation.strategies.scoring import Scoring  # noqa: E402
from formwright.server import Settings, running  # noqa: E402
from formwright.server.worker import TextJob, Worker, _Scorings  # noqa: E402

from .conftest import MODEL  # noqa: E402
from .test_faults import LONG, SHORT, asked, counted, sent, wait_until  # noqa: E402

SKY = "Is the sky blue?"
TALK = [
    {"role": "user", "content": "Hi"},
    {"role": "assistant", "content": "Hello."},
    {"role": "user", "content": "Is it day?"},
]
WORDS = [f"{'abcdefgh' * 30}{number}" for number in range(128)]


def scoring(texts: list[str], prompt: Any = SKY, **fields: Any) -> dict[str, Any]:
    messages = [{"role": "user", "content": prompt}] if isinstance(prompt, str) else prompt
    return {"model": MODEL, "messages": messages, "score": texts} | fields


@pytest.mark.parametrize("fields", [{}, {"canonical": False}, {"canonical": True, "max_tokens": 1, "n": 1}])
@pytest.mark.parametrize("texts", [["yes", "no", "yesterday"], ["no"], ["10", "9", "", "ü 😀", "9"]])
@pytest.mark.parametrize("prompt", [SKY, TALK])
def test_scores_are_those_of_the_model(
    served: Any, tiny: fw.models.LocalModel, prompt: Any, texts: list[str], fields: Any
) -> None:
    answer = asked(served.url, scoring(texts, prompt, **fields)).json()
    expected = tiny.score(prompt, texts, canonical=fields.get("canonical", True))
    assert list(answer["formwright"]["scores"].items()) == list(expected.items())
    assert answer["choices"][0]["message"]["content"] == max(expected, key=expected.__getitem__)
    assert (answer["choices"][0]["finish_reason"], answer["usage"]["completion_tokens"]) == ("stop", 0)
    assert answer["formwright"]["complete"] is True


@pytest.mark.parametrize(
    ("fields", "param", "code"),
    [
        ({"score": []}, "score", "invalid_value"),
        ({"score": "yes"}, "score", "invalid_value"),
        ({"score": [1]}, "score[0]", "invalid_value"),
        ({"score": ["a"] * 129}, "score", "invalid_value"),
        ({"score": ["a" * 20_000, "b" * 20_000]}, "score", "invalid_value"),
        ({"canonical": "forced"}, "canonical", "invalid_value"),
        ({"stream": True}, "stream", "invalid_value"),
        ({"n": 2}, "n", "invalid_value"),
        ({"stop": "x"}, "stop", "invalid_value"),
        ({"temperature": 0}, "temperature", "invalid_value"),
        ({"seed": 1}, "seed", "invalid_value"),
        ({"logit_bias": {"1": 1}}, "logit_bias", "invalid_value"),
        ({"logprobs": True}, "logprobs", "invalid_value"),
        ({"trace": True}, "trace", "invalid_value"),
        ({"reasoning_effort": "low"}, "reasoning_effort", "invalid_value"),
        ({"tools": [{"type": "function", "function": {"name": "f"}}]}, "tools", "invalid_value"),
        ({"response_format": {"type": "text"}}, "response_format", "invalid_value"),
        ({"guided_choice": ["yes"]}, "guided_choice", "invalid_value"),
        ({"structured_outputs": {"choice": ["yes"]}}, "structured_outputs", "invalid_value"),
        ({"score": ["a", "word " * 3000]}, "messages", "context_length_exceeded"),
        ({"score": ["yes, it is so and has been"], "canonical": False}, "score", "spellings_exceeded"),
    ],
)
def test_what_does_not_go_with_scores_is_a_400_that_names_it(
    served: Any, fields: Any, param: str | None, code: str
) -> None:
    answer = asked(served.url, scoring(["yes"]) | fields)
    error = answer.json()["error"]
    assert (answer.status_code, error["param"], error["code"]) == (400, param, code), error


@pytest.mark.parametrize("path", ["responses", "completions"])
def test_scores_are_of_chat_completions(served: Any, path: str) -> None:
    body = {"model": MODEL, "input": SKY, "prompt": SKY, "score": ["yes"]}
    body.pop({"responses": "prompt", "completions": "input"}[path])
    answer = httpx.post(f"{served.base_url}/{path}", json=body)
    assert (answer.status_code, answer.json()["error"]["param"]) == (400, "score")


def test_every_field_of_writing_is_refused_beside_scores() -> None:
    """A field that is new is refused too, unless somebody says that it goes with scores."""
    from formwright.server.reading.requests import _BESIDE_SCORE, ChatBody, make_scoring_body

    base = ChatBody.model_validate(scoring(["yes"]))
    for name in ChatBody.model_fields.keys() - _BESIDE_SCORE:
        with pytest.raises(Exception, match=f"{name} cannot be combined with score"):
            make_scoring_body(ChatBody.model_construct(**(vars(base) | {name: object()})))


@pytest.mark.parametrize("rounds", slow_except([1], [1, 3]))
def test_scores_and_rows_do_not_touch_each_other(served: Any, tiny: fw.models.LocalModel, rounds: int) -> None:
    greedy = LONG | {"guided_regex": "[a-z]{120}", "temperature": 0}
    alone = asked(served.url, greedy).json()["choices"]
    expected = tiny.score(SKY, WORDS[:20])
    found: list[Any] = []
    bodies = [scoring(WORDS[:20]), greedy, scoring(["yes", "no"]), greedy] * rounds
    threads = [
        threading.Thread(target=lambda body=body: found.append(asked(served.url, body).json())) for body in bodies
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    few = tiny.score(SKY, ["yes", "no"])
    counts = sorted(len(answer["formwright"].get("scores", "")) for answer in found)
    assert counts == sorted([0, 0, 2, 20] * rounds)
    for answer in found:
        scores = answer["formwright"].get("scores")
        assert answer["choices"] == alone if scores is None else scores in (expected, few)


def test_a_client_that_goes_away_ends_its_scores(tiny: fw.models.LocalModel) -> None:
    with running(tiny, Settings(max_batch=1)) as state:
        worker = state.app.state.server.worker
        with sent(state.url, scoring(WORDS)):
            wait_until(lambda: worker.running_count == 1)
        wait_until(lambda: worker.running_count == 0)
        wait_until(lambda: counted(state.url, 'formwright_requests_total{endpoint="chat",status="499"}') == 1)
        whole = sum(len(tiny.encode(word)) for word in WORDS)
        assert counted(state.url, 'formwright_tokens_total{kind="scored"}') < whole / 2
        assert asked(state.url, SHORT).status_code == 200


def test_scores_take_the_room_of_a_row_and_wait_like_one(tiny: fw.models.LocalModel) -> None:
    with running(tiny, Settings(max_batch=1, max_waiting=1)) as state:
        worker = state.app.state.server.worker
        with sent(state.url, scoring(WORDS)):
            wait_until(lambda: worker.running_count == 1)
            with sent(state.url, scoring(WORDS)):
                wait_until(lambda: worker.waiting_count == 1)
                assert worker.running_count == 1
                answer = asked(state.url, scoring(["yes"]))
                assert (answer.status_code, answer.json()["error"]["code"]) == (503, "queue_full")
        wait_until(lambda: worker.running_count == worker.waiting_count == 0)


def test_scores_have_an_end_in_time_and_with_the_server(tiny: fw.models.LocalModel) -> None:
    with running(tiny, Settings(timeout=0.05)) as state:
        assert asked(state.url, scoring(WORDS)).json()["error"]["code"] == "timeout"
        wait_until(lambda: state.app.state.server.worker.running_count == 0)
    found: list[Any] = []
    with running(tiny) as state:
        server = state.app.state.server
        thread = threading.Thread(target=lambda: found.append(asked(state.url, scoring(WORDS))))
        thread.start()
        wait_until(lambda: server.worker.running_count == 1)
        server.end()
        thread.join()
    assert (found[0].status_code, found[0].json()["error"]["code"]) == (503, "shutting_down")


def bytes_model(logits: Any) -> fw.models.LocalModel:
    """A model of bytes that has no batch, whose logits after a token are chosen by a test."""
    runtime = RuleRuntime(lambda _, last: logits(last), context=100)
    return fw.models.LocalModel(MODEL, runtime, byte_vocabulary(), lambda prompt: [1, 2])


def test_minus_infinity_is_null() -> None:
    def never_z(_: Any) -> Any:
        return np.where(np.arange(257) == ord("z"), -np.inf, 0.0).astype(np.float32)

    model = bytes_model(never_z)
    with running(model) as state:
        answer = asked(state.url, scoring(["z", "a"], canonical=False)).json()
    assert model.score(SKY, ["z", "a"], canonical=False)["z"] == -np.inf
    assert answer["formwright"]["scores"] == {"z": None, "a": pytest.approx(-2 * np.log(256))}
    assert answer["choices"][0]["message"]["content"] == "a"


def test_logits_that_are_no_numbers_give_no_scores() -> None:
    with running(bytes_model(lambda _: np.full(257, np.nan, np.float32))) as state:
        answer = asked(state.url, scoring(["a"], canonical=False))
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "DeadEnd")


def job_of(model: fw.models.LocalModel, texts: list[str], turns: Any) -> TextJob:
    constraint = fw.compile(fw.choice(texts), model.vocabulary)
    return TextJob("a", model.make_scoring([1, 2], constraint, texts), turns=turns)


def test_a_model_that_fails_at_a_score_ends_nothing_else() -> None:
    def fails_at_z(token_id: int) -> Any:
        if token_id == ord("z"):
            raise RuntimeError("the card is gone")
        return np.zeros(257, np.float32)

    model = bytes_model(fails_at_z)

    async def ends() -> list[Any]:
        worker, turns = Worker(lambda: Separate(model.runtime), rows=3, waiting=9), asyncio.Queue[Any]()
        task = model.make_task("Hi", model.compile_form(fw.regex("[a-y]{40}")), Limits(max_tokens=90))
        row = TextJob("a", task.make_writing(fw.generation.Sampler(), False), turns=turns)
        worker.submit([job_of(model, ["a", "z"], turns), job_of(model, ["a", "b"], turns), row])
        worker.start(asyncio.get_running_loop())
        found = [await turns.get() for _ in range(3)]
        await asyncio.to_thread(worker.stop)
        return found

    found = asyncio.run(asyncio.wait_for(ends(), 30))
    assert sorted(type(turn.error).__name__ for turn in found) == ["NoneType", "NoneType", "RuntimeError"]


def test_scores_that_nobody_waits_for_are_not_asked_for() -> None:
    asked_of: list[int] = []
    is_there, goes_on = threading.Event(), threading.Event()

    def waits_at_a(token_id: int) -> Any:
        asked_of.append(token_id)
        if token_id == ord("a"):
            is_there.set()
            goes_on.wait(20)
        return np.zeros(257, np.float32)

    model = bytes_model(waits_at_a)

    async def ends() -> None:
        worker, turns = Worker(lambda: Separate(model.runtime), rows=2, waiting=9), asyncio.Queue[Any]()
        left = job_of(model, ["a", "b", "c"], turns)
        worker.submit([left])
        worker.start(asyncio.get_running_loop())
        await asyncio.to_thread(is_there.wait, 20)
        worker.cancel(left)
        worker.submit([job_of(model, ["d"], turns)])
        goes_on.set()
        assert (await turns.get()).result.text == "d"
        await asyncio.to_thread(worker.stop)

    asyncio.run(asyncio.wait_for(ends(), 30))
    assert asked_of == [2, ord("a"), 2, ord("d")]


def test_scores_beyond_the_rows_wait() -> None:
    asked_of: list[int] = []

    def make_row(token_id: int) -> Any:
        asked_of.append(token_id)
        return np.zeros(257, np.float32)

    model = bytes_model(make_row)

    async def ends() -> None:
        worker, turns = Worker(lambda: Separate(model.runtime), rows=1, waiting=9), asyncio.Queue[Any]()
        worker.submit([job_of(model, ["a", "b", "c"], turns), job_of(model, ["d"], turns)])
        worker.start(asyncio.get_running_loop())
        assert [(await turns.get()).result.text for _ in range(2)] == ["a", "d"]
        await asyncio.to_thread(worker.stop)

    asyncio.run(asyncio.wait_for(ends(), 30))
    assert asked_of == [2, *b"abc", 2, *b"d"]


def test_scores_take_turns_and_leave_time_to_rows() -> None:
    asked_of: list[int] = []

    def slow(token_id: int) -> Any:
        asked_of.append(token_id)
        time.sleep(0.05)
        return np.zeros(257, np.float32)

    model, scorings = bytes_model(slow), _Scorings()
    for texts in (["a", "b"], ["c"]):
        job = job_of(model, texts, None)
        assert isinstance(job.writing, Scoring)
        scorings.submit(job, job.writing)
    assert scorings.step(is_alone=False) == []
    assert len(asked_of) == 1
    assert scorings.step(is_alone=False) == []  # the rows are due
    assert len(asked_of) == 1
    over = [turn.result.text for _ in range(4) for turn in scorings.step(is_alone=True)]
    assert asked_of == [2, 2, ord("a"), ord("c"), ord("b")]
    assert (over, len(scorings)) == (["c", "a"], 0)
