"""Whether a service holds its answers to a schema.

Questions tempt it to write what the schema forbids:

    judge_service({"orders.json": schema}, service, tell=print)

    127.0.0.1:8000 some-model, orders.json: answers {"age":-1}, which is invalid (#/properties/age, minimum)

A service shows no masks, so only its answers are judged. That it would not write a valid text cannot be seen: a model
that answers with something else may have wanted to.

Each question asks for a probe of the schema, an invalid and a valid one in turn. An answer counts only if every
installed validator says what formwright says of it. One that was cut at its limit of tokens is never wrong.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from decimal import Decimal
from functools import partial
from itertools import chain, cycle, islice, zip_longest
from math import isfinite
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias

from formwright._kernel import __version__
from formwright.algebra.judging import Judgement, list_probes
from formwright.algebra.opinions import Opinion, ask, load_validators
from formwright.algebra.probes import Probe
from formwright.errors import FormwrightError, UnsatisfiableSchema
from formwright.forms.json_forms import json_schema
from formwright.forms.json_options import complete_options
from formwright.forms.rejections import find_rejection
from formwright.forms.schema_sets import SchemaSource, holds

__all__ = ["Answer", "AskedService", "SchemaField", "ServiceSummary", "judge_service", "read_value"]

SchemaField: TypeAlias = Literal["response_format", "structured_outputs", "guided_json"]
"""The field of a request that holds the schema."""

_MOST_DIGITS = 400
"""Digits of a whole number, at most."""


class Answer(NamedTuple):
    """What came of a question.

    Attributes:
        outcome: ``"text"``: an answer; ``"cut"``: one that ended at its limit of tokens; ``"declined"``: the model or a
            filter did not answer; ``"refuses"``: the service does not take the schema; ``"fails"``: it did not answer.
        text: The text, or the message.
    """

    outcome: Literal["text", "cut", "declined", "refuses", "fails"]
    text: str


class AskedService(Protocol):
    """A service that can be asked for a text that conforms to a schema."""

    name: str
    version: str

    def ask(self, schema: Any, prompt: str, seed: int) -> Answer:
        """Ask for a text."""


class ServiceSummary(NamedTuple):
    """What was tried of one service.

    Attributes:
        engine: The host of the service.
        version: The name of the model.
        schemas: Schemas that it was asked to keep to.
        refused: Schemas that it refused, although they allow a text.
        failed: Schemas on which it failed or took too long.
        answers: Texts that it wrote, those that were cut included.
        cut: Texts that ended at their limit of tokens, which are not judged.
        declined: Questions that the model or a filter did not answer.
        invalid: Texts that do not conform.
        wrong: Schemas with such a text.
    """

    engine: str
    version: str
    schemas: int = 0
    refused: int = 0
    failed: int = 0
    answers: int = 0
    cut: int = 0
    declined: int = 0
    invalid: int = 0
    wrong: int = 0


def judge_service(
    schemas: Mapping[str, Any],
    service: AskedService,
    *,
    answers: int = 6,
    concurrency: int = 4,
    tell: Callable[[Judgement], None] | None = None,
) -> tuple[list[Judgement], ServiceSummary]:
    """Ask a service for texts of some schemas, and judge its answers.

    Args:
        schemas: The schemas by name.
        service: The service.
        answers: Texts of each schema.
        concurrency: Schemas that are tried at the same time.
        tell: Called with each finding, in the order of the schemas.

    Returns:
        The findings, and what was tried.

    Raises:
        RequestFailed: The service does not know the key or the model.
    """
    findings: list[Judgement] = []
    summary = ServiceSummary(service.name, service.version)
    names, documents = list(schemas), list(schemas.values())
    with ThreadPoolExecutor(concurrency) as pool:
        for trial in pool.map(partial(_try_schema, service, answers), names, documents):
            findings += trial.findings
            summary = _add(summary, trial)
            for finding in trial.findings:
                if tell is not None:
                    tell(finding)
    return findings, summary


@dataclass
class _Trial:
    """What one schema has shown."""

    given: list[Answer]
    findings: list[Judgement] = field(default_factory=list)
    invalid: int = 0

    def count(self, outcome: str) -> int:
        return sum(answer.outcome == outcome for answer in self.given)


def _add(summary: ServiceSummary, trial: _Trial) -> ServiceSummary:
    kinds = {finding.kind for finding in trial.findings}
    return summary._replace(
        schemas=summary.schemas + 1,
        refused=summary.refused + ("refuses" in kinds),
        failed=summary.failed + ("fails" in kinds),
        answers=summary.answers + trial.count("text") + trial.count("cut"),
        cut=summary.cut + trial.count("cut"),
        declined=summary.declined + trial.count("declined"),
        invalid=summary.invalid + trial.invalid,
        wrong=summary.wrong + (trial.invalid > 0),
    )


def _try_schema(service: AskedService, answers: int, name: str, schema: Any) -> _Trial:
    """Ask for texts of one schema, until there are enough or the service does not take it."""
    probes, _ = list_probes(name, schema, 4 * answers)
    if not probes and (unread := _find_unread(name, schema)):
        return _Trial([], [unread])
    trial = _Trial(list(_ask_all(service, schema, list(_write_prompts(probes, answers)))))
    judged = _Judge(service, name, schema)
    trial.invalid = sum(judged.is_invalid(answer.text) for answer in trial.given if answer.outcome == "text")
    trial.findings = [*judged.list_findings(), *_list_failures(service, name, trial.given, probes)]
    return trial


def _find_unread(name: str, schema: Any) -> Judgement | None:
    """Why formwright cannot read a schema, so that nothing is asked; ``None`` if it can."""
    try:
        json_schema(json.dumps(schema), unknown_keywords="ignore")
    except UnsatisfiableSchema:
        return None
    except FormwrightError as error:
        return Judgement("formwright", __version__, name, "refuses", f"{type(error).__name__}: {error}"[:300])
    return None


def _write_prompts(probes: Sequence[Probe], answers: int) -> Iterator[str]:
    """Questions that ask for invalid and valid texts in turn."""
    invalid = [probe.text for probe in probes if not probe.is_valid]
    valid = [probe.text for probe in probes if probe.is_valid]
    mixed = [text for text in chain.from_iterable(zip_longest(invalid, valid)) if text is not None]
    asked = [f"Reply with exactly this JSON text, and with nothing else: {text}" for text in mixed]
    return islice(cycle(asked or ["Reply with a JSON value that you make up."]), answers)


def _ask_all(service: AskedService, schema: Any, prompts: Sequence[str]) -> Iterator[Answer]:
    for seed, prompt in enumerate(prompts):
        answer = service.ask(schema, prompt, seed)
        yield answer
        if answer.outcome in ("refuses", "fails"):  # it would do so again
            return


def _list_failures(
    service: AskedService, name: str, given: Sequence[Answer], probes: Sequence[Probe]
) -> Iterator[Judgement]:
    """What a service said in place of an answer. A schema without any text is refused rightly."""
    allowed = next((probe.text for probe in probes if probe.is_valid), None)
    for answer in given:
        if answer.outcome == "fails":
            yield Judgement(service.name, service.version, name, "fails", answer.text)
        if answer.outcome == "refuses" and allowed is not None:
            text = f"{answer.text} (it allows {allowed})"
            yield Judgement(service.name, service.version, name, "refuses", text)


class _Judge:
    """Judges the answers to one schema, and keeps the shortest wrong one for each place."""

    def __init__(self, service: AskedService, name: str, schema: Any) -> None:
        options, _ = complete_options({"unknown_keywords": "ignore"})
        self._service, self._name = service, name
        self._source = SchemaSource(json.dumps(schema), options)
        self._validators = list(load_validators(schema))
        self._found = dict[tuple[str, ...], Judgement]()

    def is_invalid(self, text: str) -> bool:
        """Whether a text does not conform."""
        try:
            value = read_value(text)
        except OverflowError:  # validators would judge another value
            return False
        except (ValueError, RecursionError):
            if _is_json(text):  # too deep for validators
                return False
            self._keep("ignores", text)
            return True
        own = self._ask_formwright(value)
        others = {ask(is_valid, value) for is_valid in self._validators}
        opinions = others if own is None else others | {own}
        if own is not None and opinions == {True, False} and own not in others:
            self._keep("disputed", text)
        if opinions != {False}:
            return False
        self._keep("answers", text, *(self._find_place(value) if own is False else ()))
        return True

    def list_findings(self) -> list[Judgement]:
        """List what was found."""
        return list(self._found.values())

    def _keep(self, kind: Any, text: str, pointer: str = "", keyword: str = "") -> None:
        own = kind == "disputed"
        engine = ("formwright", __version__) if own else (self._service.name, self._service.version)
        finding = Judgement(*engine, self._name, kind, text, pointer, keyword)
        known = self._found.setdefault((kind, pointer, keyword), finding)
        if len(text) < len(known.text):
            self._found[kind, pointer, keyword] = finding

    def _ask_formwright(self, value: Any) -> Opinion:
        try:
            return holds(self._source, _spell(value))
        except (FormwrightError, ValueError):
            return None

    def _find_place(self, value: Any) -> tuple[str, str]:
        try:
            rejection = find_rejection(self._source, _spell(value))
        except FormwrightError:
            return "", ""
        return rejection.pointer, ", ".join(rejection.keywords)


def read_value(text: str) -> Any:
    """Read JSON as validators do.

    Raises:
        ValueError: It is not JSON.
        OverflowError: It holds a number that Python does not hold exactly.
        RecursionError: It is too deep.
    """
    return json.loads(text, parse_int=_read_number, parse_float=_read_number, parse_constant=_refuse_constant)


def _read_number(digits: str) -> int | float:
    """A number; a whole one is an integer, however it is written. Raises OverflowError."""
    try:
        number = Decimal(digits)
    except ArithmeticError as error:
        raise OverflowError(f"{digits[:40]} is out of bounds") from error
    if number.adjusted() < _MOST_DIGITS and number == number.to_integral_value():
        return int(number)
    value = float(digits)
    if not isfinite(value) or Decimal(repr(value)) != number:
        raise OverflowError(f"{digits[:40]} has no exact value")
    return value


def _is_json(text: str) -> bool:
    return json_schema({}, whitespace="free", order="model").matches(text.encode(errors="replace"))


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _spell(value: Any) -> str:
    """Compact JSON. Raises ValueError where a value has none: a number too large, or half a character."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    text.encode()
    return text
