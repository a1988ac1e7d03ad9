"""Services that ``formwright judge`` asks, and what it shows of them and of engines."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, get_args

import click

from formwright.algebra.judged_answers import SchemaField, ServiceSummary, judge_service
from formwright.algebra.judging import Judgement, Summary

if TYPE_CHECKING:
    from formwright.client.judged_service import JudgedService

__all__ = ["FIELDS", "JudgeReport", "ask_service", "is_url", "list_lines", "load_services", "tell"]

FIELDS = get_args(SchemaField)
"""Fields of a request in which services read a schema."""


@dataclass
class JudgeReport:
    """What was found, and what was tried."""

    findings: list[Judgement] = field(default_factory=list)
    engines: list[Summary] = field(default_factory=list)
    services: list[ServiceSummary] = field(default_factory=list)

    @property
    def is_wrong(self) -> bool:
        """Whether formwright, which is tried first, is wrong about a text, or an answer of a service is invalid."""
        own = self.engines[:1]
        return any(row.admits or row.rejects for row in own) or any(row.invalid for row in self.services)

    def to_json(self) -> str:
        """All of it as JSON text, one line."""
        rows = {name: [row._asdict() for row in getattr(self, name)] for name in ("findings", "engines", "services")}
        return json.dumps(rows, ensure_ascii=False)


def is_url(engine: str) -> bool:
    """Whether an engine is a service."""
    return engine.startswith(("http://", "https://"))


def load_services(urls: Sequence[str], options: Mapping[str, Any]) -> list[JudgedService]:
    """Connect to services. Raises ArgumentError, RequestFailed, MissingDependency."""
    if not urls:
        return []
    from formwright.client.judged_service import load_service

    more = {name: options[name] for name in ("field", "max_tokens")}
    if options["timeout"] is not None:
        more["timeout"] = options["timeout"]
    return [load_service(url, options["model"], **more) for url in urls]


def ask_service(
    schemas: Mapping[str, Any],
    service: JudgedService,
    options: Mapping[str, Any],
    found: JudgeReport,
    tell: Callable[[Judgement], None] | None,
) -> None:
    """Judge a service, and add what is found. Raises RequestFailed."""
    answers, concurrency = options["answers"], options["concurrency"]
    findings, summary = judge_service(schemas, service, answers=answers, concurrency=concurrency, tell=tell)
    found.findings += findings
    found.services.append(summary)


def tell(finding: Judgement) -> None:
    """Print a finding."""
    click.echo(str(finding).replace("\n", " ")[:400])


def list_lines(found: JudgeReport) -> Iterator[str]:
    """The lines of a Markdown table of engines, and of one of services."""
    if found.engines:
        yield "| engine | schemas | refused | failed | texts | invalid admitted | valid rejected | wrong schemas |"
        yield "|---|---:|---:|---:|---:|---:|---:|---:|"
        yield from map(_write_row, found.engines)
    if found.services:
        yield "| service | schemas | refused | failed | answers | cut | declined | invalid | wrong schemas |"
        yield "|---|---:|---:|---:|---:|---:|---:|---:|---:|"
        yield from map(_write_row, found.services)
        yield "Valid texts that a service would not write cannot be seen from its answers."


def _write_row(row: Summary | ServiceSummary) -> str:
    return f"| {row.engine} {row.version} | " + " | ".join(map(str, row[2:])) + " |"
