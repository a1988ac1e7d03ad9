"""The page of a host, run where the host is: ``python page.py llama_cpp``.

It runs in a folder of its own, in which the embedded model lies as the page names it: as a file of llama.cpp, as a
folder of ONNX Runtime GenAI, or as a folder of transformers.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path

sys.path += [str(Path(__file__).parent), str(Path(__file__).parent.parent)]

import page_blocks

import formwright

DOCS = Path(__file__).parent.parent.parent / "docs"


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
        shutil.copytree(Path(formwright.__file__).parent / "models" / "formwright_tiny", folder / "model")


def imported(name: str, only: str = "") -> None:
    """Run what the programs of a page import, where the rest of them needs a device."""
    count = page_blocks.run_imports(DOCS / f"{name}.md", only)
    assert count
    print(f"docs/{name}.md: its {count} imports run")


def main() -> None:
    name = sys.argv[1]
    folder = Path(tempfile.mkdtemp())
    prepared(name, folder)
    os.chdir(folder)
    page_blocks.run(DOCS / f"{name}.md")
    print(f"docs/{name}.md: its programs run")


if __name__ == "__main__":
    main()
