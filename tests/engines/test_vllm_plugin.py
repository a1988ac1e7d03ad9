"""The plugin that every vLLM with formwright beside it calls: without its variable, it imports nothing."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from formwright._hosts import Host
from formwright.engines.vllm import plugin
from formwright.errors import ArgumentError, MissingDependency

QUIET = """
import sys

class Forbidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("vllm", "torch"):
            raise AssertionError(f"{name} was imported")

sys.meta_path.insert(0, Forbidden())
import formwright.engines.vllm
from formwright.engines.vllm.plugin import install
install()
assert "formwright.engines.vllm.backend" not in sys.modules
print("nothing")
"""


@pytest.mark.parametrize("value", [None, "", "0"])
def test_without_the_variable_it_does_nothing(value: str | None) -> None:
    environment = {name: text for name, text in os.environ.items() if name != plugin.VARIABLE}
    environment |= {} if value is None else {plugin.VARIABLE: value}
    done = subprocess.run([sys.executable, "-c", QUIET], env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "nothing\n"), done.stderr


@pytest.mark.parametrize("value", ["yes", "true", "2", " 1"])
def test_another_value_is_refused(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv(plugin.VARIABLE, value)
    with pytest.raises(ArgumentError, match="FORMWRIGHT_VLLM: expected 0 or 1"):
        plugin.install()


def test_where_it_is_asked_for_and_cannot_be_it_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    """An engine that starts without what it was told to use would write without forms."""
    monkeypatch.setenv(plugin.VARIABLE, "1")
    monkeypatch.setattr(Host, "version", lambda host: None)
    monkeypatch.delitem(sys.modules, "formwright.engines.vllm.backend", raising=False)
    with pytest.raises(MissingDependency, match="vLLM"):
        plugin.install()
