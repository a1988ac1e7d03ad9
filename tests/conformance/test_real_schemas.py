"""A sample of schemas from the wild: what is accepted is valid, what is valid is accepted, or the schema is refused.

The sample is no part of the repository; ``FORMWRIGHT_DATA`` names its folder.
"""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import formwright as fw

MOST_NARROWED = 0.005
"""Schemas with a valid instance that is never written: an integer spelled ``2.0``, or one alternative too many."""


def judge(case: dict[str, Any]) -> str:
    """``right``, ``refused``, ``narrowed``, or what went wrong."""
    try:
        language = fw.json_schema(case["schema"], order="model")
    except (fw.errors.SchemaError, fw.errors.LimitExceeded) as error:
        return "refused" if str(error) else "refused without a reason"
    for test in case["tests"]:
        text = json.dumps(test["data"], ensure_ascii=False).encode()
        good, complete = language.check(text)
        if (good == len(text) and complete) is not test["valid"]:
            return _rejection(language) if test["valid"] else "invalid accepted"
    return "right"


def _rejection(language: fw.Language) -> str:
    """A valid instance may be out of form only where `explain` says that the schema was narrowed."""
    return "narrowed" if any(status == "narrowed" for _, _, status, _ in language.explain()) else "valid rejected"


@pytest.mark.timeout(600)
def test_the_sample(data: Path, record_property: Any) -> None:
    sample = data / "maskbench" / "sample.jsonl.gz"
    with gzip.open(sample, "rt", encoding="utf-8") as lines:
        cases = [json.loads(line) for line in lines]
    verdicts = {case["name"]: judge(case) for case in cases}
    counts = Counter(verdicts.values())
    record_property("counts", dict(counts))
    assert not [
        name for name, verdict in verdicts.items() if verdict in {"invalid accepted", "refused without a reason"}
    ]
    assert counts["valid rejected"] <= MOST_NARROWED * len(cases), counts
    assert counts["refused"] <= 0.02 * len(cases), counts
    assert counts["right"] >= 0.97 * len(cases), counts
