"""Free text of a service is asked for in no words, and is all of its answer, as it came."""

from __future__ import annotations

from typing import Any

import pytest

import formwright as fw
from formwright.errors import OutputTruncated
from formwright.generation import Complete, Truncated

from .conftest import Driven
from .scripted import DONE, chat, chunk, event, head, ok, usage

SAID = "\n  Well: ```[1]``` or [2], \n"


def test_nothing_is_said_and_nothing_is_left_out(driven: Driven, scripted: Any) -> None:
    server = scripted(lambda _: [ok(chat(SAID))])
    result = driven.connect(server.url).generate([{"role": "system", "content": "Be kind."}], fw.text())
    assert isinstance(result, Complete)
    assert (result.text, result.value, result.enforced) == (SAID, SAID, "checked")
    assert server.requests[0].json["messages"] == [{"role": "system", "content": "Be kind."}]
    assert "response_format" not in server.requests[0].json


def test_a_stream_of_it(driven: Driven, scripted: Any) -> None:
    chunks = [chunk(SAID[:9]), chunk(SAID[9:]), chunk("", "stop"), usage(1, 2)]
    server = scripted(lambda _: [head(), *map(event, chunks), DONE])
    pieces, result = driven.connect(server.url).stream("Hi", fw.text())
    assert "".join(piece.text for piece in pieces) == result.text == SAID


def test_one_that_was_cut(driven: Driven, scripted: Any) -> None:
    server = scripted(lambda _: [ok(chat(SAID, "length"))])
    result = driven.connect(server.url).generate("Hi", fw.text(), finish=False)
    assert isinstance(result, Truncated)
    assert (result.text, result.reason) == (SAID, "max_tokens")
    with pytest.raises(OutputTruncated):
        driven.connect(server.url).generate("Hi", fw.text())


@pytest.mark.parametrize("form", [fw.text(until="."), fw.text(max_chars=9)])
def test_text_with_an_end_is_told_in_words(driven: Driven, scripted: Any, form: Any) -> None:
    server = scripted(lambda _: [ok(chat("Well."))])
    assert driven.connect(server.url).generate("Hi", form).text == "Well."
    assert "response_format" in server.requests[0].json or len(server.requests[0].json["messages"]) == 2


def test_instruct_says_it_in_words(driven: Driven, scripted: Any) -> None:
    server = scripted(lambda _: [ok(chat("Well."))])
    assert driven.connect(server.url).generate("Hi", fw.text(), instruct=True).text == "Well."
    assert len(server.requests[0].json["messages"]) == 2
