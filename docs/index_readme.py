"""Make the links of the README absolute, for the page of the package index: ``python docs/index_readme.py``.

A release does this before it builds, in a copy of the repository. Needs nothing but Python.
"""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
LINK = re.compile(r"(!?\[[^\]]*\]\()(?!\w+:|#)([^)#\s]+)")


def read_addresses() -> dict[str, str]:
    """The addresses of the project, without importing the package."""
    tree = ast.parse((ROOT / "python" / "formwright" / "errors.py").read_text("utf-8"))
    assignments = [node for node in tree.body if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)]
    return {str(getattr(node.targets[0], "id", "")): str(ast.literal_eval(node.value)) for node in assignments}


def make_absolute(readme: str) -> str:
    """The README with links to the site, and to the repository as it is at this version."""
    addresses = read_addresses()
    version = tomllib.loads((ROOT / "Cargo.toml").read_text("utf-8"))["workspace"]["package"]["version"]

    def lead_out(match: re.Match[str]) -> str:
        before, link = match.groups()
        if link.startswith("docs/") and link.endswith(".md"):
            return f"{before}{addresses['SITE']}{link.removeprefix('docs/').removesuffix('.md').removesuffix('index')}"
        kind = "raw" if before.startswith("!") else "blob"
        return f"{before}{addresses['REPOSITORY']}/{kind}/v{version}/{link}"

    return LINK.sub(lead_out, readme)


if __name__ == "__main__":
    page = ROOT / "README.md"
    page.write_text(make_absolute(page.read_text("utf-8")), "utf-8")
