"""A patched client: every name of Instructor, and what its calls do with scripted servers and our own."""

from __future__ import annotations

import asyncio
import copy
import importlib
import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Literal

import pytest
import tenacity
from pydantic import BaseModel, Field, ValidationInfo, field_validator
from toys import Person

import formwright as fw
from formwright.client import Hooks, Maybe
from formwright.errors import (
    ArgumentError,
    AttemptsExhausted,
    LimitExceeded,
    OutputInvalid,
    OutputTruncated,
    PromptError,
)

from .scripted import DONE, Scripted, call, chat, chunk, event, head, ok

openai = pytest.importorskip("openai", reason="the openai SDK is not installed")
sys.path.insert(0, str(Path(__file__).parents[2] / "docs"))

from instructor_names import NAMES, NOT_OURS, TABLE  # noqa: E402

ADA = '{"name": "Ada", "age": 36}'
SAID = [{"role": "user", "content": "Ada is 36 years old."}]
GOOD, BAD = ok(chat(ADA)), ok(chat('{"name": "Ada"}'))
PIECES = [
    head(),
    *(event(chunk(piece)) for piece in (ADA[:12], ADA[12:20], ADA[20:])),
    event(chunk(None, "stop")),
    DONE,
]
ITEMS = [head(), event(chunk('{"value": [' + ADA)), event(chunk(f", {ADA}]}}")), event(chunk(None, "stop")), DONE]


class Patched:
    """A patched client of either kind: calls are run, and what they stream is a list."""

    def __init__(self, is_async: bool, url: str, **options: Any) -> None:
        self.sdk = (openai.AsyncOpenAI if is_async else openai.OpenAI)(base_url=url, api_key="none", max_retries=0)
        self.client, self.is_async = fw.patch(self.sdk, model="m", **({"mode": "strict"} | options)), is_async
        self.runner = asyncio.Runner()

    def __call__(self, name: str = "create", at: str = "chat.completions", **given: Any) -> Any:
        node: Any = self.client
        for step in (*at.split("."), name):
            node = getattr(node, step)
        given = {"input" if at == "responses" else "messages": SAID} | given
        return self.runner.run(self._waited(node, given)) if self.is_async else _listed(node(**given))

    def close(self) -> None:
        closed = self.sdk.close()
        if self.is_async:
            self.runner.run(closed)
        self.runner.close()

    async def _waited(self, function: Any, given: dict[str, Any]) -> Any:
        answer = function(**given)
        answer = await answer if asyncio.iscoroutine(answer) else answer
        return [item async for item in answer] if hasattr(answer, "__anext__") else answer


def _listed(answer: Any) -> Any:
    return list(answer) if hasattr(answer, "__next__") else answer


@pytest.fixture(params=["threads", "event loop"])
def patched(request: pytest.FixtureRequest, scripted: Any) -> Iterator[Any]:
    """Makes a server with answers, and a patched client of it."""

    def make(*answers: Any, **options: Any) -> tuple[Patched, Scripted]:
        server = scripted(*(list_of(answer) for answer in answers))
        made.append(Patched(request.param == "event loop", server.url, **options))
        return made[-1], server

    made: list[Patched] = []
    yield make
    for client in made:
        client.close()


def list_of(answer: Any) -> Any:
    return (lambda _: answer) if isinstance(answer, list) else answer


@pytest.mark.parametrize("kind", NAMES)
def test_the_table_names_everything_once(kind: str) -> None:
    named = [row.name.removeprefix("Hooks.").strip("*=") for row in TABLE[kind]]
    assert sorted(named) == sorted(NAMES[kind])
    assert all(row.note for row in TABLE[kind] if row.ours == NOT_OURS)


@pytest.mark.parametrize(
    "row", [row for rows in TABLE.values() for row in rows if row.ours.startswith(("fw.", "formwright.", "mode="))]
)
def test_what_is_ours_is_there(row: Any) -> None:
    if row.ours.startswith("mode="):
        assert fw.patch(create=lambda **_: None, mode=json.loads(row.ours.removeprefix("mode=")))
        return
    module, _, name = row.ours.split("(")[0].rpartition(".")
    assert callable(getattr(importlib.import_module("formwright" if module == "fw" else module), name))


def test_a_value_and_its_answer(patched: Any) -> None:
    ask, _ = patched(GOOD)
    value = ask(response_model=Person)
    assert (value, value._raw_response.id) == (Person(name="Ada", age=36), "chatcmpl-1")
    value, raw = ask("create_with_completion", response_model=Person)
    assert type(raw).__name__ == "ChatCompletion"
    assert raw is value._raw_response


def test_what_is_streamed(patched: Any) -> None:
    ask, _ = patched(PIECES)
    whole = ask("create_partial", response_model=Person)
    assert (whole[0].age, whole[-1]) == (None, Person(name="Ada", age=36))
    assert ask(response_model=Person, stream=True)[-1] == whole[-1]
    ask, _ = patched(ITEMS)
    assert ask("create_iterable", response_model=Person) == [whole[-1]] * 2
    assert ask(response_model=Iterable[Person], stream=True) == [whole[-1]] * 2


@pytest.mark.parametrize("method", ["create", "create_partial", "create_iterable"])
def test_a_stream_is_asked_for_again_until_something_is_shown(patched: Any, method: str) -> None:
    wrong = [head(), event(chunk("no")), event(chunk(None, "stop")), DONE]
    ask, server = patched(wrong, ITEMS if method == "create_iterable" else PIECES)
    more = {"stream": True} if method == "create" else {}
    assert ask(method, response_model=Person, max_retries=2, **more)[-1] == Person(name="Ada", age=36)
    assert len(server.requests) == 2


@pytest.mark.parametrize("is_awaited", [False, True])
def test_values_of_an_async_client_may_be_awaited_or_not(scripted: Any, is_awaited: bool) -> None:
    async def read(server: Scripted, name: str) -> list[Any]:
        async with openai.AsyncOpenAI(base_url=server.url, api_key="none") as sdk:
            completions = fw.patch(sdk, model="m", mode="strict").chat.completions
            values = getattr(completions, name)(response_model=Person, messages=SAID)
            return [value async for value in (await values if is_awaited else values)]

    ada = Person(name="Ada", age=36)
    assert asyncio.run(read(scripted(lambda _: ITEMS), "create_iterable")) == [ada, ada]
    assert asyncio.run(read(scripted(lambda _: PIECES), "create_partial"))[-1] == ada


@pytest.mark.parametrize("is_stream", [False, True])
def test_async_for_over_an_iterable(scripted: Any, is_stream: bool) -> None:
    server = scripted((lambda _: ITEMS) if is_stream else ok(chat(f'{{"value": [{ADA}, {ADA}]}}')))

    async def read() -> list[Any]:
        async with openai.AsyncOpenAI(base_url=server.url, api_key="none") as sdk:
            create = fw.patch(sdk, model="m", mode="strict").chat.completions.create
            people = await create(response_model=Iterable[Person], messages=SAID, stream=is_stream)
            return [person async for person in people]

    assert asyncio.run(read()) == [Person(name="Ada", age=36)] * 2


def test_defaults_of_a_client(patched: Any) -> None:
    ask, server = patched(GOOD, temperature=0, max_retries=0, context={"a": 1}, user="u")
    ask(response_model=Person)
    ask(response_model=Person, temperature=0.5, user=None)
    ask()
    bodies = [request.json for request in server.requests]
    assert [body["temperature"] for body in bodies] == [0, 0.5, 0]
    assert [body["user"] for body in bodies] == ["u", "u", "u"]
    ask, server = patched(BAD, max_retries=1)
    for given, count in (({}, 2), ({"max_retries": 2}, 5)):
        with pytest.raises(AttemptsExhausted):
            ask(response_model=Person, **given)
        assert len(server.requests) == count


@pytest.mark.parametrize("name", ["messages", "response_model", "stream", "tools"])
def test_what_belongs_to_a_call_is_no_default(name: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        fw.patch(create=lambda **_: None, **{name: []})
    assert caught.value.argument == name


@pytest.mark.parametrize(
    ("type_", "name"),
    [
        (Person, "Person"),
        (list[Person], "list_Person"),
        (Iterable[Person], "list_Person"),
        (Person | None, "Person_None"),
        (Literal["a", "b"], "Literal_a_b"),
        (dict[str, Person], "dict_str_Person"),
    ],
)
def test_a_tool_is_called_as_its_class_is(type_: Any, name: str) -> None:
    seen: list[Any] = []

    def create(**request: Any) -> Any:
        seen.append(request["tools"][0]["function"]["name"])
        return chat("no")

    with pytest.raises(OutputInvalid):
        fw.patch(create=create, model="m", mode="tools")(response_model=type_, messages=SAID, max_retries=0)
    assert seen == [name]


@pytest.mark.parametrize(
    ("retries", "requests"),
    [
        (0, 1),
        (1, 2),
        (None, 4),
        (tenacity.Retrying(stop=tenacity.stop_after_attempt(2)), 2),
        (tenacity.AsyncRetrying(stop=tenacity.stop_after_attempt(3)), 3),
    ],
)
def test_retries(patched: Any, retries: Any, requests: int) -> None:
    ask, server = patched(BAD)
    with pytest.raises(OutputInvalid if retries == 0 else AttemptsExhausted):
        ask(response_model=Person, max_retries=retries)
    assert len(server.requests) == requests


def test_a_cut_answer_is_asked_for_with_twice_the_tokens(patched: Any) -> None:
    for bound in ("max_tokens", "max_completion_tokens"):
        ask, server = patched(ok(chat('{"name', "length")), GOOD)
        assert ask(response_model=Person, **{bound: 5}).age == 36
        assert [request.json[bound] for request in server.requests] == [5, 10]
    ask, server = patched(ok(chat('{"name', "length")))
    with pytest.raises(OutputTruncated):
        ask(response_model=Person, max_retries=0)


class Known(BaseModel):
    name: str

    @field_validator("name")
    @classmethod
    def is_known(cls, name: str, info: ValidationInfo) -> str:
        if name not in info.context["names"]:
            raise ValueError("nobody knows them")
        return name


@pytest.mark.parametrize("argument", ["context", "validation_context"])
def test_validators_and_templates_see_the_context(patched: Any, argument: str) -> None:
    ask, server = patched(ok(chat('{"name": "Bob"}')), ok(chat('{"name": "Ada"}')))
    said = [{"role": "user", "content": "Who of {{ names | join(', ') }}?"}]
    before = copy.deepcopy(said)
    assert ask(response_model=Known, messages=said, **{argument: {"names": ["Ada"]}}).name == "Ada"
    assert server.requests[0].json["messages"][-1]["content"] == "Who of Ada?"
    assert "nobody knows them" in server.requests[1].body.decode()
    assert said == before


@pytest.mark.parametrize(
    "text",
    [
        "{{ ''.__class__.__mro__ }}",
        "{{ ''.__class__ }}",
        "{{ x.append(1) }}",
        "{{ missing }}",
        "{{ 1 / 0 }}",
        "{% for n in range(10**9) %}{% endfor %}",
        "{% if",
        "{{ cycler.__init__.__globals__ }}",
    ],
)
def test_templates_run_in_a_sandbox(patched: Any, text: str) -> None:
    ask, server = patched(GOOD)
    with pytest.raises(PromptError, match="message 0"):
        ask(response_model=Person, messages=[{"role": "user", "content": text}], context={"x": []})
    assert not server.requests


def test_hooks(patched: Any) -> None:
    told: list[str] = []
    mine = Hooks()
    ask, _ = patched(BAD)
    for name in NAMES["instructor.hooks.HookName"]:
        ask.client.on(name, lambda *_, __name=name, **__: told.append(__name))
    mine.on("parse:error", lambda _: told.append("mine"))
    with pytest.raises(AttemptsExhausted):
        ask(response_model=Person, max_retries=1, hooks=mine)
    one = ["completion:kwargs", "completion:response", "completion:usage", "parse:error", "mine"]
    assert told == [*one, *one, "completion:last_attempt"]
    ask.client.clear()
    with pytest.raises(OutputInvalid):
        ask(response_model=Person, max_retries=0)
    assert len(told) == 11


def test_a_hook_that_raises_only_warns(patched: Any) -> None:
    ask, _ = patched(GOOD)

    def fails(_: Any) -> None:
        raise RuntimeError("no")

    ask.client.on("completion:response", fails)
    with pytest.warns(UserWarning, match="completion:response"):
        assert ask(response_model=Person).age == 36
    ask.client.off("completion:response", fails)
    assert ask(response_model=Person).age == 36


def test_maybe_and_unions(patched: Any) -> None:
    ask, _ = patched(ok(chat('{"result": null, "error": true, "message": "nobody"}')), ok(chat('{"value": 3}')))
    nobody = ask(response_model=Maybe(Person))
    assert (bool(nobody), nobody.message) == (False, "nobody")
    assert ask(response_model=int | str) == 3


def test_a_call_without_a_form_goes_through(patched: Any) -> None:
    ask, server = patched(GOOD)
    assert type(ask()).__name__ == "ChatCompletion"
    assert server.requests[0].json == {"messages": SAID, "model": "m"}
    with pytest.raises(ArgumentError, match="max_retries"):
        ask(max_retries=2)


def test_arguments_of_the_client_reach_it(patched: Any) -> None:
    ask, server = patched(GOOD)
    ask(response_model=Person, user="u", timeout=5, extra_headers={"X-A": "b"}, extra_body={"c": 1})
    assert server.requests[0].headers["x-a"] == "b"
    body = server.requests[0].json
    assert (body["user"], body["c"]) == ("u", 1)
    assert not {"timeout", "extra_headers", "extra_body"} & body.keys()


@pytest.mark.parametrize("mode", ["tools", "json_object", "instructions", "strict"])
def test_modes(patched: Any, mode: str) -> None:
    said = chat(None, "tool_calls", tool_calls=[call("Person", ADA)]) if mode == "tools" else chat(ADA)
    ask, server = patched(ok(said))
    assert ask(response_model=Person, mode=mode).age == 36
    body = server.requests[0].json
    assert ("tools" in body) == (mode == "tools")
    assert ("response_format" in body) == (mode in ("json_object", "strict"))


def test_a_budget_of_tokens(patched: Any) -> None:
    ask, server = patched(BAD)
    with pytest.raises(AttemptsExhausted) as caught:
        ask(response_model=Person, token_budget=25, max_retries=9)
    assert isinstance(caught.value.__cause__, LimitExceeded)
    assert len(server.requests) == 2


@pytest.mark.parametrize(
    ("argument", "wrong"),
    [
        ("max_retries", -1),
        ("max_retries", "3"),
        ("mode", "toolz"),
        ("strict", False),
        ("n", 2),
        ("hooks", {}),
        ("messages", 3),
        ("tools", []),
        ("response_format", {"type": "json_object"}),
        ("model", 3),
    ],
)
def test_wrong_arguments(patched: Any, argument: str, wrong: Any) -> None:
    ask, server = patched(GOOD)
    with pytest.raises(ArgumentError, match=argument.replace("_", ".")):
        ask(response_model=Person, **{argument: wrong})
    assert not server.requests


def test_messages_of_the_sdk_may_be_sent_back(patched: Any) -> None:
    ask, server = patched(GOOD)
    message = ask().choices[0].message
    assert ask(response_model=Person, messages=[*SAID, message, *SAID], context={}).age == 36
    assert server.requests[1].json["messages"][1] == {"role": "assistant", "content": ADA}


@pytest.mark.parametrize("is_async", [False, True])
def test_a_function_in_place_of_a_client(is_async: bool) -> None:
    async def later(**given: Any) -> Any:
        return chat(ADA)

    create = fw.patch(create=later if is_async else lambda **_: chat(ADA), model="m")
    answer = create(response_model=Person, messages=SAID)
    assert (asyncio.run(answer) if is_async else answer).age == 36


def test_the_wrapper(scripted: Any) -> None:
    sdk = openai.AzureOpenAI(azure_endpoint="https://x.openai.azure.com", api_version="1", api_key="none")
    before = dict(vars(sdk))
    client = fw.patch(sdk)
    assert client.models is sdk.models
    assert client.chat.completions.create._model.service.name == "azure"
    assert all(vars(sdk)[name] is value for name, value in before.items())
    assert {"models", "create_partial"} <= set(dir(client))
    assert copy.copy(client).api_key == "none"
    with client as inside:
        assert inside is client
    assert sdk.is_closed()


@pytest.mark.parametrize(
    "wrong", [{}, {"client": 3}, {"create": 3}, {"create": print, "mode": "x"}, {"create": print, "hooks": {}}]
)
def test_nothing_else_is_patched(wrong: Any) -> None:
    with pytest.raises(ArgumentError):
        fw.patch(**wrong)


@pytest.fixture(scope="module")
def served() -> Any:
    pytest.importorskip("starlette", reason="formwright[server] is not installed")
    from formwright.server import running

    with running(fw.load("formwright-tiny")) as server:
        yield server


@pytest.mark.parametrize("is_async", [False, True])
@pytest.mark.parametrize("at", ["chat.completions", "responses"])
def test_our_own_server(served: Any, is_async: bool, at: str) -> None:
    ask = Patched(is_async, served.base_url)
    ask.client = fw.patch(ask.sdk, model="formwright-tiny")
    options = {"at": at, "response_model": Person, "temperature": 0}
    values = [ask(**options), ask("create_partial", **options)[-1]]
    ask.close()
    assert [(type(value), value.age) for value in values] == [(Person, 36)] * 2


def test_hooks_know_their_events_and_functions() -> None:
    hooks = Hooks()
    with pytest.raises(ArgumentError, match="no event"):
        hooks.on("completion:args", print)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="not a function"):
        hooks.on("parse:error", 3)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="is not registered"):
        hooks.off("parse:error", print)
    told: list[str] = []
    hooks.on("parse:error", told.append)
    (hooks + hooks).emit("parse:error", "x")
    assert told == ["x", "x"]


class Aliased(BaseModel):
    full_name: str = Field(alias="fullName")
    friends: list[Person] | None = None


def test_partial_objects_of_aliases_and_lists(patched: Any) -> None:
    text = f'{{"fullName": "Ada", "friends": [{ADA}]}}'
    ask, _ = patched([head(), event(chunk(text[:-12])), event(chunk(text[-12:])), event(chunk(None, "stop")), DONE])
    first, *_, last = ask("create_partial", response_model=Aliased)
    assert (first.full_name, first.friends[0].name, first.friends[0].age) == ("Ada", "Ada", None)
    assert last.friends == [Person(name="Ada", age=36)]
