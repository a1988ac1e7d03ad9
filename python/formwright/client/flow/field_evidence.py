"""The fields of an answer, by the log probabilities of its tokens, or measured by `formwright serve`.

::

    tokens = [(b'{"age": ', -0.1), (b"36", -0.2), (b"}", -0.3)]
    _bound_fields(fw.form({}), '{"age": 36}', tokens, None)["/age"].basis            # 'logprobs'

`formwright serve` is asked once more, with its own field ``measure``, and gives what `LocalModel` would. What other
services give are the probabilities of the tokens that were written, of which the probability of a value is the product:
a lower bound of its share among the values that the form allows.

Cost: nothing, or one more request.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from math import exp
from typing import Any

from formwright._retries import request_policy, retry
from formwright.client.flow.remote_job import RemoteJob
from formwright.client.flow.steps import Reply, Send, Step, TextQuery
from formwright.client.transport.failures import decode_body, read_failure
from formwright.errors import OptionUnsupported, RequestFailed
from formwright.forms.form import Form
from formwright.generation.fields import Evidence, Field, OtherValue
from formwright.generation.fields.field_places import FieldPlace, find_places, read_place
from formwright.generation.result import Complete

__all__ = ["add_evidence"]

_LONGEST_MEASURED = 1 << 15
"""Characters of a text at most that `formwright serve` measures."""


def add_evidence(
    job: RemoteJob, key: str | None, query: TextQuery, result: Complete[Any], reply: Reply
) -> Generator[Step, Any, Complete[Any]]:
    """Yield the steps to the evidence for a result, and return the result with it.

    Args:
        job: What is requested.
        key: The member of the object that the service wrote around the value, if it did.
        query: The request that was answered.
        result: The result.
        reply: The answer.
    """
    form = job.measured_form
    if form is None:
        return result
    if _is_ours(reply) and query.mode == "strict" and len(reply.text) <= _LONGEST_MEASURED:
        fields = yield from _request_fields(job, query, reply.text, job.source)
        if fields is not None:
            inside = {pointer.removeprefix(f"/{key}"): field for pointer, field in fields.items()} if key else fields
            return replace(result, evidence=Evidence.of(_calibrate(job, inside)))
    text, source, tokens = result.text, job.source, reply.token_logprobs
    return replace(result, evidence=Evidence(lambda: _calibrate(job, _bound_fields(form, text, tokens, source))))


def _calibrate(job: RemoteJob, fields: dict[str, Field]) -> dict[str, Field]:
    if job.calibration is None:
        return fields
    return {pointer: job.calibration.map_field(pointer, field) for pointer, field in fields.items()}


def _is_ours(reply: Reply) -> bool:
    raw = reply.raw  # decoded JSON, or the object of an SDK, which has other members as attributes
    stamp = raw.get("formwright") if isinstance(raw, Mapping) else getattr(raw, "formwright", None)
    return isinstance(stamp, Mapping) and stamp.get("enforced") != "checked"  # which engines say, by a middleware


def _request_fields(
    job: RemoteJob, query: TextQuery, text: str, source: str | None
) -> Generator[Step, Any, dict[str, Field] | None]:
    """Request the fields of a text from `formwright serve`; ``None`` if it does not measure them."""
    plain = replace(query, is_stream=False, logprobs=False, stop=(), corrections=())
    request = job.wire.write_request(plain)
    if request.path != "chat/completions":
        return None
    asked = replace(request, body={**request.body, "measure": text})

    def attempt(_: int) -> Generator[Step, Any, Mapping[str, Any] | None]:
        response = yield Send(asked)
        failure = read_failure(response)
        if isinstance(failure, RequestFailed) and failure.status in (400, 422):
            return None
        if failure is not None:
            raise failure
        return decode_body(response)

    body = yield from retry(request_policy(job.request_retries), attempt)
    stamp = body.get("formwright") if isinstance(body, Mapping) else None
    found = stamp.get("fields") if isinstance(stamp, Mapping) else None
    return {pointer: _read_field(entry, source) for pointer, entry in found.items()} if found else None


def _read_field(entry: Mapping[str, Any], source: str | None) -> Field:
    others = tuple(OtherValue(other["value"], other["probability"]) for other in entry["alternatives"])
    return Field.at(entry["value"], entry["text"], source, entry["probability"], entry["basis"], others)


def _bound_fields(
    form: Form[Any], text: str, tokens: Sequence[tuple[bytes, float]], source: str | None
) -> dict[str, Field]:
    """The fields of a text by the probabilities of its tokens. Raises OptionUnsupported if these do not spell it."""
    data, spelled = text.encode(), b"".join(token for token, _ in tokens)
    start = spelled.find(data)
    if not data or start < 0:
        found = f"gave only logprobs of other tokens: {spelled!r:.80}" if tokens else "gave no logprobs"
        raise OptionUnsupported(
            f"the probabilities of the fields are not known: the service {found}",
            hint="use a service and a mode that give logprobs of the text, such as formwright serve",
            argument="fields",
        )
    ends = [end - start for end in accumulate(len(token) for token, _ in tokens)]
    return {
        place.pointer: Field.at(
            read_place(place), place.text, source, exp(sum(_list_logprobs(place, tokens, ends))), "logprobs"
        )
        for place in find_places(form, data)
    }


def _list_logprobs(place: FieldPlace, tokens: Sequence[tuple[bytes, float]], ends: Sequence[int]) -> Iterable[float]:
    """The log probabilities of the tokens that spell a value; of a number, the token after it too, which ends it."""
    end = place.end + (place.is_json and place.text[-1].isdigit())
    for (token, logprob), token_end in zip(tokens, ends, strict=True):
        if token_end > place.start and token_end - len(token) < end:
            yield min(logprob, 0.0)
