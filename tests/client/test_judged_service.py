"""Services are judged by their answers: what they write, what they refuse, and what is said of neither."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import formwright as fw
from formwright.algebra.judged_answers import Answer, judge_service
from formwright.cli.app import app
from formwright.client.judged_service import load_service

from .scripted import RESET, Pause, Received, Scripted, answer, chat, error_body, ok

AGE = {
    "type": "object",
    "properties": {"age": {"type": "integer", "minimum": 0}},
    "required": ["age"],
    "additionalProperties": False,
}
ASKED = "Reply with exactly this JSON text, and with nothing else: "


def schema_of(request: Received) -> Any:
    return request.json["response_format"]["json_schema"]["schema"]


def is_check(request: Received) -> bool:
    return "hello" in request.json["messages"][0]["content"]


def serve(reply: Callable[[Received], Any]) -> Scripted:
    """A service that passes the check, and then does what is said."""

    def script(request: Received) -> Iterable[Any]:
        given = ok(chat('{"number": 1}')) if is_check(request) else reply(request)
        return given if isinstance(given, list) else [given]

    return Scripted(script)


def obey(request: Received) -> bytes:
    """What a model without any constraint does: it writes what it is asked for."""
    return ok(chat(request.json["messages"][0]["content"].removeprefix(ASKED)))


def judge(server: Scripted, schemas: dict[str, Any], **options: Any) -> Any:
    more = {name: options.pop(name) for name in ("field", "timeout", "max_tokens") if name in options}
    return judge_service(schemas, load_service(f"{server.url}#m", **more), **options)


def test_answers_that_do_not_conform_are_found_where_they_are_wrong() -> None:
    with serve(obey) as server:
        findings, summary = judge(server, {"a": AGE}, answers=10)
    found = {(finding.kind, finding.pointer, finding.keyword): finding.text for finding in findings}
    assert found["answers", "/properties/age", "minimum"] == '{"age":-1}'
    assert found["answers", "", "required"] == "{}"
    assert found["answers", "", "type"] == "0"
    assert {kind for kind, _, _ in found} == {"answers"}
    where = server.url.removeprefix("http://").removesuffix("/v1")
    assert f'{where} m, a: answers {{"age":-1}}, which is invalid (#/properties/age, minimum)' in map(str, findings)
    assert (summary.schemas, summary.answers, summary.wrong, summary.refused) == (1, 10, 1, 0)
    assert summary.invalid > len(findings) > 3


def test_the_shortest_answer_stands_for_a_place() -> None:
    texts = iter(['{"age": -100}', '{"age": -1}', '{"age": -20}'])
    with serve(lambda _: ok(chat(next(texts)))) as server:
        (finding,), summary = judge(server, {"a": AGE}, answers=3)
    assert (finding.text, summary.invalid) == ('{"age": -1}', 3)


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        (AGE, '{\n\n\n  "age" :1\n}'),
        (AGE, '{"age": 1e2}'),
        (AGE, '{"age": 3.0}'),
        (AGE, '{"age": 1E+30}'),
        (AGE, '{"age": 1, "age": 2}'),
        ({"type": "string", "format": "email"}, '"nobody"'),
        ({"enum": ["\u00e9"]}, '"\\u00e9"'),
        ({"type": "number"}, "1e999"),
        ({"type": "integer"}, "1e400"),
        ({"exclusiveMinimum": 0}, "1e-400"),
        ({"exclusiveMaximum": 1}, "0.99999999999999999999"),
        ({"not": {"const": 0.1}}, "0.1000000000000000000001"),
        ({"type": "number"}, "1" + "0" * 5000),
        ({"type": "number"}, "1e999999999999999999999"),
        ({"type": "array"}, "[" * 5000 + "]" * 5000),
        ({"$dynamicRef": "#a", "$dynamicAnchor": "a"}, "1"),
    ],
)
def test_what_is_valid_or_not_known_is_not_wrong(schema: Any, text: str) -> None:
    with serve(lambda _: ok(chat(text))) as server:
        findings, summary = judge(server, {"a": schema}, answers=2)
    assert (findings, summary.invalid) == ([], 0)


@pytest.mark.parametrize("text", ["I would say 7.", "", '{"age": 1} and more', '{"age": NaN}', "[" * 100_000])
def test_a_schema_that_is_ignored_is_found(text: str) -> None:
    with serve(lambda _: ok(chat(text))) as server:
        (finding,), summary = judge(server, {"a": AGE}, answers=2)
    assert (finding.kind, finding.text, summary.invalid) == ("ignores", text, 2)
    assert "not JSON" in str(finding)


def test_cut_and_declined_answers_are_counted_apart() -> None:
    replies = iter([ok(chat('{"age": -', "length")), ok(chat(None, refusal="No.")), ok(chat("", "content_filter"))])
    with serve(lambda _: next(replies, None) or ok(chat('{"age": 2}'))) as server:
        findings, summary = judge(server, {"a": AGE}, answers=4)
    assert (findings, summary.cut, summary.declined, summary.answers) == ([], 1, 2, 2)


def test_a_refused_schema_is_found_if_it_allows_a_text() -> None:
    refusal = answer(400, error_body("minimum is not supported"))
    with serve(lambda _: refusal) as server:
        (finding,), summary = judge(server, {"a": AGE, "b": False, "c": {"type": []}})
    assert (finding.schema, finding.kind, summary.refused, summary.schemas) == ("a", "refuses", 1, 3)
    assert "minimum is not supported" in finding.text
    assert finding.text.endswith('(it allows {"age":0})')
    assert len(server.requests) == 4  # one that it refuses is not sent again


def test_a_failure_is_found_and_the_others_go_on() -> None:
    def reply(request: Received) -> Any:
        what = schema_of(request).get("title")
        return {"slow": [Pause(1.0)], "dead": [RESET], "broken": answer(500, error_body("out of memory"))}.get(
            what, ok(chat('{"age": 1}'))
        )

    schemas = {title: AGE | {"title": title} for title in ("slow", "dead", "broken", "fine")}
    with serve(reply) as server:
        findings, summary = judge(server, schemas, timeout=0.3, answers=2)
    assert [(finding.schema, finding.kind) for finding in findings] == [
        ("slow", "fails"),
        ("dead", "fails"),
        ("broken", "fails"),
    ]
    assert "did not answer within 0.3 seconds" in findings[0].text
    assert (summary.failed, summary.answers, summary.invalid) == (3, 2, 0)
    assert len(server.requests) == 1 + 3 + 2  # what failed is not sent again


def test_a_busy_service_is_asked_again() -> None:
    replies = iter([answer(429, error_body("slow down"), "Retry-After: 0")])
    with serve(lambda _: next(replies, None) or ok(chat('{"age": 1}'))) as server:
        findings, summary = judge(server, {"a": AGE}, answers=1)
    assert (findings, summary.answers, summary.failed) == ([], 1, 0)


def test_a_key_that_is_no_longer_known_ends_it() -> None:
    with (
        serve(lambda _: answer(401, error_body("expired"))) as server,
        pytest.raises(fw.errors.RequestFailed, match="expired"),
    ):
        judge(server, {str(at): AGE for at in range(20)}, concurrency=1)
    assert len(server.requests) < 10


def test_what_our_form_says_otherwise_is_disputed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("formwright.algebra.judged_answers.holds", lambda *_: False)
    with serve(lambda _: ok(chat('{"age": 1}'))) as server:
        (finding,), summary = judge(server, {"a": AGE}, answers=1)
    assert (finding.engine, finding.kind, summary.invalid) == ("formwright", "disputed", 0)


@pytest.mark.parametrize("field", ["response_format", "structured_outputs", "guided_json"])
def test_the_schema_is_sent_as_it_is_in_the_field_that_is_named(field: Any) -> None:
    with serve(lambda _: ok(chat('{"age": 1}'))) as server:
        judge(server, {"a": AGE}, field=field, max_tokens=7, answers=2)
    bodies = [request.json for request in server.requests[1:]]
    sent = {
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "judged", "strict": True, "schema": AGE},
        },
        "structured_outputs": {"json": AGE},
        "guided_json": AGE,
    }[field]
    assert [body.keys() - {"model", "messages", "max_tokens", "seed"} for body in bodies] == [{field}, {field}]
    assert [(body[field], body["max_tokens"], body["seed"]) for body in bodies] == [(sent, 7, 0), (sent, 7, 1)]
    assert bodies[0]["messages"][0]["content"] == f"{ASKED}0"


# --- what is not a service ---------------------------------------------------------------------------


def test_what_is_no_service_is_said_at_once() -> None:
    with pytest.raises(fw.errors.RequestFailed, match="could not be reached"):
        load_service("http://127.0.0.1:9/v1#m", timeout=2)
    with pytest.raises(fw.errors.ArgumentError, match="names no model"):
        load_service("http://127.0.0.1:9/v1")
    with pytest.raises(fw.errors.ArgumentError, match="no field"):
        load_service("http://127.0.0.1:9/v1#m", field="guided")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (answer(401, error_body("no key")), r"\(401\): no key"),
        (answer(404, error_body("no model m")), r"\(404\): no model m"),
        (answer(400, error_body("no field")), r"\(400\): no field"),
        (ok(chat("Hello to you!")), "ignores response_format.*'Hello to you!'"),
        (answer(200, b"<html>", kind="text/html"), "something else than a JSON object"),
    ],
)
def test_a_service_must_answer_and_take_schemas(given: bytes, message: str) -> None:
    with Scripted(lambda _: [given]) as server, pytest.raises(fw.errors.RequestFailed, match=message):
        load_service(f"{server.url}#m")


# --- the command ------------------------------------------------------------------------------------


def run_judge(tmp_path: Path, schema: Any, *arguments: str) -> Any:
    path = tmp_path / "a.json"
    path.write_text(json.dumps(schema))
    return CliRunner().invoke(app, ["judge", str(path), *arguments])


def test_the_command_judges_a_service(tmp_path: Path) -> None:
    with serve(obey) as server:
        done = run_judge(tmp_path, AGE, "--engine", server.url, "--model", "m", "--answers", "8")
        assert (done.exit_code, "which is invalid (#/properties/age, minimum)" in done.stdout) == (1, True)
        assert "| service | schemas |" in done.stdout
        assert "| engine |" not in done.stdout
        assert "cannot be seen" in done.stdout
        done = run_judge(tmp_path, AGE, "--engine", f"{server.url}#m", "--engine", "formwright", "--format", "json")
    found = json.loads(done.stdout)
    assert [row["answers"] for row in found["services"]] == [6]
    assert [row["engine"] for row in found["engines"]] == ["formwright"]


def test_the_command_ends_with_0_if_all_answers_conform(tmp_path: Path) -> None:
    with serve(lambda _: ok(chat('{"age": 1}'))) as server:
        assert run_judge(tmp_path, AGE, "--engine", f"{server.url}#m").exit_code == 0
    assert run_judge(tmp_path, AGE, "--engine", "http://127.0.0.1:9/v1#m", "--timeout", "2").exit_code == 3
    assert run_judge(tmp_path, AGE, "--engine", "http://127.0.0.1:9/v1").exit_code == 2


def test_our_own_server_holds_its_answers(tiny: Any) -> None:
    pytest.importorskip("starlette", reason="formwright[server] is not installed")
    from formwright.server import running

    schemas = {"age": AGE, "state": {"enum": ["open", "paid"]}, "ids": {"type": "array", "maxItems": 2}, "none": False}
    with running(tiny) as server:
        for field in ("response_format", "structured_outputs", "guided_json"):
            service = load_service(f"{server.base_url}#formwright-tiny", field=field)  # type: ignore[arg-type]
            findings, summary = judge_service(schemas, service, answers=4)
            assert (findings, summary.answers, summary.invalid, summary.refused) == ([], 12, 0, 0)


def test_an_answer_is_what_came_of_a_question(tiny: Any) -> None:
    with serve(obey) as server:
        service = load_service(f"{server.url}#m")
        assert service.ask(AGE, "7", 0) == Answer("text", "7")
        assert (service.name, service.version) == (server.url[7:-3], "m")
