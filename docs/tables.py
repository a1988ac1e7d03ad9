"""Writes the tables of ``docs/json_schema.md`` from the kernel's own. ``--check`` only compares.

The documentation cannot disagree with the code: a test runs the check.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from formwright._kernel import json_schema_formats, json_schema_keywords

PAGE = Path(__file__).parent / "json_schema.md"


def table(header: list[str], rows: list[tuple[str, ...]]) -> str:
    """A Markdown table; the first column is code."""
    lines = [" | ".join(["", *header, ""]).strip(), "| " + " | ".join("---" for _ in header) + " |"]
    lines += ["| " + " | ".join([f"`{row[0]}`", *row[1:]]) + " |" for row in rows]
    return "\n".join(lines)


def written(page: str) -> str:
    """The page with its tables filled in."""
    tables = {
        "keywords": table(["keyword", "what happens", "how"], list(json_schema_keywords())),
        "formats": table(["format", "left out"], list(json_schema_formats())),
    }
    for name, text in tables.items():
        pattern = rf"(<!-- {name}: [^\n]*-->\n).*?(<!-- end -->)"
        page = re.sub(pattern, lambda match, text=text: f"{match[1]}{text}\n{match[2]}", page, count=1, flags=re.DOTALL)
    return page


def main() -> None:
    """Write the page, or compare it."""
    page = PAGE.read_text("utf-8")
    if "--check" in sys.argv:
        sys.exit(0 if written(page) == page else "docs/json_schema.md is out of date: run python docs/tables.py")
    PAGE.write_text(written(page), "utf-8")


if __name__ == "__main__":
    main()
