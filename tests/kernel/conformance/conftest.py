"""Schemas with instances to start from, and independent judges of instances.

The schemas: one for each enforced keyword (``testdata/keywords.json``), one for each format, and those of the sample
from the wild where its file is. The judge is ``jsonschema-rs``; what it calls valid and formwright rejects goes to
``jsonschema`` as well. Everything in which they may differ stands here: ``FORMATS`` and `Case.excuse`.
"""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

import formwright as fw
from formwright._kernel import json_schema_formats

ROOT = Path(__file__).parents[3]
SAMPLES = int(os.environ.get("FORMWRIGHT_SAMPLES", "10000"))
EACH = 40
"""At least so many samples of a schema that is taken."""


def mailbox(name: str) -> Callable[[str], bool]:
    """The judge's own check of mail addresses, but for long local parts: it stops at 64 bytes, the grammar does not."""
    own = jsonschema_rs.Draft202012Validator({"format": name}, validate_formats=True)
    return lambda text: own.is_valid(text) or len(text.rpartition("@")[0].encode()) > 64


FORMATS = {name: mailbox(name) for name in ("email", "idn-email")}


@dataclass
class Case:
    """A schema, and instances of which some are valid."""

    name: str
    schema: Any
    instances: list[Any] = field(default_factory=list)

    @cached_property
    def language(self) -> fw.Form[Any]:
        return fw.json_schema(self.schema, order="model")

    @cached_property
    def _judge(self) -> Any:
        return jsonschema_rs.validator_for(self.schema, validate_formats=True, formats=FORMATS)

    @cached_property
    def _second(self) -> Any:
        import jsonschema

        kind = jsonschema.validators.validator_for(self.schema, default=jsonschema.Draft202012Validator)
        return kind(self.schema, format_checker=jsonschema.FormatChecker())

    @property
    def usable(self) -> bool:
        """Whether formwright enforces the schema and the judge reads it."""
        try:
            return bool(self.language and self._judge)
        except (fw.errors.FormwrightError, jsonschema_rs.ValidationError):
            return False

    def valid(self, text: str) -> bool:
        """What the judge says of an instance, read with exact decimals and without repeated keys."""
        instance = json.loads(text, parse_float=Decimal, parse_constant=_never, object_pairs_hook=_unique)
        return bool(self._judge.is_valid(instance))

    def excuse(self, instance: Any) -> str:
        """Why formwright may reject an instance that the judge calls valid; empty if there is no reason."""
        if not self._second.is_valid(instance):
            return "the judges differ"
        if self.language.matches(written(_whole(instance)).encode()):
            return "an integer with a fraction"
        # That numbers have a bound on their digits is no excuse: no instance here reaches it.
        rows = [row for row in self.language.explain() if row.status == "narrowed" and "max_digits" not in row.note]
        narrowed = {row.keyword for row in rows}
        if narrowed - {"format"}:
            return "narrowed alternatives"
        lax = fw.json_schema(self.schema, order="model", format="annotation")
        return "a narrowed format" if narrowed and lax.matches(written(instance).encode()) else ""


def written(instance: Any) -> str:
    return json.dumps(instance, ensure_ascii=False)


def _never(constant: str) -> None:
    raise AssertionError(f"{constant} is not JSON")


def _unique(members: list[tuple[str, Any]]) -> dict[str, Any]:
    names = dict(members)
    assert len(names) == len(members), f"a repeated key: {members}"
    return names


def _whole(value: Any) -> Any:
    """``value`` with 1 for 1.0."""
    if isinstance(value, dict):
        return {name: _whole(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_whole(inner) for inner in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _wild(folder: Path) -> list[Case]:
    sample = folder / "maskbench" / "sample.jsonl.gz"
    if not sample.is_file():
        return []
    with gzip.open(sample, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return [Case(row["name"], row["schema"], [test["data"] for test in row["tests"]]) for row in rows]


@pytest.fixture(scope="session")
def samples() -> int:
    """How many samples a test draws: ``FORMWRIGHT_SAMPLES``, or few enough for every day."""
    return SAMPLES


@pytest.fixture(scope="session")
def keywords() -> list[Case]:
    """A small schema for each enforced keyword, which stands at its root."""
    schemas = json.loads((ROOT / "testdata" / "keywords.json").read_text("utf-8"))
    return [Case(keyword, schema) for keyword, schema in schemas.items()]


@pytest.fixture(scope="session")
def cases(keywords: list[Case]) -> list[Case]:
    """Cases for ``SAMPLES`` samples, spread over all there are, of those that can be used."""
    formats = [Case(f"format {name}", {"type": "string", "format": name}) for name, _ in json_schema_formats()]
    wild = _wild(Path(os.environ.get("FORMWRIGHT_DATA", ROOT.parent / "shared" / "data")))
    step = -(-len(wild) * EACH // SAMPLES)
    return [case for case in [*keywords, *formats, *(wild[::step] if wild else [])] if case.usable]
