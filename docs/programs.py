"""Writes the programs of the README and of the tour as files, for type checkers: ``python docs/programs.py FOLDER``.

The blocks of the README are one program, as a reader types them; each block of the tour is one of its own.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def programs() -> dict[str, str]:
    """The name and the text of each program."""
    readme, tour = (
        BLOCK.findall((ROOT / page).read_text(encoding="utf-8"))
        for page in ("README.md", "docs/tutorials/first_steps.md")
    )
    return {"readme": "\n\n".join(readme)} | {f"tour_{number:02}": text for number, text in enumerate(tour, 1)}


def main() -> None:
    """Write them."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in programs().items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
