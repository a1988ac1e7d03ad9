"""What is loaded when: nothing of others before it is needed."""

from __future__ import annotations

import subprocess
import sys

HEAVY = ["anthropic", "google.genai", "httpx", "jinja2", "openai", "pydantic", "tenacity"]
SDKS = ["anthropic", "google.genai", "openai"]


def loaded(module: str, names: list[str]) -> str:
    code = f"import sys, {module}; print([name for name in {names} if name in sys.modules])"
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def test_the_package_loads_nothing_of_the_client() -> None:
    assert loaded("formwright", HEAVY) == "[]"


def test_the_client_loads_no_sdk() -> None:
    assert loaded("formwright.client.transport.sdk", SDKS) == "[]"
