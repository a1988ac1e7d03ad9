"""Texts that a type refuses are written again, without what was refused."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

import pytest
from pydantic import AfterValidator, BaseModel, ValidationInfo, field_validator, model_validator

import formwright as fw
from formwright.errors import ArgumentError, AttemptsExhausted, OutputInvalid
from formwright.models.attempts import exclude_refused

ADA = "Ada is 36 years old."


class Person(BaseModel):
    name: str
    age: int

    @field_validator("age")
    @classmethod
    def not_refused(cls, age: int, info: ValidationInfo) -> int:
        if age in (info.context or {}).get("refused", ()):
            raise ValueError(f"{age} is refused")
        return age


def test_validators_see_the_context(tiny: Any) -> None:
    assert tiny.generate(ADA, Person).value.age == 36
    with pytest.raises(OutputInvalid, match="36 is refused"):
        tiny.generate(ADA, Person, context={"refused": [36]})
    with tiny.stream(ADA, Person, context={"refused": [36]}) as stream:
        age = next(piece.partial.age for piece in stream if piece.partial.age.is_complete)
        with pytest.raises(OutputInvalid, match="36 is refused"):
            age.value  # noqa: B018 (asking for it runs its validators)


def test_a_refused_value_is_not_written_again(tiny: Any) -> None:
    result = tiny.generate(ADA, Person, max_retries=1, context={"refused": [36]})
    assert result.value.age != 36


def test_every_attempt_is_told(tiny: Any) -> None:
    class Nobody(BaseModel):
        age: int

        @field_validator("age")
        @classmethod
        def never(cls, age: int) -> int:
            raise ValueError("never")

    with pytest.raises(AttemptsExhausted, match="3 attempts gave no value") as caught:
        tiny.generate(ADA, Nobody, max_retries=2)
    ages = [json.loads(attempt.text)["age"] for attempt in caught.value.attempts]
    assert len(set(ages)) == 3
    assert isinstance(caught.value.__cause__, OutputInvalid)
    assert "max_retries" in caught.value.__cause__.hint
    assert caught.value.hint == "state the check as a bound, pattern or Literal"


def test_nothing_may_be_left_to_write(tiny: Any) -> None:
    with pytest.raises(AttemptsExhausted) as caught:
        tiny.generate(ADA, _Refusing, max_retries=9)
    assert sorted(json.loads(attempt.text)["kind"] for attempt in caught.value.attempts) == ["a", "b"]


class _Refusing(BaseModel):
    kind: Literal["a", "b"]

    @field_validator("kind")
    @classmethod
    def never(cls, kind: str) -> str:
        raise ValueError("never")


def test_a_whole_that_is_refused_is_left_out_whole(tiny: Any) -> None:
    class Pair(BaseModel):
        a: bool
        b: bool

        @model_validator(mode="after")
        def differ(self) -> Pair:
            if self.a == self.b:
                raise ValueError("they are equal")
            return self

    value = tiny.generate(ADA, Pair, max_retries=3).value
    assert value.a != value.b


def test_many_are_written_again_together(tiny: Any) -> None:
    prompts = [ADA, "Bob is 7 years old.", ADA]
    results = tiny.generate_many(prompts, Person, max_retries=1, context={"refused": [36]}, progress=False)
    assert [result.value.age == 36 for result in results] == [False, False, False]
    assert results[1].value.age == 7
    failed = tiny.generate_many(prompts, Person, context={"refused": [36]}, progress=False)
    assert [type(result).__name__ for result in failed] == ["Failed", "Complete", "Failed"]
    again = tiny.generate_many(prompts, _Refusing, max_retries=1, progress=False)
    assert [len(result.error.attempts) for result in again] == [2, 2, 2]


def test_a_policy_of_tenacity(tiny: Any) -> None:
    tenacity = pytest.importorskip("tenacity")
    policy = tenacity.Retrying(stop=tenacity.stop_after_attempt(2))
    assert tiny.generate(ADA, Person, max_retries=policy, context={"refused": [36]}).value.age != 36
    with pytest.raises(AttemptsExhausted) as caught:
        tiny.generate(ADA, _Refusing, max_retries=policy)
    assert len(caught.value.attempts) == 2


@pytest.mark.parametrize("wrong", [-1, True, "2", 1.5, None])
def test_wrong_numbers(tiny: Any, wrong: Any) -> None:
    with pytest.raises(ArgumentError) as caught:
        tiny.generate(ADA, Person, max_retries=wrong)
    assert caught.value.argument == "max_retries"


def test_forms_without_what_was_refused() -> None:
    class Inner(BaseModel):
        tags: list[str]
        size: int

    class Outer(BaseModel):
        inner: Inner
        name: str

    form = fw.form(Outer)
    text = '{"inner": {"tags": ["a"], "size": 1}, "name": "x"}'
    other = '{"inner": {"tags": ["a"], "size": 2}, "name": "y"}'
    for place in [("inner", "size"), ("name",), ("inner", "tags", 0), ()]:
        smaller = exclude_refused(form, _error(text, place))
        assert not smaller.matches(text)
        assert smaller.matches(other)
    word = fw.choice("yes", "no")
    assert not exclude_refused(word, OutputInvalid("no", text="yes")).matches("yes")
    assert exclude_refused(word, OutputInvalid("no", text="yes")).matches("no")


def _error(text: str, place: tuple[Any, ...]) -> OutputInvalid:
    class Cause(Exception):
        def errors(self, **_: Any) -> list[dict[str, Any]]:
            return [{"loc": place}]

    error = OutputInvalid("no", text=text)
    error.__cause__ = Cause()
    return error


def test_texts_of_types_that_are_no_json(tiny: Any) -> None:
    def short(text: str) -> str:
        if len(text) > 2:
            raise ValueError("too long")
        return text

    value = tiny.generate("yes or no?", Annotated[Literal["yes", "no"], AfterValidator(short)], max_retries=1).value
    assert value == "no"
