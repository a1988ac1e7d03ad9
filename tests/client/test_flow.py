"""One answer as steps, driven by hand: no sockets, and no sleeping."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toys import Person

import formwright as fw
from formwright._retries import Sleep
from formwright.client.flow.pieces import Piece
from formwright.client.flow.remote_job import RemoteJob
from formwright.client.flow.request_flow import answer_job
from formwright.client.flow.steps import Close, Keep, Next, Open, Recall, Response, Send, TextQuery
from formwright.client.plans.plan import make_plan
from formwright.client.plans.services import SERVICES
from formwright.client.wires import WIRES
from formwright.errors import AttemptsExhausted, FormwrightError, LimitExceeded, OutputInvalid, RequestFailed

from .scripted import DONE, call, chat, chunk, event, usage

ADA = '{"name": "Ada", "age": 36}'
FORM = fw.form(Person)
BAD_FORMAT = Response(400, {"error": {"message": "response_format is not supported"}})


def job(api: str = "openai", *modes: str, is_stream: bool = False, form: Any = FORM, **options: Any) -> RemoteJob:
    query = TextQuery(model="m", messages=[{"role": "user", "content": "Hi"}], mode="strict", is_stream=is_stream)
    service = SERVICES["compatible"]
    options = {"modes": modes or ("strict",), "plan": lambda mode: make_plan(form, mode, service)} | options
    return RemoteJob(wire=WIRES[api], query=query, **options)


class Driven:
    """What a flow asked for, and its result."""

    def __init__(self, job: RemoteJob, answers: Iterable[Any] = (), stream: Iterable[Any] = (), **known: Any) -> None:
        self.steps: list[Any] = []
        self.pieces: list[Piece] = []
        self.known = known
        self._answers, self._stream = iter(answers), iter(stream)
        flow, brought = answer_job(job), None
        try:
            while True:
                brought = self._done(flow.send(brought))
        except StopIteration as stop:
            self.result = stop.value
        except FormwrightError as error:
            self.error = error

    def _done(self, step: Any) -> Any:
        if isinstance(step, Piece):
            self.pieces.append(step)
            return None
        self.steps.append(step)
        if isinstance(step, Send | Open):
            return next(self._answers)
        if isinstance(step, Next):
            return next(self._stream, None)
        return self.known.get(step.key) if isinstance(step, Recall) else None

    def of(self, kind: type[Any]) -> list[Any]:
        return [step for step in self.steps if isinstance(step, kind)]

    @property
    def bodies(self) -> list[Any]:
        return [step.request.body for step in self.of(Send)]


def ok(content: Any, *args: Any, **message: Any) -> Response:
    return Response(200, chat(content, *args, **message))


def test_the_steps_of_a_right_answer() -> None:
    driven = Driven(job(), [ok(ADA)])
    assert [type(step) for step in driven.steps] == [Send]
    assert driven.result.value == Person(name="Ada", age=36)


def test_modes_are_tried_in_order_with_a_note_for_each() -> None:
    modes = ("strict", "tools", "json_object", "instructions")
    driven = Driven(job("openai", *modes), [BAD_FORMAT] * 3 + [ok(ADA)])
    assert driven.result.exchange.mode == "instructions"
    assert [note.partition(":")[0] for note in driven.result.exchange.notes] == [f"not {mode}" for mode in modes[:3]]
    assert ["response_format" in body for body in driven.bodies] == [True, False, True, False]
    assert driven.result.model_calls == 1


def test_the_last_mode_raises() -> None:
    driven = Driven(job("openai", "strict", "tools"), [BAD_FORMAT] * 2)
    assert isinstance(driven.error, RequestFailed)
    assert driven.error.status == 400


def test_a_form_without_schema_goes_to_the_mode_that_takes_it() -> None:
    form = fw.template("Name: {name}", name=fw.regex("[A-Z][a-z]+"))
    driven = Driven(job("openai", "strict", "instructions", form=form), [ok("Name: Ada")])
    assert driven.result.exchange.mode == "instructions"
    assert driven.result.exchange.notes[0].startswith("not strict")


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 503, 529])
def test_requests_are_sent_again_after_as_long_as_the_service_says(status: int) -> None:
    driven = Driven(job(), [Response(status, b"busy", {"Retry-After": "7"}), ok(ADA)])
    assert driven.of(Sleep) == [Sleep(7.0)]
    assert driven.result.value.age == 36


def test_pauses_grow_where_the_service_says_nothing() -> None:
    driven = Driven(job(request_retries=4), [Response(500, b"")] * 5)
    seconds = [step.seconds for step in driven.of(Sleep)]
    assert seconds == sorted(seconds)
    assert 0.5 <= seconds[0] <= 1.0
    assert isinstance(driven.error, RequestFailed)


@pytest.mark.parametrize("said", ["nan", "inf", "-5", "soon", "", "9" * 400, "Wed, 99 Foo 2020"])
def test_a_pause_is_a_number_of_seconds(said: str) -> None:
    driven = Driven(job(request_retries=1), [Response(429, b"", {"retry-after": said}), ok(ADA)])
    assert all(0 < step.seconds < 1e9 for step in driven.of(Sleep))
    assert driven.result.value.age == 36


def test_no_pause_outlasts_the_budget_of_time() -> None:
    driven = Driven(job(time_budget=5.0, clock=lambda: 0.0), [Response(429, b"", {"retry-after": "3600"}), ok(ADA)])
    assert driven.of(Sleep) == [] or driven.of(Sleep)[0].seconds <= 5


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 302])
def test_other_failures_are_not_sent_again(status: int) -> None:
    driven = Driven(job(), [Response(status, b"no")])
    assert isinstance(driven.error, RequestFailed)
    assert driven.of(Sleep) == []


def test_wrong_answers_are_asked_for_again_with_what_was_wrong() -> None:
    driven = Driven(job(max_retries=2), [ok("no"), ok('{"name": 1}'), ok(ADA)])
    assert [len(body["messages"]) for body in driven.bodies] == [1, 3, 5]
    assert driven.result.model_calls == 3
    assert driven.result.exchange.usage.total_tokens == 45


def test_a_call_that_was_wrong_is_answered_as_a_tool_answers() -> None:
    wrong, right = (ok(None, "tool_calls", tool_calls=[call("Person", text)]) for text in ('{"name": 1}', ADA))
    driven = Driven(job("openai", "tools", max_retries=1), [wrong, right])
    said, complaint = driven.bodies[1]["messages"][1:]
    assert said["tool_calls"][0]["function"]["arguments"] == '{"name": 1}'
    assert (complaint["role"], complaint["tool_call_id"]) == ("tool", "call_0")


def test_a_budget_of_tokens() -> None:
    driven = Driven(job(max_retries=9, token_budget=30), [ok("no")] * 9)
    assert isinstance(driven.error, AttemptsExhausted)
    assert isinstance(driven.error.__cause__, LimitExceeded)
    assert len(driven.bodies) == 2


def test_a_budget_of_time_is_what_each_step_may_take() -> None:
    times = iter([0.0, 1.0, 4.0, 11.0])
    driven = Driven(job(max_retries=9, time_budget=10.0, clock=lambda: next(times)), [ok("no")] * 9)
    assert [step.timeout for step in driven.of(Send)] == [9.0, 6.0]
    assert driven.error.__cause__.limit == "time_budget"


def chunks(text: str, size: int = 4) -> list[bytes]:
    texts = [text[at : at + size] for at in range(0, len(text), size)]
    return [*(event(chunk(piece)) for piece in texts), event(chunk(finish="stop")), event(usage(10, 5)), DONE]


def test_the_steps_of_a_stream() -> None:
    driven = Driven(job(is_stream=True), [Response(200, b"")], chunks(ADA))
    assert type(driven.steps[0]) is Open
    assert type(driven.steps[-1]) is Close
    assert "".join(piece.text for piece in driven.pieces) == ADA
    assert driven.result.value == Person(name="Ada", age=36)
    assert driven.result.exchange.usage.total_tokens == 15


def test_nothing_is_sent_again_once_a_piece_is_shown() -> None:
    driven = Driven(job(is_stream=True), [Response(200, b"")], chunks(ADA)[:2])
    assert isinstance(driven.error, RequestFailed)
    assert driven.of(Sleep) == []
    early = Driven(job(is_stream=True, request_retries=1), [Response(200, b"")] * 2, [None, *chunks(ADA)])
    assert early.result.value.age == 36


@pytest.mark.parametrize("at", range(9))
def test_a_cancelled_stream_is_closed(at: int) -> None:
    asked = iter(range(100))
    driven = Driven(job(is_stream=True, cancel=lambda: next(asked) == at), [Response(200, b"")], chunks(ADA))
    text = "".join(piece.text for piece in driven.pieces)
    assert type(driven.steps[-1]) is Close
    if at < 7:
        assert (driven.result.text, driven.result.reason) == (text, "cancel")
    else:
        assert driven.result.value.age == 36


def test_the_cache_is_asked_first_and_told_last() -> None:
    cached = job(cache_key=lambda _: "k")
    driven = Driven(cached, [ok(ADA)])
    assert [type(step) for step in driven.steps] == [Recall, Send, Keep]
    again = Driven(cached, k=driven.of(Keep)[0].body)
    assert [type(step) for step in again.steps] == [Recall]
    assert again.result.value == driven.result.value


@pytest.mark.parametrize("body", [{}, {"choices": 7}, chat("no longer in form"), chat(None, refusal="No.")])
def test_what_the_cache_holds_is_checked(body: Any) -> None:
    driven = Driven(job(cache_key=lambda _: "k"), [ok(ADA)], k=body)
    assert isinstance(driven.error, FormwrightError) if hasattr(driven, "error") else driven.result.value.age == 36


def test_an_answer_that_is_wrong_is_not_kept() -> None:
    wrong = Driven(job(cache_key=lambda _: "k"), [ok("no")])
    assert isinstance(wrong.error, OutputInvalid)
    assert wrong.of(Keep) == []
    mended = Driven(job(cache_key=lambda _: "k", max_retries=1), [ok("no"), ok(ADA)])
    assert mended.of(Recall) == [Recall("k")]
    assert mended.of(Keep) == [Keep("k", chat(ADA))]
    cut = Driven(job(cache_key=lambda _: "k"), [ok(ADA[:9], "length")])
    assert cut.of(Keep) == []


def cut(data: bytes, places: Iterable[int]) -> list[bytes]:
    ends = [0, *sorted(place % (len(data) + 1) for place in places), len(data)]
    return [data[start:end] for start, end in pairwise(ends)]


def words(text: str) -> st.SearchStrategy[str]:
    return st.sampled_from(text.split())


NAMES = words(
    "choices message delta content tool_calls function arguments name index id usage error finish_reason output type "
    "text candidates parts functionCall args finishReason promptFeedback content_block stop_reason response "
    "partial_json thought usageMetadata input refusal status incomplete_details"
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES | st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)
TYPES = words(
    "message_start content_block_start content_block_delta message_delta message_stop error response.completed "
    "response.failed response.output_text.delta message function_call tool_use text output_text"
)
LIKELY = st.recursive(
    st.none() | st.integers(-1, 2) | st.sampled_from(["", ADA, "Person", "stop"]) | TYPES,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(NAMES, inner, max_size=6),
    max_leaves=20,
)
BODIES = st.binary(max_size=60) | (JSON | LIKELY).map(lambda value: json.dumps(value).encode())
APIS = st.sampled_from(list(WIRES))
MODES = st.sampled_from(["strict", "tools", "json_object", "instructions"])


@given(APIS, MODES, BODIES, st.sampled_from([200, 400, 429, 500]))
def test_any_body_is_an_error_or_a_result(api: str, mode: str, body: bytes, status: int) -> None:
    Driven(job(api, mode, request_retries=0, max_retries=1), [Response(status, body)] * 2)


@given(APIS, MODES, st.lists(BODIES, max_size=5), st.lists(st.integers(0, 9999), max_size=4))
def test_any_stream_is_an_error_or_a_result(api: str, mode: str, bodies: list[bytes], places: list[int]) -> None:
    data = b"".join(b"data: " + body + b"\n\n" for body in bodies)
    Driven(job(api, mode, is_stream=True, request_retries=0), [Response(200, b"")], cut(data, places))


@given(st.lists(st.integers(0, 9999), max_size=12), st.sampled_from(["\n", "\r\n"]), st.text(max_size=9))
def test_a_stream_is_the_same_however_it_is_cut(places: list[int], newline: str, name: str) -> None:
    text = json.dumps({"name": name, "age": 36}, ensure_ascii=False).encode("utf-8", "replace").decode()
    data = b"".join(chunks(text, 3)).replace(b"\n", newline.encode())
    driven = Driven(job(is_stream=True), [Response(200, b"")], cut(data, places))
    assert "".join(piece.text for piece in driven.pieces) == driven.result.text == text
    assert driven.result.value == Person(**json.loads(text))
    whole = Driven(job(), [Response(200, json.dumps(chat(text)).encode())]).result
    assert (whole.text, whole.value) == (text, driven.result.value)


def test_what_is_told() -> None:
    told: list[str] = []
    tell: Callable[..., None] = lambda name, *_: told.append(name)  # noqa: E731
    Driven(replace(job(max_retries=1), emit=tell), [ok("no"), ok(ADA)])
    attempt = ["completion:kwargs", "completion:response", "completion:usage"]
    assert told == [*attempt, "parse:error", *attempt]


@pytest.mark.parametrize(
    ("headers", "enforced"),
    [
        ({"Formwright-Enforced": "checked"}, "checked"),
        ({"formwright-enforced": "kernel"}, "server"),
        ({"formwright-enforced": "server"}, "server"),
        ({"formwright-enforced": "magic"}, "server"),
        ({"formwright-backend": "1"}, "server"),
    ],
)
def test_a_stamp_says_who_enforced(headers: dict[str, str], enforced: str) -> None:
    driven = Driven(job(), [Response(200, chat(ADA), headers)])
    assert driven.result.enforced == enforced
    assert driven.result.value == Person(name="Ada", age=36)


def test_a_stamp_does_not_replace_the_check() -> None:
    driven = Driven(job(), [Response(200, chat('{"name": 5}'), {"formwright-enforced": "checked"})])
    assert isinstance(driven.error, OutputInvalid)
