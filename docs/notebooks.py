"""Run the notebooks of ``examples/`` and keep what their cells give.

::

    python docs/notebooks.py           # after a change of the cells, or of what they print

A cell gives what it prints, and the value of its last expression as text and, where the value has that, as
HTML. `tests/docs/test_notebooks.py` runs the cells again and compares the texts.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent.parent / "examples"


def run(source: str, names: dict[str, Any]) -> list[dict[str, Any]]:
    """The outputs of one cell, as a notebook keeps them."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed, value = io.StringIO(), None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "<cell>", "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)
    outputs: list[dict[str, Any]] = []
    if printed.getvalue():
        outputs.append({"output_type": "stream", "name": "stdout", "text": lines(printed.getvalue())})
    if value is not None:
        data = {"text/plain": lines(repr(value))}
        if hasattr(value, "_repr_html_"):
            data["text/html"] = lines(value._repr_html_())
        outputs.append({"output_type": "execute_result", "execution_count": None, "metadata": {}, "data": data})
    return outputs


def lines(text: str) -> list[str]:
    """A text as notebooks keep it."""
    return text.splitlines(keepends=True)


def texts(outputs: list[dict[str, Any]]) -> list[str]:
    """What is compared: what was printed, and values as text."""
    return ["".join(output["text"] if "text" in output else output["data"]["text/plain"]) for output in outputs]


def execute_notebook(notebook: dict[str, Any]) -> dict[str, Any]:
    """The same notebook with the outputs of its cells."""
    names: dict[str, Any] = {"__name__": "__main__"}
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            cell["outputs"] = run("".join(cell["source"]), names)
    return notebook


def main() -> None:
    """Run all notebooks."""
    for path in sorted(FOLDER.glob("*.ipynb")):
        notebook = execute_notebook(json.loads(path.read_text(encoding="utf-8")))
        path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
