"""What a type checker knows of models behind an API."""

from __future__ import annotations

import re
from typing import Any, assert_type

from pydantic import BaseModel

import formwright as fw
from formwright.client import AsyncRemoteModel, Attempt, RemoteModel
from formwright.models import LocalModel


class Person(BaseModel):
    name: str


model = fw.connect("http://127.0.0.1:8000/v1", "m")
assert_type(model, RemoteModel)
assert_type(fw.connect("http://127.0.0.1:8000/v1", "m", asynchronous=True), AsyncRemoteModel)
assert_type(model.generate("Hi", Person), fw.Complete[Person])
assert_type(model.generate("Hi", Person, max_retries=2, context={"a": 1}, mode="tools").value, Person)
assert_type(model.generate("Hi", fw.form(list[int])).value, list[int])
assert_type(model.generate("Hi", re.compile("a+")).value, str)
assert_type(model.generate("Hi", {"type": "integer"}).value, Any)
assert_type(model.generate_many(["Hi"], Person), list[fw.Complete[Person] | fw.Failed])
assert_type(model.score("Hi", ["a"]), dict[str, float])
with model.stream("Hi", Person) as stream:
    for piece in stream:
        assert_type(piece.text, str)
    assert_type(stream.result.value, Person)

assert_type(model.stream("Hi", Person, max_retries=2, token_budget=99).result.value, Person)
assert_type(fw.errors.AttemptsExhausted("no").attempts, tuple[Attempt, ...])
assert_type(fw.load("formwright-tiny"), LocalModel)


async def awaited(remote: AsyncRemoteModel) -> None:
    assert_type((await remote.generate("Hi", Person)).value, Person)
    assert_type(await remote.score("Hi", ["a"]), dict[str, float])
    async with remote.stream("Hi", Person) as stream:
        async for piece in stream:
            assert_type(piece.text, str)
        assert_type(stream.result.value, Person)
