"""Writes the tables of the pages beside it from the code's own. ``--check`` only compares.

The documentation cannot disagree with the code: a test runs the check.
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
from pathlib import Path

from formwright._kernel import json_schema_formats, json_schema_keywords
from formwright.providers.rules import PROVIDERS, keyword_table
from formwright.server.requests import INERT, REFUSED, ChatBody, CompletionBody, ResponsesBody

FOLDER = Path(__file__).parent


def table(header: list[str], rows: list[tuple[str, ...]]) -> str:
    """A Markdown table; the first column is code."""
    lines = [" | ".join(["", *header, ""]).strip(), "| " + " | ".join("---" for _ in header) + " |"]
    lines += ["| " + " | ".join([f"`{row[0]}`", *row[1:]]) + " |" for row in rows]
    return "\n".join(lines)


def dialects() -> str:
    """What a construct of a pattern means in each dialect: the cases that the tests run."""
    cases = tomllib.loads((FOLDER.parent / "testdata" / "dialects.toml").read_text("utf-8"))["construct"]
    rows = [(case["pattern"], _in_texts(case), case["python"]["means"], case["ecma"]["means"]) for case in cases]
    return table(["pattern", "text", "`re.Pattern`", "JSON Schema"], rows)


def _in_texts(case: dict[str, dict[str, str]]) -> str:
    meaning = case["text"]["means"]
    return f"{meaning}; with `unicode=True` {case['unicode']['means']}" if "unicode" in case else meaning


def served_fields() -> str:
    """Which endpoints of the server read a field."""
    bodies = (ChatBody, ResponsesBody, CompletionBody)
    names = sorted({name for body in bodies for name in body.model_fields})
    return table(
        ["field", "chat completions", "responses", "completions"],
        [(name, *("served" if name in body.model_fields else "" for body in bodies)) for name in names],
    )


def refused_fields() -> str:
    """The fields that the server does not read, and which values of them it lets pass."""
    rows = [(name, why, ", ".join(f"`{json.dumps(value)}`" for value in ok)) for name, (why, ok) in REFUSED.items()]
    return table(["field", "why", "let pass"], rows)


PAGES = {
    "server.md": {
        "served": served_fields(),
        "accepted": table(["field", "why it changes nothing"], list(INERT.items())),
        "refused": refused_fields(),
    },
    "patterns.md": {"dialects": dialects()},
    "json_schema.md": {
        "keywords": table(["keyword", "what happens", "how"], list(json_schema_keywords())),
        "formats": table(["format", "left out"], list(json_schema_formats())),
    },
    "providers.md": {
        name: table(["keyword", "what happens", "how"], keyword_table(provider)) for name, provider in PROVIDERS.items()
    },
}


def written(page: str, tables: dict[str, str]) -> str:
    """The page with its tables filled in."""
    for name, text in tables.items():
        pattern = rf"(<!-- {name}: [^\n]*-->\n).*?(<!-- end -->)"
        page = re.sub(pattern, lambda match, text=text: f"{match[1]}{text}\n{match[2]}", page, count=1, flags=re.DOTALL)
    return page


def main() -> None:
    """Write the pages, or compare them."""
    for name, tables in PAGES.items():
        page = (FOLDER / name).read_text("utf-8")
        if "--check" not in sys.argv:
            (FOLDER / name).write_text(written(page, tables), "utf-8")
        elif written(page, tables) != page:
            sys.exit(f"docs/{name} is out of date: run python docs/tables.py")


if __name__ == "__main__":
    main()
