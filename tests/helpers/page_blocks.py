"""The programs of a page: its fenced blocks, run in order.

A block fenced as ``python`` is run; a ``text`` block right after it is its output. Blocks of one page share their
names, as a reader would; those of the tour are programs of their own. A ``sh`` block is run if its output follows. A
``text title="smollm2"`` block after an output is what the same program prints with that model.

::

    python tests/helpers/page_blocks.py README.md docs/zh.md   # writes what they print into them: read the change
    python tests/helpers/page_blocks.py --smollm2 README.md    # what they print with smollm2, where it is installed
"""

from __future__ import annotations

import ast
import contextlib
import io
import os
import re
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import TypeAlias

from markdown_it import MarkdownIt

OF_THEIR_OWN: set[str] = set()

OF_THE_MODEL = {"poor_output.md", "measure.md"}
"""Pages that show figures of the embedded model: processors round its 8-bit arithmetic differently, so only what stands
around them is compared."""

Result: TypeAlias = tuple[int, str, str, int]
"""The line of a block, what it printed, what the page shows, and in which line."""

REAL = 'text title="smollm2"'


def blocks(page: Path) -> list[tuple[str, str, int]]:
    """Language, text and line of every fenced block."""
    tokens = MarkdownIt().parse(page.read_text(encoding="utf-8"))
    return [(token.info, token.content, token.map[0] + 1) for token in tokens if token.type == "fence" and token.map]


def run(page: Path) -> None:
    """Run the blocks, and compare what they print."""
    for line, printed, output, _ in results(page):
        seen, shown = (without_figures(text) if page.name in OF_THE_MODEL else text for text in (printed, output))
        assert seen == shown, f"{page.name}:{line}: it printed\n{printed}"


def without_figures(text: str) -> str:
    """A text with a mark for each number."""
    return re.sub(r"\d+(\.\d+)?(e-\d+)?", "#", text)


def record(page: Path, run: Callable[[Path], Iterator[Result]]) -> None:
    """Run the blocks, and write what they print into the page."""
    lines = page.read_text(encoding="utf-8").splitlines(keepends=True)
    for _, printed, output, start in reversed([*run(page)]):
        fence = lines[start - 1]
        indent = fence[: len(fence) - len(fence.lstrip())]  # of a block in a list
        lines[start : start + output.count("\n")] = [textwrap.indent(printed, indent)]
    page.write_text("".join(lines), encoding="utf-8")


def results(page: Path) -> Iterator[Result]:
    """Run the blocks, and give the results of those that show their output."""
    main = ModuleType("__main__")
    for (language, text, line), (following, output, start) in pairwise([*blocks(page), ("", "", 0)]):
        if language == "python":
            main = ModuleType("__main__") if page.name in OF_THEIR_OWN else main
            printed = run_python("\n" * line + text, page, main)
        elif language == "sh" and following == "text":
            printed = run_shell(text)
        else:
            continue
        if following == "text":
            yield line, printed, output, start


def real_results(page: Path) -> Iterator[Result]:
    """Run the blocks with smollm2, up to the last that shows what it writes, and give the results of those."""
    listed = blocks(page)
    last = max((at for at, (language, *_) in enumerate(listed) if language == REAL), default=0)
    main = ModuleType("__main__")
    shown = zip(listed, listed[2 : last + 1], strict=False)  # a program, its output, and the output of smollm2
    for (language, text, line), (following, output, start) in shown:
        real = text.replace('fw.load("formwright-tiny")', 'fw.load("smollm2")')
        if language == "python":
            printed = run_python("\n" * line + real, page, main)
        elif language == "sh" and following == REAL:
            printed = run_shell(text.replace("formwright distortion", "formwright distortion --model smollm2"))
        else:
            continue
        if following == REAL:
            yield line, printed, output, start


def run_python(text: str, page: Path, main: ModuleType) -> str:
    printed = io.StringIO()
    own, sys.modules["__main__"] = sys.modules["__main__"], main  # where pickle looks for the classes of a script
    try:
        with contextlib.redirect_stdout(printed):
            exec(compile(text, str(page), "exec"), vars(main))
    finally:
        sys.modules["__main__"] = own
    # What a run takes is not the same twice.
    return re.sub(r"seconds=\d+\.\d+", "seconds=0.000", printed.getvalue())


def run_shell(text: str) -> str:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    command = [shutil.which("bash") or "sh", "-e", "-c", text]
    return subprocess.run(
        command, capture_output=True, text=True, check=True, env={**os.environ, "PATH": path}, timeout=60
    ).stdout


def compiled(page: Path) -> list[ast.Module]:
    """The blocks of Python as trees. Raises SyntaxError where one is none."""
    return [
        ast.parse("\n" * line + text, str(page))
        for language, text, line in blocks(page)
        if language.startswith("python")
    ]


def run_imports(page: Path, only: str = "") -> int:
    """Run what the blocks import (``only`` from names that begin so), where the rest needs a device; how many."""
    nodes = [node for tree in compiled(page) for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    found = [node for node in nodes if (getattr(node, "module", None) or node.names[0].name).startswith(only)]
    for node in found:
        exec(compile(ast.Module([node], []), str(page), "exec"), {})
    return len(found)


if __name__ == "__main__":
    run_blocks = real_results if sys.argv[1] == "--smollm2" else results
    for name in sys.argv[1:]:
        if not name.startswith("--"):
            record(Path(name), run_blocks)
