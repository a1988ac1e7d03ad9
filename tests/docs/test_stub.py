"""The docstrings of the kernel are where people look: in ``help`` and in the stub, the same."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

import formwright as fw
from formwright import _kernel
from formwright.models import LocalModel

ROOT = Path(__file__).parents[2]


def test_the_stub_has_the_docstrings_of_the_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    import stubs

    text = stubs.STUB.read_text(encoding="utf-8")
    assert stubs.document_stub(text, _kernel) == text, "run: python docs/stubs.py"


NAMES = ["Constraint", "Language", "Matcher", "RowBuffer", "Vocabulary", "apply_bitmask", "fill_bitmasks"]


@pytest.mark.parametrize("name", NAMES)
def test_everything_public_of_the_kernel_is_described(name: str) -> None:
    entry = getattr(_kernel, name)
    described = {name: entry}
    if inspect.isclass(entry):
        described |= {f"{name}.{member}": value for member, value in vars(entry).items() if not member.startswith("_")}
    assert [name for name, value in described.items() if not inspect.getdoc(value)] == []


def test_everything_public_is_described_with_its_arguments() -> None:
    functions = [fw.form, fw.json_schema, fw.explain, fw.compile, fw.allowed_tokens, fw.apply_bitmask, fw.fill_bitmasks]
    methods = [fw.Matcher.fill_bitmask, LocalModel.generate, LocalModel.stream, fw.Form.repeat]
    for entry in [*functions, *methods]:
        text = inspect.getdoc(entry) or ""
        assert "Args:" in text or "Raises:" in text, entry
