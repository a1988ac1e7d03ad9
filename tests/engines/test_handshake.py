"""The proof that a host keeps to forms: hosts that do not are found out."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import formwright as fw
from formwright.engines.handshake import CANARIES, prove
from formwright.errors import HostMismatch
from formwright.models import LocalModel


def test_a_host_that_keeps_to_forms_passes() -> None:
    asked: list[str] = []
    prove("good", lambda text: asked.append(text) or text)  # type: ignore[func-returns-value]
    assert asked == list(CANARIES)


@pytest.mark.parametrize(
    "write",
    [
        lambda text: "7",  # it ignores forms, and happens to write the first canary
        lambda text: "3",
        lambda text: "",
        lambda text: text[: len(text) // 2],  # half of it
        lambda text: text + text,  # it goes on behind the end
        lambda text: text + "\n",
        lambda text: {"7": "3", "3": "7"}[text],  # one call late
    ],
)
def test_a_host_that_does_not_is_refused(write: Callable[[str], str]) -> None:
    with pytest.raises(HostMismatch, match="some host does not keep to forms") as raised:
        prove("some host", write)
    assert raised.value.host == "some host"
    assert "nothing was generated" in (raised.value.hint or "")


def test_the_error_names_both_texts_and_the_hint() -> None:
    with pytest.raises(HostMismatch, match=r"asked for '7'.*wrote 'Hi'") as raised:
        prove("some host", lambda text: "Hi", hint="upgrade it")
    assert raised.value.hint == "upgrade it"


def test_what_the_host_raises_is_its_own() -> None:
    def broken(text: str) -> str:
        raise RuntimeError("no device")

    with pytest.raises(RuntimeError, match="no device"):
        prove("some host", broken)


def test_no_model_writes_both_canaries_by_itself(tiny: LocalModel) -> None:
    """Whatever an unmasked model writes, it is one text; the canaries are two."""
    assert len(set(CANARIES)) == 2
    free = fw.regex(r"[\s\S]{1,8}")
    written = tiny.generate("Bo is 7 years old. How old is he?", free, max_tokens=1, finish=False).text
    with pytest.raises(HostMismatch):
        prove("unmasked", lambda text: written)
    prove("masked", lambda text: tiny.generate("Hi", fw.literal(text), max_tokens=4).text)
