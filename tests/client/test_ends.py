"""Only an end that is known to be good makes an answer complete; everything else is cut, refused or an error."""

from __future__ import annotations

import json
from typing import Any

import pytest
from toys import Person

from formwright.client.flow.steps import TextQuery
from formwright.client.transport.event_reader import EventReader
from formwright.client.wires import WIRES
from formwright.errors import OutputTruncated, Refused, RequestFailed

from .conftest import Driven
from .scripted import DONE, chat, chunk, event, head, ok

ADA = '{"name": "Ada", "age": 36}'
PROMPT = "Ada is 36 years old."


def message(reason: Any) -> dict[str, Any]:
    return {"type": "message", "content": [{"type": "text", "text": ADA}], "stop_reason": reason}


def candidate(reason: Any) -> dict[str, Any]:
    return {"candidates": [{"content": {"parts": [{"text": ADA}]}, "finishReason": reason}]}


def response(status: Any, reason: Any = None) -> dict[str, Any]:
    item = {"type": "message", "content": [{"type": "output_text", "text": ADA}]}
    return {"output": [item], "status": status, "incomplete_details": reason and {"reason": reason}}


BODIES = {"openai": lambda reason: chat(ADA, reason), "anthropic": message, "gemini": candidate, "responses": response}


@pytest.mark.parametrize(
    ("api", "reason"),
    [
        *(("openai", reason) for reason in ("error", "abort", "insufficient_system_resource", "repetition")),
        *(("openai", reason) for reason in (None, "", 7)),
        *(("anthropic", reason) for reason in ("pause_turn", "compaction", None)),
        *(("gemini", reason) for reason in ("MALFORMED_RESPONSE", "MISSING_THOUGHT_SIGNATURE", "NO_IMAGE", None)),
        *(("gemini", reason) for reason in ("FINISH_REASON_UNSPECIFIED", "TOO_MANY_TOOL_CALLS", "OTHER")),
        *(("responses", status) for status in ("cancelled", "in_progress", "queued", None)),
    ],
)  # fmt: skip
def test_an_end_that_is_not_known_to_be_good_is_an_error(api: str, reason: Any) -> None:
    with pytest.raises(RequestFailed, match="end"):
        WIRES[api].read_reply(BODIES[api](reason))


@pytest.mark.parametrize(
    ("api", "reason", "end"),
    [
        *(("openai", reason, "length") for reason in ("max_tokens", "MAX_TOKENS", "model_length")),
        *(("openai", reason, "content_filter") for reason in ("SAFETY", "content_filter: OTHER", "sensitive")),
        *(("openai", reason, "stop") for reason in ("eos", "STOP", "end_turn", "function_call")),
        *(("gemini", reason, "content_filter") for reason in ("IMAGE_SAFETY", "MODEL_ARMOR")),
    ],
)
def test_ends_of_servers_that_hand_on_those_of_others(api: str, reason: str, end: str) -> None:
    assert WIRES[api].read_reply(BODIES[api](reason)).end == end


@pytest.mark.parametrize("reason", ["steered", "max_messages"])
def test_a_response_that_is_incomplete_for_a_reason_of_its_own(reason: str) -> None:
    with pytest.raises(RequestFailed, match=reason):
        WIRES["responses"].read_reply(response("incomplete", reason))
    assert WIRES["responses"].read_reply(response("incomplete")).end == "length"


@pytest.mark.parametrize("is_stream", [False, True])
@pytest.mark.parametrize(
    ("reason", "error"),
    [("abort", RequestFailed), ("error", RequestFailed), ("max_tokens", OutputTruncated), ("SAFETY", Refused)],
)
def test_a_text_in_form_is_complete_only_after_a_good_end(
    driven: Driven, scripted: Any, reason: str, error: type[Exception], is_stream: bool
) -> None:
    """A number may be cut where it seems to be whole."""
    events = [head(), event(chunk("12")), event(chunk(finish=reason)), DONE]
    server = scripted((lambda _: events) if is_stream else ok(chat("12", reason)))
    model = driven.connect(server.url, mode="instructions")
    with pytest.raises(error):
        (model.stream if is_stream else model.generate)(PROMPT, int)


def test_a_request_that_was_aborted_is_sent_again(driven: Driven, scripted: Any) -> None:
    server = scripted(ok(chat(ADA[:9], "abort")), ok(chat(ADA)))
    assert driven.connect(server.url, request_retries=1).generate(PROMPT, Person).value.age == 36


def streamed(api: str, events: list[Any]) -> Any:
    collector = WIRES[api].make_collector(TextQuery(model="m", messages=[], mode="strict"))
    text = "".join(map(collector.feed, events))
    return text, collector.reply


ANTHROPIC = [
    {"type": "message_start", "message": {"content": [], "stop_reason": None}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": ADA}},
    {"type": "message_delta", "delta": {"stop_reason": "end_turn"}},
    {"type": "message_stop"},
]


def test_a_stream_without_the_reason_of_its_end() -> None:
    assert streamed("anthropic", ANTHROPIC)[1].text == ADA
    with pytest.raises(RequestFailed, match="does not say why"):
        streamed("anthropic", [event for event in ANTHROPIC if event["type"] != "message_delta"])


def test_a_piece_of_a_block_that_has_not_begun() -> None:
    with pytest.raises(RequestFailed, match="has not begun"):
        streamed("anthropic", [ANTHROPIC[0], *ANTHROPIC[2:]])


def test_a_response_that_is_cancelled_in_its_stream() -> None:
    with pytest.raises(RequestFailed, match="cancelled"):
        streamed("responses", [{"type": "response.cancelled", "response": response("cancelled")}])


def test_text_that_comes_as_parts(driven: Driven, scripted: Any) -> None:
    thought = {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}
    pieces = [[{"type": "text", "text": ADA[:9]}], [thought, {"type": "text", "text": ADA[9:]}]]
    events = [*(chunk(piece) for piece in pieces), chunk(finish="stop")]
    server = scripted(lambda _: [head(), *map(event, events), DONE])
    given, result = driven.connect(server.url).stream(PROMPT, Person)
    assert "".join(piece.text for piece in given) == result.text == ADA
    whole = scripted(ok(chat(pieces[0] + pieces[1])))
    assert driven.connect(whole.url).generate(PROMPT, Person).text == ADA


@pytest.mark.parametrize("delta", [{"content": 7}, {"content": [{"type": "audio"}]}, {"tool_calls": 7}, []])
def test_pieces_that_are_something_else_are_errors(delta: Any) -> None:
    with pytest.raises(RequestFailed):
        streamed("openai", [{"choices": [{"index": 0, "delta": delta, "finish_reason": None}]}])


@pytest.mark.parametrize("arguments", [json.loads(ADA), ADA])
def test_arguments_that_come_decoded(driven: Driven, scripted: Any, arguments: Any) -> None:
    call = {"index": 0, "id": "c", "function": {"name": "Person", "arguments": arguments}}
    events = [chunk(tool_calls=[call]), chunk(finish="tool_calls")]
    server = scripted(lambda _: [head(), *map(event, events), DONE])
    _, result = driven.connect(server.url, mode="tools").stream(PROMPT, Person)
    assert result.value == Person(name="Ada", age=36)


@pytest.mark.parametrize("size", [1, 2, 5, 1000])
def test_a_byte_order_mark_hides_no_event(size: int) -> None:
    data = b"\xef\xbb\xbf" + b'data: {"a": 1}\n\ndata: {"b": 2}\n\n'
    reader = EventReader()
    found = [one for at in range(0, len(data), size) for one in reader.feed(data[at : at + size])]
    assert found == [{"a": 1}, {"b": 2}]
