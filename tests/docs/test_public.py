"""What the package shows, and what importing it costs."""

from __future__ import annotations

import pydoc
import subprocess
import sys

import pytest

import formwright as fw


def test_names_are_sorted_few_and_there() -> None:
    assert fw.__all__ == sorted(fw.__all__)
    assert len(fw.__all__) <= 55
    assert all(getattr(fw, name) is not None for name in fw.__all__)
    assert dir(fw) == fw.__all__


def test_help_is_a_page() -> None:
    page = pydoc.plain(pydoc.render_doc(fw))
    assert len(page.splitlines()) < 100
    assert all(name in page for name in fw.__all__ if not name.startswith("_"))


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="grammr"):
        fw.grammr  # noqa: B018


def test_everything_public_is_documented() -> None:
    undocumented = [name for name in fw.__all__ if not name.startswith("__") and not getattr(fw, name).__doc__]
    assert set(undocumented) <= {"Result"}, "a union has no docstring"


def test_importing_loads_numpy_and_nothing_else() -> None:
    heavy = "pydantic torch transformers tokenizers onnxruntime click rich sentencepiece tiktoken jsonschema"
    code = f"import formwright, sys; print([m for m in {heavy.split()} if m in sys.modules], 'numpy' in sys.modules)"
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert printed.strip() == "[] True"


@pytest.mark.parametrize(
    ("package", "code", "extra"),
    [
        ("pydantic", "fw.form(int)", "pydantic"),
        ("onnxruntime", "fw.load('formwright-tiny')", "local"),
        ("torch", "fw.from_transformers(None, None)", "transformers"),
        ("mistral_common", "from formwright.tokenizers import mistral", "mistral"),
    ],
)
def test_a_missing_package_names_its_extra(package: str, code: str, extra: str) -> None:
    script = f"""
import sys
sys.modules[{package!r}] = None
import formwright as fw
try:
    {code}
except fw.errors.MissingDependency as error:
    print("formwright[{extra}]" in str(error), {package!r} in str(error), error.hint)
"""
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == f'True True pip install "formwright[{extra}]"'


def test_the_command_without_click_names_its_extra() -> None:
    code = "import sys; sys.modules['click'] = None; from formwright.cli.main import main; main()"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert run.returncode == 1
    assert "formwright[cli]" in run.stderr
    assert "Traceback" not in run.stderr
