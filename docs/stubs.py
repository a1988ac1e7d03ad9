"""Writes the docstrings of the compiled kernel into its stub: ``python docs/stubs.py``.

The comments in `crates/formwright-python` are the one source. The compiled module shows them to
``help``, the stub to editors; a test compares the two.
"""

from __future__ import annotations

import ast
import inspect
from pathlib import Path
from types import ModuleType

from formwright import _kernel

STUB = Path(__file__).parent.parent / "python" / "formwright" / "_kernel.pyi"
INDENT = "    "


def document_stub(stub: str, kernel: ModuleType) -> str:
    """The text of a stub with the docstrings of the module that it describes."""
    lines = stub.splitlines()
    for node, owner, depth in reversed(list(_definitions(ast.parse(stub), kernel))):
        text = inspect.getdoc(getattr(owner, node.name))
        if isinstance(node, ast.FunctionDef) and node.name.startswith("__"):
            continue  # Python's own words on operators say nothing of ours
        _replace(lines, node, _docstring(text or "", INDENT * (depth + 1)))
    return "\n".join(lines) + "\n"


def _definitions(tree: ast.Module, kernel: ModuleType) -> list[tuple[ast.ClassDef | ast.FunctionDef, object, int]]:
    """Every class, method and function in the order of the file, what holds it, and how deep it stands."""
    found: list[tuple[ast.ClassDef | ast.FunctionDef, object, int]] = []
    for node in tree.body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            found.append((node, kernel, 0))
        if isinstance(node, ast.ClassDef):
            members = (member for member in node.body if isinstance(member, ast.FunctionDef))
            found += [(member, getattr(kernel, node.name), 1) for member in members]
    return found


def _docstring(text: str, indent: str) -> list[str]:
    first, *rest = text.splitlines() or [""]
    body = [f'{indent}"""{first}', *(f"{indent}{line}" if line else "" for line in rest)]
    body += [f'{indent}"""'] if rest else []
    return body if rest else [f'{body[0]}"""']


def _replace(lines: list[str], node: ast.ClassDef | ast.FunctionDef, docstring: list[str]) -> None:
    first = node.body[0]
    if isinstance(node, ast.ClassDef):
        lines[first.lineno - 1 : first.end_lineno] = docstring
        return
    header = lines[first.lineno - 1]
    if header.endswith(": ..."):  # a body on the line of the signature
        docstring = [header.removesuffix(" ..."), *docstring]
    lines[first.lineno - 1 : node.end_lineno] = docstring


if __name__ == "__main__":
    STUB.write_text(document_stub(STUB.read_text(encoding="utf-8"), _kernel), encoding="utf-8")
