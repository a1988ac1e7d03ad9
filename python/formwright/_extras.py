"""Optional packages: one sentence when one is missing.

Example::

    with needs("pydantic", "a Python type as a form"):
        import pydantic

A module that is on an optional package imports it at its top, inside
``needs``; whoever wants that module imports it where it is used. So the package
is loaded when it is first needed, and its absence is reported as
`MissingDependency` with the extra that brings it and the import that really failed.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from formwright.errors import MissingDependency

__all__ = ["needs"]


@contextmanager
def needs(extra: str, purpose: str) -> Iterator[None]:
    """Turn an ImportError of the block into a `MissingDependency` that names ``extra``."""
    try:
        yield
    except MissingDependency:
        raise
    except ImportError as error:
        raise MissingDependency(
            f"{purpose} needs formwright[{extra}], whose import failed: {error}",
            hint=f'pip install "formwright[{extra}]"',
        ) from error
