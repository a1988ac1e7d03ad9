"""Writes the programs of the README and the tutorials as files, for type checkers: ``python docs/programs.py FOLDER``.

The blocks of a page are one program, as a reader types them.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)


PAGES = {"readme": "README.md"} | {name: f"docs/tutorials/{name}.md" for name in ("first_steps", "decode_loop")}


def programs() -> dict[str, str]:
    """The name and the text of each program."""
    pages = {name: (ROOT / page).read_text(encoding="utf-8") for name, page in PAGES.items()}
    return {name: "\n\n".join(BLOCK.findall(page)) for name, page in pages.items()}


def main() -> None:
    """Write them."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in programs().items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
