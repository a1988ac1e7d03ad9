"""Tokenizers, services and styles of tool calls that users register."""

from __future__ import annotations

from typing import Any

import pytest

import formwright as fw
from formwright.errors import ArgumentError, VocabularyError
from formwright.tokenizers import Spelling
from formwright.tools import Style, style_of

LETTERS = [bytes([byte]) for byte in range(256)]


class Letters:
    """A tokenizer whose tokens are the bytes."""

    def encode(self, text: str) -> list[int]:
        return list(text.encode())


pytestmark = pytest.mark.usefixtures("registrations")


def spelling_of(letters: list[bytes], tokenizer: Letters) -> Spelling:
    tokens: list[bytes | None] = [*letters, None]
    return Spelling(tokens=tokens, special_tokens={"<end>": 256}, ends=frozenset({256}), encode=tokenizer.encode)


def read_letters(tokenizer: Letters) -> Spelling:
    return spelling_of(LETTERS, tokenizer)


def test_a_registered_tokenizer_is_read() -> None:
    with pytest.raises(VocabularyError, match="is of no known family"):
        fw.Vocabulary.from_tokenizer(Letters())
    fw.register_tokenizer(__name__.partition(".")[0], read_letters)
    vocabulary = fw.Vocabulary.from_tokenizer(Letters())
    matcher = fw.compile(fw.choice("yes", "no"), vocabulary).matcher()
    matcher.accept_tokens(list(b"yes"))
    assert matcher.accepted_bytes == b"yes"
    with pytest.raises(VocabularyError, match="not known how it merges") as caught:
        fw.compile(int, vocabulary, canonical=True)
    assert caught.value.hint == "pass read_merges= to fw.register_tokenizer"


def test_a_registered_tokenizer_that_spells_otherwise_is_refused() -> None:
    wrong = LETTERS[::-1]
    fw.register_tokenizer(__name__.partition(".")[0], lambda tokenizer: spelling_of(wrong, tokenizer))
    with pytest.raises(VocabularyError):
        fw.Vocabulary.from_tokenizer(Letters())


def test_a_registered_service_is_known_by_its_host_and_its_name() -> None:
    service = fw.client.Service("mine", ("api.mine.example",), modes=("json_object", "instructions"), key="MINE_KEY")
    fw.register_service(service)
    assert fw.connect("https://api.mine.example/v1", "m").service is service
    assert fw.connect("http://127.0.0.1:9/v1", "m", service="mine").service is service


def test_a_registered_style_is_written_and_recognised() -> None:
    style = Style(before="CALL ", between=" WITH ", after=";", trigger="CALL ", signs=("CALL ", " WITH "))
    fw.register_style("shout", style)
    assert style_of("{% if tools %}CALL name WITH arguments;{% endif %}") == "shout"

    def add(first: int, second: int) -> int:
        return first + second

    form = fw.tools([add], style="shout", calls="one", whitespace="compact")
    (call,) = form.parse('CALL add WITH {"first":1,"second":2};')
    assert call.run() == 3


@pytest.mark.parametrize(
    ("register", "argument"),
    [
        (lambda: fw.register_tokenizer("", read_letters), "package"),
        (lambda: fw.register_tokenizer("a.b", read_letters), "package"),
        (lambda: fw.register_tokenizer("mine", None), "read"),  # type: ignore[arg-type]
        (lambda: fw.register_tokenizer("mine", read_letters, read_merges=3), "read_merges"),  # type: ignore[arg-type]
        (lambda: fw.register_service("openai"), "service"),  # type: ignore[arg-type]
        (lambda: fw.register_service(fw.client.Service("", ())), "service"),
        (lambda: fw.register_style("", Style(before="a", between="b")), "name"),
        (lambda: fw.register_style("{mine}", Style(before="a", between="b")), "name"),
        (lambda: fw.register_style("mine", "hermes"), "style"),  # type: ignore[arg-type]
    ],
)
def test_what_cannot_be_registered_is_refused(register: Any, argument: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        register()
    assert caught.value.argument == argument
