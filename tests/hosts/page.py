"""The page of a host and the examples of our modules for it, run where the host is: ``python page.py llama_cpp``.

They run in a folder of its own, in which the embedded model lies as the page names it: as a file of llama.cpp, as a
folder of ONNX Runtime GenAI, or as a folder of transformers.
"""

from __future__ import annotations

import ast
import importlib
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path
from textwrap import dedent
from typing import Any, Literal

sys.path += [str(Path(__file__).parent), str(Path(__file__).parent.parent / "helpers")]

import page_blocks
from pydantic import BaseModel

import formwright


class Person(BaseModel):
    name: str
    age: int


DOCS = Path(__file__).parent.parent.parent / "docs" / "engines"


def prepared(name: str, folder: Path) -> None:
    """Put what the page of a host reads into a folder."""
    if name == "llama_cpp":
        import gguf_file

        gguf_file.write(folder / "model.gguf")
    elif name == "onnx_genai":
        import genai_folder

        (folder / "model").mkdir()
        genai_folder.write(folder / "model")
    elif name == "mlx":
        shutil.copytree(DOCS.parents[1] / "python" / "formwright" / "models" / "formwright_tiny", folder / "model")


def imported(name: str, only: str = "") -> None:
    """Run what the programs of a page import, where the rest of them needs a device."""
    count = page_blocks.run_imports(DOCS / f"{name}.md", only)
    assert count
    print(f"docs/engines/{name}.md: its {count} imports run")


EXAMPLES = {
    "haystack": ("frameworks.haystack",),
    "langchain": ("frameworks.langchain",),
    "llama_index": ("frameworks.llama_index",),
    "llama_cpp": ("engines.llama_cpp", "models.runtimes.llama_cpp", "tokenizers.llama_cpp"),
    "mlx": ("engines.mlx", "models.runtimes.mlx"),
    "onnx_genai": ("models.runtimes.onnx_genai",),
}
"""Modules whose examples are programs; those of others are commands, or need what a page shows anyway."""


def at_hand(name: str) -> dict[str, Any]:
    """What an example may use without saying where it comes from."""
    names: dict[str, Any] = {
        "fw": formwright,
        "Literal": Literal,
        "prompt": "Ada is 36.",
        "folder": "model",
        "token": 7,
        "Person": Person,
    }
    if name == "llama_cpp":
        library = importlib.import_module("llama_cpp")
        names |= {"Llama": library.Llama, "llama": library.Llama("model.gguf", verbose=False)}
    return names | ({"mlx_lm": importlib.import_module("mlx_lm")} if name == "mlx" else {})


def run_examples(name: str) -> None:
    """Run the examples of the modules of a host; a comment behind an expression is its value."""
    for module in EXAMPLES.get(name, ()):
        found = importlib.import_module(f"formwright.{module}")
        blocks = re.findall(r"::\n\n((?:    .*\n|\n)+)", found.__doc__ or "")
        for block in blocks:
            run_example(dedent(block).replace("some-model", "model"), vars(found) | at_hand(name))
        print(f"formwright.{module}: {len(blocks)} examples run")


def run_example(text: str, names: dict[str, Any]) -> None:
    lines = text.splitlines()
    for node in ast.parse(text).body:
        if not isinstance(node, ast.Expr):
            exec(compile(ast.Module([node], []), "example", "exec"), names)
            continue
        value = eval(compile(ast.Expression(node.value), "example", "eval"), names)
        comment = lines[(node.end_lineno or 0) - 1].partition("  # ")[2]
        assert not comment or comment[0].islower() or repr(value) == comment, f"it says {comment}, and gives {value!r}"


def main() -> None:
    name = sys.argv[1]
    folder = Path(tempfile.mkdtemp())
    prepared(name, folder)
    os.chdir(folder)
    page_blocks.run(DOCS / f"{name}.md")
    print(f"docs/engines/{name}.md: its programs run")
    run_examples(name)


if __name__ == "__main__":
    main()
