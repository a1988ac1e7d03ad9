"""Answers that are kept on disk."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, model_validator

import formwright as fw

pytest.importorskip("diskcache", reason="diskcache is not installed")

from formwright.client import AnswerCache
from formwright.errors import OutputInvalid, OutputTruncated

from .conftest import Driven, Person
from .scripted import Scripted, chat, ok

ADA = '{"name": "Ada", "age": 36}'
PROMPT = "Ada is 36 years old."


@pytest.fixture
def caches(tmp_path: Path) -> Iterator[Callable[..., AnswerCache]]:
    opened: list[AnswerCache] = []

    def cache(**options: Any) -> AnswerCache:
        opened.append(AnswerCache(tmp_path / "answers", **options))
        return opened[-1]

    yield cache
    for one in opened:
        one.close()


def test_the_same_question_is_sent_once(driven: Driven, scripted: Any, caches: Any) -> None:
    server = scripted(ok(chat(ADA)))
    results = [driven.connect(server.url, cache=caches()).generate(PROMPT, Person) for _ in range(2)]
    assert results[0].value == results[1].value == Person(name="Ada", age=36)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "other",
    [
        {"prompt": "Bob is 3."},
        {"prompt": [{"role": "system", "content": PROMPT}]},
        {"model": "n"},
        {"temperature": 0.5},
        {"max_tokens": 100},
        {"seed": 1},
        {"mode": "instructions"},
        {"form": dict[str, str | int]},
    ],
    ids=str,
)
def test_another_question_is_sent(scripted: Any, caches: Any, other: dict[str, Any]) -> None:
    server = scripted(ok(chat(ADA)))

    def ask(prompt: Any = PROMPT, model: str = "m", form: Any = Person, **options: Any) -> None:
        with fw.connect(server.url, model, cache=caches(), mode="strict") as remote:
            remote.generate(prompt, form, **options)

    ask()
    ask(**other)
    ask(**other)
    assert len(server.requests) == 2


def test_namespaces_are_apart(scripted: Any, caches: Any) -> None:
    server = scripted(ok(chat(ADA)))
    for namespace in ("a", "b", "a"):
        with fw.connect(server.url, "m", cache=caches(namespace=namespace)) as remote:
            remote.generate(PROMPT, Person)
    assert len(server.requests) == 2


def test_validators_run_again(scripted: Any, caches: Any) -> None:
    seen: list[int] = []

    class Checked(BaseModel):
        age: int

        @model_validator(mode="after")
        def note(self) -> Checked:
            seen.append(self.age)
            return self

    server = scripted(ok(chat('{"age": 36}')))
    with fw.connect(server.url, "m", cache=caches()) as remote:
        for _ in range(2):
            remote.generate(PROMPT, Checked)
    assert len(seen) == 2 * len(server.requests) == 2


def stored(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


def test_what_is_on_disk_is_json_without_the_key(scripted: Any, caches: Any, tmp_path: Path) -> None:
    server: Scripted = scripted(ok(chat(ADA)))
    with closing(caches()) as cache, fw.connect(server.url, "m", cache=cache, api_key="sk-secret-7") as remote:
        remote.generate(PROMPT, Person)
    with closing(sqlite3.connect(tmp_path / "answers" / "cache.db")) as database:
        modes = {mode for (mode,) in database.execute("SELECT mode FROM Cache")}
    assert 4 not in modes  # diskcache's mode of pickles
    assert b"sk-secret-7" not in stored(tmp_path)


def test_the_key_of_the_service_is_no_part_of_the_question(scripted: Any, caches: Any) -> None:
    server = scripted(ok(chat(ADA)))
    for key in ("sk-1", "sk-2"):
        with fw.connect(server.url, "m", cache=caches(), api_key=key) as remote:
            remote.generate(PROMPT, Person)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("answer", "error"),
    [(chat(ADA[:9], "length"), OutputTruncated), (chat("no"), OutputInvalid), (chat('{"name": 1}'), OutputInvalid)],
)
def test_only_good_answers_are_kept(driven: Driven, scripted: Any, caches: Any, answer: Any, error: Any) -> None:
    server = scripted(ok(answer), ok(chat(ADA)))
    cache = caches()
    with pytest.raises(error):
        driven.connect(server.url, cache=cache, mode="strict").generate(PROMPT, Person)
    assert driven.connect(server.url, cache=cache, mode="strict").generate(PROMPT, Person).value.age == 36
    assert len(server.requests) == 2


def test_what_is_cleared_is_asked_for_again(scripted: Any, caches: Any) -> None:
    server, cache = scripted(ok(chat(ADA))), caches()
    with fw.connect(server.url, "m", cache=cache) as remote:
        remote.generate(PROMPT, Person)
        cache.clear()
        remote.generate(PROMPT, Person)
    assert len(server.requests) == 2
