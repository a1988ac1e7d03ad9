"""Run what is written about a host: the programs of its page, and the example of its module.

::

    run("langchain")          # docs/langchain.md, and the docstring of the module

tests/test_docs.py and tests/test_docstrings.py do the same for what runs everywhere.
"""

from __future__ import annotations

import ast
import contextlib
import importlib
import io
import re
import sys
from itertools import pairwise
from pathlib import Path
from textwrap import dedent
from types import ModuleType
from typing import Any

from pydantic import BaseModel

import formwright as fw


class Person(BaseModel):
    name: str
    age: int


DOCS = Path(__file__).parent.parent.parent / "docs"
_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def run(name: str) -> None:
    """Run ``docs/NAME.md`` and the example of the module; what they say that differs from what they do is an error."""
    module = importlib.import_module(f"formwright.integrations.{name}")
    _example(module.__doc__ or "", {**vars(module), "fw": fw, "Person": Person})
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


def _example(text: str, names: dict[str, Any]) -> None:
    """Run an example; the comment behind an expression is its value."""
    (block,) = re.findall(r"::\n\n((?:    .*\n|\n)+)", text)
    source = dedent(block)
    lines, compared = source.splitlines(), 0
    for node in ast.parse(source).body:
        if not isinstance(node, ast.Expr):
            exec(compile(ast.Module([node], []), "example", "exec"), names)
            continue
        value = eval(compile(ast.Expression(node.value), "example", "eval"), names)
        comment = lines[(node.end_lineno or 0) - 1].partition("# ")[2]
        assert not comment or repr(value) == comment, f"the example says {comment}, and gives {value!r}"
        compared += bool(comment)
    assert compared
