"""Run the page of a host: its programs, and what they print, as tests/test_docs.py does where the host is not.

::

    run("langchain")          # docs/langchain.md
"""

from __future__ import annotations

import contextlib
import io
import re
import sys
from itertools import pairwise
from pathlib import Path
from types import ModuleType

DOCS = Path(__file__).parent.parent.parent / "docs"
_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def run(name: str) -> None:
    """Run ``docs/NAME.md``; an output that differs is an error."""
    path = DOCS / f"{name}.md"
    blocks = [*_BLOCK.findall(path.read_text(encoding="utf-8")), ("", "")]
    main, count = ModuleType("__main__"), 0
    own, sys.modules["__main__"] = sys.modules["__main__"], main
    try:
        for (language, text), (following, output) in pairwise(blocks):
            if language != "python":
                continue
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                exec(compile(text, str(path), "exec"), vars(main))
            said = re.sub(r"seconds=\d+\.\d+", "seconds=0.000", printed.getvalue())
            assert following != "text" or said == output, f"{path.name} says\n{output}and prints\n{said}"
            count += 1
    finally:
        sys.modules["__main__"] = own
    assert count, f"{path.name} has no program"
    print(f"docs/{name}.md: {count} programs ran")
