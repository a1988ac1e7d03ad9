"""Rows into results: forms of their own, failures in their place, whoever writes the texts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest

import formwright as fw
from formwright.generation.result import Truncated
from formwright.jobs import mapping
from formwright.jobs.mapping import Mapper, split_chunks
from formwright.models import LocalModel

AGE = '{"type": "integer", "minimum": 0, "maximum": 99}'
PROMPT = "Ada is 36 years old. How old is Ada?"


class Recorded:
    """A model that notes what is asked of it."""

    def __init__(self, model: Any) -> None:
        self.model, self.asked = model, list[tuple[Sequence[Any], Sequence[Any]]]()
        self.vocabulary = model.vocabulary

    def generate_many(self, prompts: Sequence[Any], forms: Sequence[Any], **options: Any) -> Any:
        self.asked.append((prompts, forms))
        return self.model.generate_many(prompts, forms, **options)


def test_a_schema_of_its_own_or_that_of_all(tiny: LocalModel) -> None:
    mapper = Mapper(tiny, fw.choice("yes", "no"), temperature=0)
    rows: list[dict[str, Any]] = [
        {"id": 1, "prompt": PROMPT, "schema": AGE},
        {"id": 2, "prompt": "Is 7 prime?"},
        {"id": 3, "prompt": PROMPT, "schema": {"type": "integer", "maximum": 99, "minimum": 0}},
        {"id": 4, "prompt": [{"role": "user", "content": PROMPT}], "schema": None},
        {"id": 5, "prompt": PROMPT, "schema": True},
    ]
    found = mapper(rows)
    assert [row["id"] for row in found] == [1, 2, 3, 4, 5]
    assert {row["status"] for row in found} == {"complete"}
    assert found[0] == {"id": 1, "status": "complete", "text": "36", "value": 36}
    assert found[1] == {"id": 2, "status": "complete", "text": found[1]["text"]}
    assert found[1]["text"] in ("yes", "no")
    assert found[2]["value"] == 36
    assert found[3]["text"] in ("yes", "no")
    alone = [Mapper(tiny, fw.choice("yes", "no"), temperature=0)([row])[0] for row in rows]
    assert alone == found


def test_a_row_that_fails_is_a_result_in_its_place(tiny: LocalModel) -> None:
    rows: list[dict[str, Any]] = [
        {"id": 1, "prompt": PROMPT, "schema": '{"type": "nonsense"}'},
        {"id": 2, "prompt": PROMPT, "schema": AGE},
        {"id": 3, "schema": AGE},
        {"id": 4, "prompt": 5, "schema": AGE},
        {"id": 5, "prompt": PROMPT},
        {"id": 6, "prompt": PROMPT, "schema": ""},
        {"id": 7, "prompt": PROMPT, "schema": '{"const": "' + "long " * 40 + '"}'},
        {"id": 8, "prompt": [{"role": "nobody", "content": "x"}], "schema": AGE},
        {"id": 9, "prompt": PROMPT, "schema": "{"},
    ]
    model = Recorded(tiny)
    found = Mapper(model, max_tokens=8, temperature=0)(rows)
    assert [row["id"] for row in found] == list(range(1, 10))
    assert [row["status"] for row in found] == ["failed", "complete", *["failed"] * 7]
    kinds = [row["error"]["kind"] for row in found if row["status"] == "failed"]
    assert kinds[:5] == ["SchemaError", "ArgumentError", "ArgumentError", "ArgumentError", "SchemaError"]
    assert kinds[5:] == ["LimitExceeded", "PromptError", "SchemaError"]
    assert all(row["text"] is None and row["error"]["message"] for row in found if row["status"] == "failed")
    assert len(model.asked[0][0]) == 3  # what cannot be asked is not


def test_where_all_fail_the_model_is_not_asked(tiny: LocalModel) -> None:
    model = Recorded(tiny)
    assert [row["status"] for row in Mapper(model)([{"id": 1}, {"id": 2}])] == ["failed", "failed"]
    assert Mapper(model)([]) == []
    assert model.asked == []


def test_texts_that_are_cut(tiny: LocalModel) -> None:
    mapper = Mapper(tiny, fw.regex("a{50}"), max_tokens=3, finish=False)
    (row,) = mapper([{"id": 1, "prompt": "x"}])
    assert row["status"] == "truncated"
    assert row["text"] in {"a" * count for count in range(50)}
    assert row["reason"]
    result = tiny.generate("x", fw.regex("a{50}"), max_tokens=3, finish=False)
    assert isinstance(result, Truncated)
    assert row["reason"] == result.reason


def test_other_fields_stay_and_those_of_results_are_results(tiny: LocalModel) -> None:
    row = {"id": 1, "prompt": PROMPT, "language": "en", "error": None, "value": 5, "status": "old", "reason": "x"}
    (found,) = Mapper(tiny, fw.choice("yes", "no"))([row])
    assert set(found) == {"id", "language", "status", "text"}
    assert found["status"] == "complete"
    assert row["status"] == "old"


def test_a_schema_is_compiled_once_while_it_is_kept(tiny: LocalModel, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = []
    compiled = mapping.compile
    monkeypatch.setattr(mapping, "compile", lambda form, vocabulary: made.append(form) or compiled(form, vocabulary))
    monkeypatch.setattr(mapping, "_MAX_FORMS", 2)
    mapper = Mapper(tiny, fw.choice("a", "b"))
    schemas = [None, AGE, None, AGE, '{"type": "boolean"}', AGE, None]
    for schema in schemas:
        (row,) = mapper([{"id": 1, "prompt": "x", "schema": schema}])
        assert row["status"] == "complete"
    assert len(made) == 4  # of all, an age, a boolean; that of all again


def test_no_form_at_all_is_told_by_each_row(tiny: LocalModel) -> None:
    with pytest.raises(fw.errors.NotAForm):
        Mapper(tiny, "a text is no form")
    (row,) = Mapper(tiny)([{"id": 1, "prompt": "x"}])
    assert row["error"] == {
        "kind": "ArgumentError",
        "message": "the row has no schema, and there is no form for all rows",
    }


@pytest.fixture
def remote(tiny: LocalModel) -> Iterator[Any]:
    pytest.importorskip("starlette", reason="formwright[server] is not installed")
    from formwright.server import running

    with running(tiny) as server:
        yield fw.connect(server.base_url, "formwright-tiny")


def test_a_model_behind_an_api_writes_the_same(tiny: LocalModel, remote: Any) -> None:
    rows = [
        {"id": 1, "prompt": PROMPT, "schema": AGE},
        {"id": 2, "prompt": PROMPT, "schema": '{"type": "nonsense"}'},
        {"id": 3, "prompt": "Bo is 7. How old is Bo?", "schema": AGE},
    ]
    assert Mapper(remote, temperature=0)(rows) == Mapper(tiny, temperature=0)(rows)


def test_chunks() -> None:
    assert list(split_chunks(range(5), 2)) == [[0, 1], [2, 3], [4]]
    assert list(split_chunks([], 2)) == []
    seen: list[int] = []
    first = next(split_chunks((seen.append(number) or number for number in range(9)), 3))
    assert (first, seen) == ([0, 1, 2], [0, 1, 2])  # no row is read before it is its turn
