"""The tree drawn in the docstring is the tree of the classes, and attributes arrive."""

from __future__ import annotations

import inspect
import re

import pytest

import formwright as fw
from formwright import _kernel, errors

CLASSES = [getattr(errors, name) for name in errors.__all__]


def test_all_is_sorted_and_complete() -> None:
    defined = [
        name for name, value in vars(errors).items() if inspect.isclass(value) and value.__module__ == errors.__name__
    ]
    assert errors.__all__ == sorted(defined)


def test_the_docstring_draws_every_class_once() -> None:
    tree = errors.__doc__.split("\n\n")[2]
    drawn = re.findall(
        r"\b(?:[A-Z][a-z]+){2,}\b|\bDeadEnd\b|\bNotAForm\b|\bRefused\b|\bInterrupted\b|\bUndecided\b", tree
    )
    names = [name for name in drawn if name in errors.__all__]
    assert sorted(names) == errors.__all__


@pytest.mark.parametrize("error", CLASSES)
def test_every_error_is_a_formwright_error_with_a_hint(error: type[errors.FormwrightError]) -> None:
    raised = error("what happened", hint="what to do")
    assert isinstance(raised, errors.FormwrightError)
    assert str(raised) == "what happened"
    assert raised.hint == "what to do"
    assert raised.__notes__ == ["hint: what to do", f"see {raised.url}"]
    assert raised.url.endswith(f"/errors/#{error.__name__.lower()}")
    assert error("what happened").hint is None


@pytest.mark.parametrize(
    ("error", "builtin"),
    [
        (errors.LanguageError, ValueError),
        (errors.ArgumentError, ValueError),
        (errors.PromptError, ValueError),
        (errors.OutputInvalid, ValueError),
        (errors.VocabularyError, ValueError),
        (errors.MissingDependency, ImportError),
    ],
)
def test_errors_are_also_the_builtin_a_caller_would_catch(error: type, builtin: type) -> None:
    assert issubclass(error, builtin)


def test_attributes() -> None:
    schema = errors.UnsupportedKeyword("no", source="{}", span=(0, 2), pointer="/a")
    assert (schema.source, schema.span, schema.pointer) == ("{}", (0, 2), "/a")
    limit = errors.LimitExceeded("no", limit="max_tokens", value=3, allowed=2)
    assert (limit.limit, limit.value, limit.allowed) == ("max_tokens", 3, 2)
    token = errors.TokenRejected("no", token_id=7, token=b"x", position=1, expected="a digit")
    assert (token.token_id, token.token, token.position, token.expected) == (7, b"x", 1, "a digit")


@pytest.mark.parametrize("is_locked", [False, True])
def test_a_panic_of_the_kernel_is_an_error_like_others(is_locked: bool) -> None:
    """With the interpreter lock and without: what `except Exception` catches, and a kernel that goes on."""
    with pytest.raises(
        errors.InternalError, match=f"formwright {_kernel.__version__} failed inside: on purpose"
    ) as found:
        _kernel._panic("on purpose", is_locked)
    assert isinstance(found.value, Exception)
    assert found.value.hint is not None
    assert "report" in found.value.hint
    assert fw.regex("a+").matches("aa")
