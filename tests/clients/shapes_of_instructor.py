"""Instructor and `fw.patch` beside each other: the names that it has, and what each way of asking gives with both.

::

    tests/clients/run instructor

The names are those of `docs/instructor_names.py`, or it fails; what was given is recorded for the documentation, which
`docs/tables.py` writes.
"""

from __future__ import annotations

import inspect
import json
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal

import instructor
from instructor.core import exceptions
from instructor.core.hooks import HookName, Hooks
from openai import OpenAI
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

import formwright as fw
from formwright.client import Maybe

sys.path.append(str(Path(__file__).parents[2] / "docs"))
from instructor_names import NAMES, VERSION

RECORD = Path(__file__).parent / "records" / "instructor.json"
MESSAGES = [{"role": "user", "content": "Ada is 36 years old."}]


class User(BaseModel):
    name: str = Field(max_length=9)
    age: int = Field(ge=0, le=150)


class City(BaseModel):
    city: str = Field(max_length=9)


class Color(Enum):
    RED, BLUE = "red", "blue"


class Named(TypedDict):
    age: int


@dataclass
class Aged:
    age: int


TYPES: dict[str, Any] = {
    "User": User,
    "User | City": User | City,
    "list[User]": list[User],
    "Iterable[User]": Iterable[User],
    "Iterable[User | City]": Iterable[User | City],
    "Partial[User]": instructor.Partial[User],
    "Maybe(User)": (instructor.Maybe(User), Maybe(User)),
    "int": int,
    "str": str,
    "bool": bool,
    'Literal["a", "b"]': Literal["a", "b"],
    "an Enum": Color,
    "dict[str, int]": dict[str, int],
    "tuple[int, bool]": tuple[int, bool],
    "a TypedDict": Named,
    "a dataclass": Aged,
    "a pattern": fw.regex("a{3}"),
}
"""What is asked for with ``create``; where both have one of their own, Instructor's and ours."""


def names() -> dict[str, set[str]]:
    """The public names of the version that is installed, by kind."""
    client = instructor.from_openai(OpenAI(api_key="none"))
    arguments = set(inspect.signature(instructor.Instructor.create).parameters) - {"self"}
    errors = {
        name for name, kind in vars(exceptions).items() if inspect.isclass(kind) and "instructor" in kind.__module__
    }
    return {
        "instructor.__all__": set(instructor.__all__),
        "instructor.Mode": {mode.name for mode in instructor.Mode},
        "instructor.hooks.HookName": {hook.value for hook in HookName},
        "instructor.Instructor": public([*dir(type(client)), *vars(client)]),
        "instructor.hooks.Hooks": public(dir(Hooks)),
        "create": arguments,
        "instructor.core.exceptions": public(errors),
    }


def public(found: Iterable[str]) -> set[str]:
    return {name for name in found if not name.startswith("_")}


def given(ask: Callable[[], Any]) -> str:
    """What a call gives, by the names of types; or the error of it."""
    try:
        value = ask()
        return f"each a {kind(list(value)[-1])}" if isinstance(value, Iterator) else kind(value)
    except Exception as error:
        return type(error).__name__


def kind(value: Any) -> str:
    if isinstance(value, list | tuple):
        kinds = ", ".join(dict.fromkeys(map(kind, value)))
        return f"{'list' if isinstance(value, list) else 'tuple'} of {kinds}" if value else "list"
    return type(value).__name__


def ways(url: str) -> Iterator[tuple[str, str, str]]:
    """Every way of asking, and what it gives with Instructor and with `fw.patch`."""
    openai = OpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0)
    clients = [instructor.from_openai(openai).chat.completions, fw.patch(openai).chat.completions]
    asked: dict[str, Any] = {"model": "formwright-tiny", "messages": MESSAGES, "max_tokens": 300, "temperature": 0}

    def both(way: str, method: str, types: Any, **more: Any) -> tuple[str, str, str]:
        pair = types if isinstance(types, tuple) else (types, types)
        found = [
            given(lambda client=client, type_=type_: getattr(client, method)(response_model=type_, **asked, **more))
            for client, type_ in zip(clients, pair, strict=True)
        ]
        return way, found[0], found[1]

    for name, types in TYPES.items():
        yield both(f"create(response_model={name})", "create", types, max_retries=0)
    yield both("create(response_model=None)", "create", None)
    yield both("create(response_model=Iterable[User], stream=True)", "create", Iterable[User], stream=True)
    yield both("create(response_model=Partial[User], stream=True)", "create", instructor.Partial[User], stream=True)
    yield both("create(response_model=User, stream=True)", "create", User, stream=True)
    yield both("create_partial(response_model=User)", "create_partial", User)
    yield both("create_iterable(response_model=User)", "create_iterable", User)
    yield both("create_with_completion(response_model=User)", "create_with_completion", User, max_retries=0)


def main() -> None:
    assert version("instructor") == VERSION, f"docs/instructor_names.py is of {VERSION}"
    for group, found in names().items():
        assert found == set(NAMES[group]), f"{group}: {sorted(found ^ set(NAMES[group]))}"
    rows = list(ways(sys.argv[1]))
    RECORD.parent.mkdir(exist_ok=True)
    RECORD.write_text(json.dumps({"version": VERSION, "ways": rows}, indent=2) + "\n", encoding="utf-8")
    print(f"instructor {VERSION}: its names, and {len(rows)} ways of asking, recorded")


if __name__ == "__main__":
    main()
