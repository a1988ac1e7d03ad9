"""The shared language cases (``testdata/languages``), through the Python package."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

import formwright as fw

FOLDER = Path(__file__).parents[2] / "testdata" / "languages"
CASES = [case for file in sorted(FOLDER.glob("*.toml")) for case in tomllib.loads(file.read_text("utf-8"))["case"]]


def language(case: dict[str, Any]) -> fw.Form[Any]:
    match case["kind"]:
        case "regex":
            return fw.regex(case["source"])
        case "choice":
            return fw.choice(case["options"])
        case _:
            names = ("order", "whitespace", "max_whitespace", "max_items", "alphabet")
            return fw.json_schema(case["source"], **{name: case[name] for name in names if name in case})


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_case(case: dict[str, Any]) -> None:
    lang = language(case)
    for text in case["accepts"]:
        assert lang.matches(text.encode()), text
    for text in case["rejects"]:
        assert not lang.matches(text.encode()), text
    for text in [*case.get("prefixes", []), *case["accepts"]]:
        assert lang.check(text.encode())[0] == len(text.encode()), text
    for text in case.get("dead", []):
        assert lang.check(text.encode())[0] < len(text.encode()), text
    assert lang.matches(lang.example())
