"""A sample of schemas from the wild: what is accepted is valid, what is valid is accepted, or the schema is refused.

In the order of the schema, a valid instance may also be rejected for the order of its keys, that is, if it is accepted
with keys in any order. The sample is no part of the repository; ``FORMWRIGHT_DATA`` names its folder.
"""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from parameters import slow_except

import formwright as fw

MOST_NARROWED = 0.005
"""Schemas with a valid instance that is never written: an integer spelled ``2.0``, or one alternative too many."""


WORST_FIRST = ["invalid accepted", "valid rejected", "narrowed", "reordered", "right"]


def judge(case: dict[str, Any], order: str) -> str:
    """``refused``, or the worst of what is said of the instances."""
    try:
        language = fw.json_schema(case["schema"], order=order)
    except (fw.errors.SchemaError, fw.errors.LimitExceeded) as error:
        return "refused" if str(error) else "refused without a reason"
    said = {verdict(case["schema"], language, **test) for test in case["tests"]}
    return next((worst for worst in WORST_FIRST if worst in said), "right")


def verdict(schema: Any, language: fw.Form[Any], data: Any, valid: bool) -> str:
    """A valid instance may be out of form only for the order of its keys, or where `explain` says narrowed."""
    text = json.dumps(data, ensure_ascii=False).encode()
    if language.matches(text) is valid:
        return "right"
    if not valid:
        return "invalid accepted"
    if fw.json_schema(schema, order="model").matches(text):
        return "reordered"
    rows = [row for row in language.explain() if row.status == "narrowed" and "max_digits" not in row.note]
    return "narrowed" if rows else "valid rejected"


@pytest.fixture(scope="module")
def sample(data: Path) -> list[dict[str, Any]]:
    with gzip.open(data / "maskbench" / "sample.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


@pytest.mark.timeout(600)
@pytest.mark.parametrize(("order", "least"), [("model", 0.97), ("schema", 0.75)])
@pytest.mark.parametrize("step", slow_except([10], [1, 10]))
def test_the_sample(sample: list[dict[str, Any]], order: str, least: float, step: int, record_property: Any) -> None:
    sample = sample[::step]
    verdicts = {case["name"]: judge(case, order) for case in sample}
    counts = Counter(verdicts.values())
    record_property("counts", dict(counts))
    assert not [
        name for name, verdict in verdicts.items() if verdict in {"invalid accepted", "refused without a reason"}
    ]
    assert counts["valid rejected"] <= MOST_NARROWED * len(sample), counts
    assert counts["refused"] <= 0.02 * len(sample), counts
    assert counts["right"] >= least * len(sample), counts
    assert order == "schema" or not counts["reordered"]
