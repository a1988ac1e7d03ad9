"""Answers that are kept on disk."""

from __future__ import annotations

import json
import pickle
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from pydantic import BaseModel, model_validator
from toys import Person

import formwright as fw
from formwright.client import AnswerCache
from formwright.errors import ArgumentError, OutputInvalid, OutputTruncated

from .conftest import Driven
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
    with closing(sqlite3.connect(tmp_path / "answers" / "answers.db")) as database:
        kept = [json.loads(body) for (body,) in database.execute("SELECT body FROM answers")]
    assert [body["choices"][0]["message"]["content"] for body in kept] == [ADA]
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


class Attack:
    """Touches a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __reduce__(self) -> Any:
        return Path.touch, (self._path,)


@pytest.mark.parametrize("is_hostile_at_once", [False, True])
def test_nothing_in_the_folder_runs(caches: Any, tmp_path: Path, is_hostile_at_once: bool) -> None:
    touched = tmp_path / "touched"
    attack = pickle.dumps(Attack(touched))
    cache = caches()
    cache.set("key", {"a": 1})
    if is_hostile_at_once:
        cache.close()
    for file in list((tmp_path / "answers").rglob("*.db")):
        with closing(sqlite3.connect(file)) as database:
            with suppress(sqlite3.Error):
                database.execute("UPDATE answers SET body = ?", (attack,))
                database.commit()
            with suppress(sqlite3.Error):
                database.execute("UPDATE Cache SET value = ?, mode = 4", (attack,))
                database.commit()
    cache = caches() if is_hostile_at_once else cache
    with suppress(Exception):
        assert cache.get("key") is None
    assert not touched.exists()


@pytest.mark.parametrize("text", ["", "{", "7", "[]", "[" * 100_000, "null"])
def test_what_is_not_the_body_of_an_answer_is_not_found(caches: Any, tmp_path: Path, text: str) -> None:
    cache = caches()
    cache.set("key", {"a": 1})
    with closing(sqlite3.connect(tmp_path / "answers" / "answers.db")) as database:
        database.execute("UPDATE answers SET body = ?", (text,))
        database.commit()
    assert cache.get("key") is None


def test_a_file_that_is_no_database_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "answers.db").write_bytes(b"something else" * 100)
    with pytest.raises(ArgumentError, match="cannot be opened"):
        AnswerCache(tmp_path)


def test_the_least_recently_used_go_first(caches: Any) -> None:
    cache = caches(max_bytes=200)
    for name in "abc":
        cache.set(name, {"text": name * 50})
        assert cache.get("a") == {"text": "a" * 50}
    cache.set("d", {"text": "d" * 50})
    assert [cache.get(name) is not None for name in "abcd"] == [True, False, True, True]
    cache.set("large", {"text": "x" * 1000})
    assert [cache.get(name) for name in ("a", "large")] == [None, None]


def test_an_answer_is_good_for_some_seconds(caches: Any) -> None:
    cache = caches(seconds=0.2)
    cache.set("key", {"a": 1})
    assert cache.get("key") == {"a": 1}
    time.sleep(0.3)
    assert cache.get("key") is None


@pytest.mark.parametrize("option", [{"max_bytes": 0}, {"seconds": -1.0}, {"max_bytes": "1"}, {"seconds": True}])
def test_bounds_that_are_none_are_refused(tmp_path: Path, option: dict[str, Any]) -> None:
    with pytest.raises(ArgumentError) as caught:
        AnswerCache(tmp_path, **option)
    assert caught.value.argument in option


def test_threads_and_other_caches_of_the_folder_see_the_same(caches: Any) -> None:
    first, second = caches(), pickle.loads(pickle.dumps(caches(namespace="n")))

    def write(cache: AnswerCache, name: str) -> None:
        for number in range(20):
            cache.set(f"{name}{number}", {"number": number})

    threads = [
        Thread(target=write, args=(cache, name)) for cache, name in zip((first, first, second), "abc", strict=True)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [cache.get("a19") for cache in (first, second)] == [{"number": 19}] * 2
    assert first.get("c19") == {"number": 19}
    assert second.namespace == "n"
    second.close()
